//! Threads: creation and exit, names, masks and states so far.

use std::collections::{HashMap, VecDeque};

use wastenot_schemas::thread_phase;

use crate::run_by_cpu::RunByCpu;
use crate::topology::CpuIx;

/// A thread of the trace, an index into [`Threads`]; 0 is swapper and never a thread. A thread may get that of one that was forgotten; in
/// tables and in records of waste it is a thread's *number*, which no other has.
pub type Utid = u32;

/// Swapper's utid: a CPU that runs it is idle.
pub const SWAPPER: Utid = 0;

/// What a thread is doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// Unknown; counts nowhere.
    Unknown,
    /// On a CPU.
    Running(CpuIx),
    /// Runnable on a CPU's queue; the flag: a preemption put it there.
    Queued { cpu: CpuIx, preempted: bool },
    /// Runnable, but its cgroup has no quota left.
    Throttled { cpu: CpuIx, preempted: bool },
    /// Asleep or blocked, in this state (a `task_state` code), or not started yet.
    Off(u8),
    /// Its last switch has been.
    Dead,
}

impl Phase {
    /// CPU whose queue the thread waits on, throttled or not.
    pub fn waits_on(self) -> Option<CpuIx> {
        match self {
            Self::Queued { cpu, .. } | Self::Throttled { cpu, .. } => Some(cpu),
            _ => None,
        }
    }

    /// CPU the thread runs on or waits for.
    pub fn cpu(self) -> Option<CpuIx> {
        match self {
            Self::Running(cpu) => Some(cpu),
            _ => self.waits_on(),
        }
    }

    /// Code of the `thread_phase` enumeration.
    pub fn code(self) -> u8 {
        use wastenot_schemas::task_state as s;
        match self {
            Self::Unknown => thread_phase::UNKNOWN,
            Self::Running(_) => thread_phase::RUNNING,
            Self::Queued { preempted: false, .. } => thread_phase::RUNNABLE,
            Self::Queued { preempted: true, .. } => thread_phase::PREEMPTED,
            Self::Throttled { .. } => thread_phase::THROTTLED,
            Self::Dead => thread_phase::DEAD,
            Self::Off(s::S | s::I) => thread_phase::SLEEPING,
            Self::Off(s::T | s::T_TRACED | s::P) => thread_phase::STOPPED,
            Self::Off(s::X | s::Z) => thread_phase::DEAD,
            Self::Off(s::UNKNOWN) => thread_phase::UNKNOWN,
            Self::Off(_) => thread_phase::BLOCKED,
        }
    }
}

/// The wakeup with which a thread's life starts (sched_wakeup_new).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FirstWakeup {
    /// No event shows whether it has been.
    #[default]
    Unknown,
    /// A fork created the thread, which has not been woken and has not left a CPU since.
    Expected,
    /// The thread was woken or has run: a first wakeup of its tid is that of another thread.
    Past,
}

/// What decides which CPUs a thread may use.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Constraints {
    /// Row of `mask`, or [`UNKNOWN_MASK`].
    pub mask: i32,
    /// Effective CPUs of its cpuset, a row of `mask`, or [`UNKNOWN_MASK`].
    pub cpuset: i32,
    /// Core-scheduling cookie.
    pub cookie: i64,
    /// Per-CPU kernel thread.
    pub per_cpu: bool,
    pub migration_disabled: bool,
    pub throttled: bool,
}

/// A mask the trace does not show: taken to allow every CPU, and counted as uncertain.
pub const UNKNOWN_MASK: i32 = -1;

impl Constraints {
    /// Nothing known.
    pub const UNKNOWN: Self = Self {
        mask: UNKNOWN_MASK,
        cpuset: UNKNOWN_MASK,
        cookie: 0,
        per_cpu: false,
        migration_disabled: false,
        throttled: false,
    };

    /// The thread's allowed CPUs are known (per-CPU kernel threads are, by what they are).
    pub fn known(&self) -> bool {
        self.mask != UNKNOWN_MASK || self.per_cpu
    }
}

