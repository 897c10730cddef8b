//! A check in stretches gives what the check of the whole trace gives, to the nanosecond, whether threads are forgotten or not.

#[allow(dead_code)]
#[path = "../streams/damage.rs"]
mod damage;
#[allow(dead_code)]
#[path = "../streams/events.rs"]
mod events;
mod figures;
#[path = "../oracle/mod.rs"]
mod oracle;
#[allow(dead_code)]
#[path = "../streams/random.rs"]
mod random;
#[allow(dead_code)]
#[path = "../streams/reference/mod.rs"]
mod reference;
#[path = "../streams/schedule.rs"]
mod schedule;
mod stretches;

use std::collections::BTreeMap;

use arrow_array::RecordBatch;
use oracle::streams::{nonsense, plausible, to_be_flickered, with_flicker};
use proptest::prelude::*;
use proptest::test_runner::TestRunner;
use random::Random;
use stretches::TraceTables;
use wastenot_checker::{
    BatchCollector, BatchReader, CheckError, Counters, FinishedEpisode, OnlineCheck, Options, TableSet, check,
};
use wastenot_drawing::draw;

/// Streams of `tests/streams` that are fed.
const STREAMS: u64 = 1_500;

fn verdict_alone() -> Options {
    Options { tables: TableSet::Verdict, ..Options::default() }
}

/// Tables of a check, by name.
fn contents(kept: &BatchCollector, without: &[&str]) -> BTreeMap<&'static str, Vec<RecordBatch>> {
    let mut by_table: BTreeMap<&'static str, Vec<RecordBatch>> = BTreeMap::new();
    for (name, batch) in kept.0.iter().filter(|(name, _)| !without.contains(name)) {
        by_table.entry(name).or_default().push(batch.clone());
    }
    by_table
}

fn offline(trace: &TraceTables, options: &Options) -> Result<BatchCollector, CheckError> {
    let all = trace.entities.iter().chain(&trace.interned).chain(&trace.events).cloned();
    let inputs = all.map(|(name, batch)| {
        let schema = batch.schema();
        let reader: BatchReader = Box::new(arrow_array::RecordBatchIterator::new([Ok(batch)], schema));
        (name, reader)
    });
    let mut kept = BatchCollector::default();
    check(inputs.collect(), options, &mut kept)?;
    Ok(kept)
}

/// What holds of counters at any instant; `before`: earlier ones.
fn assert_counters_are_sound(before: &Counters, now: &Counters) {
    let graded: i64 = now.grades[..5].iter().map(|g| g.core_ns).sum();
    assert_eq!(graded + now.ungraded_ns, now.wasted_ns, "graded and ungraded waste");
    assert_eq!(now.wasted_ns + now.excused_ns.iter().sum::<i64>(), now.idle_while_waiting_ns, "excuses");
    assert!(now.ungraded_ns >= 0);
    let rising = |c: &Counters| {
        let mut all = vec![c.until_ns, c.events_read, c.wasted_ns, c.certain_ns, c.idle_while_waiting_ns, c.idle_ns];
        all.extend([c.cpus.online_ns, c.cpus.busy_ns, c.cpus.unobserved_ns, c.events_lost, c.forgotten_threads]);
        all.push(c.cpus.online_ns + c.under_way.online_ns);
        all.extend(c.excused_ns);
        all.extend(c.grades.iter().flat_map(|g| [g.episodes, g.core_ns]));
        all
    };
    for (was, is) in rising(before).into_iter().zip(rising(now)) {
        assert!(was <= is, "a counter fell: {before:?}\n{now:?}");
    }
}

/// Feed a trace in stretches of random length, asking for counters now and then.
struct Feeding<'a> {
    trace: &'a TraceTables,
    random: Random,
    longest: usize,
    forgets: bool,
    takes_episodes: bool,
    forgets_cgroups: bool,
}

/// What was left in the end.
struct Fed {
    kept: BatchCollector,
    counters: Counters,
    finished: Vec<FinishedEpisode>,
    /// Counters on the way, with how many ids had been fed.
    on_the_way: Vec<(i64, Counters)>,
    /// Where cgroups were forgotten.
    forgotten_wait_ns: i64,
}

