"""Repeats on real nights: sent by the runner, returned by the API, and not sent again after a stop."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from monitor.domain.run import RunState
from monitor.store.runs import outcomes, runs
from monitor.store.sets import revisions as evalsets
from replay.run.repeats import repeated_cases
from tests.app.house import DEPLOYMENT, FROZEN, SETTLE_S, House, daemon
from tests.store.build import answer, score

NIGHT = datetime(2026, 3, 2, 2, 0, tzinfo=UTC)
CASES, AGAIN = 60, 6  # a tenth, as the default of drift.repeat_share is


@pytest.fixture
def house(tmp_path: Path) -> Iterator[House]:
    with daemon(tmp_path) as one:
        one.import_primes(CASES)
        yield one


def play(house: House, night: int) -> dict[str, Any]:
    house.clock.advance_to(NIGHT + timedelta(days=night))
    house.app.wake_schedule()
    house.app.settle(SETTLE_S)
    return next(run for run in house.listed("runs") if run["set_name"] == FROZEN)


def samples(house: House, run: dict[str, Any]) -> Counter[str]:
    answered = house.api.get("/api/v1/outcomes", params={"run_id": run["id"], "limit": "500"}).raise_for_status().json()
    return Counter(item["case_id"] for item in answered["items"])


def test_a_night_asks_a_share_of_its_cases_once_more_and_the_next_night_others(house: House) -> None:
    house.serve("gpt-4-0314", resample=0.3)
    repeated: list[set[str]] = []
    for night in range(4):
        before = house.calls()
        run = play(house, night)
        assert (run["samples"], run["repeats"], run["outcomes"], run["scored"]) == (
            1,
            AGAIN,
            CASES + AGAIN,
            CASES,
        )
        assert run["manifest"]["extra"]["repeats"] == AGAIN
        assert run["manifest"]["outcomes"] == CASES + AGAIN
        assert house.calls() - before == CASES + AGAIN
        repeated.append({case for case, asked in samples(house, run).items() if asked == 2})
        assert len(repeated[-1]) == AGAIN
    assert len(set.union(*repeated)) == 4 * AGAIN
    noise = house.api.get("/api/v1/noise", params={"deployment": DEPLOYMENT, "set_name": FROZEN}).json()
    assert (noise["nights"], noise["repeats"]) == (4, 4 * AGAIN)
    assert noise["flip_rate"] == pytest.approx(2.0 * noise["within_variance"]) or noise["flip_rate"] == 0.0
    told = house.listed("findings")[0]["evidence"]["noise"]
    assert told["repeats"] == 3 * AGAIN


def test_a_run_that_somebody_asks_for_repeats_nothing(house: House) -> None:
    run = house.replay()
    assert (run["repeats"], run["outcomes"]) == (0, CASES)


def test_a_night_that_was_killed_asks_what_is_left_of_the_same_cases(house: House) -> None:
    night = play(house, 0)
    with house.app.store.write() as tx:
        first = runs.get(tx, night["id"])
        assert first is not None
        categories = {case.case_id: case.category for case in evalsets.cases(tx, FROZEN, first.revision)}
        again = sorted(repeated_cases(categories, AGAIN, 1, FROZEN))
        killed = replace(
            first, id="run-killed", repeat_offset=1, state=RunState.RUNNING, finished_at=None, manifest=None
        )
        runs.insert(tx, killed)
        before_the_kill = [answer(case, score(1.0)) for case in again] + [answer(again[0], score(1.0), sample=1)]
        outcomes.append(tx, killed.id, before_the_kill, None)
    before = house.calls()
    house.app.settle(SETTLE_S)
    run = house.api.get("/api/v1/runs/run-killed").raise_for_status().json()
    assert (run["state"], run["outcomes"], run["manifest"]["outcomes"]) == ("complete", CASES + AGAIN, CASES + AGAIN)
    assert house.calls() - before == CASES + AGAIN - len(before_the_kill)
    assert sorted(case for case, asked in samples(house, run).items() if asked == 2) == again
