//! Whether a file is a Perfetto trace, by its first packets.

use crate::fields::{bundle, packet, trace};
use crate::wire::{Value, varint};

/// Packets that are checked.
const MAX_PACKETS: usize = 16;
/// The largest field number that Perfetto gives out in a packet (`for_testing`; extensions go up to 1999).
const LARGEST_FIELD: u64 = 1999;

/// Whether a file that starts with these bytes is one: its first packets have fields of Perfetto's numbers with their types, and one at least
/// is known.
pub fn recognises(head: &[u8]) -> bool {
    let mut rest = head;
    let mut known = 0;
    for nth in 0..MAX_PACKETS {
        if rest.is_empty() {
            return known > 0;
        }
        if u32::from(rest[0]) != trace::PACKET << 3 | 2 {
            return false;
        }
        let Ok((length, used)) = varint(&rest[1..]) else { return rest.len() < 11 && nth > 0 && known > 0 };
        rest = &rest[1 + used..];
        if length == 0 || length > 64 << 20 {
            return false;
        }
        let whole = length <= rest.len() as u64;
        let (seen, after) = rest.split_at(rest.len().min(length as usize));
        match known_fields(seen, whole, length) {
            Some(fields) => known += fields,
            None => return false,
        }
        if !whole {
            return known > 0;
        }
        rest = after;
    }
    known > 0
}

/// Known fields of a packet; None where one is malformed. One that is cut off is recognised by what is there.
fn known_fields(bytes: &[u8], whole: bool, length: u64) -> Option<usize> {
    let (mut at, mut known) = (0, 0);
    while at < bytes.len() {
        let Ok((tag, used)) = varint(&bytes[at..]) else { return (!whole).then_some(known) };
        at += used;
        let field = tag >> 3;
        if field == 0 || field > LARGEST_FIELD && !ours(field) {
            return None;
        }
        let value = match tag & 7 {
            0 => match varint(&bytes[at..]) {
                Ok((n, used)) => {
                    at += used;
                    Value::Varint(n)
                }
                Err(_) => return (!whole && bytes.len() - at < 10).then_some(known),
            },
            1 => {
                at += 8;
                Value::Fixed64(0)
            }
            2 => {
                let Ok((len, used)) = varint(&bytes[at..]) else { return (!whole).then_some(known) };
                at += used;
                if len > length - (at as u64).min(length) {
                    return None;
                }
                let seen = &bytes[at.min(bytes.len())..bytes.len().min(at + len as usize)];
                at += len as usize;
                Value::Bytes(seen)
            }
            5 => {
                at += 4;
                Value::Fixed32(0)
            }
            _ => return None,
        };
        known += usize::from(is_known(field, value)?);
    }
    (at == bytes.len() || !whole).then_some(known)
}

fn ours(field: u64) -> bool {
    (u64::from(packet::HEADER)..=u64::from(packet::SETTLED)).contains(&field)
}

/// The field is one that every trace has some of; None where its type is another than it should be.
fn is_known(field: u64, value: Value<'_>) -> Option<bool> {
    let field = u32::try_from(field).ok()?;
    match field {
        packet::TIMESTAMP
        | packet::TRUSTED_PACKET_SEQUENCE_ID
        | packet::SEQUENCE_FLAGS
        | 3
        | 41
        | 42
        | 58
        | 79
        | 87 => matches!(value, Value::Varint(_)).then_some(field == packet::TRUSTED_PACKET_SEQUENCE_ID),
        packet::FTRACE_EVENTS => match value {
            // The CPU comes first.
            Value::Bytes(seen) => Some(seen.first() == Some(&((bundle::CPU as u8) << 3))),
            _ => None,
        },
        2 | 6 | 9 | 11 | 12 | 33..=36 | 45 | 50 | 59 | 60 | 67 | 89 | packet::HEADER => {
            matches!(value, Value::Bytes(_)).then_some(!matches!(field, 2 | 12))
        }
        _ => Some(false),
    }
}
