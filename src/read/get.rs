//! Point look-ups through a pinned view.

use super::cover::Cover;
use super::search::Search;
use super::super_version::SuperVersion;
use crate::base::comparator::{Bytewise, Order};
use crate::base::key::{LookupKey, SequenceNumber};
use crate::base::status::Result;
use crate::plug::merge_operator::SharedMergeOperator;
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

    /// Takes a value that was made of merge operands.
    fn take_merged(&mut self, value: Vec<u8>);

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
    /// A copy, or the result of a merge.
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

    fn take_merged(&mut self, value: Vec<u8>) {
        *self = FoundValue::Copied(value);
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
    /// Joins merge operands.
    pub merge_operator: &'v SharedMergeOperator,
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
    let view = read.view;
    let mut cover = Cover::default();
    let mut search = Search::new(user_key, read.merge_operator);
    if !read.skip_memtables {
        for mem in std::iter::once(&view.mem).chain(&view.imm) {
            sink.searches(Place::Memtable);
            if !read.ignore_tombstones
                && let Some(tombstones) = mem.range_tombstones()?
            {
                cover.meet(mem.comparator(), &key, &tombstones);
            }
            if mem.is_guarded() {
                mem.verify(&key)?;
            }
            if let Some(answer) = search.memtable(mem, &key, cover, sink) {
                return answer;
            }
            if cover.hides_the_rest() {
                return search.end(sink);
            }
        }
    }
    sink.searches(Place::Tables);
    if view.version.num_files() > 0 {
        let comparator = view.version.comparator();
        let answer = if comparator.is_bytewise() {
            search_tables(read, &Bytewise, &key, &mut search, sink)?
        } else {
            search_tables(read, comparator, &key, &mut search, sink)?
        };
        if let Some(answer) = answer {
            return answer;
        }
    }
    search.end(sink)
}

fn search_tables<O: Order>(
    read: &PointRead<'_>,
    order: &O,
    key: &LookupKey,
    search: &mut Search<'_>,
    sink: &mut impl Sink,
) -> Result<Option<Result<bool>>> {
    let mut cover = Cover::default();
    let hash = KeyHash::of(key.user_key());
    let mut answer: Option<Result<bool>> = None;
    let go_on = |answer: &Option<_>| match answer {
        Some(_) => ControlFlow::Break(()),
        None => ControlFlow::Continue(()),
    };
    let mut last_level = None;
    read.view.version.files_for_get(order, key, |level, file| {
        // Another file of the same sorted level may hold records that are newer than a tombstone.
        if cover.hides_the_rest() && (level == 0 || last_level != Some(level)) {
            answer = Some(search.end(sink));
            return Ok(ControlFlow::Break(()));
        }
        last_level = Some(level);
        sink.searches(Place::Level(level));
        let table = read.tables.get(file)?;
        if let Some(tombstones) = table.range_tombstones().filter(|_| !read.ignore_tombstones) {
            cover.meet(order, key, tombstones);
        }
        table.get(order, key, hash, read.options, |record, value| {
            answer = match cover.hides(record.sequence) {
                true => Some(search.end(sink)),
                false => search.in_block(record.value_type, value, sink),
            };
            go_on(&answer)
        })?;
        Ok(go_on(&answer))
    })?;
    Ok(answer)
}
