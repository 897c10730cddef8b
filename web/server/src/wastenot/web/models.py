"""The JSON answers. Times are ns as in the trace, core-time is in core-seconds, shares are 0..1."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field
from wastenot.schemas.generated.enums import EvidenceKind, EvidenceState, Question, WaitReason


class TableMaking(BaseModel):
    """How far the tables are that are made on demand: events walked, their share (0..1), seconds left if known."""

    events: int
    share: float
    left_s: float | None


class TablesPending(BaseModel):
    """The answer needs tables that are being made: ask again after `Retry-After` seconds."""

    making: TableMaking


class Error(BaseModel):
    """Every answer with a status from 400 on; `drawing` is the line of a refused query, and a caret below the place."""

    error: str
    drawing: str | None = None


class Health(BaseModel):
    """The server runs."""

    status: Literal["ok"]
    version: str
    traces: int


class TraceRow(BaseModel):
    """A trace that can be looked at. `error` says why one cannot; its figures are null then."""

    id: str
    name: str
    version: str | None
    size_bytes: int | None
    source: str | None
    kernel: str | None
    cpus: int | None
    threads: int | None
    events: int | None
    start_ns: int | None
    end_ns: int | None
    epoch_ns: int | None
    evidence_level: str | None
    wasted_core_s: float | None
    wasted_share: float | None
    certain_core_s: float | None = None
    """Of it, what is certain: nothing while a self-check makes the verdict suspect."""
    doubt: str | None = None
    """A short remark to show beside the share; None where all of it is certain."""
    complete: bool | None
    error: str | None = None


class StartedImport(BaseModel):
    """An import has begun: ask api/jobs/{job}."""

    job: str


class Job(BaseModel):
    """An import under way. `trace` is the id of the trace that it made."""

    job: str
    name: str
    state: Literal["running", "done", "failed"]
    phase: str
    events: int
    share: float | None
    rate: float | None
    left_s: float | None
    error: str | None
    trace: str | None


class Evidence(BaseModel):
    """Whether the trace holds a kind of evidence, or can show an excuse."""

    kind: EvidenceKind
    state: EvidenceState
    why: str | None
    """Why it was not recorded throughout; None where it was, and where the trace does not say it."""


class VerdictTrace(BaseModel):
    """Where a trace comes from."""

    source: str
    kernel: str | None
    preemption: str | None
    sched_ext: str | None
    """Which sched_ext schedulers were in charge, why the kernel ended one, and what it counted."""
    cpus: int
    start_ns: int
    end_ns: int
    events: int
    evidence_level: str
    evidence: list[Evidence]


class WasteFigures(BaseModel):
    """The waste: idle while waiting, what each excuse took off, what is left, what of it is certain."""

    core_s: float
    certain_core_s: float
    idle_while_waiting_core_s: float
    share: float
    lower_bound: bool
    excused_core_s: dict[str, float]


class GradeTotal(BaseModel):
    """Episodes of a grade and their waste."""

    count: int
    core_s: float


class Reason(BaseModel):
    """A value of `not_moved_because` and its share of a cause's waste."""

    reason: str
    share: float


class Prevented(BaseModel):
    """Shares of the waste that other decisions would have prevented."""

    placement: float
    """Another placement of the waiting thread."""
    balancing: float
    """Another decision of the balancer."""
    either: float
    """Any one of the two alone; counted in both shares above as well."""


class Cause(BaseModel):
    """A cause and the waste charged to it."""

    placed_by: str
    not_moved_because: list[Reason]
    ended_by: str
    sentence: str
    needs: list[str]
    """Kinds of evidence that would show what of it is unknown."""
    proof: str
    placed_by_proof: str
    not_moved_because_proof: str
    ended_by_proof: str
    prevented: Prevented
    core_s: float
    episodes: int


class WeighedClause(BaseModel):
    """A clause and the share of the cause's waste for which it is so."""

    clause: str
    share: float


class KnownAnswer(BaseModel):
    """An answer of a cause as a clause, with its proof."""

    question: Question
    clause: str
    proof: str
    share: float | None
    """Of how much of the cause's waste it is the answer; None: of all, or it is not recorded."""
    proved: float | None
    """Of how much of that it is proved, where that is neither what `proof` says of all nor of none; else None."""
    others: list[WeighedClause]
    """Other reasons for which threads were not moved."""


