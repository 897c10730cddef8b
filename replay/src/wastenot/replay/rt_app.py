"""rt-app's JSON (scheduler-tools/rt-app, doc/tutorial.txt) as a scenario, where it maps.

What maps: `global.duration`; tasks with `instance`, `loop`, `delay`, `cpus`, `policy`, `priority`, `dl-runtime`,
`dl-deadline`, `dl-period`, `phases`; the events run, runtime, sleep, timer (one per task, `mode` relative or absolute),
lock, unlock, barrier, fork, yield. Anything else is refused by name rather than left out.
"""

from __future__ import annotations

import json
import re
from typing import Any

from wastenot._native import WastenotError

IGNORED = {"calibration", "default_policy", "pi_enabled", "lock_pages", "logdir", "log_basename", "ftrace", "gnuplot",
           "io_device", "mem_buffer_size", "cumulative_slack", "log_size", "duration"}  # fmt: skip
"""Keys of `global` that do not change what threads do (`duration` is taken)."""

RESERVATION = {"dl-runtime", "dl-deadline", "dl-period"}
"""Keys of a task's parameters for SCHED_DEADLINE."""

LATE = {"relative": "restart", "absolute": "catch_up"}
"""What a thread does that comes to a timer after its release, by the timer's `mode`."""

POLICIES = {"SCHED_OTHER": '"normal"', "SCHED_NORMAL": '"normal"', "SCHED_BATCH": '"batch"', "SCHED_IDLE": '"idle"'}


def scenario_of_rt_app(text: str, name: str) -> str:
    """The scenario's TOML. Raises WastenotError that names what does not map."""
    try:
        workload = json.loads(_without_comments(text), object_pairs_hook=_keep_order)
    except json.JSONDecodeError as e:
        raise WastenotError(f"line {e.lineno}: {e.msg}") from None
    except RecursionError:
        raise WastenotError("nested too deeply") from None
    if not isinstance(workload, dict) or not isinstance(workload.get("tasks"), dict):
        raise WastenotError("not an rt-app workload: an object with `tasks` is expected")
    return _Conversion(workload, name).toml()


def _without_comments(text: str) -> str:
    return re.sub(r'("(?:\\.|[^"\\])*")|/\*.*?\*/|//[^\n]*', lambda m: m.group(1) or " ", text, flags=re.DOTALL)


