//! What a comparison runs.

use crate::failure::Result;
use crate::item;
use crate::workload;

/// A process: workloads that run one after the other under the same flags.
#[derive(Clone, Debug)]
pub struct Part {
    /// Where the database lies.
    pub place: Place,
    /// Beside those of the command line, which override them.
    pub flags: &'static [(&'static str, &'static str)],
    pub rows: Vec<Row>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// The folder of `--db`; the database of the part before.
    Kept,
    /// As above, and a database of its own.
    Fresh,
    /// The folder of `--disk_db`, a database of its own.
    Disk,
}

/// A line of the table.
#[derive(Clone, Debug)]
pub struct Row {
    /// `None`: runs, and is not shown.
    pub label: Option<String>,
    /// Workloads whose time counts together, for the operations of the first.
    pub items: Vec<String>,
}

impl Part {
    /// The workloads of `--benchmarks`, each a row.
    pub fn of_list(list: &str) -> Result<Part> {
        let items = item::parse_list(list)?;
        let mut rows = Vec::new();
        for item in &items {
            workload::find(&item.name)?;
            if item.repeats != 1 || item.warmups != 0 {
                return Err("a comparison repeats by --rounds, not by [X]".into());
            }
            rows.push(Row { label: Some(item.name.clone()), items: vec![item.name.clone()] });
        }
        Ok(Part { place: Place::Fresh, flags: &[], rows })
    }

    /// The value of `--benchmarks`.
    pub fn list(&self) -> String {
        let items: Vec<&str> = self.items().collect();
        items.join(",")
    }

    pub fn items(&self) -> impl Iterator<Item = &str> {
        self.rows.iter().flat_map(|row| row.items.iter().map(String::as_str))
    }
}

type Rows = &'static [(&'static str, &'static str)];
type Parts = &'static [(Place, &'static [(&'static str, &'static str)], Rows)];

/// Filter, cache for all data.
const CACHED: &[(&str, &str)] = &[("bloom_bits", "10"), ("cache_size", "1073741824")];

macro_rules! cached {
    ($($flag:literal: $value:literal),*) => {
        &[("bloom_bits", "10"), ("cache_size", "1073741824"), $(($flag, $value)),*]
    };
}

/// The suites: name, what it shows, parts. A row without a label only prepares.
const SUITES: &[(&str, Parts)] = &[
    (
        "core",
        &[
            (Place::Fresh, CACHED, &[("fillbatch", "fillbatch"), ("fillseq", "fillseq")]),
            (
                Place::Fresh,
                CACHED,
                &[
                    ("fillrandom", "fillrandom"),
                    ("overwrite until settled", "overwrite+waitforcompaction"),
                    ("", "readtocache"),
                    ("readrandom", "readrandom"),
                    ("readmissing", "readmissing"),
                    ("readhot", "readhot"),
                    ("readpinned", "readpinned"),
                    ("readseq", "readseq"),
                    ("readreverse", "readreverse"),
                    ("seekrandom, new iterators", "seekrandom"),
                ],
            ),
            (
                Place::Kept,
                cached!("reuse_iterator": "1"),
                &[("", "readtocache"), ("seekrandom, one iterator", "seekrandom")],
            ),
            (
                Place::Kept,
                cached!("seek_nexts": "50", "reads": "100000"),
                &[("", "readtocache"), ("seek + 50 next", "seekrandom")],
            ),
            (
                Place::Kept,
                cached!("batch_size": "32"),
                &[("", "readtocache"), ("multireadrandom 32", "multireadrandom")],
            ),
            (
                Place::Kept,
                CACHED,
                &[
                    ("", "readtocache"),
                    ("readwhilewriting", "readwhilewriting"),
                    ("deleterandom", "deleterandom"),
                    ("compact", "compact"),
                ],
            ),
            (
                Place::Fresh,
                cached!("merge_operator": "uint64add", "value_size": "8", "key_size": "16"),
                &[
                    ("mergerandom", "mergerandom"),
                    ("readrandom of merges", "readrandom"),
                    ("readseq of merges", "readseq"),
                    ("readreverse of merges", "readreverse"),
                ],
            ),
            (Place::Disk, CACHED, &[("fillsync on disk", "fillsync")]),
        ],
    ),
    (
        "threads",
        &[
            (Place::Fresh, cached!("threads": "2"), &[("fillrandom, 2 threads", "fillrandom")]),
            (
                Place::Kept,
                cached!("threads": "2"),
                &[("", "readtocache"), ("readrandom, 2 threads", "readrandom")],
            ),
            (Place::Fresh, cached!("threads": "4"), &[("fillrandom, 4 threads", "fillrandom")]),
            (
                Place::Kept,
                cached!("threads": "4"),
                &[("", "readtocache"), ("readrandom, 4 threads", "readrandom")],
            ),
        ],
    ),
    (
        "large",
        &[(
            Place::Fresh,
            &[("bloom_bits", "10"), ("cache_size", "4294967296"), ("num", "10000000")],
            &[
                ("fillrandom", "fillrandom"),
                ("overwrite until settled", "overwrite+waitforcompaction"),
                ("", "readtocache"),
                ("readrandom", "readrandom"),
                ("seekrandom", "seekrandom"),
                ("readseq", "readseq"),
            ],
        )],
    ),
];

/// The parts of a suite.
pub fn find(name: &str) -> Result<Vec<Part>> {
    let Some((_, parts)) = SUITES.iter().find(|(suite, _)| *suite == name) else {
        let names: Vec<&str> = SUITES.iter().map(|(name, _)| *name).collect();
        return Err(format!("--suite: '{name}' is none of {}", names.join(", ")).into());
    };
    let row = |&(label, items): &(&str, &str)| Row {
        label: (!label.is_empty()).then(|| label.into()),
        items: items.split('+').map(Into::into).collect(),
    };
    let part = |&(place, flags, rows): &(Place, _, Rows)| Part {
        place,
        flags,
        rows: rows.iter().map(row).collect(),
    };
    Ok(parts.iter().map(part).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::flags::Flags;

    #[test]
    fn the_suites_name_workloads_and_flags_that_are_there() {
        for (name, _) in SUITES {
            let mut labels = Vec::new();
            for part in find(name).unwrap() {
                for item in part.items() {
                    assert!(workload::find(item).is_ok(), "{item}");
                }
                let mut flags = Flags::defaults();
                for (flag, value) in part.flags {
                    flags.set(flag, value).unwrap();
                }
                labels.extend(part.rows.into_iter().filter_map(|row| row.label));
            }
            let all = labels.len();
            labels.sort();
            labels.dedup();
            assert_eq!(labels.len(), all, "two rows of one name in {name}");
        }
        let unknown = find("cores").unwrap_err().to_string();
        assert_eq!(unknown, "--suite: 'cores' is none of core, threads, large");
    }

    #[test]
    fn a_list_is_a_part() {
        let part = Part::of_list("fillseq,readseq").unwrap();
        assert_eq!(part.list(), "fillseq,readseq");
        assert!(Part::of_list("fillsek").is_err());
        assert!(Part::of_list("readseq[X3]").is_err());
    }
}
