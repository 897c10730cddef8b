//! Events of tracefs as records of a segment.

use crate::record::{Exec, Exit, Fork, Migrate, Record, Rename, Switch, Wakeup, WakeupNew, Waking};
use std::collections::HashMap;
use wastenot_import::{EventKind, KernelEvent, Text, Tid, Tracepoint};
use wastenot_topology::task_state::{PrevStateDecoder, Tracer, to_word};

/// Events that are recorded: folder, name, and whether a recording is of no use without it.
pub const EVENTS: [(&str, &str, bool); 9] = [
    ("sched", "sched_switch", true),
    ("sched", "sched_wakeup", true),
    ("sched", "sched_wakeup_new", true),
    ("sched", "sched_waking", false),
    ("sched", "sched_migrate_task", false),
    ("sched", "sched_process_exec", false),
    ("sched", "sched_process_exit", false),
    // Earlier than sched_process_fork, and with the flags of clone().
    ("task", "task_newtask", false),
    ("task", "task_rename", false),
];

/// Converts records of events by their numbers.
#[derive(Default)]
pub struct Converter {
    events: HashMap<u16, Tracepoint>,
    /// Process of each thread that is known.
    pub tgids: HashMap<i32, i32>,
    /// Records that were too short for their format.
    pub malformed: u64,
    /// How the kernel writes states.
    pub states: PrevStateDecoder,
}

impl Converter {
    /// For these events of this kernel.
    pub fn new(events: Vec<Tracepoint>, kernel: &str) -> Self {
        let states = PrevStateDecoder::new(Some(kernel), &Tracer::Kernel, Tracepoint::state_bits(&events));
        Self { states, events: events.into_iter().map(|event| (event.id as u16, event)).collect(), ..Self::default() }
    }

    /// The record of an event, or nothing where it is not one of [`EVENTS`].
    #[inline]
    pub fn convert(&mut self, raw: &[u8]) -> Option<Record<'static>> {
        let id = u16::from_ne_bytes(raw.get(..2)?.try_into().ok()?);
        let tracepoint = self.events.get(&id)?;
        let (kind, current) = (tracepoint.shape.kind, tracepoint.common_pid(raw));
        let event = tracepoint.event(raw).flatten();
        if matches!(event, Some(KernelEvent::Wake(wake)) if wake.success == Some(0)) {
            return None; // before 4.3: the thread was runnable already
        }
        let record = event.and_then(|event| self.record(kind, current, &event));
        match &record {
            None => self.malformed += 1,
            Some(Record::Fork(fork)) if fork.child_tgid > 0 => {
                self.tgids.insert(fork.child_tid, fork.child_tgid);
            }
            Some(Record::Exit(exit)) => {
                self.tgids.remove(&exit.tid);
            }
            _ => {}
        }
        record
    }

    #[inline]
    fn record(&mut self, kind: EventKind, current: Option<Tid>, event: &KernelEvent<'_>) -> Option<Record<'static>> {
        let prio = |number: Option<i64>| number.unwrap_or(0) as i16;
        Some(match *event {
            KernelEvent::Switch(switch) => {
                let prev_comm = switch.prev_comm.map(until_nul);
                let state = self.states.code(switch.prev_state?, switch.prev_tid, prev_comm, false);
                Record::Switch(Switch {
                    prev_tid: switch.prev_tid,
                    prev_prio: prio(switch.prev_prio),
                    prev_state: to_word(state),
                    next_tid: switch.next_tid,
                    next_prio: prio(switch.next_prio),
                    ..Default::default()
                })
            }
            KernelEvent::Wake(wake) => {
                let (tid, prio, cpu) = (wake.tid, prio(wake.prio), wake.target_cpu as u16);
                match kind {
                    EventKind::Waking => Record::Waking(Waking { tid, cpu, prio, ..Default::default() }),
                    EventKind::Wakeup => Record::Wakeup(Wakeup { tid, cpu, prio, ..Default::default() }),
                    _ => Record::WakeupNew(WakeupNew { tid, cpu, prio, ..Default::default() }),
                }
            }
            KernelEvent::Migrate(migrate) => Record::Migrate(Migrate {
                tid: migrate.tid,
                stack_id: -1,
                orig_cpu: migrate.orig_cpu? as u16,
                dest_cpu: migrate.dest_cpu as u16,
                prio: prio(migrate.prio),
                ..Default::default()
            }),
            KernelEvent::Exec(exec) => Record::Exec(Exec {
                tid: exec.tid,
                old_tid: exec.old_tid.unwrap_or(exec.tid),
                tgid: exec.tid,
                ..Default::default()
            }),
            KernelEvent::Exit(exit) => Record::Exit(Exit { tid: exit.tid, ..Default::default() }),
            KernelEvent::NewTask(new) => {
                let parent_tid = current?;
                new.clone_flags?;
                let child_tgid = new.process(|| self.tgids.get(&parent_tid).copied()).unwrap_or(0);
                Record::Fork(Fork {
                    parent_tid,
                    child_tid: new.tid,
                    child_tgid,
                    flags: 0,
                    comm: comm(new.comm?),
                    ..Default::default()
                })
            }
            KernelEvent::Rename(rename) => {
                let tid = rename.tid.or(current)?;
                let tgid = self.tgids.get(&tid).copied().unwrap_or(0);
                Record::Rename(Rename { tid, tgid, comm: comm(rename.newcomm?) })
            }
            _ => return None,
        })
    }
}

