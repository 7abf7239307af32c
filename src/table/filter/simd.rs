//! Probing a Bloom line with AVX2: eight probes at once.

#[cfg(target_arch = "x86_64")]
pub(super) use x86::Prober;

/// Probes without wide registers.
#[cfg(not(target_arch = "x86_64"))]
#[derive(Clone, Copy)]
pub(super) struct Prober;

#[cfg(not(target_arch = "x86_64"))]
impl Prober {
    pub(super) fn new() -> Prober {
        Prober
    }

    /// Nothing is known here that helps.
    #[inline]
    pub(super) fn prefetch(self, _: &super::bloom::Line) {}

    #[inline]
    pub(super) fn contains(self, line: &super::bloom::Line, high: u32, probes: u32) -> bool {
        line.contains(high, probes)
    }
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use super::super::bloom::Line;
    use std::arch::x86_64::*;

    /// Probes in the best way that this processor has, found out once a filter.
    #[derive(Clone, Copy)]
    pub(in super::super) struct Prober {
        /// Set only if the processor has AVX2.
        avx2: bool,
    }

    impl Prober {
        pub(in super::super) fn new() -> Prober {
            Prober { avx2: is_x86_feature_detected!("avx2") }
        }

        /// Has memory deliver `line`, which will be probed soon.
        #[inline]
        pub(in super::super) fn prefetch(self, line: &Line) {
            // SAFETY: a prefetch neither reads nor writes as far as the program can tell, and SSE
            // is part of every x86-64 processor.
            unsafe { _mm_prefetch::<_MM_HINT_T0>(line.0.as_ptr().cast()) };
        }

        /// Whether all `probes` bits for the high half of a hash are set in `line`.
        #[inline]
        pub(in super::super) fn contains(self, line: &Line, high: u32, probes: u32) -> bool {
            if self.avx2 {
                // SAFETY: `avx2` is private and only `new` sets it, having asked the processor.
                unsafe { contains_avx2(line, high, probes) }
            } else {
                line.contains(high, probes)
            }
        }
    }

    /// The golden ratio's powers 0 to 7, mod 2^32, and its power 8.
    const POWERS: [u32; 8] = powers();
    const POWER_8: u32 = POWERS[7].wrapping_mul(0x9e37_79b9);

    const fn powers() -> [u32; 8] {
        let mut powers = [1u32; 8];
        let mut i = 1;
        while i < 8 {
            powers[i] = powers[i - 1].wrapping_mul(0x9e37_79b9);
            i += 1;
        }
        powers
    }

    #[target_feature(enable = "avx2")]
    fn contains_avx2(line: &Line, high: u32, probes: u32) -> bool {
        let base = line.0.as_ptr();
        // SAFETY: a line is 64 bytes long and aligned to 64, so both aligned 32-byte loads are
        // inside it; `POWERS` is 32 bytes, loaded without alignment.
        let (low_half, high_half, powers) = unsafe {
            (
                _mm256_load_si256(base.cast()),
                _mm256_load_si256(base.add(32).cast()),
                _mm256_loadu_si256(POWERS.as_ptr().cast()),
            )
        };
        let lanes = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
        let mut h = high;
        let mut left = probes as i32;
        loop {
            let hashes = _mm256_mullo_epi32(_mm256_set1_epi32(h as i32), powers);
            // The top 9 bits address a bit: 4 bits a 32-bit word, 5 bits within it. The permutation
            // looks at the low three bits of the word's number, the blend at its top bit.
            let word = _mm256_srli_epi32::<28>(hashes);
            let words = _mm256_blendv_epi8(
                _mm256_permutevar8x32_epi32(low_half, word),
                _mm256_permutevar8x32_epi32(high_half, word),
                _mm256_srai_epi32::<31>(hashes),
            );
            // 1 in the lanes that still count, moved to the bit asked for.
            let counts = _mm256_srli_epi32::<31>(_mm256_sub_epi32(lanes, _mm256_set1_epi32(left)));
            let bit = _mm256_srli_epi32::<27>(_mm256_slli_epi32::<4>(hashes));
            let wanted = _mm256_sllv_epi32(counts, bit);
            if _mm256_testc_si256(words, wanted) == 0 {
                return false;
            }
            if left <= 8 {
                return true;
            }
            left -= 8;
            h = h.wrapping_mul(POWER_8);
        }
    }
}