class MainReason(Cause):
    """The cause of most of the waste that lasted."""

    share: float
    """Of all waste."""
    episode: int | None
    """The worst one of it that is listed."""
    answers: list[KnownAnswer]
    """Beside the object of `check --json`: what is known of it, of which `sentence` is made."""


class WaitingThread(BaseModel):
    """A thread that waited in an episode."""

    utid: int
    tid: int | None
    name: str | None
    core_s: float


class WorstEpisode(BaseModel):
    """One of the worst episodes."""

    id: int
    start_ns: int
    end_ns: int
    core_s: float
    grade: str
    severity: str
    idle_cpus: list[int]
    overloaded_cpus: list[int]
    threads: list[WaitingThread]


class PinnedThreads(BaseModel):
    """Threads that look pinned though no mask was recorded."""

    name: str | None
    threads: int
    cpus: list[int]
    avoidable_wait_s: float


class Suspicion(BaseModel):
    """A self-check that makes the verdict suspect; `share` of what the check compares with."""

    check: str
    count: int
    share: float
    sentence: str


class DataQuality(BaseModel):
    """How far to trust the verdict."""

    model_config = ConfigDict(extra="allow")

    lost_events: int
    unobserved_share: float
    notes: list[str]
    """What else the recording or import lost or left out: a sentence each."""
    unknown_mask_threads: int
    rejected: dict[str, int]
    contradictions: dict[str, int] = {}
    """Events that contradict what was known, by what they contradict."""
    repaired: dict[str, int]
    placements_inferred: int
    idle_with_queue_share: float
    suspect: list[Suspicion]
    unverified: list[str]
    looks_pinned: list[PinnedThreads]


class Figures(BaseModel):
    """More figures than `check --json` prints, for the landing page."""

    model_config = ConfigDict(extra="ignore")

    online_ns: int
    observed_ns: int
    busy_ns: int
    idle_ns: int
    certain_share: float
    wall_wasted_ns: int
    wall_certain_ns: int
    wall_idle_while_waiting_ns: int
    peak_wasted: int
    late_wakes: int
    checker_version: str


class VerdictText(BaseModel):
    """The verdict's sentences as `wastenot check` prints them; empty where there is nothing to say."""

    headline: str
    """How much was wasted and how sure, or why the verdict is in doubt: the six parts that follow, as one text."""
    doubt: str
    """Why the verdict is in doubt; empty where nothing puts it there."""
    head: str
    """How many cores were wasted for how long, or that none was."""
    amount: str
    """Core-seconds and share of the machine; empty where nothing was wasted."""
    rest: str
    """How sure it is."""
    severity: str
    """How bad the worst of it is; empty where only short intervals were wasted."""
    limits: str
    """What is not seen, and by which thresholds other than the definition's it is graded."""
    main_reason: str
    needed: str
    """What of the main reason is not known, and which evidence would show it."""
    prevented: str
    """Which other decisions would have prevented the main reason's waste."""
    excused: str
    not_recorded: str
    grade_bounds: dict[str, str]
    """By grade, how long one of its intervals lasts."""


class Verdict(BaseModel):
    """The object of `wastenot check --json`, and the verdict in words."""

    model_config = ConfigDict(extra="allow")

    trace: VerdictTrace
    wasted: WasteFigures
    episodes: dict[str, GradeTotal]
    severity: str | None
    """The worst severity of an episode; None where none is listed."""
    severities: dict[str, GradeTotal]
    """Wastes by how much each wasted, whatever its shape."""
    thresholds_ns: dict[str, int]
    """Thresholds of grades given in place of the definition's."""
    causes: list[Cause]
    recurrent_causes: list[Cause]
    main_reason: MainReason | None
    """None where only short intervals were wasted, and where the verdict is in doubt."""
    worst: list[WorstEpisode]
    data_quality: DataQuality
    sentence: str
    text: VerdictText
    notes: list[str]
    figures: Figures


