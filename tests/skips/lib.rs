//! Skips of Rust tests. cargo does not show what a passing test prints, so [`skip`] appends a line to the file that
//! `WASTENOT_SKIPS` names; `scripts/test` sets it and prints the list at its end.
//!
//! Where `WASTENOT_REQUIRE_LIVE` is 1 a skip fails the test: on a machine on which live recording and all tools are known to work,
//! a skip is a regression. Python's tests follow the same variables (`conftest.py`).

use std::fmt::Display;
use std::io::Write;

/// List the present test as one that cannot run here, for this reason. Return from the test after it.
#[track_caller]
pub fn skip(why: impl Display) {
    let line = list(&why);
    assert!(!forbidden(), "WASTENOT_REQUIRE_LIVE=1: {line}");
}

/// List the present test as one of a missing feature that is present here. Never a failure.
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

/// Whether `WASTENOT_REQUIRE_LIVE` turns every skip into a failure.
pub fn forbidden() -> bool {
    std::env::var_os("WASTENOT_REQUIRE_LIVE").is_some_and(|value| value == "1")
}
