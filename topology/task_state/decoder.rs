//! `prev_state` of a switch, as kernels and tracers have written it.
//!
//! Three things decide what a number means: the kernel's release, the tracer, and the bits that the event's print format names.
//! - Kernels before 4.14 write `task_struct.state` as it is, and TASK_STATE_MAX for a preempted thread: 512, 1024, 2048 or 4096
//!   by release ([`raw_bits`](super::raw_bits)). Several bits may be set: 0x402 is TASK_IDLE, a thread that sleeps.
//! - Kernels from 4.14 on report one state of nine, and TASK_REPORT_MAX (0x100) for a preempted thread. Up to 4.19 they did so
//!   wrongly, see [`Offset`].
//! - LTTng-modules has functions of its own: the raw state up to 2.11, whatever the kernel; what the kernel reports from 2.12 on.
//!
//! A number that the release cannot have written is [`code::UNKNOWN`] and is counted. Where no table applies, a rule of thumb is used
//! that held for every release known, and a statement says so.

use super::raw_bits::{NEWEST, OLDEST, REPORTED, StateBits, TASK_IDLE, raw_bits};
use super::reported::{INDEX, REPORT_MAX, reported_bits};
use super::{number, of_letter};
use crate::KernelRelease;
use std::collections::BTreeMap;
use wastenot_schemas::task_state as code;

/// `prev_state` as an event has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PrevState<'a> {
    /// The number in the record.
    Number(i64),
    /// What a tool has printed: `R+`, `S`, `D|K`, `0x1`, `64`.
    Text(&'a [u8]),
    /// A code of enum `task_state`.
    Code(u8),
}

/// What has written the events.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Tracer {
    /// The kernel's own tracepoints: ftrace, perf, Perfetto.
    Kernel,
    /// LTTng-modules of this version (major, minor).
    Lttng(u32, u32),
    /// Another one, by its name.
    Other(String),
}

/// PrevStateDecoder of one trace: how its numbers and letters are read, and what of it could not be.
#[derive(Clone, Debug)]
pub struct PrevStateDecoder {
    reading: Reading,
    offset: Offset,
    /// 4.14 until 3f5fe9fef5b2 was carried back: the index of the state is written instead of a bit. Some: the release is 4.14; true:
    /// a number has shown it.
    index: Option<bool>,
    /// What the states are those of, for statements.
    of: String,
    /// A number that only some releases write is worth a statement; printed letters are not.
    is_printed: bool,
    statements: Vec<String>,
    /// Numbers that the release cannot have written, and how often each came.
    refused: BTreeMap<i64, u64>,
    refused_texts: u64,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Reading {
    /// The raw state.
    Raw(StateBits),
    /// One of nine states, as a bit.
    Reported,
    /// Either, which the numbers of the trace show: LTTng-modules before 2.12 on a kernel from 4.14 on. Maintenance releases may have
    /// taken over what 2.12 brought.
    RawOrReported(StateBits),
    /// The rule of thumb.
    Thumb,
}

/// What bit stands for which state in what kernels report.
///
/// 4.15 to 4.19 write `1 << index` where the bit is `index - 1` (include/trace/events/sched.h, mended by 3054426dc68e in 4.20 and in
/// later stable releases): running is 1, which the format calls S, and so on up to 0x100, which is a preempted thread or an idle
/// kernel thread. swapper is always left running, so its first switch shows which kernel it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Offset {
    /// Bit `index - 1`.
    None,
    /// To be learnt; nothing is known of the release, and most have none.
    Unlikely,
    /// To be learnt; the release may have it.
    Open,
    /// Bit `index`.
    One,
}

/// Numbers of refused states that are named in a note.
const NAMED: usize = 8;

impl Default for PrevStateDecoder {
    /// Of a trace without release and format.
    fn default() -> Self {
        Self::new(None, &Tracer::Kernel, None)
    }
}

