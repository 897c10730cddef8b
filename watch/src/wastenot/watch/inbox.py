"""What other threads and signals want of the loop: a queue with a file descriptor to wait on."""

from __future__ import annotations

import contextlib
import os
import queue
import select
import signal
from collections.abc import Iterator
from dataclasses import dataclass, field
from types import FrameType
from typing import Any


@dataclass
class Inbox:
    """Items from any thread, taken by one. `wait` returns when there is one, a descriptor is ready, or in time."""

    _items: queue.SimpleQueue[Any] = field(default_factory=queue.SimpleQueue)
    _pipe: tuple[int, int] = field(default_factory=lambda: os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC))

    def put(self, item: object) -> None:
        """Add an item; safe in a signal handler."""
        self._items.put(item)
        with contextlib.suppress(BlockingIOError):
            os.write(self._pipe[1], b"\0")

    def wait(self, timeout_s: float, descriptors: list[int]) -> list[int]:
        """Wait; returns the descriptors that are ready."""
        ready, _, _ = select.select([self._pipe[0], *descriptors], [], [], max(0.0, timeout_s))
        if self._pipe[0] in ready:
            with contextlib.suppress(BlockingIOError):
                os.read(self._pipe[0], 4096)
        return [d for d in ready if d != self._pipe[0]]

    def take(self) -> Iterator[Any]:
        """The items that are there."""
        while True:
            try:
                yield self._items.get_nowait()
            except queue.Empty:
                return

    def close(self) -> None:
        """Close the descriptors."""
        for fd in self._pipe:
            os.close(fd)

    @contextlib.contextmanager
    def signals(self, *numbers: signal.Signals) -> Iterator[None]:
        """Have these signals put into the inbox, as `signal.Signals`; main thread only."""

        def on_signal(number: int, _frame: FrameType | None) -> None:
            self.put(signal.Signals(number))

        previous = {number: signal.signal(number, on_signal) for number in numbers}
        try:
            yield
        finally:
            for number, handler in previous.items():
                signal.signal(number, handler)
