//! Real recordings: their rows, against the tool's own text, and what is made of damaged ones.

#[path = "../../text/tests/rows/mod.rs"]
mod rows;

use rows::{Rows, read};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;
use wastenot_import::{ImportError, Options};

fn fixture() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../fixtures/traces/guest-6.1/trace.dat")
}

fn data(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data").join(name)
}

fn rows(path: &Path) -> Rows {
    read(wastenot_tracedat::open, path, &Options::default()).unwrap_or_else(|error| panic!("{error}"))
}

fn text_rows(path: &Path) -> Rows {
    read(wastenot_text::open, path, &Options::default()).unwrap_or_else(|error| panic!("{error}"))
}

/// What `trace-cmd report` prints; `None`, and says so, where there is no trace-cmd.
fn report(path: &Path, options: &[&str]) -> Option<Vec<u8>> {
    let run = Command::new("trace-cmd").arg("report").args(options).arg("-i").arg(path).output();
    match run {
        Ok(output) if output.status.success() => Some(output.stdout),
        Ok(output) => panic!("trace-cmd report: {}", String::from_utf8_lossy(&output.stderr)),
        Err(_) => {
            wastenot_skips::skip("the comparison with trace-cmd report: trace-cmd is not installed");
            None
        }
    }
}

fn text_file(content: &[u8]) -> tempfile::NamedTempFile {
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), content).unwrap();
    file
}

/// Rows that both formats have: names come from other places, stacks have other symbols, and raw text has none.
fn common(rows: &Rows) -> Vec<String> {
    let mut lines: Vec<String> = rows
        .lines
        .iter()
        .filter(|line| !line.starts_with("thread_name") && !line.starts_with("event_stack"))
        .map(|line| {
            let end = line.find(" stack_id=").unwrap_or(line.len());
            line[..end].to_owned()
        })
        .collect();
    lines.sort_unstable();
    lines
}

fn read_counts(rows: &Rows) -> BTreeMap<&'static str, u64> {
    rows.summary.counts.read.clone()
}

#[test]
fn the_guest_s_trace_has_what_trace_cmd_prints_of_it() {
    let rows = rows(&fixture());
    let expected = [("sched_migrate_task", 12), ("sched_switch", 86), ("sched_wakeup", 46), ("sched_wakeup_new", 8)];
    assert_eq!(read_counts(&rows), BTreeMap::from(expected));
    let counts = &rows.summary.counts;
    assert_eq!((counts.garbled, counts.ignored, counts.duplicates), (0, 0, 0));
    assert!(rows.summary.complete);
    assert_eq!((rows.summary.start_ns, rows.summary.end_ns), (78_566_860_759, 79_752_471_043));
    assert_eq!(
        rows.of("sched_migrate_task")[0],
        "sched_migrate_task 78566860759 cpu=0 tid=422 orig_cpu=5 dest_cpu=1 stack_id=1"
    );
    assert_eq!(rows.of("sched_migrate_task").iter().filter(|line| line.contains("stack_id")).count(), 12);
    assert_eq!(rows.summary.evidence_level, "L1");
    // The tracer's own frame is left out; the offset is that of trace-cmd's address in the file's kallsyms.
    assert_eq!(rows.stacks[0][..2], ["set_task_cpu+0x145", "try_to_wake_up+0x1a8"]);

    let stored = Path::new(env!("CARGO_MANIFEST_DIR")).join("../text/tests/data/guest-6.1-raw.txt");
    assert_eq!(common(&rows), common(&text_rows(&stored)), "the stored text of trace-cmd report -t -R");
}

#[test]
fn symbols_that_are_given_count_more_than_the_file_s_own() {
    let kallsyms = fixture().with_file_name("kallsyms.gz");
    let options = Options::new(&[], None, Some(kallsyms)).unwrap();
    let given = read(wastenot_tracedat::open, &fixture(), &options).unwrap();
    assert_eq!(given.stacks, rows(&fixture()).stacks, "kallsyms.gz is of the same boot");
}

