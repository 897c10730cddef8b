//! The waiters of one class in priority order.

/// Priority of a waiter: earlier `wait_start` first, then lower number. Smaller is served first; see [`key`].
pub(super) type Key = u128;

/// No waiter of that kind: worse than any waiter when looking for the best one …
pub(super) const NO_HEAD: Key = Key::MAX;
/// … and better than any waiter when looking for the worst one.
pub(super) const NO_TAIL: Key = 0;

/// Bits of a key that hold the utid, an index below 2^31.
const UTID_BITS: u32 = 31;

/// Packs `(wait_start, number)` so that the order of keys is the order of priority, and the utid below them.
#[inline(always)]
pub(super) fn key(wait_start: i64, number: u32, utid: u32) -> Key {
    debug_assert!(utid >> UTID_BITS == 0);
    let start = (wait_start as u64) ^ (1 << 63);
    (1 << 127) | (Key::from(start) << (32 + UTID_BITS)) | (Key::from(number) << UTID_BITS) | Key::from(utid)
}

/// The thread's number in a key.
#[inline(always)]
pub(super) fn number_of(key: Key) -> u32 {
    (key >> UTID_BITS) as u32
}

/// The utid in a key.
#[inline(always)]
pub(super) fn utid_of(key: Key) -> u32 {
    key as u32 & ((1 << UTID_BITS) - 1)
}

/// Keys in ascending order. Appending the newest and removing the oldest cost O(1); the rest moves the shorter side.
#[derive(Default)]
pub(super) struct Queue {
    /// `keys[front..]` is the queue; what lies before is slack left by removals at the front.
    keys: Vec<Key>,
    front: usize,
}

impl Queue {
    /// The keys, best first.
    #[inline(always)]
    pub(super) fn as_slice(&self) -> &[Key] {
        &self.keys[self.front..]
    }

    /// Inserts a key that is not there yet; returns its position.
    #[inline]
    pub(super) fn insert(&mut self, key: Key) -> usize {
        let len = self.keys.len() - self.front;
        if len == 0 || self.keys[self.keys.len() - 1] < key {
            if self.keys.len() == self.keys.capacity() && self.front > len {
                self.close_slack();
            }
            self.keys.push(key);
            return len;
        }
        let at = rank(self.as_slice(), key);
        if at <= len / 2 && self.front > 0 {
            self.keys.copy_within(self.front..self.front + at, self.front - 1);
            self.front -= 1;
            self.keys[self.front + at] = key;
        } else {
            self.keys.insert(self.front + at, key);
        }
        at
    }

    /// Removes a key that is there; returns the position it had.
    #[inline]
    pub(super) fn remove(&mut self, key: Key) -> usize {
        let len = self.keys.len() - self.front;
        let at = rank(self.as_slice(), key);
        debug_assert!(self.as_slice().get(at) == Some(&key), "removing a waiter that is not in its class");
        if at < len / 2 {
            self.keys.copy_within(self.front..self.front + at, self.front + 1);
            self.front += 1;
        } else {
            self.keys.remove(self.front + at);
            if len == 1 {
                self.keys.clear();
                self.front = 0;
            }
        }
        at
    }

    /// Moves the queue to the start of its buffer.
    fn close_slack(&mut self) {
        let len = self.keys.len() - self.front;
        self.keys.copy_within(self.front.., 0);
        self.keys.truncate(len);
        self.front = 0;
    }
}

/// How many of the ascending `keys` are smaller than `key`. Where the key falls is as good as random, so the search does
/// without a branch on it.
#[inline(always)]
fn rank(keys: &[Key], key: Key) -> usize {
    let (mut below, mut left) = (0, keys.len());
    while left > 1 {
        let half = left / 2;
        below += half * usize::from(keys[below + half - 1] < key);
        left -= half;
    }
    below + usize::from(left == 1 && keys[below] < key)
}
