"""Entry point of the console script: small, so that errors while importing the rest end in one line as well."""

from __future__ import annotations

import errno
import os
import resource
import signal
import sys
from types import FrameType
from typing import NoReturn

INTERRUPTED = 2
"""Status after Ctrl-C, as `wastenot.cli.main` has it."""


def run() -> None:
    """Run the command. Ctrl-C while modules are read ends it in a line; when all is done it no longer counts."""
    signal.signal(signal.SIGINT, _interrupted)
    try:
        from wastenot.cli.main import run_command

        signal.signal(signal.SIGINT, signal.default_int_handler)
        status = run_command()
    except KeyboardInterrupt:
        _interrupted(signal.SIGINT, None)
    except (OSError, ImportError) as e:  # imports of shared libraries give the system's error as text only
        if not (getattr(e, "errno", None) in (errno.EMFILE, errno.ENFILE) or os.strerror(errno.EMFILE) in str(e)):
            raise
        os.write(2, f"wastenot: {too_many_files()}\n".encode())
        os._exit(2)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    sys.exit(status)


def too_many_files() -> str:
    """The message for when no more files can be opened."""
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return f"too many open files (this process may open {soft}); raise the limit, as with `ulimit -n 1024`"


def _interrupted(_number: int, _frame: FrameType | None) -> NoReturn:
    os.write(2, b"wastenot: interrupted\n")
    os._exit(INTERRUPTED)
