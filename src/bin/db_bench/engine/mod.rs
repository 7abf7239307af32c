//! The library that is measured: its functions, and the objects that they make.
//!
//! RocksDB's and LevelDB's C interfaces agree on most calls that matter here but for their prefix.
//! What one of them lacks is looked up when a workload needs it, and its absence is that
//! workload's failure alone.

pub mod batch;
pub mod db;
pub mod functions;
pub mod iter;
pub mod library;
pub mod merge_operator;
pub mod multi_get;
pub mod perf;
pub mod settings;
pub mod snapshot;
pub mod tuning;

use crate::failure::Result;
use functions::Functions;
use library::Library;
use std::ffi::{CStr, c_char, c_void};
use std::path::Path;
use std::ptr::null_mut;

/// Any of the library's opaque objects.
pub type Object = *mut c_void;
/// A NUL-terminated text of the library's.
pub type Text = *mut c_char;

/// A loaded library.
pub struct Engine {
    pub library: Library,
    pub functions: Functions,
}

// SAFETY: the function addresses stay valid for the life of the process, and the libraries'
// interfaces may be called from any thread.
unsafe impl Sync for Engine {}

impl Engine {
    pub fn load(path: &Path) -> Result<Engine> {
        let library = Library::open(path)?;
        let functions = Functions::load(&library)?;
        Ok(Engine { library, functions })
    }

    pub fn is_leveldb(&self) -> bool {
        self.library.prefix == "leveldb"
    }

    /// Turns a call's error text into a result. `call` gets the place for the text.
    pub fn checked<T>(&self, call: impl FnOnce(*mut Text) -> T) -> Result<T> {
        let mut error: Text = null_mut();
        let value = call(&mut error);
        if error.is_null() { Ok(value) } else { Err(self.take_text(error).into()) }
    }

    /// Copies a text that the library gave to the caller, and frees it.
    pub fn take_text(&self, text: Text) -> String {
        // SAFETY: the library gives NUL-terminated texts that the caller frees.
        let copy = unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned();
        // SAFETY: as above; it is freed once.
        unsafe { (self.functions.free)(text.cast()) };
        copy
    }
}
