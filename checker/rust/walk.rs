//! The one walk: events in order through the scheduler's state, ended intervals to the graders, results to the sink.

mod window;

pub use window::{Window, check_window, window_waits};

use std::collections::HashMap;
use std::sync::Arc;

use arrow_array::{Array, RecordBatch};
use wastenot_schemas as tables;
use wastenot_schemas::{EventView, EvidenceKind, RecordedEvidence, Sink, SinkError, bubble_event_kind};

use crate::causes::kernels::Release;
use crate::causes::{AnswerCache, CauseAnalysis, DomainHistory, StackPath, migration_paths};
use crate::data_quality::DataQuality;
use crate::error::CheckError;
use crate::grades::{Chunk, Grades};
use crate::interval_joiner::IntervalJoiner;
use crate::options::{Options, TableSet};
use crate::recurrent::RecurrentDetector;
use crate::results;
use crate::scheduler::{ApplyResult, MigrateEvent, Scheduler};
use crate::self_checks::SILENCE_NS;
use crate::source::{BatchReader, Source, SourceError};
use crate::topology::{CpuIx, TracedTopology};
use crate::waste_interval::WasteInterval;
use wastenot_topology::CpuBits;
use wastenot_topology::KernelRelease;

/// Changes an interval may record before the part that can be graded is graded and dropped.
const RECORD_LIMIT: usize = 1 << 16;
/// Changes recorded between two checks of how long pairs lasted.
const FILTER_EVERY: usize = 1 << 13;
/// Events between two checks for full batches.
const HAND_ON_EVERY: i64 = 1 << 8;
/// Events between two calls of [`Sink::progress`].
const PROGRESS_EVERY: i64 = 1 << 20;
/// Events between two checkpoints, at least.
const CHECKPOINT_EVENTS: i64 = 1 << 19;
/// Events for each byte of the latest checkpoint's state before the next: all states together take no more than half a byte an event.
const EVENTS_PER_BYTE: i64 = 2;

/// What is read before the walk.
pub(crate) struct Entities {
    pub topology: Arc<TracedTopology>,
    masks: Vec<(i32, Vec<i16>)>,
    /// Window of the recording, ns.
    pub window: Option<(i64, i64)>,
    /// Excuses that the trace can show, by name.
    pub recorded: RecordedEvidence,
    pub unverified: Vec<String>,
    /// What each kernel stack says of a move.
    stacks: HashMap<i32, StackPath>,
    pub release: Option<Release>,
    /// Every load-balance attempt was recorded, so that none recorded means none made.
    reports_attempts: bool,
    reports_kicks: bool,
    /// It is no recording, but a simulation or drawn: none has when attempts of CPUs are due.
    is_model: bool,
    queued_wakings_only: bool,
}

/// The event tables, in the order of their ids, and what the other tables hold.
pub(crate) fn read_inputs(inputs: Vec<(String, BatchReader)>) -> Result<(Source<EventView>, Entities), CheckError> {
    let mut source = Source::default();
    let mut kept: HashMap<String, Vec<RecordBatch>> = HashMap::new();
    for (table, reader) in inputs {
        if let Some((name, make)) = EventView::of_table(&table) {
            source.add(name, reader, make);
        } else if ["cpu", "numa_node", "domain", "domain_group", "evidence", "machine", "mask", "stack", "trace"]
            .contains(&table.as_str())
        {
            let batches: Result<Vec<_>, _> = reader.collect();
            kept.insert(table.clone(), batches.map_err(|why| SourceError::Read { table, why })?);
        }
    }
    Ok((source, Entities::of_tables(&kept)?))
}

impl Entities {
    /// End of the trace after `now`: where it is said to be, else where the table trace has it, else `now`.
    pub fn end(&self, end_ns: Option<i64>, now: i64) -> i64 {
        let end = end_ns.or(self.window.map(|(_, end)| end).filter(|end| *end < i64::MAX));
        end.map_or(now, |end| end.max(now))
    }

