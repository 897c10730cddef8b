//! Texts with one hazard each and the exact rows that come of them; real ones of trace-cmd; damaged ones.

mod rows;

use proptest::prelude::*;
use rows::{Rows, read};
use std::path::{Path, PathBuf};
use wastenot_import::{ImportError, Options};

fn data(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data").join(name)
}

fn outcome(content: impl AsRef<[u8]>) -> Result<Rows, ImportError> {
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), content).unwrap();
    let outcome = read(wastenot_text::open, file.path(), &Options::default());
    if let Err(error) = &outcome {
        let message = error.to_string();
        assert!(!message.contains('\n') && message.len() < 400, "{message}");
    }
    outcome
}

fn rows(content: impl AsRef<[u8]>) -> Rows {
    outcome(content).unwrap_or_else(|error| panic!("{error}"))
}

const SWITCH: &str =
    "sched_switch: prev_comm=a prev_pid=1 prev_prio=120 prev_state=S ==> next_comm=b next_pid=2 next_prio=100";
const SWITCH_ROWS: [&str; 3] = [
    "thread_name 5000001000 tid=1 name=a",
    "thread_name 5000001000 tid=2 name=b",
    "sched_switch 5000001000 cpu=3 prev_tid=1 prev_state=2 prev_prio=120 next_tid=2 next_prio=100",
];

#[test]
fn every_tool_s_line_gives_the_same_rows() {
    for line in [
        format!("               a-1     [003] d..2     5.000001: {SWITCH}"),
        format!("               a-1     [003] d..2.    5.000001000: {SWITCH}\r"),
        format!("               a-1     [003]     5.000001: {SWITCH}"),
        format!("               a-1     (-----) [003] d..2.    5.000001: {SWITCH}"),
        format!("               a-1        3d..2. 5000001us+: {SWITCH}"),
        format!("               a-1        3d..2.     5.000001: {SWITCH}"),
        format!("               a     1 [003]     5.000001:       sched:{SWITCH}"),
        format!("               a     1/1 [003]     5.000001:          1       sched:{SWITCH}"),
        "               a-1     [003]     5.000001: sched_switch:         a:1 [120] S ==> b:2 [100]".into(),
    ] {
        let rows = rows(format!("{line}\n"));
        // perf's pid/tid has the process, too.
        let lines: Vec<_> = rows.lines.iter().map(|line| line.replace(" tgid=1", "")).collect();
        assert_eq!(lines, SWITCH_ROWS, "{line}");
        assert!(rows.summary.complete && rows.summary.counts.garbled == 0);
    }
}

#[test]
fn names_may_hold_anything() {
    let text = "my prog-name-12-1234  [003] d..2  5.000001: sched_switch: prev_comm=a b prev_pid=1 prev_prio=120 prev_state=R+ ==> next_comm=x=y next_pid=2 next_prio=120\n";
    assert_eq!(
        rows(text).lines,
        [
            "thread_name 5000001000 tid=1 name=a b",
            "thread_name 5000001000 tid=2 name=x=y",
            "sched_switch 5000001000 cpu=3 prev_tid=1 prev_state=1 prev_prio=120 next_tid=2 next_prio=120",
        ]
    );
    let mut text =
        b"  \xff\xfe: [0] 1.5: x-7 [001] d..2. 5.000001: sched_waking: comm=\xc3( pid=9 prio=-1 target_cpu=000\n"
            .to_vec();
    assert_eq!(
        rows(&text).lines,
        ["thread_name 5000001000 tid=9 name=\u{fffd}(", "sched_waking 5000001000 cpu=1 tid=9 target_cpu=0 prio=-1"]
    );
    text.extend(b"  <...>-8 [001] d..2. 5.000002: sched_waking: comm=<...> pid=8 prio=1 target_cpu=000\n");
    assert_eq!(rows(&text).lines.len(), 3, "a tracer that does not know the name prints none");
}

