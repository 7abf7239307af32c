//! The texts `rocksdb.stats`, `cfstats` and `dbstats`, in RocksDB's form.

use super::Db;
use super::family_stats::{FamilyStats, Totals, Work};
use super::internal_stats::DbCounter;
use super::properties::Probe;
use super::properties_text::Blobs;
use crate::compaction::score::Scores;
use crate::stats::Distribution;
use crate::version::version::Version;
use std::fmt::Write as _;
use std::time::Instant;

const MIB: f64 = 1048576.0;
const GIB: f64 = MIB * 1024.0;
const MICROS: f64 = 1_000_000.0;

pub(super) fn stats(probe: &Probe<'_>) -> Option<String> {
    Some(cf_stats(probe)? + &db_stats(probe)?)
}

pub(super) fn cf_stats(probe: &Probe<'_>) -> Option<String> {
    Some(cf_stats_no_file_histogram(probe)? + &cf_file_histogram(probe)?)
}

/// How long reads of tables took on each level, as far as statistics were on.
pub(super) fn cf_file_histogram(probe: &Probe<'_>) -> Option<String> {
    let mut out = format!("\n** File Read Latency Histogram By Level [{}] **\n", name(probe));
    for (level, cells) in probe.family.tables.options().read_micros.iter().enumerate() {
        let mut reads = Distribution::default();
        reads.merge(cells);
        if reads.count() > 0 {
            let _ = writeln!(out, "** Level {level} read latency histogram (micros):\n{reads}");
        }
    }
    Some(out)
}

pub(super) fn cf_write_stall_stats(probe: &Probe<'_>) -> Option<String> {
    Some(write_stalls(&probe.family.stats.lock()))
}

pub(super) fn db_write_stall_stats(probe: &Probe<'_>) -> Option<String> {
    Some(db_stalls(probe.db.counters.get(DbCounter::WriteBufferManagerStops)))
}

fn db_stalls(stops: u64) -> String {
    format!("Write Stall (count): write-buffer-manager-limit-stops: {stops}\n")
}

pub(super) fn cf_stats_no_file_histogram(probe: &Probe<'_>) -> Option<String> {
    Some(CfText::new(probe).write(false))
}

fn name(probe: &Probe<'_>) -> String {
    String::from_utf8_lossy(probe.family.name()).into_owned()
}

/// A row of the table of compactions.
struct Row {
    files: usize,
    compacting: usize,
    bytes: u64,
    score: f64,
    write_amp: f64,
    work: Work,
}

const HEADER: &str = "    Files   Size     Score Read(GB)  Rn(GB) Rnp1(GB) Write(GB) WPreComp(GB) \
    Wnew(GB) Moved(GB) W-Amp Rd(MB/s) Wr(MB/s) Comp(sec) CompMergeCPU(sec) Comp(cnt) Avg(sec) \
    KeyIn KeyDrop Rblob(GB) Wblob(GB)\n";

fn write_header(name: &str, group: &str, out: &mut String) {
    let _ = writeln!(out, "\n** Compaction Stats [{name}] **");
    let line = format!("{group}{HEADER}");
    let _ = writeln!(out, "{line}{}", "-".repeat(line.len()));
}

