//! Where everything is at an instant, and what changes between two, from the rows of `entity_holder`.
//!
//! Stays lie in the order of their begins. Every so often a *keyframe* lists those that are under way, so that the state at
//! an instant is a search for the keyframe before it and a short walk: O(log n) beside what is answered. The stays of one entity
//! are found by its own list, again by search.

use super::{Entity, Holder, Stay};
use std::collections::{BTreeMap, HashMap};

/// Stays from one keyframe to the next, at least; where more are under way, as many as those.
const KEYFRAME: usize = 1024;

/// Something changes its place, its state or its priority, begins or ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Change {
    /// When, ns.
    pub ts_ns: i64,
    /// Who.
    pub entity: Entity,
    /// The stay that ends; None for the first.
    pub from: Option<Stay>,
    /// The stay that begins; None when the entity ends.
    pub to: Option<Stay>,
}

struct Keyframe {
    /// Stays before this place have been walked.
    at: usize,
    under_way: Vec<u32>,
}

/// All stays of a trace, ready to be asked.
pub struct Timeline {
    stays: Vec<Stay>,
    /// Per entity its stays in order, as a range of `in_order`.
    of: HashMap<Entity, (u32, u32)>,
    in_order: Vec<u32>,
    /// Per stay the one of the same entity before it; `u32::MAX` for the first.
    before: Vec<u32>,
    keyframes: Vec<Keyframe>,
    /// Last stays of entities that end within the trace, by end.
    ends: Vec<u32>,
    /// End of the last stay.
    end_ns: i64,
}

impl Timeline {
    /// Of stays in the order in which they began, those of one entity without a gap.
    pub fn new(stays: Vec<Stay>) -> Self {
        let mut order: BTreeMap<Entity, Vec<u32>> = BTreeMap::new();
        for (i, stay) in (0_u32..).zip(&stays) {
            order.entry(stay.entity).or_default().push(i);
        }
        let mut before = vec![u32::MAX; stays.len()];
        let (mut of, mut in_order) = (HashMap::with_capacity(order.len()), Vec::with_capacity(stays.len()));
        let end_ns = stays.iter().map(|s| s.end_ns).max().unwrap_or(0);
        let mut ends = Vec::new();
        for (entity, mine) in order {
            let from = in_order.len() as u32;
            mine.windows(2).for_each(|pair| before[pair[1] as usize] = pair[0]);
            ends.extend(mine.last().copied().filter(|last| stays[*last as usize].end_ns < end_ns));
            in_order.extend(mine);
            of.insert(entity, (from, in_order.len() as u32));
        }
        ends.sort_by_key(|i| (stays[*i as usize].end_ns, *i));
        let keyframes = keyframes(&stays);
        Self { stays, of, in_order, before, keyframes, ends, end_ns }
    }

    /// End of the last stay, ns.
    pub fn end_ns(&self) -> i64 {
        self.end_ns
    }

    /// All stays, in the order in which they began.
    pub fn stays(&self) -> &[Stay] {
        &self.stays
    }

    /// Where one entity is; None before its first event and after its end.
    pub fn of(&self, entity: Entity, at_ns: i64) -> Option<Stay> {
        let mine = self.list(entity);
        let next = mine.partition_point(|i| self.stays[*i as usize].start_ns <= at_ns);
        let stay = self.stays[mine[next.checked_sub(1)?] as usize];
        self.is_under_way(&stay, at_ns).then_some(stay)
    }

