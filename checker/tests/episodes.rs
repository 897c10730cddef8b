//! Episodes: how long pairs lasted, in drawn traces with exact figures.

mod common;
use common::{Episode, MS, US, check_drawn, check_drawn_with};
use wastenot_checker::Options;

/// Two CPUs, tick 4 ms, so: in flight 50 µs, expected and lasting 4 ms (2 CPUs balance every 2–4 ms), persistent 12 ms.
const TWO: &str = "
    cpus 0-1
    tick 4ms
    window 0ms 1000ms
    0us cpu 0 runs 100
    0us cpu 1 idle
    0us thread 100 busy on 0 running mask 0-1
    0us thread 101 waiter on 0 asleep mask 0-1
";

/// 101 wakes on CPU 0 at `from` and gets CPU 1 at `to`.
fn waste(from: &str, to: &str) -> String {
    format!("{from} wakeup 101 on 0\n {to} migrate 101 from 0 to 1\n {to} switch 1: 0 R -> 101\n")
}

#[test]
fn an_interval_belongs_to_the_grade_its_pair_outlasts() {
    for (to, grade) in [
        ("1.05ms", "noise"),
        ("1.050001ms", "in_flight"),
        ("5ms", "in_flight"),
        ("5.000001ms", "lasting"),
        ("13ms", "lasting"),
        ("13.000001ms", "persistent"),
    ] {
        let f = check_drawn(&format!("{TWO}{}", waste("1ms", to)));
        let (wasted, ..) = f.sums();
        assert_eq!(f.grades()[grade], (1, wasted), "ends at {to}");
        assert_eq!(f.grades().values().map(|(n, _)| n).sum::<i64>(), 1, "one episode, one grade ({to})");
        assert_eq!(f.grades().values().map(|(_, ns)| ns).sum::<i64>(), wasted);
    }
}

#[test]
fn a_long_waste_is_one_episode_with_its_threads_and_cpus() {
    let f = check_drawn(&format!("{TWO}{}", waste("100ms", "600ms")));
    let whole = Episode {
        grade: "persistent",
        start: 100 * MS,
        end: 600 * MS,
        core_ns: 500 * MS,
        total_core_ns: 500 * MS,
        peak: 1,
        idle: vec![1],
        overloaded: vec![0],
        threads: 1,
    };
    assert_eq!(f.episodes(), [whole]);
    assert_eq!(f.pairs(1), [(101, 0, 1, 500 * MS)]);
    assert_eq!(f.episode_events(), [(Some(4), Some(5))], "the wakeup and the move");
}

#[test]
fn the_pair_lasts_though_the_waiter_changes() {
    // 101 and 100 take turns on CPU 0 every 3 ms for 30 ms: the queue always holds a thread.
    let mut text = format!("{TWO}10ms wakeup 101 on 0\n");
    for i in 0..9 {
        let (prev, next) = if i % 2 == 0 { (100, 101) } else { (101, 100) };
        text += &format!("{}ms switch 0: {prev} R -> {next}\n", 13 + 3 * i);
    }
    text += "40ms switch 1: 0 R -> 100\n";
    let f = check_drawn(&text);
    assert_eq!(f.grades()["persistent"], (1, 30 * MS));
    assert_eq!(f.pairs(1).iter().map(|(.., ns)| ns).sum::<i64>(), 30 * MS);
    assert_eq!(f.pairs(1).len(), 2, "both threads waited in turn");
}

#[test]
fn the_pair_ends_when_the_queue_is_empty_for_a_while() {
    // Two intervals of 10 ms, 1 µs apart: lasting each, persistent none.
    let text = format!(
        "{TWO}10ms wakeup 101 on 0
         20ms switch 0: 100 S -> 101
         20.001ms wakeup 100 on 0
         30ms switch 1: 0 R -> 100"
    );
    let f = check_drawn(&text);
    assert_eq!(f.grades()["persistent"].0, 0);
    assert_eq!(f.grades()["lasting"], (2, 10 * MS + 9_999 * US));
}

#[test]
fn a_gap_of_no_length_breaks_nothing() {
    let text = format!(
        "{TWO}10ms wakeup 101 on 0
         20ms switch 0: 100 S -> 101
         20ms wakeup 100 on 0
         30ms switch 1: 0 R -> 100"
    );
    assert_eq!(check_drawn(&text).grades()["persistent"], (1, 20 * MS));
}

#[test]
fn thresholds_are_options() {
    let options = Options { thresholds_ns: [None, Some(10 * MS), None, Some(30 * MS)], ..Options::default() };
    let f = check_drawn_with(&format!("{TWO}{}", waste("1ms", "21ms")), &options).unwrap();
    assert_eq!(f.grades()["lasting"], (1, 20 * MS));
    let wrong = Options { thresholds_ns: [Some(10 * MS), Some(5 * MS), None, None], ..Options::default() };
    let error = check_drawn_with(TWO, &wrong).err().expect("thresholds fall").to_string();
    assert!(error.contains("expected") && error.contains("in_flight"), "{error}");
}

