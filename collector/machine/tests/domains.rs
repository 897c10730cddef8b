//! Scheduling domains: derived, read from debugfs, read from /proc/schedstat, and missing.

mod shape;

use shape::{Shape, Tree, distance};
use wastenot_machine::{Domain, DomainSource, Machine};
use wastenot_topology::{CpuSet, Distance};

const MS: i64 = 1_000_000;

fn list(text: &str) -> CpuSet {
    CpuSet::parse_list(text).unwrap()
}

fn of(machine: &Machine, cpu: u32) -> Vec<&Domain> {
    let mut domains: Vec<&Domain> = machine.domains.iter().filter(|d| d.cpus.contains(cpu)).collect();
    domains.sort_by_key(|d| d.level);
    domains
}

/// Names and spans of a CPU's domains, as one line.
fn drawn(machine: &Machine, cpu: u32) -> String {
    let texts: Vec<String> = of(machine, cpu).iter().map(|d| format!("{} {}", d.name, d.span)).collect();
    texts.join(" | ")
}

/// Writes the files in which a kernel reports a machine's domains, without those that `hidden` picks.
fn write_domains(
    tree: &Tree,
    machine: &Machine,
    debugfs: Option<&str>,
    schedstat: Option<u32>,
    hidden: fn(&Domain) -> bool,
) {
    let mut text = format!("version {}\ntimestamp 4295020893\n", schedstat.unwrap_or(15));
    for cpu in machine.online.iter() {
        text += &format!("cpu{cpu} 0 0 0 0 0 0 1234567 89012 345\n");
        for d in of(machine, cpu).into_iter().filter(|d| !hidden(d)) {
            let name = if schedstat == Some(17) { format!("{} ", d.name) } else { String::new() };
            text += &format!("domain{} {name}{} 0 0 0 0 0 0 0 0 0 0 0 0\n", d.level, d.span.to_mask());
            if let Some(mount) = debugfs {
                let folder = format!("{mount}/cpu{cpu}/domain{}", d.level);
                tree.file(&format!("{folder}/name"), &d.name);
                tree.file(&format!("{folder}/flags"), "SD_BALANCE_NEWIDLE SD_BALANCE_EXEC SD_BALANCE_FORK ");
                tree.file(&format!("{folder}/min_interval"), d.min_interval_ns.unwrap() / MS);
                tree.file(&format!("{folder}/max_interval"), d.max_interval_ns.unwrap() / MS);
                tree.file(&format!("{folder}/busy_factor"), 16);
                tree.file(&format!("{folder}/imbalance_pct"), 117);
                tree.file(&format!("{folder}/cache_nice_tries"), d.level);
                tree.file(&format!("{folder}/max_newidle_lb_cost"), 1_000 + cpu);
            }
        }
    }
    if schedstat.is_some() {
        tree.file("proc/schedstat", text.trim_end());
    }
}

const DEBUGFS: &str = "sys/kernel/debug/sched/domains";

/// What a real kernel reports, in whole and in part, and the rules applied to the same machine.
#[test]
fn the_rules_give_what_a_real_kernel_built() {
    for dump in ["guest-two-hops", "guest-split"] {
        let reported = Machine::read(Tree::from_dump(dump).path()).unwrap();
        assert_eq!(reported.domain_source, DomainSource::Kernel, "{dump}");
        let without = |parts: &[&str]| {
            let tree = Tree::from_dump(dump);
            for part in parts {
                let path = tree.path().join(part);
                if path.is_dir() { std::fs::remove_dir_all(path) } else { std::fs::remove_file(path) }.unwrap();
            }
            Machine::read(tree.path()).unwrap()
        };
        let plain = |machine: &Machine| -> Vec<Domain> {
            let forget = |d: &Domain| Domain { flags: None, span_exact: false, parameters_exact: false, ..d.clone() };
            machine.domains.iter().map(forget).collect()
        };
        let debugfs = "sys/kernel/debug/sched";
        for (parts, source) in [
            (&["proc/schedstat"][..], DomainSource::Debugfs),
            (&[debugfs][..], DomainSource::Schedstat),
            (&[debugfs, "proc/schedstat"][..], DomainSource::Derived),
        ] {
            let machine = without(parts);
            assert_eq!((machine.domain_source, plain(&machine)), (source, plain(&reported)), "{dump}");
        }
    }
}

