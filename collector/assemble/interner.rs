//! Values that many rows share, each stored once.

use crate::{MaskId, StackId, TextId};
use arrow_array::RecordBatch;
use std::collections::{BTreeMap, HashMap};
use wastenot_schemas as schemas;
use wastenot_topology::CpuSet;

/// Hands out numbers for sets of CPUs, stacks and texts, and collects the cgroups.
#[derive(Default)]
pub struct Interner {
    masks: Table<[u64]>,
    stacks: Vec<Stack>,
    stack_index: HashMap<Stack, StackId>,
    texts: Table<str>,
    cgroups: BTreeMap<i64, Cgroup>,
    /// Masks and stacks that [`Self::take_new`] has handed on, and stacks described since.
    masks_taken: usize,
    described: Vec<StackId>,
}

/// A kernel call stack, innermost frame first.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Stack {
    /// Return addresses; may be shorter than `symbols` when the source gives names only.
    pub addresses: Vec<u64>,
    /// `function+0xoffset` per frame; the address in hex where no symbol is known.
    pub symbols: Vec<String>,
}

/// What is known of a cgroup (a row of `cgroup`).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Cgroup {
    /// Path within its hierarchy.
    pub path: String,
    /// CPU quota per period (ns); `None` none or unknown.
    pub quota_ns: Option<i64>,
    /// Quota period (ns).
    pub period_ns: Option<i64>,
    /// CPU weight.
    pub weight: Option<i32>,
}

impl Interner {
    /// The set of CPUs whose bits are set: bit b of word w is CPU `64 * w + b`. Trailing zero words do not matter.
    pub fn mask(&mut self, words: &[u64]) -> MaskId {
        let used = words.iter().rposition(|&w| w != 0).map_or(0, |last| last + 1);
        MaskId::nth(self.masks.intern(&words[..used]))
    }

    /// The set of these CPUs, in any order.
    pub fn mask_of_cpus(&mut self, cpus: impl IntoIterator<Item = i16>) -> MaskId {
        let set: CpuSet = cpus.into_iter().filter_map(|cpu| u32::try_from(cpu).ok()).collect();
        self.mask(set.words())
    }

    /// The id of this stack.
    pub fn stack(&mut self, stack: Stack) -> StackId {
        if let Some(&known) = self.stack_index.get(&stack) {
            return known;
        }
        let id = self.promise_stack();
        self.stack_index.insert(stack.clone(), id);
        self.describe_stack(id, stack);
        id
    }

    /// An id for a stack whose content the source learns only later; [`describe_stack`](Self::describe_stack) keeps the
    /// promise. It stays without frames otherwise.
    pub fn promise_stack(&mut self) -> StackId {
        self.stacks.push(Stack::default());
        StackId::nth(self.stacks.len() - 1)
    }

    /// The content of a promised stack.
    pub fn describe_stack(&mut self, id: StackId, stack: Stack) {
        self.stacks[id.index()] = stack;
        self.described.push(id);
    }

    /// A text of a small closed set.
    pub fn text(&mut self, text: &str) -> TextId {
        TextId::nth(self.texts.intern(text))
    }

    /// The text behind an id of this interner.
    pub fn text_of(&self, id: TextId) -> &str {
        &self.texts.values[id.index()]
    }

    /// Say what is known of a cgroup; a later word replaces an earlier one.
    pub fn describe_cgroup(&mut self, cgroup_id: i64, cgroup: Cgroup) {
        self.cgroups.insert(cgroup_id, cgroup);
    }

    /// The cgroup occurs in an event; its row will exist even when no event describes it.
    pub fn mention_cgroup(&mut self, cgroup_id: i64) {
        self.cgroups.entry(cgroup_id).or_default();
    }

