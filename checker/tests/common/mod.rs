//! Check a drawn trace and read the results back as plain rows.
#![allow(dead_code)] // each test file uses its share

use std::collections::BTreeMap;

use arrow_array::{RecordBatch, RecordBatchIterator};
use wastenot_checker::{BatchCollector, BatchReader, CheckError, Options, Window, check, window_waits};
use wastenot_drawing::draw;
use wastenot_schemas as tables;

pub const US: i64 = 1_000;
pub const MS: i64 = 1_000_000;

/// (start, end, wasted, certain, idle_while_waiting), ns and cores.
pub type Wasted = (i64, i64, i32, i32, i32);

/// The tables that a check writes.
pub struct ResultTables {
    pub batches: Vec<(&'static str, RecordBatch)>,
}

#[derive(Debug, PartialEq)]
pub struct Episode {
    pub grade: &'static str,
    pub start: i64,
    pub end: i64,
    pub core_ns: i64,
    pub total_core_ns: i64,
    pub peak: i32,
    pub idle: Vec<i16>,
    pub overloaded: Vec<i16>,
    pub threads: i32,
}

pub fn check_drawn(text: &str) -> ResultTables {
    check_drawn_with(text, &Options::default()).unwrap_or_else(|e| panic!("{e}"))
}

pub fn strict(text: &str) -> Result<ResultTables, CheckError> {
    check_drawn_with(text, &Options { strict: true, ..Options::default() })
}

pub fn check_drawn_with(text: &str, options: &Options) -> Result<ResultTables, CheckError> {
    check_tables(draw(text).unwrap_or_else(|e| panic!("{e}")), options)
}

pub fn check_tables(drawn: Vec<(&'static str, RecordBatch)>, options: &Options) -> Result<ResultTables, CheckError> {
    let mut kept = BatchCollector::default();
    check(inputs(drawn), options, &mut kept)?;
    Ok(ResultTables { batches: kept.0 })
}

/// The wait ledger from one instant to another, of the waits on some CPUs and of some threads (utid); of none: of all.
pub fn waits_between((start_ns, end_ns): (i64, i64), text: &str, cpus: &[i16], utids: &[u32]) -> BTreeMap<String, i64> {
    let window = Window { start_ns, end_ns, state: None, to_the_end: true };
    let drawn = draw(text).unwrap_or_else(|e| panic!("{e}"));
    let mut kept = BatchCollector::default();
    window_waits(inputs(drawn), &window, cpus, utids, &mut kept).unwrap_or_else(|e| panic!("{e}"));
    ResultTables { batches: kept.0 }.waits()
}

fn inputs(drawn: Vec<(&'static str, RecordBatch)>) -> Vec<(String, BatchReader)> {
    let input = |(name, batch): (&str, RecordBatch)| {
        let schema = batch.schema();
        let reader: BatchReader = Box::new(RecordBatchIterator::new([Ok(batch)], schema));
        (name.to_owned(), reader)
    };
    drawn.into_iter().map(input).collect()
}

impl ResultTables {
    pub fn rows<T>(&self, table: &str, read: impl Fn(&RecordBatch) -> Vec<T>) -> Vec<T> {
        self.batches.iter().filter(|(name, _)| *name == table).flat_map(|(_, b)| read(b)).collect()
    }

    pub fn wasted(&self) -> Vec<Wasted> {
        self.rows("wasted", |b| {
            let v = tables::wasted::View::try_new(b).unwrap();
            let rows = (0..v.len()).map(|i| v.row(i));
            rows.map(|r| (r.start_ns, r.start_ns + r.dur_ns, r.wasted, r.certain, r.idle_while_waiting)).collect()
        })
    }

    /// Sum of wasted, certain, idle_while_waiting over time.
    pub fn sums(&self) -> (i64, i64, i64) {
        let s = self.verdict();
        (s.0, s.1, s.2)
    }

    fn verdict(&self) -> (i64, i64, i64, i64) {
        self.rows("verdict", |b| {
            let v = tables::verdict::View::try_new(b).unwrap();
            let r = v.row(0);
            vec![(r.wasted_ns, r.certain_ns, r.idle_while_waiting_ns, r.late_wakes)]
        })[0]
    }

    pub fn late_wakes(&self) -> i64 {
        self.verdict().3
    }

    /// Excused core-ns by excuse, those above zero.
    pub fn ledger(&self) -> BTreeMap<&'static str, i64> {
        let rows = self.rows("excuse_ledger", |b| {
            let v = tables::excuse_ledger::View::try_new(b).unwrap();
            (0..v.len()).map(|i| (tables::excuse::NAMES[v.row(i).excuse as usize], v.row(i).core_ns)).collect()
        });
        rows.into_iter().filter(|(_, ns)| *ns != 0).collect()
    }

    /// The wait ledger, ns by "cgroup reason", then the excuse or the cgroup waited for; `-` is a cgroup that is not recorded.
    pub fn waits(&self) -> BTreeMap<String, i64> {
        let cgroup = |id: Option<i64>| id.map_or("-".to_owned(), |id| id.to_string());
        let rows = self.rows("cgroup_wait", |b| {
            let v = tables::cgroup_wait::View::try_new(b).unwrap();
            let words = |r: tables::cgroup_wait::Row| {
                let mut words = vec![cgroup(r.cgroup_id), tables::wait_reason::NAMES[r.reason as usize].to_owned()];
                words.extend(r.excuse.map(|excuse| tables::excuse::NAMES[excuse as usize].to_owned()));
                words.extend(r.culprit_cgroup_id.map(|id| cgroup(Some(id))));
                (words.join(" "), r.wait_ns)
            };
            (0..v.len()).map(|i| words(v.row(i))).collect()
        });
        rows.into_iter().collect()
    }

    /// Waits of all threads, throttled ones included, ns.
    pub fn waited(&self) -> i64 {
        let rows = self.rows("thread", |b| {
            let v = tables::thread::View::try_new(b).unwrap();
            let rows = (0..v.len()).map(|i| v.row(i));
            rows.map(|r| r.wait_wakeup_ns + r.wait_preempted_ns + r.throttled_ns).collect()
        });
        rows.into_iter().sum()
    }

    /// Value of a remark on the whole trace in `data_quality`; 0 where there is none.
    pub fn remark(&self, what: &str) -> i64 {
        let rows = self.rows("data_quality", |b| {
            let v = tables::data_quality::View::try_new(b).unwrap();
            (0..v.len()).map(|i| v.row(i)).filter(|r| r.what == what).map(|r| r.value).collect()
        });
        rows.into_iter().sum()
    }

    /// (episodes, core-ns) by grade.
    pub fn grades(&self) -> BTreeMap<&'static str, (i64, i64)> {
        let rows = self.rows("verdict_grade", |b| {
            let v = tables::verdict_grade::View::try_new(b).unwrap();
            let rows = (0..v.len()).map(|i| v.row(i));
            rows.map(|r| (tables::grade::NAMES[r.grade as usize], (r.episodes, r.core_ns))).collect()
        });
        rows.into_iter().collect()
    }

    pub fn episodes(&self) -> Vec<Episode> {
        self.rows("episode", |b| {
            let v = tables::episode::View::try_new(b).unwrap();
            let rows = (0..v.len()).map(|i| v.row(i));
            rows.map(|r| Episode {
                grade: tables::grade::NAMES[r.grade as usize],
                start: r.start_ns,
                end: r.end_ns,
                core_ns: r.core_ns,
                total_core_ns: r.total_core_ns,
                peak: r.peak,
                idle: r.idle_cpus.to_vec(),
                overloaded: r.overloaded_cpus.to_vec(),
                threads: r.threads,
            })
            .collect()
        })
    }

    /// (grade, severity, the episode that it is part of) of every episode, in the order of their numbers.
    pub fn severities(&self) -> Vec<(&'static str, &'static str, Option<i32>)> {
        let name = |grade: u8| tables::grade::NAMES[grade as usize];
        self.rows("episode", |b| {
            let v = tables::episode::View::try_new(b).unwrap();
            let rows = (0..v.len()).map(|i| v.row(i));
            rows.map(|r| (name(r.grade), name(r.severity), r.part_of)).collect()
        })
    }

    /// First and last event of every episode.
    pub fn episode_events(&self) -> Vec<(Option<i64>, Option<i64>)> {
        self.rows("episode", |b| {
            let v = tables::episode::View::try_new(b).unwrap();
            (0..v.len()).map(|i| (v.row(i).first_event, v.row(i).last_event)).collect()
        })
    }

    /// (tid, waited on, idle cpu, core-ns) of an episode's pairs.
    pub fn pairs(&self, episode: i32) -> Vec<(i32, i16, i16, i64)> {
        let tids = self.tids();
        self.rows("episode_pair", |b| {
            let v = tables::episode_pair::View::try_new(b).unwrap();
            let rows = (0..v.len()).map(|i| v.row(i)).filter(|r| r.episode_id == episode);
            rows.map(|r| (tids[r.utid as usize], r.waited_on, r.idle_cpu, r.core_ns)).collect()
        })
    }

    pub fn tids(&self) -> Vec<i32> {
        self.rows("thread", |b| {
            let v = tables::thread::View::try_new(b).unwrap();
            (0..v.len()).map(|i| v.row(i).tid).collect()
        })
    }

    /// One number per thread that holds `tid`, in the order of their lives.
    pub fn threads<T>(&self, tid: i32, pick: impl Fn(&tables::thread::Row) -> T) -> Vec<T> {
        self.rows("thread", |b| {
            let v = tables::thread::View::try_new(b).unwrap();
            (0..v.len()).map(|i| v.row(i)).filter(|r| r.tid == tid).map(|r| pick(&r)).collect()
        })
    }

    /// (start, end, tid or None where unobserved) of a CPU; tid 0 is idle.
    pub fn slices(&self, cpu: i16) -> Vec<(i64, i64, Option<i32>)> {
        let tids = self.tids();
        self.rows("cpu_slice", |b| {
            let v = tables::cpu_slice::View::try_new(b).unwrap();
            let rows = (0..v.len()).map(|i| v.row(i)).filter(|r| r.cpu == cpu);
            rows.map(|r| (r.start_ns, r.start_ns + r.dur_ns, r.utid.map(|u| tids[u as usize]))).collect()
        })
    }

    /// (start, end, queued, running) of a CPU's queue.
    pub fn queue(&self, cpu: i16) -> Vec<(i64, i64, i32, bool)> {
        self.rows("runqueue", |b| {
            let v = tables::runqueue::View::try_new(b).unwrap();
            let rows = (0..v.len()).map(|i| v.row(i)).filter(|r| r.cpu == cpu);
            rows.map(|r| (r.start_ns, r.start_ns + r.dur_ns, r.queued, r.running)).collect()
        })
    }

    /// (start, end, idle CPUs) while a thread waits.
    pub fn idle_cpus(&self) -> Vec<(i64, i64, i32)> {
        self.rows("wasted", |b| {
            let v = tables::wasted::View::try_new(b).unwrap();
            let rows = (0..v.len()).map(|i| v.row(i));
            rows.map(|r| (r.start_ns, r.start_ns + r.dur_ns, r.idle_cpus)).collect()
        })
    }

    /// (start, end, phase, cpu) of the threads that held `tid`.
    pub fn states(&self, tid: i32) -> Vec<(i64, i64, &'static str, Option<i16>)> {
        let tids = self.tids();
        self.rows("thread_state", |b| {
            let v = tables::thread_state::View::try_new(b).unwrap();
            let rows = (0..v.len()).map(|i| v.row(i)).filter(|r| tids[r.utid as usize] == tid);
            let phase = |code: u8| tables::thread_phase::NAMES[code as usize];
            rows.map(|r| (r.start_ns, r.start_ns + r.dur_ns, phase(r.phase), r.cpu)).collect()
        })
    }

    /// Sum of the data_quality rows of that name (and detail, when given).
    pub fn data_quality(&self, what: &str, detail: Option<&str>) -> i64 {
        let rows = self.rows("data_quality", |b| {
            let v = tables::data_quality::View::try_new(b).unwrap();
            let rows = (0..v.len()).map(|i| v.row(i));
            rows.filter(|r| r.what == what && detail.is_none_or(|d| r.detail == Some(d))).map(|r| r.value).collect()
        });
        rows.into_iter().sum()
    }

    /// (tid, orig, dest, needless) of every move.
    pub fn moves(&self) -> Vec<(i32, i16, i16, bool)> {
        let tids = self.tids();
        self.rows("migration", |b| {
            let v = tables::migration::View::try_new(b).unwrap();
            (0..v.len())
                .map(|i| v.row(i))
                .map(|r| (tids[r.utid as usize], r.orig_cpu, r.dest_cpu, r.needless))
                .collect()
        })
    }
}
