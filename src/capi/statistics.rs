//! Statistics: what databases that were opened with the same options count.

use std::ffi::{c_char, c_int};

use crate::base::sync::Arc;
use crate::capi::buffer;
use crate::capi::guard::guard;
use crate::capi::handle::{get, get_mut, give, handles, take};
use crate::capi::options::rocksdb_options_t;
use crate::stats::{Histogram, HistogramData, Statistics, StatsLevel, Ticker};

/// A histogram in a few numbers.
#[derive(Default)]
pub struct rocksdb_statistics_histogram_data_t {
    data: HistogramData,
}

handles! { Boxed: rocksdb_statistics_histogram_data_t; }

/// Makes databases that are opened with these options count what they do. Copies of the options
/// made from now on share the counters.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_options_enable_statistics(options: *mut rocksdb_options_t) {
    guard(|| {
        get_mut(&options)?.options.db.statistics = Some(Arc::new(Statistics::default()));
        Ok(())
    })
}

/// Sets how much is counted, from now on, as a `rocksdb_statistics_level`; numbers beyond them are
/// taken as the nearest. Without statistics this changes nothing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_options_set_statistics_level(
    options: *mut rocksdb_options_t,
    level: c_int,
) {
    guard(|| {
        if let Some(statistics) = &get(&options)?.options.db.statistics {
            statistics.set_level(StatsLevel::nearest(level.into()));
        }
        Ok(())
    })
}

/// How much is counted, as a `rocksdb_statistics_level`; 0 without statistics.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_options_get_statistics_level(
    options: *mut rocksdb_options_t,
) -> c_int {
    guard(|| {
        let statistics = &get(&options)?.options.db.statistics;
        Ok(statistics.as_ref().map_or(0, |statistics| statistics.level() as c_int))
    })
}

/// All counters as text, a line each, which the caller frees; NULL without statistics.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_options_statistics_get_string(
    options: *mut rocksdb_options_t,
) -> *mut c_char {
    guard(|| match &get(&options)?.options.db.statistics {
        Some(statistics) => Ok(buffer::c_string(&statistics.to_string())),
        None => Ok(std::ptr::null_mut()),
    })
}

/// The count of the ticker with this number (RocksDB 11.8's `Tickers`); 0 without statistics.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_options_statistics_get_ticker_count(
    options: *mut rocksdb_options_t,
    ticker_type: u32,
) -> u64 {
    guard(|| {
        let statistics = &get(&options)?.options.db.statistics;
        let ticker = Ticker::from_number(ticker_type);
        Ok(statistics.as_ref().zip(ticker).map_or(0, |(statistics, t)| statistics.ticker(t)))
    })
}

/// Sets `*data` to the histogram with this number (RocksDB 11.8's `Histograms`); to zeros without
/// statistics.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_options_statistics_get_histogram_data(
    options: *mut rocksdb_options_t,
    histogram_type: u32,
    data: *mut rocksdb_statistics_histogram_data_t,
) {
    guard(|| {
        let statistics = &get(&options)?.options.db.statistics;
        let histogram = Histogram::from_number(histogram_type);
        let found = statistics.as_ref().zip(histogram);
        get_mut(&data)?.data =
            found.map_or_else(HistogramData::default, |(statistics, h)| statistics.histogram(h));
        Ok(())
    })
}

/// Makes a place for a histogram's numbers; given back by
/// `rocksdb_statistics_histogram_data_destroy`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_statistics_histogram_data_create()
-> *mut rocksdb_statistics_histogram_data_t {
    guard(|| Ok(give(rocksdb_statistics_histogram_data_t::default())))
}

/// Gives the numbers back.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_statistics_histogram_data_destroy(
    data: *mut rocksdb_statistics_histogram_data_t,
) {
    guard(|| {
        take(data);
        Ok(())
    })
}

/// Makes the functions that read one number.
macro_rules! numbers {
    ($($(#[$doc:meta])* $name:ident -> $type:ty = $field:ident;)+) => {$(
        $(#[$doc])*
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name(data: *mut rocksdb_statistics_histogram_data_t) -> $type {
            guard(|| Ok(get(&data)?.data.$field))
        }
    )+};
}
numbers! {
    /// The 50th percentile.
    rocksdb_statistics_histogram_data_get_median -> f64 = median;
    /// The 95th percentile.
    rocksdb_statistics_histogram_data_get_p95 -> f64 = percentile95;
    /// The 99th percentile.
    rocksdb_statistics_histogram_data_get_p99 -> f64 = percentile99;
    /// The mean.
    rocksdb_statistics_histogram_data_get_average -> f64 = average;
    /// The standard deviation.
    rocksdb_statistics_histogram_data_get_std_dev -> f64 = standard_deviation;
    /// The largest value.
    rocksdb_statistics_histogram_data_get_max -> f64 = max;
    /// How many values.
    rocksdb_statistics_histogram_data_get_count -> u64 = count;
    /// The sum of the values.
    rocksdb_statistics_histogram_data_get_sum -> u64 = sum;
    /// The smallest value.
    rocksdb_statistics_histogram_data_get_min -> f64 = min;
}
