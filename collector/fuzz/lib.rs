//! What the fuzz targets share: bytes become a file that is read to its end, and everything read is dropped.

use std::io::Write;
use std::os::fd::FromRawFd;
use std::path::{Path, PathBuf};
use wastenot_import::{ImportError, OpenTrace, Options, run};

/// A reader of one format.
pub type Open = fn(&Path, &Options) -> Result<OpenTrace, ImportError>;

/// Read `bytes` as the file of a trace. An error is as good as a result; a panic, a hang or endless memory is not.
pub fn read_bytes(bytes: &[u8], open: Open) {
    let file = in_memory(bytes);
    read(Path::new(&format!("/proc/self/fd/{}", std::os::fd::AsRawFd::as_raw_fd(&file))), open);
}

/// Read the trace at `path`.
pub fn read(path: &Path, open: Open) {
    let options = Options::default();
    let Ok(opened) = open(path, &options) else { return };
    let mut drop_all = |_: &'static str, _| Ok(());
    let message = match run(opened, &options, &mut drop_all, &mut |_, _| {}) {
        Ok(summary) => summary.to_json(),
        Err(error) => error.to_string(),
    };
    assert!(!message.contains('\n'), "one line: {message}");
}

/// A file without a name that holds `bytes`.
fn in_memory(bytes: &[u8]) -> std::fs::File {
    // SAFETY: the name is a C string.
    let descriptor = unsafe { memfd_create(c"fuzz".as_ptr(), 0) };
    assert!(descriptor >= 0, "a file in memory");
    // SAFETY: the descriptor is new and not used elsewhere.
    let mut file = unsafe { std::fs::File::from_raw_fd(descriptor) };
    file.write_all(bytes).expect("memory suffices");
    file
}

unsafe extern "C" {
    fn memfd_create(name: *const std::ffi::c_char, flags: std::ffi::c_uint) -> std::ffi::c_int;
}

/// A folder of this process for traces that are folders.
pub fn folder() -> PathBuf {
    let folder = std::env::temp_dir().join(format!("wastenot-fuzz-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder for the trace");
    folder
}
