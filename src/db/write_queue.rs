//! [`WriteQueue`]: writers wait here for their turn, and the one whose turn it is leads a group.
//!
//! A leader takes what stands behind it in the queue into its group as far as the requests fit
//! together, works for all of them (log, sequence numbers), may let the members insert their own
//! requests in parallel, and at last gives each its outcome; then the next in line leads. The
//! queue knows nothing of logs or sequence numbers: allocating, writing and publishing are the
//! leader's steps between [`form_group`](Leader::form_group) and [`finish`](Leader::finish), and
//! since leaders follow one another, so do these steps. What a leader wrote to memory is seen by
//! the next one, and what a member wrote while inserting is seen by its leader after
//! [`run_parallel`](Leader::run_parallel).
//!
//! ```
//! use hematite::db::write_queue::{Request, Role, WriteQueue};
//!
//! struct Put(Vec<u8>);
//! impl Request for Put {
//!     type Outcome = Result<(), &'static str>;
//!     fn bytes(&self) -> usize {
//!         self.0.len()
//!     }
//!     fn fits(&self, _leader: &Put) -> bool {
//!         true
//!     }
//!     fn abandoned() -> Self::Outcome {
//!         Err("the group's leader panicked")
//!     }
//! }
//!
//! let queue = WriteQueue::new();
//! let (request, outcome) = match queue.join(Put(b"batch".to_vec())) {
//!     Role::Leader(mut leader) => {
//!         leader.form_group(1 << 20);
//!         for put in leader.requests_mut() { /* number it, append it to the log record */ }
//!         leader.run_parallel(|put| Ok(()) /* insert it into the memtable */);
//!         /* publish the sequence number */
//!         leader.finish(|inserted| inserted.unwrap_or(Ok(())))
//!     }
//!     Role::Insert(inserter) => inserter.run(|put| Ok(()) /* insert it into the memtable */),
//!     Role::Done(put, outcome) => (put, outcome),
//! };
//! assert_eq!((request.0, outcome), (b"batch".to_vec(), Ok(())));
//! ```
//!
//! # Design
//!
//! One word says free, held, or held with a queue. A writer that meets it free becomes leader by
//! one compare-exchange, and leaves by another; no lock, no allocation, and its request never
//! leaves its stack. Under contention a short lock guards the queue of waiters. (RocksDB links
//! writers' stack frames by a lock-free push; the lock, held for tens of nanoseconds beside a
//! group's microseconds of `write(2)`, needs no unsafe code and no shared pointers to frames.)
//!
//! Measured on a busy two-core machine: a lone writer spends under 30 ns between `join` and the
//! return of `finish`; with a 140-byte `write(2)` and a memtable insert per request, 8 writers
//! need no more time per write than behind a plain mutex, whose one lock per write this has only
//! when it waits; with a sleep of 100 us in place of a sync, N writers settle at groups of N/2
//! (those of one group come back while the other is at work, as with RocksDB's queue).
//!
//! Requests are moved, not lent: into the queue, to the leader, and back to their owner with the
//! outcome. So a leader has `&mut` access to them, and nobody's panic can leave a reference to a
//! dead stack frame.
//!
//! A leader may pass the turn on before it inserts ([`pass_on`](Leader::pass_on)): then the next one
//! numbers and logs meanwhile. Those who did so insert and publish one after the other, in the order
//! in which they had the turn; whoever gets the turn alone has waited for all of them.
//!
//! Turn, group and inserter are guards. If one is dropped by a panic, the group's members get
//! [`Request::abandoned`], and the next in line its turn: no one is left waiting.

use crate::base::sync::{
    Arc, AtomicU32, AtomicU64, AtomicUsize, Condvar, Mutex, Ordering, SPIN_LIMIT, spin_loop,
};
use std::collections::VecDeque;
use std::time::{Duration, Instant};

