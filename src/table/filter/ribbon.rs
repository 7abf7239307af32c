//! The Ribbon filter (RocksDB's `Standard128Ribbon`): about 30 % smaller than a Bloom filter with
//! the same false positives, and slower to make.
//!
//! Each key asks of the filter's bits one equation per column: the parity of some of 128
//! neighbouring slots, which its hash chooses, is a bit that its hash gives. Elimination brings the
//! equations of all keys into a band matrix (Dillinger, Walzer: "Ribbon filter: practically smaller
//! than Bloom and Xor", 2021). The solution lies interleaved: for each block of 128 slots one
//! 16-byte segment a column; the blocks of the front have one column less than those behind, by
//! which fractions of a bit are possible.

use super::bloom;
use crate::base::status::{Result, Status};

/// The slots that one key's equation spans.
const WIDTH: u32 = 128;
const SEGMENT_LEN: usize = 16;
/// A row of the right side is 32 bits wide.
const MAX_COLUMNS: u32 = 32;
/// With more keys a filter is a Bloom filter.
pub(super) const MAX_KEYS: usize = 950_000_000;
/// Hashes are tried with these many seeds before a Bloom filter is made.
const SEEDS: u32 = 256;

/// How a key's hash is spread over the filter, by the seed.
#[derive(Clone, Copy)]
struct Hasher {
    seed: u32,
}

/// What one key asks.
struct Equation {
    start: u32,
    coefficients: u128,
    result: u32,
}

impl Hasher {
    /// The hasher with number `ordinal`, which the filter's metadata holds.
    fn new(ordinal: u32) -> Hasher {
        let mixed = u64::from(ordinal).wrapping_mul(0xc782_19a2_3eea_dd03);
        Hasher { seed: (mixed ^ ((mixed & 0xf0f0_f0f0_f0f0_f0f0) >> 4)) as u32 }
    }

    #[inline]
    fn equation(self, hash: u64, starts: u32) -> Equation {
        let hash = (hash ^ u64::from(self.seed)).wrapping_mul(0x6193_d459_236a_3a0d);
        let mixed = hash.wrapping_mul(0xc28f_8282_2b65_0bed);
        let low = mixed ^ 0xc367_844a_6e52_731d;
        Equation {
            start: ((u128::from(hash) * u128::from(starts)) >> 64) as u32,
            coefficients: u128::from(mixed) << 64 | u128::from(low) | 1,
            result: mixed.swap_bytes() as u32,
        }
    }
}

/// How the segments are laid out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Layout {
    blocks: u32,
    /// The columns of the blocks from `upper_from` on; those before have one less.
    columns: u32,
    upper_from: u32,
}

impl Layout {
    /// The layout of `blocks` blocks in `segments` segments.
    fn new(blocks: u32, segments: u64) -> Layout {
        let columns = segments.div_ceil(u64::from(blocks.max(1)));
        if columns > u64::from(MAX_COLUMNS) {
            return Layout { blocks, columns: MAX_COLUMNS, upper_from: 0 };
        }
        let upper_from = columns * u64::from(blocks) - segments;
        Layout { blocks, columns: columns as u32, upper_from: upper_from as u32 }
    }

    fn starts(self) -> u32 {
        (self.blocks - 1) * WIDTH + 1
    }

    /// The first segment of `block`, and its columns.
    #[inline]
    fn block(self, block: u32) -> (usize, u32) {
        let first = u64::from(block) * u64::from(self.columns);
        let first = first - u64::from(block.min(self.upper_from));
        (first as usize, self.columns - u32::from(block < self.upper_from))
    }

    /// The rate of false positives.
    fn false_positives(self) -> f64 {
        let lower = f64::from(self.upper_from) * f64::from(WIDTH) / f64::from(self.starts());
        let columns = f64::from(self.columns);
        lower * 0.5f64.powf(columns - 1.0) + (1.0 - lower) * 0.5f64.powf(columns)
    }
}

/// A Ribbon filter in memory.
pub(super) struct Ribbon {
    hasher: Hasher,
    layout: Layout,
    segments: Box<[u128]>,
}

