//! The tables written at the end: threads and processes, episodes and their pairs, ledger, totals, verdict, data_quality.

use std::collections::HashMap;

use arrow_array::RecordBatch;
use wastenot_schemas::{
    BATCH_ROWS, Excuse, RecordedEvidence, Sink, SinkError, attribution, cgroup_wait, data_quality, distance, episode,
    episode_pair, excuse_ledger, grade, process, thread, thread_cpu, thread_phase, verdict, verdict_grade,
};

use crate::causes::answers::Question;
use crate::causes::rules::{RuleText, about};
use crate::causes::{self, AnswerLine, AnswerRecord, Cause, Preventable, WasteByCause, cause};
use crate::counters::FinishedEpisode;
use crate::data_quality::{DataQuality, Remark};
use crate::grades::{Episode, Grades, TIMED};
use crate::options::{Options, TIMED_GRADES};
use crate::pair_segment::PairKey;
use crate::recurrent::{RecurrentDetector, RecurrentEpisode};
use crate::scheduler::Scheduler;
use crate::self_checks::{TraceEnd, overdue, queued_for_ever};
use crate::threads::{Phase, SWAPPER};
use crate::topology::{CpuIx, TracedTopology};
use crate::wait_ledger::LedgerRow;

/// What the walk left.
pub struct WalkResult<'a> {
    pub scheduler: &'a Scheduler,
    pub grades: &'a Grades,
    pub recurrent: &'a RecurrentDetector,
    /// Intervals with waste that no timed grade holds.
    pub noise_intervals: i64,
    pub recorded: &'a RecordedEvidence,
    pub unverified: &'a [String],
    pub options: &'a Options,
}

/// Write every table that is written at the end.
pub fn tables(w: &WalkResult, mut data_quality: DataQuality, sink: &mut dyn Sink) -> Result<(), SinkError> {
    let s = w.scheduler;
    let (processes, upids) = processes(s);
    let episodes = episodes(&s.topology, w.grades, &episode_rows(&s.topology, w.grades, w.recurrent), sink)?;
    add_remarks(s, &mut data_quality);
    s.checks.conclude(&trace_end(s, w.unverified), &mut data_quality);
    let mut data_quality_rows = data_quality::Builder::default();
    data_quality.write(&mut data_quality_rows);
    threads_on_cpus(s, sink)?;
    cgroup_waits(s, sink)?;
    let tables = [
        (thread::NAME, threads(s, &upids)),
        (process::NAME, processes),
        (episode::NAME, episodes),
        (excuse_ledger::NAME, ledger_table(s, w.recorded)),
        (verdict_grade::NAME, totals(w)),
        (verdict::NAME, verdict_table(s, &data_quality, w.options)),
        (data_quality::NAME, data_quality_rows.finish()),
    ];
    tables.into_iter().try_for_each(|(table, batch)| sink.batch(table, batch))
}

fn threads(s: &Scheduler, upids: &HashMap<i32, i32>) -> RecordBatch {
    let mut out = thread::Builder::default();
    for (utid, t) in s.threads.iter() {
        let totals = &t.totals;
        let spent = |phase: u8| totals.spent_ns[phase as usize];
        out.push(&thread::Row {
            utid: t.number as i32,
            tid: t.tid,
            tgid: t.tgid,
            upid: t.tgid.and_then(|tgid| upids.get(&tgid).copied()),
            name: t.name.as_deref(),
            parent_utid: t.parent.map(|p| p.number as i32),
            cgroup_id: t.cgroup,
            start_ns: t.start_ns,
            end_ns: t.end_ns,
            is_kernel: t.is_kernel,
            per_cpu_thread: t.constraints.per_cpu,
            mask_known: t.mask_known,
            run_ns: spent(thread_phase::RUNNING),
            wait_wakeup_ns: spent(thread_phase::RUNNABLE),
            wait_preempted_ns: spent(thread_phase::PREEMPTED),
            sleep_ns: spent(thread_phase::SLEEPING),
            blocked_ns: spent(thread_phase::BLOCKED),
            throttled_ns: spent(thread_phase::THROTTLED),
            avoidable_wait_ns: s.invariant.avoidable_ns(utid),
            wakeups: totals.wakeups,
            switches: totals.switches,
            migrations: totals.migrations,
            needless_migrations: totals.needless_migrations,
        });
    }
    out.finish()
}

