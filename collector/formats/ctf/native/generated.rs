//! Traces of random types with random values, written with the metadata that describe them.

use crate::native::model::{
    ByteOrder, Clock, EnvValue, EventClass, Integer, Range, StreamClass, Structure, TraceClass, Type, Variant,
    VariantOption,
};
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Numbers as good as random, the same for the same seed.
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Self {
        let mut new = Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
        (0..8).for_each(|_| {
            new.bits();
        });
        new
    }

    pub fn bits(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    pub fn below(&mut self, limit: u64) -> u64 {
        ((u128::from(self.bits()) * u128::from(limit)) >> 64) as u64
    }

    fn is(&mut self, one_in: u64) -> bool {
        self.below(one_in) == 0
    }

    fn of<T: Clone>(&mut self, choices: &[T]) -> T {
        choices[self.below(choices.len() as u64) as usize].clone()
    }
}

/// The metadata of a trace.
pub struct GeneratedTrace {
    pub classes: TraceClass,
    order: ByteOrder,
    cpus: u64,
}

const CLOCK: &str = "monotonic";
const UUID: [u8; 16] = [7; 16];

fn unsigned(size: u32, align: u32, order: ByteOrder) -> Integer {
    Integer { size, align, signed: false, order, text: false, clock: None }
}

fn plain(size: u32, order: ByteOrder) -> Arc<Type> {
    Arc::new(Type::Integer(unsigned(size, 8, order)))
}

fn timed(size: u32, align: u32, order: ByteOrder) -> Arc<Type> {
    Arc::new(Type::Integer(Integer { clock: Some(CLOCK.into()), ..unsigned(size, align, order) }))
}

fn structure(fields: Vec<(&str, Arc<Type>)>, align: u32) -> Arc<Type> {
    let fields = fields.into_iter().map(|(name, of)| (name.to_owned(), of)).collect();
    Arc::new(Type::Structure(Structure::new(fields, align)))
}

fn character(order: ByteOrder) -> Type {
    Type::Integer(Integer { signed: true, text: true, ..unsigned(8, 8, order) })
}

/// Events that are read, with the fields that they need.
const EVENTS: [(&str, &[(&str, bool)]); 8] = [
    (
        "sched_switch",
        &[
            ("_prev_comm", true),
            ("_prev_tid", false),
            ("_prev_prio", false),
            ("_prev_state", false),
            ("_next_comm", true),
            ("_next_tid", false),
            ("_next_prio", false),
        ],
    ),
    ("sched_waking", &[("_comm", true), ("_tid", false), ("_prio", false), ("_target_cpu", false)]),
    ("sched_wakeup", &[("_comm", true), ("_tid", false), ("_prio", false), ("_target_cpu", false)]),
    ("sched_migrate_task", &[("_tid", false), ("_orig_cpu", false), ("_dest_cpu", false)]),
    ("sched_process_exec", &[("_filename", true), ("_tid", false), ("_old_tid", false)]),
    ("lb_entry", &[("_ip", false), ("_parent_ip", false)]),
    ("lb_exit", &[("_ip", false), ("_parent_ip", false)]),
    ("something_else", &[]),
];

struct Types<'r> {
    random: &'r mut Random,
    order: ByteOrder,
    names: u32,
    /// Nothing depends on a field: in the context of a single event, libbabeltrace2 2.0.4 does not survive metadata
    /// with such fields.
    independent: bool,
}

