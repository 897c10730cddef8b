//! The check of a part folder, decoded as a whole.

use arrow_array::{RecordBatch, RecordBatchIterator};
use std::collections::BTreeMap;
use std::path::Path;
use wastenot_checker::{BatchCollector, BatchReader, Options, check as check_tables};
use wastenot_ebpf::decode::{CompanionTrace, decode};

/// A copy of a recording whose end is read as earlier versions did: when its programs had been detached.
#[allow(dead_code)]
pub fn read_as_before(part: &Path) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for entry in std::fs::read_dir(part).unwrap().map(Result::unwrap) {
        std::os::unix::fs::symlink(entry.path().canonicalize().unwrap(), folder.path().join(entry.file_name()))
            .unwrap();
    }
    let meta = std::fs::read_to_string(part.join("meta.json")).unwrap();
    if !meta.contains("ends_at_stop") {
        std::fs::remove_file(folder.path().join("meta.json")).unwrap();
        std::fs::write(folder.path().join("meta.json"), meta.replacen('{', "{\"ends_at_stop\": true,", 1)).unwrap();
    }
    folder
}

/// The tables that a check of the recording writes.
pub fn check(part: &Path, options: &Options) -> BatchCollector {
    let mut decoded = BatchCollector::default();
    decode(part, CompanionTrace::default(), &mut decoded, &mut |_, _| {}).unwrap();
    let mut tables: BTreeMap<&str, Vec<RecordBatch>> = BTreeMap::new();
    decoded.0.into_iter().for_each(|(table, batch)| tables.entry(table).or_default().push(batch));
    let inputs = tables.into_iter().map(|(table, batches)| {
        let schema = batches[0].schema();
        let reader: BatchReader = Box::new(RecordBatchIterator::new(batches.into_iter().map(Ok), schema));
        (table.to_owned(), reader)
    });
    let mut kept = BatchCollector::default();
    check_tables(inputs.collect(), options, &mut kept).unwrap();
    kept
}
