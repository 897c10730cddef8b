"""The JSON answer about deadlines: that of `wastenot deadlines --json`, with words."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel

Fault = Literal["own_overrun", "scheduler", "interference", "overload", "not_guaranteed", "not_visible", "contention"]
JobEnd = Literal["sleep", "yield", "exit", "unfinished"]
TimeUse = Literal[
    "run", "passed_over", "late_wake", "earlier_deadlines", "confined", "interference", "contention", "blocked",
    "throttled", "unknown",
]  # fmt: skip


class NamedThread(BaseModel):
    """A thread, as people know it."""

    utid: int
    tid: int
    name: str | None


class SpentTime(BaseModel):
    """What the time of jobs went to, ns: the parts add up to their response time."""

    run: int
    passed_over: int
    late_wake: int
    earlier_deadlines: int
    confined: int
    interference: int
    contention: int
    blocked: int
    throttled: int
    unknown: int


class FaultCounts(BaseModel):
    """Missed deadlines by whose fault they are."""

    own_overrun: int
    scheduler: int
    interference: int
    overload: int
    not_guaranteed: int
    not_visible: int
    contention: int


class DeadlineTask(NamedThread):
    """A thread with a deadline; `words`: runtime, deadline and period on one scale.

    `laxity_ns`: the least laxity of the jobs that ended in each of equal parts of the recording; null: none ended.
    """

    parameters: Literal["recorded", "declared"]
    is_deadline_class: bool
    runtime_ns: int
    deadline_ns: int
    period_ns: int
    utilisation: float
    jobs: int
    missed: int
    unfinished: int
    incomplete: int
    lost: int
    tardiness_max_ns: int
    tardiness_mean_ns: int | None
    laxity_min_ns: int | None
    laxity_ns: list[int | None]
    response_max_ns: int
    run_max_ns: int
    overruns: int
    overrun_max_ns: int
    throttles: int
    outside_mask: int
    faults: FaultCounts
    spent_ns: SpentTime
    words: str


class SchedulabilityTests(BaseModel):
    """Tests of a set of tasks on some CPUs; all are sufficient, none is necessary. Null: not about such a set."""

    tasks: int
    cpus: int
    utilisation: float
    utilisation_max: float
    density: float
    density_max: float
    gfb: bool | None
    global_density: bool | None
    partitioned_first_fit: bool | None
    not_covered: Literal["class", "parameters", "affinity"] | None


class RootDomainWords(BaseModel):
    """The columns of a root domain as the command prints them."""

    cpus: str
    bound: str
    guaranteed: str
    partitioned: str


class DeadlineRootDomain(BaseModel):
    """The most demanding set of tasks that shared a root domain: SCHED_DEADLINE threads, or declared ones of others."""

    cpus: list[int]
    at_ns: int
    tasks: list[int]
    is_deadline_class: bool
    admission_bound: float | None
    bound_exceeded: bool | None
    tests: SchedulabilityTests
    words: RootDomainWords


class PassedOverGrade(BaseModel):
    """Times for which deadline threads were passed over, of one grade."""

    grade: str
    above_ns: int
    count: int
    total_ns: int


class PassedOver(BaseModel):
    """A time for which a thread was passed over; `words`: what the CPU did that it might have used."""

    thread: NamedThread
    start_ns: int
    end_ns: int
    instead: Literal["idle_cpu", "lower_class", "later_deadline"]
    queue_cpu: int
    cpu: int
    ran: NamedThread | None
    words: str


class GlobalEdf(BaseModel):
    """The invariant of global EDF: for what part of the time it was checked, and how it was violated."""

    checked: bool
    """`checked_ns` is above 0."""
    awake_ns: int
    """For how long SCHED_DEADLINE threads ran or waited for a CPU, throttled ones left out."""
    checked_ns: int
    """Of this, while the thread's deadline was known."""
    violations: int
    grades: list[PassedOverGrade]
    undecided: int
    """Waits of which it is not known whether they violate it."""
    unknown_ns: int
    outside_mask: int
    longest: list[PassedOver]
    words: str
    bound_ns: int
    """A thread that is passed over for longer violates it."""


