//! A stream: the packets that one CPU wrote into one channel, in one or several files, and its events one by one.

use crate::decode::nanoseconds;
use crate::folder::GoodFile;
use crate::native::program::{Cursor, NumberOf, Numbers, Program, Stop, update_clock};
use crate::native::trace::{Header, StreamPlan, Trace};
use crate::wire::{EventRecord, Record, Writer};
use std::fs::File;
use std::io::{self, ErrorKind};
use std::os::unix::fs::FileExt;
use std::path::PathBuf;
use wastenot_import::FieldValues;

/// `magic` of a packet.
const MAGIC: i64 = 0xc1fc_1fc1;
/// Bytes that are read at once, of all streams together and of one at least and at most.
const WINDOWS: usize = 32 << 20;
const WINDOW: std::ops::RangeInclusive<usize> = 16 << 10..=128 << 10;
/// An event that needs more bytes at once is damage.
const MOST_WINDOW: usize = 4 << 20;
/// Bytes in which the header of a packet lies.
const HEAD: usize = 512;
const MOST_HEAD: usize = 64 << 10;
/// Files that are open at the same time.
const MOST_OPEN: usize = 256;
/// Losses that wait for the first packet, which has the CPU.
const MOST_EARLY: usize = 16;

/// A file of a stream.
#[derive(Debug)]
pub struct StreamFile {
    pub path: PathBuf,
    /// Bytes that are good.
    length: u64,
    /// Places and what is read there instead.
    patches: Vec<(u64, Vec<u8>)>,
    /// Its next packet.
    head: Option<PacketHead>,
    /// Why there is no further packet, if there should be.
    damaged: Option<String>,
}

/// The numbers of a packet's header and context. Sizes and places are in bits from its start, times in cycles.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PacketHead {
    /// Place in the file (bytes).
    offset: u64,
    /// Where its events start.
    events: u64,
    pub class: usize,
    /// Number of the stream, where packets have it.
    pub stream: Option<i64>,
    pub begin: u64,
    end: u64,
    content: u64,
    size: u64,
    sequence: Option<u64>,
    discarded: Option<u64>,
    cpu: Option<i64>,
    /// The file ends within it; it was made to end there.
    is_cut: bool,
}

/// Events or packets that were lost: from when, to when, and how many if that is known.
type Loss = (i64, i64, Option<u64>);

/// A stream ends before its end: because of this damage, or (None) because its file was cut off, which is known.
#[derive(Debug)]
pub struct Broken(pub Option<String>);

impl From<String> for Broken {
    fn from(why: String) -> Self {
        Self(Some(why))
    }
}

/// A stream that is being read.
pub struct Stream {
    /// Place of its trace among the traces, and of its class in it.
    pub trace: usize,
    pub class: usize,
    pub number: u32,
    pub channel: u16,
    files: Vec<StreamFile>,
    /// The file that is being read, open unless there are too many streams.
    current: usize,
    file: Option<File>,
    keep_open: bool,
    /// Bytes that are read at once.
    window_size: usize,
    /// Bytes of that file from `start` on.
    window: Vec<u8>,
    start: u64,
    packet: Option<PacketHead>,
    /// Position in the packet.
    at: u64,
    /// Losses to be delivered before the packet.
    losses: Vec<Loss>,
    entered: bool,
    early: Vec<Loss>,
    cpu: i32,
    /// The event at `at`.
    event: usize,
    ts_ns: i64,
    numbers: Numbers,
}

impl StreamFile {
    /// A file with its first packet.
    pub fn open(good: &GoodFile, trace: &Trace) -> Result<Self, String> {
        let file = File::open(&good.path).map_err(|error| error.to_string())?;
        let length = file.metadata().map_err(|error| error.to_string())?.len();
        let (length, patches) = match &good.part {
            None => (length, Vec::new()),
            Some(part) => (length.min(part.length), part.patches.clone()),
        };
        let mut new = Self { path: good.path.clone(), length, patches, head: None, damaged: None };
        new.head = new.packet_at(0, &file, trace)?;
        Ok(new)
    }

    pub fn head(&self) -> Option<&PacketHead> {
        self.head.as_ref()
    }

