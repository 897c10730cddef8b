//! The bits of `prev_state` that an event's print format names.
//!
//! Source: the `print fmt` of sched_switch (include/trace/events/sched.h), as format files have it: macros are numbers there.

use super::StateBits;

/// From the text behind `print fmt:` of a format file; None: it names no bits.
pub fn bits_of_print_format(print: &str) -> Option<StateBits> {
    let pairs = print.split('{').skip(1).filter_map(|part| {
        let (bit, letter) = part.split('}').next()?.split_once(',')?;
        let mut letters = letter.trim().trim_matches('"').chars();
        let bit = super::number(bit.trim()).filter(|bit| *bit > 0)?;
        letters.next().filter(|_| letters.next().is_none()).map(|letter| (bit, letter))
    });
    let mut names: Vec<_> = pairs.collect();
    names.sort_unstable();
    (!names.is_empty()).then(|| StateBits { preempted: plus(print), names })
}

/// The bit that prints a `+`: `... REC->prev_state & (BITS) ? "+" : ""`.
fn plus(print: &str) -> Option<u64> {
    let before = &print[..print.find("? \"+\"")?];
    let mask = before[before.rfind("prev_state")? + "prev_state".len()..].trim_start().strip_prefix('&')?;
    let mut words = Words(mask);
    words.either().filter(|bit| bit.is_power_of_two())
}

/// A constant expression of C, as far as format files have them: numbers, `|`, `<<`, `+`, `-` and parentheses.
struct Words<'a>(&'a str);

impl Words<'_> {
    fn take(&mut self, word: &str) -> bool {
        let rest = self.0.trim_start().strip_prefix(word);
        self.0 = rest.unwrap_or(self.0);
        rest.is_some()
    }

    fn either(&mut self) -> Option<u64> {
        let mut value = self.shift()?;
        while self.take("|") {
            value |= self.shift()?;
        }
        Some(value)
    }

    fn shift(&mut self) -> Option<u64> {
        let mut value = self.sum()?;
        while self.take("<<") {
            value = value.checked_shl(u32::try_from(self.sum()?).ok()?)?;
        }
        Some(value)
    }

    fn sum(&mut self) -> Option<u64> {
        let mut value = self.value()?;
        loop {
            if self.take("+") {
                value = value.checked_add(self.value()?)?;
            } else if self.take("-") {
                value = value.checked_sub(self.value()?)?;
            } else {
                return Some(value);
            }
        }
    }

    fn value(&mut self) -> Option<u64> {
        if self.take("(") {
            // Deep nesting is damage: a format has a handful.
            let value = if self.0.len() < 4096 { self.either()? } else { return None };
            return self.take(")").then_some(value);
        }
        let text = self.0.trim_start();
        let end = text.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(text.len());
        self.0 = &text[end..];
        super::number(text[..end].trim_end_matches(['u', 'U', 'l', 'L']))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_format_names_bits_and_the_one_of_preempted() {
        let old = r#""prev_state=%s%s", REC->prev_state & (1024-1) ? __print_flags(REC->prev_state & (1024-1), "|", { 1, "S"} , { 2, "D" }, { 512, "P" }) : "R", REC->prev_state & 1024 ? "+" : "", REC->next_comm"#;
        let bits = bits_of_print_format(old).unwrap();
        assert_eq!((bits.names, bits.preempted), (vec![(1, 'S'), (2, 'D'), (512, 'P')], Some(1024)));
        let new = r#""%s%s", (REC->prev_state & ((((0x00000000 | 0x00000001 | 0x00000040) + 1) << 1) - 1)) ? __print_flags(REC->prev_state & 1, "|", { 0x00000001, "S" }) : "R", REC->prev_state & (((0x00000000 | 0x00000001 | 0x00000002 | 0x00000004 | 0x00000008 | 0x00000010 | 0x00000020 | 0x00000040) + 1) << 1) ? "+" : "", REC->next_comm"#;
        assert_eq!(bits_of_print_format(new).unwrap().preempted, Some(0x100));
    }

    #[test]
    fn an_unreadable_print_format_says_nothing_of_preempted() {
        for mask in ["TASK_STATE_MAX", "(1024", "", "1 << 99", "3", "1 - 2", &"(".repeat(100_000)] {
            let text = format!(r#"{{ 1, "S" }} REC->prev_state & {mask} ? "+" : """#);
            assert_eq!(bits_of_print_format(&text).unwrap().preempted, None, "{mask:.20}");
        }
        assert_eq!(bits_of_print_format("no braces"), None);
    }
}
