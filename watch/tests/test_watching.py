"""A watch over drawn statuses: what triggers a box, what the exact verdict makes of it, and what is reported."""

from __future__ import annotations

import json
import os
import signal
import stat
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from drawn import MS, ROOT, WASTED_PART, DrawnExact, DrawnSentinel, S, rising
from wastenot.analyzer import open_trace
from wastenot.watch.alarm_command import AlarmCommand
from wastenot.watch.box_folder import BoxFolder
from wastenot.watch.conditions import parse_watch_condition
from wastenot.watch.errors import WatchError
from wastenot.watch.http.client import ask
from wastenot.watch.model.boxes import CONFIRMED, REQUESTED, Box, Trigger
from wastenot.watch.model.status import ExactCounters, Wait
from wastenot.watch.model.view import View
from wastenot.watch.options import WatchOptions
from wastenot.watch.rate_limit import RateLimit
from wastenot.watch.report.message import ALERT, Message
from wastenot.watch.report.systemd import Notifier
from wastenot.watch.run_folder import RunLock
from wastenot.watch.running import run_watch

PINNED_PART = ROOT / "fixtures/traces/rig/pinned-6.12-8.part"
"""A recording without waste: threads are pinned."""


@dataclass
class Shown:
    """A surface that keeps what it is given; `at` is called with each view."""

    messages: list[Message] = field(default_factory=list)
    views: list[View] = field(default_factory=list)
    at: Callable[[View], None] = lambda view: None

    def report(self, message: Message) -> None:
        self.messages.append(message)

    def show(self, view: View) -> None:
        self.views.append(view)
        self.at(view)

    def close(self) -> None:
        self.messages.append(Message("closed"))

    def texts(self, kind: str) -> list[str]:
        return [m.text for m in self.messages if m.kind == kind]


def options(tmp_path: Path, *conditions: str, **changes: object) -> WatchOptions:
    values: dict[str, object] = {
        "out": tmp_path / "boxes",
        "run_dir": tmp_path / "run",
        "conditions": tuple(parse_watch_condition(c, 10 * S) for c in conditions),
        "after_ns": 0,
        "for_ns": 6 * S,
    }
    return WatchOptions(**{**values, **changes})  # type: ignore[arg-type]


def boxes(view: View) -> int:
    return sum(view.counts.boxes.values())


def until(done: Callable[[View], bool]) -> Shown:
    """A surface that ends the watch when a view is as wanted."""
    return Shown(at=lambda view: os.kill(os.getpid(), signal.SIGTERM) if done(view) else None)


def watch(given: WatchOptions, sentinel: DrawnSentinel, shown: Shown, exact: DrawnExact | None = None) -> View:
    run_watch(given, sentinel, exact, shown, Notifier(None))
    assert sentinel.stopped
    return shown.views[-1]


def test_a_condition_that_holds_saves_a_box_which_the_exact_verdict_confirms(tmp_path: Path) -> None:
    sentinel = DrawnSentinel(rising(0.5, 30 * MS))
    shown = until(lambda view: boxes(view) > 0)
    last = watch(options(tmp_path, "lasting>0", after_ns=5, for_ns=30 * S), sentinel, shown)
    assert last.counts.boxes[CONFIRMED] == 1
    (box,) = last.boxes
    assert box.verdict is not None and box.verdict.wasted_ns > 0 and "lasting is" in box.verdict.figure
    assert box.verdict.cause and last.episode_lengths and last.episode_seconds > 0
    path = Path(box.path)
    assert sentinel.saved == [(Path(f"{path}.part"), 5, "lasting>0")]
    with open_trace(path) as trace:
        assert trace.verdict().figures["wasted_ns"] == box.verdict.wasted_ns
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert not Path(f"{path}.part").exists()
    (alert,) = [m for m in shown.messages if m.priority == ALERT]
    assert alert.text.startswith("lasting>0: lasting is") and str(path) in alert.text
    assert alert.fields["WASTENOT_BOX"] == str(path) and alert.fields["WASTENOT_CAUSE"] == box.verdict.cause


def test_a_box_whose_verdict_does_not_satisfy_the_condition_is_deleted_and_no_alarm(tmp_path: Path) -> None:
    ran = tmp_path / "ran"
    sentinel = DrawnSentinel(rising(0.5, 30 * MS), PINNED_PART)
    shown = until(lambda view: boxes(view) > 0)
    given = options(tmp_path, "wasted>2%", alarm=("touch", str(ran)), for_ns=30 * S)
    last = watch(given, sentinel, shown)
    assert last.counts.boxes == {"confirmed": 0, "unconfirmed": 1, "requested": 0, "failed": 0}
    assert sorted(p.name for p in given.out.iterdir()) == ["boxes.json", "watch.lock"]
    assert json.loads((given.out / "boxes.json").read_text())["boxes"] == {}
    assert not ran.exists() and not [m for m in shown.messages if m.priority == ALERT]
    assert shown.texts("box")[0].startswith("unconfirmed: wasted>2% was sampled, not measured")
    assert last.episode_seconds == 0


