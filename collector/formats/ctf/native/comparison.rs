//! The native decoder against libbabeltrace2, record by record: on the real traces, and on traces of random types.

use crate::decode::Plan;
use crate::folder::{self, PreparedTraces, TraceFolder};
use crate::graph::Input;
use crate::native::generated::{GeneratedTrace, Random};
use crate::native::{Decoder, tsdl};
use crate::pipe::{Child, PipeRead};
use crate::wire::{self, Record, Writer};
use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// What a decoder says of a trace.
#[derive(Debug, Default, PartialEq)]
struct Decoded {
    /// Records but for those of progress; of damage the port alone.
    records: Vec<String>,
    ignored: u64,
    packets: u64,
    /// It came to its end.
    whole: bool,
    /// Why the library refused the whole trace.
    refused: Option<String>,
    /// What it says of damage.
    why: Vec<String>,
}

impl Decoded {
    fn add(&mut self, record: &Record<'_>) {
        match record {
            Record::Time { ignored, .. } => self.ignored += ignored,
            Record::Packets(packets) => self.packets = *packets,
            Record::Damaged { port: u32::MAX, why } => self.refused = Some(why.clone()),
            Record::Damaged { port, why } => {
                self.records.push(format!("Damaged {port}"));
                self.why.push(why.clone());
            }
            Record::End => self.whole = true,
            other => self.records.push(format!("{other:?}")),
        }
    }

    fn read(&mut self, bytes: &[u8]) -> usize {
        let mut used = 0;
        while let Some((record, length)) = wire::read(&bytes[used..]).expect("well-formed records") {
            self.add(&record);
            used += length;
        }
        used
    }

    fn events(&self) -> usize {
        self.records.iter().filter(|record| record.starts_with("Event") || record.starts_with("Call")).count()
    }
}

fn native(prepared: &PreparedTraces) -> Result<Decoded, String> {
    let begun = Instant::now();
    let mut decoder = Decoder::open(&prepared.traces)?;
    let (mut decoded, mut writer) = (Decoded::default(), Writer::default());
    loop {
        let more = decoder.decode(&mut writer);
        assert_eq!(decoded.read(&writer.bytes), writer.bytes.len());
        writer.bytes.clear();
        assert!(begun.elapsed() < Duration::from_secs(60), "it hangs");
        if !more {
            return Ok(decoded);
        }
    }
}

/// None: the library is not installed.
fn library(prepared: &PreparedTraces) -> Option<Decoded> {
    let library = match crate::graph::library() {
        Ok(library) => library,
        Err(why) => {
            wastenot_skips::skip(format_args!("libbabeltrace2: {why}"));
            return None;
        }
    };
    let (folders, _links) = prepared.link().unwrap();
    let inputs = folders.into_iter().map(Input::Folders).collect();
    let mut child = Child::spawn(library, &Plan { inputs, limits: HashMap::new() }).unwrap();
    let (mut decoded, mut bytes, mut portion) = (Decoded::default(), Vec::new(), vec![0; 1 << 20]);
    loop {
        match child.read(&mut portion, Duration::from_secs(60)).unwrap() {
            PipeRead::Bytes(count) => bytes.extend(&portion[..count]),
            PipeRead::Silent | PipeRead::Closed => return Some(decoded),
        }
        let used = decoded.read(&bytes);
        bytes.drain(..used);
    }
}

fn compare(native: &Decoded, library: &Decoded, what: &str) {
    let what = &format!("{what}\n{:?}\n{:?}", native.why, library.why);
    let mut theirs = library.records.iter().peekable();
    let mut reported = native.why.iter();
    for (n, ours) in native.records.iter().enumerate() {
        let why = if ours.starts_with("Damaged") { reported.next() } else { None };
        // In the last packet of a file the library takes the end of the file for that of the stream, whatever it
        // expected there.
        if theirs.peek() != Some(&ours) && why.is_some_and(|why| why.contains("beyond the end of the file")) {
            continue;
        }
        assert_eq!(Some(ours), theirs.next(), "{what}: record {n}");
    }
    assert_eq!(theirs.next(), None, "{what}");
    assert_eq!((native.ignored, native.packets), (library.ignored, library.packets), "{what}");
}

/// What came of a comparison.
enum Compared {
    /// The library is not installed.
    NoLibrary,
    /// The library refused the trace, or did not survive it.
    Alone(String),
    Same(Decoded),
}

