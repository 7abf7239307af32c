//! Makes `include/rocksdb/c.h` with cbindgen.
//!
//! cbindgen does not see functions that macros make, so it reads the crate as the compiler
//! expanded it. Expansion is an unstable option of rustc, which `RUSTC_BOOTSTRAP` opens for this
//! one run of it. So that everything else is built and cached as always, cargo checks the crate
//! with the tool `header` in place of rustc ([`wrapper`]), which expands it besides.

use std::collections::HashMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::{library, paths};

/// The modules of `capi` in the order in which the header shows their functions. Others follow.
const ORDER: [&str; 24] = [
    "db",
    "column_family",
    "write",
    "read",
    "pinnable_slice",
    "iterator",
    "snapshot",
    "write_batch",
    "flush",
    "options",
    "block_based_options",
    "read_options",
    "write_options",
    "flush_options",
    "options_file",
    "property",
    "statistics",
    "perf_context",
    "comparator",
    "filter_policy",
    "cache",
    "env",
    "logger",
    "memory",
];

/// Constants that have the value of another, which no enum of Rust has: name, other, meaning.
const SAME_CONSTANTS: [(&str, &str, &str); 1] = [(
    "rocksdb_statistics_level_except_tickers",
    "rocksdb_statistics_level_disable_all",
    "The same: tickers are the least that can be collected.",
)];

/// Names the file that [`wrapper`] writes.
const EXPANDED: &str = "HEMATITE_EXPANDED";

/// The text that the header should have now. `tool` is the path of the program `header`.
pub fn generate(tool: &Path) -> Result<String, String> {
    let expanded = expand(tool)?;
    let source = std::fs::read_to_string(&expanded).map_err(|error| error.to_string())?;
    let capi = module(&source, "capi").ok_or("the expanded crate has no module capi")?;
    let only_capi = expanded.with_extension("capi.rs");
    std::fs::write(&only_capi, capi).map_err(|error| error.to_string())?;
    let config = cbindgen::Config::from_file(paths::root().join("cbindgen.toml"))?;
    let bindings = cbindgen::Builder::new()
        .with_config(with_all_enums(config, capi))
        .with_src(&only_capi)
        .generate()
        .map_err(|error| error.to_string())?;
    let mut header = Vec::new();
    bindings.write(&mut header);
    let header = String::from_utf8(header).map_err(|error| error.to_string())?;
    Ok(by_family(&with_same_constants(&header), &families(capi)))
}

/// Has cargo check the crate with [`wrapper`] as its compiler; the file with the expanded source.
fn expand(tool: &Path) -> Result<PathBuf, String> {
    let expanded = paths::profile_dir().join("hematite.expanded.rs");
    if !expanded.exists() {
        // Cargo may think that the crate is checked already.
        let lib = paths::root().join("src/lib.rs");
        let file = std::fs::File::options().append(true).open(lib);
        let touched = file.and_then(|file| file.set_modified(std::time::SystemTime::now()));
        touched.map_err(|error| format!("src/lib.rs: {error}"))?;
    }
    let mut cargo = library::cargo();
    cargo.args(["check", "--quiet", "--lib", "--package", "hematite"]);
    cargo.args(["--profile", &paths::profile()]);
    cargo.env("RUSTC_WORKSPACE_WRAPPER", tool).env(EXPANDED, &expanded);
    let output = cargo.output().map_err(|error| format!("{cargo:?}: {error}"))?;
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).into_owned());
    }
    Ok(expanded)
}

