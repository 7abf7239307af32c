//! Row 5: one declaration per option, and what follows from it.
//!
//! The rows are in [`db`], [`cf`], [`block_based`], [`read`], [`write`] and [`flush`]; [`table`]
//! says what a row is. Facts about options (names, types, defaults, text) are RocksDB 11.8's.

pub mod backup;
pub mod block_based;
pub mod cf;
mod change;
pub mod compact;
pub mod compaction;
pub mod db;
pub mod enums;
pub mod file;
pub mod flush;
mod objects;
mod offpeak;
mod optimize;
mod paths;
pub mod read;
pub mod rejected;
mod sanitize;
pub mod table;
pub mod table_factory;
#[cfg(test)]
mod tests;
pub mod text;
mod validate;
pub mod write;

pub use backup::{BackupOptions, CreateBackupOptions, RestoreOptions};
pub use block_based::{BlockBasedTableOptions, MetadataCacheOptions};
pub use cf::CfOptions;
pub use compaction::{CompactionOptionsFifo, CompactionOptionsUniversal};
pub use db::DbOptions;
pub use enums::{
    ChecksumType, CompactionPri, CompactionStyle, DataBlockIndexType, IndexShortening, IndexType,
    PinningTier, RateLimiterPriority, ReadTier,
};
pub use file::{OptionsFile, latest_options_file, options_text, write_options_file};
pub use flush::{FlushOptions, FlushWalOptions};
pub use paths::DbPath;
pub use read::ReadOptions;
pub use table_factory::TableFactory;
pub use write::WriteOptions;

/// Everything that opening a database with one column family needs: `rocksdb_options_t`.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Options of the database.
    pub db: DbOptions,
    /// Options of the column family.
    pub cf: CfOptions,
}
