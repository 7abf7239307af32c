//! The names of a memory file system: as they are, and as a crash would leave them.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::io;

use super::errno;
use super::file::MemoryFile;
use crate::base::sync::Arc;

pub(super) const ROOT: u64 = 0;

/// What a name stands for. Folders are known by number.
#[derive(Clone)]
pub(super) enum Child {
    Dir(u64),
    File(Arc<MemoryFile>),
}

impl Child {
    fn same(&self, other: &Child) -> bool {
        match (self, other) {
            (Child::Dir(a), Child::Dir(b)) => a == b,
            (Child::File(a), Child::File(b)) => Arc::ptr_eq(a, b),
            _ => false,
        }
    }
}

#[derive(Clone, Default)]
pub(super) struct Dir {
    live: BTreeMap<String, Child>,
    durable: BTreeMap<String, Child>,
}

/// One name in one folder.
type Slot = (u64, String);

/// One change of names: either all of it reaches the disk or nothing. Each slot gets a new
/// meaning or none.
pub(super) struct NameChange(Vec<(Slot, Option<Child>)>);

pub(super) struct Tree {
    dirs: HashMap<u64, Dir>,
    next_dir: u64,
    /// Changes not yet durable, oldest first.
    pending: Vec<NameChange>,
}

impl Default for Tree {
    fn default() -> Self {
        Tree { dirs: HashMap::from([(ROOT, Dir::default())]), next_dir: 1, pending: Vec::new() }
    }
}

impl Tree {
    /// What the path stands for: `ENOENT` or `ENOTDIR` if it cannot be followed.
    pub(super) fn child(&self, names: &[String]) -> io::Result<Child> {
        let mut child = Child::Dir(ROOT);
        for name in names {
            let Child::Dir(id) = child else { return Err(errno(libc::ENOTDIR)) };
            let found = self.dirs.get(&id).and_then(|dir| dir.live.get(name));
            child = found.cloned().ok_or_else(|| errno(libc::ENOENT))?;
        }
        Ok(child)
    }

    pub(super) fn file(&self, names: &[String]) -> io::Result<Arc<MemoryFile>> {
        match self.child(names)? {
            Child::File(file) => Ok(file),
            Child::Dir(_) => Err(errno(libc::EISDIR)),
        }
    }

    pub(super) fn dir(&self, names: &[String]) -> io::Result<u64> {
        match self.child(names)? {
            Child::Dir(id) => Ok(id),
            Child::File(_) => Err(errno(libc::ENOTDIR)),
        }
    }

    pub(super) fn list(&self, names: &[String]) -> io::Result<Vec<String>> {
        let id = self.dir(names)?;
        Ok(self.dirs.get(&id).map(|dir| dir.live.keys().cloned().collect()).unwrap_or_default())
    }

    /// The slot a path ends in; its folder must exist. The root has none (`EBUSY`, as Linux says).
    fn slot(&self, names: &[String]) -> io::Result<Slot> {
        let (name, parents) = names.split_last().ok_or_else(|| errno(libc::EBUSY))?;
        Ok((self.dir(parents)?, name.clone()))
    }

    fn get(&self, slot: &Slot) -> Option<&Child> {
        self.dirs.get(&slot.0)?.live.get(&slot.1)
    }

    fn is_empty(&self, id: u64) -> bool {
        self.dirs.get(&id).is_none_or(|dir| dir.live.is_empty())
    }

    fn apply(&mut self, changes: Vec<(Slot, Option<Child>)>) {
        for ((dir, name), child) in &changes {
            let Some(dir) = self.dirs.get_mut(dir) else { continue };
            match child {
                Some(child) => dir.live.insert(name.clone(), child.clone()),
                None => dir.live.remove(name),
            };
        }
        self.pending.push(NameChange(changes));
    }

    /// The file of this name, made by `new` if there is none.
    pub(super) fn create_file(
        &mut self,
        names: &[String],
        new: impl FnOnce() -> MemoryFile,
    ) -> io::Result<Arc<MemoryFile>> {
        let slot = self.slot(names)?;
        match self.get(&slot) {
            Some(Child::File(file)) => Ok(Arc::clone(file)),
            Some(Child::Dir(_)) => Err(errno(libc::EISDIR)),
            None => {
                let file = Arc::new(new());
                self.apply(vec![(slot, Some(Child::File(Arc::clone(&file))))]);
                Ok(file)
            }
        }
    }

    pub(super) fn create_dir(&mut self, names: &[String]) -> io::Result<()> {
        if self.child(names).is_ok() {
            return Err(errno(libc::EEXIST));
        }
        let slot = self.slot(names)?;
        let id = self.next_dir;
        self.next_dir += 1;
        self.dirs.insert(id, Dir::default());
        self.apply(vec![(slot, Some(Child::Dir(id)))]);
        Ok(())
    }

    /// Creates the folders that lead to a path.
    pub(super) fn make_parents(&mut self, names: &[String]) -> io::Result<()> {
        for depth in 1..names.len() {
            match self.create_dir(&names[..depth]) {
                Err(e) if e.raw_os_error() != Some(libc::EEXIST) => return Err(e),
                _ => {}
            }
        }
        Ok(())
    }

    pub(super) fn remove_file(&mut self, names: &[String]) -> io::Result<()> {
        self.file(names)?;
        let slot = self.slot(names)?;
        self.apply(vec![(slot, None)]);
        Ok(())
    }

    pub(super) fn remove_dir(&mut self, names: &[String]) -> io::Result<()> {
        let id = self.dir(names)?;
        let slot = self.slot(names)?;
        if !self.is_empty(id) {
            return Err(errno(libc::ENOTEMPTY));
        }
        self.apply(vec![(slot, None)]);
        Ok(())
    }

