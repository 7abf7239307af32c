//! Options of compactions that a program asks for, and of waiting for those in the background.

use std::ffi::{c_char, c_int, c_uchar, c_uint};

use crate::base::sync::{Arc, AtomicBool, Ordering};
use crate::capi::buffer;
use crate::capi::guard::guard;
use crate::capi::handle::{get, get_mut, give, handles, take};
use crate::capi::option_accessors::{CValue, Holds, accessors, store};
use crate::options::compact::{
    CompactFilesOptions, CompactRangeOptions, WaitForCompactOptions, compact_files_options,
    compact_range_options, wait_for_compact_options,
};

/// Options of the compaction of a range of keys.
#[derive(Default)]
pub struct rocksdb_compactoptions_t {
    /// The options.
    pub options: CompactRangeOptions,
}

/// Options of the compaction of named files.
#[derive(Default)]
pub struct rocksdb_compaction_options_t {
    /// The options.
    pub options: CompactFilesOptions,
}

/// Options of waiting for compactions.
#[derive(Default)]
pub struct rocksdb_wait_for_compact_options_t {
    /// The options.
    pub options: WaitForCompactOptions,
}

handles! {
    Boxed: rocksdb_compactoptions_t, rocksdb_compaction_options_t,
        rocksdb_wait_for_compact_options_t;
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
    rocksdb_compactoptions_t: CompactRangeOptions;
    rocksdb_compaction_options_t: CompactFilesOptions;
    rocksdb_wait_for_compact_options_t: WaitForCompactOptions;
}

compact_range_options!(accessors in rocksdb_compactoptions_t;);
compact_files_options!(accessors in rocksdb_compaction_options_t;);
wait_for_compact_options!(accessors in rocksdb_wait_for_compact_options_t;);

/// Makes options with RocksDB's defaults; given back by `rocksdb_compactoptions_destroy`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_compactoptions_create() -> *mut rocksdb_compactoptions_t {
    guard(|| Ok(give(rocksdb_compactoptions_t::default())))
}

/// Gives the options back.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_compactoptions_destroy(options: *mut rocksdb_compactoptions_t) {
    guard(|| {
        take(options);
        Ok(())
    })
}

/// Sets the timestamp up to which history may be dropped.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_compactoptions_set_full_history_ts_low(
    options: *mut rocksdb_compactoptions_t,
    ts: *mut c_char,
    tslen: usize,
) {
    guard(|| {
        let ts = ts.cast_const();
        let timestamp = match ts.is_null() {
            true => Vec::new(),
            false => buffer::bytes(&ts, tslen)?.to_vec(),
        };
        get_mut(&options)?.options.full_history_ts_low = timestamp;
        Ok(())
    })
}

/// Makes options with RocksDB's defaults; given back by `rocksdb_compaction_options_destroy`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_compaction_options_create() -> *mut rocksdb_compaction_options_t {
    guard(|| Ok(give(rocksdb_compaction_options_t::default())))
}

/// Gives the options back.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_compaction_options_destroy(
    options: *mut rocksdb_compaction_options_t,
) {
    guard(|| {
        take(options);
        Ok(())
    })
}

/// Makes a flag by which a compaction can be called off; given back by
/// `rocksdb_compaction_options_canceled_destroy`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_compaction_options_canceled_create() -> *mut c_uchar {
    guard(|| Ok(Arc::into_raw(Arc::new(AtomicBool::new(false))).cast_mut().cast()))
}

/// Gives the flag back. Options that have it keep it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_compaction_options_canceled_destroy(canceled: *mut c_uchar) {
    guard(|| {
        if !canceled.is_null() {
            drop(Arc::from_raw(canceled.cast::<AtomicBool>().cast_const()));
        }
        Ok(())
    })
}

/// Sets the flag: a value other than 0 calls off the compactions whose options have it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_compaction_options_canceled_set(
    canceled: *mut c_uchar,
    value: c_uchar,
) {
    guard(|| {
        if let Some(flag) = canceled.cast::<AtomicBool>().as_ref() {
            flag.store(value != 0, Ordering::Release);
        }
        Ok(())
    })
}

/// Has a compaction look at the flag; NULL is none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_compaction_options_set_canceled(
    options: *mut rocksdb_compaction_options_t,
    canceled: *mut c_uchar,
) {
    guard(|| {
        let options = get_mut(&options)?;
        let flag = canceled.cast::<AtomicBool>().cast_const();
        options.options.canceled = if flag.is_null() {
            None
        } else {
            Arc::increment_strong_count(flag);
            Some(Arc::from_raw(flag))
        };
        Ok(())
    })
}

/// Makes options with RocksDB's defaults; given back by
/// `rocksdb_wait_for_compact_options_destroy`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_wait_for_compact_options_create()
-> *mut rocksdb_wait_for_compact_options_t {
    guard(|| Ok(give(rocksdb_wait_for_compact_options_t::default())))
}

/// Gives the options back.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_wait_for_compact_options_destroy(
    options: *mut rocksdb_wait_for_compact_options_t,
) {
    guard(|| {
        take(options);
        Ok(())
    })
}
