//! Options that choose one of several named values.

use crate::base::status::{Result, Status};
use crate::codec::CompressionType;
use crate::env::rate_limiter::IoPriority;
use crate::options::text::{Reading, Text, strip_braces};
use crate::plug::logger::InfoLogLevel;
use crate::plug::recovery_mode::WalRecoveryMode;

/// An option type whose values RocksDB numbers, which is how C passes them.
pub trait Numbered: Copy + 'static {
    /// Every value.
    const ALL: &'static [Self];

    /// RocksDB's number.
    fn number(self) -> i32;

    /// The value with that number.
    fn from_number(number: i32) -> Option<Self> {
        Self::ALL.iter().copied().find(|value| value.number() == number)
    }
}

/// Declares such types: variant, number, text.
macro_rules! numbered {
    ($(
        $(#[$meta:meta])*
        $Name:ident {$($(#[$doc:meta])* $variant:ident = $number:literal $text:literal,)+}
    )+) => {$(
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[repr(u8)]
        pub enum $Name {$($(#[$doc])* $variant = $number,)+}

        impl $Name {
            /// The name in option text.
            pub fn name(self) -> &'static str {
                match self {$($Name::$variant => $text,)+}
            }
        }

        impl Numbered for $Name {
            const ALL: &'static [Self] = &[$($Name::$variant,)+];

            fn number(self) -> i32 {
                self as i32
            }
        }

        impl Text for $Name {
            fn write(&self, out: &mut String) {
                out.push_str(self.name());
            }

            fn parse(&mut self, name: &str, _path: &str, text: &str, _how: &Reading) -> Result<()> {
                *self = match strip_braces(text) {
                    $($text => $Name::$variant,)+
                    _ => return Err(no_mapping(name)),
                };
                Ok(())
            }
        }
    )+};
}

/// What files are read for, by RocksDB's number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IoActivity(u8);

impl IoActivity {
    /// Looking one key up.
    pub const GET: IoActivity = IoActivity(3);
    /// Looking several keys up.
    pub const MULTI_GET: IoActivity = IoActivity(4);
    /// An iterator.
    pub const DB_ITERATOR: IoActivity = IoActivity(5);
    /// Checking the checksums of blocks.
    pub const VERIFY_DB_CHECKSUM: IoActivity = IoActivity(6);
    /// Checking the checksums of whole files.
    pub const VERIFY_FILE_CHECKSUMS: IoActivity = IoActivity(7);
    /// Not said.
    pub const UNKNOWN: IoActivity = IoActivity(255);

    /// The one with that number: up to 10, or from 128 on, which are free for programs.
    pub fn from_number(number: i32) -> Option<IoActivity> {
        let number = u8::try_from(number).ok()?;
        (number <= 10 || number >= 128).then_some(IoActivity(number))
    }

    /// RocksDB's number.
    pub fn number(self) -> i32 {
        self.0.into()
    }

    /// Its name in texts; empty for those that no function here is called for.
    pub fn name(self) -> &'static str {
        match self {
            IoActivity::GET => "kGet",
            IoActivity::MULTI_GET => "kMultiGet",
            IoActivity::DB_ITERATOR => "kDBIterator",
            IoActivity::VERIFY_DB_CHECKSUM => "kVerifyDBChecksum",
            IoActivity::VERIFY_FILE_CHECKSUMS => "kVerifyFileChecksums",
            _ => "",
        }
    }
}

impl RateLimiterPriority {
    /// What the limiter is asked with, if it is asked.
    pub fn io_priority(self) -> Option<IoPriority> {
        match self {
            RateLimiterPriority::Low => Some(IoPriority::Low),
            RateLimiterPriority::Mid => Some(IoPriority::Mid),
            RateLimiterPriority::High => Some(IoPriority::High),
            RateLimiterPriority::User => Some(IoPriority::User),
            RateLimiterPriority::Unlimited => None,
        }
    }
}

fn no_mapping(name: &str) -> Status {
    Status::invalid_argument(format!("No mapping for enum : {name}"))
}

numbered! {
    /// Whether and how the rate limiter is asked for what someone reads or writes.
    RateLimiterPriority {
        /// Behind all others.
        Low = 0 "IO_LOW",
        /// In between.
        Mid = 1 "IO_MID",
        /// Before those two.
        High = 2 "IO_HIGH",
        /// Before all others.
        User = 3 "IO_USER",
        /// The limiter is not asked.
        Unlimited = 4 "IO_TOTAL",
    }

    /// The checksum of table blocks.
    ChecksumType {
        /// None: damage goes unnoticed.
        None = 0 "kNoChecksum",
        /// CRC-32C, masked.
        Crc32c = 1 "kCRC32c",
        /// XXH32.
        XxHash = 2 "kxxHash",
        /// The low half of XXH64.
        XxHash64 = 3 "kxxHash64",
        /// The low half of XXH3, with the last byte mixed in.
        Xxh3 = 4 "kXXH3",
    }

    /// The structure of a table's index.
    IndexType {
        /// One sorted block.
        BinarySearch = 0 "kBinarySearch",
        /// One sorted block, with a hash table of key prefixes.
        HashSearch = 1 "kHashSearch",
        /// Partitions under a sorted block.
        TwoLevelIndexSearch = 2 "kTwoLevelIndexSearch",
        /// One sorted block, whose entries hold their block's first key.
        BinarySearchWithFirstKey = 3 "kBinarySearchWithFirstKey",
    }

    /// How a key is searched in an index block.
    BlockSearchType {
        /// By halving.
        Binary = 0 "kBinary",
        /// By its place between the first and the last key.
        Interpolation = 1 "kInterpolation",
        /// By interpolation where keys are spread evenly.
        Auto = 2 "kAuto",
    }

    /// The index within data blocks.
    DataBlockIndexType {
        /// Restart points, searched by halving.
        BinarySearch = 0 "kDataBlockBinarySearch",
        /// A hash table of user keys as well.
        BinaryAndHash = 1 "kDataBlockBinaryAndHash",
    }

    /// How far keys of the index are shortened.
    IndexShortening {
        /// Not at all.
        NoShortening = 0 "kNoShortening",
        /// Between blocks.
        ShortenSeparators = 1 "kShortenSeparators",
        /// Between blocks, and behind the last.
        ShortenSeparatorsAndSuccessor = 2 "kShortenSeparatorsAndSuccessor",
    }

    /// Which blocks are pinned in the cache.
    PinningTier {
        /// As the older options say.
        Fallback = 0 "kFallback",
        /// None.
        None = 1 "kNone",
        /// Those of flushed files and files of similar size.
        FlushedAndSimilar = 2 "kFlushedAndSimilar",
        /// All.
        All = 3 "kAll",
    }

    /// Which blocks enter the block cache when they are written.
    PrepopulateBlockCache {
        /// None.
        Disable = 0 "kDisable",
        /// Those of flushes.
        FlushOnly = 1 "kFlushOnly",
        /// Those of flushes and compactions.
        FlushAndCompaction = 2 "kFlushAndCompaction",
    }

    /// Which blobs enter the blob cache when they are written.
    PrepopulateBlobCache {
        /// None.
        Disable = 0 "kDisable",
        /// Those of flushes.
        FlushOnly = 1 "kFlushOnly",
    }

    /// How files are chosen for compaction.
    CompactionStyle {
        /// By level.
        Level = 0 "kCompactionStyleLevel",
        /// By sorted runs of similar size.
        Universal = 1 "kCompactionStyleUniversal",
        /// Old files are deleted.
        Fifo = 2 "kCompactionStyleFIFO",
        /// Only what the user asks for.
        None = 3 "kCompactionStyleNone",
    }

    /// Which file of a level is compacted first.
    CompactionPri {
        /// The largest, deletions counted more.
        ByCompensatedSize = 0 "kByCompensatedSize",
        /// The one whose newest entry is the oldest.
        OldestLargestSeqFirst = 1 "kOldestLargestSeqFirst",
        /// The one whose key range was not compacted for the longest time.
        OldestSmallestSeqFirst = 2 "kOldestSmallestSeqFirst",
        /// The one with the least overlap below for its size.
        MinOverlappingRatio = 3 "kMinOverlappingRatio",
        /// One behind the other.
        RoundRobin = 4 "kRoundRobin",
    }

    /// Whether a manual compaction rewrites files that are on the last level already.
    BottommostLevelCompaction {
        /// Never.
        Skip = 0 "kSkip",
        /// If there is a compaction filter.
        IfHaveCompactionFilter = 1 "kIfHaveCompactionFilter",
        /// Always, what the same compaction has written included.
        Force = 2 "kForce",
        /// Always, except what the same compaction has written.
        ForceOptimized = 3 "kForceOptimized",
    }

    /// What a universal compaction compares the next run with.
    CompactionStopStyle {
        /// The last run taken.
        SimilarSize = 0 "kCompactionStopStyleSimilarSize",
        /// All runs taken together.
        TotalSize = 1 "kCompactionStopStyleTotalSize",
    }

    /// How often a file is expected to be read, which the file system may use.
    Temperature {
        /// Not known.
        Unknown = 0 "kUnknown",
        /// Hot.
        Hot = 0x04 "kHot",
        /// Warm.
        Warm = 0x08 "kWarm",
        /// Cool.
        Cool = 0x0a "kCool",
        /// Cold.
        Cold = 0x0c "kCold",
        /// Hardly ever.
        Ice = 0x10 "kIce",
    }

    /// A tier of the block cache.
    CacheTier {
        /// Blocks in memory.
        Volatile = 0 "kVolatileTier",
        /// Compressed blocks in memory.
        VolatileCompressed = 1 "kVolatileCompressedTier",
        /// Blocks on a device.
        NonVolatileBlock = 2 "kNonVolatileBlockTier",
    }

    /// How a plain table stores its keys.
    EncodingType {
        /// Each as a whole.
        Plain = 0 "kPlain",
        /// Without the prefix that they share.
        Prefix = 1 "kPrefix",
    }

    /// Where a read may look.
    ReadTier {
        /// Everywhere.
        All = 0 "kReadAllTier",
        /// In memory: what would need a file is `Incomplete`.
        BlockCache = 1 "kBlockCacheTier",
        /// In what survives a crash: tables, and not memtables without a WAL.
        Persisted = 2 "kPersistedTier",
        /// In memtables.
        Memtable = 3 "kMemtableTier",
    }
}

impl Numbered for InfoLogLevel {
    const ALL: &'static [Self] = &[
        InfoLogLevel::Debug,
        InfoLogLevel::Info,
        InfoLogLevel::Warn,
        InfoLogLevel::Error,
        InfoLogLevel::Fatal,
        InfoLogLevel::Header,
    ];

    fn number(self) -> i32 {
        self as i32
    }
}

impl Text for InfoLogLevel {
    fn write(&self, out: &mut String) {
        out.push_str(self.name());
        out.push_str("_LEVEL");
    }

    fn parse(&mut self, name: &str, _path: &str, text: &str, _how: &Reading) -> Result<()> {
        let level = strip_braces(text)
            .strip_suffix("_LEVEL")
            .and_then(|level| Self::ALL.iter().copied().find(|value| value.name() == level));
        *self = level.ok_or_else(|| no_mapping(name))?;
        Ok(())
    }
}

impl Numbered for WalRecoveryMode {
    const ALL: &'static [Self] = &WalRecoveryMode::ALL;

    fn number(self) -> i32 {
        self as i32
    }
}

impl Text for WalRecoveryMode {
    fn write(&self, out: &mut String) {
        out.push_str(self.name());
    }

    fn parse(&mut self, name: &str, _path: &str, text: &str, _how: &Reading) -> Result<()> {
        let mode = WalRecoveryMode::from_name(strip_braces(text));
        *self = mode.ok_or_else(|| no_mapping(name))?;
        Ok(())
    }
}

impl Numbered for CompressionType {
    const ALL: &'static [Self] = &[
        CompressionType::None,
        CompressionType::Snappy,
        CompressionType::Zlib,
        CompressionType::Bzip2,
        CompressionType::Lz4,
        CompressionType::Lz4hc,
        CompressionType::Xpress,
        CompressionType::Zstd,
    ];

    fn number(self) -> i32 {
        self as i32
    }
}

impl Text for CompressionType {
    fn write(&self, out: &mut String) {
        out.push_str(self.option_name());
    }

    fn parse(&mut self, name: &str, _path: &str, text: &str, _how: &Reading) -> Result<()> {
        let text = strip_braces(text);
        *self = CompressionType::from_option_name(text)
            .ok_or_else(|| Status::invalid_argument(format!("Error parsing:: {name}")))?;
        Ok(())
    }
}

/// RocksDB's `kDisableCompressionOption`: the option leaves the choice to another.
const DISABLED: &str = "kDisableCompressionOption";

impl Text for Option<CompressionType> {
    fn write(&self, out: &mut String) {
        match self {
            Some(compression) => compression.write(out),
            None => out.push_str(DISABLED),
        }
    }

    fn parse(&mut self, name: &str, path: &str, text: &str, how: &Reading) -> Result<()> {
        if strip_braces(text) == DISABLED {
            *self = None;
            return Ok(());
        }
        let mut compression = CompressionType::None;
        compression.parse(name, path, text, how)?;
        *self = Some(compression);
        Ok(())
    }
}
