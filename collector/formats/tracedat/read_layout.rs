//! Finds the parts of a trace.dat of any version.
//!
//! Sources: trace-cmd.dat.v6(5), trace-cmd.dat.v7(5); lib/trace-cmd/trace-input.c of trace-cmd where they are silent.

use crate::bytes::Bytes;
use crate::compression::Compression;
use crate::layout::{FileHeader, Layout, check_page};
use crate::trace_file::TraceFile;
use crate::{v6, v7};
use wastenot_import::{Endian, ImportError};

/// The first bytes of every trace.dat.
pub const MAGIC: &[u8] = b"\x17\x08\x44tracing";

/// Read the file's head and find its parts.
pub fn read_layout(disk: &TraceFile) -> Result<Layout, ImportError> {
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
