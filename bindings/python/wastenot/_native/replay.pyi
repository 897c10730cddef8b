"""Simulations (see the crate wastenot-replay)."""

from collections.abc import Callable

from wastenot._native import ArrowStream

def derive_bubbles(tables: dict[str, object], emit: Callable[[str, ArrowStream], object]) -> None:
    """Derive the tables of bubbles of a checked trace.

    `tables` are Arrow streams by name: trace, cpu, cgroup, thread, process, thread_snapshot, cgroup_move, bubble_event,
    cpu_slice (in order of `start_ns`), thread_state, migration, perf_counter; any may be missing. `emit` receives the
    rows of bubble, bubble_stat, bubble_member, entity_holder and, of inconsistent sequences, of data_quality.
    """

class BubbleTimeline:
    """Where threads and bubbles of the declared tree were, indexed for queries at any instant."""

    def __init__(self, rows: object) -> None:
        """From an Arrow stream of the rows of `entity_holder`."""

    @property
    def end_ns(self) -> int:
        """End of the last row; 0 when there is none."""

    def state(self, at_ns: int) -> ArrowStream:
        """The rows of `entity_holder` under way at an instant."""

    def changes(self, start_ns: int, end_ns: int, limit: int) -> tuple[ArrowStream, bool]:
        """What changes from `start_ns` up to `end_ns`, at most `limit` rows; and whether that was all.

        Columns: ts_ns; id of the event; utid or bubble_id; holder, holder_id, state, priority from then on (holder
        NULL: it has ended); from_holder, from_holder_id, from_state before (NULL: it starts).
        """

def simulate(
    scenario: str,
    options: str = "{}",
    emit: Callable[[str, ArrowStream], object] | None = None,
    progress: Callable[[int, float], object] | None = None,
) -> str:
    """Run the scenario that a TOML text describes; `emit` as for `collector.decode`, without it nothing is kept.

    `options` is JSON: `seed`, `overrides` (machine, fault, fixed, scheduler, release, evidence_level: in place of
    the scenario's), `snapshot` (text of a machine's JSON or hwloc XML), `scale` (constants to multiply: name,
    numerator, denominator), `command` and `options` (JSON; both named in the trace). `progress(rows, share)` is
    called with the progress. Returns the outcome as JSON. What the callbacks raise goes through; else WastenotError
    with one line.
    """

def scenario(text: str) -> str:
    """The scenario of a TOML text as JSON. Raises WastenotError that names the line."""

def faults() -> str:
    """The faults of the kernel model as JSON: name, does, fix, source, counterfactual, shipped (releases)."""

def schedulers() -> str:
    """The schedulers as JSON: pairs of a name and what it is."""

def constants() -> str:
    """The constants of the simulation by name as JSON, in nanoseconds or thousandths."""

def soft_realtime(settings: str = "{}") -> str:
    """Run the experiment of soft real time on a core of two hardware threads; settings and outcome are JSON.

    Settings: `seed`, `sets` per size and serial utilisation, `pairs_seed`, `least_share` (thousandths), and
    the booleans `symbiosis_control` and `scaled_utilisations`.
    Raises WastenotError with one line.
    """
