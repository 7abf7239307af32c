//! Row 5: one declaration per option, and what follows from it.
