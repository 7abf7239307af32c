//! [`LogReader`]: the records of a log.

use super::block_reader::{BlockReader, BlockRules, Step};
use super::control::{PredecessorCheck, PredecessorWalInfo, decode_timestamp_sizes};
use super::format::{Kind, Part};
use crate::base::coding::Decoder;
use crate::base::status::{Code, Result, Status, SubCode};
use crate::codec::{CompressionType, RecordUnpacker};
use crate::env::file_system::SequentialFile;
use crate::plug::recovery_mode::WalRecoveryMode;
use std::collections::BTreeMap;
use std::ops::{ControlFlow, Range};

/// Something wrong in a log.
#[derive(Clone, Debug)]
pub struct Damage {
    /// Roughly how many bytes were dropped because of it.
    pub bytes: usize,
    /// The offset in the file up to which it was read when the damage was found.
    pub offset: u64,
    /// What is wrong, in RocksDB's words, without the file's name.
    pub status: Status,
    /// The log it concerns, if that is another one than the log being read.
    pub log_number: Option<u64>,
}

/// Is told what is wrong with a log.
pub trait Reporter {
    /// Damage that the mode does not allow silently. `Break` ends the reading with that error;
    /// `Continue` goes on behind the damage.
    fn damage(&mut self, damage: Damage) -> ControlFlow<Status>;

    /// Reading ended between two records because the former log of a recycled file goes on here
    /// (in point-in-time recovery only: the caller checks that the next log continues this one).
    fn old_record(&mut self) {}

    /// An incomplete record at the end of the log, of roughly this many bytes, was dropped as the
    /// mode allows. Worth a line in the info log.
    fn dropped_tail(&mut self, bytes: usize) {
        let _ = bytes;
    }
}

/// Ends the reading at the first damage.
#[derive(Clone, Copy, Debug, Default)]
pub struct StopAtDamage;

impl Reporter for StopAtDamage {
    fn damage(&mut self, damage: Damage) -> ControlFlow<Status> {
        ControlFlow::Break(damage.status)
    }
}

/// How a log is read.
#[derive(Clone, Copy, Debug)]
pub struct LogReaderOptions {
    /// The log's number: recyclable records of another number are a former log's.
    pub log_number: u64,
    /// Compare checksums.
    pub verify_checksums: bool,
    /// Which damage is reported.
    pub mode: WalRecoveryMode,
    /// Report zeros that have data behind them even where the mode allows a torn tail. For files
    /// of which every record was synced before the next was written.
    pub gaps_are_damage: bool,
    /// Compare what the log says of its predecessor.
    pub predecessor: Option<PredecessorCheck>,
}

impl LogReaderOptions {
    /// For the write-ahead log `log_number`.
    pub fn for_wal(log_number: u64, mode: WalRecoveryMode) -> LogReaderOptions {
        LogReaderOptions {
            log_number,
            verify_checksums: true,
            mode,
            gaps_are_damage: false,
            predecessor: None,
        }
    }

    /// For a MANIFEST.
    pub fn for_manifest() -> LogReaderOptions {
        LogReaderOptions {
            gaps_are_damage: true,
            ..LogReaderOptions::for_wal(0, WalRecoveryMode::TolerateCorruptedTailRecords)
        }
    }
}

/// A record as it was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LogRecord<'a> {
    /// Its bytes.
    pub data: &'a [u8],
    /// The offset in the file of its first header.
    pub offset: u64,
    /// The offset behind its last byte.
    pub end: u64,
}

/// Where a record's bytes are.
enum Place {
    Block(Range<usize>),
    Fragments,
    Unpacked,
}

