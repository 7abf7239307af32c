//! Row 2: what users plug in, as traits and plain data.

pub mod logger;
