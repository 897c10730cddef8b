//! The `format` file of an event: where its fields lie.

use std::collections::HashMap;

/// A field of an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Field {
    /// Byte at which it begins.
    pub offset: usize,
    /// Its bytes.
    pub size: usize,
    /// The value is negative where its highest bit is set.
    pub signed: bool,
    /// The field holds place (low 16 bits) and length (high 16) of the data (`__data_loc`).
    pub elsewhere: bool,
}

/// The layout of an event.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Format {
    /// Number of the event, the `common_type` of its records.
    pub id: u16,
    fields: HashMap<String, Field>,
    /// Bits and letters of prev_state, from the format's print text.
    pub states: Vec<(u64, char)>,
}

impl Format {
    /// Read the text of a `format` file; `None` when it is none.
    pub fn parse(text: &str) -> Option<Self> {
        let mut format = Self::default();
        for line in text.lines().map(str::trim) {
            if let Some(id) = line.strip_prefix("ID:") {
                format.id = id.trim().parse().ok()?;
            } else if line.starts_with("field:") {
                let (name, field) = parse_field(line)?;
                format.fields.insert(name, field);
            } else if let Some(print) = line.strip_prefix("print fmt:") {
                format.states = parse_states(print);
            }
        }
        format.fields.contains_key("common_type").then_some(format)
    }

    /// The field of a name.
    pub fn field(&self, name: &str) -> Option<Field> {
        self.fields.get(name).copied()
    }
}

/// `field:pid_t prev_pid; offset:24; size:4; signed:1;`, with tabs in between.
fn parse_field(line: &str) -> Option<(String, Field)> {
    let mut parts = line.split(';').map(str::trim);
    let declaration = parts.next()?.strip_prefix("field:")?;
    let name = declaration.split_whitespace().last()?.split('[').next()?.to_owned();
    let (mut offset, mut size, mut signed) = (None, None, false);
    for part in parts {
        match part.split_once(':') {
            Some(("offset", n)) => offset = n.parse().ok(),
            Some(("size", n)) => size = n.parse().ok(),
            Some(("signed", n)) => signed = n == "1",
            _ => {}
        }
    }
    Some((name, Field { offset: offset?, size: size?, signed, elsewhere: declaration.starts_with("__data_loc") }))
}

/// `{ 0x00000001, "S" }, { 0x00000002, "D" } ...` (decimal before 4.14).
fn parse_states(print: &str) -> Vec<(u64, char)> {
    let pairs = print.split('{').skip(1).filter_map(|part| {
        let (bit, letter) = part.split('}').next()?.split_once(',')?;
        let bit = bit.trim();
        let bit = match bit.strip_prefix("0x") {
            Some(hex) => u64::from_str_radix(hex, 16).ok()?,
            None => bit.parse().ok()?,
        };
        let letter = letter.trim().trim_matches('"');
        (letter.len() == 1).then(|| letter.chars().next().map(|letter| (bit, letter)))?
    });
    pairs.collect()
}

impl Field {
    /// The field as a number; `None` when the record is too short for it.
    #[inline]
    pub fn number(self, record: &[u8]) -> Option<i64> {
        let bytes = record.get(self.offset..self.offset + self.size)?;
        Some(match (bytes, self.signed) {
            (&[a], false) => a.into(),
            (&[a], true) => (a as i8).into(),
            (&[a, b], false) => u16::from_ne_bytes([a, b]).into(),
            (&[a, b], true) => i16::from_ne_bytes([a, b]).into(),
            (&[a, b, c, d], false) => u32::from_ne_bytes([a, b, c, d]).into(),
            (&[a, b, c, d], true) => i32::from_ne_bytes([a, b, c, d]).into(),
            (bytes, _) => i64::from_ne_bytes(bytes.try_into().ok()?),
        })
    }

    /// The field as a text, up to its first NUL.
    pub fn text(self, record: &[u8]) -> Option<&[u8]> {
        let bytes = if self.elsewhere {
            let place = Self { elsewhere: false, signed: false, ..self }.number(record)? as u32;
            let (offset, length) = ((place & 0xffff) as usize, (place >> 16) as usize);
            record.get(offset..offset + length)?
        } else {
            record.get(self.offset..self.offset + self.size)?
        };
        Some(bytes.split(|&b| b == 0).next().unwrap_or_default())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SWITCH: &str = "name: sched_switch\nID: 372\nformat:\n\
        \tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n\n\
        \tfield:char prev_comm[16];\toffset:8;\tsize:16;\tsigned:0;\n\
        \tfield:pid_t prev_pid;\toffset:24;\tsize:4;\tsigned:1;\n\
        \tfield:__data_loc char[] comm;\toffset:28;\tsize:4;\tsigned:0;\n\n\
        print fmt: \"%s\", { 0x00000001, \"S\" }, { 0x80, \"I\" }) : \"R\", REC->prev_state & 0x100 ? \"+\" : \"\"\n";

    #[test]
    fn fields_and_states_are_found() {
        let format = Format::parse(SWITCH).unwrap();
        assert_eq!((format.id, format.states.as_slice()), (372, &[(1, 'S'), (0x80, 'I')][..]));
        let mut record = vec![0; 40];
        record[8..12].copy_from_slice(b"bash");
        record[24..28].copy_from_slice(&(-7i32).to_ne_bytes());
        record[28..32].copy_from_slice(&(4u32 << 16 | 36).to_ne_bytes());
        record[36..39].copy_from_slice(b"abc");
        let text = |name| format.field(name).unwrap().text(&record).unwrap();
        assert_eq!((text("prev_comm"), text("comm")), (&b"bash"[..], &b"abc"[..]));
        assert_eq!(format.field("prev_pid").unwrap().number(&record), Some(-7));
        assert_eq!(format.field("prev_pid").unwrap().number(&record[..26]), None);
        assert_eq!(Format::parse("nothing"), None);
    }
}
