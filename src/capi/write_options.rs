//! Options of writes.

use std::ffi::{c_int, c_uchar};

use crate::capi::guard::guard;
use crate::capi::handle::{get, get_mut, give, handles, take};
use crate::capi::option_accessors::{CValue, Holds, accessors, store};
use crate::options::write::{WriteOptions, write_options};

/// Options of a write.
#[derive(Default)]
pub struct rocksdb_writeoptions_t {
    /// The options.
    pub options: WriteOptions,
}

handles! { Boxed: rocksdb_writeoptions_t; }

impl Holds<WriteOptions> for rocksdb_writeoptions_t {
    fn part(&self) -> &WriteOptions {
        &self.options
    }

    fn part_mut(&mut self) -> &mut WriteOptions {
        &mut self.options
    }
}

write_options!(accessors in rocksdb_writeoptions_t;);

/// Makes write options with RocksDB's defaults; given back by `rocksdb_writeoptions_destroy`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_writeoptions_create() -> *mut rocksdb_writeoptions_t {
    guard(|| Ok(give(rocksdb_writeoptions_t::default())))
}

/// Gives the write options back.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_writeoptions_destroy(options: *mut rocksdb_writeoptions_t) {
    guard(|| {
        take(options);
        Ok(())
    })
}