impl PrevStateDecoder {
    /// For events of this kernel (as `uname -r` prints it) and tracer, whose format names these bits.
    pub fn new(kernel: Option<&str>, tracer: &Tracer, printed: Option<&StateBits>) -> Self {
        let release = kernel.and_then(KernelRelease::parse);
        let name = release.as_ref().map_or_else(|| "an unknown kernel".into(), ToString::to_string);
        let of = match tracer {
            Tracer::Kernel => name,
            Tracer::Lttng(major, minor) => format!("{name} under LTTng-modules {major}.{minor}"),
            Tracer::Other(tracer) => format!("{name} under {tracer}"),
        };
        let mut states = Self {
            reading: Reading::Thumb,
            offset: Offset::Unlikely,
            index: None,
            of,
            is_printed: false,
            statements: Vec::new(),
            refused: BTreeMap::new(),
            refused_texts: 0,
        };
        states.choose(release.as_ref(), tracer, printed);
        states
    }

    /// For a text, whose letters need no table.
    pub fn of_text() -> Self {
        Self { is_printed: true, statements: Vec::new(), ..Self::default() }
    }

    fn choose(&mut self, release: Option<&KernelRelease>, tracer: &Tracer, printed: Option<&StateBits>) {
        let is_known = match tracer {
            Tracer::Kernel => true,
            Tracer::Lttng(major, minor) => *major == 2 && *minor <= 15,
            Tracer::Other(_) => false,
        };
        let marked = printed.and_then(|bits| bits.preempted);
        let Some(release) = release.filter(|_| is_known) else {
            match printed.filter(|_| is_known && marked.is_some()) {
                Some(bits) if *bits == reported_bits() => self.reading = Reading::Reported,
                Some(bits) => (self.reading, self.offset) = (Reading::Raw(bits.clone()), Offset::None),
                None if is_known => self.thumb("the kernel's release is not in the trace"),
                None => self.thumb("this tracer was not verified"),
            }
            return;
        };
        let (major, minor) = release.mainline();
        let verified = release.version >= OLDEST && (major, minor) <= NEWEST;
        if release.version >= REPORTED {
            self.reading = match (tracer, raw_bits(release)) {
                (Tracer::Lttng(2, ..12), Some(bits)) => Reading::RawOrReported(bits),
                _ => Reading::Reported,
            };
            let may_have = *tracer == Tracer::Kernel && !release.is_from(4, 20, 0);
            self.offset = if may_have { Offset::Open } else { Offset::None };
            self.index = ((major, minor) == (4, 14) && *tracer == Tracer::Kernel).then_some(false);
            match marked {
                Some(_) if printed == Some(&reported_bits()) => {}
                Some(_) => self.as_printed(printed),
                None if !verified => self.thumb(&format!("states were verified up to Linux {}.{}", NEWEST.0, NEWEST.1)),
                None => {}
            }
            return;
        }
        self.offset = Offset::None;
        let Some(bits) = raw_bits(release) else {
            return match printed {
                Some(_) => self.as_printed(printed),
                None => self.thumb("states were verified from Linux 2.6.32 on"),
            };
        };
        if !release.is_from(2, 6, 35) {
            self.state("a thread preempted on its way to sleep is written as asleep by kernels before 2.6.35".into());
        }
        // What a distribution carried back into its kernel shows only in a format; TASK_PARKED came into stable releases of 3.8.
        let may_differ = release.is_enterprise() || (major, minor) == (3, 8);
        match marked {
            Some(_) if marked != bits.preempted => self.as_printed(printed),
            None if may_differ => self.thumb("kernels of this release differ in their states"),
            _ => self.reading = Reading::Raw(bits),
        }
    }

    /// Read by the rule of thumb, because of this.
    fn thumb(&mut self, why: &str) {
        self.reading = Reading::Thumb;
        self.state(format!("states of threads are read by a rule of thumb: {why}"));
    }

    /// Read by the bits that the format names, which are not those of the release.
    fn as_printed(&mut self, printed: Option<&StateBits>) {
        if let Some(bits) = printed {
            (self.reading, self.offset, self.index) = (Reading::Raw(bits.clone()), Offset::None, None);
            self.state("states of threads are read as the format names them, not by the release".into());
        }
    }

    fn state(&mut self, what: String) {
        self.statements.push(format!("{}: {what}", self.of));
    }

    /// The code of a state in which `prev_tid` left the CPU. `comm` is its name where the event has it; `is_exiting` says that its exit
    /// was recorded.
    #[inline]
    pub fn code(&mut self, state: PrevState<'_>, prev_tid: i32, comm: Option<&[u8]>, is_exiting: bool) -> u8 {
        match state {
            PrevState::Code(code) => code,
            PrevState::Number(raw) => self.number(raw, prev_tid, comm, is_exiting),
            PrevState::Text(text) => self.text(text, prev_tid, comm, is_exiting),
        }
    }