/// Write how long each thread ran on each CPU, by thread and then by CPU.
fn threads_on_cpus(s: &Scheduler, sink: &mut dyn Sink) -> Result<(), SinkError> {
    let mut out = thread_cpu::Builder::default();
    for (cpu, &run_ns) in s.swapper_ran_ns.iter().enumerate().filter(|(_, ns)| **ns > 0) {
        out.push(&thread_cpu::Row { utid: SWAPPER as i32, cpu: s.topology.number(cpu as CpuIx), run_ns });
    }
    for (_, t) in s.threads.iter().filter(|(utid, _)| *utid != SWAPPER) {
        for (cpu, run_ns) in t.ran_on.by_cpu(s.cpus.len()) {
            out.push(&thread_cpu::Row { utid: t.number as i32, cpu: s.topology.number(cpu), run_ns });
        }
        if out.len() >= BATCH_ROWS {
            sink.batch(thread_cpu::NAME, out.finish())?;
        }
    }
    sink.batch(thread_cpu::NAME, out.finish())
}

/// Write the wait ledger.
fn cgroup_waits(s: &Scheduler, sink: &mut dyn Sink) -> Result<(), SinkError> {
    let mut out = cgroup_wait::Builder::default();
    for row in s.wait_ledger.rows(s.now) {
        out.push(&cgroup_wait_row(&row));
        if out.len() >= BATCH_ROWS {
            sink.batch(cgroup_wait::NAME, out.finish())?;
        }
    }
    sink.batch(cgroup_wait::NAME, out.finish())
}

pub fn cgroup_wait_row(row: &LedgerRow) -> cgroup_wait::Row {
    cgroup_wait::Row {
        cgroup_id: row.cgroup,
        reason: row.reason,
        excuse: row.excuse,
        culprit_cgroup_id: row.culprit,
        wait_ns: row.ns,
    }
}

/// Processes by tgid. A tgid used again within one trace is one process here: no event distinguishes the two for sure.
fn processes(s: &Scheduler) -> (RecordBatch, HashMap<i32, i32>) {
    let mut upids: HashMap<i32, i32> = HashMap::new();
    let mut names: Vec<(i32, Option<String>, Option<i32>)> = Vec::new();
    for (_, t) in s.threads.iter().filter(|(utid, _)| *utid != SWAPPER) {
        let Some(tgid) = t.tgid else { continue };
        let upid = *upids.entry(tgid).or_insert_with(|| {
            names.push((tgid, None, None));
            names.len() as i32 - 1
        });
        let entry = &mut names[upid as usize];
        if entry.1.is_none() || t.tid == tgid {
            entry.1 = t.name.as_deref().map(str::to_owned).or(entry.1.take());
        }
        let parent = t.parent.and_then(|p| s.threads.parent(&p)?.tgid).filter(|p| *p != tgid);
        entry.2 = entry.2.or(parent);
    }
    let mut out = process::Builder::default();
    for (upid, (tgid, name, parent)) in names.iter().enumerate() {
        out.push(&process::Row {
            upid: upid as i32,
            tgid: *tgid,
            name: name.as_deref(),
            parent_upid: parent.and_then(|p| upids.get(&p).copied()),
        });
    }
    (out.finish(), upids)
}

/// An episode of any grade, as it is written.
struct EpisodeRow<'a> {
    grade: u8,
    start: i64,
    end: i64,
    core_ns: i64,
    total_core_ns: i64,
    peak: u32,
    idle: Vec<i16>,
    overloaded: Vec<i16>,
    pairs: &'a causes::PackedPairs,
    excused_core_ns: i64,
    first_event: Option<i64>,
    last_event: Option<i64>,
}

impl<'a> EpisodeRow<'a> {
    fn timed(topology: &TracedTopology, e: &'a Episode) -> Self {
        let numbers = |set: &std::collections::BTreeSet<CpuIx>| set.iter().map(|&c| topology.number(c)).collect();
        Self {
            grade: e.grade_code(),
            start: e.start,
            end: e.end,
            core_ns: e.core_ns,
            total_core_ns: e.total_core_ns,
            peak: e.peak,
            idle: numbers(&e.idle),
            overloaded: numbers(&e.overloaded),
            pairs: &e.listed,
            excused_core_ns: e.excused_core_ns,
            first_event: e.first_event,
            last_event: e.last_event,
        }
    }

