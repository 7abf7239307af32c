//! Unpacking blocks of table format version 2 and later: all codecs but Snappy (which carries its
//! own) put the unpacked size in front as a varint32.

use super::CompressionType;
use crate::base::coding::decode_varint32;
use crate::base::status::{Result, Status};
use std::cell::RefCell;
use zlib_rs::{Inflate, InflateError, InflateFlush};
use zstd_safe::{DCtx, DDict};

/// A compression dictionary, as a table's `rocksdb.compression_dict` block holds it, made ready
/// for the codecs that use one (Zlib, LZ4 and Zstandard; the others ignore it, as in RocksDB).
pub struct Dictionary {
    raw: Box<[u8]>,
    zstd: Option<DDict<'static>>,
}

impl Dictionary {
    /// Makes the bytes `raw`, which a file stored, ready for use.
    pub fn new(raw: Box<[u8]>) -> Result<Dictionary> {
        if raw.is_empty() {
            return Err(Status::corruption("Decompression dictionary is empty"));
        }
        // A dictionary that starts with Zstandard's magic number but is damaged makes no DDict;
        // blocks of other codecs do not need it.
        let zstd = DDict::try_create(&raw);
        Ok(Dictionary { raw, zstd })
    }

    /// The bytes as a file stores them.
    pub fn raw(&self) -> &[u8] {
        &self.raw
    }
}

/// The bytes that `input` unpacks to.
pub fn decompress(codec: CompressionType, input: &[u8]) -> Result<Vec<u8>> {
    decompress_with(codec, input, None)
}

/// The bytes that `input`, packed with `dictionary` if there is one, unpacks to. The result's
/// length and capacity are the size that the input declares, which is refused when the codec
/// cannot have packed that much into the input.
pub fn decompress_with(
    codec: CompressionType,
    input: &[u8],
    dictionary: Option<&Dictionary>,
) -> Result<Vec<u8>> {
    match codec {
        CompressionType::None => Ok(input.to_vec()),
        CompressionType::Snappy => decompress_snappy(input),
        CompressionType::Lz4 | CompressionType::Lz4hc => decompress_lz4(input, dictionary),
        CompressionType::Zstd => decompress_zstd(input, dictionary),
        CompressionType::Zlib => decompress_zlib(input, dictionary),
        CompressionType::Bzip2 => decompress_bzip2(input),
        CompressionType::Xpress => Err(codec.unsupported()),
    }
}

fn allocate(len: usize) -> Result<Vec<u8>> {
    let mut out = Vec::new();
    out.try_reserve_exact(len).map_err(|_| {
        Status::corruption(format!("Cannot allocate {len} bytes for a decompressed block"))
    })?;
    Ok(out)
}

/// The declared size and what follows it, if `input.len() / unit * per_unit` bytes (the most the
/// codec can make of that input) suffice for it.
fn split_size(input: &[u8], per_unit: usize, unit: usize) -> Result<(usize, &[u8])> {
    let (size, at) = decode_varint32(input)
        .ok_or_else(|| Status::corruption("Unable to extract uncompressed size"))?;
    let (size, rest) = (size as usize, &input[at..]);
    check_ratio(size, rest.len(), per_unit, unit)?;
    Ok((size, rest))
}

fn check_ratio(size: usize, packed: usize, per_unit: usize, unit: usize) -> Result<()> {
    let most = (packed / unit + 1).saturating_mul(per_unit);
    if size > most {
        return Err(Status::corruption(format!(
            "Impossible uncompressed size {size} of a compressed block of {packed} bytes"
        )));
    }
    Ok(())
}

fn decompress_snappy(input: &[u8]) -> Result<Vec<u8>> {
    let size = snap::raw::decompress_len(input)
        .map_err(|_| Status::corruption("Error reading snappy compressed length"))?;
    // The densest element is a 2-byte copy of 11 bytes or a 3-byte copy of 64.
    check_ratio(size, input.len(), 64, 2)?;
    let mut out = allocate(size)?;
    out.resize(size, 0);
    match snap::raw::Decoder::new().decompress(input, &mut out) {
        Ok(len) if len == size => Ok(out),
        _ => Err(Status::corruption("Error decompressing snappy data")),
    }
}

fn decompress_lz4(input: &[u8], dictionary: Option<&Dictionary>) -> Result<Vec<u8>> {
    // One length byte stands for at most 255 bytes of a match.
    let (size, input) = split_size(input, 255, 1)?;
    let mut out = allocate(size)?;
    out.resize(size, 0);
    let done = match dictionary {
        None => lz4_flex::block::decompress_into(input, &mut out),
        Some(d) => lz4_flex::block::decompress_into_with_dict(input, &mut out, &d.raw),
    };
    match done {
        Ok(len) if len == size => Ok(out),
        Ok(_) => Err(Status::corruption("Size mismatch decompressing LZ4 data")),
        Err(_) => Err(Status::corruption("Error decompressing LZ4 data")),
    }
}

