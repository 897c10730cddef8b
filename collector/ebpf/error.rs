//! Why a recording cannot start or continue.

use crate::format::FORMAT;
use std::io;
use std::path::PathBuf;

/// One line each: what, where, what to do.
#[derive(Debug)]
pub enum CaptureError {
    /// The kernel refuses to load BPF programs for this user.
    NotPermitted {
        /// What the kernel said.
        why: String,
    },
    /// The kernel has no BTF: the programs cannot be fitted to it.
    NoBtf,
    /// A program without which nothing can be recorded was refused.
    Refused {
        /// The program.
        program: &'static str,
        /// What the kernel or libbpf said.
        why: String,
    },
    /// An option that cannot be.
    Option {
        /// What is wrong with it.
        why: String,
    },
    /// A recording was written by another version, in a format that this one does not read.
    Format {
        /// The recording.
        folder: PathBuf,
        /// The format that it says to have.
        format: u64,
        /// Program and version that wrote it.
        recorder: String,
    },
    /// The recorder was used out of order.
    State(&'static str),
    /// A file or system call failed.
    Io {
        /// The file or call.
        what: String,
        /// The error.
        source: io::Error,
    },
}

impl CaptureError {
    pub(crate) fn io(what: impl Into<String>) -> impl FnOnce(io::Error) -> Self {
        let what = what.into();
        move |source| Self::Io { what, source }
    }

    pub(crate) fn file(path: impl Into<PathBuf>) -> impl FnOnce(io::Error) -> Self {
        let path = path.into();
        move |source| Self::Io { what: path.display().to_string(), source }
    }
}

impl std::fmt::Display for CaptureError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::NotPermitted { why } => {
                write!(f, "BPF is not permitted here ({why}): run as root, or with CAP_BPF and CAP_PERFMON")
            }
            Self::NoBtf => {
                write!(f, "/sys/kernel/btf/vmlinux is missing: BPF needs a kernel with CONFIG_DEBUG_INFO_BTF")
            }
            Self::Refused { program, why } => {
                write!(f, "the kernel refused the BPF program {program} ({why}): see `wastenot doctor`")
            }
            Self::Option { why } => write!(f, "{why}"),
            Self::Format { folder, format, recorder } => write!(
                f,
                "{}: recorded by {recorder} in format {format} with records laid out otherwise than this version's \
                 (formats 1 to {FORMAT}); check it with the version that recorded it",
                folder.display()
            ),
            Self::State(why) => write!(f, "{why}"),
            Self::Io { what, source } => write!(f, "{what}: {source}"),
        }
    }
}

impl std::error::Error for CaptureError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Io { source, .. } => Some(source),
            _ => None,
        }
    }
}
