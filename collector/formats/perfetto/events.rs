//! The messages of an `FtraceEvent`, one per event of the kernel.
//!
//! Sources: protos/perfetto/trace/ftrace/{sched,task,irq,power,cpuhp,cgroup}.proto in the Perfetto repository.

use crate::fields::event as field;
use crate::wire::{Malformed, Message, Value};
use wastenot_import::{EventKind, EventShape, FieldValues, Value as FieldValue, ValueType};

/// A field of an event's message and the kernel's name for it.
type NamedField = (u32, &'static str);

/// Field numbers within an event's message are below this.
const FIELDS: usize = 8;
/// Field numbers of events are below this.
const EVENTS: usize = 512;

/// How an event's message is read.
struct Layout {
    /// Field number of the event.
    event: u32,
    kind: EventKind,
    fields: &'static [NamedField],
    /// A number that is not 0 in this field says that the event did not come about.
    error: Option<u32>,
}

const fn layout(event: u32, kind: EventKind, fields: &'static [NamedField]) -> Layout {
    Layout { event, kind, fields, error: None }
}

const WAKE: &[NamedField] = &[(1, "comm"), (2, "pid"), (3, "prio"), (4, "success"), (5, "target_cpu")];

const POWER: &[NamedField] = &[(1, "state"), (2, "cpu_id")];

const LAYOUTS: &[Layout] = &[
    layout(
        field::SCHED_SWITCH,
        EventKind::Switch,
        &[
            (1, "prev_comm"),
            (2, "prev_pid"),
            (3, "prev_prio"),
            (4, "prev_state"),
            (5, "next_comm"),
            (6, "next_pid"),
            (7, "next_prio"),
        ],
    ),
    layout(field::SCHED_WAKEUP, EventKind::Wakeup, WAKE),
    layout(field::SCHED_WAKING, EventKind::Waking, WAKE),
    layout(field::SCHED_WAKEUP_NEW, EventKind::WakeupNew, WAKE),
    layout(
        field::SCHED_MIGRATE_TASK,
        EventKind::Migrate,
        &[(1, "comm"), (2, "pid"), (3, "prio"), (4, "orig_cpu"), (5, "dest_cpu")],
    ),
    layout(
        field::SCHED_PROCESS_FORK,
        EventKind::Fork,
        &[(1, "parent_comm"), (2, "parent_pid"), (3, "child_comm"), (4, "child_pid")],
    ),
    layout(field::TASK_NEWTASK, EventKind::NewTask, &[(1, "pid"), (2, "comm"), (3, "clone_flags")]),
    layout(field::SCHED_PROCESS_EXEC, EventKind::Exec, &[(2, "pid"), (3, "old_pid")]),
    layout(field::SCHED_PROCESS_EXIT, EventKind::Exit, &[(1, "comm"), (2, "pid")]),
    layout(field::TASK_RENAME, EventKind::Rename, &[(1, "pid"), (3, "newcomm")]),
    layout(
        field::CGROUP_ATTACH_TASK,
        EventKind::CgroupMove,
        &[(2, "dst_id"), (3, "pid"), (4, "comm"), (7, "dst_path")],
    ),
    Layout {
        error: Some(2),
        ..layout(field::SCHED_CPU_HOTPLUG, EventKind::Hotplug, &[(1, "affected_cpu"), (3, "status")])
    },
    layout(field::CPUHP_ENTER, EventKind::HotplugStep, &[(1, "cpu"), (4, "target")]),
    layout(field::IRQ_HANDLER_ENTRY, EventKind::IrqEntry, &[(1, "irq")]),
    layout(field::IRQ_HANDLER_EXIT, EventKind::IrqExit, &[(1, "irq")]),
    layout(field::SOFTIRQ_ENTRY, EventKind::SoftirqEntry, &[(1, "vec")]),
    layout(field::SOFTIRQ_EXIT, EventKind::SoftirqExit, &[(1, "vec")]),
    layout(field::CPU_IDLE, EventKind::CpuIdle, POWER),
    layout(field::CPU_FREQUENCY, EventKind::CpuFrequency, POWER),
];

/// Where the value of a message's field goes.
#[derive(Clone, Copy, Default)]
enum Destination {
    #[default]
    None,
    /// A number of 32 bits.
    Int32(u8),
    /// A number of 64 bits.
    Int64(u8),
    Text(u8),
    Error,
}

/// A layout with its names resolved.
struct EventReader {
    kind: EventKind,
    destinations: [Destination; FIELDS],
}

impl EventReader {
    fn new(layout: &Layout) -> Self {
        let shape: &EventShape = layout.kind.shape();
        let mut destinations = [Destination::None; FIELDS];
        for &(field, name) in layout.fields {
            let place = shape.place(name).expect("every layout names fields of its event");
            destinations[field as usize] = match shape.fields[place].value_type {
                ValueType::Text => Destination::Text(place as u8),
                ValueType::State => Destination::Int64(place as u8),
                ValueType::Number => Destination::Int32(place as u8),
            };
        }
        if let Some(field) = layout.error {
            destinations[field as usize] = Destination::Error;
        }
        Self { kind: layout.kind, destinations }
    }
}

/// Reads events.
pub struct Events {
    /// Place in `readers` by field number, and one more; 0: the event is not read.
    known: [u8; EVENTS],
    readers: Vec<EventReader>,
}

/// An event without its kind's fields.
pub struct FtraceEventHead<'a> {
    /// Stamp on the tracer's clock.
    pub stamp: u64,
    /// The thread that ran.
    pub pid: Option<i32>,
    /// Field number of the event, and its message.
    pub kind: Option<(u32, &'a [u8])>,
}

impl Events {
    /// The events of all kernels.
    pub fn new() -> Self {
        let mut known = [0; EVENTS];
        for (nth, layout) in LAYOUTS.iter().enumerate() {
            known[layout.event as usize] = nth as u8 + 1;
        }
        Self { known, readers: LAYOUTS.iter().map(EventReader::new).collect() }
    }

    /// Read the message of an event of field number `number` into `values`; None where the event is not read or did not come about.
    #[inline]
    pub fn read<'a>(
        &self,
        number: u32,
        message: &'a [u8],
        values: &mut FieldValues<'a>,
    ) -> Result<Option<EventKind>, Malformed> {
        let known = self.known.get(number as usize).copied().unwrap_or(0) as usize;
        let Some(reader) = known.checked_sub(1).map(|nth| &self.readers[nth]) else { return Ok(None) };
        for field in Message::new(message) {
            let (number, value) = field?;
            match reader.destinations.get(number as usize).copied().unwrap_or_default() {
                Destination::None => {}
                Destination::Int32(at) => values[usize::from(at)] = FieldValue::Number(int32(value.number())),
                Destination::Int64(at) => values[usize::from(at)] = FieldValue::Number(value.number() as i64),
                Destination::Text(at) => values[usize::from(at)] = FieldValue::Text(value.bytes()),
                Destination::Error if value.number() != 0 => return Ok(None),
                Destination::Error => {}
            }
        }
        Ok(Some(reader.kind))
    }
}

