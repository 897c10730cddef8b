//! Where everything is at an instant, and what changes between two, from the rows of `entity_holder`.
//!
//! Intervals are in the order of their starts. At regular distances a *keyframe* lists those that are under way, so
//! that the state at an instant is a search for the keyframe before it and a short walk: O(log n) plus the size of
//! the result. The intervals of one entity are found by its own list, again by search.

use super::{Entity, Holder, HolderInterval};
use std::collections::{BTreeMap, HashMap};

/// Intervals from one keyframe to the next, at least; where more are under way, as many as those.
const KEYFRAME: usize = 1024;

/// An entity changes its holder, state or priority, starts or ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Change {
    /// When, ns.
    pub ts_ns: i64,
    /// The entity.
    pub entity: Entity,
    /// The interval that ends; None for the first.
    pub from: Option<HolderInterval>,
    /// The interval that starts; None when the entity ends.
    pub to: Option<HolderInterval>,
}

struct Keyframe {
    /// Intervals before this place are covered.
    at: usize,
    under_way: Vec<u32>,
}

/// All intervals of a trace, indexed for queries.
pub struct Timeline {
    intervals: Vec<HolderInterval>,
    /// Per entity its intervals in order, as a range of `in_order`.
    of: HashMap<Entity, (u32, u32)>,
    in_order: Vec<u32>,
    /// Per interval the one of the same entity before it; `u32::MAX` for the first.
    before: Vec<u32>,
    keyframes: Vec<Keyframe>,
    /// Last intervals of entities that end within the trace, by end.
    ends: Vec<u32>,
    /// End of the last interval.
    end_ns: i64,
}

impl Timeline {
    /// From intervals in the order of their starts, those of one entity without a gap.
    pub fn new(intervals: Vec<HolderInterval>) -> Self {
        let mut order: BTreeMap<Entity, Vec<u32>> = BTreeMap::new();
        for (i, interval) in (0_u32..).zip(&intervals) {
            order.entry(interval.entity).or_default().push(i);
        }
        let mut before = vec![u32::MAX; intervals.len()];
        let (mut of, mut in_order) = (HashMap::with_capacity(order.len()), Vec::with_capacity(intervals.len()));
        let end_ns = intervals.iter().map(|s| s.end_ns).max().unwrap_or(0);
        let mut ends = Vec::new();
        for (entity, mine) in order {
            let from = in_order.len() as u32;
            mine.windows(2).for_each(|pair| before[pair[1] as usize] = pair[0]);
            ends.extend(mine.last().copied().filter(|last| intervals[*last as usize].end_ns < end_ns));
            in_order.extend(mine);
            of.insert(entity, (from, in_order.len() as u32));
        }
        ends.sort_by_key(|i| (intervals[*i as usize].end_ns, *i));
        let keyframes = keyframes(&intervals);
        Self { intervals, of, in_order, before, keyframes, ends, end_ns }
    }

    /// End of the last interval, ns.
    pub fn end_ns(&self) -> i64 {
        self.end_ns
    }

    /// All intervals, in the order of their starts.
    pub fn intervals(&self) -> &[HolderInterval] {
        &self.intervals
    }

    /// The interval of an entity at an instant; None before its first event and after its end.
    pub fn of(&self, entity: Entity, at_ns: i64) -> Option<HolderInterval> {
        let mine = self.list(entity);
        let next = mine.partition_point(|i| self.intervals[*i as usize].start_ns <= at_ns);
        let interval = self.intervals[mine[next.checked_sub(1)?] as usize];
        self.is_under_way(&interval, at_ns).then_some(interval)
    }

    /// The intervals of all entities at an instant, in the order of the entities. The end of the trace
    /// still has a state.
    pub fn state(&self, at_ns: i64) -> Vec<HolderInterval> {
        // Intervals before the keyframe's place start no later than the interval at that place.
        let frame = self.keyframes.partition_point(|k| self.intervals.get(k.at).is_some_and(|s| s.start_ns <= at_ns));
        let none = Keyframe { at: 0, under_way: Vec::new() };
        let frame = frame.checked_sub(1).map_or(&none, |i| &self.keyframes[i]);
        let mut latest: HashMap<Entity, u32> = HashMap::with_capacity(frame.under_way.len());
        let walked = self.intervals[frame.at..].partition_point(|s| s.start_ns <= at_ns);
        let started = frame.at as u32..(frame.at + walked) as u32;
        for i in frame.under_way.iter().copied().chain(started) {
            latest.insert(self.intervals[i as usize].entity, i);
        }
        let mut out: Vec<HolderInterval> = latest.into_values().map(|i| self.intervals[i as usize]).collect();
        out.retain(|s| self.is_under_way(s, at_ns));
        out.sort_unstable_by_key(|s| s.entity);
        out
    }

