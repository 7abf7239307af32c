//! RocksDB's own example of its C interface, as it is.

use std::fs::{self, File};
use std::process::Command;

use capi_tests::compiler::{self, Linkage};
use capi_tests::{library, peers};

/// The folders that the example uses.
const FOLDERS: [&str; 2] =
    ["/tmp/rocksdb_c_simple_example", "/tmp/rocksdb_c_simple_example_backup"];

fn clean() {
    for folder in FOLDERS {
        let _ = fs::remove_dir_all(folder);
    }
}

#[test]
fn the_simple_example_runs() {
    let header = peers::reference_header();
    let source = header.and_then(|header| {
        let source = header.ancestors().nth(3)?.join("examples/c_simple_example.c");
        source.is_file().then_some(source)
    });
    let Some(source) = source else { return peers::skip("RocksDB's c_simple_example.c") };
    // Its folders are the same for everyone.
    let lock = File::create("/tmp/rocksdb_c_simple_example.lock").unwrap();
    lock.lock().unwrap();
    for linkage in [Linkage::Shared, Linkage::Static] {
        clean();
        let bin = tempfile::tempdir().unwrap();
        // Its warnings are not ours.
        let program = compiler::build(&source, linkage, &["-w"], bin.path());
        library::run(&mut Command::new(&program));
        // Once more, on what the first run left behind.
        library::run(&mut Command::new(&program));
        clean();
    }
}
