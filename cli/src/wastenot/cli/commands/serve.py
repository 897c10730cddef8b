"""`wastenot serve`: the browser."""

from __future__ import annotations

import os
import re
import secrets
from pathlib import Path

from wastenot import _native
from wastenot.analyzer import CheckOptions, ensure_checked
from wastenot.analyzer.errors import NoAccess
from wastenot.analyzer.store.opening import open_read_only
from wastenot.analyzer.store.tables import missing_tables, tables_not_made
from wastenot.cli.errors import CommandError
from wastenot.cli.output import check_progress, note
from wastenot.cli.parameters import INPUT, PATH, TEXT, Integer, Number, argument, command, option


@command()
@argument(
    "traces",
    type=INPUT,
    nargs=-1,
    required=False,
    metavar="[T.duckdb…]",
    help="Traces to show, or folders of them; more can be dropped on the page.",
)
@option("--port", type=Integer(0, 65_535), default=8470, help="Port; 0 takes any that is free.")
@option(
    "--host",
    type=TEXT,
    default="127.0.0.1",
    help="Address to listen on. Others than loopback addresses require a token.",
)
@option(
    "--prefix",
    type=TEXT,
    default="",
    show_default=False,
    metavar="/PATH",
    help="Path prefix of all addresses, behind a proxy.",
)
@option(
    "--token",
    type=TEXT,
    envvar="WASTENOT_TOKEN",
    show_envvar=True,
    help="Secret that every request must carry; generated where one is needed.",
)
@option(
    "--allow-host",
    type=TEXT,
    multiple=True,
    metavar="NAME",
    help="Host name that requests may ask for, as a proxy's. Repeatable.",
)
@option(
    "--upload-dir",
    type=PATH,
    metavar="DIR",
    help="Folder for imported traces; by default one that is removed with the server.",
)
@option("--upload-limit", type=Number(min=0), default=4.0, metavar="GB", help="Largest upload.")
@option("--sql-time", type=Number(min=0.1), default=30.0, metavar="S", help="Longest query from the SQL page.")
def serve(
    traces: tuple[Path, ...],
    port: int,
    host: str,
    prefix: str,
    token: str | None,
    allow_host: tuple[str, ...],
    upload_dir: Path | None,
    upload_limit: float,
    sql_time: float,
) -> None:
    """Show traces in the browser: verdict, timeline, replay, episodes, SQL, comparison. Ends with Ctrl-C.

    A trace that an earlier version checked is checked again first. The tables that are made on demand are made when a
    view needs them, while the others are shown already; otherwise traces are read, never written.
    Open the printed address, which includes the token if there is one.
    """
    from wastenot.web.serving import address, bind, is_loopback  # slow to import
    from wastenot.web.serving import serve as run
    from wastenot.web.settings import Settings

    for path in (p for p in traces if not p.is_dir()):
        _make_current(path)
    if prefix and not re.fullmatch(r"(/[A-Za-z0-9._~-]+)+/?", prefix):
        raise CommandError(f"--prefix {prefix}: write it as /path, of letters, digits, dots and dashes")
    if token is not None and not re.fullmatch(r"[A-Za-z0-9._~-]{8,200}", token):
        raise CommandError("--token: 8 to 200 letters, digits, dots, dashes or underscores")
    if upload_dir is not None and not (upload_dir.is_dir() and os.access(upload_dir, os.W_OK)):
        raise CommandError(f"--upload-dir {upload_dir}: not a writable folder")
    if token is None and not is_loopback(host):
        token = secrets.token_urlsafe(18)
    settings = Settings(
        host=host,
        port=port,
        prefix=prefix.rstrip("/"),
        token=token,
        names=allow_host,
        upload_folder=upload_dir,
        upload_bytes=int(upload_limit * 1e9),
        sql_seconds=sql_time,
    )
    try:
        listening = bind(settings)
    except (OSError, OverflowError) as e:
        reason = e.strerror if isinstance(e, OSError) else str(e)
        raise CommandError(f"{host}:{port}: cannot listen there ({reason}); choose another --port or --host") from None
    note(f"serving at {address(settings, listening.getsockname()[1])}")
    run(list(traces), settings, listening)


def _make_current(path: Path) -> None:
    """Raise the analyzer's errors for a file that is not a trace; check one again that lacks tables of this version."""
    with open_read_only(path) as con:
        lacks = bool(missing_tables(con))
        found = con.execute("SELECT options, checker_version FROM verdict").fetchone()
        stale = lacks or (found is not None and bool(tables_not_made(con)) and found[1] != _native.version())
    if not stale or found is None:
        return
    try:
        with check_progress(quiet=False) as progress:
            ensure_checked(path, CheckOptions.from_json(found[0]), progress)
    except NoAccess as e:
        if lacks:
            raise
        note(f"{path}: was checked by an earlier version, and its larger tables cannot be made ({e})")
    else:
        note(f"{path}: was checked by an earlier version; checked again")
