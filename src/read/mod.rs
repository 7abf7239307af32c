//! Row 9: reading through a pinned view: point gets and iterators.
