//! Which source is next: a loser tree over one key per source, so that a change of the winner's key costs log2(sources)
//! comparisons.

/// Place of a source in the race. Sources that must read on before they can promise a row go before those that have one at
/// the same instant.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Key(u128);

impl Key {
    /// Nothing more comes.
    pub const END: Self = Self(u128::MAX);

    /// The source's next row, or (without `has_row`) the earliest instant at which it may still give one.
    #[inline]
    pub fn new(ts_ns: i64, has_row: bool, source: usize) -> Self {
        let time = u128::from(ts_ns as u64 ^ 1 << 63);
        Self(time << 32 | u128::from(has_row) << 31 | source as u128)
    }

    /// The instant.
    #[inline]
    pub fn ts_ns(self) -> i64 {
        ((self.0 >> 32) as u64 ^ 1 << 63) as i64
    }

    /// The source has a row for it.
    #[inline]
    pub fn has_row(self) -> bool {
        self.0 >> 31 & 1 == 1
    }
}

/// The tree. Node n has children 2n and 2n+1; leaf i is node `leaves + i`.
pub struct Tournament {
    keys: Vec<Key>,
    losers: Vec<u32>,
    winner: u32,
}

impl Tournament {
    /// Over at least one key.
    pub fn new(mut keys: Vec<Key>) -> Self {
        let leaves = keys.len().next_power_of_two();
        keys.resize(leaves, Key::END);
        let mut winners: Vec<u32> = vec![0; leaves].into_iter().chain(0..leaves as u32).collect();
        let mut losers = vec![0; leaves];
        for node in (1..leaves).rev() {
            let (left, right) = (winners[2 * node], winners[2 * node + 1]);
            let left_wins = keys[left as usize] <= keys[right as usize];
            (winners[node], losers[node]) = if left_wins { (left, right) } else { (right, left) };
        }
        Self { keys, losers, winner: winners[1] }
    }

    /// The source whose key is least.
    #[inline]
    pub fn winner(&self) -> (usize, Key) {
        (self.winner as usize, self.keys[self.winner as usize])
    }

    /// The least key of all other sources.
    #[inline]
    pub fn runner_up(&self) -> Key {
        let mut best = Key::END;
        let mut node = (self.keys.len() + self.winner as usize) / 2;
        while node > 0 {
            best = best.min(self.keys[self.losers[node] as usize]);
            node /= 2;
        }
        best
    }

    /// Give the winner a new key.
    #[inline]
    pub fn replace_winner(&mut self, key: Key) {
        let mut winner = self.winner;
        self.keys[winner as usize] = key;
        let mut best = key;
        let mut node = (self.keys.len() + winner as usize) / 2;
        while node > 0 {
            let loser = self.losers[node];
            let other = self.keys[loser as usize];
            let swap = other < best;
            self.losers[node] = if swap { winner } else { loser };
            winner = if swap { loser } else { winner };
            best = if swap { other } else { best };
            node /= 2;
        }
        self.winner = winner;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn winner_and_runner_up_are_the_two_least(
            start in prop::collection::vec(-50i64..50, 1..20), steps in prop::collection::vec(0i64..9, 0..60),
        ) {
            let mut keys: Vec<Key> = start.iter().enumerate().map(|(i, &ts)| Key::new(ts, true, i)).collect();
            let mut tree = Tournament::new(keys.clone());
            for step in steps {
                let mut sorted = keys.clone();
                sorted.sort();
                let (index, key) = tree.winner();
                prop_assert_eq!((key == sorted[0], keys[index] == key), (true, true));
                prop_assert!(tree.runner_up() == sorted.get(1).copied().unwrap_or(Key::END));
                keys[index] = if step == 8 { Key::END } else { Key::new(key.ts_ns().min(99) + step, step % 2 == 0, index) };
                tree.replace_winner(keys[index]);
            }
        }
    }

    #[test]
    fn a_source_that_must_read_on_goes_first() {
        assert!(Key::new(5, false, 9) < Key::new(5, true, 0));
        assert!(Key::new(-1, true, 9) < Key::new(0, false, 0));
        assert_eq!(Key::new(i64::MIN, true, 3).ts_ns(), i64::MIN);
    }
}
