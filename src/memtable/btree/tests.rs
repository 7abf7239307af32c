use super::cursor::{Place, Side};
use super::{BTree, KeyOrder};
use crate::base::arena::Arena;
use crate::base::comparator::{Bytewise, Comparator};
use crate::base::key::{InternalKey, ValueType};
use crate::base::random::Random;
use crate::base::sync::{AtomicUsize, Ordering, thread};
use crate::memtable::entry::{EntryLen, EntryPtr};
use crate::memtable::order::{Key, SharedOrder};
use std::cmp::Reverse;
use std::collections::BTreeSet;

/// A tree, small in nodes so that few keys make it high, and the arena that it is in.
struct Tree<R: KeyOrder, const N: usize> {
    tree: BTree<R, N>,
    arena: Arena,
}

/// A user key and a sequence number in the order of the tree.
type Model = BTreeSet<(Vec<u8>, Reverse<u64>)>;

impl<R: KeyOrder, const N: usize> Tree<R, N> {
    fn new(order: R) -> Self {
        Tree { tree: BTree::new(order), arena: Arena::new(64 << 10) }
    }

    fn insert(&self, key: &[u8], sequence: u64) -> bool {
        let len = EntryLen::of(key, b"").unwrap();
        let entry = EntryPtr::write(&self.arena, &len, sequence, ValueType::Value, key, b"");
        // SAFETY: the one arena of this tree, which goes with it; places do not outlive it.
        unsafe { self.tree.insert(&self.arena, entry) }
    }

    fn find(&self, key: &[u8], sequence: u64, side: Side) -> Option<Place<N>> {
        let ikey = InternalKey::new(key, sequence, ValueType::Value);
        self.tree.find(&Key::new(self.tree.order(), ikey.as_bytes()), side)
    }
}

fn content<const N: usize>(place: &Place<N>) -> (Vec<u8>, Reverse<u64>) {
    // SAFETY: the tests keep the arena.
    let key = InternalKey::copy_of(unsafe { place.entry().ikey() });
    (key.user_key().to_vec(), Reverse(key.sequence()))
}

fn shown<const N: usize>(place: Option<Place<N>>) -> Option<(Vec<u8>, Reverse<u64>)> {
    place.as_ref().map(content)
}

/// Walks the whole tree both ways.
fn check_walks<R: KeyOrder, const N: usize>(tree: &Tree<R, N>, model: &Model) {
    let mut place = tree.tree.first();
    for expected in model {
        assert_eq!(place.as_ref().map(content).as_ref(), Some(expected));
        if !place.as_mut().is_some_and(|place| tree.tree.advance(place)) {
            place = None;
        }
    }
    assert!(place.is_none());
    place = tree.tree.last();
    for expected in model.iter().rev() {
        assert_eq!(place.as_ref().map(content).as_ref(), Some(expected));
        if !place.as_mut().is_some_and(|place| tree.tree.retreat(place)) {
            place = None;
        }
    }
    assert!(place.is_none());
}

fn check_finds<R: KeyOrder, const N: usize>(
    tree: &Tree<R, N>,
    model: &Model,
    (key, sequence): (Vec<u8>, u64),
) {
    use std::ops::Bound::{Excluded, Included, Unbounded};
    let at = (key.clone(), Reverse(sequence));
    let find = |side| shown(tree.find(&key, sequence, side));
    assert_eq!(find(Side::AtOrAfter), model.range(at.clone()..).next().cloned());
    let after = model.range((Excluded(at.clone()), Unbounded)).next().cloned();
    assert_eq!(find(Side::After), after);
    let at_or_before = model.range((Unbounded, Included(at.clone()))).next_back().cloned();
    assert_eq!(find(Side::AtOrBefore), at_or_before);
    assert_eq!(find(Side::Before), model.range(..at).next_back().cloned());
}

/// Keys of which many share their first 8 bytes, or are a prefix of others, or end in zeros.
fn some_key(random: &mut Random) -> Vec<u8> {
    let mut key = vec![b'a'; [0, 1, 8, 9][random.below(4) as usize]];
    let len = random.below(4) as usize;
    key.extend((0..len).map(|_| [0, 1, b'a', 0xff][random.below(4) as usize]));
    if random.one_in(3) {
        key = random.below(300).to_be_bytes().to_vec();
    }
    key
}

fn behaves_like_the_model<R: KeyOrder, const N: usize>(order: R, count: u64, seed: u64) {
    let mut random = Random::new(seed);
    let (tree, mut model) = (Tree::<R, N>::new(order), Model::new());
    assert!(tree.tree.first().is_none() && tree.tree.last().is_none());
    for sequence in 1..=count {
        let (key, sequence) = (some_key(&mut random), sequence - random.below(2));
        let new = model.insert((key.clone(), Reverse(sequence)));
        assert_eq!(tree.insert(&key, sequence), new);
        let sought = (some_key(&mut random), random.below(count));
        check_finds(&tree, &model, sought);
        if sequence.is_power_of_two() {
            check_walks(&tree, &model);
        }
    }
    for (key, Reverse(sequence)) in &model {
        check_finds(&tree, &model, (key.clone(), *sequence));
    }
    check_walks(&tree, &model);
}

