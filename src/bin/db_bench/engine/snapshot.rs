//! A snapshot.

use super::Object;
use super::db::Db;

pub struct Snapshot<'a> {
    db: &'a Db<'a>,
    snapshot: Object,
}

impl<'a> Snapshot<'a> {
    pub fn new(db: &'a Db<'a>) -> Snapshot<'a> {
        // SAFETY: a live database.
        Snapshot { db, snapshot: unsafe { (db.engine.functions.create_snapshot)(db.db) } }
    }
}

impl Drop for Snapshot<'_> {
    fn drop(&mut self) {
        // SAFETY: released once, while the database is open.
        unsafe { (self.db.engine.functions.release_snapshot)(self.db.db, self.snapshot) };
    }
}
