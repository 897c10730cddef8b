//! Counters read at each switch: of the PMU where there is one, of the kernel otherwise.

use libbpf_rs::{MapCore, MapFlags, MapHandle};
use std::io;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};

/// Type and number of a counter for perf_event_open(2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Counter {
    pub name: &'static str,
    kind: u32,
    config: u64,
}

const HARDWARE: u32 = 0;
const SOFTWARE: u32 = 1;
const OF_PMU: [Counter; 3] = [
    Counter { name: "cycles", kind: HARDWARE, config: 0 },
    Counter { name: "instructions", kind: HARDWARE, config: 1 },
    Counter { name: "cache-misses", kind: HARDWARE, config: 3 },
];
const OF_KERNEL: [Counter; 2] = [
    Counter { name: "cpu-clock", kind: SOFTWARE, config: 0 },
    Counter { name: "page-faults", kind: SOFTWARE, config: 2 },
];

/// `struct perf_event_attr` as far as it is used: its first published size.
#[repr(C)]
#[derive(Default)]
struct Attr {
    kind: u32,
    size: u32,
    config: u64,
    sample_period: u64,
    sample_type: u64,
    read_format: u64,
    flags: u64,
    wakeup_events: u32,
    bp_type: u32,
    bp_addr: u64,
}

/// Counter of everything that runs on `cpu`.
fn open(counter: Counter, cpu: u32) -> io::Result<OwnedFd> {
    open_sampling(counter, cpu, 0)
}

/// The same, with an event every `sample_period` counts; 0: without events.
fn open_sampling(counter: Counter, cpu: u32, sample_period: u64) -> io::Result<OwnedFd> {
    let size = size_of::<Attr>() as u32;
    let attr = Attr { kind: counter.kind, size, config: counter.config, sample_period, ..Attr::default() };
    const CLOEXEC: libc::c_ulong = 8;
    // SAFETY: perf_event_open reads `size` bytes of the struct and returns a new descriptor or an error.
    let fd = unsafe { libc::syscall(libc::SYS_perf_event_open, &attr, -1, cpu as libc::c_int, -1, CLOEXEC) };
    if fd < 0 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: the kernel has just given us this descriptor.
    Ok(unsafe { OwnedFd::from_raw_fd(fd as i32) })
}

/// A clock that interrupts `cpu` every `period_ns`, whatever runs there.
pub(crate) fn software_clock(cpu: u32, period_ns: u64) -> io::Result<OwnedFd> {
    let clock = Counter { name: "cpu-clock", kind: SOFTWARE, config: 0 };
    open_sampling(clock, cpu, period_ns)
}

/// The counters of this machine, and what is missing.
pub(crate) fn choose() -> (Vec<Counter>, Option<String>) {
    let of_pmu: Vec<Counter> = OF_PMU.into_iter().filter(|&counter| open(counter, 0).is_ok()).collect();
    if !of_pmu.is_empty() {
        return (of_pmu, None);
    }
    let of_kernel: Vec<Counter> = OF_KERNEL.into_iter().filter(|&counter| open(counter, 0).is_ok()).collect();
    let names = of_kernel.iter().map(|c| c.name).collect::<Vec<_>>().join(", ");
    let instead = if names.is_empty() { "no counters".into() } else { format!("{names} instead") };
    (of_kernel, Some(format!("not recorded: hardware counters (no PMU can be used on this machine; {instead})")))
}

/// Open each counter on each of `cpus` and give it to the programs; they live as long as what is returned. A CPU that has gone
/// offline meanwhile has none, like one that is offline when the recording starts.
pub(crate) fn attach(map: &MapHandle, counters: &[Counter], cpus: &[u32], stride: u32) -> io::Result<Vec<OwnedFd>> {
    let mut opened = Vec::new();
    for (number, &counter) in counters.iter().enumerate() {
        for &cpu in cpus {
            let fd = match open(counter, cpu) {
                Err(error) if error.raw_os_error() == Some(libc::ENODEV) => continue,
                opened => opened?,
            };
            let key = (number as u32 * stride + cpu).to_ne_bytes();
            map.update(&key, &fd.as_raw_fd().to_ne_bytes(), MapFlags::ANY).map_err(io::Error::other)?;
            opened.push(fd);
        }
    }
    Ok(opened)
}
