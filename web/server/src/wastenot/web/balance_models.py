"""The JSON answer about the balance of parallel programs: that of `wastenot balance --json`, with words and cells."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

Kind = Literal["threads", "processes", "threads_or_processes"]
EvidenceLevel = Literal["H0", "H1", "H2"]


class CalledFunction(BaseModel):
    """A function or region that the ranks entered, and how often."""

    name: str
    kind: str
    calls: int


class Calls(BaseModel):
    """The calls of the ranks that the trace holds; figures rest on them where `is_used`."""

    is_used: bool
    ranks: int
    lost: int
    not_whole: int
    """Calls that were not seen to start, or not to end."""
    functions: list[CalledFunction]


class Efficiencies(BaseModel):
    """Shares 0..1 of one length of time (lambda may be more); null where the balance is not visible."""

    model_config = ConfigDict(serialize_by_alias=True, validate_by_name=True)

    load_balance: float | None
    communication_efficiency: float | None
    parallel_efficiency: float | None
    lambda_: float | None = Field(alias="lambda")


class Losses(Efficiencies):
    """What was lost to imbalance, intrinsic and extrinsic together."""

    lost_ns: float | None
    intrinsic_ns: float | None
    extrinsic_ns: float | None


class BalanceSegment(Losses):
    """Windows of one kind that follow each other."""

    segment: int
    kind: Literal["iterations", "releases", "outside", "windows"]
    start_ns: int
    end_ns: int
    windows: int
    windows_observed: int
    length_ns: int
    """Of the windows that were observed: what shares are of."""
    is_shown: bool
    """It is long enough to be shown."""
    releases_per_iteration: int | None
    calls_per_iteration: int | None
    work_returns_after: int
    """What ranks compute returns with every so many windows; 1 where it does not."""
    median_ns: int


class RankCounters(BaseModel):
    """Hardware counters of runs in which a rank computes throughout, and how long these are together."""

    instructions: int
    cycles: int
    counted_ns: int


class RankPart(BaseModel):
    """A part of the time of ranks: what it means, and whether some rank has enough of it to be shown."""

    part: Literal["compute", "spin", "wait", "preempted", "queued", "irq", "blocked", "throttled", "other"]
    meaning: str
    is_shown: bool


class RankTimes(BaseModel):
    """What the time of one rank went to: the parts add up to the application's `run_ns`."""

    rank: int
    utid: int
    tid: int
    tgid: int | None
    name: str
    utilization: float | None
    utilization_in_iterations: float | None
    """Of the time in iterations alone: without start and end of the program. Null where no period was found."""
    compute_ns: int
    spin_ns: int
    wait_ns: int
    preempted_ns: int
    queued_ns: int
    irq_ns: int
    blocked_ns: int
    throttled_ns: int
    other_ns: int
    avoidable_wait_ns: int
    helpers_run_ns: int
    counters: RankCounters | None


class ImbalanceSource(BaseModel):
    """What added to the extrinsic imbalance; `words` name it, `is_shown`: it is worth a row."""

    kind: Literal["thread", "rank", "idle", "irq", "throttled", "unknown", "moved"]
    utid: int | None
    tid: int | None
    name: str
    words: str
    is_shown: bool
    extrinsic_ns: float
    extrinsic_in_iterations_ns: float
    """Of `extrinsic_ns`; the rest is start and end of the program."""
    avoidable_ns: int
    taken_ns: int
    last_ns: int


class BalanceWords(BaseModel):
    """What the terminal says about an application, a sentence or two each; empty where there is nothing to say."""

    sentence: str
    ranks: str
    time: str
    observed: str
    not_visible: str
    loss: str
    helpers: str
    episode: str
    evidence: str


class CellColumn(BaseModel):
    """Windows `first` to `last` (from 1 on) of a segment: one, or several where they are too many to draw one by one.

    Figures are of those that were observed; null where none was, or the balance is not visible.
    """

    first: int
    last: int
    segment: int
    start_ns: int
    end_ns: int
    observed: int
    load_balance: float | None
    lost_ns: float | None
    last_rank: int | None
    """The rank that ended last; null for several windows."""


