//! Loggers: where a database's messages go instead of into its LOG file.

use std::ffi::{c_char, c_int, c_uint, c_void};
use std::fmt::{self, Write};
use std::sync::Arc;

use crate::base::sync::{AtomicU8, Ordering};
use crate::capi::buffer;
use crate::capi::guard::guard;
use crate::capi::handle::{give, handles, take};
use crate::plug::logger::{InfoLogLevel, Logger};

/// Where messages go. Options and databases that use it share it, so it may be destroyed as soon
/// as it was handed to them.
pub struct rocksdb_logger_t {
    /// What the options take their share of.
    pub logger: Arc<dyn Logger>,
}

handles! { Boxed: rocksdb_logger_t; }

/// The level that RocksDB numbers `level`. Numbers out of range, which RocksDB compares as they
/// are, keep everything or nothing but headers.
fn log_level(level: c_int) -> InfoLogLevel {
    let number = level.clamp(InfoLogLevel::Debug as c_int, InfoLogLevel::Header as c_int);
    u8::try_from(number).ok().and_then(InfoLogLevel::from_number).unwrap_or_default()
}

/// The least level that is kept; may change at any time.
struct Level(AtomicU8);

impl Level {
    fn new(level: InfoLogLevel) -> Level {
        Level(AtomicU8::new(level as u8))
    }

    fn get(&self) -> InfoLogLevel {
        InfoLogLevel::from_number(self.0.load(Ordering::Relaxed)).unwrap_or_default()
    }

    fn set(&self, level: InfoLogLevel) {
        self.0.store(level as u8, Ordering::Relaxed);
    }
}

/// Writes to standard error.
struct StderrLogger {
    level: Level,
    prefix: String,
}

impl Logger for StderrLogger {
    fn log(&self, level: InfoLogLevel, message: fmt::Arguments<'_>) {
        if level < self.level() {
            return;
        }
        let mut line = String::new();
        // Formatting into a string fails only if a value's own formatting does; then the message
        // is cut.
        let _ = write!(line, "{} ", Timestamp::now());
        line.push_str(&self.prefix);
        if !matches!(level, InfoLogLevel::Info | InfoLogLevel::Header) {
            let _ = write!(line, "[{}] ", level.name());
        }
        let _ = line.write_fmt(message);
        line.push('\n');
        // In one piece, so that lines of several threads stay whole.
        let _ = std::io::Write::write_all(&mut std::io::stderr().lock(), line.as_bytes());
    }

    fn level(&self) -> InfoLogLevel {
        self.level.get()
    }

    fn set_level(&self, level: InfoLogLevel) {
        self.level.set(level);
    }
}

/// Local time with microseconds, and the thread, as lines of LOG files begin.
struct Timestamp {
    time: libc::tm,
    micros: u64,
    thread: u64,
}

impl Timestamp {
    fn now() -> Timestamp {
        let micros = crate::base::clock::unix_micros();
        let seconds = libc::time_t::try_from(micros / 1_000_000).unwrap_or_default();
        // SAFETY: a `tm` is numbers and a pointer that may be NULL; `localtime_r` reads the first
        // argument and fills the second; `pthread_self` always succeeds.
        unsafe {
            let mut time = std::mem::zeroed();
            libc::localtime_r(&seconds, &mut time);
            Timestamp { time, micros: micros % 1_000_000, thread: libc::pthread_self() as u64 }
        }
    }
}

impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let t = &self.time;
        let (year, month, day) = (t.tm_year + 1900, t.tm_mon + 1, t.tm_mday);
        let (hour, minute, second) = (t.tm_hour, t.tm_min, t.tm_sec);
        write!(f, "{year:04}/{month:02}/{day:02}-{hour:02}:{minute:02}:{second:02}.")?;
        write!(f, "{:06} {:x}", self.micros, self.thread)
    }
}

type Callback = unsafe extern "C" fn(*mut c_void, c_uint, *mut c_char, usize);

/// Hands each message to the caller's function.
struct CallbackLogger {
    level: Level,
    callback: Option<Callback>,
    state: *mut c_void,
}

// SAFETY: the header asks that the caller's function can be called by any thread at any time.
unsafe impl Send for CallbackLogger {}
// SAFETY: as for `Send`.
unsafe impl Sync for CallbackLogger {}

impl Logger for CallbackLogger {
    fn log(&self, level: InfoLogLevel, message: fmt::Arguments<'_>) {
        let Some(callback) = self.callback else { return };
        if level < self.level() {
            return;
        }
        // RocksDB hands headers, which are always kept, to foreign loggers as information.
        let level = if level == InfoLogLevel::Header { InfoLogLevel::Info } else { level };
        let mut text = String::new();
        let _ = text.write_fmt(message);
        let len = text.len();
        // As in RocksDB, an empty message is none.
        if len > 0 {
            let mut text = text.into_bytes();
            text.push(0);
            // SAFETY: the caller gave this function for this state; `len` bytes and a NUL live
            // during the call and may be changed.
            unsafe { callback(self.state, level as c_uint, text.as_mut_ptr().cast(), len) };
        }
    }

    fn level(&self) -> InfoLogLevel {
        self.level.get()
    }

    fn set_level(&self, level: InfoLogLevel) {
        self.level.set(level);
    }
}

/// A logger that writes messages of `log_level` (0 debug, 1 info, 2 warning, 3 error, 4 fatal,
/// 5 header) and above to standard error, each with `prefix` before it unless that is NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_logger_create_stderr_logger(
    log_level: c_int,
    prefix: *const c_char,
) -> *mut rocksdb_logger_t {
    guard(|| {
        let prefix = if prefix.is_null() {
            String::new()
        } else {
            buffer::c_str(&prefix)?.to_string_lossy().into_owned()
        };
        let level = Level::new(self::log_level(log_level));
        Ok(give(rocksdb_logger_t { logger: Arc::new(StderrLogger { level, prefix }) }))
    })
}

/// A logger that calls `callback` with `priv`, the level, and the text with its length, for each
/// message of `log_level` and above, from any thread. The text may be changed and is gone after
/// the call. Headers, which describe the database, are always kept and come as level 1.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_logger_create_callback_logger(
    log_level: c_int,
    callback: Option<unsafe extern "C" fn(*mut c_void, lev: c_uint, msg: *mut c_char, len: usize)>,
    r#priv: *mut c_void,
) -> *mut rocksdb_logger_t {
    guard(|| {
        let level = Level::new(self::log_level(log_level));
        let logger = CallbackLogger { level, callback, state: r#priv };
        Ok(give(rocksdb_logger_t { logger: Arc::new(logger) }))
    })
}

/// Gives the logger up; it lives on in what uses it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_logger_destroy(logger: *mut rocksdb_logger_t) {
    guard(|| {
        take(logger);
        Ok(())
    })
}