impl Types<'_> {
    fn integer(&mut self) -> Integer {
        let whole = self.random.is(2);
        let size = if whole { self.random.of(&[8, 16, 32, 64]) } else { 1 + self.random.below(64) as u32 };
        let align =
            if whole { self.random.of(&[8, 8, 8, 16, 32, 64]) } else { self.random.of(&[1, 1, 1, 2, 4, 8, 32]) };
        let mut order = self.order;
        // A number in the other byte order must not share a byte with one in this.
        if whole && self.random.is(4) {
            order = if order == ByteOrder::Little { ByteOrder::Big } else { ByteOrder::Little };
        }
        Integer { size, align, signed: self.random.is(2), order, text: false, clock: None }
    }

    fn text(&mut self) -> Arc<Type> {
        if self.random.is(2) {
            return Arc::new(Type::Text);
        }
        Arc::new(Type::Array(Arc::new(character(self.order)), 1 + self.random.below(20)))
    }

    fn name(&mut self) -> String {
        self.names += 1;
        format!("_f{}", self.names)
    }

    /// Fields that are not read: one, or one and those that it depends on.
    fn noise(&mut self, depth: u32, fields: &mut Vec<(String, Arc<Type>)>) {
        let name = self.name();
        let kinds = match (self.independent, depth) {
            (true, _) => 6,
            (false, 0) => 7,
            (false, _) => 11,
        };
        let of = match self.random.below(kinds) {
            0 | 1 => Type::Integer(self.integer()),
            2 => {
                let (size, align) = self.random.of(&[(32, 8), (64, 8), (32, 32), (64, 64)]);
                Type::Float(size, align)
            }
            3 => (*self.text()).clone(),
            4 => Type::Enumeration(self.integer(), vec![("a".into(), (0, 0)), ("b".into(), (1, 1))]),
            5 => Type::Array(Arc::new(Type::Integer(self.integer())), 1 + self.random.below(5)),
            6 => {
                let length = self.length(&name, fields);
                let element = if self.random.is(3) { character(self.order) } else { Type::Integer(self.integer()) };
                Type::Sequence(Arc::new(element), length)
            }
            7 => (*self.structure(depth - 1)).clone(),
            9 => Type::Array(self.structure(depth - 1), 1 + self.random.below(3)),
            10 => {
                let length = self.length(&name, fields);
                let element = if self.random.is(2) { Arc::new(Type::Text) } else { self.structure(depth - 1) };
                Type::Sequence(element, length)
            }
            _ => {
                let tag = format!("{name}_tag");
                let mut integer = self.integer();
                integer.size = integer.size.max(4);
                if integer.size.is_multiple_of(8) {
                    integer.align = integer.align.max(8);
                }
                let options = 1 + self.random.below(3) as i128;
                let labels: Vec<(String, Range)> = (0..options)
                    .map(|n| (format!("option{n}"), (2 * n, 2 * n + i128::from(self.random.below(2)))))
                    .collect();
                let options = labels.iter().map(|(label, _)| {
                    let of = if self.random.is(2) {
                        self.structure(depth - 1)
                    } else {
                        Arc::new(Type::Integer(self.integer()))
                    };
                    VariantOption { name: label.clone(), ranges: None, of }
                });
                let variant = Variant::new(tag.clone(), options.collect());
                fields.push((tag, Arc::new(Type::Enumeration(integer, labels))));
                Type::Variant(variant)
            }
        };
        fields.push((name, Arc::new(of)));
    }

    /// A field with the length of the next.
    fn length(&mut self, name: &str, fields: &mut Vec<(String, Arc<Type>)>) -> String {
        let length = format!("_{name}_length");
        let mut integer = Integer { signed: false, ..self.integer() };
        if integer.size < 3 {
            integer.size = 3;
        }
        fields.push((length.clone(), Arc::new(Type::Integer(integer))));
        length
    }

    fn structure(&mut self, depth: u32) -> Arc<Type> {
        let mut fields = Vec::new();
        for _ in 0..=self.random.below(3) {
            self.noise(depth, &mut fields);
        }
        Arc::new(Type::Structure(Structure::new(fields, self.random.of(&[1, 1, 8, 16]))))
    }

    fn event(&mut self, id: u64, name: &str, needed: &[(&str, bool)]) -> EventClass {
        let mut fields = Vec::new();
        for (field, is_text) in needed {
            if self.random.is(3) {
                self.noise(2, &mut fields);
            }
            let of = if *is_text { self.text() } else { Arc::new(Type::Integer(self.integer())) };
            fields.push(((*field).to_owned(), of));
        }
        if needed.is_empty() || self.random.is(2) {
            self.noise(2, &mut fields);
        }
        let context = self.random.is(4).then(|| self.context(true));
        let fields = Some(Arc::new(Type::Structure(Structure::new(fields, 1))));
        EventClass { id, name: name.into(), context, fields }
    }

    /// The context of events: a thread and a stack, or something else.
    fn context(&mut self, specific: bool) -> Arc<Type> {
        let mut fields = Vec::new();
        if self.random.is(2) {
            self.independent = specific;
            self.noise(1, &mut fields);
            self.independent = false;
        }
        if !specific && self.random.is(2) {
            let mut integer = Integer { signed: false, ..self.integer() };
            integer.size = integer.size.max(3);
            let element = Arc::new(Type::Integer(Integer { signed: false, ..self.integer() }));
            fields.push(("__callstack_kernel_length".into(), Arc::new(Type::Integer(integer))));
            fields.push((
                "_callstack_kernel".into(),
                Arc::new(Type::Sequence(element, "__callstack_kernel_length".into())),
            ));
        }
        fields.push(("_tid".into(), Arc::new(Type::Integer(self.integer()))));
        Arc::new(Type::Structure(Structure::new(fields, 1)))
    }

    fn header(&mut self) -> Arc<Type> {
        let order = self.order;
        let lttngs = |id: u32, time: u32| {
            let align = |size: u32| if size.is_multiple_of(8) { 8 } else { 1 };
            let highest = (1i128 << id) - 1;
            let labels = vec![("compact".into(), (0, highest - 1)), ("extended".into(), (highest, highest))];
            let options = [
                ("compact", structure(vec![("timestamp", timed(time, align(time), order))], 1)),
                ("extended", structure(vec![("id", plain(32, order)), ("timestamp", timed(64, 8, order))], 1)),
            ];
            let options = options.map(|(name, of)| VariantOption { name: name.into(), ranges: None, of });
            let tag = Arc::new(Type::Enumeration(unsigned(id, align(id), order), labels));
            let variant = Arc::new(Type::Variant(Variant::new("id".into(), options.into())));
            structure(vec![("id", tag), ("v", variant)], 8)
        };
        match self.random.below(4) {
            0 | 1 => lttngs(5, 27),
            2 => lttngs(16, 32),
            _ => {
                let (size, align) = self.random.of(&[(64, 8), (64, 64), (32, 8), (40, 8), (33, 1)]);
                let id = Arc::new(Type::Integer(unsigned(self.random.of(&[8, 16, 11]), 8, order)));
                structure(vec![("id", id), ("timestamp", timed(size, align, order))], 8)
            }
        }
    }
}

