//! Damaged logs: what each mode makes of them. In no case a record that was not written.

use super::WalRecoveryMode::*;
use super::*;

/// Records that make every kind of fragment and both kinds of block end.
fn sample(format: LogFormat) -> (Vec<Vec<u8>>, Vec<u8>) {
    let mut random = Random::new(5);
    let lens = [10, 0, 300, 40_000, 5, 25_000 - 5 * format.header_len(), 70_000, 1, 2000];
    let records: Vec<_> = lens.iter().map(|&len| payload(&mut random, len)).collect();
    let bytes = write(&records, format);
    (records, bytes)
}

/// The whole records of `bytes`, and where each ends.
fn ends(bytes: &[u8]) -> Vec<usize> {
    read(bytes, AbsoluteConsistency).records.iter().map(|r| r.1 as usize).collect()
}

/// Every offset that is near a header or a record's end, some others.
fn interesting(bytes: &[u8]) -> Vec<usize> {
    let outcome = read(bytes, AbsoluteConsistency);
    let mut centres: Vec<usize> =
        outcome.records.iter().flat_map(|r| [r.0 as usize, r.1 as usize]).collect();
    centres.extend((0..=bytes.len()).step_by(BLOCK_SIZE));
    let mut all: Vec<usize> = centres
        .iter()
        .flat_map(|c| c.saturating_sub(16)..(c + 16).min(bytes.len()))
        .chain((0..bytes.len()).step_by(997))
        .collect();
    all.sort_unstable();
    all.dedup();
    all
}

#[test]
fn a_log_cut_anywhere_keeps_the_records_before_the_cut() {
    for format in FORMATS {
        let (records, bytes) = sample(format);
        let ends = ends(&bytes);
        for cut in interesting(&bytes) {
            let whole = ends.iter().filter(|&&end| end <= cut).count();
            let at_end = cut == 0 || ends.contains(&cut);
            for mode in WalRecoveryMode::ALL {
                let outcome = read(&bytes[..cut], mode);
                assert!(outcome.data() == records[..whole], "{cut} {mode:?}");
                if mode.reports_torn_tail() {
                    let boundary = at_end || cut % BLOCK_SIZE == 0 && outcome.damage.is_empty();
                    assert_eq!(outcome.damage.len(), usize::from(!boundary), "{cut} {mode:?}");
                } else {
                    assert_eq!(outcome.damage, [""; 0], "{cut} {mode:?}");
                    assert!(at_end || outcome.dropped > 0 || cut % BLOCK_SIZE == 0);
                }
            }
        }
    }
}

#[test]
fn the_three_torn_tails_have_rocksdbs_texts() {
    for format in FORMATS {
        let records = [b"first".to_vec(), vec![b'x'; 50_000]];
        let bytes = write(&records, format);
        let first = format.header_len() + 5;
        let header = format.header_len();
        let cases = [
            (first + 3, "Corruption: truncated header"),
            (first - 1, "Corruption: truncated record body"),
            (first + header + 100, "Corruption: truncated record body"),
            (BLOCK_SIZE + 2, "Corruption: truncated header"),
            (BLOCK_SIZE, "Corruption: error reading trailing data due to encountering EOF"),
        ];
        for (cut, text) in cases {
            for mode in [AbsoluteConsistency, PointInTimeRecovery] {
                assert_eq!(read(&bytes[..cut], mode).damage, [text]);
            }
            for mode in [TolerateCorruptedTailRecords, SkipAnyCorruptedRecords] {
                assert_eq!(read(&bytes[..cut], mode).damage, [""; 0]);
            }
        }
    }
}

/// Whether `found` can be got from `written` by leaving some out.
fn is_subsequence(found: &[&[u8]], written: &[Vec<u8>]) -> bool {
    let mut written = written.iter();
    found.iter().all(|f| written.any(|w| w == f))
}

