//! Every figure of the semantics, by brute force over the instants of a trace.

use std::collections::{BTreeMap, BTreeSet};

use wastenot_schemas::thread_phase as phase;

use super::matching::{self, Candidate};
use super::state::{Instant, Phase, Row, Waiter, replay};
use super::waits;
use super::{Machine, Set, Trace, members};

/// (utid, queue, idle CPU) and its core-ns.
pub type Pairs = BTreeMap<(usize, usize, usize), i64>;

/// An episode: grade as in the tables, and what it held.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Episode {
    pub grade: u8,
    pub start: i64,
    pub end: i64,
    pub core_ns: i64,
    pub total_core_ns: i64,
    pub peak: usize,
    pub idle: BTreeSet<usize>,
    pub overloaded: BTreeSet<usize>,
    pub excused_core_ns: i64,
    pub pairs: Pairs,
}

/// All that is compared.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Figures {
    /// wasted, certain, idle_while_waiting, idle, online, busy, observed, wall time with waste.
    pub sums: [i64; 8],
    pub peak: usize,
    pub ledger: [i64; 8],
    /// (wasted, certain, idle_while_waiting, idle, waiting) over time where idle_while_waiting > 0.
    pub wasted: Vec<Row<[usize; 5]>>,
    /// (episodes, core-ns) of noise … persistent, recurrent.
    pub grades: [(i64, i64); 6],
    pub episodes: Vec<Episode>,
    /// Per utid.
    pub avoidable: Vec<i64>,
    /// Per utid: run, wait after a wakeup, after a preemption, sleep, blocked, throttled.
    pub times: Vec<[i64; 6]>,
    pub states: Vec<Vec<Row<Phase>>>,
    pub slices: Vec<Vec<Row<Option<usize>>>>,
    /// The wait ledger, and what it counts of threads that did not wait after all.
    pub waits: BTreeMap<waits::Key, i64>,
    pub refuted: i64,
}

/// Rows that touch and say the same are one; rows without length are none.
pub fn merged<T: PartialEq + Clone>(rows: &[Row<T>]) -> Vec<Row<T>> {
    let mut out: Vec<Row<T>> = Vec::new();
    for row in rows.iter().filter(|r| r.0 < r.1) {
        match out.last_mut() {
            Some(last) if last.1 == row.0 && last.2 == row.2 => last.1 = row.1,
            _ => out.push(row.clone()),
        }
    }
    out
}

/// An instant with what follows from it.
struct MachineAt {
    from: i64,
    to: i64,
    m: [usize; 9],
    certain: usize,
    idle: usize,
    waiting: usize,
    /// (queue, idle CPUs it may use now) of every waiter.
    usable: Vec<(usize, Set)>,
    pairs: Vec<(usize, usize, usize)>,
    /// wasted_τ of noise (τ = 0) and the timed grades.
    lasting: [usize; 5],
}

impl MachineAt {
    fn dt(&self) -> i64 {
        self.to - self.from
    }
}

/// The idle CPUs a waiter may use under the first `k` excuses.
pub fn may_use(m: &Machine, s: &Instant, w: &Waiter, k: usize) -> Set {
    let excused = [w.per_cpu, w.migration_disabled, false, false, w.throttled];
    if excused.iter().take(k).any(|e| *e) {
        return 0;
    }
    let mut set = s.idle;
    if k >= 3 {
        set &= w.cpuset.unwrap_or(Set::MAX);
    }
    if k >= 4 {
        set &= w.mask.unwrap_or(Set::MAX);
    }
    if k >= 6 {
        set &= !m.isolated;
    }
    if k >= 7 {
        let alien = |&c: &usize| members(m.siblings(c)).any(|s2| s.cookies[s2].is_some_and(|k| k != w.cookie));
        set &= !members(set).filter(alien).fold(0, |s, c| s | 1 << c);
    }
    if k >= 8 {
        set &= !s.irq;
    }
    set
}

fn evaluate(m: &Machine, s: &Instant) -> MachineAt {
    let with = |k: usize, w: &Waiter| may_use(m, s, w, k);
    let size = |k: usize| matching::size(&s.waiters.iter().map(|w| with(k, w)).collect::<Vec<_>>());
    let known = s.waiters.iter().filter(|w| w.mask.is_some() || w.per_cpu);
    let candidates = s.waiters.iter().map(|w| {
        let (utid, wait_start, queue) = (w.utid, w.wait_start, w.cpu);
        Candidate { utid, wait_start, queue, allowed: with(8, w) }
    });
    let pairs = matching::canonical(candidates.collect(), |a, b| m.rank(a, b));
    let sizes: [usize; 9] = std::array::from_fn(size);
    assert_eq!(pairs.len(), sizes[8], "the canonical matching is a maximum one");
    MachineAt {
        from: s.from,
        to: s.to,
        m: sizes,
        certain: matching::size(&known.map(|w| with(8, w)).collect::<Vec<_>>()),
        idle: s.idle.count_ones() as usize,
        waiting: s.waiters.len(),
        usable: s.waiters.iter().map(|w| (w.cpu, with(8, w))).collect(),
        pairs,
        lasting: [0; 5],
    }
}

