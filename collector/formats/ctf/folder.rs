//! Folders of CTF traces: where they are, and which of their files can be read.
//!
//! The library takes every file of a trace's folder for a stream, refuses the whole trace when one is damaged or of another program, and does
//! not survive metadata or an index that are cut off. So the packets are checked first; where something is wrong, the library
//! gets a folder of links to what is good. The native decoder reads the same files where they are.

use crate::classes::shape_named;
use crate::packets::{self, Layout, StreamFile};
use std::collections::HashMap;
use std::fs::{self, File};
use std::io::{Read, Seek, SeekFrom, Write};
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use tempfile::TempDir;
use wastenot_import::ImportError;

/// Depth of folders that are searched.
const DEPTH: usize = 6;
/// Metadata that are larger are none; LTTng's have some 100 KB.
const METADATA: u64 = 64 << 20;
/// A damaged stream is copied up to the damage, if that is not more than this.
const COPIED: u64 = 4 << 30;
/// `magic` of a packet of metadata.
const MAGIC: u32 = 0x75d1_1d57;
/// Length of its header (bytes): magic, uuid, checksum, content and packet size (bits), five bytes of schemes and version.
const HEADER: usize = 37;

/// A folder that holds metadata and streams.
#[derive(Debug)]
pub struct TraceFolder {
    pub path: PathBuf,
    /// The metadata as text.
    metadata: String,
}

/// Traces whose files were checked.
pub struct PreparedTraces {
    /// Folders of each trace.
    pub traces: Vec<Vec<PreparedFolder>>,
    /// Packets of all streams, where that is known.
    pub packets: u64,
    /// What was found wrong.
    pub damage: Vec<String>,
}

/// A folder of a trace and the files in it that can be read.
pub struct PreparedFolder {
    pub folder: TraceFolder,
    pub files: Vec<GoodFile>,
    /// Everything in the folder is good.
    whole: bool,
}

/// A file that can be read, in whole or in part.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GoodFile {
    pub path: PathBuf,
    /// The first bytes that are good, and values to read instead of those at some places. None: all are good.
    pub part: Option<FilePart>,
}

/// The good bytes of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FilePart {
    pub length: u64,
    /// Places and the bytes there.
    pub patches: Vec<(u64, Vec<u8>)>,
}

/// Folders under `folder` (itself too) that hold CTF metadata.
pub fn find(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    visit(folder, DEPTH, &mut found);
    found.sort();
    found
}

fn visit(folder: &Path, depth: usize, found: &mut Vec<PathBuf>) {
    if is_metadata(&folder.join("metadata")) {
        found.push(folder.into());
        return;
    }
    let Ok(entries) = fs::read_dir(folder) else { return };
    for entry in entries.flatten().filter(|_| depth > 0) {
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            visit(&entry.path(), depth - 1, found);
        }
    }
}

fn is_metadata(file: &Path) -> bool {
    let mut head = Vec::new();
    let read = File::open(file).and_then(|file| file.take(64).read_to_end(&mut head));
    read.is_ok() && (magic(&head).is_some() || is_text(&head))
}

fn is_text(head: &[u8]) -> bool {
    head.starts_with(b"/* CTF ") || head.starts_with(b"\x1e{") // CTF 1.8; a sequence of JSON texts: CTF 2
}

/// Byte order of metadata in packets.
fn magic(head: &[u8]) -> Option<fn([u8; 4]) -> u32> {
    let word: [u8; 4] = head.get(..4)?.try_into().ok()?;
    match MAGIC {
        MAGIC if u32::from_le_bytes(word) == MAGIC => Some(u32::from_le_bytes),
        MAGIC if u32::from_be_bytes(word) == MAGIC => Some(u32::from_be_bytes),
        _ => None,
    }
}

impl TraceFolder {
    /// Read the metadata of the trace in this folder.
    pub fn open(path: &Path) -> Result<Self, ImportError> {
        let file = path.join("metadata");
        let mut bytes = Vec::new();
        let read = File::open(&file).and_then(|file| file.take(METADATA + 1).read_to_end(&mut bytes));
        read.map_err(|cause| ImportError::io(&file, cause))?;
        if bytes.len() as u64 > METADATA {
            return Err(ImportError::damaged(file, format!("CTF metadata of more than {} MB", METADATA >> 20)));
        }
        let text = match magic(&bytes) {
            Some(number) => unpack(&bytes, number).map_err(|why| ImportError::damaged(&file, why))?,
            None => bytes,
        };
        Ok(Self { path: path.into(), metadata: String::from_utf8_lossy(&text).into_owned() })
    }

    /// The metadata declare an event of this kernel's scheduler.
    pub fn has_our_events(&self) -> bool {
        let names = self.metadata.split("name = \"").skip(1).filter_map(|rest| rest.split('"').next());
        names.into_iter().any(|name| shape_named(name).is_some()) || self.metadata.starts_with('\x1e')
    }

    /// The metadata as text.
    pub fn metadata(&self) -> &str {
        &self.metadata
    }

    /// The parts of one trace have the same.
    fn uuid(&self) -> Option<String> {
        if self.metadata.starts_with('\x1e') {
            // CTF 2: the first of the JSON texts has it.
            let preamble = self.metadata.split('\x1e').nth(1)?;
            return serde_json::from_str::<serde_json::Value>(preamble).ok()?.get("uuid").map(ToString::to_string);
        }
        let (_, rest) = self.metadata.split_once("uuid = \"")?;
        rest.split('"').next().map(str::to_owned)
    }

