//! Records of a decoder to rows: a source for the assembler.

use crate::calls::{Calls, call_of};
use crate::copies::{Copies, CopyCheck};
use crate::decode::Plan;
use crate::graph::{Input, Library};
use crate::native;
use crate::pipe::{Child, PipeRead};
use crate::wire::{self, ClassInfo, CtfTraceInfo, EventRecord, Record, Writer};
use std::collections::{HashMap, VecDeque};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::num::NonZeroU32;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use tempfile::TempDir;
use wastenot_assemble::{
    BalanceAttempt, Error, Event, Interner, Progress, Row, SchedMigrateTask, Source, Stack, StackId,
};
use wastenot_import::{
    EventKind, EventOrigin, EventShape, ImportError, KernelEvent, LazySymbols, SharedTranslator, has_stack, shape_of,
};
use wastenot_schemas::idle_type;
use wastenot_topology::task_state::{PrevState, PrevStateDecoder, Tracer};

/// A library that sends nothing for so long hangs.
const PATIENCE: Duration = Duration::from_secs(60);
/// A live session may; control returns to the assembler this often.
const LIVE_PATIENCE: Duration = Duration::from_millis(200);
/// A row waits for its stack no longer than this (ns of the trace) and no more than so many rows.
const WAIT_NS: i64 = 1_000_000_000;
const WAIT_ROWS: usize = 1 << 18;
/// Deaths of the child after which another one is started.
const MAX_DEATHS: usize = 16;
/// Damaged streams that are named one by one.
const NAMED: usize = 8;
/// Frames of the tracer at the start of a stack, at most.
const TRACER_FRAMES: usize = 16;
/// Channels that are distinguished when copies are looked for.
const CHANNELS: u16 = 64;

/// What decodes the streams into records.
pub enum Decoder {
    /// This process.
    Native(Box<native::Decoder>),
    /// A child with libbabeltrace2.
    Library { library: &'static Library, plan: Plan, child: Child },
}

impl Decoder {
    /// Decode the plan with libbabeltrace2.
    pub fn with_library(library: &'static Library, plan: Plan) -> std::io::Result<Self> {
        let child = Child::spawn(library, &plan)?;
        Ok(Self::Library { library, plan, child })
    }
}

/// The events of a CTF trace, merged.
pub struct Reader {
    path: PathBuf,
    live: bool,
    /// None: it has ended.
    decoder: Option<Decoder>,
    /// Bytes of the decoder that are not used up: `bytes[next..filled]`.
    bytes: Vec<u8>,
    next: usize,
    filled: usize,
    ready: bool,
    /// The traces' descriptions of themselves.
    pub traces: Vec<CtfTraceInfo>,
    /// Why nothing could be opened.
    pub refused: Option<String>,
    classes: Vec<EventClass>,
    channels: Vec<String>,
    /// Number of the child's channels among `channels`.
    channel_of: Vec<u16>,
    /// Records that were handed over, by port.
    delivered: Vec<u64>,
    deaths: usize,
    damaged: usize,
    packets: u64,
    symbols: LazySymbols,
    stacks: HashMap<Box<[u8]>, StackId>,
    kinds: HashMap<EventKind, RecordingChannels>,
    copies: Copies,
    calls: Calls,
    attempts: u32,
    translator: SharedTranslator,
    now_ns: i64,
    pending: PendingRows,
    fresh: Vec<Row>,
    /// Folders of links that the child reads from.
    _links: Vec<TempDir>,
}

/// An event class of the trace.
#[derive(Clone)]
struct EventClass {
    shape: Option<&'static EventShape>,
    event: Box<str>,
    /// The channel as a bit; 0: one too many.
    channel: u64,
    stacks: bool,
}

/// Channels that record a kind, as bits.
#[derive(Clone, Copy, Default)]
struct RecordingChannels {
    all: u64,
    with_stacks: u64,
}

/// Rows that wait because one before them waits for its stack.
#[derive(Default)]
struct PendingRows {
    rows: VecDeque<Row>,
    /// Number of the first of `rows`, counted over the whole trace.
    first: u64,
    /// Number of a row that waits, until when, and how far the trace was settled then.
    waits: VecDeque<PendingStack>,
}

struct PendingStack {
    row: u64,
    until_ns: i64,
    settled_ns: i64,
    over: bool,
}

impl Reader {
    /// Begin to decode; returns when every stream has been looked into.
    pub fn open(
        path: &Path,
        decoder: Decoder,
        packets: u64,
        links: Vec<TempDir>,
        symbols: LazySymbols,
        translator: SharedTranslator,
        patience: Duration,
    ) -> Result<Self, ImportError> {
        let io = |cause| ImportError::io(path, cause);
        let is_live = |plan: &Plan| plan.inputs.iter().any(|input| matches!(input, Input::Live(_)));
        let mut reader = Self {
            path: path.into(),
            live: matches!(&decoder, Decoder::Library { plan, .. } if is_live(plan)),
            decoder: Some(decoder),
            bytes: vec![0; 256 << 10],
            next: 0,
            filled: 0,
            ready: false,
            traces: Vec::new(),
            refused: None,
            classes: Vec::new(),
            channels: Vec::new(),
            channel_of: Vec::new(),
            delivered: Vec::new(),
            deaths: 0,
            damaged: 0,
            packets,
            symbols,
            stacks: HashMap::new(),
            kinds: HashMap::new(),
            copies: Copies::default(),
            calls: Calls::default(),
            attempts: 0,
            translator,
            now_ns: i64::MIN,
            pending: PendingRows::default(),
            fresh: Vec::new(),
            _links: links,
        };
        let begun = Instant::now();
        while !reader.ready && reader.decoder.is_some() {
            if reader.fill().map_err(io)? == PipeState::Silent && begun.elapsed() > patience {
                return Err(ImportError::damaged(path, "no event came within the time to wait for one"));
            }
            reader.prologue();
        }
        Ok(reader)
    }

