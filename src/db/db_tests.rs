use super::{BatchKey, Db, Family, FamilyOptions, OpenRequest, open};
use crate::base::comparator::Comparator;
use crate::base::random::Random;
use crate::base::status::{Code, Result};
use crate::base::sync::Arc;
use crate::batch::WriteBatch;
use crate::env::Env;
use crate::env::file_system::write_file;
use crate::env::rate_limiter::{IoPriority, RateLimiter, RateLimiterMode, RateLimiterOptions};
use crate::options::{CfOptions, DbOptions, FlushOptions, ReadOptions, WriteOptions};
use crate::read::get::FoundValue;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

/// A database on the memory file system that can be closed and opened again.
pub struct TestDb {
    pub db: DbOptions,
    pub cf: CfOptions,
    pub names: Vec<&'static str>,
    pub path: PathBuf,
    open: Option<(Arc<Db>, Vec<Arc<Family>>)>,
}

impl TestDb {
    pub fn new() -> TestDb {
        let db = DbOptions {
            create_if_missing: true,
            create_missing_column_families: true,
            env: Env::memory(),
            ..DbOptions::default()
        };
        let cf = CfOptions { write_buffer_size: 64 << 10, ..CfOptions::default() };
        TestDb { db, cf, names: vec!["default"], path: PathBuf::from("/db"), open: None }
    }

    pub fn try_open(&mut self) -> Result<()> {
        let family = |name: &&str| FamilyOptions {
            name: name.as_bytes().to_vec(),
            options: self.cf.clone(),
        };
        self.open = Some(open(OpenRequest {
            path: self.path.clone(),
            options: self.db.clone(),
            families: self.names.iter().map(family).collect(),
            read_only: false,
            error_if_wal_file_exists: false,
        })?);
        Ok(())
    }

    pub fn reopen(&mut self) {
        self.close();
        self.try_open().unwrap();
    }

    pub fn close(&mut self) {
        if let Some((db, _)) = self.open.take() {
            db.close().unwrap();
        }
    }

    pub fn db(&self) -> &Arc<Db> {
        &self.open.as_ref().unwrap().0
    }

    pub fn family(&self, index: usize) -> &Arc<Family> {
        &self.open.as_ref().unwrap().1[index]
    }

    pub fn put(&self, key: &str, value: &str) -> Result<()> {
        let fill = |batch: &mut WriteBatch| batch.put(0, key.as_bytes(), value.as_bytes());
        self.db().write_lone(&WriteOptions::default(), fill)
    }

    pub fn get(&self, key: &str) -> Option<String> {
        let found =
            self.db().get_pinned(self.family(0), &ReadOptions::default(), key.as_bytes()).unwrap();
        found.map(|value| String::from_utf8(value.as_slice().to_vec()).unwrap())
    }

    pub fn flush(&self) {
        let families = self.open.as_ref().unwrap().1.clone();
        self.db().flush(&families, &FlushOptions::default()).unwrap();
    }

    pub fn contents(&self, index: usize) -> Vec<(Vec<u8>, Vec<u8>)> {
        let mut iter = self.db().iter(self.family(index), &ReadOptions::default()).unwrap();
        let mut contents = Vec::new();
        iter.seek_to_first();
        while iter.valid() {
            contents.push((iter.key().to_vec(), iter.value().to_vec()));
            iter.next();
        }
        iter.status().unwrap();
        contents
    }
}

#[test]
fn what_is_written_is_read_before_and_after_flush_and_reopening() {
    let mut test = TestDb::new();
    test.reopen();
    test.put("a", "1").unwrap();
    test.put("b", "2").unwrap();
    assert_eq!(test.get("a").as_deref(), Some("1"));
    test.reopen();
    assert_eq!(test.get("b").as_deref(), Some("2"));
    test.flush();
    test.put("a", "3").unwrap();
    assert_eq!(test.get("a").as_deref(), Some("3"));
    assert_eq!(test.get("b").as_deref(), Some("2"));
    test.reopen();
    assert_eq!(test.get("a").as_deref(), Some("3"));
    assert_eq!(test.get("c"), None);
    test.close();
}

#[test]
fn few_tables_are_open_at_a_time() {
    let mut test = TestDb::new();
    test.db.max_open_files = 1;
    test.db.table_cache_numshardbits = 0;
    test.cf.disable_auto_compactions = true;
    test.reopen();
    for i in 0..40 {
        test.put(&format!("{i:02}"), "v").unwrap();
        test.flush();
    }
    let limit = test.db().context.open_tables.clone().unwrap();
    for round in 0..2 {
        for i in 0..40 {
            assert_eq!(test.get(&format!("{i:02}")).as_deref(), Some("v"));
            assert!((1..=10).contains(&limit.count()), "{}", limit.count());
        }
        // An iterator keeps what it reads open beyond the limit.
        assert_eq!(test.contents(0).len(), 40);
        assert!(test.family(0).persistent.current().all_files().all(|(_, f)| f.reader().is_none()));
        if round == 0 {
            test.reopen();
        }
    }
    let limit = test.db().context.open_tables.clone().unwrap();
    let count = limit.count();
    let number = test.family(0).persistent.current().files(0)[0].number;
    test.get("39");
    limit.forget(number);
    assert_eq!(limit.count(), count.min(9));
}

