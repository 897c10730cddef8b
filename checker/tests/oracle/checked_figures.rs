//! The checker's tables as [`Figures`], and what must hold between them whatever the events were.

use std::collections::BTreeMap;

use arrow_array::{RecordBatch, RecordBatchIterator};
use wastenot_checker::{BatchCollector, BatchReader, CheckError, Options, check};
use wastenot_schemas as tables;

use super::figures::{Episode, Figures, Pairs, merged};
use super::state::{Phase, Row};
use super::{Machine, Trace};

/// Check a trace; every input table is cut into batches of that many rows.
pub fn check_in_batches(trace: &Trace, rows: usize, options: &Options) -> Result<BatchCollector, CheckError> {
    let inputs = trace.tables().into_iter().map(|(name, batch)| {
        let starts = (0..batch.num_rows()).step_by(rows.max(1));
        let parts: Vec<_> = starts.map(|at| Ok(batch.slice(at, rows.min(batch.num_rows() - at)))).collect();
        let reader: BatchReader = Box::new(RecordBatchIterator::new(parts, batch.schema()));
        (name.to_owned(), reader)
    });
    let mut kept = BatchCollector::default();
    check(inputs.collect(), options, &mut kept)?;
    Ok(kept)
}

/// Contents of the tables, to compare two checks in full.
pub fn contents(kept: &BatchCollector) -> BTreeMap<&'static str, Vec<RecordBatch>> {
    let mut by_table: BTreeMap<&'static str, Vec<RecordBatch>> = BTreeMap::new();
    for (name, batch) in kept.0.iter().filter(|(name, _)| *name != "verdict") {
        by_table.entry(name).or_default().push(batch.clone());
    }
    by_table
}

macro_rules! rows {
    ($kept:expr, $table:ident, $read:expr) => {{
        let mut rows = Vec::new();
        for (_, batch) in $kept.0.iter().filter(|(name, _)| *name == tables::$table::NAME) {
            let view = tables::$table::View::try_new(batch).expect("the declared columns");
            rows.extend((0..view.len()).map(|i| $read(view.row(i))));
        }
        rows
    }};
}

/// The figures in the checker's tables. CPU numbers of generated machines are their indices.
pub fn figures(kept: &BatchCollector, machine: &Machine) -> Figures {
    use tables::{
        cpu_slice, episode, episode_pair, excuse_ledger, thread, thread_state, verdict, verdict_grade, wasted,
    };
    let mut f = Figures::default();
    let verdict = rows!(kept, verdict, |r: verdict::Row| {
        let sums = [r.wasted_ns, r.certain_ns, r.idle_while_waiting_ns, r.idle_ns];
        (sums, [r.online_ns, r.busy_ns, r.observed_ns, r.wall_wasted_ns], r.peak_wasted as usize)
    });
    f.sums[..4].copy_from_slice(&verdict[0].0);
    f.sums[4..].copy_from_slice(&verdict[0].1);
    f.peak = verdict[0].2;
    for (excuse, ns) in rows!(kept, excuse_ledger, |r: excuse_ledger::Row| (r.excuse as usize, r.core_ns)) {
        f.ledger[excuse] = ns;
    }
    for (grade, total) in
        rows!(kept, verdict_grade, |r: verdict_grade::Row| (r.grade as usize, (r.episodes, r.core_ns)))
    {
        f.grades[grade] = total;
    }
    f.wasted = rows!(kept, wasted, |r: wasted::Row| {
        let counts = [r.wasted, r.certain, r.idle_while_waiting, r.idle_cpus, r.waiting].map(|n| n as usize);
        (r.start_ns, r.start_ns + r.dur_ns, counts)
    });
    let threads = rows!(kept, thread, |r: thread::Row| {
        let times = [r.run_ns, r.wait_wakeup_ns, r.wait_preempted_ns, r.sleep_ns, r.blocked_ns, r.throttled_ns];
        (r.utid as usize, r.avoidable_wait_ns, times)
    });
    let n = threads.iter().map(|t| t.0 + 1).max().unwrap_or(1);
    (f.avoidable, f.times, f.states) = (vec![0; n], vec![[0; 6]; n], vec![Vec::new(); n]);
    for (utid, avoidable, times) in threads {
        (f.avoidable[utid], f.times[utid]) = (avoidable, times);
    }
    let states = rows!(kept, thread_state, |r: thread_state::Row| {
        let state = (r.start_ns, r.start_ns + r.dur_ns, (r.phase, r.cpu.map(|c| c as usize)));
        (r.utid as usize, state)
    });
    states.into_iter().for_each(|(utid, row)| f.states[utid].push(row));
    f.slices = vec![Vec::new(); machine.n];
    let slices = rows!(kept, cpu_slice, |r: cpu_slice::Row| {
        (r.cpu as usize, (r.start_ns, r.start_ns + r.dur_ns, r.utid.map(|u| u as usize)))
    });
    slices.into_iter().for_each(|(cpu, row)| f.slices[cpu].push(row));

    let mut pairs: BTreeMap<i32, Pairs> = BTreeMap::new();
    let pair_rows = rows!(kept, episode_pair, |r: episode_pair::Row| {
        (r.episode_id, (r.utid as usize, r.waited_on as usize, r.idle_cpu as usize), r.core_ns)
    });
    for (id, pair, ns) in pair_rows {
        assert!(pairs.entry(id).or_default().insert(pair, ns).is_none(), "a pair is listed once");
    }
    f.episodes = rows!(kept, episode, |r: episode::Row| {
        let pairs = pairs.remove(&r.episode_id).unwrap_or_default();
        let threads: std::collections::BTreeSet<usize> = pairs.keys().map(|p| p.0).collect();
        assert_eq!(threads.len(), r.threads as usize, "threads of an episode");
        Episode {
            grade: r.grade,
            start: r.start_ns,
            end: r.end_ns,
            core_ns: r.core_ns,
            total_core_ns: r.total_core_ns,
            peak: r.peak as usize,
            idle: r.idle_cpus.iter().map(|c| *c as usize).collect(),
            overloaded: r.overloaded_cpus.iter().map(|c| *c as usize).collect(),
            excused_core_ns: r.excused_core_ns,
            pairs,
        }
    });
    f.episodes.sort();
    let waits = rows!(kept, cgroup_wait, |r: tables::cgroup_wait::Row| {
        ((r.cgroup_id, r.reason, r.excuse, r.culprit_cgroup_id), r.wait_ns)
    });
    for (key, ns) in waits {
        assert!(f.waits.insert(key, ns).is_none(), "a row is there once");
    }
    let remarks = rows!(kept, data_quality, |r: tables::data_quality::Row| (r.what == "refuted_wait_ns", r.value));
    f.refuted = remarks.iter().filter(|(is_refuted, _)| *is_refuted).map(|(_, ns)| ns).sum();
    f
}

