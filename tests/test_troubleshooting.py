"""The messages that the troubleshooting page quotes are those that the program prints."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs/guide/troubleshooting.md"
SOURCES = ("*/src/**/*.py", "web/server/src/**/*.py", "collector/**/*.rs", "schemas/enums.toml")
ENDS = re.compile("…|[;:()]")
"""Where the parts of a message end, which the program puts together: what varies, what, where, what to do."""
SHORTEST = 4
"""Letters of a part that is looked for; shorter ones are in any source."""


def source_text() -> str:
    """All sources, with string literals that continue on the next line joined."""
    paths = sorted({path for pattern in SOURCES for path in ROOT.glob(pattern) if "/tests/" not in str(path)})
    text = "\n".join(path.read_text(encoding="utf-8") for path in paths)
    text = re.sub(r'"\s*\n\s*[rf]?"', "", text)
    return re.sub(r"\\\n\s*", "", text)


def quoted_messages() -> list[str]:
    """The lines of the page's blocks of `text`."""
    blocks = re.findall(r"^```text\n(.*?)^```$", PAGE.read_text(encoding="utf-8"), re.M | re.S)
    return [line for block in blocks for line in block.splitlines()]


@pytest.fixture(scope="module")
def sources() -> str:
    """Read once."""
    return source_text()


def test_the_page_quotes_messages() -> None:
    assert len(quoted_messages()) > 30


@pytest.mark.parametrize("message", quoted_messages())
def test_a_quoted_message_is_one_of_the_program(message: str, sources: str) -> None:
    parts = [part.strip() for part in ENDS.split(message) if len(re.findall(r"\w", part)) >= SHORTEST]
    assert parts, "nothing of the message is fixed"
    for part in parts:
        assert part in sources, part
