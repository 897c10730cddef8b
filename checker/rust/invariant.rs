//! The invariant: idle CPUs, waiting threads, and the matchings between them under ever more excuses.
//!
//! M_0 = min(idle, waiting) is `idle_while_waiting`; M_8, with every excuse applied, is `wasted`. Between two of the eight steps a
//! matching of its own is kept only while some CPU or thread makes a difference there: with no thread throttled, M_4 = M_5.
//! So on most traces one matching runs, the canonical one.

mod confined;
mod restart;

use std::collections::{BTreeSet, HashMap};

use wastenot_schemas::{excuse, wasted};

use crate::input_change::InputChange;
use crate::lazy_matcher::LazyMatcher;
use crate::matching::{ClassId, Distances, Matcher, Pairing, Waiter};
use crate::tables::DerivedTables;
use crate::threads::{Constraints, UNKNOWN_MASK, Utid};
use crate::topology::{CpuIx, TracedTopology};
use crate::waste_interval::WasteInterval;
use wastenot_topology::CpuBits;

/// Number of excuses.
pub const EXCUSES: usize = excuse::NAMES.len();

/// Threads that share mask, cpuset and cookie.
struct WaiterClass {
    cpuset: CpuBits,
    allowed: CpuBits,
    cookie: i64,
    /// What of `allowed` the cookies that run now leave, a row of `Invariant::sets`.
    usable: u32,
}

/// State per thread.
#[derive(Clone, Copy)]
struct WaiterInfo {
    class: u32,
    /// The thread's number.
    number: u32,
    /// Per-CPU thread or migration disabled: can use no CPU but its own.
    per_cpu: bool,
    fixed: bool,
    throttled: bool,
    known: bool,
    waiting: bool,
    matched: bool,
    cpu: CpuIx,
    wait_start: i64,
    matched_since: i64,
    avoidable_ns: i64,
    /// Place in `waiters`.
    at: u32,
}

const NO_WAITER_INFO: WaiterInfo = WaiterInfo {
    class: u32::MAX,
    number: 0,
    per_cpu: false,
    fixed: false,
    throttled: false,
    known: false,
    waiting: false,
    matched: false,
    cpu: 0,
    wait_start: 0,
    matched_since: 0,
    avoidable_ns: 0,
    at: 0,
};

/// A matching kept only while it can differ from the next one.
struct LedgerStep {
    live: Option<Matcher>,
}

/// Steps of the ledger that may need a matching of their own.
#[derive(Clone, Copy, PartialEq, Eq)]
enum LedgerLevel {
    /// M_3: cpusets only.
    Cpuset,
    /// M_4: + affinity.
    Affinity,
    /// M_5: + throttling.
    Throttled,
    /// M_6: + isolated CPUs.
    Isolated,
    /// M_7: + cookies.
    Cookie,
    /// M_8 over threads whose mask is known.
    Certain,
}

const LEVELS: [LedgerLevel; 6] = [
    LedgerLevel::Cpuset,
    LedgerLevel::Affinity,
    LedgerLevel::Throttled,
    LedgerLevel::Isolated,
    LedgerLevel::Cookie,
    LedgerLevel::Certain,
];

/// Sums over time, core-ns.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Integrals {
    pub wasted: i64,
    pub certain: i64,
    pub idle_while_waiting: i64,
    pub excused: [i64; EXCUSES],
    pub idle: i64,
    pub wall_wasted: i64,
    pub wall_certain: i64,
    pub wall_idle_while_waiting: i64,
    pub peak_wasted: u32,
}

