//! Jobs that fail leave nothing behind.

use super::*;
use crate::base::status::Code;
use crate::base::sync::AtomicBool;
use crate::base::sync::Mutex;
use crate::env::fault::{Fault, FaultFileSystem, Operations, Rule};
use crate::plug::compaction_filter::{
    CompactionFilter, CompactionFilterContext, CompactionFilterFactory, FilterDecision,
};

fn filled(fs: Arc<dyn FileSystem>) -> Tree {
    let mut tree = Tree::on(fs, Comparator::Bytewise);
    for half in 0..2u64 {
        let entry =
            |n: u64| put(&format!("key{:05}", 2 * n + half), 1 + 2 * n + half, "some value");
        tree.add_table(0, (0..300).map(entry).collect());
    }
    tree
}

#[test]
fn a_failed_write_or_sync_leaves_no_file() {
    let operations = [
        Operations::APPEND,
        Operations::SYNC,
        Operations::CREATE,
        Operations::SYNC_DIR,
        Operations::READ,
    ];
    for operation in operations {
        let times = if operation == Operations::SYNC_DIR { 1 } else { 6 };
        for nth in 0..times {
            let faults = Arc::new(FaultFileSystem::new(Arc::new(MemoryFileSystem::volatile())));
            let tree = filled(faults.clone());
            let before = tree.file_names();
            faults.add(Rule::once(operation, "*", nth, Fault::Error(libc::EIO)));
            let plan = tree.plan(&[(0, vec![0, 1])], 1);
            let result = tree.run_with(&plan, &[], Stop::default());
            assert_eq!(faults.injected(), 1);
            assert!(result.is_err());
            assert_eq!(tree.file_names(), before, "{operation:?} {nth}");
        }
    }
}

#[test]
fn tables_can_be_read_back() {
    let faults = Arc::new(FaultFileSystem::new(Arc::new(MemoryFileSystem::volatile())));
    let mut tree = filled(faults.clone());
    tree.max_file_size = 1 << 20;
    let plan = tree.plan(&[(0, vec![0, 1])], 1);
    let reads = |tree: &Tree| {
        let before = faults.count(Operations::READ);
        tree.run(&plan, &[]);
        faults.count(Operations::READ) - before
    };
    let plain = reads(&tree).min(reads(&tree));
    tree.cf_options.paranoid_file_checks = true;
    assert_eq!(reads(&tree), plain + 1);
    let before = tree.file_names();
    // That one read gets what was not written.
    faults.add(Rule::once(Operations::READ, "*", plain, Fault::FlipBit));
    let error = tree.run_with(&plan, &[], Stop::default()).err().unwrap();
    assert!(error.is_corruption(), "{error}");
    assert_eq!(tree.file_names(), before);
}

#[test]
fn output_flags_verify_blocks_or_records() {
    let faults = Arc::new(FaultFileSystem::new(Arc::new(MemoryFileSystem::volatile())));
    let mut tree = filled(faults.clone());
    tree.max_file_size = 1 << 20;
    let plan = tree.plan(&[(0, vec![0, 1])], 1);
    let reads = |tree: &Tree| {
        let before = faults.count(Operations::READ);
        tree.run(&plan, &[]);
        faults.count(Operations::READ) - before
    };
    let plain = reads(&tree).min(reads(&tree));
    let more = |tree: &mut Tree, flags| {
        tree.cf_options.verify_output_flags = flags;
        reads(tree) - plain
    };
    // Without the flag of local compactions, or with that alone, nothing is verified.
    for flags in [3, 1 << 10, 2 + (1 << 11), 4 + (1 << 10)] {
        assert_eq!(more(&mut tree, flags), 0, "{flags}");
    }
    assert_eq!(more(&mut tree, 2 + (1 << 10)), 1);
    let blocks = more(&mut tree, 1 + (1 << 10));
    assert!(blocks > 1, "{blocks}");
    assert_eq!(more(&mut tree, 3 + (1 << 10)), blocks + 1);
    tree.cf_options.verify_output_flags = 1 + (1 << 10);
    let before = tree.file_names();
    faults.add(Rule::once(Operations::READ, "*", plain + blocks - 1, Fault::FlipBit));
    let error = tree.run_with(&plan, &[], Stop::default()).err().unwrap();
    assert!(error.is_corruption(), "{error}");
    assert_eq!(tree.file_names(), before);
}

#[test]
fn flags_end_the_job() {
    let tree = filled(Arc::new(MemoryFileSystem::volatile()));
    let before = tree.file_names();
    let plan = tree.plan(&[(0, vec![0, 1])], 1);
    let flag = AtomicBool::new(true);
    let code = |stop| match tree.run_with(&plan, &[], stop) {
        Ok(_) => None,
        Err(error) => Some(error.code()),
    };
    let stop = Stop { canceled: Some(&flag), ..Stop::default() };
    assert_eq!(code(stop), Some(Code::Incomplete));
    let stop = Stop { shutting_down: Some(&flag), ..Stop::default() };
    assert_eq!(code(stop), Some(Code::ShutdownInProgress));
    assert_eq!(tree.file_names(), before);
}

