//! [`Wals`]: the log that is being written, and older ones that are still needed.
//!
//! What a write with `sync` promises covers everything written before it, so syncing means all
//! logs from the oldest unsynced one on, in order. Without `sync`, what is found after a crash is
//! a prefix of what was written. Since files reach the disk in any order, the tail of an older log
//! may be lost while a newer log is there; so each log that follows an unsynced one starts with a
//! [`WalLink`], and recovery stops at a log whose predecessor is not there up to the linked
//! sequence number.

use super::wal_link::WalLink;
use crate::base::key::SequenceNumber;
use crate::base::status::Result;
use crate::base::sync::{Arc, AtomicBool, AtomicU64, Mutex, Ordering};
use crate::env::buffered::Preallocation;
use crate::env::file_system::{Directory, FileSystem, WritableFile};
use crate::env::names::log_file_name;
use crate::version::edit::WalAddition;
use crate::wal::{LogFormat, LogWriter, PredecessorWalInfo};
use std::collections::BTreeMap;
use std::ops::RangeInclusive;
use std::path::PathBuf;

/// How logs are written.
#[derive(Clone, Debug)]
pub struct WalOptions {
    /// How many obsolete logs are kept to be overwritten (`recycle_log_file_num`).
    pub recycle_limit: usize,
    /// Start writing back every so many bytes; 0 leaves it to the system (`wal_bytes_per_sync`).
    pub bytes_per_sync: u64,
    /// How many bytes of records may be held back until they are flushed; 0 is none.
    pub buffer_limit: usize,
    /// `fsync` instead of `fdatasync`.
    pub use_fsync: bool,
    /// Disk space is reserved for a log in steps of so many bytes; 0 never.
    pub preallocation_size: u64,
    /// Compress records (`wal_compression`).
    pub compress: bool,
    /// Say in each log how the one before ended (`track_and_verify_wals`).
    pub track_predecessor: bool,
    /// Remember which closed logs were synced (`track_and_verify_wals_in_manifest`).
    pub track_synced: bool,
    /// Leave it to [`take_retired`](Wals::take_retired) to close the files of old logs
    /// (`background_close_inactive_wals`).
    pub retire: bool,
}

/// The logs of an open database. Lock order: `closed` before `current`.
pub struct Wals {
    fs: Arc<dyn FileSystem>,
    dir: PathBuf,
    /// For making the entries of new logs durable.
    entries: Box<dyn Directory>,
    options: WalOptions,
    /// See [`WalOptions::bytes_per_sync`], which may change.
    bytes_per_sync: AtomicU64,
    /// Logs that take no more records but are not synced yet, oldest first.
    closed: Mutex<Vec<LogWriter>>,
    /// Whether `closed` has any, so that a sync need not take its lock to see that it has none.
    has_closed: AtomicBool,
    current: Mutex<Current>,
    /// The first log of this opening. Older ones are not recycled: what stays of their records
    /// behind new ones could be of the form that does not tell old from new.
    first: u64,
    /// Numbers of obsolete logs that may be overwritten.
    recycled: Mutex<Vec<u64>>,
    /// Closed logs that are durable since the last [`take_synced`](Wals::take_synced).
    synced: Mutex<Vec<WalAddition>>,
    /// Logs whose files nobody has closed yet.
    retired: Mutex<Vec<LogWriter>>,
}

/// What is in a log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LogExtent {
    /// Its number.
    pub number: u64,
    /// The bytes that hold whole records.
    pub size: u64,
    /// Whether the file is durable and will never change.
    pub is_final: bool,
}

struct Current {
    writer: LogWriter,
    /// The bytes of its file.
    size: u64,
    preallocation: Preallocation,
    /// Whether it holds records of the user's.
    in_use: bool,
    /// Whether it holds records that are not synced.
    dirty: bool,
    /// Up to where write-back was started.
    range_synced: u64,
    /// The newest sequence number in any log.
    last_logged: SequenceNumber,
    /// The sequence number of the last record of the current log; 0 without one.
    last_record: SequenceNumber,
    /// Bytes by number, of the logs before the current one that are not obsolete.
    older: BTreeMap<u64, u64>,
    /// Their sum.
    older_bytes: u64,
}

