//! [`WriteBatch`]: a batch being built.

use super::HEADER_LEN;
use super::content::ContentFlags;
use super::record::{BatchView, Records};
use crate::base::coding::{fixed32, fixed64, put_varint32, varint_len};
use crate::base::hash::{hash64_of_pieces, hash64_seeded};
use crate::base::key::{SequenceNumber, TRAILER_LEN, ValueType};
use crate::base::record_sum::RecordSum;
use crate::base::status::{Code, Result, Status, SubCode};

/// The longest key: with the trailer of an internal key its length must still fit 32 bits.
pub const MAX_KEY_LEN: usize = u32::MAX as usize - TRAILER_LEN;
/// The longest value.
pub const MAX_VALUE_LEN: usize = u32::MAX as usize;

/// A key or value in one piece (`[u8]`) or in several (`[&[u8]]`), which are stored one behind
/// the other without being joined elsewhere first.
pub trait Bytes {
    /// The length of all pieces together; `usize::MAX` if it does not fit.
    fn byte_len(&self) -> usize;
    /// Appends the pieces to `out`.
    fn append_to(&self, out: &mut Vec<u8>);
    /// XXH3 of all pieces together.
    fn hash(&self, seed: u64) -> u64;
}

impl Bytes for [u8] {
    #[inline]
    fn byte_len(&self) -> usize {
        self.len()
    }

    #[inline]
    fn append_to(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(self);
    }

    fn hash(&self, seed: u64) -> u64 {
        hash64_seeded(self, seed)
    }
}

impl Bytes for [&[u8]] {
    fn byte_len(&self) -> usize {
        self.iter().fold(0, |sum, piece| sum.saturating_add(piece.len()))
    }

    fn append_to(&self, out: &mut Vec<u8>) {
        for piece in self {
            out.extend_from_slice(piece);
        }
    }

    fn hash(&self, seed: u64) -> u64 {
        hash64_of_pieces(self, seed)
    }
}

/// What a batch goes back to.
#[derive(Clone, Copy, Debug)]
struct SavePoint {
    len: usize,
    count: u32,
    content: ContentFlags,
    sound: bool,
}

/// Writes that are applied together or not at all, in the order in which they were added.
///
/// Every adding method leaves the batch as it was when it fails: `Invalid argument` for a key or
/// value that is too long, `Operation aborted: Memory limit reached` beyond
/// [`set_max_bytes`](Self::set_max_bytes) or when memory runs out. `cf` is a column family's id.
#[derive(Clone, Debug)]
pub struct WriteBatch {
    rep: Vec<u8>,
    content: ContentFlags,
    save_points: Vec<SavePoint>,
    /// 0: no limit.
    max_bytes: usize,
    /// Why the bytes given to [`WriteBatch::from_data`] are no batch.
    defect: Option<Status>,
    /// The checksums of all counted records, if it is protected.
    sums: Option<Vec<RecordSum>>,
}

/// The place of a batch that was moved out ([`WriteBatch::lend`]).
pub struct Lent<'a> {
    home: &'a mut WriteBatch,
}

impl Lent<'_> {
    /// Moves the batch back.
    #[inline]
    pub fn put_back(self, batch: WriteBatch) {
        *self.home = batch;
    }
}

impl Drop for Lent<'_> {
    #[inline]
    fn drop(&mut self) {
        if self.home.rep.is_empty() {
            *self.home = WriteBatch::new();
        }
    }
}

impl Default for WriteBatch {
    fn default() -> Self {
        WriteBatch::new()
    }
}

impl WriteBatch {
    /// An empty batch.
    pub fn new() -> WriteBatch {
        WriteBatch::with_reserved(0)
    }

    /// An empty batch with room for `bytes` bytes, header included.
    pub fn with_reserved(bytes: usize) -> WriteBatch {
        let mut rep = Vec::new();
        // What does not fit now may yet when it is needed.
        let _ = rep.try_reserve(bytes.max(HEADER_LEN));
        rep.resize(HEADER_LEN, 0);
        WriteBatch {
            rep,
            content: ContentFlags::empty(),
            save_points: Vec::new(),
            max_bytes: 0,
            defect: None,
            sums: None,
        }
    }

    /// Moves the batch out for as long as somebody has to own it. Nothing is allocated for what
    /// stays in its place; without [`Lent::put_back`] that becomes an empty batch.
    #[inline]
    pub fn lend(&mut self) -> (WriteBatch, Lent<'_>) {
        let nothing = WriteBatch {
            rep: Vec::new(),
            content: ContentFlags::empty(),
            save_points: Vec::new(),
            max_bytes: 0,
            defect: None,
            sums: None,
        };
        (std::mem::replace(self, nothing), Lent { home: self })
    }

