//! The files that together are a database at one moment, for those who copy it.

use std::ffi::{CString, c_char, c_int, c_uchar};
use std::os::unix::ffi::OsStrExt;

use crate::capi::buffer;
use crate::capi::db::rocksdb_t;
use crate::capi::guard::{guard, guard_db_err};
use crate::capi::handle::{get, get_mut, get_optional, give, handles, take};
use crate::db::live_files::{Extent, FlushBefore, LiveFile};

/// What is wanted of the files of a database.
#[derive(Clone, Copy, Default)]
pub struct rocksdb_livefiles_storage_info_options_t {
    include_checksum_info: bool,
    wal_size_for_flush: u64,
    atomic_flush: bool,
}

/// The files that together are a database at one moment. Pointers into it are good until it is
/// destroyed.
pub struct rocksdb_livefiles_storage_info_t {
    files: Vec<Info>,
}

struct Info {
    file: LiveFile,
    name: CString,
    directory: CString,
    checksum: CString,
    checksum_function: CString,
    content: Vec<u8>,
}

handles! {
    Boxed: rocksdb_livefiles_storage_info_options_t, rocksdb_livefiles_storage_info_t;
}

/// What RocksDB says where it knows no checksum.
const UNKNOWN_FUNCTION: &[u8] = b"Unknown";

/// The bytes up to the first NUL, which is where C sees them end.
fn text(bytes: &[u8]) -> CString {
    let end = bytes.iter().position(|&byte| byte == 0).unwrap_or(bytes.len());
    CString::new(&bytes[..end]).unwrap_or_default()
}

impl Info {
    fn new(file: LiveFile, with_checksum: bool) -> Info {
        let (checksum, function) = match &file.checksum {
            _ if !with_checksum => (text(b""), text(b"")),
            Some((checksum, function)) => (text(checksum), text(function)),
            None => (text(b""), text(UNKNOWN_FUNCTION)),
        };
        Info {
            name: text(file.name.as_bytes()),
            directory: text(file.dir.as_os_str().as_bytes()),
            checksum,
            checksum_function: function,
            content: match &file.extent {
                Extent::Content(content) => content.clone(),
                Extent::Whole | Extent::Prefix => Vec::new(),
            },
            file,
        }
    }
}

fn address(text: Option<&CString>) -> *const c_char {
    text.map_or(std::ptr::null(), |text| text.as_ptr())
}

/// Makes options with RocksDB's defaults; given back by
/// `rocksdb_livefiles_storage_info_options_destroy`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_livefiles_storage_info_options_create()
-> *mut rocksdb_livefiles_storage_info_options_t {
    guard(|| Ok(give(rocksdb_livefiles_storage_info_options_t::default())))
}

/// Gives the options back.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_livefiles_storage_info_options_destroy(
    options: *mut rocksdb_livefiles_storage_info_options_t,
) {
    guard(|| {
        take(options);
        Ok(())
    })
}

/// Whether checksums of whole files are told, where the MANIFEST knows them.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_livefiles_storage_info_options_set_include_checksum_info(
    opt: *mut rocksdb_livefiles_storage_info_options_t,
    v: c_uchar,
) {
    guard(|| {
        get_mut(&opt)?.include_checksum_info = v != 0;
        Ok(())
    })
}

/// What was set, or the default.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_livefiles_storage_info_options_get_include_checksum_info(
    opt: *mut rocksdb_livefiles_storage_info_options_t,
) -> c_uchar {
    guard(|| Ok(get(&opt)?.include_checksum_info.into()))
}

/// Flush memtables first if the write-ahead logs hold at least so many bytes: 0 means always,
/// `UINT64_MAX` never. Without it the logs are among the files.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_livefiles_storage_info_options_set_wal_size_for_flush(
    opt: *mut rocksdb_livefiles_storage_info_options_t,
    v: u64,
) {
    guard(|| {
        get_mut(&opt)?.wal_size_for_flush = v;
        Ok(())
    })
}

/// What was set, or the default.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_livefiles_storage_info_options_get_wal_size_for_flush(
    opt: *mut rocksdb_livefiles_storage_info_options_t,
) -> u64 {
    guard(|| Ok(get(&opt)?.wal_size_for_flush))
}

/// If memtables are flushed first, whether the column families are flushed together, so that their
/// tables are of one moment.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_livefiles_storage_info_options_set_atomic_flush(
    opt: *mut rocksdb_livefiles_storage_info_options_t,
    v: c_uchar,
) {
    guard(|| {
        get_mut(&opt)?.atomic_flush = v != 0;
        Ok(())
    })
}

