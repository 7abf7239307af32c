use super::*;
use crate::base::random::Random;
use crate::base::sync::{AtomicUsize, thread};
use crate::env::file_system::{read_file, write_file};
use crate::env::posix::PosixFileSystem;

fn read(fs: &dyn FileSystem, path: &str) -> Vec<u8> {
    read_file(fs, Path::new(path), 1 << 30).unwrap()
}

fn exists(fs: &dyn FileSystem, path: &str) -> bool {
    fs.exists(Path::new(path)).unwrap()
}

fn sync_dir(fs: &dyn FileSystem, path: &str) {
    fs.open_dir(Path::new(path)).unwrap().sync().unwrap();
}

fn names_in(fs: &dyn FileSystem, dir: &str) -> Vec<String> {
    let mut names = fs.list(Path::new(dir)).unwrap();
    names.sort();
    names
}

fn random_path(rng: &mut Random, root: &Path) -> PathBuf {
    let dirs = ["", "d", "e", "d/d", "missing"];
    let files = ["a", "b", "c", "d", "e"];
    let dir_count = if rng.one_in(10) { 5 } else { 4 };
    let dir = dirs[rng.below(dir_count) as usize];
    root.join(dir).join(files[rng.below(5) as usize])
}

/// The result of one random operation as text; the same for every right file system.
fn random_operation(fs: &dyn FileSystem, rng: &mut Random, root: &Path) -> String {
    fn show<T: std::fmt::Debug>(result: Result<T>) -> String {
        match result {
            Ok(value) => format!("{value:?}"),
            Err(status) => status.to_string(),
        }
    }
    let operation = rng.below(16);
    let (path, other) = (random_path(rng, root), random_path(rng, root));
    let number = rng.below(2000);
    let is_dir = fs.open_dir(&path).is_ok();
    let result = match operation {
        0..=2 => show(fs.create(&path).and_then(|mut file| write_randomly(&mut *file, rng))),
        3 => show(fs.reuse(&path, &other).and_then(|mut file| write_randomly(&mut *file, rng))),
        4 => show(fs.rename(&path, &other)),
        5 => show(fs.link(&path, &other)),
        6 => show(fs.remove_file(&path)),
        7 => show(fs.create_dir(&path)),
        8 => show(fs.create_dir_if_missing(&path)),
        9 => show(fs.remove_dir(&path)),
        10 => show(fs.exists(&path)),
        11 => show(fs.list(&path).map(|mut names| {
            names.sort();
            names
        })),
        // Reading folders as files is where systems differ.
        12..=15 if is_dir => String::new(),
        12 => show(fs.file_size(&path)),
        13 => show(fs.truncate(&path, number)),
        14 => show(read_file(fs, &path, 1 << 20)),
        _ => show(fs.open_random(&path).and_then(|file| {
            let mut buf = vec![0; rng.below(300) as usize];
            let n = file.read_at(number, &mut buf)?;
            buf.truncate(n);
            Ok((buf, file.size()?))
        })),
    };
    format!("{operation} {path:?} {other:?} {number}: {result}")
}

fn write_randomly(file: &mut dyn WritableFile, rng: &mut Random) -> Result<u64> {
    for _ in 0..rng.below(5) {
        match rng.below(8) {
            0 => file.truncate(rng.below(500))?,
            1 => file.sync()?,
            2 => file.allocate(0, 10_000)?,
            _ => {
                let len = rng.below(400) as usize;
                file.append(&rng.bytes(len))?;
            }
        }
    }
    let size = file.size();
    file.close()?;
    Ok(size)
}

#[test]
fn behaves_like_the_operating_system() {
    let seed = Random::from_env(11).next_u64();
    for round in 0..30 {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().canonicalize().unwrap();
        let memory = MemoryFileSystem::new();
        for ancestor in root.ancestors().collect::<Vec<_>>().into_iter().rev() {
            memory.create_dir_if_missing(ancestor).unwrap();
        }
        let run = |fs: &dyn FileSystem, rng: &mut Random| random_operation(fs, rng, &root);
        let (mut a, mut b) = (Random::new(seed + round), Random::new(seed + round));
        for step in 0..300 {
            let (real, model) = (run(&PosixFileSystem, &mut a), run(&memory, &mut b));
            assert_eq!(real, model, "round {round}, step {step}");
        }
    }
}

