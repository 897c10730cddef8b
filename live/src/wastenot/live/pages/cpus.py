"""CPUs in topology order: a cell each with its load, or a letter each where there are too many for that."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from wastenot.analyzer.text.printable import printable
from wastenot.analyzer.text.units import cpu_list
from wastenot.live.lines.bars import share_bar
from wastenot.live.lines.glyphs import CPU_LETTERS, MANY, MOST_DIGIT, Glyphs, waiting_letter
from wastenot.live.lines.line import Line, Span, Style
from wastenot.live.model.frame import CpuNow, CpuState

CELL = 38
"""Cells that a CPU takes at least where each has its load."""

BAR, NAME = 8, 15
"""Cells of the bar, and of the name of the thread that runs (TASK_COMM_LEN without the final NUL)."""

LABEL = 24
"""Cells that the name of a group of CPUs may take."""

BLOCK = 8
"""Letters between two blanks."""

ALIGNED = 16
"""Where lines of letters do not follow the topology, each starts at a multiple of so many letters."""

STATE_STYLES = {
    CpuState.IDLE: Style.IDLE,
    CpuState.WASTED: Style.WASTED,
    CpuState.RUNNING: Style.RUNNING,
    CpuState.INTERRUPT: Style.RUNNING,
    CpuState.UNOBSERVED: Style.DIM,
    CpuState.OFFLINE: Style.DIM,
}

_BADNESS = (
    CpuState.OFFLINE, CpuState.UNOBSERVED, CpuState.IDLE, CpuState.INTERRUPT, CpuState.RUNNING, CpuState.WASTED,
)  # fmt: skip
"""States, the worst last."""


def legend() -> Line:
    """What the letters mean."""
    letters = [
        f"{CPU_LETTERS[CpuState.IDLE]} idle",
        f"{CPU_LETTERS[CpuState.WASTED]} idle, wasted",
        f"{CPU_LETTERS[CpuState.RUNNING]} runs",
        f"1-{MOST_DIGIT}{MANY} wait",
        f"{CPU_LETTERS[CpuState.INTERRUPT]} interrupt",
        f"{CPU_LETTERS[CpuState.UNOBSERVED]} unknown",
        f"{CPU_LETTERS[CpuState.OFFLINE]} offline",
    ]
    return Line.of(Span("  ".join(letters), Style.DIM))


def in_order(cpus: Sequence[CpuNow]) -> list[CpuNow]:
    """CPUs in topology order: by node, last-level cache and core."""
    return sorted(cpus, key=lambda c: c.place.order)


def cpu_block(cpus: Sequence[CpuNow], width: int, rows: int, glyphs: Glyphs) -> list[Line]:
    """All CPUs in at most `rows` lines: with their load if that fits, else a letter each, else a letter for several."""
    if not cpus:
        return [Line.of(Span("no CPU is known yet", Style.DIM))]
    if cell_rows(len(cpus), width) <= rows:
        return cpu_cells(cpus, width, glyphs)
    return cpu_letters(cpus, width, rows, glyphs)


# ---- a cell per CPU


def cell_rows(count: int, width: int) -> int:
    """Lines that so many cells take, with their head."""
    return -(-count // max(1, width // CELL)) + 1


def cpu_cells(cpus: Sequence[CpuNow], width: int, glyphs: Glyphs) -> list[Line]:
    """A cell per CPU, in topology order downwards: its letter, how busy it was, threads that wait, what runs."""
    columns = min(max(1, width // CELL), len(cpus))
    rows = -(-len(cpus) // columns)
    ordered = in_order(cpus)
    number = max(3, *(len(str(c.place.cpu)) for c in cpus))
    cell_width = min(width // columns, number + BAR + NAME + 14)
    cells = [_cell(c, number, glyphs).fit(cell_width, glyphs.more) for c in ordered]
    head = Line.of(Span(f"{'CPU':>{number}}    {'busy':<{BAR}}  wait  runs", Style.DIM)).fit(cell_width, glyphs.more)
    used = -(-len(cpus) // rows)
    lines = [Line.of(*[head] * used)]
    lines += [Line.of(*cells[row::rows]) for row in range(rows)]
    return lines


def _cell(cpu: CpuNow, number: int, glyphs: Glyphs) -> Line:
    busy = Line.of(" " * BAR) if cpu.idle_share is None else share_bar(1 - cpu.idle_share, BAR, glyphs)
    waiting = Span(f"{cpu.waiting or '':>4}", Style.WAITING)
    label = {CpuState.RUNNING: printable(cpu.running), CpuState.IDLE: ""}.get(cpu.state, cpu.state.value)
    style = Style.WASTED if cpu.state is CpuState.WASTED else Style.PLAIN
    name = Line.of(Span(label, style)).fit(NAME, glyphs.more)
    return Line.of(f"{cpu.place.cpu:>{number}} ", letter(cpu), "  ", busy, "  ", waiting, "  ", name)


# ---- a letter per CPU


def letter(cpu: CpuNow) -> Span:
    """A CPU in one character: how many threads wait there, else its state."""
    if cpu.waiting and cpu.state is not CpuState.WASTED:
        return Span(waiting_letter(cpu.waiting), Style.WAITING)
    return Span(CPU_LETTERS[cpu.state], STATE_STYLES[cpu.state])


def worst(cpus: Sequence[CpuNow]) -> CpuNow:
    """The CPU that stands for several: a wasted one, else the one with the longest queue, else by state."""
    return max(cpus, key=lambda c: (c.state is CpuState.WASTED, c.waiting, _BADNESS.index(c.state), -c.place.cpu))


def cpu_letters(cpus: Sequence[CpuNow], width: int, rows: int, glyphs: Glyphs) -> list[Line]:
    """A letter per CPU, lines by node; where that does not fit, lines of CPUs, or a letter for several CPUs."""
    ordered = in_order(cpus)
    for fold in _folds(len(ordered)):
        nodes = _nodes(ordered)
        for groups, are_spaced in ((nodes, True), (nodes, False), (_pieces(ordered, width, fold), False)):
            lines = _group_lines(groups, width, fold, glyphs, are_spaced=are_spaced)
            if len(lines) + (fold > 1) <= rows:
                return lines + [_fold_note(fold)] * (fold > 1)
    return _group_lines([("all", ordered)], width, len(ordered), glyphs, are_spaced=False)[:rows]


def _folds(count: int) -> list[int]:
    """CPUs per letter to try: 1, 2, 4 ..."""
    return [1 << i for i in range(max(1, count).bit_length() + 1)]


def _fold_note(fold: int) -> Line:
    return Line.of(Span(f"each letter: worst of {fold}; 2 shows all", Style.DIM))


Group = tuple[str, Sequence[CpuNow]]
"""CPUs in topology order, with a name."""


def _nodes(ordered: Sequence[CpuNow]) -> list[Group]:
    """CPUs by NUMA node, each named by its number and CPUs."""
    out: list[Group] = []
    for node, members in groupby(ordered, key=lambda c: c.place.node):
        cpus = list(members)
        numbers = cpu_list((c.place.cpu for c in cpus), 2)
        out.append((f"node {node} {numbers}" if node >= 0 else numbers, cpus))
    return out


def _pieces(ordered: Sequence[CpuNow], width: int, fold: int) -> list[Group]:
    """CPUs cut into lines whatever their nodes, each with its CPUs as its name."""
    label = len(f"{max(c.place.cpu for c in ordered)}") * 2 + 1
    size = max(ALIGNED, (width - label - 2) // ALIGNED * ALIGNED) * fold
    cut = [ordered[i : i + size] for i in range(0, len(ordered), size)]
    return [(cpu_list((c.place.cpu for c in cpus), 1), cpus) for cpus in cut]


def _group_lines(groups: Sequence[Group], width: int, fold: int, glyphs: Glyphs, *, are_spaced: bool) -> list[Line]:
    """The groups' letters, with a bar between last-level caches and a blank between `BLOCK` CPUs where `are_spaced`."""
    label_width = min(LABEL, max(len(name) for name, _ in groups))
    lines = []
    for name, cpus in groups:
        rows = _broken(_blocks(cpus, fold, are_spaced=are_spaced), max(1, width - label_width - 2))
        for number, row in enumerate(rows):
            label = Line.of(Span(name if number == 0 else "", Style.DIM)).fit(label_width, glyphs.more)
            lines.append(Line.of(label, "  ", *_joined(row)))
    return lines


