//! Packing blocks; the inverse of `decompress`.

use super::CompressionType;
use super::lz4::Lz4;
use crate::base::coding::put_varint32;
use crate::base::status::{Result, Status};
use std::fmt::Write;
use zlib_rs::{Deflate, DeflateConfig, DeflateError, DeflateFlush, Strategy};
use zstd_safe::{CCtx, CParameter};

/// How hard to pack (RocksDB's `CompressionOptions`; the names and defaults are its).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CompressionOptions {
    /// Zlib only.
    pub window_bits: i32,
    /// The codec's level; [`CompressionOptions::DEFAULT_LEVEL`] lets each codec choose.
    pub level: i32,
    /// Zlib only.
    pub strategy: i32,
    /// The largest dictionary to make for a file, in bytes; 0 is none.
    pub max_dict_bytes: u32,
    /// Bytes to train a dictionary on; 0 takes samples as they are.
    pub zstd_max_train_bytes: u32,
    /// Threads that pack the blocks of one file.
    pub parallel_threads: u32,
    /// For bottommost options: whether they apply.
    pub enabled: bool,
    /// The most data to hold back while collecting samples, in bytes; 0 is no bound.
    pub max_dict_buffer_bytes: u64,
    /// Whether dictionaries are trained or only finalised.
    pub use_zstd_dict_trainer: bool,
    /// A block that does not pack into this many bytes per KiB is stored unpacked.
    pub max_compressed_bytes_per_kb: i32,
    /// Whether Zstandard adds its own checksum.
    pub checksum: bool,
}

impl CompressionOptions {
    /// "The codec's own default".
    pub const DEFAULT_LEVEL: i32 = 32767;
}

impl Default for CompressionOptions {
    fn default() -> Self {
        CompressionOptions {
            window_bits: -14,
            level: Self::DEFAULT_LEVEL,
            strategy: 0,
            max_dict_bytes: 0,
            zstd_max_train_bytes: 0,
            parallel_threads: 1,
            enabled: false,
            max_dict_buffer_bytes: 0,
            use_zstd_dict_trainer: true,
            max_compressed_bytes_per_kb: 896,
            checksum: false,
        }
    }
}

impl CompressionOptions {
    /// The most bytes of a table's blocks that a dictionary for `codec` is made from; 0 if there is
    /// to be none. Codecs that have no dictionaries get none.
    pub fn dictionary_sample_bytes(&self, codec: CompressionType) -> usize {
        let bytes = match codec {
            _ if self.max_dict_bytes == 0 => 0,
            CompressionType::Zstd if self.zstd_max_train_bytes > 0 => self.zstd_max_train_bytes,
            CompressionType::Zstd
            | CompressionType::Zlib
            | CompressionType::Lz4
            | CompressionType::Lz4hc => self.max_dict_bytes,
            _ => 0,
        };
        bytes as usize
    }

    /// The text that the table property `rocksdb.compression_options` carries.
    pub fn property_text(&self) -> String {
        let mut text = String::new();
        let rows: [(&str, i64); 10] = [
            ("window_bits", self.window_bits.into()),
            ("level", self.level.into()),
            ("strategy", self.strategy.into()),
            ("max_dict_bytes", self.max_dict_bytes.into()),
            ("zstd_max_train_bytes", self.zstd_max_train_bytes.into()),
            ("enabled", self.enabled.into()),
            ("max_dict_buffer_bytes", self.max_dict_buffer_bytes as i64),
            ("use_zstd_dict_trainer", self.use_zstd_dict_trainer.into()),
            ("max_compressed_bytes_per_kb", self.max_compressed_bytes_per_kb.into()),
            ("checksum", self.checksum.into()),
        ];
        for (name, value) in rows {
            // Writing to a `String` cannot fail.
            let _ = write!(text, "{name}={value}; ");
        }
        text
    }
}

/// A dictionary out of `samples`, which lie one behind the other and have the lengths `lens`;
/// `None` if they do not make one.
pub fn make_dictionary(
    codec: CompressionType,
    options: &CompressionOptions,
    samples: Vec<u8>,
    lens: &[usize],
) -> Option<Vec<u8>> {
    if samples.is_empty() {
        return None;
    }
    if codec != CompressionType::Zstd || options.zstd_max_train_bytes == 0 {
        return Some(samples);
    }
    let mut dictionary = Vec::new();
    dictionary.try_reserve_exact(options.max_dict_bytes as usize).ok()?;
    // Too few or too similar samples are no error: then there is no dictionary.
    zstd_safe::train_from_buffer(&mut dictionary, &samples, lens).ok()?;
    (!dictionary.is_empty()).then_some(dictionary)
}

/// A codec with its working memory, which lives as long as whoever packs many blocks with it.
pub struct Compressor {
    codec: CompressionType,
    packer: Packer,
}

