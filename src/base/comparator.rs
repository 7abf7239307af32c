//! The order of user keys.
//!
//! [`Comparator`] is what options hold: bytewise, reverse bytewise, or a user's own. [`Order`] is
//! what hot code is generic over: [`Bytewise`] compiles to a direct comparison, [`Comparator`]
//! serves every other order.

use std::cmp::Ordering;
use std::fmt;
use std::sync::Arc;

/// A total order over user keys, as hot code sees it.
pub trait Order: Clone + Send + Sync + 'static {
    /// Compares two user keys, timestamps included.
    fn compare(&self, a: &[u8], b: &[u8]) -> Ordering;

    /// A number that never contradicts [`compare`](Order::compare): if `prefix(a) < prefix(b)`
    /// then `a < b`. Orders that have no such number return 0 for every key.
    fn prefix(&self, user_key: &[u8]) -> u64;

    /// Whether two user keys are one key.
    #[inline]
    fn equal(&self, a: &[u8], b: &[u8]) -> bool {
        self.compare(a, b) == Ordering::Equal
    }
}

/// The order of bytes as unsigned numbers, shorter first (`memcmp`).
#[derive(Clone, Copy, Debug, Default)]
pub struct Bytewise;

impl Order for Bytewise {
    #[inline]
    fn compare(&self, a: &[u8], b: &[u8]) -> Ordering {
        a.cmp(b)
    }

    #[inline]
    fn prefix(&self, user_key: &[u8]) -> u64 {
        match user_key.first_chunk::<8>() {
            Some(front) => u64::from_be_bytes(*front),
            None => {
                let mut padded = [0; 8];
                padded[..user_key.len()].copy_from_slice(user_key);
                u64::from_be_bytes(padded)
            }
        }
    }

    #[inline]
    fn equal(&self, a: &[u8], b: &[u8]) -> bool {
        a == b
    }
}

/// An order that the user supplies. Its name is stored in the database and checked at open.
pub trait UserComparator: Send + Sync {
    /// The name, e.g. `leveldb.BytewiseComparator`.
    fn name(&self) -> &str;

    /// Compares two user keys.
    fn compare(&self, a: &[u8], b: &[u8]) -> Ordering;

    /// The bytes of timestamp at the end of each user key.
    fn timestamp_size(&self) -> usize {
        0
    }
}

/// The order of a column family's keys.
#[derive(Clone, Default)]
pub enum Comparator {
    /// Ascending bytes: `leveldb.BytewiseComparator`.
    #[default]
    Bytewise,
    /// Descending bytes: `rocksdb.ReverseBytewiseComparator`.
    ReverseBytewise,
    /// A user's own.
    Custom(Arc<dyn UserComparator>),
}

impl Comparator {
    /// The name that is stored in the MANIFEST and in table properties.
    pub fn name(&self) -> &str {
        match self {
            Comparator::Bytewise => "leveldb.BytewiseComparator",
            Comparator::ReverseBytewise => "rocksdb.ReverseBytewiseComparator",
            Comparator::Custom(user) => user.name(),
        }
    }

    /// The bytes of timestamp at the end of each user key.
    pub fn timestamp_size(&self) -> usize {
        match self {
            Comparator::Custom(user) => user.timestamp_size(),
            _ => 0,
        }
    }

    /// Whether this is [`Comparator::Bytewise`], so that [`Bytewise`] can stand for it.
    pub fn is_bytewise(&self) -> bool {
        matches!(self, Comparator::Bytewise)
    }

    /// Shortens `start` to some key in `[start, limit)`, to keep index blocks small. `start` must
    /// be before `limit`. Custom orders leave it as it is.
    pub fn shorten_separator(&self, start: &mut Vec<u8>, limit: &[u8]) {
        match self {
            Comparator::Bytewise => shorten_separator_bytewise(start, limit),
            Comparator::ReverseBytewise => shorten_separator_reverse(start, limit),
            Comparator::Custom(_) => {}
        }
    }

    /// Shortens `key` to some key at or behind it.
    pub fn shorten_successor(&self, key: &mut Vec<u8>) {
        // In reverse order a successor is a smaller string; there is no shorter one that is safe
        // to prefer, so the key stays.
        if self.is_bytewise()
            && let Some(at) = key.iter().position(|&b| b != 0xff)
        {
            key[at] += 1;
            key.truncate(at + 1);
        }
    }
}

