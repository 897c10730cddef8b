//! Events of the kernel, as readers of any format hand them over, and their rows.

use wastenot_assemble::{
    Affinity, BalanceKick, CpuFrequency, CpuHotplug, CpuIdle, Event, Interner, IrqSpan, ProcessExit, ProcessFork, Row,
    RunSpan, SchedStatRuntime, SchedSwitch, SchedWakeup, ThreadName,
};
use wastenot_import::{
    DeclaredAffinity, EventKind, EventOrigin, FieldValues, KernelEvent, Switch, Translator, Value, ValueType, shape_of,
};
use wastenot_schemas::{irq_kind, kick_kind, queue_state, task_state};
use wastenot_topology::task_state::{PrevState, Tracer};

/// A translator and its rows; events are given by name, numbers and texts.
struct TranslatedRows {
    translator: Translator,
    ids: Interner,
    rows: Vec<Row>,
}

impl TranslatedRows {
    fn new(declared: &[&str]) -> Self {
        let declared: Vec<_> = declared.iter().map(|text| DeclaredAffinity::parse(text).unwrap()).collect();
        Self { translator: Translator::new(&declared), ids: Interner::default(), rows: Vec::new() }
    }

    fn event(&mut self, ts_ns: i64, cpu: i64, name: &str, numbers: &[Option<i64>], texts: &[&[u8]]) -> &mut Self {
        self.event_of(None, ts_ns, cpu, name, numbers, texts)
    }

    /// An event that `current` wrote.
    fn event_of(
        &mut self,
        current: Option<i32>,
        ts_ns: i64,
        cpu: i64,
        name: &str,
        numbers: &[Option<i64>],
        texts: &[&[u8]],
    ) -> &mut Self {
        let shape = shape_of(name).unwrap();
        let mut values = FieldValues::default();
        let (mut numbers, mut texts) = (numbers.iter(), texts.iter());
        for (value, field) in values.iter_mut().zip(shape.fields) {
            *value = match field.value_type {
                ValueType::Text => texts.next().map_or(Value::Absent, |text| Value::Text(text)),
                _ => numbers.next().copied().flatten().map_or(Value::Absent, Value::Number),
            };
        }
        let origin = EventOrigin { ts_ns, cpu, current, stack: None };
        let event = KernelEvent::parse(shape.kind, &values);
        self.translator.event(shape.kind, &origin, event, &mut self.ids, &mut self.rows);
        self
    }

    fn switch(&mut self, ts_ns: i64, cpu: i64, prev: (i32, &str), state: u8, next: (i32, &str)) -> &mut Self {
        let event = KernelEvent::Switch(Switch {
            prev_comm: Some(prev.1.as_bytes()),
            prev_tid: prev.0,
            prev_prio: Some(120),
            prev_state: Some(PrevState::Code(state)),
            next_comm: Some(next.1.as_bytes()),
            next_tid: next.0,
            next_prio: Some(120),
        });
        let origin = EventOrigin { ts_ns, cpu, ..EventOrigin::default() };
        self.translator.event(EventKind::Switch, &origin, Some(event), &mut self.ids, &mut self.rows);
        self
    }

    fn take(&mut self) -> Vec<Event> {
        std::mem::take(&mut self.rows).into_iter().map(|row| row.event).collect()
    }
}

fn name(tid: i32, tgid: Option<i32>, name: &str) -> Event {
    ThreadName { tid, tgid, name: name.into(), ..Default::default() }.into()
}

#[test]
fn a_name_is_a_row_when_it_is_new_and_never_for_swapper() {
    let mut trace = TranslatedRows::new(&[]);
    trace.switch(1, 0, (0, "swapper/0"), task_state::R, (7, "hog\0junk"));
    trace.switch(2, 0, (7, "hog"), task_state::S, (8, "<...>")).switch(3, 0, (8, ""), task_state::S, (7, "pig"));
    let names: Vec<_> = trace.take().into_iter().filter(|event| matches!(event, Event::ThreadName(_))).collect();
    assert_eq!(names, [name(7, None, "hog"), name(7, None, "pig")]);
}

#[test]
fn names_may_be_long_and_need_not_be_utf_8() {
    let mut trace = TranslatedRows::new(&[]);
    let long = "a name - of 31 (letters) = 1234";
    trace.event(1, 0, "sched_wakeup", &[Some(9), None, None, Some(1)], &[long.as_bytes()]);
    trace.event(2, 0, "sched_wakeup", &[Some(10), None, None, Some(1)], &[b"\xff\xfe"]);
    let rows = trace.take();
    assert_eq!((&rows[0], &rows[2]), (&name(9, None, long), &name(10, None, "\u{fffd}\u{fffd}")));
}

