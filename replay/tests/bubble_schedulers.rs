//! What must hold of bubble schedulers whatever the bubbles, the threads, the machine and the policy are.

mod common;
#[path = "common/workloads.rs"]
mod workloads;

use common::{machine, simulate, verdict};
use proptest::prelude::*;
use std::collections::BTreeMap;
use wastenot_replay::schedulers::bubbles::{
    Bound, BubblePhase, BubblePolicy, Bubbles, Burst, Gang, PolicyContext, SchedEntity, SchedHolder, Simple, Steal,
    may_run,
};
use wastenot_replay::span::{MS, US};
use wastenot_replay::workload::{BubbleSpec, Happening, ThreadSpec, TimedHappening};
use wastenot_replay::{
    BubbleIx, CpuIx, Dequeue, Engine, Enqueue, Level, Ns, NullSink, Placement, Scheduler, Settings, Simulation, Span,
    Step, ThreadIx, Time, Workload,
};
use workloads::{run, times, workload};

/// A bubble scheduler whose invariants are checked after every hook.
struct CheckedScheduler<P> {
    inner: Bubbles<P>,
    /// When each thread's wait started, and the longest wait seen.
    waits: BTreeMap<ThreadIx, Ns>,
    longest: Ns,
}

impl<P: BubblePolicy> CheckedScheduler<P> {
    fn new(policy: P) -> Self {
        Self { inner: Bubbles::new(policy), waits: BTreeMap::new(), longest: 0 }
    }

    fn look(&self, e: &Engine<'_>, after: &str) {
        let wrong = self.inner.holders.violations(e);
        assert!(wrong.is_empty(), "at {} after {after}: {wrong:#?}", e.now());
    }

    fn waits(&mut self, e: &Engine<'_>, t: ThreadIx) {
        self.waits.insert(t, e.now());
    }
}

impl<P: BubblePolicy> Scheduler for CheckedScheduler<P> {
    fn release(&self) -> &str {
        self.inner.release()
    }
    fn start(&mut self, e: &mut Engine<'_>) {
        self.inner.start(e);
    }
    fn create_bubble(&mut self, e: &mut Engine<'_>, b: BubbleIx) {
        self.inner.create_bubble(e, b);
        self.look(e, "create_bubble");
    }
    fn destroy_bubble(&mut self, e: &mut Engine<'_>, b: BubbleIx) {
        self.inner.destroy_bubble(e, b);
        self.look(e, "destroy_bubble");
    }
    fn admit(&mut self, e: &mut Engine<'_>, t: ThreadIx) {
        self.inner.admit(e, t);
        self.look(e, "admit");
    }
    fn forget(&mut self, e: &mut Engine<'_>, t: ThreadIx) {
        self.inner.forget(e, t);
        self.look(e, "forget");
    }
    fn place(&mut self, e: &mut Engine<'_>, t: ThreadIx, why: Placement) -> CpuIx {
        self.inner.place(e, t, why)
    }
    fn enqueue(&mut self, e: &mut Engine<'_>, t: ThreadIx, cpu: CpuIx, why: Enqueue) {
        self.inner.enqueue(e, t, cpu, why);
        if why != Enqueue::Changed {
            self.waits(e, t);
        }
        self.look(e, "enqueue");
    }
    fn dequeue(&mut self, e: &mut Engine<'_>, t: ThreadIx, cpu: CpuIx, why: Dequeue) {
        self.inner.dequeue(e, t, cpu, why);
        self.look(e, "dequeue");
    }
    fn put_prev(&mut self, e: &mut Engine<'_>, cpu: CpuIx, t: ThreadIx) {
        self.inner.put_prev(e, cpu, t);
        self.waits(e, t);
        self.look(e, "put_prev");
    }
    fn pick_next(&mut self, e: &mut Engine<'_>, cpu: CpuIx) -> Option<ThreadIx> {
        let picked = self.inner.pick_next(e, cpu);
        let h = &self.inner.holders;
        let mut best = None;
        for (rq, part) in e.topology.components().iter().enumerate().filter(|(_, c)| c.span.contains(cpu)) {
            let usable = |o: &&SchedEntity| suits(e, h, **o, cpu);
            let found =
                h.list(SchedHolder::Runqueue(rq)).iter().filter(usable).map(|o| Bubbles::<P>::priority(e, *o)).max();
            best = best.max(found);
            assert!(part.span.contains(cpu));
        }
        match picked {
            Some(t) => {
                let rq = h.runqueue(SchedEntity::Thread(t)).expect("a runqueue");
                assert!(e.topology.components()[rq].span.contains(cpu), "thread {t} on {cpu} from {rq}");
                // What is left is not more urgent than what was taken.
                let mut top = SchedEntity::Thread(t);
                while let SchedHolder::Bubble(b) = h.holder(top) {
                    top = SchedEntity::Bubble(b);
                }
                assert!(best.is_none_or(|p| p <= Bubbles::<P>::priority(e, top)), "{top:?} on {cpu}, {best:?} waits");
                let since = self.waits.remove(&t).unwrap_or(e.now());
                self.longest = self.longest.max(e.now() - since);
            }
            None => assert_eq!(best, None, "CPU {cpu} finds no thread"),
        }
        self.look(e, "pick_next");
        picked
    }
    fn idle_entry(&mut self, e: &mut Engine<'_>, cpu: CpuIx) {
        self.inner.idle_entry(e, cpu);
        self.look(e, "idle_entry");
    }
    fn tick(&mut self, e: &mut Engine<'_>, cpu: CpuIx) {
        self.inner.tick(e, cpu);
        self.look(e, "tick");
    }
    fn timer(&mut self, e: &mut Engine<'_>, cpu: CpuIx, token: u64) {
        self.inner.timer(e, cpu, token);
        self.look(e, "timer");
    }
    fn hotplug(&mut self, e: &mut Engine<'_>, cpu: CpuIx, online: bool) {
        self.inner.hotplug(e, cpu, online);
    }
}

