//! hwloc XML of version 2 (`lstopo --of xml`): a machine read from it and written to it.
//!
//! It carries the topology, distances, capacities and which CPUs are offline. hwloc cannot distinguish an offline CPU from one
//! that the exporting process was not allowed to use; both become offline here. Domains are not in it: they are derived.
//! What hwloc has no attribute for (tick, isolated CPUs, command line) travels as `info` elements whose names begin with
//! `Wastenot`, which hwloc keeps.
//!
//! Source: hwloc's hwloc2.dtd and its XML export (hwloc/topology-xml.c).

mod read;
mod write;
mod xml;

/// Names of our own `info` elements.
mod info {
    pub const POSSIBLE: &str = "WastenotPossible";
    pub const ISOLATED: &str = "WastenotIsolated";
    pub const NOHZ_FULL: &str = "WastenotNohzFull";
    pub const TICK_NS: &str = "WastenotTickNs";
    pub const COMMAND_LINE: &str = "WastenotCommandLine";
    /// hwloc's own: the Linux backend writes them.
    pub const ARCHITECTURE: &str = "Architecture";
    pub const HOST: &str = "HostName";
    pub const RELEASE: &str = "OSRelease";
    pub const MODEL: &str = "CPUModel";
    pub const CAPACITY: &str = "LinuxCapacity";
}