/// What writers bring to the queue.
pub trait Request: Send {
    /// What becomes of it.
    type Outcome: Send;

    /// Its size for the group's limit, in bytes.
    fn bytes(&self) -> usize;

    /// Whether it may join a group led by `leader`.
    fn fits(&self, leader: &Self) -> bool;

    /// The outcome for a request whose leader or inserter panicked.
    fn abandoned() -> Self::Outcome;
}

/// Nobody has the turn.
const FREE: u32 = 0;
/// Someone has the turn, and no one waits.
const HELD: u32 = 1;
/// Someone has the turn, and others may wait. Set only under the lock of `line`.
const QUEUED: u32 = 2;

/// The queue.
pub struct WriteQueue<T: Request> {
    turn: AtomicU32,
    line: Mutex<Line<T>>,
    /// The members of the current group that have not inserted yet.
    inserting: AtomicUsize,
    /// Tells the leader that `inserting` fell to 0.
    inserted: Mailbox<()>,
    second: SecondStage,
    spins: Spins,
}

/// Leaders that passed the turn on, one after the other.
struct SecondStage {
    /// How many have come. Changed by whoever has the turn.
    came: AtomicU64,
    /// How many have gone. Changed under `lock`.
    gone: AtomicU64,
    lock: Mutex<()>,
    changed: Condvar,
}

impl SecondStage {
    /// Waits until `count` have gone.
    fn wait_for(&self, count: u64, spins: &Spins) {
        let is_reached = || self.gone.load(Ordering::Acquire) >= count;
        if is_reached() {
            return;
        }
        spins.until(is_reached);
        let mut guard = self.lock.lock();
        while !is_reached() {
            self.changed.wait(&mut guard);
        }
    }

    fn leave(&self) {
        let guard = self.lock.lock();
        self.gone.fetch_add(1, Ordering::Release);
        drop(guard);
        self.changed.notify_all();
    }
}

/// Those who wait, in order, and spare parts that save allocations.
struct Line<T: Request> {
    waiting: VecDeque<Waiter<T>>,
    /// Every slot made so far; one that nobody else refers to is free. There are never more than
    /// there were waiters at one time.
    slots: Vec<Arc<Slot<T>>>,
    next_slot: usize,
    spare_groups: Vec<Vec<Member<T>>>,
}

struct Waiter<T: Request> {
    slot: Arc<Slot<T>>,
    /// `None` for one that wants the turn for itself.
    request: Option<T>,
}

/// How a waiter hears from leaders, and a leader from an inserting member.
struct Slot<T: Request> {
    inbox: Mailbox<Message<T>>,
    outbox: Mutex<Option<(T, T::Outcome)>>,
}

enum Message<T: Request> {
    /// It is your turn.
    Turn,
    /// It is your turn, with this request of yours.
    Lead(T),
    /// Insert this request of yours.
    Insert(T),
    /// Your request is done.
    Done(T, T::Outcome),
}

