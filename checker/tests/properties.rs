//! The checker against a naive reading of the semantics (`oracle`), and laws that hold for every trace.

#[path = "common/windows.rs"]
mod windows;

mod oracle;

use std::collections::BTreeMap;

use oracle::checked_figures::{check_in_batches, contents, figures as found};
use oracle::streams::{beside_a_long_waste, nonsense, plausible, to_be_flickered, with_flicker};
use oracle::{Trace, figures};
use proptest::prelude::*;
use proptest::test_runner::TestRunner;
use wastenot_checker::{BatchCollector, CheckError, Options};
use wastenot_schemas as tables;

/// The checker's figures, which must be consistent, the same for other batches, and the same when strict succeeds.
fn checked(trace: &Trace) -> figures::Figures {
    let kept = check_in_batches(trace, 1 << 20, &Options::default()).unwrap_or_else(|e| panic!("{e}"));
    let small = check_in_batches(trace, 3, &Options::default()).unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(contents(&kept), contents(&small), "batch sizes change nothing");
    let figures = found(&kept, &trace.machine);
    figures.assert_consistent(&trace.machine, trace.end_ns);
    assert_answers_add_up(&kept);
    match check_in_batches(trace, 1 << 20, &Options { strict: true, ..Options::default() }) {
        Ok(strict) => assert_eq!(contents(&kept), contents(&strict), "strict changes nothing where it succeeds"),
        Err(CheckError::Contradiction { .. }) => {}
        Err(other) => panic!("{other}"),
    }
    figures.in_one_piece()
}

/// Per pair and question, the weights of the chosen answers are the pair's time; episodes of all grades.
fn assert_answers_add_up(kept: &BatchCollector) {
    type Key = (i32, i32, i16, i16);
    let mut pairs: BTreeMap<Key, i64> = BTreeMap::new();
    let mut sums: BTreeMap<(Key, u8), i64> = BTreeMap::new();
    for (name, batch) in &kept.0 {
        if *name == tables::episode_pair::NAME {
            let v = tables::episode_pair::View::try_new(batch).unwrap();
            for r in (0..v.len()).map(|i| v.row(i)) {
                pairs.insert((r.episode_id, r.utid, r.waited_on, r.idle_cpu), r.core_ns);
            }
        } else if *name == tables::attribution::NAME {
            let v = tables::attribution::View::try_new(batch).unwrap();
            for r in (0..v.len()).map(|i| v.row(i)).filter(|r| r.chosen) {
                let key = (r.episode_id, r.utid, r.waited_on, r.idle_cpu);
                *sums.entry((key, r.question)).or_default() += r.weight_ns;
            }
        }
    }
    for question in 0..tables::question::NAMES.len() as u8 {
        for (key, ns) in &pairs {
            assert_eq!(sums.get(&(*key, question)), Some(ns), "{key:?}, question {question}");
        }
    }
    assert_eq!(sums.len(), 3 * pairs.len());
}

/// The self-checks that make the verdict suspect.
fn suspect(kept: &BatchCollector) -> Vec<String> {
    let mut found = Vec::new();
    for (_, batch) in kept.0.iter().filter(|(name, _)| *name == tables::data_quality::NAME) {
        let v = tables::data_quality::View::try_new(batch).unwrap();
        let rows = (0..v.len()).map(|i| v.row(i)).filter(|r| r.what == "suspect");
        found.extend(rows.filter_map(|r| r.detail.map(str::to_owned)));
    }
    found
}

/// Everything as the reference has it, to the nanosecond.
fn assert_as_defined(trace: &Trace) {
    let (mut ours, mut theirs) = (checked(trace), figures::figures(trace));
    let drawn = trace.drawn();
    macro_rules! same {
        ($($field:ident),*) => {$(
            assert_eq!(
                std::mem::take(&mut ours.$field),
                std::mem::take(&mut theirs.$field),
                "{}: the checker, then the reference, of\n{drawn}\ndomains {:?}",
                stringify!($field),
                trace.machine.intervals_ns
            );
        )*};
    }
    same!(slices, states, wasted, sums, peak, ledger, avoidable, times, waits, refuted, grades, episodes);
}

/// `PROPTEST_CASES` overrides the number in `proptest!`.
fn cases(cases: u32) -> ProptestConfig {
    ProptestConfig { cases, failure_persistence: None, ..ProptestConfig::default() }
}

proptest! {
    #![proptest_config(cases(400))]

    #[test]
    fn plausible_traces_are_as_defined(trace in plausible(120)) {
        assert_as_defined(&trace);
    }

    #[test]
    fn what_a_scheduler_could_have_left_is_not_suspect(trace in plausible(2000)) {
        // Its wakeups are answered after any time, and its threads run on as long: only how late that is may be suspect.
        let late = ["idle_with_queue", "queued_beside_idle", "queued_for_ever", "woken_never_ran", "ran_on", "silence"];
        let kept = check_in_batches(&trace, 1 << 20, &Options::default()).unwrap_or_else(|e| panic!("{e}"));
        let suspect: Vec<String> = suspect(&kept).into_iter().filter(|check| !late.contains(&check.as_str())).collect();
        prop_assert!(suspect.is_empty(), "{suspect:?}: {}", trace.drawn());
    }

    #[test]
    fn rows_of_a_window_are_those_of_the_whole_trace(
        trace in plausible(400),
        every in 1i64..80,
        of in proptest::collection::vec((any::<u8>(), any::<u8>()), 4),
    ) {
        windows::assert_windows(&trace.tables(), every, &of);
    }

    #[test]
    fn rows_of_a_window_of_nonsense_are_those_of_the_whole_trace(
        trace in nonsense(120),
        every in 1i64..40,
        of in proptest::collection::vec((any::<u8>(), any::<u8>()), 4),
    ) {
        windows::assert_windows(&trace.tables(), every, &of);
    }

    #[test]
    fn damaged_checkpoints_are_refused_or_walked_on_from(
        trace in plausible(200),
        every in 10i64..80,
        changes in proptest::collection::vec((any::<usize>(), any::<u8>()), 1..4),
    ) {
        windows::assert_damage_is_survived(&trace.tables(), every, &changes);
    }

    #[test]
    fn nonsense_is_survived_and_as_defined(trace in nonsense(80)) {
        assert_as_defined(&trace);
    }
}

