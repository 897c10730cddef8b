//! Events of the kernel, as any format tells them, and the rows that become of them.

use wastenot_assemble::{Event, Interner, Row};
use wastenot_import::{Declared, Fields, PrevState, Tracer, Translator, shape_of};
use wastenot_schemas::{irq_kind, kick_kind, queue_state, task_state};

/// A translator with its rows, fed by name and numbers.
struct Told {
    translator: Translator,
    ids: Interner,
    rows: Vec<Row>,
}

impl Told {
    fn new(declared: &[&str]) -> Self {
        let declared: Vec<_> = declared.iter().map(|text| Declared::parse(text).unwrap()).collect();
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
        let mut fields = Fields::default();
        fields.numbers[..numbers.len()].copy_from_slice(numbers);
        for (slot, text) in fields.texts.iter_mut().zip(texts) {
            *slot = Some(text);
        }
        if name == "sched_switch" {
            fields.prev_state = numbers[2].map(PrevState::Number);
        }
        let shape = shape_of(name).unwrap();
        self.translator.event(shape, ts_ns, cpu, current, &fields, &mut self.ids, &mut self.rows);
        self
    }

    fn switch(&mut self, ts_ns: i64, cpu: i64, prev: (i64, &str), state: u8, next: (i64, &str)) -> &mut Self {
        let numbers = [Some(prev.0), Some(120), None, Some(next.0), Some(120)];
        let mut fields = Fields { prev_state: Some(PrevState::Code(state)), ..Fields::default() };
        fields.numbers[..5].copy_from_slice(&numbers);
        fields.texts = [Some(prev.1.as_bytes()), Some(next.1.as_bytes())];
        let shape = shape_of("sched_switch").unwrap();
        self.translator.event(shape, ts_ns, cpu, None, &fields, &mut self.ids, &mut self.rows);
        self
    }

    fn take(&mut self) -> Vec<Event> {
        std::mem::take(&mut self.rows).into_iter().map(|row| row.event).collect()
    }
}

fn name(tid: i32, tgid: Option<i32>, name: &str) -> Event {
    Event::Name { tid, tgid, name: name.into() }
}

#[test]
fn a_name_is_told_when_it_is_new_and_never_for_swapper() {
    let mut told = Told::new(&[]);
    told.switch(1, 0, (0, "swapper/0"), task_state::R, (7, "hog\0junk"));
    told.switch(2, 0, (7, "hog"), task_state::S, (8, "<...>")).switch(3, 0, (8, ""), task_state::S, (7, "pig"));
    let names: Vec<_> = told.take().into_iter().filter(|event| matches!(event, Event::Name { .. })).collect();
    assert_eq!(names, [name(7, None, "hog"), name(7, None, "pig")]);
}

#[test]
fn names_may_be_long_and_need_not_be_utf_8() {
    let mut told = Told::new(&[]);
    let long = "a name - of 31 (letters) = 1234";
    told.event(1, 0, "sched_wakeup", &[Some(9), None, Some(1)], &[long.as_bytes()]);
    told.event(2, 0, "sched_wakeup", &[Some(10), None, Some(1)], &[b"\xff\xfe"]);
    let rows = told.take();
    assert_eq!((&rows[0], &rows[2]), (&name(9, None, long), &name(10, None, "\u{fffd}\u{fffd}")));
}

#[test]
fn of_the_declared_masks_the_last_that_fits_counts_and_follows_the_name() {
    let mut told = Told::new(&["*=0-7", "hog*=0-1"]);
    told.switch(1, 0, (0, ""), task_state::R, (7, "bash"));
    told.event(2, 0, "task_rename", &[Some(7)], &[b"hog 1"]);
    let (all, two) = (told.ids.mask_of_cpus(0..8), told.ids.mask_of_cpus(0..2));
    let masks: Vec<_> = told
        .take()
        .into_iter()
        .filter_map(|event| match event {
            Event::Affinity { tid: 7, mask, cpu: None, user: None, cpuset: None } => mask,
            _ => None,
        })
        .collect();
    assert_eq!(masks, [all, two]);
}

#[test]
fn a_wildcard_does_not_unbind_a_per_cpu_kernel_thread_and_its_own_name_does() {
    let masks_of = |declared: &[&str]| -> Vec<bool> {
        let mut told = Told::new(declared);
        told.switch(1, 0, (0, ""), task_state::R, (7, "kthreadd"));
        told.event(2, 0, "task_rename", &[Some(7)], &[b"kworker/3:1"]);
        let masks = told.take().into_iter().filter_map(|event| match event {
            Event::Affinity { tid: 7, mask, .. } => Some(mask.is_some()),
            _ => None,
        });
        masks.collect()
    };
    assert_eq!(masks_of(&["*=0-7"]), [true, false], "its mask is unknown again; its name binds it");
    assert_eq!(masks_of(&["*=0-7", "kworker/3:1=0-7"]), [true, true]);
    assert!(masks_of(&[]).is_empty());
}

