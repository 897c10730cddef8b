//! A live session through lttng-relayd on loopback. The kernel cannot be traced where this was written; a program in user space stands in:
//! its events are not read, and are counted.

use crate::imported::import_opened;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use wastenot_import::Options;

const EVENTS: u64 = 100;
const PROGRAM: &str = "#include <lttng/tracef.h>\n#include <unistd.h>\n\
    int main(void) { sleep(1); for (int i = 0; i < 100; i++) { tracef(\"%d\", i); usleep(5000); } return 0; }\n";

/// A daemon that ends with the test.
struct Daemon(Child);

impl Daemon {
    fn start(command: &mut Command) -> std::io::Result<Self> {
        command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().map(Self)
    }
}

impl Drop for Daemon {
    fn drop(&mut self) {
        let _ = Command::new("kill").arg(self.0.id().to_string()).status();
        let _ = self.0.wait();
    }
}

fn lttng(home: &Path, arguments: &[&str]) -> bool {
    let run = Command::new("lttng").env("LTTNG_HOME", home).args(arguments).output();
    run.is_ok_and(|output| output.status.success())
}

/// The session that is needed, or why there is none.
fn session(home: &Path, name: &str, ports: [u16; 3]) -> Result<(Vec<Daemon>, std::path::PathBuf), String> {
    let program = home.join("program");
    let source = home.join("program.c");
    std::fs::write(&source, PROGRAM).unwrap();
    let built = Command::new("cc").arg(&source).arg("-o").arg(&program).args(["-llttng-ust", "-ldl"]).output();
    if !built.is_ok_and(|output| output.status.success()) {
        return Err("no C compiler or no liblttng-ust-dev".into());
    }
    let [control, data, live] = ports.map(|port| format!("tcp://127.0.0.1:{port}"));
    let mut relayd = Command::new("lttng-relayd");
    relayd.args(["-C", &control, "-D", &data, "-L", &live, "-o"]).arg(home.join("relayd"));
    let mut daemons = vec![Daemon::start(&mut relayd).map_err(|error| format!("lttng-relayd: {error}"))?];
    if !lttng(home, &["list"]) {
        let mut sessiond = Command::new("lttng-sessiond");
        let sessiond = Daemon::start(sessiond.env("LTTNG_HOME", home).arg("--no-kernel"));
        daemons.push(sessiond.map_err(|error| format!("lttng-sessiond: {error}"))?);
        let begun = Instant::now();
        while !lttng(home, &["list"]) {
            if begun.elapsed() > Duration::from_secs(20) {
                return Err("lttng-sessiond does not answer".into());
            }
            std::thread::sleep(Duration::from_millis(200));
        }
    }
    let made = lttng(home, &["create", name, "--live=100000", "-C", &control, "-D", &data])
        && lttng(home, &["enable-event", "-s", name, "-u", "lttng_ust_tracef:*"])
        && lttng(home, &["start", name]);
    if made { Ok((daemons, program)) } else { Err("lttng cannot make a live session".into()) }
}

#[test]
fn a_live_session_is_followed_to_its_end() {
    if Command::new("lttng").arg("--version").output().is_err() {
        return wastenot_skips::skip("no lttng-tools");
    }
    let home = tempfile::tempdir().unwrap();
    let name = format!("wastenot-{}", std::process::id());
    let first = 20_000 + (std::process::id() % 10_000) as u16 * 4;
    let (daemons, program) = match session(home.path(), &name, [first, first + 1, first + 2]) {
        Ok(session) => session,
        Err(why) => return wastenot_skips::skip(why),
    };
    let mut running = Command::new(&program).env("LTTNG_HOME", home.path()).spawn().unwrap();
    std::thread::sleep(Duration::from_millis(500));
    let host = std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap();
    let url = format!("net://127.0.0.1:{}/host/{}/{name}", first + 2, host.trim());
    let opened = wastenot_ctf::open_live(&url, &Options::default()).unwrap();
    assert_eq!((opened.about.source, opened.about.kernel.as_deref()), ("ctf", None));

    let (path, session) = (home.path().to_owned(), name.clone());
    let ending = std::thread::spawn(move || {
        running.wait().unwrap();
        std::thread::sleep(Duration::from_millis(500));
        assert!(lttng(&path, &["stop", &session]) && lttng(&path, &["destroy", &session]));
    });
    let imported = import_opened(opened, &Options::default()).unwrap();
    ending.join().unwrap();
    assert_eq!((imported.summary.events, imported.summary.counts.ignored), (0, EVENTS));
    assert!(imported.summary.complete);
    drop(daemons);
}

#[test]
fn a_session_that_is_not_there_is_refused_in_one_line() {
    let error = wastenot_ctf::open_live("net://127.0.0.1:1/host/absent/none", &Options::default());
    let error = error.map(|_| ()).expect_err("no daemon listens there").to_string();
    assert!(!error.contains('\n') && error.starts_with("net://"), "{error}");
}
