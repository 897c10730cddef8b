//! The real traces, against what babeltrace2 2.0.4 prints of them.

use crate::imported::{Imported, import, import_decoded};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::Command;
use wastenot_ctf::DecodeWith;
use wastenot_import::{ImportError, Options};

/// A trace: events as the tool counts them, copies with a stack, calls of the balance function, first and last of our events (ns).
struct Truth {
    name: &'static str,
    read: &'static [(&'static str, u64)],
    copies: u64,
    calls: usize,
    function: &'static str,
    span_ns: (i64, i64),
}

const TRUTHS: [Truth; 7] = [
    Truth {
        name: "guest-6.1/normal",
        read: &[
            ("cpu_idle", 1518),
            ("sched_migrate_task", 5778),
            ("sched_process_exec", 4),
            ("sched_process_exit", 56),
            ("sched_process_fork", 56),
            ("sched_stat_runtime", 16183),
            ("sched_switch", 14326),
            ("sched_wakeup", 7604),
            ("sched_wakeup_new", 112),
            ("sched_waking", 7605),
        ],
        copies: 2945,
        calls: 1204,
        function: "load_balance",
        span_ns: (28218768700, 37046959720),
    },
    Truth {
        name: "guest-6.1/pinned",
        read: &[
            ("cpu_idle", 1282),
            ("sched_migrate_task", 24),
            ("sched_process_exec", 4),
            ("sched_process_exit", 11),
            ("sched_process_fork", 11),
            ("sched_stat_runtime", 1370),
            ("sched_switch", 693),
            ("sched_wakeup", 171),
            ("sched_wakeup_new", 22),
            ("sched_waking", 171),
        ],
        copies: 23,
        calls: 1506,
        function: "load_balance",
        span_ns: (45776180920, 48356320000),
    },
    Truth {
        name: "guest-6.1/wasted",
        read: &[
            ("cpu_idle", 1596),
            ("sched_migrate_task", 28),
            ("sched_process_exec", 8),
            ("sched_process_exit", 14),
            ("sched_process_fork", 14),
            ("sched_stat_runtime", 1533),
            ("sched_switch", 794),
            ("sched_wakeup", 252),
            ("sched_wakeup_new", 28),
            ("sched_waking", 253),
        ],
        copies: 28,
        calls: 1096,
        function: "load_balance",
        span_ns: (69384073350, 72758264030),
    },
    Truth {
        name: "guest-6.1/hotplug",
        read: &[
            ("cpu_idle", 2284),
            ("sched_migrate_task", 226),
            ("sched_process_exec", 6),
            ("sched_process_exit", 18),
            ("sched_process_fork", 18),
            ("sched_stat_runtime", 15043),
            ("sched_switch", 1509),
            ("sched_wakeup", 640),
            ("sched_wakeup_new", 36),
            ("sched_waking", 619),
        ],
        copies: 131,
        calls: 1301,
        function: "load_balance",
        span_ns: (55771115410, 61472080000),
    },
    Truth {
        name: "guest-6.12/normal",
        read: &[
            ("cpu_idle", 1296),
            ("sched_migrate_task", 1184),
            ("sched_process_exec", 4),
            ("sched_process_exit", 56),
            ("sched_process_fork", 56),
            ("sched_stat_runtime", 4057),
            ("sched_switch", 2797),
            ("sched_wakeup", 1635),
            ("sched_wakeup_new", 112),
            ("sched_waking", 1635),
        ],
        copies: 648,
        calls: 838,
        function: "sched_balance_rq",
        span_ns: (26032219344, 29227208934), // begins with an account, 0.33 ms before the first switch
    },
    Truth {
        name: "guest-6.12/pinned",
        read: &[
            ("cpu_idle", 1677),
            ("sched_migrate_task", 26),
            ("sched_process_exec", 4),
            ("sched_process_exit", 11),
            ("sched_process_fork", 11),
            ("sched_stat_runtime", 1401),
            ("sched_switch", 758),
            ("sched_wakeup", 168),
            ("sched_wakeup_new", 22),
            ("sched_waking", 169),
        ],
        copies: 24,
        calls: 1856,
        function: "sched_balance_rq",
        span_ns: (38422633444, 40942948154),
    },
    Truth {
        name: "guest-6.12/hotplug",
        read: &[
            ("cpu_idle", 1158),
            ("sched_migrate_task", 162),
            ("sched_process_exec", 6),
            ("sched_process_exit", 19),
            ("sched_process_fork", 16),
            ("sched_stat_runtime", 3072),
            ("sched_switch", 1452),
            ("sched_wakeup", 567),
            ("sched_wakeup_new", 32),
            ("sched_waking", 568),
        ],
        copies: 97,
        calls: 737,
        function: "sched_balance_rq",
        span_ns: (48080249604, 52295667214),
    },
];

pub fn folder(name: &str) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../fixtures/traces").join(name);
    assert!(folder.is_dir(), "{} is missing", folder.display());
    folder
}

pub fn fixture(name: &str) -> Imported {
    import(&folder(name)).unwrap_or_else(|error| panic!("{error}"))
}

