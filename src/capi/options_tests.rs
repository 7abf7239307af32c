use std::ffi::{CStr, CString, c_char, c_int, c_uchar};
use std::fmt::Debug;
use std::ptr;

use super::*;
use crate::capi::backup_options::*;
use crate::capi::block_based_options::*;
use crate::capi::flush_options::*;
use crate::capi::options_file::*;
use crate::capi::read_options::*;
use crate::capi::write_options::*;
use crate::options::backup::{backup_options, create_backup_options, restore_options};
use crate::options::block_based::block_based_options;
use crate::options::enums::Numbered;
use crate::options::flush::flush_options;
use crate::options::read::read_options;
use crate::options::write::write_options;
use crate::options::{
    BackupOptions, BlockBasedTableOptions, CreateBackupOptions, FlushOptions, ReadOptions,
    RestoreOptions, WriteOptions,
};

/// Values of a C type that every option of it takes.
trait Samples: Copy + Debug + 'static {
    const SAMPLES: &'static [Self];

    fn wide(self) -> i128;
}

macro_rules! samples {
    ($($type:ty: $samples:expr;)+) => {$(
        impl Samples for $type {
            const SAMPLES: &'static [Self] = $samples;

            fn wide(self) -> i128 {
                self as i128
            }
        }
    )+};
}
samples! {
    u8: &[0, 1];
    i8: &[0, 1, 4];
    c_int: &[0, 1];
    u32: &[0, 7, u32::MAX];
    u64: &[0, 7, u64::MAX];
    usize: &[0, 7, usize::MAX];
    f64: &[0.0, 1.0, 7.0];
}