#[test]
fn a_flipped_bit_never_makes_a_wrong_record_and_is_noticed() {
    for format in FORMATS {
        let (records, bytes) = sample(format);
        let whole = read(&bytes, AbsoluteConsistency);
        // Inside a record, not in a trailer.
        let covered = |at: u64| whole.records.iter().any(|r| (r.0..r.1).contains(&at));
        for at in interesting(&bytes) {
            let covered = covered(at as u64);
            for bit in 0..8 {
                let mut damaged = bytes.clone();
                damaged[at] ^= 1 << bit;
                for mode in WalRecoveryMode::ALL {
                    let outcome = read(&damaged, mode);
                    let found = outcome.data();
                    assert!(is_subsequence(&found, &records), "{at} {bit} {mode:?}");
                    if !covered {
                        assert_eq!(found.len(), records.len());
                        continue;
                    }
                    assert!(found.len() < records.len(), "{at} {bit} {mode:?}");
                    if mode != SkipAnyCorruptedRecords {
                        assert!(found == records[..found.len()], "a prefix");
                    }
                    if mode.reports_torn_tail() {
                        assert!(!outcome.damage.is_empty(), "{at} {bit} {mode:?}");
                    }
                }
            }
        }
    }
}

#[test]
fn skipping_loses_no_more_than_the_damaged_block() {
    let mut random = Random::new(6);
    let records: Vec<_> = (0..400).map(|_| payload(&mut random, 500)).collect();
    for format in FORMATS {
        let bytes = write(&records, format);
        let mut damaged = bytes.clone();
        damaged[BLOCK_SIZE + 1000] ^= 1;
        let outcome = read(&damaged, SkipAnyCorruptedRecords);
        assert!(outcome.damage.contains(&"Corruption: checksum mismatch".to_string()));
        assert!(outcome.data().len() >= 400 - BLOCK_SIZE / 500 - 2);
        assert!(is_subsequence(&outcome.data(), &records));
        let last = outcome.data().len() - 1;
        assert_eq!(outcome.data()[last], records[399]);
    }
}

#[test]
fn zeros_up_to_the_end_are_reserved_space() {
    for format in FORMATS {
        let (records, bytes) = sample(format);
        let ends = ends(&bytes);
        for (i, &end) in ends.iter().enumerate() {
            for zeros in [7, 8, 11, 12, 100, BLOCK_SIZE - 1, BLOCK_SIZE, 3 * BLOCK_SIZE + 5] {
                let mut file = bytes[..end].to_vec();
                file.resize(end + zeros, 0);
                for mode in WalRecoveryMode::ALL {
                    let outcome = read(&file, mode);
                    assert!(outcome.data() == records[..=i]);
                    // Less than a header of zeros at the very end is a torn header.
                    let torn = zeros < 12 && mode.reports_torn_tail();
                    assert!(outcome.damage.is_empty() || torn, "{end} {zeros} {mode:?}");
                }
            }
        }
    }
}

#[test]
fn zeros_inside_a_fragmented_record_are_a_torn_tail() {
    for format in FORMATS {
        let bytes = write(&[b"a".to_vec(), vec![b'x'; 50_000]], format);
        let mut file = bytes[..BLOCK_SIZE].to_vec();
        file.resize(3 * BLOCK_SIZE, 0);
        for mode in WalRecoveryMode::ALL {
            let outcome = read(&file, mode);
            assert_eq!(outcome.data(), [b"a"]);
            let text = match mode {
                TolerateCorruptedTailRecords => None,
                SkipAnyCorruptedRecords => Some("Corruption: error in middle of record"),
                _ => Some("Corruption: error reading trailing data due to encountering EOF"),
            };
            assert_eq!(outcome.damage, text.into_iter().collect::<Vec<_>>());
        }
    }
}

