//! The fields in what an event prints.
//!
//! Names hold anything, so values are looked for from the right: behind the last ` key=`, then behind the one before it.
//! Sources: the `print fmt` of the kernel's tracepoints; plugin_sched_switch.c of libtraceevent for the short forms.

use crate::head::{skip_blanks, trim_end};
use memchr::memrchr;
use wastenot_import::{Fields, Kind, PrevState};

/// What a body tells.
pub enum Told<'a> {
    Fields(Fields<'a>),
    /// It did not happen: an attempt to wake that failed.
    Nothing,
    Garbled,
}

/// The fields of an event of this kind.
#[inline]
pub fn fields<'a>(kind: Kind, body: &'a [u8]) -> Told<'a> {
    let mut tail = Tail(body);
    let read = match kind {
        Kind::Switch => switch(&mut tail).or_else(|| short_switch(body)),
        Kind::Waking | Kind::Wakeup | Kind::WakeupNew => match wake(&mut tail).or_else(|| short_wake(body)) {
            Some((_, false)) => return Told::Nothing,
            told => told.map(|(fields, _)| fields),
        },
        Kind::Migrate => migrate(&mut tail),
        Kind::StatRuntime => stat_runtime(&mut tail),
        Kind::Fork => fork(&mut tail),
        Kind::NewTask => new_task(&mut tail),
        Kind::Exec => numbers(&mut tail, &["old_pid", "pid"], &[Some(1), Some(0)]),
        Kind::Exit => exit(&mut tail),
        Kind::Rename => rename(&mut tail),
        Kind::CgroupMove => cgroup_move(&mut tail),
        Kind::Hotplug => hotplug(body),
        Kind::HotplugStep => hotplug_step(body),
        Kind::IrqEntry | Kind::IrqExit => numbers(&mut tail, &["irq"], &[Some(0)]),
        Kind::SoftirqEntry | Kind::SoftirqExit => numbers(&mut tail, &["vec"], &[Some(0)]),
        _ => None, // told by LTTng only
    };
    read.map_or(Told::Garbled, Told::Fields)
}

/// What is left of a body after its last values were taken.
struct Tail<'a>(&'a [u8]);

impl<'a> Tail<'a> {
    /// The value behind the last `key=`; what stands before it is left.
    #[inline]
    fn take(&mut self, key: &str) -> Option<&'a [u8]> {
        let key = key.as_bytes();
        let mut end = self.0.len();
        while let Some(equals) = memrchr(b'=', &self.0[..end]) {
            if let Some(before) = self.0[..equals].strip_suffix(key) {
                match before.split_last() {
                    None => return Some(self.cut(0, equals)),
                    Some((b' ' | b'\t', rest)) => return Some(self.cut(rest.len(), equals)),
                    _ => {}
                }
            }
            end = equals;
        }
        None
    }

    fn cut(&mut self, left: usize, equals: usize) -> &'a [u8] {
        let value = &self.0[equals + 1..];
        self.0 = &self.0[..left];
        value
    }

    #[inline]
    fn number(&mut self, key: &str) -> Option<i64> {
        self.take(key).and_then(number)
    }
}

/// Numbers by keys, from the right; each goes to its place.
fn numbers<'a>(tail: &mut Tail<'a>, keys: &[&str], places: &[Option<usize>]) -> Option<Fields<'a>> {
    let mut fields = Fields::default();
    for (key, place) in keys.iter().zip(places) {
        let value = tail.number(key);
        if let Some(place) = *place {
            fields.numbers[place] = value;
        }
    }
    fields.numbers[0].map(|_| fields)
}