/// Times and counts of one thread.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C)] // as in Thread
pub struct Totals {
    pub wakeups: i64,
    pub switches: i64,
    pub migrations: i64,
    pub needless_migrations: i64,
    /// Time in each phase, ns, by its code.
    pub spent_ns: [i64; thread_phase::NAMES.len()],
}

/// The kernel's accounts of a thread's time, beside the reconstructed time of the same stretches.
#[derive(Clone, Copy, Debug, Default)]
pub struct Accounts {
    /// Time that the kernel accounted, ns.
    pub kernel_ns: i64,
    /// Time that the thread ran as reconstructed, ns.
    pub ours_ns: i64,
    /// Time of the latest account, and what the thread had run up to then.
    pub latest: Option<(i64, i64)>,
}

/// What is kept of a thread that died, in case the thread that has its tid next is the same one.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DeadThread {
    pub name: Option<Box<str>>,
    pub end_ns: Option<i64>,
    /// Its last switch left it in state Z.
    pub zombie: bool,
}

impl DeadThread {
    /// It had the name of a CPU's stopper.
    pub fn is_stopper(&self) -> bool {
        names_stopper(self.name.as_deref())
    }
}

/// The name is that of a CPU's stopper, the last to run there before the CPU goes offline (kernel/stop_machine.c).
fn names_stopper(name: Option<&str>) -> bool {
    name.is_some_and(|name| name.starts_with("migration/"))
}

/// The thread that forked another.
#[derive(Clone, Copy, Debug)]
pub struct ParentThread {
    pub utid: Utid,
    /// The thread that has the utid is the parent if it has this number.
    pub number: u32,
}

/// One thread. What events read and change as a rule comes first, in as few cache lines as it fits.
#[derive(Clone, Debug)]
#[repr(C, align(64))]
pub struct Thread {
    /// When `phase` began.
    pub since: i64,
    /// When it became runnable and has not run since; priority of the canonical matching.
    pub wait_start: i64,
    pub constraints: Constraints,
    /// The thread that had the tid before and exited, where no event reports that this one is another.
    pub follows: Option<Box<DeadThread>>,
    pub phase: Phase,
    /// CPU it last ran or was queued on.
    pub last_cpu: Option<CpuIx>,
    /// CPU from which it is being woken.
    pub waker: Option<CpuIx>,
    pub first_wakeup: FirstWakeup,
    /// Its mask was known whenever it waited.
    pub mask_known: bool,
    /// A sched_ext scheduler runs it.
    pub ext: bool,
    /// It exits (sched_process_exit); its last switch is still to come.
    pub exiting: bool,
    pub totals: Totals,
    pub ran_on: RunByCpu,
    /// Its place in the order in which threads were first seen: `utid` of the tables.
    pub number: u32,
    pub tid: i32,
    pub tgid: Option<i32>,
    pub name: Option<Box<str>>,
    pub parent: Option<ParentThread>,
    /// By a snapshot its policy is SCHED_IDLE.
    pub is_idle_policy: bool,
    /// When its latest wakeup began (sched_waking, before a CPU is chosen).
    pub waking_ns: Option<i64>,
    pub cgroup: Option<i64>,
    pub start_ns: Option<i64>,
    pub end_ns: Option<i64>,
    pub accounts: Accounts,
    pub is_kernel: Option<bool>,
    /// By a snapshot the kernel binds it to its CPU.
    pub is_bound: bool,
    /// Its name is that of a kernel thread bound to its CPU; a name inherited from the parent does not count.
    pub named_bound: bool,
    /// Its last switch left it in state Z.
    pub zombie: bool,
    /// It counts as one that died in state Z and ran again (`ran_after_death`).
    pub follows_zombie: bool,
}

const _: () = assert!(std::mem::offset_of!(Thread, totals) <= 64);

