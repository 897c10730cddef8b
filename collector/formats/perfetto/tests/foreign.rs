//! Traces made with Perfetto's own message definitions (`data/make.py`), as the tracer writes them.

mod common;

use common::{Tables, import, story};
use std::path::{Path, PathBuf};
use wastenot_import::ImportSummary;

fn data(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data").join(format!("{name}.pftrace"))
}

fn read(name: &str) -> (Tables, ImportSummary) {
    import(&data(name)).unwrap_or_else(|e| panic!("{e}"))
}

#[test]
fn every_event_becomes_its_row() {
    let (tables, summary) = read("full");
    let events = story(&tables);
    assert_eq!(
        events.iter().filter(|line| !line.contains("thread_name")).collect::<Vec<_>>(),
        [
            "1000 sched_switch 0 0 0 120 100 120",
            "1500 sched_waking 0 200 1 120",
            "1600 sched_wakeup 1 200 1 120 false",
            "1700 sched_switch 1 0 0 120 200 120",
            "2000 sched_switch 0 100 2 120 0 120",
            "3000 sched_switch 1 200 1 120 201 110",
            "4000 sched_migrate_task 0 200 1 0",
            "4100 sched_switch 0 0 0 120 200 120",
            "4200 process_fork 0 200 202 100",
            "4220 sched_wakeup 0 202 2 120 true",
            "4400 process_exec 0 200 200",
            "4500 process_exit 0 200",
            "4600 sched_switch 0 200 6 120 0 120",
            "5000 irq_span 0 50000 2 33",
            "100000 cgroup_move 0 201 77",
            "100100 cpu_hotplug 3 true",
            "100400 cpu_idle 0 2",
            "100500 cpu_frequency 3 2400000",
            "100600 cpu_idle 0",
        ]
    );
    assert!(events.contains(&"4300 thread_name 200 100 wörker 2".to_owned()), "{events:#?}");
    assert!(events.iter().any(|line| line.ends_with("thread_name 201 100 worker")), "{events:#?}");
    assert_eq!(
        (summary.counts.garbled, summary.counts.ignored),
        (1, 2),
        "an idle CPU -1, a failed hotplug and a print"
    );
    assert!(summary.complete);
    assert_eq!(summary.counts.read["sched_switch"], 6);
}

#[test]
fn what_the_trace_says_of_itself_is_kept() {
    let (tables, _) = read("full");
    let trace = wastenot_schemas::trace::View::try_new(&tables["trace"][0]).unwrap();
    assert_eq!(trace.recorder.value(0), "Perfetto v47.0");
    assert_eq!((trace.kernel.value(0), trace.clock.value(0)), ("6.1.0-18-amd64", "boottime"));
    assert_eq!(trace.epoch_ns.value(0), 1_700_000_000_000_000_000);
    assert_eq!((trace.start_ns.value(0), trace.end_ns.value(0)), (1000, 100_100));
    let machine = wastenot_schemas::machine::View::try_new(&tables["machine"][0]).unwrap();
    assert_eq!((machine.arch.value(0), machine.cpus_possible.value(0)), ("x86_64", 4));
}

#[test]
fn compressed_packets_are_the_same_trace() {
    assert_eq!(story(&read("deflate").0), story(&read("full").0));
}

#[test]
fn compact_switches_know_who_left_from_the_switch_before() {
    let (tables, summary) = read("compact");
    let mut events = story(&tables);
    events.retain(|line| !line.contains("thread_name"));
    assert_eq!(
        events,
        [
            "1000 cpu_snapshot 0 true 100", // the thread that left is not recorded
            "1500 sched_waking 0 200 1 120",
            "1600 sched_wakeup 1 200 1 120 false",
            "1700 cpu_snapshot 1 true 200",
            "2000 sched_switch 0 100 2 - 0 120",
            "3000 sched_switch 1 200 1 - 201 110",
            "3000 lost_events 9000 1 - any",
            "4100 sched_switch 0 0 0 - 201 -1", // across two bundles
            "9000 cpu_snapshot 1 true 0",       // nor is it after a loss
            "9500 sched_switch 1 0 0 - 200 120",
        ]
    );
    assert!(summary.complete);
    let overrun = "the kernel overwrote 25 events of CPU 1 before they were read";
    assert!(summary.notes.iter().any(|note| note == overrun), "{:?}", summary.notes);
}

#[test]
fn stamps_of_every_clock_are_converted_to_the_primary_one() {
    let (tables, summary) = read("clocks");
    let mut events = story(&tables);
    events.retain(|line| !line.contains("thread_name"));
    assert_eq!(events, ["9000 sched_switch 0 0 0 120 100 120", "13000 sched_switch 1 0 0 120 200 120"]);
    let trace = wastenot_schemas::trace::View::try_new(&tables["trace"][0]).unwrap();
    assert_eq!((trace.clock.value(0), trace.epoch_ns.value(0)), ("monotonic", 5_002_000));
    assert!(!summary.notes.iter().any(|note| note.contains("clock")), "{:?}", summary.notes);
}

