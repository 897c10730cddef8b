//! Rows into columns: ids in the order of the trace, batches to the sink.

use crate::{Error, Interner, Row, Sink};
use std::collections::HashMap;
use std::num::NonZeroU32;
use wastenot_schemas::{EventBuilders, References, TextId};

/// Numbers the rows and writes them.
#[derive(Default)]
pub struct Tables {
    builders: EventBuilders,
    next_id: i64,
    attempts: Attempts,
}

/// Event ids of balance attempts by source and the source's number.
#[derive(Default)]
struct Attempts(HashMap<(usize, NonZeroU32), i64>);

/// Attempts remembered: their `cpus_scanned` and `cpu_load` rows follow within one attempt. The older half goes when there
/// are more.
const ATTEMPTS: usize = 1 << 16;

impl Attempts {
    fn insert(&mut self, source: usize, number: NonZeroU32, id: i64) {
        if self.0.len() >= ATTEMPTS {
            let mut known: Vec<i64> = self.0.values().copied().collect();
            let (_, median, _) = known.select_nth_unstable(ATTEMPTS / 2);
            let oldest_kept = *median;
            self.0.retain(|_, id| *id >= oldest_kept);
        }
        self.0.insert((source, number), id);
    }
}

/// What the events of one source refer to.
struct OfSource<'a> {
    source: usize,
    ids: &'a mut Interner,
    attempts: &'a mut Attempts,
}

impl References for OfSource<'_> {
    fn text(&self, id: TextId) -> &str {
        self.ids.text_of(id)
    }
    fn attempt_id(&self, number: NonZeroU32) -> Option<i64> {
        self.attempts.0.get(&(self.source, number)).copied()
    }
    fn attempt_has_id(&mut self, number: NonZeroU32, id: i64) {
        self.attempts.insert(self.source, number, id);
    }
    fn mention_cgroup(&mut self, cgroup_id: i64) {
        self.ids.mention_cgroup(cgroup_id);
    }
}

impl Tables {
    /// Rows written so far, which is the id of the next.
    pub fn rows(&self) -> i64 {
        self.next_id
    }

    /// Hand on what is left.
    pub fn flush(&mut self, sink: &mut dyn Sink) -> Result<(), Error> {
        self.builders.flush(sink).map_err(Error::Sink)
    }

    /// Write the next row in the order of the trace.
    #[inline]
    pub fn push(&mut self, source: usize, row: &Row, ids: &mut Interner, sink: &mut dyn Sink) -> Result<(), Error> {
        let id = self.next_id;
        self.next_id += 1;
        let mut of = OfSource { source, ids, attempts: &mut self.attempts };
        self.builders.push(id, row.ts_ns, &row.event, &mut of, sink).map_err(Error::Sink)
    }
}