#[test]
fn agrees_with_a_model_over_flushes_reopenings_and_families() {
    let mut random = Random::from_env(21);
    for comparator in [Comparator::Bytewise, Comparator::ReverseBytewise] {
        let mut test = TestDb::new();
        test.cf.comparator = comparator.clone();
        test.names = vec!["default", "other"];
        test.reopen();
        let mut models = [BTreeMap::new(), BTreeMap::new()];
        for step in 0..3000 {
            let mut batch = WriteBatch::new();
            for _ in 0..1 + random.below(4) {
                let cf = random.below(2) as usize;
                let key = format!("key{:03}", random.below(400)).into_bytes();
                if random.one_in(4) {
                    batch.delete(cf as u32, &key).unwrap();
                    models[cf].remove(&key);
                } else {
                    let len = random.below(200) as usize;
                    let value = random.bytes(len);
                    batch.put(cf as u32, &key, &value).unwrap();
                    models[cf].insert(key, value);
                }
            }
            test.db().write(&WriteOptions::default(), &mut batch).unwrap();
            match random.below(400) {
                0 => test.flush(),
                1 => test.reopen(),
                _ => {}
            }
            if step % 500 == 0 {
                for (cf, model) in models.iter().enumerate() {
                    let mut expected: Vec<_> = model.clone().into_iter().collect();
                    if !comparator.is_bytewise() {
                        expected.reverse();
                    }
                    assert_eq!(test.contents(cf), expected, "family {cf} at step {step}");
                }
            }
        }
        test.close();
    }
}

#[test]
fn a_kept_log_is_continued_though_tables_hold_newer_unlogged_writes() {
    let mut test = TestDb::new();
    test.names.push("unlogged");
    test.db.avoid_flush_during_recovery = true;
    test.db.avoid_flush_during_shutdown = true;
    test.try_open().unwrap();
    test.put("kept", "1").unwrap();
    let id = test.family(1).id();
    let unlogged = WriteOptions { disable_wal: true, ..WriteOptions::default() };
    test.db().write_lone(&unlogged, |batch| batch.put(id, b"key", b"value")).unwrap();
    test.db().flush(&[test.family(1).clone()], &FlushOptions::default()).unwrap();
    test.reopen();
    test.put("later", "2").unwrap();
    test.reopen();
    assert_eq!(test.get("kept").as_deref(), Some("1"));
    assert_eq!(test.get("later").as_deref(), Some("2"));
}

#[test]
fn a_log_stays_while_the_manifest_asks_for_it() {
    let mut test = TestDb::new();
    test.names.push("second");
    test.cf.min_write_buffer_number_to_merge = 2;
    test.cf.max_write_buffer_number = 4;
    test.try_open().unwrap();
    let put_second = |key: &[u8]| {
        let id = test.family(1).id();
        let fill = |batch: &mut WriteBatch| batch.put(id, key, b"value");
        test.db().write_lone(&WriteOptions::default(), fill).unwrap();
    };
    let flush = |index: usize| {
        test.db().flush(&[test.family(index).clone()], &FlushOptions::default()).unwrap();
    };
    // One full memtable of the first family waits for another before both are flushed.
    test.put("large", &"x".repeat(100 << 10)).unwrap();
    // In a log between the one that the first family needs and the one that it needs later.
    put_second(b"before");
    flush(1);
    put_second(b"after");
    flush(0);
    test.reopen();
    for key in [&b"before"[..], b"after"] {
        let found = test.db().get_pinned(test.family(1), &ReadOptions::default(), key).unwrap();
        assert_eq!(found.map(|v| v.as_slice().to_vec()).as_deref(), Some(&b"value"[..]));
    }
}

#[test]
fn the_log_limit_flushes_a_memtable_that_waits_for_a_second_one() {
    let mut test = TestDb::new();
    test.cf.write_buffer_size = 128 << 10;
    test.cf.max_write_buffer_number = 6;
    test.cf.min_write_buffer_number_to_merge = 3;
    test.db.max_total_wal_size = 200 << 10;
    test.reopen();
    let value = "v".repeat(1000);
    for i in 0..280 {
        test.put(&format!("key{i:03}"), &value).unwrap();
    }
    // 280 KB fill two memtables only, so it is the limit that has them flushed.
    let start = std::time::Instant::now();
    while test.family(0).pin().version.num_files() == 0 {
        assert!(start.elapsed().as_secs() < 30, "nothing is flushed");
        std::thread::sleep(std::time::Duration::from_millis(1));
    }
    assert_eq!(test.contents(0).len(), 280);
    test.close();
}

