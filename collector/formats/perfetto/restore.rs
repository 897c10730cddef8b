//! Rows of our tables as events again.

use crate::columns;
use crate::wire::Malformed;
use arrow_array::RecordBatch;
use arrow_array::cast::AsArray;
use arrow_array::types::Int64Type;
use std::collections::HashMap;
use std::num::NonZeroU32;
use wastenot_assemble::{Cgroup, Event, Interner, MaskId, Row, Stack, StackId, TextId, ThreadName};
use wastenot_import::{EventKind, Translator};
use wastenot_schemas as tables;
use wastenot_schemas::EventView;

/// Sets of CPUs and stacks by the ids that the rows use.
#[derive(Default)]
pub struct RestoredIds {
    masks: HashMap<i32, MaskId>,
    pub stacks: HashMap<i32, StackId>,
}

impl RestoredIds {
    /// Take rows of `mask`, `stack` or `cgroup`; they precede the events that refer to them.
    pub fn entity(&mut self, table: &str, message: &[u8], ids: &mut Interner) -> Result<(), Malformed> {
        match table {
            tables::mask::NAME => {
                let view = view(message, tables::mask::schema(), tables::mask::View::try_new)?;
                for row in (0..view.len()).map(|i| view.row(i)) {
                    self.masks.insert(row.mask_id, ids.mask_of_cpus(row.cpus.iter().copied()));
                }
            }
            tables::stack::NAME => {
                let view = view(message, tables::stack::schema(), tables::stack::View::try_new)?;
                for i in 0..view.len() {
                    let addresses = view.addresses.value(i);
                    let addresses = addresses.as_primitive::<Int64Type>().values().iter().map(|a| *a as u64).collect();
                    let stack = ids.promise_stack();
                    ids.describe_stack(stack, Stack { addresses, symbols: view.symbols(i) });
                    self.stacks.insert(view.stack_id.value(i), stack);
                }
            }
            _ => {
                let view = view(message, tables::cgroup::schema(), tables::cgroup::View::try_new)?;
                for row in (0..view.len()).map(|i| view.row(i)) {
                    let (quota_ns, period_ns, weight) = (row.quota_ns, row.period_ns, row.weight);
                    let cgroup = Cgroup { path: row.path.into(), quota_ns, period_ns, weight };
                    ids.describe_cgroup(row.cgroup_id, cgroup);
                }
            }
        }
        Ok(())
    }
}

/// The rows in `message` as a view.
pub fn view<V>(
    message: &[u8],
    schema: arrow_schema::SchemaRef,
    make: fn(&RecordBatch) -> Result<V, tables::SchemaMismatch>,
) -> Result<V, Malformed> {
    make(&columns::read(message, &schema)?).map_err(|_| Malformed)
}

/// Where restored rows go.
pub struct RestoreTarget<'a> {
    pub known: &'a RestoredIds,
    pub translator: &'a mut Translator,
    pub ids: &'a mut Interner,
    /// The rows with their ids.
    pub out: &'a mut Vec<(i64, Row)>,
    /// The user declares masks: names go to the translator, which applies them.
    pub declared: bool,
}

/// Append the events that the rows in `message` of the event table `table` stand for. A table that this version does not
/// know is skipped; false then.
pub fn events(table: &str, message: &[u8], to: &mut RestoreTarget<'_>) -> Result<bool, Malformed> {
    // Its name in exports of schema versions up to 3.
    let table = if table == "considered" { tables::cpus_scanned::NAME } else { table };
    if table == tables::thread_name::NAME {
        return names(message, to).map(|()| true);
    }
    let Some((name, make)) = EventView::of_table(table) else { return Ok(false) };
    let Some(schema) = tables::schema_of(name) else { return Ok(false) };
    let view = view(message, schema, make)?;
    let mut known = Resolver { known: to.known, ids: to.ids };
    for i in 0..view.len() {
        let (id, ts_ns, event) = view.event(i, &mut known).ok_or(Malformed)?;
        if let Some((kind, cpu)) = kind_and_cpu(&event) {
            to.translator.restored(kind);
            cpu.into_iter().for_each(|cpu| to.translator.add_cpu(cpu));
        }
        to.out.push((id, Row { ts_ns, event }));
    }
    Ok(true)
}

/// The kernel's event that a row was made from, and the CPU that it shows to exist; None for rows that are not such an event.
fn kind_and_cpu(event: &Event) -> Option<(EventKind, Option<i16>)> {
    Some(match event {
        Event::SchedSwitch(e) => (EventKind::Switch, Some(e.cpu)),
        Event::SchedWaking(e) => (EventKind::Waking, Some(e.cpu)),
        Event::SchedWakeup(e) if e.is_new => (EventKind::WakeupNew, Some(e.cpu)),
        Event::SchedWakeup(e) => (EventKind::Wakeup, Some(e.cpu)),
        Event::SchedMigrateTask(e) => (EventKind::Migrate, Some(e.cpu)),
        Event::ProcessFork(e) => (EventKind::Fork, Some(e.cpu)),
        Event::ProcessExec(e) => (EventKind::Exec, Some(e.cpu)),
        Event::ProcessExit(e) => (EventKind::Exit, Some(e.cpu)),
        Event::CpuHotplug(e) => (EventKind::Hotplug, Some(e.cpu)),
        Event::CpuIdle(e) => (EventKind::CpuIdle, Some(e.cpu)),
        Event::CpuFrequency(e) => (EventKind::CpuFrequency, Some(e.cpu)),
        Event::CgroupMove(_) => (EventKind::CgroupMove, None),
        _ => return None,
    })
}

/// Resolves what restored rows refer to.
struct Resolver<'a> {
    known: &'a RestoredIds,
    ids: &'a mut Interner,
}

impl tables::Known for Resolver<'_> {
    fn mask(&self, id: Option<i32>) -> Option<Option<MaskId>> {
        id.map(|id| self.known.masks.get(&id).copied()).map_or(Some(None), |mask| mask.map(Some))
    }
    fn stack(&self, id: Option<i32>) -> Option<Option<StackId>> {
        // A move without its stack is still a move.
        Some(id.and_then(|id| self.known.stacks.get(&id).copied()))
    }
    fn text(&mut self, text: &str) -> TextId {
        self.ids.text(text)
    }
    fn attempt(&self, id: i64) -> NonZeroU32 {
        NonZeroU32::new((id % i64::from(u32::MAX)) as u32 + 1).unwrap_or(NonZeroU32::MIN)
    }
}

fn names(message: &[u8], to: &mut RestoreTarget<'_>) -> Result<(), Malformed> {
    let view = view(message, tables::thread_name::schema(), tables::thread_name::View::try_new)?;
    let mut rows = Vec::new();
    for r in (0..view.len()).map(|i| view.row(i)) {
        if to.declared {
            to.translator.thread(r.ts_ns, r.tid, r.tgid, Some(r.name.as_bytes()), to.ids, &mut rows);
            to.out.extend(rows.drain(..).map(|row| (r.id, row)));
        } else {
            let event = ThreadName { tid: r.tid, tgid: r.tgid, name: r.name.into() }.into();
            to.out.push((r.id, Row { ts_ns: r.ts_ns, event }));
        }
    }
    Ok(())
}
