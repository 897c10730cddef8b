//! What an import reports beside the rows: counts of events, notes, what the trace shows.

use crate::events::SHAPES;
use crate::{EventKind, OriginalTrace, Translator};
use serde::Serialize;
use std::collections::BTreeMap;
use wastenot_schemas::{EvidenceKind, EvidenceLevel};

/// Events by what became of them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Counts {
    /// Read, by name; copies that were dropped too.
    pub read: BTreeMap<&'static str, u64>,
    /// Copies of an event that another channel had recorded too.
    pub duplicates: u64,
    /// Events with impossible fields (a CPU of -1, a negative tid).
    pub garbled: u64,
    /// Events of kinds that are not used.
    pub ignored: u64,
    /// Named threads for which no mask was declared.
    pub undeclared: u64,
}

/// The report as far as the trace has been read.
pub(crate) struct Report {
    read: Vec<u64>,
    counts: Counts,
    notes: Vec<String>,
    pub unverified: Vec<String>,
    complete: bool,
    done: f64,
    pub has_stacks: bool,
    has_balance: bool,
    original: Option<OriginalTrace>,
}

impl Default for Report {
    fn default() -> Self {
        Self {
            read: vec![0; SHAPES.len()],
            counts: Counts::default(),
            notes: Vec::new(),
            unverified: Vec::new(),
            complete: true,
            done: 0.0,
            has_stacks: false,
            has_balance: false,
            original: None,
        }
    }
}

impl Report {
    /// An event of this kind was read.
    #[inline]
    pub fn read(&mut self, kind: EventKind) {
        self.read[kind as usize] += 1;
    }

    /// Some event of this kind was read.
    pub fn has_read(&self, kind: EventKind) -> bool {
        self.read[kind as usize] > 0
    }

    /// Events by what became of them.
    pub fn counts(&self, undeclared: u64) -> Counts {
        let read = SHAPES.iter().zip(self.read.iter().copied()).filter(|(_, n)| *n > 0);
        Counts { read: read.map(|(shape, n)| (shape.name, n)).collect(), undeclared, ..self.counts.clone() }
    }
}

/// What readers report.
impl Translator {
    /// An event that is not used.
    #[inline]
    pub fn ignore(&mut self) {
        self.report.counts.ignored += 1;
    }

    /// A second copy of an event was dropped.
    pub fn duplicate(&mut self, kind: EventKind) {
        self.report.read(kind);
        self.report.counts.duplicates += 1;
    }

    /// An event whose fields cannot be read.
    pub fn garbled(&mut self) {
        self.report.counts.garbled += 1;
    }

    /// An event was read that needs no translation: an export of ours has its row.
    #[inline]
    pub fn restored(&mut self, kind: EventKind) {
        self.report.read(kind);
    }

    /// The trace is an export of ours, and says this of the one it was made from.
    pub fn is_export_of(&mut self, original: OriginalTrace) {
        self.report.original = Some(original);
    }

    /// A row that [`event`](Self::event) gave has got its stack since.
    pub fn saw_stacks(&mut self) {
        self.report.has_stacks = true;
    }

    /// Balance attempts are rows too.
    pub fn saw_balance(&mut self) {
        self.report.has_balance = true;
    }

    /// A fact about the trace as a whole, one sentence without a stop; kept once.
    pub fn note(&mut self, text: impl Into<String>) {
        add_once(&mut self.report.notes, text.into());
    }

    /// The input goes past what the readers have been verified on: one sentence without a stop, kept once.
    pub fn unverified(&mut self, text: impl Into<String>) {
        add_once(&mut self.report.unverified, text.into());
    }

    /// The trace ends before its end: why, and what was read.
    pub fn incomplete(&mut self, why: impl Into<String>) {
        self.report.complete = false;
        self.note(why);
    }

    /// Share of the input that has been read, for the progress bar.
    #[inline]
    pub fn set_done(&mut self, share: f64) {
        self.report.done = share;
    }

    /// What is missing or odd, a line each.
    pub fn notes(&self) -> &[String] {
        &self.report.notes
    }

    pub(crate) fn original(&self) -> Option<&OriginalTrace> {
        self.report.original.as_ref()
    }

    pub(crate) fn done(&self) -> f64 {
        self.report.done
    }

    pub(crate) fn is_complete(&self) -> bool {
        self.report.complete
    }

    /// Evidence level by what has been read. Unlike our recordings, another tool's trace of load-balance attempts is of level 2
    /// without stacks of moves too: its user probed the functions, and may not have asked for stacks.
    pub(crate) fn evidence_level(&self) -> EvidenceLevel {
        EvidenceLevel::of(|kind| match kind {
            EvidenceKind::MigrationStacks => self.report.has_stacks || self.report.has_balance,
            EvidenceKind::LoadBalanceAttempts => self.report.has_balance,
            _ => false,
        })
    }

    /// What is missing of the events that say when a thread was woken.
    pub(crate) fn wakeups_note(&self) -> Option<&'static str> {
        let read = |kind| self.report.has_read(kind);
        match (read(EventKind::Switch) && !read(EventKind::Wakeup), read(EventKind::Waking)) {
            (false, _) => None,
            (true, false) => {
                Some("no wakeups are in the trace: only preempted threads are seen waiting; record sched_wakeup")
            }
            (true, true) => Some(
                "sched_waking is in the trace and sched_wakeup is not: where and when a woken thread was queued is not known, so only \
                 preempted threads are seen waiting; record sched_wakeup",
            ),
        }
    }

    pub(crate) fn has_interrupts(&self) -> bool {
        self.report.has_read(EventKind::SoftirqEntry) && self.report.has_read(EventKind::IrqEntry)
    }
}

fn add_once(texts: &mut Vec<String>, text: String) {
    if !texts.contains(&text) {
        texts.push(text);
    }
}
