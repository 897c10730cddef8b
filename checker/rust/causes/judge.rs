//! From what was seen to the facts of a case, and from there to the answers of the rules.

use wastenot_schemas::distance;

use super::Crossings;
use super::answers::Question;
use super::arrivals::Arrival;
use super::departures::Departures;
use super::domains::{GROUPS_OF_EACH, Known, Level, Tree, built_together};
use super::kernels::Release;
use super::rules::ended_by::Ended;
use super::rules::not_moved_because::{Edge, Kind, Looks, Passes, Told};
use super::rules::placed_by::Placed;
use super::rules::{self, Answers, Found};
use super::witness::{Ending, Pass, Verdict, Witness};
use crate::fast_hash::FastMap;
use crate::matching::CpuBits;
use crate::spells::{Change, Op, PairSegment};
use crate::topology::{CpuIx, Topology};

/// Waste that lasts so long is persistent, ns.
const LONG_NS: i64 = 100_000_000;

/// The longest balance interval that a kernel gives a domain, per CPU (kernel/sched/topology.c: sd_init), and the longest that
/// any can have, per CPU of the machine (kernel/sched/fair.c: update_max_interval), ns.
const USUAL_PER_CPU_NS: i64 = 2_000_000;
const LONGEST_PER_CPU_NS: i64 = 100_000_000;
/// So many times the usual interval is long.
const SELDOM: i64 = 4;

/// Changes looked at for what ended an edge.
const OPS: usize = 256;
/// Cases whose answers are remembered; arrivals, and events that ended edges: those of a batch of segments (see
/// `recurrent`).
const REMEMBERED: usize = 1 << 10;
const ARRIVALS: usize = 1 << 12;
const ENDS: usize = 1 << 13;

/// An idle CPU beside a queue with a waiter that may use it, from `from` to `to`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Stood {
    pub idle: CpuIx,
    pub queue: CpuIx,
    pub from: i64,
    pub to: i64,
}

/// Answers to what has been asked already. Rules are functions of their facts: who asks the same gets the same.
#[derive(Default)]
pub struct Memory {
    /// Of the chunk's arrivals asked about lately.
    placements: Vec<Option<Placement>>,
    /// Of edges beside which the balancer was not seen.
    corrections: FastMap<Unseen, Answers>,
    latest_correction: Option<(Unseen, Answers)>,
    departures: Departures,
    /// By place in the record of an event that ended edges, alone at its instant; those asked about lately.
    resolutions: Vec<Option<(u32, Answers)>>,
    /// The instant asked about last, and the first change then or later.
    latest: (i64, usize),
    /// Answers that hold for the one who asked.
    last: Option<Answers>,
}

/// What is said of an arrival, for whichever idle CPU: its place in the record, and whether a sched_ext scheduler runs
/// the thread.
struct Placement {
    arrival: u32,
    ext: bool,
    answers: Answers,
}

/// The facts of a correction where nothing of the balancer was seen while the edge stood.
type Unseen = (u8, u16, bool, Option<i16>, Option<i64>);

/// Answers the three questions about the times of waste of a chunk.
pub struct Judge<'a> {
    pub witness: &'a Witness,
    pub crossings: &'a Crossings,
    pub topology: &'a Topology,
    pub release: Option<Release>,
    /// End of the recording.
    pub end_ns: i64,
    /// From when on some core was wasted without break; the latest that is known where that was long ago.
    pub wasting_since: i64,
    /// Causes are not asked for.
    pub asks_nothing: bool,
    /// The chunk's changes, and the arrivals of its pairs.
    pub ops: &'a [Op],
    pub arrivals: &'a [Arrival],
    pub memory: &'a mut Memory,
}