/// (idle CPU, queue) and when it was alive without break.
type Alive = BTreeMap<(usize, usize), Vec<(i64, i64)>>;

fn alive(evaluated: &[MachineAt]) -> Alive {
    let mut alive = Alive::new();
    for l in evaluated {
        let now: BTreeSet<(usize, usize)> =
            l.usable.iter().flat_map(|&(q, set)| members(set).map(move |i| (i, q))).collect();
        for pair in now {
            let list = alive.entry(pair).or_default();
            match list.last_mut() {
                Some(last) if last.1 == l.from => last.1 = l.to,
                _ => list.push((l.from, l.to)),
            }
        }
    }
    alive
}

/// Length of the pair's interval around `t`.
fn length(alive: &Alive, pair: (usize, usize), t: i64) -> i64 {
    let list = alive.get(&pair).map_or(&[][..], |l| l);
    list.iter().find(|(from, to)| *from <= t && t < *to).map_or(0, |(from, to)| to - from)
}

/// The figures of a trace.
pub fn figures(trace: &Trace) -> Figures {
    let m = &trace.machine;
    let state = replay(trace);
    let mut evaluated: Vec<MachineAt> = state.instants.iter().map(|s| evaluate(m, s)).collect();
    let alive = alive(&evaluated);
    let lasts = |grade: usize, i: usize, q: usize, t: i64| {
        let tau = if grade == 0 { 0 } else { m.tau(i, q)[grade - 1] };
        length(&alive, (i, q), t) > tau
    };
    for l in &mut evaluated {
        for grade in 0..5 {
            let pair = |&(q, set): &(usize, Set)| {
                members(set).filter(|&i| lasts(grade, i, q, l.from)).fold(0, |s, i| s | 1 << i)
            };
            l.lasting[grade] = matching::size(&l.usable.iter().map(pair).collect::<Vec<_>>());
        }
        assert_eq!(l.lasting[0], l.m[8], "every pair that is there lasts longer than nothing");
    }

    let mut f = Figures { avoidable: vec![0; state.threads.len()], ..Figures::default() };
    for (l, s) in evaluated.iter().zip(&state.instants) {
        let dt = l.dt();
        for (sum, n) in f.sums.iter_mut().zip([l.m[8], l.certain, l.m[0], l.idle, s.online]) {
            *sum += dt * n as i64;
        }
        f.sums[7] += if l.m[8] > 0 { dt } else { 0 };
        f.peak = f.peak.max(l.m[8]);
        (0..8).for_each(|k| f.ledger[k] += dt * (l.m[k] as i64 - l.m[k + 1] as i64));
        if l.m[0] > 0 {
            f.wasted.push((l.from, l.to, [l.m[8], l.certain, l.m[0], l.idle, l.waiting]));
        }
        l.pairs.iter().for_each(|(utid, ..)| f.avoidable[*utid] += dt);
    }
    let pairs: Vec<_> = evaluated.iter().map(|l| l.pairs.clone()).collect();
    (f.waits, f.refuted) = waits::ledger(m, &state, &pairs);
    f.wasted = merged(&f.wasted);
    f.slices = state.cpus.iter().map(|c| merged(&c.rows)).collect();
    for (from, to, who) in f.slices.iter().flatten() {
        f.sums[5] += if who.is_some_and(|u| u != 0) { to - from } else { 0 };
        f.sums[6] += if who.is_some() { to - from } else { 0 };
    }
    f.states = state.threads.iter().map(|t| merged(&t.rows)).collect();
    const TIMED: [u8; 6] =
        [phase::RUNNING, phase::RUNNABLE, phase::PREEMPTED, phase::SLEEPING, phase::BLOCKED, phase::THROTTLED];
    let spent = |rows: &[Row<Phase>], p: u8| rows.iter().filter(|r| r.2.0 == p).map(|r| r.1 - r.0).sum::<i64>();
    f.times = f.states.iter().map(|rows| TIMED.map(|p| spent(rows, p))).collect();

    for grade in 0..5 {
        let of_grade = episodes(&evaluated, grade, &lasts);
        let core_ns = of_grade.iter().map(|e| e.core_ns).sum();
        f.grades[grade] = (of_grade.len() as i64, core_ns);
        if grade >= 2 {
            f.episodes.extend(of_grade);
        }
    }
    let recurrent = recurrent(m, &evaluated, &lasts);
    f.grades[5] = (recurrent.len() as i64, recurrent.iter().map(|e| e.core_ns).sum());
    f.episodes.extend(recurrent);
    f.episodes.sort();
    f
}

