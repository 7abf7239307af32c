//! Constants: the numbers that options and arguments of type `int` take.
//!
//! Each group is an enum in C; the functions take `int`, as RocksDB's do. They are read through
//! the types of the layers below, never transmuted: C may pass any number.

/// How a block is compressed.
#[repr(C)]
pub enum rocksdb_compression {
    /// Stored as it is.
    rocksdb_no_compression = 0,
    /// Snappy.
    rocksdb_snappy_compression = 1,
    /// zlib.
    rocksdb_zlib_compression = 2,
    /// bzip2.
    rocksdb_bz2_compression = 3,
    /// LZ4.
    rocksdb_lz4_compression = 4,
    /// LZ4's slow, tighter form.
    rocksdb_lz4hc_compression = 5,
    /// Windows' Xpress; not available here.
    rocksdb_xpress_compression = 6,
    /// Zstandard.
    rocksdb_zstd_compression = 7,
}

/// What opening a database does with a write-ahead log whose end or middle is damaged.
#[repr(C)]
pub enum rocksdb_wal_recovery {
    /// Drops an incomplete record at the end of a log; refuses any other damage.
    rocksdb_tolerate_corrupted_tail_records_recovery = 0,
    /// Refuses any damage.
    rocksdb_absolute_consistency_recovery = 1,
    /// Stops at the first damage: the database is as it was at some moment before.
    rocksdb_point_in_time_recovery = 2,
    /// Skips damaged records and keeps whatever else can be read.
    rocksdb_skip_any_corrupted_records_recovery = 3,
}
