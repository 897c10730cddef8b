//! How the fields of a structure are read: a list of steps, made once per event class from the types that the metadata
//! declare.
//!
//! Fields whose place does not depend on the data are read relative to the start of their block with one check of its
//! bounds; what is not wanted is only stepped over.

use crate::native::model::{ByteOrder, Integer, OUTERMOST, Range, Type};
use crate::wire::MAX_FRAMES;
use wastenot_import::{FieldValues, Value};

/// Steps of a program; a type that needs more is not a tracer's.
const MOST_STEPS: usize = 1 << 12;
/// Numbers that later fields of a structure depend on.
const MOST_LOCALS: usize = 64;

/// Numbers that are read besides the fields of an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NumberOf {
    Magic,
    StreamClass,
    Stream,
    Begin,
    End,
    Content,
    Size,
    Sequence,
    Discarded,
    Cpu,
    Event,
    Tid,
    Ip,
}

const NUMBERS: usize = NumberOf::Ip as usize + 1;

/// What becomes of a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    /// A value of the event.
    Value(u8),
    Number(NumberOf),
    /// The low bits of the clock.
    Clock(u32),
    /// The addresses of a stack.
    Stack,
    Local(u16),
}

/// A number as it lies in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Format {
    /// Whole bytes from a whole byte on.
    Bytes {
        size: u8,
        signed: bool,
        order: ByteOrder,
    },
    Bits {
        size: u32,
        signed: bool,
        order: ByteOrder,
    },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ReadAs {
    Number(Format),
    /// So many characters; the text ends at a NUL.
    Text(u64),
}

/// A field at a known place of its block (bits).
#[derive(Clone, Debug, PartialEq, Eq)]
struct Read {
    offset: u64,
    what: ReadAs,
    target: Target,
}

/// Number of elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Length {
    Fixed(u64),
    Local(u16),
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Step {
    Block {
        align: u64,
        size: u64,
        reads: Vec<Read>,
    },
    /// Bytes up to a NUL.
    Text {
        targets: Vec<Target>,
    },
    /// Characters; the text ends at a NUL.
    Characters {
        length: Length,
        targets: Vec<Target>,
    },
    /// Numbers; the stack is made of them.
    Stack {
        align: u64,
        stride: u64,
        size: u64,
        format: Format,
        length: Length,
    },
    /// Elements of a fixed size that are not read: the size of one, with and without what it needs to be followed by
    /// another.
    Skip {
        align: u64,
        stride: u64,
        size: u64,
        length: Length,
    },
    /// Elements whose size depends on the data.
    Repeat {
        align: u64,
        length: Length,
        body: Vec<Step>,
    },
    Choose {
        tag: u16,
        signed: bool,
        options: Vec<(Vec<Range>, Vec<Step>)>,
    },
}

/// How the fields of a structure are read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Program(Vec<Step>);

/// Where a program is in a packet. Positions are bits from the packet's start.
#[derive(Clone, Copy, Debug)]
pub struct Cursor<'b> {
    /// Bytes that are at hand.
    pub bytes: &'b [u8],
    /// Position of the first of them.
    pub first: u64,
    pub at: u64,
    /// Position behind which there is nothing.
    pub limit: u64,
}

/// Why a program does not come to its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stop {
    /// More bytes must be at hand.
    NotAtHand,
    /// A field reaches beyond the end of the file.
    PastEnd,
    Damaged(&'static str),
}

const NO_OPTION: Stop = Stop::Damaged("no option of a variant has the value of its tag");

/// The numbers that a program has read, and its memory.
#[derive(Clone, Debug)]
pub struct Numbers {
    numbers: [i64; NUMBERS],
    present: u32,
    pub clock: u64,
    /// Return addresses, 8 bytes each.
    pub stack: Vec<u8>,
    locals: [u64; MOST_LOCALS],
}

impl Default for Numbers {
    fn default() -> Self {
        Self { numbers: [0; NUMBERS], present: 0, clock: 0, stack: Vec::new(), locals: [0; MOST_LOCALS] }
    }
}

impl Numbers {
    /// Forget all but the clock.
    #[inline]
    pub fn clear(&mut self) {
        self.present = 0;
        self.stack.clear();
    }