/// What [`WriteQueue::join`] makes of a writer.
pub enum Role<'q, T: Request> {
    /// It has the turn, and works for a group.
    Leader(Leader<'q, T>),
    /// Its leader asks it to insert its own request.
    Insert(Inserter<'q, T>),
    /// A leader did everything.
    Done(T, T::Outcome),
}

impl<T: Request> Default for WriteQueue<T> {
    fn default() -> Self {
        WriteQueue::new()
    }
}

impl<T: Request> WriteQueue<T> {
    /// A queue with nobody in it, whose waiters spin a little before they sleep.
    pub fn new() -> WriteQueue<T> {
        WriteQueue::with_spinning(Spinning::default())
    }

    /// A queue with nobody in it.
    pub fn with_spinning(spinning: Spinning) -> WriteQueue<T> {
        WriteQueue {
            turn: AtomicU32::new(FREE),
            line: Mutex::new(Line {
                waiting: VecDeque::new(),
                slots: Vec::new(),
                next_slot: 0,
                spare_groups: Vec::new(),
            }),
            inserting: AtomicUsize::new(0),
            inserted: Mailbox::new(),
            second: SecondStage {
                came: AtomicU64::new(0),
                gone: AtomicU64::new(0),
                lock: Mutex::new(()),
                changed: Condvar::new(),
            },
            spins: Spins::new(spinning),
        }
    }

    /// Waits until `request` has its turn, or is to be inserted, or is done.
    #[inline]
    pub fn join(&self, request: T) -> Role<'_, T> {
        if let Some(turn) = self.take_free_turn() {
            return Role::Leader(Leader::new(turn, request));
        }
        self.join_line(request)
    }

    #[cold]
    fn join_line(&self, request: T) -> Role<'_, T> {
        let slot = match self.enqueue(Some(request)) {
            Entered::Waiting(slot) => slot,
            Entered::Turn(turn, Some(request)) => return Role::Leader(Leader::new(turn, request)),
            Entered::Turn(_, None) => unreachable!("the request went in and comes out"),
        };
        match slot.inbox.receive(&self.spins) {
            Message::Lead(request) => Role::Leader(Leader::new(Exclusive { queue: self }, request)),
            Message::Insert(request) => {
                Role::Insert(Inserter { token: InsertToken { queue: self, slot }, request })
            }
            Message::Done(request, outcome) => Role::Done(request, outcome),
            Message::Turn => unreachable!("only those without a request are told so"),
        }
    }

    /// Waits for the turn, to hold it alone: no writer is under way, and none starts, until the
    /// result drops.
    pub fn exclusive(&self) -> Exclusive<'_, T> {
        let turn = self.turn_alone();
        self.wait_for_second_stage();
        turn
    }

    /// Waits until all who passed the turn on have ended. For whoever has the turn.
    #[inline]
    fn wait_for_second_stage(&self) {
        self.second.wait_for(self.second.came.load(Ordering::Relaxed), &self.spins);
    }

    fn turn_alone(&self) -> Exclusive<'_, T> {
        if let Some(turn) = self.take_free_turn() {
            return turn;
        }
        match self.enqueue(None) {
            Entered::Turn(turn, _) => turn,
            Entered::Waiting(slot) => {
                // Without a request there is only one message to get.
                slot.inbox.receive(&self.spins);
                Exclusive { queue: self }
            }
        }
    }

    /// [`exclusive`](WriteQueue::exclusive), if nobody is under way.
    pub fn try_exclusive(&self) -> Option<Exclusive<'_, T>> {
        let turn = self.take_free_turn()?;
        let second = &self.second;
        let is_empty = second.came.load(Ordering::Relaxed) == second.gone.load(Ordering::Acquire);
        is_empty.then_some(turn)
    }

    /// The turn, if it is free: one compare-exchange. Others may be inserting still.
    #[inline]
    fn take_free_turn(&self) -> Option<Exclusive<'_, T>> {
        let taken =
            self.turn.compare_exchange(FREE, HELD, Ordering::Acquire, Ordering::Relaxed).is_ok();
        taken.then(|| Exclusive { queue: self })
    }

    fn enqueue(&self, request: Option<T>) -> Entered<'_, T> {
        let mut line = self.line.lock();
        // The turn may have come free meanwhile. If so, `QUEUED` with an empty line is not wrong.
        if self.turn.swap(QUEUED, Ordering::Acquire) == FREE {
            return Entered::Turn(Exclusive { queue: self }, request);
        }
        let slot = line.free_slot();
        line.waiting.push_back(Waiter { slot: slot.clone(), request });
        Entered::Waiting(slot)
    }

    /// Ends the wait of those in line whose request `picks` chooses, with `outcome`. For whoever
    /// has the turn and will keep it for long.
    #[cold]
    pub fn turn_away(&self, picks: impl Fn(&T) -> bool, outcome: impl Fn() -> T::Outcome) {
        let mut line = self.line.lock();
        let chosen = |waiter: &Waiter<T>| waiter.request.as_ref().is_some_and(&picks);
        if !line.waiting.iter().any(chosen) {
            return;
        }
        let (away, stay): (VecDeque<_>, VecDeque<_>) =
            std::mem::take(&mut line.waiting).into_iter().partition(chosen);
        line.waiting = stay;
        drop(line);
        for Waiter { slot, request } in away {
            if let Some(request) = request {
                slot.inbox.send(Message::Done(request, outcome()));
            }
        }
    }

    /// Gives the turn to the next in line, or frees it.
    #[inline]
    fn pass_turn(&self) {
        if self.turn.compare_exchange(HELD, FREE, Ordering::Release, Ordering::Relaxed).is_err() {
            self.pass_turn_on();
        }
    }

    #[cold]
    fn pass_turn_on(&self) {
        let mut line = self.line.lock();
        let Some(next) = line.waiting.pop_front() else {
            self.turn.store(FREE, Ordering::Release);
            return;
        };
        if line.waiting.is_empty() {
            self.turn.store(HELD, Ordering::Relaxed);
        }
        drop(line);
        next.slot.inbox.send(match next.request {
            Some(request) => Message::Lead(request),
            None => Message::Turn,
        });
    }
}

