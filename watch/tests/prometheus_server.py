"""A real Prometheus with the rules that we ship, and the queries of the dashboard and the rules."""

from __future__ import annotations

import json
import shutil
import socket
import subprocess
import urllib.parse
import urllib.request
from pathlib import Path
from typing import Any

import pytest
import yaml
from drawn import ROOT

MONITORING = ROOT / "watch/monitoring"
DASHBOARD = MONITORING / "grafana/dashboards/wastenot-watch.json"


def rules() -> list[dict[str, Any]]:
    found = yaml.safe_load((MONITORING / "rules.yml").read_text())
    return [rule for group in found["groups"] for rule in group["rules"]]


def dashboard_queries() -> list[str]:
    panels = json.loads(DASHBOARD.read_text())["panels"]
    return [target["expr"] for panel in panels for target in panel["targets"]]


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as s:
        return int(s.getsockname()[1])


class Prometheus:
    """A Prometheus on a loopback port that scrapes targets each second, with the rules that we ship."""

    def __init__(self, folder: Path, targets: list[str]) -> None:
        program = shutil.which("prometheus") or pytest.skip("prometheus is not installed")
        self.port = free_port()
        config = yaml.safe_load((MONITORING / "prometheus.yml").read_text())
        config["global"] = {"scrape_interval": "1s", "evaluation_interval": "1s"}
        config["rule_files"] = [str(MONITORING / "rules.yml")]
        config["scrape_configs"][0]["static_configs"] = [{"targets": targets}]
        file = folder / "prometheus.yml"
        file.write_text(yaml.safe_dump(config))
        self._process = subprocess.Popen(
            [
                program,
                f"--config.file={file}",
                f"--storage.tsdb.path={folder / 'tsdb'}",
                f"--web.listen-address=127.0.0.1:{self.port}",
                "--log.level=error",
            ]
        )

    def api(self, path: str, **arguments: str) -> Any:
        url = f"http://127.0.0.1:{self.port}/api/v1/{path}?{urllib.parse.urlencode(arguments)}"
        with urllib.request.urlopen(url, timeout=10) as answer:
            return json.load(answer)["data"]

    def query(self, expression: str) -> list[dict[str, Any]]:
        return list(self.api("query", query=expression)["result"])

    def close(self) -> None:
        self._process.terminate()
        self._process.wait(20)
