//! The fields in what an event prints.
//!
//! Names hold anything, so values are looked for from the right: behind the last ` key=`, then behind the one before it.
//! Sources: the `print fmt` of the kernel's tracepoints; plugin_sched_switch.c of libtraceevent for the short forms.

use crate::head::{skip_blanks, trim_end};
use memchr::memrchr;
use wastenot_import::{
    EventKind, FieldValues, Fork, Hotplug, HotplugStep, Interrupt, KernelEvent, NewTask, Rename, Switch, Value,
    ValueType, Wake, cpu_number, thread_id,
};
use wastenot_topology::task_state::PrevState;

/// The event of this kind that a body prints. None: it cannot be read; Some(None): its fields are impossible (a negative tid).
#[inline]
pub fn event(kind: EventKind, body: &[u8]) -> Option<Option<KernelEvent<'_>>> {
    let mut tail = BodyTail(body);
    Some(match kind {
        EventKind::Switch => keyed(kind, tail).or_else(|| Some(short_switch(body)?.map(KernelEvent::Switch)))?,
        EventKind::Waking | EventKind::Wakeup | EventKind::WakeupNew => {
            keyed(kind, tail).or_else(|| Some(short_wake(body)?.map(KernelEvent::Wake)))?
        }
        EventKind::Fork => fork(&mut tail)?.map(KernelEvent::Fork),
        EventKind::NewTask => new_task(&mut tail)?.map(KernelEvent::NewTask),
        EventKind::Rename => Some(KernelEvent::Rename(rename(&mut tail)?)),
        EventKind::Hotplug => hotplug(body)?.map(KernelEvent::Hotplug),
        EventKind::HotplugStep => hotplug_step(body)?.map(KernelEvent::HotplugStep),
        EventKind::IrqEntry | EventKind::IrqExit => Some(interrupt(tail.number("irq")?)),
        EventKind::SoftirqEntry | EventKind::SoftirqExit => Some(interrupt(tail.number("vec")?)),
        EventKind::StateDump => return None, // only LTTng writes it
        kind if kind.is_of_application() => return None,
        kind => keyed(kind, tail)?,
    })
}

/// An event that is printed as `key=value` under the names and in the order of its fields.
#[inline]
fn keyed(kind: EventKind, mut tail: BodyTail<'_>) -> Option<Option<KernelEvent<'_>>> {
    let mut values = FieldValues::default();
    for (value, field) in values.iter_mut().zip(kind.shape().fields).rev() {
        let text = tail.take_any(field.names);
        *value = match field.value_type {
            ValueType::Text => Value::Text(text?),
            ValueType::State => Value::Text(text.map(|text| trim_end(text.strip_suffix(b"==>").unwrap_or(text)))?),
            ValueType::Number => match text.and_then(number) {
                None if field.required => return None,
                number => number.map_or(Value::Absent, Value::Number),
            },
        };
    }
    Some(KernelEvent::parse(kind, &values))
}

fn interrupt<'a>(vector: i64) -> KernelEvent<'a> {
    KernelEvent::Interrupt(Interrupt { vector: Some(vector) })
}

/// What is left of a body after its last values were taken.
struct BodyTail<'a>(&'a [u8]);

