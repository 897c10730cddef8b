//! The frames of a recording, distributed to one source per CPU.

use super::rows::{self, Names};
use super::snapshot::SnapshotCorrector;
use crate::record;
use crate::segment::{Frame, NO_CPU, RecordingReader, Tail, WINDOW_NS};
use std::cell::RefCell;
use std::collections::VecDeque;
use std::io;
use std::path::Path;
use std::rc::Rc;
use std::sync::mpsc::{Receiver, sync_channel};
use wastenot_assemble::{Error, Event, Interner, Progress, Row, Source};
use wastenot_machine::{Machine, NamedBatch};
use wastenot_schemas::region_kind;

/// Frames read ahead by the reading thread.
const READ_AHEAD: usize = 16;
/// Most bytes of records that are read ahead for the events around the snapshot.
const SNAPSHOT_BYTES: usize = 256 << 20;

enum Item {
    Frame(Frame),
    Tail(u32, Tail),
}

/// All frames, in their order: read by a thread of its own, or handed in.
pub struct Frames {
    /// Where they are read from; None where they are handed in.
    items: Option<Receiver<Item>>,
    /// By CPU; the last for frames of user space.
    queues: Vec<VecDeque<Frame>>,
    base_ns: u64,
    watermark_ns: u64,
    /// Time of the latest record that was read.
    last_ns: Option<i64>,
    /// The same, of those of CPUs.
    last_of_cpus_ns: Option<i64>,
    /// Number of the segment at which reading ended, and why.
    tail: Option<(u32, Tail)>,
    names: Names,
    corrector: SnapshotCorrector,
    /// The corrector has all records before this instant; later rows of a snapshot are not corrected.
    corrected_until_ns: i64,
    ahead: AroundSnapshot,
}

/// How far the records around the start snapshot have been read.
#[derive(Default)]
struct AroundSnapshot {
    /// The latest record of the snapshot.
    until_ns: i64,
    /// Bytes of records, and frames of each queue, that the corrector has.
    bytes: usize,
    visited: Vec<usize>,
}

impl Frames {
    /// Over the `segments` folder of a recording of `cpus` possible CPUs.
    pub fn open(folder: &Path, cpus: usize, counters: Vec<String>, functions: Vec<String>) -> io::Result<Self> {
        let mut reader = RecordingReader::open(folder)?;
        let base_ns = reader.base_ns();
        let (sender, items) = sync_channel(READ_AHEAD);
        std::thread::Builder::new().name("wastenot-frames".into()).spawn(move || {
            loop {
                let mut frame = Frame::default();
                let item = if reader.next_into(&mut frame) {
                    Item::Frame(frame)
                } else {
                    let missing = (0, Tail::Truncated { offset: 0 });
                    let (number, tail) = reader.tail().map_or(missing, |(number, tail)| (number, tail.clone()));
                    Item::Tail(number, tail)
                };
                let last = matches!(item, Item::Tail(..));
                if sender.send(item).is_err() || last {
                    return;
                }
            }
        })?;
        Ok(Self { items: Some(items), ..Self::handed_in(base_ns, cpus, counters, functions) })
    }

    /// Of a recording of `cpus` possible CPUs whose frames are [handed in](Self::push); its records count from `base_ns`.
    pub fn handed_in(base_ns: u64, cpus: usize, counters: Vec<String>, functions: Vec<String>) -> Self {
        Self {
            items: None,
            queues: (0..=cpus).map(|_| VecDeque::new()).collect(),
            base_ns,
            watermark_ns: 0,
            last_ns: None,
            last_of_cpus_ns: None,
            tail: None,
            names: Names { counters, functions, ..Names::default() },
            corrector: SnapshotCorrector::default(),
            corrected_until_ns: i64::MIN,
            ahead: AroundSnapshot::default(),
        }
    }

