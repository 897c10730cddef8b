//! A recording written by hand, decoded through the public API.

use arrow_array::RecordBatch;
use std::collections::BTreeMap;
use std::path::Path;
use wastenot_ebpf::decode::{CompanionTrace, DecodeError, Summary, decode};
use wastenot_ebpf::mask::{Mask, Words};
use wastenot_ebpf::record::*;
use wastenot_ebpf::segment::{NO_CPU, SegmentWriter, path};
use wastenot_ebpf::{KindRecorded, Meta, Options};
use wastenot_machine::{DomainSource, FORMAT, Machine, TickSource};
use wastenot_schemas::*;
use wastenot_topology::{Cpu, CpuSet, NumaNode};

const BASE: u64 = 1_000_000_000;
const MS: u64 = 1_000_000;

fn machine() -> Machine {
    let cpus = CpuSet::parse_list("0-1").unwrap();
    let cpu = |cpu| Cpu { cpu, node: Some(0), core: Some(cpu), llc: Some(0), capacity: 1024, ..Cpu::default() };
    Machine {
        format: FORMAT,
        host: None,
        arch: None,
        model: None,
        kernel: Some("6.18".into()),
        cmdline: None,
        tick_ns: 4_000_000,
        tick_source: TickSource::Declared,
        preemption: None,
        migration_cost_ns: None,
        rt_runtime_us: None,
        rt_period_us: None,
        possible: cpus.clone(),
        present: cpus.clone(),
        online: cpus,
        isolated: Default::default(),
        nohz_full: Default::default(),
        partitions: Vec::new(),
        cpus: vec![cpu(0), cpu(1)],
        nodes: vec![NumaNode {
            node: 0,
            cpus: CpuSet::parse_list("0-1").unwrap(),
            distances: vec![10],
            memory_bytes: None,
        }],
        domain_source: DomainSource::Derived,
        domains: Vec::new(),
        quirks: Vec::new(),
    }
}

/// Moves without stacks, and every excuse but one.
fn why_not(kind: EvidenceKind) -> Option<String> {
    use EvidenceKind as Kind;
    let is_recorded = kind == Kind::Migrations || (kind >= Kind::PerCpuThread && kind != Kind::Cookie);
    (!is_recorded).then(|| format!("no {}", kind.name()))
}

fn meta(end_ns: Option<u64>) -> Meta {
    Meta {
        format: 3,
        layout: format!("{:016x}", wastenot_ebpf::record::LAYOUT),
        source: "ebpf".into(),
        recorder: "test".into(),
        kernel: "6.18".into(),
        clock: "monotonic".into(),
        epoch_ns: 0,
        base_ns: BASE,
        start_ns: BASE,
        end_ns,
        ends_at_stop: true,
        end_reason: end_ns.map(|_| "duration".into()),
        command: None,
        options: Options::default(),
        queued_wakings_only: false,
        attach: "tp_btf".into(),
        evidence_level: "L1".into(),
        unverified: vec!["a kernel of its own".into()],
        notes: Vec::new(),
        kinds: KindRecorded::of_all(&RecordedEvidence::new(why_not)),
        counters: vec!["cycles".into()],
        functions: Vec::new(),
        cpus: 2,
        stats: None,
    }
}

/// A drain: its watermark in ms after the base, and per CPU the records with their µs after the base.
type Drain<'a> = (u64, Vec<(u16, Vec<(u64, Record<'a>)>)>);

fn write(part: &Path, meta: &Meta, drains: &[Drain<'_>], finish: bool) {
    std::fs::create_dir_all(part.join("segments")).unwrap();
    std::fs::write(part.join("machine.json"), machine().to_json()).unwrap();
    std::fs::write(part.join("meta.json"), serde_json::to_string(meta).unwrap()).unwrap();
    let mut segments = SegmentWriter::create(&part.join("segments"), BASE, 300).unwrap();
    for (watermark_ms, frames) in drains {
        for (cpu, records) in frames {
            let mut bytes = Vec::new();
            records.iter().for_each(|(us, record)| record.write(BASE + us * 1000, BASE, &mut bytes));
            segments.frame(*cpu, BASE + watermark_ms * MS, &bytes).unwrap();
        }
    }
    if finish {
        segments.finish().unwrap();
    }
}

fn switch(prev_tid: i32, prev_state: u32, next_tid: i32) -> Record<'static> {
    Record::Switch(Switch { prev_tid, next_tid, prev_prio: 120, next_prio: 120, prev_state, ..Default::default() })
}