    #[inline]
    pub fn get(&self, of: NumberOf) -> Option<i64> {
        (self.present >> of as u32 & 1 == 1).then(|| self.numbers[of as usize])
    }

    fn length(&self, length: Length) -> u64 {
        match length {
            Length::Fixed(length) => length,
            Length::Local(n) => self.locals[usize::from(n)],
        }
    }
}

/// What a program reads into.
struct Output<'o, 'b> {
    values: &'o mut FieldValues<'b>,
    numbers: &'o mut Numbers,
}

impl<'b> Output<'_, 'b> {
    #[inline]
    fn set(&mut self, target: Target, raw: u64) {
        match target {
            Target::Value(n) => self.values[usize::from(n)] = Value::Number(raw as i64),
            Target::Number(of) => {
                self.numbers.numbers[of as usize] = raw as i64;
                self.numbers.present |= 1 << of as u32;
            }
            Target::Clock(size) => self.numbers.clock = update_clock(self.numbers.clock, raw, size),
            Target::Local(n) => self.numbers.locals[usize::from(n)] = raw,
            Target::Stack => {}
        }
    }

    #[inline]
    fn set_text(&mut self, target: Target, text: &'b [u8]) {
        if let Target::Value(n) = target {
            self.values[usize::from(n)] = Value::Text(text);
        }
    }
}

/// A clock of which the low `size` bits are now these: it has gone round once at most.
#[inline]
pub fn update_clock(clock: u64, low: u64, size: u32) -> u64 {
    if size >= 64 {
        return low;
    }
    let mask = (1 << size) - 1;
    let clock = if low < clock & mask { clock.wrapping_add(mask + 1) } else { clock };
    clock & !mask | low
}

impl<'b> Cursor<'b> {
    #[inline]
    fn align(&mut self, align: u64) -> Result<(), Stop> {
        let at = self.at.checked_add(align - 1).ok_or(Stop::PastEnd)? & !(align - 1);
        if at > self.limit {
            return Err(Stop::PastEnd);
        }
        self.at = at;
        Ok(())
    }

    fn end(&self) -> u64 {
        self.first + 8 * self.bytes.len() as u64
    }

    /// Step over so many bits.
    #[inline]
    fn skip(&mut self, bits: u64) -> Result<(), Stop> {
        let at = self.at.checked_add(bits).filter(|&at| at <= self.limit).ok_or(Stop::PastEnd)?;
        self.at = at;
        Ok(())
    }

    /// The bytes in which the next bits lie; the first bit lies in the first byte.
    #[inline]
    fn peek(&self, bits: u64) -> Result<&'b [u8], Stop> {
        let end = self.at.checked_add(bits).filter(|&at| at <= self.limit).ok_or(Stop::PastEnd)?;
        let (from, to) = (self.at.wrapping_sub(self.first) / 8, (end.wrapping_sub(self.first)).div_ceil(8));
        if self.at < self.first || from > to {
            return Err(Stop::NotAtHand);
        }
        self.bytes.get(from as usize..to as usize).ok_or(Stop::NotAtHand)
    }

    /// The next bytes, which are stepped over; the position is that of a whole byte.
    #[inline]
    pub fn array<const N: usize>(&mut self) -> Result<[u8; N], Stop> {
        let bytes = *self.peek(8 * N as u64)?.first_chunk().ok_or(Stop::NotAtHand)?;
        self.at += 8 * N as u64;
        Ok(bytes)
    }

    /// Bytes up to a NUL, which is stepped over.
    fn text(&mut self) -> Result<&'b [u8], Stop> {
        self.align(8)?;
        let from = self.at.checked_sub(self.first).ok_or(Stop::NotAtHand)? / 8;
        let rest = self.bytes.get(from as usize..).ok_or(Stop::NotAtHand)?;
        let Some(length) = rest.iter().position(|&byte| byte == 0) else {
            return Err(if self.end() >= self.limit { Stop::PastEnd } else { Stop::NotAtHand });
        };
        self.skip(8 * (length as u64 + 1))?;
        Ok(&rest[..length])
    }
}

