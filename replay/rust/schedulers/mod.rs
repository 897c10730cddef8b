//! Small schedulers: examples of the hooks, and baselines.

mod shared_fifo;

pub use shared_fifo::SharedFifo;
