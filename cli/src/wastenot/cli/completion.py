"""`--install-completion` and `--show-completion`: click's completion scripts, for the shell in use."""

from __future__ import annotations

import os
from pathlib import Path

import click

NAME = "wastenot"

VARIABLE = "_WASTENOT_COMPLETE"
"""Environment variable with which the scripts ask for completions."""

ZSH_LINES = ("fpath+=~/.zfunc; autoload -Uz compinit; compinit", "zstyle ':completion:*' menu select")
"""Lines of `.zshrc` that make zsh read `~/.zfunc`, and list what completes a word."""


def completions(app: click.Command) -> int | None:
    """Print what a script asks for; returns the exit status, None when none asks."""
    instruction = os.environ.get(VARIABLE)
    if not instruction:
        return None
    from click.shell_completion import shell_complete  # needed here alone

    return shell_complete(app, {}, NAME, VARIABLE, instruction)


def install_completion(ctx: click.Context, _option: click.Parameter, wanted: bool) -> None:
    """Write the script where the shell reads it; then end the command."""
    if not wanted or ctx.resilient_parsing:
        return
    shell = _shell()
    script, home = _script(ctx, shell), Path.home()
    if shell == "bash":
        path = home / ".bash_completions" / f"{NAME}.sh"
        _add_lines(home / ".bashrc", [(f"source '{path}'", f"source '{path}'")])
    elif shell == "zsh":
        path = home / ".zfunc" / f"_{NAME}"
        _add_lines(home / ".zshrc", [(ZSH_LINES[0], ZSH_LINES[0]), ("zstyle", ZSH_LINES[1])])
    else:
        path = home / ".config/fish/completions" / f"{NAME}.fish"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(script, encoding="utf-8")
    click.secho(f"{shell} completion installed in {path}", fg="green")
    click.echo("Completion will take effect once you restart the terminal")
    ctx.exit()


def show_completion(ctx: click.Context, _option: click.Parameter, wanted: bool) -> None:
    """Print the script; then end the command."""
    if wanted and not ctx.resilient_parsing:
        click.echo(_script(ctx, _shell()))
        ctx.exit()


def _shell() -> str:
    """The name of the shell in use; empty when it cannot be found out."""
    import shellingham  # needed here alone

    try:
        return str(shellingham.detect_shell()[0])
    except shellingham.ShellDetectionFailure:
        return ""


def _script(ctx: click.Context, shell: str) -> str:
    """The completion script for a shell; ends the command with status 1 for one that is not supported."""
    from click.shell_completion import get_completion_class  # needed here alone

    kind = get_completion_class(shell) if shell in ("bash", "zsh", "fish") else None
    if kind is None:
        click.echo(f"Shell {shell} not supported.", err=True)
        ctx.exit(1)
    return kind(ctx.command, {}, NAME, VARIABLE).source()


def _add_lines(file: Path, lines: list[tuple[str, str]]) -> None:
    """Append each (mark, line) to a file that does not contain the mark."""
    text = file.read_text(encoding="utf-8") if file.is_file() else ""
    missing = "".join(f"{line}\n" for mark, line in lines if mark not in text)
    if missing:
        with file.open("a", encoding="utf-8") as out:
            out.write(f"\n{missing}" if text else missing)
