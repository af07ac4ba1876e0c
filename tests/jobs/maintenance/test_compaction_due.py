from datetime import UTC, datetime, timedelta

import pytest

from monitor.domain.compaction import Compaction, CompactionKind
from monitor.domain.policy import RetentionPolicy
from monitor.jobs.maintenance.retention_loop import CompactionReason, compaction_due

NOW = datetime(2026, 11, 21, tzinfo=UTC)
POLICY = RetentionPolicy(
    check_s=86_400, compact_share=0.2, compact_delay_s=7 * 86_400, keep_runs=1, parts={}, deployments={}
)


def order(kind: CompactionKind, rows: int = 1, days_ago: float = 0) -> Compaction:
    removed = {"interaction": rows} if rows else {}
    return Compaction(id="r", kind=kind, at=NOW - timedelta(days=days_ago), who="w", removed=removed)


def test_without_an_order_nothing_is_due() -> None:
    assert compaction_due([], 0, POLICY, NOW) is None


@pytest.mark.parametrize("kind", [CompactionKind.ERASE, CompactionKind.COMPACT])
def test_an_erasure_and_a_person_never_wait(kind: CompactionKind) -> None:
    assert compaction_due([order(kind, rows=0)], 10**6, POLICY, NOW) is CompactionReason.REQUESTED


@pytest.mark.parametrize(("rows", "due"), [(19, None), (20, CompactionReason.SHARE)])
def test_retention_waits_for_its_share_of_all_rows(rows: int, due: CompactionReason | None) -> None:
    orders = [order(CompactionKind.RETENTION, rows=rows - 10), order(CompactionKind.RETENTION, rows=10)]
    assert compaction_due(orders, 100 - rows, POLICY, NOW) is due


@pytest.mark.parametrize(("days", "due"), [(6.9, None), (7, CompactionReason.DELAY)])
def test_retention_waits_no_longer_than_its_delay(days: float, due: CompactionReason | None) -> None:
    orders = [order(CompactionKind.RETENTION, days_ago=days), order(CompactionKind.RETENTION)]
    assert compaction_due(orders, 10**6, POLICY, NOW) is due
