//! [`PrefixSeek`]: how far a seek may rely on what tables know about prefixes.

use super::slice_transform::SliceTransform;
use crate::base::sync::Arc;

/// The transformation that a table's prefixes were made with, and its name.
#[derive(Clone, Debug)]
pub struct StoredPrefixes {
    /// The transformation.
    pub transform: SliceTransform,
    /// [`SliceTransform::id`] of it.
    pub id: String,
}

impl StoredPrefixes {
    /// The transformation that a table calls `name`: `current` if that is its name, else a
    /// built-in one. None if it cannot be known.
    pub fn named(name: &str, current: Option<&SliceTransform>) -> Option<StoredPrefixes> {
        let current = current.filter(|current| current.id() == name).cloned();
        let transform = current.or_else(|| SliceTransform::parse(name))?;
        Some(StoredPrefixes { transform, id: name.into() })
    }
}

/// What a seek that need not be in total order may leave out.
///
/// In *prefix mode* only keys with the prefix of the seek key must be seen. In *automatic mode*
/// every key up to the upper bound must be, so that prefixes help only where all keys in between
/// have the same one.
#[derive(Clone, Debug)]
pub struct PrefixSeek {
    id: String,
    transform: SliceTransform,
    automatic: bool,
    bytewise: bool,
    upper_bound: Option<Arc<[u8]>>,
    ends_with_prefix: bool,
}

impl PrefixSeek {
    /// For a column family whose `prefix_extractor` is `transform`, with `bytewise` order or
    /// another; `automatic` chooses the mode.
    pub fn new(
        transform: &SliceTransform,
        automatic: bool,
        bytewise: bool,
        upper_bound: Option<Arc<[u8]>>,
    ) -> PrefixSeek {
        let id = transform.id();
        let transform = transform.clone();
        PrefixSeek { id, transform, automatic, bytewise, upper_bound, ends_with_prefix: false }
    }

    /// The same seeks, behind which no key without the prefix of the seek key is asked for if
    /// `ends_with_prefix`.
    pub fn ending_with_prefix(mut self, ends_with_prefix: bool) -> PrefixSeek {
        self.ends_with_prefix = ends_with_prefix;
        self
    }

    /// The prefix of `target`, and how to find that of other keys, if nothing without it is asked
    /// for behind a seek to `target`.
    pub fn last_prefix<'k>(&self, target: &'k [u8]) -> Option<(&SliceTransform, &'k [u8])> {
        let prefix = self.transform.prefix(target).filter(|_| self.ends_with_prefix)?;
        Some((&self.transform, prefix))
    }

    /// Whether only keys with the prefix of the seek key must be seen.
    pub fn is_prefix_mode(&self) -> bool {
        !self.automatic
    }

    /// Whether `key` has the prefix that the seek key `target` has; true if that has none.
    pub fn has_prefix_of(&self, target: &[u8], key: &[u8]) -> bool {
        match self.transform.prefix(target) {
            Some(prefix) => self.transform.prefix(key) == Some(prefix),
            None => true,
        }
    }

    /// The prefix that a source must hold to hold anything that a seek to `target` must see, if
    /// there is such a prefix. `stored` says which prefixes the source knows. Keys have no
    /// timestamp.
    pub fn required<'k>(&self, stored: &StoredPrefixes, target: &'k [u8]) -> Option<&'k [u8]> {
        let prefix = stored.transform.prefix(target)?;
        let known = !self.automatic && stored.id == self.id;
        (known || self.spans_one_prefix(&stored.transform, prefix)).then_some(prefix)
    }

    /// Whether all keys from one with `prefix` to the upper bound have that prefix: the order of
    /// keys agrees with that of prefixes, so it is enough that the bound has it, or that it is
    /// the first key behind all keys that have it.
    fn spans_one_prefix(&self, transform: &SliceTransform, prefix: &[u8]) -> bool {
        let Some(bound) = self.upper_bound.as_deref() else { return false };
        match transform.prefix(bound) {
            None => false,
            Some(last) if last == prefix => true,
            Some(_) => match transform {
                SliceTransform::Fixed(len) => {
                    self.bytewise && bound.len() == *len && is_successor(prefix, bound)
                }
                _ => false,
            },
        }
    }
}

/// Whether `b` is `a` plus 1, both as big-endian numbers of one length.
fn is_successor(a: &[u8], b: &[u8]) -> bool {
    let Some(at) = a.iter().zip(b).position(|(a, b)| a != b) else { return false };
    a.len() == b.len()
        && a[at].checked_add(1) == Some(b[at])
        && a[at + 1..].iter().all(|&byte| byte == 0xff)
        && b[at + 1..].iter().all(|&byte| byte == 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stored(text: &str) -> StoredPrefixes {
        StoredPrefixes::named(text, None).unwrap()
    }

    #[test]
    fn prefix_mode_needs_the_same_transformation() {
        let seek = PrefixSeek::new(&SliceTransform::Fixed(3), false, true, None);
        assert_eq!(seek.required(&stored("rocksdb.FixedPrefix.3"), b"abcd"), Some(&b"abc"[..]));
        assert_eq!(seek.required(&stored("rocksdb.FixedPrefix.3"), b"ab"), None);
        assert_eq!(seek.required(&stored("rocksdb.FixedPrefix.2"), b"abcd"), None);
        assert!(seek.has_prefix_of(b"abcd", b"abcz") && !seek.has_prefix_of(b"abcd", b"abd"));
        assert!(seek.has_prefix_of(b"ab", b"zzz"));
    }

    #[test]
    fn automatic_mode_needs_a_bound_within_the_prefix() {
        let required = |bound: &[u8], bytewise| {
            let bound = Some(Arc::from(bound));
            let seek = PrefixSeek::new(&SliceTransform::Noop, true, bytewise, bound);
            seek.required(&stored("rocksdb.FixedPrefix.3"), b"abc1").is_some()
        };
        assert!(required(b"abc9", true) && required(b"abd", true));
        assert!(!required(b"abd", false));
        for bound in [&b"abe"[..], b"abd1", b"ab", b"b"] {
            assert!(!required(bound, true), "{bound:?}");
        }
        let open = PrefixSeek::new(&SliceTransform::Fixed(3), true, true, None);
        assert_eq!(open.required(&stored("rocksdb.FixedPrefix.3"), b"abcd"), None);
    }

    #[test]
    fn successors() {
        assert!(is_successor(b"a\xff\xff", b"b\0\0") && is_successor(b"a", b"b"));
        assert!(!is_successor(b"a\xff\xfe", b"b\0\0") && !is_successor(b"\xff", b"\0"));
        assert!(!is_successor(b"a", b"a") && !is_successor(b"a", b"c") && !is_successor(b"", b"a"));
    }

    #[test]
    fn names_of_other_transformations_are_unknown() {
        assert!(StoredPrefixes::named("mine", None).is_none());
        assert!(StoredPrefixes::named("nullptr", Some(&SliceTransform::Noop)).is_none());
    }
}
