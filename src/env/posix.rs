//! The file system of the operating system, with the error texts of RocksDB's `env/fs_posix.cc`
//! and `env/io_posix.cc`.

use std::fmt;
use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, ErrorKind, Read, Seek, SeekFrom};
use std::os::fd::{AsRawFd, IntoRawFd, RawFd};
use std::os::unix::fs::{DirBuilderExt, FileExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use crate::base::clock::unix_seconds;
use crate::base::status::{Result, Status};
use crate::base::sync::{Arc, Mutex};
use crate::env::file_system::{
    Access, AccessPattern, Directory, FileLock, FileSystem, RandomFile, SequentialFile,
    WritableFile, failed,
};
use crate::env::mmap::{MappedReader, MappedWriter};
use crate::env::posix_direct::{DirectReader, DirectWriter};

/// Permissions of new files and folders, from which the process's umask is taken.
pub(super) const FILE_MODE: u32 = 0o644;
const DIR_MODE: u32 = 0o755;

/// The operating system's files. All instances are the same one.
#[derive(Clone, Copy, Debug, Default)]
pub struct PosixFileSystem;

/// Runs a call of the C library that returns -1 and sets `errno` on failure, again when a signal
/// interrupted it.
fn retry(mut call: impl FnMut() -> libc::c_int) -> io::Result<()> {
    loop {
        if call() != -1 {
            return Ok(());
        }
        let error = io::Error::last_os_error();
        if error.kind() != ErrorKind::Interrupted {
            return Err(error);
        }
    }
}

/// A file offset as the C library takes it.
fn offset_arg(offset: u64) -> io::Result<libc::off_t> {
    libc::off_t::try_from(offset).map_err(|_| io::Error::from_raw_os_error(libc::EFBIG))
}

impl FileSystem for PosixFileSystem {
    fn open_sequential(&self, path: &Path) -> Result<Box<dyn SequentialFile>> {
        let file = File::open(path)
            .map_err(|e| failed("While opening a file for sequentially reading", path, &e))?;
        Ok(Box::new(PosixSequentialFile { file, path: path.to_path_buf() }))
    }

    fn open_random(&self, path: &Path) -> Result<Arc<dyn RandomFile>> {
        let file =
            File::open(path).map_err(|e| failed("While open a file for random read", path, &e))?;
        Ok(Arc::new(PosixRandomFile { file, path: path.to_path_buf() }))
    }

    fn open_random_as(&self, path: &Path, access: Access) -> Result<Arc<dyn RandomFile>> {
        match access {
            Access::Buffered => self.open_random(path),
            Access::Direct => Ok(Arc::new(DirectReader::open(path)?)),
            Access::Mapped => Ok(Arc::new(MappedReader::open(path)?)),
        }
    }

    fn create_as(&self, path: &Path, access: Access) -> Result<Box<dyn WritableFile>> {
        match access {
            Access::Buffered => self.create(path),
            Access::Direct => Ok(Box::new(DirectWriter::create(path)?)),
            Access::Mapped => Ok(Box::new(MappedWriter::create(path)?)),
        }
    }

    fn create(&self, path: &Path) -> Result<Box<dyn WritableFile>> {
        let file = OpenOptions::new()
            .write(true)
            .create(true)
            .truncate(true)
            .mode(FILE_MODE)
            .open(path)
            .map_err(|e| failed("While open a file for appending", path, &e))?;
        Ok(Box::new(PosixWritableFile::new(file, path)))
    }

    fn reuse(&self, path: &Path, old: &Path) -> Result<Box<dyn WritableFile>> {
        let file = OpenOptions::new()
            .write(true)
            .open(old)
            .map_err(|e| failed("while reopen file for write", path, &e))?;
        fs::rename(old, path)
            .map_err(|e| failed(&format!("while rename file to {}", path.display()), old, &e))?;
        Ok(Box::new(PosixWritableFile::new(file, path)))
    }

    fn open_dir(&self, path: &Path) -> Result<Box<dyn Directory>> {
        let dir = OpenOptions::new()
            .read(true)
            .custom_flags(libc::O_DIRECTORY)
            .open(path)
            .map_err(|e| failed("While open directory", path, &e))?;
        Ok(Box::new(PosixDirectory { dir }))
    }

    fn exists(&self, path: &Path) -> Result<bool> {
        let Err(error) = fs::metadata(path) else { return Ok(true) };
        match error.raw_os_error() {
            Some(
                libc::EACCES | libc::ELOOP | libc::ENAMETOOLONG | libc::ENOENT | libc::ENOTDIR,
            ) => Ok(false),
            code => Err(Status::io_error(format!(
                "Unexpected error({}) accessing file `{}' ",
                code.unwrap_or(0),
                path.display()
            ))),
        }
    }

    fn list(&self, dir: &Path) -> Result<Vec<String>> {
        let entries = fs::read_dir(dir).map_err(|e| match e.raw_os_error() {
            Some(libc::EACCES | libc::ENOENT | libc::ENOTDIR) => Status::not_found(""),
            _ => failed("While opendir", dir, &e),
        })?;
        let mut names = Vec::new();
        for entry in entries {
            let entry = entry.map_err(|e| failed("While readdir", dir, &e))?;
            // No database file has a name that is not UTF-8.
            if let Ok(name) = entry.file_name().into_string() {
                names.push(name);
            }
        }
        Ok(names)
    }

    fn remove_file(&self, path: &Path) -> Result<()> {
        fs::remove_file(path).map_err(|e| failed("while unlink() file", path, &e))
    }

    fn create_dir(&self, path: &Path) -> Result<()> {
        DirBuilder::new().mode(DIR_MODE).create(path).map_err(|e| failed("While mkdir", path, &e))
    }

    fn create_dir_if_missing(&self, path: &Path) -> Result<()> {
        match DirBuilder::new().mode(DIR_MODE).create(path) {
            Ok(()) => Ok(()),
            Err(e) if e.raw_os_error() != Some(libc::EEXIST) => {
                Err(failed("While mkdir if missing", path, &e))
            }
            Err(_) if path.is_dir() => Ok(()),
            Err(_) => {
                Err(Status::io_error(format!("`{}' exists but is not a directory", path.display())))
            }
        }
    }

    fn remove_dir(&self, path: &Path) -> Result<()> {
        fs::remove_dir(path).map_err(|e| failed("file rmdir", path, &e))
    }

    fn file_size(&self, path: &Path) -> Result<u64> {
        let attributes =
            fs::metadata(path).map_err(|e| failed("while stat a file for size", path, &e))?;
        Ok(attributes.len())
    }

    fn modified_seconds(&self, path: &Path) -> Result<u64> {
        let attributes = fs::metadata(path)
            .map_err(|e| failed("while stat a file for modification time", path, &e))?;
        Ok(u64::try_from(attributes.mtime()).unwrap_or(0))
    }

    fn rename(&self, from: &Path, to: &Path) -> Result<()> {
        fs::rename(from, to)
            .map_err(|e| failed(&format!("While renaming a file to {}", to.display()), from, &e))
    }

    fn link(&self, from: &Path, to: &Path) -> Result<()> {
        fs::hard_link(from, to).map_err(|e| match e.raw_os_error() {
            Some(libc::EXDEV) => Status::not_supported("No cross FS links allowed"),
            Some(libc::EOPNOTSUPP) => Status::not_supported("Links not supported by FS"),
            _ => failed(&format!("while link file to {}", to.display()), from, &e),
        })
    }

    fn truncate(&self, path: &Path, len: u64) -> Result<()> {
        OpenOptions::new()
            .write(true)
            .open(path)
            .and_then(|file| file.set_len(len))
            .map_err(|e| failed(&format!("While truncate file to size {len}"), path, &e))
    }

    fn sync_file(&self, path: &Path) -> Result<()> {
        OpenOptions::new()
            .write(true)
            .open(path)
            .and_then(|file| file.sync_all())
            .map_err(|e| failed("While fsync", path, &e))
    }

    fn lock(&self, path: &Path) -> Result<Box<dyn FileLock>> {
        lock_file(path)
    }

    fn absolute(&self, path: &Path) -> Result<PathBuf> {
        std::path::absolute(path).map_err(|e| failed("while getcwd", path, &e))
    }
}

struct PosixSequentialFile {
    file: File,
    path: PathBuf,
}

impl SequentialFile for PosixSequentialFile {
    fn descriptor(&self) -> Option<RawFd> {
        Some(self.file.as_raw_fd())
    }

    fn read(&mut self, buf: &mut [u8]) -> Result<usize> {
        let mut filled = 0;
        while filled < buf.len() {
            match self.file.read(&mut buf[filled..]) {
                Ok(0) => break,
                Ok(n) => filled += n,
                Err(e) if e.kind() == ErrorKind::Interrupted => {}
                Err(e) => return Err(failed("While reading file sequentially", &self.path, &e)),
            }
        }
        Ok(filled)
    }

    fn skip(&mut self, n: u64) -> Result<()> {
        offset_arg(n)
            .and_then(|n| self.file.seek(SeekFrom::Current(n)))
            .map_err(|e| failed(&format!("While fseek to skip {n} bytes"), &self.path, &e))?;
        Ok(())
    }

    fn path(&self) -> &Path {
        &self.path
    }
}

struct PosixRandomFile {
    file: File,
    path: PathBuf,
}

impl RandomFile for PosixRandomFile {
    fn descriptor(&self) -> Option<RawFd> {
        Some(self.file.as_raw_fd())
    }

    fn read_at(&self, offset: u64, buf: &mut [u8]) -> Result<usize> {
        let mut filled = 0;
        while filled < buf.len() {
            match self.file.read_at(&mut buf[filled..], offset.saturating_add(filled as u64)) {
                Ok(0) => break,
                Ok(n) => filled += n,
                Err(e) if e.kind() == ErrorKind::Interrupted => {}
                Err(e) => {
                    let context = format!("While pread offset {offset} len {}", buf.len());
                    return Err(failed(&context, &self.path, &e));
                }
            }
        }
        Ok(filled)
    }

    fn size(&self) -> Result<u64> {
        let attributes = self.file.metadata().map_err(|e| {
            failed(&format!("While fstat with fd {}", self.file.as_raw_fd()), &self.path, &e)
        })?;
        Ok(attributes.len())
    }

    fn path(&self) -> &Path {
        &self.path
    }

    fn advise(&self, pattern: AccessPattern) {
        let advice = match pattern {
            AccessPattern::Normal => libc::POSIX_FADV_NORMAL,
            AccessPattern::Random => libc::POSIX_FADV_RANDOM,
            AccessPattern::Sequential => libc::POSIX_FADV_SEQUENTIAL,
            AccessPattern::WillNeed => libc::POSIX_FADV_WILLNEED,
            AccessPattern::WontNeed => libc::POSIX_FADV_DONTNEED,
        };
        // SAFETY: takes no pointers, and the descriptor is open as long as `self.file` lives.
        unsafe { libc::posix_fadvise(self.file.as_raw_fd(), 0, 0, advice) };
    }

    fn prefetch(&self, offset: u64, len: u64) -> Result<()> {
        let fd = self.file.as_raw_fd();
        // SAFETY: takes no pointers, and the descriptor is open as long as `self.file` lives.
        let prefetch = |at| retry(|| unsafe { libc::readahead(fd, at, len as usize) as _ });
        offset_arg(offset).and_then(prefetch).map_err(|e| {
            failed(&format!("While prefetching offset {offset} len {len}"), &self.path, &e)
        })
    }
}

struct PosixWritableFile {
    /// `None` once closed.
    file: Option<File>,
    path: PathBuf,
    size: u64,
    /// The end of the space reserved by `allocate`; 0 if nothing was.
    allocated: u64,
}

impl PosixWritableFile {
    fn new(file: File, path: &Path) -> Self {
        PosixWritableFile { file: Some(file), path: path.to_path_buf(), size: 0, allocated: 0 }
    }

    /// Runs `call` on the open file; an error is put behind `context` and the path.
    fn with_file(
        &mut self,
        context: impl FnOnce() -> String,
        call: impl FnOnce(&mut File) -> io::Result<()>,
    ) -> Result<()> {
        let result = match &mut self.file {
            Some(file) => call(file),
            None => Err(io::Error::from_raw_os_error(libc::EBADF)),
        };
        result.map_err(|e| failed(&context(), &self.path, &e))
    }
}

impl WritableFile for PosixWritableFile {
    fn descriptor(&self) -> Option<RawFd> {
        self.file.as_ref().map(File::as_raw_fd)
    }

    fn append(&mut self, data: &[u8]) -> Result<()> {
        // It goes on after short and interrupted writes. Unlike `write`, it need not lock the
        // position that a file has.
        let at = self.size;
        self.with_file(|| "While appending to file".into(), |file| file.write_all_at(data, at))?;
        self.size += data.len() as u64;
        Ok(())
    }

    fn sync(&mut self) -> Result<()> {
        self.with_file(|| "While fdatasync".into(), |file| file.sync_data())
    }

    fn fsync(&mut self) -> Result<()> {
        self.with_file(|| "While fsync".into(), |file| file.sync_all())
    }

    fn range_sync(&mut self, offset: u64, len: u64, strict: bool) -> Result<()> {
        // Naming everything written so far makes WAIT_BEFORE wait for the earlier ranges too.
        let (from, until, flags) = if strict {
            let flags = libc::SYNC_FILE_RANGE_WAIT_BEFORE | libc::SYNC_FILE_RANGE_WRITE;
            (0, offset.saturating_add(len), flags)
        } else {
            (offset, len, libc::SYNC_FILE_RANGE_WRITE)
        };
        self.with_file(
            || "While sync_file_range returned -1".into(),
            |file| {
                let (from, until) = (offset_arg(from)?, offset_arg(until)?);
                let fd = file.as_raw_fd();
                // SAFETY: takes no pointers, and `file` keeps the descriptor open.
                match retry(|| unsafe { libc::sync_file_range(fd, from, until, flags) }) {
                    // Only advice, and some file systems do not know it.
                    Err(e) if e.raw_os_error() == Some(libc::ENOSYS) => Ok(()),
                    result => result,
                }
            },
        )
    }

    fn allocate(&mut self, offset: u64, len: u64) -> Result<()> {
        self.with_file(
            || format!("While fallocate offset {offset} len {len}"),
            |file| allocate_space(file, offset, len),
        )?;
        self.allocated = self.allocated.max(offset.saturating_add(len));
        Ok(())
    }

    fn truncate(&mut self, len: u64) -> Result<()> {
        let context = || format!("While ftruncate file to size {len}");
        self.with_file(context, |file| file.set_len(len))?;
        self.size = len;
        Ok(())
    }

    fn size(&self) -> u64 {
        self.size
    }

    fn path(&self) -> &Path {
        &self.path
    }

    fn close(&mut self) -> Result<()> {
        let Some(file) = self.file.take() else { return Ok(()) };
        if self.allocated > self.size {
            release_unused(&file, self.size, self.allocated);
        }
        let fd = file.into_raw_fd();
        // SAFETY: the descriptor was just taken out of its only owner, so it is open and nobody
        // else uses or closes it.
        if unsafe { libc::close(fd) } == 0 {
            return Ok(());
        }
        let error = io::Error::last_os_error();
        // Linux closes the descriptor even then.
        if error.kind() == ErrorKind::Interrupted {
            return Ok(());
        }
        Err(failed("While closing file after writing", &self.path, &error))
    }
}

impl Drop for PosixWritableFile {
    fn drop(&mut self) {
        let _ = self.close();
    }
}

/// Reserves space without changing the length, where the file system can do so.
pub(super) fn allocate_space(file: &File, offset: u64, len: u64) -> io::Result<()> {
    match fallocate(file, libc::FALLOC_FL_KEEP_SIZE, offset, len) {
        Err(e) if e.raw_os_error() == Some(libc::EOPNOTSUPP) => Ok(()),
        result => result,
    }
}

/// Makes the file reach to `offset + len`, with space for these bytes where the file system can
/// reserve it.
pub(super) fn extend(file: &File, offset: u64, len: u64) -> io::Result<()> {
    match fallocate(file, 0, offset, len) {
        Err(e) if e.raw_os_error() == Some(libc::EOPNOTSUPP) => {
            file.set_len(offset.saturating_add(len))
        }
        result => result,
    }
}

fn fallocate(file: &File, mode: libc::c_int, offset: u64, len: u64) -> io::Result<()> {
    let (at, count) = (offset_arg(offset)?, offset_arg(len)?);
    let fd = file.as_raw_fd();
    // SAFETY: takes no pointers, and `file` keeps the descriptor open.
    retry(|| unsafe { libc::fallocate(fd, mode, at, count) })
}

/// What the allocator says of its memory; empty where it says nothing.
pub fn allocator_report() -> String {
    #[cfg(target_env = "gnu")]
    {
        // SAFETY: takes nothing, and returns numbers.
        let info = unsafe { libc::mallinfo2() };
        format!(
            "{} bytes in use, {} free, {} from the system, {} mapped in {} pieces",
            info.uordblks, info.fordblks, info.arena, info.hblkhd, info.hblks
        )
    }
    #[cfg(not(target_env = "gnu"))]
    String::new()
}

/// Gives back the space reserved between `size` and `allocated`. Errors cost only space.
fn release_unused(file: &File, size: u64, allocated: u64) {
    let _ = file.set_len(size);
    let (Ok(at), Ok(len)) = (offset_arg(size), offset_arg(allocated - size)) else { return };
    // Some file systems keep reserved space behind the end when the length does not change.
    let mode = libc::FALLOC_FL_KEEP_SIZE | libc::FALLOC_FL_PUNCH_HOLE;
    // SAFETY: takes no pointers, and `file` keeps the descriptor open.
    unsafe { libc::fallocate(file.as_raw_fd(), mode, at, len) };
}

struct PosixDirectory {
    dir: File,
}

impl Directory for PosixDirectory {
    fn descriptor(&self) -> Option<RawFd> {
        Some(self.dir.as_raw_fd())
    }

    fn sync(&self) -> Result<()> {
        self.dir.sync_all().map_err(|e| failed("While fsync", Path::new("a directory"), &e))
    }
}

/// One lock this process holds.
struct HeldLock {
    path: PathBuf,
    /// Device and inode: the same file may be reached by several paths.
    id: (u64, u64),
    since: u64,
    thread: u64,
}

/// The locks this process holds. `fcntl` locks do not exclude the process that has them, and
/// closing any descriptor of a locked file loses its lock, so a file that is locked already must
/// be recognised without opening it.
static HELD_LOCKS: Mutex<Vec<HeldLock>> = Mutex::new(Vec::new());

struct PosixFileLock {
    /// `Some` until dropped.
    file: Option<File>,
    id: (u64, u64),
}

impl FileLock for PosixFileLock {
    fn descriptor(&self) -> Option<RawFd> {
        self.file.as_ref().map(File::as_raw_fd)
    }
}

impl Drop for PosixFileLock {
    fn drop(&mut self) {
        let mut held = HELD_LOCKS.lock();
        // Closing releases the lock. It happens under the mutex, since a new holder in this
        // process would otherwise lose its lock to this close.
        drop(self.file.take());
        held.retain(|lock| lock.id != self.id);
    }
}

fn lock_file(path: &Path) -> Result<Box<dyn FileLock>> {
    let mut held = HELD_LOCKS.lock();
    let id_of = |attributes: fs::Metadata| (attributes.dev(), attributes.ino());
    let existing = fs::metadata(path).ok().map(id_of);
    if let Some(lock) = held.iter().find(|lock| lock.path == path || Some(lock.id) == existing) {
        let context = format!(
            "lock hold by current process, acquire time {} acquiring thread {}",
            lock.since, lock.thread
        );
        return Err(failed(&context, path, &io::Error::from_raw_os_error(libc::ENOLCK)));
    }
    let open = || {
        let file = OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .mode(FILE_MODE)
            .open(path)?;
        let id = id_of(file.metadata()?);
        Ok((file, id))
    };
    let (file, id) = open().map_err(|e| failed("while open a file for lock", path, &e))?;
    set_write_lock(&file).map_err(|e| failed("While lock file", path, &e))?;
    held.push(HeldLock {
        path: path.to_path_buf(),
        id,
        since: unix_seconds(),
        thread: thread_id(),
    });
    Ok(Box::new(PosixFileLock { file: Some(file), id }))
}

/// Takes the record lock of the whole file, or fails with `EAGAIN` when another process has it.
fn set_write_lock(file: &File) -> io::Result<()> {
    // SAFETY: `flock` is a plain C struct for which zeros are valid (whole file, offsets 0).
    let mut request: libc::flock = unsafe { std::mem::zeroed() };
    request.l_type = libc::F_WRLCK as libc::c_short;
    request.l_whence = libc::SEEK_SET as libc::c_short;
    // SAFETY: F_SETLK reads one `flock`, which lives beyond the call; the descriptor is open.
    retry(|| unsafe { libc::fcntl(file.as_raw_fd(), libc::F_SETLK, &request) })
}

/// The machine's name; empty if the system does not tell.
pub fn host_name() -> String {
    let name = fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
    name.trim_end().to_string()
}

/// The kernel's number of the calling thread.
pub fn thread_id() -> u64 {
    // SAFETY: takes nothing and cannot fail.
    let id = unsafe { libc::gettid() };
    u64::try_from(id).unwrap_or(0)
}

/// How the system shares the processor out. The discriminants are RocksDB's `CpuPriority`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub enum CpuPriority {
    /// Only what nobody else wants.
    Idle = 0,
    /// The least among equals.
    Low = 1,
    /// As every thread begins.
    Normal = 2,
    /// The most, for those who may have it.
    High = 3,
}