    /// Everything there is at an instant, in the order of the entities. The last instant of the trace still has its state.
    pub fn state(&self, at_ns: i64) -> Vec<Stay> {
        // Stays that begin before the keyframe's place begin no later than the stay at that place.
        let frame = self.keyframes.partition_point(|k| self.stays.get(k.at).is_some_and(|s| s.start_ns <= at_ns));
        let none = Keyframe { at: 0, under_way: Vec::new() };
        let frame = frame.checked_sub(1).map_or(&none, |i| &self.keyframes[i]);
        let mut latest: HashMap<Entity, u32> = HashMap::with_capacity(frame.under_way.len());
        let walked = self.stays[frame.at..].partition_point(|s| s.start_ns <= at_ns);
        let begun = frame.at as u32..(frame.at + walked) as u32;
        for i in frame.under_way.iter().copied().chain(begun) {
            latest.insert(self.stays[i as usize].entity, i);
        }
        let mut out: Vec<Stay> = latest.into_values().map(|i| self.stays[i as usize]).collect();
        out.retain(|s| self.is_under_way(s, at_ns));
        out.sort_unstable_by_key(|s| s.entity);
        out
    }

    /// What changes from `start_ns` up to `end_ns` (not part of it), in order, at most `limit`; and whether that was all.
    /// Ends stand after what begins at the same instant.
    pub fn changes(&self, start_ns: i64, end_ns: i64, limit: usize) -> (Vec<Change>, bool) {
        let mut begin = self.stays.partition_point(|s| s.start_ns < start_ns);
        let mut end = self.ends.partition_point(|i| self.stays[*i as usize].end_ns < start_ns);
        let mut out = Vec::new();
        loop {
            let begins = self.stays.get(begin).map(|s| s.start_ns).filter(|ts| *ts < end_ns);
            let ends = self.ends.get(end).map(|i| self.stays[*i as usize].end_ns).filter(|ts| *ts < end_ns);
            if begins.is_none() && ends.is_none() {
                return (out, true);
            }
            if out.len() == limit {
                return (out, false);
            }
            if begins.is_some_and(|b| ends.is_none_or(|e| b <= e)) {
                let to = self.stays[begin];
                let from = self.stays.get(self.before[begin] as usize).copied();
                out.push(Change { ts_ns: to.start_ns, entity: to.entity, from, to: Some(to) });
                begin += 1;
            } else {
                let from = self.stays[self.ends[end] as usize];
                out.push(Change { ts_ns: from.end_ns, entity: from.entity, from: Some(from), to: None });
                end += 1;
            }
        }
    }

    /// The runqueue over an entity, through whatever bubbles hold it, from `start_ns` to `end_ns`: calls `visit(from, to,
    /// holder)` for each piece, in order.
    pub fn runqueues(&self, entity: Entity, start_ns: i64, end_ns: i64, visit: &mut dyn FnMut(i64, i64, Holder)) {
        self.pieces(entity, start_ns, end_ns, 0, visit);
    }

    fn pieces(&self, entity: Entity, start: i64, end: i64, depth: usize, visit: &mut dyn FnMut(i64, i64, Holder)) {
        let mine = self.list(entity);
        let first = mine.partition_point(|i| self.stays[*i as usize].end_ns <= start);
        for stay in mine[first..].iter().map(|i| self.stays[*i as usize]).take_while(|s| s.start_ns < end) {
            let (from, to) = (stay.start_ns.max(start), stay.end_ns.min(end));
            match stay.holder {
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

    fn is_under_way(&self, stay: &Stay, at_ns: i64) -> bool {
        stay.start_ns <= at_ns && (at_ns < stay.end_ns || at_ns == stay.end_ns && at_ns == self.end_ns)
    }
}

fn keyframes(stays: &[Stay]) -> Vec<Keyframe> {
    let mut out = Vec::new();
    let mut latest: HashMap<Entity, u32> = HashMap::new();
    let mut since = 0;
    for (i, stay) in stays.iter().enumerate() {
        // Only between different instants: a keyframe is the state before the instant of the stay that follows it.
        if since >= KEYFRAME.max(latest.len()) && stays[i - 1].start_ns < stay.start_ns {
            latest.retain(|_, at| stays[*at as usize].end_ns >= stay.start_ns);
            out.push(Keyframe { at: i, under_way: latest.values().copied().collect() });
            since = 0;
        }
        latest.insert(stay.entity, i as u32);
        since += 1;
    }
    out
}
