//! Whatever ends a recording, what was recorded stays readable, and it says where it ends.

mod recording;

use recording::{Contradictions, events};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};
use wastenot_ebpf::segment::Tail;
use wastenot_ebpf::{CaptureError, EbpfRecorder, Meta, Options};
use wastenot_skips::skip;

/// A program that records: `record FOLDER SECONDS`, the example of that name.
fn recorder() -> PathBuf {
    let program = std::env::current_exe().unwrap().parent().unwrap().join("../examples/record");
    assert!(program.is_file(), "{} is missing; cargo build -p wastenot-ebpf --examples", program.display());
    program
}

#[test]
fn a_killed_recorder_leaves_a_readable_part() {
    for alive_ms in [5, 150, 700] {
        let folder = tempfile::tempdir().unwrap();
        let part = folder.path().join("t.part");
        let mut child = Command::new(recorder())
            .args([part.as_os_str(), "60".as_ref()])
            .stdout(std::process::Stdio::null())
            .stderr(std::process::Stdio::piped())
            .spawn()
            .unwrap();
        let started = Instant::now();
        while !part.join("meta.json").exists() && started.elapsed() < Duration::from_secs(20) {
            if child.try_wait().unwrap().is_some() {
                let message = std::io::read_to_string(child.stderr.take().unwrap()).unwrap();
                let refused = message.contains("run as root") || message.contains("CONFIG_DEBUG_INFO_BTF");
                assert!(refused, "the recorder ended by itself: {message}");
                return skip(format_args!("nothing can be recorded here: {message}"));
            }
            std::thread::sleep(Duration::from_millis(1));
        }
        std::thread::sleep(Duration::from_millis(alive_ms));
        child.kill().unwrap(); // SIGKILL
        child.wait().unwrap();
        let meta = Meta::read(&part).unwrap();
        assert_eq!((meta.end_ns, &meta.end_reason), (None, &None), "no end was written");
        let (events, tail) = events(&part);
        println!("alive {alive_ms} ms: {} records, {tail}", events.len());
        assert!(matches!(tail, Tail::Truncated { .. }), "{tail:?}");
        let found = Contradictions::of(&events);
        assert!(events.len() > 20, "the snapshot is there from the start");
        assert!(found.twice.is_empty(), "{:#?}", found.twice);
        if alive_ms >= 700 {
            assert!(found.switches > 0 && found.wrong_prev.is_empty(), "{found:#?}");
            let last = events.last().unwrap().ts_ns;
            assert!(last > meta.start_ns + 200_000_000, "at most 200 ms are lost");
        }
    }
}

/// A file system of its own, gone with the value.
struct SmallDisk(PathBuf);

impl SmallDisk {
    fn mount(at: &Path, bytes: u32) -> Option<Self> {
        std::fs::create_dir(at).unwrap();
        let mounted =
            Command::new("mount").args(["-t", "tmpfs", "-o", &format!("size={bytes}"), "none"]).arg(at).status();
        mounted.is_ok_and(|status| status.success()).then(|| Self(at.to_owned()))
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg(&self.0).status();
    }
}

#[test]
fn a_full_disk_ends_the_recording_and_keeps_what_was_written() {
    let folder = tempfile::tempdir().unwrap();
    let Some(disk) = SmallDisk::mount(&folder.path().join("small"), 256 << 10) else {
        return skip("no file system can be mounted here");
    };
    let part = disk.0.join("t.part");
    let mut recorder = EbpfRecorder::new(&part, Options::default());
    if let Err(error) = recorder.start() {
        assert!(matches!(error, CaptureError::NotPermitted { .. } | CaptureError::NoBtf), "{error}");
        return skip(format_args!("nothing can be recorded here: {error}"));
    }
    let load = recording::run("for i in 1 2 3 4; do (while :; do /bin/true; done) & done; sleep 20");
    let begun = Instant::now();
    while recorder.stats().unwrap().ended.is_none() && begun.elapsed() < Duration::from_secs(20) {
        std::thread::sleep(Duration::from_millis(20));
    }
    drop(load);
    let meta = recorder.stop("duration").unwrap();
    assert_eq!(meta.end_reason.as_deref(), Some("disk_full"));
    assert_eq!(Meta::read(&part).unwrap(), meta, "the end could still be written");
    let (events, tail) = events(&part);
    println!("{} records, {tail}, {:?}", events.len(), meta.stats);
    assert!(events.len() > 100);
    assert!(matches!(tail, Tail::Truncated { .. }), "{tail:?}");
    assert!(meta.end_ns.unwrap() >= events.last().unwrap().ts_ns);
}

#[test]
fn an_existing_or_forbidden_folder_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let mut recorder = EbpfRecorder::new(folder.path(), Options::default());
    let error = recorder.start().unwrap_err();
    if matches!(error, CaptureError::NotPermitted { .. } | CaptureError::NoBtf) {
        return skip(format_args!("nothing can be recorded here: {error}"));
    }
    let message = error.to_string();
    assert!(message.contains(folder.path().to_str().unwrap()) && message.contains("File exists"), "{message}");
    let missing = folder.path().join("no/such/place");
    let message = EbpfRecorder::new(&missing, Options::default()).start().unwrap_err().to_string();
    assert!(message.contains("no/such/place") && message.contains("No such file"), "{message}");
}

#[test]
fn without_rights_the_message_says_what_to_do() {
    // Where the user nobody may reach it: folders above may be closed to it.
    let folder = tempfile::tempdir().unwrap();
    let program = folder.path().join("record");
    std::fs::copy(recorder(), &program).unwrap();
    std::fs::set_permissions(folder.path(), std::fs::Permissions::from_mode(0o777)).unwrap();
    let child = Command::new("setpriv")
        .args(["--reuid=65534", "--regid=65534", "--clear-groups", "--inh-caps=-all", "--bounding-set=-all"])
        .arg(&program)
        .arg(folder.path().join("t.part"))
        .arg("1")
        .output();
    let output = match child {
        Ok(output) => output,
        Err(error) => return skip(format_args!("setpriv cannot be run: {error}")),
    };
    let said = String::from_utf8_lossy(&output.stderr);
    if said.contains("setpriv:") {
        return skip(format_args!("no program can be run as user 65534: {said}"));
    }
    assert!(!output.status.success(), "recording needs privileges");
    assert!(said.contains("BPF is not permitted here") || said.contains("CONFIG_DEBUG_INFO_BTF"), "{said}");
    assert_eq!(said.lines().count(), 1, "{said}");
}
