//! Traces that lack switches: what can be inferred is inferred and counted, what cannot is not believed.

mod common;
mod oracle;

use common::{MS, ResultTables, US, check_drawn, strict};
use oracle::checked_figures::{check_in_batches, figures};
use oracle::streams::plausible;
use oracle::{Event, Trace, state};
use proptest::prelude::*;
use wastenot_checker::Options;

/// CPU 0 runs 100; CPU 1 is idle from 100 us on, when 101 falls asleep there; 102 sleeps.
const BASE: &str = "
    cpus 0-2
    window 0us 1000us
    0us cpu 0 runs 100
    0us cpu 1 runs 101
    0us cpu 2 idle
    0us thread 100 busy on 0 running mask 0-2
    0us thread 101 other on 1 running mask 0-2
    0us thread 102 third on 1 asleep mask 0-2
    100us switch 1: 101 S -> 0
";

fn after_base(more: &str) -> ResultTables {
    check_drawn(&format!("{BASE}\n{more}"))
}

fn repaired(f: &ResultTables) -> (i64, i64) {
    (f.data_quality("repaired", Some("missing_idle_exit")), f.data_quality("contradiction", None))
}

#[test]
fn a_thread_woken_on_an_idle_cpu_ran_since_its_wakeup() {
    let f = after_base("300us wakeup 102 on 1\n 700us switch 1: 102 S -> 103");
    assert_eq!(repaired(&f), (1, 0));
    let slices = [(0, 100, Some(101)), (100, 300, Some(0)), (300, 700, Some(102)), (700, 1000, Some(103))];
    assert_eq!(f.slices(1), slices.map(|(a, b, tid)| (a * US, b * US, tid)));
    assert_eq!(f.states(102)[1], (300 * US, 700 * US, "running", Some(1)), "it did not wait");
    assert_eq!(f.threads(102, |t| (t.run_ns, t.wait_wakeup_ns, t.switches)), [(400 * US, 0, 1)]);
    assert_eq!((f.wasted(), f.late_wakes()), (vec![], 0));
    let queue = [(0, 100, 0, true), (100, 300, 0, false), (300, 1000, 0, true)];
    assert_eq!(f.queue(1), queue.map(|(a, b, n, runs)| (a * US, b * US, n, runs)));
}

#[test]
fn it_may_have_gone_to_sleep_again() {
    let f = after_base("300us wakeup 102 on 1\n 700us switch 1: 102 S -> 0");
    assert_eq!(repaired(&f), (1, 0));
    assert_eq!(f.slices(1)[1..3], [(100 * US, 300 * US, Some(0)), (300 * US, 700 * US, Some(102))]);
}

#[test]
fn a_thread_preempted_there_ran_again_as_soon_as_the_cpu_was_idle() {
    let f = after_base("200us switch 0: 100 R -> 0\n 600us switch 0: 100 S -> 0");
    assert_eq!(repaired(&f), (1, 0));
    assert_eq!(
        f.slices(0),
        [(0, 200 * US, Some(100)), (200 * US, 600 * US, Some(100)), (600 * US, 1000 * US, Some(0))]
    );
    assert_eq!(f.states(100)[..2], [(0, 200 * US, "running", Some(0)), (200 * US, 600 * US, "running", Some(0))]);
    assert_eq!(f.wasted(), [], "it never waited");
}

#[test]
fn a_thread_moved_there_ran_since_the_move() {
    let f = after_base("200us wakeup 102 on 0\n 400us migrate 102 from 0 to 1\n 600us switch 1: 102 S -> 0");
    assert_eq!(repaired(&f), (1, 0));
    assert_eq!(
        f.states(102)[1..3],
        [(200 * US, 400 * US, "runnable", Some(0)), (400 * US, 600 * US, "running", Some(1))]
    );
    assert_eq!(f.wasted(), [(200 * US, 400 * US, 1, 1, 1)]);
}

#[test]
fn of_several_that_were_queued_the_one_named_ran() {
    let f = after_base(
        "200us wakeup 101 on 1
         300us wakeup 102 on 1
         700us switch 1: 102 S -> 101",
    );
    assert_eq!(repaired(&f), (1, 0));
    // 101 came first and was taken to be about to run; it waited instead, for what was counted as the wait of 102.
    assert_eq!(f.slices(1)[1..3], [(100 * US, 300 * US, Some(0)), (300 * US, 700 * US, Some(102))]);
    assert_eq!(f.states(101)[2], (200 * US, 700 * US, "runnable", Some(1)));
    assert_eq!(f.wasted(), [(300 * US, 700 * US, 1, 1, 1)], "one of the two waits, with CPU 2 idle");
    assert_eq!((f.threads(102, |t| t.avoidable_wait_ns), f.late_wakes()), (vec![400 * US], 0));
}

