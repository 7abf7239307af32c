//! Tests of the pickers.

mod cases;
mod random;

use super::levels::LevelTargets;
use super::plan::{CompactionPlan, CompactionWork};
use crate::base::comparator::Comparator;
use crate::base::key::{InternalKey, MAX_SEQUENCE, ValueType};
use crate::base::sync::Arc;
use crate::codec::CompressionType;
use crate::options::enums::Temperature;
use crate::options::{CfOptions, DbOptions};
use crate::plug::table_properties::TableProperties;
use crate::version::builder::VersionBuilder;
use crate::version::edit::VersionEdit;
use crate::version::file_meta::FileMeta;
use crate::version::version::Version;

/// Options that small numbers exercise: sizes in single bytes.
fn options() -> CfOptions {
    CfOptions {
        max_bytes_for_level_base: 100,
        target_file_size_base: 10,
        max_compaction_bytes: 1000,
        level_compaction_dynamic_level_bytes: false,
        ttl: 0,
        periodic_compaction_seconds: 0,
        ..CfOptions::default()
    }
}

fn version_of(num_levels: usize, files: Vec<(u32, Arc<FileMeta>)>, edit: VersionEdit) -> Version {
    let mut builder =
        VersionBuilder::new(Arc::new(Version::empty(Comparator::Bytewise, num_levels)));
    builder.apply(&VersionEdit { new_files: files, ..edit }).unwrap();
    builder.finish(true).unwrap()
}

#[test]
fn fixed_targets_multiply() {
    let mut options = options();
    let version = Version::empty(Comparator::Bytewise, 5);
    options.max_bytes_for_level_multiplier = 3.0;
    options.max_bytes_for_level_multiplier_additional = vec![1, 2, 1];
    let targets = LevelTargets::new(&version, &options);
    assert_eq!(targets.base_level(), 1);
    let bytes: Vec<u64> = (1..5).map(|level| targets.max_bytes(level)).collect();
    assert_eq!(bytes, [100, 600, 1800, 5400]);
    options.max_bytes_for_level_base = u64::MAX / 2;
    assert_eq!(LevelTargets::new(&version, &options).max_bytes(4), u64::MAX);
}

/// Sizes of levels 1 and up; base level, targets from there on, lowest level to drain.
type Dynamic<'a> = (&'a [u64], usize, &'a [u64], Option<usize>);

#[test]
fn dynamic_targets_follow_the_largest_level() {
    let mut options = options();
    options.level_compaction_dynamic_level_bytes = true;
    let cases: &[Dynamic<'_>] = &[
        (&[0, 0, 0, 0], 4, &[u64::MAX], None),
        // Little data stays on the last level.
        (&[0, 0, 0, 5], 4, &[100], None),
        // The level above would have more than the base size: a new one opens.
        (&[0, 0, 0, 101], 3, &[100, 100], None),
        (&[0, 0, 0, 1200], 2, &[100, 120, 1200], None),
        (&[0, 0, 30, 5000], 2, &[100, 500, 5000], None),
        (&[0, 50, 500, 50000], 1, &[100, 500, 5000, 50000], None),
        // Even level 1 would be too large.
        (&[0, 50, 500, 500_000], 1, &[100, 1000, 10_000, 100_000], None),
        // Levels 1 and 2 are too many.
        (&[7, 0, 0, 500], 1, &[100, 110, 1100, 11_000], Some(2)),
    ];
    for (sizes, base, max_bytes, drain) in cases {
        let files = sizes.iter().enumerate().filter(|(_, size)| **size > 0);
        let files = files.map(|(at, size)| {
            let key = InternalKey::new(b"a", 1, ValueType::Value);
            let file = FileMeta {
                number: at as u64 + 1,
                file_size: *size,
                smallest: key.clone(),
                largest: key,
                smallest_seqno: 1,
                largest_seqno: 1,
                epoch_number: 1,
                ..FileMeta::default()
            };
            (at as u32 + 1, Arc::new(file))
        });
        let version = version_of(5, files.collect(), VersionEdit::default());
        let targets = LevelTargets::new(&version, &options);
        let found: Vec<u64> = (*base..5).map(|level| targets.max_bytes(level)).collect();
        let found = (targets.base_level(), &found[..], targets.lowest_unnecessary());
        assert_eq!(found, (*base, *max_bytes, *drain), "{sizes:?}");
    }
}

