"""Decides whether the disk of the store is nearly full, and reports that it has no space for new records."""

from monitor.alerting.checks.condition import DAEMON, Condition, ConditionState
from monitor.domain.check_policy import CheckPolicy

RULE = "DiskNearlyFull"
PAUSED = "IngestPaused"
LARGE = 10  # times the least free space: a disk with more than that is not full, whatever its share
GB, MB = 1e9, 1e6


def disk_condition(folder: str, free: int, total: int, policy: CheckPolicy) -> Condition:
    """Return the condition. `free` and `total` are bytes.

    It fires below `disk_free_bytes`, and below `disk_free_share` of the disk while less than ten times
    `disk_free_bytes` is free.
    """
    share = free / total if total else 0.0
    least = policy.disk_free_bytes
    full = free < least or (share < policy.disk_free_share and free < LARGE * least)
    reason = f"{_size(free)} ({share:.1%}) of the disk of {folder} are free"
    if full:
        reason += (
            f" (limits {_size(least)} and {policy.disk_free_share:.0%}, alerts.checks.disk_free_gb and "
            "disk_free_share); free space on the disk, or shorten `retention` and run `driftd db compact`"
        )
    return Condition(
        rule=RULE,
        deployment=DAEMON,
        subject="disk",
        state=ConditionState.FIRING if full else ConditionState.CLEAR,
        reason=reason,
    )


def paused_condition(folder: str, refusal: str | None) -> Condition:
    """Return the condition of new records. `refusal` is why driftd refuses them; None when it stores them."""
    firing = refusal is not None
    reason = f"{refusal}. Remove other files from the disk, or enlarge it" if firing else f"{folder} takes new records"
    return Condition(
        rule=PAUSED,
        deployment=DAEMON,
        subject="disk reserve",
        state=ConditionState.FIRING if firing else ConditionState.CLEAR,
        reason=reason,
    )


def _size(count: float) -> str:
    """Return a number of bytes as a text.

    >>> _size(23_500_000), _size(12_340_000_000)
    ('24 MB', '12.3 GB')
    """
    return f"{count / GB:.1f} GB" if count >= GB else f"{count / MB:.0f} MB"
