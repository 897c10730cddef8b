//! A trace in stretches, as a live source hands it on.

use arrow_array::RecordBatch;
use arrow_array::cast::AsArray;
use arrow_array::types::Int64Type;
use wastenot_schemas::EventView;

pub type Tables = Vec<(String, RecordBatch)>;

/// A trace: what is known of it from the start, and its events.
pub struct TraceTables {
    pub entities: Tables,
    pub events: Tables,
    /// Masks and stacks, which come with the first events.
    pub interned: Tables,
    pub ids: i64,
}

impl TraceTables {
    pub fn of(tables: impl IntoIterator<Item = (String, RecordBatch)>) -> Self {
        let mut out = Self { entities: Vec::new(), events: Vec::new(), interned: Vec::new(), ids: 0 };
        for (name, batch) in tables {
            if EventView::of_table(&name).is_some() {
                out.ids = out.ids.max(ids(&batch).last().map_or(0, |last| last + 1));
                out.events.push((name, batch));
            } else if ["mask", "stack"].contains(&name.as_str()) {
                out.interned.push((name, batch));
            } else {
                out.entities.push((name, batch));
            }
        }
        out
    }

    /// The events with ids in `from..to`; masks and stacks before the first of them.
    pub fn stretch(&self, from: i64, to: i64) -> Tables {
        let mut out = if from == 0 { self.interned.clone() } else { Vec::new() };
        for (name, batch) in &self.events {
            let at = |id: i64| ids(batch).partition_point(|i| *i < id);
            let (first, end) = (at(from), at(to));
            if end > first {
                out.push((name.clone(), batch.slice(first, end - first)));
            }
        }
        out
    }

    /// For each id the earliest stamp of an event that has it or comes later.
    pub fn earliest_from(&self) -> Vec<i64> {
        let mut out = vec![i64::MAX; self.ids as usize + 1];
        for (name, batch) in &self.events {
            let (_, make) = EventView::of_table(name).expect("an event table");
            let view = make(batch).expect("its columns");
            ids(batch).iter().enumerate().for_each(|(at, id)| out[*id as usize] = view.ts_ns(at));
        }
        (0..self.ids as usize).rev().for_each(|id| out[id] = out[id].min(out[id + 1]));
        out
    }
}

fn ids(batch: &RecordBatch) -> &[i64] {
    batch.column(0).as_primitive::<Int64Type>().values()
}
