//! Flags that are passed on to the library as they are, each by one setter.

use super::library::Argument;

/// The C type of a setter's argument.
#[derive(Clone, Copy)]
pub enum Kind {
    /// `unsigned char`, 0 or 1.
    Switch,
    /// `int`, 0 or 1.
    IntSwitch,
    Int,
    Unsigned,
    Long,
    Double,
}

/// One such flag.
pub struct Tuning {
    pub flag: &'static str,
    pub kind: Kind,
    /// The setter in RocksDB's interface, without the prefix. Setters of table options begin with
    /// `block_based_options_`.
    pub setter: &'static str,
    /// The setter in LevelDB's interface, whose argument is a `size_t` or an `int`.
    pub leveldb: Option<(&'static str, Kind)>,
}

const fn option(flag: &'static str, kind: Kind, setter: &'static str) -> Tuning {
    Tuning { flag, kind, setter, leveldb: None }
}

const fn both(
    flag: &'static str,
    kind: Kind,
    setter: &'static str,
    leveldb: &'static str,
    leveldb_kind: Kind,
) -> Tuning {
    Tuning { flag, kind, setter, leveldb: Some((leveldb, leveldb_kind)) }
}

use Kind::{Double, Int, IntSwitch, Long, Switch, Unsigned};

/// All of them, in the order in which they are set.
#[rustfmt::skip]
pub const TUNINGS: &[Tuning] = &[
    both("write_buffer_size", Long, "options_set_write_buffer_size", "options_set_write_buffer_size", Long),
    both("open_files", Int, "options_set_max_open_files", "options_set_max_open_files", Int),
    both("block_size", Long, "block_based_options_set_block_size", "options_set_block_size", Long),
    both("block_restart_interval", Int, "block_based_options_set_block_restart_interval", "options_set_block_restart_interval", Int),
    both("target_file_size_base", Long, "options_set_target_file_size_base", "options_set_max_file_size", Long),
    option("allow_concurrent_memtable_write", Switch, "options_set_allow_concurrent_memtable_write"),
    option("arena_block_size", Long, "options_set_arena_block_size"),
    option("avoid_flush_during_shutdown", Switch, "options_set_avoid_flush_during_shutdown"),
    option("blob_file_size", Long, "options_set_blob_file_size"),
    option("bytes_per_sync", Long, "options_set_bytes_per_sync"),
    option("cache_index_and_filter_blocks", Switch, "block_based_options_set_cache_index_and_filter_blocks"),
    option("compaction_pri", Int, "options_set_compaction_pri"),
    option("compaction_style", Int, "options_set_compaction_style"),
    option("data_block_hash_table_util_ratio", Double, "block_based_options_set_data_block_hash_ratio"),
    option("db_write_buffer_size", Long, "options_set_db_write_buffer_size"),
    option("disable_auto_compactions", IntSwitch, "options_set_disable_auto_compactions"),
    option("enable_blob_files", Switch, "options_set_enable_blob_files"),
    option("enable_pipelined_write", Switch, "options_set_enable_pipelined_write"),
    option("format_version", Int, "block_based_options_set_format_version"),
    option("hard_pending_compaction_bytes_limit", Long, "options_set_hard_pending_compaction_bytes_limit"),
    option("index_block_restart_interval", Int, "block_based_options_set_index_block_restart_interval"),
    option("inplace_update_support", Switch, "options_set_inplace_update_support"),
    option("level0_file_num_compaction_trigger", Int, "options_set_level0_file_num_compaction_trigger"),
    option("level0_slowdown_writes_trigger", Int, "options_set_level0_slowdown_writes_trigger"),
    option("level0_stop_writes_trigger", Int, "options_set_level0_stop_writes_trigger"),
    option("level_compaction_dynamic_level_bytes", Switch, "options_set_level_compaction_dynamic_level_bytes"),
    option("manual_wal_flush", Switch, "options_set_manual_wal_flush"),
    option("max_background_compactions", Int, "options_set_max_background_compactions"),
    option("max_background_flushes", Int, "options_set_max_background_flushes"),
    option("max_background_jobs", Int, "options_set_max_background_jobs"),
    option("max_bytes_for_level_base", Long, "options_set_max_bytes_for_level_base"),
    option("max_bytes_for_level_multiplier", Double, "options_set_max_bytes_for_level_multiplier"),
    option("max_compaction_bytes", Long, "options_set_max_compaction_bytes"),
    option("max_successive_merges", Long, "options_set_max_successive_merges"),
    option("max_total_wal_size", Long, "options_set_max_total_wal_size"),
    option("max_write_buffer_number", Int, "options_set_max_write_buffer_number"),
    option("memtable_bloom_size_ratio", Double, "options_set_memtable_prefix_bloom_size_ratio"),
    option("memtable_whole_key_filtering", Switch, "options_set_memtable_whole_key_filtering"),
    option("metadata_block_size", Long, "block_based_options_set_metadata_block_size"),
    option("min_blob_size", Long, "options_set_min_blob_size"),
    option("min_write_buffer_number_to_merge", Int, "options_set_min_write_buffer_number_to_merge"),
    option("mmap_read", Switch, "options_set_allow_mmap_reads"),
    option("mmap_write", Switch, "options_set_allow_mmap_writes"),
    option("num_levels", Int, "options_set_num_levels"),
    option("optimize_filters_for_hits", IntSwitch, "options_set_optimize_filters_for_hits"),
    option("optimize_filters_for_memory", Switch, "block_based_options_set_optimize_filters_for_memory"),
    option("periodic_compaction_seconds", Long, "options_set_periodic_compaction_seconds"),
    option("pin_l0_filter_and_index_blocks_in_cache", Switch, "block_based_options_set_pin_l0_filter_and_index_blocks_in_cache"),
    option("pin_top_level_index_and_filter", Switch, "block_based_options_set_pin_top_level_index_and_filter"),
    option("soft_pending_compaction_bytes_limit", Long, "options_set_soft_pending_compaction_bytes_limit"),
    option("stats_level", Int, "options_set_statistics_level"),
    option("subcompactions", Unsigned, "options_set_max_subcompactions"),
    option("target_file_size_multiplier", Int, "options_set_target_file_size_multiplier"),
    option("ttl_seconds", Long, "options_set_ttl"),
    option("unordered_write", Switch, "options_set_unordered_write"),
    option("use_data_block_hash_index", IntSwitch, "block_based_options_set_data_block_index_type"),
    option("use_direct_io_for_flush_and_compaction", Switch, "options_set_use_direct_io_for_flush_and_compaction"),
    option("use_direct_reads", Switch, "options_set_use_direct_reads"),
    option("use_fsync", IntSwitch, "options_set_use_fsync"),
    option("wal_bytes_per_sync", Long, "options_set_wal_bytes_per_sync"),
    option("whole_key_filtering", Switch, "block_based_options_set_whole_key_filtering"),
];

impl Kind {
    pub fn is_switch(self) -> bool {
        matches!(self, Switch | IntSwitch)
    }

