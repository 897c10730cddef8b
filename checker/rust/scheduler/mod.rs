//! The scheduler's state, reconstructed: one method per event, each from the state before to the state after.
//!
//! What each event does is the table in `docs/semantics.md`, section "State reconstructed from events". Everything that
//! changes here reaches the invariant (`invariant`) at once, and the derived tables when it has lasted a while.

mod classes;
mod constraints;
mod evidence;
mod forgotten;
mod lives;
mod placement;
mod queues;
mod restart;
mod self_check_notes;
mod switch;
mod wait_notes;

pub use classes::MAX_RT_PRIO;
pub use forgotten::ForgottenThreads;
pub use placement::MigrateEvent;

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};
use std::sync::Arc;

use wastenot_schemas::runqueue;

use crate::causes::kernels::Release;
use crate::causes::{BalancerLog, LlcMoves, StackPath};
use crate::cpus::CpuState;
use crate::data_quality::{Contradiction, DataQuality, Repair};
use crate::error::CheckError;
use crate::invariant::Invariant;
use crate::self_checks::SelfChecks;
use crate::tables::DerivedTables;
use crate::threads::{SWAPPER, Threads, Utid};
use crate::time_limits::TimeLimits;
use crate::topology::{CpuIx, TracedTopology};
use crate::wait_ledger::WaitLedger;

/// Result of applying an event.
pub type ApplyResult = Result<(), CheckError>;

/// Times of all CPUs together, ns.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CpuTimes {
    pub online_ns: i64,
    pub busy_ns: i64,
    pub unobserved_ns: i64,
}

/// The reconstructed scheduler.
pub struct Scheduler {
    pub topology: Arc<TracedTopology>,
    pub threads: Threads,
    pub forgotten: ForgottenThreads,
    pub cpus: Vec<CpuState>,
    pub invariant: Invariant,
    pub wait_ledger: WaitLedger,
    pub out: DerivedTables,
    pub data_quality: DataQuality,
    pub checks: SelfChecks,
    pub strict: bool,
    /// Id and time of the event being applied.
    pub event: i64,
    pub now: i64,
    /// Latest stamp read; time may not have passed up to there yet.
    pub seen: i64,
    pub started: i64,
    /// Where stamps may lie.
    pub limits: TimeLimits,
    /// Time each CPU was online, observed, busy, ns.
    pub online_ns: i64,
    pub unobserved_ns: Vec<i64>,
    /// Per CPU: time that was counted as idle, at most, before the CPU was found running a thread, ns.
    pub doubtful_idle_ns: Vec<i64>,
    /// Per CPU: time, at most, in which another thread of its queue counted as waiting than the one that did, ns.
    pub doubtful_wait_ns: Vec<i64>,
    pub busy_ns: i64,
    /// How long swapper ran on each CPU, ns; of other threads, see [`crate::threads::Thread`].
    pub swapper_ran_ns: Vec<i64>,
    /// A wakeup (of a thread that is not new) was read: the source reports them.
    pub reports_wakeups: bool,
    /// `sched_waking` holds only wakeups queued to another CPU.
    pub queued_wakings_only: bool,
    /// A fork or a first wakeup was read: the source reports new threads.
    reports_creation: bool,
    /// sched_process_exit was read: the source reports it.
    reports_exits: bool,
    /// End of the latest loss of events, on whatever CPU.
    lost_until: i64,
    /// Some CPU's exit from idle was not reported.
    misses_exits: bool,
    irq_ends: BinaryHeap<Reverse<(i64, CpuIx)>>,
    /// What each kernel stack shows of a move.
    pub stacks: HashMap<i32, StackPath>,
    pub balancer_log: BalancerLog,
    pub llc_moves: LlcMoves,
    /// Kernel release, where the trace has it.
    pub release: Option<Release>,
    /// Causes are not wanted: nothing is noted for them.
    pub without_causes: bool,
    /// Servers of deadline threads are followed elsewhere: a throttled thread stays queued here.
    pub without_servers: bool,
}

impl Scheduler {
    pub fn new(topology: Arc<TracedTopology>, masks: &[(i32, Vec<i16>)], strict: bool) -> Self {
        let cpus: Vec<CpuState> = topology.online.iter().map(|&online| CpuState::new(online)).collect();
        Self {
            threads: Threads::default(),
            forgotten: ForgottenThreads::default(),
            invariant: Invariant::new(topology.clone(), masks),
            wait_ledger: WaitLedger::new(cpus.len()),
            out: DerivedTables::default(),
            data_quality: DataQuality::default(),
            checks: SelfChecks::new(cpus.len()),
            strict,
            event: 0,
            now: i64::MIN,
            seen: i64::MIN,
            started: i64::MIN,
            limits: TimeLimits::unbounded(),
            online_ns: 0,
            unobserved_ns: vec![0; cpus.len()],
            doubtful_idle_ns: vec![0; cpus.len()],
            doubtful_wait_ns: vec![0; cpus.len()],
            busy_ns: 0,
            swapper_ran_ns: vec![0; cpus.len()],
            reports_wakeups: false,
            queued_wakings_only: false,
            reports_creation: false,
            reports_exits: false,
            lost_until: i64::MIN,
            misses_exits: false,
            irq_ends: BinaryHeap::new(),
            stacks: HashMap::new(),
            balancer_log: BalancerLog::new(cpus.len()),
            llc_moves: LlcMoves::new(&topology),
            release: None,
            without_causes: false,
            without_servers: false,
            cpus,
            topology,
        }
    }

