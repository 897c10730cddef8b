//! Rows of any of our tables as a message and back.
//!
//! ```text
//! Rows   { string table = 1; uint64 rows = 2; repeated Column column = 3; bytes deflated = 4 }
//! Column { string name = 1; packed sint64 steps = 2; packed uint64 lengths = 3; bytes texts = 4;
//!          packed uint64 items = 5; bytes valid = 6 }
//! ```
//! Numbers and booleans are steps from the value before. Texts are their lengths and all bytes one after the other.
//! A list is its number of items, then the items as numbers or texts. `valid` has a bit per row, lowest first,
//! and is left out where nothing is NULL. `deflated` is fields of columns compressed with zlib: exports of version 1 have
//! all columns as they are, later ones only where they are large.

use crate::wire::{
    Malformed, Message, Value, numbers, put_bytes, put_message, put_number, put_text, put_varint, unzigzag, zigzag,
};
use arrow_array::builder::{BooleanBuilder, ListBuilder, PrimitiveBuilder, StringBuilder};
use arrow_array::cast::AsArray;
use arrow_array::types::{ArrowPrimitiveType, Int16Type, Int32Type, Int64Type, UInt8Type};
use arrow_array::{Array, ArrayRef, PrimitiveArray, RecordBatch};
use arrow_schema::{DataType, Field, SchemaRef};
use flate2::Compression;
use flate2::read::ZlibDecoder;
use flate2::write::ZlibEncoder;
use std::io::{Read, Write};
use std::sync::Arc;

mod field {
    pub const TABLE: u32 = 1;
    pub const ROWS: u32 = 2;
    pub const COLUMN: u32 = 3;
    pub const DEFLATED: u32 = 4;

    pub const NAME: u32 = 1;
    pub const STEPS: u32 = 2;
    pub const LENGTHS: u32 = 3;
    pub const TEXTS: u32 = 4;
    pub const ITEMS: u32 = 5;
    pub const VALID: u32 = 6;
}

/// Columns that take more bytes are not compressed, so that a small file that was tampered with cannot take much memory.
const MOST_DEFLATED: usize = 8 << 20;

/// A column of a type that no table has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnsupportedColumn {
    pub column: String,
    pub kind: DataType,
}

/// Append the rows of `batch` as a message.
pub fn write(table: &str, batch: &RecordBatch, out: &mut Vec<u8>) -> Result<(), UnsupportedColumn> {
    put_text(out, field::TABLE, table);
    put_number(out, field::ROWS, batch.num_rows() as u64);
    let schema = batch.schema();
    let mut columns = Vec::new();
    for (described, array) in schema.fields().iter().zip(batch.columns()) {
        let mut column = Vec::new();
        put_text(&mut column, field::NAME, described.name());
        values(array, &mut column)
            .map_err(|kind| UnsupportedColumn { column: format!("{table}.{}", described.name()), kind })?;
        if array.null_count() > 0 {
            let mut bits = vec![0_u8; array.len().div_ceil(8)];
            (0..array.len()).filter(|i| array.is_valid(*i)).for_each(|i| bits[i / 8] |= 1 << (i % 8));
            put_bytes(&mut column, field::VALID, &bits);
        }
        put_bytes(&mut columns, field::COLUMN, &column);
    }
    if columns.len() > MOST_DEFLATED {
        out.extend_from_slice(&columns);
        return Ok(());
    }
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::fast());
    let deflated = encoder.write_all(&columns).and_then(|()| encoder.finish());
    put_bytes(out, field::DEFLATED, &deflated.expect("writing to memory does not fail"));
    Ok(())
}

fn values(array: &dyn Array, out: &mut Vec<u8>) -> Result<(), DataType> {
    match array.data_type() {
        DataType::UInt8 => steps::<UInt8Type>(array.as_primitive(), out),
        DataType::Int16 => steps::<Int16Type>(array.as_primitive(), out),
        DataType::Int32 => steps::<Int32Type>(array.as_primitive(), out),
        DataType::Int64 => steps::<Int64Type>(array.as_primitive(), out),
        DataType::Boolean => {
            let flags = array.as_boolean();
            put_steps((0..flags.len()).map(|i| i64::from(flags.is_valid(i) && flags.value(i))), out);
        }
        DataType::Utf8 => {
            let (mut lengths, mut texts) = (Vec::new(), Vec::new());
            for text in array.as_string::<i32>() {
                let text = text.unwrap_or("");
                put_varint(&mut lengths, text.len() as u64);
                texts.extend_from_slice(text.as_bytes());
            }
            put_bytes(out, field::LENGTHS, &lengths);
            put_bytes(out, field::TEXTS, &texts);
        }
        DataType::List(_) => {
            let lists = array.as_list::<i32>();
            let offsets = lists.value_offsets();
            let mut items = Vec::new();
            offsets.windows(2).for_each(|pair| put_varint(&mut items, (pair[1] - pair[0]) as u64));
            put_bytes(out, field::ITEMS, &items);
            let (from, to) = (offsets[0] as usize, offsets[lists.len()] as usize);
            return values(&lists.values().slice(from, to - from), out);
        }
        other => return Err(other.clone()),
    }
    Ok(())
}