#[test]
fn zeros_with_data_behind_them_end_the_log() {
    let mut random = Random::new(7);
    let records: Vec<_> = (0..300).map(|_| payload(&mut random, 1000)).collect();
    for format in FORMATS {
        let bytes = write(&records, format);
        let outcome = read(&bytes, AbsoluteConsistency);
        // From the start of a record in the second block on: some of the block, to its end, more.
        let (start, kept) = outcome
            .records
            .iter()
            .enumerate()
            .find(|(_, r)| r.0 as usize > BLOCK_SIZE + 9000)
            .map(|(i, r)| (r.0 as usize, i))
            .unwrap();
        for end in [start + 4096, 2 * BLOCK_SIZE, 3 * BLOCK_SIZE, 3 * BLOCK_SIZE + 4096] {
            let mut file = bytes.clone();
            file[start..end].fill(0);
            for mode in WalRecoveryMode::ALL {
                let outcome = read(&file, mode);
                match mode {
                    TolerateCorruptedTailRecords => {
                        assert!(outcome.data() == records[..kept]);
                        assert!(outcome.damage.is_empty() && outcome.dropped > 0);
                    }
                    SkipAnyCorruptedRecords => {
                        assert!(outcome.data().len() > kept + 100);
                        assert!(is_subsequence(&outcome.data(), &records));
                    }
                    _ => {
                        assert!(outcome.data() == records[..kept]);
                        assert_eq!(outcome.damage, ["Corruption: zeros inside the log"]);
                    }
                }
            }
            let options =
                LogReaderOptions { log_number: LOG_NUMBER, ..LogReaderOptions::for_manifest() };
            let outcome = read_with(&file, options);
            assert_eq!(outcome.damage, ["Corruption: zeros inside the log"]);
        }
    }
}

/// The first complaint about these fragments, and the records that came back.
fn complaint(fragments: &[Vec<u8>], mode: WalRecoveryMode) -> (Option<String>, Vec<Vec<u8>>) {
    let outcome = read(&fragments.concat(), mode);
    let records = outcome.records.iter().map(|r| r.2.clone()).collect();
    (outcome.damage.into_iter().next(), records)
}

#[test]
fn fragments_out_of_order_are_reported_in_rocksdbs_words() {
    let f = |kind, payload: &[u8]| fragment(kind, None, payload);
    let cases = [
        (vec![f(2, b"a"), f(1, b"b")], "partial record without end(1)"),
        (vec![f(2, b"a"), f(2, b"b"), f(4, b"c")], "partial record without end(2)"),
        (vec![f(3, b"a"), f(1, b"b")], "missing start of fragmented record(1)"),
        (vec![f(4, b"a"), f(1, b"b")], "missing start of fragmented record(2)"),
        (vec![f(12, b"a"), f(1, b"b")], "unknown record type 12"),
        (vec![f(0, b"a"), f(1, b"b")], "unknown record type 0"),
        (vec![f(2, b"a"), f(0x60, b""), f(4, b"c")], "unknown record type 96"),
        (
            vec![f(2, b"a"), f(10, b""), f(4, b"b")],
            "user-defined timestamp size record interspersed partial record",
        ),
        (vec![f(2, b"a"), f(130, &[0; 24]), f(4, b"b")], "error in middle of record"),
        (vec![f(10, &[0; 5])], "could not decode user-defined timestamp size record"),
        (
            vec![f(10, &[1, 0, 0, 0, 0, 0])],
            "User-defined timestamp size record contains zero timestamp size.",
        ),
        (
            vec![f(10, &[1, 0, 0, 0, 8, 0]), f(10, &[1, 0, 0, 0, 8, 0])],
            "User-defined timestamp size record contains update to recorded column family.",
        ),
        (vec![f(130, &[0; 23])], "could not decode PredecessorWALInfoType record"),
        (vec![f(9, &[7, 0, 0])], "could not decode SetCompressionType record"),
        (vec![f(9, &[4, 0, 0, 0])], "could not decode SetCompressionType record"),
        (vec![f(1, b"a"), f(9, &[7, 0, 0, 0])], "SetCompressionType not the first record"),
    ];
    for (fragments, text) in cases {
        for mode in WalRecoveryMode::ALL {
            let (complaint, _) = complaint(&fragments, mode);
            assert_eq!(complaint, Some(format!("Corruption: {text}")), "{mode:?}");
        }
    }
}

