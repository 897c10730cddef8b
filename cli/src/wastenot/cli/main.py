"""`wastenot`: the command. Finds cores that Linux left idle while threads waited."""

from __future__ import annotations

import errno
import os
import sys
import traceback
import warnings
from collections.abc import Callable

import click
from wastenot import _native
from wastenot.analyzer.errors import AnalyzerError, BadQuery
from wastenot.analyzer.text.printable import printable
from wastenot.cli.completion import completions, install_completion, show_completion
from wastenot.cli.errors import CHECK_FAILED, DONE, USAGE, CheckFailed, CheckUndecided, CommandError
from wastenot.cli.limits import too_many_files
from wastenot.cli.verbs import VerbGroup


def _print_version(ctx: click.Context, _option: click.Parameter, wanted: bool) -> None:
    if wanted and not ctx.resilient_parsing:
        sys.stdout.write(f"wastenot {_native.version()}\n")
        ctx.exit()


def _action(name: str, callback: Callable[[click.Context, click.Parameter, bool], None], text: str) -> click.Option:
    """An option that does something instead of a verb."""
    return click.Option([name], is_flag=True, is_eager=True, expose_value=False, callback=callback, help=text)


app = VerbGroup(
    name="wastenot",
    params=[
        _action("--version", _print_version, "Print the version."),
        _action("--install-completion", install_completion, "Install completion for the current shell."),
        _action(
            "--show-completion",
            show_completion,
            "Show completion for the current shell, to copy it or customize the installation.",
        ),
    ],
    help="Find the cores that Linux wastes: idle while threads wait.",
    epilog="`wastenot glossary` explains the terms. --debug, anywhere, shows the traceback of an internal error.",
    no_args_is_help=True,
    context_settings={"show_default": True},
)


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
        status = _run(arguments)
        sys.stdout.flush()
    except click.ClickException as e:
        return _usage(e)
    except CheckFailed as e:
        return _fail(f"failed: {e}", CHECK_FAILED)
    except CheckUndecided as e:
        return _fail(f"not decided: {e}", CHECK_FAILED)
    except BadQuery as e:
        return _fail(str(e), drawing=e.drawing)
    except (CommandError, AnalyzerError, _native.WastenotError) as e:
        return _fail(str(e))
    except (KeyboardInterrupt, click.Abort):
        return _fail("interrupted")
    except BrokenPipeError:  # the reader of stdout has exited (`| head`): not an error
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        return DONE
    except PermissionError as e:  # a folder on the way to a file, which its checks cannot look into
        return _fail(f"{e.filename or e}: permission denied")
    except Exception as e:
        if isinstance(e, RuntimeError) and "Query interrupted" in str(e):  # Ctrl-C while DuckDB computed
            return _fail("interrupted")
        if isinstance(e, OSError) and e.errno in (errno.EMFILE, errno.ENFILE):
            return _fail(too_many_files())
        if debug:
            traceback.print_exc()
            return USAGE
        return _fail(f"internal error: {type(e).__name__}: {e}; --debug shows the traceback; please report it")
    return status


def _run(arguments: list[str]) -> int:
    if (status := completions(app)) is not None:
        return status
    try:
        with app.make_context("wastenot", arguments) as context:
            app.invoke(context)
    except click.exceptions.Exit as e:
        return e.exit_code
    return DONE


def _take_debug(arguments: list[str]) -> tuple[list[str], bool]:
    """Remove `--debug` from the arguments before `--`."""
    end = arguments.index("--") if "--" in arguments else len(arguments)
    own = [a for a in arguments[:end] if a != "--debug"]
    return own + arguments[end:], len(own) < end


def _usage(error: click.ClickException) -> int:
    context = getattr(error, "ctx", None)
    where = context.command_path if context is not None else "wastenot"
    text = _message(error)
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


def _message(error: click.ClickException) -> str:
    """click's message, with the options whose names are like one that does not exist."""
    if not isinstance(error, click.NoSuchOption):
        return error.format_message()
    near = ", ".join(sorted(error.possibilities or []))
    return f"No such option: {error.option_name}" + (f" (Possible options: {near})" if near else "")


def _verb_with(error: click.ClickException) -> tuple[str, str] | None:
    """An option before the verb, and the verb that has it: the one on the command line, or the first one."""
    option = getattr(error, "option_name", None)
    verbs = [name for name, c in app.commands.items() if any(option in p.opts for p in c.params)]
    meant = [name for name in verbs if name in sys.argv[1:]] or verbs
    return (str(option), meant[0]) if option and meant else None


def _fail(text: str, status: int = USAGE, drawing: str = "") -> int:
    sys.stderr.write(f"wastenot: {printable(' '.join(text.split()))}\n")
    for line in drawing.splitlines():
        sys.stderr.write(f"  {printable(line)}\n")
    return status
