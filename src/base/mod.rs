//! Row 0: what every other module stands on. Uses nothing of the crate.

pub mod arena;
pub mod checksum;
pub mod clock;
pub mod coding;
pub mod comparator;
pub mod hash;
pub mod iterator;
pub mod key;
pub mod panic;
pub mod random;
pub mod record_sum;
pub mod status;
pub mod sync;
pub mod xxph3;