    fn recurrent(topology: &TracedTopology, e: &'a RecurrentEpisode) -> Self {
        let distinct = |pick: fn(&(u32, u32, u32)) -> u32| {
            let set: std::collections::BTreeSet<u32> = e.listed.pairs().map(|of| pick(&of.pair)).collect();
            set.into_iter().map(|c| topology.number(c as CpuIx)).collect()
        };
        Self {
            grade: grade::RECURRENT,
            start: e.start,
            end: e.end,
            core_ns: e.core_ns,
            total_core_ns: e.core_ns,
            peak: e.peak,
            idle: distinct(|(_, _, idle)| *idle),
            overloaded: distinct(|(_, queue, _)| *queue),
            pairs: &e.listed,
            excused_core_ns: 0,
            first_event: None,
            last_event: None,
        }
    }

    fn finished(self, grades: &Grades) -> FinishedEpisode {
        let (mut by_cause, mut lines) = (WasteByCause::default(), Vec::new());
        let (mut threads, mut latest) = (0, None);
        for of in self.pairs.pairs() {
            threads += i32::from(latest != Some(of.pair.0));
            latest = Some(of.pair.0);
            of.lines(&mut lines);
            if !lines.is_empty() {
                by_cause.add(&lines, &cause(&lines), of.ns);
            }
        }
        let cause = by_cause.most_wasteful();
        let [placed_by, not_moved_because, ended_by] = cause.0.map(|(answer, _)| answer.name());
        FinishedEpisode {
            grade: self.grade,
            severity: self.own_severity(grades),
            start_ns: self.start,
            end_ns: self.end,
            core_ns: self.core_ns,
            total_core_ns: self.total_core_ns,
            peak: self.peak,
            threads,
            placed_by,
            not_moved_because,
            ended_by,
            proof: overall(self.grade, &cause),
            idle_cpus: self.idle,
            overloaded_cpus: self.overloaded,
        }
    }

    /// How severe it is by its own waste: the highest grade whose τ, for the pair with most waste, that exceeds.
    fn own_severity(&self, grades: &Grades) -> u8 {
        let own_grade = if self.grade == grade::RECURRENT { grade::NOISE } else { self.grade };
        let reached = self.heaviest().and_then(|heaviest| {
            let (_, queue, idle) = heaviest.pair;
            (0..TIMED).rev().find(|g| self.total_core_ns > grades.tau(*g, idle as CpuIx, queue as CpuIx))
        });
        reached.map_or(grade::NOISE, |g| grade::IN_FLIGHT + g as u8).max(own_grade)
    }

    /// The pair with most waste.
    fn heaviest(&self) -> Option<causes::PackedPair<'_>> {
        self.pairs.pairs().max_by_key(|of| (of.ns, std::cmp::Reverse(of.pair)))
    }
}

/// Episodes that are over, as they are handed out: in the order in which they ended, those that recur last.
pub fn finished(
    topology: &TracedTopology,
    grades: &Grades,
    timed: &[Episode],
    recurrent: &[RecurrentEpisode],
) -> Vec<FinishedEpisode> {
    let rows = timed.iter().map(|e| EpisodeRow::timed(topology, e));
    let rows = rows.chain(recurrent.iter().map(|e| EpisodeRow::recurrent(topology, e)));
    rows.map(|e| e.finished(grades)).collect()
}

/// Worst grade first: persistent, lasting, recurrent, expected; then by start.
fn episode_rows<'a>(
    topology: &TracedTopology,
    grades: &'a Grades,
    recurrent: &'a RecurrentDetector,
) -> Vec<EpisodeRow<'a>> {
    let mut all: Vec<EpisodeRow> = grades.done.iter().map(|e| EpisodeRow::timed(topology, e)).collect();
    all.extend(recurrent.done.iter().map(|e| EpisodeRow::recurrent(topology, e)));
    all.sort_by_key(|e| (listing_order(e.grade), e.start, e.end));
    all
}

/// Place of a grade in the order of the episodes' numbers.
fn listing_order(grade: u8) -> u8 {
    match grade {
        grade::PERSISTENT => 0,
        grade::LASTING => 1,
        grade::RECURRENT => 2,
        _ => 3,
    }
}