    fn of_tables(kept: &HashMap<String, Vec<RecordBatch>>) -> Result<Self, CheckError> {
        let of = |name: &str| kept.get(name).map_or(&[][..], |b| b);
        let topology = TracedTopology::from_tables(of)?;
        let masks = read_masks(of("mask"))?;
        let mut window = None;
        let mut unverified = Vec::new();
        let mut release = None;
        let (mut queued_wakings_only, mut is_model) = (false, false);
        for batch in of("trace").iter().filter(|b| b.num_rows() > 0) {
            let view = tables::trace::View::try_new(batch)?;
            window = Some((view.start_ns.value(0), view.end_ns.value(0)));
            unverified = view.unverified(0);
            // Neither lacks what it does not have.
            is_model = matches!(view.source.value(0), "simulation" | "drawn");
            queued_wakings_only = view.queued_wakings_only.is_valid(0) && view.queued_wakings_only.value(0);
            release = view.kernel.is_valid(0).then(|| view.kernel.value(0)).and_then(KernelRelease::mainline_of);
        }
        let evidence = of("evidence").iter().map(tables::evidence::View::try_new).collect::<Result<Vec<_>, _>>()?;
        let recorded = RecordedEvidence::from_views(&evidence);
        let reports_attempts = recorded.is_recorded(EvidenceKind::LoadBalanceAttempts);
        let reports_kicks = recorded.is_recorded(EvidenceKind::LoadBalanceKicks);
        for batch in of("machine").iter().filter(|b| b.num_rows() > 0) {
            let view = tables::machine::View::try_new(batch)?;
            release = release.or(view.row(0).kernel.and_then(KernelRelease::mainline_of));
        }
        let stacks = read_stacks(of("stack"))?;
        Ok(Self {
            topology: Arc::new(topology),
            masks,
            window,
            recorded,
            unverified,
            stacks,
            release,
            reports_attempts,
            reports_kicks,
            is_model,
            queued_wakings_only,
        })
    }
}

/// Rows of the table `mask`.
pub(crate) fn read_masks(batches: &[RecordBatch]) -> Result<Vec<(i32, Vec<i16>)>, CheckError> {
    let mut masks = Vec::new();
    for batch in batches {
        let view = tables::mask::View::try_new(batch)?;
        masks.extend((0..view.len()).map(|i| (view.row(i).mask_id, view.row(i).cpus.to_vec())));
    }
    Ok(masks)
}

/// What the stacks of the table `stack` say of a move.
pub(crate) fn read_stacks(batches: &[RecordBatch]) -> Result<HashMap<i32, StackPath>, CheckError> {
    let mut stacks = HashMap::new();
    for batch in batches {
        let view = tables::stack::View::try_new(batch)?;
        for i in 0..view.len() {
            let symbols = view.symbols(i);
            stacks.insert(view.stack_id.value(i), migration_paths::path_from_stack(symbols.iter().map(String::as_str)));
        }
    }
    Ok(stacks)
}

/// An ended interval that is not graded yet.
pub(crate) struct DeferredInterval {
    pub interval: WasteInterval,
    end: i64,
    /// The interrupt work ends here.
    until: i64,
    /// Usable idle CPUs at its end.
    idle: CpuBits,
}

pub(crate) struct Walk {
    pub scheduler: Scheduler,
    pub grades: Grades,
    pub recurrent: RecurrentDetector,
    interval_joiner: IntervalJoiner,
    longest_tau: i64,
    /// End of the recording, as far as the trace says.
    pub last_ns: i64,
    /// Per CPU: its LLC, numbered from 0.
    llcs: Vec<u16>,
    /// Recorded changes from which the interval under way is cut.
    record_limit: usize,
    /// Changes of the interval under way from which the length of pairs is checked.
    next_filter: usize,
    /// An interval that ended as interrupt work began on the idle CPU, until it is known what that work did.
    pub deferred: Option<DeferredInterval>,
    /// Intervals with waste that no timed grade holds, and ∫ wasted_τ of the first timed grade when the present one began.
    pub noise_intervals: i64,
    graded_before: i64,
    /// Waste that has got its grade, core-ns; of the interval under way, the part before the last cut.
    pub graded_ns: i64,
    graded_of_interval: i64,
    without_causes: bool,
    cache: AnswerCache,
    /// Intervals of waste are graded; a walk that makes the rows of a window only joins their pairs.
    graded: bool,
    /// Events between two checkpoints; None: as many as the size of their states asks for.
    checkpoint_events: Option<i64>,
    /// Events read at which the next checkpoint is due (`i64::MAX`: none are written); the next sign of life; and the first of these and
    /// of handing on what is full.
    next_checkpoint: i64,
    next_progress: i64,
    next_due: i64,
}

