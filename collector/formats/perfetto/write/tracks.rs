//! What the checker found as tracks: wasted cores as a counter, episodes and their causes as slices.

use super::entities::{Window, rows};
use super::file::Target;
use super::{BatchReader, ExportError};
use crate::fields::{packet, track};
use crate::wire::{put_message, put_number, put_signed, put_text};
use std::collections::{BTreeMap, HashMap};
use wastenot_schemas::{self as tables, distance, ended_by, grade, not_moved_because, placed_by, proof};

/// Uuids of our tracks begin here ("wastenot" in ASCII).
const UUIDS: u64 = u64::from_be_bytes(*b"wastenot") & 0x7fff_ffff_ffff_0000;
/// Slices that overlap take lanes; more than this are cut instead.
const LANES: u64 = 64;
/// Causes with a track of their own.
const CAUSES: usize = 64;
/// A cause that is not known.
const UNKNOWN: &str = "unknown";

/// Groups of tracks, in the order in which they are shown.
pub const EPISODES: u64 = 3;
const CAUSE_TRACKS: u64 = 4;
/// Interrupts per CPU.
pub const INTERRUPTS: u64 = 5;
/// Losses per CPU.
pub const LOST: u64 = 6;

/// An interval on a track.
pub struct Slice<'a> {
    pub start_ns: i64,
    pub end_ns: i64,
    pub name: &'a str,
    /// Shown with it.
    pub texts: &'a [(&'a str, String)],
}

/// Slices per CPU, as the events bring them.
#[derive(Default)]
pub struct Slices {
    tracks: HashMap<(u64, Option<i16>), Track>,
    groups: HashMap<u64, u64>,
}

/// A track and where its last slice ended.
#[derive(Clone, Copy)]
struct Track {
    uuid: u64,
    end_ns: i64,
}

impl Slices {
    /// Write a slice on the group's track of `cpu`; what it shares with the one before is cut off.
    pub fn write(
        &mut self,
        group: u64,
        cpu: Option<i16>,
        slice: &Slice<'_>,
        file: &mut Target,
    ) -> Result<(), ExportError> {
        let title = if group == INTERRUPTS { "interrupts" } else { "lost events" };
        let parent = match self.groups.get(&group) {
            Some(parent) => *parent,
            None => *self.groups.entry(group).or_insert(group_of(group, title, file)?),
        };
        let known = self.tracks.len() as u64;
        let track = match self.tracks.entry((group, cpu)) {
            std::collections::hash_map::Entry::Occupied(known) => known.into_mut(),
            std::collections::hash_map::Entry::Vacant(new) => {
                let name = cpu.map_or("any CPU".into(), |cpu| format!("CPU {cpu}"));
                let uuid = UUIDS + 0x8000 + known;
                describe(uuid, Some(parent), &name, cpu.unwrap_or(-1).into(), |_| {}, file)?;
                new.insert(Track { uuid, end_ns: i64::MIN })
            }
        };
        let start_ns = slice.start_ns.max(track.end_ns);
        if slice.end_ns <= start_ns {
            return Ok(());
        }
        track.end_ns = slice.end_ns;
        put_slice(track.uuid, &Slice { start_ns, ..*slice }, &[], file)
    }
}

/// Write the checker's findings.
pub fn findings(
    inputs: &mut BTreeMap<String, BatchReader>,
    window: Window,
    file: &mut Target,
) -> Result<(), ExportError> {
    counter(inputs, window, file)?;
    episodes(inputs, file)
}

/// Describe a track.
fn describe(
    uuid: u64,
    parent: Option<u64>,
    name: &str,
    rank: i64,
    more: impl FnOnce(&mut Vec<u8>),
    file: &mut Target,
) -> Result<(), ExportError> {
    file.packet(|out| {
        put_message(out, packet::TRACK_DESCRIPTOR, |descriptor| {
            put_number(descriptor, track::UUID, uuid);
            put_text(descriptor, track::NAME, name);
            if let Some(parent) = parent {
                put_number(descriptor, track::PARENT_UUID, parent);
            }
            put_signed(descriptor, track::SIBLING_ORDER_RANK, rank);
            more(descriptor);
        });
    })
}

/// The track that holds a group of tracks, below the one that holds them all.
fn group_of(group: u64, title: &str, file: &mut Target) -> Result<u64, ExportError> {
    let ordered = |out: &mut Vec<u8>| put_number(out, track::CHILD_ORDERING, track::EXPLICIT);
    describe(UUIDS, None, "wastenot", 0, ordered, file)?;
    describe(UUIDS + group, Some(UUIDS), title, group as i64, ordered, file)?;
    Ok(UUIDS + group)
}

