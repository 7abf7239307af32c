//! [`FaultFileSystem`]: another file system, made to fail by rule.

use std::io;
use std::path::{Path, PathBuf};

use bitflags::bitflags;

use crate::base::status::{Result, Status};
use crate::base::sync::{Arc, AtomicBool, AtomicU64, Mutex, Ordering};
use crate::env::file_system::{
    Access, AccessPattern, Directory, FileLock, FileSystem, RandomFile, SequentialFile,
    WritableFile, failed,
};

bitflags! {
    /// Kinds of operations.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct Operations: u32 {
        /// Opening a file for reading.
        const OPEN = 1;
        /// Creating or reusing a file, or truncating it by name.
        const CREATE = 1 << 1;
        /// Reading from a file, or asking for an open file's size.
        const READ = 1 << 2;
        /// Appending to a file, or truncating an open one.
        const APPEND = 1 << 3;
        /// Syncing a file.
        const SYNC = 1 << 4;
        /// Syncing a range of a file, or reserving space.
        const HINT = 1 << 5;
        /// Closing a file that was written.
        const CLOSE = 1 << 6;
        /// Opening a folder.
        const OPEN_DIR = 1 << 7;
        /// Syncing a folder.
        const SYNC_DIR = 1 << 8;
        /// Renaming. The path is the old one.
        const RENAME = 1 << 9;
        /// Linking. The path is the old one.
        const LINK = 1 << 10;
        /// Removing a file or folder.
        const REMOVE = 1 << 11;
        /// Creating a folder.
        const CREATE_DIR = 1 << 12;
        /// Listing a folder.
        const LIST = 1 << 13;
        /// Asking whether a name exists, or for a size or time by name.
        const STAT = 1 << 14;
        /// Taking a lock.
        const LOCK = 1 << 15;
        /// Whatever changes something.
        const ALL_WRITES = Self::CREATE.bits() | Self::APPEND.bits() | Self::SYNC.bits()
            | Self::HINT.bits() | Self::CLOSE.bits() | Self::SYNC_DIR.bits()
            | Self::RENAME.bits() | Self::LINK.bits() | Self::REMOVE.bits()
            | Self::CREATE_DIR.bits();
    }
}

/// How an operation fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// With this `errno`, having done nothing.
    Error(i32),
    /// With this `errno`, having done its work: the answer was lost.
    ErrorAfter(i32),
    /// An append writes the first half of its bytes and fails with this `errno`; other operations
    /// do nothing.
    ShortWrite(i32),
    /// A read that gets any bytes flips a bit of the middle one and succeeds; other operations
    /// are not affected.
    FlipBit,
    /// By a panic, having done nothing.
    Panic,
}

/// When to fail.
#[derive(Clone, Debug)]
pub struct Rule {
    /// Which operations are meant.
    pub operations: Operations,
    /// Which paths are meant: `*` stands for any text, everything else for itself.
    pub path: String,
    /// How many of those operations succeed first.
    pub after: u64,
    /// How many fail then; `u64::MAX`: all.
    pub times: u64,
    /// How they fail.
    pub fault: Fault,
}

impl Rule {
    /// All of `operations` on paths like `path` fail from now on.
    pub fn always(operations: Operations, path: &str, fault: Fault) -> Rule {
        Rule { operations, path: path.to_string(), after: 0, times: u64::MAX, fault }
    }

    /// The `nth` (from 0) of `operations` on paths like `path` fails.
    pub fn once(operations: Operations, path: &str, nth: u64, fault: Fault) -> Rule {
        Rule { operations, path: path.to_string(), after: nth, times: 1, fault }
    }
}

struct ActiveRule {
    id: u64,
    rule: Rule,
    matched: u64,
    injected: u64,
}

/// A file system that hands everything to another one, except what its rules make fail. Cloning
/// gives another handle to the same one; its open files obey later rules, too.
#[derive(Clone)]
pub struct FaultFileSystem {
    inner: Arc<dyn FileSystem>,
    control: Arc<Control>,
}

struct Control {
    active: AtomicBool,
    rules: Mutex<Vec<ActiveRule>>,
    next_id: AtomicU64,
    injected: AtomicU64,
    /// By bit number of the operation.
    counts: [AtomicU64; 32],
}

impl FaultFileSystem {
    /// `inner` without any rules.
    pub fn new(inner: Arc<dyn FileSystem>) -> Self {
        FaultFileSystem {
            inner,
            control: Arc::new(Control {
                active: AtomicBool::new(true),
                rules: Mutex::new(Vec::new()),
                next_id: AtomicU64::new(0),
                injected: AtomicU64::new(0),
                counts: [const { AtomicU64::new(0) }; 32],
            }),
        }
    }

