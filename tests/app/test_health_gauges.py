"""Gauges of overdue schedules, budgets, backups, and of a store that refuses writes, in a whole daemon."""

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path
from time import monotonic, sleep
from typing import Any

from prometheus_client.parser import text_string_to_metric_families

from tests.app.full_disk import fill, small_disk
from tests.app.house import DEPLOYMENT, SETTLE_S, House, daemon
from tests.app.lake import of_a_file
from tests.app.test_full_disk import without_reserve

NIGHT = datetime(2026, 3, 2, 2, 0, tzinfo=UTC)
CASES = 20
BUDGET = 5
PATIENCE_S = 60.0


def with_a_small_budget(deployments: Mapping[str, Any]) -> dict[str, Any]:
    section = deployments[DEPLOYMENT]
    replay = {**section.get("replay", {}), "daily_budget": {"requests": BUDGET}}
    return {**deployments, DEPLOYMENT: {**section, "replay": replay}}


def values(house: House, name: str) -> dict[tuple[str, ...], float]:
    """Return the samples of a gauge by the values of their labels."""
    families = text_string_to_metric_families(house.api.get("/metrics").text)
    samples = [one for family in families for one in family.samples if one.name == name]
    return {tuple(value for _, value in sorted(one.labels.items())): one.value for one in samples}


def night(house: House, number: int, *, hours: float = 0) -> None:
    house.clock.advance_to(NIGHT + timedelta(days=number, hours=hours))
    house.app.wake_schedule()
    house.app.settle(SETTLE_S)


def test_the_used_share_of_a_budget_is_a_gauge(tmp_path: Path) -> None:
    with daemon(tmp_path, deployments=with_a_small_budget) as house:
        assert values(house, "driftd_budget_used") == {(DEPLOYMENT, "requests", "day"): 0.0}
        house.import_primes(CASES)
        night(house, 0)
        assert values(house, "driftd_budget_used") == {(DEPLOYMENT, "requests", "day"): 1.0}


def test_a_schedule_without_a_replay_is_overdue_until_its_next_replay_ends(tmp_path: Path) -> None:
    with daemon(tmp_path) as house:
        night(house, 0, hours=3)  # the set has no cases, so nothing was replayed at two o'clock
        (late_s,) = values(house, "driftd_schedule_overdue_seconds").values()
        assert 3 * 3600 <= late_s < 3 * 3600 + 60
        assert values(house, "driftd_schedule_last_success_timestamp_seconds") == {}
        house.import_primes(CASES)
        night(house, 1)
        assert values(house, "driftd_schedule_overdue_seconds") == {(DEPLOYMENT, "nightly"): 0.0}


@of_a_file("a lake is backed up with its database")
def test_a_backup_that_was_read_completely_has_a_time_and_an_ordered_one_has_none(tmp_path: Path) -> None:
    name = "driftd_backup_last_success_timestamp_seconds"
    with daemon(tmp_path) as house:
        assert values(house, name) == {}
        ordered = house.api.post("/api/v1/backups", json={}).raise_for_status().json()
        backup = f"/api/v1/backups/{ordered['id']}"
        wait_until_ready(house, backup)
        house.clock.advance_to(house.clock.now() + timedelta(minutes=2))
        assert values(house, name) == {}
        discarded = house.clock.now().timestamp()
        house.api.post(f"{backup}/discard", json={}).raise_for_status()
        house.clock.advance_to(house.clock.now() + timedelta(minutes=2))
        assert 0 <= values(house, name)[()] - discarded < 30


def wait_until_ready(house: House, backup: str) -> None:
    deadline = monotonic() + PATIENCE_S
    while house.api.get(backup).raise_for_status().json()["state"] != "ready":
        assert monotonic() < deadline
        house.app.wake()
        sleep(0.05)


def test_a_full_disk_shows_for_how_long_the_store_has_refused_writes(tmp_path: Path) -> None:
    with small_disk(tmp_path / "disk", 24) as disk, daemon(tmp_path, store=without_reserve(disk)) as house:
        assert values(house, "driftd_store_write_refused_seconds") == {(): 0.0}
        ballast = fill(disk)
        assert values(house, "driftd_disk_free_bytes") == {(): 0.0}
        record = {"deployment": DEPLOYMENT, "started_at": "2026-03-01T11:00:00Z", "request": {"model": "gpt-4"}}
        batch = [{**record, "id": f"call-{number}", "response": {"model": "x" * 5000}} for number in range(200)]
        assert house.api.post("/api/v1/interactions", json=batch).status_code == 503
        assert values(house, "driftd_ingest_batches_total")["failed",] == 1
        wait_for_refusal(house)
        ballast.unlink()


def wait_for_refusal(house: House) -> None:
    deadline = monotonic() + PATIENCE_S
    while values(house, "driftd_store_write_refused_seconds")[()] < 5:
        assert monotonic() < deadline
        house.clock.advance_to(house.clock.now() + timedelta(seconds=1))
        house.app.wake()
        sleep(0.05)
