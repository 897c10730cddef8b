//! Records that a decoder sends to the reader: a length, a tag and values, in the machine's own byte order.

use serde::{Deserialize, Serialize};
use wastenot_import::{FieldValues, MAX_FIELDS, Value};

/// Texts are cut to this many bytes; the longest of use is the path of a cgroup.
const MAX_TEXT: usize = 4096;
/// Frames of a stack; LTTng writes 128 at most.
pub const MAX_FRAMES: usize = 256;

const EVENT: u8 = 1;
const CALL: u8 = 2;
const LOST: u8 = 3;
const TRACE: u8 = 4;
const CLASS: u8 = 5;
const TIME: u8 = 6;
const PACKETS: u8 = 7;
const DAMAGED: u8 = 8;
const READY: u8 = 9;
const END: u8 = 10;
const NOTE: u8 = 11;

/// The environment of a trace.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CtfTraceInfo {
    pub hostname: Option<String>,
    pub kernel: Option<String>,
    /// Name and version, as one text.
    pub tracer: String,
    /// Major and minor version of LTTng-modules; None: another tracer.
    pub modules: Option<(u32, u32)>,
    pub clock: String,
    pub clock_uuid: Option<String>,
    pub epoch_ns: Option<i64>,
}

/// An event class that matters: of a channel (by the same text in every reading of the trace), with or without a kernel stack.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ClassInfo {
    pub number: u16,
    pub channel_number: u16,
    pub channel: String,
    pub event: String,
    pub stacks: bool,
    /// Why it cannot be read.
    pub lacks: Option<String>,
}

// A bit per field says which are numbers, another which are texts.
const _: () = assert!(MAX_FIELDS <= u8::BITS as usize);

/// An event of a class that has a shape.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct EventRecord<'a> {
    pub class: u16,
    pub port: u32,
    pub ts_ns: i64,
    pub cpu: i32,
    pub current: Option<i32>,
    pub values: FieldValues<'a>,
    /// Return addresses, 8 bytes each.
    pub stack: &'a [u8],
}

/// One record.
#[derive(Clone, Debug, PartialEq)]
pub enum Record<'a> {
    Event(EventRecord<'a>),
    /// Entry or exit of a function that was traced by its name.
    Call {
        class: u16,
        port: u32,
        ts_ns: i64,
        cpu: i32,
        ip: u64,
    },
    Lost {
        port: u32,
        cpu: i32,
        channel: u16,
        from_ns: i64,
        to_ns: i64,
        count: Option<u64>,
    },
    Trace(CtfTraceInfo),
    Class(ClassInfo),
    /// Nothing comes before this instant; so many events of no interest since the last such record.
    Time {
        ts_ns: i64,
        ignored: u64,
    },
    /// So many packets have been read in all.
    Packets(u64),
    /// The rest of a stream is lost.
    Damaged {
        port: u32,
        why: String,
    },
    Note(String),
    /// Every stream has been looked into.
    Ready,
    End,
}

/// Collects records as bytes.
#[derive(Default)]
pub struct Writer {
    pub bytes: Vec<u8>,
}

impl Writer {
    fn record(&mut self, tag: u8, fill: impl FnOnce(&mut Vec<u8>)) {
        let at = self.bytes.len();
        self.bytes.extend([0; 4]);
        self.bytes.push(tag);
        fill(&mut self.bytes);
        let length = (self.bytes.len() - at - 4) as u32;
        self.bytes[at..at + 4].copy_from_slice(&length.to_ne_bytes());
    }

    /// Append a record.
    pub fn write(&mut self, record: &Record<'_>) {
        match record {
            Record::Event(event) => self.event(event),
            Record::Call { class, port, ts_ns, cpu, ip } => self.record(CALL, |out| {
                out.extend(class.to_ne_bytes());
                out.extend(port.to_ne_bytes());
                out.extend(ts_ns.to_ne_bytes());
                out.extend(cpu.to_ne_bytes());
                out.extend(ip.to_ne_bytes());
            }),
            Record::Lost { port, cpu, channel, from_ns, to_ns, count } => self.record(LOST, |out| {
                out.extend(port.to_ne_bytes());
                out.extend(cpu.to_ne_bytes());
                out.extend(channel.to_ne_bytes());
                out.extend(from_ns.to_ne_bytes());
                out.extend(to_ns.to_ne_bytes());
                out.extend(count.unwrap_or(u64::MAX).to_ne_bytes());
            }),
            Record::Trace(about) => self.record(TRACE, |out| json(out, about)),
            Record::Class(about) => self.record(CLASS, |out| json(out, about)),
            Record::Time { ts_ns, ignored } => self.record(TIME, |out| {
                out.extend(ts_ns.to_ne_bytes());
                out.extend(ignored.to_ne_bytes());
            }),
            Record::Packets(packets) => self.record(PACKETS, |out| out.extend(packets.to_ne_bytes())),
            Record::Damaged { port, why } => self.record(DAMAGED, |out| {
                out.extend(port.to_ne_bytes());
                out.extend(why.as_bytes());
            }),
            Record::Note(note) => self.record(NOTE, |out| out.extend(note.as_bytes())),
            Record::Ready => self.record(READY, |_| {}),
            Record::End => self.record(END, |_| {}),
        }
    }

