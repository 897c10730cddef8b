//! How each runnable thread came to be queued where it is: noted when it happens, used where waste needs an explanation.

use super::answers::Proof;
use super::ext_log::ExtPlace;
use super::migration_paths::MigrationPath;

/// What put a thread on a queue.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum QueuedBy {
    /// Not seen.
    #[default]
    Unknown,
    /// It was queued there at the start of the recording.
    Snapshot,
    /// Woken.
    Woken,
    /// Woken for the first time.
    Created,
    /// Moved while it was runnable; None: the path is not recorded.
    Moved(Option<MigrationPath>),
}

/// Where an idle CPU that a thread could have had was, when it was placed on a busy one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum IdleAlternative {
    /// Not examined.
    #[default]
    Unknown,
    /// There was none.
    None,
    /// In the last-level cache of the CPU it got.
    Near,
    /// Elsewhere only.
    Far,
    /// There was one; which CPUs share a cache is not known.
    Somewhere,
}

/// The CPUs that the kernel scanned when it placed the thread (table `cpus_scanned`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CpuScan {
    pub event: i64,
    /// No CPU outside the last-level cache of the one it chose was scanned, but for the one that the thread had before: near
    /// that one or near the waker is searched, and what lies in another cache than the search counts no longer.
    pub one_llc: bool,
    /// Every idle CPU of that cache that the thread may use was scanned.
    pub all_idle: bool,
    /// There was a search: the choice is not the CPU that decided, or two CPUs more were scanned than that one and the
    /// one before. (Two wakeups take the waker's CPU without one: WF_CURRENT_CPU, and what a thread bound to it alone wakes.)
    pub searched: bool,
}

/// How a thread came to a queue.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Arrival {
    pub queued_by: QueuedBy,
    /// Event that put it there.
    pub event: i64,
    /// A move that a stack or the events around it explain, before or at `event`.
    pub moved: Option<(i64, MigrationPath, u8)>,
    pub idle_alternative: IdleAlternative,
    /// Event with the CPU that its placement chose (table `cpus_scanned`); the thread went there.
    pub chosen: Option<i64>,
    pub scan: Option<CpuScan>,
    /// The choice goes by a search, and no CPU of that cache that the thread may use can have been idle meanwhile.
    pub cache_was_busy: bool,
    /// The queue is that of the CPU it had before; of the one that woke it.
    pub kept_cpu: bool,
    /// The thread was of the real-time or deadline class.
    pub realtime: bool,
    pub to_waker: bool,
    /// The CPU it had before idles, in the cache of the one it got: every wakeup scans it.
    pub previous_cpu_idle: bool,
}

impl Arrival {
    /// How sure the move that put it there is.
    pub fn move_proof(&self) -> Proof {
        self.moved.map_or(Proof::Unknown, |(_, _, proof)| Proof::of(proof))
    }

    /// A CPU idled that the thread may use when it was placed on a busy one.
    pub fn had_idle_alternative(&self) -> bool {
        matches!(self.idle_alternative, IdleAlternative::Near | IdleAlternative::Far | IdleAlternative::Somewhere)
    }

    /// How sure it is that the CPUs not scanned were left out by a search.
    pub fn search_proof(&self) -> Proof {
        Proof::if_seen(self.scan.is_some_and(|l| l.searched))
    }
}

/// How a thread came to be queued where it is, and what happened to it there.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WaitOrigin {
    pub arrival: Arrival,
    /// What made it wait, where that is not how it came: how another came while it had the CPU to itself (`alone`); else how
    /// it came to the queue from which it was moved here as it waited.
    pub made_wait_by: Option<Arrival>,
    /// It has had the CPU to itself since: what waits there now is not of its placement's making.
    pub alone: bool,
    /// Event of the latest preemption since.
    pub preempted: Option<i64>,
    /// Its allowed CPUs changed since (see `Widened`).
    pub widened: bool,
    /// What it was when it arrived or was preempted.
    pub traits: WaiterTraits,
}

/// Who decides where a thread runs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum SchedClass {
    /// The fair class, or no policy and no priority of it is recorded.
    #[default]
    Fair,
    /// The real-time, deadline or stop class.
    Realtime,
    /// A sched_ext scheduler; the thread's number.
    Ext(u32),
}

/// What a rule needs to know of a thread besides how it came.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WaiterTraits {
    pub class: SchedClass,
    /// Where a sched_ext scheduler put it, where it was in a local queue.
    pub ext_place: Option<ExtPlace>,
    /// Its allowed CPUs are known: where they are not, another CPU may be one that it may not use.
    pub mask_known: bool,
}

impl WaitOrigin {
    /// Event by which it began to wait.
    pub fn waits_since(&self) -> i64 {
        self.preempted.unwrap_or(self.arrival.event).max(self.arrival.event)
    }

    /// Origin of a thread that arrived this way.
    pub fn of(arrival: Arrival) -> Self {
        Self { arrival, ..Self::default() }
    }

    /// The thread waits because of this arrival: what earlier ones left is forgotten.
    #[inline]
    pub fn arrive(&mut self, arrival: &Arrival, traits: WaiterTraits) {
        *self = Self { traits, ..Self::of(*arrival) };
    }

    /// The event at which it was preempted where it had the CPU to itself.
    pub fn in_place(&self) -> Option<i64> {
        self.preempted.filter(|_| self.alone)
    }

    /// Another thread comes to the CPU that it has to itself.
    pub fn displaced_by(&mut self, by: &Arrival) {
        (self.alone, self.made_wait_by) = (true, Some(*by));
    }

    /// It is moved as it waits: what made it wait stays what it was.
    pub fn moved(&self, arrival: Arrival) -> Self {
        let knows = |c: &Arrival| !matches!(c.queued_by, QueuedBy::Unknown | QueuedBy::Snapshot);
        let began =
            if self.in_place().is_some() { self.made_wait_by } else { self.made_wait_by.or(Some(self.arrival)) };
        let by_balancer = matches!(
            arrival.queued_by,
            QueuedBy::Moved(Some(MigrationPath::Periodic | MigrationPath::Newidle | MigrationPath::Nohz))
        );
        Self { made_wait_by: began.filter(knows), widened: self.widened && by_balancer, ..Self::of(arrival) }
    }
}
