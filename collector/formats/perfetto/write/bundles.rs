//! Rows as `FtraceEvent`s in a bundle per CPU, for other programs: what these messages have no field for is left out.

use super::ExportError;
use super::file::Target;
use super::merge::View;
use super::tracks::{INTERRUPTS, LOST, Slice, Slices};
use crate::fields::{bundle, event, packet};
use crate::wire::{put_bytes, put_number, put_signed, put_text, put_varint};
use std::collections::HashMap;
use wastenot_schemas::{irq_kind, task_state};
use wastenot_topology::task_state::reported;

/// Events of a bundle at most.
const EVENTS: u64 = 4096;
/// A clone that stays in its parent's process (include/uapi/linux/sched.h: CLONE_THREAD).
const CLONE_THREAD: u64 = 0x0001_0000;
/// The state of a CPU that leaves idle (include/trace/events/power.h: PWR_EVENT_EXIT).
const LEAVES_IDLE: u64 = u32::MAX as u64;

/// The bundles under construction, by CPU, and what their events need to know.
#[derive(Default)]
pub struct BundleWriter {
    cpus: Vec<OpenBundle>,
    names: HashMap<i32, Box<str>>,
    slices: Slices,
    message: Vec<u8>,
    event: Vec<u8>,
}

#[derive(Default)]
struct OpenBundle {
    events: Vec<u8>,
    count: u64,
    /// Events of this CPU were lost before it.
    lost: bool,
    current: Option<i32>,
}

/// An event without its kind's fields.
struct EventHead {
    cpu: i16,
    ts_ns: i64,
    /// The thread that runs, where not the CPU's current one.
    pid: Option<i32>,
}

