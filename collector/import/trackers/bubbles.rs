//! Bubbles, as applications report them (`collector/bubbles`).

use super::utf8;
use crate::{Bubble, EventKind, Tid};
use wastenot_assemble::{BubbleEvent, Event};
use wastenot_schemas::{bubble_event_kind, holder};

/// The row of a bubble's event, or of the dump of an earlier one; `tid` is the thread that reports. None: it is inconsistent.
pub(crate) fn bubble_event(kind: EventKind, cpu: Option<i16>, tid: Option<Tid>, event: &Bubble<'_>) -> Option<Event> {
    let Bubble { bubble, holder, holder_id, .. } = *event;
    let is_dump = kind == EventKind::BubbleStatedump;
    let kind = if is_dump { event.kind? } else { kind as i64 - EventKind::BubbleInit as i64 };
    let kind = u8::try_from(kind).ok().filter(|&kind| kind <= bubble_event_kind::DESTROY)?;
    let into = holder_id.filter(|_| holder == Some(holder::BUBBLE.into()));
    // The upper half of a bubble's number is the process that made it.
    let process = |number: i64| i32::try_from(number >> 32).ok();
    let own = |number: i64| number & 0xffff_ffff;
    use bubble_event_kind::{BURST_LEVEL, EXPECT, INSERT_BUBBLE, INSERT_THREAD, MOVE, PRIORITY, SLICE};
    let has_holder = matches!(kind, INSERT_THREAD | INSERT_BUBBLE | MOVE);
    let has_value = matches!(kind, PRIORITY | SLICE | EXPECT);
    let entity_tid = match bubble {
        0 => Some(i32::try_from(event.entity_tid?).ok().filter(|&tid| tid > 0)?),
        _ => None,
    };
    Some(Event::BubbleEvent(Box::new(BubbleEvent {
        cpu,
        tid,
        tgid: Some(bubble).filter(|&number| number != 0).or(into).and_then(process),
        kind,
        bubble: (bubble != 0).then(|| own(bubble)),
        entity_tid,
        holder: holder.filter(|_| has_holder || kind == BURST_LEVEL).and_then(|code| u8::try_from(code).ok()),
        holder_id: holder_id.filter(|_| has_holder).map(|id| if into.is_some() { own(id) } else { id }),
        value: event.value.filter(|_| has_value),
        name: event.name.filter(|_| kind == bubble_event_kind::INIT).map(|name| utf8(name).into()),
        snapshot: is_dump,
        status: event.status.and_then(|status| i32::try_from(status).ok()).filter(|&status| status != 0),
        ..Default::default()
    })))
}