/// Of each episode the one that is the same waste from a lower threshold on: the outermost one that contains it and of
/// which it (or what contains it) makes up at least half. Episodes of a grade do not overlap; recurrent ones have none.
fn same_waste(rows_in_order: &[EpisodeRow]) -> Vec<Option<usize>> {
    let of_grade = |grade: u8| {
        let from = rows_in_order.partition_point(|e| listing_order(e.grade) < listing_order(grade));
        from..from + rows_in_order[from..].iter().take_while(|e| e.grade == grade).count()
    };
    let container = |e: &EpisodeRow| {
        let mut lower = (grade::EXPECTED..e.grade).rev().map(of_grade);
        lower.find_map(|range| {
            let before = rows_in_order[range.clone()].partition_point(|other| other.start <= e.start);
            let at = range.start + before.checked_sub(1)?;
            (e.end <= rows_in_order[at].end).then_some(at)
        })
    };
    let mut out: Vec<Option<usize>> = vec![None; rows_in_order.len()];
    // Lower grades come later.
    for at in (0..rows_in_order.len()).rev() {
        let e = &rows_in_order[at];
        if e.grade != grade::RECURRENT {
            let same = |other: &usize| e.total_core_ns >= rows_in_order[*other].total_core_ns - e.total_core_ns;
            out[at] = container(e).filter(same).map(|other| out[other].unwrap_or(other));
        }
    }
    out
}

/// How severe each episode is: by its waste, and where others are part of it at least as severe as those.
fn severities(grades: &Grades, rows_in_order: &[EpisodeRow], part_of: &[Option<usize>]) -> Vec<u8> {
    let mut out: Vec<u8> = rows_in_order.iter().map(|e| e.own_severity(grades)).collect();
    for (part, whole) in part_of.iter().enumerate().filter_map(|(part, whole)| Some((part, (*whole)?))) {
        out[whole] = out[whole].max(out[part]);
    }
    out
}

/// How sure a cause is: as sure as `not_moved_because`, since a move should have ended the waste; where waste is recurrent,
/// too short for the balancer, as sure as `placed_by`.
fn overall(grade: u8, cause: &Cause) -> u8 {
    cause.proof(if grade == grade::RECURRENT { Question::PlacedBy } else { Question::NotMovedBecause })
}

fn attributions(
    id: i32,
    (utid, queue, idle): PairKey,
    topology: &TracedTopology,
    lines: &[AnswerLine],
    kernels: &mut KernelTexts,
    out: &mut attribution::Builder,
) {
    for line in lines {
        let record = &line.record;
        let question = record.answer.question;
        let about = about(question, record.rule);
        let kernels = about.map(|a| kernels.of(record, a));
        out.push(&attribution::Row {
            episode_id: id,
            utid: utid as i32,
            waited_on: topology.number(queue as CpuIx),
            idle_cpu: topology.number(idle as CpuIx),
            question: question as u8,
            answer: record.answer.name(),
            proof: record.proof as u8,
            rule: about.map(|a| a.name),
            kernels,
            weight_ns: line.weight_ns,
            chosen: record.chosen,
            decisive: record.decisive,
            event_ids: line.events(),
        });
    }
}

/// Releases for which rules hold, as they are written, by question and rule.
#[derive(Default)]
struct KernelTexts([Vec<Option<String>>; 3]);

impl KernelTexts {
    fn of(&mut self, record: &AnswerRecord, about: &RuleText) -> &str {
        let (texts, rule) = (&mut self.0[record.answer.question as usize], usize::from(record.rule));
        if rule >= texts.len() {
            texts.resize(rule + 1, None);
        }
        texts[rule].get_or_insert_with(|| about.kernels.to_string())
    }
}

