//! hwloc XML from a machine.

use super::info;
use crate::model::Machine;
use quick_xml::escape::partial_escape;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use wastenot_topology::{Cpu, CpuSet, FULL_CAPACITY, NumaNode};

impl Machine {
    /// The topology as hwloc XML of version 2, which `lstopo -i` and every program on hwloc 2 load.
    pub fn to_hwloc(&self) -> String {
        let mut writer = Writer { machine: self, text: String::new(), serial: 0 };
        writer.document();
        writer.text
    }
}

/// An object of the tree, its children inside it.
struct Object {
    kind: &'static str,
    os_index: Option<u32>,
    cpus: CpuSet,
    children: Vec<Object>,
}

/// Kinds of objects, outer first where two span the same CPUs.
const PACKAGE: &str = "Package";
const DIE: &str = "Die";
const GROUP: &str = "Group";
const CACHE: &str = "L3Cache";
const CLUSTER: &str = "Cluster";
const CORE: &str = "Core";
const PU: &str = "PU";
const ORDER: [&str; 7] = [PACKAGE, DIE, GROUP, CACHE, CLUSTER, CORE, PU];

/// The online CPUs as nested objects. A group that overlaps another without lying inside it cannot be drawn as a tree
/// and is left out; this happens where a cache spans parts of two nodes.
fn tree(machine: &Machine) -> Vec<Object> {
    let cpus: Vec<&Cpu> = machine.cpus.iter().filter(|c| machine.online.contains(c.cpu)).collect();
    let group = |kind, key: &dyn Fn(&Cpu) -> Option<u32>, numbered: bool| -> Vec<Object> {
        let mut sets: BTreeMap<u32, CpuSet> = BTreeMap::new();
        for cpu in &cpus {
            if let Some(key) = key(cpu) {
                sets.entry(key).or_default().insert(cpu.cpu);
            }
        }
        let object = |(n, cpus)| Object { kind, os_index: numbered.then_some(n), cpus, children: Vec::new() };
        sets.into_iter().map(object).collect()
    };
    let mut objects = group(PACKAGE, &|c| c.package.and_then(|p| u32::try_from(p).ok()), true);
    objects.extend(group(DIE, &|c| c.die, false));
    objects.extend(group(GROUP, &|c| c.node, false));
    objects.extend(group(CACHE, &|c| c.llc, false));
    objects.extend(group(CLUSTER, &|c| c.cluster, false));
    objects.extend(group(CORE, &|c| c.core, false));
    objects.extend(group(PU, &|c| Some(c.cpu), true));
    let rank = |kind| ORDER.iter().position(|k| *k == kind);
    objects.sort_by_key(|o| (usize::MAX - o.cpus.len(), rank(o.kind), o.cpus.first()));
    // A cluster says nothing where it is a core or a cache; hwloc would drop it.
    let parts: BTreeSet<CpuSet> =
        objects.iter().filter(|o| [CACHE, CORE].contains(&o.kind)).map(|o| o.cpus.clone()).collect();
    objects.retain(|o| o.kind != CLUSTER || !parts.contains(&o.cpus));
    // A group says nothing where a package or die has the same CPUs: the node hangs there.
    let drawn: Vec<CpuSet> =
        objects.iter().filter(|o| o.kind == PACKAGE || o.kind == DIE).map(|o| o.cpus.clone()).collect();
    let all = machine.online.clone();
    objects.retain(|o| o.kind != GROUP || !(drawn.contains(&o.cpus) || o.cpus == all));
    let mut top = Vec::new();
    for object in objects {
        place(&mut top, object);
    }
    top
}

/// Puts an object below the smallest one that holds it. Objects come largest first.
fn place(siblings: &mut Vec<Object>, object: Object) {
    if let Some(parent) = siblings.iter_mut().find(|s| object.cpus.is_subset(&s.cpus)) {
        place(&mut parent.children, object);
    } else if !siblings.iter().any(|s| s.cpus.intersects(&object.cpus)) {
        siblings.push(object);
        siblings.sort_by_key(|s| s.cpus.first());
    }
}

struct Writer<'a> {
    machine: &'a Machine,
    text: String,
    serial: u32,
}

