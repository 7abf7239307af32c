//! Options of block-based tables.

use std::ffi::{c_char, c_int, c_uchar};

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