fn suits(e: &Engine<'_>, h: &wastenot_replay::schedulers::bubbles::Holders, entity: SchedEntity, cpu: CpuIx) -> bool {
    match entity {
        SchedEntity::Thread(t) => may_run(e, t, cpu),
        SchedEntity::Bubble(b) => h.list(SchedHolder::Bubble(b)).iter().any(|&o| suits(e, h, o, cpu)),
    }
}

/// Bubbles `b0` to `b5`, each in an earlier one or in none.
fn bubbles() -> impl Strategy<Value = BTreeMap<String, BubbleSpec>> {
    let level = prop_oneof![
        2 => Just(None),
        1 => prop_oneof![Just(Level::Machine), Just(Level::Node), Just(Level::Llc), Just(Level::Core), Just(Level::Cpu)]
            .prop_map(Some)
    ];
    let slice = prop_oneof![Just(None), (200u64..8_000).prop_map(|us| Some(Time(us * US)))];
    prop::collection::vec((any::<u8>(), -2i32..3, level, slice), 1..6).prop_map(|list| {
        let spec = |(i, (of, priority, burst, slice)): (usize, (u8, i32, Option<Level>, Option<Time>))| {
            let of = usize::from(of) % (i + 2);
            let bubble = (of < i).then(|| format!("b{of}"));
            (format!("b{i}"), BubbleSpec { bubble, priority, burst, slice })
        };
        list.into_iter().enumerate().map(spec).collect()
    })
}

fn step() -> impl Strategy<Value = Step> {
    let span = (1u64..4_000).prop_map(|us| Span::exponential(us * US));
    prop_oneof![
        5 => span.clone().prop_map(Step::Run),
        3 => span.prop_map(Step::Sleep),
        1 => Just(Step::Yield),
        1 => Just(Step::Nice(3)),
        1 => (0u32..8).prop_map(|c| Step::Affinity([c, c + 1].into_iter().collect())),
        1 => (any::<bool>(), any::<bool>())
            .prop_map(|(threads, bubble)| Step::Fork { program: "child".into(), count: 2, name: None, threads, bubble }),
    ]
}

