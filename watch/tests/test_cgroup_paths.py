"""Paths of cgroups by the numbers of their folders."""

from __future__ import annotations

import shutil
import time
from pathlib import Path

from drawn import S
from wastenot.watch.cgroup_paths import CgroupPaths, cpu_hierarchy

V1 = "cgroup /sys/fs/cgroup/cpu\\040x cgroup rw,cpu,cpuacct 0 0\ncgroup /sys/fs/cgroup/cpuset cgroup rw,cpuset 0 0\n"
V2 = "cgroup2 /sys/fs/cgroup/unified cgroup2 rw 0 0\n"


def test_the_hierarchy_is_the_one_that_decides_about_cpu_time() -> None:
    assert cpu_hierarchy(V2 + V1) == Path("/sys/fs/cgroup/cpu x")
    assert cpu_hierarchy("proc /proc proc rw 0 0\n" + V2) == Path("/sys/fs/cgroup/unified")
    assert cpu_hierarchy("cgroup /c cgroup rw,cpuset 0 0\n") is None


def number(path: Path) -> int:
    return path.stat().st_ino


def test_a_number_is_that_of_the_folder(tmp_path: Path) -> None:
    pod = tmp_path / "kubepods/pod1"
    pod.mkdir(parents=True)
    paths = CgroupPaths(tmp_path)
    assert paths.names({number(pod), number(tmp_path), 1}, 0) == {
        number(pod): "/kubepods/pod1",
        number(tmp_path): "/",
        1: "removed",
    }


def test_a_cgroup_that_is_gone_keeps_its_path_and_a_new_one_has_it_after_ten_seconds(tmp_path: Path) -> None:
    old = tmp_path / "old"
    old.mkdir()
    paths, gone = CgroupPaths(tmp_path), number(old)
    paths.names({gone}, 0)
    new = tmp_path / "new"
    new.mkdir()
    shutil.rmtree(old)
    assert paths.names({gone, number(new)}, S) == {gone: "/old"}, "the new one may have a path"
    assert paths.names({gone, number(new)}, 10 * S) == {gone: "/old", number(new): "/new"}
    assert paths.names({number(new), 1}, 11 * S) == {number(new): "/new"}
    assert paths.names({number(new), 1}, 20 * S) == {number(new): "/new", 1: "removed"}
    assert CgroupPaths(None).names({gone}, 0) == {gone: "removed"}


def test_ten_thousand_cgroups_take_little_time(tmp_path: Path) -> None:
    for n in range(10_000):
        (tmp_path / f"pod{n}").mkdir()
    wanted = {number(tmp_path / "pod9999")}
    start = time.perf_counter()
    assert CgroupPaths(tmp_path).names(wanted, 0) == {wanted.pop(): "/pod9999"}
    assert time.perf_counter() - start < 5
