//! One event of a source with its time.

use wastenot_schemas::events::Event;

/// An event and its time on the trace's clock. Small and without heap parts for the frequent kinds.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// Time on the trace's clock (ns). Of [spans](Event::is_span) the start, though they arrive later.
    pub ts_ns: i64,
    /// What happened.
    pub event: Event,
}

const _: () = assert!(size_of::<Row>() <= 40, "rows of the frequent kinds must stay small");

impl Row {
    /// The row states a fact of a thread that holds at any time: its name, or the mask that was declared for it.
    pub(crate) fn holds_at_any_time(&self) -> bool {
        matches!(self.event, Event::ThreadName(_) | Event::Affinity(_))
    }
}
