//! Row 7: the in-memory table of recent writes.
