//! A child process in which a library reads damaged input, and the pipe through which it sends what it reads.
//!
//! A library may end the process (assertions), need any amount of memory, or never return. A forked child takes that upon
//! itself; besides, reading and translating share two CPUs.

use std::fs::File;
use std::io::{self, Read};
use std::os::fd::{AsRawFd, FromRawFd};
use std::ptr::null_mut;
use std::sync::Mutex;
use std::time::Duration;

/// Bytes in flight.
const PIPE: i32 = 1 << 20;

/// A child that reads; it ends with its owner.
pub struct ReadingChild {
    pid: libc::pid_t,
    pipe: File,
}

/// What the pipe brought.
pub enum PipeRead {
    /// So many bytes.
    Bytes(usize),
    /// Nothing within the time.
    Silent,
    /// The child has ended.
    Closed,
}

impl ReadingChild {
    /// Run `read` in a child, which may allocate `memory` bytes beyond what this process has, and writes to the pipe.
    /// The libraries that it calls have to be loaded.
    pub fn spawn(memory: u64, read: impl FnOnce(File) -> io::Result<()>) -> io::Result<Self> {
        // A child that another thread forks meanwhile would keep the pipe open.
        static ONE: Mutex<()> = Mutex::new(());
        let _one = ONE.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        let limit = data_bytes().saturating_add(memory);
        let mut ends = [0; 2];
        // SAFETY: plain system calls; both descriptors are owned by the files made of them.
        let (reader, writer) = unsafe {
            if libc::pipe2(ends.as_mut_ptr(), libc::O_CLOEXEC) != 0 {
                return Err(io::Error::last_os_error());
            }
            libc::fcntl(ends[0], libc::F_SETPIPE_SZ, PIPE); // more is faster, less will do
            (File::from_raw_fd(ends[0]), File::from_raw_fd(ends[1]))
        };
        // SAFETY: the child has this one thread; it calls nothing that waits for another: glibc makes its allocator usable after a
        // fork, the libraries are loaded. It never returns.
        match unsafe { libc::fork() } {
            -1 => Err(io::Error::last_os_error()),
            0 => {
                drop(reader);
                confine(limit);
                let run = || read(writer);
                let done = std::panic::catch_unwind(std::panic::AssertUnwindSafe(run));
                // SAFETY: without the exit handlers, which belong to the parent.
                unsafe { libc::_exit(if matches!(done, Ok(Ok(()))) { 0 } else { 1 }) }
            }
            pid => Ok(Self { pid, pipe: reader }),
        }
    }

    /// The next bytes, waiting for them no longer than `patience`.
    pub fn read(&mut self, into: &mut [u8], patience: Duration) -> io::Result<PipeRead> {
        let mut poll = libc::pollfd { fd: self.pipe.as_raw_fd(), events: libc::POLLIN, revents: 0 };
        let patience = i32::try_from(patience.as_millis()).unwrap_or(i32::MAX);
        // SAFETY: one descriptor, which is ours.
        match unsafe { libc::poll(&mut poll, 1, patience) } {
            -1 if io::Error::last_os_error().kind() == io::ErrorKind::Interrupted => Ok(PipeRead::Bytes(0)),
            -1 => Err(io::Error::last_os_error()),
            0 => Ok(PipeRead::Silent),
            _ => match self.pipe.read(into) {
                Ok(0) => Ok(PipeRead::Closed),
                Ok(count) => Ok(PipeRead::Bytes(count)),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => Ok(PipeRead::Bytes(0)),
                Err(error) => Err(error),
            },
        }
    }
}

impl Drop for ReadingChild {
    fn drop(&mut self) {
        // SAFETY: the process is our child and has not been waited for.
        unsafe {
            libc::kill(self.pid, libc::SIGKILL);
            while libc::waitpid(self.pid, null_mut(), 0) == -1
                && io::Error::last_os_error().kind() == io::ErrorKind::Interrupted
            {}
        }
    }
}

/// In the child: it dies with its parent, writes nothing where the user looks, and gets so much memory and no more.
fn confine(data_bytes: u64) {
    // SAFETY: plain system calls.
    unsafe {
        libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL);
        libc::signal(libc::SIGINT, libc::SIG_IGN); // meant for the parent, which ends the child
        libc::signal(libc::SIGPIPE, libc::SIG_IGN);
        for signal in [libc::SIGABRT, libc::SIGTRAP, libc::SIGSEGV, libc::SIGBUS, libc::SIGFPE] {
            libc::signal(signal, libc::SIG_DFL); // the parent's handlers would print a stack
        }
        let null = libc::open(c"/dev/null".as_ptr(), libc::O_WRONLY);
        libc::dup2(null, libc::STDERR_FILENO);
        libc::dup2(null, libc::STDOUT_FILENO);
        let core = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
        libc::setrlimit(libc::RLIMIT_CORE, &core);
        let mut data: libc::rlimit = std::mem::zeroed();
        libc::getrlimit(libc::RLIMIT_DATA, &mut data);
        data.rlim_cur = data.rlim_cur.min(data_bytes);
        libc::setrlimit(libc::RLIMIT_DATA, &data);
    }
}

/// Private memory of this process.
fn data_bytes() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmData:"));
    line.and_then(|line| line.trim().trim_end_matches("kB").trim().parse::<u64>().ok()).unwrap_or(0) << 10
}
