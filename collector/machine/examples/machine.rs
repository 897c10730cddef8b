//! Prints a machine as a tree, with its domains, quirks and threads: `cargo run -p wastenot-machine --example machine [ROOT]`.

use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;
use wastenot_machine::{Machine, MachineError, cgroups, threads};
use wastenot_topology::Tree;

fn main() -> ExitCode {
    let root = PathBuf::from(std::env::args().nth(1).unwrap_or_else(|| "/".into()));
    match show(&root) {
        Ok(text) => {
            // A reader that closes its end early (head) is not an error.
            let _ = std::io::stdout().write_all(text.as_bytes());
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("machine: {error}");
            ExitCode::from(2)
        }
    }
}

fn show(root: &std::path::Path) -> Result<String, MachineError> {
    let machine = Machine::read(root)?;
    let topology = machine.topology();
    let tree = Tree::new(&topology, &topology.bits(&machine.online));
    let known = |text: &Option<String>| text.clone().unwrap_or_else(|| "unknown".into());
    let mut lines = vec![
        format!("{}, Linux {} on {}", known(&machine.model), known(&machine.kernel), known(&machine.arch)),
        format!("CPUs online {}, present {}, possible {}", machine.online, machine.present, machine.possible),
        format!("isolated \"{}\", nohz_full \"{}\"", machine.isolated, machine.nohz_full),
        format!("tick {} ns ({:?}), domains: {:?}", machine.tick_ns, machine.tick_source, machine.domain_source),
        tree.text(&topology).trim_end().to_owned(),
    ];
    lines.extend(machine.domains.iter().map(|d| {
        let ms = d.min_interval_ns.map_or("?".into(), |ns| (ns / 1_000_000).to_string());
        format!("domain {} {} of CPUs {} spans {} (every {ms} ms)", d.level, d.name, d.cpus, d.span)
    }));
    lines.extend(machine.quirks.iter().map(|quirk| format!("note: {quirk}")));
    let threads = threads::snapshot(root)?;
    let (kernel, bound) = (threads.iter().filter(|t| t.is_kernel), threads.iter().filter(|t| t.per_cpu));
    lines.push(format!("{} threads: {} of the kernel, {} per CPU", threads.len(), kernel.count(), bound.count()));
    lines.push(format!("{} CPU cgroups", cgroups::read(root)?.len()));
    Ok(lines.join("\n") + "\n")
}
