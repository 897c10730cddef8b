//! What the child sends as a source of rows.

use crate::ffi::{paradigm, role};
use crate::wire::Message;
use std::collections::HashMap;
use std::path::PathBuf;
use std::time::Duration;
use wastenot_assemble::{Error, Interner, Progress, Row, Source};
use wastenot_import::parallel::{Activity, MOST_THREADS, ProgramRows, ProgramThread, Target, kind_of_mpi};
use wastenot_import::{PipeRead, ReadingChild, SharedTranslator};
use wastenot_schemas::RegionKind;

/// The child may take so long for what it sends next.
const PATIENCE: Duration = Duration::from_secs(60);
/// Bytes read at once.
const CHUNK: usize = 1 << 18;

/// Messages of a child.
pub struct Messages {
    child: ReadingChild,
    buffer: Vec<u8>,
    /// Of `buffer`, what is still to be read.
    from: usize,
}

impl Messages {
    pub fn new(child: ReadingChild) -> Self {
        Self { child, buffer: Vec::new(), from: 0 }
    }

    /// The next message; the error says why there is none. (The last one is always `End`.)
    pub fn next(&mut self) -> Result<Message, String> {
        loop {
            let read = Message::read(&self.buffer[self.from..]);
            if let Some((message, length)) =
                read.map_err(|_| "internal error: malformed message of the reader; please report")?
            {
                self.from += length;
                return Ok(message);
            }
            self.buffer.drain(..self.from);
            self.from = 0;
            let held = self.buffer.len();
            self.buffer.resize(held + CHUNK, 0);
            let read = self
                .child
                .read(&mut self.buffer[held..], PATIENCE)
                .map_err(|cause| format!("reading failed: {cause}"))?;
            let count = match read {
                PipeRead::Bytes(count) => count,
                PipeRead::Silent => {
                    return Err(format!("damaged: libotf2 did not get on with it for {} s", PATIENCE.as_secs()));
                }
                PipeRead::Closed => return Err("damaged: libotf2 ended itself while it read it".into()),
            };
            self.buffer.truncate(held + count);
        }
    }
}

/// What the definitions of an archive say.
#[derive(Debug, Default)]
pub struct Definitions {
    pub resolution: u64,
    pub offset: u64,
    pub length: u64,
    groups: Vec<(u32, String)>,
    locations: Vec<(u64, u32, String)>,
    regions: HashMap<u32, (u8, u8, String)>,
    /// Locations that are no threads on CPUs.
    pub others: u64,
}

impl Definitions {
    /// Read them up to the first event.
    pub fn read(messages: &mut Messages) -> Result<Self, String> {
        let mut found = Self { resolution: 1, ..Self::default() };
        loop {
            match messages.next()? {
                Message::Clock { resolution, offset, length } => {
                    (found.resolution, found.offset, found.length) = (resolution.max(1), offset, length);
                }
                Message::Group { id, name } => found.groups.push((id, name)),
                Message::Location { id, group, is_thread: true, name } => found.locations.push((id, group, name)),
                Message::Location { .. } => found.others += 1,
                Message::Region { id, role, paradigm, name } => {
                    found.regions.insert(id, (role, paradigm, name));
                }
                Message::Defined if found.locations.is_empty() => return Err("it has no threads".into()),
                Message::Defined if found.locations.len() > MOST_THREADS => {
                    return Err(format!("it has more than {MOST_THREADS} threads, which is all that can be read"));
                }
                Message::Defined => return Ok(found),
                Message::Event { .. } => {
                    return Err("internal error: an event before its definitions; please report".into());
                }
                Message::End { error } => {
                    return Err(error.unwrap_or_else(|| "it ends before its definitions do".into()));
                }
            }
        }
    }

    /// A time in ns from the start of the trace.
    pub fn ns(&self, time: u64) -> i64 {
        let ticks = i128::from(time) - i128::from(self.offset);
        i64::try_from(ticks * 1_000_000_000 / i128::from(self.resolution)).unwrap_or(i64::MAX)
    }

    /// Its threads, in the order of processes: the first thread of a process has its number.
    fn threads(&self) -> (Vec<ProgramThread>, HashMap<u64, usize>, i32) {
        let order: HashMap<u32, usize> = self.groups.iter().enumerate().map(|(n, (id, _))| (*id, n)).collect();
        let mut sorted: Vec<&(u64, u32, String)> = self.locations.iter().collect();
        sorted.sort_by_key(|(_, group, _)| order.get(group).copied().unwrap_or(usize::MAX));
        let parent = sorted.len() as i32 + 1;
        let mut processes: Vec<u32> = sorted.iter().map(|(_, group, _)| *group).collect();
        processes.dedup();
        let mut threads: Vec<ProgramThread> = Vec::new();
        let mut places = HashMap::new();
        let mut former = None;
        let mut process = 0;
        for (place, (id, group, name)) in sorted.into_iter().enumerate() {
            let tid = place as i32 + 1;
            if former != Some(*group) {
                former = Some(*group);
                process = tid;
            }
            let of_group = order.get(group).map(|n| self.groups[*n].1.trim()).filter(|name| !name.is_empty());
            // Threads of the only process are the ranks: a process that does nothing holds them, so that none is taken
            // for one that only waits for the others.
            let (tgid, name) = match processes.len() {
                1 => (parent, "thread"),
                _ if process == tid => (process, of_group.unwrap_or(name)),
                _ => (process, name.as_str()),
            };
            threads.push(ProgramThread { tid, tgid, parent, name: name.into() });
            places.insert(*id, place);
        }
        (threads, places, parent)
    }

