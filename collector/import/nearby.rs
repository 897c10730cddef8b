//! Files near a trace: the symbols of its kernel, its machine.

use std::cell::LazyCell;
use std::path::{Path, PathBuf};
use wastenot_machine::Symbols;

/// Folders that are searched: the trace's and those above it.
const FOLDERS: usize = 3;

/// A file of one of these names in the folder of one of these traces (in the trace itself where it is a folder), or up to two above.
pub fn find_nearby(traces: &[PathBuf], names: &[&str]) -> Option<PathBuf> {
    traces.iter().find_map(|trace| {
        let whole = trace.canonicalize().ok()?;
        let folder = if whole.is_dir() { &*whole } else { whole.parent()? };
        let files = folder.ancestors().take(FOLDERS).flat_map(|place| names.iter().map(|name| place.join(name)));
        files.into_iter().find(|file| file.is_file())
    })
}

/// The kernel's symbols, read when they are first used: 200,000 lines that many traces do not need.
pub type LazySymbols = LazyCell<Symbols, Box<dyn FnOnce() -> Symbols>>;

/// The symbols in the file `given`; else what the trace has `stored` of /proc/kallsyms; else those of a `kallsyms` or
/// `kallsyms.gz` [near](find_nearby) it.
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
            None => {
                find_nearby(&traces, &["kallsyms", "kallsyms.gz"]).map(|file| Symbols::read(&file)).unwrap_or_default()
            }
        },
    }))
}
