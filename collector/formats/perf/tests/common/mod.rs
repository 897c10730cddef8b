//! What the tests share: importing a file, its rows as plain values, and perf.data drawn by hand.
#![allow(dead_code)] // each test uses a part

pub mod drawn;

use arrow_array::RecordBatch;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use wastenot_import::{ImportError, ImportSummary, Options, run};
use wastenot_schemas as schemas;

/// A file of the guest's traces.
pub fn guest(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../fixtures/traces/guest-6.1").join(name)
}

/// A recording beside these tests.
pub fn recording(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data").join(name)
}

/// A trace in tables.
pub struct Imported {
    pub summary: ImportSummary,
    pub tables: BTreeMap<&'static str, Vec<RecordBatch>>,
}

/// Time, thread, from, to, stack.
pub type Migration = (i64, i32, Option<i16>, i16, Option<i32>);

/// Import a file.
pub fn import(path: &Path, options: &Options) -> Result<Imported, ImportError> {
    let mut tables: BTreeMap<&'static str, Vec<RecordBatch>> = BTreeMap::new();
    let opened = wastenot_perf::open(path, options)?;
    let mut sink = |table: &'static str, batch: RecordBatch| {
        tables.entry(table).or_default().push(batch);
        Ok(())
    };
    let summary = run(opened, options, &mut sink, &mut |_, _| {})?;
    Ok(Imported { summary, tables })
}

/// Import a file that can be imported.
pub fn imported(path: &Path) -> Imported {
    import(path, &Options::default()).unwrap_or_else(|error| panic!("{error}"))
}

macro_rules! rows {
    ($self:ident, $table:ident, |$row:ident| $value:expr) => {{
        let batches = $self.tables.get(schemas::$table::NAME).map(Vec::as_slice).unwrap_or_default();
        let views = batches.iter().map(|batch| schemas::$table::View::try_new(batch).expect("columns as declared"));
        let mut values = Vec::new();
        for view in views {
            for n in 0..view.len() {
                let $row = view.row(n);
                values.push($value);
            }
        }
        values
    }};
}

impl Imported {
    /// Time, CPU, threads.
    pub fn switches(&self) -> Vec<(i64, i16, i32, i32)> {
        rows!(self, sched_switch, |row| (row.ts_ns, row.cpu, row.prev_tid, row.next_tid))
    }

    /// Time, CPU, thread.
    pub fn wakings(&self) -> Vec<(i64, i16, i32)> {
        rows!(self, sched_waking, |row| (row.ts_ns, row.cpu, row.tid))
    }

    /// Time, CPU, state.
    pub fn idle_states(&self) -> Vec<(i64, i16, Option<u8>)> {
        rows!(self, cpu_idle, |row| (row.ts_ns, row.cpu, row.state))
    }

    /// Time, CPU, kHz.
    pub fn frequencies(&self) -> Vec<(i64, i16, i32)> {
        rows!(self, cpu_frequency, |row| (row.ts_ns, row.cpu, row.khz))
    }

    pub fn migrations(&self) -> Vec<Migration> {
        rows!(self, sched_migrate_task, |row| (row.ts_ns, row.tid, row.orig_cpu, row.dest_cpu, row.stack_id))
    }

    /// Time, CPU, parent, child, process of the child.
    pub fn forks(&self) -> Vec<(i64, i16, i32, i32, Option<i32>)> {
        rows!(self, process_fork, |row| (row.ts_ns, row.cpu, row.parent_tid, row.child_tid, row.child_tgid))
    }

    /// Time, CPU, thread.
    pub fn exits(&self) -> Vec<(i64, i16, i32)> {
        rows!(self, process_exit, |row| (row.ts_ns, row.cpu, row.tid))
    }

    /// Time, thread, process, name.
    pub fn names(&self) -> Vec<(i64, i32, Option<i32>, String)> {
        rows!(self, thread_name, |row| (row.ts_ns, row.tid, row.tgid, row.name.to_owned()))
    }

    /// Begin, end, CPU, count.
    pub fn losses(&self) -> Vec<(i64, i64, Option<i16>, Option<i64>)> {
        rows!(self, lost_events, |row| (row.ts_ns, row.end_ns, row.cpu, row.count))
    }

    /// Symbols of every stack, by id.
    pub fn stacks(&self) -> BTreeMap<i32, Vec<String>> {
        let batches = self.tables.get(schemas::stack::NAME).map(Vec::as_slice).unwrap_or_default();
        let mut stacks = BTreeMap::new();
        for batch in batches {
            let view = schemas::stack::View::try_new(batch).expect("columns as declared");
            stacks.extend((0..view.len()).map(|n| (view.stack_id.value(n), view.symbols(n))));
        }
        stacks
    }

    /// How many events of each name were read.
    pub fn counts(&self) -> Vec<(&'static str, u64)> {
        self.summary.counts.read.iter().map(|(name, count)| (*name, *count)).collect()
    }

    /// Times of all rows are in order of their ids.
    pub fn assert_in_order(&self) {
        let mut all = rows!(self, sched_switch, |row| (row.id, row.ts_ns));
        all.extend(rows!(self, sched_waking, |row| (row.id, row.ts_ns)));
        all.extend(rows!(self, sched_migrate_task, |row| (row.id, row.ts_ns)));
        all.extend(rows!(self, process_fork, |row| (row.id, row.ts_ns)));
        all.sort_unstable();
        assert!(all.windows(2).all(|pair| pair[0].1 <= pair[1].1), "in order of time");
    }
}

/// What `perf script` prints of a file with these fields; None, and says so, where there is no perf.
pub fn perf_script(path: &Path, fields: &str) -> Option<Vec<String>> {
    let output = std::process::Command::new("perf")
        .args(["script", "--ns", "-F", fields, "-i"])
        .arg(path)
        .env("HOME", "/nonexistent")
        .output();
    match output {
        Ok(output) if output.status.success() => {
            let text = String::from_utf8_lossy(&output.stdout).into_owned();
            Some(text.lines().map(str::to_owned).collect())
        }
        Ok(output) => panic!("perf script: {}", String::from_utf8_lossy(&output.stderr)),
        Err(_) => {
            wastenot_skips::skip("the comparison with perf script: perf is not installed (Debian: linux-perf)");
            None
        }
    }
}
