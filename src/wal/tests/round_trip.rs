//! What was written comes back.

use super::*;

/// Both formats, all modes: `records` come back without complaint, at the right offsets.
fn check_round_trip(records: &[Vec<u8>]) {
    for format in FORMATS {
        let bytes = write(records, format);
        for mode in WalRecoveryMode::ALL {
            let outcome = read(&bytes, mode);
            assert!(outcome.data() == records, "{format:?} {mode:?}");
            assert!(outcome.damage.is_empty(), "{:?}", outcome.damage);
            assert_eq!((outcome.old_records, outcome.dropped), (0, 0));
            assert_eq!(outcome.records.last().map_or(0, |r| r.1), bytes.len() as u64);
            let mut before = 0;
            for (offset, end, data) in &outcome.records {
                // Only a trailer may lie between two records.
                assert!(*offset - before < format.header_len() as u64);
                assert!(end - offset >= (data.len() + format.header_len()) as u64);
                before = *end;
            }
        }
    }
}

#[test]
fn a_small_log_has_the_documented_bytes() {
    let legacy = write(&[b"foo".to_vec(), Vec::new()], LogFormat::Legacy);
    assert_eq!(legacy, [fragment(1, None, b"foo"), fragment(1, None, b"")].concat());
    assert_eq!(legacy.len(), 3 + 2 * HEADER_LEN);
    let recyclable = write(&[b"foo".to_vec()], LogFormat::Recyclable);
    assert_eq!(recyclable, fragment(5, Some(7), b"foo"));
    assert_eq!(recyclable.len(), 3 + RECYCLABLE_HEADER_LEN);
}

#[test]
fn records_round_trip_at_every_distance_from_a_block_end() {
    let mut random = Random::from_env(1);
    for left in 0..40 {
        for len in [0, 1, 3, 20, 33, BLOCK_SIZE - 11, BLOCK_SIZE - 7, BLOCK_SIZE, 70_000] {
            for header_len in [HEADER_LEN, RECYCLABLE_HEADER_LEN] {
                let first = payload(&mut random, BLOCK_SIZE - header_len - left);
                check_round_trip(&[first, payload(&mut random, len), b"end".to_vec()]);
            }
        }
    }
}

#[test]
fn compressed_records_round_trip() {
    let mut random = Random::from_env(5);
    let lens = [1, 20, 5000, BLOCK_SIZE - 11, 3 * BLOCK_SIZE, 700_000, 3];
    let mut records: Vec<Vec<u8>> = lens.iter().map(|&len| payload(&mut random, len)).collect();
    // What cannot be made smaller fills several blocks.
    records.push((0..100_000).map(|_| random.next_u64() as u8).collect());
    for format in FORMATS {
        let bytes = write_compressed(&records, format);
        assert!(bytes.len() < 400_000 && bytes.starts_with(&fragment(9, None, &[7, 0, 0, 0])));
        for mode in WalRecoveryMode::ALL {
            let outcome = read(&bytes, mode);
            assert!(outcome.data() == records, "{format:?} {mode:?}: {:?}", outcome.damage);
            assert!(outcome.damage.is_empty());
        }
        // A torn one is as good as none.
        let outcome =
            read(&bytes[..bytes.len() - 1], WalRecoveryMode::TolerateCorruptedTailRecords);
        assert!(outcome.data() == records[..records.len() - 1]);
    }
}

#[test]
fn records_of_random_lengths_in_random_parts_round_trip() {
    let mut random = Random::from_env(2);
    for format in FORMATS {
        let mut records = Vec::new();
        let sink = Sink::default();
        let mut writer = LogWriter::new(Box::new(sink.clone()), LOG_NUMBER, format);
        for _ in 0..400 {
            let magnitude = random.below(18);
            let len = random.below(1 << magnitude) as usize;
            let record = payload(&mut random, len);
            let mut parts = Vec::new();
            let mut rest = &record[..];
            while !rest.is_empty() || random.one_in(3) {
                let (part, behind) = rest.split_at(random.below(rest.len() as u64 + 1) as usize);
                parts.push(part);
                rest = behind;
            }
            writer.add_record(&parts).unwrap();
            records.push(record);
            if random.one_in(20) {
                // Goes on where another writer ended.
                assert_eq!(writer.size(), sink.bytes().len() as u64);
                writer = LogWriter::new(Box::new(sink.clone()), LOG_NUMBER, format);
            }
        }
        assert_eq!(sink.written.lock().unwrap().appends, records.len(), "one append a record");
        let bytes = sink.bytes();
        for mode in WalRecoveryMode::ALL {
            let outcome = read(&bytes, mode);
            assert!(outcome.data() == records);
            assert!(outcome.damage.is_empty());
        }
    }
}

#[test]
fn a_record_may_be_empty_or_have_no_parts() {
    let sink = Sink::default();
    let mut writer = LogWriter::new(Box::new(sink.clone()), LOG_NUMBER, LogFormat::Legacy);
    writer.add_record(&[]).unwrap();
    writer.add_record(&[b"", b""]).unwrap();
    let outcome = read(&sink.bytes(), WalRecoveryMode::AbsoluteConsistency);
    assert_eq!(outcome.data(), [b"", b""]);
}

