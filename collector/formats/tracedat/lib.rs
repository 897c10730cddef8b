//! Reads trace.dat, what trace-cmd records: versions 6 and 7, compressed or not, of machines of either byte order.
//!
//! `read_layout` finds the parts of the file (`v6`, `v7`; `layout` describes them), `formats` and `options` their content, `pages` and
//! `page` the events of a CPU in a buffer, `stream` puts them on the trace's clock, `source` turns all buffers of one CPU into rows.

#![warn(missing_docs)]

mod bytes;
mod clock;
mod compression;
mod formats;
mod layout;
mod names;
mod options;
mod page;
mod pages;
mod read_layout;
mod source;
mod stacks;
mod stream;
mod trace_file;
mod v6;
mod v7;

use clock::Clock;
use layout::{Buffer, Layout};
use names::SavedNames;
use page::PageFormat;
use pages::Pages;
use read_layout::{MAGIC, read_layout};
use source::{CpuSource, MAX_STREAMS, RecordKind, Trace};
use stacks::Stacks;
use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::path::Path;
use std::rc::Rc;
use stream::Stream;
use trace_file::TraceFile;
use wastenot_assemble::Source;
use wastenot_import::{ImportError, OpenTrace, Options, TraceInfo, Tracepoint, Translator};
use wastenot_topology::task_state::Tracer;

pub(crate) const TEXT_ONLY: &str =
    "it holds the text of a latency tracer instead of events; trace-cmd report prints it, and the text can be imported";

/// A file that starts with these bytes is a trace.dat.
pub fn recognises(head: &[u8]) -> bool {
    head.starts_with(MAGIC)
}

/// Open the trace at `path`.
pub fn open(path: &Path, options: &Options) -> Result<OpenTrace, ImportError> {
    let disk = Rc::new(TraceFile::open(path)?);
    let mut layout = read_layout(&disk)?;
    let translator = Translator::shared(&options.affinity);
    let mut to = translator.borrow_mut();
    let (buffers, clock_name) = readable_buffers(&mut layout, &mut to);
    let clock = Clock::new(&clock_name, &layout.options).map_err(|why| disk.damaged(why))?;
    if !clock::is_known(&clock_name) {
        to.unverified(format!("the trace's clock is {clock_name}: its stamps are taken for ns"));
    }
    to.written_by(&Tracer::Kernel, layout.options.kernel().0.as_deref(), &layout.formats.tracepoints);
    add_notes(&layout, &mut to);
    drop(to);

    let page_format = PageFormat {
        endian: layout.head.endian,
        long_size: layout.formats.long_size,
        data_offset: layout.formats.data_offset,
    };
    let (kallsyms, compression, kept) = (layout.kallsyms.take(), layout.head.compression, Rc::clone(&disk));
    let stored = move || {
        let kallsyms = kallsyms?;
        let text = kallsyms.part.read(&kept, compression).ok()?;
        Some(String::from_utf8_lossy(text.get(kallsyms.skip..)?).into_owned())
    };
    let stacks = Stacks::new(layout.formats.stack, page_format, options.symbols(&[path.to_owned()], stored));
    let bytes = buffers.iter().flat_map(|buffer| &buffer.cpus).map(|data| data.size.min(disk.len)).sum();
    let trace = Rc::new(Trace {
        endian: page_format.endian,
        kinds: kinds(&layout.formats.tracepoints, stacks.id()),
        tracepoints: std::mem::take(&mut layout.formats.tracepoints),
        translator: Rc::clone(&translator),
        stacks: RefCell::new(stacks),
        names: RefCell::new(SavedNames::parse(&layout.cmdlines)),
        bytes,
        left: Cell::new(bytes),
    });
    let mut cpus: BTreeMap<u32, Vec<Stream>> = BTreeMap::new();
    for buffer in &buffers {
        for data in buffer.cpus.iter().filter(|data| data.size > 0) {
            let pages = Pages::new(Rc::clone(&disk), page_format.endian, layout.head.compression, buffer, *data);
            cpus.entry(data.cpu).or_default().push(Stream::new(pages, page_format, clock));
        }
    }
    let lost = |cpu| layout.options.lost.iter().find(|(of, _)| *of == cpu).map_or(0, |(_, lost)| *lost);
    let source =
        |(cpu, streams)| -> Box<dyn Source> { Box::new(CpuSource::new(cpu, Rc::clone(&trace), streams, lost(cpu))) };
    let sources = cpus.into_iter().map(source).collect();
    Ok(OpenTrace { about: about(&layout, clock_name), sources, translator })
}