    /// The packet at this place. None: the file ends there.
    fn packet_at(&self, offset: u64, file: &File, trace: &Trace) -> Result<Option<PacketHead>, String> {
        let Some(rest) = self.length.checked_sub(offset).filter(|&rest| rest > 0) else { return Ok(None) };
        let mut size = HEAD;
        loop {
            let mut bytes = vec![0; size.min(usize::try_from(rest).unwrap_or(usize::MAX))];
            read_at(file, &mut bytes, offset).map_err(|error| error.to_string())?;
            for (place, patch) in &self.patches {
                let at = place.checked_sub(offset).and_then(|at| usize::try_from(at).ok());
                let at = at.and_then(|at| bytes.get_mut(at..at.checked_add(patch.len())?));
                at.into_iter().for_each(|at| at.copy_from_slice(patch));
            }
            match PacketHead::parse(&bytes, offset, rest, trace) {
                Err(Stop::NotAtHand) if size < MOST_HEAD => size *= 8,
                Err(Stop::NotAtHand) => return Err(format!("the header of the packet at byte {offset} is too large")),
                Err(Stop::PastEnd) => {
                    return Err(format!("the file ends in the header of the packet at byte {offset}"));
                }
                Err(Stop::Damaged(why)) => return Err(format!("the packet at byte {offset} is damaged: {why}")),
                Ok(head) => return Ok(Some(head)),
            }
        }
    }
}

