"""The pages say what the commands print: each command parses, and what is shown of shipped traces is what comes out."""

from __future__ import annotations

import itertools
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import click
import pytest
from wastenot.analyzer import CheckOptions, build, open_trace
from wastenot.analyzer.render.bubbles import bubble_table
from wastenot.cli.main import app
from wastenot.schemas.generated.enums import EVIDENCE_KIND_WORDS

from bench.demo import SHIPPED

ROOT = Path(__file__).parents[1]
PAGES = sorted([ROOT / "README.md", *(ROOT / "docs").glob("*.md"), *(ROOT / "docs/guide").glob("*.md")])
IMPORTING = ROOT / "docs/guide/importing.md"
BUBBLES = ROOT / "docs/guide/bubbles.md"

SYNOPSIS = re.compile(r"[\[\]…|]")
"""Marks of a line that says what may be written, not what was: `[-o T.duckdb]`, `SRC…`, `a|b`."""


@dataclass
class Shown:
    """A command of a page and the chunks of output that the page shows of it: lines that follow each other."""

    line: int
    text: str
    output: list[list[str]] = field(default_factory=list)

    def words(self) -> list[str]:
        """The command's words, without environment, redirections and what follows it in the shell."""
        words = shlex.split(self.text, comments=True)
        return words[words.index("wastenot") :]


def code_lines(text: str) -> Iterator[tuple[int, str]]:
    """The lines of a page's blocks of code, fenced or indented by four, numbered; an empty line ends a chunk."""
    fenced: str | None = None
    for number, line in enumerate(text.splitlines(), 1):
        if line.lstrip().startswith("```"):
            fenced = line.strip() if fenced is None else None
            yield number, ""
        elif fenced is not None:
            yield number, "" if fenced != "```" else line
        else:
            yield number, line[4:] if line.startswith("    ") else ""


def commands(text: str) -> list[Shown]:
    """The commands of `wastenot` that a page shows, each with the output that follows it up to the next."""
    found: list[Shown] = []
    last_was_output = False
    for number, line in code_lines(text):
        bare = line.removeprefix("$ ").strip()
        if re.match(r"(\w+=\S+ )*wastenot( |$)", bare):
            # A table of commands says after two spaces what each does.
            found.append(Shown(number, re.split(r"\s{2,}(?!-)", bare)[0]))
            last_was_output = False
        elif line.strip() and found:
            if not last_was_output:
                found[-1].output.append([])
            found[-1].output[-1].append(line.rstrip())
            last_was_output = True
        else:
            last_was_output = False
    return found


def lacks(printed: str, chunks: list[list[str]]) -> list[str]:
    """The chunks that do not stand in what was printed, as lines that follow each other and in their order."""
    lines = [line.rstrip() for line in printed.splitlines()]
    missing: list[str] = []
    for chunk in chunks:
        at = next((i for i in range(len(lines)) if lines[i : i + len(chunk)] == chunk), None)
        if at is None:
            missing.append("\n".join(chunk))
    return missing


def block_under(page: Path, heading: str) -> list[str]:
    """The lines of the first fenced block after a text."""
    text = page.read_text(encoding="utf-8")
    after = text[text.index(heading) :]
    return after.split("```\n", 2)[1].splitlines()


def parsed(words: list[str]) -> str | None:
    """What the command's own parser has against the words; None when it takes them."""
    try:
        context = app.make_context("wastenot", list(words), resilient_parsing=True)
        name, command, rest = app.resolve_command(context, list(words))
        if command is None or name is None:
            return f"no command {words[0]}"
        command.make_context(name, rest, parent=context)
    except click.exceptions.Exit:
        return None  # --list and the like answer while they are parsed
    except click.ClickException as e:
        return e.format_message()
    return None


def named(text: str) -> str | None:
    """What is wrong with the verb and the options of a synopsis; None when they are the command's."""
    verb = text.split()[1]
    if verb not in app.commands:
        return f"no command {verb}"
    known = {o for p in app.commands[verb].params for o in (*p.opts, *p.secondary_opts)} | {"--help", "--debug"}
    own = text.split(" -- ")[0]
    strange = [o for o in re.findall(r"(?<![\w-])--?[a-z][a-z-]*", own) if o not in known]
    return f"{verb} has no {', '.join(strange)}" if strange else None