#[test]
fn every_recording_has_the_rows_of_trace_cmd_report() {
    for path in [
        fixture(),
        data("v6.dat"),
        data("v7-plain.dat"),
        data("v7-zstd.dat"),
        data("v6-instances.dat"),
        data("instances.dat"),
        data("lost.dat"),
    ] {
        let ours = rows(&path);
        let Some(raw) = report(&path, &["-t", "-R", "--nodate"]) else { return };
        let raw = text_rows(text_file(&raw).path());
        assert_eq!(read_counts(&ours), read_counts(&raw), "{}", path.display());
        assert_eq!(common(&ours), common(&raw), "{}", path.display());
        // The short form does not distinguish a preempted thread from another runnable one.
        let short = text_rows(text_file(&report(&path, &["-t", "--nodate"]).unwrap()).path());
        let alike = |rows: &Rows| {
            common(rows).iter().map(|line| line.replace("prev_state=1 ", "prev_state=0 ")).collect::<Vec<_>>()
        };
        assert_eq!(alike(&ours), alike(&short), "{}", path.display());
        // Of an event in two buffers one alone has a stack; in text that one is left out as the second.
        if path != data("instances.dat") {
            assert_eq!(ours.of("event_stack").len(), short.of("event_stack").len(), "{}", path.display());
        }
        // Text without addresses within a function has two stacks that differ by those as one.
        let bare = |rows: &Rows| -> BTreeSet<Vec<String>> {
            let symbol = |symbol: &String| symbol.split('+').next().unwrap_or_default().to_owned();
            rows.stacks.iter().map(|stack| stack.iter().map(symbol).collect()).collect()
        };
        if path == fixture() {
            assert_eq!(bare(&ours), bare(&short), "{}", path.display());
        }
    }
}

#[test]
fn versions_and_compressions_do_not_matter() {
    let (plain, zstd) = (rows(&data("v7-plain.dat")), rows(&data("v7-zstd.dat")));
    assert_eq!(plain.lines, zstd.lines);
    let counts = [10, 9, 8, 7, 166, 64, 7, 64];
    assert_eq!(read_counts(&plain).into_values().collect::<Vec<_>>(), counts);
    let v6 = rows(&data("v6.dat"));
    assert_eq!(read_counts(&v6).into_values().collect::<Vec<_>>(), [2, 9, 7, 6, 118, 46, 6, 46]);
    assert_eq!(v6.of("sched_migrate_task").iter().filter(|line| line.contains("stack_id")).count(), 2);
}

#[test]
fn what_the_file_says_of_itself_is_reported() {
    let about = |path: &Path| wastenot_tracedat::open(path, &Options::default()).unwrap().about;
    let v6 = about(&data("v6.dat"));
    assert_eq!((v6.clock.as_str(), v6.recorder.as_str(), v6.cpus), ("mono", "trace-cmd 3.1.6", Some(2)));
    assert!(v6.epoch_ns.is_some_and(|ns| ns > 1_700_000_000_000_000_000), "recorded with --date: {:?}", v6.epoch_ns);
    let guest = about(&fixture());
    assert_eq!(
        (guest.clock.as_str(), guest.kernel.as_deref(), guest.arch.as_deref()),
        ("global", Some("6.1.0-56-amd64"), Some("x86_64"))
    );
    assert_eq!((guest.cpus, guest.epoch_ns), (Some(8), None));
}

#[test]
fn an_event_in_two_buffers_is_one() {
    for (name, read, switches) in [("instances.dat", 218, 109), ("v6-instances.dat", 131, 81)] {
        let rows = rows(&data(name));
        assert_eq!(read_counts(&rows)["sched_switch"], read, "{name}");
        assert_eq!(rows.of("sched_switch").len(), switches, "{name}");
        assert_eq!(rows.summary.counts.duplicates, read - switches as u64, "{name}");
        // The tid that leaves a CPU is the one that came: nothing was dropped or kept twice.
        let mut current = BTreeMap::new();
        for line in rows.of("sched_switch ") {
            let of = |key: &str| line.split(key).nth(1).unwrap().split(' ').next().unwrap().to_owned();
            if let Some(running) = current.insert(of(" cpu="), of("next_tid=")) {
                assert_eq!(running, of("prev_tid="), "{name}: {line}");
            }
        }
    }
}

#[test]
fn losses_are_rows() {
    let lost = rows(&data("lost.dat"));
    assert_eq!(lost.of("lost_events"), ["lost_events 4232445012101 end_ns=4232445423646 cpu=0 what=any"]);
}

#[test]
fn invalid_timestamps_are_refused() {
    let error = wastenot_tracedat::open(&data("cycles.dat"), &Options::default()).err().unwrap().to_string();
    assert!(error.contains("x86-tsc does not count ns") && error.contains("-C mono"), "{error}");
}

/// What comes of a file with this content: rows, or why not in one line. A panic or a hang fails the test.
fn outcome(content: &[u8]) -> Result<Rows, ImportError> {
    let file = text_file(content);
    let outcome = read(wastenot_tracedat::open, file.path(), &Options::default());
    if let Err(error) = &outcome {
        let message = error.to_string();
        assert!(!message.contains('\n') && message.len() < 400, "{message}");
    }
    outcome
}

