//! What the metadata of a trace declare, whichever language they are written in.
//!
//! Types are shared where a name stands for them, so a few lines of metadata can declare a type that is very deep or
//! very large. What depends on the depth is bounded by [`Type::check_depth`], what depends on the size by the decode
//! program's limit.

use std::collections::BTreeMap;
use std::sync::Arc;

/// Types within types.
const DEEPEST: u32 = 32;

/// A field is not larger than this (bits); no file is.
const LARGEST: u64 = 1 << 56;

/// Before the name of a field that another depends on: it is in the outermost structure, else in the nearest one
/// around.
pub const OUTERMOST: char = '^';

/// Order of the bytes of a number, and of the bits of one that shares its bytes with others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ByteOrder {
    Little,
    Big,
}

/// An integer. Sizes and alignments are in bits here and below; alignments are powers of two.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Integer {
    /// 1 to 64.
    pub size: u32,
    pub align: u32,
    pub signed: bool,
    pub order: ByteOrder,
    /// A character of UTF-8 or ASCII.
    pub text: bool,
    /// Name of the clock whose value it is.
    pub clock: Option<String>,
}

/// Values from the first to the last.
pub type Range = (i128, i128);

/// The type of a field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Type {
    Integer(Integer),
    /// An integer whose values have names; a name may have several ranges.
    Enumeration(Integer, Vec<(String, Range)>),
    /// A number that is not read: size and alignment.
    Float(u32, u32),
    /// Bytes up to a NUL.
    Text,
    Structure(Structure),
    /// The option that the value of an earlier field selects.
    Variant(Variant),
    Array(Arc<Type>, u64),
    /// As many elements as the value of the earlier field of this name.
    Sequence(Arc<Type>, String),
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Structure {
    pub fields: Vec<(String, Arc<Type>)>,
    align: u32,
    depth: u32,
    size: Option<u64>,
    timed: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Variant {
    /// Name of the earlier field that selects.
    pub tag: String,
    pub options: Vec<VariantOption>,
    depth: u32,
    timed: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VariantOption {
    pub name: String,
    /// Values of the tag that select it. None: those that the tag's enumeration gives its name.
    pub ranges: Option<Vec<Range>>,
    pub of: Arc<Type>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Clock {
    pub name: String,
    pub uuid: Option<String>,
    pub frequency: u64,
    pub offset_s: i64,
    pub offset_cycles: u64,
    pub absolute: bool,
}

/// A value of the environment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EnvValue {
    Text(String),
    Number(i64),
}

/// A kind of event; a stream class has them by their number.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EventClass {
    pub id: u64,
    pub name: String,
    pub context: Option<Arc<Type>>,
    pub fields: Option<Arc<Type>>,
}

/// What the streams of a channel have in common.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StreamClass {
    pub id: u64,
    pub packet_context: Option<Arc<Type>>,
    pub event_header: Option<Arc<Type>>,
    pub event_context: Option<Arc<Type>>,
    /// In the order of their declaration.
    pub events: Vec<EventClass>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TraceClass {
    pub packet_header: Option<Arc<Type>>,
    pub env: BTreeMap<String, EnvValue>,
    pub clocks: Vec<Clock>,
    /// In the order of their declaration.
    pub streams: Vec<StreamClass>,
}

impl Type {
    /// Alignment of the first bit.
    pub fn align(&self) -> u32 {
        match self {
            Self::Integer(integer) | Self::Enumeration(integer, _) => integer.align,
            Self::Float(_, align) => *align,
            Self::Text => 8,
            Self::Structure(structure) => structure.align,
            Self::Variant(_) => 1,
            Self::Array(element, _) | Self::Sequence(element, _) => element.align(),
        }
    }

    /// Some integer in it is the value of a clock.
    pub fn is_timed(&self) -> bool {
        match self {
            Self::Integer(integer) | Self::Enumeration(integer, _) => integer.clock.is_some(),
            Self::Float(..) | Self::Text => false,
            Self::Structure(structure) => structure.timed,
            Self::Variant(variant) => variant.timed,
            Self::Array(element, _) | Self::Sequence(element, _) => element.is_timed(),
        }
    }

    /// Bits that it takes from where it is aligned. None: that depends on the data, or is more than a trace has.
    pub fn size(&self) -> Option<u64> {
        match self {
            Self::Integer(integer) | Self::Enumeration(integer, _) => Some(integer.size.into()),
            Self::Float(size, _) => Some((*size).into()),
            Self::Structure(structure) => structure.size,
            Self::Array(element, length) => element.size_of_many(*length),
            Self::Text | Self::Variant(_) | Self::Sequence(..) => None,
        }
    }

    /// Bits that so many of it take one after the other. None: as for [`size`](Self::size).
    pub fn size_of_many(&self, count: u64) -> Option<u64> {
        let size = self.size()?;
        let Some(others) = count.checked_sub(1) else { return Some(0) };
        let total = size.next_multiple_of(self.align().into()).checked_mul(others)?.checked_add(size)?;
        (total <= LARGEST).then_some(total)
    }

    fn depth(&self) -> u32 {
        match self {
            Self::Integer(_) | Self::Enumeration(..) | Self::Float(..) | Self::Text => 0,
            Self::Structure(structure) => structure.depth,
            Self::Variant(variant) => variant.depth,
            Self::Array(element, _) | Self::Sequence(element, _) => 1 + element.depth(),
        }
    }

    /// Every type that is made of others must pass this before others are made of it.
    pub fn check_depth(&self) -> Result<(), String> {
        if self.depth() > DEEPEST { Err("types are nested too deeply".into()) } else { Ok(()) }
    }

    pub fn integer(&self) -> Option<&Integer> {
        match self {
            Self::Integer(integer) | Self::Enumeration(integer, _) => Some(integer),
            _ => None,
        }
    }

    /// An array or a sequence of characters is a text.
    pub fn is_character(&self) -> bool {
        self.integer().is_some_and(|integer| integer.text && integer.size == 8 && integer.align == 8)
    }

    /// Fields of a structure; of no other type.
    pub fn fields(&self) -> &[(String, Arc<Type>)] {
        match self {
            Self::Structure(structure) => &structure.fields,
            _ => &[],
        }
    }
}

impl Structure {
    /// `align`: at least this one; fields may need more.
    pub fn new(fields: Vec<(String, Arc<Type>)>, align: u32) -> Self {
        let align = fields.iter().map(|(_, of)| of.align()).fold(align.max(1), u32::max);
        let depth = 1 + fields.iter().map(|(_, of)| of.depth()).max().unwrap_or(0);
        let add = |at: u64, of: &Type| Some(at.next_multiple_of(of.align().into()) + of.size()?);
        let size = fields.iter().try_fold(0, |at, (_, of)| add(at, of).filter(|&size| size <= LARGEST));
        let timed = fields.iter().any(|(_, of)| of.is_timed());
        Self { fields, align, depth, size, timed }
    }
}

impl Variant {
    pub fn new(tag: String, options: Vec<VariantOption>) -> Self {
        let depth = 1 + options.iter().map(|option| option.of.depth()).max().unwrap_or(0);
        let timed = options.iter().any(|option| option.of.is_timed());
        Self { tag, options, depth, timed }
    }
}

impl TraceClass {
    /// Stream and event classes: metadata that declare more of them are the later ones of a session.
    pub fn size(&self) -> usize {
        self.streams.iter().map(|stream| 1 + stream.events.len()).sum()
    }
}
