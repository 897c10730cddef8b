//! The events of declared bubbles applied one by one: what belongs to what, and what holds it.
//!
//! Whatever comes, every entity is in exactly one holder and nothing holds itself; what cannot be is repaired as
//! `docs/semantics.md` says and counted.

use super::{Entity, Holder, MAX_DEPTH, Member, Part, Parts, Stay};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, BinaryHeap, HashMap};
use wastenot_schemas::{bubble_event_kind as kind, bubble_state, holder};

/// Holders above an entity that are looked at before it counts as a cycle.
const MOST_HOLDERS: usize = 1024;
/// End of what has not ended.
const OPEN: i64 = i64::MAX;

/// An event, its thread already found.
#[derive(Clone, Copy, Debug, Default)]
pub struct Told<'a> {
    /// Its id and time.
    pub id: i64,
    /// See `id`.
    pub ts_ns: i64,
    /// Whose numbers of bubbles these are.
    pub tgid: Option<i32>,
    /// A code of `bubble_event_kind`.
    pub kind: u8,
    /// The bubble that is the entity, by number.
    pub bubble: Option<i64>,
    /// The thread that is the entity, by utid.
    pub utid: Option<i32>,
    /// A code of `holder`, and its number.
    pub holder: Option<u8>,
    /// See `holder`.
    pub holder_id: Option<i64>,
    /// See the table.
    pub value: Option<i64>,
    /// Name of the bubble.
    pub name: Option<&'a str>,
    /// Told by a state dump.
    pub snapshot: bool,
}

/// Why an event could not stand as it was.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[allow(missing_docs)] // docs/semantics.md has them by these names
pub enum Broken {
    UnknownBubble,
    InitTwice,
    DestroyedBubble,
    EndedThread,
    Cycle,
    TooDeep,
    TwoHolders,
    NotMember,
    NoSuchRunqueue,
    BurstTwice,
    NotBurst,
    BurstInside,
    IntoBurst,
    Refused,
    Incomplete,
}

impl Broken {
    /// Name in the trust block.
    pub fn name(self) -> &'static str {
        match self {
            Self::UnknownBubble => "unknown_bubble",
            Self::InitTwice => "init_twice",
            Self::DestroyedBubble => "destroyed_bubble",
            Self::EndedThread => "ended_thread",
            Self::Cycle => "cycle",
            Self::TooDeep => "too_deep",
            Self::TwoHolders => "two_holders",
            Self::NotMember => "not_member",
            Self::NoSuchRunqueue => "no_such_runqueue",
            Self::BurstTwice => "burst_twice",
            Self::NotBurst => "not_burst",
            Self::BurstInside => "burst_inside",
            Self::IntoBurst => "into_burst",
            Self::Refused => "refused",
            Self::Incomplete => "incomplete",
        }
    }
}

/// How often, and when first and last (ns).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub struct Count {
    pub times: i64,
    pub first_ns: i64,
    pub last_ns: i64,
}

/// What threads and bubbles have in common.
#[derive(Clone, Debug)]
struct Body {
    belongs: Option<i32>,
    belongs_since: i64,
    holder: Holder,
    priority: Option<i32>,
    expected_ns: Option<i64>,
    /// Its stay under way, in `stays`; None when it has ended.
    stay: Option<usize>,
}

impl Body {
    fn new() -> Self {
        let (belongs, priority, expected_ns) = (None, None, None);
        Self { belongs, belongs_since: 0, holder: Holder::Outside, priority, expected_ns, stay: None }
    }
}

/// A declared bubble.
#[derive(Clone, Debug)]
#[allow(missing_docs)]
pub struct Bubble {
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

impl Bubble {
    /// Its last priority.
    pub fn priority(&self) -> Option<i32> {
        self.body.priority
    }

