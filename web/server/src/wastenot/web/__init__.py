"""The browser: a server over the trace store, and the built user interface. `create_app` and `serve` are its API."""

from wastenot.web.app import create_app
from wastenot.web.serving import serve
from wastenot.web.settings import Settings

__all__ = ["Settings", "create_app", "serve"]