impl Feeding<'_> {
    fn run(mut self, options: &Options) -> Result<Fed, CheckError> {
        let mut kept = BatchCollector::default();
        let mut online = OnlineCheck::new(self.trace.entities.clone(), options)?;
        if self.forgets {
            online = online.forgetting(2, if self.forgets_cgroups { 0 } else { i64::MAX })?;
        }
        let (mut at, mut on_the_way, mut finished) = (0, Vec::new(), Vec::new());
        let mut before = online.counters();
        let earliest = self.trace.earliest_from();
        while at < self.trace.ids {
            let to = (at + 1 + self.random.below(self.longest) as i64).min(self.trace.ids);
            online.feed(self.trace.stretch(at, to), &mut kept)?;
            at = to;
            if at < self.trace.ids && self.random.chance(50) {
                online.reach(earliest[at as usize] - self.random.below(3) as i64);
            }
            if self.random.chance(50) {
                let now = online.counters();
                assert_counters_are_sound(&before, &now);
                on_the_way.push((at, now.clone()));
                before = now;
            }
            if self.takes_episodes {
                finished.extend(online.take_finished());
            }
        }
        online.end(None, &mut kept)?;
        let counters = online.counters();
        assert_counters_are_sound(&before, &counters);
        assert_eq!(counters.ungraded_ns, 0, "all is graded in the end");
        if self.takes_episodes {
            finished.extend(online.take_finished());
        }
        online.write(&mut kept)?;
        Ok(Fed { kept, counters, finished, on_the_way, forgotten_wait_ns: 0 })
    }
}

/// Compare all ways to feed a trace with the check of all of it.
fn assert_same(trace: &TraceTables, seed: u64, longest: usize) -> Fed {
    let feeding = |n| Feeding {
        trace,
        random: Random::new(seed + n),
        longest,
        forgets: n > 0,
        takes_episodes: n > 1,
        forgets_cgroups: n > 2,
    };
    let all = offline(trace, &Options::default()).unwrap_or_else(|e| panic!("{e}"));
    let fed = feeding(0).run(&Options::default()).unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(contents(&fed.kept, &[]), contents(&all, &[]), "every table, seed {seed}");
    let truth = figures::of_tables(&all);
    assert_eq!(figures::of_counters(&fed.counters), truth, "counters, seed {seed}");

    let fewer = offline(trace, &verdict_alone()).unwrap_or_else(|e| panic!("{e}"));
    let forgetting = feeding(1).run(&verdict_alone()).unwrap_or_else(|e| panic!("{e}"));
    let of_threads = ["thread", "thread_cpu", "process"];
    assert_eq!(contents(&forgetting.kept, &of_threads), contents(&fewer, &of_threads), "forgetting, seed {seed}");
    assert_eq!(figures::of_counters(&forgetting.counters), truth, "forgetting, seed {seed}");

    let taking = feeding(2).run(&verdict_alone()).unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(figures::of_counters(&taking.counters), truth, "episodes handed out, seed {seed}");
    assert_same_episodes(&all, &taking.finished);

    let without_cgroups = feeding(3).run(&verdict_alone()).unwrap_or_else(|e| panic!("{e}"));
    let (waits, others) = apart(figures::of_counters(&without_cgroups.counters));
    let (true_waits, true_others) = apart(truth);
    assert_eq!(others, true_others, "cgroups forgotten, seed {seed}");
    let forgotten_ns = without_cgroups.counters.forgotten_wait_ns;
    assert_eq!(
        waits.values().sum::<i64>() + forgotten_ns,
        true_waits.values().sum::<i64>(),
        "their waits, seed {seed}"
    );
    Fed { forgotten_wait_ns: forgotten_ns, ..taking }
}

/// Waits, and all other figures.
fn apart(figures: figures::Figures) -> (figures::Figures, figures::Figures) {
    figures.into_iter().partition(|(name, _)| name.starts_with("wait "))
}

/// The episodes that were handed out are those of the table.
fn assert_same_episodes(all: &BatchCollector, finished: &[FinishedEpisode]) {
    use wastenot_schemas::{ended_by, episode, not_moved_because, placed_by};
    let mut rows = Vec::new();
    for (_, batch) in all.0.iter().filter(|(name, _)| *name == episode::NAME) {
        let view = episode::View::try_new(batch).expect("the declared columns");
        rows.extend((0..view.len()).map(|i| {
            let r = view.row(i);
            let causes = [
                placed_by::NAMES[usize::from(r.placed_by)],
                not_moved_because::NAMES[usize::from(r.not_moved_because)],
                ended_by::NAMES[usize::from(r.ended_by)],
            ];
            let cpus = (r.idle_cpus.to_vec(), r.overloaded_cpus.to_vec());
            ((r.grade, r.start_ns, r.end_ns, r.core_ns, r.total_core_ns), (r.peak, r.threads, r.proof), causes, cpus)
        }));
    }
    let mut ours: Vec<_> = finished
        .iter()
        .map(|e| {
            let causes = [e.placed_by, e.not_moved_because, e.ended_by];
            let cpus = (e.idle_cpus.clone(), e.overloaded_cpus.clone());
            let sums = (e.grade, e.start_ns, e.end_ns, e.core_ns, e.total_core_ns);
            (sums, (e.peak as i32, e.threads, e.proof), causes, cpus)
        })
        .collect();
    rows.sort();
    ours.sort();
    assert_eq!(ours, rows);
}

