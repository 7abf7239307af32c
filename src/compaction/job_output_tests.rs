//! What output files are like.

use super::*;
use crate::base::random::Random;
use crate::plug::filter_policy::FilterPolicy;

/// Two files of level 0 with `count` keys each, interleaved, and nothing below.
fn two_files(tree: &mut Tree, count: u64) {
    for half in 0..2 {
        let entry =
            |n: u64| put(&format!("key{:05}", 2 * n + half), 1 + 2 * n + half, "some value");
        tree.add_table(0, (0..count).map(entry).collect());
    }
}

#[test]
fn files_end_at_their_size_and_inherit_from_the_input() {
    let mut tree = Tree::new(Comparator::Bytewise);
    two_files(&mut tree, 200);
    let mut plan = tree.plan(&[(0, vec![0, 1])], 1);
    plan.output.max_file_size = 2000;
    let output = tree.run(&plan, &[]);
    assert!(output.files.len() > 4);
    for (at, file) in output.files.iter().enumerate() {
        let properties = tree.tables.get(file).unwrap().properties().clone();
        assert_eq!(file.file_size, tree.fs.file_size(&table_path(&tree, file)).unwrap());
        assert_eq!((file.epoch_number, file.oldest_ancester_time), (1, 1001));
        assert_eq!(properties.creation_time, 1001);
        assert_eq!(file.file_creation_time, properties.file_creation_time);
        assert!(file.file_creation_time > 1_000_000_000);
        assert!(file.unique_id != [0, 0]);
        assert_eq!((file.smallest_seqno, file.largest_seqno), (0, 0), "zeroed at the bottom");
        // The data blocks but the last are what the limit counts.
        let data = properties.data_size;
        assert!(data < 2000 + 200, "{data}");
        assert!(at + 1 == output.files.len() || data >= 2000, "{data}");
    }
    let stats = output.stats;
    assert_eq!((stats.counts.input_records, stats.counts.output_records), (400, 400));
    assert_eq!((stats.input_files, stats.output_files), (2, output.files.len()));
    assert_eq!(stats.bytes_read, tree.version.bytes());
    assert_eq!(stats.bytes_written, output.files.iter().map(|f| f.file_size).sum::<u64>());
}

fn table_path(tree: &Tree, file: &FileMeta) -> PathBuf {
    crate::env::names::table_file_name(&tree.dir, file.number)
}

#[test]
fn the_size_can_be_an_upper_bound() {
    let mut tree = Tree::new(Comparator::Bytewise);
    two_files(&mut tree, 2000);
    tree.cf_options.target_file_size_is_upper_bound = true;
    let mut plan = tree.plan(&[(0, vec![0, 1])], 1);
    plan.output.max_file_size = 20_000;
    let output = tree.run(&plan, &[]);
    assert!(output.files.iter().all(|file| file.file_size <= 20_000));
    assert!(output.files.len() < 10);
}

#[test]
fn level_0_gets_one_file() {
    let mut tree = Tree::new(Comparator::Bytewise);
    two_files(&mut tree, 200);
    let mut plan = tree.plan(&[(0, vec![0, 1])], 0);
    plan.output.max_file_size = 2000;
    let output = tree.run(&plan, &[]);
    assert_eq!(output.files.len(), 1);
    assert_eq!(output.files[0].largest_seqno, 400);
    tree.install(&plan, output);
}

#[test]
fn versions_of_a_key_stay_together() {
    let mut tree = Tree::new(Comparator::Bytewise);
    let versions = |key: &str, from: u64| (from..from + 100).map(|s| put(key, s, "v")).collect();
    let all: Vec<Vec<Entry>> = vec![versions("a", 1), versions("b", 101), versions("c", 201)];
    tree.add_table(0, all.into_iter().flatten().collect());
    let mut plan = tree.plan(&[(0, vec![0])], 1);
    plan.output.max_file_size = 300;
    let snapshots: Vec<u64> = (1..=300).collect();
    let output = tree.run(&plan, &snapshots);
    let keys = output.files.iter().map(|f| (f.smallest.user_key(), f.largest.user_key()));
    assert_eq!(keys.collect::<Vec<_>>(), [(&b"a"[..], &b"a"[..]), (b"b", b"b"), (b"c", b"c")]);
}

/// Which keys begin the output files.
fn starts(output: &CompactionOutput) -> Vec<String> {
    let starts = output.files.iter().map(|f| f.smallest.user_key());
    starts.map(|key| String::from_utf8_lossy(key).into_owned()).collect()
}

fn keys(letters: &str, from: u64) -> Vec<Entry> {
    letters.chars().enumerate().map(|(n, c)| put(&c.to_string(), from + n as u64, "v")).collect()
}

