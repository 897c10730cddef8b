//! Entries and exits of the balancer's functions, as pairs.

use std::collections::HashMap;
use wastenot_machine::Symbols;

/// The functions that make a load-balance attempt, in all releases of the kernel. Source: kernel/sched/fair.c.
const ATTEMPT_FUNCTIONS: [&str; 4] = ["load_balance", "sched_balance_rq", "newidle_balance", "sched_balance_newidle"];
/// A call that takes longer has lost its end (ns).
const LONGEST_NS: i64 = 1_000_000_000;
/// Calls within calls of one CPU; a balancer has two.
const DEEPEST: usize = 16;

/// Addresses whose function is remembered, at most.
const MOST_FUNCTIONS: usize = 4096;

/// Name of the function that an event of the function tracer is about, without `_entry` or `_exit`, and whether it is the entry.
pub fn call_of(event: &str) -> Option<(&str, bool)> {
    match event.strip_suffix("_entry") {
        Some(name) => Some((name, true)),
        None => event.strip_suffix("_exit").map(|name| (name, false)),
    }
}

/// Calls that have started, per CPU.
#[derive(Debug, Default)]
pub struct Calls {
    open: HashMap<i16, Vec<OpenCall>>,
    functions: HashMap<(u16, u64), Option<Box<str>>>,
    /// Exits without entry and entries without exit.
    pub unpaired: u64,
}

#[derive(Debug)]
struct OpenCall {
    event: Box<str>,
    since_ns: i64,
}

impl Calls {
    /// The balancer's function at this address, traced by events of this name; None: it is another function. Without a symbol the
    /// name must say so itself.
    pub fn function(&mut self, class: u16, name: &str, ip: u64, symbols: &Symbols) -> Option<&str> {
        if self.functions.len() > MOST_FUNCTIONS {
            self.functions.clear(); // damaged addresses
        }
        let found = self.functions.entry((class, ip)).or_insert_with(|| {
            let symbol = symbols.name(ip);
            match symbol.split_once('+') {
                Some((symbol, _)) => {
                    // A compiler may have split the function: `load_balance.isra.0`.
                    let plain = symbol.split('.').next().unwrap_or(symbol);
                    ATTEMPT_FUNCTIONS.contains(&plain).then(|| plain.into())
                }
                None => (name == "lb" || name.contains("balance")).then(|| name.into()),
            }
        });
        found.as_deref()
    }

    /// The function of events `event` is entered (or left) on `cpu`. Returns start and duration of a call that ends.
    pub fn step(&mut self, cpu: i16, event: &str, entered: bool, ts_ns: i64) -> Option<(i64, i64)> {
        let open = self.open.entry(cpu).or_default();
        let expired = open.iter().take_while(|call| ts_ns - call.since_ns > LONGEST_NS).count();
        open.drain(..expired);
        self.unpaired += expired as u64;
        let at = open.iter().rposition(|call| *call.event == *event);
        if entered {
            // It does not call itself: the end of the first was lost, and of what it had called.
            let keep = at.unwrap_or(open.len()).min(DEEPEST - 1);
            self.unpaired += (open.len() - keep) as u64;
            open.truncate(keep);
            open.push(OpenCall { event: event.into(), since_ns: ts_ns });
            return None;
        }
        let Some(at) = at else {
            self.unpaired += 1;
            return None;
        };
        self.unpaired += (open.len() - at - 1) as u64;
        let since_ns = open[at].since_ns;
        open.truncate(at);
        Some((since_ns, (ts_ns - since_ns).max(0)))
    }

    /// Events of `cpu` were lost: what is open has no end.
    pub fn lost(&mut self, cpu: i16) {
        let open = self.open.get_mut(&cpu).map(std::mem::take).unwrap_or_default();
        self.unpaired += open.len() as u64;
    }

    /// The earliest start of a call whose end may still come, for a trace that has come to `ts_ns`.
    pub fn settled(&self, ts_ns: i64) -> i64 {
        let starts = self.open.values().flatten().map(|call| call.since_ns);
        starts.filter(|since_ns| ts_ns - since_ns <= LONGEST_NS).min().map_or(ts_ns, |since_ns| since_ns.min(ts_ns))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_within_calls_are_paired_and_lost_ends_cost_only_their_own() {
        let mut calls = Calls::default();
        let mut step = |event: &str, ts_ns| calls.step(0, event.trim_end_matches(')'), !event.ends_with(')'), ts_ns);
        assert_eq!(
            [step("new", 1), step("lb", 2), step("lb)", 5), step("new)", 9)],
            [None, None, Some((2, 3)), Some((1, 8))]
        );
        assert_eq!(
            [step("lb)", 10), step("lb", 11), step("lb", 12), step("lb)", 13)],
            [None, None, None, Some((12, 1))]
        );
        assert_eq!(
            [step("new", 20), step("lb", 21), step("new)", 22), step("lb)", 23)],
            [None, None, Some((20, 2)), None]
        );
        assert_eq!([step("lb", 30), step("lb)", 30 + LONGEST_NS + 1)], [None, None]);
        assert_eq!(calls.unpaired, 6);
        assert_eq!(calls.settled(99), 99);
    }

    #[test]
    fn nothing_piles_up() {
        let mut calls = Calls::default();
        for n in 0..100_000 {
            calls.step(0, &format!("f{}", n % 1000), true, n);
        }
        assert!(calls.open[&0].len() <= DEEPEST);
        calls.lost(0);
        assert_eq!(calls.unpaired, 100_000);
    }

    #[test]
    fn the_balancer_is_known_by_symbol_else_by_name() {
        let symbols = Symbols::parse("1000 t load_balance.isra.0\n2000 t do_exit\n");
        let mut calls = Calls::default();
        assert_eq!(calls.function(0, "x", 0x1005, &symbols), Some("load_balance"));
        assert_eq!(calls.function(1, "lb", 0x2004, &symbols), None);
        assert_eq!(calls.function(2, "lb", 0x1000, &Symbols::default()), Some("lb"));
        assert_eq!(calls.function(3, "do_exit", 0x1000, &Symbols::default()), None);
        assert_eq!(call_of("lb_exit"), Some(("lb", false)));
    }
}
