//! Tests of the log format as a whole. What all of them share is here.

mod damage;
mod peers;
mod round_trip;

use super::*;
use crate::base::random::Random;
use crate::base::status::{Result, Status};
use crate::env::file_system::{SequentialFile, WritableFile};
use crate::plug::recovery_mode::WalRecoveryMode;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::{Arc, Mutex};

const FORMATS: [LogFormat; 2] = [LogFormat::Legacy, LogFormat::Recyclable];
const LOG_NUMBER: u64 = 0x1_0000_0007;

/// What a [`Sink`] received.
#[derive(Default)]
struct Written {
    bytes: Vec<u8>,
    appends: usize,
    syncs: usize,
    fail: bool,
}

/// A file in memory.
#[derive(Clone, Default)]
struct Sink {
    written: Arc<Mutex<Written>>,
}

impl Sink {
    fn bytes(&self) -> Vec<u8> {
        self.written.lock().unwrap().bytes.clone()
    }
}

impl WritableFile for Sink {
    fn append(&mut self, data: &[u8]) -> Result<()> {
        let mut written = self.written.lock().unwrap();
        written.appends += 1;
        if written.fail {
            return Err(Status::io_error("full"));
        }
        written.bytes.extend_from_slice(data);
        Ok(())
    }

    fn sync(&mut self) -> Result<()> {
        self.fsync()
    }

    fn fsync(&mut self) -> Result<()> {
        let mut written = self.written.lock().unwrap();
        written.syncs += 1;
        if written.fail { Err(Status::io_error("gone")) } else { Ok(()) }
    }

    fn range_sync(&mut self, _: u64, _: u64, _: bool) -> Result<()> {
        Ok(())
    }

    fn allocate(&mut self, _: u64, _: u64) -> Result<()> {
        Ok(())
    }

    fn truncate(&mut self, _: u64) -> Result<()> {
        Ok(())
    }

    fn size(&self) -> u64 {
        self.written.lock().unwrap().bytes.len() as u64
    }

    fn path(&self) -> &Path {
        Path::new("/db/000007.log")
    }

    fn close(&mut self) -> Result<()> {
        Ok(())
    }
}

/// Bytes as a file; fails at `fail_at`.
struct Source {
    bytes: Vec<u8>,
    at: usize,
    fail_at: usize,
}

impl SequentialFile for Source {
    fn read(&mut self, buf: &mut [u8]) -> Result<usize> {
        if self.at >= self.fail_at {
            return Err(Status::io_error("unreadable"));
        }
        let n = buf.len().min(self.bytes.len() - self.at);
        buf[..n].copy_from_slice(&self.bytes[self.at..self.at + n]);
        self.at += n;
        Ok(n)
    }

    fn skip(&mut self, n: u64) -> Result<()> {
        self.at += n as usize;
        Ok(())
    }

    fn path(&self) -> &Path {
        Path::new("/db/000007.log")
    }
}

fn source(bytes: &[u8]) -> Box<dyn SequentialFile> {
    Box::new(Source { bytes: bytes.to_vec(), at: 0, fail_at: usize::MAX })
}

/// What reading a log came to.
#[derive(Debug, Default, PartialEq, Eq)]
struct Outcome {
    /// Offset, end, bytes.
    records: Vec<(u64, u64, Vec<u8>)>,
    /// The error texts, of which only the first counts unless the reading went on.
    damage: Vec<String>,
    old_records: usize,
    dropped: usize,
}

impl Outcome {
    fn data(&self) -> Vec<&[u8]> {
        self.records.iter().map(|r| &r.2[..]).collect()
    }
}

/// Collects damage; goes on behind it if `go_on`.
struct Collector<'a> {
    outcome: &'a mut Outcome,
    go_on: bool,
}

impl Reporter for Collector<'_> {
    fn damage(&mut self, damage: Damage) -> ControlFlow<Status> {
        self.outcome.damage.push(damage.status.to_string());
        if self.go_on { ControlFlow::Continue(()) } else { ControlFlow::Break(damage.status) }
    }

    fn old_record(&mut self) {
        self.outcome.old_records += 1;
    }

    fn dropped_tail(&mut self, bytes: usize) {
        assert!(bytes > 0);
        self.outcome.dropped += bytes;
    }
}

/// Reads `bytes` to the end, as recovery does: damage is passed over in the mode that skips it.
fn read_with(bytes: &[u8], options: LogReaderOptions) -> Outcome {
    let go_on = options.mode == WalRecoveryMode::SkipAnyCorruptedRecords;
    let mut reader = LogReader::new(source(bytes), options);
    let mut outcome = Outcome::default();
    let mut records = Vec::new();
    let error = loop {
        let mut collector = Collector { outcome: &mut outcome, go_on };
        match reader.read_record(&mut collector) {
            Ok(Some(record)) => {
                assert!(record.offset < record.end && record.end <= bytes.len() as u64);
                records.push((record.offset, record.end, record.data.to_vec()));
                assert!(records.len() <= bytes.len());
            }
            Ok(None) => break None,
            Err(status) => break Some(status),
        }
    };
    if let Some(status) = error {
        if outcome.damage.last() != Some(&status.to_string()) {
            outcome.damage.push(status.to_string());
        }
        assert!(reader.read_record(&mut StopAtDamage).is_err(), "an error is final");
    } else {
        assert_eq!(reader.read_record(&mut StopAtDamage).unwrap(), None, "an end is final");
    }
    let last = records.last().map_or((0, 0), |r| (r.0, r.1));
    assert_eq!((reader.last_record_offset(), reader.last_record_end()), last);
    outcome.records = records;
    outcome
}

fn read(bytes: &[u8], mode: WalRecoveryMode) -> Outcome {
    read_with(bytes, LogReaderOptions::for_wal(LOG_NUMBER, mode))
}

/// A log of these records.
fn write(records: &[Vec<u8>], format: LogFormat) -> Vec<u8> {
    let sink = Sink::default();
    let mut writer = LogWriter::new(Box::new(sink.clone()), LOG_NUMBER, format);
    for record in records {
        writer.add_record(&[record]).unwrap();
    }
    sink.bytes()
}

/// A log of these records, compressed.
fn write_compressed(records: &[Vec<u8>], format: LogFormat) -> Vec<u8> {
    let sink = Sink::default();
    let mut writer = LogWriter::new(Box::new(sink.clone()), LOG_NUMBER, format);
    writer.set_compression().unwrap();
    for record in records {
        writer.add_record(&[record]).unwrap();
    }
    sink.bytes()
}

/// `len` bytes that no other call returned.
fn payload(random: &mut Random, len: usize) -> Vec<u8> {
    let word = random.next_u64().to_le_bytes();
    let mut bytes: Vec<u8> = word.iter().copied().cycle().take(len).collect();
    bytes.iter_mut().enumerate().for_each(|(i, b)| *b = b.wrapping_add((i >> 3) as u8));
    bytes
}

/// One fragment, with a right checksum.
fn fragment(kind_byte: u8, log_number: Option<u64>, payload: &[u8]) -> Vec<u8> {
    use crate::base::checksum::{crc32c, mask_crc};
    let mut body = vec![kind_byte];
    body.extend(log_number.map(|n| (n as u32).to_le_bytes()).into_iter().flatten());
    body.extend_from_slice(payload);
    let mut out = mask_crc(crc32c(&body)).to_le_bytes().to_vec();
    out.extend_from_slice(&(payload.len() as u16).to_le_bytes());
    out.extend_from_slice(&body);
    out
}
