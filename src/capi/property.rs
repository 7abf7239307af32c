//! What a database tells about itself: properties, sizes of ranges, memory.

use std::ffi::{c_char, c_int, c_uchar};
use std::ops::Range;

use crate::base::status::{Result, Status};
use crate::base::sync::Arc;
use crate::cache::Cache;
use crate::capi::buffer;
use crate::capi::cache::rocksdb_cache_t;
use crate::capi::column_family::rocksdb_column_family_handle_t;
use crate::capi::db::{count, rocksdb_t};
use crate::capi::guard::{guard, guard_db, guard_db_err, guard_err};
use crate::capi::handle::{get, get_mut, get_optional, give, handles, take};
use crate::db::{Db, Family, SizeApproximation};

/// What approximate sizes count, and how exactly.
#[derive(Default)]
pub struct rocksdb_size_approximation_options_t {
    options: SizeApproximation,
}

/// Databases and caches whose memory is to be told.
#[derive(Default)]
pub struct rocksdb_memory_consumers_t {
    databases: Vec<Arc<Db>>,
    caches: Vec<Arc<Cache>>,
}

/// The memory that databases and caches take, in bytes.
pub struct rocksdb_memory_usage_t {
    mem_table_total: u64,
    mem_table_unflushed: u64,
    mem_table_readers_total: u64,
    cache_total: u64,
}

handles! {
    Boxed: rocksdb_size_approximation_options_t, rocksdb_memory_consumers_t, rocksdb_memory_usage_t;
}

/// What `rocksdb_property_int` returns.
const FAILED: c_int = -1;

/// A property as text in memory from `malloc`; NULL if there is none.
///
/// # Safety
/// `*name` is NULL or a text.
unsafe fn text(db: &Db, family: &Family, name: &*const c_char) -> Result<*mut c_char> {
    // SAFETY: the caller's promise.
    let value = db.property(family, unsafe { buffer::utf8(name)? });
    Ok(value.map_or(std::ptr::null_mut(), |value| buffer::c_string(&value)))
}

/// # Safety
/// `*name` is NULL or a text; `out` is NULL or can be written.
unsafe fn number(db: &Db, family: &Family, name: &*const c_char, out: *mut u64) -> Option<()> {
    // SAFETY: the caller's promise.
    let name = unsafe { buffer::utf8(name).ok()? };
    let value = db.property_number(family, name)?;
    // SAFETY: the caller's promise.
    unsafe { buffer::put(out, value) };
    Some(())
}

fn outcome(found: Option<()>) -> c_int {
    if found.is_some() { 0 } else { FAILED }
}

/// A property of the default column family, such as `rocksdb.stats`, which the caller frees; NULL if
/// it is not known.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_property_value(
    db: *mut rocksdb_t,
    propname: *const c_char,
) -> *mut c_char {
    guard_db(db, || {
        let db = get(&db)?;
        text(&db.db, &db.default, &propname)
    })
}

/// `rocksdb_property_value` of a column family.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_property_value_cf(
    db: *mut rocksdb_t,
    column_family: *mut rocksdb_column_family_handle_t,
    propname: *const c_char,
) -> *mut c_char {
    guard_db(db, || text(&get(&db)?.db, &get(&column_family)?.family, &propname))
}

/// Sets `*out_val` to a property of the default column family that is a number. Returns 0, or -1 if it
/// is none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_property_int(
    db: *mut rocksdb_t,
    propname: *const c_char,
    out_val: *mut u64,
) -> c_int {
    guard_db(db, || {
        let db = get_optional(&db);
        Ok(outcome(db.and_then(|db| number(&db.db, &db.default, &propname, out_val))))
    })
}

/// `rocksdb_property_int` of a column family.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_property_int_cf(
    db: *mut rocksdb_t,
    column_family: *mut rocksdb_column_family_handle_t,
    propname: *const c_char,
    out_val: *mut u64,
) -> c_int {
    guard_db(db, || {
        let both = get_optional(&db).zip(get_optional(&column_family));
        Ok(outcome(both.and_then(|(db, cf)| number(&db.db, &cf.family, &propname, out_val))))
    })
}

/// The ranges that C lists, and where their sizes go.
struct Ranges {
    count: c_int,
    starts: *const *const c_char,
    start_lens: *const usize,
    limits: *const *const c_char,
    limit_lens: *const usize,
    sizes: *mut u64,
}