    /// Some event of the trace is read.
    pub fn has_our_events(&self) -> bool {
        self.classes.iter().any(|class| class.shape.is_some())
    }

    /// Take the records that come before the events.
    fn prologue(&mut self) {
        while !self.ready {
            let Ok(Some((record, length))) = wire::read(&self.bytes[self.next..self.filled]) else { return };
            match record {
                Record::Trace(about) => self.trace(about),
                Record::Class(about) => self.class(about),
                Record::Damaged { port: u32::MAX, why } => self.refused = Some(why),
                Record::Damaged { why, .. } => self.damage(&why),
                Record::Ready => self.ready = true,
                Record::End => {
                    self.decoder = None;
                    self.ready = true;
                }
                _ => {}
            }
            self.next += length;
        }
    }

    /// Wait for more bytes of the decoder.
    fn fill(&mut self) -> std::io::Result<PipeState> {
        self.bytes.copy_within(self.next..self.filled, 0);
        self.filled -= self.next;
        self.next = 0;
        match &mut self.decoder {
            None => {}
            Some(Decoder::Native(decoder)) => {
                self.bytes.truncate(self.filled);
                let mut writer = Writer { bytes: std::mem::take(&mut self.bytes) };
                decoder.decode(&mut writer);
                self.bytes = writer.bytes;
                self.filled = self.bytes.len();
            }
            Some(Decoder::Library { child, .. }) => {
                if self.filled == self.bytes.len() {
                    self.bytes.resize(2 * self.filled, 0);
                }
                let patience = if self.live { LIVE_PATIENCE } else { PATIENCE };
                match child.read(&mut self.bytes[self.filled..], patience)? {
                    PipeRead::Bytes(count) => self.filled += count,
                    PipeRead::Silent if self.live => return Ok(PipeState::Silent),
                    PipeRead::Silent => self.replace_child("it was silent for a minute")?,
                    PipeRead::Closed => self.replace_child("it ended itself")?,
                }
            }
        }
        Ok(PipeState::Some)
    }

