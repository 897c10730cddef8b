//! The two relations, membership and holding, and the record of their changes.

use super::super::{Entity, Holder, HolderInterval, Member};
use super::{Body, DeclaredBubble, Model, OPEN};

/// Holders above an entity that are followed before it counts as a cycle.
const MOST_HOLDERS: usize = 1024;

impl Model {
    pub(super) fn bubble_mut(&mut self, id: i32) -> &mut DeclaredBubble {
        &mut self.bubbles[id as usize - 1]
    }

    pub(super) fn body(&self, entity: Entity) -> &Body {
        match entity {
            Entity::Thread(utid) => &self.threads[&utid],
            Entity::Bubble(id) => &self.bubble(id).body,
        }
    }

    pub(super) fn body_mut(&mut self, entity: Entity) -> &mut Body {
        match entity {
            Entity::Thread(utid) => self.threads.get_mut(&utid).expect("an entity is known"),
            Entity::Bubble(id) => &mut self.bubble_mut(id).body,
        }
    }

    pub(super) fn hold(&mut self, entity: Entity, to: Holder) {
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

    pub(super) fn belong(&mut self, entity: Entity, to: Option<i32>) {
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
    pub(super) fn above(&self, bubble: i32) -> Holder {
        let mut at = bubble;
        loop {
            match self.bubble(at).body.holder {
                Holder::Bubble(next) => at = next,
                other => return other,
            }
        }
    }

    /// `bubble` is `entity`, or somewhere inside it by what holds it.
    pub(super) fn is_inside(&self, bubble: i32, entity: Entity) -> bool {
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
    pub(super) fn belongs_below(&self, bubble: i32, entity: Entity) -> bool {
        let Entity::Bubble(outer) = entity else { return false };
        std::iter::successors(Some(bubble), |b| self.bubble(*b).body.belongs).any(|b| b == outer)
    }

    pub(super) fn depth(&self, bubble: i32) -> usize {
        std::iter::successors(self.bubble(bubble).body.belongs, |b| self.bubble(*b).body.belongs).count()
    }

    /// Levels of bubbles below an entity, itself counted when it is one.
    pub(super) fn height(&self, entity: Entity) -> usize {
        match entity {
            Entity::Thread(_) => 0,
            Entity::Bubble(id) => 1 + self.bubble(id).members.iter().map(|m| self.height(*m)).max().unwrap_or(0),
        }
    }

    pub(super) fn interval_of(&self, entity: Entity) -> HolderInterval {
        let body = self.body(entity);
        let state = if let Entity::Bubble(id) = entity { Some(self.bubble(id).state) } else { None };
        let (holder, priority) = (body.holder, body.priority);
        HolderInterval { id: self.event, entity, holder, state, priority, start_ns: self.now, end_ns: OPEN }
    }

    pub(super) fn start_interval(&mut self, entity: Entity) {
        let interval = self.interval_of(entity);
        self.intervals.push(interval);
        self.body_mut(entity).interval = Some(self.intervals.len() - 1);
    }

    /// Start another interval if the entity's holder, state or priority has changed.
    pub(super) fn note(&mut self, entity: Entity) {
        let Some(at) = self.body(entity).interval else { return };
        let (old, new) = (self.intervals[at], self.interval_of(entity));
        if (old.holder, old.state, old.priority) != (new.holder, new.state, new.priority) {
            self.intervals[at].end_ns = self.now;
            self.start_interval(entity);
        }
    }

    pub(super) fn end(&mut self, entity: Entity) {
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
        if let Some(at) = self.body_mut(entity).interval.take() {
            self.intervals[at].end_ns = now;
        }
    }
}