#[test]
fn flicker_that_adds_up_is_recurrent() {
    // 2 ms of waste every 10 ms for 300 ms: never expected, 20 % of a core.
    let mut text = String::from(TWO);
    for i in 0..30 {
        let t = 10 + 10 * i;
        text +=
            &format!("{t}ms wakeup 101 on 0\n{}ms migrate 101 from 0 to 1\n{}ms switch 1: 0 R -> 101\n", t + 2, t + 2);
        text += &format!("{}ms switch 1: 101 S -> 0\n", t + 3);
    }
    let f = check_drawn(&text);
    assert_eq!(f.grades()["in_flight"], (30, 60 * MS));
    assert_eq!(f.grades()["recurrent"], (1, 60 * MS));
    let e = &f.episodes()[0];
    assert_eq!((e.grade, e.start, e.end, e.peak), ("recurrent", 10 * MS, 302 * MS, 1));
    assert_eq!(f.pairs(1), [(101, 0, 1, 60 * MS)]);
}

#[test]
fn rare_flicker_is_not_recurrent() {
    let mut text = String::from(TWO);
    for i in 0..30 {
        let t = 10 + 30 * i;
        text +=
            &format!("{t}ms wakeup 101 on 0\n{}ms migrate 101 from 0 to 1\n{}ms switch 1: 0 R -> 101\n", t + 2, t + 2);
        text += &format!("{}ms switch 1: 101 S -> 0\n", t + 3);
    }
    assert_eq!(check_drawn(&text).grades()["recurrent"], (0, 0));
}

#[test]
fn two_idle_cpus_and_two_waiters_waste_two() {
    let f = check_drawn(
        "cpus 0-2
         tick 4ms
         window 0ms 1000ms
         0us cpu 0 runs 100
         0us cpu 1 idle
         0us cpu 2 idle
         0us thread 100 r on 0 running mask 0-2
         0us thread 101 a on 0 queued mask 0-2
         500ms wakeup 102 on 0
         700ms switch 1: 0 R -> 102
         900ms switch 2: 0 R -> 101",
    );
    let e = &f.episodes()[0];
    assert_eq!((e.grade, e.start, e.end, e.core_ns, e.peak), ("persistent", 0, 900 * MS, 1100 * MS, 2));
    assert_eq!(f.pairs(1), [(101, 0, 1, 700 * MS), (101, 0, 2, 200 * MS), (102, 0, 2, 200 * MS)]);
}

#[test]
fn short_gaps_that_add_up_are_as_severe_as_what_they_waste() {
    // 2 ms of waste every 10 ms for 300 ms: 60 core-ms, above the 24 ms from which one idle core is persistent here.
    let mut text = String::from(TWO);
    for i in 0..30 {
        let t = 10 + 10 * i;
        text +=
            &format!("{t}ms wakeup 101 on 0\n{}ms migrate 101 from 0 to 1\n{}ms switch 1: 0 R -> 101\n", t + 2, t + 2);
        text += &format!("{}ms switch 1: 101 S -> 0\n", t + 3);
    }
    assert_eq!(check_drawn(&text).severities(), [("recurrent", "persistent", None)]);
    // As long as one core would take, and no longer: the severity is the grade.
    let f = check_drawn(&format!("{TWO}{}", waste("1ms", "5.5ms")));
    assert_eq!(f.severities().len(), 1);
    assert!(f.severities().iter().all(|(grade, severity, _)| grade == severity), "{:?}", f.severities());
}

#[test]
fn one_waste_seen_from_several_thresholds_is_part_of_the_outermost_episode() {
    // CPU 2 idles beside 102 from 10 ms to 110 ms, and beside 101 from 108 ms to 113 ms.
    let f = check_drawn(
        "cpus 0-2
         tick 4ms
         window 0ms 1000ms
         0us cpu 0 runs 100
         0us cpu 1 runs 103
         0us cpu 2 idle
         0us thread 100 a on 0 running mask 0-2
         0us thread 103 b on 1 running mask 0-2
         0us thread 101 c on 1 asleep mask 0-2
         0us thread 102 d on 0 asleep mask 0-2
         10ms wakeup 102 on 0
         108ms wakeup 101 on 1
         110ms switch 0: 100 S -> 102
         113ms migrate 101 from 1 to 2
         113ms switch 2: 0 R -> 101",
    );
    assert_eq!(f.severities(), [("persistent", "persistent", Some(2)), ("expected", "persistent", None)]);
    let whole = &f.episodes()[1];
    assert_eq!((whole.start, whole.end, whole.core_ns, whole.total_core_ns), (10 * MS, 113 * MS, 3 * MS, 103 * MS));
}
