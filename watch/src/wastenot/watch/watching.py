"""A running watch: the loop that reads the sentinel, decides when to save a box, and reports what became of it.

One thread decides; everything that may wait is elsewhere: boxes (`box_saver.py`), the alarm command, HTTP. They hand
their results to the loop's inbox, and read the latest view, a value that does not change.
"""

from __future__ import annotations

import os
import resource
import signal
import threading
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path

from wastenot._native import version
from wastenot.analyzer.errors import AnalyzerError
from wastenot.analyzer.store.opening import part_folder
from wastenot.watch.alarm_command import AlarmCommand
from wastenot.watch.box_folder import BoxFolder
from wastenot.watch.box_saver import BoxSaver
from wastenot.watch.errors import WatchError
from wastenot.watch.history import History
from wastenot.watch.http.server import Reply
from wastenot.watch.inbox import Inbox
from wastenot.watch.metrics.families import ViewCollector, bucket_of
from wastenot.watch.model.boxes import CONFIRMED, FAILED, UNCONFIRMED, Box, Counts, Trigger
from wastenot.watch.model.readings import Reading, exact_reading, next_sampled
from wastenot.watch.model.status import ExactCounters, Status, Wait
from wastenot.watch.model.view import Facts, View
from wastenot.watch.model.wait_series import WaitSeries
from wastenot.watch.native import Exact, Sentinel, Started
from wastenot.watch.options import WatchOptions
from wastenot.watch.report.message import INFO, NOTICE, WARNING, Message, box_message, status_line
from wastenot.watch.report.surface import Surface
from wastenot.watch.report.systemd import Notifier

TICK_NS = 500_000_000
"""How often conditions are evaluated, or four times in what is kept. The black box has the time before, so that it need
not be at once."""

EXACT_EVERY_NS = 1_000_000_000
"""How often the exact counters, which are many, are read for the metrics."""

SUPPRESSED_EVERY_NS = 60_000_000_000
"""How often suppressed triggers are reported at most, for each reason; all are counted."""

LEAST_FREE = 256 * 10**6
"""Bytes that the file system of the boxes must have left for another box."""

RECENT = 20
"""Boxes that a view lists."""

STOP_S = 20.0
"""How long the end of a watch waits for a box that is being saved, beyond `after`."""

END_SIGNALS = (signal.SIGTERM, signal.SIGINT)


@dataclass
class _Request:
    """A trigger from another thread, which waits for the reply."""

    reason: str
    slug: str
    answered: threading.Event = field(default_factory=threading.Event)
    reply: Reply = field(default_factory=lambda: Reply(False, "the watch ends"))


@dataclass(frozen=True)
class _AlarmEnd:
    box: Box
    error: str | None


