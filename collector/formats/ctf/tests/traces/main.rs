//! Real traces, synthetic ones and damaged ones through the whole reader.

mod checked;
mod ctf;
mod damage;
mod fixtures;
mod imported;
mod live;
mod synthetic;
