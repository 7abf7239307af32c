//! Databases shared with RocksDB's own programs and library (7.8 or later): each accepts what the
//! other wrote, and sees the same contents.
//!
//! What is needed: `ldb`, `sst_dump`, a C compiler, `rocksdb/c.h` and `librocksdb`. Without them
//! the tests say so and pass, unless `HEMATITE_REQUIRE_PEERS` is set. `HEMATITE_SEED` changes what
//! is written.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test may panic")]

mod backups;
mod filters;
mod model;
mod tools;

use hematite::base::random::Random;
use hematite::codec::CompressionType;
use model::{Format, Model, Store};
use std::path::Path;
use tools::{Peer, copy_dir};

const FORMATS: [Format; 19] = [
    format(CompressionType::None, false, 5),
    format(CompressionType::Snappy, true, 5),
    format(CompressionType::Lz4, true, 5),
    format(CompressionType::Zstd, false, 5),
    format(CompressionType::Snappy, false, 2),
    format(CompressionType::Lz4, false, 4),
    Format { partitioned: true, ..format(CompressionType::Lz4, true, 5) },
    Format { partitioned: true, ..format(CompressionType::None, true, 3) },
    Format {
        table: "data_block_index_type=kDataBlockBinaryAndHash;block_restart_interval=3",
        ..format(CompressionType::None, false, 5)
    },
    Format {
        table: "block_align=true;data_block_index_type=kDataBlockBinaryAndHash",
        ..format(CompressionType::None, true, 4)
    },
    Format {
        compression_opts: "{max_dict_bytes=1000;max_dict_buffer_bytes=3000}",
        ..format(CompressionType::Lz4, true, 5)
    },
    Format {
        compression_opts: "{max_dict_bytes=2000;zstd_max_train_bytes=40000}",
        partitioned: true,
        ..format(CompressionType::Zstd, true, 5)
    },
    Format {
        compression_opts: "{level=9;strategy=1;window_bits=-12}",
        ..format(CompressionType::Zlib, true, 5)
    },
    Format {
        compression_opts: "{max_dict_bytes=1000;max_dict_buffer_bytes=3000}",
        ..format(CompressionType::Zlib, true, 3)
    },
    format(CompressionType::Bzip2, true, 4),
    Format { compression_opts: "{level=7}", ..format(CompressionType::Lz4hc, true, 5) },
    Format {
        compression_opts: "{level=-9;max_dict_bytes=1000}",
        filter: "ribbonfilter:10:-1",
        ..format(CompressionType::Lz4, true, 5)
    },
    Format {
        filter: "ribbonfilter:8.5:1",
        partitioned: true,
        ..format(CompressionType::None, true, 5)
    },
    Format {
        table: "optimize_filters_for_memory=true;detect_filter_construct_corruption=true",
        filter: "ribbonfilter:20:0",
        ..format(CompressionType::Snappy, true, 2)
    },
];

const fn format(compression: CompressionType, bloom: bool, format_version: u32) -> Format {
    let (table, compression_opts) = ("", "{level=32767}");
    let filter = if bloom { "bloomfilter:10:false" } else { "nullptr" };
    Format { compression, filter, format_version, partitioned: false, table, compression_opts }
}

/// Writes some rounds, each ended by flushes of a part of the column families; the last round is
/// in the log only.
fn write_rounds(store: &mut Store, model: &mut Model, random: &mut Random) {
    for round in 0..3 {
        model.run_round(random, 300, |ops| store.apply(ops));
        if round < 2 {
            store.flush(random);
        }
        if round == 1 {
            store.compact(random);
        }
    }
    store.settle();
}

#[test]
fn rocksdb_accepts_what_hematite_wrote() {
    let Some(peer) = Peer::find() else { return };
    let mut random = Random::from_env(71);
    for format in FORMATS {
        println!("{format:?}");
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("db");
        let (mut store, mut model) = (Store::create(&path, format), Model::new());
        write_rounds(&mut store, &mut model, &mut random);
        assert!(store.last_level() > 0, "tables behind level 0");
        // As it would be found if the process ended now: with a log that nobody closed.
        let crashed = dir.path().join("crashed");
        copy_dir(&path, &crashed);
        assert!(tools::table_files(&crashed).len() > 1, "tables beside the log");
        examine(&peer, &crashed, &model);
        assert_eq!(peer.filter_hits(&crashed) > 0, format.filter != "nullptr");
        store.close();
        examine(&peer, &path, &model);
        // The next opening turns the log into tables, and writes OPTIONS and MANIFEST again.
        Store::open(&path, format).close();
        examine(&peer, &path, &model);
    }
}

/// Every way in which RocksDB's programs look at a database; each gets a copy, since they change
/// it.
fn examine(peer: &Peer, path: &Path, model: &Model) {
    let on_copy = |look: &dyn Fn(&Path)| {
        let dir = tempfile::tempdir().unwrap();
        let copy = dir.path().join("copy");
        copy_dir(path, &copy);
        look(&copy);
    };
    on_copy(&|db| assert_eq!(tools::column_families(db), model.names()));
    on_copy(&|db| tools::check_consistency(db));
    on_copy(&|db| tools::verify_tables(db));
    on_copy(&|db| tools::dump_manifest(db, &model.names()));
    for (name, rows) in model.families() {
        on_copy(&|db| tools::compare_scan(db, name, rows));
    }
    on_copy(&|db| model.compare_dump("read", &peer.dump("read", db)));
    on_copy(&|db| {
        model.compare_dump("open", &peer.dump("open", db));
        // RocksDB's recovery has changed the files; they must still be the same database.
        let store = Store::open(db, FORMATS[0]);
        store.compare(model);
        store.close();
    });
}

#[test]
fn hematite_reads_and_continues_what_rocksdb_wrote() {
    let Some(peer) = Peer::find() else { return };
    let mut random = Random::from_env(72);
    for format in FORMATS {
        println!("{format:?}");
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("db");
        let mut model = Model::new();
        let mut commands = model.create_commands();
        for round in 0..3 {
            model.run_round(&mut random, 300, |ops| commands.push_str(&model::commands(ops)));
            if round < 2 {
                commands.push_str(&model::flush_commands(&mut random));
            }
            if round == 1 && random.one_in(2) {
                commands.push_str(&model::compact_commands(&mut random));
            }
        }
        // The program ends without closing, so the last round is in the log.
        let dump = peer.write(&path, format.compression as u8, &commands);
        model.compare_dump("written", &dump);
        let read_only = Store::open_read_only(&path, format);
        read_only.compare(&model);
        read_only.close();
        let mut store = Store::open(&path, format);
        store.compare(&model);
        write_rounds(&mut store, &mut model, &mut random);
        store.compare(&model);
        let crashed = dir.path().join("crashed");
        copy_dir(&path, &crashed);
        model.compare_dump("continued", &peer.dump("open", &crashed));
        store.close();
        examine(&peer, &path, &model);
    }
}
