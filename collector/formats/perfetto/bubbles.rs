//! Events with which applications report their bubbles, as track events (`collector/bubbles/perfetto`): instants of the category
//! `wastenot_bubble`, named like the events of LTTng's provider, their fields as debug annotations.
//!
//! Sources: protos/perfetto/trace/{trace_packet_defaults,interned_data/interned_data}.proto,
//! trace/track_event/{track_event,debug_annotation,track_descriptor,thread_descriptor}.proto, trace/clock_snapshot.proto.

use crate::clocks::{BOOTTIME, Clocks};
use crate::fields::{annotation, clock, defaults, descriptor, interned, packet, track_event};
use crate::wire::{Message, Value};
use std::collections::HashMap;
use std::vec::IntoIter;
use wastenot_assemble::{Error, Interner, Progress, Row, Source};
use wastenot_import::{
    EventShape, FieldValues, KernelEvent, MAX_FIELDS, SharedTranslator, Value as FieldValue, ValueType, shape_of,
};

const CATEGORY: &[u8] = b"wastenot_bubble";
/// Events, interned words and sequences beyond this are damage; applications report some hundreds of events a second.
const MOST: usize = 1 << 22;
/// Clocks from here on belong to their sequence.
const SEQUENCES_OWN: u64 = 64;
/// `TracePacket.sequence_flags`: what was interned before is no longer valid.
const CLEARED: u64 = 1;
/// Rows handed out at once.
const PORTION: usize = 1024;

/// Events of bubbles that the first pass over a file finds.
#[derive(Default)]
pub struct Bubbles {
    sequences: HashMap<u64, Sequence>,
    /// Threads by the identity of their track.
    threads: HashMap<u64, i32>,
    events: Vec<ReportedEvent>,
    /// Events that lack what is needed.
    pub garbled: u64,
}

/// State of one writer's sequence of packets.
#[derive(Default)]
struct Sequence {
    clock: Option<u64>,
    track: u64,
    ours: HashMap<u64, bool>,
    names: HashMap<u64, Option<&'static EventShape>>,
    arguments: HashMap<u64, Box<[u8]>>,
    clocks: HashMap<u64, OwnClock>,
}

/// A clock of a sequence: its stamps count units since the one before, or since its zero.
#[derive(Clone, Copy)]
struct OwnClock {
    boot_ns: i64,
    zero: i64,
    now: i64,
    unit_ns: i64,
    steps: bool,
}

/// An event of a bubble.
struct ReportedEvent {
    clock: u64,
    stamp: i64,
    track: u64,
    shape: &'static EventShape,
    numbers: [Option<i64>; MAX_FIELDS],
    name: Option<Box<[u8]>>,
}

impl Bubbles {
    /// Take a packet of a sequence: only some of their fields matter.
    pub fn packet(&mut self, sequence: u64, bytes: &[u8]) {
        let (mut stamp, mut clock, mut event) = (None, None, None);
        if self.sequences.len() >= MOST && !self.sequences.contains_key(&sequence) {
            return;
        }
        let own = self.sequences.entry(sequence).or_default();
        // Defaults, clocks and words hold for the whole packet that brings them.
        for (field, value) in Message::new(bytes).flatten() {
            match (field, value) {
                (packet::SEQUENCE_FLAGS, Value::Varint(flags)) if flags & CLEARED != 0 => *own = Sequence::default(),
                (packet::TIMESTAMP, Value::Varint(n)) => stamp = i64::try_from(n).ok(),
                (packet::TIMESTAMP_CLOCK_ID, Value::Varint(n)) => clock = Some(n),
                (packet::TRACK_EVENT, Value::Bytes(message)) => event = Some(message),
                _ => {}
            }
        }
        for (field, value) in Message::new(bytes).flatten() {
            match (field, value) {
                (packet::TRACE_PACKET_DEFAULTS, Value::Bytes(message)) => own.defaults(message),
                (packet::CLOCK_SNAPSHOT, Value::Bytes(message)) => own.snapshot(message),
                (packet::INTERNED_DATA, Value::Bytes(message)) => own.intern(message),
                (packet::TRACK_DESCRIPTOR, Value::Bytes(message)) => descriptor_of(message, &mut self.threads),
                _ => {}
            }
        }
        let clock = clock.or(own.clock).unwrap_or(BOOTTIME);
        let Some(stamp) = stamp else { return };
        let (clock, stamp) = own.convert(clock, stamp);
        let Some(event) = event else { return };
        match own.event(event, clock, stamp) {
            Some(Some(event)) if self.events.len() < MOST => self.events.push(event),
            Some(_) => self.garbled += 1,
            None => {}
        }
    }

