//! The one walk: events in order through the scheduler's state, ended spells to the graders, results to the sink.

use std::collections::HashMap;
use std::sync::Arc;

use arrow_array::{Array, RecordBatch};
use wastenot_schemas as tables;
use wastenot_schemas::{EvidenceKind, SchemaMismatch, bubble_event_kind};

use crate::causes::kernels::{self, Release};
use crate::causes::{Domains, Judge, Memory, Told, paths};
use crate::data_quality::DataQuality;
use crate::error::CheckError;
use crate::grades::{Chunk, Grades};
use crate::joined::Joined;
use crate::matching::CpuBits;
use crate::options::Options;
use crate::recurrent::Watch;
use crate::results;
use crate::scheduler::{Applied, Move, Scheduler};
use crate::self_checks::SILENCE_NS;
use crate::source::{BatchReader, Source, SourceError};
use crate::spells::Spell;
use crate::tables::Sink;
use crate::topology::{CpuIx, Topology};

/// Changes a spell may record before the part that can be graded is graded and dropped.
const RECORD_LIMIT: usize = 1 << 16;
/// Changes recorded between two looks at how long edges lasted.
const BITE: usize = 1 << 13;
/// Events between two looks for full batches.
const HAND_ON_EVERY: i64 = 1 << 8;
/// Events between two calls of [`Sink::progress`].
const PROGRESS_EVERY: i64 = 1 << 20;

/// A batch of one event table.
#[allow(clippy::large_enum_variant)] // one per batch, not per event
enum View {
    Switch(tables::sched_switch::View),
    Waking(tables::sched_waking::View),
    Attempt(tables::balance_attempt::View),
    Load(tables::cpu_load::View),
    CpusScanned(tables::cpus_scanned::View),
    Kick(tables::balance_kick::View),
    Schedstat(tables::schedstat::View),
    Wakeup(tables::sched_wakeup::View),
    Migrate(tables::sched_migrate_task::View),
    NrRunning(tables::nr_running::View),
    Fork(tables::process_fork::View),
    Exec(tables::process_exec::View),
    Exit(tables::process_exit::View),
    Name(tables::thread_name::View),
    ThreadSnapshot(tables::thread_snapshot::View),
    CpuSnapshot(tables::cpu_snapshot::View),
    Affinity(tables::affinity::View),
    MigrationDisable(tables::migration_disable::View),
    Cookie(tables::core_cookie::View),
    CgroupMove(tables::cgroup_move::View),
    Throttle(tables::throttle::View),
    Hotplug(tables::cpu_hotplug::View),
    IrqSpan(tables::irq_span::View),
    RunSpan(tables::run_span::View),
    Runtime(tables::sched_stat_runtime::View),
    Lost(tables::lost_events::View),
    Bubble(tables::bubble_event::View),
    /// Evidence for causes; it changes no state.
    Evidence,
}

type MakeView = fn(&RecordBatch) -> Result<View, SchemaMismatch>;

/// How a table's batches become views; None for a table that holds no events.
fn maker(table: &str) -> Option<(&'static str, MakeView)> {
    macro_rules! typed {
        ($module:ident, $variant:ident) => {
            (tables::$module::NAME, |b| Ok(View::$variant(tables::$module::View::try_new(b)?)))
        };
    }
    let made: (&'static str, MakeView) = match table {
        "sched_switch" => typed!(sched_switch, Switch),
        "sched_waking" => typed!(sched_waking, Waking),
        "sched_wakeup" => typed!(sched_wakeup, Wakeup),
        "sched_migrate_task" => typed!(sched_migrate_task, Migrate),
        "nr_running" => typed!(nr_running, NrRunning),
        "process_fork" => typed!(process_fork, Fork),
        "process_exec" => typed!(process_exec, Exec),
        "process_exit" => typed!(process_exit, Exit),
        "thread_name" => typed!(thread_name, Name),
        "thread_snapshot" => typed!(thread_snapshot, ThreadSnapshot),
        "cpu_snapshot" => typed!(cpu_snapshot, CpuSnapshot),
        "affinity" => typed!(affinity, Affinity),
        "migration_disable" => typed!(migration_disable, MigrationDisable),
        "core_cookie" => typed!(core_cookie, Cookie),
        "cgroup_move" => typed!(cgroup_move, CgroupMove),
        "throttle" => typed!(throttle, Throttle),
        "cpu_hotplug" => typed!(cpu_hotplug, Hotplug),
        "irq_span" => typed!(irq_span, IrqSpan),
        "run_span" => typed!(run_span, RunSpan),
        "sched_stat_runtime" => typed!(sched_stat_runtime, Runtime),
        "lost_events" => typed!(lost_events, Lost),
        "bubble_event" => typed!(bubble_event, Bubble),
        "balance_attempt" => typed!(balance_attempt, Attempt),
        "cpu_load" => typed!(cpu_load, Load),
        "cpus_scanned" => typed!(cpus_scanned, CpusScanned),
        "balance_kick" => typed!(balance_kick, Kick),
        "schedstat" => typed!(schedstat, Schedstat),
        "perf_counter" => ("perf_counter", |_| Ok(View::Evidence)),
        _ => return None,
    };
    Some(made)
}

