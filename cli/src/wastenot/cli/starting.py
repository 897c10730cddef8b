"""Entry point of the console script: small, so that errors while importing the rest end in one line as well."""

from __future__ import annotations

import errno
import os
import signal
import sys
from types import FrameType
from typing import NoReturn

from wastenot.cli.limits import too_many_files

INTERRUPTED = 2
"""Status after Ctrl-C, as `wastenot.cli.main` has it."""

AGAIN_S = 0.005
"""After that long an interrupt that came within the import system is tried again."""


def run() -> None:
    """Run the command. Ctrl-C while modules are read ends it in a line; when all is done it no longer counts."""
    signal.signal(signal.SIGINT, _interrupted)
    try:
        from wastenot.cli.main import run_command

        signal.signal(signal.SIGINT, interrupt)
        status = run_command()
    except KeyboardInterrupt:
        _interrupted(signal.SIGINT, None)
    except (OSError, ImportError) as e:  # imports of shared libraries give the system's error as text only
        if not (getattr(e, "errno", None) in (errno.EMFILE, errno.ENFILE) or os.strerror(errno.EMFILE) in str(e)):
            raise
        os.write(2, f"wastenot: {too_many_files()}\n".encode())
        os._exit(2)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.setitimer(signal.ITIMER_REAL, 0)
    sys.exit(status)


def interrupt(_number: int, frame: FrameType | None) -> None:
    """Raise KeyboardInterrupt; a moment later where the import system would drop it.

    What its callbacks raise is printed as ignored, with a traceback, and forgotten. Verbs, and what is slow to import,
    are read when they are needed. This is not `signal.default_int_handler`, so that `asyncio.run` leaves it in place.
    """
    if not _put_off(frame):
        raise KeyboardInterrupt


def _again(_number: int, frame: FrameType | None) -> None:
    """Interrupt now; what handles it may be another function by then."""
    if not _put_off(frame):
        signal.raise_signal(signal.SIGINT)


def _put_off(frame: FrameType | None) -> bool:
    """Put an interrupt off that came within the import system; whether it did."""
    if frame is None or not frame.f_code.co_filename.startswith("<frozen importlib"):
        return False
    signal.signal(signal.SIGALRM, _again)
    signal.setitimer(signal.ITIMER_REAL, AGAIN_S)
    return True


def _interrupted(_number: int, _frame: FrameType | None) -> NoReturn:
    os.write(2, b"wastenot: interrupted\n")
    os._exit(INTERRUPTED)