#[test]
fn a_wait_of_more_than_a_tick_before_an_exit_not_seen_is_not_a_late_wake() {
    let trace = "cpus 0
        tick 4ms
        window 0ms 100ms
        0ms cpu 0 idle
        0ms thread 100 t on 0 asleep mask 0
        10ms wakeup 100 on 0
        30ms switch 0: 100 S -> 0
        50ms wakeup 100 on 0";
    assert_eq!(check_drawn(trace).late_wakes(), 0, "neither the repaired one nor the one under way");
    let seen = format!("{trace}\n 80ms switch 0: 0 R -> 100");
    assert_eq!(check_drawn(&seen).late_wakes(), 1, "this one was seen");
}

#[test]
fn of_a_thread_that_was_not_woken_it_is_not_known_how_long_it_ran() {
    let f = after_base("700us switch 1: 102 S -> 103");
    assert_eq!(repaired(&f), (0, 1));
    assert_eq!(f.slices(1)[1], (100 * US, 700 * US, None));
    assert_eq!(f.data_quality("doubtful_idle_ns", None), 600 * US, "at most so much was counted as idle and was not");
    assert_eq!(f.data_quality("placements_inferred", None), 0);
}

#[test]
fn after_an_exit_that_could_not_be_inferred_a_cpu_is_not_idle_until_one_is_seen() {
    let f = after_base(
        "150us switch 1: 102 S -> 0
         200us wakeup 103 on 0
         300us switch 2: 0 R -> 103
         300us switch 2: 103 S -> 0
         400us wakeup 103 on 0
         500us switch 1: 0 R -> 103
         600us switch 1: 103 S -> 0
         700us switch 0: 100 R -> 105",
    );
    // CPU 2 is idle all the time; CPU 1 helps from 600 us on only.
    let idle: Vec<_> = f.idle_cpus();
    assert_eq!(idle, [(200, 300, 1), (400, 500, 1), (700, 1000, 2)].map(|(a, b, n)| (a * US, b * US, n)));
    assert_eq!(f.slices(1)[2], (150 * US, 500 * US, Some(0)), "the exit seen proves it, afterwards");
}

#[test]
fn an_inferred_exit_is_as_good_as_one_seen() {
    let f = after_base(
        "150us switch 1: 102 S -> 0
         200us wakeup 102 on 1
         300us switch 1: 102 S -> 0
         400us switch 0: 100 R -> 105",
    );
    assert_eq!(repaired(&f), (1, 1));
    assert_eq!(f.idle_cpus(), [(400 * US, 1000 * US, 2)]);
}

#[test]
fn a_cpu_in_doubt_to_the_end_is_unobserved() {
    let f = after_base("150us switch 1: 102 S -> 0");
    assert_eq!(f.slices(1)[1..], [(100 * US, 150 * US, None), (150 * US, 1000 * US, None)]);
}

#[test]
fn a_trace_without_wakeups_and_without_exits_from_idle_counts_one_idleness_at_most() {
    // 100 is preempted and waits for ever; 101 comes and goes on CPU 1 without a word on its coming.
    let mut text =
        String::from("cpus 0-1\n window 0ms 100ms\n 1ms switch 0: 100 R -> 105\n 1ms switch 1: 101 S -> 0\n");
    (1..50).for_each(|i| text += &format!("{}ms switch 1: 101 S -> 0\n", 1 + 2 * i));
    let f = check_drawn(&text);
    assert_eq!(f.sums().0, 2 * MS, "up to the first switch that shows it to be wrong");
    assert_eq!(f.data_quality("doubtful_idle_ns", None), 2 * MS);
}

#[test]
fn without_wakeups_only_preempted_threads_wait() {
    let f = check_drawn(
        "cpus 0-1
         window 0us 1000us
         100us switch 1: 101 S -> 0
         200us switch 0: 100 S -> 102
         300us switch 0: 102 R -> 100
         600us switch 1: 0 R -> 102",
    );
    assert_eq!(f.wasted(), [(300 * US, 600 * US, 1, 0, 1)]);
    assert_eq!((f.data_quality("placements_inferred", None), f.data_quality("contradiction", None)), (2, 0));
}

