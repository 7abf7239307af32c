//! The C functions that are measured, looked up at run time.
//!
//! RocksDB's and LevelDB's C interfaces agree on the calls that matter here but for their prefix;
//! filters and caches are set up differently.

use crate::flags::Flags;
use std::ffi::{CStr, CString, c_char, c_int, c_uchar, c_void};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::ptr::{NonNull, null_mut};

/// Any of the library's opaque objects.
pub type Object = *mut c_void;
type Text = *mut c_char;

macro_rules! functions {
    ($($name:ident: fn($($arg:ty),*) $(-> $ret:ty)?;)*) => {
        /// The functions both interfaces have, without their prefix.
        struct Functions {
            $($name: unsafe extern "C" fn($($arg),*) $(-> $ret)?,)*
        }

        impl Functions {
            fn load(library: &Library, prefix: &str) -> Result<Functions, String> {
                Ok(Functions {
                    $($name: {
                        let symbol = library.symbol(&format!("{prefix}_{}", stringify!($name)))?;
                        // SAFETY: the symbol is the C function of that name, whose prototype in
                        // both `c.h` files is the one written here.
                        unsafe {
                            std::mem::transmute::<
                                NonNull<c_void>,
                                unsafe extern "C" fn($($arg),*) $(-> $ret)?,
                            >(symbol)
                        }
                    },)*
                })
            }
        }
    };
}

functions! {
    options_create: fn() -> Object;
    options_set_create_if_missing: fn(Object, c_uchar);
    options_set_write_buffer_size: fn(Object, usize);
    options_set_compression: fn(Object, c_int);
    cache_create_lru: fn(usize) -> Object;
    open: fn(Object, *const c_char, *mut Text) -> Object;
    close: fn(Object);
    destroy_db: fn(Object, *const c_char, *mut Text);
    writeoptions_create: fn() -> Object;
    writeoptions_set_sync: fn(Object, c_uchar);
    writeoptions_destroy: fn(Object);
    readoptions_create: fn() -> Object;
    readoptions_destroy: fn(Object);
    put: fn(Object, Object, *const c_char, usize, *const c_char, usize, *mut Text);
    delete: fn(Object, Object, *const c_char, usize, *mut Text);
    write: fn(Object, Object, Object, *mut Text);
    get: fn(Object, Object, *const c_char, usize, *mut usize, *mut Text) -> Text;
    writebatch_create: fn() -> Object;
    writebatch_clear: fn(Object);
    writebatch_put: fn(Object, *const c_char, usize, *const c_char, usize);
    writebatch_destroy: fn(Object);
    create_iterator: fn(Object, Object) -> Object;
    iter_seek_to_first: fn(Object);
    iter_seek_to_last: fn(Object);
    iter_seek: fn(Object, *const c_char, usize);
    iter_next: fn(Object);
    iter_prev: fn(Object);
    iter_valid: fn(Object) -> c_uchar;
    iter_key: fn(Object, *mut usize) -> *const c_char;
    iter_value: fn(Object, *mut usize) -> *const c_char;
    iter_get_error: fn(Object, *mut Text);
    iter_destroy: fn(Object);
    free: fn(*mut c_void);
}

struct Library(NonNull<c_void>);

impl Library {
    fn open(path: &Path) -> Result<Library, String> {
        let c_path = CString::new(path.as_os_str().as_bytes()).map_err(|e| e.to_string())?;
        // SAFETY: a NUL-terminated path; the library's initialisers are as trusted as the program
        // that asks to measure them.
        let handle = unsafe { libc::dlopen(c_path.as_ptr(), libc::RTLD_NOW | libc::RTLD_LOCAL) };
        NonNull::new(handle).map(Library).ok_or_else(|| {
            // SAFETY: dlopen failed, so dlerror gives a NUL-terminated text.
            let text = unsafe { CStr::from_ptr(libc::dlerror()) };
            format!("cannot load {}: {}", path.display(), text.to_string_lossy())
        })
    }

    fn symbol(&self, name: &str) -> Result<NonNull<c_void>, String> {
        let c_name = CString::new(name).map_err(|e| e.to_string())?;
        // SAFETY: the library is never closed, and the name is NUL-terminated.
        let address = unsafe { libc::dlsym(self.0.as_ptr(), c_name.as_ptr()) };
        NonNull::new(address).ok_or_else(|| format!("the library has no function {name}"))
    }
}