#[test]
fn idle_states_and_frequencies_are_rows_of_their_cpus() {
    let rows = rows(
        "          <idle>-0       [001] d..2.     5.000001: cpu_idle: state=1 cpu_id=1\n\
         \x20         <idle>-0       [001]     5.000002: power:cpu_idle: state=4294967295 cpu_id=1\n\
         \x20              a-1     [000] d..2.     5.000003: cpu_frequency:        state=2400000 cpu_id=3\n\
         \x20              a-1     [000] d..2.     5.000004: cpu_frequency_limits: min=800000 max=2400000 cpu_id=3\n\
         \x20              a-1     [000] d..2.     5.000005: cpu_idle: state=1 cpu_id=-1\n",
    );
    assert_eq!(
        rows.lines,
        [
            "cpu_idle 5000001000 cpu=1 state=1",
            "cpu_idle 5000002000 cpu=1",
            "cpu_frequency 5000003000 cpu=3 khz=2400000",
        ]
    );
    assert_eq!((rows.summary.counts.garbled, rows.summary.counts.ignored), (1, 1));
}

#[test]
fn losses_are_rows() {
    let event = |cpu: u32, us: u32| {
        format!(" a-1 [{cpu:03}] d..2. 5.{us:06}: sched_wakeup: comm=a pid=1 prio=1 target_cpu=000\n")
    };
    let text = format!(
        "# tracer: nop\n#\n# entries-in-buffer/entries-written: 4/10   #P:4\n#\n{}{}CPU:1 [LOST 123 EVENTS]\n{}CPU:0 [EVENTS DROPPED]\n{}CPU:1 [7 EVENTS DROPPED]\n",
        event(0, 1),
        event(1, 2),
        event(1, 5),
        event(0, 6)
    );
    let rows = rows(text);
    assert_eq!(
        rows.of("lost_events"),
        [
            "lost_events 5000001000 end_ns=5000001000 count=6 what=any",
            "lost_events 5000001000 end_ns=5000006000 cpu=0 what=any",
            "lost_events 5000002000 end_ns=5000005000 cpu=1 count=123 what=any",
            "lost_events 5000005000 end_ns=5000006000 cpu=1 count=7 what=any",
        ]
    );
    assert_eq!(rows.of("sched_wakeup").len(), 4);
}

#[test]
fn a_stack_goes_to_the_event_before_it_on_its_cpu() {
    let migrate = "sched_migrate_task: comm=b pid=2 prio=1 orig_cpu=0 dest_cpu=1";
    let wakeup = "sched_wakeup: comm=c pid=3 prio=1 target_cpu=000";
    let ftrace = format!(
        " a-1 [000] d..2. 5.000001: {migrate}\n a-4 [001] d..2. 5.000001: {wakeup}\n a-1 [000] d..2. 5.000002: <stack trace>\n \
         => trace_event_raw_event_sched_migrate_task\n => set_task_cpu+0x12/0x80\n => schedule\n \
         a-1 [000] d..2. 5.000003: {wakeup}\n a-1 [000] d..2. 5.000004: <stack trace>\n => of_a_wakeup\n"
    );
    let perf = format!(
        "a 1 [000] 5.000001: sched:{migrate}\n\tffffffff81 odd ([x])\n\n\
         a 1 [000] 5.000001: sched:{migrate}\n\tffffffff813a41c3 set_task_cpu+0x12 ([kernel.kallsyms])\n\
         \tffffffff821f6b03 schedule ([kernel.kallsyms])\n\t  7f0012 main (/bin/a)\n\na 1 [000] 5.000003: sched:{wakeup}\n\tffffffff813a41c3 of_a_wakeup ([k])\n"
    );
    for text in [ftrace, perf] {
        let rows = rows(&text);
        let migrations = rows.of("sched_migrate_task");
        assert!(migrations.last().unwrap().ends_with("cpu=0 tid=2 orig_cpu=0 dest_cpu=1 stack_id=1"), "{migrations:?}");
        assert_eq!(rows.stacks, [vec!["set_task_cpu+0x12", "schedule"], vec!["of_a_wakeup"]], "{text}");
        let of_wakeup = rows.of("event_stack");
        assert!(
            of_wakeup.len() == 1 && of_wakeup[0].contains(" tid=3 ") && of_wakeup[0].contains("stack_id=2"),
            "{of_wakeup:?}"
        );
        assert_eq!(rows.summary.evidence_level, "L1");
        assert!(rows.summary.notes.iter().all(|odd| !odd.contains("stepped back")), "{:?}", rows.summary.notes);
    }
}