def wrong(shown: Shown) -> str | None:
    return named(shown.text) if SYNOPSIS.search(shown.text) else parsed(shown.words()[1:])


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_command_of_a_page_is_one_that_the_program_takes(page: Path) -> None:
    found = commands(page.read_text(encoding="utf-8"))
    assert [f"{page.name}:{c.line}: {c.text}: {why}" for c in found if (why := wrong(c))] == []


def test_the_pages_show_commands_at_all() -> None:
    counts = {str(page.relative_to(ROOT)): len(commands(page.read_text(encoding="utf-8"))) for page in PAGES}
    least = {"README.md": 17, "docs/guide/importing.md": 7, "docs/guide/commands.md": 3, "docs/guide/bubbles.md": 1}
    assert {page: counts[page] for page, count in least.items() if counts[page] < count} == {}
    assert sum(counts.values()) > 50


@pytest.mark.parametrize(
    "text", ["wastenot recrod -o T", "wastenot record --four 10s", "wastenot check", "wastenot top"]
)
def test_a_command_that_the_program_does_not_take_is_found(text: str) -> None:
    assert wrong(Shown(1, text))
    assert wrong(Shown(1, "wastenot record [--four 10s]")) == "record has no --four"


# ---- what the walk through two traces shows


OF_THE_READER = ("guest.xml", "T.duckdb")
"""Files that no command of the page writes: from lstopo on the machine of the trace; any trace of the reader's own."""


@pytest.fixture(scope="module")
def walk(tmp_path_factory: pytest.TempPathFactory) -> list[tuple[Shown, str]]:
    """The commands of the page, run one after the other in a folder with the fixtures, and what each printed."""
    folder = tmp_path_factory.mktemp("walk")
    (folder / "fixtures").symlink_to(ROOT / "fixtures")
    ran = []
    for shown in commands(IMPORTING.read_text(encoding="utf-8")):
        if any(file in shown.words() for file in OF_THE_READER):
            continue
        words = [sys.executable, "-m", "wastenot.cli", *shown.words()[1:]]
        done = subprocess.run(words, cwd=folder, capture_output=True, text=True, check=False, timeout=600)
        assert done.returncode == 0, f"{shown.text}: {done.stderr}"
        ran.append((shown, done.stderr + done.stdout))
    return ran


def test_the_walk_prints_what_the_page_shows(walk: list[tuple[Shown, str]]) -> None:
    assert len(walk) >= 7 and sum(len(shown.output) for shown, _ in walk) >= 6
    differs = {
        f"importing.md:{shown.line}: {shown.text}": missing
        for shown, printed in walk
        if (missing := lacks(printed, shown.output))
    }
    assert differs == {}


# ---- tables of the guide: a row for each column or figure that the program prints


def rows_under(page: Path, head: str) -> list[str]:
    """The names in the first column of the table with this head; several, between commas, are several names."""
    lines = page.read_text().splitlines()
    rows = itertools.takewhile(lambda line: line.startswith("|"), lines[lines.index(head) + 2 :])
    return [name.strip() for row in rows for name in row.split("|")[1].split(",")]


def test_the_guide_explains_each_column_of_bubbles() -> None:
    """Columns that need no explanation are named here; another one needs a row in the guide."""
    self_explanatory = {"bubble", "threads", "run", "wait", "moves", "kind"}
    columns = {str(column.header) for tree in ("natural", "declared") for column in bubble_table([], tree).columns}
    assert sorted(columns - self_explanatory) == sorted(rows_under(BUBBLES, "| column | meaning |"))


def test_the_guide_explains_the_figures_that_a_verdict_prints(verdict: str) -> None:
    explained = rows_under(ROOT / "docs/guide/verdict.md", "| figure | is |")
    printed = [label(line) for line in verdict.splitlines()]
    assert [name for name in explained if name not in printed] == []
    start, end = printed.index("wasted"), printed.index("busy")
    assert [name for name in printed[start : end + 1] if name not in explained] == []


# ---- the demo of README.md: figures vary from run to run, their names and notes do not


def built(part: Path, folder: Path) -> Path:
    """A shipped recording as a trace; building one removes the part folder, so it is of a copy."""
    shutil.copytree(part, folder / "T.duckdb.part")
    build(folder / "T.duckdb.part", folder / "T.duckdb", CheckOptions())
    return folder / "T.duckdb"


