//! What is decoded of a trace: its classes with the programs that read them.

use crate::classes::{Class, ClockInfo, FieldKind, Members, Slot, trace_info};
use crate::native::model::{ByteOrder, EnvValue, EventClass, Integer, OUTERMOST, StreamClass, TraceClass, Type};
use crate::native::program::{Compiler, NumberOf, Program, Target};
use crate::wire::{CtfTraceInfo, Writer};
use std::collections::HashMap;

/// Steps of all programs of a trace.
const MOST_STEPS: usize = 1 << 20;
/// Numbers of events below this one are looked up in a list.
const DENSE: u64 = 1 << 12;

/// A trace whose metadata are fully known.
pub struct Trace {
    pub about: CtfTraceInfo,
    pub packet_header: Program,
    pub streams: Vec<StreamPlan>,
    classes: TraceClass,
}

/// How the packets and events of a stream class are read.
pub struct StreamPlan {
    pub id: u64,
    pub packet_context: Program,
    /// Packets have the number of their CPU.
    pub has_cpu: bool,
    pub frequency: u64,
    pub header: Header,
    pub events: Vec<EventPlan>,
    dense: Vec<u32>,
    sparse: HashMap<u64, u32>,
}

/// How the header of an event is read.
pub enum Header {
    /// LTTng's: a word with 5 bits of id and 27 of the clock, or a long form.
    Compact,
    /// LTTng's: 16 bits of id and 32 of the clock, or a long form.
    Large,
    Program(Program),
}

/// How an event is read.
#[derive(Default)]
pub struct EventPlan {
    pub program: Program,
    /// None: it is stepped over.
    pub class: Option<ReadClass>,
}

/// An event class that is read.
#[derive(Clone, Copy)]
pub struct ReadClass {
    pub number: u16,
    pub is_call: bool,
}

impl Trace {
    /// Make the programs. The error says what is not supported.
    pub fn new(classes: TraceClass) -> Result<Self, String> {
        let header = classes.packet_header.as_deref().ok_or("packets have no header")?;
        let packet_header = one(header, &|depth, _, name, of| match (depth, name) {
            (1, "magic") => number(of, NumberOf::Magic),
            (1, "stream_id") => number(of, NumberOf::StreamClass),
            (1, "stream_instance_id") => number(of, NumberOf::Stream),
            _ => Vec::new(),
        })?;
        let names = |name: &str| header.fields().iter().any(|(known, _)| known == name);
        if !names("magic") || !names("stream_id") && classes.streams.len() != 1 {
            return Err("packets do not have the number of their stream".into());
        }
        let mut clock = None;
        let mut streams = Vec::new();
        for stream in &classes.streams {
            let (plan, of) = StreamPlan::new(stream, &classes).map_err(|why| format!("stream {}: {why}", stream.id))?;
            clock.get_or_insert(of);
            streams.push(plan);
        }
        let clock = clock.ok_or("no streams")?;
        let clock = &classes.clocks[clock];
        let clock = ClockInfo {
            name: Some(clock.name.clone()),
            uuid: clock.uuid.clone(),
            frequency: clock.frequency,
            offset_s: clock.offset_s,
            offset_cycles: clock.offset_cycles,
            of_unix_epoch: clock.absolute,
        };
        let text = |name: &str| match classes.env.get(name) {
            Some(EnvValue::Text(text)) => Some(text.clone()),
            _ => None,
        };
        let value = |name: &str| match classes.env.get(name) {
            Some(EnvValue::Number(number)) => Some(*number),
            _ => None,
        };
        let about = trace_info(text, value, Some(clock));
        Ok(Self { about, packet_header, streams, classes })
    }

    /// The programs of the events of a stream class, which is met for the first time; what is read of them is written
    /// to the reader.
    pub fn enter(
        &mut self,
        stream: usize,
        channel: (u16, &str),
        next: &mut u16,
        writer: &mut Writer,
    ) -> Result<(), String> {
        let of = &self.classes.streams[stream];
        let mut events = Vec::with_capacity(of.events.len());
        for event in &of.events {
            let plan = EventPlan::new(of, event, |members| Class::resolve(&event.name, members, channel, next, writer));
            events.push(plan.map_err(|why| format!("event {}: {why}", event.name))?);
        }
        self.streams[stream].events = events;
        Ok(())
    }

    /// Every event can be read. The error says which cannot.
    pub fn check(&self) -> Result<(), String> {
        let mut steps = 0;
        for stream in &self.classes.streams {
            for event in &stream.events {
                let plan = EventPlan::new(stream, event, |_| None);
                steps += plan.map_err(|why| format!("event {}: {why}", event.name))?.program.size();
                if steps > MOST_STEPS {
                    return Err("its events have too many fields".into());
                }
            }
        }
        Ok(())
    }
}

/// A program for one structure.
fn one(of: &Type, wanted: &dyn Fn(usize, usize, &str, &Type) -> Vec<Target>) -> Result<Program, String> {
    let mut compiler = Compiler::new();
    compiler.add(of, wanted)?;
    Ok(compiler.finish())
}

