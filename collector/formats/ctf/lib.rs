//! Reads CTF traces (LTTng).
//!
//! Entry points: [`open`] for a folder, [`open_live`] for a session of lttng-relayd. Folders whose metadata are fully
//! known are decoded in this process; the rest, and sessions, through libbabeltrace2. The library is loaded at run
//! time and runs in a child process, since damaged input may end it.

mod calls;
mod classes;
mod copies;
mod decode;
mod ffi;
mod folder;
mod graph;
mod monitor;
mod native;
mod packets;
mod pipe;
mod reader;
mod wire;

use decode::Plan;
use folder::{PreparedTraces, TraceFolder};
use graph::Input;
use reader::{Decoder, Reader};
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::time::Duration;
use tempfile::TempDir;
use wastenot_import::{ImportError, OpenTrace, Options, SharedTranslator, TraceInfo, Translator, find_nearby};
use wastenot_machine::Machine;

/// How long a live session may take to show its first stream.
const FIRST_STREAM: Duration = Duration::from_secs(30);
/// Environment variable that says what decodes folders: `native` or `libbabeltrace2`.
const DECODER: &str = "WASTENOT_CTF_DECODER";

/// What decodes the traces in a folder.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DecodeWith {
    /// This process if it knows all that the metadata declare, else libbabeltrace2 and a note.
    #[default]
    Either,
    /// This process, or an error that says what it does not know.
    Native,
    /// libbabeltrace2.
    Library,
}

impl DecodeWith {
    /// As the environment variable says.
    fn of_environment() -> Self {
        match std::env::var(DECODER).as_deref() {
            Ok("native") => Self::Native,
            Ok("libbabeltrace2") => Self::Library,
            _ => Self::Either,
        }
    }
}

/// Open the traces in the folder at `path` and the folders in it. Stamps are those of the kernel's monotonic clock (ns).
///
/// Symbols for stacks come from the options, else from `kallsyms` or `kallsyms.gz` beside the trace or up to two folders
/// above; the machine from `machine.json` at the same places.
pub fn open(path: &Path, options: &Options) -> Result<OpenTrace, ImportError> {
    open_with(path, options, DecodeWith::of_environment())
}

/// As [`open`], but decoded as this says.
pub fn open_with(path: &Path, options: &Options, with: DecodeWith) -> Result<OpenTrace, ImportError> {
    let found = folder::find(path);
    if found.is_empty() {
        return Err(ImportError::damaged(path, "no CTF metadata in this folder; LTTng writes them beside the streams"));
    }
    let mut folders: Vec<TraceFolder> =
        found.iter().map(|folder| TraceFolder::open(folder)).collect::<Result<_, _>>()?;
    let all = folders.len();
    folders.retain(TraceFolder::has_our_events);
    let left_out = all - folders.len();
    if folders.is_empty() {
        return Err(no_events(path, "its metadata declare no scheduler event"));
    }
    let paths: Vec<PathBuf> = folders.iter().map(|folder| folder.path.clone()).collect();
    let prepared = folder::prepare(folders)?;

    let translator = Translator::shared(&options.affinity);
    for damage in &prepared.damage {
        translator.borrow_mut().incomplete(damage.as_str());
    }
    if left_out > 0 {
        translator.borrow_mut().note(format!("{left_out} traces without scheduler events were left out"));
    }
    let above: Vec<PathBuf> = std::iter::once(path.to_owned()).chain(paths).collect();
    let symbols = options.symbols(&above, || None);
    let (decoder, links) = decoder(path, &prepared, with, &translator)?;
    let shared = translator.clone();
    let patience = Duration::from_secs(600);
    let reader = Reader::open(path, decoder, prepared.packets, links, symbols, shared, patience)?;
    if let Some(why) = &reader.refused {
        return Err(ImportError::damaged(path, why.as_str()));
    }
    if !reader.traces.is_empty() && !reader.has_our_events() {
        return Err(no_events(path, "none of its channels has one that can be read"));
    }
    let machine = match find_nearby(&above, &["machine.json"]) {
        Some(file) => Some(machine(&file)?),
        None => None,
    };
    let about = about(path, &reader, machine)?;
    Ok(OpenTrace { about, sources: vec![Box::new(reader)], translator })
}

