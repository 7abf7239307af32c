//! Files that are read and written past the page cache (`O_DIRECT`), where offsets, lengths and
//! addresses must be multiples of the disk's sectors.

use std::cell::RefCell;
use std::fs::{File, OpenOptions};
use std::io::{self, ErrorKind};
use std::os::fd::{AsRawFd, RawFd};
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use crate::base::status::{Result, Status};
use crate::env::file_system::{RandomFile, WritableFile, failed};
use crate::env::posix::{FILE_MODE, allocate_space};

/// What everything is a multiple of: enough for every disk.
const ALIGN: usize = 4096;
/// Bytes that a file that is written gathers.
const BUFFER: usize = 1 << 20;
/// Bytes of a thread's memory for reading that stay.
const SCRATCH_KEPT: usize = 1 << 20;

thread_local! {
    /// Where reads go whose offset, length or address is odd.
    static SCRATCH: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
}

/// `len` bytes of `memory`, which grows if need be, from an aligned address on.
fn aligned(memory: &mut Vec<u8>, len: usize) -> &mut [u8] {
    if memory.len() < len + ALIGN {
        memory.resize(len + ALIGN, 0);
    }
    let at = memory.as_ptr().align_offset(ALIGN);
    &mut memory[at..at + len]
}

/// Fills `buf`, all of which is aligned, as far as the file reaches.
fn read_aligned(file: &File, offset: u64, buf: &mut [u8]) -> io::Result<usize> {
    let mut filled = 0;
    while filled < buf.len() {
        match file.read_at(&mut buf[filled..], offset + filled as u64) {
            // The end of the file, behind which nothing is aligned.
            Ok(n) if n == 0 || !n.is_multiple_of(ALIGN) => return Ok(filled + n),
            Ok(n) => filled += n,
            Err(e) if e.kind() == ErrorKind::Interrupted => {}
            Err(e) => return Err(e),
        }
    }
    Ok(filled)
}

/// A file that is read past the page cache.
pub(super) struct DirectReader {
    file: File,
    path: PathBuf,
}

impl DirectReader {
    pub fn open(path: &Path) -> Result<DirectReader> {
        let file = OpenOptions::new().read(true).custom_flags(libc::O_DIRECT).open(path);
        let file = file.map_err(|e| failed("While open a file for random read", path, &e))?;
        Ok(DirectReader { file, path: path.to_path_buf() })
    }

    fn read(&self, offset: u64, buf: &mut [u8]) -> io::Result<usize> {
        let is_aligned = offset.is_multiple_of(ALIGN as u64)
            && buf.len().is_multiple_of(ALIGN)
            && buf.as_ptr().align_offset(ALIGN) == 0;
        if is_aligned {
            return read_aligned(&self.file, offset, buf);
        }
        let start = offset / ALIGN as u64 * ALIGN as u64;
        let skip = (offset - start) as usize;
        let span = (skip + buf.len()).next_multiple_of(ALIGN);
        SCRATCH.with_borrow_mut(|memory| {
            let scratch = aligned(memory, span);
            let n = read_aligned(&self.file, start, scratch)?;
            let n = n.saturating_sub(skip).min(buf.len());
            buf[..n].copy_from_slice(&scratch[skip..skip + n]);
            if memory.len() > SCRATCH_KEPT {
                *memory = Vec::new();
            }
            Ok(n)
        })
    }
}

impl RandomFile for DirectReader {
    fn descriptor(&self) -> Option<RawFd> {
        Some(self.file.as_raw_fd())
    }

    fn read_at(&self, offset: u64, buf: &mut [u8]) -> Result<usize> {
        self.read(offset, buf).map_err(|e| {
            failed(&format!("While pread offset {offset} len {}", buf.len()), &self.path, &e)
        })
    }

    fn size(&self) -> Result<u64> {
        let attributes = self.file.metadata();
        attributes.map(|a| a.len()).map_err(|e| failed("While fstat", &self.path, &e))
    }

    fn path(&self) -> &Path {
        &self.path
    }
}

/// A file that is written past the page cache. What does not fill a sector waits in memory, and
/// reaches the file with `sync` or `close`.
pub(super) struct DirectWriter {
    /// `None` once closed.
    file: Option<File>,
    path: PathBuf,
    memory: Vec<u8>,
    /// The bytes of the buffer that are in use.
    filled: usize,
    /// Where the buffer belongs in the file.
    at: u64,
}