/// A loaded library.
pub struct Api {
    pub path: PathBuf,
    functions: Functions,
    library: Library,
    is_leveldb: bool,
}

// SAFETY: the function addresses stay valid for the life of the process, and the libraries'
// interfaces may be called from any thread.
unsafe impl Sync for Api {}

/// Turns a call's error text into a result. `call` gets the place for the text.
fn checked<T>(api: &Functions, call: impl FnOnce(*mut Text) -> T) -> Result<T, String> {
    let mut error: Text = null_mut();
    let value = call(&mut error);
    if error.is_null() {
        return Ok(value);
    }
    // SAFETY: the library sets a NUL-terminated text that the caller frees.
    let text = unsafe { CStr::from_ptr(error) }.to_string_lossy().into_owned();
    // SAFETY: as above; it is freed once.
    unsafe { (api.free)(error.cast()) };
    Err(text)
}

impl Api {
    pub fn load(path: &Path) -> Result<Api, String> {
        let library = Library::open(path)?;
        let is_leveldb = library.symbol("rocksdb_open").is_err();
        let prefix = if is_leveldb { "leveldb" } else { "rocksdb" };
        let functions = Functions::load(&library, prefix)?;
        Ok(Api { path: path.to_path_buf(), functions, library, is_leveldb })
    }

    fn call1(&self, name: &str, object: Object, argument: usize) -> Result<(), String> {
        let symbol = self.library.symbol(name)?;
        // SAFETY: every function reached through here takes an object and one pointer-sized
        // integer or pointer, and returns nothing.
        let function = unsafe {
            std::mem::transmute::<NonNull<c_void>, unsafe extern "C" fn(Object, usize)>(symbol)
        };
        // SAFETY: the object is of the kind that the function expects.
        unsafe { function(object, argument) };
        Ok(())
    }

    fn call0(&self, name: &str, object: Object) -> Result<(), String> {
        let symbol = self.library.symbol(name)?;
        // SAFETY: every function reached through here takes an object and returns nothing.
        let function =
            unsafe { std::mem::transmute::<NonNull<c_void>, unsafe extern "C" fn(Object)>(symbol) };
        // SAFETY: the object is of the kind that the function expects.
        unsafe { function(object) };
        Ok(())
    }

    /// A new object from a function without arguments.
    fn make(&self, name: &str) -> Result<Object, String> {
        let symbol = self.library.symbol(name)?;
        // SAFETY: the functions reached through here take nothing and return an object.
        let function = unsafe {
            std::mem::transmute::<NonNull<c_void>, unsafe extern "C" fn() -> Object>(symbol)
        };
        // SAFETY: as above.
        Ok(unsafe { function() })
    }

    fn rocksdb_bloom(&self, bits: f64) -> Result<Object, String> {
        let symbol = self.library.symbol("rocksdb_filterpolicy_create_bloom_full")?;
        // SAFETY: RocksDB's prototype takes a double.
        let function = unsafe {
            std::mem::transmute::<NonNull<c_void>, unsafe extern "C" fn(f64) -> Object>(symbol)
        };
        // SAFETY: as above.
        Ok(unsafe { function(bits) })
    }

    fn leveldb_bloom(&self, bits: f64) -> Result<Object, String> {
        let symbol = self.library.symbol("leveldb_filterpolicy_create_bloom")?;
        // SAFETY: LevelDB's prototype takes an int.
        let function = unsafe {
            std::mem::transmute::<NonNull<c_void>, unsafe extern "C" fn(c_int) -> Object>(symbol)
        };
        // SAFETY: as above.
        Ok(unsafe { function(bits as c_int) })
    }