fn steps<T: ArrowPrimitiveType>(array: &PrimitiveArray<T>, out: &mut Vec<u8>)
where
    T::Native: Into<i64>,
{
    // A NULL keeps its place; its value is not written.
    let mut last = 0;
    let values = array.iter().map(|value| {
        last = value.map_or(last, Into::into);
        last
    });
    put_steps(values, out);
}

fn put_steps(values: impl Iterator<Item = i64>, out: &mut Vec<u8>) {
    put_message(out, field::STEPS, |packed| {
        let mut last = 0_i64;
        for value in values {
            put_varint(packed, zigzag(value.wrapping_sub(last)));
            last = value;
        }
    });
}

/// The table whose rows a message holds.
pub fn table(message: &[u8]) -> Result<String, Malformed> {
    let first = Message::new(message).next().ok_or(Malformed)??;
    if first.0 == field::TABLE { Ok(first.1.text()) } else { Err(Malformed) }
}

/// What a message holds of a column.
#[derive(Default)]
struct Column<'a> {
    steps: Vec<u64>,
    lengths: Vec<u64>,
    texts: &'a [u8],
    items: Vec<u64>,
    valid: &'a [u8],
}

/// The rows in `message`, in the columns of `schema`; one that the message lacks is NULL, or the message is of another program.
pub fn read(message: &[u8], schema: &SchemaRef) -> Result<RecordBatch, Malformed> {
    let mut rows = 0;
    let mut columns: Vec<Option<Column<'_>>> = schema.fields().iter().map(|_| None).collect();
    let deflated = Message::new(message).flatten().find(|(field, _)| *field == field::DEFLATED);
    let inflated = deflated.map_or(Ok(Vec::new()), |(_, value)| inflate(value.bytes()))?;
    for part in Message::new(message).chain(Message::new(&inflated)) {
        match part? {
            (field::ROWS, Value::Varint(n)) => rows = usize::try_from(n).map_err(|_| Malformed)?,
            (field::COLUMN, Value::Bytes(bytes)) => {
                let (name, column) = Column::read(bytes)?;
                if let Ok(place) = schema.index_of(current_name(&name)) {
                    columns[place] = Some(column);
                }
            }
            _ => {}
        }
    }
    if rows > message.len() + inflated.len() {
        return Err(Malformed); // every row takes a byte in some column
    }
    let arrays = schema.fields().iter().zip(columns).map(|(described, column)| match column {
        Some(column) => column.array(described.data_type(), rows),
        None => absent(described, rows),
    });
    let arrays = arrays.collect::<Result<Vec<_>, _>>()?;
    RecordBatch::try_new(Arc::clone(schema), arrays).map_err(|_| Malformed)
}

fn inflate(deflated: &[u8]) -> Result<Vec<u8>, Malformed> {
    let mut columns = Vec::new();
    let read = ZlibDecoder::new(deflated).take(MOST_DEFLATED as u64 + 1).read_to_end(&mut columns);
    if read.is_ok_and(|bytes| bytes <= MOST_DEFLATED) { Ok(columns) } else { Err(Malformed) }
}

/// What a column is called now: version 6 renamed `trace.evidence`.
fn current_name(name: &str) -> &str {
    if name == "evidence" { "evidence_level" } else { name }
}

/// A column that the export does not have, written before it came: empty lists where NULL may not be, NULL otherwise.
fn absent(described: &Field, rows: usize) -> Result<ArrayRef, Malformed> {
    let kind = described.data_type();
    if matches!(kind, DataType::List(_)) && !described.is_nullable() {
        return Column { items: vec![0; rows], ..Column::default() }.array(kind, rows);
    }
    Ok(arrow_array::new_null_array(kind, rows))
}

