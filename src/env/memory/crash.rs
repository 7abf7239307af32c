//! What a crash may leave of a memory file system.

use super::file::{Change, Content, MemoryFile, apply, resize};
use super::{MemoryFileSystem, Shared};
use crate::base::random::Random;
use crate::base::sync::Arc;

/// What survives of the changes that were not synced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unsynced {
    /// Nothing.
    Lost,
    /// Everything.
    Kept,
    /// Those before a random moment.
    Prefix,
    /// Each at random, as when the system writes pages out in any order. A longer file may then
    /// have its new length but zeros in place of bytes.
    AnyOrder,
}

/// Into what parts a write may be torn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tear {
    /// None: it survives as a whole or not at all.
    Never,
    /// Sectors of 512 bytes, aligned in the file.
    Sector,
    /// Anywhere.
    Byte,
}

/// Which crash images are made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CrashPolicy {
    /// The fate of bytes; chosen for each file anew.
    pub data: Unsynced,
    /// The fate of names.
    pub names: Unsynced,
    /// How writes may be torn, under `Prefix` (the last one that survives) and `AnyOrder` (all).
    pub tear: Tear,
}

const SECTOR: usize = 512;

impl CrashPolicy {
    /// Only what was synced survives.
    pub const SYNCED_ONLY: CrashPolicy =
        CrashPolicy { data: Unsynced::Lost, names: Unsynced::Lost, tear: Tear::Never };

    /// Everything survives, as when only the process dies.
    pub const PROCESS_ONLY: CrashPolicy =
        CrashPolicy { data: Unsynced::Kept, names: Unsynced::Kept, tear: Tear::Never };

    /// Any policy.
    pub fn random(rng: &mut Random) -> CrashPolicy {
        use Unsynced::*;
        let all = [Lost, Kept, Prefix, AnyOrder];
        let tears = [Tear::Never, Tear::Sector, Tear::Byte];
        CrashPolicy {
            data: all[rng.below(4) as usize],
            names: all[rng.below(4) as usize],
            tear: tears[rng.below(3) as usize],
        }
    }
}

impl MemoryFileSystem {
    /// A file system as it may be found if the machine stopped now; everything in it is durable,
    /// and nothing is locked. The same operations, `rng` and `policy` give the same image.
    ///
    /// A [`MemoryFileSystem::volatile`] one knows only [`CrashPolicy::PROCESS_ONLY`], whatever the
    /// policy says.
    pub fn crash_image(&self, rng: &mut Random, policy: CrashPolicy) -> MemoryFileSystem {
        let Shared { tracked, implicit_folders, .. } = *self.shared;
        let _gate = self.shared.gate.write();
        let tree = self.shared.tree.lock();
        let mut names_rng = Random::new(rng.next_u64());
        let mut prefix_begun = false;
        // Asked newest first: a prefix is everything from the first change kept on.
        let keep = || {
            let one_in = 1 + names_rng.below(4);
            match policy.names {
                Unsynced::Lost => false,
                Unsynced::Kept => true,
                Unsynced::Prefix => {
                    prefix_begun |= names_rng.one_in(one_in);
                    prefix_begun
                }
                Unsynced::AnyOrder => names_rng.one_in(2),
            }
        };
        let copy = |file: &Arc<MemoryFile>| {
            let bytes = file.with(|content| {
                if tracked { survivor(content, rng, policy) } else { content.live.clone() }
            });
            Arc::new(MemoryFile::with_content(tracked, bytes))
        };
        let tree = tree.after_crash(keep, copy);
        MemoryFileSystem::with_tree(tracked, implicit_folders, tree)
    }
}

/// The bytes of a file after a crash.
fn survivor(content: &Content, rng: &mut Random, policy: CrashPolicy) -> Vec<u8> {
    match policy.data {
        Unsynced::Lost => content.durable.clone(),
        Unsynced::Kept => content.live.clone(),
        Unsynced::Prefix => prefix(content, rng, policy.tear),
        Unsynced::AnyOrder => any_order(content, rng, policy.tear),
    }
}

fn prefix(content: &Content, rng: &mut Random, tear: Tear) -> Vec<u8> {
    let mut bytes = content.durable.clone();
    let whole = rng.below(content.pending.len() as u64 + 1) as usize;
    for change in &content.pending[..whole] {
        redo(&mut bytes, change);
    }
    if let Some(Change::Write { offset, data }) = content.pending.get(whole) {
        let cut = rng.below(data.len() as u64 + 1) as usize;
        let kept = match tear {
            Tear::Never => 0,
            Tear::Byte => cut,
            // Down to the last sector boundary, if the write reaches one.
            Tear::Sector => ((offset + cut) / SECTOR * SECTOR).saturating_sub(*offset),
        };
        if kept > 0 {
            redo(&mut bytes, &Change::Write { offset: *offset, data: data[..kept].into() });
        }
    }
    bytes
}

fn any_order(content: &Content, rng: &mut Random, tear: Tear) -> Vec<u8> {
    let mut bytes = content.durable.clone();
    for change in &content.pending {
        match change {
            Change::SetLen(_) => {
                if rng.one_in(2) {
                    redo(&mut bytes, change);
                }
            }
            Change::Write { offset, data } => {
                let mut start = 0;
                while start < data.len() {
                    let left = data.len() - start;
                    let len = match tear {
                        Tear::Never => left,
                        Tear::Sector => left.min(SECTOR - (offset + start) % SECTOR),
                        Tear::Byte => 1 + rng.below(left as u64) as usize,
                    };
                    if rng.one_in(2) {
                        let data = data[start..start + len].into();
                        redo(&mut bytes, &Change::Write { offset: offset + start, data });
                    }
                    start += len;
                }
            }
        }
    }
    // The length can reach the disk before the bytes.
    if bytes.len() < content.live.len() && rng.one_in(4) {
        redo(&mut bytes, &Change::SetLen(content.live.len()));
    }
    bytes
}

/// Carries out a change that worked before; it fails only without memory, and is lost then.
fn redo(bytes: &mut Vec<u8>, change: &Change) {
    let _ = match change {
        Change::Write { offset, data } => apply(bytes, *offset, data),
        Change::SetLen(len) => resize(bytes, *len),
    };
}
