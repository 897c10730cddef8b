//! The checks one by one: what is tried, what rests on it, what to do when it fails.

use super::tiny::{self, Hook};
use super::{Check, State, system};
use crate::mounts::tracefs;
use libbpf_rs::libbpf_sys as sys;
use std::io;

/// Balance functions by the names of the kernel's releases (renamed in 6.10).
const BALANCE: &[&str] = &["sched_balance_rq", "load_balance"];
const PLACEMENT: &[&str] = &["select_task_rq_fair"];
/// A function of its own in 6.1 to 6.18, inlined in 7.2.
const LOOK: &[&str] = &["available_idle_cpu"];

const ROOT: &str = "Run as root, or give CAP_BPF and CAP_PERFMON.";
const MOUNT_TRACEFS: &str = "Mount tracefs: `mount -t tracefs tracefs /sys/kernel/tracing`.";
const BPF_SYSCALL: &str = "Use a kernel with CONFIG_BPF_SYSCALL.";
const SINCE_5_8: &str = "Use a kernel of 5.8 or later.";

/// Checks that ask the kernel for BPF, which it refuses to a user without privileges, also where it has the feature.
const BPF: [&str; 14] = [
    "memlock",
    "tp_btf",
    "raw_tp",
    "tracepoint",
    "nr_running",
    "iterator",
    "stacks",
    "mmap_array",
    "ring_buffer",
    "fentry",
    "placement",
    "cpus_scanned",
    "kprobe",
    "bpf_stats",
];

/// How something that was tried came out.
struct Outcome {
    state: State,
    detail: String,
    errno: Option<i32>,
}

impl<T: Into<String>> From<(State, T)> for Outcome {
    /// One that no system call failed for.
    fn from((state, detail): (State, T)) -> Self {
        Self { state, detail: detail.into(), errno: None }
    }
}

fn check(key: &'static str, needed_for: &'static str, advice: &'static str, outcome: impl Into<Outcome>) -> Check {
    let Outcome { state, detail, errno } = outcome.into();
    let advice = (state != State::Ok).then_some(advice);
    Check { key, state, detail, errno, needed_for, used_by_wastenot: true, advice }
}

/// A check of what other tools need and wastenot does not.
fn check_for_others(
    key: &'static str,
    needed_for: &'static str,
    advice: &'static str,
    outcome: impl Into<Outcome>,
) -> Check {
    Check { used_by_wastenot: false, ..check(key, needed_for, advice, outcome) }
}

/// Result of something tried: what works is described by `works`.
fn tried<T>(result: io::Result<T>, works: &str) -> Outcome {
    match result {
        Ok(_) => (State::Ok, works).into(),
        Err(error) => {
            let absent = [libc::ENOENT, libc::ESRCH, libc::EINVAL, libc::EOPNOTSUPP, libc::ENODEV, libc::ENOSYS, 524];
            let errno = error.raw_os_error();
            let missing = errno.is_none_or(|number| absent.contains(&number));
            let state = if missing { State::Missing } else { State::Refused };
            Outcome { state, detail: error.to_string(), errno }
        }
    }
}

fn present(found: bool, yes: &str, no: &str) -> (State, String) {
    if found { (State::Ok, yes.into()) } else { (State::Missing, no.into()) }
}

pub fn all() -> Vec<Check> {
    let found =
        [permissions(), programs(), maps(), function_probes(), counters(), tracing(), scheduler(), groups(), others()]
            .concat();
    let (bpf, perfmon, admin) = capabilities();
    explained(found, admin || (bpf && perfmon))
}

/// Why the kernel refused BPF: for lack of privileges, which is one reason for all of these checks, or for every user.
pub fn explained(mut found: Vec<Check>, privileged: bool) -> Vec<Check> {
    for check in found.iter_mut().filter(|c| c.state == State::Refused && BPF.contains(&c.key)) {
        if privileged {
            check.detail = format!("the kernel refuses it ({})", check.detail);
        } else {
            check.detail = "refused: needs root, or CAP_BPF and CAP_PERFMON".into();
            check.advice = Some(ROOT);
        }
    }
    found
}

