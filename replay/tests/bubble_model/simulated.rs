//! Bubbles of simulated schedulers: their events are sound, and what the model makes of them is what the policy promises.

use super::whole::{Tables, inconsistencies, stat, whole};
use wastenot_replay::scenario::{Scenario, ScenarioOverrides};
use wastenot_replay::{BatchCollector, Settings};
use wastenot_schemas as tables;

const POLICIES: [&str; 6] = ["simple", "bound", "burst", "gang", "gang-node", "steal"];

fn simulated(policy: &str, text: &str) -> Tables {
    let scenario: Scenario = toml::from_str(text).unwrap();
    let choice = ScenarioOverrides { scheduler: Some(policy.into()), ..ScenarioOverrides::default() };
    let mut kept = BatchCollector::default();
    scenario.prepare(&choice, None).unwrap().run(&Settings::default(), &mut kept).unwrap();
    whole(kept.0.into_iter())
}

fn gangs() -> String {
    include_str!("../../scenarios/gangs.toml").replace("limit = \"6s\"", "limit = \"400ms\"")
}

/// Bubbles in bubbles that burst at different levels, with work that ends.
const NESTED: &str = r#"
about = "Two nodes' worth of pairs."
machine = "2n4"
[workload]
limit = "300ms"
programs.pair = [{ repeat = { times = 30, body = [{ run = { uniform = ["200us", "2ms"] } }, { sleep = "300us" }] } }]
bubbles = { all = {}, left = { bubble = "all" }, right = { bubble = "all" } }
threads = [
  { program = "pair", name = "l", count = 4, bubble = "left", threads = true },
  { program = "pair", name = "r", count = 4, bubble = "right", threads = true },
  { program = "pair", name = "x", count = 2, bubble = "all", threads = true },
]
"#;

#[test]
fn no_policy_records_an_inconsistency() {
    for policy in POLICIES {
        for text in [gangs(), NESTED.to_owned()] {
            assert_eq!(inconsistencies(&simulated(policy, &text)), [], "{policy}");
        }
    }
}

#[test]
fn under_every_bubble_policy_threads_run_where_the_runqueue_that_holds_them_permits() {
    for policy in ["burst", "gang", "gang-node", "steal"] {
        let t = simulated(policy, &gangs());
        for id in 1..=3 {
            let s = stat(&t, id);
            assert!(s.run_ns > 0, "{policy}");
            // A gang set aside runs on until the interrupt arrives that takes it off its CPUs.
            let beyond = s.run_ns - s.held_ns.unwrap();
            assert!(beyond < s.run_ns / 1000, "{policy}, bubble {id}: {beyond} ns of {} elsewhere", s.run_ns);
            assert!(beyond == 0 || policy.starts_with("gang"), "{policy}, bubble {id}: {beyond} ns");
        }
    }
}

#[test]
fn three_gangs_get_a_third_of_the_machine_each() {
    let t = simulated("gang", &gangs());
    let view = tables::bubble::View::try_new(&t["bubble"][0]).unwrap();
    let declared: Vec<_> = (0..view.len()).map(|i| view.row(i)).filter(|r| r.tree == 0).map(|r| r.bubble_id).collect();
    assert_eq!(declared.len(), 3);
    let run: Vec<i64> = declared.iter().map(|id| stat(&t, *id).run_ns).collect();
    let threads: Vec<i32> = declared.iter().map(|id| stat(&t, *id).threads).collect();
    assert_eq!(threads, [5, 6, 7]);
    let all: i64 = run.iter().sum();
    for ns in run {
        assert!((ns * 3 - all).abs() < all / 10, "{ns} of {all}");
    }
}
