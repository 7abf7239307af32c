//! Options of block-based tables.

use std::ffi::{c_char, c_int, c_uchar};

use crate::capi::cache::rocksdb_cache_t;
use crate::capi::filter_policy::rocksdb_filterpolicy_t;
use crate::capi::guard::guard;
use crate::capi::handle::{get, get_mut, give, handles, take};
use crate::capi::option_accessors::{CValue, Holds, accessors, store};
use crate::options::block_based::{BlockBasedTableOptions, block_based_options};

/// Options of block-based tables. `rocksdb_options_set_block_based_table_factory` copies them.
#[derive(Default)]
pub struct rocksdb_block_based_table_options_t {
    /// The options.
    pub options: BlockBasedTableOptions,
}

handles! { Boxed: rocksdb_block_based_table_options_t; }

impl Holds<BlockBasedTableOptions> for rocksdb_block_based_table_options_t {
    fn part(&self) -> &BlockBasedTableOptions {
        &self.options
    }

    fn part_mut(&mut self) -> &mut BlockBasedTableOptions {
        &mut self.options
    }
}

block_based_options!(accessors in rocksdb_block_based_table_options_t;);

/// Makes table options with RocksDB's defaults; given back by
/// `rocksdb_block_based_options_destroy`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_block_based_options_create()
-> *mut rocksdb_block_based_table_options_t {
    guard(|| Ok(give(rocksdb_block_based_table_options_t::default())))
}

/// Gives the table options back.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_block_based_options_destroy(
    options: *mut rocksdb_block_based_table_options_t,
) {
    guard(|| {
        take(options);
        Ok(())
    })
}

/// Sets the filter that tables get, and takes the policy over: it is not destroyed by the caller.
/// NULL means none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_block_based_options_set_filter_policy(
    options: *mut rocksdb_block_based_table_options_t,
    filter_policy: *mut rocksdb_filterpolicy_t,
) {
    guard(|| {
        let policy = take(filter_policy).map(|policy| policy.policy);
        get_mut(&options)?.options.filter_policy = policy;
        Ok(())
    })
}

/// Sets the cache for blocks, which is shared. NULL changes nothing. Without one, tables get a
/// cache of 32 MiB of their own.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_block_based_options_set_block_cache(
    options: *mut rocksdb_block_based_table_options_t,
    block_cache: *mut rocksdb_cache_t,
) {
    guard(|| {
        let cache = get(&block_cache)?.cache.clone();
        get_mut(&options)?.options.block_cache = Some(cache);
        Ok(())
    })
}