class Watching:
    """One watch, from the first status to the last."""

    def __init__(
        self,
        options: WatchOptions,
        sentinel: Sentinel,
        exact: Exact | None,
        boxes: BoxFolder,
        facts: Facts,
        started: Started,
        surface: Surface,
        notifier: Notifier,
    ) -> None:
        self._options, self._sentinel, self._exact = options, sentinel, exact
        self._boxes, self._facts, self._native = boxes, facts, started
        self._surface, self._notifier = surface, notifier
        self._inbox = Inbox()
        self._saver = BoxSaver(sentinel, options.keep_ns, options.after_ns, self._inbox.put)
        self._alarm = AlarmCommand(list(options.alarm), lambda box, why: self._inbox.put(_AlarmEnd(box, why)))
        # Apart, so that conditions do not use up what a person may ask for.
        self._condition_limit, self._request_limit = replace(options.rate_limit), replace(options.rate_limit)
        self._history = History(options.keep_ns, options.after_ns)
        self._counts = Counts()
        self._recent: deque[Box] = deque(maxlen=RECENT)
        self._unfinished: deque[str] = deque()
        self._series = WaitSeries(options.series)
        self._lengths: dict[float, int] = {}
        self._length_s = 0.0
        self._boxes_bytes = boxes.bytes()
        self._started_ns = now = time.monotonic_ns()
        self._status = Status(now)
        self._reading = Reading(now)
        self._counters = None if exact is None else ExactCounters(now)
        self._exact_read_ns = 0
        self._waits: tuple[Wait, ...] = ()
        self.collector = ViewCollector(View(facts, now, now, self._status, self._counters))
        self._ending: str | None = None
        self._notified: View | None = None
        self._reported_ns: dict[str, int] = {}
        self._rotations: list[Callable[[], None]] = []
        self._exits = {_open_process(pid): pid for pid in options.exit_of}

    # ---- for other threads

    def view(self) -> View:
        """The latest view."""
        return self.collector.view

    def trigger(self, reason: str) -> Reply:
        """Ask for a box, for a person or a program; waits for the loop's decision."""
        request = _Request(f"trigger ({reason})" if reason else "trigger", "trigger")
        self._inbox.put(request)
        request.answered.wait(5)
        return request.reply

    def on_rotate(self, act: Callable[[], None]) -> None:
        """Have `act` called at each SIGHUP; what it raises is reported."""
        self._rotations.append(act)

    # ---- the loop

    def run(self) -> str:
        """Watch until a signal or the time ends it; returns why. Raises WastenotError where the native side fails."""
        self._status = self._sentinel.status()
        self._started_ns = self._status.time_ns
        self._reading = Reading(self._started_ns)
        self._history.add(self._reading)
        self._saver.start()
        self._find_unfinished()
        self._check_unfinished()
        with self._inbox.signals(*END_SIGNALS, signal.SIGHUP, signal.SIGUSR1):
            self._publish()
            self._notifier.ready(f"watching, {self._facts.mode}")
            try:
                self._loop()
            finally:
                self._notifier.stopping()
                self._finish()
        return self._ending or "the time is over"

    def _loop(self) -> None:
        start = time.monotonic_ns()
        tick_ns = min(TICK_NS, self._options.keep_ns // 4)
        next_ns = start + tick_ns
        while self._ending is None:
            now = time.monotonic_ns()
            if now >= next_ns:
                self._tick()
                next_ns = max(next_ns + tick_ns, now)
                if self._options.for_ns is not None and now - start >= self._options.for_ns:
                    return
            wait_s = (next_ns - time.monotonic_ns()) / 1e9
            for exited in self._inbox.wait(wait_s, list(self._exits)):
                self._on_exit(exited)
            if items := list(self._inbox.take()):
                for item in items:
                    self._handle(item)
                self._publish()

    def _tick(self) -> None:
        was, self._status = self._status, self._sentinel.status()
        if self._exact is None:
            bounds_ns, hit_ns = self._native.bounds_ns, self._native.hit_ns
            self._reading = next_sampled(self._reading, was, self._status, bounds_ns, hit_ns)
        elif self._status.time_ns - self._exact_read_ns >= EXACT_EVERY_NS:
            self._exact_read_ns = self._status.time_ns
            self._counters = self._exact.counters()
            self._reading = exact_reading(self._counters)
            self._add_lengths(self._counters.ended_ns)
            self._waits = self._series.update(self._exact_read_ns, self._counters.new_waits)
        self._history.add(self._reading)
        for condition in self._history.fired(self._options.conditions):
            self._save(Trigger(condition.text, condition.slug, self._status.time_ns, condition.text))
        self._check_unfinished()
        self._publish()

    def _publish(self) -> None:
        children = resource.getrusage(resource.RUSAGE_CHILDREN)
        view = View(
            facts=self._facts,
            time_ns=self._status.time_ns,
            started_ns=self._started_ns,
            status=self._status,
            exact=self._counters,
            counts=self._counts.copy(),
            boxes=tuple(self._recent),
            boxes_bytes=self._boxes_bytes,
            saving=self._saver.saving,
            cpu_ns=time.process_time_ns(),
            children_ns=round((children.ru_utime + children.ru_stime) * 1e9),
            episode_lengths=dict(self._lengths),
            episode_seconds=self._length_s,
            waits=self._waits,
        )
        self.collector.view = view
        self._surface.show(view)
        if self._notified is None or view.time_ns - self._notified.time_ns >= self._notifier.every_s * 1e9:
            self._notifier.alive(status_line(view, self._notified))
            self._notified = view

    def _handle(self, item: object) -> None:
        match item:
            case Box():
                self._on_box(item)
            case _AlarmEnd():
                self._on_alarm(item)
            case _Request():
                item.reply = self._save(Trigger(item.reason, item.slug, time.monotonic_ns()))
                item.answered.set()
            case signal.SIGUSR1:
                self._save(Trigger("signal SIGUSR1", "signal", time.monotonic_ns()))
            case signal.SIGHUP:
                self._rotate()
            case signal.Signals():
                self._ending = f"ended by {item.name}"

    # ---- boxes

    def _save(self, trigger: Trigger) -> Reply:
        """Have a box saved, or count the trigger as suppressed."""
        self._counts.triggers += 1
        if self._saver.is_busy:
            return self._suppress(trigger, "busy", "a box is being saved")
        limit = self._condition_limit if trigger.condition else self._request_limit
        if not limit.take(time.monotonic_ns()):
            return self._suppress(trigger, "rate_limit", f"more than {limit.most} in {limit.per_ns / 1e9:g} s")
        try:
            if self._boxes.free_bytes() < LEAST_FREE:
                text = f"less than {LEAST_FREE // 10**6} MB are left on the disk of {self._boxes.path}"
                return self._suppress(trigger, "disk", text)
            target = self._boxes.new_target(trigger)
            self._boxes.add(target, trigger)
        except OSError as e:
            return self._suppress(trigger, "disk", f"{self._boxes.path}: {e.strerror}")
        except WatchError as e:
            return self._suppress(trigger, "disk", str(e))
        self._saver.save(target, trigger)
        return Reply(True, f"saving {target}", str(target))

    def _suppress(self, trigger: Trigger, why: str, text: str) -> Reply:
        self._counts.suppressed[why] += 1
        priority = WARNING if why == "disk" else INFO
        total = sum(self._counts.suppressed.values())
        fields = {"WASTENOT_REASON": trigger.reason, "WASTENOT_SUPPRESSED": why}
        now = time.monotonic_ns()
        if now - self._reported_ns.get(why, -SUPPRESSED_EVERY_NS) < SUPPRESSED_EVERY_NS:
            return Reply(False, text)
        self._reported_ns[why] = now
        self._report(
            Message(f"no box for {trigger.reason}: {text} ({total} suppressed)", priority, fields, "suppressed")
        )
        return Reply(False, text)

    def _on_box(self, box: Box) -> None:
        """Count, report and list what became of a box; run the alarm command for a confirmed one."""
        dropped = box.outcome == UNCONFIRMED and not self._options.keep_unconfirmed
        name = Path(box.path).name
        if dropped or (box.outcome == FAILED and not part_folder(Path(box.path)).is_dir()):
            box = replace(box, kept=False)
        self._counts.boxes[box.outcome] += 1
        try:
            if not box.kept:
                self._boxes.delete(name)
            self._boxes.finish(box)
            deleted = self._boxes.prune(keep=name)
        except OSError as e:
            self._report(Message(f"{self._boxes.path}: {e.strerror}; the list of boxes is not up to date", WARNING))
            deleted = []
        self._counts.deleted += len(deleted)
        self._boxes_bytes = self._boxes.bytes()
        self._recent.append(box)
        self._report(box_message(box, not dropped))
        for old in deleted:
            self._report(Message(f"deleted {self._boxes.path / old}: the boxes take more than --max-disk", NOTICE))
        if box.outcome == CONFIRMED and box.verdict is not None:
            if self._exact is None:
                self._add_lengths(box.verdict.episodes_ns)
            if self._alarm.words:
                self._alarm.run(box)

    def _add_lengths(self, lengths_ns: tuple[int, ...]) -> None:
        for length in lengths_ns:
            bound = bucket_of(length / 1e9)
            self._lengths[bound] = self._lengths.get(bound, 0) + 1
            self._length_s += length / 1e9

    def _on_alarm(self, end: _AlarmEnd) -> None:
        self._counts.commands["failed" if end.error else "done"] += 1
        if end.error:
            self._report(Message(f"--exec for {end.box.path}: {self._alarm.words[0]}: {end.error}", WARNING))

    def _find_unfinished(self) -> None:
        """Report what a killed watch left in the folder, to check it as time permits."""
        self._unfinished.extend(self._boxes.unfinished())
        for name in self._unfinished:
            target = self._boxes.path / name
            self._report(Message(f"{target}: left by an earlier watch; checking it", NOTICE))

    def _check_unfinished(self) -> None:
        if not self._unfinished:
            return
        name = self._unfinished[0]
        entry = self._boxes.entries.get(name)  # none where it was deleted meanwhile
        known = {key: str((entry or {}).get(key) or "") for key in ("reason", "condition")}
        trigger = Trigger(known["reason"], "unfinished", time.monotonic_ns(), known["condition"])
        if entry is None or self._saver.check_again(self._boxes.path / name, trigger):
            self._unfinished.popleft()

    # ---- signals and the end

    def _on_exit(self, descriptor: int) -> None:
        pid = self._exits.pop(descriptor)
        os.close(descriptor)
        self._save(Trigger(f"exit of process {pid}", f"exit-{pid}", time.monotonic_ns()))

    def _rotate(self) -> None:
        """Look at the folder of boxes anew, read the token anew, and report the totals so far."""
        for act in self._rotations:
            try:
                act()
            except AnalyzerError as e:
                self._report(Message(f"not read anew: {e}", WARNING))
        self._boxes_bytes = self._boxes.bytes()
        try:
            self._counts.deleted += len(self._boxes.prune())
        except OSError as e:
            self._report(Message(f"{self._boxes.path}: {e.strerror}; no box was deleted", WARNING))
        self._report(Message(f"since the start: {status_line(self.collector.view, None)}", NOTICE))

    def _finish(self) -> None:
        """Wait for the box that is being saved, then end."""
        self._saver.stop(self._options.after_ns / 1e9 + STOP_S)
        for item in self._inbox.take():
            match item:
                case Box():
                    self._on_box(item)
                case _Request():
                    item.answered.set()
        self._alarm.stop()
        for descriptor in self._exits:
            os.close(descriptor)

    def _report(self, message: Message) -> None:
        self._surface.report(message)


def _open_process(pid: int) -> int:
    """A descriptor that becomes readable when the process ends; raises WatchError."""
    try:
        return os.pidfd_open(pid)
    except OSError as e:
        raise WatchError(f"--on-exit {pid}: {os.strerror(e.errno or 0).lower()}; give a process") from None


def watch_facts(options: WatchOptions, kernel: str, not_recorded: tuple[str, ...]) -> Facts:
    """The facts of a watch with these options."""
    return Facts(
        mode="exact" if options.exact else "sentinel",
        conditions=tuple(c.text for c in options.conditions),
        keep_ns=options.keep_ns,
        after_ns=options.after_ns,
        folder=str(options.out),
        version=version(),
        kernel=kernel,
        not_recorded=not_recorded,
    )
