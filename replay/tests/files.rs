//! Workloads as text files, and bad ones.

mod common;

use common::{machine, simulate, verdict};
use wastenot_replay::{FaultSet, Kernel, NullSink, Release, Settings, Simulation, Workload};

/// The text between the fences of the README's workload.
fn readme_workload() -> String {
    let readme = include_str!("../README.md");
    let start = readme.find("```toml\n").expect("a workload in the README") + 8;
    let end = readme[start..].find("```").expect("its end");
    readme[start..start + end].to_owned()
}

#[test]
fn the_workload_of_the_readme_runs() {
    let w: Workload = toml::from_str(&readme_workload()).unwrap_or_else(|e| panic!("{e}"));
    let kernel = Kernel::new(Release::Eevdf, FaultSet::shipped(Release::Eevdf));
    let (trace, outcome) = simulate(&machine(1, 1, 4, 1), &w, kernel, &Settings::default());
    assert!(outcome.finished);
    assert_eq!(outcome.marks["item"].0, 1000);
    assert_eq!(verdict(&trace).data_quality_of("contradiction"), 0);
}

#[test]
fn a_workload_is_the_same_after_it_was_written_and_read() {
    let w: Workload = toml::from_str(&readme_workload()).unwrap();
    let text = serde_json::to_string(&w).unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(serde_json::from_str::<Workload>(&text).unwrap_or_else(|e| panic!("{e}\n{text}")), w);
}

#[test]
fn bad_workloads_are_refused_in_one_line() {
    let refused = |text: &str| {
        let w: Workload = match toml::from_str(text) {
            Ok(w) => w,
            Err(e) => return e.to_string(),
        };
        let kernel = Kernel::new(Release::Eevdf, FaultSet::none());
        let mut sink = NullSink;
        let made = Simulation::new(&machine(1, 1, 2, 1), &w, kernel, &Settings::default(), &mut sink);
        let error = made.err().unwrap_or_else(|| panic!("accepted: {text}")).to_string();
        assert!(!error.contains('\n'), "{error}");
        error
    };
    let thread = "threads = [{ program = \"p\" }]\n";
    let cases = [
        ("programs.p = [{ lock = \"m\" }]", "\"m\" is not a lock"),
        ("programs.p = [{ fork = { program = \"q\" } }]", "\"q\" is not a program"),
        ("programs.p = [{ repeat = { body = [{ mark = \"x\" }] } }]", "takes no time"),
        ("programs.p = [{ repeat = { body = [{ run = \"0ns\" }] } }]", "takes no time"),
        ("programs.p = [{ affinity = \"9\" }]", "has none of these"),
        ("programs.q = []", "\"p\" is not a program"),
        ("objects.b = { barrier = { parties = 0 } }\nprograms.p = []", "must serve at least one"),
        (
            "objects.o = { pipe = { capacity = 1 } }\nprograms.p = [{ write = { pipe = \"o\", items = 2 } }]",
            "never hold",
        ),
        ("programs.p = [{ run = \"2 parsecs\" }]", "not a time"),
        ("programs.p = [{ run = \"99999999999999999s\" }]", "century"),
        (
            "limit = \"1s\"\nprograms.p = []\nhappenings = [{ at = \"2s\", what = { offline = \"1\" } }]",
            "a happening at 2 s is later than the limit, 1 s",
        ),
        ("programs.p = []\nobjects.d = { device = { parallel = 0 } }", "must serve at least one"),
    ];
    for (text, why) in cases {
        let error = refused(&format!("{thread}{text}"));
        assert!(error.contains(why), "{text}: {error}");
    }
}

#[test]
fn hostile_sizes_end() {
    let run = |text: &str| {
        let w: Workload = toml::from_str(text).unwrap_or_else(|e| panic!("{e}"));
        let mut sink = NullSink;
        let kernel = Kernel::new(Release::Eevdf, FaultSet::none());
        Simulation::new(&machine(1, 1, 2, 1), &w, kernel, &Settings::default(), &mut sink).and_then(Simulation::run)
    };
    let error = run("programs.p = []\nthreads = [{ program = \"p\", count = 4000000000 }]").unwrap_err();
    assert_eq!(error.to_string(), "too many threads");
    // The longest burst, a loop that does nothing, and a fork bomb come to the limit.
    for program in [
        "[{ run = \"1000000000s\" }]",
        "[{ repeat = { times = 1000000000000000, body = [{ mark = \"m\" }] } }]",
        "[{ repeat = { body = [{ fork = { program = \"p\" } }] } }]",
        "[{ repeat = { body = [{ sleep = \"0ns\" }] } }]",
    ] {
        let text = format!("limit = \"20ms\"\nprograms.p = {program}\nthreads = [{{ program = \"p\" }}]");
        let outcome = run(&text).unwrap_or_else(|e| panic!("{program}: {e}"));
        assert!(!outcome.finished && outcome.end_ns == 20_000_000, "{program}");
    }
}