impl Walk {
    pub fn new(entities: &Entities, options: &Options) -> Self {
        let topology = entities.topology.clone();
        let mut scheduler = Scheduler::new(topology.clone(), &entities.masks, options.strict);
        scheduler.stacks = entities.stacks.clone();
        scheduler.balancer_log.domains = DomainHistory::new(topology.domain_trees.clone());
        scheduler.release = entities.release;
        scheduler.balancer_log.reports_attempts = entities.reports_attempts;
        scheduler.balancer_log.kicks.reports = entities.reports_kicks;
        scheduler.balancer_log.kicks.reports_next_balance = !entities.is_model;
        scheduler.queued_wakings_only = entities.queued_wakings_only;
        scheduler.balancer_log.reports_newidle = entities.reports_attempts;
        scheduler.without_causes = options.without_causes;
        scheduler.out.made = options.tables;
        let grades = Grades::new(topology.clone(), options);
        let of: Vec<i32> = (0..topology.len() as CpuIx).map(|c| topology.llc(c)).collect();
        let distinct: std::collections::BTreeSet<i32> = of.iter().copied().collect();
        let number = |llc: &i32| distinct.range(..llc).count() as u16;
        Self {
            scheduler,
            longest_tau: grades.longest(),
            last_ns: entities.window.map_or(i64::MAX, |(_, end)| end),
            llcs: of.iter().map(number).collect(),
            grades,
            recurrent: RecurrentDetector::new(distinct.len(), topology.clone()),
            interval_joiner: IntervalJoiner::default(),
            record_limit: RECORD_LIMIT,
            next_filter: FILTER_EVERY,
            deferred: None,
            noise_intervals: 0,
            graded_before: 0,
            graded_ns: 0,
            graded_of_interval: 0,
            without_causes: options.without_causes,
            cache: AnswerCache::default(),
            graded: true,
            checkpoint_events: None,
            next_checkpoint: i64::MAX,
            next_due: HAND_ON_EVERY,
            next_progress: PROGRESS_EVERY,
        }
    }

    /// Write checkpoints from now on, so many events apart; None: half a million, and more where their states are large.
    pub fn write_checkpoints(&mut self, events: Option<i64>) {
        self.checkpoint_events = events;
        self.next_checkpoint = events.unwrap_or(CHECKPOINT_EVENTS).max(1);
        self.next_due = self.next_due.min(self.next_checkpoint);
    }

    /// Let time pass to the start of the recording.
    pub fn start(&mut self, entities: &Entities) -> ApplyResult {
        entities.window.map_or(Ok(()), |(start, _)| self.reach(0, start))
    }

    /// The event lies outside the recording (a broken stamp): it is not applied.
    #[inline]
    fn is_outside(&mut self, ts: i64) -> bool {
        let outside = ts > self.last_ns;
        if outside {
            self.scheduler.data_quality.reject("outside_window");
        }
        outside
    }

