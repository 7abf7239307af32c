//! The bytes of a memory file, and the handles to them.

use std::io;
use std::path::{Path, PathBuf};

use super::{Event, MemoryFileSystem, errno};
use crate::base::clock::unix_seconds;
use crate::base::status::{Result, Status};
use crate::base::sync::{Arc, RwLock};
use crate::env::file_system::{RandomFile, SequentialFile, WritableFile, failed};

/// A change that is not durable yet.
#[derive(Clone)]
pub(super) enum Change {
    Write { offset: usize, data: Box<[u8]> },
    SetLen(usize),
}

/// What a file holds, now and after a crash.
pub(super) struct Content {
    pub(super) live: Vec<u8>,
    /// What was synced.
    pub(super) durable: Vec<u8>,
    /// How `live` came from `durable`, oldest first.
    pub(super) pending: Vec<Change>,
    /// Whether `durable` and `pending` are kept.
    tracked: bool,
    modified: u64,
}

pub(super) struct MemoryFile(RwLock<Content>);

/// Carries out `change`, putting zeros between the old end and the new bytes.
pub(super) fn apply(bytes: &mut Vec<u8>, offset: usize, data: &[u8]) -> io::Result<()> {
    if data.is_empty() {
        return Ok(());
    }
    let end = offset.checked_add(data.len()).ok_or_else(|| errno(libc::EFBIG))?;
    if end > bytes.len() {
        bytes.try_reserve(end - bytes.len()).map_err(|_| errno(libc::ENOSPC))?;
        bytes.resize(offset.max(bytes.len()), 0);
    }
    let overlap = data.len().min(bytes.len() - offset);
    bytes[offset..offset + overlap].copy_from_slice(&data[..overlap]);
    bytes.extend_from_slice(&data[overlap..]);
    Ok(())
}

/// Cuts or extends with zeros.
pub(super) fn resize(bytes: &mut Vec<u8>, len: usize) -> io::Result<()> {
    bytes.try_reserve(len.saturating_sub(bytes.len())).map_err(|_| errno(libc::ENOSPC))?;
    bytes.resize(len, 0);
    Ok(())
}

impl MemoryFile {
    pub(super) fn new(tracked: bool) -> Self {
        Self::with_content(tracked, Vec::new())
    }

    /// A file that holds `bytes`, durably.
    pub(super) fn with_content(tracked: bool, bytes: Vec<u8>) -> Self {
        let durable = if tracked { bytes.clone() } else { Vec::new() };
        MemoryFile(RwLock::new(Content {
            live: bytes,
            durable,
            pending: Vec::new(),
            tracked,
            modified: unix_seconds(),
        }))
    }

    pub(super) fn len(&self) -> u64 {
        self.0.read().live.len() as u64
    }

    pub(super) fn modified(&self) -> u64 {
        self.0.read().modified
    }

    pub(super) fn set_len(&self, len: u64) -> io::Result<()> {
        let len = usize::try_from(len).map_err(|_| errno(libc::EFBIG))?;
        let mut content = self.0.write();
        resize(&mut content.live, len)?;
        content.modified = unix_seconds();
        if content.tracked {
            content.pending.push(Change::SetLen(len));
        }
        Ok(())
    }

    fn write_at(&self, offset: u64, data: &[u8]) -> io::Result<()> {
        let offset = usize::try_from(offset).map_err(|_| errno(libc::EFBIG))?;
        let mut content = self.0.write();
        apply(&mut content.live, offset, data)?;
        content.modified = unix_seconds();
        if content.tracked {
            content.pending.push(Change::Write { offset, data: data.into() });
        }
        Ok(())
    }

    fn read_at(&self, offset: u64, buf: &mut [u8]) -> usize {
        let content = self.0.read();
        let start =
            usize::try_from(offset).map_or(content.live.len(), |o| o.min(content.live.len()));
        let n = buf.len().min(content.live.len() - start);
        buf[..n].copy_from_slice(&content.live[start..start + n]);
        n
    }

    pub(super) fn sync(&self) {
        let mut content = self.0.write();
        let Content { durable, pending, .. } = &mut *content;
        for change in pending.drain(..) {
            // What went into `live` fits into memory and, less a change of mind of the allocator,
            // into `durable`.
            let _ = match change {
                Change::Write { offset, data } => apply(durable, offset, &data),
                Change::SetLen(len) => resize(durable, len),
            };
        }
    }

    /// Runs `look` on the content.
    pub(super) fn with<T>(&self, look: impl FnOnce(&Content) -> T) -> T {
        look(&self.0.read())
    }
}

