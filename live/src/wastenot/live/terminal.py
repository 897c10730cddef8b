"""What the terminal can do: a view that is drawn in place, and which characters."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping

from wastenot.live.lines.glyphs import ASCII, UNICODE, Glyphs

CANNOT_MOVE = ("", "dumb", "unknown")
"""Values of TERM for terminals whose cursor cannot be placed."""

FEW_CHARACTERS = ("linux", "vt100", "vt102", "vt220", "ansi", "cons25")
"""Values of TERM for terminals whose fonts may lack block characters."""


def can_be_drawn_on(environment: Mapping[str, str] = os.environ) -> bool:
    """Whether input and output are a terminal whose cursor can be placed."""
    are_terminals = all(stream is not None and stream.isatty() for stream in (sys.stdin, sys.stdout, sys.stderr))
    return are_terminals and environment.get("TERM", "") not in CANNOT_MOVE


def glyphs_of(environment: Mapping[str, str] = os.environ, encoding: str | None = None) -> Glyphs:
    """The characters to draw with: ASCII where font or encoding may lack the others."""
    used = (encoding or sys.stdout.encoding or "").lower().replace("-", "")
    locale = environment.get("LC_ALL") or environment.get("LC_CTYPE") or environment.get("LANG") or ""
    has_unicode = used == "utf8" and locale not in ("C", "POSIX")
    return UNICODE if has_unicode and environment.get("TERM", "") not in FEW_CHARACTERS else ASCII
