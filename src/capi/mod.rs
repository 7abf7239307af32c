//! Row 13: the C ABI. Converts, calls, converts back; no logic of its own.
