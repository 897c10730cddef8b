//! The packets of a file: one after the other for a first look, then each at its place.

use crate::fields::{packet, trace};
use crate::wire::{self, Message};
use flate2::bufread::ZlibDecoder;
use std::collections::VecDeque;
use std::fs::File;
use std::io::{BufRead, BufReader, ErrorKind, Read};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use wastenot_import::ImportError;
use zstd_safe::{DCtx, DParameter, InBuffer, OutBuffer};

/// A packet longer than this is damage; Perfetto's are below 1 MiB, ours below 64 MiB.
const LONGEST_PACKET: u64 = 256 << 20;
/// What a compressed packet may grow to; Perfetto fills one until 512 KB of compressed bytes are there.
const LARGEST_BLOCK: u64 = 64 << 20;
/// Inflated packets kept: those of the CPUs lie side by side.
const CACHED_BYTES: usize = 96 << 20;
/// Read at once.
const BUFFER: usize = 1 << 20;

/// Where a packet lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PacketPlace {
    /// Offset of the (outer) packet in the file.
    at: u64,
    /// Its length.
    len: u32,
    /// Offset within what the outer packet's compressed bytes inflate to.
    inner: Option<std::num::NonZeroU32>,
}

/// How the reading of a file ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum End {
    /// At its end.
    Whole,
    /// Before it; what is wrong, and where.
    Early(String),
}

/// A file's packets in their order.
pub struct Stream {
    file: BufReader<File>,
    path: PathBuf,
    at: u64,
    len: u64,
}

impl Stream {
    /// The file at `path`.
    pub fn open(path: &Path) -> Result<Self, ImportError> {
        let opened = File::open(path).and_then(|file| Ok((file.metadata()?.len(), file)));
        let (len, file) = opened.map_err(|cause| ImportError::io(path, cause))?;
        Ok(Self { file: BufReader::with_capacity(BUFFER, file), path: path.into(), at: 0, len })
    }

    /// Share of the file that has been read.
    pub fn done(&self) -> f64 {
        self.at as f64 / self.len.max(1) as f64
    }

    /// The next packet, its bytes in `buffer`, and where it lies; how the file ended where there is none.
    pub fn next(&mut self, buffer: &mut Vec<u8>) -> Result<Result<PacketPlace, End>, ImportError> {
        loop {
            let start = self.at;
            let Some(tag) = self.varint()? else {
                let end = if start == self.len { End::Whole } else { self.cut(start) };
                return Ok(Err(end));
            };
            let length = match tag & 7 {
                0 => {
                    if self.varint()?.is_none() {
                        return Ok(Err(self.cut(start)));
                    }
                    continue;
                }
                1 => Some(8),
                2 => self.varint()?,
                5 => Some(4),
                _ => return Ok(Err(damage(start, "not a packet"))),
            };
            let Some(length) = length else { return Ok(Err(self.cut(start))) };
            if length > LONGEST_PACKET || tag >> 3 == 0 {
                return Ok(Err(damage(start, "not a packet")));
            }
            let begin = self.at;
            buffer.clear();
            let read = (&mut self.file).take(length).read_to_end(buffer);
            self.at += read.map_err(|cause| ImportError::io(&self.path, cause))? as u64;
            if (buffer.len() as u64) < length {
                return Ok(Err(self.cut(start)));
            }
            if tag == u64::from(trace::PACKET) << 3 | 2 {
                return Ok(Ok(PacketPlace { at: begin, len: length as u32, inner: None }));
            }
        }
    }

    fn cut(&self, start: u64) -> End {
        End::Early(format!("cut off: the packet at byte {start} is not whole; all before it was read"))
    }

    /// None at the end of the file, and for a number that does not end.
    fn varint(&mut self) -> Result<Option<u64>, ImportError> {
        let mut bytes = [0; 10];
        for n in 0..bytes.len() {
            let next = match self.file.fill_buf() {
                Ok(next) => next.first().copied(),
                Err(cause) if cause.kind() == ErrorKind::Interrupted => continue,
                Err(cause) => return Err(ImportError::io(&self.path, cause)),
            };
            let Some(byte) = next else { return Ok(None) };
            self.file.consume(1);
            self.at += 1;
            bytes[n] = byte;
            if byte < 0x80 {
                return Ok(wire::varint(&bytes[..=n]).ok().map(|(value, _)| value));
            }
        }
        Ok(None)
    }
}

fn damage(at: u64, what: &str) -> End {
    End::Early(format!("damaged at byte {at}: {what}; all before it was read"))
}

/// A file's packets at their places.
pub struct Packets {
    file: File,
    path: PathBuf,
    inflated: VecDeque<(u64, Rc<[u8]>)>,
    inflated_bytes: usize,
}

impl Packets {
    /// The file at `path`.
    pub fn open(path: &Path) -> Result<Self, ImportError> {
        let file = File::open(path).map_err(|cause| ImportError::io(path, cause))?;
        Ok(Self { file, path: path.into(), inflated: VecDeque::new(), inflated_bytes: 0 })
    }

