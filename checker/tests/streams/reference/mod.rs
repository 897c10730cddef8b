//! A second checker, slow and obvious, written from docs/semantics.md alone: the state, and at each instant the invariant.

mod apply;
mod instant;
mod matching;
mod state;

use std::collections::BTreeMap;

use crate::events::Stream;
use state::SystemState;

/// What was wasted from one instant to another.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Step {
    pub start: i64,
    pub end: i64,
    pub wasted: usize,
    pub certain: usize,
    pub idle_while_waiting: usize,
}

/// Every figure that is compared. Times in ns.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Figures {
    pub steps: Vec<Step>,
    pub wasted: i64,
    pub certain: i64,
    pub idle_while_waiting: i64,
    pub wall_wasted: i64,
    pub peak: usize,
    /// By excuse, in their order.
    pub ledger: [i64; 8],
    /// Avoidable wait by tid, those above zero.
    pub avoidable: BTreeMap<i32, i64>,
    /// Time matched by CPU, those above zero.
    pub wasted_cpu: BTreeMap<usize, i64>,
    pub online: i64,
    pub busy: i64,
    pub idle: i64,
    /// By CPU, those above zero.
    pub unobserved: BTreeMap<usize, i64>,
    pub doubtful: BTreeMap<usize, i64>,
    pub doubtful_wait: BTreeMap<usize, i64>,
    pub contradictions: i64,
    /// By reason and CPU.
    pub repaired: BTreeMap<(String, usize), i64>,
    pub late_wakes: i64,
}

impl Figures {
    /// Add a step; one with the same figures as the one before prolongs it, one without an idle CPU beside a waiter is
    /// left out.
    pub fn step(&mut self, step: Step) {
        let cores = |s: &Step| (s.wasted, s.certain, s.idle_while_waiting);
        match self.steps.last_mut() {
            _ if step.idle_while_waiting == 0 => {}
            Some(last) if last.end == step.start && cores(last) == cores(&step) => last.end = step.end,
            _ => self.steps.push(step),
        }
    }
}

/// Walk over the stream.
pub struct Reference {
    known: SystemState,
    now: i64,
    tick: i64,
    wakeups_reported: bool,
    exits_missing: bool,
    /// By CPU: the thread about to run there, and since when.
    about_to_run: Vec<Option<(state::Utid, i64)>>,
    avoidable: BTreeMap<state::Utid, i64>,
    figures: Figures,
}

/// The figures of a stream.
pub fn figures(stream: &Stream) -> Figures {
    let known = SystemState::new(&stream.machine, stream.start);
    let mut walk = Reference {
        about_to_run: vec![None; stream.machine.cpus],
        known,
        now: stream.start,
        tick: stream.tick,
        wakeups_reported: false,
        exits_missing: false,
        avoidable: BTreeMap::new(),
        figures: Figures::default(),
    };
    for event in &stream.events {
        if event.at > stream.end {
            continue; // a broken stamp
        }
        walk.apply_at(event);
    }
    walk.advance(stream.end);
    walk.note_end();
    for cpu in 0..stream.machine.cpus {
        walk.close_slice(cpu);
    }
    for (utid, ns) in walk.avoidable {
        *walk.figures.avoidable.entry(walk.known.threads[utid].tid).or_default() += ns;
    }
    walk.figures.unobserved.retain(|_, ns| *ns > 0);
    walk.figures.doubtful.retain(|_, ns| *ns > 0);
    walk.figures.doubtful_wait.retain(|_, ns| *ns > 0);
    walk.figures
}