enum Entered<'q, T: Request> {
    Turn(Exclusive<'q, T>, Option<T>),
    Waiting(Arc<Slot<T>>),
}

impl<T: Request> Line<T> {
    fn free_slot(&mut self) -> Arc<Slot<T>> {
        for _ in 0..self.slots.len() {
            self.next_slot = (self.next_slot + 1) % self.slots.len();
            let slot = &mut self.slots[self.next_slot];
            if Arc::get_mut(slot).is_some() {
                return slot.clone();
            }
        }
        let slot = Arc::new(Slot { inbox: Mailbox::new(), outbox: Mutex::new(None) });
        self.slots.push(slot.clone());
        slot
    }
}

/// The turn. Passed on when it drops.
#[must_use = "the turn is passed on at once"]
pub struct Exclusive<'q, T: Request> {
    queue: &'q WriteQueue<T>,
}

impl<T: Request> Drop for Exclusive<'_, T> {
    #[inline]
    fn drop(&mut self) {
        self.queue.pass_turn();
    }
}

/// A writer that has the turn, and its group. If it drops without
/// [`finish`](Leader::finish), all in the group get [`Request::abandoned`].
#[must_use = "the group is abandoned at once"]
pub struct Leader<'q, T: Request> {
    // First, so that it is settled before the leader's own request goes.
    group: Group<'q, T>,
    request: T,
    outcome: Option<T::Outcome>,
}

/// The part of a group that a panic must not forget.
struct Group<'q, T: Request> {
    /// `None` once passed on.
    turn: Option<Exclusive<'q, T>>,
    /// Its place among those who passed the turn on early.
    second: Option<SecondTurn<'q, T>>,
    queue: &'q WriteQueue<T>,
    followers: Vec<Member<T>>,
    /// Whether the followers have their requests, to insert them.
    released: bool,
}

/// How many have to go before; gone itself when it drops.
struct SecondTurn<'q, T: Request> {
    queue: &'q WriteQueue<T>,
    before: u64,
}

impl<T: Request> Drop for SecondTurn<'_, T> {
    fn drop(&mut self) {
        let second = &self.queue.second;
        second.wait_for(self.before, &self.queue.spins);
        second.leave();
    }
}

struct Member<T: Request> {
    slot: Arc<Slot<T>>,
    /// `None` while the member itself has it, and if it panicked then.
    request: Option<T>,
    outcome: Option<T::Outcome>,
}

