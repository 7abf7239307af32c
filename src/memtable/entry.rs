//! One record in the arena: `varint32 length of internal key, internal key, varint32 length of
//! value, value` (the form of RocksDB's memtable entries). A guarded memtable keeps up to 8 bytes of
//! checksum behind that.

use crate::base::arena::Arena;
use crate::base::coding::{MAX_VARINT32_LEN, encode_varint, varint_len};
use crate::base::key::{SequenceNumber, TRAILER_LEN, ValueType, pack_trailer, trailer, user_key};
use crate::base::record_sum::RecordSum;
use crate::base::status::{Result, Status};
use std::ptr::NonNull;

/// Points to an entry, whose bytes stay there, unchanged, as long as the arena that it is in.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct EntryPtr(NonNull<u8>);

/// What an entry takes in the arena, before rounding.
pub(super) struct EntryLen {
    pub(super) ikey: u32,
    pub(super) value: u32,
    pub(super) total: usize,
    /// Of the checksum, which `total` does not count.
    sum: usize,
}

impl EntryLen {
    /// The lengths of an entry for a user key and a value, which must each fit 32 bits.
    pub(super) fn of(user_key: &[u8], value: &[u8]) -> Result<EntryLen> {
        let Some(ikey) =
            user_key.len().checked_add(TRAILER_LEN).and_then(|len| u32::try_from(len).ok())
        else {
            return Err(Status::invalid_argument("key is too large"));
        };
        let Ok(value) = u32::try_from(value.len()) else {
            return Err(Status::invalid_argument("value is too large"));
        };
        let total = varint_len(u64::from(ikey))
            + ikey as usize
            + varint_len(u64::from(value))
            + value as usize;
        Ok(EntryLen { ikey, value, total, sum: 0 })
    }

    /// The same with `sum` bytes of checksum behind the entry, 8 at most.
    #[inline]
    pub(super) fn with_sum(self, sum: usize) -> EntryLen {
        EntryLen { sum, ..self }
    }
}

/// Writes bytes one after the other into fresh memory.
struct RawWriter {
    at: *mut u8,
}

impl RawWriter {
    /// # Safety
    /// `bytes.len()` bytes from the current position on must be writable and nobody else's.
    #[inline]
    unsafe fn put(&mut self, bytes: &[u8]) {
        // SAFETY: promised by the caller; fresh memory does not overlap `bytes`.
        unsafe {
            self.at.copy_from_nonoverlapping(bytes.as_ptr(), bytes.len());
            self.at = self.at.add(bytes.len());
        }
    }

    /// # Safety
    /// As [`put`](RawWriter::put), for the varint's length.
    #[inline]
    unsafe fn put_varint32(&mut self, value: u32) {
        let mut buffer = [0; MAX_VARINT32_LEN];
        let len = encode_varint(&mut buffer, u64::from(value));
        // SAFETY: promised by the caller.
        unsafe { self.put(&buffer[..len]) };
    }
}

impl EntryPtr {
    /// Copies a record into `arena`. The entry is valid as long as the arena lives.
    #[inline]
    pub(super) fn write(
        arena: &Arena,
        len: &EntryLen,
        sequence: SequenceNumber,
        value_type: ValueType,
        user_key: &[u8],
        value: &[u8],
    ) -> EntryPtr {
        debug_assert_eq!(len.ikey as usize, user_key.len() + TRAILER_LEN);
        debug_assert_eq!(len.value as usize, value.len());
        let memory = arena.allocate(len.total + len.sum);
        let mut writer = RawWriter { at: memory.as_ptr() };
        // SAFETY: `total` and `sum` are what is written here, and the memory is fresh.
        unsafe {
            writer.put_varint32(len.ikey);
            writer.put(user_key);
            writer.put(&pack_trailer(sequence, value_type).to_le_bytes());
            writer.put_varint32(len.value);
            writer.put(value);
            if len.sum > 0 {
                let sum = RecordSum::of(value_type, user_key, value).numbered(sequence);
                writer.put(&sum.to_bytes()[..len.sum]);
            }
        }
        EntryPtr(memory)
    }

    /// What [`to_raw`](EntryPtr::to_raw) made of one; `None` for null.
    #[inline]
    pub(super) fn from_raw(raw: *mut u8) -> Option<EntryPtr> {
        NonNull::new(raw).map(EntryPtr)
    }

    /// The address, to be kept in an atomic.
    #[inline]
    pub(super) fn to_raw(self) -> *mut u8 {
        self.0.as_ptr()
    }

    /// The internal key.
    ///
    /// # Safety
    /// The bytes must live, unchanged, for `'a`.
    #[inline]
    pub(super) unsafe fn ikey<'a>(self) -> &'a [u8] {
        // SAFETY: every `EntryPtr` points to a length and that many bytes.
        unsafe { length_prefixed(self.0.as_ptr()) }
    }

    /// The value.
    ///
    /// # Safety
    /// As [`ikey`](EntryPtr::ikey).
    #[inline]
    pub(super) unsafe fn value<'a>(self) -> &'a [u8] {
        // SAFETY: in an entry the value part stands right behind the internal key.
        unsafe { length_prefixed(self.ikey::<'a>().as_ptr_range().end) }
    }
}

impl EntryPtr {
    /// Whether the entry still is what the `sum` bytes of checksum behind it were taken of.
    ///
    /// # Safety
    /// It was written with that many bytes of checksum, and they live.
    pub(super) unsafe fn is_sound(self, sum: usize) -> bool {
        // SAFETY: an entry, promised by the caller.
        let (ikey, value) = unsafe { (self.ikey::<'_>(), self.value::<'_>()) };
        // SAFETY: the checksum stands right behind the value.
        let stored = unsafe { std::slice::from_raw_parts(value.as_ptr_range().end, sum) };
        let trailer = trailer(ikey);
        let Some(value_type) = ValueType::from_u8(trailer as u8) else { return false };
        let actual = RecordSum::of(value_type, user_key(ikey), value).numbered(trailer >> 8);
        actual.to_bytes()[..sum] == *stored
    }
}

/// The string at `at` behind its varint32 length.
///
/// # Safety
/// A well-formed varint32 and that many bytes must stand there for `'a`.
#[inline]
unsafe fn length_prefixed<'a>(mut at: *const u8) -> &'a [u8] {
    let mut len = 0usize;
    let mut shift = 0;
    loop {
        // SAFETY: the varint is well formed, so its bytes are there until one ends it.
        let byte = unsafe { *at };
        // SAFETY: at most one past the varint, where the string begins.
        at = unsafe { at.add(1) };
        len |= usize::from(byte & 0x7f) << shift;
        if byte < 0x80 {
            break;
        }
        shift += 7;
    }
    // SAFETY: promised by the caller.
    unsafe { std::slice::from_raw_parts(at, len) }
}
