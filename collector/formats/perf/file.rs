//! The file's header: where attributes, records and features lie.
//!
//! Source: tools/perf/Documentation/perf.data-file-format.txt, tools/perf/util/header.c (perf_file_header__read).

use crate::attr::{Attr, Attrs};
use crate::bytes::Bytes;
use crate::features::{Features, WANTED, feature};
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::Path;
use wastenot_import::{Endian, ImportError};

/// `PERFILE2` as the writing machine stores it.
const LITTLE: &[u8; 8] = b"PERFILE2";
const BIG: &[u8; 8] = b"2ELIFREP";
/// Size of the header of a pipe: magic and this size.
const PIPE_HEADER: u64 = 16;
/// Size of the header of a file.
const FILE_HEADER: usize = 104;
/// Longest section that is read into memory.
const MAX_SECTION: u64 = 64 << 20;
/// Most attributes and ids together (bytes).
const MAX_ATTRS: u64 = 16 << 20;

/// Whether a file that starts with these bytes is perf.data.
pub fn byte_order(head: &[u8]) -> Option<Endian> {
    match head.get(..8)? {
        magic if magic == LITTLE => Some(Endian::Little),
        magic if magic == BIG => Some(Endian::Big),
        _ => None,
    }
}

/// A stretch of the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Section {
    offset: u64,
    size: u64,
}

impl Section {
    fn at(bytes: Bytes<'_>, at: usize) -> Option<Self> {
        Some(Self { offset: bytes.u64(at)?, size: bytes.u64(at + 8)? })
    }

    fn end(&self) -> Option<u64> {
        self.offset.checked_add(self.size)
    }
}

/// A file whose header has been read; its position is its first record.
pub struct OpenFile {
    pub file: File,
    pub endian: Endian,
    /// Attributes and features come as records.
    pub pipe: bool,
    pub attrs: Attrs,
    pub features: Features,
    /// Where the records begin and how many bytes of them are there.
    pub records: (u64, u64),
    /// What is missing from the file.
    pub cut: Option<String>,
    /// The other files of its folder, where `perf record --threads` wrote one per thread: without headers, records only.
    pub beside: Vec<RecordFile>,
}

/// A file of records.
pub struct RecordFile {
    pub name: String,
    pub file: File,
    pub size: u64,
}

/// Most files of a folder. Each takes a block of its own, and so much may wait at most as is said in `order`.
const MAX_FILES: usize = 1024;

/// The files `data.0` ... beside `path`, which is the `data` of a folder.
fn files_beside(path: &Path) -> Result<Vec<RecordFile>, ImportError> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut numbers = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(|cause| ImportError::io(folder, cause))? {
        let name = entry.map_err(|cause| ImportError::io(folder, cause))?.file_name();
        let number = name.to_str().and_then(|name| name.strip_prefix("data.")).and_then(|n| n.parse::<usize>().ok());
        numbers.extend(number);
    }
    numbers.sort_unstable();
    let damaged = |why: String| ImportError::damaged(path, why);
    if let Some(missing) = (0..numbers.len()).find(|&n| numbers[n] != n) {
        return Err(damaged(format!("data.{missing} is not beside it and later ones are; copy the folder whole")));
    }
    if numbers.len() > MAX_FILES {
        let why = format!("its records are in {} files, at most {MAX_FILES} are read", numbers.len());
        return Err(damaged(format!("{why}; record with --threads=core or =package")));
    }
    let opened = |number: usize| {
        let name = format!("data.{number}");
        let beside = path.with_file_name(&name);
        let file = File::open(&beside).map_err(|cause| ImportError::io(&beside, cause))?;
        let meta = file.metadata().map_err(|cause| ImportError::io(&beside, cause))?;
        if !meta.is_file() {
            return Err(ImportError::damaged(&beside, "not a regular file".to_owned()));
        }
        Ok(RecordFile { name, file, size: meta.len() })
    };
    numbers.into_iter().map(opened).collect()
}

