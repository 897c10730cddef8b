//! Version 6: everything in one fixed order, nothing compressed.

use crate::bytes::Bytes;
use crate::formats::Formats;
use crate::layout::{Buffer, CpuData, FileHeader, Kallsyms, Layout, MAX_CPUS, MAX_PART, Part};
use crate::options::{RecordingOptions, chosen_clock, option};
use crate::trace_file::TraceFile;
use wastenot_import::ImportError;

/// Reads forward through the file.
struct SequentialReader<'a> {
    disk: &'a TraceFile,
    head: FileHeader,
    at: u64,
}

/// Read on behind the file's head.
pub fn read(disk: &TraceFile, head: FileHeader, at: u64) -> Result<Layout, ImportError> {
    let mut file = SequentialReader { disk, head, at };
    let mut formats = Formats::default();
    file.expect(b"header_page\0")?;
    let size = file.u64("size of the page header")?;
    formats.header_page(&file.bytes(size, "page header")?);
    file.expect(b"header_event\0")?;
    let size = file.u64("size of the event header")?;
    file.skip(size, "event header")?;
    file.formats(&mut formats)?;
    for _ in 0..file.u32("number of systems")? {
        file.skip_text()?;
        file.formats(&mut formats)?;
    }
    let size = file.u32("size of kallsyms")?.into();
    let part = Part { offset: file.at, size, packed_from: None };
    let kallsyms = (size > 0).then_some(Kallsyms { part, skip: 0 });
    file.skip(size, "kallsyms")?;
    let size = file.u32("size of the printk formats")?.into();
    file.skip(size, "printk formats")?;
    let size = file.u64("size of the saved command lines")?;
    let cmdlines = file.bytes(size, "saved command lines")?;

    let cpus = file.u32("number of CPUs")?;
    let (mut options, mut instances) = (RecordingOptions::default(), Vec::new());
    let mut kind = file.bytes(10, "kind of data")?;
    if kind == b"options  \0" {
        file.options(&mut options, &mut instances)?;
        kind = file.bytes(10, "kind of data")?;
    }
    let cpus = options.cpus.unwrap_or(cpus);
    if cpus > MAX_CPUS {
        return Err(disk.damaged(format!("{cpus} CPUs at byte {}, more than there can be", file.at)));
    }
    options.cpus = Some(cpus);
    let mut flaws = Vec::new();
    let mut buffers = vec![Buffer { cpus: file.cpu_table(&kind, cpus)?, ..file.buffer("") }];
    // The clock is behind the table, too, and some files have it only there.
    if options.clock.is_none()
        && let Ok(size) = file.u64("size of the clock")
        && size < 4096
    {
        options.clock = file.bytes(size, "clock").ok().and_then(|text| chosen_clock(&String::from_utf8_lossy(&text)));
    }
    for (name, offset) in instances {
        file.at = offset;
        let table = file.bytes(10, "kind of data").and_then(|kind| file.cpu_table(&kind, cpus));
        match table {
            Ok(cpus) => buffers.push(Buffer { cpus, ..file.buffer(&name) }),
            Err(_) => flaws.push(format!("buffer {name:?} cannot be read (its table at byte {offset} is damaged)")),
        }
    }
    Ok(Layout { head, formats, options, buffers, kallsyms, cmdlines, flaws })
}

impl SequentialReader<'_> {
    fn cut(&self, what: &str) -> ImportError {
        let TraceFile { len, .. } = self.disk;
        self.disk.damaged(format!("cut off or damaged: {what} expected at byte {} of {len}", self.at))
    }

    fn bytes(&mut self, size: u64, what: &str) -> Result<Vec<u8>, ImportError> {
        let bytes = (size <= MAX_PART).then(|| self.disk.bytes(self.at, size)).flatten();
        let bytes = bytes.ok_or_else(|| self.cut(what))?;
        self.at += size;
        Ok(bytes)
    }

    fn skip(&mut self, size: u64, what: &str) -> Result<(), ImportError> {
        let end = self.at.checked_add(size).filter(|&end| end <= self.disk.len);
        self.at = end.ok_or_else(|| self.cut(what))?;
        Ok(())
    }

    fn u16(&mut self, what: &str) -> Result<u16, ImportError> {
        let bytes = self.bytes(2, what)?;
        Ok(Bytes::new(&bytes, self.head.endian).u16().expect("2 bytes"))
    }

    fn u32(&mut self, what: &str) -> Result<u32, ImportError> {
        let bytes = self.bytes(4, what)?;
        Ok(Bytes::new(&bytes, self.head.endian).u32().expect("4 bytes"))
    }

    fn u64(&mut self, what: &str) -> Result<u64, ImportError> {
        let bytes = self.bytes(8, what)?;
        Ok(Bytes::new(&bytes, self.head.endian).u64().expect("8 bytes"))
    }

    fn expect(&mut self, mark: &[u8]) -> Result<(), ImportError> {
        let what = String::from_utf8_lossy(&mark[..mark.len() - 1]).into_owned();
        let at = self.at;
        if self.bytes(mark.len() as u64, &what)? == mark {
            return Ok(());
        }
        self.at = at;
        Err(self.cut(&what))
    }

    fn skip_text(&mut self) -> Result<(), ImportError> {
        const LONGEST: u64 = 4096;
        let some = self.disk.bytes(self.at, LONGEST.min(self.disk.len - self.at)).unwrap_or_default();
        let end = some.iter().position(|&b| b == 0).ok_or_else(|| self.cut("name of a system"))?;
        self.at += end as u64 + 1;
        Ok(())
    }

    fn formats(&mut self, formats: &mut Formats) -> Result<(), ImportError> {
        for _ in 0..self.u32("number of formats")? {
            let size = self.u64("size of a format")?;
            formats.add(&self.bytes(size, "format of an event")?, self.head.endian);
        }
        Ok(())
    }

    fn options(
        &mut self,
        options: &mut RecordingOptions,
        instances: &mut Vec<(String, u64)>,
    ) -> Result<(), ImportError> {
        loop {
            let id = self.u16("option")?;
            if id == option::DONE {
                return Ok(());
            }
            let size = self.u32("size of an option")?.into();
            let data = self.bytes(size, "content of an option")?;
            options.take(id, &data, self.head.endian);
            let mut bytes = Bytes::new(&data, self.head.endian);
            if id == option::BUFFER
                && let Some((offset, name)) = bytes.u64().zip(bytes.text())
            {
                instances.push((String::from_utf8_lossy(name).into_owned(), offset));
            }
        }
    }

    fn buffer(&self, name: &str) -> Buffer {
        let page_size = self.head.page_size;
        Buffer { name: name.into(), clock: None, page_size, compressed: false, cpus: Vec::new() }
    }

    fn cpu_table(&mut self, kind: &[u8], cpus: u32) -> Result<Vec<CpuData>, ImportError> {
        match kind {
            b"flyrecord\0" => {}
            b"latency  \0" => return Err(self.disk.damaged(crate::TEXT_ONLY)),
            _ => return Err(self.cut("table of the CPUs' data")),
        }
        let table = self.bytes(u64::from(cpus) * 16, "table of the CPUs' data")?;
        let mut bytes = Bytes::new(&table, self.head.endian);
        let entry = |cpu| Some(CpuData { cpu, offset: bytes.u64()?, size: bytes.u64()? });
        Ok((0..cpus).map_while(entry).collect())
    }
}