impl Wals {
    /// Starts log `number`. `older` are the logs found at open that are still needed, with their
    /// sizes, and `last_logged` is the newest sequence number in them. They are made durable: the
    /// process that wrote them may have ended without, and what is synced later builds on them.
    pub fn start(
        fs: Arc<dyn FileSystem>,
        dir: PathBuf,
        options: WalOptions,
        number: u64,
        older: BTreeMap<u64, u64>,
        last_logged: SequenceNumber,
    ) -> Result<Wals> {
        let entries = fs.open_dir(&dir)?;
        for &number in older.keys() {
            fs.sync_file(&log_file_name(&dir, number))?;
        }
        let file = fs.create(&log_file_name(&dir, number))?;
        entries.sync()?;
        let mut writer = begin_log(file, number, &options, None)?;
        if let Some((&predecessor, _)) = older.last_key_value() {
            write_link(&mut writer, WalLink { predecessor, last_sequence: last_logged })?;
        }
        let current = Current {
            size: writer.size(),
            writer,
            preallocation: Preallocation::new(options.preallocation_size),
            in_use: false,
            dirty: true,
            range_synced: 0,
            last_logged,
            last_record: 0,
            older_bytes: older.values().sum(),
            older,
        };
        Ok(Wals {
            fs,
            dir,
            entries,
            bytes_per_sync: options.bytes_per_sync.into(),
            options,
            first: number,
            closed: Mutex::new(Vec::new()),
            has_closed: AtomicBool::new(false),
            current: Mutex::new(current),
            recycled: Mutex::new(Vec::new()),
            synced: Mutex::new(Vec::new()),
            retired: Mutex::new(Vec::new()),
        })
    }

    /// Appends one record, whose writes have the numbers `sequences`, the last one included.
    /// Returns the bytes of all logs that are not obsolete.
    #[inline]
    pub fn append(
        &self,
        parts: &[&[u8]],
        sequences: RangeInclusive<SequenceNumber>,
    ) -> Result<u64> {
        let mut current = self.current.lock();
        current.in_use = true;
        current.dirty = true;
        current.last_logged = *sequences.end();
        current.last_record = *sequences.start();
        current.reserve(parts);
        current.writer.add_record(parts)?;
        current.size = current.writer.size();
        let bytes_per_sync = self.bytes_per_sync.load(Ordering::Relaxed);
        if bytes_per_sync > 0 {
            current.start_write_back(bytes_per_sync)?;
        }
        Ok(current.total_size())
    }

    /// Starts writing back every so many bytes from now on; 0 leaves it to the system.
    pub fn set_bytes_per_sync(&self, bytes: u64) {
        self.bytes_per_sync.store(bytes, Ordering::Relaxed);
    }

    /// How many bytes are held back.
    pub fn held_back(&self) -> u64 {
        let writer = &self.current.lock().writer;
        writer.size() - writer.flushed_size()
    }

    /// Hands the records that are held back to the system. Those of older logs were handed over
    /// when their log ended.
    pub fn flush(&self) -> Result<()> {
        self.current.lock().writer.flush()
    }

    /// Makes everything appended so far durable.
    pub fn sync(&self) -> Result<()> {
        if self.has_closed.load(Ordering::Acquire) {
            self.sync_closed()?;
        }
        let mut current = self.current.lock();
        if current.dirty {
            current.writer.sync(self.options.use_fsync)?;
            current.dirty = false;
        }
        Ok(())
    }

