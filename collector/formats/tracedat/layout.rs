//! The layout of trace.dat, of all versions.
//!
//! Sources: trace-cmd.dat.v6(5), trace-cmd.dat.v7(5); lib/trace-cmd/trace-input.c of trace-cmd where they are silent.

use crate::bytes::Bytes;
use crate::compression::Compression;
use crate::formats::Formats;
use crate::options::RecordingOptions;
use crate::trace_file::TraceFile;
use crate::{v6, v7};
use wastenot_import::{Endian, ImportError};

/// The first bytes of every trace.dat.
pub const MAGIC: &[u8] = b"\x17\x08\x44tracing";

/// Larger parts (kallsyms, formats) are damage (bytes).
pub const MAX_PART: u64 = 256 << 20;
/// Larger sub-buffers are damage (bytes): the kernel counts in 20 bits (kernel/trace/ring_buffer.c: RB_WRITE_MASK).
const MAX_PAGE: u32 = 1 << 20;
/// More CPUs than any kernel knows.
pub const MAX_CPUS: u32 = 8192;

/// What the head of the file says.
#[derive(Clone, Copy)]
pub struct FileHeader {
    pub endian: Endian,
    pub page_size: u32,
    pub compression: Compression,
}

/// Bytes of the file that hold a part of it.
#[derive(Clone, Copy, Debug)]
pub struct Part {
    pub offset: u64,
    pub size: u64,
    /// Size before compression.
    pub packed_from: Option<u64>,
}

/// What one CPU wrote into one buffer.
#[derive(Clone, Copy, Debug)]
pub struct CpuData {
    pub cpu: u32,
    pub offset: u64,
    pub size: u64,
}

/// A buffer of the kernel's: the top one (without a name) or an instance.
#[derive(Clone, Debug)]
pub struct Buffer {
    pub name: String,
    pub clock: Option<String>,
    pub page_size: u32,
    pub compressed: bool,
    pub cpus: Vec<CpuData>,
}

/// The kernel's symbols; in version 7 the content begins with its own size.
#[derive(Clone, Copy, Debug)]
pub struct Kallsyms {
    pub part: Part,
    pub skip: usize,
}

/// The whole file.
pub struct Layout {
    pub head: FileHeader,
    pub formats: Formats,
    pub options: RecordingOptions,
    pub buffers: Vec<Buffer>,
    pub kallsyms: Option<Kallsyms>,
    /// Text of `saved_cmdlines`.
    pub cmdlines: Vec<u8>,
    /// Parts that cannot be read, and why.
    pub flaws: Vec<String>,
}

/// Read the file's head and find its parts.
pub fn read(disk: &TraceFile) -> Result<Layout, ImportError> {
    let start = disk.bytes(0, disk.len.min(4096)).unwrap_or_default();
    let mut bytes = Bytes::new(&start, Endian::Little);
    if bytes.take(MAGIC.len()) != Some(MAGIC) {
        return Err(disk.damaged("not a trace.dat: its first bytes are others"));
    }
    let cut = || disk.damaged(format!("cut off in its head (it has {} bytes); record again", disk.len));
    let version = bytes.text().ok_or_else(cut)?.to_vec();
    let [order, long_size] = *bytes.take(2).ok_or_else(cut)? else { return Err(cut()) };
    let endian = match order {
        0 => Endian::Little,
        1 => Endian::Big,
        _ => return Err(disk.damaged(format!("byte order {order} in its head is neither little (0) nor big (1)"))),
    };
    if !matches!(long_size, 4 | 8) {
        return Err(disk.damaged(format!("a long of {long_size} bytes in its head is neither 4 nor 8")));
    }
    let at = MAGIC.len() + version.len() + 1 + 2;
    let mut bytes = Bytes::new(&start[at..], endian);
    let page_size = bytes.u32().ok_or_else(cut)?;
    check_page(disk, page_size)?;
    let at = (at + 4) as u64;
    match &version[..] {
        b"6" => v6::read(disk, FileHeader { endian, page_size, compression: Compression::None }, at),
        b"7" => {
            let (name, _version) = (bytes.text().ok_or_else(cut)?, bytes.text().ok_or_else(cut)?);
            let compression = Compression::of_name(name).ok_or_else(|| {
                let name = String::from_utf8_lossy(name).into_owned();
                disk.damaged(format!("compressed with {name:?}, which is not known (zstd, zlib and none are)"))
            })?;
            let first = bytes.u64().ok_or_else(cut)?;
            v7::read(disk, FileHeader { endian, page_size, compression }, first)
        }
        other => Err(disk.damaged(format!(
            "version {} of trace.dat is not known (6 and 7 are); trace-cmd convert --file-version 7 may help",
            String::from_utf8_lossy(&other[..other.len().min(20)]).escape_debug()
        ))),
    }
}

/// The size of a page (sub-buffer) can be one.
pub fn check_page(disk: &TraceFile, page_size: u32) -> Result<(), ImportError> {
    if page_size.is_power_of_two() && (512..=MAX_PAGE).contains(&page_size) {
        return Ok(());
    }
    Err(disk.damaged(format!("page size {page_size} is not a power of two from 512 to {MAX_PAGE}")))
}

impl Part {
    /// Its content; an error says what is wrong.
    pub fn read(&self, disk: &TraceFile, compression: Compression) -> Result<Vec<u8>, String> {
        if self.size > MAX_PART || self.packed_from.is_some_and(|size| size > MAX_PART) {
            return Err(format!("is said to be larger than {} MB at byte {}", MAX_PART >> 20, self.offset));
        }
        let bytes = disk.bytes(self.offset, self.size).ok_or_else(|| format!("is cut off at byte {}", disk.len))?;
        match self.packed_from {
            None => Ok(bytes),
            Some(size) => compression
                .unpack(&bytes, size as usize)
                .ok_or_else(|| format!("cannot be decompressed at byte {}", self.offset)),
        }
    }
}
