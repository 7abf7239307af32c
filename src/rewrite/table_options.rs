//! From the options that users set to the parameters that a table is written with.

use crate::codec::CompressionType;
use crate::env::Env;
use crate::env::buffered::BufferedWriterOptions;
use crate::options::{BlockBasedTableOptions, CfOptions, DbOptions};
use crate::table::builder::TableBuilderOptions;

/// The parameters of a table for `level` of a column family. What names the table (ids, numbers,
/// times) is left to the caller.
pub fn builder_options(
    db: &DbOptions,
    cf: &CfOptions,
    table: &BlockBasedTableOptions,
    level: usize,
) -> TableBuilderOptions {
    TableBuilderOptions {
        comparator: cf.comparator.clone(),
        format_version: table.format_version,
        checksum: table.checksum,
        block_size: table.block_size as usize,
        block_size_deviation: u32::try_from(table.block_size_deviation).unwrap_or(0),
        block_restart_interval: table.block_restart_interval.max(1) as usize,
        index_block_restart_interval: table.index_block_restart_interval.max(1) as usize,
        use_delta_encoding: table.use_delta_encoding,
        index_type: table.index_type,
        index_shortening: table.index_shortening,
        enable_index_compression: table.enable_index_compression,
        verify_compression: table.verify_compression,
        filter_policy: table.filter_policy,
        whole_key_filtering: table.whole_key_filtering,
        compression: compression(cf, level),
        compression_opts: cf.compression_opts.clone(),
        db_host_id: host_id(&db.env, &db.db_host_id),
        writer: BufferedWriterOptions {
            bytes_per_sync: db.bytes_per_sync,
            use_fsync: db.use_fsync,
            ..BufferedWriterOptions::default()
        },
        ..TableBuilderOptions::default()
    }
}

/// RocksDB's rule: `compression_per_level` if it is set (its last entry for all deeper levels),
/// else `compression`.
fn compression(cf: &CfOptions, level: usize) -> CompressionType {
    let per_level = &cf.compression_per_level;
    per_level.get(level).or(per_level.last()).copied().unwrap_or(cf.compression)
}

/// `db_host_id` as it goes into table properties: `__hostname__` stands for the machine's name.
fn host_id(env: &Env, option: &str) -> String {
    if option == "__hostname__" { env.host_name() } else { option.to_string() }
}
