//! For each fault a workload that shows it, on any machine that can; and controls, which waste nothing that is not excused.
//!
//! A provocation is run twice, with the fault and without it, everything else and the seed the same: with the faults
//! [`Provocation::beside`] it, and at a kernel's own pace ([`FaultSet::paced`]) both times.

use crate::faults::{Fault, FaultSet};
use crate::program::{DeadlineParameters, LateTimer, PeriodicTimer, Policy, Step};
use crate::release::Release;
use crate::span::{MS, Ns, Span, Time, US};
use crate::topology::{CpuIx, SimulatedTopology};
use crate::workload::{CgroupSpec, Happening, Object, ThreadSpec, TimedHappening, WaitMode, Workload};
use wastenot_machine::Machine;
use wastenot_topology::CpuSet;

/// A workload under a release.
#[derive(Clone, Debug)]
pub struct Provocation {
    /// Release of the kernel.
    pub release: Release,
    /// Faults that are on in both runs: without them others cover for the one that is shown.
    pub beside: FaultSet,
    /// What is run.
    pub workload: Workload,
}

/// What a control must show.
#[derive(Clone, Debug)]
pub struct Control {
    /// Its name.
    pub name: &'static str,
    /// The machine, with what the control changes about it.
    pub machine: Machine,
    /// What is run.
    pub workload: Workload,
    /// The excuse that takes the waste off, as the tables code it; None: the control wastes nothing.
    pub excuse: Option<u8>,
}

/// How long provocations last.
const LIMIT: Ns = 400 * MS;

/// The CPUs of a machine, by node and cache, for provocations.
struct Cpus {
    topology: SimulatedTopology,
    online: Vec<CpuIx>,
}

impl Cpus {
    fn new(machine: &Machine) -> Self {
        let topology = SimulatedTopology::new(machine);
        let online = topology.bits(&machine.online).iter().collect();
        Self { topology, online }
    }

    fn numbers(&self, cpus: impl IntoIterator<Item = CpuIx>) -> CpuSet {
        cpus.into_iter().map(|c| self.topology.cpu(c).cpu).collect()
    }

    fn nodes(&self) -> Vec<Vec<CpuIx>> {
        self.split(|c| self.topology.location(c).node)
    }

    fn llcs(&self) -> Vec<Vec<CpuIx>> {
        self.split(|c| self.topology.location(c).llc)
    }

    fn split(&self, key: impl Fn(CpuIx) -> u16) -> Vec<Vec<CpuIx>> {
        let mut parts: std::collections::BTreeMap<u16, Vec<CpuIx>> = std::collections::BTreeMap::new();
        self.online.iter().for_each(|&c| parts.entry(key(c)).or_default().push(c));
        parts.into_values().collect()
    }

    fn count(&self) -> u32 {
        self.online.len() as u32
    }

    /// Two nodes that are two hops apart.
    fn two_hops(&self) -> Option<(Vec<CpuIx>, Vec<CpuIx>)> {
        let nodes = self.nodes();
        let pairs = nodes.iter().enumerate().skip(1).flat_map(|(i, a)| nodes[i + 1..].iter().map(move |b| (a, b)));
        let far = |a: CpuIx, b: CpuIx| self.topology.distance(a, b) == wastenot_topology::Distance::Far;
        pairs.into_iter().find(|(a, b)| far(a[0], b[0])).map(|(a, b)| (a.clone(), b.clone()))
    }

    fn asymmetric(&self) -> bool {
        let capacity = |c: CpuIx| self.topology.cpu(c).capacity;
        self.online.iter().any(|&c| capacity(c) != capacity(self.online[0]))
    }
}

