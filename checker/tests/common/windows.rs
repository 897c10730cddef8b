//! The rows of windows, made by walks that are restarted at checkpoints, beside those of the whole trace.
#![allow(dead_code)] // each test file uses its share

use std::collections::{BTreeMap, BTreeSet};

use arrow_array::cast::AsArray;
use arrow_array::types::Int64Type;
use arrow_array::{RecordBatch, RecordBatchIterator};
use wastenot_checker::{
    BatchCollector, BatchReader, CheckError, Options, TableSet, Window, check, check_window, window_waits,
};
use wastenot_schemas as tables;
use wastenot_schemas::EVENT_TABLES;

type Tables = Vec<(&'static str, RecordBatch)>;
/// From when to when, ns, and the row as text.
type Row = (i64, i64, String);

fn inputs(trace: &Tables) -> Vec<(String, BatchReader)> {
    let reader = |batch: &RecordBatch| -> BatchReader {
        Box::new(RecordBatchIterator::new(vec![Ok(batch.clone())], batch.schema()))
    };
    trace.iter().map(|(name, batch)| ((*name).to_owned(), reader(batch))).collect()
}

/// The events from one id to another, and all entities.
fn between(trace: &Tables, from: i64, to: i64) -> Tables {
    let cut = |(name, batch): &(&'static str, RecordBatch)| {
        if !EVENT_TABLES.contains(name) {
            return (*name, batch.clone());
        }
        let ids = batch.column(0).as_primitive::<Int64Type>().values();
        let (first, last) = (ids.partition_point(|id| *id < from), ids.partition_point(|id| *id < to));
        (*name, batch.slice(first, last - first))
    };
    trace.iter().map(cut).collect()
}

macro_rules! read {
    ($found:expr, $($table:ident),*) => {{
        let mut rows: BTreeMap<&'static str, Vec<Row>> = BTreeMap::new();
        for (name, batch) in &$found.0 {
            match *name {
                $(tables::$table::NAME => {
                    let view = tables::$table::View::try_new(batch).unwrap();
                    let read = (0..view.len()).map(|i| view.row(i)).map(|r| (r.start_ns, r.start_ns + r.dur_ns, format!("{r:?}")));
                    rows.entry(name).or_default().extend(read);
                })*
                tables::migration::NAME => {
                    let view = tables::migration::View::try_new(batch).unwrap();
                    let read = (0..view.len()).map(|i| view.row(i)).map(|r| (r.ts_ns, r.ts_ns + 1, format!("{r:?}")));
                    rows.entry(name).or_default().extend(read);
                }
                _ => {}
            }
        }
        rows
    }};
}

fn rows(found: &BatchCollector) -> BTreeMap<&'static str, Vec<Row>> {
    read!(found, cpu_slice, thread_state, runqueue, wasted, avoidable_wait, wasted_cpu)
}

/// Tables of intervals.
const INTERVALS: [&str; 6] = ["cpu_slice", "thread_state", "runqueue", "wasted", "avoidable_wait", "wasted_cpu"];

/// Id of the first event after it, time, state.
type Checkpoint = (i64, i64, Vec<u8>);

fn checkpoints(found: &BatchCollector) -> Vec<Checkpoint> {
    let batches = found.0.iter().filter(|(name, _)| *name == tables::checkpoint::NAME);
    let views = batches.map(|(_, batch)| tables::checkpoint::View::try_new(batch).unwrap());
    let read = |view: tables::checkpoint::View| {
        (0..view.len()).map(|i| view.row(i)).map(|r| (r.event_id, r.ts_ns, r.state.to_vec())).collect::<Vec<_>>()
    };
    views.flat_map(read).collect()
}