class Cpu(BaseModel):
    """A CPU and its place. -1 is unknown."""

    cpu: int
    node: int
    llc: int
    core: int
    package: int
    smt: int
    online: bool
    isolated: bool
    capacity: int


class MachineNode(BaseModel):
    """A part of the machine with the parts in it; `cpus` in the order of the lanes."""

    kind: Literal["machine", "node", "llc", "core", "cpu"]
    id: int
    name: str
    cpus: list[int]
    children: list[MachineNode]


class Domain(BaseModel):
    """A scheduling domain as one CPU sees it."""

    since_ns: int
    cpu: int
    level: int
    name: str
    span: list[int]
    flags: str | None
    min_interval_ns: int | None
    max_interval_ns: int | None
    exact: bool


class Machine(BaseModel):
    """The machine: CPUs in the order of the lanes, the tree they form, domains, distances of NUMA nodes."""

    model: str | None
    kernel: str | None
    tick_ns: int
    cpus: list[Cpu]
    levels: list[str]
    tree: MachineNode
    domains: list[Domain]
    nodes: list[int]
    distances: list[list[int]]


class Identity(BaseModel):
    """What distinguishes a recording from others. None: the trace does not hold it."""

    source: str
    live: bool
    """`wastenot record` made it: `command` is what was recorded."""
    recorder: str
    epoch_ns: int | None
    """Wall-clock time (Unix) of 0 on the trace's clock."""
    clock: str
    start_ns: int
    end_ns: int
    end_reason: str
    complete: bool
    events: int
    host: str | None
    """Name of the machine."""
    command: str | None
    """Command that was recorded, or command line of the import or the simulation."""
    kernel: str | None
    preemption: str | None
    """Where the kernel preempts: none, voluntary, full, lazy or rt."""
    sched_ext: str | None
    """Which sched_ext schedulers were in charge, why the kernel ended one, and what it counted."""
    arch: str | None
    model: str | None
    cpus: int
    cores: int | None
    caches: int | None
    """Last-level caches."""
    nodes: int | None
    evidence_level: str
    evidence: list[Evidence]
    shows_wakeups: bool
    """False: it has no sched_wakeup, or not from its start, so that waits after a wakeup are not seen."""
    has_wakings: bool
    """It has the sched_waking of each wakeup, or of those that another CPU completed: when and where it was decided."""
    has_attempt_scans: bool
    """It has CPUs that load-balance attempts scanned (table `cpus_scanned`)."""
    deepest_idle_state: int | None
    """Highest number of an idle state in it; None: it has no idle states of CPUs."""
    highest_khz: int | None
    """Highest frequency in it (kHz); None: it has no frequencies of CPUs."""
    notes: list[str]
    unverified: list[str]


class TilesMeta(BaseModel):
    """How the tiles lie. `version` goes into their addresses as `?v=`: such an answer may be kept for ever."""

    version: str
    base_ns: int
    levels: int
    start_ns: int
    end_ns: int
    columns: int
    lanes: int
    top: int
    cpus: list[int]
    wasted_known: bool
    dominant_error: float


class Episode(BaseModel):
    """An episode, with a sentence about it."""

    model_config = ConfigDict(extra="allow")

    episode_id: int
    grade: str
    severity: str
    part_of: int | None
    """The episode that is the same waste and contains this one."""
    within: int | None
    """The episode of the list that contains it in time and that its waste is part of."""
    adds_ns: int
    """What it adds to the waste of all rows; 0 within another row."""
    start_ns: int
    end_ns: int
    at_ns: int
    dur_ns: int
    core_ns: int
    total_core_ns: int
    peak: int
    idle_cpus: list[int]
    overloaded_cpus: list[int]
    threads: int
    distance: str
    domain: str | None
    placed_by: str
    not_moved_because: str
    ended_by: str
    proof: str
    placed_by_proof: str
    not_moved_because_proof: str
    ended_by_proof: str
    """How sure each part of the cause is; `proof` is that of the part which matters most."""
    excused_core_ns: int
    first_event: int | None
    last_event: int | None
    sentence: str


