//! Where rows come from, and why assembling may stop.

use crate::{Interner, Row};
use wastenot_schemas::SinkError;

/// A stream of rows in one order of arrival, usually what one CPU recorded.
pub trait Source {
    /// What to call it in a message: a file, a buffer, a CPU.
    fn name(&self) -> String;

    /// The clock cannot step back and rows that stand before older ones are only written so: they are put in order, like
    /// spans, instead of being held to be steps of the clock.
    fn is_steady(&self) -> bool {
        false
    }

    /// Append the next rows to `rows` (some hundreds or thousands are a good portion; none is allowed) in order
    /// of time; [spans](crate::Event::is_span) stand where they became known, later than their start. Rows already in `rows` must
    /// not be touched.
    fn read(&mut self, ids: &mut Interner, rows: &mut Vec<Row>) -> Result<Progress, Error>;
}

/// How far a source has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Progress {
    /// More may come, and none of it begins before this instant (ns). A source without spans says the time of its last row;
    /// one with spans the earliest begin that an unfinished span can have.
    Settled(i64),
    /// Nothing more comes.
    End,
}

/// Why assembling stopped. Its text is one line that says what, where and what to do.
#[derive(Debug)]
pub enum Error {
    /// A source cannot be read on.
    Source {
        /// Its name.
        source: String,
        /// What is wrong and what to do.
        why: String,
    },
    /// The receiver refused a batch. The cause is passed on untouched.
    Sink(SinkError),
}

impl std::fmt::Display for Error {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Source { source, why } => write!(f, "{source}: {why}"),
            Self::Sink(cause) => write!(f, "{cause}"),
        }
    }
}

impl std::error::Error for Error {}