impl Thread {
    /// A thread of which only this is known; it was created at `start_ns`, or existed before (None).
    pub fn new(number: u32, tid: i32, start_ns: Option<i64>) -> Self {
        Self {
            number,
            tid,
            tgid: None,
            name: None,
            parent: None,
            cgroup: None,
            is_kernel: None,
            mask_known: true,
            start_ns,
            end_ns: None,
            phase: Phase::Unknown,
            since: start_ns.unwrap_or(0),
            wait_start: 0,
            last_cpu: None,
            constraints: Constraints::UNKNOWN,
            first_wakeup: FirstWakeup::Unknown,
            is_bound: false,
            named_bound: false,
            exiting: false,
            zombie: false,
            follows: None,
            follows_zombie: false,
            waker: None,
            waking_ns: None,
            is_idle_policy: false,
            ext: false,
            accounts: Accounts::default(),
            totals: Totals::default(),
            ran_on: RunByCpu::default(),
        }
    }

    /// It has the name of a CPU's stopper.
    pub fn is_stopper(&self) -> bool {
        names_stopper(self.name.as_deref())
    }

    /// Time that the thread ran up to `now`, ns.
    pub fn ran_ns(&self, now: i64) -> i64 {
        let under_way = if matches!(self.phase, Phase::Running(_)) { now - self.since } else { 0 };
        self.totals.spent_ns[thread_phase::RUNNING as usize] + under_way
    }

    /// The thread was woken or ran. (One whose fork was seen may run before its first wakeup in the order of events.)
    pub fn mark_lived(&mut self) {
        if self.first_wakeup == FirstWakeup::Unknown {
            self.first_wakeup = FirstWakeup::Past;
        }
    }

    /// A per-CPU kernel thread with this mask: by a snapshot, or, where the mask is not known, by its name.
    pub fn is_per_cpu(&self, mask: i32) -> bool {
        self.is_bound || self.named_bound && mask == UNKNOWN_MASK && self.is_kernel != Some(false)
    }
}

/// All threads of a trace, by utid, and the thread that has each tid now.
pub struct Threads {
    all: Vec<Thread>,
    by_tid: TidMap,
    /// By tid, the last thread that died with it, whose exit was not reported and that was not followed by a birth.
    died: HashMap<i32, DeadThread>,
    /// Number of the next thread.
    next_number: u32,
    /// Utids of threads that were forgotten.
    free: Vec<Utid>,
    /// Threads whose tids were given up, to be forgotten; kept only where they shall be.
    pub gone: Option<VecDeque<Utid>>,
    /// A sched_ext scheduler came (true) or left during the recording: it takes all threads, or there is none. None: a thread's policy,
    /// as the recorder had it from the start, says which are of one.
    taken_by_ext: Option<bool>,
}

/// `Thread::number` of a free place.
const FORGOTTEN: u32 = u32::MAX;

impl Default for Threads {
    fn default() -> Self {
        let mut threads = Self {
            all: Vec::new(),
            by_tid: TidMap::default(),
            died: HashMap::new(),
            next_number: 0,
            free: Vec::new(),
            gone: None,
            taken_by_ext: None,
        };
        let swapper = threads.start(0, None);
        threads[swapper].name = Some("swapper".into());
        threads
    }
}

impl Threads {
    /// utid of the thread that has `tid` now, made when there is none.
    #[inline]
    pub fn of(&mut self, tid: i32) -> Utid {
        match self.by_tid.get(tid) {
            Some(utid) => utid,
            None => self.start(tid, None),
        }
    }

    /// A sched_ext scheduler runs all threads but those of a higher class (kernel/sched/ext.c: scx_enable).
    pub fn join_sched_ext(&mut self) {
        self.taken_by_ext = Some(true);
        self.all.iter_mut().skip(SWAPPER as usize + 1).for_each(|thread| thread.ext = true);
    }

    /// One runs those of its policy (SCX_OPS_SWITCH_PARTIAL): each is known as it is described, or is put into a queue.
    pub fn join_sched_ext_by_policy(&mut self) {
        self.taken_by_ext = None;
    }

