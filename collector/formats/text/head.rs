//! What precedes an event's own text: task, CPU and time.
//!
//! ```text
//!     my prog-12-1234  (  1200) [003] d..2.   123.456789: sched_switch: ...     ftrace, trace-cmd report
//!     my prog-12-1234     3d..2.  4711us+: sched_switch: ...                    the same with latency-format
//!     my prog-12  1234 [003]   123.456789:       sched:sched_switch: ...        perf script
//! ```
//!
//! A name may hold anything, brackets and numbers too: what counts is the CPU's number right before a time and a colon.

use memchr::{memchr, memchr_iter};

/// The head of a line and the rest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LineHead<'a> {
    /// The name as it was printed, with the blanks before it; not separated from the name of a buffer before it.
    pub task: &'a [u8],
    pub tid: i32,
    pub tgid: Option<i32>,
    pub cpu: u16,
    /// A CPU above [`MAX_CPU`] has [`Stamp::Impossible`].
    pub stamp: Stamp,
    /// The event's name, with its system where that is printed; empty where there is none (a traced function).
    pub event: &'a [u8],
    /// What the event prints.
    pub body: &'a [u8],
}

/// When it happened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stamp {
    Ns(i64),
    /// A number without a fraction: cycles or a count.
    Count(u64),
    /// The line is written as an event is, but its CPU, tid or time is a number that none has.
    Impossible,
}

/// The highest CPU number that a kernel can be built for (NR_CPUS is at most 8,192).
pub const MAX_CPU: u64 = 8191;

/// Name given to stacks, which have none in ftrace's own text.
pub const STACK: &[u8] = b"kernel_stack";

impl<'a> LineHead<'a> {
    /// Of a line with an event; `None`: it has none.
    #[inline]
    pub fn parse(line: &'a [u8]) -> Option<Self> {
        memchr_iter(b']', line).find_map(|at| Self::around_bracket(line, at)).or_else(|| Self::latency(line))
    }

    /// `task-tid [cpu] flags time: ...`, the bracket closing at `close`.
    #[inline]
    fn around_bracket(line: &'a [u8], close: usize) -> Option<Self> {
        let open = close - digits_before(&line[..close]);
        let cpu = counted(&line[open..close])?;
        let before = line[..open].strip_suffix(b"[")?;
        let after = skip_blanks(&line[close + 1..]);
        let (stamp, rest) = stamp(after).or_else(|| {
            let flags = memchr(b' ', after).filter(|length| (3..=10).contains(length))?;
            stamp(skip_blanks(&after[flags..]))
        })?;
        let (task, tid, tgid) = task(before)?;
        let (event, body) = event(rest);
        Some(Self { task, tid: 0, tgid, cpu: 0, stamp, event, body }.with(tid, cpu))
    }

    /// `task-tid cpuflags time: ...`
    #[cold]
    fn latency(line: &'a [u8]) -> Option<Self> {
        memchr_iter(b'-', line).find_map(|dash| {
            let rest = &line[dash + 1..];
            let digits = digits(rest);
            let tid = counted(&rest[..digits])?;
            let field = skip_blanks(rest[digits..].strip_prefix(b" ")?);
            let cpu_digits = self::digits(field);
            let cpu = counted(&field[..cpu_digits])?;
            let flags = memchr(b' ', field)?.checked_sub(cpu_digits).filter(|flags| (3..=8).contains(flags))?;
            let (stamp, rest) = stamp(skip_blanks(&field[cpu_digits + flags..]))?;
            let (event, body) = event(rest);
            Some(Self { task: &line[..dash], tid: 0, tgid: None, cpu: 0, stamp, event, body }.with(tid, cpu))
        })
    }

    /// The head with these numbers, where they can be a thread's and a CPU's.
    #[inline]
    fn with(self, tid: u64, cpu: u64) -> Self {
        match i32::try_from(tid) {
            Ok(tid) if cpu <= MAX_CPU => Self { tid, cpu: cpu as u16, ..self },
            _ => Self { stamp: Stamp::Impossible, ..self },
        }
    }

    /// Its CPU, thread and time are possible values.
    pub fn is_possible(&self) -> bool {
        self.stamp != Stamp::Impossible
    }

    /// The buffer that trace-cmd names before the task where it prints several (`other:      task`), and the task.
    pub fn buffer(&self) -> (&'a [u8], &'a [u8]) {
        let task = self.task;
        let colon = memchr(b':', task).filter(|&at| at > 0 && task[0] != b' ' && task.get(at + 1) == Some(&b' '));
        let (buffer, task) = colon.map_or((&b""[..], task), |at| (&task[..at], &task[at + 1..]));
        (buffer, skip_blanks(task))
    }
}