class EpisodePair(BaseModel):
    """A thread that waited and the idle CPU it was matched to."""

    model_config = ConfigDict(extra="allow")

    utid: int
    tid: int | None
    name: str | None
    waited_on: int
    idle_cpu: int
    core_ns: int
    distance: str
    mask_known: bool | None
    placed_by: str
    not_moved_because: str
    ended_by: str
    proof: str
    event_ids: list[int]


class EpisodeEvent(BaseModel):
    """An event that an episode rests on."""

    id: int
    ts_ns: int | None
    """None, as `at_ns`, where no table of the trace holds the event: `event` is then `missing`."""
    at_ns: int | None
    cpu: int | None
    event: str
    what: str


class Answer(BaseModel):
    """An answer to one of the questions about an episode."""

    question: Question
    answer: str
    proof: str
    rule: str | None
    """The rule that gave it, a page of docs/causes; None: not known."""
    chosen: bool
    """It is the answer for a part of the time; else it fits as well, where the evidence does not decide."""
    core_ns: int
    """Waste of which it is the answer, or that it fits."""
    share: float
    """Of the episode's waste."""
    proved_by: str
    """What the rule says of proof."""
    refuted_by: str


class Repair(BaseModel):
    """One thing to check or change."""

    question: Question
    """The question whose answer it is for."""
    rule: str
    """The rule that gave the answer, a page of docs/causes."""
    kind: str
    """A value of the enumeration `repair_kind`."""
    text: str
    kernels: str
    """Kernel releases for which it is meant."""
    source: str
    """Where that stands."""


class Diagnosis(BaseModel):
    """Why, and how sure that is."""

    model_config = ConfigDict(extra="allow")

    text: str
    placed_by: str
    not_moved_because: str
    ended_by: str
    proof: str
    placed_by_proof: str
    not_moved_because_proof: str
    ended_by_proof: str
    answers: list[Answer]
    """Of each question that of the episode, those of other parts of the time, and those that fit as well."""
    needs: list[EvidenceKind]
    """Kinds of evidence that would show what of it is unknown."""
    needed: str
    """What of it is not known, and which evidence would show it."""
    repairs: list[Repair]
    """What to check or change, the first first."""
    event_ids: list[int]


class PairDomain(BaseModel):
    """A domain of the idle CPU of the worst pair: whether it spans the queue's CPU too."""

    level: int
    name: str
    span: list[int]
    joins: bool
    lowest_common: bool


class EpisodePage(BaseModel):
    """One episode and what proves it."""

    episode: Episode
    threads: list[WaitingThread]
    pairs: list[EpisodePair]
    events: list[EpisodeEvent]
    """The first of those that it rests on."""
    rests_on: int
    """How many events it rests on."""
    diagnosis: Diagnosis
    domains: list[PairDomain]
    similar: list[Episode]


class Rows(BaseModel):
    """Rows whose columns the query's documentation names."""

    rows: list[dict[str, Any]]


class SearchHit(BaseModel):
    """Something a search found. `id` is utid, upid, cgroup_id, event id or episode number."""

    kind: Literal["thread", "process", "cgroup", "event", "episode"]
    id: int
    label: str
    ts_ns: int | None


class SelectedThread(BaseModel):
    """What a thread did in the selection."""

    utid: int
    run_ns: int
    wait_ns: int
    runs: int
    waits: int
    longest_wait_ns: int
    longest_wait_at_ns: int | None
    """When that begins, within the window; None: it did not wait."""
    sleep_ns: int
    blocked_ns: int
    stopped_ns: int
    throttled_ns: int
    avoidable_ns: int


class SelectedCause(BaseModel):
    """Avoidable wait in the selection by the cause of the episode that it belongs to; without a cause: to none."""

    placed_by: str | None
    not_moved_because: str | None
    placed_by_proof: str | None
    not_moved_because_proof: str | None
    avoidable_ns: int
    threads: int
    episodes: int
    worst_episode_id: int | None
    """The episode with most of it; None: in none."""


class PathCount(BaseModel):
    """Moves that arrived by one path."""

    path: str
    migrations: int
    needless: int


class SelectedWaits(BaseModel):
    """Waits of a window after a wakeup, after a preemption, or without quota; each with its part within the window."""

    after: Literal["wakeup", "preemption", "throttling"]
    waits: int
    wait_ns: int
    longest_ns: int