#[test]
fn a_birth_that_two_tracepoints_tell_is_one_fork_and_a_tid_is_born_again_after_its_exit() {
    const THREAD: i64 = 0x1_0000;
    let mut told = Told::new(&[]);
    told.switch(1, 2, (0, ""), task_state::R, (70, "sh"));
    told.take();
    told.event(2, 2, "task_newtask", &[Some(71), Some(0)], &[b"sh"]);
    told.event(3, 2, "sched_process_fork", &[Some(70), Some(71), None], &[b"sh", b"sh"]);
    let fork = Event::Fork { cpu: 2, parent_tid: 70, child_tid: 71, child_tgid: Some(71) };
    assert_eq!(told.take(), [fork.clone(), name(71, Some(71), "sh")]);
    told.event(4, 2, "sched_process_exit", &[Some(71)], &[b"sh"]);
    told.event(5, 2, "sched_process_fork", &[Some(70), Some(71), None], &[b"sh", b"sh"]);
    let again = Event::Fork { cpu: 2, parent_tid: 70, child_tid: 71, child_tgid: None };
    assert_eq!(told.take(), [Event::Exit { cpu: 2, tid: 71 }, again, name(71, None, "sh")]);
    // A thread belongs to the process of whoever made it; `task_newtask` has the maker on the CPU.
    told.switch(6, 2, (70, "sh"), task_state::S, (71, "sh"));
    told.event(7, 2, "sched_process_exec", &[Some(71), Some(71)], &[]);
    told.event(8, 2, "task_newtask", &[Some(72), Some(THREAD)], &[b"sh"]);
    assert!(told.take().contains(&Event::Fork { cpu: 2, parent_tid: 71, child_tid: 72, child_tgid: Some(71) }));
}

#[test]
fn a_name_holds_from_the_first_event_that_has_it_in_whichever_order_the_sources_are_read() {
    let mut told = Told::new(&[]);
    told.event(50, 2, "sched_wakeup", &[Some(7), Some(120), Some(1)], &[b"hog"]);
    told.event(20, 1, "sched_wakeup", &[Some(7), Some(120), Some(1)], &[b"hog"]);
    told.event(60, 2, "sched_wakeup", &[Some(7), Some(120), Some(1)], &[b"hog"]);
    let named: Vec<_> = told.rows.iter().filter(|r| matches!(r.event, Event::Name { .. })).map(|r| r.ts_ns).collect();
    assert_eq!(named, [50, 20]);
}

#[test]
fn a_tid_is_born_again_where_its_end_was_read_before_both_births() {
    let mut told = Told::new(&[]);
    told.event(5, 1, "sched_process_exit", &[Some(71)], &[b"sh"]);
    told.event(1, 2, "sched_process_fork", &[Some(70), Some(71), None], &[b"sh", b"sh"]);
    told.event(9, 2, "sched_process_fork", &[Some(70), Some(71), None], &[b"sh", b"sh"]);
    assert_eq!(told.rows.iter().filter(|r| matches!(r.event, Event::Fork { .. })).count(), 2);
}

#[test]
fn interrupts_on_idle_cpus_become_spans() {
    let mut told = Told::new(&[]);
    told.switch(0, 1, (7, ""), task_state::S, (0, "")).switch(0, 2, (0, ""), task_state::R, (9, ""));
    told.take();
    for cpu in [1, 2] {
        told.event(1_000, cpu, "irq_handler_entry", &[Some(24)], &[]);
        told.event(2_000, cpu, "softirq_entry", &[Some(3)], &[]);
    }
    assert_eq!((told.translator.settled(30_000, Some(1)), told.translator.settled(30_000, Some(2))), (1_000, 30_000));
    assert_eq!(told.translator.settled(30_000, None), 1_000);
    for cpu in [1, 2] {
        told.event(20_000, cpu, "softirq_exit", &[Some(3)], &[]);
        told.event(51_000, cpu, "irq_handler_exit", &[Some(24)], &[]);
    }
    let span = Event::IrqSpan { cpu: 1, dur_ns: 50_000, kind: irq_kind::MIXED, vector: Some(24) };
    assert_eq!(told.rows, [Row { ts_ns: 1_000, event: span }]);
    told.rows.clear();
    // Short ones are none; one whose end was lost does not hold back the order for ever.
    told.event(60_000, 1, "softirq_entry", &[Some(1)], &[]).event(70_000, 1, "softirq_exit", &[Some(1)], &[]);
    told.event(80_000, 1, "softirq_entry", &[Some(1)], &[]);
    assert_eq!(told.translator.settled(500_000_000, None), 500_000_000);
    assert!(told.rows.is_empty());
}

