"""What each BPF program of a recording cost, from the kernel's own statistics (`kernel.bpf_stats_enabled`)."""

from __future__ import annotations

import ctypes
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

# include/uapi/linux/bpf.h: enum bpf_cmd
PROG_LOAD, PROG_GET_NEXT_ID, PROG_GET_FD_BY_ID, OBJ_GET_INFO_BY_FD, RAW_TRACEPOINT_OPEN = 5, 11, 13, 15, 17
PROG_TYPE_RAW_TRACEPOINT = 17
RETURN_0 = bytes([0xB7, 0, 0, 0, 0, 0, 0, 0, 0x95, 0, 0, 0, 0, 0, 0, 0])  # r0 = 0; exit
EMPTY = "empty"
SYS_BPF = {"x86_64": 321, "aarch64": 280}
SWITCH = Path("/proc/sys/kernel/bpf_stats_enabled")


class ProgInfo(ctypes.Structure):
    """The beginning of `struct bpf_prog_info` up to `run_cnt`."""

    _fields_ = [
        ("type", ctypes.c_uint32),
        ("id", ctypes.c_uint32),
        ("tag", ctypes.c_uint8 * 8),
        ("jited_prog_len", ctypes.c_uint32),
        ("xlated_prog_len", ctypes.c_uint32),
        ("jited_prog_insns", ctypes.c_uint64),
        ("xlated_prog_insns", ctypes.c_uint64),
        ("load_time", ctypes.c_uint64),
        ("created_by_uid", ctypes.c_uint32),
        ("nr_map_ids", ctypes.c_uint32),
        ("map_ids", ctypes.c_uint64),
        ("name", ctypes.c_char * 16),
        ("ifindex", ctypes.c_uint32),
        ("gpl_compatible", ctypes.c_uint32),
        ("netns_dev", ctypes.c_uint64),
        ("netns_ino", ctypes.c_uint64),
        ("nr_jited_ksyms", ctypes.c_uint32),
        ("nr_jited_func_lens", ctypes.c_uint32),
        ("jited_ksyms", ctypes.c_uint64),
        ("jited_func_lens", ctypes.c_uint64),
        ("btf_id", ctypes.c_uint32),
        ("func_info_rec_size", ctypes.c_uint32),
        ("func_info", ctypes.c_uint64),
        ("nr_func_info", ctypes.c_uint32),
        ("nr_line_info", ctypes.c_uint32),
        ("line_info", ctypes.c_uint64),
        ("jited_line_info", ctypes.c_uint64),
        ("nr_jited_line_info", ctypes.c_uint32),
        ("line_info_rec_size", ctypes.c_uint32),
        ("jited_line_info_rec_size", ctypes.c_uint32),
        ("nr_prog_tags", ctypes.c_uint32),
        ("prog_tags", ctypes.c_uint64),
        ("run_time_ns", ctypes.c_uint64),
        ("run_cnt", ctypes.c_uint64),
    ]


@dataclass(frozen=True)
class Program:
    """A loaded BPF program and what it cost since statistics were switched on."""

    id: int
    name: str
    runs: int
    ns: int


def _bpf(command: int, attribute: ctypes.Array[ctypes.c_uint64]) -> int:
    libc = ctypes.CDLL(None, use_errno=True)
    return int(libc.syscall(SYS_BPF[os.uname().machine], command, attribute, ctypes.sizeof(attribute)))


def programs() -> list[Program]:
    """All programs loaded now. Needs CAP_SYS_ADMIN."""
    found: list[Program] = []
    last = 0
    while True:
        attribute = (ctypes.c_uint64 * 16)(last)
        if _bpf(PROG_GET_NEXT_ID, attribute) != 0:
            return found
        last = attribute[0] >> 32  # {start_id, next_id}
        fd = _bpf(PROG_GET_FD_BY_ID, (ctypes.c_uint64 * 16)(last))
        if fd < 0:
            continue  # gone in between
        info = ProgInfo()
        query = (ctypes.c_uint64 * 16)(fd | ctypes.sizeof(info) << 32, ctypes.addressof(info))
        if _bpf(OBJ_GET_INFO_BY_FD, query) == 0:
            found.append(Program(info.id, info.name.decode(), info.run_cnt, info.run_time_ns))
        os.close(fd)


@contextmanager
def empty_program(tracepoint: str) -> Iterator[None]:
    """A program `EMPTY` that returns at once is attached inside: its statistics are the cost of keeping them.

    Raises OSError where the kernel refuses it.
    """
    code, licence, name = (ctypes.create_string_buffer(text) for text in (RETURN_0, b"GPL", tracepoint.encode()))
    kind = PROG_TYPE_RAW_TRACEPOINT | len(RETURN_0) // 8 << 32  # prog_type, insn_cnt
    load = (ctypes.c_uint64 * 16)(kind, ctypes.addressof(code), ctypes.addressof(licence))
    ctypes.memmove(ctypes.addressof(load) + 48, EMPTY.encode(), len(EMPTY))  # prog_name
    with _opened(PROG_LOAD, load) as program:
        attach = (ctypes.c_uint64 * 16)(ctypes.addressof(name), program)
        with _opened(RAW_TRACEPOINT_OPEN, attach):
            yield


@contextmanager
def _opened(command: int, attribute: ctypes.Array[ctypes.c_uint64]) -> Iterator[int]:
    fd = _bpf(command, attribute)
    if fd < 0:
        raise OSError(ctypes.get_errno(), f"bpf({command}): {os.strerror(ctypes.get_errno())}")
    try:
        yield fd
    finally:
        os.close(fd)


@contextmanager
def statistics() -> Iterator[None]:
    """The kernel keeps run counts and times inside; costs some 20 ns a run, so never while overhead is measured."""
    before = SWITCH.read_text()
    SWITCH.write_text("1")
    try:
        yield
    finally:
        SWITCH.write_text(before)
