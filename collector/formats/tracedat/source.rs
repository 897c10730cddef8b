//! One CPU as a source of rows: its events from all buffers, in order of time.

use crate::bytes::Bytes;
use crate::names::SavedNames;
use crate::stacks::Stacks;
use crate::stream::Stream;
use std::cell::{Cell, RefCell};
use std::rc::Rc;
use wastenot_assemble::{Error, Interner, Progress, Row, Source, StackId};
use wastenot_import::{Endian, EventOrigin, KernelEvent, SharedTranslator, Tracepoint, Translator, has_stack};

/// Events read per portion of rows.
const PORTION: usize = 4096;

/// What all CPUs of a file share.
pub struct Trace {
    pub endian: Endian,
    pub tracepoints: Vec<Tracepoint>,
    /// What an event of this `common_type` is.
    pub kinds: Vec<RecordKind>,
    pub translator: SharedTranslator,
    pub stacks: RefCell<Stacks>,
    pub names: RefCell<SavedNames>,
    /// Bytes of events in the file, and those still to be read.
    pub bytes: u64,
    pub left: Cell<u64>,
}

/// What an event is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RecordKind {
    Unused,
    Stack,
    /// The tracepoint at this place.
    Tracepoint(u16),
}

/// An event that waits for its stack: the tracer writes it as the next event.
#[derive(Default)]
struct PendingEvent {
    ts_ns: i64,
    tracepoint: Option<u16>,
    record: Vec<u8>,
    stack: Option<StackId>,
}

/// The last event of a kind, by which its copies in other buffers are recognised: the kernel writes an event into one
/// buffer after the other, each time with a stamp of its own, before the CPU does anything else of that kind.
#[derive(Clone, Default)]
struct LastEvent {
    record: Vec<u8>,
    /// Bit per stream that had it.
    had: u64,
}

/// The events of one CPU.
pub struct CpuSource {
    cpu: u32,
    trace: Rc<Trace>,
    streams: Vec<Stream>,
    /// Whether the last event of a stream is the pending one (or its copy).
    at_pending: Vec<bool>,
    pending: PendingEvent,
    last_events: Vec<LastEvent>,
    now_ns: i64,
    saw_gap: bool,
    /// Events that the kernel itself counted as lost.
    lost: u64,
    bytes_left: u64,
}

/// Streams of one CPU whose copies can be distinguished.
pub const MAX_STREAMS: usize = 64;

impl CpuSource {
    /// `lost`: events that the kernel's statistics call lost.
    pub fn new(cpu: u32, trace: Rc<Trace>, mut streams: Vec<Stream>, lost: u64) -> Self {
        for stream in &mut streams {
            stream.advance();
        }
        let bytes_left = streams.iter().map(Stream::left).sum();
        let at_pending = vec![false; streams.len()];
        let last_events =
            if streams.len() > 1 { vec![LastEvent::default(); trace.tracepoints.len()] } else { Vec::new() };
        let pending = PendingEvent::default();
        Self {
            cpu,
            trace,
            streams,
            at_pending,
            pending,
            last_events,
            now_ns: i64::MIN,
            saw_gap: false,
            lost,
            bytes_left,
        }
    }

    /// The stream whose event comes next.
    #[inline]
    fn earliest(&self) -> Option<usize> {
        if let [stream] = &self.streams[..] {
            return stream.next().map(|_| 0);
        }
        let heads = self.streams.iter().enumerate().filter_map(|(n, stream)| Some((stream.next()?.ts_ns, n)));
        heads.min().map(|(_, n)| n)
    }

    #[inline]
    fn event(&mut self, n: usize, trace: &Trace, to: &mut Translator, ids: &mut Interner, rows: &mut Vec<Row>) {
        let ts_ns = self.streams[n].next().map_or(self.now_ns, |next| next.ts_ns);
        self.now_ns = ts_ns;
        if let Some(gap) = self.streams[n].take_gap() {
            self.release(trace, to, ids, rows);
            self.saw_gap = true;
            let count = Some(gap.count).filter(|&count| count > 0);
            to.lost(Some(self.cpu as i16), gap.from_ns.unwrap_or(ts_ns), ts_ns, count, ids, rows);
        }
        let record = self.streams[n].record();
        let Some(id) = Bytes::new(record, trace.endian).u16() else {
            return to.garbled();
        };
        match trace.kinds.get(usize::from(id)) {
            Some(&RecordKind::Tracepoint(place)) => self.ours(n, place, ts_ns, trace, to, ids, rows),
            Some(RecordKind::Stack) => {
                if self.at_pending[n] && self.pending.stack.is_none() {
                    let ours = self.pending.tracepoint.map(|place| &trace.tracepoints[usize::from(place)]);
                    let same = ours.is_some_and(|of| of.common_pid(record) == of.common_pid(&self.pending.record));
                    self.pending.stack = if same { trace.stacks.borrow_mut().read(record, ids) } else { None };
                }
                self.at_pending[n] = false;
            }
            _ => {
                self.at_pending[n] = false;
                to.ignore();
            }
        }
    }