    /// A batch that holds `data`, which may come from anywhere. What is wrong with it shows in
    /// [`check`](Self::check) and [`records`](Self::records), as RocksDB's constructor from bytes
    /// reports nothing either.
    pub fn from_data(data: &[u8]) -> WriteBatch {
        let mut batch = WriteBatch::with_reserved(data.len());
        batch.rep.clear();
        batch.rep.extend_from_slice(data);
        let (content, defect) = inspect(data);
        batch.content = content;
        batch.defect = defect;
        batch
    }

    /// Empties the batch, save points included; keeps its memory, its limit and whether it is
    /// protected.
    pub fn clear(&mut self) {
        self.rep.clear();
        self.rep.resize(HEADER_LEN, 0);
        self.content = ContentFlags::empty();
        self.save_points.clear();
        self.defect = None;
        if let Some(sums) = &mut self.sums {
            sums.clear();
        }
    }

    /// Whether the batch can be applied: an error for malformed bytes that came in through
    /// [`WriteBatch::from_data`] or [`append`](Self::append). Constant time.
    pub fn check(&self) -> Result<()> {
        match &self.defect {
            None => Ok(()),
            Some(status) => Err(status.clone()),
        }
    }

    /// The whole batch, header included.
    #[inline]
    pub fn data(&self) -> &[u8] {
        &self.rep
    }

    /// How many records are counted, which is how many sequence numbers the batch takes.
    #[inline]
    pub fn count(&self) -> u32 {
        if self.has_header() { fixed32(&self.rep[8..]) } else { 0 }
    }

    /// Whether the batch holds no record of any kind.
    pub fn is_empty(&self) -> bool {
        self.rep.len() <= HEADER_LEN
    }

    /// The sequence number of the first counted record; 0 before it was set.
    pub fn sequence(&self) -> SequenceNumber {
        if self.has_header() { fixed64(&self.rep) } else { 0 }
    }

    /// Sets the sequence number of the first counted record.
    pub fn set_sequence(&mut self, sequence: SequenceNumber) {
        if self.has_header() {
            self.rep[..8].copy_from_slice(&sequence.to_le_bytes());
        }
    }

    /// The kinds of records in the batch.
    #[inline]
    pub fn content(&self) -> ContentFlags {
        self.content
    }

    /// Refuses records that would make the batch longer than `bytes`, header included; 0 allows
    /// any length.
    pub fn set_max_bytes(&mut self, bytes: usize) {
        self.max_bytes = bytes;
    }

