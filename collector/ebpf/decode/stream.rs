//! A recording into the tables of a trace while it goes on: frames in, stretches of the trace out.

use super::error::DecodeError;
use super::frames::Frames;
use crate::Meta;
use crate::segment::{Frame, Tail};
use arrow_array::RecordBatch;
use std::cell::RefCell;
use std::rc::Rc;
use wastenot_assemble::{Assembler, Interner, Merge};
use wastenot_machine::Machine;
use wastenot_schemas::{BatchCollector, PresentEvidence, evidence, trace};

/// Decodes the frames of one recording. The events are those that [`super::decode`] makes of the same frames, with the same ids.
/// Memory does not grow with the recording, but for distinct sets of CPUs.
pub struct EventStream {
    start_ns: i64,
    machine: Machine,
    frames: Rc<RefCell<Frames>>,
    merge: Merge,
    snapshot_read: bool,
    settled_ns: i64,
}

/// What follows the stretches before.
#[derive(Default)]
pub struct Stretch {
    /// Batches of event tables, new rows of mask and stack, and rows of domain for domains that were built anew.
    pub tables: Vec<(&'static str, RecordBatch)>,
    /// No later event is stamped before this instant (ns); `i64::MAX` after the last stretch.
    pub settled_ns: i64,
}

impl EventStream {
    /// For a recording that starts as these two describe it.
    pub fn new(meta: &Meta, machine: &Machine) -> Self {
        let cpus = machine.possible.iter().last().map_or(0, |cpu| cpu as usize + 1);
        let mut frames = Frames::handed_in(meta.base_ns, cpus, meta.counters.clone(), meta.functions.clone());
        frames.number_levels(machine);
        let (frames, sources) = frames.sources();
        Self {
            start_ns: meta.start_ns as i64,
            machine: machine.clone(),
            frames,
            merge: Assembler::new(sources, Interner::default()).start(),
            snapshot_read: false,
            settled_ns: i64::MIN,
        }
    }

    /// Take the next frame.
    pub fn push(&mut self, frame: Frame) -> Result<(), DecodeError> {
        let mut frames = self.frames.borrow_mut();
        frames.push(frame)?;
        if !self.snapshot_read && frames.covers_snapshot(self.start_ns)? {
            frames.end_snapshot();
            self.snapshot_read = true;
        }
        Ok(())
    }

    /// What has been settled since the last stretch; None where that is nothing.
    pub fn stretch(&mut self) -> Result<Option<Stretch>, DecodeError> {
        let settled_ns = self.frames.borrow().settled_ns();
        if !self.snapshot_read || settled_ns <= self.settled_ns {
            return Ok(None);
        }
        self.advance(settled_ns).map(Some)
    }

    /// No frame follows: the last stretch.
    pub fn end(&mut self) -> Result<Stretch, DecodeError> {
        let mut frames = self.frames.borrow_mut();
        if !self.snapshot_read {
            frames.end_snapshot();
            self.snapshot_read = true;
        }
        frames.end(Tail::Finished { last: true });
        drop(frames);
        self.advance(i64::MAX)
    }

    fn advance(&mut self, settled_ns: i64) -> Result<Stretch, DecodeError> {
        self.settled_ns = settled_ns;
        let mut events = BatchCollector::default();
        self.merge.advance(settled_ns, &mut events)?;
        self.merge.flush(&mut events)?;
        let mut tables: Vec<_> =
            self.merge.ids().take_new().into_iter().filter(|(_, new)| new.num_rows() > 0).collect();
        let domains = self.frames.borrow_mut().take_domains(&self.machine);
        tables.extend(domains);
        tables.extend(events.0);
        Ok(Stretch { tables, settled_ns })
    }

    /// Start of the trace: that of the recording, or its first event (ns).
    pub fn start_ns(&self) -> i64 {
        self.merge.span_ns().map_or(self.start_ns, |(first_ns, _)| first_ns.min(self.start_ns))
    }

    /// Time of the last event so far (ns).
    pub fn last_ns(&self) -> Option<i64> {
        self.merge.span_ns().map(|(_, last_ns)| last_ns)
    }

    /// The tables that say what was recorded where, for a trace whose end is not known yet.
    pub fn entities(&self, meta: &Meta, machine: &Machine) -> Vec<(&'static str, RecordBatch)> {
        let start_ns = self.start_ns();
        let mut tables = machine.batches(start_ns);
        tables.push((evidence::NAME, meta.recorded().batch(&PresentEvidence::default())));
        tables.push((trace::NAME, super::open_trace_row(meta, start_ns)));
        tables
    }
}
