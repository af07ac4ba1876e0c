"""A dynamic set is judged by its parts, with real rows."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from monitor.domain.evalset import SetKind
from monitor.domain.finding import Verdict
from monitor.drift.judge.set_parts import NO_IMPROVEMENT
from monitor.store.runs import outcomes
from tests.jobs.nightly import RATES, Nightly

SIZE = len(RATES)
SAMPLED = np.arange(SIZE) % 2 == 0
IDS = [f"case-{i}" for i in range(SIZE)]
PARTS = {case_id: "sampled" if is_sampled else "corrected" for case_id, is_sampled in zip(IDS, SAMPLED, strict=True)}
LEVEL = np.full(SIZE, 0.5)


@pytest.fixture
def house(tmp_path: Path) -> Iterator[Nightly]:
    opened = Nightly(tmp_path)
    opened.revision("r2", IDS, PARTS)
    yield opened
    opened.close()


def judged(house: Nightly, count: int, rates: np.ndarray = LEVEL, **fields: object) -> None:
    house.nights(count, rates, set_kind=SetKind.DYNAMIC, **fields)


def test_quiet_nights_report_both_parts(house: Nightly) -> None:
    judged(house, 9)
    found = house.findings()[-1]
    assert (found.verdict, found.part) == (Verdict.OK, "sampled")
    assert [(row.part, row.cases, row.verdict) for row in found.parts] == [
        ("sampled", 75, Verdict.OK),
        ("corrected", 75, Verdict.OK),
    ]
    assert found.reason.startswith("sampled part: ")
    assert found.reason.endswith("corrected part: ok")


def test_a_rise_of_the_corrected_part_under_a_new_version_is_no_improvement(house: Nightly) -> None:
    judged(house, 9)
    judged(house, 3, np.where(SAMPLED, 0.5, 0.95), version="B")
    found = house.findings()[-1]
    assert found.verdict is Verdict.OK
    corrected = found.parts[1]
    assert corrected.verdict is Verdict.OK
    assert NO_IMPROVEMENT in corrected.reason
    assert house.alerts() == []


def test_a_rise_of_the_sampled_part_is_an_improvement(house: Nightly) -> None:
    judged(house, 9)
    judged(house, 3, np.where(SAMPLED, 0.95, 0.5), version="B")
    assert "improvement" in house.verdicts()
    found = next(row for row in house.findings() if row.verdict is Verdict.IMPROVEMENT)
    assert found.part == "sampled"


@pytest.mark.parametrize("falling", ["sampled", "corrected"])
def test_a_fall_of_one_part_opens_one_alert_that_resolves_when_the_part_recovers(house: Nightly, falling: str) -> None:
    high = np.full(SIZE, 0.9)
    judged(house, 9, high)
    hit = SAMPLED if falling == "sampled" else ~SAMPLED
    judged(house, 3, np.where(hit, 0.3, 0.9), version="B")
    found = house.findings()[-1]
    assert (found.verdict, found.part) == (Verdict.REGRESSION, falling)
    assert house.alerts() == ["firing"]
    judged(house, 8, high, version="C")
    assert house.findings()[-1].verdict is not Verdict.REGRESSION
    assert house.alerts() == ["resolved"]


def test_the_counts_of_a_run_are_reported_by_part(house: Nightly) -> None:
    judged(house, 1, np.where(SAMPLED, 1.0, 0.0))
    with house.store.read() as tx:
        found = outcomes.breakdown(tx, ["run-001"])["run-001"].parts
    assert [(row.part, row.cases, row.scored, row.passed) for row in found] == [
        ("sampled", 75, 75, 75),
        ("corrected", 75, 75, 0),
    ]


def test_a_set_without_parts_is_judged_as_a_whole(house: Nightly) -> None:
    house.revision("r3", IDS)
    judged(house, 3)
    assert (house.findings()[-1].part, house.findings()[-1].parts) == (None, ())


def test_a_case_that_moves_between_the_parts_keeps_its_history(house: Nightly) -> None:
    judged(house, 6)
    moved = PARTS | {"case-1": "sampled"}
    house.revision("r3", IDS, moved)
    judged(house, 3)
    found = house.findings()[-1]
    assert [row.n for row in found.parts] == [76, 74]
    assert found.evidence is not None
    assert found.evidence.nights == 9