/// What is read before the walk.
struct Entities {
    topology: Arc<Topology>,
    masks: Vec<(i32, Vec<i16>)>,
    /// Window of the recording, ns.
    window: Option<(i64, i64)>,
    /// Excuses that the trace can show, by name.
    recorded: Vec<String>,
    unverified: Vec<String>,
    /// What each kernel stack says of a move.
    stacks: HashMap<i32, Told>,
    domains: Domains,
    release: Option<Release>,
    /// Every pass of the balancer was recorded, so that none recorded means none made.
    tells_passes: bool,
}

/// Reconstruct, measure and judge a trace.
///
/// `inputs` are batches by table name: any of the event tables (each in the order of its ids) and the entity tables cpu,
/// numa_node, domain, machine, mask, stack and trace; others are ignored. Derived tables leave through `sink`, growing ones
/// while the walk is under way, the rest at its end. Memory does not grow with the trace's length.
pub fn check(inputs: Vec<(String, BatchReader)>, options: &Options, sink: &mut dyn Sink) -> Result<(), CheckError> {
    options.validate()?;
    let (source, entities) = read_inputs(inputs)?;
    if entities.topology.is_empty() {
        return Err(CheckError::NoCpus);
    }
    let mut walk = Walk::new(&entities, options);
    let mut source = source;
    if let Some((start, _)) = entities.window {
        walk.reach(0, start)?;
    }
    source.walk(|view, row| walk.apply(view, row, sink))?;
    let end = entities.window.map_or(walk.scheduler.now, |(_, end)| end.max(walk.scheduler.now));
    walk.finish(end, &entities, options, sink)
}

fn read_inputs(inputs: Vec<(String, BatchReader)>) -> Result<(Source<View>, Entities), CheckError> {
    let mut source = Source::default();
    let mut kept: HashMap<String, Vec<RecordBatch>> = HashMap::new();
    for (table, reader) in inputs {
        if let Some((name, make)) = maker(&table) {
            source.add(name, reader, make);
        } else if ["cpu", "numa_node", "domain", "machine", "mask", "stack", "trace"].contains(&table.as_str()) {
            let batches: Result<Vec<_>, _> = reader.collect();
            kept.insert(table.clone(), batches.map_err(|why| SourceError::Read { table, why })?);
        }
    }
    let of = |name: &str| kept.get(name).map_or(&[][..], |b| b);
    let topology = Topology::from_tables(of("cpu"), of("numa_node"), of("domain"), of("machine"))?;
    let mut masks = Vec::new();
    for batch in of("mask") {
        let view = tables::mask::View::try_new(batch)?;
        masks.extend((0..view.len()).map(|i| (view.row(i).mask_id, view.row(i).cpus.to_vec())));
    }
    let mut window = None;
    let mut recorded = Vec::new();
    let mut unverified = Vec::new();
    let mut release = None;
    let mut tells_passes = false;
    for batch in of("trace").iter().filter(|b| b.num_rows() > 0) {
        let view = tables::trace::View::try_new(batch)?;
        window = Some((view.start_ns.value(0), view.end_ns.value(0)));
        recorded = view.recorded_excuses(0);
        unverified = view.unverified(0);
        release = view.kernel.is_valid(0).then(|| view.kernel.value(0)).and_then(kernels::release);
        tells_passes = view.recorded_evidence(0).iter().any(|kind| kind == EvidenceKind::LoadBalanceAttempts.name());
    }
    let domains = Domains::from_tables(&topology, of("domain"))?;
    for batch in of("machine").iter().filter(|b| b.num_rows() > 0) {
        let view = tables::machine::View::try_new(batch)?;
        release = release.or(view.row(0).kernel.and_then(kernels::release));
    }
    let mut stacks = HashMap::new();
    for batch in of("stack") {
        let view = tables::stack::View::try_new(batch)?;
        for i in 0..view.len() {
            let symbols = view.symbols(i);
            stacks.insert(view.stack_id.value(i), paths::of_stack(symbols.iter().map(String::as_str)));
        }
    }
    Ok((
        source,
        Entities {
            topology: Arc::new(topology),
            masks,
            window,
            recorded,
            unverified,
            stacks,
            domains,
            release,
            tells_passes,
        },
    ))
}

