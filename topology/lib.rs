//! What all crates know of CPUs and of threads on them, in one place and without input or output.
//!
//! - [`CpuSet`]: a set of the kernel's CPU numbers, of any size, with the kernel's texts: lists (`0-3,8`, `0-31:1/2`) and
//!   hexadecimal masks (`ff,ffffffff`).
//! - [`CpuBits`]: a set of the dense CPU indices of one machine, with a fixed capacity, for code that asks it per event.
//! - [`Topology`]: where the CPUs of a machine are (core, cache, node), and how far apart: [`Distance`].
//! - [`Tree`]: the machine as components of nodes, caches and cores.
//! - [`DomainMasks`], [`DomainRules`]: scheduling domains as the kernel's releases build them.
//! - [`task_state`]: states of threads as kernels, tracers and /proc write them, to the tables' codes.
//! - [`KernelRelease`]: the version in `uname -r`, by which such things differ.
//! - [`set_bits`]: the numbers of the bits in a row of words, which all of them share.
//!
//! Nothing here panics on bad input: a text that is not understood is a [`CpuSetError`] of one line.

#![warn(missing_docs)]

mod cpu;
mod cpu_bits;
mod cpu_set;
mod cpu_set_text;
mod domains;
mod kernel_release;
mod node_distances;
pub mod task_state;
mod topology;
mod tree;

pub use cpu::{Cpu, FULL_CAPACITY, LOCAL_DISTANCE, NumaNode, REMOTE_DISTANCE};
pub use cpu_bits::{CpuBits, CpuIndex, CpuIx};
pub use cpu_set::CpuSet;
pub use cpu_set_text::CpuSetError;
pub use domains::{BalancePartitions, DomainMasks, DomainRules, balance_intervals_ns, domain_groups, makes_domain};
pub use kernel_release::KernelRelease;
pub use topology::{CpuLocation, Topology, UNKNOWN_PART};
pub use tree::{Component, Level, Tree};
pub use wastenot_schemas::Distance;

/// Numbers of the bits that are set in a row of 64-bit words, lowest first: bit `i % 64` of word `i / 64` is number `i`.
#[inline]
pub fn set_bits(words: impl IntoIterator<Item = u64>) -> impl Iterator<Item = u32> {
    words.into_iter().enumerate().flat_map(|(at, word)| {
        std::iter::successors(Some(word), |rest| Some(rest & rest.wrapping_sub(1)))
            .take_while(|&rest| rest != 0)
            .map(move |rest| at as u32 * 64 + rest.trailing_zeros())
    })
}
