//! Row 6: the write batch: its format, its builder with save points, its reader.
//!
//! A batch is one byte string, which is also what the WAL stores (RocksDB's `write_batch.cc`):
//!
//! ```text
//! batch  := sequence:fixed64 count:fixed32 record*
//! record := tag:u8 [column family:varint32] field*        field := len:varint32 bytes
//! ```
//!
//! The tag is a [`ValueType`](crate::base::key::ValueType); records of the default column family
//! use tags without the family. `count` is the number of records that take a sequence number:
//! the first of them gets `sequence`, each further one the next.

mod content;
mod record;
mod write_batch;

pub use content::ContentFlags;
pub use record::{BatchView, PrepareKind, Record, Records};
pub use write_batch::{Bytes, MAX_KEY_LEN, MAX_VALUE_LEN, WriteBatch};

/// The bytes in front of the records: sequence number and count.
pub const HEADER_LEN: usize = 12;
