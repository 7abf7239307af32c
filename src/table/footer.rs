//! [`Footer`]: the last 53 bytes of a table file.
//!
//! Every version: checksum kind (1 byte), 40 bytes, format version (fixed32), magic (fixed64).
//! The 40 bytes hold, up to version 5, the metaindex and index handles and padding; from 6 on, an
//! extended magic number, the footer's checksum, the base context checksum, the metaindex block's
//! size (it lies right before the footer), and zeros. (RocksDB: `table/format.cc`.)

use super::checksum::{ChecksumType, context_modifier};
use super::handle::{BLOCK_TRAILER_LEN, BlockHandle};
use crate::base::coding::{Decoder, fixed32, fixed64};
use crate::base::status::{Result, Status};

/// What a block-based table file ends with.
pub const BLOCK_BASED_TABLE_MAGIC: u64 = 0x88e2_41b7_85f4_cff7;
/// What files of LevelDB, and of RocksDB's format version 0, end with.
const LEGACY_BLOCK_BASED_MAGIC: u64 = 0xdb47_7524_8b80_fb57;
/// What plain tables end with; [`LEGACY_PLAIN_MAGIC`] in files of version 0. Error texts name the
/// former for both, as RocksDB's do.
const PLAIN_TABLE_MAGIC: u64 = 0x8242_2296_63bf_9564;
const LEGACY_PLAIN_MAGIC: u64 = 0x4f34_18eb_7a8f_13b8;
const EXTENDED_MAGIC: [u8; 4] = [0x3e, 0x00, 0x7a, 0x00];

/// The format versions that can be read and written.
pub const FORMAT_VERSIONS: std::ops::RangeInclusive<u32> = 2..=7;

/// What a reader must know to find and check everything else.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Footer {
    /// The table's format version (2 to 7).
    pub format_version: u32,
    /// How its blocks are summed.
    pub checksum: ChecksumType,
    /// Mixed into every block's checksum; not 0 from version 6 on, 0 before.
    pub base_context_checksum: u32,
    /// The block that names the other meta blocks.
    pub metaindex: BlockHandle,
    /// The index block; from version 6 on the metaindex names it instead.
    pub index: Option<BlockHandle>,
}

impl Footer {
    /// The bytes a footer takes.
    pub const ENCODED_LEN: usize = 1 + PART2_LEN + 4 + 8;
    /// A file shorter than this (a version-0 footer) is no table at all.
    pub const MIN_FILE_LEN: u64 = 48;

    /// Decodes the footer that ends `tail`, the last bytes of a file, which begin at
    /// `tail_offset`. `tail` holds at least [`Footer::MIN_FILE_LEN`] bytes, or all of the file.
    pub fn decode(tail: &[u8], tail_offset: u64) -> Result<Footer> {
        let Some(magic_at) = tail.len().checked_sub(8) else {
            return Err(Status::corruption("Input is too short to be an SST file"));
        };
        check_magic(fixed64(&tail[magic_at..]))?;
        let Some(version_at) = magic_at.checked_sub(4) else {
            return Err(Status::corruption("Input is too short to be an SST file"));
        };
        let format_version = fixed32(&tail[version_at..]);
        if !FORMAT_VERSIONS.contains(&format_version) {
            return Err(Status::corruption(format!(
                "Corrupt or unsupported format_version {format_version} for magic \
                 {BLOCK_BASED_TABLE_MAGIC}"
            )));
        }
        let Some(start) = tail.len().checked_sub(Self::ENCODED_LEN) else {
            return Err(Status::corruption("Input is too short to be an SST file"));
        };
        let footer = &tail[start..];
        let checksum = ChecksumType::from_u8(footer[0]).ok_or_else(|| {
            Status::corruption(format!("Corrupt or unsupported checksum type: {}", footer[0]))
        })?;
        if format_version >= 6 {
            decode_extended(footer, tail_offset + start as u64, format_version, checksum)
        } else {
            let mut input = Decoder::new(&footer[1..1 + PART2_LEN]);
            let metaindex = BlockHandle::decode(&mut input)?;
            let index = Some(BlockHandle::decode(&mut input)?);
            let base_context_checksum = 0;
            Ok(Footer { format_version, checksum, base_context_checksum, metaindex, index })
        }
    }

    /// The footer's bytes, for a footer that begins at `offset`. From version 6 on the metaindex
    /// block must end right before it and be smaller than 4 GiB.
    pub fn encode(&self, offset: u64) -> Result<[u8; Self::ENCODED_LEN]> {
        let mut out = [0; Self::ENCODED_LEN];
        out[0] = self.checksum as u8;
        out[VERSION_AT..VERSION_AT + 4].copy_from_slice(&self.format_version.to_le_bytes());
        out[VERSION_AT + 4..].copy_from_slice(&BLOCK_BASED_TABLE_MAGIC.to_le_bytes());
        if self.format_version < 6 {
            let mut handles = Vec::with_capacity(PART2_LEN);
            self.metaindex.encode_to(&mut handles);
            self.index.unwrap_or_default().encode_to(&mut handles);
            out[1..1 + handles.len()].copy_from_slice(&handles);
            return Ok(out);
        }
        debug_assert_eq!(self.metaindex.end(), Some(offset));
        let size = u32::try_from(self.metaindex.size)
            .map_err(|_| Status::not_supported("Metaindex block size > 4GB"))?;
        out[1..5].copy_from_slice(&EXTENDED_MAGIC);
        out[9..13].copy_from_slice(&self.base_context_checksum.to_le_bytes());
        out[13..17].copy_from_slice(&size.to_le_bytes());
        let sum = footer_checksum(&out, self.checksum, self.base_context_checksum, offset);
        out[5..9].copy_from_slice(&sum.to_le_bytes());
        Ok(out)
    }
}

