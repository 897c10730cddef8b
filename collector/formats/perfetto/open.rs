//! From a file to its sources.

use crate::clocks::FtraceClock;
use crate::cpu::{CpuSource, SharedReader, last_ns};
use crate::events::Events;
use crate::names::Names;
use crate::original;
use crate::packets::Packets;
use crate::scan::{ScannedTrace, Writer, scan};
use std::cell::{Cell, RefCell};
use std::path::Path;
use std::rc::Rc;
use wastenot_assemble::Source;
use wastenot_import::{ImportError, OpenTrace, Options, TraceInfo, Translator};
use wastenot_topology::task_state::Tracer;

/// Open the trace at `path`: an export of ours comes back as the trace it was made from.
pub fn open(path: &Path, options: &Options) -> Result<OpenTrace, ImportError> {
    if let Some(version) = original::export_version(path)? {
        return original::open(path, version, options);
    }
    let mut found = scan(path)?;
    let translator = Translator::shared(&options.affinity);
    let writers = writers(&mut found);
    if writers.is_empty() && found.bubbles.is_empty() {
        let why = match found.damage.first() {
            Some(damage) => damage.clone(),
            None => "no scheduler events in it; record the data source linux.ftrace with sched/sched_switch".into(),
        };
        return Err(ImportError::damaged(path, why));
    }
    {
        let mut translator = translator.borrow_mut();
        translator.written_by(&Tracer::Kernel, found.kernel.as_deref(), &[]);
        found.damage.iter().for_each(|why| translator.incomplete(why.clone()));
        found.notes.iter().for_each(|note| translator.note(note.clone()));
        if found.bubbles.garbled > 0 {
            translator.note(format!("{} events of bubbles that cannot be were left out", found.bubbles.garbled));
        }
        if writers.is_empty() {
            translator.note("no scheduler events in it; record the data source linux.ftrace with sched/sched_switch");
        }
        for clock in
            found.clock_codes.iter().map(|code| FtraceClock::of(*code)).filter(|clock| !found.clocks.relates(*clock))
        {
            translator.note(format!(
                "the trace does not relate the tracer's clock ({}) to its own; stamps are those of the tracer",
                if clock == FtraceClock::MonotonicRaw { "monotonic_raw" } else { "unknown" }
            ));
        }
    }
    let about = TraceInfo {
        source: "perfetto",
        recorder: found.recorder.clone().unwrap_or_else(|| "perfetto".into()),
        kernel: found.kernel.clone(),
        arch: found.arch.clone(),
        clock: found.clocks.name().into(),
        epoch_ns: found.clocks.epoch_ns(),
        cpus: found.cpus,
        ..TraceInfo::default()
    };
    let mut packets = Packets::open(path)?;
    let lasts =
        writers.iter().flat_map(|writer| writer.cpus.values()).filter_map(|bundles| bundles.list.last().copied());
    let end_ns = last_ns(&mut packets, &found.clocks, lasts);
    let bubbles = found.bubbles.source(&found.clocks, Rc::clone(&translator));
    let bundles = writers.iter().flat_map(|writer| writer.cpus.values()).map(|bundles| bundles.list.len() as u64).sum();
    let common = Rc::new(SharedReader {
        packets: RefCell::new(packets),
        clocks: found.clocks,
        events: Events::new(),
        bundles,
        read: Cell::new(0),
        end_ns: end_ns.unwrap_or(i64::MIN),
        translator: Rc::clone(&translator),
    });
    let mut last = 0;
    let trees = found.trees.into_iter().map(|(stamp, place)| {
        last = stamp.map_or(last, |stamp| common.clocks.convert(FtraceClock::Boottime, stamp));
        (last, place)
    });
    // The first of the sources: events ask for the processes of threads.
    let mut sources: Vec<Box<dyn Source>> = vec![Box::new(Names::new(trees.collect(), Rc::clone(&common)))];
    for writer in writers {
        let gaps: Vec<_> = writer.cpus.keys().map(|cpu| found.cut || writer.gap_after(*cpu)).collect();
        for ((cpu, bundles), gap) in writer.cpus.into_iter().zip(gaps) {
            sources.push(Box::new(CpuSource::new(cpu, bundles.list, gap, Rc::clone(&common))));
        }
    }
    sources.push(Box::new(bubbles));
    Ok(OpenTrace { about, sources, translator })
}

/// The writers whose events are read: of several that wrote switches only the one with most, since each wrote all.
fn writers(found: &mut ScannedTrace) -> Vec<Writer> {
    let mut writers: Vec<Writer> = std::mem::take(&mut found.writers).into_values().collect();
    let most = writers.iter().filter(|writer| writer.has_switches).map(|writer| writer.bytes).max();
    let before = writers.len();
    let mut kept = false;
    writers.retain(|writer| !writer.has_switches || Some(writer.bytes) == most && !std::mem::replace(&mut kept, true));
    if writers.len() < before {
        found.notes.push("several data sources recorded the scheduler's events; those of the largest are read".into());
    }
    if kept { writers } else { Vec::new() }
}