/// Threads that end, spread over random bubbles and none.
fn any_workload() -> impl Strategy<Value = Workload> {
    let program = || prop::collection::vec(step(), 1..7).prop_map(|steps| vec![times(3, steps), Step::Join(0)]);
    let happening = prop_oneof![
        (4u32..8).prop_map(|c| Happening::Offline([c].into_iter().collect())),
        (4u32..8).prop_map(|c| Happening::Online([c].into_iter().collect())),
    ];
    let happenings = prop::collection::vec(
        (0u64..30, happening).prop_map(|(ms, what)| TimedHappening { at: Time(ms * MS), what }),
        0..4,
    );
    let rows = prop::collection::vec((any::<u8>(), 1u32..5, -2i32..3, any::<bool>()), 1..6);
    (bubbles(), program(), program(), rows, happenings).prop_map(|(bubbles, a, b, rows, happenings)| {
        let grandchild = vec![run(300 * US)];
        let fork = Step::Fork { program: "grandchild".into(), count: 1, name: None, threads: true, bubble: true };
        let child = vec![run(500 * US), fork, run(200 * US), Step::Join(0)];
        let start = |(i, (of, count, priority, threads)): (usize, (u8, u32, i32, bool))| {
            let of = usize::from(of) % (bubbles.len() + 1);
            let bubble = (of < bubbles.len()).then(|| format!("b{of}"));
            ThreadSpec { bubble, priority, threads, ..ThreadSpec::of(["a", "b"][i % 2], count) }
        };
        let starts = rows.into_iter().enumerate().map(start).collect();
        let mut w = workload(&[("a", a), ("b", b), ("child", child), ("grandchild", grandchild)], starts, &[]);
        (w.bubbles, w.happenings, w.limit) = (bubbles, happenings, Some(Time(20_000 * MS)));
        w
    })
}

fn watch<P: BubblePolicy>(policy: P, m: &wastenot_machine::Machine, w: &Workload, seed: u64) -> (bool, Ns) {
    let mut dropped = NullSink;
    let settings = Settings { seed, ..Settings::default() };
    let mut watched = CheckedScheduler::new(policy);
    let simulation = Simulation::new(m, w, Borrowed(&mut watched), &settings, &mut dropped).unwrap();
    let outcome = simulation.run().unwrap();
    (outcome.finished, watched.longest)
}

/// A scheduler that outlives its simulation.
struct Borrowed<'a, P>(&'a mut CheckedScheduler<P>);

