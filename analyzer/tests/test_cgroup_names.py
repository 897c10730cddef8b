"""Names of cgroups: the forms of paths that kubelet, container runtimes, systemd and others make."""

from __future__ import annotations

import subprocess
import sys

import pytest
from wastenot.analyzer.model.cgroup_names import ROOT, CgroupName, cgroup_name, label_of

ID = "4f797c539e6c745de61a93ca3ff892358ecbcaccd8414d5db545c38428142970"
UID = "0b5e9a3c-5b8e-4c3b-9d6e-1f2a3b4c5d6e"
UID_ = UID.replace("-", "_")
STATIC = "4b52d75cab61380f07c0c5a69fb371d4"


def in_pod(runtime: str | None, qos: str, pod: str = UID) -> CgroupName:
    label = f"pod {pod[:8]}, {runtime or 'container'} {ID[:12]}"
    return CgroupName("container", label, pod=pod, qos=qos, container=ID, runtime=runtime)


def container(runtime: str | None) -> CgroupName:
    return CgroupName("container", f"{runtime or 'container'} {ID[:12]}", container=ID, runtime=runtime)


def unit(name: str, user: int | None = None) -> CgroupName:
    return CgroupName("unit", name if user is None else f"{name} (user {user})", unit=name, user=user)


USER = "/user.slice/user-1000.slice"
KUBEPODS = "/kubepods.slice"
BURSTABLE = f"{KUBEPODS}/kubepods-burstable.slice/kubepods-burstable-pod"
BESTEFFORT = f"{KUBEPODS}/kubepods-besteffort.slice/kubepods-besteffort-pod"
KIND = f"/system.slice/docker-{'a' * 64}.scope/kubelet.slice/kubelet-kubepods.slice/kubelet-kubepods-burstable.slice"
PODMAN = f"/machine.slice/machine-libpod_pod_{'c' * 64}.slice"


def machine(label: str, container: str, unit: str | None = None, runtime: str | None = None) -> CgroupName:
    return CgroupName("machine", label, container=container, unit=unit, runtime=runtime)


def slice_of(name: str, user: int | None = None) -> CgroupName:
    return CgroupName("slice", name, unit=name, user=user)


