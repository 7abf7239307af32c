//! Parameters of compression.

use std::ffi::{c_int, c_uchar, c_uint};

use crate::capi::guard::guard;
use crate::capi::handle::{get, get_mut};
use crate::capi::options::rocksdb_options_t;
use crate::codec::CompressionType;

/// Sets the parameters of the compression: zlib's window bits, the level (32767 means the
/// codec's own), zlib's strategy, and the bytes of a dictionary (0 means none).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_options_set_compression_options(
    options: *mut rocksdb_options_t,
    w_bits: c_int,
    level: c_int,
    strategy: c_int,
    max_dict_bytes: c_int,
) {
    guard(|| {
        let compression = &mut get_mut(&options)?.options.cf.compression_opts;
        compression.window_bits = w_bits;
        compression.level = level;
        compression.strategy = strategy;
        compression.max_dict_bytes = max_dict_bytes as c_uint;
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

/// The most bytes of a table that Zstandard trains its dictionary on; 0 takes them for the
/// dictionary as they are.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_options_set_compression_options_zstd_max_train_bytes(
    options: *mut rocksdb_options_t,
    value: c_int,
) {
    guard(|| {
        get_mut(&options)?.options.cf.compression_opts.zstd_max_train_bytes = value as c_uint;
        Ok(())
    })
}

/// What `rocksdb_options_set_compression_options_zstd_max_train_bytes` set, or the default.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_options_get_compression_options_zstd_max_train_bytes(
    options: *mut rocksdb_options_t,
) -> c_int {
    guard(|| Ok(get(&options)?.options.cf.compression_opts.zstd_max_train_bytes as c_int))
}

/// Sets for the last level what `rocksdb_options_set_compression_options_zstd_max_train_bytes`
/// sets for the others, and whether the last level's parameters apply.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_options_set_bottommost_compression_options_zstd_max_train_bytes(
    options: *mut rocksdb_options_t,
    value: c_int,
    enabled: c_uchar,
) {
    guard(|| {
        let compression = &mut get_mut(&options)?.options.cf.bottommost_compression_opts;
        compression.zstd_max_train_bytes = value as c_uint;
        compression.enabled = enabled != 0;
        Ok(())
    })
}

/// Whether Zstandard trains dictionaries. What else it can make of samples is not supported: 0 is
/// refused at open where dictionaries are made from samples.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_options_set_compression_options_use_zstd_dict_trainer(
    options: *mut rocksdb_options_t,
    value: c_uchar,
) {
    guard(|| {
        get_mut(&options)?.options.cf.compression_opts.use_zstd_dict_trainer = value != 0;
        Ok(())
    })
}

/// What `rocksdb_options_set_compression_options_use_zstd_dict_trainer` set, or the default.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_options_get_compression_options_use_zstd_dict_trainer(
    options: *mut rocksdb_options_t,
) -> c_uchar {
    guard(|| Ok(get(&options)?.options.cf.compression_opts.use_zstd_dict_trainer.into()))
}

/// Sets for the last level what `rocksdb_options_set_compression_options_use_zstd_dict_trainer`
/// sets for the others, and whether the last level's parameters apply.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_options_set_bottommost_compression_options_use_zstd_dict_trainer(
    options: *mut rocksdb_options_t,
    value: c_uchar,
    enabled: c_uchar,
) {
    guard(|| {
        let compression = &mut get_mut(&options)?.options.cf.bottommost_compression_opts;
        compression.use_zstd_dict_trainer = value != 0;
        compression.enabled = enabled != 0;
        Ok(())
    })
}

/// What `rocksdb_options_set_bottommost_compression_options_use_zstd_dict_trainer` set, or the
/// default.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_options_get_bottommost_compression_options_use_zstd_dict_trainer(
    options: *mut rocksdb_options_t,
) -> c_uchar {
    guard(|| Ok(get(&options)?.options.cf.bottommost_compression_opts.use_zstd_dict_trainer.into()))
}

/// The most bytes of blocks that are held back to make a dictionary from; 0 means up to the size of
/// the table.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_options_set_compression_options_max_dict_buffer_bytes(
    options: *mut rocksdb_options_t,
    value: u64,
) {
    guard(|| {
        get_mut(&options)?.options.cf.compression_opts.max_dict_buffer_bytes = value;
        Ok(())
    })
}

/// What `rocksdb_options_set_compression_options_max_dict_buffer_bytes` set, or the default.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_options_get_compression_options_max_dict_buffer_bytes(
    options: *mut rocksdb_options_t,
) -> u64 {
    guard(|| Ok(get(&options)?.options.cf.compression_opts.max_dict_buffer_bytes))
}

/// Sets for the last level what `rocksdb_options_set_compression_options_max_dict_buffer_bytes`
/// sets for the others, and whether the last level's parameters apply.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_options_set_bottommost_compression_options_max_dict_buffer_bytes(
    options: *mut rocksdb_options_t,
    value: u64,
    enabled: c_uchar,
) {
    guard(|| {
        let compression = &mut get_mut(&options)?.options.cf.bottommost_compression_opts;
        compression.max_dict_buffer_bytes = value;
        compression.enabled = enabled != 0;
        Ok(())
    })
}

/// Leaves the levels before `level` without compression, and gives those from it on the compression
/// that is set now. A negative number changes nothing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_options_set_min_level_to_compress(
    options: *mut rocksdb_options_t,
    level: c_int,
) {
    guard(|| {
        let cf = &mut get_mut(&options)?.options.cf;
        if level < 0 {
            return Ok(());
        }
        let compression = |at| if at < level { CompressionType::None } else { cf.compression };
        cf.compression_per_level = (0..cf.num_levels).map(compression).collect();
        Ok(())
    })
}
