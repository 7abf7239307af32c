//! Options of leveled compaction that no single row of the option table sets.

use std::ffi::c_int;

use crate::capi::buffer;
use crate::capi::guard::guard;
use crate::capi::handle::get_mut;
use crate::capi::options::rocksdb_options_t;
use crate::plug::compact_on_deletion::CompactOnDeletion;

/// Sets a further factor for the size of each level, the first for level 0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_options_set_max_bytes_for_level_multiplier_additional(
    options: *mut rocksdb_options_t,
    level_values: *mut c_int,
    num_levels: usize,
) {
    guard(|| {
        let values = level_values.cast_const();
        let values = buffer::array(&values, num_levels)?.to_vec();
        get_mut(&options)?.options.cf.max_bytes_for_level_multiplier_additional = values;
        Ok(())
    })
}

/// Sets the options for loading much data at once: nothing is compacted and writes never wait. A
/// compaction of the whole range is to follow.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_options_prepare_for_bulk_load(options: *mut rocksdb_options_t) {
    guard(|| {
        let options = &mut get_mut(&options)?.options;
        let (db, cf) = (&mut options.db, &mut options.cf);
        cf.level0_file_num_compaction_trigger = 1 << 30;
        cf.level0_slowdown_writes_trigger = 1 << 30;
        cf.level0_stop_writes_trigger = 1 << 30;
        cf.soft_pending_compaction_bytes_limit = 0;
        cf.hard_pending_compaction_bytes_limit = 0;
        cf.disable_auto_compactions = true;
        cf.max_compaction_bytes = 1 << 60;
        cf.num_levels = 2;
        cf.max_write_buffer_number = 6;
        cf.min_write_buffer_number_to_merge = 1;
        db.max_background_flushes = 4;
        db.max_background_compactions = 2;
        cf.target_file_size_base = 256 << 20;
        Ok(())
    })
}

/// Has tables compacted that hold `num_dels_trigger` deletions among `window_size` records in a row.
/// Called several times, each rule suffices.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_options_add_compact_on_deletion_collector_factory(
    options: *mut rocksdb_options_t,
    window_size: usize,
    num_dels_trigger: usize,
) {
    guard(|| {
        let rule = CompactOnDeletion {
            window: window_size,
            trigger: num_dels_trigger,
            ratio: 0.0,
            min_file_size: 0,
        };
        get_mut(&options)?.options.cf.compact_on_deletion.push(rule);
        Ok(())
    })
}

/// The same, and tables of whose records this part are deletions; a ratio that is not above 0 and up
/// to 1 does not count.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_options_add_compact_on_deletion_collector_factory_del_ratio(
    options: *mut rocksdb_options_t,
    window_size: usize,
    num_dels_trigger: usize,
    deletion_ratio: f64,
) {
    guard(|| {
        let rule = CompactOnDeletion {
            window: window_size,
            trigger: num_dels_trigger,
            ratio: deletion_ratio,
            min_file_size: 0,
        };
        get_mut(&options)?.options.cf.compact_on_deletion.push(rule);
        Ok(())
    })
}

/// The same, for tables of so many bytes and more.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_options_add_compact_on_deletion_collector_factory_min_file_size(
    options: *mut rocksdb_options_t,
    window_size: usize,
    num_dels_trigger: usize,
    deletion_ratio: f64,
    min_file_size: u64,
) {
    guard(|| {
        let rule = CompactOnDeletion {
            window: window_size,
            trigger: num_dels_trigger,
            ratio: deletion_ratio,
            min_file_size,
        };
        get_mut(&options)?.options.cf.compact_on_deletion.push(rule);
        Ok(())
    })
}
