//! [`Operands`]: merge operands of one key, gathered until something can be done with them.

use crate::base::key::SequenceNumber;

struct Entry {
    sequence: SequenceNumber,
    /// Where its bytes end; they begin where those of the one before end.
    end: usize,
}

/// Operands, newest first, in memory that is used again for the next key.
#[derive(Default)]
pub(super) struct Operands {
    bytes: Vec<u8>,
    entries: Vec<Entry>,
}

impl Operands {
    /// So many operands need no allocation to be lent out.
    const FEW: usize = 8;

    pub(super) fn clear(&mut self) {
        self.bytes.clear();
        self.entries.clear();
    }

    pub(super) fn len(&self) -> usize {
        self.entries.len()
    }

    /// Adds an older one.
    pub(super) fn push(&mut self, sequence: SequenceNumber, operand: &[u8]) {
        self.bytes.extend_from_slice(operand);
        self.entries.push(Entry { sequence, end: self.bytes.len() });
    }

    pub(super) fn sequence(&self, at: usize) -> SequenceNumber {
        self.entries[at].sequence
    }

    pub(super) fn get(&self, at: usize) -> &[u8] {
        let start = if at == 0 { 0 } else { self.entries[at - 1].end };
        &self.bytes[start..self.entries[at].end]
    }

    /// Lends all of them, oldest first.
    pub(super) fn oldest_first<R>(&self, lend: impl FnOnce(&[&[u8]]) -> R) -> R {
        let count = self.len();
        if count <= Self::FEW {
            let mut few: [&[u8]; Self::FEW] = [&[]; Self::FEW];
            for (at, slot) in few[..count].iter_mut().enumerate() {
                *slot = self.get(count - 1 - at);
            }
            return lend(&few[..count]);
        }
        let many: Vec<&[u8]> = (0..count).rev().map(|at| self.get(at)).collect();
        lend(&many)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operands_are_lent_oldest_first() {
        for count in [1, 8, 9, 20u64] {
            let mut operands = Operands::default();
            operands.push(0, b"gone");
            operands.clear();
            for sequence in (0..count).rev() {
                operands.push(sequence, format!("v{sequence}").as_bytes());
            }
            let expected: Vec<_> = (0..count).map(|s| format!("v{s}").into_bytes()).collect();
            operands.oldest_first(|lent| assert_eq!(lent, expected));
            assert_eq!(operands.sequence(0), count - 1);
        }
    }
}
