//! Reads CTF traces (LTTng) through libbabeltrace2.
//!
//! Entry points: [`open`] for a folder, [`open_live`] for a session of lttng-relayd. The library is loaded at run time and
//! runs in a child process, since damaged input may end it.

mod calls;
mod classes;
mod copies;
mod decode;
mod ffi;
mod folder;
mod graph;
mod monitor;
mod packets;
mod pipe;
mod reader;
mod wire;

use decode::Plan;
use folder::TraceFolder;
use graph::Input;
use reader::Reader;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::time::Duration;
use wastenot_import::{ImportError, OpenTrace, Options, TraceInfo, Translator, find_nearby};
use wastenot_machine::Machine;

/// How long a live session may take to show its first stream.
const FIRST_STREAM: Duration = Duration::from_secs(30);

/// Open the traces in the folder at `path` and the folders in it. Stamps are those of the kernel's monotonic clock (ns).
///
/// Symbols for stacks come from the options, else from `kallsyms` or `kallsyms.gz` beside the trace or up to two folders
/// above; the machine from `machine.json` at the same places.
pub fn open(path: &Path, options: &Options) -> Result<OpenTrace, ImportError> {
    let found = folder::find(path);
    if found.is_empty() {
        return Err(ImportError::damaged(path, "no CTF metadata in this folder; LTTng writes them beside the streams"));
    }
    let library = library()?;
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
    let inputs = prepared.traces.into_iter().map(Input::Folders).collect();
    let plan = Plan { inputs, limits: HashMap::new() };
    let shared = translator.clone();
    let reader =
        Reader::open(path, library, plan, prepared.packets, prepared.links, symbols, shared, Duration::from_secs(600))?;
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
    let symbols = options.symbols(&[], || None);
    let reader = Reader::open(path, library, plan, 0, Vec::new(), symbols, translator.clone(), FIRST_STREAM)?;
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