    fn number(&mut self, raw: i64, prev_tid: i32, comm: Option<&[u8]>, is_exiting: bool) -> u8 {
        let Ok(bits) = u64::try_from(raw) else { return self.refuse(raw) };
        self.learn(bits, prev_tid);
        let code = match &self.reading {
            Reading::Raw(table) => table.code(bits),
            Reading::Reported => self.reported(bits, comm),
            Reading::RawOrReported(table) => {
                // TASK_DEAD of the raw state is what is reported of an idle kernel thread.
                let dead_or_idle = bits == 0x80;
                let is_reported = bits == REPORT_MAX;
                match () {
                    () if is_reported => Some(code::R_PREEMPTED),
                    () if dead_or_idle && !is_exiting => Some(code::I),
                    () => table.code(bits),
                }
            }
            Reading::Thumb => Some(self.by_thumb(bits, comm)),
        };
        code.unwrap_or_else(|| self.refuse(raw))
    }

    /// What a number shows of the kernel that wrote it.
    #[inline]
    fn learn(&mut self, bits: u64, prev_tid: i32) {
        match (&self.reading, bits) {
            (Reading::Reported | Reading::Thumb, 0) if matches!(self.offset, Offset::Open | Offset::Unlikely) => {
                self.offset = Offset::None; // with the offset nothing is written as 0
            }
            (Reading::Reported | Reading::Thumb, 1) if prev_tid == 0 => self.learn_offset(),
            (Reading::Reported, 3 | 5 | 6 | 7 | 4096) if self.index.is_some() => {
                (self.index, self.offset) = (Some(true), Offset::None);
            }
            (Reading::RawOrReported(_), REPORT_MAX) => self.reading = Reading::Reported,
            (Reading::RawOrReported(table), _) if bits > REPORT_MAX || !bits.is_power_of_two() && bits > 0 => {
                self.reading = Reading::Raw(table.clone());
            }
            _ => {}
        }
    }

    #[cold]
    fn learn_offset(&mut self) {
        if matches!(self.offset, Offset::Open | Offset::Unlikely) {
            self.offset = Offset::One;
            self.state(
                "it writes sched_switch's prev_state one bit too high (mended in Linux 4.20); preempted and idle kernel threads \
                 have the same number"
                    .into(),
            );
        }
    }

    /// One of nine states.
    fn reported(&self, bits: u64, comm: Option<&[u8]>) -> Option<u8> {
        if bits == REPORT_MAX {
            return Some(self.preempted(comm));
        }
        if bits == 0 {
            return Some(code::R);
        }
        if self.index.is_some() && matches!(bits, 3 | 5 | 6 | 7 | 4096) {
            return Some(if bits == 4096 { code::R_PREEMPTED } else { INDEX[bits as usize] });
        }
        if self.index == Some(true) && bits < INDEX.len() as u64 {
            return Some(INDEX[bits as usize]);
        }
        let bit = bits.trailing_zeros() as usize;
        if !bits.is_power_of_two() || bit + 1 >= INDEX.len() {
            return None;
        }
        Some(match self.offset {
            Offset::None | Offset::Unlikely => INDEX[bit + 1],
            Offset::One => INDEX[bit],
            // Running or asleep, dead or not: that is to be learnt first.
            Offset::Open if matches!(bits, 1 | 0x10 | 0x40) => code::UNKNOWN,
            Offset::Open => INDEX[bit + 1],
        })
    }

    /// "Preempted", which an idle kernel thread may look like too.
    fn preempted(&self, comm: Option<&[u8]>) -> u8 {
        let may_idle = comm.is_some_and(|comm| comm.starts_with(b"kworker/") || comm.starts_with(b"rcu_"));
        match self.offset {
            Offset::One | Offset::Open if may_idle => code::UNKNOWN,
            _ => code::R_PREEMPTED,
        }
    }

    /// 0 is runnable, a number with one of the low eight bits is not, all others are preempted.
    fn by_thumb(&mut self, bits: u64, comm: Option<&[u8]>) -> u8 {
        if self.is_printed && bits >= 0x10 {
            self.is_printed = false;
            self.thumb("the text gives prev_state by its bits, whose meaning depends on the release of the kernel, and does not give the release");
        }
        match bits {
            0 => code::R,
            _ if bits & 0xff == 0 => self.preempted(comm),
            _ if bits & TASK_IDLE == TASK_IDLE => code::I,
            _ => {
                let lowest = bits & bits.wrapping_neg();
                self.reported(lowest, comm).unwrap_or(code::UNKNOWN)
            }
        }
    }

