//! Tells the tests for which target they are built, which the C compiler has to know.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    for name in ["TARGET", "HOST"] {
        let value = std::env::var(name).unwrap_or_default();
        println!("cargo::rustc-env=CAPI_TESTS_{name}={value}");
    }
}