/// The counters at an instant are those of a trace that ends there.
fn assert_counters_on_the_way(trace: &TraceTables, fed: &Fed) -> usize {
    let mut compared = 0;
    for (ids, now) in fed.on_the_way.iter().take(3) {
        let entities = trace.entities.iter().filter(|(name, _)| name != "trace").cloned().collect();
        let mut kept = BatchCollector::default();
        let mut online = OnlineCheck::new(entities, &verdict_alone()).unwrap_or_else(|e| panic!("{e}"));
        let mut events = trace.stretch(0, *ids);
        events.extend(trace.interned.iter().filter(|_| *ids == 0).cloned());
        if online.feed(events, &mut kept).is_err() {
            continue;
        }
        online.end(Some(now.until_ns), &mut kept).unwrap_or_else(|e| panic!("{e}"));
        let then = online.counters();
        if then.start_ns != now.start_ns || then.until_ns != now.until_ns || then.events_rejected != now.events_rejected
        {
            continue;
        }
        let sums = |c: &Counters| [c.wasted_ns, c.certain_ns, c.idle_while_waiting_ns, c.idle_ns];
        assert_eq!((sums(now), now.excused_ns), (sums(&then), then.excused_ns), "after {ids} ids");
        compared += 1;
    }
    compared
}

#[test]
fn random_streams_in_stretches() {
    let (mut waste, mut forgotten, mut compared) = (0, 0, 0);
    for seed in 0..STREAMS {
        let stream = damage::stream(seed);
        let drawn = draw(&stream.to_string()).unwrap_or_else(|e| panic!("{e}"));
        let trace = TraceTables::of(drawn.into_iter().map(|(name, batch)| (name.to_owned(), batch)));
        let fed = assert_same(&trace, seed, 12);
        compared += assert_counters_on_the_way(&trace, &fed);
        waste += i64::from(fed.counters.wasted_ns > 0);
        forgotten += fed.counters.forgotten_threads;
    }
    println!("{STREAMS} streams: waste in {waste}, {forgotten} threads forgotten, {compared} compared on the way");
    assert!(waste > STREAMS as i64 / 10 && forgotten > STREAMS as i64 / 10 && compared > STREAMS as usize / 2);
}

fn of_trace(trace: &oracle::Trace) -> TraceTables {
    TraceTables::of(trace.tables().into_iter().map(|(name, batch)| (name.to_owned(), batch)))
}

fn cases(cases: u32) -> ProptestConfig {
    ProptestConfig { cases, failure_persistence: None, ..ProptestConfig::default() }
}

proptest! {
    #![proptest_config(cases(300))]

    #[test]
    fn plausible_traces_in_stretches(trace in plausible(120), seed in 0u64..1_000_000) {
        assert_same(&of_trace(&trace), seed, 30);
    }

    #[test]
    fn nonsense_in_stretches(trace in nonsense(80), seed in 0u64..1_000_000) {
        assert_same(&of_trace(&trace), seed, 30);
    }
}

/// On two CPUs, threads that wait for each other in turn, and change their cgroups as in a lottery of `cgroups`.
fn threads_that_change_cgroups(seed: u64, cgroups: usize) -> String {
    let mut random = Random::new(seed);
    let mut drawing =
        String::from("cpus 0-1\n0us thread 100 a on 0 running cgroup 1\n0us thread 200 b on 1 running cgroup 2\n");
    for tid in [101, 102, 201] {
        drawing += &format!("0us thread {tid} t on {} asleep cgroup {}\n", tid / 200, tid % 3 + 1);
    }
    let mut at = 10;
    let (mut running, mut waiting) = ([100, 200], Vec::<(i32, usize)>::new());
    let mut asleep = vec![101, 102, 201];
    for _ in 0..300 {
        at += 1 + random.below(20);
        let cpu = random.below(2);
        match random.below(4) {
            0 if !asleep.is_empty() => {
                let tid = asleep.swap_remove(random.below(asleep.len()));
                drawing += &format!("{at}us wakeup {tid} on {cpu}\n");
                waiting.push((tid, cpu));
            }
            1 => {
                if let Some(next) = waiting.iter().position(|(_, on)| *on == cpu) {
                    let (tid, _) = waiting.swap_remove(next);
                    drawing += &format!("{at}us switch {cpu}: {} S -> {tid}\n", running[cpu]);
                    asleep.push(std::mem::replace(&mut running[cpu], tid));
                }
            }
            _ => {
                let tid = [100, 101, 102, 200, 201][random.below(5)];
                drawing += &format!("{at}us cgroup {tid} {}\n", 1 + random.below(cgroups));
            }
        }
    }
    drawing
}