impl Judge<'_> {
    /// Forget what holds for one chunk only. Call before asking about another.
    pub fn begin(&mut self) {
        if !self.asks_nothing {
            self.memory.placements.clear();
            self.memory.placements.resize_with(self.arrivals.len().min(ARRIVALS), || None);
            self.memory.resolutions.clear();
            self.memory.resolutions.resize(self.ops.len().min(ENDS), None);
            self.memory.latest = (i64::MIN, 0);
            self.memory.departures.begin(self.ops, self.topology.len());
        }
    }

    /// How the thread came to stand on its queue.
    pub fn arrival(&self, s: &PairSegment) -> &Arrival {
        &self.arrivals[s.arrival as usize]
    }

    /// How the thread came to wait where an idle CPU stood beside it.
    pub fn placed_by(&mut self, s: &PairSegment) -> &Answers {
        let place = s.arrival as usize % ARRIVALS;
        if self.memory.placements[place].as_ref().is_some_and(|p| p.arrival == s.arrival) {
            return &self.memory.placements[place].as_ref().expect("just met").answers;
        }
        let arrival = &self.arrivals[s.arrival as usize];
        let ask = |gained| {
            let Arrival { came, began, ext, .. } = *arrival;
            let case = Placed { came, began, in_place: arrival.in_place(), gained, ext };
            rules::ask(Question::PlacedBy, rules::placed_by::RULES, &case, self.release, false)
        };
        if arrival.widened {
            return self.memory.last.insert(ask(self.witness.gained(s.utid, s.idle)));
        }
        let (arrival, ext, answers) = (s.arrival, arrival.ext, ask(None));
        &self.memory.placements[place].insert(Placement { arrival, ext, answers }).answers
    }

    /// A sched_ext scheduler runs the thread.
    fn ext(&self, s: &PairSegment) -> bool {
        let remembered = self.memory.placements[s.arrival as usize % ARRIVALS].as_ref();
        remembered.filter(|p| p.arrival == s.arrival).map_or_else(|| self.arrival(s).ext, |p| p.ext)
    }

    /// Why nobody moved a thread from the queue to the idle CPU while both stood.
    pub fn not_moved_because(&mut self, s: Stood, ext: bool) -> &Answers {
        let edge = self.edge(s, ext);
        let ask = || {
            rules::ask(Question::NotMovedBecause, rules::not_moved_because::RULES, &edge, self.release, !edge.is_old)
        };
        let Some(unseen) = unseen(&edge) else { return self.memory.last.insert(ask()) };
        let Memory { corrections, latest_correction: latest, .. } = &mut *self.memory;
        if latest.as_ref().is_none_or(|(of, _)| *of != unseen) {
            if corrections.len() >= REMEMBERED {
                corrections.clear();
            }
            *latest = Some((unseen, *corrections.entry(unseen).or_insert_with(ask)));
        }
        &latest.as_ref().expect("just asked").1
    }

    /// What ended, at or soon after `t`, that an idle CPU stood beside a queue. (Where the canonical matching gave the thread
    /// another CPU meanwhile, the two went on standing beside each other.)
    pub fn ended_by(&mut self, s: Stood, t: i64, at_end: bool) -> &Answers {
        let first = self.first_change(t);
        let last = self.ops.len().min(first + OPS);
        let Some(began) = self.memory.departures.next(self.ops, s.idle, s.queue, first..last) else {
            let case = Ended { at_end, ..Ended::default() };
            let answers = rules::ask(Question::EndedBy, rules::ended_by::RULES, &case, self.release, false);
            return self.memory.last.insert(answers);
        };
        let at = self.ops[began].t;
        let is_alone = self.ops[began + 1..last].first().is_none_or(|op| op.t != at);
        let place = began % ENDS;
        if is_alone && self.memory.resolutions[place].as_ref().is_some_and(|(of, _)| *of == began as u32) {
            return &self.memory.resolutions[place].as_ref().expect("just met").1;
        }
        let mut case = Ended::default();
        for op in self.ops[began..last].iter().take_while(|op| op.t == at).filter(|op| !op.came) {
            match op.what {
                Change::Cpu(cpu) if cpu == s.idle => case.cpu_taken = true,
                Change::Waiter { queue, .. } if queue == s.queue => case.waiter_gone = true,
                _ => continue,
            }
            // Of several events at one instant, one that is no switch tells more.
            if case.event.is_none() || case.ending.is_none() {
                (case.event, case.ending) = (Some(op.event), self.witness.ending_of(op.event));
            }
        }
        let mut same_for_all = is_alone;
        if let (Some(event), Some(Ending::Interrupt(until))) = (case.event, case.ending) {
            same_for_all = false;
            if let Some((event, ending)) = self.witness.pulled(event, s.queue, s.idle, until) {
                (case.event, case.ending) = (Some(event), Some(ending));
            }
        }
        let answers = rules::ask(Question::EndedBy, rules::ended_by::RULES, &case, self.release, false);
        if same_for_all {
            return &self.memory.resolutions[place].insert((began as u32, answers)).1;
        }
        self.memory.last.insert(answers)
    }

    /// Place of the first change at or after `t`, soon found where `t` lies a little after what was asked last.
    fn first_change(&mut self, t: i64) -> usize {
        let (before, from) = self.memory.latest;
        let from = if before <= t { from } else { 0 };
        let later = &self.ops[from..];
        let mut reach = 1;
        while later.get(reach - 1).is_some_and(|op| op.t < t) {
            reach *= 2;
        }
        let (near, far) = (reach / 2, later.len().min(reach));
        let first = from + near + later[near..far].partition_point(|op| op.t < t);
        self.memory.latest = (t, first);
        first
    }

    /// The best answers about a short wait, whose edge may have stood for no longer than itself; None: causes are not asked for.
    pub fn short(&mut self, s: &PairSegment) -> Option<[Found; 3]> {
        if self.asks_nothing {
            return None;
        }
        let stood = Stood { idle: s.idle, queue: s.queue, from: s.from, to: s.to };
        let placement = self.placed_by(s).best();
        let ext = self.ext(s);
        Some([
            placement,
            self.not_moved_because(stood, ext).best(),
            self.ended_by(stood, s.to, s.to >= self.end_ns).best(),
        ])
    }

    #[inline(never)] // so that it is made where it is asked for, not copied there
    fn edge(&self, s: Stood, ext: bool) -> Edge {
        let w = self.witness;
        let known = w.domains(s.from);
        let tree = known.tree();
        let at = tree.and_then(|tree| tree.common(s.idle, s.queue));
        let interval = match tree.zip(at) {
            Some((tree, at)) => tree.of(s.idle)[at].max_interval_ns.min(self.cap_ns()).max(self.topology.tick_ns),
            None => self.topology.balance_interval_ns(s.idle, s.queue),
        };
        let went_idle = w.idle_entry(s.idle, s.from);
        let entry = went_idle.filter(|_| w.tells_newidle);
        let mut edge = Edge {
            domains: match known {
                Known::No => Told::No,
                Known::Derived(_) => Told::Derived,
                Known::Exact(_) => Told::Exact,
            },
            joined: at.is_some(),
            level: tree.zip(at).map(|(tree, at)| tree.of(s.idle)[at].number),
            together: false,
            in_one_group: None,
            smaller: self.capacity(s.idle) < self.capacity(s.queue),
            seldom: tree.zip(at).is_some_and(|(tree, at)| self.seldom(s, tree, at)),
            is_old: s.to - s.from > 2 * interval,
            lasted_long: s.to.saturating_sub(self.wasting_since) > LONG_NS,
            far: self.topology.distance(s.idle, s.queue) > distance::LLC,
            crossed: self.crossings.crossed(s.idle, s.queue),
            moves_within: self
                .crossings
                .within(s.idle, self.wasting_since)
                .or(self.crossings.within(s.queue, self.wasting_since)),
            tells_passes: w.tells_passes,
            counted: false,
            readings: [None; 2],
            chance: entry.is_some_and(|e| e.t == s.from),
            entry,
            uncounted: None,
            push_failed: false,
            looks: Passes::default(),
            kicked: w.was_kicked(s.from, s.to),
            tells_kicks: w.tells_kicks,
            stopped: w.stopper_between(s.queue, s.from, s.to),
            ext,
        };
        self.passes(s, known, at, &mut edge.looks);
        if !edge.tells_passes {
            self.count(&mut edge, s, known, at, 2 * interval);
            let since = went_idle.filter(|e| e.t == s.from && !w.tells_newidle);
            if let Some((level, went)) = edge.level.zip(since) {
                let reading = w.readings.no_newidle(s.idle, level, went.t);
                edge.uncounted = reading.map(|reading| [went.event, reading]);
            }
            edge.seldom &= i64::from(edge.looks.over) * self.long_ns() < s.to - s.from;
        }
        if self.release.is_some_and(|release| release < GROUPS_OF_EACH) {
            let level = tree.zip(at).map(|(tree, at)| &tree.of(s.idle)[at]).filter(|level| level.is_numa());
            edge.together = level.is_some_and(|level| built_together(self.topology, &level.span, s.idle, s.queue));
            if edge.together {
                edge.in_one_group = tree.zip(level).and_then(|(tree, level)| self.in_one_group(s, tree, level));
            }
        }
        edge
    }

    /// Passes are not recorded: what the kernel counted says whether there were some, or none for longer than `due`.
    fn count(&self, edge: &mut Edge, s: Stood, known: Known<'_>, at: Option<usize>, due: i64) {
        let Some((tree, at)) = known.tree().zip(at) else { return };
        let common = tree.of(s.idle)[at].number;
        let mine = |cpu| cpu == s.idle || tree.in_own_group(s.idle, at, cpu);
        let counts = self.witness.readings.between(s.from, s.to, |c| c.level == common && mine(c.cpu));
        edge.counted = counts.over > 0 || counts.none_ns > due;
        edge.tells_passes = edge.counted;
        edge.readings = counts.readings;
        edge.looks.over = counts.over;
        edge.push_failed = self.witness.readings.failed_to_push(s.idle, common, s.from, s.to);
        edge.looks.by_idle = counts.by_idle > 0 || counts.idle_none_ns <= due;
        let [first, last] = counts.readings;
        edge.looks.kinds[Kind::Any as usize] = Looks { count: counts.over, first, last, ..Looks::default() };
    }

    /// A pass over this domain that counted both CPUs to the group that it balanced for.
    fn in_one_group(&self, s: Stood, tree: &Tree, domain: &Level) -> Option<i64> {
        let has_both = |group: &CpuBits| group.contains(u32::from(s.idle)) && group.contains(u32::from(s.queue));
        let over_it = |dst, number| tree.of(dst).iter().any(|d| d.number == number && d.span == domain.span);
        let mut shown = self.witness.own_groups.iter();
        let found = shown.find(|((dst, number), (_, group))| has_both(group) && over_it(*dst, *number))?;
        Some(found.1.0)
    }

    fn capacity(&self, cpu: CpuIx) -> i32 {
        self.topology.cpus[cpu as usize].capacity
    }

    /// No interval is longer (kernel: max_load_balance_interval), ns.
    fn cap_ns(&self) -> i64 {
        LONGEST_PER_CPU_NS * self.topology.len() as i64
    }

    /// An interval beyond this is long, whichever domain has it, ns.
    fn long_ns(&self) -> i64 {
        SELDOM * USUAL_PER_CPU_NS * self.topology.len() as i64
    }

    /// The domain's interval is far beyond what a kernel gives it by itself, and no CPU made passes over it more often
    /// than that interval says.
    fn seldom(&self, s: Stood, tree: &Tree, at: usize) -> bool {
        let domain = &tree.of(s.idle)[at];
        let interval = domain.min_interval_ns.unwrap_or(0).min(self.cap_ns());
        if interval <= self.long_ns() || s.to - s.from <= self.long_ns() {
            return false;
        }
        let passes = &self.witness.passes;
        let is_seldom = |cpu| passes.count(cpu, domain.number, s.from, s.to) as i64 * self.long_ns() < s.to - s.from;
        !passes.any_untold(s.from, s.to) && (0..self.topology.len() as CpuIx).all(is_seldom)
    }

    /// Add up the passes made while the edge stood, as far as they concern it.
    fn passes(&self, s: Stood, known: Known<'_>, at: Option<usize>, out: &mut Passes) {
        let made = &self.witness.passes;
        if made.is_empty() {
            return;
        }
        out.by_idle = made.any_by_idle(s.from, s.to);
        out.untold = made.any_untold(s.from, s.to);
        let Some((tree, at)) = known.tree().zip(at) else { return };
        let number = tree.of(s.idle)[at].number;
        let mut add = |cpu| {
            for pass in made.over(cpu, number, s.from, s.to) {
                out.over += 1;
                note(out, pass, s.idle);
            }
        };
        add(s.idle);
        tree.own_group(s.idle, at).filter(|&cpu| cpu != s.idle).for_each(add);
    }
}

