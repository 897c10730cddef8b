//! The events of one CPU, bundle after bundle.

use crate::clocks::{Clocks, FtraceClock};
use crate::events::{Events, FtraceEventHead};
use crate::fields::{bundle, compact, packet};
use crate::packets::{PacketPlace, Packets};
use crate::wire::{Malformed, Message, Value, numbers};
use std::cell::RefCell;
use std::ops::Range;
use std::rc::Rc;
use wastenot_assemble::{CpuSnapshot, Error, Event, Interner, Progress, Row, Source};
use wastenot_import::{
    EventKind, EventOrigin, FieldValues, KernelEvent, SharedTranslator, Switch, Wake, cpu_number, thread_id,
};
use wastenot_topology::task_state::PrevState;

/// A portion that is handed out has at least so many rows.
const PORTION: usize = 1024;

/// A bundle of the CPU in the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BundlePlace {
    /// Its packet.
    pub place: PacketPlace,
    /// Packets between it and the CPU's bundle before are missing.
    pub after_gap: bool,
}

/// What the sources of a trace share.
pub struct SharedReader {
    /// The file.
    pub packets: RefCell<Packets>,
    /// Its clocks.
    pub clocks: Clocks,
    /// How events are read.
    pub events: Events,
    /// Bundles in the file, and how many have been read.
    pub bundles: u64,
    /// See `bundles`.
    pub read: std::cell::Cell<u64>,
    /// Time of the last event.
    pub end_ns: i64,
    /// Names, counts and notes.
    pub translator: SharedTranslator,
}

/// The source of one CPU's events.
pub struct CpuSource {
    cpu: i64,
    bundles: std::vec::IntoIter<BundlePlace>,
    /// Packets are missing after the last bundle.
    gap_at_end: bool,
    common: Rc<SharedReader>,
    buffer: Vec<u8>,
    last_ns: Option<i64>,
    /// Something is missing since `last_ns`.
    lost: bool,
    /// The thread that runs, as far as switches in compact form need it.
    current: Option<i32>,
    events: BundleBuffer,
}

/// Buffer for a bundle's events, reused.
#[derive(Default)]
struct BundleBuffer {
    order: Vec<(i64, Item)>,
    /// The columns of the compact form, by field number.
    columns: [Vec<u64>; 12],
    names: Vec<Range<usize>>,
}

/// An event of a bundle: which of the compact ones, or its bytes.
#[derive(Clone, Copy)]
enum Item {
    Waking(u32),
    Event { kind: u32, at: u32, len: u32, pid: Option<i32> },
    Switch(u32),
}

/// Stands in for an impossible stamp.
const NEVER: i64 = i64::MIN;

/// What a bundle has beside its events.
struct BundleHeader<'a> {
    clock: FtraceClock,
    compact: &'a [u8],
    /// Events before it were lost.
    lost: bool,
    /// Events after it were lost.
    error: bool,
    damaged: bool,
}

/// The bundle in a packet's bytes.
fn bundle_of(packet: &[u8]) -> &[u8] {
    let header = Message::new(packet).flatten().find(|(field, _)| *field == packet::FTRACE_EVENTS);
    header.map_or(&[][..], |(_, value)| value.bytes())
}

/// Time of the last event in these bundles (each the last of its CPU), on the trace's clock.
pub fn last_ns(packets: &mut Packets, clocks: &Clocks, bundles: impl Iterator<Item = BundlePlace>) -> Option<i64> {
    let (mut events, mut buffer) = (BundleBuffer::default(), Vec::new());
    let last = bundles.filter_map(|bundle| {
        packets.read(bundle.place, &mut buffer).ok()?;
        let header = events.fill(bundle_of(&buffer));
        let last = events.order.iter().map(|(stamp, _)| *stamp).max().filter(|stamp| *stamp >= 0)?;
        Some(clocks.convert(header.clock, last))
    });
    last.max()
}

impl CpuSource {
    /// The CPU of the bundles.
    pub fn new(cpu: u32, bundles: Vec<BundlePlace>, gap_at_end: bool, common: Rc<SharedReader>) -> Self {
        Self {
            cpu: cpu.into(),
            bundles: bundles.into_iter(),
            gap_at_end,
            common,
            buffer: Vec::new(),
            last_ns: None,
            lost: false,
            current: None,
            events: BundleBuffer::default(),
        }
    }

    /// The rows of the next bundle.
    fn bundle(&mut self, next: BundlePlace, ids: &mut Interner, rows: &mut Vec<Row>) -> Result<(), String> {
        let mut buffer = std::mem::take(&mut self.buffer);
        let read = self.common.packets.borrow_mut().read(next.place, &mut buffer);
        if next.after_gap {
            self.lose();
        }
        if self.rows(bundle_of(&buffer), ids, rows).is_err() {
            self.lose();
            let mut translator = self.common.translator.borrow_mut();
            translator.garbled();
            translator.incomplete("damaged: some bundles of events cannot be read; what they held counts as lost");
        }
        self.buffer = buffer;
        read
    }

    /// From the last event on something is missing.
    fn lose(&mut self) {
        self.lost = true;
        self.current = None;
    }

