use super::*;
use crate::base::comparator::Bytewise;
use crate::base::iterator::InternalIterator;
use crate::base::key::InternalKey;
use crate::base::random::Random;
use crate::base::sync::Arc;
use crate::env::file_system::{FileSystem, RandomFile};
use crate::env::posix::PosixFileSystem;
use crate::table::block::BlockIter;
use crate::table::fetch::{BlockSource, BlockType};
use crate::table::index::{IndexEntries, IndexFormat};
use crate::table::unique_id::encode_session_id;
use std::path::{Path, PathBuf};
use std::process::Command;

type Records = Vec<(Vec<u8>, Vec<u8>)>;

const CODECS: [CompressionType; 5] = [
    CompressionType::None,
    CompressionType::Snappy,
    CompressionType::Lz4,
    CompressionType::Lz4hc,
    CompressionType::Zstd,
];

fn records(random: &mut Random, count: u64) -> Records {
    let types = [ValueType::Value, ValueType::Value, ValueType::Deletion, ValueType::Merge];
    let mut records = Records::new();
    for i in 0..count {
        let user = format!("user{:07}/{}", i * 3, "x".repeat(random.below(20) as usize));
        for sequence in (1..=1 + random.below(3)).rev() {
            let value_type = types[random.below(4) as usize];
            let key = InternalKey::new(user.as_bytes(), sequence * 10, value_type);
            let len = random.below(120) as usize;
            let value = match (value_type, random.one_in(3)) {
                (ValueType::Deletion, _) => Vec::new(),
                (_, true) => random.bytes(len),
                (_, false) => vec![b'v'; len],
            };
            records.push((key.as_bytes().to_vec(), value));
        }
    }
    records
}

fn options(version: u32, checksum: ChecksumType, codec: CompressionType) -> TableBuilderOptions {
    TableBuilderOptions {
        format_version: version,
        checksum,
        compression: codec,
        block_size: 1000,
        filter_policy: Some(FilterPolicy::bloom(10.0)),
        column_family_id: 0,
        column_family_name: "default".into(),
        db_id: "0c4a36d7-2f63-4b5e-9d4f-1f0c9b1d9a11".into(),
        db_session_id: encode_session_id(77, 0x1234_5678_9abc_def0),
        db_host_id: "host".into(),
        file_number: 12,
        creation_time: 1_700_000_000,
        verify_compression: true,
        ..TableBuilderOptions::default()
    }
}

fn build(options: TableBuilderOptions, records: &Records, path: &Path) -> TableSummary {
    let file = PosixFileSystem.create(path).unwrap();
    let mut builder = TableBuilder::new(options, file).unwrap();
    for (key, value) in records {
        builder.add(key, value).unwrap();
    }
    builder.finish().unwrap()
}

/// Reads everything that the pieces of this crate's lower level can read.
fn read_back(file: Arc<dyn RandomFile>, size: u64) -> Result<(Records, TableProperties)> {
    let source = BlockSource::open(file, size, Default::default())?;
    let metaindex = source.read(source.footer().metaindex, BlockType::MetaIndex, true)?;
    let metaindex = MetaIndex::decode(&metaindex)?;
    let missing = || Status::corruption("missing block");
    let handle = metaindex.properties().ok_or_else(missing)?;
    let properties = source.read_properties(handle)?;
    let handle = source.footer().index.or(metaindex.get(INDEX_BLOCK)).ok_or_else(missing)?;
    let index = source.read(handle, BlockType::Index, true)?;
    let index_type = IndexType::decode(properties.user_property(INDEX_TYPE).ok_or_else(missing)?)?;
    let format = IndexFormat {
        user_keys: properties.index_key_is_user_key != 0,
        delta_handles: properties.index_value_is_delta_encoded != 0,
        first_keys: index_type == IndexType::BinarySearchWithFirstKey,
    };
    let mut entries = IndexEntries::new(&index, format)?;
    let mut records = Records::new();
    while entries.advance()? {
        let block = source.read(entries.handle(), BlockType::Data, true)?;
        let mut iter = BlockIter::new(Bytewise, block, None)?;
        iter.seek_to_first();
        while iter.valid() {
            records.push((iter.key().to_vec(), iter.value().to_vec()));
            iter.next();
        }
        iter.status()?;
    }
    Ok((records, properties))
}

