"""`wastenot report`: one page that carries everything it shows, to attach to a bug report.

The page is the user interface's own verdict, episodes and replay over answers that were asked beforehand, so that it
says the same as the server does. Its size does not grow with the trace: the worst episodes are carried, each up to a
number of changes of threads' states. It needs no network, and its content security policy forbids it any.
"""

from __future__ import annotations

import base64
import gzip
import html
import json
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pyarrow.compute as pc
from wastenot._native import version
from wastenot.analyzer import AnalyzerError, Trace
from wastenot.analyzer.deadlines import find_deadlines
from wastenot.analyzer.render.json import latency_json
from wastenot.analyzer.store.temporary_files import finish, temporary_beside
from wastenot.web.bubbles import Kind, bubbles_of, replay_of
from wastenot.web.curve import curve_of
from wastenot.web.deadlines import deadlines_answer
from wastenot.web.deadlines_models import Deadlines
from wastenot.web.episode import page_of, with_sentence
from wastenot.web.identity import identity_of
from wastenot.web.library import Library, OpenTrace
from wastenot.web.machine import machine_of
from wastenot.web.models import Episode, EpisodePage, Latency
from wastenot.web.report_packing import packed, shifted
from wastenot.web.routes.traces import facts_of, verdict_model
from wastenot.web.selection import selection_of
from wastenot.web.settings import Settings
from wastenot.web.trace_request import run_query
from wastenot.web.wait_reasons import reasons_of

LARGEST = 5_000_000
"""Bytes that a report may have."""
CHANGES = 12_000
"""Changes of threads' states that one episode may bring along; a longer one is shown from its start on."""
ALL_CHANGES = 60_000
HOLDERS = 20_000
"""Changes of declared bubbles and their threads that one episode may bring along."""
LISTED = 200
"""Episodes in the list."""
THREADS = 5_000
"""Threads that are named: those of the episodes first, then those that ran longest."""
CURVE_BINS = 1000
QUESTIONS = ("placed_by", "not_moved_because", "ended_by")
KINDS: tuple[Kind, ...] = ("natural", "creation", "declared")

PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; script-src 'unsafe-inline'; \
style-src 'unsafe-inline'; img-src data: blob:; media-src blob:; base-uri 'none'; form-action 'none'">
<title>wastenot: {title}</title>
<style>{style}</style>
</head>
<body>
<div id="root"></div>
<noscript>{sentence}</noscript>
<script type="text/plain" id="archive">{archive}</script>
<script type="module">{script}</script>
</body>
</html>
"""


class NotBuilt(AnalyzerError):
    """The page's script is not part of this installation."""


@dataclass(frozen=True)
class ReportContents:
    """What a report holds."""

    bytes: int
    episodes: int
    changes: int
    trace_id: str
    """By which the page's addresses name the trace."""
    worst: int | None
    """The episode that is shown first, of a window the first of those that touch it."""
    replay_ns: tuple[int, int] | None
    """From when to when the window, else that episode, else the most waste can be replayed, on the trace's clock."""


def write_report(
    trace: Path, target: Path, episodes: int = 6, force: bool = False, window: tuple[int, int] | None = None
) -> ReportContents:
    """Write the report about `trace`; `episodes` of it are shown in full, fewer where that would make it too large.

    With a `window` (ns as the trace has them) the page opens with the statistics of that time, its replay starts there,
    and the episodes are those that touch it; the rest stays that of the whole trace. AnalyzerError for a trace that
    cannot be read or was not checked, a window outside of it, or a target that cannot be written.
    """
    if target.exists() and not force:
        raise AnalyzerError(f"{target}: exists already; --force replaces it")
    require_built()
    library = Library([trace], Settings(open_traces=1))
    try:
        opened = library.open(library.ids()[0])
        if not opened.has("all"):
            del opened
            opened = library.make_tables(library.ids()[0])
        with opened.cursor() as cursor, temporary_beside(target) as temporary:
            page, archive = report_page(cursor, opened, episodes, window)
            temporary.write_bytes(page)
            finish(temporary, target)
    finally:
        library.close()
    changes = sum(s["moves"]["rows"] for s in archive["stretches"])
    start = archive["trace"]["start_ns"]
    replay = next(((start + s["start"], start + s["end"]) for s in archive["stretches"][:1]), None)
    worst = next(iter(archive["episodes"]), None)
    return ReportContents(len(page), len(archive["episodes"]), changes, archive["trace"]["id"], worst, replay)


