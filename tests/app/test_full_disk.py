"""A full disk stops acknowledgements only, and free space resumes them. A read-only file prevents the start."""

import logging
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from time import monotonic, sleep
from typing import Any

import httpx
import pytest

from monitor.clock import SystemClock
from monitor.errors import ConfigError
from monitor.store.engine.database import Store
from tests.app.full_disk import fill, make_read_only, small_disk
from tests.app.house import DEPLOYMENT, House, daemon

PATIENCE_S = 60.0


def without_reserve(disk: Path) -> dict[str, Any]:
    """Return the section of a store that writes until nothing is free."""
    return {"path": str(disk / "d.duckdb"), "disk_reserve_mb": 0}


def record(id_: str) -> dict[str, Any]:
    return {
        "id": id_,
        "deployment": DEPLOYMENT,
        "started_at": "2026-03-01T11:00:00Z",
        "request": {"model": "gpt-4", "messages": [{"role": "user", "content": "Is 91 prime? " * 200}]},
        "response": {"model": "gpt-4-0314", "messages": [{"role": "assistant", "content": "[No]"}]},
    }


def send(house: House, *ids: str) -> httpx.Response:
    return house.api.post("/api/v1/interactions", json=[record(id_) for id_ in ids])


def until(holds: Callable[[], bool]) -> None:
    deadline = monotonic() + PATIENCE_S
    while not holds():
        assert monotonic() < deadline, "it did not come to pass"
        sleep(0.05)


def test_on_a_full_disk_nothing_is_acknowledged_reads_go_on_and_room_is_enough_to_go_on(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with small_disk(tmp_path / "disk", 24) as disk, daemon(tmp_path, store=without_reserve(disk)) as house:
        assert send(house, "before").status_code == 200
        ballast = fill(disk)
        with caplog.at_level(logging.INFO):
            refused = [send(house, *(f"{n}-{i}" for i in range(100))) for n in range(4)]
        assert {response.status_code for response in refused} == {503}
        assert all(int(response.headers["retry-after"]) >= 1 for response in refused)
        assert "No space left" in refused[0].json()["detail"]

        assert [item["id"] for item in house.listed("interactions")] == ["before"]
        assert house.api.get("/api/v1/status").json()["loops"]["writer"].startswith("retrying: ")
        not_ready = house.api.get("/readyz")
        assert (not_ready.status_code, "the writer cannot store rows" in not_ready.text) == (503, True)
        assert house.api.get("/healthz").status_code == 200
        said = [r for r in caplog.records if "the store is unavailable, so no rows are acknowledged" in r.getMessage()]
        assert len(said) == 1, "once, not for every batch"

        ballast.unlink()
        until(lambda: house.api.get("/readyz").status_code == 200)  # without anything being sent
        assert send(house, "before", "after").json() == {"accepted": 1, "duplicates": 1, "rejected": []}
        assert {item["id"] for item in house.listed("interactions")} == {"before", "after"}


def test_a_full_disk_notifies_the_receivers_from_memory_and_the_alert_is_stored_afterwards(tmp_path: Path) -> None:
    console = tmp_path / "console.txt"
    with small_disk(tmp_path / "disk", 24) as disk, daemon(tmp_path, store=without_reserve(disk)) as house:
        assert send(house, "before").status_code == 200
        ballast = fill(disk)
        assert send(house, *map(str, range(400))).status_code == 503

        def later(holds: Callable[[], bool]) -> bool:
            house.clock.advance_to(house.clock.now() + timedelta(seconds=5))
            house.app.wake()
            return holds()

        until(lambda: later(lambda: "driftd cannot store anything" in console.read_text()))
        assert "StoreReadOnly" not in rules(house)
        ballast.unlink()
        until(lambda: later(lambda: rules(house).get("StoreReadOnly") == "resolved"))
        until(lambda: "RESOLVED" in console.read_text())


def rules(house: House) -> dict[str, str]:
    return {item["rule"]: item["state"] for item in house.listed("alerts")}


def test_a_read_only_disk_stops_the_start_with_a_sentence(tmp_path: Path) -> None:
    with small_disk(tmp_path / "disk", 24) as disk:
        path = disk / "driftd.duckdb"
        Store.open(path, clock=SystemClock()).close()
        make_read_only(disk)
        with pytest.raises(ConfigError, match=r"store.path: .*driftd.duckdb is read-only, and driftd writes to") as why:
            Store.open(path, clock=SystemClock())
    assert why.value.exit_code == 2
