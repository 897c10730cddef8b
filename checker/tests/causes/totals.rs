//! Weights add up, alternatives are kept, and an episode's cause is that of most of its waste.

use std::collections::BTreeMap;

use wastenot_schemas as tables;

use crate::common::check_drawn;
use crate::{NEAR, rows};

#[test]
fn the_chosen_answers_add_up_to_the_time_of_their_pair() {
    let text = format!(
        "{NEAR}\n1ms wakeup 101 on 0\n5ms switch 0: 100 R -> 101\n9ms switch 0: 101 R -> 100\n14ms wakeup 102 on 2\n\
         20ms migrate 102 from 2 to 1 by nohz\n20ms switch 1: 0 R -> 102\n21ms switch 1: 102 S -> 0\n"
    );
    let f = check_drawn(&text);
    let mut sums: BTreeMap<(i32, &str), i64> = BTreeMap::new();
    for (tid, question, chosen, cause) in rows(&f) {
        *sums.entry((tid, question)).or_default() += if chosen { cause.weight_ns } else { 0 };
    }
    let mut pairs: BTreeMap<i32, i64> = BTreeMap::new();
    for episode in 1..=f.episodes().len() as i32 {
        for (tid, .., ns) in f.pairs(episode) {
            *pairs.entry(tid).or_default() += ns;
        }
    }
    assert!(pairs.len() >= 2, "{pairs:?}");
    for (tid, ns) in pairs {
        for question in tables::question::NAMES {
            assert_eq!(sums[&(tid, *question)], ns, "{tid} {question}");
        }
    }
}

#[test]
fn an_episode_has_the_cause_of_most_of_its_waste() {
    // 100 waits for 2 ms where it was preempted, 101 for 27 ms where its wakeup put it.
    let text = format!("{NEAR}\n1ms wakeup 101 on 0\n5ms switch 0: 100 R -> 101\n7ms switch 0: 101 R -> 100\n");
    let causes = check_drawn(&text).rows("episode", |b| {
        let v = tables::episode::View::try_new(b).unwrap();
        (0..v.len()).map(|i| (v.row(i).placed_by, v.row(i).placed_by_proof)).collect()
    });
    assert_eq!(causes, [(tables::placed_by::WAKEUP_SCAN_CUT, tables::proof::CONSISTENT)]);
}

#[test]
fn other_answers_that_fit_are_kept_as_alternatives() {
    let text = format!("{NEAR}\n0us thread 101 w on 0 asleep\n1ms wakeup 101 on 0\n");
    let alternatives: Vec<String> = rows(&check_drawn(&text))
        .into_iter()
        .filter(|(tid, question, chosen, _)| (*tid, *question, *chosen) == (101, "placed_by", false))
        .map(|(.., cause)| cause.answer)
        .collect();
    assert_eq!(alternatives, ["wakeup"]);
}

#[test]
fn nothing_is_proved_by_switches_and_wakeups_alone() {
    let text = format!(
        "{NEAR}\n1ms wakeup 101 on 0\n5ms switch 0: 100 R -> 101\n9ms switch 0: 101 S -> 100\n10ms wakeup 101 on 0\n\
         30ms switch 0: 100 S -> 101\n"
    );
    for (tid, question, _, cause) in rows(&check_drawn(&text)) {
        let proved = cause.proof == "proved";
        assert!(!proved || cause.answer == "end of trace", "{tid} {question}: {}", cause.answer);
    }
}

/// What would have prevented each episode's waste (another placement, another decision of the balancer, either), as the episode has it,
/// and as the answers about its pairs add up.
fn prevented(text: &str) -> Vec<[[i64; 3]; 2]> {
    let f = check_drawn(text);
    let pairs = f.rows("episode_pair", |b| {
        let v = tables::episode_pair::View::try_new(b).unwrap();
        let rows = (0..v.len()).map(|i| v.row(i));
        rows.map(|r| ((r.episode_id, r.utid, r.waited_on, r.idle_cpu), (r.core_ns, [0; 2]))).collect()
    });
    let mut pairs: BTreeMap<_, (i64, [i64; 2])> = pairs.into_iter().collect();
    let decisive = f.rows("attribution", |b| {
        let v = tables::attribution::View::try_new(b).unwrap();
        let rows = (0..v.len()).map(|i| v.row(i)).filter(|r| r.chosen && r.decisive && r.question < 2);
        rows.map(|r| ((r.episode_id, r.utid, r.waited_on, r.idle_cpu), r.question, r.weight_ns)).collect()
    });
    for (pair, question, ns) in decisive {
        pairs.get_mut(&pair).unwrap().1[usize::from(question)] += ns;
    }
    f.rows("episode", |b| {
        let v = tables::episode::View::try_new(b).unwrap();
        let of = |id: i32| pairs.iter().filter(move |(pair, _)| pair.0 == id).map(|(_, of)| of);
        let rows = (0..v.len()).map(|i| v.row(i));
        rows.map(|r| {
            let id = r.episode_id;
            let sum = |which: usize| of(id).map(|(_, by)| by[which]).sum();
            let either = of(id).map(|(ns, by)| (by[0] + by[1] - ns).max(0)).sum();
            [[r.placement_core_ns, r.balancing_core_ns, r.either_core_ns], [sum(0), sum(1), either]]
        })
        .collect()
    })
}

#[test]
fn either_decision_would_have_prevented_what_needed_both() {
    let machine = "kernel 6.1\ncpus 0-3\nllc 0-1 2-3\nnode 0-1 2-3\nwindow 0us 60ms\ndomain MC 0-1 2-3\ndomain NUMA 0-3 pct 125\n\
                   0us cpu 0 runs 100\n0us cpu 1 runs 101\n0us cpu 2 runs 102\n0us cpu 3 idle\n";
    let attempt =
        "30ms attempt 3 over 1 idle pulled 0\n30ms searched found on 0 examined 2 not_allowed 1 running 1 hot 0\n";
    let cases = [
        (
            "a wakeup that did not look far, an attempt that left it",
            format!("{machine}0us thread 110 w on 0 asleep mask 0-3\n1ms wakeup 110 on 0\n{attempt}"),
            [true, true, true],
        ),
        (
            "no placement is known",
            format!("{machine}0us thread 110 w on 0 queued mask 0-3\n{attempt}"),
            [false, true, false],
        ),
        (
            "no decision of the balancer was due",
            format!("{machine}0us thread 110 w on 0 asleep mask 0-3\n52ms wakeup 110 on 0\n"),
            [true, false, false],
        ),
    ];
    for (what, text, expected) in cases {
        let episodes = prevented(&text);
        assert!(!episodes.is_empty(), "{what}");
        for [written, added] in episodes {
            assert_eq!(written, added, "{what}");
            assert_eq!(written.map(|ns| ns > 0), expected, "{what}: {written:?}");
        }
    }
}