    /// Let time pass up to an event, grading what ends on the way.
    #[inline]
    pub fn reach(&mut self, event: i64, ts: i64) -> ApplyResult {
        let (before, started) = (self.scheduler.seen, self.scheduler.started);
        let ts = self.scheduler.time_of(event, ts)?;
        if started != i64::MIN && ts - before > SILENCE_NS {
            self.scheduler.note_silence(before, ts);
        }
        if !self.scheduler.limits.contains(ts) {
            return Err(self.out_of_range(event, ts));
        }
        if self.deferred.as_ref().is_some_and(|deferred| deferred.until < ts) {
            self.grade_deferred();
        }
        while self.scheduler.reach(ts) {
            let end = self.scheduler.invariant.interval.ended.expect("reach said so");
            self.end_interval(end);
        }
        let interval = &self.scheduler.invariant.interval;
        if interval.ops.len() + interval.pairs.len() + self.scheduler.balancer_log.size() > self.record_limit {
            self.cut(ts);
        } else if interval.ops.len() > self.next_filter && self.deferred.is_none() {
            self.filter_incrementally(ts);
        }
        Ok(())
    }

    /// Nothing may be added up over the time to a stamp so far away.
    #[cold]
    fn out_of_range(&self, event: i64, ts_ns: i64) -> CheckError {
        let start_ns = if self.scheduler.started == i64::MIN { 0 } else { self.scheduler.started };
        CheckError::Span { event, ts_ns, start_ns, cpus: self.scheduler.cpus.len() }
    }

    /// Look how long pairs of the interval under way lasted, as far as that has not been done.
    fn filter_incrementally(&mut self, now: i64) {
        if !self.graded {
            return self.join_recorded();
        }
        let invariant = &self.scheduler.invariant;
        if let Some(start) = invariant.interval.start {
            let idle = invariant.usable_idle();
            let chunk = chunk(&invariant.interval, start, &idle, (now, now), false, self.scheduler.cpus.len());
            self.grades.filter_incrementally(&chunk, &|class| invariant.class_allowed(class));
        }
        self.next_filter = invariant.interval.ops.len() + FILTER_EVERY;
    }

    /// Grade the interval that has ended; where interrupt work on its idle CPU ended it, once it is seen what that work did.
    fn end_interval(&mut self, end: i64) {
        if !self.graded {
            return self.join_ended();
        }
        self.grade_deferred();
        let mut interval = std::mem::take(&mut self.scheduler.invariant.interval);
        if let Some(until) = self.scheduler.balancer_log.interrupted(interval.ops.last()) {
            let idle = self.scheduler.invariant.usable_idle();
            self.scheduler.balancer_log.interval_deferred = true;
            self.deferred = Some(DeferredInterval { interval: interval.split_record(), end, until, idle });
        } else {
            self.grade(&interval, None, end, end, true);
        }
        interval.clear();
        self.scheduler.invariant.interval = interval;
    }

    /// Grade the interval that waited.
    fn grade_deferred(&mut self) {
        if let Some(DeferredInterval { interval, end, idle, .. }) = self.deferred.take() {
            self.grade(&interval, Some(idle), end, end, true);
            self.scheduler.balancer_log.release_deferred();
        }
    }

    /// Grade and drop the part of a long interval that is far enough back.
    fn cut(&mut self, now: i64) {
        if !self.graded {
            return self.join_recorded();
        }
        self.grade_deferred();
        let at = now - self.longest_tau;
        if self.scheduler.invariant.interval.start.is_some_and(|start| start < at) {
            let mut interval = std::mem::take(&mut self.scheduler.invariant.interval);
            let recorded = interval.record_open(now);
            self.grade(&interval, None, at, now, false);
            interval.pairs.truncate(recorded);
            interval.cut_before(at);
            self.scheduler.invariant.interval = interval;
        }
        let interval = &self.scheduler.invariant.interval;
        let kept = interval.ops.len() + interval.pairs.len() + self.scheduler.balancer_log.size();
        self.record_limit = RECORD_LIMIT + kept + kept / 2;
        self.next_filter = interval.ops.len() + FILTER_EVERY;
    }

