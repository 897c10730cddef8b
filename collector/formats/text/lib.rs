//! Reads what ftrace and its tools print: `trace`, `trace_pipe`, trace-cmd report, perf script, systrace and atrace HTML.
//!
//! `lines` splits a file into lines, `order` finds out in which order they are, `head` reads task, CPU and time of an event,
//! `body` its fields, `frames` stacks, `lost` what is missing; `source` turns lines into rows.

#![warn(missing_docs)]

mod body;
mod frames;
mod head;
mod lines;
mod lost;
mod order;
mod recognise;
mod source;

use head::LineHead;
use lines::{Lines, whole_lines};
use source::{TextFile, TextSource};
use std::cell::Cell;
use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::rc::Rc;
use wastenot_assemble::Source;
use wastenot_import::{ImportError, OpenTrace, Options, TraceInfo, Translator};

/// How much of a file is read to recognise it (bytes).
const HEAD: u64 = 64 << 10;

/// Whether a file that starts with these bytes is such a text.
pub fn recognises(head: &[u8]) -> bool {
    recognise::is_text(head) || recognise::is_page(head)
}

/// Open the trace at `path`.
pub fn open(path: &Path, options: &Options) -> Result<OpenTrace, ImportError> {
    let unread = |cause| ImportError::io(path, cause);
    let file = Rc::new(File::open(path).map_err(unread)?);
    let len = file.metadata().map_err(unread)?.len();
    let mut head = vec![0; len.min(HEAD) as usize];
    file.read_exact_at(&mut head, 0).map_err(unread)?;
    if !recognises(&head) {
        return Err(ImportError::damaged(
            path,
            "not a text of ftrace or its tools: most of its first lines are not events",
        ));
    }
    let is_html = recognise::is_page(&head);
    let order = match is_html {
        true => order::FileOrder { pieces: vec![(0, len)], has_buffers: false },
        false => order::file_order(&file, len).map_err(unread)?,
    };
    let translator = Translator::shared(&options.affinity);
    let text = Rc::new(TextFile {
        path: path.display().to_string(),
        translator: Rc::clone(&translator),
        symbols: Rc::new(options.symbols(&[path.to_owned()], || None)),
        len,
        read: Cell::new(0),
        has_buffers: order.has_buffers,
        is_html,
    });
    let parted = order.pieces.len() > 1;
    let source = |(from, to)| -> Box<dyn Source> {
        let cpu = parted.then(|| first_cpu(&file, from, to)).flatten();
        let lines = Lines::new(Rc::clone(&file), from, to, is_html);
        Box::new(TextSource::new(Rc::clone(&text), lines, cpu))
    };
    let sources = order.pieces.into_iter().map(source).collect();
    Ok(OpenTrace { about: about(&head, is_html), sources, translator })
}

/// The CPU of the first event between two bytes.
fn first_cpu(file: &Rc<File>, from: u64, to: u64) -> Option<i16> {
    let mut lines = Lines::new(Rc::clone(file), from, to, false);
    while let Ok(Some(line)) = lines.next() {
        if let Some(head) = LineHead::parse(line).filter(LineHead::is_possible) {
            return i16::try_from(head.cpu).ok();
        }
    }
    None
}

fn about(head: &[u8], is_html: bool) -> TraceInfo {
    let cpus = whole_lines(head)
        .take(64)
        .find_map(|line| lost::cpus(line).or_else(|| lost::overwritten(line).map(|(_, cpus)| cpus)))
        .filter(|cpus| (1..=8192).contains(cpus));
    let first = whole_lines(head).find_map(LineHead::parse);
    let recorder = match first {
        _ if is_html => "systrace",
        _ if head.starts_with(b"cpus=") => "trace-cmd report",
        Some(first) if first.event.contains(&b':') => "perf script",
        _ => "ftrace",
    };
    TraceInfo {
        source: "ftrace",
        recorder: recorder.into(),
        clock: "unknown".into(), // none of them prints it
        cpus: cpus.map(|cpus| cpus as u32),
        ..TraceInfo::default()
    }
}
