//! The info log: lines for people in the file `LOG`.
//!
//! ```text
//! 2026/11/30-12:00:00.123456 140001 [WARN] text
//! ```
//!
//! Local time, the kernel's number of the thread, the level (unless it is info or header), the
//! message. Every start of a database begins a new file and renames the one before to
//! `LOG.old.<microseconds since 1970>`; so does a file that grew too large or old.

use std::fmt::{self, Write as _};
use std::io::Write as _;
use std::path::{Path, PathBuf};

use crate::base::clock::unix_micros;
use crate::base::status::Result;
use crate::base::sync::{Arc, AtomicU32, Mutex, Ordering};
use crate::env::file_system::{FileSystem, WritableFile};
use crate::env::names::{
    FileType, info_log_file_name, info_log_prefix, old_info_log_file_name, parse_file_name_with,
};
use crate::env::posix::{local_time, thread_id};
use crate::plug::logger::{InfoLogLevel, Logger};

/// Longer lines are cut, as in RocksDB.
const MAX_LINE: usize = 65_536;

/// How an info log is kept. The fields are RocksDB's options of these names.
#[derive(Clone, Debug)]
pub struct InfoLogOptions {
    /// The folder of the log; `None`: that of the database.
    pub db_log_dir: Option<PathBuf>,
    /// Begin a new file when this many bytes are reached; 0: never.
    pub max_log_file_size: u64,
    /// Begin a new file after this many seconds; 0: never.
    pub log_file_time_to_roll: u64,
    /// How many files to keep, the one in use included.
    pub keep_log_file_num: usize,
    /// The least level that is written.
    pub info_log_level: InfoLogLevel,
}

impl Default for InfoLogOptions {
    fn default() -> Self {
        InfoLogOptions {
            db_log_dir: None,
            max_log_file_size: 0,
            log_file_time_to_roll: 0,
            keep_log_file_num: 1000,
            info_log_level: InfoLogLevel::Info,
        }
    }
}

/// The [`Logger`] that writes a database's `LOG`. Each line is handed to the system at once.
pub struct InfoLog {
    files: Files,
    level: AtomicU32,
    state: Mutex<State>,
}

/// Where the log files are.
struct Files {
    fs: Arc<dyn FileSystem>,
    db_dir: PathBuf,
    db_absolute: PathBuf,
    options: InfoLogOptions,
}

struct State {
    /// `None` once closed, or when a new file could not be created.
    file: Option<Box<dyn WritableFile>>,
    /// When it was created, in microseconds since 1970.
    created: u64,
    /// The header messages, repeated in each new file.
    headers: Vec<String>,
    line: String,
}

impl InfoLog {
    /// Begins a new log file for the database in `db_dir`, and creates that folder (unless it is
    /// on another file system than a separate log folder) and the log folder if need be.
    pub fn open(
        fs: &Arc<dyn FileSystem>,
        db_dir: &Path,
        options: InfoLogOptions,
    ) -> Result<Arc<InfoLog>> {
        let created = fs.create_dir_if_missing(db_dir);
        match &options.db_log_dir {
            Some(log_dir) => fs.create_dir_if_missing(log_dir)?,
            None => created?,
        }
        let files = Files {
            fs: Arc::clone(fs),
            db_dir: db_dir.to_path_buf(),
            db_absolute: fs.absolute(db_dir)?,
            options,
        };
        if fs.exists(&files.current())? {
            match files.retire() {
                // Somebody else took it away.
                Err(status) if !status.is_path_not_found() => return Err(status),
                _ => {}
            }
        }
        let file = fs.create(&files.current())?;
        files.remove_old();
        let level = AtomicU32::new(files.options.info_log_level as u32);
        let (created, headers, line) = (unix_micros(), Vec::new(), String::new());
        let state = Mutex::new(State { file: Some(file), created, headers, line });
        Ok(Arc::new(InfoLog { files, level, state }))
    }

    /// The name of the file in use.
    pub fn path(&self) -> PathBuf {
        self.files.current()
    }

    /// Whether it is time for a new file.
    fn is_due(&self, state: &State, now: u64) -> bool {
        let InfoLogOptions { max_log_file_size, log_file_time_to_roll, .. } = self.files.options;
        let Some(file) = &state.file else { return false };
        let age = now.saturating_sub(state.created) / 1_000_000;
        max_log_file_size > 0 && file.size() >= max_log_file_size
            || log_file_time_to_roll > 0 && age >= log_file_time_to_roll
    }

    /// Begins a new file. Without one, messages are lost until the next start.
    fn roll(&self, state: &mut State, now: u64) {
        if let Some(mut file) = state.file.take() {
            let _ = file.close();
        }
        let _ = self.files.retire();
        state.file = self.files.fs.create(&self.files.current()).ok();
        state.created = now;
        self.files.remove_old();
        for header in std::mem::take(&mut state.headers) {
            state.write(now, InfoLogLevel::Header, format_args!("{header}"));
            state.headers.push(header);
        }
    }
}

