//! Interrupts and softirqs on idle CPUs, as spans; the balancer's softirq.

use super::{Context, Output};
use crate::{EventKind, Interrupt};
use wastenot_assemble::{BalanceKick, Event, IrqSpan};
use wastenot_schemas::{irq_kind, kick_kind};
use wastenot_topology::KernelRelease;

/// Number of the balancer's softirq since 2.6.32 (include/linux/interrupt.h: SCHED_SOFTIRQ).
const SCHED_SOFTIRQ: i64 = 7;
/// Interrupt spans shorter than this are not rows (docs/semantics.md: irq_busy).
const SHORTEST_NS: i64 = 20_000;
/// An interrupt longer than this has lost its end.
const LONGEST_NS: i64 = 100_000_000;

/// Interrupts that have started and not ended, nested ones as one.
#[derive(Clone, Copy)]
struct OpenSpan {
    since_ns: i64,
    depth: u32,
    kind: u8,
    vector: Option<i32>,
}

/// Interrupts that are being handled, by CPU.
pub(crate) struct InterruptTracker {
    open: Vec<Option<OpenSpan>>,
    /// Softirqs have the numbers of [`SCHED_SOFTIRQ`]'s releases.
    knows_softirqs: bool,
}

impl Default for InterruptTracker {
    fn default() -> Self {
        Self { open: Vec::new(), knows_softirqs: true }
    }
}

impl InterruptTracker {
    /// Events are of this kernel (as `uname -r` prints it).
    pub fn set_kernel(&mut self, kernel: Option<&str>) {
        self.knows_softirqs = kernel.and_then(KernelRelease::parse).is_none_or(|release| release.is_from(2, 6, 32));
    }

    /// An interrupt or softirq starts or ends.
    pub fn interrupt(&mut self, kind: EventKind, at: &Context, event: Interrupt, out: &mut Output<'_>) {
        match kind {
            EventKind::IrqEntry => self.enter(at, irq_kind::HARDIRQ, event.vector),
            EventKind::SoftirqEntry => {
                let balances = event.vector == Some(SCHED_SOFTIRQ) && self.knows_softirqs;
                if balances && at.running == Some(0) {
                    let (cpu, kind) = (at.cpu, kick_kind::SOFTIRQ);
                    out.row(at.ts_ns, Event::from(BalanceKick { cpu, target_cpu: cpu, kind, ..Default::default() }));
                }
                self.enter(at, irq_kind::SOFTIRQ, event.vector);
            }
            _ => self.leave(at, out),
        }
    }

    fn enter(&mut self, at: &Context, kind: u8, vector: Option<i64>) {
        let cpu = at.cpu as usize;
        if cpu >= self.open.len() {
            self.open.resize(cpu + 1, None);
        }
        match &mut self.open[cpu] {
            Some(span) => {
                span.depth += 1;
                if span.kind != kind {
                    span.kind = irq_kind::MIXED;
                }
            }
            none if at.running == Some(0) => {
                let vector = vector.and_then(|n| i32::try_from(n).ok());
                *none = Some(OpenSpan { since_ns: at.ts_ns, depth: 1, kind, vector });
            }
            _ => {}
        }
    }

    fn leave(&mut self, at: &Context, out: &mut Output<'_>) {
        let Some(open) = self.open.get_mut(at.cpu as usize) else { return };
        let Some(span) = open else { return };
        span.depth -= 1;
        if span.depth > 0 {
            return;
        }
        let OpenSpan { since_ns, kind, vector, .. } = *span;
        *open = None;
        let dur_ns = at.ts_ns - since_ns;
        if (SHORTEST_NS..=LONGEST_NS).contains(&dur_ns) {
            out.row(since_ns, Event::from(IrqSpan { cpu: at.cpu, dur_ns, kind, vector, ..Default::default() }));
        }
    }

    /// Another thread runs on the CPU: what was open has lost its end, or the CPU is no longer idle.
    #[inline]
    pub fn switch(&mut self, cpu: i16) {
        if let Some(open) = self.open.get_mut(cpu as usize) {
            *open = None;
        }
    }

    /// When the earliest interrupt started that may still become a row, on this CPU (None: on any).
    pub fn open_since(&self, ts_ns: i64, cpu: Option<i16>) -> Option<i64> {
        let since = |open: &Option<OpenSpan>| open.map(|s| s.since_ns).filter(|since| ts_ns - since <= LONGEST_NS);
        match cpu {
            Some(cpu) => self.open.get(cpu as usize).and_then(since),
            None => self.open.iter().filter_map(since).min(),
        }
    }
}
