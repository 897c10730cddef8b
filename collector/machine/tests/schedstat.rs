//! Texts of /proc/schedstat drawn by hand, with exact differences; and damaged ones.

use proptest::prelude::*;
use wastenot_machine::schedstat::{COUNTERS, DomainCounters, arrange, deltas, parse};

/// CPU 0 with two domains and CPU 1 with one; `idle` is idle's lb_count of CPU 0 in its lower domain, `pushed` its alb_pushed.
fn text(version: u32, idle: u64, pushed: u64) -> String {
    let (name, imbalance) = if version == 17 { ("MC ", "40 3 2 1") } else { ("", "46") };
    let of = |count: u64| format!("{count} 7 1 {imbalance} 3 2 5 6");
    let (busy, newly) = (of(10), of(20));
    let types = match version {
        15 => [of(idle), busy, newly],
        _ => [busy, of(idle), newly],
    };
    let types = types.join(" ");
    format!(
        "version {version}\ntimestamp 4295000000\ncpu0 0 0 9 8 7 6 50 60 70\n\
         domain0 {name}00000000,00000003 {types} 2 1 {pushed} 0 0 0 0 0 0 11 12 13\n\
         domain1 {name}ff {types} 0 0 0 0 0 0 0 0 0 0 0 0\ncpu1 0 0 0 0 0 0 0 0 0\n\
         domain0 {name}3 {types} 0 0 0 0 0 0 0 0 0 0 0 0\n"
    )
}

fn of(counters: &[u64; 30], name: &str) -> u64 {
    counters[COUNTERS.iter().position(|c| *c == name).unwrap()]
}

#[test]
fn every_version_says_the_same() {
    let all = [15, 16, 17].map(|version| parse(&text(version, 30, 1)).unwrap());
    let named = |domains: &[DomainCounters]| {
        domains.iter().map(|d| DomainCounters { name: "MC".into(), ..d.clone() }).collect::<Vec<_>>()
    };
    assert_eq!(all[0], all[1]);
    assert_eq!(named(&all[1]), all[2], "and version 17 the name too");
    let first = &all[0][0];
    assert_eq!((first.cpu, first.level, first.span.to_i16s()), (0, 0, vec![0, 1]));
    let names = ["busy_lb_count", "idle_lb_count", "newidle_lb_count", "idle_lb_balanced", "idle_lb_failed"];
    assert_eq!(names.map(|name| of(&first.counters, name)), [10, 30, 20, 7, 1]);
    let names = ["idle_lb_imbalance", "idle_lb_gained", "idle_lb_hot_gained", "idle_lb_nobusyq", "idle_lb_nobusyg"];
    assert_eq!(names.map(|name| of(&first.counters, name)), [46, 3, 2, 5, 6]);
    let names = ["alb_count", "alb_failed", "alb_pushed", "ttwu_wake_remote", "ttwu_move_affine", "ttwu_move_balance"];
    assert_eq!(names.map(|name| of(&first.counters, name)), [2, 1, 1, 11, 12, 13]);
}

#[test]
fn a_difference_is_exact_and_what_counted_nothing_is_left_out() {
    for version in [15, 16, 17] {
        let (before, after) = (parse(&text(version, 30, 1)).unwrap(), parse(&text(version, 34, 3)).unwrap());
        let changed = deltas(&before, &after);
        let at: Vec<_> = changed.iter().map(|d| (d.cpu, d.level, d.restarted)).collect();
        assert_eq!(at, [(0, 0, false), (0, 1, false), (1, 0, false)]);
        assert_eq!(of(&changed[0].counters, "idle_lb_count"), 4);
        assert_eq!(of(&changed[0].counters, "alb_pushed"), 2);
        assert_eq!(changed[0].counters.iter().sum::<u64>(), 6);
        assert_eq!(deltas(&after, &after), []);
    }
}

#[test]
fn a_domain_built_anew_counts_from_there() {
    let (before, after) = (parse(&text(16, 30, 1)).unwrap(), parse(&text(16, 4, 1)).unwrap());
    let changed = deltas(&before, &after);
    assert!(changed.iter().all(|d| d.restarted));
    assert_eq!(of(&changed[0].counters, "idle_lb_count"), 4);
    // CPU 1 went off and is back; a wider span is another domain.
    assert!(deltas(&before[..2], &before).iter().any(|d| (d.cpu, d.restarted) == (1, true)));
    let wider = parse(&text(16, 30, 1).replace("domain0 3", "domain0 f")).unwrap();
    assert_eq!(deltas(&before, &wider).iter().map(|d| (d.cpu, d.restarted)).collect::<Vec<_>>(), [(1, true)]);
}