/// The facts of an edge in short, where nothing of the balancer was seen while it stood.
fn unseen(e: &Edge) -> Option<Unseen> {
    #[rustfmt::skip] // every field, so that a new one is not passed over
    let Edge {
        domains, joined, level, together, in_one_group, smaller, seldom, is_old, lasted_long, far, crossed, moves_within,
        tells_passes, counted, readings, chance, entry, uncounted, push_failed, ref looks, kicked, tells_kicks, stopped, ext,
    } = *e;
    let counted = counted || uncounted.is_some() || push_failed || readings != [None; 2];
    let seen = entry.is_some() || stopped.is_some() || in_one_group.is_some() || counted;
    if seen || looks.over > 0 || looks.untold {
        return None;
    }
    #[rustfmt::skip]
    let flags = [
        joined, together, smaller, seldom, is_old, lasted_long, far, crossed, tells_passes, chance, kicked, tells_kicks, ext,
    ];
    let flags = flags.into_iter().enumerate().map(|(bit, flag)| u16::from(flag) << bit).sum();
    Some((domains as u8, flags, looks.by_idle, level, moves_within))
}

fn note(out: &mut Passes, pass: &Pass, idle: CpuIx) {
    let kind = match pass.verdict {
        Verdict::Moved | Verdict::NothingThere => return,
        Verdict::Unknown => None,
        Verdict::Averages => Some(Kind::Averages),
        Verdict::Allowed => Some(Kind::Allowed),
        Verdict::NumaAllowed | Verdict::NumaFew => Some(Kind::NumaAllowed),
        Verdict::Unexplained => Some(Kind::Unexplained),
        // Whom another CPU of the group may not take, this one perhaps may.
        Verdict::Pinned(_) | Verdict::StaleMask(_) => (pass.dst == idle).then_some(Kind::Pinned),
        Verdict::Refused(..) => Some(Kind::Refused),
    };
    let seen = pass.seen && pass.verdict != Verdict::NumaFew;
    for kind in [Some(Kind::Any), kind].into_iter().flatten() {
        let looks: &mut Looks = &mut out.kinds[kind as usize];
        looks.seen = (looks.seen || looks.count == 0) && seen;
        looks.count += 1;
        looks.hot += u32::from(matches!(pass.verdict, Verdict::Refused(_, true)));
        looks.first = Some(looks.first.map_or(pass.event, |first| first.min(pass.event)));
        looks.last = looks.last.max(Some(pass.event));
    }
}