    fn options(&self, flags: &Flags) -> Result<Object, String> {
        let f = &self.functions;
        // SAFETY: objects come from the library's own creators and are passed to functions of
        // their kind.
        let options = unsafe { (f.options_create)() };
        // SAFETY: as above.
        unsafe { (f.options_set_create_if_missing)(options, 1) };
        if let Some(size) = flags.write_buffer_size {
            // SAFETY: as above.
            unsafe { (f.options_set_write_buffer_size)(options, size) };
        }
        let compression = match flags.compression_type.as_str() {
            "none" => 0,
            "snappy" => 1,
            "lz4" if !self.is_leveldb => 4,
            "zstd" if !self.is_leveldb => 7,
            other => return Err(format!("compression '{other}' is not known to this library")),
        };
        // SAFETY: as above.
        unsafe { (f.options_set_compression)(options, compression) };
        // SAFETY: as above.
        let cache = unsafe { (f.cache_create_lru)(flags.cache_size) };
        if self.is_leveldb {
            if flags.statistics {
                return Err("LevelDB has no statistics".into());
            }
            self.call1("leveldb_options_set_cache", options, cache as usize)?;
            if flags.bloom_bits >= 0.0 {
                let policy = self.leveldb_bloom(flags.bloom_bits)?;
                self.call1("leveldb_options_set_filter_policy", options, policy as usize)?;
            }
            return Ok(options);
        }
        if flags.statistics {
            self.call0("rocksdb_options_enable_statistics", options)?;
        }
        let table = self.make("rocksdb_block_based_options_create")?;
        self.call1("rocksdb_block_based_options_set_block_cache", table, cache as usize)?;
        if flags.bloom_bits >= 0.0 {
            let policy = self.rocksdb_bloom(flags.bloom_bits)?;
            self.call1("rocksdb_block_based_options_set_filter_policy", table, policy as usize)?;
        }
        self.call1("rocksdb_options_set_block_based_table_factory", options, table as usize)?;
        Ok(options)
    }

    /// Opens the database of the flags, empty if `fresh`.
    pub fn open<'a>(&'a self, flags: &Flags, fresh: bool) -> Result<Db<'a>, String> {
        let options = self.options(flags)?;
        let path = CString::new(flags.db.as_os_str().as_bytes()).map_err(|e| e.to_string())?;
        let f = &self.functions;
        if fresh {
            // SAFETY: as in `options`; the path is NUL-terminated.
            checked(f, |error| unsafe { (f.destroy_db)(options, path.as_ptr(), error) })?;
        }
        // SAFETY: as above.
        let db = checked(f, |error| unsafe { (f.open)(options, path.as_ptr(), error) })?;
        // SAFETY: as above.
        let (write, read) = unsafe { ((f.writeoptions_create)(), (f.readoptions_create)()) };
        // SAFETY: as above.
        unsafe { (f.writeoptions_set_sync)(write, u8::from(flags.sync)) };
        // SAFETY: as above.
        let synced_write = unsafe { (f.writeoptions_create)() };
        // SAFETY: as above.
        unsafe { (f.writeoptions_set_sync)(synced_write, 1) };
        if flags.disable_wal && !self.is_leveldb {
            self.call1("rocksdb_writeoptions_disable_WAL", write, 1)?;
        }
        Ok(Db { api: self, db, write, synced_write, read })
    }
}

/// An open database.
pub struct Db<'a> {
    api: &'a Api,
    db: Object,
    write: Object,
    synced_write: Object,
    read: Object,
}

// SAFETY: both libraries allow every call on a database from several threads.
unsafe impl Sync for Db<'_> {}

impl Drop for Db<'_> {
    fn drop(&mut self) {
        let f = &self.api.functions;
        // SAFETY: each is given back once; no iterator outlives the borrow of `self`.
        unsafe {
            (f.close)(self.db);
            (f.writeoptions_destroy)(self.write);
            (f.writeoptions_destroy)(self.synced_write);
            (f.readoptions_destroy)(self.read);
        }
    }
}

impl Db<'_> {
    fn f(&self) -> &Functions {
        &self.api.functions
    }

    /// Writes a pair; with `sync` it is durable when this returns.
    pub fn put(&self, sync: bool, key: &[u8], value: &[u8]) -> Result<(), String> {
        let f = self.f();
        // SAFETY: live objects of this library, and slices that outlive the call.
        checked(f, |error| unsafe {
            (f.put)(
                self.db,
                if sync { self.synced_write } else { self.write },
                key.as_ptr().cast(),
                key.len(),
                value.as_ptr().cast(),
                value.len(),
                error,
            )
        })
    }

    pub fn delete(&self, key: &[u8]) -> Result<(), String> {
        let f = self.f();
        // SAFETY: as in `put`.
        checked(f, |error| unsafe {
            (f.delete)(self.db, self.write, key.as_ptr().cast(), key.len(), error)
        })
    }

    /// The length of the key's value.
    pub fn get(&self, key: &[u8]) -> Result<Option<usize>, String> {
        let f = self.f();
        let mut len = 0;
        // SAFETY: as in `put`.
        let value = checked(f, |error| unsafe {
            (f.get)(self.db, self.read, key.as_ptr().cast(), key.len(), &mut len, error)
        })?;
        if value.is_null() {
            return Ok(None);
        }
        // SAFETY: the library gave the buffer to the caller.
        unsafe { (f.free)(value.cast()) };
        Ok(Some(len))
    }

    pub fn batch(&self) -> Batch<'_> {
        // SAFETY: a creator without arguments.
        Batch { db: self, batch: unsafe { (self.f().writebatch_create)() } }
    }

    pub fn iterator(&self) -> Iter<'_> {
        // SAFETY: live objects of this library.
        Iter { db: self, iter: unsafe { (self.f().create_iterator)(self.db, self.read) } }
    }

    /// Flushes, where the library has a call for it.
    pub fn flush(&self) -> Result<(), String> {
        if self.api.is_leveldb {
            return Err("LevelDB has no flush".into());
        }
        let options = self.api.make("rocksdb_flushoptions_create")?;
        let symbol = self.api.library.symbol("rocksdb_flush")?;
        // SAFETY: `rocksdb_flush`'s prototype.
        let flush = unsafe {
            std::mem::transmute::<NonNull<c_void>, unsafe extern "C" fn(Object, Object, *mut Text)>(
                symbol,
            )
        };
        // SAFETY: live objects of this library.
        checked(self.f(), |error| unsafe { flush(self.db, options, error) })
    }
}