/// The workload that shows a fault on a machine; None where it cannot show.
pub fn provocation(fault: Fault, machine: &Machine) -> Option<Provocation> {
    let p = Cpus::new(machine);
    let n = p.count();
    let (nodes, llcs) = (p.nodes(), p.llcs());
    // Groups of several CPUs, wherever there are any.
    let groups = if llcs.len() > 1 { llcs.clone() } else { nodes.clone() };
    let modern = Release::Eevdf;
    let old = Release::Averages;
    let (release, workload) = match fault {
        Fault::GroupImbalance if groups.len() > 1 => (old, heavy_beside_light(&p, &groups)),
        Fault::GroupConstruction => {
            let (a, b) = p.two_hops()?;
            let both = p.numbers(a.iter().chain(&b).copied());
            let threads = (a.len() + b.len()) as u32;
            let from = Some(p.topology.cpu(a[0]).cpu);
            (
                old,
                workload(
                    &[("app", hog())],
                    vec![ThreadSpec { cpus: Some(both), from, ..ThreadSpec::of("app", threads) }],
                ),
            )
        }
        Fault::OverloadOnWakeup if llcs.len() > 1 => (old, crowded_barrier(&p, &llcs)),
        Fault::MissingDomains if nodes.len() > 1 => (modern, off_and_on(&p)),
        // The CPUs' idle times are short at first; then threads start that wait.
        Fault::NewidleCutoff => {
            let naps = ThreadSpec::of("nap", n);
            let hogs = ThreadSpec { at: Time(100 * MS), ..ThreadSpec::of("hog", (n / 2).max(1)) };
            (old, workload(&[("nap", naps_of(400 * US, 300 * US)), ("hog", hog())], vec![naps, hogs]))
        }
        Fault::ImbalancePct if groups.len() > 1 => {
            // One group full, its threads two to a CPU; the others lack one thread each.
            let full = groups[0].iter().chain(&groups[0]).copied();
            let rest = groups[1..].iter().flat_map(|g| g[1..].iter().copied());
            (modern, placed_hogs(&p, full.chain(rest)))
        }
        Fault::AllPinned if n > 2 => {
            // The busiest queue is pinned, the next one is not.
            let pinned = ThreadSpec { cpus: Some(p.numbers([p.online[0]])), ..placed(&p, [p.online[0]], 4) };
            let free = placed(&p, [p.online[1]], 3);
            (modern, workload(&[("hog", hog())], vec![pinned, free]))
        }
        Fault::CacheHot | Fault::MissedNohzKick if n > 1 => {
            // Half of the CPUs have two threads, the others none.
            let half: Vec<CpuIx> = p.online.iter().copied().step_by(2).collect();
            (modern, placed_hogs(&p, half.iter().chain(&half).copied()))
        }
        Fault::NumaAllowance if nodes.len() > 1 => {
            // A node's CPUs and one thread more; the other nodes idle.
            (modern, placed_hogs(&p, nodes[0].iter().chain(&nodes[0][..1]).copied()))
        }
        Fault::MisplacedFork if n > 1 => {
            let maker = vec![forever(vec![
                Step::Fork { program: "job".into(), count: 1, name: None, threads: false, bubble: false },
                Step::Run(Span::uniform(MS, 3 * MS)),
                Step::Join(0),
            ])];
            let job = vec![Step::Run(Span::uniform(MS, 3 * MS))];
            (modern, workload(&[("maker", maker), ("job", job)], vec![ThreadSpec::of("maker", (n / 4).max(1))]))
        }
        Fault::ScanCut | Fault::ScanByUtil if llcs[0].len() > 3 => {
            let (cpus, k) = (p.numbers(llcs[0].iter().copied()), llcs[0].len() as u32);
            let (work, sleep, count) = match fault {
                Fault::ScanCut => (100 * US, 200 * US, k + k / 2),
                _ => (200 * US, 60 * US, k + k / 4),
            };
            let start = ThreadSpec { cpus: Some(cpus), ..ThreadSpec::of("nap", count) };
            (modern, workload(&[("nap", naps_of(work, sleep))], vec![start]))
        }
        Fault::AsymmetricCapacity if p.asymmetric() => {
            let capacity = |c: CpuIx| p.topology.cpu(c).capacity;
            let largest = p.online.iter().map(|&c| capacity(c)).max()?;
            let big: Vec<CpuIx> = p.online.iter().copied().filter(|&c| capacity(c) == largest).collect();
            (modern, placed_hogs(&p, big.iter().chain(&big).copied()))
        }
        Fault::StaleMask if n > 2 => {
            let two = p.numbers(p.online[..2].iter().copied());
            let start = ThreadSpec { cpus: Some(two), ..ThreadSpec::of("hog", n.min(8)) };
            let mut w = workload(&[("hog", hog())], vec![start]);
            let all = p.numbers(p.online.iter().copied());
            w.happenings = vec![at(50 * MS, Happening::Affinity { name: "hog".into(), cpus: all })];
            (modern, w)
        }
        Fault::AllowedImbalance if nodes.len() > 1 => {
            // One group has a thread too many, another one too few; neither has been busy for long.
            let full = groups[0].iter().chain(&groups[0][..1]).copied();
            let rest = groups[1..].iter().flat_map(|g| g[1..].iter().copied());
            (modern, placed_hogs(&p, full.chain(rest)))
        }
        Fault::PinnedTail if n > 2 => {
            // Forty threads bound to a CPU, and light ones that are not and run seldom.
            let first = p.online[0];
            let free = ThreadSpec { nice: 19, ..placed(&p, [first], 3.min(n - 1)) };
            let bound = ThreadSpec { cpus: Some(p.numbers([first])), ..placed(&p, [first], 40) };
            (modern, workload(&[("hog", hog())], vec![free, bound]))
        }
        Fault::PinnedTarget if groups.len() > 1 && groups[1].len() > 1 => {
            // A full group, so that none of its neighbours tolerates what waits there; and on one of its CPUs two more, which
            // may use the last CPU of the next group, too.
            let (from, to) = (groups[0][0], *groups[1].last()?);
            let own = Some(p.numbers(groups[0].iter().copied()));
            let full = ThreadSpec { cpus: own, ..placed(&p, groups[0].iter().copied(), groups[0].len() as u32) };
            let more = ThreadSpec { cpus: Some(p.numbers([from, to])), ..placed(&p, [from], 2) };
            (modern, workload(&[("hog", hog())], vec![full, more]))
        }
        Fault::BusyInterval if n > 2 => (old, busy_then_idle(&p)),
        Fault::HaltedVcpu if llcs[0].len() > 3 => {
            let (cpus, k) = (p.numbers(llcs[0].iter().copied()), llcs[0].len() as u32);
            let start = ThreadSpec { cpus: Some(cpus), ..ThreadSpec::of("nap", 2 * k) };
            (modern, workload(&[("nap", naps_of(300 * US, 900 * US))], vec![start]))
        }
        Fault::CoarseLoad if n > 1 => {
            let half = p.online.iter().copied().step_by(2);
            let start = placed(&p, half, n.div_ceil(2) * 2);
            let light = ThreadSpec { cgroup: Some("light".into()), session: None, ..start };
            let mut w = workload(&[("hog", hog())], vec![light]);
            w.cgroups.insert("light".into(), CgroupSpec { weight: Some(1), ..CgroupSpec::default() });
            (old, w)
        }
        Fault::LostBalancer if groups.len() > 1 => {
            // A cache with two threads more than CPUs; all others idle.
            (old, placed_hogs(&p, groups[0].iter().chain(&groups[0][..groups[0].len().min(2)]).copied()))
        }
        Fault::FirstOfMask if n > 3 => (modern, to_and_fro(&p)),
        Fault::WakerCpu if n > 2 => (old, busy_wakers(n / 3)),
        Fault::FirstOfNode if nodes[0].len() > 3 => (modern, every_other_off(&p)),
        Fault::IdleCoreOnly if p.topology.siblings(p.online[0]).iter().next().is_some() => {
            let (cpus, k) = (p.numbers(llcs[0].iter().copied()), llcs[0].len() as u32);
            let start = ThreadSpec { cpus: Some(cpus), ..ThreadSpec::of("nap", k + k / 2) };
            (modern, workload(&[("nap", naps_of(100 * US, 200 * US))], vec![start]))
        }
        Fault::IdleMaskLate | Fault::WakeupPending if llcs[0].len() > 3 => {
            let (cpus, k) = (p.numbers(llcs[0].iter().copied()), llcs[0].len() as u32);
            let start = ThreadSpec { cpus: Some(cpus), ..ThreadSpec::of("nap", k + k / 4) };
            (modern, workload(&[("nap", naps_of(200 * US, 60 * US))], vec![start]))
        }
        Fault::ForkInNode if nodes.len() > 1 => {
            // The makers fill their node, and their children come on top.
            let fork = Step::Fork { program: "job".into(), count: 1, name: None, threads: false, bubble: false };
            let work = || Step::Run(Span::uniform(2 * MS, 6 * MS));
            let maker = vec![forever(vec![fork, work(), Step::Join(0)])];
            let makers =
                ThreadSpec { program: "maker".into(), ..placed(&p, nodes[0].iter().copied(), nodes[0].len() as u32) };
            (modern, workload(&[("maker", maker), ("job", vec![work()])], vec![makers]))
        }
        // The CPUs idle often and briefly; then threads start that wait.
        Fault::NewidleOneLevel | Fault::NewidleHot if groups.len() > 1 => {
            let naps = ThreadSpec::of("nap", n);
            let hogs = ThreadSpec { at: Time(100 * MS), ..ThreadSpec::of("hog", (n / 2).max(1)) };
            (old, workload(&[("nap", naps_of(400 * US, 300 * US)), ("hog", hog())], vec![naps, hogs]))
        }
        Fault::UnlistedIdle | Fault::ContendedLock if n > 1 => {
            let half: Vec<CpuIx> = p.online.iter().copied().step_by(2).collect();
            (modern, placed_hogs(&p, half.iter().chain(&half).copied()))
        }
        Fault::SerializeLeak if nodes.len() > 1 => {
            // Two threads more than the first node has CPUs, the other nodes idle.
            let start =
                ThreadSpec { at: Time(20 * MS), ..placed(&p, nodes[0].iter().copied(), nodes[0].len() as u32 + 2) };
            (modern, Workload { threads: vec![start], programs: [("hog".to_owned(), hog())].into(), ..off_and_on(&p) })
        }
        Fault::UnattachedCpu if n > 2 => (modern, off_and_on(&p)),
        Fault::StickyPinned if llcs.len() > 1 && llcs[0].len() > 2 => (modern, long_idle_cache(&p, &llcs[0])),
        Fault::DlNoPush if n > 1 && !p.asymmetric() => {
            // All are created on one CPU. Where CPUs differ, a wakeup looks for one that is large enough, which is no push.
            let (start, program) = task("task", n, [2 * MS, 4 * MS, 10 * MS, 20 * MS]);
            (modern, workload(&[("task", program)], vec![start]))
        }
        Fault::DlNoPull if n > 3 => {
            // Half of the CPUs are done soon, while the last ones wait elsewhere.
            let (long, long_program) = task("long", n / 2, [6 * MS, 10 * MS, 10_500 * US, 40 * MS]);
            let (short, short_program) = task("short", n / 2, [MS, 4 * MS, 10 * MS, 40 * MS]);
            let (late, late_program) = task("late", n / 2, [6 * MS, 10 * MS, 11 * MS, 40 * MS]);
            let programs = [("long", long_program), ("short", short_program), ("late", late_program)];
            (modern, workload(&programs, vec![long, short, late]))
        }
        _ => return None,
    };
    // The paper's database ran on kernels with the newidle fault as well.
    let beside = match fault {
        Fault::OverloadOnWakeup => FaultSet::shipped(old).without(fault),
        Fault::ScanCut | Fault::ScanByUtil | Fault::HaltedVcpu => FaultSet::only(Fault::OverloadOnWakeup),
        Fault::IdleCoreOnly | Fault::IdleMaskLate | Fault::WakeupPending => FaultSet::only(Fault::OverloadOnWakeup),
        _ => FaultSet::paced(),
    };
    let limit = workload.limit.or(Some(Time(LIMIT)));
    Some(Provocation { release, beside, workload: Workload { limit, ..workload } })
}