impl<'q, T: Request> Leader<'q, T> {
    #[inline]
    fn new(turn: Exclusive<'q, T>, request: T) -> Leader<'q, T> {
        let queue = turn.queue;
        let (followers, released) = (Vec::new(), false);
        let group = Group { turn: Some(turn), second: None, queue, followers, released };
        Leader { group, request, outcome: None }
    }

    /// Takes those at the head of the line into the group that [fit](Request::fits), up to
    /// `max_bytes`. As in RocksDB a small leader (an eighth of that or less) is not slowed down
    /// by more than another eighth. Returns the group's size, the leader included.
    #[inline]
    pub fn form_group(&mut self, max_bytes: usize) -> usize {
        if self.group.queue.turn.load(Ordering::Relaxed) != HELD {
            self.take_followers(max_bytes);
        }
        self.len()
    }

    #[cold]
    fn take_followers(&mut self, max_bytes: usize) {
        let mut total = self.request.bytes();
        let limit = if total <= max_bytes / 8 { total + max_bytes / 8 } else { max_bytes };
        let mut line = self.group.queue.line.lock();
        if self.group.followers.capacity() == 0 {
            self.group.followers = line.spare_groups.pop().unwrap_or_default();
        }
        while let Some(next) = line.waiting.front() {
            let Some(request) = &next.request else { break };
            total = total.saturating_add(request.bytes());
            if total > limit || !request.fits(&self.request) {
                break;
            }
            let Some(Waiter { slot, request }) = line.waiting.pop_front() else { break };
            self.group.followers.push(Member { slot, request, outcome: None });
        }
    }

    /// Waits until no other group is being inserted. The leader still has the turn.
    #[inline]
    pub fn wait_for_others(&self) {
        self.group.queue.wait_for_second_stage();
    }

    /// Passes the turn on, so that the next leader goes on beside this one, then waits until those
    /// who did so before have finished.
    pub fn pass_on(&mut self) {
        let Some(turn) = self.group.turn.take() else { return };
        let queue = self.group.queue;
        let before = queue.second.came.fetch_add(1, Ordering::Relaxed);
        self.group.second = Some(SecondTurn { queue, before });
        drop(turn);
        queue.second.wait_for(before, &queue.spins);
    }

    /// The size of the group, the leader included.
    #[expect(clippy::len_without_is_empty, reason = "a group has a leader")]
    pub fn len(&self) -> usize {
        1 + self.group.followers.len()
    }

    /// The leader's own request.
    pub fn request(&self) -> &T {
        &self.request
    }

    /// The requests of the group in the order of the queue, the leader's first.
    pub fn requests(&self) -> impl Iterator<Item = &T> {
        let followers = self.group.followers.iter().filter_map(|m| m.request.as_ref());
        std::iter::once(&self.request).chain(followers)
    }

    /// [`requests`](Leader::requests), to change them.
    pub fn requests_mut(&mut self) -> impl Iterator<Item = &mut T> {
        let followers = self.group.followers.iter_mut().filter_map(|m| m.request.as_mut());
        std::iter::once(&mut self.request).chain(followers)
    }

    /// Runs `work` on each request, in order, and notes the outcomes.
    pub fn run(&mut self, mut work: impl FnMut(&mut T) -> T::Outcome) {
        self.outcome = Some(work(&mut self.request));
        for member in &mut self.group.followers {
            member.outcome = member.request.as_mut().map(&mut work);
        }
    }

    /// Lets each member run its [`Inserter`], runs `work` on the leader's request meanwhile,
    /// waits for all, and notes the outcomes.
    pub fn run_parallel(&mut self, work: impl FnOnce(&mut T) -> T::Outcome) {
        self.group.release();
        self.outcome = Some(work(&mut self.request));
        self.group.collect();
    }

    /// The outcomes noted so far, in the order of the queue, the leader's first.
    pub fn outcomes(&self) -> impl Iterator<Item = Option<&T::Outcome>> {
        let followers = self.group.followers.iter().map(|m| m.outcome.as_ref());
        std::iter::once(self.outcome.as_ref()).chain(followers)
    }

    /// Ends the turn. `decide` makes each member's outcome from the one that was noted, in the
    /// order of the queue; the members return with theirs, this call with the leader's.
    #[inline]
    pub fn finish(
        self,
        mut decide: impl FnMut(Option<T::Outcome>) -> T::Outcome,
    ) -> (T, T::Outcome) {
        let Leader { mut group, request, outcome } = self;
        let outcome = decide(outcome);
        group.settle(decide);
        (request, outcome)
    }
}

impl<T: Request> Group<'_, T> {
    fn release(&mut self) {
        if self.followers.is_empty() {
            return;
        }
        self.queue.inserting.store(self.followers.len(), Ordering::Relaxed);
        self.released = true;
        for member in &mut self.followers {
            if let Some(request) = member.request.take() {
                member.slot.inbox.send(Message::Insert(request));
            }
        }
    }

