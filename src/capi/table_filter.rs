//! Table filters: which tables an iterator shows.

use std::ffi::{c_uchar, c_void};

use crate::base::sync::Arc;
use crate::capi::guard::guard;
use crate::capi::handle::{get, get_mut, lend};
use crate::capi::read_options::rocksdb_readoptions_t;
use crate::capi::table_properties::rocksdb_table_properties_t;
use crate::plug::table_predicate::TablePredicate;
use crate::plug::table_properties::TableProperties;

/// Whether (not 0) an iterator shows the records of a table. The properties may be looked at
/// during the call.
pub type rocksdb_readoptions_table_filter_cb = Option<
    unsafe extern "C" fn(
        state: *mut c_void,
        table_properties: *const rocksdb_table_properties_t,
    ) -> c_uchar,
>;

/// What a caller gave to choose tables by, with or without a function.
pub(super) struct Callbacks {
    state: *mut c_void,
    destructor: Option<unsafe extern "C" fn(*mut c_void)>,
    wants: rocksdb_readoptions_table_filter_cb,
}

// SAFETY: the header asks that the caller's functions can be called by any thread that moves an
// iterator.
unsafe impl Send for Callbacks {}
// SAFETY: as for `Send`.
unsafe impl Sync for Callbacks {}

impl Drop for Callbacks {
    fn drop(&mut self) {
        if let Some(destructor) = self.destructor {
            // SAFETY: the caller gave this function for this state, to be called once, last.
            unsafe { destructor(self.state) };
        }
    }
}

impl TablePredicate for Callbacks {
    fn accepts(&self, properties: &Arc<TableProperties>) -> bool {
        let handle = rocksdb_table_properties_t::new(properties);
        // SAFETY: the caller gave this function for this state; the handle lives during the call.
        self.wants.is_none_or(|wants| unsafe { wants(self.state, lend(&handle)) != 0 })
    }
}

/// Lets iterators show only tables that `table_filter` wants; what is in memory they show anyway,
/// and what range deletions of any table deleted they do not. It is called with `state` by each
/// thread that makes or moves an iterator, once for each time that a table is come to. `destructor`,
/// unless it is NULL, is called once with `state`, when the options have got another filter or end,
/// and the iterators made with them are gone. NULL for `table_filter` shows all tables.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_readoptions_set_table_filter(
    options: *mut rocksdb_readoptions_t,
    state: *mut c_void,
    destructor: Option<unsafe extern "C" fn(*mut c_void)>,
    table_filter: rocksdb_readoptions_table_filter_cb,
) {
    guard(|| {
        let options = get_mut(&options)?;
        let filter = Arc::new(Callbacks { state, destructor, wants: table_filter });
        options.options.table_filter = match table_filter {
            Some(_) => Some(filter.clone()),
            None => None,
        };
        options.table_filter = Some(filter);
        Ok(())
    })
}

/// Lets iterators show all tables again.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_readoptions_clear_table_filter(
    options: *mut rocksdb_readoptions_t,
) {
    guard(|| {
        let options = get_mut(&options)?;
        options.options.table_filter = None;
        options.table_filter = None;
        Ok(())
    })
}

/// Whether iterators ask a function which tables to show.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rocksdb_readoptions_has_table_filter(
    options: *const rocksdb_readoptions_t,
) -> c_uchar {
    guard(|| Ok(u8::from(get(&options)?.options.table_filter.is_some())))
}