impl Format {
    fn of(integer: &Integer, whole: bool) -> Self {
        let Integer { size, signed, order, .. } = *integer;
        match size {
            8 | 16 | 32 | 64 if whole => Self::Bytes { size: (size / 8) as u8, signed, order },
            _ => Self::Bits { size, signed, order },
        }
    }

    /// The number whose first bit is that bit of these bytes, which hold all of it; its sign fills the upper bits.
    #[inline]
    fn read(self, bytes: &[u8], bit: u64) -> Option<u64> {
        match self {
            Self::Bytes { size, signed, order } => {
                let bytes = bytes.get((bit / 8) as usize..)?;
                let little = order == ByteOrder::Little;
                Some(match size {
                    1 => {
                        let byte = *bytes.first()?;
                        if signed { i64::from(byte as i8) as u64 } else { byte.into() }
                    }
                    2 => {
                        let word = *bytes.first_chunk()?;
                        let word = if little { u16::from_le_bytes(word) } else { u16::from_be_bytes(word) };
                        if signed { i64::from(word as i16) as u64 } else { word.into() }
                    }
                    4 => {
                        let word = *bytes.first_chunk()?;
                        let word = if little { u32::from_le_bytes(word) } else { u32::from_be_bytes(word) };
                        if signed { i64::from(word as i32) as u64 } else { word.into() }
                    }
                    _ => {
                        let word = *bytes.first_chunk()?;
                        if little { u64::from_le_bytes(word) } else { u64::from_be_bytes(word) }
                    }
                })
            }
            Self::Bits { size, signed, order } => {
                let bytes = bytes.get((bit / 8) as usize..(bit + u64::from(size)).div_ceil(8) as usize)?;
                let from = (bit % 8) as u32;
                // At most nine bytes.
                let wide = match order {
                    ByteOrder::Little => {
                        bytes.iter().rev().fold(0u128, |wide, &byte| wide << 8 | u128::from(byte)) >> from
                    }
                    ByteOrder::Big => {
                        let wide = bytes.iter().fold(0u128, |wide, &byte| wide << 8 | u128::from(byte));
                        wide >> (8 * bytes.len() as u32 - from - size)
                    }
                };
                let unused = 64 - size;
                let low = (wide as u64) << unused;
                Some(if signed { (low as i64 >> unused) as u64 } else { low >> unused })
            }
        }
    }
}

/// Up to the first NUL.
#[inline]
fn until_nul(text: &[u8]) -> &[u8] {
    let length = text.iter().position(|&byte| byte == 0).unwrap_or(text.len());
    &text[..length]
}

impl Program {
    /// Read the fields at the cursor, which is then behind them.
    #[inline]
    pub fn run<'b>(
        &self,
        cursor: &mut Cursor<'b>,
        values: &mut FieldValues<'b>,
        numbers: &mut Numbers,
    ) -> Result<(), Stop> {
        run(&self.0, cursor, &mut Output { values, numbers })
    }

    /// Steps, those within others too.
    pub fn size(&self) -> usize {
        fn size(steps: &[Step]) -> usize {
            let of = |step: &Step| match step {
                Step::Block { reads, .. } => 1 + reads.len(),
                Step::Repeat { body, .. } => 1 + size(body),
                Step::Choose { options, .. } => 1 + options.iter().map(|(_, body)| 1 + size(body)).sum::<usize>(),
                _ => 1,
            };
            steps.iter().map(of).sum()
        }
        size(&self.0)
    }
}

