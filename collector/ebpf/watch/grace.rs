//! Waiting until every BPF program that runs now has ended.

use std::time::Duration;

/// Longest that programs are assumed to run where the kernel cannot be asked.
const ASSUMED: Duration = Duration::from_millis(200);

/// Return after all programs that run at the call have ended: what they reserved in a ring is complete then. Programs run inside
/// read-side critical sections of RCU, and membarrier(MEMBARRIER_CMD_GLOBAL) is synchronize_rcu(). With nohz_full CPUs the kernel
/// refuses it; the wait is a fixed time then.
pub(crate) fn wait_for_programs() {
    const MEMBARRIER_CMD_GLOBAL: libc::c_int = 1;
    // SAFETY: a system call without pointers.
    if unsafe { libc::syscall(libc::SYS_membarrier, MEMBARRIER_CMD_GLOBAL, 0, 0) } != 0 {
        std::thread::sleep(ASSUMED);
    }
}