    /// An event that changes no state was seen at `ts`. True when that is all there is to note; false when time has to
    /// be reached as for any other event.
    #[inline]
    pub fn see(&mut self, ts: i64) -> bool {
        let plain = self.started != i64::MIN && ts >= self.seen;
        if plain {
            self.seen = ts;
        }
        plain
    }

    /// The time at which an event stamped `ts` is applied: its own, or the time reached when the clock went back.
    #[inline]
    pub fn time_of(&mut self, event: i64, ts: i64) -> Result<i64, CheckError> {
        self.event = event;
        let back = self.seen.saturating_sub(ts);
        if back > 0 && self.started != i64::MIN {
            self.contradict(Contradiction::TimeBackwards, || format!("clock went back by {back} ns"))?;
            return Ok(self.seen);
        }
        self.seen = ts;
        Ok(ts)
    }

    /// Let time pass up to `ts`. Returns true when an interval of waste ended on the way: the caller grades it and calls again.
    pub fn reach(&mut self, ts: i64) -> bool {
        if !self.balancer_log.cpus_with_attempt.is_empty() {
            self.settle_attempts();
        }
        if ts == self.now {
            return false;
        }
        if self.started == i64::MIN {
            self.started = ts;
            self.limits = TimeLimits::starting_at(ts, self.cpus.len());
            self.out.tiles.begin(ts);
            for cpu in &mut self.cpus {
                cpu.since = ts;
            }
        }
        while let Some(&Reverse((end, cpu))) = self.irq_ends.peek()
            && end <= ts
        {
            self.irq_ends.pop();
            if self.cpus[cpu as usize].irq_until == Some(end) {
                self.pass_time(self.now.max(end));
                if self.invariant.interval.ended.is_some() {
                    self.irq_ends.push(Reverse((end, cpu)));
                    return true;
                }
                self.cpus[cpu as usize].irq_until = None;
                self.invariant.irq(cpu, false, self.event);
                self.wait_ledger.changed_cpus.push(cpu);
            }
        }
        self.pass_time(ts);
        self.invariant.interval.ended.is_some()
    }

    #[inline]
    fn pass_time(&mut self, to: i64) {
        if to > self.now {
            self.settle_waits(to);
        }
        self.now = to;
        self.invariant.advance(to, &mut self.out);
    }

    /// When the next interrupt work ends that keeps a CPU from being usable; far away where none is under way.
    pub fn next_irq_end(&self) -> i64 {
        self.irq_ends.peek().map_or(i64::MAX, |Reverse((end, _))| *end)
    }

    /// Time up to `until` of the slices under way, which end later, by what the CPUs do in them.
    pub fn times_under_way(&self, until: i64) -> CpuTimes {
        let mut times = CpuTimes::default();
        for state in self.cpus.iter().filter(|state| state.online) {
            let dur = (until - state.since).max(0);
            let in_doubt = state.doubted && state.runs_swapper();
            times.online_ns += dur;
            match state.current.filter(|_| !in_doubt) {
                None => times.unobserved_ns += dur,
                Some(SWAPPER) => {}
                Some(_) => times.busy_ns += dur,
            }
        }
        times
    }

    pub(super) fn contradict(&mut self, what: Contradiction, detail: impl FnOnce() -> String) -> ApplyResult {
        self.data_quality.contradict(what);
        if self.strict {
            return Err(CheckError::Contradiction { event: self.event, ts_ns: self.now, what, detail: detail() });
        }
        Ok(())
    }

    /// The event contradicts the reconstructed state, and the missing event can be inferred. Strict mode infers nothing.
    pub(super) fn repair(
        &mut self,
        queued_by: Repair,
        cpu: CpuIx,
        what: Contradiction,
        detail: impl FnOnce() -> String,
    ) -> ApplyResult {
        if self.strict {
            return self.contradict(what, detail);
        }
        self.data_quality.repair(queued_by, self.topology.number(cpu));
        Ok(())
    }

    pub(super) fn cpu(&mut self, number: i16) -> Option<CpuIx> {
        let cpu = self.topology.index(number);
        if cpu.is_none() {
            self.data_quality.reject("cpu_not_in_machine");
        }
        cpu
    }

    /// The time of all threads together, and that of all queued ones, fits 64 bits. (That of all CPUs does: see
    /// [`crate::time_limits`].)
    pub fn sums_fit(&self) -> bool {
        let of_threads = self.threads.iter().flat_map(|(_, t)| t.totals.spent_ns).map(i128::from).sum::<i128>();
        of_threads + self.forgotten.spent_ns <= i128::from(i64::MAX) && !self.out.tiles.overflowed
    }

    /// Write everything that is still under way.
    pub fn finish(&mut self) {
        for cpu in 0..self.cpus.len() as CpuIx {
            self.doubt_crowd(cpu);
            self.end_about(cpu);
            self.stop_idling_beside(cpu);
            self.close_slice(cpu, None, true);
            let (since, queued, running) = self.cpus[cpu as usize].row;
            if since != i64::MIN && self.now > since {
                let (cpu, dur_ns) = (self.topology.number(cpu), self.now - since);
                self.out.runqueue(&runqueue::Row { cpu, start_ns: since, dur_ns, queued, running });
            }
        }
        for utid in 1..self.threads.len() as Utid {
            let phase = self.threads[utid].phase;
            self.set_phase(utid, phase);
        }
        let now = self.now;
        self.invariant.close_row(&mut self.out);
        self.invariant.interval.end_if_open(now);
    }
}
