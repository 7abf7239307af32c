//! Options of flushes.

use std::ffi::{c_int, c_uchar};

use crate::capi::guard::guard;
use crate::capi::handle::{get, get_mut, give, handles, take};
use crate::capi::option_accessors::{CValue, Holds, accessors, store};
use crate::options::flush::{FlushOptions, FlushWalOptions, flush_options, flush_wal_options};

/// Options of a flush.
#[derive(Default)]
pub struct rocksdb_flushoptions_t {
    /// The options.
    pub options: FlushOptions,
}

/// Options of a flush of the write-ahead log.
#[derive(Default)]
pub struct rocksdb_flushwaloptions_t {
    /// The options.
    pub options: FlushWalOptions,
}

handles! { Boxed: rocksdb_flushoptions_t, rocksdb_flushwaloptions_t; }

impl Holds<FlushOptions> for rocksdb_flushoptions_t {
    fn part(&self) -> &FlushOptions {
        &self.options
    }

    fn part_mut(&mut self) -> &mut FlushOptions {
        &mut self.options
    }
}

impl Holds<FlushWalOptions> for rocksdb_flushwaloptions_t {
    fn part(&self) -> &FlushWalOptions {
        &self.options
    }

    fn part_mut(&mut self) -> &mut FlushWalOptions {
        &mut self.options
    }
}

flush_options!(accessors in rocksdb_flushoptions_t;);
flush_wal_options!(accessors in rocksdb_flushwaloptions_t;);

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

/// Makes options with RocksDB's defaults; given back by `rocksdb_flushwaloptions_destroy`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_flushwaloptions_create() -> *mut rocksdb_flushwaloptions_t {
    guard(|| Ok(give(rocksdb_flushwaloptions_t::default())))
}

/// Gives the options back.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_flushwaloptions_destroy(opt: *mut rocksdb_flushwaloptions_t) {
    guard(|| {
        take(opt);
        Ok(())
    })
}