macro_rules! lend {
    ($($hook:ident($($arg:ident: $kind:ty),*) $(-> $answer:ty)?;)*) => {
        impl<P: BubblePolicy> Scheduler for Borrowed<'_, P> {
            fn release(&self) -> &str { self.0.release() }
            $(fn $hook(&mut self, e: &mut Engine<'_>, $($arg: $kind),*) $(-> $answer)? { self.0.$hook(e, $($arg),*) })*
        }
    };
}

lend! {
    start();
    create_bubble(b: BubbleIx);
    destroy_bubble(b: BubbleIx);
    admit(t: ThreadIx);
    forget(t: ThreadIx);
    place(t: ThreadIx, why: Placement) -> CpuIx;
    enqueue(t: ThreadIx, cpu: CpuIx, why: Enqueue);
    dequeue(t: ThreadIx, cpu: CpuIx, why: Dequeue);
    put_prev(cpu: CpuIx, t: ThreadIx);
    pick_next(cpu: CpuIx) -> Option<ThreadIx>;
    idle_entry(cpu: CpuIx);
    tick(cpu: CpuIx);
    timer(cpu: CpuIx, token: u64);
    hotplug(cpu: CpuIx, online: bool);
}

/// The longest wait under each policy, and whether all threads ended.
fn each_policy(m: &wastenot_machine::Machine, w: &Workload, seed: u64) -> Vec<(&'static str, bool, Ns)> {
    let row = |name, (finished, longest)| (name, finished, longest);
    vec![
        row("simple", watch(Simple, m, w, seed)),
        row("bound", watch(Bound::default(), m, w, seed)),
        row("burst", watch(Burst::default(), m, w, seed)),
        row("gang", watch(Gang::at(Level::Machine, 3 * MS), m, w, seed)),
        row("gang-node", watch(Gang::at(Level::Node, MS), m, w, seed)),
        row("steal", watch(Steal, m, w, seed)),
    ]
}

/// Cases tried: 60, or what CASES says.
fn cases() -> u32 {
    std::env::var("CASES").ok().and_then(|n| n.parse().ok()).unwrap_or(60)
}

/// Threads that the policies spread over three CPUs while the only one of their mask is offline end after it is back.
#[test]
fn threads_go_to_the_cpu_of_their_mask_that_comes_online() {
    let m = machine(1, 1, 4, 1);
    let at = |ms: u64, what| TimedHappening { at: Time(ms * MS), what };
    let program = vec![Step::Affinity([3].into_iter().collect()), run(20 * MS)];
    let mut w = workload(&[("a", program)], vec![ThreadSpec::of("a", 8)], &[]);
    w.happenings =
        vec![at(0, Happening::Offline([3].into_iter().collect())), at(5, Happening::Online([3].into_iter().collect()))];
    w.limit = Some(Time(1_000 * MS));
    for (name, finished, _) in each_policy(&m, &w, 1) {
        assert!(finished, "{name}: a thread waits where its mask does not let it run");
    }
}

/// Two members of a bubble may use the CPUs of one node only, and it may burst on the other: it regenerates all the same.
#[test]
fn a_bubble_closes_though_some_of_its_threads_may_not_run_where_it_burst() {
    let m = machine(2, 1, 2, 1);
    for cpus in [0u32..2, 2..4] {
        let bound = vec![Step::Affinity(cpus.clone().collect()), times(1_000, vec![run(MS)])];
        let threads = [("bound", 2), ("busy", 3)];
        let thread = |(program, count)| ThreadSpec { bubble: Some("b".into()), ..ThreadSpec::of(program, count) };
        let mut w = workload(&[("bound", bound), ("busy", workloads::hog())], threads.map(thread).into(), &[]);
        let spec = BubbleSpec { burst: Some(Level::Node), slice: Some(Time(5 * MS)), ..BubbleSpec::default() };
        w.bubbles.insert("b".into(), spec);
        w.limit = Some(Time(400 * MS));
        let mut watched = CheckedScheduler::new(Burst::default());
        let (settings, mut dropped) = (Settings { seed: 1, ..Settings::default() }, NullSink);
        Simulation::new(&m, &w, Borrowed(&mut watched), &settings, &mut dropped).unwrap().run().unwrap();
        let since = *watched.waits.values().min().unwrap();
        assert!(since > 300 * MS, "{cpus:?}: a thread waits from {since} ns to the end");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: cases(), max_shrink_iters: 300, ..ProptestConfig::default() })]

    #[test]
    fn entities_are_in_one_holder_and_run_under_it_and_no_thread_is_lost(w in any_workload(), seed in 0u64..1000) {
        for (name, finished, _) in each_policy(&machine(2, 1, 2, 2), &w, seed) {
            prop_assert!(finished, "{name} lost a thread");
        }
    }

    #[test]
    fn the_checker_finds_no_contradiction(w in any_workload(), seed in 0u64..1000) {
        let (m, settings) = (machine(2, 2, 2, 1), Settings { seed, ..Settings::default() });
        let traces = [
            simulate(&m, &w, Bubbles::new(Burst::default()), &settings).0,
            simulate(&m, &w, Bubbles::new(Gang::at(Level::Node, 2 * MS)), &settings).0,
            simulate(&m, &w, Bubbles::new(Steal), &settings).0,
        ];
        for trace in &traces {
            let v = verdict(trace);
            let odd = ["contradiction", "rejected", "repaired", "placements_inferred", "migrate_mismatch"];
            prop_assert!(odd.iter().all(|w| v.data_quality_of(w) == 0), "{:?}", v.data_quality);
        }
    }

    #[test]
    fn bursting_releases_the_content_and_regeneration_brings_it_back(
        bubbles in bubbles(), rows in prop::collection::vec((any::<u8>(), 1u32..4), 1..6),
        acts in prop::collection::vec((0u8..3, any::<u8>(), any::<u8>()), 1..40),
    ) {
        let start = |(of, count): (u8, u32)| {
            let of = usize::from(of) % (bubbles.len() + 1);
            let bubble = (of < bubbles.len()).then(|| format!("b{of}"));
            ThreadSpec { bubble, placed: Some([0].into_iter().collect()), ..ThreadSpec::of("a", count) }
        };
        let mut w = workload(&[("a", vec![run(MS)])], rows.into_iter().map(start).collect(), &[]);
        w.bubbles = bubbles.clone();
        let mut dropped = NullSink;
        let m = machine(2, 1, 2, 2);
        let mut s = Simulation::new(&m, &w, Bubbles::new(Simple), &Settings::default(), &mut dropped).unwrap();
        let mut g = PolicyContext { e: &mut s.engine, h: &mut s.scheduler.holders };
        let runqueues = g.e.topology.components().len();
        for (act, which, to) in acts {
            let b = u32::from(which) % bubbles.len() as BubbleIx;
            let on = if let SchedHolder::Runqueue(rq) = g.h.holder(SchedEntity::Bubble(b)) { Some(rq) } else { None };
            let inside = |g: &PolicyContext<'_, '_>| -> Vec<SchedEntity> {
                g.content(b).iter().copied().filter(|&o| g.h.holder(o) == SchedHolder::Bubble(b)).collect()
            };
            match (act, g.phase(b), on) {
                (0, BubblePhase::Closed, Some(_)) => g.put(SchedEntity::Bubble(b), usize::from(to) % runqueues),
                (1, BubblePhase::Closed, Some(rq)) => {
                    let before = inside(&g);
                    prop_assert_eq!(before.len(), g.content(b).len(), "no thread runs: all of it is inside");
                    g.burst(b);
                    prop_assert!(before.iter().all(|&o| g.h.holder(o) == SchedHolder::Runqueue(rq)));
                    prop_assert!(inside(&g).is_empty() && g.phase(b) == BubblePhase::Burst);
                }
                (2, BubblePhase::Burst, _) => {
                    g.regenerate(b);
                    prop_assert_eq!(inside(&g).len(), g.content(b).len(), "all are back");
                    prop_assert_eq!(g.h.waiting(SchedEntity::Bubble(b)), g.threads(b).0, "and wait there");
                    prop_assert!(g.phase(b) == BubblePhase::Closed);
                }
                _ => {}
            }
            let wrong = g.h.violations(g.e);
            prop_assert!(wrong.is_empty(), "{wrong:#?}");
        }
    }

    #[test]
    fn no_thread_waits_longer_than_the_policy_permits(
        gangs in prop::collection::vec(1u32..9, 1..5), seed in 0u64..1000,
    ) {
        let m = machine(2, 1, 2, 1);
        let (cpus, tick) = (4u64, m.tick_ns as u64);
        let slice = 10 * MS;
        let mut w = workload(&[("busy", workloads::hog())], Vec::new(), &[]);
        for (i, &count) in gangs.iter().enumerate() {
            let name = format!("g{i}");
            w.threads.push(ThreadSpec { bubble: Some(name.clone()), ..ThreadSpec::of("busy", count) });
            w.bubbles.insert(name, BubbleSpec { slice: Some(Time(slice)), ..BubbleSpec::default() });
        }
        w.limit = Some(Time(1_000 * MS));
        let all = u64::from(gangs.iter().sum::<u32>());
        let largest = u64::from(*gangs.iter().max().unwrap_or(&1));
        let rounds = gangs.len() as u64 * (largest.div_ceil(cpus) + 1);
        for (name, _, longest) in each_policy(&m, &w, seed) {
            // A turn is a tick, or a time slice of gangs (3 ms here, 1 ms on nodes of two CPUs) or bubbles.
            let bound = match name {
                "simple" | "bound" => (all.div_ceil(cpus) + 2) * tick,
                "gang" => rounds * 3 * MS + 2 * tick,
                "gang-node" => 2 * rounds * MS + 2 * tick,
                // A bubble takes turns with what is on the runqueue beside it, its threads within its turns.
                "steal" => (largest + 1) * (largest + gangs.len() as u64 + 1) * tick,
                _ => (gangs.len() as u64 + 1) * (slice + (largest + 2) * tick),
            };
            prop_assert!(longest <= bound, "{name}: {longest} ns, bound {bound}, gangs {gangs:?}");
        }
    }
}
