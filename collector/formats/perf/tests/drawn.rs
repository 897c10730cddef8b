//! What recordings at hand do not have: other byte orders and layouts, events opened twice, losses, lives of threads.

mod common;

use common::drawn::*;
use common::{import as import_path, imported};
use wastenot_import::Options;

/// Two CPUs, one switch each.
fn two_switches(big: bool, long: usize) -> Drawn {
    let mut drawn = Drawn::with_long(big, long);
    drawn.cpus(2);
    let switch = drawn.tracepoint(SWITCH, &[11, 12]);
    drawn.switch(switch, 1000, 0, 7, 8);
    drawn.switch(switch, 900, 1, 0, 9);
    drawn.finished_round();
    drawn
}

#[test]
fn every_byte_order_and_word_size_gives_the_same_as_a_file_and_as_a_pipe() {
    for (big, long) in [(LITTLE, 8), (LITTLE, 4), (BIG, 8), (BIG, 4)] {
        let drawn = two_switches(big, long);
        for bytes in [drawn.file(), drawn.pipe()] {
            assert!(wastenot_perf::recognises(&bytes[..16]));
            let trace = import(&bytes);
            assert_eq!(trace.switches(), [(900, 1, 0, 9), (1000, 0, 7, 8)], "big {big}, long {long}");
            assert!(trace.summary.complete && trace.summary.counts.garbled == 0, "{:?}", trace.summary);
        }
    }
    assert!(!wastenot_perf::recognises(b"PERFFILE") && !wastenot_perf::recognises(b"PERF"));
}

#[test]
fn events_of_other_layouts_and_kinds_do_not_disturb() {
    let mut drawn = Drawn::new(LITTLE);
    drawn.cpus(1);
    let clock = drawn.attr(1, 0, IDENTIFIER | IP | TID | TIME | PERIOD, &[1]);
    let switch = drawn.attr(2, SWITCH, USUAL | READ | CALLCHAIN, &[2]);
    let other = drawn.tracepoint(OTHER, &[3]);
    drawn.sample(clock, 10, 0, &[], &[]);
    let raw = drawn.switch_raw(7, 1, 8);
    drawn.sample(switch, 20, 0, &[1, 2, 3], &raw);
    let mut raw = drawn.u16(OTHER as u16);
    raw.resize(12, 0);
    drawn.sample(other, 30, 0, &[], &raw);
    let trace = import(&drawn.file());
    assert_eq!(trace.switches(), [(20, 0, 7, 8)]);
    assert_eq!((trace.summary.counts.ignored, trace.summary.counts.garbled), (2, 0));
}

#[test]
fn idle_states_and_frequencies_are_those_of_the_cpu_that_is_meant() {
    for big in [LITTLE, BIG] {
        let mut drawn = Drawn::new(big);
        drawn.cpus(2);
        let (idle, frequency) = (drawn.tracepoint(IDLE, &[1, 2]), drawn.tracepoint(FREQUENCY, &[3, 4]));
        for (attr, event, time, state, cpu) in [
            (idle, IDLE, 10, 2, 0),
            (frequency, FREQUENCY, 20, 800_000, 1),
            (idle, IDLE, 30, u32::MAX, 0),
            (idle, IDLE, 40, 1, u32::MAX),
        ] {
            let raw = drawn.power_raw(event, state, cpu);
            drawn.sample(attr, time, 0, &[], &raw);
        }
        for bytes in [drawn.file(), drawn.pipe()] {
            let trace = import(&bytes);
            assert_eq!(trace.idle_states(), [(10, 0, Some(2)), (30, 0, None)]);
            assert_eq!((trace.frequencies(), trace.summary.counts.garbled), (vec![(20, 1, 800_000)], 1));
        }
    }
}

#[test]
fn a_single_event_needs_no_id() {
    let mut drawn = Drawn::new(LITTLE);
    let switch = drawn.attr(2, SWITCH, IP | TID | TIME | CPU | PERIOD | RAW, &[]);
    drawn.switch(switch, 5, 0, 7, 8);
    assert_eq!(import(&drawn.file()).switches(), [(5, 0, 7, 8)]);
}