impl GeneratedTrace {
    pub fn new(random: &mut Random) -> Self {
        let order = random.of(&[ByteOrder::Little, ByteOrder::Little, ByteOrder::Big]);
        let uuid = Arc::new(Type::Array(plain(8, order), 16));
        let mut header = vec![("magic", plain(32, order)), ("uuid", uuid), ("stream_id", plain(32, order))];
        if !random.is(4) {
            header.push(("stream_instance_id", plain(64, order)));
        }
        let mut context: Vec<_> =
            ["timestamp_begin", "timestamp_end"].into_iter().map(|name| (name, timed(64, 8, order))).collect();
        context.extend(["content_size", "packet_size"].map(|name| (name, plain(64, order))));
        if !random.is(4) {
            context.push(("packet_seq_num", plain(64, order)));
        }
        if !random.is(4) {
            context.push(("events_discarded", plain(64, order)));
        }
        if !random.is(6) {
            context.push(("cpu_id", plain(32, order)));
        }
        let context = structure(context, 1);
        let mut types = Types { random, order, names: 0, independent: false };
        let streams = (0..=types.random.below(3)).map(|id| {
            let header = types.header();
            let mut events = Vec::new();
            for (name, needed) in EVENTS {
                if types.random.is(3) || events.is_empty() {
                    let id = events.len() as u64 * types.random.of(&[1, 1, 3]) + events.len() as u64;
                    let id = id.max(events.last().map_or(0, |event: &EventClass| event.id + 1));
                    events.push(types.event(id, name, needed));
                }
            }
            let event_context = types.random.is(2).then(|| types.context(false));
            StreamClass { id, packet_context: Some(context.clone()), event_header: Some(header), event_context, events }
        });
        let streams = streams.collect();
        let text = |text: &str| EnvValue::Text(text.into());
        let tracer = types.random.of(&["lttng-modules", "other"]);
        let env = [
            ("hostname", text("rig")),
            ("domain", text("kernel")),
            ("kernel_release", text("6.1.0")),
            ("tracer_name", text(tracer)),
            ("tracer_major", EnvValue::Number(2)),
            ("tracer_minor", EnvValue::Number(types.random.of(&[8, 13]))),
            ("tracer_patchlevel", EnvValue::Number(-1)),
        ];
        let clock = Clock {
            name: CLOCK.into(),
            uuid: Some("b839f3b4b654472b8a511b7e7944b8c1".into()),
            frequency: types.random.of(&[1_000_000_000, 1_000_000_000, 24_000_000]),
            offset_s: 0,
            offset_cycles: 1_795_178_778_663_472,
            absolute: tracer == "lttng-modules",
        };
        let cpus = 1 + random.below(3);
        let classes = TraceClass {
            packet_header: Some(structure(header, 1)),
            env: env.map(|(name, value)| (name.to_owned(), value)).into(),
            clocks: vec![clock],
            streams,
        };
        Self { classes, order, cpus }
    }

