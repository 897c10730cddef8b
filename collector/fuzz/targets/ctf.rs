//! A stream of a real trace is replaced by the bytes; the rest of the trace stays. Where the first byte is odd, its metadata
//! is replaced instead. Decoded in this process, where the second bit of the first byte is set by libbabeltrace2.
#![no_main]

use std::fs;
use std::path::PathBuf;
use std::sync::LazyLock;
use wastenot_ctf::DecodeWith;

/// The trace whose parts are replaced, copied from the folder that the environment names.
static TRACE: LazyLock<(PathBuf, Vec<u8>)> = LazyLock::new(|| {
    let original = PathBuf::from(std::env::var("FUZZ_CTF").expect("FUZZ_CTF: the folder of a CTF trace"));
    let copy = wastenot_fuzz::folder();
    for file in fs::read_dir(&original).expect("the trace").flatten().filter(|file| file.path().is_file()) {
        let name = file.file_name();
        if name == "metadata" || name == "c1_0" || name == "cm_1" {
            fs::copy(file.path(), copy.join(name)).expect("a copy");
        }
    }
    let metadata = fs::read(original.join("metadata")).expect("metadata");
    (copy, metadata)
});

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let Some((which, bytes)) = bytes.split_first() else { return };
    let (folder, metadata) = &*TRACE;
    let of_metadata = which % 2 == 1;
    fs::write(folder.join(if of_metadata { "metadata" } else { "c1_1" }), bytes).expect("written");
    wastenot_fuzz::read(folder, match which & 2 {
        0 => |path, options| wastenot_ctf::open_with(path, options, DecodeWith::Native),
        _ => |path, options| wastenot_ctf::open_with(path, options, DecodeWith::Library),
    });
    if of_metadata {
        fs::write(folder.join("metadata"), metadata).expect("written");
    }
});
