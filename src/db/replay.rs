//! Replaying the logs into memtables when a database opens.

use super::context::Context;
use super::family::FamilySet;
use super::insert::{self, Missing};
use super::wal_link::WalLink;
use crate::base::key::{MAX_SEQUENCE, SequenceNumber};
use crate::base::status::{Code, Result, Status};
use crate::base::sync::AtomicBool;
use crate::batch::BatchView;
use crate::env::names::log_file_name;
use crate::env::read_ahead::read_ahead;
use crate::log_at;
use crate::plug::recovery_mode::WalRecoveryMode;
use crate::wal::{
    Damage, LogReader, LogReaderOptions, PredecessorCheck, PredecessorWalInfo, Reporter,
};
use std::ops::ControlFlow;

/// Goes through the logs, oldest first.
pub(super) struct Replay<'a> {
    pub context: &'a Context,
    pub families: &'a FamilySet,
    /// The number that the next write must have; `None` before the first one.
    pub next_sequence: Option<SequenceNumber>,
    /// In point-in-time recovery, a log ended in damage: later logs count only if they continue
    /// exactly where it ended, as they do if they were written after an earlier recovery.
    stopped: bool,
    /// The log with that damage.
    damaged_log: Option<u64>,
    /// A log that a later one continues is not there: whatever follows cannot be a consistent
    /// state, and must not be thrown away.
    log_is_missing: bool,
    /// Logs replayed so far.
    replayed: Vec<u64>,
    /// The oldest log that some column family needs.
    min_log: u64,
    /// How the log that was replayed last ended.
    predecessor: Option<PredecessorWalInfo>,
    /// Set when a memtable has reached its size.
    pub full: AtomicBool,
}

/// Collects what the log reader reports about one log.
struct LogReporter<'a> {
    context: &'a Context,
    log: u64,
    /// The first damage; kept unless the recovery mode ignores all.
    damage: Option<Status>,
    old_record: bool,
    ignore: bool,
}

impl Reporter for LogReporter<'_> {
    fn damage(&mut self, damage: Damage) -> ControlFlow<Status> {
        log_at!(
            self.context.logger,
            Warn,
            "Log #{}: dropping {} bytes before offset {}: {}",
            self.log,
            damage.bytes,
            damage.offset,
            damage.status
        );
        if self.ignore {
            return ControlFlow::Continue(());
        }
        self.damage.get_or_insert(damage.status.clone());
        ControlFlow::Break(damage.status)
    }

    fn old_record(&mut self) {
        self.old_record = true;
    }

    fn dropped_tail(&mut self, bytes: usize) {
        log_at!(self.context.logger, Warn, "Log #{}: dropping a tail of {bytes} bytes", self.log);
    }
}

/// What to do after a record.
enum Next {
    Record,
    /// The rest of this log does not count.
    EndLog,
    /// The database cannot be opened, whatever the recovery mode.
    Refuse(Status),
}

