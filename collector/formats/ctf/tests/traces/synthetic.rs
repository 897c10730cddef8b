//! Traces written for one question each.

use crate::ctf::{Channel, ENTRY, EXIT, Endian, MIGRATE, Payload, STACK, SWITCH, TID, Trace, WAKEUP, WAKING};
use crate::imported::{Imported, import, import_decoded, refused};
use std::fs;
use std::path::Path;
use tempfile::TempDir;
use wastenot_ctf::DecodeWith;
use wastenot_import::ImportError;
use wastenot_schemas::{self as tables, task_state};

const MS: u64 = 1_000_000;
const ADDRESS: u64 = 0xffff_ffff_8100_0010;

/// `c1` with the scheduler's events, `cm` with migrations and stacks, `cs` with calls.
fn channels() -> Vec<Channel> {
    vec![
        Channel { name: "c1", context: TID, events: vec![SWITCH, WAKING, WAKEUP, MIGRATE] },
        Channel { name: "cm", context: STACK, events: vec![MIGRATE] },
        Channel { name: "cs", context: "", events: vec![ENTRY, EXIT] },
    ]
}

struct Drawn {
    dir: TempDir,
    trace: Trace,
    endian: Endian,
}

impl Drawn {
    fn new() -> Self {
        Self::with(Endian::Little)
    }

    fn with(endian: Endian) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let trace = Trace::create(&dir.path().join("kernel"), endian, channels()).unwrap();
        Self { dir, trace, endian }
    }

    fn payload(&self) -> Payload {
        Payload::new(self.endian)
    }

    fn switch(&mut self, ts: u64, cpu: u32, prev: i32, state: i64, next: i32) {
        let comm = |tid: i32| if tid == 0 { "swapper".to_owned() } else { format!("t{tid}") };
        let fields = self.payload().text(&comm(prev)).int(prev).int(20).long(state).text(&comm(next)).int(next).int(20);
        let context = self.payload().int(prev).bytes;
        self.trace.event(0, cpu, ts, "sched_switch", &context, &fields.bytes).unwrap();
    }

    /// A migration of thread 7 from CPU 0 to 1, in channel 0 or, with a stack, in channel 1.
    fn migrate(&mut self, ts: u64, channel: usize, stack: &[u64]) {
        let fields = self.payload().text("t7").int(7).int(20).int(0).int(1);
        let context = if channel == 0 { self.payload().int(0).bytes } else { self.payload().stack(stack).bytes };
        self.trace.event(channel, 0, ts, "sched_migrate_task", &context, &fields.bytes).unwrap();
    }

    fn call(&mut self, ts: u64, event: &str) {
        let fields = self.payload().long(ADDRESS as i64).long(0);
        self.trace.event(2, 0, ts, event, &[], &fields.bytes).unwrap();
    }

    fn import(self) -> Imported {
        let (_dir, imported) = self.keep();
        imported
    }

    fn keep(self) -> (TempDir, Imported) {
        self.trace.finish().unwrap();
        let imported = import(self.dir.path()).unwrap_or_else(|error| panic!("{error}"));
        (self.dir, imported)
    }
}

fn symbols(imported: &Imported) -> Vec<(i64, Vec<String>)> {
    imported.migrations().into_iter().map(|(ts_ns, _, symbols)| (ts_ns, symbols)).collect()
}

#[test]
fn both_byte_orders_are_read() {
    for endian in [Endian::Little, Endian::Big] {
        let mut drawn = Drawn::with(endian);
        drawn.switch(5 * MS, 1, 0, 0, 7);
        drawn.switch(300 * MS, 1, 7, 1, 0);
        drawn.switch(301 * MS, 3, 0, 0, -2);
        let imported = drawn.import();
        let expected = [(5_000_000, 1, 0, task_state::R, 7), (300_000_000, 1, 7, task_state::S, 0)];
        assert_eq!(imported.switches(), expected, "{endian:?}");
        assert_eq!(imported.summary.counts.garbled, 1);
    }
}

