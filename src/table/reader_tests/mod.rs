//! Tests of table readers: against tables that real RocksDB wrote, against models, and against
//! damage.

mod damage;
mod golden;
mod model;
mod range_del;
mod sample;
mod speed;

use super::options::{TableReadOptions, TableReaderOptions};
use super::reader::TableReader;
use crate::base::comparator::{Comparator, UserComparator};
use crate::base::iterator::InternalIterator;
use crate::base::key::ParsedKey;
use crate::base::status::Result;
use crate::base::sync::{Arc, AtomicUsize, Ordering::Relaxed};
use crate::env::file_system::RandomFile;
use std::cmp::Ordering;
use std::path::{Path, PathBuf};

/// A file in memory.
struct Bytes {
    path: PathBuf,
    bytes: Vec<u8>,
    reads: Arc<AtomicUsize>,
}

impl RandomFile for Bytes {
    fn read_at(&self, offset: u64, buf: &mut [u8]) -> Result<usize> {
        self.reads.fetch_add(1, Relaxed);
        let rest = self.bytes.get(offset as usize..).unwrap_or_default();
        let len = rest.len().min(buf.len());
        buf[..len].copy_from_slice(&rest[..len]);
        Ok(len)
    }

    fn size(&self) -> Result<u64> {
        Ok(self.bytes.len() as u64)
    }

    fn path(&self) -> &Path {
        &self.path
    }
}

fn open(bytes: Vec<u8>, options: TableReaderOptions) -> Result<Arc<TableReader>> {
    let size = bytes.len() as u64;
    let file = Bytes { path: "/db/000007.sst".into(), bytes, reads: Arc::default() };
    TableReader::open(Arc::new(file), size, options).map(Arc::new)
}

/// Shorter keys first.
struct ShorterFirst;

impl UserComparator for ShorterFirst {
    fn name(&self) -> &str {
        "golden.ShorterFirst"
    }

    fn compare(&self, a: &[u8], b: &[u8]) -> Ordering {
        a.len().cmp(&b.len()).then_with(|| a.cmp(b))
    }
}

/// Bytewise, then the newest timestamp first.
struct Timestamped;

impl UserComparator for Timestamped {
    fn name(&self) -> &str {
        "leveldb.BytewiseComparator.u64ts"
    }

    fn compare(&self, a: &[u8], b: &[u8]) -> Ordering {
        let (a, a_time) = a.split_at(a.len().saturating_sub(8));
        let (b, b_time) = b.split_at(b.len().saturating_sub(8));
        a.cmp(b).then_with(|| b_time.iter().rev().cmp(a_time.iter().rev()))
    }

    fn timestamp_size(&self) -> usize {
        8
    }
}

fn comparator(name: &str) -> Option<Comparator> {
    [
        Comparator::Bytewise,
        Comparator::ReverseBytewise,
        Comparator::Custom(Arc::new(ShorterFirst)),
        Comparator::Custom(Arc::new(Timestamped)),
    ]
    .into_iter()
    .find(|c| c.name() == name)
}

type Records = Vec<(Vec<u8>, Vec<u8>)>;

fn scan_forward(iter: &mut impl InternalIterator) -> Result<Records> {
    let mut records = Vec::new();
    iter.seek_to_first();
    while iter.valid() {
        records.push((iter.key().to_vec(), iter.value().to_vec()));
        iter.next();
    }
    iter.status().map(|()| records)
}

fn scan_backward(iter: &mut impl InternalIterator) -> Result<Records> {
    let mut records = Vec::new();
    iter.seek_to_last();
    while iter.valid() {
        records.push((iter.key().to_vec(), iter.value().to_vec()));
        iter.prev();
    }
    records.reverse();
    iter.status().map(|()| records)
}

/// Reads that do not check checksums and read ahead at once.
fn hasty() -> TableReadOptions {
    TableReadOptions { verify_checksums: false, readahead_size: 100, ..Default::default() }
}