impl BundleWriter {
    /// Take a row.
    pub fn push(&mut self, table: &View, row: usize, file: &mut Target) -> Result<(), ExportError> {
        match table {
            View::Switch(view) => {
                let r = view.row(row);
                self.begin(|m, names| {
                    put_text(m, 1, name(names, r.prev_tid));
                    put_signed(m, 2, r.prev_tid.into());
                    put_optional(m, 3, r.prev_prio);
                    put_signed(m, 4, reported(r.prev_state).unwrap_or(1)); // off the CPU, as far as can be said
                    put_text(m, 5, name(names, r.next_tid));
                    put_signed(m, 6, r.next_tid.into());
                    put_optional(m, 7, r.next_prio);
                });
                let head = EventHead { cpu: r.cpu, ts_ns: r.ts_ns, pid: Some(r.prev_tid) };
                self.end(event::SCHED_SWITCH, head, file)?;
                if matches!(r.prev_state, task_state::X | task_state::Z) {
                    self.names.remove(&r.prev_tid);
                }
                self.of(r.cpu).current = Some(r.next_tid);
            }
            View::Waking(view) => {
                let r = view.row(row);
                self.begin(|m, names| {
                    put_text(m, 1, name(names, r.tid));
                    put_signed(m, 2, r.tid.into());
                    put_optional(m, 3, r.prio);
                    put_optional(m, 5, r.target_cpu);
                });
                self.end(event::SCHED_WAKING, EventHead { cpu: r.cpu, ts_ns: r.ts_ns, pid: None }, file)?;
            }
            View::Wakeup(view) => {
                let r = view.row(row);
                self.begin(|m, names| {
                    put_text(m, 1, name(names, r.tid));
                    put_signed(m, 2, r.tid.into());
                    put_optional(m, 3, r.prio);
                    put_signed(m, 5, r.target_cpu.into());
                });
                let kind = if r.is_new { event::SCHED_WAKEUP_NEW } else { event::SCHED_WAKEUP };
                self.end(kind, EventHead { cpu: r.cpu, ts_ns: r.ts_ns, pid: None }, file)?;
            }
            View::Migrate(view) => {
                let r = view.row(row);
                self.begin(|m, names| {
                    put_text(m, 1, name(names, r.tid));
                    put_signed(m, 2, r.tid.into());
                    put_optional(m, 4, r.orig_cpu);
                    put_signed(m, 5, r.dest_cpu.into());
                });
                let head = EventHead { cpu: r.cpu, ts_ns: r.ts_ns, pid: None };
                self.end(event::SCHED_MIGRATE_TASK, head, file)?;
            }
            View::Fork(view) => {
                let r = view.row(row);
                let inherited = self.names.get(&r.parent_tid).cloned();
                if let Some(inherited) = inherited {
                    self.names.insert(r.child_tid, inherited);
                }
                self.begin(|m, names| {
                    put_text(m, 1, name(names, r.parent_tid));
                    put_signed(m, 2, r.parent_tid.into());
                    put_text(m, 3, name(names, r.child_tid));
                    put_signed(m, 4, r.child_tid.into());
                });
                let (ts_ns, pid) = (r.ts_ns, Some(r.parent_tid));
                self.end(event::SCHED_PROCESS_FORK, EventHead { cpu: r.cpu, ts_ns, pid }, file)?;
                if let Some(child_tgid) = r.child_tgid {
                    // Others learn from this one which process a thread belongs to.
                    self.begin(|m, names| {
                        put_signed(m, 1, r.child_tid.into());
                        put_text(m, 2, name(names, r.child_tid));
                        put_number(m, 3, if child_tgid == r.child_tid { 0 } else { CLONE_THREAD });
                    });
                    self.end(event::TASK_NEWTASK, EventHead { cpu: r.cpu, ts_ns, pid }, file)?;
                }
            }
            View::Exec(view) => {
                let r = view.row(row);
                self.begin(|m, names| {
                    put_text(m, 1, name(names, r.tid));
                    put_signed(m, 2, r.tid.into());
                    put_optional(m, 3, r.old_tid);
                });
                let head = EventHead { cpu: r.cpu, ts_ns: r.ts_ns, pid: Some(r.tid) };
                self.end(event::SCHED_PROCESS_EXEC, head, file)?;
            }
            View::Exit(view) => {
                let r = view.row(row);
                self.begin(|m, names| {
                    put_text(m, 1, name(names, r.tid));
                    put_signed(m, 2, r.tid.into());
                });
                let head = EventHead { cpu: r.cpu, ts_ns: r.ts_ns, pid: Some(r.tid) };
                self.end(event::SCHED_PROCESS_EXIT, head, file)?;
            }
            View::Hotplug(view) => {
                let r = view.row(row);
                self.begin(|m, _| {
                    put_signed(m, 1, r.cpu.into());
                    put_signed(m, 2, 0);
                    put_signed(m, 3, r.online.into());
                });
                let head = EventHead { cpu: r.cpu, ts_ns: r.ts_ns, pid: None };
                self.end(event::SCHED_CPU_HOTPLUG, head, file)?;
            }
            View::Name(view) => {
                let r = view.row(row);
                let before = self.names.insert(r.tid, r.name.into());
                // The first name comes with every event of the thread.
                if let Some(before) = before.filter(|before| **before != *r.name) {
                    self.begin(|m, _| {
                        put_signed(m, 1, r.tid.into());
                        put_text(m, 2, &before);
                        put_text(m, 3, r.name);
                    });
                    let cpu = self.cpus.iter().position(|cpu| cpu.current == Some(r.tid)).unwrap_or(0) as i16;
                    let head = EventHead { cpu, ts_ns: r.ts_ns, pid: Some(r.tid) };
                    self.end(event::TASK_RENAME, head, file)?;
                }
            }
            View::ThreadSnapshot(view) => {
                let r = view.row(row);
                self.names.insert(r.tid, r.name.into());
            }
            View::CpuSnapshot(view) => {
                let r = view.row(row);
                let of = self.of(r.cpu);
                of.current = of.current.or(r.current_tid);
            }
            View::Lost(view) => {
                let r = view.row(row);
                for cpu in r.cpu.map_or(0..self.cpus.len() as i16, |cpu| cpu..cpu.saturating_add(1)) {
                    self.flush_cpu(cpu, file)?;
                    self.of(cpu).lost = true;
                }
                let count = r.count.map_or("unknown".into(), |count| count.to_string());
                let texts = [("what", r.what.to_owned()), ("events", count)];
                let slice = Slice { start_ns: r.ts_ns, end_ns: r.end_ns, name: "events lost", texts: &texts };
                self.slices.write(LOST, r.cpu, &slice, file)?;
            }
            View::IrqSpan(view) => {
                let r = view.row(row);
                let name = irq_kind::NAMES.get(r.kind as usize).copied().unwrap_or("interrupt");
                let texts = [("vector", r.vector.map_or("unknown".into(), |vector| vector.to_string()))];
                let slice = Slice { start_ns: r.ts_ns, end_ns: r.ts_ns + r.dur_ns, name, texts: &texts };
                self.slices.write(INTERRUPTS, Some(r.cpu), &slice, file)?;
            }
            View::CpuIdle(view) => {
                let r = view.row(row);
                self.power(event::CPU_IDLE, r.ts_ns, r.cpu, r.state.map_or(LEAVES_IDLE, u64::from), file)?;
            }
            View::CpuFrequency(view) => {
                let r = view.row(row);
                self.power(event::CPU_FREQUENCY, r.ts_ns, r.cpu, r.khz as u64, file)?;
            }
            View::Other => {}
        }
        Ok(())
    }

