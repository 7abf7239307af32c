//! Whether the end of a MANIFEST is what a power cut left of a record that was being written.
//!
//! Every record is synced before the next one is written, so only the last may be incomplete.
//! Usually it is cut short; but since sectors reach the disk in any order, an early sector may be
//! missing, which reads as zeros, while a later one is there. Such a record was never
//! acknowledged and does not count. Damage of any other form is not believed to be that: it may
//! have hit a record that was synced.

use crate::base::checksum::{crc32c, mask_crc};
use crate::base::coding::fixed32;
use crate::wal::HEADER_LEN;

/// What disks write at once, in bytes.
const SECTOR: usize = 512;

/// The longest tail that is looked at, in bytes.
pub(super) const MAX_TAIL: usize = 256 << 10;

/// Whether `tail`, which begins at `offset` in the file behind the last whole record, is a torn
/// record: some sector's part of it was never written, and no whole fragment is in it.
pub(super) fn is_torn(tail: &[u8], offset: u64) -> bool {
    tail.len() <= MAX_TAIL && has_unwritten_sector(tail, offset) && !has_whole_fragment(tail)
}

fn has_unwritten_sector(tail: &[u8], offset: u64) -> bool {
    let first = SECTOR - (offset % SECTOR as u64) as usize;
    let (first, rest) = tail.split_at(first.min(tail.len()));
    let unwritten = |part: &[u8]| part.iter().all(|&byte| byte == 0);
    !first.is_empty() && unwritten(first) || rest.chunks(SECTOR).any(unwritten)
}

/// Looks at every offset, since where a record begins is not known behind damage.
fn has_whole_fragment(tail: &[u8]) -> bool {
    (0..tail.len().saturating_sub(HEADER_LEN)).any(|at| {
        let fragment = &tail[at..];
        let len = usize::from(u16::from_le_bytes([fragment[4], fragment[5]]));
        let known_type = (1..=4).contains(&fragment[6]);
        known_type
            && fragment.len() >= HEADER_LEN + len
            && fixed32(fragment) == mask_crc(crc32c(&fragment[6..HEADER_LEN + len]))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(payload: usize) -> Vec<u8> {
        let mut record = vec![0; 4];
        record.extend_from_slice(&(payload as u16).to_le_bytes());
        record.push(1);
        record.extend((0..payload).map(|i| i as u8 | 1));
        let crc = mask_crc(crc32c(&record[6..]));
        record[..4].copy_from_slice(&crc.to_le_bytes());
        record
    }

    #[test]
    fn a_missing_sector_is_a_tear_and_a_flipped_bit_is_not() {
        let whole = record(1500);
        assert!(!is_torn(&whole, 300));
        // The last one: the length of the file reached the disk, its last sector did not.
        for missing in [0..212, 212..724, 724..1236, 1236..1507] {
            let mut torn = whole.clone();
            torn[missing].fill(0);
            assert!(is_torn(&torn, 300));
        }
        let mut flipped = whole;
        flipped[700] ^= 4;
        assert!(!is_torn(&flipped, 300));
    }

    #[test]
    fn what_is_whole_behind_the_hole_was_synced() {
        let mut tail = vec![0; 512];
        tail.extend(record(40));
        assert!(!is_torn(&tail, 1024));
        tail[530] ^= 1;
        assert!(is_torn(&tail, 1024));
    }
}
