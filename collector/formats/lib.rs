//! A trace is recognised by its content, never by its name, and handed to the reader of its format.

pub mod schedstat;

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use wastenot_import::{ImportError, OpenTrace, Options};

/// Formats that can be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// A folder that holds CTF metadata, at any depth (LTTng).
    Ctf,
    /// trace-cmd's trace.dat.
    TraceDat,
    /// perf.data.
    Perf,
    /// Perfetto's protobuf stream.
    Perfetto,
    /// What ftrace prints; systrace HTML.
    Text,
    /// A `.prv` of Paraver.
    Paraver,
    /// The anchor file of an archive in the Open Trace Format 2, or the folder that holds one (Score-P).
    Otf2,
}

impl Format {
    /// Its name, as in `trace.source` (text: ftrace).
    pub fn name(self) -> &'static str {
        match self {
            Self::Ctf => "ctf",
            Self::TraceDat => "trace.dat",
            Self::Perf => "perf",
            Self::Perfetto => "perfetto",
            Self::Text => "ftrace",
            Self::Paraver => "paraver",
            Self::Otf2 => "otf2",
        }
    }
}

/// Bytes of a file by which its format is recognised.
const HEAD: u64 = 64 << 10;

/// The format of what lies at `path`; None when it is not a known format.
pub fn recognise(path: &Path) -> Result<Option<Format>, ImportError> {
    if path.is_dir() {
        return Ok(match () {
            () if wastenot_ctf::holds_trace(path) => Some(Format::Ctf),
            () if wastenot_otf2::anchor_in(path).is_some() => Some(Format::Otf2),
            () => None,
        });
    }
    let mut head = Vec::new();
    let read = File::open(path).and_then(|file| file.take(HEAD).read_to_end(&mut head));
    read.map_err(|cause| ImportError::io(path, cause))?;
    Ok(match () {
        () if wastenot_tracedat::recognises(&head) => Some(Format::TraceDat),
        () if wastenot_perf::recognises(&head) => Some(Format::Perf),
        () if wastenot_otf2::recognises(&head) => Some(Format::Otf2),
        () if wastenot_paraver::recognises(&head) => Some(Format::Paraver),
        () if wastenot_text::recognises(&head) => Some(Format::Text),
        () if wastenot_perfetto::recognises(&head) => Some(Format::Perfetto),
        () => None,
    })
}

/// What a live session of lttng-relayd begins with.
pub const LIVE: &str = "net://";

/// Open what lies at `path`, whatever its format; `net://HOST/host/HOSTNAME/SESSION` is a live session of LTTng.
pub fn open(path: &Path, options: &Options) -> Result<OpenTrace, ImportError> {
    let format = match path.to_str().filter(|path| path.starts_with(LIVE)) {
        Some(_) => Some(Format::Ctf),
        None => recognise(path)?,
    };
    if let (Some(formats), Some(other)) = (&options.formats, format.filter(|format| *format != Format::Perf)) {
        let name = other.name();
        return Err(ImportError::Option(format!(
            "--formats {}: for a perf.data file that has lost its formats; this is {name}, which has its own",
            formats.display()
        )));
    }
    if let Some(url) = path.to_str().filter(|path| path.starts_with(LIVE)) {
        return wastenot_ctf::open_live(url, options);
    }
    match format {
        Some(Format::Ctf) => wastenot_ctf::open(path, options),
        Some(Format::TraceDat) => wastenot_tracedat::open(path, options),
        Some(Format::Perf) => wastenot_perf::open(path, options),
        Some(Format::Perfetto) => wastenot_perfetto::open(path, options),
        Some(Format::Text) => wastenot_text::open(path, options),
        Some(Format::Paraver) => wastenot_paraver::open(path, options),
        Some(Format::Otf2) => wastenot_otf2::open(path, options),
        None => Err(unknown(path)),
    }
}

fn unknown(path: &Path) -> ImportError {
    let found = match std::fs::metadata(path) {
        Ok(meta) if meta.is_dir() => "a folder without a trace in it",
        Ok(meta) if meta.len() == 0 => "an empty file",
        _ => "not a trace of a known format",
    };
    let formats = "known are CTF (LTTng), trace.dat, ftrace text, systrace HTML, perf.data, Perfetto, Paraver (.prv), OTF2, exports, T.duckdb.part";
    ImportError::damaged(PathBuf::from(path), format!("{found}; {formats}"))
}