/// What was set, or the default.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_livefiles_storage_info_options_get_atomic_flush(
    opt: *mut rocksdb_livefiles_storage_info_options_t,
) -> c_uchar {
    guard(|| Ok(get(&opt)?.atomic_flush.into()))
}

/// The files of the database as it is at one moment of the call; given back by
/// `rocksdb_livefiles_storage_info_destroy`. They stay there only while
/// `rocksdb_disable_file_deletions` is in effect, which is to be called before. NULL for the
/// options means the defaults.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_get_livefiles_storage_info(
    db: *mut rocksdb_t,
    options: *const rocksdb_livefiles_storage_info_options_t,
    errptr: *mut *mut c_char,
) -> *mut rocksdb_livefiles_storage_info_t {
    guard_db_err(db, errptr, || {
        let options = get_optional(&options).copied().unwrap_or_default();
        let db = &get(&db)?.db;
        let before =
            FlushBefore { log_size: options.wal_size_for_flush, atomic: options.atomic_flush };
        let found = db.live_files(&db.hold_files(), before)?;
        let info = |file| Info::new(file, options.include_checksum_info);
        let files = found.files.into_iter().map(info).collect();
        Ok(give(rocksdb_livefiles_storage_info_t { files }))
    })
}

/// How many files there are.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_livefiles_storage_info_count(
    info: *const rocksdb_livefiles_storage_info_t,
) -> usize {
    guard(|| Ok(get(&info)?.files.len()))
}

/// Texts of a file; NULL if there is no such file.
macro_rules! texts {
    ($($(#[$doc:meta])* $name:ident = $field:ident;)+) => {$(
        $(#[$doc])*
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name(
            info: *const rocksdb_livefiles_storage_info_t,
            index: usize,
        ) -> *const c_char {
            guard(|| Ok(address(get(&info)?.files.get(index).map(|info| &info.$field))))
        }
    )+};
}
texts! {
    /// The name of a file in its folder; NULL if there is no such file.
    rocksdb_livefiles_storage_info_relative_filename = name;
    /// The folder of a file; NULL if there is no such file.
    rocksdb_livefiles_storage_info_directory = directory;
    /// The checksum of a whole file, as the MANIFEST has it; empty if it is not known or was not
    /// asked for. NULL if there is no such file.
    rocksdb_livefiles_storage_info_file_checksum = checksum;
    /// The name of the checksum's function: `Unknown` if there is none, empty if it was not asked
    /// for. NULL if there is no such file.
    rocksdb_livefiles_storage_info_file_checksum_func_name = checksum_function;
}

/// Numbers of a file; 0 if there is no such file.
macro_rules! numbers {
    ($($(#[$doc:meta])* $name:ident -> $type:ty = |$file:ident| $value:expr;)+) => {$(
        $(#[$doc])*
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name(
            info: *const rocksdb_livefiles_storage_info_t,
            index: usize,
        ) -> $type {
            guard(|| Ok(get(&info)?.files.get(index).map_or(0, |info| {
                let $file = &info.file;
                <$type>::from($value)
            })))
        }
    )+};
}
numbers! {
    /// The number in the name of a file; 0 if there is none.
    rocksdb_livefiles_storage_info_file_number -> u64 = |file| file.number;
    /// What a file holds: 0 a write-ahead log, 2 a table, 3 the MANIFEST, 4 CURRENT, 9 options,
    /// 10 blobs.
    rocksdb_livefiles_storage_info_file_type -> c_int = |file| file.kind as u8;
    /// How many bytes of a file count.
    rocksdb_livefiles_storage_info_size -> u64 = |file| file.size;
    /// Whether a file may be longer than the bytes that count, so that it cannot be linked.
    rocksdb_livefiles_storage_info_trim_to_size -> c_uchar = |file| file.extent == Extent::Prefix;
}

/// The bytes to be taken in place of those of the file, which may change; none for a file that is
/// to be copied or linked. Their number is in `*size`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_livefiles_storage_info_replacement_contents(
    info: *const rocksdb_livefiles_storage_info_t,
    index: usize,
    size: *mut usize,
) -> *const c_char {
    guard(|| {
        let content = get(&info)?.files.get(index).map(|info| &info.content);
        buffer::put(size, content.map_or(0, Vec::len));
        Ok(content.map_or(std::ptr::null(), |content| content.as_ptr().cast()))
    })
}

/// Gives the list back.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_livefiles_storage_info_destroy(
    info: *mut rocksdb_livefiles_storage_info_t,
) {
    guard(|| {
        take(info);
        Ok(())
    })
}
