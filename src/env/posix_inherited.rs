//! [`InheritedFiles`]: files that programs get which the process starts (`is_fd_close_on_exec`
//! false).

use std::io;
use std::os::fd::RawFd;
use std::path::{Path, PathBuf};

use crate::base::status::Result;
use crate::base::sync::Arc;
use crate::env::file_system::{
    Access, Directory, FileLock, FileSystem, RandomFile, SequentialFile, WritableFile, failed,
};

/// Another file system, whose files are not closed when the process becomes, or starts, another
/// program.
pub(super) struct InheritedFiles {
    inner: Arc<dyn FileSystem>,
}

impl InheritedFiles {
    pub fn new(inner: Arc<dyn FileSystem>) -> InheritedFiles {
        InheritedFiles { inner }
    }
}

/// Takes the flag away that has the descriptor closed.
fn keep(descriptor: Option<RawFd>, path: &Path) -> Result<()> {
    let Some(descriptor) = descriptor else { return Ok(()) };
    // SAFETY: takes numbers only; the file that was just opened holds the descriptor.
    match unsafe { libc::fcntl(descriptor, libc::F_SETFD, 0) } {
        -1 => Err(failed("While fcntl", path, &io::Error::last_os_error())),
        _ => Ok(()),
    }
}

impl FileSystem for InheritedFiles {
    fn open_sequential(&self, path: &Path) -> Result<Box<dyn SequentialFile>> {
        let file = self.inner.open_sequential(path)?;
        keep(file.descriptor(), path)?;
        Ok(file)
    }

    fn open_random(&self, path: &Path) -> Result<Arc<dyn RandomFile>> {
        let file = self.inner.open_random(path)?;
        keep(file.descriptor(), path)?;
        Ok(file)
    }

    fn open_random_as(&self, path: &Path, access: Access) -> Result<Arc<dyn RandomFile>> {
        let file = self.inner.open_random_as(path, access)?;
        keep(file.descriptor(), path)?;
        Ok(file)
    }

    fn create_as(&self, path: &Path, access: Access) -> Result<Box<dyn WritableFile>> {
        let file = self.inner.create_as(path, access)?;
        keep(file.descriptor(), path)?;
        Ok(file)
    }

    fn create(&self, path: &Path) -> Result<Box<dyn WritableFile>> {
        let file = self.inner.create(path)?;
        keep(file.descriptor(), path)?;
        Ok(file)
    }

    fn reuse(&self, path: &Path, old: &Path) -> Result<Box<dyn WritableFile>> {
        let file = self.inner.reuse(path, old)?;
        keep(file.descriptor(), path)?;
        Ok(file)
    }

    fn open_dir(&self, path: &Path) -> Result<Box<dyn Directory>> {
        let file = self.inner.open_dir(path)?;
        keep(file.descriptor(), path)?;
        Ok(file)
    }

    fn exists(&self, path: &Path) -> Result<bool> {
        self.inner.exists(path)
    }

    fn list(&self, dir: &Path) -> Result<Vec<String>> {
        self.inner.list(dir)
    }

    fn remove_file(&self, path: &Path) -> Result<()> {
        self.inner.remove_file(path)
    }

    fn create_dir(&self, path: &Path) -> Result<()> {
        self.inner.create_dir(path)
    }

    fn create_dir_if_missing(&self, path: &Path) -> Result<()> {
        self.inner.create_dir_if_missing(path)
    }

    fn remove_dir(&self, path: &Path) -> Result<()> {
        self.inner.remove_dir(path)
    }

    fn file_size(&self, path: &Path) -> Result<u64> {
        self.inner.file_size(path)
    }

    fn modified_seconds(&self, path: &Path) -> Result<u64> {
        self.inner.modified_seconds(path)
    }

    fn rename(&self, from: &Path, to: &Path) -> Result<()> {
        self.inner.rename(from, to)
    }

    fn link(&self, from: &Path, to: &Path) -> Result<()> {
        self.inner.link(from, to)
    }

    fn truncate(&self, path: &Path, len: u64) -> Result<()> {
        self.inner.truncate(path, len)
    }

    fn sync_file(&self, path: &Path) -> Result<()> {
        self.inner.sync_file(path)
    }

    fn lock(&self, path: &Path) -> Result<Box<dyn FileLock>> {
        let file = self.inner.lock(path)?;
        keep(file.descriptor(), path)?;
        Ok(file)
    }

    fn absolute(&self, path: &Path) -> Result<PathBuf> {
        self.inner.absolute(path)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::env::posix::PosixFileSystem;

    #[test]
    fn descriptors_stay_open_in_programs_that_are_started() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("file");
        let closes = |descriptor: Option<RawFd>| {
            // SAFETY: takes numbers only.
            let flags = unsafe { libc::fcntl(descriptor.unwrap(), libc::F_GETFD) };
            assert!(flags >= 0);
            flags & libc::FD_CLOEXEC != 0
        };
        let inherited = InheritedFiles::new(Arc::new(PosixFileSystem));
        let systems: [(&dyn FileSystem, bool); 2] = [(&PosixFileSystem, true), (&inherited, false)];
        for (fs, expected) in systems {
            for access in [Access::Buffered, Access::Mapped] {
                let mut file = fs.create_as(&path, access).unwrap();
                assert_eq!(closes(file.descriptor()), expected);
                file.append(b"x").unwrap();
                file.close().unwrap();
            }
            assert_eq!(closes(fs.create(&path).unwrap().descriptor()), expected);
            assert_eq!(closes(fs.open_random(&path).unwrap().descriptor()), expected);
            assert_eq!(closes(fs.open_sequential(&path).unwrap().descriptor()), expected);
            assert_eq!(closes(fs.open_dir(dir.path()).unwrap().descriptor()), expected);
            assert_eq!(closes(fs.lock(&path).unwrap().descriptor()), expected);
            assert_eq!(fs.list(dir.path()).unwrap(), ["file"]);
        }
    }
}
