//! How each runnable thread came to stand where it stands: noted when it happens, judged when it turns out to matter.

use super::answers::Proof;
use super::paths::Path;

/// What put a thread on a queue.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum How {
    /// Not seen.
    #[default]
    Unknown,
    /// It stood there when knowledge began.
    Snapshot,
    /// Woken.
    Woken,
    /// Woken for the first time.
    Born,
    /// Moved while it was runnable; None: by whom is not told.
    Moved(Option<Path>),
}

/// Where an idle CPU that a thread could have had was, when it was placed on a busy one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Choice {
    /// Not looked at.
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

/// What the kernel looked at when it placed the thread (table `cpus_scanned`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Looked {
    pub event: i64,
    /// No CPU outside the last-level cache of the one it chose was looked at, but for the one that the thread had before: near
    /// that one or near the waker is searched, and what lies in another cache than the search counts no longer.
    pub one_llc: bool,
    /// Every idle CPU of that cache that the thread may use was looked at.
    pub all_idle: bool,
    /// There was a search: the choice is not the CPU that decided, or two CPUs more were looked at than that one and the
    /// one before. (Two wakeups take the waker's CPU without one: WF_CURRENT_CPU, and what a thread bound to it alone wakes.)
    pub searched: bool,
}

/// How a thread came to a queue.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Came {
    pub how: How,
    /// Event that put it there.
    pub event: i64,
    /// A move that a stack or the events around it explain, before or at `event`.
    pub moved: Option<(i64, Path, u8)>,
    pub choice: Choice,
    /// Event that tells which CPU its placement chose (table `cpus_scanned`), and that the thread went there.
    pub chose: Option<i64>,
    pub looked: Option<Looked>,
    /// The queue is that of the CPU it had before; of the one that woke it.
    pub kept: bool,
    pub to_waker: bool,
    /// The CPU it had before idles, in the cache of the one it got: whatever a wakeup looks at, it looks there.
    pub left_idle: bool,
}

impl Came {
    /// How sure the move that put it there is.
    pub fn move_proof(&self) -> Proof {
        self.moved.map_or(Proof::Unknown, |(_, _, proof)| Proof::of(proof))
    }

    /// How sure it is that what was not looked at was left out by a search.
    pub fn search_proof(&self) -> Proof {
        Proof::if_seen(self.looked.is_some_and(|l| l.searched))
    }
}

/// How a thread came to stand on its queue, and what happened to it there.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Arrival {
    pub came: Came,
    /// What made it wait, where that is not how it came: how another came while it had the CPU to itself (`alone`); else how
    /// it came to the queue from which it was moved here as it waited.
    pub began: Option<Came>,
    /// It has had the CPU to itself since: what waits there now is not of its placement's making.
    pub alone: bool,
    /// Event of the latest preemption since.
    pub preempted: Option<i64>,
    /// Its allowed CPUs changed since (see `Widened`).
    pub widened: bool,
    /// A `policy` code says sched_ext.
    pub ext: bool,
}

impl Arrival {
    /// The thread came so.
    pub fn of(came: Came) -> Self {
        Self { came, ..Self::default() }
    }

    /// The event at which it was preempted where it had the CPU to itself.
    pub fn in_place(&self) -> Option<i64> {
        self.preempted.filter(|_| self.alone)
    }

    /// Another comes while it has the CPU to itself.
    pub fn joined(&mut self, by: &Came) {
        (self.alone, self.began) = (true, Some(*by));
    }

    /// It is moved as it waits: what made it wait stays what it was.
    pub fn moved(&self, came: Came) -> Self {
        let knows = |c: &Came| !matches!(c.how, How::Unknown | How::Snapshot);
        let began = if self.in_place().is_some() { self.began } else { self.began.or(Some(self.came)) };
        let by_balancer = matches!(came.how, How::Moved(Some(Path::Periodic | Path::Newidle | Path::Nohz)));
        Self { began: began.filter(knows), widened: self.widened && by_balancer, ..Self::of(came) }
    }
}