#[test]
fn cpus_one_after_the_other_come_out_in_one_order() {
    let piece = |cpu: u32| -> String {
        let head = "# tracer: nop\n#\n# entries-in-buffer/entries-written: 5/7   #P:2\n#\n".to_owned();
        let event = |n: u32| {
            format!(" a-1 [{cpu:03}] d..2. 5.{:06}: sched_wakeup: comm=a pid=1 prio=1 target_cpu=000\n", n * 2000 + cpu)
        };
        head + &(1..6).map(event).collect::<String>()
    };
    let rows = rows(piece(0) + &piece(1));
    let wakeups = rows.of("sched_wakeup");
    let order: Vec<_> = wakeups.iter().map(|line| line.split(' ').nth(2).unwrap()).collect();
    assert_eq!(order, ["cpu=0", "cpu=1"].repeat(5));
    assert_eq!(rows.of("lost_events").len(), 2);
    assert!(rows.of("lost_events")[1].ends_with("cpu=1 count=2 what=any"), "{:?}", rows.of("lost_events"));
    assert!(rows.summary.notes.iter().all(|odd| !odd.contains("stepped back")), "{:?}", rows.summary.notes);
}

#[test]
fn a_clock_that_steps_back_is_reported() {
    let event =
        |cpu: u32, s: u32| format!(" a-1 [{cpu:03}] d..2. {s}.0: sched_wakeup: comm=a pid=1 prio=1 target_cpu=000\n");
    let rows = rows(event(0, 9) + &event(1, 9) + &event(0, 5));
    assert_eq!(rows.of("sched_wakeup").len(), 3);
    assert!(
        rows.summary.notes.iter().any(|odd| odd.contains("the clock stepped back 1 time")),
        "{:?}",
        rows.summary.notes
    );
}

#[test]
fn an_event_in_two_buffers_is_one() {
    let text = "                hog-3 [001]     5.000001: sched_wakeup:         a:1 [120] CPU:000\n\
                other:          hog-3 [001]     5.000002: sched_wakeup:         a:1 [120] CPU:000\n\
                other:          hog-3 [001]     5.000003: sched_migrate_task:   comm=a pid=1 prio=120 orig_cpu=0 dest_cpu=1\n\
                \x20               hog-3 [001]     5.000004: sched_wakeup:         a:1 [120] CPU:000\n";
    let rows = rows(text);
    assert_eq!((rows.of("sched_wakeup").len(), rows.of("sched_migrate_task").len()), (2, 1));
    assert_eq!(rows.summary.counts.duplicates, 1);
}

#[test]
fn processes_are_read_where_they_are_printed() {
    let text = " a-8 (    7) [001] d..2. 5.000001: sched_switch: prev_comm=a prev_pid=8 prev_prio=1 prev_state=S ==> next_comm=b next_pid=9 next_prio=1\n";
    assert_eq!(rows(text).lines[0], "thread_name 5000001000 tid=8 tgid=7 name=a");
}