impl<'a> Writer<'a> {
    fn document(&mut self) {
        self.line(0, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>");
        self.line(0, "<!DOCTYPE topology SYSTEM \"hwloc2.dtd\">");
        self.line(0, "<topology version=\"2.0\">");
        let (online, present) = (self.machine.online.clone(), self.machine.present.clone());
        let nodes: CpuSet = self.nodes().iter().map(|n| n.node).collect();
        let (cpuset, complete, nodeset) = (bitmap(&online), bitmap(&present), bitmap(&nodes));
        let serial = self.next();
        self.line(
            1,
            &format!(
                "<object type=\"Machine\" os_index=\"0\" cpuset=\"{cpuset}\" complete_cpuset=\"{complete}\" \
                 allowed_cpuset=\"{cpuset}\" nodeset=\"{nodeset}\" complete_nodeset=\"{nodeset}\" \
                 allowed_nodeset=\"{nodeset}\" gp_index=\"{serial}\">"
            ),
        );
        self.infos();
        let top = tree(self.machine);
        let drawn: Vec<CpuSet> = top.iter().flat_map(holders).collect();
        for node in self.nodes() {
            if !drawn.contains(&self.online_of(node)) {
                self.node(2, node);
            }
        }
        let mut hung = CpuSet::new();
        top.iter().for_each(|object| self.object(2, object, &mut hung));
        self.line(1, "</object>");
        self.distances();
        self.kinds();
        self.line(0, "</topology>");
    }

    /// What hwloc keeps about the whole machine as name and value.
    fn infos(&mut self) {
        let machine = self.machine;
        let set = |cpus: &CpuSet| (!cpus.is_empty()).then(|| cpus.to_string());
        let infos = [
            (info::HOST, machine.host.clone()),
            (info::ARCHITECTURE, machine.arch.clone()),
            (info::RELEASE, machine.kernel.clone()),
            (info::MODEL, machine.model.clone()),
            (info::COMMAND_LINE, machine.cmdline.clone()),
            (info::TICK_NS, Some(machine.tick_ns.to_string())),
            (info::POSSIBLE, set(&machine.possible)),
            (info::ISOLATED, set(&machine.isolated)),
            (info::NOHZ_FULL, set(&machine.nohz_full)),
        ];
        for (name, value) in infos {
            if let Some(value) = value {
                self.line(2, &format!("<info name=\"{name}\" value=\"{}\"/>", attribute(&value)));
            }
        }
    }

    fn object(&mut self, indent: usize, object: &Object, hung: &mut CpuSet) {
        let cpuset = bitmap(&object.cpus);
        let touching = self.nodes().iter().filter(|n| n.cpus.intersects(&object.cpus)).map(|n| n.node).collect();
        let nodeset = bitmap(&touching);
        let serial = self.next();
        let (kind, more) = match object.kind {
            CACHE => (
                CACHE,
                " cache_size=\"0\" depth=\"3\" cache_linesize=\"64\" cache_associativity=\"0\" cache_type=\"0\"",
            ),
            CLUSTER => (GROUP, " kind=\"110\" subkind=\"0\" subtype=\"Cluster\""),
            GROUP => (GROUP, " kind=\"1001\" subkind=\"0\""),
            kind => (kind, ""),
        };
        let index = object.os_index.map_or(String::new(), |n| format!(" os_index=\"{n}\""));
        let complete = bitmap(&self.complete(object));
        let head = format!(
            "<object type=\"{kind}\"{index} cpuset=\"{cpuset}\" complete_cpuset=\"{complete}\" nodeset=\"{nodeset}\" \
             complete_nodeset=\"{nodeset}\" gp_index=\"{serial}\"{more}"
        );
        if object.kind == PU {
            return self.line(indent, &(head + "/>"));
        }
        self.line(indent, &(head + ">"));
        for node in self.nodes() {
            if is_holder(object) && self.online_of(node) == object.cpus && hung.insert(node.node) {
                self.node(indent + 1, node);
            }
        }
        object.children.iter().for_each(|child| self.object(indent + 1, child, hung));
        self.line(indent, "</object>");
    }

    /// An object's CPUs with the offline ones of the nodes that lie in it: hwloc cuts a node to what holds it.
    fn complete(&self, object: &Object) -> CpuSet {
        let inside =
            |node: &&NumaNode| node.cpus.intersects(&object.cpus) && self.online_of(node).is_subset(&object.cpus);
        let nodes = self.nodes().iter().filter(|_| object.kind != PU).filter(inside);
        nodes.fold(object.cpus.clone(), |all, node| all.union(&node.cpus))
    }

    fn node(&mut self, indent: usize, node: &NumaNode) {
        let (cpuset, complete) = (bitmap(&self.online_of(node)), bitmap(&node.cpus));
        let nodeset = bitmap(&CpuSet::from_iter([node.node]));
        let (serial, memory) = (self.next(), node.memory_bytes.unwrap_or(0));
        self.line(
            indent,
            &format!(
                "<object type=\"NUMANode\" os_index=\"{}\" cpuset=\"{cpuset}\" complete_cpuset=\"{complete}\" \
                 nodeset=\"{nodeset}\" complete_nodeset=\"{nodeset}\" gp_index=\"{serial}\" local_memory=\"{memory}\"/>",
                node.node
            ),
        );
    }

    fn distances(&mut self) {
        let nodes = self.nodes();
        if nodes.len() < 2 || nodes.iter().any(|n| n.distances.len() != nodes.len()) {
            return;
        }
        let join = |numbers: &mut dyn Iterator<Item = String>| numbers.fold(String::new(), |text, n| text + &n + " ");
        let indexes = join(&mut nodes.iter().map(|n| n.node.to_string()));
        let rows: Vec<String> = nodes.iter().map(|n| join(&mut n.distances.iter().map(|d| d.to_string()))).collect();
        self.line(
            1,
            &format!(
                "<distances2 type=\"NUMANode\" nbobjs=\"{}\" kind=\"5\" name=\"NUMALatency\" indexing=\"os\">",
                rows.len()
            ),
        );
        self.line(2, &format!("<indexes length=\"{}\">{indexes}</indexes>", indexes.len()));
        for row in rows {
            self.line(2, &format!("<u64values length=\"{}\">{row}</u64values>", row.len()));
        }
        self.line(1, "</distances2>");
    }

    /// CPU kinds where capacities differ, slowest first.
    fn kinds(&mut self) {
        let mut kinds: BTreeMap<u32, CpuSet> = BTreeMap::new();
        for cpu in self.machine.cpus.iter().filter(|c| self.machine.online.contains(c.cpu)) {
            kinds.entry(cpu.capacity).or_default().insert(cpu.cpu);
        }
        if kinds.keys().all(|&capacity| capacity == FULL_CAPACITY) {
            return;
        }
        for (capacity, cpus) in kinds {
            self.line(1, &format!("<cpukind cpuset=\"{}\">", bitmap(&cpus)));
            self.line(2, &format!("<info name=\"{}\" value=\"{capacity}\"/>", info::CAPACITY));
            self.line(1, "</cpukind>");
        }
    }

    fn nodes(&self) -> &'a [NumaNode] {
        &self.machine.nodes
    }

