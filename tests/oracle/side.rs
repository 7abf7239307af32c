//! [`Side`]: a database of one of the libraries, and what each call on it returns.

use super::call::{BatchCall, Bytes, Call, Copy, IteratorCall, Move};
use super::library::{Library, Object, Text, lent_bytes};
use super::settings::{Options, Settings};
use std::ffi::{CStr, CString, c_int};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::ptr::{null, null_mut};

/// An open database and everything made from it. Places of what is gone hold NULL.
pub struct Side<'a> {
    library: &'a Library,
    settings: &'a Settings,
    pub dir: PathBuf,
    options: Option<Options>,
    db: Object,
    families: Vec<(String, Object)>,
    snapshots: Vec<Object>,
    iterators: Vec<Iterator>,
    batch: Object,
    write_options: Object,
}

/// An iterator with what it borrows.
struct Iterator {
    family: usize,
    tailing: bool,
    iterator: Object,
    read_options: Object,
    _bounds: [Option<Bytes>; 2],
}

fn chars(bytes: &[u8]) -> *const std::ffi::c_char {
    bytes.as_ptr().cast()
}

/// Bytes as one can read them.
fn show(bytes: &[u8]) -> String {
    bytes.escape_ascii().to_string()
}

/// What of an error text both libraries must agree on: its kind.
fn kind(error: &str) -> String {
    format!("error {}", error.split(':').next().unwrap_or(error))
}

fn outcome(result: Result<(), String>) -> String {
    result.map_or_else(|error| kind(&error), |()| "ok".into())
}

fn found(result: Result<Option<Vec<u8>>, String>) -> String {
    match result {
        Ok(Some(value)) => format!("value {}", show(&value)),
        Ok(None) => "none".into(),
        Err(error) => kind(&error),
    }
}