/// Does as it is told.
struct Tool {
    lists_snapshots: bool,
    panics: bool,
    stops: Option<Arc<AtomicBool>>,
}

impl CompactionFilter for Tool {
    fn name(&self) -> &str {
        "tool"
    }

    fn ignore_snapshots(&self) -> bool {
        !self.lists_snapshots
    }

    fn filter(&self, _: i32, key: &[u8], _: &[u8], _: &mut Vec<u8>) -> FilterDecision {
        assert!(!self.panics || key < &b"key00400"[..], "a user's mistake");
        if let Some(flag) = &self.stops
            && key > &b"key00300"[..]
        {
            flag.store(true, Ordering::Relaxed);
        }
        FilterDecision::Remove
    }
}

#[test]
fn a_flag_that_rises_meanwhile_ends_the_job() {
    let mut tree = filled(Arc::new(MemoryFileSystem::volatile()));
    let before = tree.file_names();
    let flag = Arc::new(AtomicBool::new(false));
    let filter = Tool { lists_snapshots: false, panics: false, stops: Some(flag.clone()) };
    tree.cf_options.compaction_filter = Some(Arc::new(filter));
    let plan = tree.plan(&[(0, vec![0, 1])], 1);
    let stop = Stop { canceled: Some(&flag), ..Stop::default() };
    assert!(tree.run_with(&plan, &[], stop).is_err());
    assert_eq!(tree.file_names(), before);
}

#[test]
fn a_filter_that_wants_snapshots_is_refused() {
    let mut tree = filled(Arc::new(MemoryFileSystem::volatile()));
    let filter = Tool { lists_snapshots: true, panics: false, stops: None };
    tree.cf_options.compaction_filter = Some(Arc::new(filter));
    let plan = tree.plan(&[(0, vec![0, 1])], 1);
    let error = tree.run_with(&plan, &[], Stop::default()).err().unwrap();
    assert_eq!(
        error.to_string(),
        "Not implemented: CompactionFilter::IgnoreSnapshots() = false is not supported anymore."
    );
}

#[test]
fn a_panic_leaves_no_file() {
    for parts in [1, 3] {
        let mut tree = filled(Arc::new(MemoryFileSystem::volatile()));
        let before = tree.file_names();
        let filter = Tool { lists_snapshots: false, panics: true, stops: None };
        tree.cf_options.compaction_filter = Some(Arc::new(filter));
        let mut plan = tree.plan(&[(0, vec![0, 1])], 1);
        plan.bottommost = false;
        plan.max_subcompactions = parts;
        let job = std::panic::AssertUnwindSafe(|| tree.run(&plan, &[]));
        assert!(std::panic::catch_unwind(job).is_err());
        assert_eq!(tree.file_names(), before);
    }
}

#[derive(Default)]
struct Factory {
    contexts: Mutex<Vec<CompactionFilterContext>>,
}

impl CompactionFilterFactory for Factory {
    fn name(&self) -> &str {
        "factory"
    }

    fn create(&self, context: &CompactionFilterContext) -> Option<Box<dyn CompactionFilter>> {
        self.contexts.lock().push(*context);
        Some(Box::new(Tool { lists_snapshots: false, panics: false, stops: None }))
    }
}

#[test]
fn a_factory_makes_one_filter_for_each_part() {
    let mut tree = filled(Arc::new(MemoryFileSystem::volatile()));
    let factory = Arc::new(Factory::default());
    tree.cf_options.compaction_filter_factory = Some(factory.clone());
    let mut plan = tree.plan(&[(0, vec![0, 1])], 1);
    (plan.is_full, plan.is_manual) = (true, true);
    let output = tree.run(&plan, &[]);
    assert!(output.files.is_empty());
    assert_eq!(output.stats.counts.dropped_by_filter, 600);
    plan.max_subcompactions = 3;
    let parts = tree.run(&plan, &[]).stats.subcompactions;
    let contexts = factory.contexts.lock();
    assert_eq!(contexts.len(), 1 + parts);
    assert!(contexts[0].is_full_compaction && contexts[0].is_manual_compaction);
}

#[test]
fn records_that_are_missing_are_noticed() {
    let mut tree = filled(Arc::new(MemoryFileSystem::volatile()));
    let mut plan = tree.plan(&[(0, vec![0, 1])], 1);
    // Level 1 with overlapping files is no level: the second file's records are passed over.
    let files = std::mem::take(&mut plan.inputs[0].files);
    plan.inputs[0] = LevelInputs { level: 1, files };
    plan.max_subcompactions = 2;
    plan.is_manual = true;
    let error = tree.run_with(&plan, &[], Stop::default()).err().unwrap();
    assert!(error.is_corruption(), "{error}");
    tree.db_options.compaction_verify_record_count = false;
    drop(tree.run_with(&plan, &[], Stop::default()));
}
