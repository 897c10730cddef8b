//! Raw tracepoint records, as ftrace and perf write them, by the text of the event's `format` file.

use crate::{EventShape, FieldValues, KernelEvent, MAX_FIELDS, Value, ValueType, shape_of};
use wastenot_topology::task_state::{StateBits, bits_of_print_format};

/// Byte order of the machine that wrote the trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Endian {
    Little,
    Big,
}

/// A field of a raw record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Field {
    offset: usize,
    size: usize,
    signed: bool,
    location: DataLocation,
    /// It is read as a text.
    is_text: bool,
}

/// Where the bytes of a field are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum DataLocation {
    InField,
    /// The field holds the offset of the data in the record (low 16 bits) and its length (high 16): `__data_loc`.
    InRecord,
    /// The same, counted from the field's end: `__rel_loc`.
    AfterField,
}

/// An event that is read, and where its fields are in a raw record.
#[derive(Clone, Debug)]
pub struct Tracepoint {
    /// `common_type` of its records.
    pub id: u32,
    /// What it means.
    pub shape: &'static EventShape,
    fields: [Option<Field>; MAX_FIELDS],
    /// The bits of prev_state that the print format names.
    printed: Option<StateBits>,
    common_pid: Option<Field>,
    /// Where its last field ends.
    size: usize,
    /// A field has its data elsewhere in the record, so that records are longer.
    is_variable: bool,
    endian: Endian,
}

impl Tracepoint {
    /// The bits of prev_state that the print format of one of these events names.
    pub fn state_bits(formats: &[Self]) -> Option<&StateBits> {
        formats.iter().find_map(|format| format.printed.as_ref())
    }

    /// From the text of a `format` file. None: the event is not read; an error: it lacks a field.
    pub fn parse(text: &str, endian: Endian) -> Option<Result<Self, String>> {
        let mut lines = text.lines().map(str::trim);
        let name = lines.find_map(|line| line.strip_prefix("name:"))?.trim();
        let shape = shape_of(name)?;
        Some(Self::of_shape(shape, text, endian))
    }

    fn of_shape(shape: &'static EventShape, text: &str, endian: Endian) -> Result<Self, String> {
        let (mut id, mut fields, mut printed) = (None, Vec::new(), None);
        for line in text.lines().map(str::trim) {
            if let Some(number) = line.strip_prefix("ID:") {
                id = number.trim().parse().ok();
            } else if line.starts_with("field:") {
                fields.extend(parse_field(line));
            } else if let Some(print) = line.strip_prefix("print fmt:") {
                printed = bits_of_print_format(print);
            }
        }
        let of = |name: &str| fields.iter().find(|(known, _)| *known == name).map(|(_, field)| *field);
        let names = shape.names(|name| of(name).is_some())?;
        let field = |n: usize| {
            let name = names.get(n).copied().flatten()?;
            of(name).map(|field| Field { is_text: shape.fields[n].value_type == ValueType::Text, ..field })
        };
        let has_state = shape.fields.iter().any(|field| field.value_type == ValueType::State);
        Ok(Self {
            id: id.ok_or_else(|| format!("the format of {} has no ID", shape.name))?,
            shape,
            fields: std::array::from_fn(field),
            printed: printed.filter(|_| has_state),
            common_pid: of("common_pid"),
            size: fields.iter().map(|(_, field)| field.offset.saturating_add(field.size)).max().unwrap_or(0),
            is_variable: fields.iter().any(|(_, field)| field.location != DataLocation::InField),
            endian,
        })
    }

