//! What readers of tables count for statistics and the perf context.

use super::fetch::{BlockType, ReadCounts};
use super::key_set::KeySet;
use crate::base::clock::micros_since;
use crate::env::posix_clock::PerfCpuTimer;
use crate::stats::activity::Activity;
use crate::stats::{
    Histogram, Metric, PerfTimer, Stats, StatsLevel, Ticker, Timer, count, perf, record,
};
use std::time::Instant;

/// The tickers of one kind of block in the cache.
struct CacheTickers {
    hit: Ticker,
    miss: Ticker,
    add: Ticker,
    bytes: Ticker,
    redundant: Ticker,
}

fn cache_tickers(kind: BlockType) -> CacheTickers {
    match kind {
        BlockType::Index => CacheTickers {
            hit: Ticker::BlockCacheIndexHit,
            miss: Ticker::BlockCacheIndexMiss,
            add: Ticker::BlockCacheIndexAdd,
            bytes: Ticker::BlockCacheIndexBytesInsert,
            redundant: Ticker::BlockCacheIndexAddRedundant,
        },
        BlockType::Filter | BlockType::FilterPartitionIndex => CacheTickers {
            hit: Ticker::BlockCacheFilterHit,
            miss: Ticker::BlockCacheFilterMiss,
            add: Ticker::BlockCacheFilterAdd,
            bytes: Ticker::BlockCacheFilterBytesInsert,
            redundant: Ticker::BlockCacheFilterAddRedundant,
        },
        _ => CacheTickers {
            hit: Ticker::BlockCacheDataHit,
            miss: Ticker::BlockCacheDataMiss,
            add: Ticker::BlockCacheDataAdd,
            bytes: Ticker::BlockCacheDataBytesInsert,
            redundant: Ticker::BlockCacheDataAddRedundant,
        },
    }
}

/// The cache was asked for a block, and had one of so many bytes, or not.
#[cold]
pub(super) fn looked_up(stats: &Stats, kind: BlockType, found: Option<usize>) {
    let tickers = cache_tickers(kind);
    let Some(bytes) = found else {
        count(stats, Ticker::BlockCacheMiss, 1);
        count(stats, tickers.miss, 1);
        return;
    };
    let bytes = bytes as u64;
    count(stats, Ticker::BlockCacheHit, 1);
    count(stats, tickers.hit, 1);
    count(stats, Ticker::BlockCacheBytesRead, bytes);
    perf::add(Metric::BlockCacheHitCount, 1);
    perf::add(Metric::BlockCacheReadByte, bytes);
    match kind {
        BlockType::Index => {
            perf::add(Metric::BlockCacheIndexHitCount, 1);
            perf::add(Metric::BlockCacheIndexReadByte, bytes);
        }
        BlockType::Filter | BlockType::FilterPartitionIndex => {
            perf::add(Metric::BlockCacheFilterHitCount, 1);
            perf::add(Metric::BlockCacheFilterReadByte, bytes);
        }
        _ => {}
    }
}

/// A block of so many bytes was given to the cache. It failed, or took the block, perhaps in place
/// of one that another thread had read meanwhile.
pub(super) fn inserted(stats: &Stats, kind: BlockType, bytes: usize, has_replaced: Option<bool>) {
    let Some(has_replaced) = has_replaced else {
        return count(stats, Ticker::BlockCacheAddFailures, 1);
    };
    let tickers = cache_tickers(kind);
    count(stats, Ticker::BlockCacheAdd, 1);
    count(stats, tickers.add, 1);
    count(stats, Ticker::BlockCacheBytesWrite, bytes as u64);
    count(stats, tickers.bytes, bytes as u64);
    if has_replaced {
        count(stats, Ticker::BlockCacheAddRedundant, 1);
        count(stats, tickers.redundant, 1);
    }
}

/// Which keys a filter was asked for.
#[derive(Clone, Copy)]
pub(super) enum Asked {
    /// The key itself.
    Key,
    /// Its prefix.
    Prefix,
}