impl<'a> Replay<'a> {
    pub fn new(context: &'a Context, families: &'a FamilySet, min_log: u64) -> Replay<'a> {
        Replay {
            context,
            families,
            next_sequence: None,
            stopped: false,
            damaged_log: None,
            log_is_missing: false,
            replayed: Vec::new(),
            min_log,
            predecessor: None,
            full: AtomicBool::new(false),
        }
    }

    fn mode(&self) -> WalRecoveryMode {
        self.context.options.wal_recovery_mode
    }

    /// Replays log `number`; `after_record` is called behind each record that was applied.
    pub fn log(
        &mut self,
        number: u64,
        mut after_record: impl FnMut(&mut Self) -> Result<()>,
    ) -> Result<()> {
        let path = log_file_name(&self.context.wal_dir, number);
        log_at!(self.context.logger, Info, "Replaying log #{number}");
        let file = self.context.fs().open_sequential(&path)?;
        let file = read_ahead(file, self.context.options.log_readahead_size);
        let mut options = LogReaderOptions::for_wal(number, self.mode());
        if self.context.options.track_and_verify_wals && !self.stopped {
            let (observed, min_log_to_keep) = (self.predecessor, self.min_log);
            options.predecessor = Some(PredecessorCheck { observed, min_log_to_keep });
        }
        let mut reader = LogReader::new(file, options);
        let ignore = !self.context.options.paranoid_checks
            || self.mode() == WalRecoveryMode::SkipAnyCorruptedRecords;
        let mut reporter = LogReporter {
            context: self.context,
            log: number,
            damage: None,
            old_record: false,
            ignore,
        };
        self.replayed.push(number);
        let mut result = Ok(());
        let mut last_sequence = 0;
        loop {
            let record = match reader.read_record(&mut reporter) {
                Ok(Some(record)) => record,
                Ok(None) => break,
                Err(error) => {
                    result = Err(error);
                    break;
                }
            };
            last_sequence = BatchView::new(record.data).map_or(last_sequence, |b| b.sequence());
            match self.record(number, record.data) {
                Ok(Next::Record) => after_record(self)?,
                Ok(Next::EndLog) => break,
                Ok(Next::Refuse(error)) => return Err(error),
                // A record that is whole but makes no sense counts as damage of the log.
                Err(error) if ignore && error.code() != Code::NotSupported => {
                    log_at!(self.context.logger, Warn, "Log #{number}: skipping a record: {error}");
                }
                Err(error) => {
                    result = Err(error);
                    break;
                }
            }
        }
        if result.is_ok() && reporter.old_record {
            self.stop_at(number);
        }
        if result.is_ok() {
            let size_bytes = self.context.fs().file_size(&path)?;
            self.predecessor =
                Some(PredecessorWalInfo { log_number: number, size_bytes, last_sequence });
        }
        self.end_log(number, result)
    }

    /// What an error in a log means under the recovery mode.
    fn end_log(&mut self, number: u64, result: Result<()>) -> Result<()> {
        let Err(error) = result else { return Ok(()) };
        if error.code() == Code::NotSupported || error.code() == Code::IoError {
            return Err(error);
        }
        match self.mode() {
            WalRecoveryMode::SkipAnyCorruptedRecords => Ok(()),
            WalRecoveryMode::PointInTimeRecovery if self.log_is_missing => Err(error),
            WalRecoveryMode::PointInTimeRecovery => {
                log_at!(
                    self.context.logger,
                    Warn,
                    "Point-in-time recovery ends in log #{number}: {error}"
                );
                self.stop_at(number);
                Ok(())
            }
            WalRecoveryMode::TolerateCorruptedTailRecords
            | WalRecoveryMode::AbsoluteConsistency => Err(error),
        }
    }

    fn stop_at(&mut self, number: u64) {
        self.stopped = true;
        self.damaged_log = Some(number);
    }

    fn record(&mut self, log: u64, data: &[u8]) -> Result<Next> {
        let batch = BatchView::new(data).map_err(|_| Status::corruption("log record too small"))?;
        let sequence = batch.sequence();
        if sequence > MAX_SEQUENCE - u64::from(batch.count()) {
            return Err(Status::corruption(format!("sequence {sequence} is too large")));
        }
        if self.mode() == WalRecoveryMode::PointInTimeRecovery
            && Some(sequence) == self.next_sequence
        {
            self.stopped = false;
        }
        if self.stopped {
            return Ok(Next::EndLog);
        }
        if let Some(link) = WalLink::decode(&batch) {
            return self.link(&link);
        }
        if let Some(next) = self.next_sequence
            && sequence + u64::from(batch.count()) < next
        {
            return Err(Status::corruption(format!(
                "Sequence number is being set backwards during recovery, this is likely a software \
                 bug or a data corruption. Prev next seqno: {next} , current next seqno: {}",
                sequence + u64::from(batch.count())
            )));
        }
        // The record's checksum fits, so the disk is not to blame: another program wrote what this
        // one cannot read. To go on would lose it with the log, so nobody does, RocksDB neither.
        let missing = Missing::Recovering { log };
        if let Err(error) = insert::check(self.families, &batch, missing) {
            return Ok(Next::Refuse(error));
        }
        let next = insert::insert(self.families, &batch, None, sequence, missing, &self.full)?;
        self.next_sequence = Some(next);
        Ok(Next::Record)
    }

    /// Whether the log before this one was found up to its end.
    fn link(&mut self, link: &WalLink) -> Result<Next> {
        let expected = link.predecessor >= self.min_log;
        let found = self.replayed.contains(&link.predecessor)
            && self.next_sequence.is_some_and(|next| next > link.last_sequence);
        if !expected || found {
            return Ok(Next::Record);
        }
        if !self.replayed.contains(&link.predecessor) {
            // No crash does this: a log's name is durable before anything is written to it, and a
            // log is removed only after the MANIFEST stopped asking for it.
            self.log_is_missing = true;
            return Err(Status::corruption(format!(
                "log #{} is missing, which the next log continues",
                link.predecessor
            )));
        }
        Err(Status::corruption(format!(
            "log #{} ends before sequence number {}, which the next log continues",
            link.predecessor, link.last_sequence
        )))
    }

    /// An error if a column family holds newer data than the logs up to the damage: the database
    /// would not be in the state of any moment. (RocksDB takes any data of a family that needs
    /// only later logs for newer, and so may refuse a database after a recycled log, whose end
    /// looks like damage.)
    pub fn check_consistency(&self) -> Result<()> {
        let (true, Some(damaged)) = (self.stopped, self.damaged_log) else { return Ok(()) };
        let next = self.next_sequence.unwrap_or(0);
        let beyond = |family: &&crate::base::sync::Arc<super::family::Family>| {
            let version = family.persistent.current();
            family.persistent.log_number() > damaged
                && version.all_files().any(|(_, file)| file.largest_seqno >= next)
        };
        match self.families.iter().find(beyond) {
            None => Ok(()),
            Some(family) => Err(Status::corruption(format!(
                "Column family inconsistency: SST file contains data beyond the point of \
                 corruption in CF {}. WAL recovery stopped at corruption point, but SST files \
                 contain newer data.",
                String::from_utf8_lossy(family.name())
            ))),
        }
    }
}
