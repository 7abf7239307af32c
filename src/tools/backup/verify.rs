//! Checking a backup.

use super::meta::BackupFile;
use super::{BackupEngine, ask, hex, layout};
use crate::base::status::{Result, Status};
use crate::log_at;
use crate::tools::copy::checksum_file;
use std::collections::HashMap;

impl BackupEngine {
    /// Checks that every file of a backup is there and has its size, and `with_checksums` that it
    /// has the right bytes.
    pub fn verify(&self, id: u32, with_checksums: bool) -> Result<()> {
        let state = self.state.read();
        if let Some(corrupt) = state.corrupt.get(&id) {
            return Err(corrupt.error.clone());
        }
        let Some(meta) = state.backups.get(&id) else { return Err(Status::not_found("")) };
        log_at!(self.logger, Info, "Verifying backup {id}");
        let mut sizes = HashMap::new();
        self.file_sizes(&layout::private_name(id), &mut sizes)?;
        self.file_sizes(layout::SHARED, &mut sizes)?;
        self.file_sizes(layout::SHARED_CHECKSUM, &mut sizes)?;
        for file in &meta.files {
            let path = self.dir.join(&file.name);
            let Some(&size) = sizes.get(&file.name) else {
                return Err(Status::not_found(format!("File missing: {}", path.display())));
            };
            if size != file.size {
                return Err(Status::corruption(format!(
                    "File corrupted: File size mismatch for {}: Expected file size is {} while \
                     found file size is {size}",
                    path.display(),
                    file.size
                )));
            }
        }
        if with_checksums {
            meta.files.iter().try_for_each(|f| self.verify_file(f))
        } else {
            Ok(())
        }
    }

    fn verify_file(&self, file: &BackupFile) -> Result<()> {
        let Some(expected) = file.crc else { return Ok(()) };
        let path = self.dir.join(&file.name);
        let limiter = self.backup_limiter.as_deref();
        let step = &mut |n| {
            ask(limiter, n, false);
            Ok(())
        };
        let found = checksum_file(self.fs(), &path, None, self.buffer_size(limiter), step)?;
        if found.crc == expected {
            return Ok(());
        }
        Err(Status::corruption(format!(
            "File corruption! Checksum mismatch for {}. Expected: {}, got: {}",
            path.display(),
            hex(expected),
            hex(found.crc)
        )))
    }
}
