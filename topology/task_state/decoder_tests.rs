use super::*;

const USER: Option<&[u8]> = Some(b"hog");

/// Codes of these numbers, of a thread of a user, on this kernel under this tracer.
fn codes<const N: usize>(states: &mut PrevStateDecoder, raw: [i64; N]) -> [u8; N] {
    raw.map(|raw| states.code(PrevState::Number(raw), 7, USER, false))
}

fn kernel(release: &str) -> PrevStateDecoder {
    PrevStateDecoder::new(Some(release), &Tracer::Kernel, None)
}

fn lttng(release: &str, minor: u32) -> PrevStateDecoder {
    PrevStateDecoder::new(Some(release), &Tracer::Lttng(2, minor), None)
}

#[test]
fn a_raw_state_of_4_4_under_lttng_is_read_as_4_4_wrote_it() {
    let mut states = lttng("4.4.0-21-generic", 8);
    let expected = [code::I, code::R_PREEMPTED, code::D, code::X, code::P, code::R, code::S, code::T, code::T_TRACED];
    assert_eq!(codes(&mut states, [1026, 2048, 130, 64, 512, 0, 1, 132, 136]), expected);
    assert_eq!((states.statements(), states.note()), (vec![], None));
    assert_eq!(codes(&mut states, [4096, 2049, -1]), [code::UNKNOWN; 3]);
    assert_eq!(
        states.note().unwrap(),
        "3 switches have a prev_state that Linux 4.4 under LTTng-modules 2.8 does not write: -1 (1), 2049 (1), 4096 (1)"
    );
}

#[test]
fn preempted_is_one_number_of_each_release_and_every_other_is_not() {
    let maxima = [256, 512, 1024, 2048, 4096];
    let (p, x, w, u, r) = (code::P, code::X, code::W, code::UNKNOWN, code::R_PREEMPTED);
    for (release, expected) in [
        ("3.2.0-4-amd64", [w, r, u, u, u]),
        ("3.10.104", [w, p, r, u, u]),
        ("3.19.0-25-generic", [w, p, r, u, u]),
        ("4.4.0-21-generic", [w, p, code::N, r, u]),
        ("4.13.0-16-generic", [w, p, code::N, u, r]),
        ("5.4.0-26-generic", [r, u, u, u, u]),
        ("6.12.63", [r, u, u, u, u]),
    ] {
        assert_eq!(codes(&mut kernel(release), maxima), expected, "{release}");
    }
    assert_eq!(codes(&mut kernel("3.1.0"), [512, 0]), [u, code::R], "written as running before 3.2");
    assert_eq!(codes(&mut kernel("3.10.104"), [64])[0], x);
}

#[test]
fn what_lttng_writes_on_4_15_follows_its_version_or_the_numbers() {
    let mut new = lttng("4.15.0-20-generic", 12);
    assert_eq!(codes(&mut new, [0x80, 0x40, 0x100, 0x402]), [code::I, code::P, code::R_PREEMPTED, code::UNKNOWN]);
    let mut old = lttng("4.15.0-20-generic", 10);
    assert_eq!(codes(&mut old, [0x402, 0x1000, 0x80, 0x40]), [code::I, code::R_PREEMPTED, code::X, code::P]);
    let mut mended = lttng("4.15.0-20-generic", 10);
    assert_eq!(codes(&mut mended, [0x100, 0x80, 0x402]), [code::R_PREEMPTED, code::I, code::UNKNOWN]);
    // TASK_DEAD before anything shows the version.
    let mut early = lttng("4.15.0-20-generic", 10);
    assert_eq!(early.code(PrevState::Number(0x80), 7, USER, true), code::X);
    assert_eq!(early.code(PrevState::Number(0x80), 7, USER, false), code::I);
}

