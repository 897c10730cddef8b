"""Real workloads that hit a scheduler's corner cases (see the crate wastenot-provoke)."""

def workloads() -> str:
    """The workloads as JSON, in their order: name, does, expect, unit."""

def run(name: str, seed: int = 1, seconds: float = 3.0, threads: int | None = None) -> str:
    """Run a workload in a child process; returns what was done as JSON: name, work, unit, threads, took_s, seed.

    `seconds` is how long new work is begun, `threads` how many threads or processes at once (None: what suits workload
    and machine). Raises WastenotError with one line; KeyboardInterrupt ends the workload and goes through.
    """