    /// Adds a rule; returns its number. Of several rules that apply, the oldest acts.
    pub fn add(&self, rule: Rule) -> u64 {
        let id = self.control.next_id.fetch_add(1, Ordering::Relaxed);
        self.control.rules.lock().push(ActiveRule { id, rule, matched: 0, injected: 0 });
        id
    }

    /// Removes a rule; returns how many failures it caused.
    pub fn remove(&self, id: u64) -> u64 {
        let mut rules = self.control.rules.lock();
        match rules.iter().position(|rule| rule.id == id) {
            Some(index) => rules.remove(index).injected,
            None => 0,
        }
    }

    /// Removes all rules.
    pub fn clear(&self) {
        self.control.rules.lock().clear();
    }

    /// Without being active, nothing fails and no rule counts.
    pub fn set_active(&self, active: bool) {
        self.control.active.store(active, Ordering::SeqCst);
    }

    /// How many failures there were.
    pub fn injected(&self) -> u64 {
        self.control.injected.load(Ordering::SeqCst)
    }

    /// How many operations of these kinds there were, failed ones included.
    pub fn count(&self, operations: Operations) -> u64 {
        let of = |operation: Operations| &self.control.counts[bit(operation)];
        operations.iter().map(|operation| of(operation).load(Ordering::SeqCst)).sum()
    }
}

fn bit(operation: Operations) -> usize {
    operation.bits().trailing_zeros() as usize
}

impl Control {
    fn fault(&self, operation: Operations, path: &Path) -> Option<Fault> {
        self.counts[bit(operation)].fetch_add(1, Ordering::SeqCst);
        if !self.active.load(Ordering::SeqCst) {
            return None;
        }
        let path = path.to_string_lossy();
        let mut fault = None;
        for active in self.rules.lock().iter_mut() {
            let ActiveRule { rule, matched, injected, .. } = active;
            if !rule.operations.contains(operation) || !matches(&rule.path, &path) {
                continue;
            }
            *matched += 1;
            if fault.is_none() && *matched > rule.after && *injected < rule.times {
                *injected += 1;
                fault = Some(rule.fault);
            }
        }
        if fault.is_some() {
            self.injected.fetch_add(1, Ordering::SeqCst);
        }
        fault
    }

    /// Does `work` unless a rule has it fail; `context` is the text for the failure.
    fn run<T>(
        &self,
        operation: Operations,
        path: &Path,
        context: &str,
        work: impl FnOnce() -> Result<T>,
    ) -> Result<T> {
        let fault = self.fault(operation, path);
        self.fail(fault, path, context, work)
    }

    fn fail<T>(
        &self,
        fault: Option<Fault>,
        path: &Path,
        context: &str,
        work: impl FnOnce() -> Result<T>,
    ) -> Result<T> {
        let error = |code| match code {
            // As the posix file system says it of links, the only ones to be told from others.
            libc::EXDEV => Err(Status::not_supported("No cross FS links allowed")),
            _ => Err(failed(context, path, &io::Error::from_raw_os_error(code))),
        };
        match fault {
            None | Some(Fault::FlipBit) => work(),
            Some(Fault::Error(code) | Fault::ShortWrite(code)) => error(code),
            Some(Fault::ErrorAfter(code)) => {
                work()?;
                error(code)
            }
            Some(Fault::Panic) => panic!("injected panic: {context}: {}", path.display()),
        }
    }

    /// A read of up to `buf.len()` bytes.
    fn read(
        &self,
        path: &Path,
        context: &str,
        buf: &mut [u8],
        read: impl FnOnce(&mut [u8]) -> Result<usize>,
    ) -> Result<usize> {
        let fault = self.fault(Operations::READ, path);
        let n = self.fail(fault, path, context, || read(buf))?;
        if fault == Some(Fault::FlipBit) && n > 0 {
            buf[n / 2] ^= 1;
        }
        Ok(n)
    }
}

/// Whether `text` is what `pattern`, in which `*` stands for anything, describes.
fn matches(pattern: &str, text: &str) -> bool {
    let Some((head, rest)) = pattern.split_once('*') else { return pattern == text };
    let Some(mut text) = text.strip_prefix(head) else { return false };
    // Every piece but the last may be taken at its first occurrence.
    let mut pieces = rest.split('*').peekable();
    while let Some(piece) = pieces.next() {
        if pieces.peek().is_none() {
            return text.ends_with(piece);
        }
        let Some(at) = text.find(piece) else { return false };
        text = &text[at + piece.len()..];
    }
    true
}