#[test]
fn files_end_where_the_level_below_suggests_it() {
    let mut tree = Tree::new(Comparator::Bytewise);
    tree.add_table(2, keys("cd", 1));
    tree.add_table(2, keys("fgh", 3));
    tree.add_table(2, keys("kl", 6));
    tree.add_table(0, keys("abz", 10));
    let plan = tree.plan(&[(0, vec![0])], 1);
    assert_eq!(plan.grandparents.len(), 3);
    // All three files below lie between b and z: two outputs leave them alone.
    let plan = CompactionPlan { max_compaction_bytes: u64::MAX, ..plan };
    let small = OutputOptions { target_file_size: 800, ..plan.output.clone() };
    let skipping = CompactionPlan { output: small, ..plan.clone() };
    assert_eq!(starts(&tree.run(&skipping, &[])), ["a", "z"]);
    // Not if they are not worth it.
    let large = OutputOptions { target_file_size: 1 << 20, max_file_size: 1 << 20, ..plan.output };
    let whole = CompactionPlan { output: large, ..plan };
    assert_eq!(starts(&tree.run(&whole, &[])), ["a"]);
    // Nor in other styles.
    tree.cf_options.compaction_style = crate::options::enums::CompactionStyle::Universal;
    assert_eq!(starts(&tree.run(&skipping, &[])), ["a"]);
}

#[test]
fn files_do_not_overlap_too_much_of_the_level_below() {
    let mut tree = Tree::new(Comparator::Bytewise);
    for letter in ["b", "d", "f", "h", "j"] {
        tree.add_table(2, keys(letter, 1));
    }
    tree.add_table(0, keys("abcdefghijk", 10));
    let below = tree.version.files(2)[0].file_size;
    let mut plan = tree.plan(&[(0, vec![0])], 1);
    plan.output.target_file_size = 1 << 30;
    plan.max_compaction_bytes = 2 * below + below / 2;
    let output = tree.run(&plan, &[]);
    assert!(output.files.len() > 1);
    for file in &output.files {
        let (first, last) = (file.smallest.user_key(), file.largest.user_key());
        assert!(tree.version.overlapping_files(2, Some(first), Some(last)).len() <= 2);
    }
}

#[test]
fn files_that_are_half_full_end_at_boundaries_below() {
    let mut tree = Tree::new(Comparator::Bytewise);
    let entry = |n: u64| put(&format!("key{n:05}"), n, "some value");
    tree.add_table(2, (1..150).map(entry).collect());
    tree.add_table(2, (150..300).map(entry).collect());
    tree.add_table(
        0,
        (1..300).map(|n| put(&format!("key{n:05}"), 1000 + n, "other value")).collect(),
    );
    let mut plan = tree.plan(&[(0, vec![0])], 1);
    plan.max_compaction_bytes = u64::MAX;
    plan.output.max_file_size = 1 << 20;
    let size = tree.version.files(0)[0].file_size;
    plan.output.target_file_size = size / 2;
    assert_eq!(starts(&tree.run(&plan, &[])), ["key00001", "key00150"]);
    plan.output.target_file_size = 2 * size;
    assert_eq!(starts(&tree.run(&plan, &[])), ["key00001"]);
}

#[test]
fn old_files_are_not_mixed_with_new_ones() {
    let mut tree = Tree::new(Comparator::Bytewise);
    tree.add_table(2, keys("z", 1));
    tree.add_table(1, keys("efg", 2));
    tree.add_table(0, keys("abcfklz", 10));
    let mut plan = tree.plan(&[(0, vec![0]), (1, vec![0])], 1);
    (plan.output.max_file_size, plan.output.target_file_size) = (1 << 20, 1 << 20);
    (plan.bottommost, plan.grandparents) = (false, Vec::new());
    tree.cf_options.target_file_size_base = 100;
    tree.cf_options.ttl = 0;
    assert_eq!(starts(&tree.run(&plan, &[])), ["a"]);
    tree.cf_options.ttl = 1000;
    assert_eq!(starts(&tree.run(&plan, &[])), ["a", "e", "k"]);
    tree.cf_options.target_file_size_base = 1 << 20;
    assert_eq!(starts(&tree.run(&plan, &[])), ["a"], "small files are left alone");
}

#[test]
fn nothing_may_be_left_to_write() {
    let mut tree = Tree::new(Comparator::Bytewise);
    tree.add_table(1, vec![put("a", 1, "v")]);
    tree.add_table(0, vec![delete("a", 2)]);
    let plan = tree.plan(&[(0, vec![0]), (1, vec![0])], 1);
    let before = tree.file_names();
    let output = tree.run(&plan, &[]);
    assert!(output.files.is_empty());
    assert_eq!(tree.file_names(), before);
    assert_eq!(output.stats.counts.dropped_obsolete, 1);
    tree.install(&plan, output);
    assert_eq!(tree.version.num_files(), 0);
}