def _blocks(cpus: Sequence[CpuNow], fold: int, *, are_spaced: bool) -> list[list[Span]]:
    """Letters in blocks that are not broken if that can be; each starts with what separates it from the one before."""
    blocks: list[list[Span]] = []
    since = 0
    for start in range(0, len(cpus), fold):
        several = cpus[start : start + fold]
        new_cache = start > 0 and several[0].place.llc != cpus[start - 1].place.llc
        since = 0 if new_cache or start == 0 else since + 1
        if not blocks:
            blocks.append([])
        elif are_spaced and new_cache:
            blocks.append([Span("|", Style.DIM)])
        elif are_spaced and since % BLOCK == 0:
            blocks.append([Span(" ")])
        elif not are_spaced:
            blocks.append([])
        blocks[-1].append(letter(worst(several)))
    return blocks


def _broken(blocks: Sequence[list[Span]], width: int) -> list[list[Span]]:
    """Blocks in rows of at most so many letters; a block that is longer than a row is cut. Rows start with a letter."""
    rows: list[list[Span]] = [[]]
    for block in blocks:
        if rows[-1] and len(rows[-1]) + len(block) > width:
            rows.append([])
            block = block[1:] if block[0].text in ("|", " ") else block
        while len(rows[-1]) + len(block) > width:
            taken = width - len(rows[-1])
            rows[-1], block = rows[-1] + block[:taken], block[taken:]
            rows.append([])
        rows[-1] += block
    return [row for row in rows if row]


def _joined(letters: Sequence[Span]) -> list[Span]:
    """Letters of one style after each other as one span."""
    out: list[Span] = []
    for span in letters:
        if out and out[-1].style is span.style:
            out[-1] = Span(out[-1].text + span.text, span.style)
        else:
            out.append(span)
    return out
