//! Grades: how long each edge lasted, and the waste made of edges that lasted longer than τ.
//!
//! An edge (idle CPU i, waiter w) lasts by the *pair* (i, queue of w): the time, without break, in which i is usable and
//! idle and the queue holds a waiter that may use i. wasted_τ(t) is the maximum matching over edges whose pair interval
//! is longer than τ. A spell's record is replayed once: pair intervals first, then one matching per grade over those
//! that are long enough. Pairs shorter than the smallest τ never enter a matching, so flicker costs next to nothing.

mod edge_flow;
mod pairs;

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use pairs::{Carried, Pair, PairFinder};

use crate::causes::answers::Question;
use crate::causes::rules::Answers;
use crate::causes::{Judge, Stood, Tally};
use crate::matching::CpuBits;
use crate::options::Options;
use crate::spells::{Op, PairSegment, Step, Waiting};
use crate::topology::{CpuIx, Topology};

/// Grades with a τ: in flight, expected, lasting, persistent (0 … 3 here; noise is what none of them holds).
pub const TIMED: usize = 4;
const EXPECTED: usize = 1;
const LASTING: usize = 2;
const PERSISTENT: usize = 3;

/// τ of the first grade where no option changes it, ns.
const IN_FLIGHT_NS: i64 = 50_000;
/// Cap of the last grade's τ, ns (the keynote's non-transient violation).
const PERSISTENT_NS: i64 = 100_000_000;

/// The record of (a part of) a spell, as `grades` needs it.
pub struct Chunk<'a> {
    /// Grade from here …
    pub start: i64,
    /// Event that made the state at `start`.
    pub start_event: Option<i64>,
    /// … to here.
    pub cut: i64,
    /// What is known reaches to here; at least the largest τ beyond `cut`, unless the spell ended.
    pub known: i64,
    pub ended: bool,
    pub ops: &'a [Op],
    pub pairs: &'a [PairSegment],
    pub excused: &'a [Step],
    pub n_cpus: usize,
    /// State at `known`, from which the record is undone back to `start`: usable idle CPUs, waiters by queue.
    pub idle_now: CpuBits,
    pub waiting: &'a Waiting,
}

/// An episode of a timed grade, done or under way.
#[derive(Clone, Debug, PartialEq)]
pub struct Episode {
    /// 0 … 3 as [`TIMED`].
    pub grade: usize,
    pub start: i64,
    pub end: i64,
    pub core_ns: i64,
    pub total_core_ns: i64,
    pub peak: u32,
    pub idle: BTreeSet<CpuIx>,
    pub overloaded: BTreeSet<CpuIx>,
    /// Waste per (utid, queue CPU, idle CPU), core-ns.
    pub pairs: BTreeMap<(u32, u32, u32), i64>,
    /// Why, by pair.
    pub tally: Tally,
    /// Waste by pair of edges that still stand: what ends them is not known yet.
    unresolved: BTreeMap<(u32, u32, u32), i64>,
    pub excused_core_ns: i64,
    pub first_event: Option<i64>,
    pub last_event: Option<i64>,
}

/// Grades spells.
pub struct Grades {
    topology: Arc<Topology>,
    thresholds: [Option<i64>; TIMED],
    carried: Carried,
    finder: PairFinder,
    open: [Option<Episode>; TIMED],
    /// ∫ wasted_τ dt per grade, core-ns.
    pub totals: [i64; TIMED],
    /// Episodes per grade.
    pub counts: [i64; TIMED],
    /// Episodes of grade expected and above.
    pub done: Vec<Episode>,
}

impl Grades {
    pub fn new(topology: Arc<Topology>, options: &Options) -> Self {
        Self {
            topology,
            thresholds: options.thresholds_ns,
            carried: Carried::new(),
            finder: PairFinder::default(),
            open: [const { None }; TIMED],
            totals: [0; TIMED],
            counts: [0; TIMED],
            done: Vec::new(),
        }
    }

