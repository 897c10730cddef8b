//! The matchers against brute force on small states, and against Kuhn's algorithm on large ones.

mod assignment;
mod distances;
mod large;
mod oracle;
mod scenarios;
mod small;
mod state;