/// Follow a session that lttng-relayd passes on: `net://localhost/host/HOSTNAME/SESSION`. It ends when the session does.
pub fn open_live(url: &str, options: &Options) -> Result<OpenTrace, ImportError> {
    let library = library()?;
    let translator = Translator::shared(&options.affinity);
    let plan = Plan { inputs: vec![Input::Live(url.into())], limits: HashMap::new() };
    let path = Path::new(url);
    let decoder = Decoder::with_library(library, plan).map_err(|cause| ImportError::io(path, cause))?;
    let symbols = options.symbols(&[], || None);
    let reader = Reader::open(path, decoder, 0, Vec::new(), symbols, translator.clone(), FIRST_STREAM)?;
    if let Some(why) = &reader.refused {
        return Err(ImportError::damaged(path, why.as_str()));
    }
    let about = about(path, &reader, None)?;
    Ok(OpenTrace { about, sources: vec![Box::new(reader)], translator })
}

/// The folder, or one in it, holds CTF metadata.
pub fn holds_trace(folder: &Path) -> bool {
    !folder::find(folder).is_empty()
}

/// What decodes these traces, and the temporary folders that it reads.
fn decoder(
    path: &Path,
    prepared: &PreparedTraces,
    with: DecodeWith,
    translator: &SharedTranslator,
) -> Result<(Decoder, Vec<TempDir>), ImportError> {
    if with != DecodeWith::Library {
        match native::Decoder::open(&prepared.traces) {
            Ok(decoder) => return Ok((Decoder::Native(Box::new(decoder)), Vec::new())),
            Err(why) if with == DecodeWith::Native => return Err(ImportError::damaged(path, why)),
            Err(why) => translator.borrow_mut().note(format!("decoded by libbabeltrace2, not here: {why}")),
        }
    }
    let library = library()?;
    let (folders, links) = prepared.link()?;
    let plan = Plan { inputs: folders.into_iter().map(Input::Folders).collect(), limits: HashMap::new() };
    let decoder = Decoder::with_library(library, plan).map_err(|cause| ImportError::io(path, cause))?;
    Ok((decoder, links))
}

fn library() -> Result<&'static graph::Library, ImportError> {
    graph::library().map_err(|why| ImportError::Library {
        name: "libbabeltrace2",
        hint: format!("{why}; apt-get install libbabeltrace2-0 (Fedora: dnf install libbabeltrace2)"),
    })
}

fn no_events(path: &Path, why: &str) -> ImportError {
    ImportError::damaged(
        path,
        format!("no scheduler events: {why}; record the kernel with `lttng enable-event -k 'sched_*'`"),
    )
}

fn about(path: &Path, reader: &Reader, machine: Option<Machine>) -> Result<TraceInfo, ImportError> {
    let Some(first) = reader.traces.first() else {
        return Err(no_events(path, "its streams are empty or damaged"));
    };
    let kernels: Vec<_> = reader.traces.iter().filter(|trace| trace.kernel.is_some()).collect();
    let trace = kernels.first().copied().unwrap_or(first);
    if kernels.iter().any(|other| other.clock_uuid != trace.clock_uuid) {
        return Err(ImportError::damaged(
            path,
            "traces of several machines or boots, whose clocks cannot be compared; import them one by one",
        ));
    }
    Ok(TraceInfo {
        source: "ctf",
        recorder: trace.tracer.clone(),
        host: trace.hostname.clone(),
        kernel: trace.kernel.clone(),
        clock: trace.clock.clone(),
        epoch_ns: trace.epoch_ns,
        machine,
        ..TraceInfo::default()
    })
}

fn machine(file: &Path) -> Result<Machine, ImportError> {
    let text = std::fs::read_to_string(file).map_err(|cause| ImportError::io(file, cause))?;
    Machine::from_json(&text).map_err(|error| ImportError::damaged(file, error.to_string()))
}
