//! Why a watch or a replay ended early.

use std::path::PathBuf;
use wastenot_checker::CheckError;
use wastenot_ebpf::CaptureError;
use wastenot_ebpf::decode::DecodeError;

/// Its text is one line: what, where, what to do.
#[derive(Debug)]
pub enum WatchError {
    /// Options that cannot be.
    Option(String),
    /// It cannot be recorded.
    Capture(CaptureError),
    /// What was recorded cannot be decoded.
    Decode(DecodeError),
    /// What was decoded cannot be checked.
    Check(CheckError),
    /// A file of a recording cannot be read.
    File {
        /// The file.
        path: PathBuf,
        /// Why.
        why: String,
    },
    /// A call that the state does not allow, or a thread that failed.
    State(String),
}

impl std::fmt::Display for WatchError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Option(why) => write!(f, "watch options: {why}"),
            Self::Capture(why) => write!(f, "{why}"),
            Self::Decode(why) => write!(f, "{why}"),
            Self::Check(why) => write!(f, "{why}"),
            Self::File { path, why } => write!(f, "{}: {why}", path.display()),
            Self::State(why) => f.write_str(why),
        }
    }
}

impl std::error::Error for WatchError {}

impl From<CaptureError> for WatchError {
    fn from(why: CaptureError) -> Self {
        Self::Capture(why)
    }
}

impl From<DecodeError> for WatchError {
    fn from(why: DecodeError) -> Self {
        Self::Decode(why)
    }
}

impl From<CheckError> for WatchError {
    fn from(why: CheckError) -> Self {
        Self::Check(why)
    }
}