/// A filter was asked whether a table may hold a key.
pub(super) fn filtered(stats: &Stats, asked: Asked, may_match: bool) {
    match (asked, may_match) {
        (Asked::Key, true) => count(stats, Ticker::BloomFilterFullPositive, 1),
        (Asked::Key, false) => count(stats, Ticker::BloomFilterUseful, 1),
        (Asked::Prefix, _) => {
            count(stats, Ticker::BloomFilterPrefixChecked, 1);
            count(stats, Ticker::BloomFilterPrefixUseful, u64::from(!may_match));
        }
    }
    let metric = if may_match { Metric::BloomSstHitCount } else { Metric::BloomSstMissCount };
    perf::add(metric, 1);
}

/// A filter was asked for keys of a batch. It had to answer for `answered` of them, and let `passed` of these pass.
#[cold]
pub(super) fn filtered_batch(
    stats: &Stats,
    asked: Asked,
    keys: KeySet,
    (answered, passed): (KeySet, KeySet),
) {
    let useful = (answered.len() - passed.len()) as u64;
    match asked {
        Asked::Key => {
            count(stats, Ticker::BloomFilterFullPositive, passed.len() as u64);
            count(stats, Ticker::BloomFilterUseful, useful);
        }
        Asked::Prefix => {
            // Of a batch, keys without a prefix count as well.
            count(stats, Ticker::BloomFilterPrefixChecked, keys.len() as u64);
            count(stats, Ticker::BloomFilterPrefixUseful, useful);
        }
    }
    perf::add(Metric::BloomSstHitCount, passed.len() as u64);
    perf::add(Metric::BloomSstMissCount, useful);
}

/// A table was asked for keys of a batch, so many without an error. It holds `found` of those that
/// its filter let pass.
#[cold]
pub(super) fn looked_up_batch(stats: &Stats, keys: usize, asked: Option<Asked>, found: usize) {
    record(stats, Histogram::SstBatchSize, keys as u64);
    match asked {
        Some(Asked::Key) => count(stats, Ticker::BloomFilterFullTruePositive, found as u64),
        Some(Asked::Prefix) => count(stats, Ticker::BloomFilterPrefixTruePositive, found as u64),
        None => {}
    }
}

/// A filter let a key pass, and the table holds it.
pub(super) fn found_behind_filter(stats: &Stats, asked: Asked) {
    let ticker = match asked {
        Asked::Key => Ticker::BloomFilterFullTruePositive,
        Asked::Prefix => Ticker::BloomFilterPrefixTruePositive,
    };
    count(stats, ticker, 1);
}

/// A read of a table file that is watched.
pub(super) struct Read<'a> {
    counts: &'a ReadCounts,
    start: Option<Instant>,
    _cpu: PerfCpuTimer,
}