    /// CPU time that it was said to need, ns.
    pub fn expected_ns(&self) -> Option<i64> {
        self.body.expected_ns
    }
}

/// The state of all declared bubbles, and the record of how it came about.
#[derive(Debug)]
pub struct Model {
    parts: Parts,
    /// By `bubble_id` - 1.
    bubbles: Vec<Bubble>,
    threads: BTreeMap<i32, Body>,
    by_number: HashMap<(Option<i32>, i64), i32>,
    /// When entities end by what the kernel's events say.
    thread_ends: BinaryHeap<Reverse<(i64, i32)>>,
    process_ends: BinaryHeap<Reverse<(i64, i32)>>,
    now: i64,
    event: Option<i64>,
    stays: Vec<Stay>,
    members: Vec<Member>,
    broken: BTreeMap<Broken, Count>,
}

/// What a model leaves at the end of a trace.
#[derive(Debug)]
pub struct Record {
    /// By `bubble_id` - 1.
    pub bubbles: Vec<Bubble>,
    /// In the order in which they began.
    pub stays: Vec<Stay>,
    /// In the order in which they ended.
    pub members: Vec<Member>,
    /// What had to be repaired.
    pub broken: BTreeMap<Broken, Count>,
    /// CPU time that threads were said to need, by utid, ns.
    pub expected_ns: BTreeMap<i32, i64>,
}

impl Model {
    /// Nothing told yet. Bubbles get the ids 1, 2 and so on.
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
            stays: Vec::new(),
            members: Vec::new(),
            broken: BTreeMap::new(),
        }
    }

    /// A thread's last switch, told when it becomes an entity; it leaves then.
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
        let threads = self.threads.iter().filter(|(_, b)| b.stay.is_some());
        let bubbles = (1..).zip(&self.bubbles).filter(|(_, b)| b.body.stay.is_some());
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
    pub fn bubble(&self, id: i32) -> &Bubble {
        &self.bubbles[id as usize - 1]
    }

    /// What was repaired so far.
    pub fn broken(&self) -> &BTreeMap<Broken, Count> {
        &self.broken
    }

    /// Count something that cannot be.
    pub fn flag(&mut self, what: Broken) {
        let now = self.now;
        let count = self.broken.entry(what).or_insert(Count { times: 0, first_ns: now, last_ns: now });
        count.times += 1;
        count.last_ns = now;
    }

    /// Let time pass; threads and processes that end before `ts_ns` leave. A clock that went back stands still.
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
    pub fn apply(&mut self, told: &Told<'_>) {
        self.reach(told.ts_ns);
        self.event = Some(told.id);
        if told.kind == kind::INIT {
            return self.init(told);
        }
        let Some(entity) = self.entity(told) else { return };
        match told.kind {
            kind::ATTACH => {
                if let Entity::Thread(utid) = entity {
                    self.attach(utid, told);
                }
            }
            kind::INSERT_THREAD | kind::INSERT_BUBBLE => self.insert(entity, told),
            kind::REMOVE => self.remove(entity, told),
            kind::WAKE => {
                if self.body(entity).holder == Holder::Outside {
                    let to = self.runqueue(told).unwrap_or(Holder::MACHINE);
                    self.hold(entity, to);
                }
            }
            kind::PRIORITY => match told.value {
                Some(value) => {
                    self.body_mut(entity).priority = Some(value.clamp(i32::MIN.into(), i32::MAX.into()) as i32);
                    self.note(entity);
                }
                None => self.flag(Broken::Incomplete),
            },
            kind::EXPECT => match told.value {
                Some(value) => self.body_mut(entity).expected_ns = Some(value.max(0)),
                None => self.flag(Broken::Incomplete),
            },
            kind::MOVE => self.shift(entity, told),
            _ => match entity {
                Entity::Bubble(id) => self.apply_to_bubble(id, told),
                Entity::Thread(_) => self.flag(Broken::Incomplete),
            },
        }
    }

    fn apply_to_bubble(&mut self, id: i32, told: &Told<'_>) {
        match told.kind {
            kind::BURST_LEVEL => match told.holder.filter(|h| (holder::MACHINE..=holder::CPU).contains(h)) {
                Some(level) => self.bubble_mut(id).burst_level = Some(level),
                None => self.flag(Broken::Incomplete),
            },
            kind::SLICE => self.bubble_mut(id).slice_ns = told.value.or(self.bubble(id).slice_ns),
            kind::BURST => self.burst(id, told),
            kind::REGENERATE => {
                if self.bubble(id).state == bubble_state::BURST {
                    self.bubble_mut(id).state = bubble_state::REGENERATING;
                    self.note(Entity::Bubble(id));
                } else if !told.snapshot {
                    self.flag(Broken::NotBurst);
                }
            }
            kind::CLOSE => {
                if self.bubble(id).state == bubble_state::CLOSED {
                    if !told.snapshot {
                        self.flag(Broken::NotBurst);
                    }
                    return;
                }
                self.close(id);
                if let Some(to) = self.runqueue(told) {
                    self.hold(Entity::Bubble(id), to);
                }
            }
            kind::DESTROY => self.destroy(id),
            _ => self.flag(Broken::Incomplete),
        }
    }

    /// Everything up to `end_ns`, as it is to be written.
    pub fn finish(mut self, end_ns: i64) -> Record {
        self.reach(end_ns);
        let end_ns = self.now.max(end_ns);
        for stay in self.stays.iter_mut().filter(|s| s.end_ns == OPEN) {
            stay.end_ns = end_ns;
        }
        let all = self.threads.iter().map(|(utid, b)| (Entity::Thread(*utid), b));
        let all = all.chain((1..).zip(&self.bubbles).map(|(id, b)| (Entity::Bubble(id), &b.body)));
        for (entity, body) in all {
            if let Some(bubble) = body.belongs {
                self.members.push(Member { bubble, entity, start_ns: body.belongs_since, end_ns });
            }
        }
        let expected_ns = self.threads.iter().filter_map(|(utid, b)| Some((*utid, b.expected_ns?))).collect();
        let Self { bubbles, stays, members, broken, .. } = self;
        Record { bubbles, stays, members, broken, expected_ns }
    }

    // ---- entities and holders that events name ---------------------------------------------------------------------

    fn init(&mut self, told: &Told<'_>) {
        let Some(number) = told.bubble else { return self.flag(Broken::Incomplete) };
        if let Some(&old) = self.by_number.get(&(told.tgid, number))
            && self.bubble(old).end_ns.is_none()
        {
            if told.snapshot {
                return;
            }
            self.flag(Broken::InitTwice);
            self.destroy(old);
        }
        self.make(told.tgid, number, told.name);
    }

    fn make(&mut self, tgid: Option<i32>, number: i64, name: Option<&str>) -> i32 {
        let id = self.bubbles.len() as i32 + 1;
        self.bubbles.push(Bubble {
            number,
            tgid,
            name: name.map(Into::into),
            state: bubble_state::CLOSED,
            burst_level: None,
            slice_ns: None,
            start_ns: self.now,
            end_ns: None,
            bursts: 0,
            regenerations: 0,
            last_parent: None,
            body: Body::new(),
            members: BTreeSet::new(),
            holds: BTreeSet::new(),
        });
        self.by_number.insert((tgid, number), id);
        self.begin(Entity::Bubble(id));
        id
    }

    /// The bubble of this number; one that nobody made is made now. None when it has ended.
    fn find(&mut self, tgid: Option<i32>, number: i64, snapshot: bool) -> Option<i32> {
        match self.by_number.get(&(tgid, number)) {
            Some(&id) if self.bubble(id).end_ns.is_none() => Some(id),
            Some(_) => {
                self.flag(Broken::DestroyedBubble);
                None
            }
            None => {
                if !snapshot {
                    self.flag(Broken::UnknownBubble);
                }
                Some(self.make(tgid, number, None))
            }
        }
    }

    /// The entity of an event, which exists afterwards; None when the event cannot be applied.
    fn entity(&mut self, told: &Told<'_>) -> Option<Entity> {
        match (told.bubble, told.utid) {
            (Some(number), None) => Some(Entity::Bubble(self.find(told.tgid, number, told.snapshot)?)),
            (None, Some(utid)) => {
                match self.threads.get(&utid) {
                    None => {
                        let mut body = Body::new();
                        body.holder = if told.kind == kind::ATTACH || told.kind == kind::INSERT_THREAD {
                            Holder::Outside // until the event has said where it goes
                        } else {
                            Holder::MACHINE
                        };
                        self.threads.insert(utid, body);
                        if told.kind != kind::ATTACH && told.kind != kind::INSERT_THREAD {
                            self.begin(Entity::Thread(utid));
                        }
                    }
                    Some(body) if body.stay.is_none() => {
                        if told.kind != kind::REMOVE {
                            self.flag(Broken::EndedThread);
                        }
                        return None;
                    }
                    Some(_) => {}
                }
                Some(Entity::Thread(utid))
            }
            _ => {
                self.flag(Broken::Incomplete);
                None
            }
        }
    }

    /// The runqueue that an event names; the machine's for one that the machine does not have.
    fn runqueue(&mut self, told: &Told<'_>) -> Option<Holder> {
        let level = told.holder.filter(|h| *h >= holder::MACHINE)?;
        let part = Part { level, id: told.holder_id.and_then(|id| i32::try_from(id).ok()).unwrap_or(0) };
        if level > holder::ASIDE || !self.parts.has(part) {
            self.flag(Broken::NoSuchRunqueue);
            return Some(Holder::MACHINE);
        }
        Some(Holder::Runqueue(part))
    }

    /// The bubble that an event names as the holder.
    fn holding_bubble(&mut self, told: &Told<'_>) -> Option<i32> {
        match (told.holder, told.holder_id) {
            (Some(holder::BUBBLE), Some(number)) => self.find(told.tgid, number, told.snapshot),
            _ => {
                self.flag(Broken::Incomplete);
                None
            }
        }
    }

    // ---- what events do --------------------------------------------------------------------------------------------

    fn attach(&mut self, utid: i32, told: &Told<'_>) {
        let entity = Entity::Thread(utid);
        if self.body(entity).stay.is_none() {
            self.body_mut(entity).holder = self.runqueue(told).unwrap_or(Holder::MACHINE);
            self.begin(entity);
        }
    }

    fn insert(&mut self, entity: Entity, told: &Told<'_>) {
        let into = self.holding_bubble(told);
        let refused = match into {
            None => true,
            Some(into) => {
                let cycle = self.is_inside(into, entity) || self.belongs_below(into, entity);
                let deep = !cycle && self.depth(into) + 1 + self.height(entity) > MAX_DEPTH;
                if cycle {
                    self.flag(Broken::Cycle);
                } else if deep {
                    self.flag(Broken::TooDeep);
                }
                cycle || deep
            }
        };
        let new = self.body(entity).stay.is_none();
        let Some(into) = into.filter(|_| !refused) else {
            if new {
                self.body_mut(entity).holder = Holder::MACHINE;
                self.begin(entity);
            }
            return;
        };
        let before = self.body(entity).belongs;
        if before.is_some_and(|b| b != into) && !told.snapshot {
            self.flag(Broken::TwoHolders);
        }
        if before == Some(into) && told.snapshot {
            return;
        }
        let bubble = self.bubble(into);
        let to = if bubble.state == bubble_state::BURST { bubble.body.holder } else { Holder::Bubble(into) };
        if new {
            self.body_mut(entity).holder = to;
            if let Holder::Bubble(b) = to {
                self.bubble_mut(b).holds.insert(entity);
            }
            self.begin(entity);
        } else {
            self.hold(entity, to);
        }
        self.belong(entity, Some(into));
    }

    fn remove(&mut self, entity: Entity, told: &Told<'_>) {
        let belongs = self.body(entity).belongs;
        let from = match told.holder {
            Some(holder::BUBBLE) => {
                let number = told.holder_id.unwrap_or(0);
                self.by_number.get(&(told.tgid, number)).copied()
            }
            _ => belongs,
        };
        if belongs.is_none() || from != belongs {
            return self.flag(Broken::NotMember);
        }
        self.belong(entity, None);
        if let Holder::Bubble(b) = self.body(entity).holder {
            let above = self.above(b);
            self.hold(entity, above);
        }
    }

    fn shift(&mut self, entity: Entity, told: &Told<'_>) {
        match told.holder {
            None => self.flag(Broken::Incomplete),
            Some(holder::OUTSIDE) => self.hold(entity, Holder::Outside),
            Some(holder::BUBBLE) => {
                let Some(into) = self.holding_bubble(told) else { return };
                if self.is_inside(into, entity) {
                    return self.flag(Broken::Cycle);
                }
                if self.bubble(into).state == bubble_state::BURST {
                    self.flag(Broken::IntoBurst);
                    let to = self.bubble(into).body.holder;
                    return self.hold(entity, to);
                }
                self.hold(entity, Holder::Bubble(into));
            }
            Some(_) => {
                if let Some(to) = self.runqueue(told) {
                    self.hold(entity, to);
                }
            }
        }
    }

    fn burst(&mut self, id: i32, told: &Told<'_>) {
        let entity = Entity::Bubble(id);
        if self.bubble(id).state == bubble_state::BURST {
            if !told.snapshot {
                self.flag(Broken::BurstTwice);
            }
            return;
        }
        let on = match (self.runqueue(told), self.body(entity).holder) {
            (Some(told), _) => told,
            (None, Holder::Runqueue(part)) => Holder::Runqueue(part),
            (None, inside) => {
                if !told.snapshot {
                    self.flag(Broken::BurstInside);
                }
                let above = if let Holder::Bubble(b) = inside { self.above(b) } else { Holder::Outside };
                if above == Holder::Outside { Holder::MACHINE } else { above }
            }
        };
        self.hold(entity, on);
        self.bubble_mut(id).state = bubble_state::BURST;
        self.bubble_mut(id).bursts += 1;
        self.note(entity);
        for held in self.bubble(id).holds.clone() {
            self.hold(held, on);
        }
    }

    /// Bring everything back that belongs to it. Nesting is bounded, and so is the recursion.
    fn close(&mut self, id: i32) {
        for member in self.bubble(id).members.clone() {
            if let Entity::Bubble(inner) = member
                && self.bubble(inner).state != bubble_state::CLOSED
            {
                self.close(inner);
            }
            if self.is_inside(id, member) {
                self.flag(Broken::Cycle);
            } else {
                self.hold(member, Holder::Bubble(id));
            }
        }
        self.bubble_mut(id).state = bubble_state::CLOSED;
        self.bubble_mut(id).regenerations += 1;
        self.note(Entity::Bubble(id));
    }

    fn destroy(&mut self, id: i32) {
        if self.bubble(id).end_ns.is_some() {
            return;
        }
        let holder = self.bubble(id).body.holder;
        for member in self.bubble(id).members.clone() {
            self.belong(member, None);
        }
        for held in self.bubble(id).holds.clone() {
            self.hold(held, holder);
        }
        self.end(Entity::Bubble(id));
        self.bubble_mut(id).end_ns = Some(self.now);
    }

    // ---- the two relations -----------------------------------------------------------------------------------------

    fn bubble_mut(&mut self, id: i32) -> &mut Bubble {
        &mut self.bubbles[id as usize - 1]
    }

    fn body(&self, entity: Entity) -> &Body {
        match entity {
            Entity::Thread(utid) => &self.threads[&utid],
            Entity::Bubble(id) => &self.bubble(id).body,
        }
    }

    fn body_mut(&mut self, entity: Entity) -> &mut Body {
        match entity {
            Entity::Thread(utid) => self.threads.get_mut(&utid).expect("an entity is known"),
            Entity::Bubble(id) => &mut self.bubble_mut(id).body,
        }
    }

    fn hold(&mut self, entity: Entity, to: Holder) {
        let from = self.body(entity).holder;
        if from == to {
            return;
        }
        if let Holder::Bubble(b) = from {
            self.bubble_mut(b).holds.remove(&entity);
        }
        if let Holder::Bubble(b) = to {
            self.bubble_mut(b).holds.insert(entity);
        }
        self.body_mut(entity).holder = to;
        self.note(entity);
    }

    fn belong(&mut self, entity: Entity, to: Option<i32>) {
        let (from, since, now) = (self.body(entity).belongs, self.body(entity).belongs_since, self.now);
        if from == to {
            return;
        }
        if let Some(bubble) = from {
            self.bubble_mut(bubble).members.remove(&entity);
            self.members.push(Member { bubble, entity, start_ns: since, end_ns: now });
        }
        if let Some(bubble) = to {
            self.bubble_mut(bubble).members.insert(entity);
            if let Entity::Bubble(id) = entity {
                self.bubble_mut(id).last_parent = Some(bubble);
            }
        }
        let body = self.body_mut(entity);
        (body.belongs, body.belongs_since) = (to, now);
    }

    /// The nearest runqueue above a bubble, or outside.
    fn above(&self, bubble: i32) -> Holder {
        let mut at = bubble;
        loop {
            match self.bubble(at).body.holder {
                Holder::Bubble(next) => at = next,
                other => return other,
            }
        }
    }

    /// `bubble` is `entity`, or somewhere inside it by what holds it.
    fn is_inside(&self, bubble: i32, entity: Entity) -> bool {
        let Entity::Bubble(outer) = entity else { return false };
        let mut at = bubble;
        for _ in 0..MOST_HOLDERS {
            if at == outer {
                return true;
            }
            match self.bubble(at).body.holder {
                Holder::Bubble(next) => at = next,
                _ => return false,
            }
        }
        true
    }

    /// `bubble` belongs to `entity`, directly or not.
    fn belongs_below(&self, bubble: i32, entity: Entity) -> bool {
        let Entity::Bubble(outer) = entity else { return false };
        std::iter::successors(Some(bubble), |b| self.bubble(*b).body.belongs).any(|b| b == outer)
    }

    fn depth(&self, bubble: i32) -> usize {
        std::iter::successors(self.bubble(bubble).body.belongs, |b| self.bubble(*b).body.belongs).count()
    }

    /// Levels of bubbles below an entity, itself counted when it is one.
    fn height(&self, entity: Entity) -> usize {
        match entity {
            Entity::Thread(_) => 0,
            Entity::Bubble(id) => 1 + self.bubble(id).members.iter().map(|m| self.height(*m)).max().unwrap_or(0),
        }
    }

    // ---- the record ------------------------------------------------------------------------------------------------

    fn stay_of(&self, entity: Entity) -> Stay {
        let body = self.body(entity);
        let state = if let Entity::Bubble(id) = entity { Some(self.bubble(id).state) } else { None };
        let (holder, priority) = (body.holder, body.priority);
        Stay { id: self.event, entity, holder, state, priority, start_ns: self.now, end_ns: OPEN }
    }

    fn begin(&mut self, entity: Entity) {
        let stay = self.stay_of(entity);
        self.stays.push(stay);
        self.body_mut(entity).stay = Some(self.stays.len() - 1);
    }

    /// Something about the entity may have changed: begin another stay if so.
    fn note(&mut self, entity: Entity) {
        let Some(at) = self.body(entity).stay else { return };
        let (old, new) = (self.stays[at], self.stay_of(entity));
        if (old.holder, old.state, old.priority) != (new.holder, new.state, new.priority) {
            self.stays[at].end_ns = self.now;
            self.begin(entity);
        }
    }

    fn end(&mut self, entity: Entity) {
        if let Entity::Thread(utid) = entity
            && !self.threads.contains_key(&utid)
        {
            return;
        }
        self.belong(entity, None);
        if let Holder::Bubble(b) = self.body(entity).holder {
            self.bubble_mut(b).holds.remove(&entity);
        }
        let now = self.now;
        if let Some(at) = self.body_mut(entity).stay.take() {
            self.stays[at].end_ns = now;
        }
    }
}
