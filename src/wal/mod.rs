//! Row 7: the write-ahead log's record format, writer and reader.
