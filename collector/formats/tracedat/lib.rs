//! Reads trace.dat, what trace-cmd records.

use std::path::Path;
use wastenot_import::{ImportError, Opened, Options};

/// Open the trace at `path`.
pub fn open(path: &Path, _options: &Options) -> Result<Opened, ImportError> {
    Err(ImportError::damaged(path, "this format cannot be read yet"))
}

/// A file that begins so is one.
pub fn recognises(_head: &[u8]) -> bool {
    false
}
