//! Event classes of a trace: which are read, and where their fields are. Resolved once per class, for both decoders;
//! what is of libbabeltrace2 here are [`Classes`] and the values behind a slot.

use crate::ffi::{self, Api, field, value};
use crate::wire::{ClassInfo, CtfTraceInfo, Record, Writer};
use std::collections::HashMap;
use std::ffi::CString;
use std::hash::{BuildHasherDefault, Hasher};
use wastenot_import::{EventShape, MAX_FIELDS, Value, shape_of};

/// Place of a field in its structure, and how it is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Slot {
    pub index: u64,
    pub kind: FieldKind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FieldKind {
    Unsigned,
    Signed,
    Text,
    Addresses,
}

/// Place of a field in one of the two contexts of an event.
#[derive(Clone, Copy, Debug)]
pub struct ContextSlot {
    pub slot: Slot,
    pub specific: bool,
}

/// Fields of an event class that can be read, by name.
#[derive(Debug, Default)]
pub struct Members {
    pub payload: Vec<(String, Slot)>,
    /// Context of all events of the channel.
    pub common: Vec<(String, Slot)>,
    /// Context of this event alone.
    pub specific: Vec<(String, Slot)>,
}

/// An event class that is read.
#[derive(Debug, Default)]
pub struct Class {
    /// Its number in the records.
    pub number: u16,
    pub fields: [Option<Slot>; MAX_FIELDS],
    /// A traced function: where the instruction pointer lies.
    pub call: Option<Slot>,
    /// The thread that ran.
    pub tid: Option<ContextSlot>,
    /// Its kernel stack.
    pub stack: Option<ContextSlot>,
}

/// All event classes that were met, by their address.
pub struct Classes {
    api: &'static Api,
    known: HashMap<*const ffi::EventClass, Option<Box<Class>>, BuildHasherDefault<PointerHasher>>,
    /// Channels by trace and number of the stream class.
    channels: HashMap<(*const ffi::Trace, u64), u16>,
    traces: HashMap<*const ffi::Trace, usize>,
    keys: Vec<String>,
    next: u16,
}

impl Classes {
    pub fn new(api: &'static Api) -> Self {
        Self {
            api,
            known: HashMap::default(),
            channels: HashMap::new(),
            traces: HashMap::new(),
            keys: Vec::new(),
            next: 0,
        }
    }

    /// Write the trace and the classes of a stream to the reader. Returns the number of its channel and where a packet has its CPU.
    ///
    /// # Safety
    /// `stream` and its class are alive, and stay so.
    pub unsafe fn enter(
        &mut self,
        stream: *const ffi::Stream,
        class: *const ffi::StreamClass,
        writer: &mut Writer,
    ) -> (u16, Option<Slot>) {
        let api = self.api;
        // SAFETY: as the caller promises.
        unsafe {
            let trace = (api.stream_borrow_trace_const)(stream);
            let id = (api.stream_class_get_id)(class);
            if !self.traces.contains_key(&trace) {
                let about = about(api, trace, (api.stream_class_borrow_default_clock_class_const)(class));
                self.traces.insert(trace, self.traces.len());
                writer.write(&Record::Trace(about));
            }
            let context = (api.stream_class_borrow_packet_context_field_class_const)(class);
            let cpu = members(api, context).into_iter().find(|(name, _)| name == "cpu_id").map(|(_, slot)| slot);
            if let Some(&channel) = self.channels.get(&(trace, id)) {
                return (channel, cpu);
            }
            let number = self.traces[&trace];
            let channel = self.keys.len() as u16;
            self.keys.push(format!("{number}/{id}"));
            self.channels.insert((trace, id), channel);
            for n in 0..(api.stream_class_get_event_class_count)(class) {
                let event = (api.stream_class_borrow_event_class_by_index_const)(class, n);
                let known = self.resolve(event, class, channel, writer);
                self.known.insert(event, known);
            }
            (channel, cpu)
        }
    }

    /// The class of an event of a channel. None: it is not read.
    ///
    /// # Safety
    /// `event` is alive, and its stream was [entered](Self::enter).
    #[inline]
    pub unsafe fn of(&mut self, event: *const ffi::Event, channel: u16, writer: &mut Writer) -> Option<&Class> {
        // SAFETY: as the caller promises.
        let class = unsafe { (self.api.event_borrow_class_const)(event) };
        if !self.known.contains_key(&class) {
            // A live session may declare events at any time.
            let api = self.api;
            let known = unsafe {
                let stream = (api.stream_borrow_class_const)((api.event_borrow_stream_const)(event));
                self.resolve(class, stream, channel, writer)
            };
            self.known.insert(class, known);
        }
        self.known[&class].as_deref()
    }

