//! Reads the metadata of CTF 2: JSON texts, each behind a record separator. Source: CTF2-SPEC-2.0.
//!
//! What has a role gets the name that CTF 1.8 has for it, so that everything behind the metadata is the same for both.

use crate::native::model::{
    ByteOrder, Clock, EnvValue, EventClass, Integer, OUTERMOST, Range, StreamClass, Structure, TraceClass, Type,
    Variant, VariantOption,
};
use crate::native::tsdl::MOST_FIELDS;
use serde_json::{Map, Value};
use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

type Object = Map<String, Value>;

/// Roles, and the fields of CTF 1.8 that have them.
const ROLES: [(&str, &str); 9] = [
    ("packet-magic-number", "magic"),
    ("data-stream-class-id", "stream_id"),
    ("data-stream-id", "stream_instance_id"),
    ("packet-total-length", "packet_size"),
    ("packet-content-length", "content_size"),
    ("packet-end-default-clock-timestamp", "timestamp_end"),
    ("discarded-event-record-counter-snapshot", "events_discarded"),
    ("packet-sequence-number", "packet_seq_num"),
    ("event-record-class-id", "id"),
];
const TIME_ROLE: &str = "default-clock-timestamp";

/// Where a structure is; roles and references depend on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    PacketHeader,
    PacketContext,
    EventHeader,
    CommonContext,
    SpecificContext,
    Payload,
}

impl Place {
    fn origin(self) -> &'static str {
        match self {
            Self::PacketHeader => "packet-header",
            Self::PacketContext => "packet-context",
            Self::EventHeader => "event-record-header",
            Self::CommonContext => "event-record-common-context",
            Self::SpecificContext => "event-record-specific-context",
            Self::Payload => "event-record-payload",
        }
    }
}

/// The fragments of metadata: texts behind a record separator each.
fn fragments(text: &str) -> impl Iterator<Item = &str> {
    text.split('\x1e').map(str::trim).filter(|fragment| !fragment.is_empty())
}

/// Read metadata. The error says what is not understood.
pub fn parse(text: &str) -> Result<TraceClass, String> {
    let mut parser = Parser::default();
    for (n, fragment) in fragments(text).enumerate() {
        let parsed = parser.fragment(fragment, n == 0);
        parsed.map_err(|why| format!("{why} (fragment {})", n + 1))?;
    }
    parser.finish()
}

#[derive(Default)]
struct Parser {
    aliases: HashMap<String, Value>,
    header: Option<Arc<Type>>,
    env: BTreeMap<String, EnvValue>,
    clocks: Vec<Clock>,
    streams: Vec<StreamClass>,
    /// Numbers of streams and of their events.
    events: HashSet<(u64, u64)>,
}

/// A structure that is being read: where it is, the clock of its times, and the names of the structures around.
struct Context<'c> {
    place: Place,
    clock: Option<&'c str>,
}

fn text<'v>(of: &'v Object, name: &str) -> Option<&'v str> {
    of.get(name).and_then(Value::as_str)
}

fn number(of: &Object, name: &str, default: Option<u64>) -> Result<u64, String> {
    match of.get(name) {
        None => default.ok_or_else(|| format!("`{name}` is missing")),
        Some(value) => value.as_u64().ok_or_else(|| format!("`{name}` is not a number")),
    }
}

fn object<'v>(of: &'v Object, name: &str) -> Result<Option<&'v Object>, String> {
    let value = of.get(name);
    value.map(|value| value.as_object().ok_or_else(|| format!("`{name}` is not an object"))).transpose()
}

impl Parser {
    fn fragment(&mut self, fragment: &str, first: bool) -> Result<(), String> {
        let value: Value = serde_json::from_str(fragment).map_err(|error| error.to_string())?;
        let of = value.as_object().ok_or("not an object")?;
        if of.contains_key("extensions") {
            return Err("extensions are not known".into());
        }
        match text(of, "type").ok_or("`type` is missing")? {
            "preamble" if first && number(of, "version", None)? == 2 => Ok(()),
            "field-class-alias" => {
                let name = text(of, "name").ok_or("`name` is missing")?;
                let class = of.get("field-class").ok_or("`field-class` is missing")?;
                let class = self.expand(class)?.clone();
                self.aliases.insert(name.into(), class);
                Ok(())
            }
            "trace-class" => self.trace(of),
            "clock-class" => self.clock(of),
            "data-stream-class" => self.stream(of),
            "event-record-class" => self.event(of),
            other => Err(format!("unknown fragment `{other}`")),
        }
    }