impl Ranges {
    /// Sets the size of each range.
    ///
    /// # Safety
    /// The lists have `count` elements, and each key has its length.
    unsafe fn fill(&self, db: &Db, family: &Family, options: &SizeApproximation) -> Result<()> {
        let count = count(self.count)?;
        // SAFETY: the caller's promise.
        let (starts, limits) = unsafe {
            (
                keys(&self.starts, &self.start_lens, count)?,
                keys(&self.limits, &self.limit_lens, count)?,
            )
        };
        if self.sizes.is_null() && count > 0 {
            return Err(Status::invalid_argument("NULL for the sizes"));
        }
        let ranges: Vec<Range<&[u8]>> =
            starts.into_iter().zip(limits).map(|(start, limit)| start..limit).collect();
        let sizes = db.approximate_sizes(family, options, &ranges)?;
        for (i, size) in sizes.into_iter().enumerate() {
            // SAFETY: the caller's promise.
            unsafe { self.sizes.add(i).write(size) };
        }
        Ok(())
    }
}

/// # Safety
/// The lists have `count` elements, and each key has its length.
unsafe fn keys<'a>(
    list: &'a *const *const c_char,
    lens: &'a *const usize,
    count: usize,
) -> Result<Vec<&'a [u8]>> {
    // SAFETY: the caller's promise.
    unsafe {
        let (list, lens) = (buffer::array(list, count)?, buffer::array(lens, count)?);
        list.iter().zip(lens).map(|(key, len)| buffer::bytes(key, *len)).collect()
    }
}

/// Makes a function that tells the sizes of ranges: `target` says where, `flags` what.
macro_rules! approximate_sizes {
    ($(
        $(#[$doc:meta])*
        $name:ident($($target:ident: $target_type:ty),*; $($flags:ident: $flags_type:ty)?) =
            |$handle:ident| ($family:expr, $options:expr);
    )+) => {$(
        $(#[$doc])*
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name(
            db: *mut rocksdb_t,
            $($target: $target_type,)*
            num_ranges: c_int,
            range_start_key: *const *const c_char,
            range_start_key_len: *const usize,
            range_limit_key: *const *const c_char,
            range_limit_key_len: *const usize,
            $($flags: $flags_type,)?
            sizes: *mut u64,
            errptr: *mut *mut c_char,
        ) {
            guard_db_err(db, errptr, || {
                let $handle = get(&db)?;
                let ranges = Ranges {
                    count: num_ranges,
                    starts: range_start_key,
                    start_lens: range_start_key_len,
                    limits: range_limit_key,
                    limit_lens: range_limit_key_len,
                    sizes,
                };
                ranges.fill(&$handle.db, $family, &$options)
            })
        }
    )+};
}
approximate_sizes! {
    /// Sets `sizes[i]` to about how many bytes of table files the keys from `range_start_key[i]` to before
    /// `range_limit_key[i]` take.
    rocksdb_approximate_sizes(;) = |db| (&db.default, SizeApproximation::default());

    /// `rocksdb_approximate_sizes` of a column family.
    rocksdb_approximate_sizes_cf(column_family: *mut rocksdb_column_family_handle_t;) =
        |db| (&get(&column_family)?.family, SizeApproximation::default());

    /// `rocksdb_approximate_sizes_cf` of what `include_flags`, a sum of
    /// `rocksdb_size_approximation_flags`, names.
    rocksdb_approximate_sizes_cf_with_flags(
        column_family: *mut rocksdb_column_family_handle_t;
        include_flags: u8
    ) = |db| (&get(&column_family)?.family, flagged(include_flags));

    /// `rocksdb_approximate_sizes` as the options say; NULL for the defaults.
    rocksdb_approximate_sizes_with_options(
        options: *const rocksdb_size_approximation_options_t;
    ) = |db| (&db.default, optional(&options));

    /// `rocksdb_approximate_sizes_with_options` of a column family.
    rocksdb_approximate_sizes_cf_with_options(
        column_family: *mut rocksdb_column_family_handle_t,
        options: *const rocksdb_size_approximation_options_t;
    ) = |db| (&get(&column_family)?.family, optional(&options));
}

/// What a sum of `rocksdb_size_approximation_flags` names.
fn flagged(flags: u8) -> SizeApproximation {
    SizeApproximation {
        include_memtables: flags & 1 != 0,
        include_files: flags & 2 != 0,
        include_blob_files: flags & 4 != 0,
        ..SizeApproximation::default()
    }
}

/// # Safety
/// `*options` is NULL or a handle.
unsafe fn optional(options: &*const rocksdb_size_approximation_options_t) -> SizeApproximation {
    // SAFETY: the caller's promise.
    unsafe { get_optional(options) }.map(|options| options.options).unwrap_or_default()
}

/// Makes options that count table files alone; given back by
/// `rocksdb_size_approximation_options_destroy`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_size_approximation_options_create()
-> *mut rocksdb_size_approximation_options_t {
    guard(|| Ok(give(rocksdb_size_approximation_options_t::default())))
}

/// Gives the options back.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_size_approximation_options_destroy(
    options: *mut rocksdb_size_approximation_options_t,
) {
    guard(|| {
        take(options);
        Ok(())
    })
}

/// Makes the pair of functions for a flag.
macro_rules! flags {
    ($($(#[$doc:meta])* $set:ident $get:ident = $field:ident;)+) => {$(
        $(#[$doc])*
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $set(
            options: *mut rocksdb_size_approximation_options_t,
            value: c_uchar,
        ) {
            guard(|| {
                get_mut(&options)?.options.$field = value != 0;
                Ok(())
            })
        }

        #[doc = concat!(" What `", stringify!($set), "` set, or the default.")]
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $get(
            options: *mut rocksdb_size_approximation_options_t,
        ) -> c_uchar {
            guard(|| Ok(c_uchar::from(get(&options)?.options.$field)))
        }
    )+};
}
flags! {
    /// Counts what is in memtables.
    rocksdb_size_approximation_options_set_include_memtables
        rocksdb_size_approximation_options_get_include_memtables = include_memtables;
    /// Counts table files.
    rocksdb_size_approximation_options_set_include_files
        rocksdb_size_approximation_options_get_include_files = include_files;
    /// Counts blob files.
    rocksdb_size_approximation_options_set_include_blob_files
        rocksdb_size_approximation_options_get_include_blob_files = include_blob_files;
}

/// Sets how large a part of the result may be guessed from whole files at the ends of a range, without
/// looking into them; nothing if it is not positive.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_size_approximation_options_set_files_size_error_margin(
    options: *mut rocksdb_size_approximation_options_t,
    value: f64,
) {
    guard(|| {
        get_mut(&options)?.options.files_size_error_margin = value;
        Ok(())
    })
}

/// What `rocksdb_size_approximation_options_set_files_size_error_margin` set, or the default.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_size_approximation_options_get_files_size_error_margin(
    options: *mut rocksdb_size_approximation_options_t,
) -> f64 {
    guard(|| Ok(get(&options)?.options.files_size_error_margin))
}

/// Makes an empty set of consumers; given back by `rocksdb_memory_consumers_destroy`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_memory_consumers_create() -> *mut rocksdb_memory_consumers_t {
    guard(|| Ok(give(rocksdb_memory_consumers_t::default())))
}