    /// The fields of a raw record (from `common_type` on). None: the record is too short.
    #[inline]
    pub fn values<'a>(&self, raw: &'a [u8]) -> Option<FieldValues<'a>> {
        let mut values = FieldValues::default();
        for (value, field) in values.iter_mut().zip(&self.fields) {
            if let Some(field) = field {
                *value = match field.is_text {
                    true => Value::Text(field.bytes(raw, self.endian)?),
                    false => Value::Number(field.number(raw, self.endian)?),
                };
            }
        }
        Some(values)
    }

    /// The event in a raw record. None: the record is too short; Some(None): a field that is needed is impossible.
    #[inline]
    pub fn event<'a>(&self, raw: &'a [u8]) -> Option<Option<KernelEvent<'a>>> {
        Some(KernelEvent::parse(self.shape.kind, &self.values(raw)?))
    }

    /// Whether perf stores records of this format with so many bytes: padded, with its own four bytes before them, to eight
    /// (kernel/trace/trace_event_perf.c, include/trace/perf.h).
    pub fn has_perf_size(&self, bytes: usize) -> bool {
        let padded = |size: usize| (size + 4).next_multiple_of(8) - 4;
        // The structure of a format with fields of eight bytes is padded to eight itself.
        let sizes = [padded(self.size), padded(self.size.next_multiple_of(8))];
        if self.is_variable { bytes >= sizes[0] } else { sizes.contains(&bytes) }
    }

    /// The thread that wrote a raw record.
    #[inline]
    pub fn common_pid(&self, raw: &[u8]) -> Option<i32> {
        self.common_pid.as_ref()?.number(raw, self.endian).map(|n| n as i32)
    }
}

impl Field {
    #[inline]
    fn number(&self, raw: &[u8], endian: Endian) -> Option<i64> {
        let bytes = raw.get(self.offset..self.offset.checked_add(self.size)?)?;
        macro_rules! read {
            ($unsigned:ty, $signed:ty) => {{
                let bytes = bytes.try_into().ok()?;
                let n = match endian {
                    Endian::Little => <$unsigned>::from_le_bytes(bytes),
                    Endian::Big => <$unsigned>::from_be_bytes(bytes),
                };
                if self.signed { n as $signed as i64 } else { n as i64 }
            }};
        }
        Some(match self.size {
            1 => read!(u8, i8),
            2 => read!(u16, i16),
            4 => read!(u32, i32),
            8 => read!(u64, i64),
            _ => return None,
        })
    }

    #[inline]
    fn bytes<'a>(&self, raw: &'a [u8], endian: Endian) -> Option<&'a [u8]> {
        if self.location == DataLocation::InField {
            return raw.get(self.offset..self.offset.checked_add(self.size)?);
        }
        let word = Self { size: 4, signed: false, ..*self }.number(raw, endian)? as usize;
        let (offset, length) = (word & 0xffff, word >> 16);
        let offset = if self.location == DataLocation::AfterField { self.offset + 4 + offset } else { offset };
        raw.get(offset..offset + length)
    }
}

