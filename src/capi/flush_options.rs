//! Options of flushes.

use std::ffi::c_uchar;

use crate::capi::guard::guard;
use crate::capi::handle::{get, get_mut, give, handles, take};
use crate::capi::option_accessors::{CValue, Holds, accessors, store};
use crate::options::flush::{FlushOptions, flush_options};

/// Options of a flush.
#[derive(Default)]
pub struct rocksdb_flushoptions_t {
    /// The options.
    pub options: FlushOptions,
}

handles! { Boxed: rocksdb_flushoptions_t; }

impl Holds<FlushOptions> for rocksdb_flushoptions_t {
    fn part(&self) -> &FlushOptions {
        &self.options
    }

    fn part_mut(&mut self) -> &mut FlushOptions {
        &mut self.options
    }
}

flush_options!(accessors in rocksdb_flushoptions_t;);

/// Makes flush options with RocksDB's defaults; given back by `rocksdb_flushoptions_destroy`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_flushoptions_create() -> *mut rocksdb_flushoptions_t {
    guard(|| Ok(give(rocksdb_flushoptions_t::default())))
}

/// Gives the flush options back.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_flushoptions_destroy(options: *mut rocksdb_flushoptions_t) {
    guard(|| {
        take(options);
        Ok(())
    })
}