/// Sets and gets with each function pair of a table.
macro_rules! round_trips {
    (
        in $Handle:ident;
        $(#[$meta:meta])*
        struct $Options:ident;
        rows {$(
            $(#[$doc:meta])*
            $field:ident: $type:ty = $default:expr, $change:ident $($idle:ident)?
            $(, check($check:path))? $(, c($($c:tt)*))?;
        )*}
        $(memory {$(
            $(#[$memory_doc:meta])*
            $memory:ident: $memory_type:ty = $memory_default:expr $(, c($($memory_c:tt)*))?;
        )*})?
        $(aliases {$($aliases:tt)*})?
        $(deprecated {$($deprecated:tt)*})?
    ) => {{
        let mut count = 0;
        $(round_trip!(count $Handle $Options $($($c)*)?);)*
        $($(round_trip!(count $Handle $Options $($($memory_c)*)?);)*)?
        count
    }};
}

macro_rules! round_trip {
    ($count:ident $Handle:ident $Options:ident) => {};
    ($count:ident $Handle:ident $Options:ident $set:ident(text), $get:ident -> text) => {
        let handle = give($Handle::default());
        let (text, mut size) = (c"/a folder", 0);
        // SAFETY: the handle lives until `take`, and so does what it lends.
        unsafe {
            $set(handle, text.as_ptr());
            assert_eq!(CStr::from_ptr($get(handle, &mut size)), text);
            assert_eq!(size, text.count_bytes());
            $set(handle, c"\xff".as_ptr());
            assert_eq!(CStr::from_ptr($get(handle, ptr::null_mut())), text);
            take(handle);
            $set(ptr::null_mut(), text.as_ptr());
            assert!($get(ptr::null_mut(), ptr::null_mut()).is_null());
        }
        $count += 1;
    };
    ($count:ident $Handle:ident $Options:ident $set:ident($set_type:ty) $(, $get:ident -> $get_type:ty)?) => {
        $(
            let handle = give($Handle::default());
            for value in <$set_type as Samples>::SAMPLES {
                // SAFETY: the handle lives.
                let (got, refused) = unsafe {
                    $set(handle, *value);
                    let part = Holds::<$Options>::part(&*handle);
                    ($get(handle), part.rejected.check().is_err())
                };
                // Not every number means something, but 0 always does.
                let refused = refused && value.wide() != 0;
                assert!(refused || got.wide() == value.wide(), "{}", stringify!($set));
            }
            // SAFETY: the handle was not yet destroyed; NULL is allowed.
            unsafe {
                take(handle);
                $set(ptr::null_mut(), <$set_type as Samples>::SAMPLES[0]);
                assert_eq!($get(ptr::null_mut()).wide(), 0);
            }
            $count += 1;
        )?
    };
}

#[test]
fn every_function_that_sets_is_seen_by_the_one_that_gets() {
    let mut count = db_options!(round_trips in rocksdb_options_t;);
    count += cf_options!(round_trips in rocksdb_options_t;);
    count += block_based_options!(round_trips in rocksdb_block_based_table_options_t;);
    count += read_options!(round_trips in rocksdb_readoptions_t;);
    count += write_options!(round_trips in rocksdb_writeoptions_t;);
    count += flush_options!(round_trips in rocksdb_flushoptions_t;);
    count += backup_options!(round_trips in rocksdb_backup_engine_options_t;);
    count += create_backup_options!(round_trips in rocksdb_create_backup_options_t;);
    count += restore_options!(round_trips in rocksdb_restore_options_t;);
    println!("{count} pairs");
    assert!(count > 50);
}

#[test]
fn numbers_without_meaning_are_refused_at_open() {
    let handle = give(rocksdb_options_t::default());
    // SAFETY: the handle lives until `take`.
    unsafe {
        rocksdb_options_set_wal_recovery_mode(handle, 17);
        rocksdb_options_set_compression(handle, -1);
        let options = &(*handle).options;
        let error = options.db.validate().unwrap_err().to_string();
        assert_eq!(error, "Invalid argument: wal_recovery_mode: there is no value 17");
        let error = options.cf.validate(&options.db).unwrap_err().to_string();
        assert_eq!(error, "Invalid argument: compression: there is no value -1");
        rocksdb_options_set_wal_recovery_mode(handle, 0);
        rocksdb_options_set_compression(handle, 1);
        (*handle).options.db.validate().unwrap();
        (*handle).options.cf.validate(&(*handle).options.db).unwrap();
        let levels = [0, 7, 99];
        rocksdb_options_set_compression_per_level(handle, levels.as_ptr(), 3);
        assert!((*handle).options.cf.validate(&(*handle).options.db).is_err());
        rocksdb_options_set_compression_per_level(handle, levels.as_ptr(), 2);
        (*handle).options.cf.validate(&(*handle).options.db).unwrap();
        let numbers = (*handle).options.cf.compression_per_level.iter().map(|c| c.number());
        assert_eq!(numbers.collect::<Vec<_>>(), [0, 7]);
        take(handle);
    }
}

#[test]
fn strings_change_a_copy() {
    let (base, new) = (give(rocksdb_options_t::default()), give(rocksdb_options_t::default()));
    let mut error: *mut c_char = ptr::null_mut();
    // SAFETY: the handles live until `take`; `error` is NULL or from malloc throughout.
    unsafe {
        let text = c"create_if_missing=true; write_buffer_size=1m;\
            block_based_table_factory={block_size=8k;filter_policy=bloomfilter:10:false}";
        rocksdb_get_options_from_string(base, text.as_ptr(), new, &mut error);
        assert!(error.is_null());
        assert_eq!(rocksdb_options_get_create_if_missing(base), 0);
        assert_eq!(rocksdb_options_get_create_if_missing(new), 1);
        assert_eq!(rocksdb_options_get_write_buffer_size(new), 1 << 20);
        let table = (*new).options.cf.table_factory.block_based().unwrap();
        assert_eq!(table.block_size, 8192);
        assert!(table.filter_policy.is_some());
        let cases = [
            (c"nonsense=1", "Invalid argument: Extra option not recognized: nonsense"),
            (c"a", "Invalid argument: Mismatched key value pair, '=' expected"),
            (c"max_open_files=x", "Invalid argument: Error parsing max_open_files:stoi"),
        ];
        for (text, expected) in cases {
            rocksdb_get_options_from_string(base, text.as_ptr(), new, &mut error);
            assert_eq!(CStr::from_ptr(error).to_str().unwrap(), expected);
        }
        libc::free(error.cast());
        take(base);
        take(new);
    }
}

#[test]
fn the_latest_options_file_is_loaded_and_given_back() {
    let dir = tempfile::tempdir().unwrap();
    let path = CString::new(dir.path().to_str().unwrap()).unwrap();
    let (mut db, mut count) = (ptr::null_mut(), 9);
    let (mut names, mut options, mut error) =
        (ptr::null_mut(), ptr::null_mut(), ptr::null_mut::<c_char>());
    // SAFETY: every pointer is NULL, or a result that is given back once.
    unsafe {
        let mut load = |error: &mut *mut c_char| {
            rocksdb_load_latest_options(
                path.as_ptr(),
                ptr::null_mut(),
                false,
                ptr::null_mut(),
                &mut db,
                &mut count,
                &mut names,
                &mut options,
                error,
            );
            (db, count, names, options)
        };
        assert_eq!(load(&mut error).1, 0);
        assert!(CStr::from_ptr(error).to_str().unwrap().starts_with("NotFound: "));
        libc::free(error.cast());
        error = ptr::null_mut();
        let (cf, other) =
            (CfOptions::default(), CfOptions { num_levels: 3, ..CfOptions::default() });
        let env = crate::env::Env::default();
        let families = [("default", &cf), ("other", &other)];
        let written = DbOptions { max_background_jobs: 5, ..DbOptions::default() };
        let fs = env.fs().as_ref();
        crate::options::write_options_file(fs, dir.path(), 5, &written, &families).unwrap();
        let (db, count, names, options) = load(&mut error);
        assert!(error.is_null());
        assert_eq!((rocksdb_options_get_max_background_jobs(db), count), (5, 2));
        assert_eq!(CStr::from_ptr(*names.add(1)), c"other");
        assert_eq!(rocksdb_options_get_num_levels(*options.add(1)), 3);
        rocksdb_load_latest_options_destroy(db, names, options, count);
    }
}
