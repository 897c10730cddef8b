//! The rows of a trace as lines of text, in the order of their ids.

use arrow_array::cast::AsArray;
use arrow_array::types::{Int16Type, Int32Type, Int64Type, UInt8Type};
use arrow_array::{Array, RecordBatch};
use std::path::Path;
use wastenot_import::{ImportError, ImportSummary, OpenTrace, Options, run};

/// Rows of all event tables: `table ts_ns column=value ...`, without ids and columns that are NULL.
pub struct Rows {
    pub lines: Vec<String>,
    pub stacks: Vec<Vec<String>>,
    pub summary: ImportSummary,
}

pub type Open = fn(&Path, &Options) -> Result<OpenTrace, ImportError>;

pub fn read(open: Open, path: &Path, options: &Options) -> Result<Rows, ImportError> {
    let (mut rows, mut stacks) = (Vec::new(), Vec::new());
    let mut sink = |table: &'static str, batch: RecordBatch| {
        if table == "stack" {
            stacks.extend((0..batch.num_rows()).map(|n| {
                let symbols = batch.column_by_name("symbols").unwrap().as_list::<i32>().value(n);
                symbols.as_string::<i32>().iter().flatten().map(str::to_owned).collect::<Vec<_>>()
            }));
        } else if batch.schema().field(0).name() == "id" {
            rows.extend((0..batch.num_rows()).map(|n| row(table, &batch, n)));
        }
        Ok(())
    };
    let summary = run(open(path, options)?, options, &mut sink, &mut |_, _| {})?;
    rows.sort_unstable();
    Ok(Rows { lines: rows.into_iter().map(|(_, line)| line).collect(), stacks, summary })
}

fn row(table: &str, batch: &RecordBatch, n: usize) -> (i64, String) {
    let mut line = table.to_owned();
    let schema = batch.schema();
    for (field, column) in schema.fields().iter().zip(batch.columns()).skip(1) {
        if column.is_null(n) {
            continue;
        }
        let value = value(column.as_ref(), n);
        line += &if field.name() == "ts_ns" { format!(" {value}") } else { format!(" {}={value}", field.name()) };
    }
    (batch.column(0).as_primitive::<Int64Type>().value(n), line)
}

fn value(column: &dyn Array, n: usize) -> String {
    macro_rules! primitive {
        ($($of:ty),*) => {
            $(if let Some(column) = column.as_primitive_opt::<$of>() { return column.value(n).to_string(); })*
        };
    }
    primitive!(Int64Type, Int32Type, Int16Type, UInt8Type);
    if let Some(column) = column.as_boolean_opt() {
        return column.value(n).to_string();
    }
    column.as_string::<i32>().value(n).to_owned()
}

impl Rows {
    /// Rows of tables whose names start with it.
    #[allow(dead_code)] // not every test reads single tables
    pub fn of(&self, table: &str) -> Vec<&str> {
        self.lines.iter().map(String::as_str).filter(|line| line.starts_with(table)).collect()
    }
}
