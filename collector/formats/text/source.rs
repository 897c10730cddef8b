//! A file of lines, or the piece of one CPU, as a source of rows.

use crate::body;
use crate::frames::{Frame, frame};
use crate::head::{LineHead, MAX_CPU, STACK, Stamp};
use crate::lines::Lines;
use crate::lost::{lost_events, overwritten};
use std::cell::Cell;
use std::collections::HashMap;
use std::rc::Rc;
use wastenot_assemble::{Error, Event, Interner, Progress, Row, SchedMigrateTask, Source, Stack};
use wastenot_import::{
    EventKind, EventOrigin, EventShape, KernelEvent, LazySymbols, SharedTranslator, Translator, has_stack, shape_of,
    stack_row,
};
use wastenot_machine::is_tracer_frame;

/// Lines read per portion of rows.
const PORTION: usize = 4096;
/// Rows held back until the stack of one of them has come.
const MAX_PENDING: usize = 4096;
/// Frames of one stack.
const MAX_FRAMES: usize = 128;
/// Names of events that are remembered; no trace has as many.
const MAX_NAMES: usize = 4096;

/// What all pieces of a file share.
pub struct TextFile {
    pub path: String,
    pub translator: SharedTranslator,
    /// Symbols of the kernel.
    pub symbols: Rc<LazySymbols>,
    pub len: u64,
    /// Bytes read so far, by all pieces.
    pub read: Cell<u64>,
    /// Events of several buffers are printed, with their names.
    pub has_buffers: bool,
    /// A page: it is refused when it holds no event.
    pub is_html: bool,
}

/// Lines become rows.
pub struct TextSource {
    text: Rc<TextFile>,
    lines: Lines,
    position: u64,
    reader: LineReader,
}

/// State after the lines read so far.
struct LineReader {
    has_buffers: bool,
    symbols: Rc<LazySymbols>,
    /// The one CPU of the piece.
    cpu: Option<i16>,
    cpus: Vec<Cpu>,
    shapes: HashMap<Box<[u8]>, Option<&'static EventShape>>,
    /// Rows that are not handed out yet: one of them may still get a stack.
    pending: Vec<Row>,
    /// Stacks are events of their own here.
    has_stacks: bool,
    /// The row whose stack is being printed.
    stack_of: Option<usize>,
    frames: Vec<(Option<u64>, Box<[u8]>)>,
    now_ns: Option<i64>,
    /// Lines before the first event that name one and cannot be read.
    unread: u64,
    /// Events overwritten before the first one.
    overwritten: u64,
    /// Events with a stamp that is not a time.
    counts: u64,
}

/// What is known of one CPU.
#[derive(Default)]
struct Cpu {
    last_ns: Option<i64>,
    /// Events are missing before its next one; how many (0: unknown).
    gap: Option<u64>,
    /// Its last event, where that can have a stack: the thread that wrote it and the place of its row among those pending.
    waits: Option<(i32, usize)>,
    /// The last event of each kind, by which its copies in other buffers are recognised.
    last_events: HashMap<&'static str, LastEvent>,
}

#[derive(Default)]
struct LastEvent {
    tid: i32,
    body: Vec<u8>,
    /// The buffers that had it.
    had: Vec<Box<[u8]>>,
}

impl TextSource {
    /// Of these lines; `cpu`: they are all of this one.
    pub fn new(text: Rc<TextFile>, lines: Lines, cpu: Option<i16>) -> Self {
        let reader = LineReader {
            has_buffers: text.has_buffers,
            symbols: Rc::clone(&text.symbols),
            cpu,
            cpus: Vec::new(),
            shapes: HashMap::new(),
            pending: Vec::new(),
            has_stacks: false,
            stack_of: None,
            frames: Vec::new(),
            now_ns: None,
            unread: 0,
            overwritten: 0,
            counts: 0,
        };
        Self { position: lines.position(), text, lines, reader }
    }

    fn count_bytes(&mut self, to: &mut Translator) {
        let position = self.lines.position();
        let read = self.text.read.get() + (position - self.position);
        self.position = position;
        self.text.read.set(read);
        to.set_done(read as f64 / self.text.len.max(1) as f64);
    }

    fn finish(&mut self, to: &mut Translator, ids: &mut Interner) -> Result<(), Error> {
        let reader = &mut self.reader;
        reader.end_stack(to, ids);
        reader.end_gaps(to, ids);
        (0..self.lines.too_long).for_each(|_| to.garbled());
        if self.lines.too_long > 0 {
            to.incomplete(format!("{} lines longer than 64 kB were passed over", self.lines.too_long));
        }
        if self.lines.unfinished {
            to.incomplete("the text is cut off: its last line has no end and was left out");
        }
        if reader.counts > 0 {
            let why = "their stamps are not times (clock counter or x86-tsc); record with the clock mono";
            to.incomplete(format!("{} events were left out: {why}", reader.counts));
        }
        if self.text.is_html && reader.now_ns.is_none() && reader.counts == 0 {
            let why = "no trace is in this page; a systrace page holds one as text".into();
            return Err(Error::Source { source: self.text.path.clone(), why });
        }
        Ok(())
    }
}

