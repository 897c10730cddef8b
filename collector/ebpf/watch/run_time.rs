//! The run time of BPF programs, as the kernel counts it.

use libbpf_rs::Object;
use libbpf_rs::libbpf_sys::{bpf_prog_get_info_by_fd, bpf_prog_info};
use std::os::fd::{AsFd, AsRawFd, OwnedFd};

/// Descriptors of the loaded programs of an object.
pub(crate) struct RunTime(Vec<OwnedFd>);

impl RunTime {
    pub fn of(object: &Object) -> std::io::Result<Self> {
        let loaded = object.progs().filter(|program| program.autoload());
        loaded.map(|program| program.as_fd().try_clone_to_owned()).collect::<Result<_, _>>().map(Self)
    }

    /// Nanoseconds and runs of all programs since they were loaded; None unless the kernel counts (kernel.bpf_stats_enabled).
    pub fn read(&self) -> Option<(u64, u64)> {
        let enabled = std::fs::read_to_string("/proc/sys/kernel/bpf_stats_enabled").ok()?;
        if enabled.trim() != "1" {
            return None;
        }
        let (mut run_ns, mut runs) = (0, 0);
        for program in &self.0 {
            let mut info = bpf_prog_info::default();
            let mut length = size_of::<bpf_prog_info>() as u32;
            // SAFETY: the kernel writes at most `length` bytes of the struct; all of its pointers are null.
            if unsafe { bpf_prog_get_info_by_fd(program.as_raw_fd(), &mut info, &mut length) } == 0 {
                run_ns += info.run_time_ns;
                runs += info.run_cnt;
            }
        }
        Some((run_ns, runs))
    }
}
