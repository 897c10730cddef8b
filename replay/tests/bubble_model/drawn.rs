//! Drawn traces, checked, and the tables of bubbles derived from them, with exact figures.

use super::whole::{Tables, inconsistencies, stat, whole};
use arrow_array::RecordBatch;
use wastenot_replay::bubbles::derive;
use wastenot_schemas as tables;

/// All tables of a drawing, with more beside it.
fn all(drawing: &str, more: Vec<(&'static str, RecordBatch)>) -> Tables {
    whole(wastenot_drawing::draw(drawing).unwrap().into_iter().chain(more))
}

fn bubbles(t: &Tables, tree: u8) -> Vec<(i32, Option<i32>, u8, String, i32)> {
    let view = tables::bubble::View::try_new(&t["bubble"][0]).unwrap();
    let rows = (0..view.len()).map(|i| view.row(i)).filter(|r| r.tree == tree);
    rows.map(|r| (r.bubble_id, r.parent_id, r.kind, r.name.unwrap_or("").to_owned(), r.depth)).collect()
}

const TEAM: &str = "
cpus 0-3
llc 0-1 2-3
node 0-1 2-3
window 0us 100us
0us cpu 0 idle
0us cpu 1 idle
0us cpu 2 idle
0us cpu 3 idle
0us thread 101 left on 0 asleep mask 0-3
0us thread 102 right on 1 asleep mask 0-3
0us bubble init b7 named team
0us bubble insert_thread t101 to b7
0us bubble insert_thread t102 to b7
0us bubble priority b7 = 5
0us bubble expect t101 = 40000
0us bubble burst_level b7 to node
1us bubble wake b7
2us bubble move b7 to node:0
3us bubble burst b7
10us wakeup 101 on 0
10us switch 0: 0 R -> 101
20us wakeup 102 on 2
20us switch 2: 0 R -> 102
40us switch 2: 102 S -> 0
50us switch 0: 101 S -> 0
60us bubble close b7 to machine
";

#[test]
fn a_declared_bubble_has_the_times_of_its_threads_and_the_share_kept_in_one_cache() {
    let t = all(TEAM, vec![]);
    assert_eq!(bubbles(&t, tables::bubble_tree::DECLARED), [(1, None, tables::bubble_kind::BUBBLE, "team".into(), 0)]);
    let s = stat(&t, 1);
    assert_eq!((s.threads, s.peak_threads, s.run_ns, s.active_ns), (2, 2, 60_000, 40_000));
    assert_eq!((s.main_llc, s.main_llc_ns, s.main_node, s.main_node_ns), (Some(0), 40_000, Some(0), 40_000));
    assert_eq!((s.cpus, s.llcs, s.nodes), (2, 2, 2));
    assert_eq!(s.spread, Some(1500), "both caches for 20 of 40 us");
    assert_eq!(s.held_ns, Some(40_000), "node 0 does not span CPU 2");
    assert_eq!((s.expected_ns, s.bursts, s.regenerations, s.cache_misses), (Some(40_000), 1, 1, None));
}

#[test]
fn the_rows_of_entity_holder_follow_the_life_of_a_bubble() {
    let t = all(TEAM, vec![]);
    let view = tables::entity_holder::View::try_new(&t["entity_holder"][0]).unwrap();
    let rows = (0..view.len()).map(|i| view.row(i)).filter(|r| r.bubble_id == Some(1) && r.dur_ns > 0);
    let actual: Vec<_> = rows
        .map(|r| {
            (r.start_ns / 1000, tables::holder::NAMES[r.holder as usize], r.holder_id, r.state.unwrap(), r.priority)
        })
        .collect();
    assert_eq!(
        actual,
        [
            (0, "outside", None, 0, Some(5)),
            (1, "machine", Some(0), 0, Some(5)),
            (2, "node", Some(0), 0, Some(5)),
            (3, "node", Some(0), 1, Some(5)),
            (60, "machine", Some(0), 0, Some(5)),
        ]
    );
}

#[test]
fn the_natural_tree_is_machine_and_processes_where_no_cgroups_are_recorded() {
    let t = all(TEAM, vec![]);
    let found = bubbles(&t, tables::bubble_tree::NATURAL);
    let names: Vec<_> = found.iter().map(|b| (b.1.map(|p| p - found[0].0), b.3.as_str(), b.4)).collect();
    assert_eq!(names, [(None, "machine", 0), (Some(0), "left", 1), (Some(0), "right", 1)]);
    assert_eq!((stat(&t, found[0].0).run_ns, stat(&t, found[1].0).run_ns), (60_000, 40_000));
    assert_eq!((stat(&t, found[0].0).threads, stat(&t, found[0].0).held_ns), (2, None));
}

fn cgroups(paths: &[(i64, &str)]) -> Vec<(&'static str, RecordBatch)> {
    let mut out = tables::cgroup::Builder::default();
    for (cgroup_id, path) in paths {
        let (cgroup_id, quota_ns) = (*cgroup_id, None);
        out.push(&tables::cgroup::Row { cgroup_id, path, quota_ns, period_ns: None, weight: None });
    }
    vec![(tables::cgroup::NAME, out.finish())]
}

#[test]
fn a_process_that_moves_to_a_session_is_two_bubbles_each_with_its_time() {
    let drawing = "
cpus 0
window 0us 100us
0us cpu 0 idle
0us thread 101 sh on 0 asleep mask 0
0us cgroup 101 5
10us wakeup 101 on 0
10us switch 0: 0 R -> 101
40us cgroup 101 6
60us switch 0: 101 S -> 0
";
    let t = all(drawing, cgroups(&[(5, "/system.slice"), (6, "/user.slice/session-3.scope")]));
    use tables::bubble_kind as k;
    let found = bubbles(&t, tables::bubble_tree::NATURAL);
    let first = found[0].0;
    let actual: Vec<_> =
        found.iter().map(|b| (b.1.map(|p| p - first), b.2, b.3.as_str(), stat(&t, b.0).run_ns)).collect();
    assert_eq!(
        actual,
        [
            (None, k::MACHINE, "machine", 50_000),
            (Some(0), k::CGROUP, "system.slice", 30_000),
            (Some(1), k::PROCESS, "sh", 30_000),
            (Some(0), k::CGROUP, "user.slice", 20_000),
            (Some(3), k::SESSION, "session-3.scope", 20_000),
            (Some(4), k::PROCESS, "sh", 20_000),
        ]
    );
    assert_eq!(stat(&t, first).threads, 1);
}

#[test]
fn who_forked_whom_is_the_creation_tree() {
    let drawing = "
cpus 0
window 0us 100us
0us cpu 0 runs 101
0us thread 101 make on 0 running mask 0
10us fork 101 -> 102
20us fork 101 -> 103
30us wakeup_new 102 on 0
40us switch 0: 101 S -> 102
45us fork 102 -> 104
50us switch 0: 102 X -> 0
";
    let t = all(drawing, vec![]);
    let found = bubbles(&t, tables::bubble_tree::CREATION);
    let first = found[0].0;
    let actual: Vec<_> =
        found.iter().map(|b| (b.1.map(|p| p - first), b.4, stat(&t, b.0).threads, stat(&t, b.0).run_ns)).collect();
    assert_eq!(actual, [(None, 0, 4, 50_000), (Some(0), 1, 4, 50_000), (Some(1), 2, 2, 10_000)]);
}

#[test]
fn cache_misses_go_to_the_bubble_of_the_thread_that_ran() {
    let mut out = tables::perf_counter::Builder::default();
    let readings = [(40_000, 102, "cache-misses", 7), (50_000, 101, "cache-misses", 5), (50_000, 101, "cycles", 9_000)];
    for (id, (ts_ns, tid, counter, value)) in (1_000..).zip(readings) {
        out.push(&tables::perf_counter::Row { id, ts_ns, cpu: 0, tid, counter, value });
    }
    let t = all(TEAM, vec![(tables::perf_counter::NAME, out.finish())]);
    let natural = bubbles(&t, tables::bubble_tree::NATURAL);
    assert_eq!(stat(&t, 1).cache_misses, Some(12));
    assert_eq!(natural.iter().map(|b| stat(&t, b.0).cache_misses).collect::<Vec<_>>(), [Some(12), Some(5), Some(7)]);
}

#[test]
fn moves_are_counted_and_those_to_another_cache_apart() {
    let drawing = "
cpus 0-3
llc 0-1 2-3
window 0us 100us
0us cpu 0 idle
0us cpu 1 idle
0us cpu 2 idle
0us thread 101 a on 0 asleep mask 0-3
0us bubble init b1
0us bubble insert_thread t101 to b1
10us wakeup 101 on 0
10us switch 0: 0 R -> 101
20us switch 0: 101 S -> 0
30us wakeup 101 on 1
30us switch 1: 0 R -> 101
40us switch 1: 101 S -> 0
50us wakeup 101 on 2
50us switch 2: 0 R -> 101
60us bubble remove t101
70us switch 2: 101 S -> 0
";
    let s = stat(&all(drawing, vec![]), 1);
    assert_eq!(
        (s.migrations, s.llc_migrations, s.run_ns),
        (2, 1, 30_000),
        "what comes after the removal is not its own"
    );
}

#[test]
fn a_thread_that_the_kernels_events_do_not_name_is_an_entity_all_the_same() {
    let t = all("cpus 0\nwindow 0us 9us\n1us bubble init b1\n2us bubble insert_thread t77 to b1\n", vec![]);
    assert_eq!(stat(&t, 1).threads, 1);
    assert_eq!(inconsistencies(&t), []);
}

#[test]
fn what_is_broken_is_counted_by_reason_with_its_first_time() {
    let drawing = "
cpus 0
window 0us 9us
1us bubble init b1
2us bubble insert_bubble b1 to b1
3us bubble destroy b1
4us bubble insert_thread t5 to b1
5us bubble insert_thread t5 to b1
";
    let t = all(drawing, vec![]);
    assert_eq!(
        inconsistencies(&t),
        [("destroyed_bubble".to_owned(), 2, 4_000, 5_000), ("cycle".to_owned(), 1, 2_000, 2_000),]
    );
}

#[test]
fn a_trace_without_anything_has_a_machine_in_each_tree_and_no_more() {
    let t = all("cpus 0\nwindow 0us 9us\n", vec![]);
    assert_eq!(bubbles(&t, tables::bubble_tree::NATURAL).len(), 1);
    assert_eq!(bubbles(&t, tables::bubble_tree::CREATION).len(), 1);
    assert!(derive(vec![], &mut wastenot_replay::NullSink).is_ok());
}
