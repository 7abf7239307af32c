//! The traits through which everything reaches files. All methods take `&self`; implementations
//! are safe to call from many threads at once, except that one file must not be written by two.
//!
//! Errors carry the texts of RocksDB's posix file system whatever the implementation, because
//! programs match on them.

use std::io;
use std::os::fd::RawFd;
use std::path::{Path, PathBuf};

use crate::base::status::{Result, Status};
use crate::base::sync::Arc;

/// How bytes get from and to a file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Access {
    /// Through the page cache, by calls of the system.
    #[default]
    Buffered,
    /// Past the page cache.
    Direct,
    /// Through memory that the file is mapped to.
    Mapped,
}

/// A hierarchy of files and folders.
pub trait FileSystem: Send + Sync {
    /// Opens an existing file for reading from its start.
    fn open_sequential(&self, path: &Path) -> Result<Box<dyn SequentialFile>>;

    /// Opens an existing file for reading at any offset, from any number of threads.
    fn open_random(&self, path: &Path) -> Result<Arc<dyn RandomFile>>;

    /// [`open_random`](FileSystem::open_random) in this way, where the file system knows it. The
    /// file must not change while it is open with [`Access::Mapped`].
    fn open_random_as(&self, path: &Path, access: Access) -> Result<Arc<dyn RandomFile>> {
        let _ = access;
        self.open_random(path)
    }

    /// [`create`](FileSystem::create) in this way, where the file system knows it. Other ways than
    /// [`Access::Buffered`] may show others what was appended only after `sync` or `close`.
    fn create_as(&self, path: &Path, access: Access) -> Result<Box<dyn WritableFile>> {
        let _ = access;
        self.create(path)
    }

    /// Creates a file for writing; one that exists is truncated.
    fn create(&self, path: &Path) -> Result<Box<dyn WritableFile>>;

    /// Renames the existing file `old` to `path` and opens it for writing over its old bytes from
    /// the start, which stay until they are overwritten (log recycling).
    fn reuse(&self, path: &Path, old: &Path) -> Result<Box<dyn WritableFile>>;

    /// Opens an existing folder, to make its entries durable.
    fn open_dir(&self, path: &Path) -> Result<Box<dyn Directory>>;

    /// Whether a file or folder has this name. A name that cannot be looked up (a missing or
    /// unreadable parent) counts as absent, as in RocksDB.
    fn exists(&self, path: &Path) -> Result<bool>;

    /// The names of the entries of a folder, in no order, without `.` and `..`. Fails with
    /// `NotFound` when there is no such folder.
    fn list(&self, dir: &Path) -> Result<Vec<String>>;

    /// Removes the name of a file; open handles stay valid.
    fn remove_file(&self, path: &Path) -> Result<()>;

    /// Creates a folder; fails if the name exists.
    fn create_dir(&self, path: &Path) -> Result<()>;

    /// Creates a folder unless it exists; fails if the name is that of a file.
    fn create_dir_if_missing(&self, path: &Path) -> Result<()>;

    /// Removes an empty folder.
    fn remove_dir(&self, path: &Path) -> Result<()>;

    /// The length of a file in bytes.
    fn file_size(&self, path: &Path) -> Result<u64>;

    /// When the file was last written, in seconds since 1970.
    fn modified_seconds(&self, path: &Path) -> Result<u64>;

    /// Gives `from` the name `to`, atomically replacing a file that has it.
    fn rename(&self, from: &Path, to: &Path) -> Result<()>;

    /// Gives the file `from` the second name `to`, which must be free. `NotSupported` when the two
    /// lie on different devices.
    fn link(&self, from: &Path, to: &Path) -> Result<()>;

    /// Sets the length of a file: cuts it, or extends it with zeros.
    fn truncate(&self, path: &Path, len: u64) -> Result<()>;

    /// Makes the bytes of a file durable that may have been written by another process.
    fn sync_file(&self, path: &Path) -> Result<()>;

    /// Takes the lock that the file `path` (created if need be) stands for, against other
    /// processes and against this one. Dropping the result gives it back.
    fn lock(&self, path: &Path) -> Result<Box<dyn FileLock>>;

    /// `path` from the root on.
    fn absolute(&self, path: &Path) -> Result<PathBuf>;
}

/// A file being read from start to end.
pub trait SequentialFile: Send {
    /// The descriptor by which the system knows it, if there is one. Only to change its flags.
    fn descriptor(&self) -> Option<RawFd> {
        None
    }

    /// Fills `buf` as far as the file reaches and returns the number of bytes; fewer than
    /// `buf.len()` means that the end was met. Bytes appended later are seen by later calls.
    fn read(&mut self, buf: &mut [u8]) -> Result<usize>;

    /// Moves ahead by `n` bytes, beyond the end if need be.
    fn skip(&mut self, n: u64) -> Result<()>;

    /// The name it was opened by, for messages.
    fn path(&self) -> &Path;
}

