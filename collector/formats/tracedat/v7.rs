//! Version 7: sections, sections through chained lists of options; any of them may be compressed.

use crate::bytes::Bytes;
use crate::formats::Formats;
use crate::layout::{Buffer, CpuData, FileHeader, Kallsyms, Layout, MAX_CPUS, MAX_PART, Part, check_page};
use crate::options::{RecordingOptions, option};
use crate::trace_file::TraceFile;
use wastenot_import::ImportError;

/// The section's content is compressed.
const COMPRESSED: u16 = 1;
const SECTION_HEAD: u64 = 16;
/// Lists of options chained to each other; more are a ring.
const MAX_LISTS: usize = 4096;

/// Offsets of sections, which the options hold.
#[derive(Default)]
struct Sections {
    header_info: Option<u64>,
    ftrace: Option<u64>,
    events: Option<u64>,
    kallsyms: Option<u64>,
    cmdlines: Option<u64>,
    /// Content of each BUFFER option.
    buffers: Vec<Vec<u8>>,
    has_text: bool,
}

/// Read the sections; the first list of options is at `first`.
pub fn read(disk: &TraceFile, head: FileHeader, first: u64) -> Result<Layout, ImportError> {
    let (mut options, mut sections) = (RecordingOptions::default(), Sections::default());
    let mut flaws = Vec::new();
    let mut next = first;
    for list in 0.. {
        if list == MAX_LISTS {
            return Err(disk.damaged("its lists of options run in a ring"));
        }
        match read_options(disk, head, next, &mut options, &mut sections) {
            Some(0) => break,
            Some(after) => next = after,
            None if list == 0 => {
                return Err(disk.damaged(format!(
                    "the list of its sections, at byte {first} of {}, is cut off or damaged; was the recording ended?",
                    disk.len
                )));
            }
            None => {
                flaws.push(format!("a list of options at byte {next} of {} is cut off or damaged", disk.len));
                break;
            }
        }
    }
    let mut formats = Formats::default();
    let mut part = |at: Option<u64>, what: &str| {
        let content =
            section(disk, head, at?).ok_or("is cut off".to_owned()).and_then(|part| part.read(disk, head.compression));
        content.map_err(|why| flaws.push(format!("its {what} {why}"))).ok()
    };
    let page = part(sections.header_info, "page header").unwrap_or_default();
    formats.header_page(&page);
    let ftrace = part(sections.ftrace, "list of ftrace's own formats").unwrap_or_default();
    let events = part(sections.events, "list of event formats");
    let cmdlines = part(sections.cmdlines, "list of command lines").unwrap_or_default();
    let _ = formats.ftrace(&mut Bytes::new(&ftrace, head.endian), head.endian);
    let Some(()) = events.and_then(|events| formats.events(&mut Bytes::new(&events, head.endian), head.endian)) else {
        return Err(disk.damaged("the formats of its events are missing, cut off or damaged: nothing can be read"));
    };
    let buffers: Vec<_> = sections.buffers.iter().map(|data| buffer(disk, head, data)).collect::<Result<_, _>>()?;
    if buffers.is_empty() {
        let why = "it names no buffer of events: it was cut off, or the recording was not ended";
        return Err(disk.damaged(if sections.has_text { crate::TEXT_ONLY } else { why }));
    }
    let kallsyms = sections.kallsyms.and_then(|at| section(disk, head, at)).map(|part| Kallsyms { part, skip: 4 });
    let cmdlines = cmdlines.get(8..).unwrap_or_default().to_vec();
    Ok(Layout { head, formats, options, buffers, kallsyms, cmdlines, flaws })
}

/// The content of the section whose head is at `at`.
fn section(disk: &TraceFile, head: FileHeader, at: u64) -> Option<Part> {
    let (flags, size) = section_head(disk, head, at)?;
    let offset = at + SECTION_HEAD;
    if flags & COMPRESSED == 0 {
        return Some(Part { offset, size, packed_from: None });
    }
    let sizes = disk.bytes(offset, 8)?;
    let mut sizes = Bytes::new(&sizes, head.endian);
    Some(Part { size: sizes.u32()?.into(), packed_from: Some(sizes.u32()?.into()), offset: offset + 8 })
}

/// Flags and size of a section.
fn section_head(disk: &TraceFile, head: FileHeader, at: u64) -> Option<(u16, u64)> {
    let bytes = disk.bytes(at, SECTION_HEAD)?;
    let mut bytes = Bytes::new(&bytes, head.endian);
    let (_id, flags, _description) = (bytes.u16()?, bytes.u16()?, bytes.u32()?);
    Some((flags, bytes.u64()?))
}

/// Read one list of options; where the next one lies (0: this was the last).
fn read_options(
    disk: &TraceFile,
    head: FileHeader,
    at: u64,
    options: &mut RecordingOptions,
    sections: &mut Sections,
) -> Option<u64> {
    let part = section(disk, head, at)?;
    let content = if part.packed_from.is_none() && part.size <= MAX_PART {
        // Its size is not relied on: the list ends with an option that says so.
        disk.bytes(part.offset, part.size.max(SECTION_HEAD).min(disk.len.checked_sub(part.offset)?))?
    } else {
        part.read(disk, head.compression).ok()?
    };
    let mut bytes = Bytes::new(&content, head.endian);
    loop {
        let (id, size) = (bytes.u16()?, bytes.u32()?);
        let data = bytes.take_sized(size.into())?;
        let place = Bytes::new(data, head.endian).u64();
        match id {
            option::DONE => return place,
            option::HEADER_INFO => sections.header_info = place,
            option::FTRACE_EVENTS => sections.ftrace = place,
            option::EVENT_FORMATS => sections.events = place,
            option::KALLSYMS => sections.kallsyms = place,
            option::CMDLINES => sections.cmdlines = place,
            option::BUFFER => sections.buffers.push(data.to_vec()),
            option::BUFFER_TEXT => sections.has_text = true,
            _ => options.take(id, data, head.endian),
        }
    }
}

/// A BUFFER option.
fn buffer(disk: &TraceFile, head: FileHeader, data: &[u8]) -> Result<Buffer, ImportError> {
    let mut bytes = Bytes::new(data, head.endian);
    let mut read = || {
        let offset = bytes.u64()?;
        let name = String::from_utf8_lossy(bytes.text()?).into_owned();
        let clock = String::from_utf8_lossy(bytes.text()?).into_owned();
        Some((offset, name, clock, bytes.u32()?, bytes.u32()?))
    };
    let (offset, name, clock, page_size, count) =
        read().ok_or_else(|| disk.damaged("the description of one of its buffers is cut off"))?;
    check_page(disk, page_size)?;
    if count > MAX_CPUS {
        return Err(disk.damaged(format!("buffer {name:?} is said to have {count} CPUs, more than there can be")));
    }
    let mut entry = || Some(CpuData { cpu: bytes.u32()?, offset: bytes.u64()?, size: bytes.u64()? });
    let cpus: Vec<_> = (0..count).map_while(|_| entry()).collect();
    if cpus.len() < count as usize || cpus.iter().any(|data| data.cpu >= MAX_CPUS) {
        return Err(disk.damaged(format!("the table of the CPUs of buffer {name:?} is damaged")));
    }
    let flags = section_head(disk, head, offset).map_or(0, |(flags, _)| flags);
    let clock = Some(clock).filter(|clock| !clock.is_empty());
    Ok(Buffer { name, clock, page_size, compressed: flags & COMPRESSED != 0, cpus })
}
