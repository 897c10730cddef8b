//! Bubbles: the model of declared ones, its record, and the tables derived from traces.

mod drawn;
mod model;
mod sequences;
mod simulated;
mod timeline;
mod whole;