/// `name-tid`, `name-tid (tgid)`, `name tid`, `name pid/tid`, each with blanks behind.
#[inline]
fn task(before: &[u8]) -> Option<(&[u8], u64, Option<i32>)> {
    let mut rest = trim_end(before);
    let mut tgid = None;
    if let Some(inner) = rest.strip_suffix(b")") {
        let open = memchr::memrchr(b'(', inner)?;
        let digits = skip_blanks(&inner[open + 1..]);
        tgid = number(digits).and_then(|n| i32::try_from(n).ok());
        if tgid.is_none() && !digits.iter().all(|&b| b == b'-') {
            return None;
        }
        rest = trim_end(&inner[..open]);
    }
    let count = digits_before(rest);
    let (name, tid) = rest.split_at(rest.len() - count);
    let tid = counted(tid)?;
    match name.split_last()? {
        (b'-', name) => Some((name, tid, tgid)),
        (b' ', name) => Some((trim_end(name), tid, tgid)),
        (b'/', name) => {
            let count = digits_before(name);
            let (name, pid) = name.split_at(name.len() - count);
            let pid = number(pid).and_then(|n| i32::try_from(n).ok())?;
            Some((trim_end(name.strip_suffix(b" ")?), tid, Some(pid)))
        }
        _ => None,
    }
}

/// A time and the colon that ends it: `123.456789:`, `12345us+:`, `12345us :`, `12345:`.
#[inline]
fn stamp(text: &[u8]) -> Option<(Stamp, &[u8])> {
    let whole_digits = digits(text);
    let whole = counted(&text[..whole_digits])?;
    let mut rest = &text[whole_digits..];
    let (mut fraction, mut fraction_digits) = (0, 0);
    if let Some(after) = rest.strip_prefix(b".") {
        fraction_digits = digits(after);
        fraction = counted(&after[..fraction_digits])?;
        rest = &after[fraction_digits..];
    }
    let unit = match rest {
        [b':', ..] => NS_PER_S,
        [b'u', b's', after @ ..] => {
            let marks = after.iter().take(2).take_while(|b| b" +!#*@$".contains(b)).count();
            rest = &after[marks..];
            1000
        }
        _ => return None,
    };
    let rest = rest.strip_prefix(b":")?;
    if unit == NS_PER_S && fraction_digits == 0 {
        return Some((Stamp::Count(whole), rest));
    }
    if fraction_digits > 9 {
        return Some((Stamp::Impossible, rest));
    }
    let part = fraction * unit / 10u64.pow(fraction_digits as u32);
    let ns = whole.checked_mul(unit).and_then(|ns| i64::try_from(ns.checked_add(part)?).ok());
    Some((ns.map_or(Stamp::Impossible, Stamp::Ns), rest))
}

const NS_PER_S: u64 = 1_000_000_000;

/// The event's name and what it prints.
#[inline]
fn event(rest: &[u8]) -> (&[u8], &[u8]) {
    let rest = skip_blanks(rest);
    if rest.starts_with(b"<stack trace") {
        return (STACK, b"");
    }
    let word = |text: &[u8]| memchr(b' ', text).unwrap_or(text.len());
    let mut end = word(rest);
    let mut text = rest;
    if !text.is_empty() && digits(text) == end {
        text = skip_blanks(&text[end..]); // perf script's period
        end = word(text);
    }
    match text[..end].split_last() {
        Some((b':', name)) => (name, skip_blanks(&text[end..])),
        _ => (b"", rest),
    }
}

/// How many digits the text begins with.
#[inline]
fn digits(text: &[u8]) -> usize {
    text.iter().take_while(|b| b.is_ascii_digit()).count()
}

#[inline]
fn digits_before(text: &[u8]) -> usize {
    text.iter().rev().take_while(|b| b.is_ascii_digit()).count()
}

/// Digits and nothing else; more of them than any number has are the largest number.
#[inline]
fn counted(text: &[u8]) -> Option<u64> {
    match text.len() {
        0..=19 => number(text),
        _ => text.iter().all(u8::is_ascii_digit).then_some(u64::MAX),
    }
}

/// 1 to 19 digits and nothing else.
#[inline]
fn number(text: &[u8]) -> Option<u64> {
    if text.is_empty() || text.len() > 19 {
        return None;
    }
    text.iter().try_fold(0, |n: u64, b| b.is_ascii_digit().then(|| n * 10 + u64::from(b - b'0')))
}

#[inline]
pub fn skip_blanks(text: &[u8]) -> &[u8] {
    let blanks = text.iter().take_while(|b| matches!(b, b' ' | b'\t')).count();
    &text[blanks..]
}

#[inline]
pub fn trim_end(text: &[u8]) -> &[u8] {
    let blanks = text.iter().rev().take_while(|b| matches!(b, b' ' | b'\t')).count();
    &text[..text.len() - blanks]
}

