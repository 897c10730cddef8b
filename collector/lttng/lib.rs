//! Drives LTTng to record. `wastenot_ctf` reads what it writes.

#![warn(missing_docs)]

pub mod session;
