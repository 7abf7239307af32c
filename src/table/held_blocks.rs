//! [`HeldBlocks`]: the first data blocks of a table, held back until a dictionary can be made out
//! of them that all blocks are packed with.

/// A complete data block that is not written yet.
pub(super) struct HeldBlock {
    pub(super) first_key: Vec<u8>,
    pub(super) last_key: Vec<u8>,
    pub(super) bytes: Vec<u8>,
}

/// The blocks, in order.
pub(super) struct HeldBlocks {
    blocks: Vec<HeldBlock>,
    bytes: u64,
    /// No more are held once there are more bytes than this; 0 is no bound.
    limit: u64,
}

impl HeldBlocks {
    pub(super) fn new(limit: u64) -> HeldBlocks {
        HeldBlocks { blocks: Vec::new(), bytes: 0, limit }
    }

    pub(super) fn push(&mut self, block: HeldBlock) {
        self.bytes += block.bytes.len() as u64;
        self.blocks.push(block);
    }

    /// Whether it is time to let the blocks go.
    pub(super) fn is_full(&self) -> bool {
        self.limit > 0 && self.bytes > self.limit
    }

    /// Up to `max_bytes` bytes of blocks from all over the table, one behind the other, and the
    /// length of each.
    pub(super) fn samples(&self, max_bytes: usize) -> (Vec<u8>, Vec<usize>) {
        let count = self.blocks.len() as u64;
        // As many blocks as fit if all are of average size, evenly spread.
        let wanted = (max_bytes as u64).saturating_mul(count).div_ceil(self.bytes.max(1));
        let wanted = wanted.clamp(1, count.max(1));
        let (mut samples, mut lens) = (Vec::new(), Vec::new());
        for i in 0..wanted {
            let Some(block) = self.blocks.get((i * count / wanted) as usize) else { break };
            let len = block.bytes.len().min(max_bytes - samples.len());
            if len == 0 {
                break;
            }
            samples.extend_from_slice(&block.bytes[..len]);
            lens.push(len);
        }
        (samples, lens)
    }

    pub(super) fn into_blocks(self) -> Vec<HeldBlock> {
        self.blocks
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn samples_come_from_everywhere_and_keep_to_their_bound() {
        let mut held = HeldBlocks::new(1000);
        assert_eq!(held.samples(100), (vec![], vec![]));
        for i in 0..101_u8 {
            assert!(!held.is_full());
            held.push(HeldBlock { first_key: vec![], last_key: vec![], bytes: vec![i; 10] });
        }
        assert!(held.is_full());
        let (samples, lens) = held.samples(55);
        assert_eq!(lens, [10, 10, 10, 10, 10, 5]);
        let firsts: Vec<u8> = samples.chunks(10).map(|sample| sample[0]).collect();
        assert_eq!(firsts, [0, 16, 33, 50, 67, 84]);
        assert_eq!(held.samples(5000).0.len(), 1010);
        assert_eq!(held.into_blocks().len(), 101);
    }
}