#[inline]
fn switch<'a>(tail: &mut Tail<'a>) -> Option<Fields<'a>> {
    let mut fields = Fields::default();
    fields.numbers[4] = tail.number("next_prio");
    fields.numbers[3] = Some(tail.number("next_pid")?);
    fields.texts[1] = Some(tail.take("next_comm")?);
    let state = tail.take("prev_state")?;
    let state = trim_end(state.strip_suffix(b"==>").unwrap_or(state));
    fields.prev_state = Some(PrevState::Text(state));
    fields.numbers[1] = tail.number("prev_prio");
    fields.numbers[0] = Some(tail.number("prev_pid")?);
    fields.texts[0] = Some(tail.take("prev_comm")?);
    Some(fields)
}

/// trace-cmd's `hog:1234 [120] R ==> swapper/3:0 [120]`.
fn short_switch(body: &[u8]) -> Option<Fields<'_>> {
    let arrow = memchr::memmem::rfind(body, b" ==> ")?;
    let (left, right) = (trim_end(&body[..arrow]), &body[arrow + 5..]);
    let bracket = memrchr(b']', left)?;
    let (next_comm, next, next_prio) = short_task(trim_end(right))?;
    let (prev_comm, prev, prev_prio) = short_task(&left[..=bracket])?;
    let prev_state = Some(short_state(skip_blanks(&left[bracket + 1..])));
    let mut fields = Fields { prev_state, ..Fields::default() };
    fields.numbers[..5].copy_from_slice(&[Some(prev), prev_prio, None, Some(next), next_prio]);
    fields.texts = [Some(prev_comm), Some(next_comm)];
    Some(fields)
}

/// The plugin has letters of its own for the bits of a state, those of kernels before 4.14. Several are read as letters.
fn short_state(letters: &[u8]) -> PrevState<'_> {
    const LETTERS: &[u8] = b"SDTtZXxW";
    match letters {
        [letter] => match LETTERS.iter().position(|known| known == letter) {
            Some(bit) => PrevState::Number(1 << bit),
            None => PrevState::Text(letters),
        },
        _ => PrevState::Text(letters),
    }
}

/// `comm:tid [prio]`
fn short_task(text: &[u8]) -> Option<(&[u8], i64, Option<i64>)> {
    let inner = text.strip_suffix(b"]")?;
    let open = memrchr(b'[', inner)?;
    let task = trim_end(&inner[..open]);
    let colon = memrchr(b':', task)?;
    Some((&task[..colon], number(&task[colon + 1..])?, number(&inner[open + 1..])))
}

/// Also whether a thread was woken.
#[inline]
fn wake<'a>(tail: &mut Tail<'a>) -> Option<(Fields<'a>, bool)> {
    let mut fields = Fields::default();
    fields.numbers[2] = Some(tail.number("target_cpu")?);
    let mut rest = Tail(tail.0);
    let success = rest.number("success");
    if success.is_some() {
        *tail = rest;
    }
    fields.numbers[1] = tail.number("prio");
    fields.numbers[0] = Some(tail.number("pid")?);
    fields.texts[0] = Some(tail.take("comm")?);
    Some((fields, success != Some(0)))
}

/// trace-cmd's `foo:12 [120] CPU:003`, `foo:12 [120] success=1 CPU:003`.
fn short_wake(body: &[u8]) -> Option<(Fields<'_>, bool)> {
    let cpu = memchr::memmem::rfind(body, b" CPU:")?;
    let mut fields = Fields::default();
    fields.numbers[2] = Some(number(&body[cpu + 5..])?);
    let mut task = trim_end(&body[..cpu]);
    let mut woken = true;
    if !task.ends_with(b"]") {
        let mut tail = Tail(task);
        woken = tail.number("success")? != 0;
        task = trim_end(tail.0);
    }
    let (comm, tid, prio) = short_task(task)?;
    (fields.numbers[0], fields.numbers[1]) = (Some(tid), prio);
    fields.texts[0] = Some(comm);
    Some((fields, woken))
}

