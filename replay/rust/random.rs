//! The random numbers: xoshiro256** (Blackman and Vigna, 2018), seeded by splitmix64. Integers only, so that a seed
//! gives the same numbers on every platform.

/// A seeded stream of numbers.
#[derive(Clone, Debug)]
pub struct Random {
    state: [u64; 4],
}

/// ln 2 in 1/2^32.
const LN_2: u128 = 2_977_044_472;

impl Random {
    /// The stream of a seed.
    pub fn new(seed: u64) -> Self {
        let mut x = seed;
        let mut word = || {
            x = x.wrapping_add(0x9E37_79B9_7F4A_7C15);
            let z = (x ^ (x >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
            let z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
            z ^ (z >> 31)
        };
        Self { state: [word(), word(), word(), word()] }
    }

    /// The next 64 bits.
    pub fn bits(&mut self) -> u64 {
        let s = &mut self.state;
        let result = s[1].wrapping_mul(5).rotate_left(7).wrapping_mul(9);
        let t = s[1] << 17;
        s[2] ^= s[0];
        s[3] ^= s[1];
        s[1] ^= s[2];
        s[0] ^= s[3];
        s[2] ^= t;
        s[3] = s[3].rotate_left(45);
        result
    }

    /// A number below `n` (0 for `n` = 0); the bias is below n / 2^64.
    pub fn below(&mut self, n: u64) -> u64 {
        ((u128::from(self.bits()) * u128::from(n)) >> 64) as u64
    }

    /// A number from `from` to `to`, both included.
    pub fn between(&mut self, from: u64, to: u64) -> u64 {
        from + self.below(to.saturating_sub(from).saturating_add(1))
    }

    /// Exponentially distributed with the given mean: −mean · ln U, in 32-bit fixed point. At most 44 times the mean.
    pub fn exponential(&mut self, mean: u64) -> u64 {
        let u = self.bits() | 1;
        ((u128::from(minus_log2(u)) * LN_2 * u128::from(mean)) >> 64) as u64
    }
}

/// −log2(u / 2^64) in 1/2^32, by repeated squaring.
fn minus_log2(u: u64) -> u64 {
    let zeros = u.leading_zeros();
    let mut x = u128::from(u << zeros);
    let mut fraction = 0u64;
    for bit in (0..32).rev() {
        x = (x * x) >> 63;
        if x >> 64 != 0 {
            x >>= 1;
            fraction |= 1 << bit;
        }
    }
    // u = 2^(63 - zeros) · 2^fraction
    ((u64::from(zeros) + 1) << 32) - fraction
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_numbers_of_a_seed_never_change() {
        let mut random = Random::new(1);
        let first: Vec<u64> = (0..3).map(|_| random.bits()).collect();
        assert_eq!(first, FIRST_OF_SEED_1);
    }

    const FIRST_OF_SEED_1: [u64; 3] = [12966619160104079557, 9600361134598540522, 10590380919521690900];

    #[test]
    fn an_exponential_has_its_mean_and_its_median() {
        let mut random = Random::new(7);
        let mut drawn: Vec<u64> = (0..100_000).map(|_| random.exponential(1_000_000)).collect();
        let mean = drawn.iter().sum::<u64>() / 100_000;
        drawn.sort_unstable();
        assert!((990_000..1_010_000).contains(&mean), "mean {mean}");
        assert!((683_000..703_000).contains(&drawn[50_000]), "median {}", drawn[50_000]);
    }

    #[test]
    fn a_range_holds_both_ends() {
        let mut random = Random::new(3);
        let drawn: Vec<u64> = (0..1000).map(|_| random.between(5, 7)).collect();
        assert!((5..=7).all(|n| drawn.contains(&n)) && drawn.iter().all(|n| (5..=7).contains(n)));
    }
}
