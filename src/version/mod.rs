//! Row 8: which table files make up the database, and how that is made durable: file metadata,
//! version edits, versions, the MANIFEST, the version set, and the cache of open tables.

pub mod blob;
pub mod builder;
mod consistency;
pub mod edit;
mod edit_decode;
mod edit_encode;
mod edit_tags;
pub mod file_meta;
#[expect(clippy::module_inception, reason = "the noun is the field's term")]
pub mod version;
pub mod wal_set;
