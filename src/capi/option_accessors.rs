//! The C functions that set and get options, made from the rows of the option tables.

use std::ffi::{CString, c_char, c_int, c_uint};

use crate::base::status::Result;
use crate::capi::buffer;
use crate::codec::CompressionType;
use crate::options::enums::{IoActivity, Numbered};
use crate::options::rejected::Rejected;

/// A handle that holds the options `S`.
pub(super) trait Holds<S> {
    /// The options.
    fn part(&self) -> &S;
    /// The options, to be changed.
    fn part_mut(&mut self) -> &mut S;
}

/// An option type that C passes as a `C`.
pub(super) trait CValue<C>: Sized {
    /// The value, or what is wrong with it.
    fn from_c(value: C) -> Result<Self, String>;
    /// The value for C.
    fn to_c(&self) -> C;
}

/// Numbers convert as in C.
macro_rules! numbers {
    ($($type:ty as $($c:ty),+;)+) => {$($(
        impl CValue<$c> for $type {
            fn from_c(value: $c) -> Result<Self, String> {
                Ok(value as $type)
            }

            fn to_c(&self) -> $c {
                *self as $c
            }
        }
    )+)+};
}
numbers! {
    u8 as u8;
    i32 as c_int;
    i64 as i64;
    u32 as c_uint, c_int;
    u64 as u64, usize;
    usize as usize, u64;
    f64 as f64;
}

/// Flags: what is not 0 is true.
macro_rules! flags {
    ($($c:ty),+) => {$(
        impl CValue<$c> for bool {
            fn from_c(value: $c) -> Result<Self, String> {
                Ok(value != 0)
            }

            fn to_c(&self) -> $c {
                <$c>::from(*self)
            }
        }
    )+};
}
flags! { u8, c_int }

impl<T: Numbered> CValue<c_int> for T {
    fn from_c(value: c_int) -> Result<Self, String> {
        T::from_number(value).ok_or_else(|| format!("there is no value {value}"))
    }

    fn to_c(&self) -> c_int {
        self.number()
    }
}

impl CValue<c_int> for IoActivity {
    fn from_c(value: c_int) -> Result<Self, String> {
        IoActivity::from_number(value).ok_or_else(|| format!("there is no value {value}"))
    }

    fn to_c(&self) -> c_int {
        self.number()
    }
}

impl<T: Numbered> CValue<u8> for T {
    fn from_c(value: u8) -> Result<Self, String> {
        Self::from_c(c_int::from(value))
    }

    fn to_c(&self) -> u8 {
        // Every number is below 128: a byte in the file formats.
        self.number() as u8
    }
}

/// RocksDB's `kDisableCompressionOption`: another option decides.
const NO_COMPRESSION_CHOSEN: c_int = 0xff;

impl CValue<c_int> for Option<CompressionType> {
    fn from_c(value: c_int) -> Result<Self, String> {
        match value {
            NO_COMPRESSION_CHOSEN => Ok(None),
            value => CompressionType::from_c(value).map(Some),
        }
    }

    fn to_c(&self) -> c_int {
        self.map_or(NO_COMPRESSION_CHOSEN, |compression| compression.to_c())
    }
}

impl<T: Numbered> CValue<c_char> for T {
    fn from_c(value: c_char) -> Result<Self, String> {
        Self::from_c(c_int::from(value))
    }

    fn to_c(&self) -> c_char {
        // Every number is below 128: a byte in the file formats.
        self.number() as c_char
    }
}

/// Texts that C looks at, by the option's name.
#[derive(Default)]
pub(super) struct LentTexts(Vec<(&'static str, CString)>);

impl LentTexts {
    /// The text of an option as a C string that lives until the next call for that option, and
    /// its length in `*size`.
    ///
    /// # Safety
    /// `size` is NULL or can be written.
    pub unsafe fn lend(
        &mut self,
        name: &'static str,
        text: &str,
        size: *mut usize,
    ) -> *const c_char {
        // Texts come from C strings or from option text, which may hold a zero: C sees its start.
        let end = text.find('\0').unwrap_or(text.len());
        let text = CString::new(&text[..end]).unwrap_or_default();
        // SAFETY: the caller's promise.
        unsafe { buffer::put(size, text.as_bytes().len()) };
        let pointer = text.as_ptr();
        self.0.retain(|(known, _)| *known != name);
        self.0.push((name, text));
        pointer
    }
}

/// Stores `value`, or remembers that it is none.
pub(super) fn store<T>(
    field: &mut T,
    rejected: &mut Rejected,
    name: &'static str,
    value: Result<T, String>,
) {
    match value {
        Ok(value) => {
            rejected.clear(name);
            *field = value;
        }
        Err(reason) => rejected.set(name, reason),
    }
}

/// Makes the functions of a table for a handle: `db_options!(accessors in rocksdb_options_t;)`.
macro_rules! accessors {
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
    ) => {
        $($crate::capi::option_accessors::accessor! {
            $Handle $Options $field {$(#[$doc])*} $($($c)*)?
        })*
        $($($crate::capi::option_accessors::accessor! {
            $Handle $Options $memory {$(#[$memory_doc])*} $($($memory_c)*)?
        })*)?
    };
}
pub(super) use accessors;

/// Makes the functions of one row.
macro_rules! accessor {
    ($Handle:ident $Options:ident $field:ident $doc:tt) => {};
    (
        $Handle:ident $Options:ident $field:ident {$(#[$doc:meta])*}
        $set:ident(text), $get:ident -> text
    ) => {
        $(#[$doc])*
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $set(options: *mut $Handle, value: *const c_char) {
            guard(|| {
                let text = buffer::c_str(&value)?.to_str();
                let value = text.map(str::to_string).map_err(|_| "not valid UTF-8".to_string());
                let part = Holds::<$Options>::part_mut(get_mut(&options)?);
                store(&mut part.$field, &mut part.rejected, stringify!($field), value);
                Ok(())
            })
        }

        #[doc = concat!(" What `", stringify!($set), "` set, and its length if `size` is not NULL.")]
        #[doc = " It is valid until the next call for this option, or until the options end."]
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $get(options: *mut $Handle, size: *mut usize) -> *const c_char {
            guard(|| {
                let options = get_mut(&options)?;
                let text = Holds::<$Options>::part(options).$field.clone();
                Ok(options.lend_text(stringify!($field), &text, size))
            })
        }
    };
    (
        $Handle:ident $Options:ident $field:ident {$(#[$doc:meta])*}
        $set:ident($set_type:ty) $(, $get:ident -> $get_type:ty)?
    ) => {
        $(#[$doc])*
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $set(options: *mut $Handle, value: $set_type) {
            guard(|| {
                let part = Holds::<$Options>::part_mut(get_mut(&options)?);
                let value = CValue::from_c(value);
                store(&mut part.$field, &mut part.rejected, stringify!($field), value);
                Ok(())
            })
        }

        $(
            #[doc = concat!(" What `", stringify!($set), "` set, or the default.")]
            #[unsafe(no_mangle)]
            pub unsafe extern "C" fn $get(options: *mut $Handle) -> $get_type {
                guard(|| {
                    let part = Holds::<$Options>::part(get(&options)?);
                    Ok(CValue::<$get_type>::to_c(&part.$field))
                })
            }
        )?
    };
}
pub(super) use accessor;