    /// Whether a sched_ext scheduler runs a thread that is described only now, whose policy is SCHED_EXT or not.
    pub fn is_of_ext(&self, policy_is_ext: bool) -> bool {
        self.taken_by_ext.unwrap_or(policy_is_ext)
    }

    /// No sched_ext scheduler runs any thread.
    pub fn leave_sched_ext(&mut self) {
        self.taken_by_ext = Some(false);
        self.all.iter_mut().for_each(|thread| thread.ext = false);
    }

    /// utid that holds `tid` now.
    pub fn find(&self, tid: i32) -> Option<Utid> {
        self.by_tid.get(tid)
    }

    /// A new thread takes `tid`; it was created at `start_ns`, or existed before (None).
    pub fn start(&mut self, tid: i32, start_ns: Option<i64>) -> Utid {
        let number = self.next_number;
        self.next_number = if number + 1 == FORGOTTEN { 1 } else { number + 1 };
        let follows = self.died.get(&tid).cloned().map(Box::new);
        let thread = Thread { follows, ..Thread::new(number, tid, start_ns) };
        let utid = match self.free.pop() {
            Some(utid) => {
                self[utid] = thread;
                utid
            }
            None => {
                self.all.push(thread);
                self.all.len() as Utid - 1
            }
        };
        self.by_tid.set(tid, Some(utid));
        utid
    }

    /// The thread was created by an event of its own (a fork, a first wakeup): the thread that died with its tid was another.
    pub fn mark_created(&mut self, utid: Utid) {
        self[utid].follows = None;
        let tid = self[utid].tid;
        self.died.remove(&tid);
    }

    /// The thread has died: its tid may be given to another.
    pub fn mark_dead(&mut self, utid: Utid) {
        let t = &self[utid];
        if t.exiting {
            // Whatever has the tid next is another.
            let tid = t.tid;
            self.died.remove(&tid);
        } else {
            let dead = DeadThread { name: t.name.clone(), end_ns: t.end_ns, zombie: t.zombie };
            self.died.insert(t.tid, dead);
        }
        self.release(utid);
    }

    /// The thread is gone: its tid may be given to another.
    pub fn release(&mut self, utid: Utid) {
        let tid = self[utid].tid;
        if self.by_tid.get(tid) == Some(utid) {
            self.by_tid.set(tid, None);
            self.note_gone(utid);
        }
    }

    fn note_gone(&mut self, utid: Utid) {
        if let Some(gone) = &mut self.gone {
            gone.push_back(utid);
        }
    }

    /// Forget a thread that is gone: another may have its utid.
    pub fn forget(&mut self, utid: Utid) {
        let t = &mut self[utid];
        debug_assert!(t.number != FORGOTTEN && t.phase.cpu().is_none());
        (t.number, t.phase) = (FORGOTTEN, Phase::Dead);
        (t.name, t.follows, t.ran_on) = (None, None, RunByCpu::default());
        self.free.push(utid);
    }

    /// The parent, if it is not forgotten.
    pub fn parent(&self, of: &ParentThread) -> Option<&Thread> {
        Some(&self[of.utid]).filter(|t| t.number == of.number)
    }

    /// An exec by a non-leader: the thread takes over the leader's tid.
    pub fn rename(&mut self, utid: Utid, tid: i32) {
        let former = self[utid].tid;
        if self.by_tid.get(former) == Some(utid) {
            self.by_tid.set(former, None);
        }
        if let Some(leader) = self.by_tid.get(tid).filter(|leader| *leader != utid) {
            self.note_gone(leader);
        }
        self[utid].tid = tid;
        self.by_tid.set(tid, Some(utid));
    }

    /// Threads that are not forgotten, swapper included.
    pub fn known(&self) -> usize {
        self.all.len() - self.free.len()
    }

    /// Threads that later events can refer to, in rising order: swapper and those that have a tid.
    pub fn referable(&self) -> Vec<Utid> {
        let mut utids: Vec<Utid> = self.by_tid.utids().collect();
        utids.sort_unstable();
        utids
    }

