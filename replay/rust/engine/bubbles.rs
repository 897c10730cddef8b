//! Bubbles as the application declares them: which there are, and who belongs to them. Where they are is the scheduler's.

use super::*;
use crate::span::Ns;
use crate::topology::Level;
use crate::workload::WorkloadError;

/// A bubble by its slot; the slot of a destroyed one is used again.
pub type BubbleIx = u32;

/// A bubble as the application describes it.
#[derive(Clone, Debug)]
pub struct Bubble {
    /// Its number in the trace, never used twice.
    pub number: i64,
    /// The bubble that it belongs to.
    pub parent: Option<BubbleIx>,
    /// Priority, higher first.
    pub priority: i32,
    /// The level at which it bursts, as asked for.
    pub burst: Option<Level>,
    /// Time slice.
    pub slice: Option<Ns>,
    /// Threads and bubbles alive in it, and the thread that is filling it. A declared bubble has one more: it stays.
    members: u32,
}

impl Engine<'_> {
    /// A bubble.
    #[inline]
    pub fn bubble(&self, b: BubbleIx) -> &Bubble {
        &self.bubbles[b as usize]
    }

    /// Slots of bubbles in use so far: an upper bound of every [`BubbleIx`].
    pub fn bubble_slots(&self) -> usize {
        self.bubbles.len()
    }

    /// Bubbles around a bubble.
    pub fn depth(&self, b: BubbleIx) -> usize {
        std::iter::successors(self.bubble(b).parent, |&p| self.bubble(p).parent).count()
    }

    /// Makes the workload's bubbles, outer ones first; answers them.
    pub(super) fn make_bubbles(&mut self) -> Result<Vec<BubbleIx>, WorkloadError> {
        let specs = self.workload.bubbles.clone();
        let unknown = |name: &str| WorkloadError::Unknown { kind: "bubble", name: name.to_owned() };
        let mut made: std::collections::BTreeMap<&str, BubbleIx> = std::collections::BTreeMap::new();
        let mut all = Vec::new();
        for name in specs.keys() {
            let mut chain = vec![name.as_str()];
            while let Some(around) = &specs[chain[chain.len() - 1]].bubble {
                let (around, _) = specs.get_key_value(around).ok_or_else(|| unknown(around))?;
                if chain.contains(&around.as_str()) {
                    return Err(WorkloadError::Circle(around.clone()));
                }
                chain.push(around);
            }
            for name in chain.into_iter().rev() {
                if made.contains_key(name) {
                    continue;
                }
                let spec = &specs[name];
                let parent = spec.bubble.as_deref().map(|around| made[around]);
                let bubble = Bubble {
                    number: 0,
                    parent,
                    priority: spec.priority,
                    burst: spec.burst,
                    slice: spec.slice.map(|s| s.0.max(1)),
                    members: 1,
                };
                let b = self.add_bubble(bubble, name);
                made.insert(name, b);
                all.push(b);
            }
        }
        for row in &self.workload.threads {
            let b = row.bubble.as_deref().map(|name| made.get(name).copied().ok_or_else(|| unknown(name)));
            self.bubble_of_row.push(b.transpose()?);
        }
        Ok(all)
    }

    /// A new bubble within another one, held by the thread that fills it.
    pub(super) fn new_bubble(&mut self, parent: Option<BubbleIx>, name: &str) -> BubbleIx {
        let priority = parent.map_or(0, |p| self.bubble(p).priority);
        self.add_bubble(Bubble { number: 0, parent, priority, burst: None, slice: None, members: 1 }, name)
    }

    fn add_bubble(&mut self, bubble: Bubble, name: &str) -> BubbleIx {
        self.next_bubble += 1;
        let bubble = Bubble { number: self.next_bubble, ..bubble };
        if let Some(p) = bubble.parent {
            self.bubbles[p as usize].members += 1;
        }
        let b = match self.free_bubbles.pop() {
            Some(slot) => slot,
            None => self.bubbles.len() as BubbleIx,
        };
        let told = bubble.clone();
        if b as usize == self.bubbles.len() {
            self.bubbles.push(bubble);
        } else {
            self.bubbles[b as usize] = bubble;
        }
        self.tell_bubble(&told, name);
        b
    }

    fn tell_bubble(&mut self, _bubble: &Bubble, _name: &str) {}

    /// A thread is in its bubble from now on.
    pub(super) fn join_bubble(&mut self, t: ThreadIx) {
        let Some(b) = self.threads[t as usize].bubble else { return };
        self.bubbles[b as usize].members += 1;
    }

    /// One less in a bubble; answers it when nobody is left.
    fn part(&mut self, b: BubbleIx) -> Option<BubbleIx> {
        let bubble = &mut self.bubbles[b as usize];
        bubble.members -= 1;
        (bubble.members == 0).then_some(b)
    }
}

impl<S: Scheduler> Simulation<'_, S> {
    /// A thread (or a bubble) of a bubble is gone, or does not fill it any longer: bubbles that are empty go too.
    pub(super) fn part_from(&mut self, b: Option<BubbleIx>) {
        let mut next = b;
        while let Some(b) = next {
            let Some(b) = self.engine.part(b) else { return };
            self.scheduler.bubble_gone(&mut self.engine, b);
            next = self.engine.bubbles[b as usize].parent;
            self.engine.free_bubbles.push(b);
        }
    }
}