impl Files {
    fn log_dir(&self) -> Option<&Path> {
        self.options.db_log_dir.as_deref()
    }

    fn current(&self) -> PathBuf {
        info_log_file_name(&self.db_dir, &self.db_absolute, self.log_dir())
    }

    /// Gives the file in use the name of an old one.
    fn retire(&self) -> Result<()> {
        let old = |micros| {
            old_info_log_file_name(&self.db_dir, &self.db_absolute, self.log_dir(), micros)
        };
        let mut micros = unix_micros();
        while self.fs.exists(&old(micros))? {
            micros += 1;
        }
        self.fs.rename(&self.current(), &old(micros))
    }

    /// Removes the oldest files beyond the number to keep. Failing to do so costs only space.
    fn remove_old(&self) {
        let dir = self.log_dir().unwrap_or(&self.db_dir);
        let prefix = info_log_prefix(self.log_dir().is_some(), &self.db_absolute);
        let Ok(names) = self.fs.list(dir) else { return };
        let mut old: Vec<(u64, String)> = (names.into_iter())
            .filter(|name| *name != prefix)
            .filter_map(|name| match parse_file_name_with(&name, &prefix) {
                Some((number, FileType::InfoLog)) => Some((number, name)),
                _ => None,
            })
            .collect();
        old.sort_unstable();
        let keep = self.options.keep_log_file_num.max(1) - 1;
        for (_, name) in &old[..old.len().saturating_sub(keep)] {
            let _ = self.fs.remove_file(&dir.join(name));
        }
    }
}

impl State {
    fn write(&mut self, micros: u64, level: InfoLogLevel, message: fmt::Arguments<'_>) {
        let Some(file) = &mut self.file else { return };
        self.line.clear();
        format_line(&mut self.line, micros, level, message);
        // A log that cannot be written must not stop the database.
        let _ = file.append(self.line.as_bytes());
    }
}

/// Puts a line together, with its end.
fn format_line(line: &mut String, micros: u64, level: InfoLogLevel, message: fmt::Arguments<'_>) {
    // Writing to a string fails only if the message's own formatting does.
    let _ = write!(line, "{} {} ", local_time(micros), thread_id());
    if !matches!(level, InfoLogLevel::Info | InfoLogLevel::Header) {
        let _ = write!(line, "[{}] ", level.name());
    }
    let _ = line.write_fmt(message);
    if line.len() >= MAX_LINE {
        let end = (0..MAX_LINE).rev().find(|&end| line.is_char_boundary(end)).unwrap_or(0);
        line.truncate(end);
    }
    if !line.ends_with('\n') {
        line.push('\n');
    }
}

impl Logger for InfoLog {
    fn log(&self, level: InfoLogLevel, message: fmt::Arguments<'_>) {
        if level < self.level() {
            return;
        }
        let mut state = self.state.lock();
        let now = unix_micros();
        if self.is_due(&state, now) {
            self.roll(&mut state, now);
        }
        state.write(now, level, message);
        if level == InfoLogLevel::Header {
            state.headers.push(message.to_string());
        }
    }

    fn level(&self) -> InfoLogLevel {
        level_of(&self.level)
    }

    fn set_level(&self, level: InfoLogLevel) {
        self.level.store(level as u32, Ordering::Relaxed);
    }

    fn close(&self) -> Result<()> {
        match self.state.lock().file.take() {
            Some(mut file) => file.close(),
            None => Ok(()),
        }
    }
}

fn level_of(number: &AtomicU32) -> InfoLogLevel {
    InfoLogLevel::from_number(number.load(Ordering::Relaxed) as u8).unwrap_or_default()
}

/// A [`Logger`] that writes to the standard error stream, with a prefix before each message.
pub struct StderrLogger {
    level: AtomicU32,
    prefix: String,
}

impl StderrLogger {
    /// Keeps messages from `level` on.
    pub fn new(level: InfoLogLevel, prefix: &str) -> Self {
        StderrLogger { level: AtomicU32::new(level as u32), prefix: prefix.to_string() }
    }
}

impl Logger for StderrLogger {
    fn log(&self, level: InfoLogLevel, message: fmt::Arguments<'_>) {
        if level < self.level() {
            return;
        }
        let mut line = String::new();
        format_line(&mut line, unix_micros(), level, format_args!("{}{message}", self.prefix));
        let _ = std::io::stderr().write_all(line.as_bytes());
    }

    fn level(&self) -> InfoLogLevel {
        level_of(&self.level)
    }

    fn set_level(&self, level: InfoLogLevel) {
        self.level.store(level as u32, Ordering::Relaxed);
    }
}

#[cfg(test)]
#[path = "info_log_tests.rs"]
mod tests;
