//! Kernel stacks by number, with symbols.

use crate::mask::Words;
use crate::record::{Record, Stack};
use libbpf_rs::{MapCore, MapFlags, MapHandle};
use std::collections::HashMap;
use wastenot_machine::{Symbols, is_tracer_frame};

/// Frames of the tracer at the start of a stack, at most.
const MOST_TRACERS: usize = 5;

/// Stacks whose records have been written.
pub(crate) struct Stacks {
    map: MapHandle,
    symbols: Symbols,
    named: HashMap<u64, String>,
    written: Vec<bool>,
}

impl Stacks {
    pub fn new(map: MapHandle, symbols: Symbols, most: u32) -> Self {
        Self { map, symbols, named: HashMap::new(), written: vec![false; most as usize] }
    }

    /// Whether a stack of this number has to be written; says so once.
    pub fn is_new(written: &mut [bool], id: i32) -> bool {
        usize::try_from(id).ok().and_then(|id| written.get_mut(id)).is_some_and(|w| !std::mem::replace(w, true))
    }

    /// What [`Self::is_new`] works on.
    pub fn written_mut(&mut self) -> &mut Vec<bool> {
        &mut self.written
    }

    /// Append the record of stack `id`; nothing where the kernel has it no more.
    pub fn write(&mut self, id: i32, ts_ns: u64, base_ns: u64, out: &mut Vec<u8>) {
        let Ok(Some(bytes)) = self.map.lookup(&id.to_ne_bytes(), MapFlags::ANY) else { return };
        let addresses = bytes.chunks_exact(8).map(|w| u64::from_ne_bytes(w.try_into().expect("chunks of 8")));
        let mut frames = Vec::new();
        for address in addresses.take_while(|&address| address != 0) {
            let symbols = &self.symbols;
            let symbol = self.named.entry(address).or_insert_with(|| symbols.name(address));
            frames.push((address, symbol.clone()));
        }
        // The recorder's own program, which has no name since it was loaded after the symbols were read, and what called it.
        let tracers = frames.iter().take(MOST_TRACERS).rposition(|(_, symbol)| is_tracer_frame(symbol));
        frames.drain(..tracers.map_or(0, |last| last + 1));
        let addresses: Vec<u8> = frames.iter().flat_map(|(address, _)| address.to_le_bytes()).collect();
        let symbols = frames.iter().map(|(_, symbol)| symbol.as_str()).collect::<Vec<_>>().join("\n");
        let addresses = Words::from_bytes(&addresses);
        let stack = Stack { stack_id: id, addresses, symbols: symbols.as_bytes() };
        Record::Stack(stack).write(ts_ns, base_ns, out);
    }
}