#[test]
fn an_event_opened_twice_is_one_event_and_keeps_the_stack_that_only_its_second_copy_has() {
    let mut drawn = Drawn::new(LITTLE);
    drawn.cpus(2);
    let plain = drawn.tracepoint(MIGRATE, &[1, 2]);
    let chained = drawn.attr(2, MIGRATE, USUAL | CALLCHAIN, &[3, 4]);
    let kernel = -128i64 as u64;
    for (time, tid) in [(100, 50), (300, 50), (500, 51)] {
        let raw = drawn.migrate_raw(tid, 0, 1);
        drawn.sample(plain, time, 0, &[], &raw);
        drawn.sample(chained, time + 9, 0, &[kernel, 0xffff_ffff_8100_0010], &raw);
    }
    // Seen by one of the two only.
    let raw = drawn.migrate_raw(52, 0, 1);
    drawn.sample(chained, 700, 0, &[kernel, 0xffff_ffff_8100_0020], &raw);
    let trace = import(&drawn.file());
    let moves: Vec<_> = trace.migrations().iter().map(|&(time, tid, .., stack)| (time, tid, stack.is_some())).collect();
    assert_eq!(moves, [(100, 50, true), (300, 50, true), (500, 51, true), (700, 52, true)]);
    assert_eq!(trace.summary.evidence_level, "L1");
    assert_eq!((trace.summary.counts.duplicates, trace.summary.counts.read["sched_migrate_task"]), (3, 7));
}

#[test]
fn of_a_call_chain_the_kernels_part_is_the_stack() {
    let mut drawn = Drawn::new(LITTLE);
    drawn.cpus(1);
    let migrate = drawn.attr(2, MIGRATE, USUAL | CALLCHAIN, &[1]);
    let [kernel, user] = [-128i64, -512].map(|mark| mark as u64);
    let raw = drawn.migrate_raw(50, 0, 0);
    drawn.sample(migrate, 10, 0, &[kernel, 0xffff_ffff_8100_0010, 0xffff_ffff_8100_0020, user, 0x40_0000], &raw);
    drawn.sample(migrate, 20, 0, &[user, 0x40_0000], &raw);
    let trace = import(&drawn.file());
    assert_eq!(trace.stacks().into_values().collect::<Vec<_>>(), [["0xffffffff81000010", "0xffffffff81000020"]]);
    assert_eq!(trace.migrations().iter().map(|row| row.4).collect::<Vec<_>>(), [Some(1), None]);
}

#[test]
fn symbols_beside_the_file_name_the_stacks() {
    let mut drawn = Drawn::new(LITTLE);
    let migrate = drawn.attr(2, MIGRATE, USUAL | CALLCHAIN, &[1]);
    let raw = drawn.migrate_raw(50, 0, 0);
    let kernel = -128i64 as u64;
    drawn.sample(migrate, 10, 0, &[kernel, 0xffff_ffff_8100_0210, 0xffff_ffff_8100_0118], &raw);
    let (folder, path) = stored(&drawn.file());
    let kallsyms =
        "ffffffff81000000 T _text\nffffffff81000100 T set_task_cpu\nffffffff81000200 t perf_trace_sched_migrate_task\n";
    std::fs::write(folder.path().join("kallsyms"), kallsyms).expect("written");
    let trace = imported(&path);
    assert_eq!(trace.stacks().into_values().collect::<Vec<_>>(), [["set_task_cpu+0x18"]]);
}

#[test]
fn rounds_of_rings_become_one_order() {
    let mut drawn = Drawn::new(LITTLE);
    drawn.cpus(3);
    let switch = drawn.tracepoint(SWITCH, &[1, 2, 3]);
    let mut expected = Vec::new();
    for round in 0..60u64 {
        for cpu in 0..3u64 {
            for n in 0..300u64 {
                let time = 1_000_000 * round + 3000 * n + 700 * cpu + 1;
                drawn.switch(switch, time, cpu as u32, 7, 8);
                expected.push((time as i64, cpu as i16, 7, 8));
            }
        }
        drawn.finished_round();
    }
    let trace = import(&drawn.file());
    expected.sort_unstable();
    assert_eq!(trace.switches(), expected);
    assert!(trace.summary.notes.iter().all(|note| !note.contains("order")), "{:?}", trace.summary.notes);
}

