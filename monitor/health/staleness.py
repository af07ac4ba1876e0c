"""Whether the cases of a set still resemble production."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from monitor.health.nearness import QUANTILE, CaseTexts
from monitor.stats.wilson import wilson

FEWEST_CASES = 20  # the least number for a quantile
FEWEST_CALLS = 30
MISSED_SHARE = 0.01  # of production: a category with a smaller share is ignored


@dataclass(frozen=True, slots=True, kw_only=True)
class CategoryShare:
    """A category, with the number of production calls and of cases that have it."""

    category: str
    calls: int
    cases: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Staleness:
    """The distance between production and a set.

    `distant` is the share of production calls that are near no case, with Wilson's interval. It is about a tenth for
    calls that resemble the cases. `uncovered` estimates the share of production with other questions; it is 0 if
    `distant` is at most a tenth. All are None with fewer than 20 cases or 30 calls. `uncovered_categories` are the
    categories of production that no case has, with their shares. `categories` has the categories of calls and cases,
    the most frequent in production first; calls without a category count in none.
    """

    calls: int
    cases: int
    distant: float | None
    distant_low: float | None
    distant_high: float | None
    uncovered: float | None
    uncovered_categories: Mapping[str, float]
    categories: tuple[CategoryShare, ...] = ()


def staleness_of(
    cases: Sequence[str],
    calls: Sequence[str],
    case_categories: Sequence[str] = (),
    call_categories: Sequence[str | None] = (),
    prepared: CaseTexts | None = None,
) -> Staleness:
    """Return how far production has moved away from the cases; `prepared` are the same cases.

    Formula:   distant is the share of calls that are near no case (`nearness`);
               uncovered = max(0, (distant - 0.1) / 0.9).
    Range:     shares in [0, 1].
    Direction: 0.1 is usual; near 1 the set covers other questions than production.
    Smallest:  20 cases, 30 calls.
    Source:    the lower bound of a mixture by a quantile of one part: Blanchard, Lee and Scott, JMLR 11 (2010)
               2973-3009.
    Differs:   only words count: a paraphrase without a common word is far. A set whose cases have nothing in common
               has a low mark and does not detect calls that moved away.
    """
    uncovered_categories = _missed(case_categories, call_categories)
    categories = _categories(case_categories, call_categories)
    if len(cases) < FEWEST_CASES or len(calls) < FEWEST_CALLS:
        return Staleness(
            calls=len(calls),
            cases=len(cases),
            distant=None,
            distant_low=None,
            distant_high=None,
            uncovered=None,
            uncovered_categories=uncovered_categories,
            categories=categories,
        )
    distant = float((prepared or CaseTexts(cases)).nearness(calls).far.mean())
    low, high = wilson(distant, len(calls))
    return Staleness(
        calls=len(calls),
        cases=len(cases),
        distant=distant,
        distant_low=float(low),
        distant_high=float(high),
        uncovered=max(0.0, (distant - QUANTILE) / (1.0 - QUANTILE)),
        uncovered_categories=uncovered_categories,
        categories=categories,
    )


def _categories(cases: Sequence[str], calls: Sequence[str | None]) -> tuple[CategoryShare, ...]:
    of_calls = Counter(category for category in calls if category is not None)
    of_cases = Counter(cases)
    names = sorted(of_calls.keys() | of_cases.keys(), key=lambda name: (-of_calls[name], -of_cases[name], name))
    return tuple(CategoryShare(category=name, calls=of_calls[name], cases=of_cases[name]) for name in names)


def _missed(cases: Sequence[str], calls: Sequence[str | None]) -> dict[str, float]:
    named = Counter(category for category in calls if category is not None)
    total = sum(named.values())
    known = set(cases)
    return {
        name: count / total
        for name, count in named.most_common()
        if name not in known and count / total >= MISSED_SHARE
    }
