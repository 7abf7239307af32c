//! [`KeySet`]: some of the keys of a batch.

/// The numbers of some keys of a batch, which has at most [`KeySet::MAX`] keys.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct KeySet(u32);

impl KeySet {
    /// The most keys of a batch (RocksDB's `MAX_BATCH_SIZE`).
    pub const MAX: usize = u32::BITS as usize;

    /// The keys `0..count`; `count` is at most [`MAX`](KeySet::MAX).
    pub fn up_to(count: usize) -> KeySet {
        debug_assert!(count <= KeySet::MAX);
        KeySet(u32::MAX.checked_shr((KeySet::MAX - count) as u32).unwrap_or(0))
    }

    /// Whether there is none.
    #[inline]
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// How many there are.
    #[inline]
    pub fn len(self) -> usize {
        self.0.count_ones() as usize
    }

    /// The one with the lowest number.
    #[inline]
    pub fn first(self) -> Option<usize> {
        (self.0 != 0).then(|| self.0.trailing_zeros() as usize)
    }

    /// Whether `key` is among them.
    #[inline]
    pub fn contains(self, key: usize) -> bool {
        self.0 >> key & 1 == 1
    }

    /// Adds `key`.
    #[inline]
    pub fn insert(&mut self, key: usize) {
        self.0 |= 1 << key;
    }

    /// Takes `key` out.
    #[inline]
    pub fn remove(&mut self, key: usize) {
        self.0 &= !(1 << key);
    }

    /// Those that `keep` picks.
    #[inline]
    pub fn filtered(self, keep: impl Fn(usize) -> bool) -> KeySet {
        let mut kept = self;
        kept.retain(keep);
        kept
    }

    /// Takes out those that `keep` does not pick.
    #[inline]
    pub fn retain(&mut self, keep: impl Fn(usize) -> bool) {
        for key in *self {
            if !keep(key) {
                self.remove(key);
            }
        }
    }

    /// These and `others`.
    #[inline]
    pub fn union(self, others: KeySet) -> KeySet {
        KeySet(self.0 | others.0)
    }

    /// Those that are also among `others`.
    #[inline]
    pub fn intersection(self, others: KeySet) -> KeySet {
        KeySet(self.0 & others.0)
    }
}

impl IntoIterator for KeySet {
    type Item = usize;
    type IntoIter = Keys;

    #[inline]
    fn into_iter(self) -> Keys {
        Keys(self)
    }
}

/// The numbers in a [`KeySet`], ascending.
pub struct Keys(KeySet);

impl Iterator for Keys {
    type Item = usize;

    #[inline]
    fn next(&mut self) -> Option<usize> {
        let first = self.0.first()?;
        self.0.remove(first);
        Some(first)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_set_holds_what_was_put_in() {
        assert_eq!(KeySet::up_to(0), KeySet::default());
        assert_eq!(KeySet::up_to(KeySet::MAX).into_iter().count(), KeySet::MAX);
        let mut set = KeySet::up_to(3);
        set.insert(31);
        set.remove(1);
        assert_eq!(set.into_iter().collect::<Vec<_>>(), [0, 2, 31]);
        assert_eq!((set.len(), set.first(), set.is_empty()), (3, Some(0), false));
        assert!(set.contains(31) && !set.contains(1) && !set.contains(30));
        let other = KeySet::up_to(2);
        assert_eq!(set.union(other).len(), 4);
        assert_eq!(set.intersection(other), KeySet::up_to(1));
        assert_eq!(KeySet::default().first(), None);
        assert_eq!(set.filtered(|key| key != 2).into_iter().collect::<Vec<_>>(), [0, 31]);
    }
}
