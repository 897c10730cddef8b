//! What events refer to: values that many rows share, each stored once.

use std::num::NonZeroU32;

macro_rules! reference {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub struct $name(NonZeroU32);

        impl $name {
            /// The id of the value stored at `index` (from 0).
            ///
            /// # Panics
            /// From 2^32 - 1 values on.
            pub fn nth(index: usize) -> Self {
                let number = u32::try_from(index + 1).expect("fewer than 4 G interned values");
                Self(NonZeroU32::new(number).expect("index + 1 > 0"))
            }

            /// Where the value is stored, from 0.
            pub fn index(self) -> usize {
                self.0.get() as usize - 1
            }

            /// The id as stored in a column, from 1.
            pub fn column(self) -> i32 {
                self.0.get() as i32
            }
        }
    };
}

reference!(
    /// A row of `mask`: a set of CPUs.
    MaskId
);
reference!(
    /// A row of `stack`.
    StackId
);
reference!(
    /// A text of a small closed set (counter, function, kind of loss).
    TextId
);

/// Resolves what events refer to, as they become rows.
pub trait References {
    /// The text behind an id.
    fn text(&self, id: TextId) -> &str;
    /// Event id of the attempt with this number of the event's source; None where it is not known.
    fn attempt_id(&self, number: NonZeroU32) -> Option<i64>;
    /// The attempt with this number of the event's source became the event `id`.
    fn attempt_has_id(&mut self, number: NonZeroU32, id: i64);
    /// The cgroup occurs in an event: it has a row, described or not.
    fn mention_cgroup(&mut self, cgroup_id: i64);
}

/// Gives the typed ids for what rows refer to, as rows become events again. The outer None: the row refers to a value that
/// is not there.
pub trait Known {
    /// The mask that a row calls `id`.
    fn mask(&self, id: Option<i32>) -> Option<Option<MaskId>>;
    /// The stack that a row calls `id`.
    fn stack(&self, id: Option<i32>) -> Option<Option<StackId>>;
    /// A text of a closed set.
    fn text(&mut self, text: &str) -> TextId;
    /// A number for the attempt of this event id.
    fn attempt(&self, id: i64) -> NonZeroU32;
}

/// Makes a view of a batch of an event table.
pub type MakeEventView = fn(&arrow_array::RecordBatch) -> Result<crate::EventView, crate::SchemaMismatch>;
