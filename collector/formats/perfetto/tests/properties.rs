//! Any rows of any event table come back from an export as they were.

mod common;

use common::{Tables, assert_same_events, export, import};
use proptest::prelude::*;
use wastenot_schemas as tables;
use wastenot_schemas::{BatchCollector, EventBuilders};

/// What decides one event: kind, CPU, thread, time since the one before, and three more numbers.
type Seed = (u8, i16, i32, u16, i64, Option<i16>, bool);

tables::builders! {
    /// The entity tables that events refer to, and the trace.
    struct Entities {
        cgroup,
        mask,
        stack,
        trace,
    }
}

const NAMES: [&str; 5] = ["a", "", "wörk er", "x\u{0}y", "-1"];

fn rows(seeds: &[Seed]) -> Tables {
    let (mut events, mut entities) = (EventBuilders::default(), Entities::default());
    for mask_id in 1..=3 {
        entities.mask.push(&tables::mask::Row { mask_id, cpus: &[0, mask_id as i16, 700][..mask_id as usize] });
    }
    for stack_id in 1..=2 {
        let symbols: Vec<&str> = ["f+0x1", "g"][..stack_id as usize - 1].to_vec();
        entities.stack.push(&tables::stack::Row { stack_id, addresses: &[-1, 5], symbols: &symbols });
    }
    for cgroup_id in 0..4 {
        let (quota_ns, weight) = (Some(5).filter(|_| cgroup_id > 1), Some(1));
        entities.cgroup.push(&tables::cgroup::Row {
            cgroup_id,
            path: NAMES[1 + cgroup_id as usize],
            quota_ns,
            period_ns: None,
            weight,
        });
    }
    let (mut ts_ns, mut attempt_id) = (5, None);
    for (id, &(kind, cpu, tid, step, n, small, flag)) in (0..).zip(seeds) {
        ts_ns += i64::from(step);
        let some = |value: i32| flag.then_some(value);
        let (of, mask_id) = (Some(cpu).filter(|_| flag), (n.rem_euclid(3) + 1) as i32);
        let (byte, name) = (n.rem_euclid(14) as u8, NAMES[n.rem_euclid(5) as usize]);
        let (int, dur_ns) = (n as i32, n.saturating_abs() >> 8);
        match kind {
            0..=5 => events.sched_switch.push(&tables::sched_switch::Row {
                id,
                ts_ns,
                cpu,
                prev_tid: tid,
                prev_state: byte,
                prev_prio: small,
                next_tid: int.saturating_abs(),
                next_prio: of,
                ..Default::default()
            }),
            6 => events.sched_waking.push(&tables::sched_waking::Row {
                id,
                ts_ns,
                cpu,
                tid,
                target_cpu: of,
                prio: small,
                ..Default::default()
            }),
            7 => events.sched_wakeup.push(&tables::sched_wakeup::Row {
                id,
                ts_ns,
                cpu,
                tid,
                target_cpu: byte.into(),
                prio: small,
                is_new: flag,
                ..Default::default()
            }),
            8 => {
                let stack_id = Some(mask_id).filter(|stack| *stack < 3);
                events.sched_migrate_task.push(&tables::sched_migrate_task::Row {
                    id,
                    ts_ns,
                    cpu,
                    tid,
                    orig_cpu: of,
                    dest_cpu: cpu,
                    stack_id,
                    ..Default::default()
                });
            }
            9 => events.process_fork.push(&tables::process_fork::Row {
                id,
                ts_ns,
                cpu,
                parent_tid: tid,
                child_tid: int,
                child_tgid: some(-int.max(1)),
                ..Default::default()
            }),
            10 => events.process_exec.push(&tables::process_exec::Row {
                id,
                ts_ns,
                cpu,
                tid,
                old_tid: some(int),
                ..Default::default()
            }),
            11 => events.process_exit.push(&tables::process_exit::Row { id, ts_ns, cpu, tid, ..Default::default() }),
            12 => events.cpu_hotplug.push(&tables::cpu_hotplug::Row {
                id,
                ts_ns,
                cpu,
                online: flag,
                ..Default::default()
            }),
            13 => events.thread_name.push(&tables::thread_name::Row {
                id,
                ts_ns,
                tid,
                tgid: some(int),
                name,
                ..Default::default()
            }),
            14 => events.affinity.push(&tables::affinity::Row {
                id,
                ts_ns,
                cpu: of,
                tid,
                mask_id: some(mask_id),
                cpuset_mask_id: Some(mask_id),
                ..Default::default()
            }),
            15 => events.migration_disable.push(&tables::migration_disable::Row {
                id,
                ts_ns,
                cpu: small,
                tid,
                disabled: flag,
                ..Default::default()
            }),
            16 => events.cgroup_move.push(&tables::cgroup_move::Row {
                id,
                ts_ns,
                cpu: of,
                tid,
                cgroup_id: mask_id.into(),
                ..Default::default()
            }),
            17 => events.throttle.push(&tables::throttle::Row {
                id,
                ts_ns,
                cpu,
                tid,
                throttled: flag,
                error_ns: n,
                ..Default::default()
            }),
            18 => events.core_cookie.push(&tables::core_cookie::Row {
                id,
                ts_ns,
                cpu: of,
                tid,
                cookie: n,
                ..Default::default()
            }),
            19 => events.irq_span.push(&tables::irq_span::Row {
                id,
                ts_ns,
                cpu,
                dur_ns,
                kind: byte,
                vector: some(int),
                ..Default::default()
            }),
            20 => {
                attempt_id = Some(id);
                let (dst_cpu, idle_type, function) = (cpu, byte, name);
                events.balance_attempt.push(&tables::balance_attempt::Row {
                    id,
                    ts_ns,
                    cpu,
                    dur_ns,
                    dst_cpu,
                    domain_level: small,
                    idle_type,
                    pulled: some(int),
                    function,
                    ..Default::default()
                });
            }
            21 => events.cpus_scanned.push(&tables::cpus_scanned::Row {
                id,
                ts_ns,
                cpu,
                attempt_id,
                tid: some(tid).filter(|&tid| tid != 0), // swapper is not placed
                mask_id: some(mask_id),
                chosen_cpu: of,
                prev_cpu: small,
                wake_flags: some(i32::from(byte)),
                ..Default::default()
            }),
            22 => events.cpu_load.push(&tables::cpu_load::Row {
                id,
                ts_ns,
                cpu,
                attempt_id,
                of_cpu: cpu,
                load: n,
                nr_running: some(int),
                ..Default::default()
            }),
            23 => events.perf_counter.push(&tables::perf_counter::Row {
                id,
                ts_ns,
                cpu,
                tid,
                counter: name,
                value: n,
                ..Default::default()
            }),
            24 => events.lost_events.push(&tables::lost_events::Row {
                id,
                ts_ns,
                end_ns: ts_ns + dur_ns % 1000,
                cpu: of,
                count: flag.then_some(n),
                what: name,
                ..Default::default()
            }),
            25 => events.cpu_snapshot.push(&tables::cpu_snapshot::Row {
                id,
                ts_ns,
                cpu,
                online: flag,
                current_tid: some(tid),
                ..Default::default()
            }),
            27 => events.bubble_event.push(&tables::bubble_event::Row {
                id,
                ts_ns,
                cpu: of,
                tid: some(tid),
                tgid: some(int),
                kind: byte,
                bubble: flag.then_some(n),
                entity_tid: some(tid),
                holder: flag.then_some(byte),
                holder_id: flag.then_some(n),
                value: flag.then_some(n),
                name: flag.then_some(name),
                snapshot: flag,
                ..Default::default()
            }),
            28 if flag => events.sched_stat_runtime.push(&tables::sched_stat_runtime::Row {
                id,
                ts_ns,
                cpu,
                tid,
                runtime_ns: dur_ns,
                ..Default::default()
            }),
            28 => events.balance_kick.push(&tables::balance_kick::Row {
                id,
                ts_ns,
                cpu,
                target_cpu: tid as i16,
                kind: byte,
                ..Default::default()
            }),
            29 if flag => events.cpu_idle.push(&tables::cpu_idle::Row { id, ts_ns, cpu, state: of.map(|_| byte) }),
            29 => events.cpu_frequency.push(&tables::cpu_frequency::Row { id, ts_ns, cpu, khz: int }),
            26 if flag => {
                events.run_span.push(&tables::run_span::Row { id, ts_ns, cpu, tid, dur_ns, ..Default::default() })
            }
            26 => events.nr_running.push(&tables::nr_running::Row {
                id,
                ts_ns,
                cpu,
                nr_running: int,
                delta: cpu,
                ..Default::default()
            }),
            _ => events.thread_snapshot.push(&tables::thread_snapshot::Row {
                id,
                ts_ns,
                tid,
                tgid: int,
                ppid: some(tid),
                name,
                state: byte,
                queue: byte,
                cpu,
                mask_id: some(mask_id),
                cpuset_mask_id: Some(mask_id),
                policy: byte,
                prio: small,
                cgroup_id: flag.then_some(2),
                migration_disabled: flag,
                throttled: !flag,
                cookie: n,
                is_kernel: flag,
                per_cpu_thread: !flag,
                ..Default::default()
            }),
        }
    }
    entities.trace.push(&tables::trace::Row {
        schema_version: tables::SCHEMA_VERSION,
        source: "drawn",
        recorder: "test",
        kernel: Some("6.1"),
        clock: "monotonic",
        epoch_ns: None,
        start_ns: 0,
        end_ns: ts_ns + 1,
        end_reason: "source",
        complete: true,
        events: seeds.len() as i64,
        evidence_level: "L3",
        notes: &["odd"],
        unverified: &["new"],
        queued_wakings_only: None,
        command: None,
        options: "{}",
    });
    let mut batches = BatchCollector::default();
    events.flush(&mut batches).and_then(|()| entities.flush(&mut batches)).expect("a collector takes every batch");
    let mut out: Tables = batches.0.into_iter().map(|(table, batch)| (table.into(), vec![batch])).collect();
    let mut present = tables::PresentEvidence::default();
    out.iter()
        .flat_map(|(table, batches)| batches.iter().map(move |batch| (table, batch)))
        .for_each(|(table, batch)| present.add(table, batch));
    out.insert("evidence".into(), vec![recorded().batch(&present)]);
    out
}

