//! What precedes the events: clocks, the system, its CPUs, processes and threads, and our entity tables.

use super::file::Target;
use super::{BatchReader, ExportError};
use crate::clocks::{BOOTTIME, MONOTONIC, REALTIME};
use crate::fields::{clock, cpus, packet, system, tree};
use crate::wire::{put_bytes, put_message, put_number, put_signed, put_text};
use arrow_array::{Array, RecordBatch};
use std::collections::{BTreeMap, HashMap};
use wastenot_schemas::{self as tables, SchemaMismatch};

/// Processes and threads of a packet.
const TREE_ENTRIES: usize = 1024;

/// Start and end of the recording (ns).
pub type Window = (i64, i64);

/// Write all that precedes the events.
pub fn write(inputs: &mut BTreeMap<String, BatchReader>, file: &mut Target) -> Result<Window, ExportError> {
    let mut about = None;
    rows(inputs, tables::trace::NAME, tables::trace::View::try_new, Some(file), |view, i| {
        let epoch_ns = view.epoch_ns.is_valid(i).then(|| view.epoch_ns.value(i));
        let kernel = view.kernel.is_valid(i).then(|| view.kernel.value(i).to_owned());
        about = Some((view.clock.value(i).to_owned(), epoch_ns, view.start_ns.value(i), view.end_ns.value(i), kernel));
    })?;
    let (clock, epoch_ns, start_ns, end_ns, kernel) = about.ok_or(ExportError::NoTrace)?;
    rows(inputs, tables::evidence::NAME, tables::evidence::View::try_new, Some(file), |_, _| {})?;
    let mut machine = (None, 0, None);
    rows(inputs, tables::machine::NAME, tables::machine::View::try_new, Some(file), |view, i| {
        let r = view.row(i);
        machine = (r.arch.map(str::to_owned), r.tick_ns, r.kernel.map(str::to_owned));
    })?;
    let mut capacities = Vec::new();
    rows(inputs, tables::cpu::NAME, tables::cpu::View::try_new, Some(file), |view, i| {
        capacities.push(view.row(i).capacity);
    })?;
    rows(inputs, tables::numa_node::NAME, tables::numa_node::View::try_new, Some(file), |_, _| {})?;
    rows(inputs, tables::domain::NAME, tables::domain::View::try_new, Some(file), |_, _| {})?;
    rows(inputs, tables::domain_group::NAME, tables::domain_group::View::try_new, Some(file), |_, _| {})?;
    rows(inputs, tables::mask::NAME, tables::mask::View::try_new, Some(file), |_, _| {})?;
    rows(inputs, tables::stack::NAME, tables::stack::View::try_new, Some(file), |_, _| {})?;
    rows(inputs, tables::cgroup::NAME, tables::cgroup::View::try_new, Some(file), |_, _| {})?;

    clocks(&clock, start_ns, epoch_ns, file)?;
    let (arch, tick_ns, release) = machine;
    file.packet(|out| {
        put_message(out, packet::SYSTEM_INFO, |info| {
            put_message(info, system::UTSNAME, |utsname| {
                put_text(utsname, system::SYSNAME, "Linux");
                if let Some(release) = kernel.or(release) {
                    put_text(utsname, system::RELEASE, &release);
                }
                if let Some(arch) = arch {
                    put_text(utsname, system::MACHINE, &arch);
                }
            });
            if tick_ns > 0 {
                put_signed(info, system::HZ, 1_000_000_000 / tick_ns);
            }
            put_text(info, system::TRACING_SERVICE_VERSION, concat!("wastenot ", env!("CARGO_PKG_VERSION")));
            put_number(info, system::NUM_CPUS, capacities.len() as u64);
        });
    })?;
    file.packet(|out| {
        put_message(out, packet::CPU_INFO, |info| {
            for capacity in &capacities {
                put_message(info, cpus::CPUS, |cpu| {
                    put_text(cpu, cpus::PROCESSOR, "");
                    put_number(cpu, cpus::CAPACITY, (*capacity).max(0) as u64);
                });
            }
        });
    })?;
    processes(inputs, start_ns, file)?;
    Ok((start_ns, end_ns))
}

