"""`wastenot watch`: the checker that is always on."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from wastenot.cli.errors import CommandError
from wastenot.cli.options import json_option
from wastenot.cli.output import note, show_json
from wastenot.cli.own_folder import require_own_folder
from wastenot.cli.parameters import PATH, TEXT, Integer, argument, command, flag, option

if TYPE_CHECKING:
    from wastenot.watch.options import WatchOptions

ACTIONS = ("trigger", "status")


@command()
@argument(
    "action",
    type=TEXT,
    required=False,
    metavar="[trigger|status]",
    help="Ask the watch that runs on this machine to save a box now, or for what it sees (JSON).",
)
@option("--keep", type=TEXT, default="10s", metavar="DUR", help="Time before a trigger that a box has.")
@option(
    "--memory",
    type=TEXT,
    default="64MB",
    metavar="SIZE",
    help="Most memory of the black box, all CPUs together. Each CPU gets a power of two: 64 KiB to 256 MiB.",
)
@option("--after", type=TEXT, default="2s", metavar="DUR", help="Time after a trigger that a box has.")
@option(
    "--on",
    type=TEXT,
    multiple=True,
    metavar="EXPR",
    help="Save a box when true: an expression of `check --fail-on`, as in 'lasting>0' (the default), or one that must "
    "hold for a time, as in 'wasted>1% for 5s'. Repeatable.",
)
@option(
    "--on-exit", type=Integer(1), multiple=True, metavar="PID", help="Save a box when this process ends. Repeatable."
)
@flag("--exact", help="Evaluate conditions on the exact figures, not on samples; costs more.")
@option(
    "--out", type=PATH, metavar="DIR", help="Folder of boxes (/var/lib/wastenot; ./wastenot-boxes for other users)."
)
@option(
    "--max-disk", type=TEXT, default="2GB", metavar="SIZE", help="Most that boxes may take; the oldest are deleted."
)
@option(
    "--rate-limit",
    type=TEXT,
    default="1/min",
    metavar="N/UNIT",
    help="Most boxes in a time, of conditions and of requests.",
)
@flag("--keep-unconfirmed", help="Keep boxes whose exact verdict does not satisfy the condition.")
@option(
    "--exec",
    "execute",
    type=TEXT,
    metavar="CMD",
    help="Run for each confirmed box; it finds WASTENOT_BOX and others set.",
)
@option(
    "--metrics",
    type=TEXT,
    metavar="ADDRESS:PORT|unix:PATH",
    help="Serve OpenMetrics there, as at 127.0.0.1:9477. Other than loopback addresses require --metrics-token.",
)
@option("--metrics-token", type=PATH, metavar="FILE", help="File with the secret that every request must carry.")
@option("--otlp", type=TEXT, metavar="URL", help="Send metrics by OTLP/HTTP to this full address.")
@option("--for", "length", type=TEXT, metavar="DUR", help="End after this time.")
@option("--run-dir", type=PATH, metavar="DIR", help="Folder of lock and socket (/run/wastenot).")
@flag("--quiet", "-q", help="Print alarms and errors only.")
@json_option
def watch(action: str | None, run_dir: Path | None, quiet: bool, as_json: bool, **given: Any) -> None:
    """Watch this machine: when cores are wasted, save the events from before and after, check them and raise an alarm.

    A sentinel looks at all runqueues about a thousand times a second; the last events are kept in memory. When a
    condition holds, they are saved as a trace (a box) and checked exactly; only where the exact verdict satisfies the
    condition, the box is kept, reported, and --exec is run.

    SIGUSR1 saves a box; SIGHUP looks at the folder of boxes and the token anew and reports totals; SIGTERM and Ctrl-C
    end.
    """
    from wastenot.watch.run_folder import run_folder

    folder = run_folder(run_dir)
    if action is not None:
        _ask(action, folder, quiet=quiet, as_json=as_json)
        return
    options = _options(folder, **given)
    require_own_folder(options.out.parent)
    _run(options, quiet=quiet, as_json=as_json)


def _options(
    run_dir: Path,
    *,
    keep: str,
    memory: str,
    after: str,
    on: tuple[str, ...],
    on_exit: tuple[int, ...],
    exact: bool,
    out: Path | None,
    max_disk: str,
    rate_limit: str,
    keep_unconfirmed: bool,
    execute: str | None,
    metrics: str | None,
    metrics_token: Path | None,
    otlp: str | None,
    length: str | None,
) -> WatchOptions:
    """The options as values; raises the errors of what is wrong in them."""
    from wastenot.watch import options
    from wastenot.watch.alarm_command import alarm_words
    from wastenot.watch.http.address import parse_address
    from wastenot.watch.rate_limit import RateLimit

    keep_ns = options.parse_length(keep, "--keep", 100_000_000)
    return options.WatchOptions(
        out=out or default_folder(),
        run_dir=run_dir,
        conditions=options.parse_conditions(on, keep_ns),
        keep_ns=keep_ns,
        memory_bytes=options.parse_memory(memory, "--memory"),
        after_ns=options.parse_length(after, "--after", 0),
        exact=exact,
        most_bytes=options.parse_bytes(max_disk, "--max-disk"),
        rate_limit=RateLimit.parse(rate_limit),
        keep_unconfirmed=keep_unconfirmed,
        metrics=None if metrics is None else parse_address(metrics),
        token_file=metrics_token,
        otlp=None if otlp is None else options.parse_url(otlp, "--otlp"),
        alarm=() if execute is None else tuple(alarm_words(execute)),
        for_ns=None if length is None else options.parse_length(length, "--for"),
        exit_of=on_exit,
    )


def _run(options: WatchOptions, *, quiet: bool, as_json: bool) -> None:
    from wastenot.watch.kernel_exact import KernelExact
    from wastenot.watch.kernel_sentinel import KernelSentinel
    from wastenot.watch.report.surface import open_surface
    from wastenot.watch.report.systemd import Notifier
    from wastenot.watch.running import run_watch

    sentinel = KernelSentinel(options)
    exact = KernelExact() if options.exact else None
    run_watch(options, sentinel, exact, open_surface(quiet=quiet, as_json=as_json), Notifier.from_environment())


def _ask(action: str, folder: Path, *, quiet: bool, as_json: bool) -> None:
    """Ask the running watch; raises CommandError where it saves nothing."""
    from wastenot.watch.http.client import ask

    if action == "status":
        show_json(ask(folder, "GET", "/status"))
    elif action == "trigger":
        found = ask(folder, "POST", "/trigger", "command line")
        if as_json:
            show_json(found)
        if not found["saving"]:
            raise CommandError(f"no box is saved: {found['message']}")
        if not as_json and not quiet:
            note(str(found["message"]))
    else:
        raise CommandError(f"watch {action}: one of {', '.join(ACTIONS)}, or nothing")


def default_folder() -> Path:
    """Where boxes go: $STATE_DIRECTORY under systemd, /var/lib/wastenot for root, the working folder for others."""
    if folder := os.environ.get("STATE_DIRECTORY"):
        return Path(folder.split(":")[0])
    return Path("/var/lib/wastenot") if os.geteuid() == 0 else Path("wastenot-boxes")