/// Write the pairs of all episodes and their answers; the table of episodes is left to be written.
fn episodes(
    topology: &TracedTopology,
    grades: &Grades,
    rows_in_order: &[EpisodeRow],
    sink: &mut dyn Sink,
) -> Result<RecordBatch, SinkError> {
    let part_of = same_waste(rows_in_order);
    let severity = severities(grades, rows_in_order, &part_of);
    let (mut rows, mut pairs) = (episode::Builder::default(), episode_pair::Builder::default());
    let mut attributed = attribution::Builder::default();
    let (mut lines, mut kernels, mut events) = (Vec::new(), KernelTexts::default(), Vec::new());
    for (i, e) in rows_in_order.iter().enumerate() {
        let id = i as i32 + 1;
        let mut by_cause = WasteByCause::default();
        let (mut threads, mut latest) = (0, None);
        let mut preventable = Preventable::default();
        for entry in e.pairs.pairs() {
            let ((utid, queue, idle), core_ns) = (entry.pair, entry.ns);
            threads += i32::from(latest != Some(utid));
            latest = Some(utid);
            entry.lines(&mut lines);
            attributions(id, entry.pair, topology, &lines, &mut kernels, &mut attributed);
            preventable.add(Preventable::of(&lines, core_ns));
            let cause = cause(&lines);
            events_of_chosen(&lines, &mut events);
            if !lines.is_empty() {
                by_cause.add(&lines, &cause, core_ns);
            }
            pairs.push(&episode_pair::Row {
                episode_id: id,
                utid: utid as i32,
                waited_on: topology.number(queue as CpuIx),
                idle_cpu: topology.number(idle as CpuIx),
                core_ns,
                distance: topology.distance(queue as CpuIx, idle as CpuIx).code(),
                placed_by: cause.code(Question::PlacedBy),
                not_moved_because: cause.code(Question::NotMovedBecause),
                ended_by: cause.code(Question::EndedBy),
                proof: overall(e.grade, &cause),
                placed_by_proof: cause.proof(Question::PlacedBy),
                not_moved_because_proof: cause.proof(Question::NotMovedBecause),
                ended_by_proof: cause.proof(Question::EndedBy),
                event_ids: &events,
            });
            if pairs.len() >= BATCH_ROWS {
                sink.batch(episode_pair::NAME, pairs.finish())?;
            }
            if attributed.len() >= BATCH_ROWS {
                sink.batch(attribution::NAME, attributed.finish())?;
            }
        }
        let worst = e.heaviest();
        let (level, domain) = worst.map_or((distance::UNKNOWN, None), |of| {
            let (queue, idle) = (of.pair.1 as CpuIx, of.pair.2 as CpuIx);
            let domain = topology.lowest_common_domain(idle, queue).map(|d| &*d.name);
            (topology.distance(queue, idle).code(), domain)
        });
        let cause = by_cause.most_wasteful();
        rows.push(&episode::Row {
            episode_id: id,
            grade: e.grade,
            severity: severity[i],
            part_of: part_of[i].map(|whole| whole as i32 + 1),
            start_ns: e.start,
            end_ns: e.end,
            core_ns: e.core_ns,
            total_core_ns: e.total_core_ns,
            peak: e.peak as i32,
            idle_cpus: &e.idle,
            overloaded_cpus: &e.overloaded,
            threads,
            distance: level,
            domain,
            placed_by: cause.code(Question::PlacedBy),
            not_moved_because: cause.code(Question::NotMovedBecause),
            ended_by: cause.code(Question::EndedBy),
            proof: overall(e.grade, &cause),
            placed_by_proof: cause.proof(Question::PlacedBy),
            not_moved_because_proof: cause.proof(Question::NotMovedBecause),
            ended_by_proof: cause.proof(Question::EndedBy),
            placement_core_ns: preventable.placement,
            balancing_core_ns: preventable.balancing,
            either_core_ns: preventable.either,
            excused_core_ns: e.excused_core_ns,
            first_event: e.first_event,
            last_event: e.last_event,
        });
    }
    sink.batch(episode_pair::NAME, pairs.finish())?;
    sink.batch(attribution::NAME, attributed.finish())?;
    Ok(rows.finish())
}

/// Events that the chosen answers about a pair rest on.
fn events_of_chosen(lines: &[AnswerLine], events: &mut Vec<i64>) {
    events.clear();
    lines.iter().filter(|l| l.record.chosen).for_each(|l| events.extend_from_slice(l.events()));
    events.sort_unstable();
    events.dedup();
}

fn ledger_table(s: &Scheduler, recorded: &RecordedEvidence) -> RecordBatch {
    let mut out = excuse_ledger::Builder::default();
    for (excuse, core_ns) in Excuse::ALL.into_iter().zip(s.invariant.integrals.excused) {
        out.push(&excuse_ledger::Row {
            position: i32::from(excuse.code()) + 1,
            excuse: excuse.code(),
            core_ns,
            recorded: recorded.shows(excuse),
        });
    }
    out.finish()
}

fn totals(w: &WalkResult) -> RecordBatch {
    let (grades, recurrent) = (w.grades, w.recurrent);
    let mut out = verdict_grade::Builder::default();
    let wasted = w.scheduler.invariant.integrals.wasted;
    let over: Vec<i64> = std::iter::once(wasted).chain(grades.totals).chain(std::iter::once(0)).collect();
    for g in 0..=TIMED {
        let episodes = if g == 0 { w.noise_intervals } else { grades.counts[g - 1] };
        out.push(&verdict_grade::Row { grade: grade::NOISE + g as u8, episodes, core_ns: over[g] - over[g + 1] });
    }
    let (episodes, core_ns) = (recurrent.count, recurrent.core_ns);
    out.push(&verdict_grade::Row { grade: grade::RECURRENT, episodes, core_ns });
    out.finish()
}

