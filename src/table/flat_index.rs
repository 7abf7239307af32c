//! [`FlatIndex`]: a table's index in memory, decoded once into flat arrays, so that a search
//! touches eight bytes an entry and key bytes only where those are equal.

use super::handle::{BLOCK_TRAILER_LEN, BlockHandle};
use super::index::{IndexEntries, IndexFormat};
use crate::base::comparator::{Comparator, Order};
use crate::base::key::{TRAILER_LEN, compare_internal, user_key};
use crate::base::status::{Result, Status};

/// The separators of a table's data blocks and where the blocks lie.
///
/// Separator `i` is an internal key at or behind every key of block `i` and before every key of
/// block `i + 1`. Searches need the order that the index was built with (or [`Bytewise`] for
/// [`Comparator::Bytewise`], the same thing).
///
/// [`Bytewise`]: crate::base::comparator::Bytewise
pub(super) struct FlatIndex {
    /// The bytes that begin every separator's user key; prefixes are taken behind them. Empty if
    /// the order is not one of bytes.
    head: Box<[u8]>,
    /// `Order::prefix` of each separator's user key without `head`; ascending.
    prefixes: Box<[u64]>,
    /// Where each separator ends in `keys`; it begins where the one before ends.
    ends: Box<[u32]>,
    keys: Box<[u8]>,
    handles: Handles,
}

/// Where an index's blocks lie.
enum Handles {
    /// Each right behind the one before, as tables are written, all within 4 GiB: block `i` begins
    /// `starts[i]` bytes behind `base` and its trailer ends where the next one begins.
    Chained { base: u64, starts: Box<[u32]> },
    /// Anywhere.
    Spread(Box<[BlockHandle]>),
}

impl Handles {
    fn new(handles: Vec<BlockHandle>) -> Handles {
        match Self::chained(&handles) {
            Some(chained) => chained,
            None => Handles::Spread(handles.into_boxed_slice()),
        }
    }

    fn chained(handles: &[BlockHandle]) -> Option<Handles> {
        let base = handles.first()?.offset;
        let mut end = base;
        let mut starts = Vec::with_capacity(handles.len() + 1);
        for handle in handles {
            if handle.offset != end {
                return None;
            }
            starts.push(u32::try_from(end - base).ok()?);
            end = handle.end()?;
        }
        starts.push(u32::try_from(end - base).ok()?);
        Some(Handles::Chained { base, starts: starts.into_boxed_slice() })
    }

    #[inline]
    fn at(&self, at: usize) -> BlockHandle {
        match self {
            Handles::Chained { base, starts } => {
                let size = starts[at + 1] - starts[at] - BLOCK_TRAILER_LEN as u32;
                BlockHandle::new(base + u64::from(starts[at]), u64::from(size))
            }
            Handles::Spread(handles) => handles[at],
        }
    }

    fn memory_usage(&self) -> usize {
        match self {
            Handles::Chained { starts, .. } => size_of_val(&**starts),
            Handles::Spread(handles) => size_of_val(&**handles),
        }
    }
}

impl FlatIndex {
    /// Decodes an index block.
    pub(super) fn decode(
        block: &[u8],
        format: IndexFormat,
        comparator: &Comparator,
    ) -> Result<FlatIndex> {
        let mut index = FlatIndexBuilder::default();
        let mut entries = IndexEntries::new(block, format)?;
        while entries.advance()? {
            index.push(entries.key(), format.user_keys, entries.handle())?;
        }
        index.finish(comparator)
    }

    /// The number of data blocks.
    #[inline]
    pub(super) fn len(&self) -> usize {
        self.ends.len()
    }

    /// Where block `at` lies.
    #[inline]
    pub(super) fn handle(&self, at: usize) -> BlockHandle {
        self.handles.at(at)
    }

    /// The separator behind block `at`, an internal key.
    #[inline]
    pub(super) fn separator(&self, at: usize) -> &[u8] {
        let start = if at == 0 { 0 } else { self.ends[at - 1] as usize };
        &self.keys[start..self.ends[at] as usize]
    }

    /// The first block that may hold a key at or behind the internal key `target`;
    /// [`len`](FlatIndex::len) if there is none.
    #[inline]
    pub(super) fn seek<O: Order>(&self, order: &O, target: &[u8]) -> usize {
        let user = user_key(target);
        let Some(rest) = user.strip_prefix(&*self.head) else {
            return self.seek_by_keys(order, target, 0, self.len());
        };
        let prefix = order.prefix(rest);
        let low = self.prefixes.partition_point(|&p| p < prefix);
        if self.prefixes.get(low) != Some(&prefix) {
            return low;
        }
        // Usually a lone equal one.
        let high = match self.prefixes.get(low + 1) {
            Some(&next) if next == prefix => {
                low + self.prefixes[low..].partition_point(|&p| p <= prefix)
            }
            _ => low + 1,
        };
        self.seek_by_keys(order, target, low, high)
    }

