//! Why a recording cannot be decoded.

use crate::CaptureError;
use std::path::PathBuf;

/// Its text is one line: what, where, what to do.
#[derive(Debug)]
pub enum DecodeError {
    /// A part of the recording cannot be read.
    Io {
        /// The file.
        path: PathBuf,
        /// The system's message.
        cause: std::io::Error,
    },
    /// A file of the recording is not what the recorder writes.
    Damaged {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        why: String,
    },
    /// `meta.json` cannot be read.
    Meta(CaptureError),
    /// The records cannot be put in order, or the receiver refused a batch.
    Assemble(wastenot_assemble::Error),
}

impl std::fmt::Display for DecodeError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Io { path, cause } if cause.kind() == std::io::ErrorKind::NotFound => {
                write!(f, "{}: not there; give the folder of a recording (T.duckdb.part)", path.display())
            }
            Self::Io { path, cause } => write!(f, "{}: {cause}", path.display()),
            Self::Meta(CaptureError::Io { what, source }) if source.kind() == std::io::ErrorKind::NotFound => {
                write!(f, "{what}: not there; give the folder of a recording (T.duckdb.part)")
            }
            Self::Meta(cause @ CaptureError::Format { .. }) => write!(f, "{cause}"),
            Self::Meta(cause) => write!(f, "{cause}; the recording cannot be read without it, record again"),
            Self::Damaged { path, why } => {
                write!(f, "{}: {why}; the recording cannot be read without it, record again", path.display())
            }
            Self::Assemble(cause) => write!(f, "{cause}"),
        }
    }
}

impl std::error::Error for DecodeError {}

impl From<wastenot_assemble::Error> for DecodeError {
    fn from(cause: wastenot_assemble::Error) -> Self {
        Self::Assemble(cause)
    }
}

impl From<wastenot_assemble::SinkError> for DecodeError {
    fn from(why: wastenot_assemble::SinkError) -> Self {
        Self::Assemble(wastenot_assemble::Error::Sink(why))
    }
}