    /// The class itself where the value is the name of one.
    fn expand<'v>(&'v self, class: &'v Value) -> Result<&'v Value, String> {
        match class {
            Value::String(name) => self.aliases.get(name).ok_or_else(|| format!("no field class is called `{name}`")),
            class => Ok(class),
        }
    }

    fn trace(&mut self, of: &Object) -> Result<(), String> {
        for (name, value) in object(of, "environment")?.into_iter().flatten() {
            let value = match (value.as_str(), value.as_i64()) {
                (Some(text), _) => EnvValue::Text(text.into()),
                (None, Some(number)) => EnvValue::Number(number),
                _ => return Err(format!("`{name}` of the environment is neither a text nor a number")),
            };
            self.env.insert(name.clone(), value);
        }
        let context = Context { place: Place::PacketHeader, clock: None };
        self.header = self.structure_of(of, "packet-header-field-class", &context)?;
        Ok(())
    }

    fn clock(&mut self, of: &Object) -> Result<(), String> {
        let id = text(of, "id").or(text(of, "name")).ok_or("`id` is missing")?;
        let offset = object(of, "offset-from-origin")?;
        let seconds = offset.and_then(|offset| offset.get("seconds"));
        let offset_s = seconds.map_or(Some(0), Value::as_i64).ok_or("`seconds` is not a number")?;
        let offset_cycles = offset.map_or(Ok(0), |offset| number(offset, "cycles", Some(0)))?;
        let frequency = number(of, "frequency", None)?;
        if frequency == 0 {
            return Err("a clock of 0 Hz".into());
        }
        self.clocks.push(Clock {
            name: id.into(),
            uuid: text(of, "uid").map(|uid| uid.replace('-', "").to_ascii_lowercase()),
            frequency,
            offset_s,
            offset_cycles,
            absolute: text(of, "origin") == Some("unix-epoch"),
        });
        Ok(())
    }

    fn stream(&mut self, of: &Object) -> Result<(), String> {
        let id = number(of, "id", Some(0))?;
        let clock = text(of, "default-clock-class-id").or(text(of, "default-clock-class-name")).map(str::to_owned);
        let context = |place| Context { place, clock: clock.as_deref() };
        let stream = StreamClass {
            id,
            packet_context: self.structure_of(of, "packet-context-field-class", &context(Place::PacketContext))?,
            event_header: self.structure_of(of, "event-record-header-field-class", &context(Place::EventHeader))?,
            event_context: self.structure_of(
                of,
                "event-record-common-context-field-class",
                &context(Place::CommonContext),
            )?,
            events: Vec::new(),
        };
        if self.streams.iter().any(|other| other.id == id) {
            return Err(format!("two streams have the id {id}"));
        }
        self.streams.push(stream);
        Ok(())
    }

    fn event(&mut self, of: &Object) -> Result<(), String> {
        let (id, stream) = (number(of, "id", Some(0))?, number(of, "data-stream-class-id", Some(0))?);
        let context = |place| Context { place, clock: None };
        let event = EventClass {
            id,
            name: text(of, "name").unwrap_or_default().into(),
            context: self.structure_of(of, "specific-context-field-class", &context(Place::SpecificContext))?,
            fields: self.structure_of(of, "payload-field-class", &context(Place::Payload))?,
        };
        let known = self.streams.iter_mut().find(|known| known.id == stream);
        let known = known.ok_or("an event of a stream that is not declared")?;
        if !self.events.insert((stream, id)) {
            return Err(format!("two events of stream {stream} have the id {id}"));
        }
        known.events.push(event);
        Ok(())
    }

    fn structure_of(&self, of: &Object, name: &str, context: &Context<'_>) -> Result<Option<Arc<Type>>, String> {
        let Some(class) = of.get(name) else { return Ok(None) };
        let class = self.class(class, context, None)?;
        if !matches!(*class, Type::Structure(_)) {
            return Err(format!("`{name}` is not a structure"));
        }
        Ok(Some(class))
    }

