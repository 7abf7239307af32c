//! Copying files, from one file system to another if need be.

use crate::base::checksum::crc32c_extend;
use crate::base::status::{Result, Status};
use crate::env::file_system::{FileSystem, WritableFile};
use std::path::Path;

/// How a copy is made.
#[derive(Clone, Copy, Debug)]
pub(super) struct CopyOptions {
    /// Make the copy durable.
    pub sync: bool,
    /// By `fsync` instead of `fdatasync`.
    pub use_fsync: bool,
    /// Bytes read at once.
    pub buffer_size: usize,
}

/// A file and the place of a copy.
pub(super) struct Copy<'a> {
    pub from: (&'a dyn FileSystem, &'a Path),
    pub to: (&'a dyn FileSystem, &'a Path),
    /// How many bytes of the file; `None` means all.
    pub limit: Option<u64>,
}

/// What was copied.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Copied {
    pub size: u64,
    /// CRC-32C of the bytes, not masked.
    pub crc: u32,
}

/// Copies, and calls `step` with the number of bytes before each part, which may end it by an
/// error. A file that is shorter than the limit is damaged. What an error leaves of the copy is
/// removed.
pub(super) fn copy_file(
    copy: &Copy<'_>,
    options: CopyOptions,
    step: &mut dyn FnMut(u64) -> Result<()>,
) -> Result<Copied> {
    let (fs, path) = copy.to;
    let mut target = fs.create(path)?;
    let result = copy_into(copy, options, &mut *target, step);
    drop(target);
    if result.is_err() {
        // The error of the copy is the one that matters.
        let _ = fs.remove_file(path);
    }
    result
}

/// Makes the name of a file or folder durable.
pub(super) fn sync_parent(fs: &dyn FileSystem, path: &Path) -> Result<()> {
    let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty());
    fs.open_dir(parent.unwrap_or(Path::new(".")))?.sync()
}

/// Makes a folder, durably if `sync`, unless it exists.
pub(super) fn make_dir(fs: &dyn FileSystem, dir: &Path, sync: bool) -> Result<()> {
    if fs.exists(dir)? {
        return fs.create_dir_if_missing(dir);
    }
    fs.create_dir_if_missing(dir)?;
    if sync { sync_parent(fs, dir) } else { Ok(()) }
}

fn copy_into(
    copy: &Copy<'_>,
    options: CopyOptions,
    target: &mut dyn WritableFile,
    step: &mut dyn FnMut(u64) -> Result<()>,
) -> Result<Copied> {
    let (fs, path) = copy.from;
    let copied = read_parts(fs, path, copy.limit, options.buffer_size, &mut |part| {
        step(part.len() as u64)?;
        target.append(part)
    })?;
    match (options.sync, options.use_fsync) {
        (false, _) => {}
        (true, false) => target.sync()?,
        (true, true) => target.fsync()?,
    }
    target.close()?;
    Ok(copied)
}

/// Size and checksum of a file, or of its first `limit` bytes.
pub(super) fn checksum_file(
    fs: &dyn FileSystem,
    path: &Path,
    limit: Option<u64>,
    buffer_size: usize,
    step: &mut dyn FnMut(u64) -> Result<()>,
) -> Result<Copied> {
    read_parts(fs, path, limit, buffer_size, &mut |part| step(part.len() as u64))
}

fn read_parts(
    fs: &dyn FileSystem,
    path: &Path,
    limit: Option<u64>,
    buffer_size: usize,
    take: &mut dyn FnMut(&[u8]) -> Result<()>,
) -> Result<Copied> {
    let mut source = fs.open_sequential(path)?;
    let mut buffer = Vec::new();
    let size = limit.map_or(buffer_size, |limit| buffer_size.min(limit as usize)).max(1);
    buffer
        .try_reserve_exact(size)
        .map_err(|_| Status::aborted(format!("not enough memory to copy {}", path.display())))?;
    buffer.resize(size, 0);
    let mut copied = Copied { size: 0, crc: 0 };
    loop {
        let left = limit.map_or(u64::MAX, |limit| limit - copied.size);
        let want = left.min(size as u64) as usize;
        let n = if want > 0 { source.read(&mut buffer[..want])? } else { 0 };
        if n > 0 {
            take(&buffer[..n])?;
            copied.crc = crc32c_extend(copied.crc, &buffer[..n]);
            copied.size += n as u64;
        }
        if n < want || want == 0 {
            break;
        }
    }
    match limit {
        Some(limit) if copied.size < limit => {
            Err(Status::corruption(format!("file too small: {}", path.display())))
        }
        _ => Ok(copied),
    }
}