fn all_files() -> Vec<(PathBuf, Vec<u8>)> {
    let mut paths: Vec<_> = std::fs::read_dir(data("")).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.retain(|path| path.extension().is_some_and(|end| end == "dat"));
    paths.push(fixture());
    assert_eq!(paths.len(), 8);
    paths.into_iter().map(|path| (path.clone(), std::fs::read(&path).unwrap())).collect()
}

/// xorshift64
fn random(state: &mut u64) -> u64 {
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    *state
}

#[test]
fn a_file_that_was_cut_off_is_refused_or_flagged() {
    let mut seed = 0x5eed;
    for (path, whole) in all_files() {
        let before = outcome(&whole).ok().map(|rows| rows.lines.len());
        for _ in 0..50 {
            let cut = random(&mut seed) as usize % whole.len();
            if let Ok(rows) = outcome(&whole[..cut]) {
                assert!(rows.lines.len() <= before.unwrap(), "{} cut to {cut} bytes", path.display());
                let complete = rows.summary.complete;
                assert!(
                    !complete || Some(rows.lines.len()) == before,
                    "{} cut to {cut} bytes is whole",
                    path.display()
                );
            }
        }
    }
}

#[test]
fn flipped_bytes_end_in_rows_or_in_one_line() {
    let mut seed = 0xf11b;
    for (path, whole) in all_files() {
        let small = whole.len() < 300_000;
        for round in 0..if small { 40 } else { 5 } {
            let mut damaged = whole.clone();
            for _ in 0..1 + round % 4 {
                // Heads, options and pages: three in four are spent on the first and last 8 kB.
                let part = if round % 4 == 0 { damaged.len() } else { damaged.len().min(8192) };
                let at = random(&mut seed) as usize % part;
                let at = if round % 2 == 0 { at } else { damaged.len() - 1 - at };
                damaged[at] = random(&mut seed) as u8;
            }
            let begin = std::time::Instant::now();
            let _ = outcome(&damaged);
            assert!(begin.elapsed().as_secs() < 20, "{} takes too long", path.display());
        }
    }
}

#[test]
fn files_that_are_not_a_trace_are_refused_as_such() {
    assert!(wastenot_tracedat::recognises(&std::fs::read(data("v6.dat")).unwrap()[..16]));
    assert!(!wastenot_tracedat::recognises(b"PERFILE2") && !wastenot_tracedat::recognises(b""));
    for (content, why) in [
        (&b""[..], "not a trace.dat"),
        (b"\x17\x08\x44tracing", "cut off in its head"),
        (b"\x17\x08\x44tracing8\0\x00\x08\x00\x10\0\0", "version 8"),
        (b"\x17\x08\x44tracing7\0\x00\x08\x00\x10\0\0lzma\x001\x00\0\0\0\0\0\0\0\0", "\"lzma\""),
        (b"\x17\x08\x44tracing6\0\x00\x08\x01\x10\0\0", "power of two"),
        (b"\x17\x08\x44tracing6\0\x07\x08\x01\x10\0\0", "byte order 7"),
        (b"\x17\x08\x44tracing7\0\x00\x08\x00\x10\0\0none\0\0\xff\xff\xff\xff\xff\xff\xff\xff", "list of its sections"),
    ] {
        let error = outcome(content).err().unwrap().to_string();
        assert!(error.contains(why), "{error}");
    }
}

#[test]
fn a_format_that_names_its_states_is_verified_whatever_the_release() {
    let bytes = std::fs::read(data("v6.dat")).unwrap();
    let patched = |from: &str, to: &str| {
        assert_eq!(from.len(), to.len());
        let mut bytes = bytes.clone();
        let places: Vec<usize> =
            (0..bytes.len() - from.len()).filter(|&at| &bytes[at..at + from.len()] == from.as_bytes()).collect();
        assert!(!places.is_empty(), "{from}");
        places.into_iter().for_each(|at| bytes[at..at + to.len()].copy_from_slice(to.as_bytes()));
        let file = text_file(&bytes);
        rows(file.path())
    };
    let known = rows(&data("v6.dat"));
    assert_eq!(known.summary.unverified, Vec::<String>::new());
    let newer = patched("6.18.44-scrubbe", "9.18.44-scrubbe");
    assert_eq!((&newer.lines, &newer.summary.unverified), (&known.lines, &vec![]));
    // A kernel that marks preempted threads with another bit says so in its format.
    let moved = patched(") + 1) << 1) ? \"+\"", ") + 1) << 4) ? \"+\"");
    assert!(moved.summary.unverified[0].contains("as the format names them"), "{:?}", moved.summary.unverified);
}