    /// A field class; `roles` gets the name that a role gives the field.
    fn class(
        &self,
        class: &Value,
        context: &Context<'_>,
        role: Option<&mut Option<String>>,
    ) -> Result<Arc<Type>, String> {
        let of = self.expand(class)?.as_object().ok_or("a field class is not an object")?;
        let kind = text(of, "type").ok_or("a field class without `type`")?;
        let align = |name: &str| match number(of, name, Some(1))? {
            align if align.is_power_of_two() && align <= 1 << 16 => Ok(align as u32),
            align => Err(format!("an alignment of {align} bits")),
        };
        let byte = || {
            Type::Integer(Integer {
                size: 8,
                align: 8,
                signed: false,
                order: ByteOrder::Little,
                text: false,
                clock: None,
            })
        };
        let character = || {
            let Type::Integer(integer) = byte() else { unreachable!("a byte is an integer") };
            Arc::new(Type::Integer(Integer { text: true, ..integer }))
        };
        let utf8 = || match text(of, "encoding") {
            None | Some("utf-8") => Ok(()),
            Some(other) => Err(format!("texts of encoding {other}")),
        };
        let made = match kind {
            "fixed-length-unsigned-integer" | "fixed-length-signed-integer" => {
                let mut integer = self.integer(of, kind == "fixed-length-signed-integer", align("alignment")?)?;
                self.use_roles(of, context, &mut integer, role)?;
                match object(of, "mappings")? {
                    Some(mappings) => Type::Enumeration(integer, labels(mappings)?),
                    None => Type::Integer(integer),
                }
            }
            "fixed-length-bit-array" | "fixed-length-bit-map" | "fixed-length-boolean" => {
                // Not read, but stepped over: as nothing that has a value.
                let integer = self.integer(of, false, align("alignment")?)?;
                Type::Float(integer.size, integer.align)
            }
            "fixed-length-floating-point-number" => {
                let size = number(of, "length", None)?;
                if ![16, 32, 64, 128].contains(&size) {
                    return Err(format!("a floating-point number of {size} bits"));
                }
                Type::Float(size as u32, align("alignment")?)
            }
            "null-terminated-string" => {
                utf8()?;
                Type::Text
            }
            "static-length-string" => {
                utf8()?;
                Type::Array(character(), number(of, "length", None)?)
            }
            "dynamic-length-string" => {
                utf8()?;
                Type::Sequence(character(), location(of, "length-field-location", context)?)
            }
            "static-length-blob" => Type::Array(Arc::new(byte()), number(of, "length", None)?),
            "dynamic-length-blob" => Type::Sequence(Arc::new(byte()), location(of, "length-field-location", context)?),
            "structure" => self.structure(of, context, align("minimum-alignment")?)?,
            "static-length-array" | "dynamic-length-array" => {
                let element = of.get("element-field-class").ok_or("an array without elements")?;
                let element = self.class(element, context, None)?;
                if align("minimum-alignment")? > element.align() {
                    return Err("an array with an alignment of its own".into());
                }
                if element.is_character() {
                    return Err("an array of characters".into());
                }
                match kind {
                    "static-length-array" => Type::Array(element, number(of, "length", None)?),
                    _ => Type::Sequence(element, location(of, "length-field-location", context)?),
                }
            }
            "variant" => {
                let tag = location(of, "selector-field-location", context)?;
                let options = of.get("options").and_then(Value::as_array).ok_or("a variant without options")?;
                let options = options.iter().map(|option| {
                    let option = option.as_object().ok_or("an option is not an object")?;
                    let class = option.get("field-class").ok_or("an option without field class")?;
                    let ranges = option.get("selector-field-ranges").ok_or("an option without ranges")?;
                    Ok(VariantOption {
                        name: text(option, "name").unwrap_or_default().into(),
                        ranges: Some(self::ranges(ranges)?),
                        of: self.class(class, context, None)?,
                    })
                });
                Type::Variant(Variant::new(tag, options.collect::<Result<_, String>>()?))
            }
            other => return Err(format!("unknown field class `{other}`")),
        };
        made.check_depth()?;
        Ok(Arc::new(made))
    }

    fn integer(&self, of: &Object, signed: bool, align: u32) -> Result<Integer, String> {
        let order = match text(of, "byte-order") {
            Some("little-endian") => ByteOrder::Little,
            Some("big-endian") => ByteOrder::Big,
            _ => return Err("a number without byte order".into()),
        };
        let natural = if order == ByteOrder::Little { "ltf" } else { "ftl" };
        let bits = text(of, "bit-order").unwrap_or(natural);
        let same = match order {
            ByteOrder::Little => ["ltf", "first-to-last"].contains(&bits),
            ByteOrder::Big => ["ftl", "last-to-first"].contains(&bits),
        };
        if of.contains_key("bit-order") && !same {
            return Err(format!("the bit order {bits}"));
        }
        let size = number(of, "length", None)?;
        if !(1..=64).contains(&size) {
            return Err(format!("an integer of {size} bits"));
        }
        Ok(Integer { size: size as u32, align, signed, order, text: false, clock: None })
    }