/// Reads the records of a log, first to last.
///
/// A log ends where the file ends or only zeros follow (space that was reserved), where the former
/// log of a recycled file goes on, or, depending on the mode, where a record is incomplete:
///
/// - `TolerateCorruptedTailRecords`: an incomplete record at the end is dropped silently; other
///   damage is reported.
/// - `AbsoluteConsistency`, `PointInTimeRecovery`: both are reported.
/// - `SkipAnyCorruptedRecords`: an incomplete record at the end is dropped silently; other damage
///   is reported, and reading goes on behind it, also behind zeros and old records.
///
/// Zeros with data behind them, which RocksDB skips in every mode, are a torn tail here: pages of
/// an unsynced tail reach the disk in any order, and what is behind the gap is not to be trusted.
///
/// The reader holds no more than one block and one record. All that it needs to go on where the
/// last record ended is in its fields, so following a growing log is a matter of topping up the
/// last block.
pub struct LogReader {
    blocks: BlockReader,
    options: LogReaderOptions,
    /// The fragments of the record being read.
    fragments: Vec<u8>,
    /// The offset of its first fragment; `None` between records.
    fragments_start: Option<u64>,
    last_record_offset: u64,
    last_record_end: u64,
    timestamp_sizes: BTreeMap<u32, u16>,
    /// Of a log whose records are compressed.
    unpacker: Option<RecordUnpacker>,
    /// The record, uncompressed.
    unpacked: Vec<u8>,
    /// How the reading ended.
    ended: Option<Result<()>>,
}

impl LogReader {
    /// A reader of `file` from its start.
    pub fn new(file: Box<dyn SequentialFile>, options: LogReaderOptions) -> LogReader {
        let rules = BlockRules {
            log_number: options.log_number,
            verify_checksums: options.verify_checksums,
            skip_zeros: options.mode == WalRecoveryMode::SkipAnyCorruptedRecords,
        };
        LogReader {
            blocks: BlockReader::new(file, rules),
            options,
            fragments: Vec::new(),
            fragments_start: None,
            last_record_offset: 0,
            last_record_end: 0,
            timestamp_sizes: BTreeMap::new(),
            unpacker: None,
            unpacked: Vec::new(),
            ended: None,
        }
    }

    /// The next record, or `None` at the end of the log. Fails with what `reporter` breaks with and
    /// with the file's error when it cannot be read; then every later call fails alike.
    pub fn read_record(&mut self, reporter: &mut dyn Reporter) -> Result<Option<LogRecord<'_>>> {
        let place = match self.advance(reporter) {
            Ok(Some(place)) => place,
            Ok(None) => {
                self.ended = Some(Ok(()));
                return Ok(None);
            }
            Err(status) => {
                self.ended = Some(Err(status.clone()));
                return Err(status);
            }
        };
        self.last_record_end = self.blocks.position();
        Ok(Some(LogRecord {
            data: match place {
                Place::Block(range) => self.blocks.bytes(range),
                Place::Fragments => &self.fragments,
                Place::Unpacked => &self.unpacked,
            },
            offset: self.last_record_offset,
            end: self.last_record_end,
        }))
    }

    /// The offset of the last record's first header; 0 before the first record.
    pub fn last_record_offset(&self) -> u64 {
        self.last_record_offset
    }

    /// The offset behind the last record; 0 before the first record. A writer can go on here.
    pub fn last_record_end(&self) -> u64 {
        self.last_record_end
    }

    /// How far the file has been read, dropped bytes and reserved space included.
    pub fn position(&self) -> u64 {
        self.blocks.position()
    }

    /// The lengths of timestamps by column family, as far as the log has stated them.
    pub fn timestamp_sizes(&self) -> &BTreeMap<u32, u16> {
        &self.timestamp_sizes
    }

    /// The number of the log.
    pub fn log_number(&self) -> u64 {
        self.options.log_number
    }

    /// The name of the file, for messages.
    pub fn file_name(&self) -> String {
        self.blocks.file_name()
    }
}

