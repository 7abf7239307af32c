//! An open database.

use super::batch::Batch;
use super::iter::Iter;
use super::settings::Settings;
use super::snapshot::Snapshot;
use super::{Engine, Object};
use crate::failure::{Failure, Result};
use std::ffi::CString;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::ptr::null;
use std::time::{Duration, Instant};

pub struct Db<'a> {
    pub engine: &'a Engine,
    pub settings: &'a Settings<'a>,
    pub db: Object,
}

// SAFETY: both libraries allow every call on a database from several threads.
unsafe impl Sync for Db<'_> {}

impl Drop for Db<'_> {
    fn drop(&mut self) {
        // SAFETY: closed once; nothing made from it outlives the borrow of `self`.
        unsafe { (self.engine.functions.close)(self.db) };
    }
}

fn c_path(path: &Path) -> Result<CString> {
    let named = |_| Failure::Error(format!("{}: a path with a NUL", path.display()));
    CString::new(path.as_os_str().as_bytes()).map_err(named)
}

/// Removes the database at `path`, if there is one.
pub fn destroy(engine: &Engine, settings: &Settings, path: &Path) -> Result<()> {
    let path = c_path(path)?;
    // SAFETY: the library's own options, and a NUL-terminated path.
    engine.checked(|error| unsafe {
        (engine.functions.destroy_db)(settings.options, path.as_ptr(), error);
    })
}

impl<'a> Db<'a> {
    /// Opens the database at `path`, which is made if it is missing.
    pub fn open(engine: &'a Engine, settings: &'a Settings<'a>, path: &Path) -> Result<Db<'a>> {
        let path = c_path(path)?;
        // SAFETY: the library's own options, and a NUL-terminated path.
        let db = engine.checked(|error| unsafe {
            (engine.functions.open)(settings.options, path.as_ptr(), error)
        })?;
        Ok(Db { engine, settings, db })
    }

    /// Opens an existing database for reading alone.
    pub fn open_to_read(
        engine: &'a Engine,
        settings: &'a Settings<'a>,
        path: &Path,
    ) -> Result<Db<'a>> {
        let open = engine.functions.open_for_read_only()?;
        let path = c_path(path)?;
        // SAFETY: the library's own options, and a NUL-terminated path; 0 lets logs be there.
        let db =
            engine.checked(|error| unsafe { open(settings.options, path.as_ptr(), 0, error) })?;
        Ok(Db { engine, settings, db })
    }

    /// The options of a write.
    pub fn write_options(&self, sync: bool) -> Object {
        if sync { self.settings.synced_write } else { self.settings.write }
    }

    /// Writes a pair; with `sync` it is durable when this returns.
    pub fn put(&self, sync: bool, key: &[u8], value: &[u8]) -> Result<()> {
        let options = self.write_options(sync);
        // SAFETY: live objects of this library, and slices that outlive the call.
        self.engine.checked(|error| unsafe {
            (self.engine.functions.put)(
                self.db,
                options,
                key.as_ptr().cast(),
                key.len(),
                value.as_ptr().cast(),
                value.len(),
                error,
            );
        })
    }

    pub fn delete(&self, sync: bool, key: &[u8]) -> Result<()> {
        let options = self.write_options(sync);
        // SAFETY: as in `put`.
        self.engine.checked(|error| unsafe {
            let delete = self.engine.functions.delete;
            delete(self.db, options, key.as_ptr().cast(), key.len(), error);
        })
    }

    pub fn merge(&self, key: &[u8], operand: &[u8]) -> Result<()> {
        let merge = self.engine.functions.merge()?;
        // SAFETY: as in `put`.
        self.engine.checked(|error| unsafe {
            merge(
                self.db,
                self.settings.write,
                key.as_ptr().cast(),
                key.len(),
                operand.as_ptr().cast(),
                operand.len(),
                error,
            );
        })
    }

    /// The length of the key's value.
    pub fn get(&self, key: &[u8]) -> Result<Option<usize>> {
        let f = &self.engine.functions;
        let mut len = 0;
        // SAFETY: as in `put`.
        let value = self.engine.checked(|error| unsafe {
            (f.get)(self.db, self.settings.read, key.as_ptr().cast(), key.len(), &mut len, error)
        })?;
        if value.is_null() {
            return Ok(None);
        }
        // SAFETY: the library gave the buffer to the caller.
        unsafe { (f.free)(value.cast()) };
        Ok(Some(len))
    }

    /// The key's value, if it has one.
    pub fn value(&self, key: &[u8]) -> Result<Option<Vec<u8>>> {
        let f = &self.engine.functions;
        let mut len = 0;
        // SAFETY: as in `put`.
        let value = self.engine.checked(|error| unsafe {
            (f.get)(self.db, self.settings.read, key.as_ptr().cast(), key.len(), &mut len, error)
        })?;
        if value.is_null() {
            return Ok(None);
        }
        // SAFETY: the library gave a buffer of that length.
        let copy = unsafe { std::slice::from_raw_parts(value.cast::<u8>(), len) }.to_vec();
        // SAFETY: the buffer is the caller's; it is freed once.
        unsafe { (f.free)(value.cast()) };
        Ok(Some(copy))
    }

