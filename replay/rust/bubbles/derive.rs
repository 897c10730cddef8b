//! From the tables of a checked trace to the tables of bubbles.

use super::frames::{columns, row};
use super::lifetimes::ThreadLifetimes;
use super::model::{BubbleEvent, Inconsistency, Model, Record};
use super::natural::Cgroups;
use super::parts::Parts;
use super::read::{BatchReader, BubbleError, Tables};
use super::segments::Segments;
use super::stats::Stats;
use super::timeline::Timeline;
use super::tree::{Node, Tree};
use super::{Entity, HolderInterval, Member, creation, natural};

use arrow_array::RecordBatch;
use std::collections::{BTreeMap, HashMap, HashSet};
use wastenot_schemas::{self as tables, BATCH_ROWS, Sink, bubble_event_kind, bubble_kind, bubble_tree, thread_phase};

/// The counter of cache misses.
const CACHE_MISSES: &str = "cache-misses";

/// Derive the tables of bubbles.
///
/// `inputs` by name: trace, cpu, cgroup, thread, process, thread_snapshot, cgroup_move and bubble_event (both in order of id),
/// cpu_slice in order of `start_ns`, thread_state, migration, perf_counter; any may be missing. Inconsistent sequences of
/// declared bubbles become rows of `data_quality`.
pub fn derive(inputs: Vec<(String, BatchReader)>, sink: &mut dyn Sink) -> Result<(), BubbleError> {
    let mut input = Tables::new(inputs);
    let window = window(&mut input)?;
    let parts = Parts::from_tables(&input.all(tables::cpu::NAME)?)?;
    let lives = ThreadLifetimes::read(&mut input)?;
    let cgroups = cgroups(&mut input, &lives)?;
    let mut record = declared(&mut input, &lives, parts.clone(), window.1)?;

    let declared = declared_tree(&record, window);
    let natural = natural::tree(declared.end(), &lives, &cgroups, window);
    let creation = creation::tree(natural.end(), &lives, window);
    let trees = [declared, natural, creation];
    let bubbles = trees[2].end() as usize - 1;
    let segments: Vec<Segments> = trees.iter().map(|t| Segments::new(t, &lives)).collect();
    let timeline = Timeline::new(std::mem::take(&mut record.intervals));

    let mut stats = Stats::new(&lives, &parts, &timeline, &segments, bubbles);
    add_activity(&mut input, &mut stats)?;
    let expected = expected(&record);
    let mut stat = stats.finish(bubbles, |id| match record.bubbles.get(id as usize - 1) {
        Some(b) => (expected[id as usize - 1], b.bursts, b.regenerations),
        None => (None, 0, 0),
    });

    let mut out = tables::bubble::Builder::default();
    trees.iter().for_each(|t| t.write(&mut out));
    emit(sink, tables::bubble::NAME, out.finish())?;
    emit(sink, tables::bubble_stat::NAME, stat.finish())?;
    for tree in &trees {
        write_members(&tree.members, sink)?;
    }
    write_intervals(timeline.intervals(), sink)?;
    emit(sink, tables::data_quality::NAME, inconsistencies(&record))
}

fn emit(sink: &mut dyn Sink, table: &'static str, batch: RecordBatch) -> Result<(), BubbleError> {
    if batch.num_rows() == 0 {
        return Ok(());
    }
    sink.batch(table, batch).map_err(|why| BubbleError::Stopped(why.to_string()))
}

fn window(input: &mut Tables) -> Result<(i64, i64), BubbleError> {
    let mut window = (0, 0);
    input.each(tables::trace::NAME, |batch| {
        let view = tables::trace::View::try_new(&batch)?;
        if !view.is_empty() {
            window = (view.start_ns.value(0), view.end_ns.value(0));
        }
        Ok(())
    })?;
    Ok((window.0, window.1.max(window.0)))
}