/// Episodes of a grade (0 noise … 4 persistent), those that hold time of just that grade.
fn episodes(evaluated: &[MachineAt], grade: usize, lasts: &impl Fn(usize, usize, usize, i64) -> bool) -> Vec<Episode> {
    let mut out = Vec::new();
    let mut at = 0;
    while at < evaluated.len() {
        let n = evaluated[at..].iter().take_while(|l| l.lasting[grade] > 0).count();
        let part = &evaluated[at..at + n];
        at += n + 1;
        let (Some(first), Some(last)) = (part.first(), part.last()) else { continue };
        let sum = |of: &dyn Fn(&MachineAt) -> usize| part.iter().map(|l| l.dt() * of(l) as i64).sum::<i64>();
        let total_core_ns = sum(&|l| l.lasting[grade]);
        let mut e = Episode {
            grade: grade as u8,
            start: first.from,
            end: last.to,
            core_ns: total_core_ns - if grade < 4 { sum(&|l| l.lasting[grade + 1]) } else { 0 },
            total_core_ns,
            peak: part.iter().map(|l| l.lasting[grade]).max().unwrap_or(0),
            idle: BTreeSet::new(),
            overloaded: BTreeSet::new(),
            excused_core_ns: sum(&|l| l.m[0] - l.m[8]),
            pairs: Pairs::new(),
        };
        for l in part {
            for (q, set) in &l.usable {
                for i in members(*set).filter(|&i| lasts(grade, i, *q, l.from)) {
                    e.idle.insert(i);
                    e.overloaded.insert(*q);
                }
            }
            for &(w, q, i) in l.pairs.iter().filter(|&&(_, q, i)| lasts(grade, i, q, l.from)) {
                *e.pairs.entry((w, q, i)).or_default() += l.dt();
            }
        }
        if e.core_ns > 0 {
            out.push(e);
        }
    }
    out
}

/// A canonical pairing from begin to end.
type Segment = Row<(usize, usize, usize)>;

fn recurrent(m: &Machine, evaluated: &[MachineAt], lasts: &impl Fn(usize, usize, usize, i64) -> bool) -> Vec<Episode> {
    const WINDOW: i64 = 100_000_000;
    let mut segments: BTreeMap<(usize, usize, usize), Vec<Segment>> = BTreeMap::new();
    for l in evaluated {
        for &(w, q, i) in l.pairs.iter().filter(|&&(_, q, i)| !lasts(3, i, q, l.from)) {
            segments.entry((w, q, i)).or_default().push((l.from, l.to, (w, q, i)));
        }
    }
    let mut by_llcs: BTreeMap<(usize, usize), Vec<Segment>> = BTreeMap::new();
    for s in segments.values().flat_map(|rows| merged(rows)) {
        by_llcs.entry((m.llc[s.2.1], m.llc[s.2.2])).or_default().push(s);
    }
    let mut out = Vec::new();
    for all in by_llcs.values() {
        let ends: BTreeSet<i64> = all.iter().map(|s| s.1).collect();
        // An interval counts where it ends; windows that qualify, and what ends in them.
        let ending = |t: i64| all.iter().filter(move |s| s.1 > t - WINDOW && s.1 <= t);
        let qualifies = |t: &i64| {
            let mut intervals: Vec<Row<()>> = ending(*t).map(|s| (s.0, s.1, ())).collect();
            intervals.sort();
            let apart = intervals.iter().scan(i64::MIN, |reach, s| {
                let new = s.0 > *reach;
                *reach = s.1.max(*reach);
                Some(usize::from(new))
            });
            apart.sum::<usize>() > 1 && ending(*t).map(|s| s.1 - s.0).sum::<i64>() >= WINDOW / 10
        };
        let windows: Vec<i64> = ends.into_iter().filter(qualifies).collect();
        for run in windows.chunk_by(|a, b| b - WINDOW < *a) {
            let held: BTreeSet<Segment> = run.iter().flat_map(|&t| ending(t)).copied().collect();
            let mut pairs = Pairs::new();
            held.iter().for_each(|s| *pairs.entry(s.2).or_default() += s.1 - s.0);
            let core_ns = pairs.values().sum();
            let idle: BTreeSet<usize> = pairs.keys().map(|p| p.2).collect();
            out.push(Episode {
                grade: 5,
                start: held.iter().map(|s| s.0).min().unwrap_or(0),
                end: held.iter().map(|s| s.1).max().unwrap_or(0),
                core_ns,
                total_core_ns: core_ns,
                peak: idle.len(),
                idle,
                overloaded: pairs.keys().map(|p| p.1).collect(),
                excused_core_ns: 0,
                pairs,
            });
        }
    }
    out
}
