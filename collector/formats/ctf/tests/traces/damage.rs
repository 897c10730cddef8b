//! Damaged traces: each ends in a one-line error or in a partial result that says so.

use crate::ctf::{Channel, Endian, MIGRATE, STACK, SWITCH, Trace};
use crate::fixtures::folder;
use crate::imported::{Imported, import, import_decoded};
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use tempfile::TempDir;
use wastenot_ctf::DecodeWith;

/// Numbers as good as random, the same in every run.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % limit as u64) as usize
    }
}

/// A copy of a real trace.
fn copy() -> (TempDir, PathBuf) {
    let dir = tempfile::tempdir().unwrap();
    let from = folder("guest-6.1/pinned/kernel");
    let to = dir.path().join("kernel");
    fs::create_dir_all(to.join("index")).unwrap();
    for entry in fs::read_dir(&from).unwrap().chain(fs::read_dir(from.join("index")).unwrap()) {
        let entry = entry.unwrap().path();
        if entry.is_file() {
            let place = entry.strip_prefix(&from).unwrap();
            fs::copy(&entry, to.join(place)).unwrap();
        }
    }
    (dir, to)
}

/// Import what may be damaged. None: refused in one line.
fn attempt(path: &Path, what: &str) -> Option<Imported> {
    let timely = |with: DecodeWith| {
        let begun = Instant::now();
        let result = import_decoded(path, with);
        assert!(begun.elapsed() < Duration::from_secs(60), "{what}: it hangs");
        result
    };
    let (result, library) = (timely(DecodeWith::Either), timely(DecodeWith::Library));
    if let (Ok(ours), Ok(theirs)) = (&result, &library)
        && !theirs.summary.notes.iter().any(|note| note.contains("does not survive"))
    {
        // Notes of damage are in other words.
        let rows =
            |of: &Imported| of.single_rows().into_iter().filter(|(table, _)| *table != "trace").collect::<Vec<_>>();
        assert!(rows(ours) == rows(theirs), "{what}: libbabeltrace2 gives other rows");
        // The library is silent when the last packet of a file ends within an event.
        assert!(theirs.summary.complete || !ours.summary.complete, "{what}: damage that is not reported");
    }
    match result {
        Ok(imported) => Some(imported),
        Err(error) => {
            let error = error.to_string();
            assert!(!error.is_empty() && !error.contains('\n') && error.len() < 1000, "{what}: {error}");
            None
        }
    }
}

fn streams(folder: &Path) -> Vec<PathBuf> {
    let mut files: Vec<PathBuf> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.retain(|file| file.is_file() && file.file_name().unwrap() != "metadata");
    files.sort();
    files
}

#[test]
fn a_stream_that_is_cut_off_gives_what_is_left_of_it_and_all_others() {
    let (dir, kernel) = copy();
    let whole = import(dir.path()).unwrap();
    let (mut random, mut salvaged) = (Random(1), 0);
    for _ in 0..50 {
        let files = streams(&kernel);
        let file = &files[random.below(files.len())];
        let bytes = fs::read(file).unwrap();
        let cut = random.below(bytes.len());
        fs::write(file, &bytes[..cut]).unwrap();
        let what = format!("{} cut at {cut}", file.display());
        let imported = attempt(dir.path(), &what).unwrap_or_else(|| panic!("{what}: refused"));
        if cut > 0 {
            assert!(!imported.summary.complete, "{what}: {:?}", imported.summary.notes);
        }
        let (got, all) = (imported.switches(), whole.switches());
        assert!(got.iter().all(|switch| all.contains(switch)), "{what}: nothing is made up");
        let name = file.file_name().unwrap().to_str().unwrap();
        if let Some(cpu) = name.strip_prefix("c1_") {
            let of = |switches: &[(i64, i16, i32, u8, i32)], mine: bool| {
                switches.iter().filter(|switch| (switch.1.to_string() == cpu) == mine).count()
            };
            assert_eq!(of(&got, false), of(&all, false), "{what}: other CPUs are whole");
            salvaged += of(&got, true);
        } else {
            assert_eq!(got.len(), all.len(), "{what}: other channels are whole");
        }
        fs::write(file, bytes).unwrap();
    }
    assert!(salvaged > 0);
}