def report_page(
    cursor: duckdb.DuckDBPyConnection, opened: OpenTrace, episodes: int = 6, window: tuple[int, int] | None = None
) -> tuple[bytes, dict[str, Any]]:
    """The page about a trace that has all its tables, and what it carries; see `write_report`."""
    style, script = _part("report.css"), _part("report.js")
    share = 1.0
    while True:  # the reasons of a window's waits are counted once: the trace keeps what was asked for last
        archive = archive_of(cursor, opened, episodes, share, window)
        page = _page(archive, style, script)
        if len(page) <= LARGEST or share < 0.05:
            return page, archive
        share /= 2


def require_built() -> None:
    """Raises NotBuilt where this installation cannot make a page."""
    for name in ("report.css", "report.js"):
        _part(name)


def _part(name: str) -> str:
    part = files("wastenot.web").joinpath("static", "report", name)
    if not part.is_file():
        raise NotBuilt("the report's page is not part of this installation; in a checkout `make build` builds it")
    return part.read_text(encoding="utf-8")


def _page(archive: dict[str, Any], style: str, script: str) -> bytes:
    """The page as bytes. What the trace says is in base64 or escaped; script and style are ours."""
    text = json.dumps(archive, separators=(",", ":"), allow_nan=False)
    inside = base64.b64encode(gzip.compress(text.encode(), 9, mtime=0)).decode()
    verdict = archive["json"][f"traces/{archive['trace']['id']}/verdict"]
    page = PAGE.format(
        title=html.escape(archive["trace"]["name"]),
        style=style.replace("</", "<\\/"),
        sentence=html.escape(verdict["sentence"]),
        archive=inside,
        script=script.replace("</script", "<\\/script").replace("<!--", "<\\!--"),
    )
    return page.encode()


def archive_of(
    cursor: duckdb.DuckDBPyConnection,
    opened: OpenTrace,
    episodes: int,
    share: float,
    window: tuple[int, int] | None = None,
) -> dict[str, Any]:
    """Answers by address, and stretches of the replay; of a window see `write_report`."""
    trace = opened.trace.on(cursor)
    verdict = verdict_model(trace.verdict(worst=20))
    row = facts_of(opened, trace).model_copy(update={"size_bytes": opened.path.stat().st_size})
    assert row.start_ns is not None and row.end_ns is not None
    whole = (row.start_ns, row.end_ns)
    listed = {grade: trace.episodes(grade, LISTED).rows() for grade in (None, "all")}
    worst = [e.id for e in verdict.worst] or [row["episode_id"] for row in listed["all"]]
    span = None if window is None else _within(window, whole, opened.path)
    if span is not None:
        worst = [e["episode_id"] for e in trace.episodes().rows() if e["start_ns"] < span[1] and e["end_ns"] > span[0]]
    worst = worst[:episodes]
    pages = [page_of(trace, number) for number in worst]
    curve = curve_of(cursor, opened, *whole, CURVE_BINS)
    windows = [_around(p.episode.start_ns, p.episode.end_ns, whole) for p in pages]
    if span is not None:
        windows.insert(0, span)
    windows = windows or [_peak(curve, whole)]
    stretches = _stretches(cursor, opened, whole, windows, share)
    declared = bubbles_of(trace, "declared")
    if declared.bubbles:
        for stretch in stretches:
            stretch.hold(trace, opened)
    pairs = run_query(cursor, opened, "replay_pairs", limit=1_000_000)
    pairs = pairs.filter(pc.is_in(pairs["episode_id"], pa.array(worst, pairs["episode_id"].type)))
    named = {t.utid for p in pages for t in p.threads}.union(*(s.seen for s in stretches))
    selected = None if span is None else selection_of(cursor, opened, *span)
    if selected is not None:
        named |= {t.utid for t in selected.threads}
    threads = _threads(run_query(cursor, opened, "threads"), named)
    kept = set(threads["utid"].to_pylist())
    here = f"traces/{opened.id}"
    answers: dict[str, Any] = {
        "traces": [row.model_dump(mode="json")],
        f"{here}/verdict": verdict.model_dump(mode="json"),
        f"{here}/identity": identity_of(cursor, opened).model_dump(mode="json"),
        f"{here}/machine": machine_of(cursor, opened).model_dump(mode="json"),
        f"{here}/episodes": _listed(listed[None]),
        f"{here}/episodes?grade=all&limit=2000": _listed(listed["all"]),
    }
    if span is not None and selected is not None:
        waits = latency_json(trace.latency(window=span, limit=1))
        answers[f"{here}/selection"] = selected.model_dump(mode="json")
        answers[f"{here}/selection/reasons"] = reasons_of(trace, *span).model_dump(mode="json")
        answers[f"{here}/latency"] = Latency.model_validate(waits).model_dump(mode="json")
    deadlines = deadlines_answer(find_deadlines(trace))
    if deadlines["tasks"] or deadlines["parameters"]["undescribed"]:
        answers[f"{here}/deadlines"] = Deadlines.model_validate(deadlines).model_dump(mode="json")
    for page in pages:
        answers[f"{here}/episodes/{page.episode.episode_id}"] = page.model_dump(mode="json")
    for kind in KINDS:
        found = (declared if kind == "declared" else bubbles_of(trace, kind)).model_dump(mode="json")
        found["members"] = [m for m in found["members"] if m["utid"] in kept]
        found["bubbles"] = _bubbles_with_threads(found["bubbles"], {m["bubble"] for m in found["members"]})
        answers[f"{here}/bubbles?kind={kind}"] = found
    tables = {f"{here}/threads": threads, f"{here}/curve": curve, f"{here}/replay/pairs": pairs}
    return {
        "version": version(),
        "trace": answers["traces"][0],
        "episodes": worst,
        "range": None if span is None else {"start": span[0], "end": span[1]},
        "rules": _rule_pages(pages),
        "json": answers,
        "tables": {name: packed(table) for name, table in tables.items()},
        "stretches": [s.packed(kept) for s in stretches],
    }