fn wakeup(tid: i32, cpu: u16) -> Record<'static> {
    Record::Wakeup(Wakeup { tid, cpu, prio: 120, ..Default::default() })
}

type Tables = BTreeMap<&'static str, Vec<RecordBatch>>;

fn run(part: &Path) -> Result<(Summary, Tables), DecodeError> {
    let mut tables = Tables::new();
    let mut sink = |table: &'static str, batch: RecordBatch| {
        tables.entry(table).or_default().push(batch);
        Ok(())
    };
    let summary = decode(part, CompanionTrace::default(), &mut sink, &mut |_, _| {})?;
    Ok((summary, tables))
}

/// The table `evidence`, which has a row for every kind.
fn recorded(tables: &Tables) -> RecordedEvidence {
    let view = evidence::View::try_new(&tables["evidence"][0]).unwrap();
    assert_eq!(view.len(), EvidenceKind::ALL.len());
    RecordedEvidence::from_views(&[view])
}

/// Id, µs after the base and a text, of switches, wakeups and interrupt spans.
fn story(tables: &Tables) -> Vec<(i64, i64, String)> {
    let mut rows = Vec::new();
    let us = |ts_ns: i64| (ts_ns - BASE as i64) / 1000;
    for batch in tables.get("sched_switch").into_iter().flatten() {
        let view = sched_switch::View::try_new(batch).unwrap();
        rows.extend(
            (0..view.len())
                .map(|i| view.row(i))
                .map(|r| (r.id, us(r.ts_ns), format!("cpu{}: {} -> {}", r.cpu, r.prev_tid, r.next_tid))),
        );
    }
    for batch in tables.get("sched_wakeup").into_iter().flatten() {
        let view = sched_wakeup::View::try_new(batch).unwrap();
        rows.extend(
            (0..view.len())
                .map(|i| view.row(i))
                .map(|r| (r.id, us(r.ts_ns), format!("cpu{}: wakes {} on {}", r.cpu, r.tid, r.target_cpu))),
        );
    }
    for batch in tables.get("irq_span").into_iter().flatten() {
        let view = irq_span::View::try_new(batch).unwrap();
        rows.extend(
            (0..view.len())
                .map(|i| view.row(i))
                .map(|r| (r.id, us(r.ts_ns), format!("cpu{}: irq for {} us", r.cpu, r.dur_ns / 1000))),
        );
    }
    rows.sort();
    rows
}

fn drains() -> Vec<Drain<'static>> {
    let irq = Record::IrqSpan(IrqSpan { dur_ns: 400_000, vector: 3, kind: 1 });
    vec![
        (0, vec![(0, vec![(100, wakeup(7, 1)), (150, switch(0, 0, 8))])]),
        (10, vec![(1, vec![(120, switch(0, 0, 7)), (90, irq), (500, switch(7, 1, 0))])]),
        (20, vec![(0, vec![(12_000, switch(8, 2, 0))])]),
        (30, vec![]),
        (40, vec![(1, vec![(31_000, switch(0, 0, 7))])]),
    ]
}

