//! Removing backups, and files that no backup has.

use super::{BackupEngine, State, layout};
use crate::base::status::{Result, Status};
use crate::log_at;
use std::path::Path;

impl BackupEngine {
    /// Removes all but the newest `keep` backups.
    pub fn purge(&self, keep: u32) -> Result<()> {
        let mut state = self.state.write();
        self.purge_in(&mut state, keep)
    }

    fn purge_in(&self, state: &mut State, keep: u32) -> Result<()> {
        let old = state.backups.len().saturating_sub(keep as usize);
        let old: Vec<u32> = state.backups.keys().take(old).copied().collect();
        let mut result = Ok(());
        for id in old {
            let removed = self.remove_in(state, id);
            if result.is_ok() {
                result = removed;
            }
        }
        if state.may_hold_garbage {
            result = result.and(self.collect_garbage(state));
        }
        result
    }

    /// Removes a backup, which may be damaged.
    pub fn remove(&self, id: u32) -> Result<()> {
        let mut state = self.state.write();
        let mut result = self.remove_in(&mut state, id);
        if state.may_hold_garbage {
            result = result.and(self.collect_garbage(&mut state));
        }
        result
    }

    /// Removes every backup and every file of one.
    pub(super) fn remove_all(&self, state: &mut State) -> Result<()> {
        let damaged: Vec<u32> = state.corrupt.keys().copied().collect();
        for id in damaged {
            self.remove_in(state, id)?;
        }
        state.may_hold_garbage = true;
        self.purge_in(state, 0)?;
        state.latest = 0;
        Ok(())
    }

    /// The list of files goes first, so that no backup is found that lacks some.
    fn remove_in(&self, state: &mut State, id: u32) -> Result<()> {
        log_at!(self.logger, Info, "Removing backup {id}");
        if !state.backups.contains_key(&id) && !state.corrupt.contains_key(&id) {
            return Err(Status::not_found("Backup not found"));
        }
        let path = layout::meta_path(&self.dir, id);
        match self.fs().remove_file(&path) {
            Err(error) if error.is_path_not_found() => {}
            result => result?,
        }
        self.sync_dir(&self.dir.join(layout::META))?;
        state.corrupt.remove(&id);
        let files = state.backups.remove(&id).map(|meta| meta.files).unwrap_or_default();
        for name in state.release_files(&files) {
            // What stays now goes with the next collection.
            state.may_hold_garbage |= !self.try_remove(&self.dir.join(name));
        }
        let private = self.dir.join(layout::private_name(id));
        state.may_hold_garbage |= self.fs().remove_dir(&private).is_err();
        Ok(())
    }

    fn try_remove(&self, path: &Path) -> bool {
        let result = self.fs().remove_file(path);
        match &result {
            Ok(()) => log_at!(self.logger, Info, "Removed {}", path.display()),
            Err(error) => log_at!(self.logger, Warn, "Cannot remove a file: {error}"),
        }
        result.is_ok()
    }

    /// Removes the files that no backup has: what a backup left that was not finished, or one
    /// that was not wholly removed.
    pub fn garbage_collect(&self) -> Result<()> {
        let mut state = self.state.write();
        self.collect_garbage(&mut state)
    }

    pub(super) fn collect_garbage(&self, state: &mut State) -> Result<()> {
        state.may_hold_garbage = false;
        let result = self.collect_shared(state).and(self.collect_private(state));
        let temporary = self.collect_temporary();
        let result = result.and(temporary);
        state.may_hold_garbage |= result.is_err();
        result
    }

    fn collect_shared(&self, state: &mut State) -> Result<()> {
        for folder in [layout::SHARED, layout::SHARED_CHECKSUM] {
            let dir = self.dir.join(folder);
            if !self.fs().exists(&dir)? {
                continue;
            }
            for file in self.fs().list(&dir)? {
                let name = format!("{folder}/{file}");
                let suspected = state.corrupt.values().any(|c| c.names.contains(&name));
                if !state.files.contains_key(&name) && !suspected {
                    state.may_hold_garbage |= !self.try_remove(&dir.join(file));
                }
            }
        }
        Ok(())
    }

    fn collect_private(&self, state: &mut State) -> Result<()> {
        let dir = self.dir.join(layout::PRIVATE);
        for name in self.fs().list(&dir)? {
            let number = name.strip_suffix(".tmp").unwrap_or(&name);
            let Ok(id) = number.parse::<u32>() else { continue };
            let known = state.backups.contains_key(&id) || state.corrupt.contains_key(&id);
            if known && number == name {
                continue;
            }
            let folder = dir.join(&name);
            for file in self.fs().list(&folder).unwrap_or_default() {
                state.may_hold_garbage |= !self.try_remove(&folder.join(file));
            }
            state.may_hold_garbage |= self.fs().remove_dir(&folder).is_err();
        }
        Ok(())
    }

    fn collect_temporary(&self) -> Result<()> {
        let dir = self.dir.join(layout::META);
        for name in self.fs().list(&dir)? {
            let number = name.strip_prefix('.').and_then(|name| name.strip_suffix(".tmp"));
            if number.is_some_and(|number| number.parse::<u32>().is_ok()) {
                self.try_remove(&dir.join(name));
            }
        }
        Ok(())
    }
}