#[test]
fn once_wakeups_are_reported_a_run_without_one_is_a_contradiction() {
    let f = check_drawn(
        "cpus 0-1
         window 0us 1000us
         100us switch 1: 101 S -> 0
         200us switch 0: 100 S -> 102
         250us wakeup 101 on 1
         300us switch 0: 102 S -> 100",
    );
    assert_eq!(f.data_quality("contradiction", Some("ran_without_wakeup")), 1);
}

#[test]
fn a_cpu_that_idles_after_its_stopper_was_offline() {
    let f = check_drawn(
        "cpus 0-1
         window 0us 1000us
         0us cpu 1 runs 7
         0us thread 7 cpuhp/1 on 1 running
         0us thread 8 migration/1 on 1 asleep
         50us wakeup 8 on 1
         100us switch 1: 7 S -> 8
         600us switch 1: 0 R -> 9",
    );
    assert_eq!((f.data_quality("repaired", Some("offline_unreported")), f.data_quality("contradiction", None)), (1, 0));
    assert_eq!(f.slices(1)[1], (100 * US, 600 * US, None), "neither idle nor busy");
}

#[test]
fn a_thread_queued_elsewhere_was_placed_here_unseen() {
    let f = after_base("200us wakeup 102 on 0\n 600us switch 1: 102 S -> 0");
    // Where it waited and where it ran from then on is not known; up to the switch it was counted as waiting.
    assert_eq!(repaired(&f), (0, 1));
    assert_eq!(f.data_quality("placements_inferred", None), 2, "of its wakeup, and of its coming here");
    assert_eq!(f.slices(1)[1], (100 * US, 600 * US, None));
}

#[test]
fn a_missing_switch_into_idle_leaves_unknown_what_ran_before() {
    let f = after_base("200us switch 2: 0 R -> 103\n 600us switch 2: 0 R -> 104\n 700us switch 2: 104 S -> 0");
    assert_eq!(repaired(&f), (0, 1));
    assert_eq!(f.slices(2)[1], (200 * US, 600 * US, None));
    assert_eq!(f.states(103), [], "when it stopped is not known");
    assert_eq!(f.data_quality("doubtful_idle_ns", None), 0);
}

#[test]
fn a_throttled_thread_was_not_about_to_run() {
    let f = after_base("200us throttle 102 on\n 300us wakeup 102 on 1\n 700us switch 1: 102 S -> 0");
    assert_eq!(repaired(&f), (0, 1));
}

#[test]
fn a_tid_used_again_without_an_exit_is_repaired_as_the_new_thread() {
    let f = after_base("200us fork 100 -> 102\n 300us wakeup_new 102 on 1\n 700us switch 1: 102 S -> 0");
    assert_eq!(repaired(&f), (1, 0));
    assert_eq!(f.threads(102, |t| t.run_ns), [0, 400 * US]);
}

#[test]
fn events_of_a_cpu_that_does_not_exist_repair_nothing() {
    let f = after_base("300us wakeup 102 on 7\n 700us switch 7: 102 S -> 0");
    assert_eq!((repaired(&f), f.data_quality("rejected", Some("cpu_not_in_machine"))), ((0, 0), 2));
}

#[test]
fn the_kernels_account_of_a_run_says_when_it_began() {
    let f = after_base("300us run 102 on 1 for 200us\n 700us switch 1: 102 S -> 0\n 800us switch 0: 100 R -> 105");
    assert_eq!(repaired(&f), (1, 0), "that it was not woken is not a contradiction");
    assert_eq!(f.data_quality("placements_inferred", None), 1);
    assert_eq!(f.slices(1)[1..3], [(100, 300, Some(0)), (300, 700, Some(102))].map(|(a, b, t)| (a * US, b * US, t)));
    assert_eq!(f.idle_cpus(), [(800 * US, 1000 * US, 2)], "the CPU is not in doubt");
    let woken = after_base("250us wakeup 102 on 1\n 300us run 102 on 1 for 200us\n 700us switch 1: 102 S -> 0");
    assert_eq!(
        woken.states(102)[1..3],
        [(250, 300, "runnable", Some(1)), (300, 700, "running", Some(1))].map(|(a, b, phase, cpu)| (
            a * US,
            b * US,
            phase,
            cpu
        ))
    );
}

