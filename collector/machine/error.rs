//! What can be wrong with a description of a machine.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

/// A machine could not be read. `Display` is one line: what, where, what to do.
#[derive(Debug)]
#[allow(missing_docs)] // The fields are the parts of the message, named for what they hold.
pub enum MachineError {
    /// A file that must be there could not be read.
    Read { path: PathBuf, source: io::Error },
    /// The folder is not the root of a Linux machine, nor of a dump of one.
    NotAMachine { root: PathBuf, missing: &'static str },
    /// A file does not hold what the kernel writes there.
    Garbage { path: PathBuf, expected: &'static str, found: String },
    /// Two facts exclude each other.
    Contradiction { what: String },
    /// Machine JSON of another program, or damaged.
    Json { why: String },
    /// Machine JSON of a version this program does not know.
    Format { found: u32, known: u32 },
    /// hwloc XML that is damaged or of another kind.
    Hwloc { offset: u64, why: String },
}

impl MachineError {
    pub(crate) fn garbage(path: &Path, expected: &'static str, found: &str) -> Self {
        Self::Garbage { path: path.to_owned(), expected, found: excerpt(found) }
    }

    pub(crate) fn contradiction(what: impl Into<String>) -> Self {
        Self::Contradiction { what: what.into() }
    }

    pub(crate) fn hwloc(offset: u64, why: impl Into<String>) -> Self {
        Self::Hwloc { offset, why: one_line(&why.into()) }
    }
}

/// The first characters of a text, on one line, for a message.
fn excerpt(text: &str) -> String {
    let line = one_line(text);
    match line.char_indices().nth(40) {
        Some((end, _)) => format!("{}...", &line[..end]),
        None => line,
    }
}

fn one_line(text: &str) -> String {
    text.trim().chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}

impl fmt::Display for MachineError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Read { path, source } => write!(f, "{}: {source}", path.display()),
            Self::NotAMachine { root, missing } => write!(
                f,
                "{}: no {missing} here; give the root of a running machine (/) or of a dump of its /sys and /proc",
                root.display()
            ),
            Self::Garbage { path, expected, found } => {
                write!(f, "{}: expected {expected}, found \"{found}\"", path.display())
            }
            Self::Contradiction { what } => {
                write!(f, "the machine contradicts itself: {what}; take the dump again while no CPU changes state")
            }
            Self::Json { why } => {
                write!(f, "machine JSON: {why}; give the machine.json of a recording, or hwloc XML")
            }
            Self::Format { found, known } => write!(
                f,
                "machine JSON: format {found} is unknown (this program reads {known}); use the program that wrote it"
            ),
            Self::Hwloc { offset, why } => {
                write!(f, "hwloc XML, byte {offset}: {why}; export with `lstopo --of xml` of hwloc 2")
            }
        }
    }
}

impl std::error::Error for MachineError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Read { source, .. } => Some(source),
            _ => None,
        }
    }
}
