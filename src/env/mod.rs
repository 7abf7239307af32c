//! Row 3: the one door to the outside: files, threads, locks, names, the info log.
