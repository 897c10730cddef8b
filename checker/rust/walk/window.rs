//! The rows of a window, by a walk that is restarted at a checkpoint; and the checkpoints that a check writes.

use arrow_array::RecordBatch;
use wastenot_schemas::{Sink, SinkError, cgroup_wait, checkpoint};
use wastenot_topology::CpuBits;

use super::{Entities, Walk, read_inputs, stopped};
use crate::checkpoint::{OpenPair, WalkState};
use crate::error::CheckError;
use crate::fast_hash::FastMap;
use crate::interval_joiner::IntervalJoiner;
use crate::options::{Options, TableSet};
use crate::results;
use crate::scheduler::Scheduler;
use crate::source::BatchReader;
use crate::threads::Utid;
use crate::topology::CpuIx;
use crate::wait_ledger::CountedWaits;

/// Which rows are asked for, and where the walk that makes them starts and ends.
#[derive(Clone, Copy, Debug)]
pub struct Window<'a> {
    /// Rows that touch this time are made, ns.
    pub start_ns: i64,
    pub end_ns: i64,
    /// State of the checkpoint from which the events are; None: they are those from the start of the trace.
    pub state: Option<&'a [u8]>,
    /// The events go to the end of the trace, not to a checkpoint.
    pub to_the_end: bool,
}

/// Make the rows that touch a window of the tables that grow with the trace, tiles excepted, exactly as [`super::check`] makes them.
///
/// `inputs` are as there, but the event tables hold only the events from one checkpoint to another: from one whose time is before
/// the start of the window (events before a checkpoint may have its stamp) to one whose time is not before its end. Rows that span
/// the checkpoint at which the walk ends are not made: those are in `checkpoint_interval`. Nothing else is made, so that no verdict is.
pub fn check_window(
    inputs: Vec<(String, BatchReader)>,
    window: &Window,
    sink: &mut dyn Sink,
) -> Result<(), CheckError> {
    let (mut source, entities) = read_inputs(inputs)?;
    let mut walk = Walk::of_window(&entities, TableSet::All)?;
    walk.scheduler.wait_ledger.is_kept = false;
    walk.scheduler.out.window = Some((window.start_ns, window.end_ns));
    walk.start_at(window, &entities)?;
    walk.apply_all(&mut source, sink)?;
    if window.to_the_end {
        return walk.end(entities.end(None, walk.scheduler.now), sink);
    }
    walk.end_at_checkpoint();
    walk.hand_on(sink)
}

/// Count how long threads waited within a window, and why: the table `cgroup_wait` of it goes to the sink, and nothing else.
///
/// `inputs` and `window` as for [`check_window`]. Waits on the queues of `cpus` (their numbers) and of the threads `utids` are counted; of
/// all where a list is empty. Returns how much of it, in ns, was no wait by a later event of the window. Raises Checkpoint where the state
/// is of a version that did not write the cgroups of threads.
pub fn window_waits(
    inputs: Vec<(String, BatchReader)>,
    window: &Window,
    cpus: &[i16],
    utids: &[u32],
    sink: &mut dyn Sink,
) -> Result<i64, CheckError> {
    let (mut source, entities) = read_inputs(inputs)?;
    let mut walk = Walk::of_window(&entities, TableSet::Verdict)?;
    walk.scheduler.wait_ledger.count_window(window.start_ns, window.end_ns, counted(&entities, cpus, utids));
    let has_facts = walk.start_at(window, &entities)?;
    if !has_facts {
        return Err(CheckError::Checkpoint);
    }
    walk.apply_all(&mut source, &mut OnlyProgress(sink))?;
    if window.to_the_end {
        walk.reach(walk.scheduler.event, entities.end(None, walk.scheduler.now).max(walk.scheduler.seen))?;
    }
    let found = walk.scheduler.wait_ledger.take_window(walk.scheduler.now);
    let mut out = cgroup_wait::Builder::default();
    found.rows.iter().for_each(|row| out.push(&results::cgroup_wait_row(row)));
    sink.batch(cgroup_wait::NAME, out.finish()).map_err(stopped)?;
    Ok(found.refuted_ns)
}

/// Passes signs of life on, and no rows.
struct OnlyProgress<'a>(&'a mut dyn Sink);

impl Sink for OnlyProgress<'_> {
    fn batch(&mut self, _: &'static str, _: RecordBatch) -> Result<(), SinkError> {
        Ok(())
    }

    fn progress(&mut self, events: i64) -> Result<(), SinkError> {
        self.0.progress(events)
    }
}

fn counted(entities: &Entities, cpus: &[i16], utids: &[u32]) -> CountedWaits {
    let of_cpus = || {
        let mut chosen = CpuBits::new(entities.topology.len());
        cpus.iter().filter_map(|&cpu| entities.topology.index(cpu)).for_each(|cpu| {
            chosen.insert(u32::from(cpu));
        });
        chosen
    };
    let of_threads = || {
        let mut chosen = utids.to_vec();
        chosen.sort_unstable();
        chosen
    };
    CountedWaits { cpus: (!cpus.is_empty()).then(of_cpus), threads: (!utids.is_empty()).then(of_threads) }
}

