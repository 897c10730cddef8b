//! Self-checks: what the events show that no kernel does, counted per CPU, and from when on the verdict is suspect.
//!
//! `docs/semantics.md`, section "Self-checks", defines each of them and gives the reason of each threshold.

use wastenot_schemas::suspicion as check;

use crate::data_quality::{DataQuality, Remark};
use crate::threads::Accounts;

/// Share of time, or of events, from which a check makes the verdict suspect: the accuracy that a figure is read with.
const SHARE: f64 = 0.01;
/// Fewer occurrences than this are accidents, whatever their share.
const MIN_COUNT: i64 = 5;
/// Fewer contradictory events than this are accidents: one lost switch contradicts two or three later events.
const MIN_CONTRADICTIONS: i64 = 10;
/// Share of a single CPU's time that it may idle beside a queue it went idle with. Real-time throttling keeps a real-time
/// thread off its CPU for 5 % of each second (sched_rt_runtime_us, sched_rt_period_us) without an event.
const RT_THROTTLED_SHARE: f64 = 0.06;
/// Share of the observed time that CPUs may idle beside a queue that formed after they went idle: the virtual CPUs of a
/// crowded host answer wakeups late for 12 % of their time (the fork bomb of `fixtures/traces/rig`).
const LATE_SHARE: f64 = 0.25;
/// Share of the kernel's counts that may be below ours: interrupts that wake a thread between count and switch.
const NR_RUNNING_SHARE: f64 = 0.05;
/// Share of the machine's CPUs that may stay silent: a CPU of an idle machine can sleep for seconds.
const SILENT_SHARE: f64 = 0.5;
/// Switches from one thread to another of which, in more than a second, some are preemptions, whatever runs: ticks, wakeups and kernel
/// threads preempt.
const HANDOVERS: i64 = 2_000;
/// Threads placed on a CPU of which nothing is ever seen, from which its silence is not sleep.
const SILENT_PLACEMENTS: i64 = 5;
/// Switches of the other CPUs that a silent CPU is compared with.
const SWITCHES_BESIDE_SILENCE: i64 = 100;
/// Share of the accounted time by which reconstructed run times may fall short of it: a virtual CPU that stalls between the
/// scheduler's reading of its clock and the switch event moves time from one thread to the next (2.5 % in `fixtures/traces`).
const RUN_SHORT_SHARE: f64 = 0.1;
/// The reconstructed run times may be up to that many times the accounts: interrupts and time stolen by the host count in
/// them only.
const RUN_LONG: i64 = 2;
/// Less differing time than this is an accident, ns.
const MIN_DIFFERING_NS: i64 = 10_000_000;
/// A CPU that goes idle beside a queue for no longer does so by the order of the events alone: stamps are equal, or
/// rounded to microseconds, or the clocks of two CPUs differ.
const SKEW_NS: i64 = 10_000;
/// Queued beside an idle CPU for longer: no wakeup interrupt takes that long on a machine that is not stopped.
pub const LONG_NS: i64 = 1_000_000_000;
/// Queued up to the end of the recording for longer than this, and for longer than the queue needs to go round.
const FOR_EVER_NS: i64 = 10_000_000_000;
/// No event of any CPU for longer, though a thread is queued: a virtual machine that its host did not run was silent for up to
/// 2.8 s in the captures of `fixtures/traces/rig`.
pub const SILENCE_NS: i64 = 3_000_000_000;
/// A thread of the fair class that runs for longer beside a queued one: beside one of the policy SCHED_IDLE, whose weight is 3 of
/// 1024, it may run for seconds (kernel/sched/fair.c).
pub const RAN_ON_NS: i64 = 5_000_000_000;
/// Longest time slice of a scheduling policy: round robin (RR_TIMESLICE, include/linux/sched/rt.h).
const SLICE_NS: i64 = 100_000_000;

