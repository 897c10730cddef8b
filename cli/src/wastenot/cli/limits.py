"""Limits of the process, in words."""

from __future__ import annotations

import resource


def too_many_files() -> str:
    """The message for when no more files can be opened."""
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return f"too many open files (this process may open {soft}); raise the limit, as with `ulimit -n 1024`"
