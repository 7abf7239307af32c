//! The command line.

use std::path::PathBuf;

pub const HELP: &str = "\
db_bench: measures a key-value library through its C interface

usage: db_bench [--flag=value]...

  --benchmarks=A,B,...     what to run, in order
                           (default fillseq,fillrandom,readrandom,seekrandom,readseq,readreverse)
      fillseq fillrandom fillbatch fillsync overwrite deleteseq deleterandom
      readrandom readmissing readhot readseq readreverse seekrandom newiterator
      readwhilewriting flush
      (the fill workloads start from an empty database)
  --num=N                  keys in the key space (default 1000000)
  --reads=N                reads a thread (default: as num)
  --threads=N              threads, each doing that many operations (default 1)
  --key_size=N             bytes (default 16)
  --value_size=N           bytes (default 100)
  --compression_ratio=X    what values compress to (default 0.5)
  --compression_type=T     none, snappy, lz4 or zstd (default snappy, as RocksDB's db_bench)
  --batch_size=N           keys a batch in fillbatch (default 1000)
  --write_buffer_size=N    bytes (default: the library's)
  --bloom_bits=X           Bloom filter bits a key; negative: no filter (default -1)
  --cache_size=N           block cache bytes (default 33554432)
  --seek_nexts=N           steps after each seek (default 0)
  --sync=0|1               sync every write (default 0)
  --disable_wal=0|1        write without the log (default 0)
  --use_existing_db=0|1    keep what is there (default 0)
  --histogram=0|1          print latency percentiles (default 0)
  --statistics=0|1         have the library count what it does (default 0)
  --seed=N                 of keys and values (default 1)
  --db=DIR                 where (default: a folder of its own in the temporary folder)
  --library=FILE           the shared library to measure (default: libhematite.so beside this program)
";

pub const DEFAULT_BENCHMARKS: &str = "fillseq,fillrandom,readrandom,seekrandom,readseq,readreverse";

pub struct Flags {
    pub benchmarks: Vec<String>,
    pub num: u64,
    pub reads: Option<u64>,
    pub threads: u64,
    pub key_size: usize,
    pub value_size: usize,
    pub compression_ratio: f64,
    pub compression_type: String,
    pub batch_size: u64,
    pub write_buffer_size: Option<usize>,
    pub bloom_bits: f64,
    pub cache_size: usize,
    pub seek_nexts: u64,
    pub sync: bool,
    pub disable_wal: bool,
    pub use_existing_db: bool,
    pub histogram: bool,
    pub statistics: bool,
    pub seed: u64,
    pub db: PathBuf,
    pub library: PathBuf,
}

impl Flags {
    fn defaults() -> Flags {
        Flags {
            benchmarks: DEFAULT_BENCHMARKS.split(',').map(String::from).collect(),
            num: 1_000_000,
            reads: None,
            threads: 1,
            key_size: 16,
            value_size: 100,
            compression_ratio: 0.5,
            compression_type: "snappy".into(),
            batch_size: 1000,
            write_buffer_size: None,
            bloom_bits: -1.0,
            cache_size: 32 << 20,
            seek_nexts: 0,
            sync: false,
            disable_wal: false,
            use_existing_db: false,
            histogram: false,
            statistics: false,
            seed: 1,
            db: std::env::temp_dir().join("hematite-db_bench"),
            library: default_library(),
        }
    }

    /// The flags, or `None` if help was asked for.
    pub fn parse(args: impl Iterator<Item = String>) -> Result<Option<Flags>, String> {
        let mut flags = Flags::defaults();
        for arg in args {
            if matches!(arg.as_str(), "--help" | "-h" | "-help") {
                return Ok(None);
            }
            let (name, value) = arg
                .strip_prefix("--")
                .or_else(|| arg.strip_prefix('-'))
                .and_then(|flag| flag.split_once('='))
                .ok_or_else(|| format!("'{arg}' is not of the form --flag=value"))?;
            flags.set(name, value)?;
        }
        if flags.key_size < 8 {
            return Err("--key_size must be at least 8".into());
        }
        Ok(Some(flags))
    }

    fn set(&mut self, name: &str, value: &str) -> Result<(), String> {
        match name {
            "benchmarks" => self.benchmarks = value.split(',').map(String::from).collect(),
            "num" => self.num = number(name, value)?,
            "reads" => self.reads = Some(number(name, value)?),
            "threads" => self.threads = number(name, value)?,
            "key_size" => self.key_size = number(name, value)?,
            "value_size" => self.value_size = number(name, value)?,
            "compression_ratio" => self.compression_ratio = number(name, value)?,
            "compression_type" => self.compression_type = value.into(),
            "batch_size" => self.batch_size = number(name, value)?,
            "write_buffer_size" => self.write_buffer_size = Some(number(name, value)?),
            "bloom_bits" => self.bloom_bits = number(name, value)?,
            "cache_size" => self.cache_size = number(name, value)?,
            "seek_nexts" => self.seek_nexts = number(name, value)?,
            "sync" => self.sync = switch(name, value)?,
            "disable_wal" => self.disable_wal = switch(name, value)?,
            "use_existing_db" => self.use_existing_db = switch(name, value)?,
            "histogram" => self.histogram = switch(name, value)?,
            "statistics" => self.statistics = switch(name, value)?,
            "seed" => self.seed = number(name, value)?,
            "db" => self.db = value.into(),
            "library" => self.library = value.into(),
            _ => return Err(format!("unknown flag --{name}")),
        }
        Ok(())
    }
}

/// The library that was built with this program: cargo puts it into `deps` at every build, but
/// beside the program only when the library itself is asked for.
fn default_library() -> PathBuf {
    const NAME: &str = "libhematite.so";
    let exe = std::env::current_exe().unwrap_or_default();
    let [fresh, installed] = ["deps", ""].map(|dir| exe.with_file_name(dir).join(NAME));
    if fresh.exists() { fresh } else { installed }
}

fn number<T: std::str::FromStr>(name: &str, value: &str) -> Result<T, String> {
    value.parse().map_err(|_| format!("--{name}: '{value}' is not a fitting number"))
}

fn switch(name: &str, value: &str) -> Result<bool, String> {
    match value {
        "1" | "true" => Ok(true),
        "0" | "false" => Ok(false),
        _ => Err(format!("--{name}: '{value}' is neither 0 nor 1")),
    }
}