#[test]
fn a_sum_of_imbalances_that_ran_over_is_not_a_new_domain() {
    let high = text(16, 30, 1).replace(" 46 ", " 4294967290 ");
    let low = text(16, 31, 1).replace(" 46 ", " 4 ");
    let changed = deltas(&parse(&high).unwrap(), &parse(&low).unwrap());
    assert_eq!((changed[0].restarted, of(&changed[0].counters, "idle_lb_imbalance")), (false, 10));
}

#[test]
fn damaged_texts_are_refused_with_their_line() {
    let whole = text(17, 30, 1);
    let said = |text: &str| parse(text).unwrap_err().to_string();
    assert_eq!(said(""), "/proc/schedstat: line 1: no version");
    assert_eq!(said("version 14\n"), "/proc/schedstat: line 1: version 14: 15, 16 and 17 are known");
    assert_eq!(said(&whole.replace("11 12 13", "11 12")), "/proc/schedstat: line 4: too few or too many numbers");
    assert_eq!(said(&whole.replace("11 12 13", "11 12 x")), "/proc/schedstat: line 4: not a number");
    assert_eq!(said(&whole.replace("cpu0 ", "gpu0 ")), "/proc/schedstat: line 4: a domain before the line of its CPU");
    assert_eq!(said(&whole.replace("domain1 MC ff", "domain1 MC zz")), "/proc/schedstat: line 5: not a mask of CPUs");
    assert_eq!(said(&whole.replace("cpu1", "cpux")), "/proc/schedstat: line 6: not a CPU number");
    // A line of another version has another length.
    assert!(parse(&whole.replace("version 17", "version 16")).is_err());
    assert!(arrange(15, &[0; 45]).is_none() && arrange(17, &[0; 36]).is_none());
}

proptest! {
    #[test]
    fn no_text_panics(cut in 0usize..600, at in 0usize..600, byte: u8) {
        let whole = text(17, 30, 1);
        let mut bytes = whole.into_bytes();
        bytes.truncate(cut.min(bytes.len()));
        if let Some(b) = bytes.get_mut(at) {
            *b = byte;
        }
        let _ = parse(&String::from_utf8_lossy(&bytes));
    }
}

/// What guests of the rig had in the file before and after the scenario `released` (fixtures/machines/README.md).
#[test]
fn real_texts_of_every_version_keep_the_laws_of_what_they_count() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/machines/schedstat");
    for (kernel, version) in [("6.1", 15), ("6.12", 16), ("7.2", 17)] {
        let [before, after] = ["before", "after"].map(|when| {
            let text = std::fs::read_to_string(folder.join(format!("released-{kernel}-{when}.txt"))).unwrap();
            assert!(text.starts_with(&format!("version {version}\n")), "{kernel}");
            parse(&text).unwrap()
        });
        let place = |d: &DomainCounters| (d.cpu, d.level, d.name.clone(), d.span.to_string());
        let name = |name: &str| if version == 17 { name.to_owned() } else { String::new() };
        let node = |cpu: u32| if cpu < 4 { "0-3".to_owned() } else { "4-7".to_owned() };
        let expected: Vec<_> =
            (0..8).flat_map(|cpu| [(cpu, 0, name("MC"), node(cpu)), (cpu, 1, name("NUMA"), "0-7".into())]).collect();
        assert_eq!(after.iter().map(place).collect::<Vec<_>>(), expected, "{kernel}");
        let changed = deltas(&before, &after);
        assert!(changed.iter().all(|d| !d.restarted), "{kernel}");
        for counted in [after.iter().map(|d| d.counters).collect(), changed.iter().map(|d| d.counters).collect()] {
            let counted: Vec<[u64; 30]> = counted;
            for counters in &counted {
                for state in ["busy", "idle", "newidle"] {
                    let [attempts, balanced, failed, gained, hot, no_queue, no_group] =
                        ["count", "balanced", "failed", "gained", "hot_gained", "nobusyq", "nobusyg"]
                            .map(|what| of(counters, &format!("{state}_lb_{what}")));
                    assert!(attempts >= balanced + failed, "{kernel} {state}: the others moved a thread");
                    assert!(balanced >= no_queue + no_group, "{kernel} {state}: or it was another CPU's turn");
                    assert!(gained >= hot, "{kernel} {state}");
                }
                assert!(of(counters, "alb_count") >= of(counters, "alb_failed") + of(counters, "alb_pushed"));
            }
            let sum = |name: &str| counted.iter().map(|counters| of(counters, name)).sum::<u64>();
            assert!(sum("idle_lb_count") > sum("busy_lb_count"), "{kernel}: most of its CPUs idle most of the time");
            assert!(
                sum("idle_lb_gained") + sum("newidle_lb_gained") > 0,
                "{kernel}: idle CPUs pulled the threads that were released"
            );
        }
    }
}