fn until_nul(text: Text<'_>) -> Text<'_> {
    text.split(|&byte| byte == 0).next().unwrap_or(text)
}

fn comm(text: Text<'_>) -> [u8; 16] {
    let (mut comm, text) = ([0; 16], until_nul(text));
    let length = text.len().min(15);
    comm[..length].copy_from_slice(&text[..length]);
    comm
}

#[cfg(test)]
mod tests {
    use super::*;
    use wastenot_import::Endian;
    use wastenot_schemas::task_state as code;
    use wastenot_topology::task_state::of_word;

    fn event(name: &str, id: u16, fields: &[(&str, usize, usize)], print: &str) -> Tracepoint {
        let mut text = format!("name: {name}\nID: {id}\nformat:\n");
        text += "\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n";
        text += "\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n";
        for (field, offset, size) in fields {
            text += &format!("\tfield:int {field};\toffset:{offset};\tsize:{size};\tsigned:1;\n");
        }
        let endian = if cfg!(target_endian = "big") { Endian::Big } else { Endian::Little };
        Tracepoint::parse(&format!("{text}print fmt: {print}\n"), endian).unwrap().unwrap()
    }

    fn converter(print: &str) -> Converter {
        let switch = [
            ("prev_pid", 8, 4),
            ("prev_prio", 12, 4),
            ("prev_state", 16, 8),
            ("next_pid", 24, 4),
            ("next_prio", 28, 4),
        ];
        let newtask = [("pid", 8, 4), ("comm", 12, 16), ("clone_flags", 32, 8)];
        let events = vec![event("sched_switch", 1, &switch, print), event("task_newtask", 2, &newtask, "")];
        Converter::new(events, "6.1.0-56-amd64")
    }

    fn state_of(raw: u64, print: &str) -> u8 {
        let mut event = vec![0; 32];
        event[..2].copy_from_slice(&1u16.to_ne_bytes());
        event[16..24].copy_from_slice(&raw.to_ne_bytes());
        let Some(Record::Switch(switch)) = converter(print).convert(&event) else { panic!("a switch") };
        of_word(switch.prev_state)
    }

    #[test]
    fn a_state_is_read_as_the_format_names_it() {
        let old = r#"{ 1, "S" }, { 2, "D" }, { 16, "Z" }, { 1024, "N" }) : "R", REC->prev_state & 2048 ? "+" : """#;
        assert_eq!([256, 2].map(|raw| state_of(raw, "")), [code::R_PREEMPTED, code::D]);
        assert_eq!([2048, 16, 0].map(|raw| state_of(raw, old)), [code::R_PREEMPTED, code::Z, code::R]);
    }

    #[test]
    fn a_new_thread_belongs_to_its_parents_process_and_a_new_process_to_itself() {
        let mut converter = converter("");
        converter.tgids.insert(70, 60);
        let mut event = vec![0; 40];
        event[..2].copy_from_slice(&2u16.to_ne_bytes());
        event[4..8].copy_from_slice(&70i32.to_ne_bytes());
        event[8..12].copy_from_slice(&71i32.to_ne_bytes());
        event[12..16].copy_from_slice(b"work");
        const CLONE_THREAD: i64 = 0x0001_0000;
        for (flags, tgid) in [(CLONE_THREAD, 60), (0, 71)] {
            event[32..40].copy_from_slice(&flags.to_ne_bytes());
            let Some(Record::Fork(fork)) = converter.convert(&event) else { panic!("a fork") };
            assert_eq!((fork.parent_tid, fork.child_tid, fork.child_tgid), (70, 71, tgid));
            assert_eq!(converter.tgids[&71], tgid);
        }
        assert_eq!((converter.convert(&event[..20]), converter.malformed), (None, 1));
        assert_eq!((converter.convert(&[9, 0, 0]), converter.malformed), (None, 1));
    }
}
