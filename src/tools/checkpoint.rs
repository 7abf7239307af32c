//! Checkpoints: copies of an open database that share its tables by hard links.
//!
//! Everything is put into `<dir>.tmp`, made durable there, and renamed: a folder of the name that
//! was asked for is a whole database. What a crash leaves in the other one goes with the next
//! checkpoint of that name.

use super::copy::{Copy, CopyOptions, copy_file, sync_parent};
use crate::base::key::SequenceNumber;
use crate::base::status::{Code, Result, Status};
use crate::db::Db;
use crate::db::live_files::{Extent, FlushBefore, LiveFile};
use crate::env::file_system::{FileSystem, write_file};
use crate::env::names::FileType;
use crate::log_at;
use crate::stats::{Ticker, count};
use std::collections::HashSet;
use std::ffi::OsString;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

/// Bytes copied at once.
const BUFFER_SIZE: usize = 1 << 20;

/// Makes the folder `dir`, which must not exist, a database that holds what `db` holds at one
/// moment of the call; returns the newest sequence number in it. See [`FlushBefore`] for
/// `log_size_for_flush`.
///
/// Files are linked where the file system can, else copied.
pub fn create_checkpoint(db: &Db, dir: &Path, log_size_for_flush: u64) -> Result<SequenceNumber> {
    let fs = &**db.env().fs();
    // The root, say, has a name and exists.
    if !dir.as_os_str().is_empty() && fs.exists(dir)? {
        return Err(Status::invalid_argument("Directory exists"));
    }
    let (dir, staging) = folders(dir)?;
    log_at!(db.logger(), Info, "Checkpoint into {} begins", dir.display());
    clean(fs, &staging).map_err(|error| {
        Status::aborted(format!(
            "Failed to clean the temporary directory {} needed before checkpoint creation : {error}",
            staging.display()
        ))
    })?;
    let result = stage(db, &staging, log_size_for_flush)
        .and_then(|sequence| fs.rename(&staging, &dir).map(|()| sequence));
    match &result {
        Ok(sequence) => {
            sync_parent(fs, &dir)?;
            log_at!(db.logger(), Info, "Checkpoint of sequence number {sequence} is done");
        }
        Err(error) => {
            log_at!(db.logger(), Warn, "Checkpoint failed: {error}");
            // The error that matters is the first one.
            let _ = clean(fs, &staging);
        }
    }
    result
}

/// The folder without slashes at its end, and the one to work in.
fn folders(dir: &Path) -> Result<(PathBuf, PathBuf)> {
    let bytes = dir.as_os_str().as_bytes();
    let Some(last) = bytes.iter().rposition(|byte| *byte != b'/') else {
        return Err(Status::invalid_argument("invalid checkpoint directory name"));
    };
    let dir = OsString::from(std::ffi::OsStr::from_bytes(&bytes[..=last]));
    let mut staging = dir.clone();
    staging.push(".tmp");
    Ok((dir.into(), staging.into()))
}

/// Removes a folder and the files in it, if there is one.
fn clean(fs: &dyn FileSystem, dir: &Path) -> Result<()> {
    if !fs.exists(dir)? {
        return Ok(());
    }
    for name in fs.list(dir)? {
        fs.remove_file(&dir.join(name))?;
    }
    fs.remove_dir(dir)
}

fn stage(db: &Db, staging: &Path, log_size_for_flush: u64) -> Result<SequenceNumber> {
    let fs = &**db.env().fs();
    fs.create_dir(staging)?;
    let held = db.hold_files();
    let live = db.live_files(&held, FlushBefore::from_log_size(log_size_for_flush))?;
    one_folder(&live.files)?;
    let mut may_link = true;
    for file in &live.files {
        place(db, file, &staging.join(&file.name), &mut may_link)?;
    }
    drop(held);
    fs.open_dir(staging)?.sync()?;
    Ok(live.sequence)
}

/// A copy has one folder, so its original must not have several.
pub(super) fn one_folder(files: &[LiveFile]) -> Result<()> {
    let folders = files.iter().filter(|file| file.kind != FileType::Wal).map(|file| &file.dir);
    if folders.collect::<HashSet<_>>().len() > 1 {
        return Err(Status::not_supported(
            "db_paths / cf_paths not supported for Checkpoint nor BackupEngine",
        ));
    }
    Ok(())
}

/// Puts a file, durable, at `path`.
fn place(db: &Db, file: &LiveFile, path: &Path, may_link: &mut bool) -> Result<()> {
    let fs = &**db.env().fs();
    if let Extent::Content(content) = &file.extent {
        write_file(fs, path, content, true)?;
        count(db.statistics(), Ticker::CheckpointWriteBytes, content.len() as u64);
        return Ok(());
    }
    if file.extent == Extent::Whole && *may_link {
        match fs.link(&file.path(), path) {
            // Another device, or a file system without links.
            Err(error) if error.code() == Code::NotSupported => *may_link = false,
            result => return result,
        }
    }
    let copy = Copy { from: (fs, &file.path()), to: (fs, path), limit: Some(file.size) };
    let use_fsync = db.options().use_fsync;
    let options = CopyOptions { sync: true, use_fsync, buffer_size: BUFFER_SIZE };
    let copied = copy_file(&copy, options, &mut |_| Ok(()))?;
    count(db.statistics(), Ticker::CheckpointReadBytes, copied.size);
    count(db.statistics(), Ticker::CheckpointWriteBytes, copied.size);
    Ok(())
}

#[cfg(test)]
#[path = "checkpoint_tests.rs"]
mod tests;
