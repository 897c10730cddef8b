//! The kernel: release, command line, processor model, and the length of its tick.

use crate::domains::debugfs;
use crate::error::MachineError;
use crate::model::TickSource;
use crate::root::Root;
use flate2::read::GzDecoder;
use std::io::Read;

/// Tick of the commonest configuration, HZ=250, where the tick is not known.
pub(crate) const ASSUMED_TICK_NS: i64 = 4_000_000;

pub(crate) struct Kernel {
    pub host: Option<String>,
    pub arch: Option<String>,
    pub model: Option<String>,
    pub release: Option<String>,
    pub cmdline: Option<String>,
    pub tick_ns: i64,
    pub tick_source: TickSource,
    pub preemption: Option<String>,
    pub migration_cost_ns: Option<i64>,
}

pub(crate) fn read(root: &Root) -> Result<Kernel, MachineError> {
    let release = match root.text("proc/sys/kernel/osrelease")? {
        Some(release) => Some(release),
        None => root.text("proc/version")?.and_then(|v| v.split_whitespace().nth(2).map(str::to_owned)),
    };
    let cpuinfo = root.text("proc/cpuinfo")?.unwrap_or_default();
    let (tick_ns, tick_source) = tick(root, release.as_deref())?;
    Ok(Kernel {
        host: root.text("proc/sys/kernel/hostname")?.filter(|name| name != "(none)"),
        arch: arch(root, &cpuinfo)?,
        model: model(root, &cpuinfo)?,
        cmdline: root.text("proc/cmdline")?,
        preemption: preemption(root, release.as_deref())?,
        migration_cost_ns: migration_cost_ns(root)?,
        release,
        tick_ns,
        tick_source,
    })
}

/// `/proc/sys/kernel/arch` exists since 6.1; before it, /proc/cpuinfo distinguishes the two commonest.
fn arch(root: &Root, cpuinfo: &str) -> Result<Option<String>, MachineError> {
    if let Some(arch) = root.text("proc/sys/kernel/arch")? {
        return Ok(Some(arch));
    }
    let guess = if root.is_live() {
        Some(std::env::consts::ARCH)
    } else if cpuinfo.contains("vendor_id") && cpuinfo.contains("flags") {
        Some("x86_64")
    } else if cpuinfo.contains("CPU implementer") {
        Some("aarch64")
    } else {
        None
    };
    Ok(guess.map(str::to_owned))
}

fn model(root: &Root, cpuinfo: &str) -> Result<Option<String>, MachineError> {
    let field = |key: &str| {
        cpuinfo.lines().find_map(|line| {
            let (name, value) = line.split_once(':')?;
            (name.trim() == key && !value.trim().is_empty()).then(|| value.trim().to_owned())
        })
    };
    match ["model name", "Model", "cpu model", "machine", "cpu"].into_iter().find_map(field) {
        Some(model) => Ok(Some(model)),
        None => root.text("proc/device-tree/model"),
    }
}

/// `CONFIG_HZ` of the running kernel's configuration; on the running machine the resolution of the coarse clock gives it as well.
fn tick(root: &Root, release: Option<&str>) -> Result<(i64, TickSource), MachineError> {
    if let Some(hz) = config_hz(root, release)? {
        return Ok((1_000_000_000 / hz, TickSource::Config));
    }
    match root.is_live().then(coarse_clock_ns).flatten() {
        Some(ns) => Ok((ns, TickSource::CoarseClock)),
        None => Ok((ASSUMED_TICK_NS, TickSource::Assumed)),
    }
}

fn config_hz(root: &Root, release: Option<&str>) -> Result<Option<i64>, MachineError> {
    of_config(root, release, hz_line)
}

/// What `line` finds in the configuration of the running kernel.
fn of_config<T>(
    root: &Root,
    release: Option<&str>,
    find: impl Fn(&str) -> Option<T>,
) -> Result<Option<T>, MachineError> {
    if let Some(packed) = root.bytes("proc/config.gz")? {
        let mut config = String::new();
        // A configuration is some 300 kB; a file that unpacks to more than 16 MB is not one.
        if GzDecoder::new(packed.as_slice()).take(16 << 20).read_to_string(&mut config).is_err() {
            let path = root.at("proc/config.gz");
            return Err(MachineError::garbage(&path, "a gzipped kernel configuration", "something else"));
        }
        if let Some(found) = find(&config) {
            return Ok(Some(found));
        }
    }
    let Some(release) = release else { return Ok(None) };
    for rel in [format!("boot/config-{release}"), format!("lib/modules/{release}/config")] {
        if let Some(found) = root.text(rel)?.as_deref().and_then(&find) {
            return Ok(Some(found));
        }
    }
    Ok(None)
}