#[test]
fn kernels_that_report_one_bit_too_high_are_known_by_swapper() {
    for release in ["4.15.0-20-generic", "4.18.0-80.el8.x86_64", "4.19.5"] {
        let mut states = kernel(release);
        assert_eq!(codes(&mut states, [1, 2]), [code::UNKNOWN, code::D], "running or asleep");
        assert!(states.statements()[0].contains("shows at a switch from swapper"), "{:?}", states.statements());
        states.code(PrevState::Number(1), 0, None, false);
        let expected = [code::R, code::S, code::D, code::X, code::Z, code::P, code::R_PREEMPTED];
        assert_eq!(codes(&mut states, [1, 2, 4, 32, 64, 128, 256]), expected, "{release}");
        assert_eq!(states.code(PrevState::Number(256), 9, Some(b"kworker/0:1"), false), code::UNKNOWN);
        assert_eq!(states.statements().len(), 1);
        assert!(states.statements()[0].contains("one bit too high"));
    }
    for first in [(0, 0), (0, 7)] {
        let mut mended = kernel("4.19.90");
        mended.code(PrevState::Number(first.0), first.1, None, false);
        assert_eq!(codes(&mut mended, [1, 2, 16, 128]), [code::S, code::D, code::X, code::I]);
        assert_eq!(mended.statements(), Vec::<String>::new());
    }
}

#[test]
fn letters_of_kernels_that_report_one_bit_too_high_are_moved_back() {
    let mut states = PrevStateDecoder::of_text();
    let mut read = |text: &str, tid| states.code(PrevState::Text(text.as_bytes()), tid, USER, false);
    assert_eq!(read("S", 0), code::R);
    assert_eq!(
        ["S", "D", "T", "Z", "P", "R+"].map(|text| read(text, 7)),
        [code::R, code::S, code::D, code::X, code::Z, code::R_PREEMPTED]
    );
    assert_eq!(states.statements().len(), 1);
}

#[test]
fn the_index_that_4_14_wrote_is_known_by_numbers_that_are_not_bits() {
    let mut states = kernel("4.14.2");
    states.code(PrevState::Number(0), 0, None, false);
    assert_eq!(
        codes(&mut states, [4096, 3, 8, 4, 1, 2]),
        [code::R_PREEMPTED, code::T, code::I, code::T_TRACED, code::S, code::D]
    );
    assert_eq!(codes(&mut kernel("5.4.0"), [4096, 3]), [code::UNKNOWN; 2]);
}

#[test]
fn the_rule_of_thumb_says_that_it_was_used() {
    for mut states in [
        PrevStateDecoder::default(),
        PrevStateDecoder::new(Some("unknown"), &Tracer::Kernel, None),
        kernel("2.6.18-53.el5"),
        kernel("3.10.0-514.el7.x86_64"),
        kernel("3.8.0-19-generic"),
        kernel("7.2.0"),
        PrevStateDecoder::new(Some("4.4.0"), &Tracer::Other("barectf 2.3".into()), None),
        lttng("6.1.0", 99),
    ] {
        let read = codes(&mut states, [0, 1, 2, 1026, 130, 512, 1024, 2048, 4096]);
        assert_eq!(read[..5], [code::R, code::S, code::D, code::I, code::D], "{states:?}");
        assert_eq!(read[5..], [code::R_PREEMPTED; 4], "{states:?}");
        assert_eq!(states.statements().len(), 1, "{states:?}");
        assert!(states.statements()[0].contains("rule of thumb"), "{states:?}");
    }
}

