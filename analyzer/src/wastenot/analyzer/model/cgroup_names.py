"""What runs in a cgroup, read off its path: a pod, a container, a systemd unit, a login session. No daemon is asked.

The forms are those of the kubelet (pkg/kubelet/cm: cgroupfs and systemd driver), containerd, CRI-O, Docker, Podman,
LXC, systemd (systemd.slice(5), systemd.scope(5), systemd-logind) and libvirt. Identifiers are kept whole; the label has
their first digits.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

Kind = Literal["root", "pod", "container", "machine", "session", "unit", "slice", "other"]
"""What a cgroup holds. `container` may belong to a pod; `machine` is a system container or a virtual machine."""


@dataclass(frozen=True)
class CgroupName:
    """What the path of a cgroup says; what it does not say is None."""

    kind: Kind
    label: str
    """A short name for people."""
    pod: str | None = None
    """UID of the Kubernetes pod, with dashes where the kubelet writes it with dashes in its API."""
    qos: str | None = None
    """Quality-of-service class of the pod: guaranteed, burstable or besteffort."""
    container: str | None = None
    """The runtime's identifier of the container, whole."""
    runtime: str | None = None
    """docker, containerd, crio, podman, lxc …; None where the path does not tell."""
    unit: str | None = None
    """systemd unit, unescaped, the innermost outside of any container."""
    user: int | None = None
    """User whose slice it is in."""


_ID = r"(?P<id>[0-9a-f]{64}|[0-9a-f]{32}(?:-\d+)?)"
_POD = re.compile(r"(?:^|-)pod(?P<uid>[0-9a-f]{8}(?:[_-][0-9a-f]{4}){3}[_-][0-9a-f]{12}|[0-9a-f]{32})(?:\.slice)?$")
_QOS = re.compile(r"(?:^|-)(?P<qos>burstable|besteffort)(?:-|\.slice$|$)")
_PREFIXED = re.compile(rf"^(?P<runtime>docker|cri-containerd|crio|libpod|nerdctl|containerd)-{_ID}(?:\.scope)?$")
_COLONS = re.compile(rf"^(?P<slice>[^:]+):(?P<runtime>[^:]+):{_ID}$")
_BARE = re.compile(rf"^{_ID}$")
_LXC = re.compile(r"^lxc\.payload\.(?P<name>.+)$")
_MACHINE = re.compile(r"^machine-(?P<name>.+)\.scope$|^systemd-nspawn@(?P<nspawn>.+)\.service$")
_USER = re.compile(r"^user-(?P<user>\d+)\.slice$")
_SESSION = re.compile(r"^session-(?P<session>.+)\.scope$")
_UNIT = re.compile(r"^.+\.(?:service|scope|socket|mount|swap)$")
_ESCAPE = re.compile(r"\\x([0-9a-f]{2})")
_RUNTIMES = {"cri-containerd": "containerd", "libpod": "podman", "nerdctl": "containerd"}


ROOT = 1
"""The number of a hierarchy's root (fs/kernfs/mount.c: kernfs_fill_super)."""


def label_of(number: int, path: str) -> str:
    """A short name for people of the cgroup with a number, whose path is empty where it was not recorded."""
    return cgroup_name(path).label if path or number == ROOT else f"cgroup {number}, path not recorded"


def cgroup_name(path: str) -> CgroupName:
    """What runs in the cgroup with this path (within its hierarchy, from `/` on)."""
    parts = [part for part in path.split("/") if part]
    if not parts:
        return CgroupName("root", "/")
    user = next((int(found["user"]) for part in parts if (found := _USER.match(part))), None)
    return (
        _pod(parts)
        or _container(parts, None, None)
        or _machine(parts)
        or _unit(parts, user)
        or _rest(path, parts, user)
    )


def _pod(parts: list[str]) -> CgroupName | None:
    """A pod's cgroup, or one of a container in it."""
    for at, part in enumerate(parts):
        colons = _COLONS.match(part)
        found = _POD.search(colons["slice"] if colons else part)
        if found is None or not any("kubepods" in outer for outer in parts[: at + 1]):
            continue
        uid = found["uid"].replace("_", "-")
        qos = next((q["qos"] for outer in parts[: at + 1] if (q := _QOS.search(outer.split(":")[0]))), "guaranteed")
        inside = _container(parts[at if colons else at + 1 :], uid, qos)
        return inside or CgroupName("pod", f"pod {uid[:8]}", pod=uid, qos=qos)
    return None


def _container(parts: list[str], pod: str | None, qos: str | None) -> CgroupName | None:
    """The innermost container of the path: one that runs in another has a cgroup inside of it."""
    for at in reversed(range(len(parts))):
        found = _PREFIXED.match(parts[at]) or _COLONS.match(parts[at]) or _BARE.match(parts[at])
        if found is None:
            continue
        groups = found.groupdict()
        runtime = groups.get("runtime") or ("docker" if parts[at - 1 : at] == ["docker"] else None)
        runtime = _RUNTIMES.get(runtime or "", runtime)
        label = f"{runtime or 'container'} {found['id'][:12]}"
        label = f"pod {pod[:8]}, {label}" if pod else label
        return CgroupName("container", label, pod=pod, qos=qos, container=found["id"], runtime=runtime)
    return None


def _machine(parts: list[str]) -> CgroupName | None:
    for at, part in enumerate(parts):
        lxc = _LXC.match(part)
        name = lxc["name"] if lxc else parts[at + 1] if part in ("lxc", "lxc.payload") and at + 1 < len(parts) else None
        if name is not None:
            return CgroupName("machine", f"lxc {name}", container=name, runtime="lxc")
        found = _MACHINE.match(part)
        if found:
            name = _unescaped(found["name"] or found["nspawn"])
            return CgroupName("machine", f"machine {name}", container=name, unit=_unescaped(part))
    return None


def _unit(parts: list[str], user: int | None) -> CgroupName | None:
    """The innermost unit; what a user's manager runs is named with the user."""
    of_user = f" (user {user})" if user is not None else ""
    for part in reversed(parts):
        session = _SESSION.match(part)
        unit = _unescaped(part)
        if session:
            return CgroupName("session", f"session {session['session']}{of_user}", unit=unit, user=user)
        if _UNIT.match(part):
            return CgroupName("unit", f"{unit}{of_user}", unit=unit, user=user)
    return None


def _rest(path: str, parts: list[str], user: int | None) -> CgroupName:
    if parts[-1].endswith(".slice"):
        unit = _unescaped(parts[-1])
        return CgroupName("slice", unit, unit=unit, user=user)
    return CgroupName("other", path)


def _unescaped(unit: str) -> str:
    r"""A unit's name without systemd's escapes (`\x2d` is a dash; systemd-escape(1)); bytes that are not UTF-8 stay."""
    raw = _ESCAPE.sub(lambda found: chr(int(found[1], 16)), unit)
    try:
        return raw.encode("latin-1").decode()
    except (UnicodeEncodeError, UnicodeDecodeError):
        return unit