fn put_slice(uuid: u64, slice: &Slice<'_>, numbers: &[(&str, i64)], file: &mut Target) -> Result<(), ExportError> {
    let mut begin = Vec::new();
    put_number(&mut begin, track::EVENT_TYPE, track::SLICE_BEGIN);
    put_number(&mut begin, track::EVENT_TRACK_UUID, uuid);
    put_text(&mut begin, track::EVENT_NAME, slice.name);
    for (name, value) in numbers {
        put_message(&mut begin, track::EVENT_ANNOTATIONS, |annotation| {
            put_text(annotation, track::ANNOTATION_NAME, name);
            put_signed(annotation, track::ANNOTATION_INT, *value);
        });
    }
    for (name, value) in slice.texts {
        put_message(&mut begin, track::EVENT_ANNOTATIONS, |annotation| {
            put_text(annotation, track::ANNOTATION_NAME, name);
            put_text(annotation, track::ANNOTATION_TEXT, value);
        });
    }
    file.packet_at(slice.start_ns, packet::TRACK_EVENT, &begin)?;
    let mut end = Vec::new();
    put_number(&mut end, track::EVENT_TYPE, track::SLICE_END);
    put_number(&mut end, track::EVENT_TRACK_UUID, uuid);
    file.packet_at(slice.end_ns, packet::TRACK_EVENT, &end)
}

/// The invariant over time: cores wasted, and the same before any excuse.
fn counter(inputs: &mut BTreeMap<String, BatchReader>, window: Window, file: &mut Target) -> Result<(), ExportError> {
    let cores = |out: &mut Vec<u8>| {
        put_message(out, track::COUNTER, |counter| put_text(counter, track::COUNTER_UNIT_NAME, "cores"));
    };
    let ordered = |out: &mut Vec<u8>| put_number(out, track::CHILD_ORDERING, track::EXPLICIT);
    describe(UUIDS, None, "wastenot", 0, ordered, file)?;
    let names = ["wasted cores", "idle while waiting"];
    for (nth, name) in (1..).zip(names) {
        describe(UUIDS + nth, Some(UUIDS), name, nth as i64, cores, file)?;
    }
    let mut last = [None; 2];
    let mut end_ns = window.0;
    let mut step = |at_ns: i64, values: [i32; 2]| -> Result<(), ExportError> {
        for (nth, value) in values.into_iter().enumerate() {
            if last[nth] == Some(value) {
                continue;
            }
            last[nth] = Some(value);
            let mut event = Vec::new();
            put_number(&mut event, track::EVENT_TYPE, track::COUNTER_VALUE);
            put_number(&mut event, track::EVENT_TRACK_UUID, UUIDS + 1 + nth as u64);
            put_signed(&mut event, track::EVENT_COUNTER_VALUE, value.into());
            file.packet_at(at_ns, packet::TRACK_EVENT, &event)?;
        }
        Ok(())
    };
    step(window.0, [0, 0])?;
    let mut failed = Ok(());
    rows(inputs, tables::wasted::NAME, tables::wasted::View::try_new, None, |view, i| {
        let r = view.row(i);
        if failed.is_ok() && r.start_ns > end_ns {
            failed = step(end_ns, [0, 0]);
        }
        if failed.is_ok() {
            failed = step(r.start_ns, [r.wasted, r.idle_while_waiting]);
        }
        end_ns = r.start_ns + r.dur_ns;
    })?;
    failed?;
    step(end_ns, [0, 0])
}

/// Tracks on which slices may overlap: each begins on the first lane that is free.
struct Lanes {
    parent: u64,
    first_uuid: u64,
    used: u64,
    lanes: HashMap<String, Vec<Track>>,
}