#[test]
fn states_are_read_as_the_kernel_and_the_version_of_lttng_wrote_them() {
    use task_state::{D, I, K, P, R, R_PREEMPTED as PREEMPTED, S, UNKNOWN, X, Z};
    // Idle kernel threads, preempted threads, threads that end; and numbers of other releases.
    for (release, version, states) in [
        ("3.2.0-4-amd64", (2, 0), vec![(512, PREEMPTED), (130, D), (64, X), (1024, UNKNOWN), (16, Z)]),
        ("3.10.104", (2, 5), vec![(1024, PREEMPTED), (512, P), (130, D), (64, X), (2048, UNKNOWN)]),
        (
            "4.4.0-21-generic",
            (2, 8),
            vec![(1026, I), (2048, PREEMPTED), (512, P), (64, X), (1024 | 1, S), (4096, UNKNOWN)],
        ),
        ("4.13.0-16-generic", (2, 9), vec![(1026, I), (4096, PREEMPTED), (128, K), (2048, UNKNOWN)]),
        ("4.15.0-20-generic", (2, 10), vec![(1026, I), (4096, PREEMPTED), (128, X), (64, P), (258, D)]),
        ("4.15.0-20-generic", (2, 12), vec![(128, I), (256, PREEMPTED), (64, P), (16, X), (1026, UNKNOWN)]),
        ("6.12.63", (2, 14), vec![(128, I), (256, PREEMPTED), (64, P), (32, Z), (512, UNKNOWN)]),
    ] {
        let dir = tempfile::tempdir().unwrap();
        let trace = Trace::written_by(version, dir.path(), Endian::Little, channels(), 7, "kernel", release).unwrap();
        let mut drawn = Drawn { dir, trace, endian: Endian::Little };
        for (n, (raw, _)) in [(0, R), (1, S), (2, D)].iter().chain(&states).enumerate() {
            drawn.switch((n as u64 + 1) * MS, 0, 7 + n as i32, *raw, 8 + n as i32);
        }
        let imported = drawn.import();
        let codes: Vec<u8> = imported.switches().iter().map(|switch| switch.3).collect();
        let expected: Vec<u8> = [R, S, D].into_iter().chain(states.iter().map(|(_, code)| *code)).collect();
        assert_eq!(codes, expected, "{release}, {version:?}");
        let refused = imported.summary.notes.iter().any(|note| note.contains("does not write"));
        assert_eq!(refused, codes.contains(&UNKNOWN), "{:?}", imported.summary.notes);
        assert_eq!(imported.summary.unverified, Vec::<String>::new());
    }
}

#[test]
fn a_tracer_or_a_release_that_was_not_verified_is_named() {
    for (release, version, tracer, expected) in [
        ("4.4.0", (2, 8), "barectf", "barectf 2.8.9, whose fields were not verified"),
        (
            "4.4.0",
            (3, 1),
            "lttng-modules",
            "Linux 4.4 under LTTng-modules 3.1: states of threads are read by a rule of thumb",
        ),
        ("3.10.0-514.el7.x86_64", (2, 8), "lttng-modules", "kernels of this release differ in their states"),
        ("9.1.0", (2, 15), "lttng-modules", "states were verified up to Linux"),
    ] {
        let dir = tempfile::tempdir().unwrap();
        let trace = Trace::written_by(version, dir.path(), Endian::Little, channels(), 7, "kernel", release).unwrap();
        let mut drawn = Drawn { dir, trace, endian: Endian::Little };
        [0, 1, 1026, 2048].into_iter().for_each(|raw| drawn.switch(MS, 0, 7, raw, 8));
        let (dir, _) = drawn.keep();
        let metadata = fs::read_to_string(dir.path().join("metadata")).unwrap();
        let tracer = format!("tracer_name = \"{tracer}\"");
        fs::write(dir.path().join("metadata"), metadata.replace("tracer_name = \"lttng-modules\"", &tracer)).unwrap();
        let imported = import(dir.path()).unwrap();
        let (statements, codes) = (imported.summary.unverified.join("; "), imported.switches());
        assert!(statements.contains(expected), "{statements}");
        let codes: Vec<u8> = codes.iter().map(|switch| switch.3).collect();
        assert_eq!(
            codes,
            [task_state::R, task_state::S, task_state::I, task_state::R_PREEMPTED],
            "{release} {version:?}"
        );
    }
}

