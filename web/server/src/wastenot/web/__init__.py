"""The browser: a server over the trace store, and the built user interface. `create_app` and `serve` are its API.

Both are imported when they are first used: the processes that make a trace or its tables need no web framework, which
takes a second to import.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from wastenot.web.app import create_app
    from wastenot.web.serving import serve
    from wastenot.web.settings import Settings

__all__ = ["Settings", "create_app", "serve"]

_MODULES = {"Settings": "settings", "create_app": "app", "serve": "serving"}


def __getattr__(name: str) -> Any:
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)