fn recorded() -> tables::RecordedEvidence {
    tables::RecordedEvidence::new(|kind| (kind as u8).is_multiple_of(2).then(|| format!("no {}", kind.name())))
}

fn seed() -> impl Strategy<Value = Seed> {
    let n = prop_oneof![-3_i64..20, any::<i32>().prop_map(i64::from), any::<i64>()];
    (
        0..31_u8,
        prop_oneof![0..4_i16, 0..2000_i16],
        prop_oneof![0..6_i32, any::<u16>().prop_map(i32::from)],
        0..300_u16,
        n,
        proptest::option::of(any::<i16>()),
        any::<bool>(),
    )
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn rows_come_back_as_they_were(seeds in proptest::collection::vec(seed(), 1..200)) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("T.pftrace");
        let before = rows(&seeds);
        let written = export(&before, &path).unwrap();
        let (after, summary) = import(&path).unwrap();
        prop_assert_eq!(written.events, seeds.len() as i64);
        prop_assert_eq!((summary.complete, summary.notes), (true, vec!["odd".to_owned()]));
        prop_assert_eq!(summary.evidence_level, "L3");
        assert_same_events(&before, &after);
        let trace = tables::trace::View::try_new(&after["trace"][0]).unwrap();
        prop_assert_eq!(&before["evidence"], &after["evidence"]);
        prop_assert_eq!(trace.unverified(0), vec!["new"]);
    }
}