impl<'a> Read<'a> {
    /// A read begins.
    #[cold]
    pub(super) fn begin(counts: &'a ReadCounts) -> Read<'a> {
        let stats = counts.stats.as_ref();
        let timed = perf::collects(perf::PerfLevel::EnableTimeExceptForMutex)
            || stats.is_some_and(|s| s.collects(StatsLevel::ExceptDetailedTimers));
        let _cpu = PerfCpuTimer::start(Metric::BlockReadCpuTime);
        Read { counts, start: timed.then(Instant::now), _cpu }
    }

    /// It ended, having read so many bytes.
    #[cold]
    pub(super) fn end(self, bytes: usize) {
        let (calls, sum) = match self.counts.last_level {
            true => (Ticker::LastLevelReadCount, Ticker::LastLevelReadBytes),
            false => (Ticker::NonLastLevelReadCount, Ticker::NonLastLevelReadBytes),
        };
        count(&self.counts.stats, calls, 1);
        count(&self.counts.stats, sum, bytes as u64);
        let Some(start) = self.start else { return };
        perf::add_time(Metric::BlockReadTime, start);
        let Some(stats) = &self.counts.stats else { return };
        let micros = micros_since(start);
        stats.record_time(Histogram::SstReadMicros, micros);
        if let Some(level) = &self.counts.micros {
            level.add(micros);
        }
        if let Some((histogram, level)) = reads_for(Activity::current())
            && stats.collects(level)
        {
            stats.record_time(histogram, micros);
        }
    }
}

/// The histogram of reads for an activity, and the level from which on it is fed.
fn reads_for(activity: Activity) -> Option<(Histogram, StatsLevel)> {
    let plain = StatsLevel::ExceptDetailedTimers;
    let detailed = StatsLevel::ExceptTimeForMutex;
    match activity {
        Activity::Other => None,
        Activity::Flush => Some((Histogram::FileReadFlushMicros, plain)),
        Activity::Compaction => Some((Histogram::FileReadCompactionMicros, plain)),
        Activity::Open => Some((Histogram::FileReadDbOpenMicros, plain)),
        Activity::VerifyChecksum => Some((Histogram::FileReadVerifyDbChecksumMicros, detailed)),
        Activity::Get => Some((Histogram::FileReadGetMicros, detailed)),
        Activity::MultiGet => Some((Histogram::FileReadMultigetMicros, detailed)),
        Activity::Iterator => Some((Histogram::FileReadDbIteratorMicros, detailed)),
    }
}

/// A block of so many bytes, with its trailer, came from the file.
#[cold]
pub(super) fn fetched(kind: BlockType, bytes: usize) {
    let bytes = bytes as u64;
    perf::add(Metric::BlockReadCount, 1);
    perf::add(Metric::BlockReadByte, bytes);
    let by_kind = match kind {
        BlockType::Data => Metric::DataBlockReadByte,
        BlockType::Filter | BlockType::FilterPartitionIndex => Metric::FilterBlockReadByte,
        BlockType::CompressionDictionary => Metric::CompressionDictBlockReadByte,
        BlockType::Index => Metric::IndexBlockReadByte,
        _ => Metric::MetadataBlockReadByte,
    };
    perf::add(by_kind, bytes);
    match kind {
        BlockType::Index => perf::add(Metric::IndexBlockReadCount, 1),
        BlockType::Filter => perf::add(Metric::FilterBlockReadCount, 1),
        BlockType::CompressionDictionary => perf::add(Metric::CompressionDictBlockReadCount, 1),
        _ => {}
    }
}

/// A block's checksum was computed.
#[cold]
pub(super) fn verified(stats: &Stats, matches: bool) {
    count(stats, Ticker::BlockChecksumComputeCount, 1);
    count(stats, Ticker::BlockChecksumMismatchCount, u64::from(!matches));
}

/// A block is being unpacked.
pub(super) struct Unpacking<'a> {
    stats: &'a Stats,
    start: Option<Instant>,
}

impl<'a> Unpacking<'a> {
    #[cold]
    pub(super) fn begin(stats: &'a Stats) -> Unpacking<'a> {
        let timed = perf::collects(perf::PerfLevel::EnableTimeExceptForMutex)
            || stats.as_ref().is_some_and(|s| s.collects(StatsLevel::ExceptTimeForMutex));
        Unpacking { stats, start: timed.then(Instant::now) }
    }

    /// It was, from so many bytes to so many.
    #[cold]
    pub(super) fn end(self, from: usize, to: usize) {
        let stats = self.stats;
        count(stats, Ticker::NumberBlockDecompressed, 1);
        count(stats, Ticker::BytesDecompressedFrom, from as u64);
        count(stats, Ticker::BytesDecompressedTo, to as u64);
        perf::add(Metric::BlockDecompressCount, 1);
        let Some(start) = self.start else { return };
        perf::add_time(Metric::BlockDecompressTime, start);
        if let Some(stats) = stats.as_ref().filter(|s| s.collects(StatsLevel::ExceptTimeForMutex)) {
            let nanos = start.elapsed().as_nanos() as u64;
            stats.record_time(Histogram::DecompressionTimesNanos, nanos);
        }
    }
}

/// Measures how long it takes until a block is there that no cache has.
#[cold]
pub(super) fn load(stats: &Stats) -> Timer<'_> {
    let histogram = match Activity::current() {
        Activity::Compaction => Histogram::ReadBlockCompactionMicros,
        _ => Histogram::ReadBlockGetMicros,
    };
    Timer::start(stats, histogram)
}

