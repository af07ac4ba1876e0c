"""When ingest and the disk need a person."""

from dataclasses import replace

import pytest

from monitor.alerting.checks.condition import ConditionState
from monitor.alerting.checks.disk import disk_condition
from monitor.alerting.checks.ingest import IngestTotals, ingest_conditions
from monitor.domain.check_policy import CheckPolicy

FIRING, CLEAR = ConditionState.FIRING, ConditionState.CLEAR
POLICY = CheckPolicy()
HEALTHY = IngestTotals(requests=1000, refused=0, most_refused=None, records=1000, dead_letters=0, waited_s=0.2)
GB = 10**9


def firing(totals: IngestTotals, rows: int = 0) -> set[str]:
    return {one.rule for one in ingest_conditions(totals, rows, 1000, POLICY) if one.state is FIRING}


def test_healthy_ingest_and_ingest_without_a_request_are_clear() -> None:
    assert firing(HEALTHY) == set()
    assert (
        firing(IngestTotals(requests=0, refused=0, most_refused=None, records=0, dead_letters=0, waited_s=0)) == set()
    )


@pytest.mark.parametrize(("refused", "fires"), [(19, False), (49, False), (50, True)])
def test_a_share_of_refused_requests_fires_from_twenty_requests_on(refused: int, fires: bool) -> None:
    found = firing(replace(HEALTHY, refused=refused, most_refused="intake_full"))
    assert found == ({"IngestRejecting"} if fires else set())


def test_few_refused_requests_are_no_share() -> None:
    assert firing(replace(HEALTHY, requests=20, refused=19)) == set()


def test_a_filled_intake_and_a_slow_commit_are_a_lag() -> None:
    assert (firing(HEALTHY, rows=899), firing(HEALTHY, rows=900)) == (set(), {"IngestLagging"})
    assert firing(replace(HEALTHY, waited_s=30.1)) == {"IngestLagging"}


def test_dead_letters_fire_above_their_share() -> None:
    assert firing(replace(HEALTHY, dead_letters=19)) == set()
    assert firing(replace(HEALTHY, dead_letters=20)) == {"DeadLetters"}
    assert firing(replace(HEALTHY, records=10_000, dead_letters=150)) == set()


def test_the_sentence_has_figure_threshold_and_command() -> None:
    found = ingest_conditions(replace(HEALTHY, refused=100, most_refused="intake_full"), 0, 1000, POLICY)[0]
    for part in ("100 of 1000 requests", "10 min", "intake_full", "limit 5%", "driftd db info"):
        assert part in found.reason


@pytest.mark.parametrize(
    ("free", "total", "expected"),
    [
        (1 * GB, 10 * GB, FIRING),  # less than the least free space
        (3 * GB, 10 * GB, CLEAR),
        (9 * GB, 200 * GB, FIRING),  # less than 5 %
        (40 * GB, 2000 * GB, CLEAR),  # 2 %, and still much space
    ],
)
def test_the_disk_is_nearly_full_by_bytes_or_by_share(free: int, total: int, expected: ConditionState) -> None:
    found = disk_condition("/var/lib/driftd", free, total, POLICY)
    assert found.state is expected
    assert ("driftd db compact" in found.reason) is (expected is FIRING)
