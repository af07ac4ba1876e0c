"""Whether a set still asks what production asks."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from monitor.health.nearness import QUANTILE, nearness
from monitor.stats.wilson import wilson

FEWEST_CASES = 20  # a quantile of fewer is nobody's
FEWEST_CALLS = 30
MISSED_SHARE = 0.01  # of production: a category below it is a stray call


@dataclass(frozen=True, slots=True, kw_only=True)
class Staleness:
    """`far` is the share of production calls that are near no case, with Wilson's interval: up to about a tenth is what
    calls like the cases would show. `elsewhere` is about the share of production that comes from other questions (0
    when a tenth explains it). All None with fewer than 20 cases or 30 calls. `missed` are production's categories
    that no case has, with their shares.
    """

    calls: int
    cases: int
    far: float | None
    far_low: float | None
    far_high: float | None
    elsewhere: float | None
    missed: Mapping[str, float]


def staleness_of(
    cases: Sequence[str],
    calls: Sequence[str],
    case_categories: Sequence[str] = (),
    call_categories: Sequence[str | None] = (),
) -> Staleness:
    """How far production has moved away from the cases.

    Formula:   far is the share of calls that are near no case (`nearness`); elsewhere = max(0, (far - 0.1) / 0.9).
    Range:     shares in [0, 1].
    Direction: 0.1 far is no news; near 1 the set asks about something else.
    Smallest:  20 cases, 30 calls.
    Source:    the lower bound of a mixture by a quantile of one part: Blanchard, Lee and Scott, JMLR 11 (2010)
               2973-3009.
    Differs:   words only: a paraphrase without a common word is far. A set whose own cases have nothing in common
               sets a low mark, and misses what moved away.
    """
    missed = _missed(case_categories, call_categories)
    if len(cases) < FEWEST_CASES or len(calls) < FEWEST_CALLS:
        return Staleness(
            calls=len(calls), cases=len(cases), far=None, far_low=None, far_high=None, elsewhere=None, missed=missed
        )
    far = float(nearness(cases, calls).far.mean())
    low, high = wilson(far, len(calls))
    return Staleness(
        calls=len(calls),
        cases=len(cases),
        far=far,
        far_low=float(low),
        far_high=float(high),
        elsewhere=max(0.0, (far - QUANTILE) / (1.0 - QUANTILE)),
        missed=missed,
    )


def _missed(cases: Sequence[str], calls: Sequence[str | None]) -> dict[str, float]:
    named = Counter(category for category in calls if category is not None)
    total = sum(named.values())
    known = set(cases)
    return {
        name: count / total
        for name, count in named.most_common()
        if name not in known and count / total >= MISSED_SHARE
    }
