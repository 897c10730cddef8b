//! Tests that cannot run where they are say so here: cargo swallows what a passing test prints.
//!
//! [`skip`] appends a line to the file that `WASTENOT_SKIPS` names (`scripts/test` sets it and prints the list at its end), and
//! fails the test where `WASTENOT_NO_SKIP` is 1: on a machine on which all tests are known to run, a skip is a regression.

use std::fmt::Display;
use std::io::Write;

/// The present test cannot run here, for this reason. Return from the test after it.
#[track_caller]
pub fn skip(why: impl Display) {
    let line = list(&why);
    assert!(!forbidden(), "WASTENOT_NO_SKIP=1: {line}");
}

/// The present test looks at what happens where something is missing, and here nothing is. It is listed, and never a failure.
#[track_caller]
pub fn inapplicable(why: impl Display) {
    list(&why);
}

#[track_caller]
fn list(why: &dyn Display) -> String {
    let thread = std::thread::current();
    let place = std::panic::Location::caller();
    let line = format!("SKIPPED [1] {}:{}: {}: {why}", place.file(), place.line(), thread.name().unwrap_or("?"));
    let line = line.replace('\n', " ");
    println!("{line}");
    if let Some(list) = std::env::var_os("WASTENOT_SKIPS") {
        let appended = std::fs::File::options().create(true).append(true).open(&list);
        let written = appended.and_then(|mut list| list.write_all(format!("{line}\n").as_bytes()));
        written.unwrap_or_else(|error| panic!("WASTENOT_SKIPS={}: {error}", list.to_string_lossy()));
    }
    line
}

/// Whether `WASTENOT_NO_SKIP` turns every skip into a failure.
pub fn forbidden() -> bool {
    std::env::var_os("WASTENOT_NO_SKIP").is_some_and(|value| value == "1")
}