#[test]
fn an_account_of_a_run_whose_start_was_seen_says_nothing_new() {
    let f = after_base("300us switch 1: 0 R -> 102\n 400us run 103 on 1 for 50us\n 700us switch 1: 102 S -> 0");
    assert_eq!((f.data_quality("repaired", None), f.threads(102, |t| t.run_ns)), (0, vec![400 * US]));
}

#[test]
fn strict_mode_infers_nothing() {
    let text = format!("{BASE}\n 300us wakeup 102 on 1\n 700us switch 1: 102 S -> 101");
    let error = strict(&text).err().expect("a contradiction").to_string();
    assert!(error.contains("prev_not_current") && error.contains("700000 ns"), "{error}");
    let text = format!("{BASE}\n 300us run 102 on 1 for 1us");
    let error = strict(&text).err().expect("a contradiction").to_string();
    assert!(error.contains("prev_not_current") && error.contains("accounted"), "{error}");
}

#[test]
fn a_cpu_that_goes_idle_has_an_empty_queue_where_exits_are_not_reported() {
    let f = after_base(
        "200us wakeup 102 on 1
         250us switch 1: 102 S -> 0
         300us wakeup 103 on 1
         400us wakeup 102 on 1
         500us switch 1: 102 S -> 0
         700us switch 0: 100 R -> 105",
    );
    // 103 came at 300 us and was gone by 500 us, unseen; until then one of the two waited.
    assert_eq!((f.data_quality("repaired", Some("left_unseen")), f.data_quality("contradiction", None)), (1, 0));
    assert_eq!(f.states(103), [], "where it was is not known");
    assert_eq!(f.idle_cpus(), [(400, 500, 1), (700, 1000, 2)].map(|(a, b, n)| (a * US, b * US, n)));
}

#[test]
fn a_thread_preempted_by_swapper_stays_known() {
    let f = after_base("200us wakeup 102 on 1\n 250us switch 1: 102 R -> 0\n 300us switch 1: 102 S -> 0");
    assert_eq!((f.data_quality("repaired", None), f.data_quality("contradiction", None)), (2, 0));
}

#[test]
fn where_exits_are_reported_a_thread_left_behind_is_about_to_run() {
    let f = after_base("200us wakeup 102 on 1\n 300us switch 1: 0 R -> 104\n 500us switch 1: 104 S -> 0");
    assert_eq!(f.data_quality("repaired", None), 0);
    assert_eq!(f.states(102)[1], (200 * US, 1000 * US, "runnable", Some(1)));
}

/// The trace without those exits from idle of `cpu` that can be inferred without loss; and the trace with them at the time
/// at which they are inferred. Quota and cookies are left out: what they do depends on who runs. So are exits after which
/// the CPU goes idle beside threads on its queue: where exits are not reported these are taken to have left.
fn without_exits(trace: &Trace, cpu: i16) -> Option<(Trace, Trace)> {
    let plain = |e: &Event| !matches!(e, Event::Throttle { .. } | Event::Cookie { .. });
    let events: Vec<_> = trace.events.iter().filter(|(_, e)| plain(e)).cloned().collect();
    let whole = Trace { events, ..trace.clone() };
    let strands = strands_before_next_exit(&whole, cpu);
    let (mut lacking, mut moved) = (Vec::new(), Vec::new());
    let mut inferred = Vec::new();
    let mut seen = state::State::begin(&whole.machine);
    for ((ts, event), strands) in whole.events.iter().zip(strands) {
        seen.reach(*ts);
        let exit = match *event {
            Event::Switch { cpu: at, prev: 0, next, .. } if at == cpu && !strands => {
                seen.certain_exit(cpu as usize, next)
            }
            _ => None,
        };
        match exit {
            Some(begin) => inferred.push((begin, moved.len(), event.clone())),
            None => {
                lacking.push((*ts, event.clone()));
                moved.push((*ts, event.clone()));
            }
        }
        seen.apply(event);
    }
    for (begin, stood_at, event) in inferred.iter().rev() {
        let at = moved.partition_point(|(ts, _)| ts <= begin).min(*stood_at);
        moved.insert(at, (*begin, event.clone()));
    }
    let with = |events| Trace { events, ..whole.clone() };
    (!inferred.is_empty()).then(|| (with(lacking), with(moved)))
}

