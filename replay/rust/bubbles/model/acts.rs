//! What each event does, and the entities and holders that it names.

use super::super::{Entity, Holder, MAX_DEPTH, Part};
use super::{Body, Broken, Bubble, Model, Told};
use std::collections::BTreeSet;
use wastenot_schemas::{bubble_event_kind as kind, bubble_state, holder};

impl Model {
    pub(super) fn init(&mut self, told: &Told<'_>) {
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

    pub(super) fn make(&mut self, tgid: Option<i32>, number: i64, name: Option<&str>) -> i32 {
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
    pub(super) fn find(&mut self, tgid: Option<i32>, number: i64, snapshot: bool) -> Option<i32> {
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
    pub(super) fn entity(&mut self, told: &Told<'_>) -> Option<Entity> {
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
    pub(super) fn runqueue(&mut self, told: &Told<'_>) -> Option<Holder> {
        let level = told.holder.filter(|h| *h >= holder::MACHINE)?;
        let only_one = level == holder::MACHINE || level == holder::ASIDE;
        let id = told.holder_id.map_or(only_one.then_some(0), |id| i32::try_from(id).ok());
        let part = id.filter(|_| level <= holder::ASIDE).map(|id| Part { level, id }).filter(|p| self.parts.has(*p));
        if part.is_none() {
            self.flag(Broken::NoSuchRunqueue);
        }
        Some(part.map_or(Holder::MACHINE, Holder::Runqueue))
    }

    /// The bubble that an event names as the holder.
    pub(super) fn holding_bubble(&mut self, told: &Told<'_>) -> Option<i32> {
        match (told.holder, told.holder_id) {
            (Some(holder::BUBBLE), Some(number)) => self.find(told.tgid, number, told.snapshot),
            _ => {
                self.flag(Broken::Incomplete);
                None
            }
        }
    }

    pub(super) fn attach(&mut self, utid: i32, told: &Told<'_>) {
        let entity = Entity::Thread(utid);
        if self.body(entity).stay.is_none() {
            self.body_mut(entity).holder = self.runqueue(told).unwrap_or(Holder::MACHINE);
            self.begin(entity);
        }
    }

    pub(super) fn insert(&mut self, entity: Entity, told: &Told<'_>) {
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

    pub(super) fn remove(&mut self, entity: Entity, told: &Told<'_>) {
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

    pub(super) fn shift(&mut self, entity: Entity, told: &Told<'_>) {
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

    pub(super) fn burst(&mut self, id: i32, told: &Told<'_>) {
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
    pub(super) fn close(&mut self, id: i32) {
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

    pub(super) fn destroy(&mut self, id: i32) {
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
}
