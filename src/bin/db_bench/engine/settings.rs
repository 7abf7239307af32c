//! The objects that a database is opened with, made from the flags once.

use super::library::Argument;
use super::{Engine, Object, merge_operator};
use crate::failure::{Failure, Result};
use crate::flags::Flags;
use std::ptr::null_mut;

/// Options, table options, cache and filter, and options for reading and writing.
pub struct Settings<'a> {
    engine: &'a Engine,
    pub options: Object,
    /// NULL for LevelDB.
    table: Object,
    cache: Object,
    /// LevelDB's filter policy; RocksDB's belongs to its table options.
    policy: Object,
    pub write: Object,
    /// As `write`, but durable when a write returns.
    pub synced_write: Object,
    pub read: Object,
}

// SAFETY: the libraries allow every thread to read them; nobody changes them after they are made.
unsafe impl Sync for Settings<'_> {}

impl Drop for Settings<'_> {
    fn drop(&mut self) {
        let f = &self.engine.functions;
        // SAFETY: each is given back once, after every database (which borrows this) is closed.
        unsafe {
            (f.options_destroy)(self.options);
            (f.writeoptions_destroy)(self.write);
            (f.writeoptions_destroy)(self.synced_write);
            (f.readoptions_destroy)(self.read);
            if !self.cache.is_null() {
                (f.cache_destroy)(self.cache);
            }
        }
        for (name, object) in
            [("block_based_options_destroy", self.table), ("filterpolicy_destroy", self.policy)]
        {
            if !object.is_null() {
                // Every library that made such an object has its destructor.
                let _ = self.engine.library.call(name, object);
            }
        }
    }
}