    fn layout(&self) -> Option<Layout> {
        Layout::of(&self.metadata)
    }
}

/// The text in packets of metadata.
fn unpack(bytes: &[u8], number: fn([u8; 4]) -> u32) -> Result<Vec<u8>, String> {
    let mut text = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        let cut = || format!("the metadata are damaged at byte {at}");
        let header = bytes.get(at..at + HEADER).ok_or_else(cut)?;
        let word = |at: usize| number([header[at], header[at + 1], header[at + 2], header[at + 3]]);
        let (content, packet) = (word(24) as usize / 8, word(28) as usize / 8);
        if word(0) != MAGIC || content < HEADER || packet < content || packet > bytes.len() - at {
            return Err(cut());
        }
        text.extend(&bytes[at + HEADER..at + content]);
        at += packet;
    }
    Ok(text)
}

/// Check the files of these traces.
pub fn prepare(folders: Vec<TraceFolder>) -> Result<PreparedTraces, ImportError> {
    let mut prepared = PreparedTraces { traces: Vec::new(), packets: 0, damage: Vec::new() };
    let mut by_uuid: HashMap<String, usize> = HashMap::new();
    for (n, folder) in folders.into_iter().enumerate() {
        let uuid = folder.uuid().unwrap_or_else(|| format!("none {n}"));
        let folder = prepared.check_files(folder)?;
        // The parts of a rotated session, and snapshots of one session, are one trace.
        match by_uuid.get(&uuid) {
            Some(&trace) => prepared.traces[trace].push(folder),
            None => {
                by_uuid.insert(uuid, prepared.traces.len());
                prepared.traces.push(vec![folder]);
            }
        }
    }
    Ok(prepared)
}

impl PreparedTraces {
    /// What of this folder can be read.
    fn check_files(&mut self, folder: TraceFolder) -> Result<PreparedFolder, ImportError> {
        let io = |cause| ImportError::io(&folder.path, cause);
        let layout = folder.layout();
        let mut files = Vec::new();
        let mut whole = true;
        for entry in fs::read_dir(&folder.path).map_err(io)?.flatten() {
            let name = entry.file_name().to_string_lossy().into_owned();
            let path = entry.path();
            let is_file = fs::metadata(&path).is_ok_and(|meta| meta.is_file() && meta.len() > 0);
            if name == "metadata" || name.starts_with('.') || !is_file {
                continue;
            }
            let checked = packets::check(&path, layout.as_ref()).map_err(io)?;
            let index = folder.path.join("index").join(format!("{name}.idx"));
            match checked {
                StreamFile::Good { packets, index_fits } => {
                    self.packets += packets;
                    whole &= index_fits;
                    files.push(GoodFile { path, part: None });
                }
                StreamFile::Unknown => files.push(GoodFile { path, part: None }),
                StreamFile::Damaged { at, packets, keep, patches } => {
                    whole = false;
                    self.packets += packets;
                    self.damage.push(format!("{}: damaged at byte {at}; what follows is lost", path.display()));
                    if keep > 0 {
                        files.push(GoodFile { path, part: Some(FilePart { length: keep, patches }) });
                    }
                }
                StreamFile::Foreign => {
                    whole = false;
                    if index.exists() || packets::is_stream_name(&name) {
                        self.damage.push(format!("{}: its first packet is damaged", path.display()));
                    }
                }
            }
        }
        Ok(PreparedFolder { folder, files, whole })
    }

    /// The folders of each trace as libbabeltrace2 can read them, and those among them that are temporary.
    pub fn link(&self) -> Result<(Vec<Vec<PathBuf>>, Vec<TempDir>), ImportError> {
        let mut links = Vec::new();
        let mut link = |prepared: &PreparedFolder| {
            if prepared.whole {
                return Ok(prepared.folder.path.clone());
            }
            let io = |cause| ImportError::io(&prepared.folder.path, cause);
            let dir = tempfile::Builder::new().prefix("wastenot-ctf-").tempdir().map_err(io)?;
            prepared.link(dir.path()).map_err(io)?;
            links.push(dir);
            Ok(links.last().expect("just pushed").path().to_owned())
        };
        let folders = self.traces.iter().map(|folders| folders.iter().map(&mut link).collect());
        let folders = folders.collect::<Result<_, ImportError>>()?;
        Ok((folders, links))
    }
}

impl PreparedFolder {
    /// Fill a folder with links to what is good, and copies of what is good in the rest. Without indices: the library
    /// makes its own.
    fn link(&self, into: &Path) -> std::io::Result<()> {
        let path = fs::canonicalize(&self.folder.path)?;
        symlink(path.join("metadata"), into.join("metadata"))?;
        for file in &self.files {
            let Some(name) = file.path.file_name() else { continue };
            match &file.part {
                None => symlink(path.join(name), into.join(name))?,
                Some(FilePart { length, .. }) if *length > COPIED => {}
                Some(FilePart { length, patches }) => {
                    let mut copy = File::create(into.join(name))?;
                    std::io::copy(&mut File::open(path.join(name))?.take(*length), &mut copy)?;
                    for (at, bytes) in patches {
                        copy.seek(SeekFrom::Start(*at))?;
                        copy.write_all(bytes)?;
                    }
                }
            }
        }
        Ok(())
    }
}
