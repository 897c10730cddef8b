//! A line of a `.prv` as a record.

/// Whose record it is, as its line numbers them: from 1, CPU 0 not known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    pub cpu: u32,
    pub application: u32,
    pub task: u32,
    pub thread: u32,
}

/// A record. Times are in the trace's unit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Record<'a> {
    /// A thread is in a state.
    State { place: Place, start: i64, end: i64, state: u32 },
    /// Something happens to a thread: the pairs of type and value that follow are `pairs`.
    Events { place: Place, time: i64, pairs: &'a [u8] },
    /// A communication, a communicator, a comment.
    Other,
}

impl<'a> Record<'a> {
    /// From a line without its end. The error says what is wrong with it.
    pub fn parse(line: &'a [u8]) -> Result<Self, String> {
        match line.first() {
            None | Some(b'#' | b'c' | b'C' | b'3' | b'4' | b'5' | b'6') => Ok(Self::Other),
            Some(b'1') => {
                let [_, cpu, application, task, thread, start, end, state] = fields::<8>(line, "a state")?.0;
                let place = place(cpu, application, task, thread)?;
                if end < start || start < 0 {
                    return Err(format!("a state from {start} to {end}"));
                }
                let state = u32::try_from(state).map_err(|_| format!("state {state}"))?;
                Ok(Self::State { place, start, end, state })
            }
            Some(b'2') => {
                let ([_, cpu, application, task, thread, time], pairs) = fields::<6>(line, "an event")?;
                if time < 0 {
                    return Err(format!("an event at {time}"));
                }
                Ok(Self::Events { place: place(cpu, application, task, thread)?, time, pairs })
            }
            Some(_) => Err("it is not a record of Paraver".into()),
        }
    }
}

fn place(cpu: i64, application: i64, task: i64, thread: i64) -> Result<Place, String> {
    let number = |n: i64, what: &str| u32::try_from(n).map_err(|_| format!("{what} {n}"));
    Ok(Place {
        cpu: number(cpu, "CPU")?,
        application: number(application, "application")?,
        task: number(task, "task")?,
        thread: number(thread, "thread")?,
    })
}

/// The first numbers of a line, and what follows them.
fn fields<'a, const N: usize>(line: &'a [u8], what: &str) -> Result<([i64; N], &'a [u8]), String> {
    let mut rest = line;
    let mut values = [0; N];
    for (n, value) in values.iter_mut().enumerate() {
        if n > 0 && rest.is_empty() {
            return Err(format!("{what} with {n} fields, not {N} or more"));
        }
        *value = next(&mut rest).ok_or_else(|| format!("field {} of {what} is not a number", n + 1))?;
    }
    Ok((values, rest))
}

/// The pairs of type and value of an event.
pub fn pairs(mut rest: &[u8]) -> impl Iterator<Item = Result<(u64, i64), String>> {
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let mut pair = || {
            let of = next(&mut rest).and_then(|of| u64::try_from(of).ok()).ok_or("a type that is not a number")?;
            let value = next(&mut rest).ok_or("a value that is not a number")?;
            Ok((of, value))
        };
        let found = pair().map_err(|why: &str| format!("an event with {why}"));
        if found.is_err() {
            rest = &[];
        }
        Some(found)
    })
}

/// The number before the next colon, and on beyond it.
fn next(rest: &mut &[u8]) -> Option<i64> {
    let end = rest.iter().position(|b| *b == b':').unwrap_or(rest.len());
    let digits = rest[..end].trim_ascii();
    *rest = rest.get(end + 1..).unwrap_or(&[]);
    let (digits, sign) = match digits.strip_prefix(b"-") {
        Some(digits) => (digits, -1),
        None => (digits, 1),
    };
    if digits.is_empty() || digits.len() > 19 {
        return None;
    }
    let mut value: i64 = 0;
    for digit in digits {
        let digit = digit.wrapping_sub(b'0');
        if digit > 9 {
            return None;
        }
        value = value.checked_mul(10)?.checked_add(i64::from(digit))?;
    }
    Some(sign * value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_records() {
        let place = Place { cpu: 1, application: 1, task: 2, thread: 3 };
        assert_eq!(Record::parse(b"1:1:1:2:3:0:5:13"), Ok(Record::State { place, start: 0, end: 5, state: 13 }));
        let Ok(Record::Events { time: 7, pairs: rest, .. }) = Record::parse(b"2:1:1:2:3:7:50000002:8:42000050:-1")
        else {
            panic!("an event")
        };
        let all: Vec<_> = pairs(rest).collect();
        assert_eq!(all, [Ok((50000002, 8)), Ok((42000050, -1))]);
        assert_eq!(Record::parse(b"c:1:1:4:1:2:3:4"), Ok(Record::Other));
    }

    #[test]
    fn what_is_not_a_record_is_named() {
        for (line, why) in [
            (&b"1:1:1:2"[..], "a state with 4 fields"),
            (b"1:1:1:2:3:9:5:1", "from 9 to 5"),
            (b"1:1:1:2:3:x:5:1", "field 6 of a state"),
            (b"1:1:1:2:3:0:99999999999999999999:1", "field 7 of a state"),
            (b"1:-1:1:2:3:0:5:1", "CPU -1"),
            (b"hello", "not a record"),
        ] {
            assert!(Record::parse(line).unwrap_err().contains(why), "{}", String::from_utf8_lossy(line));
        }
        assert!(pairs(b"50000002").next().unwrap().is_err());
    }
}