    fn grade(&mut self, interval: &WasteInterval, idle_now: Option<CpuBits>, cut: i64, known: i64, ended: bool) {
        let invariant = &self.scheduler.invariant;
        let mut analysis = CauseAnalysis {
            balancer_log: &self.scheduler.balancer_log,
            llc_moves: &self.scheduler.llc_moves,
            topology: &self.scheduler.topology,
            release: self.scheduler.release,
            end_ns: self.last_ns,
            wasting_since: interval.began,
            without_causes: self.without_causes,
            ops: &interval.ops,
            origins: &interval.recorded,
            cache: &mut self.cache,
        };
        analysis.begin(interval.pairs.len());
        // Checkpoints are the same whichever tables are made.
        let joined = self.scheduler.out.made != TableSet::Verdict || self.next_checkpoint < i64::MAX;
        let start = interval.start.expect("an interval is under way");
        let pairs = &interval.pairs;
        let only_noise = ended && !interval.cut && known - start <= self.grades.shortest();
        let lasting = if only_noise {
            Vec::new()
        } else {
            let idle = idle_now.unwrap_or_else(|| invariant.usable_idle());
            let chunk = chunk(interval, start, &idle, (cut, known), ended, self.scheduler.cpus.len());
            self.grades.grade(&chunk, |class| invariant.class_allowed(class), &mut analysis)
        };
        // A pair that is open beyond the cut is written and watched when it has ended, as a whole.
        for segment in pairs.iter().filter(|s| joined && s.to <= cut) {
            self.interval_joiner.add(segment, &self.scheduler.topology, &mut self.scheduler.out);
        }
        let lasts = |at: usize| lasting.get(at) == Some(&true);
        let short = pairs.iter().enumerate().filter(|(at, s)| s.to <= cut && !lasts(*at)).map(|(_, s)| s);
        self.recurrent.segments(short, |cpu| self.llcs[cpu as usize], |s, events| analysis.short(s, events));
        self.note_graded(interval, start, cut, ended);
        let later = interval.ops.partition_point(|op| op.t <= cut);
        // What came after the end of one that waited belongs to the next.
        let next_event = match ended {
            true => interval.ops.last().map_or(i64::MAX, |op| op.event + 1),
            false => interval.ops.get(later).map_or(i64::MAX, |op| op.event),
        };
        if ended {
            let graded = self.grades.totals[0] - std::mem::replace(&mut self.graded_before, self.grades.totals[0]);
            self.noise_intervals += i64::from(interval.core_ns > graded);
            self.record_limit = RECORD_LIMIT;
            self.next_filter = FILTER_EVERY;
        }
        self.scheduler.balancer_log.forget_before(cut, next_event);
    }

    /// Add up the waste from `start` to `cut`, which has got its grade.
    fn note_graded(&mut self, interval: &WasteInterval, start: i64, cut: i64, ended: bool) {
        if ended {
            self.graded_ns += interval.core_ns - std::mem::take(&mut self.graded_of_interval);
            return;
        }
        let part: i64 = interval.pairs.iter().map(|s| (s.to.min(cut) - s.from.max(start)).max(0)).sum();
        self.graded_ns += part;
        self.graded_of_interval += part;
    }

    /// Apply all events.
    pub fn apply_all(&mut self, source: &mut Source<EventView>, sink: &mut dyn Sink) -> ApplyResult {
        source.walk(|view, row| self.apply(view, row, sink))
    }

