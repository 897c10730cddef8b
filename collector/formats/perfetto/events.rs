//! An `FtraceEvent` as an event of the vocabulary.
//!
//! Sources: protos/perfetto/trace/ftrace/{sched,task,irq,cpuhp,cgroup}.proto in the Perfetto repository.

use crate::fields::event as field;
use crate::wire::{Malformed, Message, Value};
use wastenot_import::{Fields, MAX_NUMBERS, PrevState, Shape, shape_of};

/// Where a field of an event's message goes.
#[derive(Clone, Copy)]
enum Slot {
    Nowhere,
    Number(u8),
    /// `prev_state`.
    State,
    Text(u8),
    /// A number that is not 0 says that the event did not come about.
    Failed,
}

use Slot::{Failed, Nowhere, Number, State, Text};

/// Field numbers within an event's message are below this.
const SLOTS: usize = 8;
/// Field numbers of events are below this.
const EVENTS: usize = 512;

struct Layout {
    field: u32,
    event: &'static str,
    slots: [Slot; SLOTS],
}

const WAKE: [Slot; SLOTS] = [Nowhere, Text(0), Number(0), Number(1), Number(3), Number(2), Nowhere, Nowhere];
const FIRST: [Slot; SLOTS] = [Nowhere, Number(0), Nowhere, Nowhere, Nowhere, Nowhere, Nowhere, Nowhere];

const LAYOUTS: &[Layout] = &[
    Layout {
        field: field::SCHED_SWITCH,
        event: "sched_switch",
        slots: [Nowhere, Text(0), Number(0), Number(1), State, Text(1), Number(3), Number(4)],
    },
    Layout { field: field::SCHED_WAKEUP, event: "sched_wakeup", slots: WAKE },
    Layout { field: field::SCHED_WAKING, event: "sched_waking", slots: WAKE },
    Layout { field: field::SCHED_WAKEUP_NEW, event: "sched_wakeup_new", slots: WAKE },
    Layout {
        field: field::SCHED_MIGRATE_TASK,
        event: "sched_migrate_task",
        slots: [Nowhere, Text(0), Number(0), Number(1), Number(2), Number(3), Nowhere, Nowhere],
    },
    Layout {
        field: field::SCHED_PROCESS_FORK,
        event: "sched_process_fork",
        slots: [Nowhere, Text(0), Number(0), Text(1), Number(1), Nowhere, Nowhere, Nowhere],
    },
    Layout {
        field: field::TASK_NEWTASK,
        event: "task_newtask",
        slots: [Nowhere, Number(0), Text(0), Number(1), Nowhere, Nowhere, Nowhere, Nowhere],
    },
    Layout {
        field: field::SCHED_PROCESS_EXEC,
        event: "sched_process_exec",
        slots: [Nowhere, Nowhere, Number(0), Number(1), Nowhere, Nowhere, Nowhere, Nowhere],
    },
    Layout {
        field: field::SCHED_PROCESS_EXIT,
        event: "sched_process_exit",
        slots: [Nowhere, Text(0), Number(0), Nowhere, Nowhere, Nowhere, Nowhere, Nowhere],
    },
    Layout {
        field: field::TASK_RENAME,
        event: "task_rename",
        slots: [Nowhere, Number(0), Nowhere, Text(0), Nowhere, Nowhere, Nowhere, Nowhere],
    },
    Layout {
        field: field::CGROUP_ATTACH_TASK,
        event: "cgroup_attach_task",
        slots: [Nowhere, Nowhere, Number(1), Number(0), Text(1), Nowhere, Nowhere, Text(0)],
    },
    Layout {
        field: field::SCHED_CPU_HOTPLUG,
        event: "sched_cpu_hotplug",
        slots: [Nowhere, Number(0), Failed, Number(1), Nowhere, Nowhere, Nowhere, Nowhere],
    },
    Layout {
        field: field::CPUHP_ENTER,
        event: "cpuhp_enter",
        slots: [Nowhere, Number(0), Nowhere, Nowhere, Number(1), Nowhere, Nowhere, Nowhere],
    },
    Layout { field: field::IRQ_HANDLER_ENTRY, event: "irq_handler_entry", slots: FIRST },
    Layout { field: field::IRQ_HANDLER_EXIT, event: "irq_handler_exit", slots: FIRST },
    Layout { field: field::SOFTIRQ_ENTRY, event: "softirq_entry", slots: FIRST },
    Layout { field: field::SOFTIRQ_EXIT, event: "softirq_exit", slots: FIRST },
];

