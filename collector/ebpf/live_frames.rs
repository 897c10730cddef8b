//! A recording whose frames are received in this process while it goes on.

use crate::error::CaptureError;
use crate::frame_sink::{FrameSink, PartFolder, Target};
use crate::meta::Meta;
use crate::options::Options;
use crate::segment::Frame;
use std::io;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::Duration;
use wastenot_machine::Machine;

enum Item {
    Machine(Box<Machine>),
    Frame(Frame),
}

/// The receiving end of a recording. Dropping it ends the recording.
pub struct LiveFrames {
    items: Receiver<Item>,
    waiting: Arc<AtomicUsize>,
}

/// What arrived.
pub enum Arrived {
    /// The next frame.
    Frame(Frame),
    /// Nothing within the time.
    Nothing,
    /// The recording has ended, and all of its frames have been received.
    End,
}

impl LiveFrames {
    /// The machine that is recorded, once the recording has started. None where it did not.
    pub fn machine(&self) -> Option<Machine> {
        match self.items.recv() {
            Ok(Item::Machine(machine)) => Some(*machine),
            _ => None,
        }
    }

    /// Wait for the next frame, for at most `time`.
    pub fn next(&self, time: Duration) -> Arrived {
        match self.items.recv_timeout(time) {
            Ok(Item::Frame(frame)) => {
                self.waiting.fetch_sub(frame.records.len(), Ordering::Relaxed);
                Arrived::Frame(frame)
            }
            Ok(Item::Machine(_)) | Err(RecvTimeoutError::Timeout) => Arrived::Nothing,
            Err(RecvTimeoutError::Disconnected) => Arrived::End,
        }
    }

    /// Bytes of records that wait to be received.
    pub fn waiting_bytes(&self) -> usize {
        self.waiting.load(Ordering::Relaxed)
    }
}

/// Sends frames to their receiver; writes them to a part folder too, where one is given.
pub(crate) struct LiveTarget {
    items: Sender<Item>,
    waiting: Arc<AtomicUsize>,
    most_waiting: usize,
    also: Option<PartFolder>,
}

/// The two ends.
pub(crate) fn live_target(also_part: Option<&Path>, most_waiting: usize) -> (LiveTarget, LiveFrames) {
    let (sender, items) = channel();
    let waiting = Arc::new(AtomicUsize::new(0));
    let also = also_part.map(PartFolder::new);
    let target = LiveTarget { items: sender, waiting: Arc::clone(&waiting), most_waiting, also };
    (target, LiveFrames { items, waiting })
}

impl Target for LiveTarget {
    fn open(&mut self, machine: &Machine, meta: &Meta, options: &Options) -> Result<Box<dyn FrameSink>, CaptureError> {
        let also = self.also.as_mut().map(|part| part.open(machine, meta, options)).transpose()?;
        let gone = |_| CaptureError::State("what takes the frames is gone");
        self.items.send(Item::Machine(Box::new(machine.clone()))).map_err(gone)?;
        let (items, waiting) = (self.items.clone(), Arc::clone(&self.waiting));
        Ok(Box::new(FrameSender { items, waiting, most_waiting: self.most_waiting, also }))
    }

    fn describe(&mut self, meta: &Meta) -> Result<(), CaptureError> {
        self.also.as_mut().map_or(Ok(()), |part| part.describe(meta))
    }

    fn complete(&mut self, meta: &Meta) -> Result<(), CaptureError> {
        self.also.as_mut().map_or(Ok(()), |part| part.complete(meta))
    }

    fn discard(&mut self) {
        if let Some(part) = &mut self.also {
            part.discard();
        }
    }
}

struct FrameSender {
    items: Sender<Item>,
    waiting: Arc<AtomicUsize>,
    most_waiting: usize,
    also: Option<Box<dyn FrameSink>>,
}

impl FrameSink for FrameSender {
    fn frame(&mut self, cpu: u16, watermark_ns: u64, records: &[u8]) -> io::Result<()> {
        if let Some(also) = &mut self.also {
            also.frame(cpu, watermark_ns, records)?;
        }
        self.waiting.fetch_add(records.len(), Ordering::Relaxed);
        let frame = Frame { cpu, watermark_ns, records: records.to_vec() };
        self.items.send(Item::Frame(frame)).map_err(|_| io::ErrorKind::BrokenPipe.into())
    }

    fn can_take_more(&self) -> bool {
        self.waiting.load(Ordering::Relaxed) < self.most_waiting
            && self.also.as_ref().is_none_or(|also| also.can_take_more())
    }

    fn start_writeback(&self) {
        if let Some(also) = &self.also {
            also.start_writeback();
        }
    }

    fn bytes(&self) -> u64 {
        self.also.as_ref().map_or(0, |also| also.bytes())
    }

    fn finish(self: Box<Self>) -> io::Result<u64> {
        self.also.map_or(Ok(0), FrameSink::finish)
    }
}
