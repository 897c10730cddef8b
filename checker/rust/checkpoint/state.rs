//! The fields of a state, and their order in its encoding.

use wastenot_schemas::wasted;

use super::coder::{Coded, Coder, Damaged, Reader, Writer};
use crate::threads::{Constraints, DeadThread, FirstWakeup, Phase, Utid};
use crate::topology::CpuIx;

/// First byte of a state. It changes with the fields and their meaning.
const FORMAT: u64 = 2;
/// States without what the wait ledger reads of threads.
const WITHOUT_LEDGER_FACTS: u64 = 1;

/// The walk between two events. Threads are numbered by their place in `threads`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct WalkState {
    /// Time reached, latest stamp read, first stamp; id of the latest event.
    pub now: i64,
    pub seen: i64,
    pub started: i64,
    pub event: i64,
    pub lost_until: i64,
    pub reports_wakeups: bool,
    pub reports_creation: bool,
    pub reports_exits: bool,
    pub misses_exits: bool,
    /// A cookie was seen: core scheduling is in use.
    pub cookies: bool,
    /// A thread's cpuset was seen to leave CPUs out.
    pub cpusets_restrict: bool,
    /// Number in tables that the next new thread gets.
    pub next_number: u32,
    pub threads: Vec<ThreadAtCut>,
    /// Stoppers that died last with their tid.
    pub dead_stoppers: Vec<(i32, DeadThread)>,
    pub cpus: Vec<CpuAtCut>,
    /// Threads that wait, in the order in which the invariant holds them.
    pub waiting: Vec<Utid>,
    /// Row under way of the table `wasted`.
    pub wasted: Option<wasted::Row>,
    /// Pairs that the matching holds.
    pub pairs: Vec<OpenPair>,
    /// It is of an older version, which did not write the cgroups and classes of threads.
    pub lacks_ledger_facts: bool,
}

/// A thread that later events can refer to.
#[derive(Clone, Debug, PartialEq)]
pub struct ThreadAtCut {
    /// Its number in tables.
    pub number: u32,
    pub tid: i32,
    pub since: i64,
    /// Of one that waits.
    pub wait_start: i64,
    pub phase: Phase,
    pub constraints: Constraints,
    /// The invariant was given its constraints.
    pub constrained: bool,
    pub last_cpu: Option<CpuIx>,
    pub waker: Option<CpuIx>,
    /// The stopper that had the tid before.
    pub follows: Option<DeadThread>,
    pub first_wakeup: FirstWakeup,
    pub ext: bool,
    pub exiting: bool,
    pub is_kernel: Option<bool>,
    pub is_bound: bool,
    pub named_bound: bool,
    pub name: Option<Box<str>>,
    pub cgroup: Option<i64>,
    /// It is of the real-time, deadline or stop class; None: its class was not recorded.
    pub realtime: Option<bool>,
}

/// A CPU.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CpuAtCut {
    pub online: bool,
    pub current: Option<Utid>,
    pub since: i64,
    pub queue: Vec<Utid>,
    pub about: Option<Utid>,
    pub about_since: i64,
    pub doubted: bool,
    pub hides_exits: bool,
    pub blind_until: Option<i64>,
    pub taken_away: bool,
    pub irq_until: Option<i64>,
    /// Row under way of `runqueue`: since, queued, running.
    pub row: Option<(i64, i32, bool)>,
    /// Cookie of what runs.
    pub cookie: Option<i64>,
}

/// A waiting thread and the idle CPU that it is matched to.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct OpenPair {
    /// The thread, if later events can refer to it: it may be gone at the very instant.
    pub utid: Option<Utid>,
    pub queue: CpuIx,
    pub idle: CpuIx,
    /// Start of the rows under way of `avoidable_wait` and `wasted_cpu`.
    pub wait_start: i64,
    pub waste_start: i64,
}

impl WalkState {
    /// The state as bytes.
    pub fn encode(mut self) -> Vec<u8> {
        let mut writer = Writer::default();
        self.code(&mut writer).expect("every value can be written");
        writer.0
    }

    /// The state in these bytes. What it says still has to be compared with the machine of the trace.
    pub fn decode(bytes: &[u8]) -> Result<Self, Damaged> {
        let (mut state, mut reader) = (Self::default(), Reader(bytes));
        state.code(&mut reader)?;
        if reader.0.is_empty() { Ok(state) } else { Err(Damaged) }
    }

