//! Row 8: which files make up the database: edits, versions, the MANIFEST.
