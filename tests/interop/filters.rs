//! Filters that the real library made, byte by byte equal to ours.

use super::tools::{Peer, table_files};
use hematite::env::file_system::FileSystem;
use hematite::env::posix::PosixFileSystem;
use hematite::plug::filter_policy::FilterPolicy;
use hematite::table::fetch::{BlockSource, BlockType};
use hematite::table::filter::{FilterBuilder, FilterContext, FilterReader, KeyHash};
use hematite::table::meta::{FULL_FILTER_PREFIX, MetaIndex};
use std::path::Path;

/// The filter block of the only table in `db`.
fn stored_filter(db: &Path) -> Vec<u8> {
    let [path] = &table_files(db)[..] else { panic!("more than one table in {}", db.display()) };
    let file = PosixFileSystem.open_random(path).unwrap();
    let size = file.size().unwrap();
    let source = BlockSource::open(file, size, Default::default()).unwrap();
    let metaindex = source.read(source.footer().metaindex, BlockType::MetaIndex, true).unwrap();
    let name = format!("{FULL_FILTER_PREFIX}rocksdb.BuiltinBloomFilter");
    let handle = MetaIndex::decode(&metaindex).unwrap().get(&name).expect("a filter");
    source.read(handle, BlockType::Filter, true).unwrap().into_vec()
}

/// The keys that the peer writes.
fn key(number: u32) -> Vec<u8> {
    format!("key{number:07}").into_bytes()
}

#[test]
fn filters_are_those_of_rocksdb_byte_by_byte() {
    let Some(peer) = Peer::find() else { return };
    println!("kind, format version, bits a key, keys: bytes, false positives in percent");
    let mut ribbons = 0;
    for (kind, version) in [("bloom", 5), ("ribbon", 5), ("ribbon", 4), ("bloom", 4), ("bloom", 2)]
    {
        for bits in [1.0, 4.5, 9.9, 10.0, 16.25, 30.0] {
            for keys in [1, 2, 100, 700, 1000, 1021, 5000, 40_000] {
                let dir = tempfile::tempdir().unwrap();
                let db = dir.path().join("db");
                peer.write_filter(&db, kind, bits, keys, version);
                let theirs = stored_filter(&db);
                let policy = match kind {
                    "ribbon" => FilterPolicy::ribbon(bits, -1),
                    _ => FilterPolicy::bloom(bits),
                };
                let context =
                    FilterContext { format_version: version, level: -1, ..Default::default() };
                let mut builder = FilterBuilder::new(&policy, &context).unwrap();
                (0..keys).for_each(|number| builder.add(&key(number)));
                let ours = builder.finish().unwrap();
                let what = format!("{kind} {version} {bits} {keys}");
                assert!(ours == theirs, "{what}: {} bytes, not {}", ours.len(), theirs.len());
                ribbons += u32::from(theirs[theirs.len() - 5] == 0xfe);
                let reader = FilterReader::new(&theirs).unwrap();
                let wrong = (keys..keys + 20_000)
                    .filter(|n| reader.may_match_key(KeyHash::of(&key(*n)), &key(*n)))
                    .count();
                println!("{what}: {} {:.3}", theirs.len(), wrong as f64 / 200.0);
            }
        }
    }
    assert!(ribbons > 50, "only {ribbons} Ribbon filters");
}
