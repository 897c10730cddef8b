//! What the reading child sends: definitions, then events, then how it ended. Each message has a tag and a length.

use std::io::{self, Write};

/// What a message says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Message {
    /// Ticks of a second, and the first instant and the length of the trace in ticks.
    Clock { resolution: u64, offset: u64, length: u64 },
    /// A process (or a device).
    Group { id: u32, name: String },
    /// A thread of a group, and whether it runs on a CPU.
    Location { id: u64, group: u32, is_thread: bool, name: String },
    /// A region of the program.
    Region { id: u32, role: u8, paradigm: u8, name: String },
    /// All definitions were sent.
    Defined,
    /// A location enters (or leaves) a region.
    Event { location: u64, time: u64, region: u32, enter: bool },
    /// Nothing more comes; why, where the trace is damaged.
    End { error: Option<String> },
}

const HEAD: usize = 5;
/// Bytes of a message at most: names are cut.
const LONGEST: usize = 4096;

impl Message {
    /// Write it.
    pub fn write(&self, out: &mut impl Write) -> io::Result<()> {
        let mut body: Vec<u8> = Vec::with_capacity(32);
        let tag = match self {
            Self::Clock { resolution, offset, length } => {
                [resolution, offset, length].into_iter().for_each(|n| body.extend(n.to_le_bytes()));
                0
            }
            Self::Group { id, name } => {
                body.extend(id.to_le_bytes());
                body.extend(cut(name));
                1
            }
            Self::Location { id, group, is_thread, name } => {
                body.extend(id.to_le_bytes());
                body.extend(group.to_le_bytes());
                body.push(u8::from(*is_thread));
                body.extend(cut(name));
                2
            }
            Self::Region { id, role, paradigm, name } => {
                body.extend(id.to_le_bytes());
                body.extend([*role, *paradigm]);
                body.extend(cut(name));
                3
            }
            Self::Defined => 4,
            Self::Event { location, time, region, enter } => {
                body.extend(location.to_le_bytes());
                body.extend(time.to_le_bytes());
                body.extend(region.to_le_bytes());
                5 + u8::from(*enter)
            }
            Self::End { error } => {
                body.extend(error.as_deref().map_or(&b""[..], cut));
                7 + u8::from(error.is_some())
            }
        };
        out.write_all(&[tag])?;
        out.write_all(&(body.len() as u32).to_le_bytes())?;
        out.write_all(&body)
    }

    /// The first message of `bytes` and how many bytes it takes; None where it is not whole yet. The error: it is none.
    pub fn read(bytes: &[u8]) -> Result<Option<(Self, usize)>, Malformed> {
        let Some(head) = bytes.get(..HEAD) else { return Ok(None) };
        let length = u32::from_le_bytes(head[1..].try_into().map_err(|_| Malformed)?) as usize;
        if length > LONGEST + 16 {
            return Err(Malformed);
        }
        let Some(body) = bytes.get(HEAD..HEAD + length) else { return Ok(None) };
        let u64_at = |at: usize| body.get(at..at + 8)?.try_into().ok().map(u64::from_le_bytes);
        let u32_at = |at: usize| body.get(at..at + 4)?.try_into().ok().map(u32::from_le_bytes);
        let text = |at: usize| body.get(at..).map(|bytes| String::from_utf8_lossy(bytes).into_owned());
        let message = || {
            Some(match head[0] {
                0 => Self::Clock { resolution: u64_at(0)?, offset: u64_at(8)?, length: u64_at(16)? },
                1 => Self::Group { id: u32_at(0)?, name: text(4)? },
                2 => Self::Location {
                    id: u64_at(0)?,
                    group: u32_at(8)?,
                    is_thread: *body.get(12)? != 0,
                    name: text(13)?,
                },
                3 => Self::Region { id: u32_at(0)?, role: *body.get(4)?, paradigm: *body.get(5)?, name: text(6)? },
                4 => Self::Defined,
                tag @ 5..=6 => {
                    Self::Event { location: u64_at(0)?, time: u64_at(8)?, region: u32_at(16)?, enter: tag == 6 }
                }
                7 => Self::End { error: None },
                8 => Self::End { error: Some(text(0)?) },
                _ => return None,
            })
        };
        message().map(|message| Some((message, HEAD + length))).ok_or(Malformed)
    }
}

/// What came is not a message: a defect of the child.
#[derive(Debug, PartialEq, Eq)]
pub struct Malformed;

fn cut(text: &str) -> &[u8] {
    &text.as_bytes()[..text.len().min(LONGEST)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_are_read_as_they_were_written_once_they_are_whole() {
        let all = [
            Message::Clock { resolution: 1, offset: 2, length: u64::MAX },
            Message::Group { id: 7, name: "MPI Rank 0".into() },
            Message::Location { id: u64::MAX, group: 7, is_thread: true, name: "ä".into() },
            Message::Region { id: 1, role: 15, paradigm: 4, name: String::new() },
            Message::Defined,
            Message::Event { location: 1, time: 2, region: 3, enter: true },
            Message::Event { location: 1, time: 2, region: 3, enter: false },
            Message::End { error: None },
            Message::End { error: Some("cut".into()) },
        ];
        let mut bytes = Vec::new();
        all.iter().for_each(|message| message.write(&mut bytes).unwrap());
        let mut rest = &bytes[..];
        for message in &all {
            let (read, length) = Message::read(rest).unwrap().unwrap();
            assert_eq!(read, *message);
            assert_eq!(Message::read(&rest[..length - 1]), Ok(None));
            rest = &rest[length..];
        }
        assert_eq!(Message::read(&[9, 0, 0, 0, 0]), Err(Malformed));
    }
}