#[test]
fn states_of_32_bit_kernels_and_priorities_are_the_kernels() {
    let (name, fields) = SWITCH;
    let fields: &'static str = Box::leak(fields.replace("$long _prev_state", "$int _prev_state").into_boxed_str());
    for endian in [Endian::Little, Endian::Big] {
        let dir = tempfile::tempdir().unwrap();
        let channel = Channel { name: "c1", context: "", events: vec![(name, fields)] };
        let mut trace =
            Trace::written_by((2, 8), dir.path(), endian, vec![channel], 7, "kernel", "4.4.0-21-generic").unwrap();
        let payload = trace.payload().text("t7").int(7).int(20).int(2048).text("t8").int(8).int(-50);
        trace.event(0, 0, MS, name, &[], &payload.bytes).unwrap();
        trace.finish().unwrap();
        let imported = import(dir.path()).unwrap();
        assert_eq!(imported.switches()[0].3, task_state::R_PREEMPTED, "{endian:?}");
        let prios = imported.rows("sched_switch", |batch| {
            let view = wastenot_schemas::sched_switch::View::try_new(batch).unwrap();
            (0..view.len()).map(|n| (view.row(n).prev_prio, view.row(n).next_prio)).collect()
        });
        assert_eq!(prios, [(Some(120), Some(50))], "LTTng writes 100 less");
    }
}

#[test]
fn prev_state_may_be_an_enumeration_or_a_text() {
    let long = crate::ctf::LONG;
    let labelled =
        format!("enum : {long} {{ TASK_RUNNING = 0, TASK_INTERRUPTIBLE = 1, TASK_STOPPED = 4 }} _prev_state;");
    let (name, fields) = SWITCH;
    let labelled: &'static str = Box::leak(fields.replace("$long _prev_state;", &labelled).into_boxed_str());
    let text: &'static str = Box::leak(fields.replace("$long _prev_state;", "$text _prev_state[16];").into_boxed_str());
    for (fields, raw) in [(labelled, None), (text, Some("S"))] {
        let dir = tempfile::tempdir().unwrap();
        let channel = Channel { name: "c1", context: "", events: vec![(name, fields)] };
        let mut trace = Trace::create(dir.path(), Endian::Little, vec![channel]).unwrap();
        let payload = trace.payload().text("t7").int(7).int(20);
        let payload = if let Some(raw) = raw { payload.text(raw) } else { payload.long(1) };
        let payload = payload.text("swapper/0").int(0).int(20);
        trace.event(0, 0, MS, name, &[], &payload.bytes).unwrap();
        trace.finish().unwrap();
        assert_eq!(import(dir.path()).unwrap().switches()[0].3, task_state::S);
    }
}

#[test]
fn a_copy_gives_its_stack_to_the_first_however_late() {
    let mut drawn = Drawn::new();
    drawn.migrate(10 * MS, 0, &[]);
    drawn.switch(11 * MS, 0, 0, 0, 7);
    drawn.migrate(400 * MS, 1, &[ADDRESS]);
    drawn.switch(500 * MS, 0, 7, 1, 0);
    let imported = drawn.import();
    assert_eq!(symbols(&imported), [(10_000_000, vec![format!("{ADDRESS:#x}")])]);
    assert_eq!(imported.summary.counts.duplicates, 1);
    assert_eq!(imported.summary.counts.read["sched_migrate_task"], 2);
    assert_eq!(imported.summary.evidence_level, "L1");
}

#[test]
fn the_copy_with_the_stack_may_come_first() {
    let mut drawn = Drawn::new();
    drawn.migrate(10 * MS, 1, &[ADDRESS]);
    drawn.migrate(11 * MS, 0, &[]);
    let imported = drawn.import();
    assert_eq!(symbols(&imported), [(10_000_000, vec![format!("{ADDRESS:#x}")])]);
    assert_eq!(imported.summary.counts.duplicates, 1);
}

#[test]
fn the_same_twice_in_one_channel_is_two_events() {
    let mut drawn = Drawn::new();
    for n in 0..3 {
        drawn.migrate((10 + n) * MS, 0, &[]);
    }
    for n in 0..3 {
        drawn.migrate((200 + n) * MS, 1, &[ADDRESS + n]);
    }
    let imported = drawn.import();
    let expected: Vec<_> = (0..3).map(|n| ((10 + n) as i64 * MS as i64, vec![format!("{:#x}", ADDRESS + n)])).collect();
    assert_eq!(symbols(&imported), expected, "in order of occurrence");
    assert_eq!(imported.summary.counts.duplicates, 3);
}