#[inline]
fn migrate<'a>(tail: &mut Tail<'a>) -> Option<Fields<'a>> {
    let keys = ["dest_cpu", "orig_cpu", "prio", "pid"];
    let mut fields = numbers(tail, &keys, &[Some(3), Some(2), Some(1), Some(0)])?;
    fields.numbers[3]?;
    fields.texts[0] = Some(tail.take("comm")?);
    Some(fields)
}

/// `comm=a pid=5 runtime=120 [ns]`; older kernels print ` vruntime=7 [ns]` behind.
#[inline]
fn stat_runtime<'a>(tail: &mut Tail<'a>) -> Option<Fields<'a>> {
    let mut fields = numbers(tail, &["runtime", "pid"], &[Some(1), Some(0)])?;
    fields.numbers[1]?;
    fields.texts[0] = Some(tail.take("comm")?);
    Some(fields)
}

fn fork<'a>(tail: &mut Tail<'a>) -> Option<Fields<'a>> {
    let mut fields = Fields::default();
    fields.numbers[1] = Some(tail.number("child_pid")?);
    fields.texts[1] = Some(tail.take("child_comm")?);
    // trace-cmd report -R prints the fields' own names.
    fields.numbers[0] = Some(tail.number("pid").or_else(|| tail.number("parent_pid"))?);
    fields.texts[0] = Some(tail.take("comm").or_else(|| tail.take("parent_comm"))?);
    Some(fields)
}

fn new_task<'a>(tail: &mut Tail<'a>) -> Option<Fields<'a>> {
    let mut fields = Fields::default();
    // Printed in hex without saying so (%lx).
    let flags = tail.take("clone_flags").map(|value| value.split(|&b| b == b' ').next().unwrap_or(value))?;
    let flags =
        std::str::from_utf8(flags).ok().and_then(|text| i64::from_str_radix(text.trim_start_matches("0x"), 16).ok());
    fields.texts[0] = Some(tail.take("comm")?);
    (fields.numbers[0], fields.numbers[1]) = (Some(tail.number("pid")?), flags);
    Some(fields)
}

fn exit<'a>(tail: &mut Tail<'a>) -> Option<Fields<'a>> {
    let mut fields = numbers(tail, &["prio", "pid"], &[None, Some(0)])?;
    fields.texts[0] = Some(tail.take("comm")?);
    Some(fields)
}

fn rename<'a>(tail: &mut Tail<'a>) -> Option<Fields<'a>> {
    let mut fields = Fields::default();
    tail.take("oom_score_adj");
    fields.texts[0] = Some(tail.take("newcomm")?);
    tail.take("oldcomm")?;
    fields.numbers[0] = tail.number("pid"); // none since 6.14: the thread itself
    Some(fields)
}

fn cgroup_move<'a>(tail: &mut Tail<'a>) -> Option<Fields<'a>> {
    let mut fields = Fields::default();
    fields.texts[1] = Some(tail.take("comm")?);
    fields.numbers[0] = Some(tail.number("pid")?);
    fields.texts[0] = Some(tail.take("dst_path")?);
    tail.take("dst_level");
    fields.numbers[1] = Some(tail.number("dst_id")?);
    Some(fields)
}

/// `cpu 2 offline error=0`
fn hotplug(body: &[u8]) -> Option<Fields<'_>> {
    let mut words = body.strip_prefix(b"cpu ")?.split(|&b| b == b' ');
    let cpu = number(words.next()?)?;
    let online = match words.next()? {
        b"online" => 1,
        b"offline" => 0,
        _ => return None,
    };
    let mut fields = Fields::default();
    fields.numbers[..2].copy_from_slice(&[Some(cpu), Some(online)]);
    Some(fields)
}

/// `cpu: 0002 target:   0 step: 233 (cpuhp_kick_ap_work)`
fn hotplug_step(body: &[u8]) -> Option<Fields<'_>> {
    let after = |key: &[u8]| {
        let at = memchr::memmem::find(body, key)?;
        number(skip_blanks(&body[at + key.len()..]))
    };
    let mut fields = Fields::default();
    fields.numbers[..2].copy_from_slice(&[Some(after(b"cpu:")?), Some(after(b"target:")?)]);
    Some(fields)
}

