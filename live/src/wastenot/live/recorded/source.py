"""A trace as a source: the frame at the place where it is played."""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from wastenot.analyzer import Trace
from wastenot.analyzer.model.cgroup_names import cgroup_name
from wastenot.analyzer.queries import query
from wastenot.analyzer.result import Result
from wastenot.analyzer.text.causes import QUESTIONS, answer_words, cause_sentence
from wastenot.analyzer.trace import rows_on
from wastenot.live.model.frame import (
    CauseTime,
    CgroupWait,
    CpuNow,
    CpuPlace,
    CpuState,
    Curve,
    Frame,
    Playback,
    Queue,
    Waste,
    worst_queues,
)
from wastenot.live.recorded.player import FAR, Player, fitting_speed
from wastenot.live.verdict_text import trace_lines
from wastenot.schemas.generated.enums import WAIT_REASON_WORDS

SECOND_NS, MINUTE_NS = 1_000_000_000, 60_000_000_000
BINS = 400
"""Bins of the curve: as many as a wide terminal has cells."""

QUEUES, THREADS, CGROUPS, CAUSES = 100, 3, 10_000, 50
"""Rows of each kind, at most."""

EVERY_S = 0.25


class RecordedTrace:
    """A checked trace, open. Its tables that are made on demand must have been made."""

    def __init__(self, trace: Trace, speed: float | None = None, clock: Callable[[], int] = time.monotonic_ns) -> None:
        self._trace, self._clock = trace, clock
        facts, verdict = trace.metric("trace").one(), trace.metric("verdict").one()
        self._start_ns = verdict["start_ns"]
        length = max(1, verdict["end_ns"] - self._start_ns)
        self._online = verdict["online_ns"] / length
        self._player = Player(length, speed=speed or fitting_speed(length))
        self._seen_ns = clock()
        self._shown: tuple[Player, Frame] | None = None
        self._title = f"{Path(trace.path).name}: {facts['source']}, {facts['kernel'] or 'unknown kernel'}"
        bins = trace.metric("wasted_over_time", bins=BINS).rows()
        self._curve = Curve(tuple(b["wasted"] for b in bins), length)
        self._episodes = sorted({e["at_ns"] for e in trace.episodes().rows()})
        cgroups = (_cgroup(row) for row in trace.metric("cgroups", limit=CGROUPS))
        self._cgroups = tuple(sorted(cgroups, key=lambda c: -c.waited_ns))

    @property
    def every_s(self) -> float:
        """How often a frame is worth asking for (s)."""
        return EVERY_S

    @property
    def player(self) -> Player:
        """Where the trace is played."""
        return self._player

    def frame(self) -> Frame:
        """The frame at the place where the trace is now."""
        now = self._clock()
        self._player, self._seen_ns = self._player.passed(now - self._seen_ns), now
        if self._shown is None or self._shown[0] != self._player:
            self._shown = (self._player, self.frame_at(self._player))
        return self._shown[1]

    def press(self, key: str) -> str | None:
        """Play, pause, step, jump, change the speed."""
        p = self._player
        moves: dict[str, Callable[[], Player]] = {
            "space": p.toggled,
            "right": lambda: p.stepped(1),
            "left": lambda: p.stepped(-1),
            "greater_than_sign": lambda: p.stepped(FAR),
            "less_than_sign": lambda: p.stepped(-FAR),
            "home": lambda: replace(p, is_playing=False).at(0),
            "end": lambda: replace(p, is_playing=False).at(p.length_ns),
            "plus": lambda: p.faster(1),
            "equals_sign": lambda: p.faster(1),
            "minus": lambda: p.faster(-1),
            "n": lambda: p.at_next(self._episodes),
            "N": lambda: p.at_previous(self._episodes),
        }
        if key not in moves:
            return None
        self._player = moves[key]()
        if key in ("n", "N") and self._player == p:
            return "no further episode that lasted or recurred"
        return ""

    def verdict(self) -> tuple[str, ...]:
        """What `wastenot check` prints of it."""
        return trace_lines(self._trace)

    def close(self) -> None:
        """Close the trace."""
        self._trace.close()

    def frame_at(self, player: Player) -> Frame:
        """Everything at one place."""
        at = self._start_ns + player.position_ns
        second, minute = max(self._start_ns, at - SECOND_NS), max(self._start_ns, at - MINUTE_NS)
        cpus = tuple(_cpu(row, at - second) for row in self._ask("cpus_at", at=at, since=second))
        return Frame(
            title=self._title,
            playback=Playback(player.position_ns, player.length_ns, player.is_playing, player.speed),
            waste=self._waste(at, second, minute),
            curve=replace(self._curve, cursor=player.position_ns / player.length_ns),
            cpus=cpus,
            queues=self._queues(at, cpus),
            cgroups=self._cgroups,
            cgroups_of="whole trace",
            causes=tuple(_cause(row) for row in self._ask("causes_between", since=minute, until=at, limit=CAUSES)),
            causes_of="last minute",
        )

    def _waste(self, at: int, second: int, minute: int) -> Waste:
        row = self._ask("waste_before", at=at, second=second, minute=minute)[0]
        capacity = self._online * (at - minute)  # mean number of online CPUs over the trace
        share = row["minute_ns"] / capacity if capacity else 0.0
        mean = row["second_ns"] / (at - second) if at > second else float(row["now"])
        return Waste(row["now"], mean, row["minute_ns"], at - minute, share)

    def _queues(self, at: int, cpus: tuple[CpuNow, ...]) -> tuple[Queue, ...]:
        longest = worst_queues(cpus, QUEUES)
        waits: dict[int, list[Mapping[str, Any]]] = defaultdict(list)
        for row in self._ask("queues_at", at=at, cpus=[c.place.cpu for c in longest], threads=THREADS):
            waits[row["cpu"]].append(row)
        return tuple(
            Queue(
                c.place.cpu,
                c.waiting,
                c.running,
                tuple(row["name"] or f"tid {row['tid']}" for row in waits[c.place.cpu]),
                at - waits[c.place.cpu][0]["since_ns"] if waits[c.place.cpu] else None,
            )
            for c in longest
        )

    def _ask(self, name: str, **parameters: Any) -> list[dict[str, Any]]:
        with self._trace.cursor() as cursor:
            sql = query(name, "wastenot.live.recorded").sql
            return Result(rows_on(cursor, self._trace.path, sql, parameters)).rows()