const PART2_LEN: usize = 2 * BlockHandle::MAX_ENCODED_LEN;
const VERSION_AT: usize = 1 + PART2_LEN;

fn check_magic(magic: u64) -> Result<()> {
    match magic {
        BLOCK_BASED_TABLE_MAGIC => Ok(()),
        LEGACY_BLOCK_BASED_MAGIC => Err(Status::not_supported(
            "Unsupported legacy magic number for block-based SST format. Load with RocksDB >= \
             4.6.0 and < 11.0.0 and run full compaction to upgrade.",
        )),
        _ => Err(Status::corruption(format!(
            "Bad table magic number: expected {BLOCK_BASED_TABLE_MAGIC}, found {}",
            if magic == LEGACY_PLAIN_MAGIC { PLAIN_TABLE_MAGIC } else { magic }
        ))),
    }
}

/// The checksum of a version-6 footer, computed with the checksum's own field as zeros.
fn footer_checksum(footer: &[u8], kind: ChecksumType, base_context: u32, offset: u64) -> u32 {
    let mut copy = [0; Footer::ENCODED_LEN];
    copy.copy_from_slice(footer);
    copy[5..9].fill(0);
    kind.compute(&copy).wrapping_add(context_modifier(base_context, offset))
}

fn decode_extended(
    footer: &[u8],
    offset: u64,
    format_version: u32,
    checksum: ChecksumType,
) -> Result<Footer> {
    if footer[1..5] != EXTENDED_MAGIC {
        let hex: String = footer[1..5].iter().map(|b| format!("{b:02X}")).collect();
        return Err(Status::corruption(format!("Bad extended magic number: 0x{hex}")));
    }
    let stored = fixed32(&footer[5..]);
    let base_context_checksum = fixed32(&footer[9..]);
    if base_context_checksum == 0 {
        return Err(Status::corruption("Invalid base context checksum"));
    }
    if footer_checksum(footer, checksum, base_context_checksum, offset) != stored {
        return Err(Status::corruption(format!("Footer at {offset} checksum mismatch")));
    }
    let size = u64::from(fixed32(&footer[13..]));
    if fixed64(&footer[VERSION_AT - 8..]) != 0 {
        return Err(Status::not_supported(
            "File uses a future feature not supported in this version",
        ));
    }
    let Some(start) = offset.checked_sub(size + BLOCK_TRAILER_LEN as u64) else {
        return Err(Status::corruption(format!("Footer at {offset}: metaindex size {size}")));
    };
    let metaindex = BlockHandle::new(start, size);
    Ok(Footer { format_version, checksum, base_context_checksum, metaindex, index: None })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn footer(format_version: u32, checksum: ChecksumType) -> Footer {
        Footer {
            format_version,
            checksum,
            base_context_checksum: if format_version >= 6 { 0x1234_5678 } else { 0 },
            metaindex: BlockHandle::new(1000, 195),
            index: (format_version < 6).then(|| BlockHandle::new(500, 490)),
        }
    }

    #[test]
    fn round_trips() {
        for version in FORMAT_VERSIONS {
            for kind in 0..5 {
                let footer = footer(version, ChecksumType::from_u8(kind).unwrap());
                let bytes = footer.encode(1200).unwrap();
                assert_eq!(Footer::decode(&bytes, 1200).unwrap(), footer);
                let mut longer = vec![7; 11];
                longer.extend_from_slice(&bytes);
                assert_eq!(Footer::decode(&longer, 1189).unwrap(), footer);
            }
        }
    }

    #[test]
    fn damage_and_cuts_are_errors() {
        for version in FORMAT_VERSIONS {
            let bytes = footer(version, ChecksumType::Xxh3).encode(1200).unwrap();
            for len in 0..bytes.len() {
                assert!(Footer::decode(&bytes[bytes.len() - len..], 1200).is_err());
            }
            for at in 0..bytes.len() * 8 {
                let mut bad = bytes;
                bad[at / 8] ^= 1 << (at % 8);
                match Footer::decode(&bad, 1200) {
                    // Read as an older version, the extended magic is two empty blocks.
                    Ok(f) if version >= 6 => assert_eq!(f.metaindex, BlockHandle::new(62, 0)),
                    _ => {}
                }
            }
            assert!(version < 6 || Footer::decode(&bytes, 1201).is_err());
        }
    }

    #[test]
    fn texts_are_rocksdbs() {
        let mut bytes = footer(7, ChecksumType::Xxh3).encode(1200).unwrap();
        bytes[2] = 0x40;
        let error = Footer::decode(&bytes, 1200).unwrap_err();
        assert_eq!(error.text(), "Bad extended magic number: 0x3E407A00");
        bytes[45..].copy_from_slice(&LEGACY_BLOCK_BASED_MAGIC.to_le_bytes());
        let error = Footer::decode(&bytes, 1200).unwrap_err();
        assert!(error.text().starts_with("Unsupported legacy magic number"));
        bytes[45..].fill(0);
        assert_eq!(
            Footer::decode(&bytes, 1200).unwrap_err().text(),
            "Bad table magic number: expected 9863518390377041911, found 0"
        );
    }
}
