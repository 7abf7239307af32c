//! Hematite: RocksDB's embedded LSM key-value store in Rust, behind RocksDB's C ABI
//! (`rocksdb/c.h`) and on RocksDB's own files.
//!
//! The C ABI (the `capi` module and `include/rocksdb/c.h`) is the interface. The Rust modules are
//! public for this package's own tests and tools and promise no stability.
//!
//! Modules are layers: each uses only those above it in this list (`ARCHITECTURE.md`).

#[cfg(panic = "abort")]
compile_error!("Hematite contains panics at its C boundary: build with panic=unwind");

pub mod base;
pub mod batch;
pub mod cache;
pub mod capi;
pub mod codec;
pub mod compaction;
pub mod db;
pub mod env;
pub mod flush;
pub mod memtable;
pub mod options;
pub mod plug;
pub mod rangedel;
pub mod read;
pub mod rewrite;
pub mod stats;
pub mod table;
pub mod tools;
pub mod version;
pub mod wal;
