//! Options from strings: all at once, and on a database that is open.

use crate::base::status::{Code, Result, Status};
use crate::options::Options;
use crate::options::block_based::BlockBasedTableOptions;
use crate::options::cf::CfOptions;
use crate::options::db::DbOptions;
use crate::options::table::{Table, set_all};
use crate::options::text::{Pairs, Reading};

/// The error for a name that leads nowhere, if there is one.
pub(super) fn refuse(unknown: &[&str], how: &Reading) -> Result<()> {
    match unknown.first() {
        Some(name) if !how.ignore_unknown => {
            Err(Status::invalid_argument(format!("Extra option not recognized: {name}")))
        }
        _ => Ok(()),
    }
}

/// Sets the options that `pairs` names, all or none.
pub(super) fn set_known<S: Table>(options: &mut S, pairs: &Pairs, how: &Reading) -> Result<()> {
    let mut changed = options.clone();
    refuse(&set_all(&mut changed, pairs, how)?, how)?;
    *options = changed;
    Ok(())
}

impl Options {
    /// These options, changed as `text` says: `create_if_missing=true;write_buffer_size=1m;
    /// block_based_table_factory={block_size=8k}`.
    pub fn with_string(&self, text: &str) -> Result<Options> {
        let how = Reading::default();
        let mut options = self.clone();
        let pairs = &Pairs::parse(text)?;
        let unknown = set_all(&mut options.db, pairs, &how)?;
        let rest: Pairs = pairs
            .into_iter()
            .filter(|(name, _)| unknown.contains(&name.as_str()))
            .cloned()
            .collect();
        set_known(&mut options.cf, &rest, &how)?;
        Ok(options)
    }
}

impl DbOptions {
    /// These options, changed as `text` says.
    pub fn with_string(&self, text: &str) -> Result<DbOptions> {
        with_string(self, text)
    }

    /// The options of an open database, changed as `pairs` says. Only options that may change
    /// while it is open are known. The result is valid.
    pub fn with_live_changes(&self, pairs: &Pairs) -> Result<DbOptions> {
        let mut options = self.clone();
        for (name, _) in pairs {
            let known = DbOptions::ROWS.iter().any(|row| row.name == name && row.live);
            if !known && !DbOptions::DEPRECATED.contains(&name.as_str()) {
                let text = format!("Unrecognized option: {name}");
                return Err(Status::new(Code::NotFound, text));
            }
        }
        set_known(&mut options, pairs, &LIVE)?;
        options.validate()?;
        Ok(options)
    }
}

impl CfOptions {
    /// These options, changed as `text` says.
    pub fn with_string(&self, text: &str) -> Result<CfOptions> {
        with_string(self, text)
    }

    /// The options of an open column family of a database with the options `db`, changed as
    /// `pairs` says. An option that may not change while it is open is an error. The result is
    /// sanitized and valid.
    pub fn with_live_changes(&self, db: &DbOptions, pairs: &Pairs) -> Result<CfOptions> {
        let mut options = self.clone();
        set_known(&mut options, pairs, &LIVE)?;
        options.sanitize(db);
        options.validate(db)?;
        options.check_supported()?;
        Ok(options)
    }
}

impl BlockBasedTableOptions {
    /// These options, changed as `text` says.
    pub fn with_string(&self, text: &str) -> Result<BlockBasedTableOptions> {
        with_string(self, text)
    }
}

const LIVE: Reading = Reading { escaped: true, ignore_unknown: false, live_only: true };

fn with_string<S: Table>(options: &S, text: &str) -> Result<S> {
    let mut changed = options.clone();
    set_known(&mut changed, &Pairs::parse(text)?, &Reading::default())?;
    Ok(changed)
}
