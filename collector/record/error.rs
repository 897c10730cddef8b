//! Why a recording cannot start or go on.

use std::fmt;
use wastenot_ebpf::CaptureError;

/// Its text is one line: what, where, what to do.
#[derive(Debug)]
pub enum RecordingError {
    /// Of the recorders with eBPF and tracefs.
    Capture(CaptureError),
    /// Of a session of LTTng.
    Lttng(String),
    /// An option that is not valid.
    Option(String),
}

impl fmt::Display for RecordingError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Capture(error) => write!(f, "{error}"),
            Self::Lttng(text) | Self::Option(text) => write!(f, "{text}"),
        }
    }
}

impl std::error::Error for RecordingError {}

impl From<CaptureError> for RecordingError {
    fn from(error: CaptureError) -> Self {
        Self::Capture(error)
    }
}
