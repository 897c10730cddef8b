//! Where the consumer's frames go: to segments on disk, to a receiver in this process, or to both.

use crate::error::CaptureError;
use crate::meta::{self, Meta};
use crate::options::Options;
use crate::segment::SegmentWriter;
use std::io;
use std::path::{Path, PathBuf};
use wastenot_machine::Machine;

/// Takes the frames of one recording in their order.
pub(crate) trait FrameSink {
    /// Take the records of one CPU as one frame.
    fn frame(&mut self, cpu: u16, watermark_ns: u64, records: &[u8]) -> io::Result<()>;

    /// It can take more frames. While it cannot, the consumer leaves records in the rings.
    fn can_take_more(&self) -> bool {
        true
    }

    /// Start writing cached data to the disk without waiting for it.
    fn start_writeback(&self) {}

    /// Bytes stored so far.
    fn bytes(&self) -> u64;

    /// The recording is complete. Returns the bytes stored.
    fn finish(self: Box<Self>) -> io::Result<u64>;
}

impl FrameSink for SegmentWriter {
    fn frame(&mut self, cpu: u16, watermark_ns: u64, records: &[u8]) -> io::Result<()> {
        SegmentWriter::frame(self, cpu, watermark_ns, records)
    }

    fn start_writeback(&self) {
        SegmentWriter::start_writeback(self);
    }

    fn bytes(&self) -> u64 {
        SegmentWriter::bytes(self)
    }

    fn finish(self: Box<Self>) -> io::Result<u64> {
        SegmentWriter::finish(*self)
    }
}

/// Where a recording goes, from its start to its end.
pub(crate) trait Target: Send {
    /// The recording is about to start. Returns where its frames go.
    fn open(&mut self, machine: &Machine, meta: &Meta, options: &Options) -> Result<Box<dyn FrameSink>, CaptureError>;

    /// The recording runs, as `meta` describes it.
    fn describe(&mut self, meta: &Meta) -> Result<(), CaptureError>;

    /// The recording has ended, as `meta` describes it.
    fn complete(&mut self, meta: &Meta) -> Result<(), CaptureError>;

    /// The recording did not start: remove what there is of it.
    fn discard(&mut self);
}

/// Bytes kept free so that `meta.json` can be completed on a full disk.
const RESERVE: usize = 64 << 10;

/// A part folder.
pub(crate) struct PartFolder {
    folder: PathBuf,
    made: bool,
}

impl PartFolder {
    /// A folder that must not exist yet.
    pub fn new(folder: &Path) -> Self {
        Self { folder: folder.to_owned(), made: false }
    }
}

impl Target for PartFolder {
    fn open(&mut self, machine: &Machine, meta: &Meta, options: &Options) -> Result<Box<dyn FrameSink>, CaptureError> {
        let (folder, segments) = (&self.folder, self.folder.join("segments"));
        std::fs::create_dir(folder).map_err(CaptureError::file(folder))?;
        self.made = true;
        std::fs::create_dir(&segments).map_err(CaptureError::file(&segments))?;
        meta::write_file(folder, "machine.json", machine.to_json().as_bytes())?;
        meta::write_file(folder, ".reserve", &vec![0; RESERVE])?;
        let writer = SegmentWriter::create(&segments, meta.base_ns, options.segment_bytes)
            .map_err(CaptureError::file(&segments))?;
        Ok(Box::new(writer))
    }

    fn describe(&mut self, meta: &Meta) -> Result<(), CaptureError> {
        meta.write(&self.folder)
    }

    fn complete(&mut self, meta: &Meta) -> Result<(), CaptureError> {
        let _ = std::fs::remove_file(self.folder.join(".reserve"));
        meta.write(&self.folder)
    }

    fn discard(&mut self) {
        if self.made {
            let _ = std::fs::remove_dir_all(&self.folder);
        }
    }
}