    fn text(&mut self, text: &[u8], prev_tid: i32, comm: Option<&[u8]>, is_exiting: bool) -> u8 {
        let text = std::str::from_utf8(text).unwrap_or("?").trim();
        if let Some(raw) = number(text).and_then(|raw| i64::try_from(raw).ok()) {
            return self.number(raw, prev_tid, comm, is_exiting);
        }
        if prev_tid == 0 && matches!(text, "R" | "S") {
            self.learn(u64::from(text == "S"), prev_tid);
        }
        let Some(printed) = printed(text) else {
            self.refused_texts += 1;
            return code::UNKNOWN;
        };
        let code = match printed {
            Printed::Preempted => return self.preempted(comm),
            Printed::State(code) => code,
        };
        match INDEX.iter().position(|known| *known == code) {
            Some(index) if self.offset == Offset::One && index > 0 => INDEX[index - 1],
            _ => code,
        }
    }

    #[cold]
    fn refuse(&mut self, raw: i64) -> u8 {
        if self.refused.len() < 4096 || self.refused.contains_key(&raw) {
            *self.refused.entry(raw).or_default() += 1;
        } else {
            self.refused_texts += 1;
        }
        code::UNKNOWN
    }

    /// Ways in which the states go past what the tables were verified on, a line each.
    pub fn statements(&self) -> Vec<String> {
        let mut statements = self.statements.clone();
        if self.offset == Offset::Open {
            let why = "whether it writes prev_state one bit too high (mended in Linux 4.20) shows at a switch from swapper, \
                       and there is none";
            statements.push(format!("{}: {why}", self.of));
        }
        statements
    }

    /// The states that were not understood, in a line.
    pub fn note(&self) -> Option<String> {
        let refused = self.refused.values().sum::<u64>() + self.refused_texts;
        let mut most: Vec<_> = self.refused.iter().map(|(raw, count)| (*count, *raw)).collect();
        most.sort_unstable_by_key(|&(count, raw)| (std::cmp::Reverse(count), raw));
        let named: Vec<_> = most.iter().take(NAMED).map(|(count, raw)| format!("{raw} ({count})")).collect();
        let named = if named.is_empty() { String::new() } else { format!(": {}", named.join(", ")) };
        let who =
            if self.refused.is_empty() { "no kernel writes".into() } else { format!("{} does not write", self.of) };
        (refused > 0).then(|| format!("{refused} switches have a prev_state that {who}{named}"))
    }
}

/// What the letters of a state say.
enum Printed {
    Preempted,
    State(u8),
}

/// Letters as the print text of sched_switch has them: `S`, `D|K` (also without the bar), `R`, `R+`; None: no kernel prints that.
///
/// R is printed only where no bit is set, so it stands alone; `+` is the bit of a preempted thread, which no other bit accompanies from 3.2 on,
/// when it came (`TASK_RUNNING | TASK_STATE_MAX` in `__trace_sched_switch_state`). A thread that ends has one bit (TASK_DEAD, later what
/// is reported of exit_state), and so has an idle one where I is a letter.
fn printed(text: &str) -> Option<Printed> {
    match text {
        "R+" => return Some(Printed::Preempted),
        "R" => return Some(Printed::State(code::R)),
        _ => {}
    }
    let letters: Vec<char> = text.chars().filter(|letter| *letter != '|').collect();
    let is_alone = |letter: &char| matches!(letter, 'R' | 'X' | 'x' | 'Z' | 'I');
    let repeats = |at: usize| letters[..at].contains(&letters[at]);
    if letters.len() > 1 && (letters.iter().any(is_alone) || (1..letters.len()).any(repeats)) {
        return None;
    }
    let codes: Option<Vec<u8>> = letters.iter().map(|letter| of_letter(*letter)).collect();
    let first = *codes?.first()?;
    Some(Printed::State(if first == code::D && letters.contains(&'N') { code::I } else { first }))
}

#[cfg(test)]
#[path = "decoder_tests.rs"]
mod tests;
