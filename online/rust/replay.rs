//! A recorded part folder, walked over as if it went on.

use crate::error::WatchError;
use crate::recording_walk::RecordingWalk;
use std::path::Path;
use wastenot_checker::{CounterSteps, Options, StepVisitor};
use wastenot_ebpf::Meta;
use wastenot_ebpf::segment::{Frame, RecordingReader, Tail};
use wastenot_machine::Machine;

/// The counters of the recording in `part` every `step_ns`, and at its end as its recorder wrote it ([`Meta::ends_at_stop`]).
pub fn replay_part(part: &Path, options: Options, step_ns: i64, visit: &mut StepVisitor<'_>) -> Result<(), WatchError> {
    let mut steps = CounterSteps::new(step_ns)?;
    let meta = Meta::read(part)?;
    let machine = read_machine(part)?;
    let segments = part.join("segments");
    let file = |why: std::io::Error| WatchError::File { path: segments.clone(), why: why.to_string() };
    let mut reader = RecordingReader::open(&segments).map_err(file)?;
    let end_ns = meta.end_ns.map(|end_ns| end_ns as i64);
    let mut walk = RecordingWalk::new(meta, machine, options);
    let mut frame = Frame::default();
    while reader.next_into(&mut frame) {
        let frame = std::mem::take(&mut frame);
        walk.push_seeing(frame, &mut |check, ts_ns| steps.pass(check, ts_ns, visit))?;
    }
    let is_complete = matches!(reader.tail(), Some((_, Tail::Finished { last: true })));
    walk.end_seeing(end_ns.filter(|_| is_complete), &mut |check, ts_ns| steps.pass(check, ts_ns, visit))?;
    if let Some(check) = walk.check() {
        let counters = check.counters();
        visit(counters, check.take_finished())?;
    }
    Ok(())
}

fn read_machine(part: &Path) -> Result<Machine, WatchError> {
    let path = part.join("machine.json");
    let text =
        std::fs::read_to_string(&path).map_err(|why| WatchError::File { path: path.clone(), why: why.to_string() })?;
    Machine::from_json(&text).map_err(|why| WatchError::File { path, why: why.to_string() })
}