/// A number up to a blank or the end: decimal, or hexadecimal behind 0x.
#[inline]
fn number(text: &[u8]) -> Option<i64> {
    let end = text.iter().position(|&b| matches!(b, b' ' | b'\t')).unwrap_or(text.len());
    let (negative, digits) = match &text[..end] {
        [b'-', digits @ ..] => (true, digits),
        digits => (false, digits),
    };
    if digits.is_empty() || digits.len() > 18 {
        return None;
    }
    if let Some(hex) = digits.strip_prefix(b"0x") {
        return i64::from_str_radix(std::str::from_utf8(hex).ok()?, 16).ok();
    }
    let n = digits.iter().try_fold(0, |n: i64, b| b.is_ascii_digit().then(|| n * 10 + i64::from(b - b'0')))?;
    Some(if negative { -n } else { n })
}

#[cfg(test)]
mod tests {
    use super::*;

    use wastenot_import::States;

    type Read<'a> = (Vec<Option<i64>>, Vec<Option<&'a str>>);

    fn read(kind: Kind, body: &str) -> Option<Read<'_>> {
        match fields(kind, body.as_bytes()) {
            Told::Fields(mut fields) => {
                fields.numbers[2] = fields.prev_state.map_or(fields.numbers[2], |state| Some(code(state)));
                let texts = fields.texts.iter().map(|text| text.map(|bytes| std::str::from_utf8(bytes).unwrap()));
                Some((fields.numbers[..5].to_vec(), texts.collect()))
            }
            _ => None,
        }
    }

    fn numbers_of(kind: Kind, body: &str) -> Vec<i64> {
        read(kind, body).map(|(numbers, _)| numbers.into_iter().flatten().collect()).unwrap_or_default()
    }

    fn code(state: PrevState<'_>) -> i64 {
        States::of_text().code(state, 1, None, false).into()
    }

    fn state(text: &str) -> i64 {
        code(PrevState::Text(text.as_bytes()))
    }

    #[test]
    fn names_hold_what_they_like() {
        let names = ["a b", "x=y", "a:1 [2]", "==>", "p_pid=3", "prev_state=S", "<...>", "(sd-pam)", "a-1", "", " "];
        for prev in names {
            for next in names {
                let long = format!(
                    "prev_comm={prev} prev_pid=1 prev_prio=120 prev_state=S ==> next_comm={next} next_pid=2 next_prio=-1"
                );
                let short = format!("{prev}:1 [120] S ==> {next}:2 [-1]");
                for body in [long, short] {
                    let (numbers, texts) = read(Kind::Switch, &body).unwrap_or_else(|| panic!("{body}"));
                    assert_eq!(numbers, [Some(1), Some(120), Some(state("S")), Some(2), Some(-1)], "{body}");
                    assert_eq!(texts, [Some(prev), Some(next)], "{body}");
                }
            }
            let body = format!("comm={prev} pid=7 prio=120 success=1 target_cpu=003");
            assert_eq!(read(Kind::Wakeup, &body).unwrap().1[0], Some(prev));
            let body = format!("{prev}:7 [120] CPU:003");
            assert_eq!(numbers_of(Kind::Wakeup, &body), [7, 120, 3]);
        }
    }

    #[test]
    fn states_are_read_as_each_tool_writes_them() {
        let long = |text: &str| {
            numbers_of(
                Kind::Switch,
                &format!("prev_comm=a prev_pid=1 prev_prio=2 prev_state={text} ==> next_comm=b next_pid=3 next_prio=4"),
            )[2]
        };
        let short = |text: &str| numbers_of(Kind::Switch, &format!("a:1 [2] {text} ==> b:3 [4]"))[2];
        assert_eq!(["R+", "R", "D|T", "0x2", "2", "I"].map(long), ["R+", "R", "D", "D", "D", "I"].map(state));
        assert_eq!(["S", "D", "W", "x", "X", "R"].map(short), ["S", "D", "I", "P", "Z", "R"].map(state));
        // trace-cmd report -R leaves out the arrow.
        let raw = "prev_comm=a prev_pid=1 prev_prio=2 prev_state=0x1 next_comm=b next_pid=3 next_prio=4";
        assert_eq!(numbers_of(Kind::Switch, raw), [1, 2, state("S"), 3, 4]);
    }

    #[test]
    fn a_failed_attempt_to_wake_is_none() {
        for (body, woken) in [
            ("comm=a pid=1 prio=2 success=0 target_cpu=0", false),
            ("a:1 [2] success=0 CPU:000", false),
            ("a:1 [2] success=1 CPU:000", true),
        ] {
            assert_eq!(matches!(fields(Kind::Wakeup, body.as_bytes()), Told::Fields(_)), woken);
        }
    }

    #[test]
    fn the_rest_is_read_too() {
        assert_eq!(numbers_of(Kind::Migrate, "comm=a pid=1 prio=2 orig_cpu=3 dest_cpu=4"), [1, 2, 3, 4]);
        assert_eq!(numbers_of(Kind::StatRuntime, "comm=a b pid=1 runtime=120 [ns]"), [1, 120]);
        assert_eq!(numbers_of(Kind::StatRuntime, "comm=a pid=1 runtime=120 [ns] vruntime=9 [ns]"), [1, 120]);
        assert_eq!(numbers_of(Kind::Fork, "comm=a pid=1 child_comm=b pid=9 child_pid=2"), [1, 2]);
        assert_eq!(numbers_of(Kind::Fork, "parent_comm=a parent_pid=1 child_comm=b child_pid=2"), [1, 2]);
        assert_eq!(numbers_of(Kind::NewTask, "pid=5 comm=a b clone_flags=1200000 oom_score_adj=0"), [5, 0x0120_0000]);
        assert_eq!(numbers_of(Kind::Exec, "filename=/bin/a pid=3 pid=5 old_pid=5"), [5, 5]);
        assert_eq!(numbers_of(Kind::Exit, "comm=a pid=5 prio=120"), [5]);
        assert_eq!(numbers_of(Kind::Exit, "comm=a pid=5 prio=120 group_dead=true"), [5]);
        assert_eq!(read(Kind::Rename, "pid=5 oldcomm=a newcomm=b c oom_score_adj=0").unwrap().1[0], Some("b c"));
        assert_eq!(read(Kind::Rename, "oldcomm=a newcomm=b oom_score_adj=0").unwrap().0[0], None);
        assert_eq!(numbers_of(Kind::CgroupMove, "dst_root=0 dst_id=7 dst_level=1 dst_path=/x y pid=5 comm=a"), [5, 7]);
        assert_eq!(numbers_of(Kind::Hotplug, "cpu 2 offline error=0"), [2, 0]);
        assert_eq!(numbers_of(Kind::HotplugStep, "cpu: 0002 target:   0 step: 233 (f)"), [2, 0]);
        assert_eq!(numbers_of(Kind::IrqEntry, "irq=19 name=ata_piix"), [19]);
        assert_eq!(numbers_of(Kind::SoftirqExit, "vec=1 [action=TIMER]"), [1]);
        for (kind, body) in [
            (Kind::Switch, "prev_comm=a"),
            (Kind::Wakeup, ""),
            (Kind::Migrate, "comm=a pid=1 prio=1"),
            (Kind::StatRuntime, "comm=a pid=1"),
            (Kind::Exit, "pid=x"),
        ] {
            assert!(matches!(fields(kind, body.as_bytes()), Told::Garbled), "{body}");
        }
    }
}