/// CAP_BPF, CAP_PERFMON, CAP_SYS_ADMIN.
fn capabilities() -> (bool, bool, bool) {
    (system::capability(39), system::capability(38), system::capability(21))
}

/// What to do where something is not there: on an older kernel than has it, take a later one; on others, `built`.
fn since(major: u32, minor: u32, later: &'static str, built: &'static str) -> &'static str {
    if system::release(&system::kernel()) < (major, minor) { later } else { built }
}

fn permissions() -> Vec<Check> {
    let (bpf, perfmon, admin) = capabilities();
    let names = [(admin, "CAP_SYS_ADMIN"), (bpf, "CAP_BPF"), (perfmon, "CAP_PERFMON")];
    let held: Vec<&str> = names.iter().filter(|(held, _)| *held).map(|(_, name)| *name).collect();
    let enough = admin || (bpf && perfmon);
    let state = if enough { State::Ok } else { State::Refused };
    let held = if held.is_empty() { "none of CAP_SYS_ADMIN, CAP_BPF, CAP_PERFMON".into() } else { held.join(", ") };
    let unprivileged = match system::line("/proc/sys/kernel/unprivileged_bpf_disabled").as_deref() {
        Some("0") => (State::Ok, "permitted to all users (kernel.unprivileged_bpf_disabled = 0)"),
        Some(_) if enough => (State::Ok, "for privileged users only, which this one is"),
        Some(_) => (State::Refused, "for privileged users only"),
        None => (State::Unknown, "the kernel does not say"),
    };
    let lockdown = system::line("/sys/kernel/security/lockdown");
    let lockdown = match lockdown.as_deref().map(|l| (l, l.split('[').nth(1).and_then(|l| l.split(']').next()))) {
        Some((_, Some("none"))) => (State::Ok, "none".to_owned()),
        Some((_, Some(mode))) => (State::Refused, mode.to_owned()),
        _ => (State::Unknown, "securityfs is not mounted or the kernel has no lockdown".into()),
    };
    let mut limit = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: `limit` is written by the call and lives through it.
    unsafe { libc::getrlimit(libc::RLIMIT_MEMLOCK, &mut limit) };
    let limit = match limit.rlim_cur {
        libc::RLIM_INFINITY => "no limit".to_owned(),
        bytes => format!("limit {} KiB", bytes / 1024),
    };
    // 8 MiB: the order of what the recorder's rings need.
    let large = tiny::map(sys::BPF_MAP_TYPE_ARRAY, 4, 8 << 20, 1, 0);
    let memlock = tried(large, &format!("{limit}; a map of 8 MiB can be made"));
    vec![
        check("capabilities", "everything that BPF records", ROOT, (state, held)),
        check("unprivileged_bpf", "BPF without privileges", ROOT, unprivileged),
        check(
            "lockdown",
            "kernel stacks and probes",
            if lockdown.0 == State::Unknown {
                "Do nothing unless stacks or probes are refused; `mount -t securityfs securityfs /sys/kernel/security` shows the mode."
            } else {
                "Boot without the lockdown mode confidentiality: it forbids reading kernel memory."
            },
            lockdown,
        ),
        check(
            "memlock",
            "rings as large as the machine needs",
            "Raise RLIMIT_MEMLOCK (`ulimit -l unlimited`): before 5.11 maps count against it.",
            memlock,
        ),
    ]
}

