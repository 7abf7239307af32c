//! Data blocks whose keys and values lie in sections of their own (RocksDB's
//! `separate_key_value_in_data_block`), turned into ordinary ones when they are read, so that
//! nothing else has to know them.
//!
//! The entries have no values; behind the value's length, those at a restart say where in the
//! section of values theirs begins. That section follows the entries, the restart array follows it,
//! and the block's footer has the section's offset (fixed32) in front of the number of restarts.

use super::block_builder::HASH_INDEX;
use crate::base::coding::{decode_varint32, fixed32, put_fixed32, put_varint32};
use crate::base::status::{Result, Status};

const SEPARATED: u32 = 1 << 28;
const RESERVED: u32 = 1 << 30;
const UNIFORM_KEYS: u32 = 1 << 29;

/// Whether keys and values of a data block lie apart.
#[inline]
pub(super) fn is_separated(block: &[u8]) -> bool {
    block.last_chunk().is_some_and(|footer| {
        let footer = u32::from_le_bytes(*footer);
        footer & (SEPARATED | RESERVED) == SEPARATED
    })
}

/// The ordinary block with the same entries, which is not longer.
pub(super) fn join(block: &[u8]) -> Result<Vec<u8>> {
    join_sections(block).ok_or_else(|| Status::corruption("bad block with separate values"))?
}

fn join_sections(block: &[u8]) -> Option<Result<Vec<u8>>> {
    let (rest, footer) = block.split_last_chunk::<4>()?;
    let footer = u32::from_le_bytes(*footer);
    let (rest, values_at) = rest.split_last_chunk::<4>()?;
    let hash_len = match footer & HASH_INDEX {
        0 => 0,
        _ => usize::from(u16::from_le_bytes(*rest.last_chunk::<2>()?)) + 2,
    };
    let (rest, hash_index) = rest.split_at_checked(rest.len().checked_sub(hash_len)?)?;
    let num_restarts = (footer & !(HASH_INDEX | SEPARATED | UNIFORM_KEYS)) as usize;
    let restarts_at = rest.len().checked_sub(num_restarts.checked_mul(4)?)?;
    let (rest, restarts) = rest.split_at(restarts_at);
    let (entries, values) = rest.split_at_checked(u32::from_le_bytes(*values_at) as usize)?;
    let mut out = Vec::new();
    if out.try_reserve_exact(block.len()).is_err() {
        return Some(Err(Status::corruption("Cannot allocate memory for a block")));
    }
    let new_restarts = join_entries(entries, values, restarts, &mut out)?;
    for restart in new_restarts {
        put_fixed32(&mut out, restart);
    }
    out.extend_from_slice(hash_index);
    put_fixed32(&mut out, footer & !SEPARATED);
    Some(Ok(out))
}

/// Appends the entries with their values to `out`; returns where the restarts are now. Values must
/// lie one behind the other, as they are written, so that there is not more than the section holds.
fn join_entries(
    entries: &[u8],
    mut values: &[u8],
    restarts: &[u8],
    out: &mut Vec<u8>,
) -> Option<Vec<u32>> {
    let whole = values.len();
    let mut restarts = restarts.chunks_exact(4).map(|restart| fixed32(restart) as usize).peekable();
    let mut new_restarts = Vec::with_capacity(restarts.len());
    let mut rest = entries;
    while !rest.is_empty() {
        let at = entries.len() - rest.len();
        let is_restart = restarts.next_if_eq(&at).is_some();
        let mut field = || {
            let (value, len) = decode_varint32(rest)?;
            rest = &rest[len..];
            Some(value)
        };
        let (shared, unshared, value_len) = (field()?, field()?, field()?);
        if is_restart {
            if field()? as usize != whole - values.len() {
                return None;
            }
            new_restarts.push(out.len() as u32);
        }
        let (key, behind) = rest.split_at_checked(unshared as usize)?;
        let (value, left) = values.split_at_checked(value_len as usize)?;
        (rest, values) = (behind, left);
        for length in [shared, unshared, value_len] {
            put_varint32(out, length);
        }
        out.extend_from_slice(key);
        out.extend_from_slice(value);
    }
    if entries.is_empty() {
        new_restarts.extend(restarts.by_ref().filter(|&at| at == 0).map(|_| 0));
    }
    (restarts.next().is_none() && values.is_empty()).then_some(new_restarts)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::random::Random;
    use crate::table::block_builder::BlockBuilder;

    /// The entries `x1` to `x5` with a restart at every second one, apart and together.
    fn sample() -> (Vec<u8>, Vec<u8>) {
        let (mut keys, mut values, mut restarts) = (Vec::new(), Vec::new(), Vec::new());
        let mut together = BlockBuilder::new(2, true);
        for i in 0..5u8 {
            let (key, value) = ([b'x', b'1' + i], vec![b'v'; usize::from(i)]);
            together.add(&key, &value);
            let shared = u8::from(i % 2 == 1);
            if shared == 0 {
                restarts.push(keys.len() as u32);
            }
            keys.extend_from_slice(&[shared, 2 - shared, i]);
            if shared == 0 {
                keys.push(values.len() as u8);
            }
            keys.extend_from_slice(&key[usize::from(shared)..]);
            values.extend_from_slice(&value);
        }
        let values_at = keys.len() as u32;
        keys.extend_from_slice(&values);
        restarts.iter().for_each(|restart| put_fixed32(&mut keys, *restart));
        put_fixed32(&mut keys, values_at);
        put_fixed32(&mut keys, restarts.len() as u32 | SEPARATED);
        (keys, std::mem::take(together.finish()))
    }

    #[test]
    fn sections_are_joined_to_the_ordinary_block() {
        let (apart, together) = sample();
        assert!(is_separated(&apart) && !is_separated(&together));
        assert_eq!(join(&apart).unwrap(), together);
    }

    #[test]
    fn damaged_sections_are_errors_or_blocks_that_are_not_longer() {
        let mut random = Random::from_env(14);
        let (good, _) = sample();
        for len in 0..good.len() {
            if let Ok(block) = join(&good[..len]) {
                assert!(block.len() <= len);
            }
        }
        let mut refused = 0;
        for _ in 0..20_000 {
            let mut bad = good.clone();
            for _ in 0..1 + random.below(3) {
                let at = random.below(bad.len() as u64) as usize;
                bad[at] = random.next_u64() as u8;
            }
            match join(&bad) {
                Ok(block) => assert!(block.len() <= bad.len()),
                Err(_) => refused += 1,
            }
        }
        assert!(refused > 10_000, "{refused}");
    }
}
