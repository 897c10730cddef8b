//! The file's one reader, and the sources that fetch its rows: one per CPU.
//!
//! Records are put in order over all CPUs before they become rows, since what one CPU's records say of a thread matters for what
//! another's say later.

use crate::events::Events;
use crate::order::Entry;
use crate::stream::Stream;
use std::cell::RefCell;
use std::path::PathBuf;
use std::rc::Rc;
use wastenot_assemble::{Error, Interner, Progress, Row, Source};
use wastenot_import::SharedTranslator;

/// Stream, order and rows of one file.
pub struct Reader {
    path: PathBuf,
    stream: Stream,
    events: Events,
    translator: SharedTranslator,
    taken: Vec<Entry>,
    /// Records before this instant can go out: a round has ended.
    due: Option<u64>,
    /// All records before this instant have become rows.
    limit: u64,
    ended: bool,
    /// Handed to the translator so far.
    ignored: u64,
    garbled: u64,
}

impl Reader {
    pub fn new(path: PathBuf, stream: Stream, events: Events, translator: SharedTranslator, due: Option<u64>) -> Self {
        Self {
            path,
            stream,
            events,
            translator,
            taken: Vec::new(),
            due,
            limit: 0,
            ended: false,
            ignored: 0,
            garbled: 0,
        }
    }

    /// Read on until records have become rows or the file ends.
    fn pump(&mut self, ids: &mut Interner) -> Result<(), Error> {
        loop {
            if let Some(limit) = self.due.take() {
                self.put_out(limit, ids);
                return self.require_fitting();
            }
            if self.stream.is_at_end() {
                self.finish(ids);
                return self.require_fitting();
            }
            self.due = self.stream.step().map_err(|cause| Error::Source {
                source: self.path.display().to_string(),
                why: format!("cannot be read on: {cause}"),
            })?;
        }
    }

    fn require_fitting(&mut self) -> Result<(), Error> {
        match (self.events.misfit.take(), &self.stream.borrowed) {
            (Some(why), Some(from)) => Err(Error::Source { source: from.display().to_string(), why }),
            _ => Ok(()),
        }
    }

    fn put_out(&mut self, limit: u64, ids: &mut Interner) {
        self.stream.order.take(limit, &mut self.taken);
        let mut translator = self.translator.borrow_mut();
        if let Some(first) = self.taken.first() {
            let known = std::mem::take(&mut self.stream.known);
            self.events.known(&known, first.time as i64, &mut translator, ids);
        }
        for &entry in &self.taken {
            self.events.record(&self.stream, entry, &mut translator, ids);
            self.stream.blocks.release(entry.place.block());
        }
        self.limit = self.limit.max(limit);
        (self.ignored..self.stream.ignored).for_each(|_| translator.ignore());
        (self.garbled..self.stream.garbled).for_each(|_| translator.garbled());
        (self.ignored, self.garbled) = (self.stream.ignored, self.stream.garbled);
        translator.set_done(self.stream.done());
    }

    fn finish(&mut self, ids: &mut Interner) {
        self.stream.order.end();
        self.put_out(self.stream.known_until.map_or(u64::MAX, |until| until.saturating_add(1)), ids);
        let latest = self.stream.order.latest();
        let mut translator = self.translator.borrow_mut();
        if latest > 0 {
            self.events.known(&self.stream.known, latest as i64, &mut translator, ids);
            self.events.lost_at_end(&self.stream.rings, latest, &mut translator, ids);
        }
        match self.stream.order.outliers {
            0 => {}
            count => {
                translator.note(format!("{count} records whose time lay far ahead of their neighbours' were left out"))
            }
        }
        if let Some(why) = self.stream.cut.take() {
            translator.incomplete(why);
        }
        self.ended = true;
    }
}

/// The rows of one CPU, or, as the last source, of none.
pub struct CpuSource {
    reader: Rc<RefCell<Reader>>,
    queue: usize,
    cpu: Option<i16>,
    /// The reader's limit when it was last asked.
    seen: Option<u64>,
}

impl CpuSource {
    /// The sources of a reader.
    pub fn all(reader: Reader) -> Vec<Box<dyn Source>> {
        let queues = reader.events.queues.len();
        let reader = Rc::new(RefCell::new(reader));
        let source = |queue: usize| {
            let cpu = i16::try_from(queue).ok().filter(|_| queue + 1 < queues);
            Box::new(Self { reader: Rc::clone(&reader), queue, cpu, seen: None }) as Box<dyn Source>
        };
        (0..queues).map(source).collect()
    }
}

impl Source for CpuSource {
    fn name(&self) -> String {
        let path = self.reader.borrow().path.display().to_string();
        self.cpu.map_or(path.clone(), |cpu| format!("{path}, CPU {cpu}"))
    }

    fn is_steady(&self) -> bool {
        true
    }

    fn read(&mut self, ids: &mut Interner, rows: &mut Vec<Row>) -> Result<Progress, Error> {
        let mut reader = self.reader.borrow_mut();
        if reader.events.queues[self.queue].is_empty() && !reader.ended && self.seen == Some(reader.limit) {
            reader.pump(ids)?;
        }
        rows.append(&mut reader.events.queues[self.queue]);
        if reader.ended {
            return Ok(Progress::End);
        }
        self.seen = Some(reader.limit);
        let limit = i64::try_from(reader.limit).unwrap_or(i64::MAX);
        let settled = reader.translator.borrow().settled(limit, self.cpu);
        Ok(Progress::Settled(settled))
    }
}