fn programs() -> Vec<Check> {
    let btf = std::fs::metadata("/sys/kernel/btf/vmlinux");
    let btf = tried(btf.as_ref().map_err(|e| io::Error::from(e.kind())), "/sys/kernel/btf/vmlinux");
    let on = |hook, target: &'static str| tried(tiny::attach(hook, target), &format!("attached to {target}"));
    // Without atomic additions that return a value there are programs for tp_btf on x86-64 alone.
    let fetches = tiny::fetches();
    let attached = |key, needed_for, hook, needs_fetch: bool| match on(hook, "sched_switch") {
        Outcome { state: State::Ok, .. } if needs_fetch && !fetches => check(
            key,
            needed_for,
            "Use a kernel of 5.12 or later; on x86-64 do nothing: tp_btf is enough.",
            (State::Missing, "eBPF before Linux 5.12 has no atomic addition that returns a value"),
        ),
        outcome => check(key, needed_for, ROOT, outcome),
    };
    vec![
        check("btf", "programs fitted to this kernel", "Use a kernel built with CONFIG_DEBUG_INFO_BTF.", btf),
        attached("tp_btf", "every event, at the least cost", Hook::TpBtf, !cfg!(target_arch = "x86_64")),
        attached("raw_tp", "every event, where tp_btf is not there", Hook::RawTp, true),
        check_for_others("tracepoint", "other tools' events", MOUNT_TRACEFS, on(Hook::Tracepoint, "sched_switch")),
        check(
            "nr_running",
            "the kernel's own queue lengths; changes of queued threads' masks",
            since(
                5,
                13,
                "Do nothing: before 5.13 queue lengths are read at switches, and the functions that change masks are probed.",
                "Use a kernel with the tracepoint sched_update_nr_running_tp and BTF.",
            ),
            on(Hook::TpBtf, "sched_update_nr_running_tp"),
        ),
        check(
            "iterator",
            "the exact state of every thread at the start",
            since(
                5,
                8,
                "Use a kernel of 5.8 or later; /proc is read instead.",
                "Use a kernel with CONFIG_BPF_SYSCALL and BTF; /proc is read instead.",
            ),
            on(Hook::Iterator, "task"),
        ),
        check(
            "stacks",
            "kernel stacks of moves (L1)",
            ROOT,
            tried(tiny::take_stack(), "a program with bpf_get_stackid loads"),
        ),
    ]
}

fn maps() -> Vec<Check> {
    let mmapable = tiny::map(sys::BPF_MAP_TYPE_ARRAY, 4, 4096, 1, sys::BPF_F_MMAPABLE);
    let ring = tiny::map(sys::BPF_MAP_TYPE_RINGBUF, 0, 0, 4096, 0);
    vec![
        check(
            "mmap_array",
            "the recorder's rings",
            since(5, 5, "Use a kernel of 5.5 or later.", BPF_SYSCALL),
            tried(mmapable, "a map can be shared with user space"),
        ),
        check_for_others(
            "ring_buffer",
            "other tools' rings",
            since(5, 8, SINCE_5_8, BPF_SYSCALL),
            tried(ring, "a ring buffer can be made"),
        ),
    ]
}

fn function_probes() -> Vec<Check> {
    let attempts = |hook, functions: &[&'static str]| {
        let results: Vec<_> = functions.iter().map(|&function| (function, tiny::attach(hook, function))).collect();
        let works = results.iter().find(|(_, result)| result.is_ok()).map(|(function, _)| *function);
        // Names of other releases are just missing; the error for this release's name is the one to report.
        let error = results.into_iter().filter_map(|(_, result)| result.err());
        let error = error
            .max_by_key(|error| error.raw_os_error() != Some(libc::ESRCH) && error.kind() != io::ErrorKind::NotFound);
        match (works, error) {
            (Some(function), _) => (State::Ok, format!("attached to {function}")).into(),
            (None, Some(error)) => tried::<()>(Err(error), ""),
            (None, None) => (State::Unknown, "nothing to attach to").into(),
        }
    };
    let lost = "Use a kernel with CONFIG_FUNCTION_TRACER and without lockdown; kernel stacks of moves are recorded without it.";
    vec![
        check("fentry", "load-balance attempts and the loads they saw (L2)", lost, attempts(Hook::Fentry, BALANCE)),
        check("placement", "placements of threads (L2)", lost, attempts(Hook::Fentry, PLACEMENT)),
        check(
            "cpus_scanned",
            "the CPUs scanned at wakeups (record --cpus-scanned)",
            "Use a kernel in which available_idle_cpu() is a function of its own (6.1 to 6.18, not 7.2), with CONFIG_FUNCTION_TRACER \
             and without lockdown.",
            attempts(Hook::Fentry, LOOK),
        ),
        check_for_others(
            "kprobe",
            "other tools' probes",
            "Use a kernel with CONFIG_KPROBE_EVENTS and without lockdown.",
            attempts(Hook::Kprobe, BALANCE),
        ),
    ]
}

