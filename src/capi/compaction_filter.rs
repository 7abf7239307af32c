//! Compaction filters: callers decide which values a compaction keeps.

use std::borrow::Cow;
use std::ffi::{CStr, c_char, c_int, c_uchar, c_void};
use std::sync::Arc;

use crate::base::status::Status;
use crate::base::sync::{AtomicBool, OnceLock, Ordering};
use crate::capi::guard::guard;
use crate::capi::handle::{
    get, get_mut, give, give_counted, handles, lend, release, share_optional, take,
};
use crate::capi::options::rocksdb_options_t;
use crate::plug::compaction_filter::{
    CompactionFilter, CompactionFilterContext, CompactionFilterFactory, FilterDecision,
};

/// Calls the caller's function when nothing of the library uses its state any more.
type Destructor = Option<unsafe extern "C" fn(*mut c_void)>;
type Filter = unsafe extern "C" fn(
    *mut c_void,
    level: c_int,
    key: *const c_char,
    key_length: usize,
    existing_value: *const c_char,
    value_length: usize,
    new_value: *mut *mut c_char,
    new_value_length: *mut usize,
    value_changed: *mut c_uchar,
) -> c_uchar;
type CreateFilter = unsafe extern "C" fn(
    *mut c_void,
    context: *mut rocksdb_compactionfiltercontext_t,
) -> *mut rocksdb_compactionfilter_t;
type Name = unsafe extern "C" fn(*mut c_void) -> *const c_char;

/// What a caller's functions work on, and its name.
struct State {
    state: *mut c_void,
    destructor: Destructor,
    name: Name,
    /// What `name` returned when it was first needed.
    cached_name: OnceLock<String>,
}

// SAFETY: the header asks that the caller's functions can be called by any thread at any time.
unsafe impl Send for State {}
// SAFETY: as for `Send`.
unsafe impl Sync for State {}

impl State {
    fn new(state: *mut c_void, destructor: Destructor, name: Name) -> State {
        State { state, destructor, name, cached_name: OnceLock::new() }
    }

    fn name(&self) -> &str {
        self.cached_name.get_or_init(|| {
            // SAFETY: the caller gave this function for this state; it returns a C string.
            let name = unsafe { (self.name)(self.state).as_ref().map(|n| CStr::from_ptr(n)) };
            name.map_or(Cow::Borrowed(""), CStr::to_string_lossy).into_owned()
        })
    }
}

impl Drop for State {
    fn drop(&mut self) {
        if let Some(destructor) = self.destructor {
            // SAFETY: the caller gave this function for this state, to be called once, last.
            unsafe { destructor(self.state) };
        }
    }
}

/// Decides about values during compactions. It is borrowed by the options and databases that use
/// it: destroy it after them. (What still uses it when it is destroyed keeps it alive.) One that a
/// factory made is taken over.
pub struct rocksdb_compactionfilter_t {
    state: State,
    filter: Filter,
    ignore_snapshots: AtomicBool,
}

/// Makes a filter for each compaction. `rocksdb_options_set_compaction_filter_factory` takes it
/// over; one that was not handed over is given back by `rocksdb_compactionfilterfactory_destroy`.
pub struct rocksdb_compactionfilterfactory_t {
    factory: Arc<Factory>,
}

/// What a compaction tells the factory of itself; it lives during the factory's call.
pub struct rocksdb_compactionfiltercontext_t {
    context: CompactionFilterContext,
}

handles! {
    Counted: rocksdb_compactionfilter_t;
    Boxed: rocksdb_compactionfilterfactory_t;
    Borrowed: rocksdb_compactionfiltercontext_t;
}

impl CompactionFilter for rocksdb_compactionfilter_t {
    fn name(&self) -> &str {
        self.state.name()
    }

    fn ignore_snapshots(&self) -> bool {
        self.ignore_snapshots.load(Ordering::Relaxed)
    }

    fn filter(
        &self,
        level: i32,
        key: &[u8],
        value: &[u8],
        new_value: &mut Vec<u8>,
    ) -> FilterDecision {
        let (mut changed_to, mut length, mut changed) = (std::ptr::null_mut(), 0, 0);
        // SAFETY: the caller gave this function for this state; the slices live during the call,
        // as do the places for what it returns.
        let removes = unsafe {
            (self.filter)(
                self.state.state,
                level,
                key.as_ptr().cast(),
                key.len(),
                value.as_ptr().cast(),
                value.len(),
                &mut changed_to,
                &mut length,
                &mut changed,
            )
        };
        if removes != 0 {
            return FilterDecision::Remove;
        }
        if changed == 0 {
            return FilterDecision::Keep;
        }
        if !changed_to.is_null() {
            // SAFETY: the caller's function says that so many bytes are there. They stay its own.
            let bytes = unsafe { std::slice::from_raw_parts(changed_to.cast(), length) };
            new_value.extend_from_slice(bytes);
        }
        FilterDecision::Change
    }
}

struct Factory {
    state: State,
    create: CreateFilter,
}

/// A filter that a factory made, of which this is the one owner.
struct MadeFilter(Arc<rocksdb_compactionfilter_t>);

impl CompactionFilter for MadeFilter {
    fn name(&self) -> &str {
        self.0.name()
    }

    fn ignore_snapshots(&self) -> bool {
        self.0.ignore_snapshots()
    }

    fn filter(
        &self,
        level: i32,
        key: &[u8],
        value: &[u8],
        new_value: &mut Vec<u8>,
    ) -> FilterDecision {
        self.0.filter(level, key, value, new_value)
    }
}

impl CompactionFilterFactory for Factory {
    fn name(&self) -> &str {
        self.state.name()
    }

