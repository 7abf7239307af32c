//! [`Output`]: the file of a table being written, and how blocks get into it.

use super::builder::TableBuilderOptions;
use super::checksum::{ChecksumType, context_modifier};
use super::footer::Footer;
use super::handle::{BLOCK_TRAILER_LEN, BlockHandle};
use super::write_watch as watch;
use crate::base::hash::hash64_seeded;
use crate::base::status::{Result, Status};
use crate::codec::{CompressionType, Compressor, Dictionary, decompress_with};
use crate::env::buffered::BufferedWriter;
use crate::env::file_system::WritableFile;
use crate::plug::table_properties::TableProperties;
use crate::stats::Stats;
use std::hash::{BuildHasher, RandomState};

/// The unit in which files are read and cached, in bytes.
const PAGE_SIZE: usize = 4096;
/// Blocks longer than this are never compressed: codecs count in `i32`.
const COMPRESSION_SIZE_LIMIT: usize = i32::MAX as usize;

/// What became of a block that was to be packed.
pub(super) enum Outcome {
    Packed,
    /// Packing did not save enough.
    Rejected,
    /// Nobody tried.
    Bypassed,
}

/// The file, and how blocks get into it.
pub(super) struct Output {
    pub(super) writer: BufferedWriter,
    checksum: ChecksumType,
    base_context: u32,
    pub(super) compressor: Option<Compressor>,
    max_packed_per_kb: u64,
    verify: bool,
    /// What blocks are packed with.
    dictionary: Option<Dictionary>,
    /// What data blocks start at multiples of, if they are aligned.
    alignment: Option<usize>,
    packed: Vec<u8>,
    pub(super) packed_any: bool,
    stats: Stats,
}

impl Output {
    pub(super) fn new(
        options: &TableBuilderOptions,
        file: Box<dyn WritableFile>,
    ) -> Result<Output> {
        let per_kb = options.compression_opts.max_compressed_bytes_per_kb.min(1023);
        let packs = options.compression != CompressionType::None && per_kb > 0;
        if packs && options.block_align {
            return Err(Status::invalid_argument("Enable block_align, but compression enabled"));
        }
        let compressor = match packs {
            true => Some(Compressor::new(options.compression, &options.compression_opts)?),
            false => None,
        };
        Ok(Output {
            writer: BufferedWriter::new(file, options.writer),
            checksum: options.checksum,
            base_context: base_context(options),
            compressor,
            max_packed_per_kb: per_kb.max(0) as u64,
            verify: options.verify_compression,
            dictionary: None,
            alignment: options.block_align.then(|| options.block_size.clamp(1, PAGE_SIZE)),
            packed: Vec::new(),
            packed_any: false,
            stats: options.stats.clone(),
        })
    }

    /// Packs data blocks with a dictionary from now on.
    pub(super) fn set_dictionary(&mut self, raw: Vec<u8>) -> Result<()> {
        if let Some(compressor) = &mut self.compressor {
            compressor.set_dictionary(&raw)?;
            self.dictionary = Some(Dictionary::new(raw.into_boxed_slice())?);
        }
        Ok(())
    }

    /// Packs without dictionary from now on; returns the one that there was.
    pub(super) fn take_dictionary(&mut self) -> Result<Option<Dictionary>> {
        if let (Some(compressor), Some(_)) = (&mut self.compressor, &self.dictionary) {
            compressor.set_dictionary(&[])?;
        }
        Ok(self.dictionary.take())
    }

    /// Appends a data block, with padding if blocks are aligned.
    pub(super) fn write_data_block(
        &mut self,
        block: &mut Vec<u8>,
        properties: &mut TableProperties,
    ) -> Result<BlockHandle> {
        properties.uncompressed_data_size += block.len() as u64;
        let (handle, outcome) = self.write_block(block, true)?;
        match outcome {
            Outcome::Packed => {}
            Outcome::Rejected => properties.num_data_blocks_compression_rejected += 1,
            Outcome::Bypassed => properties.num_data_blocks_compression_bypassed += 1,
        }
        if let Some(alignment) = self.alignment {
            let rest = (handle.size as usize + BLOCK_TRAILER_LEN) % alignment;
            let padding = if rest == 0 { 0 } else { alignment - rest };
            self.writer.append(&[0; PAGE_SIZE][..padding])?;
        }
        properties.num_data_blocks += 1;
        properties.data_size = self.writer.size();
        Ok(handle)
    }