#[test]
fn a_missing_stack_is_not_evidence() {
    let mut drawn = Drawn::new();
    drawn.migrate(10 * MS, 0, &[]);
    for n in 0..100 {
        drawn.switch((20 + 100 * n) * MS, 0, 7, 0, 8);
    }
    // Another thread's stack, much later.
    let imported = drawn.import();
    assert_eq!(symbols(&imported), [(10_000_000, vec![])]);
    assert_eq!((imported.count("stack"), imported.summary.evidence_level.as_str()), (0, "L0"));
    assert_eq!(imported.summary.counts.duplicates, 0);
}

#[test]
fn rows_stay_in_order_while_one_waits() {
    let mut drawn = Drawn::new();
    for n in 0..2000 {
        let ts = (1 + 2 * n) * MS;
        match n % 7 {
            0 => drawn.migrate(ts, 0, &[]),
            3 => drawn.call(ts, "lb_entry"),
            5 => drawn.call(ts, "lb_exit"),
            _ => drawn.switch(ts, 0, 7, 0, 8),
        }
        if n % 21 == 20 {
            drawn.migrate(ts + 1, 1, &[ADDRESS]); // one copy for three
        }
    }
    let imported = drawn.import();
    let mut rows: Vec<(i64, i64)> = Vec::new();
    for table in ["sched_switch", "sched_migrate_task", "balance_attempt"] {
        rows.extend(imported.rows(table, |batch| {
            let column = |n: usize| batch.column(n).as_any().downcast_ref::<arrow_array::Int64Array>().unwrap().clone();
            let (ids, stamps) = (column(0), column(1));
            (0..batch.num_rows()).map(|n| (ids.value(n), stamps.value(n))).collect()
        }));
    }
    rows.sort_unstable();
    assert!(rows.len() > 1500 && rows.windows(2).all(|pair| pair[0].1 <= pair[1].1));
    assert!(!imported.summary.notes.iter().any(|note| note.contains("stepped back")), "{:?}", imported.summary);
    assert_eq!(imported.summary.evidence_level, "L2");
}

#[test]
fn a_loss_is_a_range_of_its_cpu() {
    let mut drawn = Drawn::new();
    drawn.switch(MS, 2, 0, 0, 7);
    drawn.trace.end_packet(0, 2, 2 * MS).unwrap();
    drawn.switch(3 * MS, 2, 7, 1, 0);
    drawn.trace.lose(0, 2, 4 * MS, 17).unwrap();
    drawn.switch(5 * MS, 2, 0, 0, 7);
    let imported = drawn.import();
    assert_eq!(imported.losses(), [(2_000_000, 4_000_000, Some(2), Some(17))]);
    assert_eq!(imported.switches().len(), 3);
}

#[test]
fn a_lost_packet_is_a_range_too() {
    let mut drawn = Drawn::new();
    for n in 0..3 {
        drawn.switch((1 + 2 * n) * MS, 2, 0, 0, 7);
        drawn.trace.end_packet(0, 2, (2 + 2 * n) * MS).unwrap();
    }
    let (dir, _) = drawn.keep();
    // The second of three packets of 4096 bytes is gone, and the index with it.
    let file = dir.path().join("kernel/c1_2");
    let mut bytes = fs::read(&file).unwrap();
    bytes.drain(4096..8192);
    fs::write(&file, bytes).unwrap();
    fs::remove_dir_all(dir.path().join("kernel/index")).unwrap();
    let imported = import(dir.path()).unwrap();
    assert_eq!(imported.losses(), [(2_000_000, 4_000_000, Some(2), None)]);
}

#[test]
fn losses_of_a_channel_of_copies_leave_no_gap() {
    let mut drawn = Drawn::new();
    drawn.switch(MS, 0, 0, 0, 7);
    drawn.migrate(2 * MS, 0, &[]);
    drawn.migrate(3 * MS, 1, &[ADDRESS]);
    drawn.trace.end_packet(1, 0, 4 * MS).unwrap();
    drawn.migrate(5 * MS, 0, &[]);
    drawn.trace.lose(1, 0, 6 * MS, 1).unwrap();
    let imported = drawn.import();
    assert_eq!(imported.losses(), []);
    assert_eq!(imported.migrations().len(), 2);
    assert!(imported.summary.notes.iter().any(|note| note.contains("were lost")));
}

