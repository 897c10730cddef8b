//! The event tables in windows of ids: all rows of a window table by table, and one by one in the order of their ids.

use super::file::Target;
use super::{BatchReader, ExportError};
use arrow_array::{Array, Int64Array, RecordBatch};
use std::collections::VecDeque;
use wastenot_schemas::{self as tables, SchemaMismatch};

/// Slot of an id that no table has.
const GAP: u8 = u8::MAX;

/// A batch of a table whose rows are walked.
#[allow(clippy::large_enum_variant)] // one per batch, not per row
pub enum View {
    Switch(tables::sched_switch::View),
    Waking(tables::sched_waking::View),
    Wakeup(tables::sched_wakeup::View),
    Migrate(tables::sched_migrate_task::View),
    Fork(tables::process_fork::View),
    Exec(tables::process_exec::View),
    Exit(tables::process_exit::View),
    Hotplug(tables::cpu_hotplug::View),
    Name(tables::thread_name::View),
    ThreadSnapshot(tables::thread_snapshot::View),
    CpuSnapshot(tables::cpu_snapshot::View),
    Lost(tables::lost_events::View),
    IrqSpan(tables::irq_span::View),
    CpuIdle(tables::cpu_idle::View),
    CpuFrequency(tables::cpu_frequency::View),
    /// Nothing of it can be shown.
    Other,
}

type Make = fn(&RecordBatch) -> Result<View, SchemaMismatch>;

/// How a table's batches are seen.
fn maker(table: &str) -> Make {
    macro_rules! make {
        ($module:ident, $variant:ident) => {
            |batch| Ok(View::$variant(tables::$module::View::try_new(batch)?))
        };
    }
    match table {
        tables::sched_switch::NAME => make!(sched_switch, Switch),
        tables::sched_waking::NAME => make!(sched_waking, Waking),
        tables::sched_wakeup::NAME => make!(sched_wakeup, Wakeup),
        tables::sched_migrate_task::NAME => make!(sched_migrate_task, Migrate),
        tables::process_fork::NAME => make!(process_fork, Fork),
        tables::process_exec::NAME => make!(process_exec, Exec),
        tables::process_exit::NAME => make!(process_exit, Exit),
        tables::cpu_hotplug::NAME => make!(cpu_hotplug, Hotplug),
        tables::thread_name::NAME => make!(thread_name, Name),
        tables::thread_snapshot::NAME => make!(thread_snapshot, ThreadSnapshot),
        tables::cpu_snapshot::NAME => make!(cpu_snapshot, CpuSnapshot),
        tables::lost_events::NAME => make!(lost_events, Lost),
        tables::irq_span::NAME => make!(irq_span, IrqSpan),
        tables::cpu_idle::NAME => make!(cpu_idle, CpuIdle),
        tables::cpu_frequency::NAME => make!(cpu_frequency, CpuFrequency),
        _ => |_| Ok(View::Other),
    }
}

/// A batch in use.
struct BufferedBatch {
    view: View,
    batch: RecordBatch,
    ids: Int64Array,
    /// Rows whose slots are marked.
    scanned: usize,
    /// Rows that have been walked.
    walked: usize,
}

struct Table {
    name: &'static str,
    reader: Option<BatchReader>,
    make: Make,
    buffered: VecDeque<BufferedBatch>,
    last_id: i64,
}

impl Table {
    /// Make the next unscanned row available; its id, or nothing at the end.
    fn advance(&mut self) -> Result<Option<i64>, ExportError> {
        loop {
            if let Some(buffered) = self.buffered.back()
                && buffered.scanned < buffered.ids.len()
            {
                return Ok(Some(buffered.ids.value(buffered.scanned)));
            }
            let Some(reader) = self.reader.as_mut() else { return Ok(None) };
            match reader.next() {
                None => self.reader = None,
                Some(Err(why)) => return Err(ExportError::Read { table: self.name.into(), why }),
                Some(Ok(batch)) if batch.num_rows() == 0 => {}
                Some(Ok(batch)) => {
                    let view = (self.make)(&batch)?;
                    let missing = |why: &str| SchemaMismatch { table: self.name, column: "id", why: why.into() };
                    let ids = batch.column_by_name("id").ok_or_else(|| missing("missing"))?;
                    let ids: &Int64Array = ids.as_any().downcast_ref().ok_or_else(|| missing("not a BIGINT"))?;
                    let ids = ids.clone();
                    self.buffered.push_back(BufferedBatch { view, batch, ids, scanned: 0, walked: 0 });
                }
            }
        }
    }
}

/// All event tables.
#[derive(Default)]
pub struct Merge {
    tables: Vec<Table>,
    slots: Vec<u8>,
}

impl Merge {
    /// Add a table, in the order of its ids.
    pub fn add(&mut self, name: &'static str, reader: BatchReader) {
        let (make, buffered) = (maker(name), VecDeque::new());
        self.tables.push(Table { name, reader: Some(reader), make, buffered, last_id: i64::MIN });
    }

    /// Go on to the next window of `width` ids that has rows; its first id, or nothing at the end.
    pub fn begin_window(&mut self, width: i64) -> Result<Option<i64>, ExportError> {
        let mut base: Option<i64> = None;
        for table in &mut self.tables {
            if let Some(id) = table.advance()? {
                base = Some(base.map_or(id, |base| base.min(id)));
            }
        }
        let Some(base) = base else { return Ok(None) };
        self.slots.clear();
        self.slots.resize(width as usize, GAP);
        for (mark, table) in self.tables.iter_mut().enumerate() {
            while let Some(id) = table.advance()?
                && id < base.saturating_add(width)
            {
                let slot = id.checked_sub(base).and_then(|at| self.slots.get_mut(usize::try_from(at).ok()?));
                match slot {
                    Some(slot) if *slot == GAP && id > table.last_id && id >= 0 => *slot = mark as u8,
                    _ => return Err(ExportError::Order { table: table.name, id }),
                }
                table.last_id = id;
                table.buffered.back_mut().expect("advance said there is a row").scanned += 1;
            }
        }
        Ok(Some(base))
    }

    /// Write all rows of the window.
    pub fn write_rows(&mut self, file: &mut Target) -> Result<(), ExportError> {
        for table in &self.tables {
            for buffered in table.buffered.iter().filter(|buffered| buffered.walked < buffered.scanned) {
                file.rows(table.name, &buffered.batch.slice(buffered.walked, buffered.scanned - buffered.walked))?;
            }
        }
        Ok(())
    }

    /// Visit the window's rows in the order of their ids; how many there are.
    pub fn walk(&mut self, mut visit: impl FnMut(&View, usize) -> Result<(), ExportError>) -> Result<i64, ExportError> {
        let mut count = 0;
        for &mark in self.slots.iter().filter(|mark| **mark != GAP) {
            let buffered = &mut self.tables[mark as usize].buffered;
            while buffered.front().is_some_and(|first| first.walked == first.ids.len()) {
                buffered.pop_front();
            }
            let first = buffered.front_mut().expect("a marked row is buffered");
            first.walked += 1;
            count += 1;
            visit(&first.view, first.walked - 1)?;
        }
        Ok(count)
    }
}