/// An ended spell that is not graded yet.
struct Held {
    spell: Spell,
    end: i64,
    /// The interrupt work ends here.
    until: i64,
    /// Usable idle CPUs at its end.
    idle: CpuBits,
}

struct Walk {
    scheduler: Scheduler,
    grades: Grades,
    watch: Watch,
    joined: Joined,
    longest_tau: i64,
    /// End of the recording, as far as the trace tells.
    last_ns: i64,
    /// Per CPU: its LLC, numbered from 0.
    llcs: Vec<u16>,
    /// Recorded changes from which the spell under way is cut.
    record_limit: usize,
    /// Changes of the spell under way from which it is looked at how long edges lasted.
    next_bite: usize,
    /// A spell that ended as interrupt work began on the idle CPU, until it is known what that work did.
    held: Option<Held>,
    /// Spells with waste that no timed grade holds, and ∫ wasted_τ of the first timed grade when the present one began.
    noise_spells: i64,
    graded_before: i64,
    asks_nothing: bool,
    memory: Memory,
}

impl Walk {
    fn new(entities: &Entities, options: &Options) -> Self {
        let topology = entities.topology.clone();
        let mut scheduler = Scheduler::new(topology.clone(), &entities.masks, options.strict);
        scheduler.stacks = entities.stacks.clone();
        scheduler.witness.domains = entities.domains.clone();
        scheduler.release = entities.release;
        scheduler.witness.tells_passes = entities.tells_passes;
        scheduler.witness.tells_newidle = entities.tells_passes;
        scheduler.notes_nothing = options.without_causes;
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
            watch: Watch::new(distinct.len()),
            joined: Joined::default(),
            record_limit: RECORD_LIMIT,
            next_bite: BITE,
            held: None,
            noise_spells: 0,
            graded_before: 0,
            asks_nothing: options.without_causes,
            memory: Memory::default(),
        }
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
    fn reach(&mut self, event: i64, ts: i64) -> Applied {
        let (before, started) = (self.scheduler.seen, self.scheduler.started);
        let ts = self.scheduler.time_of(event, ts)?;
        if started != i64::MIN && ts - before > SILENCE_NS {
            self.scheduler.note_silence(before, ts);
        }
        if !self.scheduler.limits.hold(ts) {
            return Err(self.out_of_range(event, ts));
        }
        if self.held.as_ref().is_some_and(|held| held.until < ts) {
            self.let_go();
        }
        while self.scheduler.reach(ts) {
            let end = self.scheduler.invariant.spell.ended.expect("reach said so");
            self.end_spell(end);
        }
        let spell = &self.scheduler.invariant.spell;
        if spell.ops.len() + spell.pairs.len() + self.scheduler.witness.kept() > self.record_limit {
            self.cut(ts);
        } else if spell.ops.len() > self.next_bite && self.held.is_none() {
            self.bite(ts);
        }
        Ok(())
    }

    /// Nothing may be added up over the time to a stamp so far away.
    #[cold]
    fn out_of_range(&self, event: i64, ts_ns: i64) -> CheckError {
        let start_ns = if self.scheduler.started == i64::MIN { 0 } else { self.scheduler.started };
        CheckError::Span { event, ts_ns, start_ns, cpus: self.scheduler.cpus.len() }
    }

