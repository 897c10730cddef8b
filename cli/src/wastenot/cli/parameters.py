"""Commands, arguments, options and their types: click's, with the lists and messages of this command."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import click

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem


class Text(click.ParamType[str]):
    """A text. Shells complete it as a file name, for want of anything better."""

    name = "str"

    def get_metavar(self, param: click.Parameter, ctx: click.Context) -> str:
        """What stands for a value in lists."""
        return f"<{self.name}>"

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem[str]]:
        """Completions of what is typed."""
        from click.shell_completion import CompletionItem  # needed here alone

        return [CompletionItem(incomplete, type="file")]


class Integer(click.IntRange):
    """A whole number from `min` to `max`."""

    def __init__(self, min: int | None = None, max: int | None = None) -> None:
        super().__init__(min, max)
        self.name = "int" if min is None and max is None else "int range"

    def get_metavar(self, param: click.Parameter, ctx: click.Context) -> str:
        """What stands for a value in lists."""
        return f"<{self.name}>"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """The number of a text."""
        fail = partial(self.fail, param=param, ctx=ctx)
        try:
            number = int(value)
        except ValueError:
            fail("Input should be a valid integer, unable to parse string as an integer")
        _require_between(number, self.min, self.max, fail)
        return number


class Number(click.FloatRange):
    """A number from `min` to `max`; never NaN, which click's range takes."""

    name = "float range"

    def get_metavar(self, param: click.Parameter, ctx: click.Context) -> str:
        """What stands for a value in lists."""
        return f"<{self.name}>"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """The number of a text."""
        fail = partial(self.fail, param=param, ctx=ctx)
        try:
            number = float(value)
        except ValueError:
            fail("Input should be a valid number, unable to parse string as a number")
        _require_between(number, self.min, self.max, fail)
        return number


def _require_between(number: float, low: float | None, high: float | None, fail: Callable[[str], NoReturn]) -> None:
    if high is not None and not number <= high:
        fail(f"Input should be less than or equal to {str(high).removesuffix('.0')}")
    if low is not None and not number >= low:
        fail(f"Input should be greater than or equal to {str(low).removesuffix('.0')}")


class Argument(click.Argument):
    """A positional parameter, listed with its type and whether it is required."""

    def get_usage_pieces(self, ctx: click.Context) -> list[str]:
        """Its name in the line of the usage."""
        name = f"{{{self.human_readable_name}}}" if self.required else f"[{self.human_readable_name}]"
        return [name if self.nargs == 1 else f"{name}..."]

    def get_help_record(self, ctx: click.Context) -> tuple[str, str]:
        """Its name and help in the list of arguments."""
        kind = self.type.name
        if self.nargs != 1:
            kind = "list[Path]" if isinstance(self.type, click.Path) else f"list[{kind}]"
        return f"{self.human_readable_name} <{kind}>", f"{self.help}  [required]" if self.required else f"{self.help}"


class Verb(click.Command):
    """A verb of the command."""

    def format_arguments(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The list of arguments."""
        rows = [p.get_help_record(ctx) for p in self.params if isinstance(p, Argument)]
        if rows:
            with formatter.section("Arguments"):
                formatter.write_dl(rows)


TEXT = Text()
PATH = click.Path(path_type=Path)
INPUT = click.Path(path_type=Path, readable=False, allow_dash=True)
"""A file or folder; who reads it reports that it cannot be read."""

command = partial(click.command, cls=Verb)
argument = partial(click.argument, cls=Argument)
option = click.option
flag = partial(click.option, is_flag=True)
