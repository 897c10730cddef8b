//! Materialises the sysfs and /proc of a machine that is not at hand from a short description in `fixtures/machines/shapes`.
#![allow(dead_code)] // Each test file uses its part of this module.

use serde::Deserialize;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use wastenot_machine::Machine;
use wastenot_topology::{CpuSet, Distance, Level};

/// The folder of machine fixtures.
pub fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/machines")
}

/// A machine made of equal parts: packages ▸ nodes ▸ last-level caches ▸ cores ▸ threads.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Shape {
    pub about: String,
    pub packages: u32,
    #[serde(default = "one")]
    pub nodes_per_package: u32,
    #[serde(default = "one")]
    pub llcs_per_node: u32,
    #[serde(default)]
    pub clusters_per_llc: u32,
    pub cores_per_llc: u32,
    #[serde(default = "one")]
    pub threads_per_core: u32,
    /// One last-level cache per package although it has several nodes.
    #[serde(default)]
    pub llc_per_package: bool,
    #[serde(default)]
    pub numbering: Numbering,
    /// Numbers between one CPU and the next.
    #[serde(default = "one")]
    pub stride: u32,
    #[serde(default)]
    pub offline: CpuSet,
    pub possible: Option<CpuSet>,
    #[serde(default)]
    pub isolated: CpuSet,
    pub nohz_full: Option<CpuSet>,
    #[serde(default)]
    pub cmdline: String,
    #[serde(default)]
    pub distances: Vec<Vec<i32>>,
    /// Distances to itself, within a group of `hop_group` nodes, and beyond: for matrices too large to write down.
    #[serde(default)]
    pub hops: Vec<i32>,
    #[serde(default = "one")]
    pub hop_group: u32,
    pub memory_kb: Option<u64>,
    #[serde(default = "yes")]
    pub numa_folders: bool,
    pub release: String,
    pub hz: u32,
    #[serde(default)]
    pub capacities: Vec<Capacity>,
}

#[derive(Clone, Debug, Deserialize)]
pub struct Capacity {
    pub cpus: CpuSet,
    pub capacity: u32,
}

/// Order in which the firmware numbers CPUs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Numbering {
    /// Threads of a core follow each other.
    #[default]
    ThreadsTogether,
    /// All first threads, then all second ones.
    ThreadsLast,
    /// One core of each node in turn, then all second threads.
    RoundRobin,
}

fn one() -> u32 {
    1
}

fn yes() -> bool {
    true
}

/// A thread of a core and the parts it lies in, each numbered over the whole machine.
struct Seat {
    package: u32,
    node: u32,
    llc: u32,
    cluster: u32,
    core: u32,
}

impl Shape {
    pub fn load(name: &str) -> Self {
        let path = fixtures().join("shapes").join(format!("{name}.toml"));
        let text = fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        toml::from_str(&text).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
    }

    /// Writes the machine into a folder that vanishes with the result.
    pub fn materialise(&self) -> Tree {
        let tree = Tree::new();
        self.write(&tree);
        tree
    }

    /// The machine as read back from its files.
    pub fn machine(&self) -> Machine {
        let tree = self.materialise();
        Machine::read(tree.path()).unwrap_or_else(|e| panic!("{}: {e}", self.about))
    }

    fn nodes(&self) -> u32 {
        self.packages * self.nodes_per_package
    }

    fn seats(&self) -> BTreeMap<u32, Seat> {
        let per_node = self.llcs_per_node * self.cores_per_llc;
        let cores = self.nodes() * per_node;
        let mut seats = BTreeMap::new();
        for core in 0..cores {
            for thread in 0..self.threads_per_core {
                let node = core / per_node;
                let package = node / self.nodes_per_package;
                let number = match self.numbering {
                    Numbering::ThreadsTogether => core * self.threads_per_core + thread,
                    Numbering::ThreadsLast => thread * cores + core,
                    Numbering::RoundRobin => thread * cores + core % per_node * self.nodes() + node,
                };
                let llc = if self.llc_per_package { package } else { core / self.cores_per_llc };
                let cluster = core * self.clusters_per_llc / self.cores_per_llc;
                seats.insert(number * self.stride, Seat { package, node, llc, cluster, core });
            }
        }
        seats
    }