#[test]
fn random_keys_are_found_as_in_a_sorted_set() {
    let seed = Random::from_env(21).next_u64();
    behaves_like_the_model::<_, 4>(Bytewise, 3000, seed);
    behaves_like_the_model::<_, 64>(Bytewise, 6000, seed);
}

#[test]
fn an_order_without_prefixes_needs_none() {
    let seed = Random::from_env(22).next_u64();
    let comparator = Comparator::Custom(crate::base::sync::Arc::new(Plain));
    // SAFETY: the comparator stays until the end of the test.
    let order = unsafe { SharedOrder::new(&comparator) };
    behaves_like_the_model::<_, 4>(order, 2000, seed);
    behaves_like_the_model::<_, 64>(order, 3000, seed);
}

/// Bytewise order that nobody knows to be that.
struct Plain;

impl crate::base::comparator::UserComparator for Plain {
    fn name(&self) -> &str {
        "test.Plain"
    }

    fn compare(&self, a: &[u8], b: &[u8]) -> std::cmp::Ordering {
        a.cmp(b)
    }
}

/// Inserts `keys` and says how many bytes the index took for each.
fn bytes_per_key(keys: impl Iterator<Item = u64>) -> usize {
    let tree = Tree::<_, 64>::new(Bytewise);
    let mut count = 0;
    for key in keys {
        assert!(tree.insert(&key.to_be_bytes(), 1));
        count += 1;
    }
    let entry = (1usize + 8 + 8 + 1).next_multiple_of(8);
    (tree.arena.reserved() - tree.arena.unused()) / count - entry
}

#[test]
fn ascending_keys_leave_full_leaves() {
    // 16 bytes in a full leaf of 64.
    assert!(bytes_per_key(0..50_000) <= 18);
    // Several ascending runs side by side.
    let runs = (0..50_000).map(|i| (i % 5) << 32 | (i / 5));
    assert!(bytes_per_key(runs) <= 18 + 2);
    let mut random = Random::from_env(23);
    let shuffled = (0..50_000u64).map(|i| random.next_u64() & !0xffff | i);
    assert!(bytes_per_key(shuffled) <= 28);
}

/// The writer's key number `i`: a few runs that all writers add to, and that end up in random
/// places.
fn stress_key(seed: u64, writer: u64, i: u64) -> Vec<u8> {
    let key = match i % 2 {
        0 => i << 8 | writer,
        _ => Random::new(seed ^ writer << 40 ^ i).next_u64() >> 20,
    };
    let mut bytes = key.to_be_bytes().to_vec();
    // Some differ only behind the prefix.
    if key & 4 == 0 {
        bytes = [&[b'p'; 8], &bytes[..]].concat();
    }
    bytes
}

/// Sees all that was added before, in order, however the tree changes meanwhile.
fn check_scan<const N: usize>(tree: &Tree<Bytewise, N>, expected: &Model, forward: bool) {
    let mut place = if forward { tree.tree.first() } else { tree.tree.last() };
    let (mut last, mut seen) = (None, 0);
    while let Some(mut at) = place.take() {
        let now = content(&at);
        if let Some(last) = &last {
            assert!(if forward { *last < now } else { *last > now });
        }
        seen += usize::from(expected.contains(&now));
        last = Some(now);
        let more = if forward { tree.tree.advance(&mut at) } else { tree.tree.retreat(&mut at) };
        place = more.then_some(at);
    }
    assert_eq!(seen, expected.len());
}

fn stress<const N: usize>(writers: u64, count: u64, seed: u64) {
    let tree = Tree::<Bytewise, N>::new(Bytewise);
    let added: Vec<_> = (0..writers).map(|_| AtomicUsize::new(0)).collect();
    let key = |writer, i| (stress_key(seed, writer, i), Reverse(i * writers + writer));
    let known = || {
        let up_to = |writer: u64| added[writer as usize].load(Ordering::Acquire) as u64;
        let of = |writer| (0..up_to(writer)).map(move |i| key(writer, i));
        (0..writers).flat_map(of).collect::<Model>()
    };
    thread::scope(|scope| {
        for writer in 0..writers {
            let (tree, added) = (&tree, &added);
            scope.spawn(move || {
                for i in 0..count {
                    let (key, Reverse(sequence)) = key(writer, i);
                    assert!(tree.insert(&key, sequence));
                    added[writer as usize].store(i as usize + 1, Ordering::Release);
                }
            });
        }
        for forward in [true, false] {
            let (tree, known) = (&tree, &known);
            scope.spawn(move || {
                loop {
                    let expected = known();
                    check_scan(tree, &expected, forward);
                    for (key, Reverse(sequence)) in expected.iter().step_by(97) {
                        let found = shown(tree.find(key, *sequence, Side::AtOrAfter));
                        assert_eq!(found, Some((key.clone(), Reverse(*sequence))));
                    }
                    if expected.len() as u64 == writers * count {
                        break;
                    }
                }
            });
        }
    });
    check_walks(&tree, &known());
}

#[test]
fn readers_and_writers_do_not_disturb_each_other() {
    let seed = Random::from_env(24).next_u64();
    stress::<4>(3, 2500, seed);
    stress::<64>(3, 10_000, seed);
}
