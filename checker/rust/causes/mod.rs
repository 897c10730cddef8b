//! Why a core was wasted: how the thread came to wait there, why nobody moved it, what ended it, and how sure that is.
//!
//! The walk notes what may matter (`arrivals`, `witness`, `crossings`); when a time of waste is graded, `judge` gathers the
//! facts of each pair and asks the `rules`; `tally` adds up their answers over an episode. What the kernel decided is read
//! off its own words only: stacks of moves (`paths`), passes and the loads they saw (`verdicts`), domains (`domains`).

pub mod answers;
pub mod arrivals;
mod counts;
mod crossings;
mod departures;
pub mod domains;
mod judge;
pub mod kernels;
mod listed;
mod passes;
pub mod paths;
pub mod rules;
mod tally;
mod verdicts;
mod witness;

pub use arrivals::{Arrival, Came, Choice, How, Looked};
pub use crossings::Crossings;
pub use domains::{Domains, GROUPS_OF_EACH};
pub use judge::{Judge, Memory, Stood};
pub use listed::{Bound, Entry, Line, Listed, Said};
pub use paths::{Around, Path, Told};
pub use tally::{Cause, PAIRS, PairKey, Tally, cause};
pub use verdicts::of_loads;
pub use witness::{Choosing, Ending, Hop, Loads, Newidle, Open, Pass, Pending, Verdict, Witness, is_newly_idle};