    /// Put the bytes of the packet at `place` into `buffer`; the error is one line.
    pub fn read(&mut self, place: PacketPlace, buffer: &mut Vec<u8>) -> Result<(), String> {
        let Some(inner) = place.inner else { return self.read_at(place, buffer) };
        let block = match self.inflated.iter().find(|(at, _)| *at == place.at) {
            Some((_, block)) => Rc::clone(block),
            None => self.inflate(place, buffer)?,
        };
        let packet = Message::new(block.get(inner.get() as usize - 1..).unwrap_or_default()).next();
        let Some(Ok((_, packet))) = packet else { return Err(self.changed()) };
        buffer.clear();
        buffer.extend_from_slice(packet.bytes());
        Ok(())
    }

    fn read_at(&self, place: PacketPlace, buffer: &mut Vec<u8>) -> Result<(), String> {
        buffer.resize(place.len as usize, 0);
        self.file.read_exact_at(buffer, place.at).map_err(|cause| format!("{}: {cause}", self.path.display()))
    }

    fn inflate(&mut self, place: PacketPlace, buffer: &mut Vec<u8>) -> Result<Rc<[u8]>, String> {
        self.read_at(place, buffer)?;
        let compressed = Message::new(buffer).flatten().find_map(|(field, value)| Some((codec_of(field)?, value)));
        let block =
            compressed.and_then(|(inflate, value)| inflate(value.bytes()).ok()).ok_or_else(|| self.changed())?;
        let block: Rc<[u8]> = block.into();
        self.inflated_bytes += block.len();
        self.inflated.push_back((place.at, Rc::clone(&block)));
        while self.inflated_bytes > CACHED_BYTES && self.inflated.len() > 1 {
            self.inflated_bytes -= self.inflated.pop_front().map_or(0, |(_, old)| old.len());
        }
        Ok(block)
    }

    fn changed(&self) -> String {
        format!("{}: it was changed while it was read; import it again", self.path.display())
    }
}

/// What compressed packets hold; the error says what is wrong.
pub type Inflate = fn(&[u8]) -> Result<Vec<u8>, &'static str>;

/// How the bytes of a packet's field are inflated; None for a field that holds no packets.
pub fn codec_of(field: u32) -> Option<Inflate> {
    match field {
        packet::COMPRESSED_PACKETS => Some(inflate_zlib),
        packet::ZSTD_COMPRESSED_PACKETS => Some(inflate_zstd),
        _ => None,
    }
}

const NOT_INFLATED: &str = "compressed packets that cannot be inflated";
const TOO_LARGE: &str = "compressed packets that inflate to more than 64 MiB";

fn inflate_zlib(compressed: &[u8]) -> Result<Vec<u8>, &'static str> {
    let mut block = Vec::new();
    match ZlibDecoder::new(compressed).take(LARGEST_BLOCK + 1).read_to_end(&mut block) {
        Err(_) => Err(NOT_INFLATED),
        Ok(_) if block.len() as u64 > LARGEST_BLOCK => Err(TOO_LARGE),
        Ok(_) => Ok(block),
    }
}

/// A frame, or several after each other (src/tracing/service/zstd_compressor.cc, Perfetto 58).
fn inflate_zstd(compressed: &[u8]) -> Result<Vec<u8>, &'static str> {
    let mut stream = DCtx::try_create().ok_or(NOT_INFLATED)?;
    // A window larger than the largest block is of no use; without the limit a frame may ask for 128 MiB.
    stream.set_parameter(DParameter::WindowLogMax(LARGEST_BLOCK.ilog2())).map_err(|_| NOT_INFLATED)?;
    let mut block = vec![0; compressed.len().saturating_mul(4).clamp(1 << 10, LARGEST_BLOCK as usize)];
    let (mut read, mut written) = (0, 0);
    loop {
        let mut input = InBuffer::around(compressed);
        input.set_pos(read);
        let mut output = OutBuffer::around_pos(&mut block[..], written);
        let wanted = stream.decompress_stream(&mut output, &mut input).map_err(|_| NOT_INFLATED)?;
        written = output.pos();
        read = input.pos();
        if written == block.len() {
            if written as u64 > LARGEST_BLOCK {
                return Err(TOO_LARGE);
            }
            block.resize((written * 2).min(LARGEST_BLOCK as usize + 1), 0);
        } else if read == compressed.len() {
            block.truncate(written);
            // 0: a frame ended here, so that nothing is missing.
            return if wanted == 0 { Ok(block) } else { Err(NOT_INFLATED) };
        }
    }
}

/// The packets of an inflated block with their places; false at the end when it does not end with a whole one.
pub fn packets_within(
    block: &[u8],
    outer: PacketPlace,
) -> impl Iterator<Item = Result<(PacketPlace, &[u8]), wire::Malformed>> {
    let mut message = Message::new(block);
    std::iter::from_fn(move || {
        loop {
            let inner = u32::try_from(message.at() + 1).ok().and_then(std::num::NonZeroU32::new);
            match message.next()? {
                Ok((trace::PACKET, value)) => return Some(Ok((PacketPlace { inner, ..outer }, value.bytes()))),
                Ok(_) => {}
                Err(malformed) => return Some(Err(malformed)),
            }
        }
    })
}
