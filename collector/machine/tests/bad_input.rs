//! Roots and JSON that are not a machine: one line that names the place and what to do, never a panic.

mod shape;

use proptest::prelude::*;
use shape::{Shape, Tree, fixtures, spans};
use wastenot_machine::{Machine, MachineError};
use wastenot_topology::Level;

fn refusal(tree: &Tree) -> String {
    let text = Machine::read(tree.path()).unwrap_err().to_string();
    assert!(!text.contains('\n') && text.len() < 400, "{text}");
    text
}

/// The refusal after one file of a sound machine was replaced.
fn after(file: &str, content: &str) -> String {
    let tree = Shape::load("hotplug-isolated").materialise();
    tree.file(file, content);
    refusal(&tree)
}

#[test]
fn an_empty_root_is_not_a_machine() {
    let text = refusal(&Tree::new());
    assert!(text.contains("no /sys/devices/system/cpu/cpu* here; give the root of a running machine"), "{text}");
    let nowhere = Machine::read(std::path::Path::new("/does/not/exist")).unwrap_err();
    assert!(matches!(nowhere, MachineError::NotAMachine { .. }));
}

#[test]
fn a_garbage_file_is_named() {
    let cpus = "sys/devices/system/cpu";
    for (file, content, expected) in [
        (format!("{cpus}/online"), "all of them", "expected a CPU list such as 0-3,8, found \"all of them\""),
        (format!("{cpus}/cpu0/topology/core_cpus_list"), "\u{1}\u{2}", "expected a CPU list"),
        (format!("{cpus}/cpu0/topology/physical_package_id"), "zero", "expected a number, found \"zero\""),
        (format!("{cpus}/cpu0/cache/index3/level"), "-1", "expected a number"),
        (format!("{cpus}/cpu0/cpu_capacity"), "99999999999999", "expected a number"),
        ("sys/devices/system/node/node0/distance".into(), "10 x", "expected distances"),
        ("sys/devices/system/node/node0/meminfo".into(), "Node 0 MemTotal: much kB", "expected MemTotal in kB"),
        ("proc/config.gz".into(), "not gzip", "expected a gzipped kernel configuration"),
    ] {
        let text = after(&file, content);
        assert!(text.contains(&file) && text.contains(expected), "{text}");
    }
    let tree = Shape::load("desktop-smt").materialise();
    std::fs::write(tree.path().join("sys/devices/system/cpu/online"), [0xff, 0xfe, 0x30]).unwrap();
    assert!(refusal(&tree).contains("cpu/online: expected text"));
    let tree = Shape::load("desktop-smt").materialise();
    std::fs::remove_file(tree.path().join("sys/devices/system/cpu/online")).unwrap();
    tree.folder("sys/devices/system/cpu/online");
    assert!(refusal(&tree).contains("cpu/online: "));
}

#[test]
fn contradicting_files_are_refused() {
    let cpus = "sys/devices/system/cpu";
    let says = |file: &str, content: &str, expected: &str| {
        let text = after(file, content);
        assert!(text.starts_with("the machine contradicts itself: ") && text.contains(expected), "{text}");
    };
    says(&format!("{cpus}/online"), "0-2,4-8,10-16", "CPUs 16 are online without a folder");
    says(&format!("{cpus}/online"), "", "no CPU is online");
    says(&format!("{cpus}/possible"), "0-7", "CPUs 8,10-15 are online but not possible");
    says(&format!("{cpus}/present"), "0-7", "CPUs 8,10-15 are online but not present");
    says(&format!("{cpus}/cpu0/topology/core_cpus_list"), "0-1", "CPU 0 reports the core 0-1, CPU 1 reports 1");
    says(&format!("{cpus}/cpu0/topology/core_cpus_list"), "1", "CPU 0 is not in its own core (1)");
    says(&format!("{cpus}/cpu2/cache/index3/shared_cpu_list"), "2,10", "CPU 2 reports 2,10");
    says(&format!("{cpus}/cpu0/topology/physical_package_id"), "1", "CPUs 0 and 8 share a core but not a package");
    says("sys/devices/system/node/node0/cpulist", "0-2,4,8,10-11", "CPUs 4 are in node 1 and in another");
    says("sys/devices/system/node/node0/distance", "10", "node 0 has 1 distances among 2 nodes");
}

fn json(name: &str) -> String {
    let path = fixtures().join(format!("{name}.json"));
    std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

#[test]
fn damaged_json_is_refused() {
    let whole = json("guest-2n8");
    let refusal = |text: &str| {
        let line = Machine::from_json(text).unwrap_err().to_string();
        assert!(!line.contains('\n'), "{line}");
        line
    };
    assert!(refusal("").contains("machine JSON: EOF"));
    assert!(refusal("[]").contains("machine JSON: "));
    assert!(refusal("{}").contains("missing field `format`"));
    assert!(refusal("{\"format\": 7}").contains("format 7 is unknown (this program reads 1)"));
    assert!(refusal("{\"format\": 1}").contains("missing field"));
    let change = |from: &str, to: &str| {
        assert!(whole.contains(from), "{from}");
        refusal(&whole.replacen(from, to, 1))
    };
    assert!(change("\"online\": \"0-7\"", "\"online\": \"0-8\"").contains("CPUs 8 are online but not possible"));
    assert!(change("\"online\": \"0-7\"", "\"online\": \"some\"").contains("not a CPU number"));
    assert!(change("\"online\"", "\"onlin\"").contains("unknown field `onlin`"));
    assert!(change("\"tick_ns\": 4000000", "\"tick_ns\": 0").contains("a tick of 0 ns"));
    assert!(change("\"distances\": [10, 21]", "\"distances\": [10]").contains("1 distances among 2 nodes"));
    for length in (0..whole.trim_end().len()).step_by(61).filter(|&l| whole.is_char_boundary(l)) {
        refusal(&whole[..length]);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Whatever one file contains, the result is a machine or a message of one line, and a machine is consistent.
    #[test]
    fn no_file_content_panics(which in 0usize..10, content in "[0-9,\\-: ]{0,12}|\\PC{0,12}") {
        let files = [
            "sys/devices/system/cpu/online", "sys/devices/system/cpu/possible", "sys/devices/system/cpu/isolated",
            "sys/devices/system/cpu/cpu1/topology/core_cpus_list", "sys/devices/system/cpu/cpu1/topology/die_cpus_list",
            "sys/devices/system/cpu/cpu1/cache/index3/shared_cpu_list", "sys/devices/system/node/node1/distance",
            "sys/devices/system/node/node1/cpulist", "proc/cmdline", "proc/schedstat",
        ];
        let tree = Shape::load("power-holes").materialise();
        tree.file(files[which], content);
        match Machine::read(tree.path()) {
            Ok(machine) => {
                prop_assert_eq!(&Machine::from_json(&machine.to_json()).unwrap(), &machine);
                prop_assert_eq!(spans(&machine, Level::Machine), [machine.online.clone()]);
                Machine::from_hwloc(&machine.to_hwloc()).unwrap();
            }
            Err(error) => prop_assert!(!error.to_string().contains('\n')),
        }
    }
}
