"""Man pages, from the declarations that `--help` prints: `python -m wastenot.cli.manpage FOLDER`."""

from __future__ import annotations

import sys
from pathlib import Path

import click


def write_pages(folder: Path) -> list[Path]:
    """Write `wastenot.1` and a `wastenot-VERB.1` per verb into `folder`; returns the files."""
    from wastenot.cli.main import app

    folder.mkdir(parents=True, exist_ok=True)
    pages = {"wastenot": _page("wastenot", app, sorted(app.commands.items()))}
    for name, command in app.commands.items():
        pages[f"wastenot-{name}"] = _page(f"wastenot {name}", command, [])
    out = []
    for name, text in pages.items():
        path = folder / f"{name}.1"
        path.write_text(text, encoding="utf-8")
        out.append(path)
    return out


def _page(name: str, command: click.Command, verbs: list[tuple[str, click.Command]]) -> str:
    paragraphs = [" ".join(p.split()) for p in (command.help or "").split("\n\n") if p.strip()]
    title = name.replace(" ", "-")
    lines = [f'.TH "{title.upper()}" 1 "" wastenot', ".SH NAME", f"{_plain(title)} \\- {_plain(paragraphs[0])}"]
    lines += [".SH SYNOPSIS", f".B {_plain(name)}", _plain(_synopsis(command, bool(verbs))), ".SH DESCRIPTION"]
    for paragraph in paragraphs:
        lines += [".PP", _plain(paragraph)]
    options = [p for p in command.params if isinstance(p, click.Option) and not p.hidden]
    if options:
        lines.append(".SH OPTIONS")
        for option in options:
            value = "" if option.is_flag else f"{option.metavar or option.name.upper()}"
            lines += [
                ".TP",
                f"\\fB{_plain(', '.join(option.opts))}\\fR {_plain(value)}".rstrip(),
                _plain(option.help or ""),
            ]
    if verbs:
        lines.append(".SH COMMANDS")
        for verb, its in verbs:
            lines += [".TP", f"\\fB{_plain(f'wastenot-{verb}')}\\fR(1)", _plain((its.help or "").split("\n\n")[0])]
    lines += [
        ".SH EXIT STATUS",
        "0 done, 1 the check asked for by \\-\\-fail\\-on failed or could not be decided, 2 usage, bad input or "
        "permission.",
    ]
    return "\n".join(lines) + "\n"


def _synopsis(command: click.Command, has_verbs: bool) -> str:
    arguments = [p.human_readable_name for p in command.params if isinstance(p, click.Argument)]
    return " ".join(["[OPTIONS]", *arguments, *(["COMMAND", "[ARGS]"] if has_verbs else [])])


def _plain(text: str) -> str:
    """Text without what roff takes for commands."""
    text = " ".join(text.split()).replace("\\", "\\e").replace("-", "\\-")
    return f"\\&{text}" if text.startswith((".", "'")) else text


if __name__ == "__main__":
    for written in write_pages(Path(sys.argv[1])):
        sys.stdout.write(f"{written}\n")