#[test]
fn a_real_machine_with_two_hops_an_offline_and_an_isolated_cpu() {
    let machine = Machine::read(Tree::from_dump("guest-two-hops").path()).unwrap();
    assert_eq!((machine.online.clone(), machine.isolated.clone()), (list("0-4,6-7"), list("7")));
    assert_eq!(drawn(&machine, 0), "MC 0-1 | NUMA 0-4 | NUMA 0-4,6");
    assert_eq!(drawn(&machine, 4), "NUMA 0-1,4,6 | NUMA 0-4,6");
    assert_eq!(drawn(&machine, 7), "");
    assert_eq!(distance(&machine, 0, 6), Distance::Far);
    assert_eq!(machine.cpu(4).unwrap().llc, Some(4), "this kernel still lists CPU 5, which is offline, as its sibling");
    assert_eq!(of(&machine, 2)[1].min_interval_ns, Some(6 * MS), "CPU 7 weighs although it is cut out");
    assert!(of(&machine, 0)[1].flags.as_deref().unwrap().ends_with("SD_SERIALIZE SD_OVERLAP SD_NUMA"));
}

#[test]
fn a_real_machine_split_by_cpusets_has_no_domain_across_the_split() {
    let machine = Machine::read(Tree::from_dump("guest-split").path()).unwrap();
    assert_eq!(machine.partitions, [list("0-3")]);
    assert_eq!(machine.isolated, list("4,6-7"));
    assert_eq!(machine.lowest_common_domain(0, 3).unwrap().name, "NUMA");
    assert_eq!(machine.lowest_common_domain(3, 6), None);
}

#[test]
fn derived_domains_follow_the_rules_of_the_kernel() {
    let machine = Shape::load("ring-of-four").machine();
    assert_eq!(machine.domain_source, DomainSource::Derived);
    assert_eq!(drawn(&machine, 0), "SMT 0-1 | MC 0-7 | NUMA 0-15,24-31 | NUMA 0-31");
    assert_eq!(drawn(&machine, 17), "SMT 16-17 | MC 16-23 | NUMA 8-31 | NUMA 0-31");
    let [smt, mc, ring, all] = of(&machine, 0)[..] else { panic!("four levels") };
    assert_eq!((smt.min_interval_ns, smt.max_interval_ns, smt.imbalance_pct), (Some(2 * MS), Some(4 * MS), Some(110)));
    assert_eq!((mc.min_interval_ns, mc.imbalance_pct, mc.busy_factor), (Some(8 * MS), Some(117), Some(16)));
    assert_eq!((ring.min_interval_ns, all.max_interval_ns), (Some(24 * MS), Some(64 * MS)));
    assert!(machine.domains.iter().all(|d| !d.span_exact && !d.parameters_exact && d.flags.is_none()));
    // Every CPU of a node shares its overlapping NUMA domain, and no other CPU does.
    assert_eq!(ring.cpus, list("0-7"));
}

#[test]
fn the_rules_change_with_the_release() {
    let mut shape = Shape::load("epyc-llcs");
    let pct_and_factor = |machine: &Machine| {
        let top = of(machine, 0).last().map(|d| (d.imbalance_pct, d.busy_factor));
        (drawn(machine, 0).contains("DIE"), top)
    };
    assert_eq!(pct_and_factor(&shape.machine()), (false, Some((Some(117), Some(16)))));
    shape.release = "5.4.0-192-generic".into();
    assert_eq!(pct_and_factor(&shape.machine()), (true, Some((Some(125), Some(32)))));
    shape.release = "6.7.0".into();
    assert_eq!(pct_and_factor(&shape.machine()), (false, Some((Some(117), Some(16)))));
}

#[test]
fn debugfs_and_schedstat_together_are_exact() {
    let derived = Shape::load("ring-of-four").machine();
    let tree = Shape::load("ring-of-four").materialise();
    write_domains(&tree, &derived, Some(DEBUGFS), Some(15), |_| false);
    let machine = Machine::read(tree.path()).unwrap();
    assert_eq!(machine.domain_source, DomainSource::Kernel);
    assert_eq!(drawn(&machine, 17), drawn(&derived, 17));
    assert!(machine.domains.iter().all(|d| d.span_exact && d.parameters_exact));
    let flags = machine.domains[0].flags.as_deref();
    assert_eq!(flags, Some("SD_BALANCE_NEWIDLE SD_BALANCE_EXEC SD_BALANCE_FORK"));
    let top = of(&machine, 17)[3];
    assert_eq!(
        (top.cache_nice_tries, top.newidle_cost_ns),
        (Some(3), Some(1_000)),
        "the least of all CPUs that have the domain"
    );
}

