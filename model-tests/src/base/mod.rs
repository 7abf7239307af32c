//! The main crate's `base`, as far as the sources under test use it.

#[path = "../../../src/base/arena.rs"]
pub mod arena;
#[path = "../../../src/base/coding.rs"]
pub mod coding;
#[path = "../../../src/base/comparator.rs"]
pub mod comparator;
#[path = "../../../src/base/hash.rs"]
pub mod hash;
#[path = "../../../src/base/key.rs"]
pub mod key;
#[path = "../../../src/base/record_sum.rs"]
pub mod record_sum;
#[path = "../../../src/base/status.rs"]
pub mod status;
pub mod sync;
