//! Tests of compaction jobs, on trees of tables in memory.

#[path = "job_error_tests.rs"]
mod errors;
#[path = "job_model_tests.rs"]
mod model;
#[path = "job_output_tests.rs"]
mod output;
#[path = "job_speed_tests.rs"]
mod speed;

use super::*;
use crate::base::comparator::Comparator;
use crate::base::iterator::InternalIterator;
use crate::base::key::{MAX_SEQUENCE, ParsedKey, ValueType, compare_internal};
use crate::base::sync::{Arc, AtomicU64, Ordering};
use crate::codec::{CompressionOptions, CompressionType};
use crate::compaction::plan::{
    CompactionReason, CompactionWork, LevelInputs, OutputOptions, user_key_range,
};
use crate::env::memory::MemoryFileSystem;
use crate::options::{BlockBasedTableOptions, CfOptions, DbOptions, TableFactory};
use crate::plug::logger::NullLogger;
use crate::plug::merge_operator::MergeOperator;
use crate::rewrite::output_table::OutputTable;
use crate::rewrite::stream::Record;
use crate::rewrite::table_options::NewTable;
use crate::table::{TableReadOptions, TableReaderOptions};
use crate::version::builder::VersionBuilder;
use crate::version::edit::VersionEdit;
use crate::version::table_cache::TableCacheOptions;
use crate::version::version::Version;
use std::path::PathBuf;

/// Appends operands, with commas.
pub(super) struct Append;

impl MergeOperator for Append {
    fn name(&self) -> &str {
        "append"
    }

    fn full_merge(
        &self,
        _key: &[u8],
        existing: Option<&[u8]>,
        operands: &[&[u8]],
        out: &mut Vec<u8>,
    ) -> bool {
        let parts: Vec<&[u8]> = existing.into_iter().chain(operands.iter().copied()).collect();
        out.extend_from_slice(&parts.join(&b','));
        true
    }

    fn partial_merge(&self, _key: &[u8], operands: &[&[u8]], out: &mut Vec<u8>) -> bool {
        out.extend_from_slice(&operands.join(&b','));
        true
    }
}

/// A record, or a range tombstone, whose value is its end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Entry {
    pub key: Vec<u8>,
    pub sequence: u64,
    pub kind: ValueType,
    pub value: Vec<u8>,
}

pub(super) fn put(key: &str, sequence: u64, value: &str) -> Entry {
    Entry { key: key.into(), sequence, kind: ValueType::Value, value: value.into() }
}

pub(super) fn delete(key: &str, sequence: u64) -> Entry {
    Entry { key: key.into(), sequence, kind: ValueType::Deletion, value: Vec::new() }
}

/// A column family's tables, and what compactions of them need.
pub(super) struct Tree {
    pub fs: Arc<dyn FileSystem>,
    pub dir: PathBuf,
    pub db_options: DbOptions,
    pub cf_options: CfOptions,
    pub tables: TableCache,
    pub version: Arc<Version>,
    pub next_number: AtomicU64,
    pub max_file_size: u64,
}

const LEVELS: usize = 5;

impl Tree {
    pub fn new(comparator: Comparator) -> Tree {
        Tree::on(Arc::new(MemoryFileSystem::volatile()), comparator)
    }

    pub fn on(fs: Arc<dyn FileSystem>, comparator: Comparator) -> Tree {
        let dir = PathBuf::from("/db");
        let table = BlockBasedTableOptions { block_size: 128, ..Default::default() };
        let cf_options = CfOptions {
            comparator: comparator.clone(),
            merge_operator: Some(Arc::new(Append)),
            table_factory: TableFactory::from(table),
            ..CfOptions::default()
        };
        let cache_options = TableCacheOptions {
            paths: vec![dir.clone()],
            reader: TableReaderOptions {
                comparator: comparator.clone(),
                ..TableReaderOptions::default()
            },
            ..TableCacheOptions::default()
        };
        Tree {
            tables: TableCache::new(fs.clone(), cache_options),
            fs,
            dir,
            db_options: DbOptions::default(),
            cf_options,
            version: Arc::new(Version::empty(comparator, LEVELS)),
            next_number: AtomicU64::new(1),
            max_file_size: 600,
        }
    }