/// `field:pid_t prev_pid; offset:24; size:4; signed:1;`, with tabs in between.
fn parse_field(line: &str) -> Option<(&str, Field)> {
    let mut parts = line.split(';').map(str::trim);
    let declaration = parts.next()?.strip_prefix("field:")?;
    let name = declaration.split_whitespace().last()?.split('[').next()?;
    let (mut offset, mut size, mut signed) = (None, None, false);
    for part in parts {
        match part.split_once(':') {
            Some(("offset", n)) => offset = n.parse().ok(),
            Some(("size", n)) => size = n.parse().ok(),
            Some(("signed", n)) => signed = n == "1",
            _ => {}
        }
    }
    let location = match () {
        () if declaration.starts_with("__data_loc") => DataLocation::InRecord,
        () if declaration.starts_with("__rel_loc") => DataLocation::AfterField,
        () => DataLocation::InField,
    };
    Some((name, Field { offset: offset?, size: size?, signed, location, is_text: false }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Power, Rename};
    use wastenot_topology::task_state::PrevState;

    const SWITCH: &str = "name: sched_switch\nID: 314\nformat:\n\
        \tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n\
        \tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n\
        \tfield:char prev_comm[16];\toffset:8;\tsize:16;\tsigned:0;\n\
        \tfield:pid_t prev_pid;\toffset:24;\tsize:4;\tsigned:1;\n\
        \tfield:int prev_prio;\toffset:28;\tsize:4;\tsigned:1;\n\
        \tfield:long prev_state;\toffset:32;\tsize:8;\tsigned:1;\n\
        \tfield:char next_comm[16];\toffset:40;\tsize:16;\tsigned:0;\n\
        \tfield:pid_t next_pid;\toffset:56;\tsize:4;\tsigned:1;\n\
        \tfield:int next_prio;\toffset:60;\tsize:4;\tsigned:1;\n\n\
        print fmt: \"%s\", __print_flags(x, \"|\", { 0x0001, \"S\" }, { 0x0002, \"D\" })\n";

    #[test]
    fn a_record_is_read_in_both_byte_orders_and_not_beyond_its_end() {
        for endian in [Endian::Little, Endian::Big] {
            let int = |n: i32| if endian == Endian::Little { n.to_le_bytes() } else { n.to_be_bytes() };
            let mut raw = vec![0; 64];
            raw[4..8].copy_from_slice(&int(7));
            raw[8..11].copy_from_slice(b"hog");
            raw[24..28].copy_from_slice(&int(7));
            raw[28..32].copy_from_slice(&int(-101));
            raw[if endian == Endian::Little { 32 } else { 39 }] = 2;
            let switch = Tracepoint::parse(SWITCH, endian).unwrap().unwrap();
            let Some(Some(KernelEvent::Switch(event))) = switch.event(&raw) else { panic!("a switch") };
            assert_eq!((event.prev_tid, event.prev_prio), (7, Some(-101)));
            assert_eq!(event.prev_state, Some(PrevState::Number(2)));
            assert!(event.prev_comm.unwrap().starts_with(b"hog\0"));
            assert_eq!((switch.id, switch.common_pid(&raw)), (314, Some(7)));
            assert!((0..64).all(|cut| switch.event(&raw[..cut]).is_none()));
        }
    }

    #[test]
    fn idle_states_and_frequencies_are_numbers_without_a_sign() {
        // As Linux prints both (events/power/*/format).
        let format = |name: &str| {
            format!(
                "name: {name}\nID: 456\nformat:\n\
                 \tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n\
                 \tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n\
                 \tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n\
                 \tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n\
                 \tfield:u32 state;\toffset:8;\tsize:4;\tsigned:0;\n\
                 \tfield:u32 cpu_id;\toffset:12;\tsize:4;\tsigned:0;\n\n\
                 print fmt: \"state=%lu cpu_id=%lu\", (unsigned long)REC->state, (unsigned long)REC->cpu_id\n"
            )
        };
        for (name, state, cpu) in [("cpu_idle", u32::MAX, 3), ("cpu_idle", 2, 0), ("cpu_frequency", 2_400_000, 7)] {
            let raw = [456, 0, state, cpu].map(u32::to_le_bytes).concat();
            let event = Tracepoint::parse(&format(name), Endian::Little).unwrap().unwrap();
            let power = KernelEvent::Power(Power { state: state.into(), of_cpu: cpu as i16 });
            assert_eq!((event.shape.name, event.event(&raw)), (name, Some(Some(power))));
            assert!(event.has_perf_size(20));
        }
        let event = Tracepoint::parse(&format("cpu_idle"), Endian::Little).unwrap().unwrap();
        let no_cpu = [456, 0, 1, u32::MAX].map(u32::to_le_bytes).concat();
        assert_eq!(event.event(&no_cpu), Some(None));
    }

    #[test]
    fn texts_may_be_outside_of_their_fields() {
        let rename =
            "name: task_rename\nID: 9\nformat:\n\tfield:__data_loc char[] newcomm;\toffset:0;\tsize:4;\tsigned:0;\n";
        for (text, word) in [(rename.to_owned(), 8u32), (rename.replace("__data_loc", "__rel_loc"), 4)] {
            let mut raw = (word | 3 << 16).to_le_bytes().to_vec();
            raw.extend(*b"....abc");
            let event = Tracepoint::parse(&text, Endian::Little).unwrap().unwrap();
            let rename = KernelEvent::Rename(Rename { tid: None, newcomm: Some(b"abc") });
            assert_eq!(event.event(&raw), Some(Some(rename)));
            assert!(event.event(&raw[..9]).is_none());
        }
    }

    #[test]
    fn an_event_that_is_not_read_differs_from_one_that_lacks_a_field() {
        assert!(Tracepoint::parse("name: kmalloc\nID: 1\n", Endian::Little).is_none());
        let lacking = Tracepoint::parse("name: sched_process_exit\nID: 1\n", Endian::Little).unwrap();
        assert_eq!(lacking.unwrap_err(), "sched_process_exit has no field tid or pid");
    }
}