    /// Number of the next thread.
    pub fn next_number(&self) -> u32 {
        self.next_number
    }

    /// Stoppers that died last with their tid, in the order of tids: a thread may take their name.
    pub fn dead_stoppers(&self) -> Vec<(i32, DeadThread)> {
        let stoppers = self.died.iter().filter(|(_, dead)| dead.is_stopper());
        let mut stoppers: Vec<_> = stoppers.map(|(&tid, dead)| (tid, dead.clone())).collect();
        stoppers.sort_unstable_by_key(|(tid, _)| *tid);
        stoppers
    }

    /// The threads of a walk that is restarted: those that were [referable](Self::referable), and the stoppers that had died. None
    /// where two have one tid, or where numbers do not rise from that of swapper up to `next_number`.
    pub fn restored(threads: Vec<Thread>, died: Vec<(i32, DeadThread)>, next_number: u32) -> Option<Self> {
        let numbers: Vec<u32> = threads.iter().map(|t| t.number).collect();
        let rise = numbers.first() == Some(&0) && numbers.windows(2).all(|of| of[0] < of[1]);
        if !rise || numbers.last() >= Some(&next_number) || next_number > i32::MAX as u32 {
            return None;
        }
        let mut out = Self { next_number, died: died.into_iter().collect(), ..Self::default() };
        out.all.clear();
        for (utid, thread) in (0..).zip(threads) {
            let tid = thread.tid;
            if (utid == SWAPPER) != (tid == 0) || utid != SWAPPER && out.find(tid).is_some() {
                return None;
            }
            out.by_tid.set(tid, Some(utid));
            out.all.push(thread);
        }
        Some(out)
    }

    /// Number of utids, swapper included.
    pub fn len(&self) -> usize {
        self.all.len()
    }

    /// Every thread that is not forgotten with its utid, swapper first.
    pub fn iter(&self) -> impl Iterator<Item = (Utid, &Thread)> {
        self.all.iter().enumerate().filter(|(_, t)| t.number != FORGOTTEN).map(|(i, t)| (i as Utid, t))
    }
}

impl std::ops::Index<Utid> for Threads {
    type Output = Thread;
    #[inline]
    fn index(&self, utid: Utid) -> &Thread {
        &self.all[utid as usize]
    }
}

impl std::ops::IndexMut<Utid> for Threads {
    #[inline]
    fn index_mut(&mut self, utid: Utid) -> &mut Thread {
        &mut self.all[utid as usize]
    }
}

/// tid → utid: a plain array for the tids Linux gives (pid_max ≤ 4,194,304), a map for anything else.
#[derive(Default)]
struct TidMap {
    low: Vec<Utid>,
    rest: HashMap<i32, Utid>,
}

const NO_THREAD: Utid = Utid::MAX;
const PID_MAX: usize = 1 << 22;

impl TidMap {
    #[inline]
    fn get(&self, tid: i32) -> Option<Utid> {
        match self.low.get(tid as usize) {
            Some(&utid) => (utid != NO_THREAD).then_some(utid),
            None if self.rest.is_empty() => None,
            None => self.rest.get(&tid).copied(),
        }
    }

    /// All threads that have a tid.
    fn utids(&self) -> impl Iterator<Item = Utid> + '_ {
        self.low.iter().copied().filter(|&utid| utid != NO_THREAD).chain(self.rest.values().copied())
    }

    fn set(&mut self, tid: i32, utid: Option<Utid>) {
        if tid >= 0 && (tid as usize) < PID_MAX {
            let at = tid as usize;
            if at >= self.low.len() {
                self.low.resize((at + 1).next_power_of_two(), NO_THREAD);
            }
            self.low[at] = utid.unwrap_or(NO_THREAD);
        } else if let Some(utid) = utid {
            self.rest.insert(tid, utid);
        } else {
            self.rest.remove(&tid);
        }
    }
}
