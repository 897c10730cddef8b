//! Settings of a run, and its errors.

use std::fmt;
use std::time::Duration;

/// Most threads or processes at once; with more a workload would measure the limits of the machine.
pub const MOST_THREADS: usize = 4_096;

/// How a workload is to run.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Seed of all amounts and choices.
    pub seed: u64,
    /// How long new work is started.
    pub length: Duration,
    /// Threads, or processes at once; None: the workload's default for the number of CPUs.
    pub threads: Option<usize>,
    /// CPUs that this process may use, ascending.
    pub cpus: Vec<usize>,
}

impl Settings {
    /// Settings on the CPUs that this process may use.
    ///
    /// # Errors
    /// Those of `check`, and `System` where the kernel does not return the mask.
    pub fn new(seed: u64, seconds: f64, threads: Option<usize>) -> Result<Self, Error> {
        if !(0.05..=86_400.0).contains(&seconds) {
            return Err(Error::Seconds(seconds));
        }
        if threads.is_some_and(|n| !(1..=MOST_THREADS).contains(&n)) {
            return Err(Error::Threads(threads.unwrap_or(0)));
        }
        let cpus = crate::work::allowed_cpus().map_err(Error::System)?;
        Ok(Self { seed, length: Duration::from_secs_f64(seconds), threads, cpus })
    }
}

/// One line: what is wrong and what to do.
#[derive(Debug)]
pub enum Error {
    /// No workload has this name.
    Name(String),
    /// The length is out of range.
    Seconds(f64),
    /// The number of threads is out of range.
    Threads(usize),
    /// A system call failed.
    System(std::io::Error),
    /// The leader failed: exit status, or minus the signal.
    Leader(i32),
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Name(name) => {
                let names: Vec<&str> = crate::WORKLOADS.iter().map(|w| w.name).collect();
                write!(f, "unknown workload {name}; one of {}", names.join(", "))
            }
            Self::Seconds(s) => write!(f, "--seconds {s}: between 0.05 and 86400"),
            Self::Threads(n) => write!(f, "--threads {n}: between 1 and {MOST_THREADS}"),
            Self::System(e) => write!(f, "the workload could not run: {e}"),
            Self::Leader(status) if *status < 0 => write!(f, "the workload was killed by signal {}", -status),
            Self::Leader(_) => write!(f, "the workload could not start all of its threads; try fewer with --threads"),
        }
    }
}

impl std::error::Error for Error {}
