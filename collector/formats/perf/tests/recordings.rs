//! Real recordings: of a guest with 8 CPUs in two nodes, and small ones of perf's features.

mod common;

use common::*;
use std::collections::BTreeMap;
use std::path::Path;
use wastenot_import::Options;

/// What `perf script` prints of an event that is a row here: CPU, time, event, content.
fn script(path: &Path) -> Option<Vec<(i16, i64, String, String)>> {
    let lines = perf_script(path, "cpu,time,event,trace")?;
    let parse = |line: &String| {
        let mut rest = line.trim_start();
        let mut word = || {
            let (word, left) = rest.trim_start().split_once(' ')?;
            rest = left;
            Some(word.to_owned())
        };
        let (cpu, time, event) = (word()?, word()?, word()?);
        let time: i64 = time.trim_end_matches(':').replace('.', "").parse().ok()?;
        let cpu = cpu.trim_matches(['[', ']']).parse().ok()?;
        Some((cpu, time, event.trim_end_matches(':').to_owned(), rest.trim().to_owned()))
    };
    Some(lines.iter().filter_map(parse).collect())
}

/// Counts, and times, CPUs and threads of switches and migrations are what perf script prints.
fn agrees_with_perf_script(path: &Path) {
    let trace = imported(path);
    trace.assert_in_order();
    let Some(script) = script(path) else { return };
    let mut counts: BTreeMap<&str, u64> = BTreeMap::new();
    for (_, _, event, _) in &script {
        *counts.entry(event.trim_start_matches("sched:")).or_default() += 1;
    }
    assert_eq!(trace.summary.counts.ignored, 0);
    for (name, count) in &counts {
        assert_eq!(trace.summary.counts.read.get(name), Some(count), "{name} in {}", path.display());
    }
    let number = |text: &str, field: &str| -> i32 {
        let (_, rest) = text.split_once(&format!("{field}=")).expect(field);
        rest.split_whitespace().next().and_then(|n| n.parse().ok()).expect(field)
    };
    let of = |name: &'static str| script.iter().filter(move |(_, _, event, _)| event == name);
    let mut switches: Vec<_> = of("sched:sched_switch")
        .map(|(cpu, time, _, text)| (*time, *cpu, number(text, "prev_pid"), number(text, "next_pid")))
        .collect();
    let mut ours = trace.switches();
    ours.sort_unstable();
    switches.sort_unstable();
    assert_eq!(ours, switches);
    let migrations: Vec<_> = of("sched:sched_migrate_task")
        .map(|(_, time, _, text)| (*time, number(text, "pid"), number(text, "dest_cpu")))
        .collect();
    let ours: Vec<_> = trace.migrations().iter().map(|&(time, tid, _, to, _)| (time, tid, i32::from(to))).collect();
    assert_eq!(ours, migrations);
}

#[test]
fn perf_record_with_call_chains_is_read_whole() {
    let path = guest("perf.data");
    let trace = imported(&path);
    // Threads' lives are in FORK, EXIT and COMM records here: their tracepoints were not recorded.
    let counts = [
        ("sched_migrate_task", 19),
        ("sched_process_exec", 1),
        ("sched_process_exit", 9),
        ("sched_process_fork", 9),
        ("sched_switch", 179),
        ("sched_wakeup_new", 8),
    ];
    assert_eq!(trace.counts(), counts);
    let summary = &trace.summary;
    assert!(summary.complete && summary.notes.len() == 1, "{:?}", summary.notes);
    assert!(summary.notes[0].starts_with("no wakeups are in the trace"));
    assert_eq!((summary.evidence_level.as_str(), summary.counts.garbled, summary.counts.ignored), ("L1", 0, 0));
    assert_eq!((trace.losses().len(), trace.forks().len(), trace.exits().len()), (0, 9, 9));
    agrees_with_perf_script(&path);
}