    fn write(&self, tree: &Tree) {
        let seats = self.seats();
        let present: CpuSet = seats.keys().copied().collect();
        let online = present.difference(&self.offline);
        let cpus = "sys/devices/system/cpu";
        tree.file(&format!("{cpus}/possible"), self.possible.as_ref().unwrap_or(&present));
        tree.file(&format!("{cpus}/present"), &present);
        tree.file(&format!("{cpus}/online"), &online);
        tree.file(&format!("{cpus}/isolated"), &self.isolated);
        let nohz_full = self.nohz_full.as_ref().map_or("(null)".to_owned(), CpuSet::to_string);
        tree.file(&format!("{cpus}/nohz_full"), nohz_full);
        let running = || seats.iter().filter(|(cpu, _)| online.contains(**cpu));
        let group = |part: fn(&Seat) -> u32| {
            let mut groups: BTreeMap<u32, CpuSet> = BTreeMap::new();
            running().for_each(|(cpu, seat)| groups.entry(part(seat)).or_default().extend([*cpu]));
            groups
        };
        let (cores, packages) = (group(|s| s.core), group(|s| s.package));
        let (clusters, llcs) = (group(|s| s.cluster), group(|s| s.llc));
        for (cpu, seat) in &seats {
            let folder = format!("{cpus}/cpu{cpu}");
            tree.file(&format!("{folder}/online"), u8::from(online.contains(*cpu)));
            if self.offline.contains(*cpu) {
                continue;
            }
            let topology = format!("{folder}/topology");
            tree.file(&format!("{topology}/physical_package_id"), seat.package);
            tree.file(&format!("{topology}/core_cpus_list"), &cores[&seat.core]);
            tree.file(&format!("{topology}/die_cpus_list"), &packages[&seat.package]);
            if self.clusters_per_llc > 0 {
                tree.file(&format!("{topology}/cluster_cpus_list"), &clusters[&seat.cluster]);
            }
            let caches = [
                ("index0", 1, "Data", &cores[&seat.core]),
                ("index1", 1, "Instruction", &cores[&seat.core]),
                ("index2", 2, "Unified", &cores[&seat.core]),
                ("index3", 3, "Unified", &llcs[&seat.llc]),
            ];
            for (index, level, kind, shared) in caches {
                tree.file(&format!("{folder}/cache/{index}/level"), level);
                tree.file(&format!("{folder}/cache/{index}/type"), kind);
                tree.file(&format!("{folder}/cache/{index}/shared_cpu_list"), shared);
            }
            if let Some(kind) = self.capacities.iter().find(|k| k.cpus.contains(*cpu)) {
                tree.file(&format!("{folder}/cpu_capacity"), kind.capacity);
            }
        }
        if self.numa_folders {
            self.write_nodes(tree, &seats, &online);
        }
        tree.file("proc/sys/kernel/osrelease", &self.release);
        tree.file("proc/cmdline", &self.cmdline);
        tree.file(&format!("boot/config-{}", self.release), format!("CONFIG_HZ_PERIODIC=n\nCONFIG_HZ={}\n", self.hz));
    }

    fn write_nodes(&self, tree: &Tree, seats: &BTreeMap<u32, Seat>, online: &CpuSet) {
        for node in 0..self.nodes() {
            let folder = format!("sys/devices/system/node/node{node}");
            let cpus: CpuSet = seats.iter().filter(|(_, s)| s.node == node).map(|(c, _)| *c).collect();
            tree.file(&format!("{folder}/cpulist"), cpus.intersection(online));
            cpus.iter().for_each(|cpu| tree.folder(&format!("{folder}/cpu{cpu}")));
            let row: Vec<String> = (0..self.nodes()).map(|to| self.distance(node, to).to_string()).collect();
            tree.file(&format!("{folder}/distance"), row.join(" "));
            if let Some(kb) = self.memory_kb {
                let text = format!("Node {node} MemTotal:       {kb} kB\nNode {node} MemFree:        12 kB\n");
                tree.file(&format!("{folder}/meminfo"), text);
            }
        }
    }

    fn distance(&self, from: u32, to: u32) -> i32 {
        match (self.distances.get(from as usize), self.hops.as_slice()) {
            (Some(row), _) => row[to as usize],
            (None, [itself, _, _]) if from == to => *itself,
            (None, [_, near, _]) if from / self.hop_group == to / self.hop_group => *near,
            (None, [_, _, far]) => *far,
            (None, _) => 10,
        }
    }
}

/// A folder of small files that vanishes at the end.
pub struct Tree {
    folder: tempfile::TempDir,
}

impl Tree {
    pub fn new() -> Self {
        // A large machine has 30,000 files: they are kept in memory where there is a place for that.
        let memory = Path::new("/dev/shm");
        let folder = if memory.is_dir() { tempfile::tempdir_in(memory) } else { tempfile::tempdir() };
        Self { folder: folder.expect("a temporary folder") }
    }

    pub fn path(&self) -> &Path {
        self.folder.path()
    }

    pub fn folder(&self, rel: &str) {
        fs::create_dir_all(self.path().join(rel)).expect(rel);
    }

    /// Writes a file and the folders above it; a newline is added as the kernel does.
    pub fn file(&self, rel: &str, content: impl ToString) {
        let path = self.path().join(rel);
        fs::create_dir_all(path.parent().expect("a folder")).expect(rel);
        fs::write(path, content.to_string() + "\n").expect(rel);
    }

    /// Replaces a file of [`fixtures`]`/dumps/<name>.txt` by the tree it describes: lines `== path` open a file.
    pub fn from_dump(name: &str) -> Self {
        let path = fixtures().join("dumps").join(format!("{name}.txt"));
        let text = fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        let tree = Self::new();
        for part in text.split("== ").skip(1) {
            let (file, content) = part.split_once('\n').expect("a path and its content");
            match file.strip_suffix('/') {
                Some(folder) => tree.folder(folder),
                None => tree.file(file, content.strip_suffix('\n').unwrap_or(content)),
            }
        }
        tree
    }
}

/// Nearest level that two CPUs share, by their numbers.
pub fn distance(machine: &Machine, a: u32, b: u32) -> Distance {
    let topology = machine.topology();
    let index = |number| topology.index(number).unwrap_or_else(|| panic!("there is no CPU {number}"));
    topology.distance(index(a), index(b))
}

/// The online CPUs of a machine as a tree, in text.
pub fn tree_text(machine: &Machine) -> String {
    let topology = machine.topology();
    wastenot_topology::Tree::new(&topology, &topology.bits(&machine.online)).text(&topology)
}

/// The online CPUs of each part of a level.
pub fn spans(machine: &Machine, level: Level) -> Vec<CpuSet> {
    let topology = machine.topology();
    let tree = wastenot_topology::Tree::new(&topology, &topology.bits(&machine.online));
    let parts = tree.components().iter().filter(|c| c.level == level);
    parts.map(|c| topology.numbers(&c.span)).collect()
}
