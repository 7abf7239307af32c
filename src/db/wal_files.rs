//! The write-ahead logs as files, for those who copy or follow them.

use super::Db;
use super::wal_link::WalLink;
use super::wals::LogExtent;
use crate::base::key::SequenceNumber;
use crate::base::status::{Result, Status, SubCode};
use crate::batch::BatchView;
use crate::env::names::{
    FileType, archive_dir, archived_log_file_name, log_file_name, parse_file_name,
};
use crate::wal::{LogReader, LogReaderOptions, StopAtDamage};
use std::path::{Path, PathBuf};

/// A write-ahead log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WalFile {
    /// Its number; a log of a higher one is newer.
    pub number: u64,
    /// Whether it is obsolete and in the archive, where RocksDB puts logs if options say so.
    pub is_archived: bool,
    /// The sequence number of the first write in it, if that was looked for.
    pub start_sequence: Option<SequenceNumber>,
    /// Bytes that the file has. Writes that are held back in memory are not among them.
    pub size: u64,
}

impl WalFile {
    /// Where it is in the folder of the logs.
    pub fn path(&self) -> PathBuf {
        match self.is_archived {
            true => archived_log_file_name(Path::new(""), self.number),
            false => log_file_name(Path::new(""), self.number),
        }
    }
}

impl Db {
    /// The logs that hold writes, oldest first. Files go as always, unless
    /// [`hold_files`](Db::hold_files) or the like is in effect.
    ///
    /// Errors: a log that cannot be read up to its first write.
    pub fn sorted_wal_files(&self) -> Result<Vec<WalFile>> {
        let _held = self.hold_files();
        let alive = match &self.wals {
            Some(wals) => wals.extents(),
            None => self.logs_in_folder(&self.context.wal_dir)?,
        };
        let archived = self.logs_in_folder(&archive_dir(&self.context.wal_dir))?;
        let mut files = Vec::new();
        self.add_logs_with_writes(&mut files, archived, true)?;
        let newest_archived = files.last().map_or(0, |file| file.number);
        let alive = alive.into_iter().filter(|log| log.number > newest_archived);
        self.add_logs_with_writes(&mut files, alive, false)?;
        Ok(files)
    }

    fn add_logs_with_writes(
        &self,
        files: &mut Vec<WalFile>,
        logs: impl IntoIterator<Item = LogExtent>,
        is_archived: bool,
    ) -> Result<()> {
        for LogExtent { number, size, .. } in logs {
            let mut file = WalFile { number, is_archived, start_sequence: None, size };
            let path = self.context.wal_dir.join(file.path());
            file.start_sequence = match self.first_sequence(&path, number) {
                // Someone else's: a database that is open for reading only cannot hold it.
                Err(error) if error.is_path_not_found() && self.wals.is_none() => None,
                found => found?,
            };
            if file.start_sequence.is_some() {
                files.push(file);
            }
        }
        Ok(())
    }

    /// The sequence number of the first write in a log; None without any.
    fn first_sequence(&self, path: &Path, number: u64) -> Result<Option<SequenceNumber>> {
        let file = self.context.fs().open_sequential(path)?;
        let mode = self.context.options.wal_recovery_mode;
        let mut reader = LogReader::new(file, LogReaderOptions::for_wal(number, mode));
        while let Some(record) = reader.read_record(&mut StopAtDamage)? {
            let batch = BatchView::new(record.data)?;
            if WalLink::decode(&batch).is_none() {
                return Ok(Some(batch.sequence()));
            }
        }
        Ok(None)
    }

    /// The log that is being written; where its writes start is not looked for.
    ///
    /// Errors: not found if the database is open for reading only.
    pub fn current_wal_file(&self) -> Result<WalFile> {
        let current = self.wals.as_ref().and_then(|wals| wals.extents().pop());
        let Some(LogExtent { number, size, .. }) = current else {
            return Err(
                Status::not_found("log file not available").with_subcode(SubCode::PathNotFound)
            );
        };
        Ok(WalFile { number, is_archived: false, start_sequence: None, size })
    }