    /// The library ended within a stream: the rest is read again without what is behind the damage.
    fn replace_child(&mut self, how: &str) -> std::io::Result<()> {
        let Some(Decoder::Library { library, mut plan, child }) = self.decoder.take() else { return Ok(()) };
        let Some((port, reads)) = child.end() else {
            self.refused = Some(format!("libbabeltrace2 does not survive it: {how}"));
            return Ok(());
        };
        self.damage(&format!("libbabeltrace2 does not survive a damaged stream ({how})"));
        self.deaths += 1;
        if self.deaths > MAX_DEATHS || self.live {
            let note = "libbabeltrace2 does not survive this trace; what comes after its last death is missing";
            self.translator.borrow_mut().incomplete(note);
            return Ok(());
        }
        for (port, &skip) in self.delivered.iter().enumerate() {
            plan.limits.entry(port).or_default().skip = skip;
        }
        plan.limits.entry(port).or_default().reads = reads;
        (self.next, self.filled) = (0, 0);
        self.classes.clear();
        self.channel_of.clear();
        self.decoder = Some(Decoder::with_library(library, plan)?);
        Ok(())
    }

    fn damage(&mut self, why: &str) {
        self.damaged += 1;
        let mut translator = self.translator.borrow_mut();
        match self.damaged {
            n if n <= NAMED => translator.incomplete(why),
            n if n == NAMED + 1 => translator.incomplete("more streams are damaged"),
            _ => {}
        }
    }

    /// What a trace says about itself. The first of a kernel says how its numbers are read.
    fn trace(&mut self, about: CtfTraceInfo) {
        if self.traces.contains(&about) {
            return;
        }
        if about.kernel.is_some() && self.traces.iter().all(|known| known.kernel.is_none()) {
            let other = || Tracer::Other(about.tracer.clone());
            let tracer = about.modules.map_or_else(other, |(major, minor)| Tracer::Lttng(major, minor));
            self.translator.borrow_mut().written_by(&tracer, about.kernel.as_deref(), &[]);
        }
        self.traces.push(about);
    }

    fn class(&mut self, about: ClassInfo) {
        let ClassInfo { number, channel_number, channel, event, stacks, lacks } = about;
        if let Some(lacks) = &lacks {
            self.translator.borrow_mut().note(format!("events that cannot be read: {lacks}"));
        }
        let own = self.channels.iter().position(|known| *known == channel).unwrap_or_else(|| {
            self.channels.push(channel);
            self.channels.len() - 1
        }) as u16;
        self.channel_of.resize(self.channel_of.len().max(usize::from(channel_number) + 1), u16::MAX);
        self.channel_of[usize::from(channel_number)] = own;
        let channel = if own < CHANNELS { 1 << own } else { 0 };
        if channel == 0 {
            self.translator.borrow_mut().note(format!("copies are not looked for in more than {CHANNELS} channels"));
        }
        let shape = shape_of(&event).filter(|_| lacks.is_none());
        if let Some(shape) = shape {
            let recorded = self.kinds.entry(shape.kind).or_default();
            recorded.all |= channel;
            recorded.with_stacks |= if stacks { channel } else { 0 };
        }
        let none = EventClass { shape: None, event: "".into(), channel: 0, stacks: false };
        self.classes.resize(self.classes.len().max(usize::from(number) + 1), none);
        self.classes[usize::from(number)] = EventClass { shape, event: event.into(), channel, stacks };
    }