    unsafe fn resolve(
        &mut self,
        event: *const ffi::EventClass,
        stream: *const ffi::StreamClass,
        channel: u16,
        writer: &mut Writer,
    ) -> Option<Box<Class>> {
        let api = self.api;
        // SAFETY: both classes are alive.
        let (name, members) = unsafe {
            let name = ffi::text((api.event_class_get_name)(event))?.to_str().ok()?.to_owned();
            let payload = members(api, (api.event_class_borrow_payload_field_class_const)(event));
            let common = members(api, (api.stream_class_borrow_event_common_context_field_class_const)(stream));
            let specific = members(api, (api.event_class_borrow_specific_context_field_class_const)(event));
            (name, Members { payload, common, specific })
        };
        let key = &self.keys[usize::from(channel)];
        Class::resolve(&name, &members, (channel, key), &mut self.next, writer).map(Box::new)
    }
}

impl Class {
    /// Find the fields of the event class of this name, and write to the reader what it is. None: it is not read.
    /// `channel` is its channel's number and key, `next` the number of the next class.
    pub fn resolve(
        name: &str,
        members: &Members,
        channel: (u16, &str),
        next: &mut u16,
        writer: &mut Writer,
    ) -> Option<Self> {
        let Members { payload, common, specific } = members;
        let context = |name: &str, kinds: &[FieldKind]| {
            let of = |members: &[(String, Slot)], specific| {
                let found = find(members, name).filter(|slot| kinds.contains(&slot.kind));
                found.map(|slot| ContextSlot { slot, specific })
            };
            of(specific, true).or_else(|| of(common, false))
        };
        let mut class = Self { number: *next, ..Self::default() };
        let mut lacks = None;
        let shape = shape_named(name);
        if let Some(shape) = shape {
            match shape.names(|field| find(payload, field).is_some()) {
                Ok(names) => {
                    for (field, name) in class.fields.iter_mut().zip(names) {
                        *field = name.and_then(|name| find(payload, name));
                    }
                }
                Err(why) => lacks = Some(why),
            }
        } else if (name.ends_with("_entry") || name.ends_with("_exit")) && find(payload, "parent_ip").is_some() {
            class.call = Some(find(payload, "ip")?);
        } else {
            return None;
        }
        // Not `vtid` for the kernel's: inside a container it is another number than the scheduler's events use. An application
        // knows no other.
        let tid = if shape.is_some_and(|shape| shape.kind.is_of_application()) { "vtid" } else { "tid" };
        class.tid = context(tid, &[FieldKind::Signed, FieldKind::Unsigned]);
        class.stack = context("callstack_kernel", &[FieldKind::Addresses]);
        *next = next.checked_add(1)?;
        let usable = lacks.is_none();
        writer.write(&Record::Class(ClassInfo {
            number: class.number,
            channel_number: channel.0,
            channel: channel.1.to_owned(),
            event: shape.map_or(name, |shape| shape.name).to_owned(),
            stacks: class.stack.is_some(),
            lacks,
        }));
        usable.then_some(class)
    }
}

/// The shape of the event of this name; LTTng puts the system before some names (`irq_softirq_entry`).
pub fn shape_named(event: &str) -> Option<&'static EventShape> {
    shape_of(event).or_else(|| shape_of(event.strip_prefix("irq_")?))
}

/// By its name, with or without the underscore that LTTng puts before it.
fn find(members: &[(String, Slot)], name: &str) -> Option<Slot> {
    members.iter().find(|(known, _)| known.strip_prefix('_').unwrap_or(known) == name).map(|(_, slot)| *slot)
}