#[test]
fn deletions_stay_as_long_as_deeper_levels_hold_the_key() {
    let mut tree = Tree::new(Comparator::Bytewise);
    tree.add_table(3, vec![put("b", 1, "v"), put("d", 2, "v")]);
    tree.add_table(0, vec![delete("a", 5), delete("b", 6), delete("c", 7), delete("e", 8)]);
    let plan = tree.plan(&[(0, vec![0])], 1);
    assert!(!plan.bottommost);
    let output = tree.run(&plan, &[]);
    let (records, _) = tree.entries(&output.files[0]);
    assert_eq!(records, [delete("b", 6), delete("c", 7)]);
    // Room for files that will be ingested behind: there all deletions matter.
    tree.cf_options.reserves_last_level = true;
    let output = tree.run(&plan, &[]);
    assert_eq!(tree.entries(&output.files[0]).0.len(), 4);
    let plan = tree.plan(&[(0, vec![0])], 4);
    let output = tree.run(&plan, &[]);
    assert_eq!(tree.entries(&output.files[0]).0.len(), 4);
}

#[test]
fn filters_of_the_last_level_can_be_left_out() {
    let mut tree = Tree::new(Comparator::Bytewise);
    let table = BlockBasedTableOptions {
        filter_policy: Some(FilterPolicy::bloom(10.0)),
        ..BlockBasedTableOptions::default()
    };
    tree.cf_options.table_factory = TableFactory::from(table);
    tree.cf_options.optimize_filters_for_hits = true;
    tree.add_table(0, keys("abc", 1));
    let filter_size = |tree: &Tree, plan: &CompactionPlan| {
        let output = tree.run(plan, &[]);
        tree.tables.get(&output.files[0]).unwrap().properties().filter_size
    };
    let mut plan = tree.plan(&[(0, vec![0])], 1);
    assert_eq!(filter_size(&tree, &plan), 0);
    plan.bottommost = false;
    assert!(filter_size(&tree, &plan) > 0);
}

#[test]
fn the_plan_chooses_the_compression() {
    let mut tree = Tree::new(Comparator::Bytewise);
    let entry = |n: u64| put(&format!("key{n:05}"), n, &"value".repeat(20));
    tree.add_table(0, (1..100).map(entry).collect());
    let mut plan = tree.plan(&[(0, vec![0])], 1);
    plan.output.max_file_size = 1 << 20;
    let plain = tree.run(&plan, &[]).files[0].file_size;
    plan.output.compression = CompressionType::Zstd;
    assert!(tree.run(&plan, &[]).files[0].file_size < plain / 2);
}

#[test]
fn the_rate_limiter_hears_of_every_byte() {
    let mut tree = Tree::new(Comparator::Bytewise);
    two_files(&mut tree, 500);
    let plan = tree.plan(&[(0, vec![0, 1])], 1);
    let heard = AtomicU64::new(0);
    let throttle = |bytes: u64| {
        heard.fetch_add(bytes, Ordering::Relaxed);
    };
    let output = run(CompactionContext {
        plan: &plan,
        owner: tree.owner(),
        fs: &*tree.fs,
        dir: &tree.dir,
        tables: &tree.tables,
        snapshots: &[],
        write_conflict_snapshot: MAX_SEQUENCE,
        stop: Stop::default(),
        new_file_number: &|| tree.next_number.fetch_add(1, Ordering::Relaxed),
        throttle: Some(&throttle),
        reads_as: None,
        logger: &NullLogger,
    })
    .unwrap();
    assert_eq!(heard.load(Ordering::Relaxed), output.stats.bytes_written);
}

#[test]
fn parts_give_what_the_whole_gives() {
    let mut random = Random::from_env(91);
    for _ in 0..10 {
        let mut tree = Tree::new(Comparator::Bytewise);
        let mut sequence = 0;
        for level in [2, 1, 0, 0, 0] {
            let mut entries = Vec::new();
            for n in 0..200 {
                if random.one_in(3) {
                    sequence += 1;
                    let key = format!("key{n:05}");
                    entries.push(match random.below(4) {
                        0 => delete(&key, sequence),
                        1 => Entry { kind: ValueType::Merge, ..put(&key, sequence, "m") },
                        _ => put(&key, sequence, "value"),
                    });
                }
            }
            tree.add_table(level, entries);
        }
        let snapshots = [sequence / 3, sequence / 2];
        let mut plan = tree.plan(&[(0, vec![0, 1, 2]), (1, vec![0])], 1);
        let contents = |plan: &CompactionPlan| {
            let output = tree.run(plan, &snapshots);
            let all: Vec<Entry> = output.files.iter().flat_map(|f| tree.entries(f).0).collect();
            (all, output.stats)
        };
        let (whole, alone) = contents(&plan);
        plan.max_subcompactions = 4;
        let (parts, shared) = contents(&plan);
        assert_eq!(alone.subcompactions, 1);
        assert!(shared.subcompactions > 1, "{}", shared.subcompactions);
        assert_eq!(parts, whole);
        assert_eq!(shared.counts, alone.counts);
    }
}