def test_unconfirmed_boxes_are_kept_when_asked_for(tmp_path: Path) -> None:
    given = options(tmp_path, "wasted>2%", keep_unconfirmed=True, for_ns=30 * S)
    last = watch(given, DrawnSentinel(rising(0.5, 30 * MS), PINNED_PART), until(lambda view: boxes(view) > 0))
    assert last.counts.boxes["unconfirmed"] == 1
    assert len(list(given.out.glob("*.duckdb"))) == 1


@pytest.mark.parametrize(
    ("text", "outcome"), [("wasted>1% for 500ms", "confirmed"), ("wasted>90% for 5s", "unconfirmed")]
)
def test_a_condition_with_a_time_is_checked_step_by_step_in_the_box(tmp_path: Path, text: str, outcome: str) -> None:
    given = options(tmp_path, text, for_ns=40 * S)
    last = watch(given, DrawnSentinel(rising(2.0, 30 * MS)), until(lambda view: boxes(view) > 0))
    assert last.counts.boxes[outcome] == 1, last.boxes


def test_the_alarm_command_finds_the_box_and_the_reason(tmp_path: Path) -> None:
    found = tmp_path / "env"
    given = options(tmp_path, "lasting>0", alarm=("sh", "-c", f"env > {found}; false"), for_ns=30 * S)
    shown = until(lambda view: view.counts.commands["failed"] > 0)
    last = watch(given, DrawnSentinel(rising(0.5, 30 * MS)), shown)
    env = dict(line.split("=", 1) for line in found.read_text().splitlines() if "=" in line)
    box = last.boxes[0]
    assert box.verdict is not None
    assert (env["WASTENOT_BOX"], env["WASTENOT_REASON"]) == (box.path, "lasting>0")
    assert env["WASTENOT_CAUSE"] == box.verdict.cause
    assert float(env["WASTENOT_WASTED_CORE_S"]) == pytest.approx(box.verdict.wasted_ns / 1e9)
    assert any("sh: ended with status 1" in m.text for m in shown.messages), "a failing command is reported"


def test_a_hanging_command_and_its_children_are_ended(tmp_path: Path) -> None:
    ended: list[str | None] = []
    pid_file = tmp_path / "pid"
    command = AlarmCommand(
        ["sh", "-c", f"sleep 100 & echo $! > {pid_file}; wait"], lambda _, why: ended.append(why), 0.5
    )
    command.run(Box("x", Trigger("", "", 0), CONFIRMED, ""))
    deadline = time.monotonic() + 10
    while not ended and time.monotonic() < deadline:
        time.sleep(0.05)
    assert ended == ["did not end within 0.5 s and was killed"]
    state = Path(f"/proc/{int(pid_file.read_text())}/stat")
    assert not state.exists() or state.read_text().split()[2] == "Z"


def test_a_command_that_does_not_exist_is_reported() -> None:
    ended: list[str | None] = []
    AlarmCommand(["/nonexistent"], lambda _, why: ended.append(why))._run(Box("x", Trigger("", "", 0), CONFIRMED, ""))
    assert ended == ["cannot be started (No such file or directory)"]


def test_triggers_beyond_the_rate_are_counted_and_reported(tmp_path: Path) -> None:
    given = options(tmp_path, "wasted>=100ms", rate_limit=RateLimit.parse("1/h"), for_ns=60 * S)
    shown = until(lambda view: view.counts.suppressed["rate_limit"] >= 2)
    last = watch(given, DrawnSentinel(rising(2.0, 30 * MS)), shown)
    assert boxes(last) <= 1 and last.counts.suppressed["rate_limit"] >= 2
    assert last.counts.triggers == 1 + sum(last.counts.suppressed.values())
    assert "no box for wasted>=100ms: more than 1 in 3600 s" in shown.texts("suppressed")[-1]


def test_a_request_is_not_refused_for_what_conditions_used_up(tmp_path: Path) -> None:
    given = options(tmp_path, "wasted>=100ms", rate_limit=RateLimit.parse("1/h"), for_ns=60 * S)

    def at(view: View) -> None:
        if view.counts.suppressed["rate_limit"] and not view.saving:
            os.kill(os.getpid(), signal.SIGUSR1)
        if view.counts.boxes[REQUESTED]:
            os.kill(os.getpid(), signal.SIGTERM)

    last = watch(given, DrawnSentinel(rising(2.0, 30 * MS)), Shown(at=at))
    assert last.counts.boxes[REQUESTED] == 1


