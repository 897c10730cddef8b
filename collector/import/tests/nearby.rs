//! Files near a trace.

use std::fs;
use wastenot_import::{Options, find_nearby};

#[test]
fn symbols_are_those_given_else_those_stored_else_those_nearby() {
    let top = tempfile::tempdir().unwrap();
    let folder = top.path().join("a/b/c/d");
    fs::create_dir_all(&folder).unwrap();
    let trace = [folder.join("trace.dat")];
    fs::write(&trace[0], "").unwrap();
    let own = || Some("10 T stored".to_owned());
    let name = |options: &Options, stored: fn() -> Option<String>| options.symbols(&trace, stored).name(0x10);
    let none = Options::default();
    assert_eq!(name(&none, || None), "0x10");
    fs::write(top.path().join("a/kallsyms"), "10 T too_far").unwrap();
    assert_eq!(name(&none, || None), "0x10", "three folders above");
    fs::write(top.path().join("a/b/kallsyms"), "10 T beside").unwrap();
    assert_eq!(name(&none, || None), "beside+0x0");
    assert_eq!(name(&none, own), "stored+0x0");
    let given = Options { kallsyms: Some(top.path().join("a/kallsyms")), ..Options::default() };
    assert_eq!(name(&given, own), "too_far+0x0");
    // A folder that is a trace is searched first.
    fs::write(folder.join("kallsyms"), "10 T nearer").unwrap();
    assert_eq!(
        find_nearby(std::slice::from_ref(&folder), &["kallsyms"]),
        Some(folder.join("kallsyms").canonicalize().unwrap())
    );
    assert_eq!(find_nearby(&[top.path().join("none")], &["kallsyms"]), None);
}
