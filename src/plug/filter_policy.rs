//! [`FilterPolicy`]: which filter a table gets, as the user configures it and as OPTIONS files
//! name it. Plain data; the filters themselves are in `table/filter/`.

use crate::base::status::{Result, Status};
use crate::base::sync::{Arc, AtomicU64, Ordering};

/// The name under which every built-in filter is entered in a table's metaindex, so that each
/// policy can read the filters of all others.
pub const BUILTIN_FILTER_NAME: &str = "rocksdb.BuiltinBloomFilter";

/// The kinds of filter that can be asked for.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Kind {
    /// A Bloom filter.
    Bloom,
    /// A Ribbon filter, except on levels before `bloom_before_level`, which get Bloom filters.
    Ribbon { bloom_before_level: i32 },
    /// Reads filters, writes none: what a bare `rocksdb.BuiltinBloomFilter` in an old OPTIONS
    /// file means.
    ReadOnly,
}

/// A built-in filter policy (RocksDB's `NewBloomFilterPolicy`, `NewRibbonFilterPolicy`).
#[derive(Clone, Debug)]
pub struct FilterPolicy {
    kind: Kind,
    bits_per_key: f64,
    balance: Arc<FilterBalance>,
}

/// By how much the filters that were made for one policy have more false positives than was asked
/// for, because their sizes were fitted to what the allocator hands out.
#[derive(Debug, Default)]
pub struct FilterBalance(AtomicU64);

impl FilterBalance {
    /// What a rate of one is; the sum is a signed number in two's complement.
    const UNIT: f64 = 4_294_967_296.0;

    /// The sum of all filters' rates of false positives beyond what was asked for.
    pub fn excess(&self) -> f64 {
        self.0.load(Ordering::Relaxed) as i64 as f64 / Self::UNIT
    }

    /// Adds a filter's.
    pub fn add(&self, excess: f64) {
        self.0.fetch_add((excess * Self::UNIT) as i64 as u64, Ordering::Relaxed);
    }
}

/// Policies are equal if they ask for the same; what was made for them does not count.
impl PartialEq for FilterPolicy {
    fn eq(&self, other: &FilterPolicy) -> bool {
        self.kind == other.kind && self.millibits_per_key() == other.millibits_per_key()
    }
}

/// Bits per key: below 0.5 none, below 1 one, at most 100 (also for NaN).
fn clamp_bits(bits_per_key: f64) -> f64 {
    match bits_per_key {
        b if b < 0.5 => 0.0,
        b if b < 1.0 => 1.0,
        b if b < 100.0 => b,
        _ => 100.0,
    }
}

impl FilterPolicy {
    /// A Bloom filter of `bits_per_key` bits a key (10 gives about 1 % false positives).
    pub fn bloom(bits_per_key: f64) -> FilterPolicy {
        FilterPolicy::new(Kind::Bloom, bits_per_key)
    }

    fn new(kind: Kind, bits_per_key: f64) -> FilterPolicy {
        FilterPolicy { kind, bits_per_key: clamp_bits(bits_per_key), balance: Arc::default() }
    }

    /// A Ribbon filter with the false-positive rate of a Bloom filter of
    /// `bloom_equivalent_bits_per_key`, from level `bloom_before_level` on (-1: everywhere, 0: all
    /// but flushes, `i32::MAX`: nowhere).
    pub fn ribbon(bloom_equivalent_bits_per_key: f64, bloom_before_level: i32) -> FilterPolicy {
        FilterPolicy::new(Kind::Ribbon { bloom_before_level }, bloom_equivalent_bits_per_key)
    }

    /// A policy that reads filters and writes none.
    pub fn read_only() -> FilterPolicy {
        FilterPolicy::new(Kind::ReadOnly, 0.0)
    }

    /// The bits a key, in thousandths; 0 means that no filter is written.
    pub fn millibits_per_key(&self) -> u32 {
        // The nudge makes doubles that were written with three decimals mean exactly that.
        (self.bits_per_key * 1000.0 + 0.500001) as u32
    }

    /// The bits a key, as they were asked for.
    pub fn bits_per_key(&self) -> f64 {
        self.bits_per_key
    }

    /// What the filters made for this policy are fitted by.
    pub fn balance(&self) -> &Arc<FilterBalance> {
        &self.balance
    }

    /// The whole bits a key, which filters of tables before format version 5 use.
    pub fn whole_bits_per_key(&self) -> u32 {
        (self.millibits_per_key() + 500) / 1000
    }

    /// Whether it is a policy of Ribbon filters, if only of some levels.
    pub fn is_ribbon(&self) -> bool {
        matches!(self.kind, Kind::Ribbon { .. })
    }

    /// Whether tables written at `level` (-1: by a flush; `i32::MAX - 1`: at none) are to get a
    /// Ribbon filter.
    pub fn wants_ribbon(&self, level: i32) -> bool {
        match self.kind {
            Kind::Ribbon { bloom_before_level } => level >= bloom_before_level,
            _ => false,
        }
    }

