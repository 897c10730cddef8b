//! The events of one CPU in one buffer.

use crate::clock::Clock;
use crate::page::{Cursor, PageFormat};
use crate::pages::Pages;

/// The event at which a stream is.
#[derive(Clone, Copy, Debug)]
pub struct NextEvent {
    pub ts_ns: i64,
    from: usize,
    to: usize,
}

/// A stretch of time in which events are missing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Gap {
    pub from_ns: Option<i64>,
    /// 0: unknown.
    pub count: u64,
}

/// Hands out events one by one.
pub struct Stream {
    pages: Pages,
    page_format: PageFormat,
    clock: Clock,
    cursor: Cursor,
    next: Option<NextEvent>,
    last_ns: Option<i64>,
    gap: Option<Gap>,
    /// Pages whose end could not be read.
    pub garbled_pages: u64,
    /// Why it ended before its end.
    pub broken: Option<String>,
}

impl Stream {
    pub fn new(pages: Pages, page_format: PageFormat, clock: Clock) -> Self {
        let cursor = Cursor::default();
        Self { pages, page_format, clock, cursor, next: None, last_ns: None, gap: None, garbled_pages: 0, broken: None }
    }

    /// The event at which it is.
    #[inline]
    pub fn next(&self) -> Option<NextEvent> {
        self.next
    }

    /// The record of the event at which it is.
    #[inline]
    pub fn record(&self) -> &[u8] {
        self.next.map_or(&[], |next| &self.pages.page()[next.from..next.to])
    }

    /// What is missing right before the event at which it is; returned once.
    pub fn take_gap(&mut self) -> Option<Gap> {
        self.gap.take()
    }

    /// Bytes of the file that are still to be read.
    pub fn left(&self) -> u64 {
        self.pages.left()
    }

    /// Go to the next event. False: it lies on another page (or there is none).
    #[inline]
    pub fn advance(&mut self) -> bool {
        self.last_ns = self.next.map(|next| next.ts_ns).or(self.last_ns);
        match self.page_format.next(self.pages.page(), &mut self.cursor) {
            Ok(Some(record)) => {
                self.next = Some(NextEvent { ts_ns: self.clock.ns(record.ts), from: record.from, to: record.to });
                return true;
            }
            Ok(None) => {}
            Err(_) => self.garbled(),
        }
        self.turn();
        false
    }

    /// The rest of the page is lost, and what it held is not known.
    fn garbled(&mut self) {
        self.garbled_pages += 1;
        self.miss(0);
    }

    fn miss(&mut self, count: u64) {
        let known = self.gap.get_or_insert(Gap { from_ns: self.last_ns, count });
        known.count = if known.count == 0 || count == 0 { 0 } else { known.count.max(count) };
    }

    /// Turn pages until there is an event.
    #[cold]
    fn turn(&mut self) {
        self.next = None;
        self.cursor = Cursor::default();
        loop {
            match self.pages.advance() {
                Ok(true) => {}
                Ok(false) => return,
                Err(why) => {
                    self.broken = Some(why);
                    return;
                }
            }
            match self.page_format.begin(self.pages.page()) {
                Ok((cursor, missed)) => {
                    self.cursor = cursor;
                    if let Some(count) = missed {
                        self.miss(count);
                    }
                }
                Err(_) => {
                    self.cursor = Cursor::default();
                    self.garbled();
                    continue;
                }
            }
            match self.page_format.next(self.pages.page(), &mut self.cursor) {
                Ok(Some(record)) => {
                    self.next = Some(NextEvent { ts_ns: self.clock.ns(record.ts), from: record.from, to: record.to });
                    return;
                }
                Ok(None) => {}
                Err(_) => self.garbled(),
            }
        }
    }
}