impl Walk {
    /// A walk that grades nothing.
    fn of_window(entities: &Entities, tables: TableSet) -> Result<Self, CheckError> {
        if entities.topology.is_empty() {
            return Err(CheckError::NoCpus);
        }
        let mut walk = Self::new(entities, &Options { without_causes: true, tables, ..Options::default() });
        walk.graded = false;
        Ok(walk)
    }

    /// Go on from the checkpoint of the window, or from the start of the trace. True where it is known of what cgroup and class threads are.
    fn start_at(&mut self, window: &Window, entities: &Entities) -> Result<bool, CheckError> {
        match window.state {
            None => self.start(entities).map(|()| true),
            Some(bytes) => self.restart(bytes),
        }
    }

    /// Write a checkpoint before the event `next`; returns the size of its state in bytes.
    pub(super) fn write_checkpoint(&mut self, next: i64, sink: &mut dyn Sink) -> Result<i64, CheckError> {
        if self.scheduler.started == i64::MIN {
            return Ok(0);
        }
        let mut state = self.scheduler.state();
        state.pairs = self.open_pairs();
        let (ts_ns, state) = (state.now, state.encode());
        self.scheduler.out.spans.cut(ts_ns, next);
        let mut row = checkpoint::Builder::default();
        row.push(&checkpoint::Row { event_id: next, ts_ns, state: &state });
        sink.batch(checkpoint::NAME, row.finish()).map_err(stopped)?;
        Ok(state.len() as i64)
    }

    /// The pairs that are open, each with the starts of the rows that it will be part of.
    fn open_pairs(&self) -> Vec<OpenPair> {
        let Scheduler { threads, invariant, .. } = &self.scheduler;
        let open = invariant.interval.open();
        if open.is_empty() {
            return Vec::new();
        }
        let mut starts: Vec<(i64, i64)> = open.iter().map(|s| (s.from, s.from)).collect();
        let by_thread: FastMap<u32, usize> = open.iter().enumerate().map(|(at, s)| (s.utid, at)).collect();
        let by_cpu: FastMap<CpuIx, usize> = open.iter().enumerate().map(|(at, s)| (s.idle, at)).collect();
        // What is recorded and not joined yet, the latest first.
        let deferred = self.deferred.iter().flat_map(|deferred| deferred.interval.pairs.iter().rev());
        for s in invariant.interval.pairs.iter().rev().chain(deferred) {
            if let Some(&at) = by_thread.get(&s.utid)
                && (s.queue, s.to) == (open[at].queue, starts[at].0)
            {
                starts[at].0 = s.from;
            }
            if let Some(&at) = by_cpu.get(&s.idle)
                && s.to == starts[at].1
            {
                starts[at].1 = s.from;
            }
        }
        let kept = threads.referable();
        let place = |number| kept.binary_search_by_key(&number, |&utid| threads[utid].number).ok();
        let pairs = open.iter().zip(starts).map(|(s, known)| {
            let (wait_start, waste_start) = self.interval_joiner.starts(s, known);
            let utid = place(s.utid).map(|at| at as Utid);
            OpenPair { utid, queue: s.queue, idle: s.idle, wait_start, waste_start }
        });
        pairs.collect()
    }

    /// Go on from a state. True where it has the cgroups and classes of threads.
    fn restart(&mut self, bytes: &[u8]) -> Result<bool, CheckError> {
        let state = WalkState::decode(bytes).map_err(|_| CheckError::Checkpoint)?;
        let (now, pairs, has_facts) = (state.now, state.pairs.clone(), !state.lacks_ledger_facts);
        self.scheduler.restart(state).map_err(|_| CheckError::Checkpoint)?;
        let threads = &self.scheduler.threads;
        let known = threads.iter().map(|(_, t)| t.number).collect();
        self.interval_joiner = IntervalJoiner::restarted(known, threads.next_number());
        for of in pairs {
            let number = of.utid.map(|utid| self.scheduler.threads[utid].number);
            self.interval_joiner.restore((number, of.queue, of.idle), (of.wait_start, of.waste_start), now);
        }
        Ok(has_facts)
    }

    /// Join the pairs of the interval of waste that has ended.
    pub(super) fn join_ended(&mut self) {
        self.join_recorded();
        self.scheduler.invariant.interval.clear();
    }

    /// Join the pairs recorded so far, and forget the record.
    pub(super) fn join_recorded(&mut self) {
        let Scheduler { topology, invariant, out, .. } = &mut self.scheduler;
        let interval = &mut invariant.interval;
        interval.pairs.drain(..).for_each(|segment| self.interval_joiner.add(&segment, topology, out));
        interval.ops.clear();
        interval.excused.clear();
    }

    /// Write what ended before the checkpoint that the events lead to.
    fn end_at_checkpoint(&mut self) {
        let now = self.scheduler.now;
        let interval = &mut self.scheduler.invariant.interval;
        if interval.start.is_some() {
            interval.record_open(now);
        }
        self.join_recorded();
        self.write_joined(now);
        self.scheduler.out.finish();
    }
}