/// An interval in which a CPU runs swapper while threads are queued there.
#[derive(Clone, Copy, Debug)]
pub struct IdleBesideQueue {
    pub since: i64,
    /// The threads were queued when the CPU went idle; otherwise they were queued later.
    pub picked: bool,
}

/// What one CPU did that no kernel does.
#[derive(Clone, Debug, Default)]
pub struct CpuChecks {
    /// Time in slices of any kind, offline ones included, ns.
    pub accounted_ns: i64,
    /// Time in which it is known what ran, ns.
    pub observed_ns: i64,
    /// Switches to swapper.
    pub idle_picks: i64,
    /// Of them, those beside a queued thread that could run, for longer than [`SKEW_NS`].
    pub picks_beside_queue: i64,
    /// Time from those picks until the queue was empty or a thread ran, ns.
    pub picked_ns: i64,
    /// Time of intervals beside a queue that are longer than a tick, ns.
    pub idle_with_queue_ns: i64,
    /// Of those, the time of intervals longer than [`LONG_NS`].
    pub long_ns: i64,
    /// The longest of them.
    pub longest: Option<(i64, i64)>,
    /// Time for which threads ran on beside queued ones, of intervals longer than [`RAN_ON_NS`], and the longest of them.
    pub ran_on_ns: i64,
    pub ran_on: Option<(i64, i64)>,
    /// Time beside a queue for which the CPU had been asked to leave idle (table `idle_exit_late`), ns, and the longest of it.
    pub late_exit_ns: i64,
    pub longest_late_exit: Option<(i64, i64)>,
    /// Exits from idle that were not reported.
    pub missing_exits: i64,
    /// Switches seen on this CPU.
    pub switches: i64,
    /// Threads placed on its queue.
    pub placed: i64,
}

impl CpuChecks {
    /// It is not known what it did.
    fn is_silent(&self) -> bool {
        self.switches == 0 && self.observed_ns == 0
    }

    /// An interval beside a queue ends; `requested`: when the kernel asked the CPU to reschedule, where it left idle late.
    pub fn count_idle_beside(&mut self, interval: IdleBesideQueue, requested: Option<i64>, end: i64, tick_ns: i64) {
        let dur = end - interval.since;
        if !interval.picked && requested.is_some_and(|requested| requested <= interval.since + SKEW_NS) {
            // The kernel wanted the thread to run at once: the trace is right, and the CPU was late.
            self.late_exit_ns += dur;
            if self.longest_late_exit.is_none_or(|(from, to)| to - from < dur) {
                self.longest_late_exit = Some((interval.since, end));
            }
            return;
        }
        if interval.picked && dur > SKEW_NS {
            self.picked_ns += dur;
            self.picks_beside_queue += 1;
        }
        if dur > tick_ns {
            self.idle_with_queue_ns += dur;
            if dur > LONG_NS {
                self.long_ns += dur;
            }
            if self.longest.is_none_or(|(from, to)| to - from < dur) {
                self.longest = Some((interval.since, end));
            }
        }
    }
}

/// Counts of the whole trace.
#[derive(Clone, Debug, Default)]
pub struct SelfChecks {
    pub cpus: Vec<CpuChecks>,
    /// Threads that run again after a preemption.
    pub resumed: i64,
    /// Threads that run though they slept and were not woken; CPU stoppers left out.
    pub ran_without_wakeup: i64,
    /// Threads that leave their CPU in state X or Z.
    pub deaths: i64,
    /// Threads that run or are woken after that.
    pub ran_after_death: i64,
    /// Migrate events of threads that may have moved unseen, which name another CPU than the one known.
    pub mismatches_after_losses: i64,
    /// Wakeups of threads that are queued already.
    pub woken_while_queued: i64,
    /// Switches that leave a thread in a state which the release does not have.
    pub unknown_states: i64,
    /// Time in which nothing was reported of any CPU though threads were queued, of intervals longer than [`SILENCE_NS`], ns.
    pub silent_ns: i64,
    /// Switches from one thread to another, in a state that is known, and those of them that left the first one runnable.
    pub handovers: i64,
    pub preempted: i64,
}