/// The controls on a machine: pinned, throttled, isolated, busy with interrupts, beside a real-time hog.
pub fn controls(machine: &Machine) -> Vec<Control> {
    use wastenot_schemas::excuse;
    let p = Cpus::new(machine);
    let n = p.count();
    if n < 4 {
        return Vec::new();
    }
    let control = |name, machine: &Machine, w: Workload, excuse| Control {
        name,
        machine: machine.clone(),
        workload: Workload { limit: Some(Time(LIMIT)), ..w },
        excuse,
    };
    let pinned = ThreadSpec { cpus: Some(p.numbers(p.online[..2].iter().copied())), ..ThreadSpec::of("hog", n) };
    let pinned = workload(&[("hog", hog())], vec![pinned]);
    let mut throttled = workload(
        &[("hog", hog())],
        vec![ThreadSpec { cgroup: Some("limited".into()), ..ThreadSpec::of("hog", n + 2) }],
    );
    let quota = Some(Time(u64::from(n) * 20 * MS));
    throttled.cgroups.insert("limited".into(), CgroupSpec { quota, ..CgroupSpec::default() });
    let last = p.online[n as usize - 1];
    let apart = Machine { isolated: p.numbers([last]), ..machine.clone() };
    let isolated = workload(&[("hog", hog())], vec![ThreadSpec::of("hog", n + n / 2)]);
    // One CPU is full of interrupts; all others have a thread and a half.
    let mut irq = workload(&[("hog", hog())], vec![placed(&p, p.online[..n as usize - 1].iter().copied(), n + 1)]);
    let every = Some(Time(2 * MS));
    irq.happenings =
        vec![at(0, Happening::Irq { cpu: p.topology.cpu(last).cpu, length: Time(2 * MS + 100 * US), every })];
    let rt = ThreadSpec { policy: Policy::Fifo(50), cpus: Some(p.numbers([p.online[0]])), ..ThreadSpec::of("rt", 1) };
    let fair = ThreadSpec::of("nap", n - 1);
    let rt = workload(&[("rt", hog()), ("nap", naps_of(2 * MS, 500 * US))], vec![rt, fair]);
    vec![
        control("pinned", machine, pinned, Some(excuse::AFFINITY)),
        control("throttled", machine, throttled, Some(excuse::THROTTLED)),
        control("isolated", &apart, isolated, Some(excuse::ISOLATED)),
        control("irq-busy", machine, irq, Some(excuse::IRQ_BUSY)),
        control("rt-hog", machine, rt, None),
    ]
}