/// How a file is going to be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AccessPattern {
    /// Nothing is known.
    Normal,
    /// Scattered: read-ahead would be wasted.
    Random,
    /// From start to end.
    Sequential,
    /// Soon and whole.
    WillNeed,
    /// Not any more: its cached pages may go.
    WontNeed,
}

/// A file being read at any offset.
pub trait RandomFile: Send + Sync {
    /// The descriptor by which the system knows it, if there is one. Only to change its flags.
    fn descriptor(&self) -> Option<RawFd> {
        None
    }

    /// Reads at `offset` until `buf` is full or the file ends; returns the number of bytes.
    fn read_at(&self, offset: u64, buf: &mut [u8]) -> Result<usize>;

    /// The length in bytes, now.
    fn size(&self) -> Result<u64>;

    /// The name it was opened by, for messages.
    fn path(&self) -> &Path;

    /// Tells the system how the file is going to be read. Advice: never fails.
    fn advise(&self, pattern: AccessPattern) {
        let _ = pattern;
    }

    /// Asks the system to load `len` bytes at `offset` into its cache without waiting for them.
    fn prefetch(&self, offset: u64, len: u64) -> Result<()> {
        let _ = (offset, len);
        Ok(())
    }
}

/// A file being written, by one thread at a time, from its start on.
///
/// Dropping it closes it, ignoring errors. Bytes are durable only after a `sync` that succeeded,
/// and their name only after [`Directory::sync`].
pub trait WritableFile: Send {
    /// The descriptor by which the system knows it, if there is one. Only to change its flags.
    fn descriptor(&self) -> Option<RawFd> {
        None
    }

    /// Writes all of `data` behind what was written before: one `write(2)` unless the system
    /// takes only a part. After an error an unknown prefix of `data` may have been written.
    fn append(&mut self, data: &[u8]) -> Result<()>;

    /// Makes the bytes and the length durable (`fdatasync`).
    fn sync(&mut self) -> Result<()>;

    /// Makes the bytes and all attributes durable (`fsync`).
    fn fsync(&mut self) -> Result<()>;

    /// Starts writing out `len` bytes at `offset` without waiting, to spread the load of a later
    /// sync; promises nothing about durability. `strict` first waits for what earlier calls began.
    fn range_sync(&mut self, offset: u64, len: u64, strict: bool) -> Result<()>;

    /// Reserves space for `len` bytes at `offset` without changing the length. File systems that
    /// cannot do so do nothing. What is not used is given back by `close`.
    fn allocate(&mut self, offset: u64, len: u64) -> Result<()>;

    /// Sets the length to `len`; the next append goes there.
    fn truncate(&mut self, len: u64) -> Result<()>;

    /// The offset at which the next append goes: the bytes written so far.
    fn size(&self) -> u64;

    /// The name it was opened by, for messages.
    fn path(&self) -> &Path;

    /// Closes the file; the only calls allowed afterwards are `size` and `path`. Syncs nothing.
    fn close(&mut self) -> Result<()>;
}

/// An open folder.
pub trait Directory: Send + Sync {
    /// The descriptor by which the system knows it, if there is one. Only to change its flags.
    fn descriptor(&self) -> Option<RawFd> {
        None
    }

    /// Makes every creation, renaming, linking and removal in this folder so far durable.
    fn sync(&self) -> Result<()>;
}

/// A lock that is held until dropped.
pub trait FileLock: Send + Sync {
    /// The descriptor by which the system knows it, if there is one. Only to change its flags.
    fn descriptor(&self) -> Option<RawFd> {
        None
    }
}

/// An error in the form "CONTEXT: PATH: TEXT OF ERRNO".
#[cold]
pub(in crate::env) fn failed(context: &str, path: &Path, error: &io::Error) -> Status {
    Status::from_io(format!("{context}: {}", path.display()), error)
}

/// The whole content of a file, which must not be longer than `limit` bytes.
pub fn read_file(fs: &dyn FileSystem, path: &Path, limit: usize) -> Result<Vec<u8>> {
    let mut file = fs.open_sequential(path)?;
    let mut content = Vec::new();
    loop {
        let start = content.len();
        let want = start.clamp(4096, 1 << 20);
        content.try_reserve(want).map_err(|_| {
            Status::aborted(format!("not enough memory to read {}", path.display()))
        })?;
        content.resize(start + want, 0);
        let n = file.read(&mut content[start..])?;
        content.truncate(start + n);
        if content.len() > limit {
            return Err(Status::corruption(format!(
                "{}: longer than {limit} bytes",
                path.display()
            )));
        }
        if n < want {
            return Ok(content);
        }
    }
}

/// Writes `data` as the whole content of the file `path`, made durable if `sync`. A file left
/// half-written by an error is removed.
pub fn write_file(fs: &dyn FileSystem, path: &Path, data: &[u8], sync: bool) -> Result<()> {
    let mut file = fs.create(path)?;
    let mut write = || {
        file.append(data)?;
        if sync {
            file.sync()?;
        }
        file.close()
    };
    let result = write();
    if result.is_err() {
        let _ = fs.remove_file(path);
    }
    result
}
