//! Fragment types and headers.

use crate::base::checksum::{crc32c, mask_crc, unmask_crc};
use crate::base::coding::fixed32;

/// The length of a block.
pub const BLOCK_SIZE: usize = 32 * 1024;
/// The length of a legacy header.
pub const HEADER_LEN: usize = 4 + 2 + 1;
/// The length of a recyclable header.
pub const RECYCLABLE_HEADER_LEN: usize = HEADER_LEN + 4;

/// Where a header holds the type, which is also where the checksummed part begins.
const TYPE_AT: usize = 6;

/// Which headers a log's fragments have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LogFormat {
    /// LevelDB's: the file was empty when the log began.
    Legacy,
    /// With the log's number, for files that may hold the remains of a former log.
    Recyclable,
}

impl LogFormat {
    /// The length of a fragment's header.
    pub fn header_len(self) -> usize {
        match self {
            LogFormat::Legacy => HEADER_LEN,
            LogFormat::Recyclable => RECYCLABLE_HEADER_LEN,
        }
    }
}

/// Where a fragment stands in its record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part {
    /// The whole record.
    Full,
    First,
    Middle,
    Last,
}

/// What a fragment is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// User data.
    Data(Part),
    /// How the payloads that follow are compressed.
    SetCompression,
    /// The lengths of column families' timestamps.
    TimestampSizes,
    /// How the preceding log ended.
    PredecessorInfo,
    /// A type unknown here; `true` if it may be ignored.
    Unknown(bool),
}

/// A type byte taken apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct FragmentType {
    pub kind: Kind,
    pub format: LogFormat,
}

impl FragmentType {
    pub fn decode(byte: u8) -> FragmentType {
        use LogFormat::{Legacy, Recyclable};
        let (kind, format) = match byte {
            1 => (Kind::Data(Part::Full), Legacy),
            2 => (Kind::Data(Part::First), Legacy),
            3 => (Kind::Data(Part::Middle), Legacy),
            4 => (Kind::Data(Part::Last), Legacy),
            5 => (Kind::Data(Part::Full), Recyclable),
            6 => (Kind::Data(Part::First), Recyclable),
            7 => (Kind::Data(Part::Middle), Recyclable),
            8 => (Kind::Data(Part::Last), Recyclable),
            9 => (Kind::SetCompression, Legacy),
            10 => (Kind::TimestampSizes, Legacy),
            11 => (Kind::TimestampSizes, Recyclable),
            130 => (Kind::PredecessorInfo, Legacy),
            131 => (Kind::PredecessorInfo, Recyclable),
            other => (Kind::Unknown(other & 0x80 != 0), Legacy),
        };
        FragmentType { kind, format }
    }

    /// The type byte of a kind that the writer writes.
    pub fn encode(kind: Kind, format: LogFormat) -> u8 {
        let recyclable = format == LogFormat::Recyclable;
        match kind {
            Kind::Data(part) => {
                let legacy = match part {
                    Part::Full => 1,
                    Part::First => 2,
                    Part::Middle => 3,
                    Part::Last => 4,
                };
                legacy + 4 * u8::from(recyclable)
            }
            Kind::SetCompression => 9,
            Kind::TimestampSizes => 10 + u8::from(recyclable),
            Kind::PredecessorInfo => 130 + u8::from(recyclable),
            Kind::Unknown(_) => 0,
        }
    }
}

/// A fragment's header as it stands in the file, its checksum not compared.
#[derive(Clone, Copy, Debug)]
pub(super) struct Header {
    crc: u32,
    pub kind: Kind,
    pub format: LogFormat,
    pub type_byte: u8,
    pub payload_len: usize,
}

impl Header {
    /// The header at the front of `bytes`, which must hold [`HEADER_LEN`] bytes at least.
    pub fn decode(bytes: &[u8]) -> Header {
        let type_byte = bytes[TYPE_AT];
        let FragmentType { kind, format } = FragmentType::decode(type_byte);
        Header {
            crc: unmask_crc(fixed32(bytes)),
            kind,
            format,
            type_byte,
            payload_len: usize::from(u16::from_le_bytes([bytes[4], bytes[5]])),
        }
    }

    /// The length of header and payload.
    pub fn fragment_len(&self) -> usize {
        self.format.header_len() + self.payload_len
    }

    /// Whether `fragment` (header and payload) has the checksum that the header states.
    pub fn checksum_matches(&self, fragment: &[u8]) -> bool {
        crc32c(&fragment[TYPE_AT..]) == self.crc
    }
}

/// The low half of the log's number in a recyclable fragment.
pub(super) fn stored_log_number(fragment: &[u8]) -> u32 {
    fixed32(&fragment[HEADER_LEN..])
}

/// Appends a header whose length and checksum are still to be filled in by [`seal`].
pub(super) fn push_header(out: &mut Vec<u8>, kind: Kind, format: LogFormat, log_number: u64) {
    out.extend_from_slice(&[0; TYPE_AT]);
    out.push(FragmentType::encode(kind, format));
    if format == LogFormat::Recyclable {
        out.extend_from_slice(&(log_number as u32).to_le_bytes());
    }
}

/// Fills in length and checksum of `fragment`: a header of [`push_header`] and its payload, which
/// is shorter than a block.
pub(super) fn seal(fragment: &mut [u8], payload_len: usize) {
    debug_assert!(payload_len < BLOCK_SIZE);
    fragment[4..TYPE_AT].copy_from_slice(&(payload_len as u16).to_le_bytes());
    let crc = mask_crc(crc32c(&fragment[TYPE_AT..]));
    fragment[..4].copy_from_slice(&crc.to_le_bytes());
}
