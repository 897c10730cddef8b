//! Invariants of the holders at every instant, for tests.

use super::holders::{BubblePhase, Holders, SchedEntity, SchedHolder};
use crate::engine::{BubbleIx, Engine, ThreadIx};

impl Holders {
    /// Violated invariants, in words: each entity in exactly one holder and on its list at most, bubbles
    /// and their content agreeing about each other, running threads under a runqueue that spans their CPU unless that CPU
    /// is about to schedule.
    pub fn violations(&self, e: &Engine<'_>) -> Vec<String> {
        let mut wrong = Vec::new();
        let mut listed: std::collections::BTreeMap<SchedEntity, Vec<SchedHolder>> = std::collections::BTreeMap::new();
        for (rq, list) in self.lists.iter().enumerate() {
            list.entities.iter().for_each(|&o| listed.entry(o).or_default().push(SchedHolder::Runqueue(rq)));
        }
        for (b, state) in self.bubbles.iter().enumerate().filter_map(|(b, s)| Some((b as BubbleIx, s.as_ref()?))) {
            state.list.iter().for_each(|&o| listed.entry(o).or_default().push(SchedHolder::Bubble(b)));
            for &o in &state.content {
                let home = match o {
                    SchedEntity::Thread(t) => e.thread(t).bubble,
                    SchedEntity::Bubble(inner) => e.bubble(inner).parent,
                };
                if home != Some(b) {
                    wrong.push(format!("{o:?} is content of bubble {b} and belongs to {home:?}"));
                }
                if state.phase == BubblePhase::Closed
                    && self.holder(o) != SchedHolder::Bubble(b)
                    && !self.past_bubbles(o)
                {
                    wrong.push(format!("bubble {b} is closed, its {o:?} is in {:?}", self.holder(o)));
                }
            }
            let entity = SchedEntity::Bubble(b);
            if (state.phase == BubblePhase::Closed && state.holder != SchedHolder::Outside) != state.listed {
                wrong.push(format!("{entity:?} is {:?} and listed: {}", state.phase, state.listed));
            }
        }
        for (t, state) in self.threads.iter().enumerate().filter_map(|(t, s)| Some((t as ThreadIx, s.as_ref()?))) {
            let entity = SchedEntity::Thread(t);
            if state.holder == SchedHolder::Outside {
                wrong.push(format!("{entity:?} is nowhere"));
            }
            if let Some(cpu) = state.runs_on {
                let spanned = self
                    .runqueue(entity)
                    .is_some_and(|rq| e.topology.components().get(rq).is_some_and(|c| c.span.contains(cpu)));
                if !spanned && !e.resched_pending(cpu) {
                    wrong.push(format!("{entity:?} runs on {cpu} under {:?}", self.runqueue(entity)));
                }
                if state.listed {
                    wrong.push(format!("{entity:?} runs and is on a list"));
                }
            }
        }
        for (entity, holders) in listed {
            if holders != [self.holder(entity)] || !self.listed(entity) {
                wrong.push(format!("{entity:?} is in {:?} and on the lists of {holders:?}", self.holder(entity)));
            }
        }
        wrong
    }

    /// True for a thread that its policy (or its allowed CPUs) placed outside its bubble.
    fn past_bubbles(&self, entity: SchedEntity) -> bool {
        matches!(entity, SchedEntity::Thread(t) if matches!(self.thread(t).holder, SchedHolder::Runqueue(_)))
    }
}
