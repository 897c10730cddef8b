//! Building blocks of the workloads: work by the CPU clock, random numbers by the seed, processes, masks, shared counters.

use std::io;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::time::Duration;

/// Memory that all processes of a run share.
pub struct Shared(*mut Counters);

#[repr(C)]
struct Counters {
    stop: AtomicBool,
    work: AtomicU64,
}

// The page holds atomics only and lives as long as `Shared`.
unsafe impl Sync for Shared {}

impl Shared {
    /// A fresh page, all zero.
    pub fn new() -> io::Result<Self> {
        let flags = libc::MAP_SHARED | libc::MAP_ANONYMOUS;
        let size = size_of::<Counters>();
        let page = unsafe { libc::mmap(std::ptr::null_mut(), size, libc::PROT_READ | libc::PROT_WRITE, flags, -1, 0) };
        if page == libc::MAP_FAILED { Err(io::Error::last_os_error()) } else { Ok(Self(page.cast())) }
    }

    fn counters(&self) -> &Counters {
        unsafe { &*self.0 }
    }

    /// Let no new work start.
    pub fn stop(&self) {
        self.counters().stop.store(true, Relaxed);
    }

    /// Whether `stop` was called.
    pub fn stopped(&self) -> bool {
        self.counters().stop.load(Relaxed)
    }

    /// Count a finished unit of work.
    pub fn count_unit(&self) {
        self.counters().work.fetch_add(1, Relaxed);
    }

    /// Units of work done.
    pub fn work(&self) -> u64 {
        self.counters().work.load(Relaxed)
    }
}

impl Drop for Shared {
    fn drop(&mut self) {
        unsafe { libc::munmap(self.0.cast(), size_of::<Counters>()) };
    }
}

/// Compute for `time` of this thread's own CPU time, however long that takes.
pub fn burn(time: Duration) {
    let end = thread_time() + time;
    while thread_time() < end {
        spin_a_little();
    }
}

/// Compute for some microseconds, protected from the optimizer.
pub fn spin_a_little() {
    let mut x = 1u64;
    for i in 0..2_000u64 {
        x = std::hint::black_box(x.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(i));
    }
}

fn thread_time() -> Duration {
    let mut t = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &raw mut t) };
    Duration::new(t.tv_sec.cast_unsigned(), u32::try_from(t.tv_nsec).unwrap_or(0))
}

/// Random numbers: splitmix64 (Steele, Lea, Flood 2014), a stream per worker.
#[derive(Clone)]
pub struct Random(u64);

impl Random {
    /// The stream of worker `number` under `seed`.
    pub fn new(seed: u64, number: usize) -> Self {
        let mut random = Self(seed ^ (number as u64).wrapping_mul(0xd134_2543_de82_ef95));
        random.next();
        random
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number of `low..=high`.
    pub fn between(&mut self, low: u64, high: u64) -> u64 {
        low + self.next() % (high - low + 1)
    }

    /// A time of `low..=high` microseconds.
    pub fn micros(&mut self, low: u64, high: u64) -> Duration {
        Duration::from_micros(self.between(low, high))
    }
}

/// Fork a child that has `name`, does `work`, ends with its status, and dies with its parent.
pub fn fork(name: &str, work: impl FnOnce() -> i32) -> io::Result<libc::pid_t> {
    let parent = unsafe { libc::getpid() };
    let pid = retry_on_eintr(|| unsafe { libc::fork() })?;
    if pid != 0 {
        return Ok(pid);
    }
    let name = std::ffi::CString::new(name).unwrap_or_default();
    unsafe {
        libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL);
        libc::prctl(libc::PR_SET_NAME, name.as_ptr());
        if libc::getppid() != parent {
            libc::_exit(1); // the parent died before the call above
        }
    }
    let status = std::panic::catch_unwind(std::panic::AssertUnwindSafe(work)).unwrap_or(101);
    unsafe { libc::_exit(status) }
}

/// Wait for one child of this process, whichever ends first.
pub fn wait_any() -> io::Result<libc::pid_t> {
    retry_on_eintr(|| unsafe { libc::wait(std::ptr::null_mut()) })
}

/// Names a file to which [`reap`] appends a line for each child: its number, and for how long it waited by the kernel's own sum (ns).
pub const RUN_DELAYS: &str = "WASTENOT_RUN_DELAYS";

/// Kill and wait for children.
pub fn reap(children: &[libc::pid_t]) {
    for &pid in children {
        unsafe { libc::kill(pid, libc::SIGKILL) };
    }
    if let Some(file) = std::env::var_os(RUN_DELAYS) {
        let lines: String = children.iter().filter_map(|&pid| Some(format!("{pid} {}\n", run_delay(pid)?))).collect();
        let opened = std::fs::OpenOptions::new().create(true).append(true).open(file);
        let _ = opened.and_then(|mut file| std::io::Write::write_all(&mut file, lines.as_bytes()));
    }
    while wait_any().is_ok() {}
}

/// The `run_delay` of a child that ends (ns), once it has: /proc/PID/schedstat of a process that was not waited for yet.
fn run_delay(pid: libc::pid_t) -> Option<u64> {
    let ended = || unsafe {
        let mut info: libc::siginfo_t = std::mem::zeroed();
        libc::waitid(libc::P_PID, pid.cast_unsigned(), &raw mut info, libc::WEXITED | libc::WNOWAIT)
    };
    retry_on_eintr(ended).ok()?;
    let text = std::fs::read_to_string(format!("/proc/{pid}/schedstat")).ok()?;
    text.split_whitespace().nth(1)?.parse().ok()
}

/// The result of a system call, called again after EINTR; -1 becomes the error.
pub fn retry_on_eintr(mut call: impl FnMut() -> libc::c_int) -> io::Result<libc::c_int> {
    loop {
        let result = call();
        if result != -1 {
            return Ok(result);
        }
        let error = io::Error::last_os_error();
        if error.kind() != io::ErrorKind::Interrupted {
            return Err(error);
        }
    }
}

/// Sleep, at most some milliseconds longer than until the stop.
pub fn sleep_unless_stopped(shared: &Shared, time: Duration) {
    let end = std::time::Instant::now() + time;
    while !shared.stopped() {
        let left = end.saturating_duration_since(std::time::Instant::now());
        if left.is_zero() {
            return;
        }
        std::thread::sleep(left.min(Duration::from_millis(20)));
    }
}

/// A mask of CPUs in the kernel's layout; as long as 8,192 CPUs need.
type Mask = [u64; 128];

/// CPUs that this process may use, ascending.
pub fn allowed_cpus() -> io::Result<Vec<usize>> {
    let mut mask: Mask = [0; 128];
    let size = size_of::<Mask>();
    if unsafe { libc::sched_getaffinity(0, size, mask.as_mut_ptr().cast()) } < 0 {
        return Err(io::Error::last_os_error());
    }
    Ok((0..128 * 64).filter(|cpu| mask[cpu / 64] >> (cpu % 64) & 1 != 0).collect())
}

/// Allow `pid` (0: the caller) to use `cpus` only.
pub fn pin(pid: libc::pid_t, cpus: &[usize]) -> io::Result<()> {
    let mut mask: Mask = [0; 128];
    for &cpu in cpus {
        mask[cpu / 64] |= 1 << (cpu % 64);
    }
    let done = unsafe { libc::sched_setaffinity(pid, size_of::<Mask>(), mask.as_ptr().cast()) };
    if done < 0 { Err(io::Error::last_os_error()) } else { Ok(()) }
}
