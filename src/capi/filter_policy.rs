//! Filter policies: which filter a table gets against needless reads.

use crate::capi::guard::guard;
use crate::capi::handle::{give, handles, take};
use crate::plug::filter_policy::FilterPolicy;
use std::ffi::c_int;

/// A filter policy. `rocksdb_block_based_options_set_filter_policy` takes it over; one that was
/// not handed over is given back by `rocksdb_filterpolicy_destroy`.
pub struct rocksdb_filterpolicy_t {
    /// What the table options keep.
    pub policy: FilterPolicy,
}

handles! { Boxed: rocksdb_filterpolicy_t; }

fn ribbon(bits_per_key: f64, bloom_before_level: i32) -> *mut rocksdb_filterpolicy_t {
    let policy = FilterPolicy::ribbon(bits_per_key, bloom_before_level);
    give(rocksdb_filterpolicy_t { policy })
}

fn bloom(bits_per_key: f64) -> *mut rocksdb_filterpolicy_t {
    give(rocksdb_filterpolicy_t { policy: FilterPolicy::bloom(bits_per_key) })
}

/// Gives back a policy that was not handed over.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_filterpolicy_destroy(policy: *mut rocksdb_filterpolicy_t) {
    guard(|| {
        take(policy);
        Ok(())
    })
}

/// Bloom filters of `bits_per_key` bits a key; 10 gives about 1 % of needless reads.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_filterpolicy_create_bloom(
    bits_per_key: f64,
) -> *mut rocksdb_filterpolicy_t {
    guard(|| Ok(bloom(bits_per_key)))
}

/// The same as `rocksdb_filterpolicy_create_bloom`: filters a block, as opposed to full ones, are
/// no longer made.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_filterpolicy_create_bloom_full(
    bits_per_key: f64,
) -> *mut rocksdb_filterpolicy_t {
    guard(|| Ok(bloom(bits_per_key)))
}

/// Ribbon filters as good as Bloom filters of `bloom_equivalent_bits_per_key` bits a key, with about
/// 30 % less memory. They take more time to make.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_filterpolicy_create_ribbon(
    bloom_equivalent_bits_per_key: f64,
) -> *mut rocksdb_filterpolicy_t {
    guard(|| Ok(ribbon(bloom_equivalent_bits_per_key, 0)))
}

/// Ribbon filters from level `bloom_before_level` on, and Bloom filters on those before, where
/// tables do not live long: -1 is Ribbon filters everywhere, 0 everywhere but in tables that a
/// flush wrote, `INT_MAX` nowhere.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_filterpolicy_create_ribbon_hybrid(
    bloom_equivalent_bits_per_key: f64,
    bloom_before_level: c_int,
) -> *mut rocksdb_filterpolicy_t {
    guard(|| Ok(ribbon(bloom_equivalent_bits_per_key, bloom_before_level)))
}
