//! From the options that users set to the parameters that a table is written with.

use crate::base::status::{Result, Status};
use crate::codec::CompressionType;
use crate::env::Env;
use crate::env::buffered::BufferedWriterOptions;
use crate::env::file_system::Access;
use crate::options::enums::{CompactionStyle, DataBlockIndexType, Numbered, Temperature};
use crate::options::{BlockBasedTableOptions, CfOptions, DbOptions};
use crate::table::builder::TableBuilderOptions;
use crate::table::filter::FilterContext;

/// Whose table it is.
#[derive(Clone, Copy)]
pub struct TableOwner<'a> {
    /// The database's options.
    pub db_options: &'a DbOptions,
    /// The column family's options.
    pub cf_options: &'a CfOptions,
    /// The column family's id.
    pub family_id: u32,
    /// Its name.
    pub family_name: &'a [u8],
    /// The database's identity.
    pub db_id: &'a str,
    /// This opening's identity.
    pub session_id: &'a str,
}

/// What is known of one table before it is written.
#[derive(Clone, Copy, Debug, Default)]
pub struct NewTable {
    /// The number in the file's name.
    pub file_number: u64,
    /// When the oldest of its data were written, in seconds since 1970.
    pub oldest_ancester_time: u64,
    /// The write time of the newest key, in seconds since 1970; 0 is unknown.
    pub newest_key_time: u64,
    /// Now, in seconds since 1970.
    pub now: u64,
    /// The level that it is written for; -1 is a flush.
    pub level: i32,
    /// No other data of its keys are older.
    pub bottommost: bool,
}

impl TableOwner<'_> {
    /// What is noted as the temperature of a table that goes to the last level, or to another.
    pub fn temperature(&self, last_level: bool) -> u8 {
        let (last, other) =
            (self.cf_options.last_level_temperature, self.cf_options.default_write_temperature);
        let chosen = if last_level && last != Temperature::Unknown { last } else { other };
        // Every number is that of the file format, a byte.
        chosen.number() as u8
    }

    /// The parameters of a flushed table. Compactions choose the compression by themselves.
    pub fn builder_options(&self, new: &NewTable) -> Result<TableBuilderOptions> {
        let factory = &self.cf_options.table_factory;
        let Some(table) = factory.block_based() else {
            return Err(Status::not_supported(format!(
                "Writing tables of format {}",
                factory.name()
            )));
        };
        let mut options = common_options(self.db_options, self.cf_options, table);
        if self.cf_options.optimize_filters_for_hits && new.bottommost {
            // Most look-ups that come so far find their key.
            options.filter_policy = None;
        }
        options.merge_operator_name =
            self.cf_options.merge_operator.as_ref().map(|operator| operator.name().to_string());
        Ok(TableBuilderOptions {
            column_family_id: self.family_id.into(),
            column_family_name: String::from_utf8_lossy(self.family_name).into_owned(),
            db_id: self.db_id.to_string(),
            db_session_id: self.session_id.to_string(),
            file_number: new.file_number,
            filter_level: match self.cf_options.compaction_style {
                CompactionStyle::Level | CompactionStyle::Universal => new.level,
                // Levels mean nothing there.
                CompactionStyle::Fifo | CompactionStyle::None => FilterContext::NO_LEVEL,
            },
            creation_time: new.oldest_ancester_time,
            newest_key_time: new.newest_key_time,
            file_creation_time: new.now,
            ..options
        })
    }
}

fn common_options(
    db: &DbOptions,
    cf: &CfOptions,
    table: &BlockBasedTableOptions,
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
        block_align: table.block_align,
        data_block_hash_ratio: (table.data_block_index_type == DataBlockIndexType::BinaryAndHash)
            .then_some(table.data_block_hash_table_util_ratio),
        index_type: table.index_type,
        metadata_block_size: usize::try_from(table.metadata_block_size).unwrap_or(usize::MAX),
        partition_filters: table.partition_filters,
        decouple_partitioned_filters: table.decouple_partitioned_filters,
        index_shortening: table.index_shortening,
        enable_index_compression: table.enable_index_compression,
        verify_compression: table.verify_compression,
        filter_policy: table.filter_policy.clone(),
        optimize_filters_for_memory: table.optimize_filters_for_memory,
        detect_filter_corruption: table.detect_filter_construct_corruption,
        whole_key_filtering: table.whole_key_filtering,
        prefix_extractor: cf.prefix_extractor.clone(),
        compact_on_deletion: cf.compact_on_deletion.clone(),
        compression: flush_compression(cf),
        compression_opts: cf.compression_opts.clone(),
        merge_operator_name: cf.merge_operator.as_ref().map(|operator| operator.name().into()),
        db_host_id: host_id(&db.env, &db.db_host_id),
        writer: BufferedWriterOptions {
            buffer_size: db.writable_file_max_buffer_size,
            bytes_per_sync: db.bytes_per_sync,
            strict_bytes_per_sync: db.strict_bytes_per_sync,
            use_fsync: db.use_fsync,
            access: match (db.use_direct_io_for_flush_and_compaction, db.allow_mmap_writes) {
                (true, _) => Access::Direct,
                (false, true) => Access::Mapped,
                (false, false) => Access::Buffered,
            },
            ..BufferedWriterOptions::default()
        },
        stats: db.statistics.clone(),
        ..TableBuilderOptions::default()
    }
}

/// The compression of flushed tables. Universal compaction with a limit of what is compressed leaves
/// the newest data as they are.
fn flush_compression(cf: &CfOptions) -> CompressionType {
    let percent = cf.compaction_options_universal.compression_size_percent;
    if cf.compaction_style == CompactionStyle::Universal && percent >= 0 {
        return CompressionType::None;
    }
    cf.compression_per_level.first().copied().unwrap_or(cf.compression)
}

/// `db_host_id` as it goes into table properties: `__hostname__` stands for the machine's name.
fn host_id(env: &Env, option: &str) -> String {
    if option == "__hostname__" { env.host_name() } else { option.to_string() }
}
