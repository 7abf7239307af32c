//! Files that are read and written through memory mappings. As in RocksDB, a file that someone
//! else makes shorter meanwhile ends the process with SIGBUS.

use std::fs::{File, OpenOptions};
use std::io;
use std::os::fd::{AsRawFd, RawFd};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::ptr::NonNull;

use crate::base::status::Result;
use crate::env::file_system::{AccessPattern, RandomFile, WritableFile, failed};
use crate::env::posix::{FILE_MODE, extend};

/// Offsets of mappings are multiples of this.
const PAGE: u64 = 4096;
/// Bytes of a file that is written that are mapped at a time.
const WINDOW: usize = 1 << 20;

/// Some bytes of a file in memory, until it drops.
struct Mapping {
    data: NonNull<u8>,
    len: usize,
}

// SAFETY: the memory belongs to this mapping alone, and is only reached through its methods: reads
// may come from many threads at once, writes need `&mut`.
unsafe impl Send for Mapping {}
// SAFETY: as above.
unsafe impl Sync for Mapping {}

impl Mapping {
    /// Maps `len` bytes, more than 0, of `file` at `offset`, a multiple of a page.
    fn new(file: &File, offset: u64, len: usize, writable: bool) -> io::Result<Mapping> {
        let offset =
            libc::off_t::try_from(offset).map_err(|_| io::Error::from_raw_os_error(libc::EFBIG))?;
        let access = match writable {
            true => libc::PROT_READ | libc::PROT_WRITE,
            false => libc::PROT_READ,
        };
        let fd = file.as_raw_fd();
        // SAFETY: the kernel chooses the address, so nothing that exists is replaced; the
        // descriptor is open.
        let data =
            unsafe { libc::mmap(std::ptr::null_mut(), len, access, libc::MAP_SHARED, fd, offset) };
        if data == libc::MAP_FAILED {
            return Err(io::Error::last_os_error());
        }
        match NonNull::new(data.cast()) {
            Some(data) => Ok(Mapping { data, len }),
            None => Err(io::Error::from_raw_os_error(libc::ENOMEM)),
        }
    }

    /// Copies the bytes from `offset` on to `buf`, as many as there are; returns how many.
    fn read(&self, offset: usize, buf: &mut [u8]) -> usize {
        let n = self.len.saturating_sub(offset).min(buf.len());
        if n > 0 {
            // SAFETY: `offset + n` lies within the mapping, and `buf` is memory of the process's
            // own, which no mapping overlaps. No reference to the mapped bytes is made, which
            // others may change.
            unsafe {
                std::ptr::copy_nonoverlapping(self.data.add(offset).as_ptr(), buf.as_mut_ptr(), n);
            }
        }
        n
    }

    /// Copies `data`, which fits, to `offset`.
    fn write(&mut self, offset: usize, data: &[u8]) {
        assert!(offset <= self.len && data.len() <= self.len - offset);
        // SAFETY: the target lies within the mapping, which is writable wherever this is called,
        // and does not overlap `data`, memory of the process's own.
        unsafe {
            let target = self.data.add(offset).as_ptr();
            std::ptr::copy_nonoverlapping(data.as_ptr(), target, data.len());
        }
    }

    fn advise(&self, advice: libc::c_int) {
        // SAFETY: exactly the mapped range, whose content advice does not change.
        unsafe { libc::madvise(self.data.as_ptr().cast(), self.len, advice) };
    }
}

impl Drop for Mapping {
    fn drop(&mut self) {
        // SAFETY: exactly what `mmap` returned, once; nothing refers to it any more.
        unsafe { libc::munmap(self.data.as_ptr().cast(), self.len) };
    }
}

/// A file that is read through a mapping of the whole, and that must not change.
pub(super) struct MappedReader {
    /// `None` if the file is empty.
    mapping: Option<Mapping>,
    path: PathBuf,
}

impl MappedReader {
    pub fn open(path: &Path) -> Result<MappedReader> {
        let map = || {
            let file = File::open(path)?;
            let len = usize::try_from(file.metadata()?.len());
            let len = len.map_err(|_| io::Error::from_raw_os_error(libc::EFBIG))?;
            (len > 0).then(|| Mapping::new(&file, 0, len, false)).transpose()
        };
        let mapping = map().map_err(|e| failed("While mmap file for read", path, &e))?;
        Ok(MappedReader { mapping, path: path.to_path_buf() })
    }
}

