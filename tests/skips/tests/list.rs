//! A skip is a line of the list, and a failure where skips are forbidden.

use std::process::{Command, Output};

const ROLE: &str = "WASTENOT_SKIPS_TEST_ROLE";

/// This test binary again, with its first test taking the role of one that cannot run.
fn one_that_cannot_run(list: &std::path::Path, require_live: &str) -> Output {
    Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "a_skip_is_listed_and_fails_where_skips_are_forbidden"])
        .envs([(ROLE, "skip"), ("WASTENOT_REQUIRE_LIVE", require_live)])
        .env("WASTENOT_SKIPS", list)
        .output()
        .unwrap()
}

#[test]
fn a_skip_is_listed_and_fails_where_skips_are_forbidden() {
    if std::env::var_os(ROLE).is_some() {
        return wastenot_skips::skip("there is\nno moon");
    }
    let list = std::env::temp_dir().join(format!("wastenot-skips-{}", std::process::id()));
    let skipped = one_that_cannot_run(&list, "0");
    let failed = one_that_cannot_run(&list, "1");
    let lines = std::fs::read_to_string(&list).unwrap();
    std::fs::remove_file(&list).unwrap();
    assert!(skipped.status.success() && !failed.status.success());
    assert_eq!(lines.lines().count(), 2, "{lines}");
    let expected = "a_skip_is_listed_and_fails_where_skips_are_forbidden: there is no moon";
    assert!(lines.lines().all(|line| line.starts_with("SKIPPED [1] ") && line.ends_with(expected)), "{lines}");
}