    /// The batch as a view; an error if it was made from fewer bytes than a header has.
    #[inline]
    pub fn view(&self) -> Result<BatchView<'_>> {
        BatchView::new(&self.rep)
    }

    /// Its records, first to last; see [`Records`].
    #[inline]
    pub fn records(&self) -> Result<Records<'_>> {
        Ok(self.view()?.records())
    }

    /// Sets `key` to `value`.
    #[inline]
    pub fn put(&mut self, cf: u32, key: &[u8], value: &[u8]) -> Result<()> {
        self.add_pair(&PUT, cf, key, value)
    }

    /// [`put`](Self::put) with key and value in pieces.
    pub fn putv(&mut self, cf: u32, key: &[&[u8]], value: &[&[u8]]) -> Result<()> {
        self.add_pair(&PUT, cf, key, value)
    }

    /// Adds the operand `value` to `key`.
    #[inline]
    pub fn merge(&mut self, cf: u32, key: &[u8], value: &[u8]) -> Result<()> {
        self.add_pair(&MERGE, cf, key, value)
    }

    /// [`merge`](Self::merge) with key and operand in pieces.
    pub fn mergev(&mut self, cf: u32, key: &[&[u8]], value: &[&[u8]]) -> Result<()> {
        self.add_pair(&MERGE, cf, key, value)
    }

    /// Deletes `key`.
    #[inline]
    pub fn delete(&mut self, cf: u32, key: &[u8]) -> Result<()> {
        self.add_key(&DELETE, cf, key)
    }

    /// [`delete`](Self::delete) with the key in pieces.
    pub fn deletev(&mut self, cf: u32, key: &[&[u8]]) -> Result<()> {
        self.add_key(&DELETE, cf, key)
    }

    /// Deletes `key`, which was put at most once since it was last deleted.
    pub fn single_delete(&mut self, cf: u32, key: &[u8]) -> Result<()> {
        self.add_key(&SINGLE_DELETE, cf, key)
    }

    /// [`single_delete`](Self::single_delete) with the key in pieces.
    pub fn single_deletev(&mut self, cf: u32, key: &[&[u8]]) -> Result<()> {
        self.add_key(&SINGLE_DELETE, cf, key)
    }

    /// Deletes the keys from `begin` up to, not including, `end`.
    pub fn delete_range(&mut self, cf: u32, begin: &[u8], end: &[u8]) -> Result<()> {
        self.add_range(cf, begin, end)
    }

    /// [`delete_range`](Self::delete_range) with both keys in pieces.
    pub fn delete_rangev(&mut self, cf: u32, begin: &[&[u8]], end: &[&[u8]]) -> Result<()> {
        self.add_range(cf, begin, end)
    }

    /// Adds bytes that the WAL carries and the database ignores.
    pub fn put_log_data(&mut self, data: &[u8]) -> Result<()> {
        check_len(data.len(), MAX_VALUE_LEN, "log data is too large")?;
        self.begin(ValueType::LogData, 0, field_len(data), 0)?;
        self.push_field(data);
        Ok(())
    }

    /// Adds the records of `other` behind this batch's own, and its count. Sequence number and
    /// save points stay as they are, and the limit does not apply, as in RocksDB. An error, and no
    /// change, if `other` has no header or memory runs out.
    pub fn append(&mut self, other: &WriteBatch) -> Result<()> {
        self.require_header()?;
        let view = other.view()?;
        let count = self.added_count(view.count())?;
        let records = &view.data()[HEADER_LEN..];
        self.reserve(records.len())?;
        let sums = self.sums_with(other)?;
        self.rep.extend_from_slice(records);
        self.set_count(count);
        self.content |= other.content;
        if self.defect.is_none() {
            self.defect.clone_from(&other.defect);
        }
        self.sums = sums;
        Ok(())
    }

    /// Remembers the present state.
    pub fn set_save_point(&mut self) {
        self.save_points.push(SavePoint {
            len: self.rep.len(),
            count: self.count(),
            content: self.content,
            sound: self.defect.is_none(),
        });
    }

    /// Drops what was added since the latest save point, and the save point; `NotFound` if there
    /// is none.
    pub fn rollback_to_save_point(&mut self) -> Result<()> {
        let Some(point) = self.save_points.pop() else { return Err(Status::not_found("")) };
        if point.len < self.rep.len() {
            self.rep.truncate(point.len);
            self.set_count(point.count);
            self.content = point.content;
            if let Some(sums) = &mut self.sums {
                sums.truncate(point.count as usize);
            }
            if point.sound {
                self.defect = None;
            }
        }
        Ok(())
    }

    /// Forgets the latest save point and keeps what was added since; `NotFound` if there is none.
    pub fn pop_save_point(&mut self) -> Result<()> {
        match self.save_points.pop() {
            Some(_) => Ok(()),
            None => Err(Status::not_found("")),
        }
    }

    #[inline]
    fn add_pair<B: Bytes + ?Sized>(
        &mut self,
        kind: &Kind,
        cf: u32,
        key: &B,
        value: &B,
    ) -> Result<()> {
        check_len(key.byte_len(), MAX_KEY_LEN, "key is too large")?;
        check_len(value.byte_len(), MAX_VALUE_LEN, "value is too large")?;
        self.begin_counted(kind, cf, field_len(key).saturating_add(field_len(value)))?;
        self.push_field(key);
        self.push_field(value);
        if self.sums.is_some() {
            self.push_sum(kind, cf, key, value);
        }
        Ok(())
    }

    #[inline]
    fn add_key<B: Bytes + ?Sized>(&mut self, kind: &Kind, cf: u32, key: &B) -> Result<()> {
        check_len(key.byte_len(), MAX_KEY_LEN, "key is too large")?;
        self.begin_counted(kind, cf, field_len(key))?;
        self.push_field(key);
        if self.sums.is_some() {
            self.push_sum::<B, [u8]>(kind, cf, key, &[]);
        }
        Ok(())
    }

    fn add_range<B: Bytes + ?Sized>(&mut self, cf: u32, begin: &B, end: &B) -> Result<()> {
        check_len(begin.byte_len(), MAX_KEY_LEN, "key is too large")?;
        check_len(end.byte_len(), MAX_KEY_LEN, "end key is too large")?;
        self.begin_counted(&DELETE_RANGE, cf, field_len(begin).saturating_add(field_len(end)))?;
        self.push_field(begin);
        self.push_field(end);
        if self.sums.is_some() {
            self.push_sum(&DELETE_RANGE, cf, begin, end);
        }
        Ok(())
    }
}

