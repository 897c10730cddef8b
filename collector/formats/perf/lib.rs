//! Reads perf.data: what `perf record` and `perf sched record` write, as a file or through a pipe.
//!
//! The entry point is [`open`]. The path of a record:
//! [`file`] (header) → [`stream`] (bytes to records that wait, inflating what is compressed) → [`order`] (all rings in one order of
//! time, by rounds) → [`events`] (to rows) → [`reader`] (a source per CPU).

#![warn(missing_docs)]

mod attr;
mod blocks;
mod borrowed;
mod bytes;
mod events;
mod features;
mod file;
mod inflate;
mod machine;
mod order;
mod reader;
mod record;
pub mod schedstat;
mod stacks;
mod stream;
mod tracing;

use crate::attr::{Attr, sample};
use crate::events::Events;
use crate::features::{clock_name, feature};
use crate::reader::{CpuSource, Reader};
use crate::stacks::Stacks;
use crate::stream::Stream;
use std::path::Path;
use wastenot_import::{EventKind, ImportError, OpenTrace, Options, TraceInfo, Tracepoint, Translator};
use wastenot_topology::task_state::Tracer;

/// How to record what is read here.
const HOW: &str = "perf record -a -e 'sched:*'";

/// Open the trace at `path`.
///
/// Fails where there is nothing to read: a file of another format or without its header, no scheduler events, samples without
/// time, CPU or raw data. Damage behind the header is reported by the import's summary instead.
pub fn open(path: &Path, options: &Options) -> Result<OpenTrace, ImportError> {
    let within = path.join("data"); // of a folder that `perf record --threads` wrote
    let path = if path.is_dir() { &within } else { path };
    let opened = file::open(path)?;
    let mut stream = Stream::new(opened);
    // A pipe has its formats before its samples.
    let formats = options.formats.as_ref().filter(|_| !stream.pipe && stream.tracing.ids.is_empty());
    let release = formats.map(|from| borrow_formats(&mut stream, from)).transpose()?.flatten();
    let mut due = None;
    // In a pipe, attributes, formats and features come as records before the others.
    while due.is_none() && stream.order.is_empty() && !stream.is_at_end() {
        due = stream.step().map_err(|cause| ImportError::io(path, cause))?;
    }
    check(&stream).map_err(|why| {
        let counted = schedstat::readings(path).is_ok_and(|readings| !readings.is_empty());
        let counters_only =
            "it holds what the load balancer counted (perf sched stats) and no events; see wastenot counters";
        ImportError::damaged(path, if counted { counters_only.to_owned() } else { why })
    })?;
    let mut about = about(&stream);
    about.kernel = about.kernel.or(release);
    let translator = Translator::shared(&options.affinity);
    translator.borrow_mut().written_by(&Tracer::Kernel, about.kernel.as_deref(), &stream.tracing.points);
    match (&stream.borrowed, &options.formats) {
        (Some(from), _) => translator
            .borrow_mut()
            .note(format!("the formats of its events are those of {}, as --formats says", from.display())),
        (None, Some(_)) => {
            translator.borrow_mut().note("--formats was not needed: the trace has the formats of its events");
        }
        (None, None) => {}
    }
    for why in stream.tracing.unusable.drain(..) {
        translator.borrow_mut().note(why);
    }
    if !stream
        .attrs
        .all
        .iter()
        .any(|attr| point_of(&stream, attr).is_some_and(|point| point.shape.kind == EventKind::Switch))
    {
        translator.borrow_mut().note("sched_switch was not recorded: what ran is not known");
    }
    let kallsyms = stream.tracing.kallsyms.take();
    let symbols = options.symbols(&[path.to_owned()], || kallsyms);
    let cpus = about.cpus.or(stream.attrs.cpus.values().max().map(|last| last + 1)).unwrap_or(0);
    let events = Events::new(&stream, cpus as usize, Stacks::new(symbols));
    let reader = Reader::new(path.to_owned(), stream, events, translator.clone(), due);
    Ok(OpenTrace { about, sources: CpuSource::all(reader), translator })
}

