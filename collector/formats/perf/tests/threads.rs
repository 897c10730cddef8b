//! Folders of `perf record --threads`: a file with the header, and one of records per thread of perf.

mod common;

use common::drawn::*;
use common::{Imported, imported};

/// Records per ring: more than what is sorted at once, so that rows go out before the end.
const RECORDS: u64 = 30_000;
/// ns between a ring's records.
const STEP: u64 = 5_000;

/// The header's file, and the records of two rings in order of time.
fn rings() -> (Vec<u8>, [Vec<u8>; 2]) {
    let mut drawn = Drawn::new(LITTLE);
    drawn.cpus(2);
    drawn.feature(24, vec![1, 0, 0, 0, 0, 0, 0, 0]);
    let switch = drawn.tracepoint(SWITCH, &[11, 12]);
    let rings = [0, 1].map(|cpu| {
        for n in 0..RECORDS {
            let (prev, next) = if n % 2 == 0 { (0, 100 + cpu) } else { (100 + cpu, 0) };
            drawn.switch(switch, 1_000 + n * STEP + u64::from(cpu), cpu, prev, next);
        }
        std::mem::take(&mut drawn.records)
    });
    drawn.finished_round();
    (drawn.file(), rings)
}

fn folder(files: &[&[u8]], header: &[u8]) -> Imported {
    let folder = tempfile::tempdir().expect("a folder for tests");
    std::fs::write(folder.path().join("data"), header).expect("written");
    for (number, bytes) in files.iter().enumerate() {
        std::fs::write(folder.path().join(format!("data.{number}")), bytes).expect("written");
    }
    imported(folder.path())
}

fn assert_whole(trace: &Imported) {
    assert!(trace.summary.complete, "{:?}", trace.summary.notes);
    trace.assert_in_order();
    let (mut switches, expected) = (trace.switches(), 0..RECORDS as i64 * 2);
    switches.sort_unstable();
    let times: Vec<i64> = switches.iter().map(|s| s.0).collect();
    assert!(times.iter().copied().eq(expected.map(|n| 1_000 + n / 2 * STEP as i64 + n % 2)));
}

#[test]
fn rings_in_a_file_each_are_one_trace() {
    let (header, [first, second]) = rings();
    assert_whole(&folder(&[&first, &second], &header));
}

#[test]
fn rings_that_share_a_file_are_sorted_though_it_marks_no_rounds() {
    let (header, [first, second]) = rings();
    assert_whole(&folder(&[&[first, second].concat()], &header));
}

#[test]
fn where_one_file_is_damaged_the_trace_ends_for_all() {
    let (header, [first, second]) = rings();
    let size = second.len() / RECORDS as usize;
    let whole = 20_000;
    for cut in [whole * size + 5, whole * size] {
        let mut damaged = second[..cut].to_vec();
        damaged.extend([0; 8]); // a record of no size
        let trace = folder(&[&first, &damaged], &header);
        assert!(!trace.summary.complete);
        assert!(trace.summary.notes.iter().any(|note| note.contains("data.1")), "{:?}", trace.summary.notes);
        let latest = trace.switches().iter().map(|s| s.0).max();
        assert_eq!(
            latest,
            Some(1_000 + (whole as i64 - 1) * STEP as i64 + 1),
            "nothing of CPU 0 beyond what CPU 1 has"
        );
    }
}

#[test]
fn a_gap_in_the_files_is_refused() {
    let (header, [first, second]) = rings();
    let folder = tempfile::tempdir().expect("a folder for tests");
    for (name, bytes) in [("data", &header), ("data.0", &first), ("data.2", &second)] {
        std::fs::write(folder.path().join(name), bytes).expect("written");
    }
    let Err(error) = common::import(folder.path(), &Default::default()) else { panic!("imported") };
    assert!(error.to_string().contains("data.1 is not beside it"), "{error}");
}

#[test]
fn a_folder_without_its_other_files_is_refused() {
    let (header, _) = rings();
    assert!(refusal(&header).starts_with("its records are in files beside it, data.0 and so on"));
}