/// So many deadline threads that run for `work` in each period, released together from 50 ms on.
fn task(name: &str, count: u32, [work, runtime, relative, period]: [Ns; 4]) -> (ThreadSpec, Vec<Step>) {
    let (deadline, period) = (Some(Time(relative)), Time(period));
    let parameters = DeadlineParameters { runtime: Time(runtime), deadline, period: Some(period) };
    let timer = PeriodicTimer { period, offset: Some(Time(50 * MS)), late: LateTimer::Skip };
    let program = vec![forever(vec![Step::Timer(timer), Step::Run(Span::fixed(work))])];
    (ThreadSpec { policy: Policy::Deadline(parameters), ..ThreadSpec::of(name, count) }, program)
}

/// A CPU goes off and comes back; then as many threads start as there are CPUs.
fn off_and_on(p: &Cpus) -> Workload {
    let last = p.numbers(p.online.last().copied());
    let start = ThreadSpec { at: Time(20 * MS), ..ThreadSpec::of("app", p.count()) };
    let mut w = workload(&[("app", hog())], vec![start]);
    w.happenings = vec![at(MS, Happening::Offline(last.clone())), at(5 * MS, Happening::Online(last))];
    w
}

/// A heavy thread of its own session, alone on a group, and one session of two threads for each CPU of the other groups.
fn heavy_beside_light(p: &Cpus, groups: &[Vec<CpuIx>]) -> Workload {
    let heavy = ThreadSpec { program: "r".into(), session: Some("r".into()), ..placed(p, [groups[0][0]], 1) };
    let mut w = placed_hogs(p, groups[1..].iter().flatten().flat_map(|&c| [c, c]));
    w.programs.insert("r".into(), hog());
    w.threads.push(heavy);
    w
}

