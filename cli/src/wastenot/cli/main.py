"""`wastenot`: the command. Finds cores that Linux left idle while threads waited."""

from __future__ import annotations

import errno
import os
import sys
import traceback
import warnings
from typing import Any

import typer
from wastenot import _native
from wastenot.analyzer.errors import AnalyzerError, BadQuery
from wastenot.analyzer.text.printable import printable
from wastenot.cli.errors import CHECK_FAILED, DONE, USAGE, CheckFailed, CommandError
from wastenot.cli.limits import too_many_files
from wastenot.cli.verbs import VerbGroup

app = typer.Typer(
    name="wastenot",
    cls=VerbGroup,
    help="Find the cores that Linux wastes: idle while threads wait.",
    epilog="`wastenot glossary` explains the terms. --debug, anywhere, shows the traceback of an internal error.",
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)
INTERRUPTED = 130
"""Typer's exit status for Ctrl-C."""


def _print_version(wanted: bool) -> None:
    if wanted:
        sys.stdout.write(f"wastenot {_native.version()}\n")
        raise typer.Exit


@app.callback()
def _common(
    version: bool = typer.Option(False, "--version", callback=_print_version, is_eager=True, help="Print the version."),
) -> None:
    """Find the cores that Linux wastes: idle while threads wait."""


def run_command() -> int:
    """Run the process's arguments. Python's warnings are shown only on request (-W, PYTHONWARNINGS)."""
    if not sys.warnoptions:
        warnings.simplefilter("ignore")
    return main(sys.argv[1:])


def main(arguments: list[str]) -> int:
    """Run the command line; returns the exit status. Errors become one line on stderr, never a traceback.

    An error of a query is followed by the line of the statement and a caret where DuckDB stopped.
    """
    arguments, debug = _take_debug(arguments)
    try:
        status = typer.main.get_command(app).main(arguments, prog_name="wastenot", standalone_mode=False)
        sys.stdout.flush()
    except typer.TyperException as e:
        return _usage(e)
    except CheckFailed as e:
        return _fail(f"failed: {e}", CHECK_FAILED)
    except BadQuery as e:
        return _fail(str(e), drawing=e.drawing)
    except (CommandError, AnalyzerError, _native.WastenotError) as e:
        return _fail(str(e))
    except (KeyboardInterrupt, typer.Abort):
        return _fail("interrupted")
    except (BrokenPipeError, SystemExit) as e:
        return _reader_gone(e)
    except Exception as e:
        if isinstance(e, OSError) and e.errno in (errno.EMFILE, errno.ENFILE):
            return _fail(too_many_files())
        if debug:
            traceback.print_exc()
            return USAGE
        return _fail(f"internal error: {type(e).__name__}: {e}; --debug shows the traceback; please report it")
    if status == INTERRUPTED:
        return _fail("interrupted")
    return status if isinstance(status, int) else DONE


def _reader_gone(error: BaseException) -> int:
    """The reader of stdout has exited (`| head`): not an error. Typer raises SystemExit for it, as for other exits."""
    cause = error if isinstance(error, OSError) else error.__context__
    if not (isinstance(cause, OSError) and cause.errno == errno.EPIPE):
        raise error
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    return DONE


def _take_debug(arguments: list[str]) -> tuple[list[str], bool]:
    """Remove `--debug` from the arguments before `--`."""
    end = arguments.index("--") if "--" in arguments else len(arguments)
    own = [a for a in arguments[:end] if a != "--debug"]
    return own + arguments[end:], len(own) < end


def _usage(error: typer.TyperException) -> int:
    context = getattr(error, "ctx", None)
    where = context.command_path if context is not None else "wastenot"
    text = error.format_message()
    if "\n" in text:  # the help, for want of a verb
        sys.stderr.write(f"{text}\n")
        return USAGE
    verb = _verb_with(error) if context is not None and context.parent is None else None
    if verb is not None:
        option, name = verb
        return _fail(
            f"{option} is an option of `wastenot {name}`: write it after the verb; see `wastenot {name} --help`"
        )
    return _fail(f"{text.rstrip('.')}; see `{where} --help`")


def _verb_with(error: typer.TyperException) -> tuple[str, str] | None:
    """An option before the verb, and the verb that has it: the one on the command line, or the first one."""
    option = getattr(error, "option_name", None)
    commands: dict[str, Any] = getattr(typer.main.get_command(app), "commands", {})
    verbs = [name for name, c in commands.items() if any(option in p.opts for p in c.params)]
    meant = [name for name in verbs if name in sys.argv[1:]] or verbs
    return (str(option), meant[0]) if option and meant else None


def _fail(text: str, status: int = USAGE, drawing: str = "") -> int:
    sys.stderr.write(f"wastenot: {printable(' '.join(text.split()))}\n")
    for line in drawing.splitlines():
        sys.stderr.write(f"  {printable(line)}\n")
    return status