/// A line that is not read as an event has the name of one that every trace needs, as tools print it: it was damaged.
fn names_an_event(line: &[u8]) -> bool {
    const NAMES: [&[u8]; 5] = [b"switch: ", b"wakeup: ", b"wakeup_new: ", b"waking: ", b"migrate_task: "];
    let named = |at: usize| NAMES.iter().any(|name| line[at..].starts_with(name));
    !line.starts_with(b"#") && memchr::memmem::find_iter(line, b"sched_").any(|at| named(at + 6))
}

impl Source for TextSource {
    fn name(&self) -> String {
        match self.reader.cpu {
            Some(cpu) => format!("{}, CPU {cpu}", self.text.path),
            None => self.text.path.clone(),
        }
    }

    fn read(&mut self, ids: &mut Interner, rows: &mut Vec<Row>) -> Result<Progress, Error> {
        let text = Rc::clone(&self.text);
        let mut to = text.translator.borrow_mut();
        for _ in 0..PORTION {
            let unread = |error: std::io::Error| Error::Source { source: text.path.clone(), why: error.to_string() };
            match self.lines.next().map_err(unread)? {
                Some(line) => self.reader.line(line, &mut to, ids),
                None => {
                    self.finish(&mut to, ids)?;
                    self.count_bytes(&mut to);
                    rows.append(&mut self.reader.pending);
                    return Ok(Progress::End);
                }
            }
        }
        self.count_bytes(&mut to);
        self.reader.hand_out(rows);
        let Some(now_ns) = self.reader.now_ns else { return Ok(Progress::Settled(i64::MIN)) };
        let waits_ns = self.reader.pending.iter().map(|row| row.ts_ns).min().unwrap_or(i64::MAX);
        Ok(Progress::Settled(to.settled(now_ns, self.reader.cpu).min(waits_ns)))
    }
}

impl LineReader {
    #[inline]
    fn line(&mut self, line: &[u8], to: &mut Translator, ids: &mut Interner) {
        match LineHead::parse(line) {
            Some(head) => {
                if self.stack_of.is_some() {
                    self.end_stack(to, ids);
                }
                self.event(&head, to, ids);
            }
            None => self.other(line, to, ids),
        }
    }

    /// A line that is not an event.
    fn other(&mut self, line: &[u8], to: &mut Translator, ids: &mut Interner) {
        if let Some(Frame { symbol, address }) = frame(line) {
            if self.stack_of.is_some() && self.frames.len() < MAX_FRAMES {
                self.frames.push((address, symbol.into()));
            }
        } else if let Some((cpu, count)) = lost_events(line) {
            self.end_stack(to, ids);
            if u64::from(cpu) > MAX_CPU {
                return to.garbled();
            }
            let gap = &mut self.cpu_of(cpu).gap;
            *gap = Some(gap.map_or(count, |known| if known == 0 || count == 0 { 0 } else { known + count }));
        } else if let Some((count, _)) = overwritten(line) {
            self.overwritten += count;
        } else if names_an_event(line) {
            match self.now_ns {
                Some(_) => to.garbled(),
                None => self.unread += u64::from(!line.starts_with(b"#")),
            }
        }
    }

    fn cpu_of(&mut self, cpu: u16) -> &mut Cpu {
        let at = usize::from(cpu);
        if at >= self.cpus.len() {
            self.cpus.resize_with(at + 1, Cpu::default);
        }
        &mut self.cpus[at]
    }

    #[inline]
    fn event(&mut self, head: &LineHead<'_>, to: &mut Translator, ids: &mut Interner) {
        let ts_ns = match head.stamp {
            Stamp::Ns(ts_ns) => ts_ns,
            Stamp::Impossible => return to.garbled(),
            Stamp::Count(_) => {
                self.counts += 1;
                return;
            }
        };
        if self.overwritten > 0 {
            let count = std::mem::take(&mut self.overwritten);
            to.lost(self.cpu, ts_ns, ts_ns, Some(count), ids, &mut self.pending);
        }
        self.now_ns = Some(ts_ns);
        (0..std::mem::take(&mut self.unread)).for_each(|_| to.garbled());
        let cpu = self.cpu_of(head.cpu);
        let (before_ns, gap, waits) = (cpu.last_ns.replace(ts_ns), cpu.gap.take(), cpu.waits.take());
        if let Some(count) = gap {
            let count = Some(count).filter(|&count| count > 0);
            to.lost(Some(head.cpu as i16), before_ns.unwrap_or(ts_ns), ts_ns, count, ids, &mut self.pending);
        }
        if head.event == STACK {
            self.has_stacks = true;
            self.stack_of = waits.filter(|(tid, _)| *tid == head.tid).map(|(_, row)| row);
            return;
        }
        let Some(shape) = self.shape(head.event) else { return to.ignore() };
        if self.has_buffers && self.is_copy(head, shape) {
            return to.duplicate(shape.kind);
        }
        if head.tgid.is_some() {
            to.thread(ts_ns, head.tid, head.tgid, None, ids, &mut self.pending);
        }
        let Some(event) = body::event(shape.kind, head.body) else { return to.garbled() };
        if let Some(KernelEvent::Wake(wake)) = &event
            && wake.success == Some(0)
        {
            return to.ignore(); // it did not happen
        }
        let origin = EventOrigin { ts_ns, cpu: head.cpu.into(), current: Some(head.tid), stack: None };
        let first = self.pending.len();
        to.event(shape.kind, &origin, event, ids, &mut self.pending);
        if has_stack(shape.kind)
            && let Some(row) = self.pending[first..].iter().rposition(|row| has_place_for_stack(&row.event))
        {
            let row = first + row;
            // Of wakeups and switches only once a stack has come: each row that waits keeps back those of all CPUs.
            if shape.kind == EventKind::Migrate || self.has_stacks {
                self.cpu_of(head.cpu).waits = Some((head.tid, row));
            }
            self.stack_of = Some(row); // perf script prints the stack right below
        }
    }