    #[inline(always)] // into the loops over all events
    pub fn apply(&mut self, view: &EventView, i: usize, sink: &mut dyn Sink) -> ApplyResult {
        self.scheduler.data_quality.events_read += 1;
        macro_rules! at {
            ($v:expr) => {{
                let ts = $v.ts_ns.values()[i];
                if self.is_outside(ts) {
                    return Ok(());
                }
                self.reach($v.id.values()[i], ts)?;
                &mut self.scheduler
            }};
        }
        match view {
            EventView::SchedSwitch(v) => {
                let (cpu, prev_tid, prev_state) = (v.cpu.values()[i], v.prev_tid.values()[i], v.prev_state.values()[i]);
                let prev_prio = v.prev_prio.is_valid(i).then(|| v.prev_prio.value(i));
                let scheduler = at!(v);
                scheduler.note_run(cpu, prev_tid, prev_prio);
                if v.nr_running.is_valid(i) {
                    scheduler.nr_running(cpu, v.nr_running.value(i));
                }
                let (next_tid, next_prio) =
                    (v.next_tid.values()[i], v.next_prio.is_valid(i).then(|| v.next_prio.value(i)));
                scheduler.sched_switch(cpu, (prev_tid, prev_state, prev_prio), (next_tid, next_prio))?;
            }
            EventView::SchedWakeup(v) => {
                let (cpu, target) = (v.cpu.values()[i], v.target_cpu.values()[i]);
                let prio = v.prio.is_valid(i).then(|| v.prio.value(i));
                at!(v).sched_wakeup(cpu, (v.tid.values()[i], prio), target, v.is_new.value(i))?;
            }
            EventView::NrRunning(v) => {
                let (id, ts) = (v.id.values()[i], v.ts_ns.values()[i]);
                // Changes no state: time need not pass for it yet.
                if self.is_outside(ts) {
                    return Ok(());
                }
                if !self.scheduler.see(ts) {
                    self.reach(id, ts)?;
                }
                self.scheduler.nr_running(v.cpu.values()[i], v.nr_running.values()[i]);
            }
            EventView::SchedWaking(v) => {
                self.scheduler.sched_waking(v.ts_ns.values()[i], v.cpu.values()[i], v.tid.values()[i]);
            }
            EventView::SchedStatRuntime(v) => {
                let (id, ts) = (v.id.values()[i], v.ts_ns.values()[i]);
                // Changes no state either.
                if self.is_outside(ts) {
                    return Ok(());
                }
                if !self.scheduler.see(ts) {
                    self.reach(id, ts)?;
                }
                self.scheduler.stat_runtime(v.tid.values()[i], v.runtime_ns.values()[i]);
            }
            EventView::ProcessExit(v) => self.scheduler.process_exit(v.tid.values()[i]),
            EventView::CpuLoad(v) => self.scheduler.cpu_load(&v.row(i)),
            EventView::BalanceAttempt(v) => {
                let s = at!(v);
                s.balance_attempt(&v.row(i));
            }
            EventView::CpusScanned(v) => self.scheduler.cpus_scanned(&v.row(i)),
            EventView::PreferredLlc(v) => self.scheduler.preferred_llc(&v.row(i)),
            EventView::BalanceSearch(v) => self.scheduler.balance_search(&v.row(i)),
            EventView::NewidleEntry(v) => self.scheduler.newidle_entry(&v.row(i)),
            EventView::ExtIdle(v) => at!(v).ext_idle(&v.row(i)),
            EventView::ExtQueue(v) => at!(v).ext_queue(&v.row(i)),
            EventView::ExtOfCgroup(v) => at!(v).ext_of_cgroup(&v.row(i)),
            EventView::ExtAccess(v) => at!(v).ext_access(&v.row(i)),
            EventView::ExtSearch(v) => at!(v).ext_search(&v.row(i)),
            EventView::ExtKick(v) => at!(v).ext_kick(&v.row(i)),
            EventView::ExtState(v) => self.scheduler.ext_state(&v.row(i)),
            EventView::ExtScheduler(v) => self.scheduler.ext_scheduler(&v.row(i)),
            EventView::BalanceKick(v) => at!(v).balance_kick(&v.row(i)),
            EventView::Schedstat(v) => self.scheduler.schedstat(&v.row(i)),
            EventView::PerfCounter(_) | EventView::CpuIdle(_) | EventView::CpuFrequency(_) => {}
            other => self.apply_rare(other, i)?,
        }
        if self.scheduler.data_quality.events_read >= self.next_due {
            self.pause(view.id(i), sink)?;
        }
        Ok(())
    }