    /// Packets of several folders can be distinguished, and put together.
    pub fn numbers_packets(&self) -> bool {
        let has = |of: &Type, name: &str| of.fields().iter().any(|(known, _)| known == name);
        let header = self.classes.packet_header.as_ref().unwrap();
        let context = self.classes.streams[0].packet_context.as_ref().unwrap();
        has(header, "stream_instance_id") && has(context, "packet_seq_num")
    }

    pub fn metadata(&self) -> String {
        let order = if self.order == ByteOrder::Little { "le" } else { "be" };
        let uuid: String = UUID.iter().map(|byte| format!("{byte:02x}")).collect();
        let uuid = format!("{}-{}-{}-{}-{}", &uuid[..8], &uuid[8..12], &uuid[12..16], &uuid[16..20], &uuid[20..]);
        let mut text = "/* CTF 1.8 */\n".to_owned();
        // As LTTng: the clock comes after the trace, whose header has none of its values.
        let header = tsdl_body(self.classes.packet_header.as_ref().unwrap());
        text += &format!(
            "trace {{ major = 1; minor = 8; uuid = \"{uuid}\"; byte_order = {order};\n\
             packet.header := {header}; }};\nenv {{\n"
        );
        for (name, value) in &self.classes.env {
            match value {
                EnvValue::Text(value) => text += &format!("\t{name} = {value:?};\n"),
                EnvValue::Number(value) => text += &format!("\t{name} = {value};\n"),
            }
        }
        let clock = &self.classes.clocks[0];
        let (freq, offset) = (clock.frequency, clock.offset_cycles);
        text += &format!(
            "}};\nclock {{ name = {CLOCK}; uuid = \"b839f3b4-b654-472b-8a51-1b7e7944b8c1\";\n\
             freq = {freq}; offset = {offset}; }};\n"
        );
        for stream in &self.classes.streams {
            let StreamClass { id, packet_context, event_header, event_context, events } = stream;
            text += &format!("stream {{ id = {id}; ");
            let parts =
                [("packet.context", packet_context), ("event.header", event_header), ("event.context", event_context)];
            for (name, of) in parts {
                if let Some(of) = of {
                    text += &format!("{name} := {}; ", tsdl_body(of));
                }
            }
            text += "};\n";
            for event in events {
                text += &format!("event {{ name = {:?}; id = {}; stream_id = {id}; ", event.name, event.id);
                for (name, of) in [("context", &event.context), ("fields", &event.fields)] {
                    if let Some(of) = of {
                        text += &format!("{name} := {}; ", tsdl_body(of));
                    }
                }
                text += "};\n";
            }
        }
        text
    }

