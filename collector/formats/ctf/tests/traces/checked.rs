//! What the checker makes of the real traces: the table of fixtures/traces/README.md.

use crate::fixtures::folder;
use crate::imported::import_with;
use arrow_array::RecordBatchIterator;
use std::collections::BTreeMap;
use wastenot_checker::{BatchCollector, BatchReader, check};
use wastenot_import::Options;
use wastenot_schemas::verdict;

/// Core-seconds: wasted, certain, idle_while_waiting.
fn checked(name: &str, affinity: &[&str]) -> (f64, f64, f64) {
    let affinity: Vec<String> = affinity.iter().map(|text| (*text).to_owned()).collect();
    let options = Options::new(&affinity, None, None).unwrap();
    let imported = import_with(&folder(name), &options).unwrap();
    let mut by_table = BTreeMap::<&str, Vec<_>>::new();
    for (table, batch) in imported.batches {
        by_table.entry(table).or_default().push(batch);
    }
    let inputs = by_table.into_iter().map(|(table, batches)| {
        let schema = batches[0].schema();
        let reader: BatchReader = Box::new(RecordBatchIterator::new(batches.into_iter().map(Ok), schema));
        (table.to_owned(), reader)
    });
    let mut kept = BatchCollector::default();
    check(inputs.collect(), &wastenot_checker::Options::default(), &mut kept).unwrap();
    let (_, batch) = kept.0.iter().find(|(table, _)| *table == verdict::NAME).unwrap();
    let view = verdict::View::try_new(batch).unwrap();
    let row = view.row(0);
    let seconds = |ns: i64| ns as f64 / 1e9;
    (seconds(row.wasted_ns), seconds(row.certain_ns), seconds(row.idle_while_waiting_ns))
}

fn near(measured: f64, truth: f64) -> bool {
    (measured - truth).abs() <= 0.01 * truth
}

#[test]
fn upper_is_that_of_an_obvious_program() {
    for (name, truth) in [("normal", 1.777), ("pinned", 12.091), ("wasted", 9.949), ("hotplug", 0.982)] {
        let (wasted, certain, idle_while_waiting) = checked(&format!("guest-6.1/{name}"), &[]);
        println!(
            "{name}: wasted {wasted:.3} certain {certain:.3} idle_while_waiting {idle_while_waiting:.3}, expected {truth}"
        );
        assert!(near(idle_while_waiting, truth), "{name}: {idle_while_waiting} instead of {truth}");
    }
}

#[test]
fn with_masks_declared_the_waste_is_certain_and_the_pinned_are_excused() {
    let (_, certain, _) = checked("guest-6.1/wasted", &["*=0-7"]);
    assert!(near(certain, 9.918), "{certain}");
    let (wasted, _, _) = checked("guest-6.1/pinned", &["*=0-7", "hog*=0-1"]);
    assert!(wasted < 0.1, "{wasted}");
}