#[test]
fn all_cpus_are_merged_by_the_start_of_spans() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), &meta(Some(BASE + 50 * MS)), &drains(), true);
    let (summary, tables) = run(folder.path()).unwrap();
    let expected = [
        (0, 90, "cpu1: irq for 400 us"),
        (1, 100, "cpu0: wakes 7 on 1"),
        (2, 120, "cpu1: 0 -> 7"),
        (3, 150, "cpu0: 0 -> 8"),
        (4, 500, "cpu1: 7 -> 0"),
        (5, 12_000, "cpu0: 8 -> 0"),
        (6, 31_000, "cpu1: 0 -> 7"),
    ];
    assert_eq!(story(&tables), expected.map(|(id, us, text)| (id, us, text.to_owned())));
    assert!(summary.complete && summary.notes.is_empty());
    assert_eq!((summary.events, summary.end_ns), (7, (BASE + 50 * MS) as i64));

    let trace = trace::View::try_new(&tables["trace"][0]).unwrap();
    assert_eq!((trace.events.value(0), trace.end_reason.value(0)), (7, "duration"));
    assert_eq!(trace.unverified(0), ["a kernel of its own"]);
    assert_eq!(recorded(&tables), RecordedEvidence::new(why_not));
    assert_eq!(tables["cpu"][0].num_rows(), 2);
    assert_eq!(machine::View::try_new(&tables["machine"][0]).unwrap().kernel.value(0), "6.18");
}

/// Recorders before wrote when the programs had been detached, which took up to a second.
#[test]
fn a_recording_of_an_earlier_recorder_ends_with_the_last_event_of_a_cpu() {
    let (folder, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let detached = Some(BASE + 1050 * MS);
    write(folder.path(), &Meta { ends_at_stop: false, ..meta(detached) }, &drains(), true);
    let before = run(folder.path()).unwrap().0;
    assert_eq!((before.complete, before.end_ns), (true, (BASE + 31 * MS) as i64));
    write(other.path(), &meta(detached), &drains(), true);
    assert_eq!(run(other.path()).unwrap().0.end_ns, (BASE + 1050 * MS) as i64);
}

/// `meta.json` of a recording, with a field changed.
fn with_field(part: &Path, field: &str, value: serde_json::Value) {
    write(part, &meta(Some(BASE + 50 * MS)), &drains(), true);
    let path = part.join("meta.json");
    let mut text: serde_json::Value = serde_json::from_slice(&std::fs::read(&path).unwrap()).unwrap();
    text[field] = value;
    std::fs::write(&path, text.to_string()).unwrap();
}

#[test]
fn a_recording_in_a_format_that_is_not_known_is_refused_in_one_line() {
    for (field, value, format) in [("format", 6.into(), 6), ("layout", "0123456789abcdef".into(), 3)] {
        let folder = tempfile::tempdir().unwrap();
        with_field(folder.path(), field, value);
        let message = run(folder.path()).unwrap_err().to_string();
        assert!(message.contains(&format!("recorded by test in format {format}")), "{message}");
        assert!(
            message.ends_with("check it with the version that recorded it") && !message.contains('\n'),
            "{message}"
        );
    }
}

#[test]
fn a_recording_with_an_equal_layout_under_an_older_hash_is_read() {
    let folder = tempfile::tempdir().unwrap();
    with_field(folder.path(), "layout", "61688df87b02aff2".into());
    assert_eq!(run(folder.path()).unwrap().0.end_reason, "duration");
}

/// Recordings of all versions of format 1: of the first records, with readings of schedstat, with kicks and placements.
#[test]
fn recordings_of_format_1_are_read_and_say_what_they_recorded() {
    let traces = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/traces");
    for (part, level, attempts) in [
        ("format-1.part", "L1", false),
        ("rig/isolcpus-6.1-8.part", "L2", true),
        ("rig/placements-6.12-8.part", "L3", true),
    ] {
        let (summary, tables) = run(&traces.join(part)).unwrap();
        assert_eq!(summary.evidence_level, level, "{part}");
        let recorded = recorded(&tables);
        assert!(Excuse::ALL.into_iter().all(|excuse| recorded.shows(excuse)), "{part}: {recorded:?}");
        assert!(recorded.is_recorded(EvidenceKind::MigrationStacks), "{part}: {recorded:?}");
        assert_eq!(recorded.is_recorded(EvidenceKind::LoadBalanceAttempts), attempts, "{part}: {recorded:?}");
    }
}

#[test]
fn a_recording_in_format_4_has_counts_at_switches_and_queued_wakings_only() {
    let part = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/traces/format-4.part");
    let (summary, tables) = run(&part).unwrap();
    assert_eq!(summary.evidence_level, "L1");
    let rows =
        |name: &str| tables.get(name).map_or(0, |batches| batches.iter().map(RecordBatch::num_rows).sum::<usize>());
    assert_eq!(rows("nr_running"), 0);
    assert!(rows("sched_waking") * 10 < rows("sched_wakeup"), "{} of {}", rows("sched_waking"), rows("sched_wakeup"));
    assert!(rows("sched_waking") > 0);
}

#[test]
fn a_recording_in_format_2_is_read_and_says_what_it_recorded() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), &meta(Some(BASE + 50 * MS)), &drains(), true);
    let path = folder.path().join("meta.json");
    let mut text: serde_json::Value = serde_json::from_slice(&std::fs::read(&path).unwrap()).unwrap();
    let fields = text.as_object_mut().unwrap();
    fields.retain(|field, _| field != "kinds" && field != "notes");
    fields.insert("format".into(), 2.into());
    fields.insert("recorded_evidence".into(), vec!["placements"].into());
    fields.insert("recorded_excuses".into(), vec!["affinity", "throttled"].into());
    fields.insert("degraded".into(), vec!["not recorded: exits (EACCES)"].into());
    std::fs::write(&path, text.to_string()).unwrap();
    let (summary, tables) = run(folder.path()).unwrap();
    let recorded = recorded(&tables);
    let names: Vec<&str> =
        EvidenceKind::ALL.into_iter().filter(|&kind| recorded.is_recorded(kind)).map(EvidenceKind::name).collect();
    assert_eq!(names, ["placements", "affinity", "throttled"]);
    assert_eq!(summary.notes, ["not recorded: exits (EACCES)"]);
}