/// The state of the invariant at one instant, and its integrals up to there.
pub struct Invariant {
    topology: std::sync::Arc<TracedTopology>,
    distances: Distances,
    masks: HashMap<i32, CpuBits>,
    everything: CpuBits,
    now: i64,
    infos: Vec<WaiterInfo>,
    waiters: Vec<Utid>,
    /// Waiters by class and kind (bit 0 throttled, bit 1 known); those fixed to their CPU are not in it.
    counts: Vec<[u32; 4]>,
    classes: Vec<WaiterClass>,
    by_key: HashMap<(i32, i32, i64), u32>,
    idle: CpuBits,
    /// Per CPU: since when it is idle, where it is, and time for which it was before, ns.
    idle_since: Vec<i64>,
    idled_ns: Vec<i64>,
    irq: Vec<bool>,
    idle_count: u32,
    idle_isolated: u32,
    idle_irq: u32,
    per_cpu_waiting: u32,
    fixed_waiting: u32,
    throttled_waiting: u32,
    unknown_waiting: u32,
    /// Waiters that have quota, those fixed to their CPU included.
    quota_waiting: u32,
    cpusets_restrict: bool,
    /// Cookie of the thread that runs on each CPU (None: idle or unknown).
    running: Vec<Option<i64>>,
    /// SMT siblings of each CPU; only where core scheduling is in use.
    siblings: Option<Vec<Vec<CpuIx>>>,
    sets: Vec<CpuBits>,
    set_ids: HashMap<CpuBits, u32>,
    /// Classes and sets that were left when unused ones were dropped.
    classes_kept: usize,
    last: LazyMatcher,
    steps: [LedgerStep; LEVELS.len()],
    /// Some step has a matching of its own.
    any_step: bool,
    assigned: Vec<Pairing>,
    assigned_stale: bool,
    row: Option<wasted::Row>,
    pub integrals: Integrals,
    /// The interval of waste under way; finished ones are taken by the walk.
    pub interval: WasteInterval,
    /// Threads that began or ceased to wait or to be matched since this was emptied; some more than once.
    pub changed: Vec<Utid>,
}

impl Invariant {
    /// Nothing idle, no thread waiting. `masks` are the rows of the table `mask`, kernel CPU numbers.
    pub fn new(topology: std::sync::Arc<TracedTopology>, masks: &[(i32, Vec<i16>)]) -> Self {
        let n = topology.len();
        let everything = CpuBits::all(n);
        let masks = masks
            .iter()
            .map(|(id, cpus)| (*id, CpuBits::of(n, cpus.iter().filter_map(|&c| topology.index(c)).map(u32::from))))
            .collect();
        Self {
            distances: Distances::grouped(&topology.groups_alike(), |a, b| topology.rank(a as CpuIx, b as CpuIx)),
            masks,
            everything,
            now: i64::MIN,
            infos: Vec::new(),
            waiters: Vec::new(),
            counts: Vec::new(),
            classes: Vec::new(),
            by_key: HashMap::new(),
            idle: CpuBits::new(n),
            idle_since: vec![0; n],
            idled_ns: vec![0; n],
            irq: vec![false; n],
            idle_count: 0,
            idle_isolated: 0,
            idle_irq: 0,
            per_cpu_waiting: 0,
            fixed_waiting: 0,
            throttled_waiting: 0,
            unknown_waiting: 0,
            quota_waiting: 0,
            cpusets_restrict: false,
            running: vec![None; n],
            siblings: None,
            sets: Vec::new(),
            set_ids: HashMap::new(),
            classes_kept: 0,
            last: LazyMatcher::new(n),
            steps: std::array::from_fn(|_| LedgerStep { live: None }),
            any_step: false,
            assigned: Vec::new(),
            assigned_stale: true,
            row: None,
            integrals: Integrals::default(),
            interval: WasteInterval::default(),
            changed: Vec::new(),
            topology,
        }
    }

    // ---- threads ------------------------------------------------------------------------------------------------

    /// Set the CPUs that a thread, given with its number, may use. A waiting thread changes class at once.
    pub fn constrain(&mut self, utid: Utid, number: u32, c: &Constraints, event: i64) {
        let was_waiting = self.infos.get(utid as usize).is_some_and(|i| i.waiting);
        let (cpu, wait_start) = if was_waiting {
            let i = &self.infos[utid as usize];
            (i.cpu, i.wait_start)
        } else {
            (0, 0)
        };
        if was_waiting {
            self.leave(utid, event);
        }
        if utid as usize >= self.infos.len() {
            self.infos.resize(utid as usize + 1, NO_WAITER_INFO);
        }
        if c.cookie != 0 && self.siblings.is_none() {
            self.start_cookies();
        }
        let class = self.class_of(c, event);
        let info = &mut self.infos[utid as usize];
        info.class = class;
        info.number = number;
        info.per_cpu = c.per_cpu;
        info.fixed = c.per_cpu || c.migration_disabled;
        info.throttled = c.throttled;
        info.known = c.known();
        if was_waiting {
            self.enter(utid, cpu, wait_start, event);
        }
    }

