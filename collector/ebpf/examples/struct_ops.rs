//! Load what a BPF object has of struct_ops (a sched_ext scheduler), and leave it in the kernel until this program ends:
//! `struct_ops OBJECT [CGROUP]`. CGROUP: folder of the cgroup whose threads it is to schedule; its number replaces [`OF_CGROUP`]
//! wherever that stands in the object's data. Without one it is 0: the scheduler of all threads.

use libbpf_rs::{Link, MapCore, MapType, ObjectBuilder};
use std::os::unix::fs::MetadataExt;
use std::process::ExitCode;

/// `OF_CGROUP` of `fixtures/rig/scx/injected.h`.
const OF_CGROUP: u64 = 0x7075_6f72_6763_6f66;

fn main() -> ExitCode {
    match run() {
        Ok(links) if links.is_empty() => {
            eprintln!("struct_ops: the object has none");
            ExitCode::FAILURE
        }
        Ok(_links) => {
            println!("struct_ops: attached");
            loop {
                std::thread::park();
            }
        }
        Err(error) => {
            eprintln!("struct_ops: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<Vec<Link>, Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let path = arguments.next().ok_or("usage: struct_ops OBJECT [CGROUP]")?;
    // A cgroup's number is that of its folder (kernfs).
    let cgroup = arguments.next().map_or(Ok(0), |folder| std::fs::metadata(folder).map(|found| found.ino()))?;
    let mut builder = ObjectBuilder::default();
    let mut object = builder.open_file(path)?;
    for mut map in object.maps_mut() {
        for word in map.initial_value_mut().into_iter().flat_map(|data| data.chunks_exact_mut(8)) {
            if word == OF_CGROUP.to_le_bytes() {
                word.copy_from_slice(&cgroup.to_le_bytes());
            }
        }
    }
    let mut object = object.load()?;
    let maps = object.maps_mut().filter(|map| map.map_type() == MapType::StructOps);
    let links = maps.map(|mut map| map.attach_struct_ops()).collect::<Result<Vec<Link>, _>>()?;
    // What is loaded stays with its links.
    std::mem::forget(object);
    Ok(links)
}
