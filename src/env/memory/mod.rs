//! [`MemoryFileSystem`]: files in memory, with a model of what a crash would leave of them.
//!
//! The model is the pessimistic reading of POSIX. A file's bytes are durable only once the file is
//! synced, and a name (created, renamed, linked, removed; a folder's own name included) only once
//! the folder it stands in is synced. The two are independent: a durable name may lead to an empty
//! file, and durable bytes may have no name. A rename is atomic. [`MemoryFileSystem::crash_image`]
//! makes the file systems that may be found after a crash.

mod crash;
mod file;
mod tree;

use std::io;
use std::path::{Component, Path, PathBuf};

use crate::base::clock::unix_seconds;
use crate::base::status::{Result, Status};
use crate::base::sync::{Arc, AtomicU64, Mutex, Ordering, RwLock};
use crate::env::file_system::{
    Directory, FileLock, FileSystem, RandomFile, SequentialFile, WritableFile, failed,
};
use crate::env::posix::thread_id;

pub use crash::{CrashPolicy, Tear, Unsynced};
use file::{MemoryFile, MemoryRandomFile, MemorySequentialFile, MemoryWritableFile};
use tree::{Child, Tree};

/// A file system in memory. Cloning gives another handle to the same one.
#[derive(Clone)]
pub struct MemoryFileSystem {
    shared: Arc<Shared>,
}

struct Shared {
    /// Whether unsynced changes are remembered.
    tracked: bool,
    /// Whether folders spring into being when something is created in them.
    implicit_folders: bool,
    /// Held shared by every change and exclusively by `crash_image`, which must see all files at
    /// one moment.
    gate: RwLock<()>,
    tree: Mutex<Tree>,
    locks: Mutex<Vec<HeldLock>>,
    hook: Mutex<Option<Hook>>,
    operations: AtomicU64,
}

struct HeldLock {
    path: PathBuf,
    since: u64,
    thread: u64,
}

/// When a [`Hook`] is called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    /// A file or folder is about to be synced.
    BeforeSync,
    /// It was synced; the caller does not know yet.
    AfterSync,
    /// Bytes or names changed; the caller does not know yet.
    AfterChange,
}

/// Called by the thread that makes the change, without a lock held, with the path of the file or
/// folder. It may take crash images; using the file system itself would call it again.
pub type Hook = Arc<dyn Fn(&MemoryFileSystem, &Path, Event) + Send + Sync>;

impl Default for MemoryFileSystem {
    fn default() -> Self {
        MemoryFileSystem::new()
    }
}

impl MemoryFileSystem {
    /// An empty file system that behaves like a real one and remembers what is not synced.
    pub fn new() -> Self {
        Self::with_tree(true, false, Tree::default())
    }

    /// An empty file system for data that need not outlive the process: it has no crash images,
    /// and parent folders need not be created (as in RocksDB's memory env).
    pub fn volatile() -> Self {
        Self::with_tree(false, true, Tree::default())
    }

    fn with_tree(tracked: bool, implicit_folders: bool, tree: Tree) -> Self {
        MemoryFileSystem {
            shared: Arc::new(Shared {
                tracked,
                implicit_folders,
                gate: RwLock::new(()),
                tree: Mutex::new(tree),
                locks: Mutex::new(Vec::new()),
                hook: Mutex::new(None),
                operations: AtomicU64::new(0),
            }),
        }
    }

    /// Sets what is called at every change and sync.
    pub fn set_hook(&self, hook: Option<Hook>) {
        *self.shared.hook.lock() = hook;
    }

    /// How many operations on files and folders there were, reads included.
    pub fn operations(&self) -> u64 {
        self.shared.operations.load(Ordering::Relaxed)
    }

    /// Makes everything durable, as `sync(2)` does.
    pub fn sync_all(&self) {
        let _gate = self.shared.gate.write();
        let mut tree = self.shared.tree.lock();
        tree.sync_all();
        tree.each_file(|file| file.sync());
    }

    fn count(&self) {
        self.shared.operations.fetch_add(1, Ordering::Relaxed);
    }

    fn tell(&self, path: &Path, event: Event) {
        let hook = self.shared.hook.lock().clone();
        if let Some(hook) = hook {
            hook(self, path, event);
        }
    }