pub(super) struct MemorySequentialFile {
    fs: MemoryFileSystem,
    file: Arc<MemoryFile>,
    path: PathBuf,
    position: u64,
}

impl MemorySequentialFile {
    pub(super) fn new(fs: MemoryFileSystem, file: Arc<MemoryFile>, path: &Path) -> Self {
        MemorySequentialFile { fs, file, path: path.to_path_buf(), position: 0 }
    }
}

impl SequentialFile for MemorySequentialFile {
    fn read(&mut self, buf: &mut [u8]) -> Result<usize> {
        self.fs.count();
        let n = self.file.read_at(self.position, buf);
        self.position += n as u64;
        Ok(n)
    }

    fn skip(&mut self, n: u64) -> Result<()> {
        match self.position.checked_add(n).filter(|&end| i64::try_from(end).is_ok()) {
            Some(position) => {
                self.position = position;
                Ok(())
            }
            None => {
                let context = format!("While fseek to skip {n} bytes");
                Err(failed(&context, &self.path, &errno(libc::EFBIG)))
            }
        }
    }

    fn path(&self) -> &Path {
        &self.path
    }
}

pub(super) struct MemoryRandomFile {
    fs: MemoryFileSystem,
    file: Arc<MemoryFile>,
    path: PathBuf,
}

impl MemoryRandomFile {
    pub(super) fn new(fs: MemoryFileSystem, file: Arc<MemoryFile>, path: &Path) -> Self {
        MemoryRandomFile { fs, file, path: path.to_path_buf() }
    }
}

impl RandomFile for MemoryRandomFile {
    fn read_at(&self, offset: u64, buf: &mut [u8]) -> Result<usize> {
        self.fs.count();
        Ok(self.file.read_at(offset, buf))
    }

    fn size(&self) -> Result<u64> {
        Ok(self.file.len())
    }

    fn path(&self) -> &Path {
        &self.path
    }
}

pub(super) struct MemoryWritableFile {
    fs: MemoryFileSystem,
    /// `None` once closed.
    file: Option<Arc<MemoryFile>>,
    path: PathBuf,
    size: u64,
}

impl MemoryWritableFile {
    pub(super) fn new(fs: MemoryFileSystem, file: Arc<MemoryFile>, path: &Path) -> Self {
        MemoryWritableFile { fs, file: Some(file), path: path.to_path_buf(), size: 0 }
    }

    fn file(&self, context: &str) -> Result<&Arc<MemoryFile>> {
        self.fs.count();
        self.file.as_ref().ok_or_else(|| failed(context, &self.path, &errno(libc::EBADF)))
    }

    /// Makes a change and tells the hook.
    fn change(
        &self,
        context: &str,
        change: impl FnOnce(&MemoryFile) -> io::Result<()>,
    ) -> Result<()> {
        let file = self.file(context)?;
        {
            let _gate = self.fs.shared.gate.read();
            change(file).map_err(|e| failed(context, &self.path, &e))?;
        }
        self.fs.tell(&self.path, Event::AfterChange);
        Ok(())
    }

    fn sync_as(&self, context: &str) -> std::result::Result<(), Status> {
        let file = self.file(context)?;
        self.fs.tell(&self.path, Event::BeforeSync);
        {
            let _gate = self.fs.shared.gate.read();
            file.sync();
        }
        self.fs.tell(&self.path, Event::AfterSync);
        Ok(())
    }
}

impl WritableFile for MemoryWritableFile {
    fn append(&mut self, data: &[u8]) -> Result<()> {
        self.change("While appending to file", |file| file.write_at(self.size, data))?;
        self.size += data.len() as u64;
        Ok(())
    }

    fn sync(&mut self) -> Result<()> {
        self.sync_as("While fdatasync")
    }

    fn fsync(&mut self) -> Result<()> {
        self.sync_as("While fsync")
    }

    fn range_sync(&mut self, _offset: u64, _len: u64, _strict: bool) -> Result<()> {
        self.file("While sync_file_range returned -1").map(|_| ())
    }

    fn allocate(&mut self, offset: u64, len: u64) -> Result<()> {
        self.file(&format!("While fallocate offset {offset} len {len}")).map(|_| ())
    }

    fn truncate(&mut self, len: u64) -> Result<()> {
        self.change(&format!("While ftruncate file to size {len}"), |file| file.set_len(len))?;
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
        self.file = None;
        Ok(())
    }
}
