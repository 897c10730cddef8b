//! The events of declared bubbles applied one by one: what belongs to what, and what holds it.
//!
//! After any sequence every entity is in exactly one holder and nothing holds itself; inconsistent events are repaired as
//! `docs/semantics.md` says and counted.

mod apply;
mod event;
mod relations;

pub use event::{BubbleEvent, Inconsistency, InconsistencyCount};

use super::{Entity, Holder, HolderInterval, Member, Parts};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, BinaryHeap, HashMap};
use wastenot_schemas::{bubble_event_kind as kind, bubble_state, holder};

/// End of what has not ended.
const OPEN: i64 = i64::MAX;

/// What threads and bubbles have in common.
#[derive(Clone, Debug)]
struct Body {
    belongs: Option<i32>,
    belongs_since: i64,
    holder: Holder,
    priority: Option<i32>,
    expected_ns: Option<i64>,
    /// Its interval under way, in `intervals`; None when it has ended.
    interval: Option<usize>,
}

impl Body {
    fn new() -> Self {
        let (belongs, priority, expected_ns) = (None, None, None);
        Self { belongs, belongs_since: 0, holder: Holder::Outside, priority, expected_ns, interval: None }
    }
}

/// A declared bubble.
#[derive(Clone, Debug)]
#[allow(missing_docs)]
pub struct DeclaredBubble {
    pub number: i64,
    pub tgid: Option<i32>,
    pub name: Option<Box<str>>,
    /// A code of `bubble_state`.
    pub state: u8,
    /// A code of `holder`.
    pub burst_level: Option<u8>,
    pub slice_ns: Option<i64>,
    pub start_ns: i64,
    pub end_ns: Option<i64>,
    pub bursts: i64,
    pub regenerations: i64,
    /// The bubble it belonged to last.
    pub last_parent: Option<i32>,
    body: Body,
    members: BTreeSet<Entity>,
    holds: BTreeSet<Entity>,
}

impl DeclaredBubble {
    /// Its last priority.
    pub fn priority(&self) -> Option<i32> {
        self.body.priority
    }

    /// Its declared CPU time, ns.
    pub fn expected_ns(&self) -> Option<i64> {
        self.body.expected_ns
    }
}

/// The state of all declared bubbles, and the record of its changes.
#[derive(Debug)]
pub struct Model {
    parts: Parts,
    /// By `bubble_id` - 1.
    bubbles: Vec<DeclaredBubble>,
    threads: BTreeMap<i32, Body>,
    by_number: HashMap<(Option<i32>, i64), i32>,
    /// When entities end by the kernel's events.
    thread_ends: BinaryHeap<Reverse<(i64, i32)>>,
    process_ends: BinaryHeap<Reverse<(i64, i32)>>,
    now: i64,
    event: Option<i64>,
    intervals: Vec<HolderInterval>,
    members: Vec<Member>,
    inconsistencies: BTreeMap<Inconsistency, InconsistencyCount>,
}

/// What a model leaves at the end of a trace.
#[derive(Debug)]
pub struct Record {
    /// By `bubble_id` - 1.
    pub bubbles: Vec<DeclaredBubble>,
    /// In the order of their starts.
    pub intervals: Vec<HolderInterval>,
    /// In the order in which they ended.
    pub members: Vec<Member>,
    /// What had to be repaired.
    pub inconsistencies: BTreeMap<Inconsistency, InconsistencyCount>,
    /// Declared CPU time of threads, by utid, ns.
    pub expected_ns: BTreeMap<i32, i64>,
}

impl Model {
    /// No event yet. Bubbles get the ids 1, 2 and so on.
    pub fn new(parts: Parts) -> Self {
        Self {
            parts,
            bubbles: Vec::new(),
            threads: BTreeMap::new(),
            by_number: HashMap::new(),
            thread_ends: BinaryHeap::new(),
            process_ends: BinaryHeap::new(),
            now: i64::MIN,
            event: None,
            intervals: Vec::new(),
            members: Vec::new(),
            inconsistencies: BTreeMap::new(),
        }
    }

    /// A thread's last switch, given when it becomes an entity; it leaves then.
    pub fn thread_ends(&mut self, utid: i32, end_ns: i64) {
        self.thread_ends.push(Reverse((end_ns, utid)));
    }

    /// A process that has declared bubbles ends.
    pub fn process_ends(&mut self, tgid: i32, end_ns: i64) {
        self.process_ends.push(Reverse((end_ns, tgid)));
    }

    /// The thread is an entity already.
    pub fn knows(&self, utid: i32) -> bool {
        self.threads.contains_key(&utid)
    }

    /// Everything that is held now, with its holder.
    pub fn holders(&self) -> impl Iterator<Item = (Entity, Holder)> {
        let threads = self.threads.iter().filter(|(_, b)| b.interval.is_some());
        let bubbles = (1..).zip(&self.bubbles).filter(|(_, b)| b.body.interval.is_some());
        threads
            .map(|(utid, b)| (Entity::Thread(*utid), b.holder))
            .chain(bubbles.map(|(id, b)| (Entity::Bubble(id), b.body.holder)))
    }

    /// What a bubble holds now.
    pub fn held_by(&self, bubble: i32) -> &BTreeSet<Entity> {
        &self.bubble(bubble).holds
    }

    /// What belongs to a bubble now.
    pub fn members_of(&self, bubble: i32) -> &BTreeSet<Entity> {
        &self.bubble(bubble).members
    }

