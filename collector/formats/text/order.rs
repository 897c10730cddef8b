//! The order of the lines of a file: all CPUs by time, or one CPU after the other (`cat per_cpu/cpu*/trace`).

use crate::head::{LineHead, Stamp};
use crate::lines::Lines;
use std::fs::File;
use std::rc::Rc;

/// Up to this size a file is scanned as a whole (bytes).
const SMALL: u64 = 4 << 20;
/// A larger one at places that far apart (bytes).
const STRIDE: u64 = 64 << 10;
/// Lines of one file that is in the order of time are further behind each other at times, but not more (ns).
const JITTER_NS: i64 = 1_000_000;
/// CPUs have one piece each; more pieces are something else.
const MAX_PIECES: usize = 8192;

/// The order of a file's lines.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct FileOrder {
    /// Where the part of each CPU begins and ends, where the file has one after the other; else the whole file.
    pub pieces: Vec<(u64, u64)>,
    /// Events of several buffers are printed, with their names.
    pub has_buffers: bool,
}

#[derive(Default)]
struct OrderScan {
    pieces: Vec<Piece>,
    has_buffers: bool,
    /// Where the comments before the next event begin: they belong to it.
    comments: Option<u64>,
}

struct Piece {
    from: u64,
    latest_ns: i64,
    /// The one CPU whose events it holds.
    cpu: Option<u16>,
}

/// The order of the lines of a file of this length.
pub fn file_order(file: &Rc<File>, len: u64) -> std::io::Result<FileOrder> {
    let mut scan = OrderScan::default();
    if len <= SMALL {
        scan.all(file, 0, len)?;
    } else {
        let mut known = 0; // what is before has been scanned
        for at in (0..len).step_by(STRIDE as usize) {
            let seen = first_event(file, at, (at + STRIDE).min(len))?;
            if seen.is_some_and(|(_, cpu, ns)| scan.may_begin(cpu, ns)) || at + STRIDE >= len {
                scan.all(file, known, (at + STRIDE).min(len))?;
            } else if let Some((from, cpu, ns)) = seen {
                scan.take(from, cpu, ns);
            }
            known = at;
        }
    }
    Ok(scan.order(len))
}

/// The first whole line with an event between two bytes: where it begins, its CPU and time.
fn first_event(file: &Rc<File>, from: u64, to: u64) -> std::io::Result<Option<(u64, u16, i64)>> {
    const LOOK: u64 = 8 << 10;
    let mut lines = Lines::new(Rc::clone(file), from, to.min(from + LOOK), false);
    if from > 0 {
        lines.next()?;
    }
    loop {
        let at = lines.position();
        let Some(line) = lines.next()? else { return Ok(None) };
        if let Some(LineHead { cpu, stamp: Stamp::Ns(ns), .. }) = LineHead::parse(line) {
            return Ok(Some((at, cpu, ns)));
        }
    }
}

impl OrderScan {
    fn all(&mut self, file: &Rc<File>, from: u64, to: u64) -> std::io::Result<()> {
        let mut lines = Lines::new(Rc::clone(file), from, to, false);
        if from > 0 {
            lines.next()?;
        }
        self.comments = None;
        loop {
            let at = lines.position();
            let Some(line) = lines.next()? else { return Ok(()) };
            if let Some(head) = LineHead::parse(line) {
                self.has_buffers |= !head.buffer().0.is_empty();
                let from = self.comments.take().unwrap_or(at);
                if let Stamp::Ns(ns) = head.stamp {
                    self.take(from, head.cpu, ns);
                }
            } else if line.starts_with(b"#") || line.starts_with(b"CPU") {
                self.comments.get_or_insert(at);
            }
        }
    }

    fn steps_back(&self, ns: i64) -> bool {
        self.pieces.last().is_some_and(|piece| ns < piece.latest_ns.saturating_sub(JITTER_NS))
    }

