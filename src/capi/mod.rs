//! Row 14: the C ABI. Converts, calls, converts back; no logic of its own.
//!
//! # The contract of every export
//!
//! Every `extern "C"` function here is `unsafe` for one reason, stated once: its caller is C, and
//! promises what `rocksdb/c.h` asks for. A handle pointer is NULL or came from the function of this
//! library that makes that type, and has not been destroyed. A buffer pointer covers the length
//! passed with it. Text ends in NUL. An `errptr` is NULL, or points to NULL or to text from
//! `malloc`. A handle is not changed by one thread while another uses it, except where the header
//! says so (`rocksdb_t` is free for all). NULL in the wrong place is answered with an error or
//! ignored; what else breaks the contract cannot be noticed.
//!
//! Inside an export, that contract is what makes the calls of [`handle`], [`buffer`] and [`error`]
//! sound, so this module alone lets the body of an unsafe function call unsafe functions without
//! a block. A helper that is not an export still marks its blocks.
//!
//! # The shape of every export
//!
//! ```ignore
//! /// What it does, for the reader of the header.
//! #[unsafe(no_mangle)]
//! pub unsafe extern "C" fn rocksdb_noun_verb(noun: *mut rocksdb_noun_t, errptr: *mut *mut c_char) {
//!     guard_err(errptr, || Ok(get_mut(&noun)?.verb()?))
//! }
//! ```
//!
//! The body is one call of a guard (`guard`, `guard_err`, `guard_db`, `guard_db_err`), which
//! contains panics and turns errors into what C can see. A test reads the sources and insists.
#![allow(
    unsafe_op_in_unsafe_fn,
    clippy::missing_safety_doc,
    reason = "the contract of every export is stated once, above"
)]
#![allow(non_camel_case_types, reason = "handles are named as in C")]

pub mod buffer;
pub mod error;
pub mod guard;
pub mod handle;

pub mod background;
pub mod backup_engine;
pub mod backup_options;
pub mod block_based_options;
pub mod cache;
pub mod checkpoint;
pub mod column_family;
pub mod compact;
pub mod compact_options;
pub mod compaction_filter;
pub mod compaction_settings;
pub mod comparator;
pub mod compression_options;
pub mod db;
pub mod db_path;
pub mod env;
pub mod file_deletions;
pub mod filter_policy;
pub mod flush;
pub mod flush_options;
pub mod iterator;
pub mod livefiles;
pub mod logger;
pub mod memory;
pub mod merge_operator;
pub mod metadata;
mod option_accessors;
pub mod options;
pub mod options_file;
pub mod perf_context;
pub mod pinnable_slice;
pub mod property;
pub mod read;
pub mod read_options;
pub mod set_options;
pub mod slice_transform;
pub mod snapshot;
pub mod statistics;
pub mod storage_info;
pub mod style_options;
pub mod table_filter;
pub mod table_properties;
pub mod verify;
pub mod wal_files;
pub mod wal_iter;
pub mod write;
pub mod write_batch;
pub mod write_buffer_manager;
pub mod write_options;

pub mod constants;
