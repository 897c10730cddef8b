//! Operations on CPU sets of a width fixed at compile time: `[u64; W]`, bit `i % 64` of word `i / 64` is CPU `i`.

/// Words looked at together before a search may stop early.
const STRIDE: usize = 8;

/// Whether the two sets share a CPU.
#[inline(always)]
pub(super) fn intersects<const W: usize>(a: &[u64; W], b: &[u64; W]) -> bool {
    for (a, b) in a.chunks(STRIDE).zip(b.chunks(STRIDE)) {
        let common = a.iter().zip(b).fold(0, |seen, (a, b)| seen | (a & b));
        if common != 0 {
            return true;
        }
    }
    false
}

/// Lowest CPU in both sets.
#[inline(always)]
pub(super) fn first_common<const W: usize>(a: &[u64; W], b: &[u64; W]) -> Option<usize> {
    for (at, (a, b)) in a.iter().zip(b).enumerate() {
        let common = a & b;
        if common != 0 {
            return Some(at * 64 + common.trailing_zeros() as usize);
        }
    }
    None
}

/// The CPUs in both sets.
#[inline(always)]
pub(super) fn and<const W: usize>(a: &[u64; W], b: &[u64; W]) -> [u64; W] {
    std::array::from_fn(|at| a[at] & b[at])
}

/// Adds the CPUs of `b` to `a`.
#[inline(always)]
pub(super) fn or_assign<const W: usize>(a: &mut [u64; W], b: &[u64; W]) {
    for (a, b) in a.iter_mut().zip(b) {
        *a |= b;
    }
}

/// Whether every CPU of `a` is in `b`.
#[inline(always)]
pub(super) fn is_subset<const W: usize>(a: &[u64; W], b: &[u64; W]) -> bool {
    a.iter().zip(b).all(|(a, b)| a & !b == 0)
}

/// Adds or removes CPU `cpu` (the set must hold the opposite).
#[inline(always)]
pub(super) fn toggle<const W: usize>(set: &mut [u64; W], cpu: usize) {
    set[cpu / 64] ^= 1 << (cpu % 64);
}

/// Whether the set holds `cpu`.
#[inline(always)]
pub(super) fn contains<const W: usize>(set: &[u64; W], cpu: usize) -> bool {
    set[cpu / 64] & (1 << (cpu % 64)) != 0
}

/// Calls `visit` for every member of a bit set, lowest first.
#[inline(always)]
pub(super) fn for_each(words: &[u64], mut visit: impl FnMut(usize)) {
    for (at, &word) in words.iter().enumerate() {
        let mut rest = word;
        while rest != 0 {
            visit(at * 64 + rest.trailing_zeros() as usize);
            rest &= rest - 1;
        }
    }
}
