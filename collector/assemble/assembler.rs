//! The merge: sources into one order, ids, batches.

use crate::input::Input;
use crate::strays::{Onward, StrayFilter, Strays};
use crate::tables::Tables;
use crate::ties::in_causal_order;
use crate::tournament::{Key, Tournament};
use crate::{Error, Interner, Sink, Source};

pub use crate::input::Oddities;

/// Merges sources into the one order of a trace.
pub struct Assembler {
    inputs: Vec<Input>,
    ids: Interner,
    sets_strays_aside: bool,
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
    /// Events far away from all others, which are not rows.
    pub strays: Vec<Strays>,
}

/// A source whose times were odd.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceReport {
    /// [`Source::name`].
    pub source: String,
    /// What was odd.
    pub oddities: Oddities,
}

/// Sources that a note names; of more it says how many others there are.
const NAMED: usize = 3;

impl Report {
    /// What was odd about the sources' times: a line for each kind, with its sum and the sources.
    pub fn notes(&self) -> Vec<String> {
        let line = |of: fn(&Oddities) -> u64, what: fn(u64) -> String| {
            let odd: Vec<_> = self.odd_sources.iter().filter(|source| of(&source.oddities) > 0).collect();
            let sum = odd.iter().map(|source| of(&source.oddities)).sum();
            let named: Vec<&str> = odd.iter().take(NAMED).map(|source| source.source.as_str()).collect();
            let others = odd.len() - named.len();
            let more = if others > 0 { format!(" and {others} more") } else { String::new() };
            (!odd.is_empty()).then(|| format!("{} ({}{more})", what(sum), named.join(", ")))
        };
        let notes = [
            line(|o| o.clock_steps, |n| format!("the clock stepped back {}", counted(n, "time"))),
            line(|o| o.late, |n| format!("{} came too late to be put in order", counted(n, "row"))),
            line(|o| o.outliers, |n| format!("{} with a stamp far ahead of the rest left out", counted(n, "row"))),
        ];
        notes.into_iter().flatten().collect()
    }
}

fn counted(n: u64, noun: &str) -> String {
    format!("{n} {noun}{}", if n == 1 { "" } else { "s" })
}

impl Assembler {
    /// Over these sources; their order decides between rows that nothing else orders. `ids` may already hold values.
    pub fn new(sources: Vec<Box<dyn Source>>, ids: Interner) -> Self {
        Self { inputs: sources.into_iter().map(Input::new).collect(), ids, sets_strays_aside: false }
    }

    /// Leave out few events that are far away in time from all others; the report says which.
    pub fn setting_strays_aside(mut self, sets_aside: bool) -> Self {
        self.sets_strays_aside = sets_aside;
        self
    }

    /// Read all sources to their ends and hand every batch to `sink`. The interner comes back with all values that the
    /// rows refer to: its tables are written last.
    pub fn run(self, sink: &mut dyn Sink) -> Result<(Report, Interner), Error> {
        let mut merge = self.start();
        merge.advance(i64::MAX, sink)?;
        merge.finish(sink)
    }

    /// Merge in steps.
    pub fn start(self) -> Merge {
        let keys: Vec<Key> = self.inputs.iter().enumerate().map(|(index, input)| input.key(index)).collect();
        Merge {
            race: (!keys.is_empty()).then(|| Tournament::new(keys)),
            inputs: self.inputs,
            ids: self.ids,
            tables: Tables::default(),
            filter: StrayFilter::new(self.sets_strays_aside),
        }
    }
}

/// A merge under way.
pub struct Merge {
    inputs: Vec<Input>,
    race: Option<Tournament>,
    ids: Interner,
    tables: Tables,
    filter: StrayFilter,
}