    /// τ of a grade for a pair, ns; rises with the grade.
    pub fn tau(&self, grade: usize, idle: CpuIx, queue: CpuIx) -> i64 {
        let interval = || self.topology.balance_interval_ns(idle, queue);
        let persistent = || {
            self.thresholds[PERSISTENT].unwrap_or_else(|| PERSISTENT_NS.min(3 * interval()).max(self.topology.tick_ns))
        };
        let own = match grade {
            0 => self.thresholds[0].unwrap_or(IN_FLIGHT_NS),
            EXPECTED => self.thresholds[EXPECTED].unwrap_or(self.topology.tick_ns),
            // Persistent takes precedence where its τ is the shorter one.
            LASTING => self.thresholds[LASTING].unwrap_or_else(interval).min(persistent()),
            _ => persistent(),
        };
        if grade == 0 { own } else { own.max(self.tau(grade - 1, idle, queue)) }
    }

    /// Spells no longer than this hold nothing but noise, ns.
    pub fn shortest(&self) -> i64 {
        self.thresholds[0].unwrap_or(IN_FLIGHT_NS)
    }

    /// A bound on every τ, ns: how far behind the present a cut has to stay.
    pub fn longest(&self) -> i64 {
        let n = self.topology.len().max(1) as CpuIx;
        let widest = (0..n).map(|c| self.topology.balance_interval_ns(c, n - 1 - c)).max().unwrap_or(0);
        let set = self.thresholds.iter().flatten().copied().max().unwrap_or(0);
        widest.max(set).max(PERSISTENT_NS).max(self.topology.tick_ns)
    }

