//! A real recording of this machine contradicts itself nowhere, from its first record on.

mod recording;

use recording::{Contradictions, Load, events, record, run};
use std::time::Duration;
use wastenot_ebpf::record::Record;
use wastenot_ebpf::segment::Tail;
use wastenot_ebpf::{EventGroup, Options};
use wastenot_schemas::{EvidenceKind, Excuse};

/// Wakeups, forks, migrations and sleeps on all CPUs, while the recorder starts and while it records.
fn busy_machine() -> Load {
    run("for i in 1 2 3 4 5 6; do (while :; do sleep 0.001; /bin/true; done) & done; wait")
}

fn consistent(options: Options, exact_start: bool) {
    let folder = tempfile::tempdir().unwrap();
    let part = folder.path().join("t.part");
    let load = busy_machine();
    std::thread::sleep(Duration::from_millis(200));
    let meta = record(&part, options, |_| std::thread::sleep(Duration::from_millis(800)));
    drop(load);
    let Some(meta) = meta else { return };
    assert_eq!(meta.end_reason.as_deref(), Some("duration"));
    let stats = meta.stats.unwrap();
    assert_eq!(stats.lost, 0);
    let (events, tail) = events(&part);
    assert_eq!(tail, Tail::Finished { last: true });
    let found = Contradictions::of(&events);
    println!("{} events, {} switches ({} hidden), {:?}", events.len(), found.switches, found.hidden_by_sandbox, stats);
    assert!(found.switches > 500, "{}", found.switches);
    assert!(found.wrong_prev.is_empty(), "{:#?}", found.wrong_prev);
    assert!(found.two_cpus.is_empty(), "{:#?}", found.two_cpus);
    assert!(found.queued_at_wakeup.len() <= 2, "{:#?}", found.queued_at_wakeup);
    let unwoken = if found.hidden_by_sandbox > 0 { found.switches / 200 } else { 0 };
    assert!(found.wrong_pick.len() <= unwoken || !exact_start, "{:#?}", found.wrong_pick);
    assert!(found.unknown.is_empty() || !exact_start, "{:#?}", found.unknown);
    assert!(found.twice.is_empty() || !exact_start, "{:#?}", found.twice);
    // To detach the programs takes milliseconds, in which they record nothing.
    let last_ns = events.iter().filter(|e| matches!(e.record, Record::Switch(_))).map(|e| e.ts_ns).max().unwrap();
    let end_ns = meta.end_ns.unwrap();
    assert!(end_ns.abs_diff(last_ns) < 1_000_000, "the last switch at {last_ns}, the end at {end_ns}");
    assert!(events.iter().any(|e| matches!(e.record, Record::CgroupInfo { .. })));
    let stacks = events.iter().filter(|e| matches!(e.record, Record::Stack { .. })).count();
    let migrations = events.iter().filter(|e| matches!(e.record, Record::Migrate(m) if m.stack_id >= 0)).count();
    assert!(stacks > 0 || migrations == 0, "every migration's stack is written");
}

#[test]
fn no_thread_is_in_two_places_and_none_is_missing() {
    consistent(Options::default(), true);
}

#[test]
fn programs_for_kernels_before_5_12_record_the_same() {
    consistent(Options { early: true, ..Options::default() }, true);
}

#[test]
fn raw_tp_records_the_same_where_tp_btf_is_refused() {
    consistent(Options { raw_tp: true, ..Options::default() }, false);
}

#[test]
fn groups_of_events_can_be_left_out() {
    let folder = tempfile::tempdir().unwrap();
    let part = folder.path().join("t.part");
    let options = Options { events: vec![EventGroup::Migrate], stacks: false, ..Options::default() };
    let Some(meta) = record(&part, options, |_| std::thread::sleep(Duration::from_millis(300))) else { return };
    let recorded = meta.recorded();
    assert!(Excuse::ALL.into_iter().all(|excuse| recorded.shows(excuse) == (excuse != Excuse::IrqBusy)));
    assert_eq!(recorded.why_not(EvidenceKind::IrqBusy), Some("not asked for"));
    let records = meta.stats.unwrap().records;
    assert!(records.contains_key("Switch") && !records.contains_key("NrRunning"), "{records:?}");
}