    /// Waits for all inserters, if they were released.
    fn collect(&mut self) {
        if !self.released {
            return;
        }
        self.queue.inserted.receive(&self.queue.spins);
        self.released = false;
        for member in &mut self.followers {
            (member.request, member.outcome) = match member.slot.outbox.lock().take() {
                Some((request, outcome)) => (Some(request), Some(outcome)),
                None => (None, Some(T::abandoned())),
            };
        }
    }

    /// Passes the turn on, then tells the followers, so that they do not hold up the next leader.
    #[inline]
    fn settle(&mut self, mut decide: impl FnMut(Option<T::Outcome>) -> T::Outcome) {
        for member in &mut self.followers {
            member.outcome = Some(decide(member.outcome.take()));
        }
        self.turn = None;
        self.second = None;
        if self.followers.capacity() > 0 {
            self.dismiss();
        }
    }

    #[cold]
    fn dismiss(&mut self) {
        for member in self.followers.drain(..) {
            // Without a request the member panicked, and waits for nothing.
            if let (Some(request), Some(outcome)) = (member.request, member.outcome) {
                member.slot.inbox.send(Message::Done(request, outcome));
            }
        }
        let mut line = self.queue.line.lock();
        if line.spare_groups.len() < 2 {
            line.spare_groups.push(std::mem::take(&mut self.followers));
        }
    }
}

impl<T: Request> Drop for Group<'_, T> {
    #[inline]
    fn drop(&mut self) {
        // After `settle` there is no one left in the group.
        if self.turn.is_some() || self.second.is_some() || !self.followers.is_empty() {
            self.collect();
            self.settle(|_| T::abandoned());
        }
    }
}

/// A member that inserts its own request while its leader waits. If it is dropped without
/// [`run`](Inserter::run), or panics in it, its outcome is [`Request::abandoned`].
#[must_use = "the leader takes the request for abandoned"]
pub struct Inserter<'q, T: Request> {
    token: InsertToken<'q, T>,
    request: T,
}

/// Counts the member out when it drops.
struct InsertToken<'q, T: Request> {
    queue: &'q WriteQueue<T>,
    slot: Arc<Slot<T>>,
}

impl<T: Request> Inserter<'_, T> {
    /// The request.
    pub fn request(&self) -> &T {
        &self.request
    }

    /// Runs `work` on the request, then waits for the leader's decision.
    pub fn run(self, work: impl FnOnce(&mut T) -> T::Outcome) -> (T, T::Outcome) {
        let Inserter { token, mut request } = self;
        let outcome = work(&mut request);
        let (queue, slot) = (token.queue, token.slot.clone());
        *slot.outbox.lock() = Some((request, outcome));
        drop(token);
        match slot.inbox.receive(&queue.spins) {
            Message::Done(request, outcome) => (request, outcome),
            _ => unreachable!("a member whose request the leader has is told its outcome"),
        }
    }
}