    /// Grade a chunk, and say why of what lasted. Returns, for each pair segment of the chunk, whether its edge was lasting or persistent then.
    pub fn grade<'a>(&mut self, chunk: &Chunk, allowed: impl Fn(u32) -> &'a CpuBits, judge: &Judge<'_>) -> Vec<bool> {
        let mut finder = std::mem::take(&mut self.finder);
        finder.find(chunk, self.shortest(), &self.carried, &allowed);
        let by_grade = self.by_grade(finder.found(), chunk.cut);
        let steps: [Vec<Step>; TIMED] =
            std::array::from_fn(|g| edge_flow::matching_over_time(chunk, &finder, &by_grade[g], &allowed));
        let mut judged = Judged { judge, chunk, edges: HashMap::new() };
        for g in 0..TIMED {
            let above: &[Step] = steps.get(g + 1).map_or(&[], |s| s);
            self.episodes(g, chunk, &steps[g], above, &by_grade[g], &mut judged);
        }
        self.carried.clear();
        if !chunk.ended {
            let alive = finder.found().iter().filter(|p| p.from < chunk.cut && p.to > chunk.cut);
            self.carried.extend(alive.map(|p| ((p.idle, p.queue), p.from)));
        }
        self.finder = finder;
        let lasting = by_edge(&by_grade[LASTING]);
        chunk.pairs.iter().map(|s| is_on(&lasting, s)).collect()
    }

    /// The pairs that begin before the cut, by the grades whose τ they exceed.
    fn by_grade(&self, pairs: &[Pair], cut: i64) -> [Vec<Pair>; TIMED] {
        let mut lists: [Vec<Pair>; TIMED] = Default::default();
        for p in pairs.iter().filter(|p| p.from < cut) {
            let holds = |grade: &usize| p.length() > self.tau(*grade, p.idle, p.queue);
            (0..TIMED).take_while(holds).for_each(|grade| lists[grade].push(*p));
        }
        lists
    }

    /// Extend and close the episodes of one grade with what the chunk showed.
    fn episodes(
        &mut self,
        grade: usize,
        chunk: &Chunk,
        own: &[Step],
        above: &[Step],
        edges: &[Pair],
        judged: &mut Judged<'_>,
    ) {
        let whole = integral(own, chunk.start, chunk.cut);
        // Those of the first grade are only counted.
        let on = by_edge(if grade == 0 { &[] } else { edges });
        self.totals[grade] += whole;
        for (from, to) in stretches(own, chunk.start, chunk.cut) {
            let touching = from == chunk.start && self.open[grade].as_ref().is_some_and(|e| e.end == from);
            if !touching {
                self.close(grade);
            }
            let first_event = if from == chunk.start { chunk.start_event } else { event_at(chunk.ops, from) };
            let e = self.open[grade].get_or_insert_with(|| Episode {
                grade,
                start: from,
                end: from,
                core_ns: 0,
                total_core_ns: 0,
                peak: 0,
                idle: BTreeSet::new(),
                overloaded: BTreeSet::new(),
                pairs: BTreeMap::new(),
                tally: Tally::default(),
                unresolved: BTreeMap::new(),
                excused_core_ns: 0,
                first_event,
                last_event: None,
            });
            e.end = to;
            let total = integral(own, from, to);
            let first = own.partition_point(|s| s.from < from);
            let values = own[first..].iter().take_while(|s| s.from < to).map(|s| s.value);
            e.total_core_ns += total;
            e.core_ns += total - integral(above, from, to);
            e.peak = e.peak.max(values.max().unwrap_or(0));
            e.excused_core_ns += integral(chunk.excused, from, to);
            e.last_event = event_at(chunk.ops, to);
            if grade == 0 {
                continue; // only counted
            }
            for p in edges.iter().filter(|p| p.from < to && p.to > from) {
                e.idle.insert(p.idle);
                e.overloaded.insert(p.queue);
            }
            for s in chunk.pairs.iter().filter(|s| s.from < to && s.to > from) {
                if let Some(edge) = edge_of(&on, s) {
                    let ns = s.to.min(to) - s.from.max(from);
                    e.add(s, ns, judged.segment(s, edge));
                }
            }
        }
        if let Some(e) = &mut self.open[grade] {
            e.resolve(&on, judged);
        }
        let goes_on = !chunk.ended && self.open[grade].as_ref().is_some_and(|e| e.end == chunk.cut);
        if !goes_on {
            self.close(grade);
        }
    }

    /// An episode whose time belongs wholly to higher grades is not one of this grade.
    fn close(&mut self, grade: usize) {
        let Some(mut e) = self.open[grade].take() else { return };
        e.leave_unresolved();
        if e.core_ns == 0 {
            return;
        }
        self.counts[grade] += 1;
        if grade >= EXPECTED {
            self.done.push(e);
        }
    }
}

/// What is answered about the edges of a chunk, each asked once.
struct Judged<'a> {
    judge: &'a Judge<'a>,
    chunk: &'a Chunk<'a>,
    edges: HashMap<Stood, (Answers, Option<Answers>)>,
}

impl Judged<'_> {
    /// Placement, correction and, where the edge has ended, resolution.
    fn segment(&mut self, s: &PairSegment, edge: (i64, i64)) -> (Answers, Answers, Option<Answers>) {
        let stood =
            Stood { idle: s.pair.idle_cpu as CpuIx, queue: s.pair.queue_cpu as CpuIx, from: edge.0, to: edge.1 };
        let placement = self.judge.placement(s.pair.utid, &s.arrival, stood.idle);
        let (correction, resolution) = self.edge(stood, s.arrival.ext);
        (placement, correction, resolution)
    }

    fn edge(&mut self, stood: Stood, ext: bool) -> (Answers, Option<Answers>) {
        let (judge, chunk) = (self.judge, self.chunk);
        let ended = chunk.ended || stood.to <= chunk.cut;
        *self.edges.entry(stood).or_insert_with(|| {
            let resolution = ended.then(|| judge.resolution(stood, stood.to, chunk.ops, stood.to >= judge.end_ns));
            (judge.correction(stood, ext), resolution)
        })
    }
}