/// The tags of one kind of counted record.
struct Kind {
    plain: ValueType,
    with_cf: ValueType,
    content: ContentFlags,
}

const PUT: Kind = Kind {
    plain: ValueType::Value,
    with_cf: ValueType::ColumnFamilyValue,
    content: ContentFlags::PUT,
};
const MERGE: Kind = Kind {
    plain: ValueType::Merge,
    with_cf: ValueType::ColumnFamilyMerge,
    content: ContentFlags::MERGE,
};
const DELETE: Kind = Kind {
    plain: ValueType::Deletion,
    with_cf: ValueType::ColumnFamilyDeletion,
    content: ContentFlags::DELETE,
};
const SINGLE_DELETE: Kind = Kind {
    plain: ValueType::SingleDeletion,
    with_cf: ValueType::ColumnFamilySingleDeletion,
    content: ContentFlags::SINGLE_DELETE,
};
const DELETE_RANGE: Kind = Kind {
    plain: ValueType::RangeDeletion,
    with_cf: ValueType::ColumnFamilyRangeDeletion,
    content: ContentFlags::DELETE_RANGE,
};

/// The low-level steps of adding.
impl WriteBatch {
    #[inline]
    fn has_header(&self) -> bool {
        self.rep.len() >= HEADER_LEN
    }

    #[inline]
    fn require_header(&self) -> Result<()> {
        self.view().map(|_| ())
    }

    /// Starts a counted record whose fields take `fields` bytes.
    #[inline]
    fn begin_counted(&mut self, kind: &Kind, cf: u32, fields: usize) -> Result<()> {
        let tag = if cf == 0 { kind.plain } else { kind.with_cf };
        if let Some(sums) = &mut self.sums {
            sums.try_reserve(1).map_err(|_| memory_limit())?;
        }
        self.begin(tag, cf, fields, 1)?;
        self.content |= kind.content;
        Ok(())
    }

    /// Makes room for a record, counts it, and writes what precedes its fields. Nothing that
    /// follows can fail.
    #[inline]
    fn begin(&mut self, tag: ValueType, cf: u32, fields: usize, counted: u32) -> Result<()> {
        self.require_header()?;
        let count = self.added_count(counted)?;
        let cf_len = if cf == 0 { 0 } else { varint_len(u64::from(cf)) };
        let len = fields.saturating_add(1 + cf_len);
        if self.max_bytes != 0 && self.rep.len().saturating_add(len) > self.max_bytes {
            return Err(memory_limit());
        }
        self.reserve(len)?;
        self.set_count(count);
        self.rep.push(tag as u8);
        if cf != 0 {
            put_varint32(&mut self.rep, cf);
            self.content |= ContentFlags::OTHER_FAMILY;
        }
        Ok(())
    }

    #[inline]
    fn push_field<B: Bytes + ?Sized>(&mut self, bytes: &B) {
        put_varint32(&mut self.rep, bytes.byte_len() as u32);
        bytes.append_to(&mut self.rep);
    }

    #[inline]
    fn reserve(&mut self, len: usize) -> Result<()> {
        self.rep.try_reserve(len).map_err(|_| memory_limit())
    }

    #[inline]
    fn added_count(&self, more: u32) -> Result<u32> {
        self.count()
            .checked_add(more)
            .ok_or_else(|| Status::invalid_argument("too many records in a WriteBatch"))
    }

    #[inline]
    fn set_count(&mut self, count: u32) {
        if self.has_header() {
            self.rep[8..HEADER_LEN].copy_from_slice(&count.to_le_bytes());
        }
    }
}

/// What stored bytes hold, as far as they can be decoded, and what is wrong with them.
fn inspect(data: &[u8]) -> (ContentFlags, Option<Status>) {
    let mut content = ContentFlags::empty();
    let view = match BatchView::new(data) {
        Ok(view) => view,
        Err(status) => return (content, Some(status)),
    };
    for record in view.records() {
        match record {
            Ok(record) => content |= ContentFlags::of(&record),
            Err(status) => return (content, Some(status)),
        }
    }
    (content, None)
}

/// The bytes that a field takes with its length in front.
#[inline]
fn field_len<B: Bytes + ?Sized>(bytes: &B) -> usize {
    let len = bytes.byte_len();
    len.saturating_add(varint_len(len as u64))
}

#[inline]
fn check_len(len: usize, max: usize, text: &str) -> Result<()> {
    if len > max {
        return Err(Status::invalid_argument(text));
    }
    Ok(())
}

#[cold]
fn memory_limit() -> Status {
    Status::new(Code::Aborted, "").with_subcode(SubCode::MemoryLimit)
}

mod protection;
#[cfg(test)]
mod tests;
