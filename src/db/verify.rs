//! Checking what is on the disk.

use super::Db;
use super::read::{check, table_options};
use crate::base::status::{Result, Status};
use crate::options::ReadOptions;
use crate::options::enums::IoActivity;
use crate::stats::activity::Activity;

impl Db {
    /// Reads every table of every column family from the disk, whatever is cached, and checks the
    /// checksum of every block. The first error is returned; it names the file.
    pub fn verify_checksums(&self, options: &ReadOptions) -> Result<()> {
        check(options, IoActivity::VERIFY_DB_CHECKSUM, "VerifyChecksum")?;
        let families: Vec<_> = self.families.load().iter().cloned().collect();
        // All versions first, so that what is checked is about the same moment.
        let versions: Vec<_> = families.iter().map(|f| f.persistent.current()).collect();
        let _reads = Activity::VerifyChecksum.enter();
        for (family, version) in families.iter().zip(&versions) {
            let mut options = table_options(family, options);
            options.cache_only = false;
            for (_, file) in version.all_files() {
                family.tables.verify(file, &options)?;
            }
        }
        Ok(())
    }

    /// Compares the checksums of whole files with those that the MANIFEST has of them. No
    /// generator of such checksums can be set, so that none can be computed.
    pub fn verify_file_checksums(&self, options: &ReadOptions) -> Result<()> {
        check(options, IoActivity::VERIFY_FILE_CHECKSUMS, "VerifyFileChecksums")?;
        Err(Status::invalid_argument(
            "Cannot verify file checksum if options.file_checksum_gen_factory is null",
        ))
    }
}
