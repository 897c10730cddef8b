//! An export of ours: rows in windows of ids, so that the trace comes back as it was.
//!
//! A window holds the rows of all event tables whose ids lie in it. The packet that ends a window says so; what is read
//! before is put in the order of ids. `FtraceEvent`s are for other programs and passed over; only exports of version 1
//! have rows in no other form (`version_1`). The README describes the fields.

use crate::fields::packet;
use crate::packets::{End, Stream};
use crate::restore::{RestoreTarget, RestoredIds, events, view};
use crate::version_1;
use crate::wire::{Malformed, Message, Value};
use arrow_array::Array;
use arrow_array::cast::AsArray;
use arrow_schema::{DataType, Field, Schema};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use wastenot_assemble::{Error, Interner, Progress, Row, Source};
use wastenot_import::{ImportError, OpenTrace, Options, OriginalTrace, SharedTranslator, TraceInfo, Translator};
use wastenot_schemas::{self as tables, EvidenceLists, RecordedEvidence};

/// Version of what is written beside Perfetto's own fields. It grows when a reader of the older one would misread it.
pub const VERSION: u64 = 2;
/// Where the ids end: no event comes after the packet that says so.
pub const LAST: i64 = i64::MAX;
/// Ids of a window.
pub const WINDOW: i64 = 1 << 16;
/// A window has no more rows than ids, but a damaged file may have.
const MOST_ROWS: usize = 4 * WINDOW as usize;

/// The version of an export by wastenot; None for other files and for versions that are not known, whose `FtraceEvent`s
/// are those of any trace.
pub fn export_version(path: &Path) -> Result<Option<u64>, ImportError> {
    let mut buffer = Vec::new();
    if Stream::open(path)?.next(&mut buffer)?.is_err() {
        return Ok(None);
    }
    let field_of = |bytes, number| Message::new(bytes).flatten().find(|(field, _)| *field == number);
    let header = field_of(&buffer, packet::HEADER);
    let version = header.and_then(|(_, value)| field_of(value.bytes(), 1)).map(|(_, version)| version.number());
    Ok(version.filter(|version| [version_1::VERSION, VERSION].contains(version)))
}

/// Open the export of this version at `path`.
pub fn open(path: &Path, version: u64, options: &Options) -> Result<OpenTrace, ImportError> {
    let translator = Translator::shared(&options.affinity);
    let mut about =
        TraceInfo { source: "perfetto", recorder: "wastenot".into(), clock: "boottime".into(), ..TraceInfo::default() };
    let mut original = OriginalTrace::default();
    let mut stream = Stream::open(path)?;
    let mut buffer = Vec::new();
    // The entities precede the first event.
    while stream.next(&mut buffer)?.is_ok() {
        let mut parts = PacketParts::of(&buffer).map_err(|_| damaged(path))?;
        if parts.bundle.is_some() || parts.settled.is_some() {
            break;
        }
        let Some((table, message)) = parts.rows.take() else { continue };
        let read = entity(&table, message, &mut about, &mut original, &translator);
        read.map_err(|_| damaged(path))?;
    }
    if about.span_ns.is_none() {
        return Err(ImportError::damaged(path, "an export by wastenot, cut off before its events; export it again"));
    }
    translator.borrow_mut().is_export_of(original);
    let source = Export {
        path: path.into(),
        events_in_bundles: version == version_1::VERSION,
        stream: Stream::open(path)?,
        buffer,
        known: RestoredIds::default(),
        window: Vec::new(),
        base: i64::MIN,
        last_ns: about.span_ns.map_or(0, |(start, _)| start),
        end_ns: about.span_ns.map_or(0, |(_, end)| end),
        damaged: false,
        declared: !options.affinity.is_empty(),
        translator: translator.clone(),
        finished: false,
        ended: false,
    };
    Ok(OpenTrace { about, sources: vec![Box::new(source)], translator })
}

fn damaged(path: &Path) -> ImportError {
    ImportError::damaged(path, "an export by wastenot whose tables cannot be read; export it again")
}

