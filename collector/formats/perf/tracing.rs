//! The tracepoints' formats as perf stores them: tracefs, packed (HEADER_TRACING_DATA).
//!
//! Source: tools/perf/util/trace-event-info.c, which writes it, and trace-event-read.c.

use crate::bytes::{Bytes, Cursor};
use wastenot_import::{Endian, Tracepoint};

/// More of them than this are damage.
const MAX_FORMATS: u32 = 1 << 16;

/// What the tracing data hold for us.
#[derive(Default)]
pub struct Tracing {
    /// The events that are read.
    pub points: Vec<Tracepoint>,
    /// Events whose format lacks a field: why.
    pub unusable: Vec<String>,
    /// Ids of all events whose format is there.
    pub ids: Vec<u32>,
    /// /proc/kallsyms, which old versions of perf stored there.
    pub kallsyms: Option<String>,
}

impl Tracing {
    /// None: damaged, and nothing could be read. What comes before damage is of use.
    pub fn parse(data: &[u8]) -> Option<Self> {
        let rest = data.strip_prefix(b"\x17\x08\x44tracing")?;
        let mut head = Cursor::new(Bytes::new(rest, Endian::Little));
        head.c_text()?; // version
        let endian = if head.u8()? == 0 { Endian::Little } else { Endian::Big };
        let mut cursor = Cursor::new(Bytes { endian, ..head.rest() });
        cursor.u8()?; // size of a long
        cursor.u32()?; // page size
        for expected in [&b"header_page"[..], b"header_event"] {
            if cursor.c_text()? != expected {
                return None;
            }
            cursor.long_block()?;
        }
        let mut tracing = Self::default();
        tracing.formats(&mut cursor, endian);
        Some(tracing)
    }

    fn formats(&mut self, cursor: &mut Cursor<'_>, endian: Endian) -> Option<()> {
        for _ in 0..cursor.u32()?.min(MAX_FORMATS) {
            self.format(cursor.long_block()?, endian); // ftrace's own
        }
        for _ in 0..cursor.u32()?.min(MAX_FORMATS) {
            cursor.c_text()?; // the system's name
            for _ in 0..cursor.u32()?.min(MAX_FORMATS) {
                self.format(cursor.long_block()?, endian);
            }
        }
        let size = usize::try_from(cursor.u32()?).ok()?;
        let kallsyms = cursor.take(size)?;
        self.kallsyms = (!kallsyms.is_empty()).then(|| String::from_utf8_lossy(kallsyms).into_owned());
        Some(())
    }

    /// Add the text of a `format` file.
    pub fn format(&mut self, text: &[u8], endian: Endian) {
        let text = String::from_utf8_lossy(text);
        let id: Option<u32> = text.lines().find_map(|line| line.trim().strip_prefix("ID:")?.trim().parse().ok());
        self.ids.extend(id);
        match Tracepoint::parse(&text, endian) {
            Some(Ok(point)) => self.points.push(point),
            Some(Err(why)) => self.unusable.push(why),
            None => {}
        }
    }
}