fn open(path: &Path) -> (Arc<dyn RandomFile>, u64) {
    let file = PosixFileSystem.open_random(path).unwrap();
    let size = file.size().unwrap();
    (file, size)
}

#[test]
fn every_codec_checksum_and_version_round_trips() {
    let dir = tempfile::tempdir().unwrap();
    let mut random = Random::from_env(71);
    let records = records(&mut random, 120);
    for version in FORMAT_VERSIONS {
        for codec in CODECS {
            for sum in 0..5 {
                let path = dir.path().join("000012.sst");
                let options = options(version, ChecksumType::from_u8(sum).unwrap(), codec);
                let summary = build(options, &records, &path);
                let (file, size) = open(&path);
                assert_eq!(summary.file_size, size);
                let (found, properties) = read_back(file, size).unwrap();
                assert_eq!(found, records, "version {version} codec {codec} checksum {sum}");
                check_properties(&summary, &properties, &records);
            }
        }
    }
}

fn check_properties(summary: &TableSummary, found: &TableProperties, records: &Records) {
    assert_eq!(found.num_entries, records.len() as u64);
    assert_eq!(found.data_size, found.tail_start_offset);
    assert_eq!(summary.tail_size, summary.file_size - found.tail_start_offset);
    assert!(found.num_data_blocks > 5 && found.num_filter_entries == 120);
    assert_eq!(
        found.index_key_is_user_key,
        u64::from(found.format_version > 2 && !shares(records))
    );
    assert_eq!(unique_id_of(found).unwrap(), summary.unique_id);
    assert_eq!(summary.unique_id[0], 0x1234_5678_9abc_def0);
    assert_eq!(
        (&summary.smallest, &summary.largest),
        (&records[0].0, &records[records.len() - 1].0)
    );
    let mut expect = summary.properties.clone();
    expect.uncompressed_data_size = 0;
    let mut found = found.clone();
    for name in ["rocksdb.deleted.keys", "rocksdb.merge.operands"] {
        found.user_collected_properties.remove(name.as_bytes());
    }
    assert_eq!(found, expect);
}

/// Whether index keys cannot be user keys: cannot be known from outside, so blocks are compared.
fn shares(records: &Records) -> bool {
    let mut data = BlockBuilder::new(16, true);
    let mut last: &[u8] = &[];
    for (key, value) in records {
        let size = data.size_estimate();
        let full = size >= 1000 || (size > 900 && data.size_estimate_after(key, value) > 1000);
        if !data.is_empty() && full {
            if user_key(last) == user_key(key) {
                return true;
            }
            data.reset();
        }
        data.add(key, value);
        last = key;
    }
    false
}

#[test]
fn first_key_index_and_options_of_blocks() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("1.sst");
    let mut random = Random::from_env(72);
    let records = records(&mut random, 300);
    for (index_type, delta, interval) in [
        (IndexType::BinarySearchWithFirstKey, true, 1),
        (IndexType::BinarySearchWithFirstKey, false, 5),
        (IndexType::BinarySearch, true, 16),
    ] {
        let options = TableBuilderOptions {
            index_type,
            use_delta_encoding: delta,
            index_block_restart_interval: interval,
            enable_index_compression: delta,
            ..options(7, ChecksumType::Xxh3, CompressionType::Lz4)
        };
        build(options, &records, &path);
        let (file, size) = open(&path);
        assert_eq!(read_back(file, size).unwrap().0, records);
    }
}

#[test]
fn empty_table_and_range_deletions() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("1.sst");
    let summary = build(options(7, ChecksumType::Xxh3, CompressionType::Lz4), &vec![], &path);
    assert!(summary.smallest.is_empty());
    let (file, size) = open(&path);
    assert!(read_back(file, size).unwrap().0.is_empty());

    let file = PosixFileSystem.create(&path).unwrap();
    let mut builder =
        TableBuilder::new(options(5, ChecksumType::Crc32c, CompressionType::None), file).unwrap();
    let start = InternalKey::new(b"a", 5, ValueType::RangeDeletion);
    builder.add(start.as_bytes(), b"c").unwrap();
    builder.add(InternalKey::new(b"a", 1, ValueType::Value).as_bytes(), b"v").unwrap();
    let summary = builder.finish().unwrap();
    let p = &summary.properties;
    assert_eq!((p.num_entries, p.num_deletions, p.num_range_deletions), (2, 1, 1));
    let (file, size) = open(&path);
    assert_eq!(read_back(file, size).unwrap().0.len(), 1);
}