    /// Rows of `mask` and `stack` that are new, or described anew, since the last call. What was said of cgroups is dropped: of a
    /// recording without end it would grow without end.
    pub fn take_new(&mut self) -> [(&'static str, RecordBatch); 2] {
        let masks = self.masks_from(self.masks_taken);
        self.masks_taken = self.masks.values.len();
        let mut stacks = schemas::stack::Builder::default();
        for id in std::mem::take(&mut self.described) {
            push_stack(&mut stacks, id, &self.stacks[id.index()]);
        }
        self.cgroups.clear();
        [(schemas::mask::NAME, masks), (schemas::stack::NAME, stacks.finish())]
    }

    /// Table `mask`.
    pub fn masks(&self) -> RecordBatch {
        self.masks_from(0)
    }

    fn masks_from(&self, first: usize) -> RecordBatch {
        let mut builder = schemas::mask::Builder::default();
        for (index, words) in self.masks.values.iter().enumerate().skip(first) {
            builder.push(&schemas::mask::Row {
                mask_id: MaskId::nth(index).column(),
                cpus: &CpuSet::from_words(words.iter().copied()).to_i16s(),
            });
        }
        builder.finish()
    }

    /// Table `stack`.
    pub fn stacks(&self) -> RecordBatch {
        let mut builder = schemas::stack::Builder::default();
        for (index, stack) in self.stacks.iter().enumerate() {
            push_stack(&mut builder, StackId::nth(index), stack);
        }
        builder.finish()
    }

    /// Table `cgroup`.
    pub fn cgroups(&self) -> RecordBatch {
        let mut builder = schemas::cgroup::Builder::default();
        for (&cgroup_id, cgroup) in &self.cgroups {
            builder.push(&schemas::cgroup::Row {
                cgroup_id,
                path: &cgroup.path,
                quota_ns: cgroup.quota_ns,
                period_ns: cgroup.period_ns,
                weight: cgroup.weight,
            });
        }
        builder.finish()
    }
}

fn push_stack(builder: &mut schemas::stack::Builder, id: StackId, stack: &Stack) {
    let addresses: Vec<i64> = stack.addresses.iter().map(|&a| a as i64).collect();
    let symbols: Vec<&str> = stack.symbols.iter().map(String::as_str).collect();
    builder.push(&schemas::stack::Row { stack_id: id.column(), addresses: &addresses, symbols: &symbols });
}

/// Distinct values in order of first appearance, found again by content.
struct Table<T: ?Sized> {
    values: Vec<Box<T>>,
    index: HashMap<Box<T>, usize>,
}

impl<T: ?Sized> Default for Table<T> {
    fn default() -> Self {
        Self { values: Vec::new(), index: HashMap::new() }
    }
}

impl<T: ?Sized + std::hash::Hash + Eq> Table<T>
where
    for<'a> Box<T>: From<&'a T>,
{
    fn intern(&mut self, value: &T) -> usize {
        if let Some(&known) = self.index.get(value) {
            return known;
        }
        let index = self.values.len();
        self.values.push(value.into());
        self.index.insert(value.into(), index);
        index
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use wastenot_schemas::mask;

    #[test]
    fn a_set_of_cpus_is_stored_once_however_it_is_written() {
        let mut ids = Interner::default();
        let low = ids.mask(&[0b101]);
        assert_eq!(ids.mask(&[0b101, 0, 0]), low);
        assert_eq!(ids.mask_of_cpus([2, 0, 2]), low);
        let high = ids.mask_of_cpus([1500]);
        assert_ne!(high, low);
        let none = ids.mask(&[]);
        assert_eq!(ids.mask(&[0, 0]), none);

        let view = mask::View::try_new(&ids.masks()).unwrap();
        let rows: Vec<(i32, Vec<i16>)> =
            (0..view.len()).map(|i| (view.mask_id.value(i), view.row(i).cpus.to_vec())).collect();
        assert_eq!(rows, [(1, vec![0, 2]), (2, vec![1500]), (3, vec![])]);
        assert_eq!((low.column(), high.column(), none.column()), (1, 2, 3));
    }

    #[test]
    fn a_mentioned_cgroup_keeps_what_was_recorded_of_it() {
        let mut ids = Interner::default();
        ids.mention_cgroup(7);
        ids.describe_cgroup(9, Cgroup { path: "/a".into(), quota_ns: Some(5), ..Cgroup::default() });
        ids.mention_cgroup(9);
        let view = wastenot_schemas::cgroup::View::try_new(&ids.cgroups()).unwrap();
        assert_eq!(view.len(), 2);
        assert_eq!((view.cgroup_id.value(1), view.path.value(1), view.quota_ns.value(1)), (9, "/a", 5));
    }

    #[test]
    fn equal_stacks_share_an_id_and_a_promised_one_is_filled_later() {
        let mut ids = Interner::default();
        let stack = Stack { addresses: vec![1, 2], symbols: vec!["a+0x1".into(), "b+0x2".into()] };
        let promised = ids.promise_stack();
        let first = ids.stack(stack.clone());
        assert_eq!(ids.stack(stack.clone()), first);
        ids.describe_stack(promised, Stack { addresses: vec![9], symbols: vec!["c".into()] });
        let view = wastenot_schemas::stack::View::try_new(&ids.stacks()).unwrap();
        assert_eq!((view.len(), view.symbols(0), view.symbols(1)), (2, vec!["c".to_owned()], stack.symbols));
    }

    #[test]
    fn texts_come_back() {
        let mut ids = Interner::default();
        let (any, cycles) = (ids.text("any"), ids.text("cycles"));
        assert_eq!(ids.text("any"), any);
        assert_eq!((ids.text_of(any), ids.text_of(cycles)), ("any", "cycles"));
    }
}