/// The working memory of each codec.
enum Packer {
    /// Its parameters are none that the codec has: nothing is packed, as in RocksDB.
    Idle,
    Snappy(Box<snap::raw::Encoder>),
    Zlib(Box<Zlib>),
    Bzip2,
    /// LZ4 without acceleration, which has a faster implementation; and its dictionary.
    Lz4(Vec<u8>),
    Lz4Levels(Box<Lz4>),
    Zstd(CCtx<'static>),
}

impl Compressor {
    /// A packer for `codec`; a codec that this library lacks is an error. LZ4 and LZ4HC have one
    /// scale of levels: up to 0 LZ4 with that acceleration, from 1 on LZ4HC; the default is what
    /// the codec is called.
    pub fn new(codec: CompressionType, options: &CompressionOptions) -> Result<Compressor> {
        let level = options.level;
        let (codec, packer) = match codec {
            CompressionType::None => (codec, Packer::Idle),
            CompressionType::Snappy => (codec, Packer::Snappy(Box::new(snap::raw::Encoder::new()))),
            CompressionType::Zlib => (codec, Zlib::new(options).map_or(Packer::Idle, Packer::Zlib)),
            CompressionType::Bzip2 => (codec, Packer::Bzip2),
            CompressionType::Lz4 | CompressionType::Lz4hc => lz4(codec, level),
            CompressionType::Zstd => (codec, Packer::Zstd(zstd_context(options)?)),
            CompressionType::Xpress => return Err(codec.unsupported()),
        };
        Ok(Compressor { codec, packer })
    }

    /// The codec that blocks are packed with.
    pub fn codec(&self) -> CompressionType {
        self.codec
    }

    /// Packs with the dictionary `raw` from now on, as far as the codec knows dictionaries; without
    /// one if it is empty.
    pub fn set_dictionary(&mut self, raw: &[u8]) -> Result<()> {
        match &mut self.packer {
            Packer::Zlib(zlib) => zlib.dictionary = raw.to_vec(),
            Packer::Lz4(dictionary) => *dictionary = raw.to_vec(),
            Packer::Lz4Levels(lz4) => lz4.set_dictionary(raw),
            Packer::Zstd(context) => {
                context.load_dictionary(raw).map_err(|code| {
                    let name = zstd_safe::get_error_name(code);
                    Status::corruption(format!("ZSTD dictionary: {name}"))
                })?;
            }
            Packer::Idle | Packer::Snappy(_) | Packer::Bzip2 => {}
        }
        Ok(())
    }

    /// Replaces the contents of `out` with the packed form of `input`; `false` if the codec's
    /// parameters allow no packing, and then `out` means nothing.
    pub fn compress(&mut self, input: &[u8], out: &mut Vec<u8>) -> Result<bool> {
        out.clear();
        let size = u32::try_from(input.len())
            .map_err(|_| Status::invalid_argument("a block to compress exceeds 4 GiB"))?;
        if let Packer::Snappy(encoder) = &mut self.packer {
            return compress_snappy(encoder, input, out).map(|()| true);
        }
        put_varint32(out, size);
        match &mut self.packer {
            Packer::Idle | Packer::Snappy(_) => return Ok(false),
            Packer::Zlib(zlib) => zlib.pack(input, out)?,
            Packer::Bzip2 => compress_bzip2(input, out)?,
            Packer::Lz4(dictionary) => compress_lz4(input, dictionary, out)?,
            Packer::Lz4Levels(lz4) => lz4.pack(input, out),
            Packer::Zstd(context) => compress_zstd(context, input, out)?,
        }
        Ok(true)
    }
}

fn lz4(named: CompressionType, level: i32) -> (CompressionType, Packer) {
    let high = match level {
        CompressionOptions::DEFAULT_LEVEL => (named == CompressionType::Lz4hc).then_some(0),
        level => (level > 0).then_some(level),
    };
    match high {
        Some(level) => (CompressionType::Lz4hc, Packer::Lz4Levels(Box::new(Lz4::high(level)))),
        None if level < -1 => {
            let packer = Lz4::fast(level.saturating_neg());
            (CompressionType::Lz4, Packer::Lz4Levels(Box::new(packer)))
        }
        None => (CompressionType::Lz4, Packer::Lz4(Vec::new())),
    }
}

/// Raw deflate (RFC 1951), which is what RocksDB's readers take, whatever `window_bits` says: a
/// positive number, which asks zlib for a header, and a window above 16 KiB make blocks that they
/// do not read, so only the size of the window is taken from it, up to that.
struct Zlib {
    deflate: Deflate,
    dictionary: Vec<u8>,
}

impl Zlib {
    const MAX_WINDOW_BITS: u32 = 14;