#[test]
fn bad_records_fail_and_stay_failed() {
    let dir = tempfile::tempdir().unwrap();
    let file = PosixFileSystem.create(&dir.path().join("1.sst")).unwrap();
    let mut builder = TableBuilder::new(TableBuilderOptions::default(), file).unwrap();
    let key = |user: &[u8], seq| InternalKey::new(user, seq, ValueType::Value).as_bytes().to_vec();
    builder.add(&key(b"b", 5), b"").unwrap();
    let error = builder.add(&key(b"b", 6), b"").unwrap_err();
    assert_eq!(error.to_string(), "Corruption: Compaction sees out-of-order keys.");
    assert!(builder.add(&key(b"c", 6), b"").is_err());
    assert!(builder.finish().is_err());
    for bad in [8, 0, 1] {
        let options = TableBuilderOptions { format_version: bad, ..Default::default() };
        let file = PosixFileSystem.create(&dir.path().join("2.sst")).unwrap();
        assert!(TableBuilder::new(options, file).is_err());
    }
}

/// A file in memory.
struct Bytes(Vec<u8>);

impl RandomFile for Bytes {
    fn read_at(&self, offset: u64, buf: &mut [u8]) -> Result<usize> {
        let rest = self.0.get(offset as usize..).unwrap_or(&[]);
        let len = rest.len().min(buf.len());
        buf[..len].copy_from_slice(&rest[..len]);
        Ok(len)
    }
    fn size(&self) -> Result<u64> {
        Ok(self.0.len() as u64)
    }
    fn path(&self) -> &Path {
        Path::new("/db/000012.sst")
    }
}

#[test]
fn damage_is_noticed_wherever_blocks_are_summed() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("1.sst");
    let mut random = Random::from_env(73);
    let records = records(&mut random, 40);
    for version in [5, 7] {
        for sum in [ChecksumType::None, ChecksumType::Crc32c, ChecksumType::Xxh3] {
            build(options(version, sum, CompressionType::Zstd), &records, &path);
            let bytes = std::fs::read(&path).unwrap();
            let size = bytes.len() as u64;
            // The filter is read by nobody here; its damage must at least not matter.
            for at in 0..bytes.len() {
                let mut bad = bytes.clone();
                bad[at] ^= 1 << random.below(8);
                let result = read_back(Arc::new(Bytes(bad)), size);
                if let Ok((found, _)) = result
                    && sum != ChecksumType::None
                {
                    assert_eq!(found, records);
                }
            }
            for len in (0..bytes.len()).step_by(7) {
                let cut = Arc::new(Bytes(bytes[..len].to_vec()));
                assert!(read_back(cut.clone(), size).unwrap_err().is_corruption());
                assert!(read_back(cut, len as u64).is_err());
            }
        }
    }
}

#[test]
fn errors_have_rocksdbs_texts() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("1.sst");
    let mut random = Random::from_env(74);
    build(options(7, ChecksumType::Xxh3, CompressionType::None), &records(&mut random, 40), &path);
    let bytes = std::fs::read(&path).unwrap();
    let read =
        |bytes: Vec<u8>, size| read_back(Arc::new(Bytes(bytes)), size).unwrap_err().to_string();
    let size = bytes.len() as u64;
    assert_eq!(
        read(bytes[..100].to_vec(), size),
        format!(
            "Corruption: Sst file size mismatch between expected {size} and file system 100 \
             sstable: /db/000012.sst"
        )
    );
    assert_eq!(
        read(bytes[..10].to_vec(), 10),
        "Corruption: file is too short (10 bytes) to be an sstable: /db/000012.sst"
    );
    let mut bad = bytes.clone();
    bad[0] ^= 1;
    let error = read(bad, size);
    assert!(error.starts_with("Corruption: block checksum mismatch: stored(context removed) = "));
    assert!(error.contains(", type = 4  in /db/000012.sst offset 0 size "));
    assert!(error.ends_with(", block_type = Data"));
}

