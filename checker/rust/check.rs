//! The check of a whole trace.

use crate::error::CheckError;
use crate::online::OnlineCheck;
use crate::options::Options;
use crate::source::BatchReader;
use crate::walk::read_inputs;
use wastenot_schemas::Sink;

/// Reconstruct, measure and explain a trace.
///
/// `inputs` are batches by table name: any of the event tables (each in the order of its ids) and the entity tables cpu,
/// numa_node, domain, domain_group, machine, mask, stack and trace; others are ignored. Derived tables leave through `sink`, growing ones
/// while the walk is under way, the rest at its end. Memory does not grow with the trace's length.
pub fn check(inputs: Vec<(String, BatchReader)>, options: &Options, sink: &mut dyn Sink) -> Result<(), CheckError> {
    let (mut source, entities) = read_inputs(inputs)?;
    let mut check = OnlineCheck::of(entities, options)?.writing_checkpoints();
    check.walk(&mut source, sink)?;
    check.finish(None, sink)
}
