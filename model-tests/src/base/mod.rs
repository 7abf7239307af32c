//! The main crate's `base`, as far as the sources under test use it.

#[path = "../../../src/base/arena.rs"]
pub mod arena;
pub mod sync;