    /// Makes the logs before the current one durable. Appends go on meanwhile.
    pub fn sync_closed(&self) -> Result<()> {
        let mut closed = self.closed.lock();
        if closed.is_empty() {
            return Ok(());
        }
        for writer in closed.iter_mut() {
            writer.sync(self.options.use_fsync)?;
        }
        for writer in closed.drain(..) {
            self.note_synced(&writer);
            self.retire(writer);
        }
        self.has_closed.store(false, Ordering::Release);
        Ok(())
    }

    fn note_synced(&self, writer: &LogWriter) {
        if self.options.track_synced {
            let (number, synced_size) = (writer.log_number(), Some(writer.size()));
            self.synced.lock().push(WalAddition { number, synced_size });
        }
    }

    /// The closed logs that are durable, as far as no earlier call returned them.
    pub fn take_synced(&self) -> Vec<WalAddition> {
        std::mem::take(&mut self.synced.lock())
    }

    /// Closes the file of a log that takes no more records, or has it closed later.
    fn retire(&self, writer: LogWriter) {
        if self.options.retire {
            self.retired.lock().push(writer);
        }
    }

    /// The logs whose files are to be closed, which is done by dropping them.
    pub fn take_retired(&self) -> Vec<LogWriter> {
        std::mem::take(&mut self.retired.lock())
    }

    /// Starts log `number` for the writes after `published`, unless the current one is still
    /// unused. Returns the number of the log that is current then. Only whoever holds the write
    /// queue may call this.
    pub fn switch(&self, number: u64) -> Result<u64> {
        let mut closed = self.closed.lock();
        let mut current = self.current.lock();
        if !current.in_use {
            return Ok(current.writer.log_number());
        }
        // Nothing may come to be in a later log, or in a table, that was written after what is
        // held back here.
        current.writer.flush()?;
        let unsynced = current.dirty || !closed.is_empty();
        let link = unsynced.then(|| WalLink {
            predecessor: current.writer.log_number(),
            last_sequence: current.last_logged,
        });
        let ended = self.options.track_predecessor.then(|| PredecessorWalInfo {
            log_number: current.writer.log_number(),
            size_bytes: current.writer.size(),
            last_sequence: current.last_record,
        });
        if let Some(ended) = ended
            && self.options.recycle_limit > 0
        {
            // The length of the file is what is compared.
            current.writer.file().truncate(ended.size_bytes)?;
        }
        let mut writer = self.new_writer(number, ended, link).inspect_err(|_| {
            // Half a log would look like a torn one.
            let _ = self.fs.remove_file(&log_file_name(&self.dir, number));
        })?;
        std::mem::swap(&mut current.writer, &mut writer);
        current.size = current.writer.size();
        current.preallocation = Preallocation::new(self.options.preallocation_size);
        current.older.insert(writer.log_number(), writer.size());
        current.older_bytes += writer.size();
        if unsynced {
            closed.push(writer);
            self.has_closed.store(true, Ordering::Release);
        } else {
            self.note_synced(&writer);
            self.retire(writer);
        }
        current.last_record = 0;
        current.in_use = false;
        current.dirty = unsynced;
        current.range_synced = 0;
        Ok(number)
    }

    fn new_writer(
        &self,
        number: u64,
        ended: Option<PredecessorWalInfo>,
        link: Option<WalLink>,
    ) -> Result<LogWriter> {
        let file = self.new_file(number)?;
        let mut writer = begin_log(file, number, &self.options, ended)?;
        if let Some(link) = link {
            write_link(&mut writer, link)?;
        }
        Ok(writer)
    }

    /// The file of a new log. Its name is durable before anything is written to it, so that a log
    /// which a later one continues is never missing.
    fn new_file(&self, number: u64) -> Result<Box<dyn WritableFile>> {
        let path = log_file_name(&self.dir, number);
        let file = match self.recycled.lock().pop() {
            Some(old) => self.fs.reuse(&path, &log_file_name(&self.dir, old)),
            None => self.fs.create(&path),
        }?;
        self.entries.sync()?;
        Ok(file)
    }

