//! [`allocated_len`]: what the allocator hands out for a block of memory.

/// How many bytes can be used of what `malloc` hands out for `len` bytes aligned to `alignment`, a
/// power of two from 8 on; `len` if that is not known.
pub fn allocated_len(len: usize, alignment: usize) -> usize {
    let mut block = std::ptr::null_mut();
    // SAFETY: the block is written to a variable of the right type, and only if the call succeeds.
    let failed = unsafe { libc::posix_memalign(&mut block, alignment, len) } != 0;
    if failed || block.is_null() {
        return len;
    }
    // SAFETY: `block` was just handed out by the same allocator.
    let usable = unsafe { libc::malloc_usable_size(block) };
    // SAFETY: as before, and nobody else has it.
    unsafe { libc::free(block) };
    usable.max(len)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_are_at_least_as_long_as_asked_for() {
        for len in [0, 1, 64, 1000, 4096, 100_000, 3_000_000] {
            for alignment in [16, 64] {
                let allocated = allocated_len(len, alignment);
                assert!(allocated >= len && allocated < len + len / 4 + 8192, "{len} {allocated}");
            }
        }
        assert_eq!(allocated_len(usize::MAX / 2, 64), usize::MAX / 2);
    }
}
