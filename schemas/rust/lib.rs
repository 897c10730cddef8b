//! The vocabulary of a trace for Rust: one module per table with its Arrow schema, a row, a builder and a view.
//!
//! Generated from the declarations in `schemas/tables`; this file and `support.rs` are the only ones written by hand.

#[rustfmt::skip]
#[allow(clippy::all, dead_code, missing_docs, unused_imports)]
mod generated;
mod support;

pub use generated::*;
pub use support::SchemaMismatch;

/// Version of the tables, stored in every trace. `schemas/CHANGES.md` tells what each version changed.
pub const SCHEMA_VERSION: i32 = 2;

/// How a note of `trace.degraded` begins where an L2 or L3 trace does not hold every pass of the balancer.
pub const PASSES: &str = "passes of the load balancer";
