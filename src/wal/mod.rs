//! Row 7: the log format that the write-ahead log and the MANIFEST share: its writer, its reader.
//!
//! A log is a sequence of 32 KiB blocks (LevelDB's format, RocksDB's `log_format.h`). A record is
//! stored in one piece, or in fragments that fill their blocks to the end:
//!
//! ```text
//! block    := fragment* trailer?          trailer: zeros, too few for a header
//! fragment := crc:fixed32 length:fixed16 type:u8 [log number:fixed32] payload
//! ```
//!
//! The CRC-32C covers everything from the type on and is stored masked. The recyclable types carry
//! the low half of the log's number, so that what a recycled file still holds of its former log is
//! recognised as such.

mod block_reader;
mod control;
mod format;
mod reader;
mod writer;

pub use control::{PredecessorCheck, PredecessorWalInfo};
pub use format::{BLOCK_SIZE, HEADER_LEN, LogFormat, RECYCLABLE_HEADER_LEN};
pub use reader::{Damage, LogReader, LogReaderOptions, LogRecord, Reporter, StopAtDamage};
pub use writer::LogWriter;

#[cfg(test)]
mod tests;
