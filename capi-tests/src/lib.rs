//! Proves Hematite's C ABI: makes its header, builds its libraries as they ship, and compiles and
//! runs C programs against both.
//!
//! Everything here is for tests and for the `header` tool, so failures panic with their reason.

pub mod compiler;
pub mod declarations;
pub mod header;
pub mod library;
pub mod paths;
pub mod peers;