thread_local! {
    /// A context is about 160 KB; one a thread, made when a thread first needs it.
    static ZSTD: RefCell<Option<DCtx<'static>>> = const { RefCell::new(None) };
    /// About 50 KB.
    static ZLIB: RefCell<Option<Inflate>> = const { RefCell::new(None) };
}

fn decompress_zstd(input: &[u8], dictionary: Option<&Dictionary>) -> Result<Vec<u8>> {
    // A run-length block takes 4 bytes and unpacks to at most 128 KiB.
    let (size, input) = split_size(input, 128 << 10, 4)?;
    let mut out = allocate(size)?;
    let done = ZSTD.with_borrow_mut(|slot| {
        if slot.is_none() {
            *slot = DCtx::try_create();
        }
        let context = slot.as_mut().ok_or("cannot allocate a context")?;
        match dictionary.map(|d| d.zstd.as_ref()) {
            None => context.decompress(&mut out, input),
            Some(Some(d)) => context.decompress_using_ddict(&mut out, input, d),
            Some(None) => return Err("damaged dictionary"),
        }
        .map_err(zstd_safe::get_error_name)
    });
    match done {
        Ok(len) if len == size && out.len() == size => Ok(out),
        Ok(_) => Err(Status::corruption("ZSTD decompression size mismatch")),
        Err(name) => Err(Status::corruption(format!("ZSTD {name}"))),
    }
}

/// Unpacks raw deflate with any window.
fn decompress_zlib(input: &[u8], dictionary: Option<&Dictionary>) -> Result<Vec<u8>> {
    // A match of 258 bytes takes two bits.
    let (size, input) = split_size(input, 258 * 4, 1)?;
    let mut out = allocate(size)?;
    out.resize(size, 0);
    let done = ZLIB.with_borrow_mut(|slot| {
        let stream = match slot {
            Some(stream) => {
                stream.reset(false);
                stream
            }
            None => slot.insert(Inflate::new(false, 15)),
        };
        if let Some(dictionary) = dictionary {
            stream.set_dictionary(&dictionary.raw)?;
        }
        let status = stream.decompress(input, &mut out, InflateFlush::SyncFlush)?;
        Ok((status, stream.total_out()))
    });
    match done {
        Ok((zlib_rs::Status::StreamEnd, len)) if len == size as u64 => Ok(out),
        Ok((zlib_rs::Status::StreamEnd, _)) => {
            Err(Status::corruption("Size mismatch decompressing zlib data"))
        }
        Ok(_) => Err(Status::corruption("Failed zlib inflate: cut short, or larger than it says")),
        Err(e) => Err(failed_inflate(e)),
    }
}

#[cold]
fn failed_inflate(error: InflateError) -> Status {
    Status::corruption(format!("Failed zlib inflate: {}", error.as_str()))
}

/// What a bzip2 stream is unpacked to before more memory is taken, in bytes: a few bytes of it can
/// stand for megabytes, so that only what comes out of it says how much it holds.
const BZIP2_STEP: usize = 1 << 20;

fn decompress_bzip2(input: &[u8]) -> Result<Vec<u8>> {
    let (size, at) = decode_varint32(input)
        .ok_or_else(|| Status::corruption("Unable to extract uncompressed size"))?;
    let (size, mut rest) = (size as usize, &input[at..]);
    let failed = || Status::corruption("Error decompressing bzip2 data");
    let mut stream = bzip2::Decompress::new(false);
    let mut out = allocate(size.min(BZIP2_STEP))?;
    loop {
        let (read, written) = (stream.total_in(), out.len());
        let status = stream.decompress_vec(rest, &mut out).map_err(|_| failed())?;
        rest = &rest[(stream.total_in() - read) as usize..];
        match status {
            bzip2::Status::StreamEnd if out.len() == size => return Ok(out),
            bzip2::Status::StreamEnd => {
                return Err(Status::corruption("Size mismatch decompressing bzip2 data"));
            }
            _ if out.len() < out.capacity() && out.len() == written => return Err(failed()),
            _ if out.len() == out.capacity() => {
                // A full buffer, of which the end may still be to come.
                if out.len() >= size {
                    return end_of_bzip2(stream, rest, out, size);
                }
                let more = out.len().min(size - out.len());
                out.try_reserve_exact(more).map_err(|_| failed())?;
            }
            _ => {}
        }
    }
}

/// `out`, if it is `size` bytes long and the stream has nothing more than its end.
fn end_of_bzip2(
    mut stream: bzip2::Decompress,
    rest: &[u8],
    out: Vec<u8>,
    size: usize,
) -> Result<Vec<u8>> {
    match stream.decompress(rest, &mut [0]) {
        Ok(bzip2::Status::StreamEnd) if stream.total_out() == size as u64 && out.len() == size => {
            Ok(out)
        }
        _ => Err(Status::corruption("Size mismatch decompressing bzip2 data")),
    }
}
