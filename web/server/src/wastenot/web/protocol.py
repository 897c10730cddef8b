"""uvicorn's connection, with time limits: for a head that does not come, and for an answer that is not read.

uvicorn limits neither. A body that does not come is the application's business (`guards`).
"""

from __future__ import annotations

import asyncio
from typing import Any

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol
from wastenot.web.settings import Settings

HEAD_BYTES = 65_536
"""Longest head of a request."""


def patient(settings: Settings) -> type[HttpToolsProtocol]:
    """The connection's class under these limits."""

    class Connection(HttpToolsProtocol):
        _head_timer: asyncio.TimerHandle | None = None
        _head_bytes = 0
        _in_head = True
        _stall_timer: asyncio.TimerHandle | None = None

        def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
            super().connection_made(transport)
            self._await_head()

        def connection_lost(self, exc: Exception | None) -> None:
            self._cancel()
            super().connection_lost(exc)

        def data_received(self, data: bytes) -> None:
            if self._in_head:
                self._head_bytes += len(data)
                if self._head_timer is None:
                    self._await_head()
            super().data_received(data)
            if self._in_head and self._head_bytes > HEAD_BYTES:
                self._abort()

        def on_headers_complete(self) -> None:
            self._in_head, self._head_bytes = False, 0
            if self._head_timer is not None:
                self._head_timer.cancel()
                self._head_timer = None
            super().on_headers_complete()

        def on_message_complete(self) -> None:
            self._in_head = True
            super().on_message_complete()

        def pause_writing(self) -> None:
            super().pause_writing()
            self._watch(self.transport.get_write_buffer_size())

        def resume_writing(self) -> None:
            super().resume_writing()
            if self._stall_timer is not None:
                self._stall_timer.cancel()
                self._stall_timer = None

        def timeout_keep_alive_handler(self) -> None:
            super().timeout_keep_alive_handler()
            self.loop.call_later(settings.stall_seconds, self._abort)  # what is still to be sent is not waited for

        def _await_head(self) -> None:
            self._head_timer = self.loop.call_later(settings.head_seconds, self._abort)

        def _watch(self, left: int) -> None:
            """Check again after `stall_seconds` whether less is left to be sent."""
            self._stall_timer = self.loop.call_later(settings.stall_seconds, self._abort_if_stalled, left)

        def _abort_if_stalled(self, was: int) -> None:
            left = self.transport.get_write_buffer_size()
            if left >= was:
                self._abort()
            else:
                self._watch(left)

        def _abort(self, *_: Any) -> None:
            self.transport.abort()

        def _cancel(self) -> None:
            for timer in (self._head_timer, self._stall_timer):
                if timer is not None:
                    timer.cancel()

    return Connection
