//! The bins of one CPU that are being filled, one at each level.

use super::base_level::BaseLevel;
use super::{SHIFT, TOP};

/// What a bin sums up.
pub trait BinContent: Clone + Default {
    /// State that lasts for a span.
    type What: Copy;
    fn add(&mut self, what: Self::What, ns: i64);
    fn merge(&mut self, other: &Self);
}

struct OpenBin<C> {
    bin: i64,
    /// None: nothing is being filled.
    content: Option<C>,
}

/// Spans go in, in order of time; bins come out as (level, first bin, how many alike, content).
pub struct Lane<C> {
    /// Place among the base's changes.
    at: usize,
    open: Vec<OpenBin<C>>,
}

impl<C> Default for Lane<C> {
    fn default() -> Self {
        Self { at: 0, open: Vec::new() }
    }
}

impl<C: BinContent> Lane<C> {
    /// `what` lasts from `from` to `to`, ns from the origin, not before the end of the span before.
    pub fn span(
        &mut self,
        base: &BaseLevel,
        from: i64,
        to: i64,
        what: C::What,
        out: &mut impl FnMut(usize, i64, i64, &C),
    ) {
        let mut from = from.max(0);
        while from < to {
            let was = base.level(self.at);
            self.at = base.place(self.at, from);
            let level = base.level(self.at);
            for below in was..level {
                self.close(below, out); // these levels take no more spans
            }
            let until = to.min(base.end(self.at));
            self.piece(level, from, until, what, out);
            from = until;
        }
    }

    /// A span within one stretch of the base: partial bins are filled, whole ones written at once.
    fn piece(&mut self, level: usize, from: i64, to: i64, what: C::What, out: &mut impl FnMut(usize, i64, i64, &C)) {
        let shift = SHIFT + level as u32;
        let (first, last) = (from >> shift, (to - 1) >> shift);
        let (whole, end) = ((from + (1 << shift) - 1) >> shift, to >> shift);
        if whole >= end {
            if first == last {
                self.fill(level, first, to - from, what, out);
            } else {
                self.fill(level, first, (last << shift) - from, what, out);
                self.fill(level, last, to - (last << shift), what, out);
            }
            return;
        }
        if first < whole {
            self.fill(level, first, (whole << shift) - from, what, out);
        }
        self.close(level, out);
        let mut one = C::default();
        one.add(what, 1 << shift);
        out(level, whole, end - whole, &one);
        if level < TOP {
            self.piece(level + 1, whole << shift, end << shift, what, out);
        }
        if last == end {
            self.fill(level, end, to - (end << shift), what, out);
        }
    }

    fn fill(&mut self, level: usize, bin: i64, ns: i64, what: C::What, out: &mut impl FnMut(usize, i64, i64, &C)) {
        self.opened(level, bin, out).add(what, ns);
    }

    /// The content of a bin; another one that was being filled at this level is closed.
    fn opened(&mut self, level: usize, bin: i64, out: &mut impl FnMut(usize, i64, i64, &C)) -> &mut C {
        if self.open.get(level).is_some_and(|o| o.bin != bin) {
            self.close(level, out);
        }
        if level >= self.open.len() {
            self.open.resize_with(level + 1, || OpenBin { bin, content: None });
        }
        let open = &mut self.open[level];
        open.bin = bin;
        open.content.get_or_insert_default()
    }

    fn close(&mut self, level: usize, out: &mut impl FnMut(usize, i64, i64, &C)) {
        let Some(open) = self.open.get_mut(level) else { return };
        let (bin, Some(content)) = (open.bin, open.content.take()) else { return };
        out(level, bin, 1, &content);
        if level < TOP {
            self.opened(level + 1, bin >> 1, out).merge(&content);
        }
    }

    /// Write everything that is being filled at the lowest `levels`.
    pub fn finish(&mut self, levels: usize, out: &mut impl FnMut(usize, i64, i64, &C)) {
        for level in 0..levels {
            self.close(level, out);
        }
    }
}
