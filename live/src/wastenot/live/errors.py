"""Errors of the terminal view; each is one line."""

from __future__ import annotations

from wastenot.analyzer.errors import AnalyzerError


class NoWatch(AnalyzerError):
    """No watch answers, or none can be started."""
