//! Bubbles as the application declares them, and their members. Where they are queued is the scheduler's.

use super::*;
use crate::compile::WorkloadError;
use crate::span::Ns;
use crate::topology::Level;
use wastenot_schemas::{bubble_event, bubble_event_kind as kind, holder};

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

/// An event of a bubble or of a thread as an entity: a row of `bubble_event`.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct BubbleRecord<'a> {
    /// Code of [`wastenot_schemas::bubble_event_kind`].
    pub kind: u8,
    /// Number of the bubble that is the entity.
    pub bubble: Option<i64>,
    /// The thread that is the entity.
    pub tid: Option<i32>,
    /// Kind and number of the holder.
    pub holder: Option<(u8, i64)>,
    /// Priority, or slice.
    pub value: Option<i64>,
    /// The bubble's name.
    pub name: Option<&'a str>,
}

/// The code of a level's runqueues.
pub(crate) fn level_code(level: Level) -> u8 {
    match level {
        Level::Machine => holder::MACHINE,
        Level::Node => holder::NODE,
        Level::Llc => holder::LLC,
        Level::Core => holder::CORE,
        Level::Cpu => holder::CPU,
    }
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

    /// Makes the workload's bubbles, outer ones first; returns them.
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
        let new = bubble.clone();
        if b as usize == self.bubbles.len() {
            self.bubbles.push(bubble);
        } else {
            self.bubbles[b as usize] = bubble;
        }
        self.record_new_bubble(&new, name);
        b
    }

    fn record_new_bubble(&mut self, b: &Bubble, name: &str) {
        let record = |kind| BubbleRecord { kind, bubble: Some(b.number), ..BubbleRecord::default() };
        self.record_bubble(&BubbleRecord { name: Some(name), ..record(kind::INIT) });
        if let Some(p) = b.parent {
            let around = Some((holder::BUBBLE, self.bubble(p).number));
            self.record_bubble(&BubbleRecord { holder: around, ..record(kind::INSERT_BUBBLE) });
        }
        if b.priority != 0 {
            self.record_bubble(&BubbleRecord { value: Some(i64::from(b.priority)), ..record(kind::PRIORITY) });
        }
        if let Some(level) = b.burst {
            self.record_bubble(&BubbleRecord { holder: Some((level_code(level), 0)), ..record(kind::BURST_LEVEL) });
        }
        if let Some(slice) = b.slice {
            self.record_bubble(&BubbleRecord { value: Some(slice as i64), ..record(kind::SLICE) });
        }
    }

    /// Records an event of a bubble, or of a thread as an entity, on the current CPU.
    pub(crate) fn record_bubble(&mut self, record: &BubbleRecord<'_>) {
        let row = bubble_event::Row {
            id: 0,
            ts_ns: 0,
            cpu: Some(self.topology.number(self.context)),
            tid: None,
            tgid: None,
            kind: record.kind,
            bubble: record.bubble,
            entity_tid: record.tid,
            holder: record.holder.map(|h| h.0),
            holder_id: record.holder.map(|h| h.1),
            value: record.value,
            name: record.name,
            snapshot: false,
            status: None,
        };
        self.recorder.bubble_event(self.now, &row);
    }

    /// A thread is in its bubble from now on.
    pub(super) fn join_bubble(&mut self, t: ThreadIx) {
        let Some(b) = self.threads[t as usize].bubble else { return };
        self.bubbles[b as usize].members += 1;
        let (number, thread) = (self.bubbles[b as usize].number, &self.threads[t as usize]);
        let (tid, priority) = (Some(thread.tid), i64::from(thread.priority));
        let holder = Some((holder::BUBBLE, number));
        self.record_bubble(&BubbleRecord { kind: kind::INSERT_THREAD, tid, holder, ..BubbleRecord::default() });
        if priority != 0 {
            let value = Some(priority);
            self.record_bubble(&BubbleRecord { kind: kind::PRIORITY, tid, value, ..BubbleRecord::default() });
        }
    }

    /// Removes a member from a bubble; returns the bubble when it is empty.
    fn remove_member(&mut self, b: BubbleIx) -> Option<BubbleIx> {
        let bubble = &mut self.bubbles[b as usize];
        bubble.members -= 1;
        (bubble.members == 0).then_some(b)
    }
}

impl<S: Scheduler> Simulation<'_, S> {
    /// Removes a thread or bubble from its bubble, or the thread that fills it; bubbles that become empty are destroyed.
    pub(super) fn leave_bubble(&mut self, b: Option<BubbleIx>) {
        let mut next = b;
        while let Some(b) = next {
            let Some(b) = self.engine.remove_member(b) else { return };
            let bubble = Some(self.engine.bubble(b).number);
            self.engine.record_bubble(&BubbleRecord { kind: kind::DESTROY, bubble, ..BubbleRecord::default() });
            self.scheduler.destroy_bubble(&mut self.engine, b);
            next = self.engine.bubbles[b as usize].parent;
            self.engine.free_bubbles.push(b);
        }
    }
}
