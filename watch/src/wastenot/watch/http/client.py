"""Reaching the watch of this host through the socket of its run folder."""

from __future__ import annotations

import http.client
import json
import socket
from pathlib import Path
from typing import Any

from wastenot.watch.errors import NotRunning, WatchError
from wastenot.watch.run_folder import SOCKET

TIMEOUT_S = 15.0


class _UnixConnection(http.client.HTTPConnection):
    def __init__(self, path: Path) -> None:
        super().__init__("localhost", timeout=TIMEOUT_S)
        self._path = path

    def connect(self) -> None:
        """Connect to the socket."""
        self.sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.sock.settimeout(TIMEOUT_S)
        self.sock.connect(str(self._path))


def ask(folder: Path, method: str, path: str, body: str = "") -> dict[str, Any]:
    """The answer of the running watch. Raises NotRunning where there is none, WatchError where it does not answer."""
    connection = _UnixConnection(folder / SOCKET)
    try:
        connection.request(method, path, body.encode())
        return dict(json.loads(connection.getresponse().read()))
    except PermissionError:
        raise WatchError(f"{folder / SOCKET}: permission denied; run as the user of the watch") from None
    except (FileNotFoundError, ConnectionRefusedError):
        raise NotRunning(f"no watch runs here ({folder / SOCKET}); start one with `wastenot watch`") from None
    except (OSError, ValueError, http.client.HTTPException) as e:
        raise WatchError(f"{folder / SOCKET}: the watch did not answer ({e}); is it stopped?") from None
    finally:
        connection.close()
