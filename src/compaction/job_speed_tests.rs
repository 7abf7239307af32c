//! How fast a compaction is: run with `--release -- --ignored --nocapture compaction_speed`.

use super::*;
use crate::base::random::Random;

const RECORDS: u64 = 1_000_000;

#[test]
#[ignore = "measures"]
fn compaction_speed() {
    let mut random = Random::from_env(1);
    let mut tree = Tree::new(Comparator::Bytewise);
    tree.cf_options.table_factory = TableFactory::from(BlockBasedTableOptions::default());
    tree.cf_options.compression = CompressionType::None;
    tree.max_file_size = 64 << 20;
    let value = "v".repeat(100);
    let mut sequence = 0;
    for level in [1, 0, 0, 0, 0] {
        let mut keys: Vec<u64> = (0..RECORDS / 5).map(|_| random.below(4 * RECORDS)).collect();
        keys.sort_unstable();
        keys.dedup();
        let entries = keys.iter().map(|key| {
            sequence += 1;
            put(&format!("{key:016}"), sequence, &value)
        });
        let entries = entries.collect();
        tree.add_table(level, entries);
    }
    for (name, bottommost) in [("upper level", false), ("last level", true)] {
        let mut plan = tree.plan(&[(0, vec![0, 1, 2, 3]), (1, vec![0])], 1);
        plan.bottommost = bottommost;
        let stats = (0..5).map(|_| tree.run(&plan, &[]).stats).min_by_key(|s| s.micros).unwrap();
        println!(
            "{name}: {} records, {} MB in {} ms: {} ns a record",
            stats.counts.input_records,
            stats.bytes_read >> 20,
            stats.micros / 1000,
            stats.micros * 1000 / stats.counts.input_records
        );
    }
}