impl<'a> Column<'a> {
    fn read(bytes: &'a [u8]) -> Result<(String, Self), Malformed> {
        let (mut name, mut column) = (String::new(), Self::default());
        for part in Message::new(bytes) {
            let (number, value) = part?;
            match number {
                field::NAME => name = value.text(),
                field::STEPS => numbers(value, &mut column.steps)?,
                field::LENGTHS => numbers(value, &mut column.lengths)?,
                field::TEXTS => column.texts = value.bytes(),
                field::ITEMS => numbers(value, &mut column.items)?,
                field::VALID => column.valid = value.bytes(),
                _ => {}
            }
        }
        Ok((name, column))
    }

    fn is_valid(&self, row: usize) -> bool {
        self.valid.is_empty() || self.valid.get(row / 8).is_some_and(|bits| bits >> (row % 8) & 1 == 1)
    }

    fn array(&self, kind: &DataType, rows: usize) -> Result<ArrayRef, Malformed> {
        Ok(match kind {
            DataType::UInt8 => Arc::new(self.primitive::<UInt8Type>(rows)?),
            DataType::Int16 => Arc::new(self.primitive::<Int16Type>(rows)?),
            DataType::Int32 => Arc::new(self.primitive::<Int32Type>(rows)?),
            DataType::Int64 => Arc::new(self.primitive::<Int64Type>(rows)?),
            DataType::Boolean => {
                let mut flags = BooleanBuilder::new();
                for (row, value) in self.numbers(rows)?.enumerate() {
                    flags.append_option(self.is_valid(row).then_some(value != 0));
                }
                Arc::new(flags.finish())
            }
            DataType::Utf8 => {
                let mut texts = StringBuilder::new();
                for (row, text) in self.texts(rows)?.into_iter().enumerate() {
                    texts.append_option(self.is_valid(row).then_some(text));
                }
                Arc::new(texts.finish())
            }
            DataType::List(item) => match item.data_type() {
                DataType::Int16 => self.list::<Int16Type>(rows)?,
                DataType::Int32 => self.list::<Int32Type>(rows)?,
                DataType::Int64 => self.list::<Int64Type>(rows)?,
                _ => self.text_list(rows)?,
            },
            _ => return Err(Malformed),
        })
    }