#[test]
fn a_crash_at_any_byte_leaves_what_whole_frames_say() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), &meta(None), &drains(), false);
    let segments = folder.path().join("segments");
    let whole = run(folder.path()).unwrap();
    let all = story(&whole.1);
    assert_eq!((all.len(), whole.0.complete), (7, false));
    assert_eq!((whole.0.end_reason.as_str(), whole.0.end_ns), ("crash (recovered)", (BASE + 31 * MS) as i64));

    let last = (0..).take_while(|number| path(&segments, *number).exists()).last().unwrap();
    let last = path(&segments, last);
    let bytes = std::fs::read(&last).unwrap();
    let mut fewer = 0;
    for length in 0..bytes.len() {
        std::fs::write(&last, &bytes[..length]).unwrap();
        let (summary, tables) = run(folder.path()).unwrap();
        let rows = story(&tables);
        assert!(!summary.complete && !summary.notes.is_empty(), "cut at {length}");
        assert_eq!(summary.events as usize, rows.len());
        let times: Vec<i64> = rows.iter().map(|row| row.1).collect();
        assert!(
            times.is_sorted() && rows.iter().all(|row| all.iter().any(|whole| whole.1 == row.1 && whole.2 == row.2))
        );
        fewer += usize::from(rows.len() < all.len());
    }
    assert!(fewer > 0, "no cut lost a frame");
}