    /// What changes from `start_ns` up to `end_ns` (not part of it), in order, at most `limit`; and whether that was all.
    /// Ends sort after starts of the same instant.
    pub fn changes(&self, start_ns: i64, end_ns: i64, limit: usize) -> (Vec<Change>, bool) {
        let mut start = self.intervals.partition_point(|s| s.start_ns < start_ns);
        let mut end = self.ends.partition_point(|i| self.intervals[*i as usize].end_ns < start_ns);
        let mut out = Vec::new();
        loop {
            let starts = self.intervals.get(start).map(|s| s.start_ns).filter(|ts| *ts < end_ns);
            let ends = self.ends.get(end).map(|i| self.intervals[*i as usize].end_ns).filter(|ts| *ts < end_ns);
            if starts.is_none() && ends.is_none() {
                return (out, true);
            }
            if out.len() == limit {
                return (out, false);
            }
            if starts.is_some_and(|b| ends.is_none_or(|e| b <= e)) {
                let to = self.intervals[start];
                let from = self.intervals.get(self.before[start] as usize).copied();
                out.push(Change { ts_ns: to.start_ns, entity: to.entity, from, to: Some(to) });
                start += 1;
            } else {
                let from = self.intervals[self.ends[end] as usize];
                out.push(Change { ts_ns: from.end_ns, entity: from.entity, from: Some(from), to: None });
                end += 1;
            }
        }
    }

    /// The runqueue over an entity, through all bubbles that hold it, from `start_ns` to `end_ns`: calls `visit(from, to,
    /// holder)` for each piece, in order.
    pub fn runqueues(&self, entity: Entity, start_ns: i64, end_ns: i64, visit: &mut dyn FnMut(i64, i64, Holder)) {
        self.pieces(entity, start_ns, end_ns, 0, visit);
    }

    fn pieces(&self, entity: Entity, start: i64, end: i64, depth: usize, visit: &mut dyn FnMut(i64, i64, Holder)) {
        let mine = self.list(entity);
        let first = mine.partition_point(|i| self.intervals[*i as usize].end_ns <= start);
        for interval in mine[first..].iter().map(|i| self.intervals[*i as usize]).take_while(|s| s.start_ns < end) {
            let (from, to) = (interval.start_ns.max(start), interval.end_ns.min(end));
            match interval.holder {
                _ if from >= to => {}
                Holder::Bubble(b) if depth < super::MAX_DEPTH => {
                    self.pieces(Entity::Bubble(b), from, to, depth + 1, visit);
                }
                holder => visit(from, to, holder),
            }
        }
    }

    fn list(&self, entity: Entity) -> &[u32] {
        self.of.get(&entity).map_or(&[], |(from, to)| &self.in_order[*from as usize..*to as usize])
    }

    fn is_under_way(&self, interval: &HolderInterval, at_ns: i64) -> bool {
        interval.start_ns <= at_ns && (at_ns < interval.end_ns || at_ns == interval.end_ns && at_ns == self.end_ns)
    }
}

fn keyframes(intervals: &[HolderInterval]) -> Vec<Keyframe> {
    let mut out = Vec::new();
    let mut latest: HashMap<Entity, u32> = HashMap::new();
    let mut since = 0;
    for (i, interval) in intervals.iter().enumerate() {
        // Only between different instants: a keyframe is the state before the instant of the interval that follows it.
        if since >= KEYFRAME.max(latest.len()) && intervals[i - 1].start_ns < interval.start_ns {
            latest.retain(|_, at| intervals[*at as usize].end_ns >= interval.start_ns);
            out.push(Keyframe { at: i, under_way: latest.values().copied().collect() });
            since = 0;
        }
        latest.insert(interval.entity, i as u32);
        since += 1;
    }
    out
}
