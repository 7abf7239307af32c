//! Files that want a compaction for themselves, however large their level is.

use super::levels::{last_level_with_files, may_exist_below};
use super::plan::CompactionReason;
use crate::base::key::SequenceNumber;
use crate::base::sync::Arc;
use crate::options::CfOptions;
use crate::options::enums::CompactionStyle;
use crate::version::file_meta::FileMeta;
use crate::version::version::Version;

/// Where a marked file goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Destination {
    /// It is rewritten where it is.
    SameLevel,
    /// To the next level; on the last one it is rewritten where it is.
    NextLevel,
    /// To the next level; on the last one it stays as it is.
    NextLevelIfAny,
}

/// Files that are marked for one reason.
pub(super) struct Marked {
    pub reason: CompactionReason,
    pub destination: Destination,
    /// (level, index), from level 0 on.
    pub files: Vec<(usize, usize)>,
}

/// The marked files by reason, in the order in which reasons are tried.
///
/// Universal style knows files that someone marked, and old ones.
///
/// `oldest_snapshot` is the oldest one that was held when a snapshot was last released (0 if none
/// was yet), and `now` the time in seconds since 1970. Rewrites for their age alone are due
/// `offpeak_lead` seconds ahead of time.
pub(super) fn marked_files(
    version: &Version,
    options: &CfOptions,
    oldest_snapshot: SequenceNumber,
    now: u64,
    offpeak_lead: u64,
) -> Vec<Marked> {
    if matches!(options.compaction_style, CompactionStyle::Fifo | CompactionStyle::None) {
        return Vec::new();
    }
    let is_leveled = options.compaction_style == CompactionStyle::Level;
    let last = last_level_with_files(version);
    let all = |reason, destination, wanted: &dyn Fn(usize, &Arc<FileMeta>) -> bool| {
        let mut files = Vec::new();
        for level in 0..version.num_levels() {
            let level_files = version.files(level).iter().enumerate();
            let idle = level_files.filter(|(_, file)| !file.is_being_compacted());
            files.extend(idle.filter(|(_, f)| wanted(level, f)).map(|(at, _)| (level, at)));
        }
        Marked { reason, destination, files }
    };
    let mut marked = vec![all(
        CompactionReason::FilesMarkedForCompaction,
        Destination::NextLevelIfAny,
        // What the last level holds should not move to a new level.
        &|level, file| file.is_suggested() && (level == 0 || level < last),
    )];
    if is_leveled && oldest_snapshot > 0 && !options.reserves_last_level {
        marked.push(all(
            CompactionReason::BottommostFiles,
            Destination::SameLevel,
            &|level, file| {
                let delay = u64::from(options.bottommost_file_compaction_delay);
                file.file_creation_time <= now.saturating_sub(delay)
                    && is_reclaimable(version, level, file, oldest_snapshot)
            },
        ));
    }
    if is_leveled && options.ttl > 0 {
        marked.push(all(CompactionReason::Ttl, Destination::NextLevelIfAny, &|level, file| {
            let born = file.oldest_key_time();
            level + 1 < version.num_levels() && born > 0 && born < now.saturating_sub(options.ttl)
        }));
    }
    if options.periodic_compaction_seconds > 0 {
        let limit = match now.checked_sub(options.periodic_compaction_seconds) {
            Some(limit) => limit.saturating_add(offpeak_lead),
            None => 0,
        };
        let destination = match options.level_compaction_dynamic_level_bytes {
            true => Destination::NextLevel,
            false => Destination::SameLevel,
        };
        marked.push(all(CompactionReason::PeriodicCompaction, destination, &|_, file| {
            let written = match file.file_creation_time {
                0 => file.oldest_key_time(),
                time => time,
            };
            written > 0 && written < limit
        }));
    }
    marked.retain(|marked| !marked.files.is_empty());
    marked
}

/// Whether a rewrite of a file that nothing older lies below would set its sequence numbers to 0
/// and drop its deletions.
fn is_reclaimable(
    version: &Version,
    level: usize,
    file: &Arc<FileMeta>,
    oldest_snapshot: SequenceNumber,
) -> bool {
    file.largest_seqno != 0
        && file.largest_seqno < oldest_snapshot
        // What a rewrite left in spite of that it will leave again.
        && file.cleaned_at() < oldest_snapshot
        && !has_older(version, level, file)
}

fn has_older(version: &Version, level: usize, file: &FileMeta) -> bool {
    let (first, last) = (file.smallest.user_key(), file.largest.user_key());
    may_exist_below(version, first, last, level, Some(file.number))
}

/// The lowest sequence number such that the release of all snapshots up to it could make a file
/// reclaimable that is not so with `oldest_snapshot`; `None` if there is no such file.
pub fn next_reclaimable(
    version: &Version,
    oldest_snapshot: SequenceNumber,
) -> Option<SequenceNumber> {
    let waiting = version.all_files().filter(|(level, file)| {
        file.largest_seqno != 0
            && file.largest_seqno >= oldest_snapshot
            && !has_older(version, *level, file)
    });
    waiting.map(|(_, file)| file.largest_seqno).min()
}
