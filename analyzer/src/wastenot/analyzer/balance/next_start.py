"""Commands for the next start of a program that a recording shows, and for when it runs again.

Nothing is put in front of the command that starts a program, which comes from the trace and may be anything: launchers
read the same from their environment, and ranks that run already are found by their names.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Iterable, Iterator, Sequence

from wastenot.analyzer.balance.application import Application
from wastenot.analyzer.balance.crews import MPICH, OPEN_MPI, SLURM

MPI_CALL = re.compile(r"p?mpi_", re.IGNORECASE)

PLAIN = re.compile(r"[A-Za-z0-9_+-]{1,15}(\.[A-Za-z0-9_+-]+)*")
"""Names that a shell and pgrep take literally, but for dots, which match any character. Others are in no command."""

RANKFILE = "ranks.txt"


def settings_of_threads(cpus: Sequence[int]) -> str:
    """A CPU for each thread of OpenMP."""
    places = ",".join(f"{{{cpu}}}" for cpu in cpus)
    return f'export OMP_NUM_THREADS={len(cpus)} OMP_PROC_BIND=true OMP_PLACES="{places}"'


def settings_of_ranks(a: Application, cpus: Sequence[int]) -> Iterator[str]:
    """A CPU for each rank of MPI, for the launcher that started the program, or where it is not known for each."""
    if _may_be(a, OPEN_MPI) and not a.crew.ranks_elsewhere:  # a rankfile has all ranks
        pairs = " ".join(f"{rank} {cpu}" for rank, cpu in zip(a.crew.numbers, cpus, strict=True))
        yield f"printf 'rank %d=localhost slot=%d\\n' {pairs} > {RANKFILE}"
        yield f'export OMPI_MCA_rmaps_rank_file_path="$PWD/{RANKFILE}" OMPI_MCA_rmaps_rank_file_physical=1'
    if _may_be(a, SLURM):
        yield f"export SLURM_CPU_BIND=map_cpu:{','.join(map(str, cpus))}"


def settings_of_waiting(a: Application) -> Iterator[str]:
    """That ranks of MPI yield their CPU while they wait, for the launcher that started the program."""
    if _may_be(a, (*OPEN_MPI, *SLURM)):
        yield "export OMPI_MCA_mpi_yield_when_idle=1"


def remarks_of_waiting(a: Application) -> Iterator[str]:
    """What reads that setting, and what has none."""
    if _may_be(a, (*OPEN_MPI, *SLURM)):
        yield "Open MPI reads it as the program starts"
    yield from remarks_of_yielding(a)


def remarks_of_yielding(a: Application) -> Iterator[str]:
    """MPICH has no setting that yields (counted: its calls of sched_yield)."""
    if _may_be(a, MPICH):
        yield (
            "MPICH over UCX, as Debian builds 4.0, never yields, whatever MPIR_CVAR_POLLS_BEFORE_YIELD says: start no "
            "more ranks than there are CPUs"
        )


def remarks_of_ranks(a: Application, cpus: Sequence[int]) -> Iterator[str]:
    """What reads the settings, and what is written where the launcher reads none."""
    if _may_be(a, OPEN_MPI) and not a.crew.ranks_elsewhere:
        yield (
            f"Open MPI 4: mpirun reads {RANKFILE} as the program is started again with {len(cpus)} ranks, without "
            "--map-by, and without taskset or numactl in front of the program, which bind anew; unset the variable "
            "before other programs"
        )
    if _may_be(a, SLURM):
        yield "Slurm: srun reads SLURM_CPU_BIND"
    if _may_be(a, MPICH):
        yield f"MPICH: mpiexec.hydra -bind-to user:{','.join(map(str, cpus))} in front of the program"


def binding_by_name(names: Sequence[str], cpus: Sequence[int]) -> Iterator[str]:
    """Bind processes that run again."""
    yield from _by_name(names, cpus, lambda cpu, pid: f"taskset -pc {cpu} {pid}")


def weighting_by_name(names: Sequence[str], nice: Sequence[int], *, sessions: bool = False) -> Iterator[str]:
    """Nice values for processes that run again. `sessions`: as in `start_with_weights`."""

    def command(value: str, pid: str) -> str:
        group = f"; {group_command(value, pid)}" if sessions else ""
        return f"renice -n {value} -p {pid}{group}"

    yield from _by_name(names, nice, command)


def _by_name(names: Sequence[str], values: Sequence[int], command: Callable[[str, str], str]) -> Iterator[str]:
    """A command for each process, of a value and its number: those of one name in the order in which they were created,
    or each by its own. None where names are not plain."""
    if not all(PLAIN.fullmatch(name) for name in names):
        return
    if len(set(names)) == 1:
        found = f"$(pgrep -x '{names[0]}' | head -n {len(values)})"
        each = command('"$1"', '"$pid"')
        yield f"(set -- {' '.join(map(str, values))}; for pid in {found}; do {each}; shift; done)"
    elif len(set(names)) == len(names):
        for name, value in zip(names, values, strict=True):
            yield command(str(value), f"\"$(pgrep -nx '{name}')\"")


def has_sessions(a: Application) -> bool:
    """Whether each rank has a session of its own: the proxy of MPICH makes one for each."""
    return a.crew.launcher in MPICH


def group_command(nice: str, process: str) -> str:
    """The nice value of the group that a process's session has, where there are such groups (sched(7)).

    Without CAP_SYS_ADMIN the kernel takes one of these in 100 ms and refuses the others, of whatever process
    (kernel/sched/autogroup.c: proc_sched_autogroup_set_nice): it is tried again for ten seconds.
    """
    file = f"/proc/{process}/autogroup"
    return f"[ ! -e {file} ] || for try in $(seq 50); do echo {nice} 2>/dev/null >{file} && break; sleep 0.2; done"


RANK_VARIABLES = (
    ("Open MPI", OPEN_MPI, "OMPI_COMM_WORLD_RANK"),
    ("MPICH", MPICH, "PMI_RANK"),
    ("Slurm", SLURM, "SLURM_PROCID"),
)
"""By what variable of its environment a process knows its rank, by who starts it."""


def weights_at_next_start(a: Application, nice: Sequence[int]) -> Iterator[str]:
    """What to put in front of the program so that each rank starts with its nice value."""
    for library, launchers, variable in RANK_VARIABLES:
        if _may_be(a, launchers):
            words = shlex.join(start_with_weights(variable, a.crew.numbers, nice, sessions=launchers is MPICH))
            yield f"{library}, at the next start: {words} in front of the program"


def start_with_weights(
    variable: str, numbers: Iterable[int], nice: Sequence[int], *, sessions: bool = False
) -> list[str]:
    """Words in front of the command of a program of MPI: each rank, by the variable that has its number, with its nice
    value.

    `sessions`: each rank has a session of its own, as those of MPICH, and with it, where the kernel makes groups of
    sessions (CONFIG_SCHED_AUTOGROUP), a group whose nice value counts (sched(7)).
    """
    by_value: dict[int, list[str]] = {}
    for number, value in zip(numbers, nice, strict=True):
        if value:
            by_value.setdefault(value, []).append(str(number))
    group = {value: f"{group_command(str(value), 'self')}; " if sessions else "" for value in by_value}
    cases = " ".join(
        f'{"|".join(ranks)}) {group[value]}exec nice -n {value} "$@";;' for value, ranks in sorted(by_value.items())
    )
    return ["sh", "-c", f'case ${variable} in {cases} *) exec "$@";; esac', "sh"]


def _is_mpi(a: Application) -> bool:
    """Whether a launcher started it, or it has calls of MPI."""
    return a.crew.launcher is not None or (
        a.calls is not None and any(MPI_CALL.match(call.name) for call in a.calls.counts)
    )


def _may_be(a: Application, launchers: Sequence[str]) -> bool:
    """Whether one of these launchers started it, or may have: none is known, and it is a program of MPI."""
    return a.crew.launcher in launchers or (a.crew.launcher is None and _is_mpi(a))