class BalanceCells(BaseModel):
    """What each rank did in each column: ns, by rank and column. `computing` + `waiting` + `taken` + `unknown` is the
    length of the column; `parts` has those of which there is some."""

    columns: list[CellColumn]
    computing_ns: list[list[int]]
    waiting_ns: list[list[int]]
    """Asleep, blocked, or spinning in a call."""
    taken_ns: list[list[int]]
    """Preempted, queued, interrupted, without quota."""
    unknown_ns: list[list[int]]
    utilization: list[list[float | None]]
    """Share of the column in which the rank was runnable, to six digits; null where nothing of it is known."""
    parts: dict[str, list[list[int]]]


class Saving(BaseModel):
    """Shares of the run."""

    least: float
    most: float


class Recommendation(BaseModel):
    """One thing to do: commands to paste, and remarks where something else is to be done or known. `saves_words` says
    what it saves, `assumes` what has to hold."""

    kind: Literal[
        "waiting", "placement", "weights", "thread", "threads", "kernel_thread", "interrupt", "quota", "smt_priority",
        "work",
    ]  # fmt: skip
    what: str
    commands: list[str]
    remarks: list[str]
    saves: Saving | None
    saves_words: str
    assumes: str


class RankPlace(BaseModel):
    """A rank and the CPU that it is to be bound to."""

    rank: int
    tid: int
    cpu: int
    nice: int | None
    """Nice value with which it gets the CPU by what it computes; null where ranks that share one do not spin."""


class PlacementAdvice(BaseModel):
    """Ranks on CPUs, and how long an iteration would take so."""

    ranks: list[RankPlace]
    cpus_certain: bool
    predicted_low_ns: float
    predicted_high_ns: float
    weighted_low_ns: float | None
    weighted_high_ns: float | None
    """With the nice values beside it."""
    now_ns: float


class BalanceAdvice(BaseModel):
    """What would make an application end sooner: that of `wastenot advise --json`, with words."""

    application: int
    name: str
    state: str
    load_moves: bool
    placement: PlacementAdvice | None
    recommendations: list[Recommendation]
    sentence: str
    remarks: list[str]


class RankEpisode(BaseModel):
    """An episode in which ranks waited on one CPU beside an idle one, and for how long."""

    episode_id: int
    grade: str
    waited_on: int
    idle_cpu: int
    core_ns: int


class ParallelApplication(Losses):
    """A parallel program, while all of its ranks were alive."""

    application: int
    name: str
    kind: Kind
    found_by: Literal["launcher", "environment", "siblings", "app", "cgroup", "bubble"]
    launcher: str | None
    world_size: int | None
    """Ranks of the program on all machines, by the environment of its processes; null where that does not tell."""
    evidence_level: EvidenceLevel
    state: Literal["balanced", "imbalanced", "no_imbalance_seen", "not_visible"]
    ranks: int
    calls: Calls | None
    start_ns: int
    end_ns: int
    length_ns: int
    run_ns: int
    releases: int | None
    windows: int
    windows_observed: int
    utilization: float | None
    waiting_seen_share: float
    segments: list[BalanceSegment]
    rank: list[RankTimes]
    parts: list[RankPart]
    sources: list[ImbalanceSource]
    episodes: list[RankEpisode]
    text: BalanceWords
    cells: BalanceCells | None
    """Null where ranks times windows are too many to be kept."""
    advice: BalanceAdvice


class PossibleApplication(BaseModel):
    """Threads or processes that may be an application, and why they are not called one."""

    name: str
    kind: Kind
    ranks: int
    why: Literal["no_iterations", "never_asleep", "never_together", "realtime"]
    crew: str
    reason: str


class Balance(BaseModel):
    """The parallel programs of a trace and how evenly their ranks work."""

    sentence: str
    remarks: list[str]
    evidence_level: EvidenceLevel
    shows_wakeups: bool
    suspect: list[str]
    applications: list[ParallelApplication]
    candidates: list[PossibleApplication]