    pub fn owner(&self) -> TableOwner<'_> {
        TableOwner {
            db_options: &self.db_options,
            cf_options: &self.cf_options,
            family_id: 0,
            family_name: b"default",
            db_id: "db",
            session_id: "0123456789ABCDEFGHIJ",
        }
    }

    pub fn order(&self) -> Comparator {
        self.version.comparator().clone()
    }

    pub fn add_to(&mut self, level: u32, file: FileMeta) {
        let mut edit = VersionEdit::new(0);
        edit.add_file(level, Arc::new(file));
        self.apply(&edit);
    }

    /// Applies an edit, with all checks of the version's order.
    pub fn apply(&mut self, edit: &VersionEdit) {
        let mut builder = VersionBuilder::new(self.version.clone());
        builder.apply(edit).unwrap();
        self.version = Arc::new(builder.finish(true).unwrap());
    }

    /// Puts a table with these entries on `level`.
    pub fn add_table(&mut self, level: u32, mut entries: Vec<Entry>) -> u64 {
        let order = self.order();
        let encoded = |e: &Entry| InternalKeyOf(e).bytes();
        entries.sort_by(|a, b| compare_internal(&order, &encoded(a), &encoded(b)));
        let number = self.next_number.fetch_add(1, Ordering::Relaxed);
        let new = NewTable {
            file_number: number,
            oldest_ancester_time: 1000 + number,
            now: 5000,
            ..NewTable::default()
        };
        let options = self.owner().builder_options(&new).unwrap();
        let fs = self.fs.clone();
        let mut table = OutputTable::create(&*fs, &self.dir, options, false).unwrap();
        for entry in &entries {
            if entry.kind == ValueType::RangeDeletion {
                table.add_tombstone(&entry.key, &entry.value, entry.sequence).unwrap();
                continue;
            }
            let (key, sequence) = (encoded(entry), entry.sequence);
            let record = Record { key: &key, sequence, value: &entry.value, starts_user_key: true };
            table.add(&record).unwrap();
        }
        let mut file = table.finish().unwrap().unwrap().keep();
        file.epoch_number = number;
        self.add_to(level, file);
        number
    }

    /// A compaction of these files, by level and place.
    pub fn plan(&self, inputs: &[(usize, Vec<usize>)], output_level: usize) -> CompactionPlan {
        let inputs: Vec<LevelInputs> = inputs
            .iter()
            .filter(|(_, places)| !places.is_empty())
            .map(|(level, places)| LevelInputs {
                level: *level,
                files: places.iter().map(|&p| self.version.files(*level)[p].clone()).collect(),
            })
            .collect();
        let order = self.order();
        let range = user_key_range(&order, inputs.iter().flat_map(|i| &i.files)).unwrap();
        let (first, last) = (*range.start(), *range.end());
        let below = |level| self.version.overlapping_files(level, Some(first), Some(last));
        let deeper: Vec<_> = (output_level + 1..LEVELS).map(below).collect();
        let grandparents = deeper.iter().find(|files| !files.is_empty()).cloned();
        let bottommost = grandparents.is_none() && output_level > 0;
        CompactionPlan {
            version: self.version.clone(),
            inputs: inputs.clone(),
            work: CompactionWork::Rewrite,
            output: OutputOptions {
                level: output_level,
                path_id: 0,
                max_file_size: self.max_file_size,
                target_file_size: self.max_file_size,
                compression: CompressionType::None,
                compression_opts: CompressionOptions::default(),
                temperature: None,
            },
            grandparents: grandparents.unwrap_or_default(),
            max_compaction_bytes: 25 * self.max_file_size,
            max_subcompactions: 1,
            bottommost,
            is_full: false,
            is_manual: false,
            reason: CompactionReason::Unknown,
            score: 0.0,
        }
    }

    pub fn run_with(
        &self,
        plan: &CompactionPlan,
        snapshots: &[u64],
        stop: Stop<'_>,
    ) -> Result<CompactionOutput> {
        run(CompactionContext {
            plan,
            owner: self.owner(),
            fs: &*self.fs,
            dir: &self.dir,
            tables: &self.tables,
            snapshots,
            write_conflict_snapshot: MAX_SEQUENCE,
            stop,
            new_file_number: &|| self.next_number.fetch_add(1, Ordering::Relaxed),
            throttle: None,
            reads_as: None,
            logger: &NullLogger,
        })
    }

    pub fn run(&self, plan: &CompactionPlan, snapshots: &[u64]) -> CompactionOutput {
        self.run_with(plan, snapshots, Stop::default()).unwrap()
    }

    /// Puts the output in place of the input.
    pub fn install(&mut self, plan: &CompactionPlan, output: CompactionOutput) {
        let mut edit = VersionEdit::new(0);
        plan.delete_inputs(&mut edit);
        for file in output.files {
            edit.add_file(plan.output.level as u32, Arc::new(file));
        }
        self.apply(&edit);
    }

    /// What a table holds: its records, then its range tombstones, cut to its bounds.
    pub fn entries(&self, file: &FileMeta) -> (Vec<Entry>, Vec<Entry>) {
        let order = self.order();
        let reader = self.tables.open(file).unwrap();
        let reader = Arc::new(reader);
        let mut iter = reader.iter(order.clone(), TableReadOptions::default());
        let mut records = Vec::new();
        iter.seek_to_first();
        while iter.valid() {
            let key = ParsedKey::parse(iter.key()).unwrap();
            records.push(Entry {
                key: key.user_key.to_vec(),
                sequence: key.sequence,
                kind: key.value_type,
                value: iter.value().to_vec(),
            });
            iter.next();
        }
        iter.status().unwrap();
        let mut tombstones = Vec::new();
        if let Some(fragments) = reader.range_tombstones() {
            let mut builder = crate::rangedel::FragmentsBuilder::new();
            builder.add_file(fragments, &order, file.bounds());
            for piece in builder.build(&order).unwrap().iter() {
                tombstones.extend(piece.sequences.iter().map(|&sequence| Entry {
                    key: piece.start.to_vec(),
                    sequence,
                    kind: ValueType::RangeDeletion,
                    value: piece.end.to_vec(),
                }));
            }
        }
        (records, tombstones)
    }

    /// The table files that exist.
    pub fn file_names(&self) -> Vec<String> {
        let mut names = self.fs.list(&self.dir).unwrap_or_default();
        names.sort();
        names
    }
}

struct InternalKeyOf<'a>(&'a Entry);

impl InternalKeyOf<'_> {
    fn bytes(&self) -> Vec<u8> {
        let Entry { key, sequence, kind, .. } = self.0;
        let mut out = Vec::new();
        ParsedKey { user_key: key, sequence: *sequence, value_type: *kind }.encode_to(&mut out);
        out
    }
}
