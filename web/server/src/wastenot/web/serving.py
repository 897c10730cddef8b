"""Running the server: uvicorn, with limits for slow clients."""

from __future__ import annotations

import contextlib
import ipaddress
import socket
import sys
from importlib.abc import MetaPathFinder
from pathlib import Path

import uvicorn
from wastenot.web.app import create_app
from wastenot.web.protocol import patient
from wastenot.web.settings import Settings


def is_loopback(host: str) -> bool:
    """The address is reached from this machine only."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def bind(settings: Settings) -> socket.socket:
    """A listening socket; OSError when the address is taken or not ours."""
    family = socket.AF_INET6 if ":" in settings.host else socket.AF_INET
    listening = socket.socket(family, socket.SOCK_STREAM)
    try:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind((settings.host, settings.port))
        listening.listen(128)
    except OSError:
        listening.close()
        raise
    return listening


def address(settings: Settings, port: int) -> str:
    """What to open in a browser."""
    host = f"[{settings.host}]" if ":" in settings.host else settings.host
    host = {"0.0.0.0": socket.gethostname(), "[::]": socket.gethostname()}.get(host, host)
    token = f"?token={settings.token}" if settings.token else ""
    return f"http://{host}:{port}{settings.prefix}/{token}"


def server(paths: list[Path], settings: Settings) -> uvicorn.Server:
    """The server, not running yet."""
    config = uvicorn.Config(
        create_app(paths, settings),
        log_level="warning",
        access_log=False,
        server_header=False,
        proxy_headers=False,
        timeout_keep_alive=30,
        timeout_graceful_shutdown=3,
        limit_concurrency=256,
        ws="none",
        http=patient(settings),
    )
    return uvicorn.Server(config)


class _NoPandas(MetaPathFinder):
    """Keeps pyarrow from loading pandas for the first array that it makes of a list: a second and 50 MB."""

    def find_spec(self, fullname: str, path: object = None, target: object = None) -> None:
        """Refuse pandas; other modules are found as usual."""
        if fullname == "pandas":
            raise ModuleNotFoundError("the server does without pandas", name=fullname)


def serve(paths: list[Path], settings: Settings, listening: socket.socket) -> None:
    """Serve until interrupted."""
    sys.meta_path.insert(0, _NoPandas())
    with contextlib.suppress(KeyboardInterrupt):
        server(paths, settings).run(sockets=[listening])
