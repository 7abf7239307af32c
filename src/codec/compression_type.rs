//! [`CompressionType`]: which codec packed a block.

use crate::base::status::{Result, Status};
use std::fmt;

/// A codec. The numbers are part of the file formats (RocksDB's `CompressionType`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub enum CompressionType {
    /// Stored as it is.
    #[default]
    None = 0,
    /// Snappy's raw format.
    Snappy = 1,
    /// Zlib's deflate, without a header.
    Zlib = 2,
    /// BZip2.
    Bzip2 = 3,
    /// LZ4's block format.
    Lz4 = 4,
    /// LZ4's block format, packed by the slower, denser packer.
    Lz4hc = 5,
    /// Windows' Xpress.
    Xpress = 6,
    /// Zstandard.
    Zstd = 7,
}

impl CompressionType {
    const ALL: [CompressionType; 8] = [
        CompressionType::None,
        CompressionType::Snappy,
        CompressionType::Zlib,
        CompressionType::Bzip2,
        CompressionType::Lz4,
        CompressionType::Lz4hc,
        CompressionType::Xpress,
        CompressionType::Zstd,
    ];

    /// The codec with number `byte`; a number that RocksDB does not give out, or that belongs to
    /// a user's own codec, is not supported.
    pub fn from_u8(byte: u8) -> Result<CompressionType> {
        Self::ALL.get(usize::from(byte)).copied().ok_or_else(|| {
            let kind = if (0x80..0xff).contains(&byte) { "Custom" } else { "Reserved" };
            Status::not_supported(format!(
                "Compression type not supported or not built-in: {kind}{byte:02X}"
            ))
        })
    }

    /// The name that table properties carry, e.g. `LZ4`.
    pub fn property_name(self) -> &'static str {
        match self {
            CompressionType::None => "NoCompression",
            CompressionType::Snappy => "Snappy",
            CompressionType::Zlib => "Zlib",
            CompressionType::Bzip2 => "BZip2",
            CompressionType::Lz4 => "LZ4",
            CompressionType::Lz4hc => "LZ4HC",
            CompressionType::Xpress => "Xpress",
            CompressionType::Zstd => "ZSTD",
        }
    }

    /// The codec that table properties call `name`.
    pub fn from_property_name(name: &str) -> Option<CompressionType> {
        Self::ALL.into_iter().find(|t| t.property_name() == name)
    }

    /// The name that OPTIONS files carry, e.g. `kLZ4Compression`.
    pub fn option_name(self) -> &'static str {
        match self {
            CompressionType::None => "kNoCompression",
            CompressionType::Snappy => "kSnappyCompression",
            CompressionType::Zlib => "kZlibCompression",
            CompressionType::Bzip2 => "kBZip2Compression",
            CompressionType::Lz4 => "kLZ4Compression",
            CompressionType::Lz4hc => "kLZ4HCCompression",
            CompressionType::Xpress => "kXpressCompression",
            CompressionType::Zstd => "kZSTD",
        }
    }

    /// The codec that OPTIONS files call `name`.
    pub fn from_option_name(name: &str) -> Option<CompressionType> {
        if name == "kZSTDNotFinalCompression" {
            return Some(CompressionType::Zstd);
        }
        Self::ALL.into_iter().find(|t| t.option_name() == name)
    }

    /// Whether this library can pack and unpack with the codec.
    pub fn is_supported(self) -> bool {
        self != CompressionType::Xpress
    }

    /// The error for a codec this library lacks.
    #[cold]
    pub(crate) fn unsupported(self) -> Status {
        Status::not_supported(format!(
            "Compression type not supported or not built-in: {}",
            self.property_name()
        ))
    }
}

impl fmt::Display for CompressionType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.property_name())
    }
}