/// The rows that span a checkpoint, with the last that they span, as their own tables have them.
fn spanning(found: &BatchCollector) -> Vec<(i64, &'static str, Row)> {
    let mut out = Vec::new();
    for (_, batch) in found.0.iter().filter(|(name, _)| *name == tables::checkpoint_interval::NAME) {
        let view = tables::checkpoint_interval::View::try_new(batch).unwrap();
        for r in (0..view.len()).map(|i| view.row(i)) {
            let (start_ns, dur_ns) = (r.start_ns, r.dur_ns);
            let text = match r.table_name {
                "cpu_slice" => {
                    let (cpu, observed) = (r.cpu.unwrap(), r.observed.unwrap());
                    let (utid, end_state) = (r.utid, r.end_state);
                    format!("{:?}", tables::cpu_slice::Row { cpu, start_ns, dur_ns, utid, end_state, observed })
                }
                "thread_state" => {
                    let (utid, phase, cpu) = (r.utid.unwrap(), r.phase.unwrap(), r.cpu);
                    format!("{:?}", tables::thread_state::Row { utid, start_ns, dur_ns, phase, cpu })
                }
                "runqueue" => {
                    let (cpu, queued, running) = (r.cpu.unwrap(), r.queued.unwrap(), r.running.unwrap());
                    format!("{:?}", tables::runqueue::Row { cpu, start_ns, dur_ns, queued, running })
                }
                "wasted" => {
                    let (wasted, certain) = (r.wasted.unwrap(), r.certain.unwrap());
                    let (idle_cpus, waiting) = (r.idle_cpus.unwrap(), r.waiting.unwrap());
                    let idle_while_waiting = r.idle_while_waiting.unwrap();
                    let row = tables::wasted::Row {
                        start_ns,
                        dur_ns,
                        wasted,
                        certain,
                        idle_while_waiting,
                        idle_cpus,
                        waiting,
                    };
                    format!("{row:?}")
                }
                "avoidable_wait" => {
                    let (utid, waited_on) = (r.utid.unwrap(), r.waited_on.unwrap());
                    format!("{:?}", tables::avoidable_wait::Row { utid, waited_on, start_ns, dur_ns })
                }
                "wasted_cpu" => {
                    format!("{:?}", tables::wasted_cpu::Row { cpu: r.cpu.unwrap(), start_ns, dur_ns })
                }
                other => panic!("{other} has no intervals"),
            };
            let name = INTERVALS.into_iter().find(|name| *name == r.table_name).unwrap();
            out.push((r.checkpoint_id, name, (start_ns, start_ns + dur_ns, text)));
        }
    }
    out
}

/// Rows of a window, by table, in order.
fn of_window(all: &BTreeMap<&'static str, Vec<Row>>, (start, end): (i64, i64)) -> Vec<(&'static str, Row)> {
    let mut out: Vec<_> = all
        .iter()
        .flat_map(|(table, rows)| rows.iter().map(|row| (*table, row.clone())))
        .filter(|(_, row)| row.0 < end && row.1 > start)
        .collect();
    out.sort();
    out
}

