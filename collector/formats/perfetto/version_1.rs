//! The rows that exports of version 1 have as `FtraceEvent`s only: switches, wakings, wakeups, migrations, forks, execs,
//! exits and hotplug.
//!
//! Beside Perfetto's own fields a bundle has the ids of the rows, and what an event's message has no field for. Columns that
//! the tables got since are NULL in such an export.

use crate::events::FtraceEventHead;
use crate::fields::{bundle, event as field};
use crate::restore::RestoredIds;
use crate::wire::{Malformed, Message, Value, numbers};
use wastenot_assemble::{
    CpuHotplug, Event, ProcessExec, ProcessExit, ProcessFork, Row, SchedMigrateTask, SchedSwitch, SchedWakeup,
    SchedWaking,
};
use wastenot_import::{EventKind, Translator};
use wastenot_topology::task_state::of_reported;

/// This version in the header of an export.
pub const VERSION: u64 = 1;

/// Field of a bundle, packed; per event the step of its id from the event before, 0 for one that only repeats a row elsewhere.
const IDS: u32 = 5000;
/// Field of a bundle, packed triples (event, what, value) of what an event's message has no field for.
const BESIDE: u32 = 5001;
/// What a triple holds: `process_fork.child_tgid`.
const CHILD_TGID: u64 = 1;
/// What a triple holds: `sched_migrate_task.stack_id`.
const STACK_ID: u64 = 2;
/// What a triple holds: `sched_switch.prev_state`, where the kernel has no number for it.
const PREV_STATE: u64 = 3;

/// Append the rows of a bundle with their ids.
pub fn bundle(
    bytes: &[u8],
    known: &RestoredIds,
    translator: &mut Translator,
    out: &mut Vec<(i64, Row)>,
) -> Result<(), Malformed> {
    let (mut cpu, mut steps, mut beside) = (None, Vec::new(), Vec::new());
    for field in Message::new(bytes) {
        match field? {
            (bundle::CPU, Value::Varint(n)) => cpu = i16::try_from(n).ok(),
            (IDS, value) => numbers(value, &mut steps)?,
            (BESIDE, value) => numbers(value, &mut beside)?,
            _ => {}
        }
    }
    let cpu = cpu.ok_or(Malformed)?;
    let mut beside = beside.chunks_exact(3).peekable();
    translator.add_cpu(cpu);
    let events = Message::new(bytes).flatten().filter(|(field, _)| *field == bundle::EVENT);
    let mut id = 0_i64;
    let mut steps = steps.into_iter();
    for (nth, (_, event)) in (0_u64..).zip(events) {
        let step = i64::try_from(steps.next().ok_or(Malformed)?).map_err(|_| Malformed)?;
        let mut extra = [None; 4];
        while let Some([_, what, value]) = beside.next_if(|triple| triple[0] <= nth) {
            extra[*what as usize % 4] = Some(*value);
        }
        if step == 0 {
            continue; // it repeats a row
        }
        // The first id is written as the step from -1.
        id = id.checked_add(step).ok_or(Malformed)?;
        let head = FtraceEventHead::read(event.bytes())?;
        let (kind, event) = event_of(cpu, &head, extra, known)?;
        translator.restored(kind);
        out.push((id - 1, Row { ts_ns: head.stamp as i64, event }));
    }
    Ok(())
}

/// The row that an event was written from.
fn event_of(
    cpu: i16,
    head: &FtraceEventHead<'_>,
    extra: [Option<u64>; 4],
    known: &RestoredIds,
) -> Result<(EventKind, Event), Malformed> {
    let (number, message) = head.kind.ok_or(Malformed)?;
    let mut numbers = [None::<i64>; 8];
    for field in Message::new(message) {
        let (number, value) = field?;
        if let (Some(slot), Value::Varint(n)) = (numbers.get_mut(number as usize), value) {
            *slot = Some(n as i64);
        }
    }
    let tid = |field: usize| numbers[field].and_then(|n| i32::try_from(n).ok());
    let short = |field: usize| numbers[field].and_then(|n| i16::try_from(n).ok());
    let need = |value: Option<i32>| value.ok_or(Malformed);
    let extra = |what: u64| extra[what as usize];
    Ok(match number {
        field::SCHED_SWITCH => {
            let raw = numbers[4].ok_or(Malformed)?;
            let prev_state = extra(PREV_STATE).map_or(of_reported(raw), |code| code as u8);
            let (prev_tid, next_tid) = (need(tid(2))?, need(tid(6))?);
            let (prev_prio, next_prio) = (short(3), short(7));
            (
                EventKind::Switch,
                Event::from(SchedSwitch {
                    cpu,
                    prev_tid,
                    prev_state,
                    prev_prio,
                    next_tid,
                    next_prio,
                    ..Default::default()
                }),
            )
        }
        field::SCHED_WAKING => (
            EventKind::Waking,
            Event::from(SchedWaking {
                cpu,
                tid: need(tid(2))?,
                target_cpu: short(5),
                prio: short(3),
                ..Default::default()
            }),
        ),
        field::SCHED_WAKEUP | field::SCHED_WAKEUP_NEW => {
            let is_new = number == field::SCHED_WAKEUP_NEW;
            let target_cpu = short(5).ok_or(Malformed)?;
            let kind = if is_new { EventKind::WakeupNew } else { EventKind::Wakeup };
            (
                kind,
                Event::from(SchedWakeup {
                    cpu,
                    tid: need(tid(2))?,
                    target_cpu,
                    prio: short(3),
                    is_new,
                    ..Default::default()
                }),
            )
        }
        field::SCHED_MIGRATE_TASK => {
            let stack = extra(STACK_ID).and_then(|id| known.stacks.get(&(id as i32)).copied());
            let dest_cpu = short(5).ok_or(Malformed)?;
            (
                EventKind::Migrate,
                Event::from(SchedMigrateTask {
                    cpu,
                    tid: need(tid(2))?,
                    orig_cpu: short(4),
                    dest_cpu,
                    stack_id: stack,
                    ..Default::default()
                }),
            )
        }
        field::SCHED_PROCESS_FORK => {
            let child_tgid = extra(CHILD_TGID).map(|tgid| tgid as i32);
            (
                EventKind::Fork,
                Event::from(ProcessFork {
                    cpu,
                    parent_tid: need(tid(2))?,
                    child_tid: need(tid(4))?,
                    child_tgid,
                    ..Default::default()
                }),
            )
        }
        field::SCHED_PROCESS_EXEC => (
            EventKind::Exec,
            Event::from(ProcessExec { cpu, tid: need(tid(2))?, old_tid: tid(3), ..Default::default() }),
        ),
        field::SCHED_PROCESS_EXIT => {
            (EventKind::Exit, Event::from(ProcessExit { cpu, tid: need(tid(2))?, ..Default::default() }))
        }
        field::SCHED_CPU_HOTPLUG => {
            let cpu = short(1).ok_or(Malformed)?;
            (EventKind::Hotplug, Event::from(CpuHotplug { cpu, online: numbers[3] == Some(1), ..Default::default() }))
        }
        _ => return Err(Malformed),
    })
}
