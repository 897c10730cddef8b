//! States and changes as Arrow batches, for the browser and the bindings.

use super::read::{BatchReader, BubbleError};
use super::timeline::{Change, Timeline};
use super::{Entity, Holder, HolderInterval};
use arrow_array::{Array, ArrayRef, Int32Array, Int64Array, RecordBatch, UInt8Array};
use arrow_schema::{DataType, Field, Schema};
use std::sync::Arc;
use wastenot_schemas::entity_holder;

impl Timeline {
    /// Of the rows of `entity_holder`, in the order of the table.
    pub fn read(rows: BatchReader) -> Result<Self, BubbleError> {
        let mut intervals = Vec::new();
        for batch in rows {
            let batch = batch.map_err(|e| BubbleError::Read(entity_holder::NAME.into(), e))?;
            let view = entity_holder::View::try_new(&batch)?;
            intervals.extend((0..view.len()).filter_map(|i| interval(&view.row(i))));
        }
        intervals.sort_by_key(|s: &HolderInterval| s.start_ns); // stable: rows that start at one instant keep their order
        Ok(Self::new(intervals))
    }

    /// The state at an instant, as rows of `entity_holder`.
    pub fn state_batch(&self, at_ns: i64) -> RecordBatch {
        let mut out = entity_holder::Builder::default();
        for s in self.state(at_ns) {
            out.push(&row(&s));
        }
        out.finish()
    }

    /// The changes of a time, and whether they are all. Columns: ts_ns; id of the event; utid or bubble_id; holder, holder_id,
    /// state, priority from now on (holder NULL: the entity has ended); from_holder, from_holder_id, from_state before (NULL: it
    /// starts).
    pub fn changes_batch(&self, start_ns: i64, end_ns: i64, limit: usize) -> (RecordBatch, bool) {
        let (changes, whole) = self.changes(start_ns, end_ns, limit);
        (batch(&changes), whole)
    }
}

fn interval(r: &entity_holder::Row) -> Option<HolderInterval> {
    let entity = match (r.utid, r.bubble_id) {
        (Some(utid), None) => Entity::Thread(utid),
        (None, Some(id)) => Entity::Bubble(id),
        _ => return None,
    };
    let holder = Holder::of_columns(r.holder, r.holder_id);
    let end_ns = r.start_ns.saturating_add(r.dur_ns.max(0));
    Some(HolderInterval {
        id: r.id,
        entity,
        holder,
        state: r.state,
        priority: r.priority,
        start_ns: r.start_ns,
        end_ns,
    })
}

/// An interval as a row of `entity_holder`.
pub fn row(s: &HolderInterval) -> entity_holder::Row {
    let (utid, bubble_id) = columns(s.entity);
    let (holder, holder_id) = s.holder.columns();
    let (start_ns, dur_ns) = (s.start_ns, s.end_ns - s.start_ns);
    entity_holder::Row {
        id: s.id,
        utid,
        bubble_id,
        holder,
        holder_id,
        state: s.state,
        priority: s.priority,
        start_ns,
        dur_ns,
    }
}

/// An entity as the columns `utid` and `bubble_id` have it.
pub fn columns(entity: Entity) -> (Option<i32>, Option<i32>) {
    match entity {
        Entity::Thread(utid) => (Some(utid), None),
        Entity::Bubble(id) => (None, Some(id)),
    }
}

fn batch(changes: &[Change]) -> RecordBatch {
    let i32s = |get: &dyn Fn(&Change) -> Option<i32>| -> ArrayRef {
        Arc::new(changes.iter().map(get).collect::<Int32Array>())
    };
    let u8s =
        |get: &dyn Fn(&Change) -> Option<u8>| -> ArrayRef { Arc::new(changes.iter().map(get).collect::<UInt8Array>()) };
    let id = |c: &Change| c.to.and_then(|s| s.id);
    let columns: Vec<(&str, ArrayRef, bool)> = vec![
        ("ts_ns", Arc::new(changes.iter().map(|c| c.ts_ns).collect::<Int64Array>()), false),
        ("id", Arc::new(changes.iter().map(id).collect::<Int64Array>()), true),
        ("utid", i32s(&|c| columns(c.entity).0), true),
        ("bubble_id", i32s(&|c| columns(c.entity).1), true),
        ("holder", u8s(&|c| c.to.map(|s| s.holder.columns().0)), true),
        ("holder_id", i32s(&|c| c.to.and_then(|s| s.holder.columns().1)), true),
        ("state", u8s(&|c| c.to.and_then(|s| s.state)), true),
        ("priority", i32s(&|c| c.to.and_then(|s| s.priority)), true),
        ("from_holder", u8s(&|c| c.from.map(|s| s.holder.columns().0)), true),
        ("from_holder_id", i32s(&|c| c.from.and_then(|s| s.holder.columns().1)), true),
        ("from_state", u8s(&|c| c.from.and_then(|s| s.state)), true),
    ];
    let kind = |array: &ArrayRef| -> DataType { array.data_type().clone() };
    let fields: Vec<Field> = columns.iter().map(|(name, array, null)| Field::new(*name, kind(array), *null)).collect();
    let arrays = columns.into_iter().map(|c| c.1).collect();
    RecordBatch::try_new(Arc::new(Schema::new(fields)), arrays).expect("columns follow the schema made from them")
}
