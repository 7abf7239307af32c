//! A bump allocator that many threads share: memory is handed out, never taken back until the
//! arena goes.

use super::sync::{AtomicPtr, AtomicUsize, Mutex, Ordering};
use std::alloc::{Layout, alloc, dealloc, handle_alloc_error};
use std::ptr::NonNull;

/// Every allocation starts at a multiple of this.
const ALIGN: usize = 8;

/// One block that is being bumped. Lives until the arena goes.
struct Block {
    data: NonNull<u8>,
    capacity: usize,
    /// Bytes handed out; may run past `capacity` when several threads find the block full.
    used: AtomicUsize,
}

/// The allocator.
pub struct Arena {
    /// The block that allocations try first.
    current: AtomicPtr<Block>,
    /// All blocks, so that they can be freed. Boxed, since `current` points into it.
    #[expect(clippy::vec_box, reason = "`current` needs blocks that do not move")]
    blocks: Mutex<Vec<Box<Block>>>,
    block_size: usize,
    /// Ask for pages of this size; 0 takes those of the system.
    huge_page: usize,
    reserved: AtomicUsize,
}

// SAFETY: the raw pointers are to memory that the arena owns. Blocks are only added, under the
// mutex, and bytes are handed out once each, by an atomic addition.
unsafe impl Send for Arena {}
// SAFETY: as above.
unsafe impl Sync for Arena {}

impl Arena {
    /// An empty arena that takes memory in blocks of about `block_size` bytes.
    pub fn new(block_size: usize) -> Arena {
        Arena::with_huge_pages(block_size, 0)
    }

    /// The same on huge pages of `huge_page` bytes, where the system has such to give (0 does not
    /// ask): blocks are then whole ones of them.
    pub fn with_huge_pages(block_size: usize, huge_page: usize) -> Arena {
        // Pages are powers of two; nobody has others or larger ones.
        let is_page = huge_page.is_power_of_two() && (MAPPED..=1 << 30).contains(&huge_page);
        let huge_page = if is_page { huge_page } else { 0 };
        let block_size = block_size.clamp(4 << 10, 1 << 30);
        Arena {
            current: AtomicPtr::new(std::ptr::null_mut()),
            blocks: Mutex::new(Vec::new()),
            block_size: block_size.next_multiple_of(huge_page.max(ALIGN)),
            huge_page,
            reserved: AtomicUsize::new(0),
        }
    }

    /// Uninitialised memory of `len` bytes, 8-aligned, valid for writes until the arena drops and
    /// given to no other caller.
    #[inline]
    pub fn allocate(&self, len: usize) -> NonNull<u8> {
        let len = len.max(1).next_multiple_of(ALIGN);
        let current = self.current.load(Ordering::Acquire);
        // SAFETY: `current` is null or points to a block that lives as long as the arena.
        if let Some(block) = unsafe { current.as_ref() }
            && let Some(memory) = block.bump(len)
        {
            return memory;
        }
        self.allocate_slow(len)
    }

    /// [`allocate`](Arena::allocate), at a multiple of `align`, a power of two.
    pub fn allocate_aligned(&self, len: usize, align: usize) -> NonNull<u8> {
        let memory = self.allocate(len + align.saturating_sub(ALIGN));
        // SAFETY: allocations are aligned to `ALIGN`, so that no more is skipped than was added.
        unsafe { memory.add(memory.align_offset(align)) }
    }

    #[cold]
    fn allocate_slow(&self, len: usize) -> NonNull<u8> {
        let mut blocks = self.blocks.lock();
        // Another thread may have replaced the block while this one waited.
        let current = self.current.load(Ordering::Acquire);
        // SAFETY: as in `allocate`.
        if let Some(block) = unsafe { current.as_ref() }
            && let Some(memory) = block.bump(len)
        {
            return memory;
        }
        // A large request gets a block of its own, so that the rest of the current one is not lost.
        if len > self.block_size / 4 {
            let block = Box::new(Block::new(len, len, false));
            let memory = block.data;
            self.reserved.fetch_add(len, Ordering::Relaxed);
            blocks.push(block);
            return memory;
        }
        let mut block = Box::new(Block::new(self.block_size, len, self.huge_page > 0));
        let memory = block.data;
        self.reserved.fetch_add(self.block_size, Ordering::Relaxed);
        self.current.store(&raw mut *block, Ordering::Release);
        blocks.push(block);
        memory
    }

    /// The size of the blocks that it takes.
    pub fn block_size(&self) -> usize {
        self.block_size
    }

    /// The bytes taken from the system.
    pub fn reserved(&self) -> usize {
        self.reserved.load(Ordering::Relaxed)
    }

    /// The part of [`reserved`](Arena::reserved) that the current block has not handed out.
    pub fn unused(&self) -> usize {
        let current = self.current.load(Ordering::Acquire);
        // SAFETY: as in `allocate`.
        unsafe { current.as_ref() }
            .map_or(0, |b| b.capacity.saturating_sub(b.used.load(Ordering::Relaxed)))
    }
}

/// Blocks from this size on are mapped. Memtables come and go among what lives long, and by the
/// heap they would leave holes that the process keeps: at the default size a third of its memory.
const MAPPED: usize = 256 << 10;

