//! A saved black box is a recording as any other, whatever happened to its rings before.

mod recording;

use recording::{Contradictions, Event, Load, events, run, start_watcher};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};
use wastenot_ebpf::record::Record;
use wastenot_ebpf::segment::Tail;
use wastenot_ebpf::watch::{FlightRecorder, SavedBox};
use wastenot_ebpf::{EbpfRecorder, Meta, Options};
use wastenot_skips::skip;

/// One test at a time: each loads the machine.
static MACHINE: Mutex<()> = Mutex::new(());

const MS: u64 = 1_000_000;

/// Wakeups, forks, exits, migrations and sleeps on all CPUs.
fn busy_machine() -> Load {
    run("for i in 1 2 3 4 5 6; do (while :; do sleep 0.001; /bin/true; done) & done; wait")
}

/// A started watcher with a black box; None where nothing can be recorded.
fn watch(json: &str) -> Option<FlightRecorder> {
    start_watcher(json, |started| assert_eq!(started.no_black_box, None))
}

/// A box that was saved can be read, and contradicts itself nowhere.
fn check_box(part: &Path, saved: &SavedBox) -> Vec<Event> {
    let meta = Meta::read(part).unwrap();
    assert_eq!((meta.start_ns, meta.end_ns), (saved.start_ns, Some(saved.end_ns)));
    assert_eq!(meta.end_reason.as_deref(), Some(saved.end_reason.as_str()));
    let (events, tail) = events(part);
    assert_eq!(tail, Tail::Finished { last: true });
    let found = Contradictions::of(&events);
    println!("{} events of {} ms, {} switches, {saved:?}", events.len(), saved.kept_ns / MS, found.switches);
    assert_eq!(saved.lost, 0);
    assert!(found.wrong_prev.is_empty(), "{:#?}", found.wrong_prev);
    assert!(found.two_cpus.is_empty(), "{:#?}", found.two_cpus);
    assert!(found.queued_at_wakeup.len() <= 2, "{:#?}", found.queued_at_wakeup);
    assert!(found.unknown.is_empty(), "{:#?}", found.unknown);
    assert!(found.twice.is_empty(), "{:#?}", found.twice);
    // Wakeups by a thread whose switches are hidden are hidden too.
    let unwoken = if found.hidden_by_sandbox > 0 { found.hidden_by_sandbox.max(found.switches / 200) } else { 0 };
    assert!(found.wrong_pick.len() <= unwoken, "{:#?}", found.wrong_pick);
    let cpus = events.iter().filter(|event| matches!(event.record, Record::CpuSnapshot(_))).count();
    assert_eq!(cpus, meta.cpus as usize, "one row per CPU, of the first epoch");
    assert!(events.iter().all(|event| event.ts_ns >= saved.start_ns), "nothing is older than the box");
    assert!(events.iter().any(|event| matches!(event.record, Record::CgroupInfo(_))));
    let stacks = events.iter().filter(|e| matches!(e.record, Record::Stack(_))).count();
    let migrations = events.iter().filter(|e| matches!(e.record, Record::Migrate(m) if m.stack_id >= 0)).count();
    assert!(stacks > 0 || migrations == 0, "every migration's stack is written");
    events
}

