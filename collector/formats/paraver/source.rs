//! The records of a `.prv` as a source of rows.

use crate::LONGEST_LINE;
use crate::header::Header;
use crate::meaning::{Meanings, Scheduled, StateMeaning, WOKEN_BY};
use crate::names::RowNames;
use crate::record::{Place, Record, pairs};
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use wastenot_assemble::{Error, Interner, Progress, Row, Source};
use wastenot_import::parallel::{Activity, ProgramRows, ProgramThread, Target};
use wastenot_import::{SharedTranslator, Translator};
use wastenot_schemas::RegionKind;

/// Lines read per portion of rows.
const PORTION: usize = 4096;
/// Regions in regions of one thread.
const DEEPEST: usize = 64;

/// The threads of a trace and how its records name them.
pub struct Threads {
    pub list: Vec<ProgramThread>,
    /// Place of the first thread of each task of each application.
    pub first_of_task: Vec<Vec<usize>>,
    /// Threads of each task.
    pub counts: Vec<Vec<u32>>,
    /// Processes above them.
    pub parents: Vec<i32>,
}

impl Threads {
    fn place(&self, place: Place) -> Option<usize> {
        let application = (place.application as usize).checked_sub(1)?;
        let task = (place.task as usize).checked_sub(1)?;
        let count = *self.counts.get(application)?.get(task)?;
        let thread = place.thread.checked_sub(1).filter(|thread| *thread < count)?;
        Some(self.first_of_task[application][task] + thread as usize)
    }
}

/// What a thread is in.
#[derive(Default)]
struct Open {
    /// Regions that events entered, the outermost first: type, kind, name. None: one that is not a call that waits.
    calls: Vec<(u64, Option<(RegionKind, String)>)>,
    /// The region that its state is.
    state: Option<(RegionKind, String)>,
    woken_by: Option<usize>,
    /// End of its latest state (ns).
    until_ns: i64,
}

/// Records become rows.
pub struct ParaverSource {
    path: PathBuf,
    lines: BufReader<File>,
    line: Vec<u8>,
    number: u64,
    read: u64,
    length: u64,
    unit_ns: i64,
    end_ns: i64,
    now_ns: i64,
    threads: Threads,
    program: ProgramRows,
    meanings: Meanings,
    rows: RowNames,
    open: Vec<Open>,
    /// Ends of states that are not followed by another, soonest first, where states are not the scheduler's.
    ends: BinaryHeap<Reverse<(i64, usize)>>,
    translator: SharedTranslator,
    begun: bool,
    beyond_end: u64,
    others: u64,
}

impl ParaverSource {
    #[allow(clippy::too_many_arguments)]
    pub fn new(
        path: &Path,
        lines: BufReader<File>,
        read: u64,
        length: u64,
        header: &Header,
        threads: Threads,
        meanings: Meanings,
        rows: RowNames,
        translator: SharedTranslator,
    ) -> Self {
        let program = ProgramRows::new(threads.list.clone(), 0, meanings.is_of_scheduler());
        let open = threads.list.iter().map(|_| Open::default()).collect();
        Self {
            path: path.to_owned(),
            lines,
            line: Vec::new(),
            number: 1,
            read,
            length,
            unit_ns: header.unit_ns,
            end_ns: header.length_ns,
            now_ns: 0,
            threads,
            program,
            meanings,
            rows,
            open,
            ends: BinaryHeap::new(),
            translator,
            begun: false,
            beyond_end: 0,
            others: 0,
        }
    }

    fn wrong(&self, why: &str) -> Error {
        Error::Source { source: self.name(), why: format!("line {}: {why}", self.number) }
    }

    /// The next line into `line`; false at the end.
    fn next_line(&mut self, to: &mut Translator) -> Result<bool, Error> {
        self.line.clear();
        let read = self.lines.by_ref().take(LONGEST_LINE).read_until(b'\n', &mut self.line);
        let read =
            read.map_err(|cause| Error::Source { source: self.name(), why: format!("reading failed: {cause}") })?;
        self.read += read as u64;
        self.number += 1;
        if read == 0 {
            return Ok(false);
        }
        if self.line.pop_if(|last| *last == b'\n').is_none() {
            if read as u64 == LONGEST_LINE {
                return Err(self.wrong("it is longer than a record can be"));
            }
            to.incomplete("the trace is cut off: its last line has no end and was left out");
            return Ok(false);
        }
        self.line.pop_if(|last| *last == b'\r');
        Ok(true)
    }

