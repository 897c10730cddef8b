//! Segments: the files of a recording, made of checksummed frames that survive a crash at any byte.
//!
//! `T.duckdb.part/segments/00000000.seg`, `00000001.seg`, ... Each begins with a header of 32 bytes (magic, version,
//! base of the times, number of the segment, crc32) and goes on with frames: a header of 40 bytes, then the records of
//! one CPU, lz4-compressed where that is shorter. A segment that was finished ends with an end frame; the last segment
//! of a finished recording says so in it. What cannot be read ends the readable part: a [`Tail`], never an error.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::os::fd::AsRawFd;
use std::path::{Path, PathBuf};

const MAGIC: &[u8; 8] = b"WNSEG\r\n\x01";
const FRAME_MAGIC: u32 = 0x464e_5401;
/// Bytes of a segment's header.
pub const HEADER: usize = 32;
/// Bytes of a frame's header.
pub const FRAME_HEADER: usize = 40;
/// Most bytes of records in one frame, uncompressed; a longer length in a header is corruption.
pub const FRAME_LIMIT: usize = 16 << 20;
/// `cpu` of frames that user space wrote: snapshot, cgroups, stacks, losses.
pub const NO_CPU: u16 = u16::MAX;

const COMPRESSED: u16 = 1;
const END: u16 = 2;
const LAST: u16 = 4;

/// Records of one CPU, drained at one time.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Frame {
    /// CPU whose ring they come from, or [`NO_CPU`].
    pub cpu: u16,
    /// Everything that any CPU recorded before this instant, minus [`WINDOW_NS`], lies in this frame or in earlier
    /// ones: rows below it can be ordered for good. It never falls from frame to frame.
    pub watermark_ns: u64,
    /// The records (see `record`).
    pub records: Vec<u8>,
}

/// Longest time by which a record's own time may precede that of records before it in the same ring: interrupt spans
/// and load-balance attempts are stamped with their start and written at their end. Longer spans are written in pieces.
pub const WINDOW_NS: u64 = 20_000_000;

/// Why the readable part of a segment ends where it does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Tail {
    /// The segment was finished; `last`: and the recording with it.
    Finished {
        /// The recording ended with this segment.
        last: bool,
    },
    /// The file stops inside a frame or header, or before an end frame: the recorder was killed, or writes it still.
    Truncated {
        /// Offset of the first byte that is not part of a whole frame.
        offset: u64,
    },
    /// Bytes that are not a frame.
    Corrupt {
        /// Offset of the frame.
        offset: u64,
        /// What is wrong with it.
        why: &'static str,
    },
}

impl std::fmt::Display for Tail {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Finished { last: true } => write!(f, "finished"),
            Self::Finished { last: false } => write!(f, "finished; the recording goes on in the next segment"),
            Self::Truncated { offset } => write!(f, "ends at byte {offset} without an end mark"),
            Self::Corrupt { offset, why } => write!(f, "not readable from byte {offset}: {why}"),
        }
    }
}

fn u32_at(bytes: &[u8], at: usize) -> u32 {
    u32::from_le_bytes(bytes[at..at + 4].try_into().expect("4 bytes"))
}

fn u64_at(bytes: &[u8], at: usize) -> u64 {
    u64::from_le_bytes(bytes[at..at + 8].try_into().expect("8 bytes"))
}

/// Writes the segments of one recording. After an error nothing more may be written, and everything up to the last
/// whole frame stays readable.
pub struct SegmentWriter {
    folder: PathBuf,
    base_ns: u64,
    roll_bytes: u64,
    number: u32,
    file: File,
    /// Bytes of whole frames in the current file.
    length: u64,
    total: u64,
    scratch: Vec<u8>,
}

impl SegmentWriter {
    /// The first segment in `folder`, which must exist. A new segment begins when one reaches `roll_bytes`.
    pub fn create(folder: &Path, base_ns: u64, roll_bytes: u64) -> io::Result<Self> {
        let file = Self::open(folder, base_ns, 0)?;
        let (length, folder) = (HEADER as u64, folder.to_owned());
        Ok(Self { folder, base_ns, roll_bytes, number: 0, file, length, total: length, scratch: Vec::new() })
    }

    fn open(folder: &Path, base_ns: u64, number: u32) -> io::Result<File> {
        let mut file = File::options().write(true).create_new(true).open(path(folder, number))?;
        let mut header = [0u8; HEADER];
        header[..8].copy_from_slice(MAGIC);
        header[8..16].copy_from_slice(&base_ns.to_le_bytes());
        header[16..20].copy_from_slice(&number.to_le_bytes());
        let crc = crc32fast::hash(&header[..28]);
        header[28..].copy_from_slice(&crc.to_le_bytes());
        file.write_all(&header)?;
        Ok(file)
    }