    fn class_of(&mut self, c: &Constraints, event: i64) -> u32 {
        let key = (c.mask, c.cpuset, c.cookie);
        if let Some(&class) = self.by_key.get(&key) {
            return class;
        }
        let bits = |id: i32| if id == UNKNOWN_MASK { None } else { self.masks.get(&id) };
        let cpuset = bits(c.cpuset).unwrap_or(&self.everything).clone();
        let mut allowed = bits(c.mask).unwrap_or(&self.everything).clone();
        allowed.intersect_with(&cpuset);
        self.cpusets_restrict |= cpuset != self.everything;
        let class = self.classes.len() as u32;
        for (level, step) in LEVELS.iter().zip(&mut self.steps) {
            if let Some(m) = &mut step.live {
                m.add_class(if *level == LedgerLevel::Cpuset { &cpuset } else { &allowed });
            }
        }
        self.last.add_class(&allowed);
        let usable = self.set_id(&allowed);
        self.classes.push(WaiterClass { cpuset, allowed, cookie: c.cookie, usable });
        self.counts.push([0; 4]);
        self.by_key.insert(key, class);
        if self.siblings.is_some() {
            self.rebuild_last(event);
        }
        class
    }

    fn set_id(&mut self, set: &CpuBits) -> u32 {
        if let Some(&id) = self.set_ids.get(set) {
            return id;
        }
        let id = self.sets.len() as u32;
        self.sets.push(set.clone());
        self.set_ids.insert(set.clone(), id);
        id
    }

    /// A thread starts to wait on `cpu`'s queue; `wait_start` is when it became runnable.
    pub fn enter(&mut self, utid: Utid, cpu: CpuIx, wait_start: i64, event: i64) {
        let at = self.waiters.len() as u32;
        self.waiters.push(utid);
        let info = &mut self.infos[utid as usize];
        debug_assert!(!info.waiting);
        (info.waiting, info.cpu, info.wait_start, info.at) = (true, cpu, wait_start, at);
        let info = *info;
        self.changed.push(utid);
        self.quota_waiting += u32::from(!info.throttled);
        self.per_cpu_waiting += u32::from(info.per_cpu);
        self.fixed_waiting += u32::from(info.fixed);
        if info.fixed {
            return;
        }
        self.throttled_waiting += u32::from(info.throttled);
        self.unknown_waiting += u32::from(!info.known);
        self.counts[info.class as usize][kind(&info)] += 1;
        self.for_steps(|level| takes_waiter(level, &info), |m| m.add_waiter(ClassId(info.class)));
        if !info.throttled {
            self.last.add_waiter(
                ClassId(info.class),
                Waiter { utid, number: info.number, wait_start, queue_cpu: u32::from(cpu) },
            );
            let usable = self.classes[info.class as usize].usable;
            self.interval.log(InputChange::waiter(true, self.now, event, usable, cpu));
            self.drain_flips();
        }
    }

    /// A thread no longer waits.
    pub fn leave(&mut self, utid: Utid, event: i64) {
        let info = &mut self.infos[utid as usize];
        debug_assert!(info.waiting);
        info.waiting = false;
        let info = *info;
        self.waiters.swap_remove(info.at as usize);
        if let Some(&moved) = self.waiters.get(info.at as usize) {
            self.infos[moved as usize].at = info.at;
        }
        self.changed.push(utid);
        self.quota_waiting -= u32::from(!info.throttled);
        self.per_cpu_waiting -= u32::from(info.per_cpu);
        self.fixed_waiting -= u32::from(info.fixed);
        if info.fixed {
            return;
        }
        self.throttled_waiting -= u32::from(info.throttled);
        self.unknown_waiting -= u32::from(!info.known);
        self.counts[info.class as usize][kind(&info)] -= 1;
        self.for_steps(|level| takes_waiter(level, &info), |m| m.remove_waiter(ClassId(info.class)));
        if !info.throttled {
            self.last.remove_waiter(utid);
            let usable = self.classes[info.class as usize].usable;
            self.interval.log(InputChange::waiter(false, self.now, event, usable, info.cpu));
            self.drain_flips();
        }
    }

