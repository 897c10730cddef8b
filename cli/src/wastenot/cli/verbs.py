"""The verbs of the command: each is imported when it is called, and listed without being imported."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from typing import Any

import click

MODULES = {
    "doctor": "doctor", "record": "record", "watch": "watch", "live": "live", "import": "import_trace",
    "check": "check", "episodes": "episodes", "episode": "episode", "top": "top", "latency": "latency",
    "compare": "compare", "counters": "counters", "balance": "balance", "advise": "advise", "deadlines": "deadlines",
    "sql": "sql", "export": "export", "report": "report", "provoke": "provoke", "serve": "serve",
    "simulate": "simulate", "experiment": "experiment", "glossary": "glossary",
}  # fmt: skip
"""Verbs in the order of `--help`, and the modules of `wastenot.cli.commands` whose function of that name they are."""


class Verbs(Mapping[str, click.Command]):
    """Commands by verb."""

    def __getitem__(self, verb: str) -> click.Command:
        return _command(verb)

    def __iter__(self) -> Iterator[str]:
        return iter(MODULES)

    def __len__(self) -> int:
        return len(MODULES)


class VerbGroup(click.Group):
    """The group of all verbs."""

    def __init__(self, **attributes: Any) -> None:
        super().__init__(**attributes)
        self.commands = Verbs()  # type: ignore[assignment]

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """As click's, from the docstrings in the sources: importing all verbs takes longer than reading the help."""
        width = formatter.width - 6 - max(map(len, MODULES))
        with formatter.section("Commands"):
            formatter.write_dl(
                [(verb, click.Command(verb, help=_description(verb)).get_short_help_str(width)) for verb in MODULES]
            )


@cache
def _command(verb: str) -> click.Command:
    """The command of a verb; KeyError for anything else."""
    found = getattr(import_module(_module(verb)), _function(verb))
    assert isinstance(found, click.Command)
    return found


def _module(verb: str) -> str:
    return f"wastenot.cli.commands.{MODULES[verb]}"


def _function(verb: str) -> str:
    return "import_" if verb == "import" else verb


def _description(verb: str) -> str:
    """The docstring of the function of a verb."""
    spec = find_spec(_module(verb))
    assert spec is not None and spec.loader is not None
    source = spec.loader.get_source(spec.name)  # type: ignore[attr-defined]
    (function,) = (n for n in ast.parse(source).body if isinstance(n, ast.FunctionDef) and n.name == _function(verb))
    return ast.get_docstring(function) or ""