/// Joining fragments, and what each mode makes of damage.
impl LogReader {
    /// Finds the next whole record.
    fn advance(&mut self, reporter: &mut dyn Reporter) -> Result<Option<Place>> {
        if let Some(ended) = &self.ended {
            return ended.clone().map(|()| None);
        }
        // Here only after a whole record: its fragments are not needed any more.
        self.fragments.clear();
        loop {
            match self.blocks.next()? {
                Step::Fragment { kind: Kind::Data(part), offset, payload, .. } => {
                    let before = self.last_record_offset;
                    if let Some(place) = self.data(part, offset, payload, reporter)? {
                        match self.unpack(place, reporter) {
                            Ok(None) => self.last_record_offset = before,
                            Err(status) => {
                                self.last_record_offset = before;
                                return Err(status);
                            }
                            found => return found,
                        }
                    }
                }
                Step::Fragment { kind, type_byte, payload, .. } => {
                    self.control(kind, type_byte, payload, reporter)?;
                }
                damage => {
                    if self.damaged(damage, reporter)?.is_break() {
                        return Ok(None);
                    }
                }
            }
        }
    }

    /// Takes in a fragment of user data; returns the record that it completes.
    fn data(
        &mut self,
        part: Part,
        offset: u64,
        payload: Range<usize>,
        reporter: &mut dyn Reporter,
    ) -> Result<Option<Place>> {
        match (part, self.fragments_start) {
            (Part::Full, open) => {
                if open.is_some() {
                    self.abandon("partial record without end(1)", reporter)?;
                }
                self.last_record_offset = offset;
                Ok(Some(Place::Block(payload)))
            }
            (Part::First, open) => {
                if open.is_some() {
                    self.abandon("partial record without end(2)", reporter)?;
                }
                self.fragments_start = Some(offset);
                self.collect(payload)?;
                Ok(None)
            }
            (Part::Middle, None) => {
                self.report(payload.len(), "missing start of fragmented record(1)", reporter)?;
                Ok(None)
            }
            (Part::Last, None) => {
                self.report(payload.len(), "missing start of fragmented record(2)", reporter)?;
                Ok(None)
            }
            (Part::Middle, Some(_)) => {
                self.collect(payload)?;
                Ok(None)
            }
            (Part::Last, Some(start)) => {
                self.collect(payload)?;
                self.fragments_start = None;
                self.last_record_offset = start;
                Ok(Some(Place::Fragments))
            }
        }
    }

    fn collect(&mut self, payload: Range<usize>) -> Result<()> {
        let bytes = self.blocks.bytes(payload);
        self.fragments.try_reserve(bytes.len()).map_err(|_| {
            Status::new(Code::Aborted, format!("no memory for a record of {}", self.file_name()))
                .with_subcode(SubCode::MemoryLimit)
        })?;
        self.fragments.extend_from_slice(bytes);
        Ok(())
    }

    /// Takes in a record about the log, or one of an unknown type.
    fn control(
        &mut self,
        kind: Kind,
        type_byte: u8,
        payload: Range<usize>,
        reporter: &mut dyn Reporter,
    ) -> Result<()> {
        if let Kind::Unknown(ignorable) = kind {
            let bytes = payload.len() + self.forget();
            if !ignorable {
                self.report(bytes, &format!("unknown record type {type_byte}"), reporter)?;
            }
            return Ok(());
        }
        // None of these stands between the fragments of a record.
        self.abandon(
            if kind == Kind::TimestampSizes {
                "user-defined timestamp size record interspersed partial record"
            } else {
                "error in middle of record"
            },
            reporter,
        )?;
        match kind {
            Kind::SetCompression => self.set_compression(payload, reporter),
            Kind::TimestampSizes => self.add_timestamp_sizes(payload, reporter),
            Kind::PredecessorInfo => self.check_predecessor(payload, reporter),
            Kind::Data(_) | Kind::Unknown(_) => Ok(()),
        }
    }

    /// The record in `place`, uncompressed if need be. One that cannot be is dropped.
    fn unpack(&mut self, place: Place, reporter: &mut dyn Reporter) -> Result<Option<Place>> {
        let Some(unpacker) = &mut self.unpacker else { return Ok(Some(place)) };
        let packed = match &place {
            Place::Block(range) => self.blocks.bytes(range.clone()),
            Place::Fragments | Place::Unpacked => &self.fragments,
        };
        let len = packed.len();
        match unpacker.unpack(packed, &mut self.unpacked) {
            Ok(()) => Ok(Some(Place::Unpacked)),
            Err(status) if status.code() == Code::Corruption => {
                self.fragments.clear();
                let text = format!("could not uncompress a record: {}", status.text());
                self.report(len, &text, reporter)?;
                Ok(None)
            }
            Err(status) => Err(status),
        }
    }

