//! The texts of CPU sets: the kernel's lists and masks (lib/bitmap-str.c: `bitmap_parselist`, `bitmap_parse`), hwloc's masks.

use crate::CpuSet;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::fmt;
use std::str::FromStr;

/// A list or mask of CPUs is malformed. `Display` is one line: what, why, what to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CpuSetError {
    /// The text that was refused.
    pub text: String,
    /// What is wrong with it.
    pub why: &'static str,
}

/// Characters of a refused text that the message shows.
const SHOWN: usize = 40;

impl fmt::Display for CpuSetError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let shown: String = self.text.chars().take(SHOWN).map(|c| if c.is_control() { ' ' } else { c }).collect();
        let cut = if self.text.chars().nth(SHOWN).is_some() { "..." } else { "" };
        let why = self.why;
        write!(f, "CPU set \"{shown}{cut}\": {why}; write a list such as 0-3,8 or a mask such as ff,ffffffff")
    }
}

impl std::error::Error for CpuSetError {}

impl CpuSetError {
    fn new(text: &str, why: &'static str) -> Self {
        Self { text: text.trim().to_owned(), why }
    }
}

impl CpuSet {
    /// Parses a CPU list: `0-3,8`, with strides `0-31:1/2`. Blank text is the empty set.
    ///
    /// # Errors
    /// A number that is none or above [`CpuSet::MAX_CPU`], a range that runs backwards, a stride that is empty or longer than its group.
    pub fn parse_list(text: &str) -> Result<Self, CpuSetError> {
        let mut set = Self::new();
        for part in text.trim().split(',').filter(|part| !part.trim().is_empty()) {
            set.insert_part(part).map_err(|why| CpuSetError::new(text, why))?;
        }
        Ok(set)
    }

    /// `3`, `0-3` or `0-31:1/2`.
    fn insert_part(&mut self, part: &str) -> Result<(), &'static str> {
        let (range, stride) = part.split_once(':').map_or((part, None), |(range, stride)| (range, Some(stride)));
        let (from, to) = range.split_once('-').unwrap_or((range, range));
        let (from, to) = (number(from)?, number(to)?);
        let (used, group) = match stride {
            Some(stride) => stride.split_once('/').ok_or("stride without /")?,
            None => ("1", "1"),
        };
        let (used, group) = (number(used)?, number(group)?);
        if from > to || used == 0 || used > group {
            return Err("range runs backwards or is empty");
        }
        if used == group {
            self.insert_range(from, to);
        } else {
            (from..=to).step_by(group as usize).for_each(|first| self.insert_range(first, to.min(first + used - 1)));
        }
        Ok(())
    }

    /// Parses a hexadecimal mask: groups of 32 bits parted by commas, highest first (`ff,ffffffff`), or one number
    /// of any length. hwloc's spelling (`0x` before each group, empty groups for zero) is understood too.
    ///
    /// # Errors
    /// No digits at all, a digit that is not hexadecimal, more than 32 bits between commas, a CPU above [`CpuSet::MAX_CPU`].
    pub fn parse_mask(text: &str) -> Result<Self, CpuSetError> {
        let fail = |why| CpuSetError::new(text, why);
        let text = text.trim();
        if text.is_empty() {
            return Err(fail("empty mask"));
        }
        let groups: Vec<&str> = text.split(',').map(|g| g.trim().trim_start_matches("0x")).collect();
        let mut nibbles: Vec<u8> = Vec::new();
        for (i, group) in groups.iter().rev().enumerate() {
            if groups.len() > 1 && group.len() > 8 {
                return Err(fail("more than 32 bits between commas"));
            }
            nibbles.resize(i * 8, 0);
            for digit in group.bytes().rev() {
                nibbles.push((digit as char).to_digit(16).ok_or_else(|| fail("not a hexadecimal mask"))? as u8);
            }
        }
        if nibbles.iter().skip(Self::MAX_CPU as usize / 4 + 1).any(|&n| n != 0) {
            return Err(fail(TOO_HIGH));
        }
        Ok(Self::from_words(nibbles.chunks(16).map(|c| c.iter().rev().fold(0, |w, &n| w << 4 | u64::from(n)))))
    }

    /// Hexadecimal mask as the kernel prints it: groups of 32 bits, the highest without leading zeros (`ff,ffffffff`).
    pub fn to_mask(&self) -> String {
        let mut groups: Vec<u32> = self.words().iter().flat_map(|&w| [w as u32, (w >> 32) as u32]).collect();
        while groups.last() == Some(&0) {
            groups.pop();
        }
        let mut rest = groups.iter().rev();
        let head = rest.next().map_or("0".to_owned(), |g| format!("{g:x}"));
        rest.fold(head, |text, g| format!("{text},{g:08x}"))
    }
}

const TOO_HIGH: &str = "CPU number above 32767";

fn number(text: &str) -> Result<u32, &'static str> {
    match text.trim().parse::<u32>() {
        Ok(n) if n <= CpuSet::MAX_CPU => Ok(n),
        Ok(_) => Err(TOO_HIGH),
        Err(_) => Err("not a CPU number"),
    }
}

impl fmt::Display for CpuSet {
    /// The CPU list, ranges joined: `0-3,8`; nothing for the empty set.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut cpus = self.iter().peekable();
        let mut comma = "";
        while let Some(from) = cpus.next() {
            let mut to = from;
            while cpus.next_if_eq(&(to + 1)).is_some() {
                to += 1;
            }
            match to - from {
                0 => write!(f, "{comma}{from}")?,
                _ => write!(f, "{comma}{from}-{to}")?,
            }
            comma = ",";
        }
        Ok(())
    }
}

impl FromStr for CpuSet {
    type Err = CpuSetError;

    fn from_str(text: &str) -> Result<Self, CpuSetError> {
        Self::parse_list(text)
    }
}

impl Serialize for CpuSet {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for CpuSet {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        Self::parse_list(&text).map_err(serde::de::Error::custom)
    }
}
