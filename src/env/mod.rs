//! Row 3: the one door to the outside: files, threads, locks, names, the info log.

pub mod file_system;
pub mod posix;