/// Give a file that has lost its formats those at `from`; returns the kernel's release, where that is known.
fn borrow_formats(stream: &mut Stream, from: &Path) -> Result<Option<String>, ImportError> {
    let found = borrowed::borrow(from, stream.endian)?;
    if let Some(why) = borrowed::misfit(&found, &stream.attrs.all) {
        return Err(ImportError::damaged(from, why));
    }
    let borrowed::Borrowed { tracing, features, release } = found;
    stream.set_tracing(tracing);
    if let Some(features) = features {
        stream.features.add_missing(features);
    }
    stream.borrowed = Some(from.to_owned());
    Ok(release)
}

/// Whether a file that starts with these bytes is perf.data.
pub fn recognises(head: &[u8]) -> bool {
    file::byte_order(head).is_some()
}

/// The tracepoint of an attribute, where it is one that is read.
fn point_of<'a>(stream: &'a Stream, attr: &Attr) -> Option<&'a Tracepoint> {
    let id = u16::try_from(attr.config).ok().filter(|_| attr.kind == attr::TYPE_TRACEPOINT)?;
    stream.tracing.points.get(usize::from(stream.wanted[usize::from(id)]))
}

fn is_wanted(stream: &Stream, attr: &Attr) -> bool {
    point_of(stream, attr).is_some()
}

/// Why nothing can be made of this file.
fn check(stream: &Stream) -> Result<(), String> {
    let because = stream.cut.as_ref().map_or(String::new(), |cut| format!(" ({cut})"));
    if stream.features.has(feature::DIR_FORMAT) && !stream.has_files_beside() {
        return Err(
            "its records are in files beside it, data.0 and so on, which are not there; copy the folder whole".into()
        );
    }
    if stream.attrs.all.is_empty() {
        return Err(format!("it describes no events{because}; record anew: {HOW}"));
    }
    let tracepoints = || stream.attrs.all.iter().filter(|attr| attr.kind == attr::TYPE_TRACEPOINT);
    if tracepoints().count() > 0 && stream.tracing.ids.is_empty() {
        return Err(format!(
            "the formats of its events are missing{because}; give them with --formats: /sys/kernel/tracing of that machine \
             while it runs the same kernel, or another perf.data of it"
        ));
    }
    let wanted: Vec<&Attr> = tracepoints().filter(|attr| is_wanted(stream, attr)).collect();
    if wanted.is_empty() {
        return Err(match stream.tracing.unusable.first() {
            Some(why) => why.clone(),
            None => format!("no scheduler events in it; record them: {HOW}"),
        });
    }
    let lacks = |bit: u64| wanted.iter().any(|attr| !attr.layout.has(bit));
    for (bit, what, option) in
        [(sample::TIME, "time", "-T"), (sample::CPU, "CPU", "--sample-cpu"), (sample::RAW, "fields", "-R")]
    {
        if lacks(bit) {
            return Err(format!("its samples lack their {what}; record with {option}: {HOW} {option}"));
        }
    }
    if stream.attrs.ambiguous() {
        return Err(format!("its events differ in layout and have no ids to distinguish them; record anew: {HOW}"));
    }
    if stream.per_thread {
        return Err(format!(
            "only some threads were recorded, so nothing is known of the CPUs; record the machine: {HOW}"
        ));
    }
    Ok(())
}

fn about(stream: &Stream) -> TraceInfo {
    let (features, endian) = (&stream.features, stream.endian);
    let version = features.text(feature::VERSION, endian);
    let clock = features.clock(endian);
    let asked = stream.attrs.all.iter().find_map(|attr| attr.clock);
    TraceInfo {
        source: "perf",
        recorder: version.map_or("perf".into(), |version| format!("perf {version}")),
        host: features.text(feature::HOSTNAME, endian),
        kernel: features.text(feature::OSRELEASE, endian),
        arch: features.text(feature::ARCH, endian),
        clock: clock_name(asked.or(clock.as_ref().map(|clock| clock.id))),
        epoch_ns: clock.map(|clock| clock.epoch_ns),
        cpus: features.cpus(endian),
        machine: machine::machine(features, endian),
        span_ns: None,
        command: features.command(endian),
    }
}