/// Adds a database.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_memory_consumers_add_db(
    consumers: *mut rocksdb_memory_consumers_t,
    db: *mut rocksdb_t,
) {
    guard(|| {
        get_mut(&consumers)?.databases.push(get(&db)?.db.clone());
        Ok(())
    })
}

/// Adds a cache. One that is added twice counts once.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_memory_consumers_add_cache(
    consumers: *mut rocksdb_memory_consumers_t,
    cache: *mut rocksdb_cache_t,
) {
    guard(|| {
        let cache = &get(&cache)?.cache;
        let caches = &mut get_mut(&consumers)?.caches;
        if !caches.iter().any(|known| Arc::ptr_eq(known, cache)) {
            caches.push(cache.clone());
        }
        Ok(())
    })
}

/// Gives the set of consumers back.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_memory_consumers_destroy(
    consumers: *mut rocksdb_memory_consumers_t,
) {
    guard(|| {
        take(consumers);
        Ok(())
    })
}

/// The memory that the consumers take now; given back by `rocksdb_approximate_memory_usage_destroy`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_approximate_memory_usage_create(
    consumers: *mut rocksdb_memory_consumers_t,
    errptr: *mut *mut c_char,
) -> *mut rocksdb_memory_usage_t {
    guard_err(errptr, || {
        let consumers = get(&consumers)?;
        let sum = |name: &str| consumers.databases.iter().map(|db| db.property_sum(name)).sum();
        Ok(give(rocksdb_memory_usage_t {
            mem_table_total: sum("rocksdb.size-all-mem-tables"),
            mem_table_unflushed: sum("rocksdb.cur-size-all-mem-tables"),
            mem_table_readers_total: sum("rocksdb.estimate-table-readers-mem"),
            cache_total: consumers.caches.iter().map(|cache| cache.usage() as u64).sum(),
        }))
    })
}

/// Gives the numbers back.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_approximate_memory_usage_destroy(
    usage: *mut rocksdb_memory_usage_t,
) {
    guard(|| {
        take(usage);
        Ok(())
    })
}

/// Makes the functions that read one number.
macro_rules! usage {
    ($($(#[$doc:meta])* $name:ident = $field:ident;)+) => {$(
        $(#[$doc])*
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name(memory_usage: *mut rocksdb_memory_usage_t) -> u64 {
            guard(|| Ok(get(&memory_usage)?.$field))
        }
    )+};
}
usage! {
    /// All memtables.
    rocksdb_approximate_memory_usage_get_mem_table_total = mem_table_total;
    /// Memtables whose records are in no table yet.
    rocksdb_approximate_memory_usage_get_mem_table_unflushed = mem_table_unflushed;
    /// Tables that are open: their indexes and filters outside of caches.
    rocksdb_approximate_memory_usage_get_mem_table_readers_total = mem_table_readers_total;
    /// Caches.
    rocksdb_approximate_memory_usage_get_cache_total = cache_total;
}