#[test]
fn the_balancers_softirq_on_an_idle_cpu_is_told_however_short() {
    let mut told = Told::new(&[]);
    told.switch(100, 1, (7, ""), task_state::S, (0, "")).switch(100, 2, (0, ""), task_state::R, (9, ""));
    told.take();
    for (cpu, vector) in [(1, 7), (2, 7), (1, 3)] {
        told.event(1_000, cpu, "softirq_entry", &[Some(vector)], &[]);
        told.event(2_000, cpu, "softirq_exit", &[Some(vector)], &[]);
    }
    let kick = Event::Kick { cpu: 1, target_cpu: 1, kind: kick_kind::SOFTIRQ };
    assert_eq!(told.rows, [Row { ts_ns: 1_000, event: kick }], "CPU 2 runs a thread");
}

#[test]
fn a_run_on_a_cpu_that_swapper_was_not_seen_to_leave_is_a_span() {
    let mut told = Told::new(&[]);
    let account = |told: &mut Told, writer, ts_ns, cpu, tid, ran_ns| {
        told.event_of(Some(writer), ts_ns, cpu, "sched_stat_runtime", &[Some(tid), Some(ran_ns)], &[b"hog"]);
    };
    told.switch(100, 1, (7, ""), task_state::S, (0, "")).switch(100, 2, (0, ""), task_state::R, (9, ""));
    told.take();
    assert_eq!(told.translator.settled(30_000, Some(1)), 30_000);
    account(&mut told, 9, 30_000, 2, 9, 5_000);
    let accounted = |tid, cpu, runtime_ns| Event::Runtime { cpu, tid, runtime_ns };
    assert_eq!(told.take(), [accounted(9, 2, 5_000)], "its begin was seen");
    assert_eq!(told.translator.settled(30_000, Some(1)), 100, "one may have begun");
    assert_eq!(told.translator.settled(90_000_000, None), 70_000_000, "not that long ago");
    account(&mut told, 0, 40_000, 1, 9, 10_000);
    assert_eq!(
        told.take(),
        [accounted(9, 1, 10_000)],
        "swapper puts a thread on the queue of CPU 2 and accounts for what runs there"
    );
    account(&mut told, 8, 50_000, 1, 8, 10_000);
    let span = Event::RunSpan { cpu: 1, tid: 8, dur_ns: 10_000 };
    assert_eq!(told.rows[1], Row { ts_ns: 40_000, event: span });
    told.take();
    account(&mut told, 8, 60_000, 1, 8, 10_000);
    let none = (vec![accounted(8, 1, 10_000)], 60_000);
    assert_eq!((told.take(), told.translator.settled(60_000, None)), none, "told already");
    // An account never reaches back beyond the CPU's last switch.
    told.switch(70_000, 1, (8, ""), task_state::S, (0, ""));
    account(&mut told, 8, 80_000, 1, 8, 60_000);
    assert_eq!(told.take()[1..], [Event::RunSpan { cpu: 1, tid: 8, dur_ns: 10_000 }, accounted(8, 1, 60_000)]);
}

#[test]
fn a_cpu_goes_offline_with_its_last_switch_and_comes_back_with_its_first_step() {
    let mut told = Told::new(&[]);
    told.event(1, 0, "cpuhp_enter", &[Some(3), Some(0)], &[]);
    told.switch(2, 3, (0, ""), task_state::R, (30, "cpuhp/3"));
    told.switch(3, 3, (30, "cpuhp/3"), task_state::S, (31, "migration/3"));
    told.event(9, 0, "cpuhp_enter", &[Some(3), Some(233)], &[]);
    let changes: Vec<_> = told
        .rows
        .iter()
        .filter_map(|row| match row.event {
            Event::Hotplug { cpu: 3, online } => Some((row.ts_ns, online)),
            _ => None,
        })
        .collect();
    assert_eq!(changes, [(3, false), (9, true)]);
}

