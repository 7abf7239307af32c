//! [`SliceTransform`]: the prefix of a key, for prefix filters and prefix seeks.

use crate::base::sync::Arc;
use std::fmt;

/// A prefix that a user defines.
pub trait Transform: Send + Sync {
    /// The name, which tables and OPTIONS files record: one name, one transformation.
    fn name(&self) -> &str;
    /// The prefix of `key`, which is in the domain: a part of it, from its start.
    fn transform<'a>(&self, key: &'a [u8]) -> &'a [u8];
    /// Whether `key` has a prefix.
    fn in_domain(&self, key: &[u8]) -> bool;
}

/// Which prefix a key has (RocksDB's `SliceTransform`).
#[derive(Clone)]
pub enum SliceTransform {
    /// The first so many bytes; shorter keys have none.
    Fixed(usize),
    /// The first so many bytes; shorter keys are their own prefix.
    Capped(usize),
    /// The key itself.
    Noop,
    /// As a user says.
    Custom(Arc<dyn Transform>),
}

impl SliceTransform {
    /// The prefix of `key`, if it has one.
    #[inline]
    pub fn prefix<'a>(&self, key: &'a [u8]) -> Option<&'a [u8]> {
        match self {
            SliceTransform::Fixed(len) => key.get(..*len),
            SliceTransform::Capped(len) => Some(&key[..key.len().min(*len)]),
            SliceTransform::Noop => Some(key),
            SliceTransform::Custom(custom) => custom.in_domain(key).then(|| custom.transform(key)),
        }
    }

    /// What tables and OPTIONS files call it: `rocksdb.FixedPrefix.8`.
    pub fn id(&self) -> String {
        match self {
            SliceTransform::Fixed(len) => format!("rocksdb.FixedPrefix.{len}"),
            SliceTransform::Capped(len) => format!("rocksdb.CappedPrefix.{len}"),
            SliceTransform::Noop => "rocksdb.Noop".into(),
            SliceTransform::Custom(custom) => custom.name().to_string(),
        }
    }

    /// The transformation that `text` stands for: an [`id`](SliceTransform::id), or `fixed:8`,
    /// `capped:8`, `noop`. None for a name that only a user's code can give a meaning.
    pub fn parse(text: &str) -> Option<SliceTransform> {
        if matches!(text, "rocksdb.Noop" | "noop") {
            return Some(SliceTransform::Noop);
        }
        let len = |prefixes: [&str; 2]| -> Option<usize> {
            prefixes.iter().find_map(|p| text.strip_prefix(p))?.parse().ok()
        };
        let fixed = len(["rocksdb.FixedPrefix.", "fixed:"]).map(SliceTransform::Fixed);
        fixed.or_else(|| len(["rocksdb.CappedPrefix.", "capped:"]).map(SliceTransform::Capped))
    }
}

impl fmt::Debug for SliceTransform {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.id())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prefixes_and_names() {
        let fixed = SliceTransform::parse("fixed:3").unwrap();
        assert_eq!((fixed.prefix(b"abcd"), fixed.prefix(b"ab")), (Some(&b"abc"[..]), None));
        let capped = SliceTransform::parse("rocksdb.CappedPrefix.3").unwrap();
        assert_eq!(capped.prefix(b"ab"), Some(&b"ab"[..]));
        for transform in [fixed, capped, SliceTransform::Noop] {
            let again = SliceTransform::parse(&transform.id()).unwrap();
            assert_eq!(again.id(), transform.id());
        }
        assert!(SliceTransform::parse("mine").is_none());
    }
}
