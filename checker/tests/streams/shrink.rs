//! Make a stream that shows a difference as short as it can be.

use crate::events::{Event, Stream};

/// Remove events for as long as `differs` says yes of what is left.
pub fn shrink(stream: &Stream, differs: impl Fn(&Stream) -> bool) -> Stream {
    let mut best = stream.clone();
    let mut chunk = best.events.len().div_ceil(2);
    while chunk > 0 {
        let mut removed = false;
        let mut at = 0;
        while at < best.events.len() {
            let to = (at + chunk).min(best.events.len());
            let rest: Vec<Event> = [&best.events[..at], &best.events[to..]].concat();
            let shorter = Stream { events: rest, ..best.clone() };
            if differs(&shorter) {
                (best, removed) = (shorter, true);
            } else {
                at = to;
            }
        }
        if !removed || chunk > 1 {
            chunk /= 2;
        }
    }
    best
}