impl<'a> BodyTail<'a> {
    /// The value behind the last `key=`; what is before it is left.
    #[inline]
    fn take(&mut self, key: &str) -> Option<&'a [u8]> {
        self.take_any(&[key])
    }

    /// The same, of any of these keys.
    #[inline]
    fn take_any(&mut self, keys: &[&str]) -> Option<&'a [u8]> {
        let mut end = self.0.len();
        while let Some(equals) = memrchr(b'=', &self.0[..end]) {
            let key = &self.0[..equals];
            if let Some(before) = keys.iter().find_map(|known| key.strip_suffix(known.as_bytes())) {
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

/// trace-cmd's `hog:1234 [120] R ==> swapper/3:0 [120]`.
fn short_switch(body: &[u8]) -> Option<Option<Switch<'_>>> {
    let arrow = memchr::memmem::rfind(body, b" ==> ")?;
    let (left, right) = (trim_end(&body[..arrow]), &body[arrow + 5..]);
    let bracket = memrchr(b']', left)?;
    let (next_comm, next, next_prio) = short_task(trim_end(right))?;
    let (prev_comm, prev, prev_prio) = short_task(&left[..=bracket])?;
    let prev_state = Some(short_state(skip_blanks(&left[bracket + 1..])));
    Some(thread_id(prev).zip(thread_id(next)).map(|(prev_tid, next_tid)| Switch {
        prev_comm: Some(prev_comm),
        prev_tid,
        prev_prio,
        prev_state,
        next_comm: Some(next_comm),
        next_tid,
        next_prio,
    }))
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

/// trace-cmd's `foo:12 [120] CPU:003`, `foo:12 [120] success=1 CPU:003`.
fn short_wake(body: &[u8]) -> Option<Option<Wake<'_>>> {
    let at = memchr::memmem::rfind(body, b" CPU:")?;
    let cpu = number(&body[at + 5..])?;
    let mut task = trim_end(&body[..at]);
    let mut success = None;
    if !task.ends_with(b"]") {
        let mut tail = BodyTail(task);
        success = Some(tail.number("success")?);
        task = trim_end(tail.0);
    }
    let (comm, tid, prio) = short_task(task)?;
    let fields = thread_id(tid).zip(cpu_number(cpu));
    Some(fields.map(|(tid, target_cpu)| Wake { comm: Some(comm), tid, prio, target_cpu, success }))
}

fn fork<'a>(tail: &mut BodyTail<'a>) -> Option<Option<Fork<'a>>> {
    let child = tail.number("child_pid")?;
    let child_comm = Some(tail.take("child_comm")?);
    // trace-cmd report -R prints the fields' own names.
    let parent = tail.number("pid").or_else(|| tail.number("parent_pid"))?;
    let parent_comm = Some(tail.take("comm").or_else(|| tail.take("parent_comm"))?);
    let tids = thread_id(parent).zip(thread_id(child));
    Some(tids.map(|(parent_tid, child_tid)| Fork { parent_comm, parent_tid, child_comm, child_tid, child_tgid: None }))
}

fn new_task<'a>(tail: &mut BodyTail<'a>) -> Option<Option<NewTask<'a>>> {
    // Printed in hex without a prefix (%lx).
    let flags = tail.take("clone_flags").map(|value| value.split(|&b| b == b' ').next().unwrap_or(value))?;
    let clone_flags =
        std::str::from_utf8(flags).ok().and_then(|text| i64::from_str_radix(text.trim_start_matches("0x"), 16).ok());
    let comm = Some(tail.take("comm")?);
    let tid = tail.number("pid")?;
    Some(thread_id(tid).map(|tid| NewTask { tid, comm, clone_flags }))
}

fn rename<'a>(tail: &mut BodyTail<'a>) -> Option<Rename<'a>> {
    tail.take("oom_score_adj");
    let newcomm = Some(tail.take("newcomm")?);
    tail.take("oldcomm")?;
    let tid = tail.number("pid").and_then(thread_id); // absent since 6.14: the thread itself
    Some(Rename { tid, newcomm })
}

/// `cpu 2 offline error=0`
fn hotplug(body: &[u8]) -> Option<Option<Hotplug>> {
    let mut words = body.strip_prefix(b"cpu ")?.split(|&b| b == b' ');
    let cpu = number(words.next()?)?;
    let online = match words.next()? {
        b"online" => 1,
        b"offline" => 0,
        _ => return None,
    };
    Some(cpu_number(cpu).map(|affected_cpu| Hotplug { affected_cpu, status: Some(online) }))
}

