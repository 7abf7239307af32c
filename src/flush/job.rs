//! [`FlushJob`]: writes memtables as one table of level 0.

use crate::base::clock::unix_seconds;
use crate::base::comparator::{Bytewise, Comparator, Order};
use crate::base::iterator::InternalIterator;
use crate::base::key::{ParsedKey, SequenceNumber};
use crate::base::status::{Result, Status};
use crate::base::sync::Arc;
use crate::env::file_system::FileSystem;
use crate::env::names::table_file_name;
use crate::log_at;
use crate::memtable::MemTable;
use crate::options::{CfOptions, DbOptions};
use crate::plug::logger::Logger;
use crate::read::merging::MergingIter;
use crate::rewrite::retention::Retention;
use crate::rewrite::table_options::builder_options;
use crate::table::builder::{TableBuilder, TableBuilderOptions, TableSummary};
use crate::version::file_meta::FileMeta;
use std::path::Path;

/// What a flush works on and with.
pub struct FlushJob<'a> {
    /// Where the table goes.
    pub fs: &'a dyn FileSystem,
    /// The database's folder.
    pub dir: &'a Path,
    /// The database's options.
    pub db_options: &'a DbOptions,
    /// The column family's options.
    pub cf_options: &'a CfOptions,
    /// The order of its keys.
    pub comparator: &'a Comparator,
    /// Its id.
    pub family_id: u32,
    /// Its name.
    pub family_name: Vec<u8>,
    /// The database's identity.
    pub db_id: &'a str,
    /// This opening's identity.
    pub session_id: &'a str,
    /// The number of the table.
    pub file_number: u64,
    /// Where to tell about it.
    pub logger: &'a dyn Logger,
}

/// A finished flush.
pub struct FlushOutput {
    /// The table, durable, but in no version yet.
    pub file: FileMeta,
    /// Records that no reader could see any more and that were left out.
    pub dropped: u64,
}

impl FlushJob<'_> {
    /// Writes what readers at `snapshots` (ascending) and later ones may see of `tables`. The
    /// table is durable when this returns; `None` if there was nothing to write.
    pub fn run(
        &self,
        tables: &[Arc<MemTable>],
        snapshots: &[SequenceNumber],
    ) -> Result<Option<FlushOutput>> {
        if tables.iter().all(|table| table.is_empty()) {
            return Ok(None);
        }
        let start = std::time::Instant::now();
        let path = table_file_name(self.dir, self.file_number);
        let written = match self.comparator.is_bytewise() {
            true => self.write(Bytewise, &path, tables, snapshots),
            false => self.write(self.comparator.clone(), &path, tables, snapshots),
        };
        let output = match written {
            Ok(output) => output,
            Err(error) => {
                let _ = self.fs.remove_file(&path);
                log_at!(self.logger, Error, "Flush of table #{}: {error}", self.file_number);
                return Err(error);
            }
        };
        log_at!(
            self.logger,
            Info,
            "[{}] Flushed {} memtables to table #{}: {} bytes, {} records dropped, {} us",
            String::from_utf8_lossy(&self.family_name),
            tables.len(),
            self.file_number,
            output.file.file_size,
            output.dropped,
            start.elapsed().as_micros()
        );
        Ok(Some(output))
    }

    fn write<O: Order>(
        &self,
        order: O,
        path: &Path,
        tables: &[Arc<MemTable>],
        snapshots: &[SequenceNumber],
    ) -> Result<FlushOutput> {
        let mut records =
            MergingIter::new(order.clone(), tables.iter().map(|table| table.iter()).collect());
        let mut retention = Retention::new(snapshots);
        let mut builder = TableBuilder::new(self.builder_options()?, self.fs.create(path)?)?;
        let mut file = FileMeta { number: self.file_number, ..FileMeta::default() };
        let (mut read, mut dropped) = (0u64, 0u64);
        records.seek_to_first();
        while records.valid() {
            let record = ParsedKey::parse(records.key())?;
            if retention.keep(&order, &record) {
                builder.add(records.key(), records.value())?;
                file.extend(records.key(), record.sequence);
            } else {
                dropped += 1;
            }
            read += 1;
            records.next();
        }
        records.status()?;
        self.check_count(tables, read)?;
        let summary = builder.finish()?;
        self.fs.open_dir(self.dir)?.sync()?;
        self.describe(&mut file, &summary);
        Ok(FlushOutput { file, dropped })
    }

    /// The memtables take no more records, so every record that was counted must have come by.
    fn check_count(&self, tables: &[Arc<MemTable>], read: u64) -> Result<()> {
        let expected: u64 = tables.iter().map(|table| table.num_entries()).sum();
        if read == expected || !self.db_options.flush_verify_memtable_count {
            return Ok(());
        }
        Err(Status::corruption(format!(
            "Number of keys in memtables ({expected}) does not match number of keys flushed ({read})"
        )))
    }

    fn builder_options(&self) -> Result<TableBuilderOptions> {
        let factory = &self.cf_options.table_factory;
        let Some(table) = factory.block_based() else {
            return Err(Status::not_supported(format!(
                "Writing tables of format {}",
                factory.name()
            )));
        };
        let now = unix_seconds();
        Ok(TableBuilderOptions {
            column_family_id: self.family_id.into(),
            column_family_name: String::from_utf8_lossy(&self.family_name).into_owned(),
            db_id: self.db_id.to_string(),
            db_session_id: self.session_id.to_string(),
            file_number: self.file_number,
            creation_time: now,
            file_creation_time: now,
            ..builder_options(self.db_options, self.cf_options, table, 0)
        })
    }

    fn describe(&self, file: &mut FileMeta, summary: &TableSummary) {
        file.file_size = summary.file_size;
        file.tail_size = summary.tail_size;
        file.unique_id = summary.unique_id;
        file.oldest_ancester_time = summary.properties.creation_time;
        file.file_creation_time = summary.properties.file_creation_time;
    }
}