/// How the trace's clock relates to the wall clock. Events have no other clock than CLOCK_BOOTTIME in Perfetto, so that the
/// trace's clock is called so as well.
fn clocks(name: &str, start_ns: i64, epoch_ns: Option<i64>, file: &mut Target) -> Result<(), ExportError> {
    let primary = if name == "monotonic" { MONOTONIC } else { BOOTTIME };
    let wall = epoch_ns.and_then(|epoch| epoch.checked_add(start_ns));
    let read =
        [(BOOTTIME, Some(start_ns)), (MONOTONIC, Some(start_ns).filter(|_| primary == MONOTONIC)), (REALTIME, wall)];
    let mut snapshot = Vec::new();
    for (id, at) in read {
        let Some(at) = at else { continue };
        put_message(&mut snapshot, clock::CLOCKS, |clock| {
            put_number(clock, clock::CLOCK_ID, id);
            put_number(clock, clock::TIMESTAMP, at as u64);
        });
    }
    put_number(&mut snapshot, clock::PRIMARY_TRACE_CLOCK, primary);
    file.packet_at(start_ns, packet::CLOCK_SNAPSHOT, &snapshot)
}

/// Visit every row of a table, and write the rows themselves where a file is given.
pub fn rows<V>(
    inputs: &mut BTreeMap<String, BatchReader>,
    table: &'static str,
    make: fn(&RecordBatch) -> Result<V, SchemaMismatch>,
    mut file: Option<&mut Target>,
    mut visit: impl FnMut(&V, usize),
) -> Result<(), ExportError> {
    let Some(reader) = inputs.remove(table) else { return Ok(()) };
    for batch in reader {
        let batch = batch.map_err(|why| ExportError::Read { table: table.into(), why })?;
        let view = make(&batch)?;
        if let Some(file) = &mut file {
            file.rows(table, &batch)?;
        }
        (0..batch.num_rows()).for_each(|row| visit(&view, row));
    }
    Ok(())
}

/// The processes and threads that were there before the recording; later ones are in events.
fn processes(inputs: &mut BTreeMap<String, BatchReader>, start_ns: i64, file: &mut Target) -> Result<(), ExportError> {
    let mut processes: HashMap<i32, (i32, Option<i32>, String)> = HashMap::new();
    rows(inputs, tables::process::NAME, tables::process::View::try_new, None, |view, i| {
        let r = view.row(i);
        processes.insert(r.upid, (r.tgid, r.parent_upid, r.name.unwrap_or("").to_owned()));
    })?;
    let mut entries: Vec<(u32, Vec<u8>)> = Vec::new();
    let mut written = std::collections::HashSet::new();
    rows(inputs, tables::thread::NAME, tables::thread::View::try_new, None, |view, i| {
        let r = view.row(i);
        let Some(tgid) = r.tgid.filter(|_| r.start_ns.is_none() && r.tid != 0) else { return };
        if written.insert(tgid) {
            let known = r.upid.and_then(|upid| processes.get(&upid));
            let parent = known.and_then(|(_, parent, _)| processes.get(&(*parent)?)).map_or(0, |(tgid, ..)| *tgid);
            let mut process = Vec::new();
            put_signed(&mut process, tree::PROCESS_PID, tgid.into());
            put_signed(&mut process, tree::PROCESS_PPID, parent.into());
            put_text(&mut process, tree::PROCESS_CMDLINE, known.map_or("", |(.., name)| name));
            put_number(&mut process, tree::PROCESS_CMDLINE_IS_COMM, 1);
            entries.push((tree::PROCESSES, process));
        }
        let mut thread = Vec::new();
        put_signed(&mut thread, tree::THREAD_TID, r.tid.into());
        put_text(&mut thread, tree::THREAD_NAME, r.name.unwrap_or(""));
        put_signed(&mut thread, tree::THREAD_TGID, tgid.into());
        entries.push((tree::THREADS, thread));
    })?;
    for part in entries.chunks(TREE_ENTRIES) {
        let mut message = Vec::new();
        part.iter().for_each(|(field, entry)| put_bytes(&mut message, *field, entry));
        file.packet_at(start_ns, packet::PROCESS_TREE, &message)?;
    }
    Ok(())
}
