//! Row 2: what users plug in, as traits and plain data.

pub mod filter_policy;
pub mod logger;
pub mod recovery_mode;
pub mod table_properties;