    #[inline]
    fn shape(&mut self, event: &[u8]) -> Option<&'static EventShape> {
        if let Some(known) = self.shapes.get(event) {
            return *known;
        }
        let shape = std::str::from_utf8(event).ok().and_then(shape_of);
        if self.shapes.len() < MAX_NAMES {
            self.shapes.insert(event.into(), shape);
        }
        shape
    }

    /// Another buffer had the same event: the kernel writes it into one after the other before the CPU does anything else
    /// of that kind.
    fn is_copy(&mut self, head: &LineHead<'_>, shape: &'static EventShape) -> bool {
        let (buffer, _) = head.buffer();
        let last = self.cpu_of(head.cpu).last_events.entry(shape.name).or_default();
        if last.tid == head.tid && last.body == head.body && !last.had.iter().any(|had| **had == *buffer) {
            last.had.push(buffer.into());
            return last.had.len() > 1;
        }
        last.tid = head.tid;
        last.body.clear();
        last.body.extend_from_slice(head.body);
        last.had.clear();
        last.had.push(buffer.into());
        false
    }

    /// The frames printed so far are the stack of the row before them.
    fn end_stack(&mut self, to: &mut Translator, ids: &mut Interner) {
        let Some(row) = self.stack_of.take() else { return };
        if self.frames.is_empty() {
            return;
        }
        const KERNEL: u64 = 1 << 63;
        let kernel = self.frames.drain(..).take_while(|(address, _)| address.is_none_or(|a| a >= KERNEL));
        let (addresses, symbols): (Vec<_>, Vec<_>) =
            kernel.map(|(address, symbol)| (address, String::from_utf8_lossy(&symbol).into_owned())).unzip();
        let addresses: Option<Vec<u64>> = addresses.into_iter().collect();
        let (addresses, symbols) = match addresses {
            Some(addresses) if !self.symbols.is_empty() => self.symbols.describe(addresses),
            addresses => {
                let tracers = symbols.iter().take_while(|symbol| is_tracer_frame(symbol)).count();
                let addresses = addresses.map_or(Vec::new(), |all| all[tracers..].to_vec());
                (addresses, symbols[tracers..].to_vec())
            }
        };
        if symbols.is_empty() {
            return;
        }
        let id = ids.stack(Stack { addresses, symbols });
        match self.pending.get_mut(row) {
            Some(Row { event: Event::SchedMigrateTask(SchedMigrateTask { stack_id: stack, .. }), .. }) => {
                *stack = Some(id);
                to.saw_stacks();
            }
            Some(row) => {
                let row = stack_row(row, id);
                self.pending.extend(row);
            }
            None => {}
        }
    }

    /// Losses after which nothing came.
    fn end_gaps(&mut self, to: &mut Translator, ids: &mut Interner) {
        for (number, cpu) in self.cpus.iter_mut().enumerate() {
            let (Some(count), Some(now_ns)) = (cpu.gap.take(), self.now_ns) else { continue };
            let count = Some(count).filter(|&count| count > 0);
            to.lost(Some(number as i16), cpu.last_ns.unwrap_or(now_ns), now_ns, count, ids, &mut self.pending);
        }
    }

    /// Hand out the rows before the first that may still get a stack.
    fn hand_out(&mut self, rows: &mut Vec<Row>) {
        let oldest = self.pending.len().saturating_sub(MAX_PENDING);
        let waiting = self.cpus.iter().filter_map(|cpu| cpu.waits.map(|(_, row)| row));
        let first = waiting.chain(self.stack_of).filter(|&row| row >= oldest).min().unwrap_or(self.pending.len());
        rows.extend(self.pending.drain(..first));
        for cpu in &mut self.cpus {
            cpu.waits = cpu.waits.and_then(|(tid, row)| Some((tid, row.checked_sub(first)?)));
        }
        self.stack_of = self.stack_of.and_then(|row| row.checked_sub(first));
        if self.stack_of.is_none() {
            self.frames.clear();
        }
    }
}

/// The kernel's stack of such a row is kept.
fn has_place_for_stack(event: &Event) -> bool {
    matches!(event, Event::SchedMigrateTask(_) | Event::SchedSwitch(_) | Event::SchedWaking(_) | Event::SchedWakeup(_))
}