#[test]
fn records_about_the_log_do_not_disturb_the_others() {
    let mut random = Random::from_env(3);
    let info = PredecessorWalInfo { log_number: 6, size_bytes: 1000, last_sequence: 77 };
    let many: Vec<(u32, u16)> = (0..6000).map(|cf| (cf, 8)).collect();
    for format in FORMATS {
        // From no room at all to room enough in the first block for each of the records.
        for left in (0..80).chain([600, 20_000]) {
            let sink = Sink::default();
            let mut writer = LogWriter::new(Box::new(sink.clone()), LOG_NUMBER, format);
            let first = payload(&mut random, BLOCK_SIZE - format.header_len() - left);
            writer.add_record(&[&first]).unwrap();
            writer.add_predecessor_info(&info).unwrap();
            writer.add_record(&[b"second"]).unwrap();
            writer.add_timestamp_sizes(&many).unwrap();
            writer.add_record(&[b"third"]).unwrap();
            for mode in WalRecoveryMode::ALL {
                let mut options = LogReaderOptions::for_wal(LOG_NUMBER, mode);
                options.predecessor =
                    Some(PredecessorCheck { observed: Some(info), min_log_to_keep: 0 });
                let bytes = sink.bytes();
                let outcome = read_with(&bytes, options);
                assert_eq!(outcome.damage, [""; 0]);
                assert!(outcome.data() == [&first[..], b"second", b"third"], "{left} {mode:?}");
                let mut reader = LogReader::new(source(&bytes), options);
                while reader.read_record(&mut StopAtDamage).unwrap().is_some() {}
                assert_eq!(reader.timestamp_sizes().len(), many.len());
                assert_eq!(reader.timestamp_sizes()[&5999], 8);
            }
        }
    }
}

#[test]
fn a_writer_that_failed_stays_failed() {
    for by_sync in [false, true] {
        let sink = Sink::default();
        let mut writer = LogWriter::new(Box::new(sink.clone()), 1, LogFormat::Legacy);
        writer.add_record(&[b"a"]).unwrap();
        writer.sync(false).unwrap();
        writer.sync(true).unwrap();
        assert_eq!(sink.written.lock().unwrap().syncs, 2);
        sink.written.lock().unwrap().fail = true;
        let result = if by_sync { writer.sync(false) } else { writer.add_record(&[b"b"]) };
        assert!(result.is_err());
        sink.written.lock().unwrap().fail = false;
        let text = "IO error: Seen error. Skip writing buffer.";
        assert_eq!(writer.add_record(&[b"c"]).unwrap_err().to_string(), text);
        assert_eq!(writer.sync(false).unwrap_err().to_string(), text);
        writer.close().unwrap();
    }
}

#[test]
fn what_a_recycled_file_held_before_is_never_returned() {
    let mut random = Random::from_env(4);
    for round in 0..300 {
        let old_format = FORMATS[round % 2];
        let old_records: Vec<_> = (0..20)
            .map(|_| {
                let len = random.below(9000) as usize;
                payload(&mut random, len)
            })
            .collect();
        let old = {
            let sink = Sink::default();
            let mut writer = LogWriter::new(Box::new(sink.clone()), 3, old_format);
            old_records.iter().for_each(|r| writer.add_record(&[r]).unwrap());
            sink.bytes()
        };
        // Half of the time records of the same lengths, so that the old ones stay aligned.
        let new_records: Vec<_> = (0..random.below(15) as usize)
            .map(|i| {
                let len = old_records[i].len();
                let len = if random.one_in(2) { len } else { random.below(9000) as usize };
                payload(&mut random, len)
            })
            .collect();
        let new = write(&new_records, LogFormat::Recyclable);
        let mut file = new.clone();
        file.extend_from_slice(old.get(new.len()..).unwrap_or(&[]));
        for mode in WalRecoveryMode::ALL {
            let outcome = read(&file, mode);
            let legacy_start = old_format == LogFormat::Legacy && new.is_empty();
            if !legacy_start {
                assert!(outcome.data() == new_records, "{round} {mode:?}");
            }
            if mode == WalRecoveryMode::TolerateCorruptedTailRecords && !legacy_start {
                assert!(outcome.damage.is_empty(), "{:?}", outcome.damage);
            }
        }
    }
}

#[test]
fn records_are_held_back_whole_until_there_are_enough() {
    let records: Vec<_> = (0..100u8).map(|i| vec![i; 1 + usize::from(i) * 37]).collect();
    let sink = Sink::default();
    let mut writer = LogWriter::new(Box::new(sink.clone()), LOG_NUMBER, LogFormat::Legacy);
    writer.set_buffer_limit(10_000);
    writer.flush().unwrap();
    assert_eq!(sink.written.lock().unwrap().appends, 0);
    for (written, record) in records.iter().enumerate() {
        writer.add_record(&[record]).unwrap();
        assert!(writer.size() - writer.flushed_size() < 10_000);
        assert_eq!(writer.flushed_size(), sink.bytes().len() as u64);
        let found = read(&sink.bytes(), WalRecoveryMode::AbsoluteConsistency);
        assert!(found.damage.is_empty() && found.data() == records[..found.data().len()]);
        assert!(found.data().len() <= written + 1);
    }
    let appends = sink.written.lock().unwrap().appends;
    assert!(appends > 10 && appends < 30, "{appends}");
    writer.sync(false).unwrap();
    assert_eq!(writer.size(), writer.flushed_size());
    assert_eq!(sink.bytes(), write(&records, LogFormat::Legacy));
}

#[test]
fn what_was_held_back_when_the_file_failed_is_gone() {
    let sink = Sink::default();
    let mut writer = LogWriter::new(Box::new(sink.clone()), 1, LogFormat::Legacy);
    writer.set_buffer_limit(1000);
    writer.add_record(&[b"a"]).unwrap();
    sink.written.lock().unwrap().fail = true;
    assert!(writer.flush().is_err());
    sink.written.lock().unwrap().fail = false;
    assert!(writer.add_record(&[b"b"]).is_err());
    writer.flush().unwrap();
    assert!(sink.bytes().is_empty());
}
