//! Kernel stacks of call chains, with their symbols.

use crate::bytes::Bytes;
use std::collections::HashMap;
use wastenot_assemble::{Interner, Stack, StackId};
use wastenot_import::LazySymbols;
use wastenot_machine::Symbols;

/// Values from here on mark a change of context in a call chain (include/uapi/linux/perf_event.h: PERF_CONTEXT_MAX).
const MARKS: u64 = -4095i64 as u64;
/// What follows is the kernel's.
const KERNEL: u64 = -128i64 as u64;
/// More distinct stacks than these are damage.
const MAX_STACKS: usize = 1 << 20;

/// Stacks that have occurred, and the symbols that name them.
pub struct Stacks {
    known: HashMap<Box<[u64]>, Option<StackId>>,
    scratch: Vec<u64>,
    symbols: LazySymbols,
    checked: bool,
}

impl Stacks {
    pub fn new(symbols: LazySymbols) -> Self {
        Self { known: HashMap::new(), scratch: Vec::new(), symbols, checked: false }
    }

    /// The stack of a call chain; none where it has no frame of the kernel. `start` is the address of the kernel's first symbol where the
    /// trace has it: symbols that have none there are of another boot (the kernel's place is random) and are not used. The
    /// error says so, once.
    pub fn of_chain(
        &mut self,
        chain: Bytes<'_>,
        start: Option<u64>,
        ids: &mut Interner,
    ) -> (Option<StackId>, Option<&'static str>) {
        self.scratch.clear();
        let mut inside = false;
        for address in (0..chain.data.len() / 8).filter_map(|n| chain.u64(8 * n)) {
            if address >= MARKS {
                inside = address == KERNEL;
            } else if inside {
                self.scratch.push(address);
            }
        }
        if self.scratch.is_empty() {
            return (None, None);
        }
        if let Some(&known) = self.known.get(self.scratch.as_slice()) {
            return (known, None);
        }
        let odd = self.check(start);
        let (addresses, symbols) = self.symbols.describe(self.scratch.iter().copied());
        let stack = (!addresses.is_empty()).then(|| ids.stack(Stack { addresses, symbols }));
        if self.known.len() < MAX_STACKS {
            self.known.insert(self.scratch.as_slice().into(), stack);
        }
        (stack, odd)
    }

    /// Whether the symbols are of this kernel, once; the error says that they are not.
    fn check(&mut self, start: Option<u64>) -> Option<&'static str> {
        let start = start.filter(|_| !std::mem::replace(&mut self.checked, true) && !self.symbols.is_empty())?;
        if self.symbols.name(start).ends_with("+0x0") {
            return None;
        }
        self.symbols = LazySymbols::new(Box::new(Symbols::default));
        Some(
            "the kernel's symbols are of another boot or kernel (none is at the kernel's start address): stacks stay addresses",
        )
    }
}
