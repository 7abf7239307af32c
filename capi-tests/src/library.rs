//! The shared and the static library, built as they ship.

use std::path::PathBuf;
use std::process::Command;
use std::sync::OnceLock;

use crate::paths;

/// The libraries of one build.
pub struct Library {
    /// The folder that holds `libhematite.so` under its SONAME too.
    pub shared_dir: PathBuf,
    /// The archive with only the ABI's symbols global.
    pub localized: PathBuf,
    /// The archive as cargo made it.
    pub raw: PathBuf,
}

impl Library {
    /// The shared library.
    pub fn shared(&self) -> PathBuf {
        self.shared_dir.join("libhematite.so")
    }
}

/// The SONAME of the shared library, as `build.rs` sets it.
pub const SONAME: &str = "libhematite.so.0";

/// What a program that links the static library must link besides.
pub const NATIVE_LIBRARIES: [&str; 4] = ["-lgcc_s", "-lpthread", "-ldl", "-lm"];

/// Builds the libraries once in a process, in cargo's own output folder and with the profile of
/// the running test, so that they are up to date and usually there already.
pub fn library() -> &'static Library {
    static LIBRARY: OnceLock<Library> = OnceLock::new();
    LIBRARY.get_or_init(build)
}

fn build() -> Library {
    let mut cargo = cargo();
    cargo.args(["build", "--quiet", "--lib", "--package", "hematite"]);
    run(cargo.args(["--profile", &paths::profile()]));
    let from = paths::profile_dir();
    let dir = from.join("capi-tests");
    std::fs::create_dir_all(&dir).expect("the output folder can be written");
    let _lock = lock(&dir);
    let library = Library {
        localized: dir.join("libhematite.a"),
        raw: from.join("libhematite.a"),
        shared_dir: dir,
    };
    for name in ["libhematite.so", SONAME] {
        copy_if_newer(&from.join("libhematite.so"), &library.shared_dir.join(name));
    }
    localize(&library);
    library
}

fn localize(library: &Library) {
    let script = paths::root().join("cmake/localize.sh");
    let made = &library.localized;
    if !is_newer(made, &library.raw) || !is_newer(made, &script) {
        run(Command::new(script).arg(&library.raw).arg(made));
    }
}

/// Cargo, told to build into the folder and for the target of the running test.
pub fn cargo() -> Command {
    let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    cargo.current_dir(paths::root()).arg("--locked");
    cargo.env("CARGO_TARGET_DIR", paths::target_dir());
    if let Some(target) = paths::cross_target() {
        cargo.env("CARGO_BUILD_TARGET", target);
    }
    cargo
}

/// Runs `command` and panics with its output if it fails.
pub fn run(command: &mut Command) -> String {
    let output = command.output().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    let (out, err) =
        (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{command:?} failed, {}\n{out}{err}", output.status);
    out.into_owned()
}

/// Tests of several processes may prepare the same files.
fn lock(dir: &std::path::Path) -> std::fs::File {
    let file = std::fs::File::create(dir.join("lock")).expect("the output folder can be written");
    file.lock().expect("a file can be locked");
    file
}

fn is_newer(made: &std::path::Path, from: &std::path::Path) -> bool {
    let time = |path: &std::path::Path| path.metadata().and_then(|data| data.modified());
    matches!((time(made), time(from)), (Ok(made), Ok(from)) if made > from)
}

/// Replaces the file whole, as a program may have the old one mapped.
fn copy_if_newer(from: &std::path::Path, to: &std::path::Path) {
    if is_newer(to, from) {
        return;
    }
    let part = to.with_extension("part");
    std::fs::copy(from, &part).expect("the library can be copied");
    std::fs::rename(&part, to).expect("the copy can be renamed");
}
