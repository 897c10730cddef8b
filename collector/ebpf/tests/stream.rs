//! A recording decoded while its frames arrive gives the events that the decoder of the whole recording gives.

use arrow_array::RecordBatch;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use wastenot_ebpf::Meta;
use wastenot_ebpf::decode::{CompanionTrace, EventStream, decode};
use wastenot_ebpf::segment::{Frame, RecordingReader};
use wastenot_machine::Machine;
use wastenot_schemas::{BatchCollector, EventView};

/// The part folders below a folder.
fn parts_in(folder: &Path, found: &mut Vec<PathBuf>) {
    for path in std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).filter(|path| path.is_dir()) {
        match path.extension().is_some_and(|extension| extension == "part") {
            true => found.push(path),
            false => parts_in(&path, found),
        }
    }
}

fn recordings() -> Vec<PathBuf> {
    let mut found = Vec::new();
    parts_in(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/traces"), &mut found);
    assert!(found.len() >= 40, "{found:?}");
    found
}

/// Batches of event tables, by table.
type Events = BTreeMap<String, Vec<RecordBatch>>;

fn by_table(batches: Vec<(&'static str, RecordBatch)>) -> Events {
    let mut events = Events::new();
    for (table, batch) in batches.into_iter().filter(|(table, _)| EventView::of_table(table).is_some()) {
        events.entry(table.into()).or_default().push(batch);
    }
    events
}

/// The rows are the same, however they are cut into batches.
fn assert_same_rows(table: &str, ours: &[RecordBatch], theirs: &[RecordBatch]) {
    let rows = |of: &[RecordBatch]| of.iter().map(RecordBatch::num_rows).sum::<usize>();
    assert_eq!(rows(ours), rows(theirs), "{table}");
    let mut theirs = theirs.iter().cloned();
    let mut left = RecordBatch::new_empty(ours[0].schema());
    for batch in ours {
        let mut at = 0;
        while at < batch.num_rows() {
            while left.num_rows() == 0 {
                left = theirs.next().expect("as many rows");
            }
            let n = left.num_rows().min(batch.num_rows() - at);
            assert_eq!(batch.slice(at, n), left.slice(0, n), "{table}");
            (left, at) = (left.slice(n, left.num_rows() - n), at + n);
        }
    }
}

#[test]
fn frames_as_they_arrive_give_the_events_of_the_whole() {
    let mut several = 0;
    for part in recordings() {
        let mut whole = BatchCollector::default();
        let summary = decode(&part, CompanionTrace::default(), &mut whole, &mut |_, _| {}).unwrap();
        let meta = Meta::read(&part).unwrap();
        let machine = Machine::from_json(&std::fs::read_to_string(part.join("machine.json")).unwrap()).unwrap();
        let mut reader = RecordingReader::open(&part.join("segments")).unwrap();
        let (mut stream, mut frame) = (EventStream::new(&meta, &machine), Frame::default());
        let (mut batches, mut stretches, mut settled_ns) = (Vec::new(), 0, i64::MIN);
        while reader.next_into(&mut frame) {
            stream.push(frame.clone()).unwrap();
            if let Some(stretch) = stream.stretch().unwrap() {
                for (table, batch) in &stretch.tables {
                    let Some((_, make)) = EventView::of_table(table) else { continue };
                    let view = make(batch).unwrap();
                    for ts_ns in (0..view.len()).map(|i| view.ts_ns(i)) {
                        let in_time = ts_ns >= settled_ns && ts_ns < stretch.settled_ns;
                        let of = part.display();
                        assert!(in_time, "{of}: {table} at {ts_ns}, of {settled_ns} to {}", stretch.settled_ns);
                    }
                }
                settled_ns = stretch.settled_ns;
                stretches += 1;
                batches.extend(stretch.tables);
            }
        }
        batches.extend(stream.end().unwrap().tables);
        several += usize::from(stretches > 1);
        // In recordings of earlier recorders an interrupt lasts until the programs had been detached.
        let end_ns = meta.end_ns.map_or(i64::MIN, |end_ns| end_ns as i64).max(summary.end_ns);
        assert_eq!((stream.start_ns(), stream.last_ns() <= Some(end_ns)), (summary.start_ns, true));
        let (ours, theirs) = (by_table(batches), by_table(whole.0));
        assert_eq!(ours.keys().collect::<Vec<_>>(), theirs.keys().collect::<Vec<_>>());
        for (table, batches) in &ours {
            assert_same_rows(table, batches, &theirs[table]);
        }
    }
    assert!(several >= 40, "{several} recordings came in several stretches");
}
