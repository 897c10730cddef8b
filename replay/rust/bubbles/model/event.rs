//! Events as the model takes them, and their inconsistencies.

/// An event, with its thread resolved.
#[derive(Clone, Copy, Debug, Default)]
pub struct BubbleEvent<'a> {
    /// Its id and time.
    pub id: i64,
    /// See `id`.
    pub ts_ns: i64,
    /// Process that the numbers of bubbles belong to.
    pub tgid: Option<i32>,
    /// A code of `bubble_event_kind`.
    pub kind: u8,
    /// The bubble that is the entity, by number.
    pub bubble: Option<i64>,
    /// The thread that is the entity, by utid.
    pub utid: Option<i32>,
    /// A code of `holder`, and its number.
    pub holder: Option<u8>,
    /// See `holder`.
    pub holder_id: Option<i64>,
    /// See the table.
    pub value: Option<i64>,
    /// Name of the bubble.
    pub name: Option<&'a str>,
    /// From a state dump.
    pub snapshot: bool,
}

/// Why an event was repaired or ignored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[allow(missing_docs)] // docs/semantics.md has them by these names
pub enum Inconsistency {
    UnknownBubble,
    InitTwice,
    DestroyedBubble,
    EndedThread,
    Cycle,
    TooDeep,
    TwoHolders,
    NotMember,
    NoSuchRunqueue,
    BurstTwice,
    NotBurst,
    BurstInside,
    IntoBurst,
    Refused,
    Incomplete,
}

impl Inconsistency {
    /// Name in the data quality.
    pub fn name(self) -> &'static str {
        match self {
            Self::UnknownBubble => "unknown_bubble",
            Self::InitTwice => "init_twice",
            Self::DestroyedBubble => "destroyed_bubble",
            Self::EndedThread => "ended_thread",
            Self::Cycle => "cycle",
            Self::TooDeep => "too_deep",
            Self::TwoHolders => "two_holders",
            Self::NotMember => "not_member",
            Self::NoSuchRunqueue => "no_such_runqueue",
            Self::BurstTwice => "burst_twice",
            Self::NotBurst => "not_burst",
            Self::BurstInside => "burst_inside",
            Self::IntoBurst => "into_burst",
            Self::Refused => "refused",
            Self::Incomplete => "incomplete",
        }
    }
}

/// How often, and when first and last (ns).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub struct InconsistencyCount {
    pub times: i64,
    pub first_ns: i64,
    pub last_ns: i64,
}
