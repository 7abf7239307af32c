//! A small seeded generator (xorshift64*; Vigna 2016) for skip-list heights, file ids and tests.
//! Not for secrets.

/// The generator.
#[derive(Clone, Debug)]
pub struct Random {
    state: u64,
}

impl Random {
    /// A generator whose output depends on `seed` alone.
    pub fn new(seed: u64) -> Self {
        Random { state: seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1 }
    }

    /// For tests: the seed in the environment variable `HEMATITE_SEED`, else `default`. The seed
    /// is printed, so that a failing run can be repeated.
    pub fn from_env(default: u64) -> Self {
        let seed = std::env::var("HEMATITE_SEED").ok().and_then(|s| s.parse().ok());
        let seed = seed.unwrap_or(default);
        println!("seed {seed} (set HEMATITE_SEED to repeat)");
        Random::new(seed)
    }

    /// The next 64 bits.
    pub fn next_u64(&mut self) -> u64 {
        self.state ^= self.state >> 12;
        self.state ^= self.state << 25;
        self.state ^= self.state >> 27;
        self.state.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    /// A number below `limit`, which must not be 0.
    pub fn below(&mut self, limit: u64) -> u64 {
        ((u128::from(self.next_u64()) * u128::from(limit)) >> 64) as u64
    }

    /// True once in `n` calls on average.
    pub fn one_in(&mut self, n: u64) -> bool {
        self.below(n) == 0
    }

    /// `len` bytes.
    pub fn bytes(&mut self, len: usize) -> Vec<u8> {
        (0..len).map(|_| self.next_u64() as u8).collect()
    }
}
