//! Events of tracefs as records of a segment.

use super::format::{Field, Format};
use crate::mask::PREEMPTED;
use crate::record::{Exec, Exit, Fork, Migrate, Record, Rename, Switch, Wakeup, WakeupNew, Waking};
use std::collections::HashMap;

/// A clone that stays in its parent's process (include/uapi/linux/sched.h: CLONE_THREAD).
const CLONE_THREAD: i64 = 0x0001_0000;

/// Events that are recorded: folder, name, and whether nothing can be told without it.
pub const EVENTS: [(&str, &str, bool); 9] = [
    ("sched", "sched_switch", true),
    ("sched", "sched_wakeup", true),
    ("sched", "sched_wakeup_new", true),
    ("sched", "sched_waking", false),
    ("sched", "sched_migrate_task", false),
    ("sched", "sched_process_exec", false),
    ("sched", "sched_process_exit", false),
    // Earlier than sched_process_fork, and it tells a thread from a process.
    ("task", "task_newtask", false),
    ("task", "task_rename", false),
];

enum Layout {
    Switch { prev: Field, prev_prio: Field, prev_state: Field, next: Field, next_prio: Field },
    Wake { kind: u8, pid: Field, prio: Field, cpu: Field },
    Migrate { pid: Field, prio: Field, orig: Field, dest: Field },
    Exec { pid: Field, old: Option<Field> },
    Exit { pid: Field },
    New { pid: Field, comm: Field, flags: Field },
    Rename { pid: Field, comm: Field },
}

/// Converts records of events by their numbers.
pub struct Converter {
    layouts: HashMap<u16, Layout>,
    common_pid: Field,
    states: Vec<(u64, char)>,
    /// Process of each thread that is known.
    pub tgids: HashMap<i32, i32>,
    /// Records that were too short for their format.
    pub garbled: u64,
}