fn counters() -> Vec<Check> {
    const CYCLES: (u32, u64) = (0, 0);
    const TASK_CLOCK: (u32, u64) = (1, 1);
    let cycles = tried(tiny::counter(CYCLES.0, CYCLES.1), "cycles can be counted");
    let clock = tried(tiny::counter(TASK_CLOCK.0, TASK_CLOCK.1), "task-clock can be counted");
    vec![
        check(
            "pmu",
            "cache misses and the like per run (record --counters)",
            "Use a machine (or virtual machine) with a PMU, and set kernel.perf_event_paranoid to 1 or less.",
            cycles,
        ),
        check(
            "perf_events",
            "software counters (record --counters)",
            "Set kernel.perf_event_paranoid to 1 or less, or give CAP_PERFMON.",
            clock,
        ),
        check(
            "bpf_stats",
            "what recording costs",
            since(5, 8, SINCE_5_8, "Give CAP_SYS_ADMIN."),
            tried(tiny::statistics(), "the kernel measures BPF programs"),
        ),
    ]
}

fn tracing() -> Vec<Check> {
    let Some(tracefs) = tracefs() else {
        let absent = || (State::Missing, "tracefs is not mounted");
        return vec![
            check("tracefs", "the recorder where BPF is not permitted", MOUNT_TRACEFS, absent()),
            check("tracefs_instance", "a tracing buffer of our own", MOUNT_TRACEFS, absent()),
            check_for_others("tracefs_filters", "trace-cmd needs it", MOUNT_TRACEFS, absent()),
        ];
    };
    let event = std::fs::metadata(tracefs.join("events/sched/sched_switch/format"));
    let event = tried(event, &format!("{} with the scheduler's events", tracefs.display()));
    let instance = tried(system::tracing_instance(&tracefs), "an instance can be made");
    let filters = std::fs::File::open(tracefs.join("available_filter_functions"))
        .and_then(|mut file| io::Read::read(&mut file, &mut [0; 64]));
    let filters = tried(filters, "the list of functions can be read");
    vec![
        check(
            "tracefs",
            "the recorder where BPF is not permitted",
            "Run as root, on a kernel with CONFIG_FTRACE.",
            event,
        ),
        check("tracefs_instance", "a tracing buffer of our own", "Run as root.", instance),
        check_for_others(
            "tracefs_filters",
            "trace-cmd record needs it",
            "Do nothing: wastenot does not need it.",
            filters,
        ),
    ]
}

