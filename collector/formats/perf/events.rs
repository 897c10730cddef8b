//! From records, in order, to rows.

use crate::attr::Attrs;
use crate::bytes::Bytes;
use crate::order::Entry;
use crate::record;
use crate::stacks::Stacks;
use crate::stream::{ExistingThread, Ring, Stream};
use std::collections::HashMap;
use wastenot_assemble::{Event, Interner, Row, SchedMigrateTask, StackId};
use wastenot_import::{EventKind, EventOrigin, Exec, Exit, Fork, KernelEvent, Tid, Translator, has_stack};

/// Rows looked through for the first copy of an event whose stack came with the second.
const NEAR_ROWS: usize = 16;
/// Threads whose creation a record has and the tracepoint not yet: few; more are damage.
const MAX_CREATED: usize = 1 << 20;
/// Longest raw record that is compared with the one before; those of the scheduler have some 100 bytes.
const MAX_COPY: usize = 4096;

/// State of the records read so far, and the rows that wait to be fetched.
pub struct Events {
    /// Rows by CPU; the last queue has those of no CPU and of CPUs that the machine was not said to have.
    pub queues: Vec<Vec<Row>>,
    pub stacks: Stacks,
    /// By number of the tracepoint: it was opened more than once.
    doubled: Vec<bool>,
    /// The last event of each doubled tracepoint on each CPU.
    last: HashMap<(usize, u16), LastSample>,
    /// No tracepoint was recorded for the creation of threads: records of type FORK stand in for it. Likewise for exit and exec.
    without_fork: bool,
    without_exit: bool,
    without_exec: bool,
    /// Processes of new threads, until their sched_process_fork is read.
    created: HashMap<Tid, Tid>,
    /// Why the formats, which are not the file's own, cannot be right.
    pub misfit: Option<String>,
}

/// An event, and the attributes whose samples had it.
struct LastSample {
    raw: Vec<u8>,
    attrs: Vec<u16>,
    time: u64,
}

/// A record's parts.
struct Record<'a> {
    kind: u32,
    misc: u16,
    body: Bytes<'a>,
}

impl Events {
    /// For a trace whose attributes and formats are known; `cpus` of the machine.
    pub fn new(stream: &Stream, cpus: usize, stacks: Stacks) -> Self {
        let opened = |kind: EventKind| {
            let points = stream.tracing.points.iter().filter(|point| point.shape.kind == kind);
            points.map(|point| times_opened(&stream.attrs, point.id)).sum::<usize>() > 0
        };
        Self {
            queues: (0..=cpus).map(|_| Vec::new()).collect(),
            stacks,
            doubled: stream.tracing.points.iter().map(|point| times_opened(&stream.attrs, point.id) > 1).collect(),
            last: HashMap::new(),
            without_fork: !opened(EventKind::Fork) && !opened(EventKind::NewTask),
            without_exit: !opened(EventKind::Exit),
            without_exec: !opened(EventKind::Exec),
            created: HashMap::new(),
            misfit: None,
        }
    }

    fn queue_of(&self, cpu: Option<u32>) -> usize {
        let rest = self.queues.len() - 1;
        cpu.map_or(rest, |cpu| rest.min(cpu as usize))
    }

    /// Threads that were there before.
    pub fn known(&mut self, known: &[ExistingThread], ts_ns: i64, translator: &mut Translator, ids: &mut Interner) {
        let rest = self.queue_of(None);
        for thread in known {
            let name = thread.name.as_ref().map(|name| &name[..]);
            translator.thread(ts_ns, thread.tid, Some(thread.tgid), name, ids, &mut self.queues[rest]);
        }
    }

