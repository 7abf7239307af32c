//! [`Lz4`]: a packer of LZ4 blocks that spends as much time as its level says, from fast packing
//! with large steps to a search of long hash chains. What it makes is LZ4's block format
//! (`lz4_Block_format.md` of the LZ4 project).

/// Matches are at least this long.
const MIN_MATCH: usize = 4;
/// The bytes at the end that the format wants as literals.
const LAST_LITERALS: usize = 5;
/// No match begins closer than this to the end.
const MATCH_LIMIT: usize = 12;
/// Matches are at most this far back.
const WINDOW: usize = 65_535;
/// The highest effective level.
const MAX_LEVEL: i32 = 12;
/// The largest effective acceleration of the fast packer.
const MAX_ACCELERATION: i32 = 65_537;
/// Positions are numbers of this type that grow from block to block, so that what earlier blocks
/// left in the tables lies before the window of the current one. Beyond this they start again.
const POSITIONS_END: u32 = 1 << 30;
const HASH_BITS: u32 = 15;

/// How matches are looked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Search {
    /// One candidate a position; without one the steps get longer, the sooner the larger this is.
    Fast { acceleration: u32 },
    /// Up to so many candidates a position, and a look at the next position before one is taken.
    Chains { attempts: u32 },
}

/// Packs one block after the other.
pub(super) struct Lz4 {
    search: Search,
    /// The dictionary's last 64 KiB, then the block.
    window: Vec<u8>,
    dictionary_len: usize,
    /// The position of the window's first byte.
    base: u32,
    tables: Tables,
    /// The tables as they are once the dictionary is in them; none without a dictionary.
    primed: Option<Tables>,
}

#[derive(Clone)]
struct Tables {
    /// The last position of each hash.
    heads: Box<[u32]>,
    /// How far back the position before one with the same hash is, by the position's low 16 bits;
    /// empty for the fast search.
    chains: Box<[u16]>,
}

#[derive(Clone, Copy)]
struct Match {
    /// Where in the window it is a match for.
    start: usize,
    len: usize,
    distance: usize,
}

impl Lz4 {
    /// A packer with LZ4's high-compression `level`, 1 to 12 (9 if it is less).
    pub(super) fn high(level: i32) -> Lz4 {
        let level = if level < 1 { 9 } else { level.min(MAX_LEVEL) } as u32;
        Lz4::new(Search::Chains { attempts: 1 << (level - u32::from(level <= 9)) })
    }

    /// A packer that trades density for speed.
    pub(super) fn fast(acceleration: i32) -> Lz4 {
        let acceleration = acceleration.clamp(1, MAX_ACCELERATION) as u32;
        Lz4::new(Search::Fast { acceleration })
    }

    fn new(search: Search) -> Lz4 {
        let chains = match search {
            Search::Fast { .. } => 0,
            Search::Chains { .. } => 1 << 16,
        };
        let tables = Tables {
            heads: vec![0; 1 << HASH_BITS].into_boxed_slice(),
            chains: vec![0; chains].into_boxed_slice(),
        };
        let (window, dictionary_len, base) = (Vec::new(), 0, 1);
        Lz4 { search, window, dictionary_len, base, tables, primed: None }
    }

    /// Packs with `dictionary` from now on; without if it is empty.
    pub(super) fn set_dictionary(&mut self, dictionary: &[u8]) {
        let tail = &dictionary[dictionary.len().saturating_sub(WINDOW)..];
        self.window.clear();
        self.window.extend_from_slice(tail);
        self.dictionary_len = tail.len();
        self.primed = None;
        self.tables.clear();
        self.base = 1;
        if tail.is_empty() {
            return;
        }
        for at in 0..tail.len().saturating_sub(MIN_MATCH - 1) {
            self.tables.insert(&self.window, self.base, at);
        }
        self.primed = Some(self.tables.clone());
    }

    /// Appends the packed form of `input` to `out`.
    pub(super) fn pack(&mut self, input: &[u8], out: &mut Vec<u8>) {
        self.window.truncate(self.dictionary_len);
        self.window.extend_from_slice(input);
        if let Some(primed) = &self.primed {
            self.tables.heads.copy_from_slice(&primed.heads);
            self.tables.chains.copy_from_slice(&primed.chains);
        } else if self.base > POSITIONS_END || input.len() > POSITIONS_END as usize {
            self.tables.clear();
            self.base = 1;
        }
        match self.search {
            Search::Fast { acceleration } => self.pack_fast(acceleration, out),
            Search::Chains { attempts } => self.pack_chains(attempts, out),
        }
        if self.primed.is_none() {
            self.base = self.base.saturating_add(self.window.len() as u32);
        }
    }

    fn pack_fast(&mut self, acceleration: u32, out: &mut Vec<u8>) {
        let end = self.window.len();
        let (mut anchor, mut at) = (self.dictionary_len, self.dictionary_len);
        let mut misses = acceleration << 6;
        while at + MATCH_LIMIT < end {
            let before = self.tables.insert(&self.window, self.base, at);
            let found = self.candidate(before, at).and_then(|c| self.measure(c, at));
            match found {
                Some(found) => {
                    let found = self.extend_back(found, anchor);
                    self.emit(anchor, found, out);
                    at = found.start + found.len;
                    anchor = at;
                    misses = acceleration << 6;
                }
                None => {
                    at += (misses >> 6) as usize;
                    misses += 1;
                }
            }
        }
        self.emit_last(anchor, out);
    }