def _keep_order(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """rt-app allows the same key twice: later ones get spaces behind their name."""
    out: dict[str, Any] = {}
    for key, value in pairs:
        while key in out:
            key += " "
        out[key] = value
    return out


class _Conversion:
    def __init__(self, workload: dict[str, Any], name: str) -> None:
        self.workload, self.name = workload, name
        self.locks: set[str] = set()
        self.barriers: dict[str, int] = {}
        self.timers: set[str] = set()
        """Those of the task that is converted, by their `ref`."""

    def toml(self) -> str:
        options = self.workload.get("global", {})
        if not isinstance(options, dict):
            raise WastenotError("global: an object is expected")
        odd = sorted(set(options) - IGNORED)
        if odd:
            raise WastenotError(f"global: {odd[0]!r} does not map")
        programs, threads = [], []
        for task, spec in self.workload["tasks"].items():
            if not isinstance(spec, dict):
                raise WastenotError(f"task {task!r}: an object is expected")
            programs.append(f"programs.{_quoted(task)} = [{self.program(task, spec)}]")
            threads.append(self.thread(task, spec))
        objects = [f"objects.{_quoted(lock)} = {{ lock = {{}} }}" for lock in sorted(self.locks)]
        objects += [f"objects.{_quoted(b)} = {{ barrier = {{ parties = {n} }} }}" for b, n in self.barriers.items()]
        duration = options.get("duration", -1)
        limit = [f'limit = "{int(duration)}s"'] if isinstance(duration, (int, float)) and duration > 0 else []
        head = [f"about = {_quoted('rt-app workload ' + self.name)}", "[workload]"]
        return "\n".join([*head, *limit, *objects, *programs, f"threads = [{', '.join(threads)}]", ""])

    def thread(self, task: str, spec: dict[str, Any]) -> str:
        fields = [f"program = {_quoted(task)}", f"count = {_number(task, spec, 'instance', 1)}", "threads = true"]
        fields += ["session = 'rt-app'"]
        if "cpus" in spec:
            cpus = spec["cpus"]
            if not isinstance(cpus, list) or not all(isinstance(c, int) and c >= 0 for c in cpus):
                raise WastenotError(f"{task}: cpus is not a list of CPUs")
            fields.append(f'cpus = "{",".join(map(str, cpus))}"')
        policy, priority = str(spec.get("policy", "SCHED_OTHER")), _number(task, spec, "priority", 0)
        if policy in ("SCHED_FIFO", "SCHED_RR"):
            fields.append(f"policy = {{ {policy[6:].lower()} = {priority or 10} }}")
        elif policy in POLICIES:
            fields += [f"policy = {POLICIES[policy]}", f"nice = {priority}"]
        elif policy == "SCHED_DEADLINE":
            fields.append(f"policy = {{ deadline = {self.reservation(task, spec)} }}")
        else:
            raise WastenotError(f"task {task!r}: policy {policy} does not map")
        if pause := _number(task, spec, "delay", 0):
            fields.append(f'at = "{pause}us"')
        return f"{{ {', '.join(fields)} }}"

    def reservation(self, task: str, spec: dict[str, Any]) -> str:
        """Parameters in microseconds; the period is the runtime and the deadline the period where they are left out."""
        runtime = _number(task, spec, "dl-runtime", 0)
        if runtime <= 0:
            raise WastenotError(f"{task}: policy SCHED_DEADLINE without dl-runtime")
        period = _number(task, spec, "dl-period", runtime)
        deadline = _number(task, spec, "dl-deadline", period)
        return f'{{ runtime = "{runtime}us", deadline = "{deadline}us", period = "{period}us" }}'

    def program(self, task: str, spec: dict[str, Any]) -> str:
        phases = spec.get("phases")
        own = {"instance", "loop", "cpus", "policy", "priority", "phases", "delay"} | RESERVATION
        self.timers.clear()
        body = (
            ", ".join(self.phase(f"{task}.{name}", phase) for name, phase in phases.items())
            if isinstance(phases, dict)
            else self.events(task, {k: v for k, v in spec.items() if k not in own})
        )
        return _repeated(_number(task, spec, "loop", -1), body)

    def phase(self, where: str, phase: Any) -> str:
        if not isinstance(phase, dict):
            raise WastenotError(f"phase {where!r}: an object is expected")
        return _repeated(_number(where, phase, "loop", 1), self.events(where, phase))

    def events(self, where: str, events: dict[str, Any]) -> str:
        steps = []
        for key, value in events.items():
            kind = re.sub(r"\d*\s*$", "", key)
            if kind in ("run", "runtime"):
                steps.append(f'{{ run = "{_whole(where, key, value)}us" }}')
            elif kind == "sleep":
                steps.append(f'{{ sleep = "{_whole(where, key, value)}us" }}')
            elif kind == "timer":
                steps.append(self.timer(where, key, value))
            elif kind in ("lock", "unlock"):
                self.locks.add(str(value))
                steps.append(f"{{ {kind} = {_quoted(str(value))} }}")
            elif kind == "barrier":
                self.barriers.setdefault(str(value), self.parties(str(value)))
                steps.append(f"{{ barrier = {_quoted(str(value))} }}")
            elif kind == "fork":
                steps.append(f"{{ fork = {{ program = {_quoted(str(value))} }} }}")
            elif kind == "yield":
                steps.append('"yield"')
            elif kind != "loop":
                raise WastenotError(f"{where}: {key.strip()!r} does not map")
        return ", ".join(steps)

    def timer(self, where: str, key: str, value: Any) -> str:
        fields = value if isinstance(value, dict) else {"period": value}
        period, mode = _whole(where, key, fields.get("period")), fields.get("mode", "relative")
        self.timers.add(str(fields.get("ref", "unique")))
        if mode not in LATE or len(self.timers) > 1 or period <= 0:
            why = "a task with two timers" if len(self.timers) > 1 else f"period {period}, mode {mode!r}"
            raise WastenotError(f"{where}: {key.strip()}: {why} does not map")
        return f'{{ timer = {{ period = "{period}us", late = "{LATE[mode]}" }} }}'

    def parties(self, barrier: str) -> int:
        """Instances of the tasks that meet at a barrier."""
        tasks = self.workload["tasks"].items()
        meeting = [_number(n, t, "instance", 1) for n, t in tasks if json.dumps(barrier) in json.dumps(t)]
        return sum(meeting)


def _repeated(times: int, body: str) -> str:
    if times == 1:
        return body
    count = "" if times < 0 else f"times = {times}, "
    return f"{{ repeat = {{ {count}body = [{body}] }} }}"


def _number(where: str, spec: dict[str, Any], key: str, default: int) -> int:
    value = spec.get(key, default)
    return value if value == default else _whole(where, key, value)


def _whole(where: str, key: str, value: Any) -> int:
    if not isinstance(value, int) or abs(value) > 1 << 40:
        raise WastenotError(f"{where}: {key.strip()} is not a whole number")
    return value


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=True)
