//! Maximum matching between idle CPUs and waiting threads, kept up to date event by event.
//!
//! This is the arithmetic under the invariant: how many CPUs that idle could run a thread that waits. Waiters with the
//! same allowed CPUs form a *class* ([`ClassId`]); the matching is a flow between classes and idle CPUs that is
//! maximum again after every call, at the price of at most one augmenting search over the classes that have waiters.
//!
//! - [`Matcher`] knows only the size of the matching (one per level of the excuse ledger).
//! - [`CanonicalMatcher`] also knows *which* waiters are matched: those that a greedy pass in order of longest current
//!   wait (ties: lowest utid) would take, keeping the set matchable. It reports every change of a waiter as a
//!   [`Flip`], and [`CanonicalMatcher::assign`] returns which waiter gets which CPU.
//!
//! All answers depend on the present state only, never on the order of calls that led to it. CPUs are dense indices
//! `0..n_cpus`, not kernel CPU numbers. After warm-up no call allocates. Nothing here depends on events, time or tables.

mod assign;
mod canonical;
mod distances;
mod flow;
mod matcher;
mod queue;
mod words;

#[cfg(test)]
mod tests;

pub use canonical::{CanonicalMatcher, Flip, Pairing, Waiter};
pub use distances::Distances;
pub use matcher::Matcher;

/// Most CPUs a matcher can hold; more than any Linux build allows (`NR_CPUS` is at most 8,192).
pub const MAX_CPUS: usize = 65_536;

/// A set of waiters with the same allowed CPUs, as registered with `add_class` of one matcher.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ClassId(pub u32);

/// Builds an enum over the supported widths of a type `$core<W>` (W = 64-bit words per CPU set) and the macro that
/// calls through it, so that small machines pay for one or two words and large ones for what they need.
macro_rules! widths {
    ($name:ident, $core:ident, $call:ident) => {
        enum $name {
            W1(Box<$core<1>>),
            W2(Box<$core<2>>),
            W4(Box<$core<4>>),
            W16(Box<$core<16>>),
            W64(Box<$core<64>>),
            W1024(Box<$core<1024>>),
        }

        impl $name {
            fn new(n_cpus: usize) -> Self {
                assert!(n_cpus <= super::MAX_CPUS, "{n_cpus} CPUs: a matcher holds at most {}", super::MAX_CPUS);
                match n_cpus.div_ceil(64) {
                    0..=1 => Self::W1(Box::new($core::new(n_cpus))),
                    2 => Self::W2(Box::new($core::new(n_cpus))),
                    3..=4 => Self::W4(Box::new($core::new(n_cpus))),
                    5..=16 => Self::W16(Box::new($core::new(n_cpus))),
                    17..=64 => Self::W64(Box::new($core::new(n_cpus))),
                    _ => Self::W1024(Box::new($core::new(n_cpus))),
                }
            }
        }

        macro_rules! $call {
            ($it:expr, $core_name:ident => $body:expr) => {
                match $it {
                    $name::W1($core_name) => $body,
                    $name::W2($core_name) => $body,
                    $name::W4($core_name) => $body,
                    $name::W16($core_name) => $body,
                    $name::W64($core_name) => $body,
                    $name::W1024($core_name) => $body,
                }
            };
        }
    };
}
use widths;
