//! [`WalIterator`]: the writes of a database, in order, as its logs and the archive have them.

use super::Db;
use super::wal_files::WalFile;
use super::wal_link::WalLink;
use crate::base::key::SequenceNumber;
use crate::base::status::{Result, Status};
use crate::base::sync::Arc;
use crate::batch::{BatchView, WriteBatch};
use crate::env::names::{archived_log_file_name, log_file_name};
use crate::plug::recovery_mode::WalRecoveryMode;
use crate::wal::{LogReader, LogReaderOptions, StopAtDamage};
use std::collections::VecDeque;

/// Goes through the batches that were logged. At the end it waits for more: a later
/// [`next`](WalIterator::next) finds what was written meanwhile.
///
/// Logs that are obsolete go unless they are archived or
/// [`disable_file_deletions`](Db::disable_file_deletions) is in effect; what comes behind them
/// then cannot be reached.
pub struct WalIterator {
    db: Arc<Db>,
    verify_checksums: bool,
    /// The log being read, and those behind it as far as they are known.
    files: VecDeque<WalFile>,
    /// Of the first of `files`.
    reader: Option<LogReader>,
    batch: Option<WriteBatch>,
    /// The number that the next batch must have; the first one may contain it.
    expected: SequenceNumber,
    started: bool,
    status: Result<()>,
}

impl Db {
    /// The batches from the one on that holds sequence number `from`, or from the first one behind
    /// it that is still there.
    ///
    /// Errors: not found if that is yet to be written; those of files.
    pub fn updates_since(
        self: &Arc<Self>,
        from: SequenceNumber,
        verify_checksums: bool,
    ) -> Result<WalIterator> {
        if from > self.sequences.published() {
            return Err(Status::not_found("Requested sequence not yet written in the db"));
        }
        let mut files: VecDeque<WalFile> = self.sorted_wal_files()?.into();
        let starts_behind = |file: &WalFile| file.start_sequence.is_some_and(|first| first > from);
        while files.get(1).is_some_and(|second| !starts_behind(second)) {
            files.pop_front();
        }
        let mut iter = WalIterator {
            db: self.clone(),
            verify_checksums,
            files,
            reader: None,
            batch: None,
            expected: from,
            started: false,
            status: Ok(()),
        };
        iter.next();
        iter.status.clone().map(|()| iter)
    }
}

impl WalIterator {
    /// The batch where it is, if it is at one.
    pub fn batch(&self) -> Option<&WriteBatch> {
        self.batch.as_ref()
    }

    /// Why it is at none: an error, or that all was seen.
    pub fn status(&self) -> Result<()> {
        self.status.clone()
    }

    /// Goes to the next batch.
    pub fn next(&mut self) {
        self.status = self.advance();
        if self.status.is_err() {
            self.batch = None;
        }
    }

    fn advance(&mut self) -> Result<()> {
        self.batch = self.read()?;
        let Some(batch) = &self.batch else {
            return match self.expected > self.db.sequences.published() {
                true => Ok(()),
                // They were not logged, or their log is gone.
                false => Err(Status::corruption("NO MORE DATA LEFT")),
            };
        };
        if self.started && batch.sequence() != self.expected {
            return Err(Status::corruption(
                "Gap in sequence number. Could not seek to required sequence number",
            ));
        }
        self.started = true;
        self.expected = batch.sequence() + u64::from(batch.count());
        Ok(())
    }

    /// The first batch that reaches to `expected` or beyond, of those that readers may see.
    fn read(&mut self) -> Result<Option<WriteBatch>> {
        loop {
            if self.reader.is_none() && !self.open()? {
                return Ok(None);
            }
            let Some(reader) = &mut self.reader else { return Ok(None) };
            while let Some(record) = reader.read_record(&mut StopAtDamage)? {
                let batch = BatchView::new(record.data)?;
                let count = u64::from(batch.count());
                let end = batch.sequence().saturating_add(count);
                if count == 0 || WalLink::decode(&batch).is_some() || end <= self.expected {
                    continue;
                }
                if end - 1 > self.db.sequences.published() {
                    // It is being written. The next call reads the log again.
                    self.reader = None;
                    return Ok(None);
                }
                let batch = WriteBatch::from_data(record.data);
                batch.check()?;
                return Ok(Some(batch));
            }
            self.reader = None;
            if !self.go_on()? {
                return Ok(None);
            }
        }
    }

    /// From the log that was read to the next one, if there is one by now.
    fn go_on(&mut self) -> Result<bool> {
        if self.files.len() < 2 {
            let known = self.files.front().map_or(0, |file| file.number);
            let newer = self.db.sorted_wal_files()?.into_iter().filter(|f| f.number > known);
            self.files.extend(newer);
        }
        if self.files.len() < 2 {
            // This one may grow.
            return Ok(false);
        }
        self.files.pop_front();
        Ok(true)
    }

