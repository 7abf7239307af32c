//! Reading: point gets, iterators, snapshots.

use super::Db;
use super::family::Family;
use crate::base::key::SequenceNumber;
use crate::base::status::{Result, Status};
use crate::base::sync::{Arc, Ordering};
use crate::options::enums::IoActivity;
use crate::options::{ReadOptions, ReadTier};
use crate::plug::prefix_seek::PrefixSeek;
use crate::read::db_iter::DbIterConfig;
use crate::read::get::{FoundValue, PointRead, Sink, get};
use crate::read::iterator::DbIterator;
use crate::read::super_version::SuperVersion;
use crate::read::table_scan::TableScan;
use crate::read::value::Visibility;
use crate::stats::activity::Activity;
use crate::stats::is_watched;
use crate::table::{ScanEnd, TableReadOptions};

/// A moment of the database that reads can go back to. Give it back with
/// [`Db::release_snapshot`].
#[derive(Debug)]
pub struct Snapshot {
    sequence: SequenceNumber,
}

impl Snapshot {
    /// The newest sequence number that it sees.
    pub fn sequence(&self) -> SequenceNumber {
        self.sequence
    }
}

impl Db {
    /// Gives the value of `key` to `sink`; returns whether there is one.
    #[inline]
    pub fn get(
        &self,
        family: &Family,
        options: &ReadOptions,
        key: &[u8],
        sink: &mut impl Sink,
    ) -> Result<bool> {
        if is_watched(self.statistics()) {
            return self.get_watched(family, options, key, sink);
        }
        self.get_unwatched(family, options, key, sink)
    }

    /// [`get`](Db::get) for nobody who counts.
    #[inline]
    pub(super) fn get_unwatched(
        &self,
        family: &Family,
        options: &ReadOptions,
        key: &[u8],
        sink: &mut impl Sink,
    ) -> Result<bool> {
        check(options, IoActivity::GET, "Get")?;
        // The view first: what it holds can only be older than the sequence number.
        let view = family.super_version.load();
        let sequence = self.sequence_for(options);
        let table_options = table_options(family, options);
        get(&self.point_read(&view, family, options, &table_options), key, sequence, sink)
    }

    /// How keys of `family` are looked up in `view`.
    #[inline]
    pub(super) fn point_read<'v>(
        &self,
        view: &'v SuperVersion,
        family: &'v Family,
        options: &ReadOptions,
        table_options: &'v TableReadOptions,
    ) -> PointRead<'v> {
        PointRead {
            view,
            tables: &family.tables,
            options: table_options,
            merge_operator: &family.options.merge_operator,
            // Logged writes count as persisted.
            skip_memtables: options.read_tier == ReadTier::Persisted
                && self.unlogged_writes.load(Ordering::Acquire),
            ignore_tombstones: options.ignore_range_deletions,
        }
    }

    /// The value of `key`, without a copy where it stands in a cached block.
    pub fn get_pinned(
        &self,
        family: &Family,
        options: &ReadOptions,
        key: &[u8],
    ) -> Result<Option<FoundValue>> {
        let mut value = FoundValue::default();
        Ok(self.get(family, options, key, &mut value)?.then_some(value))
    }

    /// An iterator over the column family as it is now, or as of the options' snapshot.
    pub fn iter(&self, family: &Family, options: &ReadOptions) -> Result<DbIterator> {
        check(options, IoActivity::DB_ITERATOR, "NewIterator")?;
        if options.read_tier == ReadTier::Persisted {
            return Err(Status::not_supported(
                "ReadTier::kPersistedData is not yet supported in iterators.",
            ));
        }
        if options.managed {
            return Err(Status::not_supported("Managed iterator is not supported anymore."));
        }
        let memtables_only = options.read_tier == ReadTier::Memtable;
        let view = family.pin();
        let config = DbIterConfig {
            visibility: Visibility { sequence: self.iterator_sequence(options) },
            lower_bound: options.iterate_lower_bound.clone(),
            upper_bound: options.iterate_upper_bound.clone(),
            max_skippable_internal_keys: options.max_skippable_internal_keys,
            pin_data: options.pin_data,
            prefix_seek: prefix_seek(family, options),
            prefix_same_as_start: match options.prefix_same_as_start {
                true => family.options.prefix_extractor.clone(),
                false => None,
            },
            ignore_tombstones: options.ignore_range_deletions,
            merge_operator: family.options.merge_operator.clone(),
            max_sequential_skip: family.max_sequential_skip(),
        };
        let scan = TableScan {
            options: TableReadOptions {
                activity: Some(Activity::Iterator),
                ..table_options(family, options)
            },
            end: ScanEnd::before(options.iterate_upper_bound.clone()),
            predicate: options.table_filter.clone(),
        };
        let stats = self.statistics().clone();
        DbIterator::new(view, &family.tables, scan, config, memtables_only, stats)
    }

    /// Ends an iterator that was made with these options.
    pub fn end_iter(&self, iter: DbIterator, options: &ReadOptions) {
        let in_background = options.background_purge_on_iterator_cleanup
            || self.context.options.avoid_unnecessary_blocking_io;
        if in_background {
            return drop(iter);
        }
        // Nobody else is told by the version's end. Files that come to be wanted gone meanwhile
        // are among those looked at below.
        let wanted = self.purge_wanted.swap(false, Ordering::SeqCst);
        drop(iter);
        // A database that is closed removes nothing: another may have taken its place.
        if wanted && let Some(_place) = self.jobs.try_enter() {
            self.remove_obsolete_files();
        }
    }

    /// What a new iterator sees. One that follows new writes sees all of them, whatever snapshot
    /// there is.
    fn iterator_sequence(&self, options: &ReadOptions) -> SequenceNumber {
        if options.tailing { self.sequences.published() } else { self.sequence_for(options) }
    }

    /// To be called before a seek: makes `iter`, an iterator over the family with these options,
    /// see what was written since, if it is to follow new writes, and let go of memtables and
    /// tables that are not current any more, if it is to do that.
    pub fn follow(
        &self,
        family: &Family,
        options: &ReadOptions,
        iter: &mut DbIterator,
    ) -> Result<()> {
        let is_behind = match options.tailing {
            true => !iter.sees(&family.pin(), self.sequences.published()),
            false => lets_go(options) && !iter.is_over(&family.super_version.load()),
        };
        if is_behind {
            self.end_iter(iter.replace_by(self.iter(family, options)?), options);
        }
        Ok(())
    }

    /// To be called behind a step of an iterator that [`lets_go`]: the same as
    /// [`follow`](Db::follow), but that `iter` stays where it is. `forward` says which way it went.
    pub fn let_go(
        &self,
        family: &Family,
        options: &ReadOptions,
        iter: &mut DbIterator,
        forward: bool,
    ) -> Result<()> {
        if iter.is_over(&family.super_version.load()) || iter.status().is_err() {
            return Ok(());
        }
        let at = iter.valid().then(|| iter.key().to_vec());
        self.end_iter(iter.replace_by(self.iter(family, options)?), options);
        match at {
            Some(key) if forward => iter.seek(&key),
            Some(key) => iter.seek_for_prev(&key),
            None => {}
        }
        Ok(())
    }

    /// Iterators over several column families as of one moment.
    pub fn iters(
        &self,
        families: &[Arc<Family>],
        options: &ReadOptions,
    ) -> Result<Vec<DbIterator>> {
        check(options, IoActivity::DB_ITERATOR, "NewIterators")?;
        // The snapshot keeps the versions of this moment from being dropped by a flush between
        // two views.
        let mut options = options.clone();
        let snapshot = options.snapshot.is_none().then(|| self.snapshot());
        if let Some(snapshot) = &snapshot {
            options.snapshot = Some(snapshot.sequence());
        }
        let iters = families.iter().map(|family| self.iter(family, &options)).collect();
        if let Some(snapshot) = snapshot {
            self.release_snapshot(snapshot);
        }
        iters
    }

    fn sequence_for(&self, options: &ReadOptions) -> SequenceNumber {
        options.snapshot.unwrap_or_else(|| self.sequences.published())
    }

    /// The newest sequence number that readers see.
    pub fn latest_sequence(&self) -> SequenceNumber {
        self.sequences.published()
    }

    /// Holds on to the database as it is now.
    pub fn snapshot(&self) -> Snapshot {
        let mut state = self.state.lock();
        let sequence = self.sequences.published();
        state.snapshots.acquire(sequence);
        Snapshot { sequence }
    }

    /// Lets go of a snapshot, so that what only it could see may be dropped.
    pub fn release_snapshot(&self, snapshot: Snapshot) {
        let mut state = self.state.lock();
        state.snapshots.release(snapshot.sequence);
        self.snapshot_released(&mut state);
    }
}

