//! What is exported comes back as it was.

mod common;

use common::{
    assert_same_events, assert_same_findings, checked, drawn, export, import, import_with, lines, readers, story,
};
use std::path::Path;
use wastenot_import::Options;
use wastenot_perfetto::write;
use wastenot_schemas::{EvidenceKind, evidence, trace};

/// Every event that can be drawn.
const DRAWING: &str = "
    cpus 0-3
    llc 0-1 2-3
    node 0-3
    core 0,1
    core 2,3
    isolated 3
    tick 4ms
    window 0us 20ms
    0us cpu 0 runs 100
    0us cpu 1 idle
    0us cpu 2 idle
    0us cpu 3 offline
    0us thread 100 a on 0 running
    0us thread 101 a on 0 queued mask 0,1 cpuset 0-3
    0us thread 105 a on 0 asleep
    1us fork 100 -> 102
    1us name 102 child
    1us wakeup_new 102 on 0
    5us switch 0: 100 R+ -> 101
    6us waking 105 last 1
    6us wakeup 105 on 0
    7us migrate 102 from 0 to 1
    7us migrate 102 to 0
    8us exec 102 was 100
    8us name 102 other child
    9us affinity 101 0-1 cpuset 0-1
    9us throttle 101 on
    10us throttle 101 off
    10us migration 101 disabled
    11us migration 101 enabled
    11us cookie 101 7
    12us cookie 101 0
    12us cgroup 101 12
    13us irq 1 for 30us
    14us cpu_frequency 2 = 1800000
    14us cpu_idle 2 enters 1
    15us cpu_idle 2 leaves
    60us nr_running 0 = 2
    70us switch 0: 101 ? -> 105
    80us switch 0: 105 K -> 102
    90us exit 102
    90us switch 0: 102 X -> 0
    95us online 3
    96us offline 3
    97us lost 1 until 110us
    98us lost any until 99us
    12ms wakeup 101 on 0
    12ms switch 0: 0 R -> 101
    19ms switch 0: 101 S -> 0
";

#[test]
fn a_drawing_with_every_kind_of_event_comes_back() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("T.pftrace");
    let before = drawn(DRAWING);
    export(&before, &path).unwrap();
    let (tables, summary) = import(&path).unwrap();
    assert_eq!(summary.notes, Vec::<String>::new());
    let after = checked(tables);
    assert_same_events(&before, &after);
    assert_same_findings(&before, &after);
}

#[test]
fn masks_and_machines_that_the_user_declares_are_taken_for_an_export_too() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("T.pftrace");
    export(&drawn(DRAWING), &path).unwrap();
    let machine = wastenot_machine::Machine::of_cpus(6, None, None).to_json();
    let options = Options::new(&["*child=2-3".to_owned()], Some(&machine), None).unwrap();
    let (tables, _) = import_with(&path, &options).unwrap();
    let affinity: Vec<String> = story(&tables).into_iter().filter(|line| line.contains(" affinity ")).collect();
    assert_eq!(affinity, ["1000 affinity - 102 3", "8000 affinity - 102 3", "9000 affinity - 101 1 - 1"]);
    assert_eq!(lines(&tables, "cpu").len(), 6);
}

#[test]
fn what_cannot_be_exported_ends_in_one_line_and_leaves_no_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("T.pftrace");
    let mut tables = drawn(DRAWING);
    let message = write(readers(&tables), &path, &mut |_| Err("interrupted".into())).unwrap_err().to_string();
    assert_eq!((message.as_str(), path.exists()), ("interrupted", false));

    let twice = tables["sched_switch"][0].slice(0, 1);
    tables.get_mut("sched_switch").unwrap().push(twice);
    let message = export(&tables, &path).unwrap_err().to_string();
    assert_eq!(message, "table sched_switch: event id 10 occurs twice or behind a larger one (was the trace edited?)");
    assert!(!path.exists());

    tables.remove("trace");
    assert_eq!(export(&tables, &path).unwrap_err().to_string(), "table trace: no row; this is not a trace");
    let message = export(&tables, &folder.path().join("no/such")).unwrap_err().to_string();
    assert!(message.ends_with("No such file or directory (os error 2)"), "{message}");
}

/// The row of `trace` had lists of evidence in version 4.
#[test]
fn an_export_of_version_4_says_what_was_recorded() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../fixtures/files/schema-4.pftrace");
    let (tables, summary) = import(&file).unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(
        summary.notes,
        ["topology and scheduling domains are not in the trace; --machine or --topology declares them"]
    );
    let view = evidence::View::try_new(&tables["evidence"][0]).unwrap();
    let rows: Vec<_> = (0..view.len()).map(|i| (view.row(i).kind, view.row(i).state, view.row(i).why)).collect();
    let state = |kind| match kind {
        EvidenceKind::PerCpuThread => "recorded",
        EvidenceKind::Migrations => "partial",
        _ => "absent",
    };
    assert_eq!(rows, EvidenceKind::ALL.map(|kind| (kind.name(), state(kind), None)));
}

/// `trace.evidence_level` was called `trace.evidence` up to version 5.
#[test]
fn exports_of_versions_4_and_5_have_their_evidence_level() {
    for name in ["schema-4.pftrace", "schema-5.pftrace"] {
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../fixtures/files").join(name);
        let (tables, summary) = import(&file).unwrap_or_else(|e| panic!("{e}"));
        let view = trace::View::try_new(&tables["trace"][0]).unwrap();
        assert_eq!((summary.evidence_level.as_str(), view.evidence_level.value(0)), ("L0", "L0"), "{name}");
    }
}