#[test]
fn calls_are_recognised_by_their_symbol() {
    for (kallsyms, expected) in
        [(None, vec!["lb"]), (Some("load_balance"), vec!["load_balance"]), (Some("do_exit"), vec![])]
    {
        let mut drawn = Drawn::new();
        drawn.switch(MS, 0, 0, 0, 7);
        drawn.call(2 * MS, "lb_exit");
        drawn.call(3 * MS, "lb_entry");
        drawn.call(4 * MS, "lb_exit");
        drawn.call(5 * MS, "lb_entry");
        if let Some(name) = kallsyms {
            let text = format!("ffffffff81000000 t {name}\nffffffff81001000 t other\n");
            fs::write(drawn.dir.path().join("kallsyms"), text).unwrap();
        }
        let imported = drawn.import();
        let functions: Vec<String> = imported.attempts().into_iter().map(|attempt| attempt.3).collect();
        assert_eq!(functions, expected);
        assert_eq!(imported.summary.evidence_level, if expected.is_empty() { "L0" } else { "L2" });
    }
}

#[test]
fn interrupts_are_spans_of_an_idle_cpu() {
    let dir = tempfile::tempdir().unwrap();
    let softirq = [("irq_softirq_entry", "$uint _vec;"), ("irq_softirq_exit", "$uint _vec;")];
    let irq = [("irq_handler_entry", "$int _irq; $text _name[16];"), ("irq_handler_exit", "$int _irq; $int _ret;")];
    let channel = Channel { name: "c1", context: TID, events: [&softirq[..], &irq[..]].concat() };
    let mut trace = Trace::create(dir.path(), Endian::Little, vec![channel]).unwrap();
    for (ts, event, fields) in [(1000, "irq_softirq_entry", 4), (41_000, "irq_softirq_exit", 4)] {
        trace.event(0, 3, ts, event, &[0; 4], &[fields, 0, 0, 0]).unwrap();
    }
    trace.event(0, 3, 50_000, "irq_handler_entry", &[0; 4], &[7; 20]).unwrap();
    trace.event(0, 3, 51_000, "irq_handler_exit", &[0; 4], &[7; 8]).unwrap();
    trace.finish().unwrap();
    let imported = import(dir.path()).unwrap();
    assert_eq!(imported.count("irq_span"), 1, "of 40 us; the other is too short");
    let read: Vec<_> = imported.summary.counts.read.keys().copied().collect();
    assert_eq!(read, ["irq_handler_entry", "irq_handler_exit", "softirq_entry", "softirq_exit"]);
}

#[test]
fn idle_states_and_frequencies_are_those_of_the_cpu_that_is_meant() {
    for endian in [Endian::Little, Endian::Big] {
        let dir = tempfile::tempdir().unwrap();
        let fields = "$uint _state; $uint _cpu_id;";
        let events = vec![("power_cpu_idle", fields), ("power_cpu_frequency", fields)];
        let channel = Channel { name: "c1", context: TID, events };
        let mut trace = Trace::create(dir.path(), endian, vec![channel]).unwrap();
        for (ts, event, state, cpu) in [
            (1000, "power_cpu_idle", 3, 2),
            (2000, "power_cpu_idle", -1, 2), // 4294967295
            (3000, "power_cpu_frequency", 2_400_000, 1),
            (4000, "power_cpu_frequency", 2_400_000, -1),
        ] {
            trace.event(0, 2, ts, event, &[0; 4], &Payload::new(endian).int(state).int(cpu).bytes).unwrap();
        }
        trace.finish().unwrap();
        let imported = import(dir.path()).unwrap();
        let idle = imported.rows("cpu_idle", |batch| {
            let view = tables::cpu_idle::View::try_new(batch).unwrap();
            (0..view.len()).map(|n| (view.row(n).cpu, view.row(n).state)).collect()
        });
        assert_eq!(idle, [(2, Some(3)), (2, None)]);
        let frequencies = imported.rows("cpu_frequency", |batch| {
            let view = tables::cpu_frequency::View::try_new(batch).unwrap();
            (0..view.len()).map(|n| (view.row(n).cpu, view.row(n).khz)).collect()
        });
        assert_eq!((frequencies, imported.summary.counts.garbled), (vec![(1, 2_400_000)], 1));
    }
}

