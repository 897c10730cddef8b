//! Which functions are probed, and what a thread does in them.

use wastenot_schemas::RegionKind;

/// Argument that names the peer, where a function has none.
const NONE: u8 = 0;

/// The libraries that are asked for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Runtimes {
    pub openmp: bool,
    pub mpi: bool,
}

impl Runtimes {
    /// Which of them a file is, by its name.
    pub fn of_file(name: &str) -> Self {
        let is = |prefixes: &[&str]| prefixes.iter().any(|prefix| name.starts_with(prefix)) && name.contains(".so");
        let openmp = is(&["libgomp", "libomp", "libiomp5"]) && !name.starts_with("libompi");
        Self { openmp, mpi: is(&["libmpi.", "libmpi-", "libmpi_", "libmpich", "libpmpi"]) }
    }

    pub fn any(self) -> bool {
        self.openmp || self.mpi
    }

    pub fn and(self, other: Self) -> Self {
        Self { openmp: self.openmp && other.openmp, mpi: self.mpi && other.mpi }
    }
}

/// A function that is to be probed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Region {
    pub kind: RegionKind,
    /// Place of the argument that names the peer, from 1; 0 none. Those that a program can read: 1, 4, 6.
    pub peer: u8,
}

/// Exported by libgomp and libomp, but for those of `gomp_` and `__kmp_fork_barrier`, which need a table of all symbols. Locks are left out: they are
/// taken too often for a probe.
const OPENMP: &[(RegionKind, &[&str])] = &[
    (
        RegionKind::Barrier,
        &[
            "GOMP_barrier",
            "GOMP_barrier_cancel",
            "GOMP_loop_end",
            "GOMP_loop_end_cancel",
            "GOMP_sections_end",
            "GOMP_sections_end_cancel",
            "GOMP_single_copy_start",
            "GOMP_taskwait",
            "GOMP_taskgroup_end",
            "GOMP_parallel_end",
            "gomp_barrier_wait",
            "gomp_team_barrier_wait",
            "gomp_team_barrier_wait_end",
            "gomp_team_barrier_wait_final",
            "__kmpc_barrier",
            "__kmpc_barrier_master",
            "__kmpc_cancel_barrier",
            "__kmpc_omp_taskwait",
            "__kmpc_end_taskgroup",
            "__kmpc_reduce",
            "__kmp_fork_barrier",
            "__kmp_join_barrier",
        ],
    ),
    (
        RegionKind::Parallel,
        &[
            "GOMP_parallel",
            "GOMP_parallel_reductions",
            "GOMP_parallel_sections",
            "GOMP_parallel_loop_static",
            "GOMP_parallel_loop_dynamic",
            "GOMP_parallel_loop_guided",
            "GOMP_parallel_loop_runtime",
            "GOMP_parallel_loop_nonmonotonic_dynamic",
            "GOMP_parallel_loop_nonmonotonic_guided",
            "GOMP_parallel_loop_nonmonotonic_runtime",
            "GOMP_parallel_loop_maybe_nonmonotonic_runtime",
            "__kmpc_fork_call",
        ],
    ),
    (RegionKind::Work, &["__kmp_invoke_microtask"]),
];

/// Profiling names of MPI, under which every implementation has its functions, and the place of the peer.
const MPI: &[(RegionKind, u8, &[&str])] = &[
    (RegionKind::Wait, NONE, &["PMPI_Wait", "PMPI_Waitall", "PMPI_Waitany", "PMPI_Waitsome"]),
    (RegionKind::Receive, 4, &["PMPI_Recv", "PMPI_Sendrecv", "PMPI_Sendrecv_replace"]),
    (RegionKind::Receive, NONE, &["PMPI_Mrecv"]),
    (RegionKind::Send, 4, &["PMPI_Send", "PMPI_Ssend", "PMPI_Rsend"]),
    (RegionKind::Probe, 1, &["PMPI_Probe", "PMPI_Mprobe"]),
    (RegionKind::Collective, 4, &["PMPI_Bcast"]),
    (RegionKind::Collective, 6, &["PMPI_Reduce"]),
    (
        RegionKind::Collective,
        NONE,
        &[
            "PMPI_Barrier",
            "PMPI_Allreduce",
            "PMPI_Alltoall",
            "PMPI_Alltoallv",
            "PMPI_Alltoallw",
            "PMPI_Gather",
            "PMPI_Gatherv",
            "PMPI_Allgather",
            "PMPI_Allgatherv",
            "PMPI_Scatter",
            "PMPI_Scatterv",
            "PMPI_Reduce_scatter",
            "PMPI_Reduce_scatter_block",
            "PMPI_Scan",
            "PMPI_Exscan",
        ],
    ),
    (RegionKind::Startup, NONE, &["PMPI_Init", "PMPI_Init_thread", "PMPI_Finalize"]),
];