    fn set_compression(
        &mut self,
        payload: Range<usize>,
        reporter: &mut dyn Reporter,
    ) -> Result<()> {
        let len = payload.len();
        if self.unpacker.is_some() {
            self.report(len, "read multiple SetCompressionType records", reporter)?;
        }
        if self.blocks.is_started() {
            self.report(len, "SetCompressionType not the first record", reporter)?;
        }
        match Decoder::new(self.blocks.bytes(payload)).get_fixed32() {
            Some(codec) if codec == CompressionType::Zstd as u32 => {
                self.unpacker = Some(RecordUnpacker::new()?);
                Ok(())
            }
            _ => self.report(len, "could not decode SetCompressionType record", reporter),
        }
    }

    fn add_timestamp_sizes(
        &mut self,
        payload: Range<usize>,
        reporter: &mut dyn Reporter,
    ) -> Result<()> {
        let len = payload.len();
        let Some(sizes) = decode_timestamp_sizes(self.blocks.bytes(payload)) else {
            let text = "could not decode user-defined timestamp size record";
            return self.report(len, text, reporter);
        };
        for (cf, size) in sizes {
            if size == 0 {
                let text = "User-defined timestamp size record contains zero timestamp size.";
                return self.report(len, text, reporter);
            }
            if self.timestamp_sizes.contains_key(&cf) {
                let text = "User-defined timestamp size record contains update to recorded \
                            column family.";
                return self.report(len, text, reporter);
            }
            self.timestamp_sizes.insert(cf, size);
        }
        Ok(())
    }

    fn check_predecessor(
        &mut self,
        payload: Range<usize>,
        reporter: &mut dyn Reporter,
    ) -> Result<()> {
        let len = payload.len();
        let Some(recorded) = PredecessorWalInfo::decode(self.blocks.bytes(payload)) else {
            let text = "could not decode PredecessorWALInfoType record";
            return self.report(len, text, reporter);
        };
        let check = match self.options.predecessor {
            Some(check) if self.options.mode != WalRecoveryMode::SkipAnyCorruptedRecords => check,
            _ => return Ok(()),
        };
        match check.contradiction(&recorded, &self.file_name()) {
            Some(text) => self.report_of(len, &text, Some(recorded.log_number), reporter),
            None => Ok(()),
        }
    }

    /// What the mode makes of anything but a good fragment. `Break`: the log ends here.
    fn damaged(&mut self, step: Step, reporter: &mut dyn Reporter) -> Result<ControlFlow<()>> {
        let mode = self.options.mode;
        match step {
            Step::Fragment { .. } => {}
            Step::Eof => return self.end_of_file(0, reporter),
            Step::TruncatedHeader { dropped } => {
                self.torn(dropped, "truncated header", reporter)?;
                return self.end_of_file(dropped, reporter);
            }
            Step::BadLength { dropped, at_eof: true } => {
                self.torn(dropped, "truncated record body", reporter)?;
                self.allowed_tail(dropped, reporter);
                return Ok(ControlFlow::Break(()));
            }
            Step::ZeroGap { dropped } => return self.zero_gap(dropped, reporter),
            Step::OldLog if mode != WalRecoveryMode::SkipAnyCorruptedRecords => {
                return self.old_log(reporter);
            }
            Step::OldLog | Step::SkippedZeros => {
                self.abandon("error in middle of record", reporter)?;
            }
            Step::BadLength { dropped, .. } => {
                return self.bad_fragment(dropped, "bad record length", reporter);
            }
            Step::BadChecksum { dropped } => {
                return self.bad_fragment(dropped, "checksum mismatch", reporter);
            }
            Step::FormatChange { dropped } => {
                let text = "recyclable record in a log that is not recycled";
                return self.bad_fragment(dropped, text, reporter);
            }
        }
        Ok(ControlFlow::Continue(()))
    }