PATHS = {
    # kubelet with the systemd driver
    f"{BURSTABLE}{UID_}.slice/cri-containerd-{ID}.scope": in_pod("containerd", "burstable"),
    f"{BESTEFFORT}{UID_}.slice/crio-{ID}.scope": in_pod("crio", "besteffort"),
    f"{BESTEFFORT}{UID_}.slice/crio-{ID}.scope/container": in_pod("crio", "besteffort"),
    f"{KUBEPODS}/kubepods-pod{UID_}.slice/docker-{ID}.scope": in_pod("docker", "guaranteed"),
    f"{BURSTABLE}{STATIC}.slice/cri-containerd-{ID}.scope": in_pod("containerd", "burstable", STATIC),
    f"{KUBEPODS}/kubepods-pod{UID_}.slice": CgroupName("pod", f"pod {UID[:8]}", pod=UID, qos="guaranteed"),
    # kind, whose kubelet has a cgroup root of its own, itself in a container
    f"{KIND}/kubelet-kubepods-burstable-pod{UID_}.slice/cri-containerd-{ID}.scope": in_pod("containerd", "burstable"),
    # kubelet with the cgroupfs driver
    f"/kubepods/burstable/pod{UID}/{ID}": in_pod(None, "burstable"),
    f"/kubepods/besteffort/pod{UID}/{ID}": in_pod(None, "besteffort"),
    f"/kubepods/pod{UID}/{ID}": in_pod(None, "guaranteed"),
    f"/kubepods/pod{UID}/crio-{ID}": in_pod("crio", "guaranteed"),
    f"/kubepods/burstable/pod{STATIC}": CgroupName("pod", f"pod {STATIC[:8]}", pod=STATIC, qos="burstable"),
    # containerd without SystemdCgroup under a kubelet with the systemd driver
    f"/system.slice/containerd.service/kubepods-burstable-pod{UID_}.slice:cri-containerd:{ID}": in_pod(
        "containerd", "burstable"
    ),
    "/kubepods.slice/kubepods-burstable.slice": slice_of("kubepods-burstable.slice"),
    # containers without a pod
    f"/docker/{ID}": container("docker"),
    f"/docker/{ID}/init.scope": container("docker"),
    f"/docker/{'b' * 64}/docker/{ID}": container("docker"),
    f"/system.slice/docker-{ID}.scope": container("docker"),
    f"{USER}/user@1000.service/user.slice/docker-{ID}.scope": container("docker"),
    f"/machine.slice/libpod-{ID}.scope": container("podman"),
    f"/machine.slice/libpod-{ID}.scope/container": container("podman"),
    f"{PODMAN}/libpod-{ID}.scope": container("podman"),
    f"{USER}/user@1000.service/user.slice/libpod-{ID}.scope/container": container("podman"),
    f"/libpod_parent/libpod-{ID}": container("podman"),
    f"/system.slice/nerdctl-{ID}.scope": container("containerd"),
    f"/default/{ID}": container(None),
    f"/ecs/0123456789abcdef0123456789abcdef/{STATIC}-1234567890": CgroupName(
        "container", f"container {STATIC[:12]}", container=f"{STATIC}-1234567890"
    ),
    # a monitor of a container is a unit of its own
    f"/machine.slice/libpod-conmon-{ID}.scope": unit(f"libpod-conmon-{ID}.scope"),
    # system containers and virtual machines
    "/lxc/web1": machine("lxc web1", "web1", runtime="lxc"),
    "/lxc.payload.web1/system.slice/nginx.service": machine("lxc web1", "web1", runtime="lxc"),
    "/lxc.payload/web1": machine("lxc web1", "web1", runtime="lxc"),
    "/machine.slice/machine-qemu\\x2d3\\x2ddb.scope/libvirt/vcpu0": machine(
        "machine qemu-3-db", "qemu-3-db", "machine-qemu-3-db.scope"
    ),
    "/machine.slice/systemd-nspawn@build.service/payload": machine(
        "machine build", "build", "systemd-nspawn@build.service"
    ),
    # systemd
    "/system.slice/nginx.service": unit("nginx.service"),
    "/system.slice/nginx.service/workers": unit("nginx.service"),
    "/system.slice/system-getty.slice/getty@tty1.service": unit("getty@tty1.service"),
    "/system.slice/system-systemd\\x2dfsck.slice/systemd-fsck@dev-disk-by\\x2duuid-AB.service": unit(
        "systemd-fsck@dev-disk-by-uuid-AB.service"
    ),
    "/system.slice/caf\\xc3\\xa9.service": unit("café.service"),
    "/system.slice/a\\xff.service": unit("a\\xff.service"),
    "/init.scope": unit("init.scope"),
    f"{USER}/session-3.scope": CgroupName("session", "session 3 (user 1000)", unit="session-3.scope", user=1000),
    "/user.slice/user-0.slice/session-c1.scope": CgroupName(
        "session", "session c1 (user 0)", unit="session-c1.scope", user=0
    ),
    f"{USER}/user@1000.service/app.slice/app-gnome-firefox-4711.scope": unit("app-gnome-firefox-4711.scope", 1000),
    f"{USER}/user@1000.service/init.scope": unit("init.scope", 1000),
    f"{USER}": slice_of("user-1000.slice", 1000),
    "/system.slice": slice_of("system.slice"),
    # none of them
    "/": CgroupName("root", "/"),
    "": CgroupName("root", "/"),
    "/mygroup/podium": CgroupName("other", "/mygroup/podium"),
    f"/pod{UID}": CgroupName("other", f"/pod{UID}"),
    "/docker": CgroupName("other", "/docker"),
    "/deadbeef": CgroupName("other", "/deadbeef"),
}


@pytest.mark.parametrize(("path", "expected"), PATHS.items(), ids=PATHS)
def test_a_path_says_what_runs_in_the_cgroup(path: str, expected: CgroupName) -> None:
    assert cgroup_name(path) == expected


def test_a_cgroup_without_a_recorded_path_is_named_by_its_number_and_is_not_the_root() -> None:
    assert label_of(7, "") == "cgroup 7, path not recorded"
    assert (label_of(ROOT, ""), label_of(7, "/")) == ("/", "/")


def test_it_is_imported_without_large_libraries() -> None:
    text = "import sys, wastenot.analyzer.model.cgroup_names; print(*sys.modules)"
    modules = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, check=True).stdout.split()
    assert not {"duckdb", "pyarrow", "rich", "numpy"} & set(modules)
