//! [`Status`]: the one error type, shaped like RocksDB's `Status` so that its text can cross the
//! C ABI unchanged (bindings parse the prefixes).

use std::fmt;

/// The result of everything that can fail.
pub type Result<T, E = Status> = std::result::Result<T, E>;

/// The kind of an error. The discriminants are RocksDB's `Status::Code`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Code {
    /// The key, column family or file asked for does not exist.
    NotFound = 1,
    /// Stored bytes contradict their format or checksum.
    Corruption = 2,
    /// The request needs something this library does not do.
    NotSupported = 3,
    /// The caller's arguments or options contradict each other or the database.
    InvalidArgument = 4,
    /// The operating system refused.
    IoError = 5,
    /// Reading met merge operands that have not been merged yet.
    MergeInProgress = 6,
    /// The answer is not known without doing what the caller forbade (e.g. reading a disk).
    Incomplete = 7,
    /// The database is closing.
    ShutdownInProgress = 8,
    /// A deadline passed.
    TimedOut = 9,
    /// The operation was abandoned.
    Aborted = 10,
    /// A resource is held by someone else.
    Busy = 11,
    /// The object's life time is over.
    Expired = 12,
    /// A transient conflict; the same call may succeed.
    TryAgain = 13,
    /// A compaction would exceed a size limit.
    CompactionTooLarge = 14,
    /// The column family was dropped.
    ColumnFamilyDropped = 15,
}

impl Code {
    /// The text that starts an error message of this kind, as in RocksDB's `Status::ToString`.
    pub fn prefix(self) -> &'static str {
        match self {
            Code::NotFound => "NotFound: ",
            Code::Corruption => "Corruption: ",
            Code::NotSupported => "Not implemented: ",
            Code::InvalidArgument => "Invalid argument: ",
            Code::IoError => "IO error: ",
            Code::MergeInProgress => "Merge in progress: ",
            Code::Incomplete => "Result incomplete: ",
            Code::ShutdownInProgress => "Shutdown in progress: ",
            Code::TimedOut => "Operation timed out: ",
            Code::Aborted => "Operation aborted: ",
            Code::Busy => "Resource busy: ",
            Code::Expired => "Operation expired: ",
            Code::TryAgain => "Operation failed. Try again.: ",
            Code::CompactionTooLarge => "Compaction too large: ",
            Code::ColumnFamilyDropped => "Column family dropped: ",
        }
    }
}

/// What an error is about, more closely. The discriminants are RocksDB's `Status::SubCode`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum SubCode {
    /// Nothing more is known.
    None = 0,
    /// The device is full.
    NoSpace = 4,
    /// A file handle no longer refers to a file.
    StaleFile = 6,
    /// A memory limit was reached.
    MemoryLimit = 7,
    /// A configured space limit was reached.
    SpaceLimit = 8,
    /// A file or folder does not exist.
    PathNotFound = 9,
    /// A user called a manual compaction off.
    ManualCompactionPaused = 11,
    /// A user's merge operator could not merge.
    MergeOperatorFailed = 15,
}

impl SubCode {
    fn text(self) -> &'static str {
        match self {
            SubCode::None => "",
            SubCode::NoSpace => "No space left on device",
            SubCode::StaleFile => "Stale file handle",
            SubCode::MemoryLimit => "Memory limit reached",
            SubCode::SpaceLimit => "Space limit reached",
            SubCode::PathNotFound => "No such file or directory",
            SubCode::ManualCompactionPaused => "Manual compaction paused",
            SubCode::MergeOperatorFailed => "Merge operator failed",
        }
    }
}

/// How far an error in the background stops the database. Only `db` assigns it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub enum Severity {
    /// Does not concern the database as a whole.
    None = 0,
    /// Writes go on; background work stops or retries.
    Soft = 1,
    /// Writes are refused until the database resumes.
    Hard = 2,
    /// The database must be closed and opened again.
    Fatal = 3,
    /// The stored data itself is in doubt.
    Unrecoverable = 4,
}

#[derive(Clone)]
struct Repr {
    code: Code,
    subcode: SubCode,
    severity: Severity,
    retryable: bool,
    text: String,
}

/// An error: code, sub-code, severity, whether trying again may help, and text.
///
/// One pointer wide, so that `Result` stays small on hot paths.
#[derive(Clone)]
pub struct Status(Box<Repr>);