/// What is known of the whole trace at its end.
pub struct TraceEnd<'a> {
    /// Length of the recording, ns.
    pub length_ns: i64,
    /// Per CPU: kernel number; online at the end, by the trace.
    pub cpus: Vec<(i16, bool)>,
    pub wakeups: i64,
    /// The source reports wakeups.
    pub reports_wakeups: bool,
    /// Threads woken at least once; those of them that never run and never die.
    pub woken_threads: i64,
    pub woken_never_ran: i64,
    /// The kernel's accounts of run time, and the reconstructed run time of the same stretches, ns.
    pub accounts: AccountSums,
    /// Threads queued for ever, and their waits added up, ns.
    pub queued_for_ever: (i64, i64),
    /// `trace.unverified`.
    pub unverified: &'a [String],
}

/// Accounts of all threads, ns.
#[derive(Clone, Copy, Debug, Default)]
pub struct AccountSums {
    kernel: i64,
    ours: i64,
    /// By how much the reconstructed time of threads falls short of their accounts.
    short: i64,
}

impl AccountSums {
    /// Add those of one thread.
    pub fn add(&mut self, of: &Accounts) {
        self.kernel = self.kernel.saturating_add(of.kernel_ns);
        self.ours = self.ours.saturating_add(of.ours_ns);
        self.short = self.short.saturating_add(of.kernel_ns.saturating_sub(of.ours_ns).max(0));
    }

    fn result(&self) -> CheckResult {
        let is_long = self.ours > self.kernel.saturating_mul(RUN_LONG);
        let value = if is_long { self.ours.saturating_sub(self.kernel) } else { self.short };
        let limit = if is_long { 0.0 } else { RUN_SHORT_SHARE };
        counted(check::RUNTIME_DIFFERS, value, self.kernel, MIN_DIFFERING_NS, limit)
    }
}

/// True when a thread that has been queued for `waited_ns` on a queue of `queued` threads should have run by now.
pub fn queued_for_ever(waited_ns: i64, queued: usize) -> bool {
    waited_ns > FOR_EVER_NS + queued as i64 * SLICE_NS
}

/// True when a thread of the fair class that ran on for `ran_ns` beside a queue of `queued` threads should have been preempted.
pub fn ran_on(ran_ns: i64, queued: usize) -> bool {
    ran_ns > RAN_ON_NS + queued as i64 * SLICE_NS
}

/// True when a thread that was woken `waited_ns` ago and never ran should have run by now.
pub fn overdue(waited_ns: i64, queued: usize) -> bool {
    waited_ns > LONG_NS + queued as i64 * SLICE_NS
}

/// Result of a check.
struct CheckResult {
    check: u8,
    value: i64,
    share: f64,
    suspect: bool,
}

fn share(part: i64, whole: i64) -> f64 {
    if whole > 0 { part as f64 / whole as f64 } else { 0.0 }
}

/// A check that counts occurrences among `whole`.
fn counted(check: u8, value: i64, whole: i64, least: i64, limit: f64) -> CheckResult {
    let share = share(value, whole);
    CheckResult { check, value, share, suspect: value >= least && share > limit }
}

impl SelfChecks {
    pub fn new(cpus: usize) -> Self {
        Self { cpus: vec![CpuChecks::default(); cpus], ..Self::default() }
    }

    fn sum(&self, of: impl Fn(&CpuChecks) -> i64) -> i64 {
        self.cpus.iter().map(of).sum()
    }