fn scheduler() -> Vec<Check> {
    let enabled = system::line("/proc/sys/kernel/sched_schedstats");
    let schedstat = match (std::path::Path::new("/proc/schedstat").exists(), enabled.as_deref()) {
        (true, Some("1")) => (State::Ok, "/proc/schedstat, switched on"),
        (true, _) => (State::Refused, "/proc/schedstat is there, switched off"),
        (false, _) => (State::Missing, "no /proc/schedstat"),
    };
    let domains =
        std::fs::read_dir("/sys/kernel/debug/sched/domains/cpu0").is_ok_and(|mut found| found.next().is_some());
    let symbols = system::symbols();
    vec![
        check(
            "schedstat",
            "the load balancer's counters per domain (L3); exact spans of domains",
            "Use `wastenot record --schedstat on` or `sysctl kernel.sched_schedstats=1`, on a kernel with CONFIG_SCHEDSTATS.",
            schedstat,
        ),
        check(
            "sched_domains",
            "exact scheduling domains (else derived from the topology)",
            "Mount debugfs (`mount -t debugfs debugfs /sys/kernel/debug`) on a kernel with CONFIG_SCHED_DEBUG and a machine that has \
             scheduling domains.",
            present(domains, "debugfs sched/domains", "no debugfs sched/domains"),
        ),
        check(
            "kallsyms",
            "names in kernel stacks",
            "Run as root, or set kernel.kptr_restrict to 0.",
            present(symbols, "kernel addresses can be read", "kernel addresses are hidden"),
        ),
    ]
}

fn groups() -> Vec<Check> {
    let (v1, v2) = system::cgroups();
    let detail = match (v1.is_empty(), v2) {
        (true, true) => "version 2".to_owned(),
        (false, true) => format!("version 1 ({}) and version 2", v1.join(", ")),
        (false, false) => format!("version 1 ({})", v1.join(", ")),
        (true, false) => "none mounted".to_owned(),
    };
    let state = if v1.is_empty() && !v2 { State::Missing } else { State::Ok };
    vec![check("cgroups", "quotas, weights and cpusets by name", "Mount the cgroup file system.", (state, detail))]
}

fn others() -> Vec<Check> {
    let module = std::path::Path::new("/sys/module/lttng_tracer").exists();
    let install = "Install LTTng: `apt-get install lttng-tools lttng-modules-dkms`.";
    vec![
        check(
            "lttng",
            "recording with LTTng",
            install,
            present(system::tool("lttng"), "the command lttng", "no command lttng"),
        ),
        check("lttng_modules", "LTTng's events of the kernel", install, present(module, "loaded", "not loaded")),
        check(
            "babeltrace2",
            "importing CTF that no LTTng wrote, following LTTng's sessions",
            "Install libbabeltrace2: `apt-get install babeltrace2 libbabeltrace2-0`.",
            present(system::tool("babeltrace2"), "the command babeltrace2", "no command babeltrace2"),
        ),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(key: &'static str) -> Check {
        check(key, "", SINCE_5_8, (State::Refused, "Operation not permitted (os error 1)"))
    }

    #[test]
    fn without_privileges_the_advice_is_to_get_them_and_not_another_kernel() {
        let checks = explained(vec![refused("iterator"), refused("pmu")], false);
        assert!(checks[0].detail.contains("needs root") && !checks[0].detail.contains("os error"), "{:?}", checks[0]);
        assert_eq!(checks[0].advice, Some(ROOT));
        assert_eq!(checks[1], refused("pmu"), "counters have a sysctl of their own");
        let checks = explained(vec![refused("iterator")], true);
        assert_eq!(checks[0].advice, Some(SINCE_5_8));
    }

    #[test]
    fn a_system_call_that_failed_is_named_by_its_number() {
        let errno = |error: io::Error| check("iterator", "", "", tried::<()>(Err(error), "")).errno;
        assert_eq!(errno(io::Error::from_raw_os_error(libc::ENOENT)), Some(libc::ENOENT));
        assert_eq!(errno(io::ErrorKind::NotFound.into()), None, "of no system call");
        assert_eq!(check("iterator", "", "", tried(Ok(()), "it works")).errno, None);
    }

    #[test]
    fn an_older_kernel_is_never_advised() {
        assert_eq!((system::release("6.18.44-fc-v769"), system::release("5.4-rc1")), ((6, 18), (5, 4)));
        assert_eq!((since(0, 1, "later", "built"), since(1_000, 0, "later", "built")), ("built", "later"));
    }
}