/// `cpu: 0002 target:   0 step: 233 (cpuhp_kick_ap_work)`
fn hotplug_step(body: &[u8]) -> Option<Option<HotplugStep>> {
    let after = |key: &[u8]| {
        let at = memchr::memmem::find(body, key)?;
        number(skip_blanks(&body[at + key.len()..]))
    };
    let (cpu, target) = (after(b"cpu:")?, after(b"target:")?);
    Some(cpu_number(cpu).map(|of_cpu| HotplugStep { of_cpu, target }))
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
    use wastenot_import::{CgroupMove, Exec, Exit, Migrate, StatRuntime};
    use wastenot_topology::task_state::PrevStateDecoder;

    fn read(kind: EventKind, body: &str) -> KernelEvent<'_> {
        event(kind, body.as_bytes()).flatten().unwrap_or_else(|| panic!("{body}"))
    }

    fn read_switch(body: &str) -> Switch<'_> {
        let KernelEvent::Switch(switch) = read(EventKind::Switch, body) else { panic!("{body}") };
        switch
    }

    fn read_wake(body: &str) -> Wake<'_> {
        let KernelEvent::Wake(wake) = read(EventKind::Wakeup, body) else { panic!("{body}") };
        wake
    }

    fn code(state: Option<PrevState<'_>>) -> u8 {
        PrevStateDecoder::of_text().code(state.unwrap(), 1, None, false)
    }

    fn state(text: &str) -> u8 {
        code(Some(PrevState::Text(text.as_bytes())))
    }

    #[test]
    fn names_may_hold_anything() {
        let names = ["a b", "x=y", "a:1 [2]", "==>", "p_pid=3", "prev_state=S", "<...>", "(sd-pam)", "a-1", "", " "];
        for prev in names {
            for next in names {
                let long = format!(
                    "prev_comm={prev} prev_pid=1 prev_prio=120 prev_state=S ==> next_comm={next} next_pid=2 next_prio=-1"
                );
                let short = format!("{prev}:1 [120] S ==> {next}:2 [-1]");
                for body in [long, short] {
                    let switch = read_switch(&body);
                    assert_eq!((switch.prev_tid, switch.prev_prio), (1, Some(120)), "{body}");
                    assert_eq!((switch.next_tid, switch.next_prio), (2, Some(-1)), "{body}");
                    assert_eq!(code(switch.prev_state), state("S"), "{body}");
                    let comms = (switch.prev_comm, switch.next_comm);
                    assert_eq!(comms, (Some(prev.as_bytes()), Some(next.as_bytes())), "{body}");
                }
            }
            let body = format!("comm={prev} pid=7 prio=120 success=1 target_cpu=003");
            assert_eq!(read_wake(&body).comm, Some(prev.as_bytes()));
            let body = format!("{prev}:7 [120] CPU:003");
            let Wake { tid, prio, target_cpu, .. } = read_wake(&body);
            assert_eq!((tid, prio, target_cpu), (7, Some(120), 3));
        }
    }

    #[test]
    fn states_are_read_as_each_tool_writes_them() {
        let long = |text: &str| {
            let body =
                format!("prev_comm=a prev_pid=1 prev_prio=2 prev_state={text} ==> next_comm=b next_pid=3 next_prio=4");
            code(read_switch(&body).prev_state)
        };
        let short = |text: &str| code(read_switch(&format!("a:1 [2] {text} ==> b:3 [4]")).prev_state);
        assert_eq!(["R+", "R", "D|T", "0x2", "2", "I"].map(long), ["R+", "R", "D", "D", "D", "I"].map(state));
        assert_eq!(["S", "D", "W", "x", "X", "R"].map(short), ["S", "D", "I", "P", "Z", "R"].map(state));
        // trace-cmd report -R leaves out the arrow.
        let raw = read_switch("prev_comm=a prev_pid=1 prev_prio=2 prev_state=0x1 next_comm=b next_pid=3 next_prio=4");
        assert_eq!((raw.prev_tid, code(raw.prev_state), raw.next_tid), (1, state("S"), 3));
    }

    #[test]
    fn a_failed_attempt_to_wake_says_so() {
        for (body, success) in [
            ("comm=a pid=1 prio=2 success=0 target_cpu=0", Some(0)),
            ("a:1 [2] success=0 CPU:000", Some(0)),
            ("a:1 [2] success=1 CPU:000", Some(1)),
            ("a:1 [2] CPU:000", None),
        ] {
            assert_eq!(read_wake(body).success, success, "{body}");
        }
    }

    #[test]
    fn all_other_events_are_read_too() {
        use EventKind as Kind;
        let comm = Some(&b"a"[..]);
        let migrate = Migrate { comm, tid: 1, prio: Some(2), orig_cpu: Some(3), dest_cpu: 4 };
        let forked =
            |comm| Fork { parent_comm: Some(b"a"), parent_tid: 1, child_comm: comm, child_tid: 2, child_tgid: None };
        let new_task = NewTask { tid: 5, comm: Some(b"a b"), clone_flags: Some(0x0120_0000) };
        let runtime = |comm| KernelEvent::StatRuntime(StatRuntime { comm, tid: 1, runtime: 120 });
        let cgroup_move = CgroupMove { tid: 5, dst_id: 7, dst_path: Some(b"/x y"), comm };
        for (kind, body, expected) in [
            (Kind::Migrate, "comm=a pid=1 prio=2 orig_cpu=3 dest_cpu=4", KernelEvent::Migrate(migrate)),
            (Kind::StatRuntime, "comm=a b pid=1 runtime=120 [ns]", runtime(Some(b"a b"))),
            (Kind::StatRuntime, "comm=a pid=1 runtime=120 [ns] vruntime=9 [ns]", runtime(comm)),
            (Kind::Fork, "comm=a pid=1 child_comm=b pid=9 child_pid=2", KernelEvent::Fork(forked(Some(b"b pid=9")))),
            (Kind::Fork, "parent_comm=a parent_pid=1 child_comm=b child_pid=2", KernelEvent::Fork(forked(Some(b"b")))),
            (Kind::NewTask, "pid=5 comm=a b clone_flags=1200000 oom_score_adj=0", KernelEvent::NewTask(new_task)),
            (Kind::Exec, "filename=/bin/a pid=3 pid=5 old_pid=5", KernelEvent::Exec(Exec { tid: 5, old_tid: Some(5) })),
            (Kind::Exit, "comm=a pid=5 prio=120", KernelEvent::Exit(Exit { comm, tid: 5 })),
            (Kind::Exit, "comm=a pid=5 prio=120 group_dead=true", KernelEvent::Exit(Exit { comm, tid: 5 })),
            (
                Kind::Rename,
                "pid=5 oldcomm=a newcomm=b c oom_score_adj=0",
                KernelEvent::Rename(Rename { tid: Some(5), newcomm: Some(b"b c") }),
            ),
            (
                Kind::Rename,
                "oldcomm=a newcomm=b oom_score_adj=0",
                KernelEvent::Rename(Rename { tid: None, newcomm: Some(b"b") }),
            ),
            (
                Kind::CgroupMove,
                "dst_root=0 dst_id=7 dst_level=1 dst_path=/x y pid=5 comm=a",
                KernelEvent::CgroupMove(cgroup_move),
            ),
            (
                Kind::Hotplug,
                "cpu 2 offline error=0",
                KernelEvent::Hotplug(Hotplug { affected_cpu: 2, status: Some(0) }),
            ),
            (
                Kind::HotplugStep,
                "cpu: 0002 target:   0 step: 233 (f)",
                KernelEvent::HotplugStep(HotplugStep { of_cpu: 2, target: 0 }),
            ),
            (Kind::IrqEntry, "irq=19 name=ata_piix", interrupt(19)),
            (Kind::SoftirqExit, "vec=1 [action=TIMER]", interrupt(1)),
        ] {
            assert_eq!(event(kind, body.as_bytes()), Some(Some(expected)), "{body}");
        }
        for (kind, body) in [
            (Kind::Switch, "prev_comm=a"),
            (Kind::Wakeup, ""),
            (Kind::Migrate, "comm=a pid=1 prio=1"),
            (Kind::StatRuntime, "comm=a pid=1"),
            (Kind::Exit, "pid=x"),
        ] {
            assert_eq!(event(kind, body.as_bytes()), None, "{body}");
        }
        assert_eq!(event(Kind::Exit, b"comm=a pid=-5 prio=120"), Some(None));
    }
}