/// `L0[3 2] L1[5] -> L1 rewrite LevelL0FilesNum`.
fn describe(plan: &CompactionPlan) -> String {
    let mut text = String::new();
    for inputs in &plan.inputs {
        let numbers: Vec<_> = inputs.files.iter().map(|file| file.number.to_string()).collect();
        text += &format!("L{}[{}] ", inputs.level, numbers.join(" "));
    }
    let work = match plan.work {
        CompactionWork::Rewrite => "rewrite",
        CompactionWork::Move => "move",
        CompactionWork::Delete => "delete",
    };
    text += &format!("-> L{} {work} {}", plan.output.level, plan.reason.name());
    if plan.output.compression == CompressionType::None {
        text += " plain";
    }
    if let Some(temperature) = plan.output.temperature {
        text += &format!(" {}", temperature.name());
    }
    text
}

/// A file as tests write it: `number:first-last:bytes`, then any of `@low-high` (sequence
/// numbers), `!` (being compacted), `*` (marked), `)` (its last key belongs to the next file),
/// `W` or `C` (warm, cold), `t` and a time in seconds, `n` and the time of the newest key.
fn parse_file(text: &str) -> FileMeta {
    let mut parts = text.split(':');
    let mut next = || parts.next().unwrap();
    let number: u64 = next().parse().unwrap();
    let (first, last) = next().split_once('-').unwrap();
    let rest = next();
    let split = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
    let (size, mut marks) = rest.split_at(split);
    let (mut low, mut high) = (number, number);
    if let Some(range) = marks.strip_prefix('@') {
        let end = range.find(['!', '*', ')', 'W', 'C', 't']).unwrap_or(range.len());
        let (a, b) = range[..end].split_once('-').unwrap();
        (low, high) = (a.parse().unwrap(), b.parse().unwrap());
        marks = &range[end..];
    }
    let largest = match marks.contains(')') {
        true => InternalKey::new(last.as_bytes(), MAX_SEQUENCE, ValueType::RangeDeletion),
        false => InternalKey::new(last.as_bytes(), low, ValueType::Value),
    };
    let times = marks.split_once('t').map_or("0", |(_, times)| times);
    let (time, newest) = times.split_once('n').unwrap_or((times, "0"));
    let time = time.parse().unwrap();
    let temperature = match marks {
        marks if marks.contains('W') => Temperature::Warm,
        marks if marks.contains('C') => Temperature::Cold,
        _ => Temperature::Unknown,
    };
    let file = FileMeta {
        number,
        file_size: size.parse().unwrap(),
        smallest: InternalKey::new(first.as_bytes(), high, ValueType::Value),
        largest,
        smallest_seqno: low,
        largest_seqno: high,
        epoch_number: number,
        marked_for_compaction: marks.contains('*'),
        oldest_ancester_time: time,
        file_creation_time: time,
        temperature: temperature as u8,
        ..FileMeta::default()
    };
    file.set_being_compacted(marks.contains('!'));
    if time > 0 {
        file.note_properties(&TableProperties {
            creation_time: time,
            newest_key_time: newest.parse().unwrap(),
            ..TableProperties::default()
        });
    }
    file
}

#[test]
fn what_the_options_say_of_outputs() {
    use super::output::output_options;
    use crate::codec::CompressionType::{Lz4, None as Plain, Snappy, Zstd};
    let mut options = options();
    options.target_file_size_multiplier = 3;
    options.compression = Snappy;
    options.sanitize(&DbOptions::default());
    let file = |level: u32, size| {
        let text = format!("{level}:a-b:{size}");
        (level, Arc::new(parse_file(&text)))
    };
    let version = version_of(6, vec![file(4, 1), file(5, 1100)], VersionEdit::default());
    let of = |options: &CfOptions, level| {
        let targets = LevelTargets::new(&version, options);
        let output = output_options(&version, options, &targets, level);
        (output.target_file_size, output.compression)
    };
    let sizes: Vec<u64> = (0..5).map(|level| of(&options, level).0).collect();
    assert_eq!(sizes, [10, 10, 30, 90, 270]);
    options.bottommost_compression = Some(Zstd);
    assert_eq!((of(&options, 4).1, of(&options, 5).1), (Snappy, Zstd));
    options.bottommost_compression = None;
    options.level_compaction_dynamic_level_bytes = true;
    options.compression_per_level = vec![Plain, Lz4, Zstd];
    // The base level is 3.
    let all: Vec<_> = [0, 3, 4, 5].iter().map(|level| of(&options, *level)).collect();
    assert_eq!(all, [(10, Plain), (10, Lz4), (10, Zstd), (30, Zstd)]);
}