fn run<'b>(steps: &[Step], cursor: &mut Cursor<'b>, out: &mut Output<'_, 'b>) -> Result<(), Stop> {
    for step in steps {
        match step {
            Step::Block { align, size, reads } => {
                cursor.align(*align)?;
                if !reads.is_empty() {
                    let bytes = cursor.peek(*size)?;
                    let shift = cursor.at % 8;
                    for read in reads {
                        read.take(bytes, shift, out).ok_or(Stop::PastEnd)?;
                    }
                }
                cursor.skip(*size)?;
            }
            Step::Text { targets } => {
                let text = cursor.text()?;
                targets.iter().for_each(|&target| out.set_text(target, text));
            }
            Step::Characters { length, targets } => {
                cursor.align(8)?;
                let bits = out.numbers.length(*length).checked_mul(8).ok_or(Stop::PastEnd)?;
                if !targets.is_empty() {
                    let text = until_nul(cursor.peek(bits)?);
                    targets.iter().for_each(|&target| out.set_text(target, text));
                }
                cursor.skip(bits)?;
            }
            Step::Stack { align, stride, size, format, length } => {
                cursor.align(*align)?;
                let length = out.numbers.length(*length);
                let bits = many(length, *stride, *size)?;
                if cursor.at.checked_add(bits).is_none_or(|end| end > cursor.limit) {
                    return Err(Stop::PastEnd);
                }
                let frames = length.min(MAX_FRAMES as u64);
                let bytes = cursor.peek(many(frames, *stride, *size)?)?;
                let shift = cursor.at % 8;
                out.numbers.stack.clear();
                for n in 0..frames {
                    let address = format.read(bytes, shift + n * stride).ok_or(Stop::PastEnd)?;
                    // ULONG_MAX ends a stack that is shorter than its field.
                    if address != u64::MAX && address != 0 {
                        out.numbers.stack.extend(address.to_ne_bytes());
                    }
                }
                cursor.skip(bits)?;
            }
            Step::Skip { align, stride, size, length } => {
                cursor.align(*align)?;
                cursor.skip(many(out.numbers.length(*length), *stride, *size)?)?;
            }
            Step::Repeat { align, length, body } => {
                cursor.align(*align)?;
                for _ in 0..out.numbers.length(*length) {
                    let before = cursor.at;
                    run(body, cursor, out)?;
                    if cursor.at == before {
                        break; // nothing that is repeated is still nothing
                    }
                }
            }
            Step::Choose { tag, signed, options } => {
                let raw = out.numbers.locals[usize::from(*tag)];
                let value = if *signed { i128::from(raw as i64) } else { i128::from(raw) };
                let has = |ranges: &[Range]| ranges.iter().any(|&(first, last)| (first..=last).contains(&value));
                let (_, body) = options.iter().find(|(ranges, _)| has(ranges)).ok_or(NO_OPTION)?;
                run(body, cursor, out)?;
            }
        }
    }
    Ok(())
}

fn many(count: u64, stride: u64, size: u64) -> Result<u64, Stop> {
    let Some(others) = count.checked_sub(1) else { return Ok(0) };
    others.checked_mul(stride).and_then(|bits| bits.checked_add(size)).ok_or(Stop::PastEnd)
}

impl Read {
    /// From a block that starts `shift` bits behind the start of these bytes.
    #[inline]
    fn take<'b>(&self, bytes: &'b [u8], shift: u64, out: &mut Output<'_, 'b>) -> Option<()> {
        match self.what {
            ReadAs::Number(format) => out.set(self.target, format.read(bytes, shift + self.offset)?),
            ReadAs::Text(length) => {
                let from = (self.offset / 8) as usize; // texts are in blocks that start with a whole byte
                let text = bytes.get(from..from + length as usize)?;
                out.set_text(self.target, until_nul(text));
            }
        }
        Some(())
    }
}

/// Says what becomes of a field: from the structures around it, its place in the innermost one, its name and its type.
pub type Wanted<'a> = &'a dyn Fn(usize, usize, &str, &Type) -> Vec<Target>;

/// Makes a program of one or several structures that lie one behind the other.
pub struct Compiler {
    finished: Vec<Step>,
    /// The block that is being made: alignment, size, reads.
    block: Option<(u64, u64, Vec<Read>)>,
    /// Names of the numbers before, for each structure around.
    scopes: Vec<Vec<(String, u16, Type)>>,
    locals: usize,
    steps: usize,
    /// Fields within others are wanted too.
    deep: bool,
}

impl Compiler {
    /// Of the outermost structures' own fields some are wanted.
    pub fn new() -> Self {
        Self { finished: Vec::new(), block: None, scopes: Vec::new(), locals: 0, steps: 0, deep: false }
    }

    /// Fields within others are wanted too.
    pub fn deep() -> Self {
        Self { deep: true, ..Self::new() }
    }