    /// Take the numbers that attempts report for the machine's domains.
    pub fn number_levels(&mut self, machine: &Machine) {
        rows::number_levels(&machine.domains, &mut self.names.levels);
    }

    /// No frame follows, for this reason.
    pub fn end(&mut self, tail: Tail) {
        self.tail = Some((0, tail));
    }

    /// Before this instant no row is missing any more (ns).
    pub fn settled_ns(&self) -> i64 {
        self.watermark_ns.saturating_sub(WINDOW_NS) as i64
    }

    /// One source per CPU, and one for what user space wrote.
    pub fn sources(self) -> (Rc<RefCell<Self>>, Vec<Box<dyn Source>>) {
        let queues = self.queues.len();
        let shared = Rc::new(RefCell::new(self));
        let source = |queue| Box::new(CpuFrames { queue, shared: Rc::clone(&shared) }) as Box<dyn Source>;
        // User space's rows first: at equal stamps a snapshot goes before the events.
        let sources = std::iter::once(queues - 1).chain(0..queues - 1).map(source).collect();
        (shared, sources)
    }

    /// Why reading ended, once it has.
    pub fn tail(&self) -> Option<&(u32, Tail)> {
        self.tail.as_ref()
    }

    /// Time of the latest record read so far.
    pub fn last_ns(&self) -> Option<i64> {
        self.last_ns
    }

    /// Time of the latest record of a CPU read so far.
    pub fn last_of_cpus_ns(&self) -> Option<i64> {
        self.last_of_cpus_ns
    }

    /// Rows of the tables `domain` and `domain_group` for the domains that were built anew, as read since the last call.
    pub fn take_domains(&mut self, machine: &Machine) -> Vec<NamedBatch> {
        self.names.domains.take(machine)
    }

    /// Sets of domains of which a part was missing or could not be read.
    pub fn damaged_domains(&self) -> u64 {
        self.names.domains.damaged
    }

    /// Rows of the snapshot that were corrected.
    pub fn snapshot_corrected(&self) -> u64 {
        self.corrector.corrected
    }

    /// Read one more frame into its queue; false at the end.
    pub fn advance(&mut self) -> Result<bool, Error> {
        if self.tail.is_some() {
            return Ok(false);
        }
        let Some(items) = &self.items else { return Ok(false) };
        match items.recv() {
            Ok(Item::Frame(frame)) => self.push(frame).map(|()| true),
            Ok(Item::Tail(number, tail)) => {
                self.tail = Some((number, tail));
                Ok(false)
            }
            Err(_) => {
                let why = "the thread that reads the segments ended early".into();
                Err(Error::Source { source: "segments".into(), why })
            }
        }
    }

    /// Put a frame into its queue.
    pub fn push(&mut self, frame: Frame) -> Result<(), Error> {
        self.watermark_ns = self.watermark_ns.max(frame.watermark_ns);
        let user_space = self.queues.len() - 1;
        let queue = if frame.cpu == NO_CPU { user_space } else { usize::from(frame.cpu) };
        if frame.cpu != NO_CPU && queue >= user_space {
            let why = format!(
                "records of CPU {queue}, which the machine does not have: machine.json and the segments belong to different recordings"
            );
            return Err(Error::Source { source: "segments".into(), why });
        }
        if frame.cpu == NO_CPU {
            let regions = &mut self.names.regions;
            each_record(&frame, self.base_ns, |_, record| {
                if let record::Record::RegionName(name) = record {
                    let kind = (name.kind as u8).min(region_kind::STARTUP);
                    regions.insert(name.region, (kind, String::from_utf8_lossy(name.name).into_owned()));
                }
            })?;
        }
        self.queues[queue].push_back(frame);
        Ok(())
    }

    /// Read ahead until all events around the start snapshot are read, and give them to the corrector.
    pub fn read_around_snapshot(&mut self, start_ns: i64) -> Result<(), Error> {
        while !self.covers_snapshot(start_ns)? && self.advance()? {}
        self.end_snapshot();
        Ok(())
    }

