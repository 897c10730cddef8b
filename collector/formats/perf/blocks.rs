//! Where bytes lie until the records in them have been put in order.

/// Size of a block: several records of the largest size there is (64 KiB).
pub const BLOCK: usize = 1 << BLOCK_BITS;
const BLOCK_BITS: u32 = 18;
/// Blocks that a place can name.
const MAX_BLOCKS: usize = 1 << (32 - BLOCK_BITS);

/// Where a record is: a block and an offset in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RecordPlace(u32);

impl RecordPlace {
    #[inline]
    pub fn new(block: usize, at: usize) -> Self {
        Self((block << BLOCK_BITS | at) as u32)
    }

    #[inline]
    pub fn block(self) -> usize {
        (self.0 >> BLOCK_BITS) as usize
    }

    #[inline]
    pub fn at(self) -> usize {
        self.0 as usize & (BLOCK - 1)
    }
}

#[derive(Default)]
struct Block {
    bytes: Box<[u8]>,
    /// Records in it that are still wanted, and one while it is being filled.
    users: u32,
}

/// Blocks, used again and again.
#[derive(Default)]
pub struct Blocks {
    all: Vec<Block>,
    free: Vec<usize>,
}

impl Blocks {
    /// A block with one user: the caller. None: there are too many.
    pub fn take(&mut self) -> Option<usize> {
        let block = match self.free.pop() {
            Some(block) => block,
            None if self.all.len() < MAX_BLOCKS => {
                self.all.push(Block { bytes: vec![0; BLOCK].into(), users: 0 });
                self.all.len() - 1
            }
            None => return None,
        };
        self.all[block].users = 1;
        Some(block)
    }

    /// One user more.
    #[inline]
    pub fn hold(&mut self, block: usize) {
        self.all[block].users += 1;
    }

    /// One user less; without any the block is free.
    #[inline]
    pub fn release(&mut self, block: usize) {
        let users = &mut self.all[block].users;
        *users -= 1;
        if *users == 0 {
            self.free.push(block);
        }
    }

    /// Its bytes.
    #[inline]
    pub fn bytes(&self, block: usize) -> &[u8] {
        &self.all[block].bytes
    }

    /// Its bytes, to be filled.
    pub fn bytes_mut(&mut self, block: usize) -> &mut [u8] {
        &mut self.all[block].bytes
    }

    /// Take the bytes out while they are scanned; [`put_back`](Self::put_back) returns them.
    pub fn lend(&mut self, block: usize) -> Box<[u8]> {
        std::mem::take(&mut self.all[block].bytes)
    }

    /// The bytes are there again.
    pub fn put_back(&mut self, block: usize, bytes: Box<[u8]>) {
        self.all[block].bytes = bytes;
    }

    /// Blocks in use.
    pub fn in_use(&self) -> usize {
        self.all.len() - self.free.len()
    }
}
