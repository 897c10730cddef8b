//! Raw tables made whole: checked, and bubbles derived.

use arrow_array::{RecordBatch, RecordBatchIterator};
use std::collections::BTreeMap;
use wastenot_checker::{BatchCollector, Options, check};
use wastenot_replay::bubbles::{BatchReader, derive};
use wastenot_schemas as tables;

pub type Tables = BTreeMap<String, Vec<RecordBatch>>;

fn reader(batches: &[RecordBatch]) -> BatchReader {
    let schema = batches[0].schema();
    Box::new(RecordBatchIterator::new(batches.iter().cloned().map(Ok).collect::<Vec<_>>(), schema))
}

/// The tables with what the check and the derivation add.
pub fn whole(raw: impl Iterator<Item = (&'static str, RecordBatch)>) -> Tables {
    let mut out = Tables::new();
    let mut keep = |rows: &mut dyn Iterator<Item = (&'static str, RecordBatch)>| {
        rows.for_each(|(name, batch)| out.entry(name.to_owned()).or_default().push(batch));
        out.iter().map(|(name, b)| (name.clone(), reader(b))).collect::<Vec<_>>()
    };
    let mut kept = BatchCollector::default();
    check(keep(&mut raw.into_iter()), &Options::default(), &mut kept).unwrap();
    let sorted = by_start(kept.0.iter().filter(|t| t.0 == tables::cpu_slice::NAME).map(|t| &t.1));
    let others = kept.0.into_iter().filter(|t| t.0 != tables::cpu_slice::NAME);
    let inputs = keep(&mut others.chain([(tables::cpu_slice::NAME, sorted)]));
    let mut kept = wastenot_replay::BatchCollector::default();
    derive(inputs, &mut kept).unwrap();
    keep(&mut kept.0.into_iter());
    out
}

/// Slices in the order of their starts, as the store gives them.
fn by_start<'a>(batches: impl Iterator<Item = &'a RecordBatch>) -> RecordBatch {
    let views: Vec<_> = batches.map(|b| tables::cpu_slice::View::try_new(b).unwrap()).collect();
    let mut rows: Vec<_> = views.iter().flat_map(|v| (0..v.len()).map(|i| v.row(i))).collect();
    rows.sort_by_key(|r| r.start_ns);
    let mut out = tables::cpu_slice::Builder::default();
    rows.iter().for_each(|r| out.push(r));
    out.finish()
}

/// The statistics of one bubble.
pub fn stat(t: &Tables, bubble_id: i32) -> tables::bubble_stat::Row {
    let view = tables::bubble_stat::View::try_new(&t["bubble_stat"][0]).unwrap();
    (0..view.len()).map(|i| view.row(i)).find(|r| r.bubble_id == bubble_id).unwrap()
}

/// Inconsistencies in declared bubbles: reason, times, first and last time.
pub fn inconsistencies(t: &Tables) -> Vec<(String, i64, i64, i64)> {
    let mut found = vec![];
    for batch in &t["data_quality"] {
        let view = tables::data_quality::View::try_new(batch).unwrap();
        let rows = (0..view.len()).map(|i| view.row(i)).filter(|r| r.what == "bubble");
        let row = |r: tables::data_quality::Row<'_>| {
            (r.detail.unwrap().to_owned(), r.value, r.start_ns.unwrap(), r.end_ns.unwrap())
        };
        found.extend(rows.map(row));
    }
    found
}