def test_while_a_box_is_saved_triggers_are_suppressed_as_busy(tmp_path: Path) -> None:
    hold = threading.Event()
    given = options(tmp_path, "wasted>=100ms", rate_limit=RateLimit.parse("100/min"), for_ns=60 * S)

    def at(view: View) -> None:
        if view.counts.suppressed["busy"]:
            hold.set()
        if boxes(view):
            os.kill(os.getpid(), signal.SIGTERM)

    shown = Shown(at=at)
    last = watch(given, DrawnSentinel(rising(2.0, 30 * MS), hold=hold), shown)
    assert last.counts.suppressed["busy"] >= 1
    assert any(view.saving for view in shown.views)


@pytest.mark.parametrize(
    ("fails", "says"), [("disk", "No space left on device"), ("the rings are gone", "the rings are gone")]
)
def test_a_box_that_cannot_be_saved_is_counted_and_the_watch_goes_on(tmp_path: Path, fails: str, says: str) -> None:
    given = options(tmp_path, "lasting>0", for_ns=60 * S)
    shown = until(lambda view: boxes(view) > 0 and len(shown.views) > 12)
    last = watch(given, DrawnSentinel(rising(0.5, 30 * MS), fails=fails), shown)
    assert last.counts.boxes["failed"] == 1
    assert says in shown.texts("box")[0] and "\n" not in shown.texts("box")[0]
    assert json.loads((given.out / "boxes.json").read_text())["boxes"] == {}
    assert shown.views.index(last) > 8, "it went on"


def test_a_full_disk_suppresses_triggers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(BoxFolder, "free_bytes", lambda self: 1000)
    shown = until(lambda view: view.counts.suppressed["disk"] > 0)
    last = watch(options(tmp_path, "lasting>0", for_ns=60 * S), DrawnSentinel(rising(0.5, 30 * MS)), shown)
    assert last.counts.suppressed["disk"] == 1 and boxes(last) == 0
    assert "less than 256 MB are left" in shown.texts("suppressed")[0]


def test_a_signal_a_program_and_the_end_of_a_process_ask_for_boxes(tmp_path: Path) -> None:
    """Each is `requested`: without a condition there is nothing to confirm, and no alarm."""
    child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(1)"])
    replies: list[object] = []
    given = options(tmp_path, exit_of=(child.pid,), rate_limit=RateLimit.parse("9/min"), for_ns=60 * S)

    def at(view: View) -> None:
        asked = len(shown.asked)
        if asked == 0 and boxes(view) == 1:
            shown.asked.append("signal")
            os.kill(os.getpid(), signal.SIGUSR1)
        elif asked == 1 and boxes(view) == 2:
            shown.asked.append("program")
            run = given.run_dir
            threading.Thread(target=lambda: replies.append(ask(run, "POST", "/trigger", "my test\n"))).start()
        elif boxes(view) == 3:
            os.kill(os.getpid(), signal.SIGTERM)

    @dataclass
    class Asking(Shown):
        asked: list[str] = field(default_factory=list)

    shown = Asking(at=at)
    last = watch(given, DrawnSentinel(rising(0.0, 0)), shown)
    child.wait()
    assert last.counts.boxes["requested"] == 3
    assert [b.trigger.reason for b in last.boxes] == [
        f"exit of process {child.pid}",
        "signal SIGUSR1",
        "trigger (my test)",
    ]
    (reply,) = replies
    assert isinstance(reply, dict) and reply["saving"] and reply["box"] == last.boxes[2].path
    assert not [m for m in shown.messages if m.priority == ALERT]


def test_exact_figures_decide_in_exact_mode(tmp_path: Path) -> None:
    waits = (Wait("/a", "neighbour", 5), Wait("/b", "own_quota", 7))

    def at(ns: int) -> ExactCounters:
        return ExactCounters(
            ns, 2 * ns, ns // 2, ns // 2, ns, 0, {("wakeup", 0): ns // 2}, {"affinity": ns // 2}, {}, waits
        )

    given = options(tmp_path, "wasted>1%", exact=True, for_ns=30 * S)
    sampled_says_no = DrawnSentinel(rising(0.0, 0))
    last = watch(given, sampled_says_no, until(lambda view: boxes(view) > 0), DrawnExact(at))
    assert last.exact is not None and last.exact.wasted_ns > 0
    sums = {wait.cgroup: wait.ns for wait in last.waits}
    exchanged = sums["/a"] // 5  # each exchange adds them; a slow machine exchanges more than once
    assert exchanged >= 1 and sums == {"/a": 5 * exchanged, "/b": 7 * exchanged}
    assert last.facts.mode == "exact" and last.counts.boxes["confirmed"] == 1
    json.dumps(last.to_json())