#[test]
fn waits_of_cgroups_that_no_thread_is_in_are_added_up() {
    let mut forgotten = 0;
    for seed in 0..200 {
        let drawing = threads_that_change_cgroups(seed, if seed % 2 == 0 { 8 } else { 1_000 });
        let drawn = draw(&drawing).unwrap_or_else(|e| panic!("{e}\n{drawing}"));
        let trace = TraceTables::of(drawn.into_iter().map(|(name, batch)| (name.to_owned(), batch)));
        forgotten += usize::from(assert_same(&trace, seed, 12).forgotten_wait_ns > 0);
    }
    assert!(forgotten > 150, "in {forgotten} of 200");
}

/// Intervals so long that they are cut, and graded in part while they go on.
#[test]
fn long_intervals_in_stretches() {
    let mut runner = TestRunner::new(ProptestConfig { max_shrink_iters: 0, ..cases(3) });
    let run = runner.run(&to_be_flickered(150), |trace| {
        assert_same(&of_trace(&with_flicker(&trace, 200_000)), 1, 20_000);
        Ok(())
    });
    run.unwrap_or_else(|e| panic!("{e}"));
}

/// Two sides of two CPUs, threads waiting on one; the domain over both goes after 20 ms.
fn split_after_20_ms(domains: &str) -> TraceTables {
    let drawing = format!(
        "kernel 6.1\ncpus 0-3\nllc 0-1 2-3\nnode 0-1 2-3\nwindow 0us 300ms\n{domains}\n0us cpu 0 runs 100\n0us cpu 1 runs 101\n\
         0us cpu 2 runs 102\n0us cpu 3 runs 103\n0us thread 110 w on 0 queued\n0us thread 111 w on 0 queued\n\
         30ms switch 2: 102 S -> 0\n31ms switch 3: 103 S -> 0\n40ms switch 1: 101 R -> 101\n"
    );
    let drawn = draw(&drawing).unwrap_or_else(|e| panic!("{e}\n{drawing}"));
    TraceTables::of(drawn.into_iter().map(|(name, batch)| (name.to_owned(), batch)))
}

#[test]
fn domains_that_are_built_anew_come_with_a_stretch() {
    // The later NUMA domain has one group of all CPUs.
    let (first, later) = (
        "domain MC 0-1 2-3\ndomain NUMA 0-3\ngroups 0-1 2-3",
        "domain MC 0-1 2-3 since 20ms\ndomain NUMA 0-3 since 20ms\ngroups 0-3",
    );
    let fed = |trace: TraceTables, changed: Vec<(String, RecordBatch)>| {
        let mut online = OnlineCheck::new(trace.entities.clone(), &verdict_alone()).unwrap();
        for id in 0..trace.ids {
            let domains = if id == 0 { changed.clone() } else { Vec::new() };
            let stretch = domains.into_iter().chain(trace.stretch(id, id + 1)).collect();
            online.feed(stretch, &mut BatchCollector::default()).unwrap();
        }
        online.end(Some(300_000_000), &mut BatchCollector::default()).unwrap();
        format!("{:?}", online.take_finished())
    };
    let of_later = |tables: &[&str]| -> Vec<(String, RecordBatch)> {
        let found = split_after_20_ms(later).entities;
        found.into_iter().filter(|(name, _)| tables.contains(&name.as_str())).collect()
    };
    let changed = of_later(&["domain", "domain_group"]);
    let at_once = fed(split_after_20_ms(&format!("{first}\n{later}")), Vec::new());
    assert_eq!(fed(split_after_20_ms(first), changed), at_once);
    assert_ne!(fed(split_after_20_ms(first), Vec::new()), at_once, "the later domains decide");
    assert_ne!(fed(split_after_20_ms(first), of_later(&["domain"])), at_once, "and their groups");
}