class Selection(BaseModel):
    """Statistics of a window and some CPUs or threads. Waste is the machine's; run, idle and moves are the CPUs'."""

    start_ns: int
    end_ns: int
    cpus: list[int]
    run_ns: int
    idle_ns: int
    unobserved_ns: int
    wait_ns: int
    waits: list[SelectedWaits]
    """Those after wakeups and preemptions sum to wait_ns, which has no time without quota."""
    wasted_core_s: float
    certain_core_s: float
    threads: list[SelectedThread]
    causes: list[SelectedCause]
    """They sum to the threads' avoidable waits."""
    migrations: list[PathCount]
    episodes: list[int]


class WaitedFor(BaseModel):
    """An excuse in words, or the label of a cgroup that ran meanwhile."""

    name: str
    wait_ns: int


class SelectedReason(BaseModel):
    """Waits of a window for one reason of the wait ledger (`wastenot glossary wait_reason`)."""

    reason: WaitReason
    wait_ns: int
    of: list[WaitedFor]
    """Where the reason is confined, neighbour or rt_dl: the longest parts."""
    others: int
    """Further parts, which are not in `of`."""


class SelectedReasons(BaseModel):
    """Why threads waited within a window, longest first; None: too many events lie around it."""

    start_ns: int
    end_ns: int
    reasons: list[SelectedReason] | None
    refuted_ns: int
    """Of them time in which no thread waited, by later events of the window."""


class RanMeanwhile(BaseModel):
    """A thread that ran on a CPU while another waited there; utid 0 the idle thread, None not observed."""

    utid: int | None
    cpu: int
    ns: int


class IdleMeanwhile(BaseModel):
    """How long a CPU idled while a thread waited."""

    cpu: int
    ns: int


WaitedAfter = Literal["wakeup", "preemption", "throttling"]


class InstantWait(BaseModel):
    """A whole wait for a CPU, over all queues that the thread was on, and behind which threads."""

    start_ns: int
    dur_ns: int
    after: WaitedAfter
    throttled_ns: int
    cpus: list[int]
    """On whose queues, in order of time."""
    behind: list[RanMeanwhile]
    """Those that ran longest."""
    behind_total: int
    """How many there were."""
    idle: list[IdleMeanwhile]
    """CPUs that idled meanwhile, of those that the thread may use where that is known; the longest first."""


class Wakeup(BaseModel):
    """A wakeup: which thread made it where, when the woken one was queued where, and when and where it ran."""

    wakeup_id: int
    utid: int
    waking_ns: int
    waking_known: bool
    """A sched_waking says when it was decided; else that is the wakeup's time."""
    waker_cpu: int
    waker_utid: int | None
    """Thread that ran there: it, or an interrupt, made the wakeup. 0: an interrupt of an idle CPU; None: not known."""
    wakeup_ns: int
    target_cpu: int
    is_new: bool
    run_ns: int | None
    run_cpu: int | None


class Placement(BaseModel):
    """The kernel's choice of a CPU for a thread that it wakes or makes (table `cpus_scanned`)."""

    scan_id: int
    ts_ns: int
    cpu: int
    """CPU that decided."""
    scanned: list[int] | None
    """CPUs tested for being idle, ascending; None: not recorded."""
    chosen_cpu: int | None
    prev_cpu: int | None
    """CPU that the thread had before."""


PowerOf = Literal["idle_state", "frequency"]
"""What is asked of CPUs: the number of their idle state, or their frequency (kHz)."""

StackOf = Literal["moves", "wakeups", "switches"]

ScansOf = Literal["placements", "attempts"]
"""Of which events kernel stacks are counted."""


class InstantStack(BaseModel):
    """The kernel stack of an event of the thread."""

    of: str
    """A value of `stack_event`, or sched_migrate_task."""
    ts_ns: int
    cpu: int
    symbols: list[str]
    """function+0xoffset per frame, innermost first."""