#[test]
fn what_may_be_ignored_is_ignored() {
    let f = |kind, payload: &[u8]| fragment(kind, None, payload);
    for mode in WalRecoveryMode::ALL {
        for kind in [128, 129, 132, 133, 134, 135, 136, 137, 255] {
            let (text, records) = complaint(&[f(kind, b"new"), f(1, b"b")], mode);
            assert_eq!((text, records), (None, vec![b"b".to_vec()]), "{kind}");
        }
        // An empty first fragment, as early writers left at block ends.
        let (text, records) = complaint(&[f(2, b""), f(2, b"a"), f(4, b"b")], mode);
        assert_eq!((text, records), (None, vec![b"ab".to_vec()]));
        let (text, records) = complaint(&[f(2, b""), f(1, b"b")], mode);
        assert_eq!((text, records), (None, vec![b"b".to_vec()]));
    }
}

#[test]
fn a_record_is_never_joined_across_an_interruption() {
    let f = |kind, payload: &[u8]| fragment(kind, None, payload);
    for between in [f(10, b""), f(130, &[0; 24]), f(12, b""), f(200, b"")] {
        let fragments = [f(2, b"a"), between, f(3, b"b"), f(4, b"c"), f(1, b"d")];
        let (_, records) = complaint(&fragments, SkipAnyCorruptedRecords);
        assert_eq!(records, [b"d".to_vec()]);
    }
}

#[test]
fn formats_do_not_mix() {
    let legacy = fragment(1, None, b"legacy");
    let recyclable = fragment(5, Some(LOG_NUMBER), b"recyclable");
    let text = "Corruption: recyclable record in a log that is not recycled".to_string();
    for mode in WalRecoveryMode::ALL {
        let (complaint, records) = complaint(&[legacy.clone(), recyclable.clone()], mode);
        assert_eq!((complaint, records), (Some(text.clone()), vec![b"legacy".to_vec()]));
        let outcome = read(&[recyclable.clone(), legacy.clone()].concat(), mode);
        assert_eq!(outcome.data(), [b"recyclable"]);
        assert_eq!(outcome.old_records, usize::from(mode == PointInTimeRecovery));
        assert!(outcome.damage.is_empty());
    }
}

#[test]
fn bad_lengths_and_checksums_are_named() {
    let mut records = vec![vec![b'x'; 100]; 1000];
    records[0] = b"first".to_vec();
    let bytes = write(&records, LogFormat::Legacy);
    let mut long = bytes.clone();
    long[4..6].copy_from_slice(&[0xff, 0xff]);
    let mut wrong = bytes.clone();
    wrong[8] ^= 1;
    for mode in WalRecoveryMode::ALL {
        assert_eq!(read(&long, mode).damage[0], "Corruption: bad record length");
        assert_eq!(read(&wrong, mode).damage[0], "Corruption: checksum mismatch");
        let options =
            LogReaderOptions { verify_checksums: false, ..LogReaderOptions::for_wal(1, mode) };
        assert_eq!(read_with(&wrong, options).records.len(), 1000);
    }
}

