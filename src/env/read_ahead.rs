//! [`read_ahead`]: reads a file that is taken in small pieces in large ones.

use std::path::Path;

use crate::base::status::Result;
use crate::env::file_system::SequentialFile;

/// The most that is read at a time: more is no faster, and the memory is taken whatever the file
/// holds.
const MAX_SIZE: usize = 16 << 20;

/// `file`, read at least `size` bytes at a time (16 MiB if that is more); 0 leaves it as it is.
pub fn read_ahead(file: Box<dyn SequentialFile>, size: usize) -> Box<dyn SequentialFile> {
    match size {
        0 => file,
        _ => Box::new(Ahead { file, size: size.min(MAX_SIZE), buffer: Vec::new(), at: 0 }),
    }
}

struct Ahead {
    file: Box<dyn SequentialFile>,
    size: usize,
    /// What was read; `buffer[at..]` is not yet taken.
    buffer: Vec<u8>,
    at: usize,
}

impl Ahead {
    /// Moves what is buffered, as far as it fits, to `buf`; returns the number of bytes.
    fn take(&mut self, buf: &mut [u8]) -> usize {
        let rest = &self.buffer[self.at..];
        let len = rest.len().min(buf.len());
        buf[..len].copy_from_slice(&rest[..len]);
        self.at += len;
        len
    }
}

impl SequentialFile for Ahead {
    fn read(&mut self, buf: &mut [u8]) -> Result<usize> {
        let mut filled = self.take(buf);
        if filled == buf.len() {
            return Ok(filled);
        }
        if buf.len() - filled >= self.size {
            return Ok(filled + self.file.read(&mut buf[filled..])?);
        }
        self.at = 0;
        self.buffer.resize(self.size, 0);
        let read = self.file.read(&mut self.buffer);
        self.buffer.truncate(*read.as_ref().unwrap_or(&0));
        read?;
        filled += self.take(&mut buf[filled..]);
        Ok(filled)
    }

    fn skip(&mut self, n: u64) -> Result<()> {
        let buffered = (self.buffer.len() - self.at) as u64;
        if n <= buffered {
            self.at += n as usize;
            return Ok(());
        }
        self.at = self.buffer.len();
        self.file.skip(n - buffered)
    }

    fn path(&self) -> &Path {
        self.file.path()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::random::Random;
    use crate::base::sync::Arc;
    use crate::env::fault::{Fault, FaultFileSystem, Operations, Rule};
    use crate::env::file_system::{FileSystem, write_file};
    use crate::env::memory::MemoryFileSystem;

    fn file_of(len: usize) -> (Vec<u8>, Arc<FaultFileSystem>) {
        let data = Random::new(5).bytes(len);
        let fs = Arc::new(FaultFileSystem::new(Arc::new(MemoryFileSystem::volatile())));
        write_file(&*fs, Path::new("/file"), &data, false).unwrap();
        (data, fs)
    }

    fn open(fs: &FaultFileSystem, size: usize) -> Box<dyn SequentialFile> {
        read_ahead(fs.open_sequential(Path::new("/file")).unwrap(), size)
    }

    #[test]
    fn small_reads_become_large_ones() {
        let (data, fs) = file_of(10_000);
        for (size, reads) in [(0, 101), (1000, 11), (99, 101), (20_000, 2), (usize::MAX, 2)] {
            let before = fs.count(Operations::READ);
            let (mut file, mut found) = (open(&fs, size), Vec::new());
            let mut piece = [0; 100];
            loop {
                let len = file.read(&mut piece).unwrap();
                found.extend_from_slice(&piece[..len]);
                if len < piece.len() {
                    break;
                }
            }
            assert!(found == data);
            assert_eq!(fs.count(Operations::READ) - before, reads, "{size}");
        }
    }

    #[test]
    fn any_mixture_of_reads_and_skips_sees_the_file() {
        let (data, fs) = file_of(5000);
        let mut random = Random::from_env(91);
        for _ in 0..100 {
            let mut file = open(&fs, 1 + random.below(300) as usize);
            let mut at = 0;
            while at < data.len() {
                let len = random.below(400) as usize;
                if random.one_in(3) {
                    file.skip(len as u64).unwrap();
                    at += len;
                    continue;
                }
                let mut piece = vec![0; len];
                let read = file.read(&mut piece).unwrap();
                let end = data.len().min(at + len);
                assert!(piece[..read] == data[at..end]);
                at += len;
            }
            assert_eq!(file.path(), Path::new("/file"));
        }
    }

    #[test]
    fn an_error_leaves_nothing_behind() {
        let (data, fs) = file_of(300);
        fs.add(Rule::once(Operations::READ, "*", 0, Fault::Error(libc::EIO)));
        let mut file = open(&fs, 200);
        let mut piece = [0; 10];
        assert!(file.read(&mut piece).is_err());
        assert_eq!(file.read(&mut piece).unwrap(), 10);
        assert_eq!(piece, data[..10]);
    }
}