#[test]
fn the_start_snapshot_agrees_with_the_events_around_it() {
    let thread = |tid, queue, cpu, state| {
        let masks = Masks { allowed: Some(Mask::from_bytes(&[3, 0, 0, 0, 0, 0, 0, 0])), ..Masks::default() };
        Record::Thread(Thread {
            tid,
            tgid: tid,
            queue,
            cpu,
            state,
            comm: *b"worker\0\0\0\0\0\0\0\0\0\0",
            masks,
            ..Default::default()
        })
    };
    let current = Record::CpuSnapshot(CpuSnapshot { cpu: 0, online: 1, current: 0 });
    let drains = [
        (0, vec![(0, vec![(10, switch(0, 0, 7)), (300, switch(7, 1, 8))])]),
        // 7 was read as asleep a moment before it left CPU 0; 8 as asleep though it was about to enter.
        (
            10,
            vec![(
                NO_CPU,
                vec![(200, thread(7, 2, 0, 1)), (210, current), (220, thread(8, 2, 1, 1)), (230, thread(9, 2, 1, 1))],
            )],
        ),
        (60, vec![]),
    ];
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), &meta(Some(BASE + 60 * MS)), &drains, true);
    let (summary, tables) = run(folder.path()).unwrap();
    let view = thread_snapshot::View::try_new(&tables["thread_snapshot"][0]).unwrap();
    let rows: Vec<_> = (0..view.len()).map(|i| view.row(i)).map(|r| (r.tid, r.queue, r.cpu, r.state)).collect();
    let (running, queued, off) = (queue_state::RUNNING, queue_state::QUEUED, queue_state::OFF);
    assert_eq!(rows, [(7, running, 0, task_state::R), (8, queued, 0, task_state::R), (9, off, 1, task_state::S)]);
    assert_eq!((view.row(0).name, view.row(0).mask_id), ("worker", Some(1)));
    let cpus = cpu_snapshot::View::try_new(&tables["cpu_snapshot"][0]).unwrap();
    assert_eq!((cpus.row(0).cpu, cpus.row(0).current_tid), (0, Some(7)));
    assert_eq!(summary.snapshot_corrected, 3);
    assert_eq!(mask::View::try_new(&tables["mask"][0]).unwrap().row(0).cpus, [0, 1]);
}

#[test]
fn ranks_of_processes_reach_their_table() {
    let rank = |tgid, size, variable| Record::ProcessRank(ProcessRank { tgid, rank: 3, size, variable });
    let drains = [(10, vec![(NO_CPU, vec![(100, rank(7, 4, 0)), (200, rank(8, 0, 4)), (300, rank(9, 0, 0x1001))])])];
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), &meta(Some(BASE + 20 * MS)), &drains, true);
    let (_, tables) = run(folder.path()).unwrap();
    let ranks = process_rank::View::try_new(&tables["process_rank"][0]).unwrap();
    let row = |at| (ranks.row(at).tgid, ranks.row(at).rank, ranks.row(at).size, ranks.row(at).variable);
    assert_eq!([row(0), row(1)], [(7, 3, Some(4), 0), (8, 3, None, 4)]);
    assert_eq!(row(2), (9, 3, None, 4), "a damaged code is that of the last variable");
}

#[test]
fn idle_states_and_frequencies_reach_their_tables() {
    let power = |value, cpu, what| Record::CpuPower(CpuPower { value, cpu, what });
    let drains =
        [(10, vec![(0, vec![(100, power(2, 1, 0)), (200, power(1_800_000, 0, 1)), (300, power(u32::MAX, 1, 0))])])];
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), &meta(Some(BASE + 20 * MS)), &drains, true);
    let (_, tables) = run(folder.path()).unwrap();
    let idle = cpu_idle::View::try_new(&tables["cpu_idle"][0]).unwrap();
    assert_eq!([0, 1].map(|at| (idle.row(at).cpu, idle.row(at).state)), [(1, Some(2)), (1, None)]);
    let frequency = cpu_frequency::View::try_new(&tables["cpu_frequency"][0]).unwrap();
    assert_eq!((frequency.len(), frequency.row(0).cpu, frequency.row(0).khz), (1, 0, 1_800_000));
}