fn verdict_table(s: &Scheduler, data_quality: &DataQuality, options: &Options) -> RecordBatch {
    let sums = &s.invariant.integrals;
    let unobserved: i64 = s.unobserved_ns.iter().sum();
    let mut out = verdict::Builder::default();
    out.push(&verdict::Row {
        checker_version: env!("CARGO_PKG_VERSION"),
        options: &options_json(options),
        start_ns: if s.started == i64::MIN { s.now.max(0) } else { s.started },
        end_ns: s.now.max(0),
        online_ns: s.online_ns,
        observed_ns: s.online_ns - unobserved,
        busy_ns: s.busy_ns,
        idle_ns: sums.idle,
        wasted_ns: sums.wasted,
        certain_ns: sums.certain,
        idle_while_waiting_ns: sums.idle_while_waiting,
        wall_wasted_ns: sums.wall_wasted,
        wall_certain_ns: sums.wall_certain,
        wall_idle_while_waiting_ns: sums.wall_idle_while_waiting,
        peak_wasted: sums.peak_wasted as i32,
        late_wakes: data_quality.late_wakes,
    });
    out.finish()
}

/// The options as they are stored, JSON with sorted keys; thresholds that follow the definition are left out.
fn options_json(options: &Options) -> String {
    let set = TIMED_GRADES.iter().zip(options.thresholds_ns).filter_map(|(g, t)| t.map(|t| format!("\"{g}\": {t}")));
    format!("{{\"strict\": {}, \"thresholds_ns\": {{{}}}}}", options.strict, set.collect::<Vec<_>>().join(", "))
}

/// What is known of the whole trace, at its end or in the middle of a walk.
pub fn trace_end<'a>(s: &Scheduler, unverified: &'a [String]) -> TraceEnd<'a> {
    let length_ns = if s.started == i64::MIN { 0 } else { s.now - s.started };
    let cpus = s.cpus.iter().enumerate().map(|(cpu, state)| {
        let online = s.topology.online[cpu] && state.online && !state.taken_away;
        (s.topology.number(cpu as CpuIx), online)
    });
    let mut end = TraceEnd {
        length_ns,
        cpus: cpus.collect(),
        wakeups: s.forgotten.wakeups,
        reports_wakeups: s.reports_wakeups,
        woken_threads: s.forgotten.woken,
        woken_never_ran: 0,
        accounts: s.forgotten.accounts,
        queued_for_ever: (0, 0),
        unverified,
    };
    for (utid, t) in s.threads.iter().filter(|(utid, _)| *utid != SWAPPER) {
        end.wakeups += t.totals.wakeups;
        end.accounts.add(&t.accounts);
        end.woken_threads += i64::from(t.totals.wakeups > 0);
        let Phase::Queued { cpu, .. } = t.phase else { continue };
        if s.may_have_changed(utid) {
            continue;
        }
        let (waited, queued) = (s.now - t.wait_start, s.cpus[cpu as usize].queue.len());
        if queued_for_ever(waited, queued) {
            end.queued_for_ever.0 += 1;
            end.queued_for_ever.1 += waited;
        }
        end.woken_never_ran += i64::from(t.totals.wakeups > 0 && t.totals.switches == 0 && overdue(waited, queued));
    }
    end.wakeups += s.checks.woken_while_queued;
    end
}

fn add_remarks(s: &Scheduler, data_quality: &mut DataQuality) {
    let known = s.threads.iter().filter(|(utid, t)| *utid != SWAPPER && !t.mask_known).count();
    let unknown = known as i64 + s.forgotten.unknown_masks;
    let remark = |what, cpu, value| Remark { what, detail: None, cpu, range: None, value };
    data_quality.remarks.push(remark("unknown_mask_threads", None, unknown));
    if s.wait_ledger.refuted_ns > 0 {
        data_quality.remarks.push(remark("refuted_wait_ns", None, s.wait_ledger.refuted_ns));
    }
    for (cpu, ns) in s.unobserved_ns.iter().enumerate() {
        data_quality.remarks.push(remark("unobserved_ns", Some(s.topology.number(cpu as CpuIx)), *ns));
    }
    for (what, doubtful) in [("doubtful_idle_ns", &s.doubtful_idle_ns), ("doubtful_wait_ns", &s.doubtful_wait_ns)] {
        for (cpu, ns) in doubtful.iter().enumerate().filter(|(_, ns)| **ns > 0) {
            data_quality.remarks.push(remark(what, Some(s.topology.number(cpu as CpuIx)), *ns));
        }
    }
}