/// Take what the entity tables hold of the trace as a whole.
fn entity(
    table: &str,
    message: &[u8],
    about: &mut TraceInfo,
    original: &mut OriginalTrace,
    translator: &SharedTranslator,
) -> Result<(), Malformed> {
    macro_rules! batch {
        ($name:ident) => {{
            let batch = crate::columns::read(message, &tables::$name::schema())?;
            tables::$name::View::try_new(&batch).map_err(|_| Malformed)?;
            original.machine.push((tables::$name::NAME, batch));
        }};
    }
    match table {
        tables::machine::NAME => batch!(machine),
        tables::cpu::NAME => batch!(cpu),
        tables::numa_node::NAME => batch!(numa_node),
        tables::domain::NAME => batch!(domain),
        tables::domain_group::NAME => batch!(domain_group),
        tables::evidence::NAME => {
            let view = view(message, tables::evidence::schema(), tables::evidence::View::try_new)?;
            original.recorded = RecordedEvidence::from_views(&[view]);
        }
        tables::trace::NAME => {
            let view = view(message, tables::trace::schema(), tables::trace::View::try_new)?;
            if view.is_empty() {
                return Err(Malformed);
            }
            let text = |column: &arrow_array::StringArray| column.value(0).to_owned();
            let optional = |column: &arrow_array::StringArray| column.is_valid(0).then(|| text(column));
            about.recorder = text(&view.recorder);
            about.kernel = optional(&view.kernel);
            about.clock = text(&view.clock);
            about.epoch_ns = view.epoch_ns.is_valid(0).then(|| view.epoch_ns.value(0));
            about.span_ns = Some((view.start_ns.value(0), view.end_ns.value(0)));
            about.command = optional(&view.command);
            original.evidence_level = text(&view.evidence_level);
            original.queued_wakings_only =
                view.queued_wakings_only.is_valid(0).then(|| view.queued_wakings_only.value(0));
            let mut translator = translator.borrow_mut();
            view.notes(0).into_iter().for_each(|note| translator.note(note));
            if view.schema_version.value(0) < 5 {
                let lists = evidence_lists(message, view.schema_version.value(0))?;
                original.recorded = lists.recorded(&original.evidence_level);
                lists.other_notes().for_each(|note| translator.note(note.as_str()));
            }
            view.unverified(0).into_iter().for_each(|statement| translator.unverified(statement));
            if !view.complete.value(0) {
                translator.incomplete("the trace that was exported was not whole");
            }
        }
        _ => {}
    }
    Ok(())
}

/// The lists of evidence that the row of `trace` had before version 5 of the schema.
fn evidence_lists(message: &[u8], version: i32) -> Result<EvidenceLists, Malformed> {
    const LISTS: [&str; 4] = ["recorded_evidence", "recorded_excuses", "unrecorded_excuses", "degraded"];
    let item = Arc::new(Field::new("item", DataType::Utf8, true));
    let fields: Vec<Field> = LISTS.map(|name| Field::new(name, DataType::List(item.clone()), false)).into();
    let batch = crate::columns::read(message, &Arc::new(Schema::new(fields)))?;
    let texts = |column: usize| -> Vec<String> {
        let list = batch.column(column).as_list::<i32>().value(0);
        list.as_string::<i32>().iter().flatten().map(str::to_owned).collect()
    };
    Ok(EvidenceLists {
        recorded_evidence: (version >= 3).then(|| texts(0)),
        recorded_excuses: (version >= 3).then(|| texts(1)),
        unrecorded_excuses: texts(2),
        notes: texts(3),
    })
}

/// The parts of a packet that are read.
#[derive(Default)]
struct PacketParts<'a> {
    bundle: Option<&'a [u8]>,
    rows: Option<(String, &'a [u8])>,
    settled: Option<i64>,
}

impl<'a> PacketParts<'a> {
    fn of(bytes: &'a [u8]) -> Result<Self, Malformed> {
        let mut parts = Self::default();
        for field in Message::new(bytes) {
            match field? {
                (packet::FTRACE_EVENTS, Value::Bytes(bytes)) => parts.bundle = Some(bytes),
                (packet::ROWS, Value::Bytes(bytes)) => parts.rows = Some((crate::columns::table(bytes)?, bytes)),
                (packet::SETTLED, Value::Varint(id)) => parts.settled = Some(id as i64),
                _ => {}
            }
        }
        Ok(parts)
    }
}