    /// The length of the key's value, which is looked at in place.
    pub fn get_pinned(&self, key: &[u8]) -> Result<Option<usize>> {
        let f = &self.engine.functions;
        let (get, look) = (f.get_pinned()?, f.pinnableslice_value()?);
        let destroy = f.pinnableslice_destroy()?;
        // SAFETY: as in `put`.
        let pinned = self.engine.checked(|error| unsafe {
            get(self.db, self.settings.read, key.as_ptr().cast(), key.len(), error)
        })?;
        if pinned.is_null() {
            return Ok(None);
        }
        let mut len = 0;
        // SAFETY: the pinned value is the caller's, and destroyed once.
        unsafe {
            look(pinned, &mut len);
            destroy(pinned);
        }
        Ok(Some(len))
    }

    pub fn batch(&self) -> Batch<'_> {
        Batch::new(self)
    }

    pub fn iterator(&self) -> Iter<'_> {
        Iter::new(self)
    }

    pub fn snapshot(&self) -> Snapshot<'_> {
        Snapshot::new(self)
    }

    /// Compacts all keys.
    pub fn compact(&self) {
        // SAFETY: a live database; NULL is the range's open end.
        unsafe { (self.engine.functions.compact_range)(self.db, null(), 0, null(), 0) };
    }

    /// Flushes the memtables, and waits for it.
    pub fn flush(&self) -> Result<()> {
        let flush = self.engine.functions.flush()?;
        let options = self.engine.library.make("flushoptions_create")?;
        // SAFETY: live objects of this library.
        let done = self.engine.checked(|error| unsafe { flush(self.db, options, error) });
        self.engine.library.call("flushoptions_destroy", options)?;
        done
    }

    /// The text of a property, named without the library's prefix.
    pub fn property(&self, name: &str) -> Result<String> {
        let prefix = self.engine.library.prefix;
        let unknown = || Failure::Unavailable(format!("no property {prefix}.{name}"));
        let full = CString::new(format!("{prefix}.{name}")).map_err(|e| e.to_string())?;
        // SAFETY: a live database and a NUL-terminated name.
        let text = unsafe { (self.engine.functions.property_value)(self.db, full.as_ptr()) };
        if text.is_null() { Err(unknown()) } else { Ok(self.engine.take_text(text)) }
    }

    /// Waits until nothing is left to flush or compact. Returns when that was the case: LevelDB
    /// has no call for it, so what it tells of itself is watched until it has not changed for a
    /// while.
    pub fn wait_for_compaction(&self) -> Result<Instant> {
        if self.engine.is_leveldb() {
            return self.watch_statistics();
        }
        let Ok(wait) = self.engine.functions.wait_for_compact() else {
            return self.watch_properties();
        };
        let options = self.engine.library.make("wait_for_compact_options_create")?;
        // SAFETY: live objects of this library.
        let done = self.engine.checked(|error| unsafe { wait(self.db, options, error) });
        self.engine.library.call("wait_for_compact_options_destroy", options)?;
        done.map(|()| Instant::now())
    }

    fn watch_statistics(&self) -> Result<Instant> {
        // One of LevelDB's compactions takes a fraction of it.
        const QUIET: Duration = Duration::from_millis(700);
        let mut told = self.property("stats")?;
        let mut changed = Instant::now();
        while changed.elapsed() < QUIET {
            std::thread::sleep(Duration::from_millis(5));
            let now = self.property("stats")?;
            if now != told {
                (told, changed) = (now, Instant::now());
            }
        }
        Ok(changed)
    }

    fn watch_properties(&self) -> Result<Instant> {
        const BUSY: [&str; 4] = [
            "mem-table-flush-pending",
            "num-running-flushes",
            "compaction-pending",
            "num-running-compactions",
        ];
        loop {
            let mut is_busy = false;
            for name in BUSY {
                is_busy |= self.property(name)?.trim() != "0";
            }
            if !is_busy {
                return Ok(Instant::now());
            }
            std::thread::sleep(Duration::from_millis(1));
        }
    }

    /// What the library counted since it was opened.
    pub fn statistics(&self) -> Result<String> {
        let get = self.engine.functions.options_statistics_get_string()?;
        // SAFETY: the options that the database was opened with.
        let text = unsafe { get(self.settings.options) };
        let none = || Failure::Unavailable("the library counted nothing".into());
        if text.is_null() { Err(none()) } else { Ok(self.engine.take_text(text)) }
    }
}
