//! The text of what options hold besides numbers and names.

use crate::base::comparator::Comparator;
use crate::base::status::{Result, Status};
use crate::base::sync::Arc;
use crate::codec::CompressionOptions;
use crate::options::table::{define_rows, parse_nested, write_nested};
use crate::options::text::{Pairs, Reading, Text, escape};
use crate::plug::compaction_filter::{CompactionFilter, CompactionFilterFactory};
use crate::plug::filter_policy::FilterPolicy;
use crate::plug::merge_operator::MergeOperator;
use crate::plug::merge_operators;
use crate::plug::slice_transform::SliceTransform;

impl Text for Comparator {
    fn write(&self, out: &mut String) {
        out.push_str(self.name());
    }

    /// A user's own comparator cannot be made from its name, so what is there stays, as in
    /// RocksDB; opening compares the names.
    fn parse(&mut self, _name: &str, _path: &str, text: &str, _how: &Reading) -> Result<()> {
        match text {
            "leveldb.BytewiseComparator" => *self = Comparator::Bytewise,
            "rocksdb.ReverseBytewiseComparator" => *self = Comparator::ReverseBytewise,
            _ => {}
        }
        Ok(())
    }
}

impl Text for Option<FilterPolicy> {
    fn write(&self, out: &mut String) {
        match self {
            Some(policy) => out.push_str(&policy.id()),
            None => out.push_str("nullptr"),
        }
    }

    fn parse(&mut self, _name: &str, _path: &str, text: &str, _how: &Reading) -> Result<()> {
        // A policy that this library does not make is not an error: RocksDB goes on without one.
        *self = FilterPolicy::parse(text).unwrap_or(None);
        Ok(())
    }
}

/// Objects that only a user's code can make: the text is their name. A name alone changes nothing,
/// as in RocksDB, except that none takes the object away.
macro_rules! named_objects {
    ($($object:ty),+) => {$(
        impl Text for Option<Arc<$object>> {
            fn write(&self, out: &mut String) {
                out.push_str(self.as_ref().map_or("nullptr", |object| object.name()));
            }

            fn parse(&mut self, _: &str, _: &str, text: &str, _: &Reading) -> Result<()> {
                if matches!(text, "" | "nullptr") {
                    *self = None;
                }
                Ok(())
            }
        }
    )+};
}
named_objects! { dyn CompactionFilter, dyn CompactionFilterFactory }

/// The name, or `{id=name;its=options}`. A name of an operator that this library does not make
/// changes nothing, as in RocksDB: such an operator has to be plugged in.
impl Text for Option<Arc<dyn MergeOperator>> {
    fn write(&self, out: &mut String) {
        let Some(operator) = self else { return out.push_str("nullptr") };
        let options = operator.options();
        if options.is_empty() {
            return out.push_str(operator.name());
        }
        out.push_str("{id=");
        out.push_str(operator.name());
        for (name, value) in options {
            for part in [";", name, "=", &escape(&value)] {
                out.push_str(part);
            }
        }
        out.push_str(";}");
    }

    fn parse(&mut self, _: &str, _: &str, text: &str, _: &Reading) -> Result<()> {
        if matches!(text, "" | "nullptr") {
            *self = None;
            return Ok(());
        }
        let (mut id, mut options) = (Some(text.to_string()), Vec::new());
        if text.contains('=') {
            let mut pairs = Pairs::parse(text)?;
            id = pairs.remove("id");
            options.extend(pairs.into_iter().cloned());
        }
        // What is not said stays.
        if let Some(current) = self
            && id.as_ref().is_none_or(|id| id == current.name())
        {
            id = Some(current.name().to_string());
            for (name, value) in current.options() {
                if options.iter().all(|(said, _)| said != name) {
                    options.push((name.to_string(), value));
                }
            }
        }
        if let Some(operator) = merge_operators::from_id(&id.unwrap_or_default(), &options)? {
            *self = Some(operator);
        }
        Ok(())
    }
}

impl Text for Option<SliceTransform> {
    fn write(&self, out: &mut String) {
        match self {
            Some(transform) => out.push_str(&transform.id()),
            None => out.push_str("nullptr"),
        }
    }

    fn parse(&mut self, _name: &str, _path: &str, text: &str, _how: &Reading) -> Result<()> {
        match text {
            "" | "nullptr" => *self = None,
            _ => *self = SliceTransform::parse(text).or(self.take()),
        }
        Ok(())
    }
}

define_rows! {
    CompressionOptions {
        window_bits: live;
        level: live;
        strategy: live;
        max_compressed_bytes_per_kb: live;
        max_dict_bytes: live;
        zstd_max_train_bytes: live;
        parallel_threads: live;
        enabled: live;
        max_dict_buffer_bytes: live;
        use_zstd_dict_trainer: live;
        checksum: live;
    }
    aliases {}
    deprecated {}
}

impl Text for CompressionOptions {
    fn write(&self, out: &mut String) {
        write_nested(self, out);
    }

    fn parse(&mut self, name: &str, path: &str, text: &str, how: &Reading) -> Result<()> {
        if path.is_empty() && !text.contains('=') {
            return parse_list(self, name, text, how);
        }
        parse_nested(self, name, path, text, how)
    }
}

/// The form of old files: three to nine values with `:` between them. With six, the last is
/// `enabled`, which is older than `parallel_threads`.
fn parse_list(
    options: &mut CompressionOptions,
    name: &str,
    text: &str,
    how: &Reading,
) -> Result<()> {
    let values: Vec<&str> = text.split(':').collect();
    if !(3..=9).contains(&values.len()) {
        let text = format!("unable to parse the specified CF option {name}");
        return Err(Status::invalid_argument(text));
    }
    let mut parsed = options.clone();
    for (i, value) in values.iter().enumerate() {
        let field: &mut dyn Text = match i {
            0 => &mut parsed.window_bits,
            1 => &mut parsed.level,
            2 => &mut parsed.strategy,
            3 => &mut parsed.max_dict_bytes,
            4 => &mut parsed.zstd_max_train_bytes,
            5 if values.len() > 6 => &mut parsed.parallel_threads,
            5 | 6 => &mut parsed.enabled,
            7 => &mut parsed.max_dict_buffer_bytes,
            _ => &mut parsed.use_zstd_dict_trainer,
        };
        field.parse(name, "", value, how)?;
    }
    *options = parsed;
    Ok(())
}
