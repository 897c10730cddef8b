"""How the command ends."""

from __future__ import annotations

DONE = 0
CHECK_FAILED = 1
USAGE = 2


class CommandError(Exception):
    """Usage, bad input or missing permission; one line: what, where, what to do. Ends with status 2."""


class CheckFailed(Exception):
    """The check asked for by --fail-on failed; the message names the figure. Ends with status 1."""