impl<T: Request> Drop for InsertToken<'_, T> {
    fn drop(&mut self) {
        if self.queue.inserting.fetch_sub(1, Ordering::AcqRel) == 1 {
            self.queue.inserted.send(());
        }
    }
}

/// A place for one message, with one receiver at a time.
struct Mailbox<M> {
    /// Whether there is a message: for spinning without the lock.
    ready: AtomicU32,
    content: Mutex<Content<M>>,
    wake: Condvar,
}

struct Content<M> {
    message: Option<M>,
    /// Whether the receiver sleeps, so that only then it is woken by a system call.
    parked: bool,
}

impl<M> Mailbox<M> {
    fn new() -> Mailbox<M> {
        Mailbox {
            ready: AtomicU32::new(0),
            content: Mutex::new(Content { message: None, parked: false }),
            wake: Condvar::new(),
        }
    }

    fn send(&self, message: M) {
        let mut content = self.content.lock();
        content.message = Some(message);
        let parked = content.parked;
        self.ready.store(1, Ordering::Release);
        drop(content);
        // By now the receiver may be gone, and another in its place: it goes back to sleep.
        if parked {
            self.wake.notify_one();
        }
    }

    fn receive(&self, spins: &Spins) -> M {
        spins.until(|| self.ready.load(Ordering::Acquire) == 1);
        let mut content = self.content.lock();
        loop {
            if let Some(message) = content.message.take() {
                content.parked = false;
                self.ready.store(0, Ordering::Relaxed);
                return message;
            }
            content.parked = true;
            self.wake.wait(&mut content);
        }
    }
}

/// How waiters may spin before they sleep.
#[derive(Clone, Copy, Debug)]
pub struct Spinning {
    /// For how long at most; a few microseconds are the most in any case.
    pub at_most: Duration,
    /// If some steps of it take longer than this time and again, others want the processor, and
    /// the waiter sleeps at once.
    pub slow: Duration,
}

impl Default for Spinning {
    fn default() -> Self {
        Spinning { at_most: Duration::from_micros(100), slow: Duration::from_micros(3) }
    }
}

/// How many spins take about a microsecond.
const SPINS_PER_MICRO: u32 = 64;
/// After so many slow steps of spinning a waiter sleeps.
const MAX_SLOW_STEPS: u32 = 3;

/// How long to spin before sleeping: longer where that was rewarded lately, as in adaptive
/// mutexes.
struct Spins {
    budget: AtomicU32,
    limit: u32,
    slow: Duration,
}

impl Spins {
    fn new(spinning: Spinning) -> Spins {
        let micros = u32::try_from(spinning.at_most.as_micros()).unwrap_or(u32::MAX);
        let limit = micros.saturating_mul(SPINS_PER_MICRO).min(SPIN_LIMIT);
        Spins { budget: AtomicU32::new(limit / 4), limit, slow: spinning.slow }
    }

    /// Spins until `ready` says so or the budget is spent.
    fn until(&self, ready: impl Fn() -> bool) {
        if self.limit == 0 {
            return;
        }
        let budget = self.budget.load(Ordering::Relaxed);
        let (mut looked, mut slow_steps) = (Instant::now(), 0);
        for spin in 1..=budget {
            if ready() {
                self.budget.store((budget + budget / 8 + 1).min(self.limit), Ordering::Relaxed);
                return;
            }
            spin_loop();
            if spin.is_multiple_of(SPINS_PER_MICRO / 2) {
                let now = Instant::now();
                slow_steps += u32::from(now - looked > self.slow);
                if slow_steps >= MAX_SLOW_STEPS {
                    break;
                }
                looked = now;
            }
        }
        let least = (SPIN_LIMIT / 16).min(self.limit);
        self.budget.store((budget - budget / 8).max(least), Ordering::Relaxed);
    }
}

#[cfg(test)]
#[path = "write_queue_tests.rs"]
mod tests;