#[test]
fn the_last_declared_mask_that_matches_counts_and_follows_the_name() {
    let mut trace = TranslatedRows::new(&["*=0-7", "hog*=0-1"]);
    trace.switch(1, 0, (0, ""), task_state::R, (7, "bash"));
    trace.event(2, 0, "task_rename", &[Some(7)], &[b"hog 1"]);
    let (all, two) = (trace.ids.mask_of_cpus(0..8), trace.ids.mask_of_cpus(0..2));
    let masks: Vec<_> = trace
        .take()
        .into_iter()
        .filter_map(|event| match event {
            Event::Affinity(Affinity {
                tid: 7,
                mask_id: mask,
                cpu: None,
                user_mask_id: None,
                cpuset_mask_id: None,
            }) => mask,
            _ => None,
        })
        .collect();
    assert_eq!(masks, [all, two]);
}

#[test]
fn a_wildcard_does_not_unbind_a_per_cpu_kernel_thread_and_its_own_name_does() {
    let masks_of = |declared: &[&str]| -> Vec<bool> {
        let mut trace = TranslatedRows::new(declared);
        trace.switch(1, 0, (0, ""), task_state::R, (7, "kthreadd"));
        trace.event(2, 0, "task_rename", &[Some(7)], &[b"kworker/3:1"]);
        let masks = trace.take().into_iter().filter_map(|event| match event {
            Event::Affinity(Affinity { tid: 7, mask_id: mask, .. }) => Some(mask.is_some()),
            _ => None,
        });
        masks.collect()
    };
    assert_eq!(masks_of(&["*=0-7"]), [true, false], "its mask is unknown again; its name binds it");
    assert_eq!(masks_of(&["*=0-7", "kworker/3:1=0-7"]), [true, true]);
    assert!(masks_of(&[]).is_empty());
}

#[test]
fn a_fork_that_two_tracepoints_record_is_one_row_and_a_tid_is_reused_after_its_exit() {
    const THREAD: i64 = 0x1_0000;
    let mut trace = TranslatedRows::new(&[]);
    trace.switch(1, 2, (0, ""), task_state::R, (70, "sh"));
    trace.take();
    trace.event(2, 2, "task_newtask", &[Some(71), Some(0)], &[b"sh"]);
    trace.event(3, 2, "sched_process_fork", &[Some(70), Some(71), None], &[b"sh", b"sh"]);
    let fork =
        Event::from(ProcessFork { cpu: 2, parent_tid: 70, child_tid: 71, child_tgid: Some(71), ..Default::default() });
    assert_eq!(trace.take(), [fork.clone(), name(71, Some(71), "sh")]);
    trace.event(4, 2, "sched_process_exit", &[Some(71)], &[b"sh"]);
    trace.event(5, 2, "sched_process_fork", &[Some(70), Some(71), None], &[b"sh", b"sh"]);
    let again = Event::from(ProcessFork { cpu: 2, parent_tid: 70, child_tid: 71, ..Default::default() });
    assert_eq!(
        trace.take(),
        [Event::from(ProcessExit { cpu: 2, tid: 71, ..Default::default() }), again, name(71, None, "sh")]
    );
    // A thread belongs to the process of its parent; `task_newtask` has the parent on the CPU.
    trace.switch(6, 2, (70, "sh"), task_state::S, (71, "sh"));
    trace.event(7, 2, "sched_process_exec", &[Some(71), Some(71)], &[]);
    trace.event(8, 2, "task_newtask", &[Some(72), Some(THREAD)], &[b"sh"]);
    assert!(trace.take().contains(&Event::from(ProcessFork {
        cpu: 2,
        parent_tid: 71,
        child_tid: 72,
        child_tgid: Some(71),
        ..Default::default()
    })));
}

#[test]
fn a_name_holds_from_the_first_event_that_has_it_in_whichever_order_the_sources_are_read() {
    let mut trace = TranslatedRows::new(&[]);
    trace.event(50, 2, "sched_wakeup", &[Some(7), Some(120), None, Some(1)], &[b"hog"]);
    trace.event(20, 1, "sched_wakeup", &[Some(7), Some(120), None, Some(1)], &[b"hog"]);
    trace.event(60, 2, "sched_wakeup", &[Some(7), Some(120), None, Some(1)], &[b"hog"]);
    let named: Vec<_> =
        trace.rows.iter().filter(|r| matches!(r.event, Event::ThreadName(_))).map(|r| r.ts_ns).collect();
    assert_eq!(named, [50, 20]);
}