#[test]
fn perf_sched_record_is_read_whole() {
    let path = guest("perf-sched.data");
    let trace = imported(&path);
    let counts = [
        ("sched_migrate_task", 17),
        ("sched_process_exec", 1),
        ("sched_process_exit", 9),
        ("sched_process_fork", 8),
        ("sched_stat_runtime", 227),
        ("sched_switch", 248),
        ("sched_wakeup_new", 8),
        ("sched_waking", 117),
    ];
    assert_eq!((trace.counts(), trace.summary.counts.ignored), (counts.to_vec(), 0));
    agrees_with_perf_script(&path);
}

#[test]
fn migrations_have_their_stacks_by_the_kallsyms_beside_the_file_without_the_tracers_frames() {
    let trace = imported(&guest("perf.data"));
    let stacks = trace.stacks();
    let migrations = trace.migrations();
    assert!(migrations.iter().all(|(.., stack)| stack.is_some_and(|id| stacks.contains_key(&id))), "{migrations:?}");
    let function = |frame: &String| frame.split('+').next().unwrap_or_default().to_owned();
    assert!(stacks.values().flatten().all(|frame| !frame.starts_with("0x")), "{stacks:?}");
    let moves: Vec<_> = migrations.iter().filter_map(|(.., stack)| stacks.get(&(*stack)?)).collect();
    for frames in &moves {
        let functions: Vec<String> = frames.iter().map(function).collect();
        assert_eq!(functions[0], "set_task_cpu", "{functions:?}");
    }
    // Every way by which a thread came to another CPU here.
    let mut ways: Vec<String> = moves.iter().map(|frames| function(&frames[1])).collect();
    ways.sort_unstable();
    ways.dedup();
    assert_eq!(ways, WAYS);
}

/// By a pull, by the stopper (affinity changed), by a wakeup.
const WAYS: [&str; 3] = ["load_balance", "move_queued_task", "try_to_wake_up"];

#[test]
fn symbols_of_another_boot_are_not_used() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("symbols");
    std::fs::write(&file, "ffffffff81000000 T _text\nffffffff81000100 T set_task_cpu\nffffffffa0000000 T last\n")
        .expect("written");
    let options = Options { kallsyms: Some(file), ..Options::default() };
    let trace = import(&guest("perf.data"), &options).unwrap_or_else(|e| panic!("{e}"));
    assert!(trace.summary.notes.iter().any(|note| note.contains("another boot")), "{:?}", trace.summary.notes);
    assert!(trace.stacks().values().flatten().all(|frame| frame.starts_with("0x")));
}

#[test]
fn names_and_processes_of_threads_that_were_there_before_are_known() {
    let trace = imported(&guest("perf-sched.data"));
    let first = trace.summary.start_ns;
    let names = trace.names();
    for expected in [(2, 2, "kthreadd"), (17, 17, "migration/0")] {
        let (tid, tgid, name) = expected;
        assert!(names.contains(&(first, tid, Some(tgid), name.into())), "{expected:?}");
    }
    // FORK records have the process of a child, sched_process_fork does not: the hog made 8 processes of one thread.
    let forks = trace.forks();
    assert_eq!(forks.len(), 8);
    assert!(forks.iter().all(|&(_, _, parent, child, tgid)| parent == 472 && tgid == Some(child)), "{forks:?}");
}

#[test]
fn the_guests_machine_is_read_with_its_nodes_caches_and_domains() {
    let opened = wastenot_perf::open(&guest("perf.data"), &Options::default()).unwrap_or_else(|e| panic!("{e}"));
    let about = opened.about;
    assert_eq!((about.source, about.recorder.as_str(), about.clock.as_str()), ("perf", "perf 6.1.192", "perf"));
    assert_eq!((about.kernel.as_deref(), about.arch.as_deref()), (Some("6.1.0-56-amd64"), Some("x86_64")));
    assert_eq!((about.cpus, about.epoch_ns), (Some(8), None));
    assert!(about.command.is_some_and(|command| command.starts_with("/usr/bin/perf record -q -o")));
    let machine = about.machine.expect("a machine");
    let domains: Vec<_> = machine.domains.iter().map(|d| (d.name.as_str(), d.span.to_string())).collect();
    assert_eq!(domains, [("MC", "0-3".into()), ("MC", "4-7".into()), ("NUMA", "0-7".to_owned())]);
    let places: Vec<_> = machine.cpus.iter().map(|c| (c.node, c.package, c.llc, c.core, c.smt)).collect();
    let place = |cpu: u32| (Some(cpu / 4), Some(cpu as i32 / 4), Some(cpu / 4 * 4), Some(cpu), 0);
    assert_eq!(places, (0..8).map(place).collect::<Vec<_>>());
}

