//! The rows of a window, by a walk that is restarted at a checkpoint; and the checkpoints that a check writes.

use wastenot_schemas::{Sink, checkpoint};

use super::{Walk, read_inputs, stopped};
use crate::checkpoint::{OpenPair, WalkState};
use crate::error::CheckError;
use crate::fast_hash::FastMap;
use crate::interval_joiner::IntervalJoiner;
use crate::options::Options;
use crate::scheduler::{ApplyResult, Scheduler};
use crate::source::BatchReader;
use crate::threads::Utid;
use crate::topology::CpuIx;

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
    if entities.topology.is_empty() {
        return Err(CheckError::NoCpus);
    }
    let mut walk = Walk::new(&entities, &Options { without_causes: true, ..Options::default() });
    walk.graded = false;
    walk.scheduler.wait_ledger.is_kept = false;
    walk.scheduler.out.window = Some((window.start_ns, window.end_ns));
    match window.state {
        None => walk.start(&entities)?,
        Some(bytes) => walk.restart(bytes)?,
    }
    walk.apply_all(&mut source, sink)?;
    if window.to_the_end {
        return walk.end(entities.end(None, walk.scheduler.now), sink);
    }
    walk.end_at_checkpoint();
    walk.hand_on(sink)
}

impl Walk {
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

    fn restart(&mut self, bytes: &[u8]) -> ApplyResult {
        let state = WalkState::decode(bytes).map_err(|_| CheckError::Checkpoint)?;
        let (now, pairs) = (state.now, state.pairs.clone());
        self.scheduler.restart(state).map_err(|_| CheckError::Checkpoint)?;
        let threads = &self.scheduler.threads;
        let known = threads.iter().map(|(_, t)| t.number).collect();
        self.interval_joiner = IntervalJoiner::restarted(known, threads.next_number());
        for of in pairs {
            let number = of.utid.map(|utid| self.scheduler.threads[utid].number);
            self.interval_joiner.restore((number, of.queue, of.idle), (of.wait_start, of.waste_start), now);
        }
        Ok(())
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