    /// Appends `block`, packed if that is wanted and pays, with its trailer. `block` is used as
    /// scratch.
    pub(super) fn write_block(
        &mut self,
        block: &mut Vec<u8>,
        pack: bool,
    ) -> Result<(BlockHandle, Outcome)> {
        let outcome = match pack {
            true => self.pack_counted(block)?,
            false => Outcome::Bypassed,
        };
        let _time = watch::raw_block(&self.stats);
        let (stored, codec) = match (&outcome, &self.compressor) {
            (Outcome::Packed, Some(compressor)) => (&mut self.packed, compressor.codec()),
            _ => (block, CompressionType::None),
        };
        let offset = self.writer.size();
        let handle = BlockHandle::new(offset, stored.len() as u64);
        stored.push(codec as u8);
        let sum = self.checksum.compute(stored);
        let sum = sum.wrapping_add(context_modifier(self.base_context, offset));
        stored.extend_from_slice(&sum.to_le_bytes());
        let append = watch::append(&self.stats);
        self.writer.append(stored)?;
        drop(append);
        Ok((handle, outcome))
    }

    /// Packs `block` into `self.packed`, and counts what became of it.
    fn pack_counted(&mut self, block: &[u8]) -> Result<Outcome> {
        if self.stats.is_none() {
            return self.pack(block);
        }
        let packing = watch::Packing::begin(&self.stats);
        let outcome = self.pack(block)?;
        let tried = !matches!(outcome, Outcome::Bypassed);
        let packed = matches!(outcome, Outcome::Packed).then_some(self.packed.len());
        packing.end(&self.stats, tried, block.len(), packed);
        Ok(outcome)
    }

    /// Makes all that was written durable.
    pub(super) fn sync(&mut self) -> Result<()> {
        let _time = watch::sync(&self.stats);
        self.writer.sync()
    }

    /// Packs `block` into `self.packed`.
    fn pack(&mut self, block: &[u8]) -> Result<Outcome> {
        let Some(compressor) =
            self.compressor.as_mut().filter(|_| block.len() < COMPRESSION_SIZE_LIMIT)
        else {
            return Ok(Outcome::Bypassed);
        };
        if !compressor.compress(block, &mut self.packed)? {
            return Ok(Outcome::Bypassed);
        }
        let most = (self.max_packed_per_kb * block.len() as u64) >> 10;
        if self.packed.len() as u64 > most {
            return Ok(Outcome::Rejected);
        }
        if self.verify {
            let dictionary = self.dictionary.as_ref();
            let unpacked = decompress_with(compressor.codec(), &self.packed, dictionary)
                .map_err(|e| Status::corruption(format!("Could not decompress: {}", e.text())))?;
            if unpacked != block {
                return Err(Status::corruption(
                    "Decompressed block did not match pre-compression block",
                ));
            }
        }
        self.packed_any = true;
        Ok(Outcome::Packed)
    }

    pub(super) fn write_footer(
        &mut self,
        options: &TableBuilderOptions,
        metaindex: BlockHandle,
        index: BlockHandle,
    ) -> Result<()> {
        let footer = Footer {
            format_version: options.format_version,
            checksum: options.checksum,
            base_context_checksum: self.base_context,
            metaindex,
            index: (options.format_version < 6).then_some(index),
        };
        let bytes = footer.encode(self.writer.size())?;
        self.writer.append(&bytes)
    }
}

/// A number that tells the file's blocks from other files'; 0 where the format has none.
fn base_context(options: &TableBuilderOptions) -> u32 {
    if options.format_version < 6 {
        return 0;
    }
    let hash = match options.db_session_id.as_str() {
        "" => RandomState::new().hash_one(options.file_number),
        session => hash64_seeded(session.as_bytes(), options.file_number),
    };
    (hash as u32).max(1)
}