    fn numbers(&self, count: usize) -> Result<impl Iterator<Item = i64> + '_, Malformed> {
        if self.steps.len() != count {
            return Err(Malformed);
        }
        let mut last = 0_i64;
        Ok(self.steps.iter().map(move |step| {
            last = last.wrapping_add(unzigzag(*step));
            last
        }))
    }

    fn primitive<T: ArrowPrimitiveType>(&self, rows: usize) -> Result<PrimitiveArray<T>, Malformed>
    where
        T::Native: TryFrom<i64>,
    {
        let mut builder = PrimitiveBuilder::<T>::with_capacity(rows);
        for (row, value) in self.numbers(rows)?.enumerate() {
            match self.is_valid(row) {
                true => builder.append_value(T::Native::try_from(value).map_err(|_| Malformed)?),
                false => builder.append_null(),
            }
        }
        Ok(builder.finish())
    }

    fn texts(&self, count: usize) -> Result<Vec<&'a str>, Malformed> {
        if self.lengths.len() != count {
            return Err(Malformed);
        }
        let mut rest = self.texts;
        let mut texts = Vec::with_capacity(count);
        for length in &self.lengths {
            let length = usize::try_from(*length).map_err(|_| Malformed)?;
            let (text, after) = rest.split_at_checked(length).ok_or(Malformed)?;
            texts.push(std::str::from_utf8(text).map_err(|_| Malformed)?);
            rest = after;
        }
        Ok(texts)
    }

    /// Items of all lists.
    fn total(&self, rows: usize) -> Result<usize, Malformed> {
        let sum = self.items.iter().try_fold(0_u64, |sum, items| sum.checked_add(*items)).ok_or(Malformed)?;
        if self.items.len() == rows { usize::try_from(sum).map_err(|_| Malformed) } else { Err(Malformed) }
    }

    fn list<T: ArrowPrimitiveType>(&self, rows: usize) -> Result<ArrayRef, Malformed>
    where
        T::Native: TryFrom<i64>,
    {
        let mut lists = ListBuilder::new(PrimitiveBuilder::<T>::new());
        let mut values = self.numbers(self.total(rows)?)?;
        for (row, items) in self.items.iter().enumerate() {
            for value in values.by_ref().take(*items as usize) {
                lists.values().append_value(T::Native::try_from(value).map_err(|_| Malformed)?);
            }
            lists.append(self.is_valid(row));
        }
        Ok(Arc::new(lists.finish()))
    }

    fn text_list(&self, rows: usize) -> Result<ArrayRef, Malformed> {
        let mut lists = ListBuilder::new(StringBuilder::new());
        let mut texts = self.texts(self.total(rows)?)?.into_iter();
        for (row, items) in self.items.iter().enumerate() {
            texts.by_ref().take(*items as usize).for_each(|text| lists.values().append_value(text));
            lists.append(self.is_valid(row));
        }
        Ok(Arc::new(lists.finish()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use wastenot_schemas::{episode, stack, trace};

    fn rows() -> RecordBatch {
        let mut rows = trace::Builder::default();
        for (kernel, notes) in [(None, &[][..]), (Some("6.1"), &["odd", ""])] {
            rows.push(&trace::Row {
                schema_version: 1,
                source: "ebpf",
                recorder: "ä b",
                kernel,
                clock: "",
                epoch_ns: kernel.map(|_| i64::MIN),
                start_ns: i64::MAX,
                end_ns: -1,
                end_reason: "command",
                complete: kernel.is_some(),
                events: 0,
                evidence_level: "L2",
                notes,
                unverified: &["odd"],
                queued_wakings_only: None,
                command: None,
                options: "{}",
            });
        }
        rows.finish()
    }

    #[test]
    fn a_list_that_an_older_export_lacks_is_empty() {
        let batch = rows();
        let without: Vec<usize> =
            (0..batch.num_columns()).filter(|&i| batch.schema().field(i).name() != "unverified").collect();
        let mut message = Vec::new();
        write("trace", &batch.project(&without).unwrap(), &mut message).unwrap();
        let view = trace::View::try_new(&read(&message, &trace::schema()).unwrap()).unwrap();
        assert_eq!((view.unverified(0), view.notes(1)), (vec![], vec!["odd".into(), String::new()]));
    }

    #[test]
    fn rows_come_back_as_they_were() {
        let mut stacks = stack::Builder::default();
        stacks.push(&stack::Row { stack_id: 1, addresses: &[-1, 5], symbols: &["a+0x1", "b"] });
        stacks.push(&stack::Row { stack_id: 2, addresses: &[], symbols: &[] });
        let batches = [
            ("trace", rows()),
            ("stack", stacks.finish()),
            ("trace", rows().slice(1, 1)),
            ("episode", { episode::Builder::default().finish() }),
        ];
        for (table_name, batch) in batches {
            let mut message = Vec::new();
            write(table_name, &batch, &mut message).unwrap();
            assert_eq!(table(&message).as_deref(), Ok(table_name));
            assert_eq!(read(&message, &batch.schema()).unwrap(), batch);
        }
    }

    #[test]
    fn large_columns_are_written_as_they_are() {
        let symbol = "x".repeat(1 << 16);
        let mut stacks = stack::Builder::default();
        for stack_id in 1..=MOST_DEFLATED as i32 >> 16 {
            stacks.push(&stack::Row { stack_id, addresses: &[stack_id.into()], symbols: &[symbol.as_str()] });
        }
        let (batch, mut message) = (stacks.finish(), Vec::new());
        write("stack", &batch, &mut message).unwrap();
        assert!(message.len() > MOST_DEFLATED);
        assert_eq!(read(&message, &batch.schema()).unwrap(), batch);
    }

    #[test]
    fn damage_is_refused() {
        let mut message = Vec::new();
        write("trace", &rows(), &mut message).unwrap();
        for cut in 0..message.len() {
            let _ = read(&message[..cut], &trace::schema()); // some are whole by chance
        }
        for at in 0..message.len() {
            let mut damaged = message.clone();
            damaged[at] ^= 0x55;
            let _ = read(&damaged, &trace::schema());
        }
        let mut bomb = ZlibEncoder::new(Vec::new(), Compression::best());
        bomb.write_all(&vec![0; MOST_DEFLATED + 1]).unwrap();
        let mut message = Vec::new();
        put_bytes(&mut message, field::DEFLATED, &bomb.finish().unwrap());
        assert_eq!(read(&message, &trace::schema()).unwrap_err(), Malformed);
        let mut huge = Vec::new();
        put_number(&mut huge, field::ROWS, u64::MAX);
        assert_eq!(read(&huge, &stack::schema()).unwrap_err(), Malformed);
    }
}