    /// The same, where the answer is known to be in `low..=high`.
    fn seek_by_keys<O: Order>(
        &self,
        order: &O,
        target: &[u8],
        mut low: usize,
        mut high: usize,
    ) -> usize {
        while low < high {
            let middle = low + (high - low) / 2;
            if compare_internal(order, self.separator(middle), target).is_lt() {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        low
    }

    /// The memory it takes, in bytes.
    pub(super) fn memory_usage(&self) -> usize {
        self.head.len()
            + size_of_val(&*self.prefixes)
            + size_of_val(&*self.ends)
            + self.keys.len()
            + self.handles.memory_usage()
    }
}

/// Collects a [`FlatIndex`].
#[derive(Default)]
pub(super) struct FlatIndexBuilder {
    ends: Vec<u32>,
    keys: Vec<u8>,
    handles: Vec<BlockHandle>,
}

impl FlatIndexBuilder {
    /// The most bytes of separators: prefix compression could hide much more in a small block.
    const MAX_KEY_BYTES: usize = 1 << 30;

    /// Adds the next block. `separator` is an internal key, or with `bare` a user key, which
    /// stands for all records of that key.
    pub(super) fn push(&mut self, separator: &[u8], bare: bool, handle: BlockHandle) -> Result<()> {
        if !bare && separator.len() < TRAILER_LEN {
            return Err(Status::corruption("index key is too short for an internal key"));
        }
        let len = separator.len() + if bare { TRAILER_LEN } else { 0 };
        let end = self.keys.len() + len;
        if end > Self::MAX_KEY_BYTES {
            return Err(Status::corruption("index keys take more than 1 GiB"));
        }
        let reserved = self.keys.try_reserve(len).is_ok()
            && self.ends.try_reserve(1).is_ok()
            && self.handles.try_reserve(1).is_ok();
        if !reserved {
            return Err(Status::aborted("no memory for the index"));
        }
        self.keys.extend_from_slice(separator);
        // The oldest possible record of a key sorts behind all others of it.
        self.keys.resize(end, 0);
        self.ends.push(end as u32);
        self.handles.push(handle);
        Ok(())
    }

    /// The index, whose separators must ascend in the order of `comparator`.
    pub(super) fn finish(self, comparator: &Comparator) -> Result<FlatIndex> {
        let mut index = FlatIndex {
            head: Box::default(),
            prefixes: Box::default(),
            ends: self.ends.into_boxed_slice(),
            keys: self.keys.into_boxed_slice(),
            handles: Handles::new(self.handles),
        };
        for at in 1..index.len() {
            // Equal ones are harmless: whoever reads to the end of a block goes on to the next.
            if compare_internal(comparator, index.separator(at - 1), index.separator(at)).is_gt() {
                return Err(Status::corruption(format!("index keys out of order at entry {at}")));
            }
        }
        index.head = index.common_head(comparator).into();
        let prefix = |at| comparator.prefix(&user_key(index.separator(at))[index.head.len()..]);
        index.prefixes = (0..index.len()).map(prefix).collect();
        Ok(index)
    }
}

impl FlatIndex {
    /// What all user keys of separators begin with, where the order compares bytes one by one.
    fn common_head(&self, comparator: &Comparator) -> &[u8] {
        if self.len() == 0 || matches!(comparator, Comparator::Custom(_)) {
            return &[];
        }
        // In such an order whatever the first and the last share, all between share too.
        let (first, last) = (user_key(self.separator(0)), user_key(self.separator(self.len() - 1)));
        let shared = first.iter().zip(last).take_while(|(a, b)| a == b).count();
        &first[..shared]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::comparator::{Bytewise, UserComparator};
    use crate::base::key::{InternalKey, ValueType};
    use crate::base::random::Random;
    use crate::base::sync::Arc;
    use std::cmp::Ordering;

    struct ShorterFirst;

    impl UserComparator for ShorterFirst {
        fn name(&self) -> &str {
            "shorter first"
        }

        fn compare(&self, a: &[u8], b: &[u8]) -> Ordering {
            a.len().cmp(&b.len()).then_with(|| a.cmp(b))
        }
    }

    fn random_key(random: &mut Random, head: &[u8]) -> Vec<u8> {
        let mut key = head.to_vec();
        let len = random.below(12);
        key.extend((0..len).map(|_| [0, b'a', b'b', 0xff][random.below(4) as usize]));
        key
    }

    fn check(random: &mut Random, comparator: &Comparator, head: &[u8]) {
        let count = random.below(60);
        let mut keys: Vec<InternalKey> = (0..count)
            .map(|_| InternalKey::new(&random_key(random, head), random.below(3), ValueType::Value))
            .collect();
        keys.sort_by(|a, b| compare_internal(comparator, a.as_bytes(), b.as_bytes()));
        keys.dedup();
        let mut builder = FlatIndexBuilder::default();
        for (at, key) in keys.iter().enumerate() {
            builder.push(key.as_bytes(), false, BlockHandle::new(at as u64, 1)).unwrap();
        }
        let index = builder.finish(comparator).unwrap();
        for _ in 0..100 {
            let cut = random.below(head.len() as u64 + 1) as usize;
            let head = if random.one_in(3) { &head[..cut] } else { head };
            let user = random_key(random, head);
            let target = InternalKey::new(&user, random.below(3), ValueType::FOR_SEEK);
            let target = target.as_bytes();
            let expected = keys
                .iter()
                .filter(|k| compare_internal(comparator, k.as_bytes(), target).is_lt())
                .count();
            assert_eq!(index.seek(comparator, target), expected);
            if comparator.is_bytewise() {
                assert_eq!(index.seek(&Bytewise, target), expected);
            }
        }
        for (at, key) in keys.iter().enumerate() {
            assert_eq!(index.separator(at), key.as_bytes());
            assert_eq!(index.handle(at).offset, at as u64);
        }
    }

    #[test]
    fn finds_what_a_linear_search_finds() {
        let mut random = Random::from_env(41);
        let custom = Comparator::Custom(Arc::new(ShorterFirst));
        for comparator in [Comparator::Bytewise, Comparator::ReverseBytewise, custom] {
            for head in [&b""[..], b"user", b"a long head for all"] {
                (0..200).for_each(|_| check(&mut random, &comparator, head));
            }
        }
    }

    #[test]
    fn handles_are_what_was_pushed_however_they_are_kept() {
        let mut random = Random::from_env(42);
        for chained in [true, false] {
            let base = random.below(1 << 40);
            let mut offset = base;
            let handles: Vec<BlockHandle> = (0..200)
                .map(|at| {
                    let handle = BlockHandle::new(offset, random.below(1 << 20));
                    let gap = u64::from(!chained && (at == 100 || random.one_in(50)));
                    offset = handle.end().unwrap() + gap;
                    handle
                })
                .collect();
            let kept = Handles::new(handles.clone());
            assert_eq!(matches!(kept, Handles::Chained { .. }), chained);
            assert!((0..handles.len()).all(|at| kept.at(at) == handles[at]));
        }
        let far = [BlockHandle::new(7, 3 << 30), BlockHandle::new(7 + (3 << 30) + 5, 3 << 30)];
        let endless = [BlockHandle::new(7, u64::MAX - 7)];
        for handles in [&far[..], &endless] {
            let kept = Handles::new(handles.to_vec());
            assert!((0..handles.len()).all(|at| kept.at(at) == handles[at]));
        }
        assert!(matches!(Handles::new(Vec::new()), Handles::Spread(_)));
    }

    #[test]
    fn bare_separators_cover_every_record_of_their_key() {
        let mut builder = FlatIndexBuilder::default();
        builder.push(b"a", true, BlockHandle::new(1, 1)).unwrap();
        builder.push(b"b", true, BlockHandle::new(2, 1)).unwrap();
        let index = builder.finish(&Comparator::Bytewise).unwrap();
        let seek = |key: &[u8], sequence, kind| {
            index.seek(&Bytewise, InternalKey::new(key, sequence, kind).as_bytes())
        };
        assert_eq!(seek(b"a", 9, ValueType::FOR_SEEK), 0);
        assert_eq!(seek(b"a", 0, ValueType::Deletion), 0);
        assert_eq!(seek(b"aa", 9, ValueType::FOR_SEEK), 1);
        assert_eq!(seek(b"c", 9, ValueType::FOR_SEEK), 2);
    }

    #[test]
    fn bad_keys_are_errors() {
        let mut builder = FlatIndexBuilder::default();
        assert!(builder.push(b"1234567", false, BlockHandle::default()).is_err());
        builder.push(b"b", true, BlockHandle::default()).unwrap();
        builder.push(b"a", true, BlockHandle::default()).unwrap();
        assert!(builder.finish(&Comparator::Bytewise).is_err());
    }
}
