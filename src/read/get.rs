//! Point look-ups through a pinned view.

use super::cover::Cover;
use super::super_version::SuperVersion;
use super::value::{Resolved, resolve};
use crate::base::comparator::{Bytewise, Order};
use crate::base::key::{LookupKey, SequenceNumber, ValueType};
use crate::base::status::Result;
use crate::memtable::MemTable;
use crate::table::filter::KeyHash;
use crate::table::{BlockValue, PinnedValue, TableReadOptions};
use crate::version::table_cache::TableCache;
use std::ops::ControlFlow;

/// Where a look-up searches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// In a memtable.
    Memtable,
    /// No longer in memtables.
    Tables,
    /// In a table of this level.
    Level(usize),
}

/// A value as the reader wants it.
pub trait Sink {
    /// Takes a value that lives in a memtable for as long as the view is held.
    fn take_slice(&mut self, value: &[u8]);

    /// Takes a value that lives in a block, which may be kept.
    fn take_block(&mut self, value: BlockValue<'_>, len: usize);

    /// Hears where the look-up goes on. Most do not care.
    #[inline]
    fn searches(&mut self, place: Place) {
        let _ = place;
    }
}

/// A value that was found, kept without a copy where it stood in a block.
#[derive(Default)]
pub enum FoundValue {
    /// None yet.
    #[default]
    Nothing,
    /// A copy.
    Copied(Vec<u8>),
    /// The first bytes of a value in a block.
    Pinned(PinnedValue, usize),
}

impl FoundValue {
    /// The value; empty if there is none.
    pub fn as_slice(&self) -> &[u8] {
        match self {
            FoundValue::Nothing => &[],
            FoundValue::Copied(bytes) => bytes,
            FoundValue::Pinned(pin, len) => &pin.as_slice()[..*len],
        }
    }
}

impl Sink for FoundValue {
    fn take_slice(&mut self, value: &[u8]) {
        *self = FoundValue::Copied(value.to_vec());
    }

    fn take_block(&mut self, value: BlockValue<'_>, len: usize) {
        *self = FoundValue::Pinned(value.pin(), len);
    }
}

/// What a look-up searches, and how.
#[derive(Clone, Copy)]
pub struct PointRead<'v> {
    /// The memtables and tables.
    pub view: &'v SuperVersion,
    /// Opens the tables.
    pub tables: &'v TableCache,
    /// How tables are read.
    pub options: &'v TableReadOptions,
    /// Look at tables alone.
    pub skip_memtables: bool,
    /// Find what range deletions deleted.
    pub ignore_tombstones: bool,
}

/// Looks `user_key` up as of `sequence`. Gives the value to `sink`, if there is one; returns
/// whether there is.
pub fn get(
    read: &PointRead<'_>,
    user_key: &[u8],
    sequence: SequenceNumber,
    sink: &mut impl Sink,
) -> Result<bool> {
    let key = LookupKey::new(user_key, sequence);
    let mut cover = Cover::default();
    let view = read.view;
    if !read.skip_memtables {
        for mem in std::iter::once(&view.mem).chain(&view.imm) {
            sink.searches(Place::Memtable);
            if !read.ignore_tombstones
                && let Some(tombstones) = mem.range_tombstones()?
            {
                cover.meet(mem.comparator(), &key, &tombstones);
            }
            if let Some(found) = get_from_memtable(mem, &key, cover, sink)? {
                return Ok(found);
            }
            if cover.hides_the_rest() {
                return Ok(false);
            }
        }
    }
    sink.searches(Place::Tables);
    if view.version.num_files() == 0 {
        return Ok(false);
    }
    let comparator = view.version.comparator();
    if comparator.is_bytewise() {
        get_from_tables(read, &Bytewise, &key, sink)
    } else {
        get_from_tables(read, comparator, &key, sink)
    }
}

/// Whether the memtable says that the key has a value; `None` if it says nothing.
#[inline]
fn get_from_memtable(
    mem: &MemTable,
    key: &LookupKey,
    cover: Cover,
    sink: &mut impl Sink,
) -> Result<Option<bool>> {
    let Some((sequence, value_type, stored)) = mem.get(key).next() else { return Ok(None) };
    if cover.hides(sequence) {
        return Ok(Some(false));
    }
    match resolve(value_type, stored)? {
        Resolved::Value(value) => {
            sink.take_slice(value);
            Ok(Some(true))
        }
        Resolved::Deleted => Ok(Some(false)),
    }
}

fn get_from_tables<O: Order>(
    read: &PointRead<'_>,
    order: &O,
    key: &LookupKey,
    sink: &mut impl Sink,
) -> Result<bool> {
    let mut cover = Cover::default();
    let hash = KeyHash::of(key.user_key());
    let mut answer: Option<Result<bool>> = None;
    read.view.version.files_for_get(order, key, |level, file| {
        sink.searches(Place::Level(level));
        let table = read.tables.get(file)?;
        if let Some(tombstones) = table.range_tombstones().filter(|_| !read.ignore_tombstones) {
            cover.meet(order, key, tombstones);
        }
        table.get(order, key, hash, read.options, |record, value| {
            answer = Some(match cover.hides(record.sequence) {
                true => Ok(false),
                false => take(record.value_type, value, sink),
            });
            ControlFlow::Break(())
        })?;
        if cover.hides_the_rest() {
            answer.get_or_insert(Ok(false));
        }
        Ok(if answer.is_some() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) })
    })?;
    answer.unwrap_or(Ok(false))
}

fn take(value_type: ValueType, value: BlockValue<'_>, sink: &mut impl Sink) -> Result<bool> {
    let len = match resolve(value_type, &value)? {
        Resolved::Value(plain) => plain.len(),
        Resolved::Deleted => return Ok(false),
    };
    sink.take_block(value, len);
    Ok(true)
}