#[test]
fn parts_of_a_rotated_session_are_one_trace() {
    let dir = tempfile::tempdir().unwrap();
    for part in 0..3 {
        let folder = dir.path().join(format!("archives/part-{part}/kernel"));
        let mut trace = Trace::create(&folder, Endian::Little, channels()).unwrap();
        let payload = trace.payload().text("swapper/0").int(0).int(20).long(0).text("t7").int(7 + part).int(20);
        trace.event(0, 0, (1 + part as u64) * MS, "sched_switch", &[0; 4], &payload.bytes).unwrap();
        trace.finish().unwrap();
    }
    let tids: Vec<i32> = import(dir.path()).unwrap().switches().iter().map(|switch| switch.4).collect();
    assert_eq!(tids, [7, 8, 9]);
}

#[test]
fn names_of_the_first_lttng_2_releases() {
    let switch = (
        "sched_switch",
        "$text prev_comm[16]; $int prev_tid; $int prev_prio; $long prev_state; $text next_comm[16]; $int next_tid; $int next_prio;",
    );
    let wakeup = ("sched_wakeup", "$text comm[16]; $int tid; $int prio; $int success; $int target_cpu;");
    let dir = tempfile::tempdir().unwrap();
    let channel = Channel { name: "channel0", context: "", events: vec![switch, wakeup] };
    let mut trace = Trace::with(dir.path(), Endian::Little, vec![channel], 7, "kernel", "3.2.0-4-amd64").unwrap();
    let payload = trace.payload().text("t7").int(7).int(120).int(1).int(3);
    trace.event(0, 0, MS, "sched_wakeup", &[], &payload.bytes).unwrap();
    let payload = trace.payload().text("t7").int(7).int(120).long(16).text("swapper/0").int(0).int(120);
    trace.event(0, 0, 2 * MS, "sched_switch", &[], &payload.bytes).unwrap();
    trace.finish().unwrap();
    // Before 2.9 a packet did not have the number of its stream.
    let metadata = fs::read_to_string(dir.path().join("metadata")).unwrap();
    let old = metadata.replace("\t\tuint64_t stream_instance_id;\n", "");
    assert_ne!(old, metadata);
    fs::write(dir.path().join("metadata"), old).unwrap();
    let file = dir.path().join("channel0_0");
    let mut bytes = fs::read(&file).unwrap();
    bytes.drain(24..32);
    let content = u64::from_le_bytes(bytes[40..48].try_into().unwrap()) - 64;
    bytes[40..48].copy_from_slice(&content.to_le_bytes());
    bytes.resize(4096, 0);
    fs::write(&file, bytes).unwrap();
    fs::remove_dir_all(dir.path().join("index")).unwrap();
    let imported = import(dir.path()).unwrap();
    assert_eq!(imported.count("sched_wakeup"), 1);
    assert_eq!(imported.switches(), [(2_000_000, 0, 7, task_state::Z, 0)], "16 was Z before 4.14");
}

#[test]
fn metadata_with_something_unknown_are_left_to_the_library_with_a_note() {
    let mut drawn = Drawn::new();
    drawn.switch(MS, 0, 0, 0, 7);
    let (dir, imported) = drawn.keep();
    assert!(!imported.summary.notes.iter().any(|note| note.contains("libbabeltrace2")), "{:?}", imported.summary.notes);
    let file = dir.path().join("kernel/metadata");
    let metadata = fs::read_to_string(&file).unwrap();
    // The library warns of an attribute that it does not know.
    fs::write(&file, metadata.replace("freq = 1000000000;", "freq = 1000000000; colour = 1;")).unwrap();
    let error = import_decoded(dir.path(), DecodeWith::Native).map(drop).unwrap_err().to_string();
    assert!(error.contains("unknown entry `colour` of clock"), "{error}");
    let imported = match import(dir.path()) {
        Err(error @ ImportError::Library { .. }) => return wastenot_skips::skip(error),
        other => other.unwrap(),
    };
    assert_eq!(imported.switches().len(), 1);
    let note = imported.summary.notes.iter().find(|note| note.starts_with("decoded by libbabeltrace2"));
    assert!(note.is_some_and(|note| note.contains("unknown entry `colour` of clock")), "{:?}", imported.summary.notes);
}