#[test]
fn damaged_records_of_compressed_logs_are_reported() {
    let zstd = fragment(9, None, &[7, 0, 0, 0]);
    let cases = [
        ([zstd.clone(), fragment(1, None, b"x")].concat(), "could not uncompress a record"),
        ([zstd.clone(), zstd.clone()].concat(), "read multiple SetCompressionType records"),
        (fragment(9, None, &[4, 0, 0, 0]), "could not decode SetCompressionType record"),
        (fragment(9, None, &[7, 0]), "could not decode SetCompressionType record"),
    ];
    for (file, text) in cases {
        for mode in WalRecoveryMode::ALL {
            let outcome = read(&file, mode);
            assert!(outcome.records.is_empty());
            assert!(outcome.damage[0].contains(text), "{:?}", outcome.damage);
        }
    }
    // The record behind a damaged one is there for those who go on.
    let good = write_compressed(&[b"good".to_vec()], LogFormat::Legacy);
    let behind = [zstd.clone(), fragment(1, None, b"x"), good[zstd.len()..].to_vec()].concat();
    let outcome = read(&behind, WalRecoveryMode::SkipAnyCorruptedRecords);
    assert_eq!((outcome.data(), outcome.damage.len()), (vec![&b"good"[..]], 1));
}

#[test]
fn the_predecessor_is_compared_unless_damage_is_skipped() {
    let info = PredecessorWalInfo { log_number: 6, size_bytes: 1000, last_sequence: 77 };
    let file = [fragment(130, None, &info.encode()), fragment(1, None, b"x")].concat();
    let check = |observed, min_log_to_keep| {
        WalRecoveryMode::ALL.map(|mode| {
            let mut options = LogReaderOptions::for_wal(LOG_NUMBER, mode);
            options.predecessor = Some(PredecessorCheck { observed, min_log_to_keep });
            read_with(&file, options).damage.concat()
        })
    };
    let expect = |found: [String; 4], text: &str| {
        let text = if text.is_empty() { String::new() } else { format!("Corruption: {text}") };
        assert_eq!(found, [&text[..], &text, &text, ""]);
    };
    expect(check(Some(info), 0), "");
    expect(check(None, 7), "");
    expect(check(None, 6), "Missing WAL of log number 6");
    expect(
        check(Some(PredecessorWalInfo { log_number: 5, ..info }), 0),
        "Mismatched predecessor log number of WAL file /db/000007.log Recorded 6. Observed 5",
    );
    expect(
        check(Some(PredecessorWalInfo { last_sequence: 0, ..info }), 0),
        "Mismatched last sequence number recorded in the WAL of log number 6. Recorded 77. \
         Observed 0. (Last sequence number equal to 0 indicates no WAL records)",
    );
    expect(
        check(Some(PredecessorWalInfo { size_bytes: 999, ..info }), 0),
        "Mismatched size of the WAL of log number 6. Recorded 1000 bytes. Observed 999 bytes.",
    );
}

#[test]
fn an_unreadable_file_is_an_error_in_every_mode() {
    let (records, bytes) = sample(LogFormat::Legacy);
    for mode in WalRecoveryMode::ALL {
        let file = Source { bytes: bytes.clone(), at: 0, fail_at: BLOCK_SIZE };
        let mut reader =
            LogReader::new(Box::new(file), LogReaderOptions::for_wal(LOG_NUMBER, mode));
        let mut found = 0;
        let error = loop {
            match reader.read_record(&mut StopAtDamage) {
                Ok(record) => assert_eq!(record.unwrap().data, records[found]),
                Err(status) => break status,
            }
            found += 1;
        };
        assert_eq!(found, 3);
        assert_eq!(error.to_string(), "IO error: unreadable");
    }
}

#[test]
fn garbage_never_panics_hangs_or_yields_a_record() {
    let mut random = Random::from_env(8);
    for _ in 0..2000 {
        let len = random.below(3000) as usize;
        let mut bytes = random.bytes(len);
        if random.one_in(2) {
            bytes.iter_mut().for_each(|b| *b %= 12);
        }
        if random.one_in(10) {
            bytes.resize(BLOCK_SIZE + len, 0);
            bytes.extend_from_within(..len);
        }
        for mode in WalRecoveryMode::ALL {
            assert!(read(&bytes, mode).records.is_empty());
        }
    }
}
