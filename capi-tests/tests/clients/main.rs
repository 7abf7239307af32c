//! Programs that others wrote for RocksDB, on Hematite.

mod balboa;
mod example;
mod msgpack;
