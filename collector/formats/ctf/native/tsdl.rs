//! Reads the metadata of CTF 1.8: the language TSDL, as LTTng's tracers write it.
//!
//! What they do not write is refused with its name; libbabeltrace2 may know it.

use crate::native::model::{
    ByteOrder, Clock, EnvValue, EventClass, Integer, StreamClass, Structure, TraceClass, Type, Variant, VariantOption,
};
use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

/// Types within types, as they are written.
const DEEPEST: usize = 32;
/// Fields of a structure.
pub const MOST_FIELDS: usize = 4096;
/// Dimensions of an array.
const DIMENSIONS: usize = 8;

/// Read metadata. The error says what is not understood, and in which line.
pub fn parse(text: &str) -> Result<TraceClass, String> {
    let tokens = tokens(text)?;
    let mut parser = Parser {
        tokens,
        at: 0,
        order: ByteOrder::Little,
        depth: 0,
        scopes: vec![HashMap::new()],
        header: None,
        env: BTreeMap::new(),
        clocks: Vec::new(),
        streams: Vec::new(),
        events: Vec::new(),
    };
    parser.order = parser.byte_order_of_trace()?;
    let parsed = parser.metadata();
    parsed.map_err(|why| format!("{why} (line {})", parser.line()))?;
    parser.finish()
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Token {
    Word(String),
    Number(i128),
    Text(String),
    /// One of `{ } ( ) [ ] < > ; : , = . ...` and `:=`.
    Sign(&'static str),
}

const SIGNS: [&str; 18] =
    [":=", "...", "->", "{", "}", "(", ")", "[", "]", "<", ">", ";", ":", ",", "=", ".", "+", "-"];

/// Tokens and their lines.
fn tokens(text: &str) -> Result<Vec<(Token, u32)>, String> {
    let bytes = text.as_bytes();
    let (mut at, mut line, mut found) = (0, 1, Vec::new());
    while at < bytes.len() {
        let rest = &text[at..];
        let byte = bytes[at];
        let start = at;
        if byte.is_ascii_whitespace() {
            at += 1;
        } else if rest.starts_with("/*") {
            at += rest.find("*/").ok_or_else(|| format!("a comment does not end (line {line})"))? + 2;
        } else if rest.starts_with("//") {
            at += rest.find('\n').unwrap_or(rest.len());
        } else if byte.is_ascii_alphabetic() || byte == b'_' {
            let end = rest.bytes().position(|b| !b.is_ascii_alphanumeric() && b != b'_').unwrap_or(rest.len());
            found.push((Token::Word(rest[..end].to_owned()), line));
            at += end;
        } else if byte.is_ascii_digit() {
            let end = rest.bytes().position(|b| !b.is_ascii_alphanumeric()).unwrap_or(rest.len());
            let number =
                number(&rest[..end]).ok_or_else(|| format!("`{}` is not a number (line {line})", &rest[..end]))?;
            found.push((Token::Number(number), line));
            at += end;
        } else if byte == b'"' {
            let (value, length) = quoted(&rest[1..]).ok_or_else(|| format!("a text does not end (line {line})"))?;
            found.push((Token::Text(value), line));
            at += 1 + length;
        } else if let Some(sign) = SIGNS.iter().copied().find(|sign| rest.starts_with(sign)) {
            found.push((Token::Sign(sign), line));
            at += sign.len();
        } else {
            let odd = rest.chars().next().unwrap_or_default().escape_default();
            return Err(format!("unexpected character {odd} (line {line})"));
        }
        line += bytes[start..at].iter().filter(|&&b| b == b'\n').count() as u32;
    }
    Ok(found)
}

fn number(word: &str) -> Option<i128> {
    let digits = word.trim_end_matches(['u', 'U', 'l', 'L']);
    match (digits.strip_prefix("0x").or_else(|| digits.strip_prefix("0X")), digits.strip_prefix('0')) {
        (Some(hex), _) => u64::from_str_radix(hex, 16).ok(),
        (None, Some(octal)) if !octal.is_empty() => u64::from_str_radix(octal, 8).ok(),
        _ => digits.parse().ok(),
    }
    .map(i128::from)
}

/// A text up to its quote, and the bytes it takes with that.
fn quoted(rest: &str) -> Option<(String, usize)> {
    let mut value = String::new();
    let mut chars = rest.char_indices();
    while let Some((at, char)) = chars.next() {
        match char {
            '"' => return Some((value, at + 1)),
            '\\' => match chars.next()?.1 {
                'n' => value.push('\n'),
                't' => value.push('\t'),
                'r' => value.push('\r'),
                same @ ('"' | '\\' | '\'' | '?') => value.push(same),
                // Octal and hexadecimal characters: not written by LTTng.
                _ => return None,
            },
            '\n' => return None,
            char => value.push(char),
        }
    }
    None
}

/// What `name = value;` and `name := type;` in a block declare.
enum Entry {
    Value(Vec<Token>),
    Type(Arc<Type>),
}

struct Parser {
    tokens: Vec<(Token, u32)>,
    at: usize,
    order: ByteOrder,
    depth: usize,
    /// Named types of each enclosing scope: `uint32_t`, `struct packet_context`, `enum x`.
    scopes: Vec<HashMap<String, Arc<Type>>>,
    header: Option<Arc<Type>>,
    env: BTreeMap<String, EnvValue>,
    clocks: Vec<Clock>,
    streams: Vec<StreamClass>,
    events: Vec<(u64, EventClass)>,
}

impl Parser {
    fn line(&self) -> u32 {
        self.tokens.get(self.at).or(self.tokens.last()).map_or(1, |(_, line)| *line)
    }

    fn peek(&self) -> Option<&Token> {
        self.tokens.get(self.at).map(|(token, _)| token)
    }

    fn next(&mut self) -> Result<Token, String> {
        let token = self.peek().cloned().ok_or("they end too early")?;
        self.at += 1;
        Ok(token)
    }

    fn is(&self, sign: &str) -> bool {
        matches!(self.peek(), Some(Token::Sign(found)) if *found == sign)
    }

    fn is_word(&self, word: &str) -> bool {
        matches!(self.peek(), Some(Token::Word(found)) if found == word)
    }

    fn take(&mut self, sign: &str) -> bool {
        let found = self.is(sign);
        self.at += usize::from(found);
        found
    }

    fn take_word(&mut self, word: &str) -> bool {
        let found = self.is_word(word);
        self.at += usize::from(found);
        found
    }

    fn expect(&mut self, sign: &str) -> Result<(), String> {
        if self.take(sign) { Ok(()) } else { Err(format!("`{sign}` expected, {} found", self.found())) }
    }

    fn found(&self) -> String {
        match self.peek() {
            None => "the end".into(),
            Some(Token::Word(word)) => format!("`{word}`"),
            Some(Token::Number(number)) => format!("`{number}`"),
            Some(Token::Text(text)) => format!("{text:?}"),
            Some(Token::Sign(sign)) => format!("`{sign}`"),
        }
    }

    fn word(&mut self) -> Result<String, String> {
        match self.next()? {
            Token::Word(word) => Ok(word),
            _ => {
                self.at -= 1;
                Err(format!("a name expected, {} found", self.found()))
            }
        }
    }

    /// Integers without a byte order have that of the trace, which may be declared after them.
    fn byte_order_of_trace(&self) -> Result<ByteOrder, String> {
        let of_trace = self
            .tokens
            .windows(2)
            .position(|pair| matches!(pair, [(Token::Word(word), _), (Token::Sign("{"), _)] if word == "trace"));
        let rest = of_trace.map_or(&[][..], |at| &self.tokens[at..]);
        let word = rest.windows(3).find_map(|three| match three {
            [(Token::Word(word), _), (Token::Sign("="), _), (Token::Word(order), _)] if word == "byte_order" => {
                Some(order.as_str())
            }
            _ => None,
        });
        byte_order(word.ok_or("the trace has no byte_order")?)
    }

    fn metadata(&mut self) -> Result<(), String> {
        while let Some(token) = self.peek() {
            let Token::Word(word) = token else { return Err(format!("unexpected {}", self.found())) };
            let block = matches!(self.tokens.get(self.at + 1), Some((Token::Sign("{"), _)));
            match word.as_str() {
                "trace" if block => self.trace()?,
                "stream" if block => self.stream()?,
                "event" if block => self.event()?,
                "clock" if block => self.clock()?,
                "env" if block => self.environment()?,
                "callsite" if block => self.callsite()?,
                _ => self.declaration()?,
            }
        }
        Ok(())
    }

    /// The entries of a block, by name; declarations of types within it hold to its end.
    fn block(&mut self) -> Result<Vec<(String, Entry)>, String> {
        self.at += 1;
        self.expect("{")?;
        self.scopes.push(HashMap::new());
        let mut entries = Vec::new();
        while !self.take("}") {
            if self.is_word("typealias") || self.is_word("typedef") {
                self.declaration()?;
                continue;
            }
            let mut name = self.word()?;
            while self.take(".") {
                name = format!("{name}.{}", self.word()?);
            }
            let entry = if self.take(":=") {
                Entry::Type(self.of_type()?)
            } else {
                self.expect("=")?;
                Entry::Value(self.value()?)
            };
            self.expect(";")?;
            entries.push((name, entry));
        }
        self.scopes.pop();
        self.expect(";")?;
        Ok(entries)
    }

    /// Tokens up to a `;`.
    fn value(&mut self) -> Result<Vec<Token>, String> {
        let mut value = Vec::new();
        while !self.is(";") {
            value.push(self.next()?);
        }
        Ok(value)
    }

    fn trace(&mut self) -> Result<(), String> {
        for (name, entry) in self.block()? {
            match (name.as_str(), entry) {
                ("packet.header", Entry::Type(of)) => self.header = Some(of),
                ("major", Entry::Value(value)) if unsigned(&value)? == 1 => {}
                ("minor", Entry::Value(value)) if unsigned(&value)? == 8 => {}
                ("byte_order", Entry::Value(value)) => {
                    let same = matches!(&value[..], [Token::Word(word)] if byte_order(word)? == self.order);
                    if !same {
                        return Err("byte_order is not le or be".into());
                    }
                }
                ("uuid", Entry::Value(_)) => {}
                _ => return Err(format!("unknown entry `{name}` of trace")),
            }
        }
        Ok(())
    }

    fn stream(&mut self) -> Result<(), String> {
        let mut stream = StreamClass::default();
        for (name, entry) in self.block()? {
            match (name.as_str(), entry) {
                ("id", Entry::Value(value)) => stream.id = unsigned(&value)?,
                ("packet.context", Entry::Type(of)) => stream.packet_context = Some(of),
                ("event.header", Entry::Type(of)) => stream.event_header = Some(of),
                ("event.context", Entry::Type(of)) => stream.event_context = Some(of),
                _ => return Err(format!("unknown entry `{name}` of stream")),
            }
        }
        if self.streams.iter().any(|other| other.id == stream.id) {
            return Err(format!("two streams have the id {}", stream.id));
        }
        self.streams.push(stream);
        Ok(())
    }

    fn event(&mut self) -> Result<(), String> {
        let (mut event, mut stream) = (EventClass::default(), 0);
        for (name, entry) in self.block()? {
            match (name.as_str(), entry) {
                ("id", Entry::Value(value)) => event.id = unsigned(&value)?,
                ("stream_id", Entry::Value(value)) => stream = unsigned(&value)?,
                ("name", Entry::Value(value)) => {
                    event.name = text(&value).ok_or("the name of an event is not a text")?;
                }
                ("context", Entry::Type(of)) => event.context = Some(of),
                ("fields", Entry::Type(of)) => event.fields = Some(of),
                ("loglevel" | "model.emf.uri", Entry::Value(_)) => {}
                _ => return Err(format!("unknown entry `{name}` of event")),
            }
        }
        self.events.push((stream, event));
        Ok(())
    }

    fn clock(&mut self) -> Result<(), String> {
        let mut clock = Clock {
            name: String::new(),
            uuid: None,
            frequency: 1_000_000_000,
            offset_s: 0,
            offset_cycles: 0,
            absolute: false,
        };
        for (name, entry) in self.block()? {
            let Entry::Value(value) = entry else { return Err(format!("unknown entry `{name}` of clock")) };
            match name.as_str() {
                "name" => {
                    let word = match &value[..] {
                        [Token::Word(word)] => Some(word.clone()),
                        other => text(other),
                    };
                    clock.name = word.ok_or("the name of a clock is not a text")?;
                }
                "uuid" => {
                    let uuid = text(&value).ok_or("the uuid of a clock is not a text")?.replace('-', "");
                    let good = uuid.len() == 32 && uuid.bytes().all(|b| b.is_ascii_hexdigit());
                    clock.uuid = Some(if good { uuid.to_ascii_lowercase() } else { return Err("odd uuid".into()) });
                }
                "freq" => clock.frequency = unsigned(&value)?,
                "offset" => clock.offset_cycles = unsigned(&value)?,
                "offset_s" => clock.offset_s = i64::try_from(signed(&value)?).map_err(|_| "odd offset_s")?,
                "absolute" => clock.absolute = truth(&value)?,
                "description" | "precision" => {}
                _ => return Err(format!("unknown entry `{name}` of clock")),
            }
        }
        if clock.name.is_empty() || clock.frequency == 0 {
            return Err("a clock without name or frequency".into());
        }
        self.clocks.push(clock);
        Ok(())
    }

    fn environment(&mut self) -> Result<(), String> {
        for (name, entry) in self.block()? {
            let Entry::Value(value) = entry else { return Err(format!("unknown entry `{name}` of env")) };
            let value = match text(&value) {
                Some(text) => EnvValue::Text(text),
                None => {
                    let number = signed(&value)?;
                    EnvValue::Number(i64::try_from(number).map_err(|_| format!("{name} is too large"))?)
                }
            };
            self.env.insert(name, value);
        }
        Ok(())
    }

    /// Where events are in the source: not used.
    fn callsite(&mut self) -> Result<(), String> {
        self.block().map(drop)
    }

    /// A type that is given a name.
    fn declaration(&mut self) -> Result<(), String> {
        if self.take_word("typealias") {
            let of = self.of_type()?;
            self.expect(":=")?;
            let mut words = vec![self.word()?];
            while !self.is(";") {
                words.push(self.word()?);
            }
            self.name_type(words.join(" "), of);
        } else if self.take_word("typedef") {
            let (name, of) = self.field()?;
            self.name_type(name, of);
        } else if self.is_word("struct") || self.is_word("enum") || self.is_word("variant") {
            self.of_type()?;
        } else {
            return Err(format!("unknown declaration {}", self.found()));
        }
        self.expect(";")
    }

    fn name_type(&mut self, name: String, of: Arc<Type>) {
        self.scopes.last_mut().expect("the outermost scope").insert(name, of);
    }

    fn named_type(&self, name: &str) -> Result<Arc<Type>, String> {
        let found = self.scopes.iter().rev().find_map(|scope| scope.get(name));
        found.cloned().ok_or_else(|| format!("the type `{name}` is not declared"))
    }

    /// A type without the name of a field.
    fn of_type(&mut self) -> Result<Arc<Type>, String> {
        self.depth += 1;
        if self.depth > DEEPEST {
            return Err("types are nested too deeply".into());
        }
        let of = match self.word()?.as_str() {
            "integer" => Arc::new(Type::Integer(self.integer()?)),
            "floating_point" => Arc::new(self.float()?),
            "string" => {
                if self.is("{") {
                    self.attributes(|name, _| match name {
                        "encoding" => Ok(()),
                        _ => Err(format!("unknown attribute `{name}` of string")),
                    })?;
                }
                Arc::new(Type::Text)
            }
            "struct" => self.structure()?,
            "variant" => self.variant()?,
            "enum" => self.enumeration()?,
            first => {
                // The name of a type may have several words; the last of them is the field's where one follows.
                let mut name = first.to_owned();
                while let (Some(Token::Word(next)), true) = (self.peek(), self.named_type(&name).is_err()) {
                    name = format!("{name} {next}");
                    self.at += 1;
                }
                self.named_type(&name)?
            }
        };
        self.depth -= 1;
        Ok(of)
    }

    /// `type name;` with the lengths of arrays behind the name. The `;` is left.
    fn field(&mut self) -> Result<(String, Arc<Type>), String> {
        let mut of = self.of_type()?;
        let name = self.word()?;
        let mut lengths = Vec::new();
        while self.take("[") {
            if lengths.len() == DIMENSIONS {
                return Err("an array of too many dimensions".into());
            }
            lengths.push(self.next()?);
            if !self.is("]") {
                return Err("the length of an array is neither a number nor a name".into());
            }
            self.expect("]")?;
        }
        for length in lengths.into_iter().rev() {
            of = Arc::new(match length {
                Token::Number(length) => {
                    Type::Array(of, u64::try_from(length).map_err(|_| "an array of a negative length")?)
                }
                Token::Word(name) => Type::Sequence(of, name),
                _ => return Err("the length of an array is neither a number nor a name".into()),
            });
        }
        of.check_depth()?;
        Ok((name, of))
    }

    /// `{ name = value; ... }`
    fn attributes(&mut self, mut use_it: impl FnMut(&str, Vec<Token>) -> Result<(), String>) -> Result<(), String> {
        self.expect("{")?;
        while !self.take("}") {
            let name = self.word()?;
            self.expect("=")?;
            let value = self.value()?;
            self.expect(";")?;
            use_it(&name, value)?;
        }
        Ok(())
    }

    fn integer(&mut self) -> Result<Integer, String> {
        let (mut size, mut align, mut text, mut clock) = (None, None, false, None);
        let (mut is_signed, mut order) = (false, self.order);
        let native = self.order;
        self.attributes(|name, value| {
            match (name, &value[..]) {
                ("size", _) => size = Some(unsigned(&value)?),
                ("align", _) => align = Some(unsigned(&value)?),
                ("signed", _) => is_signed = truth(&value)?,
                ("byte_order", [Token::Word(word)]) => {
                    order = if word == "native" { native } else { byte_order(word)? };
                }
                ("encoding", [Token::Word(word)]) => {
                    text = match word.as_str() {
                        "UTF8" | "utf8" | "UTF-8" | "ASCII" | "ascii" => true,
                        "none" | "NONE" => false,
                        _ => return Err(format!("unknown encoding {word}")),
                    }
                }
                ("base", _) => {}
                (
                    "map",
                    [Token::Word(first), Token::Sign("."), Token::Word(name), Token::Sign("."), Token::Word(last)],
                ) if first == "clock" && last == "value" => {
                    clock = Some(name.clone());
                }
                _ => return Err(format!("unknown attribute `{name}` of integer")),
            }
            Ok(())
        })?;
        let size = size.filter(|size| (1..=64).contains(size)).ok_or("an integer is not of 1 to 64 bits")? as u32;
        let align = alignment(align, if size.is_multiple_of(8) { 8 } else { 1 })?;
        Ok(Integer { size, align, signed: is_signed, order, text, clock })
    }

    fn float(&mut self) -> Result<Type, String> {
        let (mut mantissa, mut exponent, mut align) = (0, 0, None);
        self.attributes(|name, value| {
            match name {
                "exp_dig" => exponent = unsigned(&value)?,
                "mant_dig" => mantissa = unsigned(&value)?,
                "align" => align = Some(unsigned(&value)?),
                "byte_order" => {}
                _ => return Err(format!("unknown attribute `{name}` of floating_point")),
            }
            Ok(())
        })?;
        let size = match (exponent, mantissa) {
            (8, 24) => 32,
            (11, 53) => 64,
            _ => return Err("a floating_point of neither 32 nor 64 bits".into()),
        };
        Ok(Type::Float(size, alignment(align, 8)?))
    }

    fn structure(&mut self) -> Result<Arc<Type>, String> {
        let name = if self.is("{") { None } else { Some(format!("struct {}", self.word()?)) };
        if let Some(name) = name.as_deref().filter(|_| !self.is("{")) {
            return self.named_type(name);
        }
        self.expect("{")?;
        self.scopes.push(HashMap::new());
        let mut fields: Vec<(String, Arc<Type>)> = Vec::new();
        while !self.take("}") {
            if self.is_word("typealias") || self.is_word("typedef") {
                self.declaration()?;
                continue;
            }
            let field = self.field()?;
            self.expect(";")?;
            if fields.iter().any(|(name, _)| *name == field.0) {
                return Err(format!("two fields are called `{}`", field.0));
            }
            if fields.len() == MOST_FIELDS {
                return Err("a structure has too many fields".into());
            }
            fields.push(field);
        }
        self.scopes.pop();
        let mut align = 1;
        if self.take_word("align") {
            self.expect("(")?;
            let value = self.next()?;
            align = alignment(Some(unsigned(&[value])?), 1)?;
            self.expect(")")?;
        }
        let of = Arc::new(Type::Structure(Structure::new(fields, align)));
        of.check_depth()?;
        if let Some(name) = name {
            self.name_type(name, of.clone());
        }
        Ok(of)
    }

    fn variant(&mut self) -> Result<Arc<Type>, String> {
        let name = if self.is("{") || self.is("<") { None } else { Some(format!("variant {}", self.word()?)) };
        let mut tag = String::new();
        if self.take("<") {
            tag = self.word()?;
            if self.is(".") {
                return Err("the tag of a variant is in another structure".into());
            }
            self.expect(">")?;
        }
        if let Some(name) = name.as_deref().filter(|_| !self.is("{")) {
            let Type::Variant(declared) = &*self.named_type(name)? else { return Err("not a variant".into()) };
            return Ok(Arc::new(Type::Variant(Variant::new(tag, declared.options.clone()))));
        }
        self.expect("{")?;
        self.scopes.push(HashMap::new());
        let mut options = Vec::new();
        while !self.take("}") {
            let (name, of) = self.field()?;
            self.expect(";")?;
            options.push(VariantOption { name, ranges: None, of });
        }
        self.scopes.pop();
        let of = Arc::new(Type::Variant(Variant::new(tag, options)));
        of.check_depth()?;
        if let Some(name) = name {
            self.name_type(name, of.clone());
        }
        Ok(of)
    }

    fn enumeration(&mut self) -> Result<Arc<Type>, String> {
        let name = if self.is("{") || self.is(":") { None } else { Some(format!("enum {}", self.word()?)) };
        if let Some(name) = name.as_deref().filter(|_| !self.is("{") && !self.is(":")) {
            return self.named_type(name);
        }
        let container = if self.take(":") { self.of_type()? } else { self.named_type("int")? };
        let integer = container.integer().cloned().ok_or("an enumeration of something else than an integer")?;
        self.expect("{")?;
        let (mut labels, mut next) = (Vec::new(), 0);
        while !self.take("}") {
            let label = match self.next()? {
                Token::Word(label) | Token::Text(label) => label,
                _ => return Err("the label of an enumeration is not a name".into()),
            };
            let (mut first, mut last) = (next, next);
            if self.take("=") {
                first = self.enumerator()?;
                last = if self.take("...") { self.enumerator()? } else { first };
            }
            if first > last {
                return Err(format!("the range of the label `{label}` is empty"));
            }
            next = last + 1;
            labels.push((label, (first, last)));
            if !self.take(",") && !self.is("}") {
                return Err(format!("`,` expected, {} found", self.found()));
            }
        }
        let of = Arc::new(Type::Enumeration(integer, labels));
        if let Some(name) = name {
            self.name_type(name, of.clone());
        }
        Ok(of)
    }

    fn enumerator(&mut self) -> Result<i128, String> {
        let negative = self.take("-");
        match self.next()? {
            Token::Number(number) => Ok(if negative { -number } else { number }),
            _ => Err("the value of a label is not a number".into()),
        }
    }

    /// Give every event to its stream, and every option of a variant the values that select it.
    fn finish(mut self) -> Result<TraceClass, String> {
        if self.streams.is_empty() && !self.events.is_empty() {
            self.streams.push(StreamClass::default());
        }
        let places: HashMap<u64, usize> = self.streams.iter().enumerate().map(|(n, stream)| (stream.id, n)).collect();
        let mut ids = HashSet::new();
        for (id, event) in self.events {
            let place = places.get(&id);
            let place = place.ok_or_else(|| format!("event `{}` is of a stream that is not declared", event.name))?;
            if !ids.insert((id, event.id)) {
                return Err(format!("two events of stream {id} have the id {}", event.id));
            }
            self.streams[*place].events.push(event);
        }
        // LTTng does not declare that its clocks count from the epoch; they do.
        let is_lttng = matches!(self.env.get("tracer_name"), Some(EnvValue::Text(name)) if name.starts_with("lttng"));
        self.clocks.iter_mut().for_each(|clock| clock.absolute |= is_lttng);
        Ok(TraceClass { packet_header: self.header, env: self.env, clocks: self.clocks, streams: self.streams })
    }
}

fn byte_order(word: &str) -> Result<ByteOrder, String> {
    match word {
        "le" => Ok(ByteOrder::Little),
        "be" | "network" => Ok(ByteOrder::Big),
        _ => Err(format!("unknown byte order `{word}`")),
    }
}

fn alignment(given: Option<u64>, default: u32) -> Result<u32, String> {
    match given {
        None => Ok(default),
        Some(align) if align.is_power_of_two() && align <= 1 << 16 => Ok(align as u32),
        Some(align) => Err(format!("an alignment of {align} bits")),
    }
}

fn signed(value: &[Token]) -> Result<i128, String> {
    match value {
        [Token::Number(number)] => Ok(*number),
        [Token::Sign("-"), Token::Number(number)] => Ok(-number),
        _ => Err("a number expected".into()),
    }
}

fn unsigned(value: &[Token]) -> Result<u64, String> {
    u64::try_from(signed(value)?).map_err(|_| "a negative number".into())
}

fn text(value: &[Token]) -> Option<String> {
    match value {
        [Token::Text(text)] => Some(text.clone()),
        _ => None,
    }
}

fn truth(value: &[Token]) -> Result<bool, String> {
    match value {
        [Token::Number(0)] => Ok(false),
        [Token::Number(1)] => Ok(true),
        [Token::Word(word)] if matches!(word.as_str(), "true" | "TRUE") => Ok(true),
        [Token::Word(word)] if matches!(word.as_str(), "false" | "FALSE") => Ok(false),
        _ => Err("neither true nor false".into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TRACE: &str = "trace { major = 1; minor = 8; byte_order = le; };\n\
         typealias integer { size = 8; align = 8; signed = false; } := unsigned char;\n";

    fn fields(text: &str) -> Result<Vec<(String, Arc<Type>)>, String> {
        let parsed = parse(&format!("{TRACE}stream {{ id = 0; event.context := {text}; }};"))?;
        Ok(parsed.streams[0].event_context.as_ref().unwrap().fields().to_vec())
    }

    #[test]
    fn types_may_have_names_of_several_words_and_be_declared_before() {
        let text =
            "struct { unsigned char a[2][3]; enum e { A, B = 5, C } t; variant <t> { unsigned char A; string C; } v; }";
        let named = text
            .trim_start_matches("struct ")
            .replace("enum e { A, B = 5, C } t", "enum e t")
            .replace("variant <t> {", "variant w <t> {");
        let declared = "typedef unsigned char byte;\nenum e : byte { A, B = 5, C };\n";
        let parsed =
            parse(&format!("{TRACE}{declared}struct s {named};\nstream {{ event.context := struct s; }};")).unwrap();
        let fields = parsed.streams[0].event_context.as_ref().unwrap().fields();
        let Type::Array(inner, 2) = &*fields[0].1 else { panic!("{fields:?}") };
        assert!(matches!(**inner, Type::Array(_, 3)));
        let Type::Enumeration(integer, labels) = &*fields[1].1 else { panic!("{fields:?}") };
        assert_eq!(integer.size, 8);
        let expected = [("A", (0, 0)), ("B", (5, 5)), ("C", (6, 6))].map(|(name, range)| (name.to_owned(), range));
        assert_eq!(*labels, expected);
        assert!(matches!(&*fields[2].1, Type::Variant(variant) if variant.tag == "t" && variant.options.len() == 2));
    }

    #[test]
    fn what_is_not_known_is_named_with_its_line() {
        for (text, why) in [
            ("struct { integer { size = 8; colour = 1; } a; }", "unknown attribute `colour` of integer (line 3)"),
            ("struct { integer { size = 65; } a; }", "an integer is not of 1 to 64 bits (line 3)"),
            ("struct { integer { size = 8; align = 3; } a; }", "an alignment of 3 bits (line 3)"),
            ("struct { nothing a; }", "the type `nothing a` is not declared (line 3)"),
            (
                "struct { variant <stream.event.header.id> { string a; } v; }",
                "the tag of a variant is in another structure",
            ),
            ("struct { string a; string a; }", "two fields are called `a`"),
            ("struct { floating_point { exp_dig = 5; mant_dig = 11; } a; }", "neither 32 nor 64 bits"),
            ("struct { string a[", "the length of an array is neither a number nor a name"),
        ] {
            let found = fields(text).expect_err(text);
            assert!(found.contains(why), "{text}: {found}");
        }
        assert!(parse("trace { major = 1; minor = 8; };").is_err_and(|why| why.contains("byte_order")));
        assert!(parse(&format!("{TRACE}/* no end")).is_err_and(|why| why.contains("comment")));
        assert!(parse(&format!("{TRACE}event {{ stream_id = 7; }};")).is_err());
    }

    #[test]
    fn types_that_grow_with_each_line_take_neither_time_nor_stack() {
        let doubled: String =
            (1..31).map(|n| format!("struct d{n} {{ struct d{} a; struct d{} b; }};\n", n - 1, n - 1)).collect();
        let text = format!("{TRACE}struct d0 {{ unsigned char a; unsigned char b; }};\n{doubled}");
        let parsed = parse(&format!("{text}stream {{ event.context := struct d30; }};")).unwrap();
        assert_eq!(parsed.streams[0].event_context.as_ref().unwrap().size(), Some(8 << 31));
        let deep = format!("struct {{ {} string a; {} }}", "struct { ".repeat(20_000), "} a; ".repeat(20_000));
        assert!(fields(&deep).is_err_and(|why| why.contains("too deeply")));
        let chain: String = (1..1000).map(|n| format!("typedef unsigned char t{n}[2];\n")).collect();
        assert!(parse(&format!("{TRACE}{chain}")).is_ok());
        let chain: String = (1..1000).map(|n| format!("typedef t{} t{n}[2];\n", n - 1)).collect();
        let chained = parse(&format!("{TRACE}typedef unsigned char t0;\n{chain}"));
        assert!(chained.is_err_and(|why| why.contains("too deeply")));
    }
}
