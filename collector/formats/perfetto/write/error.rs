//! Why a trace cannot be exported, in one line.

use crate::columns::UnsupportedColumn;
use arrow_schema::ArrowError;
use std::path::PathBuf;
use wastenot_schemas::SchemaMismatch;

/// Why a trace cannot be exported. Its text is one line: what, where, what to do.
#[derive(Debug)]
pub enum ExportError {
    /// The file cannot be written.
    Io {
        /// Which.
        path: PathBuf,
        /// What the system says.
        cause: std::io::Error,
    },
    /// A table does not follow its declaration.
    Schema(SchemaMismatch),
    /// A table cannot be read.
    Read {
        /// Which.
        table: String,
        /// What its reader says.
        why: ArrowError,
    },
    /// Ids of a table do not rise.
    Order {
        /// Which.
        table: &'static str,
        /// The id.
        id: i64,
    },
    /// The table `trace` is missing or empty.
    NoTrace,
    /// The caller asked for it.
    Stopped(String),
}

impl std::fmt::Display for ExportError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Io { path, cause } => write!(f, "{}: {cause}", path.display()),
            Self::Schema(why) => write!(f, "{why}"),
            Self::Read { table, why } => write!(f, "table {table}: {why}"),
            Self::Order { table, id } => {
                write!(f, "table {table}: event id {id} occurs twice or behind a larger one (was the trace edited?)")
            }
            Self::NoTrace => f.write_str("table trace: no row; this is not a trace"),
            Self::Stopped(why) => f.write_str(why),
        }
    }
}

impl std::error::Error for ExportError {}

impl From<SchemaMismatch> for ExportError {
    fn from(why: SchemaMismatch) -> Self {
        Self::Schema(why)
    }
}

impl From<UnsupportedColumn> for ExportError {
    fn from(foreign: UnsupportedColumn) -> Self {
        let why = ArrowError::SchemaError(format!("type {} cannot be exported", foreign.kind));
        Self::Read { table: foreign.column, why }
    }
}