#[test]
fn a_state_dump_has_threads_and_whether_they_slept() {
    let mut told = Told::new(&["hog=1"]);
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
        told.event(1, 0, "lttng_statedump_process_state", &numbers, &[b"hog"]);
        let rows = told.take();
        let Event::ThreadSnapshot(thread) = &rows[0] else { panic!("{rows:?}") };
        assert_eq!((thread.tid, thread.tgid, thread.cpu), (12, 10, 5));
        assert_eq!((thread.state, thread.queue), (state, queue), "status {status}");
        if status == 1 {
            assert!(
                matches!(rows[2], Event::Affinity { tid: 12, mask: Some(_), .. }),
                "declared masks hold for it too"
            );
        }
    }
}

#[test]
fn a_state_dump_before_lttng_2_10_has_no_cpu_and_says_nothing_of_queues() {
    let mut told = Told::new(&[]);
    told.event(1, 0, "lttng_statedump_process_state", &[Some(12), Some(10), Some(1), Some(0), Some(5)], &[b"hog"]);
    assert_eq!(told.take(), [name(12, Some(10), "hog")]);
}

#[test]
fn a_wakeup_without_success_woke_none() {
    let mut told = Told::new(&[]);
    told.event(1, 0, "sched_wakeup", &[Some(7), Some(120), Some(1), Some(0)], &[b"hog"]);
    assert_eq!(told.take(), []);
    told.event(2, 0, "sched_wakeup", &[Some(7), Some(120), Some(1), Some(1)], &[b"hog"]);
    assert!(matches!(told.take()[1], Event::Wakeup { tid: 7, target_cpu: 1, .. }));
}

#[test]
fn numbers_of_states_and_priorities_follow_the_tracer_and_the_release() {
    let mut told = Told::new(&[]);
    told.translator.written_by(&Tracer::Lttng(2, 5), Some("3.10.0"), &[]);
    let numbers = [Some(7), Some(20), Some(1024), Some(0), Some(20)];
    told.event(1, 0, "sched_switch", &numbers, &[b"hog", b"swapper/0"]);
    let expected = Event::Switch {
        cpu: 0,
        prev_tid: 7,
        prev_state: task_state::R_PREEMPTED,
        prev_prio: Some(120),
        next_tid: 0,
        next_prio: Some(120),
    };
    assert_eq!(told.take()[1..], [expected]);
    told.event(2, 0, "sched_wakeup", &[Some(7), Some(120), Some(0), Some(1)], &[b"hog"]);
    assert!(matches!(told.take()[0], Event::Wakeup { prio: Some(120), .. }), "LTTng 2.5 wrote the kernel's there");
}

#[test]
fn the_balancers_softirq_had_another_number_before_2_6_32() {
    for (release, kicks) in [("2.6.31", 0), ("2.6.32", 1)] {
        let mut told = Told::new(&[]);
        told.translator.written_by(&Tracer::Kernel, Some(release), &[]);
        told.event_of(Some(0), 1, 0, "softirq_entry", &[Some(7)], &[]);
        assert_eq!(told.take().len(), kicks, "{release}");
    }
}

#[test]
fn what_cannot_be_is_counted_and_left_out() {
    let mut told = Told::new(&[]);
    told.event(1, -1, "sched_wakeup", &[Some(1), None, Some(0)], &[]);
    told.event(1, 0, "sched_wakeup", &[Some(-5), None, Some(0)], &[]);
    told.event(1, 0, "sched_wakeup", &[Some(5), None, Some(1 << 40)], &[]);
    told.event(1, 1 << 20, "sched_wakeup", &[Some(5), None, Some(0)], &[]);
    assert!(told.rows.is_empty());
}

#[test]
fn where_a_switch_lacks_the_name_of_who_leaves_the_known_one_decides() {
    let mut told = Told::new(&[]);
    told.translator.written_by(&Tracer::Kernel, Some("4.18.0"), &[]);
    told.event(1, 0, "sched_switch", &[Some(0), None, Some(1), Some(7)], &[b"swapper/0", b"kworker/0:1"]);
    told.event(2, 0, "sched_switch", &[Some(7), None, Some(0x100), Some(8)], &[]);
    told.event(3, 0, "sched_switch", &[Some(8), None, Some(0x100), Some(0)], &[]);
    let states = told.rows.iter().filter_map(|row| match row.event {
        Event::Switch { prev_tid, prev_state, .. } if prev_tid > 0 => Some(prev_state),
        _ => None,
    });
    assert_eq!(states.collect::<Vec<_>>(), [task_state::UNKNOWN, task_state::R_PREEMPTED]);
}
