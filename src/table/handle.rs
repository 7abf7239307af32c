//! [`BlockHandle`]: where a block lies in its file.

use crate::base::coding::{Decoder, put_varint64};
use crate::base::status::{Result, Status};

/// The bytes behind every block of a block-based table: the codec's number, and a checksum over
/// block and number.
pub const BLOCK_TRAILER_LEN: usize = 5;

/// A block's place in its file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BlockHandle {
    /// Where the block begins.
    pub offset: u64,
    /// Its stored size, without the trailer.
    pub size: u64,
}

impl BlockHandle {
    /// The most bytes an encoded handle takes.
    pub const MAX_ENCODED_LEN: usize = 20;

    /// The block of `size` bytes at `offset`.
    pub fn new(offset: u64, size: u64) -> BlockHandle {
        BlockHandle { offset, size }
    }

    /// Appends the handle to `out`.
    pub fn encode_to(&self, out: &mut Vec<u8>) {
        put_varint64(out, self.offset);
        put_varint64(out, self.size);
    }

    /// Takes a handle from the front of `input`.
    pub fn decode(input: &mut Decoder<'_>) -> Result<BlockHandle> {
        let bad = || Status::corruption("bad block handle");
        let offset = input.get_varint64().ok_or_else(bad)?;
        let size = input.get_varint64().ok_or_else(bad)?;
        Ok(BlockHandle { offset, size })
    }

    /// Where the block's trailer ends, or `None` for a handle no file can hold.
    pub fn end(&self) -> Option<u64> {
        self.offset.checked_add(self.size)?.checked_add(BLOCK_TRAILER_LEN as u64)
    }
}