impl Ribbon {
    /// The filter whose solution is `bits`, with the metadata's seed and number of blocks; `None`
    /// for one that cannot be.
    pub(super) fn new(bits: &[u8], ordinal: u8, blocks: u32) -> Result<Option<Ribbon>> {
        if blocks < 2 {
            return Ok(None);
        }
        let (chunks, _) = bits.as_chunks::<SEGMENT_LEN>();
        let layout = Layout::new(blocks, chunks.len() as u64);
        let mut segments = Vec::new();
        segments
            .try_reserve_exact(chunks.len())
            .map_err(|_| Status::aborted(format!("no memory for a filter of {}", bits.len())))?;
        segments.extend(chunks.iter().map(|chunk| u128::from_le_bytes(*chunk)));
        let hasher = Hasher::new(ordinal.into());
        Ok(Some(Ribbon { hasher, layout, segments: segments.into_boxed_slice() }))
    }

    /// Whether a key with this hash may have been added.
    #[inline]
    pub(super) fn may_match(&self, hash: u64) -> bool {
        let equation = self.hasher.equation(hash, self.layout.starts());
        let (first, columns) = self.layout.block(equation.start / WIDTH);
        let shift = equation.start % WIDTH;
        let columns = columns as usize;
        let Some(left) = self.segments.get(first..first + columns) else { return true };
        let here = equation.coefficients << shift;
        if shift == 0 {
            return left.iter().enumerate().all(|(column, segment)| {
                (segment & here).count_ones() & 1 == equation.result >> column & 1
            });
        }
        let Some(right) = self.segments.get(first + columns..first + 2 * columns) else {
            return true;
        };
        let behind = equation.coefficients >> (WIDTH - shift);
        left.iter().zip(right).enumerate().all(|(column, (left, right))| {
            let parity = ((left & here) ^ (right & behind)).count_ones() & 1;
            parity == equation.result >> column & 1
        })
    }

    /// The memory that it takes, in bytes.
    pub(super) fn memory_usage(&self) -> usize {
        size_of_val(&*self.segments)
    }
}

/// The sizes of filters with a wanted rate of false positives.
#[derive(Clone, Copy)]
pub(super) struct Sizing {
    /// One in so many keys is to be a false positive.
    one_in: f64,
    millibits_per_key: u32,
}

impl Sizing {
    /// Filters as good as Bloom filters of so many bits a key.
    pub(super) fn new(bits_per_key: f64, millibits_per_key: u32) -> Sizing {
        let probes = bloom::probes(millibits_per_key);
        let one_in = 1.0 / bloom::cache_local_false_positives(bits_per_key, probes);
        Sizing { one_in, millibits_per_key }
    }

    /// The slots for `keys` keys, of which the first hashes to `first`, and the bytes of the
    /// solution; `None` where a Bloom filter is better.
    pub(super) fn space(self, keys: usize, first: u64) -> Option<(u32, usize)> {
        if keys > MAX_KEYS {
            return None;
        }
        let slots = round_up(slots_for(keys as u32));
        // Files have one or the other number of columns by chance, so that on average there is no
        // loss by rounding.
        let len = self.solution_len(slots, (first >> 32) as u32);
        let bloom = bloom::bits_len(keys, self.millibits_per_key);
        (slots >= 1024 || bloom >= len).then_some((slots, len))
    }

    fn solution_len(self, slots: u32, rounding: u32) -> usize {
        let rate = 1.0 / self.one_in;
        if self.one_in <= 1.0 || rate >= 1.0 {
            return SEGMENT_LEN;
        }
        if self.one_in > f64::from(u32::MAX) {
            return slots as usize * size_of::<u32>();
        }
        let lower_columns = (self.one_in as u32).ilog2();
        let lower_rate = 2f64.powf(-f64::from(lower_columns));
        let upper_rate = 2f64.powf(-f64::from(lower_columns + 1));
        let lower = (rate - upper_rate) / (lower_rate - upper_rate);
        let rounding = (f64::from(rounding) + 0.5) / 4_294_967_296.0;
        let starts = f64::from(slots - WIDTH + 1);
        let upper_from = ((lower * starts + rounding) / f64::from(WIDTH)) as u32;
        let blocks = slots / WIDTH;
        let segments = u64::from(blocks) * u64::from(lower_columns)
            + u64::from(blocks.saturating_sub(upper_from));
        segments as usize * SEGMENT_LEN
    }

