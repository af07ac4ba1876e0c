"""Pairs the cases of two runs: the same content, with a verdict in both runs."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from monitor.domain.run import CaseResult
from replay.types import Severity


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """One case before and after."""

    before: CaseResult
    after: CaseResult

    @property
    def passed_before(self) -> bool:
        return passes(self.before)

    @property
    def passed_after(self) -> bool:
        return passes(self.after)

    @property
    def flipped_to_fail(self) -> bool:
        return self.passed_before and not self.passed_after

    @property
    def flipped_to_pass(self) -> bool:
        return self.passed_after and not self.passed_before

    @property
    def severity(self) -> Severity:
        return Severity(self.after.severity)


def passes(result: CaseResult) -> bool:
    """Return whether the case passes. Raise ValueError for an unscored case, which neither passes nor fails."""
    if result.passed is None:
        raise ValueError(f"case {result.case_id} has no verdict; exclude it before testing whether it passed")
    return result.passed


def pair_cases(before: Sequence[CaseResult], after: Sequence[CaseResult]) -> tuple[Pair, ...]:
    """Return the cases with equal id and content and a verdict in both runs, in the order of `after`.

    A case that was edited under its id is another case. A case without a verdict on either side is left out.
    """
    scored_before = {(row.case_id, row.content_mac): row for row in before if row.value is not None}
    return tuple(
        Pair(before=scored_before[key], after=row)
        for row in after
        if row.value is not None and (key := (row.case_id, row.content_mac)) in scored_before
    )


def newly_failing(before: Sequence[CaseResult], after: Sequence[CaseResult]) -> list[str]:
    """Return the ids of the cases that passed before and fail after, in the order of `after`."""
    passed = {(row.case_id, row.content_mac) for row in before if row.value is not None and row.passed}
    return [
        row.case_id
        for row in after
        if row.value is not None and not row.passed and (row.case_id, row.content_mac) in passed
    ]


@dataclass(frozen=True, slots=True, kw_only=True)
class Flips:
    """The two-by-two table of some pairs."""

    n: int
    passed_before: int
    passed_after: int
    to_fail: int
    to_pass: int

    @property
    def discordant(self) -> int:
        return self.to_fail + self.to_pass


def count_flips(pairs: Sequence[Pair]) -> Flips:
    counts = Counter([(pair.before.passed, pair.after.passed) for pair in pairs])
    if any(None in cell for cell in counts):
        raise ValueError("a case without a verdict is in a pair")
    both, to_fail, to_pass = (counts[cell] for cell in ((True, True), (True, False), (False, True)))
    return Flips(
        n=len(pairs), passed_before=both + to_fail, passed_after=both + to_pass, to_fail=to_fail, to_pass=to_pass
    )


Direction = Literal["to_fail", "to_pass"]


def flipped(
    pairs: Sequence[Pair],
    *,
    direction: Direction | None = None,
    category: str | None = None,
    failure_category: str | None = None,
) -> list[Pair]:
    """Return the pairs that flipped: to fail first, then the most severe, then by category and id.

    An argument that is None does not filter. `failure_category` is that of the run in which the case fails.
    """
    selected = [
        pair
        for pair in pairs
        if (flip := direction_of(pair)) is not None
        and direction in {None, flip}
        and category in {None, pair.after.category}
        and failure_category in {None, failure_of(pair)}
    ]
    return sorted(selected, key=_reading_order)


def direction_of(pair: Pair) -> Direction | None:
    """Return the direction of the flip; None when the case did not flip."""
    if pair.flipped_to_fail:
        return "to_fail"
    return "to_pass" if pair.flipped_to_pass else None


def failure_of(pair: Pair) -> str:
    """Return how the case fails, in the later run when it fails in both; `none` when it fails in neither."""
    return pair.before.failure_category if pair.flipped_to_pass else pair.after.failure_category


def _reading_order(pair: Pair) -> tuple[bool, int, str, str]:
    return (pair.flipped_to_pass, -pair.severity.rank, pair.after.category, pair.after.case_id)
