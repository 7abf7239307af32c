//! The histograms: every distribution of RocksDB 11.8 under its number and its name.
//!
//! `STATISTICS.md` says which of them the engine feeds.

use crate::stats::kind::define_kinds;

define_kinds! {
    /// A distribution of values: times, sizes, counts.
    Histogram
      0 DbGet "rocksdb.db.get.micros";
      1 DbWrite "rocksdb.db.write.micros";
      2 CompactionTime "rocksdb.compaction.times.micros";
      3 CompactionCpuTime "rocksdb.compaction.times.cpu_micros";
      4 SubcompactionSetupTime "rocksdb.subcompaction.setup.times.micros";
      5 TableSyncMicros "rocksdb.table.sync.micros";
      6 CompactionOutfileSyncMicros "rocksdb.compaction.outfile.sync.micros";
      7 WalFileSyncMicros "rocksdb.wal.file.sync.micros";
      8 ManifestFileSyncMicros "rocksdb.manifest.file.sync.micros";
      9 TableOpenIoMicros "rocksdb.table.open.io.micros";
     10 DbMultiget "rocksdb.db.multiget.micros";
     11 ReadBlockCompactionMicros "rocksdb.read.block.compaction.micros";
     12 ReadBlockGetMicros "rocksdb.read.block.get.micros";
     13 WriteRawBlockMicros "rocksdb.write.raw.block.micros";
     14 NumFilesInSingleCompaction "rocksdb.numfiles.in.singlecompaction";
     15 DbSeek "rocksdb.db.seek.micros";
     16 WriteStall "rocksdb.db.write.stall";
     17 SstReadMicros "rocksdb.sst.read.micros";
     18 FileReadFlushMicros "rocksdb.file.read.flush.micros";
     19 FileReadCompactionMicros "rocksdb.file.read.compaction.micros";
     20 FileReadDbOpenMicros "rocksdb.file.read.db.open.micros";
     21 FileReadGetMicros "rocksdb.file.read.get.micros";
     22 FileReadMultigetMicros "rocksdb.file.read.multiget.micros";
     23 FileReadDbIteratorMicros "rocksdb.file.read.db.iterator.micros";
     24 FileReadVerifyDbChecksumMicros "rocksdb.file.read.verify.db.checksum.micros";
     25 FileReadVerifyFileChecksumsMicros "rocksdb.file.read.verify.file.checksums.micros";
     26 SstWriteMicros "rocksdb.sst.write.micros";
     27 FileWriteFlushMicros "rocksdb.file.write.flush.micros";
     28 FileWriteCompactionMicros "rocksdb.file.write.compaction.micros";
     29 FileWriteDbOpenMicros "rocksdb.file.write.db.open.micros";
     30 NumSubcompactionsScheduled "rocksdb.num.subcompactions.scheduled";
     31 BytesPerRead "rocksdb.bytes.per.read";
     32 BytesPerWrite "rocksdb.bytes.per.write";
     33 BytesPerMultiget "rocksdb.bytes.per.multiget";
     34 CompressionTimesNanos "rocksdb.compression.times.nanos";
     35 DecompressionTimesNanos "rocksdb.decompression.times.nanos";
     36 ReadNumMergeOperands "rocksdb.read.num.merge_operands";
     37 BlobDbKeySize "rocksdb.blobdb.key.size";
     38 BlobDbValueSize "rocksdb.blobdb.value.size";
     39 BlobDbWriteMicros "rocksdb.blobdb.write.micros";
     40 BlobDbGetMicros "rocksdb.blobdb.get.micros";
     41 BlobDbMultigetMicros "rocksdb.blobdb.multiget.micros";
     42 BlobDbSeekMicros "rocksdb.blobdb.seek.micros";
     43 BlobDbNextMicros "rocksdb.blobdb.next.micros";
     44 BlobDbPrevMicros "rocksdb.blobdb.prev.micros";
     45 BlobDbBlobFileWriteMicros "rocksdb.blobdb.blob.file.write.micros";
     46 BlobDbBlobFileReadMicros "rocksdb.blobdb.blob.file.read.micros";
     47 BlobDbBlobFileSyncMicros "rocksdb.blobdb.blob.file.sync.micros";
     48 BlobDbCompressionMicros "rocksdb.blobdb.compression.micros";
     49 BlobDbDecompressionMicros "rocksdb.blobdb.decompression.micros";
     50 FlushTime "rocksdb.db.flush.micros";
     51 SstBatchSize "rocksdb.sst.batch.size";
     52 MultigetIoBatchSize "rocksdb.multiget.io.batch.size";
     53 NumIndexAndFilterBlocksReadPerLevel "rocksdb.num.index.and.filter.blocks.read.per.level";
     54 NumSstReadPerLevel "rocksdb.num.sst.read.per.level";
     55 NumLevelReadPerMultiget "rocksdb.num.level.read.per.multiget";
     56 ErrorHandlerAutoresumeRetryCount "rocksdb.error.handler.autoresume.retry.count";
     57 AsyncReadBytes "rocksdb.async.read.bytes";
     58 PollWaitMicros "rocksdb.poll.wait.micros";
     59 CompactionPrefetchBytes "rocksdb.compaction.prefetch.bytes";
     60 PrefetchedBytesDiscarded "rocksdb.prefetched.bytes.discarded";
     61 AsyncPrefetchAbortMicros "rocksdb.async.prefetch.abort.micros";
     62 TableOpenPrefetchTailReadBytes "rocksdb.table.open.prefetch.tail.read.bytes";
     63 NumOpPerTransaction "rocksdb.num.op.per.transaction";
     64 MultiscanPrepareIterators "rocksdb.multiscan.op.prepare.iterators.micros";
     65 MultiscanPrepareMicros "rocksdb.multiscan.prepare.micros";
     66 MultiscanBlocksPerPrepare "rocksdb.multiscan.blocks.per.prepare";
     67 IoDispatcherAsyncReadObservedCompletionMicros "rocksdb.iodispatcher.async.read.observed.completion.micros";
     68 IoDispatcherAsyncReadPollWaitMicros "rocksdb.iodispatcher.async.read.poll.wait.micros";
     69 IoDispatcherAsyncReadPrefetchLeadMicros "rocksdb.iodispatcher.async.read.prefetch.lead.micros";
     70 BlockKeyDistributionCv "rocksdb.block.key.distribution.cv";
     71 IngestExternalFilePrepareTime "rocksdb.ingest.external.file.prepare.micros";
     72 IngestExternalFileRunTime "rocksdb.ingest.external.file.run.micros";
     73 RateLimiterWaitMicrosRead "rocksdb.rate.limiter.wait.micros.read";
     74 RateLimiterWaitMicrosWrite "rocksdb.rate.limiter.wait.micros.write";
     75 FlushMemtableMemoryBytes "rocksdb.flush.memtable.memory.bytes";
     76 FlushMemtableTotalDataSize "rocksdb.flush.memtable.total.data.size.bytes";
     77 FlushWriteBufferFullMemtableMemoryBytes "rocksdb.flush.write_buffer_full.memtable.memory.bytes";
     78 FlushWriteBufferManagerMemtableMemoryBytes "rocksdb.flush.write_buffer_manager.memtable.memory.bytes";
     79 OpenAndCompactDbOpenMicros "rocksdb.open.and.compact.db.open.micros";
}