    /// A thread that waits no more is gone, and another may have its utid.
    pub fn forget_thread(&mut self, utid: Utid) {
        if let Some(info) = self.infos.get_mut(utid as usize) {
            debug_assert!(!info.waiting && !info.matched);
            *info = NO_WAITER_INFO;
        }
    }

    /// Drop the classes that no thread has any more and the sets of CPUs that only records of waste named, of which there must be none, once there
    /// are more than `most` of them and four times as many as are in use.
    pub fn drop_unused_classes(&mut self, most: usize, event: i64) {
        let size = self.classes.len() + self.sets.len();
        if size <= most.max(self.classes_kept * 4) {
            return;
        }
        let used: BTreeSet<u32> = self.infos.iter().map(|i| i.class).filter(|class| *class != u32::MAX).collect();
        let renumbered: HashMap<u32, u32> = used.iter().copied().zip(0..).collect();
        let mut at = 0..;
        self.classes.retain(|_| used.contains(&at.next().expect("without end")));
        let mut at = 0..;
        self.counts.retain(|_| used.contains(&at.next().expect("without end")));
        self.by_key.retain(|_, class| renumbered.get(class).map(|new| *class = *new).is_some());
        for info in self.infos.iter_mut().filter(|i| i.class != u32::MAX) {
            info.class = renumbered[&info.class];
        }
        self.drop_unused_sets();
        self.rebuild_last(event);
        self.classes_kept = self.classes.len() + self.sets.len();
    }

    fn drop_unused_sets(&mut self) {
        let sets = std::mem::take(&mut self.sets);
        self.set_ids.clear();
        let mut renumbered = HashMap::new();
        for at in 0..self.classes.len() {
            let before = self.classes[at].usable;
            let set = &sets[before as usize];
            self.classes[at].usable = self.set_id(set);
            renumbered.insert(before, self.classes[at].usable);
        }
        self.interval.waiting.renumber(|class| renumbered[&class]);
    }

    /// A set of CPUs, a row of the table `mask` (kernel CPU numbers). Known before an event refers to it.
    pub fn add_mask(&mut self, id: i32, cpus: &[i16]) {
        let cpus = cpus.iter().filter_map(|&c| self.topology.index(c)).map(u32::from);
        self.masks.insert(id, CpuBits::of(self.topology.len(), cpus));
    }

    /// Core scheduling is in use and may keep this CPU idle for its siblings' sake.
    pub fn is_core_scheduled(&self, cpu: CpuIx) -> bool {
        self.siblings.as_ref().is_some_and(|siblings| !siblings[cpu as usize].is_empty())
    }

    /// The thread's constraints have been given.
    pub fn knows(&self, utid: Utid) -> bool {
        self.infos.get(utid as usize).is_some_and(|i| i.class != u32::MAX)
    }

    /// The thread waits now.
    pub fn is_waiting(&self, utid: Utid) -> bool {
        self.infos.get(utid as usize).is_some_and(|i| i.waiting)
    }

    /// Avoidable wait of a thread so far, ns.
    pub fn avoidable_ns(&self, utid: Utid) -> i64 {
        let Some(i) = self.infos.get(utid as usize) else { return 0 };
        i.avoidable_ns + if i.matched { self.now - i.matched_since } else { 0 }
    }

    /// The thread may use the CPU, by masks, isolation and interrupts.
    pub fn may_use(&self, utid: Utid, cpu: CpuIx) -> bool {
        let Some(i) = self.infos.get(utid as usize) else { return true };
        !i.fixed && (i.class == u32::MAX || self.classes[i.class as usize].allowed.contains(u32::from(cpu)))
    }

    /// CPUs that the thread may use by mask and cpuset, as far as they have been given.
    pub fn allowed(&self, utid: Utid) -> Option<&CpuBits> {
        let info = self.infos.get(utid as usize)?;
        self.classes.get(info.class as usize).map(|c| &c.allowed)
    }