/// All bytes from this place on.
fn read_at(file: &File, mut bytes: &mut [u8], mut offset: u64) -> io::Result<()> {
    while !bytes.is_empty() {
        match file.read_at(bytes, offset) {
            Ok(0) => return Err(io::Error::new(ErrorKind::UnexpectedEof, "the file has become shorter")),
            Ok(count) => {
                bytes = &mut bytes[count..];
                offset += count as u64;
            }
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

impl PacketHead {
    /// From the first bytes of a packet, behind whose start the file has so many.
    fn parse(bytes: &[u8], offset: u64, rest: u64, trace: &Trace) -> Result<Self, Stop> {
        let mut cursor = Cursor { bytes, first: 0, at: 0, limit: rest.saturating_mul(8) };
        let mut numbers = Numbers::default();
        let mut read = |program: &Program, numbers: &mut Numbers| {
            program.run(&mut cursor, &mut FieldValues::default(), numbers)?;
            Ok(cursor.at)
        };
        read(&trace.packet_header, &mut numbers)?;
        if numbers.get(NumberOf::Magic) != Some(MAGIC) {
            return Err(Stop::Damaged("it does not start with the magic number"));
        }
        let class = match numbers.get(NumberOf::StreamClass) {
            Some(id) => trace.streams.iter().position(|stream| stream.id == id as u64),
            None => Some(0),
        };
        let class = class.ok_or(Stop::Damaged("its stream is not declared"))?;
        let events = read(&trace.streams[class].packet_context, &mut numbers)?;
        let number = |of: NumberOf| numbers.get(of).map(|number| number as u64);
        let known = |of: NumberOf| number(of).ok_or(Stop::Damaged("its sizes or times are missing"));
        let (mut content, mut size) = (known(NumberOf::Content)?, known(NumberOf::Size)?);
        if content > size || content < events || !size.is_multiple_of(8) {
            return Err(Stop::Damaged("its size cannot be"));
        }
        let is_cut = size / 8 > rest;
        if is_cut {
            size = rest.saturating_mul(8);
            content = content.min(size);
        }
        Ok(Self {
            offset,
            events,
            class,
            stream: numbers.get(NumberOf::Stream),
            begin: known(NumberOf::Begin)?,
            end: known(NumberOf::End)?,
            content,
            size,
            sequence: number(NumberOf::Sequence),
            discarded: number(NumberOf::Discarded),
            cpu: numbers.get(NumberOf::Cpu),
            is_cut,
        })
    }

    /// A packet that two snapshots have is one.
    fn is_same(&self, other: &Self) -> bool {
        let key = |head: &Self| (head.size, head.begin, head.end, head.sequence);
        key(self) == key(other)
    }
}

impl Stream {
    /// Of these files, which have a first packet.
    pub fn new(trace: usize, class: usize, files: Vec<StreamFile>) -> Self {
        Self {
            trace,
            class,
            number: 0,
            channel: 0,
            files,
            current: usize::MAX,
            file: None,
            keep_open: true,
            window_size: *WINDOW.end(),
            window: Vec::new(),
            start: 0,
            packet: None,
            at: 0,
            losses: Vec::new(),
            entered: true,
            early: Vec::new(),
            cpu: -1,
            event: 0,
            ts_ns: i64::MIN,
            numbers: Numbers::default(),
        }
    }

    /// One of so many streams, of which it is this one.
    pub fn share(&mut self, number: usize, streams: usize) {
        self.number = number as u32;
        self.keep_open = streams <= MOST_OPEN;
        self.window_size = (WINDOWS / streams.max(1)).clamp(*WINDOW.start(), *WINDOW.end());
    }

    /// A file of it, for messages.
    pub fn name(&self) -> String {
        let file = self.files.get(self.current).or(self.files.first());
        file.map_or_else(String::new, |file| file.path.display().to_string())
    }

    /// Time of what comes next (ns). None: nothing does. An error: the rest is lost.
    pub fn advance(&mut self, trace: &Trace, packets: &mut u64, writer: &mut Writer) -> Result<Option<i64>, Broken> {
        let plan = &trace.streams[self.class];
        loop {
            if let Some((from_ns, ..)) = self.losses.first() {
                return Ok(Some(*from_ns));
            }
            let Some(packet) = self.packet else {
                if self.next_packet(trace)? {
                    continue;
                }
                return Ok(None);
            };
            if !self.entered {
                self.entered = true;
                self.cpu = packet.cpu.and_then(|cpu| i32::try_from(cpu).ok()).unwrap_or(-1);
                for loss in std::mem::take(&mut self.early) {
                    self.write_loss(loss, writer);
                }
            }
            if self.at == packet.content {
                *packets += 1;
                if self.next_packet(trace)? {
                    continue;
                }
                return Ok(None);
            }
            if self.at > packet.content {
                return Err("an event reaches beyond the content of its packet".to_owned().into());
            }
            return self.event_header(plan).map(Some);
        }
    }

    /// Write what comes next, as [`advance`](Self::advance) found it. True: it is an event of no interest. An error:
    /// the rest is lost.
    pub fn take(&mut self, trace: &Trace, writer: &mut Writer) -> Result<bool, Broken> {
        let plan = &trace.streams[self.class];
        if !self.losses.is_empty() {
            let loss = self.losses.remove(0);
            if self.cpu < 0 && plan.has_cpu && self.early.len() < MOST_EARLY {
                self.early.push(loss);
            } else {
                self.write_loss(loss, writer);
            }
            return Ok(false);
        }
        let event = &plan.events[self.event];
        loop {
            let mut values = FieldValues::default();
            self.numbers.clear();
            let mut cursor = cursor(&self.window, self.start, self.packet.as_ref(), self.at, self.length());
            match event.program.run(&mut cursor, &mut values, &mut self.numbers) {
                Ok(()) => self.at = cursor.at,
                Err(Stop::NotAtHand) => {
                    self.read_more()?;
                    continue;
                }
                Err(stop) => return Err(self.broken(stop)),
            }
            let Some(class) = event.class else { return Ok(true) };
            let (port, ts_ns, cpu) = (self.number, self.ts_ns, self.cpu);
            if class.is_call {
                let ip = self.numbers.get(NumberOf::Ip).unwrap_or(0) as u64;
                writer.write(&Record::Call { class: class.number, port, ts_ns, cpu, ip });
                return Ok(false);
            }
            let current = self.numbers.get(NumberOf::Tid).and_then(|tid| i32::try_from(tid).ok());
            let stack = &self.numbers.stack[..];
            writer.event(&EventRecord { class: class.number, port, ts_ns, cpu, current, values, stack });
            return Ok(false);
        }
    }

    fn write_loss(&self, (from_ns, to_ns, count): Loss, writer: &mut Writer) {
        let Self { number, cpu, channel, .. } = *self;
        writer.write(&Record::Lost { port: number, cpu, channel, from_ns, to_ns, count });
    }

    fn length(&self) -> u64 {
        self.files.get(self.current).map_or(0, |file| file.length)
    }

    /// What is wrong with the event at hand.
    fn broken(&self, stop: Stop) -> Broken {
        match stop {
            Stop::Damaged(why) => self.damage(why).into(),
            // A packet that is cut off was made to end where the file does.
            _ if self.packet.is_some_and(|packet| packet.offset + packet.content / 8 == self.length()) => {
                Broken(self.files.get(self.current).and_then(|file| file.damaged.clone()))
            }
            _ => self.damage("a field reaches beyond the end of the file").into(),
        }
    }

    fn damage(&self, why: &str) -> String {
        let byte = self.packet.map_or(0, |packet| packet.offset) + self.at / 8;
        format!("{why}, in the event at byte {byte}")
    }

    /// Read the header of the event at hand. Returns its time.
    #[inline]
    fn event_header(&mut self, plan: &StreamPlan) -> Result<i64, Broken> {
        loop {
            let mut cursor = cursor(&self.window, self.start, self.packet.as_ref(), self.at, self.length());
            let clock = self.numbers.clock;
            self.numbers.clear();
            let read = match &plan.header {
                Header::Compact => cursor.compact(&mut self.numbers.clock),
                Header::Large => cursor.large(&mut self.numbers.clock),
                Header::Program(program) => {
                    let read = program.run(&mut cursor, &mut FieldValues::default(), &mut self.numbers);
                    read.map(|()| self.numbers.get(NumberOf::Event).map(|id| id as u64))
                }
            };
            let id = match read {
                Ok(id) => id,
                Err(Stop::NotAtHand) => {
                    self.numbers.clock = clock;
                    self.read_more()?;
                    continue;
                }
                Err(stop) => return Err(self.broken(stop)),
            };
            let event = match id {
                Some(id) => plan.event(id),
                None => Some(0).filter(|_| plan.events.len() == 1),
            };
            let Some(event) = event else {
                return Err(self.damage(&format!("no event has the id {}", id.unwrap_or_default())).into());
            };
            self.event = event;
            self.at = cursor.at;
            self.ts_ns = nanoseconds(self.numbers.clock, plan.frequency);
            return Ok(self.ts_ns);
        }
    }

    /// The bytes from the current position on, and more of them than were at hand.
    fn read_more(&mut self) -> Result<(), String> {
        let from = self.packet.map_or(0, |packet| packet.offset) + self.at / 8;
        let rest = self.length().saturating_sub(from);
        let passed = from.checked_sub(self.start).unwrap_or(u64::MAX);
        let known = passed.min(self.window.len() as u64) as usize;
        let held = self.window.len() - known;
        let want = if held >= self.window_size / 2 { 2 * held } else { self.window_size };
        let want = want.min(usize::try_from(rest).unwrap_or(usize::MAX));
        if want <= held || want > MOST_WINDOW {
            return Err(self.damage("it needs more bytes than there can be"));
        }
        self.window.copy_within(known.., 0);
        self.window.resize(want, 0);
        if self.window.capacity() > 2 * self.window_size && want <= self.window_size {
            self.window.shrink_to(self.window_size);
        }
        self.start = from;
        let read = |file: &File, window: &mut [u8]| read_at(file, &mut window[held..], from + held as u64);
        let result = match &self.file {
            Some(file) => read(file, &mut self.window),
            None => match File::open(&self.files[self.current].path) {
                Ok(file) => {
                    let result = read(&file, &mut self.window);
                    self.file = Some(file).filter(|_| self.keep_open);
                    result
                }
                Err(error) => Err(error),
            },
        };
        if let Err(error) = result {
            self.window.clear();
            return Err(error.to_string());
        }
        Ok(())
    }

    /// Go to the next packet: the earliest of the files' next ones. False: there is none.
    fn next_packet(&mut self, trace: &Trace) -> Result<bool, String> {
        let before = self.packet;
        loop {
            let next = self.files.iter().enumerate().filter_map(|(n, file)| Some((file.head.as_ref()?.begin, n))).min();
            let Some((_, n)) = next else {
                self.packet = None;
                let damaged = self.files.iter_mut().find_map(|file| file.damaged.take());
                return damaged.map_or(Ok(false), Err);
            };
            let head = self.files[n].head.expect("it was found");
            if n != self.current {
                self.current = n;
                self.file = None;
                self.window.clear();
            }
            let following = head.offset.saturating_add(head.size / 8);
            let read = match &self.file {
                Some(file) => self.files[n].packet_at(following, file, trace),
                None => match File::open(&self.files[n].path) {
                    Ok(file) => {
                        let read = self.files[n].packet_at(following, &file, trace);
                        self.file = Some(file).filter(|_| self.keep_open);
                        read
                    }
                    Err(error) => Err(error.to_string()),
                },
            };
            // What is wrong with the following packet is reported when it is that one's turn.
            self.files[n].head = match read {
                Ok(following) => following,
                Err(why) => {
                    self.files[n].damaged = Some(why);
                    None
                }
            };
            if before.is_some_and(|before| before.is_same(&head)) {
                continue;
            }
            if head.class != self.class {
                return Err("its packets are of several streams".into());
            }
            if head.is_cut {
                self.files[n].damaged = Some(format!("the file ends within the packet at byte {}", head.offset));
            }
            self.losses = losses(before.as_ref(), &head, trace.streams[self.class].frequency);
            self.numbers.clock = head.begin;
            self.at = head.events;
            self.packet = Some(head);
            self.entered = false;
            return Ok(true);
        }
    }
}

/// What was lost between two packets, or before the first.
fn losses(before: Option<&PacketHead>, next: &PacketHead, frequency: u64) -> Vec<Loss> {
    let mut losses = Vec::new();
    let range = |from: u64, to: u64| (nanoseconds(from, frequency), nanoseconds(to, frequency));
    let mut add = |from: u64, to: u64, count: Option<u64>| {
        let (from_ns, to_ns) = range(from, to);
        losses.push((from_ns, to_ns, count));
    };
    match (before.and_then(|before| Some((before, before.discarded?))), next.discarded) {
        // The count may be of a time before the recording.
        (None, Some(discarded)) if discarded > 0 => add(next.begin, next.end, None),
        (Some((before, known)), Some(discarded)) if discarded != known => {
            add(before.end, next.end, Some(discarded.wrapping_sub(known)));
        }
        _ => {}
    }
    if let (Some(before), Some(sequence)) = (before, next.sequence)
        && let Some(known) = before.sequence
        && sequence.wrapping_sub(known) > 1
    {
        add(before.end, next.begin, None);
    }
    losses
}

fn cursor<'w>(window: &'w [u8], start: u64, packet: Option<&PacketHead>, at: u64, length: u64) -> Cursor<'w> {
    let offset = packet.map_or(0, |packet| packet.offset);
    // A window that starts before the packet: what is of the packet before is left out.
    let skipped = offset.saturating_sub(start).min(window.len() as u64);
    let bytes = &window[skipped as usize..];
    let first = (start + skipped).saturating_sub(offset).saturating_mul(8);
    let bytes = if start + skipped < offset { &[][..] } else { bytes };
    Cursor { bytes, first, at, limit: length.saturating_sub(offset).saturating_mul(8) }
}

impl Cursor<'_> {
    /// LTTng's compact header: a word with 5 bits of id and 27 of the clock; with the id 31 a byte, an id and the
    /// clock follow.
    #[inline]
    fn compact(&mut self, clock: &mut u64) -> Result<Option<u64>, Stop> {
        let at = self.at.next_multiple_of(8);
        let mut cursor = Cursor { at, ..*self };
        let [a, b, c, d] = cursor.array()?;
        let word = u32::from_le_bytes([a, b, c, d]);
        let mut id = u64::from(word & 31);
        if id == 31 {
            cursor.at = at + 8;
            id = u32::from_le_bytes(cursor.array()?).into();
            *clock = u64::from_le_bytes(cursor.array()?);
        } else {
            *clock = update_clock(*clock, u64::from(word >> 5), 27);
        }
        self.at = cursor.at;
        Ok(Some(id))
    }

    /// LTTng's large header: 16 bits of id and 32 of the clock; with the id 65535 another id and the clock follow.
    #[inline]
    fn large(&mut self, clock: &mut u64) -> Result<Option<u64>, Stop> {
        let at = self.at.next_multiple_of(8);
        let mut cursor = Cursor { at, ..*self };
        let mut id = u64::from(u16::from_le_bytes(cursor.array()?));
        if id == 65535 {
            id = u32::from_le_bytes(cursor.array()?).into();
            *clock = u64::from_le_bytes(cursor.array()?);
        } else {
            *clock = update_clock(*clock, u32::from_le_bytes(cursor.array()?).into(), 32);
        }
        self.at = cursor.at;
        Ok(Some(id))
    }
}