/// A signed number of 32 bits; writers extend negative ones to 64 bits or do not.
#[inline]
fn int32(n: u64) -> i64 {
    if n <= u32::MAX.into() { i64::from(n as u32 as i32) } else { n as i64 }
}

impl<'a> FtraceEventHead<'a> {
    /// The event in these bytes. One without a stamp is damage.
    #[inline]
    pub fn read(bytes: &'a [u8]) -> Result<Self, Malformed> {
        let (mut stamp, mut pid, mut kind) = (None, None, None);
        for field in Message::new(bytes) {
            match field? {
                (field::TIMESTAMP, Value::Varint(n)) => stamp = Some(n),
                (field::PID, Value::Varint(n)) => pid = i32::try_from(n).ok(),
                (number, Value::Bytes(message)) if kind.is_none() => kind = Some((number, message)),
                _ => {}
            }
        }
        Ok(Self { stamp: stamp.ok_or(Malformed)?, pid, kind })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_layout_fills_what_its_event_needs() {
        for layout in LAYOUTS {
            let shape = layout.kind.shape();
            let filled: Vec<_> = layout.fields.iter().map(|(_, name)| shape.place(name).unwrap()).collect();
            for (place, spec) in shape.fields.iter().enumerate().filter(|(_, spec)| spec.required) {
                assert!(filled.contains(&place), "{}: {}", shape.name, spec.names[0]);
            }
        }
    }

    #[test]
    fn negative_numbers_are_read_however_long_they_are_written() {
        assert_eq!([0, 5, 0xffff_ffff, u64::MAX].map(int32), [0, 5, -1, -1]);
    }
}