    /// CPUs of a row of the table `mask`.
    pub fn mask_cpus(&self, mask: i32) -> impl Iterator<Item = CpuIx> + '_ {
        self.masks.get(&mask).into_iter().flat_map(|m| m.iter()).map(|c| c as CpuIx)
    }

    /// A CPU is in a row of the table `mask`.
    pub fn mask_has(&self, mask: i32, cpu: CpuIx) -> bool {
        self.masks.get(&mask).is_some_and(|m| m.contains(u32::from(cpu)))
    }

    /// Note the waiters that became matched or unmatched. Which waiter gets which CPU depends on the matched waiters and the CPUs alone.
    fn drain_flips(&mut self) {
        self.assigned_stale |= !self.last.flips().is_empty();
        let (infos, now) = (&mut self.infos, self.now);
        for flip in self.last.flips() {
            self.changed.push(flip.utid);
            let info = &mut infos[flip.utid as usize];
            if flip.matched && !info.matched {
                (info.matched, info.matched_since) = (true, now);
            } else if !flip.matched && info.matched {
                info.matched = false;
                info.avoidable_ns += now - info.matched_since;
            }
        }
        self.last.clear_flips();
    }

    // ---- CPUs ---------------------------------------------------------------------------------------------------

    /// A CPU became idle: online, observed, swapper runs, queue empty.
    pub fn cpu_idle(&mut self, cpu: CpuIx, event: i64) {
        let new = self.idle.insert(u32::from(cpu));
        debug_assert!(new);
        self.idle_since[cpu as usize] = self.now;
        self.idle_count += 1;
        let (isolated, irq) = (self.topology.isolated[cpu as usize], self.irq[cpu as usize]);
        self.idle_isolated += u32::from(isolated);
        self.idle_irq += u32::from(irq);
        self.for_steps(|level| takes_cpu(level, isolated, irq), |m| m.add_cpu(cpu as usize));
        self.usable_changed(cpu, true, event);
    }

    /// A CPU is idle no longer.
    pub fn cpu_busy(&mut self, cpu: CpuIx, event: i64) {
        self.idled_ns[cpu as usize] = self.idled_ns(cpu);
        let was = self.idle.remove(u32::from(cpu));
        debug_assert!(was);
        self.idle_count -= 1;
        let (isolated, irq) = (self.topology.isolated[cpu as usize], self.irq[cpu as usize]);
        self.idle_isolated -= u32::from(isolated);
        self.idle_irq -= u32::from(irq);
        self.for_steps(|level| takes_cpu(level, isolated, irq), |m| m.remove_cpu(cpu as usize));
        self.usable_changed(cpu, false, event);
    }

    /// The CPU is idle now.
    pub fn is_idle(&self, cpu: CpuIx) -> bool {
        self.idle.contains(u32::from(cpu))
    }

    /// Time for which the CPU counted as idle so far, ns.
    pub fn idled_ns(&self, cpu: CpuIx) -> i64 {
        let at = cpu as usize;
        self.idled_ns[at] + if self.is_idle(cpu) { self.now - self.idle_since[at] } else { 0 }
    }

    /// The idle CPU nearest to `from` that the thread may use, by its masks. Its constraints have been set.
    pub fn nearest_idle(&self, utid: Utid, from: CpuIx) -> Option<CpuIx> {
        if self.idle_count == 0 {
            return None;
        }
        let info = self.infos.get(utid as usize).filter(|i| !i.fixed)?;
        let allowed = &self.classes.get(info.class as usize)?.allowed;
        self.distances.nearest_common(u32::from(from), &self.idle, allowed).map(|cpu| cpu as CpuIx)
    }

    /// Interrupt work starts or ends on a CPU.
    pub fn irq(&mut self, cpu: CpuIx, busy: bool, event: i64) {
        if self.irq[cpu as usize] == busy {
            return;
        }
        // Seen as a CPU that leaves and returns: every level then decides for itself.
        let idle = self.is_idle(cpu);
        if idle {
            self.cpu_busy(cpu, event);
        }
        self.irq[cpu as usize] = busy;
        if idle {
            self.cpu_idle(cpu, event);
        }
    }

    /// A CPU that is neither isolated nor busy with interrupts became idle (`idle`) or ceased to be.
    fn usable_changed(&mut self, cpu: CpuIx, idle: bool, event: i64) {
        if self.topology.isolated[cpu as usize] || self.irq[cpu as usize] {
            return;
        }
        if idle {
            self.last.add_cpu(cpu as usize);
        } else {
            self.last.remove_cpu(cpu as usize);
        }
        self.assigned_stale = true;
        self.interval.log(InputChange::cpu(idle, self.now, event, cpu));
        self.drain_flips();
    }

    // ---- cookies ------------------------------------------------------------------------------------------------

    fn start_cookies(&mut self) {
        self.siblings = Some(self.topology.siblings_by_cpu());
    }

    /// A CPU runs a thread with this cookie (None: swapper, or not known).
    #[inline]
    pub fn running_cookie(&mut self, cpu: CpuIx, cookie: Option<i64>, event: i64) {
        let running = &mut self.running[cpu as usize];
        if *running != cookie {
            *running = cookie;
            if self.siblings.as_ref().is_some_and(|s| !s[cpu as usize].is_empty()) {
                self.rebuild_last(event);
            }
        }
    }

    /// Allowed CPUs of a class with the cookies that run now.
    fn allowed_now(&self, class: &WaiterClass) -> CpuBits {
        let mut allowed = class.allowed.clone();
        if let Some(siblings) = &self.siblings {
            for (cpu, siblings) in siblings.iter().enumerate() {
                let alien = |&s: &CpuIx| self.running[s as usize].is_some_and(|k| k != class.cookie);
                if siblings.iter().any(alien) {
                    allowed.remove(cpu as u32);
                }
            }
        }
        allowed
    }

    /// Make the canonical matching anew (cookies changed what classes may use).
    fn rebuild_last(&mut self, event: i64) {
        let mut fresh = LazyMatcher::new(self.topology.len());
        let usable: Vec<CpuBits> = self.classes.iter().map(|class| self.allowed_now(class)).collect();
        let before: Vec<u32> = self.classes.iter().map(|class| class.usable).collect();
        for (class, set) in usable.iter().enumerate() {
            fresh.add_class(set);
            self.classes[class].usable = self.set_id(set);
        }
        for cpu in self.idle.iter().map(|cpu| cpu as usize) {
            if !self.topology.isolated[cpu] && !self.irq[cpu] {
                fresh.add_cpu(cpu);
            }
        }
        for &utid in &self.waiters {
            let i = &self.infos[utid as usize];
            if !i.fixed && !i.throttled {
                let waiter = Waiter { utid, number: i.number, wait_start: i.wait_start, queue_cpu: u32::from(i.cpu) };
                fresh.add_waiter(ClassId(i.class), waiter);
                let (was, is) = (before[i.class as usize], self.classes[i.class as usize].usable);
                if was != is {
                    self.interval.log(InputChange::waiter(false, self.now, event, was, i.cpu));
                    self.interval.log(InputChange::waiter(true, self.now, event, is, i.cpu));
                }
            }
        }
        for (utid, info) in self.infos.iter_mut().enumerate().filter(|(_, i)| i.matched) {
            info.matched = false;
            info.avoidable_ns += self.now - info.matched_since;
            self.changed.push(utid as Utid);
        }
        self.last = fresh;
        self.assigned_stale = true;
        for step in &mut self.steps {
            step.live = None;
        }
        self.any_step = false;
        self.drain_flips();
    }

    // ---- the ledger's matchings -----------------------------------------------------------------------------------

    fn wanted(&self, level: LedgerLevel) -> bool {
        match level {
            LedgerLevel::Cpuset => self.cpusets_restrict,
            LedgerLevel::Affinity => self.throttled_waiting > 0,
            LedgerLevel::Throttled => self.idle_isolated > 0,
            LedgerLevel::Isolated => self.siblings.is_some(),
            LedgerLevel::Cookie => self.idle_irq > 0,
            LedgerLevel::Certain => self.unknown_waiting > 0,
        }
    }

    /// Change those of the ledger's matchings that count what changed.
    #[inline]
    fn for_steps(&mut self, counts: impl Fn(LedgerLevel) -> bool, mut change: impl FnMut(&mut Matcher)) {
        if self.any_step {
            let steps = LEVELS.into_iter().zip(&mut self.steps).filter(|(level, _)| counts(*level));
            steps.filter_map(|(_, step)| step.live.as_mut()).for_each(&mut change);
        }
    }

    /// Make the matchings that can differ now, drop those that cannot.
    fn arrange_steps(&mut self) {
        let any_wanted = LEVELS.into_iter().fold(false, |any, level| any | self.wanted(level));
        if !any_wanted && !self.any_step {
            return;
        }
        self.any_step = any_wanted;
        for (k, level) in LEVELS.into_iter().enumerate() {
            let wanted = self.wanted(level);
            if wanted && self.steps[k].live.is_none() {
                self.steps[k].live = Some(self.build(level));
            } else if !wanted {
                self.steps[k].live = None;
            }
        }
    }

    fn build(&self, level: LedgerLevel) -> Matcher {
        let mut m = Matcher::new(self.topology.len());
        for class in &self.classes {
            match level {
                LedgerLevel::Cpuset => m.add_class(&class.cpuset),
                LedgerLevel::Cookie | LedgerLevel::Certain => m.add_class(&self.allowed_now(class)),
                _ => m.add_class(&class.allowed),
            };
        }
        for cpu in self.idle.iter().map(|cpu| cpu as usize) {
            if takes_cpu(level, self.topology.isolated[cpu], self.irq[cpu]) {
                m.add_cpu(cpu);
            }
        }
        for (class, counts) in self.counts.iter().enumerate() {
            for (kind, &n) in counts.iter().enumerate() {
                let info = WaiterInfo { throttled: kind & 1 != 0, known: kind & 2 != 0, ..NO_WAITER_INFO };
                if takes_waiter(level, &info) {
                    (0..n).for_each(|_| m.add_waiter(ClassId(class as u32)));
                }
            }
        }
        m
    }

    /// M_0 … M_8 now, and the certain part of the last.
    fn sizes(&self) -> ([u32; EXCUSES + 1], u32) {
        let size = |level: LedgerLevel| self.steps[level as usize].live.as_ref().map(Matcher::size);
        let waiting = self.waiters.len() as u32;
        let mut m = [0; EXCUSES + 1];
        m[8] = self.last.size();
        m[7] = size(LedgerLevel::Cookie).unwrap_or(m[8]);
        m[6] = size(LedgerLevel::Isolated).unwrap_or(m[7]);
        m[5] = size(LedgerLevel::Throttled).unwrap_or(m[6]);
        m[4] = size(LedgerLevel::Affinity).unwrap_or(m[5]);
        m[0] = self.idle_count.min(waiting);
        m[1] = self.idle_count.min(waiting - self.per_cpu_waiting);
        m[2] = self.idle_count.min(waiting - self.fixed_waiting);
        m[3] = size(LedgerLevel::Cpuset).unwrap_or(m[2]);
        (m, size(LedgerLevel::Certain).unwrap_or(m[8]))
    }

    // ---- time ---------------------------------------------------------------------------------------------------

    /// Time passes with the state as it is. Call before applying anything that happens at `to`.
    pub fn advance(&mut self, to: i64, out: &mut DerivedTables) {
        let from = self.now;
        if to <= from {
            return;
        }
        self.now = to;
        if from == i64::MIN {
            return;
        }
        let dt = to - from;
        self.integrals.idle += dt * i64::from(self.idle_count);
        if self.idle_count == 0 || self.waiters.is_empty() {
            self.close_row(out);
            self.interval.end_if_open(from);
            return;
        }
        self.arrange_steps();
        let (m, certain) = self.sizes();
        let sums = &mut self.integrals;
        for (k, sum) in sums.excused.iter_mut().enumerate() {
            *sum += dt * i64::from(m[k] - m[k + 1]);
        }
        sums.idle_while_waiting += dt * i64::from(m[0]);
        sums.wasted += dt * i64::from(m[8]);
        sums.certain += dt * i64::from(certain);
        sums.wall_certain += if certain > 0 { dt } else { 0 };
        sums.wall_idle_while_waiting += if m[0] > 0 { dt } else { 0 };
        self.keep_row(from, to, m[0], m[8], certain, out);
        if m[8] == 0 {
            self.interval.end_if_open(from);
            return;
        }
        let sums = &mut self.integrals;
        sums.wall_wasted += dt;
        sums.peak_wasted = sums.peak_wasted.max(m[8]);
        self.assign();
        self.interval.last_for(from, to, m[8], m[0], &self.assigned);
    }

    /// Give every matched waiter its idle CPU, where that may have changed.
    fn assign(&mut self) {
        if self.assigned_stale {
            self.assigned.clear();
            self.last.assign(&self.distances, &mut self.assigned);
            self.assigned_stale = false;
        }
    }

    /// What passes per ns from now on until something changes: cores idle beside waiting threads, those that each excuse takes off, wasted, certain.
    pub fn rates(&mut self) -> Integrals {
        if self.idle_count == 0 || self.waiters.is_empty() {
            return Integrals { idle: i64::from(self.idle_count), ..Integrals::default() };
        }
        self.arrange_steps();
        let (m, certain) = self.sizes();
        Integrals {
            wasted: i64::from(m[8]),
            certain: i64::from(certain),
            idle_while_waiting: i64::from(m[0]),
            excused: std::array::from_fn(|k| i64::from(m[k] - m[k + 1])),
            idle: i64::from(self.idle_count),
            ..Integrals::default()
        }
    }

    fn keep_row(
        &mut self,
        from: i64,
        to: i64,
        idle_while_waiting: u32,
        wasted: u32,
        certain: u32,
        out: &mut DerivedTables,
    ) {
        let (idle_cpus, waiting) = (self.idle_count as i32, self.waiters.len() as i32);
        let (idle_while_waiting, wasted, certain) = (idle_while_waiting as i32, wasted as i32, certain as i32);
        if let Some(r) = &mut self.row
            && (r.wasted, r.certain, r.idle_while_waiting, r.idle_cpus, r.waiting)
                == (wasted, certain, idle_while_waiting, idle_cpus, waiting)
        {
            r.dur_ns = to - r.start_ns;
            return;
        }
        self.close_row(out);
        self.row = Some(wasted::Row {
            start_ns: from,
            dur_ns: to - from,
            wasted,
            certain,
            idle_while_waiting,
            idle_cpus,
            waiting,
        });
    }

    /// Write the row under way of the table `wasted`.
    pub fn close_row(&mut self, out: &mut DerivedTables) {
        if let Some(row) = self.row.take() {
            out.wasted(&row);
        }
    }

    /// CPUs that a waiter recorded with this class in an interval may use.
    pub fn class_allowed(&self, class: u32) -> &CpuBits {
        &self.sets[class as usize]
    }

    /// Usable idle CPUs now (not isolated, not busy with interrupts).
    pub fn usable_idle(&self) -> CpuBits {
        let mut usable = self.idle.clone();
        for cpu in self.idle.iter().filter(|&c| !self.is_usable(c as CpuIx)) {
            usable.remove(cpu);
        }
        usable
    }

    /// This CPU is one of them.
    pub fn is_usable(&self, cpu: CpuIx) -> bool {
        self.idle.contains(u32::from(cpu)) && !self.irq[cpu as usize] && !self.topology.isolated[cpu as usize]
    }

    /// Threads that wait on a queue, throttled ones included.
    pub fn waiting_on(&self, cpu: CpuIx) -> Vec<Utid> {
        self.waiters.iter().copied().filter(|&u| self.infos[u as usize].cpu == cpu).collect()
    }
}

fn kind(info: &WaiterInfo) -> usize {
    usize::from(info.throttled) | usize::from(info.known) << 1
}

/// The level's matching counts this waiter (one that is not fixed to its CPU).
fn takes_waiter(level: LedgerLevel, info: &WaiterInfo) -> bool {
    match level {
        LedgerLevel::Cpuset | LedgerLevel::Affinity => true,
        LedgerLevel::Throttled | LedgerLevel::Isolated | LedgerLevel::Cookie => !info.throttled,
        LedgerLevel::Certain => !info.throttled && info.known,
    }
}

/// The level's matching counts this idle CPU.
fn takes_cpu(level: LedgerLevel, isolated: bool, irq: bool) -> bool {
    match level {
        LedgerLevel::Cpuset | LedgerLevel::Affinity | LedgerLevel::Throttled => true,
        LedgerLevel::Isolated | LedgerLevel::Cookie => !isolated,
        LedgerLevel::Certain => !isolated && !irq,
    }
}
