//! Frames of a recording through the decoder, the merge and the checker.

use crate::error::WatchError;
use wastenot_checker::{EventVisitor, OnlineCheck, Options};
use wastenot_ebpf::Meta;
use wastenot_ebpf::decode::{EventStream, Stretch};
use wastenot_ebpf::segment::Frame;
use wastenot_machine::Machine;
use wastenot_schemas::NullSink;

/// The walk over one recording, from its first frame on.
pub struct RecordingWalk {
    meta: Meta,
    machine: Machine,
    options: Options,
    stream: EventStream,
    /// From the first stretch with an event on.
    check: Option<OnlineCheck>,
}

impl RecordingWalk {
    /// Over a recording that starts as these describe it. Only the tables of a verdict are made.
    pub fn new(meta: Meta, machine: Machine, options: Options) -> Self {
        let stream = EventStream::new(&meta, &machine);
        Self { meta, machine, options, stream, check: None }
    }

    /// Take the next frame. True when the walk went on.
    pub fn push(&mut self, frame: Frame) -> Result<bool, WatchError> {
        self.push_seeing(frame, &mut |_, _| Ok(()))
    }

    /// As [`Self::push`]; before each event `visit` gets its time.
    pub(crate) fn push_seeing(&mut self, frame: Frame, visit: &mut EventVisitor<'_>) -> Result<bool, WatchError> {
        self.stream.push(frame)?;
        match self.stream.stretch()? {
            Some(stretch) => self.feed(stretch, visit).map(|()| true),
            None => Ok(false),
        }
    }

    fn feed(&mut self, stretch: Stretch, visit: &mut EventVisitor<'_>) -> Result<(), WatchError> {
        let owned = |tables: Vec<(&'static str, _)>| tables.into_iter().map(|(table, rows)| (table.to_owned(), rows));
        if self.check.is_none() && self.stream.last_ns().is_some() {
            let entities = owned(self.stream.entities(&self.meta, &self.machine)).collect();
            self.check = Some(OnlineCheck::new(entities, &self.options)?.forgetting_threads()?);
        }
        let Some(check) = &mut self.check else { return Ok(()) };
        check.feed_seeing(owned(stretch.tables).collect(), &mut NullSink, visit)?;
        check.reach(stretch.settled_ns);
        Ok(())
    }

    /// The check, once there was an event.
    pub fn check(&mut self) -> Option<&mut OnlineCheck> {
        self.check.as_mut()
    }

    /// No frame follows. The recording ended at `end_ns`, or, where that is not known, with its last event.
    pub fn end(&mut self, end_ns: Option<i64>) -> Result<(), WatchError> {
        self.end_seeing(end_ns, &mut |_, _| Ok(()))
    }

    /// As [`Self::end`]; before each event `visit` gets its time.
    pub(crate) fn end_seeing(&mut self, end_ns: Option<i64>, visit: &mut EventVisitor<'_>) -> Result<(), WatchError> {
        let mut rest = self.stream.end()?;
        let last_ns = self.stream.last_ns().unwrap_or(i64::MIN);
        rest.settled_ns = last_ns;
        self.feed(rest, visit)?;
        if let Some(check) = &mut self.check {
            check.end(Some(end_ns.unwrap_or(last_ns).max(last_ns)), &mut NullSink)?;
        }
        Ok(())
    }
}