    /// Look how long edges of the spell under way lasted, as far as that has not been done.
    fn bite(&mut self, now: i64) {
        let invariant = &self.scheduler.invariant;
        if let Some(start) = invariant.spell.start {
            let idle = invariant.usable_idle();
            let chunk = chunk(&invariant.spell, start, &idle, (now, now), false, self.scheduler.cpus.len());
            self.grades.bite(&chunk, &|class| invariant.class_allowed(class));
        }
        self.next_bite = invariant.spell.ops.len() + BITE;
    }

    /// Grade the spell that has ended; where interrupt work on its idle CPU ended it, once it is seen what that work did.
    fn end_spell(&mut self, end: i64) {
        self.let_go();
        let mut spell = std::mem::take(&mut self.scheduler.invariant.spell);
        if let Some(until) = self.scheduler.witness.interrupted(spell.ops.last()) {
            let idle = self.scheduler.invariant.usable_idle();
            self.scheduler.witness.holds = true;
            self.held = Some(Held { spell: spell.split_record(), end, until, idle });
        } else {
            self.grade(&spell, None, end, end, true);
        }
        spell.clear();
        self.scheduler.invariant.spell = spell;
    }

    /// Grade the spell that waited.
    fn let_go(&mut self) {
        if let Some(Held { spell, end, idle, .. }) = self.held.take() {
            self.grade(&spell, Some(idle), end, end, true);
            self.scheduler.witness.let_go();
        }
    }

    /// Grade and drop the part of a long spell that lies far enough back.
    fn cut(&mut self, now: i64) {
        self.let_go();
        let at = now - self.longest_tau;
        if self.scheduler.invariant.spell.start.is_some_and(|start| start < at) {
            let mut spell = std::mem::take(&mut self.scheduler.invariant.spell);
            let recorded = spell.record_standing(now);
            self.grade(&spell, None, at, now, false);
            spell.pairs.truncate(recorded);
            spell.cut_before(at);
            self.scheduler.invariant.spell = spell;
        }
        let spell = &self.scheduler.invariant.spell;
        let kept = spell.ops.len() + spell.pairs.len() + self.scheduler.witness.kept();
        self.record_limit = RECORD_LIMIT + kept + kept / 2;
        self.next_bite = spell.ops.len() + BITE;
    }

    fn grade(&mut self, spell: &Spell, idle_now: Option<CpuBits>, cut: i64, known: i64, ended: bool) {
        let invariant = &self.scheduler.invariant;
        let mut judge = Judge {
            witness: &self.scheduler.witness,
            crossings: &self.scheduler.crossings,
            topology: &self.scheduler.topology,
            release: self.scheduler.release,
            end_ns: self.last_ns,
            wasting_since: spell.began,
            asks_nothing: self.asks_nothing,
            ops: &spell.ops,
            arrivals: &spell.recorded,
            memory: &mut self.memory,
        };
        judge.begin();
        let start = spell.start.expect("a spell is under way");
        let pairs = &spell.pairs;
        let only_noise = ended && !spell.cut && known - start <= self.grades.shortest();
        let lasting = if only_noise {
            Vec::new()
        } else {
            let idle = idle_now.unwrap_or_else(|| invariant.usable_idle());
            let chunk = chunk(spell, start, &idle, (cut, known), ended, self.scheduler.cpus.len());
            self.grades.grade(&chunk, |class| invariant.class_allowed(class), &mut judge)
        };
        // A pair that stands beyond the cut is written and watched when it has ended, as a whole.
        for segment in pairs.iter().filter(|s| s.to <= cut) {
            self.joined.add(segment, &self.scheduler.topology, &mut self.scheduler.out);
        }
        let lasts = |at: usize| lasting.get(at) == Some(&true);
        let short = pairs.iter().enumerate().filter(|(at, s)| s.to <= cut && !lasts(*at)).map(|(_, s)| s);
        self.watch.segments(short, |cpu| self.llcs[cpu as usize], |s| judge.short(s));
        let later = spell.ops.partition_point(|op| op.t <= cut);
        // What came after the end of one that waited belongs to the next.
        let next_event = match ended {
            true => spell.ops.last().map_or(i64::MAX, |op| op.event + 1),
            false => spell.ops.get(later).map_or(i64::MAX, |op| op.event),
        };
        if ended {
            let graded = self.grades.totals[0] - std::mem::replace(&mut self.graded_before, self.grades.totals[0]);
            self.noise_spells += i64::from(spell.core_ns > graded);
            self.record_limit = RECORD_LIMIT;
            self.next_bite = BITE;
        }
        self.scheduler.witness.forget_before(cut, next_event);
    }

