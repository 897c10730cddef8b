//! What states and events mean.
//!
//! Traces of Extrae have the states and types of events that Paraver names by default (Extrae: User guide, Paraver
//! configuration files); exports of ours have states of the scheduler, which their `.pcf` names.

use crate::names::Names;
use memchr::memmem::Finder;
use std::collections::HashMap;
use std::fs::File;
use std::io::{Read, Result};
use std::path::Path;
use wastenot_import::parallel::kind_of_mpi;
use wastenot_schemas::RegionKind;

/// Type of an event of ours: the value is the place of the thread that woke this one, from 1.
pub const WOKEN_BY: u64 = 90_000_002;

const MPI_POINT_TO_POINT: u64 = 50_000_001;
const MPI_COLLECTIVE: u64 = 50_000_002;
const MPI_OTHER: u64 = 50_000_003;
const OMP_PARALLEL: u64 = 60_000_001;
const OMP_BARRIER: u64 = 60_000_005;
const OMP_WORK: u64 = 60_000_018;

/// What an export of ours calls its states.
const OF_SCHEDULER: [(&str, Scheduled); 8] = [
    ("Running", Scheduled::Running),
    ("Waiting (asleep)", Scheduled::Asleep),
    ("Preempted", Scheduled::Preempted),
    ("Queued after a wakeup", Scheduled::Queued),
    ("Without quota", Scheduled::Throttled),
    ("Blocked (I/O)", Scheduled::Blocked),
    ("Interrupted", Scheduled::Interrupted),
    ("Other", Scheduled::Other),
];

/// What the scheduler does with a thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scheduled {
    Running,
    /// It runs, and its CPU does interrupt work.
    Interrupted,
    Queued,
    Preempted,
    Throttled,
    Asleep,
    Blocked,
    Other,
}

/// What a state means.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StateMeaning {
    /// One of the scheduler's.
    Scheduled(Scheduled),
    /// The thread computes.
    Computes,
    /// It does nothing (idle, not created).
    Sleeps,
    /// Input or output.
    Blocks,
    /// It is in a region that waits, under this name.
    Region(RegionKind, String),
}

/// Which calls the events of a trace show.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CallEvents {
    pub mpi: bool,
    pub openmp: bool,
}

/// Whether the trace has events of calls: a scan of the whole file, at the speed of the disk.
pub fn call_events(path: &Path) -> Result<CallEvents> {
    const OVERLAP: usize = 16;
    let mpi = [MPI_POINT_TO_POINT, MPI_COLLECTIVE].map(|t| format!(":{t}:"));
    let openmp = [OMP_PARALLEL, OMP_BARRIER, OMP_WORK].map(|t| format!(":{t}:"));
    let mpi = mpi.each_ref().map(Finder::new);
    let openmp = openmp.each_ref().map(Finder::new);
    let mut file = File::open(path)?;
    let mut found = CallEvents::default();
    let mut buffer = vec![0; 1 << 20];
    let mut kept = 0;
    loop {
        let read = file.read(&mut buffer[kept..])?;
        let part = &buffer[..kept + read];
        found.mpi |= mpi.iter().any(|finder| finder.find(part).is_some());
        found.openmp |= openmp.iter().any(|finder| finder.find(part).is_some());
        if read == 0 || (found.mpi && found.openmp) {
            return Ok(found);
        }
        let from = part.len().saturating_sub(OVERLAP);
        kept = part.len() - from;
        buffer.copy_within(from..from + kept, 0);
    }
}

/// What the numbers of one trace mean.
#[derive(Clone, Debug)]
pub struct Meanings {
    states: HashMap<u32, StateMeaning>,
    values: HashMap<(u64, i64), String>,
    of_scheduler: bool,
}

impl Meanings {
    /// By the names beside the trace, and by what its events show: calls of MPI are taken from events where there are some,
    /// and from states where not.
    pub fn new(names: &Names, events: CallEvents) -> Self {
        let has = |name: &str| names.states.values().any(|of| of == name);
        let of_scheduler = has("Queued after a wakeup") && has("Waiting (asleep)");
        let states = match of_scheduler {
            true => names.states.iter().map(|(n, name)| (*n, StateMeaning::Scheduled(scheduled(name)))).collect(),
            false => (0..64).map(|n| (n, of_paraver(n, names.states.get(&n).map(String::as_str), events))).collect(),
        };
        Self { states, values: names.values.clone(), of_scheduler }
    }

    /// The states are those of the scheduler: an export of ours.
    pub fn is_of_scheduler(&self) -> bool {
        self.of_scheduler
    }

    /// What a state means.
    pub fn state(&self, state: u32) -> &StateMeaning {
        const OTHER: StateMeaning = StateMeaning::Scheduled(Scheduled::Other);
        self.states.get(&state).unwrap_or(if self.of_scheduler { &OTHER } else { &StateMeaning::Computes })
    }