    /// The most keys that a solution of `len` bytes holds, about: not more.
    pub(super) fn keys_in(self, len: usize) -> usize {
        let len = len / SEGMENT_LEN * SEGMENT_LEN;
        if self.one_in <= 1.0 {
            return MAX_KEYS;
        }
        let bits_per_slot = match self.one_in < 4_294_967_296.0 {
            true => {
                let upper = 1 + (self.one_in as u32).ilog2();
                let rate = 2f64.powf(-f64::from(upper));
                f64::from(upper) - (1.0 / self.one_in - rate) / rate
            }
            false => f64::from(MAX_COLUMNS),
        };
        let most = len as f64 * 8.0 / bits_per_slot;
        if most >= f64::from(slots_for(MAX_KEYS as u32)) {
            return MAX_KEYS;
        }
        let mut slots = round_up(most as u32);
        while slots > 0 && self.solution_len(slots, 0) > len {
            slots = round_down(slots - 1);
        }
        keys_for(slots) as usize
    }

    /// The rate of false positives with `keys` keys in a solution of `len` bytes.
    pub(super) fn false_positives(self, keys: usize, len: usize) -> f64 {
        let blocks = round_up(slots_for(keys as u32)) / WIDTH;
        Layout::new(blocks, (len / SEGMENT_LEN) as u64).false_positives()
    }
}

/// Whole blocks, and two at least.
fn round_up(slots: u32) -> u32 {
    slots.div_ceil(WIDTH).max(2) * WIDTH
}

/// Whole blocks, and two at least or none.
fn round_down(slots: u32) -> u32 {
    match slots / WIDTH {
        1 => 0,
        blocks => blocks * WIDTH,
    }
}

/// How many keys can be added to 2^n slots so that elimination fails in one of 20 cases, from n = 8
/// on: measured by RocksDB's authors, and part of what makes filters equal bit for bit.
const KEYS_BY_POWER: [f64; 10] =
    [248.851, 499.532, 1001.26, 2003.97, 4005.59, 8000.39, 15966.6, 31828.1, 63447.3, 126_506.0];
const FIRST_POWER: u32 = 8;
const LAST_POWER: u32 = FIRST_POWER + KEYS_BY_POWER.len() as u32 - 1;
/// What the slots a key grow by with each doubling.
const FACTOR_PER_POWER: f64 = 0.0038;
/// Not all digits of 1 / ln 2: these are what RocksDB multiplies with.
#[expect(clippy::approx_constant, reason = "sizes of filters depend on it")]
const LOG2_E: f64 = 1.442_695_040_9;

fn log2(x: u32) -> f64 {
    f64::from(x).ln() * LOG2_E
}

/// The slots a key from the largest of the table on.
fn factor_for_large(log2_slots: f64) -> f64 {
    let known = f64::from(1u32 << LAST_POWER) / KEYS_BY_POWER[KEYS_BY_POWER.len() - 1];
    let base = known - f64::from(LAST_POWER) * FACTOR_PER_POWER;
    base + log2_slots * FACTOR_PER_POWER
}

/// The keys of 2^`power` slots; 0 for too few slots.
fn keys_for_power(power: u32) -> f64 {
    match power {
        ..FIRST_POWER => 0.0,
        FIRST_POWER..=LAST_POWER => KEYS_BY_POWER[(power - FIRST_POWER) as usize],
        _ => (1u64 << power) as f64 / factor_for_large(f64::from(power)),
    }
}

/// The slots that `keys` keys want, between powers of two by interpolation.
fn slots_for(keys: u32) -> u32 {
    if keys == 0 {
        return 0;
    }
    let mut power = (log2(keys) + 0.5) as u32;
    let mut lower = keys_for_power(power);
    if power == 0 || lower == 0.0 {
        return 2 * WIDTH;
    }
    let keys = f64::from(keys);
    let upper = if keys < lower {
        let upper = lower;
        power -= 1;
        lower = keys_for_power(power);
        upper
    } else {
        keys_for_power(power + 1)
    };
    let portion = (keys - lower) / (upper - lower);
    let slots = (1u64 << power) as f64;
    (portion * slots + slots + 0.999_999_999) as u32
}