// Every call here gets objects of the side's own library that are alive: they are made and
// destroyed in this file alone, in the order that the interface asks for.
impl<'a> Side<'a> {
    pub fn open(
        library: &'a Library,
        settings: &'a Settings,
        dir: &Path,
    ) -> Result<Side<'a>, String> {
        let mut side = Side::closed(library, settings, dir);
        side.reopen()?;
        Ok(side)
    }

    fn closed(library: &'a Library, settings: &'a Settings, dir: &Path) -> Side<'a> {
        Side {
            library,
            settings,
            dir: dir.to_path_buf(),
            options: None,
            db: null_mut(),
            families: vec![("default".into(), null_mut())],
            snapshots: Vec::new(),
            iterators: Vec::new(),
            // SAFETY: no arguments.
            batch: unsafe { (library.call.writebatch_create)() },
            // SAFETY: no arguments.
            write_options: unsafe { (library.call.writeoptions_create)() },
        }
    }

    pub fn name(&self) -> &'static str {
        self.library.name
    }

    fn reopen(&mut self) -> Result<(), String> {
        let options = self.settings.options(self.library);
        let path = CString::new(self.dir.as_os_str().as_bytes()).map_err(|e| e.to_string())?;
        let live: Vec<usize> =
            (0..self.families.len()).filter(|&at| !self.families[at].0.is_empty()).collect();
        let names: Vec<CString> = live
            .iter()
            .map(|&at| CString::new(self.families[at].0.as_str()).map_err(|e| e.to_string()))
            .collect::<Result<_, _>>()?;
        let pointers: Vec<_> = names.iter().map(|name| name.as_ptr()).collect();
        let all_options = vec![options.options.cast_const(); live.len()];
        let all_options: Vec<Object> = all_options.into_iter().map(|o| o.cast_mut()).collect();
        let mut handles = vec![null_mut(); live.len()];
        let opened = self.library.checked(|error| {
            // SAFETY: as said above; the arrays have as many places as are said.
            unsafe {
                (self.library.call.open_column_families)(
                    options.options,
                    path.as_ptr(),
                    live.len() as c_int,
                    pointers.as_ptr(),
                    all_options.as_ptr(),
                    handles.as_mut_ptr(),
                    error,
                )
            }
        });
        self.options = Some(options);
        self.db = opened?;
        for (at, handle) in live.into_iter().zip(handles) {
            self.families[at].1 = handle;
        }
        Ok(())
    }

    /// Closes the database and what was made from it.
    pub fn close(&mut self) {
        for at in 0..self.iterators.len() {
            self.drop_iterator(at);
        }
        for at in 0..self.snapshots.len() {
            self.release_snapshot(at);
        }
        self.iterators.clear();
        self.snapshots.clear();
        for (_, handle) in &mut self.families {
            if !handle.is_null() {
                // SAFETY: as said above.
                unsafe { (self.library.call.column_family_handle_destroy)(*handle) };
                *handle = null_mut();
            }
        }
        if !self.db.is_null() {
            // SAFETY: as said above.
            unsafe { (self.library.call.close)(self.db) };
            self.db = null_mut();
        }
        if let Some(options) = self.options.take() {
            options.destroy(self.library);
        }
    }

    /// Puts something into the column family that always lives. A reopened RocksDB may begin again
    /// with the sequence numbers of what left nothing behind (records of a dropped column family, an
    /// empty range deletion), which are kept here; with this, none of those is the newest.
    pub fn put_newest(&mut self) -> String {
        let (db, write, put) = (self.db, self.write_options, self.library.call.put_cf);
        let family = self.families[0].1;
        // SAFETY: as said above.
        outcome(self.library.checked(|e| unsafe {
            put(db, write, family, chars(b"z"), 1, chars(b"newest"), 6, e);
        }))
    }

    /// The same database, under a name that the other library had, opened again.
    pub fn reopen_at(&mut self, dir: PathBuf) -> String {
        self.dir = dir;
        self.reopen().map_or_else(|error| format!("open failed: {error}"), |()| "ok".into())
    }

    pub fn run(&mut self, call: &Call) -> String {
        let library = self.library;
        let (db, options) = (self.db, self.write_options);
        match call {
            Call::Put { family, key, value } => {
                // SAFETY: as said above.
                outcome(library.checked(|e| unsafe {
                    let (k, v) = (&**key, &**value);
                    let family = self.families[*family].1;
                    let put = library.call.put_cf;
                    put(db, options, family, chars(k), k.len(), chars(v), v.len(), e);
                }))
            }
            Call::Delete { family, key } => {
                // SAFETY: as said above.
                outcome(library.checked(|e| unsafe {
                    let family = self.families[*family].1;
                    (library.call.delete_cf)(db, options, family, chars(key), key.len(), e);
                }))
            }
            Call::SingleDelete { family, key } => {
                // SAFETY: as said above.
                outcome(library.checked(|e| unsafe {
                    let family = self.families[*family].1;
                    (library.call.singledelete_cf)(db, options, family, chars(key), key.len(), e);
                }))
            }
            Call::Merge { family, key, operand } => {
                // SAFETY: as said above.
                outcome(library.checked(|e| unsafe {
                    let (k, v) = (&**key, &**operand);
                    let family = self.families[*family].1;
                    let merge = library.call.merge_cf;
                    merge(db, options, family, chars(k), k.len(), chars(v), v.len(), e);
                }))
            }
            Call::DeleteRange { family, begin, end } => {
                // SAFETY: as said above.
                outcome(library.checked(|e| unsafe {
                    let (b, n) = (&**begin, &**end);
                    let family = self.families[*family].1;
                    let delete = library.call.delete_range_cf;
                    delete(db, options, family, chars(b), b.len(), chars(n), n.len(), e);
                }))
            }
            Call::Batch(call) => self.batch(call),
            Call::WriteBatch { clear } => self.write_batch(*clear),
            Call::Get { family, key, snapshot, pinned } => {
                self.with_snapshot(*snapshot, |side, read| match pinned {
                    true => found(side.get_pinned(*family, key, read)),
                    false => found(side.get(*family, key, read)),
                })
            }
            Call::MultiGet { family, keys, snapshot, batched } => {
                self.with_snapshot(*snapshot, |side, read| match batched {
                    true => side.batched_multi_get(*family, keys, read),
                    false => side.multi_get(*family, keys, read),
                })
            }
            Call::Snapshot => {
                // SAFETY: as said above.
                self.snapshots.push(unsafe { (library.call.create_snapshot)(db) });
                "ok".into()
            }
            Call::ReleaseSnapshot(at) => {
                self.release_snapshot(*at);
                "ok".into()
            }
            Call::NewIterator(call) => {
                let iterator = self.new_iterator(call);
                self.iterators.push(iterator);
                "ok".into()
            }
            Call::DropIterator(at) => {
                self.drop_iterator(*at);
                "ok".into()
            }
            Call::Move { iterator, how } => {
                let Iterator { iterator, tailing, .. } = self.iterators[*iterator];
                if tailing && self.library.name == "RocksDB" && matches!(how, Move::Seek(_)) {
                    self.seek_far(iterator);
                }
                self.step(iterator, how);
                self.position(iterator)
            }
            Call::Flush { family } => self.flush(*family),
            Call::CompactRange { family, begin, end } => {
                let key = |key: &Option<Bytes>| match key {
                    Some(key) => (chars(key), key.len()),
                    None => (null(), 0),
                };
                let ((begin, begin_len), (end, end_len)) = (key(begin), key(end));
                let family = self.families[*family].1;
                // SAFETY: as said above; NULL stands for no bound.
                unsafe {
                    let compact = library.call.compact_range_cf;
                    compact(db, family, begin, begin_len, end, end_len);
                }
                "ok".into()
            }
            Call::Property { family, name } => {
                let mut value = 0;
                let family = self.families[*family].1;
                // SAFETY: as said above.
                let found = unsafe {
                    (library.call.property_int_cf)(db, family, name.as_ptr(), &mut value)
                };
                format!("{found} {value}")
            }
            Call::CreateFamily { name } => self.create_family(name),
            Call::DropFamily(at) => self.drop_family(*at),
            Call::Walk { iterator, moves } => {
                let iterator = self.new_iterator(iterator);
                let walk = moves.iter().map(|how| {
                    self.step(iterator.iterator, how);
                    self.position(iterator.iterator)
                });
                let seen: Vec<String> = walk.collect();
                self.destroy(&iterator);
                seen.join("\n")
            }
            Call::Scan { family, backwards } => self.scan(*family, *backwards),
            // SAFETY: as said above.
            Call::LatestSequence => unsafe {
                (library.call.get_latest_sequence_number)(db).to_string()
            },
            Call::Reopen { .. } | Call::Copy { .. } => unreachable!("concerns both sides"),
        }
    }

    fn batch(&mut self, call: &BatchCall) -> String {
        let (library, batch) = (self.library, self.batch);
        let functions = &library.call;
        // SAFETY: as said above.
        unsafe {
            match call {
                BatchCall::Put { family, key, value } => {
                    let (k, v) = (&**key, &**value);
                    let family = self.families[*family].1;
                    let put = functions.writebatch_put_cf;
                    put(batch, family, chars(k), k.len(), chars(v), v.len());
                }
                BatchCall::Delete { family, key } => {
                    let family = self.families[*family].1;
                    (functions.writebatch_delete_cf)(batch, family, chars(key), key.len());
                }
                BatchCall::Merge { family, key, operand } => {
                    let (k, v) = (&**key, &**operand);
                    let family = self.families[*family].1;
                    let merge = functions.writebatch_merge_cf;
                    merge(batch, family, chars(k), k.len(), chars(v), v.len());
                }
                BatchCall::DeleteRange { family, begin, end } => {
                    let (b, n) = (&**begin, &**end);
                    let family = self.families[*family].1;
                    let delete = functions.writebatch_delete_range_cf;
                    delete(batch, family, chars(b), b.len(), chars(n), n.len());
                }
                BatchCall::LogData(data) => {
                    (functions.writebatch_put_log_data)(batch, chars(data), data.len());
                }
                BatchCall::SavePoint => (functions.writebatch_set_save_point)(batch),
                BatchCall::RollBack => {
                    let roll_back = functions.writebatch_rollback_to_save_point;
                    return outcome(library.checked(|e| roll_back(batch, e)));
                }
                BatchCall::PopSavePoint => {
                    let pop = functions.writebatch_pop_save_point;
                    return outcome(library.checked(|e| pop(batch, e)));
                }
                BatchCall::Clear => (functions.writebatch_clear)(batch),
                BatchCall::Look => {
                    let mut len = 0;
                    let data = (functions.writebatch_data)(batch, &mut len);
                    let data = lent_bytes(data, len).unwrap_or_default();
                    // Without the sequence number, which refused and empty batches may have.
                    let data = data.get(8..).unwrap_or_default();
                    return format!("{} {}", (functions.writebatch_count)(batch), show(data));
                }
            }
        }
        "ok".into()
    }

    fn write_batch(&mut self, clear: bool) -> String {
        let (library, batch) = (self.library, self.batch);
        // SAFETY: as said above.
        let written = outcome(library.checked(|e| unsafe {
            (library.call.write)(self.db, self.write_options, batch, e);
        }));
        if clear {
            // SAFETY: as said above.
            unsafe { (library.call.writebatch_clear)(batch) };
        }
        written
    }

    fn with_snapshot<T>(
        &self,
        snapshot: Option<usize>,
        read: impl FnOnce(&Self, Object) -> T,
    ) -> T {
        let functions = &self.library.call;
        // SAFETY: as said above.
        unsafe {
            let options = (functions.readoptions_create)();
            if let Some(at) = snapshot {
                (functions.readoptions_set_snapshot)(options, self.snapshots[at]);
            }
            let result = read(self, options);
            (functions.readoptions_destroy)(options);
            result
        }
    }

    fn get(&self, family: usize, key: &[u8], read: Object) -> Result<Option<Vec<u8>>, String> {
        let mut len = 0;
        let family = self.families[family].1;
        // SAFETY: as said above.
        let value = self.library.checked(|e| unsafe {
            (self.library.call.get_cf)(self.db, read, family, chars(key), key.len(), &mut len, e)
        })?;
        Ok(self.library.take_bytes(value, len))
    }

    fn get_pinned(
        &self,
        family: usize,
        key: &[u8],
        read: Object,
    ) -> Result<Option<Vec<u8>>, String> {
        let family = self.families[family].1;
        // SAFETY: as said above.
        let slice = self.library.checked(|e| unsafe {
            (self.library.call.get_pinned_cf)(self.db, read, family, chars(key), key.len(), e)
        })?;
        Ok(self.take_pinned(slice))
    }

    fn take_pinned(&self, slice: Object) -> Option<Vec<u8>> {
        if slice.is_null() {
            return None;
        }
        let mut len = 0;
        // SAFETY: as said above.
        unsafe {
            let value = (self.library.call.pinnableslice_value)(slice, &mut len);
            let copy = lent_bytes(value, len);
            (self.library.call.pinnableslice_destroy)(slice);
            copy
        }
    }

    fn multi_get(&self, family: usize, keys: &[Bytes], read: Object) -> String {
        let pointers: Vec<_> = keys.iter().map(|key| chars(key)).collect();
        let sizes: Vec<_> = keys.iter().map(|key| key.len()).collect();
        let families = vec![self.families[family].1; keys.len()];
        let mut values: Vec<Text> = vec![null_mut(); keys.len()];
        let mut lens = vec![0; keys.len()];
        let mut errors: Vec<Text> = vec![null_mut(); keys.len()];
        // SAFETY: as said above; all arrays have as many places as there are keys.
        unsafe {
            (self.library.call.multi_get_cf)(
                self.db,
                read,
                families.as_ptr(),
                keys.len(),
                pointers.as_ptr(),
                sizes.as_ptr(),
                values.as_mut_ptr(),
                lens.as_mut_ptr(),
                errors.as_mut_ptr(),
            );
        }
        let all = values.into_iter().zip(lens).zip(errors).map(|((value, len), error)| match self
            .library
            .take_text(error)
        {
            Some(error) => kind(&error),
            None => found(Ok(self.library.take_bytes(value, len))),
        });
        all.collect::<Vec<_>>().join(",")
    }

    fn batched_multi_get(&self, family: usize, keys: &[Bytes], read: Object) -> String {
        let pointers: Vec<_> = keys.iter().map(|key| chars(key)).collect();
        let sizes: Vec<_> = keys.iter().map(|key| key.len()).collect();
        let mut values: Vec<Object> = vec![null_mut(); keys.len()];
        let mut errors: Vec<Text> = vec![null_mut(); keys.len()];
        // SAFETY: as said above; all arrays have as many places as there are keys.
        unsafe {
            (self.library.call.batched_multi_get_cf)(
                self.db,
                read,
                self.families[family].1,
                keys.len(),
                pointers.as_ptr(),
                sizes.as_ptr(),
                values.as_mut_ptr(),
                errors.as_mut_ptr(),
                false,
            );
        }
        let all = values.into_iter().zip(errors).map(|(value, error)| {
            match self.library.take_text(error) {
                Some(error) => kind(&error),
                None => found(Ok(self.take_pinned(value))),
            }
        });
        all.collect::<Vec<_>>().join(",")
    }

    fn release_snapshot(&mut self, at: usize) {
        let snapshot = std::mem::replace(&mut self.snapshots[at], null_mut());
        if !snapshot.is_null() {
            // SAFETY: as said above.
            unsafe { (self.library.call.release_snapshot)(self.db, snapshot) };
        }
    }

    fn new_iterator(&self, call: &IteratorCall) -> Iterator {
        let functions = &self.library.call;
        let bounds = [call.lower.clone(), call.upper.clone()];
        // SAFETY: as said above; the bounds live as long as the iterator.
        unsafe {
            let options = (functions.readoptions_create)();
            if let Some(at) = call.snapshot {
                (functions.readoptions_set_snapshot)(options, self.snapshots[at]);
            }
            if let Some(bound) = &bounds[0] {
                let set = functions.readoptions_set_iterate_lower_bound;
                set(options, chars(bound), bound.len());
            }
            if let Some(bound) = &bounds[1] {
                let set = functions.readoptions_set_iterate_upper_bound;
                set(options, chars(bound), bound.len());
            }
            (functions.readoptions_set_fill_cache)(options, call.fill_cache.into());
            (functions.readoptions_set_readahead_size)(options, call.readahead);
            (functions.readoptions_set_pin_data)(options, call.pin_data.into());
            (functions.readoptions_set_tailing)(options, call.tailing.into());
            (functions.readoptions_set_total_order_seek)(options, (!call.prefix).into());
            (functions.readoptions_set_prefix_same_as_start)(options, call.prefix.into());
            let family = self.families[call.family].1;
            let iterator = (functions.create_iterator_cf)(self.db, options, family);
            Iterator {
                family: call.family,
                tailing: call.tailing,
                iterator,
                read_options: options,
                _bounds: bounds,
            }
        }
    }

    fn drop_iterator(&mut self, at: usize) {
        if !self.iterators[at].iterator.is_null() {
            self.destroy(&self.iterators[at]);
            self.iterators[at].iterator = null_mut();
        }
    }

    fn destroy(&self, iterator: &Iterator) {
        // SAFETY: as said above; it is not used any more.
        unsafe {
            (self.library.call.iter_destroy)(iterator.iterator);
            (self.library.call.readoptions_destroy)(iterator.read_options);
        }
    }

    /// Puts a tailing iterator of RocksDB behind all keys, so that its next seek is one in all
    /// tables. Else, where a merge has taken a table's records of the key that it stands on, a seek
    /// that ends there misses them, and contradicts a get.
    fn seek_far(&self, iterator: Object) {
        let behind: &[u8] = if self.settings.reverse_order { b"" } else { b"\xff\xff" };
        self.step(iterator, &Move::Seek(Bytes(behind.to_vec())));
    }

    fn step(&self, iterator: Object, how: &Move) {
        let functions = &self.library.call;
        // SAFETY: as said above. A step needs a valid iterator.
        unsafe {
            match how {
                Move::First => (functions.iter_seek_to_first)(iterator),
                Move::Last => (functions.iter_seek_to_last)(iterator),
                Move::Seek(key) => (functions.iter_seek)(iterator, chars(key), key.len()),
                Move::SeekForPrev(key) => {
                    (functions.iter_seek_for_prev)(iterator, chars(key), key.len());
                }
                Move::Next | Move::Prev if (functions.iter_valid)(iterator) == 0 => {}
                Move::Next => (functions.iter_next)(iterator),
                Move::Prev => (functions.iter_prev)(iterator),
            }
        }
    }

    fn position(&self, iterator: Object) -> String {
        let functions = &self.library.call;
        // SAFETY: as said above.
        unsafe {
            if (functions.iter_valid)(iterator) == 0 {
                return match self.library.checked(|e| (functions.iter_get_error)(iterator, e)) {
                    Ok(()) => "at an end".into(),
                    Err(error) => kind(&error),
                };
            }
            let (mut key_len, mut value_len) = (0, 0);
            let key = (functions.iter_key)(iterator, &mut key_len);
            let value = (functions.iter_value)(iterator, &mut value_len);
            let key = lent_bytes(key, key_len).unwrap_or_default();
            let value = lent_bytes(value, value_len).unwrap_or_default();
            format!("at {} {}", show(&key), show(&value))
        }
    }

    fn scan(&self, family: usize, backwards: bool) -> String {
        let all = IteratorCall {
            family,
            snapshot: None,
            lower: None,
            upper: None,
            fill_cache: true,
            readahead: 0,
            pin_data: false,
            tailing: false,
            prefix: false,
        };
        let iterator = self.new_iterator(&all);
        let (start, on) = match backwards {
            true => (Move::Last, Move::Prev),
            false => (Move::First, Move::Next),
        };
        let mut rows = String::new();
        self.step(iterator.iterator, &start);
        loop {
            let position = self.position(iterator.iterator);
            rows.push_str(&position);
            rows.push('\n');
            if !position.starts_with("at ") || position == "at an end" {
                break;
            }
            self.step(iterator.iterator, &on);
        }
        self.destroy(&iterator);
        rows
    }

    fn flush(&self, family: usize) -> String {
        let functions = &self.library.call;
        // SAFETY: as said above.
        unsafe {
            let options = (functions.flushoptions_create)();
            let family = self.families[family].1;
            let flushed =
                self.library.checked(|e| (functions.flush_cf)(self.db, options, family, e));
            (functions.flushoptions_destroy)(options);
            outcome(flushed)
        }
    }

    /// Copies the database to `dir`.
    pub fn copy(&self, how: &Copy, dir: &Path) -> String {
        let Ok(path) = CString::new(dir.as_os_str().as_bytes()) else { return "bad name".into() };
        outcome(match how {
            Copy::Checkpoint => self.checkpoint(&path),
            Copy::Backup => self.back_up(&path),
        })
    }

    fn checkpoint(&self, path: &CStr) -> Result<(), String> {
        let functions = &self.library.call;
        // SAFETY: as said above.
        unsafe {
            let checkpoint =
                self.library.checked(|e| (functions.checkpoint_object_create)(self.db, e))?;
            let made = self
                .library
                .checked(|e| (functions.checkpoint_create)(checkpoint, path.as_ptr(), 0, e));
            (functions.checkpoint_object_destroy)(checkpoint);
            made
        }
    }

    /// Backs up and restores to `path`. The backups stay, and each takes what is new.
    fn back_up(&self, path: &CStr) -> Result<(), String> {
        let functions = &self.library.call;
        let backups = self.dir.with_extension("backups");
        let backups = CString::new(backups.as_os_str().as_bytes()).map_err(|e| e.to_string())?;
        let Some(options) = &self.options else { return Err("closed".into()) };
        // SAFETY: as said above.
        unsafe {
            let engine = self.library.checked(|e| {
                (functions.backup_engine_open)(options.options, backups.as_ptr(), e)
            })?;
            let restore_options = (functions.restore_options_create)();
            let made = self
                .library
                .checked(|e| {
                    (functions.backup_engine_create_new_backup_flush)(engine, self.db, 1, e);
                })
                .and_then(|()| {
                    let restore = functions.backup_engine_restore_db_from_latest_backup;
                    self.library.checked(|e| {
                        restore(engine, path.as_ptr(), path.as_ptr(), restore_options, e);
                    })
                });
            (functions.restore_options_destroy)(restore_options);
            (functions.backup_engine_close)(engine);
            made
        }
    }

    /// All that is in the database in `dir`, which has the same column families.
    pub fn contents_of(&self, dir: &Path) -> String {
        let mut copy = Side::closed(self.library, self.settings, dir);
        copy.families = self.families.iter().map(|(name, _)| (name.clone(), null_mut())).collect();
        if let Err(error) = copy.reopen() {
            return format!("open failed: {error}");
        }
        let live = (0..copy.families.len()).filter(|&at| !copy.families[at].0.is_empty());
        live.map(|at| format!("{}:\n{}", copy.families[at].0, copy.scan(at, false))).collect()
    }

    fn create_family(&mut self, name: &str) -> String {
        let Some(options) = &self.options else { return "closed".into() };
        let Ok(c_name) = CString::new(name) else { return "bad name".into() };
        // SAFETY: as said above.
        let created = self.library.checked(|e| unsafe {
            let create = self.library.call.create_column_family;
            create(self.db, options.options, c_name.as_ptr(), e)
        });
        match created {
            Ok(handle) => {
                self.families.push((name.to_string(), handle));
                "ok".into()
            }
            Err(error) => kind(&error),
        }
    }

    fn drop_family(&mut self, at: usize) -> String {
        for iterator in 0..self.iterators.len() {
            if self.iterators[iterator].family == at {
                self.drop_iterator(iterator);
            }
        }
        let functions = &self.library.call;
        let handle = self.families[at].1;
        // The batch may name it, and is emptied.
        // SAFETY: as said above.
        unsafe {
            (functions.writebatch_clear)(self.batch);
            let dropped =
                self.library.checked(|e| (functions.drop_column_family)(self.db, handle, e));
            (functions.column_family_handle_destroy)(handle);
            self.families[at] = (String::new(), null_mut());
            outcome(dropped)
        }
    }

    /// The names of the column families that the folder holds.
    pub fn list_families(&self) -> Vec<String> {
        let functions = &self.library.call;
        let Some(options) = &self.options else { return Vec::new() };
        let Ok(path) = CString::new(self.dir.as_os_str().as_bytes()) else { return Vec::new() };
        let mut len = 0;
        // SAFETY: as said above.
        let names = self.library.checked(|e| unsafe {
            (functions.list_column_families)(options.options, path.as_ptr(), &mut len, e)
        });
        let Ok(names) = names else { return Vec::new() };
        let mut all = Vec::new();
        for at in 0..len {
            // SAFETY: the library returned so many names, each ending with a NUL.
            let name = unsafe { CStr::from_ptr(*names.add(at)) };
            all.push(name.to_string_lossy().into_owned());
        }
        // SAFETY: as said above.
        unsafe { (functions.list_column_families_destroy)(names, len) };
        all
    }
}

impl Drop for Side<'_> {
    fn drop(&mut self) {
        self.close();
        // SAFETY: made in `open`, and nothing uses them any more.
        unsafe {
            (self.library.call.writebatch_destroy)(self.batch);
            (self.library.call.writeoptions_destroy)(self.write_options);
        }
    }
}
