//! [`Stop`]: the flags that end a rewrite early.

use crate::base::status::{Code, Result, Status, SubCode};
use crate::base::sync::{AtomicBool, Ordering};

/// Asked between records; each flag ends the work with its own error.
#[derive(Clone, Copy, Default)]
pub struct Stop<'a> {
    /// The database is closing.
    pub shutting_down: Option<&'a AtomicBool>,
    /// A user called this work off.
    pub canceled: Option<&'a AtomicBool>,
    /// The column family was dropped.
    pub dropped: Option<&'a AtomicBool>,
}

impl Stop<'_> {
    /// An error if any flag is up.
    #[inline]
    pub fn check(&self) -> Result<()> {
        let up = |flag: Option<&AtomicBool>| flag.is_some_and(|f| f.load(Ordering::Relaxed));
        if up(self.shutting_down) | up(self.canceled) | up(self.dropped) {
            return Err(self.reason());
        }
        Ok(())
    }

    #[cold]
    fn reason(&self) -> Status {
        let up = |flag: Option<&AtomicBool>| flag.is_some_and(|f| f.load(Ordering::Relaxed));
        if up(self.dropped) {
            Status::column_family_dropped("Column family dropped during compaction")
        } else if up(self.shutting_down) {
            Status::shutdown("Database shutdown")
        } else {
            Status::new(Code::Incomplete, "").with_subcode(SubCode::ManualCompactionPaused)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_flag_has_its_error() {
        let (off, on) = (AtomicBool::new(false), AtomicBool::new(true));
        assert!(Stop::default().check().is_ok());
        let text = |stop: Stop<'_>| stop.check().unwrap_err().to_string();
        let stop = Stop { shutting_down: Some(&on), canceled: Some(&off), dropped: Some(&off) };
        assert_eq!(text(stop), "Shutdown in progress: Database shutdown");
        let stop = Stop { shutting_down: Some(&off), canceled: Some(&on), dropped: None };
        assert_eq!(text(stop), "Result incomplete: Manual compaction paused");
        let stop = Stop { dropped: Some(&on), ..stop };
        assert!(text(stop).starts_with("Column family dropped: "));
    }
}