#[test]
fn systrace_pages_are_read() {
    let line = format!("          a-1     (  1) [003] d..2     5.000001: {SWITCH}");
    let page = |script: String| {
        format!(
            "<!DOCTYPE html>\n<html>\n<head><title>Android System Trace</title></head>\n<body>\n{script}\n</body></html>\n"
        )
    };
    let block = |text: &str| format!("<script class=\"trace-data\" type=\"application/text\">\n{text}\n</script>");
    let new = page(block("USER PID PPID\nroot 1 0\n") + &block(&format!("# tracer: nop\n#\n{line}")));
    let old = page(format!("<script>\nvar linuxPerfData = \"\\\n# tracer: nop\\n\\\n{line}\\n\\\n\";\n</script>"));
    let one_line = page(format!("<script>var linuxPerfData = \"# tracer: nop\\n{line}\\n\";</script>"));
    let huge =
        page(format!("<script>{}var linuxPerfData = \"# tracer: nop\\n{line}\\n\";</script>", "x;".repeat(200_000)));
    for page in [new, old, one_line, huge] {
        let lines: Vec<_> = rows(&page).lines.iter().map(|line| line.replace(" tgid=1", "")).collect();
        assert_eq!(lines, SWITCH_ROWS, "{}", &page[..200]);
    }
    let none = outcome(page(block("nothing"))).err().unwrap().to_string();
    assert!(none.contains("no trace is in this page"), "{none}");
}

#[test]
fn a_text_that_was_cut_off_or_has_invalid_times_is_flagged() {
    let event = " a-1 [000] d..2. 5.000001: sched_wakeup: comm=a pid=1 prio=1 target_cpu=000\n".repeat(3);
    let cut = rows(&event[..event.len() - 3]);
    assert_eq!((cut.of("sched_wakeup").len(), cut.summary.complete), (2, false));
    let cycles = rows(event.replace("5.000001", "4992451907760"));
    assert_eq!((cycles.lines.len(), cycles.summary.complete), (0, false));
    assert!(cycles.summary.notes.iter().any(|odd| odd.contains("3 events were left out")));
    let long = rows(format!("{event}{}\n{event}", "x".repeat(100_000)));
    assert_eq!((long.of("sched_wakeup").len(), long.summary.complete), (6, false));
    assert_eq!(rows("# tracer: nop\n#\n").lines.len(), 0);
    assert!(outcome("").is_err() && outcome("no trace\n").is_err());
}

#[test]
fn the_text_of_a_real_trace_has_its_stacks() {
    let text = std::fs::read(data("guest-6.1-head.txt")).unwrap();
    let rows = rows(&text);
    assert_eq!(
        rows.of("sched_migrate_task")[0],
        "sched_migrate_task 78566860759 cpu=0 tid=422 orig_cpu=5 dest_cpu=1 stack_id=1"
    );
    assert_eq!(rows.stacks[0][..3], ["set_task_cpu", "try_to_wake_up", "autoremove_wake_function"]);
    let events = String::from_utf8_lossy(&text).lines().filter(|line| line.contains(": sched_")).count() as u64;
    assert_eq!(rows.summary.counts.read.values().sum::<u64>(), events);
}

/// xorshift64
fn random(state: &mut u64) -> u64 {
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    *state
}

#[test]
fn damaged_texts_end_in_rows_or_in_one_line() {
    let mut seed = 0x5eed;
    for name in ["guest-6.1-head.txt", "guest-6.1-raw.txt"] {
        let whole = std::fs::read(data(name)).unwrap();
        let most = rows(&whole).lines.len();
        for _ in 0..50 {
            let cut = random(&mut seed) as usize % whole.len();
            if let Ok(rows) = outcome(&whole[..cut]) {
                assert!(rows.lines.len() <= most);
                assert!(!rows.summary.complete || whole[cut - 1] == b'\n', "cut to {cut} bytes");
            }
            let mut flipped = whole.clone();
            for _ in 0..20 {
                let at = random(&mut seed) as usize % whole.len();
                flipped[at] = random(&mut seed) as u8;
            }
            let _ = outcome(&flipped);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, ..ProptestConfig::default() })]

    #[test]
    fn no_text_makes_it_panic(pieces in prop::collection::vec(prop::sample::select(vec![
        " a-1 [000] d..2. 5.000001: ", "sched_switch: ", "sched_wakeup: ", "sched_migrate_task: ", "comm=", " pid=", "1", "-1", "0x",
        " prio=", " target_cpu=", " orig_cpu=", " dest_cpu=", "prev_comm=", " prev_pid=", " prev_state=", " ==> ", "next_comm=",
        " next_pid=", "a:1 [2]", " CPU:", "[", "]", "(", ")", ":", ".", "-", " ", "\n", "\r\n", "\t", "<stack trace>", " => f+0x1/0x2",
        "\tffff81 f ([k])", "CPU:1 [LOST 2 EVENTS]", "99999999999999999999", "us", "\\n", "\u{fffd}", "# tracer: nop\n",
    ]), 0..60)) {
        let text = format!("# tracer: nop\n{}", pieces.concat());
        let _ = outcome(&text);
        let _ = outcome(format!("<script class=\"trace-data\">\n{text}"));
    }

    #[test]
    fn no_bytes_make_it_panic(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        let _ = outcome([b"# tracer: nop\n a-1 [000] d..2. 5.000001: sched_switch: ".as_slice(), &bytes].concat());
        let _ = wastenot_text::recognises(&bytes);
    }
}