/// Members of a structure that can be read.
unsafe fn members(api: &Api, structure: *const ffi::FieldClass) -> Vec<(String, Slot)> {
    let mut found = Vec::new();
    // SAFETY: the class is alive or NULL.
    unsafe {
        if structure.is_null() || (api.field_class_get_type)(structure) & field::STRUCTURE == 0 {
            return found;
        }
        for index in 0..(api.field_class_structure_get_member_count)(structure) {
            let member = (api.field_class_structure_borrow_member_by_index_const)(structure, index);
            let class = (api.field_class_structure_member_borrow_field_class_const)(member);
            let is = |bits: u64| bits & field::UNSIGNED != 0;
            let kind = match (api.field_class_get_type)(class) {
                bits if bits & field::STRING != 0 => FieldKind::Text,
                bits if is(bits) => FieldKind::Unsigned,
                bits if bits & field::SIGNED != 0 => FieldKind::Signed,
                bits if bits & field::ARRAY != 0
                    && is((api.field_class_get_type)((api.field_class_array_borrow_element_field_class_const)(
                        class,
                    ))) =>
                {
                    FieldKind::Addresses
                }
                _ => continue,
            };
            if let Some(name) = ffi::text((api.field_class_structure_member_get_name)(member)) {
                found.push((name.to_string_lossy().into_owned(), Slot { index, kind }));
            }
        }
    }
    found
}

impl Slot {
    #[inline]
    unsafe fn field(self, api: &Api, structure: *const ffi::Field) -> Option<*const ffi::Field> {
        // SAFETY: the index was found in the structure's class.
        (!structure.is_null())
            .then(|| unsafe { (api.field_structure_borrow_member_field_by_index_const)(structure, self.index) })
    }

    /// A number; an enumeration's too.
    ///
    /// # Safety
    /// `structure` is NULL or a live field of the class in which the slot was found.
    #[inline]
    pub unsafe fn number(self, api: &Api, structure: *const ffi::Field) -> Option<i64> {
        // SAFETY: as the caller promises.
        unsafe {
            let field = self.field(api, structure)?;
            match self.kind {
                FieldKind::Unsigned => Some((api.field_integer_unsigned_get_value)(field) as i64),
                FieldKind::Signed => Some((api.field_integer_signed_get_value)(field)),
                FieldKind::Text | FieldKind::Addresses => None,
            }
        }
    }

    /// A number or a text.
    ///
    /// # Safety
    /// As for [`number`](Self::number); a text lives as long as the structure.
    #[inline]
    pub unsafe fn value<'a>(self, api: &Api, structure: *const ffi::Field) -> Value<'a> {
        // SAFETY: as the caller promises.
        unsafe {
            match self.kind {
                FieldKind::Text => self.text(api, structure).map_or(Value::Absent, Value::Text),
                _ => self.number(api, structure).map_or(Value::Absent, Value::Number),
            }
        }
    }

    /// A text.
    ///
    /// # Safety
    /// As for [`value`](Self::value).
    #[inline]
    unsafe fn text<'a>(self, api: &Api, structure: *const ffi::Field) -> Option<&'a [u8]> {
        if self.kind != FieldKind::Text {
            return None;
        }
        // SAFETY: as the caller promises; the length is that of the library's text.
        unsafe {
            let field = self.field(api, structure)?;
            let length = (api.field_string_get_length)(field) as usize;
            let text = (api.field_string_get_value)(field);
            (!text.is_null()).then(|| std::slice::from_raw_parts(text.cast::<u8>(), length))
        }
    }
}

impl ContextSlot {
    unsafe fn structure(self, api: &Api, event: *const ffi::Event) -> *const ffi::Field {
        // SAFETY: `event` is alive.
        unsafe {
            match self.specific {
                true => (api.event_borrow_specific_context_field_const)(event),
                false => (api.event_borrow_common_context_field_const)(event),
            }
        }
    }

    /// A number of an event's context.
    ///
    /// # Safety
    /// `event` is alive and of the class in which the slot was found.
    #[inline]
    pub unsafe fn number(self, api: &Api, event: *const ffi::Event) -> Option<i64> {
        // SAFETY: as the caller promises.
        unsafe { self.slot.number(api, self.structure(api, event)) }
    }

    /// Append the first `most` addresses of a stack, 8 bytes each.
    ///
    /// # Safety
    /// As for [`number`](Self::number).
    pub unsafe fn addresses(self, api: &Api, event: *const ffi::Event, most: usize, out: &mut Vec<u8>) {
        // SAFETY: as the caller promises.
        unsafe {
            let Some(array) = self.slot.field(api, self.structure(api, event)) else { return };
            for n in 0..(api.field_array_get_length)(array).min(most as u64) {
                let element = (api.field_array_borrow_element_field_by_index_const)(array, n);
                let address = (api.field_integer_unsigned_get_value)(element);
                if address != u64::MAX && address != 0 {
                    out.extend(address.to_ne_bytes()); // ULONG_MAX ends a stack that is shorter than its field
                }
            }
        }
    }
}

