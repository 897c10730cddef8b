//! The server of a deadline thread: its runtime, its deadline, and when it gets them again (kernel/sched/deadline.c of 6.12).

use crate::program::DeadlineParameters;
use crate::record::DeadlineServer;
use crate::span::Ns;

/// Bits by which times are shifted before they are multiplied (kernel: DL_SCALE).
const DL_SCALE: u32 = 10;
/// Bits of a bandwidth behind the point (kernel: BW_SHIFT).
pub const BW_SHIFT: u32 = 20;

/// What the model knows of a deadline thread (kernel: struct sched_dl_entity).
#[derive(Clone, Debug)]
pub struct DeadlineEntity {
    pub server: DeadlineServer,
    /// When the server gets its runtime again.
    pub timer: Option<Ns>,
    /// It waits for a device: within its job.
    pub is_blocked: bool,
}

impl DeadlineEntity {
    /// Of a thread that gets these parameters; one that has others keeps the state of its server.
    pub fn new(parameters: &DeadlineParameters, before: Option<&Self>) -> Self {
        let state = before.map(|old| old.server).unwrap_or_default();
        let server = DeadlineServer {
            runtime_ns: parameters.runtime.0,
            deadline_ns: parameters.deadline_ns(),
            period_ns: parameters.period_ns(),
            ..state
        };
        Self { server, timer: before.and_then(|old| old.timer), is_blocked: false }
    }
}

/// Share of a CPU, with [`BW_SHIFT`] bits behind the point (kernel: to_ratio).
pub fn ratio(period: Ns, runtime: Ns) -> u64 {
    if period == 0 { 0 } else { (u128::from(runtime) * (1 << BW_SHIFT) / u128::from(period)) as u64 }
}

impl DeadlineServer {
    /// A period starts now.
    pub fn start_period(&mut self, now: Ns) {
        (self.until, self.left) = (now + self.deadline_ns, self.runtime_ns as i64);
    }

    /// When the period after the present one starts (kernel: dl_next_period).
    pub fn next_period(&self) -> Ns {
        (self.until + self.period_ns).saturating_sub(self.deadline_ns)
    }

    /// Its deadline is not its period.
    pub fn is_constrained(&self) -> bool {
        self.deadline_ns != self.period_ns
    }

    /// True where what is left until the deadline is more than its share (kernel: dl_entity_overflow).
    fn overflows(&self, now: Ns) -> bool {
        let scaled = |ns: i64| i128::from(ns >> DL_SCALE);
        let left = scaled(self.deadline_ns as i64) * scaled(self.left);
        let right = scaled(self.until as i64 - now as i64) * scaled(self.runtime_ns as i64);
        right < left
    }

    /// The wakeup rule: the deadline and what is left are kept where that takes no more than the thread's share
    /// (kernel: update_dl_entity, update_dl_revised_wakeup).
    pub fn wake(&mut self, now: Ns) {
        if self.until == 0 || self.until < now {
            return self.start_period(now);
        }
        if self.overflows(now) {
            if self.is_constrained() {
                let density = u128::from(ratio(self.deadline_ns, self.runtime_ns));
                self.left = ((density * u128::from(self.until - now)) >> BW_SHIFT) as i64;
            } else {
                self.start_period(now);
            }
        }
    }

    /// It gets its runtime again, and as many periods as its overrun takes (kernel: replenish_dl_entity).
    pub fn replenish(&mut self, now: Ns) {
        if self.yielded {
            self.left = self.left.min(0);
        }
        while self.left <= 0 {
            self.until += self.period_ns;
            self.left += self.runtime_ns as i64;
        }
        if self.until < now {
            self.start_period(now);
        }
        (self.yielded, self.throttled) = (false, false);
    }
}