impl<'a> Settings<'a> {
    pub fn new(engine: &'a Engine, flags: &Flags) -> Result<Settings<'a>> {
        let f = &engine.functions;
        // SAFETY: creators without arguments.
        let mut settings = unsafe {
            Settings {
                engine,
                options: (f.options_create)(),
                table: null_mut(),
                cache: null_mut(),
                policy: null_mut(),
                write: (f.writeoptions_create)(),
                synced_write: (f.writeoptions_create)(),
                read: (f.readoptions_create)(),
            }
        };
        // SAFETY: the library's own objects.
        unsafe { (f.options_set_create_if_missing)(settings.options, 1) };
        let made = if engine.is_leveldb() {
            settings.set_for_leveldb(flags)
        } else {
            settings.set_for_rocksdb(flags)
        };
        made.and_then(|()| settings.set_compression(flags))
            .and_then(|()| settings.set_reads(flags))
            .and_then(|()| settings.set_writes(flags))?;
        Ok(settings)
    }

    fn set(&self, name: &str, object: Object, argument: Argument) -> Result<()> {
        self.engine.library.set(name, object, argument)
    }

    fn set_for_leveldb(&mut self, flags: &Flags) -> Result<()> {
        let f = &self.engine.functions;
        let asked = [
            (flags.statistics, "statistics"),
            (flags.partition_index_and_filters, "partition_index_and_filters"),
            (flags.use_ribbon_filter, "use_ribbon_filter"),
            (flags.readonly, "readonly"),
            (flags.disable_wal, "disable_wal"),
            (!flags.merge_operator.is_empty(), "merge_operator"),
        ];
        if let Some((_, flag)) = asked.iter().find(|(is_set, _)| *is_set) {
            return Err(unknown_to_leveldb(flag));
        }
        // SAFETY: a plain argument.
        self.cache = unsafe { (f.cache_create_lru)(flags.cache_size) };
        self.set("options_set_cache", self.options, Argument::Pointer(self.cache))?;
        if flags.bloom_bits >= 0.0 {
            let create = f.filterpolicy_create_bloom()?;
            // SAFETY: LevelDB's prototype takes an int.
            self.policy = unsafe { create(flags.bloom_bits as i32) };
            let policy = Argument::Pointer(self.policy);
            self.set("options_set_filter_policy", self.options, policy)?;
        }
        for (tuning, value) in &flags.tuning {
            let Some((setter, kind)) = tuning.leveldb else {
                return Err(unknown_to_leveldb(tuning.flag));
            };
            let fits = format!("--{}: '{value}' does not fit", tuning.flag);
            self.set(setter, self.options, kind.argument(value).ok_or(fits)?)?;
        }
        Ok(())
    }

    fn set_for_rocksdb(&mut self, flags: &Flags) -> Result<()> {
        let library = &self.engine.library;
        self.table = library.make("block_based_options_create")?;
        self.set_cache(flags)?;
        self.set_filter(flags)?;
        self.set_partitions(flags)?;
        if flags.statistics {
            library.call("options_enable_statistics", self.options)?;
        } else if flags.tuning.iter().any(|(tuning, _)| tuning.flag == "stats_level") {
            return Err("--stats_level needs --statistics".into());
        }
        for (tuning, value) in &flags.tuning {
            let is_table = tuning.setter.starts_with("block_based_options_");
            let object = if is_table { self.table } else { self.options };
            let fits = format!("--{}: '{value}' does not fit", tuning.flag);
            let argument = tuning.kind.argument(value).ok_or(fits)?;
            let failed = |failure: Failure| failure.to_string() + ", which --" + tuning.flag;
            library
                .set(tuning.setter, object, argument)
                .map_err(|failure| failed(failure) + " needs")?;
        }
        self.set_prefix(flags)?;
        self.set_merge_operator(flags)?;
        let table = Argument::Pointer(self.table);
        self.set("options_set_block_based_table_factory", self.options, table)
    }

    fn set_cache(&mut self, flags: &Flags) -> Result<()> {
        let f = &self.engine.functions;
        if flags.cache_size == 0 {
            return self.set(
                "block_based_options_set_no_block_cache",
                self.table,
                Argument::Byte(1),
            );
        }
        self.cache = match flags.cache_type.as_str() {
            // SAFETY: a plain argument.
            "lru_cache" => unsafe { (f.cache_create_lru)(flags.cache_size) },
            "hyper_clock_cache" | "auto_hyper_clock_cache" => {
                let create = f.cache_create_hyper_clock()?;
                // SAFETY: plain arguments; an estimated charge of 0 has the library find out.
                unsafe { create(flags.cache_size, 0) }
            }
            other => {
                let known = "lru_cache, hyper_clock_cache";
                return Err(format!("--cache_type: '{other}' is none of {known}").into());
            }
        };
        let cache = Argument::Pointer(self.cache);
        self.set("block_based_options_set_block_cache", self.table, cache)
    }

    fn set_filter(&self, flags: &Flags) -> Result<()> {
        if flags.bloom_bits < 0.0 {
            return Ok(());
        }
        let f = &self.engine.functions;
        let create = if flags.use_ribbon_filter {
            f.filterpolicy_create_ribbon()?
        } else {
            f.filterpolicy_create_bloom_full()?
        };
        // SAFETY: RocksDB's prototypes take a double.
        let policy = unsafe { create(flags.bloom_bits) };
        let policy = Argument::Pointer(policy);
        self.set("block_based_options_set_filter_policy", self.table, policy)
    }

    fn set_partitions(&self, flags: &Flags) -> Result<()> {
        const TWO_LEVELS: i32 = 2;
        if !flags.partition_index_and_filters {
            return Ok(());
        }
        let index = Argument::Int(TWO_LEVELS);
        self.set("block_based_options_set_index_type", self.table, index)?;
        self.set("block_based_options_set_partition_filters", self.table, Argument::Byte(1))
    }

    fn set_prefix(&self, flags: &Flags) -> Result<()> {
        if flags.prefix_size == 0 {
            return Ok(());
        }
        let create = self.engine.functions.slicetransform_create_fixed_prefix()?;
        // SAFETY: a plain argument; the options take the object over.
        let transform = Argument::Pointer(unsafe { create(flags.prefix_size) });
        self.set("options_set_prefix_extractor", self.options, transform)
    }

    fn set_merge_operator(&self, flags: &Flags) -> Result<()> {
        let operator = match flags.merge_operator.as_str() {
            "" => return Ok(()),
            "uint64add" => {
                let set = "options_set_uint64add_merge_operator";
                return self.engine.library.call(set, self.options);
            }
            "stringappend" => merge_operator::STRING_APPEND,
            "put" => merge_operator::PUT,
            other => {
                let known = "uint64add, stringappend, put";
                return Err(format!("--merge_operator: '{other}' is none of {known}").into());
            }
        };
        let create = self.engine.functions.mergeoperator_create()?;
        // SAFETY: the functions are as the interface wants them and need no state; without a
        // function for it, results are freed with `free`.
        let object = unsafe {
            create(
                null_mut(),
                merge_operator::destroy,
                operator.full,
                operator.partial,
                null_mut(),
                operator.name,
            )
        };
        self.set("options_set_merge_operator", self.options, Argument::Pointer(object))
    }

    fn set_compression(&self, flags: &Flags) -> Result<()> {
        let number = match flags.compression_type.as_str() {
            "none" => 0,
            "snappy" => 1,
            "zlib" => 2,
            "bzip2" => 3,
            "lz4" => 4,
            "lz4hc" => 5,
            "zstd" => 7,
            other => {
                let known = "none, snappy, zlib, bzip2, lz4, lz4hc, zstd";
                return Err(format!("--compression_type: '{other}' is none of {known}").into());
            }
        };
        if self.engine.is_leveldb() && number > 1 {
            let name = &flags.compression_type;
            return Err(unknown_to_leveldb(&format!("compression_type={name}")));
        }
        let f = &self.engine.functions;
        // SAFETY: the library's own options.
        unsafe { (f.options_set_compression)(self.options, number) };
        const LIBRARY_CHOOSES: i32 = 32767;
        let (level, dict) = (flags.compression_level, flags.compression_max_dict_bytes);
        if level.is_none() && dict == 0 {
            return Ok(());
        }
        let set = f.options_set_compression_options()?;
        // SAFETY: as above; -14 and 0 are RocksDB's defaults for zlib's window and strategy.
        unsafe { set(self.options, -14, level.unwrap_or(LIBRARY_CHOOSES), 0, dict) };
        Ok(())
    }

    fn set_reads(&self, flags: &Flags) -> Result<()> {
        let f = &self.engine.functions;
        // SAFETY: the library's own options.
        unsafe { (f.readoptions_set_verify_checksums)(self.read, flags.verify_checksum.into()) };
        let switches = [
            ("total_order_seek", flags.total_order_seek),
            ("prefix_same_as_start", flags.prefix_same_as_start),
            ("tailing", flags.use_tailing_iterator),
            ("async_io", flags.async_io),
            ("auto_prefix_mode", flags.auto_prefix_mode),
        ];
        for (name, is_set) in switches {
            if is_set {
                let setter = format!("readoptions_set_{name}");
                self.set(&setter, self.read, Argument::Byte(1))?;
            }
        }
        if flags.readahead_size > 0 {
            let size = Argument::Long(flags.readahead_size);
            self.set("readoptions_set_readahead_size", self.read, size)?;
        }
        Ok(())
    }

    fn set_writes(&self, flags: &Flags) -> Result<()> {
        let f = &self.engine.functions;
        // SAFETY: the library's own options.
        unsafe {
            (f.writeoptions_set_sync)(self.write, flags.sync.into());
            (f.writeoptions_set_sync)(self.synced_write, 1);
        }
        if flags.disable_wal {
            self.set("writeoptions_disable_WAL", self.write, Argument::Int(1))?;
        }
        Ok(())
    }
}

/// A flag that only a RocksDB can honour.
fn unknown_to_leveldb(flag: &str) -> Failure {
    Failure::Unavailable(format!("LevelDB does not know --{flag}"))
}
