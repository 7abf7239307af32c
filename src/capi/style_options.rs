//! The parameters of universal and FIFO compaction.

use std::ffi::{c_int, c_uchar};

use crate::capi::guard::guard;
use crate::capi::handle::{get, get_mut, give, handles, take};
use crate::capi::option_accessors::{CValue, Holds, accessors, store};
use crate::capi::options::rocksdb_options_t;
use crate::options::compaction::{
    CompactionOptionsFifo, CompactionOptionsUniversal, fifo_compaction_options,
    universal_compaction_options,
};

/// The parameters of universal compaction. `rocksdb_options_set_universal_compaction_options` copies
/// them.
#[derive(Default)]
pub struct rocksdb_universal_compaction_options_t {
    /// The options.
    pub options: CompactionOptionsUniversal,
}

/// The parameters of FIFO compaction. `rocksdb_options_set_fifo_compaction_options` copies them.
#[derive(Default)]
pub struct rocksdb_fifo_compaction_options_t {
    /// The options.
    pub options: CompactionOptionsFifo,
}

handles! {
    Boxed: rocksdb_universal_compaction_options_t, rocksdb_fifo_compaction_options_t;
}

macro_rules! holds {
    ($($Handle:ident: $Options:ident;)+) => {$(
        impl Holds<$Options> for $Handle {
            fn part(&self) -> &$Options {
                &self.options
            }

            fn part_mut(&mut self) -> &mut $Options {
                &mut self.options
            }
        }
    )+};
}
holds! {
    rocksdb_universal_compaction_options_t: CompactionOptionsUniversal;
    rocksdb_fifo_compaction_options_t: CompactionOptionsFifo;
}

universal_compaction_options!(accessors in rocksdb_universal_compaction_options_t;);
fifo_compaction_options!(accessors in rocksdb_fifo_compaction_options_t;);

/// Makes parameters with RocksDB's defaults; given back by
/// `rocksdb_universal_compaction_options_destroy`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_universal_compaction_options_create()
-> *mut rocksdb_universal_compaction_options_t {
    guard(|| Ok(give(rocksdb_universal_compaction_options_t::default())))
}

/// Gives the parameters back.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_universal_compaction_options_destroy(
    options: *mut rocksdb_universal_compaction_options_t,
) {
    guard(|| {
        take(options);
        Ok(())
    })
}

/// Makes parameters with RocksDB's defaults; given back by
/// `rocksdb_fifo_compaction_options_destroy`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_fifo_compaction_options_create()
-> *mut rocksdb_fifo_compaction_options_t {
    guard(|| Ok(give(rocksdb_fifo_compaction_options_t::default())))
}

/// Gives the parameters back.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_fifo_compaction_options_destroy(
    fifo_opts: *mut rocksdb_fifo_compaction_options_t,
) {
    guard(|| {
        take(fifo_opts);
        Ok(())
    })
}

/// Copies the parameters of universal compaction, which `rocksdb_options_set_compaction_style` turns
/// on.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_options_set_universal_compaction_options(
    options: *mut rocksdb_options_t,
    uco: *mut rocksdb_universal_compaction_options_t,
) {
    guard(|| {
        let parameters = get(&uco)?.options.clone();
        get_mut(&options)?.options.cf.compaction_options_universal = parameters;
        Ok(())
    })
}

/// Copies the parameters of FIFO compaction, which `rocksdb_options_set_compaction_style` turns on.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_options_set_fifo_compaction_options(
    options: *mut rocksdb_options_t,
    fifo: *mut rocksdb_fifo_compaction_options_t,
) {
    guard(|| {
        let parameters = get(&fifo)?.options.clone();
        get_mut(&options)?.options.cf.compaction_options_fifo = parameters;
        Ok(())
    })
}
