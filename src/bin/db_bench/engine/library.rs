//! A shared library loaded at run time.

use crate::failure::{Failure, Result};
use std::ffi::{CStr, CString, c_int, c_uchar, c_void};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::ptr::NonNull;

use super::Object;

pub struct Library {
    handle: NonNull<c_void>,
    pub path: PathBuf,
    /// What its functions' names begin with: `rocksdb` or `leveldb`.
    pub prefix: &'static str,
}

/// The last argument of a setter, in the C type of its prototype.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Argument {
    Byte(c_uchar),
    Int(c_int),
    Unsigned(u32),
    /// `uint64_t` or `size_t`.
    Long(u64),
    Double(f64),
    Pointer(Object),
}

impl Library {
    pub fn open(path: &Path) -> Result<Library> {
        let c_path = CString::new(path.as_os_str().as_bytes()).map_err(|e| e.to_string())?;
        // SAFETY: a NUL-terminated path; the library's initialisers are as trusted as the program
        // that asks to measure them.
        let handle = unsafe { libc::dlopen(c_path.as_ptr(), libc::RTLD_NOW | libc::RTLD_LOCAL) };
        let Some(handle) = NonNull::new(handle) else {
            // SAFETY: dlopen failed, so dlerror gives a NUL-terminated text.
            let text = unsafe { CStr::from_ptr(libc::dlerror()) };
            return Err(format!("cannot load the library: {}", text.to_string_lossy()).into());
        };
        let mut library = Library { handle, path: path.to_path_buf(), prefix: "rocksdb" };
        if library.find("open").is_none() {
            library.prefix = "leveldb";
        }
        if library.find("open").is_none() {
            let text = "has neither rocksdb_open nor leveldb_open";
            return Err(format!("{} {text}", path.display()).into());
        }
        Ok(library)
    }

    /// The address of a function, named without its prefix.
    pub fn find(&self, name: &str) -> Option<NonNull<c_void>> {
        let c_name = CString::new(format!("{}_{name}", self.prefix)).ok()?;
        // SAFETY: the library is never closed, and the name is NUL-terminated.
        NonNull::new(unsafe { libc::dlsym(self.handle.as_ptr(), c_name.as_ptr()) })
    }

    /// What to say of a function that it does not have.
    pub fn lacks(&self, name: &str) -> Failure {
        Failure::Unavailable(format!("the library has no function {}_{name}", self.prefix))
    }

    fn symbol(&self, name: &str) -> Result<NonNull<c_void>> {
        self.find(name).ok_or_else(|| self.lacks(name))
    }

    /// Calls a function that takes an object and `argument` and returns nothing.
    pub fn set(&self, name: &str, object: Object, argument: Argument) -> Result<()> {
        let symbol = self.symbol(name)?;
        /// Calls `symbol` with an argument of type `T`.
        ///
        /// # Safety
        /// The symbol is a function `void f(object, T)`, and the object is of its kind.
        unsafe fn call<T>(symbol: NonNull<c_void>, object: Object, argument: T) {
            type Setter<T> = unsafe extern "C" fn(Object, T);
            // SAFETY: the caller's promise.
            let setter = unsafe { std::mem::transmute::<NonNull<c_void>, Setter<T>>(symbol) };
            // SAFETY: as above.
            unsafe { setter(object, argument) }
        }
        // SAFETY: every caller names a setter whose prototype in `c.h` has that argument's type.
        unsafe {
            match argument {
                Argument::Byte(value) => call(symbol, object, value),
                Argument::Int(value) => call(symbol, object, value),
                Argument::Unsigned(value) => call(symbol, object, value),
                Argument::Long(value) => call(symbol, object, value),
                Argument::Double(value) => call(symbol, object, value),
                Argument::Pointer(value) => call(symbol, object, value),
            }
        }
        Ok(())
    }

    /// A new object from a function without arguments.
    pub fn make(&self, name: &str) -> Result<Object> {
        type Maker = unsafe extern "C" fn() -> Object;
        let symbol = self.symbol(name)?;
        // SAFETY: every caller names a function that takes nothing and returns an object.
        let maker = unsafe { std::mem::transmute::<NonNull<c_void>, Maker>(symbol) };
        // SAFETY: as above.
        Ok(unsafe { maker() })
    }

    /// Calls a function that takes an object and returns nothing: one that destroys it, say.
    pub fn call(&self, name: &str, object: Object) -> Result<()> {
        type Call = unsafe extern "C" fn(Object);
        let symbol = self.symbol(name)?;
        // SAFETY: every caller names a function that takes just an object.
        let call = unsafe { std::mem::transmute::<NonNull<c_void>, Call>(symbol) };
        // SAFETY: as above.
        unsafe { call(object) };
        Ok(())
    }
}