    /// `None` if zlib has no such parameters.
    fn new(options: &CompressionOptions) -> Option<Box<Zlib>> {
        let level = match options.level {
            CompressionOptions::DEFAULT_LEVEL => -1,
            level => level,
        };
        let window_bits = options.window_bits.unsigned_abs();
        if !(-1..=9).contains(&level) || !(9..=15).contains(&window_bits) {
            return None;
        }
        let config = DeflateConfig {
            level,
            window_bits: -(window_bits.min(Self::MAX_WINDOW_BITS) as i32),
            strategy: Strategy::try_from(options.strategy).ok()?,
            ..DeflateConfig::default()
        };
        let deflate = Deflate::new_with_config(config);
        Some(Box::new(Zlib { deflate, dictionary: Vec::new() }))
    }

    fn pack(&mut self, input: &[u8], out: &mut Vec<u8>) -> Result<()> {
        let failed = |e: DeflateError| {
            Status::corruption(format!("Error compressing zlib data: {}", e.as_str()))
        };
        self.deflate.reset();
        if !self.dictionary.is_empty() {
            self.deflate.set_dictionary(&self.dictionary).map_err(failed)?;
        }
        let prefix = out.len();
        // Zlib's own bound for any parameters.
        out.resize(prefix + input.len() + input.len().div_ceil(8) + input.len() / 64 + 64, 0);
        let status = self
            .deflate
            .compress(input, &mut out[prefix..], DeflateFlush::Finish)
            .map_err(failed)?;
        if status != zlib_rs::Status::StreamEnd {
            return Err(Status::corruption("Error compressing zlib data: too little space"));
        }
        out.truncate(prefix + self.deflate.total_out() as usize);
        Ok(())
    }
}

fn compress_snappy(
    encoder: &mut snap::raw::Encoder,
    input: &[u8],
    out: &mut Vec<u8>,
) -> Result<()> {
    out.resize(snap::raw::max_compress_len(input.len()), 0);
    let len = encoder
        .compress(input, out)
        .map_err(|e| Status::corruption(format!("Error compressing snappy data: {e}")))?;
    out.truncate(len);
    Ok(())
}

fn compress_bzip2(input: &[u8], out: &mut Vec<u8>) -> Result<()> {
    // Blocks of 100 kB and the usual work factor, as RocksDB has it. Streams cannot be reused.
    let mut stream = bzip2::Compress::new(bzip2::Compression::fast(), 30);
    let prefix = out.len();
    // BZip2's own bound.
    out.resize(prefix + input.len() + input.len().div_ceil(100) + 600, 0);
    match stream.compress(input, &mut out[prefix..], bzip2::Action::Finish) {
        Ok(bzip2::Status::StreamEnd) => {
            out.truncate(prefix + stream.total_out() as usize);
            Ok(())
        }
        other => Err(Status::corruption(format!("Error compressing bzip2 data: {other:?}"))),
    }
}

fn compress_zstd(context: &mut CCtx<'_>, input: &[u8], out: &mut Vec<u8>) -> Result<()> {
    let prefix = out.len();
    out.resize(prefix + zstd_safe::compress_bound(input.len()), 0);
    let len = context.compress2(&mut out[prefix..], input).map_err(|code| {
        let name = zstd_safe::get_error_name(code);
        Status::corruption(format!("ZSTD_compress2 failed: {name}"))
    })?;
    out.truncate(prefix + len);
    Ok(())
}

fn compress_lz4(input: &[u8], dictionary: &[u8], out: &mut Vec<u8>) -> Result<()> {
    let prefix = out.len();
    out.resize(prefix + lz4_flex::block::get_maximum_output_size(input.len()), 0);
    let packed = match dictionary {
        [] => lz4_flex::block::compress_into(input, &mut out[prefix..]),
        _ => lz4_flex::block::compress_into_with_dict(input, &mut out[prefix..], dictionary),
    };
    let len = packed.map_err(|e| Status::corruption(format!("Error compressing LZ4 data: {e}")))?;
    out.truncate(prefix + len);
    Ok(())
}

fn zstd_context(options: &CompressionOptions) -> Result<CCtx<'static>> {
    let mut context =
        CCtx::try_create().ok_or_else(|| Status::aborted("cannot allocate a ZSTD context"))?;
    // Level 3 is Zstandard's own default, and what RocksDB turns "default" into.
    let level = match options.level {
        CompressionOptions::DEFAULT_LEVEL => 3,
        level => level,
    };
    let parameters =
        [CParameter::CompressionLevel(level), CParameter::ChecksumFlag(options.checksum)];
    for parameter in parameters {
        context.set_parameter(parameter).map_err(|code| {
            let name = zstd_safe::get_error_name(code);
            Status::invalid_argument(format!("ZSTD level {level}: {name}"))
        })?;
    }
    Ok(context)
}

/// Packs one block. Whoever packs many keeps a [`Compressor`].
pub fn compress(
    codec: CompressionType,
    options: &CompressionOptions,
    input: &[u8],
    out: &mut Vec<u8>,
) -> Result<bool> {
    Compressor::new(codec, options)?.compress(input, out)
}