/// The keys that go into `slots` slots.
fn keys_for(slots: u32) -> u32 {
    if slots == 0 {
        return 0;
    }
    let log2 = log2(slots);
    let power = log2 as u32;
    if power < LAST_POWER {
        let portion = f64::from(slots) / f64::from(1u32 << power) - 1.0;
        return (portion * keys_for_power(power + 1) + (1.0 - portion) * keys_for_power(power))
            as u32;
    }
    (f64::from(slots) / factor_for_large(log2)) as u32
}

/// The equations of a filter being made.
pub(super) struct Banding {
    ordinal: u32,
    coefficients: Vec<u128>,
    results: Vec<u32>,
}

impl Banding {
    /// The equations of `hashes` in `slots` slots, brought into a band; `None` if no seed allows
    /// that.
    pub(super) fn solve(slots: u32, hashes: &[u64]) -> Result<Option<Banding>> {
        let first = hashes.first().map_or(0, |hash| *hash as u32);
        let (mut coefficients, mut results) = (Vec::new(), Vec::new());
        let len = slots as usize;
        if coefficients.try_reserve_exact(len).is_err() || results.try_reserve_exact(len).is_err() {
            return Err(Status::aborted(format!("no memory for a filter of {slots} slots")));
        }
        coefficients.resize(len, 0u128);
        results.resize(len, 0u32);
        let mut banding = Banding { ordinal: 0, coefficients, results };
        for attempt in 0..SEEDS {
            banding.ordinal = first.wrapping_add(attempt) % SEEDS;
            if banding.add_all(hashes) {
                return Ok(Some(banding));
            }
            banding.coefficients.fill(0);
            banding.results.fill(0);
        }
        Ok(None)
    }

    fn add_all(&mut self, hashes: &[u64]) -> bool {
        let hasher = Hasher::new(self.ordinal);
        let starts = self.coefficients.len() as u32 - WIDTH + 1;
        hashes.iter().all(|&hash| self.add(hasher.equation(hash, starts)))
    }

    /// Adds an equation: into the first slot of it that is free, after the ones in the slots before
    /// were subtracted. False if it contradicts them.
    fn add(&mut self, equation: Equation) -> bool {
        let (mut coefficients, mut result) = (equation.coefficients, equation.result);
        let mut slot = equation.start as usize;
        loop {
            let there = self.coefficients[slot];
            if there == 0 {
                self.coefficients[slot] = coefficients;
                self.results[slot] = result;
                return true;
            }
            coefficients ^= there;
            result ^= self.results[slot];
            if coefficients == 0 {
                return result == 0;
            }
            let zeros = coefficients.trailing_zeros();
            slot += zeros as usize;
            coefficients >>= zeros;
        }
    }

    /// Writes the solution to `bits` and what readers need to `metadata`.
    pub(super) fn write(&self, bits: &mut [u8], metadata: &mut [u8; 5]) {
        let (segments, _) = bits.as_chunks_mut::<SEGMENT_LEN>();
        let blocks = self.coefficients.len() as u32 / WIDTH;
        let layout = Layout::new(blocks, segments.len() as u64);
        let mut state = [0u128; MAX_COLUMNS as usize];
        // Back substitution, from the last slot on: a column's state is its last 128 bits.
        for block in (0..blocks).rev() {
            let (first, columns) = layout.block(block);
            let state = &mut state[..columns as usize];
            for slot in (block * WIDTH..(block + 1) * WIDTH).rev() {
                let coefficients = self.coefficients[slot as usize];
                let result = self.results[slot as usize];
                for (column, bits) in state.iter_mut().enumerate() {
                    let shifted = *bits << 1;
                    let parity = (shifted & coefficients).count_ones() & 1;
                    *bits = shifted | u128::from(parity ^ (result >> column & 1));
                }
            }
            for (segment, bits) in segments[first..].iter_mut().zip(state) {
                *segment = bits.to_le_bytes();
            }
        }
        let [low, middle, high, _] = blocks.to_le_bytes();
        // -2: a Ribbon filter.
        *metadata = [0xfe, self.ordinal as u8, low, middle, high];
    }
}