    fn rows(&mut self, bytes: &[u8], ids: &mut Interner, rows: &mut Vec<Row>) -> Result<(), Malformed> {
        let mut events = std::mem::take(&mut self.events);
        let header = events.fill(bytes);
        if header.lost {
            self.lose();
        }
        self.emit(bytes, &header, &events, ids, rows);
        self.events = events;
        if header.error {
            self.lose(); // the recorder could not read the kernel's buffer to its end
            let note = "some pages of the kernel's buffer could not be read by the recorder; they count as lost events";
            self.common.translator.borrow_mut().note(note);
        }
        if header.damaged { Err(Malformed) } else { Ok(()) }
    }

    /// The rows of the events in `events`, in order.
    fn emit(
        &mut self,
        bytes: &[u8],
        header: &BundleHeader<'_>,
        events: &BundleBuffer,
        ids: &mut Interner,
        rows: &mut Vec<Row>,
    ) {
        let BundleHeader { clock, compact, .. } = *header;
        let common = Rc::clone(&self.common);
        let mut translator = common.translator.borrow_mut();
        let name = |index: u64| events.names.get(usize::try_from(index).ok()?).map(|range| &compact[range.clone()]);
        let column = |field: u32, nth: u32| events.columns[field as usize][nth as usize];
        for &(stamp, item) in &events.order {
            if stamp < 0 {
                translator.garbled();
                continue;
            }
            let ts_ns = common.clocks.convert(clock, stamp);
            if std::mem::take(&mut self.lost)
                && let (Some(from), Ok(cpu)) = (self.last_ns, i16::try_from(self.cpu))
            {
                translator.lost(Some(cpu), from, ts_ns, None, ids, rows);
            }
            self.last_ns = Some(self.last_ns.map_or(ts_ns, |last| last.max(ts_ns)));
            let origin = |current| EventOrigin { ts_ns, cpu: self.cpu, current, stack: None };
            match item {
                Item::Event { kind, at, len, pid } => {
                    let mut values = FieldValues::default();
                    match common.events.read(kind, &bytes[at as usize..(at + len) as usize], &mut values) {
                        Ok(Some(kind)) => {
                            let event = KernelEvent::parse(kind, &values);
                            translator.event(kind, &origin(pid), event, ids, rows);
                            if kind == EventKind::Switch {
                                self.current = match event {
                                    Some(KernelEvent::Switch(switch)) => Some(switch.next_tid),
                                    _ => None,
                                };
                            }
                        }
                        Ok(None) => translator.ignore(),
                        Err(_) => translator.garbled(),
                    }
                }
                Item::Waking(nth) => {
                    let number = |field| i64::from(column(field, nth) as i32);
                    let tid = thread_id(number(compact::WAKING_PID));
                    let cpu = cpu_number(number(compact::WAKING_TARGET_CPU));
                    let event = tid.zip(cpu).map(|(tid, target_cpu)| {
                        let prio = Some(number(compact::WAKING_PRIO));
                        let comm = name(column(compact::WAKING_COMM_INDEX, nth));
                        KernelEvent::Wake(Wake { comm, tid, prio, target_cpu, ..Wake::default() })
                    });
                    translator.event(EventKind::Waking, &origin(self.current), event, ids, rows);
                }
                Item::Switch(nth) => {
                    let next = column(compact::SWITCH_NEXT_PID, nth) as i32;
                    let comm = name(column(compact::SWITCH_NEXT_COMM_INDEX, nth));
                    match self.current.replace(next) {
                        Some(prev) => {
                            let state = column(compact::SWITCH_PREV_STATE, nth) as i64;
                            let switch = Switch {
                                prev_tid: prev,
                                prev_state: Some(PrevState::Number(state)),
                                next_comm: comm,
                                next_tid: next,
                                next_prio: Some(i64::from(column(compact::SWITCH_NEXT_PRIO, nth) as i32)),
                                ..Switch::default()
                            };
                            let event = Some(KernelEvent::Switch(switch)).filter(|_| prev >= 0 && next >= 0);
                            translator.event(EventKind::Switch, &origin(Some(prev)), event, ids, rows);
                        }
                        // The form lacks the thread that leaves the CPU: where it is not known, only the one that enters is.
                        None => match i16::try_from(self.cpu) {
                            Ok(cpu) if next >= 0 => {
                                translator.add_cpu(cpu);
                                translator.name(ts_ns, next, comm, ids, rows);
                                let event =
                                    Event::CpuSnapshot(CpuSnapshot { cpu, online: true, current_tid: Some(next) });
                                rows.push(Row { ts_ns, event });
                            }
                            _ => translator.garbled(),
                        },
                    }
                }
            }
        }
    }
}

