//! Files that have lost the formats of their events, with those of another place.

mod common;

use common::drawn::*;
use common::{guest, import as import_path, imported, recording};
use std::fs;
use std::path::{Path, PathBuf};
use wastenot_import::{ImportError, Options};

fn with_formats(path: &Path, formats: &Path) -> Result<common::Imported, ImportError> {
    import_path(path, &Options { formats: Some(formats.to_owned()), ..Options::default() })
}

fn refusal_with(path: &Path, formats: &Path) -> String {
    match with_formats(path, formats) {
        Ok(_) => panic!("imported"),
        Err(error) => error.to_string(),
    }
}

/// A file as a `perf record` that was killed leaves it: its records, their size not yet in the header, and nothing behind them.
fn killed(whole: &Path, to: &Path) {
    let mut bytes = fs::read(whole).unwrap();
    let word = |at: usize| u64::from_le_bytes(bytes[at..at + 8].try_into().unwrap());
    let (begin, size) = (word(40), word(48));
    bytes.truncate((begin + size) as usize);
    bytes[48..56].fill(0);
    fs::write(to, bytes).unwrap();
}

/// Formats as tracefs has them, of a file's tracing data: each text from `name:` on.
fn tracefs(whole: &Path, at: &Path) -> PathBuf {
    let bytes = fs::read(whole).unwrap();
    let text = String::from_utf8_lossy(&bytes).into_owned();
    for (start, _) in text.match_indices("name: sched_") {
        let format: String = text[start..].split_inclusive('\n').take_while(|line| !line.contains('\0')).collect();
        let name = format.lines().next().unwrap().strip_prefix("name: ").unwrap();
        let folder = at.join("events/sched").join(name);
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join("format"), &format).unwrap();
        fs::write(folder.join("enable"), "0").unwrap();
    }
    at.to_owned()
}

/// A switch, with the padding that perf gives its record.
fn one_switch() -> Drawn {
    let mut drawn = Drawn::new(LITTLE);
    drawn.cpus(1);
    let switch = drawn.tracepoint(SWITCH, &[11]);
    let raw = [drawn.switch_raw(7, 1, 8), vec![0; 4]].concat();
    drawn.sample(switch, 20, 0, &[], &raw);
    drawn
}

#[test]
fn a_killed_recording_is_read_with_the_formats_of_another_file_or_of_tracefs() {
    for whole in [guest("perf.data"), recording("zstd.data")] {
        let folder = tempfile::tempdir().unwrap();
        let cut = folder.path().join("cut.data");
        killed(&whole, &cut);
        let refused = import_path(&cut, &Options::default()).err().unwrap().to_string();
        assert!(refused.contains("formats of its events are missing") && refused.contains("--formats"), "{refused}");
        let expected = imported(&whole);
        for formats in [whole.clone(), tracefs(&whole, folder.path())] {
            let found = with_formats(&cut, &formats).unwrap();
            assert_eq!(found.switches(), expected.switches());
            assert_eq!(found.migrations().len(), expected.migrations().len());
            assert_eq!(found.counts(), expected.counts());
            assert!(!found.summary.complete && expected.summary.complete);
            assert!(
                found.summary.notes.iter().any(|note| note.contains("as --formats says")),
                "{:?}",
                found.summary.notes
            );
        }
    }
}

#[test]
fn what_another_recording_says_of_the_machine_is_taken_and_of_itself_is_not() {
    let folder = tempfile::tempdir().unwrap();
    let cut = folder.path().join("cut.data");
    killed(&guest("perf.data"), &cut);
    let opened = |formats: &Path| {
        let options = Options { formats: Some(formats.to_owned()), ..Options::default() };
        wastenot_perf::open(&cut, &options).unwrap().about
    };
    let (other, alone) = (opened(&guest("perf.data")), opened(&tracefs(&guest("perf.data"), folder.path())));
    assert!(other.kernel.is_some() && other.machine.is_some());
    assert_eq!((other.command, other.epoch_ns), (None, None));
    assert_eq!((alone.kernel, alone.machine.is_some()), (None, false));
}