    /// Read this structure next.
    pub fn add(&mut self, of: &Type, wanted: Wanted<'_>) -> Result<(), String> {
        let Type::Structure(_) = of else { return Err("fields that are not in a structure".into()) };
        self.scopes.clear();
        self.field(of, &[], wanted)
    }

    pub fn finish(mut self) -> Program {
        self.end_block();
        Program(self.finished)
    }

    fn end_block(&mut self) {
        if let Some((align, size, reads)) = self.block.take()
            && (align > 1 || size > 0)
        {
            self.finished.push(Step::Block { align, size, reads });
        }
    }

    fn count(&mut self) -> Result<(), String> {
        self.steps += 1;
        if self.steps > MOST_STEPS { Err("a structure has too many fields".into()) } else { Ok(()) }
    }

    fn push(&mut self, step: Step) {
        self.end_block();
        self.finished.push(step);
    }

    /// Place of what is aligned and sized like this in the block; a new block where that depends on the data.
    fn place(&mut self, align: u64, size: u64) -> Result<u64, String> {
        self.count()?;
        if self.block.as_ref().is_none_or(|(known, ..)| align > *known) {
            self.end_block();
            self.block = Some((align, 0, Vec::new()));
        }
        let (_, end, _) = self.block.as_mut().expect("just made");
        let at = end.next_multiple_of(align);
        *end = at.checked_add(size).filter(|&end| end < 1 << 57).ok_or("a structure is too large")?;
        Ok(at)
    }

    fn read(&mut self, align: u64, size: u64, what: ReadAs, targets: &[Target]) -> Result<(), String> {
        let offset = self.place(align, size)?;
        let (.., reads) = self.block.as_mut().expect("just placed");
        reads.extend(targets.iter().map(|&target| Read { offset, what, target }));
        Ok(())
    }

    /// The steps of something that is read in another order than its neighbours.
    fn apart(&mut self, of: &Type, wanted: Wanted<'_>) -> Result<Vec<Step>, String> {
        self.end_block();
        let before = std::mem::take(&mut self.finished);
        self.field(of, &[], wanted)?;
        self.end_block();
        Ok(std::mem::replace(&mut self.finished, before))
    }

    fn field(&mut self, of: &Type, targets: &[Target], wanted: Wanted<'_>) -> Result<(), String> {
        let align = u64::from(of.align());
        match of {
            Type::Integer(integer) | Type::Enumeration(integer, _) => {
                let format = Format::of(integer, align >= 8);
                self.read(align, integer.size.into(), ReadAs::Number(format), targets)
            }
            Type::Float(size, _) => self.place(align, (*size).into()).map(drop),
            Type::Text => {
                self.count()?;
                self.push(Step::Text { targets: targets.to_vec() });
                Ok(())
            }
            Type::Structure(structure) => {
                if let Some(size) = of.size().filter(|_| !self.deep && !self.scopes.is_empty()) {
                    return self.place(align, size).map(drop);
                }
                self.place(align, 0)?;
                self.scopes.push(Vec::new());
                let names = references(of);
                for (n, (name, of)) in structure.fields.iter().enumerate() {
                    let mut targets = wanted(self.scopes.len(), n, name, of);
                    if of.integer().is_some() && names.contains(&name.as_str()) {
                        let local = self.locals;
                        self.locals += 1;
                        if self.locals > MOST_LOCALS {
                            return Err("too many fields depend on others".into());
                        }
                        targets.push(Target::Local(local as u16));
                        let scope = self.scopes.last_mut().expect("just pushed");
                        scope.push((name.clone(), local as u16, (**of).clone()));
                    }
                    self.field(of, &targets, wanted)?;
                }
                self.scopes.pop();
                Ok(())
            }
            Type::Array(element, length) => self.elements(element, Length::Fixed(*length), targets, wanted),
            Type::Sequence(element, name) => {
                let (local, of) = self.local(name)?;
                if of.integer().is_none_or(|integer| integer.signed) {
                    return Err(format!("the length `{name}` is signed"));
                }
                self.elements(element, Length::Local(local), targets, wanted)
            }
            Type::Variant(variant) => {
                let (tag, of) = self.local(&variant.tag)?;
                let (integer, labels) = match &of {
                    Type::Enumeration(integer, labels) => (integer, &labels[..]),
                    Type::Integer(integer) => (integer, &[][..]),
                    _ => return Err(format!("the tag `{}` is not a number", variant.tag)),
                };
                self.count()?;
                let mut options = Vec::new();
                for option in &variant.options {
                    let of_label = || {
                        let of_name = labels.iter().filter(|(label, _)| *label == option.name);
                        of_name.map(|(_, range)| *range).collect()
                    };
                    let ranges = option.ranges.clone().unwrap_or_else(of_label);
                    if ranges.is_empty() {
                        return Err(format!("no value of `{}` selects `{}`", variant.tag, option.name));
                    }
                    // The option counts as a structure around its fields.
                    let targets = wanted(self.scopes.len(), usize::MAX, &option.name, &option.of);
                    self.end_block();
                    let before = std::mem::take(&mut self.finished);
                    self.field(&option.of, &targets, wanted)?;
                    self.end_block();
                    options.push((ranges, std::mem::replace(&mut self.finished, before)));
                }
                self.push(Step::Choose { tag, signed: integer.signed, options });
                Ok(())
            }
        }
    }

