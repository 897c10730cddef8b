//! Messages of libbabeltrace2, merged by time, to records. Runs in the child.

use crate::classes::{Classes, Slot};
use crate::ffi::{self, Api, message};
use crate::graph::{Batch, Graph, Input, Library, ReadResult};
use crate::monitor::Monitor;
use crate::wire::{EventRecord, MAX_FRAMES, Record, Writer};
use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};
use std::fs::File;
use std::io::Write;
use std::ptr::null;
use std::time::Duration;

/// Records are handed over when there are so many bytes of them.
pub const PORTION: usize = 64 << 10;
/// And at least once in so many messages, whatever becomes of them.
pub const MESSAGES: u32 = 1 << 15;
/// How long to wait for a session that has nothing new.
const LIVE_WAIT: Duration = Duration::from_millis(50);

/// How far a port may be read: after a death of the child, not as far as the last time.
#[derive(Clone, Copy, Debug)]
pub struct Limit {
    /// Reads before the end; 0: it is not opened.
    pub reads: u64,
    /// Records that were handed over by an earlier child.
    pub skip: u64,
}

impl Default for Limit {
    fn default() -> Self {
        Self { reads: u64::MAX, skip: 0 }
    }
}

/// What is to be decoded.
#[derive(Clone, Debug)]
pub struct Plan {
    pub inputs: Vec<Input>,
    pub limits: HashMap<usize, Limit>,
}

impl Plan {
    fn limit(&self, port: usize) -> Limit {
        self.limits.get(&port).copied().unwrap_or_default()
    }

    fn is_live(&self) -> bool {
        self.inputs.iter().any(|input| matches!(input, Input::Live(_)))
    }

    /// Files in the folders.
    pub fn files(&self) -> u64 {
        let folders = self.inputs.iter().flat_map(|input| match input {
            Input::Folders(folders) => folders.as_slice(),
            Input::Live(_) => &[],
        });
        folders.filter_map(|folder| std::fs::read_dir(folder).ok()).map(|entries| entries.count() as u64).sum()
    }
}

/// Decode everything into `out`. An error of writing means that the reader has closed the pipe.
pub fn decode(library: &'static Library, plan: &Plan, monitor: Monitor, out: File) -> std::io::Result<()> {
    let mut decoder = Decoder {
        api: &library.api,
        monitor,
        live: plan.is_live(),
        ports: Vec::new(),
        streams: Vec::new(),
        by_pointer: HashMap::new(),
        classes: Classes::new(&library.api),
        writer: Writer::default(),
        out,
        now_ns: i64::MIN,
        messages: 0,
        packets: 0,
        ignored: 0,
        scratch: Vec::new(),
    };
    match Graph::new(library, &plan.inputs, |port| plan.limit(port).reads > 0, move |port| monitor.reads(port)) {
        Ok(mut graph) => decoder.run(&mut graph, plan)?,
        Err(why) => decoder.writer.write(&Record::Damaged { port: u32::MAX, why }),
    }
    decoder.write_time();
    decoder.writer.write(&Record::End);
    decoder.flush()
}

/// An output port and the messages of its last read.
struct Port {
    number: usize,
    limit: Limit,
    reads: u64,
    batch: Batch,
    next: usize,
    /// Time of its latest message (ns).
    last_ns: i64,
    /// Its one stream; live, of the latest message.
    stream: Option<usize>,
}

/// A stream: what one CPU wrote into one channel.
struct Stream {
    frequency: u64,
    channel: u16,
    cpu: i32,
    /// Place of `cpu_id` in the packet context.
    cpu_slot: Option<Slot>,
    events_lost_timed: bool,
    packets_lost_timed: bool,
    /// Losses before the first packet, which has the CPU: start, end, count.
    early: Vec<(i64, i64, Option<u64>)>,
}

struct Decoder {
    api: &'static Api,
    monitor: Monitor,
    live: bool,
    ports: Vec<Port>,
    streams: Vec<Stream>,
    by_pointer: HashMap<*const ffi::Stream, usize>,
    classes: Classes,
    writer: Writer,
    out: File,
    now_ns: i64,
    messages: u32,
    packets: u64,
    ignored: u64,
    scratch: Vec<u8>,
}

