//! The merge: sources into one order, ids, batches.

use crate::input::Input;
use crate::tables::Tables;
use crate::ties::in_causal_order;
use crate::tournament::{Key, Tournament};
use crate::{Error, Interner, Sink, Source};

pub use crate::input::Oddities;

/// Merges sources into the one order of a trace.
pub struct Assembler {
    inputs: Vec<Input>,
    ids: Interner,
}

/// What was assembled.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// Rows in all event tables; ids are 0..events.
    pub events: i64,
    /// Time of the first and of the last row (ns).
    pub span_ns: Option<(i64, i64)>,
    /// The sources whose times were odd.
    pub odd_sources: Vec<SourceReport>,
}

/// A source whose times were odd.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceReport {
    /// [`Source::name`].
    pub source: String,
    /// What was odd.
    pub oddities: Oddities,
}

impl Assembler {
    /// Over these sources; their order decides between rows that nothing else orders. `ids` may already hold values.
    pub fn new(sources: Vec<Box<dyn Source>>, ids: Interner) -> Self {
        Self { inputs: sources.into_iter().map(Input::new).collect(), ids }
    }

    /// Read all sources to their ends and hand every batch to `sink`. The interner comes back with all values that the
    /// rows refer to: its tables are written last.
    pub fn run(mut self, sink: &mut dyn Sink) -> Result<(Report, Interner), Error> {
        let mut tables = Tables::default();
        let mut span_ns: Option<(i64, i64)> = None;
        if !self.inputs.is_empty() {
            let keys = self.inputs.iter().enumerate().map(|(index, input)| input.key(index));
            let mut race = Tournament::new(keys.collect());
            while let (index, key) = race.winner()
                && key != Key::END
            {
                let input = &mut self.inputs[index];
                if !key.has_row() {
                    input.refill(&mut self.ids)?;
                    race.replace_winner(input.key(index));
                    continue;
                }
                let limit = race.runner_up();
                let last_ns = if limit.ts_ns() == key.ts_ns() && limit != Key::END {
                    self.emit_tied(&mut race, &mut tables, sink)?;
                    key.ts_ns()
                } else {
                    let last_ns = self.emit_until(limit.ts_ns(), index, &mut tables, sink)?;
                    race.replace_winner(self.inputs[index].key(index));
                    last_ns
                };
                span_ns = Some((span_ns.map_or(key.ts_ns(), |(first, _)| first), last_ns));
            }
        }
        tables.flush(sink)?;
        let odd_sources = self.inputs.iter().filter(|input| input.oddities != Oddities::default());
        let odd_sources =
            odd_sources.map(|input| SourceReport { source: input.name(), oddities: input.oddities }).collect();
        Ok((Report { events: tables.rows(), span_ns, odd_sources }, self.ids))
    }

    /// Emit what source `index` has ready before `limit` (at least one row); the time of the last.
    #[inline]
    fn emit_until(&mut self, limit: i64, index: usize, tables: &mut Tables, sink: &mut dyn Sink) -> Result<i64, Error> {
        let ready = self.inputs[index].ready();
        let mut count = 0;
        let mut last_ns = limit;
        for row in ready {
            if row.ts_ns >= limit && count > 0 {
                break;
            }
            tables.push(index, row, &mut self.ids, sink)?;
            last_ns = row.ts_ns;
            count += 1;
        }
        self.inputs[index].consume(count);
        Ok(last_ns)
    }

    /// Emit all rows with the winner's stamp, of which several sources have some.
    fn emit_tied(&mut self, race: &mut Tournament, tables: &mut Tables, sink: &mut dyn Sink) -> Result<(), Error> {
        let ts_ns = race.winner().1.ts_ns();
        let Self { inputs, ids } = self;
        // A source without rows at this stamp would have won the race and read on: all rows with it are at hand.
        let at_stamp = |input: &Input| input.ready().iter().take_while(|row| row.ts_ns == ts_ns).count();
        let mut tied: Vec<usize> = Vec::new();
        tied.extend((0..inputs.len()).filter(|&index| at_stamp(&inputs[index]) > 0));
        let lists: Vec<_> = tied.iter().map(|&index| &inputs[index].ready()[..at_stamp(&inputs[index])]).collect();
        in_causal_order(&lists, |list, row| tables.push(tied[list], row, ids, sink))?;
        let counts: Vec<usize> = lists.iter().map(|list| list.len()).collect();
        for (&index, count) in tied.iter().zip(counts) {
            inputs[index].consume(count);
        }
        while let (index, key) = race.winner()
            && key.has_row()
            && key.ts_ns() == ts_ns
            && key != Key::END
        {
            race.replace_winner(inputs[index].key(index));
        }
        Ok(())
    }
}