def _cpu(row: Mapping[str, Any], span_ns: int) -> CpuNow:
    state = CpuState.RUNNING
    if row["offline"]:
        state = CpuState.OFFLINE
    elif not row["observed"]:
        state = CpuState.UNOBSERVED
    elif row["utid"] == 0:
        state = CpuState.WASTED if row["wasted"] else CpuState.INTERRUPT if row["interrupt"] else CpuState.IDLE
    known = span_ns > 0 and state not in (CpuState.OFFLINE, CpuState.UNOBSERVED)
    return CpuNow(
        CpuPlace(row["cpu"], row["node"], row["llc"], row["core"]),
        state,
        row["queued"],
        (row["running"] or "") if state is CpuState.RUNNING else "",
        row["idle_ns"] / span_ns if known else None,
    )


def _cause(row: Mapping[str, Any]) -> CauseTime:
    answers = tuple("" if row[q] == "unknown" else answer_words(q, row[q]) for q in QUESTIONS)
    return CauseTime(answers, row["core_ns"], row["episodes"], cause_sentence(row), row["recurrent"])


def _cgroup(row: Mapping[str, Any]) -> CgroupWait:
    columns = {"own_quota": "throttled_ns", "avoidable": "avoidable_wait_ns"}
    split = {reason: row[columns.get(reason, f"{reason}_ns")] for reason in WAIT_REASON_WORDS}
    neighbour = row["neighbours"][0]["cgroup"] if row["neighbours"] else None
    return CgroupWait(
        cgroup_name(row["cgroup"]).label if row["cgroup"] else "cgroup not recorded",
        {reason: ns for reason, ns in split.items() if ns},
        cgroup_name(neighbour).label if neighbour else "",
    )