#[test]
fn a_file_without_rounds_is_put_in_order_too() {
    let mut drawn = Drawn::new(LITTLE);
    let switch = drawn.tracepoint(SWITCH, &[1, 2]);
    for cpu in 0..2 {
        (0..5000).for_each(|n| drawn.switch(switch, 1000 + 10 * n + u64::from(cpu), cpu, 7, 8));
    }
    let times: Vec<i64> = import(&drawn.file()).switches().iter().map(|row| row.0).collect();
    assert!(times.len() == 10_000 && times.is_sorted());
}

#[test]
fn a_wrong_stamp_is_left_out_and_a_long_silence_is_not() {
    let second = 1_000_000_000;
    let mut drawn = Drawn::new(LITTLE);
    drawn.cpus(2);
    let switch = drawn.tracepoint(SWITCH, &[1, 2]);
    for time in [1, 2, 1 << 60, 3, 200, 201] {
        drawn.switch(switch, if time == 1 << 60 { time } else { time * second }, 0, 7, 8);
    }
    drawn.switch(switch, 2 * second + 5, 1, 7, 8);
    drawn.switch(switch, 300 * second, 1, 7, 8);
    let trace = import(&drawn.file());
    let times: Vec<i64> = trace.switches().iter().map(|row| row.0).collect();
    let second = second as i64;
    assert_eq!(times, [second, 2 * second, 2 * second + 5, 3 * second, 200 * second, 201 * second, 300 * second]);
    assert!(
        trace.summary.notes.iter().any(|note| note.starts_with("1 records whose time")),
        "{:?}",
        trace.summary.notes
    );
}

#[test]
fn a_loss_lasts_from_the_rings_record_before_to_the_one_that_reports_it() {
    let mut drawn = Drawn::new(LITTLE);
    drawn.cpus(2);
    let switch = drawn.tracepoint(SWITCH, &[1, 2]);
    drawn.index(&[(1, 0, -1), (2, 1, -1)]);
    drawn.switch(switch, 100, 0, 7, 8);
    // The record that made space is stamped before the LOST record but is behind it.
    drawn.lost(1, 5, 210, 0);
    drawn.switch(switch, 200, 0, 8, 9);
    drawn.switch(switch, 150, 1, 7, 8);
    drawn.finished_round();
    // Counts per event at the end: 4 more than reported on CPU 0, as many as reported elsewhere.
    drawn.switch(switch, 400, 1, 8, 7);
    drawn.lost_samples(1, 9);
    drawn.lost_samples(2, 0);
    let trace = import(&drawn.file());
    assert_eq!(trace.losses(), [(100, 210, Some(0), Some(5)), (200, 400, Some(0), Some(4))]);
    assert_eq!(trace.switches().len(), 4);
}

#[test]
fn losses_reach_back_over_rounds() {
    let mut drawn = Drawn::new(LITTLE);
    drawn.cpus(2);
    let switch = drawn.tracepoint(SWITCH, &[1, 2]);
    for round in 0..4u64 {
        for n in 0..9000 {
            drawn.switch(switch, 1_000_000 * round + 10 * n + 1, 1, 7, 8);
        }
        if round == 2 {
            drawn.switch(switch, 2_000_005, 0, 7, 8);
        }
        if round == 3 {
            drawn.lost(1, 3, 3_000_055, 0);
            drawn.switch(switch, 3_000_050, 0, 8, 7);
        }
        drawn.finished_round();
    }
    let trace = import(&drawn.file());
    assert_eq!(trace.losses(), [(2_000_005, 3_000_055, Some(0), Some(3))]);
    assert!(trace.summary.notes.iter().all(|note| !note.contains("order")), "{:?}", trace.summary.notes);
}

#[test]
fn lives_of_threads_are_read_from_records_where_no_tracepoint_reports_them() {
    let mut drawn = Drawn::new(LITTLE);
    drawn.cpus(1);
    let switch = drawn.tracepoint(SWITCH, &[1]);
    drawn.comm_record(0, 40, 41, "before", 0, 0, 1);
    drawn.life_record(7, 40, 40, 42, 41, 0, 0, 1);
    drawn.switch(switch, 100, 0, 41, 42);
    drawn.life_record(7, 40, 40, 43, 41, 110, 0, 1);
    drawn.comm_record(1 << 13, 44, 44, "after", 120, 0, 1);
    drawn.life_record(4, 40, 40, 43, 41, 130, 0, 1);
    let trace = import(&drawn.file());
    assert_eq!(trace.forks(), [(110, 0, 41, 43, Some(40))]);
    assert_eq!(trace.exits(), [(130, 0, 43)]);
    assert_eq!((trace.summary.start_ns, trace.summary.end_ns), (100, 130));
    let names = trace.names();
    assert!(
        names.contains(&(100, 41, Some(40), "before".into())) && names.contains(&(120, 44, Some(44), "after".into()))
    );
    assert_eq!(trace.summary.counts.read["sched_process_exec"], 1);
}

