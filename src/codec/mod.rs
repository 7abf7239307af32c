//! Row 3: block compression.
