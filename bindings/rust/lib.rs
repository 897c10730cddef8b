//! The one Python extension over the Rust rooms: `wastenot._native`, a submodule per room.
//!
//! Only translation happens here: Arrow streams, JSON texts and callbacks on one side, the rooms' own types on the other.

mod arrow_stream;
mod bubbles;
mod checker;
mod collector;
mod lttng;
mod perfetto;
mod provoke;
mod recorder;
mod replay;

use pyo3::prelude::*;
use pyo3::types::PyDict;

pyo3::create_exception!(
    wastenot._native,
    WastenotError,
    pyo3::exceptions::PyException,
    "Something a user can mend; the message is one line: what, where, what to do."
);

/// Version of the native rooms.
#[pyfunction]
fn version() -> &'static str {
    env!("CARGO_PKG_VERSION")
}

#[pymodule]
fn _native(m: &Bound<'_, PyModule>) -> PyResult<()> {
    m.add("WastenotError", m.py().get_type::<WastenotError>())?;
    m.add_class::<arrow_stream::ArrowStream>()?;
    m.add_function(wrap_pyfunction!(version, m)?)?;
    let rooms = Rooms(m);
    rooms.add("checker", |room| {
        room.add_function(wrap_pyfunction!(checker::check, room)?)?;
        room.add_function(wrap_pyfunction!(checker::rules, room)?)?;
        room.add_function(wrap_pyfunction!(checker::draw, room)?)
    })?;
    rooms.add("replay", |room| {
        room.add_class::<bubbles::BubbleTimeline>()?;
        room.add_function(wrap_pyfunction!(bubbles::derive_bubbles, room)?)?;
        room.add_function(wrap_pyfunction!(replay::simulate, room)?)?;
        room.add_function(wrap_pyfunction!(replay::scenario, room)?)?;
        room.add_function(wrap_pyfunction!(replay::faults, room)?)?;
        room.add_function(wrap_pyfunction!(replay::schedulers, room)?)?;
        room.add_function(wrap_pyfunction!(replay::constants, room)?)
    })?;
    rooms.add("provoke", |room| {
        room.add_function(wrap_pyfunction!(provoke::workloads, room)?)?;
        room.add_function(wrap_pyfunction!(provoke::run, room)?)
    })?;
    rooms.add("collector", |room| {
        room.add_class::<recorder::Recorder>()?;
        room.add_class::<lttng::LttngSession>()?;
        room.add_function(wrap_pyfunction!(collector::decode, room)?)?;
        room.add_function(wrap_pyfunction!(collector::import_trace, room)?)?;
        room.add_function(wrap_pyfunction!(collector::recognise, room)?)?;
        room.add_function(wrap_pyfunction!(collector::schedstat, room)?)?;
        room.add_function(wrap_pyfunction!(perfetto::write_perfetto, room)?)?;
        room.add_function(wrap_pyfunction!(perfetto::perfetto_tables, room)?)?;
        room.add_function(wrap_pyfunction!(collector::machine_snapshot, room)?)?;
        room.add_function(wrap_pyfunction!(collector::hwloc_to_machine, room)?)?;
        room.add_function(wrap_pyfunction!(collector::machine_to_hwloc, room)?)?;
        room.add_function(wrap_pyfunction!(collector::doctor, room)?)
    })
}

/// Adds a submodule that can be imported by its full name.
struct Rooms<'a, 'py>(&'a Bound<'py, PyModule>);

impl<'py> Rooms<'_, 'py> {
    fn add(&self, name: &str, fill: impl FnOnce(&Bound<'py, PyModule>) -> PyResult<()>) -> PyResult<()> {
        let py = self.0.py();
        let full_name = format!("wastenot._native.{name}");
        let room = PyModule::new(py, &full_name)?;
        fill(&room)?;
        self.0.add(name, &room)?;
        py.import("sys")?.getattr("modules")?.cast::<PyDict>()?.set_item(full_name, room)
    }
}