    #[inline(always)] // into the one loop over all events
    fn apply(&mut self, view: &View, i: usize, sink: &mut dyn Sink) -> Applied {
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
            View::Switch(v) => {
                let (cpu, prev_tid, prev_state) = (v.cpu.values()[i], v.prev_tid.values()[i], v.prev_state.values()[i]);
                let prev_prio = v.prev_prio.is_valid(i).then(|| v.prev_prio.value(i));
                let scheduler = at!(v);
                scheduler.note_run(cpu, prev_tid, prev_prio);
                scheduler.sched_switch(cpu, prev_tid, prev_state, v.next_tid.values()[i])?;
            }
            View::Wakeup(v) => {
                at!(v).sched_wakeup(v.tid.values()[i], v.target_cpu.values()[i], v.is_new.value(i))?;
            }
            View::NrRunning(v) => {
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
            View::Waking(v) => self.scheduler.sched_waking(v.cpu.values()[i], v.tid.values()[i]),
            View::Runtime(v) => {
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
            View::Exit(v) => self.scheduler.process_exit(v.tid.values()[i]),
            View::Load(v) => self.scheduler.cpu_load(&v.row(i)),
            View::Attempt(v) => {
                let s = at!(v);
                s.balance_attempt(&v.row(i));
            }
            View::CpusScanned(v) => self.scheduler.cpus_scanned(&v.row(i)),
            View::Kick(v) => self.scheduler.balance_kick(&v.row(i)),
            View::Schedstat(v) => self.scheduler.schedstat(&v.row(i)),
            View::Evidence => {}
            other => self.apply_rare(other, i)?,
        }
        if self.scheduler.data_quality.events_read % HAND_ON_EVERY == 0 {
            self.hand_on(sink)?;
        }
        Ok(())
    }

    fn apply_rare(&mut self, view: &View, i: usize) -> Applied {
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
            View::Migrate(v) => {
                let (s, r) = at!(v);
                s.sched_migrate_task(&Move {
                    by: r.cpu,
                    tid: r.tid,
                    orig: r.orig_cpu,
                    dest: r.dest_cpu,
                    stack: r.stack_id,
                })?;
            }
            View::Fork(v) => {
                let (s, r) = at!(v);
                s.process_fork(r.parent_tid, r.child_tid, r.child_tgid);
            }
            View::Exec(v) => {
                let (s, r) = at!(v);
                s.process_exec(r.tid, r.old_tid);
            }
            View::Name(v) => {
                let (s, r) = at!(v);
                s.thread_name(r.tid, r.tgid, r.name);
            }
            View::ThreadSnapshot(v) => {
                let (s, r) = at!(v);
                s.thread_snapshot(&r)?;
            }
            View::CpuSnapshot(v) => {
                let (s, r) = at!(v);
                s.cpu_snapshot(r.cpu, r.online, r.current_tid)?;
            }
            View::Affinity(v) => {
                let (s, r) = at!(v);
                if s.is_swapper(r.tid) {
                    return Ok(());
                }
                let utid = s.threads.of(r.tid);
                s.affinity(utid, r.mask_id, r.cpuset_mask_id);
            }
            View::MigrationDisable(v) => {
                let (s, r) = at!(v);
                if s.is_swapper(r.tid) {
                    return Ok(());
                }
                let utid = s.threads.of(r.tid);
                s.change(utid, |c| c.migration_disabled = r.disabled);
            }
            View::Cookie(v) => {
                let (s, r) = at!(v);
                if s.is_swapper(r.tid) {
                    return Ok(());
                }
                let utid = s.threads.of(r.tid);
                s.change(utid, |c| c.cookie = r.cookie);
            }
            View::CgroupMove(v) => {
                let (s, r) = at!(v);
                if s.is_swapper(r.tid) {
                    return Ok(());
                }
                let utid = s.threads.of(r.tid);
                s.threads[utid].cgroup = Some(r.cgroup_id);
            }
            View::Throttle(v) => {
                let (s, r) = at!(v);
                if s.is_swapper(r.tid) {
                    return Ok(());
                }
                let utid = s.threads.of(r.tid);
                s.change(utid, |c| c.throttled = r.throttled);
            }
            View::Hotplug(v) => {
                let (s, r) = at!(v);
                s.cpu_hotplug(r.cpu, r.online);
            }
            View::IrqSpan(v) => {
                let (s, r) = at!(v);
                s.irq_span(r.cpu, r.dur_ns, r.kind, r.vector);
            }
            View::RunSpan(v) => {
                let (s, r) = at!(v);
                s.run_span(r.cpu, r.tid)?;
            }
            View::Lost(v) => {
                let (s, r) = at!(v);
                s.lost_events(r.cpu, r.end_ns, r.count, r.what);
            }
            View::Bubble(v) => {
                // It changes no state of the scheduler's; a thread of which nothing else is told exists all the same.
                let (s, r) = at!(v);
                let made = matches!(r.kind, bubble_event_kind::ATTACH | bubble_event_kind::INSERT_THREAD);
                if let Some(tid) = r.entity_tid.filter(|tid| made && *tid > 0) {
                    s.threads.of(tid);
                }
            }
            View::Switch(_) | View::Wakeup(_) | View::NrRunning(_) | View::Runtime(_) | View::Evidence => {}
            View::Waking(_)
            | View::Exit(_)
            | View::Attempt(_)
            | View::Load(_)
            | View::CpusScanned(_)
            | View::Kick(_)
            | View::Schedstat(_) => {}
        }
        Ok(())
    }