    fn online_of(&self, node: &NumaNode) -> CpuSet {
        node.cpus.intersection(&self.machine.online)
    }

    fn next(&mut self) -> u32 {
        self.serial += 1;
        self.serial
    }

    fn line(&mut self, indent: usize, line: &str) {
        let _ = writeln!(self.text, "{:1$}{line}", "", indent * 2);
    }
}

/// Objects on which a NUMA node may hang: hwloc wants it above caches.
fn is_holder(object: &Object) -> bool {
    [PACKAGE, DIE, GROUP].contains(&object.kind)
}

fn holders(object: &Object) -> Vec<CpuSet> {
    let below = object.children.iter().flat_map(holders);
    below.chain(is_holder(object).then(|| object.cpus.clone())).collect()
}

/// hwloc's spelling of a set: 32 bits per group, each with its `0x`.
fn bitmap(set: &CpuSet) -> String {
    let words = set.words().iter().rev().flat_map(|w| [w >> 32, w & 0xffff_ffff]);
    let groups: Vec<String> = words.skip_while(|g| *g == 0).map(|g| format!("0x{g:08x}")).collect();
    if groups.is_empty() { "0x0".into() } else { groups.join(",") }
}

/// XML 1.0 has no control characters, escaped or not. Of the entities, hwloc's own parser knows no `&apos;` and drops what has it.
fn attribute(value: &str) -> String {
    let value: String = value.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    partial_escape(value).replace('"', "&quot;")
}