def _rule_pages(pages: list[EpisodePage]) -> dict[str, str]:
    """The pages of docs/causes about the rules that answer in some episodes, by `question/rule`, in order."""
    folder = files("wastenot.web").joinpath("causes")
    diagnoses = [page.diagnosis for page in pages]
    said = {(a.question, a.rule) for d in diagnoses for a in d.answers if a.rule is not None}
    said |= {(r.question, r.rule) for d in diagnoses for r in d.repairs}
    rules = [f"{question}/{rule}" for question, rule in sorted(said, key=lambda of: (QUESTIONS.index(of[0]), of[1]))]
    found = {rule: folder.joinpath(f"{rule}.md") for rule in rules}
    return {rule: page.read_text(encoding="utf-8") for rule, page in found.items() if page.is_file()}


def _within(window: tuple[int, int], whole: tuple[int, int], path: Path) -> tuple[int, int]:
    """The part of a window that is within the trace."""
    start, end = max(window[0], whole[0]), min(window[1], whole[1])
    if start >= end:
        raise AnalyzerError(
            f"window {window[0]} .. {window[1]} ns: lies outside of {path}, {whole[0]} .. {whole[1]} ns"
        )
    return start, end


def _listed(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [Episode(**with_sentence(row)).model_dump(mode="json") for row in rows]


def _bubbles_with_threads(bubbles: list[dict[str, Any]], used: set[int]) -> list[dict[str, Any]]:
    """Bubbles that hold a thread, directly or not."""
    parent = {b["id"]: b["parent"] for b in bubbles}
    kept: set[int] = set()
    for bubble in used:
        at: int | None = bubble
        while at is not None and at not in kept:
            kept.add(at)
            at = parent.get(at)
    return [b for b in bubbles if b["id"] in kept]


def _threads(threads: pa.Table, named: set[int]) -> pa.Table:
    first = pc.is_in(threads["utid"], pa.array(sorted(named), threads["utid"].type))
    order = threads.append_column("first", first).sort_by([("first", "descending"), ("run_ns", "descending")])
    return order.slice(0, max(THREADS, len(named))).drop_columns(["first"]).sort_by("utid")


@dataclass
class _Stretch:
    """What the replay needs between two instants."""

    start: int
    end: int
    origin: int
    tables: dict[str, pa.Table]
    holders: tuple[pa.Table, pa.Table] | None = None

    def hold(self, trace: Trace, opened: OpenTrace) -> None:
        """Add what held the declared bubbles and their threads; where that is too much, the stretch ends sooner."""
        replay = replay_of(trace, opened)
        moves, whole = replay.moves(self.start + 1, self.end + 1, HOLDERS)
        if not whole:
            # The last instant may be cut short: the stretch ends before it.
            self.end = moves["ts_ns"][-1].as_py()
            moves = moves.filter(pc.less(moves["ts_ns"], self.end))
            self.tables["moves"] = self.tables["moves"].filter(pc.less(self.tables["moves"]["ts_ns"], self.end))
        kept = ("utid", "bubble_id", "holder", "holder_id", "state")
        before = ("from_holder", "from_holder_id", "from_state")
        self.holders = replay.state(self.start).select(kept), moves.select(["ts_ns", *kept, *before])

    @property
    def seen(self) -> set[int]:
        """Threads that do anything here."""
        state = self.tables["state"]
        placed = state.filter(pc.is_valid(state["cpu"]))
        return set(self.tables["moves"]["utid"].to_pylist()) | set(placed["utid"].to_pylist())

    def packed(self, kept: set[int]) -> dict[str, Any]:
        """For the page: times since the trace's start, of moves as differences."""
        state = self.tables["state"]
        known = state.filter(pc.is_in(state["utid"], pa.array(sorted(kept), state["utid"].type)))
        return {
            "start": self.start - self.origin,
            "end": self.end - self.origin,
            "state": packed(shifted(known, "since_ns", self.origin)),
            "moves": packed(shifted(self.tables["moves"], "ts_ns", self.origin), differences="ts_ns"),
            "waste": packed(shifted(self.tables["waste"], "start_ns", self.origin)),
            "unobserved": packed(shifted(self.tables["unobserved"], "start_ns", self.origin)),
            "wasted_cpus": packed(shifted(self.tables["wasted_cpus"], "start_ns", self.origin)),
            "holders": None
            if self.holders is None
            else {
                "state": packed(self.holders[0]),
                "moves": packed(shifted(self.holders[1], "ts_ns", self.origin), differences="ts_ns"),
            },
        }


def _around(start: int, end: int, whole: tuple[int, int]) -> tuple[int, int]:
    """A window with some margin."""
    margin = max(1000, (end - start) // 12)
    return max(whole[0], start - margin), min(whole[1], end + margin)


def _peak(curve: pa.Table, whole: tuple[int, int]) -> tuple[int, int]:
    """Where no episode is listed: from the bin with most waste on."""
    if curve.num_rows == 0:
        return whole
    at = pc.index(curve["wasted"], pc.max(curve["wasted"])).as_py()
    return _around(curve["start_ns"][max(at, 0)].as_py(), whole[1], whole)


def _stretches(
    cursor: duckdb.DuckDBPyConnection,
    opened: OpenTrace,
    whole: tuple[int, int],
    windows: list[tuple[int, int]],
    share: float,
) -> list[_Stretch]:
    """What the replay needs of some windows, the more important first; none overlaps another."""
    found: list[_Stretch] = []
    left = int(ALL_CHANGES * share)
    for start, end in windows:
        # A window that overlaps an earlier one is cut to the part beside it.
        for other in sorted(found, key=lambda s: s.start):
            if other.start <= start < other.end:
                start = other.end
            elif start < other.start < end:
                end = other.start
        if left < 500 or end <= start:
            continue
        limit = min(int(CHANGES * share), left)
        moves = run_query(cursor, opened, "moves", start=start, end=end, limit=limit + 1)
        if moves.num_rows > limit:
            # The last instant may be cut short: the stretch ends before it.
            end = moves["ts_ns"][limit].as_py()
            moves = moves.filter(pc.less(moves["ts_ns"], end))
        left -= moves.num_rows
        spans = {
            name: run_query(cursor, opened, f"replay_{name}", start=start, end=end, limit=200_000)
            for name in ("waste", "unobserved", "wasted_cpus")
        }
        state = run_query(cursor, opened, "state_at", at=start)
        found.append(_Stretch(start, end, whole[0], {"state": state, "moves": moves, **spans}))
    return found
