from datetime import UTC, datetime, timedelta

import pytest

from monitor.domain.compaction import Rewrite, RewriteKind
from monitor.domain.policy import RetentionPolicy
from monitor.jobs.maintenance.retention_loop import RewriteReason, rewrite_due

NOW = datetime(2026, 11, 21, tzinfo=UTC)
POLICY = RetentionPolicy(
    check_s=86_400, rewrite_share=0.2, rewrite_delay_s=7 * 86_400, keep_runs=1, parts={}, deployments={}
)


def order(kind: RewriteKind, rows: int = 1, days_ago: float = 0) -> Rewrite:
    removed = {"interaction": rows} if rows else {}
    return Rewrite(id="r", kind=kind, at=NOW - timedelta(days=days_ago), who="w", removed=removed)


def test_without_an_order_nothing_is_due() -> None:
    assert rewrite_due([], 0, POLICY, NOW) is None


@pytest.mark.parametrize("kind", [RewriteKind.ERASE, RewriteKind.COMPACT])
def test_an_erasure_and_a_person_never_wait(kind: RewriteKind) -> None:
    assert rewrite_due([order(kind, rows=0)], 10**6, POLICY, NOW) is RewriteReason.ASKED


@pytest.mark.parametrize(("rows", "due"), [(19, None), (20, RewriteReason.SHARE)])
def test_retention_waits_for_its_share_of_all_rows(rows: int, due: RewriteReason | None) -> None:
    orders = [order(RewriteKind.RETENTION, rows=rows - 10), order(RewriteKind.RETENTION, rows=10)]
    assert rewrite_due(orders, 100 - rows, POLICY, NOW) is due


@pytest.mark.parametrize(("days", "due"), [(6.9, None), (7, RewriteReason.DELAY)])
def test_retention_waits_no_longer_than_its_delay(days: float, due: RewriteReason | None) -> None:
    orders = [order(RewriteKind.RETENTION, days_ago=days), order(RewriteKind.RETENTION)]
    assert rewrite_due(orders, 10**6, POLICY, NOW) is due
