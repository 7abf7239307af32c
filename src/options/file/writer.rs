//! Writing OPTIONS files.

use std::path::{Path, PathBuf};

use crate::base::status::Result;
use crate::env::file_system::{FileSystem, write_file};
use crate::env::names::{options_file_name, temp_options_file_name};
use crate::options::cf::CfOptions;
use crate::options::db::DbOptions;
use crate::options::file::ROCKSDB_VERSION;
use crate::options::table::Table;
use crate::options::text::escape;

const HEADER: &str = "\
# The options that this database was last opened with.
#
# Written by the engine at each open and each change; a new file replaces it. The format is that
# of RocksDB's OPTIONS files: name=value lines under sections, comments behind a hash.

";

/// Each option is a line of its own, indented; the text of a section ends with an indented empty
/// line, as RocksDB leaves it.
const DELIMITER: &str = "\n  ";

/// The text of an OPTIONS file. The column families are (name, options), the default one first.
pub fn options_text(db: &DbOptions, column_families: &[(&str, &CfOptions)]) -> String {
    let [major, minor, patch] = ROCKSDB_VERSION;
    let mut text = format!(
        "{HEADER}[Version]\n  rocksdb_version={major}.{minor}.{patch}\n  \
         options_file_version=1.1\n\n[DBOptions]\n  {}\n",
        db.to_text(DELIMITER)
    );
    for (name, options) in column_families {
        let name = escape(name);
        let factory = &options.table_factory;
        text += &format!("\n[CFOptions \"{name}\"]\n  {}\n", options.to_text(DELIMITER));
        text += &format!("[TableOptions/{} \"{name}\"]\n  ", factory.name());
        text += &factory.to_text(DELIMITER);
        text.push('\n');
    }
    text
}

/// Writes `OPTIONS-<number>` into the folder of the database, durably: under another name first,
/// which is then replaced. Returns its path.
pub fn write_options_file(
    fs: &dyn FileSystem,
    dir: &Path,
    number: u64,
    db: &DbOptions,
    column_families: &[(&str, &CfOptions)],
) -> Result<PathBuf> {
    let temp = temp_options_file_name(dir, number);
    let path = options_file_name(dir, number);
    write_file(fs, &temp, options_text(db, column_families).as_bytes(), true)?;
    if let Err(error) = fs.rename(&temp, &path) {
        // The error of the rename is the one that matters.
        let _ = fs.remove_file(&temp);
        return Err(error);
    }
    fs.open_dir(dir)?.sync()?;
    Ok(path)
}
