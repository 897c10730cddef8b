//! The layout of trace.dat: what every version's reader finds, and its limits.

use crate::compression::Compression;
use crate::formats::Formats;
use crate::options::RecordingOptions;
use crate::trace_file::TraceFile;
use wastenot_import::{Endian, ImportError};

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
