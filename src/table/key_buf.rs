//! [`KeyBuf`]: where a prefix-compressed key is put together.

/// A key that is changed in place; up to [`KeyBuf::INLINE`] bytes need no allocation, so that a
/// point look-up makes none.
pub(super) struct KeyBuf {
    inline: [u8; KeyBuf::INLINE],
    /// Holds the key if it is longer than `inline`.
    spill: Vec<u8>,
    len: usize,
}

impl KeyBuf {
    const INLINE: usize = 96;

    pub fn new() -> KeyBuf {
        KeyBuf { inline: [0; KeyBuf::INLINE], spill: Vec::new(), len: 0 }
    }

    #[inline]
    pub fn len(&self) -> usize {
        self.len
    }

    #[inline]
    pub fn as_slice(&self) -> &[u8] {
        if self.len <= Self::INLINE { &self.inline[..self.len] } else { &self.spill }
    }

    /// Becomes `front` followed by `tail`.
    #[inline]
    pub fn assign(&mut self, front: &[u8], tail: &[u8]) {
        self.len = front.len() + tail.len();
        if self.len <= Self::INLINE {
            self.inline[..front.len()].copy_from_slice(front);
            self.inline[front.len()..self.len].copy_from_slice(tail);
        } else {
            self.spill.clear();
            self.spill.extend_from_slice(front);
            self.spill.extend_from_slice(tail);
        }
    }

    /// Keeps the first `keep` bytes, which must be there, and puts `tail` behind them.
    #[inline]
    pub fn replace_tail(&mut self, keep: usize, tail: &[u8]) {
        let len = keep + tail.len();
        match (self.len <= Self::INLINE, len <= Self::INLINE) {
            (true, true) => self.inline[keep..len].copy_from_slice(tail),
            (false, true) => {
                self.inline[..keep].copy_from_slice(&self.spill[..keep]);
                self.inline[keep..len].copy_from_slice(tail);
            }
            (was_inline, false) => {
                if was_inline {
                    self.spill.clear();
                    self.spill.extend_from_slice(&self.inline[..keep]);
                } else {
                    self.spill.truncate(keep);
                }
                self.spill.extend_from_slice(tail);
            }
        }
        self.len = len;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::random::Random;

    #[test]
    fn behaves_like_a_vector() {
        let mut random = Random::from_env(31);
        let (mut buf, mut model) = (KeyBuf::new(), Vec::new());
        for _ in 0..5000 {
            let len = random.below(150) as usize;
            let tail = random.bytes(len);
            if random.one_in(4) {
                let front = {
                    let n = random.below(80) as usize;
                    random.bytes(n)
                };
                buf.assign(&front, &tail);
                model = front;
            } else {
                let keep = random.below(model.len() as u64 + 1) as usize;
                buf.replace_tail(keep, &tail);
                model.truncate(keep);
            }
            model.extend_from_slice(&tail);
            assert_eq!(buf.as_slice(), model);
            assert_eq!(buf.len(), model.len());
        }
    }
}