    #[inline]
    #[allow(clippy::too_many_arguments)]
    fn ours(
        &mut self,
        n: usize,
        place: u16,
        ts_ns: i64,
        trace: &Trace,
        to: &mut Translator,
        ids: &mut Interner,
        rows: &mut Vec<Row>,
    ) {
        let tracepoint = &trace.tracepoints[usize::from(place)];
        let record = self.streams[n].record();
        if let Some(last) = self.last_events.get_mut(usize::from(place)) {
            if last.had & 1 << n == 0 && last.record == record {
                last.had |= 1 << n;
                self.at_pending[n] = self.pending.tracepoint == Some(place) && self.pending.record == record;
                return to.duplicate(tracepoint.shape.kind);
            }
            last.had = 1 << n;
            last.record.clear();
            last.record.extend_from_slice(record);
        }
        self.release(trace, to, ids, rows);
        let record = self.streams[n].record();
        if has_stack(tracepoint.shape.kind) && trace.stacks.borrow().id().is_some() {
            self.at_pending.fill(false);
            self.at_pending[n] = true;
            self.pending.ts_ns = ts_ns;
            self.pending.tracepoint = Some(place);
            self.pending.record.clear();
            self.pending.record.extend_from_slice(record);
            return;
        }
        self.at_pending[n] = false;
        translate(trace, tracepoint, self.cpu, ts_ns, record, None, to, ids, rows);
    }

    /// The pending event has its stack, or gets none any more.
    #[inline]
    fn release(&mut self, trace: &Trace, to: &mut Translator, ids: &mut Interner, rows: &mut Vec<Row>) {
        let Some(place) = self.pending.tracepoint.take() else { return };
        let (stack, tracepoint) = (self.pending.stack.take(), &trace.tracepoints[usize::from(place)]);
        translate(trace, tracepoint, self.cpu, self.pending.ts_ns, &self.pending.record, stack, to, ids, rows);
    }

    fn count_bytes(&mut self, to: &mut Translator) {
        let left = self.streams.iter().map(Stream::left).sum();
        self.trace.left.set(self.trace.left.get().saturating_sub(self.bytes_left - left));
        self.bytes_left = left;
        to.set_done(1.0 - self.trace.left.get() as f64 / self.trace.bytes.max(1) as f64);
    }

    fn finish(&self, to: &mut Translator) {
        let cpu = self.cpu;
        for stream in &self.streams {
            if let Some(why) = &stream.broken {
                to.incomplete(format!("events of CPU {cpu} are missing at the end: {why}"));
            }
            if stream.garbled_pages > 0 {
                to.incomplete(format!("{} damaged pages of CPU {cpu} were left out", stream.garbled_pages));
            }
        }
        if self.lost > 0 && !self.saw_gap {
            to.note(format!("the kernel counted {} lost events on CPU {cpu}, but not when", self.lost));
        }
    }
}

impl Source for CpuSource {
    fn name(&self) -> String {
        format!("trace.dat, CPU {}", self.cpu)
    }

    fn read(&mut self, ids: &mut Interner, rows: &mut Vec<Row>) -> Result<Progress, Error> {
        let trace = Rc::clone(&self.trace);
        let mut to = trace.translator.borrow_mut();
        for _ in 0..PORTION {
            let Some(n) = self.earliest() else {
                self.release(&trace, &mut to, ids, rows);
                self.count_bytes(&mut to);
                self.finish(&mut to);
                return Ok(Progress::End);
            };
            self.event(n, &trace, &mut to, ids, rows);
            self.streams[n].advance();
        }
        self.count_bytes(&mut to);
        let waits_ns = self.pending.tracepoint.map_or(i64::MAX, |_| self.pending.ts_ns);
        Ok(Progress::Settled(to.settled(self.now_ns, Some(self.cpu as i16)).min(waits_ns)))
    }
}

#[inline]
#[allow(clippy::too_many_arguments)]
fn translate(
    trace: &Trace,
    tracepoint: &Tracepoint,
    cpu: u32,
    ts_ns: i64,
    record: &[u8],
    stack: Option<StackId>,
    to: &mut Translator,
    ids: &mut Interner,
    rows: &mut Vec<Row>,
) {
    let Some(event) = tracepoint.event(record) else { return to.garbled() };
    let current = tracepoint.common_pid(record);
    let names = &mut *trace.names.borrow_mut();
    if let Some(KernelEvent::Switch(switch)) = &event {
        names.take(switch.prev_tid); // the event has both names
        names.take(switch.next_tid);
    } else if let Some((tid, name)) = current.and_then(|tid| Some((tid, names.take(tid)?))) {
        to.thread(ts_ns, tid, None, Some(&name), ids, rows);
    }
    let origin = EventOrigin { ts_ns, cpu: cpu.into(), current, stack };
    to.event(tracepoint.shape.kind, &origin, event, ids, rows);
}
