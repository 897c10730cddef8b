//! The one Python extension over the Rust components: `wastenot._native`, a submodule per component.
//!
//! Only translation happens here: Arrow streams, JSON texts and callbacks on one side, the components' own types on the other.

mod arrow_stream;
mod bubbles;
mod callbacks;
mod checker;
mod collector;
#[cfg(feature = "drawing")]
mod drawing;
mod perfetto;
mod provoke;
mod recorder;
mod replay;
mod rows;
mod watch;
mod watcher;

use pyo3::prelude::*;
use pyo3::types::PyDict;

pyo3::create_exception!(
    wastenot._native,
    WastenotError,
    pyo3::exceptions::PyException,
    "Something a user can fix; the message is one line: what, where, what to do."
);

/// Version of the native components.
#[pyfunction]
fn version() -> &'static str {
    env!("CARGO_PKG_VERSION")
}

#[pymodule]
fn _native(m: &Bound<'_, PyModule>) -> PyResult<()> {
    m.add("WastenotError", m.py().get_type::<WastenotError>())?;
    m.add_class::<arrow_stream::ArrowStream>()?;
    m.add_class::<rows::Rows>()?;
    m.add_function(wrap_pyfunction!(version, m)?)?;
    let submodules = Submodules(m);
    submodules.add("checker", |module| {
        module.add_function(wrap_pyfunction!(checker::check, module)?)?;
        module.add_function(wrap_pyfunction!(checker::check_window, module)?)?;
        module.add_function(wrap_pyfunction!(checker::window_waits, module)?)?;
        module.add_function(wrap_pyfunction!(checker::deadlines, module)?)?;
        module.add_function(wrap_pyfunction!(checker::rules, module)?)
    })?;
    #[cfg(feature = "drawing")]
    submodules.add("drawing", |module| module.add_function(wrap_pyfunction!(drawing::draw, module)?))?;
    submodules.add("replay", |module| {
        module.add_class::<bubbles::BubbleTimeline>()?;
        module.add_function(wrap_pyfunction!(bubbles::derive_bubbles, module)?)?;
        module.add_function(wrap_pyfunction!(replay::simulate, module)?)?;
        module.add_function(wrap_pyfunction!(replay::scenario, module)?)?;
        module.add_function(wrap_pyfunction!(replay::faults, module)?)?;
        module.add_function(wrap_pyfunction!(replay::schedulers, module)?)?;
        module.add_function(wrap_pyfunction!(replay::constants, module)?)?;
        module.add_function(wrap_pyfunction!(replay::soft_realtime, module)?)
    })?;
    submodules.add("provoke", |module| {
        module.add_function(wrap_pyfunction!(provoke::workloads, module)?)?;
        module.add_function(wrap_pyfunction!(provoke::run, module)?)
    })?;
    submodules.add("collector", |module| {
        module.add_class::<recorder::Recorder>()?;
        module.add_class::<watcher::Watcher>()?;
        module.add_function(wrap_pyfunction!(collector::decode, module)?)?;
        module.add_function(wrap_pyfunction!(collector::import_trace, module)?)?;
        module.add_function(wrap_pyfunction!(collector::recognise, module)?)?;
        module.add_function(wrap_pyfunction!(collector::schedstat, module)?)?;
        module.add_function(wrap_pyfunction!(perfetto::write_perfetto, module)?)?;
        module.add_function(wrap_pyfunction!(perfetto::perfetto_tables, module)?)?;
        module.add_function(wrap_pyfunction!(collector::machine_snapshot, module)?)?;
        module.add_function(wrap_pyfunction!(collector::hwloc_to_machine, module)?)?;
        module.add_function(wrap_pyfunction!(collector::machine_to_hwloc, module)?)?;
        module.add_function(wrap_pyfunction!(collector::parse_cpu_list, module)?)?;
        module.add_function(wrap_pyfunction!(collector::doctor, module)?)
    })?;
    submodules.add("watch", |module| {
        module.add_class::<watch::ExactWatch>()?;
        module.add_function(wrap_pyfunction!(watch::replay_counters, module)?)
    })
}

/// Adds a submodule that can be imported by its full name.
struct Submodules<'a, 'py>(&'a Bound<'py, PyModule>);

impl<'py> Submodules<'_, 'py> {
    fn add(&self, name: &str, fill: impl FnOnce(&Bound<'py, PyModule>) -> PyResult<()>) -> PyResult<()> {
        let py = self.0.py();
        let full_name = format!("wastenot._native.{name}");
        let module = PyModule::new(py, &full_name)?;
        fill(&module)?;
        self.0.add(name, &module)?;
        py.import("sys")?.getattr("modules")?.cast::<PyDict>()?.set_item(full_name, module)
    }
}
