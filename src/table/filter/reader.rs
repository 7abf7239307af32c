//! [`FilterReader`]: asks a filter block whether a key may be in its table.

use super::bloom::{self, Line};
use super::legacy::LegacyBloom;
use super::ribbon::Ribbon;
use super::simd::Prober;
use super::{KeyHash, METADATA_LEN};
use crate::base::status::{Result, Status};
use crate::table::KeySet;

/// A full filter in memory.
///
/// A filter of a kind that is not understood (kinds to come, damaged metadata) answers "maybe" to
/// everything: it never hides a key.
pub struct FilterReader(Kind);

enum Kind {
    Maybe,
    Never,
    Bloom { lines: Box<[Line]>, probes: u32, prober: Prober },
    Ribbon(Ribbon),
    Legacy(LegacyBloom),
}

impl FilterReader {
    /// Reads a filter block's contents. Fails only for want of memory.
    pub fn new(block: &[u8]) -> Result<FilterReader> {
        if block.is_empty() {
            // What a builder makes of no keys at all.
            return Ok(FilterReader(Kind::Never));
        }
        let Some((bits, metadata)) = block.split_last_chunk::<METADATA_LEN>() else {
            return Ok(FilterReader(Kind::Maybe));
        };
        match *metadata {
            [0xfe, seed, low, middle, high] => {
                let blocks = u32::from_le_bytes([low, middle, high, 0]);
                let ribbon = Ribbon::new(bits, seed, blocks)?;
                return Ok(FilterReader(ribbon.map_or(Kind::Maybe, Kind::Ribbon)));
            }
            [1..=127, ..] => {
                let bloom = LegacyBloom::new(bits, *metadata)?;
                return Ok(FilterReader(bloom.map_or(Kind::Maybe, Kind::Legacy)));
            }
            _ => {}
        }
        let probes = u32::from(metadata[2]);
        let understood = metadata[..2] == [0xff, 0]
            && (1..=30).contains(&probes)
            && metadata[3..] == [0, 0]
            && !bits.is_empty()
            && bits.len() % Line::LEN == 0
            && bits.len() as u64 <= bloom::MAX_LEN;
        if !understood {
            return Ok(FilterReader(Kind::Maybe));
        }
        let lines = aligned(bits)?;
        Ok(FilterReader(Kind::Bloom { lines, probes, prober: Prober::new() }))
    }

    /// Whether it hashes keys in another way than [`KeyHash`]: then only
    /// [`may_match_key`](FilterReader::may_match_key) knows more than "maybe".
    #[inline]
    pub fn hashes_otherwise(&self) -> bool {
        matches!(self.0, Kind::Legacy(_))
    }

    /// Whether `key`, whose hash is `hash`, may be in the table: false is certain.
    #[inline]
    pub fn may_match_key(&self, hash: KeyHash, key: &[u8]) -> bool {
        match &self.0 {
            Kind::Legacy(filter) => filter.may_match(key),
            _ => self.may_match(hash),
        }
    }

    /// Whether the key with this hash may be in the table: false is certain.
    #[inline]
    pub fn may_match(&self, key: KeyHash) -> bool {
        match &self.0 {
            Kind::Maybe | Kind::Legacy(_) => true,
            Kind::Never => false,
            Kind::Ribbon(filter) => filter.may_match(key.0),
            Kind::Bloom { lines, probes, prober } => {
                let line = &lines[bloom::line_of(key.0 as u32, lines.len())];
                prober.contains(line, (key.0 >> 32) as u32, *probes)
            }
        }
    }

    /// Those of `keys`, whose hashes `hash` and whose bytes `key` gives, that may be in the table:
    /// that the others are not is certain.
    pub fn matching<'k>(
        &self,
        keys: KeySet,
        hash: impl Fn(usize) -> KeyHash,
        key: impl Fn(usize) -> &'k [u8],
    ) -> KeySet {
        let (lines, probes, prober) = match &self.0 {
            Kind::Maybe => return keys,
            Kind::Never => return KeySet::default(),
            Kind::Ribbon(filter) => return keys.filtered(|at| filter.may_match(hash(at).0)),
            Kind::Legacy(filter) => return keys.filtered(|at| filter.may_match(key(at))),
            Kind::Bloom { lines, probes, prober } => (lines, *probes, prober),
        };
        let line = |hash: KeyHash| &lines[bloom::line_of(hash.0 as u32, lines.len())];
        // Memory delivers the lines while it is asked for more of them.
        keys.into_iter().for_each(|key| prober.prefetch(line(hash(key))));
        let mut found = KeySet::default();
        for key in keys {
            let hash = hash(key);
            if prober.contains(line(hash), (hash.0 >> 32) as u32, probes) {
                found.insert(key);
            }
        }
        found
    }

    /// The memory it takes, in bytes.
    pub fn memory_usage(&self) -> usize {
        match &self.0 {
            Kind::Bloom { lines, .. } => size_of_val(&**lines),
            Kind::Ribbon(filter) => filter.memory_usage(),
            Kind::Legacy(filter) => filter.memory_usage(),
            Kind::Maybe | Kind::Never => 0,
        }
    }
}

/// The bits at a cache line's boundary, so that a probe touches one line of memory and not two.
fn aligned(bits: &[u8]) -> Result<Box<[Line]>> {
    let (chunks, _) = bits.as_chunks::<{ Line::LEN }>();
    let mut lines = Vec::new();
    lines
        .try_reserve_exact(chunks.len())
        .map_err(|_| Status::aborted(format!("no memory for a filter of {} bytes", bits.len())))?;
    lines.extend(chunks.iter().map(|chunk| Line(*chunk)));
    Ok(lines.into_boxed_slice())
}