/// The buffers that hold something on one clock, and that clock.
fn readable_buffers(layout: &mut Layout, to: &mut Translator) -> (Vec<Buffer>, String) {
    let top_clock = layout.options.clock.clone();
    let clock_of = |buffer: &Buffer| buffer.clock.clone().or(top_clock.clone()).unwrap_or_else(|| "local".into());
    let mut buffers = std::mem::take(&mut layout.buffers);
    buffers.retain(|buffer| buffer.cpus.iter().any(|data| data.size > 0));
    let Some(first) = buffers.first() else {
        return (buffers, top_clock.unwrap_or_else(|| "local".into()));
    };
    let clock = clock_of(first);
    buffers.retain(|buffer| {
        let other = clock_of(buffer);
        if other != clock {
            to.note(format!("buffer {:?} was left out: its clock is {other}, that of the others {clock}", buffer.name));
        }
        other == clock
    });
    for left_out in buffers.drain(MAX_STREAMS.min(buffers.len())..) {
        to.note(format!("buffer {:?} was left out: more than {MAX_STREAMS} are not read", left_out.name));
    }
    (buffers, clock)
}

/// Notes on the trace as a whole.
fn add_notes(layout: &Layout, to: &mut Translator) {
    layout.flaws.iter().for_each(|flaw| to.incomplete(flaw.clone()));
    layout.formats.flaws.iter().for_each(|flaw| to.note(flaw.clone()));
    if layout.formats.tracepoints.is_empty() {
        to.note("none of the events that were recorded is one of the scheduler's");
    }
    let id = layout.options.trace_id.map_or(String::new(), |id| format!(" (trace {id:#x})"));
    if let Some(host) = layout.options.host {
        to.note(format!(
            "the trace{id} is a guest's, of host trace {host:#x}; its stamps are on the guest's own clock"
        ));
    }
    for (name, guest) in &layout.options.guests {
        to.note(format!("the trace{id} is a host's, of guest {name:?} (trace {guest:#x}); its CPUs are the host's"));
    }
}

/// What an event of each `common_type` is.
fn kinds(tracepoints: &[Tracepoint], stack: Option<u32>) -> Vec<RecordKind> {
    let mut kinds = vec![RecordKind::Unused; 1 << 16];
    if let Some(kind) = stack.and_then(|id| kinds.get_mut(id as usize)) {
        *kind = RecordKind::Stack;
    }
    for (place, tracepoint) in tracepoints.iter().enumerate() {
        if let Some(kind) = kinds.get_mut(tracepoint.id as usize) {
            *kind = RecordKind::Tracepoint(place as u16);
        }
    }
    kinds
}

fn about(layout: &Layout, clock: String) -> TraceInfo {
    let (kernel, arch) = layout.options.kernel();
    let version = layout.options.version.as_deref().and_then(|version| version.split_whitespace().next());
    TraceInfo {
        source: "trace.dat",
        recorder: version.map_or_else(|| "trace-cmd".into(), |version| format!("trace-cmd {version}")),
        kernel,
        arch,
        clock,
        epoch_ns: layout.options.date_ns,
        cpus: layout.options.cpus.filter(|&cpus| cpus <= layout::MAX_CPUS),
        ..TraceInfo::default()
    }
}