    /// The rows of a record.
    #[inline]
    pub fn record(&mut self, stream: &Stream, entry: Entry, translator: &mut Translator, ids: &mut Interner) {
        let (block, at) = (stream.blocks.bytes(entry.place.block()), entry.place.at());
        let all = Bytes::new(block, stream.endian);
        let (Some(kind), Some(misc), Some(size)) = (all.u32(at), all.u16(at + 4), all.u16(at + 6)) else { return };
        let Some(body) = block.get(at + record::HEADER..at + usize::from(size)) else { return };
        let record = Record { kind, misc, body: Bytes::new(body, stream.endian) };
        match kind {
            record::SAMPLE => self.sample(stream, entry, record.body, translator, ids),
            record::LOST => self.lost(stream, entry, record.body, translator, ids),
            _ => self.thread(stream, entry, &record, translator, ids),
        }
    }

    #[inline]
    fn sample(
        &mut self,
        stream: &Stream,
        entry: Entry,
        body: Bytes<'_>,
        translator: &mut Translator,
        ids: &mut Interner,
    ) {
        let layout = &stream.attrs.all[usize::from(entry.attr)].layout;
        let (Some(cpu), Some(variable)) = (layout.cpu(body), layout.variable(body)) else { return };
        let Some(id) = Bytes::new(variable.raw, stream.endian).u16(0) else { return };
        let number = stream.wanted[usize::from(id)];
        let Some(point) = stream.tracing.points.get(usize::from(number)) else { return };
        if stream.borrowed.is_some() && !point.has_perf_size(variable.raw.len()) {
            self.misfit = Some(format!(
                "records of {} have {} bytes, which is not the size of its format: the formats are those of another kernel",
                point.shape.name,
                variable.raw.len()
            ));
            return;
        }
        let Some(mut event) = point.event(variable.raw) else { return translator.garbled() };
        let mut stack = None;
        if has_stack(point.shape.kind) && !variable.chain.is_empty() {
            let chain = Bytes::new(variable.chain, stream.endian);
            let (read, odd) = self.stacks.of_chain(chain, stream.kernel_start, ids);
            odd.into_iter().for_each(|odd| translator.note(odd));
            stack = read;
        }
        let queue = self.queue_of(Some(cpu));
        let comparable = self.doubled[usize::from(number)] && variable.raw.len() <= MAX_COPY;
        if comparable && self.is_copy(queue, number, entry, variable.raw) {
            if stack.is_some() && point.shape.kind == EventKind::Migrate && self.give_stack(queue, number, stack) {
                translator.saw_stacks();
            }
            return translator.duplicate(point.shape.kind);
        }
        if let Some(KernelEvent::Fork(fork)) = &mut event {
            let process = self.created.remove(&fork.child_tid).filter(|&tgid| tgid >= 0);
            fork.child_tgid = fork.child_tgid.or(process);
        }
        let current = point.common_pid(variable.raw);
        let origin = EventOrigin { ts_ns: entry.time as i64, cpu: cpu.into(), current, stack };
        translator.event(point.shape.kind, &origin, event, ids, &mut self.queues[queue]);
    }

    /// A tracepoint that was opened twice has each event twice in a row, on its CPU, with the same content. The first copy
    /// becomes the row.
    #[cold]
    fn is_copy(&mut self, queue: usize, number: u16, entry: Entry, raw: &[u8]) -> bool {
        let none = || LastSample { raw: Vec::new(), attrs: Vec::new(), time: 0 };
        let last = self.last.entry((queue, number)).or_insert_with(none);
        let is_copy = !last.attrs.is_empty() && last.raw == raw && !last.attrs.contains(&entry.attr);
        if !is_copy {
            last.raw.clear();
            last.raw.extend_from_slice(raw);
            last.attrs.clear();
            last.time = entry.time;
        }
        last.attrs.push(entry.attr);
        is_copy
    }

    /// A stack that only the second copy has goes to the first.
    #[cold]
    fn give_stack(&mut self, queue: usize, number: u16, stack: Option<StackId>) -> bool {
        let Some(time) = self.last.get(&(queue, number)).map(|last| last.time as i64) else { return false };
        let first = self.queues[queue].iter_mut().rev().take(NEAR_ROWS).find_map(|row| match &mut row.event {
            Event::SchedMigrateTask(SchedMigrateTask { stack_id: lacking @ None, .. }) if row.ts_ns == time => {
                Some(lacking)
            }
            _ => None,
        });
        first.map(|lacking| *lacking = stack).is_some()
    }