def test_a_second_watch_is_refused(tmp_path: Path) -> None:
    given = options(tmp_path)
    lock = RunLock.take(given.run_dir)
    with pytest.raises(WatchError, match=rf"a watch runs already \(PID {os.getpid()}") as refused:
        watch(given, DrawnSentinel(), Shown())
    assert "\n" not in str(refused.value)
    lock.release()
    watch(options(tmp_path, for_ns=S), DrawnSentinel(), Shown())
    assert not (given.run_dir / "watch.sock").exists()


def test_hup_reports_totals_and_looks_at_the_folder_anew(tmp_path: Path) -> None:
    given = options(tmp_path, for_ns=3 * S, most_bytes=1000)
    once: list[int] = []

    def at(view: View) -> None:
        if len(shown.views) == 4 and not once:
            once.append(1)
            folder = BoxFolder.open(given.out, 1000)
            assert folder.bytes() == 0
            os.kill(os.getpid(), signal.SIGHUP)

    shown = Shown(at=at)
    watch(given, DrawnSentinel(rising(0.0, 0)), shown)
    assert any(m.text.startswith("since the start: 0 % wasted (sampled)") for m in shown.messages)


def test_all_that_killed_watches_left_is_checked_by_the_next(tmp_path: Path) -> None:
    import shutil

    given = options(tmp_path, for_ns=60 * S)
    folder = BoxFolder.open(given.out, 10**9)
    targets = []
    for day in range(6):
        target = folder.new_target(Trigger("lasting>0", "lasting-gt-0", 0), 86_400.0 * day)
        folder.add(target, Trigger("lasting>0", "lasting-gt-0", 0))
        shutil.copytree(WASTED_PART, f"{target}.part")
        targets.append(target)
    shown = until(lambda view: boxes(view) == len(targets))
    last = watch(given, DrawnSentinel(), shown)
    assert {box.outcome for box in last.boxes} == {"requested"} and all(target.exists() for target in targets)
    assert sum("left by an earlier watch" in m.text for m in shown.messages) == len(targets)


def test_a_box_that_is_checked_by_the_next_watch_keeps_its_condition(tmp_path: Path) -> None:
    import shutil

    given = options(tmp_path, for_ns=60 * S)
    folder = BoxFolder.open(given.out, 10**9)
    trigger = Trigger("lasting>0", "lasting-gt-0", 0, "lasting>0")
    target = folder.new_target(trigger, 0.0)
    folder.add(target, trigger)
    shutil.copytree(WASTED_PART, f"{target}.part")
    last = watch(given, DrawnSentinel(), until(lambda view: boxes(view) == 1))
    assert [(box.outcome, box.trigger.condition) for box in last.boxes] == [("confirmed", "lasting>0")]


def test_a_box_that_had_no_event_when_the_watch_was_killed_is_removed(tmp_path: Path) -> None:
    import shutil

    given = options(tmp_path, for_ns=60 * S)
    folder = BoxFolder.open(given.out, 10**9)
    target = folder.new_target(Trigger("lasting>0", "lasting-gt-0", 0), 0.0)
    folder.add(target, Trigger("lasting>0", "lasting-gt-0", 0))
    shutil.copytree(WASTED_PART, f"{target}.part")
    for segment in Path(f"{target}.part/segments").iterdir():
        os.truncate(segment, 0)
    shown = until(lambda view: boxes(view) == 1)
    last = watch(given, DrawnSentinel(), shown)
    assert [(box.outcome, box.kept) for box in last.boxes] == [("failed", False)]
    assert any("before it had written any event" in m.text for m in shown.messages)
    assert not list(given.out.glob("*.part")) and not list(BoxFolder.open(given.out, 10**9).unfinished())


def test_the_wall_clock_is_used_for_names_only(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A clock that is set back by a day while the watch runs changes neither what fires nor the limit of the rate."""
    now, start = time.time, time.monotonic()
    monkeypatch.setattr(time, "time", lambda: now() - (86_400 if time.monotonic() - start > 1 else 0))
    given = options(tmp_path, "wasted>=100ms", rate_limit=RateLimit.parse("1/h"), for_ns=60 * S)
    shown = until(lambda view: len(shown.views) > 12 and view.counts.suppressed["rate_limit"] > 2)
    last = watch(given, DrawnSentinel(rising(2.0, 30 * MS)), shown)
    assert last.counts.triggers == 1 + sum(last.counts.suppressed.values()) and boxes(last) <= 1
    assert last.counts.suppressed["rate_limit"] > 2
    times = [view.time_ns for view in shown.views]
    assert len(times) > 8 and times == sorted(times)