    /// The number of the log that is being written.
    pub fn current_number(&self) -> u64 {
        self.current.lock().writer.log_number()
    }

    /// Bytes of all logs that are not obsolete.
    pub fn total_size(&self) -> u64 {
        self.current.lock().total_size()
    }

    /// Forgets the logs below `min_needed`, whose writes are all in tables. Returns the numbers
    /// of those whose files are to be removed; others are kept to be overwritten.
    pub fn release_below(&self, min_needed: u64) -> Vec<u64> {
        let mut closed = self.closed.lock();
        let mut current = self.current.lock();
        closed.retain(|writer| writer.log_number() >= min_needed);
        self.has_closed.store(!closed.is_empty(), Ordering::Release);
        let kept = current.older.split_off(&min_needed);
        let mut obsolete: Vec<u64> =
            std::mem::replace(&mut current.older, kept).into_keys().collect();
        current.older_bytes = current.older.values().sum();
        let mut recycled = self.recycled.lock();
        let room = self.options.recycle_limit.saturating_sub(recycled.len());
        let own = obsolete.partition_point(|&number| number < self.first);
        recycled.extend(obsolete.iter().skip(own).take(room));
        obsolete.retain(|number| !recycled.contains(number));
        obsolete
    }

    /// The logs that are not obsolete, ascending.
    pub fn extents(&self) -> Vec<LogExtent> {
        let closed = self.closed.lock();
        let current = self.current.lock();
        let is_final = |number| {
            // A recycled file changes when its log is obsolete.
            let unsynced = closed.iter().any(|writer| writer.log_number() == number);
            self.options.recycle_limit == 0 && !unsynced
        };
        let older = current.older.iter();
        let older = older.map(|(&number, &size)| (number, size, is_final(number)));
        let newest = (current.writer.log_number(), current.writer.flushed_size(), false);
        let all = older.chain([newest]);
        all.map(|(number, size, is_final)| LogExtent { number, size, is_final }).collect()
    }

    /// The logs that must stay: those not obsolete, and those kept to be overwritten.
    pub fn live(&self) -> Vec<u64> {
        let current = self.current.lock();
        let mut live: Vec<u64> = current.older.keys().copied().collect();
        live.push(current.writer.log_number());
        live.extend(self.recycled.lock().iter());
        live
    }
}

impl Current {
    #[inline]
    fn total_size(&self) -> u64 {
        self.older_bytes + self.size
    }

    /// Reserves space for a record of these parts. Its headers may exceed that a little.
    #[inline]
    fn reserve(&mut self, parts: &[&[u8]]) {
        let end = parts.iter().fold(self.size, |end, part| end.saturating_add(part.len() as u64));
        self.preallocation.prepare_until(self.writer.file(), end);
    }

    fn start_write_back(&mut self, every: u64) -> Result<()> {
        let end = self.writer.flushed_size();
        if end >= self.range_synced + every {
            let from = self.range_synced;
            self.writer.file().range_sync(from, end - from, false)?;
            self.range_synced = end;
        }
        Ok(())
    }
}

fn format(options: &WalOptions) -> LogFormat {
    if options.recycle_limit > 0 { LogFormat::Recyclable } else { LogFormat::Legacy }
}

/// A log with the records about itself that the options want. `ended` is how the one before ended.
fn begin_log(
    file: Box<dyn WritableFile>,
    number: u64,
    options: &WalOptions,
    ended: Option<PredecessorWalInfo>,
) -> Result<LogWriter> {
    let mut writer = LogWriter::new(file, number, format(options));
    writer.set_buffer_limit(options.buffer_limit);
    if options.compress {
        writer.set_compression()?;
    }
    if let Some(ended) = ended {
        writer.add_predecessor_info(&ended)?;
    }
    Ok(writer)
}

fn write_link(writer: &mut LogWriter, link: WalLink) -> Result<()> {
    let record = link.encode(link.last_sequence + 1)?;
    writer.add_record(&[record.data()])
}