#[test]
fn every_event_is_read_and_every_copy_is_found() {
    for truth in &TRUTHS {
        let imported = fixture(truth.name);
        let counts = &imported.summary.counts;
        let read: Vec<_> = counts.read.iter().map(|(&name, &n)| (name, n)).collect();
        assert_eq!(read, truth.read, "{}", truth.name);
        assert_eq!((counts.duplicates, counts.garbled), (truth.copies, 0), "{}", truth.name);
        let of = |name| truth.read.iter().find(|(known, _)| *known == name).unwrap().1 as usize;
        let once = of("sched_migrate_task") + of("sched_wakeup_new") - truth.copies as usize;
        let wakeups = imported.count("sched_wakeup") - of("sched_wakeup");
        assert_eq!(imported.count("sched_migrate_task") + wakeups, once, "{}", truth.name);
        assert!(imported.summary.complete, "{:?}", imported.summary.notes);
    }
}

#[test]
fn stamps_are_those_of_the_monotonic_clock() {
    for truth in &TRUTHS {
        let summary = fixture(truth.name).summary;
        let off = (summary.start_ns - truth.span_ns.0).abs() + (summary.end_ns - truth.span_ns.1).abs();
        assert!(off < 100_000, "{}: {} {}", truth.name, summary.start_ns, summary.end_ns);
    }
}

#[test]
fn every_migration_has_the_stack_of_its_copy_and_it_begins_below_the_tracer() {
    for truth in &TRUTHS {
        let imported = fixture(truth.name);
        for (ts_ns, tid, symbols) in imported.migrations() {
            let at = format!("{} tid {tid} at {ts_ns}: {symbols:?}", truth.name);
            assert!(symbols[0].starts_with("set_task_cpu+"), "{at}");
        }
        assert_eq!(imported.summary.evidence_level, "L2");
        let rows = imported.count("stack");
        assert!(rows > 0 && rows < imported.count("sched_migrate_task"), "equal stacks are one row");
    }
}

#[test]
fn calls_of_the_balance_function_are_spans_of_its_cpu() {
    for truth in &TRUTHS {
        let attempts = fixture(truth.name).attempts();
        assert_eq!(attempts.len(), truth.calls, "{}", truth.name);
        assert!(attempts.iter().all(|(_, _, _, function)| function == truth.function), "{}", truth.name);
        assert!(attempts.windows(2).all(|pair| pair[0].0 <= pair[1].0));
    }
    let (ts_ns, cpu, dur_ns, _) = fixture("guest-6.1/wasted").attempts().swap_remove(0);
    assert_eq!((ts_ns, cpu, dur_ns), (69384073350, 6, 24210));
}

#[test]
fn the_trace_says_what_it_is() {
    let opened = wastenot_ctf::open(&folder("guest-6.1/wasted"), &Options::default()).unwrap();
    let about = opened.about;
    assert_eq!((about.source, about.recorder.as_str()), ("ctf", "lttng-modules 2.13.9"));
    assert_eq!((about.kernel.as_deref(), about.clock.as_str()), (Some("6.1.0-56-amd64"), "monotonic"));
    assert_eq!(about.epoch_ns, Some(1795178778663472285));
    assert!(wastenot_ctf::holds_trace(&folder("guest-6.1")) && !wastenot_ctf::holds_trace(&folder("two-cpus.part")));
}

#[test]
fn both_decoders_give_the_same_rows_and_notes() {
    for truth in &TRUTHS {
        let native = import_decoded(&folder(truth.name), DecodeWith::Native).unwrap();
        let library = match import_decoded(&folder(truth.name), DecodeWith::Library) {
            Err(error @ ImportError::Library { .. }) => return wastenot_skips::skip(error),
            other => other.unwrap(),
        };
        assert_eq!(native.summary.to_json(), library.summary.to_json(), "{}", truth.name);
        assert!(native.single_rows() == library.single_rows(), "{}: rows differ", truth.name);
    }
}

#[test]
fn the_tool_counts_the_same() {
    let folder = folder("guest-6.12/hotplug");
    let output = match Command::new("babeltrace2").arg(&folder).output() {
        Ok(output) => output,
        Err(error) => return wastenot_skips::skip(format_args!("babeltrace2 cannot be run: {error}")),
    };
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let mut counted = BTreeMap::<&str, u64>::new();
    for line in text.lines() {
        let name = line.split(": {").next().and_then(|head| head.split_whitespace().last()).unwrap();
        *counted.entry(name).or_default() += 1;
    }
    let counts = fixture("guest-6.12/hotplug").summary.counts;
    let ours: u64 = counts.read.values().sum();
    let calls = counted["lb_entry"] + counted["lb_exit"];
    assert_eq!(ours + counts.ignored + calls, counted.values().sum::<u64>());
    // LTTng puts the system before the kernel's name.
    let of_tool = |name: &str| counted.get(name).or_else(|| counted.get(&*format!("power_{name}"))).copied();
    assert!(counts.read.iter().all(|(name, n)| of_tool(name) == Some(*n)));
}