#[test]
fn bytes_and_names_become_durable_apart() {
    let fs = MemoryFileSystem::new();
    let mut rng = Random::new(1);
    let mut crash = || fs.crash_image(&mut rng, CrashPolicy::SYNCED_ONLY);
    fs.create_dir(Path::new("/db")).unwrap();
    assert!(!exists(&crash(), "/db"), "a folder's name is durable only with its parent");
    sync_dir(&fs, "/");
    let mut file = fs.create(Path::new("/db/a")).unwrap();
    file.append(b"one").unwrap();
    file.sync().unwrap();
    assert_eq!(names_in(&crash(), "/db"), [""; 0], "synced bytes, no name");
    sync_dir(&fs, "/db");
    file.append(b"two").unwrap();
    assert_eq!(read(&crash(), "/db/a"), b"one");
    file.range_sync(0, 6, true).unwrap();
    assert_eq!(read(&crash(), "/db/a"), b"one", "range_sync promises nothing");
    file.fsync().unwrap();
    assert_eq!(read(&crash(), "/db/a"), b"onetwo");
    write_file(&fs, Path::new("/db/b"), b"x", false).unwrap();
    sync_dir(&fs, "/db");
    assert_eq!(read(&crash(), "/db/b"), b"", "a name, no bytes");
    fs.remove_file(Path::new("/db/a")).unwrap();
    assert_eq!(read(&crash(), "/db/a"), b"onetwo", "the removal is not durable");
    sync_dir(&fs, "/db");
    assert!(!exists(&crash(), "/db/a"));
    // What an image holds is durable.
    let image = crash();
    assert_eq!(
        read(&image.crash_image(&mut Random::new(2), CrashPolicy::SYNCED_ONLY), "/db/b"),
        b""
    );
    assert_eq!(names_in(&image, "/db"), ["b"]);
    let all = fs.crash_image(&mut Random::new(2), CrashPolicy::PROCESS_ONLY);
    assert_eq!(read(&all, "/db/b"), b"x");
}

#[test]
fn a_recycled_file_keeps_old_bytes_until_synced() {
    let fs = MemoryFileSystem::new();
    write_file(&fs, Path::new("/1"), b"old old old", true).unwrap();
    fs.sync_all();
    let mut file = fs.reuse(Path::new("/2"), Path::new("/1")).unwrap();
    file.append(b"new").unwrap();
    let image = fs.crash_image(&mut Random::new(1), CrashPolicy::SYNCED_ONLY);
    assert_eq!(
        (names_in(&image, "/"), read(&image, "/1")),
        (vec!["1".into()], b"old old old".to_vec())
    );
    file.sync().unwrap();
    sync_dir(&fs, "/");
    let image = fs.crash_image(&mut Random::new(1), CrashPolicy::SYNCED_ONLY);
    assert_eq!(
        (names_in(&image, "/"), read(&image, "/2")),
        (vec!["2".into()], b"new old old".to_vec())
    );
}

#[test]
fn renames_are_atomic_and_replace_whole_files() {
    let mut rng = Random::from_env(21);
    let (mut old, mut new) = (0, 0);
    for _ in 0..500 {
        let fs = MemoryFileSystem::new();
        write_file(&fs, Path::new("/CURRENT"), b"old", true).unwrap();
        sync_dir(&fs, "/");
        write_file(&fs, Path::new("/tmp"), b"new", true).unwrap();
        fs.rename(Path::new("/tmp"), Path::new("/CURRENT")).unwrap();
        let policy = CrashPolicy::random(&mut rng);
        let image = fs.crash_image(&mut rng, policy);
        match &read(&image, "/CURRENT")[..] {
            b"old" => old += 1,
            b"new" => {
                assert!(!exists(&image, "/tmp"));
                new += 1;
            }
            other => panic!("{other:?}"),
        }
    }
    assert!(old > 50 && new > 50, "{old} {new}");
}