/// Runs RocksDB 7.8.3's `sst_dump`, or `None` (said once) where it is not installed.
fn sst_dump(path: &Path, arguments: &[&str]) -> Option<String> {
    let file = format!("--file={}", path.display());
    match Command::new("sst_dump").arg(file).args(arguments).output() {
        Ok(output) => {
            let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
            Some(text(&output.stdout) + &text(&output.stderr))
        }
        Err(_) => {
            println!("skipped: sst_dump is not installed");
            None
        }
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|b| format!("{b:02X}")).collect()
}

#[test]
fn rocksdb_reads_what_is_written() {
    let dir = tempfile::tempdir().unwrap();
    let mut random = Random::from_env(75);
    let records = records(&mut random, 200);
    for (version, codec, sum, index_type, interval) in [
        (5, CompressionType::None, 4, IndexType::BinarySearch, 1),
        (5, CompressionType::Snappy, 1, IndexType::BinarySearch, 4),
        (5, CompressionType::Lz4, 4, IndexType::BinarySearchWithFirstKey, 1),
        (5, CompressionType::Lz4hc, 3, IndexType::BinarySearchWithFirstKey, 3),
        (4, CompressionType::Zstd, 2, IndexType::BinarySearch, 1),
        (3, CompressionType::Zstd, 4, IndexType::BinarySearch, 16),
        (2, CompressionType::Lz4, 0, IndexType::BinarySearch, 1),
        (5, CompressionType::Lz4, 4, IndexType::TwoLevelIndexSearch, 1),
        (4, CompressionType::None, 1, IndexType::TwoLevelIndexSearch, 3),
        (2, CompressionType::Snappy, 1, IndexType::TwoLevelIndexSearch, 1),
    ] {
        let path = dir.path().join("000012.sst");
        let options = TableBuilderOptions {
            index_type,
            index_block_restart_interval: interval,
            metadata_block_size: 100,
            partition_filters: true,
            decouple_partitioned_filters: interval == 1,
            ..options(version, ChecksumType::from_u8(sum).unwrap(), codec)
        };
        if examine(options, &records, &path).is_none() {
            return;
        }
    }
}

#[test]
fn rocksdb_reads_aligned_hashed_and_dictionary_blocks() {
    let dir = tempfile::tempdir().unwrap();
    let mut random = Random::from_env(77);
    let records = records(&mut random, 400);
    for (codec, max_dict_bytes, train, partitioned) in [
        (CompressionType::None, 0, 0, false),
        (CompressionType::Snappy, 500, 0, false),
        (CompressionType::Lz4, 500, 0, true),
        (CompressionType::Zstd, 500, 0, false),
        (CompressionType::Zstd, 1000, 20_000, true),
    ] {
        let path = dir.path().join("000012.sst");
        let plain = TableBuilderOptions {
            index_type: match partitioned {
                true => IndexType::TwoLevelIndexSearch,
                false => IndexType::BinarySearch,
            },
            metadata_block_size: 100,
            partition_filters: true,
            decouple_partitioned_filters: false,
            ..options(5, ChecksumType::Xxh3, codec)
        };
        let mut options = plain.clone();
        options.data_block_hash_ratio = Some(0.75);
        if codec == CompressionType::None {
            (options.block_align, options.block_size) = (true, 1024);
        }
        options.compression_opts.max_dict_bytes = max_dict_bytes;
        options.compression_opts.zstd_max_train_bytes = train;
        options.compression_opts.max_dict_buffer_bytes = 7000;
        let Some(summary) = examine(options.clone(), &records, &path) else { return };
        let (file, size) = open(&path);
        let source = BlockSource::open(file, size, Default::default()).unwrap();
        let metaindex = source.read(source.footer().metaindex, BlockType::MetaIndex, true);
        let metaindex = MetaIndex::decode(&metaindex.unwrap()).unwrap();
        let dictionary = metaindex.get(COMPRESSION_DICT_BLOCK).map(|handle| handle.size);
        let expected = matches!(codec, CompressionType::Lz4 | CompressionType::Zstd);
        assert_eq!(dictionary.is_some(), expected, "{codec}");
        if let Some(size) = dictionary {
            assert!(size > 100 && size <= u64::from(max_dict_bytes), "{size}");
            options.data_block_hash_ratio = None;
            let packed = build(options, &records, &path).properties.data_size;
            let unaided = build(plain, &records, &path).properties.data_size;
            assert!(packed < unaided, "{codec}: {packed} {unaided}");
        } else if codec == CompressionType::None {
            assert_eq!(summary.properties.data_size % 1024, 0);
            assert_eq!(summary.properties.index_value_is_delta_encoded, 0);
        }
    }
}