    /// What an event that enters something enters, and its name; None where it is not a call that waits.
    pub fn enters(&self, of: u64, value: i64) -> Option<(RegionKind, String)> {
        let named = self.values.get(&(of, value));
        let name = || named.cloned().unwrap_or_else(|| format!("{} {value}", class_of(of)));
        let by_name = |else_: RegionKind| match named {
            Some(name) => kind_of_mpi(name).map(|kind| (kind, name.clone())),
            None => Some((else_, format!("{} {value}", class_of(of)))),
        };
        match of {
            MPI_POINT_TO_POINT => by_name(RegionKind::Receive),
            MPI_COLLECTIVE => by_name(RegionKind::Collective),
            MPI_OTHER => named.and_then(|name| kind_of_mpi(name).map(|kind| (kind, name.clone()))),
            OMP_PARALLEL => Some((RegionKind::Parallel, name())),
            OMP_BARRIER => Some((RegionKind::Barrier, name())),
            OMP_WORK => Some((RegionKind::Work, name())),
            _ => None,
        }
    }

    /// Events of this type enter and leave regions.
    pub fn is_call(of: u64) -> bool {
        matches!(of, MPI_POINT_TO_POINT | MPI_COLLECTIVE | MPI_OTHER | OMP_PARALLEL | OMP_BARRIER | OMP_WORK)
    }
}

fn class_of(of: u64) -> &'static str {
    match of {
        MPI_POINT_TO_POINT => "MPI point-to-point",
        MPI_COLLECTIVE => "MPI collective",
        OMP_PARALLEL => "OpenMP parallel",
        OMP_BARRIER => "OpenMP barrier",
        _ => "OpenMP function",
    }
}

fn scheduled(name: &str) -> Scheduled {
    OF_SCHEDULER.iter().find(|(of, _)| *of == name).map_or(Scheduled::Other, |(_, meaning)| *meaning)
}

/// Paraver's own states. Those in which a thread waits in a call count where no event shows the call.
fn of_paraver(state: u32, name: Option<&str>, events: CallEvents) -> StateMeaning {
    let region = |kind, default: &str| StateMeaning::Region(kind, name.unwrap_or(default).to_owned());
    let shown = match state {
        3 | 4 | 6 | 8..=11 | 13 | 16 => events.mpi,
        5 => events.mpi || events.openmp,
        7 => events.openmp,
        _ => false,
    };
    match state {
        _ if shown => StateMeaning::Computes,
        0 | 2 => StateMeaning::Sleeps,
        3 => region(RegionKind::Receive, "Waiting a message"),
        4 => region(RegionKind::Send, "Blocking Send"),
        5 => region(RegionKind::Barrier, "Synchronization"),
        6 => region(RegionKind::Probe, "Test/Probe"),
        7 => region(RegionKind::Barrier, "Scheduling and Fork/Join"),
        8 => region(RegionKind::Wait, "Wait/WaitAll"),
        9 => region(RegionKind::Wait, "Blocked"),
        10 => region(RegionKind::Send, "Immediate Send"),
        11 => region(RegionKind::Receive, "Immediate Receive"),
        12 => StateMeaning::Blocks,
        13 => region(RegionKind::Collective, "Group Communication"),
        16 => region(RegionKind::Receive, "Send Receive"),
        _ => StateMeaning::Computes,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_that_events_show_are_not_taken_from_states_as_well() {
        let of = |mpi| Meanings::new(&Names::default(), CallEvents { mpi, openmp: false });
        assert_eq!(*of(true).state(13), StateMeaning::Computes);
        assert_eq!(*of(false).state(13), StateMeaning::Region(RegionKind::Collective, "Group Communication".into()));
        assert_eq!(*of(true).state(7), StateMeaning::Region(RegionKind::Barrier, "Scheduling and Fork/Join".into()));
    }

    #[test]
    fn functions_of_mpi_that_do_not_wait_are_not_entered() {
        let names = Names::parse("EVENT_TYPE\n9 50000003 MPI Other\nVALUES\n19 MPI_Comm_rank\n31 MPI_Init\n0 End\n");
        let meanings = Meanings::new(&names, CallEvents::default());
        assert_eq!(meanings.enters(MPI_OTHER, 19), None);
        assert_eq!(meanings.enters(MPI_OTHER, 31), Some((RegionKind::Startup, "MPI_Init".into())));
        assert_eq!(meanings.enters(MPI_COLLECTIVE, 8), Some((RegionKind::Collective, "MPI collective 8".into())));
    }

    #[test]
    fn events_are_found_across_pieces_of_a_large_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.prv");
        for at in (1 << 20) - 12..(1 << 20) + 2 {
            let mut text = vec![b'1'; at];
            text.extend(*b":50000002:8\n");
            std::fs::write(&path, &text).unwrap();
            assert_eq!(call_events(&path).unwrap(), CallEvents { mpi: true, openmp: false }, "{at}");
        }
    }
}
