//! The pages of one CPU in one buffer, one after the other.

use crate::bytes::word;
use crate::compression::Compression;
use crate::layout::{Buffer, CpuData};
use crate::trace_file::TraceFile;
use std::rc::Rc;
use wastenot_import::Endian;

/// Pages read from the file at once (bytes).
const PORTION: u64 = 64 << 10;
/// Compressed pieces larger than this are damage; trace-cmd packs 10 pages into one (bytes).
const MAX_CHUNK: u32 = 64 << 20;

/// Hands out the pages of one CPU.
pub struct Pages {
    disk: Rc<TraceFile>,
    endian: Endian,
    compression: Compression,
    page_size: usize,
    /// Next byte of the file, and where the CPU's data ends.
    at: u64,
    end: u64,
    /// Compressed pieces that follow; `None`: not compressed.
    chunks: Option<u32>,
    held: Vec<u8>,
    /// The current page within `held`.
    page: std::ops::Range<usize>,
    /// The file ends before the data.
    cut: bool,
}

impl Pages {
    pub fn new(disk: Rc<TraceFile>, endian: Endian, compression: Compression, buffer: &Buffer, data: CpuData) -> Self {
        let head = if buffer.compressed { 4 } else { 0 }; // the number of pieces is not part of the size
        let declared_end = data.offset.saturating_add(data.size).saturating_add(if data.size > 0 { head } else { 0 });
        let (at, end) = (data.offset.min(disk.len), declared_end.min(disk.len));
        let mut pages = Self {
            endian,
            compression,
            page_size: buffer.page_size as usize,
            at,
            end,
            chunks: None,
            held: Vec::new(),
            page: 0..0,
            cut: declared_end > disk.len,
            disk,
        };
        if buffer.compressed && data.size > 0 {
            pages.chunks = Some(match pages.disk.bytes(at, 4) {
                Some(count) => word(&count, endian),
                None => 0,
            });
            pages.at = at.saturating_add(4).min(end);
        }
        pages
    }

    /// Bytes of the file that are still to be read.
    pub fn left(&self) -> u64 {
        self.end - self.at
    }

    /// The page that [`advance`](Self::advance) has come to.
    #[inline]
    pub fn page(&self) -> &[u8] {
        &self.held[self.page.clone()]
    }

    /// Go to the next page; false at the end. An error says why the rest cannot be read.
    pub fn advance(&mut self) -> Result<bool, String> {
        if self.page.end >= self.held.len() && !self.refill()? {
            self.page = 0..0;
            self.held.clear();
            return match self.cut {
                true => Err(format!("the file is cut off at byte {}", self.disk.len)),
                false => Ok(false),
            };
        }
        let from = self.page.end;
        self.page = from..(from + self.page_size).min(self.held.len());
        Ok(true)
    }

    fn refill(&mut self) -> Result<bool, String> {
        self.page = 0..0;
        match self.chunks {
            None => {
                let portion = PORTION.max(self.page_size as u64).min(self.left());
                self.held.resize(portion as usize, 0);
                let read = self.disk.fill(self.at, &mut self.held);
                if let Err(error) = read {
                    self.held.clear();
                    return Err(format!("byte {}: {error}", self.at));
                }
                self.at += portion;
                Ok(portion > 0)
            }
            Some(0) => Ok(false),
            Some(left) => {
                self.held.clear();
                self.held = self.chunk()?;
                self.chunks = Some(left - 1);
                Ok(!self.held.is_empty())
            }
        }
    }

    fn chunk(&mut self) -> Result<Vec<u8>, String> {
        let at = self.at;
        let left = self.left();
        let sizes = self.disk.bytes(at, 8).filter(|_| left >= 8);
        let sizes = sizes.ok_or_else(|| format!("cut off at byte {at}"))?;
        let (packed, plain) = (word(&sizes[..4], self.endian), word(&sizes[4..], self.endian));
        if packed > MAX_CHUNK || plain > MAX_CHUNK {
            return Err(format!(
                "damaged at byte {at}: a compressed piece is said to have {} MB",
                packed.max(plain) >> 20
            ));
        }
        let bytes = self.disk.bytes(at + 8, packed.into()).filter(|_| left - 8 >= packed.into());
        let bytes = bytes.ok_or_else(|| format!("cut off at byte {at}"))?;
        self.at = at + 8 + u64::from(packed);
        let plain = self.compression.unpack(&bytes, plain as usize);
        plain.ok_or_else(|| format!("damaged at byte {at}: a piece of it cannot be decompressed"))
    }
}
