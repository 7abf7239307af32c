//! [`FlushJob`]: writes memtables as one table of level 0.

use crate::base::clock::unix_seconds;
use crate::base::comparator::{Bytewise, Comparator, Order};
use crate::base::iterator::InternalIterator;
use crate::base::key::{SequenceNumber, TRAILER_LEN};
use crate::base::status::{Result, Status};
use crate::base::sync::Arc;
use crate::env::file_system::FileSystem;
use crate::env::rate_limiter::IoPriority;
use crate::log_at;
use crate::memtable::MemTable;
use crate::options::enums::PrepopulateBlockCache;
use crate::plug::logger::Logger;
use crate::rangedel::FragmentsBuilder;
use crate::read::merging::MergingIter;
use crate::rewrite::StreamCounts;
use crate::rewrite::output_table::{FinishedTable, OutputTable};
use crate::rewrite::stream::{RecordStream, StreamOptions};
use crate::rewrite::table_options::{NewTable, TableOwner};
use crate::rewrite::tombstones::Tombstones;
use crate::table::builder::TableBuilderOptions;
use crate::version::file_meta::FileMeta;
use crate::version::table_cache::TableCache;
use std::path::Path;

/// What a flush works on and with.
pub struct FlushJob<'a> {
    /// Where the table goes.
    pub fs: &'a dyn FileSystem,
    /// The database's folder.
    pub dir: &'a Path,
    /// The column family and its database.
    pub owner: TableOwner<'a>,
    /// The order of its keys.
    pub comparator: &'a Comparator,
    /// Opens its tables.
    pub tables: &'a TableCache,
    /// The number of the table.
    pub file_number: u64,
    /// Told how many more bytes were written; may wait, to keep a rate.
    pub throttle: Option<&'a dyn Fn(u64)>,
    /// What the rate limiter is asked as before the table is read back.
    pub reads_as: Option<IoPriority>,
    /// Where to tell about it.
    pub logger: &'a dyn Logger,
}

/// A finished flush.
#[derive(Default)]
pub struct FlushOutput {
    /// The table, durable, but in no version yet. None if nothing was left to write.
    pub file: Option<FileMeta>,
    /// What became of the records.
    pub counts: StreamCounts,
    /// The bytes of all keys and values, range tombstones among them, in the memtables.
    pub bytes_in: u64,
    /// The same in the table.
    pub bytes_out: u64,
}