#[test]
fn foreign_files_beside_the_streams_do_no_harm() {
    let mut drawn = Drawn::new();
    drawn.switch(MS, 0, 0, 0, 7);
    let folder = drawn.dir.path().join("kernel");
    fs::write(folder.join("notes.txt"), "not a stream").unwrap();
    fs::write(folder.join("empty_0"), "").unwrap();
    fs::write(drawn.dir.path().join("metadata"), "of something else").unwrap();
    let imported = drawn.import();
    assert_eq!((imported.switches().len(), imported.summary.complete), (1, true));
}

#[test]
fn traces_without_scheduler_events_are_refused_in_one_line() {
    let dir = tempfile::tempdir().unwrap();
    assert!(refused(dir.path()).contains("no CTF metadata"));

    let ust = Channel { name: "u", context: "", events: vec![("app:work", "$int _n;")] };
    let mut trace = Trace::with(&dir.path().join("ust"), Endian::Little, vec![ust], 9, "ust", "wall").unwrap();
    trace.event(0, 0, MS, "app:work", &[], &[0; 4]).unwrap();
    trace.finish().unwrap();
    assert!(refused(dir.path()).contains("no scheduler events"), "{}", refused(dir.path()));

    let mut trace = Trace::create(&dir.path().join("kernel"), Endian::Little, channels()).unwrap();
    let payload = trace.payload().text("swapper/0").int(0).int(20).long(0).text("t7").int(7).int(20);
    trace.event(0, 0, MS, "sched_switch", &[0; 4], &payload.bytes).unwrap();
    trace.finish().unwrap();
    let imported = import(dir.path()).unwrap();
    assert_eq!(imported.switches().len(), 1);
    assert!(imported.summary.notes.iter().any(|note| note.contains("1 traces without")));

    let empty = tempfile::tempdir().unwrap();
    Trace::create(empty.path(), Endian::Little, channels()).unwrap().finish().unwrap();
    assert!(refused(empty.path()).contains("no scheduler events"));
}

#[test]
fn traces_of_two_machines_are_not_mixed() {
    let dir = tempfile::tempdir().unwrap();
    for (seed, boot) in [(1, "b839f3b4"), (2, "c839f3b4")] {
        let folder = dir.path().join(format!("host{seed}"));
        let mut trace = Trace::with(&folder, Endian::Little, channels(), seed, "kernel", "wall").unwrap();
        let payload = trace.payload().text("swapper/0").int(0).int(20).long(0).text("t7").int(7).int(20);
        trace.event(0, 0, MS, "sched_switch", &[0; 4], &payload.bytes).unwrap();
        trace.finish().unwrap();
        let metadata = fs::read_to_string(folder.join("metadata")).unwrap();
        fs::write(folder.join("metadata"), metadata.replace("b839f3b4", boot)).unwrap();
    }
    assert!(refused(dir.path()).contains("several machines"));
    assert!(import(&dir.path().join("host1")).is_ok());
}

#[test]
fn the_machine_beside_the_trace_is_used() {
    let mut drawn = Drawn::new();
    drawn.switch(MS, 0, 0, 0, 7);
    let machine = wastenot_machine::Machine::of_cpus(4, None, None);
    fs::write(drawn.dir.path().join("machine.json"), machine.to_json()).unwrap();
    let (dir, imported) = drawn.keep();
    assert_eq!(imported.count("cpu"), 4);
    fs::write(dir.path().join("machine.json"), "{").unwrap();
    assert!(refused(dir.path()).contains("machine.json"));
}

#[test]
fn the_same_folder_read_twice_gives_the_same() {
    let read = |path: &Path| {
        let imported = import(path).unwrap();
        (imported.switches(), imported.migrations(), imported.summary.to_json())
    };
    let path = crate::fixtures::folder("guest-6.1/hotplug");
    assert_eq!(read(&path), read(&path));
}