#[test]
fn a_tid_is_reused_where_its_exit_was_read_before_both_forks() {
    let mut trace = TranslatedRows::new(&[]);
    trace.event(5, 1, "sched_process_exit", &[Some(71)], &[b"sh"]);
    trace.event(1, 2, "sched_process_fork", &[Some(70), Some(71), None], &[b"sh", b"sh"]);
    trace.event(9, 2, "sched_process_fork", &[Some(70), Some(71), None], &[b"sh", b"sh"]);
    assert_eq!(trace.rows.iter().filter(|r| matches!(r.event, Event::ProcessFork(ProcessFork { .. }))).count(), 2);
}

#[test]
fn interrupts_on_idle_cpus_become_spans() {
    let mut trace = TranslatedRows::new(&[]);
    trace.switch(0, 1, (7, ""), task_state::S, (0, "")).switch(0, 2, (0, ""), task_state::R, (9, ""));
    trace.take();
    for cpu in [1, 2] {
        trace.event(1_000, cpu, "irq_handler_entry", &[Some(24)], &[]);
        trace.event(2_000, cpu, "softirq_entry", &[Some(3)], &[]);
    }
    assert_eq!((trace.translator.settled(30_000, Some(1)), trace.translator.settled(30_000, Some(2))), (1_000, 30_000));
    assert_eq!(trace.translator.settled(30_000, None), 1_000);
    for cpu in [1, 2] {
        trace.event(20_000, cpu, "softirq_exit", &[Some(3)], &[]);
        trace.event(51_000, cpu, "irq_handler_exit", &[Some(24)], &[]);
    }
    let span =
        Event::from(IrqSpan { cpu: 1, dur_ns: 50_000, kind: irq_kind::MIXED, vector: Some(24), ..Default::default() });
    assert_eq!(trace.rows, [Row { ts_ns: 1_000, event: span }]);
    trace.rows.clear();
    // Short ones are none; one whose end was lost does not hold back the order for ever.
    trace.event(60_000, 1, "softirq_entry", &[Some(1)], &[]).event(70_000, 1, "softirq_exit", &[Some(1)], &[]);
    trace.event(80_000, 1, "softirq_entry", &[Some(1)], &[]);
    assert_eq!(trace.translator.settled(500_000_000, None), 500_000_000);
    assert!(trace.rows.is_empty());
}

#[test]
fn idle_states_and_frequencies_are_of_the_cpu_that_is_meant() {
    let mut trace = TranslatedRows::new(&[]);
    trace.event(1, 0, "cpu_idle", &[Some(2), Some(0)], &[]);
    trace.event(2, 0, "cpu_frequency", &[Some(1_800_000), Some(5)], &[]);
    trace.event(3, 0, "cpu_idle", &[Some(4_294_967_295), Some(0)], &[]);
    trace.event(4, 0, "cpu_idle", &[Some(4_294_967_295), Some(0)], &[]);
    let idle = |state| Event::from(CpuIdle { cpu: 0, state });
    let frequency = Event::from(CpuFrequency { cpu: 5, khz: 1_800_000 });
    assert_eq!(trace.take(), [idle(Some(2)), frequency, idle(None), idle(None)]);
    // Neither a CPU, nor a state, nor a frequency.
    trace.event(5, 0, "cpu_idle", &[Some(1), Some(8192)], &[]).event(6, 0, "cpu_idle", &[Some(1000), Some(0)], &[]);
    trace.event(7, 0, "cpu_frequency", &[Some(-1), Some(0)], &[]).event(8, 0, "cpu_frequency", &[None, Some(0)], &[]);
    assert!(trace.take().is_empty());
}

#[test]
fn the_balancers_softirq_on_an_idle_cpu_is_a_row_however_short() {
    let mut trace = TranslatedRows::new(&[]);
    trace.switch(100, 1, (7, ""), task_state::S, (0, "")).switch(100, 2, (0, ""), task_state::R, (9, ""));
    trace.take();
    for (cpu, vector) in [(1, 7), (2, 7), (1, 3)] {
        trace.event(1_000, cpu, "softirq_entry", &[Some(vector)], &[]);
        trace.event(2_000, cpu, "softirq_exit", &[Some(vector)], &[]);
    }
    let kick = Event::from(BalanceKick { cpu: 1, target_cpu: 1, kind: kick_kind::SOFTIRQ, ..Default::default() });
    assert_eq!(trace.rows, [Row { ts_ns: 1_000, event: kick }], "CPU 2 runs a thread");
}