impl FileSystem for FaultFileSystem {
    fn open_sequential(&self, path: &Path) -> Result<Box<dyn SequentialFile>> {
        let context = "While opening a file for sequentially reading";
        let open = || self.inner.open_sequential(path);
        let file = self.control.run(Operations::OPEN, path, context, open)?;
        Ok(Box::new(FaultSequentialFile { file, control: Arc::clone(&self.control) }))
    }

    fn open_random(&self, path: &Path) -> Result<Arc<dyn RandomFile>> {
        self.open_random_as(path, Access::Buffered)
    }

    fn create(&self, path: &Path) -> Result<Box<dyn WritableFile>> {
        self.create_as(path, Access::Buffered)
    }

    fn open_random_as(&self, path: &Path, access: Access) -> Result<Arc<dyn RandomFile>> {
        let context = "While open a file for random read";
        let open = || self.inner.open_random_as(path, access);
        let file = self.control.run(Operations::OPEN, path, context, open)?;
        Ok(Arc::new(FaultRandomFile { file, control: Arc::clone(&self.control) }))
    }

    fn create_as(&self, path: &Path, access: Access) -> Result<Box<dyn WritableFile>> {
        let context = "While open a file for appending";
        let create = || self.inner.create_as(path, access);
        let file = self.control.run(Operations::CREATE, path, context, create)?;
        Ok(Box::new(FaultWritableFile { file, control: Arc::clone(&self.control) }))
    }

    fn reuse(&self, path: &Path, old: &Path) -> Result<Box<dyn WritableFile>> {
        let context = "while reopen file for write";
        let reuse = || self.inner.reuse(path, old);
        let file = self.control.run(Operations::CREATE, path, context, reuse)?;
        Ok(Box::new(FaultWritableFile { file, control: Arc::clone(&self.control) }))
    }

    fn open_dir(&self, path: &Path) -> Result<Box<dyn Directory>> {
        let open = || self.inner.open_dir(path);
        let dir = self.control.run(Operations::OPEN_DIR, path, "While open directory", open)?;
        let (control, path) = (Arc::clone(&self.control), path.to_path_buf());
        Ok(Box::new(FaultDirectory { dir, control, path }))
    }

    fn exists(&self, path: &Path) -> Result<bool> {
        let work = || self.inner.exists(path);
        self.control.run(Operations::STAT, path, "while access to file", work)
    }

    fn list(&self, dir: &Path) -> Result<Vec<String>> {
        self.control.run(Operations::LIST, dir, "While opendir", || self.inner.list(dir))
    }

    fn remove_file(&self, path: &Path) -> Result<()> {
        let work = || self.inner.remove_file(path);
        self.control.run(Operations::REMOVE, path, "while unlink() file", work)
    }

    fn create_dir(&self, path: &Path) -> Result<()> {
        let work = || self.inner.create_dir(path);
        self.control.run(Operations::CREATE_DIR, path, "While mkdir", work)
    }

    fn create_dir_if_missing(&self, path: &Path) -> Result<()> {
        let work = || self.inner.create_dir_if_missing(path);
        self.control.run(Operations::CREATE_DIR, path, "While mkdir if missing", work)
    }

    fn remove_dir(&self, path: &Path) -> Result<()> {
        let work = || self.inner.remove_dir(path);
        self.control.run(Operations::REMOVE, path, "file rmdir", work)
    }

    fn file_size(&self, path: &Path) -> Result<u64> {
        let work = || self.inner.file_size(path);
        self.control.run(Operations::STAT, path, "while stat a file for size", work)
    }

    fn modified_seconds(&self, path: &Path) -> Result<u64> {
        let context = "while stat a file for modification time";
        self.control.run(Operations::STAT, path, context, || self.inner.modified_seconds(path))
    }

    fn rename(&self, from: &Path, to: &Path) -> Result<()> {
        let context = format!("While renaming a file to {}", to.display());
        self.control.run(Operations::RENAME, from, &context, || self.inner.rename(from, to))
    }

    fn link(&self, from: &Path, to: &Path) -> Result<()> {
        let context = format!("while link file to {}", to.display());
        self.control.run(Operations::LINK, from, &context, || self.inner.link(from, to))
    }

    fn truncate(&self, path: &Path, len: u64) -> Result<()> {
        let context = format!("While truncate file to size {len}");
        self.control.run(Operations::CREATE, path, &context, || self.inner.truncate(path, len))
    }