fn write_row(name: &str, row: &Row, out: &mut String) {
    let Work { read_from_above: above, read_from_level: level, written, .. } = row.work;
    let work = &row.work;
    let seconds = (work.micros + 1) as f64 / MICROS;
    let _ = write!(
        out,
        "{name:>4} {:6}/{:<3} {:>10} {:5.1} {:8.1} {:7.1} {:8.1} {:9.1} {:9.1} {:8.1} {:9.1} {:5.1} ",
        row.files,
        row.compacting,
        human_bytes(row.bytes),
        row.score,
        work.read() as f64 / GIB,
        above as f64 / GIB,
        level as f64 / GIB,
        written as f64 / GIB,
        work.written_uncompressed as f64 / GIB,
        (written as i64 - level as i64) as f64 / GIB,
        work.moved as f64 / GIB,
        row.write_amp,
    );
    let average = match work.jobs {
        0 => 0.0,
        jobs => work.micros as f64 / MICROS / jobs as f64,
    };
    let _ = writeln!(
        out,
        "{:8.1} {:8.1} {:9.2} {:17.2} {:9} {average:8.3} {:>7} {:>6} {:9.1} {:9.1}",
        work.read() as f64 / MIB / seconds,
        written as f64 / MIB / seconds,
        work.micros as f64 / MICROS,
        work.cpu_micros as f64 / MICROS,
        work.jobs,
        human_number(work.records_in),
        human_number(work.records_dropped),
        0.0,
        0.0,
    );
}

/// What the text of a column family is made of.
struct CfText<'a> {
    probe: &'a Probe<'a>,
    out: String,
}

impl<'a> CfText<'a> {
    fn new(probe: &'a Probe<'a>) -> Self {
        CfText { probe, out: String::with_capacity(4096) }
    }

    fn version(&self) -> &'a Version {
        &self.probe.view.version
    }

    /// The text; a periodic one starts the next interval.
    fn write(mut self, periodic: bool) -> String {
        let scores = self.probe.scores();
        let mut stats = self.probe.family.stats.lock();
        let now = Instant::now();
        let sum = self.levels(&stats, &scores);
        let totals =
            Totals { work: sum, flushed: stats.flushed, stalls: stall_count(&stats), at: now };
        let since = stats.dumped.unwrap_or(Totals {
            work: Work::default(),
            flushed: 0,
            stalls: 0,
            at: stats.started,
        });
        self.interval(&totals, &since);
        self.priorities(&stats);
        let blobs = Blobs::of(self.probe);
        let _ = write!(
            self.out,
            "\nBlob file count: {}, total size: {:.1} GB, garbage size: {:.1} GB, space amp: \
             {:.1}\n\n",
            blobs.files,
            blobs.bytes as f64 / GIB,
            blobs.garbage as f64 / GIB,
            blobs.space_amplification()
        );
        self.totals(&stats, &totals, &since);
        let pending = scores.pending_bytes;
        let _ = writeln!(self.out, "Estimated pending compaction bytes: {pending}");
        self.out.push_str(&write_stalls(&stats));
        if periodic {
            stats.dumped = Some(totals);
        }
        self.out
    }

    /// A row for each level that has files or work, and their sum.
    fn levels(&mut self, stats: &FamilyStats, scores: &Scores) -> Work {
        let mut sum = Row::sum();
        let name = name(self.probe);
        write_header(&name, "Level", &mut self.out);
        for (number, level) in self.version().levels().iter().enumerate() {
            let work = stats.level(number);
            let files = level.files();
            let compacting = files.iter().filter(|file| file.is_being_compacted()).count();
            sum.files += files.len();
            sum.compacting += compacting;
            if files.is_empty() && work.micros == 0 && work.cpu_micros == 0 {
                continue;
            }
            let input = if number == 0 { stats.flushed } else { work.read_from_above };
            let row = Row {
                files: files.len(),
                compacting,
                bytes: level.bytes(),
                score: scores.of(number),
                write_amp: ratio(work.written, input),
                work,
            };
            write_row(&format!("L{number}"), &row, &mut self.out);
            sum.bytes += level.bytes();
            sum.work = sum.work.plus(&work);
        }
        sum.write_amp = ratio(sum.work.written, stats.flushed);
        write_row("Sum", &sum, &mut self.out);
        sum.work
    }

    fn interval(&mut self, totals: &Totals, since: &Totals) {
        let work = totals.work.minus(&since.work);
        let write_amp = work.written as f64 / (totals.flushed - since.flushed + 1) as f64;
        write_row("Int", &Row { write_amp, work, ..Row::sum() }, &mut self.out);
    }

    fn priorities(&mut self, stats: &FamilyStats) {
        write_header(&name(self.probe), "Priority", &mut self.out);
        for (name, work) in stats.by_priority() {
            if work.micros > 0 {
                write_row(name, &Row { work, ..Row::sum() }, &mut self.out);
            }
        }
    }

    fn totals(&mut self, stats: &FamilyStats, totals: &Totals, since: &Totals) {
        let up = totals.at.duration_since(stats.started).as_secs_f64();
        let interval = totals.at.duration_since(since.at).as_secs_f64();
        let out = &mut self.out;
        let _ = writeln!(out, "Uptime(secs): {up:.1} total, {interval:.1} interval");
        let _ = writeln!(
            out,
            "Flush(GB): cumulative {:.3}, interval {:.3}",
            totals.flushed as f64 / GIB,
            (totals.flushed - since.flushed) as f64 / GIB
        );
        out.push_str(
            "AddFile(GB): cumulative 0.000, interval 0.000\n\
             AddFile(Total Files): cumulative 0, interval 0\n\
             AddFile(L0 Files): cumulative 0, interval 0\n\
             AddFile(Keys): cumulative 0, interval 0\n",
        );
        write_compaction("Cumulative", &totals.work, up, out);
        write_compaction("Interval", &totals.work.minus(&since.work), interval, out);
    }
}

