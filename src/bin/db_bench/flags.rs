//! The command line.

use crate::engine::tuning::{self, TUNINGS, Tuning};
use std::fmt::Write;
use std::path::{Path, PathBuf};

/// What a flag's value may be.
trait Value: Sized {
    const IS_SWITCH: bool = false;
    fn parse(text: &str) -> Option<Self>;
    /// As help shows it.
    fn show(&self) -> String;
}

macro_rules! parsed_values {
    ($($type:ty)*) => {
        $(impl Value for $type {
            fn parse(text: &str) -> Option<Self> {
                text.parse().ok()
            }

            fn show(&self) -> String {
                self.to_string()
            }
        })*
    };
}

parsed_values!(u64 i64 usize i32 f64 String);

impl Value for bool {
    const IS_SWITCH: bool = true;

    fn parse(text: &str) -> Option<bool> {
        match text {
            "1" | "true" => Some(true),
            "0" | "false" => Some(false),
            _ => None,
        }
    }

    fn show(&self) -> String {
        u8::from(*self).to_string()
    }
}

impl Value for Option<i32> {
    fn parse(text: &str) -> Option<Self> {
        text.parse().ok().map(Some)
    }

    fn show(&self) -> String {
        self.map_or("the library's".into(), |value| value.to_string())
    }
}

impl Value for PathBuf {
    fn parse(text: &str) -> Option<PathBuf> {
        Some(text.into())
    }

    fn show(&self) -> String {
        self.display().to_string()
    }
}

