//! One CPU as a source of rows: its events from all buffers, in order of time.

use crate::bytes::Bytes;
use crate::names::Names;
use crate::stacks::Stacks;
use crate::stream::Stream;
use std::cell::{Cell, RefCell};
use std::rc::Rc;
use wastenot_assemble::{Error, Interner, Progress, Row, Source, StackId};
use wastenot_import::{Endian, Kind, Shared, Tracepoint, Translator};

/// Events looked at per portion of rows.
const PORTION: usize = 4096;

/// What all CPUs of a file share.
pub struct Trace {
    pub endian: Endian,
    pub tracepoints: Vec<Tracepoint>,
    /// What an event of this `common_type` is.
    pub kinds: Vec<Known>,
    pub translator: Shared,
    pub stacks: RefCell<Stacks>,
    pub names: RefCell<Names>,
    /// Bytes of events in the file, and those still to be read.
    pub bytes: u64,
    pub left: Cell<u64>,
}

/// What an event is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Known {
    Nothing,
    Stack,
    /// The tracepoint at this place.
    Ours(u16),
}

/// An event that waits for its stack: the tracer writes it right behind, as an event of its own.
#[derive(Default)]
struct Held {
    ts_ns: i64,
    tracepoint: Option<u16>,
    record: Vec<u8>,
    stack: Option<StackId>,
}

/// The last event of a kind that was taken, to tell its copies in other buffers: the kernel writes an event into one
/// buffer after the other, each time with a stamp of its own, before the CPU does anything else of that kind.
#[derive(Clone, Default)]
struct Taken {
    record: Vec<u8>,
    /// Bit per stream that had it.
    had: u64,
}

/// The events of one CPU.
pub struct CpuSource {
    cpu: u32,
    trace: Rc<Trace>,
    streams: Vec<Stream>,
    /// Whether the last event of a stream is the held one (or its copy).
    at_held: Vec<bool>,
    held: Held,
    taken: Vec<Taken>,
    now_ns: i64,
    saw_gap: bool,
    /// Events that the kernel itself counted as lost.
    lost: u64,
    bytes_left: u64,
}

/// Streams of one CPU whose copies can be told apart.
pub const MAX_STREAMS: usize = 64;

impl CpuSource {
    /// `lost`: events that the kernel's statistics call lost.
    pub fn new(cpu: u32, trace: Rc<Trace>, mut streams: Vec<Stream>, lost: u64) -> Self {
        for stream in &mut streams {
            stream.advance();
        }
        let bytes_left = streams.iter().map(Stream::left).sum();
        let at_held = vec![false; streams.len()];
        let taken = if streams.len() > 1 { vec![Taken::default(); trace.tracepoints.len()] } else { Vec::new() };
        let held = Held::default();
        Self { cpu, trace, streams, at_held, held, taken, now_ns: i64::MIN, saw_gap: false, lost, bytes_left }
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
            Some(&Known::Ours(place)) => self.ours(n, place, ts_ns, trace, to, ids, rows),
            Some(Known::Stack) => {
                if self.at_held[n] && self.held.stack.is_none() {
                    let ours = self.held.tracepoint.map(|place| &trace.tracepoints[usize::from(place)]);
                    let same = ours.is_some_and(|of| of.common_pid(record) == of.common_pid(&self.held.record));
                    self.held.stack = if same { trace.stacks.borrow_mut().read(record, ids) } else { None };
                }
                self.at_held[n] = false;
            }
            _ => {
                self.at_held[n] = false;
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
        if let Some(taken) = self.taken.get_mut(usize::from(place)) {
            if taken.had & 1 << n == 0 && taken.record == record {
                taken.had |= 1 << n;
                self.at_held[n] = self.held.tracepoint == Some(place) && self.held.record == record;
                return to.duplicate(tracepoint.shape);
            }
            taken.had = 1 << n;
            taken.record.clear();
            taken.record.extend_from_slice(record);
        }
        self.release(trace, to, ids, rows);
        let record = self.streams[n].record();
        if tracepoint.shape.kind == Kind::Migrate && trace.stacks.borrow().id().is_some() {
            self.at_held.fill(false);
            self.at_held[n] = true;
            self.held.ts_ns = ts_ns;
            self.held.tracepoint = Some(place);
            self.held.record.clear();
            self.held.record.extend_from_slice(record);
            return;
        }
        self.at_held[n] = false;
        translate(trace, tracepoint, self.cpu, ts_ns, record, None, to, ids, rows);
    }

    /// The held event has its stack or gets none any more.
    #[inline]
    fn release(&mut self, trace: &Trace, to: &mut Translator, ids: &mut Interner, rows: &mut Vec<Row>) {
        let Some(place) = self.held.tracepoint.take() else { return };
        let (stack, tracepoint) = (self.held.stack.take(), &trace.tracepoints[usize::from(place)]);
        translate(trace, tracepoint, self.cpu, self.held.ts_ns, &self.held.record, stack, to, ids, rows);
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
        let waits_ns = self.held.tracepoint.map_or(i64::MAX, |_| self.held.ts_ns);
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
    let Some(mut fields) = tracepoint.fields(record) else { return to.garbled() };
    fields.stack = stack;
    let current = tracepoint.common_pid(record);
    let names = &mut *trace.names.borrow_mut();
    if tracepoint.shape.kind == Kind::Switch {
        for tid in [fields.numbers[0], fields.numbers[3]].into_iter().flatten() {
            names.take(tid as i32); // the event names it itself
        }
    } else if let Some((tid, name)) = current.and_then(|tid| Some((tid, names.take(tid)?))) {
        to.thread(ts_ns, tid, None, Some(&name), ids, rows);
    }
    to.event(tracepoint.shape, ts_ns, cpu.into(), current, &fields, ids, rows);
}