#[test]
fn they_are_recognised_and_other_files_are_not() {
    for name in ["full", "compact", "clocks", "deflate"] {
        let bytes = std::fs::read(data(name)).unwrap();
        assert!(wastenot_perfetto::recognises(&bytes), "{name}");
        assert!(wastenot_perfetto::recognises(&bytes[..bytes.len() - 5]), "{name}, cut");
    }
    let others: [&[u8]; 9] = [
        b"",
        b"\n",
        b"\n\n\n\n\n\n\n\n",
        b"\nsome text that begins with an empty line\nand goes on\n",
        b"\n\x0a0123456789",
        &[0; 64],
        b"\x1f\x8b\x08\x00\x00\x00\x00\x00",
        b"PERFILE2",
        b"\n\x02\x08\x01\n\x02\x08\x01\n\x02\x08\x01", // messages of another kind
    ];
    for other in others {
        assert!(!wastenot_perfetto::recognises(other), "{other:?}");
    }
}

/// `collector/bubbles/examples/life.c` recorded with Perfetto's SDK (its stamps are steps of a clock of the writer).
#[test]
fn bubbles_that_an_application_declares_are_read() {
    let (tables, summary) = read("bubbles");
    let kinds: Vec<u8> = tables["bubble_event"]
        .iter()
        .flat_map(|batch| {
            let view = wastenot_schemas::bubble_event::View::try_new(batch).unwrap();
            (0..view.len()).map(|i| view.row(i).kind).collect::<Vec<_>>()
        })
        .collect();
    assert_eq!(kinds, [0, 0, 0, 3, 3, 2, 6, 7, 5, 10, 11, 10, 3, 12, 13, 14]);
    let batch = &tables["bubble_event"][0];
    let view = wastenot_schemas::bubble_event::View::try_new(batch).unwrap();
    let (made, inside, burst) = (view.row(0), view.row(5), view.row(10));
    assert_eq!((made.name, made.bubble, made.tid), (Some("all"), Some(1), made.tgid));
    assert_eq!((inside.entity_tid, inside.holder, inside.holder_id), (made.tgid, Some(1), Some(2)));
    assert_eq!((view.row(12).status, burst.status), (Some(-40), None), "a loop was refused");
    assert!(burst.ts_ns - made.ts_ns > 10_000_000, "the program waited 10 ms before");
    assert!(summary.notes.iter().any(|line| line.starts_with("no scheduler events")), "{:?}", summary.notes);
}

/// The trace of this name with another release and other bytes for the state "preempted" (0x100: 80 02).
fn of_kernel(name: &str, release: &str, preempted: [u8; 2]) -> (Tables, ImportSummary) {
    assert_eq!(release.len(), "6.1.0-18-amd64".len(), "texts have their length before them");
    let mut bytes = std::fs::read(data(name)).unwrap();
    let at = bytes.windows(release.len()).position(|part| part == b"6.1.0-18-amd64").expect("its release");
    bytes[at..at + release.len()].copy_from_slice(release.as_bytes());
    let places: Vec<usize> = (1..bytes.len() - 1).filter(|&at| bytes[at - 1..=at + 1] == [0x20, 0x80, 0x02]).collect();
    assert_eq!(places.len(), 1, "one thread is left preempted");
    bytes[places[0]..=places[0] + 1].copy_from_slice(&preempted);
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), bytes).unwrap();
    import(file.path()).unwrap_or_else(|error| panic!("{error}"))
}

#[test]
fn the_release_says_which_number_is_preempted() {
    let state = |tables: &Tables| {
        let events = story(tables);
        let line = events.iter().find(|line| line.starts_with("3000 sched_switch 1 200")).expect("the switch");
        line.split(' ').nth(4).unwrap().to_owned()
    };
    // 2048 as two bytes is 80 10; 256 is 80 02.
    for (release, bytes, code, is_noted) in [
        ("4.4.0-21-amd64", [0x80, 0x10], "1", false),
        ("4.4.0-21-amd64", [0x80, 0x02], "11", false), // TASK_WAKING
        ("6.1.0-18-amd64", [0x80, 0x10], "13", true),
        ("6.1.0-18-amd64", [0x80, 0x02], "1", false),
    ] {
        let (tables, summary) = of_kernel("full", release, bytes);
        assert_eq!(state(&tables), code, "{release} {bytes:?}");
        assert_eq!(summary.notes.iter().any(|note| note.contains("does not write")), is_noted);
        assert_eq!(summary.unverified, Vec::<String>::new());
    }
    let (tables, summary) = of_kernel("full", "no-release-all", [0x80, 0x10]);
    assert_eq!(state(&tables), "1");
    assert!(summary.unverified[0].contains("the kernel's release is not in the trace"), "{:?}", summary.unverified);
}