    /// Whole records that are at hand, to rows. True: the trace has ended.
    fn records(&mut self, ids: &mut Interner) -> Result<bool, Error> {
        let bytes = std::mem::take(&mut self.bytes);
        let mut end = false;
        let mut result = Ok(());
        while !end && result.is_ok() {
            match wire::read(&bytes[self.next..self.filled]) {
                Ok(None) => break,
                Ok(Some((record, length))) => {
                    self.next += length;
                    end = self.record(record, ids);
                }
                Err(()) => {
                    let why = "internal error: malformed record from the CTF decoder; please report".into();
                    result = Err(Error::Source { source: self.name(), why });
                }
            }
        }
        self.bytes = bytes;
        result.map(|()| end)
    }

    #[inline]
    fn record(&mut self, record: Record<'_>, ids: &mut Interner) -> bool {
        match record {
            Record::Event(event) => self.event(&event, ids),
            Record::Call { class, port, ts_ns, cpu, ip } => {
                self.deliver(port);
                self.call(class, ts_ns, cpu, ip, ids);
            }
            Record::Lost { port, cpu, channel, from_ns, to_ns, count } => {
                self.deliver(port);
                self.now_ns = self.now_ns.max(from_ns);
                self.lost(cpu, channel, from_ns, to_ns, count, ids);
            }
            Record::Time { ts_ns, ignored } => {
                self.now_ns = self.now_ns.max(ts_ns);
                let mut translator = self.translator.borrow_mut();
                (0..ignored).for_each(|_| translator.ignore());
            }
            Record::Packets(packets) => {
                if self.packets > 0 {
                    self.translator.borrow_mut().set_done(packets as f64 / self.packets as f64);
                }
            }
            Record::Trace(about) => self.trace(about),
            Record::Class(about) => self.class(about),
            Record::Damaged { why, .. } => self.damage(&why),
            Record::Note(note) => self.translator.borrow_mut().note(note),
            Record::Ready => {}
            Record::End => return true,
        }
        false
    }

    #[inline]
    fn deliver(&mut self, port: u32) {
        let port = port as usize;
        if port >= self.delivered.len() {
            self.delivered.resize(port + 1, 0);
        }
        self.delivered[port] += 1;
    }

    fn event(&mut self, event: &EventRecord<'_>, ids: &mut Interner) {
        self.deliver(event.port);
        self.now_ns = self.now_ns.max(event.ts_ns);
        let Some(EventClass { shape: Some(shape), channel, stacks, .. }) = self.classes.get(usize::from(event.class))
        else {
            return;
        };
        let (shape, channel, stacks) = (*shape, *channel, *stacks);
        let recorded = self.kinds.get(&shape.kind).copied().unwrap_or_default();
        let movable = shape.kind == EventKind::Migrate;
        let mut expected = None;
        if recorded.all & !channel != 0 && channel != 0 {
            let key = key(event, shape.kind);
            match self.copies.check(key, event.cpu as i16, event.ts_ns, channel, recorded.all) {
                CopyCheck::First => expected = Some(key),
                CopyCheck::Copy(row) => {
                    self.translator.borrow_mut().duplicate(shape.kind);
                    if let Some(row) = row.filter(|_| movable && !event.stack.is_empty()) {
                        let stack = self.stack(event.stack, ids);
                        if self.pending.give(row, stack) {
                            self.translator.borrow_mut().saw_stacks();
                        }
                    }
                    return;
                }
            }
        }
        let stack = (has_stack(shape.kind) && !event.stack.is_empty()).then(|| self.stack(event.stack, ids));
        let mut kernel_event = KernelEvent::parse(shape.kind, &event.values);
        if let Some(KernelEvent::Switch(switch)) = &mut kernel_event
            && let Some(PrevState::Text(text)) = switch.prev_state
        {
            // Letters mean the same in each release.
            let code = PrevStateDecoder::of_text().code(PrevState::Text(text), -1, None, false);
            switch.prev_state = Some(PrevState::Code(code));
        }
        let settled_ns = if expected.is_some() { self.settled() } else { 0 };
        let at = self.fresh.len();
        let mut translator = self.translator.borrow_mut();
        let origin = EventOrigin { ts_ns: event.ts_ns, cpu: event.cpu.into(), current: event.current, stack };
        translator.event(shape.kind, &origin, kernel_event, ids, &mut self.fresh);
        drop(translator);
        let waits = movable && !stacks && recorded.with_stacks != 0;
        let migrates = self.fresh[at..].iter().position(|row| matches!(row.event, Event::SchedMigrateTask(_)));
        let row = migrates.filter(|_| waits && expected.is_some());
        let row = row.map(|n| self.pending.wait(at + n, self.now_ns, settled_ns));
        if let Some(key) = expected {
            self.copies.expect(key, event.ts_ns, channel, row);
        }
        self.pending.rows.extend(self.fresh.drain(..));
    }

