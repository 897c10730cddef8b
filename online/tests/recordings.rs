//! Recorded part folders, walked over as if they went on: the counters at the end are the figures of the check.

#[path = "../../checker/tests/online/figures.rs"]
mod figures;
mod part;

use std::path::{Path, PathBuf};
use wastenot_checker::{Counters, Options, TableSet};
use wastenot_online::replay_part;

/// The part folders below a folder.
fn parts_in(folder: &Path, found: &mut Vec<PathBuf>) {
    for path in std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).filter(|path| path.is_dir()) {
        match path.extension().is_some_and(|extension| extension == "part") {
            true => found.push(path),
            false => parts_in(&path, found),
        }
    }
}

#[test]
fn counters_at_the_end_are_the_figures_of_the_check() {
    let mut parts = Vec::new();
    parts_in(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures/traces"), &mut parts);
    assert!(parts.len() >= 100);
    parts.sort();
    let every = if std::env::var("RELEASES").is_ok_and(|which| which == "all") { 1 } else { 3 };
    let parts: Vec<PathBuf> = parts.into_iter().skip(every - 1).step_by(every).collect();
    let (mut waste, mut causes) = (0, 0);
    for part in &parts {
        let options = Options { tables: TableSet::Verdict, ..Options::default() };
        let copy = part::read_as_before(part);
        let truth = figures::of_tables(&part::check(copy.path(), &options));
        for step_ns in [7_000_001, 1_000_000_000] {
            let mut all: Vec<Counters> = Vec::new();
            replay_part(copy.path(), options.clone(), step_ns, &mut |counters, _| {
                all.push(counters);
                Ok(())
            })
            .unwrap_or_else(|e| panic!("{}: {e}", part.display()));
            let last = all.last().expect("the counters at the end");
            assert_eq!(figures::of_counters(last), truth, "{}", part.display());
            assert!(
                all.iter().all(|c| c.grades[..5].iter().map(|g| g.core_ns).sum::<i64>() + c.ungraded_ns == c.wasted_ns)
            );
            assert!(all.windows(2).all(|c| c[0].wasted_ns <= c[1].wasted_ns && c[0].until_ns <= c[1].until_ns));
            waste += usize::from(last.wasted_ns > 0);
            causes += last.causes.len();
        }
    }
    println!("{} recordings, waste in {}, {causes} answers", parts.len(), waste / 2);
    assert!(waste > parts.len() && causes > parts.len());
}