    /// Runs a change of names and tells the hook.
    fn change<T>(
        &self,
        context: impl FnOnce() -> String,
        path: &Path,
        change: impl FnOnce(&mut Tree, &[String]) -> io::Result<T>,
    ) -> Result<T> {
        self.count();
        let names = resolve(path);
        let result = {
            let _gate = self.shared.gate.read();
            let mut tree = self.shared.tree.lock();
            let result = change(&mut tree, &names);
            if !self.shared.tracked {
                tree.sync_all();
            }
            result
        };
        let value = result.map_err(|e| failed(&context(), path, &e))?;
        self.tell(path, Event::AfterChange);
        Ok(value)
    }

    /// Looks something up.
    fn look_up<T>(
        &self,
        context: &str,
        path: &Path,
        get: impl FnOnce(&Tree, &[String]) -> io::Result<T>,
    ) -> Result<T> {
        self.count();
        get(&self.shared.tree.lock(), &resolve(path)).map_err(|e| failed(context, path, &e))
    }

    /// Takes the lock of this name, whether there is such a file or not.
    fn hold(&self, path: &Path) -> Result<MemoryLock> {
        let absolute = self.absolute(path)?;
        let mut locks = self.shared.locks.lock();
        if let Some(held) = locks.iter().find(|held| held.path == absolute) {
            let context = format!(
                "lock hold by current process, acquire time {} acquiring thread {}",
                held.since, held.thread
            );
            return Err(failed(&context, path, &errno(libc::ENOLCK)));
        }
        let path = absolute.clone();
        locks.push(HeldLock { path, since: unix_seconds(), thread: thread_id() });
        Ok(MemoryLock { fs: self.clone(), path: absolute })
    }

    fn writable(&self, file: Arc<MemoryFile>, path: &Path) -> Box<dyn WritableFile> {
        Box::new(MemoryWritableFile::new(self.clone(), file, path))
    }
}

/// The names on the way from the root. Relative paths start at the root, too.
fn resolve(path: &Path) -> Vec<String> {
    let mut names = Vec::new();
    for component in path.components() {
        match component {
            Component::Normal(name) => names.push(name.to_string_lossy().into_owned()),
            Component::ParentDir => drop(names.pop()),
            Component::RootDir | Component::CurDir | Component::Prefix(_) => {}
        }
    }
    names
}

fn errno(code: i32) -> io::Error {
    io::Error::from_raw_os_error(code)
}

impl FileSystem for MemoryFileSystem {
    fn open_sequential(&self, path: &Path) -> Result<Box<dyn SequentialFile>> {
        let context = "While opening a file for sequentially reading";
        let file = self.look_up(context, path, |tree, names| tree.file(names))?;
        Ok(Box::new(MemorySequentialFile::new(self.clone(), file, path)))
    }

    fn open_random(&self, path: &Path) -> Result<Arc<dyn RandomFile>> {
        let context = "While open a file for random read";
        let file = self.look_up(context, path, |tree, names| tree.file(names))?;
        Ok(Arc::new(MemoryRandomFile::new(self.clone(), file, path)))
    }

    fn create(&self, path: &Path) -> Result<Box<dyn WritableFile>> {
        let (implicit, tracked) = (self.shared.implicit_folders, self.shared.tracked);
        let context = || "While open a file for appending".into();
        let file = self.change(context, path, |tree, names| {
            if implicit {
                tree.make_parents(names)?;
            }
            let file = tree.create_file(names, || MemoryFile::new(tracked))?;
            file.set_len(0)?;
            Ok(file)
        })?;
        Ok(self.writable(file, path))
    }

    fn reuse(&self, path: &Path, old: &Path) -> Result<Box<dyn WritableFile>> {
        let to = resolve(path);
        let found = self.shared.tree.lock().file(&resolve(old));
        let file = found.map_err(|e| failed("while reopen file for write", path, &e))?;
        let context = || format!("while rename file to {}", path.display());
        self.change(context, old, |tree, names| tree.rename(names, &to))?;
        Ok(self.writable(file, path))
    }

    fn open_dir(&self, path: &Path) -> Result<Box<dyn Directory>> {
        let id = self.look_up("While open directory", path, |tree, names| tree.dir(names))?;
        Ok(Box::new(MemoryDirectory { fs: self.clone(), id, path: path.to_path_buf() }))
    }

    fn exists(&self, path: &Path) -> Result<bool> {
        self.count();
        Ok(self.shared.tree.lock().child(&resolve(path)).is_ok())
    }

    fn list(&self, dir: &Path) -> Result<Vec<String>> {
        self.count();
        let names = self.shared.tree.lock().list(&resolve(dir));
        names.map_err(|_| Status::not_found(""))
    }