    /// Between the last event and this one, of the same piece or not, another CPU's part may have begun.
    fn may_begin(&self, cpu: u16, ns: i64) -> bool {
        self.steps_back(ns) || self.pieces.last().is_some_and(|piece| piece.cpu.is_some_and(|of| of != cpu))
    }

    fn take(&mut self, from: u64, cpu: u16, ns: i64) {
        if self.pieces.len() > MAX_PIECES {
            return;
        }
        let begins = self.steps_back(ns);
        match self.pieces.last_mut().filter(|_| !begins) {
            Some(piece) => {
                piece.latest_ns = piece.latest_ns.max(ns);
                piece.cpu = piece.cpu.filter(|&of| of == cpu);
            }
            None => self.pieces.push(Piece { from, latest_ns: ns, cpu: Some(cpu) }),
        }
    }

    fn order(self, len: u64) -> FileOrder {
        let mut cpus: Vec<_> = self.pieces.iter().filter_map(|piece| piece.cpu).collect();
        cpus.sort_unstable();
        cpus.dedup();
        let by_cpu = cpus.len() == self.pieces.len() && (2..=MAX_PIECES).contains(&self.pieces.len());
        if !by_cpu {
            return FileOrder { pieces: vec![(0, len)], has_buffers: self.has_buffers };
        }
        let starts: Vec<_> = std::iter::once(0).chain(self.pieces.iter().skip(1).map(|piece| piece.from)).collect();
        let ends = starts.iter().skip(1).copied().chain([len]);
        FileOrder { pieces: starts.iter().copied().zip(ends).collect(), has_buffers: self.has_buffers }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    fn order(content: &str) -> FileOrder {
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(content.as_bytes()).unwrap();
        file_order(&Rc::new(file), content.len() as u64).unwrap()
    }

    fn events(cpu: usize, count: usize) -> String {
        (0..count)
            .map(|n| format!(" a-1 [{cpu:03}] d..2. {}.{:06}: sched_wakeup: x\n", 5 + n / 1000, n % 1000 * 1000))
            .collect()
    }

    #[test]
    fn cpus_one_after_the_other_are_parted() {
        for (first, second, third) in [(10, 10, 10), (200_000, 3, 150_000), (150_000, 100, 2), (3, 200_000, 1)] {
            let (a, b, c) = (events(0, first), events(3, second), events(1, third));
            let text = format!("# tracer: nop\n{a}{b}{c}");
            let (ab, bc) = ((14 + a.len()) as u64, (14 + a.len() + b.len()) as u64);
            assert_eq!(order(&text).pieces, [(0, ab), (ab, bc), (bc, text.len() as u64)], "{first} {second} {third}");
        }
    }

    #[test]
    fn comments_belong_to_what_follows() {
        let text = format!("# tracer: nop\n{}# tracer: nop\n#\nCPU:1 [LOST 3 EVENTS]\n{}", events(0, 5), events(1, 5));
        let at = text.rfind("# tracer").unwrap() as u64;
        assert_eq!(order(&text).pieces, [(0, at), (at, text.len() as u64)]);
    }

    #[test]
    fn any_other_order_is_left_as_it_is() {
        let whole = |text: &str| assert_eq!(order(text).pieces, [(0, text.len() as u64)]);
        whole("");
        whole(&events(0, 100));
        whole(&(events(0, 100) + &events(0, 100))); // the same CPU twice: the clock was set back, or two recordings
        whole(&(events(0, 100) + &events(1, 100) + &events(0, 100)));
        let text = " a-1 [000] 5.0: e: x\n a-1 [001] 5.1: e: x\n a-1 [000] 4.0: e: x\n";
        whole(text);
    }

    #[test]
    fn names_of_buffers_are_seen() {
        assert!(order("other:       a-1 [000] 5.0: e: x\n").has_buffers);
        assert!(!order("      a: b-1 [000] 5.0: e: x\n").has_buffers);
    }
}
