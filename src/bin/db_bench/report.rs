//! The lines that a run prints, as RocksDB's `db_bench` does.

use crate::engine::Engine;
use crate::flags::Flags;
use crate::resources::Resources;
use crate::tally::{Kind, Tally};

pub fn header(flags: &Flags, engine: &Engine) {
    let megabytes = |value: f64| (flags.key_size as f64 + value) * flags.num as f64 / 1048576.0;
    let compressed = flags.value_size as f64 * flags.compression_ratio;
    println!("Library:        {}", engine.library.path.display());
    println!("Keys:           {} bytes each", flags.key_size);
    println!(
        "Values:         {} bytes each ({compressed:.0} bytes after compression)",
        flags.value_size
    );
    println!("Entries:        {}", flags.num);
    if flags.prefix_size > 0 {
        println!("Prefix:         {} bytes", flags.prefix_size);
        println!("Keys per prefix: {}", flags.keys_per_prefix);
    }
    println!("RawSize:        {:.1} MB (estimated)", megabytes(flags.value_size as f64));
    println!("FileSize:       {:.1} MB (estimated)", megabytes(compressed));
    println!("Compression:    {}", flags.compression_type);
    println!("------------------------------------------------");
    println!("DB path: [{}]", flags.db.display());
}

/// The line of a run.
pub fn line(name: &str, tally: &Tally, message: &str) {
    let operations = tally.operations.max(1);
    let mut text = format!(
        "{name:<12} : {:11.3} micros/op {:.0} ops/sec {:.3} seconds {operations} operations;",
        tally.busy.as_secs_f64() * 1e6 / operations as f64,
        tally.operations_per_second().floor(),
        tally.elapsed().as_secs_f64(),
    );
    if tally.bytes > 0 {
        text += &format!(" {:6.1} MB/s", tally.megabytes_per_second());
    }
    if !message.is_empty() {
        text = text + " " + message;
    }
    println!("{text}");
}

/// What follows the line, if it was asked for.
pub fn details(flags: &Flags, tally: &Tally, resources: &Resources) {
    for kind in Kind::ALL {
        if let Some(latencies) = &tally.latencies[kind as usize] {
            println!("Microseconds per {}:\n{latencies}\n", kind.name());
        }
    }
    if let Some(perf) = &tally.perf {
        println!("PERF_CONTEXT:\n{perf}");
    }
    if flags.resources {
        let megabytes = |bytes: u64| bytes as f64 / 1048576.0;
        println!(
            "Peak memory: {:.1} MB; database: {:.1} MB; written: {:.1} MB",
            megabytes(resources.peak_memory),
            megabytes(resources.database),
            megabytes(resources.written)
        );
    }
}