#[test]
fn isolated_cpus_are_not_known_from_a_machine_that_perf_describes() {
    let trace = imported(&guest("perf.data"));
    let batch = &trace.tables["evidence"][0];
    let view = wastenot_schemas::evidence::View::try_new(batch).expect("columns as declared");
    assert!(!wastenot_schemas::RecordedEvidence::from_views(&[view]).shows(wastenot_schemas::Excuse::Isolated));
}

#[test]
fn a_pipe_is_read_like_a_file() {
    let path = recording("pipe.data");
    let trace = imported(&path);
    let counts = [
        ("sched_migrate_task", 7),
        ("sched_process_exec", 1),
        ("sched_process_exit", 41),
        ("sched_process_fork", 40),
        ("sched_switch", 570),
        ("sched_waking", 449),
    ];
    assert_eq!((trace.counts(), trace.summary.complete), (counts.to_vec(), true));
    agrees_with_perf_script(&path);
    let about = wastenot_perf::open(&path, &Options::default()).unwrap_or_else(|e| panic!("{e}")).about;
    assert_eq!(
        (about.recorder.as_str(), about.kernel.as_deref(), about.cpus),
        ("perf 6.1.187", Some("6.18.44"), Some(2))
    );
    assert!(about.machine.is_some());
}

#[test]
fn compressed_records_are_inflated() {
    let path = recording("zstd.data");
    let trace = imported(&path);
    let counts = [
        ("sched_migrate_task", 10),
        ("sched_process_exec", 1),
        ("sched_process_exit", 41),
        ("sched_process_fork", 40),
        ("sched_switch", 671),
        ("sched_waking", 479),
    ];
    assert_eq!((trace.counts(), trace.summary.complete), (counts.to_vec(), true));
    assert!(trace.migrations().iter().all(|(.., stack)| stack.is_some()), "they have call chains");
    let about = wastenot_perf::open(&path, &Options::default()).unwrap_or_else(|e| panic!("{e}")).about;
    assert_eq!(about.clock, "monotonic");
    assert!(about.epoch_ns.is_some_and(|ns| ns > 1_700_000_000_000_000_000));
    agrees_with_perf_script(&path);
}

#[test]
fn losses_are_spans_of_their_cpu() {
    let path = recording("lost.data");
    let trace = imported(&path);
    let losses = trace.losses();
    let counted: Vec<_> = losses.iter().map(|&(_, end, cpu, count)| (end, cpu, count)).collect();
    let expected = [
        (3_647_522_389_020, Some(0), Some(80)),
        (3_647_522_399_454, Some(1), Some(73)),
        (3_647_524_032_790, Some(0), Some(2)),
    ];
    assert_eq!(counted, expected);
    let switches = trace.switches();
    for (begin, end, cpu, _) in losses {
        let inside =
            switches.iter().filter(|(time, of, ..)| Some(*of) == cpu && (begin + 1..end).contains(time)).count();
        assert!(begin < end && inside <= 1, "nothing of CPU {cpu:?} between {begin} and {end} but what made space");
    }
    agrees_with_perf_script(&path);
}

#[test]
fn a_recording_of_single_threads_is_refused() {
    let Err(error) = import(&recording("thread.data"), &Options::default()) else { panic!("imported") };
    assert!(
        error.to_string().contains("only some threads were recorded") && error.to_string().contains("perf record -a")
    );
}