    /// Bytes that are no fragment, though more of the file follows.
    fn bad_fragment(
        &mut self,
        dropped: usize,
        text: &str,
        reporter: &mut dyn Reporter,
    ) -> Result<ControlFlow<()>> {
        // In a recycled file the former log's bytes begin anywhere, so this is how a log ends.
        if self.blocks.is_recycled()
            && self.options.mode == WalRecoveryMode::TolerateCorruptedTailRecords
        {
            self.allowed_tail(dropped, reporter);
            return Ok(ControlFlow::Break(()));
        }
        self.report(dropped, text, reporter)?;
        self.abandon("error in middle of record", reporter)?;
        Ok(ControlFlow::Continue(()))
    }

    fn end_of_file(
        &mut self,
        dropped: usize,
        reporter: &mut dyn Reporter,
    ) -> Result<ControlFlow<()>> {
        if self.fragments_start.is_some() {
            let text = "error reading trailing data due to encountering EOF";
            self.torn(self.fragments.len(), text, reporter)?;
        }
        self.allowed_tail(dropped, reporter);
        Ok(ControlFlow::Break(()))
    }

    fn old_log(&mut self, reporter: &mut dyn Reporter) -> Result<ControlFlow<()>> {
        if self.fragments_start.is_some() {
            let text = "error reading trailing data due to encountering old record";
            self.torn(self.fragments.len(), text, reporter)?;
            self.allowed_tail(0, reporter);
        } else if self.options.mode == WalRecoveryMode::PointInTimeRecovery {
            reporter.old_record();
        }
        Ok(ControlFlow::Break(()))
    }

    fn zero_gap(&mut self, dropped: usize, reporter: &mut dyn Reporter) -> Result<ControlFlow<()>> {
        if self.options.mode.reports_torn_tail() || self.options.gaps_are_damage {
            self.report(dropped + self.fragments.len(), "zeros inside the log", reporter)?;
        }
        self.allowed_tail(dropped, reporter);
        Ok(ControlFlow::Break(()))
    }

    /// Reports an incomplete record at the end of the log, if the mode wants to know.
    fn torn(&mut self, bytes: usize, text: &str, reporter: &mut dyn Reporter) -> Result<()> {
        if self.options.mode.reports_torn_tail() {
            self.report(bytes, text, reporter)?;
        }
        Ok(())
    }

    /// The log ends here; `dropped` bytes and the fragments collected so far are left out.
    fn allowed_tail(&mut self, dropped: usize, reporter: &mut dyn Reporter) {
        let bytes = dropped + self.forget();
        if bytes > 0 {
            reporter.dropped_tail(bytes);
        }
    }

    /// Reports and forgets the fragments collected so far. An empty first fragment is forgotten
    /// silently: early writers left some at the end of blocks.
    fn abandon(&mut self, text: &str, reporter: &mut dyn Reporter) -> Result<()> {
        match self.forget() {
            0 => Ok(()),
            bytes => self.report(bytes, text, reporter),
        }
    }

    /// Forgets the fragments collected so far; returns their length.
    fn forget(&mut self) -> usize {
        let bytes = self.fragments.len();
        self.fragments.clear();
        self.fragments_start = None;
        bytes
    }

    fn report(&mut self, bytes: usize, text: &str, reporter: &mut dyn Reporter) -> Result<()> {
        self.report_of(bytes, text, None, reporter)
    }

    fn report_of(
        &mut self,
        bytes: usize,
        text: &str,
        log_number: Option<u64>,
        reporter: &mut dyn Reporter,
    ) -> Result<()> {
        let offset = self.blocks.position();
        let status = Status::corruption(text);
        match reporter.damage(Damage { bytes, offset, status, log_number }) {
            ControlFlow::Continue(()) => Ok(()),
            ControlFlow::Break(status) => Err(status),
        }
    }
}