macro_rules! flags {
    ($($group:literal { $($(#[doc = $doc:literal])+ $name:ident: $type:ty = $default:expr;)* })*) => {
        /// Every flag that the program itself understands.
        #[derive(Clone)]
        pub struct Flags {
            $($($(#[doc = $doc])+ pub $name: $type,)*)*
            /// Flags that are passed on to the library, with their values.
            pub tuning: Vec<(&'static Tuning, String)>,
            /// All flags as they were given, for the processes that a comparison starts.
            pub given: Vec<(String, String)>,
        }

        impl Flags {
            pub fn defaults() -> Flags {
                Flags { $($($name: $default,)*)* tuning: Vec::new(), given: Vec::new() }
            }

            /// Whether the flag is on or off, if there is such a flag.
            fn is_switch(name: &str) -> Option<bool> {
                match name {
                    $($(stringify!($name) => Some(<$type as Value>::IS_SWITCH),)*)*
                    _ => tuning::find(name).map(|tuning| tuning.kind.is_switch()),
                }
            }

            fn set_own(&mut self, name: &str, value: &str) -> Result<bool, String> {
                let unfit = || format!("--{name}: '{value}' is no fitting value");
                match name {
                    $($(stringify!($name) => {
                        self.$name = <$type as Value>::parse(value).ok_or_else(unfit)?;
                    })*)*
                    _ => return Ok(false),
                }
                Ok(true)
            }

            fn help_own(&self, text: &mut String) {
                $(
                    let _ = writeln!(text, "\n{}:", $group);
                    $(let doc = concat!($($doc),+);
                    let _ = writeln!(text, "  --{:<28}{} (default {})",
                        stringify!($name), doc.trim(), or_none(self.$name.show()));)*
                )*
            }
        }
    };
}

fn or_none(shown: String) -> String {
    if shown.is_empty() { "none".into() } else { shown }
}

flags! {
    "What runs" {
        /// workloads, in order; NAME[X3-W1] repeats one 3 times after 1 run to warm up
        benchmarks: String = DEFAULT_BENCHMARKS.into();
        /// the shared library to measure
        library: PathBuf = default_library();
        /// the database's folder
        db: PathBuf = std::env::temp_dir().join("hematite-db_bench");
        /// keep what is there, and skip the workloads that begin with an empty database
        use_existing_db: bool = false;
        /// open for reading alone
        readonly: bool = false;
        /// threads, each of which does that many operations
        threads: u64 = 1;
        /// seconds that random reads, writes and deletes run, instead of a number of operations
        duration: u64 = 0;
        /// of keys and values; 0 takes the clock
        seed: u64 = 1;
    }
    "Keys and values" {
        /// keys in the key space
        num: u64 = 1_000_000;
        /// reads a thread; negative: as num
        reads: i64 = -1;
        /// writes a thread; negative: as num
        writes: i64 = -1;
        /// deletes a thread; negative: as num
        deletes: i64 = -1;
        /// bytes
        key_size: usize = 16;
        /// bytes
        value_size: usize = 100;
        /// what values compress to
        compression_ratio: f64 = 0.5;
        /// bytes that keys have in common with others; the prefix extractor's length
        prefix_size: usize = 0;
        /// keys with the same prefix
        keys_per_prefix: u64 = 0;
        /// operations in a write batch or a multi-get
        batch_size: u64 = 1;
        /// distinct keys of the merge workloads; negative: as num
        merge_keys: i64 = -1;
        /// of 100 operations of readrandommergerandom, those that merge
        mergereadpercent: u64 = 70;
        /// of 100 operations of readrandomwriterandom, those that read
        readwritepercent: u64 = 90;
        /// keys that each range of deleterange has
        range_tombstone_width: u64 = 100;
    }
    "Reads" {
        /// steps after each seek
        seek_nexts: u64 = 0;
        /// step backwards after a seek
        reverse_iterator: bool = false;
        /// seek with one iterator all the time
        reuse_iterator: bool = false;
        /// multireadrandom pins values instead of copying them
        multiread_batched: bool = false;
        /// distance between the keys of a multi-get; 0: random keys
        multiread_stride: u64 = 0;
        /// check blocks that are read
        verify_checksum: bool = true;
        /// iterators see all prefixes
        total_order_seek: bool = false;
        /// iterators end with the prefix that they were sought to
        prefix_same_as_start: bool = false;
        /// iterators use prefix filters where that is safe
        auto_prefix_mode: bool = false;
        /// iterators see what is written after they were made
        use_tailing_iterator: bool = false;
        /// bytes that iterators read ahead
        readahead_size: u64 = 0;
        /// iterators read ahead while the program goes on
        async_io: bool = false;
        /// snapshots held open meanwhile, each after a write of the last key
        open_snapshots: u64 = 0;
        /// iterators held open meanwhile, each at a key
        open_iterators: u64 = 0;
    }
    "Writes" {
        /// sync every write
        sync: bool = false;
        /// write without the log
        disable_wal: bool = false;
        /// uint64add, stringappend or put
        merge_operator: String = String::new();
    }
    "Tables and cache" {
        /// none, snappy, zlib, bzip2, lz4, lz4hc or zstd
        compression_type: String = "snappy".into();
        /// of the compression
        compression_level: Option<i32> = None;
        /// bytes of a compression dictionary
        compression_max_dict_bytes: i32 = 0;
        /// filter bits a key; negative: no filter
        bloom_bits: f64 = -1.0;
        /// Ribbon instead of Bloom filters
        use_ribbon_filter: bool = false;
        /// block cache bytes; 0: no cache
        cache_size: usize = 32 << 20;
        /// lru_cache or hyper_clock_cache
        cache_type: String = "lru_cache".into();
        /// partitioned indexes and filters
        partition_index_and_filters: bool = false;
    }
    "What is reported" {
        /// percentiles of the time of each kind of operation
        histogram: bool = false;
        /// what the library counted, at the end
        statistics: bool = false;
        /// of the library's perf context, whose counts follow each workload: 1 none, 2 counts, 5 times
        perf_level: i32 = 1;
        /// peak memory, database size and bytes written, after each workload
        resources: bool = false;
        /// a file for all figures as comma-separated values
        csv: PathBuf = PathBuf::new();
    }
    "Comparison" {
        /// libraries to compare --library with: [NAME=]FILE,...; each runs in its own processes, in turns
        compare: String = String::new();
        /// a list of workloads with their flags, instead of --benchmarks: core, threads or large
        suite: String = String::new();
        /// times that each library runs everything
        rounds: u64 = 3;
        /// a folder on a disk for the workloads that measure it
        disk_db: PathBuf = std::env::temp_dir().join("hematite-db_bench-disk");
        /// print the table as Markdown
        markdown: bool = false;
        /// a file for a chart of the ratios
        svg: PathBuf = PathBuf::new();
    }
}

const DEFAULT_BENCHMARKS: &str = "fillseq,fillrandom,readrandom,seekrandom,readseq,readreverse";

const USAGE: &str = "\
db_bench: measures a key-value library through its C interface, that of RocksDB or of LevelDB

usage: db_bench [--flag=value | --flag value | --switch | --noswitch]...
       (one dash does as well)
";

impl Flags {
    /// The flags, or `None` if help was asked for.
    pub fn parse(args: impl Iterator<Item = String>) -> Result<Option<Flags>, String> {
        let mut flags = Flags::defaults();
        let mut args = args.peekable();
        while let Some(arg) = args.next() {
            if matches!(arg.as_str(), "--help" | "-h" | "-help") {
                return Ok(None);
            }
            let flag = arg
                .strip_prefix("--")
                .or_else(|| arg.strip_prefix('-'))
                .ok_or_else(|| format!("'{arg}' is no flag: those begin with --"))?;
            let (name, value) = match flag.split_once('=') {
                Some((name, value)) => (name, value.to_string()),
                None => bare(flag, || args.next())?,
            };
            flags.set(name, &value)?;
        }
        flags.check()?;
        Ok(Some(flags))
    }

    /// Sets one flag.
    pub fn set(&mut self, name: &str, value: &str) -> Result<(), String> {
        self.given.push((name.into(), value.into()));
        if self.set_own(name, value)? {
            return Ok(());
        }
        let tuning = tuning::find(name).ok_or_else(|| format!("unknown flag --{name}"))?;
        if tuning.kind.argument(value).is_none() {
            return Err(format!("--{name}: '{value}' is no fitting value"));
        }
        self.tuning.push((tuning, value.into()));
        Ok(())
    }

    fn check(&mut self) -> Result<(), String> {
        let digits = self.key_size.saturating_sub(self.prefix_bytes()).min(8) as u32;
        let keys = 1u128 << (8 * digits);
        if digits == 0 || u128::from(self.num) > keys {
            return Err("--key_size is too small for --num different keys".into());
        }
        if self.keys_per_prefix > 0 && self.prefix_size == 0 {
            return Err("--keys_per_prefix needs --prefix_size".into());
        }
        for (name, value) in [
            ("num", self.num),
            ("threads", self.threads),
            ("batch_size", self.batch_size),
            ("rounds", self.rounds),
            ("range_tombstone_width", self.range_tombstone_width),
        ] {
            if value == 0 {
                return Err(format!("--{name} must be at least 1"));
            }
        }
        if self.num > i64::MAX as u64 {
            return Err("--num is too large".into());
        }
        if !(self.compression_ratio > 0.0 && self.compression_ratio <= 1.0) {
            return Err("--compression_ratio must be above 0 and at most 1".into());
        }
        if self.merge_operator == "uint64add" && self.value_size != 8 {
            return Err("--merge_operator=uint64add needs --value_size=8".into());
        }
        if self.seed == 0 {
            let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
            self.seed = now.map_or(1, |time| time.as_nanos() as u64);
        }
        Ok(())
    }

    /// The bytes of a key that its prefix takes.
    pub fn prefix_bytes(&self) -> usize {
        if self.keys_per_prefix > 0 { self.prefix_size } else { 0 }
    }
}

/// A flag without `=`: a switch, `no` and a switch, or a flag whose value is the next argument.
fn bare(flag: &str, next: impl FnOnce() -> Option<String>) -> Result<(&str, String), String> {
    match Flags::is_switch(flag) {
        Some(true) => Ok((flag, "1".into())),
        Some(false) => next().map(|value| (flag, value)).ok_or(format!("--{flag} needs a value")),
        None => match flag.strip_prefix("no").map(|name| (name, Flags::is_switch(name))) {
            Some((name, Some(true))) => Ok((name, "0".into())),
            _ => Err(format!("unknown flag --{flag}")),
        },
    }
}

/// What `--help` prints.
pub fn help(workloads: &str) -> String {
    let mut text = String::from(USAGE);
    Flags::defaults().help_own(&mut text);
    text += "\nPassed on to the library, which keeps its default otherwise:\n";
    let mut line = String::from(" ");
    for tuning in TUNINGS {
        if line.len() + tuning.flag.len() + 3 > 100 {
            let _ = writeln!(text, "{line}");
            line = String::from(" ");
        }
        let _ = write!(line, " --{}", tuning.flag);
    }
    let _ = writeln!(text, "{line}\n\nWorkloads:\n{workloads}");
    text
}

/// The library that was built with this program: cargo puts it into `deps` at every build, but
/// beside the program only when the library itself is asked for.
fn default_library() -> PathBuf {
    const NAME: &str = "libhematite.so";
    let exe = std::env::current_exe().unwrap_or_default();
    let beside = |dir: &str| Path::new(&exe).with_file_name(dir).join(NAME);
    let [fresh, installed] = ["deps", ""].map(beside);
    if fresh.exists() { fresh } else { installed }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(args: &[&str]) -> Result<Option<Flags>, String> {
        Flags::parse(args.iter().map(|arg| arg.to_string()))
    }

    fn parsed(args: &[&str]) -> Flags {
        parse(args).unwrap().unwrap()
    }

    #[test]
    fn every_form_of_a_flag_is_understood() {
        let flags = parsed(&[
            "-num=7",
            "--reads",
            "-3",
            "--histogram",
            "--noverify_checksum",
            "--sync=true",
            "--open_files",
            "-1",
            "-mmap_read",
        ]);
        assert_eq!((flags.num, flags.reads, flags.histogram), (7, -3, true));
        assert!(!flags.verify_checksum && flags.sync);
        let tuning: Vec<(&str, &str)> =
            flags.tuning.iter().map(|(tuning, value)| (tuning.flag, value.as_str())).collect();
        assert_eq!(tuning, [("open_files", "-1"), ("mmap_read", "1")]);
    }

    #[test]
    fn what_cannot_be_understood_is_named() {
        for (args, text) in [
            (&["--nun=7"][..], "unknown flag --nun"),
            (&["--num=x"], "--num: 'x' is no fitting value"),
            (&["num=7"], "'num=7' is no flag: those begin with --"),
            (&["--num"], "--num needs a value"),
            (&["--nonum"], "unknown flag --nonum"),
            (&["--num=0"], "--num must be at least 1"),
            (&["--block_size=big"], "--block_size: 'big' is no fitting value"),
            (&["--key_size=1", "--num=257"], "--key_size is too small for --num different keys"),
            (&["--keys_per_prefix=3"], "--keys_per_prefix needs --prefix_size"),
            (&["--merge_operator=uint64add"], "--merge_operator=uint64add needs --value_size=8"),
        ] {
            assert_eq!(parse(args).err().as_deref(), Some(text), "{args:?}");
        }
    }

    #[test]
    fn help_names_every_flag() {
        assert!(parse(&["--num=7", "--help"]).unwrap().is_none());
        let text = help("  fillseq");
        for flag in ["--num ", "--multiread_batched ", " --max_background_jobs", "fillseq"] {
            assert!(text.contains(flag), "{flag}: {text}");
        }
    }
}
