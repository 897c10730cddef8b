"""Text of a trace without terminal control characters: names of threads, commands and cgroups are not trusted.

A thread names itself with any bytes but NUL (prctl(2), PR_SET_NAME). Written to a terminal as they are, control
characters move the cursor, set the title, or answer as if typed; characters that turn the direction of writing make one
name look like another. The trace keeps names as they were, JSON and CSV files carry them.
"""

from __future__ import annotations

import re

_UNPRINTABLE = re.compile("[\x00-\x1f\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ud800-\udfff]")


def printable(text: str, keep: str = "") -> str:
    """The text with escapes (`\\x1b`, `\\u202e`) for what a terminal would obey, but for the characters in `keep`."""
    return _UNPRINTABLE.sub(lambda found: found[0] if found[0] in keep else _escape(found[0]), text)


def _escape(character: str) -> str:
    code = ord(character)
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}"
