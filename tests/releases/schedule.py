"""A random schedule: what the CPUs and threads of a small machine did, before any tracer wrote it down.

The scheduler keeps what readers rely on: a CPU runs swapper only when no thread is queued there, a thread that sleeps
is woken before it runs, a thread that ends never comes back. Everything else is chance. Stamps are whole microseconds
and all different, so that every format can carry them and none has to settle an order.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, replace

PINNED = {"pinned": (0, 1)}
"""Threads whose affinity is declared at the import, by name."""


@dataclass(frozen=True)
class Event:
    """One event as the kernel knows it; `cpu` is where it is recorded, `tid` whose it is."""

    ts_ns: int
    cpu: int
    kind: str
    tid: int
    name: str
    running: int
    """The thread that runs on `cpu`."""
    running_name: str
    prio: int = 120
    target: int = 0
    """Target of a wakeup, destination of a move."""
    origin: int = 0
    """CPU that a move leaves."""
    next_tid: int = 0
    """Who runs next after a switch; the child of a fork."""
    next_name: str = ""
    how: str = ""
    """How `tid` leaves its CPU; see `tables.LEAVING`."""
    vec: int = 0


@dataclass
class Thread:
    """A thread while the schedule is made."""

    tid: int
    name: str
    place: str = "off"
    cpu: int = 0
    bound: tuple[int, ...] | None = None
    kernel: bool = False


@dataclass
class Schedule:
    """A finished schedule."""

    cpus: int
    events: list[Event]

    def without(self, *kinds: str) -> Schedule:
        """The same without events of some kinds, as a recorder that has them off."""
        return replace(self, events=[e for e in self.events if e.kind not in kinds])


def may_idle(name: str) -> bool:
    """Threads that sleep as TASK_IDLE: workers, and RCU's (kernel/workqueue.c, kernel/rcu)."""
    return name.startswith(("kworker/", "rcu_"))