macro_rules! constructors {
    ($($(#[$doc:meta])* $name:ident => $code:ident;)*) => {$(
        $(#[$doc])*
        #[cold]
        pub fn $name(text: impl Into<String>) -> Status {
            Status::new(Code::$code, text)
        }
    )*};
}

impl Status {
    /// An error of kind `code`; `text` is what follows the kind's prefix.
    #[cold]
    pub fn new(code: Code, text: impl Into<String>) -> Status {
        Status(Box::new(Repr {
            code,
            subcode: SubCode::None,
            severity: Severity::None,
            retryable: false,
            text: text.into(),
        }))
    }

    constructors! {
        /// [`Code::NotFound`].
        not_found => NotFound;
        /// [`Code::Corruption`]. The text names the file, and the offset where there is one.
        corruption => Corruption;
        /// [`Code::NotSupported`].
        not_supported => NotSupported;
        /// [`Code::InvalidArgument`]. The text names the option or argument.
        invalid_argument => InvalidArgument;
        /// [`Code::IoError`], for failures that have no `std::io::Error`.
        io_error => IoError;
        /// [`Code::Incomplete`].
        incomplete => Incomplete;
        /// [`Code::ShutdownInProgress`].
        shutdown => ShutdownInProgress;
        /// [`Code::Aborted`].
        aborted => Aborted;
        /// [`Code::Busy`].
        busy => Busy;
        /// [`Code::TryAgain`].
        try_again => TryAgain;
        /// [`Code::ColumnFamilyDropped`].
        column_family_dropped => ColumnFamilyDropped;
    }

    /// An operating-system error met while doing `context` ("While opening a file for
    /// sequentially reading: /db/CURRENT"), with the sub-code that fits its errno.
    #[cold]
    pub fn from_io(context: impl Into<String>, error: &std::io::Error) -> Status {
        let mut status = Status::io_error(format!("{}: {}", context.into(), errno_text(error)));
        match error.raw_os_error() {
            Some(libc::ENOSPC) => {
                status.0.subcode = SubCode::NoSpace;
                status.0.retryable = true;
            }
            Some(libc::ESTALE) => status.0.subcode = SubCode::StaleFile,
            Some(libc::ENOENT) => status.0.subcode = SubCode::PathNotFound,
            _ => {}
        }
        status
    }

    /// The same error with sub-code `subcode`.
    pub fn with_subcode(mut self, subcode: SubCode) -> Status {
        self.0.subcode = subcode;
        self
    }

    /// The same error with severity `severity`.
    pub fn with_severity(mut self, severity: Severity) -> Status {
        self.0.severity = severity;
        self
    }

    /// The same error, marked as one that the same call may not meet again.
    pub fn with_retryable(mut self, retryable: bool) -> Status {
        self.0.retryable = retryable;
        self
    }

    /// The same error with `suffix` behind its text, e.g. the name of the file it is about.
    pub fn append(mut self, suffix: &str) -> Status {
        self.0.text.push_str(suffix);
        self
    }

    /// The kind.
    pub fn code(&self) -> Code {
        self.0.code
    }

    /// The closer kind.
    pub fn subcode(&self) -> SubCode {
        self.0.subcode
    }

    /// How far it stops the database.
    pub fn severity(&self) -> Severity {
        self.0.severity
    }

    /// Whether the same call may succeed later.
    pub fn is_retryable(&self) -> bool {
        self.0.retryable
    }

    /// The text behind the prefix and the sub-code's text.
    pub fn text(&self) -> &str {
        &self.0.text
    }

    /// Whether the kind is [`Code::NotFound`].
    pub fn is_not_found(&self) -> bool {
        self.0.code == Code::NotFound
    }

    /// Whether the kind is [`Code::Corruption`].
    pub fn is_corruption(&self) -> bool {
        self.0.code == Code::Corruption
    }

    /// Whether a file or folder that was asked for does not exist.
    pub fn is_path_not_found(&self) -> bool {
        self.0.code == Code::IoError && self.0.subcode == SubCode::PathNotFound
    }
}

/// The C library's text for the error, without Rust's "(os error N)".
fn errno_text(error: &std::io::Error) -> String {
    let text = error.to_string();
    match text.find(" (os error") {
        Some(end) => text[..end].to_string(),
        None => text,
    }
}

impl fmt::Display for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0.code.prefix())?;
        let subcode = self.0.subcode.text();
        f.write_str(subcode)?;
        if !subcode.is_empty() && !self.0.text.is_empty() {
            f.write_str(": ")?;
        }
        f.write_str(&self.0.text)
    }
}

impl fmt::Debug for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Status({self})")
    }
}

impl std::error::Error for Status {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_has_prefix_subcode_and_context() {
        let missing = std::io::Error::from_raw_os_error(libc::ENOENT);
        let status = Status::from_io("While opening: /a", &missing);
        assert_eq!(
            status.to_string(),
            "IO error: No such file or directory: While opening: /a: No such file or directory"
        );
        assert!(status.is_path_not_found());
        assert_eq!(Status::corruption("bad").to_string(), "Corruption: bad");
        assert_eq!(
            Status::busy("").with_subcode(SubCode::MemoryLimit).to_string(),
            "Resource busy: Memory limit reached"
        );
    }

    #[test]
    fn result_stays_one_pointer_wide() {
        assert_eq!(size_of::<Result<()>>(), size_of::<usize>());
    }
}