    /// No event of a bubble was found.
    pub fn is_empty(&self) -> bool {
        self.events.is_empty()
    }

    /// The events as a source, on the trace's clock.
    pub fn source(self, clocks: &Clocks, translator: SharedTranslator) -> BubbleSource {
        let mut events: Vec<_> = self
            .events
            .into_iter()
            .map(|event| (clocks.of(event.clock, event.stamp), self.threads.get(&event.track).copied(), event))
            .collect();
        events.sort_by_key(|(ts_ns, _, _)| *ts_ns); // steadily: a thread's own order stays
        BubbleSource { events: events.into_iter(), translator }
    }
}

impl Sequence {
    fn defaults(&mut self, message: &[u8]) {
        for (field, value) in Message::new(message).flatten() {
            match (field, value) {
                (packet::TIMESTAMP_CLOCK_ID, Value::Varint(n)) => self.clock = Some(n),
                (defaults::TRACK_EVENT_DEFAULTS, Value::Bytes(of)) => {
                    let track = Message::new(of).flatten().find(|(field, _)| *field == track_event::TRACK_UUID);
                    self.track = track.map_or(self.track, |(_, value)| value.number());
                }
                _ => {}
            }
        }
    }

    /// Its own clocks, in a snapshot with CLOCK_BOOTTIME.
    fn snapshot(&mut self, message: &[u8]) {
        let mut boot_ns = None;
        let mut own = Vec::new();
        for (field, value) in Message::new(message).flatten() {
            let (clock::CLOCKS, Value::Bytes(of)) = (field, value) else { continue };
            let (mut id, mut at, mut steps, mut unit) = (0, 0, 0, 1);
            for (field, value) in Message::new(of).flatten() {
                match field {
                    clock::CLOCK_ID => id = value.number(),
                    clock::TIMESTAMP => at = value.number(),
                    clock::IS_INCREMENTAL => steps = value.number(),
                    clock::UNIT_MULTIPLIER_NS => unit = value.number(),
                    _ => {}
                }
            }
            let (Ok(at), Ok(unit_ns)) = (i64::try_from(at), i64::try_from(unit.max(1))) else { continue };
            match id {
                BOOTTIME => boot_ns = Some(at),
                SEQUENCES_OWN.. if own.len() < 64 => own.push((id, at, unit_ns, steps != 0)),
                _ => {}
            }
        }
        let Some(boot_ns) = boot_ns else { return };
        for (id, zero, unit_ns, steps) in own {
            self.clocks.insert(id, OwnClock { boot_ns, zero, now: zero, unit_ns, steps });
        }
    }

    /// A stamp on a clock that all share. Every stamp has to pass here, since some count from the one before.
    fn convert(&mut self, clock: u64, stamp: i64) -> (u64, i64) {
        let Some(own) = self.clocks.get_mut(&clock) else { return (clock, stamp) };
        own.now = if own.steps { own.now.saturating_add(stamp) } else { stamp };
        let since = own.now.saturating_sub(own.zero).saturating_mul(own.unit_ns);
        (BOOTTIME, own.boot_ns.saturating_add(since))
    }

    fn intern(&mut self, message: &[u8]) {
        for (field, value) in Message::new(message).flatten() {
            let (mut iid, mut word) = (0, &[][..]);
            for (field, value) in Message::new(value.bytes()).flatten() {
                match field {
                    interned::IID => iid = value.number(),
                    interned::NAME => word = value.bytes(),
                    _ => {}
                }
            }
            if self.ours.len() + self.names.len() + self.arguments.len() >= MOST {
                return;
            }
            match field {
                interned::EVENT_CATEGORIES => drop(self.ours.insert(iid, word == CATEGORY)),
                interned::EVENT_NAMES => drop(self.names.insert(iid, shape_named(word))),
                interned::DEBUG_ANNOTATION_NAMES => drop(self.arguments.insert(iid, word.into())),
                _ => {}
            }
        }
    }

