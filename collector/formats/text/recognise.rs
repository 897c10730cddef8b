//! Whether a file's head is a tracer's text.

use crate::frames::frame;
use crate::head::LineHead;
use crate::lines::whole_lines;
use crate::lost::{cpus, lost_events};
use memchr::memmem::find;

/// Lines that decide.
const MAX_LINES: usize = 64;

/// What pages with a trace in them have in their heads: systrace and Chrome's trace viewer, whose own scripts come first.
const PAGES: [&[u8]; 5] =
    [b"class=\"trace-data\"", b"linuxPerfData", b"<title>Android System Trace", b"<html trace-viewer", b"Trace Viewer"];

/// The head is the start of a page that can hold a trace.
pub fn is_page(head: &[u8]) -> bool {
    let text = head.strip_prefix(b"\xef\xbb\xbf").unwrap_or(head).trim_ascii_start();
    let begin = &text[..text.len().min(15)].to_ascii_lowercase();
    (begin.starts_with(b"<!doctype html") || begin.starts_with(b"<html") || begin.starts_with(b"<script"))
        && PAGES.iter().any(|mark| find(head, mark).is_some())
}

/// The head is the start of a text that tracers print: `# tracer:`, or events in most of its lines. (A program or a table that
/// mentions some is not one.)
pub fn is_text(head: &[u8]) -> bool {
    if head.contains(&0) {
        return false;
    }
    let mut lines = whole_lines(head).filter(|line| !line.trim_ascii().is_empty()).peekable();
    if lines.peek().is_some_and(|line| line.starts_with(b"# tracer: ")) {
        return true;
    }
    let (mut events, mut others) = (0, 0);
    for line in lines.filter(|line| !line.starts_with(b"#")).take(MAX_LINES) {
        if LineHead::parse(line).is_some_and(|head| head.is_possible()) {
            events += 1;
        } else if frame(line).is_none() && lost_events(line).is_none() && cpus(line).is_none() {
            others += 1;
        }
    }
    events > others
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn traces_are_recognised_by_what_they_hold() {
        let event = " a-1 [000] d..2. 5.000001: sched_wakeup: comm=a pid=1 prio=1 target_cpu=000\n";
        for text in [
            "# tracer: nop\n#\n".to_owned(),
            format!("cpus=8\n{event}"),
            format!("\r\n{event}"),
            format!("CPU:1 [LOST 3 EVENTS]\n{event} => schedule\n"),
            "perf 1 [000] 5.1: sched:sched_wakeup: x\n\tffffffff81 schedule+0x1 ([kernel.kallsyms])\n".to_owned(),
        ] {
            assert!(is_text(text.as_bytes()), "{text}");
        }
        assert!(is_page(b"<!DOCTYPE html>\n<html>\n<head><title>Android System Trace</title>"));
        assert!(is_page(b"<script class=\"trace-data\" type=\"application/text\">"));
    }

    #[test]
    fn texts_about_traces_are_not_traces() {
        let event = "\" a-1 [000] d..2. 5.000001: sched_wakeup: comm=a\",\n";
        for text in [
            "".to_owned(),
            "# a comment\nx = 1\n".to_owned(),
            "ts,cpu,event\n1.5,0,sched_switch\n".to_owned(),
            format!("fn test() {{\n    let line = {event}    assert!(x);\n}}\n"),
            "{\"traceEvents\": []}\n".to_owned(),
            "#include <stdio.h>\nint main() { return 0; }\n".to_owned(),
            " a-1 [000] d..2. 5.000001: e: x\0\0\n".to_owned(),
        ] {
            assert!(!is_text(text.as_bytes()) && !is_page(text.as_bytes()), "{text}");
        }
        assert!(!is_page(b"<!DOCTYPE html>\n<html><body>sched_switch</body></html>"));
        assert!(!is_page(b"a page with linuxPerfData"));
    }
}
