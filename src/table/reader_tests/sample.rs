//! Tables made by our own builder, with what they hold.

use super::*;
use crate::base::comparator::Order;
use crate::base::key::{InternalKey, ValueType, compare_internal};
use crate::base::random::Random;
use crate::base::sync::Mutex;
use crate::codec::{CompressionOptions, CompressionType};
use crate::env::file_system::WritableFile;
use crate::plug::filter_policy::FilterPolicy;
use crate::plug::slice_transform::SliceTransform;
use crate::table::builder::{TableBuilder, TableBuilderOptions};
use crate::table::index::IndexType;

/// Collects what is written.
struct Sink {
    bytes: Arc<Mutex<Vec<u8>>>,
    path: PathBuf,
}

impl WritableFile for Sink {
    fn append(&mut self, data: &[u8]) -> Result<()> {
        self.bytes.lock().extend_from_slice(data);
        Ok(())
    }

    fn sync(&mut self) -> Result<()> {
        Ok(())
    }

    fn fsync(&mut self) -> Result<()> {
        Ok(())
    }

    fn range_sync(&mut self, _: u64, _: u64, _: bool) -> Result<()> {
        Ok(())
    }

    fn allocate(&mut self, _: u64, _: u64) -> Result<()> {
        Ok(())
    }

    fn truncate(&mut self, len: u64) -> Result<()> {
        self.bytes.lock().truncate(len as usize);
        Ok(())
    }

    fn size(&self) -> u64 {
        self.bytes.lock().len() as u64
    }

    fn path(&self) -> &Path {
        &self.path
    }

    fn close(&mut self) -> Result<()> {
        Ok(())
    }
}

/// The file that holds `records`.
pub(super) fn build(records: &Records, options: TableBuilderOptions) -> Vec<u8> {
    let bytes = Arc::new(Mutex::new(Vec::new()));
    let sink = Sink { bytes: bytes.clone(), path: "/db/000007.sst".into() };
    let mut builder = TableBuilder::new(options, Box::new(sink)).unwrap();
    for (key, value) in records {
        builder.add(key, value).unwrap();
    }
    builder.finish().unwrap();
    std::mem::take(&mut *bytes.lock())
}

/// A user key out of few enough that look-ups hit, now and then a long one.
pub(super) fn random_user_key(random: &mut Random) -> Vec<u8> {
    let mut key = b"user".to_vec();
    let len = random.below(5);
    key.extend((0..len).map(|_| [0, b'a', b'b', 0xff][random.below(4) as usize]));
    if random.one_in(20) {
        key.resize(key.len() + 150, b'z');
    }
    key
}

/// Up to `count` records in the order of `comparator`, several of some keys.
pub(super) fn random_records(random: &mut Random, count: u64, comparator: &Comparator) -> Records {
    let mut keys: Vec<Vec<u8>> = (0..count)
        .map(|_| {
            let kind = if random.one_in(4) { ValueType::Deletion } else { ValueType::Value };
            let key = random_user_key(random);
            InternalKey::new(&key, random.below(40), kind).as_bytes().to_vec()
        })
        .collect();
    keys.sort_by(|a, b| compare_internal(comparator, a, b));
    let same = |a: &mut Vec<u8>, b: &mut Vec<u8>| {
        let (a, b) = (ParsedKey::parse(a).unwrap(), ParsedKey::parse(b).unwrap());
        comparator.equal(a.user_key, b.user_key) && a.sequence == b.sequence
    };
    keys.dedup_by(same);
    keys.into_iter()
        .map(|key| {
            let len = random.below(60) as usize;
            (key, random.bytes(len))
        })
        .collect()
}

/// Options that make many small blocks.
pub(super) fn random_options(random: &mut Random, comparator: &Comparator) -> TableBuilderOptions {
    let codecs = [
        CompressionType::None,
        CompressionType::Snappy,
        CompressionType::Lz4,
        CompressionType::Zstd,
    ];
    let block_align = random.one_in(5);
    TableBuilderOptions {
        comparator: comparator.clone(),
        block_align,
        data_block_hash_ratio: random.one_in(2).then(|| 0.3 + random.below(3) as f64),
        format_version: 2 + random.below(6) as u32,
        block_size: 1 + random.below(300) as usize,
        block_restart_interval: 1 + random.below(5) as usize,
        index_block_restart_interval: 1 + random.below(3) as usize,
        index_type: match random.one_in(2) {
            true => IndexType::TwoLevelIndexSearch,
            false => IndexType::BinarySearch,
        },
        metadata_block_size: 1 + random.below(300) as usize,
        partition_filters: random.one_in(2),
        decouple_partitioned_filters: random.one_in(2),
        prefix_extractor: random.one_in(2).then_some(SliceTransform::Fixed(5)),
        whole_key_filtering: !random.one_in(3),
        compression: codecs[if block_align { 0 } else { random.below(4) as usize }],
        compression_opts: CompressionOptions {
            max_dict_bytes: [0, 100, 4000][random.below(3) as usize],
            zstd_max_train_bytes: [0, 20_000][random.below(2) as usize],
            max_dict_buffer_bytes: [0, 500][random.below(2) as usize],
            ..CompressionOptions::default()
        },
        verify_compression: random.one_in(2),
        filter_policy: random.one_in(2).then(|| FilterPolicy::bloom(10.0)),
        db_session_id: crate::table::unique_id::encode_session_id(77, 1 << 40),
        db_id: "an id".into(),
        file_number: 7,
        ..Default::default()
    }
}
