//! Row 3: block compression, as RocksDB stores it.

mod compress;
mod compression_type;
mod decompress;
mod lz4;
mod stream;

pub use compress::{CompressionOptions, Compressor, compress, make_dictionary};
pub use compression_type::CompressionType;
pub use decompress::{Dictionary, decompress, decompress_with};
pub use stream::{RecordPacker, RecordUnpacker};

#[cfg(test)]
mod tests;
