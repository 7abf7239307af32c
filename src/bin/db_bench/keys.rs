//! Keys and values in RocksDB's `db_bench` form: a number, big-endian, padded with `'0'`, after a
//! prefix if there is one; values that compress to a part of their size.

use crate::flags::Flags;

/// A seeded generator (splitmix64).
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Random {
        Random(seed)
    }

    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    pub fn below(&mut self, limit: u64) -> u64 {
        ((u128::from(self.next()) * u128::from(limit)) >> 64) as u64
    }

    /// The numbers below `count`, in a random order.
    pub fn permutation(&mut self, count: u64) -> Vec<u64> {
        let mut numbers: Vec<u64> = (0..count).collect();
        for i in (1..numbers.len()).rev() {
            numbers.swap(i, self.below(i as u64 + 1) as usize);
        }
        numbers
    }
}

/// How numbers become keys.
#[derive(Clone, Copy)]
pub struct KeyShape {
    prefix_size: usize,
    /// How many prefixes there are; 0: keys have none.
    prefixes: u64,
}

impl KeyShape {
    pub fn new(flags: &Flags) -> KeyShape {
        let prefixes = match flags.keys_per_prefix {
            0 => 0,
            keys => (flags.num / keys).max(1),
        };
        KeyShape { prefix_size: flags.prefix_bytes(), prefixes }
    }

    /// Fills `key` with number `n`.
    pub fn fill(self, key: &mut [u8], n: u64) {
        let (prefix, rest) = key.split_at_mut(self.prefix_size);
        if let Some(number) = n.checked_rem(self.prefixes) {
            fill(prefix, number);
        }
        fill(rest, n);
    }
}

fn fill(part: &mut [u8], n: u64) {
    let digits = n.to_be_bytes();
    let len = part.len().min(8);
    part[..len].copy_from_slice(&digits[8 - len..]);
    part[len..].fill(b'0');
}

/// A pool of bytes that values are cut from.
pub struct Values {
    pool: Vec<u8>,
    at: usize,
}

impl Values {
    const POOL: usize = 1 << 20;

    /// Values that compress to about `ratio` of their size.
    pub fn new(seed: u64, ratio: f64, longest: usize) -> Values {
        let mut random = Random::new(seed);
        let mut pool = Vec::with_capacity(Values::POOL + longest + 200);
        while pool.len() < Values::POOL.max(longest + 1) {
            let piece: Vec<u8> = (0..(100.0 * ratio).max(1.0) as usize)
                .map(|_| b' ' + random.below(95) as u8)
                .collect();
            pool.extend(piece.iter().cycle().take(100));
        }
        Values { pool, at: 0 }
    }

    pub fn next(&mut self, len: usize) -> &[u8] {
        if self.at + len > self.pool.len() {
            self.at = 0;
        }
        self.at += len;
        &self.pool[self.at - len..self.at]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(flags: &[(&str, &str)], size: usize, n: u64) -> Vec<u8> {
        let mut set = Flags::defaults();
        for (name, value) in flags {
            set.set(name, value).unwrap();
        }
        let mut key = vec![b'x'; size];
        KeyShape::new(&set).fill(&mut key, n);
        key
    }

    #[test]
    fn a_key_is_its_number_and_zeros() {
        assert_eq!(key(&[], 10, 0x0102), *b"\0\0\0\0\0\0\x01\x0200");
        assert_eq!(key(&[], 3, 0x0102), *b"\0\x01\x02");
    }

    #[test]
    fn keys_of_a_prefix_begin_alike() {
        let flags = [("num", "100"), ("prefix_size", "2"), ("keys_per_prefix", "10")];
        assert_eq!(key(&flags, 5, 13), *b"\0\x03\0\0\x0d");
        assert_eq!(key(&flags, 5, 23)[..2], key(&flags, 5, 13)[..2]);
    }

    #[test]
    fn a_permutation_has_each_number_once() {
        let mut numbers = Random::new(7).permutation(1000);
        assert!(!numbers.is_sorted());
        numbers.sort_unstable();
        assert!(numbers.into_iter().eq(0..1000));
    }

    #[test]
    fn values_have_their_length_and_repeat_half() {
        let mut values = Values::new(1, 0.5, 2 << 20);
        assert_eq!(values.next(2 << 20).len(), 2 << 20);
        let value = Values::new(1, 0.5, 100).next(100).to_vec();
        assert_eq!(value[..50], value[50..]);
    }
}
