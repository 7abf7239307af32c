//! Background work as a whole: pausing, ending and awaiting it; and the rate limiter for it.

use std::ffi::{c_char, c_int, c_uchar};
use std::time::Duration;

use crate::base::sync::Arc;
use crate::capi::compact_options::rocksdb_wait_for_compact_options_t;
use crate::capi::db::rocksdb_t;
use crate::capi::guard::{guard, guard_db, guard_db_err};
use crate::capi::handle::{get, get_mut, get_optional, give, handles, take};
use crate::capi::options::rocksdb_options_t;
use crate::env::rate_limiter::{RateLimiter, RateLimiterMode, RateLimiterOptions};

/// Waits until no flush or compaction runs, and lets none begin until
/// `rocksdb_continue_background_work` was called as often as this.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_pause_background_work(
    db: *mut rocksdb_t,
    errptr: *mut *mut c_char,
) {
    guard_db_err(db, errptr, || get(&db)?.db.pause_background_work())
}

/// Takes one `rocksdb_pause_background_work` back.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_continue_background_work(
    db: *mut rocksdb_t,
    errptr: *mut *mut c_char,
) {
    guard_db_err(db, errptr, || get(&db)?.db.continue_background_work())
}

/// Calls off the compactions that were asked for, waits until they ended, and refuses new ones
/// until `rocksdb_enable_manual_compaction` was called as often as this.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_disable_manual_compaction(db: *mut rocksdb_t) {
    guard_db(db, || {
        get(&db)?.db.disable_manual_compaction();
        Ok(())
    })
}

/// Takes one `rocksdb_disable_manual_compaction` back.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_enable_manual_compaction(db: *mut rocksdb_t) {
    guard_db(db, || {
        get(&db)?.db.enable_manual_compaction();
        Ok(())
    })
}

/// Ends all background work for good. With `wait` it returns when that is so.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_cancel_all_background_work(db: *mut rocksdb_t, wait: c_uchar) {
    guard_db(db, || get(&db)?.db.cancel_all_background_work(wait != 0))
}

/// Waits until there is no background work left to do.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_wait_for_compact(
    db: *mut rocksdb_t,
    options: *mut rocksdb_wait_for_compact_options_t,
    errptr: *mut *mut c_char,
) {
    guard_db_err(db, errptr, || get(&db)?.db.wait_for_compact(&get(&options)?.options))
}

/// Bounds how many bytes a second flushes and compactions write. Options and databases that use
/// it share it, so it may be destroyed as soon as it was handed to them.
pub struct rocksdb_ratelimiter_t {
    /// What the options take their share of.
    pub limiter: Arc<RateLimiter>,
}

handles! { Boxed: rocksdb_ratelimiter_t; }

fn limiter(
    rate: i64,
    refill_period_us: i64,
    fairness: c_int,
    mode: RateLimiterMode,
    auto_tuned: bool,
) -> *mut rocksdb_ratelimiter_t {
    let options = RateLimiterOptions {
        rate: u64::try_from(rate).unwrap_or(0),
        refill_period: Duration::from_micros(u64::try_from(refill_period_us).unwrap_or(0)),
        fairness: u32::try_from(fairness).unwrap_or(0),
        mode,
        auto_tuned,
    };
    give(rocksdb_ratelimiter_t { limiter: Arc::new(RateLimiter::new(options)) })
}

/// Makes a limiter of writes: bytes a second, microseconds between refills, and how rarely (once
/// in so many) lower priorities go first. Given back by `rocksdb_ratelimiter_destroy`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_ratelimiter_create(
    rate_bytes_per_sec: i64,
    refill_period_us: i64,
    fairness: i32,
) -> *mut rocksdb_ratelimiter_t {
    guard(|| {
        let mode = RateLimiterMode::WritesOnly;
        Ok(limiter(rate_bytes_per_sec, refill_period_us, fairness, mode, false))
    })
}

/// `rocksdb_ratelimiter_create` of a limiter that chooses its rate by the demand, up to
/// `rate_bytes_per_sec`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_ratelimiter_create_auto_tuned(
    rate_bytes_per_sec: i64,
    refill_period_us: i64,
    fairness: i32,
) -> *mut rocksdb_ratelimiter_t {
    guard(|| {
        let mode = RateLimiterMode::WritesOnly;
        Ok(limiter(rate_bytes_per_sec, refill_period_us, fairness, mode, true))
    })
}

/// `rocksdb_ratelimiter_create` of a limiter of reads (`mode` 0), writes (1) or both (2). NULL if
/// there is no such mode.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_ratelimiter_create_with_mode(
    rate_bytes_per_sec: i64,
    refill_period_us: i64,
    fairness: i32,
    mode: c_int,
    auto_tuned: bool,
) -> *mut rocksdb_ratelimiter_t {
    guard(|| {
        let made = RateLimiterMode::from_number(mode);
        let made = made
            .map(|mode| limiter(rate_bytes_per_sec, refill_period_us, fairness, mode, auto_tuned));
        Ok(made.unwrap_or(std::ptr::null_mut()))
    })
}

/// Gives the limiter back. Databases that use it keep it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_ratelimiter_destroy(limiter: *mut rocksdb_ratelimiter_t) {
    guard(|| {
        take(limiter);
        Ok(())
    })
}

/// Has flushes and compactions keep to the limiter's rate; NULL changes nothing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_options_set_ratelimiter(
    opt: *mut rocksdb_options_t,
    limiter: *mut rocksdb_ratelimiter_t,
) {
    guard(|| {
        if let Some(limiter) = get_optional(&limiter) {
            get_mut(&opt)?.options.db.rate_limiter = Some(limiter.limiter.clone());
        }
        Ok(())
    })
}
