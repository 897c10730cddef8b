"""How declared names are spelled in generated code."""

from __future__ import annotations

RUST_KEYWORDS = {"type", "move", "ref", "in", "for", "match", "loop", "use", "where", "yield", "static"}


def camel(name: str) -> str:
    """snake_case to CamelCase."""
    return "".join(part.capitalize() for part in name.split("_"))


def field(name: str) -> str:
    """A column as a field of a Rust struct."""
    return f"r#{name}" if name in RUST_KEYWORDS else name
