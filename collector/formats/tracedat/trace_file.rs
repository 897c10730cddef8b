//! The file: bytes at an offset, never more than there are.

use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use wastenot_import::ImportError;

/// An open trace file. It is read, not mapped: a file that shrinks meanwhile is a short read instead of a signal.
pub struct TraceFile {
    file: File,
    path: PathBuf,
    /// Its length when it was opened (bytes).
    pub len: u64,
}

impl TraceFile {
    pub fn open(path: &Path) -> Result<Self, ImportError> {
        let file = File::open(path).map_err(|cause| ImportError::io(path, cause))?;
        let len = file.metadata().map_err(|cause| ImportError::io(path, cause))?.len();
        Ok(Self { file, path: path.into(), len })
    }

    /// Exactly `count` bytes from `at` on; `None` where the file has not so many or they cannot be read.
    pub fn bytes(&self, at: u64, count: u64) -> Option<Vec<u8>> {
        at.checked_add(count).filter(|&end| end <= self.len)?;
        let mut bytes = vec![0; usize::try_from(count).ok()?];
        self.file.read_exact_at(&mut bytes, at).ok()?;
        Some(bytes)
    }

    /// Fill `bytes` from `at` on.
    pub fn fill(&self, at: u64, bytes: &mut [u8]) -> std::io::Result<()> {
        self.file.read_exact_at(bytes, at)
    }

    /// The file is damaged.
    pub fn damaged(&self, why: impl Into<String>) -> ImportError {
        ImportError::damaged(&self.path, why)
    }
}
