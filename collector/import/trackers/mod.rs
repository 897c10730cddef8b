//! What the events of a trace say of its threads, CPUs and interrupts: a tracker per subject, which turns events into rows and keeps
//! what later events need.

pub mod bubbles;
pub mod calls;
pub mod cpus;
pub mod hotplug;
pub mod interrupts;
pub mod power;
pub mod runtime;
pub mod switches;
pub mod threads;
pub mod wakeups;

use crate::Tid;
use wastenot_assemble::{Event, Interner, Row, StackId};

/// When and where an event was written.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Context {
    pub ts_ns: i64,
    pub cpu: i16,
    /// The thread that wrote it, where the format says so.
    pub current: Option<Tid>,
    /// The thread that ran there, also as far as switches say.
    pub running: Option<Tid>,
    pub stack: Option<StackId>,
}

/// Where rows go.
pub(crate) struct Output<'a> {
    pub ids: &'a mut Interner,
    pub rows: &'a mut Vec<Row>,
}

impl Output<'_> {
    #[inline]
    pub fn row(&mut self, ts_ns: i64, event: Event) {
        self.rows.push(Row { ts_ns, event });
    }
}

/// A text up to its first NUL.
pub(crate) fn until_nul(bytes: &[u8]) -> &[u8] {
    let end = bytes.iter().position(|&b| b == 0).unwrap_or(bytes.len());
    &bytes[..end]
}

pub(crate) fn utf8(bytes: &[u8]) -> std::borrow::Cow<'_, str> {
    String::from_utf8_lossy(until_nul(bytes))
}
