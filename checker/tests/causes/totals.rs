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
