//! Imports a trace into vectors of batches.

use arrow_array::RecordBatch;
use std::path::Path;
use wastenot_assemble::SinkError;
use wastenot_ctf::DecodeWith;
use wastenot_import::{ImportError, ImportSummary, OpenTrace, Options, run};
use wastenot_schemas as tables;

/// A trace's tables and what was said of it.
pub struct Imported {
    pub summary: ImportSummary,
    pub batches: Vec<(&'static str, RecordBatch)>,
}

pub fn import(path: &Path) -> Result<Imported, ImportError> {
    import_with(path, &Options::default())
}

/// As this decoder gives it.
pub fn import_decoded(path: &Path, with: DecodeWith) -> Result<Imported, ImportError> {
    let options = Options::default();
    import_opened(wastenot_ctf::open_with(path, &options, with)?, &options)
}

pub fn import_with(path: &Path, options: &Options) -> Result<Imported, ImportError> {
    import_opened(wastenot_ctf::open(path, options)?, options)
}

pub fn import_opened(opened: OpenTrace, options: &Options) -> Result<Imported, ImportError> {
    let mut batches = Vec::new();
    let mut sink = |table: &'static str, batch: RecordBatch| {
        batches.push((table, batch));
        Ok::<(), SinkError>(())
    };
    let summary = run(opened, options, &mut sink, &mut |_, _| {})?;
    Ok(Imported { summary, batches })
}

impl Imported {
    /// Every row of every table, as one batch each.
    pub fn single_rows(&self) -> Vec<(&'static str, RecordBatch)> {
        let mut rows: Vec<_> = Vec::new();
        for (table, batch) in &self.batches {
            rows.extend((0..batch.num_rows()).map(|n| (*table, batch.slice(n, 1))));
        }
        rows.sort_by_key(|(table, _)| *table); // stable: the order within a table stays
        rows
    }

    pub fn rows<T>(&self, table: &str, read: impl Fn(&RecordBatch) -> Vec<T>) -> Vec<T> {
        self.batches.iter().filter(|(name, _)| *name == table).flat_map(|(_, batch)| read(batch)).collect()
    }

    pub fn count(&self, table: &str) -> usize {
        self.rows(table, |batch| vec![batch.num_rows()]).iter().sum()
    }

    /// Time, tid and symbols of the stack of every migration.
    pub fn migrations(&self) -> Vec<(i64, i32, Vec<String>)> {
        let stacks = self.rows("stack", |batch| {
            let view = tables::stack::View::try_new(batch).unwrap();
            (0..view.len()).map(|n| (view.stack_id.value(n), view.symbols(n))).collect()
        });
        let symbols = |id: Option<i32>| {
            id.map(|id| stacks.iter().find(|(known, _)| *known == id).expect("every stack has a row").1.clone())
        };
        self.rows("sched_migrate_task", |batch| {
            let view = tables::sched_migrate_task::View::try_new(batch).unwrap();
            let rows = (0..view.len()).map(|n| view.row(n));
            rows.map(|row| (row.ts_ns, row.tid, symbols(row.stack_id).unwrap_or_default())).collect()
        })
    }

    /// Time, CPU, previous tid, its state and next tid of every switch.
    pub fn switches(&self) -> Vec<(i64, i16, i32, u8, i32)> {
        self.rows("sched_switch", |batch| {
            let view = tables::sched_switch::View::try_new(batch).unwrap();
            let rows = (0..view.len()).map(|n| view.row(n));
            rows.map(|row| (row.ts_ns, row.cpu, row.prev_tid, row.prev_state, row.next_tid)).collect()
        })
    }

    /// Begin, end, CPU and number of every loss.
    pub fn losses(&self) -> Vec<(i64, i64, Option<i16>, Option<i64>)> {
        self.rows("lost_events", |batch| {
            let view = tables::lost_events::View::try_new(batch).unwrap();
            let rows = (0..view.len()).map(|n| view.row(n));
            rows.map(|row| (row.ts_ns, row.end_ns, row.cpu, row.count)).collect()
        })
    }

    /// Time, CPU, duration and function of every balance attempt.
    pub fn attempts(&self) -> Vec<(i64, i16, i64, String)> {
        self.rows("balance_attempt", |batch| {
            let view = tables::balance_attempt::View::try_new(batch).unwrap();
            let rows = (0..view.len()).map(|n| view.row(n));
            rows.map(|row| (row.ts_ns, row.cpu, row.dur_ns, row.function.to_owned())).collect()
        })
    }
}

/// The one-line error of an import that must fail.
pub fn refused(path: &Path) -> String {
    let error = import(path).map(|_| ()).expect_err("it must be refused").to_string();
    assert!(!error.contains('\n'), "{error}");
    error
}