#[test]
fn with_the_tracepoint_a_fork_is_one_fork_and_its_process_comes_from_the_record() {
    let mut drawn = Drawn::new(LITTLE);
    drawn.cpus(1);
    let fork = drawn.tracepoint(FORK, &[1]);
    drawn.life_record(7, 40, 40, 43, 41, 100, 0, 1);
    let raw = drawn.fork_raw(41, 43);
    drawn.sample(fork, 105, 0, &[], &raw);
    let trace = import(&drawn.file());
    assert_eq!(trace.forks(), [(105, 0, 41, 43, Some(40))]);
    assert_eq!(trace.counts(), [("sched_process_fork", 1)]);
}

#[test]
fn what_cannot_be_used_is_refused_with_what_to_do() {
    let lacking = |bits: u64| {
        let mut drawn = Drawn::new(LITTLE);
        let switch = drawn.attr(2, SWITCH, USUAL & !bits, &[1]);
        drawn.switch(switch, 5, 0, 7, 8);
        refusal(&drawn.file())
    };
    assert_eq!(lacking(TIME), "its samples lack their time; record with -T: perf record -a -e 'sched:*' -T");
    assert_eq!(
        lacking(CPU),
        "its samples lack their CPU; record with --sample-cpu: perf record -a -e 'sched:*' --sample-cpu"
    );
    assert_eq!(lacking(RAW), "its samples lack their fields; record with -R: perf record -a -e 'sched:*' -R");

    let mut cycles = Drawn::new(LITTLE);
    cycles.attr(0, 0, USUAL, &[1]);
    assert_eq!(refusal(&cycles.file()), "no scheduler events in it; record them: perf record -a -e 'sched:*'");

    let mut thread = two_switches(LITTLE, 8);
    let records = std::mem::take(&mut thread.records);
    thread.index(&[(11, 0, 77)]);
    thread.records.extend(records);
    assert!(refusal(&thread.file()).starts_with("only some threads were recorded"));

    let mut folder = two_switches(LITTLE, 8);
    folder.feature(24, vec![1, 0, 0, 0, 0, 0, 0, 0]);
    assert!(refusal(&folder.file()).starts_with("its records are in files beside it"));

    let mut formats = two_switches(LITTLE, 8);
    formats.without_feature(1);
    assert!(refusal(&formats.file()).starts_with("the formats of its events are missing; give them"));

    let mut unlike = Drawn::new(LITTLE);
    unlike.attr(2, SWITCH, USUAL & !IDENTIFIER | ID, &[1]);
    unlike.attr(2, MIGRATE, USUAL & !IDENTIFIER, &[2]);
    unlike.switch(0, 5, 0, 7, 8);
    assert!(refusal(&unlike.file()).starts_with("its events differ in layout"));

    assert_eq!(refusal(b"PERFILE2\x68\0\0\0\0\0\0\0"), "it ends within its header; copy it again, or record anew");
    assert!(refusal(b"PERFILE1").starts_with("not a perf.data file"));
    assert!(refusal(b"PERFILE2\x10\0\0\0\0\0\0\0").starts_with("it describes no events"));
    let (folder, path) = stored(b"");
    drop(folder);
    let Err(error) = import_path(&path, &Options::default()) else { panic!("imported") };
    assert!(error.to_string().contains("No such file"), "{error}");
}

#[test]
fn an_unfinished_recording_is_reported_as_such() {
    let mut file = two_switches(LITTLE, 8).file();
    file[48..56].fill(0); // size of the records
    let message = refusal(&file);
    assert!(message.contains("formats of its events are missing") && message.contains("not finished"), "{message}");
}

