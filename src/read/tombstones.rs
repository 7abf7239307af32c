//! [`Tombstones`]: the range tombstones of a merge's sources, asked about one key after the other.

use super::tombstone_source::{Edge, TombstoneSource};
use crate::base::comparator::Order;
use crate::base::key::{InternalKey, MAX_SEQUENCE, ParsedKey, SequenceNumber, ValueType};
use crate::base::status::Result;
use crate::base::sync::Arc;

/// Which way a merge goes.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    /// To greater keys.
    Forward,
    /// To smaller keys.
    Reverse,
}

/// Where a stretch of keys ends, in memory that is used again.
#[derive(Default)]
struct EdgeBuf {
    prefix: u64,
    key: Vec<u8>,
    kind: EdgeKind,
}

#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum EdgeKind {
    #[default]
    Unbounded,
    Before,
    After,
}

impl EdgeBuf {
    fn set<O: Order>(&mut self, order: &O, edge: Edge<'_>) {
        let (kind, key) = match edge {
            Edge::Unbounded => (EdgeKind::Unbounded, &[][..]),
            Edge::Before(key) => (EdgeKind::Before, key),
            Edge::After(key) => (EdgeKind::After, key),
        };
        self.kind = kind;
        self.prefix = order.prefix(key);
        self.key.clear();
        self.key.extend_from_slice(key);
    }

    fn edge(&self) -> Edge<'_> {
        match self.kind {
            EdgeKind::Unbounded => Edge::Unbounded,
            EdgeKind::Before => Edge::Before(&self.key),
            EdgeKind::After => Edge::After(&self.key),
        }
    }

    /// Whether it lies before `key`; not to be asked of an unbounded edge.
    #[inline]
    fn is_before<O: Order>(&self, order: &O, prefix: u64, key: &[u8]) -> bool {
        if self.prefix != prefix {
            return self.prefix < prefix;
        }
        let compared = order.compare(&self.key, key);
        compared.is_lt() || (compared.is_eq() && self.kind == EdgeKind::Before)
    }
}

/// The range tombstones of all sources of a merge, newest source first.
///
/// Around the key that was asked about last lies a stretch of keys that all sources' tombstones
/// cover alike. As long as keys stay in it, each costs one comparison, mostly of eight bytes.
pub struct Tombstones<O> {
    order: O,
    /// Newer tombstones are not visible.
    sequence: SequenceNumber,
    /// By child of the merge; none for the last children, if these have no tombstones.
    sources: Vec<TombstoneSource>,
    /// The user sees no keys at or behind this one, so that it does not matter what covers them.
    upper_bound: Option<Arc<[u8]>>,
    /// The user sees no keys before this one.
    lower_bound: Option<Arc<[u8]>>,
    /// Whether the stretch is known.
    known: bool,
    since: EdgeBuf,
    until: EdgeBuf,
    /// Records of the stretch below this number are hidden.
    cover: SequenceNumber,
    /// Where children are sought to.
    target: InternalKey,
    reached: EdgeBuf,
}

impl<O: Order> Tombstones<O> {
    /// How many fragments in a row are passed at once. A bound on the time of one step; the next
    /// one goes on.
    const MAX_FRAGMENTS: usize = 256;

    /// The tombstones of `sources`, one for each child of the merge up to the last that has any, as they were at `sequence`.
    pub fn new(order: O, sequence: SequenceNumber, sources: Vec<TombstoneSource>) -> Self {
        Tombstones {
            order,
            sequence,
            sources,
            upper_bound: None,
            lower_bound: None,
            known: false,
            since: EdgeBuf::default(),
            until: EdgeBuf::default(),
            cover: 0,
            target: InternalKey::default(),
            reached: EdgeBuf::default(),
        }
    }

    /// The same for an iterator that ends at these bounds: nobody asks what lies beyond, so
    /// nothing there is passed over.
    pub fn within(mut self, lower: Option<Arc<[u8]>>, upper: Option<Arc<[u8]>>) -> Self {
        self.lower_bound = lower;
        self.upper_bound = upper;
        self
    }

    /// Whether the record with this internal key is hidden.
    #[inline]
    pub fn hides(&mut self, ikey: &[u8], direction: Direction) -> Result<bool> {
        let record = ParsedKey::parse(ikey)?;
        let prefix = self.order.prefix(record.user_key);
        if !self.known || !self.holds(prefix, record.user_key) {
            self.look_up(record.user_key)?;
        }
        Ok(record.sequence < self.cover && self.is_within(record.user_key, direction))
    }

    #[inline]
    fn holds(&self, prefix: u64, key: &[u8]) -> bool {
        (self.until.kind == EdgeKind::Unbounded || !self.until.is_before(&self.order, prefix, key))
            && (self.since.kind == EdgeKind::Unbounded
                || self.since.is_before(&self.order, prefix, key))
    }