@pytest.fixture(scope="module")
def verdict(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The verdict of the shipped recording, which the demo shows where it cannot record."""
    with open_trace(built(SHIPPED, tmp_path_factory.mktemp("demo"))) as trace:
        return str(trace.verdict())


def label(line: str) -> str:
    """What a line of the verdict begins with: up to its figures."""
    return re.split(r"\s{2,}|\d", line.strip())[0].strip()


def test_the_demo_in_the_readme_has_the_lines_that_a_verdict_has(verdict: str) -> None:
    demo = block_under(ROOT / "README.md", "What `make demo` prints")
    figures = (
        "wasted",
        "certain",
        "idle while waiting",
        "peak",
        "busy",
        "grade",
        "placed by",
        "episode",
        "data quality",
        "next",
    )
    printed = [label(line) for line in verdict.splitlines()]
    shown = [label(line) for line in demo]
    assert [name for name in figures if name not in printed] == []
    assert [name for name in figures if name not in shown] == []
    in_order = [name for name in shown if name in figures]
    assert in_order == [name for name in printed if name in figures]
    heads = ("grade  ", "placed by  ", "episode  ")
    columns = {head: line.split() for line in verdict.splitlines() for head in heads if line.startswith(head)}
    assert {head: line.split() for line in demo for head in heads if line.startswith(head)} == columns


def test_the_demo_in_the_readme_says_once_what_is_not_recorded() -> None:
    demo = " ".join(block_under(ROOT / "README.md", "What `make demo` prints"))
    lists = re.findall(r"Not recorded: (.+?)\.", re.sub(r"\s+", " ", demo))
    assert len(lists) == 1, "in the verdict, and not again on stderr"
    kinds = [re.sub(r" \(.*?\)$", "", kind) for kind in re.split(r"[,;] ", lists[0])]
    assert kinds and set(kinds) <= set(EVIDENCE_KIND_WORDS.values())


# ---- what was never run, and what is read once, is said where it is offered


NEVER_RUN = {
    "Dockerfile": "Never built or run by a container engine",
    "docker-compose.yml": "Never run by a container engine",
    "docs/guide/browser.md": "never built or run by a container engine",
    "docs/guide/commands.md": "never run with a kernel session",
    "docs/guide/importing.md": "never run with a kernel session",
    "docs/formats.md": "never run with a kernel session",
    "collector/lttng/README.md": "Kernel sessions were never run",
    "collector/bubbles/README.md": "not part of `make build`, of the wheels or of `make test`",
    "docs/guide/bubbles.md": "in no build, wheel or test",
}


@pytest.mark.parametrize("page", NEVER_RUN)
def test_what_was_never_run_is_said_where_it_is_offered(page: str) -> None:
    assert NEVER_RUN[page] in (ROOT / page).read_text(encoding="utf-8")


def test_every_page_that_offers_lttngs_kernel_modules_says_so() -> None:
    pages = [*PAGES, *ROOT.glob("*/README.md"), *ROOT.glob("*/*/README.md")]
    offer = [p for p in pages if "--source lttng" in p.read_text(encoding="utf-8")]
    assert [str(p.relative_to(ROOT)) for p in offer if "never run" not in p.read_text(encoding="utf-8")] == []
    ran = subprocess.run([sys.executable, "-m", "wastenot.cli", "record", "--help"], capture_output=True, text=True)
    assert "lttng is untested with LTTng's kernel modules" in " ".join(ran.stdout.split())


def test_a_recording_without_changes_of_domains_has_those_of_its_start(tmp_path: Path) -> None:
    with open_trace(built(ROOT / "fixtures/traces/rig/hotplug-6.1-8.part", tmp_path)) as trace:
        read = trace.sql("SELECT count(DISTINCT since_ns) AS times, min(since_ns) AS at FROM domain").one()
        row = trace.sql("SELECT start_ns, (SELECT count(*) FROM cpu_hotplug) AS hotplugs FROM trace").one()
        groups = trace.sql("SELECT count(*) AS n FROM domain_group").one()["n"]
    assert row["hotplugs"] > 0, "the kernel built its domains anew while this was recorded"
    assert read == {"times": 1, "at": row["start_ns"]}
    assert groups == 0, "its recorder did not read them"
    reference = (ROOT / "docs/reference/tables.md").read_text(encoding="utf-8")
    of_domain = reference.split("### domain\n")[1].split("\n### ")[0]
    assert "each time the kernel built its domains anew" in of_domain
    assert "`domain_group`" in of_domain
    of_group = reference.split("### domain_group\n")[1].split("\n### ")[0]
    assert "has groups that were not read" in of_group
