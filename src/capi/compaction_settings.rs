//! Options of leveled compaction that no single row of the option table sets.

use std::ffi::{c_int, c_uchar, c_uint};

use crate::capi::buffer;
use crate::capi::guard::guard;
use crate::capi::handle::get_mut;
use crate::capi::options::rocksdb_options_t;

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

/// Sets the parameters of the last level's compression as `rocksdb_options_set_compression_options`
/// does for the others, and whether they apply.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_options_set_bottommost_compression_options(
    options: *mut rocksdb_options_t,
    w_bits: c_int,
    level: c_int,
    strategy: c_int,
    max_dict_bytes: c_int,
    enabled: c_uchar,
) {
    guard(|| {
        let compression = &mut get_mut(&options)?.options.cf.bottommost_compression_opts;
        compression.window_bits = w_bits;
        compression.level = level;
        compression.strategy = strategy;
        compression.max_dict_bytes = max_dict_bytes as c_uint;
        compression.enabled = enabled != 0;
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
