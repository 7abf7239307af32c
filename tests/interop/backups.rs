//! Backups and checkpoints: what one library made, the other restores and opens; both add to one
//! folder.

use super::model::{self, Format, Model, Store};
use super::tools::Peer;
use super::{FORMATS, write_rounds};
use hematite::base::random::Random;
use hematite::env::Env;
use hematite::options::{BackupOptions, RestoreOptions};
use hematite::tools::backup::{BackupEngine, NewBackup};
use hematite::tools::checkpoint::create_checkpoint;
use std::path::Path;

fn engine(folder: &Path, schema_version: i32) -> BackupEngine {
    let options = BackupOptions { schema_version, ..BackupOptions::default() };
    let env = Env::default();
    BackupEngine::open(folder, options, env.clone(), env, None).unwrap()
}

/// Restores with Hematite, and opens with it.
fn restore(folder: &Path, number: u32, format: Format, model: &Model) {
    let dir = tempfile::tempdir().unwrap();
    let engine = engine(folder, 1);
    for info in engine.info() {
        engine.verify(info.id, true).unwrap();
    }
    engine.restore(Some(number), dir.path(), dir.path(), &RestoreOptions::default()).unwrap();
    let store = Store::open(dir.path(), format);
    store.compare(model);
    store.close();
}

#[test]
fn rocksdb_restores_what_hematite_backed_up() {
    let Some(peer) = Peer::find() else { return };
    let mut random = Random::from_env(73);
    for (format, schema_version) in FORMATS.into_iter().zip([1, 2, 1]) {
        println!("{format:?}");
        let dir = tempfile::tempdir().unwrap();
        let (path, folder) = (dir.path().join("db"), dir.path().join("backups"));
        let restored = dir.path().join("restored");
        let (mut store, mut model) = (Store::create(&path, format), Model::new());
        let engine = engine(&folder, schema_version);
        for (number, flush) in [(1, false), (2, true)] {
            write_rounds(&mut store, &mut model, &mut random);
            engine.create(&store.db, &NewBackup { flush, ..NewBackup::default() }).unwrap();
            peer.restore(&restored, &folder, number);
            model.compare_dump("restored", &peer.dump("open", &restored));
            peer.restore(&restored, &folder, 0);
            model.compare_dump("restored", &peer.dump("read", &restored));
        }
        // What the peer restored is its database now, and its backup stands beside ours.
        model.compare_dump("backed up", &peer.copy("backup", &restored, &folder));
        store.close();
        restore(&folder, 3, format, &model);
    }
}

#[test]
fn hematite_restores_what_rocksdb_backed_up() {
    let Some(peer) = Peer::find() else { return };
    let mut random = Random::from_env(74);
    for format in FORMATS.into_iter().take(3) {
        println!("{format:?}");
        let dir = tempfile::tempdir().unwrap();
        let (path, folder) = (dir.path().join("db"), dir.path().join("backups"));
        let mut model = Model::new();
        let mut commands = model.create_commands();
        for round in 0..3 {
            model.run_round(&mut random, 300, |ops| commands.push_str(&model::commands(ops)));
            if round < 2 {
                commands.push_str(&model::flush_commands(&mut random));
            }
        }
        peer.write(&path, format.compression as u8, &commands);
        peer.copy("backup", &path, &folder);
        restore(&folder, 1, format, &model);
        // The same tables, under the same names.
        let store = Store::open_still(&path, format);
        let before = std::fs::read_dir(folder.join("shared_checksum")).unwrap().count();
        let backups = engine(&folder, 1);
        assert_eq!(backups.create(&store.db, &NewBackup::default()).unwrap(), 2);
        let after = std::fs::read_dir(folder.join("shared_checksum")).unwrap().count();
        assert!(before > 0 && after == before, "{before} files, then {after}");
        store.close();
        drop(backups);
        let restored = dir.path().join("restored");
        for number in [1, 2] {
            peer.restore(&restored, &folder, number);
            model.compare_dump("restored", &peer.dump("open", &restored));
        }
    }
}

#[test]
fn each_opens_checkpoints_of_the_other() {
    let Some(peer) = Peer::find() else { return };
    let mut random = Random::from_env(75);
    for format in FORMATS.into_iter().take(3) {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("db");
        let (mut store, mut model) = (Store::create(&path, format), Model::new());
        for (name, limit) in [("logged", u64::MAX), ("flushed", 0)] {
            write_rounds(&mut store, &mut model, &mut random);
            let copy = dir.path().join(name);
            create_checkpoint(&store.db, &copy, limit).unwrap();
            model.compare_dump(name, &peer.dump("read", &copy));
            model.compare_dump(name, &peer.dump("open", &copy));
        }
        store.close();
        let copy = dir.path().join("copy");
        model.compare_dump("copied", &peer.copy("checkpoint", &path, &copy));
        let store = Store::open(&copy, format);
        store.compare(&model);
        store.close();
    }
}