    /// Write what every check found to the data quality.
    pub fn conclude(&self, end: &TraceEnd, data_quality: &mut DataQuality) {
        for (cpu, &(number, online)) in self.cpus.iter().zip(&end.cpus) {
            let remark = |name: u8, value: i64, range| Remark {
                what: "self_check",
                detail: Some(check::NAMES[name as usize].to_owned()),
                cpu: Some(number),
                range,
                value,
            };
            let per_cpu = [
                (check::IDLE_WITH_QUEUE, cpu.idle_with_queue_ns, cpu.longest),
                (check::IDLE_PICKED_WITH_QUEUE, cpu.picked_ns, None),
                (check::QUEUED_BESIDE_IDLE, cpu.long_ns, cpu.longest),
                (check::RAN_ON, cpu.ran_on_ns, cpu.ran_on),
                (check::IDLE_NEVER_LEFT, cpu.missing_exits, None),
                (check::SILENT_CPUS, if cpu.is_silent() && online { end.length_ns } else { 0 }, None),
                (check::TIME_SUMS, (end.length_ns - cpu.accounted_ns).abs(), None),
            ];
            let found = per_cpu.into_iter().filter(|(_, value, _)| *value != 0);
            data_quality.remarks.extend(found.map(|(name, value, range)| remark(name, value, range)));
            if cpu.late_exit_ns != 0 {
                data_quality.remarks.push(Remark {
                    what: "late_idle_exit_ns",
                    detail: None,
                    cpu: Some(number),
                    range: cpu.longest_late_exit,
                    value: cpu.late_exit_ns,
                });
            }
        }
        for result in self.results(end, data_quality) {
            let remark = |what, value| Remark {
                what,
                detail: Some(check::NAMES[result.check as usize].to_owned()),
                cpu: None,
                range: None,
                value,
            };
            let ppm = (result.share * 1e6).round().max(1.0) as i64;
            if result.value != 0 {
                data_quality.remarks.push(remark("self_check_total", result.value));
                data_quality.remarks.push(remark("self_check_ppm", ppm));
            }
            if result.suspect {
                data_quality.remarks.push(remark("suspect", ppm));
            }
        }
    }

    /// Add what `cpu` does in a slice under way; `observed`: what that is, is known.
    pub fn add_under_way(&mut self, cpu: usize, dur_ns: i64, observed: bool) {
        self.cpus[cpu].accounted_ns += dur_ns;
        self.cpus[cpu].observed_ns += if observed { dur_ns } else { 0 };
    }

