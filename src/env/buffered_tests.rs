use super::*;
use crate::base::random::Random;
use crate::base::sync::{Arc, Mutex};
use crate::env::file_system::FileSystem;
use crate::env::posix::PosixFileSystem;

/// What reached the file.
#[derive(Default)]
struct Seen {
    calls: Vec<String>,
    data: Vec<u8>,
    fail_append: bool,
}

struct Recorder(Arc<Mutex<Seen>>);

impl WritableFile for Recorder {
    fn append(&mut self, data: &[u8]) -> Result<()> {
        let mut seen = self.0.lock();
        seen.calls.push(format!("append {}", data.len()));
        if seen.fail_append {
            return Err(Status::io_error("full"));
        }
        seen.data.extend_from_slice(data);
        Ok(())
    }
    fn sync(&mut self) -> Result<()> {
        self.0.lock().calls.push("sync".into());
        Ok(())
    }
    fn fsync(&mut self) -> Result<()> {
        self.0.lock().calls.push("fsync".into());
        Ok(())
    }
    fn range_sync(&mut self, offset: u64, len: u64, strict: bool) -> Result<()> {
        self.0.lock().calls.push(format!("range {offset} {len} {strict}"));
        Ok(())
    }
    fn allocate(&mut self, offset: u64, len: u64) -> Result<()> {
        self.0.lock().calls.push(format!("allocate {offset} {len}"));
        Err(Status::io_error("cannot"))
    }
    fn truncate(&mut self, _len: u64) -> Result<()> {
        Err(Status::not_supported(""))
    }
    fn size(&self) -> u64 {
        self.0.lock().data.len() as u64
    }
    fn path(&self) -> &Path {
        Path::new("recorder")
    }
    fn close(&mut self) -> Result<()> {
        self.0.lock().calls.push("close".into());
        Ok(())
    }
}

fn recorded(options: BufferedWriterOptions) -> (BufferedWriter, Arc<Mutex<Seen>>) {
    let seen = Arc::default();
    (BufferedWriter::new(Box::new(Recorder(Arc::clone(&seen))), options), seen)
}

#[test]
fn small_appends_are_gathered_and_large_ones_pass_through() {
    let options = BufferedWriterOptions { buffer_size: 10, ..Default::default() };
    let (mut writer, seen) = recorded(options);
    for data in ["abc", "defg", "hi", "jklmn", "0123456789xyz", "", "q"] {
        writer.append(data.as_bytes()).unwrap();
    }
    assert_eq!(writer.size(), 28);
    assert_eq!(writer.flushed_size(), 27);
    writer.sync().unwrap();
    writer.sync().unwrap();
    writer.close().unwrap();
    let seen = seen.lock();
    assert_eq!(seen.data, b"abcdefghijklmn0123456789xyzq");
    let expected = ["append 9", "append 5", "append 13", "append 1", "sync", "sync", "close"];
    assert_eq!(seen.calls, expected);
    assert_eq!(writer.counts(), (4, 2));
}

#[test]
fn random_appends_arrive_whole() {
    let mut rng = Random::from_env(3);
    for buffer_size in [0, 1, 7, 64, 4096] {
        let (mut writer, seen) =
            recorded(BufferedWriterOptions { buffer_size, ..Default::default() });
        let mut expected = Vec::new();
        for _ in 0..500 {
            let len = rng.below(100) as usize;
            let data = rng.bytes(len);
            writer.append(&data).unwrap();
            expected.extend_from_slice(&data);
            assert_eq!(writer.size(), expected.len() as u64);
            if rng.one_in(20) {
                writer.flush().unwrap();
                assert_eq!(seen.lock().data, expected);
            }
        }
        writer.close().unwrap();
        assert_eq!(seen.lock().data, expected);
    }
}

#[test]
fn a_buffer_is_no_larger_than_what_it_holds() {
    let (mut writer, seen) =
        recorded(BufferedWriterOptions { buffer_size: usize::MAX, ..Default::default() });
    for _ in 0..100 {
        writer.append(&[b'x'; 5000]).unwrap();
    }
    assert!(writer.buffer.capacity() < 2 * 100 * 5000);
    assert!(seen.lock().calls.is_empty());
    writer.close().unwrap();
    assert_eq!(seen.lock().data, [b'x'; 100 * 5000]);
}

#[test]
fn the_first_error_stays() {
    let options = BufferedWriterOptions { buffer_size: 4, ..Default::default() };
    let (mut writer, seen) = recorded(options);
    writer.append(b"abc").unwrap();
    seen.lock().fail_append = true;
    assert!(writer.append(b"def").is_err());
    seen.lock().fail_append = false;
    let calls = seen.lock().calls.len();
    for result in [writer.append(b""), writer.append(b"x"), writer.flush(), writer.sync()] {
        assert_eq!(result.unwrap_err().to_string(), "IO error: full");
    }
    assert_eq!(seen.lock().calls.len(), calls, "nothing reached the file after the error");
    assert!(writer.close().is_err());
    assert_eq!(seen.lock().calls.last().unwrap(), "close");
}

#[test]
fn write_out_follows_a_mebibyte_behind() {
    let options = BufferedWriterOptions {
        buffer_size: 0,
        bytes_per_sync: 1 << 19,
        strict_bytes_per_sync: true,
        use_fsync: true,
        ..Default::default()
    };
    let (mut writer, seen) = recorded(options);
    for _ in 0..5 {
        writer.append(&vec![1; (1 << 19) + 100]).unwrap();
    }
    writer.sync().unwrap();
    let calls = seen.lock().calls.clone();
    let ranges: Vec<_> = calls.iter().filter(|call| call.starts_with("range")).collect();
    assert_eq!(
        ranges,
        ["range 0 524288 true", "range 524288 524288 true", "range 1048576 524288 true"]
    );
    assert_eq!(calls.last().unwrap(), "fsync");
}

#[test]
fn space_is_reserved_in_blocks() {
    let options = BufferedWriterOptions {
        buffer_size: 0,
        preallocation_block_size: 1000,
        ..Default::default()
    };
    let (mut writer, seen) = recorded(options);
    for len in [10, 990, 1, 3500, 100] {
        writer.append(&vec![0; len]).unwrap();
    }
    let seen = seen.lock();
    let allocations: Vec<_> = seen.calls.iter().filter(|c| c.starts_with("alloc")).collect();
    assert_eq!(allocations, ["allocate 0 1000", "allocate 1000 1000", "allocate 2000 3000"]);
}

#[test]
fn on_a_real_file() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("f");
    let options = BufferedWriterOptions {
        buffer_size: 1 << 16,
        bytes_per_sync: 1 << 20,
        preallocation_block_size: 1 << 22,
        ..Default::default()
    };
    let mut writer = BufferedWriter::new(PosixFileSystem.create(&path).unwrap(), options);
    let piece = vec![7; 1000];
    for _ in 0..5000 {
        writer.append(&piece).unwrap();
    }
    writer.sync().unwrap();
    writer.close().unwrap();
    assert_eq!(PosixFileSystem.file_size(&path).unwrap(), 5_000_000);
    let content = std::fs::read(&path).unwrap();
    assert!(content.len() == 5_000_000 && content.iter().all(|&byte| byte == 7));
}
