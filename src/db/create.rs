//! Creating a database.

use super::context::Context;
use crate::base::status::Result;
use crate::base::status::Status;
use crate::env::names::{FileType, parse_file_name};
use crate::log_at;
use crate::options::DbOptions;
use crate::version::version_set::{VersionSet, VersionSetOptions};

/// Makes the files of an empty database. Logs that lie around belong to a database whose CURRENT
/// was lost: they are not to be overwritten.
pub(super) fn create_database(context: &Context) -> Result<()> {
    log_at!(context.logger, Info, "Creating {}", context.dir.display());
    for name in context.list(&context.wal_dir)? {
        if let Some((_, FileType::Wal)) = parse_file_name(&name) {
            return Err(Status::corruption(format!(
                "While creating a new Db, wal_dir contains existing log file: : {name}"
            )));
        }
    }
    let options = version_set_options(&context.options);
    VersionSet::create(context.env.fs().clone(), &context.dir, &options, &context.db_id)
}

pub(super) fn version_set_options(options: &DbOptions) -> VersionSetOptions {
    VersionSetOptions {
        max_manifest_file_size: options.max_manifest_file_size,
        max_manifest_space_amp_pct: space_amp_pct(options),
        use_fsync: options.use_fsync,
        manifest_preallocation_size: match options.allow_fallocate {
            true => options.manifest_preallocation_size as u64,
            false => 0,
        },
        log_readahead_size: options.log_readahead_size,
        write_dbid_to_manifest: options.write_dbid_to_manifest,
        statistics: options.statistics.clone(),
    }
}

/// By how many per cent a MANIFEST may be longer than it was when it was written anew.
pub(super) fn space_amp_pct(options: &DbOptions) -> u32 {
    u32::try_from(options.max_manifest_space_amp_pct).unwrap_or(0)
}