/// Reads events.
pub struct Events {
    /// Place in `LAYOUTS` by field number, and one more; 0: means nothing to us.
    known: [u8; EVENTS],
    shapes: Vec<&'static Shape>,
}

/// An event without its kind's fields.
pub struct Head<'a> {
    /// Stamp on the tracer's clock.
    pub stamp: u64,
    /// The thread that ran.
    pub pid: Option<i32>,
    /// Field number of the kind, and its message.
    pub kind: Option<(u32, &'a [u8])>,
}

impl Events {
    /// The events of all kernels.
    pub fn new() -> Self {
        let mut known = [0; EVENTS];
        for (nth, layout) in LAYOUTS.iter().enumerate() {
            known[layout.field as usize] = nth as u8 + 1;
        }
        let shape = |layout: &Layout| shape_of(layout.event).expect("every layout is of a known event");
        Self { known, shapes: LAYOUTS.iter().map(shape).collect() }
    }

    /// Read the fields of the message of an event of kind `number` into `fields`; None where it means nothing to us or did not
    /// come about.
    #[inline]
    pub fn read<'a>(
        &self,
        number: u32,
        message: &'a [u8],
        fields: &mut Fields<'a>,
    ) -> Result<Option<&'static Shape>, Malformed> {
        let known = self.known.get(number as usize).copied().unwrap_or(0) as usize;
        let Some(nth) = known.checked_sub(1) else { return Ok(None) };
        for field in Message::new(message) {
            let (number, value) = field?;
            match LAYOUTS[nth].slots.get(number as usize).copied().unwrap_or(Nowhere) {
                Nowhere => {}
                Number(slot) => fields.numbers[slot as usize % MAX_NUMBERS] = Some(int32(value.number())),
                State => fields.prev_state = Some(PrevState::Number(value.number() as i64)),
                Text(slot) => fields.texts[slot as usize] = Some(value.bytes()),
                Failed if value.number() != 0 => return Ok(None),
                Failed => {}
            }
        }
        Ok(Some(self.shapes[nth]))
    }
}

/// A signed number of 32 bits; writers extend negative ones to 64 bits or do not.
#[inline]
fn int32(n: u64) -> i64 {
    if n <= u32::MAX.into() { i64::from(n as u32 as i32) } else { n as i64 }
}

impl<'a> Head<'a> {
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
    fn every_layout_fills_what_its_shape_needs() {
        for layout in LAYOUTS {
            let shape = shape_of(layout.event).unwrap();
            for (nth, wanted) in shape.numbers.iter().enumerate() {
                let is_state = wanted.names.contains(&"prev_state");
                let fills =
                    |slot: &Slot| matches!(slot, Number(n) if *n as usize == nth) || is_state && matches!(slot, State);
                let filled = layout.slots.iter().any(fills);
                assert!(filled || !wanted.required, "{}: {}", layout.event, wanted.names[0]);
            }
            for (nth, wanted) in shape.texts.iter().enumerate() {
                let filled = layout.slots.iter().any(|slot| matches!(slot, Text(n) if *n as usize == nth));
                assert!(filled || !wanted.required, "{}: {}", layout.event, wanted.names[0]);
            }
        }
    }

    #[test]
    fn negative_numbers_are_read_however_long_they_are_written() {
        assert_eq!([0, 5, 0xffff_ffff, u64::MAX].map(int32), [0, 5, -1, -1]);
    }
}
