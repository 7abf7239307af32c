//! Logs that real RocksDB and LevelDB wrote, and real RocksDB reading ours. Each test says so and
//! passes when what it needs is not there.

use super::*;
use crate::batch::{BatchView, Record, WriteBatch};
use std::path::PathBuf;
use std::process::Command;

/// The folder of databases that the real libraries wrote.
fn golden() -> Option<PathBuf> {
    let folder = match std::env::var_os("HEMATITE_GOLDEN") {
        Some(folder) => PathBuf::from(folder),
        None => Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/golden"),
    };
    if !folder.is_dir() {
        println!("skipped: no golden databases at {}", folder.display());
        return None;
    }
    Some(folder)
}

/// Every log of the case in folder `case`, with its number.
fn logs(case: &Path) -> Vec<(u64, Vec<u8>)> {
    let Ok(entries) = std::fs::read_dir(case.join("db")) else { return Vec::new() };
    let mut logs: Vec<_> = entries
        .filter_map(|entry| {
            let path = entry.unwrap().path();
            let number = path.file_name()?.to_str()?.strip_suffix(".log")?.parse().ok()?;
            Some((number, std::fs::read(path).unwrap()))
        })
        .collect();
    logs.sort_unstable();
    logs
}

/// How a damaged case's log reads in each mode: the first complaint, empty for none.
fn complaints(case: &str) -> Option<[&'static str; 4]> {
    let mismatch = "Corruption: checksum mismatch";
    let case = case.trim_start_matches("r119-").trim_start_matches("r78-");
    let torn = |text| Some(["", text, text, ""]);
    match case {
        "bad-wal-first" | "bad-wal-middle" | "bad-wal-tail" | "bad-wal-type" => Some([mismatch; 4]),
        "wal-torn" | "wal-garbage-tail" => torn("Corruption: truncated record body"),
        "wal-torn-header" => torn("Corruption: truncated header"),
        "wal-torn-fragment" => {
            torn("Corruption: error reading trailing data due to encountering EOF")
        }
        _ => None,
    }
}

/// Decodes the batches of a log and checks that their sequence numbers ascend.
fn check_batches(case: &str, outcome: &Outcome) -> usize {
    let mut next = 0;
    let mut count = 0;
    for (offset, _, data) in &outcome.records {
        let view = BatchView::new(data).unwrap();
        let decoded: Result<Vec<Record<'_>>> = view.records().collect();
        let what = format!("{case} at {offset}");
        let decoded = match decoded {
            Ok(decoded) => decoded,
            Err(status) => {
                let known = ["unknown WriteBatch tag: 126", "WriteBatch has wrong count"];
                assert!(case.contains("bad-wal-batch"), "{what}: {status}");
                assert!(known.iter().any(|known| status.text() == *known), "{what}: {status}");
                continue;
            }
        };
        assert_eq!(decoded.iter().filter(|r| r.is_counted()).count(), view.count() as usize);
        assert!(view.sequence() >= next, "{what}");
        next = view.sequence();
        count += decoded.len();
    }
    count
}

#[test]
fn logs_of_the_real_libraries_are_read_and_written_alike() {
    let Some(golden) = golden() else { return };
    let (mut cases, mut files, mut records) = (0, 0, 0);
    for entry in std::fs::read_dir(golden).unwrap() {
        let path = entry.unwrap().path();
        let case = path.file_name().unwrap().to_string_lossy().into_owned();
        let logs = logs(&path);
        cases += usize::from(!logs.is_empty());
        for (number, bytes) in logs {
            files += 1;
            let expected = complaints(&case);
            for mode in WalRecoveryMode::ALL {
                let outcome = read_with(&bytes, LogReaderOptions::for_wal(number, mode));
                let complaint = outcome.damage.first().map_or("", |text| text);
                let what = format!("{case} {number} {mode:?}: {complaint}");
                if let Some(expected) = expected {
                    assert_eq!(complaint, expected[mode as usize], "{what}");
                } else if case.contains("bad-wal-middle-of-two") {
                    assert!(complaint.is_empty() || complaint.ends_with("checksum mismatch"));
                } else if case.contains("wal-recycled") && mode.reports_torn_tail() {
                    // The former log's bytes begin in the middle of a record.
                } else {
                    assert!(complaint.is_empty(), "{what}");
                }
                records += check_batches(&case, &outcome);
            }
            check_written_alike(&case, number, &bytes);
        }
    }
    println!("{cases} cases, {files} logs, {records} records");
    assert!(records > 1000);
}

/// Our writer makes the same bytes of the same records.
fn check_written_alike(case: &str, number: u64, bytes: &[u8]) {
    if case.contains("zstd") || case.contains("bad-") {
        return;
    }
    let mode = WalRecoveryMode::TolerateCorruptedTailRecords;
    let outcome = read_with(bytes, LogReaderOptions::for_wal(number, mode));
    let Some(last) = outcome.records.last() else { return };
    let type_bytes = |r: &(u64, u64, Vec<u8>)| bytes[r.0 as usize + 6];
    let recyclable = (5..=8).contains(&type_bytes(last));
    let format = if recyclable { LogFormat::Recyclable } else { LogFormat::Legacy };
    let sink = Sink::default();
    let mut writer = LogWriter::new(Box::new(sink.clone()), number, format);
    let starts = outcome.records[0].0 == 0;
    if !starts {
        // Begins with records about the log.
        return;
    }
    outcome.records.iter().for_each(|r| writer.add_record(&[&r.2]).unwrap());
    assert!(sink.bytes() == bytes[..last.1 as usize], "{case} {number}");
}

#[test]
fn real_rocksdb_reads_our_logs() {
    let folder = tempfile::tempdir().unwrap();
    for (format, compressed) in FORMATS.into_iter().flat_map(|f| [(f, false), (f, true)]) {
        let sink = Sink::default();
        let mut writer = LogWriter::new(Box::new(sink.clone()), 12, format);
        if compressed {
            writer.set_compression().unwrap();
        }
        let mut sequence = 1;
        for i in 0..200u64 {
            let mut batch = WriteBatch::new();
            batch.set_sequence(sequence);
            let value = vec![b'v'; (i * i * 3) as usize];
            batch.put(0, format!("key{i}").as_bytes(), &value).unwrap();
            batch.delete(0, b"gone").unwrap();
            batch.put_log_data(b"note").unwrap();
            sequence += u64::from(batch.count());
            writer.add_record(&[batch.data()]).unwrap();
        }
        let path = folder.path().join("000012.log");
        std::fs::write(&path, sink.bytes()).unwrap();
        let run = Command::new("ldb")
            .arg("dump_wal")
            .arg(format!("--walfile={}", path.display()))
            .arg("--header")
            .output();
        let Ok(output) = run else {
            println!("skipped: no ldb");
            return;
        };
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        let lines: Vec<&str> =
            text.lines().filter(|l| l.as_bytes().first().is_some_and(u8::is_ascii_digit)).collect();
        assert_eq!(lines.len(), 200, "{text}");
        for (i, line) in lines.iter().enumerate() {
            let start = format!("{},2,", 1 + 2 * i);
            assert!(line.starts_with(&start), "{line}");
            assert!(line.contains("PUT(0)") && line.contains("DELETE(0)"), "{line}");
        }
    }
}