    /// The argument that a flag's value stands for.
    pub fn argument(self, value: &str) -> Option<Argument> {
        let switch = || match value {
            "1" | "true" => Some(true),
            "0" | "false" => Some(false),
            _ => None,
        };
        match self {
            Switch => switch().map(|on| Argument::Byte(on.into())),
            IntSwitch => switch().map(|on| Argument::Int(on.into())),
            Int => value.parse().ok().map(Argument::Int),
            Unsigned => value.parse().ok().map(Argument::Unsigned),
            Long => value.parse().ok().map(Argument::Long),
            Double => value.parse().ok().map(Argument::Double),
        }
    }
}

/// The flag of that name.
pub fn find(flag: &str) -> Option<&'static Tuning> {
    TUNINGS.iter().find(|tuning| tuning.flag == flag)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_becomes_an_argument_of_the_setters_type() {
        assert_eq!(Switch.argument("true"), Some(Argument::Byte(1)));
        assert_eq!(IntSwitch.argument("0"), Some(Argument::Int(0)));
        assert_eq!(Int.argument("-1"), Some(Argument::Int(-1)));
        assert_eq!(Long.argument("4294967296"), Some(Argument::Long(1 << 32)));
        assert_eq!(Unsigned.argument("-1"), None);
        assert_eq!(Switch.argument("2"), None);
        assert_eq!(Double.argument("0.5"), Some(Argument::Double(0.5)));
    }

    #[test]
    fn each_flag_is_there_once() {
        let mut names: Vec<&str> = TUNINGS.iter().map(|tuning| tuning.flag).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), TUNINGS.len());
        assert_eq!(find("block_size").map(|tuning| tuning.leveldb.is_some()), Some(true));
        assert!(find("no_such_flag").is_none());
    }
}