impl Block {
    fn new(capacity: usize, used: usize, huge: bool) -> Block {
        let layout = Block::layout(capacity);
        let data = match capacity >= MAPPED {
            true => map(capacity, huge).or_else(|| map(capacity, false)),
            // SAFETY: `layout` makes the size at least `ALIGN`, so it is not 0.
            false => NonNull::new(unsafe { alloc(layout) }),
        };
        match data {
            Some(data) => Block { data, capacity, used: AtomicUsize::new(used) },
            None => handle_alloc_error(layout),
        }
    }

    fn layout(capacity: usize) -> Layout {
        match Layout::from_size_align(capacity.max(ALIGN), ALIGN) {
            Ok(layout) => layout,
            Err(_) => handle_alloc_error(Layout::new::<usize>()),
        }
    }

    #[inline]
    fn bump(&self, len: usize) -> Option<NonNull<u8>> {
        // A check first, so that `used` cannot creep up to overflow in a full block.
        if self.used.load(Ordering::Relaxed) >= self.capacity {
            return None;
        }
        let start = self.used.fetch_add(len, Ordering::Relaxed);
        if start.checked_add(len)? > self.capacity {
            return None;
        }
        // SAFETY: `start + len <= capacity`, so the result lies within the block.
        Some(unsafe { self.data.add(start) })
    }
}

impl Drop for Block {
    fn drop(&mut self) {
        match self.capacity >= MAPPED {
            // SAFETY: mapped in `new` with this length, and nothing of the arena is in use.
            true => unsafe {
                libc::munmap(self.data.as_ptr().cast(), self.capacity);
            },
            // SAFETY: allocated in `new` with the same layout.
            false => unsafe { dealloc(self.data.as_ptr(), Block::layout(self.capacity)) },
        }
    }
}

/// `len` bytes of fresh memory, page-aligned; on huge pages if the system has them free.
fn map(len: usize, huge: bool) -> Option<NonNull<u8>> {
    let protection = libc::PROT_READ | libc::PROT_WRITE;
    // All pages at once: to fault each in when it is first written costs a put in batches 6 % more.
    let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_POPULATE;
    let flags = if huge { flags | libc::MAP_HUGETLB } else { flags };
    // SAFETY: a new mapping at an address that the system chooses touches no other memory.
    let memory = unsafe { libc::mmap(std::ptr::null_mut(), len, protection, flags, -1, 0) };
    if memory == libc::MAP_FAILED { None } else { NonNull::new(memory.cast()) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;

    #[test]
    fn large_blocks_are_usable_to_the_last_byte_and_go_with_the_arena() {
        let arena = Arena::new(MAPPED);
        let memory = [MAPPED / 4, MAPPED + 1, 3 * MAPPED].map(|len| (arena.allocate(len), len));
        for (at, (memory, len)) in memory.iter().enumerate() {
            // SAFETY: `len` fresh bytes of the arena.
            unsafe { memory.as_ptr().write_bytes(at as u8, *len) };
        }
        let whole_pages = memory[1].0.as_ptr();
        drop(arena);
        let mut resident = 0;
        // SAFETY: mincore only asks about addresses.
        let result = unsafe { libc::mincore(whole_pages.cast(), 1, &raw mut resident) };
        assert_eq!(result, -1, "nothing is mapped there any more");
    }

    #[test]
    fn blocks_are_whole_huge_pages_whether_or_not_the_system_has_them() {
        const HUGE: usize = 2 << 20;
        let arena = Arena::with_huge_pages(1 << 20, HUGE);
        assert_eq!(arena.block_size(), HUGE);
        let memory: Vec<_> = (0..20).map(|_| arena.allocate(HUGE / 8)).collect();
        for memory in memory {
            // SAFETY: `HUGE / 8` fresh bytes of the arena.
            unsafe { memory.as_ptr().write_bytes(7, HUGE / 8) };
        }
        assert_eq!(arena.reserved(), 3 * HUGE);
        // What is no size of pages is none.
        for wrong in [1, 3 << 20, 4096, usize::MAX] {
            assert_eq!(Arena::with_huge_pages(1 << 20, wrong).block_size(), 1 << 20);
        }
    }

    #[test]
    fn allocations_do_not_overlap_between_threads() {
        let arena = Arc::new(Arena::new(4096));
        let threads: Vec<_> = (0..4u8)
            .map(|id| {
                let arena = arena.clone();
                std::thread::spawn(move || {
                    let mut mine = Vec::new();
                    for i in 0..3000usize {
                        let len = 1 + (i * 7) % 1500;
                        let memory = arena.allocate(len);
                        assert_eq!(memory.as_ptr() as usize % ALIGN, 0);
                        // SAFETY: `len` fresh bytes of the arena.
                        unsafe { memory.as_ptr().write_bytes(id, len) };
                        mine.push((memory.as_ptr() as usize, len));
                    }
                    for &(at, len) in &mine {
                        // SAFETY: written above, and the arena is alive.
                        let bytes = unsafe { std::slice::from_raw_parts(at as *const u8, len) };
                        assert!(bytes.iter().all(|&b| b == id));
                    }
                    mine.iter().map(|&(_, len)| len).sum::<usize>()
                })
            })
            .collect();
        let total: usize = threads.into_iter().map(|t| t.join().unwrap()).sum();
        assert!(arena.reserved() >= total);
        assert!(arena.unused() < 4096);
    }
}
