//! LTTng's traces on disk are read without libbabeltrace2. A process of its own: other tests load the library.

use std::path::Path;
use wastenot_assemble::SinkError;
use wastenot_import::{Options, run};

#[test]
fn a_trace_of_lttng_is_read_without_the_library() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../fixtures/traces/guest-6.12/hotplug");
    let options = Options::default();
    let opened = wastenot_ctf::open_with(&folder, &options, wastenot_ctf::DecodeWith::Either).unwrap();
    let mut rows = 0;
    let mut sink = |_: &'static str, batch: arrow_array::RecordBatch| {
        rows += batch.num_rows();
        Ok::<(), SinkError>(())
    };
    let summary = run(opened, &options, &mut sink, &mut |_, _| {}).unwrap();
    assert!(summary.complete && rows > 5000, "{rows} rows: {:?}", summary.notes);
    let mapped = std::fs::read_to_string("/proc/self/maps").unwrap();
    assert!(!mapped.contains("babeltrace"), "the library was loaded");
}
