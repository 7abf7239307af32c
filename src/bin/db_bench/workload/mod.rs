//! The workloads, by RocksDB's names.

mod merge;
mod read;
mod scan;
mod whole;
mod write;

use crate::failure::Result;
use crate::session::Session;
use crate::tally::Tally;
use crate::worker::{Parameters, Step};
use write::Order;

/// What is measured under a name.
pub struct Workload {
    pub name: &'static str,
    pub help: &'static str,
    /// Begins with an empty database.
    pub fresh: bool,
    pub body: Body,
    /// Changes numbers that the flags gave.
    pub adjust: fn(&mut Parameters),
    pub summary: Summary,
}

pub enum Body {
    /// Each thread does it.
    Threads(Step),
    /// Each thread does the first; one more does the second until they are done, uncounted.
    WithBackground(Step, Step),
    /// Concerns the database as a whole.
    Whole(fn(&mut Session) -> Result<Whole>),
}

/// What a workload of the whole database gives.
pub enum Whole {
    /// A text and no figure.
    Text(String),
    Timed(Box<Tally>),
}

/// What stands behind the figures.
#[derive(Clone, Copy)]
pub enum Summary {
    Nothing,
    Found,
    FoundOutside,
    Entries,
    Merges,
    ReadsAndMerges,
    ReadsAndWrites,
}

impl Summary {
    pub fn text(self, tally: &Tally) -> String {
        let Tally { found, looked, outside, entries, merges, writes, longest, .. } = tally;
        let total = tally.operations;
        match self {
            Summary::Nothing => String::new(),
            Summary::Found => format!("({found} of {looked} found)"),
            Summary::FoundOutside => {
                format!("({found} of {looked} found, issued {outside} non-exist keys)")
            }
            Summary::Entries => format!("({found} of {looked} found, {entries} entries)"),
            Summary::Merges => format!("( updates:{merges})"),
            Summary::ReadsAndMerges => format!(
                "(reads:{looked} merges:{merges} total:{total} hits:{found} maxlength:{longest})"
            ),
            Summary::ReadsAndWrites => {
                format!("( reads:{looked} writes:{writes} total:{total} found:{found})")
            }
        }
    }
}

const fn on(name: &'static str, help: &'static str, step: Step) -> Workload {
    Workload {
        name,
        help,
        fresh: false,
        body: Body::Threads(step),
        adjust: |_| {},
        summary: Summary::Nothing,
    }
}

const fn finds(name: &'static str, help: &'static str, step: Step) -> Workload {
    let mut workload = on(name, help, step);
    workload.summary = Summary::Found;
    workload
}

const fn meanwhile(
    name: &'static str,
    help: &'static str,
    step: Step,
    background: Step,
) -> Workload {
    let mut workload = finds(name, help, step);
    workload.body = Body::WithBackground(step, background);
    workload
}

const fn fills(
    name: &'static str,
    help: &'static str,
    adjust: fn(&mut Parameters),
    step: Step,
) -> Workload {
    let mut workload = on(name, help, step);
    workload.fresh = true;
    workload.adjust = adjust;
    workload
}

const fn adjusted(mut workload: Workload, adjust: fn(&mut Parameters)) -> Workload {
    workload.adjust = adjust;
    workload
}

const fn summed(mut workload: Workload, summary: Summary) -> Workload {
    workload.summary = summary;
    workload
}

const fn whole(
    name: &'static str,
    help: &'static str,
    body: fn(&mut Session) -> Result<Whole>,
) -> Workload {
    let mut workload = on(name, help, |_| Ok(()));
    workload.body = Body::Whole(body);
    workload
}

