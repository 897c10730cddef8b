//! What lies beside a trace: the symbols of its kernel, its machine.

use std::cell::LazyCell;
use std::path::{Path, PathBuf};
use wastenot_machine::Symbols;

/// Folders looked into: the trace's and those above it.
const FOLDERS: usize = 3;

/// A file of one of these names in the folder of one of these traces (one that is a folder itself is meant), or up to two above.
pub fn beside(traces: &[PathBuf], names: &[&str]) -> Option<PathBuf> {
    traces.iter().find_map(|trace| {
        let whole = trace.canonicalize().ok()?;
        let folder = if whole.is_dir() { &*whole } else { whole.parent()? };
        let files = folder.ancestors().take(FOLDERS).flat_map(|place| names.iter().map(|name| place.join(name)));
        files.into_iter().find(|file| file.is_file())
    })
}

/// The kernel's symbols, read when they are first used: 200,000 lines that many traces need for nothing.
pub type LazySymbols = LazyCell<Symbols, Box<dyn FnOnce() -> Symbols>>;

/// The symbols in the file that was `given`; else what the trace has `stored` of /proc/kallsyms; else those of a `kallsyms` or
/// `kallsyms.gz` [`beside`] it.
pub(crate) fn symbols(
    given: Option<&Path>,
    stored: impl FnOnce() -> Option<String> + 'static,
    traces: &[PathBuf],
) -> LazySymbols {
    let (given, traces) = (given.map(Path::to_owned), traces.to_vec());
    LazyCell::new(Box::new(move || match given {
        Some(file) => Symbols::read(&file),
        None => match stored() {
            Some(text) => Symbols::parse(&text),
            None => beside(&traces, &["kallsyms", "kallsyms.gz"]).map(|file| Symbols::read(&file)).unwrap_or_default(),
        },
    }))
}
