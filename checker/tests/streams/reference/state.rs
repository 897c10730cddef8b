//! What is known of the CPUs and threads, as docs/semantics.md reconstructs it: section "State reconstructed from events".

use std::collections::BTreeMap;

use crate::events::{Cpus, Machine};

/// A thread, by the order in which threads became known.
pub type Utid = usize;

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum State {
    /// Nothing is known of where it is.
    Unknown,
    /// Created; its first wakeup places it.
    New,
    /// Off every queue, in a state other than R.
    Off,
    Waiting {
        cpu: usize,
        /// When its wait began.
        since: i64,
        /// When it came to this queue, as a place in the order of all arrivals.
        arrival: u64,
        /// The time of that arrival.
        queued_at: i64,
    },
    Running {
        cpu: usize,
    },
    Dead,
}

#[derive(Clone, Debug)]
pub struct Thread {
    pub tid: i32,
    pub state: State,
    pub mask: Option<Cpus>,
    pub cpuset: Option<Cpus>,
    pub name: Option<&'static str>,
    pub kernel: Option<bool>,
    pub bound: bool,
    pub throttled: bool,
    pub disabled: bool,
    pub cookie: i64,
    /// CPU where it last ran or was queued.
    pub last: Option<usize>,
    pub first_wakeup: FirstWakeup,
}

/// The wakeup that begins a thread's life.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum FirstWakeup {
    /// Nothing says whether it has been.
    Unknown,
    /// A fork made the thread: it is to come.
    ToCome,
    Past,
}

impl Thread {
    fn new(tid: i32) -> Self {
        Self {
            tid,
            state: State::Unknown,
            mask: None,
            cpuset: None,
            name: None,
            kernel: None,
            bound: false,
            throttled: false,
            disabled: false,
            cookie: 0,
            last: None,
            first_wakeup: FirstWakeup::Unknown,
        }
    }

    /// A kernel thread that the kernel binds to a CPU: a snapshot says so, or, where its mask is not known, its name.
    pub fn per_cpu(&self) -> bool {
        let by_name = || self.kernel != Some(false) && self.name.is_some_and(named_per_cpu);
        self.bound || self.mask.is_none() && by_name()
    }

    /// It was woken, or ran, or was off in a state that only threads with a past have.
    pub fn mark_lived(&mut self) {
        if self.first_wakeup == FirstWakeup::Unknown {
            self.first_wakeup = FirstWakeup::Past;
        }
    }
}

/// `migration/3`, `ksoftirqd/0`, `kworker/1:2`: not `kworker/u8:1`, which may run anywhere.
fn named_per_cpu(name: &str) -> bool {
    let kinds = ["migration/", "ksoftirqd/", "cpuhp/", "kworker/"];
    kinds.iter().filter_map(|kind| name.strip_prefix(kind)).any(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Runs {
    Unobserved,
    Swapper,
    Thread(Utid),
}

#[derive(Clone, Debug)]
pub struct Cpu {
    pub online: bool,
    /// A hotplug event took it offline: only another one brings it back.
    pub taken_away: bool,
    pub runs: Runs,
    /// Since when it does that.
    pub since: i64,
    /// Time counted as idle since then.
    pub counted_idle: i64,
    /// Time since then in which it ran swapper beside more than one thread with quota on its queue.
    pub crowded: i64,
    pub in_doubt: bool,
    pub latest_exit_inferred: bool,
    pub lost_until: i64,
    pub irq_until: i64,
}

/// Everything that is known at an instant.
pub struct SystemState {
    pub machine: Machine,
    pub cpus: Vec<Cpu>,
    pub threads: Vec<Thread>,
    by_tid: BTreeMap<i32, Utid>,
    arrivals: u64,
}

impl SystemState {
    pub fn new(machine: &Machine, start: i64) -> Self {
        let cpu = Cpu {
            online: true,
            taken_away: false,
            runs: Runs::Unobserved,
            since: start,
            counted_idle: 0,
            crowded: 0,
            in_doubt: false,
            latest_exit_inferred: false,
            lost_until: i64::MIN,
            irq_until: i64::MIN,
        };
        Self {
            machine: machine.clone(),
            cpus: vec![cpu; machine.cpus],
            threads: Vec::new(),
            by_tid: BTreeMap::new(),
            arrivals: 0,
        }
    }

    /// The thread that has this tid now; a new one where none that is alive has it.
    pub fn thread(&mut self, tid: i32) -> Utid {
        match self.by_tid.get(&tid) {
            Some(&utid) if self.threads[utid].state != State::Dead => utid,
            _ => self.add(tid),
        }
    }

    /// Another thread takes this tid.
    pub fn add(&mut self, tid: i32) -> Utid {
        self.threads.push(Thread::new(tid));
        self.by_tid.insert(tid, self.threads.len() - 1);
        self.threads.len() - 1
    }

    pub fn alive(&self, tid: i32) -> Option<Utid> {
        self.by_tid.get(&tid).copied().filter(|&utid| self.threads[utid].state != State::Dead)
    }

    pub fn rename(&mut self, utid: Utid, tid: i32) {
        self.by_tid.remove(&self.threads[utid].tid);
        self.threads[utid].tid = tid;
        self.by_tid.insert(tid, utid);
    }

    /// Threads on a CPU's queue, the one that has been there longest first.
    pub fn queue(&self, on: usize) -> Vec<Utid> {
        let mut queue: Vec<(u64, Utid)> = Vec::new();
        for (utid, thread) in self.threads.iter().enumerate() {
            match thread.state {
                State::Waiting { cpu, arrival, .. } if cpu == on => queue.push((arrival, utid)),
                _ => {}
            }
        }
        queue.sort_unstable();
        queue.into_iter().map(|(_, utid)| utid).collect()
    }

    /// What is seen of the CPU says nothing of it: it was taken offline, or its events are lost.
    pub fn is_unknown(&self, cpu: usize, now: i64) -> bool {
        self.cpus[cpu].taken_away || now < self.cpus[cpu].lost_until
    }

    /// Put a thread on a queue, at its end; its wait began at `since`.
    pub fn enqueue(&mut self, utid: Utid, cpu: usize, since: i64, now: i64) {
        self.arrivals += 1;
        self.threads[utid].last = Some(cpu);
        self.threads[utid].state = if !self.cpus[cpu].online || self.is_unknown(cpu, now) {
            State::Unknown
        } else {
            State::Waiting { cpu, since, arrival: self.arrivals, queued_at: now }
        };
    }
}