    /// The bubble of this id.
    pub fn bubble(&self, id: i32) -> &DeclaredBubble {
        &self.bubbles[id as usize - 1]
    }

    /// What was repaired so far.
    pub fn inconsistencies(&self) -> &BTreeMap<Inconsistency, InconsistencyCount> {
        &self.inconsistencies
    }

    /// Count an inconsistency.
    pub fn flag(&mut self, what: Inconsistency) {
        let now = self.now;
        let count =
            self.inconsistencies.entry(what).or_insert(InconsistencyCount { times: 0, first_ns: now, last_ns: now });
        count.times += 1;
        count.last_ns = now;
    }

    /// Advance the time; threads and processes that end before `ts_ns` leave. A time before the current one is ignored.
    pub fn reach(&mut self, ts_ns: i64) {
        loop {
            let thread = self.thread_ends.peek().map(|Reverse((end, _))| *end);
            let process = self.process_ends.peek().map(|Reverse((end, _))| *end);
            let next = thread.unwrap_or(OPEN).min(process.unwrap_or(OPEN));
            if next >= ts_ns {
                break;
            }
            self.now = self.now.max(next);
            self.event = None;
            if thread == Some(next) {
                let Some(Reverse((_, utid))) = self.thread_ends.pop() else { break };
                self.end(Entity::Thread(utid));
            } else {
                let Some(Reverse((_, tgid))) = self.process_ends.pop() else { break };
                let ids = (1..=self.bubbles.len() as i32).filter(|id| self.bubble(*id).tgid == Some(tgid));
                for id in ids.collect::<Vec<_>>() {
                    self.destroy(id);
                }
            }
        }
        self.now = self.now.max(ts_ns);
    }

    /// Apply the next event.
    pub fn apply(&mut self, event: &BubbleEvent<'_>) {
        self.reach(event.ts_ns);
        self.event = Some(event.id);
        if event.kind == kind::INIT {
            return self.init(event);
        }
        let Some(entity) = self.entity(event) else { return };
        match event.kind {
            kind::ATTACH => {
                if let Entity::Thread(utid) = entity {
                    self.attach(utid, event);
                }
            }
            kind::INSERT_THREAD | kind::INSERT_BUBBLE => self.insert(entity, event),
            kind::REMOVE => self.remove(entity, event),
            kind::WAKE => {
                if self.body(entity).holder == Holder::Outside {
                    let to = self.runqueue(event).unwrap_or(Holder::MACHINE);
                    self.hold(entity, to);
                }
            }
            kind::PRIORITY => match event.value {
                Some(value) => {
                    self.body_mut(entity).priority = Some(value.clamp(i32::MIN.into(), i32::MAX.into()) as i32);
                    self.note(entity);
                }
                None => self.flag(Inconsistency::Incomplete),
            },
            kind::EXPECT => match event.value {
                Some(value) => self.body_mut(entity).expected_ns = Some(value.max(0)),
                None => self.flag(Inconsistency::Incomplete),
            },
            kind::MOVE => self.shift(entity, event),
            _ => match entity {
                Entity::Bubble(id) => self.apply_to_bubble(id, event),
                Entity::Thread(_) => self.flag(Inconsistency::Incomplete),
            },
        }
    }

    fn apply_to_bubble(&mut self, id: i32, event: &BubbleEvent<'_>) {
        match event.kind {
            kind::BURST_LEVEL => match event.holder.filter(|h| (holder::MACHINE..=holder::CPU).contains(h)) {
                Some(level) => self.bubble_mut(id).burst_level = Some(level),
                None => self.flag(Inconsistency::Incomplete),
            },
            kind::SLICE => self.bubble_mut(id).slice_ns = event.value.or(self.bubble(id).slice_ns),
            kind::BURST => self.burst(id, event),
            kind::REGENERATE => {
                if self.bubble(id).state == bubble_state::BURST {
                    self.bubble_mut(id).state = bubble_state::REGENERATING;
                    self.note(Entity::Bubble(id));
                } else if !event.snapshot {
                    self.flag(Inconsistency::NotBurst);
                }
            }
            kind::CLOSE => {
                if self.bubble(id).state == bubble_state::CLOSED {
                    if !event.snapshot {
                        self.flag(Inconsistency::NotBurst);
                    }
                    return;
                }
                self.close(id);
                if let Some(to) = self.runqueue(event) {
                    self.hold(Entity::Bubble(id), to);
                }
            }
            kind::DESTROY => self.destroy(id),
            _ => self.flag(Inconsistency::Incomplete),
        }
    }

    /// Everything up to `end_ns`, for the tables.
    pub fn finish(mut self, end_ns: i64) -> Record {
        self.reach(end_ns);
        let end_ns = self.now.max(end_ns);
        for interval in self.intervals.iter_mut().filter(|s| s.end_ns == OPEN) {
            interval.end_ns = end_ns;
        }
        let all = self.threads.iter().map(|(utid, b)| (Entity::Thread(*utid), b));
        let all = all.chain((1..).zip(&self.bubbles).map(|(id, b)| (Entity::Bubble(id), &b.body)));
        for (entity, body) in all {
            if let Some(bubble) = body.belongs {
                self.members.push(Member { bubble, entity, start_ns: body.belongs_since, end_ns });
            }
        }
        let expected_ns = self.threads.iter().filter_map(|(utid, b)| Some((*utid, b.expected_ns?))).collect();
        let Self { bubbles, intervals, members, inconsistencies, .. } = self;
        Record { bubbles, intervals, members, inconsistencies, expected_ns }
    }
}
