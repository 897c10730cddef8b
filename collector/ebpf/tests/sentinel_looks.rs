//! The sentinel's program over drawn runqueues: `sentinel/looks.c`, compiled for this machine.

use std::path::Path;
use std::process::Command;

#[test]
fn every_look_reports_what_was_drawn() {
    let folder = tempfile::tempdir().unwrap();
    let program = folder.path().join("looks");
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/sentinel/looks.c");
    let clang = std::env::var("CLANG").unwrap_or_else(|_| "clang".into());
    let compiled = Command::new(&clang)
        .args(["-O1", "-g", "-std=gnu11", "-Wno-everything", "-Dpreserve_access_index=annotate(\"x\")", "-o"])
        .args([&program, &source])
        .status()
        .unwrap_or_else(|error| panic!("{clang}: {error}"));
    assert!(compiled.success());
    let ran = Command::new(&program).output().unwrap();
    assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stderr));
}