    fn begin(&mut self, to: &mut Target<'_>) {
        let parents: Vec<(i32, &str)> = self.threads.parents.iter().map(|tid| (*tid, "paraver")).collect();
        self.program.parents(&parents, to.rows);
        if !self.meanings.is_of_scheduler() {
            for thread in 0..self.threads.list.len() {
                self.program.change(0, thread, Activity::Running(thread as i16), None, to);
            }
        }
    }

    fn record(&mut self, to: &mut Target<'_>) -> Result<(), Error> {
        let line = std::mem::take(&mut self.line);
        let done = match Record::parse(&line) {
            Ok(Record::State { place, start, end, state }) => self.state(place, start, end, state, to),
            Ok(Record::Events { place, time, pairs: rest }) => self.events(place, time, rest, to),
            Ok(Record::Other) => {
                self.others += u64::from(line.first().is_some_and(u8::is_ascii_digit));
                Ok(())
            }
            Err(why) => Err(why),
        };
        self.line = line;
        done.map_err(|why| self.wrong(&why))
    }

    /// The thread of a record, and its time, up to which everything before it becomes rows.
    fn reach(&mut self, place: Place, time: i64, to: &mut Target<'_>) -> Result<(usize, i64), String> {
        let Place { application, task, thread, .. } = place;
        let at = self.threads.place(place);
        let at = at.ok_or_else(|| format!("thread {application}.{task}.{thread} is not one of those in line 1"))?;
        let ts_ns = time.checked_mul(self.unit_ns).ok_or_else(|| format!("time {time}"))?;
        if ts_ns < self.now_ns {
            return Err("it lies before the line above it; sort the trace by time".into());
        }
        self.beyond_end += u64::from(ts_ns > self.end_ns);
        self.end_states(ts_ns, to);
        self.now_ns = ts_ns;
        Ok((at, ts_ns))
    }

    /// States that end up to `ts_ns`.
    fn end_states(&mut self, ts_ns: i64, to: &mut Target<'_>) {
        while let Some(Reverse((end, thread))) = self.ends.peek().copied().filter(|Reverse((end, _))| *end <= ts_ns) {
            self.ends.pop();
            if self.open[thread].until_ns == end {
                self.leave_state(end, thread, to);
            }
        }
    }

    fn leave_state(&mut self, ts_ns: i64, thread: usize, to: &mut Target<'_>) {
        match self.open[thread].state.take() {
            Some((kind, name)) => self.program.region(ts_ns, thread, kind, false, &name, to),
            None => self.program.change(ts_ns, thread, Activity::Running(thread as i16), None, to),
        }
    }

    fn state(&mut self, place: Place, start: i64, end: i64, state: u32, to: &mut Target<'_>) -> Result<(), String> {
        let (thread, ts_ns) = self.reach(place, start, to)?;
        let end_ns = end.checked_mul(self.unit_ns).ok_or_else(|| format!("time {end}"))?;
        if end_ns == ts_ns {
            return Ok(());
        }
        if ts_ns < self.open[thread].until_ns {
            return Err("its thread is still in the state of an earlier line".into());
        }
        self.open[thread].until_ns = end_ns;
        let meaning = self.meanings.state(state).clone();
        match meaning {
            StateMeaning::Scheduled(what) => {
                let cpu = self.cpu(place.cpu)?;
                if what == Scheduled::Interrupted {
                    self.program.interrupt(ts_ns, end_ns - ts_ns, cpu, to);
                }
                let activity = activity(what, cpu);
                let waker = self.open[thread].woken_by.take();
                self.program.change(ts_ns, thread, activity, waker, to);
                return self.conflict();
            }
            StateMeaning::Computes => return Ok(()),
            StateMeaning::Sleeps => self.program.change(ts_ns, thread, Activity::Asleep, None, to),
            StateMeaning::Blocks => self.program.change(ts_ns, thread, Activity::Blocked, None, to),
            StateMeaning::Region(kind, name) => {
                self.program.region(ts_ns, thread, kind, true, &name, to);
                self.open[thread].state = Some((kind, name));
            }
        }
        self.ends.push(Reverse((end_ns, thread)));
        Ok(())
    }

