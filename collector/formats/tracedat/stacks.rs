//! Kernel stacks: an event of their own that follows the one they belong to.

use crate::bytes::{long, word};
use crate::formats::StackFormat;
use crate::page::Paper;
use std::collections::HashMap;
use wastenot_assemble::{Interner, Stack, StackId};
use wastenot_import::LazySymbols;

/// Different stacks remembered by their addresses; beyond, each is named anew.
const REMEMBERED: usize = 1 << 16;

/// Turns records of stacks into ids; the symbols are read when the first comes.
pub struct Stacks {
    format: Option<StackFormat>,
    paper: Paper,
    symbols: LazySymbols,
    known: HashMap<Vec<u64>, StackId>,
    addresses: Vec<u64>,
}

impl Stacks {
    pub fn new(format: Option<StackFormat>, paper: Paper, symbols: LazySymbols) -> Self {
        Self { format, paper, symbols, known: HashMap::new(), addresses: Vec::new() }
    }

    /// `common_type` of the stacks' records.
    pub fn id(&self) -> Option<u32> {
        self.format.map(|format| format.id)
    }

    /// The stack in this record; `None`: it has no frame.
    pub fn read(&mut self, record: &[u8], ids: &mut Interner) -> Option<StackId> {
        let (format, paper) = (self.format?, self.paper);
        let frames = record.get(format.frames_at..)?;
        let told =
            format.count_at.and_then(|at| record.get(at..at + 4)).map(|bytes| word(bytes, paper.endian) as usize);
        self.addresses.clear();
        let address = |bytes: &[u8]| match paper.long_size {
            4 => word(bytes, paper.endian).into(),
            _ => long(bytes, paper.endian),
        };
        let end = if paper.long_size == 4 { u64::from(u32::MAX) } else { u64::MAX };
        let frames = frames.chunks_exact(paper.long_size).take(told.unwrap_or(usize::MAX)).map(address);
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