class Maker:
    """A scheduler that takes its decisions at random."""

    def __init__(self, seed: int, cpus: int, threads: int, steps: int, ways: tuple[str, ...]) -> None:
        self.random = random.Random(seed)
        self.ways = ways
        self.now = 1_000_000_000_000 + seed * 1_000_000
        self.cpus = cpus
        self.current = [0] * cpus
        self.events: list[Event] = []
        self.threads: dict[int, Thread] = {}
        self.free: list[int] = []
        self.next_tid = 1000
        self.populate(threads)
        for cpu in range(cpus):  # every CPU shows what it runs
            self.wake(self.random.choice([t for t in self.threads.values() if self.allowed(t, cpu)]), cpu)
            self.run_next(cpu)
        for _ in range(steps):
            self.step()
        while self.events[-1].kind not in ("switch", "wakeup", "migrate"):
            self.step()  # all releases and tools record the last event

    def populate(self, threads: int) -> None:
        for cpu in range(self.cpus):
            self.add(f"kworker/{cpu}:1", (cpu,), kernel=True)
            self.add(f"ksoftirqd/{cpu}", (cpu,), kernel=True)
        self.add("kworker/u8:2", None, kernel=True)
        self.add("rcu_preempt", None, kernel=True)
        for n in range(threads):
            name = ("pinned", "busy", "web server", "sh", "a=b [1] c")[n % 5]
            self.add(name, PINNED.get(name))

    def add(self, name: str, bound: tuple[int, ...] | None, kernel: bool = False) -> Thread:
        tid = self.free.pop() if self.free and self.random.random() < 0.5 else self.next_tid
        self.next_tid += tid == self.next_tid
        thread = Thread(tid, name, bound=bound, cpu=(bound or (0,))[0], kernel=kernel)
        self.threads[tid] = thread
        return thread

    def allowed(self, thread: Thread, cpu: int) -> bool:
        return thread.bound is None or cpu in thread.bound

    def add_event(
        self,
        cpu: int,
        kind: str,
        tid: int,
        target: int = 0,
        origin: int = 0,
        next_tid: int = 0,
        how: str = "",
        vec: int = 0,
    ) -> None:
        self.now += 1000 * self.random.choice((1, 1, 1, 2, 3, 7))
        running = self.current[cpu]
        self.events.append(
            Event(
                self.now, cpu, kind, tid, self.name(tid, cpu), running, self.name(running, cpu), 120,
                target, origin, next_tid, self.name(next_tid, cpu), how, vec,
            )
        )  # fmt: skip

    def name(self, tid: int, cpu: int) -> str:
        return self.threads[tid].name if tid else f"swapper/{cpu}"

    def queue(self, cpu: int) -> list[Thread]:
        return [t for t in self.threads.values() if t.place == "queued" and t.cpu == cpu]

    def step(self) -> None:
        self.now += 1000 * self.random.choice((1, 3, 10, 30, 100, 400, 1500, 6000, 30_000))
        actions = (self.leave, self.leave, self.wakeup, self.wakeup, self.exit_idle, self.exit_idle, self.migrate)
        self.random.choice((*actions, self.fork, self.end, self.softirqs, self.execute))()

    def leave(self) -> None:
        """A running thread leaves its CPU to the next one queued there."""
        cpu = self.random.randrange(self.cpus)
        tid = self.current[cpu]
        if tid == 0:
            return
        how = self.random.choice(self.ways)
        thread = self.threads[tid]
        if (how == "idle" and not may_idle(thread.name)) or (how == "parked" and not thread.kernel):
            how = "sleep"
        if how in ("stopped", "traced") and thread.kernel:
            how = "disk"
        if how in ("preempted", "yield") and not self.queue(cpu):
            return  # the scheduler would choose it again
        self.run_next(cpu, how)

    def run_next(self, cpu: int, how: str = "") -> None:
        prev = self.current[cpu]
        queue = self.queue(cpu)
        chosen = self.random.choice(queue) if queue else None
        next_tid = chosen.tid if chosen else 0
        self.add_event(cpu, "switch", prev, next_tid=next_tid, how=how or "yield")
        if prev:
            thread = self.threads[prev]
            thread.place = "queued" if how in ("preempted", "yield") else "off"
            if how in ("dead", "zombie"):
                del self.threads[prev]
                self.free.append(prev)
        if chosen:
            chosen.place = "running"
        self.current[cpu] = next_tid

    def exit_idle(self) -> None:
        cpu = self.random.randrange(self.cpus)
        if self.current[cpu] == 0 and self.queue(cpu):
            self.run_next(cpu)

    def wakeup(self) -> None:
        asleep = [t for t in self.threads.values() if t.place == "off"]
        if asleep:
            thread = self.random.choice(asleep)
            self.wake(thread, self.target(thread))

    def target(self, thread: Thread) -> int:
        if self.random.random() < 0.5 and self.allowed(thread, thread.cpu):
            return thread.cpu
        return self.random.choice(thread.bound or tuple(range(self.cpus)))

    def wake(self, thread: Thread, target: int) -> None:
        waker = self.random.randrange(self.cpus)
        self.add_event(waker, "waking", thread.tid, target=thread.cpu)
        if target != thread.cpu:
            self.add_event(waker, "migrate", thread.tid, origin=thread.cpu, target=target)
        thread.cpu = target
        self.add_event(self.random.choice((waker, target)), "wakeup", thread.tid, target=target)
        thread.place = "queued"

    def migrate(self) -> None:
        """A balancer moves a queued thread."""
        waiting = [t for t in self.threads.values() if t.place == "queued" and (t.bound is None or len(t.bound) > 1)]
        if waiting:
            thread = self.random.choice(waiting)
            target = self.random.choice(
                [c for c in thread.bound or range(self.cpus) if c != thread.cpu] or [thread.cpu]
            )
            if target != thread.cpu:
                self.add_event(target, "migrate", thread.tid, origin=thread.cpu, target=target)
                thread.cpu = target

    def fork(self) -> None:
        cpu = self.random.randrange(self.cpus)
        parent = self.threads.get(self.current[cpu])
        if parent is None or parent.kernel or len(self.threads) > 60:
            return
        child = self.add(parent.name, parent.bound)
        self.add_event(cpu, "fork", parent.tid, next_tid=child.tid)
        child.cpu = self.target(child)
        self.add_event(cpu, "wakeup_new", child.tid, target=child.cpu)
        child.place = "queued"

    def end(self) -> None:
        cpu = self.random.randrange(self.cpus)
        thread = self.threads.get(self.current[cpu])
        if thread is None or thread.kernel or len([t for t in self.threads.values() if not t.kernel]) < 3:
            return
        self.add_event(cpu, "exit", thread.tid)
        self.run_next(cpu, self.random.choice([w for w in ("dead", "zombie") if w in self.ways]))

    def execute(self) -> None:
        cpu = self.random.randrange(self.cpus)
        thread = self.threads.get(self.current[cpu])
        if thread is not None and not thread.kernel:
            self.add_event(cpu, "exec", thread.tid)

    def softirqs(self) -> None:
        """Softirq work on an idle CPU: long enough to excuse it, or not."""
        cpu = self.random.randrange(self.cpus)
        if self.current[cpu] == 0:
            vec = self.random.choice((1, 3, 7, 9))
            self.add_event(cpu, "softirq_entry", 0, vec=vec)
            self.now += 1000 * self.random.choice((4, 16, 50, 200, 900))
            self.add_event(cpu, "softirq_exit", 0, vec=vec)


ALL_WAYS = (
    "sleep",
    "sleep",
    "disk",
    "killable",
    "idle",
    "stopped",
    "traced",
    "parked",
    "preempted",
    "preempted",
    "yield",
    "dead",
    "zombie",
)


def make(seed: int, cpus: int = 4, threads: int = 7, steps: int = 700, ways: tuple[str, ...] = ALL_WAYS) -> Schedule:
    """The schedule of this seed."""
    maker = Maker(seed, cpus, threads, steps, ways)
    return Schedule(cpus, maker.events)
