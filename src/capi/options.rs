//! Options of databases and column families.

use std::ffi::{c_char, c_int, c_uchar, c_uint};

use crate::base::comparator::Comparator;
use crate::base::status::Result;
use crate::base::sync::Arc;
use crate::capi::block_based_options::rocksdb_block_based_table_options_t;
use crate::capi::buffer;
use crate::capi::comparator::{self, rocksdb_comparator_t};
use crate::capi::env::rocksdb_env_t;
use crate::capi::guard::{guard, guard_err};
use crate::capi::handle::{get, get_mut, get_optional, give, handles, take};
use crate::capi::logger::rocksdb_logger_t;
use crate::capi::merge_operator::{self, rocksdb_mergeoperator_t};
use crate::capi::option_accessors::{CValue, Holds, LentTexts, accessors, store};
use crate::env::pool::Priority;
use crate::options::cf::{CfOptions, cf_options};
use crate::options::db::{DbOptions, db_options};
use crate::options::{Options, TableFactory};
use crate::plug::merge_operators::Uint64Add;

/// Options of a database and of a column family. Opening takes a copy, as every function that
/// takes options does.
#[derive(Default)]
pub struct rocksdb_options_t {
    /// The options.
    pub options: Options,
    lent: LentTexts,
}

handles! { Boxed: rocksdb_options_t; }

impl From<Options> for rocksdb_options_t {
    fn from(options: Options) -> Self {
        rocksdb_options_t { options, lent: LentTexts::default() }
    }
}

impl Holds<DbOptions> for rocksdb_options_t {
    fn part(&self) -> &DbOptions {
        &self.options.db
    }

    fn part_mut(&mut self) -> &mut DbOptions {
        &mut self.options.db
    }
}

impl Holds<CfOptions> for rocksdb_options_t {
    fn part(&self) -> &CfOptions {
        &self.options.cf
    }

    fn part_mut(&mut self) -> &mut CfOptions {
        &mut self.options.cf
    }
}

impl rocksdb_options_t {
    /// # Safety
    /// `size` is NULL or can be written.
    unsafe fn lend_text(
        &mut self,
        name: &'static str,
        text: &str,
        size: *mut usize,
    ) -> *const c_char {
        // SAFETY: the caller's promise.
        unsafe { self.lent.lend(name, text, size) }
    }
}

db_options!(accessors in rocksdb_options_t;);
cf_options!(accessors in rocksdb_options_t;);

/// Makes options with RocksDB's defaults; given back by `rocksdb_options_destroy`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_options_create() -> *mut rocksdb_options_t {
    guard(|| Ok(give(rocksdb_options_t::default())))
}

/// Makes a copy of the options; given back by `rocksdb_options_destroy`. Caches, environments and
/// loggers are shared between both.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_options_create_copy(
    options: *mut rocksdb_options_t,
) -> *mut rocksdb_options_t {
    guard(|| Ok(give(get(&options)?.options.clone().into())))
}

/// Gives the options back.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_options_destroy(options: *mut rocksdb_options_t) {
    guard(|| {
        take(options);
        Ok(())
    })
}

/// Allows `total_threads` threads for compactions and one for flushes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_options_increase_parallelism(
    options: *mut rocksdb_options_t,
    total_threads: c_int,
) {
    guard(|| {
        let db = &mut get_mut(&options)?.options.db;
        db.max_background_jobs = total_threads;
        let threads = usize::try_from(total_threads).unwrap_or(0);
        db.env.set_background_threads(threads, Priority::Low);
        db.env.set_background_threads(1, Priority::High);
        Ok(())
    })
}

/// Chooses options for gets: a hash index in data blocks, Bloom filters in tables and memtables,
/// and a block cache of so many MiB. Table options are replaced.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_options_optimize_for_point_lookup(
    options: *mut rocksdb_options_t,
    block_cache_size_mb: u64,
) {
    guard(|| {
        get_mut(&options)?.options.cf.optimize_for_point_lookup(block_cache_size_mb);
        Ok(())
    })
}

/// Chooses options for leveled compaction with so many bytes of memtables: flushes of two memtables
/// at once, a first level as large as level 0, and compression from level 2 on.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_options_optimize_level_style_compaction(
    options: *mut rocksdb_options_t,
    memtable_memory_budget: u64,
) {
    guard(|| {
        let cf = &mut get_mut(&options)?.options.cf;
        cf.optimize_level_style_compaction(memtable_memory_budget);
        Ok(())
    })
}