/// Check a trace with a checkpoint every so many events, and hold the rows of windows, whose ends are shares of the trace in 1/256,
/// against those of the whole. Returns how many rows spanned the checkpoint at which a walk ended.
pub fn assert_windows(trace: &Tables, checkpoint_events: i64, windows: &[(u8, u8)]) -> usize {
    let options = Options { checkpoint_events: Some(checkpoint_events), ..Options::default() };
    let mut whole = BatchCollector::default();
    match check(inputs(trace), &options, &mut whole) {
        Err(CheckError::Span { .. } | CheckError::Sums) => return 0,
        other => other.unwrap_or_else(|e| panic!("{e}")),
    }
    let mut verdict_only = BatchCollector::default();
    check(inputs(trace), &Options { tables: TableSet::Verdict, ..options }, &mut verdict_only).unwrap();
    let (cuts, spans) = (checkpoints(&whole), spanning(&whole));
    assert_eq!(cuts, checkpoints(&verdict_only), "checkpoints are the same whichever tables are made");
    assert_eq!(spans, spanning(&verdict_only));
    let all = rows(&whole);
    let first = all.values().flatten().map(|row| row.0).min().unwrap_or(0);
    let last = all.values().flatten().map(|row| row.1).max().unwrap_or(1).max(first + 1);
    let at = |share: u8| first + ((last - first) as i128 * i128::from(share) / 255) as i64;
    let mut spanned = 0;
    for &(a, b) in windows {
        let (start, end) = (at(a.min(b)), at(a.max(b)).max(at(a.min(b)) + 1));
        let (from, to, events, window) = around(trace, &cuts, (start, end));
        let mut made = BatchCollector::default();
        check_window(inputs(&events), &window, &mut made).unwrap_or_else(|e| panic!("{e}"));
        let mut made = rows(&made);
        let later = to.map_or(i64::MAX, |cut| cut.0);
        for (_, table, row) in spans.iter().filter(|(last, _, row)| *last >= later && row.0 < to.unwrap().1) {
            spanned += usize::from(row.0 < end && row.1 > start);
            made.entry(table).or_default().push(row.clone());
        }
        assert_eq!(
            of_window(&made, (start, end)),
            of_window(&all, (start, end)),
            "{start} .. {end}: the rows of the window, then those of the whole trace; from {:?}, to {:?}",
            from.map(|cut| (cut.0, cut.1)),
            to.map(|cut| (cut.0, cut.1))
        );
    }
    spanned
}

/// The checkpoints around a window, the events from the one to the other, and what a walk over them is asked for.
fn around<'a>(
    trace: &Tables,
    cuts: &'a [Checkpoint],
    (start, end): (i64, i64),
) -> (Option<&'a Checkpoint>, Option<&'a Checkpoint>, Tables, Window<'a>) {
    let from = cuts.iter().rev().find(|cut| cut.1 < start);
    let to = cuts.iter().find(|cut| cut.1 >= end);
    let events = between(trace, from.map_or(i64::MIN, |cut| cut.0), to.map_or(i64::MAX, |cut| cut.0));
    let window = Window { start_ns: start, end_ns: end, state: from.map(|cut| &cut.2[..]), to_the_end: to.is_none() };
    (from, to, events, window)
}

/// Time by the row of `cgroup_wait` without it.
type Ledger = BTreeMap<String, i64>;

fn ledger(found: &BatchCollector) -> Ledger {
    let mut out = Ledger::new();
    for (_, batch) in found.0.iter().filter(|(name, _)| *name == tables::cgroup_wait::NAME) {
        let view = tables::cgroup_wait::View::try_new(batch).unwrap();
        for r in (0..view.len()).map(|i| view.row(i)) {
            let row = format!("{:?} {} {:?} {:?}", r.cgroup_id, r.reason, r.excuse, r.culprit_cgroup_id);
            *out.entry(row).or_default() += r.wait_ns;
        }
    }
    out
}

fn add(sum: &mut Ledger, more: Ledger) {
    more.into_iter().for_each(|(row, ns)| *sum.entry(row).or_default() += ns);
}