impl Decoder {
    fn run(&mut self, graph: &mut Graph, plan: &Plan) -> std::io::Result<()> {
        let mut heap = BinaryHeap::new();
        for at in 0..graph.ports() {
            let number = graph.number(at);
            let batch = Batch { messages: null(), count: 0 };
            let limit = plan.limit(number);
            self.ports.push(Port { number, limit, reads: 0, batch, next: 0, last_ns: i64::MIN, stream: None });
            if let Some(ts_ns) = self.advance(graph, at)? {
                heap.push(Reverse((ts_ns, at)));
            }
        }
        self.writer.write(&Record::Ready);
        self.flush()?;
        while let Some(Reverse((mut ts_ns, at))) = heap.pop() {
            loop {
                self.now_ns = self.now_ns.max(ts_ns);
                self.take(at, ts_ns);
                self.messages += 1;
                if self.writer.bytes.len() >= PORTION || self.messages >= MESSAGES {
                    self.write_time();
                    self.flush()?;
                }
                let Some(next_ns) = self.advance(graph, at)? else { break };
                if heap.peek().is_some_and(|Reverse((other_ns, other))| (*other_ns, *other) < (next_ns, at)) {
                    heap.push(Reverse((next_ns, at)));
                    break;
                }
                ts_ns = next_ns;
            }
        }
        Ok(())
    }

    fn write_time(&mut self) {
        let ignored = std::mem::take(&mut self.ignored);
        self.writer.write(&Record::Time { ts_ns: self.now_ns, ignored });
        self.writer.write(&Record::Packets(self.packets));
        self.messages = 0;
    }

    fn flush(&mut self) -> std::io::Result<()> {
        self.out.write_all(&self.writer.bytes)?;
        self.writer.bytes.clear();
        Ok(())
    }

    /// Time of the port's next message that has one; what has none is taken on the way. None: nothing more comes.
    fn advance(&mut self, graph: &mut Graph, at: usize) -> std::io::Result<Option<i64>> {
        loop {
            let port = &mut self.ports[at];
            if port.next == port.batch.count {
                port.next = 0;
                port.batch.count = 0;
                if port.reads == port.limit.reads {
                    return Ok(None);
                }
                self.monitor.reads(port.number);
                match graph.read(at) {
                    ReadResult::Batch(batch) => port.batch = batch,
                    ReadResult::End => return Ok(None),
                    ReadResult::Again => {
                        self.write_time();
                        self.flush()?;
                        std::thread::sleep(LIVE_WAIT);
                        continue;
                    }
                    ReadResult::Damaged(why) => {
                        let why = format!("{}: {why}", graph.name(at));
                        self.writer.write(&Record::Damaged { port: self.ports[at].number as u32, why });
                        return Ok(None);
                    }
                }
                port.reads += 1;
                self.monitor.has_read(port.number, port.reads);
                continue;
            }
            // SAFETY: the batch holds `count` messages until its port is read again; `take` puts each back once.
            let message = unsafe { *port.batch.messages.add(port.next) };
            if let Some(ts_ns) = unsafe { self.time_of(at, message) } {
                self.ports[at].last_ns = ts_ns;
                return Ok(Some(ts_ns));
            }
            self.ports[at].next += 1;
            unsafe { (self.api.message_put_ref)(message) };
        }
    }