#[test]
fn schedstat_alone_gives_spans_and_since_version_17_names() {
    let derived = Shape::load("ring-of-four").machine();
    for version in [15, 16, 17] {
        let tree = Shape::load("ring-of-four").materialise();
        write_domains(&tree, &derived, None, Some(version), |_| false);
        let machine = Machine::read(tree.path()).unwrap();
        assert_eq!(machine.domain_source, DomainSource::Schedstat);
        assert_eq!(drawn(&machine, 17), drawn(&derived, 17), "version {version}");
        assert_eq!(of(&machine, 17)[2].min_interval_ns, Some(24 * MS));
        assert!(machine.domains.iter().all(|d| d.span_exact && !d.parameters_exact));
    }
}

#[test]
fn debugfs_alone_gives_the_mask_by_its_weight() {
    let derived = Shape::load("ring-of-four").machine();
    for folder in [DEBUGFS, "proc/sys/kernel/sched_domain"] {
        let tree = Shape::load("ring-of-four").materialise();
        write_domains(&tree, &derived, Some(folder), None, |_| false);
        let machine = Machine::read(tree.path()).unwrap();
        assert_eq!(machine.domain_source, DomainSource::Debugfs);
        assert_eq!(drawn(&machine, 17), drawn(&derived, 17));
        assert!(machine.domains.iter().all(|d| !d.span_exact && d.parameters_exact));
    }
    // With the ring's level gone, the 32 ms of the last level still name the mask of all nodes.
    let tree = Shape::load("ring-of-four").materialise();
    write_domains(&tree, &derived, Some(DEBUGFS), None, |d| d.min_interval_ns == Some(24 * MS));
    let machine = Machine::read(tree.path()).unwrap();
    assert_eq!(drawn(&machine, 17), "SMT 16-17 | MC 16-23 | NUMA 0-31");
}

#[test]
fn debugfs_alone_leaves_isolated_cpus_out_of_the_span() {
    for release in ["5.15.0", "7.1.0"] {
        let shape = Shape { release: release.into(), ..Shape::load("hotplug-isolated") };
        let derived = shape.machine();
        let tree = shape.materialise();
        write_domains(&tree, &derived, Some(DEBUGFS), None, |_| false);
        let machine = Machine::read(tree.path()).unwrap();
        assert_eq!(machine.domain_source, DomainSource::Debugfs);
        assert_eq!(drawn(&machine, 4), "SMT 4,12 | MC 4-5,12-13 | NUMA 0-2,4-5,8,10-13");
        assert_eq!(drawn(&machine, 6), "");
    }
}

#[test]
fn a_mask_is_weighed_before_the_cut_until_7_1() {
    let weight = |release: &str| {
        let shape = Shape { release: release.into(), ..Shape::load("hotplug-isolated") };
        of(&shape.machine(), 4)[1].min_interval_ns
    };
    assert_eq!(weight("7.0.9"), Some(8 * MS));
    assert_eq!(weight("7.1.0-rc1"), Some(4 * MS));
}

#[test]
fn a_domain_that_fits_no_mask_is_named() {
    let derived = Shape::load("desktop-smt").machine();
    let tree = Shape::load("desktop-smt").materialise();
    write_domains(&tree, &derived, Some(DEBUGFS), None, |_| false);
    tree.file(&format!("{DEBUGFS}/cpu0/domain2/name"), "DRAWER");
    tree.file(&format!("{DEBUGFS}/cpu0/domain2/min_interval"), 64);
    let machine = Machine::read(tree.path()).unwrap();
    assert_eq!(drawn(&machine, 0), drawn(&derived, 0));
    assert_eq!(machine.quirks, ["CPU 0: the DRAWER domain fits no mask of the topology"]);
}

#[test]
fn a_debugfs_mounted_elsewhere_is_found() {
    let derived = Shape::load("desktop-smt").machine();
    let tree = Shape::load("desktop-smt").materialise();
    tree.file("proc/self/mounts", "proc /proc proc rw 0 0\nnone /mnt/kernel\\040debug debugfs rw,relatime 0 0");
    write_domains(&tree, &derived, Some("mnt/kernel debug/sched/domains"), None, |_| false);
    assert_eq!(Machine::read(tree.path()).unwrap().domain_source, DomainSource::Debugfs);
}

#[test]
fn hidden_domains_are_derived_and_the_switch_is_named() {
    let tree = Shape::load("desktop-smt").materialise();
    tree.file("sys/kernel/debug/sched/verbose", "N");
    let machine = Machine::read(tree.path()).unwrap();
    assert_eq!(machine.domain_source, DomainSource::Derived);
    assert_eq!(machine.quirks, ["scheduling domains are hidden: echo Y > /sys/kernel/debug/sched/verbose shows them"]);
}