impl Row {
    /// A row that stands for no level.
    fn sum() -> Row {
        Row { files: 0, compacting: 0, bytes: 0, score: 0.0, write_amp: 0.0, work: Work::default() }
    }
}

fn write_compaction(which: &str, work: &Work, seconds: f64, out: &mut String) {
    let rate = |bytes: u64| bytes as f64 / MIB / seconds.max(0.001);
    let _ = writeln!(
        out,
        "{which} compaction: {:.2} GB write, {:.2} MB/s write, {:.2} GB read, {:.2} MB/s read, \
         {:.1} seconds",
        work.written as f64 / GIB,
        rate(work.written),
        work.read() as f64 / GIB,
        rate(work.read()),
        work.micros as f64 / MICROS
    );
}

fn stall_count(stats: &FamilyStats) -> u64 {
    stats.stalls.delays() + stats.stalls.stops()
}

fn write_stalls(stats: &FamilyStats) -> String {
    let stalls = &stats.stalls;
    let counts = [
        (
            "cf-l0-file-count-limit-delays-with-ongoing-compaction",
            stalls.level0_delays_in_compaction,
        ),
        ("cf-l0-file-count-limit-stops-with-ongoing-compaction", stalls.level0_stops_in_compaction),
        ("l0-file-count-limit-delays", stalls.level0_delays),
        ("l0-file-count-limit-stops", stalls.level0_stops),
        ("memtable-limit-delays", stalls.memtable_delays),
        ("memtable-limit-stops", stalls.memtable_stops),
        ("pending-compaction-bytes-delays", stalls.pending_bytes_delays),
        ("pending-compaction-bytes-stops", stalls.pending_bytes_stops),
        ("total-delays", stalls.delays()),
        ("total-stops", stalls.stops()),
    ];
    let counts = counts.map(|(name, count)| format!("{name}: {count}"));
    let mut out = format!("Write Stall (count): {}\n", counts.join(", "));
    let all = stall_count(stats);
    if all > 0 {
        let before = stats.dumped.map_or(0, |dumped| dumped.stalls);
        let _ = writeln!(out, "interval: {} total count", all - before);
    }
    out
}

fn ratio(written: u64, input: u64) -> f64 {
    if input == 0 { 0.0 } else { written as f64 / input as f64 }
}

/// RocksDB prints sizes so: at least in KB, with two digits.
fn human_bytes(bytes: u64) -> String {
    let mut size = bytes as f64 / 1024.0;
    let mut units = ["KB", "MB", "GB", "TB"].into_iter();
    let mut unit = units.next().unwrap_or_default();
    while size >= 1024.0
        && let Some(next) = units.next()
    {
        size /= 1024.0;
        unit = next;
    }
    format!("{size:.2} {unit}")
}