    /// An event of `cpu_idle` or `cpu_frequency`, in the bundle of the CPU that is meant: the one that wrote it is not kept.
    fn power(&mut self, kind: u32, ts_ns: i64, cpu: i16, state: u64, file: &mut Target) -> Result<(), ExportError> {
        self.begin(|m, _| {
            put_number(m, 1, state);
            put_signed(m, 2, cpu.into());
        });
        self.end(kind, EventHead { cpu, ts_ns, pid: None }, file)
    }

    fn of(&mut self, cpu: i16) -> &mut OpenBundle {
        let at = cpu.max(0) as usize;
        if at >= self.cpus.len() {
            self.cpus.resize_with(at + 1, OpenBundle::default);
        }
        &mut self.cpus[at]
    }

    /// Begin an event with the fields of its kind.
    fn begin(&mut self, fill: impl FnOnce(&mut Vec<u8>, &HashMap<i32, Box<str>>)) {
        self.message.clear();
        fill(&mut self.message, &self.names);
    }

    /// Append the event that was begun to its CPU's bundle.
    fn end(&mut self, kind: u32, head: EventHead, file: &mut Target) -> Result<(), ExportError> {
        let (mut event, message) = (std::mem::take(&mut self.event), std::mem::take(&mut self.message));
        let bundle = self.of(head.cpu);
        event.clear();
        put_number(&mut event, event::TIMESTAMP, head.ts_ns as u64);
        if let Some(pid) = head.pid.or(bundle.current) {
            put_number(&mut event, event::PID, pid as u64);
        }
        put_bytes(&mut event, kind, &message);
        put_bytes(&mut bundle.events, bundle::EVENT, &event);
        bundle.count += 1;
        let full = bundle.count == EVENTS;
        (self.event, self.message) = (event, message);
        if full { self.flush_cpu(head.cpu, file) } else { Ok(()) }
    }

    /// Write all bundles.
    pub fn flush(&mut self, file: &mut Target) -> Result<(), ExportError> {
        (0..self.cpus.len()).try_for_each(|cpu| self.flush_cpu(cpu as i16, file))
    }

    fn flush_cpu(&mut self, cpu: i16, file: &mut Target) -> Result<(), ExportError> {
        let bundle = self.of(cpu);
        if bundle.count == 0 {
            return Ok(());
        }
        let mut head = Vec::new();
        put_number(&mut head, bundle::CPU, cpu as u64);
        let mut tail = Vec::new();
        if bundle.lost {
            put_number(&mut tail, bundle::LOST_EVENTS, 1);
        }
        file.packet(|out| {
            let length = head.len() + bundle.events.len() + tail.len();
            put_varint(out, u64::from(packet::FTRACE_EVENTS) << 3 | 2);
            put_varint(out, length as u64);
            [&head, &bundle.events, &tail].into_iter().for_each(|part| out.extend_from_slice(part));
        })?;
        bundle.events.clear();
        (bundle.count, bundle.lost) = (0, false);
        Ok(())
    }
}

fn name(names: &HashMap<i32, Box<str>>, tid: i32) -> &str {
    if tid == 0 { "swapper" } else { names.get(&tid).map_or("", |name| name) }
}

fn put_optional(out: &mut Vec<u8>, field: u32, value: Option<impl Into<i64>>) {
    if let Some(value) = value {
        put_signed(out, field, value.into());
    }
}