/// Check a trace with a checkpoint every so many events, and hold the wait ledgers of the windows between `shares` of it (in 1/255)
/// against that of the whole trace: row by row they add up to it. So do those of each window by CPU and by thread to its own. Returns how
/// many rows were compared; None where a later event showed that a thread had not waited, which a window before it cannot know.
pub fn assert_wait_ledgers(trace: &Tables, checkpoint_events: i64, shares: &[u8]) -> Option<usize> {
    let options = Options { checkpoint_events: Some(checkpoint_events), ..Options::default() };
    let mut whole = BatchCollector::default();
    match check(inputs(trace), &options, &mut whole) {
        Err(CheckError::Span { .. } | CheckError::Sums) => return None,
        other => other.unwrap_or_else(|e| panic!("{e}")),
    }
    let (cuts, all) = (checkpoints(&whole), rows(&whole));
    let times = || all.get("thread_state").into_iter().flatten();
    let (_, verdict) = whole.0.iter().find(|(name, _)| *name == tables::verdict::NAME)?;
    let verdict = tables::verdict::View::try_new(verdict).unwrap();
    let (first, last) = (verdict.row(0).start_ns, verdict.row(0).end_ns);
    let mut bounds = vec![first, last];
    bounds.extend(shares.iter().map(|&share| first + ((last - first) as i128 * i128::from(share) / 255) as i64));
    bounds.sort_unstable();
    bounds.dedup();
    let of = |window: (i64, i64), cpus: &[i16], utids: &[u32]| {
        let (_, _, events, asked) = around(trace, &cuts, window);
        let mut found = BatchCollector::default();
        let refuted = window_waits(inputs(&events), &asked, cpus, utids, &mut found).unwrap_or_else(|e| panic!("{e}"));
        (ledger(&found), refuted)
    };
    let (mut cpus, mut utids) = (BTreeSet::new(), BTreeSet::new());
    for (_, batch) in trace.iter().filter(|(name, _)| *name == tables::cpu::NAME) {
        let view = tables::cpu::View::try_new(batch).unwrap();
        cpus.extend((0..view.len()).map(|i| view.row(i).cpu));
    }
    for (_, batch) in whole.0.iter().filter(|(name, _)| *name == tables::thread::NAME) {
        let view = tables::thread::View::try_new(batch).unwrap();
        utids.extend((0..view.len()).map(|i| view.row(i).utid as u32));
    }
    let (mut sum, mut refuted) = (Ledger::new(), 0);
    for window in bounds.windows(2).map(|pair| (pair[0], pair[1])) {
        let (found, taken) = of(window, &[], &[]);
        let (mut by_cpu, mut by_thread) = (Ledger::new(), Ledger::new());
        cpus.iter().for_each(|&cpu| add(&mut by_cpu, of(window, &[cpu], &[]).0));
        utids.iter().take(20).for_each(|&utid| add(&mut by_thread, of(window, &[], &[utid]).0));
        assert_eq!(by_cpu, found, "{window:?} by CPU");
        if utids.len() <= 20 {
            assert_eq!(by_thread, found, "{window:?} by thread");
        }
        add(&mut sum, found);
        refuted += taken;
    }
    let waited = |(from, to): (i64, i64)| -> i64 {
        let rows = times().filter(|row| [1, 2, 7].iter().any(|phase| row.2.contains(&format!(" phase: {phase},"))));
        rows.map(|row| (row.1.min(to) - row.0.max(from)).max(0)).sum()
    };
    if sum.values().sum::<i64>() != waited((first, last)) || refuted > 0 {
        assert!(sum.values().sum::<i64>() - refuted >= waited((first, last)), "only what was no wait is too much");
        return None;
    }
    assert_eq!(sum, ledger(&whole), "the ledgers of the windows {bounds:?} add up to that of the trace");
    Some(sum.len())
}

/// Change bytes of the states of a trace's checkpoints and walk on from them: that ends, with an error or with rows. Returns how many
/// states were refused.
pub fn assert_damage_is_survived(trace: &Tables, checkpoint_events: i64, changes: &[(usize, u8)]) -> usize {
    let options = Options { checkpoint_events: Some(checkpoint_events), ..Options::default() };
    let mut whole = BatchCollector::default();
    if check(inputs(trace), &options, &mut whole).is_err() {
        return 0;
    }
    let mut refused = 0;
    for (from, now, mut state) in checkpoints(&whole) {
        for (at, value) in changes {
            let at = at % state.len();
            state[at] = *value;
        }
        if changes.len() == 1 {
            state.truncate(changes[0].0 % state.len());
        }
        let window = Window { start_ns: now, end_ns: now + 1_000_000, state: Some(&state), to_the_end: true };
        let events = between(trace, from, i64::MAX);
        refused += usize::from(check_window(inputs(&events), &window, &mut BatchCollector::default()).is_err());
    }
    refused
}