/// All of them.
pub static WORKLOADS: &[Workload] = &[
    fills("fillseq", "write all keys in their order", |_| {}, |w| write::all(w, Order::Ascending)),
    fills("fillrandom", "write random keys", |_| {}, |w| write::all(w, Order::Random)),
    fills(
        "filluniquerandom",
        "write all keys in a random order",
        |p| p.threads = 1,
        |w| write::all(w, Order::Permuted),
    ),
    fills(
        "fillbatch",
        "write all keys in their order, 1000 a batch",
        |p| p.batch_size = 1000,
        |w| write::all(w, Order::Ascending),
    ),
    fills("fillsync", "write num/1000 random keys, each synced", thousandth_synced, |w| {
        write::all(w, Order::Random)
    }),
    fills("fill100K", "write num/1000 random keys with values of 100 kB", thousandth_large, |w| {
        write::all(w, Order::Random)
    }),
    on("overwrite", "write random keys over what is there", |w| write::all(w, Order::Random)),
    on("deleteseq", "delete all keys in their order", |w| write::delete(w, Order::Ascending)),
    on("deleterandom", "delete random keys", |w| write::delete(w, Order::Random)),
    on(
        "deleterange",
        "delete num/range_tombstone_width ranges at random keys",
        write::delete_ranges,
    ),
    finds("readrandom", "read random keys", read::random),
    adjusted(finds("readmissing", "read random keys that are not there", read::random), |p| {
        p.key_size += 1;
    }),
    finds("readhot", "read random keys of the first 1 %", read::hot),
    adjusted(finds("readrandomsmall", "read reads/1000 random keys", read::random), |p| {
        p.reads = (p.reads / 1000).max(1);
    }),
    summed(
        finds("readrandomfast", "read random keys below the next power of two", read::fast),
        Summary::FoundOutside,
    ),
    finds("readpinned", "read random keys without copying their values", read::pinned),
    finds("multireadrandom", "read sets of batch_size random keys", read::multi),
    on("readseq", "go over the keys forwards", scan::forwards),
    on("readreverse", "go over the keys backwards", scan::backwards),
    adjusted(on("readtocache", "go over all keys forwards, by one thread", scan::forwards), |p| {
        (p.threads, p.reads) = (1, p.num);
    }),
    finds("seekrandom", "seek random keys, and do seek_nexts steps", scan::seek),
    on("newiterator", "make iterators", scan::new_iterators),
    summed(
        finds("prefixscanrandom", "go over all keys with the prefix of a random one", scan::prefix),
        Summary::Entries,
    ),
    meanwhile(
        "readwhilewriting",
        "readrandom, and one more thread writes",
        read::random,
        write::until_done,
    ),
    meanwhile(
        "readwhilemerging",
        "readrandom, and one more thread merges",
        read::random,
        merge::until_done,
    ),
    meanwhile(
        "readwhilescanning",
        "readrandom, and one more thread goes over all keys",
        read::random,
        scan::until_done,
    ),
    meanwhile(
        "multireadwhilewriting",
        "multireadrandom, and one more thread writes",
        read::multi,
        write::until_done,
    ),
    meanwhile(
        "seekrandomwhilewriting",
        "seekrandom, and one more thread writes",
        scan::seek,
        write::until_done,
    ),
    meanwhile(
        "seekrandomwhilemerging",
        "seekrandom, and one more thread merges",
        scan::seek,
        merge::until_done,
    ),
    summed(
        meanwhile(
            "newiteratorwhilewriting",
            "newiterator, and one more thread writes",
            scan::new_iterators,
            write::until_done,
        ),
        Summary::Nothing,
    ),
    summed(
        on("readrandomwriterandom", "read or write random keys", read::or_write),
        Summary::ReadsAndWrites,
    ),
    summed(
        on("updaterandom", "read random keys and write them", read::and_write),
        Summary::ReadsAndWrites,
    ),
    summed(on("mergerandom", "merge into random keys", merge::random), Summary::Merges),
    summed(
        on("readrandommergerandom", "read or merge into random keys", merge::or_read),
        Summary::ReadsAndMerges,
    ),
    whole("flush", "flush the memtables", whole::flush),
    whole("compact", "compact all keys", whole::compact),
    whole("waitforcompaction", "wait until nothing is left to flush or compact", whole::settle),
    whole(
        "openclose",
        "close and open the database, reads times (default 10)",
        whole::open_and_close,
    ),
    whole("stats", "print what the database tells of itself", |s| whole::property(s, "stats")),
    whole("levelstats", "print the files and bytes of each level", |s| {
        whole::property(s, "levelstats")
    }),
    whole("sstables", "print the tables", |s| whole::property(s, "sstables")),
];

fn thousandth_synced(parameters: &mut Parameters) {
    thousandth(parameters);
    parameters.sync = true;
}

fn thousandth_large(parameters: &mut Parameters) {
    thousandth(parameters);
    parameters.value_size = 100_000;
}

fn thousandth(parameters: &mut Parameters) {
    parameters.num = (parameters.num / 1000).max(1);
    parameters.writes = (parameters.writes / 1000).max(1);
}

/// The workload of that name.
pub fn find(name: &str) -> Result<&'static Workload> {
    let unknown = || format!("unknown benchmark '{name}'").into();
    WORKLOADS.iter().find(|workload| workload.name == name).ok_or_else(unknown)
}

/// A line for each.
pub fn help() -> String {
    WORKLOADS.iter().map(|w| format!("  {:<26}{}\n", w.name, w.help)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_name_is_there_once_and_in_the_help() {
        let help = help();
        for workload in WORKLOADS {
            assert!(std::ptr::eq(find(workload.name).unwrap(), workload), "{}", workload.name);
            assert!(help.contains(workload.name));
        }
        assert_eq!(find("readrandm").err(), Some("unknown benchmark 'readrandm'".into()));
    }

    #[test]
    fn a_thousandth_is_never_nothing() {
        let mut parameters = Parameters::new(&crate::flags::Flags::defaults());
        (parameters.num, parameters.writes) = (500, 5000);
        thousandth_synced(&mut parameters);
        assert_eq!((parameters.num, parameters.writes, parameters.sync), (1, 5, true));
    }
}
