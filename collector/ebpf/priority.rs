//! The priority of the thread that empties the rings.

/// Raise this thread's priority: a fully loaded machine must not keep the consumer, a hundredth of a CPU, from emptying
/// the rings.
pub(crate) fn raise() {
    // SAFETY: plain calls on the calling thread; a refusal leaves its scheduling as it is.
    unsafe {
        let lowest_of_real_time = libc::sched_param { sched_priority: 1 };
        if libc::sched_setscheduler(0, libc::SCHED_RR | libc::SCHED_RESET_ON_FORK, &lowest_of_real_time) != 0 {
            let tid = libc::syscall(libc::SYS_gettid) as libc::id_t;
            libc::setpriority(libc::PRIO_PROCESS, tid, -20);
        }
    }
}

/// Back to the ordinary priority.
pub(crate) fn lower() {
    // SAFETY: plain calls on the calling thread; a refusal leaves its scheduling as it is.
    unsafe {
        let ordinary = libc::sched_param { sched_priority: 0 };
        libc::sched_setscheduler(0, libc::SCHED_OTHER, &ordinary);
        let tid = libc::syscall(libc::SYS_gettid) as libc::id_t;
        libc::setpriority(libc::PRIO_PROCESS, tid, 0);
    }
}
