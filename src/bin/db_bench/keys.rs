//! Keys and values in RocksDB's `db_bench` form: a number, big-endian, padded with `'0'`; values
//! that compress to about half.

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
}

/// Fills `key` with number `n`.
pub fn fill_key(key: &mut [u8], n: u64) {
    key.fill(b'0');
    let digits = n.to_be_bytes();
    let len = key.len().min(8);
    key[..len].copy_from_slice(&digits[8 - len..]);
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
