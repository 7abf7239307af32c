//! Integers and strings as the file formats write them: little-endian fixed width, base-128
//! varints (LevelDB's `coding`), and strings behind a varint32 length.

use super::status::{Result, Status};

/// The most bytes a varint32 takes.
pub const MAX_VARINT32_LEN: usize = 5;
/// The most bytes a varint64 takes.
pub const MAX_VARINT64_LEN: usize = 10;

/// Appends `value` in 2 bytes.
pub fn put_fixed16(out: &mut Vec<u8>, value: u16) {
    out.extend_from_slice(&value.to_le_bytes());
}

/// Appends `value` in 4 bytes.
pub fn put_fixed32(out: &mut Vec<u8>, value: u32) {
    out.extend_from_slice(&value.to_le_bytes());
}

/// Appends `value` in 8 bytes.
pub fn put_fixed64(out: &mut Vec<u8>, value: u64) {
    out.extend_from_slice(&value.to_le_bytes());
}

/// Appends `value` in 1 to 5 bytes.
#[inline]
pub fn put_varint32(out: &mut Vec<u8>, value: u32) {
    put_varint64(out, u64::from(value));
}

/// Appends `value` in 1 to 10 bytes.
#[inline]
pub fn put_varint64(out: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

/// Appends `value` as a zig-zag varint (small magnitudes of either sign stay short).
pub fn put_varsigned64(out: &mut Vec<u8>, value: i64) {
    put_varint64(out, ((value << 1) ^ (value >> 63)) as u64);
}

/// Appends `bytes` behind their varint32 length. Lengths beyond `u32` cannot be represented;
/// callers bound them first.
pub fn put_length_prefixed(out: &mut Vec<u8>, bytes: &[u8]) {
    debug_assert!(u32::try_from(bytes.len()).is_ok());
    put_varint32(out, bytes.len() as u32);
    out.extend_from_slice(bytes);
}

/// The bytes that `value` takes as a varint.
#[inline]
pub fn varint_len(value: u64) -> usize {
    let bits = 64 - (value | 1).leading_zeros() as usize;
    bits.div_ceil(7)
}

/// Writes `value` as a varint to the front of `out`, which must have room (at most
/// [`MAX_VARINT64_LEN`] bytes); returns how many bytes it took.
#[inline]
pub fn encode_varint(out: &mut [u8], mut value: u64) -> usize {
    let mut at = 0;
    while value >= 0x80 {
        out[at] = value as u8 | 0x80;
        value >>= 7;
        at += 1;
    }
    out[at] = value as u8;
    at + 1
}

/// The 4 bytes at the front of `bytes`, which must be that long.
#[inline]
pub fn fixed32(bytes: &[u8]) -> u32 {
    u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]])
}

/// The 8 bytes at the front of `bytes`, which must be that long.
#[inline]
pub fn fixed64(bytes: &[u8]) -> u64 {
    let (front, _) = bytes.split_at(8);
    let mut array = [0; 8];
    array.copy_from_slice(front);
    u64::from_le_bytes(array)
}

/// Decodes a varint32 at the front of `bytes`: the value and its length, or `None` if it is cut
/// short or does not fit.
#[inline]
pub fn decode_varint32(bytes: &[u8]) -> Option<(u32, usize)> {
    if let Some(&first) = bytes.first()
        && first < 0x80
    {
        return Some((u32::from(first), 1));
    }
    let mut value = 0u32;
    for (i, &byte) in bytes.iter().take(MAX_VARINT32_LEN).enumerate() {
        if i == 4 && byte > 0x0f {
            return None;
        }
        value |= u32::from(byte & 0x7f) << (7 * i);
        if byte < 0x80 {
            return Some((value, i + 1));
        }
    }
    None
}

/// Decodes a varint64 at the front of `bytes`: the value and its length, or `None` if it is cut
/// short or does not fit.
#[inline]
pub fn decode_varint64(bytes: &[u8]) -> Option<(u64, usize)> {
    let mut value = 0u64;
    for (i, &byte) in bytes.iter().take(MAX_VARINT64_LEN).enumerate() {
        if i == 9 && byte > 1 {
            return None;
        }
        value |= u64::from(byte & 0x7f) << (7 * i);
        if byte < 0x80 {
            return Some((value, i + 1));
        }
    }
    None
}

/// A cursor over encoded bytes. Each `get_*` takes from the front, or returns `None` and leaves
/// the cursor where it was.
#[derive(Clone, Copy, Debug)]
pub struct Decoder<'a> {
    rest: &'a [u8],
}

