//! Point look-ups through a pinned view.

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

/// A value as the reader wants it.
pub trait Sink {
    /// Takes a value that lives in a memtable for as long as the view is held.
    fn take_slice(&mut self, value: &[u8]);

    /// Takes a value that lives in a block, which may be kept.
    fn take_block(&mut self, value: BlockValue<'_>, len: usize);
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

/// Looks `user_key` up as of `sequence`, with `skip_memtables` in the tables alone. Gives the value
/// to `sink`, if there is one; returns whether there is.
pub fn get(
    view: &SuperVersion,
    tables: &TableCache,
    user_key: &[u8],
    sequence: SequenceNumber,
    options: &TableReadOptions,
    skip_memtables: bool,
    sink: &mut impl Sink,
) -> Result<bool> {
    let key = LookupKey::new(user_key, sequence);
    if !skip_memtables {
        for mem in std::iter::once(&view.mem).chain(&view.imm) {
            if let Some(found) = get_from_memtable(mem, &key, sink)? {
                return Ok(found);
            }
        }
    }
    if view.version.num_files() == 0 {
        return Ok(false);
    }
    let comparator = view.version.comparator();
    if comparator.is_bytewise() {
        get_from_tables(view, tables, &Bytewise, &key, options, sink)
    } else {
        get_from_tables(view, tables, comparator, &key, options, sink)
    }
}

/// Whether the memtable says that the key has a value; `None` if it says nothing.
#[inline]
fn get_from_memtable(
    mem: &MemTable,
    key: &LookupKey,
    sink: &mut impl Sink,
) -> Result<Option<bool>> {
    let Some((_, value_type, stored)) = mem.get(key).next() else { return Ok(None) };
    match resolve(value_type, stored)? {
        Resolved::Value(value) => {
            sink.take_slice(value);
            Ok(Some(true))
        }
        Resolved::Deleted => Ok(Some(false)),
    }
}

fn get_from_tables<O: Order>(
    view: &SuperVersion,
    tables: &TableCache,
    order: &O,
    key: &LookupKey,
    options: &TableReadOptions,
    sink: &mut impl Sink,
) -> Result<bool> {
    let hash = KeyHash::of(key.user_key());
    let mut answer: Option<Result<bool>> = None;
    view.version.files_for_get(order, key, |_, file| {
        let table = tables.get(file)?;
        table.get(order, key, hash, options, |record, value| {
            answer = Some(take(record.value_type, value, sink));
            ControlFlow::Break(())
        })?;
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
