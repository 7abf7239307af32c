//! Where things are.

use std::path::{Path, PathBuf};

/// The root of the repository.
pub fn root() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.parent().expect("capi-tests lies in the root").to_path_buf()
}

/// The folder `include` of the repository.
pub fn include() -> PathBuf {
    root().join("include")
}

/// The committed header.
pub fn header() -> PathBuf {
    include().join("rocksdb/c.h")
}

/// The folder with the C programs.
pub fn programs() -> PathBuf {
    root().join("capi-tests/c")
}

/// Cargo's output folder for the profile (and target) of the running test or tool, e.g.
/// `target/debug`.
pub fn profile_dir() -> PathBuf {
    let exe = std::env::current_exe().expect("the running program has a path");
    let dir = exe.parent().expect("a program lies in a folder");
    let dir =
        if dir.ends_with("deps") { dir.parent().expect("deps lies in a folder") } else { dir };
    dir.to_path_buf()
}

/// Cargo's name for that profile.
pub fn profile() -> String {
    match profile_dir().file_name().and_then(|name| name.to_str()) {
        Some("debug") | None => "dev".to_string(),
        Some(name) => name.to_string(),
    }
}

/// Cargo's output folder, above those of profiles and targets.
pub fn target_dir() -> PathBuf {
    let dir = profile_dir();
    let above = dir.parent().expect("a profile has a target folder");
    if cross_target().is_some() {
        above.parent().expect("a target has a target folder").to_path_buf()
    } else {
        above.to_path_buf()
    }
}

/// The target that cargo was told to build for with `--target`, if it was.
pub fn cross_target() -> Option<&'static str> {
    let target = env!("CAPI_TESTS_TARGET");
    profile_dir().parent().is_some_and(|above| above.ends_with(target)).then_some(target)
}