    /// The same as metadata of CTF 2.
    pub fn metadata_of_ctf_2(&self, random: &mut Random) -> String {
        let mut fragments = vec![json!({ "type": "preamble", "version": 2, "uuid": UUID })];
        let alias = json_integer(&unsigned(8, 8, self.order), &[]);
        fragments.push(json!({ "type": "field-class-alias", "name": "a byte", "field-class": alias }));
        let env: serde_json::Map<String, Value> = (self.classes.env.iter())
            .map(|(name, value)| match value {
                EnvValue::Text(text) => (name.clone(), json!(text)),
                EnvValue::Number(number) => (name.clone(), json!(number)),
            })
            .collect();
        let mut json = Json { random, origin: "packet-header" };
        let header = json.class(self.classes.packet_header.as_ref().unwrap(), "", 0);
        fragments.push(json!({ "type": "trace-class", "environment": env, "packet-header-field-class": header }));
        let clock = &self.classes.clocks[0];
        let mut fragment = json!({
            "type": "clock-class",
            "id": clock.name,
            "uid": clock.uuid,
            "frequency": clock.frequency,
            "offset-from-origin": { "seconds": clock.offset_s, "cycles": clock.offset_cycles },
        });
        if clock.absolute {
            fragment["origin"] = json!("unix-epoch");
        }
        fragments.push(fragment);
        for stream in &self.classes.streams {
            let mut fragment =
                json!({ "type": "data-stream-class", "id": stream.id, "default-clock-class-id": clock.name });
            for (name, origin, of) in [
                ("packet-context-field-class", "packet-context", &stream.packet_context),
                ("event-record-header-field-class", "event-record-header", &stream.event_header),
                ("event-record-common-context-field-class", "event-record-common-context", &stream.event_context),
            ] {
                if let Some(of) = of {
                    json.origin = origin;
                    fragment[name] = json.class(of, "", 0);
                }
            }
            fragments.push(fragment);
            for event in &stream.events {
                let (id, name) = (event.id, &event.name);
                let mut fragment =
                    json!({ "type": "event-record-class", "id": id, "data-stream-class-id": stream.id, "name": name });
                for (name, origin, of) in [
                    ("specific-context-field-class", "event-record-specific-context", &event.context),
                    ("payload-field-class", "event-record-payload", &event.fields),
                ] {
                    if let Some(of) = of {
                        json.origin = origin;
                        fragment[name] = json.class(of, "", 0);
                    }
                }
                fragments.push(fragment);
            }
        }
        fragments.iter().map(|fragment| format!("\x1e{fragment}\n")).collect()
    }

    /// Write streams of all CPUs. Returns the number of events.
    pub fn write(&self, folder: &Path, random: &mut Random) -> u64 {
        self.write_parts(&[folder.to_owned()], 1, random)
    }

    /// Write the packets of each stream to these folders one after the other, and in each to so many files; now and
    /// then a packet to the next part as well, as overlapping snapshots have it. Returns the number of events.
    pub fn write_parts(&self, folders: &[PathBuf], files: u64, random: &mut Random) -> u64 {
        let overlaps = folders.len() > 1 && random.is(2) && self.numbers_packets();
        for folder in folders {
            fs::create_dir_all(folder).unwrap();
            fs::write(folder.join("metadata"), self.metadata()).unwrap();
        }
        let mut written = 0;
        for stream in &self.classes.streams {
            for cpu in 0..self.cpus {
                let mut now = 1_000 + random.below(1 << 34);
                let (mut sequence, mut discarded) = (random.below(3), random.below(2) * random.below(100));
                let mut overlap = Vec::new();
                for (folder, file) in folders.iter().flat_map(|folder| (0..files).map(move |file| (folder, file))) {
                    let mut bytes = std::mem::take(&mut overlap);
                    for _ in 0..=random.below(4) {
                        let before = bytes.len();
                        written += self.packet(stream, cpu, &mut now, (sequence, discarded), random, &mut bytes);
                        sequence += 1 + random.below(5) / 4;
                        discarded += random.below(5) / 4 * random.below(9);
                        overlap = if overlaps && file + 1 == files { bytes[before..].to_vec() } else { Vec::new() };
                    }
                    let name = format!("c{}_{cpu}", stream.id);
                    let name = if files == 1 { name } else { format!("{name}_{file}") };
                    fs::write(folder.join(name), bytes).unwrap();
                }
            }
        }
        written
    }

