//! Several gets by one call, and the arrays it takes.

use super::db::Db;
use super::{Object, Text};
use crate::failure::{Failure, Result};
use std::ffi::c_char;
use std::ptr::{null, null_mut};

/// Reads sets of keys of one size.
pub struct MultiGet<'a> {
    db: &'a Db<'a>,
    /// All keys of the set, one behind the other.
    keys: Vec<u8>,
    key_size: usize,
    pointers: Vec<*const c_char>,
    /// The default column family, once it is needed.
    family: Object,
    sizes: Vec<usize>,
    errors: Vec<Text>,
    /// Without batching: the values and their lengths.
    values: Vec<Text>,
    lengths: Vec<usize>,
    /// With batching: the pinned values.
    pinned: Vec<Object>,
}

impl Drop for MultiGet<'_> {
    fn drop(&mut self) {
        if !self.family.is_null() {
            // Every library that has the handle can destroy it.
            let _ = self.db.engine.library.call("column_family_handle_destroy", self.family);
        }
    }
}

/// What a set of keys had.
#[derive(Default)]
pub struct Found {
    pub keys: u64,
    /// Of their values.
    pub bytes: usize,
}

impl<'a> MultiGet<'a> {
    /// For sets of `count` keys.
    pub fn new(db: &'a Db<'a>, count: usize, key_size: usize) -> MultiGet<'a> {
        MultiGet {
            db,
            keys: vec![0; count * key_size],
            key_size,
            pointers: vec![null(); count],
            family: null_mut(),
            sizes: vec![key_size; count],
            errors: vec![null_mut(); count],
            values: vec![null_mut(); count],
            lengths: vec![0; count],
            pinned: vec![null_mut(); count],
        }
    }

    /// The place for a key of the set.
    pub fn key(&mut self, i: usize) -> &mut [u8] {
        &mut self.keys[i * self.key_size..][..self.key_size]
    }

    fn point(&mut self) {
        for (i, pointer) in self.pointers.iter_mut().enumerate() {
            *pointer = self.keys[i * self.key_size..].as_ptr().cast();
        }
    }

    /// Copies the values out.
    pub fn get(&mut self) -> Result<Found> {
        let f = &self.db.engine.functions;
        let get = f.multi_get()?;
        self.point();
        // SAFETY: live objects, and arrays of as many elements as is said.
        unsafe {
            get(
                self.db.db,
                self.db.settings.read,
                self.sizes.len(),
                self.pointers.as_ptr(),
                self.sizes.as_ptr(),
                self.values.as_mut_ptr(),
                self.lengths.as_mut_ptr(),
                self.errors.as_mut_ptr(),
            );
        }
        self.check()?;
        let mut found = Found::default();
        for (value, len) in self.values.iter_mut().zip(&self.lengths) {
            if !value.is_null() {
                found.keys += 1;
                found.bytes += len;
                // SAFETY: the library gave the buffer to the caller; it is freed once.
                unsafe { (f.free)((*value).cast()) };
                *value = null_mut();
            }
        }
        Ok(found)
    }

    /// Pins the values where they are.
    pub fn get_batched(&mut self) -> Result<Found> {
        let f = &self.db.engine.functions;
        let get = f.batched_multi_get_cf()?;
        let (look, destroy) = (f.pinnableslice_value()?, f.pinnableslice_destroy()?);
        if self.family.is_null() {
            let family = f.get_default_column_family_handle()?;
            // SAFETY: a live database.
            self.family = unsafe { family(self.db.db) };
        }
        self.point();
        // SAFETY: as in `get`; the keys are not sorted.
        unsafe {
            get(
                self.db.db,
                self.db.settings.read,
                self.family,
                self.sizes.len(),
                self.pointers.as_ptr(),
                self.sizes.as_ptr(),
                self.pinned.as_mut_ptr(),
                self.errors.as_mut_ptr(),
                false,
            );
        }
        self.check()?;
        let mut found = Found::default();
        for pinned in &mut self.pinned {
            if !pinned.is_null() {
                let mut len = 0;
                // SAFETY: the pinned value is the caller's, and destroyed once.
                unsafe {
                    look(*pinned, &mut len);
                    destroy(*pinned);
                }
                *pinned = null_mut();
                found.keys += 1;
                found.bytes += len;
            }
        }
        Ok(found)
    }

    /// The first error of the set. The values are lost with it, as the program ends.
    fn check(&mut self) -> Result<()> {
        match self.errors.iter_mut().find(|error| !error.is_null()) {
            Some(error) => {
                let text = self.db.engine.take_text(std::mem::replace(error, null_mut()));
                Err(Failure::Error(text))
            }
            None => Ok(()),
        }
    }
}
