"""Archives: whatever is wrong with one ends in one line, and none fills the disk."""

from __future__ import annotations

import gzip
import io
import lzma
import os
import struct
import tarfile
import tracemalloc
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
from wastenot.analyzer.errors import AnalyzerError
from wastenot.analyzer.importing import unpacking
from wastenot.analyzer.importing.unpacking import unpacked

Fails = Callable[..., str]


def zipped(method: int = zipfile.ZIP_STORED, name: str = "trace.txt", body: bytes = b"not a trace") -> bytearray:
    """A zip file with one member."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", method) as archive:
        archive.writestr(name, body)
    return bytearray(out.getvalue())


def with_method(archive: bytearray, method: int, flags: int = 0) -> bytes:
    """The archive with another compression method (and flags) in both of its headers."""
    for signature, at in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        place = archive.index(signature) + at
        archive[place] |= flags
        archive[place + 2 : place + 4] = method.to_bytes(2, "little")
    return bytes(archive)


@pytest.mark.parametrize("method", [1, 6, 9, 12, 14, 93, 95, 97, 98, 99, 65535])
def test_a_compression_that_is_not_known_or_a_lie_is_one_line(tmp_path: Path, method: int) -> None:
    path = tmp_path / "a.zip"
    path.write_bytes(with_method(zipped(), method))
    with pytest.raises(AnalyzerError) as caught, unpacked(path, tmp_path / "T.duckdb"):
        pass
    assert "archive" in str(caught.value) and "\n" not in str(caught.value)
    assert list(tmp_path.iterdir()) == [path]


def test_the_command_says_so_in_one_line(fails: Fails, tmp_path: Path) -> None:
    (tmp_path / "a.zip").write_bytes(with_method(zipped(), 6))
    assert "cannot be unpacked" in fails("import", "a.zip", "-o", "T.duckdb")


def test_an_archive_with_a_password_is_one_line(tmp_path: Path) -> None:
    path = tmp_path / "a.zip"
    path.write_bytes(with_method(zipped(), 0, flags=1))
    with pytest.raises(AnalyzerError, match="password"), unpacked(path, tmp_path / "T.duckdb"):
        pass


@pytest.mark.parametrize(
    "name", ["../out.txt", "/tmp/wastenot-out.txt", "a/../../out.txt", "..\\out.txt", "x" * 300, "a" + "/b" * 3000]
)
def test_no_member_leaves_the_folder(tmp_path: Path, name: str) -> None:
    path = tmp_path / "in" / "a.zip"
    path.parent.mkdir()
    path.write_bytes(zipped(name=name))
    try:
        with unpacked(path, path.parent / "T.duckdb") as found:
            assert found.is_relative_to(path.parent)
    except AnalyzerError as e:
        assert "\n" not in str(e)
    assert [p.name for p in tmp_path.iterdir()] == ["in"] and not Path("/tmp/wastenot-out.txt").exists()


def test_links_and_devices_of_a_tar_are_not_made(tmp_path: Path) -> None:
    for kind in (tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.CHRTYPE, tarfile.FIFOTYPE):
        path = tmp_path / "a.tar"
        with tarfile.open(path, "w") as archive:
            member = tarfile.TarInfo("trace")
            member.type, member.linkname = kind, "/etc/passwd"
            archive.addfile(member)
        with pytest.raises(AnalyzerError), unpacked(path, tmp_path / "T.duckdb"):
            pass


@pytest.mark.parametrize("kind", ["gzip", "zip", "zip of a gzip"])
def test_a_small_archive_does_not_fill_the_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str) -> None:
    monkeypatch.setattr(unpacking, "LEAST_BYTES", 1 << 20)
    zeros = bytes(50 << 20)
    path = tmp_path / "a"
    if kind == "gzip":
        path.write_bytes(gzip.compress(zeros))
    elif kind == "zip":
        path.write_bytes(zipped(zipfile.ZIP_DEFLATED, body=zeros))
    else:
        path.write_bytes(zipped(zipfile.ZIP_DEFLATED, body=gzip.compress(zeros)))
    with pytest.raises(AnalyzerError, match="more than 200 times"), unpacked(path, tmp_path / "T.duckdb"):
        pass
    assert list(tmp_path.iterdir()) == [path]


def test_an_archive_of_very_many_files_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(unpacking, "MOST_MEMBERS", 50)
    path = tmp_path / "a.zip"
    with zipfile.ZipFile(path, "w") as archive:
        for i in range(51):
            archive.writestr(f"{i}", b"")
    with pytest.raises(AnalyzerError, match="more than 50 files"), unpacked(path, tmp_path / "T.duckdb"):
        pass


@pytest.mark.parametrize("seed", range(60))
def test_a_damaged_archive_is_one_line(tmp_path: Path, seed: int) -> None:
    body = os.urandom(2000)
    tar = io.BytesIO()
    with tarfile.open(fileobj=tar, mode="w") as made:
        member = tarfile.TarInfo("trace")
        member.size = len(body)
        made.addfile(member, io.BytesIO(body))
    whole = [bytes(zipped(zipfile.ZIP_DEFLATED, body=body)), bytes(zipped(zipfile.ZIP_LZMA, body=body)), tar.getvalue(),
             bytes(zipped(zipfile.ZIP_BZIP2, body=body)), gzip.compress(body)][seed % 5]  # fmt: skip
    damaged = bytearray(whole)
    for i in range(4):
        damaged[(seed * 7919 + i * 104729) % min(len(damaged), 600)] ^= 1 + seed
    path = tmp_path / "a"
    path.write_bytes(damaged)
    try:
        with unpacked(path, tmp_path / "T.duckdb"):
            pass
    except AnalyzerError as e:
        assert "\n" not in str(e)
    assert list(tmp_path.iterdir()) == [path]


def tar_of(path: Path, *members: tuple[str, bytes, bytes]) -> Path:
    """A tar of members (name, type, body) whose bodies are what the headers say."""
    with path.open("wb") as f:
        for name, kind, body in members:
            member = tarfile.TarInfo(name)
            member.type, member.size = kind, len(body)
            f.write(member.tobuf(tarfile.GNU_FORMAT) + body + bytes(-len(body) % 512))
        f.write(bytes(1024))
    return path


def escaping(path: Path) -> None:
    """A tar whose links lead out of any folder once their path is longer than the system resolves (CVE-2025-4517)."""
    long, steps, at = "d" * 247, "abcdefghijklmnop", ""
    with tarfile.open(path, "w") as tar:

        def link(name: str, to: str) -> None:
            member = tarfile.TarInfo(name)
            member.type, member.linkname = tarfile.SYMTYPE, to
            tar.addfile(member)

        for step in steps:
            folder = tarfile.TarInfo(f"{at}{long}")
            folder.type, folder.mode = tarfile.DIRTYPE, 0o755
            tar.addfile(folder)
            link(f"{at}{step}", long)
            at += f"{long}/"
        far = "/".join(steps) + "/" + "l" * 254
        link(far, "../" * len(steps))
        link("escape", f"{far}/../victim")
        pwned = tarfile.TarInfo("escape/pwned")
        pwned.size = 4
        tar.addfile(pwned, io.BytesIO(b"text"))


def test_a_tar_writes_nothing_outside(fails: Fails, tmp_path: Path) -> None:
    (tmp_path / "victim").mkdir()
    escaping(tmp_path / "a.tar")
    assert "archive" in fails("import", "a.tar", "-o", "T.duckdb")
    assert not list((tmp_path / "victim").iterdir())
    assert sorted(p.name for p in tmp_path.iterdir()) == ["a.tar", "victim"]


@pytest.mark.parametrize("kind", [tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.CHRTYPE, tarfile.FIFOTYPE, b"S", b"?"])
def test_a_tar_with_more_than_files_and_folders_is_refused(tmp_path: Path, kind: bytes) -> None:
    path = tar_of(tmp_path / "a.tar", ("trace.txt", tarfile.REGTYPE, b"x"), ("other", kind, b""))
    with pytest.raises(AnalyzerError, match="in it \\('other'\\)"), unpacked(path, tmp_path / "T.duckdb"):
        pass


@pytest.mark.parametrize("form", [tarfile.USTAR_FORMAT, tarfile.GNU_FORMAT, tarfile.PAX_FORMAT])
@pytest.mark.parametrize("pack", [bytes, gzip.compress, lzma.compress])
def test_a_tar_is_unpacked_as_it_was_packed(tmp_path: Path, form: int, pack: Callable[[bytes], bytes]) -> None:
    wanted = {"a/trace": b"x" * 5000, "a/b/" + "long" * 20: b"", "a/" + "d/" * 20 + "ü" * 40: b"y" * 512}
    made = io.BytesIO()
    with tarfile.open(fileobj=made, mode="w", format=form) as tar:
        for name, body in wanted.items():
            member = tarfile.TarInfo(name)
            member.size = len(body)
            tar.addfile(member, io.BytesIO(body))
    (tmp_path / "a").write_bytes(pack(made.getvalue()))
    with unpacked(tmp_path / "a", tmp_path / "T.duckdb") as found:
        assert {f"a/{p.relative_to(found)}": p.read_bytes() for p in found.rglob("*") if p.is_file()} == wanted


def test_the_last_of_two_members_with_one_name_counts(tmp_path: Path) -> None:
    path = tar_of(tmp_path / "a.tar", ("t", tarfile.REGTYPE, b"first"), ("./t", tarfile.REGTYPE, b"second"))
    with unpacked(path, tmp_path / "T.duckdb") as found:
        assert found.read_bytes() == b"second"


@pytest.mark.parametrize(
    "names", [("a", "a/b"), ("a/b", "a"), ("n" * 256,), ("d/" * 64 + "f",), ("/".join(["e" * 99] * 11),)]
)
def test_names_that_cannot_be_are_one_line(fails: Fails, tmp_path: Path, names: tuple[str, ...]) -> None:
    with tarfile.open(tmp_path / "a.tar", "w") as tar, zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
        for name in names:
            tar.addfile(tarfile.TarInfo(name))
            archive.writestr(name, b"")
    for packed in ("a.tar", "a.zip"):
        assert "an archive w" in fails("import", packed, "-o", "T.duckdb")


def peak(path: Path) -> int:
    """Bytes that Python allocates at most to find that an archive is refused."""
    tracemalloc.start()
    try:
        with pytest.raises(AnalyzerError), unpacked(path, path.parent / "T.duckdb"):
            pass
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("kind", [tarfile.GNUTYPE_LONGNAME, tarfile.GNUTYPE_LONGLINK, tarfile.XHDTYPE, tarfile.XGLTYPE])
def test_a_long_description_of_a_member_is_not_read(tmp_path: Path, kind: bytes) -> None:
    body = b"a" * (64 << 20)
    if kind in (tarfile.XHDTYPE, tarfile.XGLTYPE):
        body = f"{len(body)} comment=".encode() + body
        body = body[: (64 << 20) - 1] + b"\n"
    path = tar_of(tmp_path / "a.tar", ("about", kind, body), ("x", tarfile.REGTYPE, b""))
    del body
    assert peak(path) < 16 << 20


def test_a_tar_with_holes_is_refused_before_its_map_is_read(tmp_path: Path) -> None:
    member = tarfile.TarInfo("trace")
    member.pax_headers = {"GNU.sparse.map": ",".join(["1,0"] * 3000), "GNU.sparse.size": "1"}
    (tmp_path / "a.tar").write_bytes(member.tobuf(tarfile.PAX_FORMAT) + bytes(1024))
    with pytest.raises(AnalyzerError, match="holes"), unpacked(tmp_path / "a.tar", tmp_path / "T.duckdb"):
        pass


def test_a_zip_of_very_many_members_is_refused_before_they_are_listed(tmp_path: Path) -> None:
    path, number = tmp_path / "a.zip", 300_000
    entry = struct.pack("<4s6H3L5H2L", b"PK\1\2", 20, 20, 0, 0, 0, 33, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0) + b"a"
    local = struct.pack("<4s5H3L2H", b"PK\3\4", 20, 0, 0, 0, 33, 0, 0, 0, 1, 0) + b"a"
    end = struct.pack("<4s4H2LH", b"PK\5\6", 0, 0, 9, 9, len(entry) * number, len(local), 0)
    path.write_bytes(local + entry * number + end)
    assert peak(path) < 48 << 20


def test_a_negative_size_gives_no_allowance(tmp_path: Path) -> None:
    member = tarfile.TarInfo("d")
    member.type, member.size = tarfile.DIRTYPE, -(1 << 50)
    (tmp_path / "a.tar").write_bytes(member.tobuf(tarfile.GNU_FORMAT) + bytes(1024))
    with pytest.raises(AnalyzerError, match="negative"), unpacked(tmp_path / "a.tar", tmp_path / "T.duckdb"):
        pass


def test_archives_in_archives_have_one_allowance(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(unpacking, "LEAST_BYTES", 1 << 20)
    path = tmp_path / "a.gz"
    path.write_bytes(gzip.compress(gzip.compress(bytes(900_000)) + bytes(900_000)))  # zeros after the end are permitted
    with pytest.raises(AnalyzerError, match="more than 200 times"), unpacked(path, tmp_path / "T.duckdb"):
        pass
