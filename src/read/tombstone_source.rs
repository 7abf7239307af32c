//! [`TombstoneSource`]: the range tombstones of one source of a merge.

use crate::base::comparator::Order;
use crate::base::key::SequenceNumber;
use crate::base::status::Result;
use crate::base::sync::Arc;
use crate::rangedel::{Cursor, FileBounds, Fragments};
use crate::version::file_meta::FileMeta;
use crate::version::table_cache::TableCache;
use crate::version::version::Version;
use std::cmp::Ordering;

/// A place between keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Edge<'a> {
    /// Before, or behind, all keys.
    Unbounded,
    /// Right before all records of the key.
    Before(&'a [u8]),
    /// Right behind all records of the key.
    After(&'a [u8]),
}

impl Edge<'_> {
    /// Compares places where something starts: an unbounded one is the first.
    pub fn compare_starts<O: Order>(order: &O, a: Edge<'_>, b: Edge<'_>) -> Ordering {
        Edge::compare(order, a, b, Ordering::Less)
    }

    /// Compares places where something ends: an unbounded one is the last.
    pub fn compare_ends<O: Order>(order: &O, a: Edge<'_>, b: Edge<'_>) -> Ordering {
        Edge::compare(order, a, b, Ordering::Greater)
    }

    fn compare<O: Order>(order: &O, a: Edge<'_>, b: Edge<'_>, unbounded: Ordering) -> Ordering {
        let parts = |edge| match edge {
            Edge::Unbounded => None,
            Edge::Before(key) => Some((key, false)),
            Edge::After(key) => Some((key, true)),
        };
        match (parts(a), parts(b)) {
            (None, None) => Ordering::Equal,
            (None, _) => unbounded,
            (_, None) => unbounded.reverse(),
            (Some((a, a_after)), Some((b, b_after))) => {
                order.compare(a, b).then(a_after.cmp(&b_after))
            }
        }
    }
}

/// A stretch of keys that the same tombstones of a source cover.
#[derive(Clone, Copy, Debug)]
pub struct Piece<'a> {
    /// Where it starts.
    pub since: Edge<'a>,
    /// Where it ends.
    pub until: Edge<'a>,
    /// Of the tombstones, newest first; none in a gap.
    pub sequences: &'a [SequenceNumber],
    /// Of the tombstones of the next file, where two files share a key.
    pub more_sequences: &'a [SequenceNumber],
}

impl Piece<'_> {
    /// The newest tombstone at or below `sequence`.
    pub fn newest_at(&self, sequence: SequenceNumber) -> Option<SequenceNumber> {
        let newest = |sequences: &[SequenceNumber]| {
            sequences.get(sequences.partition_point(|&s| s > sequence)).copied()
        };
        newest(self.sequences).max(newest(self.more_sequences))
    }
}

/// The tombstones of one source.
pub enum TombstoneSource {
    /// It has none.
    Nothing,
    /// Those of a memtable.
    Memory(Arc<Fragments>, Cursor),
    /// Those of a table of level 0.
    Table(Arc<FileMeta>, Arc<Fragments>, Cursor),
    /// Those of a sorted level.
    Level(Box<LevelTombstones>),
}

impl TombstoneSource {
    /// Those of a memtable, if it has any.
    pub fn memory(fragments: Option<Arc<Fragments>>) -> TombstoneSource {
        match fragments {
            Some(fragments) => TombstoneSource::Memory(fragments, Cursor::default()),
            None => TombstoneSource::Nothing,
        }
    }

    /// Those of `file`, a table of level 0.
    pub fn table(file: Arc<FileMeta>, fragments: Arc<Fragments>) -> TombstoneSource {
        TombstoneSource::Table(file, fragments, Cursor::default())
    }

    /// Those of a sorted level of `version`.
    pub fn level(version: Arc<Version>, level: usize, tables: Arc<TableCache>) -> TombstoneSource {
        TombstoneSource::Level(Box::new(LevelTombstones::new(version, level, tables)))
    }

    /// Whether it has none for sure.
    pub fn is_nothing(&self) -> bool {
        matches!(self, TombstoneSource::Nothing)
    }

    /// The stretch that holds `key`; `None` if there are no tombstones at all.
    pub fn piece<O: Order>(&mut self, order: &O, key: &[u8]) -> Result<Option<Piece<'_>>> {
        match self {
            TombstoneSource::Nothing => Ok(None),
            TombstoneSource::Memory(fragments, cursor) => {
                let span = cursor.span(fragments, order, key);
                Ok(Some(Piece {
                    since: span.start.map_or(Edge::Unbounded, Edge::Before),
                    until: span.end.map_or(Edge::Unbounded, Edge::Before),
                    sequences: span.sequences,
                    more_sequences: &[],
                }))
            }
            TombstoneSource::Table(file, fragments, cursor) => {
                let bounds = file.bounds();
                let place = Place::of(order, key, &bounds, None, None);
                Ok(Some(place.piece(order, key, Some((fragments, cursor)))))
            }
            TombstoneSource::Level(level) => level.piece(order, key).map(Some),
        }
    }
}

/// Where a key is in relation to the files around it.
struct Place<'a> {
    /// The key is in a file, not between two.
    inside: bool,
    since: Edge<'a>,
    until: Edge<'a>,
}