    fn apply_rare(&mut self, view: &EventView, i: usize) -> ApplyResult {
        macro_rules! at {
            ($v:expr) => {{
                let row = $v.row(i);
                if self.is_outside(row.ts_ns) {
                    return Ok(());
                }
                self.reach(row.id, row.ts_ns)?;
                (&mut self.scheduler, row)
            }};
        }
        match view {
            EventView::IdleExitLate(v) => {
                let (s, r) = at!(v);
                s.idle_exit_late(r.cpu, r.late_ns);
            }
            EventView::SchedMigrateTask(v) => {
                let (s, r) = at!(v);
                s.sched_migrate_task(&MigrateEvent {
                    by: r.cpu,
                    tid: r.tid,
                    orig: r.orig_cpu,
                    dest: r.dest_cpu,
                    stack: r.stack_id,
                })?;
            }
            EventView::ProcessFork(v) => {
                let (s, r) = at!(v);
                s.process_fork(r.parent_tid, r.child_tid, r.child_tgid);
            }
            EventView::ProcessExec(v) => {
                let (s, r) = at!(v);
                s.process_exec(r.tid, r.old_tid);
            }
            EventView::ThreadName(v) => {
                let (s, r) = at!(v);
                s.thread_name(r.tid, r.tgid, r.name);
            }
            EventView::ThreadSnapshot(v) => {
                let (s, r) = at!(v);
                s.thread_snapshot(&r)?;
            }
            EventView::CpuSnapshot(v) => {
                let (s, r) = at!(v);
                s.cpu_snapshot(r.cpu, r.online, r.current_tid)?;
            }
            EventView::Affinity(v) => {
                let (s, r) = at!(v);
                if s.is_swapper(r.tid) {
                    return Ok(());
                }
                let utid = s.threads.of(r.tid);
                s.affinity(utid, r.mask_id, r.cpuset_mask_id);
            }
            EventView::MigrationDisable(v) => {
                let (s, r) = at!(v);
                if s.is_swapper(r.tid) {
                    return Ok(());
                }
                let utid = s.threads.of(r.tid);
                s.change(utid, |c| c.migration_disabled = r.disabled);
            }
            EventView::CoreCookie(v) => {
                let (s, r) = at!(v);
                if s.is_swapper(r.tid) {
                    return Ok(());
                }
                let utid = s.threads.of(r.tid);
                s.change(utid, |c| c.cookie = r.cookie);
            }
            EventView::CgroupMove(v) => {
                let (s, r) = at!(v);
                if s.is_swapper(r.tid) {
                    return Ok(());
                }
                let utid = s.threads.of(r.tid);
                s.set_cgroup(utid, r.cgroup_id);
            }
            EventView::Throttle(v) => {
                let (s, r) = at!(v);
                if s.is_swapper(r.tid) {
                    return Ok(());
                }
                let utid = s.threads.of(r.tid);
                s.change(utid, |c| c.throttled = r.throttled);
            }
            EventView::DlParameters(v) => {
                // A thread whose server has no runtime is on no queue, though its state says runnable (kernel/sched/deadline.c:
                // update_curr_dl, __dequeue_task_dl).
                let (s, r) = at!(v);
                if s.is_swapper(r.tid) || s.without_servers {
                    return Ok(());
                }
                let utid = s.threads.of(r.tid);
                s.change(utid, |c| c.throttled = r.throttled);
            }
            EventView::CpuHotplug(v) => {
                let (s, r) = at!(v);
                s.cpu_hotplug(r.cpu, r.online);
            }
            EventView::IrqSpan(v) => {
                let (s, r) = at!(v);
                s.irq_span(r.cpu, r.dur_ns, r.kind, r.vector);
            }
            EventView::RunSpan(v) => {
                let (s, r) = at!(v);
                s.run_span(r.cpu, r.tid)?;
            }
            EventView::LostEvents(v) => {
                let (s, r) = at!(v);
                s.lost_events(r.cpu, r.end_ns, r.count, r.what);
            }
            EventView::BubbleEvent(v) => {
                // It changes no state of the scheduler's; a thread of which nothing else is reported exists all the same.
                let (s, r) = at!(v);
                let made = matches!(r.kind, bubble_event_kind::ATTACH | bubble_event_kind::INSERT_THREAD);
                if let Some(tid) = r.entity_tid.filter(|tid| made && *tid > 0) {
                    s.threads.of(tid);
                }
            }
            // The frequent ones, which `apply` has handled, and events that say nothing of the scheduler's state.
            _ => {}
        }
        Ok(())
    }