class ThreadInstant(BaseModel):
    """A thread at an instant: its state, the wait and the wakeup that led to it, and what the trace says of it then."""

    utid: int
    at_ns: int
    phase: int | None
    """A code of `thread_phase`; None: not known."""
    cpu: int | None
    start_ns: int | None
    end_ns: int | None
    wait: InstantWait | None
    """That in which it was, or that ended with its run."""
    wakeup: Wakeup | None
    """That by which the wait or run began; of a thread that was asleep, blocked or stopped the one that ended it."""
    placement: Placement | None
    """Of that wakeup. None: not recorded, or none was made (of a thread that may use one CPU, or was still queued)."""
    tid: int
    name: str | None
    upid: int | None
    tgid: int | None
    process: str | None
    prio: int | None
    """The kernel's: 0-99 real-time and deadline threads, 100-139 fair ones (120 and the nice value)."""
    policy: str | None
    """Of the last snapshot."""
    cgroup: str | None
    allowed: list[int] | None
    """CPUs that it may use, ascending."""
    stacks: list[InstantStack]
    """Those of its wakeup, of moves while it waited, and of the switch by which it left the CPU, as far as recorded."""
    lacks: list[str]
    """What the recording does not say, for people."""


class StackCount(BaseModel):
    """How often a kernel stack occurred."""

    symbols: list[str]
    """function+0xoffset per frame, innermost first."""
    state: str | None
    """In which the thread left the CPU, a value of `thread_phase`; None of wakeups and moves."""
    events: int
    ns: int
    """Until the threads ran again, or the window ended; 0 of wakeups and moves."""


class StackCounts(BaseModel):
    """Kernel stacks of the moves, wakeups or switches of a window, the most frequent (of switches: longest) first."""

    of: StackOf
    start_ns: int
    end_ns: int
    cpus: list[int]
    """Empty: all."""
    events: int
    ns: int
    """Of all events of the window, with a stack or without."""
    with_stack: int
    """Events that have one."""
    stacks: list[StackCount]
    truncated: bool
    """There are more stacks than are listed."""
    why_absent: str | None
    """Where no event has a stack: why, and what to do."""


class SqlQuery(BaseModel):
    """A query over the documented tables."""

    sql: str = Field(max_length=1_000_000)
    limit: int = Field(default=10_000, ge=-(2**63), le=2**63 - 1)


class SchemaColumn(BaseModel):
    """A column as the trace documents it."""

    name: str
    type: str
    nullable: bool
    meaning: str


class SchemaTable(BaseModel):
    """A table as the trace documents it."""

    name: str
    meaning: str
    rows: int | None
    """None: the table is made when it is first asked for."""
    columns: list[SchemaColumn]


class Schema(BaseModel):
    """Tables, and macros that turn codes into names."""

    tables: list[SchemaTable]
    macros: list[str]


class Bubble(BaseModel):
    """A bubble: a group of threads and smaller bubbles."""

    id: int
    parent: int | None
    name: str
    kind: str
    priority: int | None
    start_ns: int | None
    end_ns: int | None


class Member(BaseModel):
    """A thread in a bubble for a while; null: from the start, to the end."""

    utid: int
    bubble: int
    start_ns: int | None
    end_ns: int | None


class Bubbles(BaseModel):
    """Bubbles of one kind."""

    kind: Literal["natural", "creation", "declared"]
    bubbles: list[Bubble]
    members: list[Member]


class LatencyFigures(BaseModel):
    """Waits of one kind: how many, together, and percentiles; ns."""

    waits: int
    wait_ns: int
    median_ns: int
    p99_ns: int
    longest_ns: int


class LatencyBin(BaseModel):
    """Waits from one length to twice as long."""

    low_ns: int
    high_ns: int
    after_wakeup: int
    after_preemption: int


class LatencyRow(LatencyFigures):
    """Waits of a thread, process or cgroup, or of all; `key` is its utid, upid or cgroup_id."""

    key: int | None
    tid: int | None
    tgid: int | None
    name: str | None
    label: str | None = None
    """Of cgroups: the pod, container, unit or session."""
    longest_at_ns: int
    cut: int
    """Of them those that were longer, or may have been: what is known starts or ends in them."""
    wakeup: LatencyFigures | None
    preemption: LatencyFigures | None
    histogram: list[LatencyBin]


