//! Why a core was wasted: evidence kept during the walk, and the rules that judge it.

pub mod paths;

pub use paths::{Around, Path, Told};