    /// What is due between the event `id` and the next.
    #[cold]
    fn pause(&mut self, id: i64, sink: &mut dyn Sink) -> ApplyResult {
        let read = self.scheduler.data_quality.events_read;
        if read >= self.next_checkpoint {
            let bytes = self.write_checkpoint(id.saturating_add(1), sink)?;
            let by_size = CHECKPOINT_EVENTS.max(bytes * EVENTS_PER_BYTE);
            self.next_checkpoint = read + self.checkpoint_events.map_or(by_size, |events| events.max(1));
        }
        self.next_due = (read + HAND_ON_EVERY).min(self.next_checkpoint);
        self.hand_on(sink)
    }

    /// Give full batches to the sink, and a sign of life now and then.
    fn hand_on(&mut self, sink: &mut dyn Sink) -> ApplyResult {
        let read = self.scheduler.data_quality.events_read;
        self.scheduler.forget_gone();
        if !self.scheduler.out.ready.is_empty() {
            for (table, batch) in self.scheduler.out.ready.drain(..) {
                sink.batch(table, batch).map_err(stopped)?;
            }
        }
        if read >= self.next_progress {
            self.next_progress = read + PROGRESS_EVERY;
            sink.progress(read).map_err(stopped)?;
        }
        Ok(())
    }

    /// Nothing happens up to `end`, where the recording ends: grade what is left.
    pub fn end(&mut self, end: i64, sink: &mut dyn Sink) -> ApplyResult {
        self.last_ns = end.max(self.scheduler.seen);
        self.reach(self.scheduler.event, self.last_ns)?;
        self.scheduler.finish();
        if let Some(end) = self.scheduler.invariant.interval.ended {
            self.end_interval(end);
        }
        self.grade_deferred();
        self.recurrent.finish();
        self.write_joined(i64::MAX);
        self.scheduler.out.finish();
        self.hand_on(sink)?;
        if !self.scheduler.sums_fit() {
            return Err(CheckError::Sums);
        }
        Ok(())
    }

    /// Write the waits and wasted times that ended before `end` and were joined last.
    fn write_joined(&mut self, end: i64) {
        let Scheduler { topology, out, .. } = &mut self.scheduler;
        self.interval_joiner.finish(end, topology, out);
    }

    /// Write the tables that are written at the end, after it.
    pub fn write(mut self, entities: &Entities, options: &Options, sink: &mut dyn Sink) -> ApplyResult {
        let data_quality: DataQuality = std::mem::take(&mut self.scheduler.data_quality);
        results::tables(
            &results::WalkResult {
                scheduler: &self.scheduler,
                grades: &self.grades,
                recurrent: &self.recurrent,
                noise_intervals: self.noise_intervals,
                recorded: &entities.recorded,
                unverified: &entities.unverified,
                options,
            },
            data_quality,
            sink,
        )
        .map_err(stopped)
    }
}

/// The record of an interval from `start` to a cut, as far as is known. `idle`: the usable idle CPUs then.
fn chunk<'a>(
    interval: &'a WasteInterval,
    start: i64,
    idle: &'a CpuBits,
    (cut, known): (i64, i64),
    ended: bool,
    n_cpus: usize,
) -> Chunk<'a> {
    Chunk {
        start,
        start_event: interval.start_event,
        cut,
        known,
        ended,
        ops: &interval.ops,
        pairs: &interval.pairs,
        excused: &interval.excused,
        n_cpus,
        idle_now: idle,
        waiting: &interval.waiting,
    }
}

/// The receiver failed or was interrupted.
fn stopped(why: SinkError) -> CheckError {
    CheckError::Stopped(why.to_string())
}