class KeptBy(BaseModel):
    """Who kept a job from running, in `words` and by its parts."""

    on: TimeUse
    kind: Literal["thread", "interrupt", "idle_cpu", "fair_server", "quota"]
    thread: NamedThread | None
    cpu: int | None
    irq_kind: str | None
    vector: int | None
    dur_ns: int
    words: str


class MissedDeadline(BaseModel):
    """A missed deadline: whose fault it is, what cost most of the time."""

    thread: NamedThread
    activation_ns: int
    deadline_ns: int
    end_ns: int | None
    """Null: under way as the recording ended."""
    ended_by: JobEnd
    tardiness_ns: int
    overrun_ns: int
    throttles: int
    fault: Fault
    alone: bool
    cpus: list[int]
    needed: float
    admissible: float
    spent_ns: SpentTime
    kept_by: list[KeptBy]
    fault_words: str
    loss_words: str


class ParameterEvidence(BaseModel):
    """What is known of the parameters of tasks."""

    recorded: bool
    why: str | None
    declared_in_vain: list[NamedThread]
    unmatched: list[str]
    """Names of declared tasks that no thread has."""
    undescribed: list[NamedThread]
    modelled: bool


class PostponedJobs(BaseModel):
    """Jobs whose deadline counts from a replenishment after the wakeup, as their server was throttled then."""

    jobs: int
    max_ns: int
    late: int
    """Those of them that met it, and ended after the one that counts from the wakeup."""


class DeadlineServers(BaseModel):
    """What of the servers the figures do not account for."""

    reclaiming: list[NamedThread]
    """Threads that may reclaim the runtime of others (SCHED_FLAG_RECLAIM)."""
    fair: bool | None
    """The kernel may run its fair threads by deadline servers; null: its release is not known."""
    postponed: PostponedJobs


class LockWait(BaseModel):
    """A wait of a task for a lock, by the kernel stack with which it left its CPU."""

    thread: NamedThread
    start_ns: int
    end_ns: int
    kind: Literal["pi_futex", "kernel_mutex", "futex"]
    """A futex may be a lock, a condition variable or a semaphore."""
    held_by: NamedThread | None
    """Who released it; null: not known."""
    is_inversion: bool
    """That thread is of lower priority."""
    holder_ran_ns: int | None
    holder_waited_ns: int | None
    """For a CPU."""
    lock_words: str
    holder_words: str


class LockWaits(BaseModel):
    """Waits of tasks for locks."""

    recorded: bool
    """There are stacks of switches."""
    waits: int
    total_ns: int
    inversions: int
    inversion_ns: int
    not_known: int
    """Of a futex that may not be a lock."""
    split_jobs: int
    """Jobs that such a wait ended: what follows counts as a job of its own."""
    late: int
    """Of the last ones of them: ended after the deadline of the first, and within their own."""
    boosted: list[NamedThread]
    """Threads that ran with the priority of a SCHED_DEADLINE thread that waited for their lock."""
    longest_inversion: LockWait | None
    longest: list[LockWait]
    words: str


class DeadlineFigure(BaseModel):
    """A figure as the command prints it."""

    name: str
    value: str


class FoundFault(BaseModel):
    """A fault that occurred: in words, in a sentence, and what to change."""

    fault: Fault
    count: int
    words: str
    sentence: str
    repair: str


class Deadlines(BaseModel):
    """The object of `wastenot deadlines --json`, with words."""

    headline: str
    start_ns: int
    end_ns: int
    parameters: ParameterEvidence
    jobs: int
    missed: int
    unfinished: int
    incomplete: int
    lost: int
    """Incomplete as events of them were lost or are missing."""
    losses: int
    """How often events were lost."""
    overruns: int
    throttles: int
    tardiness_max_ns: int
    tardiness_mean_ns: int | None
    laxity_min_ns: int | None
    faults: FaultCounts
    tasks: list[DeadlineTask]
    root_domains: list[DeadlineRootDomain]
    edf: GlobalEdf
    servers: DeadlineServers
    locks: LockWaits
    misses: list[MissedDeadline]
    """Those with most tardiness, of `missed`."""
    figures: list[DeadlineFigure]
    faults_found: list[FoundFault]
    not_covered: list[str]
    """Why sets of tasks are not tested, in words."""
