//! `balboa-rocksdb`, which collects observations of the domain name system, as Debian built it for
//! RocksDB 7.8. Counts and times of an observation are joined by a merge operator.

use std::collections::BTreeMap;
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use capi_tests::library::{self, library};
use capi_tests::peers;

use crate::msgpack::{self, Value, blob, flag, map, text, time, uint};

const PROGRAM: &str = "balboa-rocksdb";
const PATIENCE: Duration = Duration::from_secs(60);

/// Kinds of messages.
const INPUT: u32 = 1;
const QUERY: u32 = 2;
const BACKUP: u32 = 3;
const START: u64 = 130;
const ENTRY: u64 = 131;
const END: u64 = 132;

/// The running program. Killed, without a chance to close its database, when this goes.
struct Balboa {
    process: Child,
    port: u16,
}

impl Drop for Balboa {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// The folder with the library under the name that the program looks for.
fn library_folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let name = folder.path().join("librocksdb.so.7.8");
    std::os::unix::fs::symlink(library().shared(), name).unwrap();
    folder
}

impl Balboa {
    fn start(libraries: &Path, db: &Path) -> Balboa {
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let process = Command::new(PROGRAM)
            .arg("-d")
            .arg(db)
            .args(["-R", "-p", &port.to_string()])
            .env("LD_LIBRARY_PATH", libraries)
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let balboa = Balboa { process, port };
        let start = Instant::now();
        while TcpStream::connect(("127.0.0.1", port)).is_err() {
            assert!(start.elapsed() < PATIENCE, "it does not listen");
            std::thread::sleep(Duration::from_millis(20));
        }
        let maps = std::fs::read_to_string(format!("/proc/{}/maps", balboa.process.id())).unwrap();
        assert!(maps.contains("libhematite.so"), "it runs on another library");
        balboa
    }

    fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(("127.0.0.1", self.port)).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        stream
    }

    /// The observations of `name`: those before it on the same connection are in.
    fn query(&self, stream: &mut TcpStream, name: &str) -> Observations {
        let by_name = [
            ("Qrrname", text(name)),
            ("Hrrname", flag(true)),
            ("Qrrtype", text("")),
            ("Hrrtype", flag(false)),
            ("Qrdata", text("")),
            ("Hrdata", flag(false)),
            ("QsensorID", text("")),
            ("HsensorID", flag(false)),
            ("Limit", uint(1000)),
        ];
        stream.write_all(&message(QUERY, &map(&by_name))).unwrap();
        let mut found = Observations::new();
        let mut received = Vec::new();
        loop {
            let mut rest = &received[..];
            let Some(value) = msgpack::decode(&mut rest) else {
                let mut more = [0; 4096];
                let len = stream.read(&mut more).unwrap();
                assert!(len > 0, "it closed the connection");
                received.extend(&more[..len]);
                continue;
            };
            received = rest.to_vec();
            match value.get("T").number() {
                START => {}
                END => return found,
                ENTRY => {
                    let entry = msgpack::decode(&mut value.get("M").bytes()).unwrap();
                    assert_eq!(entry.get("N").bytes(), name.as_bytes());
                    let data = String::from_utf8(entry.get("D").bytes().to_vec()).unwrap();
                    let number = |key| Value::number(entry.get(key)) as u32;
                    let seen = Seen { count: number("C"), first: number("F"), last: number("L") };
                    assert!(found.insert(data, seen).is_none());
                }
                other => panic!("unexpected answer {other}"),
            }
        }
    }

    fn backup(&self, folder: &Path) {
        let mut stream = self.connect();
        let request = map(&[("P", text(folder.to_str().unwrap()))]);
        stream.write_all(&message(BACKUP, &request)).unwrap();
        // The end of the connection is the answer.
        let mut rest = Vec::new();
        stream.read_to_end(&mut rest).unwrap();
        assert!(folder.join("meta/1").is_file(), "there is no backup");
    }
}

fn message(kind: u32, inner: &[u8]) -> Vec<u8> {
    map(&[("T", uint(kind)), ("M", blob(inner))])
}

/// What is known of one address of a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Seen {
    count: u32,
    first: u32,
    last: u32,
}

/// By address.
type Observations = BTreeMap<String, Seen>;

/// Sends observations; what they add up to, by name.
fn observe(stream: &mut TcpStream) -> BTreeMap<String, Observations> {
    let mut all: BTreeMap<String, Observations> = BTreeMap::new();
    for n in 0..3000u32 {
        let name = format!("host{}.example.org", n % 50);
        let address = format!("10.0.0.{}", n % 7);
        let (count, first, last) = (1 + n % 3, 1_000_000 + n, 2_000_000 - n * 7 % 1000);
        let observation = [
            ("N", text(&name)),
            ("T", text("A")),
            ("D", text(&address)),
            ("I", text("sensor")),
            ("C", uint(count)),
            ("F", time(first)),
            ("L", time(last)),
        ];
        stream.write_all(&message(INPUT, &map(&observation))).unwrap();
        let seen = all.entry(name).or_default().entry(address);
        let seen = seen.or_insert(Seen { count: 0, first, last });
        seen.count += count;
        seen.first = seen.first.min(first);
        seen.last = seen.last.max(last);
    }
    all
}

fn check(balboa: &Balboa, expected: &BTreeMap<String, Observations>) {
    let mut stream = balboa.connect();
    for (name, observations) in expected {
        assert_eq!(balboa.query(&mut stream, name), *observations, "{name}");
    }
    assert!(balboa.query(&mut stream, "absent.example.org").is_empty());
}

#[test]
fn balboa_takes_answers_backs_up_and_survives_being_killed() {
    let found = Command::new(PROGRAM).arg("--version").output();
    if found.is_err() {
        return peers::skip("balboa-rocksdb (Debian's balboa-backend-rocksdb)");
    }
    let (libraries, folder) = (library_folder(), tempfile::tempdir().unwrap());
    let path = |name: &str| folder.path().join(name);
    let balboa = Balboa::start(libraries.path(), &path("db"));
    let mut stream = balboa.connect();
    let expected = observe(&mut stream);
    balboa.query(&mut stream, "host0.example.org");
    check(&balboa, &expected);
    balboa.backup(&path("backup"));
    check(&balboa, &expected);
    drop(balboa);

    let balboa = Balboa::start(libraries.path(), &path("db"));
    check(&balboa, &expected);
    drop(balboa);

    // RocksDB's own tool restores the backup.
    if !peers::has_tool("ldb") {
        return peers::skip("ldb (Debian's rocksdb-tools)");
    }
    let option = |name: &str, path: &Path| format!("--{name}={}", path.display());
    library::run(
        Command::new("ldb")
            .arg("restore")
            .args([option("db", &path("restored")), option("backup_dir", &path("backup"))]),
    );
    check(&Balboa::start(libraries.path(), &path("restored")), &expected);
}
