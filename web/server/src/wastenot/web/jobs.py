"""Uploads on their way to traces: received into a file, imported by a child process, added to the library."""

from __future__ import annotations

import asyncio
import contextlib
import json
import re
import secrets
import shutil
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path

from fastapi import Request
from starlette.requests import ClientDisconnect
from wastenot.web.errors import ClientGone, WebError
from wastenot.web.library import Library, slug
from wastenot.web.models import Job
from wastenot.web.settings import Settings

MOST_RUNNING = 2
"""Imports that run at once; others wait."""
KEPT_JOBS = 200
"""Jobs that are remembered."""


@dataclass
class _Work:
    id: str
    name: str
    folder: Path
    began: float
    state: str = "running"
    phase: str = "waiting"
    events: int = 0
    share: float | None = None
    phase_began: float = 0.0
    error: str | None = None
    trace: str | None = None
    task: asyncio.Task[None] | None = None
    process: asyncio.subprocess.Process | None = None
    affinity: tuple[str, ...] = field(default_factory=tuple)


class Jobs:
    """All uploads of one server."""

    def __init__(self, library: Library, folder: Path, settings: Settings) -> None:
        self._library, self._folder, self._settings = library, folder, settings
        self._work: dict[str, _Work] = {}
        self._slots = asyncio.Semaphore(MOST_RUNNING)

    async def receive(self, request: Request, name: str, affinity: tuple[str, ...]) -> str:
        """Write the body to a file and begin its import; returns the job. WebError when it is too large or empty."""
        name = safe_name(name)
        announced = request.headers.get("content-length", "")
        if announced.isdigit() and int(announced) > self._settings.upload_bytes:
            raise self._too_large(name)
        for pair in affinity:
            if "=" not in pair:
                raise WebError(422, f"affinity {pair!r}: write NAME=CPULIST")
        id = secrets.token_hex(8)
        folder = self._folder / f".upload-{id}"
        try:
            folder.mkdir(parents=True)
        except OSError as e:
            raise WebError(507, f"uploads: the server cannot write to its folder ({e.strerror})") from None
        try:
            await self._write(request, folder / name, name)
        except BaseException:
            shutil.rmtree(folder, ignore_errors=True)
            raise
        work = _Work(id, name, folder, time.monotonic(), affinity=affinity)
        self._work[id] = work
        self._forget_old()
        work.task = asyncio.create_task(self._import(work))
        return id

    async def _write(self, request: Request, file: Path, name: str) -> None:
        size = 0
        try:
            with file.open("wb") as f:
                async for chunk in request.stream():
                    size += len(chunk)
                    if size > self._settings.upload_bytes:
                        raise self._too_large(name)
                    await asyncio.to_thread(f.write, chunk)
        except ClientDisconnect:
            raise ClientGone from None
        except OSError as e:
            raise WebError(507, f"{name}: cannot be stored ({e.strerror})") from None
        if size == 0:
            raise WebError(422, f"{name}: empty")

    def _too_large(self, name: str) -> WebError:
        return WebError(
            413,
            f"{name}: larger than the {self._settings.upload_bytes / 1e9:g} GB taken here; use `wastenot import`",
        )

    async def _import(self, work: _Work) -> None:
        source = work.folder / work.name
        made = work.folder / f"{slug(stem(work.name))}.duckdb"
        try:
            async with self._slots:
                command = [
                    sys.executable, "-P", "-m", "wastenot.web.importing",
                    str(source), str(made), str(self._settings.upload_memory_bytes), *work.affinity,
                ]  # fmt: skip
                work.process = await asyncio.create_subprocess_exec(
                    *command,
                    stdin=asyncio.subprocess.DEVNULL,
                    stdout=asyncio.subprocess.PIPE,
                    stderr=asyncio.subprocess.PIPE,
                )
                await self._follow(work, work.process)
            if work.error is None:
                work.trace = self._library.add(self._placed(made))
        except OSError as e:
            work.error = f"{work.name}: {e.strerror}"
        except asyncio.CancelledError:
            work.error = "cancelled"
        finally:
            try:
                await _end(work.process)
                await asyncio.to_thread(shutil.rmtree, work.folder, ignore_errors=True)
            finally:  # last: who sees a job ended finds nothing of it left
                work.state = "failed" if work.trace is None else "done"

    async def _follow(self, work: _Work, process: asyncio.subprocess.Process) -> None:
        assert process.stdout is not None and process.stderr is not None
        errors = asyncio.create_task(process.stderr.read())
        done = False
        while line := await process.stdout.readline():
            report = json.loads(line)
            done = done or bool(report.get("done"))
            work.error = report.get("error", work.error)
            if "phase" in report:
                if report["phase"] != work.phase:
                    work.phase, work.phase_began = report["phase"], time.monotonic()
                work.events, work.share = report["events"], report["share"]
        status, text = await process.wait(), (await errors).decode(errors="replace").strip()
        if not done and work.error is None:
            last = text.splitlines()[-1] if text else f"status {status}"
            work.error = f"{work.name}: the import ended unexpectedly ({last[:200]})"

    def _placed(self, made: Path) -> Path:
        """Give a trace a name of its own in the upload folder; no file is ever replaced, of other servers neither."""
        base, n = made.stem, 1
        while True:
            target = self._folder / (f"{base}.duckdb" if n == 1 else f"{base}-{n}.duckdb")
            n += 1
            with contextlib.suppress(FileExistsError):
                target.touch(exist_ok=False)
                break
        try:
            made.replace(target)
        except OSError:
            target.unlink(missing_ok=True)
            raise
        return target

    def status(self, id: str) -> Job:
        """How far a job is; WebError 404 for an unknown one."""
        work = self._work.get(id)
        if work is None:
            raise WebError(404, f"job {id[:40]!r}: no such import")
        gone = time.monotonic() - work.phase_began
        rate = work.events / gone if work.phase_began and gone > 0.1 else None
        left = gone * (1 - work.share) / work.share if work.share and gone > 0.5 else None
        running = work.state == "running"
        return Job.model_validate(
            {
                "job": id,
                "name": work.name,
                "state": work.state,
                "phase": work.phase if running else work.state,
                "events": work.events,
                "share": work.share,
                "rate": rate if running else None,
                "left_s": left if running else None,
                "error": work.error,
                "trace": work.trace,
            }
        )

    async def cancel(self, id: str) -> Job:
        """End a job's process and remove its files."""
        self.status(id)
        work = self._work[id]
        if work.task is not None and not work.task.done():
            work.task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await work.task
        return self.status(id)

    async def close(self) -> None:
        """End everything that runs."""
        for id in list(self._work):
            await self.cancel(id)

    def _forget_old(self) -> None:
        ended = [id for id, work in self._work.items() if work.state != "running"]
        for id in ended[: max(0, len(self._work) - KEPT_JOBS)]:
            del self._work[id]


async def _end(process: asyncio.subprocess.Process | None) -> None:
    if process is not None and process.returncode is None:
        with contextlib.suppress(ProcessLookupError):
            process.kill()
        await process.wait()


def safe_name(name: str) -> str:
    """The last part of a path as a file's name: no separators, no leading dot, no odd characters."""
    last = re.split(r"[/\\]", name)[-1]
    kept = re.sub(r"[^A-Za-z0-9._+-]+", "_", last).lstrip(".")[:120] or "upload"
    return f"upload_{kept}" if kept.startswith("-") else kept


def stem(name: str) -> str:
    """The name without the endings of formats and packings."""
    endings = (
        ".duckdb",
        ".gz",
        ".xz",
        ".zst",
        ".zip",
        ".tgz",
        ".tar",
        ".data",
        ".dat",
        ".txt",
        ".html",
        ".pftrace",
        ".perfetto-trace",
        ".prv",
        ".otf2",
    )
    while name.endswith(endings):
        name = name[: name.rindex(".")]
    return name or "trace"
