//! What each event changes, and the entities and holders that it names.

use super::super::{Entity, Holder, MAX_DEPTH, Part};
use super::{Body, BubbleEvent, DeclaredBubble, Inconsistency, Model};
use std::collections::BTreeSet;
use wastenot_schemas::{bubble_event_kind as kind, bubble_state, holder};

impl Model {
    pub(super) fn init(&mut self, event: &BubbleEvent<'_>) {
        let Some(number) = event.bubble else { return self.flag(Inconsistency::Incomplete) };
        if let Some(&old) = self.by_number.get(&(event.tgid, number))
            && self.bubble(old).end_ns.is_none()
        {
            if event.snapshot {
                return;
            }
            self.flag(Inconsistency::InitTwice);
            self.destroy(old);
        }
        self.make(event.tgid, number, event.name);
    }

    pub(super) fn make(&mut self, tgid: Option<i32>, number: i64, name: Option<&str>) -> i32 {
        let id = self.bubbles.len() as i32 + 1;
        self.bubbles.push(DeclaredBubble {
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
        self.start_interval(Entity::Bubble(id));
        id
    }

    /// The bubble of this number, created now if no event did so. None when it has ended.
    pub(super) fn find(&mut self, tgid: Option<i32>, number: i64, snapshot: bool) -> Option<i32> {
        match self.by_number.get(&(tgid, number)) {
            Some(&id) if self.bubble(id).end_ns.is_none() => Some(id),
            Some(_) => {
                self.flag(Inconsistency::DestroyedBubble);
                None
            }
            None => {
                if !snapshot {
                    self.flag(Inconsistency::UnknownBubble);
                }
                Some(self.make(tgid, number, None))
            }
        }
    }

    /// The entity of an event, which exists afterwards; None when the event cannot be applied.
    pub(super) fn entity(&mut self, event: &BubbleEvent<'_>) -> Option<Entity> {
        match (event.bubble, event.utid) {
            (Some(number), None) => Some(Entity::Bubble(self.find(event.tgid, number, event.snapshot)?)),
            (None, Some(utid)) => {
                match self.threads.get(&utid) {
                    None => {
                        let mut body = Body::new();
                        body.holder = if event.kind == kind::ATTACH || event.kind == kind::INSERT_THREAD {
                            Holder::Outside // until the event names its holder
                        } else {
                            Holder::MACHINE
                        };
                        self.threads.insert(utid, body);
                        if event.kind != kind::ATTACH && event.kind != kind::INSERT_THREAD {
                            self.start_interval(Entity::Thread(utid));
                        }
                    }
                    Some(body) if body.interval.is_none() => {
                        if event.kind != kind::REMOVE {
                            self.flag(Inconsistency::EndedThread);
                        }
                        return None;
                    }
                    Some(_) => {}
                }
                Some(Entity::Thread(utid))
            }
            _ => {
                self.flag(Inconsistency::Incomplete);
                None
            }
        }
    }

    /// The runqueue that an event names; the machine's for one that the machine does not have.
    pub(super) fn runqueue(&mut self, event: &BubbleEvent<'_>) -> Option<Holder> {
        let level = event.holder.filter(|h| *h >= holder::MACHINE)?;
        let only_one = level == holder::MACHINE || level == holder::ASIDE;
        let id = event.holder_id.map_or(only_one.then_some(0), |id| i32::try_from(id).ok());
        let part = id.filter(|_| level <= holder::ASIDE).map(|id| Part { level, id }).filter(|p| self.parts.has(*p));
        if part.is_none() {
            self.flag(Inconsistency::NoSuchRunqueue);
        }
        Some(part.map_or(Holder::MACHINE, Holder::Runqueue))
    }

    /// The bubble that an event names as the holder.
    pub(super) fn holding_bubble(&mut self, event: &BubbleEvent<'_>) -> Option<i32> {
        match (event.holder, event.holder_id) {
            (Some(holder::BUBBLE), Some(number)) => self.find(event.tgid, number, event.snapshot),
            _ => {
                self.flag(Inconsistency::Incomplete);
                None
            }
        }
    }

    pub(super) fn attach(&mut self, utid: i32, event: &BubbleEvent<'_>) {
        let entity = Entity::Thread(utid);
        if self.body(entity).interval.is_none() {
            self.body_mut(entity).holder = self.runqueue(event).unwrap_or(Holder::MACHINE);
            self.start_interval(entity);
        }
    }

    pub(super) fn insert(&mut self, entity: Entity, event: &BubbleEvent<'_>) {
        let into = self.holding_bubble(event);
        let refused = match into {
            None => true,
            Some(into) => {
                let cycle = self.is_inside(into, entity) || self.belongs_below(into, entity);
                let deep = !cycle && self.depth(into) + 1 + self.height(entity) > MAX_DEPTH;
                if cycle {
                    self.flag(Inconsistency::Cycle);
                } else if deep {
                    self.flag(Inconsistency::TooDeep);
                }
                cycle || deep
            }
        };
        let new = self.body(entity).interval.is_none();
        let Some(into) = into.filter(|_| !refused) else {
            if new {
                self.body_mut(entity).holder = Holder::MACHINE;
                self.start_interval(entity);
            }
            return;
        };
        let before = self.body(entity).belongs;
        if before.is_some_and(|b| b != into) && !event.snapshot {
            self.flag(Inconsistency::TwoHolders);
        }
        if before == Some(into) && event.snapshot {
            return;
        }
        let bubble = self.bubble(into);
        let to = if bubble.state == bubble_state::BURST { bubble.body.holder } else { Holder::Bubble(into) };
        if new {
            self.body_mut(entity).holder = to;
            if let Holder::Bubble(b) = to {
                self.bubble_mut(b).holds.insert(entity);
            }
            self.start_interval(entity);
        } else {
            self.hold(entity, to);
        }
        self.belong(entity, Some(into));
    }

    pub(super) fn remove(&mut self, entity: Entity, event: &BubbleEvent<'_>) {
        let belongs = self.body(entity).belongs;
        let from = match event.holder {
            Some(holder::BUBBLE) => {
                let number = event.holder_id.unwrap_or(0);
                self.by_number.get(&(event.tgid, number)).copied()
            }
            _ => belongs,
        };
        if belongs.is_none() || from != belongs {
            return self.flag(Inconsistency::NotMember);
        }
        self.belong(entity, None);
        if let Holder::Bubble(b) = self.body(entity).holder {
            let above = self.above(b);
            self.hold(entity, above);
        }
    }

    pub(super) fn shift(&mut self, entity: Entity, event: &BubbleEvent<'_>) {
        match event.holder {
            None => self.flag(Inconsistency::Incomplete),
            Some(holder::OUTSIDE) => self.hold(entity, Holder::Outside),
            Some(holder::BUBBLE) => {
                let Some(into) = self.holding_bubble(event) else { return };
                if self.is_inside(into, entity) {
                    return self.flag(Inconsistency::Cycle);
                }
                if self.bubble(into).state == bubble_state::BURST {
                    self.flag(Inconsistency::IntoBurst);
                    let to = self.bubble(into).body.holder;
                    return self.hold(entity, to);
                }
                self.hold(entity, Holder::Bubble(into));
            }
            Some(_) => {
                if let Some(to) = self.runqueue(event) {
                    self.hold(entity, to);
                }
            }
        }
    }

    pub(super) fn burst(&mut self, id: i32, event: &BubbleEvent<'_>) {
        let entity = Entity::Bubble(id);
        if self.bubble(id).state == bubble_state::BURST {
            if !event.snapshot {
                self.flag(Inconsistency::BurstTwice);
            }
            return;
        }
        let on = match (self.runqueue(event), self.body(entity).holder) {
            (Some(to), _) => to,
            (None, Holder::Runqueue(part)) => Holder::Runqueue(part),
            (None, inside) => {
                if !event.snapshot {
                    self.flag(Inconsistency::BurstInside);
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
                self.flag(Inconsistency::Cycle);
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