/// The same for a part of the metadata.
#[cold]
pub(super) fn load_metadata(stats: &Stats, kind: BlockType) -> (Timer<'_>, PerfTimer) {
    let metric = match kind {
        BlockType::Index => Metric::ReadIndexBlockNanos,
        _ => Metric::ReadFilterBlockNanos,
    };
    (load(stats), PerfTimer::start(metric))
}

/// A read-ahead brought so many bytes.
#[cold]
pub(super) fn prefetched(stats: &Stats, bytes: usize) {
    match Activity::current() {
        Activity::Iterator => count(stats, Ticker::PrefetchBytes, bytes as u64),
        Activity::Compaction => record(stats, Histogram::CompactionPrefetchBytes, bytes as u64),
        _ => {}
    }
}

/// A read-ahead was cut where its scan ends.
#[cold]
pub(super) fn trimmed(stats: &Stats) {
    count(stats, Ticker::ReadaheadTrimmed, 1);
}

/// A block of so many bytes had been brought by a read-ahead.
#[cold]
pub(super) fn found_prefetched(stats: &Stats, bytes: usize) {
    if Activity::current() == Activity::Iterator {
        count(stats, Ticker::PrefetchHits, 1);
        count(stats, Ticker::PrefetchBytesUseful, bytes as u64);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::sync::Arc;
    use crate::stats::{PerfContext, PerfLevel, Statistics};

    #[test]
    fn blocks_that_were_there_already_are_counted_beside_the_others() {
        let statistics = Arc::new(Statistics::default());
        let stats = Some(statistics.clone());
        let kinds = [
            (BlockType::Data, Ticker::BlockCacheDataAddRedundant),
            (BlockType::Index, Ticker::BlockCacheIndexAddRedundant),
            (BlockType::Filter, Ticker::BlockCacheFilterAddRedundant),
        ];
        for (at, (kind, redundant)) in (1..).zip(kinds) {
            inserted(&stats, kind, 10, Some(false));
            inserted(&stats, kind, 10, Some(true));
            inserted(&stats, kind, 10, None);
            assert_eq!(statistics.ticker(redundant), 1, "{kind:?}");
            assert_eq!(statistics.ticker(Ticker::BlockCacheAddRedundant), at);
            assert_eq!(statistics.ticker(Ticker::BlockCacheAdd), 2 * at);
            assert_eq!(statistics.ticker(Ticker::BlockCacheAddFailures), at);
        }
    }

    #[test]
    fn blocks_are_told_apart_by_what_they_are_for() {
        let context = PerfContext::of_this_thread();
        perf::set_level(PerfLevel::EnableCount);
        let kinds = [
            (BlockType::Data, Metric::DataBlockReadByte, None),
            (BlockType::Index, Metric::IndexBlockReadByte, Some(Metric::IndexBlockReadCount)),
            (BlockType::Filter, Metric::FilterBlockReadByte, Some(Metric::FilterBlockReadCount)),
            (
                BlockType::CompressionDictionary,
                Metric::CompressionDictBlockReadByte,
                Some(Metric::CompressionDictBlockReadCount),
            ),
            (BlockType::Properties, Metric::MetadataBlockReadByte, None),
        ];
        for (kind, bytes, counter) in kinds {
            context.reset();
            fetched(kind, 10);
            fetched(kind, 5);
            assert_eq!((context.get(Metric::BlockReadCount), context.get(bytes)), (2, 15));
            assert_eq!(context.get(Metric::BlockReadByte), 15);
            if let Some(counter) = counter {
                assert_eq!(context.get(counter), 2, "{kind:?}");
            }
        }
        perf::set_level(PerfLevel::Disable);
    }
}
