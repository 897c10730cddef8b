//! A check while the trace still comes: events in stretches, figures at any time.

use arrow_array::{RecordBatch, RecordBatchIterator};
use wastenot_schemas::{EventView, Sink, grade};

use crate::counters::{CauseCounter, Counters, FinishedEpisode, GRADES, GradeCounter};
use crate::data_quality::Contradiction;
use crate::domain_tree::DomainTree;
use crate::error::CheckError;
use crate::grades::TIMED;
use crate::options::{BadOption, Options, TableSet};
use crate::results;
use crate::scheduler::{ApplyResult, CpuTimes};
use crate::source::{BatchReader, Source};
use crate::walk::{Entities, Walk, read_inputs, read_masks, read_stacks};

/// Cgroups in which no thread has been for so long are forgotten, and for twice as long at most.
const CGROUPS_NS: i64 = 60_000_000_000;
/// Classes of threads that are kept, used or not.
const CLASSES: usize = 1 << 12;

/// Gets the check, and the time of the event that it is about to apply.
pub type EventVisitor<'a> = dyn FnMut(&mut OnlineCheck, i64) -> Result<(), CheckError> + 'a;

/// A walk under way. [`crate::check`] is one that gets all events at once.
pub struct OnlineCheck {
    walk: Walk,
    entities: Entities,
    options: Options,
    /// The latest event id.
    last_id: i64,
    /// All events before this instant have been fed.
    complete_ns: i64,
    forgetting: Option<Forgetting>,
}

/// What is forgotten of threads and cgroups that are gone.
struct Forgetting {
    /// Classes of threads from which unused ones are forgotten.
    classes: usize,
    /// Time between two looks for cgroups that no thread is in.
    cgroups_every_ns: i64,
    /// When the last one was.
    cgroups_ns: i64,
}

impl OnlineCheck {
    /// Over the tables cpu, numa_node, domain, domain_group, machine, evidence and trace, and what is known already of mask and stack. Where
    /// the end of the trace is not known, `trace.end_ns` is `i64::MAX`.
    pub fn new(entities: Vec<(String, RecordBatch)>, options: &Options) -> Result<Self, CheckError> {
        Self::of(read_inputs(readers(entities))?.1, options)
    }

    pub(crate) fn of(entities: Entities, options: &Options) -> Result<Self, CheckError> {
        options.validate()?;
        if entities.topology.is_empty() {
            return Err(CheckError::NoCpus);
        }
        let mut walk = Walk::new(&entities, options);
        walk.start(&entities)?;
        Ok(Self {
            walk,
            entities,
            options: options.clone(),
            last_id: i64::MIN,
            complete_ns: i64::MIN,
            forgetting: None,
        })
    }

    /// Write checkpoints, as often as the options say: of a check that gets all events at once.
    pub(crate) fn writing_checkpoints(mut self) -> Self {
        self.walk.write_checkpoints(self.options.checkpoint_events);
        self
    }

    /// Forget threads that are gone, so that memory does not grow with their number, and cgroups in which none has been for a minute or
    /// two. No counter changes, but that waits of such cgroups go from [`Counters::waits`] to their sum; the tables of threads hold
    /// those that are left, and no table of single events is made.
    pub fn forgetting_threads(self) -> Result<Self, CheckError> {
        self.forgetting(CLASSES, CGROUPS_NS)
    }

    /// As [`Self::forgetting_threads`]; of more than so many combinations of mask, cpuset and cookie, those that no thread has are forgotten,
    /// and cgroups in which no thread was for `cgroups_ns`.
    pub fn forgetting(mut self, classes: usize, cgroups_ns: i64) -> Result<Self, CheckError> {
        if self.options.tables != TableSet::Verdict {
            let why = "tables: threads can be forgotten only where the tables of a verdict alone are made";
            return Err(CheckError::Option(BadOption(why.into())));
        }
        self.walk.scheduler.threads.gone = Some(Default::default());
        self.forgetting = Some(Forgetting { classes, cgroups_every_ns: cgroups_ns, cgroups_ns: i64::MIN });
        Ok(self)
    }

    /// Apply a stretch of the trace: batches of event tables, whose ids follow those of the stretches before, new rows of mask and
    /// stack, and domains with their groups from when they were built anew. An error ends the check.
    pub fn feed(&mut self, stretch: Vec<(String, RecordBatch)>, sink: &mut dyn Sink) -> Result<(), CheckError> {
        let mut source = self.source_of(stretch)?;
        self.walk(&mut source, sink)?;
        self.fed(&source);
        Ok(())
    }