    /// Opens the first of the files, wherever it is by now. Returns whether there is one.
    fn open(&mut self) -> Result<bool> {
        if self.files.is_empty() {
            self.files.extend(self.db.sorted_wal_files()?);
        }
        let Some(file) = self.files.front() else { return Ok(false) };
        let (fs, dir) = (self.db.context.fs(), &self.db.context.wal_dir);
        let alive = fs.open_sequential(&log_file_name(dir, file.number));
        let opened = alive.or_else(|error| match error.is_path_not_found() {
            true => fs.open_sequential(&archived_log_file_name(dir, file.number)),
            false => Err(error),
        });
        let options = LogReaderOptions {
            verify_checksums: self.verify_checksums,
            // The end of a log that is being written may be half a record.
            ..LogReaderOptions::for_wal(file.number, WalRecoveryMode::TolerateCorruptedTailRecords)
        };
        self.reader = Some(LogReader::new(opened?, options));
        Ok(true)
    }
}

#[cfg(test)]
mod tests {
    use super::super::db_tests::TestDb;
    use super::*;
    use crate::base::status::Code;
    use crate::codec::CompressionType;
    use crate::env::file_system::{read_file, write_file};
    use crate::options::WriteOptions;

    /// Sequence number and count of each batch up to the end.
    fn all(iter: &mut WalIterator) -> Vec<(u64, u32)> {
        let mut found = Vec::new();
        while let Some(batch) = iter.batch() {
            found.push((batch.sequence(), batch.count()));
            iter.next();
        }
        found
    }

    fn put_two(test: &TestDb) {
        let mut batch = WriteBatch::new();
        batch.put(0, b"a", b"1").unwrap();
        batch.delete(0, b"b").unwrap();
        test.db().write(&WriteOptions::default(), &mut batch).unwrap();
    }

    #[test]
    fn batches_are_found_in_live_and_archived_logs() {
        for codec in [CompressionType::None, CompressionType::Zstd] {
            let mut test = TestDb::new();
            test.db.WAL_ttl_seconds = 1000;
            test.db.wal_compression = codec;
            test.try_open().unwrap();
            let error = test.db().updates_since(1, true).err().unwrap();
            assert_eq!(error.code(), Code::NotFound);
            test.put("a", "1").unwrap();
            put_two(&test);
            test.flush();
            put_two(&test);
            test.reopen();
            test.put("c", "1").unwrap();
            let logged = [(1, 1), (2, 2), (4, 2), (6, 1)];
            let mut iter = test.db().updates_since(0, true).unwrap();
            assert_eq!(all(&mut iter), logged);
            iter.status().unwrap();
            // Within a batch.
            for (from, skipped) in [(1, 0), (2, 1), (3, 1), (4, 2), (5, 2), (6, 3)] {
                let mut iter = test.db().updates_since(from, true).unwrap();
                assert_eq!(all(&mut iter), logged[skipped..], "{from}");
            }
            assert!(test.db().updates_since(7, true).is_err());
            // What is written later comes later, from this log and the next ones.
            put_two(&test);
            iter.next();
            assert_eq!(all(&mut iter), [(7, 2)]);
            test.flush();
            iter.next();
            assert!(iter.batch().is_none() && iter.status().is_ok());
            put_two(&test);
            test.flush();
            test.put("d", "1").unwrap();
            iter.next();
            assert_eq!(all(&mut iter), [(9, 2), (11, 1)]);
            iter.status().unwrap();
        }
    }

    #[test]
    fn writes_that_are_in_no_log_are_missed_aloud() {
        let mut test = TestDb::new();
        test.try_open().unwrap();
        let unlogged = WriteOptions { disable_wal: true, ..WriteOptions::default() };
        let put = |options: &WriteOptions| {
            let fill = |batch: &mut WriteBatch| batch.put(0, b"k", b"v");
            test.db().write_lone(options, fill).unwrap();
        };
        put(&WriteOptions::default());
        put(&unlogged);
        let mut iter = test.db().updates_since(1, true).unwrap();
        assert_eq!(all(&mut iter), [(1, 1)]);
        assert_eq!(iter.status().unwrap_err().to_string(), "Corruption: NO MORE DATA LEFT");
        put(&WriteOptions::default());
        let mut iter = test.db().updates_since(1, true).unwrap();
        assert_eq!(all(&mut iter), [(1, 1)]);
        assert!(iter.status().unwrap_err().to_string().contains("Gap in sequence number"));
        // But one may begin behind the gap.
        let mut iter = test.db().updates_since(2, true).unwrap();
        assert_eq!(all(&mut iter), [(3, 1)]);
    }

    #[test]
    fn damage_is_an_error_if_checksums_are_verified() {
        let mut test = TestDb::new();
        test.try_open().unwrap();
        test.put("key", "value").unwrap();
        test.put("key", "other").unwrap();
        let fs = test.db.env.fs().clone();
        let path = log_file_name(&test.path, test.db().current_wal_file().unwrap().number);
        let mut bytes = read_file(&*fs, &path, 1 << 20).unwrap();
        // In the value of the second record.
        let at = bytes.windows(5).position(|window| window == b"other").unwrap();
        bytes[at] = b'O';
        write_file(&*fs, &path, &bytes, false).unwrap();
        let mut iter = test.db().updates_since(1, true).unwrap();
        assert_eq!(all(&mut iter), [(1, 1)]);
        assert_eq!(iter.status().unwrap_err().to_string(), "Corruption: checksum mismatch");
        let mut iter = test.db().updates_since(1, false).unwrap();
        iter.next();
        assert!(iter.batch().unwrap().data().ends_with(b"Other"));
        assert_eq!(all(&mut iter), [(2, 1)]);
        iter.status().unwrap();
    }
}
