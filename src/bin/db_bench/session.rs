//! One run of the program over one library: opens the database, runs the workloads, prints.

use crate::average::Averages;
use crate::csv::Csv;
use crate::engine::Engine;
use crate::engine::db::{self, Db};
use crate::engine::iter::Iter;
use crate::engine::settings::Settings;
use crate::engine::snapshot::Snapshot;
use crate::failure::{Failure, Result};
use crate::flags::Flags;
use crate::item::{self, Item};
use crate::keys::KeyShape;
use crate::report;
use crate::resources::Meter;
use crate::tally::Tally;
use crate::worker::{Parameters, Shared, Step, Worker};
use crate::workload::{self, Body, Whole, Workload};
use std::sync::Barrier;
use std::sync::atomic::AtomicU64;
use std::time::Instant;

pub struct Session<'a> {
    pub flags: &'a Flags,
    engine: &'a Engine,
    settings: &'a Settings<'a>,
    /// None only while it is closed.
    db: Option<Db<'a>>,
    csv: Option<Csv>,
}

/// Runs everything that the flags ask for.
pub fn run(flags: &Flags) -> Result<()> {
    let items = item::parse_list(&flags.benchmarks)?;
    let workloads: Vec<&Workload> =
        items.iter().map(|item| workload::find(&item.name)).collect::<Result<_>>()?;
    let engine = Engine::load(&flags.library)?;
    let settings = Settings::new(&engine, flags)?;
    report::header(flags, &engine);
    let has_csv = !flags.csv.as_os_str().is_empty();
    let csv = has_csv.then(|| Csv::create(&flags.csv)).transpose()?;
    let mut session = Session { flags, engine: &engine, settings: &settings, db: None, csv };
    if !flags.use_existing_db && !flags.readonly {
        db::destroy(&engine, &settings, &flags.db)?;
    }
    session.reopen()?;
    for (item, workload) in items.iter().zip(workloads) {
        session.item(item, workload).map_err(|failure| failure.during(&item.name))?;
    }
    if flags.statistics {
        println!("STATISTICS:\n{}", session.db()?.statistics()?);
    }
    Ok(())
}