/// Does rustc's work for cargo, and writes the expanded source of the crate hematite besides.
/// None if the arguments do not come from cargo; else the exit code.
pub fn wrapper(arguments: &[OsString]) -> Option<i32> {
    let expanded = std::env::var_os(EXPANDED)?;
    let (rustc, arguments) = arguments.split_first()?;
    let run = |command: &mut Command| command.status().ok().and_then(|s| s.code()).unwrap_or(1);
    let code = run(Command::new(rustc).args(arguments));
    let is_library =
        arguments.windows(2).any(|pair| pair[0] == "--crate-name" && pair[1] == "hematite");
    let has_sources = arguments.iter().any(|argument| argument == "src/lib.rs");
    if code != 0 || !is_library || !has_sources {
        return Some(code);
    }
    let mut command = Command::new(rustc);
    command.args(arguments).env("RUSTC_BOOTSTRAP", "1");
    let output = command.arg("-Zunpretty=expanded").output().ok()?;
    if !output.status.success() {
        eprintln!("{}", String::from_utf8_lossy(&output.stderr));
        return Some(1);
    }
    Some(std::fs::write(expanded, output.stdout).map_or(1, |()| 0))
}

/// The text of the top-level module `name` in an expanded source, which rustc indents.
fn module<'a>(source: &'a str, name: &str) -> Option<&'a str> {
    let start = source.find(&format!("\npub mod {name} {{\n"))? + 1;
    let end = source[start..].find("\n}\n")? + start + 3;
    Some(&source[start..end])
}

/// No function has a parameter of an enum's type, so each has to be asked for.
fn with_all_enums(mut config: cbindgen::Config, source: &str) -> cbindgen::Config {
    let names = source.lines().filter_map(|line| line.trim().strip_prefix("pub enum rocksdb_"));
    let names = names.filter_map(|rest| rest.split([' ', '{']).next());
    config.export.include.extend(names.map(|name| format!("rocksdb_{name}")));
    config
}

/// Adds [`SAME_CONSTANTS`] behind those that they are the same as.
fn with_same_constants(header: &str) -> String {
    let mut lines = Vec::new();
    for line in header.lines() {
        lines.push(line.to_string());
        let name = line.split_whitespace().next().unwrap_or_default();
        if !line.trim_end().ends_with(',') {
            continue;
        }
        for (same, other, meaning) in SAME_CONSTANTS.iter().filter(|row| row.1 == name) {
            lines.push(format!("  // {meaning}"));
            lines.push(format!("  {same} = {other},"));
        }
    }
    lines.join("\n") + "\n"
}

/// The module of `capi` that a function comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Family {
    /// The module's path below `capi`, e.g. `options::read`.
    module: String,
    /// The first line of its documentation.
    title: String,
}

/// The family of each function.
fn families(source: &str) -> HashMap<String, Family> {
    let mut families = HashMap::new();
    // Each open module with the indentation of its line, which is that of its closing brace.
    let mut open: Vec<(usize, Family)> = Vec::new();
    for line in source.lines() {
        let text = line.trim();
        let indent = line.len() - line.trim_start().len();
        if let Some(name) = text.strip_prefix("pub mod ").or(text.strip_prefix("mod ")) {
            let mut above = open.iter().skip(1).map(|(_, family)| family.module.as_str());
            let above = above.next_back().map_or(String::new(), |module| format!("{module}::"));
            let name = name.trim_end_matches([' ', '{', '}', ';']);
            if text.ends_with('{') {
                let family = Family { module: above + name, title: String::new() };
                open.push((indent, family));
            }
        } else if text == "}" && open.last().is_some_and(|(opened, _)| *opened == indent) {
            open.pop();
        }
        let Some((_, family)) = open.last_mut() else { continue };
        if let Some(title) = text.strip_prefix("//!") {
            if family.title.is_empty() {
                family.title = title.trim().trim_end_matches('.').to_string();
            }
        } else if let Some(at) = text.find("extern \"C\" fn rocksdb_") {
            let name = text[at..].trim_start_matches("extern \"C\" fn ");
            let name = name.split('(').next().unwrap_or_default();
            families.insert(name.to_string(), family.clone());
        }
    }
    families
}