#[cfg(test)]
mod tests {
    use super::*;

    type ParsedHead = (String, i32, Option<i32>, u16, Stamp, String, String);

    fn parsed(line: &str) -> Option<ParsedHead> {
        let head = LineHead::parse(line.as_bytes())?;
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let LineHead { tid, tgid, cpu, stamp, .. } = head;
        Some((text(skip_blanks(head.task)), tid, tgid, cpu, stamp, text(head.event), text(head.body)))
    }

    #[test]
    fn heads_of_all_tools_are_read() {
        let expect = |line: &str, task: &str, tid, tgid, cpu, ns, event: &str| {
            let expected = (task.into(), tid, tgid, cpu, Stamp::Ns(ns), event.into(), "x=1 y".into());
            assert_eq!(parsed(line), Some(expected), "{line}");
        };
        let at = 123_456_789_000;
        expect("  bash-1977  [000] d..2   123.456789: e: x=1 y", "bash", 1977, None, 0, at, "e");
        expect("  bash-1977  [000] d..2.   123.456789: e: x=1 y", "bash", 1977, None, 0, at, "e");
        expect("  bash-1977  [000] 123.456789012: e:   x=1 y", "bash", 1977, None, 0, at + 12, "e");
        expect("  bash-1977  (  1976) [012] ....1 123.456789: e: x=1 y", "bash", 1977, Some(1976), 12, at, "e");
        expect("  bash-1977  (-------) [012] ....1 123.456789: e: x=1 y", "bash", 1977, None, 12, at, "e");
        expect("  <idle>-0     0d.s2. 123456789us : e: x=1 y", "<idle>", 0, None, 0, at, "e");
        expect("  a b-7     17d.s2. 123456789us+: e: x=1 y", "a b", 7, None, 17, at, "e");
        expect("  trace-cm-421     0d.H4.    123.456789: e:   x=1 y", "trace-cm", 421, None, 0, at, "e");
        expect("perf 29081 [000]  123.456789:       sched:e: x=1 y", "perf", 29081, None, 0, at, "sched:e");
        expect("my perf  81/82 [000]  123.456789:      1  sched:e: x=1 y", "my perf", 82, Some(81), 0, at, "sched:e");
        expect(
            "  ev]il [003] 1.5: x-12-34 [001] d..2 123.456789: e: x=1 y",
            "ev]il [003] 1.5: x-12",
            34,
            None,
            1,
            at,
            "e",
        );
    }

    #[test]
    fn stacks_functions_and_counts_are_distinguished() {
        let event = |line: &str| parsed(line).map(|head| (head.4, head.5));
        assert_eq!(event(" a-1 [0] d..2. 1.5: <stack trace>"), Some((Stamp::Ns(1_500_000_000), "kernel_stack".into())));
        assert_eq!(event(" a-1 [0] d..2. 1.5: do_it <-from"), Some((Stamp::Ns(1_500_000_000), "".into())));
        assert_eq!(event(" a-1 [001]4992451907760: e: x"), Some((Stamp::Count(4_992_451_907_760), "e".into())));
        for nothing in ["", "# tracer: nop", " => schedule", "a[1]: 2.5: x", "if (a[3] > 1.0:", "-1 [0] 1.x: e:"] {
            assert_eq!(event(nothing), None, "{nothing}");
        }
    }

    #[test]
    fn numbers_that_no_event_has_are_distinguished_from_lines_that_are_not_events() {
        for impossible in [
            "a-1 [99999] 1.5: e: x",
            "a-1 [8192] d..2. 1.5: e: x",
            "a-1 [99999999999999999999999] 1.5: e: x",
            "a-99999999999 [0] 1.5: e: x",
            "a-1 [0] d..2. 9999999999999.5: e: x",
            "a-1 [0] d..2. 99999999999999999999999.5: e: x",
            "a-1 [0] d..2. 1.0000000000005: e: x",
            "a-1 99999d..2. 1us: e: x",
        ] {
            let head = LineHead::parse(impossible.as_bytes());
            assert_eq!(head.map(|head| (head.stamp, head.event)), Some((Stamp::Impossible, &b"e"[..])), "{impossible}");
        }
    }

    #[test]
    fn a_buffer_is_distinguished_from_a_name_with_a_colon() {
        let buffer = |line: &'static str| LineHead::parse(line.as_bytes()).unwrap().buffer();
        assert_eq!(buffer("other:        hog-3 [001] 1.5: e: x"), (&b"other"[..], &b"hog"[..]));
        assert_eq!(buffer("       foo: bar-3 [001] 1.5: e: x"), (&b""[..], &b"foo: bar"[..]));
        assert_eq!(buffer("kworker/0:1-3 [001] 1.5: e: x"), (&b""[..], &b"kworker/0:1"[..]));
    }
}