fn prepare(folder: &Path) -> PreparedTraces {
    let folders = folder::find(folder).iter().map(|folder| TraceFolder::open(folder).unwrap()).collect();
    folder::prepare(folders).unwrap()
}

/// Both decoders on the traces in this folder.
fn check(folder: &Path, what: &str) -> Compared {
    let prepared = prepare(folder);
    let ours = native(&prepared).unwrap_or_else(|why| panic!("{what}: {why}"));
    assert!(ours.whole);
    let Some(theirs) = library(&prepared) else { return Compared::NoLibrary };
    if let Some(why) = theirs.refused {
        return Compared::Alone(why);
    }
    if !theirs.whole {
        return Compared::Alone("it ended itself".into());
    }
    compare(&ours, &theirs, what);
    Compared::Same(ours)
}

fn fixtures() -> Vec<PathBuf> {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../fixtures/traces");
    let mut found = folder::find(&root);
    found.sort();
    assert!(found.len() >= 7, "{found:?}");
    found
}

#[test]
fn the_real_traces_give_the_same_records() {
    for folder in fixtures() {
        let what = folder.display().to_string();
        if let Compared::Same(decoded) = check(&folder, &what) {
            assert!(decoded.events() > 3000, "{what}: {}", decoded.events());
        }
    }
}

#[test]
fn metadata_are_read_as_they_were_generated() {
    for seed in 0..500 {
        let trace = GeneratedTrace::new(&mut Random::new(seed));
        let parsed = tsdl::parse(&trace.metadata()).unwrap_or_else(|why| panic!("{seed}: {why}\n{}", trace.metadata()));
        assert_eq!(parsed, trace.classes, "{seed}\n{}", trace.metadata());
    }
}

#[test]
fn metadata_of_ctf_2_give_the_same_records() {
    for seed in 0..200 {
        let dir = tempfile::tempdir().unwrap();
        let mut random = Random::new(seed);
        let trace = GeneratedTrace::new(&mut random);
        let folders: Vec<PathBuf> = (0..=random.below(2)).map(|n| dir.path().join(format!("part-{n}"))).collect();
        let written = trace.write_parts(&folders, 1, &mut random);
        let old = native(&prepare(dir.path())).unwrap();
        let metadata = trace.metadata_of_ctf_2(&mut random);
        folders.iter().for_each(|folder| fs::write(folder.join("metadata"), &metadata).unwrap());
        let new = native(&prepare(dir.path())).unwrap_or_else(|why| panic!("{seed}: {why}\n{metadata}"));
        assert_eq!(new, old, "{seed}\n{metadata}");
        assert_eq!(new.events() as u64 + new.ignored, written);
    }
}

/// Of CTF 2 the layout of packets is not known before the metadata are read.
#[test]
fn a_cut_file_and_a_foreign_one_beside_metadata_of_ctf_2() {
    let dir = tempfile::tempdir().unwrap();
    let mut random = Random::new(5);
    let trace = GeneratedTrace::new(&mut random);
    trace.write(dir.path(), &mut random);
    fs::write(dir.path().join("metadata"), trace.metadata_of_ctf_2(&mut random)).unwrap();
    fs::write(dir.path().join("kallsyms"), "ffffffff81000000 T _text\n").unwrap();
    let whole = native(&prepare(dir.path())).unwrap();
    assert_eq!(whole.why, Vec::<String>::new());
    let file = dir.path().join("c0_0");
    let bytes = fs::read(&file).unwrap();
    fs::write(&file, &bytes[..bytes.len() - 8]).unwrap();
    let cut = native(&prepare(dir.path())).unwrap();
    assert!(cut.why.iter().any(|why| why.contains("c0_0: the file ends within the packet")), "{:?}", cut.why);
    assert!(cut.events() > 0 && cut.events() <= whole.events());
}

