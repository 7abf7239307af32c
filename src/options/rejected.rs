//! [`Rejected`]: option values that no function could report when they were set.

use crate::base::status::{Result, Status};

/// What is wrong with options that were set to something impossible. C's setters return nothing,
/// so the options remember, and using them is the error. A good value later clears it.
#[derive(Clone, Debug, Default)]
pub struct Rejected(Vec<(&'static str, String)>);

impl Rejected {
    /// Remembers why the value given to `option` is none.
    pub fn set(&mut self, option: &'static str, reason: impl Into<String>) {
        self.clear(option);
        self.0.push((option, reason.into()));
    }

    /// Forgets about `option`.
    pub fn clear(&mut self, option: &str) {
        self.0.retain(|(name, _)| *name != option);
    }

    /// The error for the first option that was set so.
    pub fn check(&self) -> Result<()> {
        match self.0.first() {
            Some((option, reason)) => Err(Status::invalid_argument(format!("{option}: {reason}"))),
            None => Ok(()),
        }
    }
}