/// The mode of preemption: what debugfs has in parentheses (kernel/sched/debug.c: sched_dynamic_show), else what `/proc/version` or
/// the configuration says. Of a kernel that can change it (PREEMPT_DYNAMIC) the configuration has the mode at its start, which
/// `preempt=` overrides.
fn preemption(root: &Root, release: Option<&str>) -> Result<Option<String>, MachineError> {
    if let Some(shown) = root.text(format!("{}/sched/preempt", debugfs::mount(root)))?
        && let Some((_, rest)) = shown.split_once('(')
        && let Some((mode, _)) = rest.split_once(')')
        && PREEMPTIONS.iter().any(|(known, _)| *known == mode)
    {
        return Ok(Some(mode.to_owned()));
    }
    if root.text("proc/version")?.is_some_and(|version| version.contains("PREEMPT_RT")) {
        return Ok(Some("rt".to_owned()));
    }
    if let Some(cmdline) = root.text("proc/cmdline")?
        && let Some(asked) = cmdline.split_whitespace().filter_map(|word| word.strip_prefix("preempt=")).next_back()
        && PREEMPTIONS.iter().any(|(known, _)| *known == asked)
    {
        return Ok(Some(asked.to_owned()));
    }
    of_config(root, release, |config| {
        let is_set = |option: &str| config.lines().any(|line| line.strip_suffix("=y") == Some(option));
        PREEMPTIONS.iter().find(|(_, option)| is_set(option)).map(|(mode, _)| (*mode).to_owned())
    })
}

/// Modes of preemption, with the options of the configuration that choose them (kernel/Kconfig.preempt).
const PREEMPTIONS: [(&str, &str); 5] = [
    ("rt", "CONFIG_PREEMPT_RT"),
    ("lazy", "CONFIG_PREEMPT_LAZY"),
    ("full", "CONFIG_PREEMPT"),
    ("voluntary", "CONFIG_PREEMPT_VOLUNTARY"),
    ("none", "CONFIG_PREEMPT_NONE"),
];

/// `sysctl_sched_migration_cost`: in debugfs, before 5.13 a sysctl.
fn migration_cost_ns(root: &Root) -> Result<Option<i64>, MachineError> {
    let places = [
        format!("{}/sched/migration_cost_ns", debugfs::mount(root)),
        "proc/sys/kernel/sched_migration_cost_ns".to_owned(),
    ];
    for place in places {
        // The kernel prints an unsigned number: -1 as the largest of 32 bits.
        if let Some(ns) = root.number::<i64>(place)? {
            return Ok(Some(if ns == i64::from(u32::MAX) { -1 } else { ns }));
        }
    }
    Ok(None)
}

fn hz_line(config: &str) -> Option<i64> {
    let hz = config.lines().find_map(|line| line.strip_prefix("CONFIG_HZ="))?.trim().parse().ok()?;
    (1..=10_000).contains(&hz).then_some(hz)
}

fn coarse_clock_ns() -> Option<i64> {
    let mut resolution = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: clock_getres writes one timespec, which lives on our stack.
    let done = unsafe { libc::clock_getres(libc::CLOCK_MONOTONIC_COARSE, &raw mut resolution) };
    (done == 0 && resolution.tv_sec == 0 && resolution.tv_nsec > 0).then_some(resolution.tv_nsec)
}

#[cfg(test)]
mod tests {
    use super::coarse_clock_ns;

    #[test]
    fn the_coarse_clock_advances_at_a_rate_that_kernels_are_built_with() {
        let ns = coarse_clock_ns().expect("every Linux has this clock");
        assert!([100, 250, 300, 1000].contains(&((1_000_000_000 + ns / 2) / ns)), "{ns} ns");
    }
}