/// As many threads as CPUs that meet at a sleeping barrier. At first they are bound, one too many to the first cache; then
/// they may go anywhere.
fn crowded_barrier(p: &Cpus, llcs: &[Vec<CpuIx>]) -> Workload {
    let step = vec![Step::Run(Span::uniform(250 * US, 350 * US)), Step::Barrier("b".into())];
    let first = llcs[0].len() as u32 + 1;
    let bound = |cpus: CpuSet, count: u32| {
        let session = Some("db".into());
        ThreadSpec { cpus: Some(cpus), threads: true, session, ..ThreadSpec::of("db", count) }
    };
    let others = p.numbers(llcs[1..].iter().flatten().copied());
    let threads = vec![bound(p.numbers(llcs[0].iter().copied()), first), bound(others, p.count() - first)];
    let mut w = workload(&[("db", vec![forever(step)])], threads);
    w.objects.insert("b".into(), Object::Barrier { parties: p.count(), wait: WaitMode::Sleep });
    let all = p.numbers(p.online.iter().copied());
    w.happenings = vec![at(30 * MS, Happening::Affinity { name: "db".into(), cpus: all })];
    w
}

/// Every CPU but the first works for long, until one thread keeps the lock that all of them take; then threads that were bound
/// to the first CPU are unbound. No CPU is about to idle any more: the next attempt has to be a periodic one.
fn busy_then_idle(p: &Cpus) -> Workload {
    let first = p.numbers([p.online[0]]);
    let others = p.numbers(p.online[1..].iter().copied());
    let lock_unlock = [Step::Lock("l".into()), Step::Unlock("l".into())];
    let shift = vec![forever([vec![Step::Run(Span::uniform(MS, 2 * MS))], lock_unlock.to_vec()].concat())];
    let foreman = vec![Step::Sleep(Span::fixed(135 * MS)), lock_unlock[0].clone(), Step::Sleep(Span::fixed(LIMIT))];
    let crew = ThreadSpec { cpus: Some(others.clone()), bound: true, ..ThreadSpec::of("shift", p.count() - 1) };
    let foreman_start = ThreadSpec { cpus: Some(others), ..ThreadSpec::of("foreman", 1) };
    let bound = ThreadSpec { cpus: Some(first), ..placed(p, [p.online[0]], 3) };
    let programs = [("hog", hog()), ("shift", shift), ("foreman", foreman)];
    let mut w = workload(&programs, vec![crew, foreman_start, bound]);
    w.objects.insert("l".into(), Object::Lock { wait: WaitMode::Sleep, fair: false });
    let all = p.numbers(p.online.iter().copied());
    w.happenings = vec![at(150 * MS, Happening::Affinity { name: "hog".into(), cpus: all })];
    w
}