impl<'a> Decoder<'a> {
    /// A cursor at the front of `bytes`.
    pub fn new(bytes: &'a [u8]) -> Self {
        Decoder { rest: bytes }
    }

    /// What has not been taken yet.
    pub fn rest(&self) -> &'a [u8] {
        self.rest
    }

    /// Whether everything has been taken.
    pub fn is_empty(&self) -> bool {
        self.rest.is_empty()
    }

    /// The next `len` bytes.
    pub fn get_bytes(&mut self, len: usize) -> Option<&'a [u8]> {
        let (front, rest) = self.rest.split_at_checked(len)?;
        self.rest = rest;
        Some(front)
    }

    /// The next byte.
    pub fn get_u8(&mut self) -> Option<u8> {
        self.get_bytes(1).map(|b| b[0])
    }

    /// The next 2 bytes as an integer.
    pub fn get_fixed16(&mut self) -> Option<u16> {
        self.get_bytes(2).map(|b| u16::from_le_bytes([b[0], b[1]]))
    }

    /// The next 4 bytes as an integer.
    pub fn get_fixed32(&mut self) -> Option<u32> {
        self.get_bytes(4).map(fixed32)
    }

    /// The next 8 bytes as an integer.
    pub fn get_fixed64(&mut self) -> Option<u64> {
        self.get_bytes(8).map(fixed64)
    }

    /// The next varint32.
    #[inline]
    pub fn get_varint32(&mut self) -> Option<u32> {
        let (value, len) = decode_varint32(self.rest)?;
        self.rest = &self.rest[len..];
        Some(value)
    }

    /// The next varint64.
    #[inline]
    pub fn get_varint64(&mut self) -> Option<u64> {
        let (value, len) = decode_varint64(self.rest)?;
        self.rest = &self.rest[len..];
        Some(value)
    }

    /// The next zig-zag varint.
    pub fn get_varsigned64(&mut self) -> Option<i64> {
        let raw = self.get_varint64()?;
        Some((raw >> 1) as i64 ^ -((raw & 1) as i64))
    }

    /// The next string with a varint32 length in front.
    #[inline]
    pub fn get_length_prefixed(&mut self) -> Option<&'a [u8]> {
        let (len, at) = decode_varint32(self.rest)?;
        let end = at.checked_add(len as usize)?;
        let bytes = self.rest.get(at..end)?;
        self.rest = &self.rest[end..];
        Some(bytes)
    }
}

/// `value`, or `Corruption: what`.
pub fn or_corrupt<T>(value: Option<T>, what: &str) -> Result<T> {
    value.ok_or_else(|| Status::corruption(what))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::random::Random;

    #[test]
    fn varints_round_trip_at_every_width() {
        for shift in 0..64 {
            for delta in [-1i64, 0, 1] {
                let value = (1u64 << shift).wrapping_add(delta as u64);
                let mut out = Vec::new();
                put_varint64(&mut out, value);
                assert_eq!(out.len(), varint_len(value));
                assert_eq!(decode_varint64(&out), Some((value, out.len())));
                assert_eq!(decode_varint64(&out[..out.len() - 1]), None);
                let narrow = decode_varint32(&out);
                match u32::try_from(value) {
                    Ok(v) => assert_eq!(narrow, Some((v, out.len()))),
                    Err(_) => assert_eq!(narrow, None),
                }
                let mut signed = Vec::new();
                put_varsigned64(&mut signed, value as i64);
                assert_eq!(Decoder::new(&signed).get_varsigned64(), Some(value as i64));
            }
        }
    }

    #[test]
    fn decoder_leaves_the_cursor_on_failure() {
        let mut out = Vec::new();
        put_length_prefixed(&mut out, b"abc");
        put_fixed32(&mut out, 7);
        let mut d = Decoder::new(&out);
        assert_eq!(d.get_length_prefixed(), Some(&b"abc"[..]));
        assert_eq!(d.get_fixed64(), None);
        assert_eq!(d.get_fixed32(), Some(7));
        assert!(d.is_empty());
    }

    #[test]
    fn random_bytes_never_panic() {
        let mut random = Random::from_env(7);
        for _ in 0..10_000 {
            let bytes = random.bytes(12);
            let mut d = Decoder::new(&bytes);
            while d.get_length_prefixed().is_some() {}
            let _ = decode_varint64(d.rest());
        }
    }
}
