//! This machine, watched while it works: the counters are the figures of the check of what was recorded beside.

#[path = "../../checker/tests/online/figures.rs"]
mod figures;
mod part;

use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use wastenot_checker::{Counters, Options, TableSet};
use wastenot_ebpf::{Arrived, CaptureError, EbpfRecorder};
use wastenot_online::{ExactWatch, RecordingWalk, WatchError, WatchOptions};

/// Processes come and go, and pairs of them hand a token to and fro. Ended when dropped.
struct Load(Vec<Child>);

impl Load {
    fn start() -> Self {
        let churn = "while :; do /bin/true; (exec sleep 0.001) & wait; done";
        let pipes = "while :; do echo x | cat | cat | cat >/dev/null; done";
        let start = |script: &str| {
            let mut command = Command::new("sh");
            command.args(["-c", script]).stdout(Stdio::null()).stderr(Stdio::null());
            command.spawn().expect("sh")
        };
        Self([churn, pipes, pipes, pipes].map(start).into())
    }
}

impl Drop for Load {
    fn drop(&mut self) {
        for child in &mut self.0 {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

/// The test ends without a result where nothing can be recorded.
fn is_refused(error: &WatchError) -> bool {
    let refused = matches!(error, WatchError::Capture(CaptureError::NotPermitted { .. } | CaptureError::NoBtf));
    if refused {
        wastenot_skips::skip(format_args!("nothing can be recorded here: {error}"));
    }
    refused
}

fn assert_is_the_check_of(part: &Path, counters: &Counters) {
    let options = Options { tables: TableSet::Verdict, ..Options::default() };
    assert_eq!(figures::of_counters(counters), figures::of_tables(&part::check(part, &options)));
}

#[test]
fn counters_of_a_watch_are_the_figures_of_the_recording_beside_it() {
    let folder = tempfile::tempdir().unwrap();
    let part = folder.path().join("beside.part");
    let options = WatchOptions { also_part: Some(part.clone()), ..WatchOptions::default() };
    let mut watch = ExactWatch::new(options);
    match watch.start() {
        Err(error) if is_refused(&error) => return,
        started => drop(started.unwrap()),
    }
    let load = Load::start();
    let (mut before, mut finished, mut steps) = (Counters::default(), 0, 0);
    let start = Instant::now();
    while start.elapsed() < Duration::from_secs(4) {
        std::thread::sleep(Duration::from_millis(150));
        let figures = watch.figures().unwrap();
        let now = figures.counters;
        assert_eq!(figures.failed, None);
        let graded: i64 = now.grades[..5].iter().map(|g| g.core_ns).sum();
        assert_eq!(graded + now.ungraded_ns, now.wasted_ns);
        assert!(now.until_ns >= before.until_ns && now.wasted_ns >= before.wasted_ns);
        steps += usize::from(now.until_ns > before.until_ns);
        finished += figures.finished.len();
        before = now;
    }
    drop(load);
    let figures = watch.stop().unwrap();
    assert_eq!(figures.failed, None);
    finished += figures.finished.len();
    assert_is_the_check_of(&part, &figures.counters);
    let c = &figures.counters;
    println!(
        "{} events, {} threads forgotten, {} left, {} ns wasted, {finished} episodes, {steps} steps, walk {:.1} ms, consumer {:.1} ms",
        c.events_read,
        c.forgotten_threads,
        c.threads,
        c.wasted_ns,
        figures.walk_cpu_ns as f64 / 1e6,
        figures.recorder.consumer_cpu_ns as f64 / 1e6
    );
    assert!(steps > 4 && c.events_read > 10_000 && c.forgotten_threads > 100);
    let episodes: i64 = c.grades[2..].iter().map(|g| g.episodes).sum();
    assert_eq!(finished as i64 + figures.dropped_episodes as i64, episodes, "each episode is handed out once");
}

/// While nothing receives the frames, the rings run full, and what they cannot take is counted.
#[test]
fn what_a_walk_that_falls_behind_does_not_get_is_counted_as_lost() {
    let folder = tempfile::tempdir().unwrap();
    let part = folder.path().join("beside.part");
    let options = wastenot_ebpf::Options { ring_bytes: 65_536, ..Default::default() };
    let (mut recorder, frames) = EbpfRecorder::live(Some(&part), 1, options);
    let meta = match recorder.start().map_err(WatchError::from) {
        Err(error) if is_refused(&error) => return,
        started => started.unwrap(),
    };
    let load = Load::start();
    std::thread::sleep(Duration::from_secs(2));
    let check = Options { tables: TableSet::Verdict, ..Options::default() };
    let mut walk = RecordingWalk::new(meta, frames.machine().unwrap(), check);
    let stop = std::thread::spawn(move || {
        std::thread::sleep(Duration::from_secs(1));
        recorder.stop("duration").unwrap()
    });
    loop {
        match frames.next(Duration::from_millis(100)) {
            Arrived::Frame(frame) => drop(walk.push(frame).unwrap()),
            Arrived::Nothing => {}
            Arrived::End => break,
        }
    }
    let meta = stop.join().unwrap();
    drop(load);
    walk.end(meta.end_ns.map(|end_ns| end_ns as i64)).unwrap();
    let counters = walk.check().unwrap().counters();
    let stats = meta.stats.unwrap();
    println!("{} waits, {} of {} events lost", stats.waits, counters.events_lost, counters.events_read);
    assert!(stats.waits > 50 && stats.lost > 0);
    assert_eq!(counters.events_lost, stats.lost as i64);
    assert_is_the_check_of(&part, &counters);
}
