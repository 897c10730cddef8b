"""`wastenot compare`: repeated runs of two sides beside each other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click
from wastenot.cli.errors import CheckFailed, CommandError
from wastenot.cli.options import force_option, json_option, quiet_option
from wastenot.cli.output import check_progress, note, show, show_json
from wastenot.cli.parameters import INPUT, PATH, TEXT, Verb, argument, flag, option

if TYPE_CHECKING:
    from wastenot.analyzer.comparison.conditions import DifferenceCondition
    from wastenot.analyzer.comparison.runs import Run


class VerbOfSides(Verb):
    """A verb whose arguments are two sides with `--` between them; options may be anywhere."""

    def collect_usage_pieces(self, ctx: click.Context) -> list[str]:
        """What the line of the usage has behind the name."""
        return ["[OPTIONS]", "[BASE… --] NEW…"]

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """As click's, with the first `--` kept among the arguments."""
        if "--" not in args:
            return super().parse_args(ctx, args)
        place = args.index("--")
        if "--" in args[place + 1 :]:
            raise click.UsageError("More than one `--`: one separates the base from the new side", ctx)
        base = self.make_parser(ctx).parse_args(list(args[:place]))[0].get("traces")
        ctx.meta["base"] = len(base) if isinstance(base, tuple) else 0
        return super().parse_args(ctx, [*args[:place], *args[place + 1 :]])


@click.command(cls=VerbOfSides)
@argument(
    "traces",
    type=INPUT,
    nargs=-1,
    required=False,
    metavar="BASE… -- NEW…",
    help="Traces, folders of traces, and baselines; -- between the two sides. Of two alone the first is the base.",
)
@option("--baseline", type=PATH, metavar="FILE|DIR", help="The base: a file of --save-baseline, or a folder of traces.")
@option("--save-baseline", type=PATH, metavar="FILE", help="Write the figures of the new side, the base of later ones.")
@option(
    "--fail-on",
    type=TEXT,
    multiple=True,
    metavar="EXPR",
    help="Exit with 1 when true, as in 'wasted>+1% p<0.05' or incomparable. Repeatable.",
)
@flag("--all", "show_all", help="List all metrics, not only those that changed.")
@force_option
@json_option
@quiet_option
@click.pass_context
def compare(
    ctx: click.Context,
    traces: tuple[Path, ...],
    baseline: Path | None,
    save_baseline: Path | None,
    fail_on: tuple[str, ...],
    show_all: bool,
    force: bool,
    as_json: bool,
    quiet: bool,
) -> None:
    """Compare repeated runs: what changed from the base to the new side, and whether chance explains it.

    `wastenot compare base/ -- new/`, `wastenot compare base/*.duckdb -- new/*.duckdb`; a side is traces, folders of
    traces (*.duckdb) or a file that --save-baseline wrote, so that the traces of the base need not be kept. Traces that
    were not checked are checked first.

    Of each metric: the means, their difference (waste in points of the machine's capacity), a bootstrap interval (BCa,
    95 %) and the p value of a rank test (exact up to 60 runs). `wasted` is tested alone; the p values of all others are
    adjusted by the procedure of Benjamini and Hochberg. With one run on a side, or so few that p < 0.05 cannot be
    reached, no significance is claimed. Copies of a trace, or a baseline beside its traces, are one run given twice: an
    error. What makes the traces incomparable is said first: another machine, other evidence, lost events, unequal
    durations, a release that is not verified.

    --fail-on takes a metric (those of --json), an operator, the difference with its sign and a unit, and a bound of p:
    'wasted>+1% p<0.05' is true where 1 % of the machine more is wasted and chance is an unlikely reason. % of other
    metrics and %base are relative to the base. Several bounds of p are adjusted together (Holm). A bound that so few
    runs can never reach is an error, so that no gate passes for want of runs.
    """
    from wastenot.analyzer.comparison.conditions import parse_conditions

    conditions, on_incomparable = parse_conditions(fail_on)
    base_paths, new_paths = _sides(traces, ctx.meta.get("base"), baseline)
    if not base_paths and save_baseline is None:
        raise CommandError("compare: one side alone; write `wastenot compare BASE… -- NEW…`, or --save-baseline FILE")
    if not base_paths and conditions:
        raise CommandError("--fail-on: needs two sides; give a --baseline, or `BASE… -- NEW…`")
    if save_baseline is not None and save_baseline.exists() and not force:
        raise CommandError(f"--save-baseline {save_baseline}: exists already; choose another name, or --force")
    base, new = _runs(base_paths, "base"), _runs(new_paths, "new")
    if save_baseline is not None:
        from wastenot.analyzer.comparison.baseline import save_baseline as save

        save(save_baseline, new)
        if not quiet:
            note(f"wrote {save_baseline} ({len(new)} run{'s' if len(new) != 1 else ''})")
    if not base:
        return
    _compare(base, new, conditions, on_incomparable, show_all=show_all, as_json=as_json, quiet=quiet)