    /// None: not an event of a bubble. Some(None): one that cannot be read.
    fn event(&self, message: &[u8], clock: u64, stamp: i64) -> Option<Option<ReportedEvent>> {
        let (mut ours, mut shape, mut track) = (false, None, self.track);
        for (field, value) in Message::new(message).flatten() {
            match (field, value) {
                (track_event::CATEGORY_IIDS, Value::Varint(iid)) => ours |= self.ours.get(&iid) == Some(&true),
                (track_event::CATEGORIES, Value::Bytes(name)) => ours |= name == CATEGORY,
                (track_event::NAME_IID, Value::Varint(iid)) => shape = self.names.get(&iid).copied().flatten(),
                (track_event::NAME, Value::Bytes(name)) => shape = shape_named(name),
                (track_event::TRACK_UUID, Value::Varint(uuid)) => track = uuid,
                _ => {}
            }
        }
        if !ours {
            return None;
        }
        let Some(shape) = shape else { return Some(None) };
        let mut event = ReportedEvent { clock, stamp, track, shape, numbers: [None; MAX_FIELDS], name: None };
        for (field, value) in Message::new(message).flatten() {
            if let (track_event::DEBUG_ANNOTATIONS, Value::Bytes(of)) = (field, value) {
                self.argument(of, &mut event);
            }
        }
        Some(Some(event))
    }

    fn argument(&self, message: &[u8], event: &mut ReportedEvent) {
        let (mut name, mut number, mut text) = (&[][..], None, None);
        for (field, value) in Message::new(message).flatten() {
            match (field, value) {
                (annotation::NAME_IID, Value::Varint(iid)) => name = self.arguments.get(&iid).map_or(&[][..], |n| n),
                (annotation::NAME, Value::Bytes(bytes)) => name = bytes,
                (annotation::UINT | annotation::INT, Value::Varint(n)) => number = Some(n as i64),
                (annotation::STRING, Value::Bytes(bytes)) => text = Some(bytes),
                _ => {}
            }
        }
        let fields = event.shape.fields;
        let place = fields
            .iter()
            .position(|field| field.value_type != ValueType::Text && field.names.iter().any(|n| n.as_bytes() == name));
        match (place, text) {
            (Some(place), _) => event.numbers[place] = number,
            (None, Some(text)) if name == b"name" => event.name = Some(text.into()),
            _ => {}
        }
    }
}

fn shape_named(name: &[u8]) -> Option<&'static EventShape> {
    shape_of(&format!("wastenot_bubble:{}", std::str::from_utf8(name).ok()?))
}

impl ReportedEvent {
    fn values(&self) -> FieldValues<'_> {
        std::array::from_fn(|place| match self.shape.fields.get(place) {
            Some(field) if field.value_type == ValueType::Text => {
                self.name.as_deref().map_or(FieldValue::Absent, FieldValue::Text)
            }
            _ => self.numbers[place].map_or(FieldValue::Absent, FieldValue::Number),
        })
    }
}

/// The thread of a track.
fn descriptor_of(message: &[u8], threads: &mut HashMap<u64, i32>) {
    let (mut uuid, mut tid) = (0, None);
    for (field, value) in Message::new(message).flatten() {
        match (field, value) {
            (descriptor::UUID, Value::Varint(n)) => uuid = n,
            (descriptor::THREAD, Value::Bytes(of)) => {
                let found = Message::new(of).flatten().find(|(field, _)| *field == descriptor::THREAD_TID);
                tid = found.and_then(|(_, value)| i32::try_from(value.number()).ok());
            }
            _ => {}
        }
    }
    if let Some(tid) = tid.filter(|_| threads.len() < MOST) {
        threads.insert(uuid, tid);
    }
}

/// The events of all applications in order of time.
pub struct BubbleSource {
    events: IntoIter<(i64, Option<i32>, ReportedEvent)>,
    translator: SharedTranslator,
}

impl Source for BubbleSource {
    fn name(&self) -> String {
        "bubbles".into()
    }

    fn read(&mut self, _: &mut Interner, rows: &mut Vec<Row>) -> Result<Progress, Error> {
        let mut translator = self.translator.borrow_mut();
        let mut last = i64::MIN;
        for (ts_ns, tid, reported) in self.events.by_ref().take(PORTION) {
            let kind = reported.shape.kind;
            let event = match KernelEvent::parse(kind, &reported.values()) {
                Some(KernelEvent::Bubble(event)) => Some(event),
                _ => None,
            };
            translator.bubble(kind, ts_ns, (None, tid), event, rows);
            last = ts_ns;
        }
        Ok(if self.events.as_slice().is_empty() { Progress::End } else { Progress::Settled(last) })
    }
}
