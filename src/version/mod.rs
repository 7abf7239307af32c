//! Row 8: which table files make up the database, and how that is made durable: file metadata,
//! version edits, versions, the MANIFEST, the version set, and the cache of open tables.

pub mod edit;
mod edit_decode;
mod edit_encode;
mod edit_tags;
pub mod file_meta;