/// Changes that are recorded of an interval before part of it is graded and dropped.
const RECORD_LIMIT: i64 = 1 << 16;
/// Changes that are added to a trace.
const FLICKER: i64 = 300_000;

/// Longest stretch with waste.
fn longest_interval_ns(figures: &figures::Figures) -> i64 {
    let wasteful = figures.wasted.iter().filter(|(.., n)| n[0] > 0).map(|(from, to, _)| (*from, *to, ()));
    figures::merged(&wasteful.collect::<Vec<_>>()).iter().map(|(from, to, ())| to - from).max().unwrap_or(0)
}

/// The checker gives the same where the flicker makes it cut intervals as the reference gives without any flicker.
fn assert_cuts_do_not_matter(trace: &Trace, mut defined: figures::Figures) {
    let flickering = with_flicker(trace, FLICKER);
    let kept = check_in_batches(&flickering, 1 << 20, &Options::default()).unwrap_or_else(|e| panic!("{e}"));
    let mut figures = found(&kept, &trace.machine);
    figures.assert_consistent(&trace.machine, trace.end_ns);
    assert_answers_add_up(&kept);
    figures = figures.in_one_piece();
    // Only the bound waiter, utid 2, may differ in its states and in why it waits.
    for f in [&mut figures, &mut defined] {
        f.states[2].clear();
        f.times[2] = [0; 6];
        f.waits.clear();
    }
    assert_eq!(figures, defined, "checker with flicker, then the reference without, of\n{}", trace.drawn());
}

/// The longest interval holds several times the changes after which it is cut.
fn is_cut(trace: &Trace, defined: &figures::Figures) -> bool {
    let beyond = i128::from(longest_interval_ns(defined) - 100_000_000);
    beyond * i128::from(FLICKER) > i128::from(3 * RECORD_LIMIT) * i128::from(trace.end_ns)
}

fn defined(trace: Trace) -> (Trace, figures::Figures) {
    let figures = figures::figures(&trace);
    (trace, figures)
}

/// Run over a few traces, whatever `PROPTEST_CASES` says: each is checked with all its flicker.
fn with_a_few(traces: impl Strategy<Value = (Trace, figures::Figures)>) {
    let mut runner = TestRunner::new(ProptestConfig { max_shrink_iters: 20, ..cases(4) });
    let run = runner.run(&traces, |(trace, defined)| {
        assert_cuts_do_not_matter(&trace, defined);
        Ok(())
    });
    run.unwrap_or_else(|e| panic!("{e}"));
}

#[test]
fn where_long_intervals_are_cut_does_not_matter() {
    with_a_few(to_be_flickered(150).prop_map(defined).prop_filter("long intervals", |(t, f)| is_cut(t, f)));
}

/// Of so many traces most have no wait that a later event takes back, and are compared row by row.
fn assert_wait_ledgers_add_up(traces: impl Strategy<Value = Trace>, least_compared: usize) {
    let (compared, n) = (std::cell::Cell::new(0), 150);
    let strategy = (traces, 1i64..80, proptest::collection::vec(any::<u8>(), 3));
    let run = TestRunner::new(cases(n)).run(&strategy, |(trace, every, shares)| {
        let rows = windows::assert_wait_ledgers(&trace.tables(), every, &shares);
        compared.set(compared.get() + usize::from(rows.is_some_and(|rows| rows > 0)));
        Ok(())
    });
    run.unwrap_or_else(|e| panic!("{e}"));
    assert!(compared.get() >= least_compared, "{} of {n} traces were compared", compared.get());
}

#[test]
fn the_wait_ledgers_of_windows_add_up() {
    assert_wait_ledgers_add_up(plausible(300), 120);
}

#[test]
fn the_wait_ledgers_of_windows_of_nonsense_add_up() {
    assert_wait_ledgers_add_up(nonsense(120), 60);
}

#[test]
fn rows_of_a_window_are_whole_where_long_intervals_are_cut() {
    let mut runner = TestRunner::new(ProptestConfig { max_shrink_iters: 20, ..cases(4) });
    let traces = to_be_flickered(150).prop_map(defined).prop_filter("long intervals", |(t, f)| is_cut(t, f));
    let run = runner.run(&traces, |(trace, _)| {
        let spanning =
            windows::assert_windows(&with_flicker(&trace, FLICKER).tables(), 20_000, &[(60, 90), (128, 128)]);
        prop_assert!(spanning > 0, "a walk stops while rows go on");
        Ok(())
    });
    run.unwrap_or_else(|e| panic!("{e}"));
}

#[test]
fn a_cut_loses_nothing_of_recurrent_waste() {
    with_a_few(beside_a_long_waste().prop_map(defined).prop_filter("long intervals", |(t, f)| is_cut(t, f)));
}