    fn code(&mut self, coder: &mut impl Coder) -> Coded {
        let mut format = FORMAT;
        coder.number(&mut format)?;
        if !matches!(format, FORMAT | WITHOUT_LEDGER_FACTS) {
            return Err(Damaged);
        }
        self.lacks_ledger_facts = format == WITHOUT_LEDGER_FACTS;
        let has_ledger_facts = !self.lacks_ledger_facts;
        coder.signed(&mut self.now)?;
        let now = self.now;
        for time in [&mut self.seen, &mut self.started, &mut self.lost_until] {
            coder.near(time, now)?;
        }
        coder.signed(&mut self.event)?;
        coder.flags([
            &mut self.reports_wakeups,
            &mut self.reports_creation,
            &mut self.reports_exits,
            &mut self.misses_exits,
            &mut self.cookies,
            &mut self.cpusets_restrict,
        ])?;
        coder.narrow(&mut self.next_number)?;
        let mut before = 0u32;
        coder.list(&mut self.threads, |coder, thread| {
            let mut step = i64::from(thread.number) - i64::from(before);
            coder.signed(&mut step)?;
            thread.number = u32::try_from(i64::from(before).wrapping_add(step)).map_err(|_| Damaged)?;
            before = thread.number;
            thread.code(coder, now)?;
            if has_ledger_facts { thread.code_ledger_facts(coder) } else { Ok(()) }
        })?;
        coder.list(&mut self.dead_stoppers, |coder, (tid, dead)| {
            coder.narrow(tid)?;
            dead.code(coder, now)
        })?;
        coder.list(&mut self.cpus, |coder, cpu| cpu.code(coder, now))?;
        coder.list(&mut self.waiting, Coder::narrow)?;
        coder.option(&mut self.wasted, |coder, row| {
            coder.near(&mut row.start_ns, now)?;
            coder.signed(&mut row.dur_ns)?;
            let counts =
                [&mut row.wasted, &mut row.certain, &mut row.idle_while_waiting, &mut row.idle_cpus, &mut row.waiting];
            counts.into_iter().try_for_each(|count| coder.narrow(count))
        })?;
        coder.list(&mut self.pairs, |coder, pair| {
            coder.option(&mut pair.utid, Coder::narrow)?;
            coder.narrow(&mut pair.queue)?;
            coder.narrow(&mut pair.idle)?;
            coder.near(&mut pair.wait_start, now)?;
            coder.near(&mut pair.waste_start, now)
        })
    }
}

impl Default for ThreadAtCut {
    fn default() -> Self {
        Self {
            number: 0,
            tid: 0,
            since: 0,
            wait_start: 0,
            phase: Phase::Unknown,
            constraints: Constraints::UNKNOWN,
            constrained: false,
            last_cpu: None,
            waker: None,
            follows: None,
            first_wakeup: FirstWakeup::Unknown,
            ext: false,
            exiting: false,
            is_kernel: None,
            is_bound: false,
            named_bound: false,
            name: None,
            cgroup: None,
            realtime: None,
        }
    }
}

impl ThreadAtCut {
    fn code(&mut self, coder: &mut impl Coder, now: i64) -> Coded {
        coder.narrow(&mut self.tid)?;
        coder.near(&mut self.since, now)?;
        code_phase(&mut self.phase, coder)?;
        if self.phase.waits_on().is_some() {
            coder.near(&mut self.wait_start, now)?;
        }
        let c = &mut self.constraints;
        let (mut expected, mut past) =
            (self.first_wakeup == FirstWakeup::Expected, self.first_wakeup == FirstWakeup::Past);
        let (mut knows_kind, mut is_kernel) = (self.is_kernel.is_some(), self.is_kernel == Some(true));
        let (mut has_name, mut was_on) = (self.name.is_some(), self.last_cpu.is_some());
        let (mut is_woken, mut follows) = (self.waker.is_some(), self.follows.is_some());
        let mut plain = (c.mask, c.cpuset, c.cookie) == (Constraints::UNKNOWN.mask, Constraints::UNKNOWN.cpuset, 0);
        coder.flags([
            &mut was_on,
            &mut has_name,
            &mut past,
            &mut plain,
            &mut self.constrained,
            &mut knows_kind,
            &mut is_kernel,
            &mut expected,
            &mut is_woken,
            &mut c.per_cpu,
            &mut c.migration_disabled,
            &mut c.throttled,
            &mut self.is_bound,
            &mut self.named_bound,
            &mut self.ext,
            &mut self.exiting,
            &mut follows,
        ])?;
        if expected && past {
            return Err(Damaged);
        }
        self.first_wakeup = match (expected, past) {
            (true, _) => FirstWakeup::Expected,
            (_, true) => FirstWakeup::Past,
            _ => FirstWakeup::Unknown,
        };
        self.is_kernel = knows_kind.then_some(is_kernel);
        if !plain {
            coder.narrow(&mut c.mask)?;
            coder.narrow(&mut c.cpuset)?;
            coder.signed(&mut c.cookie)?;
        }
        optional(was_on, &mut self.last_cpu, |cpu| coder.narrow(cpu))?;
        optional(is_woken, &mut self.waker, |cpu| coder.narrow(cpu))?;
        optional(follows, &mut self.follows, |dead| dead.code(coder, now))?;
        optional(has_name, &mut self.name, |name| coder.text(name))
    }

