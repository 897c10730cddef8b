//! The lines of a file, or of a part of it.

use memchr::{memchr, memchr2, memrchr};
use std::fs::File;
use std::os::unix::fs::FileExt;
use std::rc::Rc;

/// Longer lines are none of a tracer's (bytes).
pub const LONGEST: usize = 64 << 10;
const PORTION: usize = 256 << 10;

/// Reads line by line, without the ends of the lines.
pub struct Lines {
    file: Rc<File>,
    /// Next byte of the file to read, and where to stop.
    at: u64,
    end: u64,
    held: Vec<u8>,
    /// Bytes of `held` that have been handed out, and that are filled.
    next: usize,
    filled: usize,
    /// In HTML the text may be a JavaScript string, in which `\n` ends a line.
    escaped: bool,
    plain: Vec<u8>,
    /// Lines that were too long.
    pub too_long: u64,
    /// The last line had no end and was left out: it may be half of one. (In HTML it is handed out.)
    pub unfinished: bool,
}

impl Lines {
    /// Those between two bytes of a file.
    pub fn new(file: Rc<File>, from: u64, to: u64, escaped: bool) -> Self {
        let held = vec![0; PORTION.min((to.saturating_sub(from)).max(1) as usize)];
        Self {
            file,
            at: from,
            end: to,
            held,
            next: 0,
            filled: 0,
            escaped,
            plain: Vec::new(),
            too_long: 0,
            unfinished: false,
        }
    }

    /// Where the next line begins.
    pub fn position(&self) -> u64 {
        self.at - (self.filled - self.next) as u64
    }

    /// The next line.
    pub fn next(&mut self) -> std::io::Result<Option<&[u8]>> {
        let (mut searched, mut skipping) = (self.next, false);
        loop {
            let found = end_of_line(&self.held[searched..self.filled], self.escaped);
            if let Some((length, mark)) = found {
                let line = self.next..searched + length;
                self.next = searched + length + mark;
                if skipping || line.len() > LONGEST {
                    self.too_long += 1;
                    (searched, skipping) = (self.next, false);
                    continue;
                }
                return Ok(Some(self.line(line)));
            }
            if self.filled - self.next > LONGEST {
                skipping = true;
                self.next = self.filled;
            }
            // A backslash at the end may be half of a mark.
            let kept = usize::from(self.escaped && self.held[self.next..self.filled].ends_with(b"\\"));
            searched = self.fill()? - kept;
            if self.filled == searched + kept {
                let line = self.next..self.filled;
                self.next = self.filled;
                self.too_long += u64::from(skipping);
                let rest = !skipping && !line.is_empty();
                self.unfinished |= rest && !self.escaped;
                return Ok((rest && self.escaped).then(|| self.line(line)));
            }
        }
    }

    /// Read on. Returns where the new bytes start.
    fn fill(&mut self) -> std::io::Result<usize> {
        self.held.copy_within(self.next..self.filled, 0);
        let from = self.filled - self.next;
        (self.next, self.filled) = (0, from);
        let space = (self.held.len() - from).min((self.end - self.at) as usize);
        let read = self.file.read_at(&mut self.held[from..from + space], self.at)?;
        if read == 0 {
            self.end = self.at; // shorter than it was
        }
        self.at += read as u64;
        self.filled += read;
        Ok(from)
    }

    fn line(&mut self, range: std::ops::Range<usize>) -> &[u8] {
        let line = &self.held[range];
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        if !self.escaped || memchr(b'\\', line).is_none() {
            return line;
        }
        self.plain.clear();
        let mut bytes = line.iter();
        while let Some(&byte) = bytes.next() {
            match (byte, bytes.as_slice().first()) {
                (b'\\', Some(&next)) => {
                    self.plain.push(if next == b't' { b'\t' } else { next });
                    bytes.next();
                }
                (b'\\', None) => {}
                _ => self.plain.push(byte),
            }
        }
        &self.plain
    }
}

/// Length of the line that ends in `text`, and of its end mark.
#[inline]
fn end_of_line(text: &[u8], escaped: bool) -> Option<(usize, usize)> {
    if !escaped {
        return memchr(b'\n', text).map(|at| (at, 1));
    }
    let mut from = 0;
    loop {
        let at = from + memchr2(b'\n', b'\\', &text[from..])?;
        match (text[at], text.get(at + 1)?) {
            (b'\n', _) => return Some((at, 1)),
            (_, b'n' | b'\n') => return Some((at, 2)),
            _ => from = (at + 2).min(text.len()),
        }
    }
}

/// The whole lines at the beginning of a file.
pub fn whole_lines(head: &[u8]) -> impl Iterator<Item = &[u8]> {
    let end = memrchr(b'\n', head).map_or(head.len(), |at| at + 1);
    head[..end].split(|&b| b == b'\n').map(|line| line.strip_suffix(b"\r").unwrap_or(line))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    fn lines(content: &[u8], escaped: bool) -> (Vec<String>, u64) {
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(content).unwrap();
        let mut lines = Lines::new(Rc::new(file), 0, content.len() as u64, escaped);
        let mut seen = Vec::new();
        while let Some(line) = lines.next().unwrap() {
            seen.push(String::from_utf8_lossy(line).into_owned());
        }
        (seen, lines.too_long)
    }

    #[test]
    fn lines_end_in_any_way() {
        assert_eq!(lines(b"a\r\n\nb\nhalf", false), (vec!["a".into(), "".into(), "b".into()], 0));
        assert_eq!(lines(b"", false), (vec![], 0));
        assert_eq!(lines(br#"var x = "a \"b\" \\n\nc\n\"#, true).0, [r#"var x = "a "b" \n"#, "c", ""]);
        assert_eq!(lines(b"a\\n\\\nb\\n\\\n", true).0, ["a", "", "b", ""]);
    }

    #[test]
    fn a_line_too_long_is_left_out_wherever_it_ends() {
        for length in [LONGEST + 1, PORTION - 3, PORTION, 3 * PORTION + 7] {
            let mut content = b"one\n".to_vec();
            content.resize(4 + length, b'x');
            content.extend(b"\ntwo\n");
            assert_eq!(lines(&content, false), (vec!["one".into(), "two".into()], 1), "{length}");
            content.truncate(4 + length);
            assert_eq!(lines(&content, false), (vec!["one".into()], 1), "{length}");
        }
    }

    #[test]
    fn portions_do_not_show() {
        let long: String = (0..200_000).map(|n| format!("line {n}\n")).collect();
        let (seen, _) = lines(long.as_bytes(), false);
        assert!(seen.iter().map(|line| format!("{line}\n")).eq(long.split_inclusive('\n')));
        let (escaped, _) = lines(long.replace('\n', "\\n").as_bytes(), true);
        assert_eq!(escaped, seen);
    }
}