    /// As [`Self::feed`]; before each event `visit` gets its time.
    pub fn feed_seeing(
        &mut self,
        stretch: Vec<(String, RecordBatch)>,
        sink: &mut dyn Sink,
        visit: &mut EventVisitor<'_>,
    ) -> Result<(), CheckError> {
        let mut source = self.source_of(stretch)?;
        self.walk_seeing(&mut source, sink, visit)?;
        self.fed(&source);
        Ok(())
    }

    /// The events of a stretch; its masks and stacks become known.
    fn source_of(&mut self, stretch: Vec<(String, RecordBatch)>) -> Result<Source<EventView>, CheckError> {
        let mut source = Source::after(self.last_id);
        let (mut domains, mut groups) = (Vec::new(), Vec::new());
        for (table, batch) in stretch {
            match (EventView::of_table(&table), table.as_str()) {
                (Some((name, make)), _) => source.add(name, reader(batch), make),
                (None, "mask") => {
                    let masks = read_masks(&[batch])?;
                    masks.iter().for_each(|(id, cpus)| self.walk.scheduler.invariant.add_mask(*id, cpus));
                }
                (None, "domain") => domains.push(batch),
                (None, "domain_group") => groups.push(batch),
                (None, "stack") => self.walk.scheduler.stacks.extend(read_stacks(&[batch])?),
                (None, _) => {}
            }
        }
        let trees = DomainTree::from_tables(&self.walk.scheduler.topology, &domains, &groups)?;
        trees.into_iter().for_each(|tree| self.walk.scheduler.balancer_log.domains.push(tree));
        Ok(source)
    }

    /// The stretch is applied.
    fn fed(&mut self, source: &Source<EventView>) {
        self.last_id = source.last_id();
        self.walk.scheduler.forget_gone();
        if let Some(forgetting) = &mut self.forgetting {
            self.walk.scheduler.forget_classes(forgetting.classes);
            let now = self.walk.scheduler.now;
            if now >= forgetting.cgroups_ns.saturating_add(forgetting.cgroups_every_ns) {
                self.walk.scheduler.wait_ledger.forget_cgroups();
                forgetting.cgroups_ns = now;
            }
        }
    }

    /// Cgroups whose waits are no longer among [`Counters::waits`], since this was called last.
    pub fn take_forgotten_cgroups(&mut self) -> Vec<i64> {
        std::mem::take(&mut self.walk.scheduler.wait_ledger.forgotten_cgroups)
    }

    /// Apply all events.
    pub(crate) fn walk(&mut self, source: &mut Source<EventView>, sink: &mut dyn Sink) -> ApplyResult {
        self.walk.apply_all(source, sink)
    }

    /// Apply all events; before each `visit` gets its time.
    pub(crate) fn walk_seeing(
        &mut self,
        source: &mut Source<EventView>,
        sink: &mut dyn Sink,
        visit: &mut EventVisitor<'_>,
    ) -> ApplyResult {
        source.walk(|view, row| {
            visit(self, view.ts_ns(row))?;
            self.walk.apply(view, row, sink)
        })
    }

    /// Start of the trace; None before the first event of one whose start is not known.
    pub fn start_ns(&self) -> Option<i64> {
        Some(self.walk.scheduler.started).filter(|started| *started != i64::MIN)
    }

    /// End of the recording, as far as the trace tells it; `i64::MAX` otherwise.
    pub fn last_ns(&self) -> i64 {
        self.walk.last_ns
    }

    /// All events before `ts_ns` have been fed: the state that they left has lasted up to there.
    pub fn reach(&mut self, ts_ns: i64) {
        self.complete_ns = self.complete_ns.max(ts_ns.min(self.walk.last_ns));
    }