    fn code_ledger_facts(&mut self, coder: &mut impl Coder) -> Coded {
        let (mut has_cgroup, mut knows_class) = (self.cgroup.is_some(), self.realtime.is_some());
        let mut is_realtime = self.realtime == Some(true);
        coder.flags([&mut has_cgroup, &mut knows_class, &mut is_realtime])?;
        self.realtime = knows_class.then_some(is_realtime);
        optional(has_cgroup, &mut self.cgroup, |cgroup| coder.signed(cgroup))
    }
}

impl DeadThread {
    fn code(&mut self, coder: &mut impl Coder, now: i64) -> Coded {
        coder.flags([&mut self.zombie])?;
        coder.option(&mut self.end_ns, |coder, time| coder.near(time, now))?;
        coder.option(&mut self.name, Coder::text)
    }
}

/// A value of which a flag says whether it is there.
fn optional<T: Default>(there: bool, value: &mut Option<T>, code: impl FnOnce(&mut T) -> Coded) -> Coded {
    if there {
        return code(value.get_or_insert_default());
    }
    *value = None;
    Ok(())
}

/// A phase as a number, with its CPU or its state.
fn code_phase(phase: &mut Phase, coder: &mut impl Coder) -> Coded {
    let (mut kind, mut of): (u64, i64) = match *phase {
        Phase::Unknown => (0, 0),
        Phase::Running(cpu) => (1, cpu.into()),
        Phase::Queued { cpu, preempted } => (2 + u64::from(preempted), cpu.into()),
        Phase::Throttled { cpu, preempted } => (4 + u64::from(preempted), cpu.into()),
        Phase::Off(state) => (6, state.into()),
        Phase::Dead => (7, 0),
    };
    coder.number(&mut kind)?;
    if !matches!(kind, 0 | 7) {
        coder.signed(&mut of)?;
    }
    let cpu = CpuIx::try_from(of).map_err(|_| Damaged);
    *phase = match kind {
        0 => Phase::Unknown,
        1 => Phase::Running(cpu?),
        2 | 3 => Phase::Queued { cpu: cpu?, preempted: kind == 3 },
        4 | 5 => Phase::Throttled { cpu: cpu?, preempted: kind == 5 },
        6 => Phase::Off(u8::try_from(of).map_err(|_| Damaged)?),
        7 => Phase::Dead,
        _ => return Err(Damaged),
    };
    Ok(())
}

impl CpuAtCut {
    fn code(&mut self, coder: &mut impl Coder, now: i64) -> Coded {
        coder.flags([&mut self.online, &mut self.doubted, &mut self.hides_exits, &mut self.taken_away])?;
        coder.option(&mut self.current, Coder::narrow)?;
        coder.near(&mut self.since, now)?;
        coder.list(&mut self.queue, Coder::narrow)?;
        coder.option(&mut self.about, Coder::narrow)?;
        coder.near(&mut self.about_since, now)?;
        coder.option(&mut self.blind_until, |coder, time| coder.near(time, now))?;
        coder.option(&mut self.irq_until, |coder, time| coder.near(time, now))?;
        coder.option(&mut self.row, |coder, (since, queued, running)| {
            coder.near(since, now)?;
            coder.narrow(queued)?;
            coder.flags([running])
        })?;
        coder.option(&mut self.cookie, Coder::signed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn states_of_the_older_version_lack_what_the_ledger_reads() {
        let thread = ThreadAtCut { number: 3, cgroup: Some(7), realtime: Some(false), ..ThreadAtCut::default() };
        let state = WalkState { threads: vec![thread], ..WalkState::default() };
        assert_eq!(WalkState::decode(&state.clone().encode()), Ok(state));
        let mut older = WalkState::default().encode();
        older[0] = WITHOUT_LEDGER_FACTS as u8;
        assert!(WalkState::decode(&older).is_ok_and(|state| state.lacks_ledger_facts));
        older[0] = FORMAT as u8 + 1;
        assert_eq!(WalkState::decode(&older), Err(Damaged));
    }
}