#[test]
fn a_run_that_no_switch_reported_is_a_span() {
    let mut trace = TranslatedRows::new(&[]);
    let account = |trace: &mut TranslatedRows, writer, ts_ns, cpu, tid, ran_ns| {
        trace.event_of(Some(writer), ts_ns, cpu, "sched_stat_runtime", &[Some(tid), Some(ran_ns)], &[b"hog"]);
    };
    trace.switch(100, 1, (7, ""), task_state::S, (0, "")).switch(100, 2, (0, ""), task_state::R, (9, ""));
    trace.take();
    assert_eq!(trace.translator.settled(30_000, Some(1)), 30_000);
    account(&mut trace, 9, 30_000, 2, 9, 5_000);
    let accounted = |tid, cpu, runtime_ns| Event::from(SchedStatRuntime { cpu, tid, runtime_ns, ..Default::default() });
    assert_eq!(trace.take(), [accounted(9, 2, 5_000)], "its start was seen");
    assert_eq!(trace.translator.settled(30_000, Some(1)), 100, "one may have started");
    assert_eq!(trace.translator.settled(90_000_000, None), 70_000_000, "not that long ago");
    account(&mut trace, 0, 40_000, 1, 9, 10_000);
    assert_eq!(
        trace.take(),
        [accounted(9, 1, 10_000)],
        "swapper puts a thread on the queue of CPU 2 and accounts for what runs there"
    );
    account(&mut trace, 8, 50_000, 1, 8, 10_000);
    let span = Event::from(RunSpan { cpu: 1, tid: 8, dur_ns: 10_000, ..Default::default() });
    assert_eq!(trace.rows[1], Row { ts_ns: 40_000, event: span });
    trace.take();
    account(&mut trace, 8, 60_000, 1, 8, 10_000);
    let none = (vec![accounted(8, 1, 10_000)], 60_000);
    assert_eq!((trace.take(), trace.translator.settled(60_000, None)), none, "it is a row already");
    // An account never reaches back beyond the CPU's last switch.
    trace.switch(70_000, 1, (8, ""), task_state::S, (0, ""));
    account(&mut trace, 8, 80_000, 1, 8, 60_000);
    assert_eq!(
        trace.take()[1..],
        [Event::from(RunSpan { cpu: 1, tid: 8, dur_ns: 10_000, ..Default::default() }), accounted(8, 1, 60_000)]
    );
}

#[test]
fn a_cpu_goes_offline_with_its_last_switch_and_comes_back_with_its_first_step() {
    let mut trace = TranslatedRows::new(&[]);
    trace.event(1, 0, "cpuhp_enter", &[Some(3), Some(0)], &[]);
    trace.switch(2, 3, (0, ""), task_state::R, (30, "cpuhp/3"));
    trace.switch(3, 3, (30, "cpuhp/3"), task_state::S, (31, "migration/3"));
    trace.event(9, 0, "cpuhp_enter", &[Some(3), Some(233)], &[]);
    let changes: Vec<_> = trace
        .rows
        .iter()
        .filter_map(|row| match row.event {
            Event::CpuHotplug(CpuHotplug { cpu: 3, online }) => Some((row.ts_ns, online)),
            _ => None,
        })
        .collect();
    assert_eq!(changes, [(3, false), (9, true)]);
}

#[test]
fn a_state_dump_has_threads_and_whether_they_slept() {
    let mut trace = TranslatedRows::new(&["hog=1"]);
    // LTTng calls runnable threads WAIT_FORK (1) and WAIT_CPU (2), whether they run or are queued.
    for (status, state, queue) in [
        (1, task_state::R, queue_state::UNKNOWN),
        (2, task_state::R, queue_state::UNKNOWN),
        (5, task_state::S, queue_state::OFF),
        (4, task_state::Z, queue_state::OFF),
        (0, task_state::UNKNOWN, queue_state::OFF),
        (99, task_state::UNKNOWN, queue_state::UNKNOWN),
    ] {
        let numbers = [Some(12), Some(10), Some(1), Some(0), Some(status), Some(5)];
        trace.event(1, 0, "lttng_statedump_process_state", &numbers, &[b"hog"]);
        let rows = trace.take();
        let Event::ThreadSnapshot(thread) = &rows[0] else { panic!("{rows:?}") };
        assert_eq!((thread.tid, thread.tgid, thread.cpu), (12, 10, 5));
        assert_eq!((thread.state, thread.queue), (state, queue), "status {status}");
        if status == 1 {
            assert!(
                matches!(rows[2], Event::Affinity(Affinity { tid: 12, mask_id: Some(_), .. })),
                "declared masks hold for it too"
            );
        }
    }
}