fn cgroups(input: &mut Tables, lives: &ThreadLifetimes) -> Result<Cgroups, BubbleError> {
    let mut out = Cgroups::default();
    input.each(tables::cgroup::NAME, |batch| {
        let view = tables::cgroup::View::try_new(&batch)?;
        out.paths.extend((0..view.len()).map(|i| view.row(i)).map(|r| (r.cgroup_id, r.path.into())));
        Ok(())
    })?;
    input.each(tables::cgroup_move::NAME, |batch| {
        let view = tables::cgroup_move::View::try_new(&batch)?;
        for r in (0..view.len()).map(|i| view.row(i)) {
            if let Some(life) = lives.at(r.tid, r.ts_ns) {
                out.moves.entry(life.utid).or_default().push((r.ts_ns, r.cgroup_id));
            }
        }
        Ok(())
    })?;
    out.moves.values_mut().for_each(|moves| moves.sort_by_key(|m| m.0));
    Ok(out)
}

fn declared(input: &mut Tables, lives: &ThreadLifetimes, parts: Parts, end_ns: i64) -> Result<Record, BubbleError> {
    let mut model = Model::new(parts);
    let mut processes = HashSet::new();
    input.each(tables::bubble_event::NAME, |batch| {
        let view = tables::bubble_event::View::try_new(&batch)?;
        for r in (0..view.len()).map(|i| view.row(i)) {
            apply(&mut model, lives, &mut processes, &r);
        }
        Ok(())
    })?;
    Ok(model.finish(end_ns))
}

fn apply(model: &mut Model, lives: &ThreadLifetimes, processes: &mut HashSet<i32>, r: &tables::bubble_event::Row<'_>) {
    if r.status.is_some() {
        model.reach(r.ts_ns);
        return model.flag(Inconsistency::Refused); // the application's own tree has not changed
    }
    let life = match r.entity_tid {
        None => None,
        Some(tid) => match lives.at(tid, r.ts_ns) {
            Some(life) => Some(life),
            None => return model.flag(Inconsistency::Incomplete), // no thread has this number
        },
    };
    if let Some(life) = life
        && !model.knows(life.utid)
    {
        if life.end_ns.is_some_and(|end| end < r.ts_ns) {
            if r.kind != bubble_event_kind::REMOVE {
                model.reach(r.ts_ns);
                model.flag(Inconsistency::EndedThread);
            }
            return;
        }
        if let Some(end) = life.end_ns {
            model.thread_ends(life.utid, end);
        }
    }
    if let Some(tgid) = r.tgid
        && processes.insert(tgid)
        && let Some(end) = lives.process_end(tgid)
    {
        model.process_ends(tgid, end);
    }
    model.apply(&BubbleEvent {
        id: r.id,
        ts_ns: r.ts_ns,
        tgid: r.tgid,
        kind: r.kind,
        bubble: r.bubble,
        utid: life.map(|l| l.utid),
        holder: r.holder,
        holder_id: r.holder_id,
        value: r.value,
        name: r.name,
        snapshot: r.snapshot,
    });
}

fn declared_tree(record: &Record, window: (i64, i64)) -> Tree {
    let mut tree = Tree::new(bubble_tree::DECLARED, 1);
    let parent = |id: &i32| record.bubbles[*id as usize - 1].last_parent;
    for (id, b) in (1..).zip(&record.bubbles) {
        // The last parents of different times may form a circle; then the depth is what a bubble at the limit has.
        let depth = std::iter::successors(parent(&id), parent).take(super::MAX_DEPTH).count();
        tree.nodes.push(Node {
            kind: bubble_kind::BUBBLE,
            parent: b.last_parent,
            name: b.name.clone(),
            number: Some(b.number),
            tgid: b.tgid,
            priority: b.priority(),
            burst_level: b.burst_level,
            slice_ns: b.slice_ns,
            span: Some((b.start_ns, b.end_ns.unwrap_or(window.1).max(b.start_ns))),
            depth,
            ..Node::default()
        });
    }
    tree.members = record.members.clone();
    tree.members.sort_by_key(|m| (m.start_ns, m.bubble, m.entity));
    tree
}

/// Expected CPU time of each declared bubble: as declared for it, else the sum of what was declared for its last members.
fn expected(record: &Record) -> Vec<Option<i64>> {
    let mut last: HashMap<Entity, &Member> = HashMap::new();
    for m in &record.members {
        let latest = last.entry(m.entity).or_insert(m);
        if (m.end_ns, m.start_ns) > (latest.end_ns, latest.start_ns) {
            *latest = m;
        }
    }
    let mut below: BTreeMap<i32, Vec<Entity>> = BTreeMap::new();
    last.values().for_each(|m| below.entry(m.bubble).or_default().push(m.entity));
    let mut known: Vec<Option<Option<i64>>> = vec![None; record.bubbles.len()];
    for id in 1..=record.bubbles.len() as i32 {
        sum(id, record, &below, &mut known, 0);
    }
    known.into_iter().map(Option::flatten).collect()
}

