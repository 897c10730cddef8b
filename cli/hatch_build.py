"""Puts man pages and completions, which `scripts/dist` writes to share/, into the wheel for share/ of its prefix."""

from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

SHARE = Path(__file__).parent / "share"


class Share(BuildHookInterface):
    """Without share/, as in a checkout, the wheel has the command alone."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Name the files; called by hatchling."""
        if version == "standard":
            files = (path for path in sorted(SHARE.rglob("*")) if path.is_file())
            build_data["shared_data"].update({str(path): f"share/{path.relative_to(SHARE)}" for path in files})
