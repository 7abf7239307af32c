//! Row 10: memtables to tables.
