"""The exposure of a private set to providers and people, and the cases to replace first."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from monitor.domain.evalset import CaseExposure

ROTATED_SHARE = 0.2  # of the set in one rotation: the other cases continue the trend
SOON_DAYS = 30.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Exposure:
    """The exposure of a revision.

    `over_budget` are the ids of the cases whose calls and reveals reached the budget, the most exposed first.
    `to_replace` is the part of them for one rotation. `days_left` is the time until the next case reaches the budget at
    the rate of the last 30 days: None without a budget or without calls, 0 if a case has reached it.
    """

    cases: int
    budget: int | None
    max_exposure: int
    median: float
    revealed_cases: int
    over_budget: tuple[str, ...]
    to_replace: tuple[str, ...]
    days_left: float | None

    @property
    def due(self) -> bool:
        return bool(self.over_budget)


def exposure_of(cases: Sequence[CaseExposure], budget: int | None, recent_days: float) -> Exposure:
    """Return the exposure of the cases of a revision.

    A call to a provider and a reveal to a person are one exposure each: both leave a copy outside driftd.

    >>> from datetime import datetime
    >>> seen = CaseExposure(case_id="a", category="x", severity="low", calls=9, reveals=1, providers=1, people=1,
    ...                     recent_calls=5, last_at=None)
    >>> exposure_of([seen], budget=20, recent_days=30.0).days_left
    60.0
    """
    used = {case.case_id: case.calls + case.reveals for case in cases}
    ordered = sorted(used, key=lambda case_id: (-used[case_id], case_id))
    over_budget = tuple(case_id for case_id in ordered if budget is not None and used[case_id] >= budget)
    counts = sorted(used.values())
    return Exposure(
        cases=len(cases),
        budget=budget,
        max_exposure=counts[-1] if counts else 0,
        median=_median(counts),
        revealed_cases=sum(case.reveals > 0 for case in cases),
        over_budget=over_budget,
        to_replace=over_budget[: math.ceil(ROTATED_SHARE * len(cases))],
        days_left=_days_left(cases, used, budget, recent_days),
    )


def _days_left(
    cases: Sequence[CaseExposure], used: dict[str, int], budget: int | None, recent_days: float
) -> float | None:
    if budget is None:
        return None
    left = [
        max(budget - used[case.case_id], 0) * recent_days / case.recent_calls for case in cases if case.recent_calls
    ]
    if any(count >= budget for count in used.values()):
        return 0.0
    return min(left, default=None)


def _median(counts: Sequence[int]) -> float:
    if not counts:
        return 0.0
    middle = len(counts) // 2
    return float(counts[middle]) if len(counts) % 2 else (counts[middle - 1] + counts[middle]) / 2
