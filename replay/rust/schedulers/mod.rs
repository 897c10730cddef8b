//! Small schedulers: examples of the hooks, and baselines.

pub mod bubbles;
mod shared_fifo;
mod stealing;

pub use shared_fifo::SharedFifo;
pub use stealing::{Queues, Stealing};