#[test]
fn metadata_that_are_cut_off_are_refused() {
    let (dir, kernel) = copy();
    let file = kernel.join("metadata");
    let bytes = fs::read(&file).unwrap();
    let mut random = Random(2);
    for _ in 0..50 {
        let cut = random.below(bytes.len());
        fs::write(&file, &bytes[..cut]).unwrap();
        if let Some(imported) = attempt(dir.path(), &format!("metadata cut at {cut}")) {
            assert!(!imported.summary.complete, "cut at {cut}");
        }
    }
}

#[test]
fn flipped_bytes_end_in_an_error_or_in_rows() {
    let (dir, kernel) = copy();
    let mut random = Random(3);
    let mut files = streams(&kernel);
    files.push(kernel.join("metadata"));
    files.extend(streams(&kernel.join("index")));
    for round in 0..60 {
        // A third of the rounds each: metadata, indices, streams.
        let range = match round % 3 {
            0 => 24..25,
            1 => 25..files.len(),
            _ => 0..24,
        };
        let file = files[range.start + random.below(range.len())].clone();
        let bytes = fs::read(&file).unwrap();
        let mut damaged = bytes.clone();
        let near = if random.below(2) == 0 { damaged.len().min(200) } else { damaged.len() };
        for _ in 0..=random.below(8) {
            damaged[random.below(near)] = random.below(256) as u8;
        }
        fs::write(&file, damaged).unwrap();
        attempt(dir.path(), &format!("round {round}: {} flipped", file.display()));
        fs::write(&file, bytes).unwrap();
    }
}

#[test]
fn bytes_put_in_do_not_hang_it() {
    let (dir, kernel) = copy();
    let mut random = Random(4);
    for round in 0..20 {
        let files = streams(&kernel);
        let file = files[random.below(files.len())].clone();
        let bytes = fs::read(&file).unwrap();
        let mut damaged = bytes.clone();
        let (at, from) = (random.below(bytes.len()), random.below(bytes.len()));
        let end = (from + random.below(200)).min(bytes.len());
        damaged.splice(at..at, bytes[from..end].iter().copied());
        fs::write(&file, damaged).unwrap();
        attempt(dir.path(), &format!("round {round}: {} at {at}", file.display()));
        fs::write(&file, bytes).unwrap();
    }
}

#[test]
fn a_stack_of_a_hostile_length_costs_its_stream_only() {
    let dir = tempfile::tempdir().unwrap();
    let channels = vec![
        Channel { name: "c1", context: "", events: vec![SWITCH] },
        Channel { name: "cm", context: STACK, events: vec![MIGRATE] },
    ];
    let mut trace = Trace::create(dir.path(), Endian::Little, channels).unwrap();
    for n in 0..2000 {
        let ts = 1_000_000 * (n + 1);
        let payload = trace.payload().text("t7").int(7).int(20).long(1).text("t8").int(8).int(20);
        trace.event(0, 0, ts, "sched_switch", &[], &payload.bytes).unwrap();
        let payload = trace.payload().text("t7").int(7).int(20).int(0).int(1);
        let mut stack = trace.payload().stack(&[16, 32]).bytes;
        if n == 1000 {
            stack[..4].copy_from_slice(&0x7fff_ffffu32.to_le_bytes()); // 17 GB of fields, which the library asks for
        }
        trace.event(1, 1, ts + 1, "sched_migrate_task", &stack, &payload.bytes).unwrap();
    }
    trace.finish().unwrap();
    let imported = import(dir.path()).unwrap();
    assert!(!imported.summary.complete, "{:?}", imported.summary.notes);
    assert_eq!(imported.switches().len(), 2000, "the other stream is whole");
    assert!((900..=1000).contains(&imported.migrations().len()), "{}", imported.migrations().len());
}