/// All events of an export, in the order of their ids.
struct Export {
    path: PathBuf,
    /// Some rows are in bundles only, as version 1 has them.
    events_in_bundles: bool,
    stream: Stream,
    buffer: Vec<u8>,
    known: RestoredIds,
    window: Vec<(i64, Row)>,
    /// Ids below this have been handed out.
    base: i64,
    /// Time of the last row handed out; at first the start of the trace.
    last_ns: i64,
    end_ns: i64,
    /// Something in this window cannot be read.
    damaged: bool,
    declared: bool,
    translator: SharedTranslator,
    /// All events have been seen.
    finished: bool,
    ended: bool,
}

impl Export {
    /// Take the next packet; true when it ends a window.
    fn packet(&mut self, ids: &mut Interner) -> Result<bool, ImportError> {
        let mut buffer = std::mem::take(&mut self.buffer);
        match self.stream.next(&mut buffer)? {
            Ok(_) => {}
            Err(end) => {
                let why = match end {
                    End::Early(why) => Some(why),
                    End::Whole if self.finished => None,
                    End::Whole => Some("cut off: the last packets are missing; all before them was read".into()),
                };
                if let Some(why) = why {
                    self.translator.borrow_mut().incomplete(why);
                    self.damaged = true;
                }
                self.ended = true;
                return Ok(true);
            }
        }
        let settled = self.take(&buffer, ids).unwrap_or_else(|_| {
            self.damaged = true;
            let mut translator = self.translator.borrow_mut();
            translator.garbled();
            translator.incomplete("damaged: packets of events or rows that cannot be read were left out");
            false
        });
        self.buffer = buffer;
        Ok(settled || self.window.len() > MOST_ROWS)
    }

    fn take(&mut self, bytes: &[u8], ids: &mut Interner) -> Result<bool, Malformed> {
        let parts = PacketParts::of(bytes)?;
        if let Some(bundle) = parts.bundle.filter(|_| self.events_in_bundles) {
            version_1::bundle(bundle, &self.known, &mut self.translator.borrow_mut(), &mut self.window)?;
        }
        if let Some((table, message)) = parts.rows {
            match table.as_str() {
                tables::mask::NAME | tables::stack::NAME | tables::cgroup::NAME => {
                    self.known.entity(&table, message, ids)?;
                }
                _ => {
                    let mut translator = self.translator.borrow_mut();
                    let (known, out) = (&self.known, &mut self.window);
                    let mut to =
                        RestoreTarget { known, translator: &mut translator, ids, out, declared: self.declared };
                    events(&table, message, &mut to)?;
                }
            }
        }
        self.finished |= parts.settled == Some(LAST);
        Ok(parts.settled.is_some())
    }
}

impl Source for Export {
    fn name(&self) -> String {
        self.path.display().to_string()
    }

    fn read(&mut self, ids: &mut Interner, rows: &mut Vec<Row>) -> Result<Progress, Error> {
        let ended = loop {
            let done = self.packet(ids).map_err(|e| Error::Source { source: self.name(), why: e.to_string() })?;
            if done {
                break self.ended;
            }
        };
        self.window.sort_by_key(|(id, _)| *id);
        if std::mem::take(&mut self.damaged) {
            // The rest of a damaged window cannot be trusted: a loss on all CPUs.
            let end = match ended {
                true => {
                    self.window.clear();
                    self.end_ns
                }
                false => self.window.iter().map(|(_, row)| row.ts_ns).fold(self.last_ns, i64::max),
            };
            self.translator.borrow_mut().lost(None, self.last_ns, end, None, ids, rows);
        }
        let (first, last) = (self.window.first(), self.window.last());
        if let (Some((first, _)), Some((last, _))) = (first, last) {
            if *first < self.base {
                self.translator.borrow_mut().note("damaged: events of this export are not in their original order");
            }
            self.base = *last + 1;
        }
        self.last_ns = self.window.iter().map(|(_, row)| row.ts_ns).fold(self.last_ns, i64::max);
        rows.extend(self.window.drain(..).map(|(_, row)| row));
        self.translator.borrow_mut().set_done(self.stream.done());
        Ok(if ended { Progress::End } else { Progress::Settled(self.last_ns) })
    }
}