#[test]
fn a_kernel_that_prints_states_one_letter_too_far_is_known_by_swapper() {
    // 4.15 to 4.19 as released: swapper, which is always running, is left in S.
    let switch = |n: u32, prev: u32, state: &str, next: u32| {
        format!(
            "  a-{prev} [000] d..2 5.00000{n}: sched_switch: prev_comm=a prev_pid={prev} prev_prio=120 prev_state={state} ==> next_comm=b next_pid={next} next_prio=120\n"
        )
    };
    let text = switch(1, 0, "S", 7) + &switch(2, 7, "S", 8) + &switch(3, 8, "D", 0) + &switch(4, 0, "S", 9);
    let rows = rows(&text);
    let states: Vec<_> =
        rows.lines.iter().filter_map(|line| line.split_once(" prev_state=")).map(|(_, s)| &s[..1]).collect();
    assert_eq!(states, ["0", "0", "2", "0"], "running, running, asleep, running");
    assert!(rows.summary.unverified[0].contains("one bit too high"), "{:?}", rows.summary.unverified);
}

#[test]
fn lines_that_were_events_and_cannot_be_read_are_counted() {
    let whole = format!("  a-1 [003] d..2 5.000001: {SWITCH}\n");
    for damaged in [
        whole.replace("[003]", "[70000]"),
        whole.replace("[003]", "[8192]"),
        whole.replace("5.000001", "99999999999999.000001"),
        whole.replace("5.000001", "99999999999999999999999.000001"),
        whole.replace("5.000001", "5;000001"),
        whole.replace("[003]", "003]"),
        whole.replace("a-1", "a-99999999999"),
        whole.replace("  a-1 [003] d..2 5.000001: sched_switch", "CPU:9000 [LOST 3 EVENTS]\n#"),
        format!("{}{whole}", "x".repeat(100_000)),
    ] {
        let rows = rows(format!("{whole}{damaged}{}", whole.replace("5.0", "6.0")));
        assert_eq!((rows.of("sched_switch").len(), rows.summary.counts.garbled), (2, 1), "{damaged:.80}");
    }
    let rows = rows(format!("{whole}{whole}# a comment on sched_switch: \n a line of something else\n"));
    assert_eq!(rows.summary.counts.garbled, 0);
}

#[test]
fn letters_of_old_kernels_need_no_release_but_numbers_do() {
    let line = |state: &str| {
        format!(
            "  a-1 [003] d..2 5.000001: sched_switch: prev_comm=a prev_pid=1 prev_prio=120 prev_state={state} ==> next_comm=b next_pid=2 next_prio=100\n"
        )
    };
    for (state, code, is_verified) in [
        ("D|N", "9", true),
        ("D|K", "3", true),
        ("x", "6", true),
        ("R+", "1", true),
        ("0x402", "9", false),
        ("2048", "1", false),
    ] {
        let rows = rows(line(state));
        assert!(rows.lines[2].contains(&format!(" prev_state={code} ")), "{state}: {}", rows.lines[2]);
        assert_eq!(rows.summary.unverified.is_empty(), is_verified, "{state}");
    }
}
