//! Why a trace cannot be imported, in one line.

use std::path::PathBuf;
use wastenot_assemble::Error;

/// Why a trace cannot be imported. Its text is one line: what, where, what to do.
#[derive(Debug)]
pub enum ImportError {
    /// The file or folder cannot be read.
    Io {
        /// Which.
        path: PathBuf,
        /// What the system says.
        cause: std::io::Error,
    },
    /// It is not (or no longer) a trace of this format.
    Damaged {
        /// Which.
        path: PathBuf,
        /// What is wrong, and where.
        why: String,
    },
    /// A system library is missing or of no use.
    Library {
        /// Its name.
        name: &'static str,
        /// What to install.
        hint: String,
    },
    /// Something asked for makes no sense.
    Option(String),
    /// Merging the sources or handing over the rows failed.
    Assemble(Error),
}

impl ImportError {
    /// The trace at `path` is damaged.
    pub fn damaged(path: impl Into<PathBuf>, why: impl Into<String>) -> Self {
        Self::Damaged { path: path.into(), why: why.into() }
    }

    /// The system refuses `path`.
    pub fn io(path: impl Into<PathBuf>, cause: std::io::Error) -> Self {
        Self::Io { path: path.into(), cause }
    }
}

impl std::fmt::Display for ImportError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Io { path, cause } => write!(f, "{}: {cause}", path.display()),
            Self::Damaged { path, why } => write!(f, "{}: {why}", path.display()),
            Self::Library { name, hint } => write!(f, "{name} cannot be used: {hint}"),
            Self::Option(why) => f.write_str(why),
            Self::Assemble(error) => write!(f, "{error}"),
        }
    }
}

impl std::error::Error for ImportError {}

impl From<Error> for ImportError {
    fn from(error: Error) -> Self {
        Self::Assemble(error)
    }
}

impl From<wastenot_assemble::SinkError> for ImportError {
    fn from(why: wastenot_assemble::SinkError) -> Self {
        Self::Assemble(Error::Sink(why))
    }
}
