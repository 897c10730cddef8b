"""What a watch refuses, in one line."""

from __future__ import annotations

from wastenot.analyzer.errors import AnalyzerError


class WatchError(AnalyzerError):
    """A watch cannot start or was not reached; the message says what, where and what to do."""


class NotRunning(WatchError):
    """No watch answers where one was asked."""
