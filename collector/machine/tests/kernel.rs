//! Release, model and tick of the kernel.

mod shape;

use flate2::{Compression, write::GzEncoder};
use shape::{Shape, Tree};
use std::io::Write;
use wastenot_machine::{Machine, TickSource};

fn tree() -> Tree {
    let tree = Shape::load("desktop-smt").materialise();
    std::fs::remove_dir_all(tree.path().join("boot")).unwrap();
    tree
}

fn tick(tree: &Tree) -> (i64, TickSource) {
    let machine = Machine::read(tree.path()).unwrap();
    (machine.tick_ns, machine.tick_source)
}

#[test]
fn the_tick_comes_from_the_configuration_of_this_kernel() {
    let tree = tree();
    assert_eq!(tick(&tree), (4_000_000, TickSource::Assumed));
    tree.file("boot/config-5.4.0", "CONFIG_HZ=100");
    assert_eq!(tick(&tree), (4_000_000, TickSource::Assumed), "another kernel's");
    tree.file("lib/modules/6.8.0-45-generic/config", "# CONFIG_HZ_250 is not set\nCONFIG_HZ_300=y\nCONFIG_HZ=300");
    assert_eq!(tick(&tree), (3_333_333, TickSource::Config));
    tree.file("boot/config-6.8.0-45-generic", "CONFIG_HZ=100");
    assert_eq!(tick(&tree), (10_000_000, TickSource::Config));
    let mut packed = GzEncoder::new(Vec::new(), Compression::fast());
    packed.write_all(b"CONFIG_NO_HZ_IDLE=y\nCONFIG_HZ=1000\n").unwrap();
    std::fs::write(tree.path().join("proc/config.gz"), packed.finish().unwrap()).unwrap();
    assert_eq!(tick(&tree), (1_000_000, TickSource::Config));
}

#[test]
fn a_nonsensical_hz_is_passed_over() {
    let tree = tree();
    for hz in ["0", "-1", "many", "99999999999"] {
        tree.file("boot/config-6.8.0-45-generic", format!("CONFIG_HZ={hz}"));
        assert_eq!(tick(&tree), (4_000_000, TickSource::Assumed), "{hz}");
    }
}

#[test]
fn preemption_is_what_the_running_kernel_says_before_what_it_was_built_with() {
    let tree = tree();
    let read = || Machine::read(tree.path()).unwrap().preemption;
    assert_eq!(read(), None);
    tree.file(
        "boot/config-6.8.0-45-generic",
        "CONFIG_PREEMPT_BUILD=y\nCONFIG_PREEMPT_VOLUNTARY=y\nCONFIG_PREEMPT_DYNAMIC=y",
    );
    assert_eq!(read().as_deref(), Some("voluntary"));
    tree.file("proc/cmdline", "quiet preempt=full");
    assert_eq!(read().as_deref(), Some("full"));
    tree.file("proc/version", "Linux version 6.8.0 (builder@host) #1 SMP PREEMPT_RT");
    assert_eq!(read().as_deref(), Some("rt"));
    tree.file("sys/kernel/debug/sched/preempt", "none voluntary full (lazy) \n");
    assert_eq!(read().as_deref(), Some("lazy"));
    tree.file("sys/kernel/debug/sched/preempt", "(undefined)");
    assert_eq!(read().as_deref(), Some("rt"), "no mode that is known");
}

#[test]
fn the_cost_of_a_migration_is_read_where_either_kernel_has_it() {
    let tree = tree();
    let read = || Machine::read(tree.path()).unwrap().migration_cost_ns;
    assert_eq!(read(), None);
    tree.file("proc/sys/kernel/sched_migration_cost_ns", "5000000");
    assert_eq!(read(), Some(5_000_000));
    tree.file("sys/kernel/debug/sched/migration_cost_ns", "4294967295");
    assert_eq!(read(), Some(-1), "as an unsigned number");
}

#[test]
fn the_share_of_real_time_threads_is_read() {
    let tree = tree();
    let read = || Machine::read(tree.path()).map(|machine| (machine.rt_runtime_us, machine.rt_period_us)).unwrap();
    assert_eq!(read(), (None, None));
    tree.file("proc/sys/kernel/sched_rt_runtime_us", "-1\n");
    tree.file("proc/sys/kernel/sched_rt_period_us", "1000000\n");
    assert_eq!(read(), (Some(-1), Some(1_000_000)));
}

#[test]
fn release_architecture_and_model_come_from_what_there_is() {
    let tree = tree();
    let read = || Machine::read(tree.path()).unwrap();
    assert_eq!((read().arch, read().model), (None, None));
    std::fs::remove_file(tree.path().join("proc/sys/kernel/osrelease")).unwrap();
    tree.file("proc/version", "Linux version 3.10.0-957.el7 (builder@host) #1 SMP");
    tree.file("proc/cpuinfo", "processor\t: 0\nCPU implementer\t: 0x41\nmodel name\t:\n");
    tree.file("proc/device-tree/model", "Some Board Rev 1\0");
    assert_eq!(read().kernel.as_deref(), Some("3.10.0-957.el7"));
    assert_eq!(read().arch.as_deref(), Some("aarch64"));
    assert_eq!(read().model.as_deref(), Some("Some Board Rev 1"));
    tree.file("proc/cpuinfo", "vendor_id\t: AuthenticAMD\nmodel name\t: AMD EPYC 9754\nflags\t\t: fpu");
    assert_eq!(read().arch.as_deref(), Some("x86_64"));
    assert_eq!(read().model.as_deref(), Some("AMD EPYC 9754"));
    tree.file("proc/sys/kernel/arch", "riscv64");
    assert_eq!(read().arch.as_deref(), Some("riscv64"));
}