    /// A role makes it the value of a clock, or gives it a name.
    fn use_roles(
        &self,
        of: &Object,
        context: &Context<'_>,
        integer: &mut Integer,
        name: Option<&mut Option<String>>,
    ) -> Result<(), String> {
        let mut found = None;
        for role in of.get("roles").and_then(Value::as_array).into_iter().flatten() {
            let role = role.as_str().ok_or("a role is not a text")?;
            if role == TIME_ROLE || role == "packet-end-default-clock-timestamp" {
                let clock = context.clock.ok_or("a time without a clock")?;
                integer.clock = Some(clock.into());
            }
            let known = ROLES.iter().find(|(known, _)| *known == role).map(|(_, name)| *name);
            found = match (role == TIME_ROLE, context.place) {
                (true, Place::PacketContext) => Some("timestamp_begin".to_owned()),
                (true, Place::EventHeader) => found,
                _ => Some(known.ok_or_else(|| format!("unknown role `{role}`"))?.to_owned()),
            };
        }
        match (name, found) {
            (_, None) => {}
            (Some(name), found) => *name = found,
            (None, Some(role)) => return Err(format!("`{role}` is not the field of a structure")),
        }
        Ok(())
    }

    fn structure(&self, of: &Object, context: &Context<'_>, align: u32) -> Result<Type, String> {
        let mut fields: Vec<(String, Arc<Type>)> = Vec::new();
        for member in of.get("member-classes").and_then(Value::as_array).into_iter().flatten() {
            let member = member.as_object().ok_or("a member is not an object")?;
            let name = text(member, "name").ok_or("a member without name")?;
            let class = member.get("field-class").ok_or("a member without field class")?;
            let mut role = None;
            let class = self.class(class, context, Some(&mut role))?;
            // A field keeps the name by which others may refer to it; only the packet's numbers are found by their
            // roles' names.
            let renamed = matches!(context.place, Place::PacketHeader | Place::PacketContext);
            let name = match role {
                Some(role) if renamed || role == name => role,
                Some(role) => return Err(format!("the role of `{role}` is that of `{name}`")),
                None => name.to_owned(),
            };
            if fields.iter().any(|(known, _)| *known == name) {
                return Err(format!("two fields are called `{name}`"));
            }
            if fields.len() == MOST_FIELDS {
                return Err("a structure has too many fields".into());
            }
            fields.push((name, class));
        }
        Ok(Type::Structure(Structure::new(fields, align)))
    }

    fn finish(self) -> Result<TraceClass, String> {
        Ok(TraceClass { packet_header: self.header, env: self.env, clocks: self.clocks, streams: self.streams })
    }
}

/// The name of the field that a location is; it has to be in the structure of the field that refers to it, or in one
/// around that.
fn location(of: &Object, name: &str, context: &Context<'_>) -> Result<String, String> {
    let location = object(of, name)?.ok_or_else(|| format!("`{name}` is missing"))?;
    let origin = text(location, "origin");
    if origin.is_some_and(|origin| origin != context.place.origin()) {
        return Err("a field refers to another structure".into());
    }
    match location.get("path").and_then(Value::as_array).map(Vec::as_slice) {
        Some([Value::String(name)]) if origin.is_some() => Ok(format!("{OUTERMOST}{name}")),
        Some([Value::String(name)]) => Ok(name.clone()),
        _ => Err("a field refers to one within another".into()),
    }
}

fn labels(mappings: &Object) -> Result<Vec<(String, Range)>, String> {
    let mut labels = Vec::new();
    for (name, given) in mappings {
        labels.extend(ranges(given)?.into_iter().map(|range| (name.clone(), range)));
    }
    Ok(labels)
}

fn ranges(value: &Value) -> Result<Vec<Range>, String> {
    let number = |value: &Value| value.as_i64().map(i128::from).or(value.as_u64().map(i128::from));
    let range = |value: &Value| match value.as_array().map(Vec::as_slice) {
        Some([first, last]) => Some((number(first)?, number(last)?)).filter(|(first, last)| first <= last),
        _ => None,
    };
    let ranges: Option<Vec<Range>> = value.as_array().and_then(|ranges| ranges.iter().map(range).collect());
    ranges.filter(|ranges| !ranges.is_empty()).ok_or_else(|| "a range is not two numbers".into())
}