    fn call(&mut self, class: u16, ts_ns: i64, cpu: i32, ip: u64, ids: &mut Interner) {
        self.now_ns = self.now_ns.max(ts_ns);
        let Some(class_of) = self.classes.get(usize::from(class)) else { return };
        let (Some((name, entered)), Ok(cpu)) = (call_of(&class_of.event), i16::try_from(cpu)) else { return };
        let Some(function) = self.calls.function(class, name, ip, &self.symbols).filter(|_| cpu >= 0) else {
            return self.translator.borrow_mut().ignore();
        };
        let function = ids.text(function);
        // The channel belongs to the name: calls of a function that two channels trace would count twice, so only one channel is used.
        let first = self.classes.iter().find(|other| other.event == class_of.event).map(|other| other.channel);
        if first != Some(class_of.channel) {
            return self.translator.borrow_mut().ignore();
        }
        let mut translator = self.translator.borrow_mut();
        translator.add_cpu(cpu);
        let Some((since_ns, dur_ns)) = self.calls.step(cpu, name, entered, ts_ns) else { return };
        translator.saw_balance();
        self.attempts = self.attempts.checked_add(1).unwrap_or(1);
        let attempt = BalanceAttempt {
            cpu,
            dur_ns,
            dst_cpu: cpu,
            domain_level: None,
            idle_type: idle_type::UNKNOWN,
            pulled: None,
            function,
            number: NonZeroU32::new(self.attempts).expect("numbers start at 1"),
        };
        self.pending.rows.push_back(Row { ts_ns: since_ns, event: Event::BalanceAttempt(Box::new(attempt)) });
    }

    fn lost(&mut self, cpu: i32, channel: u16, from_ns: i64, to_ns: i64, count: Option<u64>, ids: &mut Interner) {
        let cpu = i16::try_from(cpu).ok().filter(|&cpu| cpu >= 0);
        let own = self.channel_of.get(usize::from(channel)).copied();
        if let Some(cpu) = cpu {
            self.calls.lost(cpu);
            self.copies.lost(cpu, to_ns);
        }
        // Losses of a channel that has only copies, or no event that is read, are not rows.
        if own.is_some_and(|own| self.is_spare(own)) {
            let what = "events were lost of a channel that has none of the scheduler's, or none that others lack";
            return self.translator.borrow_mut().note(what);
        }
        self.translator.borrow_mut().lost(cpu, from_ns, to_ns, count, ids, &mut self.fresh);
        self.pending.rows.extend(self.fresh.drain(..));
    }

    /// Every kind that the channel records is recorded by another one as well, or is reported by applications.
    fn is_spare(&self, channel: u16) -> bool {
        let needless = |(kind, recorded): (&EventKind, &RecordingChannels)| {
            recorded.all & 1 << channel == 0 || recorded.all.count_ones() > 1 || kind.is_of_application()
        };
        channel < CHANNELS && self.kinds.iter().all(needless)
    }

