//! [`ManifestWrite`]: a change on its way into the MANIFEST, between the moment it was prepared
//! under the database mutex and the moment it is installed there.

use super::column_family::ColumnFamily;
use super::edit::VersionEdit;
use super::manifest::{ManifestPlace, ManifestWriter, write_snapshot};
use super::snapshot::Snapshot;
use super::version::Version;
use crate::base::status::{Result, Status};
use crate::base::sync::Arc;

/// Which MANIFEST the change goes to.
pub(super) enum Target {
    /// The one in use.
    Append(ManifestWriter),
    /// A new one that starts with the whole state before the change.
    New(Snapshot),
}

/// How the writing went.
pub(super) enum Outcome {
    NotWritten,
    Durable(ManifestWriter),
    Failed(Status),
}

/// A prepared change. [`write`](ManifestWrite::write) it without the database mutex, then give it
/// to `VersionSet::install` under the mutex, whether it succeeded or not.
pub struct ManifestWrite {
    pub(super) place: ManifestPlace,
    pub(super) number: u64,
    pub(super) target: Option<Target>,
    /// The edits with the timestamp sizes of their column families.
    pub(super) edits: Vec<(VersionEdit, usize)>,
    pub(super) versions: Vec<(Arc<ColumnFamily>, Arc<Version>)>,
    pub(super) new_family: Option<Arc<ColumnFamily>>,
    pub(super) is_new_manifest: bool,
    pub(super) outcome: Outcome,
    /// Tells the version set that a change is under way.
    pub(super) _token: Arc<()>,
}

impl ManifestWrite {
    /// Writes the change and makes it durable; a new MANIFEST is made current. Nothing that
    /// readers see changes before it is installed.
    ///
    /// After an error nobody knows whether a crash now would come back with the change or without
    /// it; see `VersionSet::install`.
    pub fn write(&mut self) -> Result<()> {
        let result = match self.target.take() {
            Some(Target::Append(writer)) => self.append(writer),
            Some(Target::New(snapshot)) => self.write_new(&snapshot),
            None => Err(Status::aborted("MANIFEST change was already written")),
        };
        match result {
            Ok(writer) => {
                self.outcome = Outcome::Durable(writer);
                Ok(())
            }
            Err(status) => {
                self.outcome = Outcome::Failed(status.clone());
                Err(status)
            }
        }
    }

    /// The column family that the change creates, if it does.
    pub fn new_family(&self) -> Option<&Arc<ColumnFamily>> {
        self.new_family.as_ref()
    }

    /// Whether the change starts a new MANIFEST.
    pub fn starts_new_manifest(&self) -> bool {
        self.is_new_manifest
    }

    fn append(&self, mut writer: ManifestWriter) -> Result<ManifestWriter> {
        self.put_edits(&mut writer)?;
        writer.sync()?;
        Ok(writer)
    }

    fn write_new(&self, snapshot: &Snapshot) -> Result<ManifestWriter> {
        let written = self.place.create(self.number).and_then(|mut writer| {
            write_snapshot(&mut writer, snapshot)?;
            self.append(writer)
        });
        match written {
            Ok(writer) => {
                // If this fails CURRENT may name either MANIFEST, so both must stay.
                self.place.switch_current(self.number)?;
                Ok(writer)
            }
            Err(status) => {
                // CURRENT cannot name it yet; nobody will miss it.
                let _ = self.place.fs.remove_file(&self.place.path(self.number));
                Err(status)
            }
        }
    }

    fn put_edits(&self, writer: &mut ManifestWriter) -> Result<()> {
        let mut record = Vec::new();
        for (edit, timestamp_size) in &self.edits {
            record.clear();
            edit.encode_to(*timestamp_size, &mut record)?;
            writer.add(&record)?;
        }
        Ok(())
    }
}
