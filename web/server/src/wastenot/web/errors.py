"""Errors of the server, and the status that each is answered with."""

from __future__ import annotations

from wastenot.analyzer.errors import (
    BadArgument,
    BadQuery,
    LockedTrace,
    MissingTrace,
    NotChecked,
    StaleFindings,
)


class WebError(Exception):
    """An error with its HTTP status; the message is one line, fit for a user."""

    def __init__(self, status: int, text: str) -> None:
        super().__init__(text)
        self.status = status


class ClientGone(Exception):
    """The client has gone."""


class TablesBeingMade(Exception):
    """An answer needs tables that are being made: events walked, their share of all (0..1), seconds left if known."""

    def __init__(self, events: int, share: float, left_s: float | None) -> None:
        super().__init__("tables for this are being made")
        self.events, self.share, self.left_s = events, share, left_s


STATUS: dict[type[Exception], int] = {
    BadQuery: 400,
    BadArgument: 400,
    MissingTrace: 404,
    NotChecked: 409,
    StaleFindings: 409,
    LockedTrace: 409,
}
"""Statuses of the analyzer's errors; any other one is 422: the file is at fault."""


def status_of(error: Exception) -> int:
    """The status of an error of the analyzer or of the native package."""
    return next((status for kind, status in STATUS.items() if isinstance(error, kind)), 422)
