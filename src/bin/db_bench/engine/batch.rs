//! A write batch.

use super::Object;
use super::db::Db;
use crate::failure::Result;

pub struct Batch<'a> {
    db: &'a Db<'a>,
    batch: Object,
}

impl Drop for Batch<'_> {
    fn drop(&mut self) {
        // SAFETY: destroyed once.
        unsafe { (self.db.engine.functions.writebatch_destroy)(self.batch) };
    }
}

impl<'a> Batch<'a> {
    pub fn new(db: &'a Db<'a>) -> Batch<'a> {
        // SAFETY: a creator without arguments.
        Batch { db, batch: unsafe { (db.engine.functions.writebatch_create)() } }
    }

    pub fn put(&self, key: &[u8], value: &[u8]) {
        let put = self.db.engine.functions.writebatch_put;
        let (k, v) = (key.as_ptr().cast(), value.as_ptr().cast());
        // SAFETY: a live batch, and slices that outlive the call.
        unsafe { put(self.batch, k, key.len(), v, value.len()) };
    }

    pub fn delete(&self, key: &[u8]) {
        let delete = self.db.engine.functions.writebatch_delete;
        // SAFETY: as in `put`.
        unsafe { delete(self.batch, key.as_ptr().cast(), key.len()) };
    }

    /// Deletes the keys from `begin` up to, without, `end`.
    pub fn delete_range(&self, begin: &[u8], end: &[u8]) -> Result<()> {
        let delete = self.db.engine.functions.writebatch_delete_range()?;
        let (b, e) = (begin.as_ptr().cast(), end.as_ptr().cast());
        // SAFETY: as in `put`.
        unsafe { delete(self.batch, b, begin.len(), e, end.len()) };
        Ok(())
    }

    /// Writes and empties the batch.
    pub fn commit(&self, sync: bool) -> Result<()> {
        let f = &self.db.engine.functions;
        let options = self.db.write_options(sync);
        let (engine, db) = (self.db.engine, self.db.db);
        // SAFETY: live objects of this library.
        engine.checked(|error| unsafe { (f.write)(db, options, self.batch, error) })?;
        // SAFETY: as above.
        unsafe { (f.writebatch_clear)(self.batch) };
        Ok(())
    }
}
