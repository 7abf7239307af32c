//! Gives the shared library its SONAME. Everything else cargo does by itself.

/// Changes whenever a function of the ABI disappears or changes its meaning.
const ABI: &str = "0";

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let os = std::env::var("CARGO_CFG_TARGET_OS").unwrap_or_default();
    match os.as_str() {
        "macos" | "ios" => {
            let name = format!("-Wl,-install_name,@rpath/libhematite.{ABI}.dylib");
            println!("cargo::rustc-cdylib-link-arg={name}");
        }
        "windows" => {}
        _ => println!("cargo::rustc-cdylib-link-arg=-Wl,-soname,libhematite.so.{ABI}"),
    }
}
