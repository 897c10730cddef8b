//! Calls of MPI and OpenMP libraries in which a thread waits for others, probed in user space.

mod functions;
mod objects;
mod probes;
mod processes;

pub(crate) use probes::RegionProbes;
