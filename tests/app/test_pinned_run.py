"""A pinned run over HTTP: pinned, compared, detected, accepted, unpinned."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from tests.app.house import DEPLOYMENT, FROZEN, SETTLE_S, House, daemon

NIGHT = datetime(2026, 3, 2, 2, 0, tzinfo=UTC)
CASES, BEFORE = 120, 10


@pytest.fixture
def house(tmp_path: Path) -> Iterator[House]:
    with daemon(tmp_path) as one:
        one.import_primes(CASES)
        one.serve("gpt-4-0314", resample=0.1)
        for night in range(BEFORE):
            play(one, night)
        yield one


def play(house: House, night: int) -> dict[str, Any]:
    """Run one night and return the finding of the private set."""
    house.clock.advance_to(NIGHT + timedelta(days=night))
    house.app.wake_schedule()
    house.app.settle(SETTLE_S)
    return next(finding for finding in house.listed("findings") if finding["set_name"] == FROZEN)


def post(house: House, path: str, **body: str) -> dict[str, Any]:
    return dict(house.api.post(f"/api/v1/{path}", json=body).raise_for_status().json())


def test_what_was_accepted_is_reported_once_more_next_to_the_pinned_run_and_then_only_reported(house: House) -> None:
    golden = next(run for run in house.listed("runs") if run["set_name"] == FROZEN)
    pinned = post(house, "pins", run_id=golden["id"], reason="the launch")
    house.serve("gpt-4-0613")
    fallen = play(house, BEFORE)
    assert (fallen["verdict"], fallen["evidence"]["pinned_run"]["status"]) == ("regression", "waiting")
    post(house, "baselines", finding_id=fallen["id"], reason="the new model is cheaper")
    week = [fallen, *(play(house, BEFORE + night) for night in range(1, 7))]
    standings = [finding["evidence"]["pinned_run"]["status"] for finding in week]
    assert standings == ["waiting"] * 6 + ["below"]
    told = week[-1]
    beside = told["evidence"]["pinned_run"]
    assert (beside["pin_id"], beside["run_id"], beside["nights"]) == (pinned["id"], golden["id"], BEFORE)
    assert beside["interval"][0] < beside["delta"] < beside["interval"][1] < 0.0
    assert beside["p"] <= beside["p_needed"]
    assert told["verdict"] == "regression"
    assert "slid below the pinned run" in told["reason"]
    states = [alert["state"] for alert in house.listed("alerts") if alert["set_name"] == FROZEN]
    assert sorted(states) == ["firing", "resolved"]

    post(house, "baselines", finding_id=told["id"], reason="we know")
    after = play(house, BEFORE + 7)
    assert after["evidence"]["pinned_run"]["status"] == "accepted"
    assert "slid below" not in after["reason"]

    post(house, "pins/end", deployment=DEPLOYMENT, set_name=FROZEN)
    assert play(house, BEFORE + 8)["evidence"]["pinned_run"] is None
    assert [pin["ended_at"] is None for pin in house.listed("pins")] == [False]
