//! Events of bubbles in drawings: `bubble KIND ENTITY` and what the kind needs.
//!
//! ```text
//! 1us bubble init b1 named team         the entity is a bubble (b1) or a thread (t101)
//! 1us bubble insert_thread t101 to b1   the holder: a bubble, or a runqueue as in `machine`, `node:1`, `cpu:3`, `aside:0`
//! 2us bubble wake b1
//! 2us bubble priority t101 = 5
//! 3us bubble burst_level b1 to node     for a level no number is needed
//! 4us bubble init b1 of 4711 snapshot   of the process 4711; told by a state dump
//! ```

use wastenot_schemas::{bubble_event, bubble_event_kind, holder};

/// The row that the words after `bubble` stand for.
pub fn row<'a>(id: i64, ts_ns: i64, words: &[&'a str]) -> Result<bubble_event::Row<'a>, String> {
    let [kind, entity, rest @ ..] = words else {
        return Err("write `bubble KIND ENTITY`, as in `bubble init b1`".into());
    };
    let kind = code(bubble_event_kind::NAMES, kind)?;
    let mut row = bubble_event::Row {
        id,
        ts_ns,
        cpu: None,
        tid: None,
        tgid: None,
        kind,
        bubble: None,
        entity_tid: None,
        holder: None,
        holder_id: None,
        value: None,
        name: None,
        snapshot: false,
        status: None,
    };
    match entity.split_at_checked(1) {
        Some(("b", n)) => row.bubble = Some(number(n)?),
        Some(("t", n)) => row.entity_tid = Some(number(n)?),
        _ => return Err(format!("{entity}: b1 for a bubble or t101 for a thread")),
    }
    let mut words = rest.iter();
    while let Some(word) = words.next() {
        let mut next = || words.next().ok_or_else(|| format!("{word}: something must follow"));
        match *word {
            "to" | "from" => (row.holder, row.holder_id) = place(next()?)?,
            "=" => row.value = Some(number(next()?)?),
            "named" => row.name = Some(next()?),
            "of" => row.tgid = Some(number(next()?)?),
            "on" => row.cpu = Some(number(next()?)?),
            "snapshot" => row.snapshot = true,
            other => return Err(format!("{other}: to, from, =, named, of, on or snapshot")),
        }
    }
    Ok(row)
}

fn place(text: &str) -> Result<(Option<u8>, Option<i64>), String> {
    if let Some(n) = text.strip_prefix('b').filter(|n| n.bytes().all(|b| b.is_ascii_digit())) {
        return Ok((Some(holder::BUBBLE), Some(number(n)?)));
    }
    let (level, at) = text.split_once(':').unwrap_or((text, "0"));
    Ok((Some(code(holder::NAMES, level)?), Some(number(at)?)))
}

fn code(names: &[&str], name: &str) -> Result<u8, String> {
    let at = names.iter().position(|n| *n == name);
    at.map(|i| i as u8).ok_or_else(|| format!("{name}: one of {}", names.join(" ")))
}

fn number<T: std::str::FromStr>(text: &str) -> Result<T, String> {
    text.parse().map_err(|_| format!("{text}: not a number that fits"))
}
