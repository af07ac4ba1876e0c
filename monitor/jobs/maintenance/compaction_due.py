"""Whether the file is to be rewritten now: a pure function of what was ordered and what was removed."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from enum import StrEnum

from monitor.domain.compaction import Rewrite, RewriteKind
from monitor.domain.policy import RetentionPolicy


class RewriteReason(StrEnum):
    ASKED = "somebody asked for it"
    SHARE = "enough rows were removed"
    DELAY = "what was removed has stayed in the file long enough"


def rewrite_due(
    orders: Sequence[Rewrite], stored_rows: int, policy: RetentionPolicy, now: datetime
) -> RewriteReason | None:
    """Why the open orders ask for a rewrite now; None when they can wait for more.

    An erasure and a person never wait. What retention removed waits until it is a share of all rows worth the copy,
    or until the first of it is too old.
    """
    if not orders:
        return None
    if any(order.kind is not RewriteKind.RETENTION for order in orders):
        return RewriteReason.ASKED
    removed = sum(order.removed_rows for order in orders)
    if removed >= policy.rewrite_share * (removed + stored_rows):
        return RewriteReason.SHARE
    if now - min(order.at for order in orders) >= timedelta(seconds=policy.rewrite_delay_s):
        return RewriteReason.DELAY
    return None