#[test]
fn a_prefix_is_a_prefix() {
    let mut rng = Random::from_env(31);
    for tear in [Tear::Never, Tear::Sector, Tear::Byte] {
        let policy = CrashPolicy { data: Unsynced::Prefix, names: Unsynced::Prefix, tear };
        let mut lengths = std::collections::BTreeSet::new();
        for _ in 0..200 {
            let fs = MemoryFileSystem::new();
            let mut file = fs.create(Path::new("/f")).unwrap();
            sync_dir(&fs, "/");
            let data = rng.bytes(3000);
            file.append(&data[..1000]).unwrap();
            file.sync().unwrap();
            for piece in data[1000..].chunks(700) {
                file.append(piece).unwrap();
            }
            for i in 0..5 {
                write_file(&fs, &PathBuf::from(format!("/n{i}")), b"", false).unwrap();
            }
            let image = fs.crash_image(&mut rng, policy);
            let found = read(&image, "/f");
            assert!(data.starts_with(&found) && found.len() >= 1000);
            lengths.insert(found.len());
            let names = names_in(&image, "/");
            assert!(
                ["f", "n0", "n1", "n2", "n3", "n4"]
                    .starts_with(&names.iter().map(String::as_str).collect::<Vec<_>>())
            );
            match tear {
                Tear::Never => assert!([1000, 1700, 2400, 3000].contains(&found.len())),
                Tear::Sector => assert!(
                    found.len().is_multiple_of(512)
                        || [1000, 1700, 2400, 3000].contains(&found.len())
                ),
                Tear::Byte => {}
            }
        }
        let expected = match tear {
            Tear::Never => 4,
            Tear::Sector => 6,
            Tear::Byte => 50,
        };
        assert!(lengths.len() >= expected, "{tear:?}: {lengths:?}");
    }
}

#[test]
fn any_order_keeps_each_part_or_not() {
    let mut rng = Random::from_env(41);
    for tear in [Tear::Never, Tear::Sector, Tear::Byte] {
        let policy = CrashPolicy { data: Unsynced::AnyOrder, names: Unsynced::Kept, tear };
        let (mut holes, mut whole) = (0, 0);
        for _ in 0..300 {
            let fs = MemoryFileSystem::new();
            let mut file = fs.create(Path::new("/f")).unwrap();
            file.append(&[9; 600]).unwrap();
            file.sync().unwrap();
            file.append(&[1; 600]).unwrap();
            file.append(&[2; 600]).unwrap();
            let found = read(&fs.crash_image(&mut rng, policy), "/f");
            assert_eq!(found[..600], [9; 600], "synced bytes stay");
            for (i, &byte) in found.iter().enumerate().skip(600) {
                assert!(byte == 0 || byte == if i < 1200 { 1 } else { 2 });
            }
            if tear == Tear::Never {
                assert!(found.get(600..1200).is_none_or(|part| part.iter().all(|b| *b == part[0])));
            }
            holes += usize::from(found.last() == Some(&2) && found[600..].contains(&0));
            whole += usize::from(found.len() == 1800 && !found.contains(&0));
        }
        assert!(holes > 10, "{tear:?} {holes}");
        assert!(whole > 0 || tear == Tear::Byte, "{tear:?}");
    }
}

#[test]
fn images_repeat_with_their_seed() {
    let fs = MemoryFileSystem::new();
    for i in 0..20 {
        let mut file = fs.create(&PathBuf::from(format!("/{i}"))).unwrap();
        file.append(&vec![i as u8; 5000]).unwrap();
    }
    let content = |seed| {
        let mut rng = Random::new(seed);
        let policy =
            CrashPolicy { data: Unsynced::AnyOrder, names: Unsynced::AnyOrder, tear: Tear::Byte };
        let image = fs.crash_image(&mut rng, policy);
        let names = names_in(&image, "/");
        names.iter().map(|name| (name.clone(), read(&image, name))).collect::<Vec<_>>()
    };
    assert_eq!(content(5), content(5));
    assert_ne!(content(5), content(6));
}

#[test]
fn later_names_never_survive_without_what_they_build_on() {
    let mut rng = Random::from_env(51);
    let policy = CrashPolicy { data: Unsynced::Kept, names: Unsynced::AnyOrder, tear: Tear::Never };
    let mut seen = std::collections::BTreeSet::new();
    for _ in 0..200 {
        let fs = MemoryFileSystem::new();
        fs.create_dir(Path::new("/d")).unwrap();
        write_file(&fs, Path::new("/a"), b"1", true).unwrap();
        fs.rename(Path::new("/a"), Path::new("/d/b")).unwrap();
        write_file(&fs, Path::new("/a"), b"2", true).unwrap();
        let image = fs.crash_image(&mut rng, policy);
        let found = exists(&image, "/a").then(|| read(&image, "/a"));
        if found.as_deref() == Some(b"2") && exists(&image, "/d") {
            assert_eq!(read(&image, "/d/b"), b"1");
        }
        seen.insert((found, exists(&image, "/d/b")));
    }
    assert!(seen.len() >= 4, "{seen:?}");
    // Syncing one folder makes the whole rename durable.
    let fs = MemoryFileSystem::new();
    fs.create_dir(Path::new("/d")).unwrap();
    write_file(&fs, Path::new("/a"), b"1", true).unwrap();
    fs.sync_all();
    fs.rename(Path::new("/a"), Path::new("/d/b")).unwrap();
    sync_dir(&fs, "/d");
    let image = fs.crash_image(&mut rng, CrashPolicy::SYNCED_ONLY);
    assert!(!exists(&image, "/a") && exists(&image, "/d/b"));
}

