//! The CPUs that events name, and the thread that runs on each.

use crate::Tid;
use crate::cpus::Cpus;

#[derive(Clone, Copy, Default)]
struct Cpu {
    seen: bool,
    /// The event that named it last.
    named_by: u64,
    /// More than one event has named it.
    named_again: bool,
    current: Option<Tid>,
    /// Time of the last switch.
    since_ns: i64,
}

/// Which CPUs there are and what runs on them.
#[derive(Default)]
pub(crate) struct CpuTracker {
    cpus: Vec<Cpu>,
    /// Number of the event that is being read.
    event: u64,
}

impl CpuTracker {
    /// Another event is read.
    #[inline]
    pub fn next_event(&mut self) {
        self.event += 1;
    }

    /// The event that is being read names this CPU: it exists.
    #[inline]
    pub fn add(&mut self, cpu: i16) {
        let at = cpu as usize;
        if at >= self.cpus.len() {
            self.cpus.resize(at + 1, Cpu::default());
        }
        let state = &mut self.cpus[at];
        state.named_again |= state.seen && state.named_by != self.event;
        (state.seen, state.named_by) = (true, self.event);
    }

    /// The thread that runs on a CPU, as far as its events say.
    #[inline]
    pub fn current(&self, cpu: i16) -> Option<Tid> {
        self.cpus.get(cpu as usize).and_then(|state| state.current)
    }

    /// swapper runs on the CPU, since this instant.
    #[inline]
    pub fn idle_since(&self, cpu: i16) -> Option<i64> {
        self.cpus.get(cpu as usize).and_then(Cpu::idle_since)
    }

    /// When the CPUs went idle that are.
    pub fn all_idle_since(&self) -> impl Iterator<Item = i64> {
        self.cpus.iter().filter_map(Cpu::idle_since)
    }

    /// A CPU that was [added](Self::add) switches to this thread.
    #[inline]
    pub fn switch(&mut self, cpu: i16, ts_ns: i64, next: Tid) {
        let state = &mut self.cpus[cpu as usize];
        (state.current, state.since_ns) = (Some(next), ts_ns);
    }

    /// This thread runs on a CPU that was [added](Self::add); when it was switched to is not known.
    pub fn set_current(&mut self, cpu: i16, tid: Tid) {
        self.cpus[cpu as usize].current = Some(tid);
    }

    /// The CPUs that exist as far as the events say, and those whose number is damage: see [`Cpus`].
    pub fn existing(&self) -> Cpus {
        let seen = self.cpus.iter().enumerate().filter(|(_, state)| state.seen);
        Cpus::of(seen.map(|(cpu, state)| (cpu as u32, state.named_again)))
    }
}

impl Cpu {
    #[inline]
    fn idle_since(&self) -> Option<i64> {
        (self.current == Some(0)).then_some(self.since_ns)
    }
}