    /// Checks that find more than may be, by name.
    pub fn suspect(&self, end: &TraceEnd, data_quality: &DataQuality) -> Vec<&'static str> {
        let found = self.results(end, data_quality).into_iter().filter(|result| result.suspect);
        found.map(|result| check::NAMES[result.check as usize]).collect()
    }

    fn results(&self, end: &TraceEnd, data_quality: &DataQuality) -> Vec<CheckResult> {
        let switches = self.sum(|c| c.switches);
        let contradictory = data_quality.contradictory() - self.mismatches_after_losses;
        let (never_ran, woken) = (end.woken_never_ran, end.woken_threads);
        let unproved = self.ran_without_wakeup + self.resumed;
        let mut out = self.beside_queues();
        out.extend([
            counted(check::RAN_ON, self.sum(|c| c.ran_on_ns), self.sum(|c| c.observed_ns), 1, SHARE),
            counted(check::SILENCE, self.silent_ns, end.length_ns, 1, SHARE),
            self.for_ever(end),
            counted(check::WOKEN_WHILE_QUEUED, self.woken_while_queued, end.wakeups, MIN_COUNT, SHARE),
            counted(check::RAN_WITHOUT_WAKEUP, self.ran_without_wakeup, unproved, MIN_COUNT, SHARE),
            counted(check::RAN_AFTER_DEATH, self.ran_after_death, self.deaths, MIN_COUNT, SHARE),
            counted(check::WOKEN_NEVER_RAN, never_ran, woken, MIN_COUNT, SHARE),
            counted(check::UNKNOWN_STATE, self.unknown_states, switches, 1, SHARE / 10.0),
            self.never_preempted(end),
            self.silent(end),
            counted(
                check::IDLE_NEVER_LEFT,
                self.sum(|c| c.missing_exits),
                self.sum(|c| c.idle_picks),
                MIN_COUNT,
                SHARE,
            ),
            counted(check::CONTRADICTORY_EVENTS, contradictory, switches, MIN_CONTRADICTIONS, SHARE),
            counted(
                check::NR_RUNNING_DIFFERS,
                data_quality.nr_running_short,
                data_quality.nr_running_compared,
                MIN_COUNT,
                NR_RUNNING_SHARE,
            ),
            end.accounts.result(),
            self.sums(end),
        ]);
        let unverified = end.unverified.len() as i64;
        out.push(CheckResult { check: check::UNVERIFIED, value: unverified, share: 1.0, suspect: unverified > 0 });
        out
    }

    /// CPUs that run swapper beside queued threads.
    fn beside_queues(&self) -> Vec<CheckResult> {
        let observed = self.sum(|c| c.observed_ns);
        let (idle, long) = (self.sum(|c| c.idle_with_queue_ns), self.sum(|c| c.long_ns));
        let picked = self.sum(|c| c.picked_ns);
        let picks = counted(0, self.sum(|c| c.picks_beside_queue), self.sum(|c| c.idle_picks), MIN_COUNT, SHARE);
        let of_one = self.cpus.iter().any(|c| share(c.picked_ns, c.observed_ns) > RT_THROTTLED_SHARE);
        let picked_share = share(picked, observed);
        vec![
            counted(check::IDLE_WITH_QUEUE, idle, observed, 1, LATE_SHARE),
            CheckResult {
                check: check::IDLE_PICKED_WITH_QUEUE,
                value: picked,
                share: picked_share,
                suspect: picked_share > SHARE || of_one || picks.suspect,
            },
            counted(check::QUEUED_BESIDE_IDLE, long, observed, 1, SHARE),
        ]
    }

    fn for_ever(&self, end: &TraceEnd) -> CheckResult {
        let (threads, waited) = end.queued_for_ever;
        let share = share(waited, self.sum(|c| c.observed_ns));
        CheckResult { check: check::QUEUED_FOR_EVER, value: threads, share, suspect: share > SHARE }
    }

    /// No thread was ever preempted: what the numbers of states mean was misread. Where wakeups are reported, threads that run again without
    /// one show that better.
    fn never_preempted(&self, end: &TraceEnd) -> CheckResult {
        let compared = !end.reports_wakeups && end.length_ns > LONG_NS && self.handovers >= HANDOVERS;
        let suspect = compared && self.preempted == 0;
        CheckResult {
            check: check::NEVER_PREEMPTED,
            value: if suspect { self.handovers } else { 0 },
            share: 1.0,
            suspect,
        }
    }

    /// CPUs without a switch although none of them is reported as offline.
    fn silent(&self, end: &TraceEnd) -> CheckResult {
        let of = self.cpus.iter().zip(&end.cpus).filter(|(_, (_, online))| *online);
        let (mut cpus, mut silent, mut placed) = (0, 0, false);
        for (c, _) in of {
            cpus += 1;
            if c.is_silent() {
                silent += 1;
                placed |= c.placed >= SILENT_PLACEMENTS;
            }
        }
        let compared = end.length_ns > LONG_NS && self.sum(|c| c.switches) >= SWITCHES_BESIDE_SILENCE;
        let share = share(silent, cpus);
        CheckResult {
            check: check::SILENT_CPUS,
            value: silent,
            share,
            suspect: compared && (placed || share > SILENT_SHARE),
        }
    }

    /// Busy, idle, unobserved and offline time of each CPU against the length of the recording.
    fn sums(&self, end: &TraceEnd) -> CheckResult {
        let wrong = self.cpus.iter().filter(|c| c.accounted_ns != end.length_ns).count() as i64;
        debug_assert_eq!(wrong, 0, "slices of a CPU leave a gap or overlap");
        counted(check::TIME_SUMS, wrong, self.cpus.len() as i64, 1, 0.0)
    }
}
