"""A complete daemon over HTTP that monitors the recorded endpoint."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any

import httpx
import yaml

from monitor.app import build
from monitor.cli.demo.product import SYSTEM_PROMPT
from monitor.cli.demo.settings import DEPLOYMENT, FROZEN, write_settings
from monitor.cli.demo.stage import default_data
from monitor.cli.demo.story import as_case
from monitor.clock import OffsetClock
from monitor.config.load import load
from monitor.daemon import App
from monitor.store.engine.file_store import FileStore
from replay.evalsets.sealing import key_text, new_key
from replay.recorded.data import RecordedData, load_recorded
from replay.recorded.endpoint import RecordedEndpoint
from tests.app.lake import ON_LAKE, new_lake

START = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)
SETTLE_S = 60.0
NOBODY = "http://127.0.0.1:9/hook"  # the discard port: nothing answers

__all__ = ["DEPLOYMENT", "FROZEN", "SYSTEM_PROMPT", "House", "daemon", "primes"]


@cache
def primes() -> RecordedData:
    return load_recorded(default_data())


@dataclass(frozen=True, slots=True, kw_only=True)
class House:
    app: App
    api: httpx.Client
    clock: OffsetClock
    endpoint: RecordedEndpoint
    folder: Path
    data: RecordedData

    @property
    def file(self) -> FileStore:
        """Return the store of a daemon on a file."""
        assert isinstance(self.app.store, FileStore)
        return self.app.store

    def serve(self, snapshot: str, resample: float = 0.0) -> None:
        body = {"snapshot": snapshot, "resample": resample}
        httpx.post(f"{self.endpoint.address}/_snapshot", json=body).raise_for_status()

    def calls(self) -> int:
        return int(httpx.get(f"{self.endpoint.address}/_calls").json()["total"])

    def import_primes(self, count: int) -> None:
        cases = [as_case(question) for question in self.data.questions[:count]]
        self.api.post("/api/v1/sets", json={"name": FROZEN, "cases": cases}).raise_for_status()

    def replay(self) -> dict[str, Any]:
        """Run a manual replay of the private set to its end."""
        body = {"deployment": DEPLOYMENT, "set_name": FROZEN}
        run = self.api.post("/api/v1/runs", json=body).raise_for_status().json()
        self.app.settle(SETTLE_S)
        return dict(self.api.get(f"/api/v1/runs/{run['id']}").raise_for_status().json())

    def listed(self, what: str, **params: str) -> list[dict[str, Any]]:
        """Return a whole list. A slow machine returns less than a page."""
        found: list[dict[str, Any]] = []
        cursor: dict[str, str] | None = {}
        while cursor is not None:
            asked = {"limit": "500", **params, **cursor}
            page = self.api.get(f"/api/v1/{what}", params=asked).raise_for_status().json()
            found += page["items"]
            cursor = {"cursor": page["next_cursor"]} if page["next_cursor"] else None
        return found


@contextmanager
def daemon(
    folder: Path, *, webhook_url: str = NOBODY, recorded: RecordedData | None = None, **overrides: Any
) -> Iterator[House]:
    """Start a daemon; `overrides` replace or add sections of the demo configuration."""
    data = primes() if recorded is None else recorded
    endpoint = RecordedEndpoint(data)
    model_url = endpoint.start()
    (folder / "primes.key").write_text(key_text(new_key()))
    path = write_settings(
        folder, model_url=model_url, webhook_url=webhook_url, api_port=0, otlp_port=0, dashboard_url=None
    )
    written = yaml.safe_load(path.read_text())
    sections = {name: new(written[name]) if callable(new) else new for name, new in overrides.items()}
    if ON_LAKE:
        written["store"] = new_lake(folder)
    path.write_text(yaml.safe_dump({**written, **sections}))
    clock = OffsetClock(START)
    with (folder / "console.txt").open("w") as console:
        app = build(load(path, {}), clock=clock, console=console)
        app.start()
        try:
            with httpx.Client(base_url=app.addresses["api"], timeout=30.0) as api:
                yield House(app=app, api=api, clock=clock, endpoint=endpoint, folder=folder, data=data)
        finally:
            app.stop()
            endpoint.stop()
