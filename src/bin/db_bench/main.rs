//! db_bench
fn main() {}