/// For each event: the CPU goes idle beside threads on its queue before it exits from idle again.
fn strands_before_next_exit(trace: &Trace, cpu: i16) -> Vec<bool> {
    let mut seen = state::State::begin(&trace.machine);
    let mut strands = vec![false; trace.events.len()];
    let mut since = 0;
    for (i, (ts, event)) in trace.events.iter().enumerate() {
        seen.reach(*ts);
        match *event {
            Event::Switch { cpu: at, prev: 0, .. } if at == cpu => since = i,
            Event::Switch { cpu: at, next: 0, .. } if at == cpu && !seen.stranded(cpu as usize).is_empty() => {
                strands[since..=i].fill(true);
            }
            _ => {}
        }
        seen.apply(event);
    }
    strands
}

/// The trace with the kernel's accounts in place of exits from idle of `cpu`.
fn with_accounts(trace: &Trace, cpu: i16) -> Trace {
    let mut seen = state::State::begin(&trace.machine);
    let mut events = Vec::new();
    for ((ts, event), strands) in trace.events.iter().zip(strands_before_next_exit(trace, cpu)) {
        seen.reach(*ts);
        events.push(match *event {
            Event::Switch { cpu: at, prev: 0, next, .. }
                if at == cpu && !strands && seen.runs_swapper(cpu as usize) =>
            {
                (*ts, Event::Run { cpu, tid: next })
            }
            _ => (*ts, event.clone()),
        });
        seen.apply(event);
    }
    Trace { events, ..trace.clone() }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn waste_is_as_if_the_exits_had_been_seen(trace in plausible(120), cpu in 0i16..6) {
        let Some((lacking, moved)) = without_exits(&trace, cpu % trace.machine.n as i16) else { return Ok(()) };
        let checked = |t: &Trace| {
            let kept = check_in_batches(t, 1 << 20, &Options::default()).unwrap_or_else(|e| panic!("{e}"));
            let f = figures(&kept, &t.machine);
            f.assert_consistent(&t.machine, t.end_ns);
            let data_quality = common::ResultTables { batches: kept.0 };
            (f.in_one_piece(), data_quality.data_quality("unobserved_ns", None), data_quality.data_quality("contradiction", Some("prev_not_current")), data_quality.late_wakes())
        };
        let ((ours, unobserved, contradictions, late), (theirs, unobserved_there, contradictions_there, late_there)) =
            (checked(&lacking), checked(&moved));
        let drawn = lacking.drawn();
        prop_assert_eq!(&ours.wasted, &theirs.wasted, "wasted of\n{}", drawn);
        prop_assert_eq!(&ours.sums[..4], &theirs.sums[..4], "wasted, certain, idle_while_waiting, idle of\n{}", drawn);
        prop_assert_eq!(ours.ledger, theirs.ledger, "ledger of\n{}", drawn);
        prop_assert_eq!(ours.grades, theirs.grades, "grades of\n{}", drawn);
        prop_assert_eq!(&ours.episodes, &theirs.episodes, "episodes of\n{}", drawn);
        prop_assert_eq!(&ours.avoidable, &theirs.avoidable, "avoidable wait of\n{}", drawn);
        prop_assert_eq!((unobserved, contradictions), (unobserved_there, contradictions_there), "data_quality of\n{}", drawn);
        prop_assert!(late <= late_there + 1, "late wakes {late} > {late_there} + 1 of\n{}", drawn);
    }
    #[test]
    fn waste_is_as_if_accounts_were_exits(trace in plausible(120), cpu in 0i16..6) {
        let accounted = with_accounts(&trace, cpu % trace.machine.n as i16);
        let checked = |t: &Trace| {
            let kept = check_in_batches(t, 1 << 20, &Options::default()).unwrap_or_else(|e| panic!("{e}"));
            let f = figures(&kept, &t.machine);
            let data_quality = common::ResultTables { batches: kept.0 };
            (f.in_one_piece(), data_quality.data_quality("unobserved_ns", None))
        };
        let ((ours, unobserved), (theirs, unobserved_there)) = (checked(&accounted), checked(&trace));
        let drawn = accounted.drawn();
        prop_assert_eq!(&ours.wasted, &theirs.wasted, "wasted of\n{}", drawn);
        prop_assert_eq!(ours.ledger, theirs.ledger, "ledger of\n{}", drawn);
        prop_assert_eq!(&ours.episodes, &theirs.episodes, "episodes of\n{}", drawn);
        prop_assert_eq!(&ours.avoidable, &theirs.avoidable, "avoidable wait of\n{}", drawn);
        prop_assert_eq!(unobserved, unobserved_there, "unobserved of\n{}", drawn);
    }
}
