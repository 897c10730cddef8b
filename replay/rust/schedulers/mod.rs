//! Small schedulers: examples of the hooks, and baselines.

pub mod bubbles;
mod round_robin;
mod shared_fifo;
mod stealing;

pub use round_robin::RoundRobin;
pub use shared_fifo::SharedFifo;
pub use stealing::{Queues, Stealing};