impl BundleBuffer {
    /// Take a bundle's events, in order.
    fn fill<'a>(&mut self, bytes: &'a [u8]) -> BundleHeader<'a> {
        let mut header =
            BundleHeader { clock: FtraceClock::Boottime, compact: &[], lost: false, error: false, damaged: false };
        let base = bytes.as_ptr() as usize;
        self.order.clear();
        for field in Message::new(bytes) {
            match field {
                Ok((bundle::EVENT, Value::Bytes(event))) => match FtraceEventHead::read(event) {
                    Ok(head) => {
                        let (kind, message) = head.kind.unwrap_or((0, &event[..0]));
                        let at = (message.as_ptr() as usize - base) as u32;
                        let item = Item::Event { kind, at, len: message.len() as u32, pid: head.pid };
                        self.order.push((i64::try_from(head.stamp).unwrap_or(NEVER), item));
                    }
                    Err(_) => header.damaged = true,
                },
                Ok((bundle::LOST_EVENTS, Value::Varint(lost))) => header.lost |= lost != 0,
                Ok((bundle::COMPACT_SCHED, Value::Bytes(bytes))) => header.compact = bytes,
                Ok((bundle::FTRACE_CLOCK, Value::Varint(code))) => header.clock = FtraceClock::of(code),
                Ok((bundle::ERROR, Value::Bytes(_))) => header.error = true,
                Ok(_) => {}
                Err(_) => header.damaged = true,
            }
        }
        if !header.compact.is_empty() {
            header.damaged |= self.compact(header.compact).is_err();
        }
        header
    }

    /// Take the columns of the compact form; those of one kind have as many entries each.
    fn compact(&mut self, bytes: &[u8]) -> Result<(), Malformed> {
        self.columns.iter_mut().for_each(Vec::clear);
        self.names.clear();
        let base = bytes.as_ptr() as usize;
        let mut damaged = false;
        for field in Message::new(bytes) {
            match field {
                Ok((compact::INTERN_TABLE, Value::Bytes(name))) => {
                    let at = name.as_ptr() as usize - base;
                    self.names.push(at..at + name.len());
                }
                Ok((number, value)) if (number as usize) < self.columns.len() => {
                    damaged |= numbers(value, &mut self.columns[number as usize]).is_err();
                }
                Ok(_) => {}
                Err(_) => damaged = true,
            }
        }
        let switches = [
            compact::SWITCH_TIMESTAMP,
            compact::SWITCH_PREV_STATE,
            compact::SWITCH_NEXT_PID,
            compact::SWITCH_NEXT_PRIO,
            compact::SWITCH_NEXT_COMM_INDEX,
        ];
        let wakings = [
            compact::WAKING_TIMESTAMP,
            compact::WAKING_PID,
            compact::WAKING_TARGET_CPU,
            compact::WAKING_PRIO,
            compact::WAKING_COMM_INDEX,
        ];
        let in_order = self.order.len();
        damaged |= self.list(&wakings, Item::Waking);
        damaged |= self.list(&switches, Item::Switch);
        if in_order < self.order.len() {
            // Of equal stamps wakings first, then other events, switches last. The lists are in order already.
            self.order.sort_by_key(|(stamp, item)| (*stamp, item.rank()));
        }
        if damaged { Err(Malformed) } else { Ok(()) }
    }

    /// Append the events whose columns these are, the first that of the stamps' steps; true when they do not fit together.
    fn list(&mut self, columns: &[u32], item: fn(u32) -> Item) -> bool {
        let length = |column: &u32| self.columns[*column as usize].len();
        let whole = columns.iter().map(length).min().unwrap_or(0);
        let mut stamp: i64 = 0;
        for nth in 0..whole {
            let step = i64::try_from(self.columns[columns[0] as usize][nth]).ok();
            let Some(next) = step.and_then(|step| stamp.checked_add(step)) else { return true };
            stamp = next;
            self.order.push((stamp, item(nth as u32)));
        }
        columns.iter().any(|column| self.columns[*column as usize].len() != whole)
    }
}

impl Item {
    fn rank(self) -> u8 {
        match self {
            Self::Waking(_) => 0,
            Self::Event { .. } => 1,
            Self::Switch(_) => 2,
        }
    }
}

impl Source for CpuSource {
    fn name(&self) -> String {
        format!("CPU {}", self.cpu)
    }

    fn read(&mut self, ids: &mut Interner, rows: &mut Vec<Row>) -> Result<Progress, Error> {
        let enough = rows.len() + PORTION;
        while rows.len() < enough {
            let Some(next) = self.bundles.next() else {
                if (self.lost || self.gap_at_end)
                    && let (Some(last), Ok(cpu)) = (self.last_ns, i16::try_from(self.cpu))
                {
                    // What is missing has no end but that of the trace.
                    let end = self.common.end_ns.max(last);
                    self.common.translator.borrow_mut().lost(Some(cpu), last, end, None, ids, rows);
                }
                return Ok(Progress::End);
            };
            let read = self.bundle(next, ids, rows);
            read.map_err(|why| Error::Source { source: self.name(), why })?;
            let done = self.common.read.get() + 1;
            self.common.read.set(done);
            self.common.translator.borrow_mut().set_done(done as f64 / self.common.bundles.max(1) as f64);
        }
        let last = self.last_ns.unwrap_or(i64::MIN);
        let cpu = i16::try_from(self.cpu).ok();
        Ok(Progress::Settled(self.common.translator.borrow().settled(last, cpu)))
    }
}