    /// When the message is due. None: it has no time; it has been dealt with.
    unsafe fn time_of(&mut self, at: usize, message: *const ffi::Message) -> Option<i64> {
        let api = self.api;
        // SAFETY: `message` is alive, and of the type that is asked for.
        unsafe {
            let clock = match (api.message_get_type)(message) {
                message::EVENT => {
                    if self.live || self.ports[at].stream.is_none() {
                        let event = (api.message_event_borrow_event_const)(message);
                        self.enter_stream(at, (api.event_borrow_stream_const)(event));
                    }
                    (api.message_event_borrow_default_clock_snapshot_const)(message)
                }
                message::DISCARDED_EVENTS => {
                    self.enter_stream(at, (api.message_discarded_events_borrow_stream_const)(message));
                    match self.stream(at).events_lost_timed {
                        true => (api.message_discarded_events_borrow_beginning_default_clock_snapshot_const)(message),
                        false => return Some(self.ports[at].last_ns),
                    }
                }
                message::DISCARDED_PACKETS => {
                    self.enter_stream(at, (api.message_discarded_packets_borrow_stream_const)(message));
                    match self.stream(at).packets_lost_timed {
                        true => (api.message_discarded_packets_borrow_beginning_default_clock_snapshot_const)(message),
                        false => return Some(self.ports[at].last_ns),
                    }
                }
                message::PACKET_BEGINNING => {
                    let packet = (api.message_packet_beginning_borrow_packet_const)(message);
                    self.enter_stream(at, (api.packet_borrow_stream_const)(packet));
                    self.enter_packet(at, packet);
                    return None;
                }
                message::PACKET_END => {
                    self.packets += 1;
                    return None;
                }
                message::STREAM_BEGINNING => {
                    let stream = (api.message_stream_beginning_borrow_stream_const)(message);
                    self.enter_stream(at, stream);
                    return None;
                }
                message::INACTIVITY => {
                    let clock = (api.message_message_iterator_inactivity_borrow_clock_snapshot_const)(message);
                    self.now_ns = self.now_ns.max(nanoseconds((api.clock_snapshot_get_value)(clock), 1_000_000_000));
                    return None;
                }
                _ => return None,
            };
            if clock.is_null() {
                return None;
            }
            let ts_ns = nanoseconds((api.clock_snapshot_get_value)(clock), self.stream(at).frequency);
            Some(ts_ns)
        }
    }

    fn stream(&mut self, at: usize) -> &mut Stream {
        let stream = self.ports[at].stream.expect("a message belongs to a stream");
        &mut self.streams[stream]
    }

    /// The port's messages belong to this stream from now on.
    unsafe fn enter_stream(&mut self, at: usize, stream: *const ffi::Stream) {
        let known = match self.by_pointer.get(&stream) {
            Some(&known) => known,
            // SAFETY: `stream` is alive.
            None => unsafe { self.new_stream(stream) },
        };
        self.ports[at].stream = Some(known);
    }

    unsafe fn new_stream(&mut self, stream: *const ffi::Stream) -> usize {
        let api = self.api;
        // SAFETY: `stream` is alive; the reference keeps it and its classes so.
        unsafe {
            (api.stream_get_ref)(stream);
            let class = (api.stream_borrow_class_const)(stream);
            let clock = (api.stream_class_borrow_default_clock_class_const)(class);
            if clock.is_null() {
                self.writer.write(&Record::Note("the events of a stream without a clock were left out".into()));
            }
            let (channel, cpu_slot) = self.classes.enter(stream, class, &mut self.writer);
            self.streams.push(Stream {
                frequency: if clock.is_null() { 1_000_000_000 } else { (api.clock_class_get_frequency)(clock) },
                channel,
                cpu: -1,
                cpu_slot,
                events_lost_timed: (api.stream_class_discarded_events_have_default_clock_snapshots)(class) != 0,
                packets_lost_timed: (api.stream_class_discarded_packets_have_default_clock_snapshots)(class) != 0,
                early: Vec::new(),
            });
        }
        self.by_pointer.insert(stream, self.streams.len() - 1);
        self.streams.len() - 1
    }

    unsafe fn enter_packet(&mut self, at: usize, packet: *const ffi::Packet) {
        let api = self.api;
        let slot = self.stream(at).cpu_slot;
        // SAFETY: the slot was found in the class of this context.
        let cpu = unsafe { slot.and_then(|slot| slot.number(api, (api.packet_borrow_context_field_const)(packet))) };
        let cpu = cpu.and_then(|cpu| i32::try_from(cpu).ok()).unwrap_or(-1);
        let stream = self.stream(at);
        stream.cpu = cpu;
        for (from_ns, to_ns, count) in std::mem::take(&mut stream.early) {
            self.lost(at, from_ns, to_ns, count);
        }
    }

