//! Random streams of events, whole and damaged, checked twice: by the checker and by a reference written from
//! docs/semantics.md alone. `make streams` checks 100,000 of them; `STREAMS` and `STREAMS_SEED` say how many, from which seed on.

#[path = "../common/mod.rs"]
mod common;
#[path = "../common/windows.rs"]
mod windows;

mod compare;
mod coverage;
mod damage;
mod events;
mod random;
mod reference;
mod schedule;
mod shrink;

use std::io::Write;
use std::panic::{AssertUnwindSafe, catch_unwind};

use coverage::Coverage;
use events::{Stream, What};
use random::Random;

/// How many streams are checked where nothing else is asked for.
const FEW: u64 = 3_000;
/// From so many streams on, each situation has to occur in some of them.
const ENOUGH: u64 = 1_000;
/// Streams printed of those that differ.
const PRINTED: usize = 10;

fn number(variable: &str, otherwise: u64) -> u64 {
    let Ok(text) = std::env::var(variable) else { return otherwise };
    text.parse().unwrap_or_else(|_| panic!("{variable}={text}: not a number"))
}

/// Write past the capture of the test runner: the line is shown whether the test passes or not.
fn show(line: &str) {
    writeln!(std::io::stderr(), "{line}").expect("standard error");
}

/// Names of the figures of a stream that differ, with both values.
fn differing(stream: &Stream, coverage: &mut Coverage) -> Vec<(&'static str, String)> {
    let reference = reference::figures(stream);
    coverage.add(&reference, stream.events.len() as u64);
    match catch_unwind(AssertUnwindSafe(|| compare::checked(stream))) {
        Ok(checked) => compare::differences(&reference, &checked),
        Err(_) => vec![("panic", String::new())],
    }
}

/// Seeds of the streams that differ, with the first figure that does, and what the streams held.
fn check(seeds: std::ops::Range<u64>) -> (Vec<(u64, &'static str)>, Coverage) {
    let (mut differ, mut coverage) = (Vec::new(), Coverage::default());
    for seed in seeds {
        if let Some((figure, _)) = differing(&damage::stream(seed), &mut coverage).first() {
            differ.push((seed, *figure));
        }
    }
    (differ, coverage)
}

/// The same, on all CPUs of this machine.
fn check_in_parallel(seeds: std::ops::Range<u64>) -> (Vec<(u64, &'static str)>, Coverage) {
    let threads = std::thread::available_parallelism().map_or(1, |n| n.get() as u64);
    let share = (seeds.end - seeds.start).div_ceil(threads).max(1);
    std::thread::scope(|scope| {
        let parts = seeds.clone().step_by(share as usize).map(|from| from..(from + share).min(seeds.end));
        let running: Vec<_> = parts.map(|part| scope.spawn(|| check(part))).collect();
        let (mut differ, mut coverage) = (Vec::new(), Coverage::default());
        for part in running {
            let (more, covered) = part.join().expect("a thread that checks streams ended early");
            differ.extend(more);
            coverage.merge(&covered);
        }
        (differ, coverage)
    })
}

#[test]
fn every_figure_of_random_streams_is_that_of_the_reference() {
    let (from, streams) = (number("STREAMS_SEED", 0), number("STREAMS", FEW));
    let (differ, coverage) = check_in_parallel(from..from + streams);
    show(&format!("streams: {streams} from seed {from}, {} differ; {coverage}", differ.len()));
    for &(seed, figure) in differ.iter().take(PRINTED) {
        let found = |s: &Stream| differing(s, &mut Coverage::default());
        let short = shrink::shrink(&damage::stream(seed), |s| found(s).iter().any(|(name, _)| *name == figure));
        println!("--- seed {seed}\n{short}");
        found(&short).iter().for_each(|(name, values)| println!("{name}: {values}"));
    }
    assert!(differ.is_empty(), "{} of {streams} streams differ", differ.len());
    assert!(streams < ENOUGH || coverage.missing().is_empty(), "no stream had: {:?}", coverage.missing());
}

/// A walk that is restarted at a checkpoint goes on as the whole one, whatever was lost or wrong before.
#[test]
fn rows_of_a_window_of_random_streams_are_those_of_the_whole_stream() {
    let (from, streams) = (number("STREAMS_SEED", 0), number("STREAMS", FEW) / 3);
    let mut spanning = 0;
    for seed in from..from + streams {
        let mut random = Random::new(!seed);
        let text = damage::stream(seed).to_string();
        let drawn = wastenot_drawing::draw(&text).unwrap_or_else(|e| panic!("{e}\n{text}"));
        let every = random.between(1, 60);
        let of: Vec<(u8, u8)> = (0..3).map(|_| (random.below(256) as u8, random.below(256) as u8)).collect();
        let checked = catch_unwind(AssertUnwindSafe(|| windows::assert_windows(&drawn, every, &of)));
        spanning +=
            checked.unwrap_or_else(|_| panic!("seed {seed}, a checkpoint every {every} events, {of:?}\n{text}"));
    }
    show(&format!("windows of streams: {streams} from seed {from}, {spanning} rows went on where a walk stopped"));
    assert!(spanning > 0 || streams < ENOUGH);
}

/// "Waste comes out as if the switch had been there", docs/semantics.md says of exits from idle that are not reported.
#[test]
fn without_exits_from_idle_the_waste_is_that_of_the_whole_stream_but_for_what_is_doubtful() {
    let (from, streams) = (number("STREAMS_SEED", 0), number("STREAMS", FEW) / 3);
    let (mut waste, mut doubtful, mut exact) = (0, 0, 0);
    for seed in from..from + streams {
        let (whole, damaged) = damage::without(seed, |what| matches!(what, What::Switch { prev: 0, next: 1.., .. }));
        let (truth, found) = (reference::figures(&whole), compare::checked(&damaged));
        let bound = damage::unsure(&found) - damage::unsure(&truth);
        let error = (truth.wasted - found.wasted).abs();
        if error > bound {
            println!("{damaged}\n{:#?}\n{:#?}", truth.steps, found.steps);
        }
        assert!(error <= bound, "seed {seed}: {error} ns wrong, {bound} ns are said to be doubtful");
        waste += u64::from(truth.wasted > 0);
        doubtful += u64::from(bound > 0);
        exact += u64::from(error == 0);
    }
    show(&format!("streams without exits from idle: {streams} from seed {from}, waste in {waste}, exact in {exact}"));
    assert!(waste > 0 && doubtful > 0 || streams < ENOUGH);
}

/// A thread whose fork is not reported has an unknown mask: it may run anywhere, and is not certain.
#[test]
fn without_forks_the_waste_lies_between_what_is_certain_and_what_is_reported() {
    let (from, streams) = (number("STREAMS_SEED", 0), number("STREAMS", FEW) / 3);
    let (mut waste, mut more) = (0, 0);
    for seed in from..from + streams {
        let (whole, damaged) = damage::without(seed, |what| matches!(what, What::Fork { .. }));
        let (truth, found) = (reference::figures(&whole), compare::checked(&damaged));
        let between = found.certain <= truth.wasted && truth.wasted <= found.wasted;
        assert!(between, "seed {seed}: {} <= {} <= {}\n{damaged}", found.certain, truth.wasted, found.wasted);
        waste += u64::from(truth.wasted > 0);
        more += u64::from(found.wasted > truth.wasted);
    }
    show(&format!("streams without forks: {streams} from seed {from}, waste in {waste}, more reported in {more}"));
    assert!(waste > 0 && more > 0 || streams < ENOUGH);
}