#[test]
fn the_hook_sees_each_side_of_a_sync() {
    let fs = MemoryFileSystem::new();
    let events = Arc::new(Mutex::new(Vec::new()));
    let log = Arc::clone(&events);
    fs.set_hook(Some(Arc::new(move |fs, path, event| {
        let image = fs.crash_image(&mut Random::new(1), CrashPolicy::SYNCED_ONLY);
        let content = exists(&image, "/f").then(|| read(&image, "/f"));
        log.lock().push((path.to_path_buf(), event, content));
    })));
    let before = fs.operations();
    let mut file = fs.create(Path::new("/f")).unwrap();
    sync_dir(&fs, "/");
    file.append(b"x").unwrap();
    file.sync().unwrap();
    fs.set_hook(None);
    file.append(b"y").unwrap();
    assert!(fs.operations() >= before + 6);
    let (f, root) = (PathBuf::from("/f"), PathBuf::from("/"));
    let expected = [
        (f.clone(), Event::AfterChange, None),
        (root.clone(), Event::BeforeSync, None),
        (root, Event::AfterSync, Some(vec![])),
        (f.clone(), Event::AfterChange, Some(vec![])),
        (f.clone(), Event::BeforeSync, Some(vec![])),
        (f, Event::AfterSync, Some(b"x".to_vec())),
    ];
    assert_eq!(*events.lock(), expected);
}

#[test]
fn an_image_shows_all_files_at_one_moment() {
    let fs = MemoryFileSystem::new();
    let mut first = fs.create(Path::new("/1")).unwrap();
    let mut second = fs.create(Path::new("/2")).unwrap();
    fs.sync_all();
    let end = Arc::new(AtomicUsize::new(0));
    let writer_end = Arc::clone(&end);
    // What is in the second file was synced in the first before.
    let writer = thread::spawn(move || {
        while writer_end.load(Ordering::SeqCst) == 0 {
            first.append(b"x").unwrap();
            first.sync().unwrap();
            second.append(b"x").unwrap();
        }
    });
    let mut rng = Random::from_env(61);
    let policy = CrashPolicy { data: Unsynced::Kept, ..CrashPolicy::SYNCED_ONLY };
    for _ in 0..300 {
        let image = fs.crash_image(&mut rng, policy);
        let (first, second) = (read(&image, "/1").len(), read(&image, "/2").len());
        assert!(first == second || first == second + 1, "{first} {second}");
    }
    end.store(1, Ordering::SeqCst);
    writer.join().unwrap();
}

#[test]
fn locks_exclude_until_dropped() {
    let fs = MemoryFileSystem::new();
    let path = Path::new("/LOCK");
    assert!(fs.lock(Path::new("/no/LOCK")).err().unwrap().is_path_not_found());
    let lock = fs.lock(path).unwrap();
    let text = fs.clone().lock(Path::new("/./LOCK")).err().unwrap().to_string();
    assert!(text.starts_with("IO error: lock hold by current process, acquire time "), "{text}");
    let image = fs.crash_image(&mut Random::new(1), CrashPolicy::PROCESS_ONLY);
    drop(image.lock(path).unwrap());
    drop(lock);
    drop(fs.lock(path).unwrap());
}

#[test]
fn volatile_files_need_no_folders() {
    let fs = MemoryFileSystem::volatile();
    fs.create_dir_if_missing(Path::new("/tmp/x/db")).unwrap();
    let _lock = fs.lock(Path::new("/tmp/y/LOCK")).unwrap();
    write_file(&fs, Path::new("relative/a"), b"1", true).unwrap();
    assert_eq!(read(&fs, "/relative/a"), b"1");
    let image = fs.crash_image(&mut Random::new(1), CrashPolicy::SYNCED_ONLY);
    assert_eq!(read(&image, "/relative/a"), b"1");
    fs.remove_file(Path::new("relative/a")).unwrap();
    fs.remove_dir(Path::new("relative")).unwrap();
    assert_eq!(names_in(&fs, "/"), ["tmp"]);
}