    /// What a thread does in a region; None where it computes.
    fn kinds(&self, region: u32, is_first: bool) -> &'static [RegionKind] {
        let Some((of, paradigm, name)) = self.regions.get(&region) else { return &[] };
        if *paradigm == paradigm::MPI {
            return match kind_of_mpi(name) {
                Some(kind) => one(kind),
                None if (role::COLL_ONE2ALL..=role::COLL_OTHER).contains(of) => &[RegionKind::Collective],
                None if *of == role::BARRIER => &[RegionKind::Collective],
                None if *of == role::POINT2POINT => &[RegionKind::Receive],
                None => &[],
            };
        }
        match *of {
            // Each thread enters it, to execute its body; the first thread of a process starts the others.
            role::PARALLEL if *paradigm == paradigm::OPENMP && is_first => &[RegionKind::Parallel, RegionKind::Work],
            role::PARALLEL if *paradigm == paradigm::OPENMP => &[RegionKind::Work],
            role::BARRIER | role::IMPLICIT_BARRIER | role::TASK_WAIT => &[RegionKind::Barrier],
            role::THREAD_WAIT => &[RegionKind::Wait],
            _ => &[],
        }
    }

    fn name(&self, region: u32) -> &str {
        self.regions.get(&region).map_or("", |(_, _, name)| name)
    }
}

/// A kind as a slice of one.
fn one(kind: RegionKind) -> &'static [RegionKind] {
    match kind {
        RegionKind::Collective => &[RegionKind::Collective],
        RegionKind::Wait => &[RegionKind::Wait],
        RegionKind::Receive => &[RegionKind::Receive],
        RegionKind::Send => &[RegionKind::Send],
        RegionKind::Probe => &[RegionKind::Probe],
        RegionKind::Startup => &[RegionKind::Startup],
        RegionKind::Barrier => &[RegionKind::Barrier],
        RegionKind::Work => &[RegionKind::Work],
        RegionKind::Parallel => &[RegionKind::Parallel],
    }
}

/// Events become rows.
pub struct Otf2Source {
    path: PathBuf,
    messages: Messages,
    definitions: Definitions,
    threads: Vec<ProgramThread>,
    places: HashMap<u64, usize>,
    parent: i32,
    program: ProgramRows,
    translator: SharedTranslator,
    begun: bool,
    now_ns: i64,
    /// Events before the start of the trace, or of a location that is not defined.
    odd: u64,
}

impl Otf2Source {
    pub fn new(path: PathBuf, messages: Messages, definitions: Definitions, translator: SharedTranslator) -> Self {
        let (threads, places, parent) = definitions.threads();
        let program = ProgramRows::new(threads.clone(), 0, false);
        Self {
            path,
            messages,
            definitions,
            threads,
            places,
            parent,
            program,
            translator,
            begun: false,
            now_ns: 0,
            odd: 0,
        }
    }

    /// How many threads there are.
    pub fn count(&self) -> usize {
        self.threads.len()
    }

    fn begin(&mut self, to: &mut Target<'_>) {
        self.program.parents(&[(self.parent, "otf2")], to.rows);
        for thread in 0..self.threads.len() {
            self.program.change(0, thread, Activity::Running(thread as i16), None, to);
        }
    }

    fn event(&mut self, location: u64, time: u64, region: u32, enter: bool, to: &mut Target<'_>) {
        let ts_ns = self.definitions.ns(time);
        let Some(&thread) = self.places.get(&location).filter(|_| ts_ns >= self.now_ns) else {
            self.odd += 1;
            return to.translator.garbled();
        };
        self.now_ns = ts_ns;
        let is_first = self.threads[thread].tid == self.threads[thread].tgid || thread == 0;
        let kinds = self.definitions.kinds(region, is_first);
        if kinds.is_empty() {
            return to.translator.ignore();
        }
        let name = self.definitions.name(region).to_owned();
        let mut each = |kind: &RegionKind| self.program.region(ts_ns, thread, *kind, enter, &name, to);
        if enter { kinds.iter().for_each(&mut each) } else { kinds.iter().rev().for_each(&mut each) }
    }
}

impl Source for Otf2Source {
    fn name(&self) -> String {
        self.path.display().to_string()
    }

    fn read(&mut self, ids: &mut Interner, rows: &mut Vec<Row>) -> Result<Progress, Error> {
        const PORTION: usize = 4096;
        let translator = self.translator.clone();
        let mut translator = translator.borrow_mut();
        let mut to = Target { translator: &mut translator, ids, rows };
        if !self.begun {
            self.begun = true;
            self.begin(&mut to);
        }
        for _ in 0..PORTION {
            match self.messages.next() {
                Ok(Message::Event { location, time, region, enter }) => {
                    self.event(location, time, region, enter, &mut to)
                }
                Ok(Message::End { error: None }) => {
                    self.program.finish(&mut to);
                    return Ok(Progress::End);
                }
                Ok(Message::End { error: Some(why) }) | Err(why) => {
                    // What came before is good: the library merges the locations by time.
                    if self.now_ns == 0 {
                        return Err(Error::Source { source: self.name(), why });
                    }
                    to.translator.incomplete(format!("the trace ends early: {why}"));
                    self.program.finish(&mut to);
                    return Ok(Progress::End);
                }
                Ok(_) => {}
            }
        }
        let whole = self.definitions.ns(self.definitions.offset.saturating_add(self.definitions.length)).max(1);
        to.translator.set_done(self.now_ns as f64 / whole as f64);
        Ok(Progress::Settled(self.now_ns))
    }
}