    fn pack_chains(&mut self, attempts: u32, out: &mut Vec<u8>) {
        let end = self.window.len();
        let (mut anchor, mut at) = (self.dictionary_len, self.dictionary_len);
        while at + MATCH_LIMIT < end {
            let Some(mut best) = self.longest(attempts, at) else {
                at += 1;
                continue;
            };
            let mut inserted = at;
            // A match at the next position may be worth one more literal.
            while best.start + 1 + MATCH_LIMIT < end {
                inserted = best.start + 1;
                match self.longest(attempts, inserted) {
                    Some(next) if next.len > best.len => best = next,
                    _ => break,
                }
            }
            let taken = self.extend_back(best, anchor);
            self.emit(anchor, taken, out);
            at = best.start + best.len;
            anchor = at;
            for passed in inserted + 1..at.min(end.saturating_sub(MIN_MATCH - 1)) {
                self.tables.insert(&self.window, self.base, passed);
            }
        }
        self.emit_last(anchor, out);
    }

    /// The longest match for `at` that is found with `attempts` candidates; `at` is put into the
    /// tables.
    fn longest(&mut self, attempts: u32, at: usize) -> Option<Match> {
        let mut position = self.tables.insert(&self.window, self.base, at);
        let mut best: Option<Match> = None;
        for _ in 0..attempts {
            let Some(candidate) = self.candidate(position, at) else { break };
            let len = best.map_or(MIN_MATCH - 1, |b| b.len);
            // A longer match has the byte behind the best one's end, too.
            if self.window.get(candidate + len) == self.window.get(at + len)
                && let Some(found) = self.measure(candidate, at)
                && found.len > len
            {
                best = Some(found);
            }
            let back = u32::from(self.tables.chains[(position & 0xffff) as usize]);
            if back == 0 {
                break;
            }
            position = position.saturating_sub(back);
        }
        best
    }

    /// Where `position` is in the window, if it is one that a match for `at` may refer to.
    #[inline]
    fn candidate(&self, position: u32, at: usize) -> Option<usize> {
        let candidate = position.checked_sub(self.base)? as usize;
        (candidate < at && at - candidate <= WINDOW).then_some(candidate)
    }

    /// The match for `at` at `candidate`, if it is long enough.
    #[inline]
    fn measure(&self, candidate: usize, at: usize) -> Option<Match> {
        let end = self.window.len() - LAST_LITERALS;
        let len = common_prefix(&self.window, candidate, at, end);
        (len >= MIN_MATCH).then_some(Match { start: at, len, distance: at - candidate })
    }

    /// The match with equal bytes before it, none of which lies before `anchor`.
    fn extend_back(&self, mut found: Match, anchor: usize) -> Match {
        while found.start > anchor
            && found.start > found.distance
            && self.window[found.start - 1] == self.window[found.start - 1 - found.distance]
        {
            found.start -= 1;
            found.len += 1;
        }
        found
    }

    /// Appends the literals from `anchor` on and the match behind them.
    fn emit(&self, anchor: usize, found: Match, out: &mut Vec<u8>) {
        let literals = &self.window[anchor..found.start];
        let rest = found.len - MIN_MATCH;
        out.push((literals.len().min(15) << 4 | rest.min(15)) as u8);
        put_length(literals.len(), out);
        out.extend_from_slice(literals);
        out.extend_from_slice(&(found.distance as u16).to_le_bytes());
        put_length(rest, out);
    }

    /// Appends the literals that end the block.
    fn emit_last(&self, anchor: usize, out: &mut Vec<u8>) {
        let literals = &self.window[anchor..];
        out.push((literals.len().min(15) << 4) as u8);
        put_length(literals.len(), out);
        out.extend_from_slice(literals);
    }
}

impl Tables {
    fn clear(&mut self) {
        self.heads.fill(0);
        self.chains.fill(0);
    }

    /// Notes where `at` is, and returns the last position with the same hash; 0 is none.
    #[inline]
    fn insert(&mut self, window: &[u8], base: u32, at: usize) -> u32 {
        let four = window[at..].first_chunk::<4>().copied().unwrap_or_default();
        let hash = u32::from_le_bytes(four).wrapping_mul(2_654_435_761) >> (32 - HASH_BITS);
        let position = base + at as u32;
        let before = std::mem::replace(&mut self.heads[hash as usize], position);
        if !self.chains.is_empty() {
            let back = position.wrapping_sub(before);
            let back = if before == 0 { 0 } else { u16::try_from(back).unwrap_or(0) };
            self.chains[(position & 0xffff) as usize] = back;
        }
        before
    }
}

/// What a length of 15 and more has behind the token.
fn put_length(len: usize, out: &mut Vec<u8>) {
    let Some(mut rest) = len.checked_sub(15) else { return };
    while rest >= 255 {
        out.push(255);
        rest -= 255;
    }
    out.push(rest as u8);
}

/// How many bytes at `a` and `b` are equal, before `end`; `a < b`.
#[inline]
fn common_prefix(bytes: &[u8], a: usize, b: usize, end: usize) -> usize {
    let limit = end.saturating_sub(b);
    let mut len = 0;
    while len + 8 <= limit {
        let (Some(x), Some(y)) =
            (bytes[a + len..].first_chunk::<8>(), bytes[b + len..].first_chunk::<8>())
        else {
            break;
        };
        let different = u64::from_le_bytes(*x) ^ u64::from_le_bytes(*y);
        if different != 0 {
            return len + (different.trailing_zeros() / 8) as usize;
        }
        len += 8;
    }
    while len < limit && bytes[a + len] == bytes[b + len] {
        len += 1;
    }
    len
}