/// A program for a structure of which fields within others are wanted too.
fn deep(of: &Type, wanted: &dyn Fn(usize, usize, &str, &Type) -> Vec<Target>) -> Result<Program, String> {
    let mut compiler = Compiler::deep();
    compiler.add(of, wanted)?;
    Ok(compiler.finish())
}

fn number(of: &Type, what: NumberOf) -> Vec<Target> {
    if of.integer().is_some_and(|integer| !integer.signed) { vec![Target::Number(what)] } else { Vec::new() }
}

impl StreamPlan {
    /// Also returns the place of its clock.
    fn new(stream: &StreamClass, trace: &TraceClass) -> Result<(Self, usize), String> {
        let context = stream.packet_context.as_deref().ok_or("its packets have no context")?;
        let header = stream.event_header.as_deref().ok_or("its events have no header")?;
        let clock = clock_of(header)?;
        let at = trace.clocks.iter().position(|known| known.name == clock);
        let at = at.ok_or_else(|| format!("the clock `{clock}` is not declared"))?;
        for name in ["timestamp_begin", "timestamp_end", "content_size", "packet_size"] {
            let field = context.fields().iter().find(|(known, _)| known == name);
            let integer = field.and_then(|(_, of)| of.integer()).filter(|integer| !integer.signed);
            let timed = name.starts_with("timestamp");
            let fits = |integer: &Integer| !timed || integer.size == 64 && integer.clock.as_ref() == Some(&clock);
            if !integer.is_some_and(fits) {
                return Err(format!("its packets have no {name} as LTTng writes it"));
            }
        }
        let packet_context = one(context, &|depth, _, name, of| match (depth, name) {
            (1, "timestamp_begin") => number(of, NumberOf::Begin),
            (1, "timestamp_end") => number(of, NumberOf::End),
            (1, "content_size") => number(of, NumberOf::Content),
            (1, "packet_size") => number(of, NumberOf::Size),
            (1, "packet_seq_num") => number(of, NumberOf::Sequence),
            (1, "events_discarded") => number(of, NumberOf::Discarded),
            (1, name) if name.strip_prefix('_').unwrap_or(name) == "cpu_id" && of.integer().is_some() => {
                vec![Target::Number(NumberOf::Cpu)]
            }
            _ => Vec::new(),
        })?;
        let has_cpu = members(Some(context)).iter().any(|(name, _)| name == "cpu_id");
        let header = match () {
            () if is_lttngs(header, 5, 27) => Header::Compact,
            () if is_lttngs(header, 16, 32) => Header::Large,
            () => Header::Program(deep(header, &|_, _, name, of| match of.integer() {
                Some(integer) if integer.clock.is_some() && !integer.signed => vec![Target::Clock(integer.size)],
                _ if name == "id" => number(of, NumberOf::Event),
                _ => Vec::new(),
            })?),
        };
        let (mut dense, mut sparse) = (Vec::new(), HashMap::new());
        for (n, event) in stream.events.iter().enumerate() {
            if event.id < DENSE {
                let id = event.id as usize;
                dense.resize(dense.len().max(id + 1), u32::MAX);
                dense[id] = n as u32;
            } else {
                sparse.insert(event.id, n as u32);
            }
        }
        let frequency = trace.clocks[at].frequency;
        let id = stream.id;
        Ok((Self { id, packet_context, has_cpu, frequency, header, events: Vec::new(), dense, sparse }, at))
    }

    /// Place of the event class of this id.
    #[inline]
    pub fn event(&self, id: u64) -> Option<usize> {
        let dense = self.dense.get(usize::try_from(id).unwrap_or(usize::MAX)).copied();
        let found = dense.filter(|&n| n != u32::MAX).or_else(|| self.sparse.get(&id).copied());
        found.map(|n| n as usize)
    }
}

impl EventPlan {
    fn new(
        stream: &StreamClass,
        event: &EventClass,
        resolve: impl FnOnce(&Members) -> Option<Class>,
    ) -> Result<Self, String> {
        let found = Members {
            payload: members(event.fields.as_deref()),
            common: members(stream.event_context.as_deref()),
            specific: members(event.context.as_deref()),
        };
        let class = resolve(&found);
        let mut compiler = Compiler::new();
        let structures = [(&stream.event_context, Some(false)), (&event.context, Some(true)), (&event.fields, None)];
        for (of, context) in structures {
            let Some(of) = of.as_deref() else { continue };
            if of.is_timed() {
                return Err("a field is mapped to a clock".into());
            }
            compiler.add(of, &|depth, at, _, _| match &class {
                Some(class) if depth == 1 => targets(class, context, at as u64),
                _ => Vec::new(),
            })?;
        }
        let class = class.map(|class| ReadClass { number: class.number, is_call: class.call.is_some() });
        Ok(Self { program: compiler.finish(), class })
    }
}