    /// The name that goes into table properties.
    pub fn name(&self) -> &'static str {
        match self.kind {
            Kind::Bloom => "bloomfilter",
            Kind::Ribbon { .. } => "ribbonfilter",
            Kind::ReadOnly => BUILTIN_FILTER_NAME,
        }
    }

    /// The name under which its filters stand in the metaindex ("fullfilter." and this).
    pub fn compatibility_name(&self) -> &'static str {
        BUILTIN_FILTER_NAME
    }

    /// The text that stands for it in OPTIONS files: `bloomfilter:10:false`, `ribbonfilter:10:0`.
    pub fn id(&self) -> String {
        let bits = self.bits_text();
        match self.kind {
            Kind::Bloom => format!("bloomfilter:{bits}:false"),
            Kind::Ribbon { bloom_before_level } => {
                format!("ribbonfilter:{bits}:{bloom_before_level}")
            }
            Kind::ReadOnly => BUILTIN_FILTER_NAME.to_string(),
        }
    }

    fn bits_text(&self) -> String {
        let (whole, thousandths) =
            (self.millibits_per_key() / 1000, self.millibits_per_key() % 1000);
        if thousandths == 0 {
            return whole.to_string();
        }
        let text = format!("{whole}.{thousandths:03}");
        text.trim_end_matches('0').to_string()
    }

    /// The policy that `text` stands for: an [`id`](FilterPolicy::id), its older spellings
    /// (`rocksdb.BloomFilter:10:true`, `{id=...;bloom_before_level=...}`), or none (`nullptr`,
    /// empty).
    pub fn parse(text: &str) -> Result<Option<FilterPolicy>> {
        let text = text.trim();
        match text {
            "" | "nullptr" => return Ok(None),
            BUILTIN_FILTER_NAME => return Ok(Some(FilterPolicy::read_only())),
            _ => {}
        }
        let policy = match text.strip_prefix('{').and_then(|t| t.strip_suffix('}')) {
            Some(fields) => Self::parse_fields(fields),
            None => Self::parse_id(text),
        };
        match policy {
            Some(policy) => Ok(Some(policy)),
            None => Err(Status::not_supported(format!("Could not load FilterPolicy: {text}"))),
        }
    }

    fn parse_fields(fields: &str) -> Option<FilterPolicy> {
        let mut policy = None;
        let mut level = None;
        for field in fields.split(';').map(str::trim).filter(|f| !f.is_empty()) {
            match field.split_once('=')? {
                ("id", id) => policy = Self::parse_id(id.trim()),
                ("bloom_before_level", text) => level = Some(text.trim().parse().ok()?),
                _ => return None,
            }
        }
        let mut policy = policy?;
        if let Some(level) = level {
            match &mut policy.kind {
                Kind::Ribbon { bloom_before_level } => *bloom_before_level = level,
                _ => return None,
            }
        }
        Some(policy)
    }

    fn parse_id(id: &str) -> Option<FilterPolicy> {
        if id == BUILTIN_FILTER_NAME {
            return Some(FilterPolicy::read_only());
        }
        let mut parts = id.split(':');
        let (name, bits) = (parts.next()?, parts.next()?.parse::<f64>().ok()?);
        let (last, more) = (parts.next(), parts.next());
        match (name, last, more) {
            // The flag once chose a filter per block; it means nothing any more.
            ("bloomfilter" | "rocksdb.BloomFilter", None | Some("false" | "true"), None) => {
                Some(FilterPolicy::bloom(bits))
            }
            ("ribbonfilter" | "rocksdb.RibbonFilter", None, None) => {
                Some(FilterPolicy::ribbon(bits, 0))
            }
            ("ribbonfilter" | "rocksdb.RibbonFilter", Some(level), None) => {
                Some(FilterPolicy::ribbon(bits, level.parse().ok()?))
            }
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_are_rounded_as_the_format_expects() {
        let cases = [
            (0.49, 0),
            (0.5, 1000),
            (0.9, 1000),
            (1.5, 1500),
            (9.9995, 10_000),
            (10.0, 10_000),
            (99.999, 99_999),
            (1e9, 100_000),
            (f64::NAN, 100_000),
            (-3.0, 0),
        ];
        for (bits, millibits) in cases {
            assert_eq!(FilterPolicy::bloom(bits).millibits_per_key(), millibits, "{bits}");
        }
        assert_eq!(FilterPolicy::bloom(7.5).whole_bits_per_key(), 8);
        assert_eq!(FilterPolicy::bloom(7.499).whole_bits_per_key(), 7);
    }

    #[test]
    fn ids_round_trip() {
        let cases = [
            (FilterPolicy::bloom(10.0), "bloomfilter:10:false"),
            (FilterPolicy::bloom(9.9), "bloomfilter:9.9:false"),
            (FilterPolicy::bloom(4.05), "bloomfilter:4.05:false"),
            (FilterPolicy::bloom(1.234), "bloomfilter:1.234:false"),
            (FilterPolicy::ribbon(10.0, -1), "ribbonfilter:10:-1"),
            (FilterPolicy::read_only(), "rocksdb.BuiltinBloomFilter"),
        ];
        for (policy, id) in cases {
            assert_eq!(policy.id(), id);
            assert_eq!(FilterPolicy::parse(id).unwrap(), Some(policy));
        }
    }

    #[test]
    fn older_spellings_are_read_and_nonsense_is_not() {
        let cases = [
            ("nullptr", None),
            ("rocksdb.BloomFilter:10:true", Some(FilterPolicy::bloom(10.0))),
            ("bloomfilter:10", Some(FilterPolicy::bloom(10.0))),
            ("{id=ribbonfilter:10:0;bloom_before_level=3;}", Some(FilterPolicy::ribbon(10.0, 3))),
            ("rocksdb.RibbonFilter:7", Some(FilterPolicy::ribbon(7.0, 0))),
        ];
        for (text, policy) in cases {
            assert_eq!(FilterPolicy::parse(text).unwrap(), policy, "{text}");
        }
        for text in ["bloomfilter", "bloomfilter:x", "bloomfilter:1:2:3", "mine:3", "{a}", "{}"] {
            assert!(FilterPolicy::parse(text).is_err(), "{text}");
        }
    }
}
