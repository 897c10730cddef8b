//! Hardware threads with priorities, as the IBM POWER5 and its successors have them. Source: Boneti,
//! doctoral thesis, Universitat Politècnica de Catalunya, 2009, chapter 2.
//!
//! A priority decides how many of the core's decode cycles a hardware thread gets ([`decode_share`]). **Shares of decode cycles
//! are not speeds**: how fast a program runs with a share depends on what it computes. So each load of a workload has
//! a table of speeds ([`SpeedTable`]), which are measured or calibrated, never derived from the shares.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Priority of a hardware thread that no program has changed (medium).
pub const DEFAULT_PRIORITY: u8 = 4;
/// Priorities that a thread of a workload may have, the least and the greatest. At 0 the hardware thread is off, at 1 it gets
/// what is left over, at 7 its sibling is off: [`decode_share`] knows them, tables of speeds do not.
pub const PRIORITIES: std::ops::RangeInclusive<u8> = 2..=6;
/// Speed of a thread that has its core alone, in thousandths.
pub const ALONE: u32 = 1000;

/// What a hardware thread gets of its core's decode cycles.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DecodeShare {
    /// So many of so many cycles.
    Cycles(u32, u32),
    /// All cycles: the other hardware thread is off.
    All,
    /// All cycles that it can use: the other hardware thread gets what is left over.
    AllItUses,
    /// What the other hardware thread leaves over.
    LeftOver,
    /// None: the hardware thread is off.
    Off,
}

/// The share of a hardware thread by its priority and its sibling's, 0 to 7. Source: formula 2.1 (R = 2^(|d| + 1), of which the
/// higher one gets R − 1), table 2.3 (priorities 0 and 1).
pub fn decode_share(own: u8, sibling: u8) -> DecodeShare {
    match (own, sibling) {
        (0, _) => DecodeShare::Off,
        (1, 0 | 1) => DecodeShare::Cycles(1, 32),
        (_, 0) => DecodeShare::All,
        (7, _) => DecodeShare::All,
        (_, 7) => DecodeShare::Off,
        (1, _) => DecodeShare::LeftOver,
        (_, 1) => DecodeShare::AllItUses,
        _ => {
            let of = 2 << own.abs_diff(sibling);
            DecodeShare::Cycles(if own > sibling { of - 1 } else { 1 }, of)
        }
    }
}

/// Speeds of a load on a core of two hardware threads, in thousandths of its speed alone.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SpeedTable {
    /// By the thread's priority less its sibling's, while the sibling runs a thread: `"0" = 618`, `"-1" = 312`. "0" is required;
    /// a difference that has no speed has that of the nearest one towards 0.
    pub speeds: BTreeMap<String, u32>,
}

/// A table with its numbers read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Speeds {
    /// By difference, from −4 to 4.
    by_difference: [u32; 9],
}

impl SpeedTable {
    /// Reads the numbers; fails with one line.
    pub(crate) fn read(&self) -> Result<Speeds, String> {
        let checked = |speed: u32| if (1..=2000).contains(&speed) { Ok(speed) } else { Err(speed) };
        let mut given: BTreeMap<i8, u32> = BTreeMap::new();
        for (text, &speed) in &self.speeds {
            let difference = text.parse::<i8>().ok().filter(|d| (-4..=4).contains(d));
            let difference =
                difference.ok_or_else(|| format!("{text:?} is not a difference of priorities, -4 to 4"))?;
            given.insert(difference, checked(speed).map_err(|n| format!("speed {n}: 1 to 2000 thousandths"))?);
        }
        let equal = *given.get(&0).ok_or("no speed at equal priorities (\"0\")")?;
        let mut by_difference = [equal; 9];
        for sign in [-1i8, 1] {
            let mut last = equal;
            for size in 1..=4 {
                last = given.get(&(sign * size)).copied().unwrap_or(last);
                by_difference[(4 + sign * size) as usize] = last;
            }
        }
        Ok(Speeds { by_difference })
    }
}

impl Speeds {
    /// The speed at a priority beside a sibling's; None: the sibling takes nothing.
    pub(crate) fn at(&self, own: u8, sibling: Option<u8>) -> u32 {
        match sibling {
            None => ALONE,
            Some(sibling) => {
                let difference = (i16::from(own) - i16::from(sibling)).clamp(-4, 4);
                self.by_difference[(4 + difference) as usize]
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_higher_priority_gets_all_but_one_of_the_decode_cycles() {
        // Table 2.1: differences of 0 to 4.
        let shares = [(2, 1, 1), (4, 3, 1), (8, 7, 1), (16, 15, 1), (32, 31, 1)];
        for (difference, (of, high, low)) in (0..).zip(shares) {
            assert_eq!(decode_share(2 + difference, 2), DecodeShare::Cycles(high, of));
            assert_eq!(decode_share(2, 2 + difference), DecodeShare::Cycles(low, of));
        }
    }

    #[test]
    fn priorities_0_and_1_are_special() {
        // Table 2.3.
        assert_eq!((decode_share(1, 4), decode_share(4, 1)), (DecodeShare::LeftOver, DecodeShare::AllItUses));
        assert_eq!((decode_share(1, 1), decode_share(1, 0)), (DecodeShare::Cycles(1, 32), DecodeShare::Cycles(1, 32)));
        assert_eq!((decode_share(0, 4), decode_share(4, 0)), (DecodeShare::Off, DecodeShare::All));
        assert_eq!((decode_share(7, 4), decode_share(4, 7)), (DecodeShare::All, DecodeShare::Off));
        assert_eq!((decode_share(0, 1), decode_share(0, 0)), (DecodeShare::Off, DecodeShare::Off));
    }

    fn table(speeds: &[(&str, u32)]) -> SpeedTable {
        let speeds = speeds.iter().map(|&(d, s)| (d.to_owned(), s)).collect();
        SpeedTable { speeds }
    }

    #[test]
    fn a_speed_is_that_of_the_difference_or_of_the_nearest_one_towards_0() {
        let speeds = table(&[("0", 618), ("1", 909), ("-1", 312), ("-2", 173)]).read().unwrap();
        let at = |own, sibling| speeds.at(own, Some(sibling));
        assert_eq!([at(4, 4), at(5, 4), at(6, 4), at(4, 5), at(4, 6), at(2, 6)], [618, 909, 909, 312, 173, 173]);
        assert_eq!((speeds.at(4, None), speeds.at(3, None)), (ALONE, ALONE));
    }

    #[test]
    fn a_table_without_a_speed_at_equal_priorities_is_refused() {
        assert!(table(&[("1", 909)]).read().unwrap_err().contains("equal priorities"));
        assert!(table(&[("0", 618), ("5", 1)]).read().unwrap_err().contains("\"5\""));
        assert!(table(&[("0", 0)]).read().unwrap_err().contains("thousandths"));
    }
}