impl Episode {
    fn add(&mut self, s: &PairSegment, ns: i64, why: (Answers, Answers, Option<Answers>)) {
        let key = (s.pair.utid, s.pair.queue_cpu, s.pair.idle_cpu);
        let (placement, correction, resolution) = why;
        *self.pairs.entry(key).or_default() += ns;
        self.tally.add(key, &placement, ns);
        self.tally.add(key, &correction, ns);
        match resolution {
            Some(resolution) => self.tally.add(key, &resolution, ns),
            None => *self.unresolved.entry(key).or_default() += ns,
        }
    }

    /// Edges that stood at the last cut may have ended meanwhile.
    fn resolve(&mut self, on: &HashMap<(u32, u32), Vec<(i64, i64)>>, judged: &mut Judged<'_>) {
        let start = judged.chunk.start;
        let tally = &mut self.tally;
        self.unresolved.retain(|key, ns| {
            let (_, queue, idle) = *key;
            let list = on.get(&(idle, queue));
            let Some(&(from, to)) = list.and_then(|l| l.iter().find(|(from, _)| *from < start)) else { return true };
            let stood = Stood { idle: idle as CpuIx, queue: queue as CpuIx, from, to };
            let Some(resolution) = judged.edge(stood, false).1 else { return true };
            tally.add(*key, &resolution, *ns);
            false
        });
    }

    /// It is over, and what ended these edges was not seen.
    fn leave_unresolved(&mut self) {
        let unknown = Answers::unknown(Question::Resolution);
        for (key, ns) in std::mem::take(&mut self.unresolved) {
            self.tally.add(key, &unknown, ns);
        }
    }
}

/// Pair intervals by (idle CPU, queue).
fn by_edge(pairs: &[Pair]) -> HashMap<(u32, u32), Vec<(i64, i64)>> {
    let mut map: HashMap<(u32, u32), Vec<(i64, i64)>> = HashMap::new();
    for p in pairs {
        map.entry((u32::from(p.idle), u32::from(p.queue))).or_default().push((p.from, p.to));
    }
    map
}

/// The segment's edge is among these pair intervals at its time (a pair interval holds its segments whole).
fn is_on(map: &HashMap<(u32, u32), Vec<(i64, i64)>>, s: &PairSegment) -> bool {
    edge_of(map, s).is_some()
}

/// The pair interval among these that holds the segment.
fn edge_of(map: &HashMap<(u32, u32), Vec<(i64, i64)>>, s: &PairSegment) -> Option<(i64, i64)> {
    let list = map.get(&(s.pair.idle_cpu, s.pair.queue_cpu))?;
    list.iter().copied().find(|&(from, to)| from < s.to && to > s.from)
}

/// Event that happened at `t`, the first of several.
fn event_at(ops: &[Op], t: i64) -> Option<i64> {
    let at = ops.partition_point(|op| op.t < t);
    ops.get(at).filter(|op| op.t == t).map(|op| op.event)
}

/// ∫ steps dt over [from, to).
fn integral(steps: &[Step], from: i64, to: i64) -> i64 {
    let mut sum = 0;
    let first = steps.partition_point(|s| s.from <= from).saturating_sub(1);
    for (i, s) in steps.iter().enumerate().skip(first).take_while(|(_, s)| s.from < to) {
        let end = steps.get(i + 1).map_or(to, |n| n.from).min(to);
        sum += (end - s.from.max(from)).max(0) * i64::from(s.value);
    }
    sum
}

/// Maximal intervals of [start, cut) with a value of at least one.
fn stretches(steps: &[Step], start: i64, cut: i64) -> Vec<(i64, i64)> {
    let mut out: Vec<(i64, i64)> = Vec::new();
    for (i, s) in steps.iter().enumerate().filter(|(_, s)| s.value > 0) {
        let (from, to) = (s.from.max(start), steps.get(i + 1).map_or(cut, |n| n.from).min(cut));
        match out.last_mut() {
            Some(last) if last.1 == from => last.1 = to,
            _ if from < to => out.push((from, to)),
            _ => {}
        }
    }
    out
}