/// What a thread does in the function of that name; None where it is not probed. A symbol may have a version behind `@`.
pub(super) fn region(symbol: &str, wanted: Runtimes) -> Option<Region> {
    let name = symbol.split('@').next().unwrap_or(symbol);
    if wanted.openmp {
        if is_body(name) {
            return Some(Region { kind: RegionKind::Work, peer: NONE });
        }
        if let Some((kind, _)) = OPENMP.iter().find(|(_, names)| names.contains(&name)) {
            return Some(Region { kind: *kind, peer: NONE });
        }
    }
    if wanted.mpi && name.starts_with("PMPI_") {
        let (kind, peer, _) = MPI.iter().find(|(_, _, names)| names.contains(&name))?;
        return Some(Region { kind: *kind, peer: *peer });
    }
    None
}

/// The body of a parallel region or task, which GCC makes a function `main._omp_fn.0`; not its parts (`.cold`, `.part.0`).
fn is_body(name: &str) -> bool {
    name.contains("._omp_fn.") && !name.contains(".cold") && !name.contains(".part.")
}

#[cfg(test)]
mod tests {
    use super::*;

    const BOTH: Runtimes = Runtimes { openmp: true, mpi: true };

    fn kind(symbol: &str) -> Option<RegionKind> {
        region(symbol, BOTH).map(|region| region.kind)
    }

    #[test]
    fn functions_are_known_by_name_with_and_without_a_version() {
        assert_eq!(kind("GOMP_barrier@@GOMP_1.0"), Some(RegionKind::Barrier));
        assert_eq!(kind("__kmpc_fork_call"), Some(RegionKind::Parallel));
        assert_eq!(kind("main._omp_fn.0"), Some(RegionKind::Work));
        assert_eq!(kind("solve_._omp_fn.12.constprop.0"), Some(RegionKind::Work));
        assert_eq!(kind("main._omp_fn.0.cold"), None);
        assert_eq!(region("PMPI_Recv", BOTH), Some(Region { kind: RegionKind::Receive, peer: 4 }));
        assert_eq!(kind("MPI_Recv"), None, "it is PMPI_Recv under another name, or a tool's");
        assert_eq!(kind("PMPI_Comm_rank"), None);
    }

    #[test]
    fn only_what_is_asked_for_is_probed() {
        assert_eq!(region("GOMP_barrier", Runtimes { openmp: false, mpi: true }), None);
        assert_eq!(region("PMPI_Recv", Runtimes { openmp: true, mpi: false }), None);
    }

    #[test]
    fn libraries_are_known_by_the_name_of_their_file() {
        let (openmp, mpi) = (Runtimes { openmp: true, mpi: false }, Runtimes { openmp: false, mpi: true });
        for name in ["libgomp.so.1.0.0", "libgomp-a34b3233.so.1.0.0", "libomp.so.5", "libiomp5.so"] {
            assert_eq!(Runtimes::of_file(name), openmp, "{name}");
        }
        for name in ["libmpi.so.40.30.4", "libmpi_mpifh.so.40", "libmpich.so.12", "libpmpi.so"] {
            assert_eq!(Runtimes::of_file(name), mpi, "{name}");
        }
        for name in ["libompitrace.so.40", "libc.so.6", "libgomp.txt", "libmpifr.so"] {
            assert_eq!(Runtimes::of_file(name), Runtimes::default(), "{name}");
        }
    }
}