#[test]
fn codecs_that_are_not_here_are_refused() {
    let mut test = TestDb::new();
    test.cf.compression = crate::codec::CompressionType::Xpress;
    let refused = test.try_open().unwrap_err();
    let text = "Invalid argument: Compression type Xpress is not linked with the binary.";
    assert_eq!(refused.to_string(), text);
}

#[test]
fn a_log_folder_that_is_gone_refuses_a_read_only_open() {
    let mut test = TestDb::new();
    test.reopen();
    test.close();
    test.db.wal_dir = "/gone".into();
    let family = FamilyOptions { name: b"default".to_vec(), options: test.cf.clone() };
    let refused = open(OpenRequest {
        path: PathBuf::from("/db"),
        options: test.db.clone(),
        families: vec![family],
        read_only: true,
        error_if_wal_file_exists: false,
    });
    assert_eq!(refused.err().unwrap().to_string(), "Invalid argument: wal_dir not found: /gone");
}

#[test]
fn the_rate_limiter_hears_of_every_byte_of_a_flush() {
    let limiter = Arc::new(RateLimiter::new(RateLimiterOptions {
        rate: 1 << 30,
        refill_period: Duration::from_millis(100),
        fairness: 10,
        mode: RateLimiterMode::WritesOnly,
        auto_tuned: false,
    }));
    let mut test = TestDb::new();
    test.db.rate_limiter = Some(limiter.clone());
    test.reopen();
    test.put("a", "1").unwrap();
    test.flush();
    let written = test.family(0).pin().version.bytes();
    assert_eq!(limiter.granted(IoPriority::High), written);
    test.close();
}

#[test]
fn files_with_numbers_that_no_database_hands_out_are_left_alone() {
    let foreign =
        ["18446744073709551615.log", "4611686018427387902.sst", "4611686018427387901.log"];
    for keep_logs in [false, true] {
        let mut test = TestDb::new();
        test.db.avoid_flush_during_recovery = keep_logs;
        test.db.avoid_flush_during_shutdown = true;
        test.try_open().unwrap();
        for name in foreign {
            write_file(&**test.db.env.fs(), &test.path.join(name), b"", false).unwrap();
        }
        for round in 0..4 {
            test.put(&format!("{round}"), "v").unwrap();
            test.reopen();
            assert_eq!(test.contents(0).len(), round + 1);
        }
        let names = test.db.env.fs().list(&test.path).unwrap();
        assert!(foreign.iter().all(|name| names.contains(&name.to_string())), "{names:?}");
        test.close();
    }
}

#[test]
fn damage_in_a_memtable_is_no_answer_and_is_not_flushed() {
    let mut test = TestDb::new();
    test.cf.memtable_protection_bytes_per_key = 8;
    test.reopen();
    for key in ["a", "b", "c"] {
        test.put(key, "v").unwrap();
    }
    test.family(0).pin().mem.damage(b"b", 11);
    let (db, family, options) = (test.db(), test.family(0), ReadOptions::default());
    let get = |key: &[u8]| db.get_pinned(family, &options, key).map(|value| value.is_some());
    assert!(get(b"a").unwrap() && get(b"c").unwrap());
    assert_eq!(get(b"b").err().map(|error| error.code()), Some(Code::Corruption));
    let keys = [&b"a"[..], b"b", b"c"];
    let keys = keys.iter().enumerate().map(|(index, key)| BatchKey { index, family, key });
    let mut found = Vec::new();
    db.multi_get::<FoundValue>(&options, keys.collect(), true, |at, value| {
        found.push((at, value.map(|value| value.is_some()).map_err(|error| error.code())));
    });
    found.sort_by_key(|(at, _)| *at);
    assert_eq!(found, [(0, Ok(true)), (1, Err(Code::Corruption)), (2, Ok(true))]);
    let mut iter = db.iter(family, &options).unwrap();
    iter.seek_to_first();
    iter.next();
    assert!(!iter.valid() && iter.status().is_err());
    drop(iter);
    let error = db.flush(std::slice::from_ref(family), &FlushOptions::default()).unwrap_err();
    assert!(error.to_string().contains("per key-value checksum"), "{error}");
    assert_eq!(family.persistent.current().num_files(), 0);
    // The log is sound.
    test.reopen();
    assert_eq!(test.get("b").as_deref(), Some("v"));
}