    fn lost(
        &mut self,
        stream: &Stream,
        entry: Entry,
        body: Bytes<'_>,
        translator: &mut Translator,
        ids: &mut Interner,
    ) {
        let trailer = stream.attrs.trailer(body);
        let cpu = trailer.cpu.or_else(|| stream.attrs.cpus.get(&body.u64(0)?).copied());
        let to_ns = trailer.time.unwrap_or(entry.time).max(entry.time) as i64;
        let queue = self.queue_of(cpu);
        let cpu = cpu.and_then(|cpu| i16::try_from(cpu).ok());
        translator.lost(cpu, entry.time as i64, to_ns, body.u64(8), ids, &mut self.queues[queue]);
    }

    /// Losses that only the counts at the end show: after the ring's last record.
    pub fn lost_at_end(&mut self, rings: &[Ring], latest: u64, translator: &mut Translator, ids: &mut Interner) {
        for (number, ring) in rings.iter().enumerate() {
            let count = ring.lost_samples.saturating_sub(ring.lost);
            if count == 0 {
                continue;
            }
            let cpu = u32::try_from(number).ok().filter(|_| number + 1 < rings.len());
            let since = if ring.last > 0 { ring.last } else { latest };
            let queue = self.queue_of(cpu);
            let cpu = cpu.and_then(|cpu| i16::try_from(cpu).ok());
            translator.lost(cpu, since as i64, latest as i64, Some(count), ids, &mut self.queues[queue]);
        }
    }

    /// COMM, FORK and EXIT: names and processes; events where no tracepoint has them.
    fn thread(
        &mut self,
        stream: &Stream,
        entry: Entry,
        record: &Record<'_>,
        translator: &mut Translator,
        ids: &mut Interner,
    ) {
        let body = record.body;
        let cpu = stream.attrs.trailer(body).cpu;
        let queue = self.queue_of(cpu);
        let rows = &mut self.queues[queue];
        let ts_ns = entry.time as i64;
        let (Some(tgid), Some(word), Some(third)) = (body.i32(0), body.i32(4), body.i32(8)) else { return };
        let mut event = |kind, event: Option<KernelEvent<'_>>, rows: &mut Vec<Row>| {
            let Some(cpu) = cpu else { return };
            let origin = EventOrigin { ts_ns, cpu: cpu.into(), ..EventOrigin::default() };
            translator.event(kind, &origin, event, ids, rows);
        };
        let thread = |tid: Tid| Some(tid).filter(|&tid| tid >= 0);
        match record.kind {
            record::COMM => {
                if record.misc & record::MISC_COMM_EXEC != 0 && self.without_exec {
                    let exec = thread(word).map(|tid| KernelEvent::Exec(Exec { tid, ..Exec::default() }));
                    event(EventKind::Exec, exec, rows);
                }
                let name = body.data.get(8..body.data.len().min(24));
                translator.thread(ts_ns, word, Some(tgid), name, ids, rows);
            }
            record::FORK if self.without_fork => {
                let fork = body.i32(12).and_then(thread).zip(thread(third)).map(|(parent_tid, child_tid)| {
                    let child_tgid = thread(tgid);
                    KernelEvent::Fork(Fork { parent_tid, child_tid, child_tgid, ..Fork::default() })
                });
                event(EventKind::Fork, fork, rows);
            }
            record::FORK if self.created.len() < MAX_CREATED => _ = self.created.insert(third, tgid),
            record::EXIT => {
                self.created.remove(&third);
                if self.without_exit {
                    event(
                        EventKind::Exit,
                        thread(third).map(|tid| KernelEvent::Exit(Exit { tid, ..Exit::default() })),
                        rows,
                    );
                }
            }
            _ => {}
        }
    }
}

fn times_opened(attrs: &Attrs, id: u32) -> usize {
    attrs.all.iter().filter(|attr| attr.is_tracepoint(id)).count()
}