class LongWait(BaseModel):
    """One wait, and the thread that ran longest meanwhile on the CPU where it started."""

    utid: int
    tid: int
    tgid: int | None
    name: str | None
    cgroup: str | None
    start_ns: int
    dur_ns: int
    at_ns: int
    waited_after: Literal["wakeup", "preemption"]
    cpu: int | None
    ran_on: int | None
    queues: int
    throttled_ns: int
    is_cut: bool
    antagonist_tid: int | None
    antagonist: str | None
    antagonist_ns: int | None


class WaitGroup(BaseModel):
    """A thread, process or cgroup whose waits were asked for; `key` null: the waits of which it is not recorded."""

    key: int | None
    tid: int | None
    tgid: int | None
    name: str | None
    label: str | None
    """Of cgroups: the pod, container, unit or session."""


class WaitingCurve(BaseModel):
    """How many threads waited for a CPU, on average in each bin of a window; the last bin may reach beyond it."""

    start_ns: int
    width_ns: int
    waiting: list[float]


class Latency(BaseModel):
    """How long threads waited for a CPU: the object of `wastenot latency --json`."""

    sentence: str
    by: str
    of: list[WaitGroup] | None
    """The groups of which alone the waits are; null: all."""
    after: str
    sort: str
    start_ns: int
    end_ns: int
    wakeups_not_seen: bool
    lost_events: int
    total: LatencyRow | None
    groups: list[LatencyRow]
    longest: list[LongWait]


class ComparedRun(BaseModel):
    """A run of one side."""

    name: str
    kernel: str | None
    source: str
    duration_s: float
    lost_events: int
    suspect: list[str]
    unverified: list[str]


class RunSummary(BaseModel):
    """Values of a metric in the runs of a side; the standard deviation is null for one run."""

    mean: float
    sd: float | None
    min: float
    max: float


class MetricDifference(BaseModel):
    """One metric of both sides: the difference of the means, its 95 % interval, the p value of the rank test."""

    metric: str
    words: str
    family: Literal["waste", "grades", "causes", "excuses", "waits", "work", "threads"]
    unit: Literal["share", "core_s", "threads", "cpus", "per_s", "s"]
    base: RunSummary
    new: RunSummary
    difference: float
    relative: float | None
    interval: tuple[float, float] | None
    p: float | None
    p_adjusted: float | None
    changed: bool
    always_listed: bool
    """Lists have it where it did not change, too."""
    more_is_worse: bool


class ComparisonMethod(BaseModel):
    """How differences were tested."""

    test: str
    interval: str
    confidence: float
    resamples: int
    primary: str
    others: str
    level: float
    smallest_p: float


class RunComparison(BaseModel):
    """Repeated runs of two sides: the object of `wastenot compare --json`."""

    sentence: str
    moved: str
    others: str
    """How many of the other metrics are shown to have changed, and what so few runs can show."""
    comparable: bool
    reasons_against: list[str]
    notes: list[str]
    base: list[ComparedRun]
    new: list[ComparedRun]
    method: ComparisonMethod
    primary: MetricDifference
    metrics: list[MetricDifference]


class BaselineFile(BaseModel):
    """Runs that `wastenot compare --save-baseline` kept in a folder that is served."""

    name: str
    runs: int
    kernels: list[str]
    """Of the runs, each once."""
    error: str | None
    """Why it cannot be read."""


class ComparedMeasure(BaseModel):
    """One measure of two traces; `difference` is b - a."""

    name: str
    unit: str
    a: float | None
    b: float | None
    difference: float | None


class ComparedCause(BaseModel):
    """Waste charged to one cause in both."""

    placed_by: str
    not_moved_because: str
    ended_by: str
    recurrent: bool
    a_core_s: float
    b_core_s: float


class ComparedGrade(BaseModel):
    """Waste of one grade in both."""

    grade: str
    a_core_s: float
    b_core_s: float
    a_count: int
    b_count: int


class Comparison(BaseModel):
    """Two traces on the same measures."""

    a: TraceRow
    b: TraceRow
    sentence_a: str
    sentence_b: str
    remarks: list[str]
    """What differs between the recordings themselves, each in a sentence: machine, kernel, evidence, what was lost."""
    measures: list[ComparedMeasure]
    grades: list[ComparedGrade]
    causes: list[ComparedCause]
