//! [`BlockReader`]: the fragments of a log, one after the other.

use super::format::{
    BLOCK_SIZE, HEADER_LEN, Header, Kind, LogFormat, RECYCLABLE_HEADER_LEN, stored_log_number,
};
use crate::base::status::Result;
use crate::env::file_system::SequentialFile;
use std::ops::Range;

/// What comes next in a log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Step {
    /// A fragment with a right checksum. `payload` lies in [`BlockReader::bytes`].
    Fragment { kind: Kind, type_byte: u8, offset: u64, payload: Range<usize> },
    /// Nothing, or zeros only, up to the end of the file.
    Eof,
    /// The file ends within a header.
    TruncatedHeader { dropped: usize },
    /// The fragment would reach beyond its block, or, if `at_eof`, beyond the file.
    BadLength { dropped: usize, at_eof: bool },
    /// The checksum is wrong; the rest of the block is dropped, since the length may be wrong too.
    BadChecksum { dropped: usize },
    /// A fragment of the former log in a recycled file: with another number, or of a log that was
    /// not recycled.
    OldLog,
    /// A recyclable fragment in a log that began with a legacy one.
    FormatChange { dropped: usize },
    /// Zeros with data behind them, when zeros are not to be skipped.
    ZeroGap { dropped: usize },
    /// Zeros, skipped together with the rest of their block.
    SkippedZeros,
}

/// How to read.
#[derive(Clone, Copy, Debug)]
pub(super) struct BlockRules {
    pub log_number: u64,
    pub verify_checksums: bool,
    /// Go on behind zeros, with the next block.
    pub skip_zeros: bool,
}

/// Reads blocks and takes them apart.
pub(super) struct BlockReader {
    file: Box<dyn SequentialFile>,
    rules: BlockRules,
    block: Box<[u8]>,
    /// `block[at..end]` is what was read and not yet consumed.
    at: usize,
    end: usize,
    /// The file offset of `block[end]`.
    end_offset: u64,
    /// The last read came back short: this block is the file's last, for now.
    eof: bool,
    /// Something that looks like a recyclable fragment was seen.
    recycled: bool,
    /// The format of the first good fragment of user data, and so of the log.
    format: Option<LogFormat>,
}

impl BlockReader {
    pub fn new(file: Box<dyn SequentialFile>, rules: BlockRules) -> BlockReader {
        BlockReader {
            file,
            rules,
            block: vec![0; BLOCK_SIZE].into_boxed_slice(),
            at: 0,
            end: 0,
            end_offset: 0,
            eof: false,
            recycled: false,
            format: None,
        }
    }

    pub fn file_name(&self) -> String {
        self.file.path().display().to_string()
    }

    /// The bytes of a fragment's payload, until the next step.
    pub fn bytes(&self, range: Range<usize>) -> &[u8] {
        &self.block[range]
    }

    /// The file offset of the next byte to consume.
    pub fn position(&self) -> u64 {
        self.end_offset - (self.end - self.at) as u64
    }

    /// Whether user data was met.
    pub fn is_started(&self) -> bool {
        self.format.is_some()
    }

    /// Whether the file may hold the remains of a former log.
    pub fn is_recycled(&self) -> bool {
        self.recycled
    }

    /// The next step. Errors are those of the file.
    pub fn next(&mut self) -> Result<Step> {
        loop {
            if self.end - self.at < HEADER_LEN {
                match self.next_block()? {
                    Some(step) => return Ok(step),
                    None => continue,
                }
            }
            if is_zero(&self.block[self.at..self.at + HEADER_LEN]) {
                match self.zeros()? {
                    Some(step) => return Ok(step),
                    None => continue,
                }
            }
            let header = Header::decode(&self.block[self.at..self.end]);
            if header.format == LogFormat::Recyclable {
                if self.format == Some(LogFormat::Legacy) {
                    return Ok(Step::FormatChange { dropped: self.drop_block() });
                }
                self.recycled = true;
                if self.end - self.at < RECYCLABLE_HEADER_LEN {
                    match self.next_block()? {
                        Some(step) => return Ok(step),
                        None => continue,
                    }
                }
            }
            return Ok(self.fragment(header));
        }
    }

    /// The fragment that `header`, at the front of what is left, belongs to.
    fn fragment(&mut self, header: Header) -> Step {
        let len = header.fragment_len();
        if len > self.end - self.at {
            return Step::BadLength { dropped: self.drop_block(), at_eof: self.eof };
        }
        let bytes = &self.block[self.at..self.at + len];
        // Before the log's number, which is covered: a flipped bit must not look like a log's end.
        if self.rules.verify_checksums && !header.checksum_matches(bytes) {
            return Step::BadChecksum { dropped: self.drop_block() };
        }
        if header.format == LogFormat::Recyclable
            && stored_log_number(bytes) != self.rules.log_number as u32
        {
            self.at += len;
            return Step::OldLog;
        }
        if matches!(header.kind, Kind::Data(_))
            && *self.format.get_or_insert(header.format) != header.format
        {
            self.at += len;
            return Step::OldLog;
        }
        let offset = self.position();
        let payload = self.at + header.format.header_len()..self.at + len;
        self.at += len;
        Step::Fragment { kind: header.kind, type_byte: header.type_byte, offset, payload }
    }

    /// Leaves the block, whose rest is too short for a header: a trailer, or at the end of the
    /// file a header cut short.
    fn next_block(&mut self) -> Result<Option<Step>> {
        if !self.eof {
            self.read_block()?;
            return Ok(None);
        }
        Ok(Some(match self.drop_block() {
            0 => Step::Eof,
            dropped => Step::TruncatedHeader { dropped },
        }))
    }

    /// Finds out what the zeros at the front of what is left are: a trailer (`None`: read on in
    /// the next block), space that was reserved behind the last record, or a gap.
    fn zeros(&mut self) -> Result<Option<Step>> {
        if self.rules.skip_zeros {
            self.drop_block();
            return Ok(Some(Step::SkippedZeros));
        }
        let rest = self.end - self.at;
        let mut blocks = 0;
        loop {
            if !is_zero(&self.block[self.at..self.end]) {
                return Ok(Some(Step::ZeroGap { dropped: self.drop_block() }));
            }
            if self.eof {
                self.drop_block();
                return Ok(Some(Step::Eof));
            }
            self.read_block()?;
            blocks += 1;
            if blocks == 1 && self.end > 0 && self.is_trailer(rest) {
                return Ok(None);
            }
        }
    }

    /// Whether `rest` zeros before this block can be a trailer: too short for a header, or for the
    /// record about the log that this block starts with, which is never split.
    fn is_trailer(&self, rest: usize) -> bool {
        if rest < RECYCLABLE_HEADER_LEN {
            return true;
        }
        if self.end < HEADER_LEN {
            return false;
        }
        let header = Header::decode(&self.block[..self.end]);
        matches!(header.kind, Kind::TimestampSizes | Kind::PredecessorInfo)
            && header.fragment_len() > rest
    }

    /// Replaces the block by the next one.
    fn read_block(&mut self) -> Result<()> {
        (self.at, self.end) = (0, 0);
        self.end = self.file.read(&mut self.block)?;
        self.end_offset += self.end as u64;
        self.eof = self.end < BLOCK_SIZE;
        Ok(())
    }

    /// Drops the rest of the block; returns its length.
    fn drop_block(&mut self) -> usize {
        let dropped = self.end - self.at;
        self.at = self.end;
        dropped
    }
}

fn is_zero(bytes: &[u8]) -> bool {
    bytes.iter().all(|&b| b == 0)
}