#[test]
fn stacks_cgroups_losses_and_counters_reach_their_tables() {
    let migrate =
        Record::Migrate(Migrate { tid: 7, stack_id: 42, orig_cpu: 0, dest_cpu: 1, prio: 120, ..Default::default() });
    let addresses: Vec<u8> = [0xffff_ffff_8100_0010u64, 0x20].iter().flat_map(|a| a.to_le_bytes()).collect();
    let stack =
        Record::Stack(Stack { stack_id: 42, addresses: Words::from_bytes(&addresses), symbols: b"newidle+0x10\n0x20" });
    let group = Record::CgroupInfo(CgroupInfo {
        cgroup_id: 5,
        quota_ns: 50_000_000,
        period_ns: 100_000_000,
        weight: -1,
        path: b"/a b",
    });
    let lost = Record::Lost(Lost { cpu: 1, kind: Switch::KIND.into(), reserved: 0, to: BASE + 9 * MS, count: 3 });
    let counter = Record::PerfCounter(PerfCounter { tid: 7, counter: 0, value: 9 });
    let fork = Record::Fork(Fork {
        parent_tid: 1,
        child_tid: 70,
        child_tgid: 70,
        flags: 0,
        comm: *b"child\0\0\0\0\0\0\0\0\0\0\0",
        ..Default::default()
    });
    let drains = [
        (10, vec![(0, vec![(100, migrate), (110, counter), (120, fork)])]),
        (20, vec![(NO_CPU, vec![(5000, lost), (19_000, stack), (19_000, group)])]),
    ];
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), &meta(Some(BASE + 20 * MS)), &drains, true);
    let (_, tables) = run(folder.path()).unwrap();
    let moves = sched_migrate_task::View::try_new(&tables["sched_migrate_task"][0]).unwrap();
    let stacks = wastenot_schemas::stack::View::try_new(&tables["stack"][0]).unwrap();
    assert_eq!(moves.row(0).stack_id, Some(stacks.stack_id.value(0)));
    assert_eq!(stacks.symbols(0), ["newidle+0x10", "0x20"]);
    let groups = cgroup::View::try_new(&tables["cgroup"][0]).unwrap();
    assert_eq!((groups.cgroup_id.value(0), groups.path.value(0), groups.quota_ns.value(0)), (5, "/a b", 50_000_000));
    let losses = lost_events::View::try_new(&tables["lost_events"][0]).unwrap();
    let loss = losses.row(0);
    assert_eq!(
        (loss.cpu, loss.count, loss.what, loss.end_ns),
        (Some(1), Some(3), "sched_switch", (BASE + 9 * MS) as i64)
    );
    let counters = perf_counter::View::try_new(&tables["perf_counter"][0]).unwrap();
    assert_eq!((counters.row(0).counter, counters.row(0).value), ("cycles", 9));
    let names = thread_name::View::try_new(&tables["thread_name"][0]).unwrap();
    assert_eq!((names.row(0).tid, names.row(0).name), (70, "child"));
}

#[test]
fn other_folders_are_refused_in_one_line() {
    let folder = tempfile::tempdir().unwrap();
    let missing = run(&folder.path().join("nothing.part")).unwrap_err().to_string();
    assert!(missing.contains("nothing.part/meta.json: not there") && !missing.contains('\n'), "{missing}");
    write(folder.path(), &meta(None), &[], false);
    std::fs::write(folder.path().join("meta.json"), "{\"source\": 3").unwrap();
    let damaged = run(folder.path()).unwrap_err().to_string();
    assert!(damaged.contains("meta.json") && damaged.contains("record again"), "{damaged}");
}

#[test]
fn records_of_a_cpu_that_the_machine_lacks_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), &meta(None), &[(10, vec![(5, vec![(1, switch(0, 0, 7))])])], false);
    let refused = run(folder.path()).unwrap_err().to_string();
    assert!(refused.contains("CPU 5"), "{refused}");
}

