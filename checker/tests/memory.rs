//! A walk that forgets threads needs no more memory for millions of them. In a test of its own: it measures the process.

use arrow_array::RecordBatch;
use wastenot_checker::{NullSink, OnlineCheck, Options, TableSet};
use wastenot_schemas::{process_exit, process_fork, sched_switch, sched_wakeup, task_state, thread_name};

/// Threads that are born, run and die, one after the other on each CPU.
const BIRTHS: i64 = 3_000_000;
/// Threads per stretch.
const STRETCH: i64 = 5_000;
/// Tids are used again after so many threads, as with the usual pid_max.
const TIDS: i64 = 32_768;
/// Threads that stay, spread over the births: each keeps its place.
const STAYS: i64 = 1_000;

fn resident_bytes() -> i64 {
    let statm = std::fs::read_to_string("/proc/self/statm").expect("procfs");
    let pages: i64 = statm.split(' ').nth(1).and_then(|n| n.parse().ok()).expect("a number");
    pages * 4096
}

/// Each thread is forked, woken, runs for a while, and exits or stays.
fn stretch(first: i64, ids: &mut i64) -> Vec<(String, RecordBatch)> {
    let mut forks = process_fork::Builder::default();
    let mut names = thread_name::Builder::default();
    let mut wakeups = sched_wakeup::Builder::default();
    let mut switches = sched_switch::Builder::default();
    let mut exits = process_exit::Builder::default();
    let mut id = || {
        *ids += 1;
        *ids - 1
    };
    for n in first..first + STRETCH {
        let (at, cpu) = (1_000 + n * 100_000, (n % 2) as i16);
        let stays = n % (BIRTHS / STAYS) == 0;
        let tid = (if stays { 100_000 + n / (BIRTHS / STAYS) } else { 1_000 + n % TIDS }) as i32;
        forks.push(&process_fork::Row {
            id: id(),
            ts_ns: at,
            cpu: 0,
            parent_tid: 7,
            child_tid: tid,
            ..Default::default()
        });
        let name = format!("child-{n}");
        names.push(&thread_name::Row { id: id(), ts_ns: at, tid, tgid: Some(tid), name: &name });
        wakeups.push(&sched_wakeup::Row {
            id: id(),
            ts_ns: at + 10,
            cpu: 0,
            tid,
            target_cpu: cpu,
            is_new: true,
            ..Default::default()
        });
        let switch = |id, ts_ns, prev_tid, prev_state, next_tid| sched_switch::Row {
            id,
            ts_ns,
            cpu,
            prev_tid,
            prev_state,
            next_tid,
            ..Default::default()
        };
        switches.push(&switch(id(), at + 20_000, 0, task_state::R, tid));
        if !stays {
            exits.push(&process_exit::Row { id: id(), ts_ns: at + 50_000, cpu, tid });
        }
        let state = if stays { task_state::S } else { task_state::X };
        switches.push(&switch(id(), at + 60_000, tid, state, 0));
    }
    let tables = [
        (process_fork::NAME, forks.finish()),
        (thread_name::NAME, names.finish()),
        (sched_wakeup::NAME, wakeups.finish()),
        (sched_switch::NAME, switches.finish()),
        (process_exit::NAME, exits.finish()),
    ];
    tables.into_iter().map(|(name, batch)| (name.to_owned(), batch)).collect()
}

#[test]
fn millions_of_threads_leave_no_trace_in_memory() {
    let drawn = wastenot_drawing::draw("cpus 0-1\n0us cpu 0 idle\n0us cpu 1 idle\n").unwrap();
    let entities = drawn.into_iter().map(|(name, batch)| (name.to_owned(), batch));
    let entities: Vec<_> = entities.filter(|(name, _)| ["cpu", "machine"].contains(&name.as_str())).collect();
    let options = Options { tables: TableSet::Verdict, ..Options::default() };
    let mut check = OnlineCheck::new(entities, &options).unwrap().forgetting_threads().unwrap();
    let (mut ids, mut early) = (0, 0);
    for first in (0..BIRTHS).step_by(STRETCH as usize) {
        check.feed(stretch(first, &mut ids), &mut NullSink).unwrap();
        check.take_finished();
        if first == BIRTHS / 10 {
            early = resident_bytes();
        }
    }
    let (late, counters) = (resident_bytes(), check.counters());
    println!("{BIRTHS} births: {early} bytes resident after a tenth, {late} at the end");
    // No time has passed since the last one died.
    let (parent, alive, last) = (1, STAYS, 1);
    assert_eq!((counters.threads, counters.forgotten_threads), (parent + alive + last, BIRTHS - alive - last));
    assert!(late - early < 8 << 20, "{early} bytes resident after a tenth of the births, {late} at the end");
}