/// Read the header of the file at `path`.
pub fn open(path: &Path) -> Result<OpenFile, ImportError> {
    let io = |cause| ImportError::io(path, cause);
    let damaged = |why: &str| ImportError::damaged(path, why);
    let mut file = File::open(path).map_err(io)?;
    let length = file.metadata().map_err(io)?.len();
    let mut head = Vec::new();
    (&mut file).take(FILE_HEADER as u64).read_to_end(&mut head).map_err(io)?;
    let endian = byte_order(&head)
        .ok_or_else(|| damaged("not a perf.data file: it begins with neither PERFILE2 nor 2ELIFREP"))?;
    let header = Bytes::new(&head, endian);
    let cut = || damaged("it ends within its header; copy it again, or record anew");
    let (mut attrs, mut features) = (Attrs::default(), Features::default());
    if header.u64(8).ok_or_else(cut)? == PIPE_HEADER {
        file.seek(SeekFrom::Start(PIPE_HEADER)).map_err(io)?;
        let records = (PIPE_HEADER, length.saturating_sub(PIPE_HEADER));
        return Ok(OpenFile { file, endian, pipe: true, attrs, features, records, cut: None, beside: Vec::new() });
    }
    let attr_size = header.u64(16).ok_or_else(cut)?;
    let section = |at| Section::at(header, at).ok_or_else(cut);
    let (attr_section, data) = (section(24)?, section(40)?);
    let words = [72, 80, 88, 96].map(|at| header.u64(at).unwrap_or(0));
    if head.len() < FILE_HEADER {
        return Err(cut());
    }
    let mut reader = HeaderReader { file: &mut file, endian, length };
    reader
        .attrs(attr_section, attr_size, &mut attrs)
        .ok_or_else(|| damaged("its list of events is damaged; record anew"))?;
    let set = reader.set_features(words);
    if set.contains(&feature::DIR_FORMAT) {
        features.insert(feature::DIR_FORMAT, Vec::new()); // also where its content, behind the records, is missing
    }
    let mut missing: Option<String> = match data.end() {
        _ if data.size == 0 => {
            Some("the recording was not finished: perf record had no time to write its header".into())
        }
        Some(end) if end <= length => None,
        _ => Some(format!(
            "the file ends {} bytes before its records do",
            data.offset.saturating_add(data.size) - length
        )),
    };
    if missing.is_none() {
        let lacking = reader.features(&data, set, &mut features);
        missing =
            (lacking > 0).then(|| format!("the file ends {lacking} bytes before its last facts of the machine do"));
    }
    let beside = if features.has(feature::DIR_FORMAT) { files_beside(path)? } else { Vec::new() };
    let available = length.saturating_sub(data.offset);
    let size = if data.size == 0 { available } else { data.size.min(available) };
    file.seek(SeekFrom::Start(data.offset.min(length))).map_err(io)?;
    let records = (data.offset.min(length), size);
    Ok(OpenFile { file, endian, pipe: false, attrs, features, records, cut: missing, beside })
}

struct HeaderReader<'a> {
    file: &'a mut File,
    endian: Endian,
    length: u64,
}

impl HeaderReader<'_> {
    /// The bytes of a section; None where it does not lie in the file, or is larger than `most`.
    fn section(&mut self, section: Section, most: u64) -> Option<Vec<u8>> {
        if section.size > most || section.end()? > self.length {
            return None;
        }
        let mut bytes = vec![0; section.size as usize];
        self.file.seek(SeekFrom::Start(section.offset)).ok()?;
        self.file.read_exact(&mut bytes).ok()?;
        Some(bytes)
    }

    /// The attributes: each with the section of its ids.
    fn attrs(&mut self, section: Section, attr_size: u64, attrs: &mut Attrs) -> Option<()> {
        let listed = self.section(section, MAX_ATTRS)?;
        if listed.is_empty() {
            return Some(()); // perf sched stats opens no event
        }
        let each = usize::try_from(attr_size).ok().filter(|&size| size > 16 && size <= listed.len())?;
        let mut left = MAX_ATTRS;
        for entry in listed.chunks_exact(each) {
            let (attr, ids) = entry.split_at(each - 16);
            let (attr, _) = Attr::parse(Bytes::new(attr, self.endian))?;
            let ids = Section::at(Bytes::new(ids, self.endian), 0)?;
            left = left.checked_sub(ids.size)?;
            let ids = self.section(ids, MAX_ATTRS)?;
            let ids = Bytes::new(&ids, self.endian);
            let numbers = (0..ids.data.len() / 8).filter_map(|n| ids.u64(8 * n));
            attrs.push(attr, numbers).then_some(())?;
        }
        Some(())
    }

    /// Numbers of the features that the header says there are. It is written at the start, too.
    fn set_features(&self, words: [u64; 4]) -> Vec<u32> {
        // A 32-bit big-endian machine has the halves of the words the other way round; every file has its host's name.
        let hostname = 1 << feature::HOSTNAME;
        let swapped = self.endian == Endian::Big && words[0] & hostname == 0;
        let words = if swapped { words.map(|word| word.rotate_left(32)) } else { words };
        (0..256).filter(|&bit| words[bit as usize / 64] >> (bit % 64) & 1 == 1).collect()
    }

    /// The features: behind the records lies a table of sections, one for each bit that is set. Returns how many bytes the file is too
    /// short for them.
    fn features(&mut self, data: &Section, set: Vec<u32>, features: &mut Features) -> u64 {
        let Some(offset) = data.end() else { return 0 };
        let table = Section { offset, size: 16 * set.len() as u64 };
        let lacking_table = offset.saturating_add(table.size).saturating_sub(self.length);
        let Some(table) = self.section(table, MAX_SECTION) else { return lacking_table };
        let mut lacking = 0;
        for (n, number) in set.into_iter().enumerate() {
            let Some(section) = Section::at(Bytes::new(&table, self.endian), 16 * n) else { continue };
            if section.size <= MAX_SECTION {
                lacking = lacking.max(section.offset.saturating_add(section.size).saturating_sub(self.length));
            }
            if WANTED.contains(&number)
                && let Some(bytes) = self.section(section, MAX_SECTION)
            {
                features.insert(number, bytes);
            }
        }
        lacking
    }
}
