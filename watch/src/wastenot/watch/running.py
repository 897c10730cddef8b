"""Starting a watch: lock, native side, HTTP, OTLP, and their end in the reverse order."""

from __future__ import annotations

import os
from contextlib import ExitStack
from importlib import import_module
from typing import Any

from prometheus_client import CollectorRegistry
from wastenot.watch.box_folder import BoxFolder
from wastenot.watch.errors import WatchError
from wastenot.watch.http.address import Address, read_token
from wastenot.watch.http.server import HttpInterface, Routes
from wastenot.watch.native import Exact, Sentinel
from wastenot.watch.options import WatchOptions
from wastenot.watch.report.message import INFO, NOTICE, WARNING, Message
from wastenot.watch.report.surface import Surface
from wastenot.watch.report.systemd import Notifier
from wastenot.watch.run_folder import RunLock
from wastenot.watch.watching import Watching, watch_facts


def run_watch(
    options: WatchOptions, sentinel: Sentinel, exact: Exact | None, surface: Surface, notifier: Notifier
) -> None:
    """Watch until a signal or the time ends it.

    Raises WatchError where it cannot start, and WastenotError where the native side fails; both are one line.
    """
    with ExitStack() as ends:
        ends.callback(os.umask, os.umask(0o077))
        ends.callback(surface.close)
        token = _token(options)
        lock = RunLock.take(options.run_dir)
        ends.callback(lock.release)
        boxes = BoxFolder.open(options.out, options.most_bytes)
        ends.callback(boxes.lock())
        started = sentinel.start()
        ends.callback(sentinel.stop)
        if exact is not None:
            exact.start()
            ends.callback(exact.stop)
        facts = watch_facts(options, started.kernel, started.not_recorded)
        watching = Watching(options, sentinel, exact, boxes, facts, started, surface, notifier)
        routes = _routes(watching, token)
        if options.token_file is not None:
            file = options.token_file
            watching.on_rotate(lambda: setattr(routes, "token", read_token(file)))
        own = HttpInterface.open(Address(path=lock.socket_path), routes, private=True)
        ends.callback(own.close)
        if options.metrics is not None:
            http = HttpInterface.open(options.metrics, routes)
            ends.callback(http.close)
            surface.report(
                Message(_metrics_text(http.address), NOTICE, {"WASTENOT_METRICS": str(http.address)}, "start")
            )
        if options.otlp is not None:
            export = _otlp(options.otlp, watching, surface)
            ends.callback(export.close)
        surface.report(Message(_start_text(options, started.memory_bytes), INFO, kind="start"))
        for text in started.not_recorded:
            surface.report(Message(text, INFO))
        ended = watching.run()
        surface.report(Message(f"watch ended: {ended}", INFO, kind="end"))


def _token(options: WatchOptions) -> str | None:
    """The token, where one is given; raises WatchError where one is needed."""
    if options.token_file is not None:
        return read_token(options.token_file)
    if options.metrics is not None and not options.metrics.is_local:
        raise WatchError(
            f"--metrics {options.metrics}: other machines reach this address, so a token is needed; make one with "
            "`openssl rand -hex 16 > FILE` and give --metrics-token FILE"
        )
    return None


def _routes(watching: Watching, token: str | None) -> Routes:
    registry = CollectorRegistry()
    registry.register(watching.collector)
    return Routes(registry, watching.trigger, watching.view, token)


def _otlp(url: str, watching: Watching, surface: Surface) -> Any:
    try:
        module = import_module("wastenot.watch.metrics.otlp")
    except ModuleNotFoundError as e:
        raise WatchError(f"--otlp: {e.name} is not installed; `pip install 'wastenot-watch[otlp]'`") from None
    return module.OtlpExport(url, watching.collector, lambda text: surface.report(Message(text, WARNING)))


def _metrics_text(address: Address) -> str:
    return f"metrics at {address}" if address.path else f"metrics at http://{address}/metrics"


def _start_text(options: WatchOptions, memory_bytes: int) -> str:
    conditions = " or ".join(c.text for c in options.conditions)
    return (
        f"watching for {conditions}; boxes go to {options.out}; {options.keep_ns / 1e9:g} s are kept, in "
        f"{memory_bytes / 1e6:.0f} MB of memory at most"
    )
