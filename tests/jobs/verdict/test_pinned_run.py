"""A pinned run in the nightly verdict: a slow decline is detected although every step of it was accepted."""

from datetime import timedelta
from pathlib import Path

import pytest

from monitor.domain.baseline import AcceptedBaseline, Pin
from monitor.store.findings import baselines, pins
from tests.jobs.nightly import RATES, Nightly


@pytest.fixture
def house(tmp_path: Path) -> Nightly:
    nightly = Nightly(tmp_path, restarts=False)
    nightly.nights(8)
    return nightly


def pin(house: Nightly, last: str = "run-008", first: str = "run-001") -> Pin:
    start, end = (house.clock.instant - timedelta(days=house.count - int(name[-3:])) for name in (first, last))
    pinned_run = Pin(
        id="pin-1",
        deployment="support",
        set_name="primes",
        run_id=last,
        first_run=first,
        counts_from=start,
        counts_to=end,
        at=house.clock.instant,
        who="ana",
        reason="launch",
    )
    with house.store.write() as tx:
        pins.insert(tx, pinned_run)
    return pinned_run


def accept(house: Nightly) -> None:
    """Accept the newest night as the baseline, as `driftd drift accept` does."""
    result = house.findings()[-1]
    begun = AcceptedBaseline(
        id=f"baseline-{house.count}",
        deployment="support",
        set_name="primes",
        run_id=result.replay.candidate_run,
        counts_from=house.clock.instant,
        finding_id=result.id,
        at=house.clock.instant + timedelta(hours=1),
        who="ana",
        reason="fine",
    )
    with house.store.write() as tx:
        baselines.accept(tx, begun, None)


def slide(house: Nightly) -> None:
    """Three weeks, each 1.5 points lower and accepted at its end."""
    for week in (1, 2, 3):
        house.nights(7, RATES - 0.03 * week)
        accept(house)


def test_a_slide_that_was_accepted_step_by_step_is_told_beside_the_pinned_run(house: Nightly) -> None:
    pin(house)
    slide(house)
    result = [f for f in house.findings() if f.reason.startswith("slid below the pinned run")]
    assert result
    pinned_run = result[0].evidence.pinned_run if result[0].evidence is not None else None
    assert pinned_run is not None
    assert pinned_run.delta is not None
    assert pinned_run.interval is not None
    assert pinned_run.delta < pinned_run.interval[1] < 0.0
    assert (pinned_run.run_id, pinned_run.nights) == ("run-008", 8)
    assert result[0].verdict == "regression"
    assert house.alerts()[0] in {"firing", "pending", "resolved"}
    house.close()


def test_without_a_pin_the_same_slide_is_not_told_so(house: Nightly) -> None:
    slide(house)
    assert all(f.evidence is None or f.evidence.pinned_run is None for f in house.findings())
    assert not any("pinned" in f.reason for f in house.findings())
    house.close()


def test_the_alert_stays_until_the_slide_is_accepted_and_then_the_difference_is_only_reported(house: Nightly) -> None:
    pin(house)
    house.nights(7, RATES - 0.09)
    assert house.findings()[-1].verdict == "regression"
    accept(house)
    last = house.nights(2, RATES - 0.09)[-1]
    assert last.evidence is not None
    assert last.evidence.pinned_run is not None
    assert last.evidence.pinned_run.status == "accepted"
    assert "slid below" not in last.reason
    house.close()


def test_a_restart_changes_nothing(tmp_path: Path) -> None:
    result = []
    for restarts in (False, True):
        nightly = Nightly(tmp_path / str(restarts), restarts=restarts)
        nightly.nights(8)
        pin(nightly)
        nightly.nights(8, RATES - 0.05)
        result.append(
            [(f.verdict, f.reason, f.evidence.pinned_run if f.evidence else None) for f in nightly.findings()]
        )
        nightly.close()
    assert result[0] == result[1]