#[test]
fn boxes_of_rings_that_were_overwritten_many_times_are_consistent() {
    let _alone = MACHINE.lock().unwrap_or_else(PoisonError::into_inner);
    let Some(watcher) = watch(r#"{"keep_ns": 300000000, "ring_bytes": 262144}"#) else { return };
    let folder = tempfile::tempdir().unwrap();
    let load = busy_machine();
    let until = Instant::now() + Duration::from_secs(30);
    while watcher.status().unwrap().black_box.unwrap().bytes_written < 20 * 262_144 && Instant::now() < until {
        std::thread::sleep(Duration::from_millis(50));
    }
    let mut before = None;
    for (number, after_ns) in [0, 300 * MS, 0, 0].into_iter().enumerate() {
        let part = folder.path().join(format!("{number}.part"));
        let saved = watcher.save(&part, after_ns, "test").unwrap();
        assert_eq!(saved.end_reason, "watch: test");
        assert!(saved.end_ns >= saved.asked_ns + after_ns && saved.kept_ns > 0);
        assert_eq!(saved.whole, saved.kept_ns >= 300 * MS);
        assert!(saved.write_ns < 5_000 * MS, "{saved:?}");
        let events = check_box(&part, &saved);
        let after = events.iter().filter(|event| event.ts_ns > saved.asked_ns).count();
        assert!(after_ns == 0 || after > 100, "{after} events after the trigger");
        let start_ns = saved.start_ns;
        assert!(before.replace(start_ns).is_none_or(|before| before <= start_ns), "a later box does not begin earlier");
    }
    let status = watcher.stop().unwrap();
    drop(load);
    let figures = status.black_box.unwrap();
    assert!(figures.snapshots > 2 && figures.lost == 0, "{figures:?}");
    assert_eq!(status.ended, None);
}

#[test]
fn the_box_holds_the_time_to_keep_where_the_rings_are_large_enough() {
    let _alone = MACHINE.lock().unwrap_or_else(PoisonError::into_inner);
    let Some(watcher) = watch(r#"{"keep_ns": 1000000000}"#) else { return };
    let folder = tempfile::tempdir().unwrap();
    let load = busy_machine();
    std::thread::sleep(Duration::from_millis(300));
    let part = folder.path().join("early.part");
    let early = watcher.save(&part, 0, "early").unwrap();
    assert!(early.whole && early.kept_ns < 1000 * MS, "everything since the start: {early:?}");
    check_box(&part, &early);
    std::thread::sleep(Duration::from_millis(2500));
    let part = folder.path().join("later.part");
    let later = watcher.save(&part, 100 * MS, "later").unwrap();
    drop(load);
    assert!(later.whole && (1000 * MS..2500 * MS).contains(&later.kept_ns), "{later:?}");
    let events = check_box(&part, &later);
    let forks = events.iter().filter(|event| matches!(event.record, Record::Fork(_))).count();
    assert!(forks > 50, "{forks} forks");
}

/// Switches and wakeups that a CPU wrote between two instants.
fn sequence(events: &[Event], cpu: u16, from: u64, to: u64) -> Vec<(i32, i32, u32)> {
    let of_cpu = events.iter().filter(|event| event.cpu == cpu && (from..=to).contains(&event.ts_ns));
    of_cpu
        .filter_map(|event| match event.record {
            // A parent may reap an exiting thread (EXIT_ZOMBIE, EXIT_DEAD) between the two recorders' programs.
            Record::Switch(s) => Some((s.prev_tid, s.next_tid, s.prev_state & !0x30)),
            Record::Wakeup(w) => Some((w.tid, -1, w.cpu.into())),
            Record::WakeupNew(w) => Some((w.tid, -2, w.cpu.into())),
            _ => None,
        })
        .collect()
}

#[test]
fn a_box_has_the_events_of_a_recording_made_at_the_same_time() {
    let _alone = MACHINE.lock().unwrap_or_else(PoisonError::into_inner);
    let Some(watcher) = watch(r#"{"keep_ns": 1000000000}"#) else { return };
    let folder = tempfile::tempdir().unwrap();
    let (recorded, part) = (folder.path().join("r.part"), folder.path().join("b.part"));
    let mut recorder = EbpfRecorder::new(&recorded, Options::default());
    recorder.start().unwrap();
    let load = busy_machine();
    std::thread::sleep(Duration::from_millis(2000));
    let saved = watcher.save(&part, 200 * MS, "test").unwrap();
    drop(load);
    recorder.stop("duration").unwrap();
    let (of_box, of_recording) = (check_box(&part, &saved), events(&recorded).0);
    for cpu in 0..2 {
        let of_box = sequence(&of_box, cpu, saved.start_ns + MS, saved.end_ns - MS);
        let of_recording = sequence(&of_recording, cpu, saved.start_ns - 50 * MS, saved.end_ns + 50 * MS);
        println!("CPU {cpu}: {} events in the box, {} in the recording around it", of_box.len(), of_recording.len());
        assert!(of_box.len() > 200);
        let first = of_recording.windows(20).position(|window| window == &of_box[..20]).expect("the first events");
        let differs = of_box.iter().zip(&of_recording[first..]).position(|(a, b)| a != b);
        let around = |at: usize| (&of_box[at - 5..at + 5], &of_recording[first + at - 5..first + at + 5]);
        assert!(differs.is_none(), "CPU {cpu}: event {differs:?} differs: {:?}", differs.map(around));
        assert!(first + of_box.len() <= of_recording.len());
    }
}

#[test]
fn one_box_is_saved_at_a_time_and_stopping_ends_it() {
    let _alone = MACHINE.lock().unwrap_or_else(PoisonError::into_inner);
    let Some(watcher) = watch(r#"{"keep_ns": 300000000}"#) else { return };
    let folder = tempfile::tempdir().unwrap();
    let (first, second) = (folder.path().join("first.part"), folder.path().join("second.part"));
    std::thread::scope(|scope| {
        let saving = scope.spawn(|| watcher.save(&first, 60_000 * MS, "long"));
        let until = Instant::now() + Duration::from_secs(10);
        while !watcher.status().unwrap().black_box.unwrap().saving && Instant::now() < until {
            std::thread::sleep(Duration::from_millis(5));
        }
        std::thread::sleep(Duration::from_millis(200));
        let refused = watcher.save(&second, 0, "refused").unwrap_err().to_string();
        assert_eq!(refused, "a box is being saved: wait until it is written");
        assert!(!second.exists());
        let looks = watcher.status().unwrap().looks;
        std::thread::sleep(Duration::from_millis(200));
        assert!(watcher.status().unwrap().looks > looks, "the sentinel goes on");
        let asked = Instant::now();
        watcher.stop().unwrap();
        assert!(asked.elapsed() < Duration::from_secs(10));
        let saved = saving.join().unwrap().unwrap();
        assert!(saved.end_ns > saved.asked_ns && saved.end_ns < saved.asked_ns + 30_000 * MS, "{saved:?}");
        check_box(&first, &saved);
    });
    assert_eq!(watcher.save(&second, 0, "late").unwrap_err().to_string(), "the watcher does not run");
    assert_eq!(watcher.status().unwrap_err().to_string(), "the watcher does not run");
}

#[test]
fn a_folder_that_exists_is_refused_and_the_next_box_is_saved() {
    let _alone = MACHINE.lock().unwrap_or_else(PoisonError::into_inner);
    let Some(watcher) = watch(r#"{"keep_ns": 300000000}"#) else { return };
    let folder = tempfile::tempdir().unwrap();
    let error = watcher.save(folder.path(), 0, "exists").unwrap_err().to_string();
    assert!(error.contains(folder.path().to_str().unwrap()) && error.contains("File exists"), "{error}");
    assert!(folder.path().exists(), "what was there stays");
    let part = folder.path().join("next.part");
    let saved = watcher.save(&part, 0, "next").unwrap();
    check_box(&part, &saved);
}

/// Identifiers of the BPF programs and maps that the kernel has.
fn in_the_kernel() -> Vec<(&'static str, u32)> {
    let programs = libbpf_rs::query::ProgInfoIter::default().map(|program| ("program", program.id));
    let maps = libbpf_rs::query::MapInfoIter::default().map(|map| ("map", map.id));
    programs.chain(maps).collect()
}

#[test]
fn a_killed_watcher_leaves_nothing_in_the_kernel() {
    let _alone = MACHINE.lock().unwrap_or_else(PoisonError::into_inner);
    let program = std::env::current_exe().unwrap().parent().unwrap().join("../examples/watch");
    assert!(program.is_file(), "{} is missing; cargo build -p wastenot-ebpf --examples", program.display());
    for alive_ms in [0, 40, 500] {
        let before = in_the_kernel();
        let mut child = Command::new(&program).arg("60").stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let mut first = String::new();
        let mut output = std::io::BufReader::new(child.stdout.take().unwrap());
        std::io::BufRead::read_line(&mut output, &mut first).unwrap();
        if first.is_empty() {
            let message = std::io::read_to_string(child.stderr.take().unwrap()).unwrap();
            child.wait().unwrap();
            assert!(message.contains("run as root") || message.contains("CONFIG_DEBUG_INFO_BTF"), "{message}");
            return skip(format_args!("nothing can be recorded here: {message}"));
        }
        let of_child: Vec<_> = in_the_kernel().into_iter().filter(|id| !before.contains(id)).collect();
        assert!(of_child.len() > 10, "{of_child:?}");
        std::thread::sleep(Duration::from_millis(alive_ms));
        child.kill().unwrap(); // SIGKILL
        child.wait().unwrap();
        let until = Instant::now() + Duration::from_secs(20);
        let left = || in_the_kernel().into_iter().filter(|id| of_child.contains(id)).count();
        while left() > 0 && Instant::now() < until {
            std::thread::sleep(Duration::from_millis(20));
        }
        assert_eq!(left(), 0, "programs and maps of the killed process");
    }
}