    pub(super) fn link(&mut self, from: &[String], to: &[String]) -> io::Result<()> {
        let child = self.child(from)?;
        if self.child(to).is_ok() {
            return Err(errno(libc::EEXIST));
        }
        let slot = self.slot(to)?;
        if matches!(child, Child::Dir(_)) {
            return Err(errno(libc::EPERM));
        }
        self.apply(vec![(slot, Some(child))]);
        Ok(())
    }

    pub(super) fn rename(&mut self, from: &[String], to: &[String]) -> io::Result<()> {
        let (source, target) = (self.slot(from)?, self.slot(to)?);
        let moved = self.child(from)?;
        if let Child::Dir(_) = moved
            && to.len() > from.len()
            && to.starts_with(from)
        {
            return Err(errno(libc::EINVAL));
        }
        if from.len() > to.len() && from.starts_with(to) {
            return Err(errno(libc::ENOTEMPTY));
        }
        match (&moved, self.get(&target)) {
            // Two names of one thing: POSIX has both stay.
            (_, Some(replaced)) if moved.same(replaced) => return Ok(()),
            (Child::File(_), Some(Child::Dir(_))) => return Err(errno(libc::EISDIR)),
            (Child::Dir(_), Some(Child::File(_))) => return Err(errno(libc::ENOTDIR)),
            (Child::Dir(_), Some(Child::Dir(id))) if !self.is_empty(*id) => {
                return Err(errno(libc::ENOTEMPTY));
            }
            _ => {}
        }
        self.apply(vec![(source, None), (target, Some(moved))]);
        Ok(())
    }

    /// Makes the names in a folder durable.
    pub(super) fn sync_dir(&mut self, id: u64) {
        let synced = with_causes(&self.pending, |change| change.0.iter().any(|c| c.0.0 == id));
        self.settle(&synced);
    }

    /// Makes all names durable.
    pub(super) fn sync_all(&mut self) {
        let all = vec![true; self.pending.len()];
        self.settle(&all);
        self.forget_removed_dirs();
    }

    /// Makes the chosen changes durable; the others stay pending.
    fn settle(&mut self, chosen: &[bool]) {
        let pending = std::mem::take(&mut self.pending);
        for (change, &chosen) in pending.into_iter().zip(chosen) {
            if chosen {
                persist(&mut self.dirs, &change);
            } else {
                self.pending.push(change);
            }
        }
    }

    /// Drops folders that no name leads to; called when nothing is pending.
    fn forget_removed_dirs(&mut self) {
        let named: HashSet<u64> = (self.dirs.values())
            .flat_map(|dir| dir.live.values())
            .filter_map(|child| if let Child::Dir(id) = child { Some(*id) } else { None })
            .collect();
        if named.len() + 1 < self.dirs.len() {
            self.dirs.retain(|id, _| *id == ROOT || named.contains(id));
        }
    }

    /// Calls `visit` for every file that has a name now or would have one after a crash.
    pub(super) fn each_file(&self, mut visit: impl FnMut(&MemoryFile)) {
        for dir in self.dirs.values() {
            for child in dir.live.values().chain(dir.durable.values()) {
                if let Child::File(file) = child {
                    visit(file);
                }
            }
        }
    }

    /// The tree after a crash: durable names and those changes for which `keep` says so (with
    /// what they build on), leading to what `copy` makes of each file.
    pub(super) fn after_crash(
        &self,
        mut keep: impl FnMut() -> bool,
        mut copy: impl FnMut(&Arc<MemoryFile>) -> Arc<MemoryFile>,
    ) -> Tree {
        let mut dirs = self.dirs.clone();
        let kept = with_causes(&self.pending, |_| keep());
        for (change, _) in self.pending.iter().zip(kept).filter(|(_, kept)| *kept) {
            persist(&mut dirs, change);
        }
        // Files with several names must stay one file. Order matters to `copy`, which draws random
        // numbers; that of a hash map would change from run to run.
        let mut copies: HashMap<*const MemoryFile, Arc<MemoryFile>> = HashMap::new();
        let mut ids: Vec<u64> = dirs.keys().copied().collect();
        ids.sort_unstable();
        for id in ids {
            let Some(dir) = dirs.get_mut(&id) else { continue };
            for child in dir.durable.values_mut() {
                if let Child::File(file) = child {
                    let copy = copies.entry(Arc::as_ptr(file)).or_insert_with(|| copy(file));
                    *child = Child::File(Arc::clone(copy));
                }
            }
            dir.live = dir.durable.clone();
        }
        Tree { dirs, next_dir: self.next_dir, pending: Vec::new() }
    }
}

fn persist(dirs: &mut HashMap<u64, Dir>, change: &NameChange) {
    for ((dir, name), child) in &change.0 {
        let Some(dir) = dirs.get_mut(dir) else { continue };
        match child {
            Some(child) => dir.durable.insert(name.clone(), child.clone()),
            None => dir.durable.remove(name),
        };
    }
}

/// Which changes to persist when the `wanted` ones are: they and all earlier changes of the names
/// they touch, since file systems keep the order of changes to one name.
fn with_causes(pending: &[NameChange], mut wanted: impl FnMut(&NameChange) -> bool) -> Vec<bool> {
    let mut chosen = vec![false; pending.len()];
    let mut slots: HashSet<&Slot> = HashSet::new();
    for (i, change) in pending.iter().enumerate().rev() {
        if wanted(change) || change.0.iter().any(|(slot, _)| slots.contains(slot)) {
            chosen[i] = true;
            slots.extend(change.0.iter().map(|(slot, _)| slot));
        }
    }
    chosen
}