#[test]
fn a_state_dump_before_lttng_2_10_has_no_cpu_and_says_nothing_of_queues() {
    let mut trace = TranslatedRows::new(&[]);
    trace.event(1, 0, "lttng_statedump_process_state", &[Some(12), Some(10), Some(1), Some(0), Some(5)], &[b"hog"]);
    assert_eq!(trace.take(), [name(12, Some(10), "hog")]);
}

#[test]
fn a_wakeup_without_success_is_ignored() {
    let mut trace = TranslatedRows::new(&[]);
    trace.event(1, 0, "sched_wakeup", &[Some(7), Some(120), Some(0), Some(1)], &[b"hog"]);
    assert_eq!(trace.take(), []);
    trace.event(2, 0, "sched_wakeup", &[Some(7), Some(120), Some(1), Some(1)], &[b"hog"]);
    assert!(matches!(trace.take()[1], Event::SchedWakeup(SchedWakeup { tid: 7, target_cpu: 1, .. })));
}

#[test]
fn numbers_of_states_and_priorities_follow_the_tracer_and_the_release() {
    let mut trace = TranslatedRows::new(&[]);
    trace.translator.written_by(&Tracer::Lttng(2, 5), Some("3.10.0"), &[]);
    let numbers = [Some(7), Some(20), Some(1024), Some(0), Some(20)];
    trace.event(1, 0, "sched_switch", &numbers, &[b"hog", b"swapper/0"]);
    let expected = Event::from(SchedSwitch {
        cpu: 0,
        prev_tid: 7,
        prev_state: task_state::R_PREEMPTED,
        prev_prio: Some(120),
        next_tid: 0,
        next_prio: Some(120),
        ..Default::default()
    });
    assert_eq!(trace.take()[1..], [expected]);
    trace.event(2, 0, "sched_wakeup", &[Some(7), Some(120), Some(1), Some(0)], &[b"hog"]);
    assert!(
        matches!(trace.take()[0], Event::SchedWakeup(SchedWakeup { prio: Some(120), .. })),
        "LTTng 2.5 wrote the kernel's there"
    );
}

#[test]
fn the_balancers_softirq_had_another_number_before_2_6_32() {
    for (release, kicks) in [("2.6.31", 0), ("2.6.32", 1)] {
        let mut trace = TranslatedRows::new(&[]);
        trace.translator.written_by(&Tracer::Kernel, Some(release), &[]);
        trace.event_of(Some(0), 1, 0, "softirq_entry", &[Some(7)], &[]);
        assert_eq!(trace.take().len(), kicks, "{release}");
    }
}

#[test]
fn events_with_impossible_fields_are_counted_and_left_out() {
    let mut trace = TranslatedRows::new(&[]);
    trace.event(1, -1, "sched_wakeup", &[Some(1), None, None, Some(0)], &[]);
    trace.event(1, 0, "sched_wakeup", &[Some(-5), None, None, Some(0)], &[]);
    trace.event(1, 0, "sched_wakeup", &[Some(5), None, None, Some(1 << 40)], &[]);
    trace.event(1, 1 << 20, "sched_wakeup", &[Some(5), None, None, Some(0)], &[]);
    assert!(trace.rows.is_empty());
}

#[test]
fn where_a_switch_lacks_the_name_of_prev_the_known_name_decides() {
    let mut trace = TranslatedRows::new(&[]);
    trace.translator.written_by(&Tracer::Kernel, Some("4.18.0"), &[]);
    trace.event(1, 0, "sched_switch", &[Some(0), None, Some(1), Some(7)], &[b"swapper/0", b"kworker/0:1"]);
    trace.event(2, 0, "sched_switch", &[Some(7), None, Some(0x100), Some(8)], &[]);
    trace.event(3, 0, "sched_switch", &[Some(8), None, Some(0x100), Some(0)], &[]);
    let states = trace.rows.iter().filter_map(|row| match &row.event {
        Event::SchedSwitch(e) if e.prev_tid > 0 => Some(e.prev_state),
        _ => None,
    });
    assert_eq!(states.collect::<Vec<_>>(), [task_state::UNKNOWN, task_state::R_PREEMPTED]);
}