/// Chooses options for universal compaction with so many bytes of memtables: flushes of two memtables
/// at once, and compression of the oldest four fifths of the data.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_options_optimize_universal_style_compaction(
    options: *mut rocksdb_options_t,
    memtable_memory_budget: u64,
) {
    guard(|| {
        let cf = &mut get_mut(&options)?.options.cf;
        cf.optimize_universal_style_compaction(memtable_memory_budget);
        Ok(())
    })
}

/// Sets where files live and which threads work; the environment is shared. NULL means the
/// default.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_options_set_env(
    options: *mut rocksdb_options_t,
    env: *mut rocksdb_env_t,
) {
    guard(|| {
        let env = get_optional(&env).map(|env| env.env.clone()).unwrap_or_default();
        get_mut(&options)?.options.db.env = env;
        Ok(())
    })
}

/// Sets where messages go instead of into a LOG file; the logger is shared. NULL changes nothing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_options_set_info_log(
    options: *mut rocksdb_options_t,
    logger: *mut rocksdb_logger_t,
) {
    guard(|| {
        let logger = get(&logger)?.logger.clone();
        get_mut(&options)?.options.db.info_log = Some(logger);
        Ok(())
    })
}

/// The logger that `rocksdb_options_set_info_log` set, or NULL; given back by
/// `rocksdb_logger_destroy`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_options_get_info_log(
    options: *mut rocksdb_options_t,
) -> *mut rocksdb_logger_t {
    guard(|| match &get(&options)?.options.db.info_log {
        Some(logger) => Ok(give(rocksdb_logger_t { logger: logger.clone() })),
        None => Ok(std::ptr::null_mut()),
    })
}

/// Sets the order of keys, which is borrowed: destroy it after the databases that use it. NULL
/// means ascending bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_options_set_comparator(
    options: *mut rocksdb_options_t,
    comparator: *mut rocksdb_comparator_t,
) {
    guard(|| {
        let order = match comparator.is_null() {
            true => Comparator::Bytewise,
            false => comparator::comparator(&comparator)?,
        };
        get_mut(&options)?.options.cf.comparator = order;
        Ok(())
    })
}

/// Sets what joins values that are merged into a key, which is taken over. NULL means nothing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_options_set_merge_operator(
    options: *mut rocksdb_options_t,
    merge_operator: *mut rocksdb_mergeoperator_t,
) {
    guard(|| {
        let cf = &mut get_mut(&options)?.options.cf;
        let operator = merge_operator::hand_over(merge_operator);
        store(&mut cf.merge_operator, &mut cf.rejected, "merge_operator", operator);
        Ok(())
    })
}

/// Lets values that are merged into a key be added: numbers of 8 bytes, little-endian, modulo
/// 2^64. What is not 8 bytes long counts as 0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_options_set_uint64add_merge_operator(
    options: *mut rocksdb_options_t,
) {
    guard(|| {
        get_mut(&options)?.options.cf.merge_operator = Some(Arc::new(Uint64Add));
        Ok(())
    })
}

/// Sets how block-based tables are written and read. The table options are copied.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_options_set_block_based_table_factory(
    options: *mut rocksdb_options_t,
    table_options: *mut rocksdb_block_based_table_options_t,
) {
    guard(|| {
        let table_options = get(&table_options)?.options.clone();
        get_mut(&options)?.options.cf.table_factory = TableFactory::from(table_options);
        Ok(())
    })
}

/// Sets the compression of each level, the first for level 0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_options_set_compression_per_level(
    options: *mut rocksdb_options_t,
    level_values: *const c_int,
    num_levels: usize,
) {
    guard(|| {
        let numbers = buffer::array(&level_values, num_levels)?;
        let levels: Result<Vec<_>, _> = numbers.iter().map(|n| CValue::from_c(*n)).collect();
        let cf = &mut get_mut(&options)?.options.cf;
        store(&mut cf.compression_per_level, &mut cf.rejected, "compression_per_level", levels);
        Ok(())
    })
}

/// Sets `*new_options` to `base_options` as `opts_str` changes them:
/// `create_if_missing=true;write_buffer_size=1m;block_based_table_factory={block_size=8k}`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_get_options_from_string(
    base_options: *const rocksdb_options_t,
    opts_str: *const c_char,
    new_options: *mut rocksdb_options_t,
    errptr: *mut *mut c_char,
) {
    guard_err(errptr, || {
        let options = get(&base_options)?.options.with_string(buffer::utf8(&opts_str)?)?;
        get_mut(&new_options)?.options = options;
        Ok(())
    })
}

#[cfg(test)]
#[path = "options_tests.rs"]
mod tests;
