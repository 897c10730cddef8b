//! BPF programs compiled for this machine, over drawn kernel structures (`programs/`).

use std::path::Path;
use std::process::Command;

/// Compile and run a test of `programs/`.
fn run(name: &str) {
    let folder = tempfile::tempdir().unwrap();
    let program = folder.path().join(name);
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/programs").join(name).with_extension("c");
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

#[test]
fn every_look_of_the_sentinel_reports_what_was_drawn() {
    run("looks");
}

#[test]
fn interrupt_work_in_a_black_box_is_covered_in_pieces() {
    run("irq_pieces");
}
