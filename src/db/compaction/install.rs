//! Putting the result of a compaction in place of its inputs.

use super::super::Db;
use super::claim::Claim;
use crate::base::status::{Result, Severity};
use crate::base::sync::Arc;
use crate::compaction::plan::{CompactionReason, CompactionWork};
use crate::options::enums::CompactionPri;
use crate::version::edit::VersionEdit;
use crate::version::file_meta::FileMeta;

impl Db {
    /// The inputs as files of the output level, but for those that are there.
    pub(super) fn moved_files(&self, claim: &Claim) -> Vec<FileMeta> {
        claim.plan().moved_inputs().map(|(_, file)| FileMeta::clone(file)).collect()
    }

    /// Makes the change durable, frees the claim, and shows readers the new tables. Inputs that no
    /// reader holds any more can be removed afterwards, once the claim is dropped.
    pub(super) fn install_compaction(&self, claim: &mut Claim, files: Vec<FileMeta>) -> Result<()> {
        let id = claim.family.id();
        let edit = self.compaction_edit(claim, files);
        let _turn = self.manifest_turn.lock();
        let mut state = self.state.lock();
        let mut write = state.versions.prepare(vec![edit])?;
        // From here on a crash may bring the new files back, whatever comes out.
        claim.give_outputs(&mut state);
        drop(state);
        // The outcome is in `write`, and comes out of `install`.
        let _ = write.write();
        let mut state = self.state.lock();
        if let Err(error) = state.versions.install(write) {
            // What the MANIFEST says is no longer known.
            let error = error.with_severity(Severity::Hard);
            self.set_background_error_in(&mut state, error.clone());
            return Err(error);
        }
        if claim.plan().work != CompactionWork::Move {
            state.obsolete.extend(claim.plan().input_files().map(|(_, file)| file.clone()));
        }
        claim.release(&mut state);
        let retired = state.families.get(&id).map(|family| family.publish());
        self.tables_changed(&mut state, id);
        drop(state);
        self.changed.notify_all();
        drop(retired);
        Ok(())
    }

    fn compaction_edit(&self, claim: &Claim, files: Vec<FileMeta>) -> VersionEdit {
        let plan = claim.plan();
        let mut edit = VersionEdit::new(claim.family.id());
        plan.delete_inputs(&mut edit);
        let level = plan.output.level as u32;
        for file in files {
            if plan.reason == CompactionReason::BottommostFiles {
                file.set_cleaned_at(self.oldest_snapshot_of(&claim.family));
            }
            edit.add_file(level, Arc::new(file));
        }
        if claim.family.options.compaction_pri == CompactionPri::RoundRobin
            && plan.reason == CompactionReason::LevelMaxLevelSize
        {
            edit.compact_cursors.extend(plan.next_cursor());
        }
        edit
    }

    fn oldest_snapshot_of(&self, family: &super::Family) -> u64 {
        let state = self.state.lock();
        state.families.get(&family.id()).map_or(0, |family| family.oldest_snapshot)
    }
}