impl<'a> Place<'a> {
    /// `bounds` are those of the first file that does not end before `key`; `previous` and `next`
    /// are its neighbours'.
    fn of<O: Order>(
        order: &O,
        key: &[u8],
        bounds: &FileBounds<'a>,
        previous: Option<FileBounds<'a>>,
        next: Option<FileBounds<'a>>,
    ) -> Place<'a> {
        let after_last = |bounds: &FileBounds<'a>| match bounds.last_excluded {
            true => Edge::Before(bounds.last),
            false => Edge::After(bounds.last),
        };
        if order.compare(key, bounds.first).is_lt() {
            return Place {
                inside: false,
                since: previous.as_ref().map_or(Edge::Unbounded, after_last),
                until: Edge::Before(bounds.first),
            };
        }
        if bounds.ends_before(order, key) {
            return Place { inside: false, since: after_last(bounds), until: Edge::Unbounded };
        }
        // A key that two files share is a stretch of its own.
        let shared = |a: &FileBounds<'_>, b: &FileBounds<'_>| {
            !a.last_excluded && order.equal(a.last, b.first)
        };
        let shares_first = previous.is_some_and(|previous| shared(&previous, bounds));
        let shares_last = next.is_some_and(|next| shared(bounds, &next));
        if shares_last && order.equal(key, bounds.last) {
            let (since, until) = (Edge::Before(bounds.last), Edge::After(bounds.last));
            return Place { inside: true, since, until };
        }
        Place {
            inside: true,
            since: match shares_first {
                true => Edge::After(bounds.first),
                false => Edge::Before(bounds.first),
            },
            until: match shares_last {
                true => Edge::Before(bounds.last),
                false => after_last(bounds),
            },
        }
    }

    /// The stretch around `key` that the file's `tombstones` cover alike, cut to this place.
    fn piece<O: Order>(
        &self,
        order: &O,
        key: &[u8],
        tombstones: Option<(&'a Arc<Fragments>, &mut Cursor)>,
    ) -> Piece<'a> {
        let whole =
            Piece { since: self.since, until: self.until, sequences: &[], more_sequences: &[] };
        let Some((fragments, cursor)) = tombstones.filter(|_| self.inside) else { return whole };
        let span = cursor.span(fragments, order, key);
        let start = span.start.map_or(Edge::Unbounded, Edge::Before);
        let end = span.end.map_or(Edge::Unbounded, Edge::Before);
        let starts_later = Edge::compare_starts(order, self.since, start).is_lt();
        let ends_sooner = Edge::compare_ends(order, end, self.until).is_lt();
        Piece {
            since: if starts_later { start } else { self.since },
            until: if ends_sooner { end } else { self.until },
            sequences: span.sequences,
            more_sequences: &[],
        }
    }
}

/// The tombstones of a sorted level. Tables are opened as keys reach them; the cursor over the
/// level's records opens the same ones.
pub struct LevelTombstones {
    version: Arc<Version>,
    level: usize,
    tables: Arc<TableCache>,
    /// The file that the last key was in, or the first one behind it.
    at: usize,
    /// What two files next to each other hold: that with the key, and, where they share the key,
    /// the next one.
    loaded: [Loaded; 2],
}

/// A file's tombstones.
#[derive(Default)]
struct Loaded {
    file: Option<usize>,
    fragments: Option<Arc<Fragments>>,
    cursor: Cursor,
}

impl LevelTombstones {
    /// Those of `level` of `version`.
    pub fn new(version: Arc<Version>, level: usize, tables: Arc<TableCache>) -> LevelTombstones {
        LevelTombstones { version, level, tables, at: 0, loaded: Default::default() }
    }

    fn piece<O: Order>(&mut self, order: &O, key: &[u8]) -> Result<Piece<'_>> {
        let files = self.version.files(self.level);
        let ends_before = |file: &Arc<FileMeta>| file.bounds().ends_before(order, key);
        let stays = self.at.checked_sub(1).is_none_or(|before| ends_before(&files[before]))
            && files.get(self.at).is_none_or(|file| !ends_before(file));
        if !stays {
            self.at = files.partition_point(ends_before);
        }
        let bounds_at = |at: Option<usize>| at.and_then(|at| files.get(at)).map(|f| f.bounds());
        let previous = bounds_at(self.at.checked_sub(1));
        let Some(bounds) = bounds_at(Some(self.at)) else {
            // Behind the last file.
            let place = previous.map(|last| Place::of(order, key, &last, None, None));
            let since = place.map_or(Edge::Unbounded, |place| place.since);
            return Ok(Piece {
                since,
                until: Edge::Unbounded,
                sequences: &[],
                more_sequences: &[],
            });
        };
        let next = bounds_at(Some(self.at + 1));
        let place = Place::of(order, key, &bounds, previous, next);
        if !place.inside {
            return Ok(place.piece(order, key, None));
        }
        let in_next = next.is_some_and(|next| order.equal(next.first, key));
        let [first, second] = &mut self.loaded;
        first.load(&self.tables, files, self.at)?;
        let more = match in_next {
            true => {
                second.load(&self.tables, files, self.at + 1)?;
                second
                    .tombstones()
                    .map_or(&[][..], |(f, cursor)| cursor.span(f, order, key).sequences)
            }
            false => &[],
        };
        Ok(Piece { more_sequences: more, ..place.piece(order, key, first.tombstones()) })
    }
}

impl Loaded {
    fn load(&mut self, tables: &TableCache, files: &[Arc<FileMeta>], at: usize) -> Result<()> {
        if self.file == Some(at) {
            return Ok(());
        }
        self.file = None;
        self.fragments = tables.get(&files[at])?.range_tombstones().cloned();
        self.cursor = Cursor::default();
        self.file = Some(at);
        Ok(())
    }

    fn tombstones(&mut self) -> Option<(&Arc<Fragments>, &mut Cursor)> {
        self.fragments.as_ref().map(|fragments| (fragments, &mut self.cursor))
    }
}