#[test]
fn compressed_records_of_both_kinds_are_inflated_wherever_they_are_cut() {
    let mut drawn = Drawn::new(LITTLE);
    drawn.cpus(1);
    let switch = drawn.tracepoint(SWITCH, &[1]);
    (0..9000).for_each(|n| drawn.switch(switch, 1000 + n, 0, 7, 8));
    let plain = std::mem::take(&mut drawn.records);
    let mut packed = vec![0; zstd_safe::compress_bound(plain.len())];
    let size = zstd_safe::compress(&mut packed[..], &plain, 1).expect("compressed");
    for (kind, each) in [(81, 61), (81, 60_000), (83, 61), (83, 60_000)] {
        drawn.records.clear();
        for part in packed[..size].chunks(each) {
            let mut body = if kind == 83 { drawn.u64(part.len() as u64) } else { Vec::new() };
            body.extend(part);
            if kind == 83 {
                body.resize(body.len().next_multiple_of(8), 0);
            }
            drawn.record(kind, 0, &body);
        }
        for bytes in [drawn.file(), drawn.pipe()] {
            let trace = import(&bytes);
            let times: Vec<i64> = trace.switches().iter().map(|row| row.0).collect();
            assert!(times.iter().copied().eq(1000..10_000), "{kind}, {each} bytes: {}", times.len());
            assert!(trace.summary.complete);
        }
    }
}

/// Codes of the states in which thread 7 left the CPU, and what is not verified.
fn states_of(release: &str, big: bool, long: usize, swapper: u64, raw: &[u64]) -> (Vec<u8>, Vec<String>) {
    let mut drawn = Drawn::with_long(big, long);
    let text = drawn.text(release);
    drawn.feature(4, text); // OSRELEASE
    drawn.cpus(1);
    let attr = drawn.tracepoint(SWITCH, &[11]);
    let states = std::iter::once((0, swapper)).chain(raw.iter().map(|raw| (7, *raw)));
    for (n, (prev, state)) in states.enumerate() {
        let sample = drawn.switch_raw(prev, state, 8);
        drawn.sample(attr, 1000 + n as u64, 0, &[], &sample);
    }
    drawn.finished_round();
    let trace = import(&drawn.file());
    let codes = trace.tables["sched_switch"].iter().flat_map(|batch| {
        let view = wastenot_schemas::sched_switch::View::try_new(batch).unwrap();
        (1..view.len()).map(|n| view.row(n).prev_state).collect::<Vec<_>>()
    });
    (codes.collect(), trace.summary.unverified)
}

#[test]
fn without_a_print_format_the_release_says_what_a_state_is() {
    use wastenot_schemas::task_state::{D, I, P, R, R_PREEMPTED, S, UNKNOWN, X};
    for (big, long) in [(LITTLE, 8), (LITTLE, 4), (BIG, 8), (BIG, 4)] {
        for (release, raw, expected) in [
            ("3.10.104", [1024, 512, 130, 64], [R_PREEMPTED, P, D, X]),
            ("4.4.0-21-generic", [2048, 1026, 130, 64], [R_PREEMPTED, I, D, X]),
            ("4.13.0-16-generic", [4096, 1026, 2048, 64], [R_PREEMPTED, I, UNKNOWN, X]),
            ("5.4.0-26-generic", [256, 128, 4096, 64], [R_PREEMPTED, I, UNKNOWN, P]),
        ] {
            let (codes, unverified) = states_of(release, big, long, 0, &raw);
            assert_eq!((codes, unverified), (expected.to_vec(), vec![]), "{release}, big {big}, long {long}");
        }
        // 4.15 to 4.19 as released: swapper, which is always running, is left in state 1.
        let (codes, unverified) = states_of("4.15.0-20-generic", big, long, 1, &[1, 2, 4, 256]);
        assert_eq!(codes, [R, S, D, R_PREEMPTED]);
        assert!(unverified.len() == 1 && unverified[0].contains("one bit too high"), "{unverified:?}");
        assert_eq!(states_of("4.15.0-159-generic", big, long, 0, &[1, 2, 128]), (vec![S, D, I], vec![]));
    }
    let (codes, unverified) = states_of("9.9.9", LITTLE, 8, 0, &[512, 2, 1026]);
    assert_eq!(codes, [R_PREEMPTED, D, I]);
    assert!(unverified.len() == 1 && unverified[0].contains("rule of thumb"), "{unverified:?}");
}
