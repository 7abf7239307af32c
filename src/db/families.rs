//! Creating and dropping column families.

use super::Db;
use super::family::{Family, FamilySet};
use super::open::{FamilyOptions, OpenRequest};
use super::recover::{config, new_family};
use super::state::FamilyState;
use crate::base::status::{Result, Severity, Status};
use crate::base::sync::{Arc, Ordering};
use crate::log_at;
use crate::options::file::write_options_file;
use crate::version::manifest_write::ManifestWrite;
use crate::version::version_set::VersionSet;

impl Db {
    /// The column family with this name, unless it was dropped.
    pub fn family_named(&self, name: &[u8]) -> Option<Arc<Family>> {
        self.families.load().iter().find(|family| family.name() == name).cloned()
    }

    /// The default column family.
    pub fn default_family(&self) -> Result<Arc<Family>> {
        let default = self.families.load().get(0).cloned();
        default.ok_or_else(|| Status::not_found("default column family"))
    }

    /// The families that an open call asked for, in its order; those that do not exist are made
    /// if the options say so.
    pub(super) fn open_families(&self, request: &OpenRequest) -> Result<Vec<Arc<Family>>> {
        let options = &self.context.options;
        let may_create = !self.context.read_only && options.create_missing_column_families;
        let mut opened = Vec::with_capacity(request.families.len());
        for asked in &request.families {
            let name = String::from_utf8_lossy(&asked.name);
            opened.push(match self.family_named(&asked.name) {
                Some(family) => family,
                None if may_create => self.add_family(asked)?,
                None => {
                    return Err(Status::invalid_argument(format!(
                        "Column family not found: {name}"
                    )));
                }
            });
        }
        Ok(opened)
    }

    /// Creates a column family.
    pub fn create_family(&self, mut asked: FamilyOptions) -> Result<Arc<Family>> {
        self.check_writable()?;
        asked.options.validate(&self.context.options)?;
        asked.options.sanitize(&self.context.options);
        asked.options.check_supported()?;
        for path in &asked.options.cf_paths {
            self.context.fs().create_dir_if_missing(&path.path)?;
        }
        let family = self.add_family(&asked)?;
        self.repeat_compaction_trigger()?;
        self.write_options_file()?;
        Ok(family)
    }

    pub(super) fn add_family(&self, asked: &FamilyOptions) -> Result<Arc<Family>> {
        // Nobody writes meanwhile, so the family's first record is in the current log or later.
        let _writers = self.writers.exclusive();
        let log = self.wals()?.current_number();
        self.change_manifest(
            |versions| versions.prepare_add_family(config(asked), log),
            |write| {
                let persistent = write.new_family().cloned();
                let persistent = persistent.ok_or_else(|| Status::aborted("no family was made"))?;
                new_family(&self.context, persistent, asked.options.clone())
            },
            |db, family| {
                let mut state = db.state.lock();
                let mem = family.super_version.load().mem.clone();
                let memory = FamilyState::new(family.clone(), mem, log);
                state.families.insert(family.id(), memory);
                if family.options.disallow_memtable_writes {
                    db.any_unwritable.store(true, Ordering::Relaxed);
                }
                let mut set = FamilySet::clone(&db.families.load());
                set.insert(family);
                db.families.store(Arc::new(set));
            },
        )?;
        let family = self.family_named(&asked.name);
        let family = family.ok_or_else(|| Status::aborted("the new column family is gone"))?;
        log_at!(
            self.context.logger,
            Info,
            "Created column family [{}] (ID {})",
            String::from_utf8_lossy(&asked.name),
            family.id()
        );
        Ok(family)
    }

    /// Drops a column family. It can still be read through handles that exist; its files go when
    /// the last of them does.
    pub fn drop_family(&self, family: &Family) -> Result<()> {
        self.check_writable()?;
        let id = family.id();
        let writers = self.writers.exclusive();
        self.change_manifest(
            |versions| versions.prepare_drop_family(id),
            |_| Ok(()),
            |db, ()| {
                let mut guard = db.state.lock();
                let state = &mut *guard;
                if let Some(dropped) = state.families.remove(&id) {
                    let version = dropped.family.persistent.current();
                    state.obsolete.extend(version.all_files().map(|(_, file)| file.clone()));
                    dropped.mem.retire();
                    dropped.family.set_dropped();
                }
                let mut set = FamilySet::clone(&db.families.load());
                set.remove(id);
                db.families.store(Arc::new(set));
            },
        )?;
        drop(writers);
        log_at!(self.context.logger, Info, "Dropped column family with ID {id}");
        self.changed.notify_all();
        self.write_options_file()?;
        if self.context.options.avoid_unnecessary_blocking_io {
            self.purge_wanted.store(true, Ordering::SeqCst);
            self.version_released();
        } else {
            self.remove_obsolete_files();
        }
        Ok(())
    }

    /// One change of the MANIFEST: `prepare` under the mutex, the writing without it, and `apply`
    /// once it is installed. `build` makes what `apply` needs before anything is written.
    fn change_manifest<T>(
        &self,
        prepare: impl FnOnce(&mut VersionSet) -> Result<ManifestWrite>,
        build: impl FnOnce(&ManifestWrite) -> Result<T>,
        apply: impl FnOnce(&Db, T),
    ) -> Result<()> {
        self.critically("a change of the MANIFEST panicked", || {
            let _turn = self.manifest_turn.lock();
            let mut write = prepare(&mut self.state.lock().versions)?;
            let built = build(&write)?;
            // The outcome is in `write`, and comes out of `install`.
            let _ = write.write();
            let installed = self.state.lock().versions.install(write);
            installed.inspect_err(|error| {
                self.set_background_error(error.clone().with_severity(Severity::Hard));
            })?;
            apply(self, built);
            Ok(())
        })
    }

    /// Stores the options as they are now, and removes all but the two newest such files.
    pub(super) fn write_options_file(&self) -> Result<()> {
        self.persist_options().map_err(|error| {
            Status::io_error(format!(
                "DB::Open() failed --- Unable to persist Options file: {error}"
            ))
        })?;
        self.remove_old_options_files()
    }

    pub(super) fn persist_options(&self) -> Result<()> {
        // Held throughout, so that the newest file holds the newest options.
        let mut newest = self.options_file.lock();
        let families: Vec<_> = self.families.load().iter().cloned().collect();
        let names = families.iter().map(|family| String::from_utf8_lossy(family.name()));
        let options = families.iter().map(|family| family.live_options());
        let all: Vec<_> = names.zip(options).collect();
        let all: Vec<_> = all.iter().map(|(name, options)| (&**name, &**options)).collect();
        let number = self.file_numbers.allocate();
        let (fs, dir) = (self.context.fs(), &self.context.dir);
        write_options_file(fs, dir, number, &self.live_options(), &all)?;
        *newest = number;
        Ok(())
    }
}