    /// The id of a kernel stack of these addresses.
    fn stack(&mut self, raw: &[u8], ids: &mut Interner) -> StackId {
        if let Some(&known) = self.stacks.get(raw) {
            return known;
        }
        let words = raw.chunks_exact(8).map(|word| u64::from_ne_bytes(word.try_into().expect("eight bytes")));
        let (mut addresses, mut symbols) = self.symbols.describe(words);
        // The tracer is a module; where kallsyms does not name its functions, this one of the kernel called it.
        if let Some(last) = symbols.iter().take(TRACER_FRAMES).position(|symbol| symbol.starts_with("__traceiter_")) {
            addresses.drain(..=last);
            symbols.drain(..=last);
        }
        let id = ids.stack(Stack { addresses, symbols });
        self.stacks.insert(raw.into(), id);
        id
    }

    /// No row that is still to come starts before this instant.
    fn settled(&self) -> i64 {
        self.calls.settled(self.translator.borrow().settled(self.now_ns, None))
    }

    fn finish(&mut self) {
        self.decoder = None;
        if self.calls.unpaired > 0 {
            let note = format!("{} entries or exits of balance functions have no counterpart", self.calls.unpaired);
            self.translator.borrow_mut().note(note);
        }
    }
}

#[derive(PartialEq, Eq)]
enum PipeState {
    Some,
    Silent,
}

impl Source for Reader {
    fn name(&self) -> String {
        self.path.display().to_string()
    }

    fn read(&mut self, ids: &mut Interner, rows: &mut Vec<Row>) -> Result<Progress, Error> {
        let mut end = self.records(ids)?;
        if !end && self.decoder.is_some() {
            let filled = self.fill();
            filled.map_err(|cause| Error::Source { source: self.name(), why: format!("reading failed: {cause}") })?;
            end = self.records(ids)?;
        }
        end |= self.decoder.is_none();
        if end {
            self.finish();
            rows.extend(self.pending.rows.drain(..));
            return Ok(Progress::End);
        }
        let waiting = self.pending.release(self.now_ns, rows);
        Ok(Progress::Settled(waiting.unwrap_or_else(|| self.settled())))
    }
}

impl PendingRows {
    /// The row that will be at place `at` behind the pending ones waits for its stack. Returns its number.
    fn wait(&mut self, at: usize, now_ns: i64, settled_ns: i64) -> u64 {
        let row = self.first + (self.rows.len() + at) as u64;
        self.waits.push_back(PendingStack { row, until_ns: now_ns.saturating_add(WAIT_NS), settled_ns, over: false });
        row
    }

    /// The row gets its stack; false: it has gone without.
    fn give(&mut self, row: u64, stack: StackId) -> bool {
        let Some(place) = row.checked_sub(self.first) else { return false };
        let Some(Row { event: Event::SchedMigrateTask(SchedMigrateTask { stack_id: place, .. }), .. }) =
            self.rows.get_mut(place as usize)
        else {
            return false;
        };
        let given = place.is_none();
        place.get_or_insert(stack);
        if let Ok(wait) = self.waits.binary_search_by_key(&row, |wait| wait.row) {
            self.waits[wait].over = true;
        }
        given
    }

    /// Hand out the rows before the first that still waits. Returns how far the trace was settled when that one came.
    fn release(&mut self, now_ns: i64, rows: &mut Vec<Row>) -> Option<i64> {
        while let Some(wait) = self.waits.front()
            && (wait.over || wait.until_ns < now_ns || self.rows.len() > WAIT_ROWS)
        {
            let free = self.waits.get(1).map_or(self.rows.len(), |next| (next.row - self.first) as usize);
            rows.extend(self.rows.drain(..free));
            self.first += free as u64;
            self.waits.pop_front();
        }
        let free = self.waits.front().map_or(self.rows.len(), |wait| (wait.row - self.first) as usize);
        rows.extend(self.rows.drain(..free));
        self.first += free as u64;
        self.waits.front().map(|wait| wait.settled_ns)
    }
}

/// Of two events with the same key that two channels bring, one is the other's copy.
fn key(event: &EventRecord<'_>, kind: EventKind) -> u64 {
    let mut hasher = DefaultHasher::new();
    (event.cpu, kind, event.values).hash(&mut hasher);
    hasher.finish()
}