fn sum(
    id: i32,
    record: &Record,
    below: &BTreeMap<i32, Vec<Entity>>,
    known: &mut Vec<Option<Option<i64>>>,
    depth: usize,
) -> Option<i64> {
    let place = id as usize - 1;
    if let Some(sum) = known[place] {
        return sum;
    }
    let mut total = record.bubbles[place].expected_ns();
    if total.is_none() && depth < super::MAX_DEPTH {
        for entity in below.get(&id).into_iter().flatten() {
            let more = match entity {
                Entity::Thread(utid) => record.expected_ns.get(utid).copied(),
                Entity::Bubble(inner) => sum(*inner, record, below, known, depth + 1),
            };
            total = more.map_or(total, |m| Some(total.unwrap_or(0).saturating_add(m)));
        }
    }
    known[place] = Some(total);
    total
}

/// Read the long tables once.
fn add_activity(input: &mut Tables, stats: &mut Stats<'_>) -> Result<(), BubbleError> {
    input.each(tables::cpu_slice::NAME, |batch| {
        let v = tables::cpu_slice::View::try_new(&batch)?;
        for i in 0..v.len() {
            let row = v.row(i);
            if let Some(utid) = row.utid.filter(|utid| *utid != 0) {
                stats.add_run(utid, row.cpu, row.start_ns, row.start_ns.saturating_add(row.dur_ns));
            }
        }
        Ok(())
    })?;
    input.each(tables::thread_state::NAME, |batch| {
        let v = tables::thread_state::View::try_new(&batch)?;
        for i in 0..v.len() {
            let row = v.row(i);
            if matches!(row.phase, thread_phase::RUNNABLE | thread_phase::PREEMPTED) {
                stats.add_wait(row.utid, row.start_ns, row.start_ns.saturating_add(row.dur_ns));
            }
        }
        Ok(())
    })?;
    input.each(tables::migration::NAME, |batch| {
        let v = tables::migration::View::try_new(&batch)?;
        for r in (0..v.len()).map(|i| v.row(i)) {
            stats.add_migration(r.utid, r.ts_ns, r.orig_cpu, r.dest_cpu);
        }
        Ok(())
    })?;
    input.each(tables::perf_counter::NAME, |batch| {
        let v = tables::perf_counter::View::try_new(&batch)?;
        for r in (0..v.len()).map(|i| v.row(i)).filter(|r| r.counter == CACHE_MISSES) {
            stats.add_cache_misses(r.tid, r.ts_ns, r.value);
        }
        Ok(())
    })
}

fn write_members(members: &[Member], sink: &mut dyn Sink) -> Result<(), BubbleError> {
    let mut out = tables::bubble_member::Builder::default();
    for chunk in members.chunks(BATCH_ROWS) {
        for m in chunk {
            let (utid, member_id) = columns(m.entity);
            let (bubble_id, start_ns, end_ns) = (m.bubble, m.start_ns, m.end_ns);
            out.push(&tables::bubble_member::Row { bubble_id, utid, member_id, start_ns, end_ns });
        }
        emit(sink, tables::bubble_member::NAME, out.finish())?;
    }
    Ok(())
}

fn write_intervals(intervals: &[HolderInterval], sink: &mut dyn Sink) -> Result<(), BubbleError> {
    let mut out = tables::entity_holder::Builder::default();
    for chunk in intervals.chunks(BATCH_ROWS) {
        for s in chunk {
            out.push(&row(s));
        }
        emit(sink, tables::entity_holder::NAME, out.finish())?;
    }
    Ok(())
}

fn inconsistencies(record: &Record) -> RecordBatch {
    let mut out = tables::data_quality::Builder::default();
    for (what, count) in &record.inconsistencies {
        out.push(&tables::data_quality::Row {
            what: "bubble",
            detail: Some(what.name()),
            cpu: None,
            start_ns: Some(count.first_ns),
            end_ns: Some(count.last_ns),
            value: count.times,
        });
    }
    out.finish()
}
