//! What version 7 of the format compresses with.

use flate2::{Decompress, FlushDecompress, Status};
use zstd_safe::DCtx;

/// The algorithm that the file's head names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Compression {
    None,
    Zlib,
    Zstd,
}

const ZSTD_MAGIC: [u8; 4] = [0x28, 0xb5, 0x2f, 0xfd];

impl Compression {
    pub fn of_name(name: &[u8]) -> Option<Self> {
        match name {
            b"none" => Some(Self::None),
            b"zlib" => Some(Self::Zlib),
            b"zstd" => Some(Self::Zstd),
            _ => None,
        }
    }

    /// `packed` into exactly `size` bytes; `None` where that is not what it holds.
    pub fn unpack(self, packed: &[u8], size: usize) -> Option<Vec<u8>> {
        let mut plain = vec![0; size];
        let unpacked = match self {
            Self::None => return None,
            Self::Zlib => {
                let mut stream = Decompress::new(true);
                let status = stream.decompress(packed, &mut plain, FlushDecompress::Finish);
                status.ok().filter(|&status| status == Status::StreamEnd)?;
                stream.total_out() as usize
            }
            Self::Zstd => {
                // trace-cmd has written its frames without their magic number for a while (trace-compress-zstd.c).
                let whole;
                let frame = if packed.starts_with(&ZSTD_MAGIC) {
                    packed
                } else {
                    whole = [&ZSTD_MAGIC[..], packed].concat();
                    &whole[..]
                };
                DCtx::create().decompress(&mut plain[..], frame).ok()?
            }
        };
        (unpacked == size).then_some(plain)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    #[test]
    fn both_algorithms_give_back_what_was_packed_and_nothing_for_less_or_other() {
        let plain = b"events of a CPU ".repeat(500);
        let mut zlib = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::default());
        zlib.write_all(&plain).unwrap();
        let mut zstd = vec![0; 16 << 10];
        let size = zstd_safe::compress(&mut zstd[..], &plain, 3).unwrap();
        zstd.truncate(size);
        for (with, packed) in [
            (Compression::Zlib, zlib.finish().unwrap()),
            (Compression::Zstd, zstd.clone()),
            (Compression::Zstd, zstd[4..].to_vec()),
        ] {
            assert_eq!(with.unpack(&packed, plain.len()).as_deref(), Some(&plain[..]));
            assert_eq!(with.unpack(&packed, plain.len() - 1), None);
            assert_eq!(with.unpack(&packed, plain.len() + 1), None);
            assert_eq!(with.unpack(&packed[..packed.len() / 2], plain.len()), None);
        }
        assert_eq!(Compression::of_name(b"lzma"), None);
    }
}
