//! What is asked for any instant is what applying the events up to it gives.

use super::sequences::{any_event, in_time, many, model, parts};
use proptest::prelude::*;
use std::collections::BTreeMap;
use wastenot_replay::bubbles::{Entity, Holder, HolderInterval, Model, Timeline};

fn places(intervals: &[HolderInterval]) -> BTreeMap<Entity, Holder> {
    intervals.iter().map(|s| (s.entity, s.holder)).collect()
}

/// The state by a scan of all intervals.
fn by_scan(intervals: &[HolderInterval], at: i64) -> Vec<HolderInterval> {
    let end = intervals.iter().map(|s| s.end_ns).max().unwrap_or(0);
    let mut found: BTreeMap<Entity, HolderInterval> = BTreeMap::new();
    for s in intervals.iter().filter(|s| s.start_ns <= at && (at < s.end_ns || at == s.end_ns && at == end)) {
        found.insert(s.entity, *s);
    }
    found.into_values().collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn the_state_at_any_instant_is_what_the_events_until_then_made(
        events in prop::collection::vec(any_event(), 0..100), at in 0..150_i64,
    ) {
        let events = in_time(events);
        let (mut whole, mut until) = (model(), model());
        events.iter().for_each(|e| whole.apply(e));
        events.iter().take_while(|e| e.ts_ns <= at).for_each(|e| until.apply(e));
        until.reach(at + 1);
        let timeline = Timeline::new(whole.finish(1_000).intervals);
        let state = timeline.state(at);
        prop_assert_eq!(places(&state), until.holders().collect::<BTreeMap<_, _>>());
        for s in &state {
            prop_assert_eq!(timeline.of(s.entity, at), Some(*s));
        }
    }

    #[test]
    fn playing_the_changes_leads_from_one_state_to_another_and_back(
        events in prop::collection::vec(any_event(), 0..100), a in 0..150_i64, b in 0..150_i64,
    ) {
        let mut model = model();
        in_time(events).iter().for_each(|e| model.apply(e));
        let timeline = Timeline::new(model.finish(1_000).intervals);
        // Later instants have no state: the trace has ended.
        let (a, b) = (a.min(b).min(timeline.end_ns()), a.max(b).min(timeline.end_ns()));
        let (changes, whole) = timeline.changes(a + 1, b + 1, usize::MAX);
        prop_assert!(whole);
        let mut state = places(&timeline.state(a));
        for c in &changes {
            match c.to {
                Some(to) => state.insert(c.entity, to.holder),
                None => state.remove(&c.entity),
            };
        }
        prop_assert_eq!(&state, &places(&timeline.state(b)));
        for c in changes.iter().rev() {
            match c.from {
                Some(from) => state.insert(c.entity, from.holder),
                None => state.remove(&c.entity),
            };
        }
        prop_assert_eq!(state, places(&timeline.state(a)));
    }

    #[test]
    fn the_runqueues_above_an_entity_cover_its_time_once(events in prop::collection::vec(any_event(), 0..100)) {
        let mut model = model();
        in_time(events).iter().for_each(|e| model.apply(e));
        let intervals = model.finish(1_000).intervals;
        let timeline = Timeline::new(intervals.clone());
        for s in intervals.iter().filter(|s| s.start_ns < s.end_ns) {
            let (mut reached, mut sound) = (s.start_ns, true);
            timeline.runqueues(s.entity, s.start_ns, s.end_ns, &mut |from, to, holder| {
                sound &= from == reached && to > from && !matches!(holder, Holder::Bubble(_));
                reached = to;
            });
            prop_assert!(sound && reached == s.end_ns, "{:?}", s);
        }
    }
}

#[test]
fn a_thousand_instants_of_a_long_trace_are_as_if_every_event_were_applied_again() {
    let events = many(60_000, 7);
    let mut whole = Model::new(parts());
    events.iter().for_each(|e| whole.apply(e));
    let end = events.last().unwrap().ts_ns + 10;
    let record = whole.finish(end);
    let timeline = Timeline::new(record.intervals.clone());
    let mut instants: Vec<i64> = (0..1_000_i64).map(|i| (i * 7_919 + 13) % end).collect();
    instants.sort_unstable();
    let (mut until, mut next) = (Model::new(parts()), 0);
    for (i, at) in instants.into_iter().enumerate() {
        while next < events.len() && events[next].ts_ns <= at {
            until.apply(&events[next]);
            next += 1;
        }
        let state = timeline.state(at);
        assert_eq!(places(&state), until.holders().collect::<BTreeMap<_, _>>(), "at {at}");
        if i % 100 == 0 {
            assert_eq!(state, by_scan(&record.intervals, at), "at {at}");
        }
    }
}

#[test]
fn a_limit_cuts_the_changes_and_says_so() {
    let events = many(2_000, 3);
    let mut model = Model::new(parts());
    events.iter().for_each(|e| model.apply(e));
    let timeline = Timeline::new(model.finish(10_000).intervals);
    let (all, whole) = timeline.changes(0, 10_000, usize::MAX);
    assert!(whole);
    let (some, whole) = timeline.changes(0, 10_000, 100);
    assert_eq!((&some[..], whole), (&all[..100], false));
    assert_eq!(timeline.changes(5_000, 5_000, 9), (vec![], true));
}