    /// Bytes written so far, over all segments.
    pub fn bytes(&self) -> u64 {
        self.total
    }

    /// Append the records of one CPU as one frame (at most [`FRAME_LIMIT`] bytes of them).
    pub fn frame(&mut self, cpu: u16, watermark_ns: u64, records: &[u8]) -> io::Result<()> {
        if self.length >= self.roll_bytes {
            self.end(false)?;
            self.number += 1;
            self.file = Self::open(&self.folder, self.base_ns, self.number)?;
            self.length = HEADER as u64;
            self.total += self.length;
        }
        self.put(cpu, 0, watermark_ns, records)
    }

    fn put(&mut self, cpu: u16, flags: u16, watermark_ns: u64, records: &[u8]) -> io::Result<()> {
        if records.len() > FRAME_LIMIT {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "a frame of more than 16 MiB"));
        }
        let mut buffer = std::mem::take(&mut self.scratch);
        buffer.resize(FRAME_HEADER + lz4_flex::block::get_maximum_output_size(records.len()), 0);
        let packed = lz4_flex::block::compress_into(records, &mut buffer[FRAME_HEADER..]).map_err(io::Error::other)?;
        let (stored, flags) = if packed < records.len() {
            (packed, flags | COMPRESSED)
        } else {
            buffer[FRAME_HEADER..FRAME_HEADER + records.len()].copy_from_slice(records);
            (records.len(), flags)
        };
        let end = FRAME_HEADER + stored;
        let crc = crc32fast::hash(&buffer[FRAME_HEADER..end]);
        buffer[..4].copy_from_slice(&FRAME_MAGIC.to_le_bytes());
        buffer[4..6].copy_from_slice(&cpu.to_le_bytes());
        buffer[6..8].copy_from_slice(&flags.to_le_bytes());
        buffer[8..12].copy_from_slice(&(records.len() as u32).to_le_bytes());
        buffer[12..16].copy_from_slice(&(stored as u32).to_le_bytes());
        buffer[16..24].copy_from_slice(&watermark_ns.to_le_bytes());
        buffer[24..32].copy_from_slice(&self.length.to_le_bytes());
        buffer[32..36].copy_from_slice(&crc.to_le_bytes());
        let crc = crc32fast::hash(&buffer[..36]);
        buffer[36..40].copy_from_slice(&crc.to_le_bytes());
        let written = self.file.write_all(&buffer[..end]);
        self.scratch = buffer;
        if let Err(error) = written {
            // What is left of the frame would read as a truncated tail; without it the file ends between two frames.
            let _ = self.file.set_len(self.length);
            let _ = self.file.seek(SeekFrom::Start(self.length));
            return Err(error);
        }
        self.length += end as u64;
        self.total += end as u64;
        Ok(())
    }

    fn end(&mut self, last: bool) -> io::Result<()> {
        self.put(NO_CPU, if last { END | LAST } else { END }, 0, &[])?;
        self.start_writeback();
        Ok(())
    }

    /// Start writing cached data to the disk without waiting for it: while the consumer waits, it does not empty
    /// the rings. (Against a crash of the machine; what was written survives a crash of the recorder anyway.)
    pub fn start_writeback(&self) {
        // SAFETY: a plain call on an open file; an error only means that the system writes later.
        unsafe { libc::sync_file_range(self.file.as_raw_fd(), 0, 0, libc::SYNC_FILE_RANGE_WRITE) };
    }

    /// Mark the recording as finished.
    pub fn finish(mut self) -> io::Result<u64> {
        self.end(true)?;
        self.file.sync_data()?;
        Ok(self.total)
    }
}

/// Path of segment `number` of a recording's `segments` folder.
pub fn path(folder: &Path, number: u32) -> PathBuf {
    folder.join(format!("{number:08}.seg"))
}

/// Reads one segment, frame by frame.
pub struct SegmentReader<R> {
    input: R,
    base_ns: u64,
    number: u32,
    offset: u64,
    stored: Vec<u8>,
    tail: Option<Tail>,
}

impl SegmentReader<io::BufReader<File>> {
    /// Open the file of a segment.
    pub fn open(path: &Path) -> io::Result<Self> {
        Ok(Self::new(io::BufReader::with_capacity(1 << 20, File::open(path)?)))
    }
}

impl<R: Read> SegmentReader<R> {
    /// Read the header. A foreign or short header leaves a reader without frames, whose tail says why.
    pub fn new(input: R) -> Self {
        let mut reader = Self { input, base_ns: 0, number: 0, offset: 0, stored: Vec::new(), tail: None };
        let mut header = [0u8; HEADER];
        reader.tail = match reader.fill(&mut header) {
            Err(tail) => Some(tail),
            Ok(()) if &header[..8] != MAGIC => Some(Tail::Corrupt { offset: 0, why: "no segment of wastenot" }),
            Ok(()) if crc32fast::hash(&header[..28]) != u32_at(&header, 28) => {
                Some(Tail::Corrupt { offset: 0, why: "checksum of the header" })
            }
            Ok(()) => {
                (reader.base_ns, reader.number, reader.offset) =
                    (u64_at(&header, 8), u32_at(&header, 16), HEADER as u64);
                None
            }
        };
        reader
    }