/// RocksDB prints counts so: 9999, 10K, 10M, 10G.
fn human_number(number: u64) -> String {
    match number {
        0..10_000 => number.to_string(),
        10_000..10_000_000 => format!("{}K", number / 1000),
        10_000_000..10_000_000_000 => format!("{}M", number / 1_000_000),
        _ => format!("{}G", number / 1_000_000_000),
    }
}

/// RocksDB prints the time of stalls so: 00:00:1.500 H:M:S.
fn human_micros(micros: u64) -> String {
    let (hours, minutes) = (micros / 3_600_000_000, micros / 60_000_000 % 60);
    format!("{hours:02}:{minutes:02}:{:05.3} H:M:S", (micros % 60_000_000) as f64 / MICROS)
}

pub(super) fn db_stats(probe: &Probe<'_>) -> Option<String> {
    Some(db_text(probe.db))
}

/// What the whole database did, in all and since this was asked last.
pub(super) fn db_text(db: &Db) -> String {
    let (totals, since) = db.counters.next_interval();
    let up = totals.at.duration_since(db.counters.started).as_secs_f64();
    let interval = totals.at.duration_since(since.at).as_secs_f64();
    let mut out =
        format!("\n** DB Stats **\nUptime(secs): {up:.1} total, {interval:.1} interval\n");
    let all = |counter: DbCounter| totals.counts[counter as usize];
    let new = |counter: DbCounter| totals.counts[counter as usize] - since.counts[counter as usize];
    write_activity("Cumulative", ("GB", GIB), &all, up, &mut out);
    write_activity("Interval", ("MB", MIB), &new, interval, &mut out);
    out += &db_stalls(all(DbCounter::WriteBufferManagerStops));
    out
}

/// Writes, log and stalls of a time. The unit of ingested bytes differs between the two.
fn write_activity(
    which: &str,
    (unit, divisor): (&str, f64),
    get: &dyn Fn(DbCounter) -> u64,
    seconds: f64,
    out: &mut String,
) {
    let (groups, writes) = (
        get(DbCounter::WritesBySelf),
        get(DbCounter::WritesBySelf) + get(DbCounter::WritesByOthers),
    );
    let rate = |bytes: u64| bytes as f64 / MIB / seconds.max(0.001);
    let per = |count: u64, of: u64| count as f64 / (of as f64).max(1.0);
    let ingested = get(DbCounter::BytesWritten);
    let _ = writeln!(
        out,
        "{which} writes: {} writes, {} keys, {} commit groups, {:.1} writes per commit group, \
         ingest: {:.2} {unit}, {:.2} MB/s",
        human_number(writes),
        human_number(get(DbCounter::KeysWritten)),
        human_number(groups),
        per(writes, groups),
        ingested as f64 / divisor,
        rate(ingested)
    );
    let (logged, syncs) = (get(DbCounter::WritesWithWal), get(DbCounter::WalSynced));
    let bytes = get(DbCounter::WalBytes);
    let _ = writeln!(
        out,
        "{which} WAL: {} writes, {} syncs, {:.2} writes per sync, written: {:.2} GB, {:.2} MB/s",
        human_number(logged),
        human_number(syncs),
        per(logged, syncs),
        bytes as f64 / GIB,
        rate(bytes)
    );
    let stalled = get(DbCounter::StallMicros);
    let _ = writeln!(
        out,
        "{which} stall: {}, {:.1} percent",
        human_micros(stalled),
        stalled as f64 / 10_000.0 / seconds.max(0.001)
    );
}

/// What a periodic dump tells about a column family; the next interval starts.
pub(super) fn periodic_cf_text(probe: &Probe<'_>) -> String {
    CfText::new(probe).write(true) + &cf_file_histogram(probe).unwrap_or_default()
}