#[test]
fn without_its_upper_levels_a_machine_has_no_common_domain() {
    let derived = Shape::load("epyc-llcs").machine();
    assert_eq!(derived.lowest_common_domain(0, 8).unwrap().name, "PKG");
    assert_eq!(derived.lowest_common_domain(0, 64).unwrap().name, "NUMA");
    let tree = Shape::load("epyc-llcs").materialise();
    write_domains(&tree, &derived, None, Some(17), |d| d.name == "NUMA");
    let machine = Machine::read(tree.path()).unwrap();
    assert_eq!(machine.lowest_common_domain(0, 8).unwrap().level, 2);
    assert_eq!(machine.lowest_common_domain(0, 64), None);
}

#[test]
fn contradicting_and_damaged_sources_are_refused() {
    let derived = Shape::load("desktop-smt").machine();
    let tree = Shape::load("desktop-smt").materialise();
    write_domains(&tree, &derived, Some(DEBUGFS), Some(15), |_| false);
    tree.file("proc/schedstat", "version 15\ntimestamp 1\ncpu0 0 0 0 0 0 0 0 0 0\ndomain0 ff 0");
    let error = Machine::read(tree.path()).unwrap_err().to_string();
    assert!(error.contains("debugfs gives CPU 0 a domain 1, schedstat none"), "{error}");
    for damaged in ["what", "version 15\ncpu0 0\ndomain0 nonsense 0", "version 15\ndomain0 ff 0", "version 17\ndomain0"]
    {
        tree.file("proc/schedstat", damaged);
        let error = Machine::read(tree.path()).unwrap_err().to_string();
        assert!(error.contains("proc/schedstat: expected /proc/schedstat"), "{error}");
    }
    std::fs::remove_file(tree.path().join("proc/schedstat")).unwrap();
    tree.file(&format!("{DEBUGFS}/cpu0/domain0/min_interval"), "soon");
    let error = Machine::read(tree.path()).unwrap_err().to_string();
    assert!(error.contains("min_interval: expected a number, found \"soon\""), "{error}");
}

#[test]
fn a_root_partition_has_domains_of_its_own() {
    let tree = Shape::load("epyc-llcs").materialise();
    tree.file("proc/self/mounts", "cgroup2 /sys/fs/cgroup cgroup2 rw 0 0");
    tree.file("sys/fs/cgroup/cpuset.cpus.isolated", "254-255");
    tree.file("sys/fs/cgroup/rt/cpuset.cpus.partition", "root");
    tree.file("sys/fs/cgroup/rt/cpuset.cpus.effective", "0-7");
    tree.file("sys/fs/cgroup/quiet/cpuset.cpus.partition", "isolated");
    tree.file("sys/fs/cgroup/quiet/cpuset.cpus.effective", "8-9");
    tree.file("sys/fs/cgroup/other/cpuset.cpus.partition", "member");
    tree.file("sys/fs/cgroup/other/cpuset.cpus.effective", "10-253");
    let machine = Machine::read(tree.path()).unwrap();
    assert_eq!(machine.isolated, list("8-9,254-255"));
    assert_eq!(machine.partitions, [list("0-7"), list("10-253")]);
    assert_eq!(drawn(&machine, 3), "MC 0-7");
    assert_eq!(machine.lowest_common_domain(3, 128), None);
    assert_eq!(machine.lowest_common_domain(10, 65).unwrap().name, "NUMA");
    assert_eq!(of(&machine, 8).len(), 0);
}

#[test]
fn cpusets_of_version_1_split_domains_once_the_root_stops_balancing() {
    let tree = Shape::load("desktop-smt").materialise();
    tree.file("proc/self/mounts", "cgroup /sys/fs/cgroup/cpuset cgroup rw,cpuset 0 0");
    let cpuset = |path: &str, cpus: &str, balance: u8| {
        tree.file(&format!("sys/fs/cgroup/cpuset{path}/cpuset.cpus"), cpus);
        tree.file(&format!("sys/fs/cgroup/cpuset{path}/cpuset.sched_load_balance"), balance);
    };
    cpuset("", "0-15", 1);
    cpuset("/a", "0-3,8-11", 1);
    assert!(Machine::read(tree.path()).unwrap().partitions.is_empty());
    cpuset("", "0-15", 0);
    cpuset("/a/inner", "2-4", 1);
    cpuset("/off", "5", 0);
    let machine = Machine::read(tree.path()).unwrap();
    assert_eq!(machine.partitions, [list("0-4,8-11")]);
    assert_eq!(machine.isolated, list("5-7,12-15"));
    assert_eq!(drawn(&machine, 0), "SMT 0,8 | MC 0-4,8-11");
}