unsafe fn about(api: &Api, trace: *const ffi::Trace, clock: *const ffi::ClockClass) -> CtfTraceInfo {
    // SAFETY: the trace is alive, the clock class is or is NULL.
    unsafe {
        let entry = |name: &str| {
            let name = CString::new(name).ok()?;
            let found = (api.trace_borrow_environment_entry_value_by_name_const)(trace, name.as_ptr());
            (!found.is_null()).then_some(found)
        };
        let text = |name: &str| {
            let found = entry(name).filter(|&found| (api.value_get_type)(found) & value::STRING != 0)?;
            ffi::text((api.value_string_get)(found)).map(|text| text.to_string_lossy().into_owned())
        };
        let number = |name: &str| {
            let found = entry(name).filter(|&found| (api.value_get_type)(found) & value::SIGNED != 0)?;
            Some((api.value_integer_signed_get)(found))
        };
        let clock = (!clock.is_null()).then(|| {
            let (mut offset_s, mut offset_cycles) = (0, 0);
            (api.clock_class_get_offset)(clock, &mut offset_s, &mut offset_cycles);
            let name = ffi::text((api.clock_class_get_name)(clock));
            let uuid = (api.clock_class_get_uuid)(clock);
            let hex = |bytes: &[u8]| bytes.iter().map(|byte| format!("{byte:02x}")).collect();
            ClockInfo {
                name: name.map(|name| name.to_string_lossy().into_owned()),
                uuid: (!uuid.is_null()).then(|| hex(std::slice::from_raw_parts(uuid, 16))),
                frequency: (api.clock_class_get_frequency)(clock),
                offset_s,
                offset_cycles,
                of_unix_epoch: (api.clock_class_origin_is_unix_epoch)(clock) != 0,
            }
        });
        trace_info(text, number, clock)
    }
}

/// A clock of a trace.
pub struct ClockInfo {
    pub name: Option<String>,
    /// 32 hexadecimal digits.
    pub uuid: Option<String>,
    pub frequency: u64,
    pub offset_s: i64,
    pub offset_cycles: u64,
    pub of_unix_epoch: bool,
}

/// What a trace says about itself: by the texts and numbers of its environment, and its clock.
pub fn trace_info(
    text: impl Fn(&str) -> Option<String>,
    number: impl Fn(&str) -> Option<i64>,
    clock: Option<ClockInfo>,
) -> CtfTraceInfo {
    let version = [number("tracer_major"), number("tracer_minor"), number("tracer_patchlevel")];
    let part = |n: usize| version[n].and_then(|part| u32::try_from(part).ok());
    let name = text("tracer_name").unwrap_or_else(|| "CTF".into());
    let modules = part(0).zip(part(1)).filter(|_| name == "lttng-modules");
    let version: Vec<String> = version.iter().flatten().map(ToString::to_string).collect();
    let mut about = CtfTraceInfo {
        hostname: text("hostname"),
        kernel: text("kernel_release"),
        tracer: format!("{name} {}", version.join(".")).trim_end().into(),
        modules,
        clock: "none".into(),
        ..CtfTraceInfo::default()
    };
    if let Some(clock) = clock {
        let part = u128::from(clock.offset_cycles) * 1_000_000_000 / u128::from(clock.frequency.max(1));
        let epoch_ns = i64::try_from(i128::from(clock.offset_s) * 1_000_000_000 + part as i128).ok();
        about.epoch_ns = epoch_ns.filter(|_| clock.of_unix_epoch);
        about.clock = clock.name.unwrap_or_else(|| "unnamed".into());
        about.clock_uuid = clock.uuid;
    }
    about
}

/// Addresses are as good as random but for their low bits.
#[derive(Default)]
struct PointerHasher(u64);

impl Hasher for PointerHasher {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.0 = self.0.rotate_left(8) ^ u64::from(byte);
        }
    }

    fn write_usize(&mut self, address: usize) {
        self.0 = (address as u64 >> 4).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    }
}