impl FlushJob<'_> {
    /// Writes what readers at `snapshots` (ascending) and later ones may see of `tables`. The
    /// table is durable when this returns.
    pub fn run(
        &self,
        tables: &[Arc<MemTable>],
        snapshots: &[SequenceNumber],
    ) -> Result<FlushOutput> {
        if tables.iter().all(|table| table.is_empty()) {
            return Ok(FlushOutput::default());
        }
        let start = std::time::Instant::now();
        let written = match self.comparator.is_bytewise() {
            true => self.write(Bytewise, tables, snapshots),
            false => self.write(self.comparator.clone(), tables, snapshots),
        };
        match &written {
            Ok(output) => self.log(tables.len(), output, start.elapsed().as_micros()),
            Err(error) => {
                log_at!(self.logger, Error, "Flush of table #{}: {error}", self.file_number);
            }
        }
        written
    }

    fn log(&self, memtables: usize, output: &FlushOutput, micros: u128) {
        let FlushOutput { file, counts, .. } = output;
        log_at!(
            self.logger,
            Info,
            "[{}] Flushed {memtables} memtables to table #{}: {} bytes, {} of {} records, \
             {micros} us",
            String::from_utf8_lossy(self.owner.family_name),
            self.file_number,
            file.as_ref().map_or(0, |file| file.file_size),
            counts.output_records,
            counts.input_records
        );
        if counts.single_deletions_mismatched > 0 {
            log_at!(
                self.logger,
                Warn,
                "[{}] {} single deletions met something else than one value",
                String::from_utf8_lossy(self.owner.family_name),
                counts.single_deletions_mismatched
            );
        }
    }

    fn write<O: Order>(
        &self,
        order: O,
        tables: &[Arc<MemTable>],
        snapshots: &[SequenceNumber],
    ) -> Result<FlushOutput> {
        let mut input =
            MergingIter::new(order.clone(), tables.iter().map(|table| table.iter()).collect());
        input.seek_to_first();
        let anything_below = |_: &[u8]| true;
        let (tombstones, tombstone_bytes) = self.tombstones(tables, snapshots)?;
        let options = StreamOptions {
            tombstones: tombstones.as_ref().map(|all| all.coverage(order.clone())),
            ..self.stream_options(snapshots)
        };
        let mut records = RecordStream::new(order, input, anything_below, options);
        let mut output = OutputTable::create(
            self.fs,
            self.dir,
            self.builder_options()?,
            self.owner.cf_options.paranoid_file_checks,
        )?
        .throttled_by(self.throttle);
        output.file_mut().temperature = self.owner.temperature(false);
        while let Some(record) = records.next()? {
            output.add(&record)?;
        }
        if let Some(all) = &tombstones {
            for piece in all.within(None, None) {
                for &sequence in piece.sequences {
                    output.add_tombstone(piece.start, piece.end, sequence)?;
                }
            }
        }
        let counts = *records.counts();
        self.check_count(tables, counts.input_records)?;
        let Some(finished) = output.finish()? else {
            return Ok(FlushOutput { counts, ..FlushOutput::default() });
        };
        finished.check(self.tables, self.reads_as)?;
        self.warm_cache(&finished);
        self.fs.open_dir(self.dir)?.sync()?;
        let properties = &finished.properties;
        let bytes_out = properties.raw_key_size + properties.raw_value_size;
        let bytes_in = counts.input_key_bytes + counts.input_value_bytes + tombstone_bytes;
        Ok(FlushOutput { file: Some(finished.keep()), counts, bytes_in, bytes_out })
    }

    /// Puts the table's blocks into the cache, if that is wanted. It is no error if the cache takes
    /// no more.
    fn warm_cache(&self, table: &FinishedTable<'_>) {
        let options = self.owner.cf_options.table_factory.block_based();
        let wanted = options.map(|options| options.prepopulate_block_cache);
        if wanted == Some(PrepopulateBlockCache::FlushOnly)
            && let Err(error) = self.tables.get(&table.file).and_then(|table| table.warm_cache())
        {
            let number = self.file_number;
            log_at!(self.logger, Warn, "Blocks of table #{number} are not in the cache: {error}");
        }
    }

    /// The range tombstones of all memtables, and their bytes there.
    fn tombstones(
        &self,
        tables: &[Arc<MemTable>],
        snapshots: &[SequenceNumber],
    ) -> Result<(Option<Tombstones>, u64)> {
        let mut builder = FragmentsBuilder::new();
        for table in tables {
            table.add_tombstones_to(&mut builder);
        }
        let bytes = builder.payload_bytes() + builder.num_tombstones() * TRAILER_LEN;
        Ok((Tombstones::new(builder, self.comparator, snapshots)?, bytes as u64))
    }

    fn stream_options<'s>(&'s self, snapshots: &'s [SequenceNumber]) -> StreamOptions<'s> {
        StreamOptions {
            snapshots,
            enforce_single_del_contracts: self.owner.db_options.enforce_single_del_contracts,
            merge_operator: self.owner.cf_options.merge_operator.as_deref(),
            timestamp_size: self.comparator.timestamp_size(),
            ..StreamOptions::default()
        }
    }

    /// The memtables take no more records, so every record that was counted must have come by.
    fn check_count(&self, tables: &[Arc<MemTable>], read: u64) -> Result<()> {
        let expected: u64 =
            tables.iter().map(|table| table.num_entries() - table.num_range_deletes()).sum();
        if read == expected || !self.owner.db_options.flush_verify_memtable_count {
            return Ok(());
        }
        Err(Status::corruption(format!(
            "Number of keys in memtables ({expected}) does not match number of keys flushed ({read})"
        )))
    }

    fn builder_options(&self) -> Result<TableBuilderOptions> {
        let now = unix_seconds();
        self.owner.builder_options(&NewTable {
            file_number: self.file_number,
            oldest_ancester_time: now,
            newest_key_time: now,
            now,
            level: -1,
            ..NewTable::default()
        })
    }
}