    fn is_within(&self, key: &[u8], direction: Direction) -> bool {
        match direction {
            Direction::Forward => {
                self.upper_bound.as_ref().is_none_or(|b| self.order.compare(key, b).is_lt())
            }
            Direction::Reverse => {
                self.lower_bound.as_ref().is_none_or(|b| self.order.compare(key, b).is_ge())
            }
        }
    }

    /// Finds the stretch that holds `key`.
    fn look_up(&mut self, key: &[u8]) -> Result<()> {
        self.known = false;
        self.cover = 0;
        self.since.kind = EdgeKind::Unbounded;
        self.until.kind = EdgeKind::Unbounded;
        for source in &mut self.sources {
            let Some(piece) = source.piece(&self.order, key)? else { continue };
            if Edge::compare_starts(&self.order, self.since.edge(), piece.since).is_lt() {
                self.since.set(&self.order, piece.since);
            }
            if Edge::compare_ends(&self.order, piece.until, self.until.edge()).is_lt() {
                self.until.set(&self.order, piece.until);
            }
            self.cover = self.cover.max(piece.newest_at(self.sequence).unwrap_or(0));
        }
        self.known = true;
        Ok(())
    }

    /// Where `child`, which stands on a hidden record of user key `key`, can be sought to because
    /// a tombstone of a *newer* source hides everything that it holds on the way. (Tombstones of
    /// its own may be older than some of its records.)
    pub fn beyond(
        &mut self,
        child: u32,
        key: &[u8],
        direction: Direction,
    ) -> Result<Option<&InternalKey>> {
        let mut best = false;
        for source in 0..self.sources.len().min(child as usize) {
            if !self.reach(source, key, direction)? {
                continue;
            }
            let edge = self.reached.edge();
            let farther = !best
                || match direction {
                    Direction::Forward => {
                        let so_far = end_of(&self.target);
                        Edge::compare_ends(&self.order, so_far, edge).is_lt()
                    }
                    Direction::Reverse => {
                        let so_far = start_of(&self.target);
                        Edge::compare_starts(&self.order, edge, so_far).is_lt()
                    }
                };
            if farther {
                best = set_target(&mut self.target, edge, direction);
            }
        }
        Ok(best.then_some(&self.target))
    }

    /// For a seek to user key `key`: where older children than `child` can be sought to instead,
    /// because `child`'s tombstones hide everything that they hold on the way.
    pub fn beyond_source(
        &mut self,
        child: usize,
        key: &[u8],
        direction: Direction,
    ) -> Result<Option<&InternalKey>> {
        if !self.is_within(key, direction) || !self.reach(child, key, direction)? {
            return Ok(None);
        }
        let found = set_target(&mut self.target, self.reached.edge(), direction);
        Ok(found.then_some(&self.target))
    }

    /// Whether the tombstones of `source` cover `key`; sets `reached` to the edge of what they
    /// cover from there on without a gap.
    fn reach(&mut self, source: usize, key: &[u8], direction: Direction) -> Result<bool> {
        let Some(source) = self.sources.get_mut(source) else { return Ok(false) };
        let mut covered = false;
        for _ in 0..Self::MAX_FRAGMENTS {
            let next = match (covered, self.reached.kind) {
                (false, _) => source.piece(&self.order, key)?,
                (true, EdgeKind::Before) if direction == Direction::Forward => {
                    source.piece(&self.order, &self.reached.key)?
                }
                // Going back, the piece before is not the one that holds the edge's key.
                _ => None,
            };
            let Some(piece) = next.filter(|p| p.newest_at(self.sequence).is_some()) else { break };
            covered = true;
            let edge = match direction {
                Direction::Forward => piece.until,
                Direction::Reverse => piece.since,
            };
            self.reached.set(&self.order, edge);
        }
        Ok(covered)
    }
}

/// Makes `target` the internal key that a seek over the edge needs. False for an unbounded edge,
/// which no tombstone has.
fn set_target(target: &mut InternalKey, edge: Edge<'_>, direction: Direction) -> bool {
    let (key, before) = match edge {
        Edge::Unbounded => return false,
        Edge::Before(key) => (key, true),
        Edge::After(key) => (key, false),
    };
    // A seek lands at or behind its target, a reverse seek at or before it. The last internal key
    // of a user key may be a record's: seeking to it, that record is met, and hidden once more.
    match (before, direction) {
        (true, _) => target.set(key, MAX_SEQUENCE, ValueType::FOR_SEEK),
        (false, _) => target.set(key, 0, ValueType::FOR_SEEK_FOR_PREV),
    }
    true
}

fn end_of(target: &InternalKey) -> Edge<'_> {
    match target.sequence() {
        MAX_SEQUENCE => Edge::Before(target.user_key()),
        _ => Edge::After(target.user_key()),
    }
}

fn start_of(target: &InternalKey) -> Edge<'_> {
    end_of(target)
}