/// Busy threads, one for each CPU of a half of the machine, that are bound to the other half and back again.
fn to_and_fro(p: &Cpus) -> Workload {
    let (a, b) = p.online.split_at(p.online.len() / 2);
    let halves = [p.numbers(a.iter().copied()), p.numbers(b.iter().copied())];
    let start = ThreadSpec { cpus: Some(halves[0].clone()), ..placed(p, a.iter().copied(), a.len() as u32) };
    let mut w = workload(&[("hog", hog())], vec![start]);
    let change = |i: usize| Happening::Affinity { name: "hog".into(), cpus: halves[i % 2].clone() };
    w.happenings = (1..LIMIT as usize / (20 * MS) as usize).map(|i| at(i as Ns * 20 * MS, change(i))).collect();
    w
}

/// Busy threads, one for each CPU of every other; these go offline, and then, when they are back, the ones between them (as
/// when hardware threads are switched off and on).
fn every_other_off(p: &Cpus) -> Workload {
    let half = |i: usize| p.online.iter().copied().skip(i % 2).step_by(2);
    let mut w = workload(&[("hog", hog())], vec![placed(p, half(0), p.count().div_ceil(2))]);
    let period = 80 * MS;
    for i in 0..(LIMIT / period) as usize - 1 {
        let from = (i as Ns + 1) * period;
        w.happenings.push(at(from, Happening::Offline(p.numbers(half(i)))));
        w.happenings.push(at(from + period - MS, Happening::Online(p.numbers(half(i)))));
    }
    w
}