    /// The figures so far. What has not ended at [`Self::reach`]ed instants counts up to there, and nothing of the walk changes by
    /// asking: later figures are the same as without.
    pub fn counters(&mut self) -> Counters {
        let s = &mut self.walk.scheduler;
        if s.started == i64::MIN {
            return Counters::default();
        }
        let until_ns = self.complete_ns.min(s.next_irq_end()).max(s.now);
        let (dt, rates) = (until_ns - s.now, s.invariant.rates());
        let sums = s.invariant.integrals;
        let wasted_ns = sums.wasted + dt * rates.wasted;
        let cpus = CpuTimes { online_ns: s.online_ns, busy_ns: s.busy_ns, unobserved_ns: s.unobserved_ns.iter().sum() };
        let mut counters = Counters {
            start_ns: s.started,
            until_ns,
            events_read: s.data_quality.events_read,
            events_rejected: s.data_quality.rejected(),
            events_lost: s.data_quality.lost,
            wasted_ns,
            certain_ns: sums.certain + dt * rates.certain,
            idle_while_waiting_ns: sums.idle_while_waiting + dt * rates.idle_while_waiting,
            excused_ns: std::array::from_fn(|k| sums.excused[k] + dt * rates.excused[k]),
            ungraded_ns: wasted_ns - self.walk.graded_ns,
            idle_ns: sums.idle + dt * rates.idle,
            cpus,
            under_way: s.times_under_way(until_ns),
            late_wakes: s.data_quality.late_wakes,
            contradictions: s.data_quality.contradictory()
                + s.data_quality.contradictions(Contradiction::RanWithoutWakeup),
            threads: s.threads.known() as i64 - 1,
            forgotten_threads: s.forgotten.threads,
            ..Counters::default()
        };
        (counters.waits, counters.refuted_wait_ns) = (s.wait_rows(until_ns), s.wait_ledger.refuted_ns);
        counters.forgotten_wait_ns = s.wait_ledger.forgotten_ns();
        counters.suspect = self.suspect();
        counters.grades = self.grades();
        counters.causes = self.causes();
        counters
    }

    fn suspect(&self) -> Vec<&'static str> {
        let s = &self.walk.scheduler;
        let mut checks = s.checks.clone();
        for (cpu, state) in s.cpus.iter().enumerate() {
            let in_doubt = state.doubted && state.runs_swapper();
            let observed = state.online && state.current.is_some() && !in_doubt;
            checks.add_under_way(cpu, (s.now - state.since).max(0), observed);
        }
        checks.suspect(&results::trace_end(s, &self.entities.unverified), &s.data_quality)
    }

    fn grades(&self) -> [GradeCounter; GRADES] {
        let (grades, recurrent) = (&self.walk.grades, &self.walk.recurrent);
        let mut out = [GradeCounter::default(); GRADES];
        let of =
            |at: usize| if at == 0 { self.walk.graded_ns } else { grades.totals.get(at - 1).copied().unwrap_or(0) };
        for at in 0..=TIMED {
            let episodes = if at == 0 { self.walk.noise_intervals } else { grades.counts[at - 1] };
            let core_ns = of(at) - of(at + 1);
            out[usize::from(grade::NOISE) + at] = GradeCounter { episodes, core_ns };
        }
        out[usize::from(grade::RECURRENT)] = GradeCounter { episodes: recurrent.count, core_ns: recurrent.core_ns };
        out
    }

    fn causes(&self) -> Vec<CauseCounter> {
        let all = self.walk.grades.causes.iter().chain(self.walk.recurrent.causes.iter());
        all.map(|((grade, answer, node), totals)| CauseCounter { grade, answer, node, totals }).collect()
    }

    /// The episodes that ended since the last call. They are dropped: the tables of [`Self::finish`] do not list them.
    pub fn take_finished(&mut self) -> Vec<FinishedEpisode> {
        let (timed, recurrent) = (self.walk.grades.take_done(), self.walk.recurrent.take_done());
        results::finished(&self.walk.scheduler.topology, &self.walk.grades, &timed, &recurrent)
    }

    /// The trace has ended, at `end_ns` or, where that is None, at the end that the table trace tells, else with its last event: write
    /// what is left of the result tables.
    pub fn finish(mut self, end_ns: Option<i64>, sink: &mut dyn Sink) -> Result<(), CheckError> {
        self.end(end_ns, sink)?;
        self.write(sink)
    }

    /// The trace has ended, as for [`Self::finish`]: from here on the figures are those of the whole trace, and no event may follow.
    pub fn end(&mut self, end_ns: Option<i64>, sink: &mut dyn Sink) -> Result<(), CheckError> {
        self.walk.end(self.entities.end(end_ns, self.walk.scheduler.now), sink)
    }

    /// After its end: write what is left of the result tables.
    pub fn write(self, sink: &mut dyn Sink) -> Result<(), CheckError> {
        self.walk.write(&self.entities, &self.options, sink)
    }
}

fn reader(batch: RecordBatch) -> BatchReader {
    let schema = batch.schema();
    Box::new(RecordBatchIterator::new([Ok(batch)], schema))
}

fn readers(batches: Vec<(String, RecordBatch)>) -> Vec<(String, BatchReader)> {
    batches.into_iter().map(|(table, batch)| (table, reader(batch))).collect()
}
