//! Reads traces in the Open Trace Format 2, which Score-P and others write: an anchor file and what lies beside it.
//!
//! libotf2 reads it (`ffi`), in a child process (`child`), which sends what it reports (`wire`); `source` makes rows of it.

#![warn(missing_docs)]

mod child;
mod ffi;
mod source;
mod wire;

use source::{Definitions, Messages, Otf2Source};
use std::ffi::CString;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use wastenot_assemble::Source;
use wastenot_import::{ImportError, OpenTrace, Options, ReadingChild, TraceInfo, Translator};

/// What an anchor file begins with, behind two bytes for its byte order.
const MARK: &[u8] = b"OTF2";
/// What the child may allocate (bytes).
const MEMORY: u64 = 1 << 30;

/// Whether a file that starts with these bytes is the anchor of an archive.
pub fn recognises(head: &[u8]) -> bool {
    head.first() == Some(&3) && head.get(2..6) == Some(MARK)
}

/// The anchor file in a folder; None where it has none, or several.
pub fn anchor_in(folder: &Path) -> Option<PathBuf> {
    let files = std::fs::read_dir(folder).ok()?.flatten().map(|entry| entry.path());
    let mut anchors = files.filter(|path| path.extension().is_some_and(|extension| extension == "otf2"));
    let anchor = anchors.next().filter(|path| path.is_file())?;
    anchors.next().is_none().then_some(anchor)
}

/// Open the trace at `path`: an anchor file, or the folder that it is in.
pub fn open(path: &Path, options: &Options) -> Result<OpenTrace, ImportError> {
    static API: OnceLock<Result<ffi::Api, String>> = OnceLock::new();
    let api = API.get_or_init(ffi::Api::load);
    let api = api.as_ref().map_err(|hint| ImportError::Library { name: "libotf2", hint: hint.clone() })?;
    let anchor = if path.is_dir() { anchor_in(path).unwrap_or_else(|| path.to_owned()) } else { path.to_owned() };
    let damaged = |why: String| ImportError::damaged(path, why);
    let name = CString::new(anchor.as_os_str().as_bytes()).map_err(|_| damaged("a name with a zero byte".into()))?;
    let child = ReadingChild::spawn(MEMORY, |out| child::read(api, &name, out));
    let mut messages = Messages::new(child.map_err(|cause| ImportError::io(path, cause))?);
    let definitions = Definitions::read(&mut messages).map_err(damaged)?;
    let translator = Translator::shared(&options.affinity);
    {
        let mut notes = translator.borrow_mut();
        notes.unverified("the trace does not say what the scheduler did; each thread is shown on a CPU of its own");
        if definitions.others > 0 {
            notes.note(format!(
                "{} locations are not threads on CPUs (devices, metrics) and were left out",
                definitions.others
            ));
        }
    }
    let end_ns = definitions.ns(definitions.offset.saturating_add(definitions.length));
    let source = Otf2Source::new(path.to_owned(), messages, definitions, translator.clone());
    let about = TraceInfo {
        source: "otf2",
        recorder: "unknown".into(),
        clock: "trace".into(),
        cpus: Some(source.count() as u32),
        span_ns: Some((0, end_ns)),
        ..TraceInfo::default()
    };
    let sources: Vec<Box<dyn Source>> = vec![Box::new(source)];
    Ok(OpenTrace { about, sources, translator })
}