    /// Append an event.
    #[inline]
    pub fn event(&mut self, event: &EventRecord<'_>) {
        self.record(EVENT, |out| {
            out.extend(event.class.to_ne_bytes());
            out.extend(event.port.to_ne_bytes());
            out.extend(event.ts_ns.to_ne_bytes());
            out.extend(event.cpu.to_ne_bytes());
            out.extend(event.current.unwrap_or(-1).to_ne_bytes());
            let (mut numbers, mut texts) = (0u8, 0u8);
            for (n, value) in event.values.iter().enumerate() {
                numbers |= u8::from(matches!(value, Value::Number(_))) << n;
                texts |= u8::from(matches!(value, Value::Text(_))) << n;
            }
            out.extend([numbers, texts]);
            out.extend((event.stack.len() as u32).to_ne_bytes());
            for value in &event.values {
                match value {
                    Value::Absent => {}
                    Value::Number(number) => out.extend(number.to_ne_bytes()),
                    Value::Text(text) => {
                        let text = &text[..text.len().min(MAX_TEXT)];
                        out.extend((text.len() as u16).to_ne_bytes());
                        out.extend(text);
                    }
                }
            }
            out.extend(event.stack);
        });
    }
}

fn json(out: &mut Vec<u8>, value: &impl Serialize) {
    serde_json::to_writer(out, value).expect("texts and numbers only");
}

/// The first record of `bytes` and its length. None: it is not complete yet; an error: the bytes are malformed.
#[inline]
pub fn read(bytes: &[u8]) -> Result<Option<(Record<'_>, usize)>, ()> {
    let Some((length, rest)) = bytes.split_first_chunk::<4>() else { return Ok(None) };
    let length = u32::from_ne_bytes(*length) as usize;
    let Some(mut body) = rest.get(..length).map(Body) else { return Ok(None) };
    let record = body.record().ok_or(())?;
    Ok(Some((record, 4 + length)))
}

struct Body<'a>(&'a [u8]);

macro_rules! take {
    ($body:expr, $kind:ty) => {{
        let (head, rest) = $body.0.split_first_chunk::<{ size_of::<$kind>() }>()?;
        $body.0 = rest;
        <$kind>::from_ne_bytes(*head)
    }};
}

impl<'a> Body<'a> {
    #[inline]
    fn bytes(&mut self, count: usize) -> Option<&'a [u8]> {
        let (head, rest) = self.0.split_at_checked(count)?;
        self.0 = rest;
        Some(head)
    }

    fn text(&self) -> String {
        String::from_utf8_lossy(self.0).into_owned()
    }

    #[inline]
    fn record(&mut self) -> Option<Record<'a>> {
        Some(match take!(self, u8) {
            EVENT => Record::Event(self.event()?),
            CALL => Record::Call {
                class: take!(self, u16),
                port: take!(self, u32),
                ts_ns: take!(self, i64),
                cpu: take!(self, i32),
                ip: take!(self, u64),
            },
            LOST => Record::Lost {
                port: take!(self, u32),
                cpu: take!(self, i32),
                channel: take!(self, u16),
                from_ns: take!(self, i64),
                to_ns: take!(self, i64),
                count: Some(take!(self, u64)).filter(|&count| count != u64::MAX),
            },
            TRACE => Record::Trace(serde_json::from_slice(self.0).ok()?),
            CLASS => Record::Class(serde_json::from_slice(self.0).ok()?),
            TIME => Record::Time { ts_ns: take!(self, i64), ignored: take!(self, u64) },
            PACKETS => Record::Packets(take!(self, u64)),
            DAMAGED => Record::Damaged { port: take!(self, u32), why: self.text() },
            NOTE => Record::Note(self.text()),
            READY => Record::Ready,
            END => Record::End,
            _ => return None,
        })
    }

    #[inline]
    fn event(&mut self) -> Option<EventRecord<'a>> {
        let mut event = EventRecord {
            class: take!(self, u16),
            port: take!(self, u32),
            ts_ns: take!(self, i64),
            cpu: take!(self, i32),
            current: Some(take!(self, i32)).filter(|&tid| tid >= 0),
            ..EventRecord::default()
        };
        let (numbers, texts, stack) = (take!(self, u8), take!(self, u8), take!(self, u32));
        for (n, value) in event.values.iter_mut().enumerate() {
            if numbers >> n & 1 == 1 {
                *value = Value::Number(take!(self, i64));
            } else if texts >> n & 1 == 1 {
                let length = take!(self, u16);
                *value = Value::Text(self.bytes(length.into())?);
            }
        }
        event.stack = self.bytes(stack as usize)?;
        Some(event)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_are_read_as_written_and_only_when_complete() {
        let mut values = FieldValues::default();
        (values[0], values[1], values[3]) = (Value::Number(-1), Value::Text(b"hog"), Value::Number(i64::MAX));
        let event = EventRecord { class: 3, port: 9, ts_ns: -5, cpu: 2, current: Some(0), values, stack: &[7; 16] };
        let about = ClassInfo {
            number: 1,
            channel_number: 0,
            channel: "a/0".into(),
            event: "sched_switch".into(),
            stacks: true,
            lacks: None,
        };
        let records = [
            Record::Event(event),
            Record::Call { class: 1, port: 2, ts_ns: 3, cpu: 4, ip: 5 },
            Record::Lost { port: 7, cpu: -1, channel: 1, from_ns: 1, to_ns: 2, count: None },
            Record::Class(about),
            Record::Trace(CtfTraceInfo::default()),
            Record::Time { ts_ns: 8, ignored: 9 },
            Record::Packets(4),
            Record::Damaged { port: 1, why: "cut".into() },
            Record::Note("odd".into()),
            Record::Ready,
            Record::End,
        ];
        let mut writer = Writer::default();
        records.iter().for_each(|record| writer.write(record));
        let mut bytes = &writer.bytes[..];
        for record in &records {
            let (got, length) = read(bytes).unwrap().unwrap();
            assert_eq!(got, *record);
            assert!((0..length).all(|cut| read(&bytes[..cut]) == Ok(None)));
            bytes = &bytes[length..];
        }
        assert!(bytes.is_empty() && read(&[1, 0, 0, 0, 99]).is_err());
    }
}