impl<'a> Session<'a> {
    pub fn db(&self) -> Result<&Db<'a>> {
        self.db.as_ref().ok_or(Failure::Error("the database is closed".into()))
    }

    /// Closes the database, if it is open, and opens it.
    pub fn reopen(&mut self) -> Result<()> {
        drop(self.db.take());
        let open = if self.flags.readonly { Db::open_to_read } else { Db::open };
        self.db = Some(open(self.engine, self.settings, &self.flags.db)?);
        Ok(())
    }

    fn empty(&mut self) -> Result<()> {
        drop(self.db.take());
        db::destroy(self.engine, self.settings, &self.flags.db)?;
        self.reopen()
    }

    fn item(&mut self, item: &Item, workload: &Workload) -> Result<()> {
        if workload.fresh && (self.flags.use_existing_db || self.flags.readonly) {
            let why = if self.flags.readonly { "readonly" } else { "use_existing_db" };
            println!("{:<12} : skipped (--{why} is true)", item.name);
            return self.skip(item);
        }
        if workload.fresh {
            self.empty()?;
        }
        let mut averages = Averages::default();
        for run in 0..item.warmups + item.repeats {
            let is_warmup = run < item.warmups;
            match self.once(workload, is_warmup) {
                Ok(Some(tally)) if !is_warmup => averages.add(&tally),
                Ok(_) => {}
                Err(Failure::Unavailable(why)) => {
                    println!("{:<12} : not available ({why})", item.name);
                    return self.skip(item);
                }
                Err(failure) => return Err(failure),
            }
            if let Some(text) = averages.so_far(&item.name) {
                println!("{text}");
            }
        }
        if let Some(text) = averages.last(&item.name) {
            println!("{text}");
        }
        Ok(())
    }

    fn skip(&mut self, item: &Item) -> Result<()> {
        self.csv.as_mut().map_or(Ok(()), |csv| csv.absent(&item.name))
    }

    /// Runs a workload once and prints its line; None if it has no figures.
    fn once(&mut self, workload: &Workload, is_warmup: bool) -> Result<Option<Tally>> {
        let meter = Meter::start();
        let whole = match workload.body {
            Body::Whole(body) => body(self)?,
            Body::Threads(step) => Whole::Timed(Box::new(self.threads(workload, step, None)?)),
            Body::WithBackground(step, background) => {
                Whole::Timed(Box::new(self.threads(workload, step, Some(background))?))
            }
        };
        let tally = match whole {
            Whole::Timed(tally) => *tally,
            Whole::Text(text) => {
                println!("\n{text}");
                return Ok(None);
            }
        };
        let resources = meter.stop(&self.flags.db);
        let mut message = workload.summary.text(&tally);
        if is_warmup {
            message += if message.is_empty() { "(warm-up)" } else { " (warm-up)" };
        }
        report::line(workload.name, &tally, &message);
        report::details(self.flags, &tally, &resources);
        if let Some(csv) = &mut self.csv {
            csv.run(workload.name, is_warmup, &tally, &resources)?;
        }
        Ok(Some(tally))
    }

    /// Runs a workload by as many threads as it takes.
    fn threads(&self, workload: &Workload, step: Step, background: Option<Step>) -> Result<Tally> {
        let mut parameters = Parameters::new(self.flags);
        (workload.adjust)(&mut parameters);
        let threads = parameters.threads;
        let shared = Shared {
            flags: self.flags,
            parameters,
            db: self.db()?,
            name: workload.name,
            gate: Barrier::new(threads as usize + usize::from(background.is_some())),
            running: AtomicU64::new(threads),
        };
        let _held = Held::new(shared.db, self.flags)?;
        let results: Vec<(bool, Result<Tally>)> = std::thread::scope(|scope| {
            let steps = (0..threads).map(|_| (step, false)).chain(background.map(|b| (b, true)));
            let shared = &shared;
            let spawn = |(id, (step, is_background)): (usize, (Step, bool))| {
                let run = move || Worker::run(shared, id as u64, step, is_background);
                (is_background, scope.spawn(run))
            };
            let handles: Vec<_> = steps.enumerate().map(spawn).collect();
            handles.into_iter().map(|(background, h)| (background, joined(h))).collect()
        });
        let mut total: Option<Tally> = None;
        for (is_background, result) in results {
            match (result?, &mut total) {
                _ if is_background => {}
                (tally, Some(total)) => total.merge(tally),
                (tally, None) => total = Some(tally),
            }
        }
        Ok(total.unwrap_or_else(|| Tally::new(Instant::now())))
    }
}

fn joined(handle: std::thread::ScopedJoinHandle<'_, Result<Tally>>) -> Result<Tally> {
    handle.join().unwrap_or_else(|_| Err("a thread panicked".into()))
}

/// Snapshots and iterators that are open while a workload runs.
struct Held<'a> {
    _snapshots: Vec<Snapshot<'a>>,
    _iterators: Vec<Iter<'a>>,
}

impl<'a> Held<'a> {
    fn new(db: &'a Db<'a>, flags: &Flags) -> Result<Held<'a>> {
        let shape = KeyShape::new(flags);
        let mut key = vec![0; flags.key_size];
        let mut snapshots = Vec::new();
        for _ in 0..flags.open_snapshots {
            // Without a write between them they would be one.
            if !flags.readonly {
                shape.fill(&mut key, flags.num - 1);
                let value = db.value(&key)?.unwrap_or_else(|| vec![b'v'; flags.value_size]);
                db.put(false, &key, &value)?;
            }
            snapshots.push(db.snapshot());
        }
        let mut iterators = Vec::new();
        for i in 0..flags.open_iterators {
            let iter = db.iterator();
            shape.fill(&mut key, i * (flags.num / flags.open_iterators.max(1)));
            iter.seek(&key);
            iterators.push(iter);
        }
        Ok(Held { _snapshots: snapshots, _iterators: iterators })
    }
}
