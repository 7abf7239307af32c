//! Row 6: write batches: format, builder, reader, save points.
