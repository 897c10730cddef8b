//! What excuses a waiting thread is seen at the instant at which it changes.

mod recording;

use recording::{Event, events, record};
use std::path::Path;
use std::process::{Child, Command};
use std::time::{Duration, Instant};
use wastenot_ebpf::record::Record;
use wastenot_ebpf::{Meta, Options};
use wastenot_topology::task_state::of_word;

struct Busy(Vec<Child>);

impl Busy {
    /// Threads that spin on CPU 0, all allowed there only.
    fn pinned(count: usize) -> Self {
        let spin = || Command::new("taskset").args(["-c", "0", "sh", "-c", "while :; do :; done"]).spawn().unwrap();
        Self((0..count).map(|_| spin()).collect())
    }

    fn tids(&self) -> Vec<i32> {
        self.0.iter().map(|child| child.id() as i32).collect()
    }
}

impl Drop for Busy {
    fn drop(&mut self) {
        for child in &mut self.0 {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

fn recorded(act: impl FnOnce(&Meta)) -> Option<Vec<Event>> {
    let folder = tempfile::tempdir().unwrap();
    let part = folder.path().join("t.part");
    let meta = record(&part, Options::default(), act)?;
    assert_eq!(meta.stats.unwrap().lost, 0);
    Some(events(&part).0)
}

fn now_ns() -> u64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: writes one timespec.
    unsafe { libc::clock_gettime(libc::CLOCK_MONOTONIC, &mut time) };
    time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
}

fn set_affinity(tid: i32, cpus: u64) -> u64 {
    let before = now_ns();
    // SAFETY: the mask is 8 bytes long, as said.
    let failed = unsafe { libc::syscall(libc::SYS_sched_setaffinity, tid, 8, &cpus) };
    assert_eq!(failed, 0, "{}", std::io::Error::last_os_error());
    before
}

#[test]
fn threads_released_while_they_wait_are_seen_released_at_once() {
    let cpus = std::thread::available_parallelism().unwrap().get();
    assert!(cpus > 1, "this test needs two CPUs");
    let busy = Busy::pinned(4);
    let mut released = Vec::new();
    let found = recorded(|_| {
        std::thread::sleep(Duration::from_millis(300));
        for tid in busy.tids() {
            let before = set_affinity(tid, 3);
            released.push((tid, before, now_ns()));
        }
        std::thread::sleep(Duration::from_millis(300));
    });
    let Some(found) = found else { return };
    for (tid, before, after) in released {
        let known = found.iter().find_map(|event| match event.record {
            Record::Affinity(r) if r.tid == tid => Some((event.ts_ns, r.masks.allowed.unwrap())),
            _ => None,
        });
        let (ts_ns, allowed) = known.unwrap_or_else(|| panic!("no affinity record of {tid}"));
        assert_eq!(allowed.cpus().collect::<Vec<_>>(), [0, 1]);
        println!("{tid}: seen {} ns after the call began, which took {} ns", ts_ns - before, after - before);
        assert!((before..=after + 100_000).contains(&ts_ns), "seen {} ns after the call", ts_ns - after);
    }
}

#[test]
fn the_snapshot_shows_which_threads_run_or_wait_and_where_each_may_run() {
    let busy = Busy::pinned(3);
    std::thread::sleep(Duration::from_millis(100));
    let Some(found) = recorded(|_| std::thread::sleep(Duration::from_millis(50))) else { return };
    let rows: Vec<_> = found
        .iter()
        .filter_map(|event| match event.record {
            Record::Thread(thread) if busy.tids().contains(&thread.tid) => Some(thread),
            _ => None,
        })
        .collect();
    assert_eq!(rows.len(), 3, "one row each");
    for thread in &rows {
        assert_eq!(thread.masks.allowed.unwrap().cpus().collect::<Vec<_>>(), [0]);
        assert_eq!((thread.cpu, of_word(thread.state), thread.policy, thread.prio), (0, 0, 0, 120));
        assert_eq!(&thread.comm[..3], b"sh\0");
        assert_eq!(thread.ppid, std::process::id() as i32);
        assert!(thread.queue < 2, "runnable");
        assert!(thread.cgroup_id > 0);
    }
    assert!(rows.iter().filter(|thread| thread.queue == 0).count() <= 1, "one CPU runs one thread");
}

#[test]
fn each_of_very_many_threads_has_one_row() {
    // More rows than one buffer of the kernel's iterator holds.
    const THREADS: usize = 1000;
    let gate = std::sync::Arc::new(std::sync::RwLock::new(()));
    let closed = gate.write().unwrap();
    let (tids, received) = std::sync::mpsc::channel();
    let threads: Vec<_> = (0..THREADS)
        .map(|_| {
            let (gate, tids) = (std::sync::Arc::clone(&gate), tids.clone());
            std::thread::spawn(move || {
                // SAFETY: gettid cannot fail.
                tids.send(unsafe { libc::syscall(libc::SYS_gettid) } as i32).unwrap();
                drop(gate.read().unwrap());
            })
        })
        .collect();
    let tids: Vec<i32> = received.iter().take(THREADS).collect();
    let found = recorded(|_| std::thread::sleep(Duration::from_millis(50)));
    drop(closed);
    for thread in threads {
        thread.join().unwrap();
    }
    let Some(found) = found else { return };
    let mut rows = std::collections::HashMap::new();
    for event in &found {
        if let Record::Thread(thread) = event.record {
            *rows.entry(thread.tid).or_insert(0) += 1;
        }
    }
    let wrong: Vec<_> = tids.iter().filter(|tid| rows.get(tid) != Some(&1)).collect();
    assert!(wrong.is_empty(), "{} threads without or with two rows: {wrong:?}", wrong.len());
}

/// A cgroup of the cpu controller with a quota, v1 or v2; None where there is none to be made.
fn throttled_cgroup(name: &str) -> Option<std::path::PathBuf> {
    for (root, quota) in [("/sys/fs/cgroup/cpu", "cpu.cfs_quota_us"), ("/sys/fs/cgroup", "cpu.max")] {
        let folder = Path::new(root).join(name);
        if std::fs::create_dir(&folder).is_ok() {
            let limit = if quota == "cpu.max" { "10000 100000" } else { "10000" };
            if std::fs::write(folder.join(quota), limit).is_ok() {
                return Some(folder);
            }
            let _ = std::fs::remove_dir(&folder);
        }
    }
    None
}

#[test]
fn a_group_without_quota_is_seen_throttled_and_released() {
    let Some(group) = throttled_cgroup("wastenot-test-throttle") else {
        wastenot_skips::skip("no cgroup with a CPU quota can be made here");
        return;
    };
    let busy = Busy::pinned(2);
    let found = recorded(|_| {
        for tid in busy.tids() {
            std::fs::write(group.join("cgroup.procs"), tid.to_string()).unwrap();
        }
        std::thread::sleep(Duration::from_millis(1000));
    });
    let tids = busy.tids();
    drop(busy);
    let gone = Instant::now();
    while std::fs::remove_dir(&group).is_err() && gone.elapsed() < Duration::from_secs(2) {
        std::thread::sleep(Duration::from_millis(10));
    }
    let Some(found) = found else { return };
    for tid in tids {
        assert!(
            found.iter().any(|e| matches!(e.record, Record::Cgroup(c) if c.tid == tid && c.cgroup_id > 1)),
            "{tid} is seen in its new group"
        );
        let changes: Vec<_> = found
            .iter()
            .filter_map(|event| match event.record {
                Record::Throttle(t) if t.tid == tid => Some((event.ts_ns, t.throttled, t.error_ns)),
                _ => None,
            })
            .collect();
        println!("{tid}: {changes:?}");
        assert!(changes.len() >= 8, "about ten periods of 100 ms: {changes:?}");
        for pair in changes.windows(2) {
            assert_ne!(pair[0].1, pair[1].1, "on and off take turns: {changes:?}");
        }
        let off_late = changes.iter().filter(|(_, on, error)| *on == 0 && *error > 1_000_000).count();
        assert!(off_late <= 1, "the end is seen when the queue grows: {changes:?}");
        let away: u64 = changes.windows(2).filter(|w| w[0].1 == 1).map(|w| w[1].0 - w[0].0).sum();
        // On a busy machine the group takes longer over its 10 ms.
        assert!(away > 300_000_000, "two threads share 10 ms per 100 ms: away {away} ns");
        let ran = found.iter().any(|e| {
            matches!(e.record, Record::Switch(s) if s.next_tid == tid
                && changes.windows(2).any(|w| w[0].1 == 1 && (w[0].0 + 100_000..w[1].0).contains(&e.ts_ns)))
        });
        assert!(!ran, "no throttled thread runs");
    }
}