    fn elements(
        &mut self,
        element: &Type,
        length: Length,
        targets: &[Target],
        wanted: Wanted<'_>,
    ) -> Result<(), String> {
        let align = u64::from(element.align());
        self.count()?;
        if element.is_character() {
            match length {
                Length::Fixed(length) => {
                    let size = element.size_of_many(length).ok_or("an array is too large")?;
                    self.read(8, size, ReadAs::Text(length), targets)?;
                }
                Length::Local(_) => self.push(Step::Characters { length, targets: targets.to_vec() }),
            }
            return Ok(());
        }
        let Some(size) = element.size() else {
            let body = self.apart(element, wanted)?;
            self.push(Step::Repeat { align, length, body });
            return Ok(());
        };
        let stride = size.next_multiple_of(align);
        match (element.integer(), length) {
            (Some(integer), _) if targets.contains(&Target::Stack) => {
                let format = Format::of(integer, align >= 8);
                self.push(Step::Stack { align, stride, size, format, length });
            }
            (_, Length::Fixed(count)) => {
                let size = element.size_of_many(count).ok_or("an array is too large")?;
                self.place(align, size)?;
            }
            _ => self.push(Step::Skip { align, stride, size, length }),
        }
        Ok(())
    }

    /// The number of this name that was read before.
    fn local(&self, name: &str) -> Result<(u16, Type), String> {
        let (scopes, name) = match name.strip_prefix(OUTERMOST) {
            Some(name) => (self.scopes.get(..1).unwrap_or_default(), name),
            None => (&self.scopes[..], name),
        };
        let mut known = scopes.iter().rev().flat_map(|scope| scope.iter().rev());
        let found = known.find(|(known, ..)| known == name);
        found.map(|(_, local, of)| (*local, of.clone())).ok_or_else(|| format!("no earlier field is called `{name}`"))
    }
}

/// Names that lengths and tags within this type refer to. A shared type is looked into as often as it is used; those
/// that count are few.
fn references(of: &Type) -> Vec<&str> {
    fn visit<'t>(of: &'t Type, left: &mut usize, found: &mut Vec<&'t str>) {
        if of.size().is_some() || *left == 0 {
            return;
        }
        *left -= 1;
        match of {
            Type::Structure(structure) => structure.fields.iter().for_each(|(_, of)| visit(of, left, found)),
            Type::Variant(variant) => {
                found.push(variant.tag.trim_start_matches(OUTERMOST));
                variant.options.iter().for_each(|option| visit(&option.of, left, found));
            }
            Type::Sequence(element, name) => {
                found.push(name.trim_start_matches(OUTERMOST));
                visit(element, left, found);
            }
            Type::Array(element, _) => visit(element, left, found),
            _ => {}
        }
    }
    let (mut left, mut found) = (MOST_STEPS, Vec::new());
    visit(of, &mut left, &mut found);
    found
}
