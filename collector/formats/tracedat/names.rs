//! Names of threads from the saved command lines.

use std::collections::HashMap;

/// The saved command lines, until an event names the thread. They were saved last of all, so an event's own name counts more.
#[derive(Default)]
pub struct SavedNames {
    saved: HashMap<i32, Vec<u8>>,
}

impl SavedNames {
    /// From the text of `saved_cmdlines`: a tid and its name per line.
    pub fn parse(text: &[u8]) -> Self {
        let line = |line: &[u8]| {
            let (tid, name) = line.split_at_checked(line.iter().position(|&b| b == b' ')?)?;
            let tid = std::str::from_utf8(tid).ok()?.parse().ok().filter(|&tid| tid > 0)?;
            Some((tid, name[1..].to_vec())).filter(|(_, name)| !name.is_empty() && name != b"<...>")
        };
        Self { saved: text.split(|&b| b == b'\n').filter_map(line).collect() }
    }

    /// The saved name of a thread that occurs; returned once.
    #[inline]
    pub fn take(&mut self, tid: i32) -> Option<Vec<u8>> {
        if self.saved.is_empty() {
            return None;
        }
        self.saved.remove(&tid)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_may_have_blanks_and_is_returned_once() {
        let mut names = SavedNames::parse(b"12 my prog\n13 <...>\nx y\n-1 z\n14\n15 last");
        assert_eq!(names.take(12).as_deref(), Some(&b"my prog"[..]));
        assert_eq!((names.take(12), names.take(13), names.take(-1), names.take(14)), (None, None, None, None));
        assert_eq!(names.take(15).as_deref(), Some(&b"last"[..]));
    }
}