/// Writes a table, has `sst_dump` read it, and compares; `None` where that is not installed.
fn examine(options: TableBuilderOptions, records: &Records, path: &Path) -> Option<TableSummary> {
    let version = options.format_version;
    let summary = build(options, records, path);
    let verified = sst_dump(path, &["--command=verify"])?;
    assert!(verified.contains("The file is ok"), "version {version}: {verified}");
    let scanned = sst_dump(path, &["--command=scan", "--output_hex"])?;
    let lines: Vec<_> = scanned.lines().filter(|l| l.contains("seq:")).collect();
    assert_eq!(lines.len(), records.len(), "{scanned}");
    for (line, (key, value)) in lines.iter().zip(records) {
        let key = ParsedKey::parse(key).unwrap();
        let expect = format!(
            "'{}' seq:{}, type:{} => {}",
            hex(key.user_key),
            key.sequence,
            key.value_type as u8,
            hex(value)
        );
        assert_eq!(line.trim_end(), expect.trim_end());
    }
    let shown = sst_dump(path, &["--show_properties"])?;
    let p = &summary.properties;
    for line in [
        format!("# data blocks: {}", p.num_data_blocks),
        format!("# entries: {}", p.num_entries),
        format!("# deletions: {}", p.num_deletions),
        format!("# merge operands: {}", p.num_merge_operands),
        format!("raw key size: {}", p.raw_key_size),
        format!("filter policy name: {}", p.filter_policy_name),
        format!("SST file compression algo: {}", p.compression_name),
        "original file number: 12".into(),
        format!("DB session identity: {}", p.db_session_id),
    ] {
        assert!(shown.contains(&line), "{line} is not in {shown}");
    }
    Some(summary)
}

/// The folder of golden files, or `None` (said) where there is none.
fn golden() -> Option<PathBuf> {
    let dir = std::env::var_os("HEMATITE_GOLDEN")
        .map(PathBuf::from)
        .unwrap_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/golden"));
    if !dir.is_dir() {
        println!("skipped: no golden files at {}", dir.display());
        return None;
    }
    Some(dir)
}

/// The table files of the sound golden cases.
fn golden_tables(dir: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for case in std::fs::read_dir(dir).unwrap() {
        let case = case.unwrap().path();
        if case.join("db").is_dir() && !case.display().to_string().contains("-bad-") {
            let entries = std::fs::read_dir(case.join("db")).unwrap();
            let paths = entries.map(|e| e.unwrap().path());
            files.extend(paths.filter(|p| p.extension().is_some_and(|e| e == "sst")));
        }
    }
    files.sort();
    files
}

#[test]
fn golden_tables_are_read() {
    let Some(dir) = golden() else { return };
    let (mut read, mut refused) = (0, Vec::new());
    for path in golden_tables(&dir) {
        let (file, size) = open(&path);
        match read_golden(file, size) {
            Ok(()) => read += 1,
            Err(error) => refused.push(format!("{}: {error}", path.display())),
        }
    }
    let allowed = ["Xpress", "index TwoLevel", "Bad table magic number", "Custom", "legacy magic"];
    let unexpected: Vec<_> =
        refused.iter().filter(|text| !allowed.iter().any(|a| text.contains(a))).collect();
    assert!(unexpected.is_empty(), "{unexpected:#?}");
    println!("{read} golden tables read, {} refused", refused.len());
    assert!(read > 400, "only {read} read; refused: {refused:#?}");
}

