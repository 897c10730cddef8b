//! Damaged files end in one line or are read as far as they make sense; none makes the reader panic.

use proptest::prelude::*;
use std::path::Path;
use wastenot_import::{Options, run};

const PRV: &[u8] = include_bytes!("data/two-ranks.prv");
const PCF: &[u8] = include_bytes!("data/two-ranks.pcf");

/// What the import says of these bytes, with or without names beside them.
fn outcome(prv: &[u8], pcf: Option<&[u8]>, row: Option<&[u8]>) -> Result<i64, String> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.prv");
    std::fs::write(&path, prv).unwrap();
    for (names, extension) in [(pcf, "pcf"), (row, "row")] {
        names.into_iter().for_each(|bytes| std::fs::write(path.with_extension(extension), bytes).unwrap());
    }
    read(&path)
}

fn read(path: &Path) -> Result<i64, String> {
    let mut drop_all = |_: &'static str, _| Ok(());
    let opened = wastenot_paraver::open(path, &Options::default()).map_err(|error| error.to_string())?;
    let read = run(opened, &Options::default(), &mut drop_all, &mut |_, _| {}).map_err(|error| error.to_string())?;
    Ok(read.events)
}

#[test]
fn the_undamaged_file_is_read() {
    assert!(outcome(PRV, Some(PCF), None).unwrap() > 10);
    assert!(outcome(PRV, None, None).unwrap() > 5, "without names states have Paraver's own numbers");
}

#[test]
fn numbers_of_threads_that_no_kernel_gives_are_not_taken() {
    let row = b"LEVEL THREAD SIZE 2\nrank 0: a (2147483647)\nrank 1: a (2147483646)\n";
    assert!(outcome(PRV, Some(PCF), Some(row)).is_ok());
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    #[test]
    fn changed_and_missing_bytes_never_cost_more_than_one_line(
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..6),
        digits in prop::collection::vec((any::<prop::sample::Index>(), b'0'..=b'9'), 0..6),
        cut in any::<prop::sample::Index>(),
        is_cut: bool,
        has_names: bool,
    ) {
        let mut bytes = PRV.to_vec();
        for (at, byte) in changes.into_iter().chain(digits) {
            let at = at.index(bytes.len());
            bytes[at] = byte;
        }
        if is_cut {
            bytes.truncate(cut.index(bytes.len()));
        }
        if let Err(message) = outcome(&bytes, has_names.then_some(PCF), None) {
            prop_assert!(!message.contains('\n') && message.len() < 600, "{message}");
        }
    }
}