/// A write batch.
pub struct Batch<'a> {
    db: &'a Db<'a>,
    batch: Object,
}

impl Batch<'_> {
    pub fn put(&self, key: &[u8], value: &[u8]) {
        // SAFETY: a live batch, and slices that outlive the call.
        unsafe {
            (self.db.f().writebatch_put)(
                self.batch,
                key.as_ptr().cast(),
                key.len(),
                value.as_ptr().cast(),
                value.len(),
            )
        };
    }

    /// Writes and empties the batch.
    pub fn commit(&self) -> Result<(), String> {
        let f = self.db.f();
        // SAFETY: live objects of this library.
        checked(f, |error| unsafe { (f.write)(self.db.db, self.db.write, self.batch, error) })?;
        // SAFETY: as above.
        unsafe { (f.writebatch_clear)(self.batch) };
        Ok(())
    }
}

impl Drop for Batch<'_> {
    fn drop(&mut self) {
        // SAFETY: destroyed once.
        unsafe { (self.db.f().writebatch_destroy)(self.batch) };
    }
}

/// An iterator.
pub struct Iter<'a> {
    db: &'a Db<'a>,
    iter: Object,
}

impl Iter<'_> {
    pub fn seek_to_first(&self) {
        // SAFETY: a live iterator of this library.
        unsafe { (self.db.f().iter_seek_to_first)(self.iter) };
    }

    pub fn seek_to_last(&self) {
        // SAFETY: as above.
        unsafe { (self.db.f().iter_seek_to_last)(self.iter) };
    }

    pub fn seek(&self, key: &[u8]) {
        // SAFETY: as above; the slice outlives the call.
        unsafe { (self.db.f().iter_seek)(self.iter, key.as_ptr().cast(), key.len()) };
    }

    pub fn next(&self) {
        // SAFETY: as above.
        unsafe { (self.db.f().iter_next)(self.iter) };
    }

    pub fn prev(&self) {
        // SAFETY: as above.
        unsafe { (self.db.f().iter_prev)(self.iter) };
    }

    pub fn valid(&self) -> bool {
        // SAFETY: as above.
        unsafe { (self.db.f().iter_valid)(self.iter) != 0 }
    }

    /// The bytes of the current key and value together.
    pub fn entry_len(&self) -> usize {
        let (mut key, mut value) = (0, 0);
        // SAFETY: as above; the iterator is valid.
        unsafe {
            (self.db.f().iter_key)(self.iter, &mut key);
            (self.db.f().iter_value)(self.iter, &mut value);
        }
        key + value
    }

    pub fn key_is(&self, expected: &[u8]) -> bool {
        let mut len = 0;
        // SAFETY: as above; the key stays until the iterator moves.
        unsafe {
            let key = (self.db.f().iter_key)(self.iter, &mut len);
            std::slice::from_raw_parts(key.cast::<u8>(), len) == expected
        }
    }

    pub fn check(&self) -> Result<(), String> {
        let f = self.db.f();
        // SAFETY: as above.
        checked(f, |error| unsafe { (f.iter_get_error)(self.iter, error) })
    }
}

impl Drop for Iter<'_> {
    fn drop(&mut self) {
        // SAFETY: destroyed once.
        unsafe { (self.db.f().iter_destroy)(self.iter) };
    }
}
