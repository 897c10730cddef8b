//! What the sentinel reports is so, as the events of the same time show, and what is excused it does not report.

mod recording;

use recording::{Event, events, start_watcher};
use std::path::Path;
use std::process::{Child, Command};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};
use wastenot_ebpf::record::Record;
use wastenot_ebpf::watch::{FlightRecorder, Hit, WatchStatus};
use wastenot_skips::skip;

/// One test at a time: each needs an idle CPU.
static MACHINE: Mutex<()> = Mutex::new(());

const MS: u64 = 1_000_000;

/// Threads that spin on CPU 0, at first allowed there only.
struct Busy(Vec<Child>);

impl Busy {
    fn pinned(count: usize) -> Self {
        let spin = || Command::new("taskset").args(["-c", "0", "sh", "-c", "while :; do :; done"]).spawn().unwrap();
        let busy = Self((0..count).map(|_| spin()).collect());
        std::thread::sleep(Duration::from_millis(100));
        busy
    }

    fn has(&self, tid: i32) -> bool {
        self.0.iter().any(|child| child.id() as i32 == tid)
    }

    fn allow(&self, cpus: u64) {
        for child in &self.0 {
            // SAFETY: the mask is 8 bytes long, as said.
            let failed = unsafe { libc::syscall(libc::SYS_sched_setaffinity, child.id(), 8, &cpus) };
            assert_eq!(failed, 0, "{}", std::io::Error::last_os_error());
        }
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

/// A started watcher whose sentinel looks; None where nothing can be watched.
fn watch(json: &str) -> Option<FlightRecorder> {
    start_watcher(json, |started| assert_eq!(started.no_sentinel, None))
}

/// Looks at which a CPU idled, since an earlier status.
fn idle_looks(before: &WatchStatus, after: &WatchStatus, cpu: usize) -> u64 {
    after.cpus[cpu].looks_idle - before.cpus[cpu].looks_idle
}

/// Hits of `after` that are newer than an earlier status.
fn hits_since(before: &WatchStatus, after: &WatchStatus) -> impl Iterator<Item = Hit> {
    let seen = before.hits_total;
    after.hits.clone().into_iter().filter(move |hit| hit.number > seen)
}

/// A switch of a CPU.
#[derive(Debug)]
struct Switched {
    ts_ns: u64,
    prev_tid: i32,
    next_tid: i32,
    /// The kernel's count of the queue.
    count: Option<i32>,
}

/// The switches of `cpu`, by time.
fn switches(events: &[Event], cpu: u16) -> Vec<Switched> {
    let of_cpu = events.iter().filter(|event| event.cpu == cpu);
    of_cpu
        .filter_map(|event| match event.record {
            Record::Switch(s) => {
                let (prev_tid, next_tid, count) = (s.prev_tid, s.next_tid, s.nr_running());
                Some(Switched { ts_ns: event.ts_ns, prev_tid, next_tid, count })
            }
            _ => None,
        })
        .collect()
}

/// Between a switch and its event, or between a read and its time, an interrupt may come.
const EDGE_NS: u64 = 50_000;

/// What in the events contradicts a hit: the idle CPU ran something, or the other had no thread waiting. Where two events
/// do not follow each other, as around a process whose switches the kernel hides from tracing, they tell nothing.
fn contradiction(events: &[Event], hit: &Hit) -> Option<String> {
    let (start_ns, end_ns) = (hit.start_ns + EDGE_NS, hit.start_ns + hit.age_ns);
    let idle = switches(events, hit.idle_cpu as u16);
    let before = idle.partition_point(|switch| switch.ts_ns <= start_ns).checked_sub(1)?;
    let (running, next) = (&idle[before], idle.get(before + 1)?);
    if running.next_tid == next.prev_tid && (running.next_tid != 0 || next.ts_ns < end_ns) {
        return Some(format!("CPU {}: {running:?}, {next:?}", hit.idle_cpu));
    }
    let within = |switch: &&Switched| (start_ns..end_ns).contains(&switch.ts_ns);
    let other = switches(events, hit.overloaded_cpu as u16);
    let short = other.iter().filter(within).find(|switch| switch.count.is_some_and(|count| count < 2));
    short.map(|short| format!("CPU {}: {short:?}", hit.overloaded_cpu))
}

/// Pin threads to CPU 0 and release them, again and again, under a watcher with these looks; its figures, and the looks with CPU 1
/// idle. The hits are compared with the events.
fn watch_released_threads(look_ns: u64, hit_ns: u64) -> Option<(WatchStatus, u64)> {
    let watcher = watch(&format!(r#"{{"keep_ns": 20000000000, "look_ns": {look_ns}, "hit_ns": {hit_ns}}}"#))?;
    let before = watcher.status().unwrap();
    let busy = Busy::pinned(4);
    let begun = Instant::now();
    while begun.elapsed() < Duration::from_secs(6) {
        busy.allow(1);
        std::thread::sleep(Duration::from_millis(60));
        busy.allow(3);
        std::thread::sleep(Duration::from_millis(40));
    }
    drop(busy);
    let folder = tempfile::tempdir().unwrap();
    let part = folder.path().join("b.part");
    let saved = watcher.save(&part, 0, "test").unwrap();
    let status = watcher.stop().unwrap();
    assert!(saved.whole && saved.lost == 0, "{saved:?}");
    let idle = idle_looks(&before, &status, 1);
    println!("{idle} looks with CPU 1 idle, {} with waste, {} hits", status.looks_with_waste, status.hits_total);
    assert!(status.certain_wasted_ns <= status.sampled_wasted_ns);
    agree(&part, &status, hit_ns);
    Some((status, idle))
}

#[test]
fn threads_that_wait_beside_an_idle_cpu_are_seen_and_the_events_agree() {
    let _alone = MACHINE.lock().unwrap_or_else(PoisonError::into_inner);
    let Some((status, idle)) = watch_released_threads(500_000, 2 * MS) else { return };
    if idle < 500 {
        return skip("other programs kept CPU 1 from being idle");
    }
    assert!(status.looks_with_waste > 10 && status.certain_wasted_ns > 10 * MS, "{status:?}");
    assert!(status.hits_total > 0, "{status:?}");
}

#[test]
fn the_shortest_hits_agree_with_the_events_too() {
    let _alone = MACHINE.lock().unwrap_or_else(PoisonError::into_inner);
    let Some((status, idle)) = watch_released_threads(100_000, 100_000) else { return };
    if status.hits_total < 5 {
        skip(format_args!("{} hits, CPU 1 idle at {idle} looks: other programs keep the CPUs busy", status.hits_total));
    }
}

/// No hit contradicts the events of the box.
fn agree(part: &Path, status: &WatchStatus, hit_ns: u64) {
    let events = events(part).0;
    let wrong: Vec<String> =
        status.hits.iter().filter_map(|hit| contradiction(&events, hit).map(|why| format!("{hit:?}: {why}"))).collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert!(
        status.hits.windows(2).all(|pair| pair[0].number + 1 == pair[1].number && pair[0].time_ns <= pair[1].time_ns)
    );
    assert!(status.hits.iter().all(|hit| hit.age_ns >= hit_ns && hit.start_ns < hit.time_ns && hit.tid > 0));
}

#[test]
fn a_software_clock_takes_the_place_of_the_timer() {
    let _alone = MACHINE.lock().unwrap_or_else(PoisonError::into_inner);
    for clock in ["timer", "perf_event"] {
        let json = format!(r#"{{"sentinel_only": true, "look_clock": "{clock}", "look_ns": 2000000}}"#);
        let Some(watcher) = watch(&json) else { return };
        let before = watcher.status().unwrap();
        std::thread::sleep(Duration::from_millis(1000));
        let after = watcher.stop().unwrap();
        let (looks, passed) = (after.looks - before.looks, (after.now_ns - before.now_ns) / (2 * MS));
        println!("{clock}: {looks} looks in {passed} periods; a look takes {} ns", after.sentinel_ns / after.looks);
        assert!(after.black_box.is_none());
        assert!(looks + after.missed_looks >= passed / 2 && looks <= passed * 11 / 10, "{looks} looks, {after:?}");
        let online = after.cpus.iter().filter(|cpu| cpu.online).count();
        assert_eq!(online, std::thread::available_parallelism().unwrap().get());
    }
}

#[test]
fn pinned_threads_are_not_reported() {
    let _alone = MACHINE.lock().unwrap_or_else(PoisonError::into_inner);
    let Some(watcher) = watch(r#"{"sentinel_only": true, "look_ns": 500000, "hit_ns": 1000000}"#) else { return };
    let busy = Busy::pinned(4);
    let before = watcher.status().unwrap();
    let mut waste = Vec::new();
    for _ in 0..20 {
        std::thread::sleep(Duration::from_millis(100));
        waste.extend(hits_since(&before, &watcher.status().unwrap()));
    }
    let after = watcher.stop().unwrap();
    let idle = idle_looks(&before, &after, 1);
    println!("{idle} looks with CPU 1 idle; {} hits of others", after.hits_total - before.hits_total);
    let ours: Vec<_> = waste.iter().filter(|hit| busy.has(hit.tid)).collect();
    assert!(ours.is_empty(), "{ours:?}");
    assert!(after.cpus[0].longest_queue >= 4);
    if idle < 300 {
        skip("other programs kept CPU 1 from being idle: nothing could be mistaken for a violation");
    }
}

/// A cgroup with a quota of a tenth of a CPU.
struct Throttled(std::path::PathBuf);

impl Throttled {
    fn new(name: &str) -> Option<Self> {
        for (root, quota, limit) in
            [("/sys/fs/cgroup/cpu", "cpu.cfs_quota_us", "10000"), ("/sys/fs/cgroup", "cpu.max", "10000 100000")]
        {
            let folder = Path::new(root).join(name);
            if std::fs::create_dir(&folder).is_ok() {
                if std::fs::write(folder.join(quota), limit).is_ok() {
                    return Some(Self(folder));
                }
                let _ = std::fs::remove_dir(&folder);
            }
        }
        None
    }
}

impl Drop for Throttled {
    fn drop(&mut self) {
        let begun = Instant::now();
        while std::fs::remove_dir(&self.0).is_err() && begun.elapsed() < Duration::from_secs(2) {
            std::thread::sleep(Duration::from_millis(10));
        }
    }
}

#[test]
fn threads_without_quota_are_not_reported() {
    let _alone = MACHINE.lock().unwrap_or_else(PoisonError::into_inner);
    let Some(watcher) = watch(r#"{"sentinel_only": true, "hit_ns": 20000000}"#) else { return };
    let Some(group) = Throttled::new("wastenot-test-sentinel") else {
        return skip("no cgroup with a CPU quota can be made here");
    };
    let busy = Busy::pinned(3);
    for child in &busy.0 {
        std::fs::write(group.0.join("cgroup.procs"), child.id().to_string()).unwrap();
    }
    busy.allow(3);
    let before = watcher.status().unwrap();
    std::thread::sleep(Duration::from_millis(2000));
    let after = watcher.stop().unwrap();
    let ours: Vec<_> = hits_since(&before, &after).filter(|hit| busy.has(hit.tid)).collect();
    drop(busy);
    assert!(ours.is_empty(), "they wait for their quota, 90 of 100 ms: {ours:?}");
    let idle = [0, 1].map(|cpu| idle_looks(&before, &after, cpu));
    println!("looks with the CPUs idle: {idle:?}");
    if idle.iter().sum::<u64>() < 300 {
        skip("other programs kept the CPUs from being idle: nothing could be mistaken for a violation");
    }
}
