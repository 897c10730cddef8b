//! Lengths of time, fixed or random, as a text file writes them: `"2ms"`, `{ uniform = ["1ms", "3ms"] }`,
//! `{ exponential = "2ms" }`.

use crate::random::Random;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Nanoseconds: of the simulated clock, or of work at capacity 1024.
pub type Ns = u64;

/// One microsecond.
pub const US: Ns = 1_000;
/// One millisecond.
pub const MS: Ns = 1_000_000;
/// One second.
pub const S: Ns = 1_000_000_000;

/// A fixed length of time. Written as a number with a unit: `"250us"`, `"1.5ms"`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Time(pub Ns);

impl Time {
    /// Reads a number with a unit (ns, us, ms, s). At most 18 digits after the point; what is below a nanosecond is cut.
    pub fn parse(text: &str) -> Result<Self, String> {
        let fail = || format!("{text:?} is not a time: a number and ns, us, ms or s");
        let text = text.trim();
        let split = text.find(|c: char| c.is_ascii_alphabetic()).ok_or_else(fail)?;
        let unit: u128 = match &text[split..] {
            "ns" => 1,
            "us" => 1_000,
            "ms" => 1_000_000,
            "s" => 1_000_000_000,
            _ => return Err(fail()),
        };
        let number = text[..split].trim();
        let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
        let digits = |t: &str| !t.is_empty() && t.len() <= 18 && t.bytes().all(|b| b.is_ascii_digit());
        if !digits(whole) || !(fraction.is_empty() || digits(fraction)) {
            return Err(fail());
        }
        let parse = |t: &str| if t.is_empty() { 0 } else { t.parse::<u128>().unwrap_or(0) };
        let ns = parse(whole) * unit + parse(fraction) * unit / 10u128.pow(fraction.len() as u32);
        // At most a century, so that sums do not overflow.
        if ns > 3_200_000_000 * 1_000_000_000 {
            return Err(format!("{text:?} is longer than a century"));
        }
        Ok(Self(ns as Ns))
    }
}

impl<'de> Deserialize<'de> for Time {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Self::parse(&String::deserialize(deserializer)?).map_err(serde::de::Error::custom)
    }
}

impl Serialize for Time {
    fn serialize<Z: Serializer>(&self, serializer: Z) -> Result<Z::Ok, Z::Error> {
        let ns = self.0;
        let (number, unit) = match ns {
            _ if ns > 0 && ns.is_multiple_of(S) => (ns / S, "s"),
            _ if ns > 0 && ns.is_multiple_of(MS) => (ns / MS, "ms"),
            _ if ns > 0 && ns.is_multiple_of(US) => (ns / US, "us"),
            _ => (ns, "ns"),
        };
        serializer.collect_str(&format_args!("{number}{unit}"))
    }
}

/// A length of time drawn anew at each use.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub enum Span {
    /// Always the same.
    Fixed(Time),
    /// Anything between the two, equally likely.
    Uniform {
        /// Shortest and longest.
        uniform: [Time; 2],
    },
    /// Exponentially distributed.
    Exponential {
        /// The mean.
        exponential: Time,
    },
}

impl<'de> Deserialize<'de> for Span {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        // Read as texts first: an untagged enumeration would not report what is wrong with a time.
        #[derive(Deserialize)]
        #[serde(untagged)]
        enum SpanText {
            Fixed(String),
            Uniform { uniform: [String; 2] },
            Exponential { exponential: String },
        }
        let time = |text: &str| Time::parse(text).map_err(serde::de::Error::custom);
        Ok(match SpanText::deserialize(deserializer)? {
            SpanText::Fixed(t) => Self::Fixed(time(&t)?),
            SpanText::Uniform { uniform: [from, to] } => Self::Uniform { uniform: [time(&from)?, time(&to)?] },
            SpanText::Exponential { exponential } => Self::Exponential { exponential: time(&exponential)? },
        })
    }
}

impl Span {
    /// Always `ns`.
    pub const fn fixed(ns: Ns) -> Self {
        Self::Fixed(Time(ns))
    }

    /// Anything from `from` to `to`.
    pub const fn uniform(from: Ns, to: Ns) -> Self {
        Self::Uniform { uniform: [Time(from), Time(to)] }
    }

    /// Exponential with the mean `ns`.
    pub const fn exponential(ns: Ns) -> Self {
        Self::Exponential { exponential: Time(ns) }
    }

    /// The longest that can be drawn, or the mean of what has no longest.
    pub fn longest(&self) -> Ns {
        match *self {
            Self::Fixed(t) | Self::Exponential { exponential: t } => t.0,
            Self::Uniform { uniform: [from, to] } => from.0.max(to.0),
        }
    }

    /// One draw.
    pub fn draw(&self, random: &mut Random) -> Ns {
        match *self {
            Self::Fixed(t) => t.0,
            Self::Uniform { uniform: [from, to] } => random.between(from.0, to.0.max(from.0)),
            Self::Exponential { exponential } => random.exponential(exponential.0),
        }
    }
}
