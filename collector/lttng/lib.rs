//! Reads CTF traces of LTTng through libbabeltrace2.

use std::path::Path;
use wastenot_import::{ImportError, Opened, Options};

/// Open the trace at `path`.
pub fn open(path: &Path, _options: &Options) -> Result<Opened, ImportError> {
    Err(ImportError::damaged(path, "this format cannot be read yet"))
}

/// The folder holds a CTF trace.
pub fn holds_trace(_folder: &Path) -> bool {
    false
}
