//! A recording's folder (`T.duckdb.part`) or a drawing as a Perfetto trace: `export SRC OUT`.

#[path = "../tests/common/mod.rs"]
mod common;

use std::path::Path;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [source, target] = &arguments[..] else { panic!("export SRC OUT") };
    let source = Path::new(source);
    let tables = match source.is_dir() {
        true => common::recorded(source),
        false => common::drawn(&std::fs::read_to_string(source).expect("a drawing")),
    };
    let begun = std::time::Instant::now();
    let written = common::export(&tables, Path::new(target)).unwrap_or_else(|e| panic!("{e}"));
    println!("{written:?} in {:?}", begun.elapsed());
}