    /// Turn the port's next message, which has a time, into a record.
    fn take(&mut self, at: usize, ts_ns: i64) {
        let api = self.api;
        let port = &mut self.ports[at];
        // SAFETY: as in `advance`, which found this message.
        unsafe {
            let message = *port.batch.messages.add(port.next);
            port.next += 1;
            match (api.message_get_type)(message) {
                message::EVENT => self.event(at, ts_ns, (api.message_event_borrow_event_const)(message)),
                message::DISCARDED_EVENTS => {
                    let mut count = 0;
                    let known = (api.message_discarded_events_get_count)(message, &mut count) != 0;
                    let end = self
                        .stream(at)
                        .events_lost_timed
                        .then(|| (api.message_discarded_events_borrow_end_default_clock_snapshot_const)(message));
                    self.loss(at, ts_ns, end, known.then_some(count));
                }
                message::DISCARDED_PACKETS => {
                    let end = self
                        .stream(at)
                        .packets_lost_timed
                        .then(|| (api.message_discarded_packets_borrow_end_default_clock_snapshot_const)(message));
                    self.loss(at, ts_ns, end, None);
                }
                _ => {}
            }
            (api.message_put_ref)(message);
        }
    }

    unsafe fn loss(&mut self, at: usize, from_ns: i64, end: Option<*const ffi::ClockSnapshot>, count: Option<u64>) {
        let api = self.api;
        let stream = self.stream(at);
        // SAFETY: the snapshot belongs to a message that is alive.
        let to_ns =
            end.map_or(from_ns, |end| nanoseconds(unsafe { (api.clock_snapshot_get_value)(end) }, stream.frequency));
        if stream.cpu < 0 && stream.cpu_slot.is_some() && stream.early.len() < 16 {
            stream.early.push((from_ns, to_ns, count));
        } else {
            self.lost(at, from_ns, to_ns, count);
        }
    }

    fn lost(&mut self, at: usize, from_ns: i64, to_ns: i64, count: Option<u64>) {
        let port = &mut self.ports[at];
        let number = port.number as u32;
        if port.is_new() {
            let Stream { cpu, channel, .. } = *self.stream(at);
            self.writer.write(&Record::Lost { port: number, cpu, channel, from_ns, to_ns, count });
        }
    }

    #[inline]
    unsafe fn event(&mut self, at: usize, ts_ns: i64, event: *const ffi::Event) {
        let api = self.api;
        let stream = self.ports[at].stream.expect("time_of has entered it");
        let (cpu, channel) = (self.streams[stream].cpu, self.streams[stream].channel);
        // SAFETY: `event` is alive, and so are its fields; every slot was found in the class of its field.
        unsafe {
            let class = self.classes.of(event, channel, &mut self.writer);
            let Some(class) = class else {
                self.ignored += 1;
                return;
            };
            if !self.ports[at].is_new() {
                return;
            }
            let port = self.ports[at].number as u32;
            let payload = (api.event_borrow_payload_field_const)(event);
            if let Some(ip) = &class.call {
                let ip = ip.number(api, payload).unwrap_or(0) as u64;
                self.writer.write(&Record::Call { class: class.number, port, ts_ns, cpu, ip });
                return;
            }
            let mut record = EventRecord { class: class.number, port, ts_ns, cpu, ..EventRecord::default() };
            for (value, slot) in record.values.iter_mut().zip(&class.fields) {
                if let Some(slot) = slot {
                    *value = slot.value(api, payload);
                }
            }
            record.current = class.tid.and_then(|tid| tid.number(api, event)).and_then(|tid| i32::try_from(tid).ok());
            self.scratch.clear();
            if let Some(stack) = class.stack {
                stack.addresses(api, event, MAX_FRAMES, &mut self.scratch);
            }
            record.stack = &self.scratch;
            self.writer.event(&record);
        }
    }
}

impl Port {
    /// The next record of this port was not handed over before.
    fn is_new(&mut self) -> bool {
        let skip = self.limit.skip > 0;
        self.limit.skip -= u64::from(skip);
        !skip
    }
}

/// Cycles of a clock since its origin, in ns.
#[inline]
pub fn nanoseconds(cycles: u64, frequency: u64) -> i64 {
    if frequency == 1_000_000_000 {
        return i64::try_from(cycles).unwrap_or(i64::MAX);
    }
    let ns = u128::from(cycles) * 1_000_000_000 / u128::from(frequency.max(1));
    i64::try_from(ns).unwrap_or(i64::MAX)
}
