"""The recording that ships as fixtures/traces/mpi.part: four ranks of Open MPI whose heavy ones share a CPU."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
from pathlib import Path

from wastenot.collector import Recorder

from bench.parallel.programs import AS_ROOT, CPUS, LOADS, mpirun_bound

ARGUMENTS = ["16", "0.01", *LOADS[4]]


def record_part(program: Path, part: Path) -> None:
    """Record into a part folder; what the program measured goes to a file of its name with the suffix `.json`.

    Without stacks, the host's name and the kernel's command line.
    """
    os.chdir(program.parent)  # so that no path of this machine is in the command
    command = mpirun_bound([CPUS[0], CPUS[1]] * 2, [f"./{program.name}", *ARGUMENTS])
    options = {"host": False, "stacks": False, "schedstat": "off", "mpi": True, "command": shlex.join(command)}
    with Recorder(part, **options, command_words=command):
        ran = subprocess.run(command, stdout=subprocess.PIPE, check=True, env={**os.environ, **AS_ROOT})
    part.with_suffix(".json").write_bytes(ran.stdout)
    machine = json.loads((part / "machine.json").read_text())
    machine.pop("cmdline", None)
    (part / "machine.json").write_text(json.dumps(machine))