fn read_golden(file: Arc<dyn RandomFile>, size: u64) -> Result<()> {
    use crate::table::meta::COMPRESSION_DICT_BLOCK;
    let mut source = BlockSource::open(file, size, Default::default())?;
    let metaindex = source.read(source.footer().metaindex, BlockType::MetaIndex, true)?;
    let metaindex = MetaIndex::decode(&metaindex)?;
    for (name, handle) in metaindex.iter() {
        if name != INDEX_BLOCK.as_bytes() && name != PROPERTIES_BLOCK.as_bytes() {
            source.read(handle, BlockType::Filter, true)?;
        }
    }
    if let Some(handle) = metaindex.get(COMPRESSION_DICT_BLOCK) {
        let raw = source.read(handle, BlockType::CompressionDictionary, true)?;
        source.set_dictionary(crate::codec::Dictionary::new(raw)?);
    }
    let handle = metaindex.properties().ok_or_else(|| Status::corruption("no properties"))?;
    let p = source.read_properties(handle)?;
    let index_type = IndexType::decode(p.user_property(INDEX_TYPE).unwrap_or(&[]))?;
    if index_type == IndexType::TwoLevelIndexSearch {
        return Err(Status::not_supported("index TwoLevel"));
    }
    let global = properties::global_sequence(&p, None)?;
    let handle = source.footer().index.or(metaindex.get(INDEX_BLOCK));
    let handle = handle.ok_or_else(|| Status::corruption("no index"))?;
    let index = source.read(handle, BlockType::Index, true)?;
    let format = IndexFormat {
        user_keys: p.index_key_is_user_key != 0,
        delta_handles: p.index_value_is_delta_encoded != 0,
        first_keys: index_type == IndexType::BinarySearchWithFirstKey,
    };
    let mut entries = IndexEntries::new(&index, format)?;
    let (mut blocks, mut count, mut data_end) = (0, 0, 0);
    while entries.advance()? {
        let block = source.read(entries.handle(), BlockType::Data, true)?;
        let mut iter = BlockIter::new(Bytewise, block, global)?;
        iter.seek_to_first();
        if let Some(first) = entries.first_key() {
            assert_eq!(user_key(first), user_key(iter.key()));
        }
        while iter.valid() {
            ParsedKey::parse(iter.key())?;
            count += 1;
            iter.next();
        }
        iter.status()?;
        blocks += 1;
        data_end = entries.handle().end().unwrap();
    }
    // Tables written with a dictionary in mind do not say how many data blocks they have, and
    // those with aligned blocks have padding behind them.
    let counted = p.compression_options.contains("max_dict_bytes=0;");
    let expect = if counted { p.num_data_blocks } else { blocks };
    if (blocks, count) != (expect, p.num_entries - p.num_range_deletions) {
        return Err(Status::corruption(format!("found {blocks} blocks, {count} records: {p:?}")));
    }
    if data_end > p.data_size || data_end + 512 < p.data_size {
        return Err(Status::corruption(format!("data ends at {data_end}: {p:?}")));
    }
    Ok(())
}

/// Damaged tables of RocksDB 11.9 give its error texts, word for word.
#[test]
fn golden_damage_gives_rocksdbs_texts() {
    let Some(dir) = golden() else { return };
    for name in [
        "block-checksum",
        "data-block-last",
        "footer-handle",
        "footer-magic",
        "index-block",
        "properties",
    ] {
        let case = dir.join(format!("r119-bad-{name}"));
        let db = case.join("db");
        let expected = std::fs::read_to_string(case.join("case.json")).unwrap();
        let mut errors = Vec::new();
        for entry in std::fs::read_dir(&db).unwrap() {
            let path = entry.unwrap().path();
            if path.extension().is_some_and(|e| e == "sst") {
                let (file, size) = open(&path);
                let error = read_golden(file, size).err();
                errors.extend(
                    error.map(|e| e.to_string().replace(&db.display().to_string(), "<DB>")),
                );
            }
        }
        assert_eq!(errors.len(), 1, "{name}: {errors:?}");
        let quoted = format!("\"{}\"", errors[0]);
        assert!(expected.contains(&quoted), "{name}: {quoted} is not in {expected}");
    }
}