#[test]
fn windows_are_joined_though_some_cpus_are_silent_for_long() {
    let seeds: Vec<Seed> = (0..200_000_i64)
        .map(|n| {
            (
                if n % 1000 == 7 { 13 } else { 0 },
                if n % 50_000 == 3 { 5 } else { (n % 2) as i16 },
                7,
                3,
                n % 14,
                None,
                n % 3 == 0,
            )
        })
        .collect();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("T.pftrace");
    let before = rows(&seeds);
    export(&before, &path).unwrap();
    let (after, summary) = import(&path).unwrap();
    assert_eq!((summary.events, summary.complete), (200_000, true));
    for table in ["sched_switch", "thread_name"] {
        let joined = |tables: &Tables| arrow_text(tables, table);
        assert_eq!(joined(&before), joined(&after));
    }
}

/// A number per column and row, summed with its place: cheap, and different when anything is.
fn arrow_text(tables: &Tables, table: &str) -> (usize, u64) {
    let mut row = 0_u64;
    let mut sum = 0_u64;
    for batch in &tables[table] {
        for i in 0..batch.num_rows() {
            row += 1;
            let ids = batch.column(0).as_any().downcast_ref::<arrow_array::Int64Array>().unwrap();
            let stamps = batch.column(1).as_any().downcast_ref::<arrow_array::Int64Array>().unwrap();
            sum = sum.wrapping_mul(31).wrapping_add(ids.value(i) as u64 ^ (stamps.value(i) as u64) << 20 ^ row);
        }
    }
    (row as usize, sum)
}