impl Merge {
    /// Merge all rows before `until_ns`, an instant up to which every source has settled; `i64::MAX`: all there are. Full batches go to
    /// `sink`.
    pub fn advance(&mut self, until_ns: i64, sink: &mut dyn Sink) -> Result<(), Error> {
        let Some(race) = &mut self.race else { return Ok(()) };
        while let (index, key) = race.winner()
            && key != Key::END
            && (key.ts_ns() < until_ns || until_ns == i64::MAX)
        {
            let input = &mut self.inputs[index];
            if !key.has_row() {
                input.refill(&mut self.ids)?;
                race.replace_winner(input.key(index));
                continue;
            }
            let limit = race.runner_up();
            let to = &mut Onward { tables: &mut self.tables, ids: &mut self.ids, sink };
            if limit.ts_ns() == key.ts_ns() && limit != Key::END {
                emit_tied(&mut self.inputs, race, &mut self.filter, to)?;
            } else {
                emit_until(&mut self.inputs[index], limit.ts_ns().min(until_ns), index, &mut self.filter, to)?;
                race.replace_winner(self.inputs[index].key(index));
            }
        }
        Ok(())
    }

    /// Hand on the rows of batches that are not full, too.
    pub fn flush(&mut self, sink: &mut dyn Sink) -> Result<(), Error> {
        self.tables.flush(sink)
    }

    /// The values that rows refer to.
    pub fn ids(&mut self) -> &mut Interner {
        &mut self.ids
    }

    /// Rows merged so far.
    pub fn rows(&self) -> i64 {
        self.tables.rows()
    }

    /// Time of the first and of the last row so far.
    pub fn span_ns(&self) -> Option<(i64, i64)> {
        self.filter.span_ns()
    }

    /// All sources have ended: hand on what is left.
    pub fn finish(mut self, sink: &mut dyn Sink) -> Result<(Report, Interner), Error> {
        self.filter.finish(&mut Onward { tables: &mut self.tables, ids: &mut self.ids, sink })?;
        self.tables.flush(sink)?;
        let odd_sources = self.inputs.iter().filter(|input| input.oddities != Oddities::default());
        let odd_sources =
            odd_sources.map(|input| SourceReport { source: input.name(), oddities: input.oddities }).collect();
        let (events, span_ns, strays) = (self.tables.rows(), self.filter.span_ns(), self.filter.into_strays());
        Ok((Report { events, span_ns, odd_sources, strays }, self.ids))
    }
}

/// Emit what a source has ready before `limit` (at least one row).
#[inline]
fn emit_until(
    input: &mut Input,
    limit: i64,
    index: usize,
    filter: &mut StrayFilter,
    to: &mut Onward<'_>,
) -> Result<(), Error> {
    let mut count = 0;
    for row in input.ready() {
        if row.ts_ns >= limit && count > 0 {
            break;
        }
        filter.push(index, row, to)?;
        count += 1;
    }
    input.consume(count);
    Ok(())
}

/// Emit all rows with the winner's stamp, of which several sources have some.
fn emit_tied(
    inputs: &mut [Input],
    race: &mut Tournament,
    filter: &mut StrayFilter,
    to: &mut Onward<'_>,
) -> Result<(), Error> {
    let ts_ns = race.winner().1.ts_ns();
    // A source without rows at this stamp would have won the race and read on: all rows with it are at hand.
    let at_stamp = |input: &Input| input.ready().iter().take_while(|row| row.ts_ns == ts_ns).count();
    let mut tied: Vec<usize> = Vec::new();
    tied.extend((0..inputs.len()).filter(|&index| at_stamp(&inputs[index]) > 0));
    let lists: Vec<_> = tied.iter().map(|&index| &inputs[index].ready()[..at_stamp(&inputs[index])]).collect();
    in_causal_order(&lists, |list, row| filter.push(tied[list], row, to))?;
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_note_sums_up_the_sources_of_a_kind() {
        let odd = |n: u64, late: u64| SourceReport {
            source: format!("cpu {n}"),
            oddities: Oddities { late, clock_steps: u64::from(n == 1), ..Oddities::default() },
        };
        let report = |odd_sources| Report { events: 9, span_ns: None, odd_sources, strays: Vec::new() };
        let notes = report((0..5).map(|n| odd(n, 2)).collect()).notes();
        let late = "10 rows came too late to be put in order (cpu 0, cpu 1, cpu 2 and 2 more)";
        assert_eq!(notes, ["the clock stepped back 1 time (cpu 1)", late]);
        assert_eq!(report(vec![odd(0, 1)]).notes(), ["1 row came too late to be put in order (cpu 0)"]);
        assert!(report(Vec::new()).notes().is_empty());
    }
}
