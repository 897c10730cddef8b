//! Calls of MPI and OpenMP, as the library that is preloaded into an application reports them (`collector/calls`).

use super::utf8;
use crate::{Call, EventKind, Tid};
use wastenot_assemble::{Event, Interner, RegionEvent};
use wastenot_schemas::region_kind;

/// What the library gives for a peer where a call has none.
const NO_PEER: i64 = i32::MIN as i64;

/// The row of an entry or a return of thread `tid`. None: its kind is not known.
pub(crate) fn call_event(
    kind: EventKind,
    cpu: Option<i16>,
    tid: Tid,
    event: &Call<'_>,
    ids: &mut Interner,
) -> Option<Event> {
    let of = u8::try_from(event.kind).ok().filter(|&of| usize::from(of) < region_kind::NAMES.len())?;
    let name = utf8(event.name);
    let name = match event.code {
        None | Some(0) => ids.text(&name),
        Some(code) => ids.text(&format!("{name} {code:#x}")),
    };
    let peer = event.peer.filter(|&peer| peer != NO_PEER).and_then(|peer| i32::try_from(peer).ok());
    let bytes = event.bytes.filter(|&bytes| bytes >= 0);
    Some(RegionEvent { cpu, tid, kind: of, enter: kind == EventKind::CallEnter, peer, bytes, name }.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_place_in_the_program_belongs_to_the_name() {
        let mut ids = Interner::default();
        let call = Call {
            kind: region_kind::PARALLEL.into(),
            name: b"parallel",
            code: Some(0x40),
            peer: Some(NO_PEER),
            bytes: Some(-1),
        };
        let Some(Event::RegionEvent(row)) = call_event(EventKind::CallEnter, Some(1), 7, &call, &mut ids) else {
            panic!("a row")
        };
        assert_eq!((row.tid, row.kind, row.enter, row.peer, row.bytes), (7, region_kind::PARALLEL, true, None, None));
        assert_eq!(ids.text_of(row.name), "parallel 0x40");
        let unknown = Call { kind: 99, ..call };
        assert!(call_event(EventKind::CallLeave, Some(1), 7, &unknown, &mut ids).is_none());
    }
}