#[test]
fn a_format_that_names_its_bits_decides_where_the_release_does_not() {
    let el7 = StateBits { names: vec![(1, 'S'), (2, 'D'), (64, 'x'), (512, 'P'), (1024, 'N')], preempted: Some(2048) };
    let mut states = PrevStateDecoder::new(Some("3.10.0-514.el7.x86_64"), &Tracer::Kernel, Some(&el7));
    assert_eq!(codes(&mut states, [2048, 1026, 64, 4096]), [code::R_PREEMPTED, code::I, code::X, code::UNKNOWN]);
    assert_eq!(states.statements().len(), 1, "it differs from 3.10");
    let same = StateBits { names: vec![(1, 'S')], preempted: Some(1024) };
    let mut states = PrevStateDecoder::new(Some("3.10.0-514.el7.x86_64"), &Tracer::Kernel, Some(&same));
    assert_eq!((codes(&mut states, [1024])[0], states.statements().len()), (code::R_PREEMPTED, 0));
    let mut states = PrevStateDecoder::new(Some("7.5.0"), &Tracer::Kernel, Some(&reported_bits()));
    assert_eq!((codes(&mut states, [256])[0], states.statements().len()), (code::R_PREEMPTED, 0));
    let more = StateBits { preempted: Some(512), names: [reported_bits().names, vec![(256, 'F')]].concat() };
    let mut states = PrevStateDecoder::new(Some("7.5.0"), &Tracer::Kernel, Some(&more));
    assert_eq!((codes(&mut states, [512])[0], states.statements().len()), (code::R_PREEMPTED, 1));
    let mut states = PrevStateDecoder::new(None, &Tracer::Kernel, Some(&el7));
    assert_eq!((codes(&mut states, [2048])[0], states.statements().len()), (code::R_PREEMPTED, 0));
}

#[test]
fn texts_are_read_as_tools_write_them() {
    for (text, expected) in [
        ("R", code::R),
        ("R+", code::R_PREEMPTED),
        ("S", code::S),
        ("D|T", code::D),
        ("D|K", code::D),
        ("DK", code::D),
        ("D|N", code::I),
        ("T|K", code::T),
        ("0x1", code::S),
        ("x", code::X),
        ("T|W", code::T),
        ("I", code::I),
        ("W", code::W),
        ("", code::UNKNOWN),
        ("?", code::UNKNOWN),
        ("0x", code::UNKNOWN),
    ] {
        let mut states = PrevStateDecoder::of_text();
        assert_eq!(states.code(PrevState::Text(text.as_bytes()), 7, USER, false), expected, "{text:?}");
        assert_eq!(states.statements(), Vec::<String>::new(), "{text:?}");
    }
    let mut states = PrevStateDecoder::of_text();
    let impossible =
        ["X+", "S+", "R|X", "R|D", "RS", "D|X", "Z|X", "I|D", "D|D", "S|q", "R++", "+", "+R", "|", "K+", "D|K+"];
    for text in impossible {
        assert_eq!(states.code(PrevState::Text(text.as_bytes()), 7, USER, false), code::UNKNOWN, "{text:?}");
    }
    let note = states.note().unwrap();
    assert!(note.starts_with(&format!("{} switches have a prev_state", impossible.len())), "{note}");
    let mut states = PrevStateDecoder::of_text();
    assert_eq!(
        ["64", "256"].map(|text| states.code(PrevState::Text(text.as_bytes()), 7, USER, false)),
        [code::P, code::R_PREEMPTED]
    );
    assert_eq!(states.statements().len(), 1, "numbers without a release");
}

/// Whatever the number and the release: a thread that is said to be runnable was written as 0, as what the release calls preempted,
/// or with none of the low eight bits set.
#[test]
fn no_number_with_a_low_bit_is_runnable_but_where_one_bit_is_too_high() {
    for release in ["2.6.32", "3.1", "3.2", "3.8", "3.14", "4.1", "4.7", "4.13", "4.14", "5.15", "6.19", "9.9"] {
        for tracer in [Tracer::Kernel, Tracer::Lttng(2, 5), Tracer::Lttng(2, 13), Tracer::Other("odd".into())] {
            let mut states = PrevStateDecoder::new(Some(release), &tracer, None);
            states.code(PrevState::Number(0), 0, None, false);
            for raw in 1..0x4000i64 {
                let read = states.code(PrevState::Number(raw), 7, USER, false);
                let runnable = matches!(read, code::R | code::R_PREEMPTED);
                assert!(!runnable || raw & 0xff == 0, "{release} {tracer:?} {raw:#x}");
            }
        }
    }
}
