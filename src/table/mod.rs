//! Row 7: block-based tables (SST files).

pub mod filter;