    fn packet(
        &self,
        stream: &StreamClass,
        cpu: u64,
        now: &mut u64,
        (sequence, discarded): (u64, u64),
        random: &mut Random,
        out: &mut Vec<u8>,
    ) -> u64 {
        let begin = *now;
        let mut bits = Bits::default();
        let mut events = 0;
        let head = |bits: &mut Bits, end: u64, content: u64, size: u64| {
            let value = |name: &str| match name {
                "magic" => 0xc1fc_1fc1,
                "stream_id" => stream.id,
                "stream_instance_id" | "cpu_id" => cpu,
                "timestamp_begin" => begin,
                "timestamp_end" => end,
                "content_size" => content,
                "packet_size" => size,
                "packet_seq_num" => sequence,
                "events_discarded" => discarded,
                _ => 7, // the UUID
            };
            for of in [self.classes.packet_header.as_ref(), stream.packet_context.as_ref()] {
                let of = of.unwrap();
                bits.align(of.align());
                for (name, of) in of.fields() {
                    match &**of {
                        Type::Array(element, count) => {
                            (0..*count).for_each(|_| bits.integer(element.integer().unwrap(), 7))
                        }
                        of => bits.integer(of.integer().unwrap(), value(name)),
                    }
                }
            }
        };
        head(&mut bits, 0, 0, 0);
        let mut clock = begin;
        for _ in 0..random.below(40) {
            // Now and then longer than the short forms of a header can say.
            *now += if random.is(20) { 1 << 28 } else { random.below(100_000) };
            let event = &stream.events[random.below(stream.events.len() as u64) as usize];
            bits.header(stream.event_header.as_ref().unwrap(), event.id, *now, clock);
            clock = *now;
            for of in [&stream.event_context, &event.context, &event.fields].into_iter().flatten() {
                bits.value(of, None, random);
            }
            events += 1;
        }
        *now += random.below(1000);
        let content = bits.at;
        let size = content.next_multiple_of(8 * random.of(&[1, 16, 4096]));
        bits.align(size.next_power_of_two().min(8) as u32);
        let mut first = Bits::default();
        head(&mut first, *now, content, size);
        bits.bytes[..first.bytes.len()].copy_from_slice(&first.bytes);
        bits.bytes.resize((size / 8) as usize, 0);
        out.extend(bits.bytes);
        *now += random.below(1000);
        events
    }
}

fn tsdl_integer(integer: &Integer) -> String {
    let Integer { size, align, signed, order, text, clock } = integer;
    let order = if *order == ByteOrder::Little { "le" } else { "be" };
    let encoding = if *text { "UTF8" } else { "none" };
    let map = clock.as_ref().map_or_else(String::new, |clock| format!(" map = clock.{clock}.value;"));
    format!(
        "integer {{ size = {size}; align = {align}; signed = {signed}; byte_order = {order}; \
         encoding = {encoding}; base = 10;{map} }}"
    )
}

/// A type without a field's name.
fn tsdl_body(of: &Type) -> String {
    match of {
        Type::Integer(integer) => tsdl_integer(integer),
        Type::Enumeration(integer, labels) => {
            let labels = labels.iter().map(|(label, (first, last))| match first == last {
                true => format!("{label:?} = {first}"),
                false => format!("{label} = {first} ... {last}"),
            });
            format!("enum : {} {{ {} }}", tsdl_integer(integer), labels.collect::<Vec<_>>().join(", "))
        }
        Type::Float(size, align) => {
            let (exponent, mantissa) = if *size == 32 { (8, 24) } else { (11, 53) };
            format!("floating_point {{ exp_dig = {exponent}; mant_dig = {mantissa}; align = {align}; }}")
        }
        Type::Text => "string".into(),
        Type::Structure(structure) => {
            let fields: String = structure.fields.iter().map(|(name, of)| tsdl_field(name, of)).collect();
            format!("struct {{ {fields}}} align({})", of.align())
        }
        Type::Variant(variant) => {
            let options: String = variant.options.iter().map(|option| tsdl_field(&option.name, &option.of)).collect();
            format!("variant <{}> {{ {options}}}", variant.tag)
        }
        Type::Array(..) | Type::Sequence(..) => unreachable!("fields alone are arrays"),
    }
}

fn tsdl_field(name: &str, of: &Type) -> String {
    match of {
        Type::Array(element, length) => format!("{} {name}[{length}]; ", tsdl_body(element)),
        Type::Sequence(element, length) => format!("{} {name}[ {length} ]; ", tsdl_body(element)),
        of => {
            let mut text = String::new();
            write!(text, "{} {name}; ", tsdl_body(of)).unwrap();
            text
        }
    }
}

fn json_integer(integer: &Integer, labels: &[(String, Range)]) -> Value {
    let kind = if integer.signed { "fixed-length-signed-integer" } else { "fixed-length-unsigned-integer" };
    let order = if integer.order == ByteOrder::Little { "little-endian" } else { "big-endian" };
    let mut class = json!({ "type": kind, "length": integer.size, "byte-order": order, "alignment": integer.align });
    for (label, (first, last)) in labels {
        class["mappings"][label.as_str()] = json!([[*first as i64, *last as i64]]);
    }
    class
}

