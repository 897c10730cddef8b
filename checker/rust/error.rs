//! Why a check ended early.

use wastenot_schemas::SchemaMismatch;

use crate::options::BadOption;
use crate::source::SourceError;
use crate::trust::Contradiction;

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
            Self::NoCpus => f.write_str("the trace has no rows in the table cpu: nothing can be reconstructed"),
        }
    }
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