    /// The logs of a folder, ascending, as someone else may be writing them; none if there is no
    /// such folder.
    pub(super) fn logs_in_folder(&self, dir: &Path) -> Result<Vec<LogExtent>> {
        let mut logs = Vec::new();
        for name in self.context.list(dir)? {
            if let Some((number, FileType::Wal)) = parse_file_name(&name) {
                let size = self.context.fs().file_size(&dir.join(&name))?;
                logs.push(LogExtent { number, size, is_final: false });
            }
        }
        logs.sort_unstable_by_key(|log| log.number);
        Ok(logs)
    }
}

#[cfg(test)]
mod tests {
    use super::super::db_tests::TestDb;
    use super::*;
    use crate::env::file_system::{read_file, write_file};

    fn numbers(files: &[WalFile]) -> Vec<(u64, bool, Option<u64>)> {
        files.iter().map(|file| (file.number, file.is_archived, file.start_sequence)).collect()
    }

    #[test]
    fn logs_are_told_by_their_first_write() {
        let mut test = TestDb::new();
        test.names = vec!["default", "other"];
        test.try_open().unwrap();
        assert_eq!(test.db().sorted_wal_files().unwrap(), []);
        let first = test.db().current_wal_file().unwrap();
        assert_eq!((first.is_archived, first.start_sequence, first.size), (false, None, 0));
        test.put("a", "1").unwrap();
        test.put("b", "2").unwrap();
        let mut batch = crate::batch::WriteBatch::new();
        batch.put(test.family(1).id(), b"a", b"1").unwrap();
        test.db().write(&crate::options::WriteOptions::default(), &mut batch).unwrap();
        let files = test.db().sorted_wal_files().unwrap();
        assert_eq!(numbers(&files), [(first.number, false, Some(1))]);
        assert!(files[0].size > first.size);
        // The other family keeps the log; the new one holds nothing but a link to it.
        let flushed = std::slice::from_ref(test.family(0));
        test.db().flush(flushed, &crate::options::FlushOptions::default()).unwrap();
        let second = test.db().current_wal_file().unwrap();
        assert!(second.number > first.number);
        assert_eq!(test.db().sorted_wal_files().unwrap(), files);
        test.put("c", "3").unwrap();
        let files = test.db().sorted_wal_files().unwrap();
        assert_eq!(
            numbers(&files),
            [(first.number, false, Some(1)), (second.number, false, Some(4))]
        );
        assert_eq!(files[1].path(), Path::new(&format!("{:06}.log", second.number)));
        assert_eq!(files[1].size, test.db().current_wal_file().unwrap().size);
    }

    #[test]
    fn archived_logs_come_first_and_count_once() {
        let mut test = TestDb::new();
        test.try_open().unwrap();
        test.put("a", "1").unwrap();
        let alive = test.db().sorted_wal_files().unwrap().remove(0);
        let fs = test.db.env.fs().clone();
        let content = read_file(&*fs, &log_file_name(&test.path, alive.number), 1 << 20).unwrap();
        fs.create_dir(&archive_dir(&test.path)).unwrap();
        let archived = archived_log_file_name(&test.path, 1);
        write_file(&*fs, &archived, &content, false).unwrap();
        let both = [(1, true, Some(1)), (alive.number, false, Some(1))];
        let files = test.db().sorted_wal_files().unwrap();
        assert_eq!(numbers(&files), both);
        assert_eq!(files[0].path(), Path::new("archive/000001.log"));
        // It was moved while the folders were listed.
        let archived = archived_log_file_name(&test.path, alive.number);
        write_file(&*fs, &archived, &content, false).unwrap();
        let moved = [(1, true, Some(1)), (alive.number, true, Some(1))];
        assert_eq!(numbers(&test.db().sorted_wal_files().unwrap()), moved);
        // Damage of a log is an error.
        write_file(&*fs, &archived, &[content[0] ^ 1; 30], false).unwrap();
        assert!(test.db().sorted_wal_files().unwrap_err().to_string().contains("orruption"));
    }
}