/// Writes field classes of CTF 2 for the fields of a scope.
struct Json<'r> {
    random: &'r mut Random,
    origin: &'static str,
}

impl Json<'_> {
    /// Of the field of this name, in so many structures.
    fn class(&mut self, of: &Type, name: &str, depth: u32) -> Value {
        match of {
            Type::Integer(integer) | Type::Enumeration(integer, _) => {
                let labels = if let Type::Enumeration(_, labels) = of { &labels[..] } else { &[] };
                let mut class = json_integer(integer, labels);
                let role = match (self.origin, name) {
                    ("packet-header", "magic") => "packet-magic-number",
                    ("packet-header", "stream_id") => "data-stream-class-id",
                    ("packet-header", "stream_instance_id") => "data-stream-id",
                    ("packet-context", "timestamp_begin") | ("event-record-header", "timestamp") => {
                        "default-clock-timestamp"
                    }
                    ("packet-context", "timestamp_end") => "packet-end-default-clock-timestamp",
                    ("packet-context", "content_size") => "packet-content-length",
                    ("packet-context", "packet_size") => "packet-total-length",
                    ("packet-context", "packet_seq_num") => "packet-sequence-number",
                    ("packet-context", "events_discarded") => "discarded-event-record-counter-snapshot",
                    ("event-record-header", "id") => "event-record-class-id",
                    _ => return class,
                };
                class["roles"] = json!([role]);
                class
            }
            Type::Float(size, align) => {
                let kind = "fixed-length-floating-point-number";
                json!({ "type": kind, "length": size, "byte-order": "little-endian", "alignment": align })
            }
            Type::Text => json!({ "type": "null-terminated-string" }),
            Type::Structure(structure) => {
                let members = structure.fields.iter().map(|(name, of)| {
                    let class = self.class(of, name, depth + 1);
                    json!({ "name": name, "field-class": class })
                });
                let members: Vec<Value> = members.collect();
                json!({ "type": "structure", "member-classes": members, "minimum-alignment": of.align() })
            }
            Type::Variant(variant) => {
                let options = variant.options.iter().enumerate().map(|(n, option)| {
                    let class = self.class(&option.of, &option.name, depth);
                    // The long form of LTTng's headers is selected by the highest id.
                    let highest = if variant.options[0].of.align() == 8 { 65535 } else { 31 };
                    let ranges = match (self.origin, n) {
                        ("event-record-header", 1) => json!([[highest, highest]]),
                        ("event-record-header", _) => json!([[0, highest - 1]]),
                        _ => json!([[2 * n, 2 * n + 1]]),
                    };
                    json!({ "name": option.name, "field-class": class, "selector-field-ranges": ranges })
                });
                let options: Vec<Value> = options.collect();
                let location = self.location(&variant.tag, depth);
                json!({ "type": "variant", "selector-field-location": location, "options": options })
            }
            Type::Array(element, length) if element.is_character() => {
                json!({ "type": "static-length-string", "length": length })
            }
            Type::Array(element, 16) if name == "uuid" => {
                assert!(element.integer().is_some());
                json!({ "type": "static-length-array", "length": 16, "element-field-class": "a byte" })
            }
            Type::Array(element, length) => {
                let element = self.class(element, "", depth);
                json!({ "type": "static-length-array", "length": length, "element-field-class": element })
            }
            Type::Sequence(element, length) => {
                let location = self.location(length, depth);
                if element.is_character() {
                    return json!({ "type": "dynamic-length-string", "length-field-location": location });
                }
                let element = self.class(element, "", depth);
                let kind = "dynamic-length-array";
                json!({ "type": kind, "length-field-location": location, "element-field-class": element })
            }
        }
    }

    fn location(&mut self, name: &str, depth: u32) -> Value {
        match depth == 1 && self.random.is(2) {
            true => json!({ "origin": self.origin, "path": [name] }),
            false => json!({ "path": [name] }),
        }
    }
}

/// A packet that is being written, bit by bit.
#[derive(Default)]
struct Bits {
    bytes: Vec<u8>,
    at: u64,
}

impl Bits {
    fn align(&mut self, align: u32) {
        self.at = self.at.next_multiple_of(align.into());
        self.bytes.resize(self.at.div_ceil(8) as usize, 0);
    }

