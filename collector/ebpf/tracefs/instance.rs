//! A tracing instance of our own under tracefs `instances/`; it goes when it is dropped.
//!
//! Source: Documentation/trace/ftrace.rst.

use crate::error::CaptureError;
use crate::mounts::tracefs;
use std::fs::File;
use std::io::{self, Read};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use wastenot_import::{Endian, Tracepoint};

/// Large enough for every page size that a kernel gives its trace buffers.
const PAGE_CAPACITY: usize = 64 << 10;

const PREFIX: &str = "wastenot-";

/// Distinguishes the instances of one process.
static NUMBER: AtomicU32 = AtomicU32::new(0);

/// Take away the instances of recorders that were killed: their events would go on being written.
fn remove_orphans(instances: &Path) {
    for entry in std::fs::read_dir(instances).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let owner = name.to_str().and_then(|name| name.strip_prefix(PREFIX)).and_then(|rest| rest.split('-').next());
        if owner
            .and_then(|owner| owner.parse::<u32>().ok())
            .is_some_and(|pid| !Path::new(&format!("/proc/{pid}")).exists())
        {
            let _ = std::fs::remove_dir(entry.path());
        }
    }
}

/// A folder under `instances/` and the open buffers of its CPUs.
pub struct Instance {
    folder: PathBuf,
    pipes: Vec<Option<File>>,
    page: Vec<u8>,
}

impl Instance {
    /// Make an instance with monotonic time and buffers of `bytes` per CPU, switched off.
    pub fn create(bytes: u64) -> Result<Self, CaptureError> {
        let tracefs = tracefs().ok_or_else(|| CaptureError::Io {
            what: "tracefs is not mounted (mount -t tracefs tracefs /sys/kernel/tracing)".into(),
            source: io::ErrorKind::NotFound.into(),
        })?;
        let instances = tracefs.join("instances");
        remove_orphans(&instances);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let folder = instances.join(format!("{PREFIX}{}-{number}", std::process::id()));
        std::fs::create_dir(&folder).map_err(CaptureError::file(&folder))?;
        let instance = Self { folder, pipes: Vec::new(), page: vec![0; PAGE_CAPACITY] };
        instance.set_on(false)?;
        instance.write("trace_clock", "mono")?;
        instance.write("buffer_size_kb", &(bytes / 1024).to_string())?;
        Ok(instance)
    }

    fn write(&self, name: &str, text: &str) -> Result<(), CaptureError> {
        let path = self.folder.join(name);
        std::fs::write(&path, text).map_err(CaptureError::file(&path))
    }

    /// Switch the events on (they are written once the instance is on) and read their formats. What is refused and not
    /// needed is named in the second list.
    pub fn switch_on(&self, events: &[(&str, &str, bool)]) -> Result<(Vec<Tracepoint>, Vec<String>), CaptureError> {
        let (mut on, mut refused) = (Vec::new(), Vec::new());
        for &(group, name, needed) in events {
            match self.switch_on_one(&self.folder.join("events").join(group).join(name)) {
                Ok(event) => on.push(event),
                Err(error) if needed => return Err(error),
                Err(error) => refused.push(format!("{name}: {error}")),
            }
        }
        Ok((on, refused))
    }

    fn switch_on_one(&self, event: &Path) -> Result<Tracepoint, CaptureError> {
        let (enable, path) = (event.join("enable"), event.join("format"));
        let text = std::fs::read_to_string(&path).map_err(CaptureError::file(&path))?;
        let endian = if cfg!(target_endian = "big") { Endian::Big } else { Endian::Little };
        let parsed = Tracepoint::parse(&text, endian).unwrap_or_else(|| Err("not the format of an event".into()));
        let parsed = parsed.map_err(|why| CaptureError::Option { why: format!("{}: {why}", path.display()) })?;
        std::fs::write(&enable, "1").map_err(CaptureError::file(&enable))?;
        Ok(parsed)
    }

    /// Open the buffers of the CPUs; one that is not there stays closed.
    pub fn open_cpus(&mut self, cpus: usize) -> Result<(), CaptureError> {
        for cpu in 0..cpus {
            let path = self.folder.join(format!("per_cpu/cpu{cpu}/trace_pipe_raw"));
            let file = File::options().read(true).custom_flags(libc::O_NONBLOCK).open(&path);
            self.pipes.push(match file {
                Ok(file) => Some(file),
                Err(error) if error.kind() == io::ErrorKind::NotFound => None,
                Err(error) => return Err(CaptureError::file(&path)(error)),
            });
        }
        Ok(())
    }

    /// Write events from now on, or no longer.
    pub fn set_on(&self, on: bool) -> Result<(), CaptureError> {
        self.write("tracing_on", if on { "1" } else { "0" })
    }

    /// Visit the pages of a CPU's buffer until it is empty.
    pub fn pages(&mut self, cpu: usize, mut visit: impl FnMut(&[u8]) -> io::Result<()>) -> io::Result<()> {
        let Some(Some(pipe)) = self.pipes.get_mut(cpu) else { return Ok(()) };
        loop {
            match pipe.read(&mut self.page) {
                Ok(0) => return Ok(()),
                Ok(length) => visit(&self.page[..length])?,
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return Ok(()),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
    }
}

impl Drop for Instance {
    fn drop(&mut self) {
        let _ = self.set_on(false);
        self.pipes.clear();
        // rmdir takes the instance with all that is in it.
        let _ = std::fs::remove_dir(&self.folder);
    }
}
