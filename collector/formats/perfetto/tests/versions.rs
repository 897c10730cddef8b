//! What each version of our exports holds, and that earlier ones can still be read.

mod common;

use common::{assert_same_events, assert_same_findings, checked, drawn, export, import, story};
use std::path::{Path, PathBuf};

fn data(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data").join(name)
}

fn drawing() -> String {
    std::fs::read_to_string(data("version-1.txt")).unwrap()
}

/// The bytes of an export of the drawing, by this version.
fn exported() -> Vec<u8> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("T.pftrace");
    export(&drawn(&drawing()), &path).unwrap();
    std::fs::read(path).unwrap()
}

/// The events of a trace of these bytes, and the program that is said to have recorded them.
fn read(bytes: &[u8]) -> (common::Tables, String) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("T.pftrace");
    std::fs::write(&path, bytes).unwrap();
    let (tables, _) = import(&path).unwrap();
    let trace = wastenot_schemas::trace::View::try_new(&tables["trace"][0]).unwrap();
    let recorder = trace.recorder.value(0).to_owned();
    (tables, recorder)
}

fn varint(bytes: &[u8], at: &mut usize) -> u64 {
    let (mut value, mut shift) = (0, 0);
    loop {
        let byte = bytes[*at];
        value |= u64::from(byte & 127) << shift;
        (*at, shift) = (*at + 1, shift + 7);
        if byte < 128 {
            return value;
        }
    }
}

/// The fields of a message with the bytes that each takes, and with what is in it where it is not a number.
fn fields(message: &[u8]) -> Vec<(u64, &[u8], &[u8])> {
    let (mut fields, mut at) = (Vec::new(), 0);
    while at < message.len() {
        let begin = at;
        let tag = varint(message, &mut at);
        let n = varint(message, &mut at) as usize;
        let content = match tag & 7 {
            0 => &message[at..at],
            2 => &message[at..at + n],
            other => panic!("type {other} is not written"),
        };
        at += content.len();
        fields.push((tag >> 3, &message[begin..at], content));
    }
    fields
}

#[test]
fn an_export_of_version_1_comes_back_as_it_was() {
    let (tables, summary) = import(&data("version-1.pftrace")).unwrap();
    assert_eq!((summary.complete, summary.notes), (true, vec![]));
    let (before, after) = (drawn(&drawing()), checked(tables));
    assert_same_events(&before, &after);
    assert_same_findings(&before, &after);
}

#[test]
fn an_export_comes_back_from_its_rows_alone() {
    let bytes = exported();
    let packets = fields(&bytes);
    let bundles = |content: &[u8]| fields(content).iter().any(|(number, ..)| *number == 1);
    let rows: Vec<&[u8]> =
        packets.iter().filter(|(_, _, content)| !bundles(content)).map(|(_, whole, _)| *whole).collect();
    assert!(rows.len() < packets.len());
    assert_same_events(&drawn(&drawing()), &read(&rows.concat()).0);
}

#[test]
fn events_have_no_fields_of_ours() {
    let bytes = exported();
    let mut events = 0;
    for (_, _, packet) in fields(&bytes) {
        for (_, _, bundle) in fields(packet).into_iter().filter(|(number, ..)| *number == 1) {
            let numbers: Vec<u64> = fields(bundle).iter().map(|(number, ..)| *number).collect();
            assert!(numbers.iter().all(|number| (1..=3).contains(number)), "{numbers:?}");
            events += numbers.iter().filter(|number| **number == 2).count();
        }
    }
    assert!(events > 15, "{events} events");
}

#[test]
fn the_events_of_both_versions_are_the_same_for_other_programs() {
    // A packet without fields of ours, and without those of ours in its bundle.
    let others = |bytes: &[u8]| -> Vec<Vec<u8>> {
        let packets = fields(bytes).into_iter().map(|(_, _, packet)| {
            let kept = fields(packet).into_iter().filter(|(number, ..)| *number < 5000);
            let parts = kept.map(|(number, whole, content)| match number {
                1 => fields(content).iter().filter(|(number, ..)| *number < 5000).map(|(_, whole, _)| *whole).collect(),
                _ => vec![whole],
            });
            parts.flatten().flatten().copied().collect::<Vec<u8>>()
        });
        packets.filter(|packet| packet.len() > 2).collect() // more than the number of the sequence
    };
    let (one, two) = (others(&std::fs::read(data("version-1.pftrace")).unwrap()), others(&exported()));
    let events =
        |packets: &[Vec<u8>]| packets.iter().filter(|packet| packet.first() == Some(&8)).cloned().collect::<Vec<_>>();
    assert!(events(&one).len() >= 4);
    assert_eq!(events(&one), events(&two));
}

#[test]
fn a_version_that_is_not_known_is_any_trace_of_perfetto() {
    let bytes = exported();
    let header = bytes.windows(3).position(|at| at == [8, 2, 18]).expect("version 2, then the writer");
    let mut later = bytes.clone();
    later[header + 1] = 3;
    let ((known, recorder), (tables, other_recorder)) = (read(&bytes), read(&later));
    assert_ne!(recorder, other_recorder);
    let affinity = |tables| story(tables).iter().filter(|line| line.contains(" affinity ")).count();
    assert!(affinity(&known) > 0);
    assert_eq!(affinity(&tables), 0, "it has rows that Perfetto has no message for");
    assert!(story(&tables).iter().any(|line| line.contains(" sched_switch ")));
}