impl DirectWriter {
    pub fn create(path: &Path) -> Result<DirectWriter> {
        let file = OpenOptions::new()
            .write(true)
            .create(true)
            .truncate(true)
            .mode(FILE_MODE)
            .custom_flags(libc::O_DIRECT)
            .open(path)
            .map_err(|e| failed("While open a file for appending", path, &e))?;
        let path = path.to_path_buf();
        Ok(DirectWriter { file: Some(file), path, memory: Vec::new(), filled: 0, at: 0 })
    }

    fn with_file(
        &mut self,
        context: &str,
        call: impl FnOnce(&mut Self, &File) -> io::Result<()>,
    ) -> Result<()> {
        let Some(file) = self.file.take() else {
            let closed = io::Error::from_raw_os_error(libc::EBADF);
            return Err(failed(context, &self.path, &closed));
        };
        let result = call(self, &file);
        self.file = Some(file);
        result.map_err(|e| failed(context, &self.path, &e))
    }

    fn add(&mut self, file: &File, mut data: &[u8]) -> io::Result<()> {
        while !data.is_empty() {
            let filled = self.filled;
            let buffer = aligned(&mut self.memory, BUFFER);
            let n = data.len().min(BUFFER - filled);
            buffer[filled..filled + n].copy_from_slice(&data[..n]);
            data = &data[n..];
            self.filled += n;
            if self.filled == BUFFER {
                file.write_all_at(buffer, self.at)?;
                self.at += BUFFER as u64;
                self.filled = 0;
            }
        }
        Ok(())
    }

    /// Writes what waits, filled up with zeros, which are then cut off. The last sector stays in
    /// memory, since it may have to be written again.
    fn write_tail(&mut self, file: &File) -> io::Result<()> {
        if self.filled == 0 {
            return Ok(());
        }
        let (filled, at) = (self.filled, self.at);
        let buffer = aligned(&mut self.memory, BUFFER);
        let end = filled.next_multiple_of(ALIGN);
        buffer[filled..end].fill(0);
        file.write_all_at(&buffer[..end], at)?;
        let whole = filled / ALIGN * ALIGN;
        buffer.copy_within(whole..filled, 0);
        self.filled -= whole;
        self.at += whole as u64;
        file.set_len(self.at + self.filled as u64)
    }
}

impl WritableFile for DirectWriter {
    fn descriptor(&self) -> Option<RawFd> {
        self.file.as_ref().map(File::as_raw_fd)
    }

    fn append(&mut self, data: &[u8]) -> Result<()> {
        self.with_file("While appending to file", |writer, file| writer.add(file, data))
    }

    fn sync(&mut self) -> Result<()> {
        self.with_file("While fdatasync", |writer, file| {
            writer.write_tail(file)?;
            file.sync_data()
        })
    }

    fn fsync(&mut self) -> Result<()> {
        self.with_file("While fsync", |writer, file| {
            writer.write_tail(file)?;
            file.sync_all()
        })
    }

    fn range_sync(&mut self, _: u64, _: u64, _: bool) -> Result<()> {
        // What is written is on its way already.
        Ok(())
    }

    fn allocate(&mut self, offset: u64, len: u64) -> Result<()> {
        self.with_file("While fallocate", |_, file| allocate_space(file, offset, len))
    }

    fn truncate(&mut self, _: u64) -> Result<()> {
        Err(Status::not_supported("truncating a file that is written past the page cache"))
    }

    fn size(&self) -> u64 {
        self.at + self.filled as u64
    }

    fn path(&self) -> &Path {
        &self.path
    }

    fn close(&mut self) -> Result<()> {
        if self.file.is_none() {
            return Ok(());
        }
        let size = self.size();
        let written = self.with_file("While closing file after writing", |writer, file| {
            writer.write_tail(file)?;
            // Space that was reserved goes back.
            file.set_len(size)
        });
        self.file = None;
        self.memory = Vec::new();
        written
    }
}

impl Drop for DirectWriter {
    fn drop(&mut self) {
        let _ = self.close();
    }
}
