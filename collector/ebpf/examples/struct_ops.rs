//! Load what a BPF object has of struct_ops (a sched_ext scheduler), and leave it in the kernel until this program ends:
//! `struct_ops OBJECT`.

use libbpf_rs::{Link, MapCore, MapType, ObjectBuilder};
use std::process::ExitCode;

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
    let path = std::env::args().nth(1).ok_or("usage: struct_ops OBJECT")?;
    let mut object = ObjectBuilder::default().open_file(path)?.load()?;
    let maps = object.maps_mut().filter(|map| map.map_type() == MapType::StructOps);
    let links = maps.map(|mut map| map.attach_struct_ops()).collect::<Result<Vec<Link>, _>>()?;
    // What is loaded stays with its links.
    std::mem::forget(object);
    Ok(links)
}