impl Converter {
    /// For these events and their formats. Fails with the event whose format lacks a field that is needed.
    pub fn new(formats: &[(&'static str, Format)]) -> Result<Self, String> {
        let mut layouts = HashMap::new();
        let (mut common_pid, mut states) = (None, Vec::new());
        for (name, format) in formats {
            let get =
                |field: &str| format.field(field).ok_or_else(|| format!("the format of {name} has no field {field}"));
            let own_pid = || get("pid").or_else(|_| get("common_pid"));
            common_pid = common_pid.or(format.field("common_pid"));
            let layout = match *name {
                "sched_switch" => {
                    states.clone_from(&format.states);
                    let (prev, prev_prio, prev_state) = (get("prev_pid")?, get("prev_prio")?, get("prev_state")?);
                    Layout::Switch { prev, prev_prio, prev_state, next: get("next_pid")?, next_prio: get("next_prio")? }
                }
                "sched_waking" | "sched_wakeup" | "sched_wakeup_new" => {
                    let kind = match *name {
                        "sched_waking" => Waking::KIND,
                        "sched_wakeup" => Wakeup::KIND,
                        _ => WakeupNew::KIND,
                    };
                    Layout::Wake { kind, pid: get("pid")?, prio: get("prio")?, cpu: get("target_cpu")? }
                }
                "sched_migrate_task" => {
                    let (orig, dest) = (get("orig_cpu")?, get("dest_cpu")?);
                    Layout::Migrate { pid: get("pid")?, prio: get("prio")?, orig, dest }
                }
                "sched_process_exec" => Layout::Exec { pid: get("pid")?, old: format.field("old_pid") },
                "sched_process_exit" => Layout::Exit { pid: get("pid")? },
                "task_newtask" => Layout::New { pid: get("pid")?, comm: get("comm")?, flags: get("clone_flags")? },
                _ => Layout::Rename { pid: own_pid()?, comm: get("newcomm")? },
            };
            layouts.insert(format.id, layout);
        }
        let common_pid = common_pid.ok_or("no format has the field common_pid")?;
        Ok(Self { layouts, common_pid, states, tgids: HashMap::new(), garbled: 0 })
    }

    /// The record of an event, or nothing where it is none of ours.
    #[inline]
    pub fn convert(&mut self, event: &[u8]) -> Option<Record<'static>> {
        let id = u16::from_ne_bytes(event.get(..2)?.try_into().ok()?);
        let layout = self.layouts.get(&id)?;
        let record = self.read(layout, event);
        match &record {
            None => self.garbled += 1,
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
    fn read(&self, layout: &Layout, event: &[u8]) -> Option<Record<'static>> {
        let int = |field: &Field| field.number(event).map(|n| n as i32);
        Some(match layout {
            Layout::Switch { prev, prev_prio, prev_state, next, next_prio } => Record::Switch(Switch {
                prev_tid: int(prev)?,
                next_tid: int(next)?,
                prev_prio: int(prev_prio)? as i16,
                next_prio: int(next_prio)? as i16,
                prev_state: self.state(prev_state.number(event)? as u64),
            }),
            Layout::Wake { kind, pid, prio, cpu } => {
                let (tid, cpu, prio) = (int(pid)?, int(cpu)? as u16, int(prio)? as i16);
                match *kind {
                    Waking::KIND => Record::Waking(Waking { tid, cpu, prio }),
                    Wakeup::KIND => Record::Wakeup(Wakeup { tid, cpu, prio }),
                    _ => Record::WakeupNew(WakeupNew { tid, cpu, prio }),
                }
            }
            Layout::Migrate { pid, prio, orig, dest } => Record::Migrate(Migrate {
                tid: int(pid)?,
                stack_id: -1,
                orig_cpu: int(orig)? as u16,
                dest_cpu: int(dest)? as u16,
                prio: int(prio)? as i16,
            }),
            Layout::Exec { pid, old } => {
                let tid = int(pid)?;
                Record::Exec(Exec { tid, old_tid: old.as_ref().map_or(Some(tid), int)?, tgid: tid })
            }
            Layout::Exit { pid } => Record::Exit(Exit { tid: int(pid)? }),
            Layout::New { pid, comm: name, flags } => {
                let (parent_tid, child_tid) = (int(&self.common_pid)?, int(pid)?);
                let child_tgid = match flags.number(event)? & CLONE_THREAD {
                    0 => child_tid,
                    _ => self.tgids.get(&parent_tid).copied().unwrap_or(0),
                };
                Record::Fork(Fork { parent_tid, child_tid, child_tgid, flags: 0, comm: comm(name.text(event)?) })
            }
            Layout::Rename { pid, comm: name } => {
                let tid = int(pid)?;
                let tgid = self.tgids.get(&tid).copied().unwrap_or(0);
                Record::Rename(Rename { tid, tgid, comm: comm(name.text(event)?) })
            }
        })
    }

    /// The state word of a record for that of the tracepoint, whose bits its own format names. The code of "preempted"
    /// is the next bit above them and moved between kernels.
    fn state(&self, raw: u64) -> u32 {
        let named = self.states.iter().fold(0, |all, (bit, _)| all | bit);
        if named != 0 && raw > named {
            return PREEMPTED;
        }
        let lowest = self.states.iter().filter(|(bit, _)| raw & bit != 0).min_by_key(|(bit, _)| *bit);
        match lowest.map(|(_, letter)| *letter) {
            None if raw == 0 => 0,
            Some('S') => 1,
            Some('D') => 2,
            Some('T') => 4,
            Some('t') => 8,
            Some('X' | 'x') => 0x80,
            Some('Z') => 0x20,
            Some('P') => 0x40,
            Some('I') => 0x402,
            _ => 0x10_0000, // a state that `mask::task_state` calls unknown
        }
    }
}

fn comm(text: &[u8]) -> [u8; 16] {
    let mut comm = [0; 16];
    let length = text.len().min(15);
    comm[..length].copy_from_slice(&text[..length]);
    comm
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mask::task_state;
    use wastenot_schemas::task_state as code;

    fn converter(preempted_after: &[(u64, char)]) -> Converter {
        let text = |name: &str, id: u16, fields: &[(&str, usize, usize)]| {
            let mut text = format!("name: {name}\nID: {id}\nformat:\n");
            text += "\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n";
            text += "\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n";
            for (field, offset, size) in fields {
                text += &format!("\tfield:int {field};\toffset:{offset};\tsize:{size};\tsigned:1;\n");
            }
            Format::parse(&text).unwrap()
        };
        let switch = [
            ("prev_pid", 8, 4),
            ("prev_prio", 12, 4),
            ("prev_state", 16, 8),
            ("next_pid", 24, 4),
            ("next_prio", 28, 4),
        ];
        let mut switch = text("sched_switch", 1, &switch);
        switch.states = preempted_after.to_vec();
        let newtask = text("task_newtask", 2, &[("pid", 8, 4), ("comm", 12, 16), ("clone_flags", 32, 8)]);
        Converter::new(&[("sched_switch", switch), ("task_newtask", newtask)]).unwrap()
    }

    fn states_of(raw: u64, named: &[(u64, char)]) -> u8 {
        let mut event = vec![0; 32];
        event[0] = 1;
        event[16..24].copy_from_slice(&raw.to_ne_bytes());
        let Some(Record::Switch(switch)) = converter(named).convert(&event) else { panic!("a switch") };
        task_state(switch.prev_state)
    }

    #[test]
    fn preempted_is_told_whatever_its_code() {
        let new = [(1, 'S'), (2, 'D'), (4, 'T'), (8, 't'), (16, 'X'), (32, 'Z'), (64, 'P'), (128, 'I')];
        let old: Vec<(u64, char)> = "SDTtZXxKWPN".chars().enumerate().map(|(n, letter)| (1 << n, letter)).collect();
        assert_eq!((states_of(256, &new), states_of(2048, &old), states_of(2049, &old)), (1, 1, 1));
        assert_eq!((states_of(0, &new), states_of(128, &new), states_of(2, &new)), (code::R, code::I, code::D));
        assert_eq!((states_of(16, &old), states_of(32, &new), states_of(1, &old)), (code::Z, code::Z, code::S));
        assert_eq!(states_of(16, &new), code::X);
    }

    #[test]
    fn a_new_thread_belongs_to_its_parents_process_and_a_new_process_to_itself() {
        let mut converter = converter(&[]);
        converter.tgids.insert(70, 60);
        let mut event = vec![0; 40];
        event[0] = 2;
        event[4..8].copy_from_slice(&70i32.to_ne_bytes());
        event[8..12].copy_from_slice(&71i32.to_ne_bytes());
        event[12..16].copy_from_slice(b"work");
        for (flags, tgid) in [(CLONE_THREAD, 60), (0, 71)] {
            event[32..40].copy_from_slice(&flags.to_ne_bytes());
            let Some(Record::Fork(fork)) = converter.convert(&event) else { panic!("a fork") };
            assert_eq!((fork.parent_tid, fork.child_tid, fork.child_tgid), (70, 71, tgid));
            assert_eq!(converter.tgids[&71], tgid);
        }
        assert_eq!((converter.convert(&event[..20]), converter.garbled), (None, 1));
        assert_eq!((converter.convert(&[9, 0, 0]), converter.garbled), (None, 1));
    }
}
