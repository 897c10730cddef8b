//! Traces as batches by table: drawn, checked, exported, imported again.
#![allow(dead_code)] // each test file uses its share

use arrow_array::cast::AsArray;
use arrow_array::types::{Int16Type, Int32Type, Int64Type, UInt8Type};
use arrow_array::{Array, ArrayRef, Int32Array, RecordBatch, RecordBatchIterator, StringArray};
use arrow_schema::DataType;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use wastenot_assemble::SinkError;
use wastenot_drawing::draw;
use wastenot_import::{ImportError, ImportSummary, Options};
use wastenot_perfetto::{BatchReader, ExportError, ExportSummary, open, write};
use wastenot_schemas::EVENT_TABLES;

/// Batches by table.
pub type Tables = BTreeMap<String, Vec<RecordBatch>>;

/// A drawing's tables with what the checker finds.
pub fn drawn(text: &str) -> Tables {
    let mut tables = Tables::new();
    for (table, batch) in draw(text).unwrap_or_else(|e| panic!("{e}")) {
        tables.entry(table.into()).or_default().push(masks_from_one(&batch));
    }
    checked(tables)
}

/// Drawn masks are numbered from 0, assembled ones from 1.
fn masks_from_one(batch: &RecordBatch) -> RecordBatch {
    let schema = batch.schema();
    let columns = schema.fields().iter().zip(batch.columns()).map(|(field, column)| -> ArrayRef {
        match column.as_any().downcast_ref::<Int32Array>() {
            Some(ids) if field.name().ends_with("mask_id") => Arc::new(ids.unary::<_, Int32Type>(|id| id + 1)),
            _ => column.clone(),
        }
    });
    RecordBatch::try_new(schema.clone(), columns.collect()).unwrap()
}

/// With what the checker finds in place of what it found before.
pub fn checked(mut tables: Tables) -> Tables {
    let mut kept = wastenot_checker::BatchCollector::default();
    let inputs = readers(&tables).into_iter().collect();
    wastenot_checker::check(inputs, &Default::default(), &mut kept).unwrap_or_else(|e| panic!("{e}"));
    let mut found = Tables::new();
    for (table, batch) in kept.0 {
        found.entry(table.into()).or_default().push(batch);
    }
    tables.extend(found);
    tables
}

pub fn readers(tables: &Tables) -> BTreeMap<String, BatchReader> {
    let reader = |batches: &Vec<RecordBatch>| -> BatchReader {
        let schema = batches[0].schema();
        Box::new(RecordBatchIterator::new(batches.clone().into_iter().map(Ok), schema))
    };
    tables.iter().filter(|(_, batches)| !batches.is_empty()).map(|(table, b)| (table.clone(), reader(b))).collect()
}

/// Export to `path`.
pub fn export(tables: &Tables, path: &Path) -> Result<ExportSummary, ExportError> {
    write(readers(tables), path, &mut |_| Ok(()))
}

/// Import the trace at `path`.
pub fn import(path: &Path) -> Result<(Tables, ImportSummary), ImportError> {
    import_with(path, &Options::default())
}

pub fn import_with(path: &Path, options: &Options) -> Result<(Tables, ImportSummary), ImportError> {
    let mut tables = Tables::new();
    let mut sink = |table: &'static str, batch: RecordBatch| {
        tables.entry(table.into()).or_default().push(batch);
        Ok::<(), SinkError>(())
    };
    let summary = wastenot_import::run(open(path, options)?, options, &mut sink, &mut |_, _| {})?;
    Ok((tables, summary))
}

/// All events in the order of their ids: time, table, then the other columns; `-` is NULL, and left out at the end, where a
/// column that a table gets is placed.
pub fn story(tables: &Tables) -> Vec<String> {
    let mut events = BTreeMap::new();
    for table in EVENT_TABLES {
        for batch in tables.get(*table).into_iter().flatten() {
            for row in 0..batch.num_rows() {
                let cells: Vec<String> = batch.columns().iter().map(|column| cell(column, row)).collect();
                let line = format!("{} {table} {}", cells[1], cells[2..].join(" "));
                events.insert(cells[0].parse::<i64>().unwrap(), line.trim_end_matches(" -").to_owned());
            }
        }
    }
    assert!(events.keys().copied().eq(0..events.len() as i64), "ids are dense");
    events.into_values().collect()
}

fn cell(column: &ArrayRef, row: usize) -> String {
    if column.is_null(row) {
        return "-".into();
    }
    match column.data_type() {
        DataType::Int64 => column.as_primitive::<Int64Type>().value(row).to_string(),
        DataType::Int32 => column.as_primitive::<Int32Type>().value(row).to_string(),
        DataType::Int16 => column.as_primitive::<Int16Type>().value(row).to_string(),
        DataType::UInt8 => column.as_primitive::<UInt8Type>().value(row).to_string(),
        DataType::Boolean => column.as_boolean().value(row).to_string(),
        _ => column.as_string::<i32>().value(row).to_string(),
    }
}

/// All rows of a table as text, one line each.
pub fn lines(tables: &Tables, table: &str) -> Vec<String> {
    let mut lines = Vec::new();
    for batch in tables.get(table).into_iter().flatten() {
        for row in 0..batch.num_rows() {
            let cells = batch.columns().iter().map(|column| {
                let cell = column.slice(row, 1);
                match cell.as_any().downcast_ref::<StringArray>() {
                    Some(text) => format!("{:?}", text.iter().next()),
                    None => format!("{cell:?}").split_whitespace().collect::<Vec<_>>().join(" "),
                }
            });
            lines.push(cells.collect::<Vec<_>>().join(" | "));
        }
    }
    lines
}

/// The first difference of a table's rows.
pub fn assert_same(left: &Tables, right: &Tables, table: &str) {
    let (left, right) = (lines(left, table), lines(right, table));
    let first = left.iter().zip(&right).position(|(l, r)| l != r);
    if let Some(row) = first {
        panic!("{table}, row {row}:\n{}\n{}", left[row], right[row]);
    }
    assert_eq!(left.len(), right.len(), "rows of {table}");
}

/// The events and what belongs to them are the same.
pub fn assert_same_events(left: &Tables, right: &Tables) {
    for table in EVENT_TABLES.iter().chain(&["mask", "stack", "machine", "cpu", "numa_node", "domain", "domain_group"])
    {
        assert_same(left, right, table);
    }
    if left.contains_key("cgroup") {
        assert_same(left, right, "cgroup"); // a drawing has none, though it names some
    }
}

/// What the checker found is the same.
pub fn assert_same_findings(left: &Tables, right: &Tables) {
    let findings = [
        "cpu_slice",
        "episode",
        "episode_pair",
        "verdict_grade",
        "excuse_ledger",
        "migration",
        "process",
        "runqueue",
        "verdict",
        "thread",
        "thread_state",
        "data_quality",
        "wasted",
    ];
    findings.iter().for_each(|table| assert_same(left, right, table));
}
