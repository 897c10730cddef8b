//! What the generated modules share.

pub use arrow_array::builder::*;
pub use arrow_array::cast::AsArray;
pub use arrow_array::types::{Int16Type, Int32Type, Int64Type, UInt8Type};
pub use arrow_array::*;
pub use arrow_schema::{DataType, Field, Schema, SchemaRef};
pub use std::sync::Arc;

/// A batch does not follow the declared table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SchemaMismatch {
    pub table: &'static str,
    pub column: &'static str,
    pub why: String,
}

impl std::fmt::Display for SchemaMismatch {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "table {}, column {}: {}", self.table, self.column, self.why)
    }
}

impl std::error::Error for SchemaMismatch {}

/// Arrow list of non-null-checked items, as the DuckDB reader and our builders both name it.
pub fn list(item: DataType) -> DataType {
    DataType::List(Arc::new(Field::new("item", item, true)))
}

/// A numeric column under construction. Rows are appended by the hundred million: the values are a plain vector that becomes
/// the array without a copy, and validity is kept only from the first NULL on.
pub struct Values<T: ArrowPrimitiveType> {
    values: Vec<T::Native>,
    /// A byte per row, packed into bits at the end; None before the first NULL.
    valid: Option<Vec<bool>>,
    /// Rows of the batch before: room to reserve for the next.
    usual: usize,
}

impl<T: ArrowPrimitiveType> Default for Values<T> {
    fn default() -> Self {
        Self { values: Vec::new(), valid: None, usual: 0 }
    }
}

impl<T: ArrowPrimitiveType> Values<T> {
    #[inline(always)]
    pub fn append_value(&mut self, value: T::Native) {
        self.push(value);
        if let Some(valid) = &mut self.valid {
            valid.push(true);
        }
    }

    #[inline(always)]
    pub fn append_option(&mut self, value: Option<T::Native>) {
        if value.is_none() && self.valid.is_none() {
            self.begin_validity();
        }
        if let Some(valid) = &mut self.valid {
            valid.push(value.is_some());
        }
        self.push(value.unwrap_or_default());
    }

    /// `Vec::push` with a growth of our own, and with one look at the capacity instead of two.
    #[inline(always)]
    fn push(&mut self, value: T::Native) {
        let len = self.values.len();
        if len == self.values.capacity() {
            self.grow();
        }
        // SAFETY: there is room for one more: there was, or `grow` made it.
        unsafe {
            self.values.as_mut_ptr().add(len).write(value);
            self.values.set_len(len + 1);
        }
    }

    #[cold]
    fn begin_validity(&mut self) {
        let mut valid = Vec::with_capacity(self.usual.max(self.values.len() + 1));
        valid.resize(self.values.len(), true);
        self.valid = Some(valid);
    }

    #[cold]
    fn grow(&mut self) {
        self.values.reserve(self.usual.max(self.values.len()).max(64));
    }

    /// The column so far; empty afterwards.
    pub fn finish(&mut self) -> PrimitiveArray<T> {
        self.usual = self.values.len();
        let nulls = self.valid.take().map(|valid| valid.into());
        PrimitiveArray::new(std::mem::take(&mut self.values).into(), nulls)
    }
}

/// The named column of a batch as a concrete array; NULLs are refused where the table forbids them.
pub fn column<A: Array + Clone + 'static>(
    batch: &RecordBatch,
    table: &'static str,
    name: &'static str,
    nullable: bool,
) -> Result<A, SchemaMismatch> {
    let fail = |why: String| SchemaMismatch { table, column: name, why };
    let array = batch.column_by_name(name).ok_or_else(|| fail("missing".into()))?;
    if !nullable && array.null_count() > 0 {
        return Err(fail(format!("{} NULLs where none may be", array.null_count())));
    }
    array.as_any().downcast_ref::<A>().cloned().ok_or_else(|| fail(format!("type is {}", array.data_type())))
}

macro_rules! list_reader {
    ($name:ident, $native:ty, $arrow:ty) => {
        /// The items of list `i`, without copying.
        pub fn $name(array: &ListArray, i: usize) -> &[$native] {
            let (from, to) = (array.value_offsets()[i] as usize, array.value_offsets()[i + 1] as usize);
            &array.values().as_primitive::<$arrow>().values()[from..to]
        }
    };
}

list_reader!(list_i16, i16, Int16Type);
list_reader!(list_i32, i32, Int32Type);
list_reader!(list_i64, i64, Int64Type);

/// The texts of list `i`.
pub fn texts(array: &ListArray, i: usize) -> Vec<String> {
    let values = array.value(i);
    values.as_string::<i32>().iter().flatten().map(str::to_owned).collect()
}