impl Lanes {
    fn place(
        &mut self,
        title: &str,
        rank: i64,
        slice: &Slice<'_>,
        file: &mut Target,
    ) -> Result<Option<(u64, i64)>, ExportError> {
        let lanes = self.lanes.entry(title.to_owned()).or_default();
        let free = lanes.iter().position(|lane| lane.end_ns <= slice.start_ns);
        let lane = match free {
            Some(free) => &mut lanes[free],
            None if (lanes.len() as u64) < LANES => {
                let uuid = self.first_uuid + self.used;
                self.used += 1;
                let name = if lanes.is_empty() { title.to_owned() } else { format!("{title} ({})", lanes.len() + 1) };
                describe(uuid, Some(self.parent), &name, rank, |_| {}, file)?;
                lanes.push(Track { uuid, end_ns: i64::MIN });
                lanes.last_mut().expect("one was pushed")
            }
            None => &mut lanes[0],
        };
        let start_ns = slice.start_ns.max(lane.end_ns);
        if slice.end_ns <= start_ns {
            return Ok(None);
        }
        lane.end_ns = slice.end_ns;
        Ok(Some((lane.uuid, start_ns)))
    }
}

fn episodes(inputs: &mut BTreeMap<String, BatchReader>, file: &mut Target) -> Result<(), ExportError> {
    let parent = group_of(EPISODES, "episodes", file)?;
    let mut grades = Lanes { parent, first_uuid: UUIDS + 0x100, used: 0, lanes: HashMap::new() };
    let mut causes = Lanes { parent: 0, first_uuid: UUIDS + 0x1000, used: 0, lanes: HashMap::new() };
    let mut failed = Ok(());
    rows(inputs, tables::episode::NAME, tables::episode::View::try_new, None, |view, i| {
        if failed.is_ok() {
            failed = episode(&view.row(i), &mut grades, &mut causes, file);
        }
    })?;
    failed
}

fn episode(
    r: &tables::episode::Row<'_>,
    grades: &mut Lanes,
    causes: &mut Lanes,
    file: &mut Target,
) -> Result<(), ExportError> {
    let named = |names: &[&'static str], code: u8| names.get(code as usize).copied().unwrap_or("?");
    let name = named(grade::NAMES, r.grade);
    let placed_by = named(placed_by::NAMES, r.placed_by);
    let not_moved_because = named(not_moved_because::NAMES, r.not_moved_because);
    let numbers = [
        ("episode", i64::from(r.episode_id)),
        ("wasted core-ns", r.core_ns),
        ("wasted core-ns with higher grades", r.total_core_ns),
        ("excused core-ns", r.excused_core_ns),
        ("peak cores", r.peak.into()),
        ("threads", r.threads.into()),
    ];
    let texts = [
        ("idle CPUs", list(r.idle_cpus)),
        ("overloaded CPUs", list(r.overloaded_cpus)),
        ("distance", named(distance::NAMES, r.distance).into()),
        ("domain", r.domain.unwrap_or("none or unknown").to_owned()),
        ("placed_by", placed_by.into()),
        ("not_moved_because", not_moved_because.into()),
        ("ended_by", named(ended_by::NAMES, r.ended_by).into()),
        ("proof", named(proof::NAMES, r.proof).into()),
    ];
    let slice = Slice { start_ns: r.start_ns, end_ns: r.end_ns, name, texts: &texts };
    if let Some((uuid, start_ns)) = grades.place(name, -i64::from(r.grade), &slice, file)? {
        put_slice(uuid, &Slice { start_ns, ..slice }, &numbers, file)?;
    }
    let title = format!("{placed_by} / {not_moved_because}");
    let known = causes.lanes.contains_key(&title) || causes.lanes.len() < CAUSES;
    if (placed_by == UNKNOWN && not_moved_because == UNKNOWN) || !known {
        return Ok(());
    }
    if causes.parent == 0 {
        causes.parent = group_of(CAUSE_TRACKS, "causes", file)?;
    }
    let name = if not_moved_because == UNKNOWN { placed_by } else { not_moved_because };
    let slice = Slice { name, ..slice };
    match causes.place(&title, causes.used as i64, &slice, file)? {
        Some((uuid, start_ns)) => put_slice(uuid, &Slice { start_ns, ..slice }, &numbers, file),
        None => Ok(()),
    }
}

/// CPUs as the kernel writes them: `0-3,8`.
fn list(cpus: &[i16]) -> String {
    let mut parts: Vec<(i16, i16)> = Vec::new();
    for &cpu in cpus {
        match parts.last_mut() {
            Some((_, last)) if *last + 1 == cpu => *last = cpu,
            _ => parts.push((cpu, cpu)),
        }
    }
    let part = |(first, last): &(i16, i16)| match first == last {
        true => first.to_string(),
        false => format!("{first}-{last}"),
    };
    parts.iter().map(part).collect::<Vec<_>>().join(",")
}
