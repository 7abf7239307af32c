//! [`Logger`]: where informational messages go.

use std::fmt;

use crate::base::status::Result;

/// How important a message is. The discriminants are RocksDB's `InfoLogLevel`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Default)]
#[repr(u8)]
pub enum InfoLogLevel {
    /// Details for whoever works on the engine.
    Debug = 0,
    /// What the engine does.
    #[default]
    Info = 1,
    /// Something unusual that it copes with.
    Warn = 2,
    /// Something failed.
    Error = 3,
    /// The database stopped.
    Fatal = 4,
    /// The description of the database at the start of every log file: always written.
    Header = 5,
}

impl InfoLogLevel {
    /// The level that RocksDB numbers `value`.
    pub fn from_number(value: u8) -> Option<InfoLogLevel> {
        use InfoLogLevel::*;
        [Debug, Info, Warn, Error, Fatal, Header].into_iter().find(|level| *level as u8 == value)
    }

    /// The name in log lines. RocksDB puts it there for all levels but `Info` and `Header`.
    pub fn name(self) -> &'static str {
        match self {
            InfoLogLevel::Debug => "DEBUG",
            InfoLogLevel::Info => "INFO",
            InfoLogLevel::Warn => "WARN",
            InfoLogLevel::Error => "ERROR",
            InfoLogLevel::Fatal => "FATAL",
            InfoLogLevel::Header => "HEADER",
        }
    }
}

/// Receives the messages of one or more databases, from any thread.
///
/// Losing a message must not fail the work it is about, so writing reports no errors.
pub trait Logger: Send + Sync {
    /// Takes one message (without line end), unless `level` lies below [`Logger::level`].
    fn log(&self, level: InfoLogLevel, message: fmt::Arguments<'_>);

    /// The least level that is kept.
    fn level(&self) -> InfoLogLevel;

    /// Sets the least level that is kept.
    fn set_level(&self, level: InfoLogLevel);

    /// Hands buffered messages to the system.
    fn flush(&self) {}

    /// Flushes and closes; later messages are lost.
    fn close(&self) -> Result<()> {
        Ok(())
    }
}

/// Keeps nothing: for where no log can be written.
#[derive(Clone, Copy, Debug, Default)]
pub struct NullLogger;

impl Logger for NullLogger {
    fn log(&self, _level: InfoLogLevel, _message: fmt::Arguments<'_>) {}

    fn level(&self) -> InfoLogLevel {
        InfoLogLevel::Header
    }

    fn set_level(&self, _level: InfoLogLevel) {}
}

/// Logs a message in the manner of `format!`; the arguments are evaluated only when the logger
/// (anything that dereferences to a [`Logger`]) keeps the level:
/// `log_at!(logger, Warn, "{} files left", n)`.
#[macro_export]
macro_rules! log_at {
    ($logger:expr, $level:ident, $($message:tt)+) => {{
        let logger = &$logger;
        let level = $crate::plug::logger::InfoLogLevel::$level;
        if level >= $crate::plug::logger::Logger::level(&**logger) {
            $crate::plug::logger::Logger::log(&**logger, level, format_args!($($message)+));
        }
    }};
}
