//! [`Rejected`]: option values that no function could report when they were set.

use crate::base::status::{Result, Status};

/// The options that were set to numbers which stand for nothing. C's setters return nothing, so
/// the options remember, and using them is the error. A good value later clears it.
#[derive(Clone, Debug, Default)]
pub struct Rejected(Vec<(&'static str, i32)>);

impl Rejected {
    /// Remembers that `option` was set to `number`.
    pub fn set(&mut self, option: &'static str, number: i32) {
        self.clear(option);
        self.0.push((option, number));
    }

    /// Forgets about `option`.
    pub fn clear(&mut self, option: &str) {
        self.0.retain(|(name, _)| *name != option);
    }

    /// The error for the first option that was set so.
    pub fn check(&self) -> Result<()> {
        match self.0.first() {
            Some((option, number)) => {
                Err(Status::invalid_argument(format!("{option}: there is no value {number}")))
            }
            None => Ok(()),
        }
    }
}