def _compare(
    base: Sequence[Run],
    new: Sequence[Run],
    conditions: Sequence[DifferenceCondition],
    on_incomparable: bool,
    *,
    show_all: bool,
    as_json: bool,
    quiet: bool,
) -> None:
    """Print the comparison; raises CheckFailed when a condition is true."""
    from wastenot.analyzer.comparison.comparison import compare_runs
    from wastenot.analyzer.comparison.conditions import caveats, failures
    from wastenot.analyzer.comparison.json_view import comparison_json

    found = compare_runs(base, new)
    true = failures(conditions, found)
    if as_json:
        show_json(comparison_json(found))
    elif not quiet:
        from wastenot.analyzer.render.comparison import ComparisonView  # imports rich

        show(ComparisonView(found, show_all), wide=True)
    if on_incomparable and found.reasons_against:
        true.append(f"the runs are incomparable: {'; '.join(found.reasons_against)}")
    if true:
        raise CheckFailed("; ".join(true))
    for caveat in caveats(conditions, found):
        note(f"wastenot: {caveat}")


def _sides(traces: Sequence[Path], base_count: int | None, baseline: Path | None) -> tuple[list[Path], list[Path]]:
    """The arguments of the two sides; raises CommandError."""
    if baseline is not None:
        if base_count:
            raise CommandError("--baseline: is the base; leave out the traces before `--`, or the option")
        base, new = [baseline], list(traces)
    elif base_count is not None:
        base, new = list(traces[:base_count]), list(traces[base_count:])
    elif len(traces) == 2:
        base, new = [traces[0]], [traces[1]]
    elif len(traces) > 2:
        raise CommandError(
            f"compare: {len(traces)} traces, and which are the base? write `--` between the sides, as in "
            "`wastenot compare base/*.duckdb -- new/*.duckdb`"
        )
    else:
        base, new = [], list(traces)
    if not new:
        raise CommandError("compare: no traces of the new side; write `wastenot compare BASE… -- NEW…`")
    if base_count == 0 and baseline is None:
        raise CommandError("compare: no traces before `--`, which are the base")
    return base, new


def _runs(paths: Sequence[Path], side: str) -> list[Run]:
    """The runs of a side, those of its folders in the order of their names.

    CommandError or BadArgument for one given twice, also as a copy or as a baseline beside its traces.
    """
    from wastenot.analyzer.comparison.baseline import read_baseline
    from wastenot.analyzer.comparison.copies import require_distinct
    from wastenot.analyzer.comparison.runs import read_run

    out: list[Run] = []
    names: list[str] = []
    seen: dict[Path, Path] = {}
    for path in paths:
        for file in _files(path):
            place = file.resolve()
            if place in seen:
                raise CommandError(f"{file}: given twice on the {side} side, where it would count as two runs")
            seen[place] = file
            if file.suffix == ".json":
                saved = read_baseline(file)
                out += saved
                names += [f"{run.facts.name} in {file}" for run in saved]
                continue
            with check_progress(quiet=False) as progress:
                run = read_run(file, progress)
            out.append(replace(run, facts=replace(run.facts, name=str(file))))
            names.append(str(file))
    require_distinct(side, out, names)
    return out


def _files(path: Path) -> list[Path]:
    """The path itself, or the traces in it where it is a folder."""
    if not path.is_dir():
        return [path]
    found = sorted(path.glob("*.duckdb"))
    parts = sorted(p.with_suffix("") for p in path.glob("*.duckdb.part") if p.with_suffix("") not in found)
    if not found and not parts:
        raise CommandError(f"{path}: a folder without traces (*.duckdb)")
    return sorted([*found, *parts])