    fn remove_file(&self, path: &Path) -> Result<()> {
        self.change(|| "while unlink() file".into(), path, |tree, names| tree.remove_file(names))
    }

    fn create_dir(&self, path: &Path) -> Result<()> {
        let implicit = self.shared.implicit_folders;
        self.change(
            || "While mkdir".into(),
            path,
            |tree, names| {
                if implicit {
                    tree.make_parents(names)?;
                }
                tree.create_dir(names)
            },
        )
    }

    fn create_dir_if_missing(&self, path: &Path) -> Result<()> {
        match self.shared.tree.lock().child(&resolve(path)) {
            Ok(Child::Dir(_)) => return Ok(()),
            Ok(Child::File(_)) => {
                let text = format!("`{}' exists but is not a directory", path.display());
                return Err(Status::io_error(text));
            }
            Err(_) => {}
        }
        let implicit = self.shared.implicit_folders;
        self.change(
            || "While mkdir if missing".into(),
            path,
            |tree, names| {
                if implicit {
                    tree.make_parents(names)?;
                }
                match tree.create_dir(names) {
                    // Another thread was faster.
                    Err(e) if e.raw_os_error() == Some(libc::EEXIST) => Ok(()),
                    result => result,
                }
            },
        )
    }

    fn remove_dir(&self, path: &Path) -> Result<()> {
        self.change(|| "file rmdir".into(), path, |tree, names| tree.remove_dir(names))
    }

    fn file_size(&self, path: &Path) -> Result<u64> {
        let context = "while stat a file for size";
        let file = self.look_up(context, path, |tree, names| tree.file(names))?;
        Ok(file.len())
    }

    fn modified_seconds(&self, path: &Path) -> Result<u64> {
        let context = "while stat a file for modification time";
        let file = self.look_up(context, path, |tree, names| tree.file(names))?;
        Ok(file.modified())
    }

    fn rename(&self, from: &Path, to: &Path) -> Result<()> {
        let target = resolve(to);
        let context = || format!("While renaming a file to {}", to.display());
        self.change(context, from, |tree, names| tree.rename(names, &target))
    }

    fn link(&self, from: &Path, to: &Path) -> Result<()> {
        let target = resolve(to);
        let context = || format!("while link file to {}", to.display());
        self.change(context, from, |tree, names| tree.link(names, &target))
    }

    fn truncate(&self, path: &Path, len: u64) -> Result<()> {
        let context = || format!("While truncate file to size {len}");
        self.change(context, path, |tree, names| tree.file(names)?.set_len(len))
    }

    fn sync_file(&self, path: &Path) -> Result<()> {
        let file = self.look_up("While fsync", path, |tree, names| tree.file(names))?;
        self.tell(path, Event::BeforeSync);
        {
            let _gate = self.shared.gate.read();
            file.sync();
        }
        self.tell(path, Event::AfterSync);
        Ok(())
    }

    fn lock(&self, path: &Path) -> Result<Box<dyn FileLock>> {
        let (tracked, implicit) = (self.shared.tracked, self.shared.implicit_folders);
        let lock = self.hold(path)?;
        let context = || "while open a file for lock".into();
        self.change(context, path, |tree, names| {
            if implicit {
                tree.make_parents(names)?;
            }
            tree.create_file(names, || MemoryFile::new(tracked)).map(|_| ())
        })?;
        Ok(Box::new(lock))
    }

    fn absolute(&self, path: &Path) -> Result<PathBuf> {
        Ok(Path::new("/").join(resolve(path).join("/")))
    }
}

struct MemoryDirectory {
    fs: MemoryFileSystem,
    id: u64,
    path: PathBuf,
}

impl Directory for MemoryDirectory {
    fn sync(&self) -> Result<()> {
        self.fs.count();
        self.fs.tell(&self.path, Event::BeforeSync);
        {
            let _gate = self.fs.shared.gate.read();
            self.fs.shared.tree.lock().sync_dir(self.id);
        }
        self.fs.tell(&self.path, Event::AfterSync);
        Ok(())
    }
}

struct MemoryLock {
    fs: MemoryFileSystem,
    path: PathBuf,
}

impl FileLock for MemoryLock {}

impl Drop for MemoryLock {
    fn drop(&mut self) {
        self.fs.shared.locks.lock().retain(|held| held.path != self.path);
    }
}

#[cfg(test)]
mod tests;