    /// Time that the records count from.
    pub fn base_ns(&self) -> u64 {
        self.base_ns
    }

    /// Number of the segment within the recording.
    pub fn number(&self) -> u32 {
        self.number
    }

    /// Why there are no more frames; `None` while there may be some.
    pub fn tail(&self) -> Option<&Tail> {
        self.tail.as_ref()
    }

    fn fill(&mut self, bytes: &mut [u8]) -> Result<(), Tail> {
        self.input.read_exact(bytes).map_err(|error| match error.kind() {
            io::ErrorKind::UnexpectedEof => Tail::Truncated { offset: self.offset },
            _ => Tail::Corrupt { offset: self.offset, why: "the file cannot be read further" },
        })
    }

    /// Read the next frame into `frame` (its buffer is reused); false at the end of what is readable.
    pub fn next_into(&mut self, frame: &mut Frame) -> bool {
        if self.tail.is_none() {
            self.tail = self.try_next(frame).err();
        }
        self.tail.is_none()
    }

    fn try_next(&mut self, frame: &mut Frame) -> Result<(), Tail> {
        let offset = self.offset;
        let corrupt = |why| Tail::Corrupt { offset, why };
        let mut header = [0u8; FRAME_HEADER];
        self.fill(&mut header)?;
        if u32_at(&header, 0) != FRAME_MAGIC {
            return Err(corrupt("no frame starts here"));
        }
        if crc32fast::hash(&header[..36]) != u32_at(&header, 36) || u64_at(&header, 24) != offset {
            return Err(corrupt("checksum of the frame's header"));
        }
        let flags = u16::from_le_bytes([header[6], header[7]]);
        let (raw, stored) = (u32_at(&header, 8) as usize, u32_at(&header, 12) as usize);
        if raw > FRAME_LIMIT || stored > FRAME_LIMIT {
            return Err(corrupt("length of the frame"));
        }
        if flags & END != 0 {
            return Err(Tail::Finished { last: flags & LAST != 0 });
        }
        let mut bytes = std::mem::take(&mut self.stored);
        bytes.resize(stored, 0);
        let filled = self.fill(&mut bytes);
        self.stored = bytes;
        filled?;
        if crc32fast::hash(&self.stored) != u32_at(&header, 32) {
            return Err(corrupt("checksum of the frame"));
        }
        frame.records.resize(raw, 0);
        if flags & COMPRESSED == 0 {
            frame.records.clear();
            frame.records.extend_from_slice(&self.stored);
        } else if !matches!(lz4_flex::block::decompress_into(&self.stored, &mut frame.records), Ok(n) if n == raw) {
            return Err(corrupt("compressed records"));
        }
        frame.cpu = u16::from_le_bytes([header[4], header[5]]);
        frame.watermark_ns = u64_at(&header, 16);
        self.offset += (FRAME_HEADER + stored) as u64;
        Ok(())
    }
}

/// Reads the frames of all segments of a recording, in order, up to the first place that cannot be read.
pub struct RecordingReader {
    folder: PathBuf,
    current: SegmentReader<io::BufReader<File>>,
}

impl RecordingReader {
    /// Over the `segments` folder of a recording. An error only where the first segment is missing or not permitted.
    pub fn open(folder: &Path) -> io::Result<Self> {
        Ok(Self { folder: folder.to_owned(), current: SegmentReader::open(&path(folder, 0))? })
    }

    /// Time that the records count from (the same in all segments).
    pub fn base_ns(&self) -> u64 {
        self.current.base_ns()
    }

    /// Read the next frame; false at the end of what is readable.
    pub fn next_into(&mut self, frame: &mut Frame) -> bool {
        loop {
            if self.current.next_into(frame) {
                return true;
            }
            let number = self.current.number() + 1;
            match self.current.tail() {
                Some(Tail::Finished { last: false }) => {}
                _ => return false,
            }
            let Ok(next) = SegmentReader::open(&path(&self.folder, number)) else { return false };
            if next.base_ns() != self.current.base_ns() || next.number() != number {
                return false;
            }
            self.current = next;
        }
    }

    /// Where and why reading ended: the number of the segment, and its tail. `None` while there may be more frames.
    pub fn tail(&self) -> Option<(u32, &Tail)> {
        self.current.tail().map(|tail| (self.current.number(), tail))
    }
}