/// Gives the calling thread a priority. What the system does not allow is left as it was.
pub fn set_cpu_priority(priority: CpuPriority) {
    let (policy, nice) = match priority {
        CpuPriority::Idle => (libc::SCHED_IDLE, None),
        CpuPriority::Low => (libc::SCHED_OTHER, Some(19)),
        CpuPriority::Normal => (libc::SCHED_OTHER, Some(0)),
        CpuPriority::High => (libc::SCHED_OTHER, Some(-20)),
    };
    // SAFETY: `sched_param` is a plain C struct; zeros are valid.
    let param: libc::sched_param = unsafe { std::mem::zeroed() };
    // SAFETY: the pointer is to a live local; 0 is the calling thread.
    unsafe { libc::sched_setscheduler(0, policy, &param) };
    if let Some(nice) = nice {
        // SAFETY: takes numbers only; 0 is the calling thread, which Linux has priorities for.
        unsafe { libc::setpriority(libc::PRIO_PROCESS, 0, nice) };
    }
}

/// Lets the calling thread read and write only while nobody else wants to.
pub fn lower_io_priority() {
    const WHO_PROCESS: libc::c_int = 1;
    const CLASS_IDLE: libc::c_int = 3;
    const CLASS_SHIFT: libc::c_int = 13;
    // SAFETY: takes numbers only; 0 is the calling thread.
    unsafe { libc::syscall(libc::SYS_ioprio_set, WHO_PROCESS, 0, CLASS_IDLE << CLASS_SHIFT) };
}

/// A moment in the time zone of the process, shown as `2026/11/30-12:00:00.123456`.
pub struct LocalTime {
    time: libc::tm,
    micros: u64,
}

/// The local time `micros` microseconds after 1970.
pub fn local_time(micros: u64) -> LocalTime {
    // SAFETY: `tm` is a plain C struct; zeros are valid, its zone pointer may be null.
    let mut time: libc::tm = unsafe { std::mem::zeroed() };
    let seconds = libc::time_t::try_from(micros / 1_000_000).unwrap_or(0);
    // SAFETY: both pointers are to live locals of the right types; on failure `time` stays zero.
    unsafe { libc::localtime_r(&seconds, &mut time) };
    LocalTime { time, micros: micros % 1_000_000 }
}

impl fmt::Display for LocalTime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let libc::tm { tm_year, tm_mon, tm_mday, tm_hour, tm_min, tm_sec, .. } = self.time;
        write!(f, "{:04}/{:02}/{:02}-", tm_year + 1900, tm_mon + 1, tm_mday)?;
        write!(f, "{tm_hour:02}:{tm_min:02}:{tm_sec:02}.{:06}", self.micros)
    }
}

#[cfg(test)]
#[path = "posix_tests.rs"]
mod tests;
