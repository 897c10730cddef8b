//! Kernel stacks by number, with symbols.

use crate::mask::Mask;
use crate::record::Record;
use libbpf_rs::{MapCore, MapFlags, MapHandle};
use std::collections::HashMap;
use std::path::Path;

/// The kernel's symbols, by address.
pub(crate) struct Symbols {
    starts: Vec<u64>,
    names: Vec<Box<str>>,
}

impl Symbols {
    /// From /proc/kallsyms; empty where it is not readable or hides its addresses (kernel.kptr_restrict).
    pub fn read(path: &Path) -> Self {
        let text = std::fs::read(path).unwrap_or_default();
        Self::parse(&String::from_utf8_lossy(&text))
    }

    fn parse(text: &str) -> Self {
        let mut symbols: Vec<(u64, &str)> = text
            .lines()
            .filter_map(|line| {
                let mut words = line.split_ascii_whitespace();
                let address = u64::from_str_radix(words.next()?, 16).ok()?;
                let code = matches!(words.next()?, "t" | "T" | "w" | "W");
                (code && address != 0).then_some((address, words.next()?))
            })
            .filter(|(_, name)| !name.starts_with("__pfx_"))
            .collect();
        symbols.sort_by_key(|&(address, _)| address);
        symbols.dedup_by_key(|&mut (address, _)| address);
        let (starts, names) = symbols.into_iter().map(|(address, name)| (address, name.into())).unzip();
        Self { starts, names }
    }

    /// `function+0xoffset`, or the address in hex.
    pub fn name(&self, address: u64) -> String {
        match self.starts.partition_point(|&start| start <= address) {
            0 => format!("{address:#x}"),
            after => format!("{}+{:#x}", self.names[after - 1], address - self.starts[after - 1]),
        }
    }
}

/// The tracer's own frames, which every stack begins with.
fn of_tracer(symbol: &str) -> bool {
    ["bpf_", "__bpf_", "__traceiter_", "__traceprobe_", "trace_call_bpf", "perf_trace_"]
        .iter()
        .any(|prefix| symbol.starts_with(prefix))
}

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
            if !(frames.is_empty() && of_tracer(symbol)) {
                frames.push((address, symbol.clone()));
            }
        }
        let addresses: Vec<u8> = frames.iter().flat_map(|(address, _)| address.to_le_bytes()).collect();
        let symbols = frames.iter().map(|(_, symbol)| symbol.as_str()).collect::<Vec<_>>().join("\n");
        let addresses = Mask::from_bytes(&addresses);
        Record::Stack { stack_id: id, addresses, symbols: symbols.as_bytes() }.write(ts_ns, base_ns, out);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_named_by_the_symbol_before_it() {
        let symbols = Symbols::parse("0 T hidden\nff10 T __pfx_two\nff20 t two\nff00 T one\nff18 d data\n");
        assert_eq!(symbols.name(0xff0f), "one+0xf");
        assert_eq!(symbols.name(0xff20), "two+0x0");
        assert_eq!(symbols.name(0xfe00), "0xfe00");
        assert_eq!(Symbols::parse("").name(1), "0x1");
    }
}
