//! Row 8: which table files make up the database, and how that is made durable: file metadata,
//! version edits, versions, the MANIFEST, the version set, and the cache of open tables.

pub mod blob;
pub mod builder;
pub mod column_family;
mod consistency;
pub mod edit;
mod edit_decode;
mod edit_encode;
mod edit_tags;
pub mod file_meta;
pub mod file_numbers;
mod manifest;
pub mod manifest_write;
pub mod open_tables;
mod replay;
mod snapshot;
pub mod table_cache;
mod timestamps;
mod tombstone_knowledge;
mod torn_tail;
#[expect(clippy::module_inception, reason = "the noun is the field's term")]
pub mod version;
pub mod version_set;
pub mod wal_set;

#[cfg(test)]
mod builder_tests;
#[cfg(test)]
mod edit_tests;
#[cfg(test)]
mod golden_tests;
#[cfg(test)]
mod replay_tests;
#[cfg(test)]
mod version_set_tests;