    /// Give the corrector what was read since the last call. True when nothing around the snapshot, which starts at `start_ns`, is missing
    /// any more: then call [`Self::end_snapshot`].
    pub fn covers_snapshot(&mut self, start_ns: i64) -> Result<bool, Error> {
        let AroundSnapshot { until_ns, bytes, visited } = &mut self.ahead;
        *until_ns = start_ns.max(*until_ns);
        visited.resize(self.queues.len(), 0);
        for (queue, visited) in self.queues.iter().zip(visited) {
            for frame in queue.iter().skip(*visited) {
                *bytes += frame.records.len();
                let corrector = &mut self.corrector;
                each_record(frame, self.base_ns, |ts_ns, record| {
                    corrector.add(frame.cpu as i16, ts_ns as i64, record);
                    if matches!(record, record::Record::Thread(_) | record::Record::CpuSnapshot(_)) {
                        *until_ns = (*until_ns).max(ts_ns as i64);
                    }
                })?;
            }
            *visited = queue.len();
        }
        Ok(self.watermark_ns as i64 > until_ns.saturating_add(WINDOW_NS as i64) || *bytes >= SNAPSHOT_BYTES)
    }

    /// The corrector has all that it needs, or all there is.
    pub fn end_snapshot(&mut self) {
        self.corrector.complete();
        self.corrected_until_ns = self.ahead.until_ns;
    }

    fn read(&mut self, queue: usize, ids: &mut Interner, rows: &mut Vec<Row>) -> Result<Progress, Error> {
        while let Some(frame) = self.queues[queue].pop_front() {
            let fresh = rows.len();
            let names = &mut self.names;
            each_record(&frame, self.base_ns, |ts_ns, record| rows::push(frame.cpu, ts_ns, record, names, ids, rows))?;
            for row in &mut rows[fresh..] {
                self.last_ns = self.last_ns.max(Some(row.ts_ns));
                if queue + 1 < self.queues.len() {
                    self.last_of_cpus_ns = self.last_of_cpus_ns.max(Some(row.ts_ns));
                }
                if row.ts_ns <= self.corrected_until_ns
                    && matches!(row.event, Event::ThreadSnapshot(_) | Event::CpuSnapshot(_))
                {
                    self.corrector.correct(row);
                }
            }
        }
        Ok(match self.tail {
            Some(_) => Progress::End,
            None => Progress::Settled(self.settled_ns()),
        })
    }
}

/// Visit the records of a frame.
#[inline]
fn each_record(frame: &Frame, base_ns: u64, mut visit: impl FnMut(u64, &record::Record<'_>)) -> Result<(), Error> {
    let mut bytes = frame.records.as_slice();
    while !bytes.is_empty() {
        let (ts_ns, record, length) = record::read(bytes, base_ns).map_err(|error| {
            let offset = frame.records.len() - bytes.len();
            let why =
                format!("{error} (byte {offset} of a frame); record it again or use the version that recorded it");
            Error::Source { source: format!("segments, CPU {}", frame.cpu as i16), why }
        })?;
        visit(ts_ns, &record);
        bytes = &bytes[length..];
    }
    Ok(())
}

struct CpuFrames {
    queue: usize,
    shared: Rc<RefCell<Frames>>,
}

impl Source for CpuFrames {
    fn name(&self) -> String {
        match self.queue {
            queue if queue + 1 == self.shared.borrow().queues.len() => "recorder".into(),
            cpu => format!("cpu {cpu}"),
        }
    }

    /// The kernel's monotonic clock; an interrupt may write between the stamp and the writing of another record.
    fn is_steady(&self) -> bool {
        true
    }

    fn read(&mut self, ids: &mut Interner, rows: &mut Vec<Row>) -> Result<Progress, Error> {
        self.shared.borrow_mut().read(self.queue, ids, rows)
    }
}
