//! Kernel stacks: an event of their own that follows the one they belong to.

use crate::bytes::{long, word};
use crate::formats::StackFormat;
use crate::page::PageFormat;
use std::collections::HashMap;
use wastenot_assemble::{Interner, Stack, StackId};
use wastenot_import::LazySymbols;

/// Different stacks remembered by their addresses; beyond, each is named anew.
const REMEMBERED: usize = 1 << 16;

/// Turns records of stacks into ids; the symbols are read when the first comes.
pub struct Stacks {
    format: Option<StackFormat>,
    page_format: PageFormat,
    symbols: LazySymbols,
    known: HashMap<Vec<u64>, StackId>,
    addresses: Vec<u64>,
}

impl Stacks {
    pub fn new(format: Option<StackFormat>, page_format: PageFormat, symbols: LazySymbols) -> Self {
        Self { format, page_format, symbols, known: HashMap::new(), addresses: Vec::new() }
    }

    /// `common_type` of the stacks' records.
    pub fn id(&self) -> Option<u32> {
        self.format.map(|format| format.id)
    }

    /// The stack in this record; `None`: it has no frame.
    pub fn read(&mut self, record: &[u8], ids: &mut Interner) -> Option<StackId> {
        let (format, page_format) = (self.format?, self.page_format);
        let frames = record.get(format.frames_at..)?;
        let count =
            format.count_at.and_then(|at| record.get(at..at + 4)).map(|bytes| word(bytes, page_format.endian) as usize);
        self.addresses.clear();
        let address = |bytes: &[u8]| match page_format.long_size {
            4 => word(bytes, page_format.endian).into(),
            _ => long(bytes, page_format.endian),
        };
        let end = if page_format.long_size == 4 { u64::from(u32::MAX) } else { u64::MAX };
        let frames = frames.chunks_exact(page_format.long_size).take(count.unwrap_or(usize::MAX)).map(address);
        self.addresses.extend(frames.take_while(|&address| address != end).filter(|&address| address != 0));
        if self.addresses.is_empty() {
            return None;
        }
        if let Some(&known) = self.known.get(&self.addresses) {
            return Some(known);
        }
        let (addresses, symbols) = self.symbols.describe(self.addresses.iter().copied());
        let id = ids.stack(Stack { addresses, symbols });
        if self.known.len() < REMEMBERED {
            self.known.insert(self.addresses.clone(), id);
        }
        Some(id)
    }
}