    fn create(&self, context: &CompactionFilterContext) -> Option<Box<dyn CompactionFilter>> {
        let context = rocksdb_compactionfiltercontext_t { context: *context };
        // SAFETY: the caller gave this function for this state; the context lives during the call.
        let made = unsafe { (self.create)(self.state.state, lend(&context).cast_mut()) };
        // SAFETY: the function returns NULL or a live filter, and C's share of it.
        let filter = unsafe {
            let filter = share_optional(&made);
            release(made);
            filter
        };
        filter.map(|filter| Box::new(MadeFilter(filter)) as Box<dyn CompactionFilter>)
    }
}

/// Makes a filter from the caller's functions, each of which receives `state` and may be called by
/// any thread at any time. `filter` is shown the values of keys that a compaction rewrites, with
/// the level that they come from. It returns 1 for values that go, 0 for those that stay; one that
/// stays is replaced by the `*new_value_length` bytes at `*new_value` if it sets `*value_changed`
/// to 1. These bytes are copied, and stay the caller's. `name` returns the filter's name.
/// `destructor` is called once, in the end.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_compactionfilter_create(
    state: *mut c_void,
    destructor: Option<unsafe extern "C" fn(*mut c_void)>,
    filter: Option<
        unsafe extern "C" fn(
            *mut c_void,
            level: c_int,
            key: *const c_char,
            key_length: usize,
            existing_value: *const c_char,
            value_length: usize,
            new_value: *mut *mut c_char,
            new_value_length: *mut usize,
            value_changed: *mut c_uchar,
        ) -> c_uchar,
    >,
    name: Option<unsafe extern "C" fn(*mut c_void) -> *const c_char>,
) -> *mut rocksdb_compactionfilter_t {
    guard(|| {
        let (Some(filter), Some(name)) = (filter, name) else {
            return Err(Status::invalid_argument("a compaction filter needs filter and name"));
        };
        Ok(give_counted(Arc::new(rocksdb_compactionfilter_t {
            state: State::new(state, destructor, name),
            filter,
            ignore_snapshots: AtomicBool::new(true),
        })))
    })
}

/// Whether the filter may be shown values that a snapshot still needs, which it may (1) unless it
/// is told otherwise. Compactions with one that may not fail.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_compactionfilter_set_ignore_snapshots(
    filter: *mut rocksdb_compactionfilter_t,
    whether_ignore: c_uchar,
) {
    guard(|| {
        get(&filter)?.ignore_snapshots.store(whether_ignore != 0, Ordering::Relaxed);
        Ok(())
    })
}

/// Gives the filter up; its destructor is called as soon as nothing uses it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_compactionfilter_destroy(filter: *mut rocksdb_compactionfilter_t) {
    guard(|| {
        release(filter);
        Ok(())
    })
}

/// Makes a factory from the caller's functions, each of which receives `state` and may be called
/// by any thread at any time. `create_compaction_filter` makes the filter of one compaction, or of
/// one of its parallel parts, which is destroyed behind it; NULL leaves all values alone. `name`
/// returns the factory's name. `destructor` is called once, in the end.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_compactionfilterfactory_create(
    state: *mut c_void,
    destructor: Option<unsafe extern "C" fn(*mut c_void)>,
    create_compaction_filter: Option<
        unsafe extern "C" fn(
            *mut c_void,
            context: *mut rocksdb_compactionfiltercontext_t,
        ) -> *mut rocksdb_compactionfilter_t,
    >,
    name: Option<unsafe extern "C" fn(*mut c_void) -> *const c_char>,
) -> *mut rocksdb_compactionfilterfactory_t {
    guard(|| {
        let (Some(create), Some(name)) = (create_compaction_filter, name) else {
            return Err(Status::invalid_argument(
                "a compaction filter factory needs create_compaction_filter and name",
            ));
        };
        let factory = Arc::new(Factory { state: State::new(state, destructor, name), create });
        Ok(give(rocksdb_compactionfilterfactory_t { factory }))
    })
}

/// Gives a factory back that no options have taken over.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_compactionfilterfactory_destroy(
    factory: *mut rocksdb_compactionfilterfactory_t,
) {
    guard(|| {
        take(factory);
        Ok(())
    })
}

/// Whether the compaction takes all data of the column family (1).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_compactionfiltercontext_is_full_compaction(
    context: *mut rocksdb_compactionfiltercontext_t,
) -> c_uchar {
    guard(|| Ok(get(&context)?.context.is_full_compaction.into()))
}

/// Whether a user asked for the compaction (1).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_compactionfiltercontext_is_manual_compaction(
    context: *mut rocksdb_compactionfiltercontext_t,
) -> c_uchar {
    guard(|| Ok(get(&context)?.context.is_manual_compaction.into()))
}

/// Sets the filter of all compactions, which is borrowed: destroy it after the databases that use
/// it. NULL means none. A filter goes before a factory.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_options_set_compaction_filter(
    options: *mut rocksdb_options_t,
    filter: *mut rocksdb_compactionfilter_t,
) {
    guard(|| {
        let filter = share_optional(&filter).map(|filter| filter as Arc<dyn CompactionFilter>);
        get_mut(&options)?.options.cf.compaction_filter = filter;
        Ok(())
    })
}

/// Sets what makes a filter for each compaction, and takes it over: it is not destroyed by the
/// caller. NULL means none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_options_set_compaction_filter_factory(
    options: *mut rocksdb_options_t,
    factory: *mut rocksdb_compactionfilterfactory_t,
) {
    guard(|| {
        let taken = take(factory).map(|handle| handle.factory as Arc<dyn CompactionFilterFactory>);
        get_mut(&options)?.options.cf.compaction_filter_factory = taken;
        Ok(())
    })
}