/// A cache that idles for long while two threads bound to the machine's last CPU keep the balancer awake; then as many threads
/// as it has CPUs wake on the first one, to which they are bound, and may then use the whole cache at once.
fn long_idle_cache(p: &Cpus, cache: &[CpuIx]) -> Workload {
    const WAKES: Ns = 290 * MS;
    let last = ThreadSpec { cpus: Some(p.numbers(p.online.last().copied())), ..ThreadSpec::of("hog", 2) };
    let bound = ThreadSpec { cpus: Some(p.numbers([cache[0]])), ..ThreadSpec::of("late", cache.len() as u32) };
    let late = [vec![Step::Sleep(Span::fixed(WAKES))], hog()].concat();
    let mut w = workload(&[("hog", hog()), ("late", late)], vec![last, bound]);
    let all = p.numbers(cache.iter().copied());
    w.happenings = vec![at(WAKES + MS, Happening::Affinity { name: "late".into(), cpus: all })];
    w.limit = Some(Time(480 * MS));
    w
}

/// So many pairs: the writer of the pipe goes on working, the reader has work to do as well.
fn busy_wakers(pairs: u32) -> Workload {
    let mut w = Workload::default();
    for i in 0..pairs {
        let (pipe, reader, writer) = (format!("pipe{i}"), format!("reader{i}"), format!("writer{i}"));
        let (work, pause) = (Span::uniform(500 * US, 700 * US), Span::exponential(300 * US));
        let write = Step::Write { pipe: pipe.clone(), items: 1 };
        let read = Step::Read { pipe: pipe.clone(), items: 1 };
        w.objects.insert(pipe, Object::Pipe { capacity: 1 });
        w.programs.insert(writer.clone(), vec![forever(vec![write, Step::Run(work), Step::Sleep(pause)])]);
        w.programs.insert(reader.clone(), vec![forever(vec![read, Step::Run(Span::uniform(300 * US, 500 * US))])]);
        w.threads.extend([ThreadSpec::of(&writer, 1), ThreadSpec::of(&reader, 1)]);
    }
    w
}

/// A busy thread on each of these CPUs at the start.
fn placed_hogs(p: &Cpus, cpus: impl IntoIterator<Item = CpuIx>) -> Workload {
    let starts = cpus.into_iter().map(|c| ThreadSpec { session: Some("hogs".into()), ..placed(p, [c], 1) }).collect();
    workload(&[("hog", hog())], starts)
}

fn placed(p: &Cpus, cpus: impl IntoIterator<Item = CpuIx>, count: u32) -> ThreadSpec {
    ThreadSpec { placed: Some(p.numbers(cpus)), session: Some("hogs".into()), ..ThreadSpec::of("hog", count) }
}

fn at(ns: Ns, what: Happening) -> TimedHappening {
    TimedHappening { at: Time(ns), what }
}

fn workload(programs: &[(&str, Vec<Step>)], threads: Vec<ThreadSpec>) -> Workload {
    let programs = programs.iter().map(|(n, p)| ((*n).to_owned(), p.clone())).collect();
    Workload { programs, threads, ..Workload::default() }
}

fn forever(body: Vec<Step>) -> Step {
    Step::Repeat { times: None, body }
}

fn hog() -> Vec<Step> {
    vec![forever(vec![Step::Run(Span::fixed(10 * MS))])]
}

fn naps_of(work: Ns, sleep: Ns) -> Vec<Step> {
    vec![forever(vec![Step::Run(Span::exponential(work)), Step::Sleep(Span::exponential(sleep))])]
}
