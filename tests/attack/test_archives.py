"""Archives: whatever is wrong with one ends in one line, and none fills the disk."""

from __future__ import annotations

import gzip
import io
import os
import tarfile
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
from wastenot.analyzer import unpacking
from wastenot.analyzer.errors import AnalyzerError
from wastenot.analyzer.unpacking import unpacked

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


@pytest.mark.parametrize("kind", ["gzip", "zip", "zip of a gzip", "tar with holes"])
def test_a_small_archive_does_not_fill_the_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str) -> None:
    monkeypatch.setattr(unpacking, "LEAST_BYTES", 1 << 20)
    zeros = bytes(50 << 20)
    path = tmp_path / "a"
    if kind == "gzip":
        path.write_bytes(gzip.compress(zeros))
    elif kind == "zip":
        path.write_bytes(zipped(zipfile.ZIP_DEFLATED, body=zeros))
    elif kind == "zip of a gzip":
        path.write_bytes(zipped(zipfile.ZIP_DEFLATED, body=gzip.compress(zeros)))
    else:
        with tarfile.open(path, "w", format=tarfile.PAX_FORMAT) as archive:
            member = tarfile.TarInfo("trace")
            member.pax_headers = {"GNU.sparse.major": "0", "GNU.sparse.minor": "1", "GNU.sparse.size": str(1 << 40),
                                  "GNU.sparse.map": f"0,0,{1 << 40},0"}  # fmt: skip
            archive.addfile(member)
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
