//! Options of block-based tables.

use std::ffi::{c_char, c_int, c_uchar};

use crate::base::status::Result;
use crate::capi::cache::rocksdb_cache_t;
use crate::capi::filter_policy::rocksdb_filterpolicy_t;
use crate::capi::guard::guard;
use crate::capi::handle::{get, get_mut, give, handles, take};
use crate::capi::option_accessors::{CValue, Holds, accessors, store};
use crate::options::block_based::{
    BlockBasedTableOptions, MetadataCacheOptions, block_based_options,
};
use crate::options::enums::PinningTier;

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

/// The keys for each bucket of the hash index within data blocks, as
/// `rocksdb_block_based_options_set_data_block_hash_table_util_ratio` sets it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_block_based_options_set_data_block_hash_ratio(
    options: *mut rocksdb_block_based_table_options_t,
    v: f64,
) {
    guard(|| {
        get_mut(&options)?.options.data_block_hash_table_util_ratio = v;
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

/// Stores a tier of pinning, one of the constants `rocksdb_block_based_k_..._pinning_tier`.
///
/// # Safety
/// `*options` is NULL or a live handle that nobody else uses.
unsafe fn set_tier(
    options: &*mut rocksdb_block_based_table_options_t,
    name: &'static str,
    tier: c_int,
    field: impl FnOnce(&mut MetadataCacheOptions) -> &mut PinningTier,
) -> Result<()> {
    // SAFETY: the caller's promise.
    let options = &mut unsafe { get_mut(options)? }.options;
    let field = field(&mut options.metadata_cache_options);
    store(field, &mut options.rejected, name, CValue::from_c(tier));
    Ok(())
}

/// Which upper levels of partitioned indexes and filters stay in the cache while their table is
/// open.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_block_based_options_set_top_level_index_pinning_tier(
    options: *mut rocksdb_block_based_table_options_t,
    v: c_int,
) {
    guard(|| set_tier(&options, "top_level_index_pinning", v, |o| &mut o.top_level_index_pinning))
}

/// Which partitions of indexes and filters stay in the cache while their table is open.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_block_based_options_set_partition_pinning_tier(
    options: *mut rocksdb_block_based_table_options_t,
    v: c_int,
) {
    guard(|| set_tier(&options, "partition_pinning", v, |o| &mut o.partition_pinning))
}

/// Which indexes and filters without partitions stay in the cache while their table is open.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_block_based_options_set_unpartitioned_pinning_tier(
    options: *mut rocksdb_block_based_table_options_t,
    v: c_int,
) {
    guard(|| set_tier(&options, "unpartitioned_pinning", v, |o| &mut o.unpartitioned_pinning))
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