impl RandomFile for MappedReader {
    fn read_at(&self, offset: u64, buf: &mut [u8]) -> Result<usize> {
        let offset = usize::try_from(offset).unwrap_or(usize::MAX);
        Ok(self.mapping.as_ref().map_or(0, |mapping| mapping.read(offset, buf)))
    }

    fn size(&self) -> Result<u64> {
        Ok(self.mapping.as_ref().map_or(0, |mapping| mapping.len as u64))
    }

    fn path(&self) -> &Path {
        &self.path
    }

    fn advise(&self, pattern: AccessPattern) {
        let advice = match pattern {
            AccessPattern::Normal => libc::MADV_NORMAL,
            AccessPattern::Random => libc::MADV_RANDOM,
            AccessPattern::Sequential => libc::MADV_SEQUENTIAL,
            AccessPattern::WillNeed => libc::MADV_WILLNEED,
            AccessPattern::WontNeed => libc::MADV_DONTNEED,
        };
        if let Some(mapping) = &self.mapping {
            mapping.advise(advice);
        }
    }
}

/// A file that is written through mappings, one window of it after the other. Between `append` and
/// `sync` or `close` the file is longer than what was written.
pub(super) struct MappedWriter {
    /// `None` once closed.
    file: Option<File>,
    path: PathBuf,
    /// The part that is mapped, and where it is in the file.
    window: Option<(Mapping, u64)>,
    size: u64,
}

impl MappedWriter {
    pub fn create(path: &Path) -> Result<MappedWriter> {
        let file = OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(true)
            .mode(FILE_MODE)
            .open(path)
            .map_err(|e| failed("While open a file for appending", path, &e))?;
        Ok(MappedWriter { file: Some(file), path: path.to_path_buf(), window: None, size: 0 })
    }

    fn file(&self) -> io::Result<&File> {
        self.file.as_ref().ok_or_else(|| io::Error::from_raw_os_error(libc::EBADF))
    }

    fn add(&mut self, mut data: &[u8]) -> io::Result<()> {
        while !data.is_empty() {
            if self.window.is_none() {
                let start = self.size / PAGE * PAGE;
                let file = self.file()?;
                // Space that is not there yet would be missed only when it is written to.
                extend(file, start, WINDOW as u64)?;
                self.window = Some((Mapping::new(file, start, WINDOW, true)?, start));
            }
            let Some((mapping, start)) = &mut self.window else { continue };
            let offset = (self.size - *start) as usize;
            let n = data.len().min(WINDOW - offset);
            mapping.write(offset, &data[..n]);
            self.size += n as u64;
            data = &data[n..];
            if offset + n == WINDOW {
                self.window = None;
            }
        }
        Ok(())
    }

    /// Gives the file its length.
    fn settle(&mut self) -> io::Result<()> {
        // First: behind the end of a file a mapping must not be touched.
        self.window = None;
        self.file()?.set_len(self.size)
    }

    fn finish(&mut self, context: &str, then: impl FnOnce(&File) -> io::Result<()>) -> Result<()> {
        let result = self.settle().and_then(|()| then(self.file()?));
        result.map_err(|e| failed(context, &self.path, &e))
    }
}

impl WritableFile for MappedWriter {
    fn descriptor(&self) -> Option<RawFd> {
        self.file.as_ref().map(File::as_raw_fd)
    }

    fn append(&mut self, data: &[u8]) -> Result<()> {
        self.add(data).map_err(|e| failed("While appending to file", &self.path, &e))
    }

    fn sync(&mut self) -> Result<()> {
        self.finish("While fdatasync", File::sync_data)
    }

    fn fsync(&mut self) -> Result<()> {
        self.finish("While fsync", File::sync_all)
    }

    fn range_sync(&mut self, _: u64, _: u64, _: bool) -> Result<()> {
        Ok(())
    }

    fn allocate(&mut self, _: u64, _: u64) -> Result<()> {
        // Each window is allocated as a whole.
        Ok(())
    }

    fn truncate(&mut self, len: u64) -> Result<()> {
        self.size = len;
        self.finish("While ftruncate", |_| Ok(()))
    }

    fn size(&self) -> u64 {
        self.size
    }

    fn path(&self) -> &Path {
        &self.path
    }

    fn close(&mut self) -> Result<()> {
        if self.file.is_none() {
            return Ok(());
        }
        let result = self.finish("While closing file after writing", |_| Ok(()));
        self.file = None;
        result
    }
}

impl Drop for MappedWriter {
    fn drop(&mut self) {
        let _ = self.close();
    }
}