/// What becomes of this field of a context (specific or not) or of the payload (None).
fn targets(class: &Class, context: Option<bool>, at: u64) -> Vec<Target> {
    let mut targets = Vec::new();
    match context {
        Some(specific) => {
            let is = |slot: &crate::classes::ContextSlot| slot.specific == specific && slot.slot.index == at;
            if class.tid.as_ref().is_some_and(is) {
                targets.push(Target::Number(NumberOf::Tid));
            }
            if class.stack.as_ref().is_some_and(is) {
                targets.push(Target::Stack);
            }
        }
        None => {
            let is = |slot: &Option<Slot>| slot.is_some_and(|slot| slot.index == at);
            let values = class.fields.iter().enumerate().filter(|(_, slot)| is(slot));
            targets.extend(values.map(|(n, _)| Target::Value(n as u8)));
            if is(&class.call) {
                targets.push(Target::Number(NumberOf::Ip));
            }
        }
    }
    targets
}

/// Members of a structure that can be read, under the names that libbabeltrace2 gives them: without the first
/// underscore.
fn members(of: Option<&Type>) -> Vec<(String, Slot)> {
    let fields = of.map_or(&[][..], Type::fields).iter().enumerate();
    let found = fields.filter_map(|(index, (name, of))| {
        let kind = match &**of {
            Type::Integer(integer) | Type::Enumeration(integer, _) => match integer.signed {
                true => FieldKind::Signed,
                false => FieldKind::Unsigned,
            },
            Type::Text => FieldKind::Text,
            Type::Array(element, _) | Type::Sequence(element, _) if element.is_character() => FieldKind::Text,
            Type::Array(element, _) | Type::Sequence(element, _) => {
                element.integer().filter(|integer| !integer.signed).map(|_| FieldKind::Addresses)?
            }
            _ => return None,
        };
        let name = name.strip_prefix('_').unwrap_or(name).to_owned();
        Some((name, Slot { index: index as u64, kind }))
    });
    found.collect()
}

/// Adds the clocks to those found. None: there are too many types.
fn clocks<'t>(of: &'t Type, found: &mut Vec<&'t str>, left: &mut usize) -> Option<()> {
    *left = left.checked_sub(1)?;
    match of {
        Type::Integer(integer) | Type::Enumeration(integer, _) => found.extend(integer.clock.as_deref()),
        Type::Structure(structure) => {
            structure.fields.iter().try_for_each(|(_, of)| clocks(of, found, left))?;
        }
        Type::Variant(variant) => {
            variant.options.iter().try_for_each(|option| clocks(&option.of, found, left))?;
        }
        Type::Array(element, _) | Type::Sequence(element, _) => {
            clocks(element, found, left)?;
        }
        Type::Float(..) | Type::Text => {}
    }
    Some(())
}

/// The one clock of an event's header.
fn clock_of(header: &Type) -> Result<String, String> {
    let mut found = Vec::new();
    clocks(header, &mut found, &mut (1 << 12)).ok_or("the header of its events is too large")?;
    let first = *found.first().ok_or("its events have no time")?;
    if found.iter().any(|other| *other != first) {
        return Err("its events have times of several clocks".into());
    }
    Ok(first.to_owned())
}

/// The header is one of LTTng's two, in little-endian order: an id of so many bits, its highest value for the long
/// form; so many bits of the clock. Source: LTTng's struct event_header_compact and struct event_header_large.
fn is_lttngs(header: &Type, id_size: u32, clock_size: u32) -> bool {
    let is = |of: &Type, size: u32, align: u32, timed: bool| {
        of.integer().is_some_and(|integer| {
            let Integer { size: its_size, align: its_align, signed, order, clock, .. } = integer;
            (*its_size, *its_align, *signed, *order) == (size, align, false, ByteOrder::Little)
                && clock.is_some() == timed
        })
    };
    let align = |size: u32| if size.is_multiple_of(8) { 8 } else { 1 };
    let [(id, tag), (_, variant)] = header.fields() else { return false };
    let Type::Variant(variant) = &**variant else { return false };
    let labels = if let Type::Enumeration(_, labels) = &**tag { &labels[..] } else { &[] };
    let [compact, extended] = &variant.options[..] else { return false };
    let highest = (1i128 << id_size) - 1;
    let expected = [(compact.name.as_str(), (0, highest - 1)), (extended.name.as_str(), (highest, highest))];
    let labelled = labels.iter().map(|(label, range)| (label.as_str(), *range)).eq(expected);
    let given = [&compact.ranges, &extended.ranges];
    let ranged = given.iter().zip(expected).all(|(ranges, (_, range))| match ranges {
        Some(ranges) => *ranges == [range],
        None => labelled,
    });
    let [(_, short)] = compact.of.fields() else { return false };
    let [(long_id, long), (_, time)] = extended.of.fields() else { return false };
    header.align() == 8
        && is(tag, id_size, align(id_size), false)
        && [id.as_str(), long_id.as_str(), variant.tag.trim_start_matches(OUTERMOST)].iter().all(|name| *name == "id")
        && ranged
        && is(short, clock_size, align(clock_size), true)
        && compact.of.align() == align(clock_size)
        && is(long, 32, 8, false)
        && is(time, 64, 8, true)
        && extended.of.align() == 8
}