#[test]
fn formats_of_another_kernel_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let cut = folder.path().join("cut.data");
    let mut drawn = one_switch();
    let whole = folder.path().join("whole.data");
    fs::write(&whole, drawn.file()).unwrap();
    drawn.without_feature(1);
    fs::write(&cut, drawn.file()).unwrap();
    assert_eq!(with_formats(&cut, &whole).unwrap().switches(), [(20, 0, 7, 8)]);

    let at = tracefs(&whole, folder.path());
    let format = at.join("events/sched/sched_switch/format");
    let right = fs::read_to_string(&format).unwrap();
    fs::write(&format, right.replace("ID: 314", "ID: 315")).unwrap();
    let refused = refusal_with(&cut, &at);
    assert!(refused.contains("number 314, which was recorded: it is that of another kernel"), "{refused}");
    fs::create_dir_all(at.join("events/other/any")).unwrap();
    fs::write(at.join("events/other/any/format"), "name: any\nID: 314\nformat:\n").unwrap();
    let refused = refusal_with(&cut, &at);
    assert!(refused.contains("none of the events that were recorded is a scheduler's"), "{refused}");
    fs::remove_dir_all(at.join("events/other")).unwrap();
    fs::write(&format, right.replace("offset:60;\tsize:4", "offset:76;\tsize:4")).unwrap();
    let refused = refusal_with(&cut, &at);
    assert!(refused.contains("sched_switch have 68 bytes") && refused.contains("another kernel"), "{refused}");

    fs::write(&format, right).unwrap();
    assert_eq!(with_formats(&cut, &at.join("events")).unwrap().switches(), [(20, 0, 7, 8)]);
    assert!(refusal_with(&cut, &cut).contains("no formats of events either"));
    assert!(refusal_with(&cut, &at.join("events/sched")).contains("no formats of scheduler events in it"));
    assert!(refusal_with(&cut, &at.join("nothing")).contains("No such file"));
    let mut big = Drawn::new(BIG);
    let switch = big.tracepoint(SWITCH, &[11]);
    big.switch(switch, 20, 0, 7, 8);
    fs::write(folder.path().join("big.data"), big.file()).unwrap();
    let refused = refusal_with(&cut, &folder.path().join("big.data"));
    assert!(refused.contains("other byte order"), "{refused}");
}

#[test]
fn formats_may_come_through_a_pipe_and_of_a_folder_but_of_fewer_events_they_do_not_suffice() {
    let folder = tempfile::tempdir().unwrap();
    let cut = folder.path().join("cut.data");
    let mut drawn = one_switch();
    let (whole, pipe) = (drawn.file(), drawn.pipe());
    fs::write(folder.path().join("pipe"), pipe).unwrap();
    fs::create_dir(folder.path().join("threads")).unwrap();
    fs::write(folder.path().join("threads/data"), &whole).unwrap();
    drawn.without_feature(1);
    fs::write(&cut, drawn.file()).unwrap();
    for formats in ["pipe", "threads"] {
        assert_eq!(with_formats(&cut, &folder.path().join(formats)).unwrap().switches(), [(20, 0, 7, 8)], "{formats}");
    }
    drawn.tracepoint(77, &[12]);
    fs::write(&cut, drawn.file()).unwrap();
    let refused = refusal_with(&cut, &folder.path().join("pipe"));
    assert!(
        refused.contains("no format of event 77, which was recorded; give a recording of the same events"),
        "{refused}"
    );
}

#[test]
fn a_killed_recording_of_several_threads_is_read_from_all_its_files() {
    let folder = tempfile::tempdir().unwrap();
    let mut drawn = Drawn::new(LITTLE);
    drawn.cpus(2);
    let switch = drawn.tracepoint(SWITCH, &[11, 12]);
    let raw = [drawn.switch_raw(7, 1, 8), vec![0; 4]].concat();
    for (file, cpu) in [("data.0", 0), ("data.1", 1)] {
        drawn.records.clear();
        drawn.sample(switch, 20 + u64::from(cpu), cpu, &[], &raw);
        fs::write(folder.path().join(file), &drawn.records).unwrap();
    }
    drawn.records.clear();
    drawn.feature(24, drawn.u64(1));
    let whole = drawn.file();
    fs::write(folder.path().join("formats"), &whole).unwrap();
    let features = whole.len() - drawn.features_size();
    fs::write(folder.path().join("data"), &whole[..features]).unwrap();
    let found =
        with_formats(folder.path(), &tracefs(&folder.path().join("formats"), &folder.path().join("t"))).unwrap();
    assert_eq!(found.switches(), [(20, 0, 7, 8), (21, 1, 7, 8)]);
    assert!(!found.summary.complete);
}

#[test]
fn formats_that_are_not_needed_are_not_used() {
    let whole = guest("perf.data");
    let found = with_formats(&whole, Path::new("/nowhere")).unwrap();
    assert_eq!(found.switches(), imported(&whole).switches());
    assert!(found.summary.notes.iter().any(|note| note.contains("--formats was not needed")));
}
