//! Why a check ended early.

use wastenot_schemas::SchemaMismatch;

use crate::data_quality::Contradiction;
use crate::options::BadOption;
use crate::source::SourceError;

/// Why a check ended early. Each shows as one line that names what and where.
#[derive(Debug)]
pub enum CheckError {
    Option(BadOption),
    Source(SourceError),
    /// Strict mode met its first contradiction.
    Contradiction {
        event: i64,
        ts_ns: i64,
        what: Contradiction,
        detail: String,
    },
    /// The receiver of the results stopped the check.
    Stopped(String),
    /// The trace names no CPU.
    NoCpus,
    /// A stamp lies so far from the others that sums of time over all CPUs do not fit 64 bits.
    Span {
        event: i64,
        ts_ns: i64,
        start_ns: i64,
        cpus: usize,
    },
    /// The state at a checkpoint is not one that this version wrote of this trace.
    Checkpoint,
    /// The time that threads spent, or queued, does not add up within 64 bits.
    Sums,
}

impl std::fmt::Display for CheckError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Option(e) => write!(f, "{e}"),
            Self::Source(e) => write!(f, "{e}"),
            Self::Contradiction { event, ts_ns, what, detail } => {
                write!(f, "strict: event {event} at {ts_ns} ns: {}: {detail}", what.name())
            }
            Self::Stopped(why) => f.write_str(why),
            Self::Span { event, ts_ns, start_ns, cpus } => write!(
                f,
                "impossible span: event {event} is stamped {}, the trace starts at {}, and {cpus} CPUs over that time \
                 are more nanoseconds than 64 bits hold: one of the stamps is damaged; leave that event out or record again",
                seconds(*ts_ns),
                seconds(*start_ns)
            ),
            Self::Checkpoint => {
                f.write_str("a checkpoint of the trace is damaged, or another version wrote it; `wastenot check --tables all` makes all anew")
            }
            Self::Sums => f.write_str(
                "impossible span: the time of all threads together is more nanoseconds than 64 bits hold: some of the \
                 stamps are damaged; leave those events out or record again",
            ),
            Self::NoCpus => f.write_str("the trace has no rows in the table cpu: nothing can be reconstructed"),
        }
    }
}

/// A stamp as tracers print it.
fn seconds(ns: i64) -> String {
    let (whole, part) = (ns.unsigned_abs() / 1_000_000_000, ns.unsigned_abs() % 1_000_000_000);
    format!("{}{whole}.{part:09} s", if ns < 0 { "-" } else { "" })
}

impl std::error::Error for CheckError {}

impl From<SourceError> for CheckError {
    fn from(e: SourceError) -> Self {
        Self::Source(e)
    }
}

impl From<SchemaMismatch> for CheckError {
    fn from(e: SchemaMismatch) -> Self {
        Self::Source(SourceError::Schema(e))
    }
}

impl From<BadOption> for CheckError {
    fn from(e: BadOption) -> Self {
        Self::Option(e)
    }
}
