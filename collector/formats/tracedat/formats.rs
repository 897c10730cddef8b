//! The formats of events that the file brings along, as far as they are read.

use crate::bytes::Bytes;
use wastenot_import::{Endian, Tracepoint};

/// Layouts of pages and of the events that are read.
#[derive(Default)]
pub struct Formats {
    /// Size of the kernel's long, which is that of a page's `commit` (bytes).
    pub long_size: usize,
    /// Where a page's events begin.
    pub data_offset: usize,
    pub tracepoints: Vec<Tracepoint>,
    pub stack: Option<StackFormat>,
    /// Events that cannot be read, and why.
    pub flaws: Vec<String>,
}

/// The event that holds a kernel stack.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StackFormat {
    pub id: u32,
    /// Where the number of frames is (int); kernels before 5.6 did not write it.
    pub count_at: Option<usize>,
    pub frames_at: usize,
}

impl Formats {
    /// From `events/header_page`.
    pub fn header_page(&mut self, text: &[u8]) {
        let text = String::from_utf8_lossy(text);
        let of = |name: &str, key: &str| number(text.lines().find(|line| field_name(line) == Some(name))?, key);
        self.long_size = of("commit", "size:").filter(|size| matches!(size, 4 | 8)).unwrap_or(8);
        let offset = of("data", "offset:").filter(|&at| at >= 8 + self.long_size && at <= 64);
        self.data_offset = offset.unwrap_or(8 + self.long_size);
    }

    /// Part "event formats of ftrace itself"; `None`: it ends too early.
    pub fn ftrace(&mut self, bytes: &mut Bytes<'_>, endian: Endian) -> Option<()> {
        for _ in 0..bytes.u32()? {
            let size = bytes.u64()?;
            self.add(bytes.take_sized(size)?, endian);
        }
        Some(())
    }

    /// Part "event formats", by systems; `None`: it ends too early.
    pub fn events(&mut self, bytes: &mut Bytes<'_>, endian: Endian) -> Option<()> {
        for _ in 0..bytes.u32()? {
            bytes.text()?;
            self.ftrace(bytes, endian)?;
        }
        Some(())
    }

    /// One `format` file.
    pub fn add(&mut self, text: &[u8], endian: Endian) {
        let text = String::from_utf8_lossy(text);
        match Tracepoint::parse(&text, endian) {
            Some(Ok(tracepoint)) => {
                self.tracepoints.retain(|known| known.id != tracepoint.id);
                self.tracepoints.push(tracepoint);
            }
            Some(Err(why)) => self.flaws.push(why),
            None if text.starts_with("name: kernel_stack\n") => self.stack = StackFormat::parse(&text).or(self.stack),
            None => {}
        }
    }
}

impl StackFormat {
    fn parse(text: &str) -> Option<Self> {
        let line = |name: &str| text.lines().find(|line| field_name(line) == Some(name));
        let id = text.lines().find_map(|line| line.strip_prefix("ID:"))?.trim().parse().ok()?;
        let count_at = line("size").and_then(|line| number(line, "offset:"));
        Some(Self { id, count_at, frames_at: number(line("caller")?, "offset:")? })
    }
}

/// The name in `\tfield:unsigned long caller[8];\toffset:16;...`.
fn field_name(line: &str) -> Option<&str> {
    let declaration = line.trim_start().strip_prefix("field:")?.split(';').next()?;
    declaration.split_whitespace().last()?.split('[').next()
}

fn number(line: &str, key: &str) -> Option<usize> {
    line.split(';').find_map(|part| part.trim().strip_prefix(key)?.trim().parse().ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_header_of_a_32_bit_kernels_page_is_read() {
        let mut formats = Formats::default();
        formats.header_page(b"\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n\tfield: local_t commit;\toffset:8;\tsize:4;\tsigned:1;\n\tfield: char data;\toffset:12;\tsize:4084;\tsigned:1;\n");
        assert_eq!((formats.long_size, formats.data_offset), (4, 12));
        formats.header_page(b"malformed");
        assert_eq!((formats.long_size, formats.data_offset), (8, 16));
    }

    #[test]
    fn a_stack_has_its_count_since_5_6() {
        let old =
            "name: kernel_stack\nID: 4\nformat:\n\tfield:unsigned long caller[8];\toffset:8;\tsize:64;\tsigned:0;\n";
        let new = format!("{}\tfield:int size;\toffset:8;\tsize:4;\tsigned:1;\n", old.replace("offset:8", "offset:16"));
        assert_eq!(StackFormat::parse(old), Some(StackFormat { id: 4, count_at: None, frames_at: 8 }));
        assert_eq!(StackFormat::parse(&new), Some(StackFormat { id: 4, count_at: Some(8), frames_at: 16 }));
    }
}
