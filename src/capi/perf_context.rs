//! The perf context: what one thread counts and measures.

use std::ffi::{c_char, c_int, c_uchar};

use crate::base::status::Status;
use crate::base::sync::Arc;
use crate::capi::buffer;
use crate::capi::guard::guard;
use crate::capi::handle::{get, give, handles, take};
use crate::stats::{Metric, PerfContext, PerfLevel, perf};

/// The counters of the thread that made it.
pub struct rocksdb_perfcontext_t {
    counters: Arc<PerfContext>,
}

handles! { Boxed: rocksdb_perfcontext_t; }

/// Sets how much this thread counts and measures from now on, by the numbers of RocksDB's
/// `PerfLevel`: 1 nothing, 2 counts, 3 also time spent waiting, 4 also times other than those of
/// mutexes, 5 also processor time, 6 everything. Other numbers change nothing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_set_perf_level(level: c_int) {
    guard(|| {
        let level = PerfLevel::from_number(level.into());
        perf::set_level(level.ok_or_else(|| Status::invalid_argument("no such perf level"))?);
        Ok(())
    })
}

/// A look at this thread's counters; given back by `rocksdb_perfcontext_destroy`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_perfcontext_create() -> *mut rocksdb_perfcontext_t {
    guard(|| Ok(give(rocksdb_perfcontext_t { counters: PerfContext::of_this_thread() })))
}

/// Sets the counters to 0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_perfcontext_reset(context: *mut rocksdb_perfcontext_t) {
    guard(|| {
        get(&context)?.counters.reset();
        Ok(())
    })
}

/// The counters as text, which the caller frees; without those that are 0 if
/// `exclude_zero_counters` is not 0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_perfcontext_report(
    context: *mut rocksdb_perfcontext_t,
    exclude_zero_counters: c_uchar,
) -> *mut c_char {
    guard(|| {
        let report = get(&context)?.counters.report(exclude_zero_counters != 0);
        Ok(buffer::c_string(&report))
    })
}

/// One counter, by its number in the list of metrics; 0 for a number beyond them.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_perfcontext_metric(
    context: *mut rocksdb_perfcontext_t,
    metric: c_int,
) -> u64 {
    guard(|| {
        let context = get(&context)?;
        let metric = usize::try_from(metric).ok().and_then(|number| METRICS.get(number));
        Ok(metric.map_or(0, |metric| context.counters.get(*metric)))
    })
}

/// Gives the look at the counters back; the counters stay the thread's.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_perfcontext_destroy(context: *mut rocksdb_perfcontext_t) {
    guard(|| {
        take(context);
        Ok(())
    })
}

/// The metrics by their numbers in C, which are not those of the perf context itself.
const METRICS: [Metric; 84] = [
    Metric::UserKeyComparisonCount,
    Metric::BlockCacheHitCount,
    Metric::BlockReadCount,
    Metric::BlockReadByte,
    Metric::BlockReadTime,
    Metric::BlockChecksumTime,
    Metric::BlockDecompressTime,
    Metric::GetReadBytes,
    Metric::MultigetReadBytes,
    Metric::IterReadBytes,
    Metric::InternalKeySkippedCount,
    Metric::InternalDeleteSkippedCount,
    Metric::InternalRecentSkippedCount,
    Metric::InternalMergeCount,
    Metric::GetSnapshotTime,
    Metric::GetFromMemtableTime,
    Metric::GetFromMemtableCount,
    Metric::GetPostProcessTime,
    Metric::GetFromOutputFilesTime,
    Metric::SeekOnMemtableTime,
    Metric::SeekOnMemtableCount,
    Metric::NextOnMemtableCount,
    Metric::PrevOnMemtableCount,
    Metric::SeekChildSeekTime,
    Metric::SeekChildSeekCount,
    Metric::SeekMinHeapTime,
    Metric::SeekMaxHeapTime,
    Metric::SeekInternalSeekTime,
    Metric::FindNextUserEntryTime,
    Metric::WriteWalTime,
    Metric::WriteMemtableTime,
    Metric::WriteDelayTime,
    Metric::WritePreAndPostProcessTime,
    Metric::DbMutexLockNanos,
    Metric::DbConditionWaitNanos,
    Metric::MergeOperatorTimeNanos,
    Metric::ReadIndexBlockNanos,
    Metric::ReadFilterBlockNanos,
    Metric::NewTableBlockIterNanos,
    Metric::NewTableIteratorNanos,
    Metric::BlockSeekNanos,
    Metric::FindTableNanos,
    Metric::BloomMemtableHitCount,
    Metric::BloomMemtableMissCount,
    Metric::BloomSstHitCount,
    Metric::BloomSstMissCount,
    Metric::KeyLockWaitTime,
    Metric::KeyLockWaitCount,
    Metric::EnvNewSequentialFileNanos,
    Metric::EnvNewRandomAccessFileNanos,
    Metric::EnvNewWritableFileNanos,
    Metric::EnvReuseWritableFileNanos,
    Metric::EnvNewRandomRwFileNanos,
    Metric::EnvNewDirectoryNanos,
    Metric::EnvFileExistsNanos,
    Metric::EnvGetChildrenNanos,
    Metric::EnvGetChildrenFileAttributesNanos,
    Metric::EnvDeleteFileNanos,
    Metric::EnvCreateDirNanos,
    Metric::EnvCreateDirIfMissingNanos,
    Metric::EnvDeleteDirNanos,
    Metric::EnvGetFileSizeNanos,
    Metric::EnvGetFileModificationTimeNanos,
    Metric::EnvRenameFileNanos,
    Metric::EnvLinkFileNanos,
    Metric::EnvLockFileNanos,
    Metric::EnvUnlockFileNanos,
    Metric::EnvNewLoggerNanos,
    Metric::NumberAsyncSeek,
    Metric::BlobCacheHitCount,
    Metric::BlobReadCount,
    Metric::BlobReadByte,
    Metric::BlobReadTime,
    Metric::BlobChecksumTime,
    Metric::BlobDecompressTime,
    Metric::InternalRangeDelReseekCount,
    Metric::BlockReadCpuTime,
    Metric::InternalMergePointLookupCount,
    Metric::DataBlockReadByte,
    Metric::IndexBlockReadByte,
    Metric::FilterBlockReadByte,
    Metric::CompressionDictBlockReadByte,
    Metric::MetadataBlockReadByte,
    Metric::BlobCacheReadByte,
];
