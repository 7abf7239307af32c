//! [`Claim`]: a compaction that was chosen, and whose files no other one may have.

use super::super::Db;
use super::super::family::Family;
use super::super::state::{FamilyState, State};
use crate::base::sync::{Arc, Mutex, Weak};
use crate::compaction::plan::{CompactionPlan, CompactionWork};

/// Holds the inputs of a plan for whoever carries it out. When it goes without having been
/// installed the inputs are free again, and the files that were written are removed.
pub(in crate::db) struct Claim {
    db: Weak<Db>,
    pub family: Arc<Family>,
    plan: CompactionPlan,
    /// Among the column family's running compactions; `None` once the inputs are free.
    id: Option<u64>,
    /// Numbers of files that were written and belong to nobody else.
    outputs: Mutex<Vec<u64>>,
}

impl Claim {
    /// Claims what `plan` wants. The caller holds the database mutex since it made the plan.
    pub fn new(db: &Db, family: &mut FamilyState, plan: CompactionPlan) -> Claim {
        plan.set_being_compacted(true);
        let id = family.running.add(&plan);
        Claim {
            db: db.me.clone(),
            family: family.family.clone(),
            plan,
            id: Some(id),
            outputs: Mutex::new(Vec::new()),
        }
    }

    pub fn plan(&self) -> &CompactionPlan {
        &self.plan
    }

    /// A number for a file that the compaction writes.
    pub fn new_output(&self, db: &Db) -> u64 {
        // At one go: a number that is neither pending nor newer than the newest stands for a file
        // that nobody needs.
        let mut state = db.state.lock();
        let number = db.file_numbers.allocate();
        state.pending_outputs.insert(number);
        drop(state);
        self.outputs.lock().push(number);
        number
    }

    /// The files that were written now belong to whoever called this. Under the database mutex.
    pub fn give_outputs(&self, state: &mut State) {
        for number in self.outputs.lock().drain(..) {
            state.pending_outputs.remove(&number);
        }
    }

    /// Lets others have the inputs. Under the database mutex.
    pub fn release(&mut self, state: &mut State) {
        let Some(id) = self.id.take() else { return };
        self.plan.set_being_compacted(false);
        if let Some(family) = state.families.get_mut(&self.family.id()) {
            family.running.remove(id);
        }
    }

    /// What the log says of a compaction that no job tells about.
    pub fn summary(&self) -> Option<String> {
        let verb = match self.plan.work {
            CompactionWork::Rewrite => return None,
            CompactionWork::Move => "Moved",
            CompactionWork::Delete => "Deleted",
        };
        let files: Vec<String> = self
            .plan
            .input_files()
            .map(|(level, file)| format!("L{level} #{}", file.number))
            .collect();
        Some(format!(
            "[{}] {verb} {} to L{} ({}): {} bytes",
            String::from_utf8_lossy(self.family.name()),
            files.join(" "),
            self.plan.output.level,
            self.plan.reason.name(),
            self.plan.input_bytes()
        ))
    }
}

impl Drop for Claim {
    fn drop(&mut self) {
        let Some(db) = self.db.upgrade() else { return };
        let unwanted = std::mem::take(&mut *self.outputs.lock());
        if self.id.is_none() && unwanted.is_empty() {
            return;
        }
        {
            let mut state = db.state.lock();
            for number in &unwanted {
                state.pending_outputs.remove(number);
            }
            if self.id.is_some() {
                self.release(&mut state);
                // Others may have been kept waiting by this one, and these files still want it.
                state.request_compaction(self.family.id());
            }
        }
        db.changed.notify_all();
        db.context.remove_tables(&unwanted);
    }
}
