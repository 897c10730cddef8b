"""CTF whose metadata or packets claim sizes, lengths and numbers that are not there: a gigabyte, 20 s, one line."""

from __future__ import annotations

import os
import struct
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from mutations.watched import Limits, imported

ROOT = Path(__file__).resolve().parents[2]
KERNEL = ROOT / "fixtures/traces/guest-6.1/pinned/kernel"
LIMITS = Limits(seconds=20, memory_mb=1024)

Build = Callable[[str, bytearray], str]
"""Changes a stream's bytes in place; returns the metadata's text."""

CONTENT_SIZE, PACKET_SIZE, DISCARDED, CPU, STREAM, INSTANCE, END = 48, 56, 72, 80, 20, 24, 40
"""Where the first packet of a stream tells them."""


def plain_metadata() -> str:
    """The metadata of the recording without its packets."""
    data, text, at = (KERNEL / "metadata").read_bytes(), b"", 0
    while at < len(data):
        content, packet = struct.unpack_from("<II", data, at + 24)
        text += data[at + 37 : at + content // 8]
        at += packet // 8
    return "/* CTF 1.8 */\n" + text.decode()


def packet(**numbers: int) -> Build:
    """The first packet tells other numbers."""
    places = {"content": CONTENT_SIZE, "size": PACKET_SIZE, "discarded": DISCARDED, "instance": INSTANCE, "end": END}

    def build(text: str, stream: bytearray) -> str:
        for name, number in numbers.items():
            if name in places:
                struct.pack_into("<Q", stream, places[name], number)
            else:
                struct.pack_into("<I", stream, {"cpu": CPU, "stream": STREAM}[name], number)
        return text

    return build


def every_packet_of_cpu(cpu: int) -> Build:
    """All packets are of this CPU."""

    def build(text: str, stream: bytearray) -> str:
        at = 0
        while at < len(stream):
            struct.pack_into("<I", stream, at + CPU, cpu)
            at += struct.unpack_from("<Q", stream, at + PACKET_SIZE)[0] // 8
        return text

    return build


def grown(size: int) -> Build:
    """One packet as long as the file, which is zeros but for its start."""

    def build(text: str, stream: bytearray) -> str:
        stream.extend(bytes(size - len(stream)))
        return packet(content=size * 8, size=size * 8)(text, stream)

    return build


def text(old: str, new: str) -> Build:
    """The metadata say something else."""

    def build(reported: str, _: bytearray) -> str:
        assert old in reported
        return reported.replace(old, new)

    return build


def more(declared: str) -> Build:
    """The metadata say more."""
    return lambda reported, _: reported + declared


COMM = "_prev_comm[16]"
PREV_TID = "integer { size = 32; align = 8; signed = 1; encoding = none; base = 10; } _prev_tid;"
DOUBLED = "struct d0 { uint8_t a; uint8_t b; };\n" + "".join(
    f"struct d{n} {{ struct d{n - 1} a; struct d{n - 1} b; }};\n" for n in range(1, 31)
)
NESTED = "".join(f"struct a{n} {{ {f'struct a{n - 1}' if n else 'uint8_t'} f[256]; }};\n" for n in range(6))
VARIANTS = "".join(
    f"variant v{n} {{ {f'struct w{n - 1}' if n else 'uint8_t'} a; {f'struct w{n - 1}' if n else 'uint8_t'} b; }};\n"
    f"struct w{n} {{ enum : uint8_t {{ a, b }} t; variant v{n} <t> v; }};\n"
    for n in range(24)
)


def in_switch(declared: str, field: str) -> Build:
    """A field before those of sched_switch, of a type that is declared first."""

    def build(reported: str, _: bytearray) -> str:
        assert PREV_TID in reported
        return reported.replace("event {", declared + "event {", 1).replace(PREV_TID, field + PREV_TID)

    return build


CASES: dict[str, Build] = {
    "content-2^63": packet(content=2**63),
    "content-2^64-8": packet(content=2**64 - 8),
    "packet-2^64-8": packet(size=2**64 - 8),
    "both-2^62": packet(content=2**62, size=2**62),
    "both-2^40": packet(content=2**40, size=2**40),
    "both-zero": packet(content=0, size=0),
    "content-beyond-packet": packet(content=2**20, size=2**15),
    "odd-bits": packet(content=2**15 - 3, size=2**15 - 1),
    "cpu-2^32-1": packet(cpu=2**32 - 1),
    "cpu-32767": packet(cpu=32767),
    "all-of-cpu-8191": every_packet_of_cpu(8191),
    "all-of-cpu-32767": every_packet_of_cpu(32767),
    "all-of-cpu-2^32-1": every_packet_of_cpu(2**32 - 1),
    "discarded-2^64-1": packet(discarded=2**64 - 1),
    "end-2^64-1": packet(end=2**64 - 1),
    "stream-2^32-1": packet(stream=2**32 - 1),
    "instance-2^64-1": packet(instance=2**64 - 1),
    "zeros-64-MB": grown(64 << 20),
    "array-10^8": text(COMM, "_prev_comm[100000000]"),
    "array-2^31-1": text(COMM, "_prev_comm[2147483647]"),
    "array-2^32-1": text(COMM, "_prev_comm[4294967295]"),
    "array-2^63-1": text(COMM, "_prev_comm[9223372036854775807]"),
    "array-of-arrays": text(COMM, "_prev_comm[65536][65536]"),
    "ints-10^8": in_switch("", "uint64_t _x[100000000];"),
    "sequence-of-a-state": in_switch("", "uint64_t _n; uint8_t _x[_n];"),
    "sequence-of-structs": in_switch("", "uint32_t _n; struct { uint8_t a[65536]; } _x[_n];"),
    "string-without-end": in_switch("", "string _x;"),
    "arrays-256^6": in_switch(NESTED, "struct a5 _x;"),
    "structs-doubled-30": in_switch(DOUBLED, "struct d30 _x;"),
    "variants-doubled-24": in_switch(VARIANTS, "struct w23 _x;"),
    "structs-in-structs-20000": in_switch("", "struct { " * 20000 + "uint8_t a;" + " } a;" * 20000),
    "header-array-10^9": text("uint8_t  uuid[16];", "uint8_t  uuid[1000000000];"),
    "context-array-10^9": text("uint32_t cpu_id;\n};", "uint32_t cpu_id; uint8_t x[1000000000];\n};"),
    "integer-2^31-bits": in_switch("", "integer { size = 2147483648; align = 8; signed = 0; } _x;"),
    "align-2^62": in_switch("", "integer { size = 8; align = 4611686018427387904; signed = 0; } _x;"),
    "clock-of-no-rate": text("freq = 1000000000;", "freq = 0;"),
    "clock-2^64-1": text("freq = 1000000000;", "freq = 18446744073709551615;"),
    "offset-2^63-1": text("offset = 1795178778663472395;", "offset = 9223372036854775807;"),
    "streams-20000": more("".join(f"stream {{ id = {n}; }};\n" for n in range(3, 20_003))),
    "events-50000": more(
        "".join(f'event {{ name = "e{n}"; id = {n}; stream_id = 0; }};\n' for n in range(100, 50_100))
    ),
    "enum-20000": in_switch("", "enum : uint32_t { " + ", ".join(f"a{n}" for n in range(20_000)) + " } _x;"),
    "name-1-MB": more('event { name = "' + "a" * (1 << 20) + '"; id = 99; stream_id = 0; };\n'),
}


def broken(case: str, place: Path) -> str:
    """What is wrong with the import of a case; empty when all is well."""
    folder = place / case
    (folder / "ctf").mkdir(parents=True)
    stream = bytearray((KERNEL / "c1_1").read_bytes())
    (folder / "ctf/metadata").write_text(CASES[case](plain_metadata(), stream))
    (folder / "ctf/c1_1").write_bytes(stream)
    ended = imported(folder / "ctf", folder, LIMITS)
    return f"{case}: {ended.why}: {ended.errors.strip()[-300:]}\n" if ended.why else ""


def test_a_claim_of_metadata_or_a_packet_takes_no_memory() -> None:
    # A process of its own: what forks must have no threads, and pytest's may have some.
    command = [sys.executable, "-m", "tests.attack.test_prepared_ctf"]
    done = subprocess.run(
        command, cwd=ROOT, capture_output=True, text=True, timeout=600, check=False,
        env={**os.environ, "PYTHONPATH": str(ROOT / "tests")},
    )  # fmt: skip
    assert done.returncode == 0 and done.stdout == f"{len(CASES)} cases\n", done.stdout + done.stderr


if __name__ == "__main__":
    import wastenot.cli.main  # noqa: F401 - so that forked processes have it already

    with tempfile.TemporaryDirectory(prefix="wastenot-ctf-") as place:
        reported = "".join(broken(case, Path(place)) for case in CASES)
    sys.stdout.write(reported or f"{len(CASES)} cases\n")
    sys.exit(bool(reported))
