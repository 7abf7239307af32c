//! [`Jobs`]: how many background jobs may still hold the database.

use crate::base::sync::{Arc, Condvar, Mutex};

#[derive(Default)]
struct Count {
    jobs: usize,
    /// The database is closed.
    closed: bool,
}

/// Counts the jobs that exist, whether they run or wait. Outlives the database, so that a job can
/// give its place back after it let go of the database.
#[derive(Default)]
pub(super) struct Jobs {
    count: Mutex<Count>,
    /// Told when the count becomes 0.
    none: Condvar,
}

impl Jobs {
    /// A place for one more job.
    pub fn enter(self: &Arc<Self>) -> JobPlace {
        self.count.lock().jobs += 1;
        JobPlace(self.clone())
    }

    /// A place for one more job, unless [`close`](Jobs::close) has begun.
    pub fn try_enter(self: &Arc<Self>) -> Option<JobPlace> {
        let mut count = self.count.lock();
        if count.closed {
            return None;
        }
        count.jobs += 1;
        Some(JobPlace(self.clone()))
    }

    /// Lets no more jobs try to enter, and waits until none is left.
    pub fn close(&self) {
        let mut count = self.count.lock();
        count.closed = true;
        while count.jobs > 0 {
            self.none.wait(&mut count);
        }
    }
}

/// Held by a job. To be dropped behind all that the job has of the database.
pub(super) struct JobPlace(Arc<Jobs>);

impl Drop for JobPlace {
    fn drop(&mut self) {
        let mut count = self.0.count.lock();
        count.jobs -= 1;
        if count.jobs == 0 {
            self.0.none.notify_all();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::sync::thread;
    use std::time::Duration;

    #[test]
    fn waiting_ends_with_the_last_job() {
        let jobs = Arc::new(Jobs::default());
        let places = [jobs.enter(), jobs.enter()];
        let object = Arc::new(());
        let held = object.clone();
        let job = thread::spawn(move || {
            thread::sleep(Duration::from_millis(20));
            drop(held);
            drop(places);
        });
        jobs.close();
        assert!(jobs.try_enter().is_none());
        assert_eq!(Arc::strong_count(&object), 1);
        job.join().unwrap();
    }
}
