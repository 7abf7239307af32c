//! Row 4: the block cache.
