//! What the grades are for, on workloads of the field: waste that is not a fault must not be reported as lasting, and
//! the kinds of waste that are a fault must be one episode each.

mod common;
use common::{MS, US, check_drawn};
use std::fmt::Write as _;

/// 256 CPUs, two nodes, LLCs of 32; CPUs 0-127 each run a thread, the others are idle.
fn half_busy(end: &str) -> String {
    let llcs: Vec<String> = (0..8).map(|i| format!("{}-{}", 32 * i, 32 * i + 31)).collect();
    let mut text = format!("cpus 0-255\nllc {}\nnode 0-127 128-255\nwindow 0us {end}\n", llcs.join(" "));
    for cpu in 0..128 {
        writeln!(text, "0us cpu {cpu} runs {}\n0us cpu {} idle", 1000 + cpu, 128 + cpu).unwrap();
    }
    text
}

/// A thread wakes on a busy CPU every `every_us`; an idle CPU takes it 30 µs later and is idle again after 5 µs.
fn with_gaps(every_us: usize, end_us: usize) -> String {
    let mut text = half_busy(&format!("{end_us}us"));
    let mut events = Vec::new();
    for (i, t) in (10..end_us - 40).step_by(every_us).enumerate() {
        let (busy, idle, tid) = (i * 37 % 128, 128 + i * 29 % 128, 5000 + i % 500);
        events.push((t, format!("{t}us wakeup {tid} on {busy}\n")));
        let taken = t + 30;
        events.push((taken, format!("{taken}us migrate {tid} to {idle}\n{taken}us switch {idle}: 0 R -> {tid}\n")));
        events.push((t + 35, format!("{}us switch {idle}: {tid} S -> 0\n", t + 35)));
    }
    events.sort();
    text.extend(events.into_iter().map(|(_, line)| line));
    text
}

#[test]
fn a_big_machine_full_of_short_gaps_has_no_episode() {
    // Never a moment without waste, never a pair of more than 30 µs.
    let f = check_drawn(&with_gaps(10, 200_000));
    let (wasted, ..) = f.sums();
    assert!(wasted > 500 * MS, "three cores all the time: {wasted}");
    assert_eq!(f.grades()["noise"], (1, wasted));
    assert_eq!(f.grades().iter().filter(|(g, _)| **g != "recurrent").map(|(_, (n, _))| n).sum::<i64>(), 1);
    // Three cores all the time is far above a tenth of one, so by definition it flickers between some LLCs.
    assert!(f.episodes().iter().all(|e| e.grade == "recurrent"));
    assert!(!f.episodes().is_empty());
}

#[test]
fn a_big_machine_with_short_gaps_now_and_then_flickers_nowhere() {
    // 30 µs every 400 µs is 7.5 % of a core over the whole machine.
    let f = check_drawn(&with_gaps(400, 400_000));
    let (wasted, ..) = f.sums();
    assert_eq!(f.grades()["noise"], (wasted / (30 * US), wasted));
    assert_eq!(f.episodes(), []);
}

#[test]
fn overload_on_wakeup_is_recurrent() {
    // Nine threads on the eight CPUs of one LLC, seven on the other's; all meet at a barrier. The ninth waits for 1 ms in
    // every round while a CPU of the other LLC is idle.
    let mut text = String::from("cpus 0-15\nllc 0-7 8-15\nnode 0-7 8-15\nwindow 0us 1s\n");
    for cpu in 0..16 {
        writeln!(text, "0us cpu {cpu} idle").unwrap();
    }
    let cpu_of = |thread: usize| if thread < 8 { thread } else { thread - 1 };
    for round in 0..400 {
        let t = 2_500 * round + 100;
        for thread in (0..16).filter(|i| *i != 8) {
            let cpu = cpu_of(thread);
            writeln!(text, "{t}us wakeup {} on {cpu}\n{t}us switch {cpu}: 0 R -> {}", 100 + thread, 100 + thread)
                .unwrap();
        }
        writeln!(text, "{t}us wakeup 108 on 7").unwrap();
        let half = t + 1_000;
        for thread in (0..16).filter(|i| *i != 8) {
            let next = if thread == 7 { 108 } else { 0 };
            writeln!(text, "{half}us switch {}: {} S -> {next}", cpu_of(thread), 100 + thread).unwrap();
        }
        writeln!(text, "{}us switch 7: 108 S -> 0", t + 2_000).unwrap();
    }
    let f = check_drawn(&text);
    assert_eq!(f.sums().0, 400 * MS, "1 ms of every round");
    assert_eq!((f.grades()["lasting"].0, f.grades()["persistent"].0, f.grades()["expected"].0), (0, 0, 0));
    assert_eq!(f.grades()["recurrent"], (1, 400 * MS));
    let [e] = &f.episodes()[..] else { panic!("{:?}", f.episodes()) };
    assert_eq!((e.grade, e.start, e.end), ("recurrent", 100 * US, 2_500 * 399 * US + 1_100 * US));
    assert_eq!((&e.idle[..], &e.overloaded[..], e.threads), (&[15][..], &[7][..], 1));
}

#[test]
fn a_waste_of_three_seconds_between_two_nodes_is_one_episode() {
    // Node 0 has three threads for its two CPUs and lets two of them take turns; CPU 3 of node 1 is idle.
    let mut text = String::from(
        "cpus 0-3
         llc 0-1 2-3
         node 0-1 2-3
         window 0s 5s
         0us cpu 0 runs 100
         0us cpu 1 runs 101
         0us cpu 2 runs 103
         0us cpu 3 idle
         1s wakeup 102 on 0\n",
    );
    for i in 0..749 {
        let (prev, next) = if i % 2 == 0 { (100, 102) } else { (102, 100) };
        writeln!(text, "{}ms switch 0: {prev} R -> {next}", 1004 + 4 * i).unwrap();
    }
    text += "4s switch 3: 0 R -> 100\n";
    let f = check_drawn(&text);
    let all = f.episodes();
    assert_eq!(all.len(), 1, "{all:?}");
    let e = &all[0];
    assert_eq!((e.grade, e.start, e.end), ("persistent", 1000 * MS, 4000 * MS));
    assert_eq!((e.core_ns, e.peak, &e.overloaded[..], e.threads), (3000 * MS, 1, &[0][..], 2));
}
