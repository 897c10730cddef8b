//! Bubbles of a trace: what belongs to which bubble, what holds each entity at any instant, and what the threads did.
//!
//! API:
//! - [`Model`] applies the events of declared bubbles one by one: every entity is in exactly one holder after any sequence.
//! - [`Timeline`] gives the state at an instant and the changes between two, for the replay in the browser.
//! - [`derive`] reads the tables of a checked trace and writes `bubble`, `bubble_member`, `entity_holder`, `bubble_stat` and
//!   what is broken into `data_quality`, for the declared, the natural and the creation tree.
//!
//! What each event does is defined in `docs/semantics.md`, section "Bubbles".

mod creation;
mod derive;
mod frames;
mod lifetimes;
mod model;
mod natural;
mod parts;
mod read;
mod segments;
mod stats;
mod sweep;
mod timeline;
mod tree;

pub use derive::derive;
pub use lifetimes::{ThreadLifetime, ThreadLifetimes};
pub use model::{BubbleEvent, DeclaredBubble, Inconsistency, InconsistencyCount, Model, Record};
pub use parts::{Part, Parts};
pub use read::{BatchReader, BubbleError};
pub use timeline::{Change, Timeline};

/// Bubbles may be nested this deep; what is nested deeper is refused (declared) or belongs to the bubble at this depth.
pub const MAX_DEPTH: usize = 64;

/// What a holder can hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Entity {
    /// A thread, by utid.
    Thread(i32),
    /// A bubble, by `bubble_id`.
    Bubble(i32),
}

/// What can hold an entity.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Holder {
    /// Nothing: not woken yet.
    Outside,
    /// A bubble, by `bubble_id`.
    Bubble(i32),
    /// The runqueue of a part of the machine.
    Runqueue(Part),
}

impl Holder {
    /// The runqueue of the whole machine.
    pub const MACHINE: Self = Self::Runqueue(Part { level: wastenot_schemas::holder::MACHINE, id: 0 });

    /// As the columns `holder` and `holder_id` have it.
    pub fn columns(self) -> (u8, Option<i32>) {
        match self {
            Self::Outside => (wastenot_schemas::holder::OUTSIDE, None),
            Self::Bubble(id) => (wastenot_schemas::holder::BUBBLE, Some(id)),
            Self::Runqueue(part) => (part.level, Some(part.id)),
        }
    }

    /// From the columns; what they cannot mean is outside.
    pub fn of_columns(holder: u8, id: Option<i32>) -> Self {
        match (holder, id) {
            (wastenot_schemas::holder::OUTSIDE, _) | (_, None) => Self::Outside,
            (wastenot_schemas::holder::BUBBLE, Some(id)) => Self::Bubble(id),
            (level, Some(id)) => Self::Runqueue(Part { level, id }),
        }
    }
}

/// An interval in which an entity is in one holder with one state: a row of `entity_holder`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HolderInterval {
    /// Event with which it starts; None for the end of a thread or process.
    pub id: Option<i64>,
    /// The entity.
    pub entity: Entity,
    /// Its holder.
    pub holder: Holder,
    /// Of a bubble, a code of `bubble_state`.
    pub state: Option<u8>,
    /// Its priority.
    pub priority: Option<i32>,
    /// Start and end, ns; the end is not part of it.
    pub start_ns: i64,
    /// See `start_ns`.
    pub end_ns: i64,
}

/// That an entity belonged to a bubble: a row of `bubble_member`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Member {
    /// The bubble.
    pub bubble: i32,
    /// The entity.
    pub entity: Entity,
    /// From when, ns.
    pub start_ns: i64,
    /// Until when, ns.
    pub end_ns: i64,
}
