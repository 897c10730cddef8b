//! `wastenot._native.drawing`: tiny traces drawn as text, in builds for tests (feature `drawing`).

use std::collections::HashMap;

use pyo3::prelude::*;

use crate::arrow_stream::ArrowStream;
use crate::callbacks::to_error;

/// The tables of a drawing (see the crate `wastenot-drawing`), by name.
#[pyfunction]
pub fn draw(text: &str) -> PyResult<HashMap<&'static str, ArrowStream>> {
    let tables = wastenot_drawing::draw(text).map_err(to_error)?;
    Ok(tables.into_iter().map(|(name, batch)| (name, ArrowStream::of_batch(batch))).collect())
}
