//! Small files under a relocatable root: `/` of the running machine, or a folder that holds a dump of it.

use crate::error::MachineError;
use std::fs::File;
use std::io::{ErrorKind, Read};
use std::path::{Path, PathBuf};
use std::str::FromStr;
use wastenot_topology::CpuSet;

/// No file of /sys or /proc that we read is longer; what lies beyond is not read.
const LONGEST: u64 = 64 << 20;

/// Where a machine's /sys and /proc are found.
#[derive(Clone, Debug)]
pub(crate) struct Root {
    path: PathBuf,
}

impl Root {
    pub fn new(path: &Path) -> Self {
        Self { path: path.to_owned() }
    }

    /// True for the machine this program runs on, of which system calls may be asked too.
    pub fn is_live(&self) -> bool {
        self.path == Path::new("/")
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The file's place; `rel` may start with `/` as paths in mount tables do.
    pub fn at(&self, rel: impl AsRef<str>) -> PathBuf {
        self.path.join(rel.as_ref().trim_start_matches('/'))
    }

    /// Bytes of a file; None when it is absent, vanished or forbidden to us.
    pub fn bytes(&self, rel: impl AsRef<str>) -> Result<Option<Vec<u8>>, MachineError> {
        read(&self.at(rel))
    }

    /// Text of a file without surrounding blanks; None as in [`Root::bytes`].
    pub fn text(&self, rel: impl AsRef<str>) -> Result<Option<String>, MachineError> {
        let path = self.at(rel);
        let Some(bytes) = read(&path)? else { return Ok(None) };
        match String::from_utf8(bytes) {
            Ok(text) => Ok(Some(text.trim_matches(|c: char| c.is_whitespace() || c == '\0').to_owned())),
            Err(error) => Err(MachineError::garbage(&path, "text", &String::from_utf8_lossy(error.as_bytes()))),
        }
    }

    /// A number alone in its file.
    pub fn number<T: FromStr>(&self, rel: impl AsRef<str>) -> Result<Option<T>, MachineError> {
        let rel = rel.as_ref();
        self.text(rel)?
            .map(|text| text.parse().map_err(|_| MachineError::garbage(&self.at(rel), "a number", &text)))
            .transpose()
    }

    /// A CPU list alone in its file. `(null)` is what kernels print for a mask that was never made (`nohz_full`).
    pub fn cpulist(&self, rel: impl AsRef<str>) -> Result<Option<CpuSet>, MachineError> {
        let rel = rel.as_ref();
        self.text(rel)?
            .map(|text| match text.as_str() {
                "(null)" => Ok(CpuSet::new()),
                list => CpuSet::parse_list(list)
                    .map_err(|_| MachineError::garbage(&self.at(rel), "a CPU list such as 0-3,8", list)),
            })
            .transpose()
    }

    /// Numbers N of the entries `<prefix>N` of a folder, ascending; empty when the folder is absent.
    pub fn numbered(&self, rel: impl AsRef<str>, prefix: &str) -> Vec<u32> {
        let mut numbers: Vec<u32> = self
            .names(rel)
            .iter()
            .filter_map(|name| name.strip_prefix(prefix))
            .filter(|digits| digits.bytes().all(|b| b.is_ascii_digit()))
            .filter_map(|digits| digits.parse().ok())
            .collect();
        numbers.sort_unstable();
        numbers
    }

    /// Names of a folder's entries; empty when it is absent.
    pub fn names(&self, rel: impl AsRef<str>) -> Vec<String> {
        let Ok(entries) = std::fs::read_dir(self.at(rel)) else { return Vec::new() };
        entries.flatten().filter_map(|entry| entry.file_name().into_string().ok()).collect()
    }

    /// First mount of a filesystem type whose options hold `option` (empty: any), as a path from the root.
    pub fn mount(&self, kind: &str, option: &str) -> Option<String> {
        let table = ["proc/self/mounts", "proc/mounts"].iter().find_map(|t| self.text(t).ok().flatten())?;
        table.lines().find_map(|line| {
            let mut fields = line.split(' ').skip(1);
            let (dir, fs, options) = (fields.next()?, fields.next()?, fields.next()?);
            let wanted = fs == kind && (option.is_empty() || options.split(',').any(|o| o == option));
            wanted.then(|| unescape_mount(dir))
        })
    }
}

/// Mount tables write blanks as octal escapes (fs/proc_namespace.c: mangle).
fn unescape_mount(dir: &str) -> String {
    dir.replace("\\040", " ").replace("\\011", "\t").replace("\\012", "\n").replace("\\134", "\\")
}

fn read(path: &Path) -> Result<Option<Vec<u8>>, MachineError> {
    const ESRCH: i32 = 3;
    const ENXIO: i32 = 6;
    const ENODEV: i32 = 19;
    const EOPNOTSUPP: i32 = 95;
    let mut bytes = Vec::new();
    match File::open(path).and_then(|file| file.take(LONGEST).read_to_end(&mut bytes)) {
        Ok(_) => Ok(Some(bytes)),
        Err(error) => match (error.kind(), error.raw_os_error()) {
            (ErrorKind::NotFound | ErrorKind::NotADirectory | ErrorKind::PermissionDenied, _)
            | (_, Some(ESRCH | ENXIO | ENODEV | EOPNOTSUPP)) => Ok(None),
            _ => Err(MachineError::Read { path: path.to_owned(), source: error }),
        },
    }
}