    fn sync_file(&self, path: &Path) -> Result<()> {
        self.control.run(Operations::SYNC, path, "While fsync", || self.inner.sync_file(path))
    }

    fn lock(&self, path: &Path) -> Result<Box<dyn FileLock>> {
        self.control.run(Operations::LOCK, path, "While lock file", || self.inner.lock(path))
    }

    fn absolute(&self, path: &Path) -> Result<PathBuf> {
        self.inner.absolute(path)
    }
}

struct FaultSequentialFile {
    file: Box<dyn SequentialFile>,
    control: Arc<Control>,
}

impl SequentialFile for FaultSequentialFile {
    fn read(&mut self, buf: &mut [u8]) -> Result<usize> {
        let path = self.file.path().to_path_buf();
        let read = |buf: &mut [u8]| self.file.read(buf);
        self.control.read(&path, "While reading file sequentially", buf, read)
    }

    fn skip(&mut self, n: u64) -> Result<()> {
        self.file.skip(n)
    }

    fn path(&self) -> &Path {
        self.file.path()
    }
}

struct FaultRandomFile {
    file: Arc<dyn RandomFile>,
    control: Arc<Control>,
}

impl RandomFile for FaultRandomFile {
    fn read_at(&self, offset: u64, buf: &mut [u8]) -> Result<usize> {
        let context = format!("While pread offset {offset} len {}", buf.len());
        let read = |buf: &mut [u8]| self.file.read_at(offset, buf);
        self.control.read(self.file.path(), &context, buf, read)
    }

    fn size(&self) -> Result<u64> {
        let size = || self.file.size();
        self.control.run(Operations::READ, self.file.path(), "While fstat with fd -1", size)
    }

    fn path(&self) -> &Path {
        self.file.path()
    }

    fn advise(&self, pattern: AccessPattern) {
        self.file.advise(pattern);
    }

    fn prefetch(&self, offset: u64, len: u64) -> Result<()> {
        self.file.prefetch(offset, len)
    }
}

struct FaultWritableFile {
    file: Box<dyn WritableFile>,
    control: Arc<Control>,
}

impl FaultWritableFile {
    fn run(
        &mut self,
        operation: Operations,
        context: &str,
        work: impl FnOnce(&mut dyn WritableFile) -> Result<()>,
    ) -> Result<()> {
        let fault = self.control.fault(operation, self.file.path());
        let path = fault.map(|_| self.file.path().to_path_buf()).unwrap_or_default();
        self.control.fail(fault, &path, context, || work(&mut *self.file))
    }
}

impl WritableFile for FaultWritableFile {
    fn append(&mut self, data: &[u8]) -> Result<()> {
        let fault = self.control.fault(Operations::APPEND, self.file.path());
        if let Some(Fault::ShortWrite(_)) = fault {
            self.file.append(&data[..data.len() / 2])?;
        }
        let path = fault.map(|_| self.file.path().to_path_buf()).unwrap_or_default();
        self.control.fail(fault, &path, "While appending to file", || self.file.append(data))
    }

    fn sync(&mut self) -> Result<()> {
        self.run(Operations::SYNC, "While fdatasync", |file| file.sync())
    }

    fn fsync(&mut self) -> Result<()> {
        self.run(Operations::SYNC, "While fsync", |file| file.fsync())
    }

    fn range_sync(&mut self, offset: u64, len: u64, strict: bool) -> Result<()> {
        let context = "While sync_file_range returned -1";
        self.run(Operations::HINT, context, |file| file.range_sync(offset, len, strict))
    }

    fn allocate(&mut self, offset: u64, len: u64) -> Result<()> {
        let context = format!("While fallocate offset {offset} len {len}");
        self.run(Operations::HINT, &context, |file| file.allocate(offset, len))
    }

    fn truncate(&mut self, len: u64) -> Result<()> {
        let context = format!("While ftruncate file to size {len}");
        self.run(Operations::APPEND, &context, |file| file.truncate(len))
    }

    fn size(&self) -> u64 {
        self.file.size()
    }

    fn path(&self) -> &Path {
        self.file.path()
    }

    fn close(&mut self) -> Result<()> {
        let context = "While closing file after writing";
        self.run(Operations::CLOSE, context, |file| file.close())
    }
}

struct FaultDirectory {
    dir: Box<dyn Directory>,
    control: Arc<Control>,
    path: PathBuf,
}

impl Directory for FaultDirectory {
    fn sync(&self) -> Result<()> {
        self.control.run(Operations::SYNC_DIR, &self.path, "While fsync", || self.dir.sync())
    }
}

#[cfg(test)]
#[path = "fault_tests.rs"]
mod tests;