fn shared_prefix(a: &[u8], b: &[u8]) -> usize {
    a.iter().zip(b).take_while(|(x, y)| x == y).count()
}

fn shorten_separator_bytewise(start: &mut Vec<u8>, limit: &[u8]) {
    let diff = shared_prefix(start, limit);
    if diff >= start.len() || diff >= limit.len() || start[diff] >= limit[diff] {
        return;
    }
    let (low, high) = (start[diff], limit[diff]);
    if diff + 1 < limit.len() || low + 1 < high {
        start[diff] += 1;
        start.truncate(diff + 1);
        return;
    }
    // `low + 1 == limit` exactly, so that byte must stay; the first later byte that can grow does.
    if let Some(at) = (diff + 1..start.len()).find(|&i| start[i] < 0xff) {
        start[at] += 1;
        start.truncate(at + 1);
    }
}

fn shorten_separator_reverse(start: &mut Vec<u8>, limit: &[u8]) {
    let diff = shared_prefix(start, limit);
    if diff + 1 < start.len() && diff < limit.len() && start[diff] > limit[diff] {
        // A prefix of `start` sorts behind `start`, and before `limit` since it is still greater.
        start.truncate(diff + 1);
    }
}

impl Order for Comparator {
    #[inline]
    fn compare(&self, a: &[u8], b: &[u8]) -> Ordering {
        match self {
            Comparator::Bytewise => a.cmp(b),
            Comparator::ReverseBytewise => b.cmp(a),
            Comparator::Custom(user) => user.compare(a, b),
        }
    }

    #[inline]
    fn prefix(&self, user_key: &[u8]) -> u64 {
        match self {
            Comparator::Bytewise => Bytewise.prefix(user_key),
            Comparator::ReverseBytewise => !Bytewise.prefix(user_key),
            Comparator::Custom(_) => 0,
        }
    }
}

impl fmt::Debug for Comparator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::random::Random;

    fn short_string(random: &mut Random) -> Vec<u8> {
        let len = random.below(6) as usize;
        let alphabet = [0, 1, b'a', b'b', 0xfe, 0xff];
        (0..len).map(|_| alphabet[random.below(6) as usize]).collect()
    }

    #[test]
    fn separators_lie_between() {
        let mut random = Random::from_env(1);
        for comparator in [Comparator::Bytewise, Comparator::ReverseBytewise] {
            for _ in 0..50_000 {
                let (a, b) = (short_string(&mut random), short_string(&mut random));
                if comparator.compare(&a, &b) != Ordering::Less {
                    continue;
                }
                let mut separator = a.clone();
                comparator.shorten_separator(&mut separator, &b);
                assert_ne!(comparator.compare(&separator, &a), Ordering::Less, "{a:?} {b:?}");
                assert_eq!(comparator.compare(&separator, &b), Ordering::Less, "{a:?} {b:?}");
                assert!(separator.len() <= a.len());
                let mut successor = a.clone();
                comparator.shorten_successor(&mut successor);
                assert_ne!(comparator.compare(&successor, &a), Ordering::Less);
            }
        }
    }

    #[test]
    fn bytewise_separators_are_short() {
        let mut separator = b"abcdef".to_vec();
        Comparator::Bytewise.shorten_separator(&mut separator, b"abzz");
        assert_eq!(separator, b"abd");
        let mut reversed = b"abzz".to_vec();
        Comparator::ReverseBytewise.shorten_separator(&mut reversed, b"abcdef");
        assert_eq!(reversed, b"abz");
    }

    #[test]
    fn prefixes_never_contradict_the_order() {
        let mut random = Random::from_env(2);
        for _ in 0..50_000 {
            let (a, b) = (short_string(&mut random), short_string(&mut random));
            for comparator in [Comparator::Bytewise, Comparator::ReverseBytewise] {
                if comparator.prefix(&a) < comparator.prefix(&b) {
                    assert_eq!(comparator.compare(&a, &b), Ordering::Less, "{a:?} {b:?}");
                }
            }
        }
    }
}