    fn integer(&mut self, integer: &Integer, value: u64) {
        self.align(integer.align);
        let size = u64::from(integer.size);
        self.bytes.resize((self.at + size).div_ceil(8) as usize, 0);
        for n in 0..size {
            let at = self.at + n;
            let (bit, place) = match integer.order {
                ByteOrder::Little => (value >> n & 1, at % 8),
                ByteOrder::Big => (value >> (size - 1 - n) & 1, 7 - at % 8),
            };
            self.bytes[(at / 8) as usize] |= (bit as u8) << place;
        }
        self.at += size;
    }

    fn text(&mut self, length: u64, random: &mut Random) {
        self.align(8);
        for _ in 0..length {
            self.bytes.push(b'a' + random.below(26) as u8);
        }
        self.at += 8 * length;
    }

    /// The header of an event; the clock stood at `clock` before.
    fn header(&mut self, of: &Type, id: u64, now: u64, clock: u64) {
        self.align(of.align());
        let [(_, first), (_, second)] = of.fields() else { unreachable!() };
        if let Type::Variant(variant) = &**second {
            let [compact, extended] = &variant.options[..] else { unreachable!() };
            let size = compact.of.fields()[0].1.integer().unwrap().size;
            let highest = (1 << first.integer().unwrap().size) - 1;
            let short = id < highest && now - clock < 1 << size;
            self.integer(first.integer().unwrap(), if short { id } else { highest });
            let option = if short { &compact.of } else { &extended.of };
            self.align(option.align());
            for (name, of) in option.fields() {
                self.integer(of.integer().unwrap(), if name == "id" { id } else { now });
            }
        } else {
            self.integer(first.integer().unwrap(), id);
            self.integer(second.integer().unwrap(), now);
        }
    }

    /// A random value of this type; `given`: of an integer.
    fn value(&mut self, of: &Type, given: Option<u64>, random: &mut Random) {
        match of {
            Type::Integer(integer) | Type::Enumeration(integer, _) => {
                let small = random.is(2).then(|| random.below(8));
                self.integer(integer, given.or(small).unwrap_or_else(|| random.bits()));
            }
            Type::Float(size, align) => {
                let number = unsigned(32, *align, ByteOrder::Little);
                self.integer(&number, random.below(1000));
                self.align(1);
                if *size == 64 {
                    self.integer(&Integer { align: 8, ..number }, 0);
                }
            }
            Type::Text => {
                let length = random.below(12);
                self.text(length, random);
                self.bytes.push(0);
                self.at += 8;
            }
            Type::Structure(structure) => {
                self.align(of.align());
                // Lengths and tags first: those that are written must be those that are followed.
                let mut chosen: Vec<(String, u64)> = Vec::new();
                for (n, (name, of)) in structure.fields.iter().enumerate() {
                    let next = structure.fields.get(n + 1).map(|(_, of)| &**of);
                    let given = match (next, &**of) {
                        (Some(Type::Sequence(_, length)), _) if length == name => Some(random.below(5)),
                        (Some(Type::Variant(variant)), Type::Enumeration(_, labels)) if variant.tag == *name => {
                            let (_, (first, last)) = random.of(labels);
                            Some((first + i128::from(random.below((last - first + 1) as u64))) as u64)
                        }
                        _ => None,
                    };
                    chosen.extend(given.map(|given| (name.clone(), given)));
                    let value = |name: &str| chosen.iter().find(|(known, _)| known == name).expect("chosen before").1;
                    match &**of {
                        Type::Sequence(element, length) => self.elements(element, value(length), random),
                        Type::Variant(variant) => {
                            let at = (value(&variant.tag) / 2) as usize;
                            self.value(&variant.options[at].of, None, random);
                        }
                        of => self.value(of, given, random),
                    }
                }
            }
            Type::Array(element, length) => self.elements(element, *length, random),
            Type::Sequence(..) | Type::Variant(_) => unreachable!("fields of structures alone"),
        }
    }

    fn elements(&mut self, element: &Type, count: u64, random: &mut Random) {
        self.align(element.align());
        if element.is_character() {
            let length = random.below(count + 1);
            self.text(length, random);
            self.bytes.resize(self.bytes.len() + (count - length) as usize, 0);
            self.at += 8 * (count - length);
            return;
        }
        (0..count).for_each(|_| self.value(element, None, random));
    }
}