/// Whether an iterator with these options lets go of memtables and tables that are not current any
/// more: what it shows is kept by its snapshot, which the caller holds.
pub fn lets_go(options: &ReadOptions) -> bool {
    options.auto_refresh_iterator_with_snapshot && options.snapshot.is_some()
}

/// What seeks may leave out: nothing without a prefix extractor.
fn prefix_seek(family: &Family, options: &ReadOptions) -> Option<Box<PrefixSeek>> {
    let transform = family.options.prefix_extractor.as_ref()?;
    let bytewise = family.comparator().is_bytewise();
    let bound = options.iterate_upper_bound.clone();
    (!options.total_order_seek).then(|| {
        let seek = PrefixSeek::new(transform, options.auto_prefix_mode, bytewise, bound);
        seek.ending_with_prefix(options.prefix_same_as_start).into()
    })
}

/// Refuses options that make no sense, and those for another function than `call`, which reads
/// files for `activity`.
#[inline]
pub(super) fn check(options: &ReadOptions, activity: IoActivity, call: &str) -> Result<()> {
    options.rejected.check()?;
    if options.io_activity != IoActivity::UNKNOWN && options.io_activity != activity {
        return Err(other_activity(activity, call));
    }
    Ok(())
}

#[cold]
fn other_activity(activity: IoActivity, call: &str) -> Status {
    Status::invalid_argument(format!(
        "Can only call {call} with `ReadOptions::io_activity` is `Env::IOActivity::kUnknown` or \
         `Env::IOActivity::{}`",
        activity.name()
    ))
}

pub(super) fn table_options(family: &Family, options: &ReadOptions) -> TableReadOptions {
    TableReadOptions {
        verify_checksums: options.verify_checksums,
        fill_cache: options.fill_cache,
        cache_only: options.read_tier == ReadTier::BlockCache,
        readahead_size: options.readahead_size,
        deadline: options.deadline,
        limited_as: options.rate_limiter_priority.io_priority(),
        // Reading ahead from the first block on is what asynchronous reads come to here.
        num_file_reads_for_auto_readahead: match options.async_io {
            true => 0,
            false => family.table_reads.num_file_reads_for_auto_readahead,
        },
        trim_read_ahead: options.auto_readahead_size,
        adaptive_read_ahead: options.adaptive_readahead,
        ..family.table_reads
    }
}
