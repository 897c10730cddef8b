//! Reads traces of Paraver, the viewer of the Barcelona Supercomputing Center: a `.prv`, and `.pcf` and `.row` beside it.
//!
//! `header` reads the first line, `names` the files beside it, `meaning` says what states and events mean, `record` splits
//! lines, `source` turns them into rows.

#![warn(missing_docs)]

mod header;
mod meaning;
mod names;
mod record;
mod source;

use header::Header;
use meaning::Meanings;
use names::{Names, RowNames};
use source::{ParaverSource, Threads};
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::Path;
use wastenot_import::parallel::ProgramThread;
use wastenot_import::{ImportError, OpenTrace, Options, TraceInfo, Translator};

/// Bytes of a line at most.
const LONGEST_LINE: u64 = 1 << 20;

/// Whether a file that starts with these bytes is a trace of Paraver.
pub fn recognises(head: &[u8]) -> bool {
    head.starts_with(header::MARK)
}

/// Open the trace at `path`.
pub fn open(path: &Path, options: &Options) -> Result<OpenTrace, ImportError> {
    let unread = |cause| ImportError::io(path, cause);
    let file = File::open(path).map_err(unread)?;
    let length = file.metadata().map_err(unread)?.len();
    let mut lines = BufReader::with_capacity(1 << 18, file);
    let mut first = Vec::new();
    std::io::Read::take(&mut lines, LONGEST_LINE).read_until(b'\n', &mut first).map_err(unread)?;
    let line = String::from_utf8_lossy(&first);
    let header = Header::parse(line.trim()).map_err(|why| ImportError::damaged(path, format!("line 1: {why}")))?;
    let (pcf, row) = (names::beside(path, "pcf"), names::beside(path, "row"));
    let names = pcf.as_deref().map(Names::parse).unwrap_or_default();
    let rows = row.as_deref().map(RowNames::parse).unwrap_or_default();
    let events = meaning::call_events(path).map_err(unread)?;
    let meanings = Meanings::new(&names, events);
    let translator = Translator::shared(&options.affinity);
    {
        let mut notes = translator.borrow_mut();
        if pcf.is_none() {
            let file = path.with_extension("pcf");
            let name = file.file_name().unwrap_or_default().to_string_lossy();
            notes.note(format!(
                "{name} is not beside the trace: states and events are taken to have Paraver's own numbers"
            ));
        }
        notes.unverified(match meanings.is_of_scheduler() {
            true => "the trace has the threads of one program alone; what else ran on its CPUs is not known",
            false => "the trace does not say what the scheduler did; each thread is shown on a CPU of its own",
        });
    }
    let threads = threads(&header, &rows);
    let cpus = match meanings.is_of_scheduler() {
        true => header
            .cpus
            .max(rows.cpus.iter().enumerate().filter_map(|(n, _)| rows.cpu(n)).max().map_or(0, |c| c as u32 + 1)),
        false => threads.list.len() as u32,
    };
    let about = TraceInfo {
        source: "paraver",
        recorder: if meanings.is_of_scheduler() { "wastenot".into() } else { "unknown".into() },
        clock: "trace".into(),
        cpus: Some(cpus).filter(|cpus| (1..=8192).contains(cpus)),
        span_ns: Some((0, header.length_ns)),
        ..TraceInfo::default()
    };
    let source = ParaverSource::new(
        path,
        lines,
        first.len() as u64,
        length,
        &header,
        threads,
        meanings,
        rows,
        translator.clone(),
    );
    Ok(OpenTrace { about, sources: vec![Box::new(source)], translator })
}

/// The threads of all applications, in order: a task is a process where there are several.
fn threads(header: &Header, rows: &RowNames) -> Threads {
    let mut list: Vec<ProgramThread> = Vec::new();
    let (mut first_of_task, mut parents) = (Vec::new(), Vec::new());
    let count: usize = header.applications.iter().flatten().map(|n| *n as usize).sum();
    let named: Option<Vec<_>> = (0..count).map(|place| rows.rank(place)).collect();
    let distinct = named.as_ref().is_some_and(|named| {
        let mut tids: Vec<i32> = named.iter().map(|(_, tid)| *tid).collect();
        tids.sort_unstable();
        tids.dedup();
        tids.len() == count
    });
    let named = named.filter(|_| distinct);
    let highest = named.iter().flatten().map(|(_, tid)| *tid).max().unwrap_or(0).max(count as i32);
    for (application, tasks) in header.applications.iter().enumerate() {
        let prefix = if header.applications.len() > 1 { format!("app{}-", application + 1) } else { String::new() };
        // The process that started those of an application, or the one whose threads they are: not in the trace.
        let parent = highest + 1 + application as i32;
        parents.push(parent);
        let mut of_application = Vec::new();
        for (task, threads) in tasks.iter().enumerate() {
            of_application.push(list.len());
            let first = list.len();
            for thread in 0..*threads as usize {
                let place = list.len();
                let (name, tid) = match &named {
                    Some(named) => (named[place].0.to_owned(), named[place].1),
                    None => (
                        format!(
                            "{prefix}{}-{}",
                            if tasks.len() == 1 { "thread" } else { "rank" },
                            if tasks.len() == 1 { thread } else { task }
                        ),
                        place as i32 + 1,
                    ),
                };
                let tgid = match (tasks.len(), thread) {
                    (1, _) => parent,
                    (_, 0) => tid,
                    _ => list[first].tid,
                };
                list.push(ProgramThread { tid, tgid, parent, name: name.into() });
            }
        }
        first_of_task.push(of_application);
    }
    Threads { list, first_of_task, counts: header.applications.clone(), parents }
}
