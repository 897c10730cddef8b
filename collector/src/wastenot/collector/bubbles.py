"""Bubbles declared by a Python program: libwastenot-bubble by ctypes.

from wastenot.collector.bubbles import Bubble, Level

with Bubble("solver") as solver:
    solver.insert_thread()  # the calling thread
    solver.set_burst_level(Level.LLC)
    solver.wake_up()

Calls that the library refuses raise BubbleError with the errno; the refusal is recorded as well. What each call means
and where the vocabulary comes from: `collector/bubbles/include/wastenot/bubble.h`.
"""

from __future__ import annotations

import ctypes
import ctypes.util
import errno
import os
from enum import IntEnum
from pathlib import Path
from types import TracebackType

import wastenot._native

LIBRARY = "libwastenot-bubble.so.0"
"""Looked for in WASTENOT_BUBBLE_LIBRARY (a file), beside the native extension, then where the dynamic linker looks."""


class BubbleError(OSError):
    """A call that was refused, with its errno; or the library is not there (ENOENT with a file name)."""


class Level(IntEnum):
    """Levels of the hierarchy of runqueues; ASIDE is a list that no CPU searches."""

    MACHINE = 2
    NODE = 3
    PACKAGE = 4
    LLC = 5
    CORE = 6
    CPU = 7
    ASIDE = 8


class _Runqueue(ctypes.Structure):
    _fields_ = (("level", ctypes.c_int), ("index", ctypes.c_uint32))


def library_folder() -> Path:
    """The folder of the library and its recorders in this installation."""
    return Path(wastenot._native.__file__).parent / "lib"


_bubble, _tid, _value = ctypes.c_uint64, ctypes.c_int, ctypes.c_uint64
_CALLS: dict[str, tuple[type[ctypes.Structure] | type[ctypes._SimpleCData[int]], ...]] = {
    "bubble_insert_thread": (_bubble, _tid),
    "bubble_insert_bubble": (_bubble, _bubble),
    "bubble_remove_thread": (_tid,),
    "bubble_remove_bubble": (_bubble,),
    "bubble_wake_up": (_bubble,),
    "bubble_set_priority": (_bubble, ctypes.c_int),
    "bubble_set_slice": (_bubble, _value),
    "bubble_set_burst_level": (_bubble, ctypes.c_int),
    "bubble_expect": (_bubble, _value),
    "bubble_move": (_bubble, _Runqueue),
    "bubble_burst": (_bubble,),
    "bubble_regenerate": (_bubble,),
    "bubble_close": (_bubble,),
    "bubble_destroy": (_bubble,),
    "thread_attach": (_tid,),
    "thread_set_priority": (_tid, ctypes.c_int),
    "thread_expect": (_tid, _value),
    "thread_move": (_tid, _Runqueue),
}


def _open() -> ctypes.CDLL:
    named = os.environ.get("WASTENOT_BUBBLE_LIBRARY")
    own = library_folder() / LIBRARY
    path = named or (str(own) if own.is_file() else LIBRARY)
    try:
        library = ctypes.CDLL(path)
    except OSError:
        why = "libwastenot-bubble is not installed; build it with make -C collector/bubbles"
        raise BubbleError(errno.ENOENT, why, path) from None
    library.wastenot_bubble_init.argtypes = (ctypes.c_char_p,)
    library.wastenot_bubble_init.restype = ctypes.c_uint64
    library.wastenot_bubble_dump.restype = None
    for name, arguments in _CALLS.items():
        function = getattr(library, f"wastenot_{name}")
        function.argtypes = arguments
        function.restype = ctypes.c_int
    return library


_library: ctypes.CDLL | None = None


def _lib() -> ctypes.CDLL:
    global _library
    if _library is None:
        _library = _open()
    return _library


def _call(name: str, *arguments: int | _Runqueue) -> None:
    status: int = getattr(_lib(), f"wastenot_{name}")(*arguments)
    if status < 0:
        raise BubbleError(-status, f"{name}: {os.strerror(-status)}")


class Bubble:
    """A bubble of this process. As a context manager it is destroyed at the end."""

    def __init__(self, name: str = "") -> None:
        self.name = name
        self.number: int = _lib().wastenot_bubble_init(name.encode())
        """Its identity: process in the upper 32 bits, a number of the process's own in the lower."""
        if not self.number:
            raise BubbleError(errno.ENOMEM, "bubble_init: out of memory")

    def insert_thread(self, tid: int = 0) -> None:
        """Put a thread in (0: the calling one). EEXIST: it is in another bubble."""
        _call("bubble_insert_thread", self.number, tid)

    def insert(self, inner: Bubble) -> None:
        """Put a bubble in. EEXIST: it is in another one; ELOOP: it would hold itself; EBUSY: it has burst."""
        _call("bubble_insert_bubble", self.number, inner.number)

    def remove(self, inner: Bubble) -> None:
        """Take a bubble out of the one that it belongs to."""
        _call("bubble_remove_bubble", inner.number)

    def wake_up(self) -> None:
        """Its content may run."""
        _call("bubble_wake_up", self.number)

    def set_priority(self, priority: int) -> None:
        """Higher runs first."""
        _call("bubble_set_priority", self.number, priority)

    def set_slice(self, slice_ns: int) -> None:
        """Time slice of the bubble, ns."""
        _call("bubble_set_slice", self.number, slice_ns)

    def set_burst_level(self, level: Level) -> None:
        """Where it is to burst."""
        _call("bubble_set_burst_level", self.number, level)

    def expect(self, cpu_ns: int) -> None:
        """CPU time that it is expected to need from now on, ns."""
        _call("bubble_expect", self.number, cpu_ns)

    def move(self, level: Level, index: int = 0) -> None:
        """It is on this runqueue now. EBUSY: it is inside a closed bubble."""
        _call("bubble_move", self.number, _Runqueue(level, index))

    def burst(self) -> None:
        """It releases what it holds onto its runqueue. EINVAL: it is on none, or has burst."""
        _call("bubble_burst", self.number)

    def regenerate(self) -> None:
        """Start to take back what it released. EINVAL: it has not burst."""
        _call("bubble_regenerate", self.number)

    def close(self) -> None:
        """All is back inside. EINVAL: it has not burst."""
        _call("bubble_close", self.number)

    def destroy(self) -> None:
        """It is gone; what it held goes to where it was."""
        _call("bubble_destroy", self.number)

    def __enter__(self) -> Bubble:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.destroy()

    def __repr__(self) -> str:
        return f"<Bubble {self.name!r} {self.number >> 32}:{self.number & 0xFFFFFFFF}>"


def attach_thread(tid: int = 0) -> None:
    """Make a thread (0: the calling one) known that is in no bubble."""
    _call("thread_attach", tid)


def remove_thread(tid: int = 0) -> None:
    """Take a thread out of its bubble and forget it; before it ends."""
    _call("bubble_remove_thread", tid)


def move_thread(level: Level, index: int = 0, tid: int = 0) -> None:
    """A thread is on this runqueue now."""
    _call("thread_move", tid, _Runqueue(level, index))


def set_thread_priority(priority: int, tid: int = 0) -> None:
    """Priority of a thread, higher first."""
    _call("thread_set_priority", tid, priority)


def expect_of_thread(cpu_ns: int, tid: int = 0) -> None:
    """CPU time that a thread is expected to need from now on, ns."""
    _call("thread_expect", tid, cpu_ns)


def dump() -> None:
    """Record the whole tree again, for a session that starts while another one listens."""
    _lib().wastenot_bubble_dump()
