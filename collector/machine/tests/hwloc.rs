//! hwloc XML: files that hwloc wrote, files that hwloc reads back, and files that are none.
//!
//! `lstopo` must be installed (Debian: hwloc-nox).

mod shape;

use shape::{Shape, Tree, distance, fixtures, tree_text};
use std::process::Command;
use wastenot_machine::{Machine, MachineError, TickSource};
use wastenot_topology::{CpuSet, Distance};

fn list(text: &str) -> CpuSet {
    CpuSet::parse_list(text).unwrap()
}

fn xml(name: &str) -> String {
    let path = fixtures().join("hwloc").join(format!("{name}.xml"));
    std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

fn machine(name: &str) -> Machine {
    Machine::from_hwloc(&xml(name)).unwrap_or_else(|e| panic!("{name}: {e}"))
}

/// What lstopo makes of an input: a file's content, or the description of a synthetic topology.
fn lstopo(input: &str) -> String {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("in.xml");
    let made_up = !input.starts_with('<');
    let input = if input.starts_with('<') {
        std::fs::write(&file, input).unwrap();
        file.to_str().unwrap()
    } else {
        input
    };
    let run = Command::new("lstopo").args(["-i", input, "--of", "xml"]).output();
    let run = run.expect("lstopo is not installed: apt-get install hwloc-nox");
    let complaint = String::from_utf8_lossy(&run.stderr).into_owned();
    assert!(run.status.success() && (made_up || complaint.is_empty()), "lstopo -i {input}: {complaint}");
    String::from_utf8(run.stdout).unwrap()
}

#[test]
fn packages_nodes_caches_cores_and_threads_are_read() {
    let machine = machine("two-packages-smt");
    assert_eq!(machine.online, list("0-31"));
    let c = machine.cpu(15).unwrap();
    assert_eq!((c.node, c.package, c.llc, c.core, c.smt), (Some(1), Some(0), Some(12), Some(14), 1));
    assert_eq!(distance(&machine, 14, 15), Distance::Smt);
    assert_eq!(distance(&machine, 12, 15), Distance::Llc);
    assert_eq!(distance(&machine, 8, 15), Distance::Node);
    assert_eq!(distance(&machine, 0, 8), Distance::OneHop, "the file has no distances");
    assert_eq!(machine.nodes[0].memory_bytes, Some(1 << 30));
    assert_eq!(machine.tick_source, TickSource::Assumed);
    assert_eq!(machine.lowest_common_domain(8, 15).unwrap().name, "PKG");
}

#[test]
fn distances_distinguish_one_hop_from_two() {
    let machine = machine("two-hops");
    assert_eq!(machine.nodes.len(), 4);
    assert_eq!(machine.nodes[0].distances[3], 22);
    assert_eq!(distance(&machine, 0, 2), Distance::OneHop);
    assert_eq!(distance(&machine, 0, 6), Distance::Far);
    assert_eq!(machine.lowest_common_domain(0, 6).unwrap().span, list("0-7"));
}

#[test]
fn kinds_of_cpus_give_capacities() {
    let capacities: Vec<u32> = machine("big-little").cpus.iter().map(|c| c.capacity).collect();
    assert_eq!(capacities, [446, 446, 446, 446, 1024, 1024, 1024, 1024]);
}

#[test]
fn dies_and_mid_level_caches_do_not_pass_for_the_last_level() {
    let machine = machine("dies");
    let c = machine.cpu(7).unwrap();
    assert_eq!((c.die, c.llc, c.core), (Some(4), Some(4), Some(7)));
}

#[test]
fn a_real_machine_reads_the_same_from_xml_and_from_sysfs() {
    let from_xml = machine("guest-2cpu");
    let dump = Tree::from_dump("guest-2cpu");
    let from_sysfs = Machine::read(dump.path()).unwrap();
    let places = |m: &Machine| -> Vec<_> {
        m.cpus.iter().map(|c| (c.cpu, c.node, c.package, c.llc, c.core, c.smt, c.capacity)).collect()
    };
    assert_eq!(places(&from_xml), places(&from_sysfs));
    assert_eq!(tree_text(&from_xml), tree_text(&from_sysfs));
    assert_eq!(from_xml.kernel, from_sysfs.kernel);
    assert_eq!(from_xml.model, from_sysfs.model);
    assert_eq!(from_xml.arch, from_sysfs.arch);
    assert_eq!(from_xml.domains, from_sysfs.domains);
}

#[test]
fn lstopo_accepts_and_keeps_what_we_write() {
    for name in ["desktop-smt", "epyc-llcs", "opteron-two-hops", "ring-of-four", "hotplug-isolated", "power-holes"]
        .into_iter()
        .chain(["arm-clusters", "big-little", "snc-one-cache"])
    {
        let machine = Shape::load(name).machine();
        let back = Machine::from_hwloc(&lstopo(&machine.to_hwloc())).unwrap_or_else(|e| panic!("{name}: {e}"));
        assert_eq!(back, expected(&machine), "{name}");
    }
}

/// The machine without what hwloc has no attribute for.
fn expected(machine: &Machine) -> Machine {
    let expected = Machine::from_hwloc(&machine.to_hwloc()).unwrap();
    assert_eq!(expected.domains, machine.domains, "derived alike, from the same topology");
    assert_eq!(expected.cpus, machine.cpus);
    assert_eq!(expected.nodes, machine.nodes);
    assert_eq!((&expected.possible, &expected.online), (&machine.possible, &machine.online));
    assert_eq!((&expected.isolated, &expected.nohz_full), (&machine.isolated, &machine.nohz_full));
    assert_eq!((expected.tick_ns, expected.tick_source), (machine.tick_ns, TickSource::Declared));
    expected
}

#[test]
fn what_lstopo_makes_up_is_read_and_survives_our_writing() {
    let topologies = ["pu:1", "core:4 pu:2", "pack:2 numa:2 l3:2 core:4 pu:2", "pack:1 [numa] [numa] l3:2 core:3 pu:1"];
    for topology in topologies.into_iter().chain(["node:16 l3:2 l2:24 core:1 pu:2", "group:2 numa:3 core:5 pu:1"]) {
        let machine = Machine::from_hwloc(&lstopo(topology)).unwrap_or_else(|e| panic!("{topology}: {e}"));
        let again = Machine::from_hwloc(&lstopo(&machine.to_hwloc())).unwrap_or_else(|e| panic!("{topology}: {e}"));
        assert_eq!(tree_text(&again), tree_text(&machine), "{topology}");
        assert_eq!(again.nodes, machine.nodes, "{topology}");
    }
    let large = Machine::from_hwloc(&lstopo("pack:16 [numa] l3:1 core:48 pu:2")).unwrap();
    assert_eq!(large.online, list("0-1535"));
}

#[test]
fn texts_are_escaped() {
    let tree = Shape::load("desktop-smt").materialise();
    tree.file("proc/cmdline", "quiet dyndbg=\"file <a> +p\" x='&amp;'");
    let machine = Machine::read(tree.path()).unwrap();
    let back = Machine::from_hwloc(&lstopo(&machine.to_hwloc())).unwrap();
    assert_eq!(back.cmdline, machine.cmdline);
}

/// The message about a file, which must be one line and of the right kind.
fn refusal(xml: &str) -> String {
    let error = Machine::from_hwloc(xml).unwrap_err();
    let text = error.to_string();
    assert!(matches!(error, MachineError::Hwloc { .. } | MachineError::Contradiction { .. }), "{text}");
    assert!(!text.contains('\n') && text.len() < 300, "{text}");
    text
}

#[test]
fn a_truncated_file_is_refused_wherever_it_ends() {
    let whole = xml("two-hops");
    let end = whole.find("</topology>").unwrap();
    for length in (0..end).step_by(97).filter(|&l| whole.is_char_boundary(l)) {
        refusal(&whole[..length]);
    }
    assert!(refusal(&whole[..3000]).contains("byte "));
}

#[test]
fn foreign_and_hostile_xml_is_refused() {
    assert!(refusal("").contains("no topology element"));
    assert!(refusal("{\"format\": 1}").contains("text where an XML document should begin"));
    assert!(refusal("<svg xmlns=\"http://www.w3.org/2000/svg\"><g/></svg>").contains("the root element is svg"));
    assert!(refusal("<topology><object type=\"Machine\"/></topology>").contains("hwloc 1 wrote it"));
    assert!(refusal("<topology version=\"3.0\"></topology>").contains("topology version 3.0, not 2"));
    assert!(refusal("<topology version=\"2.0\"></topology>").contains("no Machine object"));
    assert!(refusal("<topology version=\"2.0\"><object type=\"Machine\"></topology>").contains("byte"));
    assert!(refusal("<topology version=\"2.0\"><object type=\"Machine\"/></topology>").contains("no CPU is online"));
    let bomb = "<!DOCTYPE topology [<!ENTITY a \"ha\"><!ENTITY b \"&a;&a;\">]><topology version=\"2.0\" x=\"&b;\"/>";
    assert!(refusal(bomb).contains("declarations of its own"));
    assert!(refusal("<topology version=\"2.0\" x=\"&b;\"/>").contains("b"));
    let deep = format!("<topology version=\"2.0\">{}", "<object type=\"Group\">".repeat(1_000_000));
    assert!(refusal(&deep).contains("more than 100 elements inside each other"));
}

#[test]
fn contradicting_objects_are_refused() {
    let whole = xml("two-hops");
    let change = |from: &str, to: &str| {
        assert!(whole.contains(from), "{from}");
        refusal(&whole.replacen(from, to, 1))
    };
    assert!(change("type=\"PU\" os_index=\"1\"", "type=\"PU\" os_index=\"0\"").contains("CPU 0 is there twice"));
    assert!(change("type=\"PU\" os_index=\"1\"", "type=\"PU\" os_index=\"99999\"").contains("above 32767"));
    assert!(change("type=\"PU\" os_index=\"1\"", "type=\"PU\" os_index=\"one\"").contains("is not a number"));
    assert!(change("type=\"PU\" os_index=\"1\"", "type=\"PU\"").contains("PU without os_index"));
    assert!(change("complete_cpuset=\"0x000000ff\"", "complete_cpuset=\"0xf...f\"").contains("finite bitmap"));
    assert!(change("10 16 16 22 16", "10 16 16 22").contains("a distance matrix of 15 values for 4 nodes"));
    assert!(change("10 16 16 22 16", "10 16 16 22 x").contains("is not numbers"));
    assert!(change("NUMANode\" os_index=\"1\"", "NUMANode\" os_index=\"0\"").contains("NUMA node 0 is there twice"));
}