impl Figures {
    /// Rows that touch and say the same as one, so that where rows were cut does not count.
    pub fn in_one_piece(mut self) -> Self {
        self.wasted = merged(&self.wasted);
        self.slices = self.slices.iter().map(|rows| merged(rows)).collect();
        self.states = self.states.iter().map(|rows| merged(rows)).collect();
        self
    }

    /// What holds for every trace, however odd.
    pub fn assert_consistent(&self, machine: &Machine, end_ns: i64) {
        let [wasted, certain, idle_while_waiting, ..] = self.sums;
        assert!(self.ledger.iter().all(|ns| *ns >= 0), "ledger {:?}", self.ledger);
        assert_eq!(self.ledger.iter().sum::<i64>(), idle_while_waiting - wasted, "the ledger's sum");
        let grades = &self.grades[..5];
        assert!(grades.iter().all(|(n, ns)| *n >= 0 && *ns >= 0 && (*n > 0) == (*ns > 0)), "grades {grades:?}");
        assert_eq!(grades.iter().map(|g| g.1).sum::<i64>(), wasted, "the grades' sum");
        assert_eq!(self.avoidable.iter().sum::<i64>(), wasted, "avoidable wait");
        self.assert_waits_add_up();
        assert!(
            0 <= certain && certain <= wasted && wasted <= idle_while_waiting,
            "{certain} <= {wasted} <= {idle_while_waiting}"
        );
        self.assert_rows(machine, end_ns);
        for (a, b) in self.episodes.iter().zip(self.episodes.iter().skip(1)) {
            let apart = a.grade != b.grade || a.grade == 5 || a.end < b.start;
            assert!(apart, "episodes of one grade overlap or touch: {a:?} {b:?}");
        }
        for e in self.episodes.iter().filter(|e| e.grade != 5) {
            assert!(e.start < e.end && 0 < e.core_ns && e.core_ns <= e.total_core_ns, "{e:?}");
            assert!(e.pairs.values().sum::<i64>() <= self.sums[0], "{e:?}");
        }
    }

    fn assert_waits_add_up(&self) {
        let of = |reason: u8| self.waits.iter().filter(|(key, _)| key.1 == reason).map(|(_, ns)| ns).sum::<i64>();
        let waited: i64 =
            self.times.iter().map(|[_, woken, preempted, _, _, throttled]| woken + preempted + throttled).sum();
        assert_eq!(self.waits.values().sum::<i64>() - self.refuted, waited, "the wait ledger's sum");
        assert!(self.waits.values().all(|ns| *ns > 0) && self.refuted >= 0, "{:?} {}", self.waits, self.refuted);
        assert_eq!(of(tables::wait_reason::AVOIDABLE), self.sums[0], "avoidable waits");
        let excused: i64 = self.ledger.iter().sum();
        assert!(of(tables::wait_reason::CONFINED) <= excused, "as many are confined as CPUs are excused, at most");
    }

    fn assert_rows(&self, machine: &Machine, end_ns: i64) {
        for (cpu, rows) in self.slices.iter().enumerate() {
            let mut reached = 0;
            for (from, to, _) in rows {
                assert!(*from == reached && to > from, "slices of cpu {cpu}: {rows:?}");
                reached = *to;
            }
            assert_eq!(reached, end_ns, "slices of cpu {cpu}");
        }
        assert_eq!(self.slices.len(), machine.n);
        for (utid, rows) in self.states.iter().enumerate() {
            for (a, b) in rows.iter().zip(rows.iter().skip(1)) {
                assert!(a.1 <= b.0, "states of utid {utid} overlap: {a:?} {b:?}");
            }
            assert!(rows.iter().all(|r| r.0 < r.1), "states of utid {utid}: {rows:?}");
            let runs = |r: &&Row<Phase>| r.2.0 == tables::thread_phase::RUNNING;
            for (from, to, (_, cpu)) in rows.iter().filter(runs) {
                let cpu = cpu.expect("a running thread has a CPU");
                let mine = |s: &&Row<Option<usize>>| s.2 == Some(utid) && s.0 < *to && s.1 > *from;
                let there: i64 = self.slices[cpu].iter().filter(mine).map(|s| s.1.min(*to) - s.0.max(*from)).sum();
                assert_eq!(there, to - from, "utid {utid} runs on cpu {cpu} from {from} to {to}");
            }
        }
    }
}