    /// The number of a CPU of a record.
    fn cpu(&self, cpu: u32) -> Result<i16, String> {
        let place = cpu.saturating_sub(1);
        let number = self.rows.cpu(place as usize).map_or(place, |cpu| cpu as u32);
        i16::try_from(number)
            .ok()
            .filter(|cpu| *cpu < 8192)
            .ok_or_else(|| format!("CPU {cpu} is beyond what can be read"))
    }

    fn conflict(&self) -> Result<(), String> {
        let Some(conflict) = self.program.conflict() else { return Ok(()) };
        let [one, other] = conflict.threads.map(|thread| self.threads.list[thread].tid);
        let (cpu, ts_ns) = (conflict.cpu, conflict.ts_ns);
        Err(format!("threads {one} and {other} both run on CPU {cpu} at {ts_ns} ns; the trace contradicts itself"))
    }

    fn events(&mut self, place: Place, time: i64, rest: &[u8], to: &mut Target<'_>) -> Result<(), String> {
        let (thread, ts_ns) = self.reach(place, time, to)?;
        for pair in pairs(rest) {
            let (of, value) = pair?;
            if of == WOKEN_BY {
                let waker = usize::try_from(value - 1).ok().filter(|waker| *waker < self.threads.list.len());
                self.open[thread].woken_by = waker;
            } else if Meanings::is_call(of) {
                self.call(ts_ns, thread, of, value, to);
            }
        }
        Ok(())
    }

    /// An event that enters something, or leaves it (value 0). In exports of ours regions of one type may be nested; to
    /// Paraver the last value of a type counts.
    fn call(&mut self, ts_ns: i64, thread: usize, of: u64, value: i64, to: &mut Target<'_>) {
        let calls = &mut self.open[thread].calls;
        let of_type = |(known, _): &(u64, Option<(RegionKind, String)>)| *known == of;
        let ended = match self.meanings.is_of_scheduler() {
            true => calls.iter().rposition(of_type).filter(|_| value == 0),
            false => calls.iter().position(of_type),
        };
        // What was entered inside and not left ends with it.
        for (_, region) in calls.drain(ended.unwrap_or(calls.len())..).rev() {
            if let Some((kind, name)) = region {
                self.program.region(ts_ns, thread, kind, false, &name, to);
            }
        }
        if value != 0 && calls.len() < DEEPEST {
            let region = self.meanings.enters(of, value);
            if let Some((kind, name)) = &region {
                self.program.region(ts_ns, thread, *kind, true, name, to);
            }
            calls.push((of, region));
        }
    }

    fn finish(&mut self, to: &mut Target<'_>) -> Result<(), Error> {
        self.end_states(self.end_ns.max(self.now_ns), to);
        self.program.finish(to);
        self.conflict().map_err(|why| self.wrong(&why))?;
        if self.beyond_end > 0 {
            to.translator.note(format!("{} records lie beyond the end that line 1 gives", self.beyond_end));
        }
        for _ in 0..self.others {
            to.translator.ignore();
        }
        Ok(())
    }
}

fn activity(what: Scheduled, cpu: i16) -> Activity {
    match what {
        Scheduled::Running | Scheduled::Interrupted => Activity::Running(cpu),
        Scheduled::Queued => Activity::Queued(cpu),
        Scheduled::Preempted => Activity::Preempted(cpu),
        Scheduled::Throttled => Activity::Throttled(cpu),
        Scheduled::Asleep => Activity::Asleep,
        Scheduled::Blocked => Activity::Blocked,
        Scheduled::Other => Activity::Stopped,
    }
}

impl Source for ParaverSource {
    fn name(&self) -> String {
        self.path.display().to_string()
    }

    fn read(&mut self, ids: &mut Interner, rows: &mut Vec<Row>) -> Result<Progress, Error> {
        let translator = self.translator.clone();
        let mut translator = translator.borrow_mut();
        if !self.begun {
            self.begun = true;
            self.begin(&mut Target { translator: &mut translator, ids, rows });
        }
        for _ in 0..PORTION {
            if !self.next_line(&mut translator)? {
                self.finish(&mut Target { translator: &mut translator, ids, rows })?;
                return Ok(Progress::End);
            }
            self.record(&mut Target { translator: &mut translator, ids, rows })?;
        }
        translator.set_done(self.read as f64 / self.length.max(1) as f64);
        // What happens at the last instant is still gathered.
        Ok(Progress::Settled(self.now_ns))
    }
}
