//! Packing blocks; the inverse of `decompress`.

use super::CompressionType;
use crate::base::coding::put_varint32;
use crate::base::status::{Result, Status};
use std::fmt::Write;
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
            CompressionType::Zstd | CompressionType::Lz4 | CompressionType::Lz4hc => {
                self.max_dict_bytes
            }
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
    snappy: snap::raw::Encoder,
    zstd: Option<CCtx<'static>>,
    /// LZ4's dictionary; empty if there is none. Zstandard's is in its context.
    dictionary: Vec<u8>,
}

impl Compressor {
    /// A packer for `codec`; a codec that this library lacks is an error.
    pub fn new(codec: CompressionType, options: &CompressionOptions) -> Result<Compressor> {
        if !codec.is_supported() {
            return Err(codec.unsupported());
        }
        let zstd = match codec {
            CompressionType::Zstd => Some(zstd_context(options)?),
            _ => None,
        };
        Ok(Compressor { codec, snappy: snap::raw::Encoder::new(), zstd, dictionary: Vec::new() })
    }

    /// The codec.
    pub fn codec(&self) -> CompressionType {
        self.codec
    }

    /// Packs with the dictionary `raw` from now on, as far as the codec knows dictionaries; without
    /// one if it is empty.
    pub fn set_dictionary(&mut self, raw: &[u8]) -> Result<()> {
        if let Some(context) = &mut self.zstd {
            context.load_dictionary(raw).map_err(|code| {
                let name = zstd_safe::get_error_name(code);
                Status::corruption(format!("ZSTD dictionary: {name}"))
            })?;
        } else if matches!(self.codec, CompressionType::Lz4 | CompressionType::Lz4hc) {
            self.dictionary = raw.to_vec();
        }
        Ok(())
    }

    /// Replaces the contents of `out` with the packed form of `input`.
    pub fn compress(&mut self, input: &[u8], out: &mut Vec<u8>) -> Result<()> {
        out.clear();
        let size = u32::try_from(input.len())
            .map_err(|_| Status::invalid_argument("a block to compress exceeds 4 GiB"))?;
        match self.codec {
            CompressionType::None => out.extend_from_slice(input),
            CompressionType::Snappy => return self.compress_snappy(input, out),
            CompressionType::Lz4 | CompressionType::Lz4hc => {
                put_varint32(out, size);
                return compress_lz4(input, &self.dictionary, out);
            }
            CompressionType::Zstd => {
                put_varint32(out, size);
                return self.compress_zstd(input, out);
            }
            _ => return Err(self.codec.unsupported()),
        }
        Ok(())
    }

    fn compress_snappy(&mut self, input: &[u8], out: &mut Vec<u8>) -> Result<()> {
        out.resize(snap::raw::max_compress_len(input.len()), 0);
        let len = self
            .snappy
            .compress(input, out)
            .map_err(|e| Status::corruption(format!("Error compressing snappy data: {e}")))?;
        out.truncate(len);
        Ok(())
    }

    fn compress_zstd(&mut self, input: &[u8], out: &mut Vec<u8>) -> Result<()> {
        let context = self.zstd.as_mut().ok_or_else(|| Status::corruption("no ZSTD context"))?;
        let prefix = out.len();
        out.resize(prefix + zstd_safe::compress_bound(input.len()), 0);
        let len = context.compress2(&mut out[prefix..], input).map_err(|code| {
            let name = zstd_safe::get_error_name(code);
            Status::corruption(format!("ZSTD_compress2 failed: {name}"))
        })?;
        out.truncate(prefix + len);
        Ok(())
    }
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
) -> Result<()> {
    Compressor::new(codec, options)?.compress(input, out)
}
