//! An iterator.

use super::Object;
use super::db::Db;
use crate::failure::Result;

pub struct Iter<'a> {
    db: &'a Db<'a>,
    iter: Object,
}

impl Drop for Iter<'_> {
    fn drop(&mut self) {
        // SAFETY: destroyed once.
        unsafe { (self.db.engine.functions.iter_destroy)(self.iter) };
    }
}

impl<'a> Iter<'a> {
    pub fn new(db: &'a Db<'a>) -> Iter<'a> {
        let create = db.engine.functions.create_iterator;
        // SAFETY: live objects of this library.
        Iter { db, iter: unsafe { create(db.db, db.settings.read) } }
    }

    pub fn seek_to_first(&self) {
        // SAFETY: a live iterator of this library.
        unsafe { (self.db.engine.functions.iter_seek_to_first)(self.iter) };
    }

    pub fn seek_to_last(&self) {
        // SAFETY: as above.
        unsafe { (self.db.engine.functions.iter_seek_to_last)(self.iter) };
    }

    pub fn seek(&self, key: &[u8]) {
        let seek = self.db.engine.functions.iter_seek;
        // SAFETY: as above; the slice outlives the call.
        unsafe { seek(self.iter, key.as_ptr().cast(), key.len()) };
    }

    pub fn next(&self) {
        // SAFETY: as above.
        unsafe { (self.db.engine.functions.iter_next)(self.iter) };
    }

    pub fn prev(&self) {
        // SAFETY: as above.
        unsafe { (self.db.engine.functions.iter_prev)(self.iter) };
    }

    pub fn valid(&self) -> bool {
        // SAFETY: as above.
        unsafe { (self.db.engine.functions.iter_valid)(self.iter) != 0 }
    }

    /// The current key. The iterator is valid.
    pub fn key(&self) -> &[u8] {
        let mut len = 0;
        // SAFETY: as above; the key stays until the iterator moves, which no caller lets it do
        // while it looks at the key.
        unsafe {
            let key = (self.db.engine.functions.iter_key)(self.iter, &mut len);
            std::slice::from_raw_parts(key.cast(), len)
        }
    }

    /// The current value. The iterator is valid.
    pub fn value(&self) -> &[u8] {
        let mut len = 0;
        // SAFETY: as in `key`; an empty value may lie anywhere.
        unsafe {
            let value = (self.db.engine.functions.iter_value)(self.iter, &mut len);
            if len == 0 { &[] } else { std::slice::from_raw_parts(value.cast(), len) }
        }
    }

    /// The bytes of the current key and value together.
    pub fn entry_len(&self) -> usize {
        self.key().len() + self.value().len()
    }

    pub fn check(&self) -> Result<()> {
        let get = self.db.engine.functions.iter_get_error;
        // SAFETY: as above.
        self.db.engine.checked(|error| unsafe { get(self.iter, error) })
    }
}
