//! Compaction of named files, and the removal of whole files in a range of keys.

use super::super::Db;
use super::super::family::Family;
use super::claim::Claim;
use super::range::paused_error;
use crate::base::status::{Result, Status};
use crate::base::sync::{Arc, Ordering};
use crate::compaction::plan::{CompactionPlan, CompactionWork};
use crate::env::names::table_file_name;
use crate::options::compact::CompactFilesOptions;
use crate::options::enums::CompactionStyle;
use std::collections::BTreeSet;
use std::path::PathBuf;

/// The index of the folder for the output of `compact_files`; a negative one lets the database
/// choose.
fn output_path(family: &Family, path_id: i32) -> Result<u32> {
    let paths = family.tables.options().paths.len();
    match u32::try_from(path_id) {
        Ok(id) if (id as usize) < paths => Ok(id),
        Ok(_) => Err(Status::invalid_argument("Invalid output path ID")),
        Err(_) if paths > 1 => Err(Status::not_supported(
            "Automatic output path selection is not yet supported in CompactFiles()",
        )),
        Err(_) => Ok(0),
    }
}

impl Db {
    /// Compacts the files with these names (and what must come along) into `output_level`, in the
    /// calling thread. Returns the names of the files that are there then. A negative
    /// `output_path_id` lets the database choose.
    pub fn compact_files(
        &self,
        family: &Arc<Family>,
        options: &CompactFilesOptions,
        names: &[String],
        output_level: i32,
        output_path_id: i32,
    ) -> Result<Vec<PathBuf>> {
        self.check_compactable(family)?;
        options.rejected.check()?;
        let canceled = options.canceled.as_deref();
        let is_canceled = canceled.is_some_and(|flag| flag.load(Ordering::Acquire));
        let mut state = self.state.lock();
        if is_canceled || state.compactions.manual_disabled > 0 {
            return Err(paused_error());
        }
        let path_id = output_path(family, output_path_id)?;
        if let Some(error) = state.stopping_error() {
            return Err(error.clone());
        }
        let Some(family_state) = state.families.get_mut(&family.id()) else {
            return Err(Status::column_family_dropped(""));
        };
        let version = family.persistent.current();
        let output_level = self.check_output_level(family, output_level, version.num_levels())?;
        let numbers: BTreeSet<u64> = names.iter().map(|name| number_in(name)).collect();
        let subcompactions = self.max_subcompactions(options.max_subcompactions);
        let name = String::from_utf8_lossy(family.name());
        let live = family_state.family.live_options();
        let picker = self.picker(family_state, &version, subcompactions, &live);
        let mut plan = picker.pick_files(&numbers, output_level, &name)?;
        drop(version);
        plan.set_output_path(path_id);
        apply_options(&mut plan, options);
        let claim = Claim::new(self, family_state, plan);
        let mut slot = self.compaction_slot(&mut state, false);
        slot.begun = true;
        self.tables_changed(&mut state, family.id());
        drop(state);
        let result = self.carry_out(claim, canceled);
        self.remove_obsolete_files();
        if let Err(error) = &result {
            self.note_compaction_error(error.clone());
        }
        drop(slot);
        let names = |numbers: Vec<u64>| {
            let dir = family.tables.options().dir(path_id);
            numbers.into_iter().map(|number| table_file_name(dir, number)).collect()
        };
        result.map(names)
    }

    fn check_output_level(&self, family: &Family, level: i32, num_levels: usize) -> Result<usize> {
        let Ok(level) = usize::try_from(level) else {
            return Err(Status::invalid_argument("Output level cannot be negative."));
        };
        if level >= num_levels {
            let name = String::from_utf8_lossy(family.name());
            return Err(Status::invalid_argument(format!(
                "Output level for column family {name} must between [0, {}].",
                num_levels - 1
            )));
        }
        if level > 0 && family.options.compaction_style == CompactionStyle::Fifo {
            return Err(Status::invalid_argument(
                "Exceed the maximum output level defined by the current compaction algorithm --- 0",
            ));
        }
        Ok(level)
    }

    /// Drops the files that lie wholly within the user keys `begin..=end` (`None` is unbounded),
    /// but none of level 0. Other keys of the range stay.
    pub fn delete_files_in_range(
        &self,
        family: &Arc<Family>,
        begin: Option<&[u8]>,
        end: Option<&[u8]>,
    ) -> Result<()> {
        self.check_writable()?;
        let mut state = self.state.lock();
        if let Some(error) = state.stopping_error() {
            return Err(error.clone());
        }
        let Some(family_state) = state.families.get_mut(&family.id()) else {
            return Err(Status::column_family_dropped(""));
        };
        let version = family.persistent.current();
        let plan = self
            .picker(family_state, &version, 1, &family_state.family.live_options())
            .pick_whole_files(begin, end);
        drop(version);
        let Some(plan) = plan else { return Ok(()) };
        let claim = Claim::new(self, family_state, plan);
        drop(state);
        self.critically("a removal of files panicked", || self.carry_out(claim, None))?;
        self.remove_obsolete_files();
        Ok(())
    }
}

fn apply_options(plan: &mut CompactionPlan, options: &CompactFilesOptions) {
    // As in RocksDB, the size is the caller's and the grandparents do not matter.
    plan.output.max_file_size = options.output_file_size_limit;
    plan.output.target_file_size = options.output_file_size_limit;
    plan.grandparents.clear();
    if let Some(compression) = options.compression {
        plan.output.compression = compression;
    }
    if plan.work == CompactionWork::Move && !options.allow_trivial_move {
        plan.work = CompactionWork::Rewrite;
    }
}

/// The number in a table's name, as RocksDB finds it: the last digits before the suffix. 0 if
/// there are none, which no file has.
fn number_in(name: &str) -> u64 {
    let end = name.rfind(|c: char| c.is_ascii_digit()).map_or(0, |at| at + 1);
    let start = name[..end].rfind(|c: char| !c.is_ascii_digit()).map_or(0, |at| at + 1);
    name[start..end].parse().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::number_in;

    #[test]
    fn numbers_are_found_in_names() {
        assert_eq!(number_in("/a/b9/000123.sst"), 123);
        assert_eq!(number_in("/000007.sst"), 7);
        assert_eq!(number_in("12.ldb"), 12);
        assert_eq!(number_in("none.sst"), 0);
    }
}
