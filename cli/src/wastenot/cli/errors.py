"""How the command ends."""

from __future__ import annotations

DONE = 0
CHECK_FAILED = 1
USAGE = 2


class CommandError(Exception):
    """Usage, bad input or missing permission; one line: what, where, what to do. Ends with status 2."""


class CheckFailed(Exception):
    """The check asked for by --fail-on failed; the message names the figure. Ends with status 1."""


class CheckUndecided(Exception):
    """What was recorded does not decide a condition of --fail-on, and no other one is true; the message says why. Ends
    with status 1: a check that cannot be made has not been passed."""
