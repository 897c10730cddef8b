"""Settings of a server. Every limit is here, with its unit."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Settings:
    """How one server runs."""

    host: str = "127.0.0.1"
    port: int = 8470
    prefix: str = ""
    """Path in front of every address, as `/wastenot`; empty or begun with a slash, never ended with one."""
    token: str | None = None
    """Secret that every request must carry; None asks for none, which only a loopback address may do."""
    names: tuple[str, ...] = ()
    """Host names under which it may be asked for, besides addresses, localhost and the machine's own name."""
    upload_folder: Path | None = None
    """Where imported traces go; None makes a temporary folder that ends with the server."""
    static_folder: Path | None = None
    """The built user interface; None takes the one in the package."""
    documentation_folder: Path | None = None
    """The built documentation, likewise."""

    upload_bytes: int = 4 << 30
    """Largest upload."""
    sql_seconds: float = 30.0
    """Longest run of a query that a user gave."""
    sql_rows: int = 1_000_000
    """Most rows of its result."""
    sql_bytes: int = 64 << 20
    """Largest result of it, as Arrow; what is longer is cut off, and says so."""
    sql_memory_bytes: int = 768 << 20
    """What the process of such a query may map beyond what it has when the trace is open; the kernel enforces it."""
    sql_processes: int = 2
    """Such queries that run at once; others wait."""
    upload_memory_bytes: int = 8 << 30
    """What the process of an import may map; the kernel enforces it."""
    trace_memory: str = "128MB"
    """What DuckDB may use for each open trace; sorts beyond it go to the disk."""
    traces_bytes: int = 512 << 20
    """What it may hold for all of them; the least recently used trace is closed when it is more."""
    open_traces: int = 16
    """Traces that are kept open at once, likewise."""
    tile_cache_bytes: int = 64 << 20
    """Encoded tiles kept in memory."""
    tables_seconds: float = 1.0
    """How long a request waits for tables that are being made; then it is answered with how far they are."""
    tables_at_once: int = 2_000_000
    """Up to so many events all tables are made when the overview is asked for: in a second or two."""
    window_events: int = 8_000_000
    """Most events that are walked over for a window of a trace whose tables were not made, a second's walk; for more
    they are made."""
    window_rows: int = 1_000_000
    """Most rows of such a window, in memory."""
    windows_rows: int = 2_000_000
    """Rows of all windows that are kept of one trace; a row takes 20 to 30 bytes of `trace_memory`."""
    running_queries: int = 4
    """Queries that run at once; others wait."""
    head_seconds: float = 10.0
    """How long a client may take over the head of a request."""
    stall_seconds: float = 30.0
    """How long a client may stop in the middle of a body, its own or ours."""
