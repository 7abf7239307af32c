//! The C and C++ compilers that the crate `cc` finds.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use crate::library::{NATIVE_LIBRARIES, library, run};
use crate::paths;

/// How a program is linked with Hematite.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Linkage {
    /// With `libhematite.so`.
    Shared,
    /// With `libhematite.a`, only the ABI's symbols global.
    Static,
}

/// The compiler for `language` (`"c"` or `"c++"`), told to warn about everything.
pub fn compiler(language: &str) -> Command {
    let mut build = cc::Build::new();
    build.target(env!("CAPI_TESTS_TARGET")).host(env!("CAPI_TESTS_HOST"));
    build.opt_level(1).debug(true).cargo_metadata(false).warnings(true).extra_warnings(true);
    build.warnings_into_errors(true).cpp(language == "c++");
    let standard = if language == "c++" { "-std=c++17" } else { "-std=c11" };
    let mut command = build.get_compiler().to_command();
    command.arg(standard).args(["-x", language]);
    command
}

/// Compiles `source` against `include/` without making anything; the compiler's output is the
/// result. `extra` are more arguments.
pub fn check(language: &str, source: &Path, extra: &[&OsStr]) -> Output {
    let mut command = compiler(language);
    command.arg("-fsyntax-only").arg("-I").arg(paths::include()).args(extra).arg(source);
    command.output().expect("the compiler runs")
}

/// Compiles the C program `source` against `include/`, links it with Hematite, and puts it into
/// the folder `to`.
pub fn build(source: &Path, linkage: Linkage, extra: &[&str], to: &Path) -> PathBuf {
    let library = library();
    let program = to.join(source.file_stem().expect("a source has a name"));
    let mut command = compiler("c");
    command.arg("-D_GNU_SOURCE").arg("-I").arg(paths::include()).arg(source).args(["-x", "none"]);
    command.args(extra).arg("-o").arg(&program);
    match linkage {
        Linkage::Shared => {
            command.arg("-L").arg(&library.shared_dir).arg("-lhematite").arg("-lpthread");
            command.arg(format!("-Wl,-rpath,{}", library.shared_dir.display()));
        }
        Linkage::Static => {
            command.arg(&library.localized).args(NATIVE_LIBRARIES);
        }
    }
    run(&mut command);
    program
}