/// Orders the functions by [`ORDER`] and puts a heading before each family.
fn by_family(header: &str, families: &HashMap<String, Family>) -> String {
    let blocks: Vec<&str> = header.trim_end().split("\n\n").collect();
    let is_function = |block: &&str| function_of(block).is_some();
    let Some(first) = blocks.iter().position(is_function) else { return header.to_string() };
    let Some(last) = blocks.iter().rposition(is_function) else { return header.to_string() };
    let family = |block: &str| function_of(block).and_then(|name| families.get(name));
    let mut functions = blocks[first..=last].to_vec();
    functions.sort_by_key(|block| family(block).map_or(usize::MAX, |f| position(&f.module)));
    let mut title = "";
    let mut parts: Vec<String> = blocks[..first].iter().map(ToString::to_string).collect();
    for block in functions {
        if let Some(family) = family(block)
            && family.title != title
        {
            title = &family.title;
            parts.push(format!("/* ---- {title} ---- */"));
        }
        parts.push(block.to_string());
    }
    parts.extend(blocks[last + 1..].iter().map(ToString::to_string));
    parts.join("\n\n") + "\n"
}

fn position(module: &str) -> usize {
    let top = module.split("::").next().unwrap_or_default();
    ORDER.iter().position(|name| *name == top).unwrap_or(ORDER.len())
}

/// The function that a block of the header declares.
fn function_of(block: &str) -> Option<&str> {
    let declaration = &block[block.find("extern ROCKSDB_LIBRARY_API")?..];
    let end = declaration.find('(')?;
    let start = declaration[..end].rfind(|c: char| !c.is_alphanumeric() && c != '_')? + 1;
    Some(&declaration[start..end])
}

#[cfg(test)]
mod tests {
    use super::*;

    const EXPANDED: &str = "\
pub mod base {
    //! Not this.
}
pub mod capi {
    //! The C ABI.
    pub mod write_batch {
        //! Write batches: several writes as one.
        //!
        //! More.
        pub unsafe extern \"C\" fn rocksdb_batch_make() -> u8 { 1 }
        pub enum rocksdb_kind { rocksdb_one = 1, }
        pub mod more {
            //! More.
            pub unsafe extern \"C\" fn rocksdb_late() -> u8 { 1 }
        }
    }
    pub mod memory {
        //! Memory.
        pub unsafe extern \"C\" fn rocksdb_free(ptr: *mut u8) {}
    }
}
pub mod db {}
";

    #[test]
    fn functions_belong_to_the_module_around_them() {
        let capi = module(EXPANDED, "capi").unwrap();
        assert!(capi.ends_with("    }\n}\n") && !capi.contains("Not this"), "{capi}");
        let families = families(capi);
        assert_eq!(families["rocksdb_batch_make"].title, "Write batches: several writes as one");
        assert_eq!(families["rocksdb_batch_make"].module, "write_batch");
        assert_eq!(families["rocksdb_free"].title, "Memory");
        assert_eq!(families["rocksdb_late"].module, "write_batch::more");
        let config = with_all_enums(cbindgen::Config::default(), capi);
        assert_eq!(config.export.include, ["rocksdb_kind"]);
    }

    #[test]
    fn functions_stand_in_order_under_the_heading_of_their_family() {
        let family = |module: &str| Family { module: module.into(), title: module.into() };
        let families = HashMap::from([
            ("rocksdb_a".to_string(), family("memory")),
            ("rocksdb_b".to_string(), family("memory")),
            ("rocksdb_c".to_string(), family("db")),
        ]);
        let header = "top\n\nextern ROCKSDB_LIBRARY_API\nint *rocksdb_a(void);\n\n\
            // Doc.\nextern ROCKSDB_LIBRARY_API void rocksdb_b(void);\n\n\
            extern ROCKSDB_LIBRARY_API void rocksdb_c(int (*f)(void));\n\nend\n";
        let text = by_family(header, &families);
        let expected = "top\n\n/* ---- db ---- */\n\n\
            extern ROCKSDB_LIBRARY_API void rocksdb_c(int (*f)(void));\n\n\
            /* ---- memory ---- */\n\nextern ROCKSDB_LIBRARY_API\nint *rocksdb_a(void);\n\n\
            // Doc.\nextern ROCKSDB_LIBRARY_API void rocksdb_b(void);\n\nend\n";
        assert_eq!(text, expected);
    }
}