    /// Give full batches to the sink, and a sign of life now and then.
    fn hand_on(&mut self, sink: &mut dyn Sink) -> Applied {
        let read = self.scheduler.data_quality.events_read;
        if !self.scheduler.out.ready.is_empty() {
            for (table, batch) in self.scheduler.out.ready.drain(..) {
                sink.emit(table, batch).map_err(CheckError::Stopped)?;
            }
        }
        if read % PROGRESS_EVERY == 0 {
            sink.progress(read).map_err(CheckError::Stopped)?;
        }
        Ok(())
    }

    fn finish(mut self, end: i64, entities: &Entities, options: &Options, sink: &mut dyn Sink) -> Applied {
        self.last_ns = end.max(self.scheduler.seen);
        self.reach(self.scheduler.event, self.last_ns)?;
        self.scheduler.finish();
        if let Some(end) = self.scheduler.invariant.spell.ended {
            self.end_spell(end);
        }
        self.let_go();
        self.watch.finish();
        self.joined.finish(&self.scheduler.topology, &mut self.scheduler.out);
        self.scheduler.out.finish();
        self.hand_on(sink)?;
        if !self.scheduler.sums_fit() {
            return Err(CheckError::Sums);
        }
        let data_quality: DataQuality = std::mem::take(&mut self.scheduler.data_quality);
        results::tables(
            &results::Walked {
                scheduler: &self.scheduler,
                grades: &self.grades,
                watch: &self.watch,
                noise_spells: self.noise_spells,
                recorded: &entities.recorded,
                unverified: &entities.unverified,
                options,
            },
            data_quality,
            sink,
        )
        .map_err(CheckError::Stopped)
    }
}

/// The record of a spell from `start` to a cut, as far as is known. `idle`: the usable idle CPUs then.
fn chunk<'a>(
    spell: &'a Spell,
    start: i64,
    idle: &'a CpuBits,
    (cut, known): (i64, i64),
    ended: bool,
    n_cpus: usize,
) -> Chunk<'a> {
    Chunk {
        start,
        start_event: spell.start_event,
        cut,
        known,
        ended,
        ops: &spell.ops,
        pairs: &spell.pairs,
        excused: &spell.excused,
        n_cpus,
        idle_now: idle,
        waiting: &spell.waiting,
    }
}