#[test]
fn servers_of_deadline_threads_are_rows_on_the_traces_clock() {
    let folder = tempfile::tempdir().unwrap();
    let known = Deadline {
        tid: 7,
        state: deadline_state::THROTTLED,
        runtime_ns: 4_000_000,
        relative_deadline_ns: 10_000_000,
        period_ns: 20_000_000,
        left_ns: -5_000,
        deadline: 9_000_000,
        clock: 2_000_000,
        flags: 4,
        reserved: 0,
    };
    // Of a sleeping thread at the start the clock is not known; one without a deadline yet has none.
    let asleep = Deadline { clock: 0, state: deadline_state::YIELDED, ..known };
    let fresh = Deadline { deadline: 0, state: 0, left_ns: 0, ..known };
    let records = vec![
        (100, Record::Deadline(known)),
        (100, wakeup(7, 1)),
        (200, Record::Deadline(asleep)),
        (300, Record::Deadline(fresh)),
    ];
    write(folder.path(), &meta(Some(BASE + 50 * MS)), &[(0, vec![(1, records)])], true);
    let (_, tables) = run(folder.path()).unwrap();
    let view = dl_parameters::View::try_new(&tables["dl_parameters"][0]).unwrap();
    let rows: Vec<_> = (0..view.len()).map(|i| view.row(i)).collect();
    let first = &rows[0];
    assert_eq!((first.id, first.cpu, first.tid, first.flags), (0, Some(1), 7, 4));
    assert_eq!((first.runtime_ns, first.deadline_ns, first.period_ns), (4_000_000, 10_000_000, 20_000_000));
    assert_eq!(first.until_ns, Some(BASE as i64 + 100_000 + 7_000_000), "7 ms after the record");
    assert_eq!((first.kernel_deadline_ns, first.left_ns), (Some(9_000_000), Some(-5_000)));
    let states: Vec<_> = rows.iter().map(|row| (row.throttled, row.yielded)).collect();
    assert_eq!(states, [(true, false), (false, true), (false, false)]);
    assert_eq!((rows[1].until_ns, rows[1].kernel_deadline_ns), (None, Some(9_000_000)));
    assert_eq!((rows[2].until_ns, rows[2].kernel_deadline_ns, rows[2].left_ns), (None, None, None));
}

#[test]
fn calls_have_the_names_that_were_written_before_they_were_probed() {
    let folder = tempfile::tempdir().unwrap();
    let part = folder.path().join("t.part");
    let region = |tid, region, enter, peer| Record::Region(Region { tid, region, enter, peer, reserved: 0 });
    let name = |region, kind: u8, name: &'static str| {
        Record::RegionName(RegionName { region, kind: kind.into(), reserved: 0, name: name.as_bytes() })
    };
    let none = i32::MIN;
    // Names reach the disk behind the records of the CPUs of the same drain, and some are found later.
    let drains = vec![
        (
            10,
            vec![
                (0, vec![(50, switch(0, 0, 100))]),
                (NO_CPU, vec![(40, name(0, region_kind::BARRIER, "GOMP_barrier"))]),
            ],
        ),
        (
            305,
            vec![
                (0, vec![(300_000, region(100, 0, 1, none)), (300_010, region(100, 0, 0, none))]),
                (1, vec![(304_000, region(101, 1, 1, 3)), (304_020, region(101, 1, 0, none))]),
                (NO_CPU, vec![(303_000, name(1, region_kind::RECEIVE, "PMPI_Recv"))]),
            ],
        ),
    ];
    write(&part, &meta(Some(BASE + 900 * MS)), &drains, true);
    let (_, tables) = run(&part).unwrap();
    let view = region_event::View::try_new(&tables["region_event"][0]).unwrap();
    let rows: Vec<_> = (0..view.len())
        .map(|i| view.row(i))
        .map(|r| {
            (
                r.ts_ns - BASE as i64,
                r.cpu,
                r.tid,
                region_kind::NAMES[usize::from(r.kind)],
                r.enter,
                r.peer,
                r.name.to_owned(),
            )
        })
        .collect();
    let (barrier, receive) = ("GOMP_barrier".to_owned(), "PMPI_Recv".to_owned());
    assert_eq!(
        rows,
        [
            (300_000_000, Some(0), 100, "barrier", true, None, barrier.clone()),
            (300_010_000, Some(0), 100, "barrier", false, None, barrier),
            (304_000_000, Some(1), 101, "receive", true, Some(3), receive.clone()),
            (304_020_000, Some(1), 101, "receive", false, None, receive),
        ]
    );
}