#[test]
fn traces_of_random_types_give_the_same_records() {
    let seeds = std::env::var("WASTENOT_CTF_SEEDS").ok().and_then(|seeds| seeds.parse().ok()).unwrap_or(200);
    let mut compared = 0;
    for seed in 0..seeds {
        let dir = tempfile::tempdir().unwrap();
        let mut random = Random::new(seed);
        let trace = GeneratedTrace::new(&mut random);
        let written = trace.write(dir.path(), &mut random);
        let what = format!("seed {seed}\n{}", trace.metadata());
        match check(dir.path(), &what) {
            Compared::NoLibrary => return,
            Compared::Alone(why) => panic!("{why}: {:?} {what}", dir.keep()),
            Compared::Same(decoded) => {
                assert_eq!(decoded.events() as u64 + decoded.ignored, written, "{what}");
                compared += 1;
            }
        }
    }
    println!("{compared} of {seeds} compared");
    assert!(compared >= seeds / 2, "the library refuses most of them: only {compared} of {seeds} were compared");
}

#[test]
fn sessions_in_parts_give_the_same_records() {
    for seed in 0..100 {
        let dir = tempfile::tempdir().unwrap();
        let mut random = Random::new(2_000_000 + seed);
        let trace = GeneratedTrace::new(&mut random);
        let folders: Vec<PathBuf> =
            (0..=random.below(3)).map(|n| dir.path().join(format!("part-{n}/kernel"))).collect();
        let files = 1 + random.below(3);
        let written = trace.write_parts(&folders, files, &mut random);
        let what = format!("seed {seed}, {} parts of {files} files\n{}", folders.len(), trace.metadata());
        match check(dir.path(), &what) {
            Compared::NoLibrary => return,
            Compared::Alone(why) => panic!("{why}: {:?} {what}", dir.keep()),
            Compared::Same(decoded) => assert_eq!(decoded.events() as u64 + decoded.ignored, written, "{what}"),
        }
    }
}

#[test]
fn metadata_with_other_bytes_end_in_an_error_or_in_records() {
    let mut read = 0;
    for seed in 0..40 {
        let dir = tempfile::tempdir().unwrap();
        let mut random = Random::new(3_000_000 + seed);
        let trace = GeneratedTrace::new(&mut random);
        trace.write(dir.path(), &mut random);
        let texts = [trace.metadata(), trace.metadata_of_ctf_2(&mut random)];
        for round in 0..50 {
            let mut bytes = texts[round % 2].clone().into_bytes();
            for _ in 0..=random.below(2) {
                let at = random.below(bytes.len() as u64) as usize;
                match random.below(4) {
                    0 => bytes.truncate(at.max(20)),
                    1 => bytes[at] = b"0123456789;{}[]<>:,.=\" "[random.below(23) as usize],
                    2 => drop(bytes.remove(at)),
                    _ => {
                        let end = (at + random.below(200) as usize).min(bytes.len());
                        let copy = bytes[at..end].to_vec();
                        bytes.splice(at..at, copy);
                    }
                }
            }
            fs::write(dir.path().join("metadata"), bytes).unwrap();
            let Some(folder) = folder::find(dir.path()).pop() else { continue };
            let Ok(folder) = TraceFolder::open(&folder) else { continue };
            let prepared = folder::prepare(vec![folder]).unwrap();
            match native(&prepared) {
                Ok(_) => read += 1,
                Err(why) => assert!(!why.contains('\n') && why.len() < 500, "{why}"),
            }
        }
    }
    assert!(read > 100, "nearly all are refused: only {read} were read");
}

#[test]
fn damaged_traces_give_the_same_records_up_to_the_damage() {
    let mut compared = 0;
    for seed in 0..100 {
        let dir = tempfile::tempdir().unwrap();
        let mut random = Random::new(1_000_000 + seed);
        let trace = GeneratedTrace::new(&mut random);
        trace.write(dir.path(), &mut random);
        let mut files: Vec<PathBuf> = fs::read_dir(dir.path()).unwrap().map(|entry| entry.unwrap().path()).collect();
        files.retain(|file| file.file_name().unwrap() != "metadata");
        files.sort();
        let file = &files[random.below(files.len() as u64) as usize];
        let mut bytes = fs::read(file).unwrap();
        if random.below(2) == 0 {
            bytes.truncate(1 + random.below(bytes.len() as u64) as usize);
        } else {
            for _ in 0..=random.below(4) {
                let at = random.below(bytes.len() as u64) as usize;
                bytes[at] = random.below(256) as u8;
            }
        }
        fs::write(file, bytes).unwrap();
        match check(dir.path(), &format!("seed {seed}\n{}", trace.metadata())) {
            Compared::Alone(why) => println!("{why}"),
            _ => compared += 1,
        }
    }
    println!("{compared} of 100 compared");
}
